"""Archives are read like what is in them; broken and hostile ones are one clear error."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from pathlib import Path

import pytest

from sessionlens import readers
from sessionlens.model import content
from sessionlens.readers import ReadError, archive

FIXTURES = Path(__file__).parents[2] / "fixtures"
EXPORT = FIXTURES / "opencode_export" / "1.18.33_timeout_empty.json"


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_a_compressed_export(tmp_path: Path, pack: object) -> None:
    path = tmp_path / "export.json.packed"
    path.write_bytes(pack(EXPORT.read_bytes()))  # type: ignore[operator]
    assert [content(one) for one in readers.read(path)] == [content(one) for one in readers.read(EXPORT)]


@pytest.mark.parametrize("kind", ["zip", "tar", "tar.gz"])
def test_a_tree_in_an_archive(tmp_path: Path, kind: str) -> None:
    tree = FIXTURES / "opencode_tree" / "1.0.0"
    path = tmp_path / f"backup.{kind}"
    if kind == "zip":
        with zipfile.ZipFile(path, "w") as packed:
            for file in sorted(tree.rglob("*.json")):
                packed.write(file, Path("home/opencode") / file.relative_to(tree))
    else:
        with tarfile.open(path, "w:gz" if kind.endswith("gz") else "w") as tar:
            tar.add(tree, "opencode")
    assert [content(one) for one in readers.read(path)] == [content(one) for one in readers.read(tree)]


def test_a_database_with_its_log_in_an_archive(tmp_path: Path) -> None:
    store = FIXTURES / "opencode_db" / "1.14.41"
    path = tmp_path / "store.zip"
    with zipfile.ZipFile(path, "w") as packed:
        packed.write(store / "opencode.db", "opencode.db")
        packed.write(
            next((store / "tool-output").iterdir()),
            "tool-output/" + next((store / "tool-output").iterdir()).name,
        )
    found = readers.read(path)
    assert [content(one) for one in found] == [content(one) for one in readers.read(store)]
    assert any(call.full_output for one in found for m in one.messages for call in m.calls)


def test_names_that_lead_out_stay_inside(tmp_path: Path) -> None:
    path = tmp_path / "evil.zip"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("../../escaped.json", EXPORT.read_bytes())
        packed.writestr("/etc/other.txt", "x")
    assert len(readers.read(path)) == 1
    assert not (tmp_path.parent / "escaped.json").exists()
    assert not (tmp_path / "escaped.json").exists()


def test_links_and_devices_are_not_taken(tmp_path: Path) -> None:
    path = tmp_path / "links.tar"
    with tarfile.open(path, "w") as tar:
        for name, kind in (("link", tarfile.SYMTYPE), ("hard", tarfile.LNKTYPE), ("fifo", tarfile.FIFOTYPE)):
            member = tarfile.TarInfo(name)
            member.type, member.linkname = kind, "/etc/passwd"
            tar.addfile(member)
    with pytest.raises(ReadError, match="holds no file"):
        readers.read(path)


def test_a_bomb_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "_BYTES_AT_MOST", 1 << 20)
    path = tmp_path / "bomb.gz"
    path.write_bytes(gzip.compress(bytes(50 << 20)))
    with pytest.raises(ReadError, match="unpacks to more than"):
        readers.read(path)


@pytest.mark.parametrize(
    "blob", [b"\x1f\x8b\x08broken", b"PK\x03\x04broken", b"BZh9broken", b"\xfd7zXZ\x00broken"]
)
def test_a_broken_archive(tmp_path: Path, blob: bytes) -> None:
    path = tmp_path / "broken"
    path.write_bytes(blob)
    with pytest.raises(ReadError, match="broken: the archive is broken"):
        readers.read(path)


def test_a_text_that_holds_the_mark_of_a_tar_is_none(tmp_path: Path) -> None:
    head = '{"info": {"x": "'
    path = tmp_path / "export.json"
    path.write_text(
        EXPORT.read_text("utf-8").replace("{", head + "a" * (257 - len(head)) + 'ustar"}, "y": {', 1), "utf-8"
    )
    assert path.read_bytes()[257:262] == b"ustar"
    assert archive.packed(path.read_bytes()[:512]) is None


def test_a_file_without_a_name_in_a_zip_is_read(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        file.writestr("a", EXPORT.read_bytes())
    path = tmp_path / "unnamed.zip"
    # The length of the name stands at 26 of the local header and at 28 of the directory's, the name behind them.
    data = bytearray(buffer.getvalue())
    here, there = data.index(b"PK\x03\x04"), data.index(b"PK\x01\x02")
    data[there + 28 : there + 30] = b"\0\0"
    data[there + 30 : there + 32] = b"\1\0"
    data[here + 26 : here + 30] = b"\0\0\1\0"
    path.write_bytes(data)
    assert [content(one) for one in readers.read(path)] == [content(one) for one in readers.read(EXPORT)]


def test_half_a_gzip(tmp_path: Path) -> None:
    path = tmp_path / "half.gz"
    buffer = io.BytesIO()
    with gzip.GzipFile(fileobj=buffer, mode="wb") as file:
        file.write(EXPORT.read_bytes())
    path.write_bytes(buffer.getvalue()[:1500])
    with pytest.raises(ReadError, match="the archive is broken"):
        readers.read(path)
