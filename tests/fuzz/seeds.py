"""First inputs of each target, made of the fixtures and of what the tests of the layers hold."""

from __future__ import annotations

import hashlib
import json
import random
import re
import sqlite3
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import targets
from sessions import COMMANDS, OUTPUTS, PROSE

ROOT = Path(__file__).resolve().parents[2]
LONGEST = 8_000
"""Bytes of a seed: what is longer is cut, which is an input of its own."""


def write(name: str, folder: Path) -> None:
    """Put the seeds of a target into a folder, named by what they hold."""
    folder.mkdir(parents=True, exist_ok=True)
    for seed in of(name):
        cut = seed[:LONGEST]
        (folder / hashlib.sha256(cut).hexdigest()[:16]).write_bytes(cut)


def of(name: str) -> Iterator[bytes]:
    """The seeds of a target."""
    if name.startswith("reader:"):
        number = targets.READ.index(name.partition(":")[2])
        yield from (data[1:] for data in _logs() if data[0] == number)
    else:
        yield from _SEEDS[name]()


def _logs() -> Iterator[bytes]:
    """Logs behind the number of the reader that takes them."""
    numbers = {reader.replace("-", "_"): place for place, reader in enumerate(targets.READ)}
    for file in sorted(targets.FIXTURES.rglob("*")):
        if not file.is_file() or file.suffix in (".db", ".png", ".toml") or file.name == "README.md":
            continue
        kind = file.relative_to(targets.FIXTURES).parts[0]
        kind = {"opencode_v2": "opencode_api", "hostile": "transcript_xml"}.get(kind, kind)
        data = file.read_bytes()
        yield bytes((numbers.get(kind, 0),)) + data
        if len(data) < LONGEST:
            yield bytes((len(targets.READ),)) + data


def _stores() -> Iterator[bytes]:
    rng = random.Random(0)
    yield b"\x00"
    for size in (5, 20, 100):
        yield b"\x01" + rng.randbytes(size)
    with sqlite3.connect(f"file:{targets._DB}?mode=ro&immutable=1", uri=True) as db:
        rows: list[bytes] = []
        for number, table in enumerate(("session", "message", "part")):
            for row in db.execute(f"SELECT * FROM {table} LIMIT 12"):
                values = (
                    "" if value is None else str(value).replace("\n", " ").replace("\t", " ") for value in row
                )
                rows.append(b"012"[number : number + 1] + "\t".join(values).encode())
        yield b"\x02" + b"\n".join(rows)
        yield b"\x02" + b"\n".join(row for row in rows if len(row) < 600)
    tree = targets.FIXTURES / "opencode_tree"
    for version in sorted(tree.iterdir()):
        pieces = []
        for file in sorted(version.rglob("*.json")):
            parts = file.relative_to(version).as_posix()
            new = not re.search(r"session/(?:info|message|part)/", parts)
            kind = 2 if "/part/" in parts else 1 if "/message/" in parts else 0
            pieces.append(bytes((kind if new else (5, 4, 3)[2 - kind],)) + file.read_bytes())
        yield b"\x03" + b"\0".join(pieces[:12])


def _commands() -> Iterator[bytes]:
    for number, line in enumerate(COMMANDS):
        yield bytes((number * 11 % 256,)) + line.encode() + b"\0" + OUTPUTS[number % len(OUTPUTS)].encode()
    for file in sorted((ROOT / "tests/shell/commands").rglob("*")):
        if file.is_file():
            for number, line in enumerate(file.read_text("utf-8").splitlines()[::9]):
                command = line.split(" | ")[0].split("\t")[0]
                yield bytes((number % 256,)) + command.encode()[:600]


def _prose() -> Iterator[bytes]:
    for text in PROSE:
        yield from (bytes((role,)) + text.encode() for role in (0, 1))
    for file in sorted((ROOT / "tests/language/sentences").rglob("*")):
        if file.is_file():
            lines = [
                line.split(" | ")[0].split("\t")[0] for line in file.read_text("utf-8").splitlines()[::23]
            ]
            for at in range(0, len(lines), 4):
                yield bytes((at // 4 % 2,)) + " ".join(lines[at : at + 4]).encode()[:800]


def _sessions() -> Iterator[bytes]:
    rng = random.Random(0)
    for size in (1, 20, 60, 150, 300, 600) * 8:
        yield rng.randbytes(size)
    for text in PROSE:
        # Assistant messages of one free text each.
        yield (
            b"\x08\xc8"
            + text.encode()
            + b"\0"
            + b"".join(bytes((7, 1, 150, 200)) + text.encode() + b"\0\0\0\0" for _ in range(3))
        )


_REVIEW: dict[str, Any] = {
    "schema": "sessionlens.review/1",
    "session": "ses_1",
    "verdicts": [{"fingerprint": "0123456789abcdef", "verdict": "right", "note": "x"}],
}


def _declared() -> Iterator[bytes]:
    for file in sorted(ROOT.rglob("docs/*.md")):
        for block in re.findall(r"```toml\n(.*?)```", file.read_text("utf-8"), re.DOTALL):
            try:
                tomllib.loads(block)
            except tomllib.TOMLDecodeError:
                continue
            yield (b"\x00" if "slug" in block else b"\x01") + block.encode()
    for file in sorted((ROOT / "tests/declared").rglob("*.toml")):
        yield b"\x00" + file.read_bytes()
    review = json.dumps(_REVIEW).encode()
    yield b"\x02" + review
    yield b"\x04" + review
    label = {"file": "a.json", "rule": "empty-message-after-timeout", "message_index": 3, "expected": True}
    yield b"\x03" + json.dumps(label).encode()
    for baseline in (
        {"schema": "sessionlens.audit/1", "findings": [{"fingerprint": "x"}]},
        {"schema": "sessionlens.audits/1", "audits": [{"findings": [{"fingerprint": "x"}]}]},
        {"runs": [{"results": [{"partialFingerprints": {"sessionlens/1": "x"}}]}]},
    ):
        yield b"\x05" + json.dumps(baseline).encode()


_SEEDS = {
    "readers": _logs,
    "stores": _stores,
    "shell": _commands,
    "language": _prose,
    "judge": _sessions,
    "writers": _sessions,
    "declared": _declared,
}
