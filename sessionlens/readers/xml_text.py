"""From bytes of a transcript XML to text: references, CDATA sections, line ends, and handles on long texts.

Two ways of decoding. *Strict* follows XML 1.0 and gives what a parser gives. *Loose* takes text that nobody
escaped: a reference is decoded unless the same text also holds the bare character, for then its writer does
not escape that character and the reference is what was really said.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from sessionlens.cache import lazy
from sessionlens.model import LONG, Text
from sessionlens.readers.source import Source

NAMED = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}
"""The five references that XML knows without a DTD."""

_REFERENCE = lazy(r"&(?:#([0-9]{1,9})|#[xX]([0-9a-fA-F]{1,8})|(lt|gt|amp|quot|apos));")
_BARE_AMPERSAND = lazy(r"&(?!#[0-9]{1,9};|#[xX][0-9a-fA-F]{1,8};|(?:lt|gt|amp|quot|apos);)")
_NUMBER = lazy(r"&#(?:[0-9]{1,9}|[xX][0-9a-fA-F]{1,8});")
_OPERATOR = lazy(r"&amp;&amp;|&&amp;|&amp;&(?![a-zA-Z#])|&lt;&lt;|&gt;&gt;|&gt;&amp;")
"""Operators of a shell as an escaping writer leaves them: such a text was escaped, if only in part."""
_STRICT = lazy(
    r"<!\[CDATA\[(?P<cdata>.*?)\]\]>|<!--.*?-->|<\?.*?\?>"
    r"|&(?:#(?P<dec>[0-9]+)|#x(?P<hex>[0-9a-fA-F]+)|(?P<name>lt|gt|amp|quot|apos));|\r\n?",
    re.DOTALL,
)
_BAD = lazy("[\udc80-\udcff]+")
_CDATA, _CDATA_END = "<![CDATA[", "]]>"
CONTROL = lazy(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
"""Characters that XML 1.0 forbids and that a loose reading keeps."""


class Piece(NamedTuple):
    """A stretch of decoded text and where its bytes begin."""

    offset: int
    """Byte offset within the decoded range."""
    text: str
    """Its text."""
    same: bool
    """Whether its bytes are its characters, so that positions inside it can be computed."""


class Bad(NamedTuple):
    """Bytes that are no text in the encoding of the file."""

    offset: int
    """Byte offset within the decoded range."""
    data: bytes
    """The bytes."""


def strict(data: bytes, codec: str) -> str:
    """The text of a well-formed element without child elements, as an XML parser gives it."""
    text = data.decode(codec)
    if "&" not in text and "\r" not in text and "<" not in text:
        return text
    if "<" in text or "&#" in text:
        return _STRICT.sub(_plain, text)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    for name in ("lt", "gt", "quot", "apos"):
        text = text.replace(f"&{name};", NAMED[name])
    # Last, so that what an ampersand makes of the text is not decoded again.
    return text.replace("&amp;", "&")


def _plain(found: re.Match[str]) -> str:
    if found["cdata"] is not None:
        return found["cdata"].replace("\r\n", "\n").replace("\r", "\n")
    if found["name"]:
        return NAMED[found["name"]]
    if found["dec"]:
        return chr(int(found["dec"]))
    if found["hex"]:
        return chr(int(found["hex"], 16))
    return "\n" if found[0].startswith("\r") else ""


def loose(data: bytes, codec: str) -> str:
    """The text of a stretch of a file that may be no XML at all."""
    text, _ = readable(data, codec)
    if "&" not in text and "\r" not in text and _CDATA not in text:
        return text
    spans = _sections(text)
    bare = _bare([text[begin:end] for begin, end, verbatim in spans if not verbatim])
    decoded = []
    for begin, end, verbatim in spans:
        inner = text[begin:end].replace("\r\n", "\n")
        decoded.append(inner if verbatim or "&" not in inner else _decoded(inner, bare))
    return "".join(decoded)


def _decoded(text: str, bare: frozenset[str]) -> str:
    """The references of a text decoded that are none of the bare characters."""
    for name in ("lt", "gt"):
        if name not in bare:
            text = text.replace(f"&{name};", NAMED[name])
    if "lt" not in bare and "amp" not in bare:
        text = text.replace("&quot;", '"').replace("&apos;", "'")
        if "&#" in text:
            text = _NUMBER.sub(lambda found: _referenced(found[0], bare) or found[0], text)
    # Last, so that what an ampersand makes of the text is not decoded again.
    return text if "amp" in bare else text.replace("&amp;", "&")


def readable(data: bytes, codec: str) -> tuple[str, list[Bad]]:
    """The characters, U+FFFD for each run of bytes that are none, and those bytes."""
    if codec != "utf-8":
        return data.decode(codec, "replace"), []
    text = data.decode("utf-8", "surrogateescape")
    if text.isascii() or not _BAD.search(text):
        return text, []
    bad = []
    offset = begin = 0
    for found in _BAD.finditer(text):
        offset += len(text[begin : found.start()].encode("utf-8", "surrogateescape"))
        raw = found[0].encode("utf-8", "surrogateescape")
        bad.append(Bad(offset, raw))
        offset += len(raw)
        begin = found.end()
    return _BAD.sub("\ufffd", text), bad


def pieces(data: bytes, codec: str) -> list[Piece]:
    """The same text as :func:`loose` in stretches that know their bytes."""
    return _pieces(readable(data, codec)[0], codec)


def _pieces(text: str, codec: str) -> list[Piece]:
    spans = _sections(text)
    bare = _bare([text[begin:end] for begin, end, verbatim in spans if not verbatim])
    result: list[Piece] = []
    offset = position = 0

    def add(upto: int, replaced: str | None = None) -> None:
        nonlocal offset, position
        raw = text[position:upto]
        if raw:
            result.append(Piece(offset, raw if replaced is None else replaced, replaced is None))
            offset += len(raw.encode(codec, "replace"))
            position = upto

    for begin, end, verbatim in spans:
        add(begin, "")
        if verbatim:
            for line in re.finditer("\r\n", text[begin:end]):
                add(begin + line.start())
                add(begin + line.end(), "\n")
        else:
            for found in re.finditer(r"&[#a-zA-Z0-9]{1,10};|\r\n", text[begin:end]):
                value = "\n" if found[0] == "\r\n" else _referenced(found[0], bare)
                if value is not None:
                    add(begin + found.start())
                    add(begin + found.end(), value)
        add(end)
    add(len(text), "")
    return result


def _sections(text: str) -> list[tuple[int, int, bool]]:
    """The stretches outside (False) and inside (True) of CDATA sections; an unclosed one is plain text."""
    spans = []
    position = 0
    while (begin := text.find(_CDATA, position)) >= 0:
        end = text.find(_CDATA_END, begin)
        if end < 0:
            break
        spans += [(position, begin, False), (begin + len(_CDATA), end, True)]
        position = end + len(_CDATA_END)
    spans.append((position, len(text), False))
    return spans


def _bare(texts: list[str]) -> frozenset[str]:
    """Names of the characters that the text holds bare, so that their references mean themselves."""
    if any(_OPERATOR.search(text) for text in texts):
        return frozenset()
    bare = set()
    if any("<" in text for text in texts):
        bare.add("lt")
    if any(">" in text for text in texts):
        bare.add("gt")
    if any(_BARE_AMPERSAND.search(text) for text in texts):
        bare.add("amp")
    return frozenset(bare)


def _referenced(reference: str, bare: frozenset[str]) -> str | None:
    """The character a reference stands for; ``None`` where it is to be read as it is written."""
    found = _REFERENCE.fullmatch(reference)
    if found is None:
        return None
    if found[3] in ("lt", "gt", "amp"):
        return None if found[3] in bare else NAMED[found[3]]
    if "lt" in bare or "amp" in bare:
        return None
    if found[3]:
        return NAMED[found[3]]
    code = int(found[1]) if found[1] else int(found[2], 16)
    return chr(code) if code < 0xD800 or 0xDFFF < code < 0x110000 else None


_NO_TEXT = "\ufffd".encode()


class Places:
    """Byte offsets of the characters of a loosely decoded range."""

    def __init__(self, data: bytes, codec: str) -> None:
        """Decode the range again, keeping where its stretches begin."""
        self._codec = codec
        text, bad = readable(data, codec)
        self._pieces = _pieces(text, codec)
        # Pieces count a run of bytes that are no text as the three of the U+FFFD that stands for it.
        self._ends, self._extra, more = [0], [0], 0
        for one in bad:
            self._ends.append(one.offset + more + len(_NO_TEXT))
            more += len(_NO_TEXT) - len(one.data)
            self._extra.append(more)
        self._starts = []
        total = 0
        for piece in self._pieces:
            self._starts.append(total)
            total += len(piece.text)
        self._latest = (-1, 0, 0)

    def offset(self, position: int) -> int:
        """Byte offset within the range of the character at ``position``."""
        counted = self._counted(position)
        return counted - self._extra[bisect_right(self._ends, counted) - 1]

    def _counted(self, position: int) -> int:
        index = bisect_right(self._starts, position) - 1
        if index < 0:
            return 0
        piece = self._pieces[index]
        if not piece.same:
            return piece.offset
        inside = position - self._starts[index]
        # Positions are asked for in rising order: count on from the one before.
        known, begin, count = self._latest
        if known != index or begin > inside:
            begin = count = 0
        count += len(piece.text[begin:inside].encode(self._codec, "replace"))
        self._latest = (index, inside, count)
        return piece.offset + count


def unescape(value: str) -> str:
    """An attribute value with its references decoded."""
    if "&" not in value:
        return value
    return _REFERENCE.sub(lambda found: _referenced(found[0], frozenset()) or found[0], value)


def from_json(text: str) -> str:
    """The string that a JSON document is. Raises ``ValueError`` when it is something else."""
    value: Any = json.loads(text)
    if not isinstance(value, str):
        raise ValueError("no JSON string")
    return value


class Recipe(NamedTuple):
    """How to read one text of the log again. Can be pickled."""

    source: Source
    """The log."""
    offset: int
    """First byte."""
    length: int
    """Number of bytes."""
    codec: str
    """Encoding of the file."""
    well_formed: bool
    """Decode strictly or loosely."""
    json: bool = False
    """The text is a JSON string (``enc="json"``)."""
    strip: bool = False
    """Leave out white space at both ends: text that stands directly in a message."""
    begin: int | None = None
    """First character of the text within the decoded range."""
    end: int | None = None
    """Character after its last."""
    shape: Callable[[str], str] | None = None
    """What to make of the text at last; a module-level function or a partial of one."""

    def decoded(self, data: bytes) -> str:
        """The text that these bytes give."""
        text = strict(data, self.codec) if self.well_formed else loose(data, self.codec)
        return self.shaped(text)

    def shaped(self, text: str) -> str:
        """What becomes of the decoded range."""
        if self.json:
            text = from_json(text)
        if self.strip:
            text = text.strip()
        if self.begin is not None or self.end is not None:
            text = text[self.begin : self.end]
        return text if self.shape is None else self.shape(text)

    def text(self, value: str) -> Text:
        """``value`` as a model text that reads itself again when it is long."""
        return Text(value, partial(load, self) if len(value) > LONG else None, packed=self.source.large)


def load(recipe: Recipe) -> str:
    """Read a text of the log again."""
    return recipe.decoded(recipe.source.read(recipe.offset, recipe.length))
