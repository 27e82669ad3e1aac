"""Reader ``claude-md``: Markdown exports of Claude Code with the messages' content as JSON.

``# Claude Session Export`` with a session id, then ``### User`` and ``### Assistant``, a quoted date and the
content: a JSON list of Claude's content blocks, or plain text (seen in real files of 2025). One heading stands
for one record of Claude Code, so that thinking, text and calls of one answer have a heading each.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from sessionlens.cache import lazy
from sessionlens.model import (
    Call,
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
    Unread,
)
from sessionlens.readers.base import ReadError
from sessionlens.readers.source import Source
from sessionlens.readers.text_log import Page, shown_call, utc

_TITLE = lazy(rb"\s*# Claude (?:Code )?(?:Session|Conversation) (?:Export|Transcript)[ \t]*\r?\n")
_ID = lazy(rb"\*\*Session ID\*\*:[ \t]*`?(?P<id>[0-9A-Za-z][0-9A-Za-z_-]{5,80})`?")
_PROJECT = lazy(rb"\*\*Project Path\*\*:[ \t]*`(?P<path>[^`\n]{1,1000})`")
_HEADING = lazy(rb"(?m)^### (?P<role>User|Assistant|System)[ \t]*\r?\n> (?P<time>[^\n]{0,80}?)[ \t]*\r?$")
_RULE = lazy(rb"\s*^---[ \t]*\r?\n?\s*\Z", re.MULTILINE)
_CLIENT = lazy(
    r"\s*(?:<system-reminder>|<local-command-(?:stdout|stderr|caveat)>|<command-(?:stdout|contents)>"
    r"|Caveat: The messages below were generated|<task-notification>|<bash-(?:stdout|stderr)>)"
)
"""How texts begin that Claude Code writes into user records."""
_SUMMARY = lazy(r"\s*This session is being continued from a previous conversation")
_ROLES: dict[bytes, Role] = {b"User": "user", b"Assistant": "assistant", b"System": "system"}


class ClaudeMd:
    """Reads Markdown exports of Claude Code sessions."""

    name = "claude-md"

    def recognises(self, source: Source) -> str | None:
        """``None`` for the title of such an export with a session id or dated messages."""
        if source.folder:
            return "a folder, not a file"
        head = source.head()
        if _TITLE.match(head) is None:
            return "no title `Claude Session Export`"
        if _ID.search(head) is None and _HEADING.search(head) is None:
            return (
                "a title `Claude Session Export` without session id and without `### User` with a date below"
            )
        return None

    def read(self, source: Source) -> Iterator[Session]:
        """The one session of the file. Raises :class:`ReadError` when it holds no message."""
        try:
            yield _Reading(Page(source)).session()
        finally:
            source.release()


class _Reading:
    """One pass over one file."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.messages: list[Message] = []
        self.gaps: list[Gap] = list(page.undecodable())
        self.open: dict[str, tuple[int, int]] = {}
        self.truncated = False

    def session(self) -> Session:
        page = self.page
        headings = list(_HEADING.finditer(page.view, page.start))
        if not headings:
            raise ReadError(page.source.name, "the export holds no message")
        top = headings[0].start()
        for index, heading in enumerate(headings):
            last = index + 1 == len(headings)
            self._record(heading, page.end if last else headings[index + 1].start(), last)
        if not self.messages:
            raise ReadError(page.source.name, "the export holds tool results only, no message")
        if all(utc(heading["time"].decode("utf-8", "replace")) is None for heading in headings):
            reason = "the dates are of an unnamed zone, so no time is taken from them"
            self.gaps.append(Gap(reason=reason, origin=page.origin(headings[0].start(), headings[0].end())))
        identifier = _ID.search(page.view, page.start, top)
        project = _PROJECT.search(page.view, page.start, top)
        return Session(
            id=identifier["id"].decode()
            if identifier is not None
            else Path(page.source.name).stem or page.source.name,
            source_format=ClaudeMd.name,
            client="claude-code",
            directory=project["path"].decode("utf-8", "replace") if project is not None else None,
            messages=tuple(self.messages),
            gaps=tuple(self.gaps),
            truncated=self.truncated,
        )

    def _record(self, heading: re.Match[bytes], end: int, last: bool) -> None:
        """One heading with what stands below it."""
        page = self.page
        rule = _RULE.search(page.view, max(heading.end(), end - 200), end)
        begin, stop = page.trim(heading.end(), rule.start() if rule is not None else end)
        role = _ROLES[heading["role"]]
        origin = page.origin(heading.start(), max(stop, heading.end()))
        blocks = _blocks(page.bytes(begin, stop))
        if blocks == [] and role == "user":
            # A person may write this; of an answer it is the list of its blocks.
            blocks = None
        parts: list[Part] = []
        if blocks is None:
            if last and page.bytes(begin, begin + 1) == b"[":
                self.truncated = True
                self.gaps.append(Gap(reason="the file stops within its last message", origin=origin))
            if begin < stop:
                parts.append(self._text(page.text(begin, stop), role, page.origin(begin, stop)))
        results = 0
        for number, block in enumerate(blocks or ()):
            if isinstance(block, dict) and block.get("type") == "tool_result":
                results += 1
                self._result(block, number, begin, stop)
            else:
                parts += self._block(block, number, begin, stop, role)
        if results and not parts:
            return
        if blocks is not None:
            for at, part in enumerate(parts):
                if isinstance(part, Call) and part.id is not None:
                    self.open[part.id] = (len(self.messages), at)
        head = next((part.text.head for part in parts if isinstance(part, TextPart)), "")
        self.messages.append(
            Message(
                index=len(self.messages),
                role=role,
                parts=tuple(parts),
                time=utc(heading["time"].decode("utf-8", "replace")),
                summary=role == "user" and _SUMMARY.match(head) is not None,
                origin=origin,
            )
        )

    def _text(self, text: Text, role: Role, origin: Origin) -> TextPart:
        return TextPart(
            text=text, synthetic=role == "user" and _CLIENT.match(text.head) is not None, origin=origin
        )

    def _block(self, block: Any, number: int, begin: int, end: int, role: Role) -> list[Part]:
        """One content block; its place is that of the list that holds it."""
        page = self.page
        origin = page.origin(begin, end)
        kind = block.get("type") if isinstance(block, dict) else None
        if kind == "text" and isinstance(block.get("text"), str):
            return [self._text(page.json_text(begin, end, block["text"], (number, "text")), role, origin)]
        if kind in ("thinking", "redacted_thinking"):
            value = block.get("thinking")
            thought = (
                page.json_text(begin, end, value, (number, "thinking"))
                if isinstance(value, str)
                else Text("")
            )
            return [Reasoning(text=thought, origin=origin)]
        if kind in ("tool_use", "server_tool_use"):
            call = shown_call(
                id=block.get("id") if isinstance(block.get("id"), str) else None,
                name=str(block.get("name") or "unknown"),
                input=Text(json.dumps(block.get("input", {}), ensure_ascii=False)),
                client="claude-code",
                status="running",
                origin=origin,
            )
            return [call]
        if kind in ("image", "document"):
            source = block.get("source")
            mime = source.get("media_type") if isinstance(source, dict) else None
            return [File(mime=mime if isinstance(mime, str) else None, origin=origin)]
        return [
            Unread(
                reason=f"a content block of a kind that is not known here ({str(kind)[:60]})", origin=origin
            )
        ]

    def _result(self, block: dict[str, Any], number: int, begin: int, end: int) -> None:
        """Give a result to its call; one that belongs to no call of the file becomes a gap."""
        page = self.page
        origin = page.origin(begin, end)
        place = self.open.pop(str(block.get("tool_use_id")), None)
        content = block.get("content")
        output = None
        if isinstance(content, str):
            output = page.json_text(begin, end, content, (number, "content"))
        elif isinstance(content, list):
            texts = [
                one["text"] for one in content if isinstance(one, dict) and isinstance(one.get("text"), str)
            ]
            output = Text("\n".join(texts))
        if place is None:
            shown = (output.head if output is not None else "")[:200]
            reason = f"a tool result without its call: {shown}" if shown else "a tool result without its call"
            self.gaps.append(Gap(reason=reason, origin=origin))
            return
        index, at = place
        message = self.messages[index]
        call = message.parts[at]
        assert isinstance(call, Call)
        done = shown_call(
            id=call.id,
            name=call.name,
            input=call.input,
            client="claude-code",
            output=output if output is not None else Text(""),
            failed=block.get("is_error") is True,
            origin=call.origin,
            result_origin=origin,
        )
        kept = (*message.parts[:at], done, *message.parts[at + 1 :])
        self.messages[index] = msgspec.structs.replace(message, parts=kept)


def _blocks(data: bytes) -> list[Any] | None:
    """The list of content blocks; ``None`` when the content is plain text."""
    if not data.startswith(b"["):
        return None
    try:
        value = json.loads(data.decode("utf-8", "replace"), strict=False)
    except (ValueError, RecursionError):
        return None
    listed = isinstance(value, list) and all(isinstance(one, dict) and "type" in one for one in value)
    return value if listed else None
