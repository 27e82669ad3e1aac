"""Trains the classifier of speech acts (:mod:`sessionlens.language.classifier`), one language after the other.

    python tests/language/train.py            all languages
    python tests/language/train.py en uk      some

Sentences are those of ``training/<code>*.tsv`` (labels, a tab, the sentence; see ``training/README.md``) and those of
``sentences/`` that are not kept for measuring. Every file of ``training/`` was written by itself, so each is judged once
by weights that were trained on others: a language gets weights only where these judgements are better than its
patterns alone, for acknowledging acts and for claims, and no less precise. The table that is printed is of them.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import measure
import numpy as np
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression
from training import Sample, digest, languages, older, written

from sessionlens.language import classifier, engine, lexicon, split

WEIGHTS = Path(classifier.__file__).parent / "weights"
LEAST = 2
"""A feature that weighs less than this for every act is left out."""
TOLD = 1.5
"""How much more easily weights are given to what patterns say than to a word."""
FOLDS = 5
"""Parts that the files of a language are divided into, to judge each part by the others."""
SLACK = 0.05
"""How much less precise than patterns weights may be where they see more."""
WAKES = 0.97
"""Share of the sentences with an act that the gate must let through."""
NEAR = 0.5
"""How much a sentence counts of those that were written about what earlier weights were unsure of (``*-near*``): they
stand closer to the border than what is said does."""
GROUPS = {"acknowledges": measure.ACKNOWLEDGES, "claims": measure.CLAIMS, "all": classifier.ACTS}


class Piece(NamedTuple):
    """A sentence as it is weighed."""

    tokens: list[str]
    features: list[str]
    shown: frozenset[str]


Text = tuple[Sample, list[Piece]]
"""A labelled text and its sentences."""
Models = dict[str, LogisticRegression | None]
"""By act; none where too few sentences have it."""


def pieces(text: str, code: str) -> list[Piece]:
    """The sentences of a text that are weighed, as the engine would weigh them."""
    found = []
    words = lexicon.load(code, False)
    for piece in split.pieces(text):
        if piece.kind in engine._SILENT or piece.kind == "heading":
            continue
        raw = text[piece.start : piece.end]
        acts, around = engine.by_patterns(raw, piece.kind, words, "assistant", last=True)
        shown = frozenset(one.act for one in acts)
        tokens = classifier.tokens(around.low, words.head.spaced)
        more = classifier.told(piece.kind, sorted(shown))
        found.append(Piece(tokens, [*classifier.words(tokens, words.head.spaced), *more], shown))
    return found


class Matrix:
    """Sentences as rows of features; a feature that stands in one sentence only is left out."""

    def __init__(self, rows: Sequence[Sequence[str]]) -> None:
        counts = Counter(feature for row in rows for feature in set(row))
        self.names = sorted(feature for feature, count in counts.items() if count > 1)
        self._at = {name: at for at, name in enumerate(self.names)}

    def of(self, rows: Sequence[Sequence[str]]) -> csr_matrix:
        places = [sorted({self._at[one] for one in row if one in self._at}) for row in rows]
        flat = np.array([at for row in places for at in row], dtype=np.int32)
        ends = np.cumsum([0, *map(len, places)], dtype=np.int32)
        values = np.array([_value(self.names[at]) for at in flat])
        return csr_matrix((values, flat, ends), shape=(len(rows), len(self.names)))


def _value(name: str) -> float:
    return TOLD if name.startswith("act:") else 1.0


def fitted(rows: csr_matrix, there: Sequence[bool], counts: Sequence[float]) -> LogisticRegression | None:
    """The regression of one act; nothing where too few sentences have it."""
    if sum(there) < 8:
        return None
    return LogisticRegression(C=3, solver="liblinear", random_state=0, max_iter=300).fit(
        rows, np.array(there), sample_weight=np.array(counts)
    )


def trained(
    samples: Sequence[Text],
) -> tuple[Matrix, Models]:
    """Regressions of all acts on those texts whose sentences' acts are certain: of one sentence, or without an act."""
    rows, acts, counts = [], [], []
    for sample, parts in samples:
        if len(parts) == 1 or not sample.acts:
            rows += [part.features for part in parts]
            acts += [sample.acts] * len(parts)
            counts += [NEAR if "-near" in sample.file else 1.0] * len(parts)
    matrix = Matrix(rows)
    built = matrix.of(rows)
    return matrix, {act: fitted(built, [act in one for one in acts], counts) for act in classifier.ACTS}


def judged(texts: Sequence[Text], by: tuple[Matrix, Models]) -> list[list[dict[str, float]]]:
    """For each sentence of each text the log-odds of each act."""
    matrix, models = by
    built = matrix.of([part.features for _, parts in texts for part in parts])
    odds = {
        act: np.full(built.shape[0], -1e6) if model is None else model.decision_function(built)
        for act, model in models.items()
    }
    rows = iter([{act: float(values[at]) for act, values in odds.items()} for at in range(built.shape[0])])
    return [[next(rows) for _ in parts] for _, parts in texts]


def decided(parts: Sequence[Piece], rows: Sequence[dict[str, float]]) -> frozenset[str]:
    """The acts of a text, as the engine decides."""
    return frozenset(
        act
        for part, row in zip(parts, rows, strict=True)
        for act, odds in row.items()
        if odds * classifier.ONE > classifier.cut(act, act in part.shown)
    )


def f1(one: measure.Score) -> float:
    return 2 * one.right / max(1, 2 * one.right + one.wrong + one.missed)


def across(texts: Sequence[Text], old: Sequence[Text]) -> list[list[dict[str, float]]]:
    """Each file judged by weights trained on files that were written without it."""
    files = sorted({sample.file for sample, _ in texts})
    fold = {file: at % FOLDS for at, file in enumerate(files)}
    likely: dict[int, list[dict[str, float]]] = {}
    for number in range(min(FOLDS, len(files))):
        inside = [at for at, (sample, _) in enumerate(texts) if fold[sample.file] == number]
        outside = [one for one in texts if fold[one[0].file] != number]
        rows = judged([texts[at] for at in inside], trained([*outside, *old]))
        likely.update(zip(inside, rows, strict=True))
    return [likely[at] for at in range(len(texts))]


def gate(samples: Sequence[Text]) -> tuple[dict[str, int], int]:
    """What single tokens say for any act, and the least sum with which nearly all sentences with one pass."""
    rows = [part.tokens for _, parts in samples for part in parts]
    there = [bool(sample.acts) for sample, parts in samples for _ in parts]
    matrix = Matrix(rows)
    built = matrix.of(rows)
    model = LogisticRegression(solver="liblinear", random_state=0, C=0.3).fit(built, np.array(there))
    weights = {
        name: value
        for name, one in zip(matrix.names, model.coef_[0], strict=True)
        if (value := round(one * classifier.ONE))
    }
    sums = sorted(
        sum(weights.get(text, 0) for text in row) for row, acts in zip(rows, there, strict=True) if acts
    )
    return weights, sums[int(len(sums) * (1 - WAKES))]


def train(code: str) -> None:
    """Train a language, print how its files are judged, and write its weights or take them away."""
    new = [(sample, pieces(sample.text, code)) for sample in written(code)]
    old = [(sample, pieces(sample.text, code)) for sample in older(code)]
    want = [sample.acts for sample, _ in new]
    likely = across(new, old)
    patterns = [frozenset(act for part in parts for act in part.shown) for _, parts in new]
    weighed = [decided(parts, row) for (_, parts), row in zip(new, likely, strict=True)]
    better = True
    print(f"{code}: {len(new)} sentences, and {len(old)} older")
    for name, group in GROUPS.items():
        before, after = measure.score(want, patterns, group), measure.score(want, weighed, group)
        better = better and f1(after) > f1(before) and after.precision > before.precision - SLACK
        print(f"  {name:13} patterns {before.precision:.2f} / {before.recall:.2f}"
              f"   weighed {after.precision:.2f} / {after.recall:.2f}")  # fmt: skip
    path = WEIGHTS / f"{code}.bin"
    if not better:
        path.unlink(missing_ok=True)
        print("  not better than its patterns: no weights")
        return
    matrix, models = trained([*new, *old])
    columns = [np.zeros(len(matrix.names)) if model is None else model.coef_[0] for model in models.values()]
    scaled = np.array([_value(name) for name in matrix.names])
    table = np.clip(np.rint(np.array(columns) * scaled * classifier.ONE), -127, 127).astype(int).T
    kept = [at for at in range(len(matrix.names)) if abs(table[at]).max() >= LEAST]
    weights, least = gate([*new, *old])
    done = classifier.Weights(
        spaced=lexicon.load(code, False).head.spaced,
        features=[matrix.names[at] for at in kept],
        weights=(table[kept] + classifier.ZERO).astype(np.uint8).tobytes(),
        bias=[
            -(1 << 20) if model is None else round(float(model.intercept_[0]) * classifier.ONE)
            for model in models.values()
        ],
        gate=weights,
        least=least,
        trained_on=digest(code),
    )
    path.write_bytes(classifier.packed(done))
    print(f"  {len(kept)} features, {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    WEIGHTS.mkdir(exist_ok=True)
    for language in sys.argv[1:] or languages():
        train(language)
