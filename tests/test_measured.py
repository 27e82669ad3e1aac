"""Figures in the catalogue come from the measuring, not from a hand."""

import pytest

from sessionlens import catalogue, measured
from sessionlens.measure import Label, measure

TEXT = measured.FILE.read_text("utf-8")


def test_the_shipped_figures_are_as_they_were_measured():
    rows = measured.read(TEXT)
    assert rows == measured.shipped()
    assert {row.rule for row in rows} <= set(catalogue.shipped())
    assert measured.write(rows) == TEXT


def test_a_figure_written_by_hand_is_found():
    assert 'recall = "' in TEXT
    with pytest.raises(measured.Edited, match="changed by hand"):
        measured.read(
            TEXT.replace('recall = "0.', 'recall = "1.', 1)
            if 'recall = "0.' in TEXT
            else TEXT.replace("1.00", "0.99", 1)
        )
    with pytest.raises(measured.Edited):
        measured.read(TEXT.partition("\n[checksum]")[0] + '\n[checksum]\nsha256 = "0"\n')


def test_a_row_is_what_was_measured():
    labels = [
        Label(file="a", rule="step-loop", message_index=1, verdict="yes"),
        Label(file="b", rule="step-loop", verdict="no"),
    ]
    row = measured.row("two logs", measure("step-loop", labels, {"a": [], "b": []}))
    assert (row.labels, row.hits, row.clean, row.alarmed) == (1, 0, 1, 0)
    assert (row.precision, row.recall) == ("-", "0.00 [0.00, 0.79]")
    assert measured.read(measured.write([row])) == (row,)


def test_the_catalogue_prints_figures_and_formats():
    rules = catalogue.shipped()
    entry = catalogue.entry(rules["step-loop"])
    assert "### Measured" in entry
    assert "| labelled traces: loops: " in entry
    assert "- `aider`" in entry or "`aider`:" in entry
    assert "### Checkable on" in entry
    for slug, rule in rules.items():
        assert "### Checkable on" in catalogue.entry(rule), slug
        assert "### Measured" in catalogue.entry(rule), slug
