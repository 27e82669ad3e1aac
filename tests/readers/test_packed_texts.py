"""Texts of large logs are kept compressed and read the same; fields of a call before it is complete."""

import errno
import gc
import os
import pickle
import random
import sys
import tracemalloc
import weakref
from functools import partial
from pathlib import Path

import pytest

from sessionlens import model, readers
from sessionlens.model import KEPT, LONG, PACKED, Spill, Text
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


_SPILLS = pytest.mark.skipif(not hasattr(os, "pread"), reason="texts stay in the memory there")


def _many(count: int) -> list[str]:
    """Texts that hardly get smaller."""
    rng = random.Random(7)
    return [rng.randbytes(1500).hex() for _ in range(count)]


@_SPILLS
def test_packed_texts_do_not_fill_the_memory() -> None:
    texts = _many(2000)
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    packed = [Text(text, packed=True) for text in texts]
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (after - before) / len(texts) < 500
    assert [one.whole() for one in packed] == texts


@_SPILLS
def test_the_file_goes_with_the_last_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model, "_spills", weakref.WeakSet())
    text = _many(1)[0]
    kept = Text(text, packed=True)
    assert len(model._spills) == 1
    assert model.spill() in model._spills
    assert kept.head == text
    del kept
    gc.collect()
    assert not model._spills


@_SPILLS
def test_without_room_texts_stay_in_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model, "_spills", weakref.WeakSet())

    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "no space left on device")

    monkeypatch.setattr(os, "pwrite", full)
    texts = _many(500)
    packed = [Text(text, packed=True) for text in texts]
    assert [one.whole() for one in packed] == texts
    assert all(one.packed for one in packed)


@pytest.mark.skipif(sys.platform == "win32", reason="no copies of a process there")
def test_a_copy_of_the_process_adds_to_a_file_of_its_own() -> None:
    texts = _many(300)
    packed = [Text(text, packed=True) for text in texts]
    copy = os.fork()
    if copy == 0:
        code = 1
        try:
            own = [Text(text[::-1], packed=True) for text in texts]
            same = [one.whole() for one in packed] == texts
            code = 0 if same and [one.whole()[::-1] for one in own] == texts else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(copy, 0)[1]) == 0
    more = [Text(text[::-1], packed=True) for text in texts]
    assert [one.whole() for one in packed] == texts
    assert [one.whole()[::-1] for one in more] == texts


def test_what_a_copy_adds_to_the_same_file_is_not_written_over_the_others() -> None:
    both = Spill()
    first = both.add(b"first")
    copy = os.fork()
    if copy == 0:
        code = 1
        try:
            own = both.add(b"c" * 2_000_000)
            code = 0 if both.get(own) == b"c" * 2_000_000 and both.get(first) == b"first" else 2
        finally:
            os._exit(code)
    mine = both.add(b"p" * 1_000_000)
    assert os.waitstatus_to_exitcode(os.waitpid(copy, 0)[1]) == 0
    later = both.add(b"q" * 1_000_000)
    assert [both.get(place) for place in (first, mine, later)] == [
        b"first",
        b"p" * 1_000_000,
        b"q" * 1_000_000,
    ]


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
