"""Reader ``opencode-export``: what ``opencode export`` prints, and lists of messages from its API.

``{"info": …, "messages": [{"info": …, "parts": […]}, …]}`` or the bare list, of every version from 1.0.0 on.
Around it there may be anything: a status line, a shell prompt, a second export. A file that stops in the
middle yields its complete messages and a gap.
"""

from __future__ import annotations

import mmap
import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import msgspec

from sessionlens.cache import lazy
from sessionlens.model import Gap, Origin, Repair, Session
from sessionlens.readers.base import ReadError
from sessionlens.readers.opencode import Raw, RawMessage, assemble
from sessionlens.readers.source import Source

View = bytes | mmap.mmap

_HEAD = 1 << 18
_GAPS_AT_MOST = 50
_BARE_MEMBER = 40
"""Bytes in which no message fits."""
_START = lazy(
    rb'\{\s*+"(?:info|messages)"\s*+:\s*+[\[{]'
    rb'|\{\s*+"info"\s*+:\s*+(?:null|true|false|-?[0-9.]{1,40}+|"[^"\\]{0,400}+")\s*+,\s*+"messages"\s*+:\s*+\['
    rb'|\[\s*+\{\s*+"(?:info|parts|messages)"\s*+:\s*+[\[{]'
    rb'|\{\s*+"parts"\s*+:\s*+\['
)
_FIRST_KEY = lazy(rb'"messages"\s*+:\s*+\[\s*+\{\s*+"(?P<key>[A-Za-z_]{1,40})"|"parts"\s*+:')
"""How the first message begins. Those of chat APIs and mini-SWE-agent have a role of their own instead."""
_MESSAGE = lazy(rb'\{\s*+"(?:info"\s*+:\s*+\{|parts"\s*+:\s*+\[)')
_TOKEN = lazy(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[\[\]{}]|"', re.DOTALL)
_TRAILING = lazy(r"trailing characters \(byte (\d+)\)")
_STRING = lazy(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_SPACE = lazy(rb"[\s,\x00]*+")
_COLON = lazy(rb"\s*+:\s*+")
_SCALAR = lazy(rb'[^\s,\]}"\[{]++')
_STATUS = lazy(rb"\s*(?:(?:\x1b\[[0-9;?]*[A-Za-z])*(?:Exporting session: ?\S*|Exported session\b[^\n]*))*\s*")
_SESSION = lazy(rb'"sessionID"\s*+:\s*+"([^"\\]{1,100})"')
_ROLE = lazy(rb'"role"\s*+:\s*+"')
_KEYS_AT_MOST = 16
"""Keys of an entry that are looked at to tell a message from an export."""
_SAYS = lazy(rb'"(?:role|content|text|message)"\s*+:')
"""What an entry holds that may be a message of another form."""
_IDENTIFIER = lazy(rb'"id"\s*+:\s*+"(msg_[0-9A-Za-z]{4,40})"')
_OTHER = lazy(rb"(?m)^\s*(?:[<{]|\[\s*\{|```)")
_HELP = lazy(rb"\bopencode (?:run|auth|serve|upgrade|models)\b")


class _Envelope(msgspec.Struct):
    info: msgspec.Raw = msgspec.Raw()
    messages: msgspec.Raw = msgspec.Raw()


class _Message(msgspec.Struct):
    info: msgspec.Raw = msgspec.Raw()
    parts: msgspec.Raw = msgspec.Raw()


_ENVELOPE = msgspec.json.Decoder(_Envelope)
_MESSAGES = msgspec.json.Decoder(list[msgspec.Raw])
_ONE = msgspec.json.Decoder(_Message)


class OpencodeExport:
    """Reads exports of opencode."""

    name = "opencode-export"

    def recognises(self, source: Source) -> str | None:
        """``None`` for an export or a list of messages, whole or cut short, with anything before it."""
        if source.folder:
            return "a folder, not a file"
        head = source.head(_HEAD)
        if head.startswith(b"SQLite format 3\x00"):
            return "a database, not JSON"
        begin = _START.search(head)
        if begin is None or not _may_precede(head[: begin.start()]):
            if _HELP.search(head) and (b"\xe2\x96\x88" in head or b"Commands:" in head):
                return "the help text of opencode; clients before 1.0.0 have no `export`, give their data folder instead"
            return 'no {"info": …, "messages": […]} and no list of {"info", "parts"} in its first 256 KB'
        rest = head[begin.start() :]
        first = _FIRST_KEY.search(rest)
        if first is not None and first["key"] not in (None, b"info", b"parts"):
            return "a list `messages` whose entries have neither `info` nor `parts`"
        if b'"messages"' not in rest and b'"parts"' not in rest and not re.search(rb'"(?:ses|msg)_', rest):
            return "JSON with an `info`, but neither messages nor ids of opencode (`ses_…`, `msg_…`)"
        return None

    def read(self, source: Source) -> Iterator[Session]:
        """Every export in the file; consecutive bare messages make one session.

        Raises :class:`ReadError` when not one message or session record is complete.
        """
        view = source.view()
        try:
            yield from _Reading(source, view).sessions()
        finally:
            source.release()


def _may_precede(before: bytes) -> bool:
    """Whether this text may stand before an export: a prompt or status lines, no log that quotes one."""
    if before.strip() == b"[":
        # Several lists of messages in one list.
        return True
    line = before[before.rfind(b"\n") + 1 :]
    return (
        len(before) < 1 << 13
        and (not line.strip() or _STATUS.fullmatch(line) is not None)
        and not _OTHER.search(before)
    )


class _Reading:
    """One pass over one file."""

    def __init__(self, source: Source, view: View) -> None:
        self.source, self.view = source, view
        self.whole = memoryview(view)
        self.size = len(view)
        self.budget = 8 * self.size + (1 << 20)
        self.lists = 0
        """Lists around exports that have begun and not ended."""

    def sessions(self) -> Iterator[Session]:
        position = self.source.start
        pending = _Pending()
        count = 0
        while True:
            begin = _START.search(self.view, position)
            until = begin.start() if begin is not None else self.size
            self._between(position, until, pending)
            if begin is None:
                break
            document = _Document(self, until)
            document.read()
            position = max(document.end, until + 1)
            goes_on = (
                document.bare and pending.bare and not pending.truncated and _same_session(document, pending)
            )
            if pending.begun and not goes_on:
                count += 1
                yield self._session(pending, count)
                pending = _Pending()
            pending.take(document)
        # Half a file without one complete message holds nothing to judge.
        if pending.begun and (count or pending.messages or not pending.truncated):
            count += 1
            yield self._session(pending, count)
        if not count:
            raise ReadError(
                self.source.name,
                "the export stops before its first message is complete",
                line=self.source.line_at(max(0, self.size - 1)),
                advice="Export again to a regular file, not through a pipe",
            )

    def _session(self, pending: _Pending, number: int) -> Session:
        stem = Path(self.source.name).stem or self.source.name
        return assemble(
            pending.info,
            self._passed(pending.messages),
            source_format=OpencodeExport.name,
            fallback_id=stem if number == 1 else f"{stem}-{number}",
            gaps=pending.gaps,
            repairs=pending.repairs,
            truncated=pending.truncated,
        )

    def _passed(self, messages: Sequence[RawMessage]) -> Iterator[RawMessage]:
        """The messages in order; of a mapped file no more is held than what they are read from."""
        self.source.forget(self.size)
        for message in messages:
            self.source.pass_by(message.info.origin.offset or 0)
            yield message

    def _between(self, begin: int, end: int, pending: _Pending) -> None:
        """Account for bytes outside any export: the client's status line is known, the rest is told."""
        if begin >= end or (end - begin < 1 << 16 and _STATUS.fullmatch(bytes(self.view[begin:end]))):
            return
        begin = self.skip(begin)
        while begin < end:
            mark = self.view[begin : begin + 1]
            if mark == b"]" and self.lists:
                self.lists -= 1
            elif mark == b"[" and not pending.begun and not self.view[begin + 1 : end].strip():
                self.lists += 1
            else:
                break
            begin = self.skip(begin + 1)
        if begin >= end:
            return
        origin = self.place(begin, end - begin)
        if not pending.begun:
            pending.repairs.append(Repair(kind="text before the export", origin=origin))
        else:
            reason = f"{end - begin} bytes after the export are not part of it"
            pending.gaps.append(Gap(reason=reason, origin=origin))

    def place(self, offset: int, length: int) -> Origin:
        return Origin(line=self.source.line_at(offset), offset=offset, length=length)

    def raw(self, offset: int, length: int) -> Raw:
        return Raw(
            data=self.whole[offset : offset + length],
            origin=self.place(offset, length),
            fetch=partial(self.source.read, offset, length),
        )

    # --- scanning, for what the strict decoder refuses ---

    def value_end(self, position: int) -> int | None:
        """End of the JSON value at ``position``; ``None`` when it is broken or the file stops within it."""
        view, size = self.view, self.size
        if position >= size:
            return None
        first = view[position : position + 1]
        if first not in (b"{", b"["):
            found = (_STRING if first == b'"' else _SCALAR).match(view, position)
            # A number at the very end may go on in what is missing.
            return None if found is None or found.end() >= size else found.end()
        open_ends = bytearray()
        for token in _TOKEN.finditer(view, position):
            mark = view[token.start()]
            if mark == 0x22:
                if token.end() - token.start() == 1:
                    break
            elif mark in (0x7B, 0x5B):
                # Their closing brackets lie two code points further in ASCII.
                open_ends.append(mark + 2)
            elif open_ends.pop() != mark:
                self.budget -= token.end() - position
                return None
            elif not open_ends:
                self.budget -= token.end() - position
                return token.end()
        self.budget -= size - position
        return None

    def skip(self, position: int) -> int:
        """The next position that holds neither white space, comma nor NUL."""
        found = _SPACE.match(self.view, position)
        return position if found is None else found.end()

    def key(self, position: int) -> tuple[str, int] | None:
        """The key at or after ``position`` within an object, with where its value begins."""
        key = _STRING.match(self.view, self.skip(position))
        colon = _COLON.match(self.view, key.end()) if key is not None else None
        if key is None or colon is None:
            return None
        return key[0][1:-1].decode("utf-8", "replace"), colon.end()

    def members(self, position: int, known: dict[str, int]) -> Iterator[tuple[str, int, int | None]]:
        """Keys of the object at ``position`` with begin and end of their values.

        ``known`` gives the lengths of values whose length the decoder told. An end of ``None`` is the last:
        the file stops in that value.
        """
        position += 1
        while (member := self.key(position)) is not None:
            name, begin = member
            end = begin + known[name] if known.get(name) else self.value_end(begin)
            yield name, begin, end
            if end is None:
                return
            position = end


def _same_session(document: _Document, pending: _Pending) -> bool:
    """Whether the messages of both may be of one session: no two ids of sessions say otherwise."""
    if not document.messages or not pending.messages:
        return True
    ids = [_SESSION.search(one.messages[0].info.data) for one in (document, pending)]
    return ids[0] is None or ids[1] is None or ids[0][1] == ids[1][1]


class _Pending:
    """What has been read of one session."""

    def __init__(self) -> None:
        self.info: Raw | None = None
        self.messages: list[RawMessage] = []
        self.gaps: list[Gap] = []
        self.repairs: list[Repair] = []
        self.truncated = self.begun = self.bare = False

    def take(self, document: _Document) -> None:
        """Add a document; one without any content leaves its gaps only."""
        self.begun = self.begun or document.info is not None or bool(document.messages)
        self.info = document.info
        self.messages += document.messages
        self.gaps += document.gaps
        self.truncated, self.bare = document.truncated, document.bare


class _Document:
    """One JSON value of the file that holds messages."""

    def __init__(self, reading: _Reading, begin: int) -> None:
        self.reading, self.begin = reading, begin
        self.info: Raw | None = None
        self.messages: list[RawMessage] = []
        self.gaps: list[Gap] = []
        self.truncated = False
        self.end = begin
        self.bare = self.listed = False

    def read(self) -> None:
        """Read it whole by the strict decoder, otherwise message by message."""
        if self.reading.view[self.begin : self.begin + 1] == b"[":
            self.bare = True
            self._list(self.begin)
        elif self._is_message():
            self._members()
        else:
            envelope = self._decode(self.reading.whole[self.begin :])
            if envelope is not None:
                self._whole(envelope)
            else:
                self._members()
        if not (self.bare or self.listed or self.truncated):
            self._unlisted()

    def _unlisted(self) -> None:
        """The object has no ``messages``: look for them under a damaged key."""
        origin = self.reading.place(self.begin, self.end - self.begin)
        self.gaps.append(Gap(reason="the export has no `messages`", origin=origin))
        first = _MESSAGE.search(self.reading.view, self.begin + 1, self.end)
        if first is not None:
            self._list(first.start())

    def _decode(self, view: memoryview) -> _Envelope | None:
        self.end = self.begin + len(view)
        try:
            return _ENVELOPE.decode(view)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            trailing = _TRAILING.search(str(error))
        if trailing is not None:
            # Sound so far: another export or a prompt follows.
            try:
                self.end = self.begin + int(trailing[1])
                return _ENVELOPE.decode(view[: int(trailing[1])])
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                pass
        self.end = 0
        return None

    def _is_message(self) -> bool:
        """Whether this is one entry of a list of messages: ``parts`` beside ``info``."""
        first = self.reading.key(self.begin + 1)
        if first is None or first[0] != "info":
            return first is not None and first[0] == "parts"
        end = self.reading.value_end(first[1])
        second = self.reading.key(end) if end is not None else None
        return second is not None and second[0] == "parts"

    def _kind(self, position: int) -> str | None:
        """Whether the object there has ``messages`` (an export) or ``parts`` (a message); the first of them."""
        reading = self.reading
        position += 1
        for _ in range(_KEYS_AT_MOST):
            member = reading.key(position)
            if member is None or member[0] in ("messages", "parts"):
                return None if member is None else member[0]
            end = reading.value_end(member[1])
            if end is None:
                return None
            position = end
        return None

    def _whole(self, envelope: _Envelope) -> None:
        reading = self.reading
        known = {"info": len(memoryview(envelope.info)), "messages": len(memoryview(envelope.messages))}
        begin: int | None = None
        for name, at, end in reading.members(self.begin, known):
            if name == "info" and end is not None:
                self.info = reading.raw(at, end - at)
            elif name == "messages":
                begin, self.listed = at, True
            elif end is not None:
                self._other(name, at, end)
        if begin is None:
            return
        try:
            raws = _MESSAGES.decode(envelope.messages)
        except (msgspec.DecodeError, RecursionError):
            raws = []
            self.gaps.append(
                Gap(
                    reason="the export's `messages` are no list",
                    origin=reading.place(begin, known["messages"]),
                )
            )
        position = begin + 1
        for raw in raws:
            position = reading.skip(position)
            length = len(memoryview(raw))
            self._message(position, length, raw)
            position += length

    def _members(self) -> None:
        """Read member by member; the file may stop anywhere."""
        reading = self.reading
        position = self.begin + 1
        parts = False
        while (member := reading.key(position)) is not None:
            name, begin = member
            if name == "messages":
                self.listed = True
                self._list(begin)
                if self.truncated:
                    return
                position = self.end
                continue
            end = reading.value_end(begin)
            if end is None:
                self._cut(begin)
                return
            if name == "info":
                self.info = reading.raw(begin, end - begin)
            elif name != "parts":
                self._other(name, begin, end)
            parts = parts or name == "parts"
            position = end
        position = reading.skip(position)
        if reading.view[position : position + 1] != b"}":
            # Damage closed something too early; messages may follow all the same.
            self._list(position)
            return
        self.end = position + 1
        if parts:
            # A message on its own has no session's `info` beside it.
            self.bare, self.info = True, None
            self._message(self.begin, self.end - self.begin, None)

    def _other(self, name: str, begin: int, end: int) -> None:
        """A member of the export that no client writes: what it holds is told, not guessed."""
        value = bytes(self.reading.view[begin : begin + 1])
        if value in b"[{" and end - begin > _BARE_MEMBER and len(self.gaps) < _GAPS_AT_MOST:
            reason = f"a member of the export that is not known here ({name[:60]})"
            self.gaps.append(Gap(reason=reason, origin=self.reading.place(begin, end - begin)))

    def _list(self, begin: int) -> None:
        """Messages of the list at ``begin``, one by one; where one is broken, on from the next."""
        reading = self.reading
        position = reading.skip(begin + (reading.view[begin : begin + 1] == b"["))
        while True:
            if position >= reading.size:
                self._cut(position)
                return
            first = reading.view[position : position + 1]
            if first == b"]":
                self.end = position + 1
                return
            if self.bare and first == b"{" and reading.budget > 0 and self._kind(position) == "messages":
                # Exports in one list, as `jq -s` makes it: each is a session of its own.
                reading.lists += 1
                self.end = position
                return
            end = reading.value_end(position) if first == b"{" and reading.budget > 0 else None
            if end is not None and self._message(position, end - position, None):
                position = reading.skip(end)
                continue
            following = _MESSAGE.search(reading.view, position + 1)
            if following is None or reading.budget <= 0:
                self._cut(position)
                return
            length = following.start() - position
            self.gaps.append(
                Gap(
                    reason=f"{length} bytes{self._named(position, length)} are damaged and could not be read as a message",
                    origin=reading.place(position, length),
                )
            )
            position = following.start()

    def _cut(self, position: int) -> None:
        """The file stops within what begins at ``position``."""
        reading = self.reading
        self.truncated = True
        self.end = reading.size
        length = reading.size - position
        if length <= 0:
            reason = "the log stops here, before the end of the export"
        else:
            named = self._named(position, length)
            reason = f"the log stops in the middle of a record{named}; {length} bytes of it were not read"
        offset = min(position, max(0, reading.size - 1))
        self.gaps.append(Gap(reason=reason, origin=reading.place(offset, max(0, length))))

    def _named(self, position: int, length: int) -> str:
        found = _IDENTIFIER.search(self.reading.view, position, position + min(length, 1 << 16))
        return f" ({found[1].decode()})" if found is not None else ""

    def _message(self, begin: int, length: int, raw: msgspec.Raw | None) -> bool:
        """Take the message at these bytes; whether it is one."""
        reading = self.reading
        origin = reading.place(begin, length)
        try:
            if raw is not None:
                message = _ONE.decode(raw)
            else:
                message = _ONE.decode(reading.whole[begin : begin + length])
            known = {"info": len(memoryview(message.info)), "parts": len(memoryview(message.parts))}
            parts: list[msgspec.Raw] | None = _MESSAGES.decode(message.parts) if known["parts"] else []
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            known, parts = {}, None
        info: Raw | None = None
        stored: list[Raw] = []
        missing: str | None = "the message has no `parts`: what it says is not known"
        listed = False
        for name, at, end in reading.members(begin, known):
            if end is None:
                break
            if name == "info":
                info = reading.raw(at, end - at)
            elif name == "parts":
                listed = reading.view[at : at + 1] == b"["
                missing = None if listed else "the `parts` of the message are no list"
                stored = self._parts(at, end, parts) if listed else []
        if info is None and listed:
            info, missing = Raw(data=b"{}", origin=origin), "a message without `info`: role and times unknown"
        # Without parts, a role or its session's id has to tell a message from the record of a session.
        telling = None if info is None else _ROLE.search(info.data) or _SESSION.search(info.data)
        partless = not listed and telling is not None
        if info is None or not (listed or partless):
            sound = raw is not None or bool(known)
            # What lies deeper in an entry that is sound and no message may be messages all the same.
            inner = raw is None and _MESSAGE.search(reading.view, begin + 1, begin + length) is not None
            if not sound or inner:
                return False
            where = "the list" if self.bare else "`messages`"
            reason = f"an entry of {where} is no message"
            says = _SAYS.search(reading.view, begin, begin + length) is not None
            if not says and reading.view[begin : begin + 1] != b'"':
                self.gaps.append(Gap(reason=reason, origin=origin))
                return length > 0
            # Whose words they are is not known, and that there were none is not either.
            info, missing = Raw(data=b"{}", origin=origin), reason
        self.messages.append(RawMessage(info=info, parts=tuple(stored), origin=origin, missing=missing))
        return True

    def _parts(self, begin: int, end: int, parts: list[msgspec.Raw] | None) -> list[Raw]:
        reading = self.reading
        position = begin + 1
        stored = []
        if parts is not None:
            for part in parts:
                position = reading.skip(position)
                length = len(memoryview(part))
                stored.append(reading.raw(position, length))
                position += length
            return stored
        position = reading.skip(position)
        while position < end - 1:
            stop = reading.value_end(position)
            if stop is None or stop > end:
                stop = end - 1
            stored.append(reading.raw(position, stop - position))
            position = reading.skip(max(stop, position + 1))
        return stored
