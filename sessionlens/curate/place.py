"""Where a data set lies: a folder of this machine, or an address for fsspec. Files appear whole or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, Protocol

from sessionlens.curate.sources import filesystem, remote


class Place(Protocol):
    """A folder to write to."""

    shown: str
    """Its name for people."""

    def put(self, name: str, data: bytes) -> None:
        """Write a file."""

    def get(self, name: str) -> bytes | None:
        """A file's content; ``None`` where there is none."""

    def piece(self, name: str, offset: int, length: int) -> bytes:
        """A part of a file."""

    def names(self, folder: str) -> list[str]:
        """Names of the files below a folder, in order."""

    def remove(self, name: str) -> None:
        """Remove a file, where it is."""


class Local:
    """A folder of this machine."""

    def __init__(self, folder: Path) -> None:
        """Nothing is made until something is written."""
        self.folder, self.shown = folder, str(folder)
        self._open: tuple[str, IO[bytes]] | None = None

    def put(self, name: str, data: bytes) -> None:
        """Write under another name, then rename."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if self._open is not None and self._open[0] == name:
            self._open[1].close()
            self._open = None
        part = path.with_name(f".{path.name}.{os.getpid()}.part")
        try:
            part.write_bytes(data)
            os.replace(part, path)
        finally:
            part.unlink(missing_ok=True)

    def get(self, name: str) -> bytes | None:
        """A file's content."""
        try:
            return (self.folder / name).read_bytes()
        except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
            return None

    def piece(self, name: str, offset: int, length: int) -> bytes:
        """A part of a file. The file stays open, since the next piece is often of the same one."""
        if self._open is None or self._open[0] != name:
            if self._open is not None:
                self._open[1].close()
            self._open = name, (self.folder / name).open("rb")
        file = self._open[1]
        file.seek(offset)
        return file.read(length)

    def names(self, folder: str) -> list[str]:
        """Names of the files below a folder, in order."""
        top = self.folder / folder
        found = (path for path in top.rglob("*") if path.is_file() and not path.name.endswith(".part"))
        return sorted(path.relative_to(self.folder).as_posix() for path in found)

    def remove(self, name: str) -> None:
        """Remove a file or folder, where it is."""
        path = self.folder / name
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


class Remote:
    """A folder at an address. Object stores show a file only when it is whole."""

    def __init__(self, address: str) -> None:
        """Look up the file system."""
        self.shown = address
        self._system, top = filesystem(address)
        self._top = top.rstrip("/")

    def _path(self, name: str) -> str:
        return f"{self._top}/{name}"

    def put(self, name: str, data: bytes) -> None:
        """Write a file."""
        path = self._path(name)
        self._system.makedirs(path.rpartition("/")[0], exist_ok=True)
        self._system.pipe_file(path, data)

    def get(self, name: str) -> bytes | None:
        """A file's content."""
        try:
            return bytes(self._system.cat_file(self._path(name)))
        except FileNotFoundError:
            return None

    def piece(self, name: str, offset: int, length: int) -> bytes:
        """A part of a file."""
        return bytes(self._system.cat_file(self._path(name), start=offset, end=offset + length))

    def names(self, folder: str) -> list[str]:
        """Names of the files below a folder, in order."""
        return sorted(self._found(self._path(folder)))

    def _found(self, top: str) -> Iterator[str]:
        try:
            listed: Any = self._system.find(top)
        except FileNotFoundError:
            return
        for path in listed:
            yield str(path)[str(path).index(self._top) + len(self._top) :].lstrip("/")

    def remove(self, name: str) -> None:
        """Remove a file, where it is."""
        if self._system.exists(self._path(name)):
            self._system.rm(self._path(name), recursive=True)


def at(output: str) -> Place:
    """The place that ``-o`` names."""
    return Remote(output) if remote(output) else Local(Path(output))
