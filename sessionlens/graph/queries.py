"""The questions rules ask: what came after an event, until something, that fulfils something.

``graph.after(event).until(human, change(target)).first(check(target))`` reads as it is meant: of the events
after this one and before the next human message or the next change of that target, the first check of it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import msgspec

from sessionlens.graph.events import Called, Event, Operation, Ran, Said
from sessionlens.targets import Target

if TYPE_CHECKING:
    from sessionlens.graph.session_graph import SessionGraph


class Predicate(msgspec.Struct, frozen=True, kw_only=True):
    """A condition on an event. ``|`` and ``&`` are left to Python's ``or`` over several questions."""

    name: str
    """What it asks for, for error messages and explanations."""
    among: str
    """The index of the graph that holds every event that could fulfil it, so that a question is cheap."""
    holds: Callable[[SessionGraph, Event], bool]
    """The condition itself."""


human = Predicate(name="human", among="human", holds=lambda _graph, _event: True)
"""A human message of the audited session."""

assistant = Predicate(
    name="assistant",
    among="said",
    holds=lambda _graph, event: isinstance(event, Said) and event.opening and event.role == "assistant",
)
"""The beginning of an assistant message, in the session or a child."""

assistant_prose = Predicate(
    name="assistant_prose",
    among="said",
    holds=lambda _graph, event: isinstance(event, Said) and event.role == "assistant" and bool(event.texts),
)
"""Prose of the assistant, before or after a call of its message."""

cut_off = Predicate(
    name="cut_off",
    among="called",
    holds=lambda _graph, event: isinstance(event, Called) and event.cut_off is not None,
)
"""A call that a time limit ended."""

polls = Predicate(
    name="polls",
    among="called",
    holds=lambda _graph, event: isinstance(event, Called) and event.call.continues is not None,
)
"""A call that polls or feeds the process of an earlier one."""

end = Predicate(name="end", among="none", holds=lambda _graph, _event: False)
"""The end of the session. A window ends there anyway; naming it makes a rule read as it is meant."""


def check(target: Target) -> Predicate:
    """A check on the target's neighbourhood whose result shows something."""
    return Predicate(
        name=f"check({target.name})",
        among="check",
        holds=lambda graph, event: isinstance(event, Ran) and graph.match(event, target) is not None,
    )


def told_state(target: Target) -> Predicate:
    """A check that tells how a running thing is. Reading its files back says nothing of that."""
    return Predicate(
        name=f"told_state({target.name})",
        among="check",
        holds=lambda graph, event: (
            isinstance(event, Ran)
            and event.command.check_strength != "read_back"
            and graph.match(event, target) is not None
        ),
    )


def change(target: Target) -> Predicate:
    """A change of the target's neighbourhood."""
    return Predicate(
        name=f"change({target.name})",
        among="change",
        holds=lambda graph, event: isinstance(event, Ran) and graph.match(event, target) is not None,
    )


def acknowledges(operation: Operation) -> Predicate:
    """Assistant prose that tells the reader about an open operation."""
    return Predicate(
        name="acknowledges",
        among="said",
        holds=lambda graph, event: (
            isinstance(event, Said) and graph.acknowledges(event, operation) is not None
        ),
    )


class Window:
    """A stretch of the line of events, after one event and up to the first that ends it."""

    def __init__(self, graph: SessionGraph, after: int, before: int) -> None:
        """Events with ``after < seq < before``."""
        self._graph, self._after, self._before = graph, after, before

    @property
    def before(self) -> int:
        """Position of the event that ends the window; the number of events when the session's end does."""
        return self._before

    @property
    def closing(self) -> Event | None:
        """The event that ends the window, ``None`` for the end of the session."""
        events = self._graph.events
        return events[self._before] if self._before < len(events) else None

    def until(self, *predicates: Predicate) -> Window:
        """The part of the window before the first event that fulfils any of the predicates."""
        firsts = (self.first(predicate) for predicate in predicates)
        return Window(
            self._graph, self._after, min((e.seq for e in firsts if e is not None), default=self._before)
        )

    def all(self, predicate: Predicate) -> Iterator[Event]:
        """Every event of the window that fulfils the predicate, in order."""
        index = self._graph.index(predicate.among)
        low, high = bisect_right(index, self._after), bisect_left(index, self._before)
        for seq in index[low:high]:
            event = self._graph.events[seq]
            if predicate.holds(self._graph, event):
                yield event

    def first(self, predicate: Predicate) -> Event | None:
        """The first such event."""
        return next(self.all(predicate), None)

    def last(self, predicate: Predicate) -> Event | None:
        """The last such event."""
        found = None
        for event in self.all(predicate):
            found = event
        return found

    def any(self, predicate: Predicate) -> bool:
        """Whether there is such an event."""
        return self.first(predicate) is not None

    def count(self, predicate: Predicate) -> int:
        """How many such events there are."""
        return sum(1 for _ in self.all(predicate))
