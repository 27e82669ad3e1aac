"""Sessions of Codex, made from the lines of a rollout: what `codex` reads from files and folders.

What is a message: one step of the model, as everywhere. Its items (reasoning, prose, calls) stand one a line; the
step ends where its results, its ``token_count`` or the end of the turn stand. Measured on rollouts of clients
0.141 to 0.142; what is older is from public descriptions of the format.
"""

from __future__ import annotations

import re
import sys
from collections import deque
from typing import Any

import msgspec

from sessionlens.cache import lazy
from sessionlens.model import (
    Call,
    Compaction,
    File,
    Gap,
    Message,
    Origin,
    Part,
    Reasoning,
    Role,
    Session,
    Text,
    TextPart,
    Trouble,
    Unread,
    is_interruption,
)
from sessionlens.readers import wordings
from sessionlens.readers.drafts import Fields
from sessionlens.readers.jsonl import (
    ANY,
    Line,
    Path,
    Place,
    again,
    apart,
    decode,
    integer,
    joined,
    json_text,
    lines,
    may_hold_words,
    members,
    moment,
    shown_json,
    string,
    text,
    within,
)
from sessionlens.readers.source import Source

FORMAT = "codex"
_DEFAULT_LIMIT_MS = 10_000
"""Limit of the shell tools before unified exec, unless asked for."""
_GAPS_AT_MOST = 50
"""Unreadable lines told one by one; the rest is counted."""

_NEAR = 8
"""Messages looked back through for the one that an event tells again."""
_ROLES: dict[str, Role] = {"user": "user", "system": "system", "developer": "system"}
_RESULT_KEYS = frozenset({"content", "content_items", "output", "success", "metadata", "session_id", "type"})
"""Keys of a result that is an object: one with others is shown whole."""
_BARE_RESULT = frozenset({"type", "id", "call_id", "name", "status", "success", "timestamp", "output"})
"""Keys of an item with a result that say nothing of what the result was."""
_CALLS_OF_EVENTS = frozenset({"exec_command_end", "mcp_tool_call_end", "patch_apply_end"})
"""Events of the end of a call, which an item tells too."""
_CALLS_OF_ITEMS = frozenset({"CommandExecution", "McpToolCall", "FileChange", "CollabAgentToolCall"})
"""Kinds of completed items that are calls; their ids are those of the calls."""

_LIMITED = frozenset({"shell", "container.exec", "local_shell", "shell_command"})
"""Shell tools under a time limit; ``exec_command`` gives the turn back instead."""
_RUNNERS = frozenset({"exec_command", "write_stdin", "unified_exec", *_LIMITED})
_SPAWNS = frozenset({"spawn_agent", "spawn_agents_on_csv"})
_ITEMS = frozenset(
    {
        "message", "reasoning", "function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output",
        "local_shell_call", "local_shell_call_output", "web_search_call", "image_generation_call", "tool_search_call",
        "tool_search_output", "mcp_tool_call_output", "ghost_snapshot", "compaction", "compaction_summary", "other",
        "agent_message", "additional_tools",
    }
)  # fmt: skip
_EVENTS = frozenset(
    {
        "agent_message", "agent_reasoning", "agent_reasoning_raw_content", "agent_reasoning_section_break",
        "agent_message_delta", "background_event", "context_compacted", "deprecation_notice", "dynamic_tool_call_request",
        "dynamic_tool_call_response", "elicitation_request", "entered_review_mode", "exec_approval_request",
        "exec_command_begin", "exec_command_end", "exec_command_output_delta", "exited_review_mode", "guardian_assessment",
        "image_generation_begin", "image_generation_end", "item_completed", "item_started", "mcp_startup_complete",
        "mcp_startup_update", "mcp_tool_call_begin", "mcp_tool_call_end", "model_reroute", "patch_apply_begin",
        "patch_apply_end", "patch_apply_updated", "plan_delta", "plan_update", "raw_response_item", "request_user_input",
        "session_configured", "shutdown_complete", "skills_update_available", "stream_info", "terminal_interaction",
        "thread_goal_updated", "turn_diff", "undo_completed", "undo_started", "view_image_tool_call",
        "warning", "web_search_begin", "web_search_end", "collab_agent_spawn_begin", "collab_agent_spawn_end",
        "collab_agent_interaction_begin", "collab_agent_interaction_end", "collab_waiting_begin", "collab_waiting_end",
        "collab_close_begin", "collab_close_end", "collab_resume_begin", "collab_resume_end", "sub_agent_activity",
        "thread_settings_applied", "mcp_list_tools_response", "hook_started", "hook_completed", "conversation_path",
    }
)  # fmt: skip
"""Events that repeat what items say, or say nothing of the conversation."""

_BOOKKEEPING = frozenset({"world_state", "token_usage_record"})
"""Lines of newer clients that say nothing of the conversation, or what a count says too (seen in 0.171)."""
_HEADER = lazy(
    r"(?:Chunk ID: (?P<chunk>\S{1,40})\n)?(?:Exit code: (?P<code>-?\d{1,10})\n)?"
    r"(?:Wall time: (?P<wall>\d{1,9}(?:\.\d{1,9})?) seconds\n)?"
    r"(?:Process exited with code (?P<exit>-?\d{1,10})\n|Process running with session ID (?P<session>\d{1,12})\n)?"
    r"(?:Original token count: (?P<tokens>\d{1,12})\n)?(?:Total output lines: \d{1,12}\n)?"
    r"(?:Output:(?:\n|\Z))?"
)
_TRUNCATED = lazy(r"Warning: truncated output|Total output lines: \d+\n|…\d+ (?:tokens|chars) truncated…")
_TIMED_OUT = lazy(r"command timed out after (?P<passed>\d{1,12}) milliseconds\s*")
_FAILED = lazy(
    r"\s*(?:exec_command failed|write_stdin failed|execution error|failed to (?:parse|spawn|find)|unsupported (?:custom tool )?call"
    r"|Unknown process|stdin is closed|apply_patch verification failed|patch rejected|shell command failed"
    r"|unified exec error|failed in sandbox|tool call error|Script failed)"
)
_TAGGED = lazy(r"\s*<(?P<tag>[A-Za-z][\w -]{1,60})>")
_CLIENT_WORDS = lazy(
    r"\s*(?:# AGENTS\.md instructions\b|Warning: apply_patch was requested via|Warning: The maximum number of unified"
    r"|Another language model started to solve this problem|# In this environment\b"
    r"|Skill `[^`\n]{1,80}` (?:is|was) )"
)
_SUMMARY = lazy(r"\s*Another language model started to solve this problem")
_HIDDEN = lazy(r"<(?P<tag>oai-mem-citation|proposed_plan)>.*?</(?P=tag)>", re.DOTALL)
"""What a text of the agent holds for the client, which its event leaves out."""
_AGENT_ID = lazy(r"[0-9A-Fa-f-]{8,64}")


class _Event(msgspec.Struct):
    """One line, of either generation: the older one has the item itself in its place."""

    timestamp: Any = None
    type: Any = None
    payload: msgspec.Raw = msgspec.Raw()
    id: Any = None
    instructions: Any = None
    record_type: Any = None


class _Item(msgspec.Struct, gc=False):
    """An item of a response, or an event: what is asked of either.

    Nothing decoded points back, so the garbage collector need not follow these (``gc=False``): that saves 4 % of decoding.
    """

    type: Any = None
    id: Any = None
    role: Any = None
    phase: Any = None
    name: Any = None
    namespace: Any = None
    call_id: Any = None
    status: Any = None
    summary: Any = None
    message: Any = None
    info: msgspec.Raw = msgspec.Raw()
    reason: Any = None
    turn_id: Any = None
    content: Any = None
    arguments: msgspec.Raw = msgspec.Raw()
    input: msgspec.Raw = msgspec.Raw()
    action: msgspec.Raw = msgspec.Raw()
    output: Any = None
    query: Any = None
    thread_name: Any = None
    error: Any = None
    last_agent_message: Any = None
    item: msgspec.Raw = msgspec.Raw()
    num_turns: Any = None


class _Meta(msgspec.Struct):
    """What a session says of itself."""

    id: Any = None
    session_id: Any = None
    cwd: Any = None
    cli_version: Any = None
    source: Any = None
    forked_from_id: Any = None
    parent_thread_id: Any = None
    model: Any = None


class _Document(msgspec.Struct):
    """A rollout of the first client, which was written in TypeScript."""

    session: _Meta
    items: list[msgspec.Raw]


class _Tokens(msgspec.Struct, gc=False):
    total_tokens: Any = None
    input_tokens: Any = None
    cached_input_tokens: Any = None
    output_tokens: Any = None


class _Counts(msgspec.Struct, gc=False):
    """What a session and its last step cost."""

    total_token_usage: _Tokens | None = None
    last_token_usage: _Tokens | None = None


class _Compacted(msgspec.Struct):
    message: Any = None
    replacement_history: msgspec.Raw = msgspec.Raw()


class _ItemLine(msgspec.Struct, tag_field="type", tag="response_item", gc=False):
    """A line with an item, which nearly all of a log's bytes are in: it is decoded in one pass."""

    payload: _Item
    timestamp: Any = None


class _EventLine(msgspec.Struct, tag_field="type", tag="event_msg", gc=False):
    """A line with an event."""

    payload: _Item
    timestamp: Any = None


class _ContextLine(msgspec.Struct, tag_field="type", tag="turn_context", gc=False):
    """A line with what holds for a turn."""

    payload: _Meta
    timestamp: Any = None


_USUAL: msgspec.json.Decoder[_ItemLine | _EventLine | _ContextLine] = msgspec.json.Decoder(
    _ItemLine | _EventLine | _ContextLine
)
_EVENT: msgspec.json.Decoder[_Event] = msgspec.json.Decoder(_Event)
_ITEM: msgspec.json.Decoder[_Item] = msgspec.json.Decoder(_Item)
_META: msgspec.json.Decoder[_Meta] = msgspec.json.Decoder(_Meta)
_DOCUMENT: msgspec.json.Decoder[_Document] = msgspec.json.Decoder(_Document)
_COUNTS: msgspec.json.Decoder[_Counts | None] = msgspec.json.Decoder(_Counts | None)
_COMPACTED: msgspec.json.Decoder[_Compacted] = msgspec.json.Decoder(_Compacted)


class _Calling:
    """A call before it is complete."""

    __slots__ = ("fields", "media")

    def __init__(self, **fields: Any) -> None:
        self.fields = Fields(fields)
        self.media: tuple[Part, ...] = ()

    def parts(self) -> tuple[Part, ...]:
        """The call, and the pictures of its result behind it."""
        return (Call(**self.fields), *self.media)


class _Draft:
    """A message before it is complete."""

    __slots__ = (
        "aliases", "confirmed", "ended", "error", "finish", "id", "model", "only_told", "origin", "parts",
        "reverted", "role", "summary", "time", "tokens_in", "tokens_out",
    )  # fmt: skip

    def __init__(self, role: Role, time: int | None, origin: Origin, model: str | None = None) -> None:
        self.role, self.time, self.origin, self.model = role, time, origin, model
        self.id: str | None = None
        self.parts: list[Part | _Calling] = []
        self.aliases: tuple[str, ...] = ()
        self.ended: int | None = None
        self.finish: str | None = None
        self.tokens_in: int | None = None
        self.tokens_out: int | None = None
        self.error: Trouble | None = None
        self.summary = self.confirmed = self.only_told = self.reverted = False

    def calls(self) -> list[_Calling]:
        return [part for part in self.parts if isinstance(part, _Calling)]

    def blocks(self) -> list[str]:
        return [part.text.whole() for part in self.parts if isinstance(part, TextPart)]

    def words(self) -> str:
        return "\n".join(self.blocks())

    def message(self, index: int) -> Message:
        return Message(
            id=self.id,
            index=index,
            role=self.role,
            parts=tuple(
                one
                for part in self.parts
                for one in (part.parts() if isinstance(part, _Calling) else (part,))
            ),
            time=self.time,
            ended=self.ended,
            model=self.model,
            finish=self.finish,
            tokens_in=self.tokens_in,
            tokens_out=self.tokens_out,
            error=self.error,
            summary=self.summary,
            reverted=self.reverted,
            aliases=tuple(dict.fromkeys(self.aliases)),
            origin=self.origin,
        )


class _Where:
    """The line that an item comes from."""

    __slots__ = ("origin", "path", "place", "time")

    def __init__(self, place: Place, path: Path, origin: Origin, time: int | None) -> None:
        self.place, self.path, self.origin, self.time = place, path, origin, time


class Rollout:
    """One session while its lines come in."""

    def __init__(self, identifier: str, file: str | None = None) -> None:
        """``identifier`` names a session whose own record is missing."""
        self.id, self.file = identifier, file
        self.parent: str | None = None
        self.version: str | None = None
        self.directory: str | None = None
        self.title: str | None = None
        self.model: str | None = None
        self.drafts: list[_Draft] = []
        self.gaps: list[Gap] = []
        self.truncated = self._met = False
        self.children: list[str] = []
        """Ids of the sessions that its calls started; known once :meth:`session` was called."""
        self._step: _Draft | None = None
        """The step whose items are coming in."""
        self._answered = False
        """Whether a result of the step has come, so that the next item of the model begins another."""
        self._calls: dict[str, tuple[_Draft, _Calling]] = {}
        self._running: dict[str, str] = {}
        """Calls by the ids of the processes they left running."""
        self._total: int | None = None
        self._compacted = False
        self._aborted: tuple[_Draft | None, Origin, int | None] | None = None
        self._events = False
        self._told: list[tuple[str, str, _Where]] = []
        """What events say that the agent said, and no item so far: the words, and under which key they stand."""
        self._said: deque[list[str]] = deque(maxlen=_NEAR)
        """The texts of the turn's last items that no event has repeated, block by block."""
        self._placed: list[tuple[str, _Draft, TextPart]] = []
        """Texts of the turn that were taken from events: an item may still bring them."""
        self._elsewhere_called: dict[str, Origin] = {}
        """Calls that events tell of, and no item so far."""
        self._early: dict[str, tuple[Gap, _Item, _Where]] = {}
        """Results whose calls have not come, with the gaps that tell of them."""
        self._unknown: dict[str, tuple[int, Origin]] = {}
        self._bad = 0

    # --- lines ---

    def feed(self, source: Source) -> None:
        """Take every line of a rollout."""
        bad: Line | None = None
        for line in lines(source):
            bad = None if self._take(line, source) else line
        if self._bad > _GAPS_AT_MOST:
            self.gaps.append(Gap(reason=f"{self._bad - _GAPS_AT_MOST} more lines are no readable JSON"))
        self.truncated = bad is not None and not bad.ended

    def feed_document(self, source: Source) -> None:
        """Take a rollout that is one JSON document. Raises ``ValueError`` when it is not complete."""
        data = bytes(source.view())
        source.release()
        document: _Document = decode(data, _DOCUMENT)
        self._meta(document.session, Origin(line=1, offset=0, length=len(data), file=self.file))
        for line in members(data, data.index(b'"items"'), document.items):
            self._take(line, source)

    def _take(self, line: Line, source: Source) -> bool:
        try:
            self._line(line, source)
        except ValueError:
            pieces = apart(line)
            if not pieces:
                self._unreadable(line)
                return False
            for piece in pieces:
                try:
                    self._line(piece, source)
                except ValueError:
                    self._unreadable(piece)
        return True

    def _unreadable(self, line: Line) -> None:
        self._bad += 1
        if self._bad <= _GAPS_AT_MOST:
            cut = not line.ended and line.data.lstrip()[:1] == b"{"
            reason = "the log stops within this line" if cut else "a line is no readable JSON object"
            if cut:
                self.gaps.append(Gap(reason=reason, origin=line.origin(self.file)))
            else:
                self._unread(reason, line.origin(self.file))

    def _unread(self, reason: str, origin: Origin) -> None:
        """Tell what could not be read: it may have held words of the agent, where they are due or behind its last ones."""
        last = self.drafts[-1] if self.drafts else None
        if last is None or last.role not in ("user", "unknown", "assistant"):
            self.gaps.append(Gap(reason=reason, origin=origin))
            return
        if last.role == "user" or last.calls():
            self._close(None)
            last = _Draft("unknown", None, origin)
            self.drafts.append(last)
        last.parts.append(Unread(reason=reason, origin=origin))

    def _line(self, line: Line, source: Source) -> None:
        origin = line.origin(self.file)
        place = Place(source, line.offset, len(line.data))
        try:
            usual = _USUAL.decode(line.data)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            pass
        else:
            where = _Where(place, ("payload",), origin, moment(usual.timestamp))
            if isinstance(usual, _ItemLine):
                self._item(usual.payload, where)
            elif isinstance(usual, _EventLine):
                self._event(usual.payload, where)
            else:
                self._context(usual.payload)
            return
        event: _Event = decode(line.data, _EVENT)
        kind = event.type if isinstance(event.type, str) else ""
        time = moment(event.timestamp)
        if not memoryview(event.payload):
            self._older(event, kind, line, _Where(place, (), origin, time))
            return
        where = _Where(place, ("payload",), origin, time)
        if kind == "response_item":
            self._item(decode(event.payload, _ITEM), where)
        elif kind == "event_msg":
            self._event(decode(event.payload, _ITEM), where)
        elif kind == "turn_context":
            self._context(decode(event.payload, _META))
        elif kind == "session_meta":
            self._meta(decode(event.payload, _META), origin)
        elif kind == "compacted":
            self._compaction(decode(event.payload, _COMPACTED), where)
        elif kind not in _BOOKKEEPING:
            self._other(kind, line)

    def _context(self, context: _Meta) -> None:
        model = string(context.model)
        self.model = self.model if not model else sys.intern(model)
        self.directory = self.directory or string(context.cwd)

    def _older(self, event: _Event, kind: str, line: Line, where: _Where) -> None:
        """Clients before 0.32 wrote the items themselves, after a line with the session's id."""
        if kind in _ITEMS:
            item: _Item = decode(line.data, _ITEM)
            self._item(item, where)
        elif kind == "" and event.record_type is None and string(event.id) is not None:
            self.id = string(event.id) or self.id
        elif event.record_type is None:
            self._other(kind, line)

    def _other(self, kind: str, line: Line) -> None:
        """A line of a kind that no client is known to write: what it says is not read."""
        if may_hold_words(line):
            shown = kind[:60] or "no type"
            self._unread(f"a message of a kind that is not known here ({shown})", line.origin(self.file))
        else:
            self._not_known(kind, line.origin(self.file))

    def _not_known(self, kind: str, origin: Origin) -> None:
        shown = kind[:60] or "no type"
        count, first = self._unknown.get(shown, (0, origin))
        self._unknown[shown] = (count + 1, first)

    def _meta(self, meta: _Meta, origin: Origin) -> None:
        if self._met:
            # A fork carries the records of the sessions it was copied from.
            return
        self._met = True
        self.id = string(meta.id) or string(meta.session_id) or self.id
        self.directory = string(meta.cwd) or self.directory
        self.version = string(meta.cli_version)
        spawned = within(meta.source, "subagent", "thread_spawn", "parent_thread_id")
        spawned = spawned or within(meta.source, "sub_agent", "thread_spawn", "parent_thread_id")
        self.parent = string(spawned) or string(meta.parent_thread_id)
        if string(meta.forked_from_id) and self.parent is None:
            reason = f"this session was copied from {str(meta.forked_from_id)[:80]} and repeats its beginning"
            self.gaps.append(Gap(reason=reason, origin=origin))

    # --- items ---

    def _item(self, item: _Item, where: _Where) -> None:
        kind = item.type if isinstance(item.type, str) else ""
        if self._told and not (kind == "reasoning" or (kind == "message" and item.role == "assistant")):
            self._take_told()
        if kind == "message":
            if item.role == "assistant":
                self._prose(item, where)
            else:
                self._person(item, where)
        elif kind == "reasoning":
            self._reasoning(item, where)
        elif kind in ("function_call", "custom_tool_call", "local_shell_call", "web_search_call", "tool_search_call",
                      "image_generation_call"):  # fmt: skip
            self._call(kind, item, where)
        elif kind.endswith("_output"):
            self._result(item, where)
        elif kind in ("compaction", "compaction_summary"):
            self._compaction(_Compacted(), where)
        elif kind == "agent_message" and isinstance(item.message, str):
            # An event where an item stands: the agent's own words, and no message of another agent.
            self._agent_told(item, where)
        elif kind == "agent_message":
            self._person(item, where)
        elif kind == "other":
            self._unread("an item of which the client kept no more than that it was there", where.origin)
        elif kind not in _ITEMS:
            reason = f"a part of a kind that is not known here ({kind[:60] or 'no type'})"
            self._of_step(where).parts.append(Unread(reason=reason, origin=where.origin))

    def _of_step(self, where: _Where) -> _Draft:
        """The step that an item of the model belongs to."""
        if self._step is None or self._answered:
            self._close(None)
            self._step = _Draft("assistant", where.time, where.origin, self.model)
            self.drafts.append(self._step)
        if where.time is not None:
            self._step.ended = max(self._step.ended or 0, where.time)
        return self._step

    def _close(self, finish: str | None) -> None:
        """End the step. Only a response that was completed is counted, so a count tells that it ended well."""
        step = self._step
        if step is not None and finish is not None and step.finish is None:
            step.finish = "tool-calls" if step.calls() else finish
        self._step, self._answered = None, False

    def _prose(self, item: _Item, where: _Where) -> None:
        parts = _content(item, where, synthetic=False)
        told = self._told_before(item, parts)
        step = self._of_step(where) if told is None else told
        identifier = string(item.id)
        if identifier is not None:
            step.id = step.id or identifier
            step.aliases += (identifier,) if identifier != step.id else ()
        if told is None:
            step.parts += parts

    def _told_before(self, item: _Item, parts: list[Part]) -> _Draft | None:
        """Join an item to the events that tell the same; the step where its text was placed from one already."""
        blocks = _words(item.content)
        for number, (told, draft, part) in enumerate(self._placed):
            if _alike(told, blocks):
                del self._placed[number]
                at = next(index for index, one in enumerate(draft.parts) if one is part)
                draft.parts[at : at + 1] = parts
                return draft
        if len(self._told) == 1 == len(blocks) and self._told[0][0] == blocks[0]:
            self._told.clear()
            return None
        repeated = [one for one in self._told if _alike(one[0], blocks)][: len(blocks)]
        self._told = [one for one in self._told if one not in repeated]
        if not repeated:
            self._said.append(blocks)
        return None

    def _agent_told(self, event: _Item, where: _Where) -> None:
        """An event repeats what an item says, before it or after; what none says is told by the event alone."""
        written = joined(event.message)
        if not written.strip():
            return
        for number, blocks in enumerate(self._said):
            if _alike(written, blocks):
                del self._said[number]
                return
        self._told = [one for one in self._told if one[1] == "message" or not _alike(written, [one[0]])]
        self._told.append((written, "message", where))

    def _item_told(self, item: Any, where: _Where) -> bool:
        """Newer clients tell an item once more when it is complete, beside an ``agent_message`` or instead of one."""
        if within(item, "type") in _CALLS_OF_ITEMS:
            identifier = string(within(item, "id"))
            if identifier is not None and identifier not in self._calls:
                self._elsewhere_called.setdefault(identifier, where.origin)
        if within(item, "type") not in ("AgentMessage", "agent_message"):
            return False
        key = "content" if within(item, "content") is not None else "text"
        written = joined(within(item, key))
        recent = (draft for draft in reversed(self.drafts[-_NEAR:]) if draft.role == "assistant")
        known = any(_alike(written, draft.blocks()) for draft in recent) or any(
            _alike(written, [told]) for told, _, _ in self._told
        )
        if written.strip() and not known:
            inner = _Where(where.place, (*where.path, "item"), where.origin, where.time)
            self._told.append((written, key, inner))
        return True

    def _take_told(self) -> None:
        """Read what only events tell as said by the agent."""
        for written, key, where in self._told:
            step = self._of_step(where)
            shown = text(written, where.place, (*where.path, key))
            part = TextPart(text=shown, origin=where.origin)
            step.parts.append(part)
            self._placed.append((written, step, part))
        self._told = []

    def _last_told(self, event: _Item, where: _Where) -> None:
        """The end of a turn repeats its last words."""
        written = joined(event.last_agent_message)
        recent = (draft for draft in reversed(self.drafts[-_NEAR:]) if draft.role == "assistant")
        if written.strip() and not any(_alike(written, draft.blocks()) for draft in recent):
            self._told.append((written, "last_agent_message", where))
            self._take_told()

    def _person(self, item: _Item, where: _Where) -> None:
        self._close(None)
        between = item.type == "agent_message"
        named = "user" if between else item.role
        role: Role = _ROLES.get(named, "unknown") if isinstance(named, str) else "unknown"
        draft = _Draft(role, where.time, where.origin)
        draft.id = string(item.id)
        # What other agents say is brought by the client.
        draft.parts += _content(item, where, synthetic=between or role == "system")
        before = self.drafts[-1] if self.drafts else None
        if role == "unknown":
            reason = f"a message whose role is not known ({str(item.role)[:60]})"
            self.gaps.append(Gap(reason=reason, origin=where.origin))
        elif before is not None and before.only_told and _alike(before.words(), _words(item.content)):
            draft.confirmed = True
            self.drafts.pop()
        first = next((part.text.head for part in draft.parts if isinstance(part, TextPart)), "")
        if is_interruption(first):
            self._aborted = None
        elif _SUMMARY.match(first):
            draft.summary = True
            draft.parts.insert(0, Compaction(origin=where.origin))
        self.drafts.append(draft)

    def _reasoning(self, item: _Item, where: _Where) -> None:
        """Thinking is encrypted; what is readable is its summary, in older clients the thinking itself."""
        step = self._of_step(where)
        path: Path = (*where.path, "summary")
        shown = joined(item.summary)
        if not shown and item.content is not None:
            shown, path = joined(item.content), (*where.path, "content")
        step.parts.append(Reasoning(text=text(shown, where.place, path), origin=where.origin))

    # --- calls ---

    def _call(self, kind: str, item: _Item, where: _Where) -> None:
        identifier = string(item.call_id) or (string(item.id) if kind != "function_call" else None)
        named = kind not in ("function_call", "custom_tool_call")
        name = string(item.name) or (kind.removesuffix("_call") if named else "unknown")
        if isinstance(item.namespace, str) and item.namespace.startswith("mcp__"):
            name = f"{item.namespace}__{name}"
        key = next((one for one in ("arguments", "input", "action") if memoryview(getattr(item, one))), "")
        raw = getattr(item, key) if key else msgspec.Raw(b"{}")
        shown = shown_json(raw)
        if identifier is not None and identifier in self._calls:
            known = self._calls[identifier][1].fields
            if known["name"] != name or known["input"].whole() != shown:
                reason = f"another call under the id of an earlier one ({identifier[:80]})"
                self._of_step(where).parts.append(Unread(reason=reason, origin=where.origin))
            return
        step = self._of_step(where)
        limit = None
        arguments = _arguments(raw) if name in _RUNNERS else {}
        if name in _LIMITED:
            asked = integer(arguments.get("timeout_ms", arguments.get("timeout")))
            limit = asked if asked is not None and asked > 0 else _DEFAULT_LIMIT_MS
        running = arguments.get("session_id")
        calling = _Calling(
            id=identifier,
            # A name that stands in every other message, in memory but once.
            name=sys.intern(name),
            input=json_text(shown, where.place, (*where.path, key)),
            status="running",
            start=where.time,
            limit_ms=limit,
            continues=self._running.get(str(running)) if running is not None else None,
            origin=where.origin,
        )
        if (
            kind in ("web_search_call", "image_generation_call", "tool_search_call")
            and item.status == "completed"
        ):
            # The provider runs these: their results are no items.
            calling.fields.update(status="completed", end=where.time)
        step.parts.append(calling)
        if identifier is not None:
            self._calls[identifier] = (step, calling)
            if identifier in self._early:
                gap, result, brought = self._early.pop(identifier)
                self.gaps.remove(gap)
                self._result(result, brought)

    def _result(self, item: _Item, where: _Where) -> None:
        identifier = string(item.call_id) or ""
        found = self._calls.get(identifier) or self._nameless()
        if found is None:
            shown = identifier[:80] or "without id"
            reason = f"the result of a call that this log does not hold ({shown})"
            gap = Gap(reason=reason, origin=where.origin)
            self.gaps.append(gap)
            if identifier:
                self._early.setdefault(identifier, (gap, item, where))
            return
        step, calling = found
        if identifier and identifier not in self._calls:
            reason = f"a result under an id of no call ({identifier[:80]}), taken for that of the call without an id"
            self.gaps.append(Gap(reason=reason, origin=where.origin))
        if step is self._step:
            self._answered = True
        fields = calling.fields
        if fields.get("result_origin") is not None:
            self._unread(
                f"a second result of the call {identifier[:80] or fields['name'][:80]}", where.origin
            )
            return
        fields.update(status="completed", end=where.time, result_origin=where.origin)
        value = item.output
        if value is None:
            self._elsewhere(item, where)
        if isinstance(value, list):
            pictures = sum(within(one, "type") == "input_image" for one in value)
            calling.media = (File(origin=where.origin),) * pictures
        self._settle(calling, value, where)

    def _elsewhere(self, item: _Item, where: _Where) -> None:
        """A result without an output is empty, unless something stands there under another name."""
        whole = again(where.place, where.path)
        others = whole.keys() - _BARE_RESULT if isinstance(whole, dict) else set()
        if others and item.type != "tool_search_output":
            names = ", ".join(sorted(others))[:80]
            self._unread(f"a result whose content is not known here ({names})", where.origin)

    def _nameless(self) -> tuple[_Draft, _Calling] | None:
        """The first call of the last step that has neither an id nor a result: one without an id belongs to it."""
        for draft in reversed(self.drafts[-_NEAR:]):
            if draft.role == "assistant":
                waiting = (one for one in draft.calls() if not one.fields.get("id"))
                return next(((draft, one) for one in waiting if "result_origin" not in one.fields), None)
        return None

    def _settle(self, calling: _Calling, value: Any, where: _Where) -> None:
        """Fill in what a result says of its call."""
        fields = calling.fields
        failed = within(value, "success") is False
        path: Path = (*where.path, "output")
        if isinstance(value, dict) and value.keys() <= _RESULT_KEYS and value.keys() & {"content", "output"}:
            self._coded(fields, value)
            inner = "content" if "content" in value else "output"
            path, value = (*path, inner), value.get(inner)
        shown = joined(value)
        if shown.startswith("{") and path[-1] == "output":
            told = _inner(shown)
            if told is not None:
                shown = told["output"]
                self._coded(fields, told)
        skip = (
            self._header(fields, shown)
            if fields["name"] in _RUNNERS or shown.startswith(("Exit code: ", "Wall time: "))
            else 0
        )
        rest = shown[skip:]
        cut = _TIMED_OUT.match(rest) if fields["name"] in _LIMITED else None
        late = cut or (
            _TIMED_OUT.search(rest[-200:])
            if fields["name"] in _LIMITED and fields.get("exit") == 124
            else None
        )
        if late is not None:
            fields.update(timed_out=True, status="error", error=Text(late[0].strip()))
            skip += cut.end() if cut is not None else 0
        elif fields["name"] not in _RUNNERS and (waited := wordings.mcp_cut_off(Text(rest))) is not None:
            fields.update(timed_out=True, limit_ms=waited.limit_ms, status="error")
            fields["error"] = text(rest, where.place, path, skip=skip)
            return
        elif wordings.refused(rest[:2048], client=FORMAT) or failed or _FAILED.match(rest[:400]):
            fields.update(status="error", error=text(rest, where.place, path, skip=skip))
            return
        elif fields.get("exit") is None and wordings.aborted(
            rest[-2048:], output_start=rest[:2048], client=FORMAT
        ):
            fields["interrupted"] = True
        fields["truncated"] = _TRUNCATED.search(shown[:400]) is not None
        fields["output"] = text(shown[skip:], where.place, path, skip=skip)
        if fields["name"] in _SPAWNS:
            agent = string(within(_inner_any(shown), "agent_id"))
            fields["child"] = agent if agent is not None and _AGENT_ID.fullmatch(agent) else None

    def _header(self, fields: Fields, shown: str) -> int:
        """Take what the client puts before an output; returns its length.

        What a patch within a command printed has a header of its own below that of the command.
        """
        found = _HEADER.match(shown)
        if found is None or not found.end():
            return 0
        if shown.startswith("Exit code: ", found.end()):
            return found.end() + self._header(fields, shown[found.end() :])
        code = found["exit"] or found["code"]
        if code is not None:
            fields["exit"] = int(code)
        if found["session"] is not None:
            fields["background"] = True
            if fields.get("id") and fields.get("continues") is None:
                self._running[found["session"]] = fields["id"]
        return found.end()

    def _coded(self, fields: Fields, told: dict[str, Any]) -> None:
        """The exit code of an older client's result, which is JSON of its own."""
        code = integer(within(told, "metadata", "exit_code"))
        if code is not None:
            fields["exit"] = code
        session = integer(told.get("session_id"))
        if session is not None and code is None:
            fields["background"] = True
            if fields.get("id") and fields.get("continues") is None:
                self._running[str(session)] = fields["id"]

    # --- events ---

    def _event(self, event: _Item, where: _Where) -> None:
        kind = event.type if isinstance(event.type, str) else ""
        if kind == "agent_message":
            self._agent_told(event, where)
            return
        if kind == "item_completed" and self._item_told(_any(event.item), where):
            return
        if self._told and kind not in _EVENTS:
            self._take_told()
        if kind == "token_count":
            self._counted(event.info, where)
        elif kind == "user_message":
            self._confirmed(event, where)
        elif kind in ("task_started", "turn_started"):
            self._abandoned()
            self._close(None)
            self._turned()
        elif kind in ("task_complete", "turn_complete"):
            if within(event.error, "message") is not None:
                self._ended_badly(joined(within(event.error, "message"))[:2000], where)
            else:
                self._last_told(event, where)
            self._close("stop")
            self._turned()
        elif kind == "turn_aborted":
            self._abort(event, where)
        elif kind in ("error", "stream_error"):
            self._failed(kind, event, where)
        elif kind == "thread_name_updated":
            self.title = string(event.thread_name) or self.title
        elif kind == "thread_rolled_back":
            self._rolled_back(integer(event.num_turns) or 0, where.origin)
        elif kind in _CALLS_OF_EVENTS:
            identifier = string(event.call_id)
            if identifier is not None and identifier not in self._calls:
                self._elsewhere_called.setdefault(identifier, where.origin)
        elif kind == "context_compacted":
            if not self._compacted:
                self._compaction(_Compacted(), where)
            self._compacted = False
        elif kind not in _EVENTS:
            self._not_known(f"event {kind}", where.origin)

    def _counted(self, raw: msgspec.Raw, where: _Where) -> None:
        """Tokens of the step that ended. A count that grew while no item came is a step with nothing in it."""
        counts = _counts(raw)
        used, whole = counts.last_token_usage or _Tokens(), counts.total_token_usage or _Tokens()
        total = integer(whole.total_tokens)
        grew = total is not None and total > (self._total or 0)
        if total is not None:
            self._total = total
        if not grew:
            return
        step = self._step or self._uncounted(integer(used.output_tokens), where)
        if step is None:
            return
        read, cached = integer(used.input_tokens), integer(used.cached_input_tokens)
        step.tokens_in = None if read is None else max(0, read - (cached or 0))
        step.tokens_out = integer(used.output_tokens)
        step.ended = where.time if where.time is not None and not step.calls() else step.ended
        self._step = step
        self._close("stop")

    def _uncounted(self, written: int | None, where: _Where) -> _Draft | None:
        """The step that a count is of when its items have ended, or never came."""
        last = self.drafts[-1] if self.drafts else None
        if last is None or last.summary:
            return None
        if last.role == "assistant" and last.tokens_out is None:
            return last
        if written is None or (last.role == "assistant" and not last.calls()):
            return None
        step = _Draft("assistant", where.time, where.origin, self.model)
        self.drafts.append(step)
        return step

    def _confirmed(self, event: _Item, where: _Where) -> None:
        """The event tells which user items a person wrote: the client's own have none."""
        self._events = True
        written = joined(event.message)
        for draft in reversed(self.drafts[-_NEAR:]):
            if draft.role == "user" and not draft.confirmed and _alike(written, draft.blocks()):
                draft.confirmed = True
                return
        last = self.drafts[-1] if self.drafts and self.drafts[-1].role == "user" else None
        if last is not None and not written.strip():
            last.confirmed = last.confirmed or not _by_client(last)
        elif last is None or not _alike(written, last.blocks()):
            draft = _Draft("user", where.time, where.origin)
            shown = text(written, where.place, (*where.path, "message"))
            draft.parts.append(TextPart(text=shown, origin=where.origin))
            draft.confirmed = draft.only_told = True
            self._close(None)
            self.drafts.append(draft)

    def _rolled_back(self, turns: int, origin: Origin) -> None:
        """The person took back the last turns."""
        asked = [
            at
            for at, draft in enumerate(self.drafts)
            if draft.role == "user" and not draft.summary and not _by_client(draft)
        ]
        for draft in self.drafts[asked[-min(turns, len(asked))] :] if asked and turns > 0 else ():
            draft.reverted = True
        self._close(None)

    def _turned(self) -> None:
        """Another turn begins: what one says does not repeat what the other said."""
        self._said.clear()
        self._placed = []

    def _abort(self, event: _Item, where: _Where) -> None:
        last = self.drafts[-1] if self.drafts and self.drafts[-1].role == "assistant" else None
        for draft in self.drafts[-3:]:
            for calling in draft.calls():
                if calling.fields.get("result_origin") is None:
                    calling.fields["interrupted"] = event.reason in (None, "interrupted", "replaced")
        said = self.drafts[-1].words() if self.drafts and self.drafts[-1].role == "user" else ""
        if event.reason in (None, "interrupted") and not is_interruption(said):
            self._aborted = (last, where.origin, where.time)
        self._close(None)

    def _abandoned(self) -> None:
        """Older clients note an interruption by its event alone: it is the end of the message it stopped."""
        if self._aborted is None:
            return
        draft, origin, time = self._aborted
        self._aborted = None
        if draft is None:
            draft = _Draft("assistant", time, origin, self.model)
            self.drafts.append(draft)
        draft.error = draft.error or Trouble(
            name="MessageAbortedError", text="the person interrupted the turn"
        )

    def _failed(self, kind: str, event: _Item, where: _Where) -> None:
        words = joined(event.message)[:2000]
        if kind == "stream_error":
            reason = f"a request failed and the client tried again: {words[:200]}".rstrip(": ")
            self.gaps.append(Gap(reason=reason, origin=where.origin))
            return
        self._ended_badly(words, where)

    def _ended_badly(self, words: str, where: _Where) -> None:
        """An error that ended the turn: it is the end of the step that was under way, or of one that never began."""
        last = self.drafts[-1] if self.drafts else None
        if last is not None and last.error is not None and last.error.text == words:
            # Older clients tell it by an event of its own before.
            return
        step = self._step or (
            last if last is not None and last.role == "assistant" and last.finish is None else None
        )
        if step is None:
            step = _Draft("assistant", where.time, where.origin, self.model)
            self.drafts.append(step)
        step.error = Trouble(name="error", text=words)
        self._close(None)

    def _compaction(self, compacted: _Compacted, where: _Where) -> None:
        self._close(None)
        self._compacted = True
        draft = _Draft("user", where.time, where.origin)
        draft.summary = draft.confirmed = True
        draft.parts.append(Compaction(origin=where.origin))
        summary = joined(compacted.message)
        if summary:
            shown = text(summary, where.place, (*where.path, "message"))
            draft.parts.append(TextPart(text=shown, synthetic=True, origin=where.origin))
        self.drafts.append(draft)

    # --- the end ---

    def session(self) -> Session | None:
        """The session; ``None`` when there is no message at all."""
        self._take_told()
        self._abandoned()
        alone = [origin for call, origin in self._elsewhere_called.items() if call not in self._calls]
        if alone:
            calls = "a call" if len(alone) == 1 else f"{len(alone)} calls"
            self.gaps.append(Gap(reason=f"{calls} of which only an event tells", origin=alone[0]))
        for kind, (count, origin) in self._unknown.items():
            many = "a line" if count == 1 else f"{count} lines"
            self.gaps.append(Gap(reason=f"{many} of a kind that is not known here ({kind})", origin=origin))
        self._unknown = {}
        for draft in self.drafts:
            if draft.role == "user" and not draft.confirmed and _by_client(draft, told=self._events):
                draft.parts = [
                    msgspec.structs.replace(part, synthetic=True) if isinstance(part, TextPart) else part
                    for part in draft.parts
                ]
        if not self.drafts:
            return None
        found = (calling.fields.get("child") for _, calling in self._calls.values())
        self.children = [child for child in found if child]
        # What only served to join lines goes first, so that not both are held.
        self._calls.clear()
        messages: list[Message] = []
        self.drafts.reverse()
        while self.drafts:
            messages.append(self.drafts.pop().message(len(messages)))
        return Session(
            id=self.id,
            source_format=FORMAT,
            title=self.title,
            client="codex",
            client_version=self.version,
            directory=self.directory,
            parent=self.parent,
            messages=tuple(messages),
            gaps=tuple(self.gaps),
            truncated=self.truncated,
        )


def _by_client(draft: _Draft, *, told: bool = False) -> bool:
    """Whether the client wrote a user item. ``told``: events of this log name those that a person wrote."""
    texts = [part.text for part in draft.parts if isinstance(part, TextPart)]
    if not texts or is_interruption(texts[0].head):
        return False
    tagged = _TAGGED.match(texts[0].head[:200])
    closed = tagged is not None and texts[-1].end().rstrip().endswith(f"</{tagged['tag'].split()[0]}>")
    if closed or _CLIENT_WORDS.match(texts[0].head[:400]):
        return True
    return told and draft.summary


def _content(item: _Item, where: _Where, *, synthetic: bool) -> list[Part]:
    value = item.content
    path: Path = (*where.path, "content")
    if isinstance(value, str):
        return [TextPart(text=text(value, where.place, path), synthetic=synthetic, origin=where.origin)]
    parts: list[Part] = []
    if value is None:
        parts.append(Unread(reason="a message without a content that is known here", origin=where.origin))
    elif not isinstance(value, list):
        parts.append(Unread(reason="a content that is neither text nor a list", origin=where.origin))
    for index, block in enumerate(value if isinstance(value, list) else []):
        kind = within(block, "type")
        if kind in ("input_text", "output_text", "text", "refusal"):
            key = "refusal" if kind == "refusal" else "text"
            if within(block, key) is None:
                parts.append(Unread(reason="a block of text in which no text stands", origin=where.origin))
                continue
            written = joined(within(block, key))
            shown = text(written, where.place, (*path, index, key))
            parts.append(TextPart(text=shown, synthetic=synthetic, origin=where.origin))
        elif kind in ("input_image", "local_image", "image", "input_file"):
            address = string(within(block, "image_url")) or string(within(block, "path"))
            name = None if address is None or address.startswith("data:") else address[:2048]
            parts.append(File(name=name, origin=where.origin))
        else:
            reason = f"a part of a kind that is not known here ({str(kind)[:60]})"
            parts.append(Unread(reason=reason, origin=where.origin))
    return parts


def _words(content: Any) -> list[str]:
    """The texts of a message, block by block."""
    if not isinstance(content, list):
        return [joined(content)]
    texts = [block.get("text") if isinstance(block, dict) else None for block in content]
    return [
        one if isinstance(one, str) else joined([block]) for one, block in zip(texts, content, strict=True)
    ]


def _alike(told: str, blocks: list[str]) -> bool:
    """Whether an event tells the same as a message of these blocks, as a whole or as one of them."""
    if told in blocks:
        return True
    wanted = told.split()
    texts = blocks if len(blocks) == 1 else (*blocks, "\n".join(blocks))
    return any(
        one.split() == wanted or ("</" in one and _HIDDEN.sub("", one).split() == wanted) for one in texts
    )


def _any(raw: msgspec.Raw) -> Any:
    if not memoryview(raw):
        return None
    try:
        return decode(raw, ANY)
    except ValueError:
        return None


def _counts(raw: msgspec.Raw) -> _Counts:
    """The tokens that an event tells; none where it tells them in another form."""
    try:
        return (decode(raw, _COUNTS) if memoryview(raw) else None) or _Counts()
    except ValueError:
        return _Counts()


def _arguments(raw: msgspec.Raw) -> dict[str, Any]:
    value = _any(raw)
    if isinstance(value, str):
        value = _inner_any(value)
    return value if isinstance(value, dict) else {}


def _inner_any(shown: str) -> Any:
    """JSON within a string; ``None`` for anything else."""
    if not shown.lstrip().startswith("{"):
        return None
    try:
        return decode(shown.encode("utf-8", "surrogatepass"), ANY)
    except ValueError:
        return None


def _inner(shown: str) -> dict[str, Any] | None:
    """The result of an older client: ``{"output": …, "metadata": {"exit_code": …}}``."""
    value = _inner_any(shown)
    if (
        isinstance(value, dict)
        and isinstance(value.get("output"), str)
        and ("metadata" in value or "session_id" in value)
    ):
        return value
    return None
