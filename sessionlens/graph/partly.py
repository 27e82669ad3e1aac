"""Whether words say that a success is one of a part: ``on node1 and node2 only``, ``two of three``, ``n'a atteint que``.

Such words are an honest report of what was not reached, in any language, also where they state success.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sessionlens.cache import lazy
from sessionlens.graph.constraints import sentences
from sessionlens.graph.events import Ran
from sessionlens.graph.mentions import mentioned
from sessionlens.targets import Target

if TYPE_CHECKING:
    from sessionlens.graph.session_graph import SessionGraph

_ONLY = lazy(
    r"\b(?:only|just|merely|solely|so\s+far|nur|lediglich|blo(?:ß|ss)|bislang|bisher|seulement|uniquement|s[oó]lo|solamente|[uú]nicamente|somente|apenas|s[oó]"
    r"|soltanto|alleen|slechts|enkel|tylko|jedynie|bara|endast|kun|yaln[ıi]zca|sadece|vain|csak|jen|pouze|numai|doar)\b"
    r"|\b(?:ne\s|n['’])[^.;!?\n]{1,60}?\bqu(?:e\b|['’])|(?<!\w)(?:только|лишь|тільки|лише)(?!\w)|[只仅僅]|だけ|のみ|しか|만\s",
    re.IGNORECASE,
)
"""Words that restrict what is said to what they stand by."""
_BUT = lazy(
    r"\b(?:all\s+but|except(?:\s+for)?|apart\s+from|other\s+than|with\s+the\s+exception|bis\s+auf|außer|ausgenommen|sauf|hormis|excepté\w*|exception|salvo|excepto|exceto|menos|tranne"
    r"|eccetto|behalve|uitgezonderd|oprócz|wyjątkiem|utom|undtagen|hariç|dışında|kivéve|kromě)\b|(?<!\w)(?:кроме|крім|исключением|винятком)(?!\w)|除了|以外|除く|を除|제외"
    r"|\b(?:is|are|still)\s+(?:left|missing|outstanding|pending|to\s+do|open)\b|\b(?:fehlt|fehlen|steht\s+noch\s+aus|stehen\s+noch\s+aus|noch\s+offen|bleibt|bleiben)\b|\b(?:reste|restent|manque|manquent)\b"
    r"|\b(?:falta|faltan|faltam|queda|quedan|manca|mancano|resta|ontbreekt|ontbreken|brakuje)\b|(?<!\w)(?:оста[её]тся|остались|бракує|залишилось)(?!\w)",
    re.IGNORECASE,
)
"""Words that take something out of what is said, or say that it is still to come."""
_NUMBERS = {
    word: number
    for number, words in enumerate(
        (
            "zero none null keiner",
            "one ein eine einer einem einen eins un une uno una um uma één een jeden jedna один одна одну bir",
            "two zwei zweien deux dos due dois duas twee dwa dwie dwóch два две двух iki två",
            "three drei dreien trois tres tre três drie trzy trzech три трёх трех üç",
            "four vier vieren quatre cuatro quattro quatro cztery czterech четыре четырёх dört fyra fire",
            "five fünf cinq cinco cinque vijf pięć пять пяти beş fem",
            "six sechs seis sei zes sześć шесть altı sex seks",
            "seven sieben sept siete sette sete zeven siedem семь yedi sju syv",
            "eight acht huit ocho otto oito osiem восемь sekiz åtta otte",
            "nine neun neuf nueve nove negen dziewięć девять dokuz nio ni",
            "ten zehn dix diez dieci dez tien dziesięć десять tio",
            "eleven elf onze once undici jedenaście",
            "twelve zwölf douze doce dodici doze twaalf dwanaście",
        )
    )
    for word in words.split()
}
_NUMBER = r"\d{1,9}|" + "|".join(sorted(_NUMBERS, key=lambda word: (-len(word), word)))
_SHARE = lazy(
    rf"(?<![\w.,/-])(?P<part>{_NUMBER})(?:\s+(?:[^\W\d_]{{1,20}}\s+){{0,2}})?\s?(?:/|of|out\s+of|von|sur|de|di|van|z|ze|из|з|av|af|su)\s?"
    rf"(?:(?:the|all|den|der|insgesamt|les|los|las|dos|das|i|gli|tutti|todos|de)\s+){{0,2}}(?P<whole>{_NUMBER})(?![\w.,/-])",
    re.IGNORECASE,
)
"""A part and its whole: ``2/3``, ``two of the three``, ``deux hôtes sur trois``."""


def tells_part(graph: SessionGraph, text: str, failed: Target) -> bool:
    """Whether a text says that only a part was done, and that what failed is the rest of it.

    :param failed: what a result shows bad. A text that names it as well done does not count: ``only`` may stand
        there for anything.
    """
    return any(_of_part(graph, sentence, failed) for sentence in sentences(text[:_LONG]))


_LONG = 4_000
"""Characters of a text that are read."""


def shares(text: str) -> bool:
    """Whether a text counts a part of a whole, some of which is missing."""
    for found in _SHARE.finditer(text[:_LONG]):
        part, whole = (_value(found[name]) for name in ("part", "whole"))
        if part < whole:
            return True
    return False


def _value(word: str) -> int:
    return int(word) if word.isdecimal() else _NUMBERS[word.casefold()]


def _of_part(graph: SessionGraph, sentence: str, failed: Target) -> bool:
    if shares(sentence):
        return True
    ours, others = _words_for(graph, failed)
    if _BUT.search(sentence) is not None:
        return mentioned(sentence, ours)
    return (
        _ONLY.search(sentence) is not None and mentioned(sentence, others) and not mentioned(sentence, ours)
    )


def _words_for(graph: SessionGraph, failed: Target) -> tuple[frozenset[str], frozenset[str]]:
    """How prose tells the failed thing from the others: by its place where the same was done in several, else by name."""
    places: set[str] = set()
    names: set[str] = set()
    here = places_of(failed)
    for seq in graph.index("ran")[-_MOST:]:
        ran = graph.events[seq]
        if not isinstance(ran, Ran):
            continue
        places |= places_of(ran.command.target)
        if ran.command.target.name and ran.command.target != failed:
            names |= graph.names_of(ran.command.target)
    by_place = frozenset(places - here)
    if here and by_place:
        return here, by_place
    # What one command did in several places is told by the places that its output names.
    own = graph.names_of(failed)
    well, ill = _recap(graph, failed)
    return (frozenset(ill), frozenset(well)) if well else (own | frozenset(ill), frozenset(names - own))


_RECAP = lazy(
    r"^(?P<host>[\w.-]{1,80})\s+:\s+ok=\d+.{0,60}?unreachable=(?P<lost>\d+)\s+failed=(?P<failed>\d+)",
    re.MULTILINE,
)
"""A line of what Ansible says at the end of each host."""


def _recap(graph: SessionGraph, failed: Target) -> tuple[set[str], set[str]]:
    """The hosts that the latest result on a target names as done, and as failed."""
    well: set[str] = set()
    ill: set[str] = set()
    for seq in reversed(graph.index("ran")[-_MOST:]):
        ran = graph.events[seq]
        output = ran.call.call.output if isinstance(ran, Ran) and ran.command.target == failed else None
        if output is None:
            continue
        for found in _RECAP.finditer(output.ends()):
            bad = found["lost"] != "0" or found["failed"] != "0"
            (ill if bad else well).update(places_of(Target(kind="host", name=found["host"])))
        if well or ill:
            break
    return well, ill


_MOST = 2_000
"""Commands whose targets a text may name."""
_NUMBERED = lazy(r"[\d.:\[\]a-f]+")


def places_of(target: Target) -> frozenset[str]:
    """How prose names where a target is: its host, also without the domain, its namespace, its context."""
    host = target.host or (target.name if target.kind == "host" else "")
    named = {place.casefold() for place in (host, target.namespace, target.context) if place}
    short = {place.split(".", 1)[0] for place in named if not _NUMBERED.fullmatch(place)}
    return frozenset(named | short)
