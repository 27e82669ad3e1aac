"""Plots as SVG made here: horizontal bars, each with its number and, where one is known, its interval.

The same picture stands inside a page and as a file of its own; text is escaped by the one template environment.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

WIDTH = 720
"""Pixels of a plot."""
LABEL = 250
"""Pixels for the labels at the left."""
NUMBER = 150
"""Pixels for the numbers at the right."""
ROW = 22
"""Pixels of a row."""
CHARACTERS = 38
"""Characters of a label; the whole of a longer one is its title."""


class Value(msgspec.Struct, frozen=True, kw_only=True):
    """One bar."""

    label: str
    """What it stands for."""
    value: float
    """How long it is."""
    shown: str
    """The number in words."""
    low: float | None = None
    """Where its interval begins."""
    high: float | None = None
    """Where its interval ends."""


class Bar(msgspec.Struct, frozen=True, kw_only=True):
    """One bar, placed."""

    y: int
    """Its upper edge."""
    width: str
    """How long it is, in pixels."""
    label: str
    """Its label, short."""
    title: str
    """Its label and number in full."""
    shown: str
    """Its number."""
    whisker: tuple[str, str] | None
    """Where its interval begins and ends."""


class Plot(msgspec.Struct, frozen=True, kw_only=True):
    """Bars under one heading."""

    title: str
    """What it shows."""
    note: str
    """What the bars and lines mean."""
    width: int
    """Pixels."""
    height: int
    """Pixels."""
    left: int
    """Where bars begin."""
    right: int
    """Where numbers begin."""
    bars: tuple[Bar, ...]
    """From top to bottom."""


def bars(title: str, values: Sequence[Value], *, note: str = "", most: float | None = None) -> Plot:
    """Place bars.

    :param most: what the full length stands for; the largest value or upper end when not given.
    """
    room = WIDTH - LABEL - NUMBER
    top = most if most is not None else max((max(v.value, v.high or 0.0) for v in values), default=0.0)

    def length(value: float) -> str:
        return f"{room * min(max(value, 0.0), top) / top if top else 0.0:.1f}"

    placed = []
    for number, one in enumerate(values):
        short = one.label if len(one.label) <= CHARACTERS else one.label[: CHARACTERS - 1] + "…"
        whisker = None
        if one.low is not None and one.high is not None:
            whisker = (f"{LABEL + float(length(one.low)):.1f}", f"{LABEL + float(length(one.high)):.1f}")
        placed.append(
            Bar(
                y=34 + number * ROW,
                width=length(one.value),
                label=short or "(none)",
                title=f"{one.label or '(none)'}: {one.shown}",
                shown=one.shown,
                whisker=whisker,
            )
        )
    return Plot(
        title=title,
        note=note,
        width=WIDTH,
        height=34 + len(values) * ROW + (20 if note else 4),
        left=LABEL,
        right=WIDTH - NUMBER + 8,
        bars=tuple(placed),
    )


def svg(plot: Plot) -> str:
    """A plot as a file of its own."""
    from sessionlens.report.html import environment

    return environment().get_template("plot.html").render(plot=plot) + "\n"
