"""Reader ``atif``: trajectories in the Agent Trajectory Interchange Format (Harbor's RFC 1, versions 1.0 to 1.8).

One JSON document, or one a line: ``schema_version``, ``session_id``, ``agent``, ``steps``. From the format's public
documentation; the fixtures are checked against the types that Harbor 0.26 validates with.

- A step of the agent is one assistant message with its calls; results stand in its ``observation``. An observation of a
  step without calls, or of a system step, is what the environment said: synthetic text.
- Steps copied from an earlier trajectory for context (``is_copied_context``) repeat what is told there; they are kept.
- The format records no time limits, exit codes or interruptions: the words of the agent's client in a result count.
- Trajectories of subagents are child sessions where the document holds them; else the call names them.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sessionlens.model import File, Reasoning, Session, Text, TextPart, Unread
from sessionlens.readers.base import ReadError
from sessionlens.readers.drafts import CallDraft, Draft, SessionDraft
from sessionlens.readers.family import nest
from sessionlens.readers.jsonl import integer, moment, string, within
from sessionlens.readers.pieces import Piece, beginning, document, line_pieces, rest
from sessionlens.readers.source import Source

FORMAT = "atif"
_SUBAGENTS_AT_MOST = 10_000


class Atif:
    """Reads trajectories in ATIF."""

    name = FORMAT

    def recognises(self, source: Source) -> str | None:
        """``None`` for an object whose ``schema_version`` begins with ``ATIF``, or with agent and steps of its kind."""
        if source.folder:
            return "a folder, not a file"
        root = beginning(source)
        if root is None or root.first() != b"{":
            return "no JSON object at the beginning"
        keys = root.members()
        version = keys["schema_version"].value() if "schema_version" in keys else None
        if isinstance(version, str) and version.upper().startswith("ATIF"):
            return None
        step = next(keys["steps"].items(), None) if "steps" in keys else None
        if step is not None and {"step_id", "source"} <= step.members().keys():
            return None
        return "no `schema_version` of ATIF and no `steps` with `step_id` and `source`"

    def read(self, source: Source) -> Iterator[Session]:
        """The trajectories of the file, subagents inside. Raises :class:`ReadError` when there is no step."""
        try:
            root = document(source)
            stem = Path(source.name).stem or source.name
            sessions: list[Session] = []
            pieces = line_pieces(source) if rest(source, root) else iter([root])
            for number, piece in enumerate(pieces, 1):
                sessions += _trajectories(piece, stem if number == 1 else f"{stem}-{number}")
            if not sessions:
                raise ReadError(source.name, "the trajectory holds no step")
            yield from nest(sessions)
        finally:
            source.release()


def _trajectories(root: Piece, stem: str) -> Iterator[Session]:
    """A trajectory and, each after the one that holds it, those of its subagents."""
    waiting: list[tuple[Piece, str, str | None]] = [(root, stem, None)]
    for number in range(_SUBAGENTS_AT_MOST):
        if number >= len(waiting):
            return
        piece, name, parent = waiting[number]
        reading = _Trajectory(piece, name, parent)
        reading.read()
        if reading.draft.drafts or reading.draft.gaps:
            yield reading.draft.session()
        for inner in piece.list("subagent_trajectories"):
            waiting.append((inner, f"{name}-{len(waiting)}", reading.draft.id))


class _Trajectory:
    """One trajectory."""

    def __init__(self, root: Piece, name: str, parent: str | None) -> None:
        self.root = root
        keys = root.members()
        identifier = string(keys["session_id"].value()) if "session_id" in keys else None
        own = string(keys["trajectory_id"].value()) if "trajectory_id" in keys else None
        # The id of a session is that of a whole run, which several trajectories may share (version 1.7 on).
        self.draft = SessionDraft(FORMAT, own or identifier or name)
        if parent is not None and self.draft.id == parent:
            self.draft.id = name
        self.draft.parent = parent
        self.agent = keys["agent"].value() if "agent" in keys else None
        self.draft.version = string(within(self.agent, "version"))

    def read(self) -> None:
        for piece in self.root.list("steps"):
            value = piece.value()
            if isinstance(value, dict):
                self._step(piece, value)
            else:
                self.draft.unreadable(piece.origin, cut=not piece.complete)
        if not self.root.complete:
            self.draft.unreadable(self.root.origin, cut=True)
        client = string(within(self.agent, "name"))
        if client is not None:
            for draft in self.draft.drafts:
                draft.agent = client if draft.role == "assistant" else None

    def _step(self, piece: Piece, value: dict[str, Any]) -> None:
        named = string(value.get("source"))
        role = {"agent": "assistant", "user": "user", "system": "system"}.get(named or "")
        identifier = value.get("step_id")
        time = moment(value.get("timestamp"))
        draft = self.draft.message(
            "assistant"
            if role == "assistant"
            else "user"
            if role == "user"
            else "system"
            if role
            else "unknown",
            piece.origin,
            identifier=str(identifier) if isinstance(identifier, (int, str)) else None,
            time=time,
        )
        if role is None:
            self.draft.unknown(f"source {named}", piece.origin)
        if role == "assistant":
            draft.model = string(value.get("model_name")) or string(within(self.agent, "model_name"))
            metrics = value.get("metrics")
            read, cached = (
                integer(within(metrics, "prompt_tokens")),
                integer(within(metrics, "cached_tokens")),
            )
            draft.tokens_in = None if read is None else max(0, read - (cached or 0))
            draft.tokens_out = integer(within(metrics, "completion_tokens"))
            draft.finish = string(within(value, "extra", "finish_reason")) or string(
                within(value, "extra", "stop_reason")
            )
        reasoning = piece.get("reasoning_content")
        if reasoning is not None and string(reasoning.value()):
            draft.parts.append(Reasoning(text=reasoning.text(), origin=reasoning.origin))
        message = piece.get("message")
        if message is not None:
            _said(draft, message)
        calls = [self._call(draft, call, time) for call in piece.list("tool_calls")]
        for number, result in enumerate(piece.list("observation", "results")):
            self._result(draft, result, calls, number)

    def _call(self, draft: Draft, piece: Piece, time: int | None) -> CallDraft:
        value = piece.value()
        arguments = piece.get("arguments")
        return self.draft.call(
            draft,
            name=string(within(value, "function_name")) or "unknown",
            identifier=string(within(value, "tool_call_id")),
            text=arguments.json() if arguments is not None else Text("{}"),
            origin=piece.origin,
            start=time,
        )

    def _result(self, draft: Draft, piece: Piece, calls: list[CallDraft], number: int) -> None:
        value = piece.value()
        content = piece.get("content")
        told = content.text() if content is not None and content.value() is not None else None
        child = None
        references = within(value, "subagent_trajectory_ref")
        if isinstance(references, list) and references:
            first = references[0]
            child = string(within(first, "trajectory_id")) or string(within(first, "session_id"))
        called = string(within(value, "source_call_id"))
        if called is not None and called in self.draft.calls:
            self.draft.answer(called, piece.origin, output=told or Text(""), child=child)
        elif called is None and len(calls) > number and not calls[number].answered:
            self.draft.answer((draft, calls[number]), piece.origin, output=told or Text(""), child=child)
        elif called is not None:
            self.draft.answer(called, piece.origin)
        elif told is not None:
            draft.parts.append(TextPart(text=told, synthetic=True, origin=piece.origin))


def _said(draft: Draft, message: Piece) -> None:
    """The text of a step: a string, or parts with text and images since version 1.6."""
    if message.first() != b"[":
        if message.value() is not None:
            draft.say(message.text(), message.origin)
        return
    for part in message.items():
        value = part.value()
        kind = string(within(value, "type"))
        text = part.get("text")
        if text is not None and isinstance(text.value(), str):
            draft.say(text.text(), part.origin)
        elif kind == "image":
            source = within(value, "source")
            draft.parts.append(
                File(
                    name=string(within(source, "path")),
                    mime=string(within(source, "media_type")),
                    origin=part.origin,
                )
            )
        else:
            draft.parts.append(
                Unread(reason=f"content of an unknown kind ({kind or 'no type'})", origin=part.origin)
            )
