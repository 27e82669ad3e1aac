"""The writer of ``sessionlens convert``: sessions as transcript XML (CONTRACT §2, version ``sessionlens/1``).

Reading the result gives sessions of equal content. What the format has beyond the contract's example is listed
in :mod:`sessionlens.readers.transcript_xml`. The same sessions always give the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import IO

from sessionlens.cache import lazy
from sessionlens.model import (
    Call,
    Changed,
    Compaction,
    File,
    Message,
    Part,
    Reasoning,
    Session,
    Subtask,
    Text,
    TextPart,
    Unread,
)

FORMAT = "sessionlens/1"
"""Version that the root element names."""

_FORBIDDEN = lazy("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_SPECIAL = lazy(r"[&<>\r]")
_SPECIAL_IN_VALUE = lazy(r"[&<>\"\r\n\t]")
_NAMES = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "\r": "&#13;",
    "\n": "&#10;",
    "\t": "&#9;",
}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LATEST = 253_402_300_799_999
"""Last millisecond of the year 9999; times outside year 1 to 9999 are written as numbers."""
_EARLIEST = -62_135_596_800_000

_Value = str | int | bool | None


def write(sessions: Iterable[Session], stream: IO[str]) -> None:
    """Write sessions with their children as transcript XML.

    One session makes a well-formed document. Several stand one after the other as several roots, which the
    loose reading takes apart again. Opens nothing and closes nothing.
    """
    for session in sessions:
        for piece in _session(session):
            stream.write(piece)


def _session(top: Session) -> Iterator[str]:
    """One root element; nesting is kept on a stack, for children may go deep."""
    stack: list[tuple[Session, int]] = [(top, -1)]
    while stack:
        session, child = stack.pop()
        if child < 0:
            yield from _opening(session)
            child = 0
        if child < len(session.children):
            stack.append((session, child + 1))
            stack.append((session.children[child], -1))
        else:
            yield "</conversation_data>\n"


def _opening(session: Session) -> Iterator[str]:
    attributes: dict[str, _Value] = {
        "format": FORMAT,
        "source": session.client,
        "reader": session.source_format if session.source_format != "transcript-xml" else None,
        "session": session.id,
        "title": session.title,
        "client": session.client_version,
        "directory": session.directory,
        "parent": session.parent,
        "truncated": session.truncated or None,
    }
    yield _tag("conversation_data", attributes) + "\n"
    for gap in session.gaps:
        yield _tag("gap", {"reason": gap.reason}, empty=True) + "\n"
    for repair in session.repairs:
        yield _tag("repair", {"kind": repair.kind, "line": repair.origin.line}, empty=True) + "\n"
    for message in session.messages:
        yield from _message(message)


def _message(message: Message) -> Iterator[str]:
    attributes: dict[str, _Value] = {
        "id": "" if message.id is None else message.id,
        "role": message.role,
        "time": _time(message.time),
        "ended": _time(message.ended),
        "model": message.model,
        "agent": message.agent,
        "finish": message.finish,
        "tokens_in": message.tokens_in,
        "tokens_out": message.tokens_out,
        "reverted": message.reverted or None,
    }
    yield _tag("msg", attributes) + "\n"
    for alias in message.aliases:
        yield _line(_tag("alias", {"id": alias}, empty=True))
    if message.summary:
        yield _line("<summary/>")
    for part in message.parts:
        yield _line(_part(part))
    if message.error is not None:
        yield _line(_string("error", {"name": message.error.name}, message.error.text))
    yield "</msg>\n"


def _line(element: str) -> str:
    return f"  {element}\n"


def _part(part: Part) -> str:
    if isinstance(part, TextPart):
        return _text("text", {"synthetic": part.synthetic or None}, part.text)
    if isinstance(part, Reasoning):
        return _text("reasoning", {}, part.text)
    if isinstance(part, Call):
        return _call(part)
    if isinstance(part, Compaction):
        return _tag("compaction", {"auto": part.auto}, empty=True)
    if isinstance(part, Subtask):
        return _text("subtask", {"agent": part.agent}, part.prompt)
    if isinstance(part, File):
        return _tag("file", {"name": part.name, "mime": part.mime}, empty=True)
    if isinstance(part, Changed):
        return "<changed>" + "".join(_string("path", {}, path) for path in part.files) + "</changed>"
    return _gap(part)


def _gap(part: Unread) -> str:
    return _tag("gap", {"reason": part.reason}, empty=True)


def _call(call: Call) -> str:
    limit: _Value = call.limit_ms
    if limit is None and call.timed_out:
        limit = ""
    attributes: dict[str, _Value] = {
        "name": call.name,
        "call": call.id,
        "status": call.status,
        "start": _time(call.start),
        "end": _time(call.end),
        "limit_ms": limit,
        "timed_out": call.timed_out,
        "interrupted": call.interrupted or None,
        "exit": call.exit,
        "background": call.background or None,
        "continues": call.continues,
        "child": call.child,
    }
    pieces = [_tag("tool", attributes), "\n    ", _text("input", {}, call.input)]
    known: dict[str, _Value] = {"truncated": call.truncated or None, "spilled": call.spilled}
    if call.output is not None:
        pieces += ["\n    ", _text("output", known, call.output)]
    elif call.truncated or call.spilled is not None:
        pieces += ["\n    ", _tag("output", {"none": True, **known}, empty=True)]
    if call.full_output is not None:
        pieces += ["\n    ", _text("full_output", {}, call.full_output)]
    if call.error is not None:
        pieces += ["\n    ", _text("error", {}, call.error)]
    pieces.append("\n  </tool>")
    return "".join(pieces)


def _text(name: str, attributes: dict[str, _Value], text: Text) -> str:
    return _string(name, attributes, text.whole())


def _string(name: str, attributes: dict[str, _Value], value: str) -> str:
    """An element with a text; as a JSON string where XML cannot hold its characters."""
    if _FORBIDDEN.search(value):
        attributes = {**attributes, "enc": "json"}
        value = _ascii(value)
    content = _SPECIAL.sub(lambda found: _NAMES[found[0]], value)
    return f"{_tag(name, attributes)}{content}</{name}>"


def _ascii(value: object) -> str:
    """JSON in ASCII, also without DEL, so that XML can hold it."""
    return json.dumps(value, ensure_ascii=True)


def _tag(name: str, attributes: dict[str, _Value], *, empty: bool = False) -> str:
    """An opening tag. Values that XML cannot hold go into the attribute ``attrs`` as JSON."""
    pieces = [name]
    packed: dict[str, str] = {}
    for key, value in attributes.items():
        if value is None:
            continue
        text = str(value).lower() if isinstance(value, bool) else str(value)
        if _FORBIDDEN.search(text):
            packed[key] = text
        else:
            pieces.append(f'{key}="{_quoted(text)}"')
    if packed:
        pieces.append(f'attrs="{_quoted(_ascii(packed))}"')
    return "<" + " ".join(pieces) + ("/>" if empty else ">")


def _quoted(value: str) -> str:
    return _SPECIAL_IN_VALUE.sub(lambda found: _NAMES[found[0]], value)


def _time(moment: int | None) -> str | None:
    """ISO 8601 in UTC with milliseconds."""
    if moment is None:
        return None
    if not _EARLIEST <= moment <= _LATEST:
        return str(moment)
    when = _EPOCH + timedelta(milliseconds=moment)
    return f"{when:%Y-%m-%dT%H:%M:%S}.{when.microsecond // 1000:03d}Z".rjust(24, "0")
