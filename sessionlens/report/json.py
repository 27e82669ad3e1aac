"""The audit as JSON, ``sessionlens.audit/1``: types of its own, so that the inside can change and the form stays.

The JSON Schema is generated from these types. Fields may be added; a changed or removed one needs a new version.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from sessionlens.findings import SEVERITIES, Because, FindingKind, Mark, Severity
from sessionlens.graph.events import Called, ClosedBy, Found, OpenedBy, Operation, Ran
from sessionlens.model import Session
from sessionlens.safe import json_text
from sessionlens.targets import Confidence, Kind

if TYPE_CHECKING:
    from sessionlens.engine import Audit

AUDIT = "sessionlens.audit/1"
"""Name and version of one audit's form."""
AUDITS = "sessionlens.audits/1"
"""Name and version of the form for several."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class GapRow(msgspec.Struct, frozen=True, kw_only=True):
    """Something in the log that could not be read."""

    line: int | None
    """1-based line of the log; null where there is none."""
    reason: str
    """What is missing, and why."""


class NotCheckableRow(msgspec.Struct, frozen=True, kw_only=True):
    """A rule that cannot judge this session."""

    rule: str
    """Slug of the rule."""
    reason: str
    """Why."""


class SessionRow(msgspec.Struct, frozen=True, kw_only=True):
    """The audited session. Counts are its own, without those of its children."""

    id: str
    """The log's id of it, or the file's stem."""
    title: str | None
    """Title that the client gave it."""
    source_format: str
    """Name of the reader."""
    client_version: str | None
    """Version of the client."""
    messages: int
    """Messages in the session."""
    human_messages: int
    """Those by a person."""
    calls: int
    """Tool calls."""
    cut_off: int
    """Calls that a time limit ended."""
    started: str | None
    """When it began, ISO 8601 in UTC with milliseconds."""
    ended: str | None
    """The latest time in the log."""
    models: tuple[str, ...]
    """Models in order of first use."""
    gaps: tuple[GapRow, ...]
    """What could not be read, children's gaps included."""
    repairs: int
    """How many deviations from the format a loose reading accepted."""
    parent: str | None
    """Id of the session that started this one."""
    children: tuple[str, ...]
    """Ids of all sessions that it started, and that those started."""
    not_checkable: tuple[NotCheckableRow, ...]
    """Rules that cannot judge it."""


class PlaceRow(msgspec.Struct, frozen=True, kw_only=True):
    """A place in the log."""

    session: str
    """Id of the session: the audited one or a child."""
    message_id: str | None
    """The log's id of the message."""
    message_index: int
    """Its position in reading order, from 0, within its session."""
    call_id: str | None
    """The log's id of the call, where it is about one."""
    line: int | None
    """1-based line of the log; null for SQLite."""


class BecauseRow(msgspec.Struct, frozen=True, kw_only=True):
    """A related place and what it shows."""

    session: str
    """Id of the session."""
    message_id: str | None
    """The log's id of the message."""
    message_index: int
    """Its position, from 0."""
    call_id: str | None
    """The log's id of the call."""
    line: int | None
    """1-based line of the log."""
    note: str
    """What the place shows."""
    quote: str
    """The log's own words; empty where silence is the evidence."""


class FindingRow(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One finding."""

    rule: str
    """Slug of the rule."""
    kind: FindingKind
    """Fault, good conduct, or signal."""
    severity: Severity
    """How bad."""
    confidence: Confidence
    """How sure."""
    title: str
    """What happened here, in one line."""
    note: str
    """A sentence or two more."""
    fingerprint: str
    """Stable when messages are appended later."""
    at: PlaceRow
    """The primary place."""
    because: tuple[BecauseRow, ...]
    """Related places."""
    facts: dict[str, Any]
    """What the rule's page documents under Facts."""
    known: bool = False
    """There and true where the baseline has it; it does not count for the exit code then."""
    suppressed: str | None = None
    """There where somebody decided that it does not count: the reason."""


class TargetRow(msgspec.Struct, frozen=True, kw_only=True):
    """What an operation acts on."""

    kind: Kind
    """What sort of thing."""
    name: str
    """Its name."""
    host: str | None
    """Host it is on; null on the agent's own machine."""
    context: str | None
    """Cluster context, cloud project or account."""
    namespace: str | None
    """Namespace or project within."""


class OperationRow(msgspec.Struct, frozen=True, kw_only=True):
    """An open operation of the ledger."""

    session: str
    """Id of the session whose call opened it."""
    call_id: str | None
    """That call."""
    message_index: int
    """Message of that call."""
    target: TargetRow
    """What it acts on."""
    opened_by: OpenedBy
    """Why it is open."""
    reached: Literal["yes", "no", "unknown"]
    """Whether the command began."""
    closed_at: int | None
    """Message that closed it; null when the session ended first."""
    closed_by: ClosedBy
    """How it was closed."""
    found: Found | None
    """What the closing check found."""
    acknowledged_at: int | None
    """First message that told the reader."""
    open_messages: int
    """Messages in between, or after it when it was never closed."""
    open_ms: int | None
    """Milliseconds it was open; null where the log has no times."""


class ErrorRow(msgspec.Struct, frozen=True, kw_only=True):
    """A rule that did not come to its end. Its findings may be incomplete."""

    rule: str
    """Slug of the rule."""
    error: str
    """What happened."""
    where: str
    """File name and line in the rule, where known."""


class Stats(msgspec.Struct, frozen=True, kw_only=True):
    """Counts over the session and its children."""

    findings: dict[str, int]
    """Findings by severity, worst first; good conduct left out."""
    good: int
    """Findings of good conduct."""
    by_rule: dict[str, int]
    """Findings by rule, by slug; every rule that ran is listed."""
    open_operations: int
    """Entries of the ledger."""
    never_closed: int
    """Those still open at the end of the session."""
    calls: int
    """Calls of the session and its children."""
    commands: int
    """Commands that those calls ran."""
    changes: int
    """Commands that changed a target."""
    checks: int
    """Commands whose result told the state of a target."""
    redacted: dict[str, int] | None
    """How often something was redacted, by kind; null when redaction was off."""


class AuditDocument(msgspec.Struct, frozen=True, kw_only=True):
    """One audit."""

    schema: Literal["sessionlens.audit/1"]
    """Name and version of this form."""
    session: SessionRow
    """The session."""
    findings: tuple[FindingRow, ...]
    """Sorted by place."""
    ledger: tuple[OperationRow, ...]
    """Open operations in order of the log."""
    rule_errors: tuple[ErrorRow, ...]
    """Rules that crashed."""
    stats: Stats
    """Counts."""


class NotRead(msgspec.Struct, frozen=True, kw_only=True):
    """A source among several that could not be read."""

    source: str
    """Its name."""
    reason: str
    """Why."""


def document(audit: Audit) -> AuditDocument:
    """The audit in its versioned form."""
    return AuditDocument(
        schema="sessionlens.audit/1",
        session=_session(audit),
        findings=tuple(
            FindingRow(
                rule=finding.rule,
                kind=finding.kind,
                severity=finding.severity,
                confidence=finding.confidence,
                title=finding.title,
                note=finding.note,
                fingerprint=finding.fingerprint,
                at=PlaceRow(**{name: getattr(finding.at, name) for name in PlaceRow.__struct_fields__}),
                because=tuple(_because(row) for row in finding.because),
                facts=finding.facts,
                known=mark.known,
                suppressed=mark.suppressed,
            )
            for finding in audit.findings
            for mark in (audit.marks.get(finding.fingerprint, Mark()),)
        ),
        ledger=tuple(_operation(operation) for operation in audit.graph.ledger),
        rule_errors=tuple(
            ErrorRow(rule=error.rule, error=error.error, where=error.where) for error in audit.rule_errors
        ),
        stats=_stats(audit),
    )


def render(audit: Audit) -> bytes:
    """One audit as indented JSON in UTF-8 with a newline at the end. Same audit, same bytes."""
    return encode(document(audit))


def render_many(audits: Iterable[bytes], not_read: Iterable[NotRead] = ()) -> Iterable[bytes]:
    """Several audits, each already rendered by :func:`render`, as pieces of one document."""
    yield b'{\n  "schema": "' + AUDITS.encode() + b'",\n  "audits": ['
    separator = b"\n"
    for rendered in audits:
        yield separator + b"    " + rendered.rstrip(b"\n").replace(b"\n", b"\n    ")
        separator = b",\n"
    rows = encode(list(not_read)).rstrip(b"\n").replace(b"\n", b"\n  ")
    yield (b"" if separator == b"\n" else b"\n  ") + b'],\n  "not_read": ' + rows + b"\n}\n"


def schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of ``sessionlens.audit/1``, generated from the types."""
    generated = msgspec.json.schema(AuditDocument)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": AUDIT,
        **generated,
    }


def encode(value: Any, *, indent: int = 2) -> bytes:
    """A value as JSON in UTF-8 with a newline at the end, safe to print.

    Half characters that no UTF-8 can hold become U+FFFD. ``indent`` 0 puts everything on one line.
    """
    try:
        raw = msgspec.json.encode(value)
    except UnicodeEncodeError:
        raw = msgspec.json.encode(_whole_characters(msgspec.to_builtins(value)))
    if indent:
        raw = msgspec.json.format(raw, indent=indent)
    return json_text(raw.decode()).encode() + b"\n"


def _whole_characters(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, dict):
        return {_whole_characters(key): _whole_characters(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_whole_characters(item) for item in value]
    return value


def moment(ms: int | None) -> str | None:
    """A time as ISO 8601 in UTC with milliseconds; ``None`` for none and for one that no calendar has."""
    if ms is None:
        return None
    try:
        when = _EPOCH + timedelta(milliseconds=ms)
    except OverflowError:
        return None
    return f"{when:%Y-%m-%dT%H:%M:%S}.{when.microsecond // 1000:03d}Z" if when.year >= 1000 else None


def _session(audit: Audit) -> SessionRow:
    session = audit.session
    children = [one for one in session.family() if one is not session]
    return SessionRow(
        id=session.id,
        title=session.title,
        source_format=session.source_format,
        client_version=session.client_version,
        messages=len(session.messages),
        human_messages=sum(message.human for message in session.messages),
        calls=sum(len(message.calls) for message in session.messages),
        cut_off=sum(
            isinstance(event, Called) and event.cut_off is not None and event.at.session == session.id
            for event in audit.graph.events
        ),
        started=moment(session.started),
        ended=moment(session.ended),
        models=session.models,
        gaps=(
            *_gaps(session, ""),
            *(gap for child in children for gap in _gaps(child, f"child {child.id}: ")),
        ),
        repairs=sum(len(one.repairs) for one in session.family()),
        parent=session.parent,
        children=tuple(child.id for child in children),
        not_checkable=tuple(NotCheckableRow(rule=row.rule, reason=row.reason) for row in audit.not_checkable),
    )


def _gaps(session: Session, prefix: str) -> Iterable[GapRow]:
    return (GapRow(line=gap.origin.line, reason=prefix + gap.reason) for gap in session.all_gaps())


def _because(row: Because) -> BecauseRow:
    return BecauseRow(**{name: getattr(row, name) for name in BecauseRow.__struct_fields__})


def _operation(operation: Operation) -> OperationRow:
    opened = operation.event.at
    told = operation.acknowledgement
    return OperationRow(
        session=opened.session,
        call_id=opened.call_id,
        message_index=opened.message_index,
        target=TargetRow(
            kind=operation.target.kind,
            name=operation.target.name,
            host=operation.target.host,
            context=operation.target.context,
            namespace=operation.target.namespace,
        ),
        opened_by=operation.opened_by,
        reached=operation.reached,
        closed_at=None if operation.closing is None else operation.closing.at.message_index,
        closed_by=operation.closed_by,
        found=operation.found,
        acknowledged_at=None if told is None else told[0].at.message_index,
        open_messages=operation.open_messages,
        open_ms=operation.open_ms,
    )


def _stats(audit: Audit) -> Stats:
    faults = [finding for finding in audit.findings if finding.kind != "good"]
    slugs = sorted({rule.slug for rule in audit.rules} | {finding.rule for finding in audit.findings})
    ran = [event for event in audit.graph.events if isinstance(event, Ran)]
    return Stats(
        findings={severity: sum(f.severity == severity for f in faults) for severity in SEVERITIES},
        good=len(audit.findings) - len(faults),
        by_rule={slug: sum(finding.rule == slug for finding in audit.findings) for slug in slugs},
        open_operations=len(audit.graph.ledger),
        never_closed=sum(operation.closed_by == "none" for operation in audit.graph.ledger),
        calls=sum(isinstance(event, Called) for event in audit.graph.events),
        commands=len(ran),
        changes=sum(event.change for event in ran),
        checks=sum(event.check for event in ran),
        redacted=None if audit.redactions is None else dict(sorted(audit.redactions.by_kind.items())),
    )
