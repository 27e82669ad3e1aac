"""The rule ``step-loop``."""

import json
from collections import deque
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from sessionlens.examples import Example, asks, bash, compaction, edit, nothing, read, says, tool, waits
from sessionlens.rule import (
    Called,
    Finding,
    Iterator,
    Ran,
    Rule,
    Said,
    Session,
    SessionGraph,
    clipped,
    dataclass,
    lazy,
)

SLUG = "step-loop"
POLL = "ssh root@web1 'systemctl is-active billing'"

_EMPTY: tuple[Any, ...] = (None, "", False, [], {})
_TIMES = lazy(
    r"\b\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?\b|\b\d+(?:[.,]\d+)? ?(?:ns|µs|ms|s|sec|secs|seconds|m|min)\b|\b1[67]\d{8,11}\b"
)
"""Moments and durations: they differ at every run and tell nothing."""
_WAITS = lazy(r"\b(?:sleep|wait|watch|timeout|tail\s+-[0-9nc]*[fF]|--watch|--follow|--wait)\b")
_CUT_SHORT = {
    "claude-console": "what a terminal showed cuts long commands short and leaves most arguments out",
    "opencode-run": "what a terminal showed cuts long commands short and leaves most arguments out",
    "aider": "the history holds no calls, only what was said and edited",
}
"""Formats that do not hold a call's arguments whole, and why."""
_LATER_MS = 300_000
"""Milliseconds after which a second look is a new one."""
_READ_AT_MOST = 20_000
_DEPTH = 40
_ROUND = 3
"""Calls of one round at most."""
_ROUNDS = 4
"""Rounds that are looked back for at most."""


class _Step:
    """A call, and what makes it the same as another one."""

    def __init__(self, called: Called) -> None:
        self.called = called

    @cached_property
    def form(self) -> tuple[Any, ...]:
        """What makes two calls the same."""
        return _form(self.called)


@dataclass(frozen=True, kw_only=True)
class StepLoop(Rule):
    """The same call as the step before, and nothing new could come of it.

    ## What it flags
    A call that is the same as the call right before it: same tool, same arguments apart from white space, order,
    empty values and the names of the outermost keys; with the same result, where both results are known. Not
    flagged: a call after a word of the person, a second try after a result that never came, was cut off or
    lost, waiting and polling of something that is on its way, a second look minutes later or after the conversation
    was condensed, and a re-run after anything else was done in between: an edit, a build, a look at another place.
    A look that is repeated once is told with the lowest severity. Flagged as well, by the same measure: the same two or
    three calls in the same order once more (where none shows a result, twice more).

    ## Why it matters
    The agent does not take in what it sees: time and tokens go by, and the next step is no better founded.

    ## What to do
    Say what the result showed, and what else would have to be tried. For the agent: before repeating a call, name
    what has changed since.

    ## Facts
    - `tool`: name of the tool
    - `repeats`: how many times in a row the call stands by now, 2 for the first repetition
    - `first_at`: index of the message with the first of them
    - `results`: same, empty where neither gave any output, or unknown where the log does not hold both results
    - `identical`: whether the arguments are the same to the letter
    - `calls`: how many calls make up what is repeated, 1 for the same call in a row
    - `again`: indices of the messages with the calls that are repetitions
    """

    slug = SLUG
    severity = "low"
    since = "0.1"

    least: int = 2
    """Flag from this many times in a row."""

    def checkable(self, session: Session) -> str | None:
        """Two calls can be told apart only where their arguments are there."""
        return _CUT_SHORT.get(session.source_format)

    def check(self, graph: SessionGraph) -> Iterator[Finding]:
        """One finding for each repetition."""
        rows: dict[str, list[Called]] = {}
        passed: dict[str, deque[_Step]] = {}
        for seq in sorted((*graph.index("called"), *graph.index("said"))):
            event = graph.events[seq]
            if isinstance(event, Said):
                if event.human:
                    rows.clear()
                    passed.clear()
                elif event.message.summary:
                    # What was read before is no longer before the agent's eyes.
                    rows.pop(event.at.session, None)
                    passed.pop(event.at.session, None)
                continue
            if not isinstance(event, Called):
                continue
            session = event.at.session
            row = rows.get(session, [])
            way, now = passed.setdefault(session, deque(maxlen=_ROUND * _ROUNDS)), _Step(event)
            if row and _again(graph, way[-1], now):
                row = [*row, event]
                if len(row) >= self.least:
                    yield self._found(row, looks=_looks(graph, event))
            else:
                row = [event]
                yield from self._round(graph, way, now)
            rows[session] = row
            way.append(now)

    def _round(self, graph: SessionGraph, way: Sequence[_Step], now: _Step) -> Iterator[Finding]:
        """The round of several calls that ends with a call."""
        line = [*way, now]
        for calls in range(2, _ROUND + 1):
            rounds = 1
            while len(line) >= (rounds + 1) * calls and all(
                _again(graph, line[at - calls], line[at])
                for at in range(-(rounds - 1) * calls - 1, -rounds * calls - 1, -1)
            ):
                rounds += 1
            last = line[-calls:]
            told = any(_shown(one.called) for one in last)
            if rounds >= (2 if told else 3) and all(one.called.call.arguments() for one in last):
                again = line[-calls * (rounds - 1) :]
                looks = all(_looks(graph, one.called) for one in last)
                yield self._went_round(line[-calls - 1], again, rounds=rounds, looks=looks)
                return

    def _found(self, row: list[Called], *, looks: bool) -> Finding:
        first, before, now = row[0], row[-2], row[-1]
        known = before.call.output is not None and now.call.output is not None
        line = clipped(now.line or now.call.name)
        return self.finding(
            now,
            f"The same call for the {_nth(len(row))} time in a row: {line}",
            because=[
                *([(first, "the first of them")] if len(row) > 2 else []),
                (before, "the one before, the same"),
            ],
            severity="medium" if len(row) >= 4 else "info" if looks and len(row) == 2 else "low",
            confidence="high" if known else "medium" if now.call.arguments() else "low",
            facts={
                "tool": now.call.name,
                "repeats": len(row),
                "first_at": first.at.message_index,
                "results": ("empty" if now.shows_nothing else "same") if known else "unknown",
                "identical": before.call.input == now.call.input,
                "calls": 1,
                "again": [now.at.message_index],
            },
            about=str(len(row)),
        )

    def _went_round(self, before: _Step, again: Sequence[_Step], *, rounds: int, looks: bool) -> Finding:
        """The finding at the last call of a round.

        :param before: the call that the last one repeats.
        :param again: the calls of all rounds but the first.
        """
        first, now, calls = before.called, again[-1].called, len(again) // (rounds - 1)
        known = first.call.output is not None and now.call.output is not None
        line = clipped(now.line or now.call.name)
        return self.finding(
            now,
            f"The same {calls} calls for the {_nth(rounds)} time in a row, the last of them {line}",
            because=[
                (first, "the same call before"),
                *((one.called, "made again as well, in the same order") for one in again[:-1]),
            ],
            severity="medium" if rounds >= 4 else "info" if looks and rounds == 2 else "low",
            confidence="medium",
            facts={
                "tool": now.call.name,
                "repeats": rounds,
                "first_at": first.at.message_index,
                "results": ("empty" if now.shows_nothing else "same") if known else "unknown",
                "identical": first.call.input == now.call.input,
                "calls": calls,
                "again": sorted({one.called.at.message_index for one in again}),
            },
            about=f"round {rounds}",
        )

    examples = (
        Example(
            "the same search twice, with the same result",
            asks("where is the limit set?"),
            bash("grep -rn limit src/", output="src/a.py:3: limit = 5"),
            bash("grep -rn limit src/", output="src/a.py:3: limit = 5", flag=SLUG, confidence="high",
                 facts={"repeats": 2, "identical": True}),
            says("In src/a.py."),
        ),
        Example(
            "four times in a row: worse",
            asks("run the tests"),
            bash("pytest -q", exit=1, output="1 failed in 0.31s"),
            bash("pytest -q", exit=1, output="1 failed in 0.29s", flag=SLUG, severity="low"),
            bash("pytest -q", exit=1, output="1 failed in 0.30s", flag=SLUG, facts={"repeats": 3}),
            bash("pytest -q", exit=1, output="1 failed in 0.33s", flag=SLUG, severity="medium"),
            says("One test fails."),
        ),
        Example(
            "written differently, the same call",
            asks("fix it"),
            tool("write_fix", {"project": "shop", "changes": [{"line": 3, "text": "x = 1"}]}, output="compiles: no"),
            tool("write_fix", {"changes": [{"line": 3, "text": "x  =  1", "notes": []}], "name": "shop", "dry": None},
                 output="compiles: no", flag=SLUG, facts={"identical": False}),
        ),
        Example(
            "an edit that fails the same way twice",
            asks("rename it"),
            edit("/home/dev/project/a.py", "old", "new", error="oldString not found in content"),
            edit("/home/dev/project/a.py", "old", "new", error="oldString not found in content", flag=SLUG),
        ),
        Example(
            "the same file read twice",
            asks("look at the config"),
            read("/home/dev/project/app.toml", "port = 1"),
            read("/home/dev/project/app.toml", "port = 1", flag=SLUG, severity="info"),
            says("The port is 1."),
        ),
        Example(
            "words between the two calls change nothing",
            asks("list the pods"),
            bash("kubectl get pods", output="cart-1 1/1 Running"),
            says("Let me look again.", finish="tool-calls"),
            bash("kubectl get pods", output="cart-1 1/1 Running", flag=SLUG),
        ),
        Example(
            "an empty message between them changes nothing either",
            asks("show the limits"),
            bash("ulimit -a", output="open files 1024"),
            nothing(),
            bash("ulimit -a", output="open files 1024", flag=SLUG),
        ),
        Example(
            "the result of the second is not in the log",
            asks("fetch it"),
            tool("fetch", {"url": "https://example.com/a"}, output="<html>a</html>"),
            tool("fetch", {"url": "https://example.com/a"}, output=None, flag=SLUG, confidence="medium",
                 facts={"results": "unknown"}),
        ),
        Example(
            "neither gave any output",
            asks("is it used anywhere?"),
            bash("grep -rn limit src/", output=""),
            bash("grep -rn limit src/", output="", flag=SLUG, facts={"results": "empty"}),
            says("It is not."),
        ),
        Example(
            "run again after an edit",
            asks("make it pass"),
            bash("pytest -q", exit=1, output="1 failed"),
            edit("/home/dev/project/a.py"),
            bash("pytest -q", exit=1, output="1 failed"),
            says("It still fails."),
        ),
        Example(
            "the second run shows something else",
            asks("is the queue empty?"),
            bash("redis-cli llen jobs", output="41"),
            bash("redis-cli llen jobs", output="12"),
            says("It shrinks: 12 left."),
        ),
        Example(
            "the person asked again",
            asks("list the pods"),
            bash("kubectl get pods", output="cart-1 1/1 Running"),
            asks("and now?"),
            bash("kubectl get pods", output="cart-1 1/1 Running"),
            says("Unchanged."),
        ),
        Example(
            "polling a service that is on its way",
            asks("restart it"),
            bash("ssh root@web1 'systemctl restart billing'"),
            bash(POLL, exit=3, output="activating"),
            bash(POLL, exit=3, output="activating"),
            bash(POLL, output="active"),
            says("billing is active."),
        ),
        Example(
            "waiting is no loop",
            asks("wait for the build"),
            bash("sleep 30 && ls dist", output=""),
            bash("sleep 30 && ls dist", output=""),
            says("Nothing yet."),
        ),
        Example(
            "a second try after a limit ended the first",
            asks("build it"),
            bash("make", limit=120, times_out=True),
            bash("make", limit=120, times_out=True),
            says("The build was cut off twice."),
        ),
        Example(
            "a second try after the person stopped the first",
            asks("build it"),
            bash("make", interrupted=True),
            bash("make", output="ok"),
        ),
        Example(
            "looked at again minutes later",
            asks("keep an eye on the disk"),
            bash("df -h /", output="/dev/sda1 40G 31G"),
            waits(600),
            bash("df -h /", output="/dev/sda1 40G 31G"),
            says("Unchanged."),
        ),
        Example(
            "read again after the conversation was condensed",
            asks("look at the config"),
            read("/home/dev/project/app.toml", "port = 1"),
            compaction("The port stands in app.toml."),
            read("/home/dev/project/app.toml", "port = 1"),
            says("The port is 1."),
        ),
        Example(
            "the same program on another file",
            asks("look at both"),
            read("/home/dev/project/a.py", "a"),
            read("/home/dev/project/b.py", "a"),
            says("Both hold a."),
        ),
        Example(
            "the same change at another place",
            asks("fix both lines"),
            tool("write_fix", {"changes": [{"line": 3, "text": "x = 1"}]}, output="ok"),
            tool("write_fix", {"changes": [{"line": 4, "text": "x = 1"}]}, output="ok"),
        ),
        Example(
            "a number written as text is the same number",
            asks("look at it"),
            tool("read_range", {"file": "a.py", "bug": 16, "first": 33}, output="x = 1"),
            tool("read_range", {"file": "a.py", "bug": "16", "first": 33}, output="x = 1", flag=SLUG,
                 facts={"identical": False}),
        ),
        Example(
            "two calls in turn, round and round",
            asks("make it pass"),
            edit("/home/dev/project/a.py", "old", "new", error="oldString not found in content"),
            bash("pytest -q", exit=1, output="1 failed in 0.31s"),
            edit("/home/dev/project/a.py", "old", "new", error="oldString not found in content"),
            bash("pytest -q", exit=1, output="1 failed in 0.29s", flag=SLUG, severity="low", confidence="medium",
                 facts={"repeats": 2, "first_at": 2, "again": [3, 4]}),
            says("One test fails."),
        ),
        Example(
            "two calls in turn that show nothing: the third round tells",
            asks("fix it"),
            *(tool("write_fix", {"line": 3, "text": text}, output="") for text in "ababa"),
            tool("write_fix", {"line": 3, "text": "b"}, output="", flag=SLUG,
                 facts={"repeats": 3, "results": "empty", "again": [3, 4, 5, 6]}),
        ),
        Example(
            "calls without arguments in turn are steps of a plan",
            asks("fix it"),
            tool("analyse", {}, output="done"),
            tool("locate", {}, output="done"),
            tool("analyse", {}, output="done"),
            tool("locate", {}, output="done"),
        ),
        Example(
            "three looks, then the same three: the lowest severity",
            asks("what is there?"),
            read("/home/dev/project/a.py", "a"),
            read("/home/dev/project/b.py", "b"),
            bash("git status", output="clean"),
            read("/home/dev/project/a.py", "a"),
            read("/home/dev/project/b.py", "b"),
            bash("git status", output="clean", flag=SLUG, severity="info", facts={"again": [4, 5, 6]}),
            says("Nothing new."),
        ),
        Example(
            "written again once after it was deleted",
            asks("reproduce it"),
            bash("printf 'import a\\n' > repro.py"),
            bash("rm repro.py"),
            bash("printf 'import a\\n' > repro.py"),
            bash("python repro.py", output="ok"),
        ),
        Example(
            "the same tests after each of two edits",
            asks("make it pass"),
            edit("/home/dev/project/a.py", "1", "2"),
            bash("pytest -q", exit=1, output="1 failed"),
            edit("/home/dev/project/a.py", "2", "3"),
            bash("pytest -q", exit=1, output="1 failed"),
            says("One test fails."),
        ),
        Example(
            "the same two looks, and one shows something else",
            asks("is the queue empty?"),
            bash("redis-cli llen jobs", output="41"),
            bash("redis-cli llen done", output="9"),
            bash("redis-cli llen jobs", output="40"),
            bash("redis-cli llen done", output="9"),
            says("It shrinks."),
        ),
        Example(
            "two waits in turn are no loop",
            asks("wait for the build"),
            bash("sleep 30", output=""),
            bash("ls dist", output=""),
            bash("sleep 30", output=""),
            bash("ls dist", output=""),
            says("Nothing yet."),
        ),
        Example(
            "some time later, with another look in between",
            asks("watch the disk"),
            bash("df -h /", output="/dev/sda1 40G 31G"),
            bash("du -sh /var/log", output="9G"),
            waits(60),
            bash("df -h /", output="/dev/sda1 40G 31G"),
            says("Unchanged."),
        ),
    )  # fmt: skip


def _nth(number: int) -> str:
    in_words = ("second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
    if 1 < number < 2 + len(in_words):
        return in_words[number - 2]
    teen = 10 < number % 100 < 20
    return f"{number}{'th' if teen else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


def _form(called: Called) -> tuple[Any, ...]:
    """What makes two calls the same: the tool and its arguments, written one way."""
    call = called.call
    arguments = call.arguments()
    if not arguments:
        return (call.name, " ".join(call.input.ends().split()))
    bared = [bare for value in arguments.values() if (bare := _bare(value, _DEPTH)) not in _EMPTY]
    # What is no text never begins with a quotation mark.
    written = (f'"{one}' if isinstance(one, str) else json.dumps(one, sort_keys=True) for one in bared)
    return (call.name, *sorted(written))


def _bare(value: Any, depth: int) -> Any:
    """A value without what says nothing: empty values, and white space between words."""
    if depth == 0:
        return "deep"
    if isinstance(value, str):
        return " ".join(value.split())
    if isinstance(value, list):
        return [bare for one in value if (bare := _bare(one, depth - 1)) not in _EMPTY]
    if isinstance(value, dict):
        bared = {key: _bare(one, depth - 1) for key, one in value.items()}
        return {key: one for key, one in bared.items() if one not in _EMPTY}
    # Written as text or as number, it is the same number.
    return str(value) if type(value) is int and value else value


def _again(graph: SessionGraph, before: _Step, now: _Step) -> bool:
    """Whether a call is the same as an earlier one, and nothing new came of it."""
    alike = before.called.call.name == now.called.call.name
    return alike and before.form == now.form and _nothing_new(graph, before.called, now.called)


def _shown(called: Called) -> bool:
    """Whether the log shows what came of a call."""
    call = called.call
    return call.error is not None or (call.output is not None and not called.shows_nothing)


def _looks(graph: SessionGraph, called: Called) -> bool:
    """Whether a call only looks: done twice it costs a step, and nothing else."""
    commands = graph.commands(called)
    return bool(commands) and all(ran.command.effect in ("read", "check") for ran in commands)


def _nothing_new(graph: SessionGraph, before: Called, now: Called) -> bool:
    """Whether the second of two equal calls could bring nothing new, and where it is known, did not."""
    if (before.at.session, before.at.message_index) == (now.at.session, now.at.message_index):
        # Calls of one message were asked for at once, before any of their results.
        return False
    first = before.call
    if before.unfinished or before.cut_off or before.connection_lost or first.interrupted or first.background:
        return False
    if now.call.continues is not None or first.continues is not None:
        return False
    if before.line is not None and _WAITS.search(before.line) is not None:
        return False
    if any(_on_its_way(ran) or _text_unknown(ran) for ran in graph.commands(before)):
        return False
    if (
        _looks(graph, before)
        and (now.call.start or 0) - (first.end or first.start or now.call.start or 0) > _LATER_MS
    ):
        # What is looked at may have changed by itself.
        return False
    old, new = first.output or first.error, now.call.output or now.call.error
    if old is None or new is None:
        return True
    return _told(old.ends()) == _told(new.ends())


def _on_its_way(ran: Ran) -> bool:
    """Whether a check shows something that may change by itself: on its way up, or not up yet."""
    if ran.outcome.in_progress:
        return True
    return ran.command.check_strength in ("state", "exercise") and ran.outcome.state in ("bad", "unclear")


def _text_unknown(ran: Ran) -> bool:
    """Whether a file was edited and the log does not hold the text: two such edits are hardly the same one."""
    edited = ran.command.effect == "edit" and ran.call.line is None
    return edited and not ran.command.writes and ran.call.call.status == "completed"


def _told(output: str) -> str:
    """What a result tells, without moments, durations and white space."""
    return " ".join(_TIMES.sub("#", output[:_READ_AT_MOST]).split())
