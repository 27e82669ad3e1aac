"""Reader ``inspect``: logs of Inspect (``.eval`` archives and ``.json``).

An ``.eval`` is a zip with ``header.json`` (``_journal/start.json`` while it is written) and one file a sample; the JSON form
holds the same in one document. Each sample and epoch is one session. From the format's public documentation and logs of
Inspect 0.3.285 with its own mock model.

- Times of messages and calls come from the sample's events; a sample without events has none.
- A call whose error has type ``timeout`` was cut off; the limit is what the call asked for, or that of other calls of the
  tool. Exit codes are those of the command that the events tell of within a call.
- A sample that a limit or an error ended says so in the error of its last message.
- Long texts that the log keeps apart (``attachment://``) are put back.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from sessionlens.model import File, Origin, Reasoning, Session, Text, Trouble, Unread
from sessionlens.readers.base import ReadError
from sessionlens.readers.drafts import Draft, SessionDraft, role_of
from sessionlens.readers.folders import Beside, entries, others
from sessionlens.readers.jsonl import integer, joined, moment, string, within
from sessionlens.readers.pieces import Piece, beginning, document
from sessionlens.readers.source import Source

FORMAT = "inspect"
_ATTACHED = "attachment://"
_SAMPLES_AT_MOST = 100_000

_PARTS = frozenset({"header.json", "summaries.json", "reductions.json", "_journal"})
"""Parts of an ``.eval`` beside its samples."""


class InspectLog:
    """Reads logs of Inspect."""

    name = FORMAT

    def recognises(self, source: Source) -> str | None:
        """``None`` for an unpacked ``.eval``, its JSON form, or one sample of it."""
        if source.folder:
            return None if _headers(source) else "no header of an Inspect log lies in this folder"
        root = beginning(source)
        if root is None or root.first() != b"{":
            return "no JSON object at the beginning"
        if _is_header(root) or _is_sample(root):
            return None
        return "no object with `version`, `status` and an `eval` with a task, and no sample of one"

    def read(self, source: Source) -> Iterator[Session]:
        """A session for each sample and epoch. Raises :class:`ReadError` when the log holds none."""
        found = False
        try:
            for session in _folder(source) if source.folder else _file(source):
                found = True
                yield session
        finally:
            source.release()
        if not found:
            raise ReadError(
                source.name, "the log holds no sample", advice="The run may have ended before its first"
            )

    def beside(self, source: Source) -> Iterator[Beside]:
        """What lies in an unpacked ``.eval`` and is no part of the log."""
        samples = source.path / "samples"
        yield from others(source.path, read=(samples,), skipped=_PARTS)
        for number, path in enumerate(one for one in entries(samples)):
            if path.suffix != ".json" or path.is_dir() or number >= _SAMPLES_AT_MOST:
                yield Beside(path)


def _headers(source: Source) -> list[Path]:
    places = (source.path / "header.json", source.path / "_journal" / "start.json")
    return [place for place in places if place.is_file() and _header(place) is not None]


def _header(path: Path) -> Piece | None:
    try:
        root = beginning(Source(path), 1 << 20)
    except ReadError:
        return None
    return root if root is not None and _is_header(root) else None


def _is_header(root: Piece) -> bool:
    evaluation = root.get("eval")
    if evaluation is None or "version" not in root.members():
        return False
    return bool({"task", "task_id", "run_id"} & evaluation.members().keys())


def _is_sample(root: Piece) -> bool:
    keys = root.members()
    return {"id", "epoch", "input", "target"} <= keys.keys() and bool(
        {"messages", "output", "events"} & keys.keys()
    )


class _About(NamedTuple):
    """What the header of a log tells."""

    task: str | None = None
    version: str | None = None
    """Version of the program."""
    run: str | None = None
    """Id of this run of the task, which its samples' own numbers are unique in."""


def _about(root: Piece | None) -> _About:
    evaluation = root.get("eval") if root is not None else None
    value = evaluation.value() if evaluation is not None and evaluation.complete else None
    packages = within(value, "packages")
    run = (
        string(within(value, "eval_id"))
        or string(within(value, "run_id"))
        or string(within(value, "task_id"))
    )
    return _About(string(within(value, "task")), string(within(packages, "inspect_ai")), run)


def _folder(source: Source) -> Iterator[Session]:
    headers = _headers(source)
    about = _about(_header(headers[0]) if headers else None)
    samples = source.path / "samples"
    for path in sorted(samples.glob("*.json"))[:_SAMPLES_AT_MOST] if samples.is_dir() else ():
        file = path.relative_to(source.path).as_posix()
        try:
            one = Source(path)
        except ReadError as error:
            lost = SessionDraft(FORMAT, path.stem)
            lost.gap(f"a sample could not be read ({error.reason})", Origin(file=file))
            yield lost.session()
            continue
        yield _Sample(_named(document(one), file), about, complete=bool(headers)).session()
        one.release()


def _named(piece: Piece, file: str) -> Piece:
    return Piece(piece.source, piece.data, piece.offset, complete=piece.complete, file=file)


def _file(source: Source) -> Iterator[Session]:
    root = document(source)
    if _is_header(root):
        about = _about(root)
        for piece in root.list("samples"):
            if piece.first() == b"{":
                yield _Sample(piece, about, complete=root.complete).session()
    elif _is_sample(root):
        yield _Sample(root, _About(), complete=root.complete).session()


class _Sample:
    """One sample."""

    def __init__(self, root: Piece, about: _About, *, complete: bool) -> None:
        self.root = root
        keys = root.members()
        name = keys["id"].value() if "id" in keys else None
        epoch = keys["epoch"].value() if "epoch" in keys else None
        number = f"{name}_epoch_{epoch}"
        own = string(keys["uuid"].value()) if "uuid" in keys else None
        self.draft = SessionDraft(FORMAT, own or (f"{about.run}-{number}" if about.run else number))
        self.draft.title = f"{about.task}: {number}" if about.task else number
        self.draft.version = about.version
        self.whole = complete and root.complete
        self.attached = keys["attachments"].members() if "attachments" in keys else {}
        self.calls: dict[str, dict[str, Any]] = {}
        self.written: dict[str, dict[str, Any]] = {}

    def session(self) -> Session:
        self._events()
        for piece in self.root.list("messages"):
            value = piece.value()
            if isinstance(value, dict):
                self._message(piece, value)
            else:
                self.draft.unreadable(piece.origin, cut=not piece.complete)
        if not self.draft.drafts:
            self.draft.gap("a sample without messages", self.root.origin)
        if not self.root.complete:
            self.draft.unreadable(self.root.origin, cut=True)
        self._ended()
        return self.draft.session()

    def _events(self) -> None:
        """What the events tell of the times of calls and of the model's messages, and of what calls ran."""
        begun: str | None = None
        spans: dict[str, str] = {}
        ran: dict[str, list[tuple[int | None, int | None]]] = {}
        for piece in self.root.list("events"):
            kind = piece.get("event")
            name = kind.value() if kind is not None else None
            if name == "span_begin" and within(piece.value(), "type") == "tool":
                begun = string(within(piece.value(), "id"))
            elif name == "sandbox" and within(piece.value(), "action") == "exec":
                value = piece.value()
                call = spans.get(string(within(value, "span_id")) or "")
                if call is not None:
                    limit = integer(within(value, "options", "timeout"))
                    ran.setdefault(call, []).append((integer(within(value, "result")), limit))
            elif name == "tool":
                value = piece.value()
                key = string(within(value, "id"))
                if key is not None and isinstance(value, dict):
                    told = ("timestamp", "completed", "error", "failed", "function", "truncated")
                    self.calls[key] = {k: value.get(k) for k in told}
                    if begun is not None:
                        spans[begun], begun = key, None
            elif name == "model":
                value = piece.value()
                choices = within(value, "output", "choices")
                first = choices[0] if isinstance(choices, list) and choices else None
                key = string(within(first, "message", "id"))
                if key is not None and isinstance(value, dict):
                    self.written[key] = {
                        "timestamp": value.get("timestamp"),
                        "completed": value.get("completed"),
                        "finish": within(first, "stop_reason"),
                        "usage": within(value, "output", "usage"),
                        "error": value.get("error"),
                    }
        self._executed(ran)

    def _executed(self, ran: dict[str, list[tuple[int | None, int | None]]]) -> None:
        """Exit codes and limits of calls that ran one command.

        The limit is a parameter of the tool: a call that it cut off left no such event, so the others' limit is its.
        """
        limits: dict[str, set[int]] = {}
        for key, commands in ran.items():
            if len(commands) == 1:
                code, seconds = commands[0]
                self.calls[key].update(exit=code, limit=seconds * 1000 if seconds else None)
                if seconds:
                    limits.setdefault(str(self.calls[key].get("function")), set()).add(seconds * 1000)
        for told in self.calls.values():
            usual = limits.get(str(told.get("function")), set())
            if "limit" not in told and len(usual) == 1:
                told["limit"] = next(iter(usual))

    def _message(self, piece: Piece, value: dict[str, Any]) -> None:
        identifier = string(value.get("id"))
        named = string(value.get("role"))
        if named == "tool":
            self._result(piece, value, identifier)
            return
        written = self.written.get(identifier or "", {})
        role = role_of(named)
        draft = self.draft.message(
            role, piece.origin, identifier=identifier, time=moment(written.get("timestamp"))
        )
        if role == "unknown":
            self.draft.unknown(f"role {named}", piece.origin)
        draft.ended = moment(written.get("completed"))
        self._content(draft, piece.get("content"))
        if role != "assistant":
            return
        draft.model = string(value.get("model"))
        draft.finish = string(written.get("finish"))
        draft.tokens_in = integer(within(written.get("usage"), "input_tokens"))
        draft.tokens_out = integer(within(written.get("usage"), "output_tokens"))
        if string(written.get("error")):
            draft.error = Trouble(name="model error", text=str(written["error"])[:2000])
        for call in piece.list("tool_calls"):
            told = call.value()
            key = string(within(told, "id"))
            event = self.calls.get(key or "", {})
            arguments = call.get("arguments")
            asked = integer(within(told, "arguments", "timeout"))
            self.draft.call(
                draft,
                name=string(within(told, "function")) or "unknown",
                identifier=key,
                text=arguments.json() if arguments is not None else Text("{}"),
                origin=call.origin,
                start=moment(event.get("timestamp")),
                limit_ms=asked * 1000 if asked is not None and asked > 0 else event.get("limit"),
            )

    def _result(self, piece: Piece, value: dict[str, Any], identifier: str | None) -> None:
        key = string(value.get("tool_call_id"))
        event = self.calls.get(key or "", {})
        error = value.get("error") if isinstance(value.get("error"), dict) else event.get("error")
        kind = string(within(error, "type"))
        content = piece.get("content")
        told = self._text(content)
        words = None
        if isinstance(error, dict) and not told:
            message = piece.get("error", "message")
            words = (
                message.text()
                if message is not None
                else Text(string(within(error, "message")) or kind or "error")
            )
        self.draft.answer(
            key,
            piece.origin,
            output=told if words is None else None,
            error=words,
            time=moment(event.get("completed")),
            alias=identifier,
            failed=isinstance(error, dict) or None,
            timed_out=True if kind == "timeout" else None,
            truncated=True if kind == "output_limit" or event.get("truncated") else None,
            exit=event.get("exit") if kind != "timeout" else None,
        )

    def _text(self, content: Piece | None) -> Text:
        if content is None or content.value() is None:
            return Text("")
        value = content.value()
        if isinstance(value, str) and value.startswith(_ATTACHED):
            kept = self.attached.get(value.removeprefix(_ATTACHED))
            return kept.text() if kept is not None else content.text()
        if isinstance(value, list) and _ATTACHED in joined(value):
            return Text("\n".join(self._text(block.get("text")).whole() for block in content.items()))
        return content.text()

    def _content(self, draft: Draft, content: Piece | None) -> None:
        if content is None:
            return
        if content.first() != b"[":
            draft.say(self._text(content), content.origin)
            return
        for block in content.items():
            value = block.value()
            kind = string(within(value, "type")) or ""
            if kind == "text":
                draft.say(self._text(block.get("text")), block.origin)
            elif kind == "reasoning":
                # What the provider encrypted is no text.
                hidden = within(value, "redacted") is True
                thought = block.get("summary") if hidden else block.get("reasoning")
                draft.parts.append(Reasoning(text=self._text(thought), origin=block.origin))
            elif kind in ("image", "audio", "video", "document"):
                name = string(within(value, "filename")) or string(within(value, kind))
                shown = name if name is not None and not name.startswith("data:") else None
                draft.parts.append(
                    File(name=shown, mime=string(within(value, "mime_type")), origin=block.origin)
                )
            elif kind == "tool_use":
                arguments, result = block.get("arguments"), block.get("result")
                call = self.draft.call(
                    draft,
                    name=string(within(value, "name")) or "unknown",
                    identifier=string(within(value, "id")),
                    text=arguments.json() if arguments is not None else Text("{}"),
                    origin=block.origin,
                )
                self.draft.answer((draft, call), block.origin, output=self._text(result))
            else:
                draft.parts.append(
                    Unread(reason=f"content of an unknown kind ({kind or 'no type'})", origin=block.origin)
                )

    def _ended(self) -> None:
        last = self.draft.last("assistant")
        limit, error = self.root.get("limit"), self.root.get("error")
        kind = string(within(limit.value(), "type")) if limit is not None else None
        words = within(error.value(), "message") if error is not None else None
        if last is not None and last.error is None:
            if isinstance(words, str):
                last.error = Trouble(name="sample error", text=words[:2000])
            elif kind == "operator":
                self.draft.interrupt("ended by the operator")
            elif kind is not None:
                last.error = Trouble(name=f"{kind} limit")
        if not self.whole:
            self.draft.truncated = True
