"""Folders for work that nobody keeps: removed when they are left, and by a later run where their owner was killed.

A folder holds a file that its owner keeps locked. The system lets go of a lock when its last holder ends, however that
happens; so a folder whose lock can be had belongs to nobody any more. Where there are no such locks, only what is left
in order is removed.
"""

from __future__ import annotations

import atexit
import errno
import os
import secrets
import shutil
import stat
import string
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import IO

PREFIX = "sessionlens-"
"""How the names of all of them begin."""
_BYTES = 8
"""Random bytes of a name, which are written behind its beginning in hexadecimal digits."""
OWNER = ".owner"
"""The file in each of them that its owner keeps locked."""
_TRIES = 5
"""Attempts at a folder: one that has just been made may be taken for a forgotten one, before it is locked."""


@contextmanager
def folder() -> Iterator[str]:
    """A new folder among the temporary files, gone when this is left."""
    path, lock = _made()
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)
        _let_go(lock)


def lasting(at_end: Callable[[Callable[[], None]], object] = atexit.register) -> str:
    """A new folder that goes when the process ends.

    :param at_end: is given what removes it.
    """
    path, lock = _made()
    ours = os.getpid()

    def remove() -> None:
        # A copy of this process that ends as processes do is not the one whose work this is.
        if os.getpid() == ours:
            shutil.rmtree(path, ignore_errors=True)
            _let_go(lock)

    at_end(remove)
    return path


_spools: dict[tuple[str, int], str] = {}
"""The folder that holds all that a process spools, by the place of its temporary files and its number."""


def spool() -> str:
    """A new folder that goes when the process ends. All share one that is locked: each lock takes an open file."""
    key = tempfile.gettempdir(), os.getpid()
    around = _spools.get(key)
    if around is None or not os.path.isdir(around):
        around = _spools[key] = lasting()
    return tempfile.mkdtemp(dir=around)


def sweep() -> None:
    """Remove the folders among the temporary files whose owners are no more, as far as they are this person's."""
    if sys.platform == "win32":
        return
    with suppress(OSError), os.scandir(tempfile.gettempdir()) as entries:
        for entry in entries:
            if _ours(entry.name):
                with suppress(OSError):
                    _forgotten(entry)


def _ours(name: str) -> bool:
    """Whether a folder has a name as they are given here."""
    digits = name.removeprefix(PREFIX)
    return name.startswith(PREFIX) and len(digits) == 2 * _BYTES and set(digits) <= set(string.hexdigits)


def hold(file: IO[bytes]) -> bool:
    """Keep a new file locked until it is closed, so that nobody takes it for a forgotten one. False where somebody already
    has and removed it.
    """
    if sys.platform == "win32":
        return True
    import fcntl

    # Whoever looks whether it is forgotten holds it for a moment. A file system without locks gives none.
    with suppress(OSError):
        fcntl.flock(file.fileno(), fcntl.LOCK_EX)
    return os.fstat(file.fileno()).st_nlink > 0


PART = ".sessionlens-part"
"""How the names of files end that are being written; they begin with a dot."""


@cache
def cleared(folder: Path) -> None:
    """Remove what a killed run left half written in a folder; once, however many files are put there."""
    with suppress(OSError):
        for left in folder.glob(f".*{PART}"):
            discard(left)


def discard(file: Path) -> None:
    """Remove a file that a killed run left half written: nobody holds it."""
    if sys.platform == "win32":
        return
    with suppress(OSError):
        lock = os.open(file, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            if _locked(lock):
                file.unlink()
        finally:
            os.close(lock)


def _forgotten(entry: os.DirEntry[str]) -> None:
    found = entry.stat(follow_symlinks=False)
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        return
    lock = os.open(os.path.join(entry.path, OWNER), os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        if _locked(lock):
            shutil.rmtree(entry.path, ignore_errors=True)
    finally:
        os.close(lock)


def _made() -> tuple[str, int | None]:
    """A folder of a new name, and what keeps it locked; within another of ours nothing does, it goes with that one."""
    if os.path.exists(os.path.join(tempfile.gettempdir(), OWNER)):
        return tempfile.mkdtemp(prefix=PREFIX), None
    sweep()
    for _ in range(_TRIES):
        path = os.path.join(tempfile.gettempdir(), f"{PREFIX}{secrets.token_hex(_BYTES)}")
        os.mkdir(path, 0o700)
        if sys.platform == "win32":
            return path, None
        try:
            lock = os.open(os.path.join(path, OWNER), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except FileNotFoundError:
            continue
        except OSError:
            shutil.rmtree(path, ignore_errors=True)
            raise
        if _locked(lock) and os.path.isdir(path):
            return path, lock
        os.close(lock)
        # Where there are no locks, nobody else would ever remove it.
        shutil.rmtree(path, ignore_errors=True)
    return tempfile.mkdtemp(prefix=PREFIX), None


def _locked(lock: int) -> bool:
    """Whether a lock is now ours; a file system without locks gives none."""
    if sys.platform == "win32":
        return False
    import fcntl

    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _let_go(lock: int | None) -> None:
    if lock is not None:
        with suppress(OSError):
            os.close(lock)


_NO_ROOM = frozenset((errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS))


def out_of_room(error: BaseException) -> bool:
    """Whether the system has no place for what is to be written, here or where work is staged."""
    return isinstance(error, OSError) and error.errno in _NO_ROOM


def no_room(error: BaseException) -> str:
    """What to say then."""
    reason = error.strerror if isinstance(error, OSError) else None
    return (
        f"nothing could be written ({reason or error}). Make room where the results go and in {tempfile.gettempdir()}, "
        "where they are prepared; the variable TMPDIR names another place for that"
    )
