"""Findings as SARIF 2.1.0, for code hosts and viewers that show it.

Severity becomes SARIF's level; confidence, severity and facts are kept as properties. A log without lines
(SQLite) has logical places only. Good conduct is a ``pass``, a signal asks for a ``review``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from sessionlens import __version__
from sessionlens.findings import Because, Finding, Place, Severity
from sessionlens.report.json import encode
from sessionlens.rule import Rule, page

if TYPE_CHECKING:
    from sessionlens.engine import Audit

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
"""The official schema of the form."""

_LEVELS: dict[Severity, str] = {
    "critical": "error",
    "high": "error",
    "medium": "warning",
    "low": "note",
    "info": "note",
}
_KINDS = {"fault": "fail", "signal": "review", "good": "pass"}


def render(audit: Audit) -> bytes:
    """One audit as a SARIF log with one run."""
    return join([render_run(audit)])


def render_run(audit: Audit) -> dict[str, Any]:
    """One audit as a SARIF run."""
    rules = _rules(audit)
    order = {rule["id"]: index for index, rule in enumerate(rules)}
    driver = {
        "name": "sessionlens",
        "semanticVersion": __version__,
        "rules": rules,
    }
    invocation: dict[str, Any] = {"executionSuccessful": not audit.rule_errors}
    notes = [
        _notification("error", f"rule {row.rule} did not finish: {row.error}") for row in audit.rule_errors
    ]
    notes += [
        _notification("note", f"rule {row.rule} cannot judge this session: {row.reason}")
        for row in audit.not_checkable
    ]
    notes += [
        _notification("warning", f"not read: {gap.reason}", audit.path or audit.source, gap.origin.line)
        for session in audit.session.family()
        for gap in session.all_gaps()
    ]
    if notes:
        invocation["toolExecutionNotifications"] = notes
    run: dict[str, Any] = {
        "tool": {"driver": driver},
        "invocations": [invocation],
        "columnKind": "unicodeCodePoints",
        "results": [_result(finding, order[finding.rule], audit) for finding in audit.findings],
        "properties": {"session": audit.session.id, "sourceFormat": audit.session.source_format},
    }
    if audit.source:
        run["artifacts"] = [{"location": _artifact(audit.path or audit.source), "roles": ["analysisTarget"]}]
    return run


def join(runs: Iterable[dict[str, Any]]) -> bytes:
    """A SARIF log of these runs, as indented JSON."""
    return encode({"$schema": SCHEMA, "version": "2.1.0", "runs": list(runs)})


def _rules(audit: Audit) -> list[dict[str, Any]]:
    rules = [_rule(rule) for rule in audit.rules]
    known = {rule["id"] for rule in rules}
    # A finding always has its rule, also where the audit was put together by hand.
    rules += [{"id": slug} for slug in sorted({f.rule for f in audit.findings} - known)]
    return rules


def _rule(rule: Rule) -> dict[str, Any]:
    documented = page(type(rule))
    sections = documented.sections
    whole = "\n\n".join(f"## {heading}\n\n{text}" for heading, text in sections.items())
    return {
        "id": rule.slug,
        "shortDescription": {"text": documented.summary},
        "fullDescription": {"text": sections.get("What it flags") or documented.summary},
        "help": {"text": whole or documented.summary, "markdown": whole or documented.summary},
        "defaultConfiguration": {"level": _LEVELS[rule.severity] if rule.kind == "fault" else "none"},
        "properties": {"kind": rule.kind, "severity": rule.severity, "since": rule.since},
    }


def _result(finding: Finding, index: int, audit: Audit) -> dict[str, Any]:
    source = audit.path or audit.source
    kind = _KINDS[finding.kind]
    text = f"{finding.title}. {finding.note}" if finding.note else finding.title
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "ruleIndex": index,
        "kind": kind,
        # The standard wants "none" for everything that is no failure.
        "level": _LEVELS[finding.severity] if kind == "fail" else "none",
        "message": {"text": text},
        "locations": [_location(finding.at, source)],
        "partialFingerprints": {"sessionlens/1": finding.fingerprint},
        "properties": {
            "severity": finding.severity,
            "confidence": finding.confidence,
            "facts": finding.facts,
        },
    }
    mark = audit.marks.get(finding.fingerprint)
    if mark is not None and mark.compared:
        result["baselineState"] = "unchanged" if mark.known else "new"
    if mark is not None and mark.suppressed is not None:
        # Without a status it is an accepted one; schemas of different drafts call that property differently.
        result["suppressions"] = [
            {
                "kind": "inSource" if mark.by == "session" else "external",
                "justification": mark.suppressed,
            }
        ]
    if finding.because:
        result["relatedLocations"] = [
            {"id": number, **_location(row, source), "message": {"text": _shown(row)}}
            for number, row in enumerate(finding.because, 1)
        ]
    return result


def _shown(row: Because) -> str:
    if row.quote:
        return f"{row.note}: {row.quote}" if row.note else row.quote
    return row.note or f"message {row.message_index}"


def _location(place: Place | Because, source: str) -> dict[str, Any]:
    names = [f"session {place.session}", f"message {place.message_id or '#' + str(place.message_index)}"]
    if place.call_id:
        names.append(f"call {place.call_id}")
    location: dict[str, Any] = {
        "logicalLocations": [{"fullyQualifiedName": " / ".join(names), "kind": "member"}]
    }
    if source:
        location["physicalLocation"] = _physical(source, place.line)
    return location


def _physical(source: str, line: int | None) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": _artifact(source)}
    if line is not None and line > 0:
        physical["region"] = {"startLine": line}
    return physical


def _artifact(source: str) -> dict[str, Any]:
    return {"uri": quote(source.encode("utf-8", "replace"), safe="/._-~")}


def _notification(level: str, text: str, source: str = "", line: int | None = None) -> dict[str, Any]:
    notification: dict[str, Any] = {"level": level, "message": {"text": text}}
    if source:
        notification["locations"] = [{"physicalLocation": _physical(source, line)}]
    return notification
