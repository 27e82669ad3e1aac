"""Runs rules on a session: the audit as one value.

A rule that crashes, runs too long or breaks its contract becomes a :class:`RuleError`; the others go on.
"""

from __future__ import annotations

import itertools
import signal
import threading
import time
import traceback
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

import msgspec

from sessionlens.findings import SEVERITIES, Because, Finding, Mark, Place, Severity, fingerprint
from sessionlens.graph.session_graph import SessionGraph
from sessionlens.model import Call, Session
from sessionlens.rule import FollowUp, Rule

if TYPE_CHECKING:
    from sessionlens.redact import Redactions
    from sessionlens.targets import EnvironmentSettings

TIME_LIMIT_S = 60.0
"""Seconds that one rule may work on one session before it is stopped and reported."""
PATIENCE = 5
"""How many times its limit a rule may take by the clock while it does not get the processor for as long: a busy machine
must not look like a rule that hangs."""
MOST_FINDINGS = 10_000
"""A rule with more findings than this in one session is stopped and reported."""


class RuleError(msgspec.Struct, frozen=True, kw_only=True):
    """A rule that did not come to its end on this session. Findings it made before are kept."""

    rule: str
    """Slug of the rule."""
    error: str
    """What happened, in one line."""
    where: str = ""
    """File name and line of the rule where it happened, where known."""


class NotCheckable(msgspec.Struct, frozen=True, kw_only=True):
    """A rule that cannot judge this session, because its log does not record what the rule rests on."""

    rule: str
    """Slug of the rule."""
    reason: str
    """Why, in words."""


class Audit(msgspec.Struct, frozen=True, kw_only=True):
    """A session, judged."""

    session: Session
    """The session that was judged, children included; already redacted unless that was switched off."""
    graph: SessionGraph
    """Its graph, with the ledger of open operations."""
    findings: tuple[Finding, ...] = ()
    """Sorted by place."""
    rule_errors: tuple[RuleError, ...] = ()
    """Rules that crashed, in the order they ran."""
    not_checkable: tuple[NotCheckable, ...] = ()
    """Rules that cannot judge this session, by slug."""
    rules: tuple[Rule, ...] = ()
    """The rules whose findings are reported, by slug."""
    redactions: Redactions | None = None
    """What was redacted; ``None`` when redaction was off."""
    source: str = ""
    """Display name of the log: a file name, never an absolute path."""
    path: str = ""
    """Path of the log relative to the current folder, where it lies within; for tools that link to the file."""
    marks: Mapping[str, Mark] = {}
    """By fingerprint, what of a finding a baseline or a suppression says."""


def audit(
    session: Session,
    *,
    rules: Sequence[Rule],
    settings: EnvironmentSettings | None = None,
    redactions: Redactions | None = None,
    source: str = "",
    severities: Mapping[str, Severity] | None = None,
    unreported: frozenset[str] = frozenset(),
    time_limit: float = TIME_LIMIT_S,
    **known: Any,
) -> Audit:
    """Judge one session, its children included.

    :param rules: in any order; a rule runs after those of its ``after`` that are among them.
    :param settings: what ``sessionlens.toml`` says about environments.
    :param severities: severity for all findings of a rule, instead of what the rule says.
    :param unreported: slugs of rules that run only because others follow up on them.
    :param time_limit: seconds each rule may take. Where the platform has no timer, or outside the main thread,
        a rule is stopped only between two of its findings.
    :param known: what somebody has found out of the session already; see
        :class:`~sessionlens.graph.session_graph.SessionGraph`.
    :raises ValueError: when rules wait for each other in a circle, or two have the same slug.
    """
    graph = SessionGraph(session, settings, **known)
    places = _Places(session)
    findings: list[Finding] = []
    errors: list[RuleError] = []
    skipped: list[NotCheckable] = []
    ordered = in_order(rules)
    for rule in ordered:
        found, problem = _run(rule, graph, findings, places, time_limit)
        findings.extend(found)
        if isinstance(problem, RuleError):
            errors.append(problem)
        elif problem is not None:
            skipped.append(problem)
    reported = [
        _overridden(finding, severities or {}) for finding in findings if finding.rule not in unreported
    ]
    reported.sort(key=places.order)
    return Audit(
        session=session,
        graph=graph,
        findings=tuple(_told_apart(reported)),
        rule_errors=tuple(errors),
        not_checkable=tuple(sorted(skipped, key=lambda row: row.rule)),
        rules=tuple(sorted((r for r in ordered if r.slug not in unreported), key=lambda rule: rule.slug)),
        redactions=redactions,
        source=source,
    )


def in_order(rules: Sequence[Rule]) -> list[Rule]:
    """Rules by slug, each after the ones it follows up on.

    :raises ValueError: for a circle, or for one slug twice.
    """
    waiting = {rule.slug: rule for rule in sorted(rules, key=lambda rule: rule.slug)}
    if len(waiting) < len(rules):
        slugs = sorted(rule.slug for rule in rules)
        twice = next(slug for slug, after in itertools.pairwise(slugs) if slug == after)
        raise ValueError(f"two rules are called {twice}")
    ordered: list[Rule] = []
    while waiting:
        ready = [rule for rule in waiting.values() if not any(slug in waiting for slug in rule.after)]
        if not ready:
            raise ValueError(f"rules that wait for each other: {', '.join(waiting)}")
        for rule in ready:
            ordered.append(waiting.pop(rule.slug))
    return ordered


def _run(
    rule: Rule, graph: SessionGraph, earlier: Sequence[Finding], places: _Places, time_limit: float
) -> tuple[list[Finding], RuleError | NotCheckable | None]:
    """What one rule finds, and what kept it from its end."""
    found: list[Finding] = []
    try:
        reason = rule.checkable(graph.session)
        if reason is not None:
            return found, NotCheckable(rule=rule.slug, reason=reason)
        with _alarm(time_limit):
            clock = _Clock(time_limit)
            for finding in _findings(rule, graph, earlier, places):
                problem = _problem(finding, rule, places)
                if problem is not None:
                    return found, RuleError(rule=rule.slug, error=problem)
                found.append(finding)
                if len(found) >= MOST_FINDINGS:
                    return found, RuleError(rule=rule.slug, error=f"stopped after {MOST_FINDINGS} findings")
                if clock.over():
                    raise _TookTooLong
    except _TookTooLong:
        return found, RuleError(rule=rule.slug, error=f"stopped after {time_limit:g} s")
    except (Exception, SystemExit) as error:
        # A rule is somebody's code on somebody's log: whatever it raises must not take the others' results along.
        words = _harmless(" ".join(str(error).split())[:300])
        return found, RuleError(
            rule=rule.slug,
            error=f"{type(error).__name__}: {words}" if words else type(error).__name__,
            where=_where(error),
        )
    return found, None


def _harmless(words: str) -> str:
    """What a rule said when it crashed, unless a secret stands in it: it may have read more than the session."""
    from sessionlens.redact import rescan

    return "words withheld: a secret stands in them" if words and rescan(words) else words


def _findings(
    rule: Rule, graph: SessionGraph, earlier: Sequence[Finding], places: _Places
) -> Iterator[Finding]:
    if isinstance(rule, FollowUp):
        seen = [finding for finding in earlier if finding.rule in rule.after]
        seen.sort(key=places.order)
        return rule.check_after(graph, tuple(seen))
    return rule.check(graph)


def _problem(finding: object, rule: Rule, places: _Places) -> str | None:
    """Why a finding cannot be reported; ``None`` when it can."""
    if not isinstance(finding, Finding):
        return f"yielded {type(finding).__name__}, not a finding"
    if finding.rule != rule.slug:
        return f"yielded a finding of {finding.rule}"
    if finding.severity not in SEVERITIES:
        return f"yielded the severity {finding.severity!r}; known are {', '.join(SEVERITIES)}"
    spots: tuple[Place | Because, ...] = (finding.at, *finding.because)
    for spot in spots:
        if not places.known(spot.session, spot.message_index):
            return (
                f"yielded a place that is not in the session: message {spot.message_index} of {spot.session}"
            )
    return None


def _where(error: BaseException) -> str:
    """Last line of a rule's own file in the traceback: the file's name and the line."""
    frames = traceback.extract_tb(error.__traceback__)
    package = Path(__file__).parent
    rules = package.parent / "rules", package / "rules"
    for frame in reversed(frames):
        folder = Path(frame.filename).parent
        if folder in rules or package not in (folder, *folder.parents):
            return f"{Path(frame.filename).name}:{frame.lineno}"
    last = frames[-1] if frames else None
    return f"{Path(last.filename).name}:{last.lineno}" if last else ""


class _TookTooLong(BaseException):
    """The time limit of a rule ran out. No ``Exception``, so that no rule catches it by accident."""


class _Clock:
    """How long something has been running."""

    def __init__(self, seconds: float) -> None:
        self._seconds, self._began, self._worked = seconds, time.monotonic(), time.process_time()

    def over(self) -> bool:
        """Whether it has worked for that many seconds, or waited for :data:`PATIENCE` times as many."""
        passed, worked = time.monotonic() - self._began, time.process_time() - self._worked
        return worked > self._seconds or passed > PATIENCE * self._seconds


@contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    """Raise :class:`_TookTooLong` in the running code after that many seconds of work, where the platform can."""
    usable = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    if not usable:
        yield
        return

    clock = _Clock(seconds)

    def ring(_signal: int, _frame: FrameType | None) -> None:
        if clock.over():
            raise _TookTooLong
        signal.setitimer(signal.ITIMER_REAL, seconds / 4)

    handler: Callable[[int, FrameType | None], Any] | int | None = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)


class _Places:
    """The reading order of a session and its children: a child's messages stand after the call that started it."""

    def __init__(self, session: Session) -> None:
        self._counted: dict[str, tuple[Session, array[int]]] = {}
        """Sessions whose messages are numbered from 0 on, as those of readers are, with the position of each message: keys
        would take more memory than the messages."""
        self._message: dict[tuple[str, int], int] = {}
        """Other messages."""
        self._call: dict[tuple[str, int, str], int] = {}
        """Calls but the first ones of counted messages, which stand right behind their message."""
        # A stack instead of recursion: a log decides how deep children nest.
        stack: list[tuple[Session, Iterator[Any], dict[str, Session]]] = [_opened(session)]
        position = 0
        while stack:
            current, steps, waiting = stack[-1]
            step = next(steps, None)
            if step is None:
                stack.pop()
                if waiting:
                    child = waiting.pop(next(iter(waiting)))
                    stack.append((current, iter(()), waiting))
                    stack.append(_opened(child))
                continue
            position += 1
            index, call_id, child_id = step
            if call_id is None and child_id is None:
                counted = self._counted.get(current.id)
                if counted is None and index == 0 and _counts(current):
                    counted = self._counted[current.id] = current, array("q")
                if counted is not None and counted[0] is current:
                    counted[1].append(position)
                else:
                    self._message.setdefault((current.id, index), position)
            else:
                if call_id is not None and not self._begins(current.id, index, call_id):
                    self._call.setdefault((current.id, index, call_id), position)
                if child_id in waiting:
                    stack.append(_opened(waiting.pop(child_id)))

    def known(self, session: str, message_index: int) -> bool:
        """Whether there is such a message."""
        return self._position(session, message_index) is not None

    def _position(self, session: str, index: int) -> int | None:
        counted = self._counted.get(session)
        if counted is not None and 0 <= index < len(counted[1]):
            return counted[1][index]
        return self._message.get((session, index))

    def _begins(self, session: str, index: int, call_id: str) -> bool:
        """Whether a call is the first one of a counted message."""
        counted = self._counted.get(session)
        if counted is None or not 0 <= index < len(counted[1]):
            return False
        first = next((part for part in counted[0].messages[index].parts if isinstance(part, Call)), None)
        return first is not None and first.id == call_id

    def position(self, place: Place) -> int:
        """Position of a place in reading order."""
        message = self._position(place.session, place.message_index)
        if message is None:
            raise KeyError(place.session, place.message_index)
        if place.call_id is None:
            return message
        if self._begins(place.session, place.message_index, place.call_id):
            return message + 1
        return self._call.get((place.session, place.message_index, place.call_id), message)

    def order(self, finding: Finding) -> tuple[int, str, str, str]:
        """Sorts findings by place, then by rule."""
        return self.position(finding.at), finding.rule, finding.fingerprint, finding.title


def _counts(session: Session) -> bool:
    return all(message.index == place for place, message in enumerate(session.messages))


def _opened(session: Session) -> tuple[Session, Iterator[Any], dict[str, Session]]:
    steps = (
        step
        for message in session.messages
        for step in (
            (message.index, None, None),
            *((message.index, c.id, c.child or "") for c in message.calls),
        )
    )
    return session, steps, {child.id: child for child in session.children}


def _overridden(finding: Finding, severities: Mapping[str, Severity]) -> Finding:
    severity = severities.get(finding.rule)
    return finding if severity is None else msgspec.structs.replace(finding, severity=severity)


def _told_apart(findings: Sequence[Finding]) -> Iterator[Finding]:
    """Findings whose rule did not tell two at one place apart get a number into their fingerprints."""
    seen: dict[str, int] = {}
    for finding in findings:
        number = seen[finding.fingerprint] = seen.get(finding.fingerprint, 0) + 1
        if number == 1:
            yield finding
        else:
            yield msgspec.structs.replace(
                finding, fingerprint=fingerprint(finding.rule, finding.at, f"{finding.fingerprint}{number}")
            )
