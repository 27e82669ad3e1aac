"""The small pattern language of the lexicon files, turned into bounded regular expressions.

A pattern is a row of items divided by spaces, matched in lower case against one sentence::

    the word        literal words; ``restart*`` takes any ending, ``*fehler`` any beginning
    (a|b c|d*)      one of several rows; a ``?`` behind a word, a group or a class makes it optional
    #s              a word with digits in it
    <name>          one of the rows that the file lists under ``[classes]``
    ~  ~3           a gap of up to four (or the given number of) words inside one clause
    #  _            a number (with its unit); any one word
    ^  ^^  $  ;     start of a clause; start of the sentence; end of the sentence; end of a clause
    :               a colon, a semicolon or a dash: what follows tells what came of it
    ,  @            a comma; a piece of code, an address or a quotation, which are masked

Languages written without spaces (``spaced = false``) match as substrings, and a gap counts characters.

No pattern can run away: every repetition is bounded by a count and moves over disjoint character sets.
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Iterator, Mapping, Sequence

import msgspec

GAP = 4
"""Words that a ``~`` may stand for."""

_CLASS_DEPTH = 8
"""How deep classes may name classes; deeper is a circle in the file."""

_SEPARATOR = r"(?:[\s\"“”„«»/\-()\[\]]{1,6}|(?<='))"
_ONE = r"[^\s,;:!?()]{1,80}"
# A word of a gap is a whole run of characters, or what stands before its first apostrophe ("l'"). Atomic, so that a run
# such as "[a][a][a]" is divided in one way only: else trying all ways would take minutes.
_WORD = r"(?>[\s\"“„«(\[]{1,4}[^\s,;!?—–()]{0,80}[^\s,;:.!?—–()])|(?>[\s\"“„«(\[]{1,4}[^\s,;!?—–()']{0,80}')"
_LEADING = rf"(?>{_ONE}[\s\"“”„«»/\-()\[\]]{{1,6}})|(?>[^\s,;:!?()']{{1,80}}')"
_NUMBER = r"[~≈<>]?\d[\d.,:/]{0,20}\w{0,20}%?"
_PARTS = re.compile(r"(~\d*|<\w+>\??)")
_PLAIN = re.compile(r"[^\W_]+(?:[ '-][^\W_]+)*")
_EMPTY = frozenset({"gap", "clause", "start", "end", "edge", "comma", "colon"})
_UNSURE = frozenset({"number", "one", "mask"})
_SIGNS = {
    "#": "number",
    "_": "one",
    "^": "clause",
    "^^": "start",
    "$": "end",
    ";": "edge",
    ",": "comma",
    ":": "colon",
    "@": "mask",
}
_ODD = re.compile(r"[|?\\^$<>()\[\]]|~\d|,")
_DIGITS = r"\d{1,6}(?:[.,]\d{1,4}){0,2}"
_CLAUSE_START = r"(?:(?<![^,;:—–(])|(?<=[,;:—–(]\s)|(?<=\s-\s))"
_CLAUSE_END = r"(?=[\s*\"')`]{0,6}(?:[,;:.!?—–(]|\Z|-\s))"
_COMMA = r"\s{0,2}[,:，、]"
_COLON = r"(?:\s{0,4}[:;：；—–]|\s{1,4}-(?=\s))"
_MASKED = r"`{0,3}¤{1,400}`{0,3}"
_START = r"\A[^\w¤'#]{0,8}"
"""Marks of Markdown and emoji before the first word belong to no word."""
_SENTENCE_END = r"(?=[\W_]{0,40}\Z)"


class PatternError(ValueError):
    """A pattern of a lexicon file that cannot be read; the text says which and why."""


class Item(msgspec.Struct, frozen=True):
    """One item of a pattern."""

    kind: str
    """``word``, ``any`` (group), ``gap``, ``number``, ``one``, ``mask``, ``clause``, ``start``,
    ``end``, ``edge``, ``comma``, ``colon``."""
    value: str = ""
    """The word, the width of a gap, or the name of a class."""
    rows: tuple[tuple[Item, ...], ...] = ()
    """The alternatives of a group."""
    optional: bool = False
    """Whether it may be missing."""


def _tokens(text: str) -> Iterator[str]:
    """Divide at spaces outside parentheses, and before and behind a group, a class or a gap."""
    for token in _groups(text):
        if token.startswith("("):
            yield token
        else:
            yield from (part for part in _PARTS.split(token) if part)


def _groups(text: str) -> Iterator[str]:
    depth, start, at = 0, 0, 0
    while at < len(text):
        char = text[at]
        if char == "(":
            if depth == 0 and at > start:
                yield text[start:at]
                start = at
            depth += 1
        elif char == ")":
            depth -= 1
            if depth < 0:
                raise PatternError(f"unbalanced ')' in {text!r}")
            if depth == 0:
                at += text[at + 1 : at + 2] == "?"
                yield text[start : at + 1]
                start = at + 1
        elif char == " " and depth == 0:
            if at > start:
                yield text[start:at]
            start = at + 1
        at += 1
    if depth:
        raise PatternError(f"unbalanced '(' in {text!r}")
    if start < len(text):
        yield text[start:]


def _alternatives(text: str) -> Iterator[str]:
    depth, start = 0, 0
    for at, char in enumerate(text):
        if char == "(":
            depth += 1
        elif char == ")":
            depth -= 1
        elif char == "|" and depth == 0:
            yield text[start:at]
            start = at + 1
    yield text[start:]


class Classes:
    """The rows under ``[classes]``, each parsed once, when a pattern first names it."""

    def __init__(self, rows: Mapping[str, Sequence[str]]) -> None:
        self._rows = rows
        self._parsed: dict[str, tuple[tuple[Item, ...], ...]] = {}

    def get(self, name: str, depth: int) -> tuple[tuple[Item, ...], ...] | None:
        """The rows of one class; ``None`` when there is no such class."""
        if name not in self._rows:
            return None
        if name not in self._parsed:
            self._parsed[name] = tuple(parse(row, self, depth + 1) for row in self._rows[name])
        return self._parsed[name]


def parse(text: str, classes: Classes, depth: int = 0) -> tuple[Item, ...]:
    """Read one pattern.

    Raises:
        PatternError: for unbalanced parentheses, an unknown class, or classes that name each other in a circle.
    """
    if _PLAIN.fullmatch(text):
        return tuple(Item("word", value=word) for word in text.lower().split(" "))
    if depth > _CLASS_DEPTH:
        raise PatternError(f"classes nest too deep in {text!r}")
    items: list[Item] = []
    for token in _tokens(text):
        optional = len(token) > 1 and token.endswith("?")
        body = token[:-1] if optional else token
        if body.startswith("(") and body.endswith(")"):
            rows = tuple(parse(row, classes, depth + 1) for row in _alternatives(body[1:-1]))
            if any(all(item.optional or item.kind in _EMPTY for item in row) for row in rows):
                raise PatternError(f"an alternative that may be empty in {text!r}")
            items.append(Item("any", rows=rows, optional=optional))
        elif body.startswith("<") and body.endswith(">"):
            known = classes.get(body[1:-1], depth)
            if known is None:
                raise PatternError(f"unknown class {body} in {text!r}")
            items.append(Item("any", value=body[1:-1], rows=known, optional=optional))
        elif re.fullmatch(r"~\d*", body):
            items.append(Item("gap", value=body[1:] or str(GAP)))
        elif body in _SIGNS:
            kind = _SIGNS[body]
            items.append(Item(kind, optional=optional))
        elif _ODD.search(body.rstrip(",")):
            raise PatternError(f"{body!r} is no word in {text!r}")
        else:
            items.append(Item("word", value=body.lower(), optional=optional))
    return tuple(items)


def _word(value: str, spaced: bool) -> str:
    return re.escape(value[: _plain_until(value)]) + _rest_of_word(value[_plain_until(value) :], spaced)


def _plain_until(value: str) -> int:
    """How many characters of a word stand for themselves."""
    return min((at for sign in "*#" if (at := value.find(sign)) >= 0), default=len(value))


def _rest_of_word(value: str, spaced: bool) -> str:
    ending = r"\w{0,30}" if spaced else r"[^\s,，。；;、:：!?！？]{0,6}?"
    return ending.join(
        _DIGITS.join(re.escape(part) for part in piece.split("#")) for piece in value.split("*")
    )


def _item(item: Item, spaced: bool, known: dict[str, str]) -> str:
    if item.kind == "word":
        return _word(item.value, spaced)
    if item.kind == "number":
        return _NUMBER if spaced else r"\s?\d[\d.,:]{0,20}\s?"
    if item.kind == "mask":
        return _MASKED
    if item.kind == "one":
        return _ONE
    # A class stands in many patterns, with hundreds of rows.
    made = known.get(item.value) if item.value else None
    if made is None:
        made = f"(?:{_merged([_divided(row, spaced, known) for row in item.rows])})"
        if item.value:
            known[item.value] = made
    return made


def _divided(items: Sequence[Item], spaced: bool, known: dict[str, str]) -> tuple[str, str]:
    """The letters that a row begins with, and the expression of the rest."""
    first = items[0] if items else None
    if first is None or first.kind != "word" or first.optional:
        return "", _row(items, spaced, known)
    until = _plain_until(first.value)
    rest = _row((Item("word", value=first.value), *items[1:]), spaced, known)
    return first.value[:until], rest[len(re.escape(first.value[:until])) :]


def _merged(rows: Sequence[tuple[str, str]]) -> str:
    """Alternatives in their order, those that begin alike put together: of hundreds few are looked at then.

    Alternatives that begin with different letters never match at the same place, so that their order does not matter.
    """
    out: list[str] = []
    groups: dict[str, list[tuple[str, str]]] = {}
    for begin, rest in (*rows, ("", "")):
        if begin:
            groups.setdefault(begin[0], []).append((begin, rest))
            continue
        # What begins with no letter may match wherever the others do: it keeps its place.
        out += map(_group, groups.values())
        groups = {}
        out.append(rest)
    return "|".join(out[:-1])


def _group(rows: Sequence[tuple[str, str]]) -> str:
    """Alternatives that begin with the same letter."""
    begin, rest = rows[0]
    if len(rows) == 1:
        return re.escape(begin) + rest
    same = os.path.commonprefix([begin for begin, _ in rows])  # noqa: RUF071 - of texts, not of paths
    return f"{re.escape(same)}(?:{_merged([(begin[len(same) :], rest) for begin, rest in rows])})"


def _row(items: Sequence[Item], spaced: bool, known: dict[str, str]) -> str:
    separator = _SEPARATOR if spaced else r"\s?"
    out: list[str] = []
    begun = False
    for item in items:
        if item.kind == "gap":
            if not begun and out and spaced:
                out.append(f"(?:{_LEADING}){{0,{item.value}}}?")
            elif begun:
                out.append(
                    f"(?:{_WORD}){{0,{item.value}}}?"
                    if spaced
                    else f"[^,，。；;:：!?！？]{{0,{item.value}}}?"
                )
        elif item.kind == "clause":
            out.append(_CLAUSE_START if spaced else r"(?:(?<![^,，;；:：、。])|(?<=[,;:]\s))")
        elif item.kind == "start":
            out.append(_START)
        elif item.kind == "end":
            out.append(_SENTENCE_END)
        elif item.kind == "edge":
            out.append(_CLAUSE_END)
        elif item.kind == "comma":
            out.append(f"(?:{_COMMA})?" if item.optional else _COMMA)
        elif item.kind == "colon":
            out.append(_COLON)
        elif item.optional:
            inner = _item(item, spaced, known)
            out.append(f"(?:{separator}{inner})?" if begun else f"(?:{inner}{separator})?")
        else:
            out.append((separator if begun else "") + _item(item, spaced, known))
            begun = True
    return "".join(out)


def expression(items: Sequence[Item], spaced: bool, far: bool, known: dict[str, str]) -> str:
    """The regular expression of one pattern; the sentence is lower case and without surrounding space.

    With ``far`` a gap at the end takes as many words as it may, without it none. ``known`` holds the expressions of
    classes by name, for all patterns of one lexicon, and gets those that are missing.
    """
    body = _row(items, spaced, known)
    if far and items and items[-1].kind == "gap":
        body = body.removesuffix("?")
    # A row may begin with the second half of a contraction ("'s running").
    return rf"(?:(?<!\w)(?<!\w\.)|(?='))(?:{body})(?!\w)" if spaced else body


@functools.lru_cache(maxsize=20_000)
def _rarity(word: str, common: frozenset[str]) -> int:
    piece = max(re.split(r"[\W_]+", word.replace("*", " ")), key=len, default="")
    return 0 if not piece else (1 if word in common or piece in common else 2 + len(piece))


def literals(items: Sequence[Item]) -> Iterator[str]:
    """Words that a pattern itself writes; those of the classes it names are not its own."""
    for item in items:
        if item.kind == "word":
            yield item.value
        elif not item.value:
            for row in item.rows:
                yield from literals(row)


SLOTS = 3
"""Items of a pattern that are looked up before its expression is tried."""


def _anchor(item: Item, common: frozenset[str]) -> tuple[int, tuple[str, ...]]:
    """The words of which every match of one item holds one, and the rarity of the least rare."""
    if item.optional or item.kind in _UNSURE or item.kind in _EMPTY:
        return 0, ()
    if item.kind == "word":
        if "#" in item.value:
            return 0, ()
        return _rarity(item.value, common), (item.value,)
    score = 1000
    found: dict[str, None] = {}
    for row in item.rows:
        best = max((_anchor(inner, common) for inner in row), key=lambda entry: entry[0], default=(0, ()))
        if not best[0]:
            return 0, ()
        score = min(score, best[0])
        found.update(dict.fromkeys(best[1]))
    return score, tuple(found)


def anchors(items: Sequence[Item], common: frozenset[str]) -> tuple[tuple[str, ...], ...]:
    """Sets of words of each of which every match of the pattern holds at least one, the rarest first.

    Args:
        items: the pattern.
        common: function words, the last choice for an anchor.

    Returns:
        Up to :data:`SLOTS` sets of words, perhaps with ``*``; none when nothing is certain (then the pattern
        is always tried).
    """
    rated = [entry for entry in (_anchor(item, common) for item in items) if entry[0]]
    rated.sort(key=lambda entry: -entry[0])
    return tuple(words for _, words in rated[:SLOTS])


_DEMANDED = {"number": "0", "mask": "¤"}


def demands(items: Sequence[Item]) -> frozenset[str]:
    """What every match of the pattern holds besides its words: ``0`` for some digit, ``¤`` for something masked."""
    found: set[str] = set()
    for item in items:
        if item.optional:
            continue
        if item.kind in _DEMANDED:
            found.add(_DEMANDED[item.kind])
        elif item.kind == "word" and "#" in item.value:
            found.add(_DEMANDED["number"])
        elif item.rows:
            found |= frozenset.intersection(*map(demands, item.rows))
    return frozenset(found)
