"""Reader ``opencode-api``: answers of opencode's server below ``/api/session/…``, saved as JSON.

``…/message`` and ``…/context`` answer ``{"data": [message…]}``, ``…/history`` ``{"data": [event…], "hasMore"}`` (types
published with client 1.18.34, and answers of that client). Messages come newest first unless asked for otherwise; only
those of the history name their session. What they hold is told in :mod:`sessionlens.readers.opencode_v2`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from sessionlens.model import Gap, Session
from sessionlens.readers.base import ReadError
from sessionlens.readers.jsonl import ANY, decode, string, within
from sessionlens.readers.opencode import Raw
from sessionlens.readers.opencode_v2 import KINDS, Record, with_records
from sessionlens.readers.opencode_v2_events import PREFIX, Fold
from sessionlens.readers.pieces import Piece, beginning, document
from sessionlens.readers.source import Source

_LOOKED_AT = 8


class OpencodeApi:
    """Reads saved answers of opencode's server."""

    name = "opencode-api"

    def recognises(self, source: Source) -> str | None:
        """``None`` for an object whose ``data`` lists messages of the second generation or their events."""
        if source.folder:
            return "a folder, not a file"
        root = beginning(source)
        if root is None or root.first() != b"{":
            return "no JSON object at the beginning"
        entries = root.get("data")
        if entries is None or entries.first() != b"[":
            return "no list `data`"
        for number, piece in enumerate(entries.items()):
            if number >= _LOOKED_AT:
                break
            keys = piece.members()
            kind = keys["type"].value() if "type" in keys else None
            if _is_event(kind) or (kind in KINDS and _stamped(keys) and "id" in keys):
                return None
        return "a list `data`, but no message or event of opencode in it"

    def read(self, source: Source) -> Iterator[Session]:
        """The session of the answer, or those of its events. Raises :class:`ReadError` when it holds no message."""
        try:
            sessions = _Answer(source).sessions()
        finally:
            source.release()
        if not sessions:
            raise ReadError(source.name, "the answer holds no message")
        yield from sessions


def _is_event(kind: Any) -> bool:
    return isinstance(kind, str) and kind.startswith(PREFIX)


def _stamped(keys: dict[str, Piece]) -> bool:
    return "time" in keys and "created" in keys["time"].members()


class _Answer:
    """One answer."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.root = document(source)
        self.stem = Path(source.name).stem or source.name
        self.gaps: list[Gap] = []
        self.records: list[Record] = []
        self.named: str | None = None
        self.folds: dict[str, Fold] = {}
        self.unknown: dict[str, Gap] = {}

    def sessions(self) -> list[Session]:
        for piece in self.root.list("data"):
            self._entry(piece)
        if not self.root.complete:
            self.gaps.append(Gap(reason="the answer stops before its end", origin=self.root.origin))
        if self._has_more():
            self.gaps.append(
                Gap(reason="the server had more than this answer holds", origin=self.root.origin)
            )
        found = []
        if self.records:
            times = [_created(one) for one in self.records]
            if times[0] > times[-1]:
                self.records.reverse()
            found.append(self._session(self.named or self.stem, self.records, None, self.gaps))
        for identifier, fold in self.folds.items():
            records = fold.records()
            if records:
                gaps = [*fold.gaps, *self.unknown.values(), *([] if found else self.gaps)]
                found.append(self._session(identifier, records, fold.reverted_from, gaps))
        return found

    def _session(
        self, identifier: str, records: list[Record], reverted: str | None, gaps: list[Gap]
    ) -> Session:
        empty = Session(
            id=identifier,
            source_format=OpencodeApi.name,
            client="opencode",
            gaps=tuple(gaps),
            truncated=not self.root.complete,
        )
        return with_records(empty, records, reverted_from=reverted)

    def _has_more(self) -> bool:
        """Whether this is one page of several: the answer says so, or begins after a session's first message."""
        keys = self.root.members()
        if "hasMore" in keys:
            return keys["hasMore"].value() is True
        return bool(self.records) and min(self.records, key=_created).kind == "assistant"

    def _entry(self, piece: Piece) -> None:
        value = piece.value()
        kind = within(value, "type")
        if not isinstance(value, dict) or not isinstance(kind, str):
            reason = (
                "the answer stops within this entry"
                if not piece.complete
                else "an entry is no message and no event"
            )
            self.gaps.append(Gap(reason=reason, origin=piece.origin))
            return
        if not _is_event(kind):
            self.named = string(value.get("sessionID")) or self.named
            again = partial(self.source.read, piece.offset, len(piece.data))
            raw = Raw(data=bytes(piece.data), origin=piece.origin, id=string(value.get("id")), fetch=again)
            self.records.append(Record(kind=kind, raw=raw))
            return
        data = value.get("data") if isinstance(value.get("data"), dict) else value.get("properties")
        session = (
            string(within(data, "sessionID")) or string(within(value, "durable", "aggregateID")) or self.stem
        )
        fold = self.folds.setdefault(session, Fold())
        if not fold.take(kind.removeprefix(PREFIX), data, piece.origin):
            reason = f"an event of a kind that is not known here ({kind[:60]})"
            self.unknown.setdefault(kind, Gap(reason=reason, origin=piece.origin))


def _created(record: Record) -> int:
    try:
        found = within(decode(record.raw.data, ANY), "time", "created")
    except ValueError:
        return 0
    return found if isinstance(found, int) else 0
