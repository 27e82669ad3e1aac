"""Reader ``openhands``: event logs of OpenHands, of the application (to 0.6x) and of the agent SDK (from 1.0).

A list of events (``trajectory.json``), one a line, the ``history`` of an evaluation's output line, or a folder with one
event a file (``events/``). From the public documentation of both event formats and a conversation of the SDK 1.58.2.

- Actions of the agent with the same model response are one message; an action that runs something is a call, its
  observation (named by ``cause`` or the call's id) the result. States, statistics and the like are no messages.
- A command that reaches the hard limit is cut off, by the wording at the end of its output; its process stays in the
  terminal. One that printed nothing for a while is given back running: it is in the background, and a later empty
  command or key press to the same terminal continues it. Exit code -1 means that it has not ended.
- Text of a ``finish`` action is what the agent says to the person; ``think`` is reasoning.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sessionlens.cache import lazy
from sessionlens.model import LONG, Compaction, File, Origin, Reasoning, Session, Text, TextPart, Trouble
from sessionlens.readers.base import ReadError
from sessionlens.readers.drafts import CallDraft, Draft, SessionDraft, role_of
from sessionlens.readers.folders import Beside, others
from sessionlens.readers.jsonl import as_json, first_lines, integer, joined, moment, string, within
from sessionlens.readers.pieces import Piece, beginning, document, line_pieces, rest
from sessionlens.readers.source import Source

FORMAT = "openhands"
_FILES_AT_MOST = 100_000
_EVENT_FILE = lazy(r"(?:event-)?(?P<number>\d{1,9})(?:-[0-9A-Za-z-]{1,64})?\.json")
_STATE = frozenset({"base_state.json", "meta.json", "TASKS.json", ".eventlog.lock"})
"""What the client keeps beside the events: they tell how it came to be."""
_KINDS = frozenset(
    {
        "MessageEvent", "ActionEvent", "ObservationEvent", "SystemPromptEvent", "AgentErrorEvent", "PauseEvent",
        "UserRejectObservation", "ConversationStateUpdateEvent", "ConversationErrorEvent", "Condensation", "InterruptEvent",
        "CondensationRequest", "CondensationSummaryEvent", "TokenEvent", "LLMCompletionLogEvent", "HookExecutionEvent",
        "SecurityAnalysisEvent", "StreamingDeltaEvent", "ACPToolCallEvent",
    }
)  # fmt: skip
_SILENT = frozenset(
    {
        "change_agent_state", "agent_state_changed", "null", "start", "pause", "resume", "stop", "recall", "loop_recovery",
        "system", "delegate_status", "status_update", "condensation_request", "task_tracking_state", "server_ready",
        "ConversationStateUpdateEvent", "CondensationRequest", "TokenEvent", "LLMCompletionLogEvent", "HookExecutionEvent",
        "ConversationErrorEvent", "task_state", "SecurityAnalysisEvent", "StreamingDeltaEvent",
    }
)  # fmt: skip
"""Actions and observations of the application itself that say nothing of the conversation."""
_SOFT = lazy(r"\[The command has no new output after (?P<n>\d+(?:\.\d+)?) seconds\.")
_HARD = lazy(r"\[The command timed out after (?P<n>\d+(?:\.\d+)?) seconds\.")
_FINISHED = lazy(r"\[The command completed with exit code -?\d{1,10}\.(?: CTRL\+[A-Z] was sent\.)?\]")
"""Says no more than the exit code does; with it, a command without output would seem to have one."""
_TOOL_OF = {
    "run": "execute_bash", "run_ipython": "execute_ipython_cell", "read": "read", "write": "write", "edit": "edit",
    "browse": "browse", "browse_interactive": "browser", "delegate": "delegate", "call_tool_mcp": "mcp",
}  # fmt: skip
"""Names of the tools behind actions that do not name their tool."""
_SHELLS = frozenset({"execute_bash", "terminal", "run", "bash"})


class OpenHands:
    """Reads event logs of OpenHands."""

    name = FORMAT

    def recognises(self, source: Source) -> str | None:
        """``None`` for events with ``source`` and an action, observation or kind of OpenHands, in any of its places."""
        if source.folder:
            files = _event_files(source.path)
            if files and all(_of_file(path) for path in files[:2]):
                return None
            return "no folder of event files"
        first = beginning(source)
        if first is None:
            return "no JSON at the beginning"
        if first.first() == b"[":
            one = next(first.items(), None)
            one = next(one.items(), None) if one is not None and one.first() == b"[" else one
            return (
                None
                if one is not None and _is_event(one)
                else "no list of events with `source` and `action` or `kind`"
            )
        if _is_event(first) or _events_of(first) is not None:
            return None
        for data in first_lines(source, 3):
            piece = Piece(source, memoryview(data.strip()), 0)
            if _is_event(piece):
                return None
        return "no event with `source` and `action`, `observation` or `kind`"

    def read(self, source: Source) -> Iterator[Session]:
        """The sessions of the source. Raises :class:`ReadError` when it holds no message."""
        found = False
        try:
            for reading in _folder(source) if source.folder else _file(source):
                if reading.draft.drafts:
                    found = True
                    yield reading.draft.session()
        finally:
            source.release()
        if not found:
            raise ReadError(source.name, "the events hold no message")

    def beside(self, source: Source) -> Iterator[Beside]:
        """What lies in a conversation's folder and is none of its events."""
        read = {*_event_files(source.path), source.path / "events"}
        yield from others(source.path, read=read, skipped=_STATE)
        yield from others(source.path / "events", read=read, skipped=_STATE)


# --- files and folders -------------------------------------------------------------------------------------


def _event_files(folder: Path) -> list[Path]:
    """The event files of a conversation, in the order of their numbers."""
    inner = folder / "events"
    try:
        entries = list((inner if inner.is_dir() else folder).iterdir())
    except OSError:
        return []
    found = [
        (int(name["number"]), path)
        for path in entries
        if (name := _EVENT_FILE.fullmatch(path.name)) and not path.is_symlink()
    ]
    return [path for _, path in sorted(found, key=lambda one: (one[0], one[1].name))[:_FILES_AT_MOST]]


def _of_file(path: Path) -> bool:
    try:
        piece = beginning(Source(path))
    except ReadError:
        return False
    return piece is not None and _is_event(piece)


def _is_event(piece: Piece) -> bool:
    keys = piece.members()
    if "kind" in keys and "source" in keys:
        return string(keys["kind"].value()) in _KINDS
    if not ("source" in keys and "id" in keys and "timestamp" in keys):
        return False
    return ("action" in keys and "args" in keys) or (
        "observation" in keys and ("content" in keys or "extras" in keys)
    )


def _events_of(piece: Piece) -> Piece | None:
    """The events within an object: a trajectory that was saved, an output line of an evaluation."""
    for key in ("history", "trajectory", "events"):
        events = piece.members().get(key)
        first = next(events.items(), None) if events is not None else None
        if first is not None and first.first() == b"[":
            first = next(first.items(), None)
        if first is not None and _is_event(first):
            return events
    return None


def _file(source: Source) -> Iterator[_Reading]:
    root = document(source)
    stem = Path(source.name).stem or source.name
    if root.first() == b"[":
        yield _listed(root, stem)
        return
    if not rest(source, root) and _is_event(root):
        reading = _Reading(stem)
        reading.take(root)
        yield reading
        return
    one: _Reading | None = None
    pieces = line_pieces(source) if rest(source, root) else iter([root])
    for number, piece in enumerate(pieces, 1):
        events = _events_of(piece)
        if events is not None:
            name = string(within(piece.value(), "instance_id")) if piece.complete else None
            reading = _listed(events, name or (stem if number == 1 else f"{stem}-{number}"))
            if not piece.complete:
                reading.draft.unreadable(piece.origin, cut=True)
            yield reading
            continue
        if one is None:
            one = _Reading(stem)
        one.take(piece)
    if one is not None:
        yield one


def _listed(events: Piece, name: str) -> _Reading:
    reading = _Reading(name)
    for piece in events.items():
        # Older evaluations keep pairs of an action and its observation.
        for event in piece.items() if piece.first() == b"[" else (piece,):
            reading.take(event)
    return reading


def _folder(source: Source) -> Iterator[_Reading]:
    reading = _Reading(source.name)
    for path in _event_files(source.path):
        file = path.relative_to(source.path).as_posix()
        try:
            one = Source(path)
        except ReadError as error:
            reading.draft.gap(f"an event could not be read ({error.reason})", Origin(file=file))
            continue
        root = document(one)
        reading.take(Piece(one, root.data, root.offset, complete=root.complete, file=file))
        one.release()
    yield reading


# --- events ------------------------------------------------------------------------------------------------


class _Reading:
    """One conversation while its events come in."""

    def __init__(self, name: str) -> None:
        self.draft = SessionDraft(FORMAT, name, client=FORMAT)
        self.responses: dict[str, Draft] = {}
        """Messages by the model response that they come from."""
        self.actions: dict[str, tuple[Draft, CallDraft]] = {}
        """Calls by the id of the event that made them."""
        self.running: str | None = None
        """The call whose process the terminal still runs."""
        self.model: str | None = None

    def take(self, piece: Piece) -> None:
        """One event."""
        value = piece.value()
        if not isinstance(value, dict):
            self.draft.unreadable(piece.origin, cut=not piece.complete)
        elif "kind" in value:
            self._sdk(piece, value)
        elif "observation" in value:
            self._observation(piece, value)
        elif "action" in value:
            self._action(piece, value)
        else:
            self.draft.unknown("neither action nor observation", piece.origin)

    def _message_of(self, piece: Piece, response: str | None, time: int | None, event: str | None) -> Draft:
        """The message of the agent that an action belongs to."""
        draft = self.responses.get(response) if response is not None else None
        if draft is None or draft is not self.draft.last("assistant"):
            draft = self.draft.message("assistant", piece.origin, identifier=event, time=time)
            if response is not None:
                self.responses[response] = draft
        draft.alias(event)
        draft.until(time)
        return draft

    def _call(
        self,
        draft: Draft,
        piece: Piece,
        *,
        name: str,
        identifier: str | None,
        text: Text,
        time: int | None,
        value: Any,
    ) -> None:
        call = self.draft.call(
            draft, name=name, identifier=identifier, text=text, origin=piece.origin, start=time
        )
        command = within(value, "command")
        if name in _SHELLS and isinstance(command, str):
            fed = within(value, "is_input") in (True, "true") or not command.strip()
            if fed and self.running is not None:
                call.fields["continues"] = self.running
            limit = within(value, "timeout")
            if isinstance(limit, (int, float)) and not isinstance(limit, bool) and 0 < limit < 1e7:
                call.fields["limit_ms"] = round(limit * 1000)

    # --- the application ---

    def _action(self, piece: Piece, value: dict[str, Any]) -> None:
        kind = string(value.get("action")) or ""
        event = _id(value.get("id"))
        time = moment(value.get("timestamp"))
        agent = value.get("source") != "user"
        arguments = piece.get("args")
        given = value.get("args")
        args: dict[str, Any] = given if isinstance(given, dict) else {}
        if kind == "message":
            content = piece.get("args", "content")
            role = "assistant" if agent else "user"
            if agent:
                draft = self._message_of(piece, self._response(value), time, event)
                self._about(draft, value)
                draft.finish = draft.finish or "stop"
            else:
                draft = self.draft.message(role_of(role), piece.origin, identifier=event, time=time)
            if content is not None and content.value() is not None:
                draft.say(content.text(), content.origin)
            pictures = within(args, "image_urls")
            for name in pictures if isinstance(pictures, list) else ():
                shown = name if isinstance(name, str) and not name.startswith("data:") else None
                draft.parts.append(File(name=shown, mime=None, origin=piece.origin))
            return
        if kind == "condensation":
            self._condensed(piece, string(args.get("summary")), event, time)
            return
        if kind == "system":
            prompt = piece.get("args", "content")
            draft = self.draft.message("system", piece.origin, identifier=event, time=time)
            if prompt is not None:
                draft.say(prompt.text(), prompt.origin, synthetic=True)
            return
        if kind == "change_agent_state" and not agent and args.get("agent_state") in ("stopped", "paused"):
            self.draft.interrupt(f"the person set the agent to {args['agent_state']}")
            return
        if kind in _SILENT:
            return
        draft = self._message_of(piece, self._response(value), time, event)
        self._about(draft, value)
        thought = piece.get("args", "thought")
        if kind == "think":
            if thought is not None and joined(thought.value()):
                draft.parts.append(Reasoning(text=thought.text(), origin=thought.origin))
            return
        if thought is not None and isinstance(thought.value(), str) and thought.value().strip():
            draft.say(thought.text(), thought.origin)
        if kind in ("finish", "reject"):
            told = piece.get("args", "final_thought") or piece.get("args", "outputs")
            if told is not None and isinstance(told.value(), str):
                draft.say(told.text(), told.origin)
            draft.finish = kind
            return
        metadata = value.get("tool_call_metadata")
        identifier = string(within(metadata, "tool_call_id"))
        name = string(within(metadata, "function_name")) or _TOOL_OF.get(kind) or kind or "unknown"
        if kind == "read" or (kind in ("edit", "write") and not string(args.get("command"))):
            # One tool of the model reads and writes; which of it this is, the action says.
            name = kind
        text = arguments.json() if arguments is not None else Text("{}")
        self._call(
            draft,
            piece,
            name=name,
            identifier=identifier or event,
            text=text,
            time=time,
            value={"timeout": value.get("timeout"), **args},
        )
        call = draft.calls()[-1]
        if event is not None:
            self.actions[event] = (draft, call)

    def _response(self, value: dict[str, Any]) -> str | None:
        return string(within(value, "tool_call_metadata", "model_response", "id"))

    def _about(self, draft: Draft, value: dict[str, Any]) -> None:
        response = within(value, "tool_call_metadata", "model_response")
        draft.model = string(within(response, "model")) or draft.model or self.model
        choices = within(response, "choices")
        if isinstance(choices, list) and choices:
            draft.finish = string(within(choices[0], "finish_reason")) or draft.finish
        draft.tokens_in = integer(within(response, "usage", "prompt_tokens")) or draft.tokens_in
        draft.tokens_out = integer(within(response, "usage", "completion_tokens")) or draft.tokens_out

    def _observation(self, piece: Piece, value: dict[str, Any]) -> None:
        kind = string(value.get("observation")) or ""
        event = _id(value.get("id"))
        time = moment(value.get("timestamp"))
        if kind == "agent_state_changed":
            self._state(piece, value)
            return
        called = string(within(value, "tool_call_metadata", "tool_call_id"))
        found = self.actions.get(_id(value.get("cause")) or "") or (
            self.draft.calls.get(called) if called else None
        )
        if found is None:
            if kind == "error":
                last = self.draft.last("assistant") or self.draft.message(
                    "assistant", piece.origin, time=time
                )
                last.error = last.error or Trouble(name="error", text=joined(value.get("content"))[:2000])
            elif kind not in _SILENT and kind not in ("think", "message", "condensation"):
                self.draft.answer(called or _id(value.get("cause")), piece.origin)
            return
        content = piece.get("content")
        metadata = within(value, "extras", "metadata")
        suffix = string(within(metadata, "suffix")) or ""
        code = integer(within(metadata, "exit_code"))
        if code is None:
            code = integer(within(value, "extras", "exit_code"))
        if kind == "user_rejected":
            words = content.text() if content is not None else Text("rejected by the person")
            self.draft.answer(found, piece.origin, error=words, time=time, alias=event)
            return
        told = _ended(content, suffix)
        if kind == "error":
            self.draft.answer(found, piece.origin, error=told, time=time, alias=event)
            return
        self._answered(
            found,
            piece.origin,
            told,
            code=code,
            time=time,
            event=event,
            failed=value.get("success") is False and code is None,
        )

    def _answered(
        self,
        found: tuple[Draft, CallDraft],
        origin: Origin,
        told: Text,
        *,
        code: int | None,
        time: int | None,
        event: str | None,
        failed: bool = False,
    ) -> None:
        call = found[1]
        self.draft.answer(
            found,
            origin,
            output=told,
            time=time,
            alias=event,
            failed=failed or None,
            exit=code if code is not None and code >= 0 else None,
        )
        if call.fields["name"] not in _SHELLS:
            return
        end = told.end()[-2000:]
        if _SOFT.search(end) or _HARD.search(end):
            call.fields["background"] = True
            self.running = self.running if call.fields.get("continues") else string(call.fields.get("id"))
        elif code is not None and code >= 0:
            self.running = None

    def _state(self, piece: Piece, value: dict[str, Any]) -> None:
        state = string(within(value, "extras", "agent_state"))
        last = self.draft.last("assistant")
        if state == "error" and last is not None and last.error is None:
            words = string(within(value, "extras", "reason")) or joined(value.get("content"))
            last.error = Trouble(name="error", text=words[:2000])

    def _condensed(self, piece: Piece, summary: str | None, event: str | None, time: int | None) -> None:
        draft = self.draft.message("user", piece.origin, identifier=event, time=time)
        draft.summary = True
        draft.parts.append(Compaction(auto=True, origin=piece.origin))
        if summary:
            draft.parts.append(TextPart(text=Text(summary), synthetic=True, origin=piece.origin))

    # --- the agent SDK ---

    def _sdk(self, piece: Piece, value: dict[str, Any]) -> None:
        kind = string(value.get("kind")) or ""
        event = _id(value.get("id"))
        time = moment(value.get("timestamp"))
        if kind == "MessageEvent":
            self._said(piece, value, event, time)
        elif kind == "ActionEvent":
            self._acted(piece, value, event, time)
        elif kind in ("ObservationEvent", "AgentErrorEvent", "UserRejectObservation"):
            self._observed(piece, value, kind, event, time)
        elif kind == "SystemPromptEvent":
            prompt = piece.get("system_prompt", "text")
            draft = self.draft.message("system", piece.origin, identifier=event, time=time)
            if prompt is not None:
                draft.say(prompt.text(), prompt.origin, synthetic=True)
        elif kind in ("PauseEvent", "InterruptEvent"):
            self.draft.interrupt("the person paused the agent")
        elif kind in ("Condensation", "CondensationSummaryEvent"):
            self._condensed(piece, string(value.get("summary")), event, time)
        elif kind == "ConversationErrorEvent":
            last = self.draft.last("assistant") or self.draft.message("assistant", piece.origin, time=time)
            words = string(value.get("detail")) or ""
            last.error = last.error or Trouble(name=string(value.get("code")) or "error", text=words[:2000])
        elif kind not in _SILENT:
            self.draft.unknown(kind or "no kind", piece.origin)

    def _said(self, piece: Piece, value: dict[str, Any], event: str | None, time: int | None) -> None:
        role = role_of(within(value, "llm_message", "role") or value.get("source"))
        draft = self.draft.message(role, piece.origin, identifier=event, time=time)
        synthetic = value.get("source") == "environment"
        self._reasoned(draft, piece.get("llm_message", "reasoning_content"))
        content = piece.get("llm_message", "content")
        if content is not None:
            draft.say(content.text(), content.origin, synthetic=synthetic)
        extended = piece.get("extended_content")
        if extended is not None and extended.value():
            draft.parts.append(TextPart(text=extended.text(), synthetic=True, origin=extended.origin))
        if role == "assistant":
            draft.finish = "stop"

    def _reasoned(self, draft: Draft, thought: Piece | None) -> None:
        if thought is not None and string(thought.value()):
            draft.parts.append(Reasoning(text=thought.text(), origin=thought.origin))

    def _acted(self, piece: Piece, value: dict[str, Any], event: str | None, time: int | None) -> None:
        draft = self._message_of(piece, string(value.get("llm_response_id")), time, event)
        draft.finish = "tool_calls"
        self._reasoned(draft, piece.get("reasoning_content"))
        thought = piece.get("thought")
        if thought is not None and joined(thought.value()).strip():
            draft.say(thought.text(), thought.origin)
        action = value.get("action")
        name = string(value.get("tool_name")) or "unknown"
        told = piece.get("action")
        if name == "think":
            self._reasoned(draft, piece.get("action", "thought"))
            self.actions.pop(event or "", None)
            return
        if name == "finish":
            message = piece.get("action", "message")
            if message is not None:
                draft.say(message.text(), message.origin)
            draft.finish = "finish"
            return
        given = piece.get("tool_call", "arguments") or piece.get("tool_call", "function", "arguments")
        data = piece.get("action", "data")
        if within(action, "kind") == "MCPToolAction" and data is not None:
            # What a tool of an MCP server was asked, without the client's envelope.
            text = data.json()
        elif told is not None and isinstance(action, dict):
            text = _without_kind(told, action)
        else:
            text = given.json() if given is not None else Text("{}")
        self._call(
            draft,
            piece,
            name=name,
            identifier=string(value.get("tool_call_id")) or event,
            text=text,
            time=time,
            value=action,
        )
        if event is not None:
            self.actions[event] = (draft, draft.calls()[-1])

    def _observed(
        self, piece: Piece, value: dict[str, Any], kind: str, event: str | None, time: int | None
    ) -> None:
        called = string(value.get("tool_call_id"))
        found = self.actions.get(string(value.get("action_id")) or "") or (
            self.draft.calls.get(called) if called else None
        )
        if value.get("tool_name") in ("think", "finish"):
            return
        if found is None:
            self.draft.answer(called, piece.origin)
            return
        if kind != "ObservationEvent":
            words = piece.get("error") or piece.get("rejection_reason")
            self.draft.answer(
                found,
                piece.origin,
                error=words.text() if words is not None else Text(kind),
                time=time,
                alias=event,
            )
            return
        seen = value.get("observation")
        content = piece.get("observation", "content") or piece.get("observation", "output")
        code = integer(within(seen, "exit_code"))
        if code is None:
            code = integer(within(seen, "metadata", "exit_code"))
        told = _ended(content, string(within(seen, "metadata", "suffix")) or "")
        failed = within(seen, "is_error") is True or within(seen, "error") is True
        self._answered(found, piece.origin, told, code=code, time=time, event=event, failed=failed)
        if within(seen, "timeout") is True:
            call = found[1]
            call.fields["background"] = True
            if not call.fields.get("continues"):
                self.running = string(call.fields.get("id"))


def _id(value: Any) -> str | None:
    """An event's id: a number in the application, a text in the SDK."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else string(value)


def _ended(content: Piece | None, suffix: str) -> Text:
    """An output with the line that the client adds at its end for the model."""
    told = content.text() if content is not None and content.value() is not None else Text("")
    suffix = suffix.strip()
    if not suffix or _FINISHED.fullmatch(suffix) or suffix in told.end():
        return told
    again = _WithSuffix(told, suffix)
    whole = again()
    return Text(whole) if len(whole) <= LONG else Text(whole, load=again)


class _WithSuffix:
    """Puts an output and the client's line together each time it is asked for; can be pickled."""

    def __init__(self, told: Text, suffix: str) -> None:
        self.told, self.suffix = told, suffix

    def __call__(self) -> str:
        return f"{self.told.whole()}\n{self.suffix}" if self.told else self.suffix


def _without_kind(piece: Piece, action: dict[str, Any]) -> Text:
    """The arguments of a call without the name of their type."""
    if "kind" not in action:
        return piece.json()
    whole = as_json({key: value for key, value in action.items() if key != "kind"})
    return piece.json() if len(whole) > LONG else Text(whole)
