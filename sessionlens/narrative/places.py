"""Names for places: how a statement points at the log, and what a page calls that place."""

from __future__ import annotations

from collections import Counter

from sessionlens.findings import Because, Place
from sessionlens.graph.events import Called, Event, Ran, Said
from sessionlens.model import Call, Message, Session
from sessionlens.narrative.views import Evidence
from sessionlens.narrative.words import excerpt

_SPOKEN = 8
"""Ids up to this length are spoken as they are; longer ones say nothing to a reader."""


class Places:
    """All messages of a session and its children by place."""

    def __init__(self, session: Session) -> None:
        """Number the family: the audited session is 0, its children follow in the order of the log."""
        self.sessions: dict[str, Session] = {}
        for member in session.family():
            self.sessions.setdefault(member.id, member)
        self._ordinals = {name: ordinal for ordinal, name in enumerate(self.sessions)}
        self.root = session
        self._repeated = {
            name: {one for one, times in Counter(m.id for m in member.messages).items() if times > 1}
            for name, member in self.sessions.items()
        }
        """Ids that several messages of one session have: they name none of them."""

    def message(self, session: str, index: int) -> Message | None:
        """The message at a place; ``None`` where a finding names one that is not there."""
        member = self.sessions.get(session)
        if member is None or not 0 <= index < len(member.messages):
            return None
        return member.messages[index]

    def anchor(self, session: str, index: int) -> str | None:
        """The name of a message within one page: made of ordinals only, never of the log's text."""
        if self.message(session, index) is None:
            return None
        ordinal = self._ordinals[session]
        return f"m{index}" if ordinal == 0 else f"s{ordinal}m{index}"

    def label(self, session: str, index: int) -> str:
        """How a message is spoken of: its id where it is short and its own, else its position."""
        message = self.message(session, index)
        named = message.id if message is not None else None
        short = named is not None and 0 < len(named) <= _SPOKEN and named not in self._repeated[session]
        spoken = named if named is not None and short else f"#{index}"
        ordinal = self._ordinals.get(session, 0)
        return spoken if ordinal == 0 else f"{spoken} of child {ordinal}"

    def of(self, where: Place | Because | Event, quote: str = "", note: str = "") -> Evidence:
        """A place as evidence. ``quote`` must be exact; it is shortened here."""
        at = where.at if isinstance(where, (Said, Called, Ran)) else where
        if isinstance(at, Because):
            quote, note = quote or at.quote, note or at.note
        piece, cut = excerpt(quote) if quote else ("", (False, False))
        return Evidence(
            session=at.session,
            message_id=at.message_id,
            message_index=at.message_index,
            call_id=at.call_id,
            line=at.line,
            label=self.label(at.session, at.message_index),
            anchor=self.anchor(at.session, at.message_index),
            quote=piece,
            cut=cut,
            note=note,
        )

    def of_message(
        self, session: Session, message: Message, quote: str = "", call: Call | None = None, note: str = ""
    ) -> Evidence:
        """A message, or a call in it, as evidence."""
        origin = call.origin if call is not None and call.origin.line is not None else message.origin
        return self.of(
            Place(
                session=session.id,
                message_id=message.id,
                message_index=message.index,
                call_id=call.id if call is not None else None,
                line=origin.line,
            ),
            quote,
            note,
        )

    def outside(self, session: Session, line: int | None, note: str = "") -> Evidence:
        """A place of the log outside any message."""
        return Evidence(session=session.id, line=line, label="the log", note=note)
