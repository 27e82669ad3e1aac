"""From a source to rows: the pure function that every scheduler runs.

:func:`extract` reads, redacts and judges one unit of work and returns everything there is to say of its sessions.
It decides nothing that depends on other sources: duplicates, splits, samples, reviews and the partners of pairs are
decided afterwards, from the small :class:`Head` of each session, and applied to its :class:`Body`.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec

from sessionlens import memory, readers, temporary
from sessionlens.curate import chat, doubts, similar, windows
from sessionlens.curate.fit import Donor
from sessionlens.curate.looked import Looked
from sessionlens.curate.names import STAND_IN, problem, renamed
from sessionlens.curate.names import named as plain_name
from sessionlens.curate.rows import (
    Act,
    ChangeRow,
    EpisodeRow,
    FindingRow,
    OperationRow,
    SessionRow,
    StepRow,
    ToolRow,
    Use,
)
from sessionlens.curate.tokens import APPROXIMATE, counter
from sessionlens.curate.windows import Talk, Told, Wanted
from sessionlens.engine import Audit
from sessionlens.findings import SEVERITIES, Finding
from sessionlens.graph.events import Ran
from sessionlens.graph.queries import human, told_state
from sessionlens.model import Message, Session, Unread
from sessionlens.report.json import encode, moment
from sessionlens.wording import named

if TYPE_CHECKING:
    from sessionlens.environments import EnvironmentSettings
    from sessionlens.loader import Selection

LONG_STEP = 80
"""Characters from which on a step that stands in two sessions shows that they are copies; shorter ones recur."""
LONG_WORDS = 120
"""Characters from which on two sessions with the same words of a person belong together: shorter ones recur by chance."""
PERSONAL = ("homes", "emails", "addresses", "hosts")
"""What is replaced besides secrets unless the run says otherwise."""


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """What one run asks of every source. Plain values only: each process loads rules and settings itself."""

    folders: tuple[str, ...] = ()
    """Folders with more rules."""
    select: tuple[str, ...] = ()
    """Rules to run; all when empty."""
    ignore: tuple[str, ...] = ()
    """Rules to leave out."""
    config: str | None = None
    """Configuration file."""
    reader: str | None = None
    """Format to read as."""
    redact: bool = True
    """Whether secrets are replaced."""
    personal: tuple[str, ...] = PERSONAL
    """What else is replaced."""
    result_limit: int = chat.RESULT_LIMIT
    """Characters of one tool result that are kept."""
    reasoning: bool = False
    """Whether thinking is part of chat messages."""
    tokenizer: str = APPROXIMATE
    """Place of the function that counts tokens."""
    near: bool = True
    """Whether sketches for near duplicates are made."""
    text: bool = True
    """Whether steps, episodes and pairs are made; figures need none."""
    opt_out: tuple[str, ...] = ()
    """Lines of the opt-out list."""


class Unit(msgspec.Struct, frozen=True, kw_only=True):
    """What is read together: one log, or several that hold sessions of one family."""

    paths: tuple[str, ...]
    """Files, folders, ids of sessions, or addresses for fsspec."""
    names: tuple[str, ...]
    """Their names in the data set, relative to what the run was given."""
    keys: tuple[str, ...]
    """Hashes of their contents."""
    size: int
    """Bytes."""
    ids: tuple[str, ...] = ()
    """Of a store: the sessions to take; all when empty."""
    met: bool = False
    """Whether it was met in a folder: files there may be no logs."""


class Stub(msgspec.Struct, frozen=True, kw_only=True):
    """What deciding needs to know of an episode."""

    episode: str
    """Its name."""
    session: str
    """Its session."""
    kind: str
    """Fault, good, signal."""
    rule: str
    """Its rule."""
    severity: str
    """Of its finding."""
    confidence: str
    """Of its label."""
    fingerprint: str | None
    """Of its finding."""
    situation: str
    """Kind of operation."""
    environment: str | None
    """Where it took place."""
    model: str | None
    """Who wrote the event."""
    client: str | None
    """With which client."""
    event_step: int
    """Where it is."""
    tokens: int
    """How long it is."""
    doubt: str | None
    """Why it is left out unless people confirm it."""
    exact: bytes
    """Hash of its event."""
    sketch: bytes
    """MinHash of its event; empty without."""


class Copy(msgspec.Struct, frozen=True, kw_only=True):
    """What shows whether a session is a copy of another one."""

    session: str
    """Its id."""
    exact: bytes
    """Hash of all its steps in order."""
    steps: bytes
    """Hashes of its long steps, eight bytes each, in order."""
    places: tuple[int, ...]
    """Positions of these steps."""
    asked: bytes
    """Hashes of what persons wrote at length, eight bytes each."""
    runs: bytes
    """Hashes of runs of words in what persons wrote, and of the heading of the first request, eight bytes each."""
    sketch: bytes
    """MinHash of what was written in it; empty without."""


class Ask(msgspec.Struct, frozen=True, kw_only=True):
    """What deciding needs to know of a pair."""

    pair: str
    """Its name."""
    episode: str
    """Its episode."""
    session: str
    """Its session."""
    situation: str
    """Kind of operation."""
    language: str | None
    """Of its session."""
    drafted: bool
    """Whether it has an answer to prefer without one from elsewhere."""
    exact: bytes
    """Hash of its question and the rejected answer."""
    chosen: bytes
    """Hash of its drafted answer; empty without."""
    sketch: bytes
    """MinHash of the same; empty without."""


class Head(msgspec.Struct, frozen=True, kw_only=True):
    """What is said of a session with its children without their text."""

    source: str
    """Name of its source."""
    parents: tuple[str, ...]
    """Ids of parents that are not in the source."""
    project: str | None
    """Mark of its working directory; ``None`` where that names no project."""
    sessions: tuple[SessionRow, ...]
    """Facts."""
    findings: tuple[FindingRow, ...]
    """What the rules report."""
    operations: tuple[OperationRow, ...]
    """The ledger."""
    changes: tuple[ChangeRow, ...]
    """Changes in production."""
    tools: tuple[ToolRow, ...]
    """Calls by tool."""
    rules: tuple[str, ...]
    """Slugs of the rules that ran."""
    copies: tuple[Copy, ...]
    """To find copies by."""
    stubs: tuple[Stub, ...]
    """Its episodes."""
    asks: tuple[Ask, ...]
    """Its pairs."""
    donors: tuple[Donor, ...]
    """Real answers for other pairs."""
    size: int
    """Bytes of its body."""


class Body(msgspec.Struct, frozen=True, kw_only=True):
    """The text of a session with its children."""

    steps: tuple[StepRow, ...]
    """One a message."""
    episodes: tuple[EpisodeRow, ...]
    """Windows."""
    pairs: tuple[Wanted, ...]
    """Preference data with drafted answers."""


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """Something that could not be read or judged."""

    source: str
    """Name of the source."""
    reason: str
    """Why."""
    kind: str
    """``unread``, ``rule`` for a rule that crashed, ``passed`` for files that are no logs, ``opted_out``."""
    count: int = 1
    """How many."""
    entries: tuple[str, ...] = ()
    """Of one that was opted out: marks of the entries that name it."""


class Extracted(msgspec.Struct, frozen=True, kw_only=True):
    """What one unit of work gives."""

    heads: tuple[Head, ...]
    """One a session on top."""
    bodies: tuple[bytes, ...]
    """The encoded :class:`Body` of each."""
    problems: tuple[Problem, ...]
    """What could not be read or judged."""


def extract(unit: Unit, order: Order) -> Extracted:
    """Everything there is to say of the sessions of a unit. The same unit and order give the same bytes."""
    from sessionlens.curate.sources import opened

    problems: list[Problem] = []
    heads: list[Head] = []
    bodies: list[bytes] = []
    sessions: list[tuple[str, Session]] = []
    with opened(unit) as paths:
        for path, name in zip(paths, unit.names, strict=True):
            try:
                found = _scan(path, order, unit.ids)
            except readers.ReadError as error:
                plain = unit.met and _plain(path)
                reason = "no log" if plain else str(error)
                problems.append(Problem(source=name, reason=reason, kind="passed" if plain else "unread"))
                continue
            except Exception as error:
                problems.append(Problem(source=name, reason=_unforeseen(error), kind="unread"))
                continue
            sessions += [(name, session) for session in found.sessions]
            problems += [Problem(source=name, reason=str(e), kind="unread") for e in found.unread]
            if found.passed:
                problems.append(Problem(source=name, reason="no logs", kind="passed", count=found.passed))
        if len(unit.paths) > 1:
            sessions = _joined(sessions)
        for name, session in sessions:
            entries = opted_out(order.opt_out, name, session)
            if entries:
                problems.append(
                    Problem(
                        source=name, reason="opted out", kind="opted_out", entries=tuple(map(mark, entries))
                    )
                )
                continue
            try:
                shown = plain_name(name, order)
                audit = judge(session, order, shown)
                head, body = rows(audit, order, shown, project_of(session.directory))
            except Exception as error:
                reason = f"{session.id}: {_unforeseen(error)}"
                problems.append(Problem(source=name, reason=reason, kind="unread"))
                continue
            problems += [
                Problem(
                    source=name,
                    reason=f"{session.id}: rule {row.rule} did not finish: {row.error}",
                    kind="rule",
                )
                for row in audit.rule_errors
            ]
            encoded = msgspec.msgpack.encode(_whole(body)) if order.text else b""
            heads.append(msgspec.structs.replace(_whole(head), size=len(encoded)))
            bodies.append(encoded)
    ids = [one.id for _, session in sessions for one in session.family()]
    kept = tuple(problem(one, order, ids) for one in problems)
    return Extracted(heads=tuple(heads), bodies=tuple(bodies), problems=kept)


def _scan(path: str, order: Order, ids: Sequence[str]) -> readers.Scan:
    from sessionlens.readers.base import SelectiveReader

    if not ids:
        return readers.scan(path, reader=order.reader)
    source = readers.open_source(path)
    reader = readers.get(order.reader) if order.reader else readers.recognise(source)
    if not isinstance(reader, SelectiveReader):
        # The ids are those of a store that holds others of the same family; this log is read whole.
        return readers.scan(path, reader=order.reader)
    return readers.Scan(sessions=readers.nest(list(reader.read_only(source, tuple(ids)))))


def _plain(path: str) -> bool:
    """Whether a file is plainly no log: then a folder may hold it."""
    try:
        source = readers.open_source(path)
        return source.size == 0 or not readers._looks_like_a_log(source)
    except readers.ReadError:
        return False


def _joined(sessions: Sequence[tuple[str, Session]]) -> list[tuple[str, Session]]:
    """Sessions of several sources, children inside their parents."""
    from sessionlens.readers.family import adopt

    names = {session.id: name for name, session in reversed(sessions)}
    return [
        (names.get(session.id, sessions[0][0]), session)
        for session in adopt([], [one for _, one in sessions])
    ]


def _unforeseen(error: Exception) -> str:
    import traceback

    if memory.lacking(error):
        return memory.told(error)
    if temporary.out_of_room(error):
        return temporary.no_room(error)
    last = traceback.extract_tb(error.__traceback__)[-1]
    words = " ".join(str(error).split())[:200]
    return (
        f"a fault of sessionlens, please report it: {type(error).__name__}: {words} "
        f"({Path(last.filename).name}:{last.lineno})"
    )


_T = TypeVar("_T")


def _whole(value: _T) -> _T:
    """The same rows, half characters that no UTF-8 can hold replaced."""
    try:
        msgspec.msgpack.encode(value)
    except UnicodeEncodeError:
        return msgspec.convert(_replaced(msgspec.to_builtins(value, builtin_types=(bytes,))), type(value))
    return value


def _replaced(value: object) -> object:
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, dict):
        return {_replaced(key): _replaced(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_replaced(item) for item in value]
    return value


def mark(entry: str) -> str:
    """What stands for an entry of the opt-out list in what is kept: the name itself must not stay."""
    return hashlib.sha256(entry.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def opted_out(lines: Iterable[str], source: str, session: Session) -> list[str]:
    """The lines of the opt-out list that name a session: by its id, its repository or its source.

    ``session:ID``, ``repository:NAME``, ``source:NAME``; a bare line means any of the three. ``*`` fits anything.
    """
    family = list(session.family())
    ids = [one.id for one in family] + [one.parent for one in family if one.parent]
    places = [one.directory for one in family if one.directory]
    return listed(lines, ids, [*places, *filter(None, map(repository_of, places))], [source])


def named_in(lines: Iterable[str], source: str, rows: Sequence[SessionRow]) -> bool:
    """The same for a session that was extracted already."""
    ids = [row.session for row in rows] + [row.parent for row in rows if row.parent]
    if any(map(STAND_IN.search, ids)):
        # What it was called does not stand here: the log is looked at once more.
        return True
    places = [value for row in rows for value in (row.directory, row.repository) if value]
    return bool(listed(lines, ids, places, [source]))


def listed(
    lines: Iterable[str], ids: Sequence[str], repositories: Sequence[str], sources: Sequence[str]
) -> list[str]:
    """The lines of the opt-out list that name one of these. A name with signs for patterns also stands for itself."""
    from fnmatch import fnmatchcase

    values = {"session": ids, "repository": repositories, "source": sources}
    found = []
    for line in lines:
        kind, pattern = _opt_out_line(line)
        # A path may be written from here, with a dot: names of sources have none.
        spelled = {pattern, pattern.removeprefix("./").rstrip("/")}
        if any(
            value == one or fnmatchcase(value, one)
            for name, named_values in values.items()
            if kind in (None, name)
            for value in named_values
            for one in spelled
        ):
            found.append(line)
    return found


def _opt_out_line(line: str) -> tuple[str | None, str]:
    kind, colon, rest = line.partition(":")
    return (kind, rest.strip()) if colon and kind in ("session", "repository", "source") else (None, line)


def judge(session: Session, order: Order, source: str) -> Audit:
    """The audit of a session, redacted before anything looks at it unless that is off."""
    from sessionlens import engine
    from sessionlens.curate.prepared import prepared

    settings, selection = prepared(order.config, order.folders, order.select, order.ignore)
    called = renamed(session, order)
    clean, redactions = called, None
    if order.redact:
        from sessionlens.redact import RedactOptions, redact

        clean, redactions = redact(called, options=RedactOptions(**dict.fromkeys(order.personal, True)))
    audit = engine.audit(
        clean,
        rules=selection.rules,
        unreported=selection.unreported,
        settings=settings.environments,
        severities=settings.severity,
        redactions=redactions,
        source=Path(source).name,
    )
    private = redactions is not None and bool(_PRIVATE & redactions.by_kind.keys())
    if not audit.findings or not (private or called is not session):
        return audit
    return _named_as_audited(audit, session, selection, settings.environments)


_PRIVATE = frozenset({"user", "email", "address", "host"})
"""Kinds of redactions that an audit leaves in place by default."""


def _named_as_audited(
    audit: Audit, session: Session, selection: Selection, settings: EnvironmentSettings
) -> Audit:
    """The audit with the fingerprints that an audit of the log gives.

    A fingerprint may rest on the name of a host or a file. Private names are replaced here and not there, so that the
    same finding would have two, and a review made on a page would not be found. The rules that found something run
    once more on the session with its secrets alone replaced; a finding that is not there then is owed to a stand-in
    (an address that no longer shows whose it is) and goes.
    """
    from sessionlens import engine
    from sessionlens.redact import redact

    found = {finding.rule for finding in audit.findings}
    wanted = {rule.slug for rule in selection.rules if rule.slug in found}
    waiting = list(wanted)
    while waiting:
        rule = next(rule for rule in selection.rules if rule.slug == waiting[-1])
        waiting.pop()
        more = {slug for slug in rule.after if slug not in wanted}
        wanted |= more
        waiting += [rule.slug for rule in selection.rules if rule.slug in more]
    rules = [rule for rule in selection.rules if rule.slug in wanted]
    plain = redact(session)[0]
    known = engine.audit(plain, rules=rules, settings=settings)
    ids: dict[str, str] = {a.id: b.id for a, b in zip(plain.family(), audit.session.family(), strict=True)}
    ids |= {
        a.id: b.id
        for before, after in zip(plain.family(), audit.session.family(), strict=True)
        for one, other in zip(before.messages, after.messages, strict=True)
        for a, b in zip(one.calls, other.calls, strict=True)
        if a.id and b.id and a.id != b.id
    }
    names: dict[tuple[str, str, int, str | None], list[str]] = {}
    for finding in known.findings:
        slug, session_id, index, call = _place_of(finding)
        place = slug, ids.get(session_id, session_id), index, ids.get(call, call) if call else call
        names.setdefault(place, []).append(finding.fingerprint)
    kept = []
    for finding in audit.findings:
        there = names.get(_place_of(finding))
        if there:
            kept.append(msgspec.structs.replace(finding, fingerprint=there.pop(0)))
    return msgspec.structs.replace(audit, findings=tuple(kept))


def _place_of(finding: Finding) -> tuple[str, str, int, str | None]:
    at = finding.at
    return finding.rule, at.session, at.message_index, at.call_id


_GENERIC = re.compile(
    r"^(?:/|/root|/tmp|/workspace|/app|/home/[^/]+|/Users/[^/]+|[A-Za-z]:[\\/](?:Users[\\/][^\\/]+)?|~|\.)$"
)
_COMMON = frozenset(
    """
    app apps build checkout ci clone code data demo desktop dev develop docs documents downloads example git github home hostedtoolcache
    local main master mnt my-app my-project myapp myproject new new-project opt private proj project projects public repo repos
    repositories repository root runner sandbox scratch source src srv submission temp test testbed testing tests tmp tree usr users
    var volumes web work workdir workspace workspaces worktree worktrees www
    """.split()  # noqa: SIM905 - a list of words reads better as text
)
"""Names of folders that say nothing of a project."""


def repository_of(directory: str | None) -> str | None:
    """A name for the project in a working directory: its last part; ``None`` for a home folder or the like."""
    if not directory or _GENERIC.match(directory.rstrip("/\\") or "/"):
        return None
    name = re.split(r"[\\/]+", directory.rstrip("/\\"))[-1]
    return name or None


def project_of(directory: str | None) -> str | None:
    """What sessions in the same working directory share: a hash of its whole path, as the log has it.

    ``None`` where the path has no name of its own, for then it lies on many machines (``/app``, ``/workspace/src``).
    Projects that only end alike, ``/home/anna/shop`` and ``/srv/shop``, are two.
    """
    if repository_of(directory) is None or directory is None:
        return None
    parts = [part for part in re.split(r"[\\/]+", directory) if part]
    home = next((at for at, part in enumerate(parts) if part.casefold() in ("home", "users")), None)
    own = [part for at, part in enumerate(parts) if home is None or at not in (home, home + 1)]
    if all(part.casefold() in _COMMON or len(part) < 3 for part in own):
        return None
    text = "/".join(parts).casefold()
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


# -------------------------------------------------------------------------------------------------------- rows


def rows(audit: Audit, order: Order, source: str, project: str | None = None) -> tuple[Head, Body]:
    """The rows of an audited session with its children."""
    looked = Looked(audit)
    root = audit.session
    count = counter(order.tokenizer)
    talk = Talk(looked, order.result_limit, order.reasoning)
    members = list(looked.members.values())
    members.reverse()
    languages = _languages(looked)
    facts = {member.id: _session(looked, member, source, languages) for member in members}
    reaches = {finding.fingerprint: looked.reach(finding) for finding in audit.findings}
    doubted = {f.fingerprint: why for f in audit.findings if (why := doubts.of(looked, f)) is not None}
    findings = tuple(
        FindingRow(
            fingerprint=finding.fingerprint,
            session=finding.at.session,
            family=root.id,
            rule=finding.rule,
            kind=finding.kind,
            severity=finding.severity,
            confidence=finding.confidence,
            title=finding.title,
            note=finding.note,
            step=finding.at.message_index,
            last_step=reaches[finding.fingerprint].last,
            masks=reaches[finding.fingerprint].masks,
            call=finding.at.call_id,
            line=finding.at.line,
            model=_model(looked, finding.at.session, finding.at.message_index),
            language=facts[finding.at.session].language,
            situation=looked.situation(looked.subject(finding)),
            environment=looked.environment(looked.subject(finding)),
            because=encode(finding.because, indent=0).decode().strip(),
            facts=encode(finding.facts, indent=0).decode().strip(),
            doubt=doubted.get(finding.fingerprint),
        )
        for finding in audit.findings
    )
    steps: list[StepRow] = []
    copies: list[Copy] = []
    for member in members if order.text else ():
        own = list(_steps(looked, talk, member, family=root.id, audit=audit, count=count))
        facts[member.id] = msgspec.structs.replace(facts[member.id], tokens=sum(step.tokens for step in own))
        copies.append(_copy(member, own, order.near))
        steps += own
    episodes, pairs, donors = _windows(looked, talk, facts, order) if order.text else ([], [], [])
    episodes = [
        msgspec.structs.replace(row, tokens=count(chat.text_of((*row.context, *row.event, *row.consequence))))
        for row in episodes
    ]
    pairs = [
        msgspec.structs.replace(
            one,
            row=msgspec.structs.replace(
                one.row, tokens=count(chat.text_of((*one.row.prompt, *one.row.chosen, *one.row.rejected)))
            ),
        )
        for one in pairs
    ]
    head = Head(
        source=source,
        parents=tuple(dict.fromkeys(one.parent for one in members if one.parent and one.parent not in facts)),
        project=project,
        sessions=tuple(facts[member.id] for member in members),
        findings=findings,
        operations=tuple(_operations(looked)),
        changes=tuple(_changes(looked)),
        tools=tuple(_tools(looked)),
        rules=tuple(rule.slug for rule in audit.rules),
        copies=tuple(copies),
        stubs=tuple(_stub(row, doubted.get(row.fingerprint or ""), order.near) for row in episodes),
        asks=tuple(_ask(one, order.near) for one in pairs),
        donors=tuple(donors),
        size=0,
    )
    return head, Body(steps=tuple(steps), episodes=tuple(episodes), pairs=tuple(pairs))


def _languages(looked: Looked) -> dict[str, str | None]:
    """The language of most prose of each session, weighed by its length."""
    weights: dict[str, Counter[str]] = {name: Counter() for name in looked.members}
    for events in looked.said.values():
        for said in events:
            reading = looked.reading(said)
            if reading is not None and reading.language is not None:
                weights[said.at.session][reading.language] += len(looked.graph.prose(said))
    return {
        name: max(sorted(found), key=lambda one, found=found: found[one], default=None)  # type: ignore[misc]
        for name, found in weights.items()
    }


def _model(looked: Looked, session: str, index: int) -> str | None:
    message = looked.message(session, index)
    return message.model if message is not None else None


def _session(looked: Looked, member: Session, source: str, languages: dict[str, str | None]) -> SessionRow:
    audit, graph = looked.audit, looked.graph
    own = [finding for finding in audit.findings if finding.at.session == member.id]
    faults = [finding for finding in own if finding.kind == "fault"]
    called = [c for (name, _), calls in looked.called.items() if name == member.id for c in calls]
    operations = [o for o in graph.ledger if o.event.at.session == member.id]
    complaints = confirmations = 0
    claims = False
    for message in member.messages:
        for said in looked.said.get((member.id, message.index), ()):
            reading = looked.reading(said)
            if reading is None:
                claims = claims and not (said.role == "assistant" and said.texts)
                continue
            acts = {act.act for act in reading.acts()}
            if said.role == "assistant":
                claims = "claims_success" in acts
            elif message.human:
                complaints += "complaint" in acts
                confirmations += "confirmation" in acts
    started, ended = member.started, member.ended
    tokens_in = [m.tokens_in for m in member.messages if m.tokens_in is not None]
    tokens_out = [m.tokens_out for m in member.messages if m.tokens_out is not None]
    return SessionRow(
        session=member.id,
        family=audit.session.id,
        parent=member.parent or (audit.session.id if member is not audit.session else None),
        source=source,
        format=member.source_format,
        client=member.client,
        client_version=member.client_version,
        model=", ".join(member.models),
        title=member.title,
        directory=member.directory,
        repository=repository_of(member.directory or audit.session.directory),
        origin=None,
        licence=None,
        language=languages[member.id],
        started=moment(started),
        ended=moment(ended),
        duration_ms=None if started is None or ended is None else max(0, ended - started),
        messages=len(member.messages),
        human_messages=sum(message.human for message in member.messages),
        calls=sum(len(message.calls) for message in member.messages),
        cut_off=sum(call.cut_off is not None for call in called),
        open_operations=len(operations),
        never_closed=sum(operation.closed_by == "none" for operation in operations),
        faults=len(faults),
        signals=sum(finding.kind == "signal" for finding in own),
        good=sum(finding.kind == "good" for finding in own),
        severity=min((finding.severity for finding in faults), key=SEVERITIES.index, default=None),
        complaints=complaints,
        confirmations=confirmations,
        ends_with=_ending(looked, member),
        last_claim=claims,
        tokens=0,
        tokens_in=sum(tokens_in) if tokens_in else None,
        tokens_out=sum(tokens_out) if tokens_out else None,
        gaps=sum(1 for _ in member.all_gaps()),
        truncated=member.truncated,
        redacted=audit.redactions.total if audit.redactions is not None else 0,
        not_checkable=tuple(row.rule for row in audit.not_checkable),
    )


def _ending(looked: Looked, member: Session) -> str:
    if not member.messages:
        return "nothing"
    last = member.messages[-1]
    role, _ = looked.role(member.id, last)
    if last.interruption:
        return "interruption"
    if role != "assistant":
        return "person" if last.human else "nothing"
    if last.error is not None:
        return "error"
    if last.empty:
        return "silence"
    return "call" if last.calls and isinstance(last.parts[-1], type(last.calls[-1])) else "text"


def _steps(
    looked: Looked, talk: Talk, member: Session, *, family: str, audit: Audit, count: Callable[[str], int]
) -> Iterator[StepRow]:
    flagged: dict[int, list[tuple[str, str]]] = {}
    for finding in audit.findings:
        if finding.at.session == member.id:
            flagged.setdefault(finding.at.message_index, []).append((finding.fingerprint, finding.rule))
    turn = 0
    for message in member.messages:
        role, known = looked.role(member.id, message)
        events = looked.said.get((member.id, message.index), [])
        turn = max(turn, *(said.turn for said in events)) if events else turn
        made = talk.said(member.id, message.index)
        acts: list[Act] = []
        spoken: str | None = None
        for said in events:
            reading = looked.reading(said)
            if reading is not None:
                spoken = spoken or reading.language
                acts += [
                    Act(act=act.act, text=sentence.text, about=act.about)
                    for sentence in reading.sentences
                    for act in sentence.acts
                ]
        use, reasons = _use(message, role, known)
        here = flagged.get(message.index, [])
        yield StepRow(
            session=member.id,
            family=family,
            step=message.index,
            message_id=message.id,
            line=message.origin.line,
            turn=turn,
            role=made.messages[0].role,
            human=message.human,
            time=moment(message.time),
            model=message.model,
            agent=message.agent,
            language=spoken,
            messages=made.messages,
            reasoning=made.reasoning,
            acts=tuple(acts),
            findings=tuple(fingerprint for fingerprint, _ in here),
            rules=tuple(dict.fromkeys(rule for _, rule in here)),
            use=use,
            reasons=reasons,
            tokens=count(chat.text_of(made.messages)),
            cut=made.cut,
        )


def _use(message: Message, role: str, known: bool) -> tuple[Use, tuple[str, ...]]:
    """What training does with a message, as far as the message itself tells."""
    if message.reverted:
        return "drop", ("reverted",)
    reasons: list[str] = []
    if role != "assistant":
        reasons.append("context")
    else:
        if message.summary:
            reasons.append("summary")
        if message.interruption or any(call.interrupted for call in message.calls):
            reasons.append("interrupted")
        elif message.error is not None:
            reasons.append("error")
        elif message.finish in ("length", "max_tokens", "content_filter", "error"):
            reasons.append("incomplete")
        if message.empty:
            reasons.append("empty")
        if not known:
            reasons.append("role_unknown")
    if any(isinstance(part, Unread) for part in message.parts):
        reasons.append("unreadable")
    return ("mask" if reasons else "keep"), tuple(reasons)


STAND_IN_NUMBER = re.compile(r"\b(REDACTED-[a-z_-]+|user|host|address|person)-\d+")
"""A stand-in; the same in two sessions but for its number."""


def _copy(member: Session, steps: Sequence[StepRow], near: bool) -> Copy:
    """What shows whether a session is a copy. Numbers of stand-ins differ between slices of one log: left out."""
    whole = hashlib.sha256()
    hashes: list[bytes] = []
    places: list[int] = []
    written: list[str] = []
    asked: set[bytes] = set()
    runs: list[bytes] = []
    opened = False
    for step in steps:
        text = STAND_IN_NUMBER.sub(r"\1", chat.text_of(step.messages))
        digest = hashlib.sha256(f"{step.role}\0{text}".encode("utf-8", "surrogatepass")).digest()[:8]
        whole.update(digest)
        if len(text) >= LONG_STEP:
            hashes.append(digest)
            places.append(step.step)
        own = STAND_IN_NUMBER.sub(r"\1", chat.text_of(step.messages[:1]))
        written.append(own)
        if step.human and not opened and own.strip():
            opened = True
            runs.append(_heading(own))
        if step.human and len(own.strip()) >= LONG_WORDS:
            asked.add(hashlib.sha256(own.strip().encode("utf-8", "surrogatepass")).digest()[:8])
            runs.append(similar.runs(own))
    return Copy(
        session=member.id,
        exact=whole.digest()[:16],
        steps=b"".join(hashes),
        places=tuple(places),
        asked=b"".join(sorted(asked)),
        runs=b"".join(runs),
        sketch=similar.sketch("\n".join(written)) if near else b"",
    )


HEADING = 24
"""Characters from which on two first requests under one heading belong together, however the rest is worded."""


def _heading(asked: str) -> bytes:
    """The hash of a request's heading: a first line of several words that stands alone; empty where it has none."""
    line, _, rest = asked.strip().partition("\n")
    words = re.findall(r"\w+", line.casefold())
    if not HEADING <= len(line) <= 200 or len(words) < 4 or not rest.startswith("\n"):
        return b""
    return hashlib.sha256(" ".join(words).encode("utf-8", "surrogatepass")).digest()[:8]


_NUMBER = re.compile(r"\d+(?:[.:_-]\d+)*")


def _numberless(text: str) -> str:
    """A text for comparing: without numbers, for versions, times and places in a file make no other case of it."""
    return _NUMBER.sub("0", STAND_IN_NUMBER.sub(r"\1", text))


def _stub(row: EpisodeRow, doubt: str | None, near: bool) -> Stub:
    text = _numberless(chat.text_of(row.event))
    return Stub(
        episode=row.episode,
        session=row.session,
        kind=row.kind,
        rule=row.rule,
        severity=row.severity,
        confidence=row.confidence,
        fingerprint=row.fingerprint,
        situation=row.situation,
        environment=row.environment,
        model=row.model,
        client=row.client,
        event_step=row.event_step,
        tokens=row.tokens,
        doubt=doubt,
        exact=hashlib.sha256(f"{row.rule}\0{text}".encode("utf-8", "surrogatepass")).digest()[:16],
        sketch=similar.sketch(text) if near else b"",
    )


def _ask(one: Wanted, near: bool) -> Ask:
    row = one.row
    text = _numberless(chat.text_of((*row.prompt, *row.rejected)))
    return Ask(
        pair=row.pair,
        episode=row.episode,
        session=row.session,
        situation=row.situation,
        language=row.language,
        drafted=bool(row.chosen),
        chosen=hashlib.sha256(
            STAND_IN_NUMBER.sub(r"\1", chat.text_of(row.chosen)).encode("utf-8", "surrogatepass")
        ).digest()[:8]
        if row.chosen and row.drafted
        else b"",
        exact=hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:16],
        sketch=similar.sketch(text) if near else b"",
    )


def _windows(
    looked: Looked, talk: Talk, facts: dict[str, SessionRow], order: Order
) -> tuple[list[EpisodeRow], list[Wanted], list[Donor]]:
    told = Told(looked)
    episodes: list[EpisodeRow] = []
    pairs: list[Wanted] = []
    for finding in looked.audit.findings:
        reach = looked.reach(finding)
        episode = windows.of_finding(looked, talk, told, facts, finding=finding, reach=reach)
        episodes.append(episode)
        # What is not even likely to be wrong is not taught to be avoided.
        if finding.kind == "fault" and finding.confidence != "low":
            wanted = windows.pair(looked, talk, facts, finding=finding, reach=reach, episode=episode)
            if wanted is not None:
                pairs.append(wanted)
    donors: list[Donor] = []
    for good in looked.good():
        if not good.reported and doubts.of_good(looked, good) is None:
            episodes.append(windows.of_good(looked, talk, facts, good))
        donor = windows.donor(looked, talk, facts, good)
        if donor is not None:
            donors.append(donor)
    return episodes, pairs, donors


def _operations(looked: Looked) -> Iterator[OperationRow]:
    graph = looked.graph
    for operation in graph.ledger:
        event = operation.event
        told = operation.acknowledgement
        begun = graph.moment(event)
        heard = graph.moment(told[0]) if told is not None else None
        yield OperationRow(
            session=event.at.session,
            family=looked.audit.session.id,
            step=event.at.message_index,
            situation=looked.situation(event),
            target=named(operation.target) if isinstance(event, Ran) else event.call.name,
            environment=looked.environment(event),
            model=_model(looked, event.at.session, event.at.message_index),
            opened_by=operation.opened_by,
            reached=operation.reached,
            acknowledged_step=None if told is None else told[0].at.message_index,
            acknowledged_ms=None if begun is None or heard is None else max(0, heard - begun),
            closed_by=operation.closed_by,
            found=operation.found,
            unknown_messages=operation.open_messages,
            unknown_ms=operation.open_ms,
        )


def _changes(looked: Looked) -> Iterator[ChangeRow]:
    graph = looked.graph
    for seq in graph.index("change"):
        ran = graph.events[seq]
        if not isinstance(ran, Ran) or ran.outcome.failed or ran.command.restarts_in_effect:
            continue
        environment = graph.setting(ran).environment
        if environment not in ("production", "unknown") or (
            environment == "unknown" and ran.command.target.kind == "file"
        ):
            continue
        later = graph.after(ran)
        check = later.first(told_state(ran.command.target))
        made = graph.finished(ran)
        seen = graph.finished(check) if check is not None else None
        yield ChangeRow(
            session=ran.at.session,
            family=looked.audit.session.id,
            step=ran.at.message_index,
            target=named(ran.command.target),
            effect=ran.command.effect,
            environment=environment,
            model=_model(looked, ran.at.session, ran.at.message_index),
            verified_step=None if check is None else check.at.message_index,
            verified_ms=None if made is None or seen is None else max(0, seen - made),
            in_turn=check is not None and later.until(human).any(told_state(ran.command.target)),
        )


def _tools(looked: Looked) -> Iterator[ToolRow]:
    counts: dict[tuple[str, str, str | None], Counter[str]] = {}
    for (session, index), calls in looked.called.items():
        model = _model(looked, session, index)
        for called in calls:
            row = counts.setdefault((session, called.call.name, model), Counter())
            row["calls"] += 1
            row["errors"] += called.call.status == "error"
            row["cut_off"] += called.cut_off is not None
            row["unfinished"] += called.unfinished
    for (session, tool, model), row in sorted(counts.items(), key=lambda item: tuple(map(str, item[0]))):
        yield ToolRow(
            session=session,
            family=looked.audit.session.id,
            tool=tool,
            model=model,
            calls=row["calls"],
            errors=row["errors"],
            cut_off=row["cut_off"],
            unfinished=row["unfinished"],
        )
