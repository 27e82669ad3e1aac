"""Answers of another session to the same request: what its assistant did where the one at fault did wrong.

The best answer to prefer is a real one to the very same prompt. Where a person asked the same twice, word for word, and
two assistants went the same way up to some step, the next step of the one answers the prompt of the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set

from sessionlens import shell
from sessionlens.curate import chat, doubts
from sessionlens.curate.against import breaks
from sessionlens.curate.extract import STAND_IN_NUMBER, Body, Head
from sessionlens.curate.fit import Known
from sessionlens.curate.looked import DEEDS, HANDS_OVER
from sessionlens.curate.rows import ChatMessage, FindingRow, PairRow, StepRow, ToolCall
from sessionlens.shell.command import Command

_SPACE = re.compile(r"\s+")


def answer(
    row: PairRow,
    own: Mapping[int, StepRow],
    findings: Sequence[FindingRow],
    head: Head,
    body: Body,
    *,
    question: int | None,
    end: int,
) -> StepRow | None:
    """The step of a session that answers the prompt of a pair; ``None`` where there is none.

    :param own: steps of the pair's session by their position.
    :param findings: what the rules report of that session.
    :param question: position of what the person asked.
    :param end: position of the last message of the prompt.
    """
    if question is None or question not in own:
        return None
    asked = _plain(chat.text_of(own[question].messages))
    way = [own[at] for at in range(question + 1, end + 1) if at in own]
    known = Known(row.prompt)
    wrong = {one.step for one in findings if one.session == row.session and _wrong(one) and one.rule in DEEDS}
    # Who goes on after what was not allowed must first say so, which nobody does who did not do it.
    later = row.rule in DEEDS and not any(step.step in wrong for step in way)
    astray = {(one.session, one.step) for one in head.findings if _wrong(one) and one.rule in DEEDS}
    at_fault = {
        (finding.session, place)
        for finding in head.findings
        if _wrong(finding)
        for place in (finding.step, *finding.masks)
    }
    under = {(finding.session, finding.step) for finding in head.findings if finding.kind != "good"}
    for turn in _turns(body.steps, asked):
        if row.rule in DEEDS and any((one.session, one.step) in astray for one in turn):
            # Who breaks the person's words later in the same turn is no model of keeping them.
            continue
        over = next(
            (
                at
                for at, one in enumerate(turn)
                if (one.session, one.step) in at_fault
                # What comes after rests on it.
                or (row.rule == _TAMPERING and _spares_tests(one.messages[0]))
            ),
            len(turn),
        )
        answers = [_next(turn[:over], way)]
        if later:
            answers += [*_beside(turn[:over], way, known), _mended(turn[:over], way, known)]
        found = next((one for one in answers if one is not None and _fits(one, row, known, under)), None)
        if found is not None:
            return found
    return None


def _wrong(finding: FindingRow) -> bool:
    """Whether a finding speaks against a step as a model; one that the words of the log do not bear out does not."""
    return finding.kind == "fault" and finding.doubt in (None, doubts.UNLIKELY)


def _next(turn: Sequence[StepRow], way: Sequence[StepRow]) -> StepRow | None:
    """The next step of a turn that went the same way, step by step."""
    if len(turn) <= len(way) or any(_way(one) != _way(other) for one, other in zip(way, turn, strict=False)):
        return None
    return turn[len(way)]


def _beside(turn: Sequence[StepRow], way: Sequence[StepRow], known: Known) -> Iterator[StepRow]:
    """The next steps of a turn that saw the same in another order, or with looks on the way that the other did not need.

    Where it saw more, its next steps may still be answers: a look at, or an edit of, what the prompt shows.
    """
    left = [step for step in way if not _idle(step)]
    made = list(left)
    last, met = -1, set()
    for at, step in enumerate(turn):
        same = next((one for one in left if _alike(step, one)), None)
        if same is not None:
            left.remove(same)
            met.add(at)
            last = at
        elif not (_idle(step) or _looks(step)):
            break
    if any(not _looks(step) for step in left) or (last < 0 and way):
        # It changed something on the way, or nothing shows that the two were at the same work.
        return
    sure = all(at in met or _idle(step) for at, step in enumerate(turn[: last + 1]))
    for step in turn[last + 1 :]:
        if _idle(step):
            continue
        again = any(_same_calls(step, one) for one in made)
        if not again and known.names(step.messages[0].content or "") and (sure or _rests(step, known)):
            yield step
        if not _looks(step):
            return
        sure = False


_FEW = 2
"""Lines that an edit writes, up to which it is a change of words and not new code."""
_LITERAL = re.compile(r"'([^'\n]{1,80})'|\"([^\"\n]{1,80})\"")


def _stands_there(step: StepRow, known: Known) -> bool:
    """Whether the prompt shows what the edits of a step replace, and of a change of a few words the values that it writes.

    The other session may have read the file; whoever answers this prompt has not.
    """
    for call in _made(step):
        arguments = chat.as_object(call.function.arguments)
        old, new = _first(arguments, _OLD), _first(arguments, _NEW)
        if not old:
            continue
        # Line by line: many tools show a file with numbers before its lines.
        rows = (row for row in old.splitlines() if row.strip())
        if len(old) < _LEAST or not known.has(_path(arguments)) or not all(map(known.has, rows)):
            return False
        values = (one or other for one, other in _LITERAL.findall(new))
        if len(new.splitlines()) <= _FEW and not all(value in old or known.has(value) for value in values):
            return False
    return True


def _rests(step: StepRow, known: Known) -> bool:
    """Whether a step looks at, or edits, what the prompt shows."""
    edits = list(_edits([step]))
    if edits:
        return all(known.has(_path(arguments)) and known.has(old) for old, arguments in edits)
    arguments = "\n".join(call.function.arguments for call in step.messages[0].tool_calls or ())
    return _looks(step) and known.names(arguments)


_LEAVES = frozenset({"check", "none", "read", "test"})
"""Effects of commands that leave everything as it was."""
_SAYS = frozenset({":", "cd", "clear", "date", "echo", "exit", "hostname", "printf", "pwd", "sleep", "true", "wait", "whoami"})  # fmt: skip
"""Programs that neither show nor change anything of the work."""
_HELPS = frozenset({"--help", "--version", "-h", "-help", "help"})


def _commands(step: StepRow) -> list[tuple[Command, ...]]:
    """The commands of each call of a step."""
    return [
        shell.read_call(call.function.name, chat.as_object(call.function.arguments)) for call in _made(step)
    ]


def _made(step: StepRow) -> list[ToolCall]:
    return [call for message in step.messages for call in message.tool_calls or ()]


def _looks(step: StepRow) -> bool:
    """Whether a step only looks, as far as it is known what its calls do."""
    made = _commands(step)
    return bool(made) and all(ran and all(one.effect in _LEAVES for one in ran) for ran in made)


def _idle(step: StepRow) -> bool:
    """Whether a step makes calls that neither show nor change anything."""
    return _says(step) and _looks(step)


def _says(step: StepRow) -> bool:
    """Whether the calls of a step run only what prints words, into a file at most."""
    made = _commands(step)
    return bool(made) and all(
        ran and all(one.words[:1] and one.words[0] in _SAYS for one in ran) for ran in made
    )


def _asks_for_help(step: StepRow) -> bool:
    """Whether a step runs something for its help: of a script nobody knows whether it heeds that."""
    return any(_HELPS & set(one.words[1:]) for ran in _commands(step) for one in ran)


_SAME = 0.6
"""Share of the words of two calls, or of two results, from which on they are taken for the same."""
_TOKEN = re.compile(r"[\w./-]+")
_FILTERS = frozenset(
    {"cat", "cut", "grep", "head", "less", "more", "sed", "sort", "tail", "tee", "uniq", "wc"}
)
"""Programs that pass on what another one shows."""


def _alike(one: StepRow, other: StepRow) -> bool:
    """Whether two steps made the same calls and saw the same, but for a word or two."""
    return _same_calls(one, other) and _shared(_results(one), _results(other)) >= _SAME


def _same_calls(one: StepRow, other: StepRow) -> bool:
    calls, others = _calls(one.messages), _calls(other.messages)
    if not calls or [name for name, _ in calls] != [name for name, _ in others]:
        return False
    mine, theirs = map(_programs, (one, other))
    if mine and mine == theirs:
        return True
    return all(
        len(words & more) >= _SAME * len(words | more)
        for words, more in (
            (_words(text), _words(other_text))
            for (_, text), (_, other_text) in zip(calls, others, strict=True)
        )
    )


def _programs(step: StepRow) -> list[tuple[str, ...]]:
    """What the command lines of a step run, without what only passes on or prepares."""
    return [
        one.words
        for call, ran in zip(_made(step), _commands(step), strict=True)
        if shell.command_line(call.function.name, chat.as_object(call.function.arguments)) is not None
        for one in ran
        if one.words[:1] and one.words[0] not in _SAYS | _FILTERS
    ]


def _words(text: str) -> set[str]:
    return set(_TOKEN.findall(text.casefold()))


def _shared(one: str, other: str) -> float:
    """Share of the words of the shorter of two texts that stand in the other."""
    words, others = _words(one), _words(other)
    return 1.0 if one == other else len(words & others) / max(1, min(len(words), len(others)))


def _results(step: StepRow) -> str:
    return "\n".join(_plain(message.content or "") for message in step.messages if message.role == "tool")


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
_NEW = ("new_str", "new_string", "newString", "new_text")
_PATH = ("path", "file_path", "filePath", "file")
_LEAST = 12
"""Characters that an edit takes out, for its place to be known."""


def _edits(steps: Sequence[StepRow]) -> Iterator[tuple[str, Mapping[str, object]]]:
    """What the edits among the calls of steps take out, and their arguments."""
    for step in steps:
        for call in _made(step):
            arguments = chat.as_object(call.function.arguments)
            old = _first(arguments, _OLD)
            if len(old) >= _LEAST and _path(arguments):
                yield old, arguments


def _path(arguments: Mapping[str, object]) -> str:
    return _first(arguments, _PATH)


def _first(arguments: Mapping[str, object], keys: Sequence[str]) -> str:
    """The first argument that has one of these names and says something."""
    return next((str(arguments[key]) for key in keys if arguments.get(key)), "")


def _touched(message: ChatMessage) -> set[str]:
    """The files that the calls of a message write, by a tool that says what it writes."""
    made = [chat.as_object(call.function.arguments) for call in message.tool_calls or ()]
    return {_path(one) for one in made if _path(one) and any(key in one for key in (*_OLD, *_NEW, "content"))}


def _calls(messages: Sequence[ChatMessage]) -> list[tuple[str, str]]:
    return [
        (call.function.name, _plain(" ".join(_said(call.function.arguments))))
        for message in messages
        for call in message.tool_calls or ()
    ]


_BESIDES = ("description", "explanation", "timeout", "reason")
"""Arguments that say why or how long, not what."""


def _said(arguments: str) -> list[str]:
    """The arguments of a call, without those that only speak about it."""
    made = chat.as_object(arguments)
    if not made:
        return [arguments]
    return [f"{key}={value}" for key, value in made.items() if key not in _BESIDES]


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


def _fits(step: StepRow, row: PairRow, known: Known, under: Set[tuple[str, int]]) -> bool:
    """Whether a step may be preferred: written by the assistant, with loss, under no finding however doubtful, another
    than the rejected one, and with no stand-in that means something else here.
    """
    message = step.messages[0]
    if step.role != "assistant" or step.use != "keep" or message == row.rejected[0]:
        return False
    if (step.session, step.step) in under:
        return False
    if _says(step) or _asks_for_help(step) or not _speaks(message):
        return False
    if not _stands_there(step, known):
        return False
    if _hands_over(message) and any(_hands_over(one) for one in _since_asked(row.prompt)):
        # The work was handed over already: doing so again is no answer to anything.
        return False
    rejected = row.rejected[0]
    if message.tool_calls and _calls([message]) == _calls([rejected]):
        return False
    if row.rule in DEEDS and _touched(message) & _touched(rejected):
        # Another change of the very file in question is seldom what the person wanted.
        return False
    text = chat.text_of([message])
    if not text.strip() or not all(known.has(one[0]) for one in STAND_IN_NUMBER.finditer(text)):
        return False
    return not breaks(row.prompt, message)


_TAMPERING = "test-tampering"
_TESTS = re.compile(r"(?:^|[/_.-])(?:tests?|specs?|e2e|conftest)(?:[/_.-]|$)", re.IGNORECASE)
"""Paths of tests."""
_SPARES = re.compile(
    r"\b(?:mock|patch|stub|fake|monkeypatch|x?fail|skip(?:if|unless)?|xit|xdescribe|todo|return_value)\b|\.only\b|assert true\b",
    re.IGNORECASE,
)
"""Words by which a test no longer tries what it tried."""


def _spares_tests(message: ChatMessage) -> bool:
    """Whether a message writes into a test what may keep it from trying what it is for: that one step does not show whether
    it is right, and where tests were tampered with it is no model.
    """
    for call in message.tool_calls or ():
        arguments = chat.as_object(call.function.arguments)
        old, new = _first(arguments, _OLD), _first(arguments, (*_NEW, "content"))
        if _TESTS.search(_path(arguments)) and len(_SPARES.findall(new)) > len(_SPARES.findall(old)):
            return True
    return False


def _since_asked(prompt: Sequence[ChatMessage]) -> Sequence[ChatMessage]:
    """The messages of a prompt after the last one of the person."""
    at = next((at for at in reversed(range(len(prompt))) if prompt[at].role == "user"), -1)
    return prompt[at + 1 :]


def _hands_over(message: ChatMessage) -> bool:
    """Whether a message hands the work over by a call."""
    return any(call.function.name.casefold() in HANDS_OVER for call in message.tool_calls or ())


_ENDS = frozenset({"end", "exit", "done", "stop", "none"})
"""Tools that end a run without a word."""


def _speaks(message: ChatMessage) -> bool:
    """Whether a message does more than to end the run."""
    calls = message.tool_calls or ()
    return not calls or any(call.function.name.casefold() not in _ENDS for call in calls)
