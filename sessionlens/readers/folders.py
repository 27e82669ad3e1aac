"""What readers and the walk over a folder share: which files are never opened, which folders never hold logs.

A reader that takes a folder whole tells what else lies in it (:meth:`sessionlens.readers.base.FolderReader.beside`): the
rest is read file by file, so that a store hides no log that lies beside it.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from sessionlens.cache import lazy
from sessionlens.model import Gap, Origin, Session
from sessionlens.readers.base import ReadError

LOG_SUFFIXES = frozenset((".json", ".jsonl", ".ndjson", ".xml", ".md"))
"""How files that a client or a person keeps logs in end."""
NO_LOGS = frozenset({
    ".git", ".hg", ".svn", ".venv", ".tox", ".nox", ".cache", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".idea",
    ".vscode", "__pycache__", "node_modules",
})  # fmt: skip
"""Folders that hold no logs and many files."""
_CREDENTIALS = frozenset({".credentials.json", "mcp-auth.json", "oauth_creds.json", "google_accounts.json"})
"""Names that only clients give, to files with credentials."""
_SIGNS = frozenset({
    "config.toml", "sessions", "archived_sessions", "storage", "snapshot", "project", "tool-output", "log",
})  # fmt: skip
"""What lies beside a client's ``auth.json``."""
_DATABASE = lazy(r"(?P<file>[^/]{1,200}\.(?:db|sqlite3?))-(?:wal|shm|journal)")


class Beside(NamedTuple):
    """A file or folder that lies in a store and that its reader does not read."""

    path: Path
    """Where it lies."""
    own: bool = False
    """Whether the client may have put it there: what nobody recognises in it is then nothing that was lost."""


def secret(path: Path) -> bool:
    """Whether a file has the name of one in which a client keeps credentials, which is never opened."""
    if path.name == "auth.json":
        return any((path.parent / sign).exists() for sign in _SIGNS) or any(path.parent.glob("opencode*.db"))
    return path.name in _CREDENTIALS


def of_a_database(path: Path) -> bool:
    """Whether SQLite keeps this file beside a database that lies here."""
    found = _DATABASE.fullmatch(path.name)
    return found is not None and path.with_name(found["file"]).is_file()


def entries(folder: Path) -> list[Path]:
    """What lies in a folder, by name; nothing for one that cannot be looked into."""
    try:
        with os.scandir(folder) as found:
            return [Path(entry.path) for entry in sorted(found, key=lambda entry: entry.name)]
    except OSError:
        return []


def others(
    folder: Path, *, read: Collection[Path], skipped: Collection[str], own: Collection[str] = ()
) -> Iterator[Beside]:
    """The entries of a folder but those that are read, or whose names say that the client keeps other things there."""
    for entry in entries(folder):
        if entry not in read and entry.name not in skipped:
            yield Beside(entry, entry.name in own)


def unread(error: ReadError, file: str) -> Gap:
    """The gap that tells of a file of a store that could not be read."""
    return Gap(reason=f"another log of this folder could not be read: {error}", origin=Origin(file=file))


def with_gaps(sessions: list[Session], gaps: Sequence[Gap]) -> list[Session]:
    """The sessions, the first of which tells of the gaps."""
    if not gaps or not sessions:
        return sessions
    first, *others = sessions
    return [msgspec.structs.replace(first, gaps=(*first.gaps, *gaps)), *others]
