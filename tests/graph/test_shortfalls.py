"""Shapes of bad news in outputs."""

from __future__ import annotations

import pytest

from sessionlens.graph import shortfalls


@pytest.mark.parametrize(
    ("line", "bad"),
    [
        ("3 failed, 12 passed", True),
        ("record_id 5521 failed email validation", False),
        ("job #5521 failed", False),
        ("found 4 vulnerabilities (4 high)", True),
        ("fixed 3 vulnerabilities", False),
        ("12,000 rows failed", True),
    ],
)
def test_a_number_counts_failures_where_it_is_no_id_and_nothing_was_put_right(
    line: str, *, bad: bool
) -> None:
    assert (shortfalls._SHOWN.search(line) is not None) == bad
