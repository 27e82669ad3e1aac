"""What a copy of this process does on another core while this one goes on.

A session can hold more text than may be sent to another process, so the other one is forked: it sees what this one saw,
and only results come back, through a file. Nothing depends on it: what it does not give, this process makes itself, and
the results are the same.
"""

from __future__ import annotations

import mmap
import os
import signal
import struct
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

_FRAME = struct.Struct("<QQ")
"""Number of a task and length of its result, before the result."""
_PAUSE = 0.001
"""Seconds between two looks for a result that is being made."""


def possible() -> bool:
    """Whether a copy can be made that has a core for itself. Threads of this process would be missing in it."""
    return (
        hasattr(os, "fork")
        and len(os.sched_getaffinity(0)) > 1
        and threading.active_count() == 1
        and threading.current_thread() is threading.main_thread()
    )


class Meanwhile:
    """Tasks that a copy of this process does in their order, the first of them shared with this one.

    Who asks for the result of a shared task that the copy has not come to makes others in the meantime, from the last
    one backwards, so that both work until they meet.
    """

    def __init__(
        self, shared: Sequence[Callable[[], bytes]], more: Sequence[Callable[[], bytes]], folder: Path
    ) -> None:
        """Make the copy.

        :param shared: tasks without effects, done by both.
        :param more: tasks that the copy does afterwards.
        :param folder: where results lie until they are asked for.
        :raises OSError: when there is no room for it.
        """
        self._shared, self._more = shared, more
        self._results: dict[int, tuple[int, int]] = {}
        self._made: dict[int, bytes] = {}
        self._end, self._reached = 0, -1
        # Not closed by a context: it lives as long as this does, and has no name.
        self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115
        self._border = mmap.mmap(-1, 8)
        self._last = len(shared)
        self._border[:] = self._last.to_bytes(8, "little")
        parent = os.getpid()
        self._process = os.fork()
        if self._process == 0:
            self._copy(parent)

    def _copy(self, parent: int) -> NoReturn:
        code = 1
        try:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            for number, task in enumerate((*self._shared, *self._more)):
                if len(self._shared) > number >= int.from_bytes(self._border[:], "little"):
                    continue
                if os.getppid() != parent:
                    break
                result = task()
                self._file.write(_FRAME.pack(number, len(result)))
                self._file.write(result)
                self._file.flush()
            else:
                code = 0
        finally:
            # Nothing of what this process was to do at its end is the copy's to do.
            os._exit(code)

    def shared(self, number: int) -> bytes:
        """The result of a shared task."""
        while True:
            found = self._result(number)
            if found is not None:
                return found
            if self._last - 1 > self._reached + 1 and self._last > number and self._running():
                self._last -= 1
                self._border[:] = self._last.to_bytes(8, "little")
                self._made[self._last] = self._shared[self._last]()
            elif self._running():
                time.sleep(_PAUSE)
            else:
                found = self._result(number)
                return found if found is not None else self._shared[number]()

    def more(self, number: int) -> bytes | None:
        """The result of one of the other tasks; ``None`` when the copy did not come to it."""
        place = len(self._shared) + number
        while (found := self._result(place)) is None and self._running():
            time.sleep(_PAUSE)
        return found if found is not None else self._result(place)

    def _result(self, number: int) -> bytes | None:
        if number in self._made:
            return self._made[number]
        if number not in self._results:
            self._take_in()
        span = self._results.get(number)
        return None if span is None else os.pread(self._file.fileno(), span[1], span[0])

    def _take_in(self) -> None:
        """Note where the results lie that were written since."""
        descriptor = self._file.fileno()
        size = os.fstat(descriptor).st_size
        while self._end + _FRAME.size <= size:
            number, length = _FRAME.unpack(os.pread(descriptor, _FRAME.size, self._end))
            start = self._end + _FRAME.size
            if start + length > size:
                return
            self._results[number] = start, length
            self._reached = number
            self._end = start + length

    def _running(self) -> bool:
        if self._process:
            try:
                ended, _ = os.waitpid(self._process, os.WNOHANG)
            except ChildProcessError:
                ended = self._process
            if ended:
                self._process = 0
        return self._process != 0

    def close(self) -> None:
        """End the copy, whatever it is at, and let go of its results."""
        if self._process:
            os.kill(self._process, signal.SIGKILL)
            os.waitpid(self._process, 0)
            self._process = 0
        self._file.close()
        self._border.close()
