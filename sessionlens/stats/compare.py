"""Two corpora side by side: differences with intervals, tests corrected for their number, sizes of effects."""

from __future__ import annotations

from typing import Any

import msgspec

from sessionlens.stats.figures import Figures, Rate, durations, figures
from sessionlens.stats.formulas import cohen_h, fisher, holm, mann_whitney, newcombe, quantile

TABLES = ("rule", "handling", "tool errors", "tool limits")
"""Tables of rates that are compared; models, clients and languages differ between corpora by choice."""


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """One figure in both."""

    table: str
    """Where it belongs."""
    what: str
    """What it is."""
    kind: str
    """``fault``, ``signal``, ``good``; empty where it is none."""
    a: float | None
    """In A: a share, or a median in milliseconds; null without values."""
    b: float | None
    """In B."""
    n_a: int
    """Counted in A."""
    n_b: int
    """Counted in B."""
    difference: float | None
    """B less A."""
    low: float | None
    """Lower end of the interval of the difference (Newcombe, 95 %); null for times."""
    high: float | None
    """Upper end."""
    test: str
    """``Fisher`` (exact) or ``Mann-Whitney``; empty where nothing could be tested."""
    p: float | None
    """Chance of a difference as large, were there none."""
    corrected: float | None
    """The same, corrected for the number of tests here (Holm)."""
    effect: float | None
    """Cohen's h of shares, Cliff's delta of times; B against A."""
    size: str
    """``none``, ``small``, ``medium`` or ``large``, by the customary bounds."""


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """Two corpora."""

    a: Figures
    """A."""
    b: Figures
    """B."""
    differences: tuple[Difference, ...]
    """Every figure that both have."""


def compare(a: Any, b: Any) -> Comparison:
    """Two :class:`sessionlens.corpus.Corpus` side by side."""
    of_a, of_b = figures(a), figures(b)
    found: list[Difference] = []
    rates_a = {(row.table, row.what, row.kind): row for row in of_a.rates if row.table in TABLES}
    rates_b = {(row.table, row.what, row.kind): row for row in of_b.rates if row.table in TABLES}
    empty = {row.what: row for row in (*of_a.rates, *of_b.rates) if row.table == "rule" and not row.kind}
    for key in dict.fromkeys((*rates_a, *rates_b)):
        one, other = rates_a.get(key), rates_b.get(key)
        if key[0] == "rule" and (one is None or other is None):
            # A rule that found nothing in one of them ran there all the same.
            known = one or other
            if known is None or not known.kind:
                continue
            one = one or _nothing(known, of_a, empty)
            other = other or _nothing(known, of_b, empty)
        if one is not None and other is not None and (one.hits or other.hits):
            found.append(_shares(one, other))
    times_a = {what: values for what, _, values in durations(a.tables)}
    times_b = {what: values for what, _, values in durations(b.tables)}
    for what, values in times_a.items():
        found.append(_times(what, values, times_b[what]))
    tested = [row.p for row in found if row.p is not None]
    corrected = iter(holm(tested))
    return Comparison(
        a=of_a,
        b=of_b,
        differences=tuple(
            row if row.p is None else msgspec.structs.replace(row, corrected=next(corrected)) for row in found
        ),
    )


def _nothing(like: Rate, of: Figures, empty: dict[str, Rate]) -> Rate:
    known = next(
        (row for row in of.rates if row.table == "rule" and row.what == like.what), empty.get(like.what)
    )
    total = known.total if known is not None else of.counts["sessions"]
    return msgspec.structs.replace(like, hits=0, total=total, share=0.0, findings=0)


def _shares(a: Rate, b: Rate) -> Difference:
    interval = newcombe(a.hits, a.total, b.hits, b.total)
    both = a.total > 0 and b.total > 0
    effect = cohen_h(a.share, b.share) if both else None
    return Difference(
        table=a.table,
        what=a.what,
        kind=a.kind,
        a=a.share if a.total else None,
        b=b.share if b.total else None,
        n_a=a.total,
        n_b=b.total,
        difference=b.share - a.share if both else None,
        low=interval.low if both else None,
        high=interval.high if both else None,
        test="Fisher" if both else "",
        p=fisher(a.hits, a.total, b.hits, b.total) if both else None,
        corrected=None,
        effect=effect,
        size=_size(effect, (0.2, 0.5, 0.8)),
    )


def _times(what: str, a: list[float | None], b: list[float | None]) -> Difference:
    of_a = sorted(value for value in a if value is not None)
    of_b = sorted(value for value in b if value is not None)
    ranked = mann_whitney(of_a, of_b)
    middle_a = quantile(of_a, 0.5) if of_a else None
    middle_b = quantile(of_b, 0.5) if of_b else None
    return Difference(
        table="time",
        what=what,
        kind="",
        a=middle_a,
        b=middle_b,
        n_a=len(of_a),
        n_b=len(of_b),
        difference=None if middle_a is None or middle_b is None else middle_b - middle_a,
        low=None,
        high=None,
        test="Mann-Whitney" if ranked is not None else "",
        p=ranked.p if ranked is not None else None,
        corrected=None,
        effect=ranked.delta if ranked is not None else None,
        size=_size(ranked.delta if ranked is not None else None, (0.147, 0.33, 0.474)),
    )


def _size(effect: float | None, bounds: tuple[float, float, float]) -> str:
    if effect is None:
        return ""
    names = ("none", "small", "medium", "large")
    return names[sum(abs(effect) >= bound for bound in bounds)]
