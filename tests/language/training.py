"""The sentences that the classifier of speech acts is trained on, as ``training/README.md`` tells."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from sessionlens.language import classifier, lexicon

sys.path.insert(0, str(Path(__file__).parent))

import measure

FOLDER = Path(__file__).parent / "training"
CODES = {
    "A": "acknowledges_cut_off", "P": "reports_in_progress", "F": "reports_failure", "S": "claims_success",
    "C": "claims_check", "U": "admits_unverified", "H": "hedges", "V": "promises_check", "W": "proposes_waiting",
    "Q": "asks_person", "O": "hands_over",
}  # fmt: skip


class Sample(NamedTuple):
    """One sentence with what it does, and the file it stands in."""

    file: str
    text: str
    acts: frozenset[str]


def languages() -> list[str]:
    """The languages that have training sentences."""
    return sorted({path.stem[:2] for path in FOLDER.glob("*.tsv")})


def written(code: str) -> Iterator[Sample]:
    """The training sentences of a language."""
    for path in sorted(FOLDER.glob(f"{code}*.tsv")):
        for line in path.read_text("utf-8").splitlines():
            labels, _, text = line.partition("\t")
            acts = frozenset(CODES[label] for label in labels.split(",") if label != "-")
            yield Sample(path.stem, text.replace("\\n", "\n"), acts)


def older(code: str) -> Iterator[Sample]:
    """Labelled sentences that patterns were mended with."""
    for one in measure.load([code], (*measure.MENDED, *measure.DEV)):
        if one.role == "assistant":
            yield Sample("", one.text, one.acts)


def digest(code: str) -> str:
    """What the weights of a language depend on but for its patterns: sentences, labels, and what is weighed of them."""
    whole = blake2b(digest_size=8)
    spaced = lexicon.load(code, False).head.spaced
    for number, sample in enumerate((*written(code), *older(code))):
        row = [sample.text, *sorted(sample.acts)]
        if number % 50 == 0:
            row += classifier.words(classifier.tokens(sample.text.lower(), spaced), spaced)
        whole.update("\0".join(row).encode("utf-8", "surrogatepass"))
    return whole.hexdigest()
