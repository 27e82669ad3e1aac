"""What the result of a call shows about each of its commands (CONTRACT §1 *check*, *open operation*).

The output of a line is one text by several commands. Who said what is decided from the strongest sign down
(``reach.py``); the shapes of output that programs have are data (``outcomes.toml``). What cannot be attributed
shows nothing.
"""

from __future__ import annotations

import re
from itertools import islice, pairwise
from typing import Literal, NamedTuple

from msgspec.structs import replace

from sessionlens.cache import lazy
from sessionlens.shell.command import CHANGES, STARTS, Command, How, Outcome
from sessionlens.shell.messages import refusal, refused_request
from sessionlens.shell.not_done import NotDone, does, not_done
from sessionlens.shell.plays import PLAYS, nothing_played
from sessionlens.shell.reach import (
    Known,
    Line,
    company,
    part_by_complaint,
    part_of,
    read_complaints,
    read_exit,
    read_failed_check,
    read_markers,
    settle_reached,
)
from sessionlens.shell.result import (
    BACKGROUND,
    CLIENT_END,
    CLIENT_HEAD,
    OMITTED,
    QUOTED,
    READ,
    Row,
    State,
    clean,
    connection_lost,
    find,
    never_up,
    outcome_table,
    possible,
    quote_of,
    row_of,
    stands,
)
from sessionlens.shell.rounds import names_of_rounds
from sessionlens.shell.servers import words_of
from sessionlens.shell.shapes import Gated
from sessionlens.shell.shown import shown_content, shown_ids, shown_names
from sessionlens.shell.times import newest_time, up_for, youngest
from sessionlens.shell.transactions import rolled_back

__all__ = ["Shown", "connection_lost", "judge", "left_open", "parts"]


def judge(
    commands: tuple[Command, ...],
    output: str,
    *,
    exit: int | None,
    status: str,
    cut_off: bool = False,
    interrupted: bool = False,
    error: str | None = None,
) -> tuple[Outcome, ...]:
    """What a result shows of each command, in order; ``()`` for no commands.

    ``output`` is what the log shows of the result (of a long one, its two ends), ``error`` what the client
    reported instead of or besides it, ``exit`` the exit code where one was recorded, ``status`` the call's
    (``pending``, ``running``, ``completed``, ``error``). ``cut_off`` and ``interrupted`` say that the client or
    the person ended the call.
    """
    if not commands:
        return ()
    read = _read(commands, output, exit, status, cut_off=cut_off, interrupted=interrupted, error=error)
    if isinstance(read, Line):
        outcomes = [_outcome(read, index, status) for index in range(len(commands))]
        if read.rounds:
            _share_out(read, outcomes, status)
        return tuple(outcomes)
    refused = Outcome(reached="no", completed="no", failed=True, changed_nothing=True, quote=read)
    return tuple(refused for _ in commands)


def _share_out(line: Line, found: list[Outcome], status: str) -> None:
    """Of rounds of a loop of which the output, or the exit code, does not tell which one went wrong, leave it open which."""
    told = None if line.coded is None else found[line.coded]
    if line.coded is not None:
        line.success[line.coded], line.exit_of = None, None
        found[line.coded] = _outcome(line, line.coded, status)
    parts_of_one: set[tuple[object, ...]] = set()
    for group in line.rounds:
        names = dict(zip(group, names_of_rounds(line.commands, group), strict=True))
        alike_parts: dict[tuple[object, ...], list[int]] = {}
        for index in group:
            if index not in line.told and index not in line.accused and index not in line.unnamed:
                alike_parts.setdefault((line.bounds[index], line.own.get(index)), []).append(index)
        for alike in alike_parts.values():
            among = tuple(dict.fromkeys(names[index] for index in alike))
            ill = [index for index in alike if _ill(found[index])]
            if not ill or len(among) < 2:
                continue
            first = replace(found[ill[0]], among=among)
            for index in alike:
                found[index] = left_open(found[index])
            found[ill[0]] = first
            parts_of_one.add((line.bounds[alike[0]], line.own.get(alike[0])))
    for index in line.round_of if parts_of_one else ():
        if found[index].state == "good" and (line.bounds[index], line.own.get(index)) in parts_of_one:
            # What is well there may be another round's.
            found[index] = left_open(found[index])
    if line.coded is None or told is None or any(_ill(found[index]) for index in line.round_of):
        return
    if _ill(told):
        # The code alone: it names none of them.
        members = names_of_rounds(line.commands, line.round_of[line.coded])
        found[line.coded] = replace(told, among=tuple(dict.fromkeys(members)), quote="")


def _ill(outcome: Outcome) -> bool:
    return outcome.failed or outcome.state == "bad"


def left_open(outcome: Outcome) -> Outcome:
    """What is left of an outcome where the output may be another command's."""
    return replace(
        outcome,
        reached="yes",
        completed="unknown",
        failed=False,
        changed_nothing=False,
        not_done="",
        partly=False,
        state=None if outcome.state is None else "unclear",
        quote="",
        among=(),
    )


class Shown(NamedTuple):
    """What one command of a line printed, as far as that can be told apart."""

    text: str
    """Its part of the output; of what went through a filter, what the filter let through."""
    success: bool | None
    """Whether it succeeded, as far as that is known; of what went through a filter, whether that found something."""
    over: bool
    """Whether it surely came to its end."""
    sought: str | None
    """The words of the ``grep`` that its output went through, empty for another filter; ``None`` for no filter."""
    whole: bool
    """Whether nothing of the output is left out of the log."""


def parts(
    commands: tuple[Command, ...],
    output: str,
    *,
    exit: int | None,
    status: str,
    cut_off: bool = False,
    interrupted: bool = False,
    error: str | None = None,
) -> tuple[Shown, ...]:
    """What each command of a line printed; the arguments are those of :func:`judge`. Empty where the call never ran."""
    read = _read(commands, output, exit, status, cut_off=cut_off, interrupted=interrupted, error=error)
    if not isinstance(read, Line):
        return ()
    return tuple(_shown(read, index) for index in range(len(commands)))


def _shown(line: Line, index: int) -> Shown:
    sought, last = None, index
    while line.piped[last]:
        last += 1
        grep = line.commands[last].program in ("grep", "egrep", "fgrep", "rg", "findstr", "Select-String")
        plain = [word for word in line.commands[last].words[1:] if not word.startswith("-")]
        counts = any(re.fullmatch(r"-\w*[cvqoL]\w*", word) for word in line.commands[last].words[1:])
        sought = plain[0].strip("'\"") if grep and len(plain) == 1 and not counts and sought is None else ""
    text = part_of(line, index)
    success = line.success[last] if sought else line.success[index]
    return Shown(text, success, line.over[index], sought, OMITTED.search(line.text) is None)


def _read(
    commands: tuple[Command, ...],
    output: str,
    exit: int | None,
    status: str,
    *,
    cut_off: bool,
    interrupted: bool,
    error: str | None,
) -> Line | str:
    """A line with all that its result shows; the words of the refusal where it never ran."""
    raw = output if not error or error in output else f"{output}\n{error}"
    head, tail = CLIENT_HEAD.match(raw[:400]), CLIENT_END.search(raw[-200:])
    if exit is None and (head or tail):
        exit = int((head and (head["claude"] or head["codex"])) or (tail and tail[1]) or 0)
    text = clean(raw[head.end() :] if head else raw)
    background = stands(BACKGROUND, raw) and (
        BACKGROUND.pattern.search(raw[:2000]) or BACKGROUND.pattern.search(raw[-2000:])
    )
    lost = connection_lost(raw, exit)
    ended = status in ("completed", "error") and not (cut_off or interrupted or background or lost)
    rejected = outcome_table().common.rejected
    if (
        ended
        and (status == "error" or exit is None)
        and possible(rejected, text)
        and (refused := find(rejected, text[:1000]))
    ):
        return quote_of(text, refused)
    line = Line(commands, text, exit, ended=ended, lost=lost)
    read_markers(line)
    read_exit(line)
    read_complaints(line, status)
    part_by_complaint(line)
    read_failed_check(line)
    _read_shown(line)
    settle_reached(line)
    return line


# -- lines that were ended -------------------------------------------------------------------------------

_SHOWS = frozenset({"cat", "head", "tail", "sed", "awk", "jq", "yq", "ls", "grep", "egrep", "wc", "date", "hostname", "uname",
                    "whoami", "uptime", "md5sum", "sha256sum", "sha1sum", "stat", "diff", "readlink", "id"})  # fmt: skip
"""Programs that show what there is and are over at once."""
_MOST_SHOWN = 20
"""Commands of a line that are asked whether they printed what there is."""
_GOES_ON = lazy(r"-(?!-)\w*[fFrR]\w*|--(?:follow|recursive|retry)\b.*")


def _read_shown(line: Line) -> None:
    """Of a line that was ended, what its output shows to be over: the part that printed it, and all before that."""
    count = len(line.commands)
    last = count - 1
    while last > 0 and (line.filter(last) or line.echo(last)):
        last -= 1
    if line.ended or not line.text.strip():
        return
    candidates = (index for index in range(last) if line.commands[index].program in _SHOWS)
    shown = next((index for index in islice(candidates, _MOST_SHOWN) if _shows(line, index, last)), -1)
    for index in range(last - 1, max(shown, last - _MOST_SHOWN), -1):
        if _shows_end(line, index):
            shown = index
            break
    # What was found on the way rests on what is settled only now.
    line.companies.clear()
    for index in range(shown + 1):
        line.over[index] = line.over[index] or not line.commands[index].detached
    at = shown
    while at >= 0:
        command = line.commands[at]
        if command.runs_if != "after_failure":
            line.reached[at] = "yes"
            if not line.piped[at] and line.success[at] is None and at not in line.complaints:
                line.success[at] = True
        if command.runs_if != "after_success":
            break
        at -= 1


def _shows(line: Line, index: int, last: int) -> bool:
    """Whether a program that only shows things printed what there is, and nothing that stands before or after it did."""
    command = line.commands[index]
    if command.quiet or command.effect in CHANGES or command.detached:
        return False
    if any(_GOES_ON.fullmatch(word) for word in command.words[1:]):
        return False
    around = [
        other for other in range(last + 1) if line.bounds[other] == line.bounds[index] and other != index
    ]
    if any(other < index and line.commands[other].effect in STARTS for other in around):
        return False
    rows = [row for other in around if (row := row_of(line.commands[other].words)) is not None]
    shapes = tuple(
        shape for row in rows for shape in (*row.completed, *row.progress, *row.failed, *row.nothing)
    )
    own = (one[:1000] for one in part_of(line, index).split("\n")[:200] if one.strip())
    return any(find(shapes, one) is None and find(outcome_table().common.failed, one) is None for one in own)


def _shows_end(line: Line, index: int) -> bool:
    """Whether a change says by itself that it came to its end, and no other command of the line says the same words."""
    command, row = line.commands[index], row_of(line.commands[index].words)
    if (
        row is None
        or row.each
        or row.taken
        or command.quiet
        or command.detached
        or command.effect not in CHANGES
    ):
        return False
    if command.effect in STARTS or company(line, index)[0] > 1:
        return False
    text = part_of(line, index)
    done, moving = find(row.whole or row.completed, text, last=True), find(row.progress, text, last=True)
    return done is not None and (moving is None or moving.start() < done.start())


# -- one command --------------------------------------------------------------------------------------


def _outcome(line: Line, index: int, status: str) -> Outcome:
    command = line.commands[index]
    if line.echo(index):
        done: Known = (
            "yes" if line.marks[index] or (line.ended and line.reached[index] == "yes") else "unknown"
        )
        return Outcome(reached=line.reached[index], completed=done)
    row = row_of(command.words)
    text = part_of(line, index)
    expired, code_quote = _expired(line, index)
    kind, complaint = line.complaints.get(index, ("", ""))
    reached = line.reached[index]
    if reached == "no":
        # Where the same look reached other hosts, one that cannot be reached is found bad; one that lets nobody in
        # tells nothing but that it is there.
        apart = kind == "never" and index in line.answered and command.check_strength is not None
        shut = apart and _SHUT.search(complaint) is not None
        return Outcome(
            reached="no",
            completed="no",
            failed=bool(kind) and not apart,
            changed_nothing=command.effect in CHANGES,
            state="unclear" if shut else "bad" if apart else None,
            unanswered=shut,
            quote=complaint,
        )
    if command.check_strength is not None or command.effect in ("check", "read"):
        return _checked(line, index, row, text, expired=expired, code_quote=code_quote)
    return _changed(line, index, row, text, status=status, expired=expired, code_quote=code_quote)


_SHUT = lazy(
    r"permission denied|host key verification|authentication failure|no matching (?:host key|key exchange|cipher)|bad permissions|invalid format",
    re.IGNORECASE,
)
"""Why a host that is up does not let in who asks."""
_PARTLY = lazy(
    r"\bchanged=[1-9]|^[\w./-]+/[\w.:-]+ (?:configured|created|patched|deleted|scaled)[ \t]*$"
    r"|: (?:Creation|Modifications|Destruction) complete after ",
    re.MULTILINE,
)
"""What Ansible, kubectl and Terraform say of each thing that they have changed."""


def _expired(line: Line, index: int) -> tuple[bool, str]:
    """Whether the command's own time limit ran out: ``timeout`` exits with 124 (137 after ``-s KILL``)."""
    command = line.commands[index]
    if command.limit_s is None:
        return False, ""
    killed = any(
        re.search(r"\btimeout\b.*(?:-s\s*(?:KILL|9)|--signal=?\s*(?:KILL|9)|-k\b|--kill-after)", v)
        for v in command.via
    )
    codes = (124, 137) if killed else (124,)
    echoed = line.echoed_codes.get(index)
    if echoed is not None and echoed[0] in codes:
        return True, echoed[1]
    if line.exit in codes and line.success[index] is not True:
        later = [i for i in range(index + 1, len(line.commands)) if line.commands[i].limit_s is not None]
        return not (
            later and line.reached[later[-1]] == "yes" and line.commands[later[-1]].runs_if == "always"
        ), ""
    loose = re.search(
        r"(?:\b(?:exit|rc|ret|status|code|exited|return(?:ed)?|Rückgabewert|código|код|退出码)\b\W{0,10}|timed out\W{1,5})124\b",
        line.text, re.IGNORECASE,
    )  # fmt: skip
    if loose and line.success[index] is not True and sum(c.limit_s is not None for c in line.commands) == 1:
        return True, loose.group()
    return False, ""


def _changed(
    line: Line, index: int, row: Row | None, text: str, *, status: str, expired: bool, code_quote: str
) -> Outcome:
    """The outcome of a change, or of a command that is neither change nor check."""
    command = line.commands[index]
    kind, complaint = line.complaints.get(index, ("", ""))
    if kind != "never" and _others_out_of_reach(line, index):
        # What is said of a host that was not reached is said of no other.
        text = "\n".join(one for one in text.split("\n") if never_up(one[:1000]) is None)
    success = line.success[index]
    quote = code_quote
    failed = kind in ("failed", "nothing", "never") and success is not True
    nothing = kind in ("nothing", "never") and success is not True and command.effect in CHANGES
    shown: Known | None = None
    progress = idled = False
    speaks = not command.quiet and _speaks_for_itself(line, index, row)
    led_on = _led_on(line, index, row)
    half = not line.ended and command.effect in STARTS
    if row is not None and text.strip() and speaks:
        trusted = success is True and not row.careless
        ended = _without_stops(text) if half else text
        found = find(row.completed, ended) if success is not False else None
        bad = find(row.failed, text) if not trusted or command.detached else None
        none = find(row.nothing, text) if not trusted else None
        if led_on and (bad is not None or none is not None):
            # In a chain the failure is the last command's: the earlier ones led on to it.
            bad = none = None
        if none is not None and found is None:
            failed, nothing, complaint = True, command.effect in CHANGES, quote_of(text, none)
        elif bad is not None:
            failed, nothing, complaint = True, nothing and failed, quote_of(text, bad)
        elif (idle := find(row.idle, ended)) is not None and (found is None or found.start() >= idle.start()):
            nothing, idled, shown, quote = True, True, "yes", quote or quote_of(text, idle)
        elif found is not None:
            shown, quote = "yes", quote or quote_of(ended, found)
        moving = find(row.progress, text, last=True) if not failed else None
        if shown == "yes" and moving is not None and not line.ended:
            # Of what the limit ended, the last word counts: one container started, the next still starting.
            done = find(row.completed, text, last=True)
            if done is not None and moving.start() > done.start():
                shown, quote = None, ""
        if shown is None and moving is not None:
            progress, quote = True, quote or quote_of(text, moving)
    if failed and not quote:
        quote = complaint
    if nothing and not shown and _piecemeal(command, quote):
        nothing = False
    if shown == "yes" and row is not None and row.whole and not line.ended and find(row.whole, text) is None:
        # What is said of each step tells nothing of those that would have followed.
        shown = None
    if shown is None and half and not failed and (ready := _came_up(command, text)) is not None:
        shown, progress, quote = "yes", False, ready
    if shown == "yes" and row is not None and row.each and half and _of_several(command, text):
        shown = None
    if shown == "yes" and row is not None and row.taken and (not line.ended or command.effect in STARTS):
        shown = "unknown"
    if success is False:
        failed = True
    elif command.says is not None and not failed and (refused := refusal(text, command.says)):
        # A server that took no message says so in its answer, whatever the client exits with.
        failed, nothing, shown, quote = True, command.effect in CHANGES, None, refused
    elif (
        command.target.kind == "url"
        and command.effect in CHANGES
        and not failed
        and line.ended
        and (refused := _refused(command, text))
    ):
        failed, nothing, shown, quote = True, True, None, refused
    if command.effect in ("write_data", "migrate", "delete", "create") and rolled_back(command, text):
        nothing = True
    if command.dry_run or (command.effect in CHANGES and not shown and _dry(text)):
        nothing = True
    left: How | Literal[""] = ""
    if (
        not failed
        and not expired
        and (said := _not_done(line, index, text, idle=idled and command.effect != "write_data"))
    ):
        left, quote = said
        nothing = command.effect in CHANGES
    if status == "error" and line.exit is None and len(line.commands) == 1 and line.ended:
        failed, nothing, shown = True, command.effect == "edit" or nothing, None
        quote = quote or line.text.strip().split("\n")[0][:QUOTED]
    if failed and command.effect in ("restart", "reload", "start", "stop") and row is not None and row.silent:
        nothing = nothing and bool(find((*row.nothing, *outcome_table().common.nothing), text))
    completed = _completed(line, index, failed=failed or expired, shown=shown, progress=progress)
    if expired:
        # The limit ended the command, not its own failure: what it began may go on.
        failed = nothing = False
    unanswered = command.effect in STARTS and _unanswered(line, index, text, status)
    if unanswered:
        completed, failed, nothing, quote = "unknown", False, False, quote or complaint
    partly = failed and command.effect in CHANGES and _PARTLY.search(text) is not None
    nothing = nothing and not partly
    began = line.reached[index] == "yes" or shown is not None or progress
    return Outcome(
        reached="yes" if began else line.reached[index],
        completed=completed,
        failed=failed,
        changed_nothing=nothing,
        # A dry run that fails, or says that it would not have, did nothing either.
        not_done="dry" if command.dry_run else "" if failed or expired or unanswered else left,
        partly=partly,
        in_progress=progress,
        quote=quote[:QUOTED],
        expired=expired,
        unanswered=unanswered,
        also=tuple(shown_names(line, index, text)),
        ids=() if failed or nothing else shown_ids(line, index, text),
        content=shown_content(line, index, text) if command.effect == "none" else "",
    )


def _refused(command: Command, text: str) -> str:
    """The words by which a server says that it did not do what a request asked for: an error, or its status."""
    if (coded := _printed_code(command, text)) is not None:
        return quote_of(coded.string, coded) if coded.group(1)[0] in "45" else ""
    return refused_request(text)


def _not_done(line: Line, index: int, text: str, *, idle: bool) -> NotDone | None:
    """How the result of a command says that nothing was done, where what it says is surely of this command."""
    command = line.commands[index]
    if command.effect not in CHANGES and (command.effect != "none" or command.program in _SHOWS):
        return None
    if not line.ended or line.success[index] is False or len(line.commands) > _MOST_BESIDE:
        return None
    if command.program in PLAYS and not command.dry_run and (played := nothing_played(text)) is not None:
        return played
    if idle:
        return None
    bounds = line.bounds[index]
    beside = (
        other
        for other in range(len(line.commands))
        if other != index and line.bounds[other] == bounds and not (line.echo(other) or line.filter(other))
    )
    if index not in line.own and any(line.commands[other].effect not in ("read", "edit") for other in beside):
        return None
    verbs = [word for each in command.words[:_VERBS] for word in words_of(each)]
    if command.effect == "none" and not does(verbs):
        return None
    if (said := not_done(text, verbs, writes=command.effect == "edit")) is not None:
        # That a table was made affects no row.
        rows = said.how == "nothing" and command.effect in ("create", "migrate") and "row" in said.quote
        return None if rows or (command.effect == "edit" and line.success[index] is True) else said
    return NotDone("dry", "") if command.dry_run else None


_MOST_BESIDE = 50
"""Commands of a line among which one is the only one that speaks."""
_VERBS = 6
"""Words of a command that may say what it does."""


def _others_out_of_reach(line: Line, index: int) -> bool:
    """Whether another host of the line was not reached."""
    host = line.commands[index].target.host
    if not host or not line.complaints:
        return False
    return any(
        kind == "never" and line.commands[other].target.host not in (host, None)
        for other, (kind, _) in islice(line.complaints.items(), _MOST_SHOWN)
    )


_READY = Gated(
    r"\bready (?:in|on|at|for|to accept)\b|\bcompiled (?:successfully|in \d|client)|\bstartup complete\b|\bserver is (?:fired up|running|up|ready|listening)\b"
    r"|\b(?:listening|running|serving|served|started|available|accessible|accepting connections|local)\b[^\n]{0,60}?(?:https?://|\bport:? ?\d|[\d\]*]:\d{2,5}\b)"
    r"|\bstarting development server at\b|\bstarted \w+ in [\d.]+ ?s|\bbooting worker\b|^\s*Ready!?\s*$",
    re.IGNORECASE | re.MULTILINE,
)
"""How servers of all makes say that they answer."""
_BROKE = lazy(
    r"EADDRINUSE|address already in use|\b(?:fatal|panic|traceback)\b|exited with code [1-9]|failed to (?:compile|start)|cannot find module",
    re.IGNORECASE,
)


def _came_up(command: Command, text: str) -> str | None:
    """The words by which a server that runs in the foreground says that it is up, where nothing after them says otherwise."""
    if command.effect != "start" or not command.long_running or command.quiet or command.dry_run:
        return None
    found = None
    for found in _READY.finditer(text[-2 * READ :]):  # noqa: B007
        pass
    if found is None or _BROKE.search(text[-2 * READ :], found.end()) is not None:
        return None
    return found.group().strip()[:QUOTED]


def _of_several(command: Command, text: str) -> bool:
    """Whether a start acts on several things and what it printed may be about some of them only."""
    words = [word for word in command.words[1:] if not word.startswith("-")]
    program = command.program
    if program in ("ansible", "ansible-playbook"):
        return "PLAY RECAP" not in text
    if program == "gitlab-ctl" and len(words) == 1:
        return True
    if any(word == "all" or "*" in word or "$(" in word for word in words):
        return True
    return len(words) > 2 and re.search(rf"(?<![\w.-]){re.escape(words[-1])}(?![\w.-])", text) is None


_STOPS = lazy(
    r"\bstop(?:p(?:ed|ing))?\b|\bshut(?:ting)?[ -]?down\b|\b(?:terminat|kill)(?:ed|ing)\b", re.IGNORECASE
)
_STARTED = lazy(r"start|running|online|\bup\b", re.IGNORECASE)
_VERDICT = lazy(r"\W*(?:done|ok)\W*", re.IGNORECASE)


def _without_stops(text: str) -> str:
    """What was printed, without what tells of the stop that a restart begins with, and that stop's own verdict."""
    kept: list[str] = []
    stopping = False
    for one in text.split("\n"):
        shown = one[:1000]
        if stopping and _VERDICT.fullmatch(shown):
            continue
        stopping = _STOPS.search(shown) is not None and _STARTED.search(shown) is None
        if not stopping:
            kept.append(one)
    return "\n".join(kept)


_GATEWAY = Gated(
    r"\b(?:504|524)\b[^\n]{0,40}\b(?:gateway|time-?d? ?out)|gateway[ -]?time-?d? ?out|status (?:code )?(?:504|524)\b"
    r"|\"?status_?(?:code)?\"?: ?\"?(?:504|524)\b|^(?:HTTP/[\d.]+ )?(?:504|524)\b|upstream request timeout|error code: 524\b",
    re.IGNORECASE | re.MULTILINE,
)
"""What a gateway says that gave up on what stands behind it."""
_BROKEN = lazy(
    r"^curl: \((?:28\) Operation timed out|28\) Timeout was reached|52\)|55\)|56\))|Read timed out|Remote end closed connection",
    re.MULTILINE,
)
"""What a client says whose request was sent and never answered."""


def _unanswered(line: Line, index: int, text: str, status: str) -> bool:
    """Whether a request went out and no answer came, so that its effect is not known."""
    command = line.commands[index]
    if command.target.kind == "url":
        return _GATEWAY.search(text[:READ]) is not None or _BROKEN.search(text[-READ:]) is not None
    return command.script and status == "error" and _GATEWAY.search(text[:READ]) is not None


_SCRIPTED = frozenset(
    {"psql", "mysql", "mariadb", "sqlite3", "mongosh", "mongo", "sqlcmd", "clickhouse-client"}
)
_STATEMENTS = frozenset(
    {"-c", "--command", "-e", "--execute", "--eval", "-Q", "-q", "--single-transaction", "-1"}
)
_NO_SESSION = lazy(
    r"connect|authentication|access denied|unknown database|FATAL|database .{1,80} not exist", re.IGNORECASE
)


def _piecemeal(command: Command, quote: str) -> bool:
    """Whether a script of several statements failed, so that those before the failing one may stand."""
    several = command.program in _SCRIPTED and not _STATEMENTS & set(command.words)
    return several and not _NO_SESSION.search(quote)


def _dry(text: str) -> bool:
    return find(outcome_table().common.dry, text) is not None


def _speaks_for_itself(line: Line, index: int, row: Row | None) -> bool:
    """Whether no other command of the same row shares the command's part of the output, or all share its fate.

    Two restarts in one line say the same words: what one of them says is not taken for the other, unless the
    line ended well.
    """
    count, one_fate, _ = company(line, index)
    return row is None or count <= 1 or line.exit == 0 or one_fate


def _led_on(line: Line, index: int, row: Row | None) -> bool:
    """Whether a later command of the same row depends on this one and shares its part of the output."""
    if row is None or line.success[index] is False:
        return False
    for later in range(index + 1, len(line.commands)):
        if line.commands[later].runs_if != "after_success":
            return False
        if row_of(line.commands[later].words) is row:
            return line.reached[later] != "no"
    return False


def _completed(line: Line, index: int, *, failed: bool, shown: Known | None, progress: bool) -> Known:
    command = line.commands[index]
    if failed:
        return "no"
    if shown is not None and (line.ended or line.success[index] is not False):
        return shown
    if progress:
        return "no"
    if command.detached or command.effect == "reboot":
        # That a reboot was ordered does not show that the host is back.
        return "unknown"
    if line.success[index] is True:
        return "yes"
    if line.over[index] and line.reached[index] == "yes":
        return "yes"
    # Where a line was ended, its last command surely did not complete; an earlier one may have.
    last = index == len(line.commands) - 1
    return "no" if last and not line.ended and line.reached[index] == "yes" else "unknown"


_AGED = lazy(
    r"(?:\S*/)?(?:systemctl (?:--\S+ )?status|(?:docker|podman|nerdctl) (?:ps|container)|(?:docker|podman)(?:-compose| compose) ps|(?:kubectl|oc)\b)"
)
"""Checks that say for how long what they show is up."""


def _last_round(line: Line, index: int, row: Row | None, visible: str) -> str:
    """What a check in a loop that waits printed after its last bad round; empty where no round was bad or the last one was."""
    common = outcome_table().common
    shapes = (*(row.bad if row is not None else ()), *common.failed, *common.nothing, *common.never_up)
    others = any(
        not (number == index or line.echo(number) or command.quiet or command.program in _NO_OUTPUT)
        for number, command in enumerate(line.commands)
    )
    if not others:
        # What the loop prints stands between the rounds, and parts none of them from the command.
        visible = line.text
    if not possible(shapes, visible):
        return ""
    shown = visible.split("\n")[-_MOST_ROWS:]
    bad = next((at for at in range(len(shown) - 1, -1, -1) if find(shapes, shown[at][:1000]) is not None), -1)
    printed = [
        " ".join(command.words[1:]) for number, command in enumerate(line.commands) if line.echo(number)
    ]
    counts = any("$" in words for words in printed)
    heads = tuple(head for words in printed if (head := words.partition("$")[0].strip()))
    rest = "\n".join(
        one
        for one in shown[bad + 1 :]
        if one.strip() and not one.strip().startswith(heads) and not (counts and one.strip().isdecimal())
    )
    shared = others and (row is None or find(row.good, rest) is None)
    return rest if bad >= 0 and not shared else ""


_NO_OUTPUT = frozenset(
    {"sleep", "break", "continue", "exit", "return", "true", "false", ":", "[", "test", "seq", "cd", "export", "set"}
)  # fmt: skip
"""Programs of a loop that print nothing, or into the loop's own head."""


def _checked(
    line: Line, index: int, row: Row | None, text: str, *, expired: bool, code_quote: str
) -> Outcome:
    """The outcome of a check: what it shows of its target, if anything."""
    command = line.commands[index]
    success = line.success[index]
    kind, complaint = line.complaints.get(index, ("", ""))
    over = line.over[index]
    visible = "" if command.quiet and index not in line.own else _visible(line, index, text)
    if command.again and over and (rest := _last_round(line, index, row, visible)):
        # What a loop waited for came in the end.
        visible = text = rest
        kind, complaint, success = "", "", None
    silent = index in line.silent
    state: State | None = None
    progress, quote = False, code_quote
    code: int | None = line.echoed_codes[index][0] if index in line.echoed_codes else None
    if code is None and index == line.exit_of:
        code = line.exit
    if visible.strip():
        state, progress, quote = _shown_state(command, row, visible, success, quote)
        alone = not _beside(visible, complaint)
        waited = progress and row is not None and row.unfinished
        if kind and success is not True and state != "bad" and not waited and (alone or success is False):
            state, progress, quote = "bad", False, complaint
        elif state is None:
            state = _plain_state(command, success, kind if alone else "")
        if waited:
            # A rollout or pipeline that is still under way is no finished check (CONTRACT §1).
            state = None
        if _only(row.heads if row is not None else (), visible):
            filtered = any(word.startswith(("status=", "health=", "--status")) for word in command.words)
            state, progress = "unclear" if filtered else "bad", False
        if row is not None and _only(row.hollow, visible):
            state, progress = None, False
        if not over and not _printed_before_the_end(line, index, row, visible):
            # A check that was cut off is none (CONTRACT §1), also when it had begun to print.
            state = None
    elif code is not None and row is not None and str(code) in row.exits and over:
        state = row.exits[str(code)]
    elif success is None and over and text.strip() and not line.complaints and _opens_way(line, index):
        state = "good"
    elif (command.verdict_by_exit or index in line.told) and success is not None and over:
        state = "good" if success else "bad"
    elif (
        success is False
        and over
        and command.check_strength in ("exercise", "state")
        and code not in (None, 124)
    ):
        state = "bad"
    if index in line.unnamed and not kind and over:
        # Others answered: that this one did not, or that nobody knows which did not, shows no state.
        state, progress, quote = "unclear", False, code_quote
    if over and state is not None and _rounds_without_answer(line, index, visible):
        state, progress, quote, silent = "unclear", False, code_quote, True
    if state is not None and index not in line.answered and (out := _left_out(command, visible)) is not None:
        # One host that did not answer, or failed, is not well because others are.
        state, progress, quote = "bad", False, quote_of(visible, out)
    if command.echoed and state is None and over and not kind and success is not False and text.strip():
        # Which of the words printed beside it are its own is not shown, but they are there to see.
        state, progress = "unclear", False
    quote = line.full.get(f"{index} {quote}", quote)
    if expired or command.check_strength is None:
        state = None
    blind = code in (126, 127) or (row is not None and code in row.blind)
    if state is not None and (blind or _could_not_run(command, row, text)):
        # What it could not look at, it tells nothing of.
        state, progress = None, False
    # Exit code 1 of a search is its answer: nothing found.
    nothing_found = code == 1 and command.program in (
        "grep",
        "egrep",
        "fgrep",
        "rg",
        "diff",
        "pgrep",
        "lsof",
    )
    # With this option a plan that would change something ends with 2.
    nothing_found = nothing_found or (code == 2 and "-detailed-exitcode" in command.words)
    failed = (not (expired or nothing_found) and (success is False and state is None)) or (
        bool(kind) and success is not True and state is None
    )
    tells_up = command.program in ("uptime", "who", "w") or command.target.name == "/proc/uptime"
    up_s, up_since = up_for(text) if tells_up and over else (None, "")
    if not tells_up and state in ("good", "unclear") and over and _AGED.match(" ".join(command.words[:3])):
        up_s = youngest(command.words, visible)
    completed: Known = (
        "yes" if over and not expired else ("no" if line.reached[index] == "yes" else "unknown")
    )
    return Outcome(
        reached="yes" if quote and kind != "never" else line.reached[index],
        completed=completed,
        failed=failed or kind == "never",
        state=state,
        in_progress=progress,
        quote=quote[:QUOTED],
        expired=expired,
        unanswered=silent and state == "unclear",
        also=tuple(shown_names(line, index, text)) if state is not None else (),
        rows=_rows(line, index, row, visible) if state is not None else (),
        up_s=up_s,
        up_since=up_since,
        log_time=newest_time(text) if state is not None and _looks_at_log(command, row) else "",
        content=shown_content(line, index, text),
    )


_ON_HOSTS = lazy(r"(?:pssh|parallel-ssh|pdsh|clush|dsh|ansible|salt)\b")
_LEFT_OUT = lazy(
    r"^[^\n]{0,100}(?:UNREACHABLE!|\[FAILURE\]|Minion did not return|(?:ssh )?exited with exit code [1-9])",
    re.MULTILINE,
)


def _left_out(command: Command, text: str) -> re.Match[str] | None:
    """Of a look that one program makes on hosts that the line does not name, what says that one did not answer or failed."""
    around = command.via[0] if command.via else command.words[0] if command.words else ""
    if command.via and _UNNAMED.search(command.target.host or "") is not None:
        # One command stands for the rounds of a loop over hosts that the line does not name.
        return never_up(text)
    return _LEFT_OUT.search(text) if _ON_HOSTS.match(around) is not None else None


_UNNAMED = lazy(r"[${}]")
_MOST_LABELS = 500


def _rounds_without_answer(line: Line, index: int, text: str) -> bool:
    """Whether a loop over hosts that the line does not name printed a label above, or before, nothing."""
    before = line.commands[index - 1] if index and line.echo(index - 1) else None
    host = line.commands[index].target.host or ""
    if before is None or _UNNAMED.search(host) is None or line.piped[index]:
        return False
    words = [word for word in before.words[1:] if not word.startswith("-")]
    pieces = re.split(r"\$\{?\w+\}?|%s", " ".join(words[:1] if before.words[0] == "printf" else words)[:200])
    if len(pieces) != 2:
        return False
    start, end = (re.escape(piece.strip()) for piece in pieces)
    label = re.compile(rf"^[ \t]*{start}[ \t]?[\w.-]{{1,80}}[ \t]?{end}", re.MULTILINE)
    found = list(islice(label.finditer(text), _MOST_LABELS))
    if len(found) < 2 or (not pieces[0].strip() and not pieces[1].strip()):
        return False
    parts = [text[one.end() : then.start()] for one, then in pairwise(found)] + [text[found[-1].end() :]]
    empty = [not part.strip() or label.match(part.strip()) is not None for part in parts]
    return any(empty) and not all(empty)


_LOG_FILE = lazy(r"\.(?:log|out|err)(?:\.\d+)?$|(?:^|/)logs?/|(?:^|/)(?:syslog|messages)$", re.IGNORECASE)


def _looks_at_log(command: Command, row: Row | None) -> bool:
    """Whether a check's output is lines of a log, which may be older than what is asked about."""
    target = command.target
    if target.kind == "file":
        return _LOG_FILE.search(target.name) is not None
    return row is not None and row.last


def _opens_way(line: Line, index: int) -> bool:
    """Whether a silent test let the next command print what there is to see."""
    following = line.commands[index + 1] if index + 1 < len(line.commands) else None
    return (
        line.commands[index].program in ("test", "[", "[[")
        and following is not None
        and following.runs_if == "after_success"
        and line.reached[index + 1] != "no"
        and not any(command.runs_if == "after_failure" for command in line.commands[index:])
    )


def _beside(visible: str, complaint: str) -> bool:
    """Whether there is more to see than complaints like the one given: some files missing, others shown."""
    start = complaint.split(":", 1)[0]
    return (
        any(text.strip() and not text.startswith(start) for text in visible.split("\n"))
        if complaint
        else True
    )


_MOST_ROWS = 200


def _rows(line: Line, index: int, row: Row | None, text: str) -> tuple[tuple[str, State], ...]:
    """The rows of a list of everything that runs, each with what it shows; none where some may be missing."""
    command = line.commands[index]
    if row is None or not row.listing or line.piped[index] or OMITTED.search(text):
        return ()
    if not company(line, index)[2] or index in line.complaints:
        return ()
    shown = [one[:500] for one in text.split("\n") if one.strip() and find(row.heads, one[:500]) is None]
    if len(shown) > _MOST_ROWS:
        return ()
    states = (_shown_state(command, row, one, None, "")[0] for one in shown)
    return tuple((one, state or "unclear") for one, state in zip(shown, states, strict=True))


def _only(patterns: tuple[str, ...], text: str) -> bool:
    """Whether every line that shows something matches one of the patterns."""
    if not patterns or not possible(patterns, text):
        return False
    shown = [one[:1000] for one in text.split("\n") if one.strip()]
    return bool(shown) and all(find(patterns, one) is not None for one in shown[:50])


_SHELL_SAYS = lazy(
    r"^\s*-?(?:/(?:usr/)?bin/)?(?:ba|z|da|k|a|fi)?sh: ?|^\s*(?:line|Zeile|ligne|línea|строка) \d+: "
)


def _proxy_down(command: Command, text: str) -> bool:
    """Whether a request did not get past its own proxy, so that it never asked its target."""
    words = command.words
    named = [
        after
        for before, after in pairwise(words)
        if before in ("-x", "--proxy", "--socks5", "--socks5-hostname", "--preproxy")
    ]
    named += [word.partition("=")[2] for word in words if word.startswith(("--proxy=", "--socks5="))]
    hosts = [re.sub(r"^\w+://", "", one).rpartition("@")[2].partition(":")[0] for one in named[:3]]
    return any(
        host
        and re.search(
            rf"(?:Failed|Could ?n[o']t|Could not) to? ?connect to (?:server )?{re.escape(host)}\b",
            text[:4000],
        )
        for host in hosts
    )


def _could_not_run(command: Command, row: Row | None, text: str) -> bool:
    """Whether a check says of itself that it is missing, may not look, or did not get through.

    The words of a log or of a page are no words of the tool: of programs that print those, only what begins
    with the tool's own name, or the shell's, counts, and only where nothing else was printed.
    """
    if _proxy_down(command, text):
        return True
    program = command.program
    data = _looks_at_log(command, row) or (command.check_strength == "read_back" and row is None)
    own = row.unrun if row is not None else ()
    common, no_file = outcome_table().common.unrun, outcome_table().common.no_file
    rest: list[str] = []
    refused = False
    if not any(possible(shapes, text) for shapes in (own, common, no_file)):
        return False
    for one in text.split("\n")[:500]:
        shown = one.strip()[:1000]
        if not shown:
            continue
        shell = _SHELL_SAYS.match(shown) is not None
        speaks = shell or shown.split(":", 1)[0].rsplit("/", 1)[-1] == program
        missing = (_looks_at_log(command, row) and command.check_strength != "presence") or shell
        said = speaks and (find(common, shown) is not None or (missing and find(no_file, shown) is not None))
        if said or find(own, shown) is not None:
            refused = True
        else:
            rest.append(shown)
    if not refused or (data and rest):
        return False
    shapes_known = (*row.good, *row.bad, *row.progress) if row is not None else ()
    return not rest or find(shapes_known, "\n".join(rest)) is None


_SILENCED = frozenset({"-q", "--quiet", "--silent", "-qs", "-sq", "-qE", "-qi", "-qF", "-qx"})
_GREP_LINE = lazy(r"^[^\n]*\b(?:e|f)?grep\b[^\n]*$\n?", re.MULTILINE)


def _visible(line: Line, index: int, text: str) -> str:
    """What a command printed, without what other commands of the line are known to print."""
    command = line.commands[index]
    program = command.program
    if program in ("test", "[", "[[", "cmp", "true", "false") or (
        command.verdict_by_exit and _SILENCED & set(command.words)
    ):
        return ""
    if program in ("ps", "pgrep", "top"):
        text = _GREP_LINE.sub("", text)
    name = command.target.name.casefold()
    if program.casefold() == "get-service" and "," in " ".join(command.words):
        # Of several services that one command asks about, the row of this one.
        rows = [one for one in text.split("\n") if name in one.casefold().split()]
        return "\n".join(rows) or text
    sought = _sought(line, index)
    return text if sought is None else "\n".join(one for one in text.split("\n") if sought.search(one))


_PLAIN_WORDS = lazy(r"[\w.:/@%+=, -]+(?:\\?\|[\w.:/@%+=, -]+)*")
_LISTS = frozenset(
    {"ss", "netstat", "lsof", "ps", "top", "docker", "podman", "kubectl", "crictl", "pm2", "systemctl"}
)
"""Programs that list what is there, a line each."""


def _sought(line: Line, index: int) -> re.Pattern[str] | None:
    """What the ``grep`` after a list lets through: its lines alone are the list's, whatever else the line printed.

    Only plain words and alternatives of them; ``None`` where nothing is known to be left out.
    """
    if index + 1 >= len(line.commands) or line.commands[index].program not in _LISTS:
        return None
    following = line.commands[index + 1]
    if following.program not in ("grep", "egrep", "fgrep") or not line.filter(index + 1):
        return None
    flags = [word for word in following.words[1:] if word.startswith("-") and word != "-"]
    plain = [word for word in following.words[1:] if not word.startswith("-")]
    letters = "".join(flag.lstrip("-") for flag in flags)
    if len(plain) != 1 or any(flag.startswith("--") for flag in flags) or set(letters) - set("iEFwnoh"):
        return None
    words = plain[0].strip("'\"").replace("\\|", "|")
    # ``[s]erver`` finds a process and not the search for it.
    words = re.sub(r"\[(\w)\]", r"\1", words)
    if not _PLAIN_WORDS.fullmatch(words):
        return None
    return re.compile(
        "|".join(re.escape(word) for word in words.split("|") if word), re.IGNORECASE if "i" in letters else 0
    )


def _shown_state(
    command: Command, row: Row | None, text: str, success: bool | None, quote: str
) -> tuple[State | None, bool, str]:
    """What the shapes of the row say: state, whether on its way, quote."""
    if (coded := _http_code(command, text)) is not None:
        return coded[0], False, quote or coded[1]
    if row is None:
        return None, False, quote
    if row.last or command.check_strength is None:
        text = text[-2 * READ :]
        ends = {
            name: find(patterns, text, last=True)
            for name, patterns in (("bad", row.bad), ("progress", row.progress), ("good", row.good))
        }
        name, found = max(ends.items(), key=lambda item: item[1].start() if item[1] else -1)
        if found is None:
            return None, False, quote
        state: State = "unclear" if name == "progress" else "good" if name == "good" else "bad"
        return state, name == "progress", quote or quote_of(text, found)
    if (found := find(row.bad, text)) is not None:
        return "bad", False, quote or quote_of(text, found)
    if (found := find(row.progress, text)) is not None:
        return "unclear", True, quote or quote_of(text, found)
    if (found := find(row.good, text)) is not None:
        return ("good" if success is not False else "bad"), False, quote or quote_of(text, found)
    if (found := find(row.unclear, text)) is not None:
        return "unclear", False, quote or quote_of(text, found)
    return None, False, quote


_CODE = lazy(r"(?:(?<=[A-Za-z]:)|(?<![\w.:-]))(000|[1-5]\d\d)(?![\w.:-])")
"""A status code by itself: no part of an id, of a time, or of a number; ``HTTP:200``."""


def _http_code(command: Command, text: str) -> tuple[State, str] | None:
    """The verdict of a status code that ``curl -w '%{http_code}'`` printed."""
    found = _printed_code(command, text)
    if found is None:
        return None
    code = found.group(1)
    # 401, 403 and 405 are answers of a server that is up: it wants a login or another method.
    answers = code[0] in "123" or code in ("401", "403", "405")
    return "good" if answers else "bad", quote_of(found.string, found)


def _printed_code(command: Command, text: str) -> re.Match[str] | None:
    """The status code that ``curl -w '%{http_code}'`` printed: of several, the last."""
    if not any("http_code" in word or "response_code" in word for word in command.words):
        return None
    return max(_CODE.finditer(text[-2000:]), key=re.Match.start, default=None)


def _plain_state(command: Command, success: bool | None, kind: str) -> State:
    """The state when there is output but no shape is known: reading it back shows it, the rest is unclear."""
    if success is False or kind:
        return "bad"
    if command.check_strength in ("read_back", "presence", "exercise"):
        return "good"
    return "unclear"


def _printed_before_the_end(line: Line, index: int, row: Row | None, visible: str) -> bool:
    """Whether a check of a line that was ended was over already: a later command is what the limit ended."""
    later = range(index + 1, len(line.commands))
    receivers = (line.filter(i) or line.echo(i) or line.commands[i].program == "tee" for i in later)
    if row is None or all(receivers):
        return False
    return find((*row.good, *row.bad), visible) is not None
