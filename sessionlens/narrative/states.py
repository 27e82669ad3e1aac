"""What was known about a target, from when to when: the one fold that pictures and chapters share.

The rule, stated once: a check that shows the target good or bad makes it known; a change makes it *changed and
unverified*; an operation that is open makes it *unknown*, until a check or a result closes it. Reading a file
back, and nothing more, does not make a change verified.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec

from sessionlens.cache import lazy
from sessionlens.findings import Because, Finding, Place
from sessionlens.graph.events import Called, Event, Operation, Ran
from sessionlens.graph.mentions import folded, has_word, mentioned
from sessionlens.graph.session_graph import SessionGraph
from sessionlens.narrative import deeds, words
from sessionlens.narrative.views import State
from sessionlens.shell.command import Command
from sessionlens.targets import Environment, Target, names_only_address

MOST = 40
"""More subjects than this are not followed; the page says how many were left out."""

NEVER = 1 << 60
"""Stands for the position of a closing that never came."""

_RANK = {
    "service": 0,
    "k8s": 1,
    "compose": 2,
    "container": 3,
    "database": 4,
    "cloud": 5,
    "process": 6,
    "host": 8,
}
"""Of the names of one thing, the one to speak of."""


class Subject(msgspec.Struct, kw_only=True):
    """One thing that was acted on, with all its names that the session showed."""

    targets: list[Target]
    """Its names, in order of first use."""
    events: list[Ran]
    """Changes and checks of it, in order of the log."""
    operations: list[Operation]
    """Its open operations, in order."""
    worst: int = 99
    """Rank of its worst finding; 99 without any."""
    told: list[Stretch] | None = None
    """What :func:`stretches` found, once it was asked."""

    @property
    def target(self) -> Target:
        """The name to speak of: the service rather than its unit file."""
        return min(self.targets, key=lambda target: (_RANK.get(target.kind, 7), self.targets.index(target)))

    def command(self, target: Target | None = None) -> Command | None:
        """A command that names the target, for how it writes the name."""
        wanted = target if target is not None else self.target
        return next((ran.command for ran in self.events if ran.command.target == wanted), None)

    @property
    def name(self) -> str:
        """As it is spoken of, without its place."""
        return words.name_of(self.target, self.command())

    @property
    def spoken(self) -> str:
        """As it is spoken of, with its place."""
        return words.target_of(self.target, self.command())

    @property
    def name_in_code(self) -> str:
        """Its name alone, as code."""
        return words.named(self.target, self.command())

    @property
    def environment(self) -> tuple[Environment, str]:
        """The environment of its changes and what says so."""
        for ran in self.events:
            if ran.change and ran.command.environment == "production":
                return ran.command.environment, ran.command.environment_reason
        for ran in self.events:
            if ran.command.environment != "unknown":
                return ran.command.environment, ran.command.environment_reason
        return "unknown", ""

    @property
    def commands(self) -> list[Command]:
        """The commands that acted on it, in order."""
        return [ran.command for ran in self.events]


HOSTS = 6
"""Hosts of one thing that are named one by one."""


def together(subjects: Sequence[Subject]) -> str:
    """Several subjects as they are spoken of, one of the same name on several hosts once: ``\\`es\\` on \\`es1\\` and \\`es2\\```."""
    groups: dict[tuple[str, str | None, str | None], list[Subject]] = {}
    for subject in subjects:
        target = subject.target
        groups.setdefault((subject.name, target.namespace, target.context), []).append(subject)
    spoken: list[str] = []
    for group in groups.values():
        first = group[0]
        hosts = list(dict.fromkeys(one.target.host for one in group))
        if len(hosts) < 2 or None in hosts or first.target.kind == "host":
            spoken.extend(dict.fromkeys(one.spoken for one in group))
            continue
        named = [words.code(host) for host in hosts[:HOSTS] if host]
        if len(hosts) > HOSTS:
            named.append(f"{words.number(len(hosts) - HOSTS)} more hosts")
        place = words.place_of(msgspec.structs.replace(first.target, host=None))
        spoken.append(f"{first.name_in_code} on {words.listing(named)}{place}")
    return words.listing(spoken)


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """A change in what was known."""

    state: State
    """What was known from here on."""
    event: Event
    """What made it so."""


def subjects(graph: SessionGraph, findings: Iterable[Finding]) -> tuple[list[Subject], int]:
    """Everything worth following: what findings and the ledger speak of, and every changed production target.

    Also returns how many were left out because there are too many.
    """
    operations = {operation.event.seq: operation for operation in graph.ledger}
    flagged: set[tuple[str, int, str | None]] = {
        (at.session, at.message_index, at.call_id)
        for finding in findings
        for at in places_of(finding)
        if at.call_id is not None
    }
    found: list[Subject] = []
    seen: dict[Target, Subject | None] = {}
    left_out = 0
    for event in graph.events:
        if not isinstance(event, Ran) or not _worth(event, operations, flagged):
            continue
        target = event.command.target
        if target in seen:
            continue
        # What is sent to a server changes data, not the server.
        among = [s for s in found if s.target.kind == "url"] if _sent(event) else found
        home = next((s for s in among if any(graph.match(event, known) for known in s.targets[:8])), None)
        if home is not None:
            home.targets.append(target)
        elif len(found) < MOST:
            home = Subject(targets=[target], events=[], operations=[])
            found.append(home)
        else:
            left_out += 1
        seen[target] = home
    known: dict[object, list[Subject]] = {}
    for event in graph.events:
        if isinstance(event, Ran) and (event.change or event.check or event.start or event.seq in operations):
            # Sessions repeat their commands, and every command has to be held against every subject.
            key = event.seq if _by_its_time(event) else (event.command, event.outcome.also)
            about = known.get(key)
            if about is None:
                about = known[key] = [subject for subject in found if _about(graph, event, subject)]
            for subject in about:
                subject.events.append(event)
    for subject in found:
        own = {event.seq for event in subject.events}
        subject.operations = [operation for seq, operation in operations.items() if seq in own]
    return found, left_out


def places_of(finding: Finding) -> tuple[Place | Because, ...]:
    """Every place of a finding, the primary one first."""
    return (finding.at, *finding.because)


def _worth(event: Ran, operations: dict[int, Operation], flagged: set[tuple[str, int, str | None]]) -> bool:
    at = event.at
    if event.seq in operations:
        return True
    if event.command.restarts_in_effect and event.command.effect == "configure":
        # A daemon-reload only puts something else into effect.
        return False
    if not event.change or (event.command.target.kind not in _NAMELESS and not event.command.target.name):
        # What no command names cannot be followed: the next one that names none may be another.
        return False
    return event.command.environment == "production" or (at.session, at.message_index, at.call_id) in flagged


_NAMELESS = frozenset({"host", "repository", "file", "database", "compose", "k8s", "cloud"})
"""Kinds of which one is meant where none is named: this machine, this repository, this project, this cluster."""


def _sent(event: Ran) -> bool:
    """Whether a command sends data to an address."""
    return event.command.effect == "write_data" and event.command.target.kind == "url"


def _by_its_time(event: Ran) -> bool:
    """Whether what a command speaks of depends on when it ran: a bare address is the start that is open then, a log
    tells of what was changed before its last line.
    """
    return event.check and (
        event.outcome.log_time != ""
        or any(names_only_address(name) for name in (event.command.target, *event.outcome.also))
    )


def _about(graph: SessionGraph, event: Ran, subject: Subject) -> bool:
    target = event.command.target
    if target in subject.targets and (
        # A look by name may still be none at what was changed: at another table, at old lines of a log.
        event.change or event.start or not event.check or graph.match(event, target) is not None
    ):
        return True
    if _sent(event):
        return False
    if event.change and event.command.target.kind == "file" and _PROSE.search(event.command.target.name):
        # A text beside a service changes nothing of how it runs.
        return any(target.kind == "file" and graph.match(event, target) for target in subject.targets[:8])
    return any(graph.match(event, target) is not None for target in subject.targets[:8])


def history(subject: Subject) -> list[Turn]:
    """What was known of a subject, change by change. Nothing is known before the first entry."""
    ends = {
        operation.event.seq: operation.closing.seq if operation.closing is not None else NEVER
        for operation in subject.operations
    }
    line: dict[int, Event] = {event.seq: event for event in subject.events}
    for operation in subject.operations:
        if operation.closing is not None:
            line[operation.closing.seq] = operation.closing
    closings = set(ends.values())
    turns: list[Turn] = []
    state: State | None = None
    until = -1
    for seq in sorted(line):
        event = line[seq]
        new = state
        if seq in ends:
            new = "unknown"
            until = max(until, ends[seq])
        elif isinstance(event, Ran) and event.change and not deeds.records(event.command):
            new = "unknown" if seq < until else "unverified"
        elif isinstance(event, Ran) and event.check and event.call.cut_off is None and seq >= until:
            new = _after_check(event, state)
        if seq in closings and seq >= until and new == "unknown":
            # A result that came, or a check that showed nothing decisive: over, but not verified.
            new = "unverified"
        if new is not None and new != state:
            turns.append(Turn(state=new, event=event))
            state = new
    return turns


_NEAREST = 300
"""Calls that are looked at for a name, on either side."""


def touched(graph: SessionGraph, subject: Subject, event: Event, *, before: bool = False) -> bool:
    """Whether a later call (or an earlier one) may name a subject, as loosely as people speak, or a later one runs the
    tests of a file: then it is not said that nothing tells the state. What does name it is for :func:`later`.
    """
    names = frozenset(name for target in subject.targets[:8] for name in graph.names_of(target))
    is_file = any(target.kind == "file" for target in subject.targets)
    calls = graph.index("called")
    if before:
        near = calls[: bisect_left(calls, event.seq)][-_NEAREST:]
    else:
        near = calls[bisect_right(calls, event.seq) :][:_NEAREST]
    for seq in near:
        called = graph.events[seq]
        if not isinstance(called, Called):
            continue
        if is_file and not before and any(ran.command.effect == "test" for ran in graph.commands(called)):
            return True
        texts = (called.call.input, called.call.output)
        if any(text is not None and mentioned(text.ends(), names) for text in texts):
            return True
    return False


class Later(msgspec.Struct, frozen=True, kw_only=True):
    """A call after a change that may tell of it, though nothing of it was read as a check."""

    how: Literal["names", "looks", "tested", "tests", "checks", "asks"]
    """It names the thing, it looks and names it or something named after it, it runs tests and names it, it runs tests or
    a check of the whole and does not name it, it asks an address that the result of the change names.
    """
    called: Called
    """The call."""


def asked_after(graph: SessionGraph, event: Event, until: Event | None) -> Later | None:
    """The first call after a change, and before ``until``, to an address that the result of the change names."""
    called = event.call if isinstance(event, Ran) else event
    if not isinstance(called, Called) or called.call.output is None:
        return None
    hosts = list(dict.fromkeys(_SITE.findall(called.call.output.ends())))[:6]
    calls = graph.index("called") if hosts else ()
    for seq in calls[bisect_right(calls, event.seq) :][:_NEAREST]:
        later_ = graph.events[seq]
        if until is not None and seq >= until.seq:
            break
        if isinstance(later_, Called) and any(host in later_.call.input.ends() for host in hosts):
            return Later(how="asks", called=later_)
    return None


_SITE = lazy(r"https?://([\w.-]{4,200})")


def later(graph: SessionGraph, subject: Subject, event: Event) -> Later | None:
    """The first later call that names a subject as it is written: a file by its path or its own name with the ending.

    Where none does, the first later run of tests, for a source file of the own machine. A word that only sounds alike
    (``user`` for ``user.py``) names nothing.
    """
    names = frozenset(
        form
        for target in subject.targets[:8]
        for name in (
            target.name.casefold().strip(),
            words.name_of(target, subject.command(target)).casefold(),
        )
        for form in ((name,) if target.kind == "file" else (name, name.rsplit("/", 1)[-1]))
        if len(form) >= 3 and not form.isdecimal() and target.name
    )
    paths = [target.name.casefold().strip() for target in subject.targets[:8] if target.kind == "file"]
    plain = [name for name in names if name not in paths and name.isidentifier()]
    tests: Later | None = None
    whole: Later | None = None
    calls = graph.index("called")
    for seq in calls[bisect_right(calls, event.seq) :][:_NEAREST]:
        called = graph.events[seq]
        if not isinstance(called, Called):
            continue
        for text in (called.call.input, called.call.output):
            if text is not None and _names(folded(text.ends()), names, paths):
                effects = {one.command.effect for one in graph.commands(called)}
                looks = effects & {"check", "read"} and effects <= {"check", "read", "none"}
                return Later(
                    how="tested" if "test" in effects else "looks" if looks else "names", called=called
                )
            if text is called.call.input and any(_after(folded(text.ends()), name) for name in plain):
                effects = {one.command.effect for one in graph.commands(called)}
                if effects & {"check", "read"} and effects <= {"check", "read", "none"}:
                    return Later(how="looks", called=called)
        for one in graph.commands(called):
            if tests is None and one.command.effect == "test":
                tests = Later(how="tests", called=called)
            elif (
                whole is None
                and one.command.effect == "check"
                and _WHOLE.intersection(one.command.words[1:4])
            ):
                whole = Later(how="checks", called=called)
    source = any(_SOURCE.search(path) for path in paths)
    if not source or subject.environment[0] not in ("local", "development"):
        return None
    return tests or whole


_WHOLE = frozenset({"check", "lint", "validate", "verify"})
"""Verbs of programs that look at a whole project."""


_SOURCE = lazy(r"\.(?!(?:md|rst|txt|adoc|log|pem|key|crt|lock)$)[a-z]\w{0,7}$")
"""Endings of files that tests may run or read; of prose they tell nothing."""
_PROSE = lazy(r"(?:\.(?:md|mdx|rst|txt|adoc)|(?:^|/)(?:LICENSE|NOTICE|README))$", re.IGNORECASE)
_MOST_PLACES = 50


def _names(text: str, names: frozenset[str], paths: Sequence[str]) -> bool:
    """Whether a text in lower case holds a name as a word, or a path by its end: not another file of the same name."""
    if any(name in text and has_word(text, name) for name in names if name not in paths):
        return True
    for path in paths:
        base = path.rsplit("/", 1)[-1]
        if len(base) < 3 or "*" in base or base not in text:
            continue
        at = text.find(base)
        for _ in range(_MOST_PLACES):
            if at < 0:
                break
            start, end = at, at + len(base)
            while start and start > at - 200 and (text[start - 1].isalnum() or text[start - 1] in "/._-~"):
                start -= 1
            written = text[start:end].removeprefix("./").lstrip("/")
            after = text[end : end + 2]
            whole = not (after[:1].isalnum() or after[:1] in ("-", "_")) and not (
                after[:1] == "." and after[1:].isalnum()
            )
            own = path.removeprefix("./").lstrip("/")
            if whole and (_ends_with(own, written) or _ends_with(written, own)):
                return True
            at = text.find(base, at + 1)
    return False


def _after(text: str, name: str) -> bool:
    """Whether a text in lower case holds something that is named after a thing: ``kafka-consumer`` after ``kafka``."""
    at = text.find(f"{name}-")
    before = text[max(0, at - 1) : at]
    return at >= 0 and not before.isalnum() and before not in ("-", "_", ".")


def _ends_with(path: str, end: str) -> bool:
    """Whether a path ends with another one, part by part."""
    return path == end or path.endswith(f"/{end}")


def check_of(event: Event | None) -> str | None:
    """What an event shows as a check: good, bad or unclear; ``None`` when it is none."""
    return event.outcome.state if isinstance(event, Ran) and event.check else None


_BUILT = lazy(
    r"(?:^|[\s;])\\d\+?\s|(?:^|;)\s*(?:desc(?:ribe)?\s+\w|show\s+(?:full\s+)?(?:create|tables|columns|index)|\.schema\b|\.tables\b)"
    r"|\binformation_schema\b|\bpragma\s+table_info\b",
    re.IGNORECASE,
)


def of_structure(event: Event | None) -> bool:
    """Whether a check of a database looks at how its tables are built: that tells nothing of their content."""
    if not isinstance(event, Ran) or not event.check or event.command.target.kind != "database":
        return False
    return any(_BUILT.search(word) is not None for word in event.command.words[1:])


def quote_of(event: Event | None) -> str:
    """The exact words that a check shows it by; empty for other events."""
    return event.outcome.quote if isinstance(event, Ran) and event.check else ""


def _after_check(event: Ran, state: State | None) -> State | None:
    shown = event.outcome.state
    if shown == "bad":
        return "bad"
    if shown == "good" and not event.outcome.in_progress:
        if event.command.check_strength in ("read_back", "presence"):
            # That something is there, or what it holds, does not make it good.
            return "unverified" if state in ("unverified", "unknown") else state
        return "good"
    return state


class Stretch(msgspec.Struct, frozen=True, kw_only=True):
    """A time during which one thing was known."""

    state: State
    """What was known."""
    begin: Event
    """What began it."""
    end: Event | None
    """What ended it; ``None`` at the session's end."""
    messages: int
    """Messages strictly between, of the session it began in."""
    milliseconds: int | None
    """How long; ``None`` without times."""


def first_of(graph: SessionGraph, followed: Sequence[Subject], most: int) -> list[Subject]:
    """Of more subjects than fit, those that matter most, in their order: with a worse finding, last seen bad, left
    open or unchecked, with more open operations.
    """
    if len(followed) <= most:
        return list(followed)
    ranked = sorted(
        range(len(followed)),
        key=lambda at: (
            followed[at].worst,
            _standing(graph, followed[at]),
            -len(followed[at].operations),
            at,
        ),
    )
    return [followed[at] for at in sorted(ranked[:most])]


def _standing(graph: SessionGraph, subject: Subject) -> int:
    """How a subject stands at the end: 0 bad, 1 open, 2 changed and unchecked, 3 bad before, 4 otherwise."""
    states = [stretch.state for stretch in stretches(graph, subject)]
    last = states[-1] if states else ""
    if last == "bad":
        return 0
    if any(operation.closing is None for operation in subject.operations):
        return 1
    if last in ("unknown", "unverified"):
        return 2
    return 3 if "bad" in states else 4


def stretches(graph: SessionGraph, subject: Subject) -> list[Stretch]:
    """The history as stretches with their lengths, computed once."""
    if subject.told is None:
        subject.told = _stretches(graph, subject)
    return subject.told


def _stretches(graph: SessionGraph, subject: Subject) -> list[Stretch]:
    turns = history(subject)
    found = []
    for position, turn in enumerate(turns):
        following = turns[position + 1].event if position + 1 < len(turns) else None
        start = graph.moment(turn.event)
        stop = graph.finished(following) if following is not None else graph.ended
        found.append(
            Stretch(
                state=turn.state,
                begin=turn.event,
                end=following,
                messages=between(graph, turn.event, following),
                milliseconds=stop - start
                if start is not None and stop is not None and stop >= start
                else None,
            )
        )
    return found


def between(graph: SessionGraph, begin: Event, end: Event | None) -> int:
    """Messages strictly between two events, counted in the session that both are in, else by their openings."""
    if end is not None and end.at.session == begin.at.session:
        return max(0, end.at.message_index - begin.at.message_index - 1)
    last = end.seq if end is not None else len(graph.events)
    opened = bisect_left(graph.openings, last) - bisect_right(graph.openings, begin.seq)
    return max(0, opened - (1 if end is not None else 0))
