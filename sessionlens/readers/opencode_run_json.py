"""Reader ``opencode-run-json``: what ``opencode run --format json`` prints, one event a line.

``{type, timestamp, sessionID, part | error}`` with types ``step_start``, ``text``, ``reasoning``, ``tool_use``
(only once a call has ended), ``step_finish``, ``error`` (opencode-formats §7, client 1.18.33). The prompt is not
in it, nor a call that was still running when the process was killed.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from sessionlens.cache import lazy
from sessionlens.model import Gap, Origin, Session
from sessionlens.readers.base import ReadError
from sessionlens.readers.jsonl import torn
from sessionlens.readers.opencode import Raw, RawMessage, assemble, clean, moment
from sessionlens.readers.source import Source
from sessionlens.readers.text_log import Page

_TYPES = frozenset({"step_start", "text", "reasoning", "tool_use", "step_finish", "error"})
_EVENT = lazy(
    rb'(?m)^\s*\{"type":\s*"(?:step_start|text|reasoning|tool_use|step_finish|error)",\s*"timestamp":\s*\d+,\s*'
    rb'"sessionID":\s*"ses_'
)


class _Event(msgspec.Struct):
    type: Any = None
    timestamp: Any = None
    sessionID: Any = None
    part: msgspec.Raw = msgspec.Raw()
    error: msgspec.Raw = msgspec.Raw()


class _Part(msgspec.Struct):
    messageID: Any = None
    tokens: Any = None


class OpencodeRunJson:
    """Reads the events of ``opencode run --format json``."""

    name = "opencode-run-json"

    def recognises(self, source: Source) -> str | None:
        """``None`` when a line of the first bytes is such an event, whatever the shell printed before it."""
        if source.folder:
            return "a folder, not a file"
        if _EVENT.search(source.head(1 << 16)) is None:
            return (
                'no line `{"type": "step_start" …, "timestamp": …, "sessionID": "ses_…"` in its first 64 KB'
            )
        return None

    def read(self, source: Source) -> Iterator[Session]:
        """One session for each id, in the order of their first events.

        Raises :class:`ReadError` when no line is an event.
        """
        try:
            sessions = _Reading(Page(source)).sessions()
        finally:
            source.release()
        yield from sessions


class _Message:
    """What came of one message."""

    def __init__(self, id: str | None, session: str, created: int | None, origin: Origin) -> None:
        self.id, self.session, self.origin = id, session, origin
        self.created = created
        self.completed: int | None = None
        self.parts: list[Raw] = []
        self.tokens: Any = None
        self.error: msgspec.Raw | None = None

    def raw(self) -> RawMessage:
        times = {"created": self.created, "completed": self.completed}
        info: dict[str, Any] = {"sessionID": self.session, "role": "assistant", "tokens": self.tokens}
        info["time"] = {key: value for key, value in times.items() if value is not None}
        if self.id is not None:
            info["id"] = self.id
        if self.error is not None:
            info["error"] = self.error
        data = Raw(data=msgspec.json.encode(info), origin=self.origin)
        return RawMessage(info=data, parts=tuple(self.parts), origin=self.origin)


class _Session:
    """What came of one session."""

    def __init__(self) -> None:
        self.messages: list[_Message] = []
        self.by_id: dict[str, _Message] = {}
        self.gaps: list[Gap] = []


class _Reading:
    """One pass over one file."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.found: dict[str, _Session] = {}
        self.loose: list[Gap] = list(page.undecodable())
        self.stray: tuple[int, int] | None = None
        self.truncated = False

    def sessions(self) -> list[Session]:
        page = self.page
        for begin, end in page.each_line():
            event = _decode(page.bytes(begin, end), _Event)
            if event is None or not isinstance(event.sessionID, str) or event.type not in _TYPES:
                self._no_event(begin, end, event)
                continue
            self._told()
            self._take(event, begin, end)
        self._told()
        if not self.found:
            raise ReadError(page.source.name, "none of its lines is an event of `opencode run --format json`")
        sessions = []
        for number, (identifier, session) in enumerate(self.found.items()):
            reason = "`opencode run --format json` does not record what the person asked"
            gaps = [Gap(reason=reason, origin=session.messages[0].origin), *session.gaps]
            sessions.append(
                assemble(
                    Raw(data=msgspec.json.encode({"id": identifier})),
                    [message.raw() for message in session.messages],
                    source_format=OpencodeRunJson.name,
                    fallback_id=identifier or Path(page.source.name).stem,
                    gaps=[*(self.loose if number == 0 else ()), *gaps],
                    truncated=self.truncated and number == len(self.found) - 1,
                )
            )
        return sessions

    def _no_event(self, begin: int, end: int, event: _Event | None) -> None:
        if event is not None and isinstance(event.type, str) and isinstance(event.sessionID, str):
            self._told()
            reason = f"an event of a kind that is not known here ({event.type[:60]})"
            self.loose.append(Gap(reason=reason, origin=self.page.origin(begin, end)))
            return
        if event is None and end >= self.page.end and self.page.bytes(begin, end).lstrip().startswith(b"{"):
            self.truncated = True
            reason = "the file stops within its last event"
            self.loose.append(Gap(reason=reason, origin=self.page.origin(begin, end)))
            return
        last = next(reversed(self.found.values()), None)
        if last is not None and last.messages and torn(data := self.page.bytes(begin, end)):
            # What is left of an event: what it said may have belonged to the message that is being written.
            self._told()
            last.messages[-1].parts.append(Raw(data=data, origin=self.page.origin(begin, end)))
            return
        self.stray = (self.stray[0] if self.stray is not None else begin, end)

    def _told(self) -> None:
        """Tell lines that are no events: standard error that was merged in, a shell's prompt."""
        if self.stray is not None:
            begin, end = self.stray
            shown = self.page.decode(begin, min(end, begin + 200), "ansi").split("\n")[0].strip()
            if shown:
                reason = f"{end - begin} bytes that are no event: {shown[:120]}"
                self.loose.append(Gap(reason=reason, origin=self.page.origin(begin, end)))
            self.stray = None

    def _take(self, event: _Event, begin: int, end: int) -> None:
        at = event.timestamp if isinstance(event.timestamp, int) else None
        session = self.found.setdefault(event.sessionID, _Session())
        if event.type == "error":
            last = session.messages[-1] if session.messages else None
            if last is None or last.completed is not None or last.error is not None:
                last = _Message(None, event.sessionID, at, self.page.origin(begin, end))
                session.messages.append(last)
            last.error = event.error
            return
        part = _decode(event.part, _Part) or _Part()
        message = self._message(session, event, part, at, self.page.origin(begin, end))
        data = bytes(event.part)
        offset = self.page.view.find(data, begin, end) if data else -1
        place = self.page.origin(offset, offset + len(data)) if offset >= 0 else self.page.origin(begin, end)
        fetch = partial(self.page.source.read, offset, len(data)) if offset >= 0 else None
        message.parts.append(Raw(data=data, origin=place, fetch=fetch))
        if event.type == "step_finish":
            message.completed, message.tokens = at, part.tokens

    def _message(
        self, session: _Session, event: _Event, part: _Part, at: int | None, origin: Origin
    ) -> _Message:
        identifier = part.messageID if isinstance(part.messageID, str) else None
        if identifier is not None and identifier in session.by_id:
            return session.by_id[identifier]
        if identifier is None and session.messages and event.type != "step_start":
            return session.messages[-1]
        made = moment(identifier, at)
        message = _Message(identifier, event.sessionID, made if made is not None else at, origin)
        session.messages.append(message)
        if identifier is not None:
            session.by_id[identifier] = message
        return message


def _decode(data: bytes | msgspec.Raw, kind: type[Any]) -> Any:
    """The object, leniently; ``None`` when it is none."""
    if not memoryview(data):
        return None
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass
    try:
        return msgspec.json.decode(clean(bytes(data)), type=kind)
    except (ValueError, RecursionError):
        return None
