"""Reader ``opencode-events``: the event stream of an opencode server, one event a line.

``{id?, type, properties}`` as ``GET /event`` sends it (with or without ``data:`` before it), wrapped as
``{directory, payload}`` by ``GET /global/event``, or as ``{at, ev}`` by a recorder (opencode-formats §8). The
last state of every message and part counts; text that came in pieces is put together. Events ``session.next.*`` tell
of messages of the second generation (:mod:`sessionlens.readers.opencode_v2_events`); ``/api/event`` sends them with
``data`` in the place of ``properties``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

import msgspec

from sessionlens.cache import lazy
from sessionlens.model import Gap, Origin, Session
from sessionlens.readers.base import ReadError
from sessionlens.readers.jsonl import torn
from sessionlens.readers.opencode import Raw, RawMessage, assemble, clean, reverted_from
from sessionlens.readers.opencode_v2 import with_records
from sessionlens.readers.opencode_v2_events import PREFIX, Fold
from sessionlens.readers.source import Source
from sessionlens.readers.text_log import Page

_LINE = lazy(
    rb'(?m)^(?:data:[ \t]*)?\{\s*(?:"at"\s*:\s*[^,{\n]{1,40},\s*"ev"\s*:\s*\{\s*'
    rb'|"directory"\s*:\s*"[^"\n]{0,500}"\s*,\s*(?:"project"\s*:\s*"[^"\n]{0,200}"\s*,\s*)?"payload"\s*:\s*\{\s*)?'
    rb'(?:"id"\s*:\s*"[^"\n]{1,60}"\s*,\s*)?"type"\s*:\s*"(?:session\.next\.[a-z0-9._-]+"\s*,\s*"(?:data|properties|durable|location)'
    rb"|(?:server|session|message|permission|question|todo|file|storage|plugin|catalog|project|installation|lsp|vcs)"
    rb'\.[a-z0-9._-]+"\s*,\s*"(?:properties|durable|location))"\s*:'
)
_SILENT = frozenset({
    "server.connected", "server.heartbeat", "server.instance.disposed", "global.disposed", "session.idle", "session.diff",
    "session.status", "session.compacted", "todo.updated", "file.edited", "file.watcher.updated", "plugin.added",
    "catalog.updated", "reference.updated", "integration.updated", "permission.asked", "permission.updated",
    "question.asked", "command.executed", "vcs.branch.updated", "project.updated", "installation.updated",
    "installation.update-available", "lsp.updated", "lsp.client.diagnostics", "storage.write", "mcp.tools.changed",
    "ide.installed", "tui.toast.show", "permission.v2.asked", "question.v2.asked",
})  # fmt: skip
"""Events that hold nothing of the conversation, or nothing that messages do not hold as well."""
_ANSWERED = frozenset({
    "permission.replied", "permission.v2.replied", "question.replied", "question.rejected", "question.v2.replied",
    "question.v2.rejected",
})  # fmt: skip
"""Events in which the person answers a request of the client."""
_REASON = 200


class _Wrapped(msgspec.Struct):
    ev: msgspec.Raw = msgspec.Raw()
    payload: msgspec.Raw = msgspec.Raw()
    type: Any = None
    properties: msgspec.Raw = msgspec.Raw()
    data: msgspec.Raw = msgspec.Raw()


class _Properties(msgspec.Struct):
    sessionID: Any = None
    messageID: Any = None
    partID: Any = None
    field: Any = None
    delta: Any = None
    info: msgspec.Raw = msgspec.Raw()
    part: msgspec.Raw = msgspec.Raw()
    status: Any = None
    error: Any = None
    reply: Any = None
    response: Any = None


class _Ids(msgspec.Struct):
    id: Any = None
    sessionID: Any = None
    messageID: Any = None


class OpencodeEvents:
    """Reads recorded event streams of opencode servers."""

    name = "opencode-events"

    def recognises(self, source: Source) -> str | None:
        """``None`` when one of the first lines is an event of the server's bus."""
        if source.folder:
            return "a folder, not a file"
        if _LINE.search(source.head(1 << 16)) is None:
            return 'no line `{"type": "session.…" or "message.…", "properties": …}` in its first 64 KB'
        return None

    def read(self, source: Source) -> Iterator[Session]:
        """Every session the events tell of, in the order of their first events.

        Raises :class:`ReadError` when they tell of none.
        """
        try:
            sessions = _Reading(Page(source)).sessions()
        finally:
            source.release()
        yield from sessions


class _Live:
    """The last known state of one session."""

    def __init__(self, origin: Origin) -> None:
        self.origin = origin
        self.info: Raw | None = None
        self.created = False
        self.messages: dict[str, Raw | None] = {}
        self.parts: dict[str, dict[str, Raw]] = {}
        self.deltas: dict[tuple[str, str], dict[str, list[str]]] = {}
        self.second = Fold()
        """Its messages of the second generation."""
        self.errors: list[Gap] = []
        self.gaps: list[Gap] = []


class _Reading:
    """One pass over one file."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.live: dict[str, _Live] = {}
        self.loose: list[Gap] = list(page.undecodable())
        self.unknown: dict[str, tuple[int, Origin]] = {}
        self.unreadable: tuple[int, Origin] | None = None
        self.truncated = False
        self.last: str | None = None

    def sessions(self) -> list[Session]:
        page = self.page
        for begin, end in page.each_line():
            line = page.bytes(begin, end)
            event = _event(line)
            if event is None:
                self._no_event(line, begin, end)
            else:
                self._take(event, begin, end)
        result: list[Session] = []
        for identifier, live in self.live.items():
            if live.messages or live.second:
                result.append(self._session(identifier, live, first=not result))
        if not result:
            raise ReadError(page.source.name, "its events tell of no message of any session")
        return result

    def _session(self, identifier: str, live: _Live, *, first: bool) -> Session:
        gaps = list(live.gaps)
        if not live.created:
            reason = "the events begin in mid-session: messages that did not change since are missing"
            gaps.insert(0, Gap(reason=reason, origin=live.origin))
        messages = []
        for message, info in live.messages.items():
            stored = info
            if stored is None:
                known = msgspec.json.encode({"id": message, "sessionID": identifier})
                origin = next((part.origin for part in live.parts.get(message, {}).values()), live.origin)
                stored = Raw(data=known, origin=origin)
                gaps.append(Gap(reason="no event tells who wrote this message", origin=origin))
            parts = tuple(
                _with_deltas(part, live.deltas.get((message, part_id)))
                for part_id, part in live.parts.get(message, {}).items()
            )
            messages.append(RawMessage(info=stored, parts=parts, origin=stored.origin))
        if not any(info is not None and b'"error"' in bytes(info.data) for info in live.messages.values()):
            gaps += live.errors
        if first:
            gaps += self._told()
        truncated = self.truncated and identifier == self.last
        records = live.second.records()
        gaps += live.second.gaps
        session = assemble(
            live.info or Raw(data=msgspec.json.encode({"id": identifier})),
            messages,
            source_format=OpencodeEvents.name,
            fallback_id=identifier,
            sorted_parts=False,
            gaps=gaps,
            truncated=truncated,
        )
        reverted = live.second.reverted_from or (reverted_from(live.info.data) if live.info else None)
        return with_records(session, records, reverted_from=reverted)

    def _told(self) -> list[Gap]:
        """What was passed over in the file, once for each kind."""
        gaps = list(self.loose)
        for kind, (count, origin) in self.unknown.items():
            gaps.append(
                Gap(reason=f"{count} events of a kind that is not known here ({kind})", origin=origin)
            )
        if self.unreadable is not None:
            count, origin = self.unreadable
            gaps.append(Gap(reason=f"lines that are no events: {count}", origin=origin))
        return gaps

    def _no_event(self, line: bytes, begin: int, end: int) -> None:
        if re.match(rb"(?:event|id|retry):|:", line.lstrip()):
            return
        if end >= self.page.end and line.lstrip().startswith((b"{", b"data:")):
            self.truncated = True
            reason = "the file stops within its last event"
            self.loose.append(Gap(reason=reason, origin=self.page.origin(begin, end)))
            return
        live = self.live.get(self.last) if self.last is not None else None
        message = next(reversed(live.messages), None) if live is not None else None
        if live is not None and message is not None and torn(line):
            # What is left of an event: what it said may have belonged to the message that is being written.
            lost = Raw(data=line, origin=self.page.origin(begin, end))
            live.parts.setdefault(message, {})[f"\0{begin}"] = lost
            return
        count, origin = self.unreadable or (0, self.page.origin(begin, end))
        self.unreadable = (count + 1, origin)

    def _raw(self, data: msgspec.Raw, begin: int, end: int) -> Raw:
        """A piece of a line with its place; read again from there when a text of it is long."""
        piece = bytes(data)
        offset = self.page.view.find(piece, begin, end)
        if offset < 0:
            return Raw(data=piece, origin=self.page.origin(begin, end))
        origin = self.page.origin(offset, offset + len(piece))
        return Raw(data=piece, origin=origin, fetch=partial(self.page.source.read, offset, len(piece)))

    def _take(self, event: _Wrapped, begin: int, end: int) -> None:
        kind = event.type
        if not memoryview(event.properties):
            event.properties = event.data
        told: _Properties = _decode(event.properties, _Properties) or _Properties()
        ids: _Ids = _decode(told.part, _Ids) or _decode(told.info, _Ids) or _Ids()
        about_session = kind in ("session.created", "session.updated", "session.deleted")
        session = _first(told.sessionID, ids.id if about_session else ids.sessionID)
        if session is None:
            if kind not in _SILENT:
                self._unknown(kind, begin, end)
            return
        live = self.live.get(session)
        if live is None:
            live = self.live[session] = _Live(self.page.origin(begin, end))
        self.last = session
        if kind.startswith(PREFIX):
            data = _decode(event.properties, dict[str, Any])
            if not live.second.take(kind.removeprefix(PREFIX), data, self.page.origin(begin, end)):
                self._unknown(kind, begin, end)
        elif about_session:
            live.created = live.created or kind == "session.created"
            if memoryview(told.info):
                live.info = self._raw(told.info, begin, end)
            if kind == "session.deleted":
                live.gaps.append(Gap(reason="the session was deleted", origin=self.page.origin(begin, end)))
        elif kind == "message.updated" and isinstance(ids.id, str):
            live.messages[ids.id] = self._raw(told.info, begin, end)
        elif kind == "message.part.updated" and isinstance(ids.messageID, str) and isinstance(ids.id, str):
            live.messages.setdefault(ids.messageID, None)
            live.parts.setdefault(ids.messageID, {})[ids.id] = self._raw(told.part, begin, end)
            live.deltas.pop((ids.messageID, ids.id), None)
        elif kind == "message.part.delta" and isinstance(told.delta, str) and isinstance(told.field, str):
            pieces = live.deltas.setdefault((str(told.messageID), str(told.partID)), {})
            pieces.setdefault(told.field, []).append(told.delta)
        elif kind in ("message.removed", "message.part.removed"):
            self._removed(live, kind, told, begin, end)
        else:
            self._beside(live, kind, told, begin, end)

    def _removed(self, live: _Live, kind: str, told: _Properties, begin: int, end: int) -> None:
        message = str(told.messageID)
        if kind == "message.removed":
            if message in live.messages:
                del live.messages[message]
                live.parts.pop(message, None)
                reason = f"a message was removed from the session ({message[:60]})"
                live.gaps.append(Gap(reason=reason, origin=self.page.origin(begin, end)))
        else:
            live.parts.get(message, {}).pop(str(told.partID), None)

    def _beside(self, live: _Live, kind: str, told: _Properties, begin: int, end: int) -> None:
        """What messages do not hold: retries, errors without a message, answers of the person."""
        origin = self.page.origin(begin, end)
        if kind == "session.status" and isinstance(told.status, dict) and told.status.get("type") == "retry":
            attempt, why = told.status.get("attempt"), str(told.status.get("message"))[:_REASON]
            reason = f"the request failed and the client tried again (attempt {attempt}): {why}"
            live.gaps.append(Gap(reason=reason, origin=origin))
        elif kind == "session.error":
            error = told.error if isinstance(told.error, dict) else {}
            data = error.get("data")
            told_why = data.get("message") if isinstance(data, dict) else ""
            reason = f"the client reported an error: {error.get('name')} {told_why or ''}".strip()[:_REASON]
            live.errors.append(Gap(reason=reason, origin=origin))
        elif kind in _ANSWERED:
            what = told.reply if told.reply is not None else told.response
            answer = f" with `{str(what)[:60]}`" if isinstance(what, str) else ""
            asked = "permission" if kind.startswith("permission") else "question"
            done = "dismissed" if kind.endswith("rejected") else "answered"
            reason = f"a request ({asked}) of the client was {done}{answer} by the person"
            live.gaps.append(Gap(reason=reason, origin=origin))
        elif kind not in _SILENT:
            self._unknown(kind, begin, end)

    def _unknown(self, kind: str, begin: int, end: int) -> None:
        count, origin = self.unknown.get(kind[:60], (0, self.page.origin(begin, end)))
        self.unknown[kind[:60]] = (count + 1, origin)


def _first(*values: Any) -> str | None:
    return next((value for value in values if isinstance(value, str) and value), None)


def _event(line: bytes) -> _Wrapped | None:
    """The event of a line, taken out of what it is wrapped in."""
    event: _Wrapped | None = _decode(line.strip().removeprefix(b"data:"), _Wrapped)
    if event is not None and not isinstance(event.type, str):
        event = _decode(event.ev, _Wrapped) or _decode(event.payload, _Wrapped)
    return event if event is not None and isinstance(event.type, str) else None


def _with_deltas(part: Raw, deltas: dict[str, list[str]] | None) -> Raw:
    """The part with the pieces of text that came after its last full state: the stream was cut off."""
    value = _decode(bytes(part.data), dict[str, Any]) if deltas else None
    if deltas is None or value is None:
        return part
    for field, pieces in deltas.items():
        before = value.get(field)
        value[field] = (before if isinstance(before, str) else "") + "".join(pieces)
    return Raw(data=msgspec.json.encode(value), origin=part.origin, id=part.id, created=part.created)


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
