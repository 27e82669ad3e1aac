"""Answers of another session to the same request: what its assistant did where the one at fault did wrong.

The best answer to prefer is a real one to the very same prompt. Where a person asked the same twice, word for word, and
two assistants went the same way up to some step, the next step of the one answers the prompt of the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from sessionlens.curate import chat
from sessionlens.curate.extract import STAND_IN_NUMBER, Body, Head
from sessionlens.curate.fit import Known
from sessionlens.curate.rows import ChatMessage, PairRow, StepRow

DEEDS = frozenset(
    {"destructive-without-confirmation", "instruction-violated", "out-of-scope-file-change", "test-tampering"}
)
"""Shipped rules that report work which should have been done in another place."""
_SPACE = re.compile(r"\s+")


def answer(
    row: PairRow, own: Mapping[int, StepRow], head: Head, body: Body, *, question: int | None, end: int
) -> StepRow | None:
    """The step of a session that answers the prompt of a pair; ``None`` where there is none.

    :param own: steps of the pair's session by their position.
    :param question: position of what the person asked.
    :param end: position of the last message of the prompt.
    """
    if question is None or question not in own:
        return None
    asked = _plain(chat.text_of(own[question].messages))
    way = [own[at] for at in range(question + 1, end + 1) if at in own]
    at_fault = {
        (finding.session, place)
        for finding in head.findings
        if finding.kind == "fault"
        for place in (finding.step, *finding.masks)
    }
    known = Known(row.prompt)
    for turn in _turns(body.steps, asked):
        faults = [(step.session, step.step) in at_fault for step in turn]
        place = 0
        while place < min(len(way), len(turn)) and _way(way[place]) == _way(turn[place]):
            place += 1
        found = None
        if place == len(way) < len(turn) and not any(faults[: place + 1]):
            found = turn[place]
        elif row.rule in DEEDS and not any(faults):
            found = _mended(turn, way, known)
        if found is not None and _fits(found, row, known):
            return found
    return None


def _mended(turn: Sequence[StepRow], way: Sequence[StepRow], known: Known) -> StepRow | None:
    """Of a turn that went another way, the edit that this one could have made as well: of a file that it had read and not
    touched yet, in a place whose words stand in the prompt.
    """
    touched = {_path(arguments) for _, arguments in _edits(way)}
    for step in turn:
        calls = step.messages[0].tool_calls or ()
        edits = list(_edits([step]))
        if len(calls) != 1 or len(edits) != 1:
            continue
        taken_out, arguments = edits[0]
        path = _path(arguments)
        if path in touched or not known.has(path) or not known.has(taken_out):
            continue
        if known.names(step.messages[0].content or ""):
            return step
    return None


_OLD = ("old_str", "old_string", "oldString", "old_text")
_PATH = ("path", "file_path", "filePath", "file")
_LEAST = 12
"""Characters that an edit takes out, for its place to be known."""


def _edits(steps: Sequence[StepRow]) -> Iterator[tuple[str, Mapping[str, object]]]:
    """What the edits among the calls of steps take out, and their arguments."""
    for step in steps:
        for message in step.messages:
            for call in message.tool_calls or ():
                arguments = chat.as_object(call.function.arguments)
                old = next((str(arguments[key]) for key in _OLD if arguments.get(key)), "")
                if len(old) >= _LEAST and _path(arguments):
                    yield old, arguments


def _path(arguments: Mapping[str, object]) -> str:
    return next((str(arguments[key]) for key in _PATH if arguments.get(key)), "")


def _calls(messages: Sequence[ChatMessage]) -> list[tuple[str, str]]:
    return [
        (call.function.name, _plain(call.function.arguments))
        for message in messages
        for call in message.tool_calls or ()
    ]


def _turns(steps: Sequence[StepRow], asked: str) -> Iterator[list[StepRow]]:
    """What follows each message of a person that asks the same, up to the person's next one."""
    turn: list[StepRow] | None = None
    session = ""
    for step in steps:
        if step.human or step.session != session:
            if turn:
                yield turn
            same = step.human and _plain(chat.text_of(step.messages)) == asked
            turn, session = [] if same else None, step.session
        elif turn is not None:
            turn.append(step)
    if turn:
        yield turn


def _way(step: StepRow) -> tuple[object, ...]:
    """What a step did and what it saw; of a step that did nothing, what it said."""
    calls = _calls(step.messages)
    results = [_plain(message.content or "") for message in step.messages if message.role == "tool"]
    said = "" if calls else _plain(step.messages[0].content or "")
    return (step.role, tuple(calls), tuple(results), said)


def _plain(text: str) -> str:
    """A text for comparing: stand-ins without their numbers, blanks as one."""
    return _SPACE.sub(" ", STAND_IN_NUMBER.sub(r"\1", text)).strip()


def _fits(step: StepRow, row: PairRow, known: Known) -> bool:
    """Whether a step may be preferred: written by the assistant, with loss, another than the rejected one, and with no
    stand-in that means something else here.
    """
    message = step.messages[0]
    if step.role != "assistant" or step.use != "keep" or message == row.rejected[0]:
        return False
    rejected = row.rejected[0]
    if message.tool_calls and _calls([message]) == _calls([rejected]):
        return False
    text = chat.text_of([message])
    return bool(text.strip()) and all(known.has(one[0]) for one in STAND_IN_NUMBER.finditer(text))
