"""Reader ``codex-exec``: what ``codex exec --json`` prints, one event a line.

``{"type": "thread.started", "thread_id"}``, then ``turn.started``, ``item.started``/``updated``/``completed`` with an
``item``, ``turn.completed`` with ``usage`` or ``turn.failed`` with ``error`` (public source of the client, streams of
client 0.171.0 made with it). Clients before 0.44 printed their settings and the prompt, then ``{"id", "msg": {"type"}}``
with the events of their core (public descriptions). Where the format leaves a choice:

- The stream has no prompt, no times and no steps. A message is one step of the model all the same: its items up to
  the first that follows a result.
- A turn that completes right after a result ended in an answer without text: the client asks again after each result,
  and only an answer that calls nothing ends the turn. That answer is a message, and empty.
- A command that has begun and not ended while the model went on runs in the background; the polls of such a command
  are not in the stream. The call after it stands in the same message: it could have been made at the same time.
- The stream tells which files a patch changed and not how: the call's input is a patch with its headings alone.
- A limit of the older shell tools shows in the words of the output, with exit code 124.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sessionlens.cache import lazy
from sessionlens.model import Origin, Reasoning, Session, Text, TextPart, Trouble
from sessionlens.readers import wordings
from sessionlens.readers.base import ReadError
from sessionlens.readers.drafts import ABORTED, CallDraft, Draft, Fields, SessionDraft
from sessionlens.readers.jsonl import ANY, as_json, decode, first_lines, integer, joined, string, torn, within
from sessionlens.readers.pieces import Piece, line_pieces
from sessionlens.readers.source import Source

FORMAT = "codex-exec"
_LINES_LOOKED_AT = 20
_ITEMS = frozenset({"item.started", "item.updated", "item.completed"})
_OLDER = frozenset(
    {
        "task_started", "agent_message", "agent_reasoning", "exec_command_begin", "exec_command_end", "task_complete",
        "token_count", "patch_apply_begin", "patch_apply_end", "mcp_tool_call_begin", "mcp_tool_call_end", "turn_diff",
        "turn_aborted", "error", "stream_error",
    }
)  # fmt: skip
_SILENT = frozenset(
    {
        "task_started", "turn_diff", "agent_reasoning_section_break", "exec_command_output_delta", "session_configured",
        "agent_message_delta", "agent_reasoning_delta", "item.plan.delta", "shutdown_complete", "background_event",
        "plan_update", "web_search_begin", "mcp_startup_update", "mcp_startup_complete", "user_message", "turn.started",
    }
)  # fmt: skip
"""Events that repeat others, or say nothing of the conversation."""
_HEADINGS = {"add": "Add", "delete": "Delete", "update": "Update"}
_TIMED_OUT = lazy(r"command timed out after \d{1,12} milliseconds\s*")


class CodexExec:
    """Reads streams of ``codex exec --json``."""

    name = FORMAT

    def recognises(self, source: Source) -> str | None:
        """``None`` when one of the first lines is an event of a thread, in the newer or the older form."""
        if source.folder:
            return "a folder, not a file"
        for data in first_lines(source, _LINES_LOOKED_AT):
            try:
                event = decode(data, ANY) if data.lstrip()[:1] == b"{" else None
            except ValueError:
                continue
            kind = within(event, "type")
            item = within(event, "item")
            if kind == "thread.started" and string(within(event, "thread_id")):
                return None
            if kind in _ITEMS and string(within(item, "type")) and string(within(item, "id")):
                return None
            if within(event, "msg", "type") in _OLDER and isinstance(within(event, "id"), str):
                return None
        return 'no event `{"type": "thread.started"}` or `{"type": "item.…", "item": …}` in its first lines'

    def read(self, source: Source) -> Iterator[Session]:
        """A session for each thread. Raises :class:`ReadError` when none holds an item."""
        try:
            sessions = _Reading(source).sessions()
        finally:
            source.release()
        if not sessions:
            raise ReadError(source.name, "the stream holds no item of a thread")
        yield from sessions


class _Reading:
    """One pass over one stream."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.stem = Path(source.name).stem or source.name
        self.threads: list[_Thread] = []

    def sessions(self) -> list[Session]:
        for piece in line_pieces(self.source):
            value = piece.value()
            if not isinstance(value, dict):
                thread = self.threads[-1] if self.threads else self._begin(self.stem)
                if piece.first() == b"{" or torn(piece.data):
                    thread.draft.unreadable(piece.origin, cut=not piece.complete)
                else:
                    # The client warns on standard output, too.
                    thread.draft.gap(
                        f"a line that is no event: {bytes(piece.data[:120]).decode('utf-8', 'replace')}",
                        piece.origin,
                    )
                continue
            if value.get("type") == "thread.started":
                self._begin(string(value.get("thread_id")) or self.stem)
                continue
            thread = self.threads[-1] if self.threads else self._begin(self.stem)
            thread.take(piece, value)
        found = [thread.session() for thread in self.threads]
        return [session for session in found if session.messages]

    def _begin(self, identifier: str) -> _Thread:
        known = next((thread for thread in self.threads if thread.draft.id == identifier), None)
        if known is not None:
            # A resumed thread prints its id again.
            self.threads.remove(known)
        self.threads.append(known or _Thread(identifier))
        return self.threads[-1]


class _Thread:
    """One thread while its events come in."""

    def __init__(self, identifier: str) -> None:
        self.draft = SessionDraft(FORMAT, identifier, client="codex")
        self.step: Draft | None = None
        self.answered = False
        """Whether a result has come since the step began, so that the next item of the model begins another."""
        self.parts: dict[str, tuple[Draft, int]] = {}
        """Where texts that are updated stand."""
        self.model: str | None = None

    def take(self, piece: Piece, value: dict[str, Any]) -> None:
        kind = string(value.get("type")) or ""
        origin = piece.origin
        if isinstance(value.get("msg"), dict):
            self._older(piece, value["msg"])
        elif kind.startswith("item.") and isinstance(value.get("item"), dict):
            item = piece.get("item")
            if item is not None:
                self._item(item, value["item"], kind.removeprefix("item."))
        elif kind == "turn.completed":
            self._completed(value.get("usage"), origin)
        elif kind == "turn.failed":
            self._failed(joined(within(value, "error", "message")), origin)
        elif kind == "error":
            self._complained(joined(value.get("message")), origin)
        elif not kind and "prompt" in value:
            # Older clients print the prompt between their settings and the first event.
            prompt = self.draft.message("user", origin)
            prompt.say(piece.members()["prompt"].text(), origin)
        elif not kind and ("model" in value or "workdir" in value):
            self.model = string(value.get("model"))
            self.draft.directory = string(value.get("workdir")) or string(value.get("cwd"))
        elif kind not in _SILENT:
            self.draft.unknown(f"event {kind or 'no type'}", origin)

    def session(self) -> Session:
        self._left_running()
        return self.draft.session()

    # --- steps ---

    def _of_step(self, origin: Origin) -> Draft:
        if self.step is None or self.answered:
            self._left_running()
            self.step = self.draft.message("assistant", origin)
            self.step.model = self.model
            self.answered = False
        return self.step

    def _left_running(self) -> None:
        """What has no end while the stream goes on was given back as still running."""
        for call in self.step.calls() if self.step is not None else ():
            if not call.answered and call.fields["name"] == "shell" and self.answered:
                call.fields["background"] = True

    def _completed(self, usage: Any, origin: Origin) -> None:
        if self.step is None or self.answered:
            self._of_step(origin)
        step = self.step
        if step is not None:
            step.finish = step.finish or "stop"
            # The figures are of the whole turn.
            step.tokens_out = 0 if not step.parts else None
            for call in step.calls():
                if not call.answered and call.fields["name"] == "shell":
                    call.fields["background"] = True
        self.step, self.answered = None, False

    def _failed(self, words: str, origin: Origin) -> None:
        last = self.draft.last("assistant")
        if (
            self.step is None
            and last is not None
            and last.error is not None
            and last.error.text == words[:2000]
        ):
            # The stream tells an error by itself, then as the end of its turn.
            return
        if self.step is None or self.answered:
            self._of_step(origin)
        if self.step is not None and self.step.error is None:
            self.step.error = Trouble(name="error", text=words[:2000])
        self.step, self.answered = None, False

    def _complained(self, words: str, origin: Origin) -> None:
        """An error of the stream: the client tries again, or the turn fails with the same words."""
        if re.match(r"Re-?connecting", words):
            self.draft.gap(f"a request failed and the client tried again: {words[:200]}", origin)
        else:
            self._failed(words, origin)

    # --- items ---

    def _item(self, piece: Piece, item: dict[str, Any], state: str) -> None:
        kind = string(item.get("type")) or ""
        key = string(item.get("id")) or f"item-{piece.offset}"
        if kind in ("agent_message", "plan", "reasoning"):
            self._said(key, kind, piece)
        elif kind in (
            "command_execution",
            "file_change",
            "mcp_tool_call",
            "collab_tool_call",
            "web_search",
            "todo_list",
        ):
            self._called(key, kind, piece, item, ended=state == "completed")
        elif kind == "error":
            self.draft.gap(f"the client warned: {joined(item.get('message'))[:300]}", piece.origin)
        else:
            self.draft.unknown(f"item {kind or 'no type'}", piece.origin)

    def _said(self, key: str, kind: str, piece: Piece) -> None:
        content = piece.get("text")
        words = content.text() if content is not None else Text("")
        part: TextPart | Reasoning = (
            Reasoning(text=words, origin=piece.origin)
            if kind == "reasoning"
            else TextPart(text=words, origin=piece.origin)
        )
        if key in self.parts:
            draft, at = self.parts[key]
            draft.parts[at] = part
        else:
            # What the model writes after a call is another answer, even where the call goes on.
            self.answered = self.answered or (self.step is not None and bool(self.step.calls()))
            draft = self._of_step(piece.origin)
            self.parts[key] = draft, len(draft.parts)
            draft.parts.append(part)

    def _called(self, key: str, kind: str, piece: Piece, item: dict[str, Any], *, ended: bool) -> None:
        found = self.draft.calls.get(key)
        name, asked = _asked(kind, piece, item)
        if found is None:
            draft = self._of_step(piece.origin)
            call = self.draft.call(draft, name=name, identifier=key, text=asked, origin=piece.origin)
            found = draft, call
        if kind == "todo_list":
            found[1].fields.update(
                input=asked, status="completed", output=Text(""), result_origin=piece.origin
            )
        elif ended:
            self._ended(found, kind, piece, item)
            self.answered = True

    def _ended(self, found: tuple[Draft, CallDraft], kind: str, piece: Piece, item: dict[str, Any]) -> None:
        state = string(item.get("status"))
        output, error = _result(kind, piece, item)
        code = integer(item.get("exit_code"))
        self.draft.answer(found, piece.origin, output=output, error=error, failed=False)
        fields = found[1].fields
        if code is not None:
            fields["exit"] = code
        if kind == "command_execution":
            self._limited(fields, code)
        if state == "declined":
            fields.update(status="error", error=Text("rejected by user"), output=None)
        elif state == "failed" and code is None and not fields.get("timed_out"):
            fields["status"] = "error"
        elif state == "in_progress":
            fields.update(background=True, exit=None)
        others = item.get("receiver_thread_ids")
        if (
            kind == "collab_tool_call"
            and item.get("tool") == "spawn_agent"
            and isinstance(others, list)
            and others
        ):
            fields["child"] = string(others[0])

    def _limited(self, fields: Fields, code: int | None) -> None:
        """The limit of the older shell tools: 124, and words that begin or end what the command printed."""
        output = fields.get("output")
        if not isinstance(output, Text):
            return
        worded = _TIMED_OUT.match(output.head) or _TIMED_OUT.search(output.end()[-200:])
        if code == 124 and worded is not None:
            fields.update(timed_out=True, exit=None, status="error")
        elif wordings.aborted(output.end(), output_start=output.head, client="codex") and code is None:
            fields["interrupted"] = True

    # --- clients before 0.44 ---

    def _older(self, piece: Piece, message: dict[str, Any]) -> None:
        kind = string(message.get("type")) or ""
        msg = piece.get("msg") or piece
        origin = piece.origin
        key = string(message.get("call_id")) or f"call-{piece.offset}"
        if kind in ("agent_message", "agent_reasoning", "agent_reasoning_raw_content"):
            content = msg.get("message") or msg.get("text")
            shown = content.text() if content is not None else Text("")
            self._of_step(origin).parts.append(
                TextPart(text=shown, origin=origin)
                if kind == "agent_message"
                else Reasoning(text=shown, origin=origin)
            )
        elif kind in ("exec_command_begin", "patch_apply_begin", "mcp_tool_call_begin"):
            name, asked = _older_asked(kind, message)
            self.draft.call(self._of_step(origin), name=name, identifier=key, text=asked, origin=origin)
        elif kind in ("exec_command_end", "patch_apply_end", "mcp_tool_call_end"):
            self._older_ended(key, kind, msg, message)
        elif kind == "token_count":
            step = self.step
            used = within(message, "info", "last_token_usage")
            if step is not None and used is not None:
                step.tokens_in, step.tokens_out = (
                    integer(within(used, "input_tokens")),
                    integer(within(used, "output_tokens")),
                )
        elif kind == "task_complete":
            self._completed(None, origin)
        elif kind == "turn_aborted":
            self.draft.interrupt("the person interrupted the turn")
            if self.step is None:
                self._of_step(origin).error = Trouble(name=ABORTED, text="the person interrupted the turn")
            self.step, self.answered = None, False
        elif kind in ("error", "stream_error"):
            words = joined(message.get("message"))
            if kind == "stream_error":
                self.draft.gap(f"a request failed and the client tried again: {words[:200]}", origin)
            else:
                self._failed(words, origin)
        elif kind not in _SILENT:
            self.draft.unknown(f"event {kind or 'no type'}", origin)

    def _older_ended(self, key: str, kind: str, msg: Piece, message: dict[str, Any]) -> None:
        found = self.draft.calls.get(key)
        texts = [msg.get(name) for name in ("aggregated_output", "formatted_output", "stdout", "stderr")]
        shown = next((one.text() for one in texts if one is not None and string(one.value())), Text(""))
        error = None
        if kind == "mcp_tool_call_end":
            result = message.get("result")
            told = within(result, "Ok", "content") if within(result, "Ok") is not None else None
            error = Text(joined(within(result, "Err"))) if within(result, "Err") is not None else None
            shown = Text(joined(told))
        code = integer(message.get("exit_code"))
        failed = message.get("success") is False
        call = self.draft.answer(
            found if found is not None else key,
            msg.origin,
            output=None if error is not None or failed else shown,
            error=error if error is not None else shown if failed else None,
            exit=code,
        )
        if call is not None and kind == "exec_command_end":
            self._limited(call.fields, code)
        self.answered = True


def _asked(kind: str, piece: Piece, item: dict[str, Any]) -> tuple[str, Text]:
    """Name and input of a call, as the client's tools have them."""
    if kind == "command_execution":
        return "shell", Text(as_json({"command": string(item.get("command")) or ""}))
    if kind == "file_change":
        changes = item.get("changes")
        return "apply_patch", _patch(
            [(string(within(one, "path")) or "", within(one, "kind")) for one in changes or ()]
        )
    if kind == "mcp_tool_call":
        arguments = piece.get("arguments")
        name = f"mcp__{string(item.get('server')) or 'unknown'}__{string(item.get('tool')) or 'unknown'}"
        return name, arguments.json() if arguments is not None and arguments.value() is not None else Text(
            "{}"
        )
    if kind == "collab_tool_call":
        told = {"message": item.get("prompt"), "targets": item.get("receiver_thread_ids")}
        return string(item.get("tool")) or "unknown", Text(
            as_json({key: one for key, one in told.items() if one})
        )
    if kind == "web_search":
        return "web_search", Text(as_json({"query": item.get("query")}))
    return "update_plan", Text(as_json({"plan": item.get("items")}))


def _patch(changes: list[tuple[str, Any]]) -> Text:
    lines = [f"*** {_HEADINGS.get(str(kind), 'Update')} File: {path}" for path, kind in changes]
    return Text(as_json({"input": "\n".join(["*** Begin Patch", *lines, "*** End Patch"])}))


def _older_asked(kind: str, message: dict[str, Any]) -> tuple[str, Text]:
    if kind == "exec_command_begin":
        return "shell", Text(as_json({"command": message.get("command"), "workdir": message.get("cwd")}))
    if kind == "patch_apply_begin":
        changes = message.get("changes")
        named = (
            [
                (path, next(iter(one), None) if isinstance(one, dict) else None)
                for path, one in changes.items()
            ]
            if isinstance(changes, dict)
            else []
        )
        return "apply_patch", _patch(named)
    asked = message.get("invocation")
    name = (
        f"mcp__{string(within(asked, 'server')) or 'unknown'}__{string(within(asked, 'tool')) or 'unknown'}"
    )
    return name, Text(as_json(within(asked, "arguments") or {}))


def _result(kind: str, piece: Piece, item: dict[str, Any]) -> tuple[Text | None, Text | None]:
    """Output or error of an item that has ended."""
    if kind == "command_execution":
        shown = piece.get("aggregated_output")
        return (shown.text() if shown is not None and string(shown.value()) else Text("")), None
    if kind == "mcp_tool_call":
        words = piece.get("error", "message")
        if words is not None and string(words.value()):
            return None, words.text()
        content = piece.get("result", "content")
        return (content.text() if content is not None else Text("")), None
    if kind == "collab_tool_call":
        return Text(as_json(item.get("agents_states") or {})), None
    return Text(""), None
