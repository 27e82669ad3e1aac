"""Turns that end in silence after a cut-off call, and what the log shows of the emptiness (CONTRACT §5)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile
from typing import TYPE_CHECKING, Literal

import msgspec

from sessionlens.graph.events import Called, Said, Turn
from sessionlens.language.acts import ACKNOWLEDGING
from sessionlens.model import Call, Reasoning, Session

if TYPE_CHECKING:
    from sessionlens.graph.session_graph import SessionGraph

Cause = Literal[
    "model_returned_nothing", "reasoning_only", "generation_incomplete", "provider_error",
    "stream_ended_unknown", "user_interrupt", "no_message", "log_ends", "not_recorded",
]  # fmt: skip


_FINISHED = frozenset(
    {"stop", "tool-calls", "length", "end_turn", "tool_use", "max_tokens", "stop_sequence", "pause_turn",
     "tool_calls", "STOP", "MAX_TOKENS"}
)  # fmt: skip
"""Words of clients and providers for a generation that came to its end."""
_REFUSED = frozenset({"error", "content-filter", "content_filter", "refusal", "SAFETY"})
"""Words for one that the provider ended."""


class Silence(msgspec.Struct, frozen=True, kw_only=True):
    """A turn whose last message after a cut-off call is empty, or that ends on that call without a message."""

    turn: Turn
    """The turn."""
    cut: Called
    """The last call of the turn that a time limit ended."""
    empty: tuple[Said, ...]
    """The empty messages that end the turn, in order; none when it ends on the call."""
    calls_between: int
    """Calls between the cut-off one and those."""
    settled: Called | None
    """The call between them that looked at what the cut-off one acts on, or ran it again to its end; the last of the turn."""
    cause: Cause
    """What the log shows of the emptiness."""
    role_known: bool
    """Whether the log names the role of the last message."""

    @property
    def at(self) -> Said | Called:
        """The empty message that stands last, or the call."""
        return self.empty[-1] if self.empty else self.cut


def silences(graph: SessionGraph) -> Iterator[Silence]:
    """Every turn that ends in silence after its last cut-off call, and said nothing of that since."""
    sessions = {session.id: session for session in graph.session.family()}
    for turn in graph.turns:
        cut = next((call for call in reversed(turn.calls) if call.cut_off is not None), None)
        if cut is None:
            continue
        later = [
            said
            for said in turn.messages
            if said.role == "assistant" and said.seq > cut.seq and not said.message.summary
        ]
        if _told(graph, turn, cut):
            continue
        between = [call for call in turn.calls if call.seq > cut.seq]
        empty = list(takewhile(lambda said: said.message.empty, reversed(later)))[::-1]
        if (later or between) and not empty:
            # The last message says or does something, or the turn ends on another call.
            continue
        settling = next((call for call in between if _settles(graph, cut, call)), None)
        if settling is not None and settling is not between[-1]:
            # The time-out is past: the turn went on to something else.
            continue
        yield Silence(
            turn=turn,
            cut=cut,
            empty=tuple(empty),
            calls_between=len(between),
            settled=settling,
            cause=_cause(graph, turn, empty, sessions[turn.session]),
            role_known=empty[-1].role_known if empty else True,
        )


_ANNOUNCING = frozenset({"promises_check", "proposes_waiting"})
"""Acts that say what comes next, and nothing of what was."""


def _told(graph: SessionGraph, turn: Turn, cut: Called) -> bool:
    """Whether prose after a cut-off call is an answer, or tells of it amid the work.

    Words beside a call, or before another one, that only announce it (``Let me look.``) are neither.
    """
    last = turn.calls[-1]
    for said in graph.told_in(turn):
        if said.seq < cut.seq or said.message.summary or all(part.text.blank() for part in said.texts):
            continue
        acts = {act.act for act in graph.reading(said).acts()}
        if not acts.isdisjoint(ACKNOWLEDGING - _ANNOUNCING):
            return True
        beside = any(isinstance(part, Call) for part in said.message.parts)
        announces = beside or (bool(acts) and acts <= _ANNOUNCING)
        if said.seq > last.seq or not announces:
            return True
    return False


def _settles(graph: SessionGraph, cut: Called, call: Called) -> bool:
    """Whether a call after a cut-off one runs the same line to its end, or looks at what that acts on."""
    if call.unfinished:
        return False
    if call.line is not None and call.line == cut.line:
        return True
    targets = [ran.command.target for ran in graph.commands(cut)]
    return any(
        ran.check and graph.match(ran, target) is not None
        for ran in graph.commands(call)
        for target in targets
    )


def _cause(graph: SessionGraph, turn: Turn, later: list[Said], session: Session) -> Cause:
    if turn.interrupted:
        return "user_interrupt"
    if not later:
        return "log_ends" if _at_the_end(graph, turn, session) else "no_message"
    message = later[-1].message
    if message.error is not None:
        return "provider_error"
    if message.finish is None:
        if session.truncated and message.index == session.messages[-1].index:
            return "log_ends"
        if message.tokens_out != 0 and not _records_finish(session):
            return "reasoning_only" if _thought(later[-1]) else "not_recorded"
        return "generation_incomplete"
    if message.finish in _FINISHED:
        return "reasoning_only" if _thought(later[-1]) else "model_returned_nothing"
    return "provider_error" if message.finish in _REFUSED else "stream_ended_unknown"


def _at_the_end(graph: SessionGraph, turn: Turn, session: Session) -> bool:
    """Whether nothing of the session follows the turn."""
    return turn.next_human is None and turn.messages[-1].message.index == session.messages[-1].index


def _thought(said: Said) -> bool:
    return any(isinstance(part, Reasoning) and not part.text.blank() for part in said.message.parts)


def _records_finish(session: Session) -> bool:
    """Whether the log says of its assistant messages how their generation ended."""
    return any(message.finish is not None for message in session.messages if message.role == "assistant")
