"""A message in the chat forms: OpenAI's with ``tool_calls``, Anthropic's content blocks, ShareGPT.

Nothing is invented: a call without a result is answered by an empty tool message, as the forms want an answer to
every call.
"""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Sequence
from typing import Any

import msgspec

from sessionlens.curate.rows import ChatMessage, Function, ToolCall
from sessionlens.model import Call, File, Message, Reasoning, Subtask, Text, TextPart

RESULT_LIMIT = 32_768
"""Characters of one tool result that are kept, unless the run says otherwise."""


class Said(msgspec.Struct, frozen=True, kw_only=True):
    """A message in OpenAI's chat form."""

    messages: tuple[ChatMessage, ...]
    """The message, then the results of its calls."""
    reasoning: str | None
    """Its thinking."""
    cut: int
    """Characters of results left out."""


def of(
    message: Message, role: str, *, limit: int = RESULT_LIMIT, shared: Container[str] = frozenset()
) -> Said:
    """A message in chat form.

    :param role: who it is by, where the log does not say.
    :param limit: characters of one tool result that are kept: its two ends around a mark.
    :param shared: ids that several calls of the session have: they would not tell which result is whose.
    """
    texts: list[str] = []
    thoughts: list[str] = []
    calls: list[ToolCall] = []
    results: list[ChatMessage] = []
    cut = 0
    for part in message.parts:
        if role == "assistant" and (
            isinstance(part, File) or (isinstance(part, TextPart) and part.synthetic)
        ):
            # The client put it there. The model did not write it, so nothing is to be learnt from it.
            continue
        if isinstance(part, TextPart):
            texts.append(part.text.whole())
        elif isinstance(part, Reasoning):
            thoughts.append(part.text.whole())
        elif isinstance(part, Subtask):
            texts.append(part.prompt.whole())
        elif isinstance(part, File):
            texts.append(f"[attachment: {part.name or 'unnamed'}{f' ({part.mime})' if part.mime else ''}]")
        elif isinstance(part, Call):
            own_id = part.id if part.id and part.id not in shared else None
            name = own_id or f"call_{message.index}_{len(calls)}"
            calls.append(
                ToolCall(id=name, function=Function(name=part.name, arguments=_arguments(part.input.whole())))
            )
            result, left_out = _result(part, limit)
            cut += left_out
            results.append(ChatMessage(role="tool", content=result, tool_call_id=name, name=part.name))
    content = "\n\n".join(text for text in texts if text)
    own = ChatMessage(
        role=role if role in ("user", "assistant", "system") else "user",
        content=content if content or not calls else None,
        tool_calls=tuple(calls) if calls and role == "assistant" else None,
    )
    thinking = "\n\n".join(text for text in thoughts if text)
    return Said(
        messages=(own, *(results if role == "assistant" else ())), reasoning=thinking or None, cut=cut
    )


def _result(call: Call, limit: int) -> tuple[str, int]:
    """What the model saw of a call, and how many characters of it are left out."""
    texts = [text for text in (call.output, call.error) if text is not None]
    shown = []
    left_out = 0
    for text in texts:
        kept, missing = shortened(text, limit)
        left_out += missing
        shown.append(kept)
    return "\n".join(one for one in shown if one), left_out


def shortened(text: Text, limit: int) -> tuple[str, int]:
    """A text, or its two ends around a mark that says how many characters were left out; and that number."""
    if text.length <= limit:
        return text.whole(), 0
    half = max(1, limit // 2)
    whole = text.whole() if half > len(text.head) or (text.long and half > len(text.tail)) else None
    head = text.head[:half] if whole is None else whole[:half]
    tail = (text.end() if whole is None else whole)[-half:]
    left_out = text.length - len(head) - len(tail)
    return f"{head}\n[… {left_out} characters left out …]\n{tail}", left_out


def shorten(messages: Iterable[ChatMessage], limit: int) -> tuple[ChatMessage, ...]:
    """The same messages with no tool result longer than ``limit`` characters."""
    return tuple(
        msgspec.structs.replace(message, content=shortened(Text(message.content), limit)[0])
        if message.role == "tool" and message.content is not None and len(message.content) > limit
        else message
        for message in messages
    )


def tools(messages: Iterable[ChatMessage]) -> str:
    """The tools that messages call, as JSON in the form of TRL's ``tools`` column: what the log shows of them.

    A log holds calls, not the schemas that the model was given: of each argument only its name is known.
    """
    names: dict[str, set[str]] = {}
    for message in messages:
        for call in message.tool_calls or ():
            known = names.setdefault(call.function.name, set())
            arguments = as_object(call.function.arguments)
            known.update(key for key in arguments if isinstance(key, str))
    listed = [
        {
            "type": "function",
            "function": {
                "name": name,
                "description": "",
                "parameters": {"type": "object", "properties": {key: {} for key in sorted(names[name])}},
            },
        }
        for name in sorted(names)
    ]
    return json.dumps(listed, ensure_ascii=False, sort_keys=True)


def _arguments(text: str) -> str:
    """The input of a call as the JSON text of an object: as the log has it where it is that."""
    if not text:
        return "{}"
    value = as_object(text)
    return json.dumps(value, ensure_ascii=False) if value.keys() == {"input"} else text


def as_object(arguments: str) -> dict[str, Any]:
    """The arguments of a call as an object; what is none under the name ``input``."""
    try:
        value = msgspec.json.decode(arguments.encode("utf-8", "surrogatepass"))
    except (msgspec.DecodeError, ValueError, RecursionError):
        return {"input": arguments}
    return value if isinstance(value, dict) else {"input": value}


# ------------------------------------------------------------------------------------------------- other forms


def anthropic(messages: Sequence[ChatMessage]) -> dict[str, Any]:
    """The conversation as the Messages API of Anthropic has it: content blocks, system apart, roles in turns.

    Results of calls are blocks of the user's next message; neighbours of one role are joined.
    """
    system: list[str] = []
    turns: list[dict[str, Any]] = []

    def add(role: str, blocks: list[dict[str, Any]]) -> None:
        if turns and turns[-1]["role"] == role:
            turns[-1]["content"] += blocks
        else:
            turns.append({"role": role, "content": blocks})

    for message in messages:
        if message.role == "system":
            system.append(message.content or "")
        elif message.role == "tool":
            block = {
                "type": "tool_result",
                "tool_use_id": message.tool_call_id,
                "content": message.content or "",
            }
            add("user", [block])
        else:
            blocks: list[dict[str, Any]] = []
            if message.reasoning_content:
                blocks.append({"type": "thinking", "thinking": message.reasoning_content})
            if message.content:
                blocks.append({"type": "text", "text": message.content})
            blocks += [
                {
                    "type": "tool_use",
                    "id": call.id,
                    "name": call.function.name,
                    "input": as_object(call.function.arguments),
                }
                for call in message.tool_calls or ()
            ]
            if not blocks:
                blocks.append({"type": "text", "text": ""})
            add(message.role, blocks)
    return {"system": "\n\n".join(system), "messages": turns}


_SHAREGPT = {"system": "system", "user": "human", "assistant": "gpt", "tool": "observation"}


def sharegpt(messages: Sequence[ChatMessage]) -> list[dict[str, str]]:
    """The conversation as ShareGPT has it: ``from`` and ``value``; calls are ``function_call`` with JSON."""
    found: list[dict[str, str]] = []
    for message in messages:
        if message.content or not message.tool_calls:
            found.append({"from": _SHAREGPT[message.role], "value": message.content or ""})
        for call in message.tool_calls or ():
            value = {"name": call.function.name, "arguments": as_object(call.function.arguments)}
            found.append({"from": "function_call", "value": json.dumps(value, ensure_ascii=False)})
    return found


def text_of(messages: Iterable[ChatMessage]) -> str:
    """Everything that the messages say, for counting and comparing."""
    pieces = []
    for message in messages:
        if message.reasoning_content:
            pieces.append(message.reasoning_content)
        if message.content:
            pieces.append(message.content)
        for call in message.tool_calls or ():
            pieces += [call.function.name, call.function.arguments]
    return "\n".join(pieces)
