"""opencode's sessions, messages and parts, whatever they were stored in.

Export, database and file trees hold the same JSON objects; each reader hands them over as raw bytes with
their places, and :func:`assemble` makes the session. Facts about versions are those of opencode-formats
(clients 0.5.29 to 1.18.33, run and inspected); the section is named where one is used.
"""

from __future__ import annotations

import itertools
import json
import re
import stat
import zlib
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from sessionlens.cache import lazy
from sessionlens.model import (
    LONG,
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
from sessionlens.readers import wordings
from sessionlens.readers.base import ReadError
from sessionlens.readers.jsonl import integer, joined, string

SHELL_TOOLS = frozenset({"bash", "shell"})
"""Tools of opencode that run a command line under a time limit."""

_BOOKKEEPING = frozenset({"step-start", "step-finish", "snapshot"})
_SLACK = 50
"""Milliseconds by which a recorded duration may fall short of the limit that ended it."""
_DAY = 86_400_000

Version = tuple[int, ...]


class Raw(msgspec.Struct, frozen=True, kw_only=True):
    """One JSON object of the log: a session's or message's ``info``, or a part."""

    data: bytes | memoryview
    """Its bytes, or a view of them within the log, so that a big log is not held twice."""
    origin: Origin = NOWHERE
    """Where it stands."""
    fetch: Callable[[], bytes] | None = None
    """Reads the same bytes again; can be pickled. ``None`` keeps long texts in memory."""
    id: str | None = None
    """Id, where it is stored beside the object (a database row, a file name)."""
    created: int | None = None
    """When it was stored first, where that is stored beside it."""


class RawMessage(msgspec.Struct, frozen=True, kw_only=True):
    """A message's ``info`` with the parts that belong to it."""

    info: Raw
    """The ``info`` object."""
    parts: tuple[Raw, ...] = ()
    """Its parts, in the order in which they were found."""
    origin: Origin = NOWHERE
    """Where the whole message stands."""
    missing: str | None = None
    """What of the message its log does not hold or cannot be read, in words."""


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """What a store tells of a session without its content."""

    id: str
    """Its id."""
    parent: str | None = None
    """Id of the session that started it."""
    title: str | None = None
    """Its title."""
    version: str | None = None
    """Version of the client that made it."""
    directory: str | None = None
    """Its working directory."""
    created: int | None = None
    """When it was created."""
    updated: int | None = None
    """When it was active last."""
    forked_from: str | None = None
    """Id of the session whose beginning it copied, where the log itself names it."""


class Counts(msgspec.Struct, frozen=True, kw_only=True):
    """How much a session holds."""

    messages: int = 0
    """Messages; where 0.x keeps a whole turn in one, its steps."""
    calls: int = 0
    """Tool calls."""
    cut_offs: int = 0
    """Calls that a time limit of the client ended."""
    size: int = 0
    """Bytes of its messages and parts."""
    asked: str | None = None
    """Beginning of what a person wrote first, up to 400 characters; ``None`` where that was not read."""


def counted(sessions: Sequence[Session], size: int) -> Counts:
    """Figures of a log that was read whole: the sessions in it, and its bytes."""
    messages = [message for session in sessions for message in session.messages]
    calls = [call for message in messages for call in message.calls]
    human = (part for message in messages if message.human for part in message.texts())
    return Counts(
        messages=len(messages),
        calls=len(calls),
        cut_offs=sum(call.timed_out for call in calls),
        size=size,
        asked=next((part.text.head[:400] for part in human if part.text.head.strip()), None),
    )


# --- decoding ----------------------------------------------------------------------------------------------


class _Info(msgspec.Struct):
    id: Any = None
    sessionID: Any = None
    role: Any = None
    time: Any = None
    agent: Any = None
    mode: Any = None
    modelID: Any = None
    finish: Any = None
    tokens: Any = None
    error: Any = None
    summary: Any = None
    structured: Any = None
    path: Any = None
    content: Any = None
    text: Any = None


class _Session(msgspec.Struct):
    id: Any = None
    title: Any = None
    version: Any = None
    directory: Any = None
    parentID: Any = None
    revert: Any = None
    time: Any = None


class _Part(msgspec.Struct):
    type: Any = None
    id: Any = None
    text: Any = None
    synthetic: Any = None
    ignored: Any = None
    tool: Any = None
    callID: Any = None
    state: msgspec.Raw = msgspec.Raw()
    auto: Any = None
    prompt: Any = None
    description: Any = None
    agent: Any = None
    name: Any = None
    mime: Any = None
    filename: Any = None
    url: Any = None
    files: Any = None
    reason: Any = None
    tokens: Any = None
    error: Any = None
    attempt: Any = None


class _State(msgspec.Struct):
    status: Any = None
    input: msgspec.Raw = msgspec.Raw()
    raw: Any = None
    output: Any = None
    error: Any = None
    time: Any = None
    metadata: msgspec.Raw = msgspec.Raw()
    attachments: Any = None


class _Metadata(msgspec.Struct):
    exit: Any = msgspec.UNSET
    output: Any = None
    outputPath: Any = None
    truncated: Any = None
    interrupted: Any = None
    sessionId: Any = None
    redacted: Any = None


class _Input(msgspec.Struct):
    timeout: Any = None
    task_id: Any = None
    redacted: Any = None


_ESCAPE = lazy(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)
_STATUS_LINE = lazy(rb"\r?Exporting session: ses_[0-9A-Za-z]+(?:\x1b\[[0-9;?]*[A-Za-z])*(?:\r?\n)?")


def clean(data: bytes) -> bytes:
    """The same JSON without what strict parsers refuse.

    Byte order mark, bytes that are no UTF-8, lone surrogates (both become U+FFFD), control characters within
    strings, ``NaN`` and infinities (become null), and opencode's own status line that a merged standard
    error puts into an export (issue #12130). Raises ``ValueError`` when it is still no JSON.
    """
    data = data.removeprefix(b"\xef\xbb\xbf")
    data = _ESCAPE.sub(lambda found: rb"\ufffd" if found[1] else found[0], data)
    text = data.decode("utf-8", "replace")
    try:
        try:
            value = json.loads(text, strict=False)
        except ValueError:
            if b"Exporting session: " not in data:
                raise
            value = json.loads(_STATUS_LINE.sub(b"", data).decode("utf-8", "replace"), strict=False)
        return msgspec.json.encode(value)
    except (RecursionError, UnicodeEncodeError, OverflowError) as error:
        raise ValueError(str(error)) from None


def decode(data: bytes | memoryview | msgspec.Raw, kind: type[Any]) -> Any:
    """Decode strictly, then once more after :func:`clean`. Raises ``ValueError`` when neither works."""
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        try:
            return msgspec.json.decode(clean(bytes(data)), type=kind)
        except (msgspec.DecodeError, RecursionError) as error:
            raise ValueError(str(error)) from None


def _lenient(data: msgspec.Raw, kind: type[Any]) -> Any:
    """Decode what may be missing or of another kind: an empty one then."""
    if not memoryview(data):
        return kind()
    try:
        return decode(data, kind)
    except ValueError:
        return kind()


def handle(text: str, load: Callable[[], str]) -> Text:
    """A text that is read again when it is long. The client may change its log in between: see :func:`_as_read`."""
    if len(text) <= LONG:
        return Text(text)
    return Text(text, load=partial(_as_read, load, len(text), _sum(text)))


def _as_read(load: Callable[[], str], length: int, checksum: int) -> str:
    """The text as it was when its session was read, or words that say that it is gone.

    A running command's output grows, a person's revert deletes messages, old spilled outputs are cleared away.
    """
    try:
        text = load()[:length]
    except (OSError, ValueError, ReadError):
        text = ""
    if len(text) == length and _sum(text) == checksum:
        return text
    return f"[the log no longer holds this text of {length} characters as it was when it was first read]"


def _sum(text: str) -> int:
    return zlib.crc32(text.encode("utf-8", "surrogatepass"))


def _again(fetch: Callable[[], bytes], path: tuple[str, ...]) -> str:
    """One text of a stored object, read again."""
    value = decode(fetch(), object)
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return joined(value)


def _compact(data: bytes | msgspec.Raw) -> str:
    """JSON text on one line, so that the same object reads the same from export and database."""
    try:
        return msgspec.json.format(bytes(data), indent=-1).decode("utf-8")
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        try:
            return clean(bytes(data)).decode("utf-8")
        except ValueError:
            return bytes(data).decode("utf-8", "replace")


def _input_again(fetch: Callable[[], bytes]) -> str:
    part = decode(fetch(), _Part)
    return _compact(_lenient(part.state, _State).input)


def _get(value: Any, key: str) -> Any:
    return value.get(key) if isinstance(value, dict) else None


# --- identifiers and versions ------------------------------------------------------------------------------

_ID = lazy(r"[a-z]{2,5}_([0-9a-f]{12})[0-9A-Za-z]{14}")
_WRAP = 1 << 36


def stamp(identifier: str | None) -> int | None:
    """The 48 bits of an ascending id: milliseconds (modulo 2**36) times 4096 plus a counter (§1)."""
    match = _ID.fullmatch(identifier) if identifier else None
    return int(match[1], 16) if match else None


def moment(identifier: str | None, near: int | None) -> int | None:
    """When an ascending id was made, in epoch milliseconds; the wrap is the one closest to ``near``."""
    bits = stamp(identifier)
    if bits is None or near is None:
        return None
    ahead = ((bits >> 12) - near) % _WRAP
    return near + (ahead if ahead < _WRAP // 2 else ahead - _WRAP)


def _place(identifier: str | None, near: int | None) -> int | None:
    """Order of an ascending id among others near the same time, wraps undone."""
    made = moment(identifier, near)
    bits = stamp(identifier)
    return None if made is None or bits is None else made * 4096 + (bits & 4095)


def version_of(text: str | None) -> Version | None:
    """``1.18.33`` as numbers; ``None`` for builds without a version (``local``, ``0.0.0-dev``)."""
    match = re.match(r"v?(\d{1,6})\.(\d{1,6})\.(\d{1,9})", text or "")
    if match is None:
        return None
    numbers = tuple(int(group) for group in match.groups())
    return numbers if any(numbers) else None


def _before(version: Version | None, *bound: int) -> bool:
    return version is not None and version < bound


def default_limit(version: Version | None) -> int:
    """Time limit of a shell command that asks for none (§6): 60 s up to 1.0.98, 120 s from 1.0.152 on."""
    return 60_000 if _before(version, 1, 0, 100) else 120_000


# --- the session -------------------------------------------------------------------------------------------


class _Context(msgspec.Struct):
    """What reading one message needs to know of its session and message."""

    version: Version | None
    near: int | None = None
    aborted: bool = False
    troubled: bool = False
    typed_by_person: bool = False


def assemble(
    info: Raw | None,
    messages: Iterable[RawMessage],
    *,
    source_format: str,
    fallback_id: str,
    sorted_parts: bool = True,
    gaps: Sequence[Gap] = (),
    repairs: Sequence[Repair] = (),
    truncated: bool = False,
) -> Session:
    """The session that these objects make.

    ``info`` is the session's own object, ``None`` for a bare list of messages. ``sorted_parts`` says that
    the client ordered the parts itself (an export), so that only a wrapped id clock moves them.
    ``fallback_id`` names a session that no object names.
    """
    gaps = list(gaps)
    about = _Session()
    if info is not None:
        try:
            about = decode(info.data, _Session)
        except ValueError:
            gaps.append(
                Gap(
                    reason="the session's own record is unreadable: no title, version, parent",
                    origin=info.origin,
                )
            )
    version = version_of(string(about.version))
    read: list[_Read] = [
        _read_message(message, version, position, sorted_parts) for position, message in enumerate(messages)
    ]
    order = _in_order(read)
    built: list[Message] = []
    starts: list[int] = []
    for one in order:
        starts.append(len(built))
        built += [
            msgspec.structs.replace(message, index=index)
            for index, message in enumerate(one.messages, starts[-1])
        ]
    _revert(built, about.revert, order, starts)
    nobodys = [one for one in order if one.nobodys]
    if nobodys:
        whose = (
            "the record of a message does not say whose it is"
            if len(nobodys) == 1
            else f"the records of {len(nobodys)} messages do not say whose they are, the first here"
        )
        reason = f"{whose}: it is the agent's where a model stands in it, else its place decides"
        gaps.append(Gap(reason=reason, origin=nobodys[0].messages[0].origin))
    identifier = (info.id if info else None) or string(about.id)
    if identifier is None:
        identifier = next((one.session for one in order if one.session), None) or fallback_id
    directory = string(about.directory) or next((one.directory for one in order if one.directory), None)
    if any(one.sanitised for one in order):
        gaps.append(
            Gap(
                reason="the export was sanitised (`--sanitize`): commands, outputs and texts are replaced by marks, "
                "so a cut-off shows only where a call lasted as long as the default limit"
            )
        )
    return Session(
        id=identifier,
        source_format=source_format,
        title=string(about.title),
        client="opencode",
        client_version=string(about.version),
        directory=directory,
        parent=string(about.parentID),
        messages=tuple(built),
        gaps=tuple(gaps),
        repairs=tuple(repairs),
        truncated=truncated,
    )


class _Read(msgspec.Struct):
    """One stored message, read: one message of the model, or one for each of its steps."""

    messages: list[Message]
    id: str | None
    created: int | None
    position: int
    session: str | None = None
    directory: str | None = None
    part_ids: tuple[str | None, ...] = ()
    sanitised: bool = False
    nobodys: bool = False
    """Whether its record, which can be read, does not say whose it is."""


def _in_order(read: list[_Read]) -> list[_Read]:
    """Reading order: time of creation, then id with its wrap undone, then the order of the log (§1)."""
    last: int | None = None
    created: list[int | None] = []
    for one in read:
        last = one.created if one.created is not None else last
        created.append(last)
    places = [_place(one.id, when) for one, when in zip(read, created, strict=True)]
    by_id = all(place is not None for place in places)
    ranks = sorted(
        range(len(read)),
        key=lambda at: (created[at] or 0, (places[at] or 0) if by_id else 0, read[at].position),
    )
    return [read[at] for at in ranks]


def reverted_from(info: bytes | memoryview) -> str | None:
    """Id of the message from which on the person undid a session, by the session's own record (§3)."""
    try:
        return string(_get(decode(info, _Session).revert, "messageID")) if info else None
    except ValueError:
        return None


def _revert(built: list[Message], revert: Any, order: list[_Read], starts: list[int]) -> None:
    """Mark what the person undid: everything from the reverted message on (§3)."""
    target, part = string(_get(revert, "messageID")), string(_get(revert, "partID"))
    if target is None:
        return
    for position, one in enumerate(order):
        if one.id == target:
            # Undone from a later part on, the message itself stays.
            keeps = part is not None and part in one.part_ids[1:]
            first = starts[position] + (len(one.messages) if keeps else 0)
            for index in range(first, len(built)):
                built[index] = msgspec.structs.replace(built[index], reverted=True)
            return


# --- a message ---------------------------------------------------------------------------------------------


class _Piece(msgspec.Struct):
    """A part, decoded: what it becomes, and what its message needs to know of it."""

    type: str
    id: str | None
    parts: tuple[Part, ...] = ()
    reason: str | None = None
    tokens: Any = None
    sanitised: bool = False


def _read_message(raw: RawMessage, version: Version | None, position: int, sorted_parts: bool) -> _Read:
    broken: Unread | None = None
    try:
        info = decode(raw.info.data, _Info)
    except ValueError:
        info = _Info()
        broken = Unread(
            reason="the message's own record is unreadable: role and times unknown", origin=raw.info.origin
        )
    identifier = raw.info.id or string(info.id)
    created = integer(_get(info.time, "created"))
    if created is None:
        created = raw.info.created
    near = created if created is not None else raw.info.created
    error = _trouble(info.error)
    nobodys = info.role not in ("user", "assistant", "system")
    role: Role = "unknown" if nobodys else info.role
    if nobodys and (string(info.modelID) or string(info.finish)):
        # Only the agent's messages have these (§4).
        role = "assistant"
    decoded = [(part, _decode_part(part)) for part in raw.parts]
    context = _Context(
        version=version,
        near=near,
        aborted=error is not None and error.name == "MessageAbortedError",
        troubled=error is not None and error.name != "MessageAbortedError",
        # `!command` of the person: a tool part without any step around it (§4).
        typed_by_person=role == "assistant"
        and not any(part is not None and part.type in ("step-start", "step-finish") for _, part in decoded),
    )
    # The person stops what runs last; a message of 0.x may hold many calls before it.
    tools = [at for at, (_, part) in enumerate(decoded) if part is not None and part.type == "tool"]
    earlier = msgspec.structs.replace(context, aborted=False)
    pieces = [
        _piece(stored, part, context if not tools or at >= tools[-1] else earlier)
        for at, (stored, part) in enumerate(decoded)
    ]
    pieces = _order_pieces(pieces, raw.parts, near, sorted_parts)
    elsewhere = info.content if info.content is not None else info.text
    if broken is None and elsewhere not in (None, "", [], {}):
        reason = "words in the record of the message itself, where no client writes any"
        broken = Unread(reason=reason, origin=raw.info.origin)
    if raw.missing is not None:
        broken = Unread(reason=raw.missing, origin=raw.origin)
    if broken is not None:
        pieces.insert(0, _Piece(type="gap", id=None, parts=(broken,)))
    if info.structured is not None and not any(piece.type == "text" for piece in pieces):
        text = Text(_compact(msgspec.json.encode(info.structured)))
        pieces.append(_Piece(type="text", id=None, parts=(TextPart(text=text, origin=raw.info.origin),)))
    steps = _steps(pieces)
    completed = integer(_get(info.time, "completed"))
    messages = []
    for number, step in enumerate(steps, 1):
        last = number == len(steps)
        finished = next((piece for piece in reversed(step) if piece.type == "step-finish"), None)
        parts = tuple(part for piece in step for part in piece.parts)
        tokens = info.tokens if len(steps) == 1 or finished is None else finished.tokens
        begun = next((piece.id for piece in step if piece.type == "step-start"), None)
        messages.append(
            Message(
                id=identifier if number == 1 or identifier is None else f"{identifier}#{number}",
                index=0,
                role=role,
                parts=parts,
                time=created if number == 1 else moment(begun, near),
                ended=completed if last else moment(finished.id if finished else None, near),
                model=string(info.modelID) if role == "assistant" else None,
                agent=string(info.agent) or string(info.mode),
                finish=_finish(info.finish if last else None, finished, parts),
                tokens_in=_tokens_in(tokens, version),
                tokens_out=integer(_get(tokens, "output")),
                error=error if last else None,
                summary=info.summary is True,
                origin=raw.origin if number == 1 else _first_origin(step, raw.origin),
            )
        )
    return _Read(
        messages=messages,
        id=identifier,
        created=created,
        position=position,
        session=string(info.sessionID),
        directory=string(_get(info.path, "cwd")),
        part_ids=tuple(piece.id for piece in pieces if piece.type not in _BOOKKEEPING),
        sanitised=any(piece.sanitised for piece in pieces),
        nobodys=nobodys and broken is None,
    )


def _first_origin(step: list[_Piece], otherwise: Origin) -> Origin:
    return next((part.origin for piece in step for part in piece.parts), otherwise)


def _steps(pieces: list[_Piece]) -> list[list[_Piece]]:
    """One list of parts for each model step.

    0.x keeps a whole turn in one message (§0.2). A step begins where a ``step-start`` follows the end of the
    one before; a second ``step-start`` without that is another try at the same step.
    """
    steps: list[list[_Piece]] = [[]]
    finished = False
    for piece in pieces:
        if piece.type == "step-start" and finished:
            steps.append([])
            finished = False
        finished = finished or piece.type == "step-finish"
        steps[-1].append(piece)
    return steps


def _finish(recorded: Any, finished: _Piece | None, parts: tuple[Part, ...]) -> str | None:
    """Why the step ended: the message's word, else the step's (1.0.0).

    0.5.29 records the end of a step without a reason; what the step holds then says whether the model asked
    for tools or stopped.
    """
    word = string(recorded) or (finished.reason if finished else None)
    if word is not None or finished is None:
        return word
    return "tool-calls" if any(isinstance(part, Call) for part in parts) else "stop"


def _tokens_in(tokens: Any, version: Version | None) -> int | None:
    """Tokens read without caches; 0.5.29 and 1.0.0 count the caches in, 1.0.185 does not (§4)."""
    count = integer(_get(tokens, "input"))
    cached = integer(_get(_get(tokens, "cache"), "read")) or 0
    if count is not None and _before(version, 1, 0, 100) and cached <= count:
        return count - cached
    return count


def _trouble(error: Any) -> Trouble | None:
    if error is None:
        return None
    data = _get(error, "data")
    message = _get(data, "message")
    if message is None:
        message = _get(error, "message")
    if message is None:
        message = error if isinstance(error, str) else "" if not data else _compact(msgspec.json.encode(data))
    return Trouble(
        name=string(_get(error, "name")) or "UnknownError",
        text=message if isinstance(message, str) else _compact(msgspec.json.encode(message)),
    )


def _order_pieces(
    pieces: list[_Piece], stored: Sequence[Raw], near: int | None, sorted_parts: bool
) -> list[_Piece]:
    places = [_place(piece.id, near) for piece in pieces]
    if any(place is None for place in places):
        if sorted_parts:
            return pieces
        ranks = sorted(range(len(pieces)), key=lambda at: (stored[at].created or 0, pieces[at].id or "", at))
        return [pieces[at] for at in ranks]
    if sorted_parts:
        raw = [stamp(piece.id) or 0 for piece in pieces]
        if any(left > right for left, right in itertools.pairwise(raw)):
            return pieces
    ranks = sorted(range(len(pieces)), key=lambda at: (places[at] or 0, at))
    return [pieces[at] for at in ranks]


# --- a part ------------------------------------------------------------------------------------------------


def _decode_part(raw: Raw) -> _Part | None:
    try:
        part: _Part = decode(raw.data, _Part)
    except ValueError:
        return None
    return part


def _text(value: Any, raw: Raw, *path: str) -> Text:
    """A text of a part, of blocks their texts; a handle when it is long. Other values are shown as their JSON."""
    text = joined(value)
    if len(text) > LONG and raw.fetch is not None:
        return handle(text, partial(_again, raw.fetch, path))
    return Text(text)


def _piece(raw: Raw, part: _Part | None, context: _Context) -> _Piece:
    if part is None:
        unread = Unread(reason="a part is no readable JSON object", origin=raw.origin)
        return _Piece(type="gap", id=raw.id, parts=(unread,))
    kind = part.type if isinstance(part.type, str) else ""
    piece = _Piece(type=kind, id=raw.id or string(part.id))
    if kind == "tool":
        return _tool(raw, part, piece, context)
    if kind == "step-finish":
        piece.reason, piece.tokens = string(part.reason), part.tokens
    elif kind not in _BOOKKEEPING:
        piece.parts = (_other(raw, part, kind),)
    return piece


def _other(raw: Raw, part: _Part, kind: str) -> Part:
    origin = raw.origin
    if kind in ("text", "reasoning") and part.text is None:
        return Unread(reason=f"a part of {kind} in which no text stands", origin=origin)
    if kind == "text":
        client = part.synthetic is True or part.ignored is True
        return TextPart(text=_text(part.text, raw, "text"), synthetic=client, origin=origin)
    if kind == "reasoning":
        return Reasoning(text=_text(part.text, raw, "text"), origin=origin)
    if kind == "compaction":
        return Compaction(auto=part.auto if isinstance(part.auto, bool) else None, origin=origin)
    if kind == "subtask":
        return Subtask(agent=string(part.agent), prompt=_text(part.prompt, raw, "prompt"), origin=origin)
    if kind == "file":
        return File(name=file_name(part.filename, part.url), mime=string(part.mime), origin=origin)
    if kind == "patch":
        files = part.files if isinstance(part.files, list) else []
        return Changed(files=tuple(file for file in files if isinstance(file, str)), origin=origin)
    if kind == "agent":
        # A mention that stands in the person's own text too; the client resolved it.
        return TextPart(text=Text(f"@{string(part.name) or ''}"), synthetic=True, origin=origin)
    if kind == "retry":
        trouble = _trouble(part.error)
        why = f": {trouble.name} {trouble.text}".rstrip() if trouble else ""
        number = integer(part.attempt)
        which = f" (attempt {number})" if number is not None else ""
        return Unread(reason=f"the request failed and the client tried again{which}{why}", origin=origin)
    shown = kind[:60] or "no type"
    return Unread(reason=f"a part of a kind that is not known here ({shown})", origin=origin)


def file_name(name: Any, url: Any) -> str | None:
    """Name or address of an attachment; a ``data:`` address is its bytes and is not kept."""
    address = string(url)
    if address is not None and address.startswith("data:"):
        address = None
    return string(name) or (address[:2048] if address else None)


_CHILD = lazy(r"(?:task_id|session_id): (ses_[0-9A-Za-z]+)|<task id=\"(ses_[0-9A-Za-z]+)\"")
_STATUSES: dict[str, Status] = {
    "pending": "pending",
    "running": "running",
    "completed": "completed",
    "error": "error",
}


_FETCHING = frozenset({"webfetch", "websearch", "codesearch"})
_REQUEST_TIMED_OUT = lazy(
    r"\s*(?:Error: )?(?:(?:Code search|Search|Web search) request|Request) timed out\.?\s*"
)
"""All that these tools say when their own limit ended the request."""


def _tool(raw: Raw, part: _Part, piece: _Piece, context: _Context) -> _Piece:
    state, missing = _state(part)
    metadata: _Metadata = _lenient(state.metadata, _Metadata)
    asked: _Input = _lenient(state.input, _Input)
    name = string(part.tool) or "unknown"
    piece.sanitised = string(asked.redacted) is not None or string(metadata.redacted) is not None
    output = _text(state.output, raw, "state", "output") if state.output is not None else None
    error = _text(state.error, raw, "state", "error") if state.error is not None else None
    status = _STATUSES.get(state.status) if isinstance(state.status, str) else None
    if status is None and missing is not None:
        # That it runs on is not told either.
        status = "completed"
    elif status is None:
        if state.status is not None:
            missing = "a call in a state that is not known here"
        status = "error" if error is not None else "completed" if output is not None else "running"
    if output is None and isinstance(metadata.output, str) and metadata.output:
        # What a command had printed when it was stopped, or so far.
        output = _text(metadata.output, raw, "state", "metadata", "output")
    if missing is None and status == "completed" and output is None:
        missing = "a call that was completed, and no output that is known here"
    start, end = _times(state.time, name, status, piece.id, context)
    exit_code = integer(metadata.exit)
    lasted = end - start if start is not None and end is not None else 0
    ended = status == "completed"
    limit = _limit(name, asked, context, ended=ended, sanitised=piece.sanitised, lasted=lasted)
    shown = output.end() if output is not None else ""
    also = metadata.output[-4096:] if isinstance(metadata.output, str) else ""
    timed_out = interrupted = False
    if name in SHELL_TOOLS and exit_code != 0 and ended:
        # With exit code 0 the command ended by itself and the words are its own output.
        cut = wordings.cut_off(shown, client="opencode") or wordings.cut_off(also, client="opencode")
        if cut is not None:
            timed_out, limit = True, cut.limit_ms if cut.limit_ms is not None else limit
            if start is not None and not _ran_out(lasted, limit):
                # It cannot have ended before its limit: the start moved, in a version the log does not name.
                start = _made(piece.id, start)
        elif wordings.aborted(shown, client="opencode") or wordings.aborted(also, client="opencode"):
            interrupted = True
        elif exit_code is None:
            # A stop by the person leaves the same trace, so then only the whole limit counts.
            enough = _ran_out(lasted, limit) if context.aborted else _nearly_ran_out(lasted, limit)
            timed_out = enough and _silent_about_limits(context.version, metadata, piece)
            # 0.5.29 says nothing at all about a stop (§0.4); the message's error does.
            interrupted = context.aborted and not timed_out
    elif error is not None:
        waited = wordings.mcp_cut_off(error)
        if name in _FETCHING and _REQUEST_TIMED_OUT.fullmatch(error.head):
            timed_out = True
        elif name == "webfetch":
            timed_out = _ran_out(lasted, limit)
        elif waited is not None and name not in SHELL_TOOLS:
            timed_out, limit = True, waited.limit_ms
        if wordings.aborted(error.end(), output_start=error.head, client="opencode"):
            # The client aborts what still runs when the request itself fails, too: not the person's doing.
            interrupted = context.aborted or (not context.troubled and not timed_out)
    cut_short = wordings.shortened(output.head, shown, client="opencode") if output is not None else None
    is_cut = metadata.truncated is True or (name in SHELL_TOOLS and cut_short is not None)
    spilled = string(metadata.outputPath) or (cut_short[1] if is_cut and cut_short else None)
    call = Call(
        id=string(part.callID) or piece.id,
        name=name,
        input=_input(raw, state),
        status=status,
        start=start,
        end=end,
        limit_ms=limit,
        timed_out=timed_out,
        interrupted=interrupted,
        exit=exit_code,
        child=_child(name, metadata, asked, output),
        output=output,
        truncated=is_cut,
        spilled=spilled,
        error=error,
        origin=raw.origin,
    )
    attachments = state.attachments if isinstance(state.attachments, list) else []
    files = (
        File(
            name=file_name(_get(one, "filename"), _get(one, "url")),
            mime=string(_get(one, "mime")),
            origin=raw.origin,
        )
        for one in attachments[:1000]
    )
    unread = () if missing is None else (Unread(reason=missing, origin=raw.origin),)
    piece.parts = (call, *unread, *files)
    return piece


def _state(part: _Part) -> tuple[_State, str | None]:
    """How a call went, and what of that cannot be read."""
    if not memoryview(part.state):
        return _State(), "a call without a state: what came of it is not known"
    try:
        return decode(part.state, _State), None
    except ValueError:
        return _State(), "the state of a call is no readable JSON object"


def _input(raw: Raw, state: _State) -> Text:
    data = bytes(state.input)
    text = _compact(data) if data else ""
    if text in ("", "{}") and isinstance(state.raw, str) and state.raw:
        # Killed while the model was still writing the arguments: what had come of them.
        return _text(state.raw, raw, "state", "raw")
    if len(text) > LONG and raw.fetch is not None:
        return handle(text, partial(_input_again, raw.fetch))
    return Text(text)


def _times(
    time: Any, name: str, status: Status, part_id: str | None, context: _Context
) -> tuple[int | None, int | None]:
    """Start and end, corrected where a version's start lies (§0.5).

    After 1.3.2 and before 1.18.33 (seen in 1.14.41 and 1.17.19) the start of a shell command moves to its last
    output; 1.0.0 to 1.3.2 set it to the end when the person aborts. The part's id was made when the call
    appeared.
    """
    start, end = integer(_get(time, "start")), integer(_get(time, "end"))
    if name not in SHELL_TOOLS or start is None:
        return start, end
    version = context.version
    moved = version is not None and (1, 3, 2) < version < (1, 18, 33)
    collapsed = status == "error" and start == end
    return (_made(part_id, start) if moved or collapsed else start), end


def _made(part_id: str | None, start: int) -> int:
    """The claimed start, or the time within the part's id where that is earlier and plausible."""
    made = moment(part_id, start)
    return made if made is not None and start - _DAY < made < start else start


def _limit(
    name: str, asked: _Input, context: _Context, *, ended: bool, sanitised: bool, lasted: int
) -> int | None:
    """The client's limit for the call in milliseconds (§6), asked for or default."""
    if name == "webfetch":
        # Asked for in seconds; 30 s unless asked, 120 s at most.
        seconds = asked.timeout
        given = isinstance(seconds, (int, float)) and not isinstance(seconds, bool) and 0 < seconds < 1e6
        return None if sanitised else min(int(seconds * 1000), 120_000) if given else 30_000
    if name not in SHELL_TOOLS or (context.typed_by_person and ended):
        return None
    usual = default_limit(context.version)
    if sanitised:
        # What was asked for is hidden; only the default shows, by a call that lasted as long.
        return usual if usual - _SLACK <= lasted <= usual * 1.05 else None
    wanted = integer(asked.timeout)
    if wanted is None:
        return usual
    if wanted < 0:
        return None
    return min(wanted, 600_000) if _before(context.version, 1, 0, 100) else wanted


def _ran_out(lasted: int, limit: int | None) -> bool:
    return limit is not None and 0 < lasted >= limit - _SLACK


def _nearly_ran_out(lasted: int, limit: int | None) -> bool:
    """As :func:`_ran_out`, for a start noted late: 0.5.29 shows 2916 ms for a limit of 3000 (seen)."""
    if limit is None:
        return False
    late = min(max(500, limit // 20), 5000, limit // 2)
    return 0 < lasted >= limit - late


def _silent_about_limits(version: Version | None, metadata: _Metadata, piece: _Piece) -> bool:
    """Whether a time-out of this call may have left no words.

    0.x never has any; a sanitised export lost them; 1.1.34 to 1.3.2 cut them off with the end of a long output.
    Everywhere else a call without the words ended otherwise, however long it waited for permission.
    """
    if _before(version, 1, 0, 0) or piece.sanitised:
        return True
    cut = metadata.truncated is True and (version is None or (1, 1, 11) <= version < (1, 14, 0))
    return cut and metadata.exit is None


def _child(name: str, metadata: _Metadata, asked: _Input, output: Text | None) -> str | None:
    """The child session of a task call: from its metadata, else from its output (§5)."""
    child = string(metadata.sessionId)
    if child is not None and child.startswith("ses_"):
        return child
    if name != "task":
        return None
    if output is not None:
        for end in (output.head[:400], output.end()[-400:]):
            match = _CHILD.search(end)
            if match is not None:
                return match[1] or match[2]
    resumed = string(asked.task_id)
    return resumed if resumed is not None and resumed.startswith("ses_") else None


# --- beside the session ------------------------------------------------------------------------------------


def entry_of(raw: Raw) -> Entry:
    """What a session's own record tells; only the id of its file when it is unreadable."""
    try:
        about = decode(raw.data, _Session)
    except ValueError:
        return Entry(id=raw.id or "")
    return Entry(
        id=raw.id or string(about.id) or "",
        parent=string(about.parentID),
        title=string(about.title),
        version=string(about.version),
        directory=string(about.directory),
        created=integer(_get(about.time, "created")),
        updated=integer(_get(about.time, "updated")),
    )


def owner_of(data: bytes | memoryview) -> str | None:
    """Id of the session that a stored message or part names."""
    try:
        return string(decode(data, _Info).sessionID)
    except ValueError:
        return None


def count_calls(parts: Iterable[bytes | memoryview], version: str | None) -> tuple[int, int]:
    """Calls and cut-offs among stored parts, without making a session of them."""
    calls = cut_offs = 0
    context = _Context(version=version_of(version))
    for data in parts:
        if b'"tool"' not in bytes(data):
            continue
        raw = Raw(data=data)
        part = _decode_part(raw)
        if part is None or part.type != "tool":
            continue
        calls += 1
        if part.tool in SHELL_TOOLS or part.tool == "webfetch" or b"imed out" in bytes(data):
            call = _piece(raw, part, context).parts[0]
            cut_offs += isinstance(call, Call) and call.timed_out
    return calls, cut_offs


_SPILL = lazy(r"(?:^|[/\\])(tool_[0-9A-Za-z_-]{1,80})$")


def with_spills(session: Session, folder: Path) -> Session:
    """Add the full outputs that the client saved in ``folder`` to the calls that name them (§2).

    Only plain files of the store's own ``tool-output`` folder are read, whatever path the log names.
    """
    if not any(call.spilled for message in session.messages for call in message.calls):
        return session
    messages = []
    for message in session.messages:
        parts = tuple(_with_spill(part, folder) for part in message.parts)
        messages.append(msgspec.structs.replace(message, parts=parts))
    return msgspec.structs.replace(session, messages=tuple(messages))


def _with_spill(part: Part, folder: Path) -> Part:
    if not isinstance(part, Call) or part.spilled is None:
        return part
    name = _SPILL.search(part.spilled)
    if name is None:
        return part
    path = folder / name[1]
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            return part
        full = read_file(str(path))
    except OSError:
        return part
    text = handle(full.decode("utf-8", "replace"), partial(_spilled, str(path)))
    return msgspec.structs.replace(part, full_output=text)


def read_file(path: str) -> bytes:
    """The bytes of a file of a store; can be pickled as a handle."""
    with open(path, "rb") as file:
        return file.read()


def _spilled(path: str) -> str:
    return read_file(path).decode("utf-8", "replace")
