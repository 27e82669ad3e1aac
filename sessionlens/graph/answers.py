"""Answers about a state that the assistant gives without a look in that turn.

The ledger outlives its turn: a restart that was cut off is still open when the person asks whether it is up, and a
check that found a thing bad is still the latest evidence on it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from sessionlens import language
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


def answered(graph: SessionGraph, said: Said) -> Iterator[Answered]:
    """The sentences of an answer that claim what an earlier turn left open, or last saw bad.

    Silent where the person brought news of it since, or pasted some.
    """
    asked = graph.before(said).last(human)
    if not isinstance(asked, Said) or said.depth > 0:
        return
    asks = any(act.act == "asks_state" for act in graph.reading(asked).acts())
    still_open = _still_open(graph, said, asked)
    bad = list(_last_seen_bad(graph, asked)) if asks else []
    if not still_open and not bad:
        return
    for sentence in graph.reading(said).sentences:
        act = next((act for act in sentence.acts if act.act in (_SUCCESS if asks else _SUCCESS[:1])), None)
        if act is None:
            continue
        fitting = [one for one in still_open if not of_a_text(graph, sentence.text, one.event, said.seq)]
        operation = next((one for one in fitting if mentioned(sentence.text, one.names)), None)
        named = operation is not None
        if (
            operation is None
            and asks
            and len(still_open) == 1
            and fitting
            and _no_other(graph, sentence.text, asked, fitting[0])
        ):
            operation = fitting[0]
        if operation is not None:
            # Where nobody asked, a name alone may stand for anything that is said of the thing.
            told = asks or of_kind(sentence.text, operation.event)
            if told and not _news(graph, operation.event, said):
                yield Answered(act, sentence.text, operation.event, named, None)
            continue
        check = next((ran for ran in bad if graph.mentioned(sentence.text, ran.command.target)), None)
        if check is not None and not _news(graph, check, said):
            yield Answered(act, sentence.text, check, True, check)


def _still_open(graph: SessionGraph, said: Said, asked: Said) -> list[_Open]:
    """What earlier turns left open and nothing has told of when something is said, the latest first."""
    found = []
    for operation in reversed(graph.ledger[-_BACK:]):
        event = operation.event
        if not isinstance(event, Ran) or event.depth > 0 or event.seq > asked.seq:
            continue
        changes = event.command.effect in CHANGES and event.command.effect != "edit"
        over = operation.closing is not None and operation.closing.seq < said.seq
        # What was changed again since is another operation.
        later = graph.between(event.call, said).first(change(operation.target))
        if changes and not over and later is None:
            found.append(_Open(event, graph.names_of(operation.target)))
    return found


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


def _news(graph: SessionGraph, since: Event, said: Said) -> bool:
    """Whether the person told of success, or pasted something, between an event and what is said."""
    for event in graph.between(since, said).all(human):
        if not isinstance(event, Said):
            continue
        prose = graph.prose(event)
        files = any(isinstance(part, File) for part in event.message.parts)
        if files or "```" in prose or len(prose.splitlines()) > _PASTED:
            return True
        if any(act.act == "claims_success" for act in language.read(prose).acts()):
            return True
    return False


_PASTED = 6
"""Lines from which on a message of the person may hold what they saw."""
