"""Where results go: files by suffix, folders, standard output. Every file appears whole or not at all."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import IO

import msgspec

from sessionlens import temporary
from sessionlens.cli.codes import Misused
from sessionlens.cli.formats import FORMATS, of_suffix

STDOUT = Path("-")


class Destination(msgspec.Struct, frozen=True, kw_only=True):
    """One place for results."""

    path: Path
    """File or folder; ``-`` is standard output."""
    format: str
    """Form to write."""
    folder: bool = False
    """Whether every session gets a file of its own in it."""


def destinations(
    outputs: Sequence[str], form: str | None, sources: Sequence[str] = ()
) -> tuple[Destination, ...]:
    """What ``-o`` and ``--format`` ask for, checked before any work is done.

    Without ``-o``, every session gets a file in the current folder.

    :raises Misused: for a suffix that is no form, a folder that does not exist, or a file that is a source.
    """
    if not outputs:
        return (Destination(path=Path(), format=form or "html", folder=True),)
    found = []
    for output in outputs:
        if output == "-":
            found.append(Destination(path=STDOUT, format=form or "txt"))
            continue
        path = Path(output)
        suffix = of_suffix(path)
        if path.is_dir() or output.endswith(("/", os.sep)):
            found.append(Destination(path=path, format=form or "html", folder=True))
        elif suffix is not None or form is not None:
            found.append(Destination(path=path, format=suffix or form or "html"))
        elif path.suffix:
            known = ", ".join(f".{name}" for name in FORMATS if name not in ("review", "junit", "github"))
            raise Misused(
                f"{output}: no form has the suffix {path.suffix}; known are {known}, or say --format"
            )
        else:
            found.append(Destination(path=path, format="html", folder=True))
    for destination in found:
        _usable(destination, sources)
    if sum(destination.path == STDOUT for destination in found) > 1:
        raise Misused("standard output takes one form: -o - was given twice")
    return tuple(found)


def _usable(destination: Destination, sources: Iterable[str]) -> None:
    path = destination.path
    if path == STDOUT or destination.folder:
        if path.exists() and not path.is_dir() and path != STDOUT:
            raise Misused(f"{path}: a file of this name is in the way of the folder")
        return
    if not path.parent.is_dir():
        raise Misused(f"{path}: there is no folder {path.parent}")
    for source in sources:
        if path.exists() and Path(source).exists() and path.samefile(source):
            raise Misused(f"{path}: is the log itself, and would be overwritten")


class Names:
    """File names within one folder, none twice."""

    def __init__(self) -> None:
        """Nothing is taken yet."""
        self._taken: set[str] = set()

    def free(self, name: str) -> str:
        """The name, or the name with the first number that makes it free."""
        number, tried = 1, name
        # Case-folded, for file systems that do not tell Page from page.
        while tried.casefold() in self._taken:
            number += 1
            tried = f"{name}-{number}"
        self._taken.add(tried.casefold())
        return tried


def put(rendered: Path, path: Path) -> None:
    """Put a rendered file in its place: under a temporary name there, then renamed.

    :raises Misused: when it cannot be written.
    """
    with rendered.open("rb") as pieces:
        put_pieces(iter(lambda: pieces.read(1 << 20), b""), path)


def put_pieces(pieces: Iterable[bytes], path: Path) -> None:
    """The same for content in pieces. A file that was there before stays until the new one is whole.

    A pipe or device is written to as it is, and a link keeps leading where it led.
    """
    try:
        if path.exists() and not path.is_file():
            with path.open("wb") as out:
                out.writelines(pieces)
            return
        _replace(path.resolve() if path.is_symlink() else path, pieces)
    except OSError as error:
        raise Misused(f"{path} cannot be written: {error.strerror or error}") from None


def _replace(path: Path, pieces: Iterable[bytes]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary.cleared(path.parent)
    staged = path.with_name(f".{path.name[:200]}.{os.getpid()}{temporary.PART}")
    try:
        with _begun(staged) as out:
            out.writelines(pieces)
        os.replace(staged, path)
    finally:
        staged.unlink(missing_ok=True)


def _begun(staged: Path) -> IO[bytes]:
    """A new file that no other run takes for one that was left half written, as it may before the file is locked."""
    while True:
        out = staged.open("xb")
        if temporary.hold(out):
            return out
        out.close()


def target(output: str, source: str) -> Path:
    """The one file that a command writes, checked before any work is done; ``-`` is standard output.

    :raises Misused: for a folder that does not exist, or a file that is the source.
    """
    path = Path(output)
    if path.is_dir():
        raise Misused(f"{path}: is a folder; give a file")
    _usable(Destination(path=path, format=""), (source,))
    return path


def put_text(write: Callable[[IO[str]], object], path: Path) -> None:
    """Let something write text into a file or to standard output; a file appears whole or not at all.

    :raises Misused: when it cannot be written.
    """
    with temporary.folder() as folder:
        staged = Path(folder) / "text"
        with staged.open("w", encoding="utf-8", errors="replace", newline="") as stream:
            write(stream)
        if path == STDOUT:
            print_file(staged)
        else:
            put(staged, path)


def print_file(rendered: Path) -> None:
    """Copy a rendered file to standard output."""
    with rendered.open("rb") as source:
        shutil.copyfileobj(source, stdout())


def stdout() -> IO[bytes]:
    """Standard output for bytes."""
    return sys.stdout.buffer
