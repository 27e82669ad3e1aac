"""Reader ``aider``: the chat history that aider appends to ``.aider.chat.history.md``.

``# aider chat started at`` opens a chat; lines of the person begin with ``####``, notes of the client with ``>``,
both end with two spaces, which tells them from headings and quotations of the model (aider's source, and a real
file of 0.86). No ids, no times but the start in an unnamed zone, no results of commands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec

from sessionlens.cache import lazy
from sessionlens.model import Changed, Gap, Message, Part, Reasoning, Role, Session, TextPart
from sessionlens.readers.base import ReadError
from sessionlens.readers.source import Source
from sessionlens.readers.text_log import Page

_START = lazy(rb"(?m)^# aider chat started at (?P<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)[ \t]*\r?$")
_LINES = lazy(rb"(?m)^(?:(?P<person>####(?: [^\n]*)?  \r?\n)|(?P<client>>[^\n]*\r?\n))")
_QUESTION = lazy(
    r"(?:\([A-Z]\)[a-z]+(?: all|'t ask again)?/?)+(?: \[[A-Za-z]+\])?: ?\S*\s*\Z|\[Yes\]: \S*\s*\Z",
    re.MULTILINE,
)
"""A question of the client with the person's short answer: no message of theirs."""
_THINK_OPEN = lazy(
    rb"(?m)^(?:<(?P<tag>thinking-content-[0-9a-f]{8,64}|think(?:ing)?)>|-{2,}\n(?:\xe2\x96\xba|>) \*\*THINKING\*\*)[ \t]*\r?$"
)
_ANSWER = lazy(rb"(?m)^(?:\xe2\x96\xba|>) \*\*ANSWER\*\*[ \t]*\r?$")
_APPLIED = lazy(r"^Applied edit to (.+?)\s*$", re.MULTILINE)
_VERSION = lazy(rb"(?m)^> Aider v(?P<version>\d[0-9A-Za-z.+-]{0,60})")
_MODEL = lazy(rb"(?m)^> (?:Main model|Model): (?P<model>\S{1,200})")
_STOP = lazy(r"\^C(?: KeyboardInterrupt| again to exit)")


class Aider:
    """Reads aider's chat history."""

    name = "aider"

    def recognises(self, source: Source) -> str | None:
        """``None`` when the first line that is not blank opens a chat."""
        if source.folder:
            return "a folder, not a file"
        if _START.match(source.head(1 << 12).lstrip()) is None:
            return "no line `# aider chat started at …` at its beginning"
        return None

    def read(self, source: Source) -> Iterator[Session]:
        """One session for each chat in which something was said.

        Raises :class:`ReadError` when there is none.
        """
        page = Page(source)
        try:
            starts = list(_START.finditer(page.view, page.start))
            stem = Path(source.name).stem.lstrip(".") or source.name
            sessions: list[Session] = []
            for number, start in enumerate(starts):
                end = starts[number + 1].start() if number + 1 < len(starts) else page.end
                identifier = stem if len(starts) == 1 else f"{stem}-{number + 1}"
                session = _session(page, start, end, identifier)
                if not sessions:
                    told = page.undecodable()
                    session = msgspec.structs.replace(session, gaps=told + session.gaps)
                if any(message.role != "system" for message in session.messages):
                    sessions.append(session)
        finally:
            source.release()
        if not sessions:
            raise ReadError(source.name, "nothing was said in any chat of this history")
        yield from sessions


def _session(page: Page, start: re.Match[bytes], end: int, identifier: str) -> Session:
    version = _VERSION.search(page.view, start.end(), end)
    gaps = [
        Gap(
            reason=f"begun at {start['time'].decode()} in an unnamed zone, so no time is taken from it; "
            "aider records no results of commands",
            origin=page.origin(start.start(), start.end()),
        )
    ]
    messages: list[Message] = []
    parts: list[Part] = []
    role: Role | None = None
    first = start.end()
    model: str | None = None

    def close(until: int) -> None:
        nonlocal parts, role
        if role is not None:
            messages.append(
                Message(
                    index=len(messages),
                    role=role,
                    parts=tuple(parts),
                    model=model if role == "assistant" else None,
                    origin=page.origin(first, until),
                )
            )
        parts, role = [], None

    for kind, begin, until in _stretches(page, start.end(), end):
        if kind == "person":
            close(begin)
            first, role = begin, "user"
            text = page.text(begin, until, "hashes")
            parts = [TextPart(text=text, origin=page.origin(begin, until))] if not text.blank() else []
        elif kind == "model":
            if role == "user" or role is None:
                close(begin)
                first, role = begin, "assistant"
            parts += _answer(page, begin, until)
        else:
            note = page.text(begin, until, "arrows", "hashes")
            named = _MODEL.search(page.view, begin, until)
            model = named["model"].decode("utf-8", "replace") if named is not None else model
            if role is None:
                first, role = begin, "system"
            if _STOP.search(note.head) and role == "assistant":
                # The person pressed Ctrl-C: said in the words that the model of sessions knows.
                close(begin)
                first, role = begin, "user"
                words = f"[Request interrupted by user] {note.head.strip()}"
                parts = [TextPart(text=type(note)(words), synthetic=True, origin=page.origin(begin, until))]
                continue
            parts.append(TextPart(text=note, synthetic=True, origin=page.origin(begin, until)))
            files = tuple(dict.fromkeys(found[1] for found in _APPLIED.finditer(note.ends())))
            if files:
                parts.append(Changed(files=files, origin=page.origin(begin, until)))
    close(end)
    return Session(
        id=identifier,
        source_format=Aider.name,
        client="aider",
        client_version=version["version"].decode() if version is not None else None,
        messages=tuple(messages),
        gaps=tuple(gaps),
    )


def _stretches(page: Page, begin: int, end: int) -> Iterator[tuple[str, int, int]]:
    """Runs of lines by the person, by the client, by the model, in order; blank ones left out."""
    runs: list[tuple[str, int, int]] = []
    position = begin
    for found in _LINES.finditer(page.view, begin, end):
        line = page.decode(found.start(), found.end())
        kind = "person" if found["person"] is not None else "client"
        if kind == "client" and not line.rstrip("\r\n").endswith("  "):
            continue
        if kind == "person" and _QUESTION.search(line):
            kind = "client"
        if page.bytes(position, found.start()).strip():
            runs.append(("model", *page.trim(position, found.start())))
        if runs and runs[-1][0] == kind and runs[-1][2] <= found.start() and position == runs[-1][2]:
            runs[-1] = (kind, runs[-1][1], found.end())
        else:
            runs.append((kind, found.start(), found.end()))
        position = found.end()
    if page.bytes(position, end).strip():
        runs.append(("model", *page.trim(position, end)))
    return ((kind, *page.trim(first, last)) for kind, first, last in runs)


def _answer(page: Page, begin: int, end: int) -> Iterator[Part]:
    """The model's words, its thinking apart where tags mark it."""
    position = begin
    while (opening := _THINK_OPEN.search(page.view, position, end)) is not None:
        if opening["tag"] is not None:
            closing = re.compile(rb"(?m)^</" + re.escape(opening["tag"]) + rb">[ \t]*\r?$").search(
                page.view, opening.end(), end
            )
        else:
            closing = _ANSWER.search(page.view, opening.end(), end)
        stop = closing.start() if closing is not None else end
        yield from _words(page, position, opening.start())
        inner = page.trim(opening.end(), stop)
        if inner[0] < inner[1]:
            yield Reasoning(text=page.text(*inner), origin=page.origin(*inner))
        position = closing.end() if closing is not None else end
    yield from _words(page, position, end)


def _words(page: Page, begin: int, end: int) -> Iterator[Part]:
    begin, end = page.trim(begin, end)
    if begin < end:
        yield TextPart(text=page.text(begin, end), origin=page.origin(begin, end))
