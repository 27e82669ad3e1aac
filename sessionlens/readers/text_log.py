"""Logs that are text for people: stretches of bytes as texts with their places, and what calls show there.

The readers of Markdown exports and terminal copies look for their marks in the bytes of the log, so that
every part knows its exact place; a stretch becomes a text by :func:`decode`, now and when a handle reads it
again. :func:`shown_call` makes a call of what such a log shows of it, by the wordings of the clients.
"""

from __future__ import annotations

import json
import mmap
import re
import zlib
from collections.abc import Callable, Iterator
from datetime import datetime
from functools import partial
from typing import Any, Literal

import msgspec

from sessionlens.cache import lazy
from sessionlens.model import LONG, Call, Gap, Origin, Status, Text
from sessionlens.readers import wordings
from sessionlens.readers.base import ReadError
from sessionlens.readers.inline_calls import READING, SHELL
from sessionlens.readers.source import Source

View = bytes | mmap.mmap

Client = Literal["opencode", "claude-code"]

_SPACE = b" \t\r\n\x0b\x0c"
_BLOCK = 1 << 20

# --- forms of text ---------------------------------------------------------------------------------------

ESCAPES = lazy(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]{0,2000}(?:\x07|\x1b\\)?|[()][A-Za-z0-9]|[=>78cDEHMNOZ])"
)
"""Escape sequences of terminals: colours, cursor movements, titles (ECMA-48)."""
_TWICE = lazy(r"[^\x00-\x7f]+")
_INDENT = lazy(r"^(?:[ \xa0]{2}⎿[ \xa0]{0,2}|[ \xa0]{1,5})", re.MULTILINE)
_BLANKS = lazy(r"(?<![ \xa0])[ \xa0]+$", re.MULTILINE)
_HASHES = lazy(r"^####(?: |$)", re.MULTILINE)
_ARROW = lazy(r"^> ?", re.MULTILINE)


def without_escapes(text: str) -> str:
    """The text as a terminal shows it, colours left out; a lone carriage return becomes a line end."""
    return ESCAPES.sub("", text).replace("\r", "\n")


def decoded_twice(text: str, codec: str) -> str:
    """Undo one wrong decoding: UTF-8 that was read in ``codec`` and written as UTF-8 again.

    Runs that are not of that making stay as they are.
    """
    return _TWICE.sub(lambda run: _undone(run[0], codec), text)


def _undone(run: str, codec: str) -> str:
    try:
        return run.encode(codec).decode("utf-8")
    except (UnicodeEncodeError, UnicodeDecodeError):
        pass
    # A cut within the run, or a character that the copy lost: undo what can be undone.
    result: list[str] = []
    piece = ""
    for char in (*run, ""):
        try:
            char.encode(codec)
        except UnicodeEncodeError:
            result += [_whole_characters(piece, codec), char]
            piece = ""
        else:
            piece += char
    return "".join((*result, _whole_characters(piece, codec)))


def _whole_characters(piece: str, codec: str) -> str:
    """The piece undone up to a character cut off at its end; as it is when it was never decoded twice."""
    data = piece.encode(codec)
    for cut in range(min(4, len(data))):
        try:
            return data[: len(data) - cut].decode("utf-8") + piece[len(piece) - cut :] * (cut > 0)
        except UnicodeDecodeError:
            continue
    return piece


def _compact(text: str) -> str:
    try:
        return msgspec.json.format(text.encode("utf-8"), indent=-1).decode("utf-8")
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return text


def _command(text: str) -> str:
    return json.dumps({"command": text.strip()}, ensure_ascii=False)


_FORMS: dict[str, Callable[[str], str]] = {
    "ansi": without_escapes,
    "cp437": partial(decoded_twice, codec="cp437"),
    "cp1252": partial(decoded_twice, codec="cp1252"),
    "indented": lambda text: _BLANKS.sub("", _INDENT.sub("", text)),
    "hashes": lambda text: _BLANKS.sub("", _HASHES.sub("", text)),
    "arrows": lambda text: _BLANKS.sub("", _ARROW.sub("", text)),
    "json": _compact,
    "command": _command,
}
"""What is done with the characters of a stretch, by name, so that a handle can be pickled."""

Forms = tuple[str, ...]


def decode(data: bytes, forms: Forms = ()) -> str:
    """The text of a stretch: UTF-8, undecodable bytes as U+FFFD, line ends as ``\\n``, then each form in turn."""
    text = data.decode("utf-8", "replace").replace("\r\n", "\n")
    for form in forms:
        text = _FORMS[form](text)
    return text


_CHANGED = "[the log no longer holds this text as it was when it was first read]"


def _again(source: Source, offset: int, length: int, forms: Forms, checksum: int) -> str:
    """A long text, read again; words that say so when the log has changed since."""
    try:
        data = source.read(offset, length)
    except ReadError:
        data = b""
    if len(data) == length and zlib.crc32(data) == checksum:
        return decode(data, forms)
    return _CHANGED


def _json_again(source: Source, offset: int, length: int, path: tuple[str | int, ...], checksum: int) -> str:
    """A long string within a JSON value of the log, read again."""
    try:
        value: Any = json.loads(source.read(offset, length).decode("utf-8", "replace"), strict=False)
        for key in path:
            value = value[key]
    except (ReadError, ValueError, LookupError, TypeError, RecursionError):
        value = None
    if isinstance(value, str) and zlib.crc32(value.encode("utf-8", "surrogatepass")) == checksum:
        return value
    return _CHANGED


class Page:
    """One text log: its bytes, and how its stretches become texts."""

    def __init__(self, source: Source, forms: Forms = ()) -> None:
        """Take the bytes of ``source``; ``forms`` apply to every text of it."""
        self.source = source
        self.view: View = source.view()
        self.start = source.start
        self.end = len(self.view)
        self.forms = forms

    def bytes(self, begin: int, end: int) -> bytes:
        """The bytes of a stretch."""
        return bytes(self.view[begin:end])

    def origin(self, begin: int, end: int) -> Origin:
        """The place of a stretch."""
        return Origin(line=self.source.line_at(begin), offset=begin, length=max(0, end - begin))

    def each_line(self) -> Iterator[tuple[int, int]]:
        """Begin and end of every line that is not blank, without its line feed."""
        begin = self.start
        while begin < self.end:
            end = self.view.find(b"\n", begin)
            end = self.end if end < 0 else end
            if not self.bytes(begin, min(end, begin + 80)).isspace() and end > begin:
                yield begin, end
            begin = end + 1

    def trim(self, begin: int, end: int) -> tuple[int, int]:
        """The stretch without white space at its ends; empty at ``begin`` when there is nothing else."""
        while begin < end:
            piece = self.bytes(begin, min(end, begin + _BLOCK))
            kept = piece.lstrip(_SPACE)
            begin += len(piece) - len(kept)
            if kept:
                break
        while begin < end:
            piece = self.bytes(max(begin, end - _BLOCK), end)
            kept = piece.rstrip(_SPACE)
            end -= len(piece) - len(kept)
            if kept:
                break
        return begin, end

    def before_line(self, begin: int, line: int) -> int:
        """End of what stands between ``begin`` and the line at ``line``, its line end left out."""
        end = line - 1 if self.bytes(line - 1, line) == b"\n" else line
        end -= self.bytes(end - 1, end) == b"\r"
        return max(begin, end)

    def lines(self, begin: int, end: int) -> tuple[int, int]:
        """The stretch without blank lines around it; the first line keeps its indentation."""
        first, end = self.trim(begin, end)
        return max(begin, self.view.rfind(b"\n", begin, first) + 1), max(end, first)

    def decode(self, begin: int, end: int, *forms: str) -> str:
        """The characters of a stretch, whole."""
        return decode(self.bytes(begin, end), self.forms + forms)

    def text(self, begin: int, end: int, *forms: str) -> Text:
        """The stretch as a text; a handle when it is long."""
        data = self.bytes(begin, end)
        every = self.forms + forms
        text = decode(data, every)
        if len(text) <= LONG:
            return Text(text)
        return Text(text, load=partial(_again, self.source, begin, len(data), every, zlib.crc32(data)))

    def json_text(self, begin: int, end: int, value: str, path: tuple[str | int, ...]) -> Text:
        """A string within the JSON value of a stretch; ``path`` leads to it when a long one is read again."""
        if len(value) <= LONG:
            return Text(value)
        checksum = zlib.crc32(value.encode("utf-8", "surrogatepass"))
        return Text(value, load=partial(_json_again, self.source, begin, end - begin, path, checksum))

    def undecodable(self) -> tuple[Gap, ...]:
        """A gap where the log holds bytes that are no UTF-8; they are shown as U+FFFD."""
        begin = 0
        while begin < self.end:
            piece = self.bytes(begin, begin + _BLOCK)
            try:
                piece.decode("utf-8")
            except UnicodeDecodeError as error:
                cut = error.reason == "unexpected end of data" and begin + len(piece) < self.end
                if not cut:
                    at = begin + error.start
                    reason = "bytes that are no UTF-8 are shown as U+FFFD here and wherever they follow"
                    return (Gap(reason=reason, origin=self.origin(at, begin + error.end)),)
                begin += max(error.start, 1)
                continue
            begin += _BLOCK
        return ()


# --- calls as a log shows them ---------------------------------------------------------------------------

_EXIT = lazy(r"\s*(?:<tool_use_error>)?(?:Error: )?Exit code (?P<code>\d{1,3})\b")
_BACKGROUND = lazy(
    r"\s*(?:Command (?:running in|was moved to the) background\b|Running in the background\b"
    r"|Command did not complete within [^\n]{1,60} and was moved to the background)"
)
_DEFAULT_MS = 120_000
"""Time limit of a shell command that asks for none: opencode from 1.0.152 on, Claude Code."""


def shown_call(
    *,
    name: str,
    input: Text,
    client: Client | None,
    origin: Origin,
    id: str | None = None,
    output: Text | None = None,
    error: Text | None = None,
    failed: bool = False,
    status: Status | None = None,
    result_origin: Origin | None = None,
    start: int | None = None,
    end: int | None = None,
    child: str | None = None,
) -> Call:
    """A call of ``client`` whose end has to be told from the words of its result.

    ``failed`` says that the log marks the result as an error; ``status`` overrides what follows from the rest.
    The limit is the asked one, else the client's default; exit codes only where the words give them.
    """
    shell = name.lower() in SHELL
    asked = _asked(input) if shell else None
    limit = asked if asked is not None else _DEFAULT_MS if shell else None
    timed_out = interrupted = background = False
    code: int | None = None
    for text in (output, error):
        if text is None or name.lower() in READING:
            continue
        cut = wordings.cut_off(text.end(), output_start=text.head, client=client)
        waited = None if shell else wordings.mcp_cut_off(text)
        if waited is not None:
            timed_out, limit = True, waited.limit_ms
        elif cut is not None and (shell or client == "claude-code"):
            timed_out, limit = True, cut.limit_ms if cut.limit_ms is not None else limit
        elif wordings.aborted(text.end(), output_start=text.head, client=client):
            interrupted = True
        if client != "opencode" and shell:
            found = _EXIT.match(text.head)
            code = int(found["code"]) if found is not None else code
            background = background or _BACKGROUND.match(text.head) is not None
    short = None if output is None else wordings.shortened(output.head, output.end(), client=client)
    if status is None:
        status = "error" if error is not None or failed else "completed"
    return Call(
        id=id,
        name=name,
        input=input,
        status=status,
        start=start,
        end=end,
        limit_ms=limit,
        timed_out=timed_out,
        interrupted=interrupted,
        exit=None if timed_out else code,
        background=background or _asks_background(input, shell),
        child=child,
        output=output,
        truncated=short is not None,
        spilled=short[1] if short is not None else None,
        error=error,
        origin=origin,
        result_origin=result_origin,
    )


_TIMEOUT = lazy(r'"timeout"\s*:\s*(\d{1,12})(?:\.\d+)?\s*[,}]')
_IN_BACKGROUND = lazy(r'"run_in_background"\s*:\s*true')


def _asked(input: Text) -> int | None:
    arguments = _small(input)
    value = arguments.get("timeout") if arguments is not None else None
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < 1e12:
        return int(value)
    found = _TIMEOUT.search(input.end()) if arguments is None else None
    return int(found[1]) if found is not None else None


def _asks_background(input: Text, shell: bool) -> bool:
    if not shell:
        return False
    arguments = _small(input)
    if arguments is not None:
        return arguments.get("run_in_background") is True
    return _IN_BACKGROUND.search(input.end()) is not None


def _small(input: Text) -> dict[str, Any] | None:
    """The arguments of an input that is at hand whole; ``None`` when it is long or no JSON object."""
    if input.long:
        return None
    try:
        value = json.loads(input.head)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


# --- times -----------------------------------------------------------------------------------------------


def utc(text: str) -> int | None:
    """A time with its zone (ISO 8601, ``T`` or a space) in epoch milliseconds; ``None`` without a zone.

    A time of an unnamed zone is no time: it may be off by a day.
    """
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    return None if moment.tzinfo is None else round(moment.timestamp() * 1000)
