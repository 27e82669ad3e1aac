"""What a rule reports, and the audit as one value (CONTRACT §4)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

import msgspec

from sessionlens.targets import Confidence, Environment

FindingKind = Literal["fault", "good", "signal"]
Severity = Literal["critical", "high", "medium", "low", "info"]

SEVERITIES: tuple[Severity, ...] = ("critical", "high", "medium", "low", "info")
"""Worst first."""


def lower(severity: Severity, steps: int = 1) -> Severity:
    """The severity that many steps milder, ``info`` at the least."""
    return SEVERITIES[min(SEVERITIES.index(severity) + steps, len(SEVERITIES) - 1)]


def at_or_above(severity: str, bar: str) -> bool:
    """Whether a severity reaches the bar."""
    return SEVERITIES.index(severity) <= SEVERITIES.index(bar)


class Place(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One place of a session: a message, and a call in it where it is about one."""

    session: str
    """Id of the session (the audited one or a child)."""
    message_id: str | None
    """The log's id of the message."""
    message_index: int
    """Its position from 0 within its session."""
    call_id: str | None = None
    """The log's id of the call."""
    line: int | None = None
    """1-based line of the log; ``None`` for SQLite."""


class Because(msgspec.Struct, frozen=True, kw_only=True):
    """A related place and what it shows."""

    session: str
    """Id of the session."""
    message_id: str | None
    """The log's id of the message."""
    message_index: int
    """Its position from 0."""
    call_id: str | None = None
    """The log's id of the call."""
    line: int | None = None
    """1-based line of the log."""
    note: str = ""
    """What this place shows, in one clause."""
    quote: str = ""
    """The exact words of the log that show it; may be empty where silence is the evidence."""


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One judgement of one rule at one place."""

    rule: str
    """Slug of the rule."""
    kind: FindingKind
    """Fault, good conduct, or signal."""
    severity: Severity
    """How bad, were it true."""
    confidence: Confidence
    """How sure."""
    title: str
    """One line that says what happened here."""
    note: str = ""
    """One or two sentences for the margin."""
    fingerprint: str = ""
    """Stable when messages are appended later."""
    at: Place
    """The primary place."""
    because: tuple[Because, ...] = ()
    """Related places, in order of the log."""
    facts: dict[str, Any] = {}
    """Documented per rule; JSON values only."""


def fingerprint(rule: str, at: Place, salt: str = "") -> str:
    """A stable name for a finding: rule, session and place, nothing that later messages could move."""
    text = "\0".join((rule, at.session, str(at.message_index), at.message_id or "", at.call_id or "", salt))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


ProfileName = Literal["strict", "default", "quiet"]


class Suppression(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Findings that somebody decided not to count, with the reason. All that is said must fit."""

    reason: Annotated[str, msgspec.Meta(min_length=3)]
    """Why; there is no suppression without."""
    rule: str | None = None
    """Slug of the rule."""
    fingerprint: str | None = None
    """Fingerprint of one finding."""
    session: str | None = None
    """Id of the session."""
    message: str | None = None
    """Id of the message, or ``#N`` for its index."""
    turn: tuple[int, int] | None = None
    """Messages from the first index up to the second, where words of the session itself say it."""

    def __post_init__(self) -> None:
        """A suppression of everything would be no gate."""
        if self.rule is None and self.fingerprint is None:
            raise ValueError("a suppression names a rule or a fingerprint")


class Mark(msgspec.Struct, frozen=True, kw_only=True):
    """Why a finding does not count, or that it was compared with a baseline."""

    known: bool = False
    """The baseline has it."""
    suppressed: str | None = None
    """The reason of whoever suppressed it."""
    by: Literal["", "file", "session"] = ""
    """Where that is said: in ``sessionlens.toml``, or in a person's words in the session."""
    compared: bool = False
    """Whether there was a baseline."""

    @property
    def words(self) -> str:
        """The mark in a few words; empty where the finding counts."""
        if self.suppressed is not None:
            return f"suppressed: {self.suppressed}"
        return "known from the baseline" if self.known else ""


def counts(marks: Mapping[str, Mark], finding: Finding) -> bool:
    """Whether a finding counts for a verdict: nobody suppressed it, and no baseline has it."""
    mark = marks.get(finding.fingerprint)
    return mark is None or not mark.words


def aside(finding: Finding) -> bool:
    """Whether a finding is told apart from the stories: good conduct, and signals of no weight."""
    return finding.kind == "good" or (finding.kind == "signal" and finding.severity == "info")


_CERTAINTY: tuple[Confidence, ...] = ("high", "medium", "low")


def weakest(*links: Confidence) -> Confidence:
    """The confidence of a chain: that of its weakest link; ``high`` without any."""
    return max(links, key=_CERTAINTY.index, default="high")


def by_environment(
    environment: Environment, *, production: Severity, unknown: Severity, other: Severity
) -> Severity:
    """The severity of a row of CONTRACT §5's table: ``other`` is staging, development and local."""
    return {"production": production, "unknown": unknown}.get(environment, other)


_EXPOSURE: tuple[Environment, ...] = ("production", "unknown", "staging", "development", "local")


def most_exposed(environments: Iterable[Environment]) -> Environment:
    """The environment where a fault would matter most; ``local`` without any."""
    return min(environments, key=_EXPOSURE.index, default="local")
