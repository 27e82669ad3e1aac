"""Examples of a rule: short sessions written as they are read, with the expectation on the step.

    Example(
        "the restart ran into the limit and nobody said so",
        asks("please restart the proxy"),
        bash("systemctl restart haproxy", limit=15, times_out=True),
        nothing(flag="empty-message-after-timeout", severity="high"),
    )

Steps become :mod:`sessionlens.model` values, not log lines, so examples survive changes of log formats. They
look like a session of opencode 1.18.33. Times advance by what each step takes, from a fixed start. An example
without a flag is a clean case: the rule must find nothing in it. Both directions are strict.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack

import msgspec

from sessionlens.model import (
    Call,
    Compaction,
    File,
    Message,
    Part,
    Reasoning,
    Session,
    Status,
    Subtask,
    Text,
    TextPart,
    Trouble,
)

if TYPE_CHECKING:
    from sessionlens.findings import Finding
    from sessionlens.rule import Rule
    from sessionlens.targets import EnvironmentSettings

__all__ = [
    "Example", "Flag", "Mismatch", "Step", "asks", "attaches", "bash", "child", "compaction", "cut_off_words", "edit", "group", "hands_to",
    "nothing", "read", "run_example", "says", "tool", "waits", "write",
]  # fmt: skip

START_MS = 1_767_603_600_000
"""2026-01-05 09:00 UTC: when every example begins."""
DEFAULT_LIMIT_S = 120.0
"""opencode's own limit of a shell command since 1.0.152, in seconds."""

_CUT_OFF = (
    "<shell_metadata>\nshell tool terminated command after exceeding timeout {ms} ms. If this command is expected to "
    "take longer and is not waiting for interactive input, retry with a larger timeout value in milliseconds.\n"
    "</shell_metadata>"
)
_ABORTED = "<shell_metadata>\nUser aborted the command\n</shell_metadata>"
# Wordings of opencode 1.18.33. The readers' own table of wordings covers every version; an example needs one.


@dataclass(frozen=True, kw_only=True)
class Flag:
    """What the rule must find at a step."""

    rule: str
    """Slug of the rule that must fire here."""
    severity: str | None = None
    """Expected severity, where the example is about it."""
    confidence: str | None = None
    """Expected confidence, where the example is about it."""
    kind: str | None = None
    """Expected kind, where the example is about it."""
    facts: dict[str, Any] = field(default_factory=dict)
    """Facts that the finding must hold with these values; it may hold more."""
    count: int = 1
    """How many findings of the rule this step must have, such as one for each of two targets."""


@dataclass(frozen=True, kw_only=True)
class Expected:
    """A flag with the place that its step got."""

    session: str
    """Id of the session."""
    message_index: int
    """Message of the step."""
    call_id: str | None
    """Call of the step, where the step is one."""
    flag: Flag
    """What must be found there."""

    def at(self, finding: Finding) -> bool:
        """Whether a finding stands at this place. A call's step is also named by its message alone."""
        spot = finding.at
        if (spot.session, spot.message_index) != (self.session, self.message_index):
            return False
        return spot.call_id is None or spot.call_id == self.call_id

    def differences(self, finding: Finding) -> Iterator[str]:
        """What of the finding is not as the flag says."""
        for name in ("severity", "confidence", "kind"):
            wanted = getattr(self.flag, name)
            if wanted is not None and getattr(finding, name) != wanted:
                yield f"{name} is {getattr(finding, name)}, expected {wanted}"
        for name, wanted in self.flag.facts.items():
            if name not in finding.facts:
                yield f"facts.{name} is missing, expected {wanted!r}"
            elif finding.facts[name] != wanted:
                yield f"facts.{name} is {finding.facts[name]!r}, expected {wanted!r}"


@dataclass(frozen=True, kw_only=True)
class Step:
    """One step of an example. Made by the functions below, not by hand."""

    does: Literal["user", "assistant", "call", "group", "child", "compaction", "wait"]
    """What sort of step it is."""
    parts: tuple[Part, ...] = ()
    """Parts of a message, or the one call; ids and times are filled in when the example is built."""
    steps: tuple[Step, ...] = ()
    """Steps within: of a group, or of a child session."""
    took: float = 0.0
    """Seconds that pass."""
    finish: str | None = None
    """Why generation stopped."""
    tokens_out: int | None = None
    """Tokens written."""
    trouble: Trouble | None = None
    """The error that the message ended with."""
    completed: bool = True
    """Whether the message has a time of completion."""
    flag: Flag | None = None
    """What the rule must find here."""


class Expectation(TypedDict, total=False):
    """What a step says about the finding that must stand there: the keywords of every step function."""

    flag: str
    """Slug of the rule that must fire here. The others need it."""
    severity: str
    """Expected severity."""
    confidence: str
    """Expected confidence."""
    kind: str
    """Expected kind."""
    facts: dict[str, Any]
    """Facts that the finding must hold with these values; it may hold more."""
    count: int
    """How many findings of the rule must stand here; one where nothing is said."""


def _flag(expectation: Expectation) -> Flag | None:
    unknown = set(expectation) - set(Expectation.__annotations__)
    if unknown:
        raise TypeError(f"a step does not know {', '.join(sorted(unknown))}")
    if "flag" not in expectation:
        if expectation:
            raise ValueError("an expectation without flag=… would never be checked")
        return None
    rest: dict[str, Any] = {name: value for name, value in expectation.items() if name != "flag"}
    return Flag(rule=expectation["flag"], **rest)


def asks(
    text: str = "",
    **expectation: Unpack[Expectation],
) -> Step:
    """A human message. An empty one has no parts, as opencode stores it."""
    parts: tuple[Part, ...] = (TextPart(text=Text(text)),) if text else ()
    return Step(does="user", parts=parts, took=20, flag=_flag(expectation))


def attaches(
    name: str = "screenshot.png", mime: str = "image/png", **expectation: Unpack[Expectation]
) -> Step:
    """A human message that holds a file and no words."""
    return Step(does="user", parts=(File(name=name, mime=mime),), took=20, flag=_flag(expectation))


def hands_to(agent: str, prompt: str = "", **expectation: Unpack[Expectation]) -> Step:
    """A command of the client that hands a prompt to a subagent: no word of the person."""
    return Step(
        does="user", parts=(Subtask(agent=agent, prompt=Text(prompt)),), took=5, flag=_flag(expectation)
    )


def says(
    text: str,
    *,
    reasoning: str = "",
    finish: str | None = "stop",
    **expectation: Unpack[Expectation],
) -> Step:
    """An assistant message with prose, and thinking before it where there is some."""
    parts: list[Part] = [Reasoning(text=Text(reasoning))] if reasoning else []
    parts.append(TextPart(text=Text(text)))
    return Step(
        does="assistant",
        parts=tuple(parts),
        took=3,
        finish=finish,
        tokens_out=max(1, len(text) // 4),
        flag=_flag(expectation),
    )


def nothing(
    finish: str | None = "stop",
    tokens_out: int | None = 0,
    *,
    text: str = "",
    reasoning: str = "",
    error: str | None = None,
    completed: bool = True,
    **expectation: Unpack[Expectation],
) -> Step:
    """An assistant message without visible text and without a call.

    :param finish: why generation stopped; ``None`` where it never did.
    :param text: white space, where the message holds a text part with nothing to see.
    :param reasoning: thinking that the person does not see.
    :param error: name of the error it ended with, such as ``APIError``; words after it are its message.
    :param completed: whether the client recorded a time of completion.
    """
    parts: list[Part] = [Reasoning(text=Text(reasoning))] if reasoning else []
    if text:
        parts.append(TextPart(text=Text(text)))
    name, _, message = (error or "").partition(" ")
    return Step(
        does="assistant",
        parts=tuple(parts),
        took=2,
        finish=finish,
        tokens_out=tokens_out,
        trouble=Trouble(name=name, text=message) if error else None,
        completed=completed,
        flag=_flag(expectation),
    )


def bash(
    command: str,
    *,
    limit: float | None = None,
    times_out: bool = False,
    exit: int | None = 0,
    output: str = "",
    interrupted: bool = False,
    background: bool = False,
    running: bool = False,
    took: float | None = None,
    directory: str | None = None,
    **expectation: Unpack[Expectation],
) -> Step:
    """A shell command, in an assistant message of its own.

    :param limit: the limit that was asked for, in seconds; opencode's own where none was.
    :param times_out: that limit ended it: no exit code, the client's words at the end of the output.
    :param interrupted: the person stopped it.
    :param background: the client keeps it running and gave the turn back.
    :param running: the log has no result of it.
    :param took: seconds it took; the limit where it timed out, otherwise 1.
    :param directory: working directory of this one command.
    """
    if sum((times_out, interrupted, background, running)) > 1:
        raise ValueError("a command ends in one way: times_out, interrupted, background or running")
    seconds = limit if limit is not None else DEFAULT_LIMIT_S
    limit_ms = round(seconds * 1000)
    arguments: dict[str, Any] = {"command": command}
    if limit is not None:
        arguments["timeout"] = limit_ms
    if directory is not None:
        arguments["workdir"] = directory
    # The newest client writes "(no output)" for silence, and its notes after an empty line.
    shown = output or "(no output)"
    if times_out:
        shown = "\n\n".join(part for part in (output, _CUT_OFF.format(ms=limit_ms)) if part)
    elif interrupted:
        shown = "\n\n".join(part for part in (output, _ABORTED) if part)
    call = Call(
        name="bash",
        input=_json(arguments),
        status="running" if running else "completed",
        limit_ms=limit_ms,
        timed_out=times_out,
        interrupted=interrupted,
        exit=None if times_out or interrupted or running or background else exit,
        background=background,
        output=None if running else Text(shown),
    )
    return Step(
        does="call",
        parts=(call,),
        took=took if took is not None else seconds if times_out else 1,
        finish=None if interrupted or running else "tool-calls",
        trouble=Trouble(name="MessageAbortedError", text="The operation was aborted.")
        if interrupted
        else None,
        completed=not running,
        flag=_flag(expectation),
    )


def tool(
    name: str,
    arguments: dict[str, Any] | None = None,
    *,
    output: str | None = "",
    error: str | None = None,
    status: Status | None = None,
    limit: float | None = None,
    times_out: bool = False,
    took: float = 1,
    **expectation: Unpack[Expectation],
) -> Step:
    """A call of any tool, in an assistant message of its own.

    :param output: the result; ``None`` where none came.
    :param error: the error the client reported instead of a result; makes the status ``error``.
    :param limit: the client's limit in seconds, where it has one.
    """
    if status is None:
        status = "error" if error is not None else "completed" if output is not None else "running"
    call = Call(
        name=name,
        input=_json(arguments or {}),
        status=status,
        limit_ms=None if limit is None else round(limit * 1000),
        timed_out=times_out,
        output=None if output is None or error is not None else Text(output),
        error=None if error is None else Text(error),
    )
    return Step(
        does="call",
        parts=(call,),
        took=took,
        finish="tool-calls",
        completed=status not in ("pending", "running"),
        flag=_flag(expectation),
    )


def edit(
    path: str,
    old: str = "old",
    new: str = "new",
    *,
    error: str | None = None,
    **expectation: Unpack[Expectation],
) -> Step:
    """A call of the edit tool; it worked unless ``error`` says why not."""
    arguments = {"filePath": path, "oldString": old, "newString": new}
    return tool("edit", arguments, output="Edit applied successfully.", error=error, **expectation)


def write(
    path: str, content: str = "", *, error: str | None = None, **expectation: Unpack[Expectation]
) -> Step:
    """A call of the write tool; it worked unless ``error`` says why not."""
    arguments = {"filePath": path, "content": content}
    return tool("write", arguments, output="Wrote file successfully.", error=error, **expectation)


def read(
    path: str, content: str = "", *, error: str | None = None, **expectation: Unpack[Expectation]
) -> Step:
    """A call of the read tool that showed ``content``, or failed with ``error``."""
    lines = content.splitlines()
    numbered = "\n".join(f"{number}: {line}" for number, line in enumerate(lines, 1))
    shown = (
        f"<path>{path}</path>\n<type>file</type>\n<content>\n{numbered}\n\n"
        f"(End of file - total {len(lines)} lines)\n</content>"
    )
    return tool("read", {"filePath": path}, output=shown, error=error, **expectation)


def child(
    *steps: Step,
    prompt: str = "do the work",
    result: str = "done",
    agent: str = "general",
    **expectation: Any,
) -> Step:
    """A task handed to a subagent: a call whose child session has these steps after the prompt.

    The prompt opens the child's one turn. ``flag=`` is about the call in the parent.
    """
    arguments = {"description": prompt[:40], "prompt": prompt, "subagent_type": agent}
    handed = tool("task", arguments, output=result, **expectation)
    return replace(handed, does="child", steps=(replace(asks(prompt), took=0), *steps), took=1)


def compaction(
    summary: str = "Summary of the conversation so far.", **expectation: Unpack[Expectation]
) -> Step:
    """The client summarises the conversation: its request, and the summary. No word of the person.

    ``flag=`` is about the request.
    """
    return Step(does="compaction", parts=(TextPart(text=Text(summary)),), took=10, flag=_flag(expectation))


def group(*steps: Step, finish: str | None = "tool-calls", **expectation: Unpack[Expectation]) -> Step:
    """Several steps of the assistant in one message: prose and calls, in order. Calls run one after another."""
    if any(step.does not in ("assistant", "call", "child") for step in steps):
        raise ValueError("a group holds steps of the assistant: says, nothing, bash, tool, child …")
    return Step(does="group", steps=steps, finish=finish, flag=_flag(expectation))


def cut_off_words(limit_ms: int) -> str:
    """What the client writes where a limit of so many milliseconds ended a shell command."""
    return _CUT_OFF.format(ms=limit_ms)


def waits(seconds: float) -> Step:
    """Time passes before the next step."""
    return Step(does="wait", took=seconds)


def _json(arguments: dict[str, Any]) -> Text:
    return Text(json.dumps(arguments, ensure_ascii=False))


class Example:
    """One example: a title that says what is special about it, and its steps."""

    def __init__(
        self,
        title: str,
        *steps: Step,
        directory: str = "/home/dev/project",
        settings: EnvironmentSettings | None = None,
        source_format: str = "opencode-export",
        truncated: bool = False,
    ) -> None:
        """Write an example down. Nothing is built before :meth:`build`.

        :param directory: working directory of the session.
        :param settings: what a ``sessionlens.toml`` would say about environments.
        :param source_format: the reader that would have read it.
        :param truncated: the log stops before its end.
        """
        self.title = title
        self.steps = steps
        self.directory = directory
        self.settings = settings
        self.source_format = source_format
        self.truncated = truncated

    def __repr__(self) -> str:
        return f"Example({self.title!r}, {len(self.steps)} steps)"

    def flags(self, rule: str | None = None) -> tuple[Flag, ...]:
        """Its flags in order, of one rule or of all."""
        found = []
        stack = list(reversed(self.steps))
        while stack:
            step = stack.pop()
            if step.flag is not None and rule in (None, step.flag.rule):
                found.append(step.flag)
            stack.extend(reversed(step.steps))
        return tuple(found)

    def build(self) -> tuple[Session, tuple[Expected, ...]]:
        """The session that the steps make, and what must be found where."""
        expected: list[Expected] = []
        maker = _Maker("ses_example", expected, _Clock())
        maker.run(self.steps)
        session = maker.session(
            title=self.title,
            directory=self.directory,
            source_format=self.source_format,
            truncated=self.truncated,
        )
        return session, tuple(expected)


class _Clock:
    """The time within one example, and the numbers of calls and child sessions."""

    def __init__(self) -> None:
        self.now = START_MS
        self.calls = 0
        self.children = 0

    def pass_(self, seconds: float) -> int:
        self.now += round(seconds * 1000)
        return self.now


class _Maker:
    """Turns steps into the messages of one session."""

    def __init__(self, session: str, expected: list[Expected], clock: _Clock) -> None:
        self.id = session
        self.messages: list[Message] = []
        self.children: list[Session] = []
        self.expected = expected
        self.clock = clock

    def session(self, **about: Any) -> Session:
        return Session(
            id=self.id,
            client="opencode",
            client_version="1.18.33",
            messages=tuple(self.messages),
            children=tuple(self.children),
            **about,
        )

    def run(self, steps: Sequence[Step]) -> None:
        for step in steps:
            if step.does == "wait":
                self.clock.pass_(step.took)
            elif step.does == "compaction":
                self.compact(step)
            elif step.does == "user":
                self.clock.pass_(step.took)
                self.message("user", step.parts, time=self.clock.now, step=step)
            else:
                self.assistant(step)

    def compact(self, step: Step) -> None:
        asked = self.clock.pass_(1)
        self.message("user", (Compaction(auto=True),), time=asked, step=step)
        began = self.clock.pass_(1)
        self.message(
            "assistant",
            step.parts,
            time=began,
            ended=self.clock.pass_(step.took),
            finish="stop",
            summary=True,
            step=None,
        )

    def assistant(self, step: Step) -> None:
        """One assistant message: of one step, or of the several in a group."""
        began = self.clock.pass_(1)
        inner = step.steps if step.does == "group" else (step,)
        parts: list[Part] = []
        for one in inner:
            if one.does == "assistant":
                self.clock.pass_(one.took)
                parts.extend(one.parts)
            else:
                parts.append(self.call(one))
        last = inner[-1] if inner else step
        if step.does == "group":
            for one in inner:
                if one.does == "assistant" and one.flag is not None:
                    self.expect(None, one.flag)
        written = sum(one.tokens_out or 0 for one in inner)
        has_call = any(isinstance(part, Call) for part in parts)
        self.message(
            "assistant",
            tuple(parts),
            time=began,
            ended=self.clock.now if last.completed else None,
            finish=(step.finish if has_call else "stop") if step.does == "group" else step.finish,
            tokens_out=written if step.does == "group" or not has_call else 30,
            error=last.trouble,
            step=step if step.does in ("assistant", "group") else None,
        )

    def call(self, step: Step) -> Call:
        """A call with its id and times; of a task, with its child session."""
        self.clock.calls += 1
        call = step.parts[0]
        assert isinstance(call, Call)
        name = f"call_{self.clock.calls:03d}"
        began = self.clock.now
        handed = None
        if step.does == "child":
            self.clock.children += 1
            handed = f"{self.id}_child{self.clock.children}"
            inside = _Maker(handed, self.expected, self.clock)
            inside.run(step.steps)
            self.children.append(
                inside.session(
                    title="subtask", parent=self.id, directory=None, source_format="opencode-export"
                )
            )
        ended = self.clock.pass_(step.took)
        if step.flag is not None:
            self.expect(name, step.flag)
        return _numbered(call, name, began, ended if step.completed else None, handed)

    def expect(self, call_id: str | None, flag: Flag) -> None:
        self.expected.append(
            Expected(session=self.id, message_index=len(self.messages), call_id=call_id, flag=flag)
        )

    def message(
        self, role: Literal["user", "assistant"], parts: tuple[Part, ...], *, step: Step | None, **about: Any
    ) -> None:
        if step is not None and step.flag is not None:
            self.expect(None, step.flag)
        index = len(self.messages)
        if role == "assistant":
            about = {"model": "example-model", "agent": "build", "tokens_in": 1000, **about}
            if "tokens_out" not in about or about["tokens_out"] is None:
                about["tokens_out"] = step.tokens_out if step is not None else None
        prefix = "" if self.id == "ses_example" else self.id.removeprefix("ses_example_") + "_"
        self.messages.append(
            Message(id=f"msg_{prefix}{index:03d}", index=index, role=role, parts=parts, **about)
        )


def _numbered(call: Call, name: str, start: int, end: int | None, handed: str | None) -> Call:
    replaced = msgspec.structs.replace(call, id=name, start=start, end=end, child=handed)
    assert isinstance(replaced, Call)
    return replaced


@dataclass(frozen=True, kw_only=True)
class Mismatch:
    """One way in which a rule does not do what its example says."""

    example: str
    """Title of the example."""
    problem: str
    """What is wrong, in words."""

    def __str__(self) -> str:
        return f"{self.example}: {self.problem}"


TIME_LIMIT_S = 10.0
"""Seconds that a rule may work on one example, which holds a few messages: less than on a session of any size."""


def run_example(rule: Rule, example: Example, *, before: Sequence[Rule] = ()) -> list[Mismatch]:
    """Run one rule on one of its examples; empty when it does exactly what the example says.

    :param before: rules that run first, where the rule follows up on others.

    A finding where none is expected is a mismatch, and so are a missing one, one at another place, and one
    with another severity, confidence, kind or fact than the flag says. A rule that crashes, or cannot judge
    the example at all, is one too.
    """
    from sessionlens.engine import audit

    session, expected = example.build()
    result = audit(session, rules=[*before, rule], settings=example.settings, time_limit=TIME_LIMIT_S)
    problems = [f"crashed: {error.error}" for error in result.rule_errors if error.rule == rule.slug]
    problems += [
        f"not checkable: {skipped.reason}" for skipped in result.not_checkable if skipped.rule == rule.slug
    ]
    found = [finding for finding in result.findings if finding.rule == rule.slug]
    for wanted in expected:
        if wanted.flag.rule != rule.slug:
            continue
        here = [finding for finding in found if wanted.at(finding)][: wanted.flag.count]
        for finding in here:
            found.remove(finding)
            problems += [f"{_spot(wanted)}: {difference}" for difference in wanted.differences(finding)]
        if len(here) < wanted.flag.count:
            many = f"{wanted.flag.count} findings" if wanted.flag.count > 1 else "a finding"
            problems.append(f"{_spot(wanted)}: expected {many}, found {len(here) or 'none'}")
    problems += [
        f"message {finding.at.message_index} of {finding.at.session}: not expected: {finding.title} "
        f"({finding.severity}, {finding.confidence} confidence)"
        for finding in found
    ]
    return [Mismatch(example=example.title, problem=problem) for problem in problems]


def _spot(expected: Expected) -> str:
    call = f", {expected.call_id}" if expected.call_id else ""
    return f"message {expected.message_index} of {expected.session}{call}"
