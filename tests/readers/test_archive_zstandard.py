"""Zstandard beside the other archives, and folders of several formats."""

from __future__ import annotations

import io
import shutil
import struct
import sys
import tarfile
from pathlib import Path

import pytest
import zstandard

from sessionlens import readers
from sessionlens.model import content
from sessionlens.readers import ReadError, archive

FIXTURES = Path(__file__).parents[2] / "fixtures"
LOG = FIXTURES / "copilot_cli" / "shells.jsonl"


def packed(data: bytes) -> bytes:
    return zstandard.ZstdCompressor().compress(data)


def test_a_compressed_log(tmp_path: Path) -> None:
    path = tmp_path / "shells.jsonl.zst"
    path.write_bytes(packed(LOG.read_bytes()))
    assert [content(one) for one in readers.read(path)] == [content(one) for one in readers.read(LOG)]


def test_several_frames_one_after_the_other(tmp_path: Path) -> None:
    data = LOG.read_bytes()
    path = tmp_path / "shells.jsonl.zst"
    path.write_bytes(packed(data[:500]) + packed(data[500:]))
    assert [content(one) for one in readers.read(path)] == [content(one) for one in readers.read(LOG)]


def test_a_tar_within(tmp_path: Path) -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        tar.add(FIXTURES / "cline" / "scene", "task")
    path = tmp_path / "backup.tar.zst"
    path.write_bytes(packed(out.getvalue()))
    (session,) = readers.read(path)
    (plain,) = readers.read(FIXTURES / "cline" / "scene")
    assert [content(m.parts) for m in session.messages] == [content(m.parts) for m in plain.messages]


@pytest.mark.parametrize("cut", [5, 60, -20])
def test_a_broken_one_is_one_clear_error(tmp_path: Path, cut: int) -> None:
    data = bytearray(packed(LOG.read_bytes()))
    if cut < 0:
        data[cut] ^= 0xFF
    path = tmp_path / "x.zst"
    path.write_bytes(bytes(data if cut < 0 else data[:cut]))
    try:
        sessions = readers.read(path, reader="copilot-cli")
    except ReadError:
        return
    assert all(session.truncated or session.gaps for session in sessions)


def test_a_bomb_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "_BYTES_AT_MOST", 1 << 20)
    path = tmp_path / "bomb.zst"
    path.write_bytes(packed(bytes(1 << 22)))
    with pytest.raises(ReadError, match="unpacks to more than"):
        readers.read(path)


def test_without_the_module_the_error_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.zst"
    path.write_bytes(packed(b"{}"))
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(ReadError, match="Install `zstandard`"):
        readers.read(path)


MIXED = (
    "gemini_cli/scene.json", "copilot_cli/scene.jsonl", "swe_agent/scene.traj", "openhands/scene.json", "atif/scene.json",
    "otel_genai/scene.json", "inspect/log.json", "chat/scene.json", "opencode_export/1.18.33_timeout_empty.json",
    "transcript_xml/hicache_restart.xml",
)  # fmt: skip


def test_a_folder_of_mixed_ones(tmp_path: Path) -> None:
    for number, name in enumerate(MIXED):
        place = tmp_path / "logs" / str(number)
        place.mkdir(parents=True)
        shutil.copy(FIXTURES / name, place)
    shutil.copytree(FIXTURES / "cline" / "scene", tmp_path / "logs" / "task")
    shutil.copytree(FIXTURES / "openhands" / "conversation", tmp_path / "logs" / "talk")
    (tmp_path / "logs" / "notes.txt").write_text("nothing of a session")
    sessions = readers.read(tmp_path / "logs")
    assert {one.source_format for one in sessions} == {
        "gemini-cli", "copilot-cli", "swe-agent", "openhands", "atif", "otel-genai", "inspect", "chat", "opencode-export",
        "transcript-xml", "cline",
    }  # fmt: skip
    assert sum(one.source_format == "openhands" for one in sessions) == 2
    ids = [one.id for one in sessions]
    assert len(ids) == len(set(ids))


def test_files_of_one_name_are_sessions_of_their_own(tmp_path: Path) -> None:
    for folder, name in (("a", "scene.traj"), ("b", "history_only.traj")):
        (tmp_path / folder).mkdir()
        shutil.copy(FIXTURES / "swe_agent" / name, tmp_path / folder / "run.traj")
    assert sorted(one.id for one in readers.read(tmp_path)) == ["b-run", "run"]


@pytest.mark.parametrize(
    ("store", "name"),
    [("cline/scene", "cline"), ("openhands/conversation", "openhands"), ("inspect/unpacked", "inspect")],
)
def test_another_log_beside_a_store_is_read_too(tmp_path: Path, store: str, name: str) -> None:
    """A folder is one source only when nothing else lies in it."""
    folder = tmp_path / "logs"
    shutil.copytree(FIXTURES / store, folder)
    assert {one.source_format for one in readers.read(folder)} == {name}
    shutil.copy(LOG, folder / "other.jsonl")
    assert "copilot-cli" in {one.source_format for one in readers.read(folder)}


def zipped(name: bytes, body: bytes, *, size: int | None = None, at: int = 0) -> bytes:
    """A zip of one file that says it is packed with Zstandard, and where and how long it is."""
    packed_size = len(body) if size is None else size
    local = (
        b"PK\x03\x04"
        + struct.pack("<HHHHHIIIHH", 20, 0, 93, 0, 0, 0, packed_size, len(body), len(name), 0)
        + name
    )
    entry = b"PK\x01\x02" + struct.pack(
        "<HHHHHHIIIHHHHHII", 20, 20, 0, 93, 0, 0, 0, packed_size, len(body), len(name), 0, 0, 0, 0, 0, at
    )
    end = b"PK\x05\x06" + struct.pack(
        "<HHHHIIH", 0, 0, 1, 1, len(entry) + len(name), len(local) + len(body), 0
    )
    return local + body + entry + name + end


@pytest.mark.parametrize(
    "data",
    [
        zipped(b"a.json", packed(b"{}"), at=1 << 20), zipped(b"a.json", packed(b"{}"), size=0xFFFFFFF0),
        zipped(b"a.json", b"no frame"), zipped(b"a.json", packed(b"")), zipped(b"_journal/start.json", packed(b"")),
    ],
    ids=["elsewhere", "four gigabytes", "no frame", "empty", "empty within a folder"],
)  # fmt: skip
def test_a_zip_that_lies_about_its_file_is_one_clear_error(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "log.eval"
    path.write_bytes(data)
    with pytest.raises(ReadError) as raised:
        readers.scan(path)
    assert str(raised.value).startswith("log.eval")
