"""From a message to sentences, through Markdown, with places in code points of the whole text."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from sessionlens.cache import lazy

LONGEST = 1500
"""Code points after which a sentence without an end is divided at white space, so that work stays bounded."""

_FENCE = lazy(r"[ \t]{0,3}(`{3,}|~{3,})")
_HEADING = lazy(r"[ \t]{0,3}#{1,6}[ \t]+\S")
_QUOTE = lazy(r"[ \t]{0,3}>")
_ITEM = lazy(r"[ \t]*(?:(?:[-*+•◦▪‣·–—]|\(?\d{1,3}[.)]|\(?[a-z][)])[ \t]+)?(?:\[[ xX✓✔-]\][ \t]+)?")
_ROW = lazy(r"[ \t]*\|.*\|[ \t]*$")
# Possessive: a row of dashes before other text would otherwise be tried in every division.
_RULER = lazy(r"[ \t]*+(?:\|?[ \t]*+:?-{2,}+:?[ \t]*+)++\|?[ \t]*+$|[ \t]*+(?:[-=_*][ \t]*+){3,}$")
_LOG = lazy(
    r"[ \t]*(?:"
    r"\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d(?::\d\d)?"
    r"|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[ ]{1,2}\d{1,2}[ ]\d\d:\d\d:\d\d[ ]"
    r"|\[?\d\d:\d\d:\d\d[\],.]"
    r"|\[(?:error|warn|warning|info|debug|notice|crit|fatal|trace|emerg)\]"
    r"|(?:ERROR|WARN|WARNING|INFO|DEBUG|FATAL|CRITICAL|TRACE|NOTICE)[:\s|\]]"
    r"|(?:level|time|ts|msg)=\S"
    r"|[$%#❯➜][ ](?=[a-z./~])"
    r"|\[(?:bash|shell|edit|write|read|grep|glob|webfetch|task|todowrite)\][ ]"
    r"|[\w.-]{1,40}\[\d{1,7}\]:[ ]"
    r"|Traceback \(most recent call last\)"
    r"|File \"[^\"]{1,300}\", line \d"
    r"|(?:curl|ssh|rsync|fatal|error|bash|sh|zsh|npm|make|git|E|nginx|psql|docker): (?=\S)"
    r")"
)
_INDENTED = lazy(r"(?:[ ]{4}|\t)\s*\S")
_BORDER = lazy(
    r"[.!?…؟।]{1,10}[\"')\]”»’*_`]{0,6}(?=\s|$)"
    r"|[。！？｡]{1,10}[”」』）\"')*]{0,4}"
    r"|(?<=\s)(?=[✅❌✔✖✗✘⚠🎉🚀🟢🔴🟡☑⏳]\ufe0f?\s+\S)"
    r"|[.!?][*_]{1,3}(?=\s|$)"
    r"|(?<=[✅❌✔🎉🚀🟢🔴⏳])\s+(?=[A-ZÀ-ÞА-ЯІЇЄҐ])"
)
_ABBREVIATION = lazy(
    r"(?:^|[\s(\"„«'])(?:[A-Za-zА-Яа-яІіЇїЄє]|e\.g|i\.e|eg|ie|etc|vs|cf|approx|resp|incl|max|min|sec|secs|no|nr|fig|ver|"
    r"z\.\s?b|d\.\s?h|u\.\s?a|bzw|ca|ggf|evtl|usw|inkl|zzgl|dr|mr|mrs|ms|st|p\.\s?ej|p\.\s?ex|ex|av|env|"
    r"т\.\s?[дпкеч]|напр|см|тыс|мин|сек|хв|ст|стр|рис|np|tzn|tj|itd|itp|bijv|m\.\s?a\.\s?w|o\.\s?a|vb|vs|örn|sn|dk|"
    r"p\.\s?s|a\.\s?m|p\.\s?m|al|et al|dept|inc|ltd|co|jr|sr)$",
    re.IGNORECASE,
)


_GREEK = lazy(r"[\u0370-\u03ff\u1f00-\u1fff]")


def is_question(sentence: str) -> bool:
    """Whether a sentence ends as a question does: with the mark of its script, in Greek a semicolon."""
    last = sentence.rstrip()[-1:]
    return last in _QUESTION_MARKS or (last == ";" and _GREEK.search(sentence) is not None)


_QUESTION_MARKS = frozenset("?？؟\u037e")


class Piece(msgspec.Struct, frozen=True):
    """One sentence, or a stretch that is none."""

    start: int
    """First code point."""
    end: int
    """Behind the last code point."""
    kind: str
    """``prose``, ``item``, ``heading``, ``row``; ``code``, ``quote`` and ``log`` never act."""


def _lines(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        yield start, end
        start = end + 1


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _kind(line: str, after_blank: bool) -> str:
    if _QUOTE.match(line):
        return "quote"
    if _RULER.match(line):
        return "ruler"
    if _HEADING.match(line):
        return "heading"
    if _ROW.match(line):
        return "row"
    if _LOG.match(line):
        return "log"
    item = _ITEM.match(line)
    if item is not None and item.group().strip():
        return "item"
    if after_blank and _INDENTED.match(line):
        return "code"
    return "prose"


def blocks(text: str) -> Iterator[tuple[int, int, str]]:
    """Stretches that belong together: paragraphs, list items, headings, table rows, fenced code, quotes.

    A line break inside a paragraph divides when the line is shorter than wrapped prose would be or has an end;
    people and agents write one statement a line without full stops.
    """
    fence: str | None = None
    open_at: tuple[int, int, str] | None = None
    after_blank = False
    fence_start = 0
    for start, end in _lines(text):
        line = text[start:end]
        mark = _FENCE.match(line)
        if fence is not None:
            if mark and mark.group(1)[0] == fence[0] and len(mark.group(1)) >= len(fence):
                yield fence_start, end, "code"
                fence = None
            continue
        if mark:
            if open_at is not None:
                yield open_at
                open_at = None
            fence, fence_start = mark.group(1), start
            continue
        if not line.strip():
            if open_at is not None:
                yield open_at
                open_at = None
            after_blank = True
            continue
        kind = _kind(line, after_blank)
        if after_blank and kind == "code" and open_at is None and start == 0:
            kind = "prose"
        after_blank = kind == "code"
        if open_at is not None:
            before = text[open_at[0] : open_at[1]].rstrip()
            last = before.rsplit("\n", 1)[-1]
            if open_at[2] == kind == "code" or open_at[2] == kind == "quote" or open_at[2] == kind == "log":
                open_at = (open_at[0], end, kind)
                continue
            wrapped = (
                kind == "prose"
                and open_at[2] in {"prose", "item"}
                and len(last) >= 60
                and last[-1] not in ".!?:;…。！？：✅❌"
            )
            if wrapped:
                open_at = (open_at[0], end, open_at[2])
                continue
            yield open_at
            open_at = None
        if kind == "ruler":
            continue
        open_at = (start, end, kind)
    if fence is not None:
        yield fence_start, len(text), "code"
    if open_at is not None:
        yield open_at


def _divides(text: str, start: int, match: re.Match[str], end: int) -> bool:
    """Whether the mark at ``match`` ends a sentence."""
    mark = match.group()
    if not mark or mark[0] in "。！？｡":
        return match.start() > start
    if mark.isspace():
        # A mark behind a statement ends it; one before it belongs to it.
        return len(text[start : match.start()].strip()) > 2
    rest = text[match.end() : min(end, match.end() + 40)].lstrip()
    if not any(char.isalnum() for char in rest):
        # What is left is an emoji or a closing mark: it belongs to the sentence.
        return False
    if mark[0] == "." and not mark.startswith(".."):
        before = text[max(start, match.start() - 12) : match.start()]
        if _ABBREVIATION.search(before) and not (before[-1:].isupper() and before[-2:-1].isalnum()):
            return False
        if before[-1:].isdigit() and rest[0].islower():
            return False
        return not (before.strip().isdigit() and match.start() - start <= 3)
    if mark.startswith((".", "…")):
        # An ellipsis in mid-thought goes on in lower case.
        return not rest[0].islower()
    return not (mark[0] in "!?" and mark[-1] in "\"')”»" and rest[0].islower())


def _sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    at = start
    for match in _BORDER.finditer(text, start, end):
        if match.start() < at or not _divides(text, at, match, end):
            continue
        yield at, match.end()
        at = match.end()
    if at < end:
        yield at, end


def _bounded(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while end - start > LONGEST:
        cut = text.rfind(" ", start + LONGEST // 2, start + LONGEST)
        cut = start + LONGEST if cut < 0 else cut
        yield start, cut
        start = cut
    yield start, end


def pieces(text: str) -> tuple[Piece, ...]:
    """All sentences in order; white space between them belongs to none. An empty text is one empty piece."""
    out: list[Piece] = []
    for start, end, kind in blocks(text):
        if kind in {"code", "quote", "log", "heading", "row"}:
            first, last = _trim(text, start, end)
            if first < last:
                out.append(Piece(first, last, kind))
            continue
        for left, right in _sentences(text, start, end):
            for low, high in _bounded(text, left, right):
                first, last = _trim(text, low, high)
                if first < last:
                    out.append(Piece(first, last, kind))
    return tuple(out) if out else (Piece(0, 0, "prose"),)
