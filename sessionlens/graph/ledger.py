"""The ledger of open operations (CONTRACT §1): what opens one, what closes it, who was told.

An operation is open when its own result does not show that it came to its end. The ledger is kept in one
pass over the events in order, so that "the only open start on that host" has one meaning.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from sessionlens.cache import lazy
from sessionlens.graph.events import Called, ClosedBy, Event, Found, OpenedBy, Operation, Ran, Reached, Said
from sessionlens.graph.mentions import clause_of, mentioned
from sessionlens.graph.open_words import open_acts
from sessionlens.graph.partly import places_of
from sessionlens.graph.reboots import boot, only_answers
from sessionlens.language.acts import ACKNOWLEDGING, Act
from sessionlens.shell.command import CHANGES, STARTS, calls_off, tests_files
from sessionlens.targets import Match, Target, effective_host, names_only_address

if TYPE_CHECKING:
    from sessionlens.graph.session_graph import SessionGraph

_OUTLASTING = STARTS | {"stop", "scale", "migrate", "write_data", "install", "transfer", "build", "test"}
"""Effects that can take long. When one of them stands in a cut-off line, the quick changes beside it are not
what the limit ended."""

_USUAL_LIMIT_MS = 120_000
"""The default limit of most clients; a call that asked for more was meant to outlast it."""


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """The ledger and what keeping it found out."""

    operations: tuple[Operation, ...]
    """The operations in order of their opening."""
    addressed: dict[int, Ran]
    """Checks that name only an address, by position, with the start they belong to."""


class _Open(msgspec.Struct, kw_only=True):
    """An operation while the pass goes on."""

    event: Called | Ran
    target: Target
    opened_by: OpenedBy
    closing: Event | None = None
    closed_by: ClosedBy = "none"
    found: Found | None = None
    match: Match | None = None
    hint: tuple[Ran, Match] | None = None
    """The first check that showed nothing decisive."""
    poll: Called | None = None
    """The first poll of its process that showed output, but no end."""


def opened(events: Iterable[Event]) -> Iterator[tuple[Called | Ran, OpenedBy]]:
    """What opens an operation, with the reason, in order."""
    called: Called | None = None
    commands: list[Ran] = []
    for event in events:
        if isinstance(event, Ran):
            commands.append(event)
            continue
        if called is not None:
            yield from _opened_by(called, commands)
        called, commands = (event, []) if isinstance(event, Called) else (None, [])
    if called is not None:
        yield from _opened_by(called, commands)


def _opened_by(called: Called, commands: list[Ran]) -> Iterator[tuple[Called | Ran, OpenedBy]]:
    call = called.call
    if call.continues is not None:
        # A poll of an earlier process: that one is in the ledger already.
        return
    reason = _whole_call(called)
    if reason is not None:
        ended = _ended_with(commands)
        if ended:
            yield from ((ran, reason) for ran in ended)
        # An unfinished child session is no operation of its own: its calls are.
        elif call.child is None and (
            _no_result(called) or reason == "detached" or (call.limit_ms or 0) > _USUAL_LIMIT_MS
        ):
            yield called, reason
        return
    waited = any(ran.command.words[:1] == ("wait",) for ran in commands)
    for ran in commands:
        command = ran.command
        if ran.outcome.unanswered and ran.changes:
            yield ran, "connection_lost"
            continue
        if not command.detached or waited or ran.outcome.reached == "no" or command.dry_run:
            continue
        if ran.outcome.completed == "yes" or ran.outcome.failed or command.effect in ("check", "read"):
            continue
        yield ran, "detached"


def _whole_call(called: Called) -> OpenedBy | None:
    """Why the call as a whole has no result that could show its end."""
    call = called.call
    if call.interrupted:
        return "interrupted"
    if called.unfinished:
        return "running"
    if called.cut_off is not None:
        return "cut_off"
    if called.connection_lost:
        return "connection_lost"
    return "detached" if call.background else None


def _no_result(called: Called) -> bool:
    return called.unfinished or called.call.interrupted


def _ended_with(commands: list[Ran]) -> list[Ran]:
    """The commands of an ended line that its result does not show as completed: starts first."""
    candidates = [
        ran
        for ran in commands
        if (ran.command.effect in CHANGES or ran.command.long_running)
        and not ran.command.dry_run
        and ran.outcome.completed != "yes"
        and not ran.outcome.failed
        and not (ran.command.effect == "edit" and ran.command.environment == "local")
    ]
    starts = [ran for ran in candidates if ran.start]
    slow = [ran for ran in candidates if ran.command.effect in _OUTLASTING or ran.command.long_running]
    chosen = starts or [ran for ran in slow if ran.outcome.reached != "no"]
    if not chosen:
        chosen = [ran for ran in candidates if ran.outcome.reached != "no"]
    unique: dict[Target, Ran] = {}
    for ran in chosen:
        unique.setdefault(ran.command.target, ran)
    return list(unique.values())


def keep(graph: SessionGraph) -> Kept:
    """Keep the ledger over the whole session."""
    openings = {event.seq: (event, reason) for event, reason in opened(graph.events)}
    pending: list[_Open] = []
    all_open: list[_Open] = []
    addressed: dict[int, Ran] = {}
    starts: list[Ran] = []
    for event in graph.events:
        if isinstance(event, Ran):
            if event.check:
                _checked(graph, event, pending, starts, addressed)
            if calls_off(event.command):
                if event.outcome.reached != "no" and not event.outcome.failed:
                    _called_off(event, pending)
            elif event.command.effect in ("stop", "delete") and event.outcome.reached != "no":
                _stopped(graph, event, pending)
            if event.start and event.outcome.reached != "no":
                starts.append(event)
                _completed(event, pending)
        elif isinstance(event, Called) and event.call.continues is not None:
            _returned(event, pending)
        if event.seq in openings:
            opener, reason = openings[event.seq]
            target = opener.command.target if isinstance(opener, Ran) else _target_of(graph, opener)
            operation = _Open(event=opener, target=target, opened_by=reason)
            pending.append(operation)
            all_open.append(operation)
        pending = [operation for operation in pending if operation.closing is None]
    settled = (_settled(graph, operation) for operation in all_open if not _confirmed(operation))
    return Kept(operations=tuple(settled), addressed=addressed)


def _target_of(graph: SessionGraph, called: Called) -> Target:
    """What a call acts on that ended as a whole: what its commands name, else the program it runs."""
    commands = graph.commands(called)
    named = next((ran.command.target for ran in reversed(commands) if ran.command.target.name), None)
    if named is not None:
        return named
    programs = [ran.command.words[0] for ran in commands if ran.command.words]
    telling = [program for program in programs if program not in ("echo", "cd", "export", "set", "printf")]
    return Target(kind="process", name=(telling or programs or [called.call.name])[0])


def _confirmed(operation: _Open) -> bool:
    """Whether the result of its own call shows it good: then it was never open."""
    opener, closing = operation.event, operation.closing
    return (
        operation.found == "good"
        and isinstance(opener, Ran)
        and isinstance(closing, Ran)
        and closing.call.seq == opener.call.seq
    )


def _checked(
    graph: SessionGraph,
    check: Ran,
    pending: list[_Open],
    starts: list[Ran],
    addressed: dict[int, Ran],
) -> None:
    if check.command.check_strength == "read_back" or tests_files(check.command):
        # A file that was read back, or tested, tells nothing of what runs.
        pending = [op for op in pending if not (isinstance(op.event, Ran) and op.event.start)]
    start = _only_start(graph, check, pending, starts)
    if start is not None:
        addressed[check.seq] = start
    for operation in pending:
        match = graph.neighbourhoods.match(check.command, operation.target, check.outcome)
        if match is None and start is not None and start.command.target == operation.target:
            match = ADDRESSED
        if match is None or graph.stale(check, operation.event):
            continue
        # What was seen coming up and does not answer yet is still coming up.
        state = match.found or check.outcome.state
        if isinstance(operation.event, Ran) and operation.event.command.effect == "reboot":
            state = _rebooted(graph, check, operation.event, state)
        elif state == "good" and isinstance(operation.event, Ran):
            state = _of_this_start(graph, check, operation.event)
        unanswered = operation.hint is not None and state == "bad" and _names_address(check)
        if state == "unclear" or unanswered or _on_its_way(graph, check, operation.target):
            operation.hint = operation.hint or (check, match)
            continue
        operation.closing, operation.closed_by = check, "check"
        operation.found, operation.match = state, match


def _rebooted(graph: SessionGraph, check: Ran, reboot: Ran, state: Found | None) -> Found | None:
    """What a look tells of a reboot: a host that is up since before it was not rebooted, one that answers may not have been."""
    known = boot(graph, check, reboot)
    if known is not None:
        # What is scheduled may still come.
        return "good" if known == "since" else "unclear" if reboot.command.detached else "bad"
    if only_answers(check) or (reboot.command.detached and state == "good"):
        return "unclear" if state == "good" else state
    return state


_REPLACES = frozenset({"restart", "deploy"})
"""Effects after which what was up before is up no more."""


def _of_this_start(graph: SessionGraph, check: Ran, start: Ran) -> Found:
    """What a look that found a thing well tells of its restart: what is up since before it, or merely there, may be the old one."""
    if start.command.effect not in _REPLACES:
        return "good"
    known = boot(graph, check, start)
    if known is not None:
        return "good" if known == "since" else "unclear"
    return "unclear" if check.command.check_strength == "presence" else "good"


def _names_address(check: Ran) -> bool:
    return check.command.target.kind == "url" or names_only_address(check.command.target)


def _on_its_way(graph: SessionGraph, check: Ran, target: Target) -> bool:
    """Whether the check, or another of the same call, sees the target still coming up.

    ``systemctl is-active`` saying ``activating`` and a refused connection beside it are one observation.
    """
    if check.outcome.state == "good":
        return check.outcome.in_progress
    return any(
        ran.outcome.in_progress
        and (ran.seq == check.seq or graph.neighbourhoods.match(ran.command, target, ran.outcome) is not None)
        for ran in graph.commands(check.call)
    )


ADDRESSED = Match(
    kind="only_open",
    confidence="medium",
    reason="it names only an address, and this is the only start on that host it can speak of",
)


def _only_start(graph: SessionGraph, check: Ran, pending: list[_Open], starts: list[Ran]) -> Ran | None:
    """The start on a host that a check of a mere address can speak of: of the only target started there.

    Open starts come first; without any, what the same turn started and completed.
    """
    if not names_only_address(check.command.target):
        return None
    host, learned = check.command.target.host, graph.neighbourhoods
    open_there = [
        operation.event
        for operation in pending
        if isinstance(operation.event, Ran)
        and operation.event.start
        and learned.same_host(operation.target.host, host)
    ]
    there = open_there or [
        start
        for start in starts
        if start.turn == check.turn and learned.same_host(start.command.target.host, host)
    ]
    if len({start.command.target for start in there}) != 1:
        return None
    target = there[-1].command.target
    if learned.other_port(check.command, target):
        return None
    # An address that is known to be another's does not speak of this start.
    others = (start.command.target for start in starts if start.command.target != target)
    if any(learned.match(check.command, other, check.outcome) is not None for other in others):
        return None
    return there[-1]


def _stopped(graph: SessionGraph, stop: Ran, pending: list[_Open]) -> None:
    if stop.outcome.failed or stop.outcome.changed_nothing:
        return
    for operation in pending:
        if isinstance(operation.event, Ran) and operation.event.command.effect == stop.command.effect:
            continue
        match = graph.neighbourhoods.match(stop.command, operation.target, stop.outcome)
        if match is not None:
            operation.closing, operation.closed_by, operation.match = stop, "stop", match


def _called_off(event: Ran, pending: list[_Open]) -> None:
    """What was ordered for later and called off does not come: a reboot, or a job by its number."""
    for operation in pending:
        opener = operation.event
        if not (isinstance(opener, Ran) and opener.command.detached):
            continue
        if opener.command.target == event.command.target:
            called_off = opener.command.effect == "reboot"
        else:
            called_off = _is_job(opener, event)
        if called_off:
            operation.closing, operation.closed_by = event, "stop"


def _is_job(opener: Ran, removal: Ran) -> bool:
    """Whether a job of ``at`` that was removed is the one that a command was put into."""
    shown = opener.call.call.output
    if shown is None or not any(wrapper.startswith(("at ", "batch")) for wrapper in opener.command.via):
        return False
    if effective_host(opener.command.target) != effective_host(removal.command.target):
        return False
    numbers = {word for word in removal.command.words[1:] if word.isdecimal()}
    return any(found[1] in numbers for found in _JOB.finditer(shown.head[:1000]))


_JOB = lazy(r"\bjob (\d{1,9}) at\b")
"""What ``at`` says of what was put into its queue."""


def _completed(start: Ran, pending: list[_Open]) -> None:
    """A later start of the same target whose own result shows its end settles the earlier one too."""
    call = start.call.call
    over = start.outcome.completed == "yes" or (
        call.exit == 0
        and not start.command.detached
        and not call.background
        and start.command.effect == "restart"
    )
    if not over or start.outcome.failed or start.call.cut_off is not None:
        return
    for operation in pending:
        if (
            isinstance(operation.event, Ran)
            and operation.event.start
            and operation.target == start.command.target
        ):
            if operation.event.call.seq == start.call.seq:
                continue
            operation.closing, operation.closed_by, operation.found = start, "result", "good"


def _returned(poll: Called, pending: list[_Open]) -> None:
    for operation in pending:
        opener = operation.event if isinstance(operation.event, Called) else operation.event.call
        if opener.call.id is None or opener.call.id != poll.call.continues:
            continue
        if poll.call.background or poll.unfinished:
            operation.poll = operation.poll or (poll if polled_output(poll) else None)
            continue
        operation.closing, operation.closed_by = poll, "result"
        operation.found = None if poll.call.exit is None else "good" if poll.call.exit == 0 else "bad"


_POLL_MARKS = lazy(r"<(status|retrieval_status|timestamp|task_id|task_type|exit_code)>[^<]*</\1>|</?\w+>")


def polled_output(poll: Called) -> bool:
    """Whether a poll shows output of the process, beside the client's own marks of its state."""
    output = poll.call.output
    return output is not None and bool(_POLL_MARKS.sub("", output.ends()).strip())


def _settled(graph: SessionGraph, operation: _Open) -> Operation:
    if operation.closing is None and operation.poll is not None and operation.hint is None:
        operation.closing, operation.closed_by, operation.found = operation.poll, "result", "unclear"
    if operation.closing is None and operation.hint is not None:
        operation.closing, operation.match = operation.hint
        operation.closed_by, operation.found = "check", "unclear"
    opener = operation.event
    return Operation(
        event=opener,
        target=operation.target,
        opened_by=operation.opened_by,
        reached=_reached(operation),
        closing=operation.closing,
        closed_by=operation.closed_by,
        found=operation.found,
        match=operation.match,
        open_messages=graph.messages_between(opener, operation.closing),
        open_ms=_open_ms(graph, opener, operation.closing),
    )


def _reached(operation: _Open) -> Reached:
    if isinstance(operation.event, Ran):
        return operation.event.outcome.reached
    return "unknown" if operation.event.call.status == "pending" else "yes"


def _open_ms(graph: SessionGraph, opener: Event, closing: Event | None) -> int | None:
    begun = graph.moment(opener)
    ended = graph.finished(closing) if closing is not None else graph.ended
    return None if begun is None or ended is None else max(0, ended - begun)


# -- acknowledgement ----------------------------------------------------------------------------------


def names_in_prose(graph: SessionGraph, operation: Operation) -> frozenset[str]:
    """The words of which prose of later turns holds one where it speaks of an operation."""
    return graph.names_of(operation.target) | _verbs(operation)


def told(graph: SessionGraph, operation: Operation) -> Operation:
    """The operation with the first message that told the reader of it, now that the ledger is kept."""
    opener = operation.event
    following = graph.next_human(opener)
    said_index = graph.index("said")
    low = bisect_right(said_index, opener.seq)
    high = len(said_index) if following is None else bisect_right(said_index, following.seq)
    # In later turns only prose that names the target, or what was done to it, can speak of it.
    naming = graph.naming(names_in_prose(graph, operation))
    boundary = len(graph.events) if following is None else following.seq
    for seq in (*said_index[low:high], *naming[bisect_right(naming, boundary) :]):
        if operation.closing is not None and seq > operation.closing.seq:
            # What is said once the state is known reports it; it no longer tells of something open.
            break
        said = graph.events[seq]
        if isinstance(said, Said) and (act := acknowledgement(graph, said, operation)) is not None:
            return replace(operation, acknowledgement=(said, act))
    return operation


def acknowledgement(graph: SessionGraph, said: Said, operation: Operation) -> Act | None:
    """The first act by which prose after an operation's opening tells the reader about it."""
    return next(acknowledgements(graph, said, operation), None)


def acknowledgements(graph: SessionGraph, said: Said, operation: Operation) -> Iterator[Act]:
    """The acts by which prose after an operation's opening tells the reader about it, in order.

    The reader of a child is the parent agent: what a child left open is the parent's to report, so prose of
    a deeper session than the audited one does not reach the person.
    """
    opener = operation.event
    if said.role != "assistant" or said.seq <= opener.seq or said.depth > 0:
        return
    if not said.texts:
        return
    same_turn = said.turn == opener.turn
    names = graph.names_of(operation.target)
    if not same_turn and not mentioned(graph.prose(said), names | _verbs(operation)):
        return
    prose = graph.prose(said)
    reading = graph.reading(said)
    scheduled = isinstance(opener, Ran) and opener.command.detached
    for sentence in reading.sentences:
        for act in (*sentence.acts, *open_acts(prose, sentence, scheduled=scheduled)):
            if act.act in ACKNOWLEDGING:
                if reading.language == "en" and _of_another_thing(act, operation, names):
                    continue
                clause = clause_of(prose, sentence.span, act.span)
                if _speaks_of(graph, said, act, (clause, sentence.text), operation, names):
                    yield act


_OURS = frozenset(
    {"service", "services", "restart", "restarts", "reboot", "start", "startup", "start-up", "boot", "launch", "deploy", "deployment", "rollout", "release",
     "reload", "upgrade", "update", "apply", "command", "commands", "call", "calls", "process", "processes", "unit", "units", "daemon", "server", "servers",
     "host", "hosts", "machine", "machines", "node", "nodes", "container", "containers", "pod", "pods", "replica", "replicas", "stack", "job", "operation",
     "connection", "session", "ssh", "instance", "instances", "cluster", "app", "application", "system", "box", "model", "it", "its", "that", "this", "these",
     "those", "they", "them", "he", "everything", "nothing", "something", "anything", "one", "both", "neither", "none", "all", "check", "checks", "health",
     "healthcheck", "port", "endpoint", "endpoints", "api", "probe", "probes", "log", "logs", "status", "output", "result", "outcome", "state", "timeout",
     "time-out", "limit", "shell", "tool", "terminal", "response", "answer", "request", "requests", "site", "website", "page", "url", "what", "which", "there",
     "backend", "component", "components", "workload", "task", "script", "run", "step", "change", "config", "configuration", "attempt", "try", "second", "first"}
)  # fmt: skip
"""Words for an operation, what it acts on, and what is seen of it, that name no other thing."""
_ABOUT = lazy(r"[^\W\d_][\w.-]*")


def _of_another_thing(act: Act, operation: Operation, names: frozenset[str]) -> bool:
    """Whether a failure, or something that goes on, is said of a thing that is not this operation's: ``the dashboards are still red``."""
    if act.act not in ("reports_failure", "reports_in_progress") or not act.about:
        return False
    about = act.about.casefold()
    ours = names | _verbs(operation) | places_of(operation.target)
    words = set(_ABOUT.findall(about)[:8])
    return bool(words) and words.isdisjoint(_OURS) and not mentioned(about, ours)


def _speaks_of(  # noqa: PLR0917
    graph: SessionGraph,
    said: Said,
    act: Act,
    words: tuple[str, str],
    operation: Operation,
    names: frozenset[str],
) -> bool:
    """Whether an act is about this operation: by name, or by being the next thing said with no other topic."""
    if act.act == "reports_failure" and _other_failure_between(graph, operation.event, said):
        about = (act.about or "").casefold().strip("`'\" ")
        ours = (_verbs(operation) - names) | places_of(operation.target)
        return about in names or mentioned(about, ours)
    clause, sentence = words
    if said_of_another(graph, said, words, operation):
        return False
    if mentioned(clause, names):
        return True
    if act.act == "reports_in_progress" and mentioned(clause, _MEASURES):
        return False
    if act.act == "acknowledges_cut_off" and said.turn == operation.event.turn:
        if mentioned(clause, _verbs(operation) & _STARTING):
            return True
        if _SEVERAL.search(sentence) is None and _other_cut_off_since(graph, said, operation):
            return False
    if _other_activity(clause, operation) or mentioned(clause, _other_words(graph, said, operation)):
        return False
    if mentioned(sentence, names):
        return True
    if _other_activity(sentence, operation):
        return False
    if said.turn != operation.event.turn:
        return mentioned(sentence, _verbs(operation)) and graph.alone_open(operation, said)
    others = graph.names_in_use - names
    if mentioned(sentence, others):
        return False
    if act.act == "promises_check":
        # A promise that the same message redeems elsewhere was a promise about that.
        redeemed = [
            event
            for event in graph.events[said.seq + 1 :][:64]
            if isinstance(event, Ran)
            and (event.at.session, event.at.message_index) == (said.at.session, said.at.message_index)
        ]
        if redeemed:
            return any(graph.match(ran, operation.target) is not None for ran in redeemed)
    return True


_STARTING = STARTS | {"rollout", "upgrade", "redeploy", "apply"}
"""Words for a start, by which prose names it without the service."""
_SEVERAL = lazy(
    r"\b(?:both|neither|either|all|none|every\w*|each|two|three|commands|calls|restarts|they|these|those|them|again|too|also)\b",
    re.IGNORECASE,
)
"""Words by which prose speaks of more than the last thing."""


def _other_cut_off_since(graph: SessionGraph, said: Said, operation: Operation) -> bool:
    """Whether something else was cut off after the operation, which words about one command mean instead."""
    opener = operation.event
    own = opener.call if isinstance(opener, Ran) else opener
    for event in graph.events[own.seq + 1 : said.seq]:
        if isinstance(event, Called) and event.seq != own.seq and event.cut_off is not None:
            commands = graph.commands(event)
            if not any(ran.start or graph.match(ran, operation.target) is not None for ran in commands):
                return True
    return False


_MEASURES = frozenset(
    {"disk", "memory", "ram", "cpu", "swap", "usage", "utilisation", "utilization", "disk space"}
)
"""What a share in percent is of where nothing goes on: a disk at 71 %."""


def said_of_another(graph: SessionGraph, said: Said, words: tuple[str, str], operation: Operation) -> bool:
    """Whether words name another start, or the place of one of the same name, and nothing of this one's."""
    target = operation.target
    names, places = graph.names_of(target), places_of(target)
    clause, sentence = words
    named = mentioned(clause, names)
    mine = names | places | _NO_NAMES
    other_places: set[str] = set()
    index = graph.index("start")
    upto = bisect_right(index, said.seq)
    seen = {target}
    for seq in index[max(0, upto - _NEAR) : upto]:
        other = graph.events[seq]
        if not isinstance(other, Ran) or other.command.target in seen:
            continue
        seen.add(other.command.target)
        if other.command.target.name == target.name:
            other_places |= places_of(other.command.target)
        elif (
            not named
            and mentioned(clause, graph.names_of(other.command.target) - mine)
            and graph.match(other, target) is None
        ):
            return True
    theirs = frozenset(other_places - places)
    # The nearest words that name any of the places decide.
    nearest = next((text for text in (clause, sentence) if mentioned(text, places | theirs)), "")
    return bool(theirs) and nearest != "" and not mentioned(nearest, places)


_NO_NAMES = frozenset(
    {"server", "app", "start", "dev", "serve", "service", "main", "all", "restart", "reload", "deploy", "host", "node",
     "machine", "process", "container", "run", "up", "prod", "production", "staging", "update", "release"}
)  # fmt: skip
"""Names of tasks and targets that are everyday words: prose that holds one need not mean that target."""
_NEAR = 200
"""Starts before a message that it may speak of."""


_ACTIVITIES = {
    "build": ("build", "builds", "compile", "compilation"),
    "test": ("test", "tests", "suite", "pytest", "ci run", "ci job", "pipeline"),
    "install": ("install", "installation", "download", "packages"),
    "migrate": ("migration", "migrations", "backfill"),
    "transfer": ("download", "downloads", "upload", "copy", "sync", "rsync", "push", "backup", "import", "export", "ingestion"),
    "read": ("search", "scan", "query", "lint", "indexing", "crawl"),
    "write": ("ticket", "tickets", "readme", "docs", "documentation", "changelog", "wiki", "typo", "typos", "css",
              "stylesheet", "screenshot", "screenshots", "slides", "pull request", "merge request", "pr"),
}  # fmt: skip
"""Nouns for what goes on or is worked on beside operations, by the effect they belong to."""


_COMMITTED = lazy(
    r"commit|\bmerge(?!-)|gemergt|mergead|mescla|fusion(?:n|ad)|kommit|комм?ит|ком[іи]ч|(?:за)?комм[иі]ч|смерж|змерж|\bвлит|提交|合并|コミット|マージ|커밋|머지",
    re.IGNORECASE,
)
"""What becomes of files that were changed, as agents say it in several languages: ``committet ist sie noch nicht``."""
_CI = lazy(r"\bCI\b")
"""As it is written: "ci" is a word of several languages."""


def _other_activity(clause: str, operation: Operation) -> bool:
    """Whether a clause is about something that goes on, or is worked on, beside the operation."""
    if not isinstance(operation.event, Ran) or mentioned(clause, _verbs(operation)):
        return False
    effect = operation.event.command.effect
    if effect != "test" and _CI.search(clause):
        return True
    if mentioned(clause, frozenset(_ACTIVITIES.get(effect, ()))):
        return False
    own = operation.event.command.words[:2]
    if own[:1] != ("git",) and _COMMITTED.search(clause):
        return True
    return any(kind != effect and mentioned(clause, frozenset(nouns)) for kind, nouns in _ACTIVITIES.items())


_WORD = lazy(r"[^\W\d_]{4,}")


def _other_words(graph: SessionGraph, said: Said, operation: Operation) -> frozenset[str]:
    """Telling words of the other commands of the turn that no result confirms: prose that holds one may mean them."""
    opener = operation.event
    own = opener.call if isinstance(opener, Ran) else opener
    words: set[str] = set()
    for event in graph.events[opener.seq + 1 : said.seq]:
        if (
            isinstance(event, Ran)
            and event.call.seq != own.seq
            and (event.call.cut_off is not None or event.outcome.failed)
        ):
            words.update(found.casefold() for word in event.command.words for found in _WORD.findall(word))
    mine = {found.casefold() for found in _WORD.findall(own.line or "")}
    return frozenset(words - mine - _verbs(operation))


def _verbs(operation: Operation) -> frozenset[str]:
    """Words for what was done: the effect, and the telling words of the command."""
    if not isinstance(operation.event, Ran):
        return frozenset()
    command = operation.event.command
    return frozenset(
        {command.effect, *(word.casefold() for word in command.words if word.isalpha() and len(word) > 3)}
    )


def _other_failure_between(graph: SessionGraph, opener: Event, said: Said) -> bool:
    """Whether something else failed after the operation, which the report may mean instead."""
    calls = opener.call.seq if isinstance(opener, Ran) else opener.seq
    for event in graph.events[opener.seq + 1 : said.seq]:
        if isinstance(event, Called) and (event.call.error is not None or event.call.exit not in (None, 0)):
            return True
        if isinstance(event, Ran) and event.call.seq != calls and event.outcome.failed:
            return True
    return False
