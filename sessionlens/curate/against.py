"""Whether an answer to prefer breaks what stands before it.

A finding needs more than words: a log shows what was done. An answer that is held up as an example needs more than the
absence of a finding: it must not say, either, that it does what the person forbade.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sessionlens.curate.looked import DEEDS
from sessionlens.curate.prepared import prepared
from sessionlens.curate.rows import ChatMessage
from sessionlens.graph.announced import intends, said_of_step
from sessionlens.graph.constraints import Constraint, deeds_of, stems
from sessionlens.model import Call, Message, Session, Text, TextPart

if TYPE_CHECKING:
    from sessionlens.graph.session_graph import SessionGraph

_MEANT = 0.6
"""Share of what an instruction is about, from which on a sentence that names so much of it speaks of it."""


_PURPOSE = re.compile(
    r"(?:^|(?<=[.!?]\s)|(?<=\n))(?:(?:in order|so as) )?to\b[^,.!?\n]{3,100},\s*", re.IGNORECASE
)
"""What a step is for, said before what it does: that it is to avoid something is no denial of the deed."""


def breaks(prompt: Sequence[ChatMessage], chosen: ChatMessage) -> bool:
    """Whether an answer does, or says that it does, what the prompt forbids: judged as the last step of a session that
    holds no more than the prompt.
    """
    from sessionlens import engine

    shown = [*prompt, chosen]
    messages: list[Message] = []
    for number, one in enumerate(shown):
        if one.role == "tool":
            continue
        results: dict[str | None, str] = {}
        for after in shown[number + 1 :]:
            if after.role != "tool":
                break
            results[after.tool_call_id] = after.content or ""
        messages.append(_message(len(messages), one, results))
    rules = prepared(None, (), tuple(sorted(DEEDS)), ())[1].rules
    audit = engine.audit(Session(id="pair", source_format="chat", messages=tuple(messages)), rules=rules)
    last = len(messages) - 1
    if any(one.kind != "good" and one.at.message_index == last for one in audit.findings):
        return True
    return _says_so(audit.graph, chosen.content or "")


def _message(index: int, one: ChatMessage, results: dict[str | None, str]) -> Message:
    parts: list[TextPart | Call] = [TextPart(text=Text(one.content))] if one.content else []
    parts += [
        Call(
            id=call.id,
            name=call.function.name,
            input=Text(call.function.arguments),
            # Of the answer it is not known what it would show: as if it had shown nothing.
            output=Text(results.get(call.id, "")),
        )
        for call in one.tool_calls or ()
    ]
    return Message(index=index, role="user" if one.role == "user" else "assistant", parts=tuple(parts))


def _says_so(graph: SessionGraph, text: str) -> bool:
    """Whether a sentence says that the step does what the person plainly forbade."""
    standing = [
        one
        for one in graph.constraints
        if one.mood == "forbids" and one.direct and one.deeds and not (one.condition or one.ask_first)
    ]
    if not standing:
        return False
    for sentence in said_of_step(_PURPOSE.sub("", text[-4_000:])):
        deeds = deeds_of(sentence)
        if not deeds or not intends(sentence):
            continue
        words = stems(sentence)
        for one in standing:
            about = _about(one)
            most = len(about & words) >= max(1, round(_MEANT * len(about)))
            if one.deeds & deeds and about and most:
                return True
    return False


def _about(one: Constraint) -> frozenset[str]:
    """What an instruction is about, as stems: the verb itself says nothing of that."""
    return one.stems - stems(" ".join(word for word in one.core.split() if deeds_of(word) & one.deeds))
