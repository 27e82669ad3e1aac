"""One log to read: a file, standard input or a folder, with our own index of its lines."""

from __future__ import annotations

import errno
import mmap
import os
import stat
import sys
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sessionlens import temporary
from sessionlens.readers.base import ReadError

_FORGET = 1 << 24
"""After so many bytes more, those before are let go of where a mapped log is gone through."""
_BLOCK = 1 << 14
"""Bytes between two entries of the line index."""
_MAP_ABOVE = 1 << 26
"""Files larger than this are mapped; smaller ones are read, so that a client that cuts its log short
while we read it cannot end the process by a bus error."""
_LARGE = 1 << 27
"""Logs larger than this keep their texts compressed, in a file without a name where there is room for one: reading takes a third longer."""
_HEAD = 1 << 18
"""Bytes that recognising looks at, at most."""

_BOMS = (
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)


class Source:
    """A log as the readers see it: bytes in UTF-8 with places, or a folder.

    A file in UTF-16 or UTF-32 (PowerShell's ``>`` writes UTF-16) is presented in UTF-8: lines stay what
    they were, offsets are those of the UTF-8 form. Everything is lazy, and a source can be pickled.

    Raises :class:`ReadError` for what cannot be a log: a missing file, a device, a pipe with a name, a file
    without read permission.
    """

    name: str
    """Name to show: the file's or folder's own name, never its whole path; ``stdin`` for standard input."""
    path: Path
    """Where it lies."""
    size: int
    """Bytes of the file when it was opened; what is appended later is not read. 0 for a folder."""
    folder: bool
    """Whether it is a folder."""
    encoding: str
    """Encoding of the file: ``utf-8``, or ``utf-16``/``utf-32`` where it had to be converted."""

    def __init__(self, path: str | Path, *, name: str | None = None) -> None:
        """Look at ``path`` without reading more than its first bytes; ``name`` replaces the name to show."""
        self.path = Path(path)
        self.name = name or self.path.name or self.path.resolve().name or str(path)
        self._view: bytes | mmap.mmap | None = None
        self._index: array[int] | None = None
        self._near = (0, 0)
        self._passed = 0
        try:
            found = self.path.stat()
        except (OSError, ValueError) as error:
            raise ReadError(self.name, _why(error), advice=_advice(error)) from None
        self.folder = stat.S_ISDIR(found.st_mode)
        self.encoding = "utf-8"
        self.size = 0
        if self.folder:
            if not os.access(self.path, os.R_OK | os.X_OK):
                raise ReadError(self.name, "no permission to look into this folder")
            return
        if not stat.S_ISREG(found.st_mode):
            raise ReadError(
                self.name,
                "not a regular file (a pipe, socket or device)",
                advice="Write the log to a file, or give it on standard input with `-`",
            )
        self.size = found.st_size
        self.encoding = _encoding(self._raw(0, 64))

    @classmethod
    def from_stdin(cls) -> Source:
        """Spool standard input to a temporary file, removed when the process ends."""
        path = Path(temporary.spool()) / "stdin"
        with path.open("wb") as spool:
            while chunk := sys.stdin.buffer.read(1 << 20):
                spool.write(chunk)
        return cls(path, name="stdin")

    def read(self, offset: int, length: int) -> bytes:
        """``length`` bytes from ``offset`` on, fewer at the end."""
        if self.encoding != "utf-8":
            return bytes(self.view()[offset : offset + length])
        return self._raw(offset, length)

    def head(self, length: int = _HEAD) -> bytes:
        """The first bytes without a byte order mark; empty for a folder."""
        if self.folder:
            return b""
        return self.read(self.start, length)

    @property
    def start(self) -> int:
        """Offset of the first byte after a UTF-8 byte order mark: 3 or 0."""
        return 3 if not self.folder and self.read(0, 3) == b"\xef\xbb\xbf" else 0

    @property
    def large(self) -> bool:
        """Whether what is kept of its texts should be kept compressed: in memory it would fill hundreds of megabytes."""
        return self.size > _LARGE

    def view(self) -> bytes | mmap.mmap:
        """The whole log: bytes, or a read-only map when it is big. Kept until :meth:`release`."""
        if self._view is None:
            if self.folder or not self.size:
                self._view = b""
            elif self.encoding != "utf-8":
                text = self._raw(0, self.size).decode(self.encoding, "replace").removeprefix("\ufeff")
                self._view = text.encode("utf-8", "replace")
            elif self.size <= _MAP_ABOVE:
                self._view = self._raw(0, self.size)
            else:
                with self._open() as file:
                    self._view = mmap.mmap(file.fileno(), self.size, access=mmap.ACCESS_READ)
        return self._view

    def forget(self, end: int) -> None:
        """Let go of what stands before an offset, where the log is mapped: it is read again when it is asked for."""
        if isinstance(self._view, mmap.mmap) and hasattr(self._view, "madvise"):
            self._view.madvise(mmap.MADV_DONTNEED, 0, end - end % mmap.PAGESIZE)

    def pass_by(self, offset: int) -> None:
        """Tell that a log is gone through and where that has come to, so that not all of it is held."""
        if not 0 <= offset - self._passed < _FORGET:
            self.forget(offset)
            self._passed = offset

    def line_at(self, offset: int) -> int:
        """1-based number of the line that holds the byte at ``offset``; lines end with a line feed."""
        index = self._lines()
        block = max(0, min(offset // _BLOCK, len(index) - 1))
        begin, feeds = block * _BLOCK, index[block]
        # Readers ask in the order of the log: most places lie shortly behind the one before.
        last, before = self._near
        if begin <= last <= offset:
            begin, feeds = last, before
        feeds += self._block(begin, offset).count(b"\n")
        self._near = (offset, feeds)
        return feeds + 1

    def release(self) -> None:
        """Forget the bytes at hand. The line index stays; handles read the file again."""
        if self._view is not None:
            self._lines()
        if self.encoding == "utf-8":
            self._view = None

    def _lines(self) -> array[int]:
        """Line feeds before each block."""
        if self._index is None:
            total = 0
            index = array("Q")
            size = len(self.view())
            for begin in range(0, size + 1, _BLOCK):
                index.append(total)
                total += self._block(begin, min(begin + _BLOCK, size)).count(b"\n")
                self.pass_by(begin)
            self._index = index
        return self._index

    def _block(self, begin: int, end: int) -> bytes:
        if self._view is not None:
            return bytes(self._view[begin:end])
        return self.read(begin, end - begin)

    def _open(self) -> Any:
        try:
            return self.path.open("rb")
        except OSError as error:
            raise ReadError(self.name, _why(error), advice=_advice(error)) from None

    def _raw(self, offset: int, length: int) -> bytes:
        with self._open() as file:
            try:
                file.seek(offset)
                data: bytes = file.read(max(0, min(length, self.size - offset)))
            except OSError as error:
                raise ReadError(self.name, _why(error)) from None
        return data

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_view": None, "_index": None, "_near": (0, 0)}

    def __repr__(self) -> str:
        return f"Source({self.name!r})"


def _encoding(head: bytes) -> str:
    for mark, name in _BOMS:
        if head.startswith(mark):
            return name
    # Without a mark: plain characters with a zero byte after (or before) each of them.
    pairs = head[: min(16, len(head) & ~1)]
    if len(pairs) >= 8:
        if not any(pairs[1::2]) and all(pairs[0::2]):
            return "utf-16-le"
        if not any(pairs[0::2]) and all(pairs[1::2]):
            return "utf-16-be"
    return "utf-8"


def _why(error: OSError | ValueError) -> str:
    if isinstance(error, FileNotFoundError):
        return "no such file or folder"
    if isinstance(error, PermissionError):
        return "no permission to read it"
    if isinstance(error, OSError) and error.errno == errno.ELOOP:
        return "a symbolic link that leads to itself"
    if isinstance(error, OSError) and error.strerror:
        return f"cannot be read ({error.strerror})"
    return "not a usable file name"


def _advice(error: OSError | ValueError) -> str | None:
    if isinstance(error, FileNotFoundError):
        return "A source is a file, a folder, `-`, a session id (`ses_…` or a UUID) or `latest`"
    return None


@contextmanager
def spooling_into(folder: str | Path) -> Iterator[None]:
    """Let readers put what they unpack or take from standard input into a folder that the caller removes."""
    import tempfile

    before = tempfile.tempdir
    tempfile.tempdir = str(folder)
    try:
        yield
    finally:
        tempfile.tempdir = before
