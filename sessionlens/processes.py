"""Processes of this machine for work on many sources."""

from __future__ import annotations

import gc
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

COLLECT = (100_000, 20, 50)
"""When the collector of cycles runs. A session is a tree of records that hold none: with the usual thresholds, looking
for them takes a tenth of the time and frees next to nothing."""


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
