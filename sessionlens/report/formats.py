"""The log formats as a table: what each records, and which rules cannot judge it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

import msgspec

from sessionlens.capabilities import FACTS, Capability, of

WIDTH = 110
"""Characters of a line that notes are wrapped to."""


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One format of the table."""

    reader: str
    """Name of the reader, as ``--reader`` takes it."""
    reads: str
    """What it reads."""
    records: dict[str, str]
    """For each fact ``yes``, ``partly`` or ``no``."""
    note: str
    """What is missing and why."""
    not_checkable: tuple[str, ...]
    """Rules that cannot judge sessions of this format."""


def row(name: str, not_checkable: Sequence[str]) -> Row:
    """The row of one reader; one without facts of its own (a plug-in) is taken to record everything."""
    about = of(name) or Capability(reader=name, reads="a reader that is not part of sessionlens")
    records: dict[str, str] = {fact: str(getattr(about, fact)) for fact in FACTS}
    return Row(
        reader=name, reads=about.reads, records=records, note=about.note, not_checkable=tuple(not_checkable)
    )


def table(rows: Sequence[Row]) -> Iterator[str]:
    """The rows as text: a table of facts, then what each format reads and lacks."""
    wide = max((len(one.reader) for one in rows), default=0)
    heads = [f"{fact.replace('_', ' '):6}" for fact in FACTS]
    yield (f"{'reader':{wide}}  " + "  ".join(heads)).rstrip()
    for one in rows:
        cells = [f"{one.records[fact]:{len(head)}}" for fact, head in zip(FACTS, heads, strict=True)]
        yield (f"{one.reader:{wide}}  " + "  ".join(cells)).rstrip()
    for one in rows:
        yield ""
        yield f"{one.reader}: {one.reads}"
        if one.note:
            yield from textwrap.wrap(one.note, WIDTH, initial_indent="  ", subsequent_indent="  ")
        if one.not_checkable:
            listed = f"not checkable: {', '.join(one.not_checkable)}"
            yield from textwrap.wrap(
                listed, WIDTH, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False
            )


def markdown(rows: Sequence[Row]) -> str:
    """The rows as a Markdown table, for the README."""
    heads = ["reader", "reads", *(fact.replace("_", " ") for fact in FACTS), "not checkable"]
    lines = [f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}"]
    for one in rows:
        unjudged = ", ".join(f"`{slug}`" for slug in one.not_checkable)
        cells = [f"`{one.reader}`", one.reads, *one.records.values(), unjudged]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"
