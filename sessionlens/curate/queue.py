"""Which findings a person should look at first: those whose label is least certain, each kind in turn."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from sessionlens.curate.labels import Labels
from sessionlens.curate.rows import FindingRow

_UNSURE = {"low": 1.0, "medium": 0.6, "high": 0.2}
"""What a confidence adds."""
_BORDER = {
    "environment": ("unknown", "it is not known which environment it took place in"),
    "reached": ("unknown", "it is not known whether the command began"),
    "basis": ("name", "only a name says what it does"),
    "results": ("unknown", "the log does not hold the results"),
    "standing": ("premature", "the evidence came later"),
    "cause": ("stream_ended_unknown", "why the message is empty is not known"),
}
"""Facts that put a finding near the border, with the value that does and the words for it."""


class Queued(msgspec.Struct, frozen=True, kw_only=True):
    """One finding to look at."""

    place: int
    """From 1: the first is the most informative."""
    score: float
    """How informative, from its parts below; every finding of a kind that stands before it takes some away."""
    why: tuple[str, ...]
    """What makes it informative."""
    fingerprint: str
    """Of the finding."""
    session: str
    """Its session."""
    family: str
    """The session on top of it, whose page shows it."""
    source: str
    """Where the session was read from."""
    step: int
    """Its message."""
    rule: str
    """Slug of its rule."""
    kind: str
    """``fault``, ``good`` or ``signal``."""
    severity: str
    """As in findings."""
    confidence: str
    """As in findings."""
    situation: str
    """Kind of operation."""
    title: str
    """The finding in one line."""


def queue(
    findings: Iterable[FindingRow], sources: dict[str, str], labels: Labels, *, most: int, again: bool = False
) -> list[Queued]:
    """The most informative findings without a verdict.

    A finding counts for its confidence, for being a signal or near the border by its facts, for a new kind (no
    reviewed finding of its rule in its kind of situation), and for a dispute of reviewers. Kinds take turns: every
    finding that is chosen halves what the others of its rule and situation count.

    :param sources: source by session.
    :param again: also findings on which reviewers differ.
    """
    rows = [row for row in findings if row.fingerprint]
    verdicts = {row.fingerprint: labels.verdict(row.session, row.fingerprint) for row in rows}
    seen = Counter((row.rule, row.situation) for row in rows if verdicts[row.fingerprint] is not None)
    rules = Counter(row.rule for row in rows if verdicts[row.fingerprint] is not None)
    waiting: dict[tuple[str, str], list[tuple[float, tuple[str, ...], FindingRow]]] = {}
    for row in rows:
        verdict = verdicts[row.fingerprint]
        if verdict is not None and not (again and verdict == "disputed"):
            continue
        score, why = _score(
            row, seen[row.rule, row.situation], rules[row.rule], disputed=verdict == "disputed"
        )
        waiting.setdefault((row.rule, row.situation), []).append((score, why, row))
    for row_ in waiting.values():
        row_.sort(key=lambda item: (-item[0], item[2].family, item[2].step, item[2].fingerprint))
    taken: Counter[tuple[str, str]] = Counter()
    found: list[Queued] = []
    while waiting and len(found) < most:
        key = min(waiting, key=lambda one: (-waiting[one][0][0] / 2 ** taken[one], one))
        score, why, row = waiting[key].pop(0)
        if not waiting[key]:
            del waiting[key]
        found.append(
            Queued(
                place=len(found) + 1,
                score=round(score / 2 ** taken[key], 4),
                why=why,
                fingerprint=row.fingerprint,
                session=row.session,
                family=row.family,
                source=sources.get(row.session, ""),
                step=row.step,
                rule=row.rule,
                kind=row.kind,
                severity=row.severity,
                confidence=row.confidence,
                situation=row.situation,
                title=row.title,
            )
        )
        taken[key] += 1
    return found


def _score(row: FindingRow, known: int, of_rule: int, *, disputed: bool) -> tuple[float, tuple[str, ...]]:
    score = _UNSURE.get(row.confidence, 0.5)
    why = [f"confidence {row.confidence}"]
    if disputed:
        score += 1
        why.append("reviewers differ")
    if row.kind == "signal":
        score += 0.4
        why.append("a signal: between fault and none")
    facts = _facts(row.facts)
    for name, (value, words) in _BORDER.items():
        if facts.get(name) == value:
            score += 0.3
            why.append(words)
    if row.language is None:
        score += 0.2
        why.append("the language is not known")
    score += 0.8 / (1 + known)
    if not of_rule:
        why.append("no finding of this rule was reviewed yet")
    elif not known:
        why.append("no finding of this rule in this kind of situation was reviewed yet")
    return score, tuple(why)


def _facts(text: str) -> dict[str, object]:
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def shown(rows: Sequence[Queued]) -> list[str]:
    """The queue for a terminal: two lines a finding, the second says how to look at it."""
    found = []
    for row in rows:
        found.append(f"{row.place:3}  {row.severity:8} {row.confidence:6}  {row.rule}: {row.title}")
        found.append(f"     {row.source}  session {row.family}  message #{row.step}  ({'; '.join(row.why)})")
    return found
