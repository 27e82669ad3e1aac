"""The narrative as Markdown, for an issue or a review. Text of the log is escaped, so that it stays text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TextIO

from sessionlens.cache import lazy
from sessionlens.narrative import words
from sessionlens.narrative.views import (
    Audited,
    Chapter,
    Evidence,
    FindingView,
    LedgerRow,
    Narrative,
    Statement,
)
from sessionlens.report.markup import visible

HOW = {"observed": "●", "derived": "◐", "inferred": "○"}
"""Signs of how a statement is known, the same as on the page."""

_SPECIAL = lazy(r"([\\`*_{}\[\]<>#|~&!])")
_LINE_START = lazy(r"^(\s*)([-+]|\d+[.)])(\s)")
_CODE = lazy(r"`([^`\n]{1,400})`")


def escape(text: str) -> str:
    """Text of a log on one line, with nothing in it that Markdown or HTML would read."""
    flat = words.flat(visible(text))
    return _LINE_START.sub(r"\1\\\2\3", _SPECIAL.sub(r"\\\1", flat)).replace("://", ":\u2060//")


def code(text: str) -> str:
    """A text as a code span, with a fence longer than any in it."""
    flat = words.flat(visible(text)).replace("|", "\\|")
    longest = max((len(run) for run in re.findall("`+", flat)), default=0)
    fence = "`" * (longest + 1)
    return f"{fence} {flat} {fence}" if longest else f"`{flat or ' '}`"


def sentence(text: str) -> str:
    """One of our own sentences: pieces between backticks stay code, the rest is escaped."""
    pieces, end = [], 0
    for found in _CODE.finditer(text):
        pieces += [_SPECIAL.sub(r"\\\1", visible(text[end : found.start()])), code(found.group(1))]
        end = found.end()
    pieces.append(_SPECIAL.sub(r"\\\1", visible(text[end:])))
    return "".join(pieces).replace("://", ":\u2060//")


def place(at: Evidence) -> str:
    """A place in words: ``message 5740, line 312``."""
    named = f"message {escape(at.label)}" if at.message_index is not None else escape(at.label)
    return f"{named}, line {at.line}" if at.line is not None else named


def places(evidence: Sequence[Evidence]) -> str:
    """Places in brackets."""
    return f"({'; '.join(dict.fromkeys(place(at) for at in evidence))})"


def render(narrative: Narrative, audit: Audited, stream: TextIO) -> None:
    """Write the narrative, without the transcript."""
    for line in lines(narrative):
        stream.write(line + "\n")


def lines(narrative: Narrative) -> Iterator[str]:
    """The document line by line."""
    meta = narrative.meta
    yield f"# {sentence(narrative.headline.text)}"
    yield ""
    yield f"{HOW[narrative.headline.certainty]} {places(narrative.headline.evidence)}"
    yield ""
    about = (meta.title, f"session {meta.id}", meta.client, meta.when, meta.size, meta.models)
    yield " · ".join(escape(value) for value in about if value)
    yield ""
    for statement in narrative.lede:
        yield from _statement(statement)
    for number in narrative.numbers:
        yield f"- **{escape(number.value)}** {escape(number.label)}: {sentence(number.detail)}"
    yield ""
    if narrative.ledger:
        yield from _ledger(narrative.ledger)
    yield (
        f"How a sentence is known: {HOW['observed']} observed in the log, {HOW['derived']} derived by a stated "
        f"rule, {HOW['inferred']} inferred and possibly wrong."
    )
    yield ""
    for chapter in narrative.chapters:
        yield from _chapter(chapter)
    if narrative.further:
        yield "## Further findings"
        yield ""
        yield from map(_finding, narrative.further)
        yield ""
    for section in narrative.conduct:
        yield f"## {section.heading}"
        yield ""
        for statement in section.statements:
            yield from _statement(statement)
        yield ""
    if narrative.aside:
        yield "## Handled well, and signals"
        yield ""
        yield from map(_finding, narrative.aside)
        yield ""
    yield "## What this log cannot show"
    yield ""
    for statement in narrative.limits:
        yield from _statement(statement)


def _statement(statement: Statement) -> Iterator[str]:
    yield f"- {HOW[statement.certainty]} {sentence(statement.text)} {places(statement.evidence)}"
    if statement.names:
        yield f"  - {', '.join(map(code, statement.names))}"
    for at in statement.evidence:
        if at.quote and words.clip(words.flat(at.quote), 60).rstrip("…") not in words.flat(statement.text):
            before, after = ("… " if at.cut[0] else ""), (" …" if at.cut[1] else "")
            yield f"  - {before}{code(at.quote)}{after}"


def _ledger(rows: Sequence[LedgerRow]) -> Iterator[str]:
    yield "## Open operations"
    yield ""
    yield "| Message | Operation | Left open because | Begun | Reader told | Closed | State unknown for |"
    yield "|---|---|---|---|---|---|---|"
    for row in rows:
        closed = row.closed + (f", {place(row.closed_at)}" if row.closed_at is not None else "")
        cells = (
            place(row.opened_at),
            f"{escape(row.action)} {code(row.target)}",
            escape(row.opened_by),
            row.reached,
            escape(row.told),
            closed,
            row.unknown_for,
        )
        yield f"| {' | '.join(cells)} |"
    yield ""


def _finding(finding: FindingView) -> str:
    level = finding.severity if finding.kind == "fault" else finding.kind
    return (
        f"- **{level}** {sentence(finding.title)} ({code(finding.rule)}, {finding.confidence} confidence, "
        f"{place(finding.at)})" + (f"; {escape(finding.mark)}" if finding.mark else "")
    )


def _chapter(chapter: Chapter) -> Iterator[str]:
    yield f"## {sentence(chapter.title)}"
    yield ""
    about = [value for value in (chapter.severity or "", chapter.when) if value]
    if about:
        yield f"*{', '.join(about)}*"
        yield ""
    for section in chapter.sections:
        yield f"### {section.heading}"
        yield ""
        for statement in section.statements:
            yield from _statement(statement)
        yield ""
    if chapter.next_commands:
        yield "### What would have told"
        yield ""
        for command in chapter.next_commands:
            yield f"- {code(command.line)}: {escape(command.why)} {places(command.evidence)}"
        yield ""
    if chapter.findings:
        yield "### What the rules reported"
        yield ""
        yield from map(_finding, chapter.findings)
        yield ""
    if chapter.things:
        yield "### Things to know"
        yield ""
        yield "| Name | What | First | Latest | In messages |"
        yield "|---|---|---|---|---|"
        for thing in chapter.things:
            yield (
                f"| {code(thing.value)} | {thing.kind} | {place(thing.first)} | {place(thing.last)} "
                f"| {thing.mentions} |"
            )
        yield ""
