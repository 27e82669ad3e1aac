"""The acts that a sentence's words make likely, beside what its patterns show: a small trained classifier.

Patterns know constructions and what stands around them; they do not know the wordings that nobody has written down.
One logistic regression an act weighs the words of a sentence, its pairs of words, its first words, beginnings and
endings of long words, and the acts that the patterns saw. It was trained on the labelled sentences in ``tests/language/training`` and on those of ``tests/language/sentences`` that are not kept for
measuring (``make train-language``); ``docs/languages.md`` tells what it is worth. A language is weighed only where that
beat its patterns on files of sentences that neither had met.

Weights are integers, and sums of integers are the same on every machine.
"""

from __future__ import annotations

import functools
import itertools
import math
import zlib
from collections.abc import Iterable, Sequence
from importlib import resources
from typing import get_args

import msgspec

from sessionlens.cache import lazy
from sessionlens.language.acts import AssistantAct

ACTS: tuple[str, ...] = get_args(AssistantAct)
"""The acts that are weighed, in the order of the weights: in another one they must be trained anew."""

_TOKEN = lazy(r"¤+|\d+(?:[.,:]\d+)*|[^\W\d_]\w*(?:'\w+)*|\w+|[^\w\s]")
_HAN = lazy(r"¤+|\d+(?:[.,:]\d+)*|[a-z][a-z0-9]*|[^\s]")
"""Where words are not divided by spaces, every character is one, and runs of up to four are their pairs."""
_MOST = 160
"""Tokens that are weighed; what stands behind them in so long a sentence adds little."""
_STEM, _ENDING = 5, 3
_FIRST = 3


def tokens(low: str, spaced: bool) -> list[str]:
    """The words, numbers and marks of a prepared sentence (:func:`sessionlens.language.engine.prepare`), as they are
    weighed: ``^`` begins it, ``$`` ends it, ``¤`` stands for masked code, ``0`` for a number.
    """
    found = (_TOKEN if spaced else _HAN).findall(low)
    # Most are words, which stay as they are: they cost no call.
    return ["^", *[token if token.isalpha() else _weighed(token) for token in found[:_MOST]], "$"]


def _weighed(token: str) -> str:
    first = token[0]
    return "¤" if first == "¤" else "0" if first.isdigit() else token


def words(plain: Sequence[str], spaced: bool) -> list[str]:
    """What is weighed of the tokens of a sentence."""
    pairs = [f"{one} {other}" for one, other in itertools.pairwise(plain)]
    first = [f"^{word}" for word in plain[1 : 1 + _FIRST]]
    if not spaced:
        runs = ["".join(plain[at : at + length]) for length in (3, 4) for at in range(1, len(plain) - length)]
        return [*plain, *pairs, *first, *runs]
    stems = [f"{word[:_STEM]}*" for word in plain if len(word) > _STEM]
    endings = [f"*{word[-_ENDING:]}" for word in plain if len(word) > _ENDING + 1]
    return [*plain, *pairs, *first, *stems, *endings]


def told(kind: str, acts: Iterable[str]) -> list[str]:
    """What is weighed of what is known of a sentence besides: its kind, and the acts that patterns saw."""
    return [f"kind:{kind}", *(f"act:{act}" for act in acts)]


class Weights(msgspec.Struct, frozen=True):
    """The trained weights of one language."""

    spaced: bool
    """Whether its words are divided by spaces."""
    features: list[str]
    """What is weighed."""
    weights: bytes
    """For each feature one byte an act, in which :data:`ZERO` stands for no weight; :data:`ONE` is a weight of 1."""
    bias: list[int]
    """What an act's sum begins with."""
    gate: dict[str, int]
    """Of single tokens, how much they speak for any act at all."""
    least: int
    """A sentence whose tokens sum up to less is not weighed."""
    trained_on: str
    """Digest of the sentences, their labels, and what is weighed of them."""


ZERO = 128
"""The byte of a weight of nothing."""
ONE = 24
"""A weight of 1: the sum of an act is its log-odds in these units."""
_KEPT = round(math.log(0.15 / 0.85) * ONE)
_THREE_IN_FIVE = round(math.log(0.6 / 0.4) * ONE)
_WEIGHTY = frozenset({"claims_success", "claims_check", "reports_failure"})
_NEVER = 1 << 30


def cut(act: str, shown: bool) -> int:
    """The sum above which an act is there.

    What patterns show stands unless it is unlikely (15 in 100): they are right about the plain wordings, of which a
    sentence of training is rarely one. What they do not show must be more likely than not, and a claim or a failure
    three in five: a claim that nobody made accuses somebody, a failure that nobody told acquits. A question is one by its
    mark and its place, never by its words alone.
    """
    if shown:
        return _KEPT
    if act == "asks_person":
        return _NEVER
    return _THREE_IN_FIVE if act in _WEIGHTY else 0


class Classifier:
    """One language, ready to weigh."""

    def __init__(self, trained: Weights) -> None:
        self._trained = trained
        width = len(ACTS)
        self._places = dict(
            zip(trained.features, range(0, len(trained.features) * width, width), strict=True)
        )

    @property
    def trained_on(self) -> str:
        """Digest of what the weights were trained on."""
        return self._trained.trained_on

    @property
    def spaced(self) -> bool:
        """Whether words are divided by spaces."""
        return self._trained.spaced

    def wakes(self, found: Sequence[str]) -> bool:
        """Whether the tokens could show an act at all: cheap, and asked first."""
        return sum(map(self._trained.gate.get, found, itertools.repeat(0))) >= self._trained.least

    def acts(self, found: Sequence[str], shown: frozenset[str], kind: str) -> frozenset[str]:
        """The acts of a sentence of this kind, by its tokens and by the acts that patterns have shown."""
        places, weights, width = self._places, self._trained.weights, len(ACTS)
        features = {*words(found, self.spaced), *told(kind, shown)}
        rows = [weights[at : at + width] for at in map(places.get, features) if at is not None]
        none = ZERO * len(rows)
        columns = zip(*rows, strict=True) if rows else ((),) * width
        return frozenset(
            act
            for act, column, bias in zip(ACTS, columns, self._trained.bias, strict=True)
            if sum(column) - none + bias > cut(act, act in shown)
        )

    def shown_by(self, low: str, act: str) -> tuple[int, int]:
        """The stretch of a prepared sentence that speaks most for an act."""
        column = ACTS.index(act)
        places = [match.span() for match in (_TOKEN if self.spaced else _HAN).finditer(low)][:_MOST]
        plain = [_weighed(low[start:end]) for start, end in places]
        best = (0, 0, len(places) - 1)
        begin = sum_ = 0
        for at, word in enumerate(plain):
            value = self._weight(column, word)
            if at:
                value += self._weight(column, f"{plain[at - 1]} {word}")
            if self.spaced and len(word) > _STEM:
                value += self._weight(column, f"{word[:_STEM]}*")
            if sum_ <= 0:
                begin, sum_ = at, 0
            sum_ += value
            if sum_ > best[0]:
                best = (sum_, begin, at)
        return (places[best[1]][0], places[best[2]][1]) if places else (0, len(low))

    def _weight(self, column: int, feature: str) -> int:
        at = self._places.get(feature)
        return 0 if at is None else self._trained.weights[at + column] - ZERO


def packed(trained: Weights) -> bytes:
    """Weights as their file holds them."""
    return zlib.compress(msgspec.msgpack.encode(trained), 9)


@functools.cache
def load(code: str) -> Classifier | None:
    """The classifier of a language; ``None`` where patterns alone do at least as well."""
    path = resources.files("sessionlens.language.weights") / f"{code}.bin"
    if not path.is_file():
        return None
    return Classifier(msgspec.msgpack.decode(zlib.decompress(path.read_bytes()), type=Weights))
