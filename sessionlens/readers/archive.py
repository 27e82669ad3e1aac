"""Archives as sources: zip, tar and compressed files are unpacked to a temporary folder and read from there."""

from __future__ import annotations

import importlib
import io
import os
import struct
import sys
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING, cast

from sessionlens import temporary
from sessionlens.readers.base import ReadError
from sessionlens.readers.source import Source

if TYPE_CHECKING:
    import zipfile

_BYTES_AT_MOST = 1 << 32
"""Unpacked bytes of one archive; a log is smaller, a bomb is not."""
_FILES_AT_MOST = 100_000
_CHUNK = 1 << 20
_ZIP_ZSTANDARD = 93
"""Number of the method in a zip."""
_COMPRESSED = (
    (b"\x1f\x8b", "gzip"),
    (b"BZh", "bz2"),
    (b"\xfd7zXZ\x00", "lzma"),
    (b"\x28\xb5\x2f\xfd", "zstandard"),
)
"""First bytes of compressed files, and the modules that open them; loaded only for an archive."""


def unpacked(source: Source) -> Source:
    """The source itself, or what its archive holds.

    A compressed file becomes that file, an archive a folder (or its only file). Only plain files are taken; links
    and devices are not, and no name leads out of the folder. Raises :class:`ReadError` for a broken archive, one
    that needs a password, and one that unpacks to more than 4 GB.
    """
    packing = None if source.folder else packed(source.read(0, 512))
    return source if packing is None else _unpack(source, packing)


def packed(head: bytes) -> str | None:
    """The module that opens an archive that begins like this; ``None`` for no archive."""
    packing = next((module for magic, module in _COMPRESSED if head.startswith(magic)), None)
    if packing is None and head.startswith(b"PK\x03\x04"):
        return "zip"
    # The fields before it are filled up with NUL: in a text the word may stand there by chance.
    return "tar" if packing is None and head[257:262] == b"ustar" and b"\0" in head[:257] else packing


def _unpack(source: Source, packing: str) -> Source:
    import lzma
    import tarfile
    import zipfile
    import zlib

    broken = (
        OSError,
        EOFError,
        zlib.error,
        lzma.LZMAError,
        zipfile.BadZipFile,
        tarfile.TarError,
        ValueError,
        struct.error,
    )
    folder = Path(temporary.spool())
    left = _Left(source.name)
    try:
        if packing == "zip":
            _all(_zipped(source.path), folder, left)
        elif packing == "tar":
            _all(_tarred(source.path), folder, left)
        else:
            stem = Path(source.name).stem or source.name
            with _opened(source.path, packing) as packed:
                _copy(packed, folder / stem, left)
            inner = Source(folder / stem, name=stem)
            return _unpack(inner, "tar") if inner.read(257, 5) == b"ustar" else inner
    except ImportError:
        raise ReadError(
            source.name, "the archive is packed with Zstandard", advice="Install `zstandard` to read it"
        ) from None
    except RuntimeError as error:
        raise ReadError(source.name, f"the archive cannot be unpacked ({error})") from None
    except broken as error:
        raise ReadError(source.name, f"the archive is broken ({error or type(error).__name__})") from None
    except Exception as error:
        # The errors of a module that is loaded only for its own archives.
        if not isinstance(error, getattr(sys.modules.get("zstandard"), "ZstdError", ())):
            raise
        raise ReadError(source.name, f"the archive is broken ({error})") from None
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    if not files:
        raise ReadError(source.name, "the archive holds no file")
    if len(files) == 1:
        return Source(files[0])
    # A single folder around everything is not part of the layout.
    inner_folder = folder
    while len(entries := list(inner_folder.iterdir())) == 1 and entries[0].is_dir():
        inner_folder = entries[0]
    stores = inner_folder if inner_folder.name not in ("storage", "project") else inner_folder.parent
    return Source(stores, name=source.name)


class _Left:
    """What may still be unpacked."""

    def __init__(self, name: str) -> None:
        self.name, self.bytes, self.files = name, _BYTES_AT_MOST, _FILES_AT_MOST

    def take(self, amount: int) -> None:
        self.bytes -= amount
        if self.bytes < 0:
            raise ReadError(self.name, f"the archive unpacks to more than {_BYTES_AT_MOST >> 30} GB")

    def file(self) -> None:
        self.files -= 1
        if self.files < 0:
            raise ReadError(self.name, f"the archive holds more than {_FILES_AT_MOST} files")


def _zipped(path: Path) -> Iterator[tuple[str, IO[bytes]]]:
    import zipfile

    with zipfile.ZipFile(path) as archive:
        for info in archive.infolist():
            # The upper half of the attributes is the Unix mode: 0o12 marks a symbolic link.
            if not info.filename.endswith("/") and (info.external_attr >> 28) != 0o12:
                with _member(archive, info) as file:
                    yield info.filename or "unnamed", file


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> IO[bytes]:
    """A file of a zip. Logs of Inspect may pack theirs with Zstandard, which Python's own module cannot read."""
    if info.compress_type != _ZIP_ZSTANDARD or info.flag_bits & 1 or archive.fp is None:
        return archive.open(info)
    # The lengths of name and extra field in the local header differ from those in the directory.
    archive.fp.seek(info.header_offset + 26)
    name, extra = struct.unpack("<HH", archive.fp.read(4))
    archive.fp.seek(info.header_offset + 30 + name + extra)
    # What a directory says of sizes may be more than any memory holds.
    return _frames(
        io.BytesIO(archive.fp.read(min(info.compress_size, os.fstat(archive.fp.fileno()).st_size)))
    )


def _opened(path: Path, packing: str) -> IO[bytes]:
    if packing == "zstandard":
        return _frames(path.open("rb"))
    return cast("IO[bytes]", importlib.import_module(packing).open(path, "rb"))


def _frames(file: IO[bytes]) -> IO[bytes]:
    """What Zstandard frames hold, one after the other; long windows (``--long``) too."""
    import zstandard

    unpacker = zstandard.ZstdDecompressor(max_window_size=1 << 31)
    return cast("IO[bytes]", unpacker.stream_reader(file, read_across_frames=True, closefd=True))


def _tarred(path: Path) -> Iterator[tuple[str, IO[bytes]]]:
    import tarfile

    with tarfile.open(path, "r:") as archive:
        for member in archive:
            file = archive.extractfile(member) if member.isreg() else None
            if file is not None:
                yield member.name, file


def _all(files: Iterator[tuple[str, IO[bytes]]], folder: Path, left: _Left) -> None:
    for name, file in files:
        left.file()
        parts = [
            part for part in PurePosixPath(name.replace("\\", "/")).parts if part not in ("..", "/", ".")
        ]
        parts = [part.replace(":", "_").replace("\0", "_")[:200] for part in parts]
        if parts:
            target = folder.joinpath(*parts)
            target.parent.mkdir(parents=True, exist_ok=True)
            _copy(file, target, left)


def _copy(packed: IO[bytes], target: Path, left: _Left) -> None:
    with target.open("wb") as file:
        while chunk := packed.read(_CHUNK):
            left.take(len(chunk))
            file.write(chunk)
