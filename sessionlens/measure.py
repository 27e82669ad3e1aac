"""How well a rule does on labelled sessions: precision, recall, false alarms, each with its interval.

Labels stand in a ``labels.jsonl`` beside the logs, one JSON object a line:

.. code-block:: json

    {"file": "a.xml", "rule": "step-loop", "message_index": 17, "verdict": "yes", "why": "…"}

``message_index: null`` speaks of the whole session. In a session that has a label for a rule, a message without
one is a *no*; sessions without any label for a rule are left out for it. A finding matches a label at the same
rule and message.

What a person said of findings on a page (``review.json``) is a label too: a confirmed finding is a *yes* at its
rule and place, a dismissed one a *no*; :func:`measure_reviews`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import NormalDist
from typing import Literal

import msgspec

from sessionlens.findings import Finding

LABELS = "labels.jsonl"
"""Name of the file with the labels in a folder."""
_MOST_BYTES = 200_000_000


class Label(msgspec.Struct, frozen=True, kw_only=True):
    """What a person says of one place: whether a rule must find something there."""

    file: str
    """Name of the log, relative to the folder."""
    rule: str
    """Slug of the rule."""
    message_index: int | None = None
    """Message within the session, from 0; ``None`` for the whole session."""
    verdict: Literal["yes", "no"]
    """Whether the fault is there."""
    why: str = ""
    """The person's reason."""
    session: str | None = None
    """Id of the session, where the file holds several; of a child, where the place is in one."""
    line: int = 0
    """Line of the file with the labels, from 1, for errors; 0 where it comes from none."""


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """What a person said of one finding on a page."""

    file: str
    """Name of the log, relative to the folder."""
    fingerprint: str
    """Of the finding."""
    rule: str
    """Slug of its rule; empty where the review does not name it."""
    verdict: Literal["confirm", "dismiss", "correct"]
    """Confirm: it is so. Dismiss: it is not. Correct: something is, but not as the finding says."""
    note: str = ""
    """The person's reason."""


class LabelError(ValueError):
    """Labels that cannot be read; says file, line and why."""


class Spot(msgspec.Struct, frozen=True, kw_only=True):
    """A place where rule and label disagree."""

    file: str
    """Name of the log."""
    message_index: int | None
    """Message, or ``None`` for the whole session."""
    line: int | None = None
    """Line of the log, where the rule found something."""
    why: str = ""
    """The label's reason, or the title of the finding."""


class Share(msgspec.Struct, frozen=True, kw_only=True):
    """A share with the range in which it plausibly lies."""

    value: float | None
    """The share; ``None`` out of nothing."""
    low: float
    """Lower end of the interval."""
    high: float
    """Upper end of the interval."""


class Measured(msgspec.Struct, frozen=True, kw_only=True):
    """One rule on one labelled folder."""

    rule: str
    """Slug of the rule."""
    by: Literal["labels", "reviews"] = "labels"
    """Who said what must be found: labels of places, or verdicts on findings."""
    sessions: int
    """Sessions that have a label for it."""
    labels: int
    """Places where it must find something."""
    hits: int
    """Places of those where it did."""
    clean: int
    """Sessions in which it must find nothing."""
    alarmed: int
    """Sessions of those in which it did."""
    misses: tuple[Spot, ...]
    """Places where it had to find something and did not."""
    false_alarms: tuple[Spot, ...]
    """Places where it found something and had not to; one a message."""
    corrected: tuple[Spot, ...] = ()
    """Findings of which a reviewer said that something is there, but not as they say; they count neither way.
    Without a message where the rule no longer finds them.
    """
    precision: Share
    """Of what it found, how much is so."""
    recall: Share
    """Of what is so, how much it found."""
    f1: float | None
    """Harmonic mean of the two; ``None`` where it found nothing and there was nothing."""
    false_alarm_rate: Share
    """Of the clean sessions, how many it found something in."""


def wilson(part: int, whole: int, level: float = 0.95) -> Share:
    """The share ``part`` of ``whole`` with its Wilson score interval at the level of confidence given."""
    if whole == 0:
        return Share(value=None, low=0.0, high=1.0)
    z = NormalDist().inv_cdf(0.5 + level / 2)
    share = part / whole
    middle = share + z * z / (2 * whole)
    spread = z * ((share * (1 - share) + z * z / (4 * whole)) / whole) ** 0.5
    scale = 1 + z * z / whole
    low, high = (middle - spread) / scale, (middle + spread) / scale
    return Share(value=share, low=max(0.0, min(low, share)), high=min(1.0, max(high, share)))


def read_labels(file: Path) -> list[Label]:
    """The labels in a file, in its order.

    :raises LabelError: when it cannot be read, or a line is no label; empty lines are passed over.
    """
    try:
        if file.stat().st_size > _MOST_BYTES:
            raise LabelError(f"{file.name}: too large for labels")
        data = file.read_bytes()
    except OSError as error:
        raise LabelError(f"{file.name}: {error.strerror or error}") from None
    labels = []
    for number, line in enumerate(data.splitlines(), 1):
        if line.strip():
            try:
                label = msgspec.json.decode(line, type=Label)
                labels.append(msgspec.structs.replace(label, line=number))
            except msgspec.DecodeError as error:
                raise LabelError(f"{file.name}:{number}: {error}") from None
    return labels


def check_places(labels: Iterable[Label], messages: Mapping[str, Mapping[str, int]]) -> None:
    """Hold labels against the logs they speak of: a place that is not there could only count as missed.

    :param messages: by name of the log, for each session in it, children included, how many messages it has.
        Labels of other logs are passed over.
    :raises LabelError: with file and line, for a session or message that is not in the log.
    """
    for label in labels:
        sessions = messages.get(label.file)
        if sessions is None:
            continue
        where = f"{LABELS}:{label.line}: " if label.line else ""
        if label.session is not None and label.session not in sessions:
            there = ", ".join(sorted(sessions)[:5])
            raise LabelError(f"{where}session {label.session} is not in {label.file}; there is {there}")
        lengths = [length for session, length in sessions.items() if label.session in (None, session)]
        most = max(lengths, default=0)
        if label.message_index is not None and not 0 <= label.message_index < most:
            there = f"messages 0 to {most - 1}" if most else "no messages"
            raise LabelError(
                f"{where}message {label.message_index} is not in {label.file}, which has {there}"
            )


def measure(
    rule: str,
    labels: Iterable[Label],
    findings: Mapping[str, Sequence[Finding]],
    *,
    unlabelled: Literal["skip", "clean"] = "skip",
) -> Measured:
    """Hold what a rule found against the labels.

    :param findings: by name of the log, for every log that could be read; findings of other rules do not count.
        Labels of logs that are not among them are left out.
    :param unlabelled: ``clean`` takes a log without a label for the rule as one in which nothing must be found.
    """
    by_file: dict[str, list[Label]] = {}
    for label in labels:
        if label.rule == rule and label.file in findings:
            by_file.setdefault(label.file, []).append(label)
    if unlabelled == "clean":
        for file in findings:
            by_file.setdefault(file, [])
    wanted = hits = clean = alarmed = found_wrong = 0
    misses: list[Spot] = []
    false_alarms: list[Spot] = []
    for file, here in by_file.items():
        found = [finding for finding in findings[file] if finding.rule == rule]
        places = {(finding.at.session, finding.at.message_index): finding for finding in reversed(found)}
        yes = [label for label in here if label.verdict == "yes"]
        wanted += len(yes)
        matched: set[tuple[str, int]] = set()
        for label in yes:
            of_label = {place for place in places if _fits(label, place)}
            matched |= of_label
            if of_label:
                hits += 1
            else:
                misses.append(Spot(file=file, message_index=label.message_index, why=label.why))
        wrong = sorted(set(places) - matched, key=lambda place: (place[1], place[0]))
        if not yes:
            clean += 1
            alarmed += bool(wrong)
        found_wrong += len(wrong)
        false_alarms.extend(
            Spot(file=file, message_index=place[1], line=places[place].at.line, why=places[place].title)
            for place in wrong
        )
    total = 2 * hits + found_wrong + len(misses)
    return Measured(
        rule=rule,
        sessions=len(by_file),
        labels=wanted,
        hits=hits,
        clean=clean,
        alarmed=alarmed,
        misses=tuple(misses),
        false_alarms=tuple(false_alarms),
        precision=wilson(hits, hits + found_wrong),
        recall=wilson(hits, wanted),
        f1=2 * hits / total if total else None,
        false_alarm_rate=wilson(alarmed, clean),
    )


def _fits(label: Label, place: tuple[str, int]) -> bool:
    """Whether a place is the one a label speaks of."""
    session, index = place
    if label.session is not None and label.session != session:
        return False
    return label.message_index is None or label.message_index == index


def measure_reviews(
    rule: str, judged: Iterable[Judged], findings: Mapping[str, Sequence[Finding]]
) -> Measured:
    """Hold what a rule finds against a person's verdicts on findings, by fingerprint.

    A confirmed finding is a place where the rule must find something, a dismissed one a place where it must not; what
    nobody judged counts neither way. Recall is among what some version of the rule had found: nobody said what
    all of them missed. Corrected findings stand apart in :attr:`Measured.corrected`.

    :param judged: of several verdicts on one finding the last one counts; those on logs that are not among
        ``findings`` are left out.
    :param findings: by name of the log, for every log that could be read.
    """
    verdicts = {
        (one.file, one.fingerprint): one for one in judged if one.file in findings and one.rule in ("", rule)
    }
    found: dict[tuple[str, str], Finding] = {}
    for file, many in findings.items():
        for finding in many:
            if finding.rule == rule and (file, finding.fingerprint) in verdicts:
                found.setdefault((file, finding.fingerprint), finding)
    # Without the name of its rule, a verdict is on a rule that still finds it.
    verdicts = {key: one for key, one in verdicts.items() if one.rule or key in found}
    of: dict[str, list[tuple[str, str]]] = {"confirm": [], "dismiss": [], "correct": []}
    for key, one in verdicts.items():
        of[one.verdict].append(key)
    hits = [key for key in of["confirm"] if key in found]
    alarms = [key for key in of["dismiss"] if key in found]
    wanted = {file for file, _ in of["confirm"]}
    clean = {file for file, _ in of["dismiss"]} - wanted - {file for file, _ in of["correct"]}
    total = len(hits) + len(of["confirm"]) + len(alarms)

    def spots(keys: Iterable[tuple[str, str]]) -> tuple[Spot, ...]:
        return tuple(
            Spot(
                file=key[0],
                message_index=found[key].at.message_index if key in found else None,
                line=found[key].at.line if key in found else None,
                why=verdicts[key].note or (found[key].title if key in found else f"fingerprint {key[1]}"),
            )
            for key in keys
        )

    return Measured(
        rule=rule,
        by="reviews",
        sessions=len({file for file, _ in verdicts}),
        labels=len(of["confirm"]),
        hits=len(hits),
        clean=len(clean),
        alarmed=len(clean & {file for file, _ in alarms}),
        misses=spots(key for key in of["confirm"] if key not in found),
        false_alarms=spots(alarms),
        corrected=spots(of["correct"]),
        precision=wilson(len(hits), len(hits) + len(alarms)),
        recall=wilson(len(hits), len(of["confirm"])),
        f1=2 * len(hits) / total if total else None,
        false_alarm_rate=wilson(len(clean & {file for file, _ in alarms}), len(clean)),
    )
