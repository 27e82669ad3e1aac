"""Processes of this machine for work on many sources."""

from __future__ import annotations

import atexit
import gc
import os
import pickle
import queue
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, NoReturn

from sessionlens import temporary

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

COLLECT = (100_000, 20, 50)
"""When the collector of cycles runs. A session is a tree of records that hold none: with the usual thresholds, looking
for them takes a tenth of the time and frees next to nothing."""


def settle() -> None:
    """Leave alone, whenever cycles are looked for, what has been loaded so far: modules and tables live as long as the
    process. Not for a process that has judged sessions: what those left in cycles would be kept for ever.
    """
    gc.freeze()


def give_back() -> None:
    """Hand memory that this process let go of back to the system, where the C library keeps it for later (glibc).

    Many texts that live a short while leave holes that it does not give back by itself.
    """
    import ctypes

    with suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)


def pool(workers: int) -> ProcessPoolExecutor:
    """Processes that start afresh: a forked one may wait for ever for a thread that it does not have. They end with
    whoever started them, even where that one is killed.
    """
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    return ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), initializer=_begin)


@contextmanager
def workers(count: int) -> Iterator[ProcessPoolExecutor]:
    """Processes that are ended at once when this is left by an interruption.

    Left in another way before its end, it waits for what has been begun and not for the rest.
    """
    from multiprocessing import active_children

    others = {child.pid for child in active_children()}
    with pool(count) as made:
        try:
            yield made
        except KeyboardInterrupt:
            for child in active_children():
                if child.pid not in others:
                    child.terminate()
            raise
        finally:
            made.shutdown(wait=False, cancel_futures=True)


@contextmanager
def unheard() -> Iterator[None]:
    """Processes begun within do not hear the keyboard, which speaks to all of a terminal at once: this one does,
    a moment later, and ends them.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


_SERVES = sys.platform == "linux"
"""Whether processes are forked from a server that has loaded what they need and has no threads. Elsewhere the system's
own libraries may have some."""


_scratch: set[str] = set()


@contextmanager
def scratch() -> Iterator[str]:
    """A temporary folder that goes when this is left, also where the process is told to end, or loses its parent, amid work."""
    with temporary.folder() as folder:
        _scratch.add(folder)
        try:
            yield folder
        finally:
            _scratch.discard(folder)


def _leave(code: int) -> NoReturn:
    """End at once, with what would be left behind removed."""
    for folder in tuple(_scratch):
        shutil.rmtree(folder, ignore_errors=True)
    os._exit(code)


def early(ready: str) -> None:
    """Let what all processes need be loaded now, beside whatever this one does before it starts the first of them.

    :param ready: as for :class:`Worker`. Elsewhere than where processes are forked this does nothing.
    """
    if not _SERVES:
        return
    import multiprocessing
    from multiprocessing import forkserver, resource_tracker

    _sockets()
    multiprocessing.get_context("forkserver").set_forkserver_preload([ready])
    with suppress(OSError, EOFError):
        # As for a worker: what does not start here is started there, or done without.
        resource_tracker.ensure_running()
        with unheard():
            forkserver.ensure_running()


class Gone(Exception):
    """A process ended before it gave a result."""


class Worker:
    """One process that works through what it is sent, in order, and is heard by its ``connection``.

    Unlike a pool it shows whose tasks are lost when a process dies, and it can give way to another one by itself, while
    the rest go on working.
    """

    def __init__(self, ready: str | None = None) -> None:
        """Start it.

        :param ready: a module whose import loads what its tasks need; where the platform can, once for all processes.
        """
        if hasattr(signal, "pthread_sigmask"):
            from multiprocessing import resource_tracker

            # Made outside: starting this process of Python's own undoes what is not to be heard.
            resource_tracker.ensure_running()
        try:
            self.connection, self._process = _started("forkserver" if ready and _SERVES else "spawn", ready)
        except (OSError, EOFError):
            # The server listens at a file of the temporary folder, whose name may be too long for that.
            self.connection, self._process = _started("spawn", None)

    def send(self, function: Callable[[Any], Any], task: Any, *, answered: bool = True) -> None:
        """Give it a task. It takes in what it is sent at once, whatever it is working on.

        :param answered: whether the result is sent back.
        :raises Gone: when it is dead.
        """
        try:
            self.connection.send_bytes(pickle.dumps((function, task, answered), pickle.HIGHEST_PROTOCOL))
        except OSError:
            raise Gone from None

    def result(self) -> Any:
        """The result of the first task that was not answered yet; waits for it.

        :raises Gone: when the process ended instead.
        :raises Exception: what the task raised.
        """
        try:
            data = self.connection.recv_bytes()
        except (EOFError, OSError):
            raise Gone from None
        done, value = pickle.loads(data)
        if not done:
            raise value
        return value

    def end(self) -> None:
        """Tell it to end once its task is done."""
        with suppress(OSError):
            self.connection.send_bytes(b"")

    def join(self, seconds: float | None = None) -> None:
        """Wait until it has ended; end it at once when that takes longer than ``seconds``."""
        last = None if seconds is None else time.monotonic() + seconds
        with suppress(EOFError, OSError):
            while last is None or time.monotonic() < last:
                # What it still sends is taken from it: it would wait for that for ever.
                if self.connection.poll(0.1):
                    self.connection.recv_bytes()
        self._process.join(None if last is None else max(0.1, last - time.monotonic()))
        if self._process.is_alive():
            self._process.terminate()
            self._process.join()
        self.connection.close()


def _started(method: str, ready: str | None) -> tuple[Connection, BaseProcess]:
    import multiprocessing

    _sockets()
    context: Any = multiprocessing.get_context(method)
    if ready:
        context.set_forkserver_preload([ready])
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs,), daemon=True)
    with unheard():
        process.start()
    theirs.close()
    return ours, process


def _sockets() -> None:
    """Let Python put the sockets of its processes into a folder that a later run removes, should this one be killed."""
    global _placed
    if _placed or not _SERVES:
        return
    from multiprocessing import util

    before, _placed = tempfile.tempdir, True
    # After Python has removed its own from it, which it does late.
    tempfile.tempdir = temporary.lasting(
        lambda remove: util.Finalize(None, remove, exitpriority=_AFTER_PYTHONS)
    )
    try:
        util.get_temp_dir()
    finally:
        tempfile.tempdir = before


_placed = False
_AFTER_PYTHONS = -200
"""Python removes its folder of sockets at -100."""


def _serve(connection: Connection) -> None:
    gc.set_threshold(*COLLECT)
    signal.signal(signal.SIGTERM, lambda number, _frame: _leave(128 + number))
    waiting: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    ended = threading.Event()

    def take_in() -> None:
        while True:
            try:
                data = connection.recv_bytes()
            except (EOFError, OSError, MemoryError):
                # A killed parent says nothing to its processes, which would wait for tasks for ever.
                _leave(1)
            if not data:
                ended.set()
            waiting.put(data)

    given: queue.SimpleQueue[bytes] = queue.SimpleQueue()

    def give_out() -> None:
        # Beside the work: the parent may be busy, or wait for its turn, and a pipe holds little.
        while told := given.get():
            try:
                connection.send_bytes(told)
            except (OSError, MemoryError):
                # Without an answer the parent would wait for ever.
                _leave(1)

    threading.Thread(target=take_in, name="sessionlens-parent", daemon=True).start()
    giving = threading.Thread(target=give_out, name="sessionlens-results", daemon=True)
    giving.start()
    while (data := waiting.get()) and not ended.is_set():
        answered = True
        try:
            function, task, answered = pickle.loads(data)
            told = pickle.dumps((True, function(task)), pickle.HIGHEST_PROTOCOL)
        except Exception as error:
            told = _raised(error)
        if answered:
            given.put(told)
    given.put(b"")
    giving.join()
    # Taking a large process apart takes a third of a second, and the parent waits for it.
    atexit._run_exitfuncs()
    os._exit(0)


def _raised(error: Exception) -> bytes:
    """An exception for the parent, with where it was raised."""
    import traceback

    where = "".join(traceback.format_exception(error))
    error.add_note(f"in a process of its own:\n{where}")
    try:
        told = pickle.dumps((False, error), pickle.HIGHEST_PROTOCOL)
        pickle.loads(told)
    except Exception:
        return pickle.dumps((False, RuntimeError(where)), pickle.HIGHEST_PROTOCOL)
    return told


def _begin() -> None:
    gc.set_threshold(*COLLECT)
    threading.Thread(target=_end_with_parent, name="sessionlens-parent", daemon=True).start()


def _end_with_parent() -> None:
    import multiprocessing

    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        # A killed parent says nothing to its processes, which would wait for tasks for ever.
        os._exit(1)
