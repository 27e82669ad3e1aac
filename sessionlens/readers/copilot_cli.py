"""Reader ``copilot-cli``: event files of GitHub Copilot CLI (``events.jsonl`` of a session's folder).

One event a line, ``{"type", "data", "id", "timestamp", "parentId"}``. Facts are those of log-formats §6 and of the public
logs it was measured on (clients 1.0.64 to 1.0.68).

- An ``assistant.message`` is one model step. One without text and requests but with ``outputTokens`` is really empty:
  the model wrote something that the log does not hold. Its generation ended by itself once its turn ends
  (``assistant.turn_end``); the log has no other word for it, so ``finish`` is ``stop`` or ``tool_calls`` then.
- A ``bash`` call that takes longer than its wait goes on in its shell and is read with ``read_bash``: it is in the
  background, and later calls that name its ``shellId`` continue it.
- The system prompt is sent with every turn; it is synthetic text of the person's message, not a message of its own.
- ``abort`` is the person's doing. ``session.*``, ``hook.*`` and turns are no messages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sessionlens.cache import lazy
from sessionlens.model import Compaction, File, Origin, Reasoning, Session, Text, TextPart, Trouble, Unread
from sessionlens.readers.base import ReadError
from sessionlens.readers.drafts import CallDraft, Draft, SessionDraft, exit_code
from sessionlens.readers.jsonl import ANY, Place, decode, first_lines, integer, moment, string, within
from sessionlens.readers.pieces import Piece, line_pieces
from sessionlens.readers.source import Source

FORMAT = "copilot-cli"
_LINES_LOOKED_AT = 20
_TELLING = lazy(
    r"session\.(?:start|resume|shutdown|error|info|model_change|idle|truncation|handoff|compaction_(?:start|complete))"
    r"|assistant\.(?:message|turn_start|turn_end|intent|reasoning)|user\.message|system\.message"
    r"|tool\.(?:execution_start|execution_complete|user_requested)|hook\.(?:start|end)|subagent\.\w+"
)
_BOOKKEEPING = lazy(
    r"(?:session|hook|permission|pending_messages|external_tool|command|elicitation|user_input|exit_plan_mode|mcp"
    r"|sampling|auto_mode\w*|capabilities|skill|system\.notification|assistant\.(?:turn_start|usage|intent|\w*delta|streaming\w*)"
    r"|tool\.execution_(?:progress|partial\w*)|subagent\.(?:selected|deselected))(?:\.|\Z)"
)
"""Events that say nothing of the conversation: what the client keeps for itself."""
_SHELL_END = lazy(r"<shellId: (?P<id>[^<>\n]{1,80}?) completed with exit code -?\d{1,10}>\s*\Z")
_STILL = lazy(
    r"<[^<>\n]{0,120}?\b(?:shell|session)? ?[iI][dD]:? ?(?P<id>[\w.-]{1,80})[^<>\n]{0,200}?"
    r"\b(?:still running|is running|not (?:yet )?(?:completed|finished)|running in (?:mode|the background)|started|detached)"
    r"[^<>]{0,400}>?\s*\Z"
)
_SHELL_KEYS = ("shellId", "sessionId", "shell_id")
_POLLS = frozenset(
    {"read_bash", "write_bash", "stop_bash", "read_powershell", "write_powershell", "stop_powershell"}
)
_CONTEXT = lazy(r"<(?:current_datetime|reminder|sql_tables)\b")


class CopilotCli:
    """Reads sessions of GitHub Copilot CLI."""

    name = FORMAT

    def recognises(self, source: Source) -> str | None:
        """``None`` for lines whose ``type`` is an event of the client and whose ``data`` is an object."""
        if source.folder:
            return "a folder, not a file"
        seen = 0
        for data in first_lines(source, _LINES_LOOKED_AT):
            if not data.lstrip().startswith(b"{"):
                continue
            seen += 1
            try:
                event = decode(data, ANY)
            except ValueError:
                # The first line with a system prompt can be longer than what is looked at.
                if re.match(rb'\s*\{"type":"(?:system\.message|session\.start)","data":\{', data):
                    return None
                continue
            kind = event.get("type") if isinstance(event, dict) else None
            if isinstance(kind, str) and _TELLING.fullmatch(kind) and isinstance(event.get("data"), dict):
                return None
        return f"no event of Copilot CLI (`session.start`, `assistant.message` with `data`) in its first {seen or 'few'} lines"

    def read(self, source: Source) -> Iterator[Session]:
        """The one session of the file. Raises :class:`ReadError` when it holds no message."""
        try:
            yield _Reading(source).session()
        finally:
            source.release()


class _Reading:
    """One pass over one file."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.draft = SessionDraft(FORMAT, Path(source.name).stem or source.name, client=FORMAT)
        self.shells: dict[str, str] = {}
        """Calls by the shells that they left running."""
        self.turns: dict[str, list[Draft]] = {}
        self.model: str | None = None
        self.messages: dict[str, Draft] = {}
        self.prompts: list[tuple[Place, Origin, str | None]] = []
        """System prompts that no message followed yet."""

    def session(self) -> Session:
        for piece in line_pieces(self.source):
            event = piece.value()
            if isinstance(event, dict):
                self._event(piece, event)
            else:
                self.draft.unreadable(piece.origin, cut=not piece.complete)
        if not self.draft.drafts:
            raise ReadError(self.source.name, "the session holds no message")
        self._prompted_late()
        for _, origin, _ in self.prompts:
            self.draft.gap("a system prompt that no message follows", origin)
        return self.draft.session()

    def _event(self, piece: Piece, event: dict[str, Any]) -> None:
        kind = string(event.get("type")) or "no type"
        data = event.get("data")
        data = data if isinstance(data, dict) else {}
        time = moment(event.get("timestamp"))
        identifier = string(event.get("id"))
        if kind in ("session.start", "session.resume"):
            self._start(data)
        elif kind == "session.model_change":
            self.model = string(data.get("newModel")) or self.model
        elif kind == "user.message":
            self._user(piece, data, identifier, time)
        elif kind == "system.message":
            self.prompts.append((piece.place, piece.origin, identifier))
        elif kind == "assistant.message":
            self._assistant(piece, data, identifier, time)
        elif kind == "assistant.reasoning":
            last = self.draft.last("assistant")
            content = piece.get("data", "content")
            if (
                last is not None
                and content is not None
                and not any(isinstance(p, Reasoning) for p in last.parts)
            ):
                last.parts.append(Reasoning(text=content.text(), origin=piece.origin))
        elif kind == "assistant.turn_end":
            self._turn_ended(string(data.get("turnId")))
        elif kind == "tool.execution_start":
            self._started(piece, data, time)
        elif kind == "tool.execution_complete":
            self._completed(piece, data, time, identifier)
        elif kind == "abort":
            self._aborted(piece, string(data.get("reason")) or "aborted", time, identifier)
        elif kind == "session.error":
            self._failed(piece, data, time, identifier)
        elif kind == "session.compaction_complete":
            self._compacted(piece, data, time, identifier)
        elif kind.startswith("subagent."):
            self._subagent(piece, kind, data)
        elif not _BOOKKEEPING.match(kind):
            self.draft.unknown(kind, piece.origin)

    def _start(self, data: dict[str, Any]) -> None:
        self.draft.id = string(data.get("sessionId")) or self.draft.id
        self.draft.version = string(data.get("copilotVersion")) or self.draft.version
        self.draft.directory = string(within(data, "context", "cwd")) or self.draft.directory
        self.model = string(data.get("selectedModel")) or self.model

    def _user(self, piece: Piece, data: dict[str, Any], identifier: str | None, time: int | None) -> None:
        self.turns.clear()
        draft = self.draft.message("user", piece.origin, identifier=identifier, time=time)
        self._prompted(draft)
        # The client's own prompts (a plan that was accepted, a skill) name where they come from.
        self._said(draft, piece, synthetic=string(data.get("source")) not in (None, "user"))
        for attachment in piece.list("data", "attachments"):
            value = attachment.value()
            name = (
                string(within(value, "path"))
                or string(within(value, "displayName"))
                or string(within(value, "filePath"))
            )
            draft.parts.append(File(name=name, mime=string(within(value, "mimeType")), origin=piece.origin))

    def _prompted(self, draft: Draft) -> None:
        """Put the system prompt before what the person wrote, as the client sends it."""
        for place, _, identifier in self.prompts:
            prompt = Piece(
                place.source, memoryview(place.source.read(place.offset, place.length)), place.offset
            )
            self._said(draft, prompt, synthetic=True)
            draft.alias(identifier)
        self.prompts.clear()

    def _prompted_late(self) -> None:
        """Bring a system prompt that stands after the person's message to it (1.0.102)."""
        last = self.draft.drafts[-1] if self.draft.drafts else None
        if self.prompts and last is not None and last.role == "user":
            written, last.parts = last.parts, []
            self._prompted(last)
            last.parts += written

    def _said(self, draft: Draft, piece: Piece, *, synthetic: bool = False) -> None:
        content = piece.get("data", "content")
        if content is not None and content.value() is not None:
            draft.say(content.text(), piece.origin, synthetic=synthetic)

    def _assistant(
        self, piece: Piece, data: dict[str, Any], identifier: str | None, time: int | None
    ) -> None:
        name = string(data.get("messageId")) or identifier
        draft = self.messages.get(name) if name is not None else None
        if draft is None:
            self._prompted_late()
            draft = self.draft.message("assistant", piece.origin, identifier=name, time=time)
            if name is not None:
                self.messages[name] = draft
        draft.alias(identifier)
        draft.until(time)
        draft.model = string(data.get("model")) or draft.model or self.model
        draft.tokens_out = integer(data.get("outputTokens")) or draft.tokens_out
        draft.tokens_in = integer(data.get("inputTokens")) or draft.tokens_in
        thought = piece.get("data", "reasoningText")
        if thought is not None and string(thought.value()):
            draft.parts.append(Reasoning(text=thought.text(), origin=piece.origin))
        elif string(data.get("reasoningOpaque")) or string(data.get("encryptedContent")):
            draft.parts.append(Reasoning(text=Text(""), origin=piece.origin))
        self._said(draft, piece)
        for request in piece.list("data", "toolRequests"):
            value = request.value()
            if not isinstance(value, dict):
                draft.parts.append(Unread(reason="a tool request that is no object", origin=request.origin))
                continue
            self._call(
                draft,
                request,
                string(value.get("toolCallId")),
                string(value.get("name")),
                value.get("arguments"),
            )
        turn = string(data.get("turnId"))
        if turn is not None:
            self.turns.setdefault(turn, []).append(draft)

    def _call(
        self, draft: Draft, piece: Piece, identifier: str | None, name: str | None, arguments: Any
    ) -> CallDraft | None:
        if identifier is not None and identifier in self.draft.calls:
            return None
        given = piece.get("arguments")
        call = self.draft.call(
            draft,
            name=name or "unknown",
            identifier=identifier,
            text=given.json() if given is not None else Text("{}"),
            origin=piece.origin,
        )
        if (
            within(arguments, "mode") in ("async", "background")
            or within(arguments, "detach") is True
            or (within(arguments, "async") is True)
        ):
            call.fields["background"] = True
        shell = next(
            (found for found in (_name(within(arguments, key)) for key in _SHELL_KEYS) if found), None
        )
        if name in _POLLS and shell is not None:
            call.fields["continues"] = self.shells.get(shell)
        return call

    def _started(self, piece: Piece, data: dict[str, Any], time: int | None) -> None:
        identifier = string(data.get("toolCallId"))
        if identifier is None or identifier not in self.draft.calls:
            # A log that begins in the middle: the request stands before its beginning.
            draft = self.draft.last("assistant") or self.draft.message("assistant", piece.origin, time=time)
            given = piece.get("data")
            if given is not None:
                self._call(draft, given, identifier, string(data.get("toolName")), data.get("arguments"))
        if identifier in self.draft.calls:
            self.draft.calls[identifier][1].fields["start"] = time

    def _completed(
        self, piece: Piece, data: dict[str, Any], time: int | None, identifier: str | None
    ) -> None:
        error = piece.get("data", "error", "message") or piece.get("data", "error")
        failed = data.get("success") is False
        words = error.text() if error is not None and error.value() else None
        result = piece.get("data", "result", "content")
        if result is None or result.value() is None:
            result = piece.get("data", "result", "detailedContent") or piece.get("data", "result")
        output = result.text() if result is not None and result.value() is not None else None
        called = string(data.get("toolCallId"))
        if words is not None and output is not None and output:
            words = None
        telemetry = data.get("toolTelemetry")
        code = integer(within(telemetry, "metrics", "exit_code"))
        call = self.draft.answer(
            called,
            piece.origin,
            output=output if words is None else None,
            error=words,
            time=time,
            alias=identifier,
            failed=failed and words is not None,
            exit=code,
            truncated=True if within(telemetry, "properties", "largeOutputHandled") == "true" else None,
        )
        if call is None:
            return
        if failed and words is None and call.fields.get("output") is None:
            call.fields["status"] = "error"
        self._shell(call, output, integer(within(telemetry, "metrics", "commandTimeout")))
        if string(within(data, "error", "code")) in ("denied", "rejected"):
            call.fields["interrupted"] = False

    def _shell(self, call: CallDraft, output: Text | None, wait: int | None) -> None:
        """What the line that the client puts at the end of a shell's output tells."""
        if output is None or not re.search(r"bash|powershell", call.fields["name"]):
            return
        end = output.end()[-1000:]
        still = _STILL.search(end)
        if _SHELL_END.search(end):
            # An asynchronous one that ended within its first wait.
            call.fields.update(background=False, exit=exit_code("", end))
        elif still is not None:
            call.fields["background"] = True
            opener = call.fields.get("continues") or call.fields.get("id")
            if opener is not None:
                self.shells[still["id"].rstrip(".")] = opener
            if wait is not None and wait > 0:
                call.fields["limit_ms"] = wait

    def _turn_ended(self, turn: str | None) -> None:
        for draft in self.turns.pop(turn or "", []):
            if draft.error is None:
                draft.finish = draft.finish or ("tool_calls" if draft.calls() else "stop")

    def _aborted(self, piece: Piece, reason: str, time: int | None, identifier: str | None) -> None:
        if reason not in ("user_initiated", "user", "user initiated"):
            self.draft.gap(f"the session was aborted ({reason[:80]})", piece.origin)
            return
        if self.draft.last("assistant") is None:
            # Stopped before the agent answered: nobody wrote anything, but the turn ended here.
            self.draft.message("assistant", piece.origin, identifier=identifier, time=time)
        self.draft.drafts[-1].alias(identifier)
        self.draft.interrupt(reason)
        self.turns.clear()

    def _failed(self, piece: Piece, data: dict[str, Any], time: int | None, identifier: str | None) -> None:
        last = self.draft.last("assistant")
        if last is None or last.error is not None:
            last = self.draft.message("assistant", piece.origin, identifier=identifier, time=time)
        last.alias(identifier)
        last.until(time)
        name = string(data.get("errorType")) or "error"
        last.error = Trouble(name=name, text=(string(data.get("message")) or "")[:2000])

    def _compacted(
        self, piece: Piece, data: dict[str, Any], time: int | None, identifier: str | None
    ) -> None:
        if data.get("success") is False:
            return
        draft = self.draft.message("user", piece.origin, identifier=identifier, time=time)
        draft.summary = True
        draft.parts.append(Compaction(auto=None, origin=piece.origin))
        summary = piece.get("data", "summaryContent")
        if summary is not None and string(summary.value()):
            draft.parts.append(TextPart(text=summary.text(), synthetic=True, origin=piece.origin))

    def _subagent(self, piece: Piece, kind: str, data: dict[str, Any]) -> None:
        """Events of a subagent stand within those of its parent; its name is told with the call that started it."""
        called = string(data.get("toolCallId"))
        if kind == "subagent.failed" and called in self.draft.calls:
            call = self.draft.calls[called][1]
            if not call.answered:
                self.draft.answer(
                    called, piece.origin, error=Text((string(data.get("error")) or "failed")[:2000])
                )


def _name(value: Any) -> str | None:
    """The id of a shell, which may be a number."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else string(value)
