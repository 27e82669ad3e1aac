"""Reader ``gemini-cli``: session files of Gemini CLI (and of Qwen Code, which took over its format).

Two generations: one JSON document ``{"sessionId", "projectHash", "messages": […]}``, and lines: a header, whole messages,
``{"$set": …}`` patches and ``{"$rewindTo": id}`` marks. A message can be written several times; its last
state counts, at the place of its first. Facts are those of log-formats §7 and the public logs it was measured on.

- ``user`` records that hold nothing but ``functionResponse`` parts are no messages: they carry results, which stand in
  ``toolCalls`` of the record before them too.
- ``info``, ``warning`` and ``error`` records are notes of the client: an error ends the message before it, a note that a
  request was cancelled interrupts it, the rest is synthetic text of a message with role system.
- Newer versions (0.61) put what a tool returned within ``<untrusted_context>``, which is the client's.
- Who resumes a session writes its history anew as a patch: with the results of all calls of a message at each of them, and
  without answers that had no content. These stay at their place: they came.
- The format says neither why a message ended nor which time limit applied; times of calls are those of their
  results.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sessionlens.cache import lazy
from sessionlens.model import File, Gap, Origin, Reasoning, Session, Text, Trouble, Unread
from sessionlens.readers.base import ReadError
from sessionlens.readers.drafts import CallDraft, Draft, SessionDraft, role_of, runs_commands
from sessionlens.readers.jsonl import integer, joined, moment, string, within
from sessionlens.readers.pieces import Piece, beginning, document, line_pieces
from sessionlens.readers.source import Source

FORMAT = "gemini-cli"
_NOTES = frozenset({"info", "warning", "error", "quit", "about", "help", "stats"})
_SAYING = frozenset({"content", "text", "parts", "message"})
"""Keys under which a record of another kind may hold words."""
_NO_CONTENT = "a record without a content that is known here"
_MODELS = ("gemini", "qwen", "assistant", "model")
"""Types of the records of answers."""
_SHELL_HEADER = lazy(r"\A(?:Command: .{0,20000}?\nDirectory: [^\n]{0,1000}\n)?(?:Output|Stdout): ", re.DOTALL)
_OPENING, _CLOSING = "<untrusted_context>\n", "\n</untrusted_context>"
"""What newer versions put around the output of a tool, for the model."""
_EXIT = lazy(r"(?:\A|\n)Exit Code: (?P<code>-?\d{1,10})\b(?:\n[^\n]{0,200}){0,4}\s*\Z")
_TRIVIAL = lazy(
    r"Error: \(none\)|Exit Code: (?:-?\d{1,10}|\(none\))|Signal: (?:0|\(none\)|null)|Background PIDs: \(none\)"
    r"|Process Group PGID: (?:\d{1,10}|\(none\))|\s*"
)
"""Lines below the output of a command that say nothing more than the fields of the call do."""
_BACKGROUND = lazy(r"(?:\A|\n)Background PIDs: (?P<pids>\d[\d, ]*)")
_CANCELLED = lazy(r"(?i)\s*(?:request cancelled|user cancelled|cancelled by (?:the )?user)")
_CLIENT_TEXT = lazy(
    r"\s*<(?:session_context|system-reminder|hook_context)\b|\s*This is the Gemini CLI\. We are setting up"
)
_MOVED = lazy(r"Command (?:is running in|moved to) (?:the )?background\b")


class GeminiCli:
    """Reads sessions of Gemini CLI."""

    name = FORMAT

    def recognises(self, source: Source) -> str | None:
        """``None`` for a document or a header line with ``sessionId`` and ``projectHash``, or records of its kind."""
        if source.folder:
            return "a folder, not a file"
        first = beginning(source)
        if first is None or first.first() != b"{":
            return "no JSON object at the beginning"
        keys = first.members()
        if "sessionId" in keys and ("projectHash" in keys or _is_list_of_records(keys.get("messages"))):
            return None
        if _is_record(first) or _patch(first) is not None:
            return None
        return "no object with `sessionId` and `projectHash`, and no record of type `user` or `gemini`"

    def read(self, source: Source) -> Iterator[Session]:
        """The one session of the file. Raises :class:`ReadError` when it holds no message."""
        try:
            yield _Reading(source).session()
        finally:
            source.release()


def _is_list_of_records(messages: Piece | None) -> bool:
    first = None if messages is None else next(messages.items(), None)
    return first is not None and _is_record(first)


def _is_record(piece: Piece) -> bool:
    keys = piece.members()
    kind = keys["type"].value() if "type" in keys else None
    told = "content" in keys and "timestamp" in keys and "id" in keys
    return (kind == "gemini" and told) or (
        kind == "user" and told and "message" not in keys and "uuid" not in keys
    )


def _patch(piece: Piece) -> Piece | None:
    return piece.members().get("$set")


class _Reading:
    """One pass over one file."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.records: dict[str, Origin] = {}
        """Where the last state of every record stands, in the order of their first."""
        self.blank: set[str] = set()
        """Answers of the model without content."""
        self.early: dict[str, tuple[Gap, Piece, Origin, int | None]] = {}
        """Results whose calls have not come, with the gaps that tell of them."""
        self.told: dict[str, str] = {}
        """The results that stand beside the calls of the last answer."""
        self.draft = SessionDraft(FORMAT, Path(source.name).stem or source.name, client=FORMAT)

    def session(self) -> Session:
        root = document(self.source)
        if root.get("messages") is not None and root.get("$set") is None:
            self._document(root)
        else:
            self._lines()
        if not self.records:
            raise ReadError(self.source.name, "the session holds no message")
        for key, origin in self.records.items():
            data = self.source.read(origin.offset or 0, origin.length or 0)
            self._record(key, Piece(self.source, memoryview(data), origin.offset or 0))
        return self.draft.session()

    def _document(self, root: Piece) -> None:
        self._header(root)
        for piece in root.list("messages"):
            if piece.complete:
                self._keep(piece, once=True)
            else:
                self.draft.unreadable(piece.origin, cut=True)
        if not root.complete and not self.draft.truncated:
            self.draft.unreadable(root.origin, cut=True)

    def _lines(self) -> None:
        for piece in line_pieces(self.source):
            keys = piece.members()
            if piece.value() is None and piece.complete:
                self.records[f"\0{piece.offset}"] = piece.origin
            elif piece.value() is None:
                self.draft.unreadable(piece.origin, cut=True)
            elif "$set" in keys:
                self._patched(keys["$set"])
            elif "$rewindTo" in keys:
                self._rewound(keys["$rewindTo"])
            elif "sessionId" in keys and "type" not in keys:
                self._header(piece)
            else:
                self._keep(piece)

    def _patched(self, patch: Piece) -> None:
        """``messages`` of a patch replaces the list; a record that is gone from it stays when a later one needs it not."""
        keys = patch.members()
        if "messages" in keys:
            kept = self.records
            self.records = {}
            for piece in keys["messages"].items():
                self._keep(piece)
            self._blank_again(kept)
            gone = [key for key in kept if key not in self.records]
            if gone:
                words = (
                    f"{len(gone)} records that a later patch of the log removed"
                    if len(gone) > 1
                    else ("a record that a later patch of the log removed")
                )
                self.draft.gap(words, kept[gone[0]])
        self._header(patch)

    def _blank_again(self, before: dict[str, Origin]) -> None:
        """Put answers without content back behind the record that they followed, where a patch still has it."""
        following: dict[str, list[str]] = {}
        last = None
        for key in before:
            if key in self.records or key not in self.blank:
                last = key
            elif last in self.records:
                following.setdefault(last, []).append(key)
        if not following:
            return
        told, self.records = self.records, {}
        for key, origin in told.items():
            self.records[key] = origin
            self.records.update((blank, before[blank]) for blank in following.get(key, ()))

    def _rewound(self, piece: Piece) -> None:
        """Everything from a message on was taken back; it is told as a gap."""
        key = string(piece.value())
        names = list(self.records)
        if key in self.records:
            removed = names[names.index(key) :]
            self.draft.gap(f"{len(removed)} records that the person took back", self.records[removed[0]])
            for name in removed:
                del self.records[name]

    def _header(self, piece: Piece) -> None:
        keys = piece.members()
        for key in ("sessionId", "summary"):
            value = string(keys[key].value()) if key in keys else None
            if key == "sessionId" and value:
                self.draft.id = value
            elif value:
                self.draft.title = value
        folders = keys["directories"].value() if "directories" in keys else None
        if isinstance(folders, list) and folders and isinstance(folders[0], str):
            self.draft.directory = self.draft.directory or folders[0]

    def _keep(self, piece: Piece, *, once: bool = False) -> None:
        """``once``: what is there is no later state of a record before it, whatever its id."""
        value = piece.value()
        if isinstance(value, str) and piece.complete:
            self.records[f"\0{piece.offset}"] = piece.origin
            return
        if not isinstance(value, dict):
            self.draft.unreadable(piece.origin, cut=not piece.complete)
            return
        key = string(value.get("id")) or f"\0{piece.offset}"
        if once and key in self.records:
            key = f"\0{piece.offset}"
        self.records[key] = piece.origin
        if value.get("type") in _MODELS and not value.get("content") and not value.get("toolCalls"):
            self.blank.add(key)
        else:
            self.blank.discard(key)

    # --- records ---

    def _record(self, key: str, piece: Piece) -> None:
        value = piece.value()
        if not isinstance(value, dict):
            self.draft.unread("a record is no readable JSON object", piece.origin)
            return
        kind = string(value.get("type")) or ""
        role = role_of(value.get("role")) if not kind else "unknown"
        kind = kind or ("user" if role == "user" else _MODELS[0] if role == "assistant" else "")
        identifier = None if key.startswith("\0") else key
        time = moment(value.get("timestamp"))
        if kind == "user":
            self._user(piece, identifier, time)
        elif kind in _MODELS:
            self._model(piece, value, identifier, time)
        elif kind in _NOTES:
            self._note(piece, value, identifier, time)
        elif value.keys() & _SAYING and self.draft.due:
            self.draft.unread(f"a record of an unknown kind ({kind[:80] or 'no type'})", piece.origin)
        else:
            self.draft.unknown(kind or "no type", piece.origin)

    def _user(self, piece: Piece, identifier: str | None, time: int | None) -> None:
        content = piece.get("content")
        if (
            content is not None
            and content.value() in ("", [], None)
            and piece.get("displayContent") is not None
        ):
            content = piece.get("displayContent")
        parts = _parts(content)
        results = [part for part in parts if part.get("functionResponse") is not None]
        if results:
            self._results(results, identifier, time)
            parts = [part for part in parts if part.get("functionResponse") is None]
            if not parts:
                return
        draft = self.draft.message("user", piece.origin, identifier=identifier, time=time)
        for part in parts:
            self._content(draft, part)
        if content is not None and not parts:
            self._content(draft, content)
        elif content is None:
            draft.parts.append(Unread(reason=_NO_CONTENT, origin=piece.origin))

    def _results(self, results: list[Piece], identifier: str | None, time: int | None) -> None:
        for part in results:
            response = part.get("functionResponse")
            called = string(within(response.value(), "id")) if response is not None else None
            known = self.draft.calls.get(called) if called is not None else self.draft.waiting()
            if known is None:
                self.draft.answer(called, part.origin)
                if called is not None and response is not None:
                    self.early.setdefault(called, (self.draft.gaps[-1], response, part.origin, time))
                continue
            known[0].alias(identifier)
            told = None if response is None else response.get("response") or response
            if told is not None and not known[1].answered:
                self._answered(known, told, part.origin, None, time)
            elif told is not None and called is not None and not _same(self.told.get(called), _words(told)):
                self.draft.unread(f"a second result of the call {called[:80]}", part.origin)

    def _content(self, draft: Draft, part: Piece) -> None:
        value = part.value()
        if isinstance(value, str):
            draft.say(part.text(), part.origin, synthetic=_CLIENT_TEXT.match(value) is not None)
        elif isinstance(value, dict) and isinstance(value.get("text"), str):
            text = part.members()["text"].text()
            if value.get("thought") is True:
                draft.parts.append(Reasoning(text=text, origin=part.origin))
            else:
                draft.say(text, part.origin, synthetic=_CLIENT_TEXT.match(text.head) is not None)
        elif isinstance(value, dict) and ("inlineData" in value or "fileData" in value):
            data = value.get("inlineData") or value.get("fileData")
            draft.parts.append(
                File(
                    name=string(within(data, "fileUri")) or string(within(data, "displayName")),
                    mime=string(within(data, "mimeType")),
                    origin=part.origin,
                )
            )
        elif value is not None and value not in ([], {}):
            draft.parts.append(Unread(reason="content of an unknown kind", origin=part.origin))

    def _model(self, piece: Piece, value: dict[str, Any], identifier: str | None, time: int | None) -> None:
        draft = self.draft.message("assistant", piece.origin, identifier=identifier, time=time)
        draft.model = string(value.get("model"))
        tokens = value.get("tokens")
        read, cached = integer(within(tokens, "input")), integer(within(tokens, "cached"))
        draft.tokens_in = None if read is None else max(0, read - (cached or 0))
        draft.tokens_out = integer(within(tokens, "output"))
        for thought in _listed(piece, "thoughts"):
            draft.parts.append(_thought(thought))
        content = piece.get("content")
        calls = _listed(piece, "toolCalls")
        self.told = {}
        if content is not None:
            for part in _parts(content) or [content]:
                told_above = bool(draft.parts) and within(part.value(), "thought") is True
                asked = part.get("functionCall")
                if asked is not None and not calls:
                    # Only newer records hold the calls apart, with their results.
                    self._call(draft, asked)
                elif asked is None and not told_above:
                    self._content(draft, part)
        elif not calls:
            draft.parts.append(Unread(reason=_NO_CONTENT, origin=piece.origin))
        for call in calls:
            self._call(draft, call)

    def _call(self, draft: Draft, piece: Piece) -> None:
        value = piece.value()
        if not isinstance(value, dict):
            draft.parts.append(Unread(reason="a call that is no object", origin=piece.origin))
            return
        keys = piece.members()
        arguments = value.get("args")
        call = self.draft.call(
            draft,
            name=string(value.get("name")) or "unknown",
            identifier=string(value.get("id")),
            text=keys["args"].json() if "args" in keys else Text("{}"),
            origin=piece.origin,
        )
        if within(arguments, "is_background") is True:
            call.fields["background"] = True
        status = string(value.get("status")) or ""
        time = moment(value.get("timestamp"))
        result = keys.get("result")
        if result is not None and result.first() == b"[":
            responses = [
                answer for part in result.items() if (answer := part.get("functionResponse")) is not None
            ]
            own = next((one for one in responses if within(one.value(), "id") == value.get("id")), None)
            first = own or (responses[0] if responses else None)
            result = (first.get("response") if first is not None else None) or result
        if result is None or result.value() in (None, [], {}, ""):
            # What the person saw: words, or an object of a diff, where the model's own result is missing.
            result = (
                keys.get("resultDisplay") if isinstance(value.get("resultDisplay"), (str, dict)) else None
            )
        found = (draft, call)
        identifier = string(value.get("id")) or ""
        if result is not None and result.value() is not None:
            self.told[identifier] = _words(result)
            self._answered(found, result, piece.origin, status, time)
        elif identifier in self.early:
            gap, response, origin, came = self.early.pop(identifier)
            self.draft.gaps.remove(gap)
            self._answered(found, response.get("response") or response, origin, status, came)
        elif status == "success" and not keys.keys() & {"result", "resultDisplay"}:
            reason = "a call that succeeded, and no result that is known here"
            draft.parts.append(Unread(reason=reason, origin=piece.origin))
        if status in ("cancelled", "canceled"):
            call.fields.update(
                interrupted=call.fields.get("error") is None or _ran(call), status="error", end=time
            )
        elif status == "error":
            call.fields["status"] = "error"
        elif not call.answered and status not in (
            "executing",
            "scheduled",
            "validating",
            "awaiting_approval",
        ):
            call.fields.update(status="completed" if status == "success" else "running", end=time)

    def _answered(
        self,
        found: tuple[Draft, CallDraft],
        result: Piece,
        origin: Origin,
        status: str | None,
        time: int | None,
    ) -> None:
        """``result`` is the response, ``{"output": …}`` or ``{"error": …}``."""
        keys = result.members()
        if "error" in keys and string(words := keys["error"].value()) is not None:
            begin, end = _unwrapped(words)
            self.draft.answer(found, origin, error=keys["error"].text(begin=begin, end=end), time=time)
            return
        told = keys.get("output") or keys.get("content") or result
        whole = told.value()
        call = found[1]
        begin, end = _unwrapped(whole) if isinstance(whole, str) else (0, None)
        exit_code: int | None = None
        if isinstance(whole, str) and runs_commands(call.fields["name"]):
            whole = whole[begin:end]
            start = begin
            header = _SHELL_HEADER.match(whole[:24_000])
            if header is not None:
                begin, end = start + header.end(), start + _without_footer(whole, header.end())
            code = _EXIT.search(whole[-2000:])
            exit_code = int(code["code"]) if code is not None else None
            if _BACKGROUND.search(whole[-2000:]) or _MOVED.match(whole[:200]):
                call.fields["background"] = True
        self.draft.answer(
            found,
            origin,
            output=told.text(begin=begin, end=end),
            time=time,
            failed=status == "error",
            exit=exit_code,
        )

    def _note(self, piece: Piece, value: dict[str, Any], identifier: str | None, time: int | None) -> None:
        content = piece.get("content")
        text = content.text() if content is not None else Text("")
        if value.get("type") == "error" and self.draft.drafts and self.draft.drafts[-1].error is None:
            last = self.draft.last("assistant") or self.draft.message(
                "assistant", piece.origin, identifier=identifier, time=time
            )
            last.alias(identifier)
            last.until(time)
            last.error = Trouble(name="error", text=text.head[:2000])
            return
        if _CANCELLED.match(text.head) and self.draft.drafts:
            self.draft.drafts[-1].alias(identifier)
            self.draft.interrupt(text.head[:200])
            return
        draft = self.draft.message("system", piece.origin, identifier=identifier, time=time)
        draft.say(text, piece.origin, synthetic=True)


def _ran(call: CallDraft) -> bool:
    """Whether a cancelled call had begun: a refused one has no words of a cancelled command."""
    error: Text | None = call.fields.get("error")
    return error is not None and "cancelled" in error.head.lower() and "did not allow" not in error.head


def _unwrapped(whole: str) -> tuple[int, int | None]:
    """Where the words of a tool begin and end within what the client put around them."""
    if (
        whole.startswith(_OPENING)
        and whole.endswith(_CLOSING)
        and len(whole) >= len(_OPENING) + len(_CLOSING)
    ):
        return len(_OPENING), len(whole) - len(_CLOSING)
    return 0, None


def _without_footer(whole: str, begin: int) -> int:
    """Where the output of a command ends: before the lines that the client adds. What was ``(empty)`` is empty."""
    end = len(whole)
    for _ in range(8):
        line = whole.rfind("\n", max(begin, end - 200), end)
        if line < 0 or not _TRIVIAL.fullmatch(whole, line + 1, end):
            break
        end = line
    return begin if whole[begin:end] == "(empty)" else max(begin, end)


def _listed(piece: Piece, key: str) -> list[Piece]:
    """The values of a list, or the one that stands there without a list around it."""
    found = piece.get(key)
    if found is None or found.value() in (None, "", {}):
        return []
    return list(found.items()) if found.first() == b"[" else [found]


def _words(response: Piece) -> str:
    """What a tool returned, as it stands there."""
    keys = response.members()
    return joined((keys.get("error") or keys.get("output") or keys.get("content") or response).value())


def _same(told: str | None, again: str) -> bool:
    """Whether a record of results repeats what stands beside the call; the client adds lines to either."""
    return told is None or again in told or told in again


def _parts(content: Piece | None) -> list[Piece]:
    return [] if content is None else list(content.items())


def _thought(piece: Piece) -> Reasoning:
    value = piece.value()
    words = [string(within(value, key)) for key in ("subject", "description")]
    told = "\n".join(word for word in words if word) or (value if isinstance(value, str) else "")
    return Reasoning(text=Text(told), origin=piece.origin)
