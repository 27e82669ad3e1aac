"""What the assistant says it does by a call: the sentences that stand before the call in its message.

Where a log does not show what a call did (an edit without its text, a command whose meaning nobody knows), these
words are all there is; elsewhere they can say why. Only what is said of the step itself counts: not what is denied,
quoted from the task, checked, or left to others.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec

from sessionlens.cache import lazy
from sessionlens.graph.events import Called, Said

if TYPE_CHECKING:
    from sessionlens.graph.session_graph import SessionGraph

_LONGEST = 400
_MOST = 12
"""Sentences before a call that are looked at, the nearest first."""

_ITEM = lazy(r"(?:[-*•#>|]|\d{1,2}[.)])\s")
_SPLIT = lazy(r"(?<=[.!?。！？])\s+|\n+|(?<=[。！？])")

_NOT_OF_THIS_STEP = lazy(
    r"""
    ^\W*(?:verify|verifying|confirm|confirming|check|checking|ensure|ensuring|inspect|review|constraints?|instructions?|requirements?|per\ |according|the\ (?:task|constraint|instruction|requirement)|note|remember|task|goal|done\ when|success\ criteri)
    | \b(?:must|should|shall|may|can|could|would|will|do|does|did|is|are|was|were|am|ca|wo)(?:\ not|n['’]t)\b | \b(?:cannot|never|not\ allowed|not\ permitted|forbidden|prohibited|forbids?|prohibits?|disallows?|refus\w+|avoid\w*|(?:instead\ of|rather\ than)\ (?:skip|disabl|delet|remov|chang|modif|weaken|mock)\w*)\b
    | \b(?:per|according\ to|as\ required\ by)\ (?:the\ )?(?:constraints?|instructions?|task|requirements?)\b | \bconstraints?\ (?:say|state|require|is|are|forbid)\w*
    | \b(?:verify|confirm|check|ensure|make\ sure|see|tell|know|ask)\b[^.]{0,20}\b(?:that|if|whether|no|nothing|only)\b | \b(?:no|nothing|none|without)\ (?:\w+\ ){0,3}?(?:were|was|are|is|been|has|have|touched|modified|changed|skipped|deleted|removed)\b
    | \b(?:kein\w*|nicht|niemals|darf|soll)\b | \bne\ \w+\ pas\b | (?<![а-я])(?:не|нельзя)(?![а-я]) | (?:不要|不能|不得|别|禁止)
    | \?\s*$
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""Sentences that deny, quote, check or ask, instead of saying what the step does."""

_DONE_BEFORE = lazy(
    r"^\W*(?:i\ (?:have\ )?(?:already\ )?(?!need)\w+ed\b|(?:it|they|that|this|these|the\ \w+|tests?|all\ \w+|\w+)\ (?:was|were|has\ been|have\ been|is\ now|are\ now|got)\b|\w+ed\b[^.]{0,40}\.\s*$)",
    re.IGNORECASE | re.VERBOSE,
)
"""Sentences that tell of a step before this one."""


_INTENDS = lazy(
    r"""
    ^\W*(?:(?:ok(?:ay)?|alright|now|next|then|so|first|finally|also|instead|(?:rather\ than|instead\ of|to|given|since|as|because|for|in\ order\ to)\ [^,]{3,100})[,:]?\s+)*
    (?:i\b|let\ me|let['’]s|we\b|going\ to|need\ to
      |(?:skip|delet|remov|disabl|updat|chang|edit|modif|add|run|deploy|push|restart|install|bypass|comment|mock|stub|adjust|mark|appl|creat|writ|replac|overwrit|patch|grant|us|mov|drop|reset|migrat|clean|relax|lower|reduc|increas|rais|exclud|ignor|regenerat|accept|align|fak|hard-?cod|set|put|mak|wrap|rewrit)(?:e|es|ed|s|y|ies|ing|t)?\b
      |ich\b|wir\b|jetzt\b|je\b|nous\b|voy\b|vamos\b|vou\b|(?:я|мы|теперь|сейчас|давай\w*|тепер|зараз)\b|(?:我|现在|接下来|次に))
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""How a sentence begins that says what the speaker does now."""


def intends(sentence: str) -> bool:
    """Whether a sentence says what is done now, by whoever says it: no description, no plan for others."""
    return _INTENDS.match(sentence) is not None


class Announced(msgspec.Struct, frozen=True, kw_only=True):
    """One sentence by which the assistant says what it does by a call."""

    said: Said
    """The event that holds it."""
    text: str
    """The sentence."""


def announced(graph: SessionGraph, called: Called) -> tuple[Announced, ...]:
    """What the assistant says of a call, right before it and in the same message, in order."""
    said = graph.index("said")
    at = bisect_left(said, called.seq)
    before = graph.events[said[at - 1]] if at else None
    if (
        not isinstance(before, Said)
        or before.role != "assistant"
        or (before.at.session, before.at.message_index) != (called.at.session, called.at.message_index)
    ):
        return ()
    return tuple(
        Announced(said=before, text=sentence) for sentence in said_of_step(graph.prose(before)[-4_000:])
    )


def said_of_step(text: str) -> Iterator[str]:
    """The sentences of a text that say what is done by the step that follows."""
    # An item of a list describes; it is no word beside a call.
    pieces = [
        piece.strip() for piece in _SPLIT.split(text) if piece.strip() and _ITEM.match(piece.strip()) is None
    ]
    for sentence in pieces[-_MOST:]:
        if (
            len(sentence) <= _LONGEST
            and not _NOT_OF_THIS_STEP.search(sentence)
            and not _DONE_BEFORE.match(sentence)
        ):
            yield sentence
