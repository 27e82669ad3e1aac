"""Reader ``swe-agent``: trajectories of SWE-agent (``.traj``) and mini-SWE-agent (``.traj.json``).

SWE-agent writes one JSON document with ``trajectory`` (steps with action and observation), ``history`` (what the model
saw) and ``info``; demonstrations can hold the history alone. mini-SWE-agent writes ``info`` and ``messages``. Facts are
those of log-formats §9, the public logs it was measured on (SWE-agent 0.x and 1.0), the public documentation of
mini-SWE-agent 1 and runs of mini-SWE-agent 2.4 with its own test models.

- One step is one assistant message with one call; its observation is the call's result and no message. The action is
  a line for the agent's shell, so the call is ``bash`` unless the model called a tool by name.
- Where both are there, steps come from the trajectory (it has every step that ran) and the messages before the first
  step from the history.
- The format has no times, and exit codes only in mini-SWE-agent, whose version 2 has times too. A step of SWE-agent that
  took part of a second says so (``execution_time``), but not when.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sessionlens.cache import lazy
from sessionlens.model import LONG, Origin, Reasoning, Session, Text, TextPart, Trouble
from sessionlens.readers.base import ReadError
from sessionlens.readers.drafts import CallDraft, Draft, SessionDraft, role_of
from sessionlens.readers.jsonl import as_json, integer, joined, string, text, within
from sessionlens.readers.pieces import Piece, beginning, document
from sessionlens.readers.source import Source

FORMAT = "swe-agent"
_BLOCK = lazy(r"```(?:mswea_bash_command|bash|sh|shell)[ \t]*\r?\n(?P<command>.*?)\r?\n?```", re.DOTALL)
_OBSERVED = lazy(
    r"\s*(?:<returncode>(?P<code>-?\d{1,10})</returncode>|<output>|<exception>|The last command <command>|Observation:"
    r"|\{\s*\"returncode\":)"
)
_HEADER = lazy(r"\A\s*(?:<returncode>-?\d{1,10}</returncode>\s*)?<output>\r?\n?")
_FOOTER = lazy(r"\r?\n?</output>\s*\Z")
_EXPIRED = lazy(r"timed out after \d{1,9}(?:\.\d{1,9})? seconds\s*\Z")
_PROMPT = lazy(r"\n?(?:\(Open file: [^\n]*\)\n)?\(Current directory: [^\n]*\)\nbash-\$\s*\Z")
"""State of the agent's shell that the history puts below each observation."""
_COST = ("exit_cost", "exit_context", "exit_error", "exit_api", "exit_format", "exit_total_execution_time")


class SweAgent:
    """Reads trajectories of SWE-agent and mini-SWE-agent."""

    name = FORMAT

    def recognises(self, source: Source) -> str | None:
        """``None`` for an object with a trajectory of actions and observations, or a history or messages of the agent."""
        if source.folder:
            return "a folder, not a file"
        root = beginning(source)
        if root is None or root.first() != b"{":
            return "no JSON object at the beginning"
        keys = root.members()
        if "trajectory_format" in keys and str(keys["trajectory_format"].value()).startswith(
            "mini-swe-agent"
        ):
            return None
        if "mini_version" in keys.get("info", root).members():
            return None
        step = _first(keys.get("trajectory"))
        if step is not None and {"action", "observation"} <= step.members().keys():
            return None
        if _attempts(root):
            return None
        past = _first(keys.get("history"))
        if (
            past is not None
            and "role" in past.members()
            and {"agent", "message_type"} & past.members().keys()
        ):
            return None
        return "no `trajectory` of steps with `action` and `observation`, no `history` of an agent"

    def read(self, source: Source) -> Iterator[Session]:
        """The session, or one for each attempt. Raises :class:`ReadError` when it holds no step and no message."""
        try:
            root = document(source)
            stem = Path(source.name).stem or source.name
            attempts = _attempts(root)
            found = False
            for number, piece in enumerate(attempts or [root], 1):
                reading = _Reading(f"{stem}-{number}" if attempts else stem, piece)
                reading.read(root.complete)
                if reading.draft.drafts:
                    found = True
                    yield reading.draft.session()
            if not found:
                raise ReadError(source.name, "the trajectory holds no step and no message")
        finally:
            source.release()


def _first(piece: Piece | None) -> Piece | None:
    return None if piece is None else next(piece.items(), None)


def _attempts(root: Piece) -> list[Piece]:
    """Trajectories of an agent that tried several times."""
    return [
        piece
        for piece in root.list("attempts")
        if piece.get("trajectory") is not None or piece.get("history") is not None
    ]


class _Reading:
    """One trajectory."""

    def __init__(self, identifier: str, root: Piece) -> None:
        self.root = root
        self.draft = SessionDraft(FORMAT, identifier, client=FORMAT)
        self.limit: int | None = None
        """Limit of each command in milliseconds, where the run's configuration tells it (mini-SWE-agent)."""

    def read(self, complete: bool) -> None:
        root, draft = self.root, self.draft
        info = root.get("info")
        told = info.value() if info is not None and info.complete else None
        version = within(told, "swe_agent_version") or within(told, "mini_version")
        draft.version = string(version)
        environment = root.get("environment")
        draft.title = string(environment.value()) if environment is not None else None
        limit = within(told, "config", "environment", "timeout")
        if isinstance(limit, (int, float)) and not isinstance(limit, bool) and 0 < limit < 1e6:
            self.limit = round(limit * 1000)
        if root.get("messages") is not None:
            self._messages(root.list("messages"))
        else:
            steps = root.list("trajectory")
            self._history(root.list("history"), only_before=bool(steps))
            for step in steps:
                self._step(step)
        if not complete:
            draft.unreadable(root.origin, cut=True)
        self._ended(string(within(told, "exit_status")), info)

    def _ended(self, status: str | None, info: Piece | None) -> None:
        """How the run ended: by the agent's own submission, or by a limit on its cost, context or time."""
        last = self.draft.last("assistant")
        if status is None or last is None:
            return
        if any(word in status for word in _COST) or status.lower() in (
            "limitsexceeded",
            "timeexceeded",
            "interruptedbyuser",
        ):
            last.error = last.error or Trouble(name=status[:80])
        if status.lower() == "interruptedbyuser" and info is not None:
            self.draft.interrupt(status)

    # --- SWE-agent ---

    def _history(self, records: list[Piece], *, only_before: bool) -> None:
        for piece in records:
            value = piece.value()
            if not isinstance(value, dict):
                self.draft.unreadable(piece.origin, cut=not piece.complete)
                continue
            role = string(value.get("role"))
            if role == "assistant":
                if only_before:
                    if value.get("is_demo") is True:
                        self._said(piece, value, "assistant", synthetic=True)
                        continue
                    return
                self._acted(piece, value)
            elif role == "tool" or (role == "user" and self._answers(value)):
                self._observed(piece, value)
            else:
                self._said(piece, value, role, synthetic=value.get("is_demo") is True)

    def _answers(self, value: dict[str, Any]) -> bool:
        """Whether a user record is the observation of the step before it and not the task."""
        return self._open() and value.get("is_demo") is not True

    def _open(self) -> bool:
        return self.draft.waiting() is not None

    def _said(self, piece: Piece, value: dict[str, Any], role: str | None, *, synthetic: bool) -> Draft:
        draft = self.draft.message(role_of(role), piece.origin)
        draft.agent = string(value.get("agent"))
        content = piece.get("content")
        if content is not None:
            draft.say(content.text(), content.origin, synthetic=synthetic)
        return draft

    def _acted(self, piece: Piece, value: dict[str, Any]) -> None:
        draft = self.draft.message("assistant", piece.origin)
        draft.agent = string(value.get("agent"))
        thought = piece.get("thought")
        content = piece.get("content")
        calls = piece.list("tool_calls")
        action = piece.get("action")
        shown = (
            thought
            if thought is not None and string(thought.value())
            else (content if calls or action is None else None)
        )
        if shown is not None:
            draft.say(shown.text(), shown.origin)
        if calls:
            for call in calls:
                self._called(draft, call)
        elif action is not None and (string(action.value()) or "").strip():
            self._action(draft, action)
        elif shown is None and content is not None:
            draft.say(content.text(), content.origin)

    def _action(self, draft: Draft, action: Piece) -> CallDraft:
        return self.draft.call(
            draft, name="bash", identifier=None, text=_command(action, action.value()), origin=action.origin
        )

    def _called(self, draft: Draft, piece: Piece) -> CallDraft:
        value = piece.value()
        function = piece.get("function") or piece
        arguments = function.get("arguments")
        return self.draft.call(
            draft,
            name=string(within(function.value(), "name")) or "unknown",
            identifier=string(within(value, "id")),
            text=arguments.json() if arguments is not None else Text("{}"),
            origin=piece.origin,
        )

    def _observed(self, piece: Piece, value: dict[str, Any]) -> None:
        content = piece.get("content")
        ids = value.get("tool_call_ids")
        named = (
            ids[0]
            if isinstance(ids, list) and ids and isinstance(ids[0], str)
            else string(value.get("tool_call_id"))
        )
        found = self.draft.calls.get(named) if named is not None else None
        self._result(found or self.draft.waiting(), content, piece.origin)

    def _result(self, found: tuple[Draft, CallDraft] | None, content: Piece | None, origin: Origin) -> None:
        if found is None:
            self.draft.answer(None, origin)
            return
        if content is None:
            self.draft.answer(found, origin, output=Text(""))
            return
        prompt = _PROMPT.search(joined(content.value())[-2000:])
        end = -len(prompt[0]) if prompt is not None else None
        self.draft.answer(found, origin, output=content.text(end=end))

    def _step(self, piece: Piece) -> None:
        value = piece.value()
        if not isinstance(value, dict):
            self.draft.unreadable(piece.origin, cut=not piece.complete)
            return
        draft = self.draft.message("assistant", piece.origin)
        reasoning = piece.get("thinking_blocks") or piece.get("reasoning_content")
        if reasoning is not None and reasoning.value():
            draft.parts.append(Reasoning(text=_thinking(reasoning), origin=reasoning.origin))
        thought, response = piece.get("thought"), piece.get("response")
        action, observation = piece.get("action"), piece.get("observation")
        acted = action is not None and bool((string(action.value()) or "").strip())
        shown = thought if thought is not None and string(thought.value()) else None
        if shown is None and not acted:
            shown = response
        if shown is not None and isinstance(shown.value(), (str, list)):
            draft.say(shown.text(), shown.origin)
        calls = [self._called(draft, call) for call in piece.list("tool_calls")]
        if not calls and acted and action is not None:
            calls = [self._action(draft, action)]
        if observation is None or observation.value() is None:
            return
        if calls:
            self._result((draft, calls[0]), observation, observation.origin)
        elif observation.value():
            # What the environment said to an answer without an action.
            note = self.draft.message("user", observation.origin)
            note.parts.append(TextPart(text=observation.text(), synthetic=True, origin=observation.origin))

    # --- mini-SWE-agent ---

    def _messages(self, records: list[Piece]) -> None:
        for piece in records:
            value = piece.value()
            if not isinstance(value, dict):
                self.draft.unreadable(piece.origin, cut=not piece.complete)
                continue
            role = string(value.get("role")) or string(value.get("type"))
            time = _seconds(within(value, "extra", "timestamp") or value.get("timestamp"))
            if role == "assistant" or value.get("object") == "response":
                self._mini_step(piece, value, time)
            elif role in ("tool", "function_call_output") or (role == "user" and self._is_observation(piece)):
                self._mini_result(piece, value, time)
            elif role == "exit":
                last = self.draft.last("assistant")
                if last is not None:
                    last.finish = string(within(value, "extra", "exit_status")) or "exit"
                    self._settled_by_exit(piece)
            else:
                draft = self._said(piece, value, role, synthetic=False)
                draft.time = time

    def _settled_by_exit(self, piece: Piece) -> None:
        """The last command hands the work in; what it printed is the submission."""
        waiting = self.draft.waiting()
        if waiting is not None:
            self._result(waiting, piece.get("content"), piece.origin)

    def _is_observation(self, piece: Piece) -> bool:
        content = piece.get("content")
        return content is not None and self._open() and bool(_OBSERVED.match(joined(content.value())[:200]))

    def _mini_step(self, piece: Piece, value: dict[str, Any], time: int | None) -> None:
        draft = self.draft.message("assistant", piece.origin, identifier=string(value.get("id")), time=time)
        response = within(value, "extra", "response")
        draft.model = string(within(response, "model")) or string(value.get("model"))
        usage = within(response, "usage") or value.get("usage")
        draft.tokens_in = integer(within(usage, "prompt_tokens")) or integer(within(usage, "input_tokens"))
        draft.tokens_out = integer(within(usage, "completion_tokens")) or integer(
            within(usage, "output_tokens")
        )
        choices = within(response, "choices")
        if isinstance(choices, list) and choices:
            draft.finish = string(within(choices[0], "finish_reason"))
        reasoning = piece.get("reasoning_content")
        if reasoning is not None and string(reasoning.value()):
            draft.parts.append(Reasoning(text=reasoning.text(), origin=reasoning.origin))
        content = piece.get("content")
        whole = joined(content.value()) if content is not None else ""
        calls = piece.list("tool_calls")
        block = None if calls else _BLOCK.search(whole)
        if content is not None and block is not None:
            draft.say(content.text(end=block.start()), content.origin)
            command = text(block["command"], content.place, (), skip=block.start("command"))
            self.draft.call(
                draft, name="bash", identifier=None, text=_wrapped(command), origin=content.origin, start=time
            )
            if whole[block.end() :].strip():
                draft.say(content.text(begin=block.end()), content.origin)
        elif content is not None:
            draft.say(content.text(), content.origin)
        for call in calls:
            self._called(draft, call)
        for item in piece.list("output"):
            kind = within(item.value(), "type")
            if kind == "function_call":
                self._called(draft, item)
                self._renamed(item)
            elif kind == "message" and item.get("content") is not None:
                draft.say(item.members()["content"].text(), item.origin)
        for made in draft.calls():
            # A command runs as soon as the answer is there.
            made.fields.update(start=time, limit_ms=self.limit)

    def _renamed(self, item: Piece) -> None:
        """Results name a call of the responses API by its ``call_id``."""
        value = item.value()
        called, known = string(within(value, "call_id")), string(within(value, "id"))
        if called is None:
            return
        if known in self.draft.calls:
            self.draft.calls[called] = self.draft.calls[known]
        else:
            draft = self.draft.last("assistant")
            if draft is not None:
                draft.calls()[-1].fields["id"] = called
                self.draft.calls[called] = draft, draft.calls()[-1]

    def _ran_out(self, value: dict[str, Any]) -> bool:
        """Whether the environment's limit ended the command: version 2 names the exception, in records of any form."""
        if within(value, "extra", "exception_type") == "TimeoutExpired":
            return True
        words = string(within(value, "extra", "exception_info"))
        return words is not None and _EXPIRED.search(words[-200:]) is not None

    def _mini_result(self, piece: Piece, value: dict[str, Any], time: int | None) -> None:
        named = string(value.get("tool_call_id")) or string(value.get("call_id"))
        found = (self.draft.calls.get(named) if named is not None else None) or self.draft.waiting()
        content = piece.get("content") or piece.get("output")
        if found is None or content is None:
            self.draft.answer(named, piece.origin)
            return
        whole = joined(content.value())
        header, footer = _HEADER.match(whole[:400]), _FOOTER.search(whole[-40:])
        begin = header.end() if header is not None else 0
        end = (
            len(whole) - 40 + footer.start()
            if footer is not None and len(whole) > 40
            else (footer.start() if footer is not None else len(whole))
        )
        printed = piece.get("extra", "raw_output")
        ran_out = self._ran_out(value)
        told = within(value, "extra", "returncode")
        code = _OBSERVED.match(whole[:200])
        exit_code = (
            integer(told)
            if told is not None
            else (int(code["code"]) if code is not None and code["code"] else None)
        )
        if printed is not None and isinstance(printed.value(), str):
            # What the command printed, without the form in which each configuration shows it to the model.
            output = printed.text()
        else:
            output = content.text() if header is None else content.text(begin=begin, end=max(begin, end))
        call = self.draft.answer(
            found,
            piece.origin,
            output=output,
            time=time,
            exit=exit_code if exit_code is None or exit_code >= 0 else None,
            timed_out=True if ran_out else None,
            truncated=True if '"elided_chars":' in whole or "<elided_chars>" in whole else None,
        )
        if call is not None and (ran_out or within(value, "extra", "exception_info")):
            call.fields["status"] = "error"


def _command(piece: Piece, value: Any) -> Text:
    """A line for the shell as the input of a call."""
    whole = joined(value)
    return _wrapped(text(whole, piece.place, ()))


def _wrapped(command: Text) -> Text:
    whole = as_json({"command": command.whole()})
    return Text(whole) if len(whole) <= LONG else Text(whole, load=_Again(command))


class _Again:
    """Wraps a long command again each time it is asked for; can be pickled."""

    def __init__(self, command: Text) -> None:
        self.command = command

    def __call__(self) -> str:
        return as_json({"command": self.command.whole()})


def _thinking(piece: Piece) -> Text:
    value = piece.value()
    if isinstance(value, list):
        return Text("\n".join(string(within(block, "thinking")) or "" for block in value))
    return piece.text()


def _seconds(value: Any) -> int | None:
    """Epoch milliseconds of a time in seconds."""
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 1e8 < value < 1e11:
        return round(value * 1000)
    return None
