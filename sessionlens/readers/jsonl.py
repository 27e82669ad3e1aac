"""Logs with one JSON object a line: lines with their places, lenient decoding, long texts as handles."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import lru_cache, partial
from typing import Any, NamedTuple

import msgspec

from sessionlens.cache import lazy
from sessionlens.model import LONG, Origin, Text
from sessionlens.readers.base import ReadError
from sessionlens.readers.source import Source

_CHUNK = 1 << 20
"""Bytes read at once: big enough to read at the speed of the disk, small beside any session."""

Path = tuple[str | int, ...]
"""Keys and indexes that lead from the object of a line to one of its values."""


class Line(NamedTuple):
    """One line of a log with its place."""

    data: bytes
    """Its bytes without the line feed."""
    offset: int
    """Byte offset of its first byte."""
    number: int
    """1-based number."""
    ended: bool
    """Whether a line feed ends it; the last line of a log that is being written may be half."""

    def origin(self, file: str | None = None) -> Origin:
        """Its place, as the parts made from it carry it."""
        return Origin(line=self.number, offset=self.offset, length=len(self.data), file=file)


def lines(source: Source) -> Iterator[Line]:
    """The lines of a log that are not blank, read in chunks: memory holds one chunk and one line."""
    position = offset = source.start
    number = 1
    waiting: list[bytes] = []
    while position < source.size or (source.encoding != "utf-8" and position < len(source.view())):
        chunk = source.read(position, _CHUNK)
        if not chunk:
            break
        position += len(chunk)
        pieces = chunk.split(b"\n")
        if len(pieces) == 1:
            waiting.append(chunk)
            continue
        if waiting:
            pieces[0] = b"".join((*waiting, pieces[0]))
        last = pieces.pop()
        waiting = [last] if last else []
        for data in pieces:
            if data and not data.isspace():
                yield Line(data, offset, number, True)
            offset += len(data) + 1
            number += 1
    rest = b"".join(waiting)
    if rest and not rest.isspace():
        yield Line(rest, offset, number, False)


_TRAILING = lazy(r"trailing characters \(byte (\d+)\)")


_WORDS = lazy(rb'"(?:message|payload|role|content|text)"\s*+:')
_TORN = lazy(rb'"\s*+[:,}\]]|\\[nt"]|[\x00-\x08\x0e-\x1a\x1c-\x1f]{4}')
"""What a piece of JSON holds and hardly any notice, and what a crash leaves."""


def may_hold_words(line: Line) -> bool:
    """Whether a line that is not understood may have been a message, and no notice of another program."""
    return _WORDS.search(line.data) is not None


def torn(data: bytes | memoryview) -> bool:
    """Whether bytes that are no JSON may be what is left of a record: so they are no notice of another program."""
    return _TORN.search(data) is not None


_BLANK = lazy(rb"\s*+")
_BRACE = 0x7B
_APART_AT_MOST = 1000
"""Objects taken out of one line."""


def apart(line: Line) -> list[Line]:
    """The objects of a line that holds several: two writers at once, or logs joined without a line feed between.

    Empty when the line does not begin with a complete object.
    """
    found: list[Line] = []
    data, view, position, size = line.data, memoryview(line.data), 0, len(line.data)
    while position < size and data[position] == _BRACE and len(found) < _APART_AT_MOST:
        try:
            ANY.decode(view[position:])
            end = size
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            trailing = _TRAILING.search(str(error))
            # The position told is that behind the first byte of what trails.
            end = position + int(trailing[1]) - 1 if trailing is not None else position
        if end <= position:
            break
        found.append(Line(data[position:end], line.offset + position, line.number, True))
        blank = _BLANK.match(data, end)
        position = end if blank is None else blank.end()
    if found and position < size:
        found.append(Line(data[position:], line.offset + position, line.number, line.ended))
    return found if len(found) > 1 else []


def first_lines(source: Source, count: int, length: int = 1 << 18) -> Iterator[bytes]:
    """Up to ``count`` lines of the first bytes, for recognising; the last may be cut."""
    found = 0
    for data in source.head(length).split(b"\n"):
        if data and not data.isspace():
            yield data
            found += 1
            if found == count:
                return


_TAIL = 1 << 16
_TAIL_AT_MOST = 1 << 24


def last_seen(source: Source, decoder: msgspec.json.Decoder[Any]) -> list[Any]:
    """The last lines of a log, decoded for a glance; those that cannot be are left out, as a half last one.

    More and more is read, up to 16 MiB, until one of them has a ``timestamp``: one result can be longer than
    all that usually has to be looked at.
    """
    length = _TAIL
    while True:
        begin = max(0, source.size - length)
        found = []
        for data in source.read(begin, length).split(b"\n")[1 if begin else 0 :]:
            one = glance(data, decoder) if data and not data.isspace() else None
            if one is not None:
                found.append(one)
        if not begin or length >= _TAIL_AT_MOST or any(moment(one.timestamp) for one in found):
            return found
        length *= 8


# --- decoding ----------------------------------------------------------------------------------------------

_SURROGATE = lazy(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)


def decode(data: bytes | memoryview | msgspec.Raw, decoder: msgspec.json.Decoder[Any]) -> Any:
    """Decode strictly, then once more without what strict parsers refuse.

    That is: bytes that are no UTF-8, lone surrogates (both become U+FFFD), control characters within strings,
    ``NaN``. Raises ``ValueError`` when it is still no JSON of this shape.
    """
    try:
        return decoder.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass
    try:
        clean = _SURROGATE.sub(lambda found: rb"\ufffd" if found[1] else found[0], bytes(data))
        value = json.loads(clean.decode("utf-8", "replace"), strict=False)
        return decoder.decode(msgspec.json.encode(value))
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError, OverflowError) as error:
        raise ValueError(str(error)) from None


_LENIENT_AT_MOST = 1 << 16


def glance(data: bytes, decoder: msgspec.json.Decoder[Any]) -> Any | None:
    """Decode a line for recognising; ``None`` when that fails. Only short ones are worth a second try."""
    try:
        return decoder.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass
    try:
        return decode(data, decoder) if len(data) < _LENIENT_AT_MOST else None
    except ValueError:
        return None


ANY: msgspec.json.Decoder[Any] = msgspec.json.Decoder()
"""Decodes whatever comes."""


def compact(data: bytes | memoryview | msgspec.Raw) -> str:
    """A JSON value as text on one line."""
    try:
        return msgspec.json.format(bytes(data), indent=-1).decode("utf-8")
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        try:
            return msgspec.json.encode(decode(data, ANY)).decode("utf-8")
        except ValueError:
            return bytes(data).decode("utf-8", "replace")


def as_json(value: Any) -> str:
    """A decoded value as JSON text on one line."""
    return msgspec.json.encode(value).decode("utf-8")


def members(data: bytes, begin: int, raws: list[msgspec.Raw]) -> Iterator[Line]:
    """The members of a JSON list within ``data`` as lines of their own, each with its place in the document.

    ``begin`` is a position before the first of them.
    """
    position, number, counted = begin, 1 + data.count(b"\n", 0, begin), begin
    for raw in raws:
        piece = bytes(raw)
        found = data.find(piece, position)
        # Not found only where the document had to be cleaned to be read: then the place is about right.
        at = found if found >= 0 else position
        number += data.count(b"\n", counted, at)
        counted = at
        position = at + len(piece) if found >= 0 else position
        yield Line(piece, at, number, True)


# --- long texts --------------------------------------------------------------------------------------------


class Place(NamedTuple):
    """Where the object of a line can be read again."""

    source: Source
    """The log."""
    offset: int
    """Byte offset of the line."""
    length: int
    """Its length in bytes."""


def text(value: str, place: Place, path: Path, *, skip: int = 0) -> Text:
    """A text of the line at ``place``; only a handle when it is long.

    ``path`` leads to the value in the decoded line; of a string, ``skip`` characters at its start are left out
    (a client's header). A list there holds the blocks of a message, joined as :func:`joined` does it.
    """
    packed = place.source.large
    if len(value) <= LONG:
        return Text(value, packed=packed)
    return Text(value, partial(_again, place, path, skip, len(value), _sum(value)), packed=packed)


def json_text(value: str, place: Place, path: Path) -> Text:
    """The JSON text of an object of the line; only a handle when it is long."""
    packed = place.source.large
    if len(value) <= LONG:
        return Text(value, packed=packed)
    return Text(value, partial(_json_again, place, path, len(value), _sum(value)), packed=packed)


def joined(value: Any) -> str:
    """The text of a result or message: a string as it is, of a list of blocks the texts, line by line.

    Blocks within blocks and lists within lists are gone through. An object that is no block stays JSON: what stands
    beside its text would be lost.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        texts: list[Any] = [block.get("text") if isinstance(block, dict) else block for block in value]
        usual = "" not in texts and all(map(_is_str, texts))
        return "\n".join(texts if usual else _texts(value))
    if isinstance(value, dict) and value.keys() <= _BLOCK_KEYS:
        return "\n".join(_texts([value]))
    return "" if value is None else as_json(value)


def _is_str(value: Any) -> bool:
    return isinstance(value, str)


_BLOCK_KEYS = frozenset(
    {
        "type", "text", "content", "resource", "annotations", "citations", "cache_control", "_meta", "isError",
        "is_error", "structuredContent",
    }
)  # fmt: skip
"""Keys of a block of text, or of what a server of tools returned: the text is all that was said in them."""
_WITHIN = ("text", "content", "resource")
"""Keys of a block that hold its text, or blocks that do."""
_WORDLESS = frozenset(
    {
        "image", "image_url", "input_image", "local_image", "document", "file", "input_file", "audio", "input_audio",
        "resource_link", "tool_reference", "encrypted_content",
    }
)  # fmt: skip
"""Kinds of blocks without a text of their own: attachments, and names of what lies elsewhere."""


def _texts(value: Any) -> Iterator[str]:
    """The texts within blocks of any form, in order. What is no block that is known here is shown as JSON."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, list):
            waiting.extend(reversed(one))
        elif isinstance(one, dict):
            inner = [found for key in _WITHIN if (found := one.get(key)) not in (None, "", [], {})]
            if within(one, "source", "type") in ("text", "content"):
                # A document that was handed over as its words.
                inner += [within(one, "source", "data"), within(one, "source", "content")]
            waiting.extend(reversed(inner))
            if not inner and isinstance(one.get("text"), str):
                yield ""
            elif not (inner or "blob" in one or one.get("type") in _WORDLESS or one.keys() & set(_WITHIN)):
                yield as_json(one)
        elif one is not None:
            yield as_json(one)


def _again(place: Place, path: Path, skip: int, length: int, checksum: int) -> str:
    whole = joined(again(place, path))
    found = whole[skip : skip + length]
    if path and path[-1] == "output" and whole.startswith("{") and _sum(found) != checksum:
        found = _within(whole)[skip : skip + length]
    return _checked(found, length, checksum)


def _within(whole: str) -> str:
    """The ``output`` within a result that is itself JSON (older Codex); any other text as it is."""
    try:
        inner = ANY.decode(whole.encode())
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        return whole
    output = inner.get("output") if isinstance(inner, dict) else None
    return output if isinstance(output, str) else whole


def _json_again(place: Place, path: Path, length: int, checksum: int) -> str:
    return _checked(shown_json(_raw(place, path)), length, checksum)


_OBJECT: msgspec.json.Decoder[dict[str, msgspec.Raw]] = msgspec.json.Decoder(dict[str, msgspec.Raw])
_LIST: msgspec.json.Decoder[list[msgspec.Raw]] = msgspec.json.Decoder(list[msgspec.Raw])


def shown_json(data: bytes | msgspec.Raw) -> str:
    """The arguments of a call as JSON text of an object: those kept as JSON within a string are taken out of it.

    A bare string (a patch) becomes ``{"input": …}``.
    """
    raw = bytes(data)
    if not raw.startswith(b'"'):
        return compact(raw)
    try:
        inner = decode(raw, ANY)
    except ValueError:
        return compact(raw)
    data = inner.encode("utf-8", "surrogatepass")
    try:
        decode(data, _OBJECT)
    except ValueError:
        return as_json({"input": inner})
    return compact(data)


def _raw(place: Place, path: Path) -> bytes:
    """The bytes of a value within a line; a JSON null where it is not there."""
    try:
        data: bytes | msgspec.Raw = place.source.read(place.offset, place.length)
        for key in path:
            data = decode(data, _LIST)[key] if isinstance(key, int) else decode(data, _OBJECT)[key]
    except (ValueError, KeyError, IndexError, OSError, ReadError):
        return b"null"
    return bytes(data)


def again(place: Place, path: Path) -> Any:
    """A value of the line at ``place``, read once more; ``None`` where it is not there."""
    try:
        value = decode(place.source.read(place.offset, place.length), ANY)
    except (ValueError, OSError, ReadError):
        return ""
    for key in path:
        if isinstance(key, int):
            value = value[key] if isinstance(value, list) and key < len(value) else None
        else:
            value = value.get(key) if isinstance(value, dict) else None
    return value


def _checked(value: str, length: int, checksum: int) -> str:
    """The text as it was when its session was read, or words that say that it is gone."""
    if len(value) == length and _sum(value) == checksum:
        return value
    return f"[the log no longer holds this text of {length} characters as it was when it was first read]"


def _sum(value: str) -> int:
    return zlib.crc32(value.encode("utf-8", "surrogatepass"))


# --- small values ------------------------------------------------------------------------------------------


def string(value: Any) -> str | None:
    """A text that is not empty, else ``None``."""
    return value if isinstance(value, str) and value else None


_COUNTED = 10**18
"""No time, limit, code or count is as large; a transcript holds eighteen digits, and later sums stay small."""


def integer(value: Any) -> int | None:
    """A number without its fraction; ``None`` for anything else and for what nothing counts to."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        number = int(value)
    except (ValueError, OverflowError):
        return None
    return number if -_COUNTED < number < _COUNTED else None


def within(value: Any, *keys: str) -> Any:
    """The value below these keys; ``None`` where one is missing."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def moment(value: Any) -> int | None:
    """Epoch milliseconds of an ISO time; a time without zone is taken for UTC. ``None`` for anything else."""
    return _moment(value) if isinstance(value, str) and 10 <= len(value) <= 40 else None


@lru_cache(maxsize=64)
def _moment(value: str) -> int | None:
    try:
        found = datetime.fromisoformat(value)
        if found.tzinfo is None:
            found = found.replace(tzinfo=UTC)
        return round(found.timestamp() * 1000)
    except (OverflowError, ValueError, OSError):
        return None
