"""The narrative for a terminal. Control characters of the log become visible signs: nothing moves a cursor."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import TextIO

from sessionlens.narrative import words
from sessionlens.narrative.views import Audited, Evidence, FindingView, Narrative, Statement
from sessionlens.safe import line as safe_line
from sessionlens.safe import terminal

WIDTH = 96
"""Characters to a line."""
HOW = {"observed": "*", "derived": "=", "inferred": "?"}
"""Signs of how a statement is known, for any terminal."""


def plain(text: str) -> str:
    """One of our own sentences without the marks of code, safe for a terminal."""
    return terminal(text.replace("`", ""))


def place(at: Evidence) -> str:
    """A place in few characters: ``5740:312``, message and line."""
    return terminal(at.label) + (f":{at.line}" if at.line is not None else "")


def _places(evidence: Sequence[Evidence]) -> str:
    return f"[{', '.join(place(at) for at in evidence)}]"


def _wrapped(text: str, first: str = "", then: str = "") -> Iterator[str]:
    yield from textwrap.wrap(
        words.flat(text), WIDTH, initial_indent=first, subsequent_indent=then, break_on_hyphens=False
    ) or [first.rstrip()]


def render(narrative: Narrative, audit: Audited, stream: TextIO) -> None:
    """Write the narrative, without the transcript."""
    for line in lines(narrative):
        stream.write(line + "\n")


def summary(narrative: Narrative) -> Iterator[str]:
    """The first screen in a few lines."""
    yield from _wrapped(plain(narrative.headline.text))
    for number in narrative.numbers:
        yield from _wrapped(f"{plain(number.value)} {number.label} ({plain(number.detail)})", "  ", "    ")


def lines(narrative: Narrative) -> Iterator[str]:
    """The document line by line."""
    meta = narrative.meta
    yield from _wrapped(terminal(words.columns((meta.title, meta.client, meta.when, meta.size))))
    yield ""
    yield from summary(narrative)
    yield ""
    for statement in narrative.lede:
        yield from _statement(statement)
    if narrative.ledger:
        yield "OPEN OPERATIONS"
        for row in narrative.ledger:
            told = row.told if row.told_at is None else f"told in {row.told}"
            closed = row.closed + (f" in {place(row.closed_at)}" if row.closed_at is not None else "")
            ended = "never closed as far as the log shows" if row.still_open else f"closed {closed}"
            text = (
                f"{terminal(row.action)} of {terminal(row.target)}, {row.opened_by}; {told}; {ended}; "
                f"unknown for {row.unknown_for}"
            )
            yield from _wrapped(text, f"  [{place(row.opened_at)}] ", "      ")
        yield ""
    yield f"How a sentence is known: {HOW['observed']} observed  {HOW['derived']} derived  {HOW['inferred']} inferred."
    yield "Places are message:line of the log."
    yield ""
    for chapter in narrative.chapters:
        level = f" ({chapter.severity})" if chapter.severity is not None else ""
        yield from _wrapped(plain(chapter.title) + level)
        yield "=" * min(WIDTH, len(plain(chapter.title) + level))
        for section in chapter.sections:
            yield ""
            yield section.heading
            for statement in section.statements:
                yield from _statement(statement)
        if chapter.next_commands:
            yield ""
            yield "What would have told"
            for command in chapter.next_commands:
                yield f"  $ {safe_line(command.line, 400)}"
        if chapter.findings:
            yield ""
            yield "What the rules reported"
            for finding in chapter.findings:
                yield from _finding(finding)
        yield ""
    if narrative.further:
        yield "Further findings"
        for finding in narrative.further:
            yield from _finding(finding)
        yield ""
    if narrative.aside:
        yield "Handled well, and signals"
        for finding in narrative.aside:
            yield from _finding(finding)
        yield ""
    for heading, statements in (
        *((section.heading, section.statements) for section in narrative.conduct),
        ("What this log cannot show", narrative.limits),
    ):
        yield heading
        for statement in statements:
            yield from _statement(statement)
        yield ""


def _finding(finding: FindingView) -> Iterator[str]:
    name = finding.severity if finding.kind == "fault" else finding.kind
    yield from _wrapped(
        f"{plain(finding.title)} [{place(finding.at)}] {finding.rule}, {finding.confidence} confidence"
        + (f"; {plain(finding.mark)}" if finding.mark else ""),
        f"  {name}: ",
        "    ",
    )


def _statement(statement: Statement) -> Iterator[str]:
    text = f"{plain(statement.text)} {_places(statement.evidence)}"
    yield from _wrapped(text, f"  {HOW[statement.certainty]} ", "    ")
    if statement.names:
        yield from _wrapped(terminal(", ".join(statement.names)), "      ", "      ")
