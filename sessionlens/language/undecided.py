"""Sentences that the patterns leave undecided: spaCy over whole sentences.

A pattern bridges at most a few words inside a clause. Constructions that are torn further apart ("the *call* that was
to bring the backend up again on both hosts was *torn down*") are listed under ``[matcher]`` of a lexicon as rows of
word sets, matched over up to twenty tokens between them. spaCy is imported, and a pipeline built, only when a sentence
without an act holds a word of every set of some row: a session without such a sentence never pays for it.

Blank pipelines need no model. With a model that the user has installed, words are compared by lemma as well.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from typing import Any

from sessionlens.language import lexicon

GAP = 20
"""Tokens from one word of a row to the next, at most."""

_WORDS = re.compile(r"[\w']+")
_HALVES = re.compile("[\ud800-\udfff]")


class ModelError(RuntimeError):
    """The named spaCy model is not installed or cannot be loaded; the text says which, and what spaCy said."""


@functools.cache
def _rows(code: str) -> tuple[tuple[str, tuple[frozenset[str], ...]], ...]:
    table = lexicon.load(code).table("matcher")
    return tuple(
        (act, tuple(frozenset(part.split("|")) for part in str(row).split()))
        for act, rows in table.items()
        if isinstance(rows, list)
        for row in rows
    )


@functools.cache
def _rarest(code: str) -> frozenset[str]:
    """Words of which every row needs one: of each row the smallest set."""
    return frozenset(word for _, row in _rows(code) for word in min(row, key=len, default=()))


def wakes(low: str, code: str) -> bool:
    """Whether a sentence could match a row at all. Cheap, without spaCy."""
    rows = _rows(code)
    if not rows:
        return False
    words = set(_WORDS.findall(low))
    if words.isdisjoint(_rarest(code)):
        return False
    return any(all(words & choice for choice in row) for _, row in rows)


@functools.cache
def _matcher(code: str, model: str | None) -> tuple[Any, Any]:
    import spacy
    from spacy.matcher import PhraseMatcher
    from spacy.tokens import Doc

    if model is None:
        try:
            nlp = spacy.blank(code)
        except (ImportError, OSError):
            nlp = spacy.blank("xx")
        nlp.add_pipe("sentencizer")
    else:
        try:
            nlp = spacy.load(model)
        except (ImportError, OSError, ValueError) as problem:
            raise ModelError(f"spaCy model {model!r} cannot be loaded: {problem}") from problem
    attribute = "LOWER" if model is None else "LEMMA"
    matcher = PhraseMatcher(nlp.vocab, attr=attribute)
    words = sorted({word for _, row in _rows(code) for choice in row for word in choice})
    for word in words:
        matcher.add(word, [Doc(nlp.vocab, words=[word], lemmas=[word])])
    return nlp, matcher


def _in_order(row: tuple[frozenset[str], ...], places: list[tuple[int, str]]) -> tuple[int, int] | None:
    """The first and last token of the row's words, each at most the gap behind the one before."""
    first: int | None = None
    last = -1
    at = 0
    for choice in row:
        while at < len(places) and (places[at][0] <= last or places[at][1] not in choice):
            at += 1
        if at == len(places) or (first is not None and places[at][0] - last > GAP):
            return None
        last = places[at][0]
        first = last if first is None else first
    return None if first is None else (first, last)


def judge(low: str, code: str, model: str | None = None) -> Iterator[tuple[str, int, int]]:
    """Act, start and end of each row whose words stand in the sentence in their order.

    The matcher only finds the words. Their order is followed here, because spaCy's own token patterns with gaps
    of this width take exponential memory on sentences that nearly match.

    Raises:
        ModelError: when ``model`` is named and cannot be loaded.
    """
    nlp, matcher = _matcher(code, model)
    # Half a character, as a cut JSON text may hold, has no bytes that spaCy could keep its strings by.
    doc = nlp(_HALVES.sub("\ufffd", low))
    places = sorted((start, nlp.vocab.strings[key]) for key, start, _ in matcher(doc))
    for act, row in _rows(code):
        found = _in_order(row, places)
        if found is not None:
            span = doc[found[0] : found[1] + 1]
            yield act, span.start_char, span.end_char
