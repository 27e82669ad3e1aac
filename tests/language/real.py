"""Precision and recall of the speech acts on sentences of real logs.

``real.tsv`` holds 1,700 sentences of the logs in ``SESSIONLENS_CORPUS`` as digests and labels (the letters of
``training/README.md``), since most of those logs may not be copied. They were drawn from all sentences of assistants: 500 in
which the patterns saw an act, 500 about which patterns and an early classifier differed, 700 others; so precision is
lower here than over a whole log. Labels were given to the sentences alone, before anybody saw what the tool says.

    SESSIONLENS_CORPUS=… python tests/language/real.py
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import measure
from training import CODES

from sessionlens import readers
from sessionlens.language import split
from sessionlens.model import Session, TextPart

LABELS = Path(__file__).with_name("real.tsv")


def digest(sentence: str) -> str:
    """What a sentence is found again by."""
    return blake2b(sentence.strip().encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def labels() -> dict[str, frozenset[str]]:
    """The acts of each sentence, by its digest."""
    rows = (line.split("\t") for line in LABELS.read_text("utf-8").splitlines())
    return {key: frozenset(CODES[one] for one in row.split(",") if one != "-") for key, row in rows}


def _sessions(corpus: Path) -> Iterator[Session]:
    for folder in ("real", "opencode"):
        for path in sorted((corpus / folder).rglob("*")):
            if path.is_file():
                try:
                    yield from readers.read(path)
                except readers.ReadError:
                    continue


def sentences(corpus: Path, wanted: frozenset[str]) -> dict[str, str]:
    """The sentences with these digests, as they stand in the logs."""
    found: dict[str, str] = {}
    for session in _sessions(corpus):
        for message in session.messages:
            for part in message.parts if message.role == "assistant" else ():
                text = part.text.whole() if isinstance(part, TextPart) else ""
                for piece in split.pieces(text) if len(text) < 20_000 else ():
                    sentence = text[piece.start : piece.end].strip()
                    if (key := digest(sentence)) in wanted:
                        found[key] = sentence
    return found


def main() -> None:
    """Print the table; exit 2 without a corpus."""
    corpus = os.environ.get("SESSIONLENS_CORPUS")
    if not corpus:
        raise SystemExit("SESSIONLENS_CORPUS names no folder")
    want = labels()
    found = sentences(Path(corpus), frozenset(want))
    print(f"{len(found)} of {len(want)} sentences found; precision/recall (right+wrong+missed)")
    texts = sorted(found.items())
    got = [measure.judged(measure.Labelled("en", "", "assistant", text, want[key])) for key, text in texts]
    for name, group in (("acknowledges", measure.ACKNOWLEDGES), ("claims", measure.CLAIMS)):
        one = measure.score([want[key] for key, _ in texts], got, group)
        print(f"  {name:13} {one.precision:.2f} {one.recall:.2f}   {one.right}+{one.wrong}+{one.missed}")


if __name__ == "__main__":
    main()
