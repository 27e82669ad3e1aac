"""Many small sessions, made by varying real ones: how ``curate`` grows with their number.

    SESSIONLENS_CORPUS=… python tests/benchmarks/many.py 100000 FOLDER

Every file is a small session of the corpus (opencode exports, Claude Code and Codex logs under 40 KB) with ids of its
own and with a third of the longer words of its prose and commands put in for others, so that hardly one is a near copy of
another. The same number gives the same files.
"""

from __future__ import annotations

import os
import random
import re
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

MOST_BYTES = 40_000
SHARE = 0.35
"""Of the longer words, how many are put in for others."""
PER_FOLDER = 1000
_ID = re.compile(r"\b(?:ses|msg|prt|call|toolu)_\w{8,}|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")
_WORD = re.compile(r"(?<= )[a-z]{5,}(?=[ ,.])")


def models(corpus: Path) -> list[tuple[str, str]]:
    """The texts that are varied, each with the suffix of its file."""
    found = []
    for folder in ("opencode", "real/opencode-export", "real/claude-code", "real/codex"):
        for path in sorted((corpus / folder).rglob("*.json*")):
            kept = path.suffix == ".jsonl" or path.name.startswith("export-ses_") or "export" in folder
            if kept and 1000 < path.stat().st_size < MOST_BYTES:
                found.append((path.read_text("utf-8", "surrogateescape"), path.suffix))
    return found


def varied(text: str, words: list[str], number: int) -> str:
    """One variation of a session."""
    chance = random.Random(number)

    def other(_match: re.Match[str]) -> str:
        return chance.choice(words) if chance.random() < SHARE else _match[0]

    def own(match: re.Match[str]) -> str:
        digits = sha256(f"{number}{match[0]}".encode()).hexdigest()
        if "_" in match[0]:
            return match[0].partition("_")[0] + "_" + digits[:26]
        return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:32]))

    return _WORD.sub(other, _ID.sub(own, text))


def files(corpus: Path, number: int) -> Iterator[tuple[str, str]]:
    """Names and texts of so many sessions."""
    sources = models(corpus)
    words = sorted({word for text, _ in sources for word in _WORD.findall(text)})
    for at in range(number):
        text, suffix = sources[at % len(sources)]
        yield f"{at // PER_FOLDER:03}/{at:06}{suffix}", varied(text, words, at)


def main() -> None:
    """Write the sessions; exit with a message without a corpus."""
    corpus = os.environ.get("SESSIONLENS_CORPUS")
    if not corpus or len(sys.argv) != 3:
        raise SystemExit("SESSIONLENS_CORPUS=… python tests/benchmarks/many.py NUMBER FOLDER")
    folder = Path(sys.argv[2])
    for name, text in files(Path(corpus), int(sys.argv[1])):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8", "surrogateescape")


if __name__ == "__main__":
    main()
