"""From elements of a transcript XML to the model, the same for the strict and the loose reading."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, cast

from sessionlens.cache import lazy
from sessionlens.model import (
    NOWHERE,
    Call,
    Changed,
    Compaction,
    File,
    Gap,
    Message,
    Origin,
    Part,
    Reasoning,
    Repair,
    Role,
    Session,
    Status,
    Subtask,
    Text,
    TextPart,
    Trouble,
    Unread,
)
from sessionlens.readers import inline_calls
from sessionlens.readers.source import Source
from sessionlens.readers.wordings import aborted, cut_off, mcp_cut_off, shortened
from sessionlens.readers.xml_text import CONTROL, Places, Recipe, readable

FORMAT = "sessionlens/1"
"""What the root's ``format`` says in files that ``sessionlens convert`` wrote."""

RESULTS = ("tool_result", "result", "output")
"""Elements that hold the result of a call."""

_LIMIT = 1000
"""Repairs of one kind that are listed one by one; the rest is counted."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_REFERENCES = ("call", "tool_use_id", "tool_call_id", "call_id", "callID", "id", "for")
_ROLES: dict[str, Role] = {
    "user": "user",
    "assistant": "assistant",
    "system": "system",
    "unknown": "unknown",
    "human": "user",
    "ai": "assistant",
    "model": "assistant",
    "agent": "assistant",
    "developer": "system",
}
_RESULT_ROLES = frozenset({"tool", "function", "tool_result", "toolresult", "observation"})
_STATUSES: dict[str, Status] = {
    "pending": "pending",
    "running": "running",
    "completed": "completed",
    "error": "error",
    "success": "completed",
    "ok": "completed",
    "done": "completed",
    "failed": "error",
    "failure": "error",
}
_STRICT_STATUSES = frozenset({"pending", "running", "completed", "error"})
_READER = lazy(r"[a-z][a-z0-9_.-]{0,60}")
_YES = {"true": True, "false": False}
_LOOSE_YES = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False, "": False}

KNOWN: dict[str, frozenset[str]] = {
    "conversation_data": frozenset(
        {"format", "source", "reader", "session", "title", "client", "directory", "parent", "truncated"}
    ),
    "msg": frozenset(
        {
            "id",
            "role",
            "time",
            "ended",
            "model",
            "agent",
            "finish",
            "tokens_in",
            "tokens_out",
            "reverted",
        }
    ),
    "text": frozenset({"synthetic", "enc"}),
    "reasoning": frozenset({"enc"}),
    "tool": frozenset(
        {
            "name",
            "call",
            "status",
            "start",
            "end",
            "limit_ms",
            "timed_out",
            "interrupted",
            "exit",
            "background",
            "continues",
            "child",
        }
    ),
    "input": frozenset({"enc"}),
    "output": frozenset({"enc", "truncated", "spilled", "none"}),
    "full_output": frozenset({"enc"}),
    "error": frozenset({"enc", "name"}),
    "compaction": frozenset({"auto"}),
    "summary": frozenset(),
    "subtask": frozenset({"agent", "enc"}),
    "file": frozenset({"name", "mime"}),
    "changed": frozenset(),
    "path": frozenset({"enc"}),
    "gap": frozenset({"reason"}),
    "alias": frozenset({"id"}),
    "repair": frozenset({"kind", "line"}),
}
"""Elements and their attributes. Every element may also carry ``attrs``."""
_ANSWERED = frozenset({"output", "result", "stdout", "stderr", "content", "text"})
"""Attributes of a call in which its result may stand."""
_SPOKEN = frozenset({"text", "content", "body", "message", "value"})
"""Attributes of other writers in which a message may say something."""
_LOOSE_ATTRIBUTES = frozenset(
    {*_REFERENCES, *KNOWN["tool"], *KNOWN["output"], "tool", "is_error", "exit_code", "code"}
)
"""What calls and results of other writers carry and the loose reading understands."""


class NotStrict(Exception):
    """The file is not what the strict reading wants; the loose one takes over."""

    def __init__(self, kind: str, offset: int | None = None, line: int | None = None) -> None:
        """``kind`` names the deviation; ``offset`` or ``line`` say where it stands."""
        super().__init__(kind)
        self.kind, self.offset, self.line = kind, offset, line


@dataclass(slots=True)
class Element:
    """One element of the file with its place."""

    name: str
    """Its name; ``text`` also for text that stands directly in a message."""
    attrs: dict[str, str]
    """Its attributes, decoded."""
    begin: int
    """Offset of its first byte."""
    inner: int
    """Offset of the first byte of its content."""
    inner_end: int
    """Offset after the last byte of its content."""
    end: int
    """Offset after its last byte."""
    children: list[Element] = field(default_factory=list)
    """Its child elements, in order."""
    value: str | None = None
    """Its text, where the parser has it already."""
    direct: bool = False
    """Text without an element of its own."""
    unfinished: bool = False
    """The file ended within it."""

    def get(self, *names: str) -> str | None:
        """The first of these attributes that it has."""
        for name in names:
            if name in self.attrs:
                return self.attrs[name]
        return None


@dataclass(slots=True)
class _Call:
    """A call while its result is being looked for."""

    name: str
    input: Text
    origin: Origin
    id: str | None = None
    status: str | None = None
    start: int | None = None
    end: int | None = None
    limit_ms: int | None = None
    limit_stated: bool = False
    timed_out: bool | None = None
    interrupted: bool | None = None
    exit: int | None = None
    background: bool = False
    continues: str | None = None
    child: str | None = None
    output: Text | None = None
    truncated: bool = False
    spilled: str | None = None
    full_output: Text | None = None
    error: Text | None = None
    result_origin: Origin | None = None
    message: _Message | None = None
    unfinished: bool = False

    @property
    def answered(self) -> bool:
        return self.output is not None or self.error is not None


_ANSWERED_CALL = _Call(name="", input=Text(""), origin=NOWHERE, output=Text(""))
"""Stands for every call that has its result: another one of the same id is none of it."""


@dataclass(slots=True)
class _Result:
    """A result that stands apart from its call."""

    element: Element
    text: Text
    unread: list[Unread]
    origin: Origin
    at: int | None


@dataclass(slots=True)
class _Message:
    """A message while calls in it may still get results."""

    id: str | None
    role: Role
    origin: Origin
    carries_results: bool = False
    parts: list[Any] = field(default_factory=list)
    fields: dict[str, Any] = field(default_factory=dict)
    aliases: list[str] = field(default_factory=list)


class Reading:
    """What is known while one file is read: where things stand, what was repaired, what is missing."""

    def __init__(self, source: Source, codec: str, *, well_formed: bool) -> None:
        """Begin a reading of ``source``, strict when ``well_formed``."""
        self.source = source
        self.codec = codec
        self.well_formed = well_formed
        self._counts: dict[str, int] = {}
        self.repairs: list[Repair] = []
        self.gaps: list[Gap] = []

    def origin(self, begin: int, end: int) -> Origin:
        """The place of a stretch of bytes."""
        return Origin(line=self.source.line_at(begin), offset=begin, length=end - begin)

    def repair(self, kind: str, begin: int, end: int | None = None) -> None:
        """Note a deviation that changes nothing in what is read."""
        count = self._counts[kind] = self._counts.get(kind, 0) + 1
        if count <= _LIMIT:
            self.repairs.append(Repair(kind=kind, origin=self.origin(begin, begin if end is None else end)))

    def fault(self, kind: str, begin: int, end: int | None = None) -> None:
        """Note a deviation that the strict reading does not accept. Raises :class:`NotStrict` there."""
        if self.well_formed:
            raise NotStrict(kind, begin)
        self.repair(kind, begin, end)

    def gap(self, reason: str, begin: int, end: int) -> None:
        """Note something outside any message that could not be understood."""
        count = self._counts["gap"] = self._counts.get("gap", 0) + 1
        if count <= _LIMIT:
            self.gaps.append(Gap(reason=reason, origin=self.origin(begin, end)))

    def take(self) -> tuple[tuple[Repair, ...], tuple[Gap, ...]]:
        """Repairs and gaps noted since the last call, with what was only counted."""
        for kind in sorted(self._counts):
            more = self._counts[kind] - _LIMIT
            if more > 0 and kind == "gap":
                self.gaps.append(Gap(reason=f"{more} further gaps outside messages"))
            elif more > 0:
                self.repairs.append(Repair(kind=f"{kind} ({more} more)"))
        self._counts.clear()
        repairs, gaps = tuple(self.repairs), tuple(self.gaps)
        self.repairs, self.gaps = [], []
        return repairs, gaps

    def recipe(self, element: Element, **changes: Any) -> Recipe:
        """How to read the text of an element again."""
        return Recipe(
            source=self.source,
            offset=element.inner,
            length=element.inner_end - element.inner,
            codec=self.codec,
            well_formed=self.well_formed,
            **changes,
        )

    def data(self, element: Element) -> bytes:
        """The bytes of an element's content."""
        return bytes(self.source.view()[element.inner : element.inner_end])

    def text(self, element: Element, shape: Any = None) -> tuple[Text, list[Unread]]:
        """The text of an element, and what of it could not be read.

        Raises :class:`NotStrict` in a strict reading when ``enc="json"`` is not true.
        """
        recipe, value, unread = self.value(element)
        if shape is not None:
            recipe = recipe._replace(shape=shape)
            value = shape(value)
        return recipe.text(value), unread

    def value(self, element: Element) -> tuple[Recipe, str, list[Unread]]:
        """The decoded text of an element, how to decode it again, and what of it could not be read."""
        recipe = self.recipe(element, strip=element.direct)
        encoded = element.get("enc")
        if encoded == "json":
            data = self.data(element)
            recipe = recipe._replace(json=True)
            try:
                return recipe, recipe.decoded(data), []
            except ValueError:
                self.fault('enc="json" without a JSON string', element.begin, element.inner)
                recipe = recipe._replace(json=False)
        elif encoded is not None:
            self.fault(f'enc="{encoded}" is not known', element.begin, element.inner)
        if element.value is not None:
            return recipe, element.value, []
        data = self.data(element)
        value = recipe.decoded(data)
        return recipe, value, self._look(element, data, value)

    def _look(self, element: Element, data: bytes, value: str) -> list[Unread]:
        """Note what a loose text deviates in; the bytes that are no text."""
        begin, end = element.inner, element.inner_end
        if b"<" in data or _BARE.search(data):
            self.repair("bare & or <", begin, end)
        if CONTROL.search(value):
            self.repair("control character", begin, end)
        unread = []
        bad = readable(data, self.codec)[1] if "\ufffd" in value else []
        for one in bad[:_BAD_SHOWN]:
            shown = one.data[:16].hex(" ") + (" …" if len(one.data) > 16 else "")
            place = self.origin(begin + one.offset, begin + one.offset + len(one.data))
            count = len(one.data)
            unread.append(
                Unread(
                    reason=f"{count} byte{'s that are' if count > 1 else ' that is'} no UTF-8: {shown}",
                    origin=place,
                )
            )
        if len(bad) > _BAD_SHOWN:
            more = len(bad) - _BAD_SHOWN
            unread.append(
                Unread(reason=f"{more} more places with bytes that are no UTF-8", origin=unread[-1].origin)
            )
        if bad:
            self.repair("invalid UTF-8", begin + bad[0].offset, end)
        return unread


_BARE = lazy(rb"&(?!#[0-9]{1,9};|#[xX][0-9a-fA-F]{1,8};|lt;|gt;|amp;|quot;|apos;)")
_BAD_SHOWN = 20
_NOTE = 400
"""Characters that a client's note about the end of a call has at most."""


def attributes(element: Element) -> None:
    """Put in place the attributes that XML cannot hold: ``attrs`` is a JSON object of them."""
    packed = element.attrs.pop("attrs", None)
    if packed is None:
        return
    try:
        values = json.loads(packed)
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, dict):
        element.attrs["attrs"] = packed
        return
    element.attrs.update((name, value) for name, value in values.items() if isinstance(value, str))


class SessionBuilder:
    """Takes the messages of one session in order and makes the session."""

    def __init__(self, reading: Reading, root: Element | None, fallback: str) -> None:
        """``root`` has the session's attributes; ``fallback`` is its id when they give none."""
        self.reading = reading
        self.root = root
        self.children: list[Session] = []
        self.gaps: list[Gap] = []
        self.repairs: list[Repair] = []
        self.truncated = False
        self._messages: list[_Message | Message] = []
        self._ids: set[str] = set()
        self._calls: dict[str, _Call] = {}
        self._pending: list[_Call] = []
        if root is not None:
            attributes(root)
        attrs = root.attrs if root is not None else {}
        self.id = attrs.get("session") or fallback
        self.parent = attrs.get("parent")
        self.written = "format" in attrs
        """Whether the root says a format: then inline calls are prose."""
        if root is not None:
            self._check(root)
            if self.written and attrs["format"] != FORMAT:
                reading.repair(f'format "{attrs["format"]}" is read as {FORMAT}', root.begin, root.inner)
            self.truncated = self._yes(root, "truncated", False)

    @property
    def empty(self) -> bool:
        """Whether nothing was added yet."""
        return not (self._messages or self.children)

    def add(self, element: Element) -> None:
        """Take one ``<msg>`` with its parts."""
        message = self._message(element)
        runs: list[_Result] = []
        calls = [part for part in message.parts if isinstance(part, _Call)]
        if calls:
            self._pending = []
        parts, message.parts = message.parts, []
        for part in parts:
            if isinstance(part, _Result):
                runs.append(part)
                continue
            self._attach(runs, message)
            runs = []
            message.parts.append(part)
            if isinstance(part, _Call):
                part.message = message
                if part.id is not None:
                    self._calls.setdefault(part.id, part)
                if not part.answered:
                    self._pending.append(part)
        holder = self._attach(runs, message)
        if holder is not None and holder is not message and not message.parts:
            if message.id is not None:
                holder.aliases.append(message.id)
            holder.aliases += message.aliases
            self.reading.repair("a message that only carries a result", element.begin, element.inner)
            return
        if message.id is not None:
            if message.id in self._ids and not any(one.kind == "duplicated id" for one in self.repairs):
                self.reading.repair("duplicated id", element.begin, element.inner)
            self._ids.add(message.id)
        self._messages.append(self._settled(message, calls))

    def _settled(self, message: _Message, calls: list[_Call]) -> _Message | Message:
        """The message for good, when nothing that follows can change it: drafts of a long session take more memory."""
        if not all(call.answered for call in calls):
            return message
        for call in calls:
            if call.id is not None and self._calls.get(call.id) is call:
                self._calls[call.id] = _ANSWERED_CALL
            call.message = None
        return _finished(message, len(self._messages))

    def note(self, element: Element) -> None:
        """Take a ``<gap>`` or ``<repair>`` that stands outside messages."""
        self._check(element)
        place = self.reading.origin(element.begin, element.end)
        if element.name == "gap":
            self.gaps.append(Gap(reason=element.get("reason") or "", origin=place))
        else:
            self.repairs.append(Repair(kind=element.get("kind") or "", origin=place))

    def finish(self) -> Session:
        """The session."""
        attrs = self.root.attrs if self.root is not None else {}
        return Session(
            id=self.id,
            source_format=self._recorded_by(attrs.get("reader")),
            title=attrs.get("title"),
            client=attrs.get("source"),
            client_version=attrs.get("client"),
            directory=attrs.get("directory"),
            parent=self.parent,
            messages=tuple(
                _finished(message, index) if isinstance(message, _Message) else message
                for index, message in enumerate(self._messages)
            ),
            children=tuple(self.children),
            gaps=tuple(self.gaps),
            repairs=tuple(self.repairs),
            truncated=self.truncated,
        )

    def _recorded_by(self, reader: str | None) -> str:
        """The format that `convert` read: what its log leaves out is missing here too. Other files are read as they are."""
        known = reader is not None and self.written and _READER.fullmatch(reader) is not None
        return reader if known and reader is not None else "transcript-xml"

    # Messages

    def _message(self, element: Element) -> _Message:
        self._check(element)
        place = self.reading.origin(element.begin, element.end)
        role, carries = self._role(element)
        message = _Message(id=element.get("id") or None, role=role, origin=place, carries_results=carries)
        if "id" not in element.attrs and not self.written:
            self.reading.fault("message without id", element.begin, element.inner)
        if element.attrs.get("id") == "" and not self.written:
            self.reading.fault("empty id", element.begin, element.inner)
        message.fields = {
            "time": self._time(element, "time"),
            "ended": self._time(element, "ended"),
            "model": _once(element.get("model")),
            "agent": _once(element.get("agent")),
            "finish": _once(element.get("finish")),
            "tokens_in": self._number(element, "tokens_in"),
            "tokens_out": self._number(element, "tokens_out"),
            "reverted": self._yes(element, "reverted", False),
        }
        for one in (element, *element.children):
            known = _SPOKEN if one.name in ("msg", "text") else _ANSWERED if one.name == "tool" else set()
            spoken = one.attrs.keys() & known
            if spoken:
                reason = (
                    f"words may stand in attributes that are not known here ({', '.join(sorted(spoken))})"
                )
                message.parts.append(Unread(reason=reason, origin=place))
        for child in element.children:
            self._part(message, child)
        return message

    def _role(self, element: Element) -> tuple[Role, bool]:
        """The role, and whether messages of this role only carry results."""
        said = element.get("role")
        if said is None:
            self.reading.fault("role missing", element.begin, element.inner)
            return "unknown", False
        if said in ("user", "assistant", "system", "unknown"):
            return cast(Role, sys.intern(said)), False
        small = said.strip().lower()
        if small in _RESULT_ROLES:
            self.reading.fault(f'role "{said}"', element.begin, element.inner)
            return "user", True
        self.reading.fault(f'role "{said}"', element.begin, element.inner)
        return _ROLES.get(small, "unknown"), False

    def _part(self, message: _Message, element: Element) -> None:
        name = element.name
        self._check(element)
        place = self.reading.origin(element.begin, element.end)
        if name == "text":
            self._prose(message, element, place)
        elif name == "tool":
            self._tool(message, element, place)
        elif name in RESULTS or name == "input":
            self.reading.fault(f"<{name}> outside <tool>", element.begin, element.inner)
            text, unread = self.reading.text(element)
            message.parts.append(_Result(element, text, unread, place, message.fields["time"]))
        elif name == "reasoning":
            text, unread = self.reading.text(element)
            message.parts += [Reasoning(text=text, origin=place), *unread]
        elif name == "error":
            self._trouble(message, element)
        elif name == "compaction":
            auto = self._yes(element, "auto", None)
            message.parts.append(Compaction(auto=auto, origin=place))
        elif name == "summary":
            message.fields["summary"] = True
        elif name == "subtask":
            text, unread = self.reading.text(element)
            message.parts += [Subtask(agent=element.get("agent"), prompt=text, origin=place), *unread]
        elif name == "file":
            message.parts.append(File(name=element.get("name"), mime=element.get("mime"), origin=place))
        elif name == "changed":
            files = [self.reading.value(child)[1] for child in element.children if child.name == "path"]
            message.parts.append(Changed(files=tuple(files), origin=place))
        elif name == "gap":
            message.parts.append(Unread(reason=element.get("reason") or "", origin=place))
        elif name == "alias":
            message.aliases.append(element.get("id") or "")
        else:
            self._unknown(message, element, place)

    def _unknown(self, message: _Message, element: Element, place: Origin) -> None:
        """An element of a later version: shown as it is written, but no word of the role."""
        if not self.written:
            self.reading.fault(f"element <{element.name}> is not known", element.begin, element.inner)
        raw = Element("text", {}, element.begin, element.begin, element.end, element.end)
        value = readable(self.reading.data(raw), self.reading.codec)[0]
        message.parts += [
            Unread(
                reason=f"the element <{element.name}> is not known and shown as it is written", origin=place
            ),
            TextPart(text=Text(value), synthetic=True, origin=place),
        ]

    def _prose(self, message: _Message, element: Element, place: Origin) -> None:
        recipe, value, unread = self.reading.value(element)
        if element.direct:
            self.reading.fault("text directly in <msg>", element.begin, element.end)
        synthetic = self._yes(element, "synthetic", False)
        if message.carries_results:
            message.parts.append(_Result(element, recipe.text(value), unread, place, message.fields["time"]))
            return
        mark = self._client_note(message, value)
        if mark is not None:
            self.reading.repair("a result without an element of its own", element.begin, element.end)
            text = recipe._replace(begin=mark, end=len(value)).text(value[mark:])
            message.parts.append(_Result(element, text, unread, place, message.fields["time"]))
            return
        found = []
        if not self.written and message.role != "user" and not synthetic and "[" in value:
            found = inline_calls.find(value)
        if not any(one.kind == "call" for one in found):
            if value or not element.direct:
                message.parts.append(TextPart(text=recipe.text(value), synthetic=synthetic, origin=place))
            message.parts += unread
            return
        self._inline(message, element, recipe, value, found)
        message.parts += unread

    def _client_note(self, message: _Message, value: str) -> int | None:
        """Where the result begins when a message is nothing but the result of the open call.

        That is so when it announces it (``[output]``), or is only the client's note of a cut-off or a stop.
        """
        if message.role == "assistant" or self.written or not self._pending or self._pending[-1].answered:
            return None
        mark = inline_calls.MARK.match(value)
        if mark is not None:
            return mark.end()
        note = value.strip() if len(value) <= _NOTE else ""
        if note and (cut_off(note, output_start=note) or aborted(note, output_start=note)):
            return 0
        return None

    def _inline(
        self,
        message: _Message,
        element: Element,
        recipe: Recipe,
        value: str,
        found: Sequence[inline_calls.Inline],
    ) -> None:
        """Split prose at the calls that are written into it."""
        places = None if recipe.json else Places(self.reading.data(element), self.reading.codec)
        shift = 0
        if recipe.strip and places is not None:
            # Positions count in the stripped text, places in the whole one.
            whole = recipe._replace(strip=False).decoded(self.reading.data(element))
            shift = len(whole) - len(whole.lstrip())

        def where(begin: int, end: int) -> Origin:
            if places is None:
                return self.reading.origin(element.begin, element.end)
            return self.reading.origin(
                element.inner + places.offset(begin + shift), element.inner + places.offset(end + shift)
            )

        def cut(begin: int, end: int) -> tuple[int, int]:
            while begin < end and value[begin].isspace():
                begin += 1
            while end > begin and value[end - 1].isspace():
                end -= 1
            return begin, end

        call: _Call | None = None
        for one in found:
            if one.kind == "text":
                begin, end = cut(one.begin, one.end)
                if begin < end:
                    text = recipe._replace(begin=begin, end=end).text(value[begin:end])
                    message.parts.append(TextPart(text=text, origin=where(begin, end)))
            elif one.kind == "call":
                begin, end = cut(*one.inner)
                shape = partial(inline_calls.shape_inline, one.name)
                text = recipe._replace(begin=begin, end=end, shape=shape).text(shape(value[begin:end]))
                start, _ = cut(one.begin, one.end)
                call = _Call(name=one.name, input=text, origin=where(start, one.end))
                place = call.origin
                self.reading.repair(
                    "call written inline", place.offset or 0, (place.offset or 0) + (place.length or 0)
                )
                message.parts.append(call)
            elif call is not None:
                begin, end = one.inner
                call.output = recipe._replace(begin=begin, end=end).text(value[begin:end])
                call.result_origin = where(*cut(one.begin, one.end))

    # Calls and results

    def _tool(self, message: _Message, element: Element, place: Origin) -> None:
        name = element.get("name", "tool")
        if name is None:
            self.reading.fault("tool without name", element.begin, element.inner)
            name = "unknown"
        call = _Call(name=name, input=Text(""), origin=place, unfinished=element.unfinished)
        call.id = element.get("call", *(() if self.reading.well_formed else _REFERENCES))
        self._state(call, element)
        unread: list[Unread] = []
        given = False
        for child in element.children:
            self._check(child)
            if child.name == "input" or (child.direct and not given and not call.answered):
                if given:
                    self.reading.fault("a second input", child.begin, child.end)
                    self._extra(message, child)
                    continue
                given = True
                if child.direct:
                    self.reading.fault("text directly in <tool>", child.begin, child.end)
                call.input, missing = self._input(child, name)
                unread += missing
            elif child.name == "full_output":
                call.full_output, missing = self.reading.text(child)
                unread += missing
            elif child.name in (*RESULTS, "error") or child.direct:
                if child.direct:
                    self.reading.fault("text directly in <tool>", child.begin, child.end)
                taken = call.error if child.name == "error" else call.output
                if taken is not None:
                    self.reading.fault("a second result", child.begin, child.end)
                    self._extra(message, child)
                    continue
                text, missing = self.reading.text(child)
                unread += missing
                self._result(call, child, text, self.reading.origin(child.begin, child.end))
            else:
                self._unknown(message, child, self.reading.origin(child.begin, child.end))
        if not given:
            if not self.written:
                self.reading.repair("call without input", element.begin, element.inner)
            command = element.get("command")
            if self.written or command is None:
                call.input = Text("" if self.written else "{}")
            else:
                call.input = Text(json.dumps({"command": command}, ensure_ascii=False))
        message.parts += [call, *unread]

    def _input(self, element: Element, tool: str) -> tuple[Text, list[Unread]]:
        if self.written:
            return self.reading.text(element)
        _, value, _ = self.reading.value(element)
        if inline_calls.is_input(value):
            return self.reading.text(element)
        self.reading.repair("input that is no JSON object", element.begin, element.end)
        return self.reading.text(element, partial(inline_calls.shape_input, tool))

    def _extra(self, message: _Message, element: Element) -> None:
        """What a call already has: kept as text of the client."""
        text, unread = self.reading.text(element)
        place = self.reading.origin(element.begin, element.end)
        message.parts += [TextPart(text=text, synthetic=True, origin=place), *unread]

    def _state(self, call: _Call, element: Element) -> None:
        """What the attributes of an element say about a call; later elements add to earlier ones."""
        status = element.get("status")
        if status is not None:
            known = status if self.reading.well_formed else status.strip().lower()
            if known not in _STATUSES or (self.reading.well_formed and known not in _STRICT_STATUSES):
                self.reading.fault(f'status "{status}" is not known', element.begin, element.inner)
            else:
                call.status = _STATUSES[known]
        if element.get("is_error") is not None and self._yes(element, "is_error", False):
            call.status = "error"
        for name in ("start", "end"):
            moment = self._time(element, name)
            if moment is not None:
                setattr(call, name, moment)
        limit = element.get("limit_ms")
        if limit is not None:
            call.limit_stated = True
            call.limit_ms = self._number(element, "limit_ms") if limit else None
        code = self._number(
            element, *(("exit",) if self.reading.well_formed else ("exit", "exit_code", "code"))
        )
        if code is not None:
            call.exit = code
        if "timed_out" in element.attrs:
            call.timed_out = self._yes(element, "timed_out", None)
        if "interrupted" in element.attrs:
            call.interrupted = self._yes(element, "interrupted", None)
        call.background = self._yes(element, "background", call.background)
        call.continues = element.get("continues") if "continues" in element.attrs else call.continues
        call.child = element.get("child") if "child" in element.attrs else call.child
        call.truncated = self._yes(element, "truncated", call.truncated)
        call.spilled = element.get("spilled") if "spilled" in element.attrs else call.spilled

    def _result(self, call: _Call, element: Element, text: Text, place: Origin) -> None:
        if element.name != "tool":
            self._state(call, element)
        if element.name == "error" or (
            element.name != "output" and call.status == "error" and "is_error" in element.attrs
        ):
            call.error = text
        elif element.get("none") is None or not self._yes(element, "none", False):
            call.output = text
        call.result_origin = call.result_origin or place

    def _attach(self, results: list[_Result], message: _Message) -> _Message | None:
        """Give results that stand apart to their calls; the message that holds the last one."""
        if not results:
            return None
        holder: _Message | None = None
        named: list[tuple[_Result, _Call | None]] = []
        loose: list[tuple[_Result, _Call | None]] = []
        for result in results:
            references = [result.element.attrs[key] for key in _REFERENCES if key in result.element.attrs]
            call = next((self._calls[one] for one in references if one in self._calls), None)
            (loose if call is None else named).append((result, call))
        open_calls = [
            call
            for call in self._pending
            if not call.answered and all(call is not other for _, other in named)
        ]
        # Fewer results than open calls: the ones next to them are meant.
        nearest = open_calls[-len(loose) :] if loose and len(loose) < len(open_calls) else open_calls
        pairs = {id(result): call for (result, _), call in zip(loose, nearest, strict=False)}
        for result in results:
            call = next((call for one, call in named if one is result), None) or pairs.get(id(result))
            if call is None or call.answered:
                message.parts += self._stray(result)
                continue
            self._result(call, result.element, result.text, result.origin)
            if call.end is None and result.at is not None and call.message is not message:
                call.end = result.at
            holder = call.message or message
            holder.parts += result.unread
        return holder

    def _stray(self, result: _Result) -> list[Part]:
        """A result of no call: nobody's words, and a gap of the session."""
        element = result.element
        what = "an input" if element.name == "input" else "a result"
        self.reading.gap(f"{what} without a call, shown as text", element.begin, element.end)
        return [TextPart(text=result.text, synthetic=True, origin=result.origin), *result.unread]

    def _trouble(self, message: _Message, element: Element) -> None:
        _, value, unread = self.reading.value(element)
        name = element.get("name")
        if name is None:
            words = value.split(maxsplit=1)
            name = words[0].rstrip(":,.;") if words else ""
            if len(words) == 2 and (words[0].endswith(":") or _ERROR_NAME.fullmatch(name)):
                value = words[1]
            name = name or "unknown"
        message.parts += unread
        if "error" in message.fields:
            self.reading.repair("a second error", element.begin, element.end)
            text = Text(f"{name}: {value}")
            place = self.reading.origin(element.begin, element.end)
            message.parts.append(TextPart(text=text, synthetic=True, origin=place))
            return
        message.fields["error"] = Trouble(name=name, text=value)

    # Attributes

    def _check(self, element: Element) -> None:
        attributes(element)
        known = KNOWN.get(element.name)
        if known is None or element.attrs.keys() <= known:
            return
        loosely = not self.reading.well_formed and element.name in (*RESULTS, "tool", "error")
        for name, value in element.attrs.items():
            if name not in known and not (loosely and name in _LOOSE_ATTRIBUTES):
                kind = f'attribute {name}="{value[:200]}" of <{element.name}> is not known'
                self.reading.repair(kind, element.begin, element.inner)

    def _wrong(self, element: Element, name: str) -> None:
        value = element.attrs[name]
        self.reading.fault(f'{name}="{value}" is not understood', element.begin, element.inner)

    def _number(self, element: Element, *names: str) -> int | None:
        for name in names:
            value = element.get(name)
            if value is None:
                continue
            if re.fullmatch(r"[+-]?[0-9]{1,18}", value.strip()):
                return int(value)
            self._wrong(element, name)
        return None

    def _time(self, element: Element, name: str) -> int | None:
        value = element.get(name)
        if value is None:
            return None
        moment = milliseconds(value)
        if moment is None:
            self._wrong(element, name)
        return moment

    def _yes(self, element: Element, name: str, otherwise: Any) -> Any:
        value = element.get(name)
        if value is None:
            return otherwise
        table = _YES if self.reading.well_formed else _LOOSE_YES
        known = table.get(value if self.reading.well_formed else value.strip().lower())
        if known is None:
            self._wrong(element, name)
            return otherwise
        return known


_ERROR_NAME = lazy(r"[A-Z]\w*(?:Error|Exception|Abort|Aborted)")


def milliseconds(value: str) -> int | None:
    """Milliseconds since the epoch of an ISO 8601 time (UTC where it names no zone) or a bare number."""
    value = value.strip()
    if re.fullmatch(r"-?[0-9]{1,18}", value):
        return int(value)
    try:
        moment = datetime.fromisoformat(value)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return (moment - _EPOCH) // timedelta(milliseconds=1)
    except (ValueError, OverflowError):
        return None


def _once(word: str | None) -> str | None:
    """A word that stands in every other message, in memory but once."""
    return None if word is None else sys.intern(word)


def _finished(message: _Message, index: int) -> Message:
    return Message(
        id=message.id,
        index=index,
        role=message.role,
        parts=tuple(_parts(message)),
        aliases=tuple(message.aliases),
        origin=message.origin,
        **message.fields,
    )


def _parts(message: _Message) -> Iterator[Part]:
    for part in message.parts:
        yield _call(part) if isinstance(part, _Call) else part


def _call(draft: _Call) -> Call:
    """The call with what its result says about its end, where no attribute says it."""
    timed_out, interrupted = draft.timed_out, draft.interrupted
    limit, truncated, spilled = draft.limit_ms, draft.truncated, draft.spilled
    kind = draft.name.lower()
    quotes = kind in inline_calls.READING or kind in inline_calls.WRITING
    said = [text for text in (draft.error, None if quotes else draft.output) if text is not None]
    # Files that `convert` wrote always say `timed_out`; for others the client's words in the result do.
    stated = timed_out is not None or interrupted is not None
    worded = None
    if timed_out or not stated:
        worded = next(filter(None, (cut_off(text.end(), output_start=text.head) for text in said)), None)
        if worded is None and kind not in inline_calls.SHELL:
            worded = next(filter(None, (mcp_cut_off(text) for text in said)), None)
    if not stated:
        timed_out = worded is not None
        interrupted = not timed_out and any(aborted(text.end(), output_start=text.head) for text in said)
        if draft.output is not None and not quotes and not truncated and spilled is None:
            cut = shortened(draft.output.head, draft.output.end())
            if cut is not None:
                truncated, spilled = True, cut[1]
    if limit is None and not draft.limit_stated:
        if worded is not None:
            limit = worded.limit_ms
        if limit is None and kind in inline_calls.SHELL and (timed_out or not stated):
            limit = _asked(draft.input)
    status = draft.status
    if status is None:
        if draft.error is not None:
            status = "error"
        else:
            status = "running" if draft.unfinished and draft.output is None else "completed"
    return Call(
        id=draft.id,
        name=sys.intern(draft.name),
        input=draft.input,
        status=cast(Status, status),
        start=draft.start,
        end=draft.end,
        limit_ms=limit,
        timed_out=bool(timed_out),
        interrupted=bool(interrupted),
        exit=draft.exit,
        background=draft.background,
        continues=draft.continues,
        child=draft.child,
        output=draft.output,
        truncated=truncated,
        spilled=spilled,
        full_output=draft.full_output,
        error=draft.error,
        origin=draft.origin,
        result_origin=draft.result_origin,
    )


def _asked(arguments: Text) -> int | None:
    """The limit in milliseconds that a call asked for."""
    if "time" not in arguments.ends():
        return None
    asked = Call(name="", input=arguments).arguments()
    for name in ("timeout", "timeout_ms"):
        value = asked.get(name)
        if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 10**18:
            return value
    return None
