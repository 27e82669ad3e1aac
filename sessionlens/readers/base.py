"""What every reader offers, and the one error that reading raises."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from sessionlens.model import Session

if TYPE_CHECKING:
    from pathlib import Path

    from sessionlens.readers.folders import Beside
    from sessionlens.readers.source import Source


class ReadError(Exception):
    """A source that cannot be read. Its text is one clear line: ``file:line: reason. advice``."""

    file: str
    """Name to show of what failed, never a whole path."""
    line: int | None
    """1-based line where reading failed, where that is known."""
    reason: str
    """What is wrong, in words, without a full stop."""
    advice: str | None
    """What the person can do about it."""

    def __init__(self, file: str, reason: str, *, line: int | None = None, advice: str | None = None) -> None:
        """Keep the parts of the message."""
        super().__init__(file, reason, line, advice)
        self.file, self.reason, self.line, self.advice = file, reason, line, advice

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        text = f"{place}: {self.reason}."
        if self.advice:
            text += f" {self.advice}."
        return " ".join(text.split())

    def __reduce__(self) -> tuple[object, ...]:
        return (_read_error, (self.file, self.reason, self.line, self.advice))


def _read_error(file: str, reason: str, line: int | None, advice: str | None) -> ReadError:
    return ReadError(file, reason, line=line, advice=advice)


class Reader(Protocol):
    """One log format. Every reader has these steps and no state."""

    name: str
    """Name of the format, as ``--reader`` takes it and ``Session.source_format`` shows it."""

    def recognises(self, source: Source) -> str | None:
        """``None`` when the content is of this format, otherwise what was missed, in words.

        Looks at the first bytes only and never at the file's name. Raises nothing but :class:`ReadError`.
        """

    def read(self, source: Source) -> Iterator[Session]:
        """The sessions of the source. Raises :class:`ReadError` when nothing of it can be read."""


@runtime_checkable
class SelectiveReader(Protocol):
    """A reader of sources with many sessions that can read some without reading all."""

    def read_only(self, source: Source, sessions: Collection[str]) -> Iterator[Session]:
        """The sessions with these ids, each with its children. Ids that are not there are left out."""


@runtime_checkable
class FolderReader(Protocol):
    """A reader that takes a folder whole. Without these steps it answers for everything that lies in it."""

    def beside(self, source: Source) -> Iterator[Beside]:
        """What lies in a folder that it recognises and is neither read nor the client's own.

        It is read like what lies in any folder, so that a store hides no other log.
        """


@runtime_checkable
class LogFolderReader(FolderReader, Protocol):
    """A reader of folders whose files are logs of their own."""

    def logs(self, source: Source) -> list[Path]:
        """The files of a folder that it recognises."""
