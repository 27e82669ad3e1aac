"""Reader ``cline``: task folders of Cline, Roo Code and their kin.

A task's folder holds ``api_conversation_history.json`` (what the model saw: a list of Anthropic messages) and
``ui_messages.json`` (what the person saw, with times). Either file is read alone, too. From the public documentation of
these clients and their published message types.

- Words come from the conversation, times, costs and cancelled requests from what the person saw.
- Older versions write calls as XML within the text (``<execute_command><command>…``) and results as text of the next user
  record (``[execute_command for '…'] Result:``); newer ones use blocks. Both become calls with results.
- A user record is human only as far as the person wrote: the task, ``<feedback>`` and ``<user_message>``. Details of the
  environment, notes of the client and results are not.
- Records have no ids: their number in the list, from 0, stands for one.
- An answer without content stands there as a sentence of the client's: the message is empty.
- A command that the client stopped waiting for and left running in the terminal is in the background.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from sessionlens.cache import lazy
from sessionlens.model import File, Reasoning, Session, Text, TextPart, Trouble, Unread
from sessionlens.readers.base import ReadError
from sessionlens.readers.drafts import ABORTED, CallDraft, Draft, SessionDraft
from sessionlens.readers.folders import Beside, others
from sessionlens.readers.jsonl import ANY, as_json, decode, integer, joined, string, within
from sessionlens.readers.pieces import Piece, beginning, document
from sessionlens.readers.source import Source

FORMAT = "cline"
_CONVERSATIONS = ("api_conversation_history.json", "claude_messages_api.json")
_SCREENS = ("ui_messages.json", "claude_messages.json")
_TASK_FILES = frozenset(
    {
        *_CONVERSATIONS,
        *_SCREENS,
        "task_metadata.json",
        "context_history.json",
        "history_item.json",
        "settings.json",
    }
)
_FOCUS = lazy(r"focus_chain_taskid_[0-9A-Za-z_-]{1,80}\.md")
"""A list of what is to be done, which the conversation holds, too."""
_TASK_FOLDERS = frozenset({"checkpoints", "command-output", "attachments", "images"})
_TOOLS = (
    "execute_command", "read_file", "write_to_file", "replace_in_file", "apply_diff", "insert_content", "search_and_replace",
    "search_files", "list_files", "list_code_definition_names", "browser_action", "use_mcp_tool", "access_mcp_resource",
    "ask_followup_question", "attempt_completion", "plan_mode_respond", "new_task", "switch_mode", "fetch_instructions",
    "load_mcp_documentation", "codebase_search", "update_todo_list", "new_rule", "condense", "report_bug", "web_fetch",
    "edit_file", "delete_file", "run_slash_command", "generate_image", "read_command_output", "web_search", "use_skill",
    "act_mode_respond", "search_subagent", "use_subagents", "focus_chain", "summarize_task", "apply_patch",
    "generate_explanation",
)  # fmt: skip
"""Tools that these clients write as XML."""
_CALL = lazy(rf"<(?P<name>{'|'.join(_TOOLS)})>")
_RESULT = lazy(rf"\s*\[(?P<name>{'|'.join(_TOOLS)})\b(?P<about>[^\n]{{0,4000}}?)\] Result:\s*")
_OWN = lazy(
    r"\s*(?:<environment_details>|<task>|\[ERROR\] You did not use a tool|\[TASK RESUMPTION\]|# task_progress|<explicit_instructions"
    r"|\[(?:" + "|".join(_TOOLS) + r")\b[^\n]{0,4000}\] Result:)"
)
_CLIENT = lazy(
    r"\s*(?:<environment_details>|\[ERROR\] |\[TASK RESUMPTION\]|\[NOTE\]|# task_progress|<explicit_instructions|<file_content\b"
    r"|<hook_context|Tool \[[^\n\]]{1,80}\] was not executed|<notice>|If you have completed the user's task)"
)
_PERSON = lazy(r"<(?P<tag>feedback|user_message|task|answer|user_feedback)>\s*")
_STILL = lazy(
    r"Command is still running in (?:the user's |the )?terminal|Command is (?:still )?running in the background"
    r"|The command (?:is running|will continue running|was moved to run) in the background"
)
_CUT = lazy(
    r"(?:Command execution timed out|The command timed out|Command timed out) after (?P<n>\d+(?:\.\d+)?) ?s(?:econds?)?\b"
)
_CODE = lazy(
    r"(?:\A|\n)(?:Command executed[^\n]{0,400}? )?Exit [Cc]ode:? (?P<code>-?\d{1,10})\b|Command (?:failed|exited) with exit code (?P<other>-?\d{1,10})"
)
_OUTPUT = lazy(
    r"\A(?:Command executed|Command is still running)[^\n]{0,600}\n(?:(?:Output|Here's the output so far):\r?\n?)?"
)
_DENIED = lazy(r"\s*The user denied this operation")
_ENDED = lazy(r"\s*Command executed\b")
"""The client's word that a command came to its end, whatever its output quotes."""
_FAILED = lazy(r"\s*The tool execution failed with the following error:")
_STOPPED = lazy(r"\s*The command was cancelled by the user\.\s*\Z")
_REPLY = lazy(r'\s*\{\s*"status"\s*:\s*"(?:denied|approved|error|guidance)"')
_REPLY_FIELDS = frozenset(
    {"status", "message", "feedback", "error", "type", "path", "suggestion", "server", "tool", "available_tools", "available_servers"}
)  # fmt: skip
_LONGEST_REPLY = 200_000
"""Characters within which the client's own JSON in a result must end."""
_NOTHING = "Failure: I did not provide a response."
"""What the client puts in the place of an answer of the model that had no content (its source, and public tasks)."""
_THINKING = lazy(r"<thinking>\s*(?P<thought>.*?)\s*</thinking>\s*", re.DOTALL)


class Cline:
    """Reads tasks of Cline and Roo Code."""

    name = FORMAT

    def recognises(self, source: Source) -> str | None:
        """``None`` for a task's folder, and for either of its two files."""
        if source.folder:
            return (
                None if _task_files(source.path) else "no task folder of Cline or Roo (two lists of messages)"
            )
        root = beginning(source)
        if root is None or root.first() != b"[":
            return "no JSON list at the beginning"
        if _is_screen(root) or _is_conversation(root):
            return None
        return "no list of what the person saw (`ts`, `say`, `ask`), and no conversation with this client's words"

    def read(self, source: Source) -> Iterator[Session]:
        """The one session of the task. Raises :class:`ReadError` when it holds no message."""
        name = source.name if source.folder else Path(source.name).stem or source.name
        found = _task_files(source.path) if source.folder else {}
        conversation, screen = found.get("conversation"), found.get("screen")
        if not source.folder:
            if _is_screen(document(source)):
                screen = source
            else:
                conversation = source
        reading = _Reading(name, in_folder=source.folder)
        try:
            if screen is not None:
                reading.screen = _screen(document(screen), screen.name if source.folder else None)
            if conversation is not None:
                reading.conversation(document(conversation))
            elif screen is not None:
                reading.seen(document(screen))
            reading.ended()
            if not reading.draft.drafts:
                raise ReadError(source.name, "the task holds no message")
            yield reading.draft.session()
        finally:
            for one in (conversation, screen, source):
                if one is not None:
                    one.release()

    def beside(self, source: Source) -> Iterator[Beside]:
        """What lies in a task's folder and is no part of the task."""
        read = [one.path for one in _task_files(source.path).values()]
        skipped = (_TASK_FILES | _TASK_FOLDERS) - {*_CONVERSATIONS, *_SCREENS}
        for one in others(source.path, read=read, skipped=skipped):
            if not _FOCUS.fullmatch(one.path.name):
                yield one


def _task_files(folder: Path) -> dict[str, Source]:
    """The files of a task; none when the folder holds no conversation of the client."""
    found: dict[str, Source] = {}
    for key, names in (("conversation", _CONVERSATIONS), ("screen", _SCREENS)):
        for name in names:
            path = folder / name
            if key not in found and path.is_file():
                try:
                    source = Source(path)
                except ReadError:
                    continue
                root = beginning(source)
                if root is not None and root.first() == b"[":
                    found[key] = source
    screen = found.get("screen")
    if screen is not None:
        root = beginning(screen)
        if root is None or not _is_screen(root):
            del found["screen"]
    return found


def _is_screen(root: Piece) -> bool:
    first = next(root.items(), None)
    if first is None:
        return False
    keys = first.members()
    kind = keys["type"].value() if "type" in keys else None
    return "ts" in keys and kind in ("say", "ask") and kind in keys


def _is_conversation(root: Piece) -> bool:
    """Whether the first records have what only these clients write into a conversation."""
    for number, piece in enumerate(root.items()):
        keys = piece.members()
        if number >= 3 or "role" not in keys or "content" not in keys:
            return False
        head = bytes(keys["content"].data[:400_000])
        if b"<environment_details>" in head or re.search(rb"<task>\\n", head[:4096]):
            return True
    return False


# --- what the person saw -----------------------------------------------------------------------------------


class _Request(NamedTuple):
    """One request to the model, as the person saw it."""

    time: int | None
    tokens_in: int | None
    tokens_out: int | None
    cancelled: str | None
    failure: str | None


class _Screen(NamedTuple):
    requests: list[_Request]
    resumed: set[int]
    """Numbers of requests before which the person resumed the task."""


def _screen(root: Piece, file: str | None) -> _Screen:
    requests: list[_Request] = []
    resumed: set[int] = set()
    for piece in root.items():
        value = piece.value()
        if not isinstance(value, dict):
            continue
        if value.get("say") == "api_req_started":
            told = _inner(value.get("text"))
            requests.append(
                _Request(
                    time=integer(value.get("ts")),
                    tokens_in=integer(within(told, "tokensIn")),
                    tokens_out=integer(within(told, "tokensOut")),
                    cancelled=string(within(told, "cancelReason")),
                    failure=string(within(told, "streamingFailedMessage")),
                )
            )
        elif value.get("ask") in ("resume_task", "resume_completed_task"):
            resumed.add(len(requests))
    return _Screen(requests, resumed)


def _inner(value: Any) -> Any:
    if not isinstance(value, str):
        return None
    try:
        return decode(value.encode("utf-8", "surrogatepass"), ANY)
    except ValueError:
        return None


# --- the conversation --------------------------------------------------------------------------------------


class _Reading:
    """One task."""

    def __init__(self, name: str, *, in_folder: bool) -> None:
        self.draft = SessionDraft(FORMAT, name, client="roo-code", shown="cline")
        self.in_folder = in_folder
        self.screen: _Screen | None = None

    def conversation(self, root: Piece) -> None:
        for number, piece in enumerate(root.items()):
            value = piece.value()
            if not isinstance(value, dict):
                self.draft.unreadable(piece.origin, cut=not piece.complete)
            elif value.get("role") == "assistant":
                self._assistant(piece, value, number)
            else:
                self._user(piece, value, number)
        if not root.complete and not self.draft.truncated:
            self.draft.unreadable(root.origin, cut=True)
        self._timed()

    def _timed(self) -> None:
        """Give messages the times, tokens and ends of the requests that the person saw."""
        screen = self.screen
        if screen is None:
            return
        answers = [draft for draft in self.draft.drafts if draft.role == "assistant"]
        kept = [request for request in screen.requests if request.cancelled is None]
        requests = screen.requests if len(screen.requests) == len(answers) else kept
        if len(requests) != len(answers):
            if requests and answers:
                self.draft.gap(
                    f"{len(answers)} answers of the model, {len(requests)} requests seen by the person: times are left out",
                    answers[0].origin,
                )
            return
        for draft, request in zip(answers, requests, strict=True):
            draft.time = draft.time or request.time
            draft.tokens_in, draft.tokens_out = request.tokens_in, request.tokens_out
            for call in draft.calls():
                call.fields["start"] = call.fields.get("start") or draft.time
            if request.cancelled == "user_cancelled":
                draft.error = draft.error or Trouble(name=ABORTED, text="user_cancelled")
            elif request.cancelled is not None or request.failure is not None:
                draft.error = draft.error or Trouble(
                    name=request.cancelled or "error", text=(request.failure or "")[:2000]
                )

    def ended(self) -> None:
        """Tell what the client itself wrote at the end of an answer that was cut short."""
        for draft in self.draft.drafts:
            last = next((part for part in reversed(draft.parts) if isinstance(part, TextPart)), None)
            if draft.role == "assistant" and last is not None and draft.error is None:
                if "[Response interrupted by user]" in last.text.end()[-200:]:
                    draft.error = Trouble(name=ABORTED, text="Response interrupted by user")
                elif "[Response interrupted by API Error]" in last.text.end()[-200:]:
                    draft.error = Trouble(name="error", text="Response interrupted by API Error")

    def _assistant(self, piece: Piece, value: dict[str, Any], number: int) -> None:
        draft = self.draft.message(
            "assistant", piece.origin, identifier=f"{number}", time=_time(value.get("ts"))
        )
        draft.model = string(within(value, "modelInfo", "modelId"))
        content = piece.get("content")
        if content is None:
            return
        for block in content.items() if content.first() == b"[" else (content,):
            told = block.value()
            kind = "text" if isinstance(told, str) else string(within(told, "type")) or ""
            if kind == "text":
                self._written(draft, block if isinstance(told, str) else block.get("text"))
            elif kind in ("thinking", "reasoning", "redacted_thinking"):
                thought = block.get("thinking") or block.get("text")
                draft.parts.append(
                    Reasoning(text=thought.text() if thought is not None else Text(""), origin=block.origin)
                )
            elif kind == "tool_use":
                arguments = block.get("input")
                self.draft.call(
                    draft,
                    name=string(within(told, "name")) or "unknown",
                    identifier=string(within(told, "id")),
                    text=arguments.json() if arguments is not None else Text("{}"),
                    origin=block.origin,
                    start=draft.time,
                )
                self._spoken(draft)
            else:
                draft.parts.append(
                    Unread(
                        reason=f"content of an unknown kind ({kind[:40] or 'no type'})", origin=block.origin
                    )
                )

    def _written(self, draft: Draft, block: Piece | None) -> None:
        """Text of the model: its thinking, prose, and calls as XML."""
        whole = joined(block.value()) if block is not None else ""
        if block is None or not whole:
            return
        if whole.strip() == _NOTHING:
            draft.parts.append(TextPart(text=block.text(), synthetic=True, origin=block.origin))
            return
        position = 0
        thought = _THINKING.match(whole)
        if thought is not None:
            draft.parts.append(Reasoning(text=Text(thought["thought"]), origin=block.origin))
            position = thought.end()
        while True:
            found = _CALL.search(whole, position)
            end = whole.find(f"</{found['name']}>", found.end()) if found is not None else -1
            if found is None or end < 0:
                break
            if whole[position : found.start()].strip():
                draft.say(block.text(begin=position, end=found.start()), block.origin)
            inner = whole[found.end() : end]
            self.draft.call(
                draft,
                name=found["name"],
                identifier=None,
                text=Text(as_json(_arguments(inner))),
                origin=block.origin,
                start=draft.time,
            )
            self._spoken(draft)
            position = end + len(found["name"]) + 3
        if whole[position:].strip():
            draft.say(block.text(begin=position), block.origin)

    def _spoken(self, draft: Draft) -> None:
        """What the tools for speaking say to the person is the agent's prose."""
        call = draft.calls()[-1]
        key = {
            "attempt_completion": "result",
            "ask_followup_question": "question",
            "plan_mode_respond": "response",
            "act_mode_respond": "response",
        }.get(call.fields["name"])
        words = string(call.call().arguments().get(key)) if key is not None else None
        if words is not None:
            # Before the call, which is the last part.
            draft.parts.insert(len(draft.parts) - 1, TextPart(text=Text(words), origin=call.fields["origin"]))
            call.fields["status"] = "completed"

    def _user(self, piece: Piece, value: dict[str, Any], number: int) -> None:
        draft = Draft("user", piece.origin, identifier=f"{number}", time=_time(value.get("ts")))
        content = piece.get("content")
        blocks = (
            list(content.items())
            if content is not None and content.first() == b"["
            else [content]
            if content
            else []
        )
        open_call: tuple[Draft, CallDraft] | None = None
        for block in blocks:
            told = block.value()
            kind = "text" if isinstance(told, str) else string(within(told, "type")) or ""
            if kind == "text":
                text = block if isinstance(told, str) else block.get("text")
                if text is not None:
                    open_call = self._heard(draft, text, open_call)
            elif kind == "tool_result":
                self._block_result(draft, block, told)
            elif kind in ("image", "document"):
                draft.parts.append(
                    File(name=None, mime=string(within(told, "source", "media_type")), origin=block.origin)
                )
            else:
                draft.parts.append(
                    Unread(
                        reason=f"content of an unknown kind ({kind[:40] or 'no type'})", origin=block.origin
                    )
                )
        if open_call is not None and not open_call[1].answered:
            self.draft.answer(open_call, piece.origin, output=Text(""), time=draft.time)
        human = [part for part in draft.parts if not isinstance(part, TextPart) or not part.synthetic]
        if human or not self.draft.drafts or not blocks or not self._quiet(draft):
            self.draft.drafts.append(draft)

    def _quiet(self, draft: Draft) -> bool:
        """Join a record with nothing but the client's words to the message whose calls it answers."""
        before = self.draft.last("assistant")
        if before is None or not before.calls():
            return False
        before.alias(draft.id)
        before.parts += draft.parts
        return True

    def _heard(
        self, draft: Draft, text: Piece, open_call: tuple[Draft, CallDraft] | None
    ) -> tuple[Draft, CallDraft] | None:
        """One text of a user record; the call whose result is still to come after its header."""
        whole = joined(text.value())
        header = _RESULT.match(whole[:5000])
        if header is not None:
            found = self._named(header["name"])
            if found is None:
                self.draft.answer(None, text.origin)
                return None
            body = whole[header.end() :]
            if body.strip():
                self._resulted(draft, found, text, header.end())
                return None
            return found
        if open_call is not None and not _CLIENT.match(whole):
            self._resulted(draft, open_call, text, 0)
            return None
        if _CLIENT.match(whole):
            draft.parts.append(TextPart(text=text.text(), synthetic=True, origin=text.origin))
            return open_call
        reply = _reply(whole)
        if reply is not None and reply.status == "guidance":
            draft.say(Text(reply.feedback or ""), text.origin)
            return open_call
        self._person(draft, text, whole, elsewhere=True)
        return open_call

    def _named(self, name: str) -> tuple[Draft, CallDraft] | None:
        before = self.draft.last("assistant")
        calls = before.calls() if before is not None else []
        named = [call for call in calls if call.fields["name"] == name and not call.answered]
        return (before, named[0]) if before is not None and named else None

    def _person(self, draft: Draft, text: Piece, whole: str, *, elsewhere: bool) -> bool:
        """Take the words of the person out of a text; ``elsewhere`` when all of it is theirs where no tag says so."""
        found = list(_said_by_person(whole))
        for begin, end in found:
            draft.say(text.text(begin=begin, end=end), text.origin)
        if not found and elsewhere and whole.strip():
            draft.say(text.text(), text.origin)
        return bool(found)

    def _block_result(self, draft: Draft, block: Piece, told: Any) -> None:
        called = string(within(told, "tool_use_id"))
        found = self.draft.calls.get(called) if called is not None else None
        content = block.get("content")
        if found is None or content is None:
            self.draft.answer(called, block.origin, output=Text(""))
            return
        self._resulted(draft, found, content, 0, failed=within(told, "is_error") is True)

    def _resulted(
        self, draft: Draft, found: tuple[Draft, CallDraft], text: Piece, begin: int, *, failed: bool = False
    ) -> None:
        """Bring a call its result, and the person's words in it to their message."""
        whole = joined(text.value())
        body = whole[begin:]
        call = found[1]
        spoken = call.fields["name"] in ("attempt_completion", "ask_followup_question", "plan_mode_respond")
        heard = self._person(draft, text, whole, elsewhere=False)
        if spoken and not heard and body.strip() and not _CLIENT.match(body):
            draft.say(text.text(begin=begin), text.origin)
        reply = _reply(body)
        if reply is not None:
            draft.say(Text(reply.feedback or ""), text.origin)
        shell = call.fields["name"] == "execute_command"
        stopped = shell and _STOPPED.match(body[:200]) is not None
        if _DENIED.match(body) or stopped or (reply is not None and reply.status == "denied"):
            self.draft.answer(
                found,
                text.origin,
                error=text.text(begin=begin),
                time=draft.time,
                alias=draft.id,
                interrupted=stopped or None,
            )
            return
        if reply is not None and reply.status == "approved":
            begin += reply.end
            body = body[reply.end :]
        failed = failed or (reply is not None and reply.status == "error") or _FAILED.match(body) is not None
        header = _OUTPUT.match(body[:1000]) if shell else None
        code = _CODE.search(body[:1000]) or _CODE.search(body[-400:]) if shell else None
        ended = shell and _ENDED.match(body[:100]) is not None
        cut = _CUT.search(body[:600]) or _CUT.search(body[-600:]) if shell and not ended else None
        self.draft.answer(
            found,
            text.origin,
            output=text.text(begin=begin + (header.end() if header is not None and code is None else 0)),
            time=draft.time,
            alias=draft.id,
            failed=failed or None,
            exit=int(code["code"] or code["other"]) if code is not None and cut is None else None,
            timed_out=True if cut is not None else None,
            limit_ms=round(float(cut["n"]) * 1000) if cut is not None else None,
            background=True if shell and _STILL.search(body[:400]) else None,
        )
        if ended:
            call.fields.update(timed_out=False, limit_ms=None, interrupted=False)

    # --- what the person saw, alone ---

    def seen(self, root: Piece) -> None:
        """A session from what the person saw, where the conversation is gone."""
        call: tuple[Draft, CallDraft] | None = None
        for number, piece in enumerate(root.items()):
            value = piece.value()
            if not isinstance(value, dict):
                self.draft.unreadable(piece.origin, cut=not piece.complete)
                continue
            if value.get("partial") is True:
                continue
            call = self._shown(piece, value, number, call)
        if not root.complete and not self.draft.truncated:
            self.draft.unreadable(root.origin, cut=True)

    def _shown(
        self, piece: Piece, value: dict[str, Any], number: int, call: tuple[Draft, CallDraft] | None
    ) -> tuple[Draft, CallDraft] | None:
        kind = string(value.get("say")) or string(value.get("ask")) or ""
        asked = value.get("type") == "ask"
        time = integer(value.get("ts"))
        text = piece.get("text")
        if kind in ("task", "user_feedback", "user_feedback_diff") or (kind == "text" and number == 0):
            draft = self.draft.message("user", piece.origin, identifier=f"{number}", time=time)
            if text is not None:
                draft.say(text.text(), text.origin)
            return None
        if kind == "api_req_started":
            told = _inner(value.get("text"))
            draft = self.draft.message("assistant", piece.origin, identifier=f"{number}", time=time)
            draft.tokens_in, draft.tokens_out = (
                integer(within(told, "tokensIn")),
                integer(within(told, "tokensOut")),
            )
            cancelled = string(within(told, "cancelReason"))
            if cancelled == "user_cancelled":
                draft.error = Trouble(name=ABORTED, text=cancelled)
            elif cancelled is not None:
                words = string(within(told, "streamingFailedMessage")) or ""
                draft.error = Trouble(name=cancelled, text=words[:2000])
            return None
        if kind not in ("text", "reasoning", "completion_result", "followup", "plan_mode_respond", "command", "command_output",
                        "tool", "error", "use_mcp_server", "mcp_server_response"):  # fmt: skip
            return call
        draft = self.draft.last("assistant") or self.draft.message("assistant", piece.origin, time=time)
        draft.until(time)
        if text is None or not joined(text.value()):
            return call
        if kind == "reasoning":
            draft.parts.append(Reasoning(text=text.text(), origin=text.origin))
        elif kind in ("text", "completion_result", "followup", "plan_mode_respond"):
            draft.say(text.text(), text.origin)
        elif kind == "command":
            line = Text(as_json({"command": joined(text.value())}))
            made = self.draft.call(
                draft, name="execute_command", identifier=None, text=line, origin=text.origin, start=time
            )
            return draft, made
        elif kind == "command_output" and not asked:
            if call is not None and not call[1].answered:
                self.draft.answer(call, text.origin, output=text.text(), time=time)
            elif call is not None:
                before: Text = call[1].fields["output"]
                call[1].fields.update(output=Text(f"{before.whole()}\n{joined(text.value())}"), end=time)
        elif kind in ("tool", "use_mcp_server"):
            told = _inner(value.get("text"))
            name = string(within(told, "tool")) or kind
            self.draft.call(
                draft, name=name, identifier=None, text=text.json(), origin=text.origin, start=time
            ).fields["status"] = "completed"
        elif kind == "error" and call is not None and (cut := _CUT.match(joined(text.value()))) is not None:
            if not call[1].answered:
                self.draft.answer(call, text.origin, output=Text(""), time=time)
            call[1].fields.update(timed_out=True, limit_ms=round(float(cut["n"]) * 1000), end=time)
            return None
        elif kind == "error":
            draft.parts.append(TextPart(text=text.text(), synthetic=True, origin=text.origin))
        return call


class _Reply(NamedTuple):
    """What newer versions of Roo Code write as JSON in front of a result, or in its place."""

    status: str
    feedback: str | None
    """Words of the person."""
    end: int
    """Where the JSON ends within the text, with the blank lines after it."""


def _reply(whole: str) -> _Reply | None:
    """The client's JSON at the beginning of a text (Roo Code, ``src/core/prompts/responses.ts``)."""
    if _REPLY.match(whole[:200]) is None:
        return None
    begin = len(whole) - len(whole.lstrip())
    try:
        value, end = json.JSONDecoder().raw_decode(whole[begin : begin + _LONGEST_REPLY])
    except (ValueError, RecursionError):
        return None
    # The fields are the client's: a tool may return JSON with a status of its own.
    if not isinstance(value, dict) or not value.keys() <= _REPLY_FIELDS or len(value) < 2:
        return None
    end += begin
    return _Reply(
        status=value["status"],
        feedback=string(value.get("feedback")),
        end=end + len(whole[end : end + 10]) - len(whole[end : end + 10].lstrip("\r\n")),
    )


def _said_by_person(whole: str) -> Iterator[tuple[int, int]]:
    """Where the words of the person stand within a text: between the tags that the client puts around them."""
    position = 0
    never_closed: set[str] = set()
    while (tag := _PERSON.search(whole, position)) is not None:
        position = tag.end()
        if tag["tag"] in never_closed:
            continue
        end = whole.find(f"</{tag['tag']}>", tag.end())
        if end < 0:
            never_closed.add(tag["tag"])
            continue
        yield tag.end(), tag.end() + len(whole[tag.end() : end].rstrip())
        position = end


def _arguments(inner: str) -> dict[str, str]:
    """Parameters of a call written as XML: each from its first opening to its last closing tag."""
    found: dict[str, str] = {}
    position = 0
    pattern = re.compile(r"<(?P<key>[a-z_]{1,40})>")
    while (key := pattern.search(inner, position)) is not None:
        close = f"</{key['key']}>"
        # Contents of files may hold the same tag: the last closing one ends them.
        end = (
            inner.rfind(close, key.end())
            if key["key"] in ("content", "diff")
            else inner.find(close, key.end())
        )
        if end < 0:
            found[key["key"]] = inner[key.end() :].strip("\r\n")
            break
        found[key["key"]] = inner[key.end() : end].strip("\r\n")
        position = end + len(close)
    if not found and inner.strip():
        found["input"] = inner.strip()
    return found


def _time(value: Any) -> int | None:
    number = integer(value)
    return number if number is not None and 10**11 < number < 10**14 else None
