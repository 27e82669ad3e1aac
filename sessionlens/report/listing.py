"""Sessions as lines: one as it was read, with its gaps, for ``show``; those of a store, for ``sessions``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import msgspec

from sessionlens.model import (
    Call,
    Changed,
    Compaction,
    File,
    Message,
    Origin,
    Part,
    Reasoning,
    Session,
    Subtask,
    Text,
    TextPart,
    Unread,
)
from sessionlens.report.json import moment
from sessionlens.safe import line
from sessionlens.wording import in_words

LINES = 20
"""Lines of a text that are shown where not everything is asked for: so many from its beginning."""


def lines(session: Session, *, message: str | None = None, full: bool = False) -> Iterator[str]:
    """The session and its children, or one message of them.

    :param message: id of the only message to show.
    :param full: every text whole, instead of its first lines.
    """
    for one in session.family():
        if message is not None:
            found = one.find(message)
            if found is not None:
                yield from _message(found, full)
            continue
        yield from _head(one)
        for shown in one.messages:
            yield from _message(shown, full)
        yield ""


def _head(session: Session) -> Iterator[str]:
    yield f"session {session.id}" + (f": {session.title}" if session.title else "")
    client = " ".join(part for part in (session.client, session.client_version) if part)
    facts = [f"read as {session.source_format}", client, session.directory or ""]
    yield "  " + ", ".join(fact for fact in facts if fact)
    if session.parent:
        yield f"  child of {session.parent}"
    began, ended = moment(session.started), moment(session.ended)
    if began:
        yield f"  {began} to {ended}"
    calls = sum(len(message.calls) for message in session.messages)
    yield f"  messages: {len(session.messages)}, calls: {calls}, repairs: {len(session.repairs)}"
    if session.truncated:
        yield "  the log stops before its end"
    for gap in session.gaps:
        yield f"  gap{_at(gap.origin)}: {gap.reason}"
    for repair in session.repairs[:LINES]:
        yield f"  repair{_at(repair.origin)}: {repair.kind}"
    if len(session.repairs) > LINES:
        yield f"  … and {len(session.repairs) - LINES} more repairs"


def _message(message: Message, full: bool) -> Iterator[str]:
    facts = [
        "role unknown" if message.role == "unknown" else message.role,
        moment(message.time) or "",
        message.model or "",
        f"finish {message.finish}" if message.finish else "",
        f"{message.tokens_out} tokens out" if message.tokens_out is not None else "",
        "summary" if message.summary else "",
        "reverted" if message.reverted else "",
        "empty" if message.empty and message.role != "user" else "",
    ]
    yield ""
    name = f" {message.id}" if message.id is not None else ""
    yield f"#{message.index}{name}{_at(message.origin)}: {', '.join(fact for fact in facts if fact)}"
    for part in message.parts:
        yield from _part(part, full)
    if message.error is not None:
        yield f"  error {message.error.name}" + (f": {message.error.text}" if message.error.text else "")


def _part(part: Part, full: bool) -> Iterator[str]:
    if isinstance(part, TextPart):
        if part.synthetic:
            yield "  [written by the client]"
        yield from _text(part.text, "  ", full)
    elif isinstance(part, Reasoning):
        yield "  [reasoning]"
        yield from _text(part.text, "    ", full)
    elif isinstance(part, Call):
        yield from _call(part, full)
    elif isinstance(part, Compaction):
        yield "  [compaction]"
    elif isinstance(part, Subtask):
        yield f"  [subtask for {part.agent or 'an agent'}]"
        yield from _text(part.prompt, "    ", full)
    elif isinstance(part, File):
        yield f"  [file {part.name or ''} {part.mime or ''}]"
    elif isinstance(part, Changed):
        yield f"  [files changed: {', '.join(part.files)}]"
    elif isinstance(part, Unread):
        yield f"  gap{_at(part.origin)}: {part.reason}"


def _call(call: Call, full: bool) -> Iterator[str]:
    took = call.end - call.start if call.start is not None and call.end is not None else None
    limit = in_words(call.limit_ms)
    facts = [
        call.status,
        f"exit {call.exit}" if call.exit is not None else "",
        f"took {in_words(took)}" if took is not None else "",
        (f"cut off at {limit}" if limit else "cut off")
        if call.timed_out
        else f"limit {limit}"
        if limit
        else "",
        "interrupted" if call.interrupted else "",
        "in the background" if call.background else "",
        f"child {call.child}" if call.child else "",
        f"continues {call.continues}" if call.continues else "",
        "output cut by the client" if call.truncated else "",
        f"whole output in {call.spilled}" if call.spilled else "",
    ]
    name = f" {call.id}" if call.id is not None else ""
    yield f"  [{call.name}]{name}{_at(call.origin)}: {', '.join(fact for fact in facts if fact)}"
    yield from _text(call.input, "    > ", full)
    for text in (call.output, call.error):
        if text is not None:
            yield from _text(text, "    ", full)


def _text(text: Text, indent: str, full: bool) -> Iterator[str]:
    if full or not text.long:
        rows = text.whole().splitlines()
        for row in rows if full else rows[:LINES]:
            yield indent + row
        if not full and len(rows) > LINES:
            yield f"{indent}… {len(rows) - LINES} more lines; --full shows them"
        return
    for row in text.head.splitlines()[:LINES]:
        yield indent + row
    yield f"{indent}… of {text.length} characters; --full shows them"


def _at(origin: Origin) -> str:
    where = [origin.file or "", f"line {origin.line}" if origin.line is not None else ""]
    named = ", ".join(part for part in where if part)
    return f" ({named})" if named else ""


class Row(Protocol):
    """One session of a store, as a list of sessions needs it."""

    @property
    def id(self) -> str:
        """Its id."""

    @property
    def client(self) -> str:
        """The client that keeps it."""

    @property
    def title(self) -> str | None:
        """Its title."""

    @property
    def asked(self) -> str | None:
        """Where it has no title, how it begins."""

    @property
    def forked_from(self) -> str | None:
        """Id of the session that it copied the beginning of."""

    @property
    def depth(self) -> int:
        """How deep it stands below its parents."""

    @property
    def updated(self) -> int | None:
        """Its last activity."""

    @property
    def messages(self) -> int | None:
        """How many messages."""

    @property
    def cut_offs(self) -> int | None:
        """How many calls a limit ended."""

    @property
    def size(self) -> int | None:
        """Its size in bytes."""


def rows(listed: Sequence[msgspec.Struct]) -> list[dict[str, Any]]:
    """Sessions of a store as JSON shows them: times in ISO 8601, as in an audit."""
    shown = []
    for one in listed:
        row = msgspec.structs.asdict(one)
        shown.append(row | {name: moment(row[name]) for name in ("created", "updated")})
    return shown


def table(rows: Sequence[Row]) -> Iterator[str]:
    """Sessions as lines: id, client, last activity, messages, cut-offs, size, title and origin of a fork."""
    if not rows:
        return
    wide = max(len("session"), *(len(row.id) + 2 * min(row.depth, 8) for row in rows))
    clients = max(len("client"), *(len(row.client) for row in rows))
    yield (
        f"{'session':{wide}}  {'client':{clients}}  {'last activity (UTC)':19}  {'messages':>8}  {'cut off':>7}  "
        f"{'size':>8}  title"
    )
    for row in rows:
        name = "  " * min(row.depth, 8) + line(row.id)
        active = (moment(row.updated) or "").replace("T", " ")[:19]
        titled = [line(row.title, 80)] if row.title else [f"“{line(row.asked, 78)}”"] if row.asked else []
        if row.forked_from is not None:
            titled.append(f"(fork of {line(row.forked_from, 80)})")
        yield (
            f"{name:{wide}}  {row.client:{clients}}  {active:19}  {_figure(row.messages):>8}  "
            f"{_figure(row.cut_offs):>7}  {_size(row.size):>8}  {' '.join(titled)}"
        ).rstrip()


def _figure(number: int | None) -> str:
    return "?" if number is None else str(number)


def _size(size: int | None) -> str:
    if size is None:
        return "?"
    if size < 1000:
        return f"{size} B"
    for unit, step in (("KB", 10**3), ("MB", 10**6)):
        if size < 1000 * step:
            return f"{size / step:.1f} {unit}"
    return f"{size / 10**9:.1f} GB"
