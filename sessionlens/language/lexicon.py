"""The words of one language: a TOML file, indexed so that a sentence meets only the patterns it can match.

docs/languages.md describes the file. Loading is lazy: the head of a file (script, letters, function words) is
enough to recognise the language, the body is read when the first sentence in it is judged, and a pattern is
compiled when a sentence first holds one of its anchor words.
"""

from __future__ import annotations

import functools
import re
import tomllib
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import resources

import msgspec

from sessionlens import cache
from sessionlens.language import pattern as patterns

_WORDS = re.compile(r"\w+")
_DIGIT = re.compile(r"\d")
_WHOLE = re.compile(r"(?<![\w*'])[^\W\d_]{3,40}(?![\w*])")
_LETTERS = re.compile(r"[^\W\d_]+")
_CACHE_LIMIT = 50_000
"""Distinct words whose anchors are remembered; a hostile log cannot grow the memory further."""

SCOPES = (
    "negators", "near_negators", "negators_after", "not_negators", "habits", "routines", "conditionals", "conditionals_after", "temporals", "past", "futures", "hedges",
    "late_hedges", "breaks", "joins", "complements", "yet", "questions", "meanwhile", "reviews", "purposes", "manners", "offers", "partials",
    "kept_limits", "denied_cuts", "premises",
)  # fmt: skip
"""Kinds of words that change what a match means."""


class Head(msgspec.Struct, frozen=True, kw_only=True):
    """What recognises a language: the keys before the first table of its file."""

    code: str
    """ISO 639-1."""
    name: str
    """English name."""
    script: str
    """``latin``, ``cyrillic``, ``han``, ``kana`` or ``hangul``."""
    spaced: bool = True
    """Whether words are divided by spaces; otherwise patterns match as substrings."""
    acts: bool = True
    """False for a language that is only recognised, so that its text is not taken for a neighbour's."""
    letters: str = ""
    """Letters that speak for this language within its script."""
    words: list[str] = []
    """Function words, lower case."""
    fold: dict[str, str] = {}
    """How its letters are written on a keyboard without them; others lose their accents."""


class Rule(msgspec.Struct, frozen=True):
    """One pattern of an act."""

    act: str
    """The act or inner kind (``states``, ``checks``) that it shows."""
    text: str
    """As in the file."""
    parsed: bytes
    """Its items in MessagePack: of thousands of patterns a session needs a few hundred."""
    own: int
    """1: the pattern holds its own denial or future (``!`` before it); 2: nothing around it counts (``!!``, ``?``)."""
    asks: bool
    """It counts only in a sentence that ends with a question mark (``?`` before it)."""
    sure: bool = False
    """What it shows, weights do not speak against (``=`` before it)."""

    @property
    def items(self) -> tuple[patterns.Item, ...]:
        """Its items."""
        return _ITEMS.decode(self.parsed) if self.parsed else ()


_ITEMS: msgspec.msgpack.Decoder[tuple[patterns.Item, ...]] = msgspec.msgpack.Decoder(
    tuple[patterns.Item, ...]
)


class _Parsed(msgspec.Struct, frozen=True):
    """A pattern and the words by which it is found."""

    rule: Rule
    anchors: tuple[tuple[str, ...], ...]
    first: bool
    """Whether it stands at the start of the sentence, so that it need not be looked for."""
    demands: tuple[str, ...]
    """See :func:`sessionlens.language.pattern.demands`."""
    compounds: tuple[tuple[str, ...], ...]
    """Of anchors that are indexed by a part only, all that must stand in the sentence."""


class Lexicon:
    """One language, ready to match. Not thread-safe while a pattern is compiled for the first time."""

    def __init__(self, head: Head, body: Mapping[str, Mapping[str, object]], folded: bool) -> None:
        self.head = head
        self._folded = folded
        self._common = frozenset(head.words)
        self._classes = patterns.Classes(
            {name: self._rows(rows) for name, rows in body.get("classes", {}).items()}
        )
        about = body.get("about", {})
        self.leading = frozenset(self._rows(about.get("leading", [])))
        self.stops = frozenset(self._rows(about.get("stops", [])))
        unknown = sorted(set(body.get("scope", {})) - set(SCOPES))
        if unknown:
            raise patterns.PatternError(f"{head.code}: unknown kinds of scope words: {', '.join(unknown)}")
        self._body = body
        self._rules: dict[str, Rules] = {}
        self.expressions = cache.Expressions(
            f"patterns-{head.code}{'-folded' if folded else ''}", (*self._sources(body), *_code())
        )
        self.known: dict[str, str] = {}
        """Expressions of classes, by name."""

    def rules(self, table: str) -> Rules:
        """The patterns of one table (``assistant``, ``user``, ``scope``, ``shields``, ``deeds``, ``bans``, ``means``), parsed
        when first asked for."""
        known = self._rules.get(table)
        if known is None:
            known = self._rules[table] = Rules(self, table, self._parsed(table))
        return known

    def table(self, name: str) -> Mapping[str, object]:
        """A table of the file as it stands."""
        return self._body.get(name, {})

    def _rows(self, value: object) -> list[str]:
        rows = value if isinstance(value, list) else []
        if not self._folded:
            return [str(row) for row in rows]
        return [_LETTERS.sub(lambda match: self._plain(match.group()), str(row)) for row in rows]

    def _plain(self, word: str) -> str:
        """A word folded, unless that makes it another, very common one ("dê" is not "de")."""
        plain = self.fold(word)
        return (
            word
            if plain != word and (len(plain) <= 2 or (len(plain) <= 3 and plain in self._common))
            else plain
        )

    def fold(self, text: str) -> str:
        """The text as typed without the language's own letters."""
        for letter, plain in self.head.fold.items():
            text = text.replace(letter, plain)
        return "".join(char for char in unicodedata.normalize("NFD", text) if not unicodedata.combining(char))

    def rows(self, value: object) -> list[str]:
        """The patterns of one list, folded when the lexicon is."""
        return self._rows(value)

    def parse(self, text: str) -> tuple[patterns.Item, ...]:
        """Read one pattern of this file."""
        return patterns.parse(text, self._classes)

    def anchors(self, items: Sequence[patterns.Item]) -> tuple[tuple[str, ...], ...]:
        """See :func:`sessionlens.language.pattern.anchors`."""
        return patterns.anchors(items, self._common)

    def _parsed(self, table: str) -> list[_Parsed]:
        """Every pattern of a table with its anchors, from the cache where the files are the same."""
        acts = self._body.get(table, {})
        name = f"rules-{self.head.code}-{table}{'-folded' if self._folded else ''}"
        sources = (*self._sources({"acts": acts, "classes": self._body.get("classes", {})}), *_code())
        return cache.value(name, sources, list[_Parsed], lambda: list(self._parse_all(acts)))

    def _sources(self, tables: Mapping[str, Mapping[str, object]]) -> tuple[bytes, ...]:
        return msgspec.json.encode(tables), msgspec.json.encode(self.head)

    def _parse_all(self, acts: Mapping[str, object]) -> Iterator[_Parsed]:
        for act, rows in acts.items():
            for row in self.rows(rows):
                body = row.lstrip("!?=")
                flags = row[: len(row) - len(body)]
                items = self.parse(body.strip())
                own = 2 if "?" in flags else flags.count("!")
                rule = Rule(act, row, msgspec.msgpack.encode(items), own, "?" in flags, "=" in flags)
                first = bool(items) and items[0].kind == "start"
                anchors = self.anchors(items)
                demands = tuple(sorted(patterns.demands(items)))
                yield _Parsed(rule, anchors, first, demands, tuple(_compounds(anchors, self.head.spaced)))


class Rules:
    """The patterns of one table, found by their words.

    Of every pattern up to three items must have a word in the sentence before its expression is tried. Which
    patterns a word speaks for is kept as bits of one number per item, so that a sentence is sifted by a few
    operations a word.
    """

    def __init__(self, lexicon: Lexicon, table: str, parsed: Sequence[_Parsed]) -> None:
        self._table, self._far = table, table == "shields"
        self.all: list[Rule] = []
        self._exact: list[dict[str, int]] = [{} for _ in range(patterns.SLOTS)]
        self._prefix: list[dict[str, int]] = [{} for _ in range(patterns.SLOTS)]
        self._odd: list[tuple[re.Pattern[str], int, int]] = []
        self._always = [0] * patterns.SLOTS
        self._first = frozenset(number for number, one in enumerate(parsed) if one.first)
        self._demanding = {
            sign: sum(1 << number for number, one in enumerate(parsed) if sign in one.demands)
            for sign in sorted({sign for one in parsed for sign in one.demands})
        }
        self._compounds = {number: one.compounds for number, one in enumerate(parsed) if one.compounds}
        self._compiled: dict[int, re.Pattern[str]] = {}
        self._cache: dict[str, tuple[int, ...]] = {}
        self._of: dict[str, tuple[int, ...]] = {}
        self._spaced = lexicon.head.spaced
        self._expressions, self._known = lexicon.expressions, lexicon.known
        for number, one in enumerate(parsed):
            self.all.append(one.rule)
            for slot in range(patterns.SLOTS):
                if slot < len(one.anchors):
                    self._index(slot, 1 << number, one.anchors[slot])
                else:
                    self._always[slot] |= 1 << number

    def _index(self, slot: int, bit: int, anchors: tuple[str, ...]) -> None:
        exact, prefix = self._exact[slot], self._prefix[slot]
        for anchor in anchors:
            if not self._spaced:
                piece = max(anchor.split("*"), key=len)
                exact[piece[:2]] = exact.get(piece[:2], 0) | bit
                continue
            piece = anchor if anchor.isalnum() else max(re.split(r"[^\w*]+", anchor), key=len)
            if "*" not in piece:
                exact[piece] = exact.get(piece, 0) | bit
            elif piece.find("*") == len(piece) - 1:
                prefix[piece[:-1]] = prefix.get(piece[:-1], 0) | bit
            else:
                odd = re.compile(".*".join(re.escape(part) for part in piece.split("*")))
                self._odd.append((odd, slot, bit))

    def _of_word(self, word: str) -> tuple[int, ...]:
        """The patterns that a word speaks for, by item; empty for the many words that speak for none."""
        bits = [exact.get(word, 0) for exact in self._exact]
        for slot, prefix in enumerate(self._prefix):
            for length in range(1, min(len(word), 24) + 1) if prefix else ():
                bits[slot] |= prefix.get(word[:length], 0)
        for odd, slot, bit in self._odd if len(word) <= 80 else ():
            if odd.fullmatch(word):
                bits[slot] |= bit
        found = tuple(bits) if any(bits) else ()
        if len(self._cache) < _CACHE_LIMIT:
            self._cache[word] = found
        return found

    def _units(self, low: str) -> set[str]:
        if self._spaced:
            return set(_WORDS.findall(low))
        return {low[at : at + 2] for at in range(len(low) - 1)} | set(low)

    def _bits(self, low: str) -> int:
        first, second, third = self._always
        known = self._cache
        for word in self._units(low):
            hits = known.get(word)
            if hits is None:
                hits = self._of_word(word)
            if hits:
                first |= hits[0]
                second |= hits[1]
                third |= hits[2]
        bits = first & second & third
        for sign, demanding in self._demanding.items() if bits else ():
            if not (sign in low if sign != "0" else _DIGIT.search(low)):
                bits &= ~demanding
        return bits

    def candidates(self, low: str) -> list[int]:
        """Numbers of the patterns whose anchors the sentence holds, in the file's order."""
        bits = self._bits(low)
        out: list[int] = []
        while bits:
            lowest = bits & -bits
            bits ^= lowest
            number = lowest.bit_length() - 1
            compounds = self._compounds.get(number)
            if compounds is None or all(any(one in low for one in several) for several in compounds):
                out.append(number)
        return out

    def of(self, act: str) -> tuple[int, ...]:
        """Numbers of the patterns of one act or kind."""
        known = self._of.get(act)
        if known is None:
            known = self._of[act] = tuple(number for number, rule in enumerate(self.all) if rule.act == act)
        return known

    def any(self, low: str) -> bool:
        """Whether a pattern could match at all."""
        return self._bits(low) != 0

    def matches(self, number: int, low: str) -> Iterable[re.Match[str]]:
        """The matches of one pattern in a sentence, from the left."""
        expression = self.compiled(number)
        if number not in self._first:
            return expression.finditer(low)
        found = expression.match(low)
        return () if found is None else (found,)

    def compiled(self, number: int) -> re.Pattern[str]:
        """The expression of one pattern."""
        known = self._compiled.get(number)
        if known is None:
            known = self._expressions.made(f"{self._table} {number}", lambda: self._expression(number))
            self._compiled[number] = known
        return known

    def _expression(self, number: int) -> str:
        return patterns.expression(self.all[number].items, self._spaced, self._far, self._known)


def _compounds(anchors: Iterable[tuple[str, ...]], spaced: bool) -> Iterator[tuple[str, ...]]:
    for alternatives in anchors:
        compounds = tuple(_compound(anchor, spaced) for anchor in alternatives)
        if all(compounds):
            yield compounds


def _compound(anchor: str, spaced: bool) -> str:
    """The longest stretch of an anchor that stands as it is in every match; empty where the part that it is indexed by
    says as much."""
    longest = max(anchor.split("*"), key=len)
    if spaced:
        return "" if anchor.replace("*", "").isalnum() else longest
    return longest if len(longest) > 2 else ""


def _folder() -> resources.abc.Traversable:
    return resources.files("sessionlens.language").joinpath("lexicon")


@functools.cache
def _code() -> tuple[bytes, ...]:
    """The code that what is kept depends on."""
    folder = resources.files("sessionlens.language")
    return tuple(folder.joinpath(name).read_bytes() for name in ("lexicon.py", "pattern.py"))


@functools.cache
def vocabularies(script: str) -> dict[str, tuple[str, ...]]:
    """The languages of a script whose lexicon holds a word, by word; see :func:`vocabulary`."""
    spoken = [head.code for head in heads() if head.script == script and head.acts]
    texts = [_folder().joinpath(f"{code}.toml").read_bytes() for code in spoken]

    def made() -> dict[str, tuple[str, ...]]:
        out: dict[str, list[str]] = {}
        for code in spoken:
            for word in sorted(vocabulary(code)):
                out.setdefault(word, []).append(code)
        return {word: tuple(codes) for word, codes in out.items()}

    return cache.value(f"vocabulary-{script}", (*texts, *_code()), dict[str, tuple[str, ...]], made)


@functools.cache
def heads() -> tuple[Head, ...]:
    """The heads of all files, by code; files that begin with ``_`` hold languages that are only recognised."""
    files = sorted(_folder().iterdir(), key=lambda entry: entry.name)
    texts = {file.name: file.read_bytes() for file in files if file.name.endswith(".toml")}
    heads_of = {
        name: (text if name.startswith("_") else text.partition(b"\n[")[0]).decode()
        for name, text in texts.items()
    }
    return cache.value(
        "heads", (*heads_of, *heads_of.values(), *_code()), tuple[Head, ...], lambda: _heads(heads_of)
    )


def _heads(texts: Mapping[str, str]) -> tuple[Head, ...]:
    out: list[Head] = []
    for name, text in texts.items():
        if name.startswith("_"):
            for code, table in tomllib.loads(text).items():
                out.append(msgspec.convert({"code": code, "acts": False, **table}, Head))
        else:
            out.append(msgspec.convert(tomllib.loads(text), Head))
    return tuple(sorted(out, key=lambda head: head.code))


@functools.cache
def vocabulary(code: str) -> frozenset[str]:
    """Words of a language's file without open endings: what votes when no function word is there.

    Taken from the text of the file, so that guessing a language parses no lexicon. What follows ``[deeds]`` is technical
    and shared by many languages.
    """
    text = _folder().joinpath(f"{code}.toml").read_text(encoding="utf-8")
    return frozenset(_WHOLE.findall(text.split("\n[deeds]\n", 1)[0]))


@functools.cache
def codes() -> tuple[str, ...]:
    """Codes of the languages that have a lexicon."""
    return tuple(head.code for head in heads() if head.acts)


@functools.cache
def load(code: str, folded: bool = False) -> Lexicon:
    """The lexicon of one language.

    Args:
        code: ISO 639-1, one of :func:`codes`.
        folded: for texts typed without the language's own letters.

    Raises:
        KeyError: for a language without a file.
    """
    head = next((head for head in heads() if head.code == code and head.acts), None)
    if head is None:
        raise KeyError(code)
    return Lexicon(head, cache.toml(_folder().joinpath(f"{code}.toml")), folded)
