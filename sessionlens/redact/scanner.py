"""Runs the scanner over many small texts at once and maps what it finds back to them.

The only module that imports kingfisher, and of it only ``Rules`` and ``Scanner``: they work in this process and
never use the network. Its validation and revocation are never touched.

Loading its 488 rules takes 0.25 to 0.35 s with its cache of compiled rules, 3 s once per machine without. It is
always loaded: a gate that decides from the text whether any of the rules *could* match would have to know a
literal that each of them requires, and several have none, so skipping it could miss a secret. Instead
:func:`warm` loads in the background (loading releases the interpreter) while a log is being read.
"""

from __future__ import annotations

import re
import threading
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from importlib.resources import as_file, files
from itertools import accumulate
from typing import Any, NamedTuple

from sessionlens.redact.cut import CUTTERS, Found, vendor

BATCH = 4_000_000
"""Bytes handed to the scanner at once, unless one text alone is longer."""
NEAR = 400
"""A hit of a vendor's rule this close behind a border may rest on the neighbour: its text is scanned alone."""

_BORDER = b"\n\x1e\x1e\x1e\n"
_lock = threading.Lock()
_loaded: dict[str, Any] = {}


def _scanner(name: str) -> Any:
    """One of the two scanners, loaded once: ``own`` for the cues of rules.yaml, ``vendors`` for its own rules."""
    with _lock if name == "own" else _vendors_lock:
        if name not in _loaded:
            from kingfisher_sdk import Rules, Scanner

            if name == "own":
                with as_file(files("sessionlens.redact").joinpath("rules.yaml")) as path:
                    _loaded[name] = Scanner(Rules([path], builtins=False), base64=False)
            else:
                _loaded[name] = Scanner(Rules(), base64=True)
        return _loaded[name]


_vendors_lock = threading.Lock()


def warm() -> threading.Thread:
    """Begin to load the scanner in the background; harmless to call more than once."""
    thread = threading.Thread(target=_scanner, args=("vendors",), name="sessionlens-scanner", daemon=True)
    thread.start()
    return thread


class _Hit(NamedTuple):
    start: int
    end: int
    rule: str
    encoded: bool


def _scan(name: str, data: bytes) -> list[_Hit]:
    hits = []
    for finding in _scanner(name).scan(data):
        if finding.visible:
            place = finding.location
            hits.append(
                _Hit(place["start_offset"], place["end_offset"], finding.rule_id, finding.is_base64_encoded)
            )
    hits.sort()
    return hits


_ESCAPE = re.compile(r"(\\(?:u[0-9a-fA-F]{4}|[^u]))", re.DOTALL)
_PLAIN = {
    "\\n": "\n",
    "\\t": "\t",
    "\\r": "\r",
    '\\"': '"',
    "\\'": "'",
    "\\\\": "\\",
    "\\/": "/",
    "\\b": "\b",
    "\\f": "\f",
}


class View:
    """A text as it reads once its backslash escapes are undone, and the way back to places of the original."""

    def __init__(self, text: str, parent: View | None = None, pieces: list[str] | None = None) -> None:
        self.text = text
        self._parent = parent
        self._pieces = pieces

    def unescaped(self) -> View | None:
        """The next view; ``None`` when nothing is escaped."""
        if "\\" not in self.text:
            return None
        pieces = _ESCAPE.split(self.text)
        if len(pieces) == 1:
            return None
        plain = pieces.copy()
        plain[1::2] = [
            _PLAIN[p] if p in _PLAIN else chr(int(p[2:], 16)) if len(p) == 6 else p for p in pieces[1::2]
        ]
        text = "".join(plain)
        return View(text, self, pieces) if len(text) != len(self.text) else None

    @cached_property
    def _starts(self) -> tuple[list[int], list[int]]:
        """Where each piece starts, here and in the parent."""
        pieces = self._pieces or []
        sizes = [
            len(p) if i % 2 == 0 or (p not in _PLAIN and len(p) != 6) else 1 for i, p in enumerate(pieces)
        ]
        return [0, *accumulate(sizes)], [0, *accumulate(map(len, pieces))]

    def original(self, start: int, end: int) -> tuple[int, int]:
        """A range of this view, not empty, as a range of the original text, escapes taken whole."""
        if self._parent is None:
            return start, end
        here, there = self._starts
        first, last = bisect_right(here, start) - 1, bisect_right(here, end - 1) - 1
        # Odd pieces are escapes: one character here, all of the escape there.
        begin = there[first] + (start - here[first] if first % 2 == 0 else 0)
        behind = there[last] + (end - here[last]) if last % 2 == 0 else there[last + 1]
        return self._parent.original(begin, behind)


class Field(NamedTuple):
    """One text to look through."""

    text: str
    """The text."""
    escaped: bool
    """It is JSON, so only what its strings decode to counts, not its spelling."""
    command: bool
    """It holds what a tool was told, so a command in it is one, not a mention."""


class _Segment(NamedTuple):
    number: int
    command: bool
    view: View
    data: bytes


Extra = Callable[[str, bool], Iterable[Found]]
"""Further findings in a text; told whether it holds what a tool was told."""


def views(field: Field) -> Iterator[View]:
    """The ways a text can be read: as it stands, and with up to three layers of escapes undone."""
    view: View | None = View(field.text)
    assert view is not None
    if not field.escaped or "\\" not in field.text:
        yield view
    for _ in range(3):
        view = view.unescaped() if view is not None else None
        if view is None:
            return
        yield view


def detect(
    fields: Iterable[Field], *, secrets: bool = True, strict: bool = False, extra: Extra | None = None
) -> Iterator[list[Found]]:
    """For each text its secrets, in order and without overlap, in places of the text.

    ``extra`` adds more kinds of findings per view. ``strict`` keeps only what its own form gives away (tokens,
    keys), not what a label beside it says.
    """
    batch: list[_Segment] = []
    size = done = number = 0
    for number, field in enumerate(fields, 1):
        for view in views(field):
            data = view.text.encode("utf-8", "surrogatepass")
            batch.append(_Segment(number, field.command, view, data))
            size += len(data) + len(_BORDER)
        if size >= BATCH:
            yield from _detect(batch, done, number, secrets=secrets, strict=strict, extra=extra)
            batch, size, done = [], 0, number
    yield from _detect(batch, done, number, secrets=secrets, strict=strict, extra=extra)


_FORM = frozenset({"prefixed", "jwt", "bot", "pem", "pem64", "crypt", "scheme", "scram", "hook", "userinfo"})


def _detect(
    batch: Sequence[_Segment], done: int, number: int, *, secrets: bool, strict: bool, extra: Extra | None
) -> list[list[Found]]:
    """The findings of the texts behind ``done`` up to ``number``, counted from 1."""
    found: list[list[Found]] = [[] for _ in range(number - done)]
    if secrets and batch:
        starts = [0, *accumulate(len(s.data) + len(_BORDER) for s in batch)]
        data = _BORDER.join([s.data for s in batch])
        for index, hits in _by_segment(_scan("own", data), starts).items():
            found[batch[index].number - done - 1].extend(_cut(batch[index], hits, starts[index], strict))
        for index, hits in _by_segment(_scan("vendors", data), starts).items():
            segment, base = batch[index], starts[index]
            if any(h.start - base < NEAR or h.end - base > len(segment.data) for h in hits):
                alone = _scan("vendors", segment.data)
                found[segment.number - done - 1].extend(_judge(segment, alone, 0))
            else:
                found[segment.number - done - 1].extend(_judge(segment, hits, base))
    if extra is not None:
        for segment in batch:
            found[segment.number - done - 1].extend(
                _original(segment.view, one) for one in extra(segment.view.text, segment.command)
            )
    return [merge(one) if len(one) > 1 else one for one in found]


def _by_segment(hits: list[_Hit], starts: list[int]) -> dict[int, list[_Hit]]:
    grouped: dict[int, list[_Hit]] = {}
    for hit in hits:
        grouped.setdefault(bisect_right(starts, hit.start) - 1, []).append(hit)
    return grouped


def _characters(segment: _Segment, places: list[int]) -> dict[int, int]:
    """Byte offsets of a segment as character offsets; one pass over it whatever their number."""
    data = segment.data
    if len(data) == len(segment.view.text):
        return {place: place for place in places}
    result: dict[int, int] = {}
    done = characters = 0
    for place in sorted(set(places)):
        characters += len(data[done:place].translate(None, _CONTINUATION))
        done = place
        result[place] = characters
    return result


_CONTINUATION = bytes(range(0x80, 0xC0))
"""Bytes that begin no character of UTF-8; surrogates that were passed through follow the same rule."""


def _cut(segment: _Segment, hits: list[_Hit], base: int, strict: bool) -> Iterator[Found]:
    text = segment.view.text
    places = _characters(segment, [p - base for h in hits for p in (h.start, h.end)])
    behind: dict[str, int] = {}
    for hit in hits:
        name = hit.rule.rpartition(".")[2]
        if strict and name not in _FORM:
            continue
        start, end = places[hit.start - base], places[hit.end - base]
        # Cues within what the same cutter has just read: nothing new, and it keeps the work linear.
        if start < behind.get(name, 0):
            continue
        for one in CUTTERS[name](text, start, end, segment.command):
            behind[name] = max(behind.get(name, 0), one.end)
            if one.end > one.start:
                yield _original(segment.view, one)


def _judge(segment: _Segment, hits: list[_Hit], base: int) -> Iterator[Found]:
    places = _characters(segment, [p - base for h in hits for p in (h.start, h.end)])
    for hit in hits:
        start, end = places[hit.start - base], places[hit.end - base]
        one = vendor(segment.view.text, start, end, hit.rule, hit.encoded)
        if one is not None:
            yield _original(segment.view, one)


def _original(view: View, one: Found) -> Found:
    start, end = view.original(one.start, one.end)
    return Found(start, end, one.kind, one.value)


_GENERAL = frozenset({"password", "token", "key", "secret", "session", "cookie", "signature", "access-key"})


def merge(found: Iterable[Found]) -> list[Found]:
    """Overlapping findings as one: the whole of them, under the most telling kind."""
    result: list[Found] = []
    for one in sorted(found, key=lambda f: (f.start, -f.end, f.kind in _GENERAL, f.kind)):
        if not result or one.start >= result[-1].end:
            result.append(one)
            continue
        last = result[-1]
        kind = last.kind if last.kind not in _GENERAL or one.kind in _GENERAL else one.kind
        if one.end <= last.end:
            result[-1] = last._replace(kind=kind)
        else:
            result[-1] = Found(last.start, one.end, kind, last.value + one.value[last.end - one.start :])
    return result
