"""Reader ``chat``: plain lists of chat messages, as APIs take them and as people keep them.

One JSON document or one a line: a list of messages; an object with such a list (``messages``, ``input``,
``conversation``, ``contents`` …); a line for each message; a request with its response. Messages of OpenAI's two APIs,
of Anthropic's and of Gemini's, and lists ``{"from", "value"}``. The shapes are those of the public documentation of these
APIs.

- Results (role ``tool``, ``tool_result`` blocks, ``function_call_output`` items, ``functionResponse`` parts) belong to
  their calls; a record with nothing else is no message.
- The shapes say nothing of time limits, interruptions and exit codes: what clients write into a result counts, in the
  wording of any client. Times, models and tokens are taken where somebody added them under a usual name.
- A line that holds a whole conversation is a session of its own, except where lines repeat a growing one.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from sessionlens.model import File, Origin, Reasoning, Session, Text, TextPart, Trouble, Unread
from sessionlens.readers.base import ReadError
from sessionlens.readers.drafts import Draft, SessionDraft, role_of
from sessionlens.readers.jsonl import ANY, Place, decode, first_lines, integer, joined, moment, string, within
from sessionlens.readers.pieces import Piece, beginning, document, line_pieces, rest
from sessionlens.readers.source import Source

FORMAT = "chat"
_LISTS = ("messages", "conversation", "conversations", "chat", "history", "input", "contents", "items", "dialogue", "turns",
          "transcript", "message_history", "chat_history")  # fmt: skip
"""Keys under which an object holds its messages."""
_ITEMS = frozenset(
    {
        "message", "function_call", "function_call_output", "reasoning", "local_shell_call", "local_shell_call_output",
        "custom_tool_call", "custom_tool_call_output", "computer_call", "computer_call_output", "web_search_call",
        "mcp_call", "item_reference", "file_search_call", "code_interpreter_call", "shell_call", "shell_call_output",
    }
)  # fmt: skip
"""Kinds of items of OpenAI's responses API."""
_EXIT_KEYS = ("exit_code", "exitCode", "returncode", "return_code")
_TIMES = ("timestamp", "created_at", "createdAt", "time", "ts", "date", "created")
_FOREIGN = frozenset(
    {"trajectory", "trajectory_format", "replay_config", "resourceSpans", "schema_version", "projectHash"}
)
"""Keys of objects that hold messages beside what is theirs alone: formats with a reader of their own."""
_LINES_LOOKED_AT = 8


class Chat:
    """Reads lists of chat messages."""

    name = FORMAT

    def recognises(self, source: Source) -> str | None:
        """``None`` when the first values are messages with a known role, in a list, an object or lines."""
        if source.folder:
            return "a folder, not a file"
        first = beginning(source)
        if first is None:
            return "no JSON at the beginning"
        if _holds(first):
            return None
        if first.first() == b"{":
            for data in first_lines(source, _LINES_LOOKED_AT):
                piece = Piece(source, memoryview(data.strip()), 0)
                if _holds(piece) or _is_message(piece):
                    return None
        return "no list of messages with `role` and `content`, and no line that is one"

    def read(self, source: Source) -> Iterator[Session]:
        """The conversations of the file. Raises :class:`ReadError` when it holds no message."""
        try:
            yield from _Reading(source).sessions()
        finally:
            source.release()


# --- recognising -------------------------------------------------------------------------------------------


def _is_message(piece: Piece) -> bool:
    """Whether a value is a message or an item of one of the APIs."""
    keys = piece.members()
    if "role" in keys and not ("agent" in keys and "message_type" in keys):
        role = keys["role"].value()
        named = role_of(role) != "unknown" or role in ("tool", "function")
        return named and bool(
            {"content", "tool_calls", "parts", "function_call", "text", "tool_call_id", "reasoning_content"}
            & keys.keys()
        )
    if "from" in keys and "value" in keys:
        return role_of(keys["from"].value()) != "unknown"
    kind = keys["type"].value() if "type" in keys else None
    return (
        isinstance(kind, str)
        and kind in _ITEMS
        and kind != "message"
        and ("call_id" in keys or "summary" in keys or "arguments" in keys or "action" in keys)
    )


def _first_of(piece: Piece | None) -> Piece | None:
    return None if piece is None else next(piece.items(), None)


def _within_object(piece: Piece) -> tuple[str, Piece] | None:
    """The list of messages of an object, with its key."""
    keys = piece.members()
    if (
        _FOREIGN & keys.keys()
        or {"epoch", "target"} <= keys.keys()
        or "mini_version" in keys.get("info", piece).members()
    ):
        return None
    for key in _LISTS:
        if key in keys:
            first = _first_of(keys[key])
            if first is not None and _is_message(first):
                return key, keys[key]
    return None


def _exchange(piece: Piece) -> tuple[Piece | None, Piece | None]:
    """Request and response of an object that holds both."""
    request = piece.get("request", "body") or piece.get("request") or piece.get("body")
    response = piece.get("response", "body") or piece.get("response")
    if request is not None and _within_object(request) is not None:
        return request, response
    return None, None


def _holds(piece: Piece) -> bool:
    if piece.first() == b"[":
        first = _first_of(piece)
        return first is not None and (_is_message(first) or _within_object(first) is not None)
    return _within_object(piece) is not None or _exchange(piece)[0] is not None or _choices(piece)


def _choices(piece: Piece) -> bool:
    """Whether an object is a response of a chat API by itself."""
    first = _first_of(piece.get("choices"))
    return first is not None and first.get("message") is not None


# --- reading -----------------------------------------------------------------------------------------------


class _Reading:
    """One pass over one file."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.stem = Path(source.name).stem or source.name
        self.seen: set[str] = set()

    def sessions(self) -> Iterator[Session]:
        root = document(self.source)
        several = root.first() == b"{" and bool(rest(self.source, root))
        found = False
        for draft in self._lines() if several else self._document(root):
            if draft.drafts:
                found = True
                yield draft.session()
        if not found:
            raise ReadError(self.source.name, "it holds no message that can be read")

    def _new(self, number: int) -> SessionDraft:
        return SessionDraft(FORMAT, self.stem if number == 1 else f"{self.stem}-{number}")

    def _named(self, draft: SessionDraft, value: Any) -> None:
        """Take an id, title and directory that somebody gave a conversation; ids given twice are not taken."""
        for key in (
            "session_id",
            "sessionId",
            "conversation_id",
            "thread_id",
            "id",
            "uuid",
            "task_id",
            "instance_id",
        ):
            name = string(value.get(key)) if isinstance(value, dict) else None
            if name is not None and name not in self.seen:
                self.seen.add(name)
                draft.id = name
                break
        draft.title = string(within(value, "title"))
        draft.directory = string(within(value, "cwd")) or string(within(value, "directory"))

    def _document(self, root: Piece) -> Iterator[SessionDraft]:
        if root.first() == b"[":
            first = _first_of(root)
            if first is not None and not _is_message(first):
                for number, piece in enumerate(root.items(), 1):
                    yield self._conversation(piece, number)
                return
            builder = _Builder(self._new(1))
            for piece in root.items():
                builder.take(piece)
            if not root.complete:
                builder.draft.unreadable(root.origin, cut=True)
            yield builder.draft
            return
        yield self._conversation(root, 1)

    def _conversation(self, piece: Piece, number: int) -> SessionDraft:
        """An object with a list of messages, or a request with its response."""
        draft = self._new(number)
        request, response = _exchange(piece)
        body = piece if request is None else request
        found = _within_object(body)
        if found is None and not _choices(body):
            draft.unknown("an object without messages", piece.origin)
            return draft
        self._named(draft, piece.value() if piece.complete else None)
        builder = _Builder(draft)
        builder.model = string(within(body.value(), "model"))
        system = body.get("system") or body.get("instructions") or body.get("systemInstruction")
        if system is not None and system.value() and found is not None:
            message = draft.message("system", system.origin)
            builder.content(message, system, "system")
        for one in found[1].items() if found is not None else ():
            builder.take(one)
        if not piece.complete:
            draft.unreadable(piece.origin, cut=True)
        for answer in (response, body):
            if answer is not None:
                builder.response(answer)
        return draft

    def _lines(self) -> Iterator[SessionDraft]:
        """Lines of messages make one session; each line that holds a list makes one.

        A log of requests repeats a growing conversation: only its last state is kept.
        """
        builder: _Builder | None = None
        before: SessionDraft | None = None
        bad: list[tuple[Origin, bool]] = []
        number = 0
        for piece in line_pieces(self.source):
            if not isinstance(piece.value(), dict):
                if builder is not None:
                    builder.draft.unreadable(piece.origin, cut=not piece.complete)
                else:
                    bad.append((piece.origin, not piece.complete))
                continue
            if builder is not None and not (_holds(piece) and not _is_message(piece)):
                builder.take(piece)
                continue
            number += 1
            if _holds(piece) and not _is_message(piece):
                builder = None
                draft = self._conversation(piece, number)
            else:
                builder = _Builder(self._new(number))
                draft = builder.draft
                builder.take(piece)
            if before is not None and builder is None and _begins_with(draft, before):
                _go_on(draft, before)
            elif before is not None:
                yield before
            before = draft
        if before is not None:
            for origin, cut in bad:
                before.unreadable(origin, cut=cut)
            yield before


def _go_on(later: SessionDraft, earlier: SessionDraft) -> None:
    """Keep the name of a conversation, and what a response told of its message: the next request no longer does."""
    later.id = earlier.id
    for told, again in zip(earlier.drafts, later.drafts, strict=False):
        for name in ("id", "time", "model", "finish", "tokens_in", "tokens_out", "error"):
            if getattr(again, name) is None:
                setattr(again, name, getattr(told, name))


def _begins_with(later: SessionDraft, earlier: SessionDraft) -> bool:
    if not earlier.drafts or len(later.drafts) <= len(earlier.drafts):
        return False
    return all(_words(a) == _words(b) for a, b in zip(earlier.drafts, later.drafts, strict=False))


def _words(draft: Draft) -> tuple[Any, ...]:
    texts = tuple((part.text.length, part.text.head) for part in draft.parts if isinstance(part, TextPart))
    calls = tuple((call.fields["name"], call.fields["input"].head) for call in draft.calls())
    return draft.role, texts, calls


class _Builder:
    """Turns records of chat APIs into messages of one session."""

    def __init__(self, draft: SessionDraft) -> None:
        self.draft = draft
        self.model: str | None = None

    def take(self, piece: Piece) -> None:
        """One record: a message or an item."""
        value = piece.value()
        if not isinstance(value, dict):
            self.draft.unreadable(piece.origin, cut=not piece.complete)
            return
        kind = string(value.get("type"))
        if isinstance(value.get("message"), dict) and "role" not in value and "from" not in value:
            inner = piece.get("message")
            if inner is not None and _is_message(inner):
                self._message(inner, inner.value(), around=value)
                return
        if "role" in value or "from" in value:
            self._message(piece, value, around=value)
        elif kind in _ITEMS:
            self._item(piece, value, kind or "")
        elif _choices(piece):
            self.response(piece)
        else:
            self.draft.unknown(kind or "neither role nor type", piece.origin)

    def response(self, piece: Piece) -> None:
        """What an API answered: ``choices``, ``output`` items or one Anthropic message."""
        value = piece.value()
        if not isinstance(value, dict):
            return
        choice = _first_of(piece.get("choices"))
        if choice is not None:
            inner = choice.get("message")
            if inner is not None:
                told, chosen = inner.value(), choice.value()
                if isinstance(told, dict) and isinstance(chosen, dict):
                    self._message(inner, told, around={**value, **chosen})
                else:
                    self.draft.unknown("a choice without a message", choice.origin)
            return
        first = _first_of(piece.get("output"))
        if first is not None and string(within(first.value(), "type")) in _ITEMS:
            for item in piece.list("output"):
                self.take(item)
        elif value.get("role") == "assistant" and "content" in value:
            self._message(piece, value, around=value)

    def _message(self, piece: Piece, value: dict[str, Any], *, around: dict[str, Any]) -> None:
        named = value.get("role") if "role" in value else value.get("from")
        identifier = string(value.get("id")) or string(around.get("uuid")) or string(around.get("id"))
        time = next(
            (found for found in (_time(around.get(key)) for key in _TIMES) if found is not None), None
        )
        if named in ("tool", "function"):
            self._tool(piece, value, identifier, time)
            return
        role = role_of(named)
        draft = Draft(role, piece.origin, identifier=identifier, time=time)
        if role == "unknown":
            self.draft.unknown(f"role {str(named)[:40]}", piece.origin)
        content = next(
            (found for found in map(piece.get, ("content", "parts", "value", "text")) if found is not None),
            None,
        )
        reasoning = piece.get("reasoning_content") or piece.get("reasoning") or piece.get("thinking")
        if reasoning is not None and string(reasoning.value()):
            draft.parts.append(Reasoning(text=reasoning.text(), origin=reasoning.origin))
        carried = self.content(draft, content, role, time=time) if content is not None else False
        refusal = piece.get("refusal")
        if refusal is not None and string(refusal.value()):
            draft.say(refusal.text(), refusal.origin)
        for call in piece.list("tool_calls"):
            self._call(draft, call, time)
        called = piece.get("function_call")
        if called is not None and called.first() == b"{":
            self._call(draft, called, time)
        if carried and not draft.parts and role != "assistant":
            return
        if role == "assistant":
            draft.model = string(value.get("model")) or string(around.get("model")) or self.model
            draft.finish = next(
                (
                    found
                    for key in ("finish_reason", "stop_reason", "finishReason", "stopReason", "finish")
                    for found in (string(value.get(key)), string(around.get(key)))
                    if found
                ),
                None,
            )
            usage = value.get("usage") or around.get("usage")
            draft.tokens_in = _number(usage, "prompt_tokens", "input_tokens", "promptTokens", "inputTokens")
            draft.tokens_out = _number(
                usage, "completion_tokens", "output_tokens", "completionTokens", "outputTokens"
            )
            error = value.get("error") or around.get("error")
            if isinstance(error, (str, dict)) and error:
                words = error if isinstance(error, str) else string(within(error, "message")) or ""
                draft.error = Trouble(name=string(within(error, "type")) or "error", text=words[:2000])
        self.draft.drafts.append(draft)

    def content(self, draft: Draft, piece: Piece, role: str, *, time: int | None = None) -> bool:
        """The content of a message, a text or blocks; whether it carried results of calls."""
        if piece.first() != b"[":
            if isinstance(piece.value(), dict) and piece.get("parts") is not None:
                return self.content(draft, piece.members()["parts"], role, time=time)
            if piece.value() is not None:
                draft.say(piece.text(), piece.origin)
            return False
        carried = False
        for block in piece.items():
            carried = self._block(draft, block, time) or carried
        return carried

    def _block(self, draft: Draft, block: Piece, time: int | None) -> bool:
        value = block.value()
        if isinstance(value, str):
            draft.say(block.text(), block.origin)
            return False
        if not isinstance(value, dict):
            draft.parts.append(
                Unread(reason="content that is neither text nor an object", origin=block.origin)
            )
            return False
        kind = string(value.get("type")) or ""
        keys = block.members()
        if kind in ("tool_use", "server_tool_use", "mcp_tool_use", "tool-call", "tool_call", "toolCall"):
            self._call(draft, block, time)
        elif kind in ("tool_result", "tool-result", "toolResult") or kind.endswith("_tool_result"):
            self._result(block, value, time)
            return True
        elif "functionCall" in keys:
            self._call(draft, keys["functionCall"], time)
        elif "functionResponse" in keys:
            response = keys["functionResponse"]
            self._answer(
                string(within(response.value(), "id")),
                response.get("response", "output")
                or response.get("response", "result")
                or response.get("response"),
                response.origin,
                time,
            )
            return True
        elif kind in ("thinking", "redacted_thinking", "reasoning"):
            told = keys.get("thinking") or keys.get("text") or keys.get("reasoning")
            draft.parts.append(
                Reasoning(text=told.text() if told is not None else Text(""), origin=block.origin)
            )
        elif isinstance(value.get("text"), str):
            if value.get("thought") is True:
                draft.parts.append(Reasoning(text=keys["text"].text(), origin=block.origin))
            else:
                draft.say(keys["text"].text(), block.origin)
        elif isinstance(value.get("refusal"), str):
            draft.say(keys["refusal"].text(), block.origin)
        elif kind in (
            "image",
            "image_url",
            "input_image",
            "document",
            "file",
            "input_file",
            "audio",
            "input_audio",
        ) or ("inlineData" in keys or "fileData" in keys):
            source = value.get("source") or value.get("inlineData") or value.get("fileData") or value
            mime = string(within(source, "media_type")) or string(within(source, "mimeType"))
            name = (
                string(value.get("title"))
                or string(value.get("filename"))
                or string(within(source, "fileUri"))
            )
            draft.parts.append(File(name=name, mime=mime, origin=block.origin))
        else:
            draft.parts.append(
                Unread(reason=f"content of an unknown kind ({kind[:40] or 'no type'})", origin=block.origin)
            )
        return False

    def _call(self, draft: Draft, piece: Piece, time: int | None) -> None:
        value = piece.value()
        if not isinstance(value, dict):
            draft.parts.append(Unread(reason="a call that is no object", origin=piece.origin))
            return
        function = piece.get("function") or piece.get("custom") or piece
        known = function.members()
        arguments = next(
            (
                known[key]
                for key in ("arguments", "input", "args", "parameters")
                if key in known and known[key].value() is not None
            ),
            None,
        )
        identifier = next(
            (
                found
                for key in ("call_id", "id", "toolCallId", "tool_call_id")
                if (found := string(value.get(key)))
            ),
            None,
        )
        name = string(within(function.value(), "name")) or string(value.get("toolName")) or "unknown"
        self.draft.call(
            draft,
            name=name,
            identifier=identifier,
            text=arguments.json() if arguments is not None else Text("{}"),
            origin=piece.origin,
            start=time,
        )

    def _result(self, block: Piece, value: dict[str, Any], time: int | None) -> None:
        content = next(
            (found for found in map(block.get, ("content", "output", "result", "text")) if found is not None),
            None,
        )
        identifier = next(
            (
                found
                for key in ("tool_use_id", "toolCallId", "tool_call_id", "id")
                if (found := string(value.get(key)))
            ),
            None,
        )
        failed = value.get("is_error") is True or value.get("isError") is True
        self._answer(identifier, content, block.origin, time, failed=failed)

    def _tool(self, piece: Piece, value: dict[str, Any], identifier: str | None, time: int | None) -> None:
        """A record of role tool: the id of its call, or the first call of the last message that waits."""
        content = piece.get("content")
        if content is not None and content.first() == b"[":
            blocks = [
                block
                for block in content.items()
                if within(block.value(), "type") in ("tool-result", "tool_result")
            ]
            for block in blocks:
                self._result(block, block.value(), time)
            if blocks:
                return
        called = (
            string(value.get("tool_call_id"))
            or string(value.get("tool_use_id"))
            or string(value.get("toolCallId"))
        )
        self._answer(
            called, content, piece.origin, time, alias=identifier, failed=value.get("is_error") is True
        )

    def _answer(
        self,
        called: str | None,
        content: Piece | None,
        origin: Origin,
        time: int | None,
        *,
        alias: str | None = None,
        failed: bool = False,
    ) -> None:
        found = self.draft.calls.get(called) if called is not None else self.draft.waiting()
        if found is None:
            self.draft.answer(called, origin)
            return
        inner = content
        exit_code = None
        if content is not None and isinstance(content.value(), dict):
            value = content.value()
            exit_code = _number(value, *_EXIT_KEYS)
            inner = content.get("output") or content.get("stdout") or content
        told = inner.text() if inner is not None and inner.value() is not None else Text("")
        if content is not None and content.first() == b'"' and told.head.lstrip().startswith("{"):
            value = _inner(content.place)
            exit_code = _number(value, *_EXIT_KEYS)
            key = next((key for key in ("output", "stdout") if isinstance(within(value, key), str)), None)
            if key is not None and exit_code is not None:
                told = Text(value[key], load=partial(_inner_text, content.place, key))
        self.draft.answer(
            found, origin, output=told, time=time, alias=alias, failed=failed or None, exit=exit_code
        )

    def _item(self, piece: Piece, value: dict[str, Any], kind: str) -> None:
        """An item of the responses API. Calls and reasoning join the assistant message around them."""
        if kind.endswith("_output"):
            output = piece.get("output")
            self._answer(string(value.get("call_id")), output, piece.origin, None)
            return
        if kind == "item_reference":
            self.draft.unknown(kind, piece.origin)
            return
        last = self.draft.last("assistant")
        if last is None or any(call.answered for call in last.calls()):
            last = self.draft.message("assistant", piece.origin, identifier=string(value.get("id")))
            last.model = self.model
        if kind == "reasoning":
            words = joined(value.get("summary")) if value.get("summary") else joined(value.get("content"))
            last.parts.append(Reasoning(text=Text(words), origin=piece.origin))
        elif kind in ("local_shell_call", "shell_call"):
            action = piece.get("action")
            self.draft.call(
                last,
                name="shell",
                identifier=string(value.get("call_id")) or string(value.get("id")),
                text=action.json() if action is not None else Text("{}"),
                origin=piece.origin,
            )
        elif kind.endswith("_call"):
            self._call(last, piece, None)
            if kind not in ("function_call", "custom_tool_call", "computer_call") and last.calls():
                self._hosted(last, piece, kind)
        last.alias(string(value.get("id")))

    def _hosted(self, draft: Draft, piece: Piece, kind: str) -> None:
        """A tool that the provider ran itself: its result stands in the item, or nowhere."""
        call = draft.calls()[-1]
        if call.fields["name"] == "unknown":
            call.fields["name"] = kind.removesuffix("_call")
        output = piece.get("output") or piece.get("results")
        if output is not None and output.value() is not None:
            self.draft.answer((draft, call), piece.origin, output=output.text())
        elif within(piece.value(), "status") == "completed":
            call.fields["status"] = "completed"


def _inner(place: Place) -> Any:
    """What a text that is itself JSON holds; ``None`` for any other."""
    try:
        whole = decode(place.source.read(place.offset, place.length), ANY)
        return decode(whole.encode("utf-8", "surrogatepass"), ANY) if isinstance(whole, str) else None
    except (ValueError, OSError, ReadError):
        return None


def _inner_text(place: Place, key: str) -> str:
    return joined(within(_inner(place), key))


def _number(value: Any, *keys: str) -> int | None:
    return next((found for key in keys if (found := integer(within(value, key))) is not None), None)


def _time(value: Any) -> int | None:
    """Epoch milliseconds of a time as people keep it: ISO text, seconds or milliseconds."""
    if isinstance(value, str):
        return moment(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    if 1e8 < value < 1e11:
        return round(value * 1000)
    return round(value) if 1e11 < value < 1e14 else None
