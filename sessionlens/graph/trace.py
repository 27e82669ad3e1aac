"""Keeps the questions that a rule asked of a graph, with their answers, for ``rules explain``."""

from __future__ import annotations

from typing import Any

import msgspec

MOST = 200_000
"""Questions kept at most: a rule on a large session asks hundreds of thousands."""


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """One question about a window, with its answer."""

    after: int
    """Position of the event before the window, -1 for the beginning."""
    before: int
    """Position of the event that ends it; the number of events for the end of the session."""
    how: str
    """What was asked: ``until``, ``first``, ``count`` …"""
    predicates: tuple[str, ...] = ()
    """What an event had to fulfil."""
    found: tuple[int, ...] = ()
    """Positions of the events that were the answer, 50 at most."""
    answer: int | bool | None = None
    """A number or a verdict, where the answer is one."""


class Trace:
    """The questions of one run of a rule, in order."""

    def __init__(self) -> None:
        """Nothing asked yet."""
        self.questions: list[Asked] = []
        self.dropped = 0
        """Questions beyond :data:`MOST`."""

    def asked(self, after: int, before: int, how: str, predicates: tuple[str, ...], answer: Any) -> None:
        """Keep one question."""
        if len(self.questions) >= MOST:
            self.dropped += 1
            return
        value = answer if isinstance(answer, bool | int) else None
        events = () if value is not None or answer is None else answer
        events = events if isinstance(events, list | tuple) else (events,)
        self.questions.append(
            Asked(
                after=after,
                before=before,
                how=how,
                predicates=predicates,
                found=tuple(event.seq for event in events[:50]),
                answer=value,
            )
        )
