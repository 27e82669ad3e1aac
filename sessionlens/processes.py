"""Processes of this machine for work on many sources."""

from __future__ import annotations

import gc
import os
import threading
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
