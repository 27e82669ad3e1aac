"""The whole session as rows to show: what a message holds, worded and cut for reading, with the long texts apart.

A row is data. The plain page renders rows with a template; above :data:`PLAIN` messages the same rows travel as
deflated chunks that the page's script shows, so both say the same.
"""

from __future__ import annotations

import base64
import difflib
import hashlib
import zlib
from collections.abc import Callable, Container, Iterator, Mapping
from itertools import pairwise
from typing import Any, Literal

import msgspec

from sessionlens.model import (
    Call,
    Changed,
    Compaction,
    File,
    Message,
    Reasoning,
    Session,
    Subtask,
    Text,
    TextPart,
    Unread,
)
from sessionlens.narrative import words
from sessionlens.narrative.places import Places
from sessionlens.narrative.views import Narrative, Note
from sessionlens.report.markup import hidden, visible

PLAIN = 1000
"""Below this many messages the transcript is plain HTML."""
CHUNK = 250
"""Messages in one chunk of a long transcript."""
FOLD_LINES = 14
"""Longer outputs are folded."""
FOLD = 1600
"""Outputs with more characters are folded."""
ROOM = 400_000
"""Characters of text that the plain part of a page may hold; beyond it the longest texts are deflated."""

BRIEF = 160
"""What a client wrote is folded beyond so many characters."""
ENDS = 2_000
"""Characters of each end of a deflated text that stand in the page as they are."""
POINTER = "\x01"
"""Begins a line of a packed text that stands for lines of an earlier one."""
TELLING = 12
"""Shorter lines are not looked up: they stand everywhere."""
WORTH = 120
"""Characters that a pointer must save."""
KEPT = 32_000_000
"""Characters of texts that later ones may point into."""

Mode = Literal["markdown", "plain", "output", "diff", "code"]


class Piece(msgspec.Struct, frozen=True, kw_only=True):
    """A text of a message as it is shown."""

    mode: Mode
    """How it is read."""
    text: str
    """What is shown at once: the whole, or its beginning and end around a mark."""
    lines: tuple[tuple[str, str], ...] = ()
    """For a diff: sign and line."""
    folded: str = ""
    """What a fold is called: ``output, 240 lines``; empty when shown open."""
    packed: str = ""
    """The whole text, deflated and in base64, when :attr:`text` shows its ends only; empty when the same text
    stands packed before."""
    pack: str = ""
    """Name within the page of the packed text; empty when :attr:`text` is the whole."""
    left_out: int = 0
    """Characters that :attr:`text` leaves out."""
    hidden: int = 0
    """Control sequences that cannot be shown."""


class Block(msgspec.Struct, frozen=True, kw_only=True):
    """One part of a message."""

    kind: Literal["text", "reasoning", "call", "client", "gap", "error"]
    """How it is set."""
    label: str = ""
    """What stands above it."""
    tool: str = ""
    """For a call: the family of its tool, for its sign."""
    status: str = ""
    """For a call: how it ended, in words."""
    bad: bool = False
    """It ended badly: error, cut off, interrupted."""
    pieces: tuple[Piece, ...] = ()
    """Its texts in order."""
    anchor: str = ""
    """Name within the page, for calls."""
    child: str = ""
    """For a call: id of the session it started."""


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """A message, or the beginning or end of a child session."""

    kind: Literal["message", "rest", "open", "close"]
    """What it is; ``rest`` goes on with a message that a child session stood in."""
    anchor: str = ""
    """Name within the page."""
    label: str = ""
    """Id or position of the message."""
    id: str = ""
    """The log's id of the message."""
    who: str = ""
    """Person, Assistant, …"""
    role: str = ""
    """The role as a class name."""
    when: str = ""
    """Time of day and distance from the start."""
    line: int | None = None
    """1-based line of the log."""
    about: str = ""
    """Model, agent, finish, tokens."""
    tags: tuple[str, ...] = ()
    """What filters go by: finding, cut, change, check, person, error."""
    blocks: tuple[Block, ...] = ()
    """What it holds."""
    notes: tuple[Note, ...] = ()
    """Margin notes."""
    depth: int = 0
    """0 in the audited session, 1 in its children …"""
    title: str = ""
    """For a child session: what it is."""
    unfinished: bool = False
    """Its last block is a call that a child session stands in; the rest of the message follows."""


def rows(
    session: Session,
    narrative: Narrative | None,
    *,
    limit: int | None,
    only: frozenset[str] | None = None,
    seen: Callable[[str], object] | None = None,
    inside: bool = False,
) -> Iterator[Row]:
    """Every message in reading order; a child session stands after the message whose call started it.

    :param narrative: where the notes are from; ``None`` for rows without.
    :param limit: texts with more characters are shown by their ends and travel deflated; ``None`` for none.
    :param only: anchors of the messages to make; all when ``None``.
    :param seen: gets every text that travels deflated.
    :param inside: a child session stands inside the call that started it, and its message is cut in two.
    """
    places = Places(session)
    maker = _Maker(places, narrative, limit, session.started, seen)
    # A stack instead of recursion: the log decides how deep children nest.
    stack: list[tuple[Session, int, Iterator[Message], dict[str, Session]]] = [
        (session, 0, iter(session.messages), {child.id: child for child in session.children})
    ]
    waiting: list[list[Session | Row]] = [[]]
    while stack:
        current, depth, messages, children = stack[-1]
        if waiting[-1]:
            child = waiting[-1].pop(0)
            if isinstance(child, Row):
                yield child
                continue
            yield Row(
                kind="open",
                depth=depth + 1,
                title=f"Child session {words.label(child.title or child.id)}, "
                f"{words.counted(len(child.messages), 'message')}",
            )
            stack.append(
                (child, depth + 1, iter(child.messages), {grand.id: grand for grand in child.children})
            )
            waiting.append([])
            continue
        message = next(messages, None)
        if message is None:
            if children:
                waiting[-1].extend(children.values())
                children.clear()
                continue
            stack.pop()
            waiting.pop()
            if stack:
                yield Row(kind="close", depth=depth)
            continue
        if only is not None and places.anchor(current.id, message.index) not in only:
            continue
        row = maker.message(current, message, depth)
        pieces = list(_cut(row, children)) if inside else [row]
        yield pieces[0]
        started = [children.pop(c.child) for c in message.calls if c.child in children] if children else []
        if len(pieces) == 1:
            waiting[-1].extend(started)
        else:
            for child, piece in zip(started, pieces[1:], strict=True):
                waiting[-1] += [child, piece]


def _cut(row: Row, children: Container[str]) -> Iterator[Row]:
    """A message cut behind every call that a child session stands in."""
    seen: set[str] = set()
    cuts = []
    for at, block in enumerate(row.blocks):
        if block.child in children and block.child not in seen:
            seen.add(block.child)
            cuts.append(at + 1)
    bounds = [0, *cuts, len(row.blocks)]
    for number, (start, end) in enumerate(pairwise(bounds)):
        yield msgspec.structs.replace(
            row,
            kind="rest" if number else "message",
            blocks=row.blocks[start:end],
            unfinished=number < len(cuts),
        )


def fitting(session: Session) -> int | None:
    """The length beyond which texts are deflated, so that the plain part of a page keeps to its room.

    ``None`` when everything fits.
    """
    lengths = sorted(
        length for member in session.family() for message in member.messages for length in _lengths(message)
    )
    if sum(lengths) <= ROOM:
        return None
    for limit in (64_000, 16_000, 8_000, 4_000, 2_000):
        if sum(min(length, limit) for length in lengths) <= ROOM:
            return limit
    return 1_000


def _lengths(message: Message) -> Iterator[int]:
    for part in message.parts:
        if isinstance(part, (TextPart, Reasoning)):
            yield part.text.length
        elif isinstance(part, Call):
            yield part.input.length
            yield part.output.length if part.output is not None else 0


def pack(text: str) -> str:
    """A text deflated (raw) and in base64. Half characters become visible before."""
    squeezer = zlib.compressobj(6, zlib.DEFLATED, -15)
    data = squeezer.compress(text.encode("utf-8")) + squeezer.flush()
    return base64.b64encode(data).decode("ascii")


class Packs:
    """Long texts of one page, packed. Agents read the same files again and again: lines that stand in an earlier
    text are pointed at, as :data:`POINTER`, number of that text, first line, and count. The texts hold no control
    sign themselves, since :func:`sessionlens.report.markup.visible` has replaced them.
    """

    def __init__(self) -> None:
        self._names: dict[bytes, str] = {}
        self._lines: list[list[str]] = []
        self._first: dict[str, tuple[int, int]] = {}
        self._kept = 0

    def add(self, text: str) -> tuple[str, str]:
        """Name and packed form of a text; the form is empty where the same text was packed before."""
        digest = hashlib.sha256(text.encode("utf-8")).digest()
        known = self._names.get(digest)
        if known is not None:
            return known, ""
        name = self._names[digest] = f"pack{len(self._names)}"
        return name, pack("\n".join(self._pointed(text.split("\n"))))

    def _pointed(self, lines: list[str]) -> Iterator[str]:
        own, at = len(self._lines), 0
        keep = self._kept < KEPT
        self._lines.append(lines if keep else [])
        self._kept += sum(map(len, lines)) if keep else 0
        while at < len(lines):
            spot = self._first.get(lines[at])
            count = self._alike(lines, at, spot) if spot is not None and spot[0] != own else 0
            if spot is not None and count:
                yield f"{POINTER}{spot[0]} {spot[1]} {count}"
                at += count
                continue
            if keep and len(lines[at]) >= TELLING:
                self._first.setdefault(lines[at], (own, at))
            yield lines[at]
            at += 1

    def _alike(self, lines: list[str], at: int, spot: tuple[int, int]) -> int:
        """How many lines from here on stand at the spot too; 0 when it is not worth a pointer."""
        theirs, start = self._lines[spot[0]], spot[1]
        count = size = 0
        while (
            at + count < len(lines)
            and start + count < len(theirs)
            and lines[at + count] == theirs[start + count]
        ):
            size += len(lines[at + count])
            count += 1
        return count if size >= WORTH else 0


_WHO = {"user": "Person", "assistant": "Assistant", "system": "Client", "unknown": "Role unknown"}
_USUAL = frozenset({"stop", "tool-calls", "tool_use", "end_turn", "tool_calls"})
_SHELL = frozenset(
    {"bash", "shell", "exec_command", "local_shell", "run_command", "execute", "terminal", "command"}
)
_WRITES = frozenset(
    {"edit", "write", "multiedit", "patch", "apply_patch", "str_replace", "create_file", "write_file", "str_replace_editor",
     "notebookedit", "replace"}
)  # fmt: skip
_READS = frozenset({"read", "grep", "glob", "list", "ls", "webfetch", "read_file", "search", "view"})


def family_of(name: str) -> str:
    """The family of a tool, for its sign: shell, write, read, task, other."""
    lower = name.lower()
    if lower in _SHELL:
        return "shell"
    if lower in _WRITES:
        return "write"
    if lower in _READS:
        return "read"
    return "task" if lower in ("task", "agent", "subtask") else "other"


class _Maker:
    """Makes rows of messages."""

    def __init__(
        self,
        places: Places,
        narrative: Narrative | None,
        limit: int | None,
        started: int | None,
        seen: Callable[[str], object] | None,
    ) -> None:
        self._places, self._limit = places, limit
        self._notes: Mapping[str, tuple[Note, ...]] = narrative.notes if narrative is not None else {}
        self._started, self._seen = started, seen
        self._about = ""
        self._model: tuple[str | None, str | None] = (None, None)
        self._packs = Packs()

    def message(self, session: Session, message: Message, depth: int) -> Row:
        """One message."""
        anchor = self._places.anchor(session.id, message.index) or f"x{message.index}"
        notes = self._notes.get(anchor, ())
        blocks: list[Block] = []
        for part in message.parts:
            blocks.extend(self._part(part, f"{anchor}c{len(blocks)}"))
        if message.error is not None:
            blocks.append(
                Block(
                    kind="error",
                    label=words.label(message.error.name),
                    pieces=(self._piece(Text(message.error.text), "plain"),) if message.error.text else (),
                )
            )
        human = message.human and depth == 0
        who = "Task prompt" if message.human and depth else _WHO[message.role]
        if message.role == "user" and not message.human:
            who = "Client"
        return Row(
            kind="message",
            anchor=anchor,
            label=self._places.label(session.id, message.index),
            id=message.id or "",
            who=who,
            role="person" if human else message.role if message.role != "user" else "client",
            when=self._when(message),
            line=message.origin.line,
            about=self._new(message),
            tags=_tags(message, notes, human),
            blocks=tuple(blocks),
            notes=notes,
            depth=depth,
        )

    def _new(self, message: Message) -> str:
        """What is unusual of a message; model and agent only where they change."""
        shown = ""
        if (message.model, message.agent) != self._model:
            self._model = message.model, message.agent
            by = words.columns((words.label(message.model or ""), words.label(message.agent or "")))
            shown = by if by and by != self._about else ""
            self._about = by or self._about
        finish = message.finish or ""
        odd = f"finished: {words.label(finish)}" if finish and finish not in _USUAL else ""
        marks = [
            text
            for text, holds in (
                ("no tokens written", message.tokens_out == 0),
                ("summary of a compaction", message.summary),
                ("undone later", message.reverted),
            )
            if holds
        ]
        return words.columns((shown, odd, *marks))

    def _when(self, message: Message) -> str:
        if message.time is None:
            return ""
        text = words.moment(message.time)
        if self._started is not None and message.time >= self._started:
            text += (
                f", {words.duration(message.time - self._started)} in" if message.time > self._started else ""
            )
        return text

    def _piece(self, text: Text, mode: Mode, name: str = "") -> Piece:
        limit = self._limit
        if limit is not None and text.length > limit:
            whole = text.whole()
            half = min(limit // 5, ENDS)
            whole_fit = visible(whole)
            name_of_pack, packed = self._packs.add(whole_fit)
            if packed and self._seen is not None:
                self._seen(whole_fit)
            shown = f"{whole[:half]}\n…\n{whole[-half:]}"
            return Piece(
                mode="output" if mode == "output" else "plain",
                text=shown,
                folded=_fold_name(name or "text", whole),
                packed=packed,
                pack=name_of_pack,
                left_out=len(whole) - 2 * half,
                hidden=hidden(whole) if mode == "output" else 0,
            )
        whole = text.whole()
        long = len(whole) > FOLD or whole.count("\n") > FOLD_LINES
        fold = mode in ("output", "code", "plain") and bool(name) and long
        return Piece(
            mode=mode,
            text=whole,
            folded=_fold_name(name, whole) if fold else "",
            hidden=hidden(whole) if mode == "output" else 0,
        )

    def _part(self, part: Any, anchor: str) -> Iterator[Block]:
        if isinstance(part, TextPart):
            if part.synthetic:
                piece = self._piece(part.text, "plain", "written by the client")
                if not piece.folded and (part.text.length > BRIEF or "\n" in part.text.head.strip()):
                    piece = msgspec.structs.replace(
                        piece, folded=_fold_name("written by the client", piece.text)
                    )
                label = "" if piece.folded else "Written by the client"
                yield Block(kind="client", label=label, pieces=(piece,))
            elif not part.text.blank():
                yield Block(kind="text", pieces=(self._piece(part.text, "markdown"),))
        elif isinstance(part, Reasoning):
            if not part.text.blank():
                piece = self._piece(part.text, "plain", "reasoning")
                if not piece.folded:
                    piece = msgspec.structs.replace(piece, folded=_fold_name("reasoning", piece.text))
                yield Block(kind="reasoning", label="Reasoning", pieces=(piece,))
        elif isinstance(part, Call):
            yield self._call(part, anchor)
        elif isinstance(part, Unread):
            yield Block(kind="gap", label=f"Not readable: {words.label(part.reason)}")
        elif isinstance(part, Compaction):
            yield Block(kind="client", label="The client was asked to summarise the conversation")
        elif isinstance(part, Subtask):
            yield Block(
                kind="client",
                label=f"Handed to a subagent {words.label(part.agent or '')}".strip(),
                pieces=(self._piece(part.prompt, "plain", "prompt"),),
            )
        elif isinstance(part, File):
            named = words.columns((words.label(part.name or ""), words.label(part.mime or "")))
            yield Block(kind="client", label=f"Attachment {named}".strip())
        elif isinstance(part, Changed):
            listed = words.listing(words.label(name) for name in part.files[:20])
            more = f" and {len(part.files) - 20} more" if len(part.files) > 20 else ""
            yield Block(kind="client", label=f"Files changed in this step: {listed}{more}")

    def _call(self, call: Call, anchor: str) -> Block:
        pieces = list(self._input(call))
        if call.output is not None and call.output:
            mode: Mode = "diff" if _is_diff(call.output.head) else "output"
            if mode == "diff" and not (self._limit is not None and call.output.length > self._limit):
                whole = call.output.whole()
                pieces.append(
                    Piece(
                        mode="diff",
                        text="",
                        lines=_unified(whole),
                        folded=_fold_name("output", whole) if whole.count("\n") > FOLD_LINES else "",
                    )
                )
            else:
                pieces.append(self._piece(call.output, "output", "output"))
        if call.error is not None and call.error:
            pieces.append(self._piece(call.error, "output", "error"))
        status, bad = _status(call)
        return Block(
            kind="call",
            label=words.label(call.name) or "call",
            tool=family_of(call.name),
            status=status,
            bad=bad,
            pieces=tuple(pieces),
            anchor=anchor,
            child=call.child or "",
        )

    def _input(self, call: Call) -> Iterator[Piece]:
        arguments = call.arguments()
        command = arguments.get("command", arguments.get("cmd"))
        if isinstance(command, list) and all(isinstance(word, str) for word in command):
            command = " ".join(command)
        if family_of(call.name) == "shell" and isinstance(command, str):
            yield self._piece(Text(command), "code", "command")
            rest = {key: value for key, value in arguments.items() if key not in ("command", "cmd")}
            if rest:
                yield self._piece(Text(_pairs(rest)), "plain", "further input")
            return
        if family_of(call.name) == "write":
            changed = _changed(arguments)
            if changed is not None:
                path, lines = changed
                if path:
                    yield Piece(mode="plain", text=words.clip(path, 1000))
                total = "\n".join(line for _, line in lines)
                if self._limit is not None and len(total) > self._limit:
                    yield self._piece(Text("\n".join(f"{s}{line}" for s, line in lines)), "plain", "change")
                else:
                    fold = f"change, {words.counted(len(lines), 'line')}" if len(lines) > 40 else ""
                    yield Piece(mode="diff", text="", lines=tuple(lines), folded=fold)
                return
        if call.input and call.input.head.strip() not in ("{}", ""):
            short = arguments and all(isinstance(v, (str, int, float, bool)) for v in arguments.values())
            if short and call.input.length <= FOLD:
                yield Piece(mode="plain", text=_pairs(arguments))
            else:
                yield self._piece(call.input, "code", "input")


def _pairs(arguments: dict[str, Any]) -> str:
    return "\n".join(
        f"{key}: {value if isinstance(value, str) else msgspec.json.encode(value).decode()}"
        for key, value in arguments.items()
    )


def _fold_name(name: str, text: str) -> str:
    lines = text.count("\n") + 1
    count = f"{lines:,} lines, " if lines > 1 else ""
    return f"{name}, {count}{words.size(len(text))}"


def _tags(message: Message, notes: tuple[Note, ...], human: bool) -> tuple[str, ...]:
    calls = message.calls
    tags = []
    if any(call.timed_out for call in calls):
        tags.append("cut")
    if human:
        tags.append("person")
    if message.error is not None or any(call.status == "error" or call.exit for call in calls):
        tags.append("error")
    return with_notes(tuple(tags), notes)


_TAGS = ("finding", "cut", "change", "check", "person", "error")
_OF_NOTES = {"fault": "finding", "signal": "finding", "good": "finding", "cut_off": "cut", "change": "change", "check": "check", "closed": "check"}  # fmt: skip
"""Filter tags by the kind of note that brings them."""


def with_notes(tags: tuple[str, ...], notes: tuple[Note, ...]) -> tuple[str, ...]:
    """The filter tags of a message and those that its notes bring."""
    brought = {_OF_NOTES[note.kind] for note in notes if note.kind in _OF_NOTES}
    return tuple(tag for tag in _TAGS if tag in brought or tag in tags) if brought else tags


def _status(call: Call) -> tuple[str, bool]:
    pieces, bad = [], False
    if call.timed_out:
        limit = f" at {words.duration(call.limit_ms)}" if call.limit_ms is not None else ""
        pieces.append(f"cut off{limit}")
        bad = True
    elif call.interrupted:
        pieces.append("interrupted")
        bad = True
    elif call.status in ("pending", "running"):
        pieces.append("no result in the log")
        bad = True
    elif call.status == "error":
        pieces.append("error")
        bad = True
    if call.exit is not None:
        pieces.append(f"exit {call.exit}")
        bad = bad or call.exit != 0
    if call.background:
        pieces.append("in the background")
    if call.start is not None and call.end is not None and call.end >= call.start:
        pieces.append(words.duration(call.end - call.start))
    if call.truncated:
        pieces.append("output shortened by the client")
    if call.spilled:
        pieces.append(f"full output in {words.clip(words.flat(call.spilled), 80)}")
    return words.columns(pieces), bad


# -- changes of files -------------------------------------------------------------------------------

_COMPARED = 150
"""Lines between the first and the last difference that are compared line by line."""


def _changed(arguments: dict[str, Any]) -> tuple[str, list[tuple[str, str]]] | None:
    """Path and lines of an edit by any client's editing tool; ``None`` when it is no known form."""

    def text(*names: str) -> str | None:
        return next((value for name in names if isinstance(value := arguments.get(name), str)), None)

    path = text("filePath", "file_path", "path", "target_file", "filename") or ""
    patch = text("patch", "patchText", "diff") or (
        text("input") if "*** Begin" in str(arguments.get("input", "")) else None
    )
    if patch is not None:
        return path, list(_unified(patch))
    old, new = text("oldString", "old_string", "old_str"), text("newString", "new_string", "new_str")
    if new is not None:
        return path, compared(old or "", new)
    several = arguments.get("edits")
    if isinstance(several, list) and several:
        lines: list[tuple[str, str]] = []
        for edit in several[:200]:
            if isinstance(edit, dict):
                inner = _changed(edit)
                if inner is not None:
                    lines += [*([("@", "…")] if lines else []), *inner[1]]
        return (path, lines) if lines else None
    content = text("content", "contents", "file_text", "text")
    if content is not None:
        return path, [("+", line) for line in content.split("\n")]
    return None


def compared(old: str, new: str) -> list[tuple[str, str]]:
    """Two texts line by line. Where much differs they are shown as old and new, not compared: the work would
    grow faster than their length.
    """
    before = old.removesuffix("\n").split("\n") if old else []
    after = new.removesuffix("\n").split("\n") if new else []
    start = 0
    while start < min(len(before), len(after)) and before[start] == after[start]:
        start += 1
    end = 0
    while end < min(len(before), len(after)) - start and before[-1 - end] == after[-1 - end]:
        end += 1
    inner_before, inner_after = before[start : len(before) - end], after[start : len(after) - end]
    lines = [(" ", line) for line in before[:start]]
    if max(len(inner_before), len(inner_after)) > _COMPARED or set(inner_before).isdisjoint(inner_after):
        lines += [("-", line) for line in inner_before]
        lines += [("+", line) for line in inner_after]
    else:
        matcher = difflib.SequenceMatcher(a=inner_before, b=inner_after, autojunk=False)
        for operation, i, j, k, m in matcher.get_opcodes():
            if operation == "equal":
                lines += [(" ", line) for line in inner_before[i:j]]
            else:
                lines += [("-", line) for line in inner_before[i:j]]
                lines += [("+", line) for line in inner_after[k:m]]
    return lines + [(" ", line) for line in before[len(before) - end :]]


def _is_diff(head: str) -> bool:
    start = head.lstrip()[:400]
    return start.startswith(("diff --git ", "--- a/", "--- /dev/null")) or "\n@@ -" in start


def _unified(text: str) -> tuple[tuple[str, str], ...]:
    """Lines of a unified diff or of a patch with their signs."""
    lines = []
    for line in text.split("\n"):
        if line.startswith(("+++", "---", "@@", "diff ", "index ", "***")):
            lines.append(("@", line))
        elif line[:1] in ("+", "-", " "):
            lines.append((line[0], line[1:]))
        else:
            lines.append((" ", line))
    return tuple(lines)
