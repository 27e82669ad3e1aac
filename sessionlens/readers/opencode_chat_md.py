"""Reader ``opencode-chat-md``: home-made Markdown of opencode sessions with numbered, dated headings.

A block ``## OpenCode Chat Export`` with ``- Session ID: ses_…`` and its like, then ``### 12. assistant (ISO
time)``. Such scripts keep text parts only: calls, thinking and errors are missing, and a message without text
says so (seen in real files of 2026 made from client 1.2.5).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from sessionlens.cache import lazy
from sessionlens.model import Gap, Message, Part, Role, Session, TextPart, Unread
from sessionlens.readers.base import ReadError
from sessionlens.readers.source import Source
from sessionlens.readers.text_log import Page, utc

_TITLE = lazy(
    rb"(?i)\A\s*(?:-{3,}\s+)?#{1,3} OpenCode (?:Chat|Session) (?:Export|Transcript)(?P<index> Index)?[ \t]*\r?\n"
)
_HEADING = lazy(
    rb"(?m)^#{2,4} (?P<number>\d{1,7})\. (?P<role>user|assistant|system) "
    rb"\((?P<time>\d{4}-\d\d-\d\d[T ][0-9:.]+(?:Z|[+-]\d\d:?\d\d)?)\)[ \t]*\r?$"
)
_FIELD = lazy(r"^[-*] +([A-Za-z ]{2,40}): *(.+?) *$", re.MULTILINE)
_NOTHING = lazy(r"[_*(\[]*no text(?: content)?(?: was)?(?: captured| recorded)?[^\n]{0,60}", re.IGNORECASE)
_CLIENT = lazy(rb"(?m)^Called the \w{1,40} tool with the following input: ")
_NOTES = lazy(rb"(?m)^## Notes[ \t]*\r?\n(?:\s*+[-*] [^\n]*+)*+\s*\Z")
_ROLES: dict[bytes, Role] = {b"user": "user", b"assistant": "assistant", b"system": "system"}


class OpencodeChatMd:
    """Reads home-made Markdown exports of opencode with numbered messages."""

    name = "opencode-chat-md"

    def recognises(self, source: Source) -> str | None:
        """``None`` for the title of such an export, or of an index of some."""
        if source.folder:
            return "a folder, not a file"
        head = source.head(1 << 16)
        title = _TITLE.match(head)
        if title is None:
            return "no title `OpenCode Chat Export`"
        if title["index"] is None and not (b"ses_" in head or _HEADING.search(head)):
            return "a title `OpenCode Chat Export` without a session id and without numbered messages"
        return None

    def read(self, source: Source) -> Iterator[Session]:
        """The one session of the file. Raises :class:`ReadError` for an index, and when no message is there."""
        try:
            yield _session(Page(source))
        finally:
            source.release()


def _session(page: Page) -> Session:
    title = _TITLE.match(page.view, page.start)
    headings = list(_HEADING.finditer(page.view, page.start))
    if title is not None and title["index"] is not None:
        raise ReadError(
            page.source.name,
            "an index of chat exports, it holds no session",
            advice="Give the files it lists",
        )
    if not headings:
        raise ReadError(page.source.name, "the export holds no numbered message")
    fields = {
        found[1].strip().lower(): found[2]
        for found in _FIELD.finditer(page.decode(page.start, headings[0].start()))
    }
    gaps = list(page.undecodable())
    reason = "the export keeps text only: calls, their results, thinking and errors are missing"
    gaps.append(Gap(reason=reason, origin=page.origin(page.start, headings[0].start())))
    end = page.end
    notes = _NOTES.search(page.view, headings[-1].end())
    if notes is not None:
        end = notes.start()
        reason = "notes of the script that made the export stand at its end"
        gaps.append(Gap(reason=reason, origin=page.origin(notes.start(), notes.end())))
    messages = []
    for index, heading in enumerate(headings):
        following = headings[index + 1].start() if index + 1 < len(headings) else end
        messages.append(_message(page, heading, index, following))
    told = fields.get("message count", "")
    if told.isdecimal() and int(told) != len(messages):
        reason = f"the export speaks of {told} messages and holds {len(messages)}"
        gaps.append(Gap(reason=reason, origin=page.origin(page.start, headings[0].start())))
    identifier = re.search(r"ses_[0-9A-Za-z]+", fields.get("session id", ""))
    return Session(
        id=identifier[0] if identifier is not None else Path(page.source.name).stem or page.source.name,
        source_format=OpencodeChatMd.name,
        title=fields.get("title"),
        client="opencode",
        client_version=fields.get("opencode version"),
        directory=fields.get("project directory"),
        messages=tuple(messages),
        gaps=tuple(gaps),
    )


def _message(page: Page, heading: re.Match[bytes], index: int, end: int) -> Message:
    parts: list[Part] = []
    begin, stop = page.trim(heading.end(), end)
    client = _CLIENT.search(page.view, begin, stop) if heading["role"] == b"user" else None
    cut = client.start() if client is not None else stop
    for at, until, synthetic in ((begin, cut, False), (cut, stop, True)):
        first, last = page.trim(at, until)
        if first >= last:
            continue
        text = page.text(first, last)
        origin = page.origin(first, last)
        if not synthetic and not text.long and _NOTHING.fullmatch(text.head):
            parts.append(
                Unread(
                    reason="the export keeps no text of this message and leaves its calls out", origin=origin
                )
            )
        else:
            parts.append(TextPart(text=text, synthetic=synthetic, origin=origin))
    return Message(
        id=None,
        index=index,
        role=_ROLES[heading["role"]],
        parts=tuple(parts),
        time=utc(heading["time"].decode()),
        origin=page.origin(heading.start(), max(stop, heading.end())),
    )
