"""Reader ``claude-console``: the screen of Claude Code (or Gemini CLI) as text, copied or by ``/export``.

``>`` or ``❯`` opens what the person wrote, ``⏺`` or ``●`` a paragraph of the model or a call ``Name(arguments)``, ``⎿``
its result; Gemini CLI marks the model with ``✦`` and draws calls as boxes (real files of 2025). Lines are wrapped
where the window ended, long outputs are folded (``… +12 lines``), nothing has an id or a time. Each mark is taken
for one message: where the client's messages begin and end does not show.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec

from sessionlens.cache import lazy
from sessionlens.model import Gap, Message, Part, Reasoning, Repair, Role, Session, Text, TextPart, Trouble
from sessionlens.readers.base import ReadError
from sessionlens.readers.source import Source
from sessionlens.readers.text_log import Forms, Page, decode, shown_call

_TWICE = (("cp437", "ΓùÅ", "ΓÄ┐"), ("cp437", "ΓÅ║", "ΓÄ┐"), ("cp1252", "â—", "âŽ¿"), ("cp1252", "âº", "âŽ¿"))
"""How the marks look when UTF-8 was read as another encoding and written as UTF-8 again."""
_MODEL = lazy(r"[⏺●✦](?:[ \xa0]+|$)")
_PERSON = lazy(r"[>❯][ \xa0]+(?=\S)")
_IDLE = lazy(r"[>❯][ \xa0]*$")
"""A mark alone is the client's empty input line, no message."""
_SHELL_MODE = lazy(r"! (?=\S)")
_RESULT = lazy(r"[ \xa0]{0,6}⎿")
_THINKING = lazy(r"[✻✽✶✳∴][ \xa0]+Thinking(?:…|\.\.\.)?")
_NOTE = lazy(r"[✻✽✶✳✢✺][ \xa0]+\S[^\n]{0,80}(?:…|\bfor \d+[hms]|compacted)")
"""What the client says of itself at the left edge: that it works, how long it worked, that it compacted."""
_BOX = lazy(r"[ \xa0]?(?:[╭│╰┌└]|[─═]{8})")
_CALL = lazy(
    r"(?P<name>[A-Za-z][\w.:-]*(?: [A-Za-z][\w-]*){0,2}(?: - [\w.:-]+)?(?: \(MCP\))?)\((?P<rest>.*)\Z",
    re.DOTALL,
)
_KNOWN = {
    "Bash": "Bash", "Read": "Read", "Write": "Write", "Create": "Write", "Edit": "Edit", "Update": "Edit",
    "MultiEdit": "MultiEdit", "NotebookEdit": "NotebookEdit", "Search": "Grep", "Grep": "Grep", "Glob": "Glob",
    "List": "LS", "LS": "LS", "Task": "Task", "Agent": "Task", "Fetch": "WebFetch", "WebFetch": "WebFetch",
    "Web Search": "WebSearch", "WebSearch": "WebSearch", "Call": "Call", "BashOutput": "BashOutput",
    "KillShell": "KillShell", "Kill Shell": "KillShell", "Skill": "Skill", "Explore": "Task", "Plan": "Task",
}  # fmt: skip
"""Calls by the name on the screen, and the client's own name of the tool."""
_BARE = {"Update Todos": "TodoWrite", "Read Todos": "TodoRead", "Updated Plan": "ExitPlanMode"}
_GEMINI = lazy(r"[│┌╭]?\s*[✔✓x?⊷⊶o⊘-]\s+(?P<name>[A-Z][A-Za-z]{2,40})\s+(?P<rest>[^\n]*)\Z")
_GEMINI_SHELL = lazy(
    r"(?P<command>.*?)(?: \[current working directory [^\]]*\])?(?: \((?P<about>[^()]*)\)?)?…?\Z"
)
_PAIR = lazy(r'(\w+): (?:"((?:[^"\\]|\\.)*)"|([^,\s)]+))')
_TIMEOUT = lazy(r"(?<!\s)\s+timeout:? ?(?P<time>(?:\d+(?:\.\d+)?[hms] ?)+)\)?\s*\Z")
_FOLDED = lazy(r"… \+\d+ lines|\(ctrl\+[a-z] to (?:expand|see all)\)")
_STOPPED = lazy(r"\s*(?:Interrupted by user|Interrupted · What should Claude do instead)")
_ENDED = lazy(r"\s*(?:Read \d+ lines?\b|(?:Updated|Wrote|Created) \S|(?:Found|Listed) \d+ |[☒☐] |Done \()")
"""Results that stand there once a call has come to its end: what the person stopped then came after it."""
_REFUSED = lazy(r"\s*(?:No \(tell Claude what to do differently\)|User rejected|The user doesn't want to)")
_RUNNING = lazy(r"\s*(?:Running(?:…|\.\.\.)|Waiting(?:…|\.\.\.))")
_FAILED = lazy(r"\s*(?:Error\b|\d+ errors? occurred)")
_COST = lazy(r"(?:…|(?<![ \xa0]))[ \xa0]{3,}Cost: \$[0-9.]+ \([^\n]{0,60}$")
"""What a window of early 2025 shows at the right of a call's line."""
_CWD = lazy(r"cwd: (\S[^│\n]{0,1000}?)[ \xa0]*│?[ \xa0]*$", re.MULTILINE)
_VERSION = lazy(r"Claude Code v(\d+\.\d+\.\d+)")

Kind = Literal["person", "model", "thinking", "box", "shell", "idle"]


class ClaudeConsole:
    """Reads screens of Claude Code and Gemini CLI."""

    name = "claude-console"

    def recognises(self, source: Source) -> str | None:
        """``None`` when lines begin with the client's marks of person and model, and of results or a welcome."""
        if source.folder:
            return "a folder, not a file"
        head = source.head()
        text = decode(head, _forms(head))
        lines = text.split("\n")
        model = sum(_MODEL.match(line) is not None for line in lines)
        person = sum(_PERSON.match(line) is not None for line in lines)
        results = sum(_RESULT.match(line) is not None for line in lines)
        welcome = "Welcome to Claude Code" in text[:8192] or "Claude Code v" in text[:8192]
        boxes = any(_GEMINI.match(line.strip()) and line.strip().startswith("│") for line in lines)
        if model >= 2 and (results >= 1 or (welcome and person) or (boxes and person)):
            return None
        if model and person and results and welcome:
            return None
        return "fewer than two lines that begin with `⏺`, `●` or `✦`, with results `⎿` or boxes of calls below them"

    def read(self, source: Source) -> Iterator[Session]:
        """The one session of the file. Raises :class:`ReadError` when it holds no message."""
        try:
            session = _Reading(Page(source, _forms(source.head()))).session()
        finally:
            source.release()
        yield session


def _forms(head: bytes) -> Forms:
    """What has to be undone before the marks can be seen: colours, a wrong decoding."""
    forms: list[str] = []
    if b"\x1b[" in head:
        forms.append("ansi")
    text = head.decode("utf-8", "replace")
    if "⏺" not in text and "●" not in text:
        forms += [next((codec for codec, *marks in _TWICE if all(mark in text for mark in marks)), "")]
    return tuple(form for form in forms if form)


class _Line(NamedTuple):
    begin: int
    end: int
    text: str


class _Block(NamedTuple):
    """What one mark opens: its lines, and the results under it."""

    kind: Kind
    lines: list[_Line]
    results: list[_Line]

    @property
    def begin(self) -> int:
        return self.lines[0].begin

    @property
    def end(self) -> int:
        return max(line.end for line in (self.lines[-1], *self.results[-1:]))


class _Reading:
    """One pass over one file."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.messages: list[Message] = []
        self.thought: list[Part] = []
        self.gaps: list[Gap] = []
        self.idle: list[_Line] = []
        self.folded = 0
        self.first_fold: int | None = None
        self.gemini = False
        self.width = 80

    def session(self) -> Session:
        page = self.page
        lines = self._lines()
        widths = sorted(
            len(line.text.rstrip()) for line in lines if line.text.startswith(("  ", "⏺", "●", ">"))
        )
        if widths:
            self.width = max(40, widths[min(len(widths) - 1, len(widths) * 98 // 100)])
        before, blocks = _blocks(lines)
        for block in blocks:
            self._block(block)
        self._think_apart()
        if not any(message.role != "system" for message in self.messages):
            raise ReadError(
                page.source.name, "no line of it begins with a mark of the person or of the model"
            )
        gaps = [*page.undecodable(), *self.gaps]
        if self.idle:
            reason = f"empty input lines of the client, taken for no message: {len(self.idle)}"
            gaps.append(Gap(reason=reason, origin=page.origin(self.idle[0].begin, self.idle[0].end)))
        shown = "\n".join(line.text for line in before)
        if shown.strip():
            reason = f"{len(before)} lines before the first message (the client's welcome, a shell's prompt)"
            gaps.append(Gap(reason=reason, origin=page.origin(before[0].begin, before[-1].end)))
        gaps.append(
            Gap(
                reason="a copy of the screen: no times, no ids; lines are wrapped where the window ended, each mark is "
                "taken for one message, and an empty answer leaves no trace",
                origin=page.origin(page.start, page.start),
            )
        )
        if self.first_fold is not None:
            reason = (
                f"{self.folded} outputs are folded on the screen (`… +N lines`): what they held is missing"
            )
            gaps.append(Gap(reason=reason, origin=page.origin(self.first_fold, self.first_fold)))
        cwd = _CWD.search(shown)
        version = _VERSION.search(shown)
        twice = next((form for form in page.forms if form.startswith("cp")), None)
        repairs = (
            (Repair(kind=f"characters decoded twice ({twice})", origin=page.origin(page.start, page.start)),)
            if twice
            else ()
        )
        return Session(
            id=Path(page.source.name).stem or page.source.name,
            source_format=ClaudeConsole.name,
            client="gemini-cli" if self.gemini else "claude-code",
            client_version=version[1] if version is not None else None,
            directory=cwd[1] if cwd is not None else None,
            messages=tuple(self.messages),
            gaps=tuple(gaps),
            repairs=repairs,
        )

    def _lines(self) -> list[_Line]:
        page = self.page
        lines: list[_Line] = []
        begin = page.start
        while begin < page.end:
            end = page.view.find(b"\n", begin)
            end = page.end if end < 0 else end
            lines.append(_Line(begin, end, page.decode(begin, end).rstrip("\r\n")))
            begin = end + 1
        return lines

    # --- blocks ---

    def _block(self, block: _Block) -> None:
        if block.kind == "idle":
            self.idle.append(block.lines[0])
            for line in block.lines[1:]:
                if line.text.strip():
                    reason = f"a line after the client's empty input line: {line.text.strip()[:120]}"
                    self.gaps.append(Gap(reason=reason, origin=self.page.origin(line.begin, line.end)))
        elif block.kind == "thinking":
            self._thinking(block)
        elif block.kind == "box":
            self._box(block)
        elif block.kind == "model":
            self._model(block)
        else:
            self._person(block)

    def _add(self, role: Role, parts: list[Part], block: _Block, error: Trouble | None = None) -> None:
        origin = self.page.origin(block.begin, block.end)
        self.messages.append(
            Message(index=len(self.messages), role=role, parts=tuple(parts), error=error, origin=origin)
        )

    def _thinking(self, block: _Block) -> None:
        """Thinking that the screen shows; it belongs to what the model says next."""
        begin = block.lines[0].begin
        rest = block.lines[1:]
        words = [line for line in rest if line.text.strip()]
        text = self._text(words[0].begin, words[-1].end) if words else Text("")
        self.thought.append(Reasoning(text=text, origin=self.page.origin(begin, block.end)))

    def _think_apart(self) -> None:
        """Thinking after which the model said nothing."""
        if self.thought:
            origin = self.thought[0].origin
            self.messages.append(
                Message(index=len(self.messages), role="assistant", parts=tuple(self.thought), origin=origin)
            )
            self.thought = []

    def _text(self, begin: int, end: int) -> Text:
        begin, end = self.page.lines(begin, end)
        return self.page.text(begin, end, "indented")

    def _person(self, block: _Block) -> None:
        self._think_apart()
        first = block.lines[0]
        mark = len(first.text.encode()) - len(_after_mark(first.text).encode())
        begin = first.begin + max(0, mark) if not self.page.forms else first.begin
        text = self._text(begin, block.lines[-1].end) if not self.page.forms else Text(_words(block))
        parts: list[Part] = []
        if not text.blank():
            parts.append(TextPart(text=text, origin=self.page.origin(block.begin, block.lines[-1].end)))
        stopped = _stopped(block)
        if block.results:
            shown = self._results(block)
            if not _STOPPED.match(shown.head):
                place = self.page.origin(block.results[0].begin, block.results[-1].end)
                parts.append(TextPart(text=shown, synthetic=True, origin=place))
        self._add("user", parts, block)
        if stopped:
            self._interrupted(block)

    def _interrupted(self, block: _Block) -> None:
        """The person stopped the model before it said anything, or anything more: in the words that sessions use for it."""
        place = self.page.origin(block.results[0].begin, block.results[-1].end)
        words = Text("[Request interrupted by user]")
        self.messages.append(
            Message(
                index=len(self.messages),
                role="user",
                parts=(TextPart(text=words, synthetic=True, origin=place),),
                origin=place,
            )
        )

    def _results(self, block: _Block) -> Text:
        text = self._text(block.results[0].begin, block.results[-1].end)
        if _FOLDED.search(text.ends()):
            self.folded += 1
            if self.first_fold is None:
                self.first_fold = block.results[0].begin
        return text

    def _model(self, block: _Block) -> None:
        page = self.page
        self.gemini = self.gemini or block.lines[0].text.startswith("✦")
        joined = self._unwrapped(block)
        called = _called(joined, has_result=bool(block.results))
        parts, self.thought = self.thought, []
        if called is None:
            begin, end = page.lines(block.begin, block.lines[-1].end)
            text = _unmarked(page, begin, end)
            parts.append(TextPart(text=text, origin=page.origin(begin, end)))
            error = None
            if block.results:
                shown = self._results(block)
                shown_at = page.origin(block.results[0].begin, block.results[-1].end)
                if _stopped(block):
                    error = Trouble(name="MessageAbortedError", text=shown.end().strip()[-200:])
                if not _STOPPED.match(shown.head):
                    parts.append(TextPart(text=shown, synthetic=True, origin=shown_at))
            self._add("assistant", parts, block, error)
            return
        name, arguments = called
        output = self._results(block) if block.results else None
        refused = output is not None and _REFUSED.match(output.head) is not None
        running = output is None or _RUNNING.match(output.head) is not None
        place = page.origin(block.results[0].begin, block.results[-1].end) if block.results else None
        call = shown_call(
            name=name,
            input=Text(json.dumps(arguments, ensure_ascii=False)),
            client="claude-code",
            output=output,
            failed=refused or (output is not None and _FAILED.match(output.head) is not None),
            status="running" if running else None,
            origin=page.origin(block.begin, block.end),
            result_origin=place,
        )
        stopped = _stopped(block)
        ended = stopped and output is not None and _ENDED.match(output.head) is not None
        parts.append(msgspec.structs.replace(call, interrupted=call.interrupted or (stopped and not ended)))
        self._add("assistant", parts, block)
        if ended:
            self._interrupted(block)

    def _unwrapped(self, block: _Block) -> str:
        """The words of a block with the window's line ends undone: a line that fills the window goes on."""
        result = _COST.sub("", _after_mark(block.lines[0].text)).rstrip()
        if result.count("(") > result.count(")"):
            # The mark of a call that runs, put at the end of its first line.
            result = result.removesuffix("…")
        previous = block.lines[0].text
        for line in block.lines[1:]:
            text = re.sub(r"^[ \xa0]{1,6}", "", line.text)
            if not text.strip() and not result.strip():
                continue
            full = len(previous.rstrip()) >= self.width - 20
            result += (" " if full and text.strip() else "\n") + text
            previous = line.text
        return result.rstrip()

    def _box(self, block: _Block) -> None:
        """A box on the screen: a call of Gemini CLI, or something the client shows."""
        page = self.page
        first = next((line.text.strip() for line in block.lines if line.text.strip(" ╭╮─")), "")
        found = _GEMINI.match(first)
        if found is None:
            text = page.text(block.begin, block.end)
            part = TextPart(text=text, synthetic=True, origin=page.origin(block.begin, block.end))
            if self.messages:
                last = self.messages.pop()
                self.messages.append(
                    Message(
                        index=last.index,
                        role=last.role,
                        parts=(*last.parts, part),
                        error=last.error,
                        origin=last.origin,
                    )
                )
            else:
                self._add("system", [part], block)
            return
        self.gemini = True
        inner = [line for line in block.lines if line.text.strip(" ╭╮╰╯─│")][1:]
        output = "\n".join(
            re.sub(r"^ ?│ {0,4}", "", line.text).rstrip().removesuffix("│").rstrip() for line in inner
        )
        name, rest = found["name"], found["rest"].rstrip().removesuffix("│").rstrip()
        arguments: dict[str, object] = {"input": rest}
        if name == "Shell":
            command = _GEMINI_SHELL.match(rest)
            arguments = {"command": command["command"] if command is not None else rest}
        elif name in ("ReadFile", "Edit", "WriteFile", "ReadFolder"):
            arguments = {"file_path": re.split(r" (?:=>|→) |: ", rest)[0]}
        origin = page.origin(block.begin, block.end)
        call = shown_call(
            name={
                "Shell": "run_shell_command",
                "ReadFile": "read_file",
                "WriteFile": "write_file",
                "Edit": "replace",
            }.get(name, name),
            input=Text(json.dumps(arguments, ensure_ascii=False)),
            client=None,
            output=Text(output) if inner else None,
            failed=first.lstrip("│ ").startswith("x "),
            origin=origin,
        )
        self._add("assistant", [call], block)


def _stopped(block: _Block) -> bool:
    """Whether one of the results is the client's note that the person interrupted."""
    return any(
        mark is not None and _STOPPED.match(line.text[mark.end() :]) is not None
        for line in block.results
        if (mark := _RESULT.match(line.text)) is not None
    )


def _after_mark(text: str) -> str:
    found = _MODEL.match(text) or _PERSON.match(text) or _SHELL_MODE.match(text)
    return text[found.end() :] if found is not None else text


def _words(block: _Block) -> str:
    lines = [_after_mark(block.lines[0].text), *(line.text for line in block.lines[1:])]
    return "\n".join([lines[0], *(re.sub(r"^[ \xa0]{1,5}", "", line).rstrip() for line in lines[1:])]).strip()


def _unmarked(page: Page, begin: int, end: int) -> Text:
    """A text whose first line begins with a mark; long ones stay handles, mark and all."""
    if end - begin > 8192:
        return page.text(begin, end, "indented")
    text = page.decode(begin, end, "indented")
    return Text(_after_mark(text).strip())


def _called(words: str, *, has_result: bool) -> tuple[str, dict[str, object]] | None:
    """Name and input of the call that the words of a block show; ``None`` for prose."""
    line = words.strip().rstrip("…").strip()
    if line in _BARE:
        return _BARE[line], {}
    found = _CALL.match(line)
    if found is None or not (found["name"] in _KNOWN or "(MCP)" in found["name"] or has_result):
        return None
    if found["name"] not in _KNOWN and "(MCP)" not in found["name"] and "\n\n" in line:
        return None
    name = _KNOWN.get(found["name"], found["name"])
    rest = found["rest"]
    arguments: dict[str, object] = {}
    asked = _TIMEOUT.search(rest)
    if asked is not None and name == "Bash":
        rest = rest[: asked.start()].rstrip()
        arguments["timeout"] = _span(asked["time"])
    rest = rest.removesuffix(")").removesuffix("…").strip()
    if name == "Bash":
        return name, {
            "command": rest.removesuffix(")") if asked is not None and rest.endswith("))") else rest,
            **arguments,
        }
    if name in ("Read", "Write", "Edit", "MultiEdit", "NotebookEdit", "LS"):
        named = re.match(r'(?:file_path|path|notebook_path): "?([^"\n]+)"?', rest)
        return name, {"file_path": named[1].strip() if named is not None else rest}
    if name == "WebFetch":
        return name, {"url": rest}
    if name == "Task":
        return name, {"description": rest}
    pairs = {key: quoted or bare for key, quoted, bare in _PAIR.findall(rest)}
    return name, pairs or {"input": rest}


def _span(text: str) -> int:
    scale = {"h": 3_600_000, "m": 60_000, "s": 1_000}
    return round(
        sum(float(number) * scale[unit] for number, unit in re.findall(r"(\d+(?:\.\d+)?)([hms])", text))
    )


def _blocks(lines: list[_Line]) -> tuple[list[_Line], list[_Block]]:
    """Lines before the first mark, and what each mark opens. A line without a mark goes on with what is open."""
    before: list[_Line] = []
    blocks: list[_Block] = []
    for line in lines:
        kind = _kind(line.text)
        block = blocks[-1] if blocks else None
        if kind == "box":
            # Before anybody spoke a box is the client's welcome; the input line at the end is one, too.
            if block is None:
                before.append(line)
            elif block.kind == "box" and not (
                line.text.lstrip().startswith(("╭", "┌")) and len(block.lines) > 1
            ):
                block.lines.append(line)
            else:
                blocks.append(_Block("box", [line], []))
        elif kind is not None:
            blocks.append(_Block(kind, [line], []))
        elif block is None:
            before.append(line)
        elif block.results or (_RESULT.match(line.text) and block.kind in ("model", "person", "shell")):
            block.results.append(line)
        else:
            block.lines.append(line)
    return before, blocks


def _kind(text: str) -> Kind | None:
    if _MODEL.match(text):
        return "model"
    if _PERSON.match(text):
        return "person"
    if _THINKING.match(text):
        return "thinking"
    if _BOX.match(text) or _NOTE.match(text):
        return "box"
    if _IDLE.match(text):
        return "idle"
    return "shell" if _SHELL_MODE.match(text) else None
