"""What a person forbids or allows, from the tables ``[deeds]``, ``[bans]`` and ``[means]`` of a lexicon file.

A file lists how its language orders each deed, how it denies, and by which words one waits for leave; what a denial
beside a deed means is the same for all languages and stands here. docs/languages.md describes the tables.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec

from sessionlens.cache import lazy
from sessionlens.language import detect, engine, lexicon, pattern

Mood = Literal["forbids", "reads_only", "asks_first"]

_LONGEST = 600
"""Code points of a sentence that are read."""
_MARKERS = 20
"""Places of one pattern looked at in one sentence."""
_KEPT = 16
"""Sentences whose matches are remembered: each is asked several questions in a row."""
_KINDS = frozenset(
    {"denies", "nothing", "ask", "waits", "consent", "tells", "states", "leaves", "approves", "until", "meanwhile", "except"}
)  # fmt: skip
"""Rows of ``[bans]`` that are no whole ban of one deed."""
_TOKEN = lazy(r"[^\W\d_](?:[\w'’.-]*\w)?")
_SIGNED = lazy(detect.SIGNED_WORD + r"|[A-Za-z](?:[\w.-]*\w)?")
"""A word; of a script whose vowels are signs on a letter, or a name in Latin letters."""


class Forbidden(msgspec.Struct, frozen=True, kw_only=True):
    """What one clause forbids."""

    mood: Mood
    """A ban of some deeds, of all changes, or a wish to be asked before."""
    clause: str
    """Its words."""
    objects: str = ""
    """What it is about: what is left without the deed and the denial, in English where a command is known by it."""
    deeds: frozenset[str] = frozenset()
    """The deeds, as the keys of ``[deeds]``; empty for a ban of all changes."""
    awaits: bool = False
    """Whether it holds until the person gives their word."""


class _Sentence:
    """One sentence with what the three tables find in it, each looked up when first asked for."""

    def __init__(self, text: str, code: str) -> None:
        self.text = text
        self.words = lexicon.load(code, code != "en" and text.isascii())
        self.low = engine.prepare(text, code)
        self.around = engine.Around(self.low, self.words)
        self._found: dict[str, list[_Match]] = {}

    def found(self, table: str) -> list[_Match]:
        """What the patterns of one table match."""
        if table not in self._found:
            rules = self.words.rules(table)
            self._found[table] = [
                _Match(rules.all[number], *match.span())
                for number in rules.candidates(self.low)
                for match in itertools.islice(rules.matches(number, self.low), _MARKERS)
            ]
        return self._found[table]

    def of(self, *acts: str) -> list[_Match]:
        """What ``[bans]`` finds under the given keys."""
        return [one for one in self.found("bans") if one.rule.act in acts]


class _Match(msgspec.Struct, frozen=True):
    """A match of one pattern."""

    rule: lexicon.Rule
    start: int
    end: int


@functools.lru_cache(maxsize=_KEPT)
def _sentence(text: str, code: str) -> _Sentence | None:
    """A sentence as its language's tables see it; ``None`` where the language has none."""
    return _Sentence(text, code) if lexicon.load(code).table("bans") else None


def _told(text: str, code: str) -> _Sentence | None:
    """The same of a sentence that may forbid or allow something; ``None`` for a question or a very long one."""
    if len(text) > _LONGEST or text.rstrip().endswith(("?", "？", "؟")):
        return None
    return _sentence(text, code)


def _within(one: _Match, clause: tuple[int, int]) -> bool:
    return clause[0] <= one.start and one.end <= clause[1]


def codes(sentence: str, language: str | None) -> tuple[str, ...]:
    """The languages in which a sentence may be read: its own, or where it is too short to tell those that tie."""
    code = detect.of_sentence(sentence, language) if language is not None else detect.detect(sentence)
    if code is not None:
        return (code,)
    return detect.candidates(sentence) if len(sentence) <= engine.SHORT else ()


def forbidden(sentence: str, code: str) -> tuple[Forbidden, ...]:
    """What a sentence of one language forbids; questions and descriptions forbid nothing."""
    one = _told(sentence, code)
    return tuple(_forbidden(one)) if one is not None and one.found("bans") else ()


def _forbidden(one: _Sentence) -> Iterator[Forbidden]:
    awaits = bool(one.of("waits", "consent"))
    asks = one.of("ask")
    if asks:
        found = frozenset(match.rule.act for match in one.found("deeds"))
        if found:
            yield Forbidden(
                mood="asks_first",
                clause=one.text,
                objects=_objects(one, (0, len(one.text)), [*asks, *one.found("deeds")]),
                deeds=found,
            )
            return
    if one.of("except"):
        # "Change nothing except a.py": what is left free is not forbidden.
        return
    for match in one.of("nothing"):
        clause = _clause(one, match)
        if not _tells(one, clause, match):
            objects = _objects(one, clause, [match])
            yield Forbidden(
                mood="reads_only", clause=_words(one, clause), objects=_english(objects), awaits=awaits
            )
            return
    seen: set[tuple[int, int]] = set()
    for match in one.found("bans"):
        act = match.rule.act
        clause = _clause(one, match)
        if (act in _KINDS and act != "denies") or clause in seen or _tells(one, clause, match):
            continue
        whole = [other for other in one.found("bans") if _within(other, clause)]
        deeds = [other for other in one.found("deeds") if _within(other, clause) and not other.rule.asks]
        acts = {other.rule.act for other in whole} - _KINDS
        acts |= {other.rule.act for other in deeds} if any(o.rule.act == "denies" for o in whole) else set()
        if acts & _ALSO_RUN:
            acts.discard("run")
        objects = _objects(one, clause, [*whole, *deeds])
        acts = acts or _meant(objects)
        if acts:
            seen.add(clause)
            yield Forbidden(
                mood="forbids",
                clause=_words(one, clause),
                objects=objects,
                deeds=frozenset(acts),
                awaits=awaits,
            )


_ALSO_RUN = frozenset({"restart", "reload", "deploy"})
"""Deeds whose words are often those of starting something."""
_MEANT = {"production": "change", "dependency": "install"}


def _meant(objects: str) -> set[str]:
    """What a ban without a verb forbids by what it names alone ("nothing in production", "no new packages")."""
    return {_MEANT[objects]} if objects in _MEANT else set()


def _clause(one: _Sentence, match: _Match) -> tuple[int, int]:
    return one.around.clause(match.start, match.end, kinds=("breaks",))


def _words(one: _Sentence, clause: tuple[int, int]) -> str:
    return one.text[clause[0] : clause[1]].strip()


def _tells(one: _Sentence, clause: tuple[int, int], ban: _Match) -> bool:
    """Whether a clause tells of somebody's doing: words for that stand before those of the ban, or say so anywhere."""
    return any(clause[0] <= other.start < ban.start for other in one.of("tells")) or any(
        _within(other, clause) for other in one.of("states")
    )


def _objects(one: _Sentence, clause: tuple[int, int], said: Sequence[_Match]) -> str:
    """The words of a clause that narrow a ban."""
    start, end = clause
    for match in one.of("until"):
        end = min(end, match.start) if start < match.start else end
    for match in one.of("meanwhile"):
        start = max(start, match.end) if match.end < end else start
    left = [False] * len(one.low)
    for match in said:
        for low, high in _own(one, match):
            left[low:high] = [True] * (high - low)
    out: dict[str, None] = {}
    for match in sorted(one.found("means"), key=lambda other: (other.start, -other.end)):
        if start <= match.start and match.end <= end and not all(left[match.start : match.end]):
            left[match.start : match.end] = [True] * (match.end - match.start)
            if match.rule.act != "nothing":
                out[match.rule.act] = None
    token = _TOKEN if one.words.head.spaced else _SIGNED
    for found in token.finditer(one.low, start, end):
        word = found.group()
        if any(left[found.start() : found.end()]):
            # "force-push": what narrows a deed that is written as one word with it.
            at = found.start()
            parts = [
                part
                for part in re.finditer(r"[^-]+", word)
                if not any(left[at + part.start() : at + part.end()])
            ]
        else:
            parts = [found]
        for part in parts:
            if len(part.group()) > 1 and not _common(one, part.group()):
                out[part.group()] = None
    return " ".join(out)


def _common(one: _Sentence, word: str) -> bool:
    words = one.words
    return word in words.head.words or word in words.leading or word in words.stops


def _english(objects: str) -> str:
    """Of what a ban of all changes is about, the words that make it one of some place alone."""
    return " ".join(word for word in objects.split() if word in ("production", "database", "test"))


def _own(one: _Sentence, match: _Match) -> Iterator[tuple[int, int]]:
    """Where the words of a pattern itself stand, without what its gaps passed over."""
    if not any(item.kind in {"gap", "one"} for item in match.rule.items):
        yield match.start, match.end
        return
    stretch = one.low[match.start : match.end]
    literals = set(_literals(match.rule.items))
    if one.words.head.spaced:
        for found in _TOKEN.finditer(stretch):
            word = found.group()
            if any(
                word.startswith(literal[:-1]) if literal.endswith("*") else word == literal
                for literal in literals
            ):
                yield match.start + found.start(), match.start + found.end()
    else:
        for literal in literals:
            for found in re.finditer(re.escape(literal.strip("*")), stretch):
                yield match.start + found.start(), match.start + found.end()


def _literals(items: Sequence[pattern.Item]) -> Iterator[str]:
    for item in items:
        if item.kind == "word":
            yield item.value
        for row in item.rows:
            yield from _literals(row)


def ordered(sentence: str, code: str) -> frozenset[str]:
    """The deeds that a sentence orders or allows, without a denial: what lifts a ban of them.

    A question lifts nothing, nor does what is told of a deed ("the restart failed").
    """
    one = _told(sentence, code)
    if one is None or not one.found("deeds"):
        return frozenset()
    if not _WANTS & {found.act for found in engine.find(one.around, one.words, "user", "prose")}:
        return frozenset()
    denied = [_clause(one, match) for match in one.found("bans") if match.rule.act not in _NO_DENIAL]
    return frozenset(
        match.rule.act
        for match in one.found("deeds")
        if not match.rule.asks and not any(_within(match, clause) for clause in denied)
    )


_WANTS = frozenset({"new_direction", "authorises", "continuation"})
"""Acts of a sentence that asks for something or allows it."""
_NO_DENIAL = _KINDS - {"denies", "nothing"}


def waiting(sentence: str, code: str) -> tuple[str, ...] | None:
    """Whether a sentence makes something wait for the person's word: the stretches that name their consent, in lower
    case, which are no part of what it is about; ``None`` where it waits for nothing."""
    one = _sentence(sentence, code)
    if one is None or not one.of("waits", "consent"):
        return None
    return tuple(one.low[match.start : match.end] for match in one.of("consent"))


def gives(sentence: str, code: str, *acts: Literal["leaves", "approves"]) -> bool:
    """Whether a sentence gives leave, or approves of what the person has looked at, and denies nothing."""
    one = _told(sentence, code)
    return one is not None and bool(one.of(*acts)) and not one.of("denies")
