"""Words that leave an outcome open and that no act of speech stands for: a thing that may be half up, a view that was lost.

They tell the reader what an acknowledgement tells (CONTRACT §1 *acknowledge*).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from sessionlens.cache import lazy
from sessionlens.language.acts import Act, Sentence

_UNSURE = lazy(
    r"\b(?:might|may|could)\s+(?:well\s+|now\s+|still\s+|also\s+)?be\s+(?:only\s+|left\s+)?(?:half|partly|partially|mid\b|hung|stuck|in\s+(?:an?\s+)?(?:\w+\s+)?state)"
    r"|\b(?:probably|possibly|perhaps|maybe)\s+(?:only\s+)?(?:half|partly|partially)\b"
    r"|\blost\s+(?:sight|track|view|contact|touch)\s+(?:of|with)\b|\b(?:stopped|quit|gave\s+up)\s+(?:watching|waiting|looking|following|polling)\b"
    r"|\bstill\s+(?:running|going|starting|restarting|rebooting|booting|deploying|rolling|coming\s+up|loading|pending|in\s+progress|under\s+way|underway)\s+(?:when|as|at\s+the\s+time)\b"
    r"|\b(?:womöglich|vielleicht|möglicherweise|eventuell|unter\s+Umständen)\b[^.;\n]{0,30}?\b(?:halb|teilweise)|\baus\s+den\s+Augen\s+verloren\b|\blief\s+noch,?\s+als\b"
    r"|\b(?:peut-être|sans\s+doute)\b[^.;\n]{0,30}?à\s+moitié|\bperdu\s+de\s+vue\b|\b(?:tournait|était)\s+encore\b[^.;\n]{0,30}?\bquand\b"
    r"|\b(?:quiz[aá]s?|tal\s+vez|puede\s+que|podría)\b[^.;\n]{0,30}?\ba\s+medi(?:as|o)\b|\b(?:perdí|perdido)\s+de\s+vista\b|\bseguía\b[^.;\n]{0,30}?\bcuando\b"
    r"|\b(?:talvez|pode)\b[^.;\n]{0,30}?\b(?:pela\s+metade|meio)\b|\bperdi\s+de\s+vista\b|\b(?:forse|potrebbe)\b[^.;\n]{0,30}?\ba\s+metà\b|\bperso\s+di\s+vista\b"
    r"|\bmisschien\b[^.;\n]{0,30}?\bhalf\b|\buit\s+het\s+oog\s+verloren\b|(?<!\w)(?:возможно|может\s+быть)[^.;\n]{0,30}?(?:наполовину|частично)|(?<!\w)упустил\w*\s+из\s+вид",
    re.IGNORECASE,
)
_TO_COME = lazy(
    r"\b(?:is|are|was|were|been|now)\s+(?:now\s+)?(?:scheduled|queued|planned|timed|set)\s+(?:for|to|at|in)\b|\b(?:scheduled|queued)\s+(?:for|to|at|in)\b|\bwill\s+(?:reboot|restart|go\s+down|come\s+(?:back|up))\b"
    r"|\b(?:geplant|angesetzt|terminiert|eingeplant)\b|\b(?:planifié|programmé|prévu)e?s?\s+(?:pour|à|dans)\b|\b(?:programad|planificad|agendad)[oa]s?\s+para\b"
    r"|\b(?:programmat|pianificat)[oaie]\s+(?:per|alle)\b|\bgepland\b|\bzaplanowan\w+|(?<!\w)запланирован\w*|安排在|计划|予定|예약",
    re.IGNORECASE,
)
_CUT = lazy(
    r"\b(?:is|are|was|were|keeps?|kept|still)\s+timing\s+out\b|\b(?:cut\s+off|timed\s+out|cut\s+short)\s+(?:at|after|with|by|during|before|mid\w*)\b|\b(?:wurden?|worden|ist|sind)\s+(?:\w+\s+){0,2}abgebrochen\b|\bliep(?:en)?\s+(?:in|tegen)\s+(?:de|het|een)\s+(?:time-?out|tijdslimiet|limiet)|\bvypršel\w*|\bpřerušen\w*|\bprerušen\w*|\bavbr(?:öts|utet|utna|ytet|utt)\b|\bafbrudt\w*"
    r"|\bkeskey(?:tyi|tetty)\w*|\baikakatkais\w*|\bmegszakad\w*|\bidőtúllép\w*|\bîntrerupt\w*|\ba\s+expirat\b|\bistek(?:l|ao)\w*|\bprekinut\w*|(?<!\w)прекъсна\w*",
    re.IGNORECASE,
)
"""A thing that was cut off, in languages and short forms that no act of speech stands for."""
_DENIED = lazy(
    r"\b(?:not|never|no\s+longer|n['’]t|nicht|kein\w*|pas|jamais|no|não|non|niet)\s+(?:\w+\s+){0,2}$",
    re.IGNORECASE,
)


def open_acts(prose: str, sentence: Sentence, *, scheduled: bool) -> Iterator[Act]:
    """What a sentence leaves open beside its acts; ``scheduled`` says that what is open was put off to a later time."""
    start, stop = sentence.span
    for act, (first, last) in _found(prose[start:stop]):
        if act != "reports_in_progress" or scheduled:
            yield Act(act=act, span=(start + first, start + last))


@lru_cache(maxsize=4096)
def _found(text: str) -> tuple[tuple[str, tuple[int, int]], ...]:
    """The acts of a sentence, each with its span: the same sentence is held against one operation after the other."""
    found = []
    for pattern, act in (
        (_UNSURE, "admits_unverified"),
        (_CUT, "acknowledges_cut_off"),
        (_TO_COME, "reports_in_progress"),
    ):
        match = pattern.search(text)
        if match is not None and _DENIED.search(text[max(0, match.start() - 30) : match.start()]) is None:
            found.append((act, match.span()))
    return tuple(found)
