"""Who reads what: every file of the corpus is claimed by the reader of its format, and by no other."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path

import pytest

from sessionlens import readers
from sessionlens.model import Session
from sessionlens.readers import Source
from sessionlens.readers.archive import unpacked

CORPUS = os.environ.get("SESSIONLENS_CORPUS")
pytestmark = pytest.mark.skipif(not CORPUS, reason="SESSIONLENS_CORPUS is not set")
ROOT = Path(CORPUS or ".")

READER_OF = {"opencode-chat-export-md": "opencode-chat-md"}
"""Formats of the corpus whose reader has another name."""
OPENCODE = (
    ("export-*.json", "opencode-export"),
    ("opencode.db", "opencode-db"),
    ("sse-events.jsonl", "opencode-events"),
    ("run-*.jsonl", "opencode-run-json"),
    ("run-*.out", "opencode-run"),
    ("tui-export-*/*.md", "opencode-md"),
)
"""Files of the scripted clients and who reads them; every other file there is a part of a store, or none's."""


def rows() -> list[dict[str, str]]:
    path = ROOT / "real" / "manifest.tsv"
    if not CORPUS or not path.is_file():
        return []
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def cases(*formats: str) -> list[object]:
    return [
        pytest.param(row, id=f"{row['format']}/{Path(row['file']).name[-50:]}")
        for row in rows()
        if not formats or row["format"] in formats
    ]


def claims(path: Path) -> list[str]:
    source = unpacked(Source(path))
    return [name for name, _ in readers.registered() if readers.get(name).recognises(source) is None]


def sessions(path: Path, name: str) -> list[Session]:
    return [one for top in readers.read(path, reader=name) for one in top.family()]


def is_no_session(row: dict[str, str]) -> bool:
    """Notes about sessions that lie among them: neither messages nor calls."""
    return row["messages"] == row["calls"] == "0"


@pytest.mark.parametrize("row", cases())
def test_every_real_file_has_one_reader(row: dict[str, str]) -> None:
    name = READER_OF.get(row["format"], row["format"])
    if name not in dict(readers.registered()):
        pytest.skip(f"the reader {name} is not registered")
    found = claims(ROOT / "real" / row["file"])
    if is_no_session(row):
        assert found in ([], [name])
    else:
        assert found == [name]


JSON = ("gemini-cli", "copilot-cli", "swe-agent")


@pytest.mark.parametrize("row", cases(*JSON))
def test_json_formats_are_counted_as_the_manifest_counts(row: dict[str, str]) -> None:
    """Messages, calls, cut-offs, empty answers.

    Where the counts differ the manifest counts otherwise: it takes a record with nothing but results for a message (an
    empty one of the person's for Gemini CLI, the observations of SWE-agent), and of SWE-agent's calls only those of a
    trajectory, so that a history alone has none.
    """
    name = row["format"]
    found = sessions(ROOT / "real" / row["file"], name)
    messages = [message for one in found for message in one.messages]
    calls = [call for message in messages for call in message.calls]
    expected = {
        key: int(row[key]) for key in ("messages", "calls", "cut_off", "empty_assistant", "empty_user")
    }
    if name == "swe-agent":
        document = json.loads((ROOT / "real" / row["file"]).read_bytes())
        history, trajectory = document["history"], document.get("trajectory", [])
        assert len(history) == expected["messages"]
        assert len(trajectory) == expected["calls"]
        answers = sum(record["role"] == "assistant" for record in history)
        assert len(calls) == (len(trajectory) or answers)
        # What is said besides: all records of the history but answers and one observation for each.
        first = next(number for number, record in enumerate(history) if record["role"] == "assistant")
        assert len(messages) == first + len(calls)
    else:
        assert len(calls) == expected["calls"]
        assert len(messages) == expected["messages"] - expected["empty_user"]
    assert sum(call.timed_out for call in calls) == expected["cut_off"]
    answers = [message for message in messages if message.role == "assistant"]
    silent = [message for message in answers if message.empty and not message.parts]
    assert len(silent) == expected["empty_assistant"]
    assert not [gap for one in found for gap in one.all_gaps()]


def test_files_of_the_scripted_clients() -> None:
    """Of the small files of a store, which are thousands and alike, every fortieth is asked about."""
    wrong, seen = {}, set()
    for number, path in enumerate(sorted((ROOT / "opencode").rglob("*"))):
        small = "storage" in path.parts or "project" in path.parts
        if not path.is_file() or not path.stat().st_size or (small and number % 40):
            continue
        expected = [name for shape, name in OPENCODE if path.match(shape) and not small]
        if "v0.5.29" in path.parts and path.match("export-*.json"):
            # The client had no such command yet: this is its help text.
            expected = []
        found = claims(path)
        seen.update(found)
        if found != expected:
            wrong[path.relative_to(ROOT).as_posix()] = found
    assert wrong == {}
    assert seen >= {name for _, name in OPENCODE} or not seen


def test_folders_that_are_stores() -> None:
    for name, expected in (("v1.1.65", ["opencode-tree"]), ("v1.18.33", ["opencode-tree"])):
        folder = ROOT / "opencode" / name
        if folder.is_dir():
            assert claims(folder) == expected
