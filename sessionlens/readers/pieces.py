"""The values of one JSON document with their places: lists and objects taken apart without decoding all of it.

For logs that are one document (or one document a line). A document that stops in the middle still yields its
complete values. Nothing here recurses: the log decides how deep it nests.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from sessionlens.cache import lazy
from sessionlens.model import Origin, Text
from sessionlens.readers.jsonl import ANY, Place, decode, joined, json_text, lines, shown_json, text
from sessionlens.readers.source import Source

_SPACE = lazy(rb"[\s,]*+")
_STRING = lazy(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_COLON = lazy(rb"\s*+:\s*+")
_SCALAR = lazy(rb'[^\s,\]}"\[{]++')
_TOKEN = lazy(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[\[\]{}]|"', re.DOTALL)
_LONGEST_KEY = 1 << 12


class Piece:
    """One value of a log: its bytes and where they stand."""

    __slots__ = ("_known", "_members", "_value", "complete", "data", "file", "offset", "source")

    def __init__(
        self, source: Source, data: memoryview, offset: int, *, complete: bool = True, file: str | None = None
    ) -> None:
        """``data`` begins with the value; ``complete`` tells whether the value ends before the log does."""
        self.source, self.data, self.offset, self.complete, self.file = source, data, offset, complete, file
        self._known = False
        self._value: Any = None
        self._members: dict[str, Piece] | None = None

    @property
    def origin(self) -> Origin:
        """Where it stands."""
        return Origin(
            line=self.source.line_at(self.offset), offset=self.offset, length=len(self.data), file=self.file
        )

    @property
    def place(self) -> Place:
        """Where it can be read again."""
        return Place(self.source, self.offset, len(self.data))

    def value(self) -> Any:
        """The value decoded; ``None`` where that is not possible."""
        if not self._known:
            try:
                self._value = decode(self.data, ANY)
            except ValueError:
                self._value = None
            self._known = True
        return self._value

    def first(self) -> bytes:
        """The first character: tells an object, a list and a text apart."""
        return bytes(self.data[:1])

    def items(self) -> Iterator[Piece]:
        """The values of a list; nothing for any other value. The last may be incomplete."""
        if self.first() != b"[":
            return
        position = 1
        while True:
            position = _skip(self.data, position)
            if position >= len(self.data) or self.data[position] == 0x5D:
                return
            end = _end(self.data, position)
            yield self._part(position, end)
            if end is None or end <= position:
                return
            position = end

    def members(self) -> dict[str, Piece]:
        """The values of an object by their keys; of a key that comes twice the last. Empty for any other value."""
        if self._members is None:
            self._members = dict(self._found())
        return self._members

    def _found(self) -> Iterator[tuple[str, Piece]]:
        if self.first() != b"{":
            return
        position = 1
        while True:
            position = _skip(self.data, position)
            key = _STRING.match(self.data, position)
            colon = None if key is None else _COLON.match(self.data, key.end())
            if key is None or colon is None or colon.end() >= len(self.data):
                return
            end = _end(self.data, colon.end())
            if len(key[0]) <= _LONGEST_KEY:
                try:
                    name = decode(key[0], ANY)
                except ValueError:
                    name = None
                if isinstance(name, str):
                    yield name, self._part(colon.end(), end)
            if end is None or end <= colon.end():
                return
            position = end

    def _part(self, begin: int, end: int | None) -> Piece:
        data = self.data[begin:] if end is None else self.data[begin:end]
        return Piece(self.source, data, self.offset + begin, complete=end is not None, file=self.file)

    def get(self, *keys: str) -> Piece | None:
        """The value below these keys; ``None`` where one is missing."""
        found: Piece | None = self
        for key in keys:
            found = None if found is None else found.members().get(key)
        return found

    def list(self, *keys: str) -> list[Piece]:
        """The values of the list below these keys; none where there is no such list."""
        found = self.get(*keys)
        return [] if found is None else list(found.items())

    def text(self, *, begin: int = 0, end: int | None = None) -> Text:
        """The text of a value, a list of blocks joined; a handle when it is long.

        ``begin`` and ``end`` cut it in characters, for a header or footer that the client puts around.
        """
        whole = joined(self.value())
        return text(whole[begin:end], self.place, (), skip=begin)

    def json(self) -> Text:
        """The value as JSON text of a call's input: what is kept as JSON within a string is taken out of it."""
        return json_text(shown_json(bytes(self.data)), self.place, ())


def document(source: Source) -> Piece:
    """The whole log as one value."""
    view = memoryview(source.view())
    begin = _skip(view, source.start)
    end = _end(view, begin) if begin < len(view) else None
    return Piece(source, view[begin : len(view) if end is None else end], begin, complete=end is not None)


def rest(source: Source, root: Piece) -> bytes:
    """The first bytes that follow a document that should be the only one; empty when nothing does."""
    view = memoryview(source.view())
    begin = _skip(view, root.offset + len(root.data))
    return bytes(view[begin : begin + 80]).strip(b"\x00 \t\r\n")


def line_pieces(source: Source) -> Iterator[Piece]:
    """One value for each line that is not blank. Memory holds one line."""
    for line in lines(source):
        data = line.data.lstrip()
        begin = len(line.data) - len(data)
        yield Piece(source, memoryview(data.rstrip()), line.offset + begin, complete=line.ended)


def beginning(source: Source, length: int = 1 << 18) -> Piece | None:
    """What the first bytes hold of a document, for recognising; ``None`` when no object or list begins there."""
    head = memoryview(source.head(length))
    begin = _skip(head, 0)
    if begin >= len(head) or head[begin] not in b"{[":
        return None
    end = _end(head, begin)
    return Piece(source, head[begin:] if end is None else head[begin:end], begin, complete=end is not None)


def _skip(data: memoryview, position: int) -> int:
    found = _SPACE.match(data, position)
    return position if found is None else found.end()


def _end(data: memoryview, begin: int) -> int | None:
    """Where the value that begins here ends; ``None`` when the log ends first."""
    first = data[begin]
    if first == 0x22:
        found = _STRING.match(data, begin)
        return None if found is None else found.end()
    if first not in b"{[":
        found = _SCALAR.match(data, begin)
        if found is None:
            return begin
        return found.end() if found.end() < len(data) else None
    depth = 0
    for token in _TOKEN.finditer(data, begin):
        mark = data[token.start()]
        if mark in b"{[":
            depth += 1
        elif mark in b"}]":
            depth -= 1
            if depth == 0:
                return token.end()
        elif token.end() - token.start() == 1:
            return None
    return None
