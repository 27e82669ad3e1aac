"""Whether there is memory enough, and what to say where there is not."""

from __future__ import annotations

import errno
import sys

LEAST = 256 * 1024 * 1024
"""Bytes of address space that looking for secrets takes at least, with all that is loaded besides."""
LEAST_BESIDE = 352 * 1024 * 1024
"""The same for each of several processes, which have more threads: below it, one may wait for ever for a thread that could
not be started."""
LEAST_TABLES = 2048 * 1024 * 1024
"""The same for each process that makes tables (:mod:`sessionlens.curate`). Little of it is used: the libraries for tables
reserve it for threads, and below it they abort, or wait for ever for a thread that could not be started.
"""
_WORDS = ("failed to map segment", "annot allocate memory", "an't start new thread", "out of memory")
"""What the system and its loader say of it in errors of other kinds."""


class TooLittle(MemoryError):
    """The process may not use as much as is needed at least."""


def ensure(least: int = LEAST) -> None:
    """End what needs more than this process may use, before libraries that cannot tell it apart abort the process.

    :param least: bytes of address space that are needed.
    :raises TooLittle: where its limit is below what is needed at least.
    """
    if sys.platform == "win32":
        return
    import resource

    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit != resource.RLIM_INFINITY and limit < least:
        raise TooLittle(
            f"the limit of this process is {limit >> 20} MB, and it takes {least >> 20} MB at least"
        )


def lacking(error: BaseException) -> bool:
    """Whether an error says that there is not enough memory."""
    if isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno == errno.ENOMEM):
        return True
    return isinstance(error, (ImportError, OSError, RuntimeError, SystemError)) and (
        any(word in str(error) for word in _WORDS) or isinstance(error.__cause__, MemoryError)
    )


def told(error: BaseException) -> str:
    """What to say of it."""
    reason = f" ({error})" if isinstance(error, TooLittle) else ""
    return f"not enough memory{reason}. Let the process use more; `ulimit -v` shows and sets a limit"
