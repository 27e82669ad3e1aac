"""Who does the work: this process, several on this machine, or a Dask cluster. The results are the same bytes."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from typing import Any, Protocol, TypeVar

from sessionlens import processes

_T = TypeVar("_T")
_R = TypeVar("_R")

AHEAD = 2
"""Tasks under way for each worker: one is worked on, one waits, so that memory stays bounded."""
FRESH = 100
"""Tasks after which a process gives way to a fresh one: what caches and libraries hold on to goes with it."""


def ahead(items: Iterable[_T]) -> Iterator[_T]:
    """The same items, fetched by a thread of its own as fast as they come: whoever takes them may be waiting for others.

    What fetching raises is raised where the items are taken.
    """
    fetched: queue.SimpleQueue[tuple[bool, Any]] = queue.SimpleQueue()

    def fetch() -> None:
        end: BaseException | None = None
        try:
            for item in items:
                fetched.put((True, item))
        except BaseException as error:
            end = error
        fetched.put((False, end))

    threading.Thread(target=fetch, name="sessionlens-ahead", daemon=True).start()
    while True:
        there, item = fetched.get()
        if there:
            yield item
        elif item is not None:
            raise item
        else:
            return


class ClusterError(RuntimeError):
    """A cluster that cannot be used; says why in one line."""


class Rescue(Protocol[_T, _R]):
    """What to do with a task that takes its process down."""

    def apart(self, task: _T, /) -> list[_T]:
        """The task in smaller ones; one when it cannot be divided."""

    def lost(self, task: _T, /) -> _R:
        """What stands for a task that took its process down alone."""

    def joined(self, task: _T, results: list[_R], /) -> _R:
        """The results of its smaller ones as its own."""


class Scheduler(Protocol):
    """Runs a function over tasks."""

    name: str
    """For the manifest of a run's options: how it was scheduled changes nothing, so only messages use it."""

    def run(
        self, function: Callable[[_T], _R], tasks: Iterable[_T], rescue: Rescue[_T, _R] | None = None
    ) -> Iterator[tuple[_T, _R]]:
        """Results with their tasks, as they come."""

    def close(self) -> None:
        """Nothing more is to be done."""


class Here:
    """In this process."""

    name = "one process"

    def close(self) -> None:
        """Nothing to let go of."""

    def run(
        self, function: Callable[[_T], _R], tasks: Iterable[_T], rescue: Rescue[_T, _R] | None = None
    ) -> Iterator[tuple[_T, _R]]:
        """One after the other."""
        for task in tasks:
            yield task, function(task)


class Processes:
    """Several processes of this machine."""

    def __init__(self, jobs: int) -> None:
        """``jobs`` of them, started at the first task and kept from run to run."""
        self.jobs, self.name = jobs, f"{jobs} processes"
        self._kept: ProcessPoolExecutor | None = None
        self._given = 0
        """Tasks that the processes that are kept were given."""

    def _current(self) -> ProcessPoolExecutor:
        if self._kept is None:
            self._kept, self._given = processes.pool(self.jobs), 0
        return self._kept

    def close(self, *, wait: bool = True) -> None:
        """End the processes."""
        if self._kept is not None:
            self._kept.shutdown(wait=wait, cancel_futures=True)
            self._kept = None

    def run(
        self, function: Callable[[_T], _R], tasks: Iterable[_T], rescue: Rescue[_T, _R] | None = None
    ) -> Iterator[tuple[_T, _R]]:
        """A few tasks ahead of what is done. A process that dies costs only the task that killed it."""
        from concurrent.futures.process import BrokenProcessPool

        waiting = iter(tasks)
        running: dict[Future[_R], _T] = {}
        more = True
        try:
            while True:
                # Made outside: making it starts a process of Python's own, which undoes what is not to be heard.
                pool = self._current()
                while more and len(running) < self.jobs * AHEAD and self._given < self.jobs * FRESH:
                    task = next(waiting, None)
                    more = task is not None
                    if task is not None:
                        with processes.unheard():
                            running[pool.submit(function, task)] = task
                        self._given += 1
                if not running:
                    if not more:
                        return
                    self.close()
                    continue
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                broken: list[_T] = []
                for future in done:
                    task = running.pop(future)
                    try:
                        result = future.result()
                    except BrokenProcessPool:
                        broken.append(task)
                        continue
                    yield task, result
                if broken:
                    broken += running.values()
                    running = {}
                    self.close(wait=False)
                    for task in broken:
                        yield task, self._alone(function, task, rescue)
        finally:
            if running:
                self.close(wait=False)

    def _alone(self, function: Callable[[_T], _R], task: _T, rescue: Rescue[_T, _R] | None) -> _R:
        """A task in a process of its own; taken apart when it kills that too."""
        from concurrent.futures.process import BrokenProcessPool

        with processes.workers(1) as alone:
            try:
                with processes.unheard():
                    future = alone.submit(function, task)
                return future.result()
            except BrokenProcessPool:
                if rescue is None:
                    raise
        parts = rescue.apart(task)
        if len(parts) <= 1:
            return rescue.lost(task)
        return rescue.joined(task, [self._alone(function, part, rescue) for part in parts])


class Cluster:
    """A Dask cluster (the extra ``[cluster]``). Its workers need sessionlens, and must reach the sources."""

    def __init__(self, address: str) -> None:
        """Connect.

        :raises ClusterError: when that fails.
        """
        try:
            from distributed import Client
        except ImportError:
            raise ClusterError("--scheduler needs Dask: pip install 'sessionlens[cluster]'") from None
        try:
            self._client: Any = Client(address, timeout="20s", set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise ClusterError(
                f"{address}: no Dask scheduler answers ({error or type(error).__name__})"
            ) from None
        self.name = f"the cluster at {address}"

    def run(
        self, function: Callable[[_T], _R], tasks: Iterable[_T], rescue: Rescue[_T, _R] | None = None
    ) -> Iterator[tuple[_T, _R]]:
        """A few tasks ahead for each worker. Dask gives the tasks of a worker that dies to another one."""
        from distributed import as_completed
        from distributed.scheduler import KilledWorker

        waiting = iter(tasks)
        running: dict[Any, _T] = {}
        stream = as_completed(loop=self._client.loop)

        def fill() -> None:
            workers = max(1, sum(self._client.nthreads().values()))
            while len(running) < workers * AHEAD:
                task = next(waiting, None)
                if task is None:
                    return
                future = self._client.submit(function, task, pure=False)
                running[future] = task
                stream.add(future)

        fill()
        for future in stream:
            task = running.pop(future)
            try:
                result = future.result()
            except KilledWorker:
                if rescue is None:
                    raise
                parts = rescue.apart(task)
                result = (
                    rescue.lost(task)
                    if len(parts) <= 1
                    else rescue.joined(task, [self._one(function, part, rescue) for part in parts])
                )
            del future
            yield task, result
            fill()

    def _one(self, function: Callable[[_T], _R], task: _T, rescue: Rescue[_T, _R]) -> _R:
        from distributed.scheduler import KilledWorker

        try:
            return self._client.submit(function, task, pure=False).result()  # type: ignore[no-any-return]
        except KilledWorker:
            return rescue.lost(task)

    def close(self) -> None:
        """Leave the cluster as it is."""
        self._client.close()


def scheduler(jobs: int, address: str | None) -> Scheduler:
    """Who does the work."""
    if address is not None:
        return Cluster(address)
    return Here() if jobs <= 1 else Processes(jobs)
