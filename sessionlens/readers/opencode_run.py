"""Reader ``opencode-run``: what ``opencode run`` prints on a terminal, copied or redirected, with its colours.

``> build · model``, then a line for each call that ended (``→ Read …``, ``✱ Glob …``, ``← Edit …``, ``$ command`` with
its output, ``✗ edit failed``, ``# Todos``) and the model's words between. Symbols as in the published source of
clients 1.1 to 1.18 and in real files of 2026; before 1.1 ``|  Bash  command``. There are no roles, no bounds of
messages, no times, no prompts; where a command's output ends and the model's words begin shows only after the
client's own note of a time limit.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from sessionlens.cache import lazy
from sessionlens.model import Call, Gap, Message, Part, Session, Text, TextPart, Unread
from sessionlens.readers.base import ReadError
from sessionlens.readers.inline_calls import find
from sessionlens.readers.source import Source
from sessionlens.readers.text_log import ESCAPES, Page, shown_call

_START = lazy(
    r"\s*+(?:[^\n]{0,300}\n\s*+){0,5}?> (?P<agent>[A-Za-z][\w -]{0,40}?) · (?P<model>[^\s→←✱✗⚙%◇◈$#|]{1,200})"
)
_COLOUR = rb"(?:\x1b\[[0-9;]*m)"
_ICONS = "→←✱✗⚙%◇◈•✓$#"
_ICON = b"(?:" + b"|".join(re.escape(icon.encode()) for icon in _ICONS) + b")"
_COLOURED = lazy(
    _COLOUR
    + rb"{1,8}+(?:(?P<icon>"
    + _ICON
    + rb") "
    + _COLOUR
    + rb"(?=\S)|(?P<bar>\|)"
    + _COLOUR
    + rb"{0,8}+[ \t]{1,8}"
    + _COLOUR
    + rb"{0,8}+(?P<type>[A-Za-z_]{2,30})[ \t]+"
    + _COLOUR
    + rb")"
)
_PLAIN = lazy(
    rb"(?m)^(?:(?P<icon>"
    + _ICON
    + rb") (?=[A-Za-z\"~/.])|(?P<bar>\|)  +(?P<type>[A-Z][a-z_]{2,30})  +(?=\S))"
)
_LINE_END = lazy(rb"\r?\n|\Z")
_NOTE = lazy(rb"<(bash|shell)_metadata>[^<]{1,2000}</\1_metadata>")
_GLUED = lazy(r"(?:Index: /|Wrote file successfully\.|Edit applied successfully\.).*", re.DOTALL)
"""How an output begins whose line end before it was lost."""
_NOTE_END = lazy(rb"</(?:bash|shell)_metadata>")
_DIFF = lazy(
    rb"(?:(?:Index: |={5,}|--- |\+\+\+ |@@ |[ +\-\\])[^\n]*(?:\n|\Z)|\r?\n)+|Wrote file successfully\.[^\n]*|Edit applied[^\n]*"
)
_TODOS = lazy(rb"(?:\s*(?:" + _COLOUR + rb")*\[[ x\xe2\x80\xa2~-]{1,3}\][^\n]*(?:\n|\Z))+")
_ERROR = lazy(rb"\s*" + _COLOUR + rb"*(?:Error: )?" + _COLOUR + rb"*[^\n]*")
_MATCHES = lazy(r" (?:\d+ match(?:es)?)\Z")
_OPTIONS = lazy(r" \[((?:[a-z_A-Z]+=[^,\]]+)(?:, [a-zA-Z_]+=[^,\]]+)*)\]\Z")
_PROSE = lazy(
    r"(?:[A-Z\u00c0-\u00de*#\u0400-\uffef][^\n]*\s\S+\s\S+\s\S*[.:!?\u3002\uff01\uff1a)*]|#{1,4} [^\n]+)\s*(?:\n|\Z)"
)
_SAID = lazy(r"[A-Z\u00c0-\u00de*#\u0400-\uffef][^\n]*\s\S*[.:!?\u3002\uff01\uff1a)*`]\Z")
"""A line of prose, more loosely than the first line of an answer."""
_LIST = lazy(r"\s{0,4}(?:[-*•] |\d{1,3}[.)] )\S")
_SYMBOL = {
    "→": "read",
    "←": "write",
    "✱": "grep",
    "%": "webfetch",
    "◇": "codesearch",
    "◈": "websearch",
    "#": "todowrite",
}


class OpencodeRun:
    """Reads terminal copies of ``opencode run``."""

    name = "opencode-run"

    def recognises(self, source: Source) -> str | None:
        """``None`` when it begins with the client's ``> agent · model`` line."""
        if source.folder:
            return "a folder, not a file"
        head = source.head(1 << 16)
        if _start(head) is None:
            return "no line `> agent · model` at its beginning"
        if b"\x1b[" not in head and _PLAIN.search(head) is None:
            return "a line `> agent · model`, but neither colours nor lines of calls"
        return None

    def read(self, source: Source) -> Iterator[Session]:
        """The one session of the file. Raises :class:`ReadError` when nothing follows its first line."""
        try:
            session = _Reading(Page(source, ("ansi",))).session()
        finally:
            source.release()
        yield session


def _start(head: bytes) -> re.Match[str] | None:
    return _START.match(ESCAPES.sub("", head[:4096].decode("utf-8", "replace")).replace("\r", ""))


class _Mark(NamedTuple):
    """One line that shows a call."""

    begin: int
    end: int
    icon: str
    type: str


def _shell(mark: _Mark) -> bool:
    return mark.icon == "$" or mark.type.lower() in ("bash", "shell")


class _Reading:
    """One pass over one file."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.view = page.view
        self.messages: list[Message] = []
        self.waiting: list[Part] = []
        self.early: tuple[int, int] | None = None

    def session(self) -> Session:
        page = self.page
        start = _start(page.bytes(page.start, page.start + 4096))
        line = re.compile(rb"> [A-Za-z][\w -]{0,40}? \xc2\xb7 [^\s\x1b]{1,200}").search(self.view, page.start)
        begin = line.end() if line is not None else page.start
        coloured = _COLOURED.search(self.view, page.start) is not None
        marks = [
            _Mark(
                found.start(), found.end(), (found["icon"] or b"|").decode(), (found["type"] or b"").decode()
            )
            for found in (_COLOURED if coloured else _PLAIN).finditer(self.view, begin)
        ]
        self.agent = start["agent"] if start is not None else None
        self.model = start["model"] if start is not None else None
        gaps = list(page.undecodable())
        if line is not None:
            self._before(page.start, line.start(), gaps)
        self._words(begin, marks[0].begin if marks else page.end, marks[0] if marks else None)
        for at, mark in enumerate(marks):
            following = marks[at + 1] if at + 1 < len(marks) else None
            self._call(mark, following)
        self._flush()
        if not self.messages:
            raise ReadError(page.source.name, "nothing follows the first line of this run")
        reason = (
            "a terminal copy of `opencode run` shows neither prompts nor where a message begins: each call is taken for "
            "one message with the words before it, and an empty answer leaves no trace"
        )
        gaps.append(Gap(reason=reason, origin=page.origin(begin, begin)))
        return Session(
            id=Path(page.source.name).stem or page.source.name,
            source_format=OpencodeRun.name,
            client="opencode",
            messages=tuple(self.messages),
            gaps=tuple(gaps),
        )

    def _before(self, begin: int, end: int, gaps: list[Gap]) -> None:
        if ESCAPES.sub("", self.page.decode(begin, end)).strip():
            reason = f"{end - begin} bytes before the run begins"
            gaps.append(Gap(reason=reason, origin=self.page.origin(begin, end)))

    def _words(self, begin: int, end: int, following: _Mark | None) -> None:
        """The model's words before the next call; colours alone are none.

        Where standard output and standard error met in another order, the end of a command's output stands
        before the line of its call.
        """
        self.early = None
        if following is not None and _shell(following):
            notes = list(_NOTE.finditer(self.view, begin, end))
            if notes:
                self.early = (notes[-1].start(), notes[-1].end())
                self._words(notes[-1].end(), end, None)
                end = notes[-1].start()
                self.early = (notes[-1].start(), notes[-1].end())
        begin, end = self.page.trim(begin, end)
        if begin < end:
            text = self.page.text(begin, end)
            if not text.blank():
                self.waiting.append(TextPart(text=text, origin=self.page.origin(begin, end)))

    def _flush(self) -> None:
        if not self.waiting:
            return
        first, last = self.waiting[0].origin, self.waiting[-1].origin
        begin, end = first.offset or 0, (last.offset or 0) + (last.length or 0)
        self.messages.append(
            Message(
                index=len(self.messages),
                role="assistant",
                parts=tuple(self.waiting),
                agent=self.agent,
                model=self.model,
                origin=self.page.origin(begin, end),
            )
        )
        self.waiting = []

    def _call(self, mark: _Mark, following: _Mark | None) -> None:
        page = self.page
        end = following.begin if following is not None else page.end
        early = self.early
        line_end = _LINE_END.search(self.view, mark.end, end)
        title_end = line_end.start() if line_end is not None else end
        title = page.decode(mark.end, title_end).strip()
        output: tuple[int, int] | None = None
        error: tuple[int, int] | None = None
        called: tuple[str, dict[str, object]]
        words = title_end
        word = title.split(" ", 1)[0].lower()
        if _shell(mark):
            command = "[bash] " + page.decode(mark.end, end).lstrip()
            inner = find(command)
            title = command[inner[0].inner[0] : inner[0].inner[1]].split("<bash_metadata>")[0].strip()
            title_end = self._after_command(mark.end, end, title)
            output, words = self._printed(title_end, following)
            if output is None and early is None:
                early = self._printed_before()
            if early is not None and (output is None or not _NOTE_END.search(self.view, *output)):
                output, words = early, title_end
            called = ("bash", {"command": title})
        elif mark.icon == "✗":
            called = (word, {})
            found = _ERROR.match(self.view, title_end, end)
            error = (title_end, found.end() if found is not None else title_end)
            words = error[1]
        else:
            called = _shown(mark, _GLUED.sub("", title), word)
            pattern = {"←": _DIFF, "#": _TODOS}.get(mark.icon)
            place = page.trim(title_end, end)[0]
            found = (
                pattern.match(self.view, _past_colours(self.view, place), end)
                if pattern is not None
                else None
            )
            if found is not None and found.end() > found.start():
                output, words = (found.start(), found.end()), found.end()
            elif mark.icon == "←":
                output = self._printed_before()
        self._add(mark, called, output, error, words)
        self._words(words, end, following)

    def _add(
        self,
        mark: _Mark,
        called: tuple[str, dict[str, object]],
        output: tuple[int, int] | None,
        error: tuple[int, int] | None,
        words: int,
    ) -> None:
        page = self.page
        name, arguments = called
        place = page.lines(*output) if output is not None else None
        wrong = page.trim(*error) if error is not None else None
        call: Call = shown_call(
            name=name,
            input=Text(json.dumps(arguments, ensure_ascii=False)),
            client="opencode",
            output=page.text(*place) if place is not None else None,
            error=page.text(*wrong) if wrong is not None else None,
            origin=page.origin(mark.begin, words),
            result_origin=page.origin(*place) if place is not None else None,
        )
        self.waiting.append(call)
        if error is not None:
            self.waiting.append(Unread(reason="a failed call is shown without its input", origin=call.origin))
        self._flush()

    def _printed_before(self) -> tuple[int, int] | None:
        """Output that stands before the line of its call: what is no prose of the words there.

        Asked for a command below which nothing was printed, where two streams met in another order.
        """
        last = self.waiting[-1] if self.waiting else None
        if not isinstance(last, TextPart) or last.origin.offset is None or last.origin.length is None:
            return None
        begin, end = last.origin.offset, last.origin.offset + last.origin.length
        position = begin
        while position < end:
            stop = self.view.find(b"\n", position, end)
            stop = end if stop < 0 else stop
            line = self.page.decode(position, stop)
            if line.strip() and not (_SAID.match(line.strip()) or _LIST.match(line)):
                break
            position = stop + 1
        else:
            return None
        self.waiting.pop()
        first, until = self.page.trim(begin, position)
        if first < until and not (text := self.page.text(first, until)).blank():
            self.waiting.append(TextPart(text=text, origin=self.page.origin(first, until)))
        return position, end

    def _after_command(self, begin: int, end: int, command: str) -> int:
        """Where the command ends in the bytes: after as many line feeds as it holds."""
        position = begin
        for _ in range(command.count("\n")):
            found = self.view.find(b"\n", position, end)
            position = found + 1 if found >= 0 else end
        note = re.compile(rb"\r?\n|<(?:bash|shell)_metadata>|\Z").search(self.view, position, end)
        return note.start() if note is not None else end

    def _printed(self, begin: int, following: _Mark | None) -> tuple[tuple[int, int] | None, int]:
        """What a command printed, and where the model's words after it begin."""
        end = following.begin if following is not None else self.page.end
        note = _NOTE_END.search(self.view, begin, end)
        if note is not None:
            return (begin, note.end()), note.end()
        stop = end
        if following is None:
            # The answer at the end of a run: the first paragraph after the output that reads as prose.
            for found in re.compile(rb"\n(?:[ \t\r]|" + _COLOUR + rb")*\n").finditer(self.view, begin, end):
                if _PROSE.match(self.page.decode(found.end(), min(end, found.end() + 2000)).lstrip()):
                    stop = found.end()
                    break
        inner = self.page.trim(begin, stop)
        shown = inner[0] < inner[1] and self.page.decode(*inner).strip() != ""
        return (inner if shown else None), stop


def _past_colours(view: object, position: int) -> int:
    found = re.compile(rb"(?:\s|" + _COLOUR + rb")*").match(view, position)  # type: ignore[call-overload]
    return int(found.end()) if found is not None else position


def _shown(mark: _Mark, title: str, word: str) -> tuple[str, dict[str, object]]:
    """Name and input of a call that is shown by one line."""
    arguments: dict[str, object] = {}
    if mark.icon == "|":
        return mark.type.lower(), {"input": title}
    if mark.icon == "⚙":
        name, _, rest = title.partition(" ")
        try:
            value = json.loads(rest) if rest.startswith("{") else None
        except (ValueError, RecursionError):
            value = None
        return name or "unknown", value if isinstance(value, dict) else {"input": rest} if rest else {}
    if mark.icon == "#":
        return "todowrite", {}
    rest = _MATCHES.sub("", title.partition(" ")[2])
    options = _OPTIONS.search(rest)
    if options is not None:
        rest = rest[: options.start()]
        for pair in options[1].split(", "):
            option, _, value = pair.partition("=")
            arguments[option] = value
    name = word if re.fullmatch(r"[a-z][a-z_-]{1,40}", word) else _SYMBOL.get(mark.icon, "unknown")
    key = {"glob": "pattern", "grep": "pattern", "webfetch": "url"}.get(name, "filePath")
    if mark.icon in "◇◈":
        name, key, rest = _SYMBOL[mark.icon], "query", title
    elif mark.icon in "•✓":
        name, key, rest = "task", "description", title
    if key == "pattern":
        quoted = re.match(r'"(?P<pattern>.*)"(?: in (?P<path>.+))?\Z', rest)
        if quoted is not None:
            rest = quoted["pattern"]
            if quoted["path"]:
                arguments["path"] = quoted["path"]
    return name, {key: rest.strip(), **arguments}
