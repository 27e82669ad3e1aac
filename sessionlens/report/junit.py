"""An audit as JUnit XML: a suite a session, a test case a rule, so that any CI shows which rules passed.

A fault that counts is a failure; a rule that cannot judge the log, or whose faults are all known or suppressed, is
skipped; a rule that crashed is an error. Good conduct and signals are told as output of their rule.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from sessionlens.cache import lazy
from sessionlens.findings import Finding, counts

if TYPE_CHECKING:
    from sessionlens.engine import Audit

_FORBIDDEN = lazy("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(audit: Audit) -> bytes:
    """One audit."""
    return join([render_suite(audit)])


def join(suites: Iterable[bytes], *, whole: bool = False) -> bytes:
    """The suites of several audits as one document; with ``whole``, of documents that :func:`render` made."""
    root = ElementTree.Element("testsuites", name="sessionlens")
    for suite in suites:
        made = ElementTree.fromstring(suite)
        root.extend(made if whole else [made])
    for name in ("tests", "failures", "errors", "skipped"):
        root.set(name, str(sum(int(suite.get(name, "0")) for suite in root)))
    ElementTree.indent(root)
    written: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return written + b"\n"


def render_suite(audit: Audit) -> bytes:
    """One suite, without a declaration."""
    suite = ElementTree.Element("testsuite", name=_clean(audit.path or audit.source or audit.session.id))
    tally = dict.fromkeys(("failures", "errors", "skipped"), 0)
    errors = {row.rule: row for row in audit.rule_errors}
    skipped = {row.rule: row.reason for row in audit.not_checkable}
    slugs = sorted({rule.slug for rule in audit.rules} | {finding.rule for finding in audit.findings})
    for slug in slugs:
        case = ElementTree.SubElement(suite, "testcase", classname=_clean(audit.session.id), name=slug)
        found = [finding for finding in audit.findings if finding.rule == slug]
        faults = [one for one in found if one.kind == "fault"]
        failing = [one for one in faults if counts(audit.marks, one)]
        if slug in errors:
            tally["errors"] += 1
            ElementTree.SubElement(case, "error", message=_clean(errors[slug].error), type="crash")
        elif failing:
            tally["failures"] += 1
            for one in failing:
                failure = ElementTree.SubElement(
                    case, "failure", message=_clean(one.title), type=one.severity
                )
                failure.text = _told(audit, one)
        elif slug in skipped:
            tally["skipped"] += 1
            ElementTree.SubElement(case, "skipped", message=_clean(skipped[slug]))
        elif faults:
            tally["skipped"] += 1
            ElementTree.SubElement(
                case, "skipped", message="known from the baseline, or suppressed with a reason"
            )
        rest = [one for one in found if one not in failing]
        if rest:
            ElementTree.SubElement(case, "system-out").text = "\n".join(_told(audit, one) for one in rest)
    suite.set("tests", str(len(slugs)))
    for name, number in tally.items():
        suite.set(name, str(number))
    written: bytes = ElementTree.tostring(suite, encoding="utf-8")
    return written


def _told(audit: Audit, finding: Finding) -> str:
    spot = finding.at
    where = f"message {spot.message_id or '#' + str(spot.message_index)} of {spot.session}"
    if spot.line is not None:
        where += f", {audit.path or audit.source}:{spot.line}"
    kind = finding.severity if finding.kind == "fault" else finding.kind
    mark = audit.marks.get(finding.fingerprint)
    told = f" [{mark.words}]" if mark is not None and mark.words else ""
    note = f"\n{finding.note}" if finding.note else ""
    return _clean(f"{kind}, {finding.confidence} confidence: {finding.title} ({where}){told}{note}")


def _clean(text: str) -> str:
    """Without characters that XML forbids."""
    return _FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", text)
