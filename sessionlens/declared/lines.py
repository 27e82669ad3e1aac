"""On which line of a TOML file each key and each item of a list stands. ``tomllib`` reads values, not places."""

from __future__ import annotations

import re

Path = tuple[str | int, ...]
"""The way to a value: keys, and positions in lists."""

_SPACE = re.compile(r"[ \t]*")
_FILLER = re.compile(r"(?:[ \t\r\n,]+|#[^\n]*)*")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_SCALAR = re.compile(r"[^,\]}#\n]*")
_STRING = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}|' r"'''.*?'{3,5}|" r'"(?:[^"\\\n]|\\.)*"|' r"'[^'\n]*'",
    re.DOTALL,
)
_DEEPEST = 60


def places(text: str) -> dict[Path, int]:
    """The line of every key and list item of a TOML text that ``tomllib`` takes.

    Deeper than 60 levels nothing is looked for; a key that is not found has the line of what holds it.
    """
    return _Scanner(text).scan()


def line_of(found: dict[Path, int], path: Path) -> int:
    """The line of a value, or of the nearest thing around it."""
    while path and path not in found:
        path = path[:-1]
    return found.get(path, 1)


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0
        self.found: dict[Path, int] = {}
        self.counted, self.counted_to = 1, 0
        self.tables: dict[Path, int] = {}

    def line(self) -> int:
        self.counted += self.text.count("\n", self.counted_to, self.at)
        self.counted_to = self.at
        return self.counted

    def scan(self) -> dict[Path, int]:
        table: Path = ()
        while self.skip(_FILLER) < len(self.text):
            before = self.at
            if self.text.startswith("[[", self.at):
                table = self.header(2)
            elif self.text[self.at] == "[":
                table = self.header(1)
            else:
                self.pair(table, 0)
            if self.at == before:
                break
        return self.found

    def header(self, brackets: int) -> Path:
        line = self.line()
        self.at += brackets
        path: Path = ()
        for key in self.keys():
            path = (*path, key)
            if path in self.tables:
                path = (*path, self.tables[path])
        self.skip(re.compile(r"[ \t\]]*"))
        if brackets == 2:
            last = path[:-1] if path and isinstance(path[-1], int) else path
            number = self.tables[last] = self.tables.get(last, -1) + 1
            self.found.setdefault(last, line)
            path = (*last, number)
        self.found.setdefault(path, line)
        return path

    def keys(self) -> list[str]:
        found: list[str] = []
        while True:
            self.skip(_SPACE)
            match = _STRING.match(self.text, self.at) or _BARE.match(self.text, self.at)
            if match is None:
                return found
            self.at = match.end()
            found.append(match.group().strip("\"'"))
            self.skip(_SPACE)
            if not self.text.startswith(".", self.at):
                return found
            self.at += 1

    def pair(self, table: Path, depth: int) -> None:
        line = self.line()
        path = table
        for key in self.keys():
            path = (*path, key)
            self.found.setdefault(path, line)
        self.skip(_SPACE)
        if path != table and self.text.startswith("=", self.at):
            self.at += 1
            self.skip(_SPACE)
            self.value(path, depth)

    def value(self, path: Path, depth: int) -> None:
        opening = self.text[self.at : self.at + 1]
        string = _STRING.match(self.text, self.at)
        if string is not None:
            self.at = string.end()
        elif opening in ("[", "{") and depth < _DEEPEST:
            self.at += 1
            closing, number = {"[": "]", "{": "}"}[opening], 0
            while self.skip(_FILLER) < len(self.text) and self.text[self.at] != closing:
                before = self.at
                if opening == "[":
                    self.found.setdefault((*path, number), self.line())
                    self.value((*path, number), depth + 1)
                    number += 1
                else:
                    self.pair(path, depth + 1)
                if self.at == before:
                    return
            self.at += 1
        else:
            self.skip(_SCALAR)

    def skip(self, pattern: re.Pattern[str]) -> int:
        match = pattern.match(self.text, self.at)
        if match is not None:
            self.at = match.end()
        return self.at
