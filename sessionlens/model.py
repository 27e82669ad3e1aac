"""The session as data: the only types that readers make and everything else reads.

All types are immutable. Words are those of the contract: a *session* holds *messages*, a message holds
*parts*, one kind of part is a *call* with its result. Nothing here knows a log format, the graph or a rule.

Times are milliseconds since the epoch (UTC). A ``None`` always means "the log does not say".

Of what a session holds by the ten thousand, nothing points back: the garbage collector need not follow it
(``gc=False``), which saves 16 bytes of each and the time of looking.
"""

from __future__ import annotations

import os
import tempfile
import threading
import weakref
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import lru_cache
from typing import Any, Literal

import msgspec

from sessionlens.cache import lazy

Role = Literal["user", "assistant", "system", "unknown"]
Status = Literal["pending", "running", "completed", "error"]

LONG = 8192
"""Texts with more characters than this are kept as a handle with their head and tail."""
KEPT = 4096
"""Characters of a long text kept at hand at each end."""
PACKED = 256
"""Texts with no more characters are never kept compressed."""
_LATE = 1 << 18
"""Bytes of packed texts that are written at once."""
_NEAR = 64
"""Texts that are kept unpacked."""


class Spill:
    """Bytes in a file without a name instead of the memory. It goes with the last who has something in it."""

    def __init__(self) -> None:
        # Not closed by a context: it lives as long as the texts do.
        self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115
        self._late: tuple[int, bytearray] = 0, bytearray()
        """What is not written yet, and where it will stand."""
        self._near: dict[int, str] = {}
        self._full = False
        self._owner = os.getpid()
        self._lock = threading.Lock()

    @property
    def ours(self) -> bool:
        """Whether this process may add to it: a copy of the process only reads."""
        return self._owner == os.getpid()

    @property
    def full(self) -> bool:
        """Whether there was no room for more."""
        return self._full

    def add(self, data: bytes) -> int:
        """Keep bytes; returns their place: where they begin, and in the lower 32 bits how many there are."""
        with self._lock:
            start, late = self._late
            place = start + len(late) << 32 | len(data)
            late += data
            # A copy of the process shares the file: what it adds stays in its memory, or it would write over the other's.
            if len(late) >= _LATE and self.ours:
                try:
                    self._write(start, late)
                except OSError:
                    self._full = True
                else:
                    # Others may be reading from the old one.
                    self._late = start + len(late), bytearray()
        return place

    def _write(self, start: int, late: bytearray) -> None:
        done, data = 0, bytes(late)
        while done < len(data):
            done += os.pwrite(self._file.fileno(), memoryview(data)[done:], start + done)

    def text(self, place: int) -> str:
        """The packed text at a place. The last ones are kept, since one text is looked at many times in a row."""
        found = self._near.get(place)
        if found is None:
            found = zlib.decompress(self.get(place)).decode("utf-8", "surrogatepass")
            if len(self._near) >= _NEAR:
                # Where threads ask at once, one of them finds nothing to let go of.
                with suppress(StopIteration, RuntimeError):
                    self._near.pop(next(iter(self._near)), None)
            self._near[place] = found
        return found

    def get(self, place: int) -> bytes:
        """The bytes at a place."""
        offset, length = place >> 32, place & 0xFFFFFFFF
        start, late = self._late
        if offset >= start:
            return bytes(late[offset - start : offset - start + length])
        return os.pread(self._file.fileno(), length, offset)


_spills: weakref.WeakSet[Spill] = weakref.WeakSet()
"""Where to spill to, as long as somebody has something there."""


def spill() -> Spill | None:
    """Where to spill to; ``None`` where that cannot be."""
    found = next((one for one in _spills if one.ours), None)
    if found is None and hasattr(os, "pread"):
        try:
            found = Spill()
        except OSError:
            return None
        _spills.add(found)
    return None if found is None or found.full else found


def _packed(text: str) -> bytes:
    return zlib.compress(text.encode("utf-8", "surrogatepass"), 1)


@lru_cache(maxsize=_NEAR)
def _unpacked(data: bytes) -> str:
    """The last ones are kept, since one text is looked at many times in a row."""
    return zlib.decompress(data).decode("utf-8", "surrogatepass")


class Text:
    """A text of the log: whole when short, otherwise its two ends and a way to read it.

    Rules and patterns look at :attr:`head` and :attr:`tail`; only what shows or searches everything
    calls :meth:`whole`. Two texts are equal when their whole contents are.
    """

    __slots__ = ("_head", "_load", "_spill", "_tail", "length")

    length: int
    """Length of the whole text in characters."""

    def __init__(self, text: str, load: Callable[[], str] | None = None, *, packed: bool = False) -> None:
        """Keep ``text``; with ``load``, a text longer than ``LONG`` keeps its ends only.

        ``load`` reads the same text again from the log. Without it even a long text is kept whole. ``packed`` keeps
        what is at hand compressed and, where that can be, in a file: for logs so large that their texts would fill the
        memory.
        """
        self.length = len(text)
        self._load: Callable[[], str] | None = load if len(text) > LONG else None
        head, tail = (text, "") if self._load is None else (text[:KEPT], text[-KEPT:])
        self._spill: Spill | None = None
        self._head: str | bytes | int = head
        self._tail: str | bytes | int = tail
        if packed and len(text) > PACKED:
            self._pack(head, tail)

    def _pack(self, head: str, tail: str) -> None:
        self._head, self._tail = _packed(head), _packed(tail) if tail else ""
        self._spill = spill()
        if self._spill is not None:
            self._head = self._spill.add(self._head)
            self._tail = self._spill.add(self._tail) if isinstance(self._tail, bytes) else self._tail

    def __getstate__(self) -> tuple[int, Callable[[], str] | None, str, str, bool]:
        """Without the file: another process has none of it."""
        return self.length, self._load, self.head, self.tail, self.packed

    def __setstate__(self, state: tuple[int, Callable[[], str] | None, str, str, bool]) -> None:
        self.length, self._load, head, tail, packed = state
        self._spill, self._head, self._tail = None, head, tail
        if packed:
            self._pack(head, tail)

    @property
    def head(self) -> str:
        """The text itself when it is short, otherwise its first ``KEPT`` characters."""
        return self._head if isinstance(self._head, str) else self._at_hand(self._head)

    @property
    def tail(self) -> str:
        """Empty when the text is short, otherwise its last ``KEPT`` characters."""
        return self._tail if isinstance(self._tail, str) else self._at_hand(self._tail)

    def _at_hand(self, kept: bytes | int) -> str:
        if isinstance(kept, bytes):
            return _unpacked(kept)
        assert self._spill is not None
        return self._spill.text(kept)

    @property
    def packed(self) -> bool:
        """Whether what is at hand is kept compressed."""
        return not isinstance(self._head, str)

    @property
    def long(self) -> bool:
        """Whether only the two ends are at hand."""
        return self._load is not None

    def whole(self) -> str:
        """The whole text; reads the log again when the text is long."""
        return self.head if self._load is None else self._load()

    def ends(self) -> str:
        """What is at hand: the whole short text, or head and tail around a mark of the omission."""
        return self.head if self._load is None else f"{self.head}\n…\n{self.tail}"

    def end(self) -> str:
        """The part at hand that holds the end of the text."""
        return self.head if self._load is None else self.tail

    def blank(self) -> bool:
        """Whether nothing of the text is visible. White space and zero-width characters do not count."""
        if self._load is None:
            return not _visible(self.head)
        return not (_visible(self.head) or _visible(self.tail) or _visible(self._load()))

    def __bool__(self) -> bool:
        return self.length > 0

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Text):
            return NotImplemented
        if self.length != other.length or self.head[:KEPT] != other.head[:KEPT]:
            return False
        return self.whole() == other.whole()

    def __hash__(self) -> int:
        return hash((self.length, self.head[:KEPT]))

    def __repr__(self) -> str:
        shown = self.head if len(self.head) <= 60 else self.head[:57] + "..."
        return f"Text({shown!r}, length={self.length})"


_SEEN = lazy(r"[^\s\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff\u00ad]")


def _visible(text: str) -> bool:
    return _SEEN.search(text) is not None


class Origin(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Where in its source something stands. Computed from our own index, never from a parser's counter."""

    line: int | None = None
    """1-based line of the log; ``None`` for stores without lines (SQLite)."""
    offset: int | None = None
    """Byte offset of the first byte, 0-based."""
    length: int | None = None
    """Length in bytes."""
    file: str | None = None
    """File within a source of many files (a storage tree), relative to the source, with ``/``."""


NOWHERE = Origin()
"""The origin of what was made by hand, as in the examples of a rule."""


class Gap(msgspec.Struct, frozen=True, kw_only=True):
    """Something in the log that could not be read or understood. Shown, never dropped."""

    reason: str
    """What is missing and why, in words for a reader of the report."""
    origin: Origin = NOWHERE
    """Where it stands."""


class Repair(msgspec.Struct, frozen=True, kw_only=True):
    """One deviation from the format that a loose reading accepted."""

    kind: str
    """Short name of the deviation, such as ``unquoted attribute``."""
    origin: Origin = NOWHERE
    """Where it stands."""


class TextPart(msgspec.Struct, frozen=True, kw_only=True, gc=False, tag="text"):
    """Prose of a message."""

    text: Text
    """The prose."""
    synthetic: bool = False
    """Written by the client, not by the role of the message (opencode ``synthetic``/``ignored``, Claude ``isMeta``)."""
    origin: Origin = NOWHERE
    """Where the part stands."""


class Reasoning(msgspec.Struct, frozen=True, kw_only=True, gc=False, tag="reasoning"):
    """Thinking of the model that the person may not have seen."""

    text: Text
    """The thinking, possibly empty where it is encrypted."""
    origin: Origin = NOWHERE
    """Where the part stands."""


class Call(msgspec.Struct, frozen=True, kw_only=True, gc=False, tag="call"):
    """One tool call with its input and, once known, its result."""

    id: str | None = None
    """The log's id of the call."""
    name: str
    """Name of the tool as the client calls it, such as ``bash``."""
    input: Text
    """The arguments as JSON text; for a format without JSON, ``{"command": …}`` made by the reader."""
    status: Status = "completed"
    """How far the call got. A command cut off by a limit is often ``completed``: see :attr:`timed_out`."""
    start: int | None = None
    """When it began, corrected where a version's times lie (opencode 1.14.41: the stamp in the part id)."""
    end: int | None = None
    """When its result came."""
    limit_ms: int | None = None
    """The client's time limit that applied, asked for or default, in milliseconds."""
    timed_out: bool = False
    """The client's own limit ended the call."""
    interrupted: bool = False
    """The person stopped the call."""
    exit: int | None = None
    """Exit code of a shell command; ``None`` when not recorded or when it never ended."""
    background: bool = False
    """The client keeps the command running and gave the turn back (background mode, yielded session)."""
    continues: str | None = None
    """Id of the earlier call whose process this call polls or feeds (Codex ``write_stdin``, ``BashOutput``)."""
    child: str | None = None
    """Id of the child session that this call started."""
    output: Text | None = None
    """The result; ``None`` when none came."""
    truncated: bool = False
    """The client cut the output that the model saw."""
    spilled: str | None = None
    """Where the client saved the full output, as the log names it."""
    full_output: Text | None = None
    """The whole output, where the file of :attr:`spilled` lies beside the store that was read; the model did
    not see it. Left out when two readings are compared: an export has no such files."""
    error: Text | None = None
    """The error the client reported instead of a result."""
    origin: Origin = NOWHERE
    """Where the call stands."""
    result_origin: Origin | None = None
    """Where its result stands, when apart from the call."""

    def arguments(self) -> dict[str, Any]:
        """The input decoded; ``{}`` when it is no JSON object. Reads a long input whole."""
        try:
            value = msgspec.json.decode(self.input.whole().encode("utf-8", "surrogatepass"))
        except (msgspec.DecodeError, ValueError, RecursionError):
            return {}
        return value if isinstance(value, dict) else {}


class Compaction(msgspec.Struct, frozen=True, kw_only=True, tag="compaction"):
    """A request to the client to summarise the conversation; no word of the person."""

    auto: bool | None = None
    """Whether the client started it by itself."""
    origin: Origin = NOWHERE
    """Where the part stands."""


class Subtask(msgspec.Struct, frozen=True, kw_only=True, tag="subtask"):
    """A command of the client that hands a prompt to a subagent."""

    agent: str | None = None
    """Name of the subagent."""
    prompt: Text = Text("")
    """What it was asked."""
    origin: Origin = NOWHERE
    """Where the part stands."""


class File(msgspec.Struct, frozen=True, kw_only=True, tag="file"):
    """An attachment. Its bytes are never kept."""

    name: str | None = None
    """File name or address as the log gives it."""
    mime: str | None = None
    """Media type."""
    origin: Origin = NOWHERE
    """Where the part stands."""


class Changed(msgspec.Struct, frozen=True, kw_only=True, tag="changed"):
    """Files that the client saw changed during the step, by whatever means (opencode ``patch`` parts)."""

    files: tuple[str, ...] = ()
    """Paths as the log gives them."""
    origin: Origin = NOWHERE
    """Where the part stands."""


class Unread(msgspec.Struct, frozen=True, kw_only=True, tag="gap"):
    """A gap within a message."""

    reason: str
    """What is missing and why."""
    origin: Origin = NOWHERE
    """Where it stands."""


Part = TextPart | Reasoning | Call | Compaction | Subtask | File | Changed | Unread


class Trouble(msgspec.Struct, frozen=True, kw_only=True):
    """The error that a message ended with."""

    name: str
    """The client's name of it, such as ``MessageAbortedError``."""
    text: str = ""
    """Its message."""


class Message(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One entry of the session by one role. One model step, where the format tells steps apart."""

    id: str | None = None
    """The log's id of the message."""
    index: int
    """Position in the session, from 0, in reading order."""
    role: Role
    """Who it is by; ``unknown`` where the log does not say, never guessed."""
    parts: tuple[Part, ...] = ()
    """What it holds, in order."""
    time: int | None = None
    """When it was created."""
    ended: int | None = None
    """When it was completed."""
    model: str | None = None
    """Model that wrote it."""
    agent: str | None = None
    """The client's agent or mode, such as ``build``."""
    finish: str | None = None
    """Why generation stopped, in the client's word (``stop``, ``tool-calls``, ``length``, ``unknown`` …)."""
    tokens_in: int | None = None
    """Tokens read, caches left out where the format tells them apart."""
    tokens_out: int | None = None
    """Tokens written."""
    error: Trouble | None = None
    """The error it ended with."""
    summary: bool = False
    """A summary that compaction wrote."""
    reverted: bool = False
    """Undone later by the person, though still stored."""
    aliases: tuple[str, ...] = ()
    """Ids of records joined into this message (tool results, split steps): they lead here."""
    origin: Origin = NOWHERE
    """Where it stands."""

    @property
    def calls(self) -> tuple[Call, ...]:
        """Its calls, in order."""
        return tuple(part for part in self.parts if isinstance(part, Call))

    def texts(self) -> Iterator[TextPart]:
        """The prose of the role itself: no synthetic text."""
        for part in self.parts:
            if isinstance(part, TextPart) and not part.synthetic:
                yield part

    @property
    def human(self) -> bool:
        """Whether a person wrote it: a user message that is empty or holds something without a client's mark."""
        if self.role != "user" or self.summary:
            return False
        return not self.parts or any(not _marked(part) for part in self.parts)

    @property
    def empty(self) -> bool:
        """Whether it has neither visible text nor a call. Reasoning alone is empty."""
        return not self.calls and all(part.text.blank() for part in self.texts())

    @property
    def partly_read(self) -> bool:
        """Whether something in it could not be read: then what it says is not known, even where nothing is shown."""
        return any(isinstance(part, Unread) for part in self.parts)

    @property
    def interruption(self) -> bool:
        """Whether it records that the person stopped the agent."""
        if self.error is not None and self.error.name == "MessageAbortedError":
            return True
        return self.role == "user" and any(
            isinstance(part, TextPart) and is_interruption(part.text.head) for part in self.parts
        )


_INTERRUPTION = lazy(r"\s*(?:\[Request interrupted by user|<turn_aborted>)")


def is_interruption(text: str) -> bool:
    """Whether a user text is a client's note of an interruption (Claude Code, Codex)."""
    return _INTERRUPTION.match(text) is not None


def _marked(part: Part) -> bool:
    """Whether a part of a user message is the client's doing."""
    if isinstance(part, TextPart):
        return part.synthetic or is_interruption(part.text.head)
    return isinstance(part, (Compaction, Subtask, Call, Reasoning, Changed))


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """One conversation between a person and a coding agent, as one log holds it."""

    id: str
    """The log's id, or the file's stem."""
    source_format: str
    """Name of the reader that made it, such as ``opencode-export``; of a transcript that ``convert`` wrote, the reader
    it was converted from, since what that log did not record is missing there too."""
    title: str | None = None
    """Title the client gave it."""
    client: str | None = None
    """The agent client, such as ``opencode``."""
    client_version: str | None = None
    """Its version as recorded in the session."""
    directory: str | None = None
    """Working directory of the session."""
    parent: str | None = None
    """Id of the session whose call started this one."""
    messages: tuple[Message, ...] = ()
    """In reading order."""
    children: tuple[Session, ...] = ()
    """Child sessions, in the order of the calls that started them."""
    gaps: tuple[Gap, ...] = ()
    """What could not be read outside any message."""
    repairs: tuple[Repair, ...] = ()
    """Deviations a loose reading accepted."""
    truncated: bool = False
    """The log stops before its end (half a file)."""

    @property
    def started(self) -> int | None:
        """Time of the first message that has one."""
        return next((message.time for message in self.messages if message.time is not None), None)

    @property
    def ended(self) -> int | None:
        """The latest time recorded by any message or call."""
        latest: int | None = None
        for message in self.messages:
            for moment in (message.time, message.ended, *(call.end for call in message.calls)):
                if moment is not None and (latest is None or moment > latest):
                    latest = moment
        return latest

    @property
    def models(self) -> tuple[str, ...]:
        """Models of assistant messages, in order of first use."""
        seen = (m.model for m in self.messages if m.role == "assistant" and m.model)
        return tuple(dict.fromkeys(seen))

    def all_gaps(self) -> Iterator[Gap]:
        """Every gap: of the session and within its messages."""
        yield from self.gaps
        for message in self.messages:
            for part in message.parts:
                if isinstance(part, Unread):
                    yield Gap(reason=part.reason, origin=part.origin)

    def find(self, message_id: str) -> Message | None:
        """The message with this id or alias, or with this number as its index (``#12``)."""
        for message in self.messages:
            if message.id == message_id or message_id in message.aliases:
                return message
        if message_id.startswith("#") and message_id[1:].isdecimal():
            index = int(message_id[1:])
            return self.messages[index] if index < len(self.messages) else None
        return None

    def family(self) -> Iterator[Session]:
        """This session and its children, each before its own children. The log decides how deep they nest."""
        waiting = [self]
        while waiting:
            session = waiting.pop()
            yield session
            waiting.extend(reversed(session.children))


def content(value: Any) -> Any:
    """The content of a model value without places, for comparing two readings of one session.

    Texts become whole strings; origins, the reader's name and repairs are left out.
    """
    if isinstance(value, Text):
        return value.whole()
    if isinstance(value, msgspec.Struct):
        return {
            "": type(value).__name__,
            **{
                name: content(getattr(value, name))
                for name in value.__struct_fields__
                if name not in ("origin", "result_origin", "source_format", "repairs", "full_output")
            },
        }
    if isinstance(value, tuple):
        return [content(item) for item in value]
    return value
