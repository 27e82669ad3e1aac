"""Reader ``opencode-md``: the Markdown that ``/export`` of opencode's terminal interface writes.

A head with ``**Session ID:**``, then blocks between ``---`` lines: ``## User``, ``## Assistant (Build · Model ·
5.3s)``. It holds texts, thinking and calls (as far as the person ticked them), no ids, no times of messages, no
errors, nothing of compaction (opencode-formats §7, client 1.18.33; real files of 2026). Fences are not
escaped, so an output may hold what looks like the log itself; :class:`_Scan` tells them apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec

from sessionlens.cache import lazy
from sessionlens.model import Compaction, Gap, Message, Part, Reasoning, Session, Text, TextPart, Unread
from sessionlens.readers.base import ReadError
from sessionlens.readers.source import Source
from sessionlens.readers.text_log import Page, View, shown_call

_HEAD = lazy(
    rb"\s*# (?P<title>[^\n]*)\n\s*\*\*Session ID:\*\*[ \t]+(?P<id>ses_[0-9A-Za-z]+)[ \t]*\r?\n"
    rb"(?:\*\*(?:Created|Updated):\*\*[^\n]*\n)*"
)
_ABOUT = rb"\((?P<about>[^\n(][^\n]{0,300})\)"
_USER = rb"## User"
_FULL = rb"## Assistant \([^\n(][^\n]{0,300}\)"
_BARE = rb"## Assistant"
_DATES = lazy(rb"\*\*(Created|Updated):\*\*[ \t]*([^\r\n]*)")
_SECONDS = lazy(r" · (\d+(?:\.\d+)?)s\Z")
_SLACK = 1000
"""Milliseconds by which the rounded seconds of a heading may fall short of a limit that ran out."""
_MOST = 100
"""Messages that the client exports at most: the last ones."""


class OpencodeMd:
    """Reads Markdown exports of opencode."""

    name = "opencode-md"

    def recognises(self, source: Source) -> str | None:
        """``None`` for a head with a session id of opencode, or for blocks of the export without a head."""
        if source.folder:
            return "a folder, not a file"
        head = source.head()
        if _HEAD.match(head):
            return None
        first = head.lstrip()[:400]
        if re.match(
            rb"(?:---\s+)?## (?:User\r?\n|Assistant \([^\n]+ \xc2\xb7 [^\n]+\)\r?\n)", first
        ) and re.search(rb"(?m)^## Assistant \([^\n(\xc2]{1,60} \xc2\xb7 [^\n]+\)\r?$", head):
            return None
        return "no `**Session ID:** ses_…` under a title, and no `## Assistant (agent · model)` headings"

    def read(self, source: Source) -> Iterator[Session]:
        """The one session of the file. Raises :class:`ReadError` when it holds no message."""
        try:
            yield _Reading(Page(source)).session()
        finally:
            source.release()


class _Scan:
    """Marks of one file: what counts as a heading depends on which options the export was made with."""

    def __init__(self, view: View, start: int) -> None:
        full = (
            re.compile(rb"(?m)^---[ \t]*\r?\n\s*?\n" + _FULL + rb"[ \t]*\r?$").search(view, start) is not None
        )
        full = full or re.compile(rb"\s*(?:---\s+)?" + _FULL).match(view, start) is not None
        heading = rb"(?:" + _USER + rb"|" + (_FULL if full else _BARE) + rb")[ \t]*\r?$"
        detailed = re.compile(rb"(?m)^\*\*Input:\*\*[ \t]*\r?\n```").search(view, start) is not None
        after = rb"(?=\r?\n(?:\r?\n)?\*\*(?:Input|Output|Error):\*\*)" if detailed else rb"(?=\r?\n)"
        edge = rb"---[ \t]*\r?(?=\n\s*?\n" + heading + rb"|\s*\Z)"
        tool = rb"\*\*Tool: (?P<tool>[^\n]{1,200})\*\*[ \t]*" + after
        mark = rb"(?P<edge>" + edge + rb")|" + tool + rb"|(?P<thinking>_Thinking:_)[ \t]*\r?$"
        self.heading = re.compile(rb"(?m)\s*^## (?P<role>User|Assistant)(?: " + _ABOUT + rb")?[ \t]*\r?$")
        self.edge = re.compile(rb"(?m)^(?P<edge>" + edge + rb")")
        self.mark = re.compile(rb"(?m)^(?:" + mark + rb")")
        self.scan = re.compile(rb"(?m)^(?:(?P<fence>```)(?P<info>[^\n`]{0,80})$|" + mark + rb")")
        self.quotes = True


_LABEL = lazy(rb"(?P<lead>\s*)\*\*(?P<label>Input|Output|Error):\*\*[ \t]*\r?\n```[a-z]*[ \t]*\r?\n")
_JSON_END = lazy(rb"(?m)^```[ \t]*\r?$")
_LABELLED = lazy(rb"\*\*(?:Input|Output|Error):\*\*[ \t]*\r?\n\Z")
_THOUGHT = lazy(rb"(?<![`\"'])</think>(?![`\"'])")
_BREAK = lazy(rb"\r?\n[ \t]*\r?\n[ \t]*\r?\n(?:[ \t]*\r?\n)*")
_PARAGRAPH = lazy(rb"\r?\n[ \t]*\r?\n")


class _Reading:
    """One pass over one file."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.view = page.view
        self.gaps: list[Gap] = list(page.undecodable())
        self.merged = 0
        self.merged_at: tuple[int, int] | None = None
        self.closed = True

    def session(self) -> Session:
        page = self.page
        head = _HEAD.match(self.view, page.start)
        begin = head.end() if head is not None else page.start
        self.marks = _Scan(self.view, begin)
        position = begin
        if head is not None:
            self._dates(head.start(), head.end())
            edge = self.marks.edge.search(self.view, begin)
            position = edge.end() if edge is not None else page.end
            if edge is not None:
                self._stray(begin, edge.start())
        else:
            opening = re.compile(rb"\s*---[ \t]*\r?\n").match(self.view, begin)
            position = opening.end() if opening is not None else begin
            self.gaps.append(
                Gap(reason="the file has no head: no session id, no title", origin=page.origin(begin, begin))
            )
        messages = self._messages(position)
        if not messages:
            raise ReadError(
                page.source.name, "the export holds no message", line=page.source.line_at(position)
            )
        messages = _requests(messages)
        self._missing(messages)
        stem = Path(page.source.name).stem or page.source.name
        return Session(
            id=head["id"].decode() if head is not None else stem,
            source_format=OpencodeMd.name,
            title=(head["title"].decode("utf-8", "replace").strip() or None) if head is not None else None,
            client="opencode",
            messages=tuple(messages),
            gaps=tuple(self.gaps),
            truncated=not self.closed,
        )

    def _dates(self, begin: int, end: int) -> None:
        dates = [f"{found[1].decode().lower()} {found[2].decode('utf-8', 'replace').strip()}" for found in
                 _DATES.finditer(self.view, begin, end)]  # fmt: skip
        if dates:
            reason = f"{', '.join(dates)}: dates in an unnamed zone and order, so no time is taken from them"
            self.gaps.append(Gap(reason=reason, origin=self.page.origin(begin, end)))

    def _stray(self, begin: int, end: int) -> None:
        begin, end = self.page.trim(begin, end)
        if begin < end:
            reason = f"{end - begin} bytes outside any message"
            self.gaps.append(Gap(reason=reason, origin=self.page.origin(begin, end)))

    def _missing(self, messages: list[Message]) -> None:
        """Say what the format leaves out of this file."""
        first = messages[0]
        if first.role == "assistant":
            reason = "the file begins in mid-session: earlier messages are missing (the client exports the last 100 only)"
            self.gaps.append(Gap(reason=reason, origin=first.origin))
        elif len(messages) == _MOST:
            reason = "the file holds exactly 100 messages, as many as the client exports: earlier ones may be missing"
            self.gaps.append(Gap(reason=reason, origin=first.origin))
        if self.merged_at is not None:
            reason = (
                f"{self.merged} messages show thinking of several paragraphs; the format does not mark where thinking "
                "ends and the reply begins, so a reply may stand within the thinking, or thinking within a reply"
            )
            self.gaps.append(Gap(reason=reason, origin=self.page.origin(*self.merged_at)))
        if not self.closed:
            self.gaps.append(Gap(reason="the file stops within its last message", origin=messages[-1].origin))

    def _messages(self, position: int) -> list[Message]:
        messages: list[Message] = []
        while (heading := self.marks.heading.match(self.view, position)) is not None:
            at = heading.start("role") - 3
            parts, end, edge = self._parts(heading)
            messages.append(self._message(heading, len(messages), tuple(parts), at, end))
            self.closed = edge is not None
            if edge is None:
                return messages
            position = edge
        self._stray(position, self.page.end)
        return messages

    def _message(
        self, heading: re.Match[bytes], index: int, parts: tuple[Part, ...], begin: int, end: int
    ) -> Message:
        agent = model = None
        if heading["about"] is not None:
            about = _SECONDS.sub("", heading["about"].decode("utf-8", "replace"))
            agent, _, model = about.partition(" · ")
        origin = self.page.origin(begin, end)
        if heading["role"] == b"User":
            return Message(index=index, role="user", parts=parts, origin=origin)
        return Message(
            index=index,
            role="assistant",
            parts=parts,
            agent=agent or None,
            model=model or None,
            summary=(agent or "").lower() == "compaction",
            origin=origin,
        )

    # --- within a message ---

    def _parts(self, heading: re.Match[bytes]) -> tuple[list[Part], int, int | None]:
        """The parts up to the line that ends the message; its end; where the next begins, ``None`` at the end."""
        parts: list[Part] = []
        position = heading.end()
        user = heading["role"] == b"User"
        pattern = self.marks.edge if user else self.marks.mark
        about = (heading["about"] or b"").decode("utf-8", "replace")
        # A heading without seconds is of a message that never completed; one without anything does not say.
        seconds = _SECONDS.search(about)
        complete = not about or seconds is not None
        lasted = round(float(seconds[1]) * 1000) if seconds is not None else None
        thinking = False
        while True:
            mark = pattern.search(self.view, position)
            until = mark.start() if mark is not None else self.page.end
            called = mark is not None and not user and mark.group("tool") is not None
            parts += self._text(position, until) if user else self._prose(position, until, thinking, called)
            if mark is None:
                return parts, self.page.end, None
            if mark.group("edge") is not None:
                return parts, until, mark.end()
            thinking = not called
            position = mark.end()
            if called:
                call, position = self._call(mark, complete=complete, lasted=lasted)
                parts += call

    def _text(self, begin: int, end: int) -> Iterator[Part]:
        begin, end = self.page.trim(begin, end)
        if begin < end:
            yield TextPart(text=self.page.text(begin, end), origin=self.page.origin(begin, end))

    def _prose(self, begin: int, end: int, thinking: bool, called: bool) -> Iterator[Part]:
        """Text up to the next mark; thinking is parted from the reply after it as far as that can be told."""
        page = self.page
        begin, end = page.trim(begin, end)
        if begin >= end:
            return
        if (closing := _THOUGHT.search(self.view, begin, end)) is not None:
            # A provider that does not part thinking from text leaves the tag between them.
            inner = page.trim(
                begin + 7 * self.view[begin : begin + 7].startswith(b"<think>"), closing.start()
            )
            yield Reasoning(text=page.text(*inner), origin=page.origin(begin, closing.end()))
            yield from self._text(closing.end(), end)
            return
        if not thinking:
            yield from self._text(begin, end)
            return
        cut = end
        # Empty lines at the end of one part and before the next make a wider gap than a paragraph has.
        breaks = _BREAK.search(self.view, begin, end)
        if breaks is not None:
            cut = breaks.start()
        elif (paragraph := _PARAGRAPH.search(self.view, begin, end)) is not None:
            self.merged += 1
            self.merged_at = self.merged_at or (begin, end)
            if not called:
                # What ends a message may be the reply: it is not called silence because a mark is missing.
                cut = paragraph.start()
        yield Reasoning(text=page.text(begin, cut), origin=page.origin(begin, cut))
        yield from self._text(cut, end)

    def _call(self, mark: re.Match[bytes], *, complete: bool, lasted: int | None) -> tuple[list[Part], int]:
        """The call whose heading ``mark`` is, and where it ends."""
        page = self.page
        shown: dict[str, tuple[int, int]] = {}
        position = mark.end()
        cut = False
        while (label := _LABEL.match(self.view, position)) is not None:
            name = label["label"].decode()
            if name in shown:
                break
            begin = label.end()
            close = _JSON_END.search(self.view, begin) if name == "Input" else self._close(begin)
            if close is None:
                shown[name], position, cut = (begin, page.end), page.end, True
                break
            shown[name] = (begin, page.before_line(begin, close.start()))
            position = close.end()
        place = shown.get("Input")
        result = shown.get("Output") or shown.get("Error")
        call = shown_call(
            name=mark["tool"].decode("utf-8", "replace"),
            input=page.text(*place, "json") if place is not None else Text(""),
            client="opencode",
            output=page.text(*shown["Output"]) if "Output" in shown else None,
            error=page.text(*shown["Error"]) if "Error" in shown else None,
            status=None if result is not None or complete else "running",
            origin=page.origin(mark.start(), position),
            result_origin=page.origin(*result) if result is not None else None,
        )
        if call.timed_out and lasted is not None and lasted < (call.limit_ms or 0) - _SLACK:
            # The seconds of the heading hold the time of its tools: the command quoted a log and ended before.
            call = msgspec.structs.replace(call, timed_out=False, limit_ms=None)
        parts: list[Part] = [call]
        if cut:
            parts.append(
                Unread(reason="the file stops within this call", origin=page.origin(page.end, page.end))
            )
        elif place is None:
            parts.append(
                Unread(
                    reason="exported without tool details: input and output are missing", origin=call.origin
                )
            )
        return parts, position

    def _close(self, begin: int) -> re.Match[bytes] | None:
        """The fence that closes an output or error that begins at ``begin``.

        It is looked for up to the next mark of the log that can only be its own: marks within a quoted export
        are passed over by counting its labelled fences.
        """
        close = self._closing(begin, self.marks.quotes)
        if close is None and self.marks.quotes:
            # An export quoted in part leaves its fences open: count no quotes from here on.
            close = self._closing(begin, False)
            self.marks.quotes = close is None
        return close

    def _closing(self, begin: int, quotes: bool) -> re.Match[bytes] | None:
        quoted = inner = own = 0
        outer: re.Match[bytes] | None = None
        last: re.Match[bytes] | None = None
        for found in self.marks.scan.finditer(self.view, begin):
            if found["fence"] is None:
                if quoted:
                    continue
                close = self._chosen(own, outer, last, found.start())
                if close is not None:
                    return close
                continue
            bare = not found["info"].strip()
            before = self.page.bytes(max(begin, found.start() - 20), found.start())
            if quotes and _LABELLED.search(before):
                quoted += 1
            elif quoted:
                quoted -= bare
            elif not bare:
                inner += 1
                last = None
            else:
                last = found
                if inner:
                    inner -= 1
                else:
                    own, outer = own + 1, found
        return None if quoted else self._chosen(own, outer, last, self.page.end)

    def _chosen(
        self, own: int, outer: re.Match[bytes] | None, last: re.Match[bytes] | None, mark: int
    ) -> re.Match[bytes] | None:
        """Which fence closes the output before a mark.

        Fences of the output itself come in pairs, so an odd number of plain ones ends with the closing one; what
        follows is prose with code of its own. Otherwise one stayed open, and the fence right before the mark
        closes the output.
        """
        if own % 2 == 0 and last is not None and not self.page.bytes(last.end(), mark).strip():
            return last
        return outer


def _requests(messages: list[Message]) -> list[Message]:
    """Empty user messages before a summary as what they are: requests of the client to summarise."""
    result = list(messages)
    for at, message in enumerate(messages[:-1]):
        if message.role == "user" and not message.parts and messages[at + 1].summary:
            result[at] = msgspec.structs.replace(message, parts=(Compaction(origin=message.origin),))
    return result
