"""What a user message without words is read as, and which answers write down the state of the work.

The log of a client that marks what it sends itself says what an empty message is. Where it does not, the answer to it
is a clue: a structured summary of the whole work is what clients ask for when they compact a conversation.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

import msgspec

from sessionlens.cache import lazy
from sessionlens.graph.events import Said
from sessionlens.model import Compaction, File, Message, Subtask, TextPart
from sessionlens.targets import Confidence

if TYPE_CHECKING:
    from sessionlens.graph.session_graph import SessionGraph

Kind = Literal["compaction", "subtask", "attachment", "client_text", "continuation", "unread"]

LEAST_CHARACTERS = 900
"""A text below this is no summary of a whole work."""
LEAST_HEADINGS = 3

_HEADING = lazy(
    r"^[ \t]{0,3}(?:#{1,6}[ \t]+(?P<hash>[^\n]{2,80})|\*\*(?P<bold>[^*\n]{2,80})\*\*:?[ \t]*"
    r"|(?:\d{1,2}[.)][ \t]+)(?:\*\*)?(?P<number>[A-Z][^\n*.,:;()`]{2,40})(?:\*\*)?:[ \t]*)$",
    re.MULTILINE,
)
_LONGEST_HEADING = 7
"""Words of the longest heading of this sort."""
_OF_STATE: tuple[re.Pattern[str], ...] = tuple(
    lazy(rf"\b(?:{words})\b|{more}" if more else rf"\b(?:{words})\b", re.IGNORECASE)
    for words, more in (
        (
            "goals?|objectives?|primary request(?: and intent)?|task|mission|ziele?|objetivos?|objectif|doel",
            "目标|目的|目標|цел[ьи]",
        ),
        (
            "instructions?|constraints?|user (?:messages?|requests?|preferences)|rules|anweisungen|instrucciones|consignes",
            "指示|инструкци",
        ),
        (
            "discover\\w*|findings?|learn\\w*|insights?|key (?:technical )?(?:concepts?|facts?|decisions?)|context|background|kontext"
            "|contexto|contexte|erkenntnisse",
            "背景|上下文|контекст",
        ),
        (
            "accomplished|completed(?: work)?|done|progress|what (?:we did|was done|has been done|worked|failed)|work (?:done|completed)"
            "|errors?(?: and fixes)?|problem solving|attempts?|history|erledigt|hecho|realizado|fait",
            "进展|完了|сделано",
        ),
        (
            "next steps?|remaining(?: work| tasks)?|pending(?: tasks)?|to-?dos?|open (?:questions?|issues?|tasks?)|nächste schritte|offen"
            "|próximos pasos|prochaines étapes|próximos passos",
            "下一步|次のステップ|следующие шаги",
        ),
        (
            "(?:relevant |key |important |modified )?files?(?: and (?:directories|code sections))?|code sections|dateien|archivos|fichiers",
            "文件|ファイル|файл",
        ),
        (
            "current (?:state|status|work|situation)|state|status|environment|setup|configuration|machine|hardware|architecture|stand"
            "|umgebung|estado|état|known issues?",
            "状态|現状|состояни",
        ),
    )
)
"""Sorts of headings under which the state of a work is written down."""
_READ_AT_MOST = 60_000


class Wordless(msgspec.Struct, frozen=True, kw_only=True):
    """A user message that shows no words, and what it is read as."""

    said: Said
    """The message."""
    kind: Kind
    """What it most probably is: a request to compact, a command that hands work to a subagent, an attachment alone,
    text that the client wrote, or a word to go on; ``unread`` where the log cannot tell.
    """
    evidence: str
    """What says so."""
    other: Kind | None
    """The other reading, where there is one."""
    would_tell: str
    """What would decide between them, where the log does not."""
    answer: Said | None
    """The assistant's next message."""
    confidence: Confidence
    """``high`` where the log says it."""


def context_summary(text: str) -> tuple[str, ...]:
    """The headings of a text that writes down the state of a whole work; empty for any other text."""
    if len(text) < LEAST_CHARACTERS:
        return ()
    found = []
    for match in _HEADING.finditer(text[:_READ_AT_MOST]):
        heading = next(group for group in match.groups() if group).strip(" *:#")
        if len(heading.split()) <= _LONGEST_HEADING:
            found.append(heading)
    sorts = [next((n for n, sort in enumerate(_OF_STATE) if sort.search(one)), None) for one in found]
    of_state = [sort for sort in sorts if sort is not None]
    # Several sorts, and not one here and one there among many others.
    if len(set(of_state)) >= LEAST_HEADINGS and 2 * len(of_state) >= len(found):
        return tuple(found[:20])
    return ()


def wordless(graph: SessionGraph) -> list[Wordless]:
    """Every user message of the session itself that shows no words, in order of the log."""
    found = []
    for seq in graph.openings:
        said = graph.events[seq]
        if (
            isinstance(said, Said)
            and said.depth == 0
            and said.role == "user"
            and _shows_no_words(said.message)
        ):
            found.append(_read(graph, said))
    return found


def _shows_no_words(message: Message) -> bool:
    """Without prose of its own. What only a client wrote, such as a result or a note, is no message of a person."""
    if message.calls or any(not part.text.blank() for part in message.texts()):
        return False
    client = any(isinstance(part, TextPart) and part.synthetic for part in message.parts)
    marked = any(isinstance(part, Compaction | Subtask | File) for part in message.parts)
    return marked or not client


def _read(graph: SessionGraph, said: Said) -> Wordless:
    message = said.message
    answer = _answer(graph, said)

    def known(kind: Kind, evidence: str) -> Wordless:
        return Wordless(
            said=said,
            kind=kind,
            evidence=evidence,
            other=None,
            would_tell="",
            answer=answer,
            confidence="high",
        )

    for part in message.parts:
        if isinstance(part, Compaction):
            by = {True: "the client started it by itself", False: "the person asked for it", None: ""}[
                part.auto
            ]
            return known("compaction", "the log marks it as a request to compact" + (f"; {by}" if by else ""))
        if isinstance(part, Subtask):
            return known(
                "subtask", f"the log marks it as a command for the subagent {part.agent or 'unnamed'}"
            )
    files = [part for part in message.parts if isinstance(part, File)]
    if files:
        return known(
            "attachment", f"it holds {len(files)} attachment{'s' if len(files) > 1 else ''} and no words"
        )
    if answer is not None and answer.message.summary:
        return known("compaction", "the log marks the answer as the summary of a compaction")
    return _inferred(graph, said, answer)


def _inferred(graph: SessionGraph, said: Said, answer: Said | None) -> Wordless:
    headings = context_summary(graph.prose(answer)) if answer is not None else ()
    decides = (
        "an export of the client: a request to compact is a part of type compaction on this message, and the answer "
        "carries summary: true; a word to go on has an empty text part or none, and no such mark"
    )
    if headings:
        return Wordless(
            said=said,
            kind="compaction",
            evidence=f"the answer writes down the state of the work under {len(headings)} headings, as a compaction asks for",
            other="continuation",
            would_tell=decides,
            answer=answer,
            confidence="medium",
        )
    if answer is None:
        return Wordless(
            said=said,
            kind="unread",
            evidence="nothing follows it",
            other="continuation",
            would_tell=decides,
            answer=None,
            confidence="low",
        )
    return Wordless(
        said=said,
        kind="continuation",
        evidence="the answer goes on with the work"
        if answer.message.calls
        else "the answer is no summary, and the log holds no other mark",
        other="compaction" if not answer.message.calls else None,
        would_tell=decides if not answer.message.calls else "",
        answer=answer,
        confidence="medium",
    )


def _answer(graph: SessionGraph, said: Said) -> Said | None:
    """The next assistant message of the same session, with its opening prose; ``None`` when a person comes first."""
    for seq in range(said.seq + 1, len(graph.events)):
        event = graph.events[seq]
        if isinstance(event, Said) and event.depth == 0 and event.opening:
            return event if event.role == "assistant" else None
    return None
