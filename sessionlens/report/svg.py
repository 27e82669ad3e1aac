"""Pictures as shapes: where each stretch and each mark stands. The template draws them as SVG.

Every lane is a picture of its own, as wide as its column of the page: positions along it are percentages, so that
nothing is scaled and text stays readable on a phone.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from sessionlens.narrative.pictures import STATE_WORDS
from sessionlens.narrative.views import Lane, Mark, Picture

# Paths around (0, 0), at most 6 pixels to each side: forms differ, so that colour is never the only sign.
FORMS = {
    "request": "M-5 -4H5L0 5Z",
    "reply": "M-4 0A4 4 0 1 0 4 0A4 4 0 1 0 -4 0Z",
    "silence": "M-4 0A4 4 0 1 0 4 0A4 4 0 1 0 -4 0Z",
    "interruption": "M-4 -5V5M4 -5V5",
    "call": "M-1.5 -5H1.5V5H-1.5Z",
    "cut_off": "M-5 -5L5 5M5 -5L-5 5",
    "lost": "M-3 -6L2 -1L-2 1L3 6",
    "open": "M0 -6L6 0L0 6L-6 0Z",
    "change": "M-4 -4H4V4H-4Z",
    "check_good": "M-5 0L-1.5 4L5 -4",
    "check_bad": "M-4 -4L4 4M4 -4L-4 4M-6 0H6",
    "check_unclear": "M-5 1Q-2 -4 0 0T5 -1",
}
PLOT = 560
"""Pixels that a plot has at least on a wide screen; labels are thinned so that they do not touch."""
NARROW = 320
"""Pixels that it has at least on a phone."""
APART = 10
"""Pixels between two labels."""
PER_SIGN = 7
"""Pixels that a sign of a label takes."""
WORDS = {
    "request": "message of the person",
    "reply": "text of the assistant",
    "silence": "empty message",
    "interruption": "interruption",
    "call": "call",
    "cut_off": "cut off by a limit",
    "lost": "connection lost",
    "open": "left open",
    "change": "change",
    "check_good": "check: good",
    "check_bad": "check: bad",
    "check_unclear": "check: unclear",
}


class Bar(msgspec.Struct, frozen=True, kw_only=True):
    """A stretch of a lane."""

    x: str
    """Where it begins, in percent."""
    width: str
    """How wide it is, in percent."""
    css: str
    """State, as a class name."""
    title: str
    """In words."""
    anchor: str | None
    """Where a click leads."""


class Sign(msgspec.Struct, frozen=True, kw_only=True):
    """A mark of a lane."""

    x: str
    """Its middle, in percent."""
    path: str
    """Its form."""
    css: str
    """Its kind, as a class name."""
    title: str
    """In words."""
    anchor: str | None
    """Where a click leads."""
    aside: int = 0
    """Pixels to the right, where several stand at one place."""


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """A lane with its shapes."""

    name: str
    """Who or what."""
    detail: str
    """Where it is."""
    target: bool
    """Whether it is the lane of a target."""
    bars: tuple[Bar, ...]
    """Its stretches."""
    signs: tuple[Sign, ...]
    """Its marks, the gravest drawn last."""
    summary: str
    """The lane in one sentence, for those who hear the page."""


class Tick(msgspec.Struct, frozen=True, kw_only=True):
    """A label under the lanes."""

    x: str
    """Its middle, in percent."""
    text: str
    """The label."""
    anchor: str | None
    """Where a click leads."""
    align: str
    """``start``, ``middle`` or ``end``."""
    minor: bool = False
    """Left out where there is little room."""


class Drawing(msgspec.Struct, frozen=True, kw_only=True):
    """A picture with its shapes."""

    title: str
    """What it shows."""
    rows: tuple[Row, ...]
    """From top to bottom."""
    ticks: tuple[Tick, ...]
    """Labels."""
    breaks: tuple[tuple[str, str], ...]
    """Columns that stand for messages left out: position, how many (``+12``) or empty where there is no room to say it."""
    legend: tuple[tuple[str, str, str], ...]
    """Signs that occur: class, form, words."""
    states: tuple[tuple[str, str], ...]
    """States that occur: class, words."""
    left_out: int
    """Targets without a lane."""


def draw(picture: Picture) -> Drawing:
    """Place everything."""
    rows = tuple(_row(picture, lane) for lane in picture.lanes)
    kinds = [mark.kind for lane in picture.lanes for mark in lane.marks]
    states = [interval.state for lane in picture.lanes for interval in lane.intervals]
    return Drawing(
        title=picture.title,
        rows=rows,
        ticks=_ticks(picture),
        breaks=tuple(
            (_middle(number, picture.width), _left_out(column.skipped, picture.width))
            for number, column in enumerate(picture.columns)
            if column.at is None
        ),
        legend=tuple((kind, FORMS[kind], WORDS[kind]) for kind in FORMS if kind in kinds),
        states=tuple((state, words) for state, words in STATE_WORDS.items() if state in states),
        left_out=picture.left_out,
    )


def _percent(value: float) -> str:
    return f"{value:.3f}".rstrip("0").rstrip(".") + "%"


def _middle(column: int, width: int) -> str:
    return _percent((column + 0.5) * 100 / width)


def _row(picture: Picture, lane: Lane) -> Row:
    width = picture.width
    bars = []
    for interval in lane.intervals:
        # A change stands in the middle of its column; what it changed begins there.
        start = (interval.start + 0.5) * 100 / width if interval.start else 0.0
        end = (interval.end + 0.5) * 100 / width if interval.end < width else 100.0
        bars.append(
            Bar(
                x=_percent(start),
                width=_percent(max(end - start, 0.2)),
                css=interval.state,
                title=interval.statement.text.replace("`", ""),
                anchor=interval.statement.evidence[0].anchor,
            )
        )
    heavy = {"cut_off", "lost", "silence", "open", "interruption", "check_bad"}
    ordered = sorted(lane.marks, key=lambda mark: (mark.kind in heavy, mark.column))
    return Row(
        name=lane.name,
        detail=lane.detail,
        target=bool(lane.intervals)
        or bool(lane.detail and lane.name not in ("Person", "Assistant", "Tools")),
        bars=tuple(bars),
        signs=_signs(ordered, width),
        summary=_summary(lane),
    )


def _signs(marks: Sequence[Mark], width: int) -> tuple[Sign, ...]:
    count: dict[int, int] = {}
    found = []
    for mark in marks:
        position = count.get(mark.column, 0)
        count[mark.column] = position + 1
        found.append(
            Sign(
                x=_middle(mark.column, width),
                path=FORMS[mark.kind],
                css=mark.kind,
                title=mark.label.replace("`", ""),
                anchor=mark.at.anchor,
                aside=min(position, 3) * 7,
            )
        )
    return tuple(found)


def _summary(lane: Lane) -> str:
    if lane.intervals:
        return " ".join(interval.statement.text.replace("`", "") for interval in lane.intervals[:12])
    if not lane.marks:
        return f"{lane.name}: nothing in this stretch."
    return f"{lane.name}: " + "; ".join(mark.label.replace("`", "") for mark in lane.marks[:12]) + "."


def _left_out(count: int, width: int) -> str:
    """How many messages a column stands for; empty where it is too narrow for the number."""
    text = f"+{count:,}"
    return text if len(text) * PER_SIGN <= PLOT / width + APART else ""


def _ticks(picture: Picture) -> tuple[Tick, ...]:
    width = picture.width
    if not picture.columns:
        return _few(picture)
    named = [number for number, column in enumerate(picture.columns) if column.at is not None]
    longest = max((len(column.label) for column in picture.columns), default=1)
    apart = -(-width * (longest * PER_SIGN + APART) // PLOT)
    named = [number for place, number in enumerate(named) if place % max(1, apart) == 0]
    keep: set[int] = set()
    end = float("-inf")
    for number in named:
        half = len(picture.columns[number].label) * PER_SIGN / 2
        middle = (number + 0.5) / width * NARROW
        if middle - half >= end + APART:
            keep.add(number)
            end = middle + half
    return tuple(
        Tick(
            x=_middle(number, width),
            text=column.label,
            anchor=column.at.anchor,
            align="middle",
            minor=number not in keep,
        )
        for number, column in enumerate(picture.columns)
        if column.at is not None and number in named
    )


def _few(picture: Picture) -> tuple[Tick, ...]:
    """The labels of the few places that a picture of a whole session names; of two that would touch the later, or the middle one."""
    found: list[tuple[Tick, float]] = []
    for column, text in picture.ticks:
        place = (column + 0.5) / picture.width
        align = "start" if place < 0.25 else "end" if place > 0.75 else "middle"
        x, place = {
            "start": ("0%", 0.0),
            "end": ("100%", 1.0),
            "middle": (_middle(column, picture.width), place),
        }[align]
        found.append((Tick(x=x, text=text, anchor=None, align=align), place))
    # The ends first: they say where the session begins and how long it goes.
    order = [*found[:1], *found[:0:-1]]
    wide: list[tuple[Tick, float]] = []
    narrow: list[tuple[Tick, float]] = []
    for tick, place in order:
        if _clear(tick, place, wide, PLOT):
            wide.append((tick, place))
            if _clear(tick, place, narrow, NARROW):
                narrow.append((tick, place))
    small = [tick for tick, _ in narrow]
    return tuple(
        msgspec.structs.replace(tick, minor=tick not in small)
        for tick, place in found
        if (tick, place) in wide
    )


def _clear(tick: Tick, place: float, others: Sequence[tuple[Tick, float]], pixels: int) -> bool:
    """Whether a label touches none of the others on a plot of so many pixels."""
    start, stop = _extent(tick, place, pixels)
    extents = (_extent(other, at, pixels) for other, at in others)
    return all(stop + APART <= begin or end + APART <= start for begin, end in extents)


def _extent(tick: Tick, place: float, pixels: int) -> tuple[float, float]:
    """Where a label begins and ends, in pixels."""
    long = len(tick.text) * PER_SIGN
    start = place * pixels - {"start": 0.0, "middle": long / 2, "end": float(long)}[tick.align]
    return start, start + long
