"""Shapes of output: patterns with the pieces of text that they need, and many pieces looked for at once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from importlib.resources import files
from typing import Any

import msgspec

from sessionlens.cache import Kept, lazy

SHORTEST = 3
"""Characters of the shortest piece worth looking for together with others: shorter ones stand in nearly every text."""
MEMORY = 16 << 20
"""Bytes that the machine which looks for pieces may take."""


class Shape(msgspec.Struct, frozen=True):
    """A pattern with pieces of text of which each of its matches contains one, so that most need no search."""

    pattern: re.Pattern[str]
    pieces: tuple[str, ...]
    """In lower case; one empty piece where there is none to rely on."""
    opening: str = ""
    """How the line of each match begins, in lower case; empty where that is not known."""

    def may_match(self, lowered: str) -> bool:
        """Whether the pattern may match in a text, given in lower case."""
        # A loop, since this is asked of every shape: any() with a generator takes twice as long.
        for piece in self.pieces:  # noqa: SIM110
            if piece in lowered:
                return True
        return False


class Pieces:
    """Looks for many pieces of text at once: as fast for a thousand as for one.

    RE2 makes one machine of all of them. It would keep silent if it ran out of memory, so that an empty piece, which
    stands in every text, says that it did not.
    """

    def __init__(self, pieces: Iterable[str]) -> None:
        """Take the pieces; none may be empty."""
        import re2

        self._pieces = tuple(pieces)
        self.known = frozenset(self._pieces)
        how = re2.Options()
        how.max_mem = MEMORY
        how.log_errors = False
        how.literal = True
        self._machine = re2.Set.SearchSet(how)
        for piece in ("", *self._pieces):
            self._machine.Add(piece)
        self._machine.Compile()

    def standing_in(self, lowered: str) -> frozenset[str]:
        """The pieces that stand in a text, given in lower case."""
        found = self._machine.Match(lowered.encode("utf-8", "surrogatepass"))
        if not found:
            return frozenset(piece for piece in self._pieces if piece in lowered)
        return frozenset(self._pieces[number - 1] for number in found if number)


class Gate:
    """Whether a piece that one of several patterns needs stands in a text: asked once for all of them."""

    def __init__(self, *gated: Gated) -> None:
        """Keep the patterns; what they need is put together at the first use."""
        self._gated = gated

    @cached_property
    def _any(self) -> Any:
        import re2

        pieces = frozenset(piece for one in self._gated for piece in one.pieces)
        return re2.compile("|".join(map(re2.escape, sorted(pieces))))

    def may_match(self, text: str) -> bool:
        """Whether a piece stands in a text."""
        return self._any.search(lower_case(text).encode("utf-8", "surrogatepass")) is not None


class Gated:
    """A pattern that is searched only in texts where a piece stands that its matches need."""

    def __init__(self, pattern: str, flags: int = 0) -> None:
        """Keep what will be compiled at the first use; see :func:`sessionlens.cache.lazy`."""
        self._source, self._flags = pattern, flags
        self._gate = Gate(self)
        self.pattern = lazy(pattern, flags)
        """What to search with where a piece is known to stand."""

    @cached_property
    def pieces(self) -> frozenset[str]:
        """What the matches need, in lower case."""
        verbose = bool(self._flags & re.VERBOSE)
        return frozenset(
            _KEPT.of(f"{verbose:d} {self._source}", lambda: needs_of(self._source, verbose=verbose))
        )

    def may_match(self, text: str) -> bool:
        """Whether a piece stands in a text."""
        return self._gate.may_match(text)

    def search(self, text: str) -> re.Match[str] | None:
        """The first match in a text."""
        return self.pattern.search(text) if self.may_match(text) else None

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """Every match in a text."""
        return self.pattern.finditer(text) if self.may_match(text) else iter(())


def lower_case(text: str) -> str:
    """A text in lower case, with the two letters that patterns without case take for ASCII ones."""
    lowered = text.lower()
    return lowered if lowered.isascii() else lowered.replace("ſ", "s").replace("ı", "i")


def opening_of(pattern: str) -> str:
    """How the line of each match of a pattern begins, in lower case; empty where the pattern does not say."""
    found = None if "|" in pattern else _OPENING.match(pattern)
    return found[1].lower() if found is not None else ""


_OPENING = lazy(r"\^([^\\\[\](){}.*+?|^$]+)(?![*+?{])")


def bounded(pattern: str) -> str:
    """The pattern with every "anything" cut to what a line of a person's log holds, so that none is quadratic."""
    text = pattern.replace(".*", ".{0,300}").replace("[^\\n]*", "[^\\n]{0,300}")
    # At the start of a line, blank lines are none of the line.
    return text.replace("^\\s*", "^[ \\t]*")


_ATOM = lazy(
    r"(?P<open>\((?:\?(?:P<\w+>|[a-zA-Z-]*:|(?P<look><?[=!])))?)|(?P<close>\))|(?P<bar>\|)|(?P<class>\[\^?\]?(?:\\.|[^\]\\])*\])"
    r"|\\(?P<escaped>.)|(?P<odd>[$^.])|(?P<plain>[^\\])",
    re.DOTALL,
)
_SPACE = lazy(r"(\\.|\[\^?\]?(?:\\.|[^\]\\])*\])|\s+", re.DOTALL)
_COUNT = lazy(r"(?P<none>[?*]|\{(?:0|,)[\d,]*\})[?+]?|(?P<some>\+|\{\d+(?:,\d*)?\})[?+]?")


_KEPT = Kept(
    "pattern-needs", tuple[str, ...], lambda: (files("sessionlens.shell").joinpath("shapes.py").read_bytes(),)
)
"""What patterns need, which takes longer to find out than most of their searches take."""


def needs_of(pattern: str, *, verbose: bool = False) -> tuple[str, ...]:
    """Pieces of which every match contains one, in lower case; one empty piece where there is none to rely on.

    Of each alternative the longest literal run counts, or what a group within it needs. ``verbose`` says that white
    space of the pattern counts only where it is escaped.
    """
    if verbose:
        pattern = _SPACE.sub(r"\1", pattern)
    best, at = _pieces(pattern, 0)
    return best if at == len(pattern) else ("",)


def _pieces(pattern: str, at: int) -> tuple[tuple[str, ...], int]:
    """What the alternatives from ``at`` to the end of their group need, and where that end is."""
    nothing: tuple[str, ...] = ("",)
    found: list[str] = []
    best, run = nothing, ""
    while True:
        atom = _ATOM.match(pattern, at)
        if atom is None or atom["close"] or atom["bar"]:
            found += _better(best, (run,))
            if atom is None or atom["close"]:
                pieces = tuple(dict.fromkeys(found))
                return nothing if "" in pieces else pieces, at
            best, run, at = nothing, "", atom.end()
            continue
        at, inner, literal = atom.end(), nothing, ""
        if atom["open"]:
            inner, at = _pieces(pattern, at)
            at += 1
            inner = nothing if atom["look"] else inner
        elif atom["class"] and (signs := atom["class"][1:-1]) and min(signs) > "\x7f":
            inner = tuple(signs)
        elif atom["plain"] or (atom["escaped"] and not atom["escaped"].isalnum()):
            literal = (atom["plain"] or atom["escaped"]).lower()
        count = _COUNT.match(pattern, at)
        if count is not None:
            at = count.end()
        certain = count is None or count["none"] is None
        if literal and certain:
            run += literal
        if not literal or count is not None:
            best = _better(best, (run,))
            run = ""
        if certain:
            best = _better(best, inner)


def _better(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    """The pieces that tell more: whose shortest is longer."""
    return max(one, other, key=lambda pieces: min(map(len, pieces)))
