"""Labels under a picture: none touches another, on a wide screen or on a phone (``report/svg.py``)."""

import itertools

import pytest

from sessionlens.narrative.views import Column, Evidence, Picture
from sessionlens.report.svg import APART, NARROW, PER_SIGN, PLOT, draw


def _extent(tick, pixels):
    wide = len(tick.text) * PER_SIGN
    at = float(tick.x.rstrip("%")) / 100 * pixels
    start = {"start": at, "middle": at - wide / 2, "end": at - wide}[tick.align]
    return start, start + wide


def _apart(ticks, pixels):
    extents = sorted(_extent(tick, pixels) for tick in ticks)
    return all(one[1] + APART <= other[0] + 0.5 for one, other in itertools.pairwise(extents))


def _drawn(picture):
    ticks = draw(picture).ticks
    assert ticks
    return ticks, [tick for tick in ticks if not tick.minor]


@pytest.mark.parametrize("middle", [26, 30, 50, 70, 74])
@pytest.mark.parametrize("label", ["#5739, 14:03:10", "msg_01HZX4T9Q2, 14:03:10"])
def test_ends_and_middle_of_a_session(middle, label):
    picture = Picture(
        title="t", width=100, ticks=tuple((at, label + str(at)) for at in (0, middle, 99)), lanes=()
    )
    ticks, major = _drawn(picture)
    assert _apart(ticks, PLOT)
    assert _apart(major, NARROW)
    assert major[0].x == "0%"


def test_all_places_in_the_first_quarter():
    # Children fill the rest of the columns.
    picture = Picture(
        title="t", width=100, ticks=((0, "#0, 14:03:10"), (5, "#5, 14:03:40"), (9, "#9, 14:04:10")), lanes=()
    )
    ticks, _ = _drawn(picture)
    assert _apart(ticks, PLOT)


@pytest.mark.parametrize(("count", "label"), [(6, "#{}"), (12, "#10{:02}"), (14, "child 3.10{:02}")])
def test_columns_of_a_chapter(count, label):
    columns = [
        Column(label="", at=None, skipped=12_345)
        if number % 3 == 1
        else Column(
            label=label.format(number),
            at=Evidence(session="s", label=label.format(number), anchor=f"m{number}"),
        )
        for number in range(count)
    ]
    drawing = draw(Picture(title="t", width=count, columns=tuple(columns), lanes=()))
    major = [tick for tick in drawing.ticks if not tick.minor]
    assert _apart(drawing.ticks, PLOT)
    assert len(major) > 1
    assert _apart(major, NARROW)
    for _, words in drawing.breaks:
        assert len(words) * PER_SIGN <= PLOT / count + APART


@pytest.mark.parametrize(("count", "told"), [(14, "+12,345"), (16, "")])
def test_how_many_are_left_out_is_said_where_there_is_room(count, told):
    columns = tuple(Column(label="", at=None, skipped=12_345) for _ in range(count))
    drawing = draw(Picture(title="t", width=count, columns=columns, lanes=()))
    assert [words for _, words in drawing.breaks] == [told] * count
