"""opencode's second generation of messages, wherever they are stored: rows, answers of ``/api``, events.

From 1.17 on the database has a table ``session_message`` beside ``message`` and ``part``; it is filled by sessions that
are driven through ``/api/session`` (opencode-formats §9). A record is one message with all its content: ``user``,
``assistant`` with texts, reasoning and tools, ``synthetic``, ``system``, ``shell``, ``compaction``, and two kinds that
are notes of the client only (``agent-switched``, ``model-switched``). Facts are those of the types published with the
client (``@opencode-ai/sdk`` 1.18.34) and of sessions made with client 1.18.34 itself:

- A tool that ran out of time is ``completed``, its ``structured.timeout`` is true and the text says the limit. What it
  had printed is lost. Its exit code is ``structured.exit``, and a last text of its content repeats it.
- A stop by the person is an error of the tool (``Tool execution interrupted``) or of the message (``Provider turn
  interrupted``). After a crash the client says the same of a tool, but then the message was never completed.
- Messages stand in the order of their ``seq``; answers of ``/api`` list the newest first.

What is of a kind not known here becomes a gap with the name of its kind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import msgspec

from sessionlens.model import (
    Call,
    Changed,
    Compaction,
    File,
    Message,
    Part,
    Reasoning,
    Role,
    Session,
    Status,
    Text,
    TextPart,
    Trouble,
    Unread,
)
from sessionlens.readers import wordings
from sessionlens.readers.jsonl import as_json, integer, string, within
from sessionlens.readers.opencode import SHELL_TOOLS, Raw, decode, file_name, handle

NOTES = frozenset({"agent-switched", "model-switched"})
"""Records that are no messages: every message names its agent and model itself."""
KINDS = frozenset({"user", "assistant", "synthetic", "system", "shell", "compaction"}) | NOTES
"""Kinds of records known here."""
_DEFAULT_LIMIT_MS = 120_000
"""Limit of the tool ``bash`` unless asked for (its own description in 1.18.34)."""
_STATUSES: dict[str, Status] = {
    "pending": "pending",
    "streaming": "pending",
    "running": "running",
    "completed": "completed",
    "error": "error",
}
_STOPPED = "Provider turn interrupted"
_TOOL_STOPPED = "Tool execution interrupted"

Way = tuple[str | int, ...]


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """One stored message."""

    kind: str
    """Its type, which a row keeps apart from the object."""
    raw: Raw
    """The object."""


class _Data(msgspec.Struct):
    id: Any = None
    sessionID: Any = None
    time: Any = None
    text: Any = None
    files: Any = None
    agents: Any = None
    agent: Any = None
    model: Any = None
    content: Any = None
    snapshot: Any = None
    finish: Any = None
    tokens: Any = None
    error: Any = None
    callID: Any = None
    command: Any = None
    output: Any = None
    reason: Any = None
    summary: Any = None
    recent: Any = None


def with_records(session: Session, records: Sequence[Record], *, reverted_from: str | None = None) -> Session:
    """The session with the messages of its records among those it has, by their times.

    A record of a message that the session has already is left out: a client that writes both stores writes it twice.
    ``reverted_from`` is the id of the message from which on the person undid everything.
    """
    known = {message.id for message in session.messages}
    found = [one for one in messages(records) if one.id not in known]
    if not found:
        return session
    if session.messages:
        # Both lists are in order; one without a time keeps its place behind the one before it.
        merged = sorted([*_timed(session.messages), *_timed(found)], key=lambda pair: pair[0])
        ordered = [message for _, message in merged]
    else:
        ordered = found
    ordered = [msgspec.structs.replace(message, index=index) for index, message in enumerate(ordered)]
    if reverted_from is not None:
        at = next((one.index for one in ordered if reverted_from in (one.id, *one.aliases)), len(ordered))
        ordered[at:] = [msgspec.structs.replace(one, reverted=True) for one in ordered[at:]]
    return msgspec.structs.replace(session, messages=tuple(ordered))


def _timed(found: Iterable[Message]) -> list[tuple[int, Message]]:
    last, timed = 0, []
    for message in found:
        last = message.time if message.time is not None else last
        timed.append((last, message))
    return timed


def messages(records: Iterable[Record]) -> list[Message]:
    """The messages of records that stand in their order."""
    found: list[Message] = []
    notes: list[str] = []
    for record in records:
        if record.kind in NOTES:
            notes += [record.raw.id] if record.raw.id is not None else []
            continue
        message = _message(record)
        found.append(msgspec.structs.replace(message, index=len(found), aliases=tuple(notes)))
        notes = []
    if notes and found:
        found[-1] = msgspec.structs.replace(found[-1], aliases=(*found[-1].aliases, *notes))
    return found


def _message(record: Record) -> Message:
    raw = record.raw
    try:
        data: _Data = decode(raw.data, _Data)
    except ValueError:
        unread = Unread(reason="a message is no readable JSON object", origin=raw.origin)
        return Message(
            id=raw.id, index=0, role=_role(record.kind), parts=(unread,), time=raw.created, origin=raw.origin
        )
    error = _trouble(data.error)
    parts, aliases = _parts(record, data, error)
    created = integer(within(data.time, "created"))
    assistant = record.kind in ("assistant", "shell")
    return Message(
        id=raw.id or string(data.id),
        index=0,
        role=_role(record.kind),
        parts=tuple(parts),
        time=created if created is not None else raw.created,
        ended=integer(within(data.time, "completed")),
        model=string(within(data.model, "id")) if assistant else None,
        agent=string(data.agent),
        finish=string(data.finish),
        tokens_in=integer(within(data.tokens, "input")),
        tokens_out=integer(within(data.tokens, "output")),
        error=error,
        summary=record.kind == "compaction",
        aliases=aliases,
        origin=raw.origin,
    )


def _role(kind: str) -> Role:
    if kind in ("assistant", "shell"):
        return "assistant"
    if kind in ("user", "synthetic", "compaction"):
        return "user"
    return "system" if kind == "system" else "unknown"


def _trouble(error: Any) -> Trouble | None:
    if error is None:
        return None
    words = string(within(error, "message")) or as_json(error)
    if words == _STOPPED:
        return Trouble(name="MessageAbortedError", text=words)
    name = string(within(error, "type")) or string(within(error, "name"))
    return Trouble(name="UnknownError" if name in (None, "unknown") else str(name), text=words)


def _parts(record: Record, data: _Data, error: Trouble | None) -> tuple[list[Part], tuple[str, ...]]:
    raw, kind = record.raw, record.kind
    if kind == "assistant":
        return _answer(raw, data, error), ()
    if kind == "shell":
        return [_typed(raw, data)], ()
    if kind == "compaction":
        auto = data.reason == "auto" if isinstance(data.reason, str) else None
        parts: list[Part] = [Compaction(auto=auto, origin=raw.origin)]
        for key in ("summary", "recent"):
            if string(getattr(data, key)):
                shown = _text(getattr(data, key), raw, key)
                parts.append(TextPart(text=shown, synthetic=True, origin=raw.origin))
        return parts, ()
    if kind not in KINDS:
        reason = f"a message of a kind that is not known here ({kind[:60] or 'no type'})"
        return [Unread(reason=reason, origin=raw.origin)], ()
    said = TextPart(text=_text(data.text, raw, "text"), synthetic=kind != "user", origin=raw.origin)
    files = [
        File(
            name=file_name(within(one, "name"), within(one, "uri")),
            mime=string(within(one, "mime")),
            origin=raw.origin,
        )
        for one in _list(data.files)
    ]
    # A mention that stands in the person's own text too; the client resolved it.
    mentions = [
        TextPart(text=Text(f"@{string(within(one, 'name')) or ''}"), synthetic=True, origin=raw.origin)
        for one in _list(data.agents)
    ]
    return [said, *files, *mentions], ()


def _answer(raw: Raw, data: _Data, error: Trouble | None) -> list[Part]:
    parts: list[Part] = []
    completed = integer(within(data.time, "completed")) is not None
    for number, item in enumerate(_list(data.content)):
        kind = string(within(item, "type")) or ""
        way: Way = ("content", number)
        if kind == "text":
            parts.append(TextPart(text=_text(within(item, "text"), raw, *way, "text"), origin=raw.origin))
        elif kind == "reasoning":
            parts.append(Reasoning(text=_text(within(item, "text"), raw, *way, "text"), origin=raw.origin))
        elif kind == "tool":
            stoppable = completed and (error is None or error.name == "MessageAbortedError")
            parts += _call(raw, item, way, stoppable=stoppable)
        else:
            reason = f"a part of a kind that is not known here ({kind[:60] or 'no type'})"
            parts.append(Unread(reason=reason, origin=raw.origin))
    changed = [name for name in _list(within(data.snapshot, "files")) if isinstance(name, str)]
    if changed:
        parts.append(Changed(files=tuple(changed), origin=raw.origin))
    return parts


def _typed(raw: Raw, data: _Data) -> Call:
    """A command that the person ran in the client (``!command``): no limit, no exit code."""
    ended = integer(within(data.time, "completed"))
    return Call(
        id=string(data.callID),
        name="bash",
        input=Text(as_json({"command": string(data.command) or ""})),
        status="completed" if ended is not None else "running",
        start=integer(within(data.time, "created")),
        end=ended,
        output=_text(data.output, raw, "output") if isinstance(data.output, str) else None,
        origin=raw.origin,
    )


def _call(raw: Raw, item: Any, way: Way, *, stoppable: bool) -> list[Part]:
    """A tool of an answer. ``stoppable``: what interrupted it can have been the person, and neither a crash nor an error."""
    name = string(within(item, "name")) or "unknown"
    state = within(item, "state")
    structured = within(state, "structured")
    shell = name in SHELL_TOOLS
    pieces = _list(within(state, "content"))
    words = within(state, "error", "message")
    error = None
    if within(state, "error") is not None:
        error = _text(
            words if isinstance(words, str) else as_json(within(state, "error")),
            raw,
            *way,
            "state",
            "error",
            "message",
        )
    status = _STATUSES.get(str(within(state, "status")))
    if status is None:
        status = "error" if error is not None else "completed" if pieces else "running"
    code = integer(within(structured, "exit")) if shell else None
    shown = _shown(state, code)
    output = _handle(shown, partial(_shown_again, raw.fetch, (*way, "state"), code) if raw.fetch else None)
    answered = bool(shown) or status == "completed"
    limit = _limit(name, within(state, "input"))
    timed_out = shell and within(structured, "timeout") is True
    cut = (
        wordings.cut_off(shown.removesuffix("\nCommand timed out before completion."), client="opencode")
        if shell and code is None
        else None
    )
    if error is not None and not shell:
        cut = wordings.mcp_cut_off(error)
    if cut is not None:
        timed_out, limit = True, cut.limit_ms if cut.limit_ms is not None else limit
    paths = [path for path in _list(within(state, "outputPaths")) if isinstance(path, str)]
    asked = within(state, "input")
    child = string(within(structured, "sessionID")) or string(within(structured, "sessionId"))
    call = Call(
        id=string(within(item, "id")),
        name=name,
        input=_handle(
            asked if isinstance(asked, str) else as_json(asked if asked is not None else {}),
            partial(_again, raw.fetch, (*way, "state", "input")) if raw.fetch else None,
        ),
        status=status,
        start=integer(within(item, "time", "ran")) or integer(within(item, "time", "created")),
        end=integer(within(item, "time", "completed")),
        limit_ms=limit,
        timed_out=timed_out,
        interrupted=stoppable and words == _TOOL_STOPPED,
        exit=code,
        child=child if child is not None and child.startswith("ses_") else None,
        output=output if answered else None,
        truncated=within(structured, "truncated") is True or bool(paths),
        spilled=paths[0] if paths else None,
        error=error,
        origin=raw.origin,
    )
    files: list[Part] = [
        File(
            name=file_name(within(one, "name"), within(one, "uri")),
            mime=string(within(one, "mime")),
            origin=raw.origin,
        )
        for one in (*_list(within(state, "attachments")), *pieces)
        if string(within(one, "uri")) or within(one, "type") == "file"
    ]
    return [call, *files]


def _limit(name: str, asked: Any) -> int | None:
    """The limit of a call in milliseconds, asked for or default; that of ``webfetch`` is asked for in seconds."""
    wanted = integer(within(asked, "timeout"))
    if name == "webfetch":
        return min(wanted, 120) * 1000 if wanted is not None and wanted > 0 else 30_000
    if name not in SHELL_TOOLS:
        return None
    return wanted if wanted is not None and wanted > 0 else _DEFAULT_LIMIT_MS


def _shown(state: Any, code: int | None) -> str:
    """What a tool returned; the sentence that only repeats the exit code is left out.

    A tool such as ``read`` returns no texts, only an object; its ``content`` is what the model saw. Bytes are not kept.
    """
    pieces = _list(within(state, "content"))
    texts = [text for text in (within(piece, "text") for piece in pieces) if isinstance(text, str)]
    if code is not None and texts and texts[-1] == f"Command exited with code {code}.":
        texts.pop()
    structured = within(state, "structured")
    if texts or pieces or code is not None or not structured:
        return "\n".join(texts)
    inner = within(structured, "content")
    if within(structured, "encoding") == "base64":
        return ""
    return inner if isinstance(inner, str) else as_json(structured)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


# --- long texts, read again --------------------------------------------------------------------------------


def _text(value: Any, raw: Raw, *way: str | int) -> Text:
    shown = value if isinstance(value, str) else "" if value is None else as_json(value)
    return _handle(shown, partial(_again, raw.fetch, way) if raw.fetch is not None else None)


def _handle(shown: str, load: Callable[[], str] | None) -> Text:
    return Text(shown) if load is None else handle(shown, load)


def _value(fetch: Callable[[], bytes], way: Way) -> Any:
    value = decode(fetch(), object)
    for key in way:
        if isinstance(key, int):
            value = value[key] if isinstance(value, list) and key < len(value) else None
        else:
            value = value.get(key) if isinstance(value, dict) else None
    return value


def _again(fetch: Callable[[], bytes], way: Way) -> str:
    value = _value(fetch, way)
    return value if isinstance(value, str) else as_json(value)


def _shown_again(fetch: Callable[[], bytes], way: Way, code: int | None) -> str:
    return _shown(_value(fetch, way), code)


# --- counting ----------------------------------------------------------------------------------------------


def count(records: Iterable[Record]) -> tuple[int, int, int]:
    """Messages, calls and cut-offs among records."""
    found = messages(records)
    calls = [call for message in found for call in message.calls]
    return len(found), len(calls), sum(call.timed_out for call in calls)
