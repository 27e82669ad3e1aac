"""The statistics that the tables need, each a small function with its source. Nothing here knows of sessions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

import msgspec

LEVEL = 0.95
"""Level of every interval."""


class Interval(msgspec.Struct, frozen=True, kw_only=True):
    """An interval of confidence."""

    low: float
    """Its lower end."""
    high: float
    """Its upper end."""


def wilson(hits: int, total: int, level: float = LEVEL) -> Interval:
    """The score interval of a share (Wilson 1927); from 0 to 1 where nothing was counted."""
    if total <= 0:
        return Interval(low=0.0, high=1.0)
    z = NormalDist().inv_cdf((1 + level) / 2)
    share = hits / total
    middle = (share + z * z / (2 * total)) / (1 + z * z / total)
    half = z * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total)) / (1 + z * z / total)
    # At the ends the formula gives exactly 0 and 1 but for rounding.
    return Interval(
        low=0.0 if hits == 0 else max(0.0, middle - half),
        high=1.0 if hits == total else min(1.0, middle + half),
    )


def newcombe(hits_a: int, total_a: int, hits_b: int, total_b: int, level: float = LEVEL) -> Interval:
    """The interval of the difference of two shares, B less A (Newcombe 1998, method 10: from two score intervals)."""
    if total_a <= 0 or total_b <= 0:
        return Interval(low=-1.0, high=1.0)
    a, b = hits_a / total_a, hits_b / total_b
    of_a, of_b = wilson(hits_a, total_a, level), wilson(hits_b, total_b, level)
    low = (b - a) - math.hypot(b - of_b.low, of_a.high - a)
    high = (b - a) + math.hypot(of_b.high - b, a - of_a.low)
    return Interval(low=max(-1.0, low), high=min(1.0, high))


def fisher(hits_a: int, total_a: int, hits_b: int, total_b: int) -> float:
    """Fisher's exact test of two shares, two-sided: the sum of all tables that are no more likely than this one."""
    hits, total = hits_a + hits_b, total_a + total_b
    low, high = max(0, hits - total_b), min(hits, total_a)
    if low == high:
        return 1.0

    def log_chance(a: int) -> float:
        return _log_binomial(total_a, a) + _log_binomial(total_b, hits - a) - _log_binomial(total, hits)

    own = log_chance(hits_a)
    # Rounding must not leave out the tables that are exactly as likely.
    return min(
        1.0, math.fsum(math.exp(c) for a in range(low, high + 1) if (c := log_chance(a)) <= own + 1e-7)
    )


def _log_binomial(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def cohen_h(share_a: float, share_b: float) -> float:
    """Cohen's h of two shares, B against A (Cohen 1988): 0.2 small, 0.5 medium, 0.8 large."""
    return 2 * math.asin(math.sqrt(share_b)) - 2 * math.asin(math.sqrt(share_a))


def quantile(ordered: Sequence[float], share: float) -> float:
    """The value below which a share of an ordered row lies, between neighbours by proportion (type 7 of Hyndman and
    Fan 1996). The row must not be empty.
    """
    place = (len(ordered) - 1) * share
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


class Ranked(msgspec.Struct, frozen=True, kw_only=True):
    """Two rows of values, compared by rank."""

    p: float
    """Chance of a difference as large, were there none: Mann-Whitney, two-sided."""
    delta: float
    """Cliff's delta, B against A: 1 where all of B are larger, -1 where all are smaller. 0.15 small, 0.33 medium,
    0.47 large (Romano et al. 2006)."""


def mann_whitney(a: Sequence[float], b: Sequence[float]) -> Ranked | None:
    """The rank test of two rows: exact for at most 20 values without ties, else by the normal curve with the
    corrections for ties and continuity. ``None`` where a row is empty.
    """
    if not a or not b:
        return None
    n, m = len(a), len(b)
    both = sorted([(value, 0) for value in a] + [(value, 1) for value in b])
    ranks_b = 0.0
    ties = 0
    at = 0
    while at < len(both):
        end = at
        while end < len(both) and both[end][0] == both[at][0]:
            end += 1
        count = end - at
        ties += count**3 - count
        ranks_b += (at + 1 + end) / 2 * sum(side for _, side in both[at:end])
        at = end
    u = ranks_b - m * (m + 1) / 2
    delta = 2 * u / (n * m) - 1
    if ties == 0 and n + m <= 20:
        return Ranked(p=_exact(n, m, u), delta=delta)
    total = n + m
    spread = n * m / 12 * ((total + 1) - ties / (total * (total - 1)))
    if spread <= 0:
        return Ranked(p=1.0, delta=delta)
    z = max(0.0, abs(u - n * m / 2) - 0.5) / math.sqrt(spread)
    return Ranked(p=min(1.0, 2 * (1 - NormalDist().cdf(z))), delta=delta)


def _exact(n: int, m: int, u: float) -> float:
    """Two-sided chance of U by counting all orders (Mann and Whitney 1947)."""
    ways = [[[0] * (n * m + 1) for _ in range(m + 1)] for _ in range(n + 1)]
    for i in range(n + 1):
        for j in range(m + 1):
            row = ways[i][j]
            if i == 0 or j == 0:
                row[0] = 1
                continue
            for value in range(i * j + 1):
                row[value] = ways[i][j - 1][value] + (ways[i - 1][j][value - j] if value >= j else 0)
    counts = ways[n][m]
    small = int(min(u, n * m - u))
    return min(1.0, 2 * sum(counts[: small + 1]) / sum(counts))


def holm(chances: Sequence[float]) -> list[float]:
    """The chances corrected for their number (Holm 1979), in the order given."""
    order = sorted(range(len(chances)), key=lambda at: chances[at])
    found = [0.0] * len(chances)
    worst = 0.0
    for place, at in enumerate(order):
        worst = max(worst, min(1.0, chances[at] * (len(chances) - place)))
        found[at] = worst
    return found
