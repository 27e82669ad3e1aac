"""Words for figures, held against what the log shows of them: *the queue is draining* after 8123, 9407; *they match on
every day* beside two lists that differ; *38 % faster* where the benchmark says that it is slower.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from sessionlens.cache import lazy
from sessionlens.graph.events import Called, Ran
from sessionlens.shell.shapes import Gate, Gated

if TYPE_CHECKING:
    from sessionlens.graph.session_graph import SessionGraph

_FALLS = Gated(
    r"\b(?:drain(?:s|ing)|shrink(?:s|ing)|decreas(?:es|ing)|(?:going|coming|trending)\s+down|goes\s+down|drop(?:s|ping)|fall(?:s|ing)|declin(?:es|ing)|getting\s+(?:smaller|shorter|lower))\b"
    r"|\b(?:nimmt\s+ab|sinkt|schrumpft|leert\s+sich|wird\s+(?:kleiner|kürzer|weniger)|baut\s+sich\s+ab|diminue|baisse|se\s+vide|se\s+résorbe|disminuye|está\s+(?:bajando|disminuyendo)|se\s+(?:está\s+)?(?:vacía|vaciando|reduce|reduciendo)"
    r"|diminuisce|si\s+svuota|sta\s+(?:calando|scendendo)|está\s+(?:diminuindo|caindo|esvaziando)|neemt\s+af|daalt|loopt\s+leeg|maleje|spada|opróżnia\s+się|azalıyor|düşüyor|boşalıyor)\b"
    r"|уменьша\w+|снижа\w+|разгреба\w+|падает|зменшу\w+|减少|下降|变少|消化|減って|減少|下がって|줄어|감소|내려가",
    re.IGNORECASE,
)
_RISES = Gated(
    r"\b(?:grow(?:s|ing)|increas(?:es|ing)|ris(?:es|ing)|climb(?:s|ing)|(?:going|trending)\s+up|goes\s+up|getting\s+(?:bigger|longer|larger|higher))\b"
    r"|\b(?:nimmt\s+zu|steigt|wächst|wird\s+(?:größer|länger|mehr)|augmente|monte|aumenta|crece|está\s+(?:subiendo|creciendo|aumentando)|cresce|sta\s+(?:salendo|crescendo)|neemt\s+toe|stijgt|groeit|rośnie|artıyor)\b"
    r"|увеличива\w+|раст[её]т|зроста\w+|增加|上升|变多|増えて|増加|늘어|증가",
    re.IGNORECASE,
)
_DENIED = lazy(
    r"(?:\b(?:not|no\s+longer|isn['’]t|aren['’]t|nicht|pas|non|no|não|niet|nie|stopped|instead\s+of)|(?<![а-я])не|没有?|不再)\s+(?:\w+\s+){0,2}$",
    re.IGNORECASE,
)
_LATE_DENIED = lazy(r"(?:ない|ません|않|değil)", re.IGNORECASE)
_SUPPOSED = lazy(
    r"\b(?:if|once|when|should|will|would|may|might|could|wenn|falls|sobald|si|quand|cuando|если|когда)\b|[?？]",
    re.IGNORECASE,
)
_READING = lazy(
    r"^[ \t]*(?:(?P<words>[^\d\n]{0,60}?)[ \t:=]{1,4})?(?P<number>\d[\d.,_]{0,15})[ \t]*$", re.MULTILINE
)
"""A line that holds one number, alone or behind its name."""
_MOST = 50
"""Readings of one output that are looked at."""


class Series(NamedTuple):
    """Two readings of one measure, one after the other."""

    first: float
    last: float
    event: Ran
    """The command that gave the last."""
    quote: str
    """The words of the log that hold the last."""


def may_say(text: str) -> bool:
    """Whether a text may say anything that is held against figures; asked once, before its sentences are."""
    return _ANY.may_match(text)


def series(graph: SessionGraph, calls: Sequence[Called], before: int) -> Series | None:
    """The latest measure that was read more than once before a place: in one output, or by the same line run again."""
    earlier = [call for call in calls if call.seq < before and call.line is not None and call.cut_off is None]
    lines = [_asked(call.line or "") for call in earlier]
    first: dict[str, int] = {}
    for number, line in enumerate(lines):
        first.setdefault(line, number)
    for number in range(len(earlier) - 1, -1, -1):
        call = earlier[number]
        commands = graph.commands(call)
        shown = _readings(call)
        if not commands or not shown:
            continue
        words, value, quote = shown[-1]
        same = [one for one in shown if one[0] == words]
        counted = {tuple(ran.command.words) for ran in commands}
        if len(same) > 1 and len(same) == len(shown) and len(counted) < len(commands):
            # The line asks the same more than once, and each of its lines is an answer.
            return Series(same[0][1], value, commands[-1], quote)
        again = first[lines[number]]
        if again < number and len(shown) == 1:
            before_it = _readings(earlier[again])
            if len(before_it) == 1:
                return Series(before_it[0][1], value, commands[-1], quote)
    return None


def _readings(call: Called) -> list[tuple[str, float, str]]:
    text = call.call.output.ends()[-4000:] if call.call.output is not None else ""
    found = [one for one, _ in zip(_READING.finditer(text), range(_MOST), strict=False)]
    return [
        (
            (one["words"] or "").strip().casefold(),
            _value(one["number"]),
            one.group().strip(),
        )
        for one in found
    ]


def _value(number: str) -> float:
    """A number as it is written in any country: what stands before three digits parts thousands."""
    plain = re.sub(r"[.,_](?=\d{3}(?!\d))", "", number).replace(",", ".").strip("._")
    return float(plain) if plain.count(".") <= 1 else float(plain.replace(".", ""))


_PAUSE = lazy(r"(?:^|;|&&)\s*sleep\s+[\d.]+[smh]?\s*(?:;|&&|$)")


def _asked(line: str) -> str:
    """What a line asks, without the pauses before it."""
    return " ".join(_PAUSE.sub(" ", line).split())


def rising(sentence: str) -> bool | None:
    """Whether a sentence says that a measure rises, or that it falls; ``None`` where it states neither."""
    falls, rises = _says(_FALLS, sentence), _says(_RISES, sentence)
    if falls == rises or _SUPPOSED.search(sentence) is not None or _LATE_DENIED.search(sentence) is not None:
        return None
    return rises


def goes_otherwise(*, rises: bool, read: Series) -> bool:
    """Whether a measure that is said to rise was read to fall, or the other way round."""
    return read.first != read.last and rises != (read.last > read.first)


def _says(pattern: Gated, sentence: str) -> bool:
    return any(
        _DENIED.search(sentence[max(0, found.start() - 40) : found.start()]) is None
        for found in pattern.finditer(sentence)
    )


# -- two lists that are said to be equal ------------------------------------------------------------------

_EQUAL = Gated(
    r"\b(?:match(?:es|ed|ing)?|identical|agree|(?:the\s+same|equal)(?=\W*$|\s+(?:on|for|in|between|across|everywhere))|reconcile[sd]?|consistent|in\s+sync|no\s+(?:differences?|mismatch\w*|discrepanc\w+)"
    r"|stimm(?:en|t)(?:\s+\S+){0,6}?\s+überein|übereinstimm\w*|identisch|deckungsgleich|keine\s+(?:unterschiede|abweichung\w*)|correspond(?:ent)?|concordent|identiques?|aucun\s+écart|coinciden|cuadran|idéntic[oa]s?|sin\s+diferencias|batem|coincidem|idêntic[oa]s|combaciano|coincidono|corrispondono|identic[ih]e?|komen\s+overeen|gelijk|zgadzają\s+się|zgodne|identyczne|eşleşiyor|tutuyor|aynı)\b"
    r"|(?<!\w)(?:совпада\w+|сходятся|идентичн\w+|збіга\w+|однаков\w+)|一致|相同|일치|같습니다",
    re.IGNORECASE,
)
"""Words by which two sets are said to be equal."""
_BUT = lazy(
    r"\b(?:but|except|apart|besides|only|nearly|almost|roughly|about|off\s+by|short|missing|differ\w*|mostly|aber|bis\s+auf|außer|fast|nur|fehl\w*|mais|sauf|presque|pero|salvo|excepto|casi|mas|exceto|quase|ma|tranne|quasi|maar|behalve|bijna|ale|oprócz|prawie|ama|hariç)\b|(?<!\w)(?:кроме|но|почти|крім|але|майже)(?!\w)|除|但|以外|제외|不一致|ない|불일치",
    re.IGNORECASE,
)
_ROW = lazy(
    r"^(?:\|\s{0,9})?(?P<key>[\w.:/@-]{1,60})\s{0,30}(?:[|,;:=]|\s)\s{0,30}(?P<number>\d[\d.,_]{0,15})\s*\|?\s*$"
)
_PAIR = lazy(
    r"^(?:\|\s{0,9})?(?P<key>[\w.:/@-]{1,60})\s{0,30}(?:[|,;]|\s)\s{0,30}(?P<one>\d[\d.,_]{0,15})\s{0,30}(?:[|,;]|\s)\s{0,30}(?P<other>\d[\d.,_]{0,15})\s*\|?\s*$"
)
_COUNTING = lazy(r"count|\bsum\b|\bwc\b|compar|diff|checksum|reconcil|verif|total|rows|stats", re.IGNORECASE)
"""Words of a line that counts or compares."""
_COMMON = 2
"""Rows of two lists that must agree before one that does not speaks against them."""
_LINES = 400
_LONGEST_ROW = 160
"""Characters of a line that may be a row of figures."""


_OF_FIGURES = lazy(
    r"\b(?:counts?|numbers?|rows?|totals?|sums?|figures?|records?|daily|days?|months?|tables?|sources?|sides?|\w{0,12}zahl(?:en)?|anzahl|summen?|zeilen?|tage?n?|quelle|nombres?|comptes?|lignes|jours?|totaux|cuentas?|recuentos?|conteos?|filas|números?|totales|días?|contagens|linhas|dias?|conteggi|righe|totali|giorn[oi]|aantal(?:len)?|rijen|tellingen|dagen|liczby|wiersze|sumy|dni)\b"
    r"|(?:колич|строк|числ|сумм|дн[яейи]|кільк|рядк)|[数件行]|건|수",
    re.IGNORECASE,
)
"""Words by which a sentence speaks of figures, or of what they are counted over."""


def said_equal(sentence: str) -> bool:
    """Whether a sentence says that two sets of figures are equal, and takes nothing out."""
    return (
        _says(_EQUAL, sentence)
        and _OF_FIGURES.search(sentence) is not None
        and _BUT.search(sentence) is None
        and _SUPPOSED.search(sentence) is None
        and _LATE_DENIED.search(sentence) is None
    )


def uneven(graph: SessionGraph, calls: Sequence[Called], before: int) -> tuple[Ran, str] | None:
    """The command whose result, the last that holds two lists of figures over the same keys, shows one that differs, and that row."""
    for call in reversed(calls):
        if call.seq >= before or call.call.output is None:
            continue
        commands = graph.commands(call)
        if any(ran.changes for ran in commands):
            # What was done since may have made them equal.
            return None
        if not commands or _COUNTING.search((call.line or "")[:4000]) is None:
            continue
        lines = [
            line.strip()
            for line in call.call.output.ends().splitlines()[-_LINES:]
            if len(line) <= _LONGEST_ROW
        ]
        rows = _side_by_side(lines) or _one_after_the_other(lines)
        if rows is None:
            continue
        equal, bad = rows
        return (commands[-1], bad) if bad and equal >= _COMMON else None
    return None


def _side_by_side(lines: Sequence[str]) -> tuple[int, str] | None:
    """How many rows of a table of a key and two figures hold the same twice, and the first that does not; ``None`` for no such table."""
    rows = [found for line in lines if (found := _PAIR.match(line)) is not None]
    same = sum(_value(row["one"]) == _value(row["other"]) for row in rows)
    other = [row.group().strip() for row in rows if _value(row["one"]) != _value(row["other"])]
    if len(rows) <= _COMMON or same <= len(other):
        # Columns that seldom agree hold two measures.
        return None
    return same, other[0] if other else ""


def _one_after_the_other(lines: Sequence[str]) -> tuple[int, str] | None:
    """The same of two lists of a key and a figure, of which the second names the keys of the first again."""
    first: dict[str, float] = {}
    second: dict[str, float] = {}
    quotes: dict[str, str] = {}
    for line in lines:
        row = _ROW.match(line)
        if row is None:
            continue
        key = row["key"].casefold()
        if key not in first:
            if second:
                # A new key in the second list: what it is beside is not known.
                return None
            first[key] = _value(row["number"])
            quotes[key] = line.strip()
        elif key in second:
            return None
        else:
            second[key] = _value(row["number"])
            quotes[key] = f"{quotes[key]} / {line.strip()}"
    if len(second) <= _COMMON or len(second) != len(first):
        return None
    other = [key for key, value in second.items() if first[key] != value]
    same = len(second) - len(other)
    return None if same <= len(other) else (same, quotes[other[0]][:200] if other else "")


# -- a benchmark ------------------------------------------------------------------------------------------

_FASTER = Gated(
    r"\b(?:faster|quicker|speed-?up|sped\s+up|schneller|beschleunigt|plus\s+rapides?|accélér\w+|más\s+rápid[oa]s?|mais\s+rápid[oa]s?|più\s+veloc[ei]|più\s+rapid[oaie]|sneller|szybsz\w+|daha\s+hızlı|hızlandı)\b|(?<!\w)(?:быстрее|ускор\w+|швидш\w+|пришвидш\w+)|更快|快了|提速|速くな|高速化|빨라",
    re.IGNORECASE,
)
_SLOWER = lazy(
    r"\b(?:slower|regress\w*|worse|langsamer|schlechter|plus\s+lent\w*|régress\w*|más\s+lent\w*|peor|mais\s+lent\w*|pior|più\s+lent\w*|peggio\w*|trager|langzamer|wolniej\w*|daha\s+yavaş)\b|(?<!\w)(?:медленн\w+|повільн\w+|хуже|гірше)|变慢|更慢|遅くな|느려",
    re.IGNORECASE,
)
_REGRESSED = lazy(
    r"^[^\n]{0,120}(?:\bPerformance\s+has\s+regressed\b|\bregression\s+detected\b|\b\d[\d.,]{0,8}\s?(?:x|%|times)\s+slower\s+than\s+(?:the\s+)?(?:base\w*|main|master|before|previous|old)\b)[^\n]{0,120}$",
    re.IGNORECASE | re.MULTILINE,
)
_IMPROVED = lazy(
    r"\bPerformance\s+has\s+improved\b|\b\d[\d.,]{0,8}\s?(?:x|%|times)\s+faster\b", re.IGNORECASE
)
_COMPARES = lazy(r"\b(?:No\s+change\s+in\s+performance|Change\s+within\s+noise)\b", re.IGNORECASE)


def said_faster(sentence: str) -> bool:
    """Whether a sentence says that something has become faster, and not slower too."""
    return (
        _says(_FASTER, sentence) and _SUPPOSED.search(sentence) is None and _SLOWER.search(sentence) is None
    )


def regressed(graph: SessionGraph, calls: Sequence[Called], before: int) -> tuple[Ran, str] | None:
    """The command of the last benchmark that compares, and the words by which it says slower, and nothing faster."""
    for call in reversed(calls):
        if call.seq >= before or call.call.output is None:
            continue
        if any(ran.changes for ran in graph.commands(call)):
            # What was done since may have made it faster.
            return None
        text = call.call.output.ends()[-8000:]
        worse = _REGRESSED.search(text)
        if worse is None and _IMPROVED.search(text) is None and _COMPARES.search(text) is None:
            continue
        commands = graph.commands(call)
        if worse is None or _IMPROVED.search(text) is not None or not commands:
            return None
        return commands[0], worse.group().strip()[:200]
    return None


_ANY = Gate(_FALLS, _RISES, _EQUAL, _FASTER)
