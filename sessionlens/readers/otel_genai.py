"""Reader ``otel-genai``: spans of the OpenTelemetry conventions for generative AI, as OTLP JSON.

One document or one a line, ``{"resourceSpans": […]}``, as the collector's file exporter and the SDKs write it. Seen with
opentelemetry-instrumentation-openai-v2 2.3b0; else from the public conventions (``gen_ai.input.messages`` and ``gen_ai.output.messages`` since 1.37; events for each message and
attributes ``gen_ai.prompt.0.…`` before) and the OTLP JSON mapping.

- Spans of one ``gen_ai.conversation.id``, else of one trace, are one session. An agent that another agent's tool call
  started is a child session.
- Each model span repeats the conversation so far: what an earlier span told already is left out; what it answered is one
  assistant message with the span's times, tokens and finish reason.
- Spans ``execute_tool`` give calls their times, results and errors. ``error.type`` ``timeout`` means cut off.
- Content is recorded only where somebody switched it on, on spans or as records of a log (``resourceLogs``, the usual way
  of the instrumentations for Python), which are joined to their spans where both are in one file. Without it there are
  empty messages, and a gap says why.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from sessionlens.cache import lazy
from sessionlens.model import LONG, File, Origin, Reasoning, Role, Session, Text, Trouble, Unread
from sessionlens.readers.base import ReadError
from sessionlens.readers.drafts import CallDraft, Draft, SessionDraft, role_of
from sessionlens.readers.family import nest
from sessionlens.readers.jsonl import (
    ANY,
    Place,
    as_json,
    decode,
    first_lines,
    integer,
    joined,
    string,
    within,
)
from sessionlens.readers.pieces import Piece, beginning, document, line_pieces, rest
from sessionlens.readers.source import Source

FORMAT = "otel-genai"
_MODEL_CALLS = frozenset({"chat", "text_completion", "generate_content", "completion", "responses"})
_ATTRIBUTES_AT_MOST = 10_000
_FLAT = lazy(r"gen_ai\.(?P<way>prompt|completion)\.(?P<number>\d{1,5})\.(?P<key>.+)")
_FLAT_CALL = lazy(r"tool_calls\.(?P<number>\d{1,4})\.(?P<key>id|name|arguments)")
_EVENTS = {
    "gen_ai.system.message": "system", "gen_ai.user.message": "user", "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool", "gen_ai.choice": "choice",
}  # fmt: skip
_DEPTH = 64


class OtelGenai:
    """Reads spans of model and tool calls."""

    name = FORMAT

    def recognises(self, source: Source) -> str | None:
        """``None`` for OTLP JSON that mentions attributes of generative AI."""
        if source.folder:
            return "a folder, not a file"
        root = beginning(source)
        if root is None:
            return "no JSON at the beginning"
        if root.first() == b"[":
            root = next(root.items(), root)
        keys = root.members()
        if not keys.keys() & {"resourceSpans", "resource_spans", "scopeSpans", "resourceLogs"}:
            lines = [Piece(source, memoryview(data.strip()), 0) for data in first_lines(source, 4)]
            if not any(line.members().keys() & {"resourceSpans", "resourceLogs"} for line in lines):
                return "no `resourceSpans` or `resourceLogs`"
        if b"gen_ai." not in source.head(1 << 22):
            return "spans, but none with attributes of generative AI (`gen_ai.…`) in their first 4 MB"
        return None

    def read(self, source: Source) -> Iterator[Session]:
        """A session for each conversation, agents within agents as children.

        Raises :class:`ReadError` when no span tells of a model or tool call.
        """
        try:
            spans, gaps = _spans(source)
            sessions = [draft.session() for draft in _sessions(spans, Path(source.name).stem or source.name)]
            if not sessions:
                raise ReadError(source.name, "no span tells of a call of a model or a tool")
            first = sessions[0]
            truncated = any(cut for _, cut in gaps)
            unread = SessionDraft(FORMAT, "")
            for origin, cut in gaps:
                unread.unreadable(origin, cut=cut)
            sessions[0] = msgspec.structs.replace(
                first, gaps=first.gaps + unread.session().gaps, truncated=first.truncated or truncated
            )
            yield from nest(sessions)
        finally:
            source.release()


# --- spans -------------------------------------------------------------------------------------------------


class _Span(NamedTuple):
    """One span of a model, a tool or an agent."""

    piece: Piece
    trace: str
    id: str
    parent: str | None
    name: str
    start: int | None
    end: int | None
    attributes: dict[str, Any]
    events: list[tuple[str, dict[str, Any]]]
    failed: bool
    status: str | None
    resource: dict[str, Any]

    @property
    def operation(self) -> str:
        told = string(self.attributes.get("gen_ai.operation.name"))
        if told is not None:
            return told
        if "gen_ai.tool.name" in self.attributes or "gen_ai.tool.call.id" in self.attributes:
            return "execute_tool"
        model = "gen_ai.request.model" in self.attributes or "gen_ai.response.model" in self.attributes
        return "chat" if model else ""


def _spans(source: Source) -> tuple[list[_Span], list[tuple[Origin, bool]]]:
    """Every span that has attributes of generative AI, or that lies between such."""
    spans: list[_Span] = []
    logs: dict[tuple[str, str], list[_Log]] = {}
    gaps: list[tuple[Origin, bool]] = []
    root = document(source)
    pieces = line_pieces(source) if root.first() == b"{" and rest(source, root) else iter([root])
    for top in pieces:
        for piece in top.items() if top.first() == b"[" else (top,):
            if piece.first() != b"{":
                gaps.append((piece.origin, not piece.complete))
                continue
            if not piece.complete and piece.get("resourceSpans") is None:
                gaps.append((piece.origin, True))
            if piece.get("resourceLogs") is not None:
                _logs(piece, logs)
                if piece.get("resourceSpans") is None:
                    continue
            for resource in piece.list("resourceSpans") or piece.list("resource_spans") or [piece]:
                about = _attributes(resource.get("resource", "attributes"))
                scopes = resource.list("scopeSpans") or resource.list("scope_spans")
                for scope in scopes or resource.list("instrumentationLibrarySpans"):
                    for span in scope.list("spans"):
                        if span.complete and isinstance(span.value(), dict):
                            spans.append(_span(span, about))
                        else:
                            gaps.append((span.origin, not span.complete))
    return _with_logs(spans, logs), gaps


class _Log(NamedTuple):
    """A record of a log that tells a message of a span: what instrumentations write content to unless told otherwise."""

    piece: Piece
    name: str
    time: int | None
    body: dict[str, Any]
    attributes: dict[str, Any]


def _logs(piece: Piece, found: dict[tuple[str, str], list[_Log]]) -> None:
    """Take the records of generative AI in a document of logs, by the spans they belong to."""
    for resource in piece.list("resourceLogs"):
        for scope in resource.list("scopeLogs"):
            for record in scope.list("logRecords"):
                value = record.value()
                attributes = _pairs(within(value, "attributes"))
                name = string(within(value, "eventName")) or string(attributes.get("event.name")) or ""
                if not name.startswith("gen_ai."):
                    continue
                body = _plain(within(value, "body"), 0)
                when = _nanoseconds(within(value, "timeUnixNano")) or _nanoseconds(
                    within(value, "observedTimeUnixNano")
                )
                key = (string(within(value, "traceId")) or "", string(within(value, "spanId")) or "")
                log = _Log(record, name, when, body if isinstance(body, dict) else {}, attributes)
                found.setdefault(key, []).append(log)


def _with_logs(spans: list[_Span], logs: dict[tuple[str, str], list[_Log]]) -> list[_Span]:
    """The spans with what logs tell of them; records whose span is not here make one of their own."""
    result = []
    for span in spans:
        records = logs.pop((span.trace, span.id), [])
        details = {
            key: one for log in records for key, one in log.attributes.items() if key.startswith("gen_ai.")
        }
        result.append(
            span._replace(
                events=span.events + [(log.name, {**log.attributes, **log.body}) for log in records],
                attributes={**details, **span.attributes},
            )
        )
    for (trace, key), records in logs.items():
        times = [log.time for log in records if log.time is not None]
        attributes = {
            name: one for log in records for name, one in log.attributes.items() if name.startswith("gen_ai.")
        }
        attributes.setdefault("gen_ai.operation.name", "chat")
        result.append(
            _Span(
                piece=records[0].piece,
                trace=trace,
                id=key,
                parent=None,
                name="",
                start=min(times, default=None),
                end=max(times, default=None),
                attributes=attributes,
                events=[(log.name, {**log.attributes, **log.body}) for log in records],
                failed=False,
                status=None,
                resource={},
            )
        )
    return result


def _span(piece: Piece, resource: dict[str, Any]) -> _Span:
    value = piece.value()
    events = []
    listed = value.get("events")
    for event in listed if isinstance(listed, list) else ():
        name = string(within(event, "name")) or ""
        if name in _EVENTS or name.startswith(("gen_ai.", "exception")):
            events.append((name, _pairs(within(event, "attributes"))))
    code = within(value, "status", "code")
    return _Span(
        piece=piece,
        trace=string(value.get("traceId")) or "",
        id=string(value.get("spanId")) or "",
        parent=string(value.get("parentSpanId")),
        name=string(value.get("name")) or "",
        start=_nanoseconds(value.get("startTimeUnixNano")),
        end=_nanoseconds(value.get("endTimeUnixNano")),
        attributes=_pairs(value.get("attributes")),
        events=events,
        failed=code in (2, "STATUS_CODE_ERROR"),
        status=string(within(value, "status", "message")),
        resource=resource,
    )


def _nanoseconds(value: Any) -> int | None:
    """Epoch milliseconds; OTLP JSON writes 64-bit numbers as text."""
    if isinstance(value, str) and re.fullmatch(r"[0-9]{1,21}", value):
        return int(value) // 1_000_000 or None
    return integer(value // 1_000_000) or None if type(value) is int else None


def _attributes(piece: Piece | None) -> dict[str, Any]:
    return _pairs(piece.value()) if piece is not None else {}


def _pairs(value: Any) -> dict[str, Any]:
    """Attributes as OTLP writes them: a list of keys and typed values."""
    if not isinstance(value, list):
        return {}
    found: dict[str, Any] = {}
    for pair in value[:_ATTRIBUTES_AT_MOST]:
        key = string(within(pair, "key"))
        if key is not None:
            found[key] = _plain(within(pair, "value"), 0)
    return found


def _plain(value: Any, depth: int) -> Any:
    """A typed value of OTLP as a plain one; what nests too deep is left out."""
    if not isinstance(value, dict) or depth > _DEPTH:
        return None
    for key in ("stringValue", "boolValue", "doubleValue", "bytesValue"):
        if key in value:
            return value[key]
    if "intValue" in value:
        number = value["intValue"]
        return int(number) if isinstance(number, str) and re.fullmatch(r"-?\d{1,20}", number) else number
    if "arrayValue" in value:
        values = within(value, "arrayValue", "values")
        return [_plain(one, depth + 1) for one in values] if isinstance(values, list) else []
    if "kvlistValue" in value:
        values = within(value, "kvlistValue", "values")
        pairs = values if isinstance(values, list) else []
        return {str(within(one, "key")): _plain(within(one, "value"), depth + 1) for one in pairs}
    return None


# --- messages of a span ------------------------------------------------------------------------------------


class _Said(NamedTuple):
    """One message as a span tells it."""

    role: str
    parts: list[dict[str, Any]]
    """Parts in the form of the conventions: text, tool_call, tool_call_response, reasoning …"""
    finish: str | None = None

    def key(self) -> tuple[Any, ...]:
        """What two tellings of one message have in common; some repeat an answer with its calls and without its text."""
        called = tuple(string(part.get("id")) for part in self.parts if part.get("type") == "tool_call")
        if called and all(called):
            return self.role, called
        told = tuple(
            (part.get("type"), joined(part.get("content")), string(part.get("id")), string(part.get("name")))
            for part in self.parts
            if part.get("type") != "reasoning"
        )
        return self.role, told


def _decoded(value: Any) -> Any:
    """An attribute that holds JSON as text, or the value itself."""
    if not isinstance(value, str):
        return value
    try:
        return decode(value.encode("utf-8", "surrogatepass"), ANY)
    except ValueError:
        return value


def _asked(span: _Span) -> list[_Said]:
    """The conversation that a model span was asked with."""
    found = []
    system = _decoded(span.attributes.get("gen_ai.system_instructions"))
    if system:
        found.append(_Said("system", _parts(system)))
    told = _decoded(span.attributes.get("gen_ai.input.messages") or span.attributes.get("gen_ai.prompt"))
    if isinstance(told, list):
        return found + [_said(message) for message in told if isinstance(message, dict)]
    found += _flat(span, "prompt")
    for name, attributes in span.events:
        if name == "gen_ai.content.prompt":
            inner = _decoded(attributes.get("gen_ai.prompt"))
            found += [_said(one) for one in inner if isinstance(one, dict)] if isinstance(inner, list) else []
        elif name in _EVENTS and _EVENTS[name] != "choice":
            found.append(_of_event(_EVENTS[name], attributes))
    return found


def _answered(span: _Span) -> list[_Said]:
    """What the model answered."""
    told = _decoded(span.attributes.get("gen_ai.output.messages") or span.attributes.get("gen_ai.completion"))
    if isinstance(told, list):
        return [_said(message) for message in told if isinstance(message, dict)]
    found = _flat(span, "completion")
    for name, attributes in span.events:
        if name == "gen_ai.content.completion":
            inner = _decoded(attributes.get("gen_ai.completion"))
            found += [_said(one) for one in inner if isinstance(one, dict)] if isinstance(inner, list) else []
        elif name == "gen_ai.choice":
            message = _decoded(attributes.get("message"))
            body = {**attributes, **message} if isinstance(message, dict) else attributes
            one = _of_event("assistant", body)
            found.append(one._replace(finish=string(attributes.get("finish_reason"))))
    return found


def _said(message: dict[str, Any]) -> _Said:
    role = string(message.get("role")) or "assistant"
    if isinstance(message.get("parts"), list):
        parts = [part for part in message["parts"] if isinstance(part, dict)]
        return _Said(role, parts, string(message.get("finish_reason")))
    return _of_event(role, message)._replace(finish=string(message.get("finish_reason")))


def _of_event(role: str, body: dict[str, Any]) -> _Said:
    """A message in the older form: ``content``, ``tool_calls``, an ``id`` for results."""
    parts = _parts(_decoded(body.get("content"))) if body.get("content") is not None else []
    if role == "tool":
        words = "\n".join(joined(part.get("content")) for part in parts)
        called = string(body.get("id")) or string(body.get("tool_call_id"))
        return _Said(role, [{"type": "tool_call_response", "id": called, "response": words}])
    calls = _decoded(body.get("tool_calls"))
    for call in calls if isinstance(calls, list) else ():
        function = within(call, "function") if isinstance(within(call, "function"), dict) else call
        parts.append(
            {
                "type": "tool_call",
                "id": within(call, "id"),
                "name": within(function, "name"),
                "arguments": _decoded(within(function, "arguments")),
            }
        )
    return _Said(role, parts)


def _parts(content: Any) -> list[dict[str, Any]]:
    if isinstance(content, list):
        parts = [
            part if isinstance(part, dict) else {"type": "text", "content": joined(part)} for part in content
        ]
        return [
            {**part, "content": part["text"]} if "text" in part and "content" not in part else part
            for part in parts
        ]
    return [{"type": "text", "content": content if isinstance(content, str) else as_json(content)}]


def _flat(span: _Span, way: str) -> list[_Said]:
    """Messages that are spread over attributes ``gen_ai.prompt.0.role``, ``gen_ai.prompt.0.content`` …"""
    messages: dict[int, dict[str, Any]] = {}
    calls: dict[int, dict[int, dict[str, Any]]] = {}
    for key, value in span.attributes.items():
        found = _FLAT.fullmatch(key)
        if found is None or found["way"] != way:
            continue
        number = int(found["number"])
        call = _FLAT_CALL.fullmatch(found["key"])
        if call is not None:
            calls.setdefault(number, {}).setdefault(int(call["number"]), {})[call["key"]] = value
        messages.setdefault(number, {})[found["key"]] = value
    said = []
    for number in sorted(messages):
        body = dict(messages[number])
        body["tool_calls"] = [calls[number][one] for one in sorted(calls[number])] if number in calls else []
        role = string(body.get("role")) or ("assistant" if way == "completion" else "user")
        said.append(_of_event(role, body)._replace(finish=string(body.get("finish_reason"))))
    return said


# --- sessions ----------------------------------------------------------------------------------------------


def _sessions(spans: list[_Span], stem: str) -> Iterator[SessionDraft]:
    known = {(span.trace, span.id): span for span in spans}
    only: dict[str, set[str]] = {}
    for span in spans:
        named = string(span.attributes.get("gen_ai.conversation.id"))
        only.setdefault(span.trace, set()).update({named} if named is not None else ())
    groups: dict[str, list[_Span]] = {}
    parents: dict[str, tuple[str, str | None]] = {}
    for span in sorted(spans, key=lambda one: (one.start or 0, -(one.end or 0))):
        if span.operation in _MODEL_CALLS or span.operation == "execute_tool":
            key, parent, call = _belongs(
                span, known, next(iter(only[span.trace])) if len(only[span.trace]) == 1 else None
            )
            groups.setdefault(key, []).append(span)
            if parent is not None:
                parents.setdefault(key, (parent, call))
    builders: dict[str, _Builder] = {}
    for number, (key, members) in enumerate(groups.items(), 1):
        builder = _Builder(key or (stem if number == 1 else f"{stem}-{number}"))
        for span in members:
            builder.take(span)
        builder.finished()
        builders[key] = builder
    for key, (parent, call) in parents.items():
        if parent in builders:
            builders[key].draft.parent = builders[parent].draft.id
            if call is not None and call in builders[parent].draft.calls:
                builders[parent].draft.calls[call][1].fields["child"] = builders[key].draft.id
    yield from (builder.draft for builder in builders.values() if builder.draft.drafts)


def _belongs(
    span: _Span, known: dict[tuple[str, str], _Span], only: str | None
) -> tuple[str, str | None, str | None]:
    """The session of a span, the one that started it, and the call that did.

    ``only`` is the one conversation that its trace names; spans of tools often leave it out.
    """
    agents: list[_Span] = []
    call: str | None = None
    conversation = string(span.attributes.get("gen_ai.conversation.id"))
    above = known.get((span.trace, span.parent or ""))
    for _ in range(_DEPTH):
        if above is None:
            break
        conversation = conversation or string(above.attributes.get("gen_ai.conversation.id"))
        if above.operation == "invoke_agent":
            agents.append(above)
        elif above.operation == "execute_tool" and len(agents) == 1 and call is None:
            call = string(above.attributes.get("gen_ai.tool.call.id"))
        above = known.get((above.trace, above.parent or ""))
    top = conversation or only or span.trace
    if len(agents) < 2:
        return top, None, None
    outer = top if len(agents) == 2 else f"{top}-{agents[1].id}"
    return f"{top}-{agents[0].id}", outer, call


class _Builder:
    """Puts the spans of one session together."""

    def __init__(self, identifier: str) -> None:
        self.draft = SessionDraft(FORMAT, identifier)
        self.told: list[tuple[Any, ...]] = []
        """Keys of the messages told so far, in order."""
        self.tools: dict[str, _Span] = {}
        self.loose: list[_Span] = []
        self.bare: Origin | None = None
        self._long: tuple[Place, dict[str, int]] | None = None
        """The long texts of the span at hand by their numbers."""

    def take(self, span: _Span) -> None:
        """One span, in the order of their beginnings."""
        self.draft.version = self.draft.version or string(span.resource.get("service.version"))
        if span.operation == "execute_tool":
            key = string(span.attributes.get("gen_ai.tool.call.id"))
            if key is not None:
                self.tools[key] = span
            else:
                self.loose.append(span)
            return
        position = 0
        for said in _asked(span):
            key_of = said.key()
            try:
                position = self.told.index(key_of, position) + 1
                continue
            except ValueError:
                pass
            self._tell(said, span, span.start, answer=False)
            self.told.append(key_of)
            position = len(self.told)
        answers = _answered(span)
        if not answers:
            if not any(
                key.startswith(("gen_ai.input", "gen_ai.output", "gen_ai.prompt")) for key in span.attributes
            ):
                self.bare = self.bare or span.piece.origin
            answers = [_Said("assistant", [])]
        for said in answers[:1]:
            self._tell(said, span, span.start, answer=True)
            self.told.append(said.key())
        if len(answers) > 1:
            self.draft.gap(f"{len(answers) - 1} more answers that were offered at once", span.piece.origin)

    def _tell(self, said: _Said, span: _Span, time: int | None, *, answer: bool) -> None:
        origin = span.piece.origin
        results = [part for part in said.parts if part.get("type") == "tool_call_response"]
        for part in results:
            self._result(part, span)
        rest_of = [part for part in said.parts if part.get("type") != "tool_call_response"]
        if results and not rest_of:
            return
        role: Role = "assistant" if answer else role_of(said.role)
        draft = self.draft.message(role, origin, identifier=span.id if answer else None, time=time)
        for part in rest_of:
            self._part(draft, part, span)
        if not answer:
            return
        draft.ended = span.end
        attributes = span.attributes
        draft.model = string(attributes.get("gen_ai.response.model")) or string(
            attributes.get("gen_ai.request.model")
        )
        draft.agent = string(attributes.get("gen_ai.agent.name"))
        draft.tokens_in = _number(attributes, "gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens")
        draft.tokens_out = _number(attributes, "gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens")
        reasons = _decoded(attributes.get("gen_ai.response.finish_reasons"))
        first = string(reasons[0]) if isinstance(reasons, list) and reasons else string(reasons)
        draft.finish = said.finish or first
        if span.failed or "error.type" in attributes:
            name = string(attributes.get("error.type")) or "error"
            draft.error = Trouble(name=name, text=(span.status or _exception(span) or "")[:2000])

    def _part(self, draft: Draft, part: dict[str, Any], span: _Span) -> None:
        origin = span.piece.origin
        kind = string(part.get("type")) or "text"
        if kind == "text":
            draft.say(self._text(joined(part.get("content")), span), origin)
        elif kind in ("reasoning", "thinking"):
            draft.parts.append(Reasoning(text=self._text(joined(part.get("content")), span), origin=origin))
        elif kind in ("tool_call", "server_tool_call", "function"):
            arguments = part.get("arguments")
            words = (
                arguments
                if isinstance(arguments, str)
                else as_json(arguments if arguments is not None else {})
            )
            self.draft.call(
                draft,
                name=string(part.get("name")) or "unknown",
                identifier=string(part.get("id")),
                text=self._text(words, span),
                origin=origin,
                start=span.end,
            )
        elif kind in ("blob", "file", "uri", "image", "image_url"):
            name = string(part.get("uri")) or string(part.get("file_id"))
            draft.parts.append(File(name=name, mime=string(part.get("mime_type")), origin=origin))
        else:
            draft.parts.append(Unread(reason=f"content of an unknown kind ({kind[:40]})", origin=origin))

    def _result(self, part: dict[str, Any], span: _Span) -> None:
        response = part.get("response") if part.get("response") is not None else part.get("result")
        called = string(part.get("id"))
        found = self.draft.calls.get(called) if called is not None else self.draft.waiting()
        if found is not None and found[1].answered:
            return
        self.draft.answer(
            found or called, span.piece.origin, output=self._text(joined(response), span), time=span.start
        )

    def _text(self, value: str, span: _Span) -> Text:
        """A text that a span holds, mostly within JSON within an attribute; a handle when it is long."""
        if len(value) <= LONG:
            return Text(value)
        place = span.piece.place
        if self._long is None or self._long[0] != place:
            self._long = (place, {text: number for number, text in enumerate(_long_texts(place))})
        number = self._long[1].get(value)
        return Text(value) if number is None else Text(value, load=partial(_again, place, number))

    def finished(self) -> None:
        """Give calls what the spans of their tools tell; tools that no message asked for are told by a call, too."""
        for key, span in self.tools.items():
            known = self.draft.calls.get(key)
            if known is None:
                self._alone(span, key)
                continue
            self._executed(known, span)
        matched: set[int] = set()
        for span in self.loose:
            name = string(span.attributes.get("gen_ai.tool.name"))
            match = self._unmatched(name, matched)
            if match is None:
                self._alone(span, span.id)
            else:
                matched.add(id(match[1]))
                self._executed(match, span)
        if self.bare is not None:
            self.draft.gap("the spans hold no content: what was said was not recorded", self.bare)

    def _unmatched(self, name: str | None, matched: set[int]) -> tuple[Draft, CallDraft] | None:
        """The first call of this tool that no span was matched with: spans and calls stand in the same order."""
        for key, (draft, call) in self.draft.calls.items():
            if call.fields["name"] == name and id(call) not in matched and key not in self.tools:
                return draft, call
        return None

    def _alone(self, span: _Span, key: str) -> None:
        start = span.start or 0
        before = (
            one for one in reversed(self.draft.drafts) if one.role == "assistant" and (one.time or 0) <= start
        )
        draft = next(before, None) or self.draft.message("assistant", span.piece.origin, time=span.start)
        arguments = span.attributes.get("gen_ai.tool.call.arguments")
        words = (
            arguments if isinstance(arguments, str) else as_json(arguments if arguments is not None else {})
        )
        self.draft.call(
            draft,
            name=string(span.attributes.get("gen_ai.tool.name")) or span.name or "unknown",
            identifier=key or None,
            text=self._text(words, span),
            origin=span.piece.origin,
        )
        self._executed((draft, draft.calls()[-1]), span)

    def _executed(self, found: tuple[Draft, CallDraft], span: _Span) -> None:
        call = found[1]
        result = span.attributes.get("gen_ai.tool.call.result")
        kind = string(span.attributes.get("error.type"))
        words = result if isinstance(result, str) else as_json(result) if result is not None else None
        told = span.status or _exception(span)
        failed = span.failed or kind is not None
        if not call.answered:
            error = self._text(told, span) if failed and words is None and told else None
            if words is not None or error is not None or failed:
                output = (
                    self._text(words, span) if words is not None else None if error is not None else Text("")
                )
                self.draft.answer(found, span.piece.origin, output=output, error=error, failed=failed or None)
            elif span.end is not None:
                # It ended; what it returned was not recorded.
                call.fields["status"] = "completed"
        if kind is not None and re.search(r"(?i)time_?d?_?-?out", kind):
            call.fields["timed_out"] = True
        elif kind is not None and re.search(r"(?i)cancel", kind):
            call.fields["interrupted"] = True
        if span.start is not None:
            call.fields["start"] = span.start
        call.fields["end"] = span.end if span.end is not None else call.fields.get("end")
        if call.fields.get("exit") is None:
            call.fields["exit"] = _number(span.attributes, "process.exit.code", "gen_ai.tool.exit_code")


def _exception(span: _Span) -> str | None:
    return next(
        (
            string(attributes.get("exception.message"))
            for name, attributes in span.events
            if name == "exception"
        ),
        None,
    )


def _number(attributes: dict[str, Any], *keys: str) -> int | None:
    return next((found for key in keys if (found := integer(attributes.get(key))) is not None), None)


def _long_texts(place: Place) -> list[str]:
    """The long texts of a span in their order, those within JSON texts too. Bounded by the span's own size."""
    found: list[str] = []
    try:
        waiting: list[Any] = [decode(place.source.read(place.offset, place.length), ANY)]
    except (ValueError, OSError, ReadError):
        return found
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)
        elif isinstance(value, str) and len(value) > LONG:
            found.append(value)
            inner = _decoded(value)
            if isinstance(inner, (dict, list)):
                waiting.append(inner)
    return found


def _again(place: Place, number: int) -> str:
    found = _long_texts(place)
    return (
        found[number]
        if number < len(found)
        else "[the log no longer holds this text as it was when it was first read]"
    )
