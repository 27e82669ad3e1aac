"""Near duplicates by MinHash: sketches made where the text is, compared where all are together.

Sketches are made by `rensa` (the extra ``[dedup]``). Without it only exact copies are found, and the run says so.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from typing import Any
from zlib import crc32

PERMUTATIONS = 128
"""Numbers in a sketch."""
BANDS = 32
"""Parts of a sketch; two that agree in one whole part are compared. With four numbers a part, texts of a
similarity of 0.6 meet with a chance of 0.99, of 0.8 practically always."""
SEED = 5
SHINGLE = 3
"""Words in a row that are one feature of a text."""
SHORT = 12
"""Words below which a text has no sketch: too little to compare."""

_WORD = re.compile(r"\w+")


def available() -> bool:
    """Whether sketches can be made."""
    try:
        import rensa  # noqa: F401
    except ImportError:
        return False
    return True


def ready() -> None:
    """Load what comparing needs: a process can do so while it has nothing else to do."""
    import numpy  # noqa: F401


def sketch(text: str) -> bytes:
    """The MinHash of a text's shingles; empty for a short one, and without `rensa`."""
    words = [word.lower() for word in _WORD.findall(text)]
    if len(words) < SHORT:
        return b""
    try:
        from rensa import RMinHash
    except ImportError:
        return b""
    made = RMinHash(num_perm=PERMUTATIONS, seed=SEED)
    made.update(sorted({" ".join(words[at : at + SHINGLE]) for at in range(len(words) - SHINGLE + 1)}))
    # The lower half of a number tells as much: two that differ agree in it once in 65,536 times.
    numbers = array("H", (number & 0xFFFF for number in made.digest()))
    return numbers.tobytes()


RUN = 40
"""Words in a row that are hashed together to find what two texts share."""
WINDOW = 61
"""Of so many hashes in a row the least is kept: of words that two texts share in one piece one is kept in both where they
are RUN + WINDOW - 1 or more, some 600 characters."""
_BASE = 0x9E3779B97F4A7C15


def runs(text: str) -> bytes:
    """Hashes of runs of words, eight bytes each, in order: two texts with a long piece in common share some (winnowing)."""
    import numpy

    words = _WORD.findall(text.casefold())
    if len(words) < RUN:
        return b""
    ones = numpy.fromiter(
        (crc32(word.encode("utf-8", "surrogatepass")) for word in words), numpy.uint64, len(words)
    )
    count = len(words) - RUN + 1
    mixed = numpy.zeros(count, numpy.uint64)
    with numpy.errstate(over="ignore"):
        for at in range(RUN):
            mixed = mixed * numpy.uint64(_BASE) + ones[at : at + count] + numpy.uint64(1)
        mixed ^= mixed >> numpy.uint64(29)
        mixed *= numpy.uint64(_BASE)
    width = min(WINDOW, count)
    least = numpy.lib.stride_tricks.sliding_window_view(mixed, width).min(axis=1)
    return numpy.unique(least).astype("<u8").tobytes()


FIRST = 8
"""Texts that agree in a part are compared with the first so many of them: of many copies the first is kept."""


_AT_ONCE = 50_000
"""Pairs that are compared at once: 25 MB."""
_TOGETHER = 1_000_000
"""Pairs that wait to be put together."""


class Sketches:
    """Many sketches in one piece of memory, known by their number."""

    def __init__(self) -> None:
        """None yet."""
        self._data = bytearray()
        self._width = 2 * PERMUTATIONS

    def add(self, sketch: bytes) -> int:
        """Keep a sketch; its number, or -1 for an empty one."""
        if not sketch:
            return -1
        self._data += sketch
        return len(self._data) // self._width - 1

    def neighbours(self, wanted: Sequence[int], least: float) -> dict[int, dict[int, float]]:
        """For each place in ``wanted`` the earlier places whose texts resemble it at least so much, with how much."""
        found: dict[int, dict[int, float]] = {}
        for earlier, later, alike in zip(*(one.tolist() for one in self.close(wanted, least)), strict=True):
            found.setdefault(later, {})[earlier] = alike
        return found

    def close(self, wanted: Sequence[int], least: float) -> tuple[Any, Any, Any]:
        """Pairs of places in ``wanted`` whose texts resemble each other at least so much, as three arrays: the earlier
        places, the later ones, how much. By earlier place, then by later.

        Works part by part on one array, so that memory grows by the sketches alone.
        """
        import numpy

        numbers = numpy.asarray(wanted, dtype=numpy.int64)
        places = numpy.flatnonzero(numbers >= 0)
        if len(places) < 2:
            return places[:0], places[:0], numpy.empty(0)
        every = numpy.frombuffer(self._data, dtype=numpy.uint16).reshape(-1, PERMUTATIONS)
        rows = every[numbers[places]]
        width = PERMUTATIONS // BANDS
        pairs = numpy.empty(0, dtype=numpy.int64)
        waiting: list[Any] = []
        for band in range(BANDS):
            part = (
                numpy.ascontiguousarray(rows[:, band * width : (band + 1) * width]).view(numpy.uint64).ravel()
            )
            order = numpy.argsort(part, kind="stable")
            ordered = part[order]
            begins = numpy.flatnonzero(numpy.r_[True, ordered[1:] != ordered[:-1]])
            sizes = numpy.diff(numpy.r_[begins, len(ordered)])
            begin = numpy.repeat(begins, sizes)
            # The first of each group with all behind it, then the second, and so on.
            for position in range(min(FIRST, int(sizes.max()) - 1)):
                later = numpy.flatnonzero(numpy.arange(len(ordered)) > begin + position)
                waiting.append(order[begin[later] + position].astype(numpy.int64) * len(rows) + order[later])
            # Put together now and then: of many copies the same pairs come from every part.
            if band == BANDS - 1 or sum(map(len, waiting)) > _TOGETHER:
                pairs = numpy.sort(numpy.concatenate([pairs, *waiting]))
                pairs = pairs[numpy.r_[True, pairs[1:] != pairs[:-1]][: len(pairs)]]
                waiting = []
        found: list[tuple[Any, Any, Any]] = []
        for at in range(0, max(1, len(pairs)), _AT_ONCE):
            first, later = numpy.divmod(pairs[at : at + _AT_ONCE], len(rows))
            alike = (rows[first] == rows[later]).mean(axis=1)
            kept = alike >= least
            found.append((places[first[kept]], places[later[kept]], alike[kept]))
        earlier, later, alike = (numpy.concatenate(parts) for parts in zip(*found, strict=True))
        return earlier, later, alike


def neighbours(sketches: Sequence[bytes], least: float) -> dict[int, dict[int, float]]:
    """For each text the earlier ones that resemble it at least so much, with how much. Empty sketches have none."""
    kept = Sketches()
    return kept.neighbours([kept.add(sketch) for sketch in sketches], least)
