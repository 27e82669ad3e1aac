"""What each call did to which file: the text it took away and the text it put there, as far as the log shows it.

Tools for editing carry both texts or a patch; a shell line carries them in a heredoc, a ``sed`` script or an
``echo``. Where a call holds the whole new content, what it took away is known only when the session showed the
file before: by reading it, or by having written it.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter, OrderedDict
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from sessionlens.cache import lazy
from sessionlens.graph.events import Called, Ran
from sessionlens.model import Text
from sessionlens.shell import tools

if TYPE_CHECKING:
    from sessionlens.graph.session_graph import SessionGraph

How = Literal["edit", "write", "append", "delete", "move"]

_MOST = 64_000
"""Characters of a text that are looked at."""
_KEPT_FILES = 200
"""Files whose last known content is kept."""
_KEPT_EDITS = 20
"""Edits of a file that are kept before they are made."""
_OLD = ("oldString", "old_string", "old_str", "old_text", "oldText", "search", "old", "original", "target_content",
        "TargetContent", "find")  # fmt: skip
_NEW = ("newString", "new_string", "new_str", "new_text", "newText", "replace", "replacement", "new", "updated",
        "ReplacementContent", "insert_text", "content", "new_source")  # fmt: skip
_WHOLE = ("content", "file_text", "contents", "text", "file_content", "CodeContent", "new_source")
_NUMBERED = lazy(r"^\s{0,8}\d{1,6}(?:[:|→\t]| {2})\s?", re.MULTILINE)
_FRAME = lazy(r"<(?:content|file)>\n?(.*?)\n?</(?:content|file)>", re.DOTALL)
_REMARK = lazy(r"^\((?:End of file|File has more lines|Showing lines)[^\n]*\)$", re.MULTILINE)
_SED = lazy(
    r"^(?:(?:\d+|\$|/(?:\\.|[^/\\\n]){1,200}/)(?:,(?:\d+|\$|/(?:\\.|[^/\\\n]){1,200}/))?\s?\{?\s?)?s([^\w\s\\])((?:\\.|(?!\1).)*)\1((?:\\.|(?!\1).)*)\1",
    re.DOTALL,
)
_SED_DELETES = lazy(r"^(?:/((?:\\.|[^/])*)/|[\d,$]+)d$")


class FileChange(msgspec.Struct, frozen=True, kw_only=True):
    """One change of one file by one call."""

    event: Ran
    """The command, or the call of an editing tool as a command."""
    path: str
    """The file as the call names it, with ``/``."""
    how: How
    """``write`` replaces the whole content, ``append`` adds at the end."""
    removed: str = ""
    """The text that went, as far as the log shows it; for a write, the lines that the file had and now lacks."""
    added: str = ""
    """The text that came; for a write over a known file, the lines that it had not."""
    shown: bool
    """Whether the log shows what was changed. Where it does not, both texts are empty."""
    new_file: bool = False
    """Whether the session shows, or the tool says, that there was no such file before."""

    @property
    def seq(self) -> int:
        """Position on the line of events."""
        return self.event.seq


class MadePaths:
    """Paths of new files. One that is named from another folder, or in full, is the same file."""

    def __init__(self) -> None:
        self._by_name: dict[str, set[str]] = {}

    def add(self, path: str) -> None:
        """Take a path in; of very many of one name the first ones are kept."""
        rows = self._by_name.setdefault(posixpath.basename(path), set())
        if len(rows) < _KEPT_FILES:
            rows.add(path)

    def discard(self, path: str) -> None:
        """Leave out a path, by whatever way it was named."""
        rows = self._by_name.get(posixpath.basename(path))
        if rows is not None:
            rows -= {other for other in rows if same_path(other, path)}

    def __contains__(self, path: str) -> bool:
        return any(same_path(other, path) for other in self._by_name.get(posixpath.basename(path), ()))


def same_path(one: str, other: str) -> bool:
    """Whether two paths may be one file: equal, or the one ends in the other."""
    longer, shorter = (one, other) if len(one) >= len(other) else (other, one)
    return longer == shorter or longer.endswith(f"/{shorter.lstrip('./')}")


class _Content:
    """What a file holds: as it was shown or written, with the edits since, made when it is asked for."""

    def __init__(self, shown: str | Text) -> None:
        self._shown = shown
        self._edits: list[list[tuple[str, str]]] = []

    def edit(self, pairs: list[tuple[str, str]]) -> None:
        self._edits.append(pairs)
        if len(self._edits) >= _KEPT_EDITS:
            self._shown = self.text()

    def text(self) -> str:
        shown = self._shown
        text = shown if isinstance(shown, str) else _shown(shown.ends())[:_MOST]
        for pairs in self._edits:
            for old, new in pairs:
                text = text.replace(old, new, 1) if old else text
            text = text[:_MOST]
        self._shown, self._edits = text, []
        return text


class _Known:
    """The last known content of files, so that a rewrite can be compared; the oldest are forgotten."""

    def __init__(self) -> None:
        self._texts: OrderedDict[str, _Content] = OrderedDict()
        self.made = MadePaths()
        """Files that the session itself made."""

    def put(self, path: str, text: str | Text) -> None:
        """Take in a content, or the result of a tool that read the file: most files are never asked for again."""
        self._texts.pop(path, None)
        self._texts[path] = _Content(text[:_MOST] if isinstance(text, str) else text)
        if len(self._texts) > _KEPT_FILES:
            self._texts.popitem(last=False)

    def get(self, path: str) -> str | None:
        content = self._texts.get(path)
        return content.text() if content is not None else None

    def edit(self, path: str, pairs: list[tuple[str, str]]) -> None:
        """Take in an edit, where the content is known."""
        content = self._texts.pop(path, None)
        if content is not None:
            self._texts[path] = content
            content.edit(pairs)

    def forget(self, path: str) -> None:
        self._texts.pop(path, None)


def file_changes(graph: SessionGraph) -> Iterator[FileChange]:
    """Every change of a file that the log shows as made, in order. A call that failed changed nothing."""
    known = _Known()
    for seq in graph.index("called"):
        called = graph.events[seq]
        if not isinstance(called, Called) or called.call.status == "error":
            continue
        commands = graph.commands(called)
        if not commands:
            continue
        if called.line is None:
            yield from _by_tool(called, commands, known)
        elif "*** Begin Patch" in called.line:
            yield from _by_patch(commands, known)
        else:
            for ran in commands:
                yield from _by_line(called, ran, known)


@lru_cache(maxsize=4096)
def plain(path: str) -> str:
    """A path for comparing: with ``/``, without ``./``, the folder of the session's work left as it is."""
    cleaned = path.strip().strip("\"'`").replace("\\", "/")
    return posixpath.normpath(cleaned) if cleaned else ""


# -- editing tools ------------------------------------------------------------------------------------


def _by_tool(called: Called, commands: tuple[Ran, ...], known: _Known) -> Iterator[FileChange]:
    first = commands[0]
    if first.command.effect == "read" and called.call.output is not None:
        if first.command.target.kind == "file" and len(commands) == 1:
            known.put(_key(first), called.call.output)
        return
    if first.command.effect not in ("edit", "delete"):
        return
    arguments = called.call.arguments()
    name = tools.plain_name(called.call.name)
    for ran in commands:
        if ran.command.target.kind == "file" and ran.change:
            if ran.command.effect == "delete":
                yield _deleted(ran, known)
            elif (patch := _patch_of(ran, arguments, name)) is not None:
                yield _patched(ran, patch, known)
            else:
                yield _edited(ran, arguments, name, known)


def _shown(output: str) -> str:
    """The content of a file from the result of a reading tool: without its frame, line numbers and remarks."""
    framed = _FRAME.search(output)
    text = framed[1] if framed is not None else output.split("\n<system-reminder>", 1)[0]
    return _NUMBERED.sub("", _REMARK.sub("", text))


def _by_patch(commands: tuple[Ran, ...], known: _Known) -> Iterator[FileChange]:
    """The files of a patch that a shell line applies."""
    for ran in commands:
        if ran.command.target.kind == "file" and ran.change:
            if ran.command.effect == "delete":
                yield _deleted(ran, known)
            elif ran.command.writes is not None:
                yield _patched(ran, ran.command.writes, known)


def _key(ran: Ran) -> str:
    return plain(ran.command.target.name)


def _text(arguments: Mapping[str, Any], keys: tuple[str, ...]) -> str | None:
    return next((arguments[key][:_MOST] for key in keys if isinstance(arguments.get(key), str)), None)


def _patch_of(ran: Ran, arguments: Mapping[str, Any], name: str) -> str | None:
    """The part of a patch that is about this file; ``None`` for an edit that is no patch."""
    if "patch" in name or "diff" in name or "diff" in arguments or "patch" in arguments:
        return ran.command.writes or ""
    return None


def _patched(ran: Ran, patch: str, known: _Known) -> FileChange:
    lines = patch[:_MOST].splitlines()
    removed = "\n".join(line[1:] for line in lines if line.startswith("-") and not line.startswith("---"))
    added = "\n".join(line[1:] for line in lines if line.startswith("+") and not line.startswith("+++"))
    known.forget(_key(ran))
    return FileChange(
        event=ran,
        path=ran.command.target.name,
        how="edit",
        removed=removed,
        added=added,
        shown=bool(removed or added),
        new_file=not removed and _key(ran) in known.made,
    )


def _edited(ran: Ran, arguments: Mapping[str, Any], name: str, known: _Known) -> FileChange:
    pairs = list(_pairs(arguments, ran))
    path = _key(ran)
    if pairs:
        known.edit(path, pairs)
        removed, added = "\n".join(old for old, _ in pairs), "\n".join(new for _, new in pairs)
        return FileChange(
            event=ran,
            path=ran.command.target.name,
            how="edit",
            removed=removed,
            added=added,
            shown=bool(removed or added),
            new_file=path in known.made,
        )
    whole = _text(arguments, _WHOLE)
    if whole is None:
        return FileChange(event=ran, path=ran.command.target.name, how="edit", shown=False)
    # Clients let a file be written over only after it was read, so one that was never shown is a new one.
    creates = not name.startswith(("edit", "update", "overwrite", "replace"))
    return _rewritten(ran, whole, known, creates=creates)


def _pairs(arguments: Mapping[str, Any], ran: Ran) -> Iterator[tuple[str, str]]:
    """Old and new text of an edit, or of each edit of several."""
    several = arguments.get("edits") or arguments.get("replacements") or arguments.get("operations")
    rows = several if isinstance(several, list) else [arguments]
    for row in rows[:200]:
        if not isinstance(row, Mapping):
            continue
        about = next((row[key] for key in ("path", "filePath", "file_path") if key in row), None)
        if several and isinstance(about, str) and plain(about) != _key(ran):
            continue
        old, new = _text(row, _OLD), _text(row, _NEW)
        if old is not None:
            yield old, new or ""
        elif several and new:
            yield "", new


def _rewritten(ran: Ran, whole: str, known: _Known, *, creates: bool = False) -> FileChange:
    """A file written whole, against what it held before where the session shows that."""
    path, text = _key(ran), whole[:_MOST]
    before = known.get(path)
    own = path in known.made
    known.put(path, text)
    if before is None:
        if creates:
            known.made.add(path)
        return FileChange(
            event=ran,
            path=ran.command.target.name,
            how="write",
            added=text,
            shown=True,
            new_file=creates or own,
        )
    removed, added = difference(before, text)
    return FileChange(
        event=ran,
        path=ran.command.target.name,
        how="write",
        removed=removed,
        added=added,
        shown=True,
        new_file=own,
    )


def difference(before: str, after: str) -> tuple[str, str]:
    """Lines that only the one or only the other text has, each in order; how often a line stands there counts."""
    old, new = before.splitlines(), after.splitlines()
    gone = Counter(line.strip() for line in old)
    gone.subtract(line.strip() for line in new)
    came = Counter({line: -number for line, number in gone.items() if number < 0})
    return "\n".join(_only(old, gone)), "\n".join(_only(new, came))


def _only(lines: list[str], left: Counter[str]) -> Iterator[str]:
    for line in lines:
        bare = line.strip()
        if bare and left[bare] > 0:
            left[bare] -= 1
            yield line


def _deleted(ran: Ran, known: _Known) -> FileChange:
    path = _key(ran)
    before = known.get(path) or ""
    known.forget(path)
    own = path in known.made
    known.made.discard(path)
    return FileChange(
        event=ran, path=ran.command.target.name, how="delete", removed=before, shown=True, new_file=own
    )


# -- shell lines --------------------------------------------------------------------------------------


def _by_line(called: Called, ran: Ran, known: _Known) -> Iterator[FileChange]:
    command = ran.command
    words = command.words
    program = command.program
    if command.effect == "read":
        if (
            (
                program in ("cat", "bat")
                and command.target.kind == "file"
                and len(words) == 2
                and called.call.output is not None
            )
            and called.line is not None
            and called.line.strip() == " ".join(words)
        ):
            known.put(_key(ran), called.call.output.ends())
        return
    if not ran.change or (command.target.host is not None and command.target.kind != "file"):
        return
    if command.effect == "delete" and (command.target.kind == "file" or program == "git"):
        for path in _named(words, program):
            own = plain(path) in known.made
            known.forget(plain(path))
            yield FileChange(
                event=ran,
                path=path,
                how="delete",
                removed="",
                shown=True,
                new_file=own,
            )
        return
    if command.effect == "edit" and words[:2] == ("git", "mv"):
        for path in list(_named(words, program))[:-1]:
            own = plain(path) in known.made
            known.forget(plain(path))
            yield FileChange(event=ran, path=path, how="move", shown=True, new_file=own)
        return
    if command.effect != "edit" or command.target.kind != "file" or not command.target.name:
        return
    if program in ("sed", "gsed") or (program == "perl" and any(_SED.match(word) for word in words[1:])):
        yield _by_sed(ran, known)
    elif program in ("mv", "cp"):
        if program == "mv":
            for path in list(_named(words, program))[:-1]:
                own = plain(path) in known.made
                known.forget(plain(path))
                yield FileChange(event=ran, path=path, how="move", shown=True, new_file=own)
        yield FileChange(event=ran, path=command.target.name, how="edit", shown=False)
    elif pairs := _replaced(program, ran):
        known.forget(_key(ran))
        yield FileChange(
            event=ran,
            path=command.target.name,
            how="edit",
            removed="\n".join(old for old, _ in pairs),
            added="\n".join(new for _, new in pairs),
            shown=True,
            new_file=_key(ran) in known.made,
        )
    elif command.writes is not None:
        text = _whole_heredoc(called, ran) or command.writes
        if _appends(called, ran):
            known.forget(_key(ran))
            yield FileChange(
                event=ran,
                path=command.target.name,
                how="append",
                added=text[:_MOST],
                shown=True,
                new_file=_key(ran) in known.made,
            )
        else:
            yield _rewritten(ran, text, known)
    else:
        known.forget(_key(ran))
        yield FileChange(
            event=ran,
            path=command.target.name,
            how="edit",
            shown=False,
            new_file=_key(ran) in known.made,
        )


_QUOTED = r"(?:'((?:[^'\\\n]|\\.){1,400})'|\"((?:[^\"\\\n]|\\.){1,400})\")"
_REPLACES = lazy(
    rf"\.(?:replace|replaceAll|gsub!?|sub!?)\(\s{{0,9}}r?{_QUOTED}\s{{0,9}},\s{{0,9}}r?{_QUOTED}"
)


def _replaced(program: str, ran: Ran) -> list[tuple[str, str]]:
    """What a program in a scripting language puts in the place of what, where it says so to the letter."""
    if not program.startswith(("python", "node", "ruby", "perl", "deno", "bun")):
        return []
    script = ran.command.writes or " ".join(ran.command.words[1:4])
    return [
        (_plain_script(old), _plain_script(new))
        for groups in _REPLACES.findall(script[:_MOST])
        if (old := groups[0] or groups[1]) and (new := groups[2] or groups[3])
    ][:50]


def _named(words: tuple[str, ...], program: str) -> Iterator[str]:
    """The files that a deleting command names."""
    rest = words[2:] if program == "git" else words[1:]
    found = [word for word in rest if not word.startswith("-")]
    if program == "find":
        found = found[:1]
    yield from found[:50]


def _by_sed(ran: Ran, known: _Known) -> FileChange:
    """The old and new text of substitutions of a ``sed`` script; patterns are given as written."""
    known.forget(_key(ran))
    removed, added = [], []
    for word in ran.command.words[1:]:
        found = _SED.match(word)
        if found is not None:
            removed.append(_plain_script(found[2]).removeprefix("^").removesuffix("$"))
            added.append(_plain_script(found[3]))
        elif (gone := _SED_DELETES.match(word)) is not None and gone[1]:
            removed.append(gone[1])
    return FileChange(
        event=ran,
        path=ran.command.target.name,
        how="edit",
        removed="\n".join(removed),
        added="\n".join(added),
        shown=bool(removed or added),
        new_file=_key(ran) in known.made,
    )


_REDIRECT = 80
"""Characters after a command's words in which its redirection stands."""


def _plain_script(piece: str) -> str:
    """A piece of a ``sed`` script with its escapes resolved."""
    return re.sub(r"\\(.)", r"\1", piece.replace("\\n", "\n").replace("\\t", "\t"))


def _appends(called: Called, ran: Ran) -> bool:
    piece = (called.line or "")[ran.command.span[0] : ran.command.span[1] + _REDIRECT]
    return ">>" in re.split(r"\n|&&|;", piece, maxsplit=1)[0] or (
        ran.command.words[:1] == ("tee",)
        and any(word in ("-a", "--append") for word in ran.command.words[1:3])
    )


def _whole_heredoc(called: Called, ran: Ran) -> str | None:
    """The text of a heredoc beyond what the command keeps of it; only where the line holds just one."""
    if called.line is None or called.line.count("<<") != 1 or ran.command.writes is None:
        return None
    at = called.line.find(ran.command.writes[:200])
    if at < 0:
        return None
    text = called.line[at : at + _MOST]
    return re.sub(r"\n\s*\w+\s*$", "\n", text)
