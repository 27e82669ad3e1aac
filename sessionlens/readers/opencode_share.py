"""Reader ``opencode-share``: the data of a shared session of opencode.

A flat list of ``{"type": "session" | "message" | "part" | "session_diff" | "model", "data": …}``, as the share
service returns it (opencode-formats §7; read in the client's source, no real file was at hand), or the same
objects one a line. Parts belong to the message that they name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from sessionlens.cache import lazy
from sessionlens.model import Gap, Origin, Session
from sessionlens.readers.base import ReadError
from sessionlens.readers.opencode import Raw, RawMessage, assemble, clean
from sessionlens.readers.source import Source
from sessionlens.readers.text_log import Page

_KINDS = rb"(?:session|message|part|session_diff|model)"
_HEAD = lazy(
    rb'\s*(?:\[\s*)?\{\s*(?:"type"\s*:\s*"'
    + _KINDS
    + rb'"\s*,\s*"data"\s*:\s*[\[{]|"data"\s*:\s*\{\s*"(?:id|info)")'
)
_TYPED = lazy(rb'"type"\s*:\s*"' + _KINDS + rb'"\s*[,}]')
_TOKEN = lazy(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[\[\]{}]|"', re.DOTALL)
_BETWEEN = lazy(rb"[\s,\[\]\x00]*+")


class _Item(msgspec.Struct):
    type: Any = None
    data: msgspec.Raw = msgspec.Raw()


class _Ids(msgspec.Struct):
    id: Any = None
    sessionID: Any = None
    messageID: Any = None


class OpencodeShare:
    """Reads the data of shared sessions."""

    name = "opencode-share"

    def recognises(self, source: Source) -> str | None:
        """``None`` for a list whose first object is ``{"type": "session" …, "data": …}`` or its like."""
        if source.folder:
            return "a folder, not a file"
        head = source.head()
        if _HEAD.match(head) is None or _TYPED.search(head) is None:
            return 'no list of {"type": "session" or "message" or "part", "data": …}'
        if not re.search(rb'"(?:ses|msg|prt)_[0-9A-Za-z]{4}', head):
            return "a list of typed data without ids of opencode (`ses_…`, `msg_…`)"
        return None

    def read(self, source: Source) -> Iterator[Session]:
        """Every session of the list. Raises :class:`ReadError` when it holds none."""
        try:
            sessions = _Reading(Page(source)).sessions()
        finally:
            source.release()
        yield from sessions


class _Shared:
    """What the list holds of one session."""

    def __init__(self) -> None:
        self.info: Raw | None = None
        self.messages: dict[str, Raw] = {}
        self.parts: dict[str, list[Raw]] = {}


class _Reading:
    """One pass over one file."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.found: dict[str, _Shared] = {}
        self.gaps: list[Gap] = list(page.undecodable())
        self.odd: dict[str, tuple[int, Origin]] = {}
        self.truncated = False

    def sessions(self) -> list[Session]:
        for begin, end in self._items():
            self._take(begin, end)
        for kind, (count, origin) in self.odd.items():
            self.gaps.append(Gap(reason=f"{kind}: {count}", origin=origin))
        sessions: list[Session] = []
        for identifier, shared in self.found.items():
            gaps = list(self.gaps) if not sessions else []
            messages = []
            for message in dict.fromkeys((*shared.messages, *shared.parts)):
                parts = tuple(shared.parts.get(message, ()))
                info = shared.messages.get(message)
                if info is None:
                    known = msgspec.json.encode({"id": message, "sessionID": identifier})
                    info = Raw(data=known, origin=parts[0].origin)
                    gaps.append(
                        Gap(reason="the list lacks the message that these parts name", origin=info.origin)
                    )
                messages.append(RawMessage(info=info, parts=parts, origin=info.origin))
            sessions.append(
                assemble(
                    shared.info,
                    messages,
                    source_format=OpencodeShare.name,
                    fallback_id=identifier or Path(self.page.source.name).stem,
                    sorted_parts=False,
                    gaps=gaps,
                    truncated=self.truncated,
                )
            )
        if not sessions:
            raise ReadError(self.page.source.name, "the shared data holds no session, message or part")
        return sessions

    def _items(self) -> Iterator[tuple[int, int]]:
        """Where the objects of the list stand, by their brackets: half a file still gives its whole objects."""
        view = self.page.view
        found = _BETWEEN.match(view, self.page.start)
        position = found.end() if found is not None else self.page.start
        while position < self.page.end:
            end = _value_end(view, position)
            if end is None:
                self.truncated = True
                reason = "the data stop within this object"
                self.gaps.append(Gap(reason=reason, origin=self.page.origin(position, self.page.end)))
                return
            yield position, end
            found = _BETWEEN.match(view, end)
            position = max(end, found.end() if found is not None else end)

    def _take(self, begin: int, end: int) -> None:
        item: _Item | None = _decode(self.page.bytes(begin, end), _Item)
        kind = item.type if item is not None else None
        if item is None or not isinstance(kind, str) or not memoryview(item.data):
            self._odd("entries that are no typed data", begin, end)
            return
        if kind in ("session_diff", "model"):
            return
        ids: _Ids | None = _decode(item.data, _Ids)
        if kind not in ("session", "message", "part") or ids is None or not isinstance(ids.id, str):
            self._odd(f"entries of a kind that is not known here ({kind[:60]})", begin, end)
            return
        session = ids.id if kind == "session" else ids.sessionID
        shared = self.found.setdefault(session if isinstance(session, str) else "", _Shared())
        raw = self._raw(item.data, begin, end)
        if kind == "session":
            shared.info = raw
        elif kind == "message":
            shared.messages[ids.id] = raw
        else:
            shared.parts.setdefault(str(ids.messageID), []).append(raw)

    def _odd(self, reason: str, begin: int, end: int) -> None:
        """Count entries that are not understood, with the place of the first."""
        count, origin = self.odd.get(reason, (0, self.page.origin(begin, end)))
        self.odd[reason] = (count + 1, origin)

    def _raw(self, data: msgspec.Raw, begin: int, end: int) -> Raw:
        piece = bytes(data)
        offset = self.page.view.find(piece, begin, end)
        if offset < 0:
            return Raw(data=piece, origin=self.page.origin(begin, end))
        origin = self.page.origin(offset, offset + len(piece))
        return Raw(data=piece, origin=origin, fetch=partial(self.page.source.read, offset, len(piece)))


def _value_end(view: Any, position: int) -> int | None:
    """End of the object at ``position``; ``None`` when the file stops within it. What is no object ends at once."""
    if view[position : position + 1] != b"{":
        scalar = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[^\s,\[\]{}]+').match(view, position)
        return scalar.end() if scalar is not None else position + 1
    depth = 0
    for token in _TOKEN.finditer(view, position):
        mark = view[token.start()]
        if mark in b"{[":
            depth += 1
        elif mark in b"}]":
            depth -= 1
            if depth <= 0:
                return token.end()
        elif token.end() - token.start() == 1:
            return None
    return None


def _decode(data: bytes | msgspec.Raw, kind: type[Any]) -> Any:
    """The object, leniently; ``None`` when it is none."""
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass
    try:
        return msgspec.json.decode(clean(bytes(data)), type=kind)
    except (ValueError, RecursionError):
        return None
