"""Answers about a state that the assistant gives without a look in that turn.

The ledger outlives its turn: a restart that was cut off is still open when the person asks whether it is up, and a
check that found a thing bad is still the latest evidence on it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from sessionlens import language
from sessionlens.cache import lazy
from sessionlens.graph.attribution import of_a_text, of_kind
from sessionlens.graph.events import Event, Ran, Said
from sessionlens.graph.mentions import mentioned
from sessionlens.graph.queries import change, human
from sessionlens.language.acts import Act
from sessionlens.model import File
from sessionlens.shell.command import CHANGES

if TYPE_CHECKING:
    from sessionlens.graph.session_graph import SessionGraph

_BACK = 200
"""Operations and checks before an answer that it may speak of."""
_SUCCESS = ("claims_success", "claims_check")
_APART = lazy(
    r"(?<!\w)(?:attempted|apart\s+from|aside\s+from|except(?:\s+for)?|other\s+than|abgesehen\s+von|bis\s+auf|außer|versuchten?|à\s+part|hormis|sauf|aparte\s+de|salvo|excepto|intentad[oa]|a\s+parte|tranne|tentat[oa]|exceto|tentad[oa]|behalve|afgezien\s+van|oprócz|poza|кроме|за\s+исключением|крім|окрім)(?!\w)[^,;.!?\n]{0,80}|除了?[^，。；\n]{0,40}",
    re.IGNORECASE,
)
"""What a statement leaves aside, or calls tried and no more."""


class Answered(NamedTuple):
    """A sentence that states success, and what the log holds against it."""

    act: Act
    """The words."""
    sentence: str
    """The sentence."""
    about: Ran
    """The operation that is still open, or the check that found its target bad."""
    named: bool
    """Whether the sentence names it."""
    against: Ran | None
    """The check that found it bad; ``None`` where it is only open."""


class _Open(NamedTuple):
    """An operation of an earlier turn that is open still."""

    event: Ran
    names: frozenset[str]


class Answers:
    """Answers of one session. What was done again and where the person brought news is found out once, not at each answer."""

    def __init__(self, graph: SessionGraph) -> None:
        """Take the session."""
        self._graph = graph
        self._again: dict[int, int | None] = {}
        """Position of the first change of the same target after an operation, by the position of its own."""

    def of(self, said: Said) -> Iterator[Answered]:
        """The sentences of an answer that claim what an earlier turn left open, or last saw bad.

        Silent where the person brought news of it since, or pasted some.
        """
        graph = self._graph
        asked = graph.before(said).last(human)
        if not isinstance(asked, Said) or said.depth > 0:
            return
        asks = any(act.act == "asks_state" for act in graph.reading(asked).acts())
        still_open = self._still_open(said, asked)
        bad = list(_last_seen_bad(graph, asked)) if asks else []
        if not still_open and not bad:
            return
        for sentence in graph.reading(said).sentences:
            act = next(
                (act for act in sentence.acts if act.act in (_SUCCESS if asks else _SUCCESS[:1])), None
            )
            if act is None:
                continue

            # "a3 is as it was, apart from the attempted reload"
            claimed = _APART.sub(" ", sentence.text)

            def of_a_file(one: _Open, text: str = sentence.text) -> bool:
                return of_a_text(graph, text, one.event, said.seq)

            operation = next(
                (one for one in still_open if mentioned(claimed, one.names) and not of_a_file(one)),
                None,
            )
            named = operation is not None
            if (
                operation is None
                and asks
                and len(still_open) == 1
                and not of_a_file(still_open[0])
                and _no_other(graph, sentence.text, asked, still_open[0])
            ):
                operation = still_open[0]
            if operation is not None:
                # Where nobody asked, a name alone may stand for anything that is said of the thing.
                told = asks or of_kind(sentence.text, operation.event)
                if told and not self._news(operation.event, said):
                    yield Answered(act, sentence.text, operation.event, named, None)
                continue
            check = next((ran for ran in bad if graph.mentioned(sentence.text, ran.command.target)), None)
            if check is not None and not self._news(check, said):
                yield Answered(act, sentence.text, check, True, check)

    def _still_open(self, said: Said, asked: Said) -> list[_Open]:
        """What earlier turns left open and nothing has told of when something is said, the latest first."""
        graph = self._graph
        found = []
        for operation in reversed(graph.ledger[-_BACK:]):
            event = operation.event
            if not isinstance(event, Ran) or event.depth > 0 or event.seq > asked.seq:
                continue
            changes = event.command.effect in CHANGES and event.command.effect != "edit"
            if not changes or (operation.closing is not None and operation.closing.seq < said.seq):
                continue
            if event.seq not in self._again:
                later = graph.after(event.call).first(change(operation.target))
                self._again[event.seq] = None if later is None else later.seq
            # What was changed again since is another operation.
            again = self._again[event.seq]
            if again is None or again >= said.seq:
                found.append(_Open(event, graph.names_of(operation.target)))
        return found

    def _news(self, since: Event, said: Said) -> bool:
        """Whether the person told of success, or pasted something, between an event and what is said."""
        at = bisect_right(self._brought, since.seq)
        return at < len(self._brought) and self._brought[at] < said.seq

    @cached_property
    def _brought(self) -> list[int]:
        """Positions of the person's messages that bring news, in order."""
        graph = self._graph
        return [seq for seq in graph.index("human") if _brings_news(graph, graph.events[seq])]


def _no_other(graph: SessionGraph, sentence: str, asked: Said, operation: _Open) -> bool:
    """Whether an answer without a name can be one to a question about the one open operation: neither names another."""
    others = graph.names_in_use - operation.names
    return of_kind(sentence, operation.event) or not (
        mentioned(sentence, others) or mentioned(graph.prose(asked), others)
    )


def _last_seen_bad(graph: SessionGraph, asked: Said) -> Iterator[Ran]:
    """Checks of earlier turns that found their target bad, with nothing looked at or changed on it since."""
    checks = graph.index("check")
    at = bisect_left(checks, asked.seq)
    seen = set()
    for seq in reversed(checks[max(0, at - _BACK) : at]):
        ran = graph.events[seq]
        if not isinstance(ran, Ran) or ran.depth > 0 or ran.command.target in seen:
            continue
        seen.add(ran.command.target)
        bad = ran.outcome.state == "bad" and ran.command.check_strength in ("exercise", "state")
        if bad and graph.between(ran, asked).first(change(ran.command.target)) is None:
            yield ran


def _brings_news(graph: SessionGraph, event: Event) -> bool:
    """Whether a message of the person tells of success, or holds what they may have seen."""
    if not isinstance(event, Said):
        return False
    prose = graph.prose(event)
    files = any(isinstance(part, File) for part in event.message.parts)
    if files or "```" in prose or len(prose.splitlines()) > _PASTED:
        return True
    return any(act.act == "claims_success" for act in language.read(prose).acts())


_PASTED = 6
"""Lines from which on a message of the person may hold what they saw."""
