"""Turns that end in silence after a cut-off call, and what the log shows of the emptiness (CONTRACT §5)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

import msgspec

from sessionlens.graph.events import Called, Said, Turn
from sessionlens.model import Reasoning, Session

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
    """A cut-off call after which its turn holds nothing but empty messages, or no message at all."""

    turn: Turn
    """The turn."""
    cut: Called
    """The last call of the turn that a time limit ended."""
    empty: tuple[Said, ...]
    """The empty messages after it, in order; none when the turn ends on the call."""
    cause: Cause
    """What the log shows of the emptiness."""
    role_known: bool
    """Whether the log names the role of the last message."""

    @property
    def at(self) -> Said | Called:
        """The empty message that stands last, or the call."""
        return self.empty[-1] if self.empty else self.cut


def silences(graph: SessionGraph) -> Iterator[Silence]:
    """Every turn that says and does nothing after its last cut-off call."""
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
        if any(seq > cut.seq for seq in turn.prose_after) or any(not said.message.empty for said in later):
            continue
        yield Silence(
            turn=turn,
            cut=cut,
            empty=tuple(later),
            cause=_cause(graph, turn, later, sessions[turn.session]),
            role_known=later[-1].role_known if later else True,
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
