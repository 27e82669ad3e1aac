"""What a person forbids or allows, from the tables ``[deeds]``, ``[bans]`` and ``[means]`` of a lexicon file.

A file lists how its language orders each deed, how it denies, and by which words one waits for leave; what a denial
beside a deed means is the same for all languages and stands here. docs/languages.md describes the tables.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec

from sessionlens.cache import lazy
from sessionlens.language import detect, engine, lexicon, pattern, split

Mood = Literal["forbids", "reads_only", "asks_first"]

_LONGEST = 600
"""Code points of a sentence that are read."""
_MARKERS = 20
"""Places of one pattern looked at in one sentence."""
_KEPT = 16
"""Sentences whose matches are remembered: each is asked several questions in a row."""
_KINDS = frozenset(
    {"denies", "nothing", "ask", "waits", "consent", "tells", "states", "leaves", "approves", "until", "meanwhile", "except",
     "term", "term_of", "during", "during_of", "over", "still", "own", "once", "most", "after", "unless", "unless_of", "down", "may", "bars", "others"}
)  # fmt: skip
"""Rows of ``[bans]`` that are no whole ban of one deed."""
_TOKEN = lazy(r"[^\W\d_](?:[\w'’.-]*\w)?")
_SIGNED = lazy(detect.SIGNED_WORD + r"|[A-Za-z](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?")
"""A word; of a script whose vowels are signs on a letter, or a name in Latin letters."""


class Forbidden(msgspec.Struct, frozen=True, kw_only=True):
    """What one clause forbids."""

    mood: Mood
    """A ban of some deeds, of all changes, or a wish to be asked before."""
    clause: str
    """Its words."""
    objects: str = ""
    """What it is about: what is left without the deed and the denial, in English where a command is known by it."""
    deeds: frozenset[str] = frozenset()
    """The deeds, as the keys of ``[deeds]``; empty for a ban of all changes."""
    awaits: bool = False
    """Whether it holds until the person gives their word."""
    barred: bool = False
    """Whether a wish or a modal verb says it: "I don't want it restarted", "it must not be restarted"."""


class Proviso(msgspec.Struct, frozen=True, kw_only=True):
    """What limits a ban in its own sentence."""

    until: frozenset[str] = frozenset()
    """What must be over first, as content words: ``until the import is through``; empty for none."""
    during: bool = False
    """Whether it is forbidden while that goes on: ``while the import is running``."""
    own: bool = False
    """Whether the agent may bring it about itself: ``until the tests pass``, ``until there is a backup``."""
    made: bool = False
    """Whether that is something a command makes, such as a backup or a run of tests, and not what somebody says or sees."""
    once: bool = False
    """Whether only the second time is forbidden: ``not more than once``."""
    unless: str = ""
    """The words of a case in which it is allowed: ``unless it is down``; empty for none."""
    down: bool = False
    """Whether that case is that something does not run."""
    words: tuple[str, ...] = ()
    """The stretches that say so, in lower case, which are no part of what the ban is about."""


class _Sentence:
    """One sentence with what the three tables find in it, each looked up when first asked for."""

    def __init__(self, text: str, code: str) -> None:
        self.text = text
        self.words = lexicon.load(code, code != "en" and text.isascii())
        self.low = engine.prepare(text, code)
        self.around = engine.Around(self.low, self.words)
        self._found: dict[str, list[_Match]] = {}

    def found(self, table: str) -> list[_Match]:
        """What the patterns of one table match."""
        if table not in self._found:
            rules = self.words.rules(table)
            self._found[table] = [
                _Match(rules.all[number], *match.span())
                for number in rules.candidates(self.low)
                for match in itertools.islice(rules.matches(number, self.low), _MARKERS)
            ]
        return self._found[table]

    def of(self, *acts: str) -> list[_Match]:
        """What ``[bans]`` finds under the given keys."""
        return [one for one in self.found("bans") if one.rule.act in acts]


class _Match(msgspec.Struct, frozen=True):
    """A match of one pattern."""

    rule: lexicon.Rule
    start: int
    end: int


@functools.lru_cache(maxsize=_KEPT)
def _sentence(text: str, code: str) -> _Sentence | None:
    """A sentence as its language's tables see it; ``None`` where the language has none."""
    return _Sentence(text, code) if lexicon.load(code).table("bans") else None


def _told(text: str, code: str) -> _Sentence | None:
    """The same of a sentence that may forbid or allow something; ``None`` for a question or a very long one."""
    if len(text) > _LONGEST or split.is_question(text):
        return None
    return _sentence(text, code)


def _within(one: _Match, clause: tuple[int, int]) -> bool:
    return clause[0] <= one.start and one.end <= clause[1]


def codes(sentence: str, language: str | None) -> tuple[str, ...]:
    """The languages in which a sentence may be read: its own, or where it is too short to tell those that tie."""
    code = detect.of_sentence(sentence, language) if language is not None else detect.detect(sentence)
    if code is not None:
        return (code,)
    return detect.candidates(sentence) if len(sentence) <= engine.SHORT else ()


def forbidden(sentence: str, code: str) -> tuple[Forbidden, ...]:
    """What a sentence of one language forbids; questions and descriptions forbid nothing."""
    one = _told(sentence, code)
    return tuple(_forbidden(one)) if one is not None and one.found("bans") else ()


def _forbidden(one: _Sentence) -> Iterator[Forbidden]:
    awaits = bool(one.of("waits", "consent"))
    asks = one.of("ask")
    if asks and not one.of("others"):
        found = frozenset(match.rule.act for match in one.found("deeds"))
        if found:
            yield Forbidden(
                mood="asks_first",
                clause=one.text,
                objects=_objects(one, (0, len(one.text)), [*asks, *one.found("deeds")]),
                deeds=found,
            )
            return
    if one.of("except") and _case(one) is None:
        # "Change nothing except a.py": what is left free is not forbidden.
        return
    for match in one.of("nothing"):
        clause = _clause(one, match)
        if not _tells(one, clause, match):
            objects = _objects(one, clause, [match])
            if objects and any(_touches(other, (match.start, match.end)) for other in one.of("touch")):
                # "Fingers off nginx": of that alone.
                continue
            yield Forbidden(
                mood="reads_only", clause=_words(one, clause), objects=_english(objects), awaits=awaits
            )
            return
    seen: set[tuple[int, int]] = set()
    for match in one.found("bans"):
        act = match.rule.act
        clause = _clause(one, match)
        if (act in _KINDS and act not in _DENIALS) or clause in seen:
            continue
        if act != "bars" and _tells(one, clause, match):
            continue
        whole = [other for other in one.found("bans") if _within(other, clause)]
        deeds = [other for other in one.found("deeds") if _within(other, clause) and not other.rule.asks]
        acts = {other.rule.act for other in whole} - _KINDS
        acts |= {other.rule.act for other in deeds} if any(o.rule.act in _DENIALS for o in whole) else set()
        if acts & _ALSO_RUN:
            acts.discard("run")
        objects = _objects(one, clause, [*whole, *deeds])
        acts = acts or _meant(objects)
        if acts:
            seen.add(clause)
            yield Forbidden(
                mood="forbids",
                clause=_words(one, clause),
                objects=objects,
                deeds=frozenset(acts),
                awaits=awaits,
                barred=act == "bars",
            )
    if not seen:
        yield from _ordered_within(one, awaits)


def _ordered_within(one: _Sentence, awaits: bool) -> Iterator[Forbidden]:
    """What an order forbids by what limits it: "restart it at most once", "restart it only when the import is through"."""
    case = _case(one)
    limits = [*one.of("most"), *(match for match in one.of("after") if _until(one)[0])]
    if case is not None and any(_within(match, case) for match in one.of("down")):
        limits += [match for match in one.of("unless") if _touches(match, case)]
    deeds = [
        match
        for match in one.found("deeds")
        if not any(_within(match, _term(one, other)) for other in one.of("after"))
    ]
    if not limits or not deeds or one.of("others", "states"):
        return
    if any(told.start < min(deed.start for deed in deeds) for told in one.of("tells")):
        return
    acts = frozenset(match.rule.act for match in deeds)
    yield Forbidden(
        mood="forbids",
        clause=one.text,
        objects=_objects(one, (0, len(one.text)), [*limits, *deeds]),
        deeds=acts - {"run"} if acts & _ALSO_RUN else acts,
        awaits=awaits,
    )


_DENIALS = frozenset({"denies", "bars"})
_ALSO_RUN = frozenset({"restart", "reload", "deploy"})
"""Deeds whose words are often those of starting something."""
_MEANT = {"production": "change", "dependency": "install"}


def _meant(objects: str) -> set[str]:
    """What a ban without a verb forbids by what it names alone ("nothing in production", "no new packages")."""
    return {_MEANT[objects]} if objects in _MEANT else set()


def _clause(one: _Sentence, match: _Match) -> tuple[int, int]:
    return one.around.clause(match.start, match.end, kinds=("breaks",))


def _words(one: _Sentence, clause: tuple[int, int]) -> str:
    return one.text[clause[0] : clause[1]].strip()


def _tells(one: _Sentence, clause: tuple[int, int], ban: _Match) -> bool:
    """Whether a clause tells of somebody's doing: words for that stand before those of the ban, or say so anywhere.
    "Until I say so" tells of nobody's.
    """
    waits = [(other.start, other.end) for other in one.of("waits", "consent")]
    return any(
        clause[0] <= other.start < ban.start and not any(_within(other, span) for span in waits)
        for other in one.of("tells")
    ) or any(_within(other, clause) for other in one.of("states"))


def _objects(one: _Sentence, clause: tuple[int, int], said: Sequence[_Match]) -> str:
    """The words of a clause that narrow a ban."""
    start, end = clause
    for match in one.of("until"):
        if any(other.rule.act == "bars" and _within(match, (other.start, other.end)) for other in said):
            continue
        end = min(end, match.start) if start < match.start else end
    for low, high in (span for span in (_case(one), _until(one)[3]) if span is not None):
        if start < low:
            end = min(end, low)
        else:
            # "While the import is running, …": what it is about stands behind.
            start = max(start, min(high, end))
    for match in one.of("meanwhile"):
        start = max(start, match.end) if match.end < end else start
    left = [False] * len(one.low)
    for match in said:
        for low, high in _own(one, match):
            left[low:high] = [True] * (high - low)
    names: list[tuple[int, int, str]] = []
    for match in sorted(one.found("means"), key=lambda other: (other.start, -other.end)):
        if start <= match.start and match.end <= end and not all(left[match.start : match.end]):
            left[match.start : match.end] = [True] * (match.end - match.start)
            if match.rule.act != "nothing":
                names.append((match.start, match.end, match.rule.act))
    token = _TOKEN if one.words.head.spaced else _SIGNED
    for found in token.finditer(one.low, start, end):
        word = found.group()
        if any(left[found.start() : found.end()]):
            # "force-push": what narrows a deed that is written as one word with it.
            at = found.start()
            parts = [
                part
                for part in re.finditer(r"[^-]+", word)
                if not any(left[at + part.start() : at + part.end()])
            ]
        else:
            parts = [found]
        for part in parts:
            name = part.group()
            if one.words.head.code == "tr":
                # "nginx'i", "nginx'ten".
                name = re.split(r"['’]", name)[0]
            if len(name) > 1 and not _common(one, name):
                names.append((found.start(), found.end(), name))
    return " ".join(_in_lists(one, sorted(names)))


NEXT = "|"
"""Stands in what a ban is about between the things of a list."""
_AND = lazy(
    r"[,、，/]|(?<!\w)(?:and|or|nor|und|oder|et|ou|ni|y|o|e|en|of|i|lub|ani|a|nebo|и|или|і|й|та|або|ve|veya|och|eller|og|και|ή|و|أو|और|या)(?!\w)|[とや和或]|(?<=\w)(?:랑|와|과)(?!\w)"
)


def _in_lists(one: _Sentence, names: Sequence[tuple[int, int, str]]) -> Iterator[str]:
    """Names in order, each once, with :data:`NEXT` between the things of a list; up to where the next order begins."""
    seen: set[str] = set()
    last = -1
    for start, end, name in names:
        if last >= 0 and (joint := _AND.search(one.low, last, start)) is not None:
            if any(joint.end() <= deed.start < start for deed in one.found("deeds")):
                # "Don't touch nginx, restart redis".
                return
            yield NEXT
        last = max(last, end)
        if name not in seen:
            seen.add(name)
            yield name


def _common(one: _Sentence, word: str) -> bool:
    words = one.words
    return word in words.head.words or word in words.leading or word in words.stops


def _english(objects: str) -> str:
    """Of what a ban of all changes is about, the words that make it one of some place alone."""
    return " ".join(word for word in objects.split() if word in ("production", "database", "test"))


def _own(one: _Sentence, match: _Match) -> Iterator[tuple[int, int]]:
    """Where the words of a pattern itself stand, without what its gaps passed over."""
    if not any(item.kind in {"gap", "one"} for item in match.rule.items):
        yield match.start, match.end
        return
    stretch = one.low[match.start : match.end]
    literals = set(_literals(match.rule.items))
    if one.words.head.spaced:
        for found in _TOKEN.finditer(stretch):
            word = found.group()
            if any(
                word.startswith(literal[:-1]) if literal.endswith("*") else word == literal
                for literal in literals
            ):
                yield match.start + found.start(), match.start + found.end()
    else:
        for literal in literals:
            for found in re.finditer(re.escape(literal.strip("*")), stretch):
                yield match.start + found.start(), match.start + found.end()


def _literals(items: Sequence[pattern.Item]) -> Iterator[str]:
    for item in items:
        if item.kind == "word":
            yield item.value
        for row in item.rows:
            yield from _literals(row)


def asks_alone(sentence: str, code: str) -> bool:
    """Whether a sentence wants the person asked first and names no deed: "Ask me first."."""
    one = _told(sentence, code)
    return one is not None and bool(one.of("ask")) and not one.of("others") and not one.found("deeds")


class Ordered(msgspec.Struct, frozen=True, kw_only=True):
    """What a sentence orders or allows."""

    deeds: frozenset[str]
    """The deeds, as the keys of ``[deeds]``."""
    bare: bool
    """Whether it names nothing that they are done to: "you may restart now"."""


def ordered(sentence: str, code: str) -> Ordered | None:
    """The deeds that a sentence orders or allows, without a denial: what lifts a ban of them.

    A question lifts nothing, nor does what is told of a deed ("the restart failed").
    """
    one = _told(sentence, code)
    if one is None or not one.found("deeds"):
        return None
    leaves = one.of("leaves", "may")
    if not leaves and not _WANTS & {
        found.act for found in engine.find(one.around, one.words, "user", "prose")
    }:
        return None
    denied = [_clause(one, match) for match in one.found("bans") if match.rule.act not in _NO_DENIAL]
    deeds = [
        match
        for match in one.found("deeds")
        if not match.rule.asks
        and not any(_within(match, clause) for clause in denied)
        and not one.around.negated(match.rule, match.start, match.end)
    ]
    if not deeds:
        return None
    about = {
        word for match in deeds for word in _objects(one, _clause(one, match), [*leaves, *deeds]).split()
    }
    return Ordered(deeds=frozenset(match.rule.act for match in deeds), bare=not about)


_WANTS = frozenset({"new_direction", "authorises", "continuation"})
"""Acts of a sentence that asks for something or allows it."""
_NO_DENIAL = _KINDS - {"denies", "bars", "nothing"}


def waiting(sentence: str, code: str) -> tuple[str, ...] | None:
    """Whether a sentence makes something wait for the person's word: the stretches that name their consent, in lower
    case, which are no part of what it is about; ``None`` where it waits for nothing."""
    one = _sentence(sentence, code)
    if one is None or not one.of("waits", "consent"):
        return None
    return tuple(one.low[match.start : match.end] for match in one.of("consent"))


def gives(sentence: str, code: str, *acts: Literal["leaves", "approves"]) -> bool:
    """Whether a sentence gives leave, or approves of what the person has looked at, and denies nothing."""
    one = _told(sentence, code)
    return one is not None and bool(one.of(*acts)) and not one.of("denies", "bars")


def proviso(sentence: str, code: str) -> Proviso | None:
    """What limits the bans of a sentence; ``None`` where nothing does."""
    one = _told(sentence, code)
    if one is None or not one.of(*_TERMS, "once", "most", "unless", "unless_of"):
        return None
    once = one.of("once", "most")
    case = _case(one)
    term, during, own, span = _until(one) if case is None else _NO_TERM
    if not (term or once or case):
        return None
    said = [(match.start, match.end) for match in once] + ([case] if case else [])
    return Proviso(
        until=term,
        during=during,
        own=own,
        made=span is not None
        and any(_is_made(one, match) for match in one.of("own") if _within(match, span)),
        once=bool(once),
        unless=one.low[slice(*case)] if case else "",
        down=case is not None and any(_within(match, case) for match in one.of("down")),
        words=tuple(one.low[start:end] for start, end in said),
    )


def _is_made(one: _Sentence, match: _Match) -> bool:
    """Whether what an agent may bring about itself is named by a noun, not by who does it."""
    word = one.low[match.start : match.end]
    return word not in _WHO and not _common(one, word) if one.words.head.spaced else word not in _WHO


_WHO = frozenset({"你", "あなた", "네가", "당신", "you", "your", "i", "my", "we"})


def _case(one: _Sentence) -> tuple[int, int] | None:
    """Where a sentence names a case in which it forbids nothing; a file that it leaves free is none."""
    cases = (_term(one, match) for match in one.of("unless", "unless_of"))
    return next((span for span in cases if _FILE.search(one.low, *span) is None), None)


_FILE = lazy(r"\w/|/\w|\w\.\w|¤")


_TERMS = ("term", "term_of", "during", "during_of", "after")


_Term = tuple[frozenset[str], bool, bool, tuple[int, int] | None]
_NO_TERM: _Term = (frozenset(), False, False, None)


def _until(one: _Sentence) -> _Term:
    """What must be over first, whether the sentence says so by what goes on till then, whether the agent may bring it
    about itself, and where the sentence says it."""
    if one.of("waits", "consent"):
        return _NO_TERM
    for match in one.of(*_TERMS):
        span, during = _term(one, match), match.rule.act.startswith("during")
        if not during and not any(_touches(other, span) for other in one.of("over")):
            continue
        words = topics(one.text, one.words.head.code, span)
        if words:
            own = not during and any(_within(other, span) for other in one.of("own"))
            return words, during, own, span
    return _NO_TERM


def _touches(one: _Match, span: tuple[int, int]) -> bool:
    return one.start < span[1] and span[0] < one.end


_STOPS = lazy(r"[,;:.!?()，、。；]")
_TERM = 120
"""Code points in which stands what must be over first."""


def _behind(one: _Sentence, match: _Match) -> tuple[int, int]:
    """From a word to where its clause, or the ban behind it, begins or ends."""
    stop = _STOPS.search(one.low, match.end)
    if stop is not None and not one.low[match.end : stop.start()].strip():
        # "Es sei denn, …".
        stop = _STOPS.search(one.low, stop.end())
    end = min(len(one.low) if stop is None else stop.start(), match.end + _TERM)
    return match.start, min(
        [
            end,
            *(
                other.start
                for other in _deniers(one)
                if match.end <= other.start and other.rule.act not in _DENIALS
            ),
        ]
    )


def _term(one: _Sentence, match: _Match) -> tuple[int, int]:
    """Where stands what must be over first: behind the word for it, or before it."""
    if match.rule.act == "after":
        # "Erst neu starten, wenn …": the last word of it begins the condition.
        return one.low.rfind(" ", 0, match.end) + 1, _behind(one, match)[1]
    if not match.rule.act.endswith("_of"):
        return _behind(one, match)
    starts = [stop.end() for stop in _STOPS.finditer(one.low, 0, match.start)]
    ends = [other.end for other in _deniers(one) if other.end <= match.start]
    return max([0, match.end - _TERM, *starts, *ends]), match.end


def _deniers(one: _Sentence) -> Iterator[_Match]:
    yield from (other for other in one.found("bans") if other.rule.act not in _NO_DENIAL)


def topics(sentence: str, code: str, span: tuple[int, int] | None = None) -> frozenset[str]:
    """What a sentence is about: its content words, without those that say whether something is over; in scripts without
    spaces, pairs of characters."""
    one = _sentence(sentence, code)
    if one is None:
        return frozenset()
    start, end = span or (0, len(one.low))
    said = one.of(*_TERMS, "over", "still", "leaves", "denies")
    if not one.words.head.spaced:
        bare = list(one.low[start:end])
        for match in said:
            for at in range(max(match.start, start), min(match.end, end)):
                bare[at - start] = " "
        return frozenset(
            idea
            for found in _IDEAS.finditer("".join(bare))
            for idea in (_pairs(found.group()) if found["run"] else [found.group()])
        )
    own = [place for match in said for place in _own(one, match)]
    out: set[str] = set()
    for found in _TOKEN.finditer(one.low, start, end):
        if len(found.group()) < _SHORTEST or _common(one, found.group()):
            continue
        if not any(low <= found.start() and found.end() <= high for low, high in own):
            out.add(_ARTICLE.sub("", found.group()))
    return frozenset(out)


def _pairs(run: str) -> Iterator[str]:
    yield from (run[at : at + 2] for at in range(max(1, len(run) - 1)))


_IDEAS = lazy(
    r"(?P<run>[\u30a0-\u30ff]{2,40}|[\u3400-\u9fff]{1,40})|"
    + detect.SIGNED_WORD
    + r"|[\uac00-\ud7a3]{2,40}|[A-Za-z0-9]{2,40}"
)
"""Runs of katakana and of Han characters, and words of other scripts: what carries meaning."""
_ARTICLE = lazy(r"^(?:وال|بال|لل|ال|[ldn]['’])")
"""Articles and prepositions that are written as one with their word."""
_SHORTEST = 2
_FORMS = 3
"""Letters at the end of a word in which its forms may differ."""


def about_same(some: frozenset[str], others: frozenset[str]) -> bool:
    """Whether two sets of content words have one in common, its ending aside."""
    return any(_same(one, other) for one in some for other in others)


def _same(one: str, other: str) -> bool:
    if one == other:
        return True
    short, long = sorted((one, other), key=len)
    shared = next((at for at, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    least = 2 if short >= "\uac00" else _SHORTEST_STEM
    return shared >= max(least, len(short) - _FORMS) and len(long) - shared <= 2 * _FORMS


_SHORTEST_STEM = 4


def came_to_its_end(sentence: str, code: str, what: frozenset[str]) -> bool:
    """Whether a sentence of the person says that something is over: neither a question nor a "not yet"."""
    one = _told(sentence, code)
    over = one is not None and (one.of("over") or _WHOLE.search(sentence))
    if one is None or not over or one.of("still") or one.of("denies", "bars", *_TERMS):
        return False
    return about_same(topics(sentence, code), what)


def shows_end(line: str, by: str, code: str, what: frozenset[str]) -> bool:
    """Whether a line of a result, or what was looked at together with it, shows that something is over.

    A result may say "no errors": a denial is no word about that.
    """
    one = _told(line, code)
    if one is None or not (one.of("over") or _WHOLE.search(line)):
        return False
    return about_same(topics(_PARTED.sub(" ", f"{by} {line}")[:_LONGEST], code), what)


_WHOLE = lazy(r"(?<![\d.,])100(?:[.,]0+)?\s?[%٪％]")
"""All of what goes on, in figures."""
_PARTED = lazy(r"['’]s\b|[/_.:=-]+")


def deeds(sentence: str) -> frozenset[str]:
    """The deeds that a sentence names in its own language, whatever it says of them."""
    return frozenset(
        match.rule.act
        for code in codes(sentence, None)
        if (one := _sentence(sentence[:_LONGEST], code)) is not None
        for match in one.found("deeds")
    )
