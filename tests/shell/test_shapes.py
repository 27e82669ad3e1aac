"""Pieces of patterns: that looking for many at once finds what looking for each finds."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessionlens.graph.shortfalls import _SHOWN
from sessionlens.shell.reach import _with_pieces
from sessionlens.shell.result import _GATES, _pieces, blank, clean, outcome_table, possible
from sessionlens.shell.shapes import Gated, Pieces, needs_of, opening_of

KNOWN = sorted(_pieces().known)
TEXTS = st.lists(st.sampled_from(KNOWN) | st.text(max_size=3), max_size=8).map("".join)


@given(TEXTS)
def test_the_pieces_that_stand_in_a_text(text: str) -> None:
    assert _pieces().standing_in(text) == {piece for piece in KNOWN if piece in text}


@given(TEXTS)
def test_a_shape_that_is_left_out_does_not_match(text: str) -> None:
    common = outcome_table().common
    patterns = (*common.nothing, *common.failed, *common.unrun)
    left = {shape.pattern for shape in possible(patterns, text)}
    for shape in possible(patterns, " ".join(KNOWN)):
        assert shape.pattern in left or shape.pattern.search(text) is None


def test_half_of_a_surrogate_pair_is_no_hindrance() -> None:
    assert Pieces(["error"]).standing_in("\ud800error\udfff") == {"error"}
    assert Gated("error").search("\ud800error") is not None


@pytest.mark.parametrize("gate", [*_GATES, _SHOWN])
@given(text=TEXTS)
def test_a_gated_pattern_finds_what_the_pattern_finds(gate: Gated, text: str) -> None:
    assert "" not in gate.pieces
    assert [found.span() for found in gate.finditer(text)] == [f.span() for f in gate.pattern.finditer(text)]


def test_letters_that_are_taken_for_others_open_the_gate() -> None:
    assert Gated("missing file", re.IGNORECASE).search("MISſING FıLE") is not None


def test_what_a_verbose_pattern_needs() -> None:
    assert needs_of("  a\\ b [ c]  x | [✗✕] d?", verbose=True) == ("a b", "✗", "✕")


NOTES = ["(no output)", "[no output]", "Tool ran without output", "\n", " ", "x", "\x1b[0m", "\r", "<bash_metadata>a</bash_metadata>",
         "Shell cwd was reset to /srv"]  # fmt: skip


@given(st.lists(st.sampled_from(NOTES), max_size=6).map("".join))
def test_an_output_is_blank_where_nothing_is_left_of_it(output: str) -> None:
    assert blank(output) == (not clean(output).strip())


@pytest.mark.parametrize(
    ("pattern", "opening"),
    [
        ("^E: ", "e: "),
        ("^E: x|y", ""),
        ("E: ", ""),
        (r"^ERR\b", "err"),
        ("^Err*", "er"),
        ("^(a)", ""),
        ("^x+", ""),
    ],
)
def test_how_the_line_of_a_match_begins(pattern: str, opening: str) -> None:
    assert opening_of(pattern) == opening


@given(
    st.lists(
        st.sampled_from(["E: no", "Note: ", "error: ", "\n", "x", "\n\n", "command not found", "İE: "]),
        max_size=9,
    )
)
def test_lines_that_may_complain(words: list[str]) -> None:
    text = "".join(words)
    common = outcome_table().common
    gate = possible((*common.failed, *common.nothing, "[xX]", "^x"), text)
    found = dict(_with_pieces(gate, text))
    for number, line in enumerate(text.split("\n")):
        assert [
            shape for shape in gate if shape.pattern.search(line) and shape not in found.get(number, [])
        ] == []
