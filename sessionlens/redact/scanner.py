"""Runs the scanner over many small texts at once and maps what it finds back to them."""

from __future__ import annotations

import re
import threading
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from functools import cached_property, partial
from itertools import accumulate
from typing import Any, NamedTuple, TypeVar

from sessionlens.cache import lazy
from sessionlens.redact.cut import CUTTERS, PSEUDONYM, Found, clip, vendor
from sessionlens.scanners import scanner

BATCH = 1_000_000
"""Bytes of texts gathered before they are scanned, unless one text alone is longer."""
AT_ONCE = 2
"""Batches that are scanned while the next one is gathered and an earlier one is judged."""


class _Size(NamedTuple):
    """How much the scanner is given at once: its work is not linear in that where hits are dense."""

    window: int
    """Bytes; a longer text is cut into windows, shorter ones are joined up to that size."""
    before: int
    """Bytes before a window that its hits may rest on."""
    behind: int
    """Bytes behind it."""


VENDORS = _Size(32_000, 2_000, 10_000)
"""For vendors' rules: none but private keys, which are cut out by our own rule, reaches farther."""
OWN = _Size(8_000, 600, 1_400)
"""For cues. Once a rule's first, fast test fits anywhere, its slow pattern runs over everything handed in."""
NEAR = 400
"""A hit of a vendor's rule this close behind a border may rest on the neighbour: its text is scanned alone."""

T = TypeVar("T")
_BORDER = b"\n\x1e\x1e\x1e\n"


def aside(function: Callable[..., T], *arguments: Any) -> Future[T]:
    """Run something in a thread of its own. No pool: its threads would be missing after a fork."""
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(function(*arguments))
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, name="sessionlens-scan", daemon=True).start()
    return future


def _now(function: Callable[..., T], *arguments: Any) -> Future[T]:
    """Run something at once, for who also knows it run :func:`aside`."""
    future: Future[T] = Future()
    future.set_result(function(*arguments))
    return future


class _Hit(NamedTuple):
    start: int
    end: int
    rule: str
    encoded: bool


def _scan(name: str, data: bytes) -> list[_Hit]:
    hits = []
    for finding in scanner(name).scan(data):
        if finding.visible:
            place = finding.location
            hits.append(
                _Hit(place["start_offset"], place["end_offset"], finding.rule_id, finding.is_base64_encoded)
            )
    hits.sort()
    return hits


_ESCAPE = lazy(r"(\\(?:u[0-9a-fA-F]{4}|[^u]))", re.DOTALL)
_POINT = lazy(r"\\u([0-9a-fA-F]{4})")
_PAIR = "\\\\"
_SIGNS = {
    "\\n": "\n",
    "\\t": "\t",
    "\\r": "\r",
    '\\"': '"',
    "\\'": "'",
    "\\/": "/",
    "\\b": "\b",
    "\\f": "\f",
}
_PLAIN = {_PAIR: "\\", **_SIGNS}


def _unescaped(text: str) -> str:
    """A text with its backslash escapes undone; what is no escape stays."""
    # Pairs of backslashes first, from the left, as they are read; the sign for them stands nowhere else.
    pair = next((sign for sign in "\0\1\2\3" if sign not in text), None) if _PAIR in text else ""
    if pair is None:
        return "".join(
            _decoded(piece) if place % 2 else piece for place, piece in enumerate(_ESCAPE.split(text))
        )
    if pair:
        text = text.replace(_PAIR, pair)
    for escape, sign in _SIGNS.items():
        text = text.replace(escape, sign)
    if "\\u" in text:
        text = _POINT.sub(lambda found: chr(int(found[1], 16)), text)
    return text.replace(pair, "\\") if pair else text


def _decoded(escape: str) -> str:
    return _PLAIN.get(escape) or (chr(int(escape[2:], 16)) if len(escape) == 6 else escape)


class View:
    """A text as it reads once its backslash escapes are undone, and the way back to places of the original."""

    def __init__(self, text: str, parent: View | None = None, *, offset: int = 0) -> None:
        self.text = text
        self._parent = parent
        self._offset = offset

    def unescaped(self) -> View | None:
        """The next view; ``None`` when nothing is escaped."""
        if "\\" not in self.text:
            return None
        text = _unescaped(self.text)
        return View(text, self) if len(text) != len(self.text) else None

    @cached_property
    def _starts(self) -> tuple[list[int], list[int]]:
        """Where each piece starts, here and in the parent."""
        pieces = _ESCAPE.split(self._parent.text) if self._parent is not None else []
        sizes = [
            len(p) if i % 2 == 0 or (p not in _PLAIN and len(p) != 6) else 1 for i, p in enumerate(pieces)
        ]
        return [0, *accumulate(sizes)], [0, *accumulate(map(len, pieces))]

    def original(self, start: int, end: int) -> tuple[int, int]:
        """A range of this view, not empty, as a range of the original text, escapes taken whole."""
        if self._parent is None:
            return start + self._offset, end + self._offset
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
    cutters: frozenset[str]
    command: bool
    view: View
    data: bytes


Extra = Callable[[str, bool], Iterable[Found]]
"""Further findings in a text; told whether it holds what a tool was told."""


_STRING = lazy(r'"((?:[^"\\]|\\.)*)(?:"|\Z)', re.DOTALL)
_EVERY = frozenset(CUTTERS)
_FORM = frozenset({"prefixed", "jwt", "bot", "pem", "pem64", "crypt", "scheme", "scram", "hook", "userinfo"})
"""Cutters of what its own form gives away, whatever stands around it: the cues of ``forms.yaml``."""
_STRUCTURE = _FORM | {"label", "pair", "header", "jwk"}
"""Cutters that read JSON itself; the others read what its strings say and must not run over their ends."""
_CLIPPED = frozenset({"label", "pair", "told", "changed", "directive", "option", "listed", "header"})
"""Cutters that know nothing of the parts of a substitution."""


def views(field: Field) -> Iterator[tuple[View, frozenset[str]]]:
    """The ways a text can be read, with the cutters for each.

    A text is read as it stands and with up to three layers of escapes undone. JSON is read for its labels, and
    each of its strings as a text of its own.
    """
    text = field.text
    if not field.escaped or text[:1] not in ("{", "[", '"'):
        yield from _layers(View(text), 3)
        return
    yield View(text), _STRUCTURE
    for match in _STRING.finditer(text):
        if match.end(1) - match.start(1) >= 8:
            view = View(match[1], offset=match.start(1))
            plain = view.unescaped() if "\\" in view.text else None
            yield from _layers(plain or view, 2)


def _layers(view: View | None, more: int) -> Iterator[tuple[View, frozenset[str]]]:
    while view is not None:
        yield view, _EVERY
        view = view.unescaped() if more else None
        more -= 1


def detect(
    fields: Iterable[Field], *, secrets: bool = True, strict: bool = False, extra: Extra | None = None
) -> Iterator[list[Found]]:
    """For each text its secrets, in order and without overlap, in places of the text.

    ``extra`` adds more kinds of findings per view. ``strict`` keeps only what its own form gives away (tokens,
    keys), not what a label beside it says.
    """
    batch: list[_Segment] = []
    size = done = number = 0
    waiting: deque[_Batch] = deque()
    scan = partial(_hits, "forms" if strict else "own") if secrets else None
    for number, field in enumerate(fields, 1):
        for view, cutters in views(field):
            data = view.text.encode("utf-8", "surrogatepass")
            batch.append(_Segment(number, cutters & _FORM if strict else cutters, field.command, view, data))
            size += len(data) + len(_BORDER)
        if size >= BATCH:
            # The scanner lets go of the interpreter: where there are two cores, scanning takes no time of its own.
            waiting.append(_Batch(batch, done, number, aside(scan, batch) if scan else None))
            batch, size, done = [], 0, number
            if len(waiting) > AT_ONCE:
                yield from _judged(waiting.popleft(), extra)
    # Beside earlier batches only: a thread that is waited for at once costs more than a small session's scan.
    begin = aside if waiting else _now
    waiting.append(_Batch(batch, done, number, begin(scan, batch) if scan and batch else None))
    while waiting:
        yield from _judged(waiting.popleft(), extra)


class _Batch(NamedTuple):
    """The texts behind ``done`` up to ``number``, counted from 1, and what is being found in them."""

    segments: list[_Segment]
    done: int
    number: int
    hits: Future[tuple[dict[int, list[_Hit]], dict[int, list[_Hit]]]] | None


def _hits(name: str, batch: Sequence[_Segment]) -> tuple[dict[int, list[_Hit]], dict[int, list[_Hit]]]:
    """Hits of our own cues and of the vendors' rules, which are loaded last."""
    return _scan_blocks(name, _windows(batch, OWN)), _scan_blocks("vendors", _windows(batch, VENDORS))


def _judged(one: _Batch, extra: Extra | None) -> list[list[Found]]:
    """What is found in each text of a batch."""
    batch, done = one.segments, one.done
    found: list[list[Found]] = [[] for _ in range(one.number - done)]
    if one.hits is not None:
        cues, tokens = one.hits.result()
        for index, hits in cues.items():
            found[batch[index].number - done - 1].extend(_cut(batch[index], hits))
        for index, hits in tokens.items():
            segment = batch[index]
            # A text longer than a window had no neighbours.
            joined = len(segment.data) <= VENDORS.window
            if joined and any(h.start < NEAR or h.end > len(segment.data) for h in hits):
                hits = _scan("vendors", segment.data)  # noqa: PLW2901 - the same hits, from the text alone
            found[segment.number - done - 1].extend(_judge(segment, hits))
    if extra is not None:
        for segment in batch:
            if "option" in segment.cutters or not segment.command:
                found[segment.number - done - 1].extend(
                    _original(segment.view, one) for one in extra(segment.view.text, segment.command)
                )
    return [merge(one) if len(one) > 1 else one for one in found]


class _Block(NamedTuple):
    first: int
    """Number of the first text in it."""
    starts: list[int]
    """Where each text starts."""
    data: bytes
    low: int
    """Hits count from here …"""
    high: int
    """… up to here: what stands around belongs to the next window."""


def _blocks(batch: Sequence[_Segment], most: int) -> Iterator[_Block]:
    """Neighbouring texts joined up to a size."""
    first = size = 0
    for index, segment in enumerate(batch):
        if size and size + len(segment.data) > most:
            yield _block(batch, first, index)
            first, size = index, 0
        size += len(segment.data) + len(_BORDER)
    yield _block(batch, first, len(batch))


def _block(batch: Sequence[_Segment], first: int, last: int) -> _Block:
    data = [segment.data for segment in batch[first:last]]
    joined = _BORDER.join(data)
    return _Block(first, [0, *accumulate(len(one) + len(_BORDER) for one in data)], joined, 0, len(joined))


def _windows(batch: Sequence[_Segment], size: _Size) -> Iterator[_Block]:
    """All texts, joined or cut to pieces that see what stands around them."""
    for block in _blocks(batch, size.window):
        if len(block.data) <= 2 * size.window:
            yield block
            continue
        for at in range(0, len(block.data), size.window):
            start = max(0, at - size.before)
            piece = block.data[start : at + size.window + size.behind]
            low = at - start
            yield _Block(block.first, [one - start for one in block.starts], piece, low, low + size.window)


def _scan_blocks(name: str, blocks: Iterable[_Block]) -> dict[int, list[_Hit]]:
    """Hits by the number of the text that they begin in, with places in that text."""
    grouped: dict[int, list[_Hit]] = {}
    for block in blocks:
        for hit in _scan(name, block.data):
            if block.low <= hit.start < block.high:
                index = bisect_right(block.starts, hit.start) - 1
                base = block.starts[index]
                grouped.setdefault(block.first + index, []).append(
                    hit._replace(start=hit.start - base, end=hit.end - base)
                )
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


def _cut(segment: _Segment, hits: list[_Hit]) -> Iterator[Found]:
    text = segment.view.text
    places = _characters(segment, [p for h in hits for p in (h.start, h.end)])
    behind: dict[str, int] = {}
    for hit in hits:
        name = hit.rule.rpartition(".")[2]
        if name not in segment.cutters:
            continue
        start, end = places[hit.start], places[hit.end]
        # Cues within what the same cutter has just read: nothing new, and it keeps the work linear.
        if start < behind.get(name, 0):
            continue
        for found in CUTTERS[name](text, start, end, segment.command):
            one = clip(text, found) if name in _CLIPPED and found.end > found.start else found
            if one is None:
                continue
            behind[name] = max(behind.get(name, 0), one.end)
            if one.end > one.start and not PSEUDONYM.search(one.value):
                yield _original(segment.view, one)


def _judge(segment: _Segment, hits: list[_Hit]) -> Iterator[Found]:
    places = _characters(segment, [p for h in hits for p in (h.start, h.end)])
    for hit in hits:
        start, end = places[hit.start], places[hit.end]
        one = vendor(segment.view.text, start, end, hit.rule, hit.encoded)
        # Read strictly, a rule must know the token by itself, not by a vendor's word somewhere near it.
        if one is not None and ("label" in segment.cutters or _scan("vendors", f" {one.value} ".encode())):
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
