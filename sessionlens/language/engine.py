"""From a sentence and a lexicon to acts: matches, and what stands around them.

A pattern says what the words mean by themselves. Around it stand negators ("did not"), conditions ("if"),
futures ("will"), hedges ("probably") and question marks; the tables here say, once for all languages, what each
does to an act. A lexicon only lists its words.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Sequence
from typing import Literal

import msgspec

from sessionlens.cache import lazy
from sessionlens.language import classifier, detect, lexicon, pattern, split, undecided
from sessionlens.language.acts import Act, Reading, Sentence

Role = Literal["assistant", "user"]

_MARKS = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "*": " ", "`": " ", "\u00a0": " ", "\u202f": " ", "\n": " ",
                        "\t": " ", "\r": " ", "：": ":", "；": ";", "？": "?", "！": "!", "，": ",",
                        "؟": "?", "؛": ";", "،": ",", "।": "."})  # fmt: skip
_UNDERSCORES = lazy(r"(?<!\w)_+|_+(?!\w)")
_URL = lazy(r"[a-z][a-z0-9+.-]{1,15}://[^\s)>\]]+")
_CODE = lazy(r"(`{1,3})([^`\n]{1,400}?)\1")
_QUOTED = lazy(
    r"\"[^\"\n]{2,400}\"|“[^”\n]{2,400}”|„[^“”\"\n]{2,400}[“”\"]|«[^»\n]{2,400}»|「[^」\n]{1,200}」"
)
_SHORT_CODE = lazy(
    r"[^\W_]+(?: ?[^\W_]+)?|[^\W_]+ \([^\W_]+\)|200 OK|HTTP[/ ]?\S* \d{3}(?: OK)?", re.IGNORECASE
)
_COMMA = lazy(r"[,;—–()，、；]|(?<!\d)[:：]|[:：](?!\d)|\s-\s")
_STRONG = lazy(r"[;—–；]|\s-\s")
_MASK = "¤"
_ZERO = lazy(
    r"(?<![\w.:/=#-])(?<!\d,)0(?![\w,:/%-]|\.\w)|(?<=コード)0(?!\d)|(?<=코드)\s?0(?!\d)|(?<![\d.:/])(?<!\d,)0(?=[个件개条項项])"
)
_GOOD = lazy(r"^[\W_]{0,8}?(?:[✅✔☑🎉🟢]|\[[xX✓✔]\])")
_BAD = lazy(r"^[\W_]{0,8}?[❌✖✗✘🔴]")
_SILENT = frozenset({"code", "quote", "log"})
_REMARK = lazy(r"[^\w]{0,10}\w{1,16}(?:[\s\-]\w{1,16}){0,3}\W{0,5}[:;：；—–-]")
"""One to four words and a mark behind them, as a remark of a review begins."""
_OPEN = lazy(r"[\s\-*+•#\d.)]{0,8}\[ ?\]|[\s\-*+•]{0,4}`[^`\n]{1,80}`\s?\(default\b")
"""A box that is not ticked; an option with its default: what stands behind is to be done, or tells what it means."""
_STATUS = frozenset({"in progress", "not ready", "still running", "not running", "up to date", "not found"})
"""What a tool shows as a state in quotes is said, not quoted."""
_TAIL = " \"')*_»”🙂😅🤔!"
_HEADING_END = lazy(r"[\s!.✅✔🎉🚀*#_]*\Z")

_OF_MANNER = ("habits", "hedges", "late_hedges", "conditionals")
"""Scope words that behind a verb of a state tell how it goes ("tourne normalement"), where a lexicon lists it so."""

_CUTS = ("breaks", "joins")
_INNER_CUTS = ("breaks", "joins", "complements")
"""What ends a clause; a denial does not reach into "that …" either, a hedge or a future does."""

_OPTIONS = 12
"""Sentences that may follow a message's last question as its options."""

_FEW = 6
"""Tokens, the two ends included, below which words say too little to speak against a pattern ("Tests passed")."""

_KEPT = 4096
"""Sentences whose acts are remembered."""

_SURE = 120
"""Code points beyond which a text always holds some word of some pattern: asking costs more than it saves."""

SHORT = 80
"""Code points up to which a text may be too short to tell its language."""

_TITLE = 4
"""Words of a heading, its marks included, that may tell a failure; a longer one names what the section is about."""

_NEAR = 16
"""Code points around a failure in which a count of zero speaks of it."""

_BESIDE = 3
"""Words between a cut-off and a limit that was kept up to which they tell of one thing ("ended cleanly within")."""

_ANSWER = 7
"""Words of a sentence that may be the whole answer to the question before it."""

_MARKERS = 40
"""Places of one scope word looked at in one sentence."""

_FOUND = 60
"""Matches after which a sentence is judged by what it has shown; only hostile ones get there."""

_MATCHES = 6
"""Matches of one pattern looked at in one sentence."""

_VOID = ""
_NEGATED: dict[str, str] = {
    "acknowledges_cut_off": _VOID, "reports_in_progress": _VOID, "reports_failure": _VOID,
    "endings": _VOID, "headlines": _VOID, "claims_success": _VOID, "states": "reports_failure", "dones": "reports_in_progress", "checks": "admits_unverified", "claims_check": _VOID,
    "hedges": _VOID, "promises_check": _VOID, "proposes_waiting": _VOID, "hands_over": _VOID, "asks_person": _VOID,
    "confirmation": _VOID, "authorises": _VOID, "new_direction": _VOID, "continuation": _VOID, "works": "complaint",
    "orders": "constrains",
}  # fmt: skip
_CONDITIONAL = frozenset(
    {"acknowledges_cut_off", "reports_in_progress", "reports_failure", "claims_success", "states", "dones", "checks",
     "claims_check", "hedges", "works", "complaint", "confirmation", "endings", "headlines"}
)  # fmt: skip
"""Void inside a condition or its consequence."""
_DESCRIBED = frozenset(
    {"acknowledges_cut_off", "reports_in_progress", "reports_failure", "claims_success", "claims_check", "hedges",
     "admits_unverified", "hands_over"}
)  # fmt: skip
"""Void in a remark of a code review, which tells what the code does or would do."""
_HABITUAL = frozenset(
    {
        "claims_success",
        "states",
        "dones",
        "checks",
        "claims_check",
        "reports_in_progress",
        "hedges",
        "headlines",
    }
)
"""Void in what describes a habit or a past that has nothing to do with the work at hand."""
_FUTURE: dict[str, str] = {
    "acknowledges_cut_off": _VOID, "reports_in_progress": _VOID, "reports_failure": _VOID, "claims_success": _VOID,
    "states": _VOID, "dones": _VOID, "checks": "promises_check", "claims_check": _VOID, "works": _VOID, "endings": _VOID,
    "headlines": _VOID,
}  # fmt: skip
_HEDGED: dict[str, str] = {
    "claims_success": "hedges",
    "states": "hedges",
    "dones": "hedges",
    "headlines": "hedges",
}
_ASKED = (_CONDITIONAL - {"complaint"}) | {
    "admits_unverified",
    "hands_over",
    "authorises",
    "proposes_waiting",
}
"""Void inside a question."""
_INNER = {
    "states": "claims_success",
    "dones": "claims_success",
    "checks": "claims_check",
    "works": "confirmation",
    "orders": "new_direction",
    "endings": "reports_failure",
    "headlines": "claims_success",
}
_BEATS: dict[str, frozenset[str]] = {
    "acknowledges_cut_off": frozenset(
        {"reports_failure", "claims_success", "claims_check", "reports_in_progress", "hedges"}
    ),
    "reports_in_progress": frozenset({"claims_success", "claims_check", "reports_failure", "hedges"}),
    "reports_failure": frozenset({"claims_success", "hedges"}),
    "admits_unverified": frozenset(
        {"claims_check", "claims_success", "reports_failure", "promises_check", "reports_in_progress"}
    ),
    "hedges": frozenset({"claims_success"}),
    "claims_check": frozenset({"hedges"}),
    "promises_check": frozenset({"claims_check", "hands_over"}),
    "asks_person": frozenset({"hands_over", "claims_success", "promises_check"}),
    "hands_over": frozenset({"asks_person"}),
    "proposes_waiting": frozenset({"reports_in_progress"}),
    "constrains": frozenset({"new_direction", "authorises"}),
    "authorises": frozenset({"new_direction"}),
    "asks_state": frozenset({"complaint", "confirmation", "new_direction"}),
    "complaint": frozenset({"confirmation", "asks_state"}),
    "continuation": frozenset({"new_direction", "constrains"}),
}
"""An act whose words overlap another's takes its place: "is still running" is no claim that it runs.
Of two that beat each other the earlier stands ("why did you", "is it still broken")."""
_HARD = frozenset({"acknowledges_cut_off", "reports_failure"})
"""What a hedge in the same clause is about, when it stands there."""
_COMPLEMENT = frozenset({"admits_unverified", "promises_check", "asks_person"})
"""What stands behind these in the same clause is their content, not a statement: "let me see if it is running"."""
_ORDER = (
    "acknowledges_cut_off", "reports_in_progress", "reports_failure", "claims_success", "claims_check",
    "admits_unverified", "hedges", "promises_check", "proposes_waiting", "asks_person", "hands_over",
    "continuation", "asks_state", "new_direction", "complaint", "confirmation", "constrains", "authorises",
)  # fmt: skip


class Found(msgspec.Struct):
    """A match on its way to an act; places are within the sentence."""

    act: str
    start: int
    end: int
    result: bool = False
    """A check shown only by its result, without words of checking."""
    ending: bool = False
    """A failure that only says that something was ended: no more than a cut-off that the sentence names."""
    sure: bool = False
    """Shown by a pattern that weights do not speak against."""


def lower(text: str, code: str | None) -> str:
    """Lower case with the same number of code points, so that places stay true."""
    if code == "tr":
        text = text.replace("I", "ı").replace("İ", "i")
    elif code == "el" and text.rstrip().endswith((";", "\u037e")):
        # The Greek question mark.
        text = f"{text.rstrip()[:-1]}?{text[len(text.rstrip()) :]}"
    low = text.lower()
    if len(low) != len(text):
        low = "".join(char.lower() if len(char.lower()) == 1 else char for char in text)
    return low


def _mask(match: re.Match[str]) -> str:
    return _MASK * len(match.group())


def _mask_code(match: re.Match[str]) -> str:
    if _SHORT_CODE.fullmatch(match.group(2).strip()):
        return match.group()
    return _MASK * len(match.group())


def _mask_quoted(match: re.Match[str]) -> str:
    inner = match.group()[1:-1].strip()
    if (" " not in inner and match.group()[0] != "「") or inner in _STATUS:
        return match.group()
    return _MASK * len(match.group())


def prepare(sentence: str, code: str | None) -> str:
    """The sentence as patterns see it: lower case, marks of Markdown away, code, quotes and addresses masked."""
    low = lower(sentence, code)
    if "`" in low:
        low = _CODE.sub(_mask_code, low)
    if "://" in low:
        low = _URL.sub(_mask, low)
    if not low.isascii() or '"' in low:
        low = _QUOTED.sub(_mask_quoted, low)
    low = low.translate(_MARKS)
    if "_" in low:
        low = _UNDERSCORES.sub(lambda match: " " * len(match.group()), low)
    return low


class Around:
    """The scope words of one sentence, looked up only when asked."""

    def __init__(self, low: str, words: lexicon.Lexicon) -> None:
        self.low = low
        self._words = words
        self._found: dict[str, list[tuple[int, int]]] | None = None
        self._cached: dict[tuple[str, ...], list[tuple[int, int]]] = {}

    def spans(self, kind: str) -> list[tuple[int, int]]:
        """Places of one kind of scope word."""
        if self._found is None:
            self._found = self._all()
        return self._found.get(kind, [])

    def _all(self) -> dict[str, list[tuple[int, int]]]:
        rules = self._words.rules("scope")
        numbers = rules.candidates(self.low)
        text = self.low
        for number in numbers:
            if rules.all[number].act == "not_negators":
                text = rules.compiled(number).sub(_mask, text)
        out: dict[str, list[tuple[int, int]]] = {}
        for number in numbers:
            spans = [
                match.span()
                for match in itertools.islice(
                    rules.matches(number, self.low if rules.all[number].act == "manners" else text), _MARKERS
                )
            ]
            if spans:
                out.setdefault(rules.all[number].act, []).extend(spans)
        manners = out.get("manners", [])
        for kind in _OF_MANNER if manners else ():
            out[kind] = [
                (low, high)
                for low, high in out.get(kind, [])
                if not any(left <= low and high <= right for left, right in manners)
            ]
        return {kind: sorted(spans) for kind, spans in out.items()}

    def _cuts(self, kinds: tuple[str, ...]) -> list[tuple[int, int]]:
        cuts = self._cached.get(kinds)
        if cuts is None:
            cuts = [match.span() for match in _COMMA.finditer(self.low)]
            if cuts and kinds and "complements" not in kinds:
                cuts = self._uncut(cuts)
            for kind in kinds:
                cuts = cuts + self.spans(kind)
            cuts.sort()
            self._cached[kinds] = cuts
        return cuts

    def _uncut(self, cuts: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Commas that only punctuate: before "that …" where a language asks for one, and around a lone hedge."""
        starts = {low for low, _ in self.spans("complements")}
        hedges = set(self.spans("hedges"))
        if not starts and not hedges:
            return cuts
        edges = [0, *(edge for cut in cuts for edge in cut), len(self.low)]
        asides: set[int] = set()
        for at in range(0, len(edges), 2) if hedges else ():
            inner = self.low[edges[at] : edges[at + 1]]
            begin = edges[at] + len(inner) - len(inner.lstrip())
            if (begin, edges[at] + len(inner.rstrip())) in hedges:
                asides.update({at // 2 - 1, at // 2})
        out = []
        for at, (low, high) in enumerate(cuts):
            after = high
            while after < len(self.low) and self.low[after] == " ":
                after += 1
            if self.low[low:high].strip() not in {",", "，", "、"} or (
                at not in asides and after not in starts
            ):
                out.append((low, high))
        return out

    def clause(self, start: int, end: int, *, kinds: tuple[str, ...] = _INNER_CUTS) -> tuple[int, int]:
        """The stretch between commas and conjunctions that holds a match."""
        left, right = 0, len(self.low)
        for low, high in self._cuts(kinds):
            if high <= start:
                left = max(left, high)
            elif low >= end:
                right = min(right, low)
                break
        return left, right

    def part(self, start: int) -> int:
        """Where the part of the sentence begins that a condition at its head would govern."""
        ends = [match.end() for match in _STRONG.finditer(self.low, 0, start)]
        ends += [high for _, high in self.spans("breaks") if high <= start]
        return max(ends, default=0)

    def purpose(self, order: Found, aim: Found) -> bool:
        """Whether ``aim`` is what an order at the head of the sentence is for."""
        return not self.low[: order.start].strip(" *_-\"'") and any(
            order.end <= low and high <= aim.start + 4 for low, high in self.spans("purposes")
        )

    def apart(self, one: Found, other: Found) -> bool:
        """Whether a semicolon, a dash or a "but" stands between two matches: two thoughts, not one told twice."""
        low, high = min(one.end, other.end), max(one.start, other.start)
        return _STRONG.search(self.low, low, max(low, high)) is not None or any(
            low <= left and right <= high for left, right in self.spans("breaks")
        )

    def _words_between(self, low: int, high: int) -> int:
        if self._words.head.spaced:
            return len(self.low[low:high].split())
        return (high - low) // 3

    def negated(self, rule: lexicon.Rule, start: int, end: int) -> bool:
        """A negator inside the match, up to four words before it ("without": one), or behind it where the
        language puts it so.

        A negator that the pattern itself writes ("no space left") denies nothing.
        """
        before, after = self.spans("negators"), self.spans("negators_after")
        near = self.spans("near_negators")
        if not before and not after and not near:
            return False
        left, right = self.clause(start, end)
        for spans, reach in ((before, 4), (near, 1)):
            for low, high in spans:
                if low < left or high > end or (low < start and self._words_between(high, start) > reach):
                    continue
                if low < start or not self._own(rule, start, end, low, high):
                    return True
        return any(
            low >= start
            and high <= right
            and (low < end or self._words_between(end, low) <= 3)
            and not (high <= end and self._own(rule, start, end, low, high))
            for low, high in after
        )

    def _own(self, rule: lexicon.Rule, start: int, end: int, low: int, high: int) -> bool:
        """Whether the stretch from ``low`` to ``high`` inside a match is a word that its pattern writes."""
        if rule.act in _INNER:
            return False
        word, text = self.low[low:high].strip(), self.low[start:end]
        for literal in pattern.literals(rule.items):
            if word not in literal:
                continue
            plain = literal.strip("*")
            at = text.find(plain)
            while at >= 0:
                if start + at <= low and high <= start + at + len(plain):
                    return True
                at = text.find(plain, at + 1)
        return False

    def _past(self, start: int, end: int) -> bool:
        return any(low >= start and high <= end for low, high in self.spans("past"))

    def conditional(self, act: str, start: int, end: int) -> bool:
        """Inside a condition, or in what follows from one at the head of the sentence."""
        left, _ = self.clause(start, end, kinds=("breaks",))
        part = self.part(start)
        for low, high in self.spans("conditionals"):
            if left <= low and high <= end and low < end:
                return True
            if low <= start and end < high:
                return True
            if part <= low < start and self._comma(high - 1, start):
                head = self.low[part:low]
                if not head[head.rfind(": ") + 1 :].strip(" ,.!:*_-¤\"'"):
                    return True
        _, right = self.clause(start, end, kinds=_CUTS)
        for low, high in self.spans("conditionals_after"):
            if start <= low and high <= right and (low <= end or self._words_between(end, low) <= 2):
                return True
        return not self._past(start, end) and any(
            left <= low
            and high <= start
            and (act != "reports_in_progress" or not self._going(low, high, end))
            for low, high in self.spans("temporals")
        )

    def _going(self, low: int, high: int, end: int) -> bool:
        """Whether a temporal word opens what goes on beside the rest ("while it is still restarting")."""
        return any(low <= left and right <= end for left, right in self.spans("meanwhile"))

    def _comma(self, low: int, high: int) -> bool:
        return _COMMA.search(self.low, low, high) is not None

    def headed(self, start: int, end: int) -> bool:
        """Whether a condition opens the clause before a match ("if it is not verified, …")."""
        left, _ = self.clause(start, start, kinds=("breaks",))
        return any(
            (left <= low < start and not self.low[left:low].strip(" *_-\"'")) or (low <= start and end < high)
            for low, high in self.spans("conditionals")
        )

    def none(self, start: int, end: int) -> bool:
        """Whether a count of zero stands with a match ("214 tests, 0 failures")."""
        if "0" not in self.low:
            return False
        left, right = self.clause(start, end, kinds=())
        return _ZERO.search(self.low, max(left, start - _NEAR), min(right, end + _NEAR)) is not None

    def future(self, start: int, end: int) -> bool:
        """A future before or inside the match in its clause."""
        left, _ = self.clause(start, end, kinds=_CUTS)
        return any(left <= low and high <= end for low, high in self.spans("futures"))

    def habitual(self, start: int, end: int) -> bool:
        """Whether the part of the sentence tells what always is or long was ("at every start", "in 2019")."""
        spans = self.spans("habits")
        if self.spans("routines") and not self._past(start, end):
            spans = [*spans, *self.spans("routines")]
        if not spans:
            return False
        left = self.part(start)
        stops = [low for low, _ in self.spans("breaks") if low >= end]
        stops.extend(at for mark in ";—；" if (at := self.low.find(mark, end)) >= 0)
        right = min(stops, default=len(self.low))
        return any(left <= low and high <= right for low, high in spans)

    def hedged(self, start: int, end: int) -> bool:
        """A hedge in the clause, or one that follows ("…, I think")."""
        left, right = self.clause(start, end, kinds=_CUTS)
        return any(left <= low and high <= right for low, high in self.spans("hedges")) or any(
            low >= end for low, _ in self.spans("late_hedges")
        )

    def beside(self, kind: str, start: int, end: int) -> bool:
        """Whether a scope word stands in the same thought, before or behind a match."""
        for low, high in self.spans(kind):
            left, right = min(high, end), max(low, start)
            if _STRONG.search(self.low, left, max(left, right)) is None and (
                kind == "offers"
                or not any(left <= one and other <= right for one, other in self.spans("breaks"))
            ):
                return True
        return False

    def premised(self, start: int) -> bool:
        """Whether a condition that begins a clause stands before a match in the same thought ("if it times out, …")."""
        part = self.part(start)
        return any(part <= low and high <= start for low, high in self.spans("premises"))

    def uncut(self, act: str, start: int, end: int) -> bool:
        """Whether a cut-off or a failure is told of a limit that cut nothing off: one denied ("did not time out"),
        set ("the timeout is 30 s") or kept ("finished within the limit", which tells so only where its clause
        denies nothing and speaks of no failure)."""
        if act not in _HARD:
            return False
        if self.denies_a_cut(start, end):
            return True
        return act == "acknowledges_cut_off" and any(
            (low < end and start < high)
            or (end <= low and self._words_between(end, low) <= _BESIDE)
            or (high <= start and self._words_between(high, start) <= _BESIDE)
            for low, high in self._kept_limits()
        )

    def denies_a_cut(self, start: int, end: int) -> bool:
        """Whether words lie where it is denied that something was cut off."""
        return any(low < end and start < high for low, high in self.spans("denied_cuts"))

    def _kept_limits(self) -> list[tuple[int, int]]:
        """Where it is told that a limit was kept."""
        spans = self.spans("kept_limits")
        denials = [
            span
            for kind in ("negators", "near_negators", "negators_after")
            for span in (self.spans(kind) if spans else ())
        ]
        kept = []
        for start, end in spans:
            left, right = self.clause(start, end, kinds=_CUTS)
            if not any(left <= low and high <= right for low, high in denials):
                kept.append((start, end))
        return kept

    def spared(self) -> bool:
        """Whether anything in the sentence tells of a limit that cut nothing off."""
        return bool(self.spans("denied_cuts") or self._kept_limits())

    def yet(self, start: int, end: int) -> bool:
        """Whether a denial is one for now ("not up yet")."""
        left, right = self.clause(start, end, kinds=_CUTS)
        return any(left <= low and high <= right for low, high in self.spans("yet"))

    def asked(self, start: int, end: int) -> bool:
        """Inside a question: the last clause before the mark, or a sentence that begins as a question."""
        if not self.low.rstrip(_TAIL).endswith("?"):
            return False
        _, right = self.clause(start, end, kinds=())
        if _COMMA.search(self.low, right) is None:
            return True
        part = self.part(start)
        return any(
            not self.low[part:low].strip(" ,*_-\"'") for low, _ in self.spans("questions") if low >= part
        )


def _outcome(rule: lexicon.Rule, around: Around, start: int, end: int) -> str:
    """The act that a match comes to, or the empty string."""
    act = _judged(rule, around, start, end)
    if act == "promises_check" and around.beside("offers", start, end):
        # It hangs on the person's wish: "if you like", "say the word".
        return _VOID
    if act == "promises_check" and around.premised(start):
        # It hangs on what may never come: "if it times out, I'll look again".
        return _VOID
    if around.uncut(act, start, end):
        return _VOID
    if act == "claims_success" and around.beside("partials", start, end):
        # "It reached node1 only" tells what is missing.
        return _VOID
    return act


def _judged(rule: lexicon.Rule, around: Around, start: int, end: int) -> str:
    act = rule.act
    if _INNER.get(act, act) == "reports_failure" and around.none(start, end):
        return _VOID
    if rule.own == 2:
        return _INNER.get(act, act)
    if act == "admits_unverified" and around.headed(start, end):
        return _VOID
    if act in _ASKED and around.asked(start, end):
        return _VOID
    if act in _CONDITIONAL and around.conditional(act, start, end):
        return _VOID
    if act in _HABITUAL and around.habitual(start, end):
        return _VOID
    if rule.own:
        return _INNER.get(act, act)
    if act in _NEGATED and around.negated(rule, start, end):
        act = _NEGATED[act]
        if act == "reports_failure":
            if around.future(start, end):
                return _VOID
            return "reports_in_progress" if around.yet(start, end) else act
        return act
    if act in _FUTURE and around.future(start, end):
        return _FUTURE[act]
    if act in _HEDGED and around.hedged(start, end):
        return _HEDGED[act]
    return _INNER.get(act, act)


def _overlap(one: Found, other: Found) -> bool:
    return one.start < other.end and other.start < one.end


def _beats(one: Found, other: Found) -> bool:
    if one.act == "proposes_waiting" and one.start >= other.start:
        return False
    return other.act in _BEATS.get(one.act, ()) and _overlap(one, other)


def _rank(one: Found) -> tuple[int, int, int]:
    return one.start, -one.end, _ORDER.index(one.act)


def _settle(found: list[Found], around: Around) -> list[Found]:
    """Of overlapping and dependent matches, those that stand."""
    kept: list[Found] = []
    for one in found:
        beaten = False
        for other in found:
            if other is one or other.act == one.act:
                continue
            beaten = beaten or (_beats(other, one) and not (_beats(one, other) and _rank(one) < _rank(other)))
            if (
                other.act in _COMPLEMENT
                and one.act in _CONDITIONAL
                and other.end <= one.start
                and around.clause(one.start, one.end, kinds=("breaks",))
                == around.clause(other.start, other.end, kinds=("breaks",))
            ):
                beaten = True
            if (
                one.act == "claims_success"
                and other.act == "hedges"
                and around.clause(one.start, one.end, kinds=_CUTS)
                == around.clause(other.start, other.end, kinds=_CUTS)
            ):
                beaten = True
            if (
                one.act == "hedges"
                and other.act in _HARD
                and around.clause(one.start, one.end, kinds=_CUTS)
                == around.clause(other.start, other.end, kinds=_CUTS)
            ):
                # "It looks like it timed out" supposes no success.
                beaten = True
            beaten = beaten or (
                one.act == "reports_failure"
                and other.act == "acknowledges_cut_off"
                and (one.ending or not around.apart(one, other))
            )
            if (
                one.act == "reports_in_progress"
                and other.act == "reports_failure"
                and any(char.isdigit() for char in around.low[one.start : one.end])
                and around.clause(one.start, one.end, kinds=_CUTS)
                == around.clause(other.start, other.end, kinds=_CUTS)
            ):
                # "2 of 37 failed" counts what failed, not how far it got.
                beaten = True
            if one.act == "claims_success" and (
                (other.act == "acknowledges_cut_off" and not around.apart(one, other))
                or (other.act == "hands_over" and around.purpose(other, one))
            ):
                # "It was stopped at the limit"; "restart it so that the settings are picked up".
                beaten = True
            if (
                one.act == "claims_success"
                and other.act == "claims_check"
                and other.start <= one.start
                and _COMMA.search(around.low, one.end, other.end)
                and not _COMMA.search(around.low, other.start, one.end)
            ):
                # "Opened the file to be sure: …" is what was done to look, no result of its own.
                beaten = True
            if (
                one.result
                and other.act == "reports_failure"
                and around.clause(one.start, one.end) == around.clause(other.start, other.end)
            ):
                # "The endpoint gives 503" says what failed; only words of checking make it a check.
                beaten = True
        if not beaten:
            kept.append(one)
    # The fewest words that show an act are its span: what it speaks of is looked for around them.
    kept.sort(key=lambda one: (one.end - one.start, one.start))
    out: list[Found] = []
    for one in kept:
        same = [other for other in out if other.act == one.act and _overlap(one, other)]
        if same:
            # A longer pattern that weights do not speak against vouches for the shorter one within it.
            same[0].sure = same[0].sure or one.sure
            continue
        if any(
            other.act == one.act
            and around.clause(other.start, other.end) == around.clause(one.start, one.end)
            for other in out
        ):
            continue
        out.append(one)
    return out


def _marks(low: str, kind: str, found: list[Found], role: Role) -> None:
    """What a leading ✅ or ❌ says where no word says otherwise."""
    if role != "assistant" or low.rstrip(" *_").endswith(":"):
        return
    for expression, act in ((_GOOD, "claims_success"), (_BAD, "reports_failure")):
        match = expression.match(low)
        if match and not found and (kind == "item" or match.group()[-1] != "]"):
            found.append(Found(act, max(0, match.end() - 1), match.end()))


class _Shields:
    """Stretches in which an act's matches are void, by act, looked for when an act is first asked about."""

    def __init__(self, low: str, words: lexicon.Lexicon) -> None:
        self._low = low
        self._rules = words.rules("shields")
        self._numbers: list[int] | None = None
        self._known: dict[str, list[tuple[int, int]]] = {}

    def over(self, act: str, start: int, end: int) -> bool:
        """Whether a match of ``act`` there is void."""
        spans = self._known.get(act)
        if spans is None:
            if self._numbers is None:
                self._numbers = self._rules.candidates(self._low)
            spans = self._known[act] = [
                match.span()
                for number in self._numbers
                if self._rules.all[number].act == act
                for match in itertools.islice(self._rules.matches(number, self._low), _MARKERS)
            ]
        return any(left < end and start < right for left, right in spans)


def find(around: Around, words: lexicon.Lexicon, role: Role, kind: str) -> list[Found]:
    """The acts of one prepared sentence, in the order of their places."""
    low = around.low
    rules = words.rules(role)
    found: list[Found] = []
    shields: _Shields | None = None
    asked = low.rstrip(_TAIL).endswith("?")
    for number in rules.candidates(low):
        rule = rules.all[number]
        if rule.asks and not asked:
            continue
        for count, match in enumerate(rules.matches(number, low)):
            if count >= _MATCHES:
                break
            start, end = match.span()
            shields = shields or _Shields(low, words)
            outer = _INNER.get(rule.act)
            if shields.over(rule.act, start, end) or (outer and shields.over(outer, start, end)):
                continue
            act = _outcome(rule, around, start, end)
            if act and len(found) < _FOUND:
                found.append(
                    Found(act, start, end, rule.act == "claims_check", rule.act == "endings", rule.sure)
                )
    if found:
        found = _settle(found, around)
    _marks(low, kind, found, role)
    if kind == "heading":
        found = [
            one for one in found
            if (one.act == "claims_success" or (one.act == "reports_failure" and len(low.split()) <= _TITLE))
            and (_HEADING_END.match(low, one.end) or _GOOD.match(low.lstrip("# ")) or _BAD.match(low.lstrip("# ")))
        ]  # fmt: skip
    return found


_EDGE = " \t\n*_`\"'“”„«»()[]{}:;,.!?…-–—#>✅❌✔✖🎉🚀⚠️|•"
_TOKEN = lazy(r"\S+")


def _span_of_words(
    low: str, start: int, end: int, words: lexicon.Lexicon, *, before: bool
) -> tuple[int, int] | None:
    tokens = [(start + m.start(), start + m.end()) for m in _TOKEN.finditer(low[start:end])]
    if before:
        while tokens and low[tokens[0][0] : tokens[0][1]].strip(_EDGE) in words.leading | {""}:
            tokens.pop(0)
        while tokens and low[tokens[-1][0] : tokens[-1][1]].strip(_EDGE) in words.leading | {""}:
            tokens.pop()
        tokens = tokens[-8:]
    else:
        while tokens and low[tokens[0][0] : tokens[0][1]].strip(_EDGE) in words.leading | {""}:
            tokens.pop(0)
        for at, (low_at, high_at) in enumerate(tokens):
            if at and low[low_at:high_at].strip(_EDGE) in words.stops:
                tokens = tokens[:at]
                break
        tokens = tokens[:8]
    if not tokens:
        return None
    first, last = tokens[0][0], tokens[-1][1]
    while first < last and low[first] in _EDGE and low[first] not in "./-":
        first += 1
    while last > first and low[last - 1] in _EDGE:
        last -= 1
    return (first, last) if last > first else None


_CLOCK = lazy(
    r"(?:(?<![^\s(])(?:about|around|at|after|in|within|um|gegen|nach|in|à|vers|après|en|au bout de|a las?|sobre las?|tras|después de|às|após|depois de|ao fim de|alle|dopo|verso le|om|rond|na|o|około|po|в|около|через|за|спустя|о|близько|saat)\s(?:[a-zà-ÿ]+\s)?|\s|^)"
    r"(?:\d{1,2}[:.]\d{2}(?:[:.]\d{2})?\S{0,2}|\d{1,4}(?:[.,]\d+)?\s?(?:s|sec\w*|min\w*|h|hours?|stunden?|uhr|heures?|horas?|ore|uur|uren|godzin\w*|sekund\w*|секунд\w*|минут\w*|час\w*|хвилин\w*|годин\w*|saat\w*|dakika\w*|saniye\w*|시\w*|분\w*|초\w*)(?!\w))"
)
"""A time of day or a length of time, with the word that leads to it."""
_UNSPACED_CLOCK = lazy(
    r"[\d\s:.]+(?:時|点|點|分|秒|時間|日|分钟|小时)[\d分秒半ほどくらいぐらい間でにごろ頃後约左右に後から]*|約|大约|およそ"
)
_TOPIC = lazy(r"は|が|を|也|已")


def _subject(low: str, one: Found, around: Around, left: int) -> int:
    """Where the clause begins whose subject an act has, if only a time stands between a comma and the act
    ("it began at two, and after 41 minutes it was done")."""
    inner = _UNSPACED_CLOCK.sub("", low[left : one.start]).strip(_EDGE + "，。、；：で")
    if len(inner) > 1 and not (len(inner) < 8 and _MANNER.fullmatch(inner)):
        return left
    before = left
    while before > 0 and low[before - 1] in " ,，、":
        before -= 1
    if before == left:
        return left
    return max(around.clause(max(0, before - 1), before, kinds=("breaks",))[0], 0)


_MANNER = lazy(r"(?:正常|問題なく|无事|無事|顺利|順調|成功|すべて|全て|都|后|後|に|地)+")


def _about(sentence: str, low: str, one: Found, around: Around, words: lexicon.Lexicon) -> str | None:
    """What an act speaks of: the words before it in its clause, else those behind it; in the text's own words.
    A time that stands before the act is no part of it."""
    left, right = around.clause(one.start, one.end, kinds=("breaks",))
    if not words.head.spaced:
        earlier = _subject(low, one, around, left)
        if earlier < left:
            topic = _TOPIC.search(low, earlier + 1, left)
            end = topic.start() if topic is not None else left
            clock = _UNSPACED_CLOCK.search(low, earlier, end)
            value = sentence[
                earlier : clock.start() if clock is not None and clock.start() > earlier else end
            ]
            return value.strip(_EDGE + "，。、；：！？的了是在は")[:40] or None
        clock = _UNSPACED_CLOCK.search(low, left, one.start) or _CLOCK.search(low, left, one.start)
        if clock is not None and clock.start() - left >= 2:
            return sentence[left : clock.start()].strip(_EDGE + "，。、；：！？的了是在はが")[:40] or None
        place = (left, one.start) if one.start - left >= 2 else (one.end, right)
        value = sentence[place[0] : place[1]].strip(_EDGE + "，。、；：！？的了是")
        return value[:40] or None
    clock = _CLOCK.search(low, left, one.start)
    if clock is not None:
        span = _span_of_words(low, left, clock.start(), words, before=True)
        if span is not None:
            ahead = low[left : clock.start()].strip(_EDGE).split()
            return None if ahead[:1] and ahead[0] in _PRONOUNS else sentence[span[0] : span[1]]
    for low_at, high_at, before in ((left, one.start, True), (one.end, right, False)):
        span = _span_of_words(low, low_at, high_at, words, before=before)
        if span is not None:
            return sentence[span[0] : span[1]]
    inner = _span_of_words(low, one.start, one.end, words, before=True)
    nouns = [] if inner is None else [
        word.strip(_EDGE) for word in sentence[inner[0] : inner[1]].split()
        if word.strip(_EDGE).lower() not in words.leading
    ]  # fmt: skip
    names = [word for word in nouns if any(char in word for char in "./_-0123456789")]
    return names[0] if names else None


_PRONOUNS = frozenset(
    {"it", "they", "this", "that", "er", "es", "sie", "il", "elle", "ils", "elles", "ça", "ele", "ela", "esso", "essa", "hij",
     "zij", "ze", "het", "ona", "ono", "on", "он", "она", "оно", "они", "він", "вона", "воно", "вони", "bu", "그것은"}
)  # fmt: skip
"""Words that stand for what an earlier sentence names."""


def _folds(text: str, code: str) -> bool:
    """Whether the text is typed without its language's own letters."""
    return code != "en" and text.isascii()


def _undecided(around: Around, words: lexicon.Lexicon, model: str | None) -> list[Found]:
    """What the matcher sees where patterns see nothing, under the same scope."""
    low = around.low
    code = words.head.code
    if not undecided.wakes(low, code):
        return []
    found: list[Found] = []
    for act, start, end in undecided.judge(low, code, model):
        outcome = _outcome(lexicon.Rule(act, "", b"", 0, False), around, start, end)
        if outcome and len(found) < _FOUND:
            found.append(Found(outcome, start, end))
    return _settle(found, around)


def _question(raw: str, low: str, last: bool, role: Role) -> list[Found]:
    """What a question without a known wording is: a person's asks how things stand, a message's last one asks."""
    end = len(low.rstrip())
    if low.rstrip(_TAIL).endswith("?") and (role == "user" or last) and any(char.isalpha() for char in low):
        return [Found("asks_state" if role == "user" else "asks_person", 0, end)]
    return []


def by_patterns(
    raw: str, kind: str, words: lexicon.Lexicon, role: Role, *, last: bool, model: str | None = None
) -> tuple[list[Found], Around]:
    """What the patterns of a lexicon show in one sentence, and what stands around them."""
    low = prepare(raw, words.head.code)
    around = Around(low, words)
    found = find(around, words, role, kind)
    if role == "assistant" and _OPEN.match(raw):
        found = [one for one in found if one.act not in _DESCRIBED]
    elif not found and role == "assistant" and kind != "heading":
        found = _undecided(around, words, model)
    return found or _question(raw, low, last, role), around


def _weighed(raw: str, kind: str, found: list[Found], around: Around, code: str) -> list[Found]:
    """What the patterns show, less what the words speak against, and with what they speak for."""
    trained = classifier.load(code)
    if trained is None or kind == "heading":
        return found
    tokens = classifier.tokens(around.low, trained.spaced)
    if len(tokens) < _FEW or (not found and not trained.wakes(tokens)):
        return found
    shown = frozenset(one.act for one in found)
    acts = trained.acts(tokens, shown, kind)
    more = acts - shown - (_DESCRIBED if _OPEN.match(raw) else frozenset())
    # What stands around is looked up last: most sentences have nothing that it could void.
    if "promises_check" in more and around.spans("offers"):
        more -= {"promises_check"}
    if "claims_success" in more and around.spans("partials"):
        more -= {"claims_success"}
    if "acknowledges_cut_off" in more and around.spared():
        more -= {"acknowledges_cut_off"}
    twice = sum(one.act == "claims_success" for one in found) > 1
    kept = [
        one
        for one in found
        # What is claimed at two places of a sentence was no slip of a pattern.
        if one.sure or one.act in acts or (twice and one.act == "claims_success")
    ]
    added = [Found(act, *trained.shown_by(around.low, act)) for act in sorted(more)]
    added = [
        one
        for one in added
        if not (one.act == "promises_check" and around.premised(one.start))
        and not around.uncut(one.act, one.start, one.end)
        and not (one.act == "admits_unverified" and around.denies_a_cut(one.start, one.end))
    ]
    # Of one stretch of words a pattern knows better what it says.
    return kept + [
        one
        for one in _settle(added, around)
        if not any(_beats(one, other) or _beats(other, one) for other in kept)
    ]


@functools.lru_cache(maxsize=_KEPT)
def _acts(
    raw: str, kind: str, code: str | None, role: Role, *, folded: bool, last: bool, model: str | None
) -> tuple[Act, ...]:
    """The acts of one sentence; places are within it. Remembered, because messages repeat short sentences."""
    if code is None:
        found: list[Found] = []
        _marks(raw, kind, found, role)
        found = found or _question(raw, raw, last, role)
        return tuple(Act(act=one.act, span=(one.start, one.end)) for one in found)
    words = lexicon.load(code, folded)
    found, around = by_patterns(raw, kind, words, role, last=last, model=model)
    if role == "assistant" and not folded:
        found = _weighed(raw, kind, found, around, code)
    found.sort(key=lambda one: (one.start, _ORDER.index(one.act)))
    abouts = [_about(raw, around.low, one, around, words) for one in found]
    for at, one in enumerate(found):
        if abouts[at] is None:
            # "All good: the worker was restarted": what is said first is said of what follows.
            later = (abouts[i] for i in range(at + 1, len(found)) if found[i].act == one.act and abouts[i])
            abouts[at] = next(later, None)
    return tuple(
        Act(act=one.act, span=(one.start, one.end), about=about)
        for one, about in zip(found, abouts, strict=True)
    )


def _sentence(
    text: str, piece: split.Piece, code: str | None, role: Role, *, last: bool, model: str | None
) -> Sentence:
    raw = text[piece.start : piece.end]
    at = piece.start
    acts: tuple[Act, ...] = ()
    if raw and piece.kind not in _SILENT:
        folded = code is not None and _folds(text, code)
        acts = _acts(raw, piece.kind, code, role, folded=folded, last=last, model=model)
    return Sentence(
        text=raw,
        span=(at, piece.end),
        acts=tuple(
            Act(act=one.act, span=(at + one.span[0], at + one.span[1]), about=one.about) for one in acts
        ),
    )


def _any_of(
    text: str, piece: split.Piece, codes: Sequence[str], role: Role, *, last: bool, model: str | None
) -> Sentence:
    """A few words that several languages share ("continue"): the first in which they act."""
    for code in codes:
        sentence = _sentence(text, piece, code, role, last=last, model=model)
        if sentence.acts:
            return sentence
    return _sentence(text, piece, None, role, last=last, model=model)


def read(text: str, role: Role, language: str | None, model: str | None = None) -> Reading:
    """Judge a text; see :func:`sessionlens.language.read`."""
    if not text.strip():
        acts = (Act(act="continuation", span=(0, 0)),) if role == "user" else ()
        return Reading(language=language, sentences=(Sentence(text="", span=(0, 0), acts=acts),))
    given = language
    language = language or detect.detect(text)
    sentences: list[Sentence] = []
    review = False
    same = given is not None or (language is not None and detect.throughout(text, language))
    tied = detect.candidates(text) if language is None and len(text) <= SHORT else ()
    pieces = split.pieces(text)
    for number, piece in enumerate(pieces):
        last = len(pieces) - number <= _OPTIONS and all(
            later.kind == "item" or later.kind in _SILENT for later in pieces[number + 1 :]
        )
        code = language
        if not same and piece.kind not in _SILENT:
            code = detect.of_sentence(text[piece.start : piece.end], language)
        if code is not None and code not in lexicon.codes():
            code = None
        if code is None and tied:
            sentences.append(_any_of(text, piece, tied, role, last=last, model=model))
            continue
        sentence = _sentence(text, piece, code, role, last=last, model=model)
        if role == "assistant" and code is not None and piece.kind in {"prose", "item"}:
            review = _reviews(text, pieces, number, code, review)
            if review and sentence.acts:
                kept = tuple(act for act in sentence.acts if act.act not in _DESCRIBED)
                sentence = Sentence(text=sentence.text, span=sentence.span, acts=kept)
        else:
            review = False
        if role == "assistant" and sentence.acts and _answered(pieces, number, text):
            kept = tuple(act for act in sentence.acts if act.act != "asks_person")
            if len(kept) < len(sentence.acts):
                sentence = Sentence(text=sentence.text, span=sentence.span, acts=kept)
        sentences.append(sentence)
    return Reading(language=language, sentences=tuple(sentences))


def _reviews(text: str, pieces: Sequence[split.Piece], number: int, code: str, before: bool) -> bool:
    """Whether a sentence belongs to a remark of a code review: one that begins with a severity, or what follows it
    in the same entry."""
    piece = pieces[number]
    head = text[piece.start : min(piece.end, piece.start + SHORT)]
    if _REMARK.match(head):
        rules = lexicon.load(code, _folds(text, code)).rules("scope")
        low = prepare(head, code)
        if any(rules.compiled(one).search(low) for one in rules.of("reviews")):
            return True
    if not before:
        return False
    gap = text[pieces[number - 1].end : piece.start] if number else ""
    indented = gap.endswith(("  ", "\t")) and "\n" in gap
    return indented or ("\n" not in gap) or (piece.kind == "item" and gap.endswith("   "))


def _answered(pieces: Sequence[split.Piece], number: int, text: str) -> bool:
    """Whether the next sentence answers a question in a few words, so that nobody is asked."""
    if number + 1 >= len(pieces) or pieces[number + 1].kind != "prose":
        return False
    after = text[pieces[number + 1].start : pieces[number + 1].end]
    return (
        "?" not in after
        and "？" not in after
        and "؟" not in after
        and len(after.split()) <= _ANSWER
        and len(after) <= 10 * _ANSWER
    )


def may_act(text: str) -> bool:
    """Whether any word of the text could show an act; see :func:`sessionlens.language.may_act`."""
    if not text.strip():
        return False
    if len(text) > _SURE:
        return True
    language = detect.detect(text)
    if language is None:
        return any(char in text for char in "✅✔☑❌✖✗✘🔴🎉🟢") or not text.isascii()
    folded = _folds(text, language)
    words = lexicon.load(language, folded)
    low = lower(text.replace("’", "'"), language)
    return (
        words.rules("assistant").any(low)
        or words.rules("user").any(low)
        or any(char in text for char in "✅✔☑❌✖✗✘🔴🎉🟢")
        or (not folded and _wakes(text, language))
    )


def _wakes(text: str, code: str) -> bool:
    trained = classifier.load(code)
    return trained is not None and trained.wakes(classifier.tokens(prepare(text, code), trained.spaced))
