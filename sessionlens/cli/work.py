"""What ``audit`` does with its sources: read, redact, judge, write; one source at a time or in several processes.

A worker renders every form that was asked for into a staging folder and hands back small facts only, so that
nothing large crosses between processes. The parent names the results, puts them in place and sums up.
"""

from __future__ import annotations

import itertools
import os
import re
import signal
import threading
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import msgspec

from sessionlens import memory, processes
from sessionlens.cli import joined
from sessionlens.findings import SEVERITIES, ProfileName, aside

if TYPE_CHECKING:
    from concurrent.futures import Future
    from types import FrameType

    from sessionlens.config import Config
    from sessionlens.engine import Audit
    from sessionlens.gate import Gated
    from sessionlens.graph.ahead import Ahead
    from sessionlens.loader import Selection
    from sessionlens.model import Session
    from sessionlens.redact import Redactions
    from sessionlens.report.index import Line
    from sessionlens.report.reviews import Review

_SHOWN = 12
"""Findings that the summary of one session lists."""


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """What one run asks of every source. Plain values only: each process loads rules and settings itself."""

    formats: tuple[str, ...]
    """Forms to render."""
    folders: tuple[Path, ...] = ()
    """Folders with more rules."""
    select: tuple[str, ...] = ()
    """Rules to run; all when empty."""
    ignore: tuple[str, ...] = ()
    """Rules to leave out."""
    config: Path | None = None
    """Configuration file."""
    reader: str | None = None
    """Format to read as."""
    session: str | None = None
    """The one session to take."""
    message: str | None = None
    """Message to tell about."""
    redact: bool = True
    """Whether secrets are replaced."""
    redact_also: tuple[str, ...] = ()
    """What else is replaced: homes, emails, addresses, hosts."""
    reviews: tuple[Path, ...] = ()
    """Review files to show."""
    static: bool = False
    """Whether pages show everything without script."""
    baseline: Path | None = None
    """Earlier results whose findings do not count."""
    profile: ProfileName | None = None
    """What is reported, and what fails by default; the configuration's where nobody says."""
    one: bool = False
    """Whether no place for the results can hold more than one session: then more are not judged."""


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """One session, judged and rendered."""

    name: str
    """Name for its results, without suffix."""
    files: dict[str, Path]
    """Rendered file by form, in the staging folder."""
    line: Line | None
    """For the index of several pages; ``None`` where no page was asked for."""
    summary: tuple[str, ...]
    """Lines for a person; the first says it all."""
    severities: tuple[str, ...]
    """Of its faults that count: not known, not suppressed; signals and good conduct left out."""
    crashed: tuple[str, ...]
    """Rules that crashed, one line each."""
    told: bool
    """Whether the message that was asked about is in it; true when none was."""
    unused: frozenset[str]
    """Suppressions of the configuration that fitted nothing in it, in words."""


class Unread(msgspec.Struct, frozen=True, kw_only=True):
    """A file of a source that is or looks like a log and could not be read."""

    source: str
    """Its place in the folder."""
    reason: str
    """Why."""


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one source."""

    source: str
    """The source as given."""
    judged: tuple[Judged, ...] = ()
    """Its sessions."""
    unjudged: int = 0
    """Sessions that were read and not judged, as their results could be put nowhere."""
    failed: str | None = None
    """Why it could not be read."""
    rest: tuple[str, ...] = ()
    """Why some of its sessions could not be judged."""
    unread: tuple[Unread, ...] = ()
    """Files of a folder that could not be read beside others that could."""
    passed: int = 0
    """Files of a folder that are plainly no logs."""
    copies: tuple[tuple[str, str], ...] = ()
    """Files of a folder that hold the same session as another one and nothing else, each with that one."""
    hosts: tuple[str, ...] = ()
    """Other sources of the run in whose audits sessions of this one are judged."""
    stopped: bool = False
    """Whether the run was stopped from the keyboard before all of it was judged."""


@cache
def prepared(order: Order) -> tuple[Config, Selection]:
    """Settings and rules of an order, loaded once a process. Raises what the options raise."""
    from sessionlens.cli.options import configuration, selection

    config = configuration(order.config)
    return config, selection(config, order.folders, order.select, order.ignore)


@cache
def baseline(file: Path | None) -> frozenset[str] | None:
    """The fingerprints of a baseline, read once a process; ``None`` without one."""
    from sessionlens import gate

    return None if file is None else gate.read_baseline(file)


class Task(NamedTuple):
    """What one process has to judge: a source, or a share of its sessions."""

    number: int
    """Place of the source among those given, from 0."""
    spec: str
    """The source as given."""
    role: joined.Role = joined.ALONE
    """What it takes from other sources and gives to them."""
    first: int = 0
    """Place of its first session to judge."""
    step: int = 1
    """From one session to judge to the next: in how many processes the source is judged."""


def answer(order: Order, task: Task, staging: Path) -> Answer:
    """Do everything with one source, or with a share of it, but put the results in place."""
    spec, role = task.spec, task.role
    if role.empty:
        return Answer(source=spec, hosts=role.hosts)
    from sessionlens import readers
    from sessionlens.cli.formats import Leaked
    from sessionlens.readers.source import spooling_into
    from sessionlens.temporary import out_of_room

    first = task.number == 0
    if first:
        processes.settle()
    loading = None
    if order.redact:
        from sessionlens import redact

        loading = redact.warm()
    try:
        with spooling_into(staging):
            found = readers.scan(spec, reader=order.reader, session=order.session)
            sessions = _with_relatives(order, found.sessions, role)
    except readers.ReadError as error:
        return Answer(source=spec, failed=str(error))
    except Exception as error:
        return Answer(source=spec, failed=_unforeseen(spec, error))
    unread = tuple(Unread(source=error.file, reason=str(error)) for error in found.unread)
    whole = Answer(source=spec, unread=unread, passed=found.passed, copies=found.copies, hosts=role.hosts)
    if order.one and len(sessions) > 1:
        return msgspec.structs.replace(whole, unjudged=len(sessions))
    alone = len(sessions) == 1
    mine = list(enumerate(sessions))[task.first :: task.step]
    # What other processes judge need not be kept here.
    sessions.clear()
    ahead: Ahead | None = None
    if mine and loading is not None and loading.is_alive():
        _load(order)
        if first:
            processes.settle()
        ahead = _begun(order, [session for _, session in mine])
        while loading.is_alive():
            if not ahead.step():
                _rehearse(order)
                break
    judged: list[Judged] = []
    rest: list[str] = []
    stopped = False
    for place, session in mine:
        try:
            path = _within(spec, found.files.get(session.id))
            judged.append(
                _judge(
                    order,
                    spec,
                    session,
                    alone,
                    staging / f"{task.number}-{place}",
                    path=path,
                    ahead=ahead,
                )
            )
        except readers.ReadError as error:
            rest.append(str(error))
        except Leaked as error:
            rest.append(f"{shown(spec, session)}: {session.id}: {error}")
        except Exception as error:
            rest.append(_unforeseen(f"{spec}: {session.id}", error))
            if out_of_room(error) or memory.lacking(error):
                break
        except KeyboardInterrupt:
            stopped = True
            break
    return msgspec.structs.replace(whole, judged=tuple(judged), rest=tuple(rest), stopped=stopped)


def _united(shares: Sequence[Answer]) -> Answer:
    """What became of a source, from its shares in order: its sessions in the order in which they stand there."""
    first = shares[0]
    if len(shares) == 1:
        return first
    read = [one for one in shares if one.failed is None]
    if not read:
        return first
    lost = [one.failed for one in shares if one.failed is not None]
    judged = sorted(
        ((place, number, row) for number, one in enumerate(shares) for place, row in enumerate(one.judged)),
        key=lambda found: found[:2],
    )
    return msgspec.structs.replace(
        read[0],
        judged=tuple(row for _, _, row in judged),
        rest=(*(reason for one in read for reason in one.rest), *lost),
        stopped=any(one.stopped for one in shares),
    )


_REHEARSED = "asked-before-destructive"
"""A rule in whose first example somebody asks, commands are run and answered, and the agent speaks: judging it loads
most of what judging any session does."""


def _load(order: Order) -> None:
    """Load what judging and writing will need, while the scanner is loaded on another core."""
    import sessionlens.narrative  # noqa: F401

    if "html" in order.formats:
        from sessionlens.report import html

        html.load()


def _rehearse(order: Order) -> None:
    """Judge a small session, which loads most of what judging any session needs."""
    from sessionlens import engine

    _, selection = prepared(order)
    # Our own rules alone: what others' rules do on a session that nobody gave them is not ours to say.
    rules = [rule for rule in selection.rules if type(rule).__module__.startswith("sessionlens.rules.")]
    for rule in rules:
        if rule.slug == _REHEARSED:
            engine.audit(rule.examples[0].build()[0], rules=rules)


def _with_relatives(order: Order, sessions: list[Session], role: joined.Role) -> list[Session]:
    """The sessions of a source without those that other sources take, and with what it takes from others."""
    if role == joined.ALONE:
        return sessions
    from sessionlens import readers
    from sessionlens.readers.family import adopt

    own = [one for one in sessions if one.id not in role.leaves]
    taken = [
        one
        for take in role.takes
        for one in readers.scan(take.spec, reader=order.reader).sessions
        if one.id in take.ids
    ]
    return adopt(own, taken) if taken else own


def _begun(order: Order, sessions: Sequence[Session]) -> Ahead:
    """What the calls of sessions show, to be found out before they are redacted: of those that this leaves alone."""
    from sessionlens.graph.ahead import Ahead

    config, _ = prepared(order)
    return Ahead(sessions, config.environments)


def judge(order: Order, spec: str, session: Session) -> Audit:
    """The audit of one session, redacted before anything looks at it unless that is off."""
    return _audited(order, spec, *_redacted(order, session))


def _redacted(order: Order, session: Session) -> tuple[Session, Redactions | None]:
    if not order.redact:
        return session, None
    from sessionlens.redact import RedactOptions, redact

    return redact(session, options=RedactOptions(**dict.fromkeys(order.redact_also, True)))


def _audited(order: Order, spec: str, session: Session, redactions: Redactions | None, **known: Any) -> Audit:
    """The audit of a session that is redacted.

    :param known: what somebody has found out of it already; see :func:`sessionlens.engine.audit`.
    """
    from sessionlens import engine

    config, selection = prepared(order)
    return engine.audit(
        session,
        rules=selection.rules,
        unreported=selection.unreported,
        settings=config.environments,
        severities=config.severity,
        redactions=redactions,
        source=shown(spec, session),
        **known,
    )


def _within(spec: str, file: str | None) -> str:
    """The path of a log from the current folder, where it is a file within it; else empty.

    :param file: the file of a folder that holds the session, relative to the folder.
    """
    path = Path(spec) if file is None else Path(spec) / file
    try:
        return path.resolve().relative_to(Path.cwd()).as_posix() if path.is_file() else ""
    except (OSError, ValueError):
        return ""


def _gated(gated: Gated) -> Iterator[str]:
    """What does not count, and why, in lines."""
    marks = gated.audit.marks
    found = [marks[one.fingerprint] for one in gated.audit.findings if one.fingerprint in marks]
    known = sum(mark.known and mark.suppressed is None for mark in found)
    suppressed = sum(mark.suppressed is not None for mark in found)
    if known:
        yield f"  {_count(known, 'finding')} known from the baseline"
    if suppressed:
        yield f"  {_count(suppressed, 'finding')} suppressed with a reason"
    if gated.left_out:
        yield f"  {_count(gated.left_out, 'finding')} left out by the profile"
    for note in gated.notes:
        yield f"  {note}"


def _judge(
    order: Order, spec: str, session: Session, alone: bool, stem: Path, *, path: str, ahead: Ahead | None
) -> Judged:
    from sessionlens import gate
    from sessionlens.cli.aside import Aside, large
    from sessionlens.cli.formats import render

    config, _ = prepared(order)
    clean, redactions = _redacted(order, session)
    sparing = large(clean)
    if sparing:
        processes.give_back()
    with Aside(
        clean, stem.parent, page="html" in order.formats and not order.static, redacted=order.redact
    ) as aside:
        known: dict[str, Any] = {"read": aside.read, "may_act": aside.may_act}
        if ahead is not None:
            known["judged"] = ahead.judged
        gated = gate.gate(
            msgspec.structs.replace(_audited(order, spec, clean, redactions, **known), path=path),
            baseline=baseline(order.baseline),
            suppressions=config.suppress,
            profile=order.profile or config.profile,
        )
        audit = gated.audit
        if sparing:
            processes.give_back()
        message = order.message if told(audit.session, order.message) else None
        files, line = render(
            audit,
            order.formats,
            stem,
            message=message,
            static=order.static,
            reviews=_reviews(order, session),
            made=aside.chunk,
        )
    return Judged(
        name=result_name(spec, session, alone),
        files=files,
        line=line,
        summary=(*summary(audit, alone=alone), *_gated(gated)),
        severities=tuple(finding.severity for finding in gate.counting(audit)),
        crashed=tuple(
            f"{audit.source}: rule {row.rule} did not finish: {row.error}"
            + (f" ({row.where})" if row.where else "")
            for row in audit.rule_errors
        ),
        told=order.message is None or message is not None,
        unused=gated.unused,
    )


def _reviews(order: Order, session: Session) -> dict[str, Review]:
    """What the review files say of a session."""
    if not order.reviews:
        return {}
    from sessionlens.report import reviews

    return reviews.by_finding((reviews.read(path) for path in order.reviews), session.id)


def told(session: Session, message: str | None) -> bool:
    """Whether a session or one of its children holds a message of this id."""
    return message is not None and any(one.find(message) is not None for one in session.family())


def shown(spec: str, session: Session) -> str:
    """Name of the log to show: the file's own name, or the session's id where it was looked up."""
    if spec == "-":
        return "stdin"
    path = Path(spec)
    return path.name or path.resolve().name if path.exists() else session.id


def result_name(spec: str, session: Session, alone: bool) -> str:
    """Name for the results of a session: the file's stem where it has one session, else the session's id."""
    path = Path(spec)
    name = path.stem if alone and spec != "-" and path.is_file() else session.id
    # A session's id comes from the log: it must neither leave the folder nor hide there.
    return re.sub(r"[^\w.-]+", "_", name).lstrip(".-")[:120] or "session"


def summary(audit: Audit, *, alone: bool = True) -> Iterator[str]:
    """What a person wants to know at once, a line each; with the session's id where its source holds others."""
    session = audit.session
    name = audit.source if alone else f"{audit.source} {session.id}"
    faults = [finding for finding in audit.findings if not aside(finding)]
    calls = sum(len(message.calls) for message in session.messages)
    head = f"{name}: {_count(len(session.messages), 'message')}, {_count(calls, 'call')}"
    counts = [(sum(finding.severity == severity for finding in faults), severity) for severity in SEVERITIES]
    worded = ", ".join(f"{number} {severity}" for number, severity in counts if number)
    yield f"{head}; {_count(len(faults), 'finding')}" + (f": {worded}" if worded else "")
    for finding in sorted(faults, key=lambda f: SEVERITIES.index(f.severity))[:_SHOWN]:
        where = finding.at.message_id or f"#{finding.at.message_index}"
        yield f"  {finding.severity:8}  message {where}  {finding.rule}: {finding.title}"
    if len(faults) > _SHOWN:
        yield f"  and {len(faults) - _SHOWN} more"
    for kind, what in (("good", "handled well"), ("signal", "signal")):
        asides = Counter(f.rule for f in audit.findings if aside(f) and f.kind == kind)
        if asides:
            listed = ", ".join(f"{rule} {number}" for rule, number in sorted(asides.items()))
            yield f"  {what if kind == 'good' else _count(asides.total(), what)}: {listed}"
    unclosed = sum(operation.closed_by == "none" for operation in audit.graph.ledger)
    if unclosed:
        yield f"  {_count(unclosed, 'operation')} still open at the end"
    gaps = sum(1 for one in session.family() for _ in one.all_gaps())
    if gaps:
        yield f"  {_count(gaps, 'gap')} in the log"
    if audit.not_checkable:
        reasons = Counter(row.reason for row in audit.not_checkable)
        unable = _count(len(audit.not_checkable), "rule")
        yield f"  {unable} cannot judge this log: {reasons.most_common(1)[0][0]}"


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _unforeseen(where: str, error: Exception) -> str:
    """A fault of our own on somebody's log: said as one, so that it is reported and the other logs go on."""
    import traceback

    from sessionlens.temporary import no_room, out_of_room

    last = traceback.extract_tb(error.__traceback__)[-1]
    name = where if not os.path.isabs(where) else Path(where).name
    if out_of_room(error):
        return f"{name}: {no_room(error)}"
    if memory.lacking(error):
        return f"{name}: {memory.told(error)}"
    return (
        f"{name}: a fault of sessionlens, please report it: {type(error).__name__}: {error} "
        f"({Path(last.filename).name}:{last.lineno})"
    )


def answers(order: Order, specs: Sequence[str], staging: Path, jobs: int) -> Generator[Answer, None, None]:
    """What becomes of every source, in the order given. Closed early, it waits for what has been begun.

    Stopped from the keyboard, it hands out what was finished; of the other sources, that they were stopped.
    """
    futures: dict[int, list[Future[Answer]]] = {}
    given = 0
    with _Keyboard() as keyboard:
        steps = _answers(order, specs, staging, jobs, futures)
        try:
            while (one := keyboard.following(steps)) is not None:
                given += 1
                yield one
                if one.stopped:
                    raise KeyboardInterrupt
        except KeyboardInterrupt:
            for number in range(given, len(specs)):
                shares = [one for one in futures.get(number, ()) if _finished(one)]
                if not shares:
                    yield Answer(source=specs[number], stopped=True)
                    continue
                united = _united([one.result() for one in shares])
                part = len(shares) < len(futures[number])
                yield msgspec.structs.replace(united, stopped=True) if part else united


def _finished(future: Future[Answer]) -> bool:
    return future.done() and not future.cancelled() and future.exception() is None


class _Keyboard:
    """Hears that somebody stops the run: at once while the next answer is worked on, else when it is asked for, so
    that no answer is lost between the one who made it and the one who takes it.
    """

    def __init__(self) -> None:
        self._asked = self._working = False
        self._listens = False

    def __enter__(self) -> Self:
        # A run in the background that was told not to hear stays so; and only the main thread may listen.
        if (
            threading.current_thread() is threading.main_thread()
            and signal.getsignal(signal.SIGINT) is signal.default_int_handler
        ):
            signal.signal(signal.SIGINT, self._heard)
            self._listens = True
        return self

    def __exit__(self, *_: object) -> None:
        if self._listens:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    def _heard(self, number: int, frame: FrameType | None) -> None:
        self._asked = True
        if self._working:
            raise KeyboardInterrupt

    def following(self, steps: Generator[Answer, None, None]) -> Answer | None:
        """The next answer; ``None`` after the last.

        :raises KeyboardInterrupt: when it was heard before the answer was there.
        """
        self._working = True
        try:
            return steps.throw(KeyboardInterrupt()) if self._asked else next(steps, None)
        finally:
            self._working = False


def side_by_side(order: Order, specs: Sequence[str], jobs: int) -> bool:
    """Whether several processes judge."""
    return jobs > 1 and sum(_shares(order, specs, jobs)) > 1


def _shares(order: Order, specs: Sequence[str], jobs: int) -> list[int]:
    """In how many processes each source is judged: what may hold many sessions is shared out where there are fewer
    such sources than processes.
    """
    from sessionlens import readers

    if order.session is not None or order.one:
        return [1] * len(specs)
    many = [jobs > 1 and readers.many(spec) for spec in specs]
    each = -(-jobs // max(1, sum(many)))
    return [each if one else 1 for one in many]


def _answers(
    order: Order, specs: Sequence[str], staging: Path, jobs: int, futures: dict[int, list[Future[Answer]]]
) -> Generator[Answer, None, None]:
    roles = _roles(order, specs, jobs, staging)
    counts = _shares(order, specs, jobs)
    tasks = [
        [Task(number, spec, roles[number], first, counts[number]) for first in range(counts[number])]
        for number, spec in enumerate(specs)
    ]
    if not side_by_side(order, specs, jobs):
        for task in itertools.chain.from_iterable(tasks):
            yield answer(order, task, staging)
        return
    from concurrent.futures.process import BrokenProcessPool

    with processes.workers(min(jobs, sum(counts))) as pool:
        with processes.unheard():
            for number, spec in enumerate(specs):
                # Standard input belongs to this process.
                if spec != "-":
                    futures[number] = [pool.submit(answer, order, task, staging) for task in tasks[number]]
        for number, given in enumerate(tasks):
            if number not in futures:
                yield answer(order, given[0], staging)
                continue
            found = []
            for task, future in zip(given, futures[number], strict=True):
                try:
                    found.append(future.result())
                except BrokenProcessPool:
                    # One source took its process down and the pool with it. Alone, only the guilty one fails.
                    found.append(_alone(order, task, staging))
            yield _united(found)


def _outline(spec: str, reader: str | None, staging: Path) -> joined.Outline:
    from sessionlens.readers.source import spooling_into

    with spooling_into(staging):
        return joined.outline(spec, reader)


def _roles(order: Order, specs: Sequence[str], jobs: int, staging: Path) -> list[joined.Role]:
    """Which sources hold sessions of one family. One session that was asked for stands for itself.

    Standard input can be read but once: what it holds is not joined.
    """
    if len(specs) <= 1 or order.session is not None:
        return [joined.ALONE] * len(specs)
    if jobs <= 1:
        outlines = [joined.Outline() if s == "-" else _outline(s, order.reader, staging) for s in specs]
        return joined.roles(specs, outlines)
    from concurrent.futures.process import BrokenProcessPool

    outlines = []
    with processes.workers(min(jobs, len(specs))) as pool:
        futures: list[Future[joined.Outline] | None] = []
        with processes.unheard():
            for spec in specs:
                try:
                    futures.append(
                        None if spec == "-" else pool.submit(_outline, spec, order.reader, staging)
                    )
                except BrokenProcessPool:
                    futures.append(None)
        for spec, future in zip(specs, futures, strict=True):
            if spec == "-":
                outlines.append(joined.Outline())
                continue
            try:
                outlines.append(_outlined_alone(order, spec, staging) if future is None else future.result())
            except BrokenProcessPool:
                outlines.append(_outlined_alone(order, spec, staging))
    return joined.roles(specs, outlines)


def _outlined_alone(order: Order, spec: str, staging: Path) -> joined.Outline:
    """One source looked at in a process of its own; one that takes it down is told when it is judged."""
    from concurrent.futures.process import BrokenProcessPool

    with processes.workers(1) as pool:
        try:
            with processes.unheard():
                future = pool.submit(_outline, spec, order.reader, staging)
            return future.result()
        except BrokenProcessPool:
            return joined.Outline()


def _alone(order: Order, task: Task, staging: Path) -> Answer:
    """What one process had to judge, in a process of its own."""
    from concurrent.futures.process import BrokenProcessPool

    with processes.workers(1) as pool:
        try:
            with processes.unheard():
                future = pool.submit(answer, order, task, staging)
            return future.result()
        except BrokenProcessPool:
            return Answer(source=task.spec, failed=f"{Path(task.spec).name}: the process that read it died")
