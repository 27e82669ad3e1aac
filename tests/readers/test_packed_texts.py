"""Texts of large logs are kept compressed and read the same; fields of a call before it is complete."""

import pickle
from functools import partial
from pathlib import Path

import pytest

from sessionlens import readers
from sessionlens.model import KEPT, LONG, PACKED, Text
from sessionlens.readers import source
from sessionlens.readers.drafts import Fields

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("text", ["", "a", "kurz", "ä→\ud800" * PACKED, "x\n" * LONG, "日本" * LONG])
def test_a_packed_text_is_the_text(text: str) -> None:
    plain = Text(text, partial(str, text))
    packed = Text(text, partial(str, text), packed=True)
    assert packed == plain
    assert hash(packed) == hash(plain)
    assert (packed.head, packed.tail, packed.length) == (plain.head, plain.tail, plain.length)
    assert (packed.ends(), packed.end(), packed.blank()) == (plain.ends(), plain.end(), plain.blank())
    assert packed.packed == (len(text) > PACKED)
    again = pickle.loads(pickle.dumps(packed))
    assert again.whole() == text
    assert again.packed == packed.packed
    if len(text) > LONG:
        assert len(packed.head) == len(packed.tail) == KEPT


@pytest.mark.parametrize(
    "log", ["claude_code/cut_off.jsonl", "codex/tools.jsonl", "transcript_xml/hicache_restart.xml"]
)
def test_a_large_log_reads_as_a_small_one(log: str, monkeypatch: pytest.MonkeyPatch) -> None:
    small = readers.read(ROOT / "fixtures" / log)
    monkeypatch.setattr(source, "_LARGE", 0)
    assert readers.read(ROOT / "fixtures" / log) == small


def test_fields_are_those_that_were_set() -> None:
    fields = Fields({"name": "bash", "exit": None})
    fields.update({"exit": 3}, background=True)
    fields["status"] = "running"
    fields.setdefault("child", "c1")
    fields.setdefault("child", "c2")
    assert dict(**fields) == {
        "name": "bash",
        "exit": 3,
        "background": True,
        "status": "running",
        "child": "c1",
    }
    assert "exit" in fields
    assert "output" not in fields
    assert fields.get("output", 7) == 7
    with pytest.raises(AttributeError):
        fields["no such field"] = 1
