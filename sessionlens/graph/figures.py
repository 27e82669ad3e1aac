"""Words for where a measure goes, held against what the log shows of it: *the queue is draining* after 8123, 9407."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from sessionlens.cache import lazy
from sessionlens.graph.events import Called, Ran

if TYPE_CHECKING:
    from sessionlens.graph.session_graph import SessionGraph

_FALLS = lazy(
    r"\b(?:drain(?:s|ing)|shrink(?:s|ing)|decreas(?:es|ing)|(?:going|coming|trending)\s+down|goes\s+down|drop(?:s|ping)|fall(?:s|ing)|declin(?:es|ing)|getting\s+(?:smaller|shorter|lower))\b"
    r"|\b(?:nimmt\s+ab|sinkt|schrumpft|leert\s+sich|wird\s+(?:kleiner|kürzer|weniger)|baut\s+sich\s+ab|diminue|baisse|se\s+vide|se\s+résorbe|disminuye|está\s+(?:bajando|disminuyendo)|se\s+(?:está\s+)?(?:vacía|vaciando|reduce|reduciendo)"
    r"|diminuisce|si\s+svuota|sta\s+(?:calando|scendendo)|está\s+(?:diminuindo|caindo|esvaziando)|neemt\s+af|daalt|loopt\s+leeg|maleje|spada|opróżnia\s+się|azalıyor|düşüyor|boşalıyor)\b"
    r"|уменьша\w+|снижа\w+|разгреба\w+|падает|зменшу\w+|减少|下降|变少|消化|減って|減少|下がって|줄어|감소|내려가",
    re.IGNORECASE,
)
_RISES = lazy(
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


def _says(pattern: re.Pattern[str], sentence: str) -> bool:
    return any(
        _DENIED.search(sentence[max(0, found.start() - 40) : found.start()]) is None
        for found in pattern.finditer(sentence)
    )
