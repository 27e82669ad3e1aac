"""Findings as workflow commands of GitHub Actions: an annotation at the line of the log."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from sessionlens.findings import Finding, counts
from sessionlens.safe import line as safe_line

if TYPE_CHECKING:
    from sessionlens.engine import Audit

_COMMANDS = {"critical": "error", "high": "error", "medium": "warning", "low": "notice", "info": "notice"}


def render(audit: Audit, stream: TextIO) -> None:
    """One line a fault that is neither known nor suppressed, in order of the log."""
    for finding in audit.findings:
        if finding.kind == "fault" and counts(audit.marks, finding):
            stream.write(_annotation(audit, finding) + "\n")
    for row in audit.rule_errors:
        stream.write(
            f"::error title={_property(row.rule)}::{_data(f'the rule did not finish: {row.error}')}\n"
        )


def _annotation(audit: Audit, finding: Finding) -> str:
    properties = {"file": audit.path or audit.source}
    if finding.at.line is not None:
        properties["line"] = str(finding.at.line)
    properties["title"] = f"{finding.rule} ({finding.severity})"
    shown = ",".join(f"{name}={_property(value)}" for name, value in properties.items() if value)
    where = finding.at.message_id or f"#{finding.at.message_index}"
    text = f"{finding.title}. Message {where} of {finding.at.session}."
    if finding.note:
        text += f" {finding.note}"
    return f"::{_COMMANDS[finding.severity]} {shown}::{_data(text)}"


def _data(text: str) -> str:
    """A message: one line without control characters, escaped as the runner reads it."""
    return safe_line(text, 2000).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
