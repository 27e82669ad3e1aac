"""What counts for a verdict: findings that are new, not suppressed, and that the profile reports.

Nothing is taken out of the results in silence: a finding that a baseline knows, or that somebody suppressed with a
reason, stays in them with a mark, and does not count for the exit code. Only a profile leaves findings out, and says
how many.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from sessionlens.cache import lazy
from sessionlens.engine import Audit
from sessionlens.findings import (
    Finding,
    Mark,
    ProfileName,
    Severity,
    Suppression,
    at_or_above,
    counts,
)
from sessionlens.model import Message, Session
from sessionlens.targets import Confidence

LARGEST = 200_000_000
"""Bytes of the largest baseline."""

_INLINE = lazy(
    r"^[ \t>*#/<!-]{0,12}sessionlens:[ \t]{0,8}ignore[ \t]+(?P<rules>[a-z0-9][a-z0-9, \t-]{0,400}?)[ \t]*(?::[ \t]*(?P<reason>[^\n]{0,400}))?$",
    re.MULTILINE | re.IGNORECASE,
)
"""``sessionlens: ignore step-loop, left-running: the device needs it``, a line of a person's message."""
_REASON = 3
"""Characters of the shortest reason."""


class Profile(msgspec.Struct, frozen=True, kw_only=True):
    """What is reported, and what fails by default."""

    least_severity: Severity
    """Milder faults are left out."""
    least_confidence: Confidence
    """Less sure faults are left out."""
    asides: bool
    """Whether good conduct and signals are reported."""
    fail_on: str
    """What ``--fail-on`` is where nobody says."""


PROFILES: dict[ProfileName, Profile] = {
    "strict": Profile(least_severity="info", least_confidence="low", asides=True, fail_on="low"),
    "default": Profile(least_severity="info", least_confidence="low", asides=True, fail_on="never"),
    "quiet": Profile(least_severity="medium", least_confidence="medium", asides=False, fail_on="never"),
}
"""The profiles by name."""
_CERTAINTY: tuple[Confidence, ...] = ("high", "medium", "low")


class BaselineError(ValueError):
    """A baseline that cannot be used; says which file and why."""


class Gated(msgspec.Struct, frozen=True, kw_only=True):
    """An audit with its marks, and what there is to say of them."""

    audit: Audit
    """The audit, with marks and without what the profile leaves out."""
    left_out: int = 0
    """Findings that the profile leaves out."""
    notes: tuple[str, ...] = ()
    """What a person should know: suppressions without a reason, or that fitted nothing."""
    unused: frozenset[str] = frozenset()
    """Suppressions that name no session and fitted nothing in this one although their rule ran, in words. Over all
    sessions of a run, what is unused in each of them is stale or misspelt.
    """


def read_baseline(file: Path) -> frozenset[str]:
    """The fingerprints of an earlier result: the JSON of one or several audits, or SARIF.

    :raises BaselineError: when it cannot be read, or is none of these.
    """
    try:
        if file.stat().st_size > LARGEST:
            raise BaselineError(f"{file.name}: larger than {LARGEST} bytes, which is no baseline")
        document = msgspec.json.decode(file.read_bytes())
    except OSError as error:
        raise BaselineError(f"{file.name}: {error.strerror or error}") from None
    except (msgspec.DecodeError, RecursionError) as error:
        raise BaselineError(f"{file.name}: is no JSON: {error}") from None
    if not isinstance(document, dict):
        raise BaselineError(f"{file.name}: is neither an audit as JSON nor SARIF")
    schema = str(document.get("schema", ""))
    if schema.startswith("sessionlens.audits/"):
        return frozenset(
            _fingerprints(one for audit in _listed(document.get("audits")) for one in _findings(audit))
        )
    if schema.startswith("sessionlens.audit/"):
        return frozenset(_fingerprints(_findings(document)))
    if isinstance(document.get("runs"), list):
        return frozenset(
            str(prints["sessionlens/1"])
            for run in _listed(document["runs"])
            for result in _listed(run.get("results"))
            if isinstance(prints := result.get("partialFingerprints"), dict) and "sessionlens/1" in prints
        )
    raise BaselineError(
        f"{file.name}: is neither an audit as JSON nor SARIF; write one with: sessionlens audit SOURCE -o baseline.json"
    )


def _listed(value: Any) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _findings(audit: dict[str, Any]) -> list[dict[str, Any]]:
    return _listed(audit.get("findings"))


def _fingerprints(findings: Iterable[dict[str, Any]]) -> Iterable[str]:
    return (str(one["fingerprint"]) for one in findings if one.get("fingerprint"))


def gate(
    audit: Audit,
    *,
    baseline: frozenset[str] | None = None,
    suppressions: Sequence[Suppression] = (),
    profile: ProfileName = "default",
) -> Gated:
    """Mark what does not count, and leave out what the profile does not report.

    :param baseline: fingerprints that are known; ``None`` without a baseline.
    """
    inline, notes = _inline(audit.session)
    marks: dict[str, Mark] = {}
    used: set[int] = set()
    for finding in audit.findings:
        by: Literal["", "file", "session"] = ""
        reason = ""
        for number, one in enumerate(suppressions):
            if _fits(one, finding):
                used.add(number)
                by, reason = by or "file", reason or one.reason
        for one in inline:
            if not by and _fits(one, finding):
                by, reason = "session", one.reason
        known = baseline is not None and finding.fingerprint in baseline
        if known or by or baseline is not None:
            marks[finding.fingerprint] = Mark(
                known=known, suppressed=reason or None, by=by, compared=baseline is not None
            )
    kept = tuple(finding for finding in audit.findings if _reported(finding, PROFILES[profile]))
    unused = [one for number, one in enumerate(suppressions) if number not in used]
    notes += [f"suppression fits nothing here: {_worded(one)}" for one in unused if _here(one, audit.session)]
    ran = {rule.slug for rule in audit.rules} - {row.rule for row in audit.not_checkable}
    idle = (one for one in unused if one.session is None and (one.rule is None or one.rule in ran))
    return Gated(
        unused=frozenset(_worded(one) for one in idle),
        audit=msgspec.structs.replace(audit, findings=kept, marks=marks),
        left_out=len(audit.findings) - len(kept),
        notes=tuple(notes),
    )


def counting(audit: Audit) -> list[Finding]:
    """The faults that count for a verdict: neither known nor suppressed."""
    return [one for one in audit.findings if one.kind == "fault" and counts(audit.marks, one)]


def _reported(finding: Finding, profile: Profile) -> bool:
    if finding.kind != "fault":
        return profile.asides
    sure = _CERTAINTY.index(finding.confidence) <= _CERTAINTY.index(profile.least_confidence)
    return sure and at_or_above(finding.severity, profile.least_severity)


def _fits(one: Suppression, finding: Finding) -> bool:
    spot = finding.at
    return (
        (one.rule is None or one.rule == finding.rule)
        and (one.fingerprint is None or one.fingerprint == finding.fingerprint)
        and (one.session is None or one.session == spot.session)
        and (one.message is None or one.message in (spot.message_id, f"#{spot.message_index}"))
        and (one.turn is None or one.turn[0] <= spot.message_index < one.turn[1])
    )


def _here(one: Suppression, session: Session) -> bool:
    """Whether a suppression is about this very session, so that it should have fitted something."""
    return one.session is not None and any(one.session == member.id for member in session.family())


def _worded(one: Suppression) -> str:
    named = (
        ("rule", one.rule),
        ("fingerprint", one.fingerprint),
        ("session", one.session),
        ("message", one.message),
    )
    return ", ".join(f"{key} {value}" for key, value in named if value is not None)


def _inline(session: Session) -> tuple[list[Suppression], list[str]]:
    """What the person's own messages suppress: in the turn that the message opens, and in the one before it.

    Only a person's words count, not those of the assistant or of a tool's output.
    """
    found: list[Suppression] = []
    notes: list[str] = []
    humans = [message.index for message in session.messages if message.human]
    for number, index in enumerate(humans):
        message = session.messages[index]
        start = humans[number - 1] if number else 0
        stop = humans[number + 1] if number + 1 < len(humans) else len(session.messages)
        for rules, reason in _said(message):
            if len(reason) < _REASON:
                notes.append(
                    f"message {message.id or f'#{index}'} suppresses {', '.join(rules)} without a reason; it counts"
                )
                continue
            found += [
                Suppression(rule=rule, session=session.id, turn=(start, stop), reason=reason)
                for rule in rules
            ]
    return found, notes


def _said(message: Message) -> Iterable[tuple[list[str], str]]:
    for part in message.texts():
        text = part.text.ends()
        if "sessionlens" in text.lower():
            for match in _INLINE.finditer(text):
                rules = [name for name in re.split(r"[,\s]+", match["rules"].lower()) if name]
                yield rules, (match["reason"] or "").strip(" \t->*/")
