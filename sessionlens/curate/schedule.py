"""Who does the work: this process, several on this machine, or a Dask cluster. The results are the same bytes."""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from multiprocessing.connection import wait
from typing import Any, Protocol, TypeVar

from sessionlens import processes

_T = TypeVar("_T")
_R = TypeVar("_R")

AHEAD = 2
"""Tasks under way for each worker: one is worked on, one waits, so that memory stays bounded."""
FRESH = 250
"""Tasks after which a process gives way to a fresh one: what caches and libraries hold on to goes with it."""
_READY = "sessionlens.curate.loaded"
"""What every process imports first."""
PATIENCE = 20
"""Seconds that a process has to finish what it is at when the work is stopped."""


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
    near: bool
    """Whether who does the work reads and writes the same files as this process."""

    def run(
        self, function: Callable[[_T], _R], tasks: Iterable[_T], rescue: Rescue[_T, _R] | None = None
    ) -> Iterator[tuple[_T, _R]]:
        """Results with their tasks, as they come."""

    def meanwhile(self, function: Callable[[None], object]) -> None:
        """While this process decides what comes next, the others can make ready for it."""

    def close(self) -> None:
        """Nothing more is to be done."""


class Here:
    """In this process."""

    name = "one process"
    near = True

    def meanwhile(self, function: Callable[[None], object]) -> None:
        """There is nobody else."""

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

    near = True

    def __init__(self, jobs: int) -> None:
        """``jobs`` of them, started at the first task and kept from run to run."""
        self.jobs, self.name = jobs, f"{jobs} processes"
        self._crew: list[_Member] = []
        self._leaving: list[_Member] = []
        """Such as gave way to fresh ones and may not have ended yet."""

    def close(self) -> None:
        """End the processes; what they are working on is finished unless that takes long."""
        leaving, self._crew, self._leaving = self._crew + self._leaving, [], []
        for member in leaving:
            member.worker.end()
        for member in leaving:
            member.worker.join(PATIENCE)

    def meanwhile(self, function: Callable[[None], object]) -> None:
        """Every process runs this before its next task, for what it does; it may be idle now and is not then."""
        for member in self._crew:
            with suppress(processes.Gone):
                member.worker.send(function, None, answered=False)

    def run(
        self, function: Callable[[_T], _R], tasks: Iterable[_T], rescue: Rescue[_T, _R] | None = None
    ) -> Iterator[tuple[_T, _R]]:
        """A few tasks ahead of what is done. A process that dies costs only the task that killed it.

        The last tasks wait behind no other: each goes to whoever has nothing left to do.
        """
        waiting = iter(tasks)
        ready: deque[_T] = deque()
        # Asked for before the first process starts: whoever looks for tasks goes on while it does.
        first = next(waiting, None)
        again = [first] if first is not None else []
        more = first is not None
        ended = False
        try:
            while True:
                while more or again or ready:
                    member = self._free()
                    if member is None:
                        break
                    if member.tasks:
                        while more and len(ready) <= self.jobs:
                            task = next(waiting, None)
                            more = task is not None
                            if task is not None:
                                ready.append(task)
                        if not more and len(again) + len(ready) <= self.jobs:
                            break
                    task = again.pop() if again else ready.popleft() if ready else next(waiting, None)
                    if task is None:
                        more = False
                        continue
                    member.give(function, task)
                busy = {one.worker.connection: one for one in self._crew if one.tasks}
                if not busy:
                    ended = True
                    return
                for connection in wait(list(busy)):
                    member = busy[connection]  # type: ignore[index]
                    try:
                        result = member.worker.result()
                    except processes.Gone:
                        self._crew.remove(member)
                        member.worker.join()
                        # Or the next one, when the first result was on its way: then that one comes up again.
                        killer, *others = member.tasks
                        again += others
                        yield killer, self._alone(function, killer, rescue)
                        continue
                    yield member.tasks.popleft(), result
        finally:
            if not ended:
                self.close()

    def _free(self) -> _Member | None:
        """The process that is to get the next task: a fresh one for each that has had enough, else the one with least."""
        for member in [one for one in self._crew if one.given >= FRESH]:
            # It gives way by itself, while the others go on and its successor starts.
            if not member.tasks:
                self._crew.remove(member)
                self._leaving.append(member)
                member.worker.end()
        taking = [one for one in self._crew if one.given < FRESH]
        if len(taking) < self.jobs and all(one.tasks for one in taking):
            for gone in self._leaving:
                gone.worker.join(PATIENCE)
            self._leaving.clear()
            taking.append(_Member())
            self._crew.append(taking[-1])
        least = min(taking, key=lambda one: len(one.tasks))
        return least if len(least.tasks) < AHEAD else None

    def _alone(self, function: Callable[[_T], _R], task: _T, rescue: Rescue[_T, _R] | None) -> _R:
        """A task in a process of its own; taken apart when it kills that too."""
        alone = processes.Worker(_READY)
        try:
            alone.send(function, task)
            result: _R = alone.result()
            return result
        except processes.Gone:
            if rescue is None:
                raise
        finally:
            alone.end()
            alone.join(PATIENCE)
        parts = rescue.apart(task)
        if len(parts) <= 1:
            return rescue.lost(task)
        return rescue.joined(task, [self._alone(function, part, rescue) for part in parts])


class _Member:
    """A process with what it was given."""

    def __init__(self) -> None:
        """Start it."""
        self.worker = processes.Worker(_READY)
        self.tasks: deque[Any] = deque()
        """What it is working on, and what waits for it."""
        self.given = 0
        """How many tasks it has had."""

    def give(self, function: Callable[[Any], Any], task: Any) -> None:
        """One more task. That it is dead shows when its result is asked for."""
        with suppress(processes.Gone):
            self.worker.send(function, task)
        self.tasks.append(task)
        self.given += 1


class Cluster:
    """A Dask cluster (the extra ``[cluster]``). Its workers need sessionlens, and must reach the sources."""

    near = False

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

    def meanwhile(self, function: Callable[[None], object]) -> None:
        """Nothing: nobody knows when it would run."""

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
