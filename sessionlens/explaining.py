"""Why a rule fired at a message, or did not.

The rule runs once more, on a fresh graph, while two things are kept: the questions that are asked of windows which
begin, end or have their answer at the message, and the way through the source of the rule, and of what the graph
computes for it, as long as that is about an event of the message: each condition with the part that decided it.
Besides: what the graph makes of the message, what the rule cannot judge, its options, its findings near by, and what
other rules found there. A declarative rule has no source; its conditions are asked one by one.
"""

from __future__ import annotations

import ast
import inspect
import sys
import time
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import msgspec

from sessionlens import engine
from sessionlens.declared.rules import Declared
from sessionlens.findings import Finding
from sessionlens.graph.events import Called, Event, Operation, Ran, Said, Turn
from sessionlens.graph.session_graph import SessionGraph
from sessionlens.graph.trace import Asked, Trace
from sessionlens.model import Message, Session
from sessionlens.rule import FollowUp, Rule, options
from sessionlens.targets import EnvironmentSettings

MOST_QUESTIONS = 60
"""Questions about one message that are told."""
MOST_STEPS = 400
"""Steps through the source that are told."""
SECONDS = 120.0
"""Watching slows a rule down; after this long it is no longer watched, and that is said."""
_QUOTED = 160
_GRAPH = Path(inspect.getfile(SessionGraph)).parent
_NOT_WATCHED = frozenset(
    {
        "queries.py",
        "events.py",
        "build.py",
        "session_graph.py",
        "network.py",
        "trace.py",
        "matching.py",
        "export.py",
    }
)
"""Modules of the graph that decide nothing for a rule: they lay out, ask and draw."""


class Saw(msgspec.Struct, frozen=True, kw_only=True):
    """What the graph makes of one event of the message."""

    seq: int
    """Its position on the line of events."""
    kind: str
    """``said``, ``called`` or ``ran``."""
    what: str
    """The role, the tool, or the words of the command."""
    told: dict[str, Any]
    """What is known of it, as far as it is set."""


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """A question about a window, in words."""

    window: str
    """From where to where."""
    asked: str
    """What was asked."""
    answer: str
    """What came of it."""


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a condition, and what it was."""

    source: str
    """The part, as written."""
    value: str
    """Its value, in short."""


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """A statement that was reached while the rule looked at the message."""

    file: str
    """Name of the source file."""
    line: int
    """Its line."""
    function: str
    """Function it stands in."""
    source: str
    """The statement, as written, without its body."""
    outcome: str = ""
    """``yes`` or ``no`` for a condition, the value for a return."""
    parts: tuple[Part, ...] = ()
    """The parts of a condition up to the one that decided it."""


class Brief(msgspec.Struct, frozen=True, kw_only=True):
    """A finding, as short as it can be."""

    rule: str
    """Slug of its rule."""
    message_index: int
    """Its message."""
    call_id: str | None
    """Its call."""
    severity: str
    """How bad."""
    title: str
    """What happened."""


class Explanation(msgspec.Struct, frozen=True, kw_only=True):
    """Why a rule fired at a message, or did not."""

    rule: str
    """Slug of the rule."""
    session: str
    """Session or child that holds the message."""
    message_id: str | None
    """Id of the message."""
    message_index: int
    """Its position."""
    line: int | None
    """Its line in the log."""
    fired: tuple[Brief, ...]
    """Findings of the rule at the message."""
    verdict: str
    """The whole in one sentence."""
    not_checkable: str | None
    """Why the rule cannot judge this session."""
    options: dict[str, Any]
    """The options it ran with."""
    events: tuple[Saw, ...]
    """What the graph makes of the message."""
    steps: tuple[Step, ...]
    """The way through the source."""
    questions: tuple[Question, ...]
    """Questions that concern the message."""
    before: Brief | None
    """The nearest finding of the rule before the message."""
    after: Brief | None
    """The nearest after it."""
    others: tuple[Brief, ...]
    """What other rules found at the message."""
    error: str | None
    """Why the rule did not come to its end."""
    cut_short: str | None
    """What was left out of steps and questions."""


def explain(
    session: Session,
    rule: Rule,
    message: Message,
    *,
    owner: Session | None = None,
    others: Sequence[Rule] = (),
    settings: EnvironmentSettings | None = None,
) -> Explanation:
    """Why ``rule`` fired at ``message``, or did not.

    :param session: the session that is judged, children included.
    :param owner: the child that holds the message; the session itself where nothing is said.
    :param others: further rules: the ones it follows up on, and those whose findings are told.
    """
    owner = owner or session
    place = (owner.id, message.index)
    result = engine.audit(
        session,
        rules=[rule, *(one for one in others if one.slug != rule.slug)],
        settings=settings,
    )
    own = [finding for finding in result.findings if finding.rule == rule.slug]
    fired = tuple(_brief(finding) for finding in own if _at(finding) == place)
    reason = next((row.reason for row in result.not_checkable if row.rule == rule.slug), None)
    earlier = tuple(finding for finding in result.findings if finding.rule in rule.after)
    # Nothing that the audit has computed and kept may hide how it came about.
    graph = SessionGraph(session, settings)
    trace = graph.trace = Trace()
    steps: tuple[Step, ...] = ()
    cut_short = None
    if reason is None:
        if isinstance(rule, Declared):
            _run_through(rule, graph, earlier)
            steps = tuple(_conditions(rule, graph, place))
        else:
            watch = _Watch(rule, place)
            with watch:
                _run_through(rule, graph, earlier)
            steps, cut_short = watch.told(), watch.cut_short
    asked = [one for one in trace.questions if _concerns(graph, one, place)]
    questions = tuple(dict.fromkeys(_worded(graph, one) for one in asked))
    if len(questions) > MOST_QUESTIONS:
        left = len(questions) - MOST_QUESTIONS
        cut_short = "; ".join(filter(None, (cut_short, f"{left} further questions left out")))
    error = next((row.error for row in result.rule_errors if row.rule == rule.slug), None)
    order = {(one.id, m.index): n for n, (one, m) in enumerate(_messages(session))}
    here = order[place]
    before = [finding for finding in own if order[_at(finding)] < here]
    after = [finding for finding in own if order[_at(finding)] > here]
    return Explanation(
        rule=rule.slug,
        session=owner.id,
        message_id=message.id,
        message_index=message.index,
        line=message.origin.line,
        fired=fired,
        verdict=f"{rule.slug} cannot judge this session: {reason}"
        if reason is not None
        else _verdict(rule, fired, own, error, steps),
        not_checkable=reason,
        options={option.name: getattr(rule, option.name) for option in options(type(rule))},
        events=tuple(_saw(graph, event) for event in graph.events if _event_at(event) == place),
        steps=steps,
        questions=questions[:MOST_QUESTIONS],
        before=_brief(before[-1]) if before else None,
        after=_brief(after[0]) if after else None,
        others=tuple(
            _brief(finding)
            for finding in result.findings
            if finding.rule != rule.slug and _at(finding) == place
        ),
        error=error,
        cut_short=cut_short,
    )


def _verdict(
    rule: Rule, fired: Sequence[Brief], own: Sequence[Finding], error: str | None, steps: Sequence[Step]
) -> str:
    if fired:
        many = "" if len(fired) == 1 else f", {len(fired)} times"
        return f"{rule.slug} fired here{many}: {fired[0].title}"
    if error is not None:
        return f"{rule.slug} did not come to its end: {error}"
    often = "once" if len(own) == 1 else f"{len(own)} times"
    elsewhere = f"it fired {often} elsewhere" if own else "it did not fire anywhere in this session"
    asked = [step for step in steps if step.outcome and not step.source.startswith("return")]
    last = asked[-1] if asked else None
    if last is None:
        return f"{rule.slug} did not fire here, and looked at nothing of this message; {elsewhere}"
    deciding = last.parts[-1] if last.parts else None
    words = f"{deciding.source} is {deciding.value}" if deciding else f"{last.source} is {last.outcome}"
    return f"{rule.slug} did not fire here; the last thing it asked: {words}; {elsewhere}"


def _run_through(rule: Rule, graph: SessionGraph, earlier: tuple[Finding, ...]) -> None:
    """Let the rule come to its end; what goes wrong, the audit has told."""
    try:
        found = rule.check_after(graph, earlier) if isinstance(rule, FollowUp) else rule.check(graph)
        for _ in found:
            pass
    except (Exception, SystemExit):
        return


def _messages(session: Session) -> Iterator[tuple[Session, Message]]:
    for one in session.family():
        for message in one.messages:
            yield one, message


def _at(finding: Finding) -> tuple[str, int]:
    return finding.at.session, finding.at.message_index


def _event_at(event: Event) -> tuple[str, int]:
    return event.at.session, event.at.message_index


def _brief(finding: Finding) -> Brief:
    return Brief(
        rule=finding.rule,
        message_index=finding.at.message_index,
        call_id=finding.at.call_id,
        severity=finding.severity,
        title=finding.title,
    )


# -- what the graph makes of it -------------------------------------------------------------------------


def _saw(graph: SessionGraph, event: Event) -> Saw:
    if isinstance(event, Said):
        told: dict[str, Any] = {
            "human": event.human,
            "empty": event.message.empty and event.opening,
            "finish": event.message.finish,
            "acts": sorted({act.act for act in graph.reading(event).acts()}) if event.texts else [],
        }
        return Saw(seq=event.seq, kind="said", what=event.role, told=_set(told))
    if isinstance(event, Called):
        told = {
            "status": event.call.status,
            "exit": event.call.exit,
            "cut_off": event.cut_off.by if event.cut_off is not None else None,
            "limit_ms": event.call.limit_ms,
            "took_ms": graph.took(event),
            "background": event.call.background,
            "interrupted": event.call.interrupted,
            "connection_lost": event.connection_lost,
            "shows_nothing": event.shows_nothing,
        }
        return Saw(seq=event.seq, kind="called", what=_short(event.line or event.call.name), told=_set(told))
    command, outcome = event.command, event.outcome
    told = {
        "effect": command.effect,
        "target": f"{command.target.kind} {command.target.name}".strip(),
        "host": command.target.host,
        "environment": graph.setting(event).environment,
        "change": event.change,
        "check": event.check,
        "start": event.start,
        "check_strength": command.check_strength,
        "detached": command.detached,
        "dry_run": command.dry_run,
        "reached": outcome.reached if outcome.reached != "yes" else None,
        "completed": outcome.completed,
        "failed": outcome.failed,
        "state": outcome.state,
        "opened": next((op.opened_by for op in graph.ledger if op.event.seq == event.seq), None),
        "closed": next(
            (op.closed_by for op in graph.ledger if op.closing is not None and op.closing.seq == event.seq),
            None,
        ),
    }
    return Saw(seq=event.seq, kind="ran", what=_short(" ".join(command.words)), told=_set(told))


def _set(told: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in told.items() if value not in (None, False, "", [])}


def _short(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= _QUOTED else words[: _QUOTED - 1] + "…"


# -- questions ------------------------------------------------------------------------------------------


def _concerns(graph: SessionGraph, asked: Asked, place: tuple[str, int]) -> bool:
    seqs = (asked.after, asked.before, *asked.found)
    return any(0 <= seq < len(graph.events) and _event_at(graph.events[seq]) == place for seq in seqs)


def _worded(graph: SessionGraph, asked: Asked) -> Question:
    begin = "the beginning" if asked.after < 0 else _named(graph, asked.after)
    stop = "the end" if asked.before >= len(graph.events) else _named(graph, asked.before)
    if asked.answer is not None:
        answer = str(asked.answer) if not isinstance(asked.answer, bool) else "yes" if asked.answer else "no"
    else:
        found = [_named(graph, seq) for seq in asked.found[:5]]
        more = len(asked.found) - len(found)
        answer = ", ".join(found) + (f" and {more} more" if more > 0 else "") if found else "none"
    return Question(
        window=f"after {begin}, before {stop}",
        asked=f"{asked.how}({', '.join(asked.predicates)})" if asked.predicates else asked.how,
        answer=answer,
    )


def _named(graph: SessionGraph, seq: int) -> str:
    event = graph.events[seq]
    where = f"message {event.at.message_index}"
    if event.depth:
        where += f" of {event.at.session}"
    if isinstance(event, Ran):
        return f"{where} ({_short(' '.join(event.command.words))[:60]})"
    if isinstance(event, Called):
        return f"{where} (call of {event.call.name})"
    return f"{where} ({event.role})"


def _conditions(rule: Declared, graph: SessionGraph, place: tuple[str, int]) -> Iterator[Step]:
    """What a declarative rule asks of each event of the message."""
    for event in graph.events:
        if _event_at(event) != place:
            continue
        what = event.role if isinstance(event, Said) else "call" if isinstance(event, Called) else "command"
        for key, source, value in rule.asked_of(graph, event):
            yield Step(
                file=f"{rule.slug.replace('-', '_')}.rule.toml",
                line=0,
                function=f"{what} {event.seq}",
                source=f"{key}: {source}",
                outcome="yes" if value else "no",
            )


# -- the way through the source -------------------------------------------------------------------------


class _Visit:
    """A function while it is about the message: the lines it reached, with parts of conditions."""

    def __init__(self, file: str, function: str) -> None:
        self.file, self.function = file, function
        self.lines: list[tuple[int, tuple[Part, ...]]] = []


class _Watch:
    """Follows the rule, and the graph's own modules, through the lines that are about the message."""

    def __init__(self, rule: Rule, place: tuple[str, int]) -> None:
        self.place = place
        own = inspect.getfile(type(rule))
        self.files = {own} | {
            file.as_posix() for file in _GRAPH.glob("*.py") if file.name not in _NOT_WATCHED
        }
        self.frames: dict[int, _Visit] = {}
        self.visits: list[_Visit] = []
        self.turns: dict[int, bool] = {}
        self.kept = 0
        self.cut_short: str | None = None
        self._stop = time.monotonic() + SECONDS
        self._before: Any = None

    def __enter__(self) -> _Watch:
        self._before = sys.gettrace()
        sys.settrace(self._called)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(self._before)

    def _called(self, frame: FrameType, event: str, _arg: Any) -> Any:
        if event != "call" or frame.f_code.co_filename not in self.files or self.cut_short is not None:
            return None
        return self._step

    def _step(self, frame: FrameType, event: str, arg: Any) -> Any:
        key = id(frame)
        if event == "line":
            if self._about(frame):
                visit = self.frames.get(key)
                if visit is None:
                    visit = self.frames[key] = _Visit(frame.f_code.co_filename, frame.f_code.co_name)
                    self.visits.append(visit)
                visit.lines.append((frame.f_lineno, _parts(frame)))
                self.kept += 1
                if self.kept > MOST_STEPS * 20 or time.monotonic() > self._stop:
                    self.cut_short = "the rule was not watched to its end"
            else:
                self.frames.pop(key, None)
        elif event == "return":
            visit = self.frames.pop(key, None)
            if visit is not None and not frame.f_code.co_flags & inspect.CO_GENERATOR:
                visit.lines.append((-1, (Part(source="", value=_value(arg)),)))
        return self._step

    def _about(self, frame: FrameType) -> bool:
        """Whether one of the function's variables is of the message, or what called it is about it."""
        if any(self._of(value) for value in frame.f_locals.values()):
            return True
        back = frame.f_back
        # A function without an event of its own, such as one that reads a text, is about what its caller is about.
        events = any(isinstance(value, Said | Called | Ran) for value in frame.f_locals.values())
        return not events and back is not None and id(back) in self.frames

    def _of(self, value: Any) -> bool:
        if isinstance(value, Said | Called | Ran):
            return _event_at(value) == self.place
        if isinstance(value, Operation):
            return _event_at(value.event) == self.place
        if isinstance(value, Finding):
            return _at(value) == self.place
        if isinstance(value, list | tuple):
            # What a follow-up goes by: the findings of others.
            return any(isinstance(one, Finding) and _at(one) == self.place for one in value[:50])
        if isinstance(value, Turn):
            known = self.turns.get(id(value))
            if known is None:
                events: list[Event] = [*value.messages, *value.calls]
                known = any(_event_at(event) == self.place for event in events)
                self.turns[id(value)] = known
            return known
        if isinstance(value, msgspec.Struct):
            fields = (getattr(value, name, None) for name in value.__struct_fields__)
            return any(
                isinstance(one, Said | Called | Ran) and _event_at(one) == self.place for one in fields
            )
        return False

    def told(self) -> tuple[Step, ...]:
        """The steps: conditions, and what functions gave."""
        steps: list[Step] = []
        for visit in self.visits:
            source = _source(visit.file)
            for at, (line, parts) in enumerate(visit.lines):
                following = visit.lines[at + 1][0] if at + 1 < len(visit.lines) else None
                step = source.step(visit, line, parts, following)
                if step is not None and (not steps or steps[-1] != step):
                    steps.append(step)
        # Rules go over the same ground for each question; each way is told once.
        steps = list(dict.fromkeys(steps))
        if len(steps) > MOST_STEPS:
            self.cut_short = f"{len(steps) - MOST_STEPS} further steps left out"
        return tuple(steps[-MOST_STEPS:])


class _Source:
    """The conditions and returns of one source file, by line."""

    def __init__(self, file: str) -> None:
        self.name = Path(file).name
        self.tests: dict[int, ast.If | ast.While] = {}
        self.returns: dict[int, ast.Return] = {}
        self.others: dict[int, ast.stmt] = {}
        try:
            self.text = Path(file).read_text("utf-8")
            tree = ast.parse(self.text)
        except (OSError, ValueError, SyntaxError):
            self.text, tree = "", ast.Module(body=[], type_ignores=[])
        for node in ast.walk(tree):
            if isinstance(node, ast.If | ast.While):
                self.tests.setdefault(node.test.lineno, node)
            elif isinstance(node, ast.Return):
                self.returns[node.lineno] = node
            elif isinstance(node, ast.Continue | ast.Raise) or (
                isinstance(node, ast.Expr) and isinstance(node.value, ast.Yield | ast.YieldFrom)
            ):
                self.others[node.lineno] = node

    def step(self, visit: _Visit, line: int, parts: tuple[Part, ...], following: int | None) -> Step | None:
        """The step of one line that was reached, with what came next; ``None`` for a line that decides nothing."""
        source, outcome = "", ""
        if line in self.tests:
            node = self.tests[line]
            source = f"{'while' if isinstance(node, ast.While) else 'if'} {ast.unparse(node.test)}"
            if following is not None:
                first, last = node.body[0].lineno, node.body[-1].end_lineno or node.body[-1].lineno
                within_test = node.test.lineno < following <= (node.test.end_lineno or node.test.lineno)
                outcome = "" if within_test else "yes" if first <= following <= last else "no"
            if not outcome and parts and parts[-1].value in ("yes", "no"):
                outcome = parts[-1].value
            if not outcome:
                return None
        elif line in self.returns:
            value = self.returns[line].value
            source = "return" if value is None else f"return {ast.unparse(value)}"
            outcome = "" if following != -1 else _returned(visit)
        elif line in self.others:
            source = ast.unparse(self.others[line])
        else:
            return None
        return Step(
            file=self.name,
            line=line,
            function=visit.function,
            source=_short(source),
            outcome=outcome,
            parts=parts,
        )


def _returned(visit: _Visit) -> str:
    line, parts = visit.lines[-1]
    return parts[0].value if line == -1 and parts else ""


@lru_cache(maxsize=64)
def _source(file: str) -> _Source:
    return _Source(file)


@lru_cache(maxsize=4096)
def _compiled(file: str, line: int) -> tuple[tuple[str, bool, CodeType, frozenset[str]], ...]:
    """The parts of the condition on a line: as written, whether it is an ``or``, ready to be evaluated, its names."""
    source = _source(file)
    node: ast.AST | None = source.tests.get(line)
    test = node.test if isinstance(node, ast.If | ast.While) else None
    if test is None and line in source.returns:
        test = source.returns[line].value
    if test is None:
        return ()
    negated = isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
    inner = test.operand if isinstance(test, ast.UnaryOp) and negated else test
    whole = inner if isinstance(inner, ast.BoolOp) else None
    if whole is None and not isinstance(node, ast.If | ast.While):
        return ()
    ready = []
    for part in whole.values if whole is not None else [test]:
        names = frozenset(one.id for one in ast.walk(part) if isinstance(one, ast.Name))
        if any(isinstance(one, ast.Yield | ast.YieldFrom | ast.Await) for one in ast.walk(part)):
            return ()
        code = compile(ast.fix_missing_locations(ast.Expression(part)), file, "eval")
        ready.append(
            (_short(ast.unparse(part)), whole is not None and isinstance(whole.op, ast.Or), code, names)
        )
    return tuple(ready)


def _parts(frame: FrameType) -> tuple[Part, ...]:
    """The parts of the condition that the function has reached, up to the one that decides it.

    Rules are pure, so that asking twice changes nothing; a part that would use up an iterator is left alone.
    """
    found: list[Part] = []
    pieces = _compiled(frame.f_code.co_filename, frame.f_lineno)
    if not pieces:
        return ()
    tracing = sys.gettrace()
    sys.settrace(None)
    # One dictionary for names of both kinds: a generator within the part sees no others.
    names = {**frame.f_globals, **frame.f_locals}
    graph = next((value for value in names.values() if isinstance(value, SessionGraph)), None)
    kept, trace = (graph.trace, graph) if graph is not None else (None, None)
    try:
        if trace is not None:
            trace.trace = None
        for source, either, code, used in pieces:
            if any(isinstance(names.get(name), Iterator) for name in used):
                break
            try:
                value = eval(code, names)
            except Exception:
                break
            found.append(Part(source=source, value=_value(value, verdict=True)))
            if len(pieces) > 1 and bool(value) is either:
                break
    finally:
        if trace is not None:
            trace.trace = kept
        sys.settrace(tracing)
    return tuple(found)


def _value(value: Any, *, verdict: bool = False) -> str:
    """A value in short: verdicts as yes and no, events by their message."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Said | Called | Ran):
        return f"message {value.at.message_index}"
    if isinstance(value, int | float | str):
        return _short(repr(value))[:60]
    if verdict:
        return "yes" if value else "no"
    if isinstance(value, list | tuple | set | frozenset | dict):
        return f"{len(value)} of them"
    return type(value).__name__


def rows(one: Explanation) -> Iterator[str]:
    """The explanation as lines for a terminal, not yet made safe for one."""
    yield one.verdict
    where = f"message {one.message_index} of {one.session}"
    if one.message_id:
        where += f", id {one.message_id}"
    yield where + (f", line {one.line}" if one.line is not None else "")
    if one.options:
        yield "options: " + ", ".join(f"{name} = {value!r}" for name, value in one.options.items())
    yield "the graph sees:"
    for saw in one.events:
        told = ", ".join(f"{key} {_plain(value)}" for key, value in saw.told.items())
        yield f"  {saw.seq:5} {saw.kind:6} {saw.what}" + (f": {told}" if told else "")
    if not one.events:
        yield "  nothing"
    if one.steps:
        yield "the rule's way:"
        function = ""
        for step in one.steps:
            head = f"{step.file}, {step.function}"
            if head != function:
                function = head
                yield f"  {head}"
            number = f"{step.line:4} " if step.line else ""
            yield f"    {number}{step.source}" + (f"  → {step.outcome}" if step.outcome else "")
            if [part.source for part in step.parts] != [step.source.partition(" ")[2]]:
                yield from (f"           {part.source}  → {part.value}" for part in step.parts)
    elif one.not_checkable is None:
        yield "the rule's way: nothing of it is about this message"
    if one.questions:
        yield "questions asked:"
        for question in one.questions:
            yield f"  {question.window}: {question.asked} → {question.answer}"
    for heading, brief in (("nearest before", one.before), ("nearest after", one.after)):
        if brief is not None:
            yield f"{heading}: message {brief.message_index}, {brief.severity}: {brief.title}"
    for brief in one.others:
        yield f"also here: {brief.rule}, {brief.severity}: {brief.title}"
    if one.error is not None:
        yield f"the rule did not come to its end: {one.error}"
    if one.cut_short is not None:
        yield f"left out: {one.cut_short}"


def _plain(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else "yes" if value is True else str(value)
