"""Tool calls written into prose as ``[bash] command…``, as home-made exports and articles show them.

A call begins at the start of a line or after ``: `` and names a tool that a client has. It goes to the end of
its line; of the heredoc it opens; of the quote it leaves open; or of the JSON object that is its input.
What shows its result right after it belongs to it: a fenced block, a block marked ``[output]``, or a block
that ends with a client's own note that the command was cut off or stopped. Everything else stays text.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import Literal, NamedTuple

from sessionlens.cache import lazy
from sessionlens.readers.wordings import aborted, cut_off

SHELL = frozenset(
    {
        "bash",
        "shell",
        "sh",
        "zsh",
        "terminal",
        "exec",
        "exec_command",
        "local_shell",
        "shell_command",
        "run_shell_command",
        "run_command",
        "run_terminal_cmd",
        "execute_command",
        "execute_bash",
        "container.exec",
        "powershell",
        "pwsh",
        "cmd",
        "run_in_terminal",
    }
)
"""Tools whose input is a command line, by the names that clients give them."""
READING = frozenset(
    {
        "read",
        "view",
        "grep",
        "glob",
        "list",
        "ls",
        "find",
        "search",
        "webfetch",
        "websearch",
        "codesearch",
        "fetch",
        "read_file",
        "read_many_files",
        "search_file_content",
        "list_directory",
        "todoread",
        "lsp",
        "notebookread",
    }
)
"""Tools that show what is there already: their output quotes, it says nothing about the call's own end."""
WRITING = frozenset(
    {
        "write",
        "edit",
        "multiedit",
        "multi_edit",
        "patch",
        "apply_patch",
        "create",
        "notebookedit",
        "write_file",
        "replace",
        "edit_file",
        "create_file",
        "str_replace",
        "str_replace_editor",
        "str_replace_based_edit_tool",
        "delete_file",
    }
)
"""Tools that change files."""
OTHERS = frozenset(
    {
        "task",
        "agent",
        "todowrite",
        "question",
        "skill",
        "write_stdin",
        "bashoutput",
        "killshell",
        "kill_shell",
        "update_plan",
        "plan_exit",
        "exitplanmode",
        "invalid",
        "askuserquestion",
        "slashcommand",
        "view_image",
        "web_search",
        "read_bash",
        "stop_bash",
    }
)
"""Further tools that clients have."""
TOOLS = SHELL | READING | WRITING | OTHERS
"""Names, in small letters, that open an inline call."""

_CALL = lazy(
    r"(?:(?:^|(?<=\n))(?P<indent>[ \t]{0,12}(?:[-*>][ \t]{1,4})?)|(?<=: ))"
    r"\[(?P<name>[A-Za-z][A-Za-z0-9_.-]{1,40})\](?:[ \t]+(?=\S)|(?=\{))"
)
MARK = lazy(
    r"[ \t]*(?:\[(?:tool[_ ])?(?:output|result|stdout|stderr|error)\][ \t]*:?"
    r"|(?:tool )?output:|(?:tool )?result:(?=[ \t]*(?:\n|\Z)))[ \t]*\n?",
    re.IGNORECASE,
)
"""What announces the result of the call before it."""
_FENCE = lazy(
    r"\n?[ \t]*(?P<fence>`{3,8}|~{3,8})(?:text|txt|output|console|log|shell|bash|sh|plain)?[ \t]*\n"
)
_HEREDOC = lazy(r"<<(?P<tabs>-?)[ \t]*(?P<quote>[\"']?)\\?(?P<word>[A-Za-z_][A-Za-z0-9_.-]{0,60})(?P=quote)")
_SENTENCE = lazy(r"\s*(?:The|This|That|My|Your|Our|It)\b")
"""How prose about a cut-off begins; a client's own note never does."""
_NOTE = lazy(r"(?i)tim(?:e|ed)[ -]?out|exceed|abort|interrupt|cancel")
_METADATA_END = lazy(r"(?:\n[^\n]{0,300}){0,3}?\n[ \t]*</(?:bash|shell)_metadata>[ \t]*")
_CONTINUED = lazy(r"(?:\\|&&|\|\|?)[ \t]*\Z")
_PLACES = {"read", "edit", "write", "multiedit", "view", "create", "read_file", "write_file", "list", "ls"}
_DECODER = json.JSONDecoder(strict=False)


class Inline(NamedTuple):
    """One stretch of a text: prose, a call, or the result of the call before it."""

    kind: Literal["text", "call", "result"]
    """What it is."""
    begin: int
    """First character of the stretch in the text."""
    end: int
    """Character after its last."""
    name: str = ""
    """Name of the tool, as written; for a call only."""
    inner: tuple[int, int] = (0, 0)
    """The stretch that holds the call's input, or the result without its marks."""


def find(text: str) -> list[Inline]:
    """The stretches of ``text`` in order, without gaps; one stretch of prose when it holds no call.

    Linear in the length of the text.
    """
    starts = [found for found in _CALL.finditer(text) if found["name"].lower() in TOOLS]
    result: list[Inline] = []
    unclosed: set[tuple[str, bool]] = set()
    position = 0
    for number, found in enumerate(starts):
        if found.start() < position:
            continue
        following = starts[number + 1].start() if number + 1 < len(starts) else len(text)
        end = _end(text, found, following, unclosed)
        if position < found.start():
            result.append(Inline("text", position, found.start()))
        result.append(Inline("call", found.start(), end, found["name"], (found.end(), end)))
        position = end
        if end > following:  # A heredoc or a quote held what looked like calls.
            index = bisect_left(starts, end, lo=number, key=lambda later: later.start())
            following = starts[index].start() if index < len(starts) else len(text)
        shown = _result(text, end, following)
        if shown is not None:
            result.append(shown)
            position = shown.end
    if position < len(text) or not result:
        result.append(Inline("text", position, len(text)))
    return result


def shape_input(tool: str, text: str) -> str:
    """The input of a call as JSON text: what is JSON stays, a bare command or path becomes an object.

    JSON whose strings hold raw line ends or bare quotes, as loose logs have it, is written anew.
    """
    stripped = text.strip()
    if stripped.startswith("{"):
        if _is_object(stripped):
            return text
        try:
            value, end = _DECODER.raw_decode(stripped)
        except (ValueError, RecursionError):
            value, end = None, 0
        if isinstance(value, dict) and not stripped[end:].strip():
            return json.dumps(value, ensure_ascii=False)
        command = _broken_command(stripped)
        if command is not None:
            return json.dumps({"command": command}, ensure_ascii=False)
    return json.dumps({_key(tool, stripped): stripped}, ensure_ascii=False)


def is_input(text: str) -> bool:
    """Whether a text is a JSON object as it stands."""
    stripped = text.strip()
    return stripped.startswith("{") and _is_object(stripped)


def shape_inline(tool: str, text: str) -> str:
    """The input of an inline call: its JSON object, or what follows the name as command, path or words."""
    stripped = text.strip()
    if stripped.startswith("{"):
        return shape_input(tool, stripped)
    return json.dumps({_key(tool, stripped): stripped}, ensure_ascii=False)


def _key(tool: str, value: str) -> str:
    """Name of the argument that a bare input is."""
    name = tool.lower()
    if name in SHELL:
        return "command"
    if name in _PLACES and value and not re.search(r"\s", value):
        return "filePath"
    if name in ("grep", "glob", "find"):
        return "pattern"
    if name in ("webfetch", "fetch"):
        return "url"
    if name in ("patch", "apply_patch"):
        return "patchText"
    if name in ("task", "agent"):
        return "prompt"
    return "input"


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


_COMMAND = lazy(r'\{\s*"(?:command|cmd)"\s*:\s*"')
_AFTER = lazy(r'"\s*(?:,\s*"(?:timeout|description|workdir|cwd|timeout_ms)"\s*:[^\n]*)?\}\s*\Z')


def _broken_command(text: str) -> str | None:
    """The command of an input that is no JSON because its quotes are bare."""
    opening = _COMMAND.match(text)
    if opening is None:
        return None
    # The closing quote is looked for from the end, where the other arguments stand on one line.
    begin = max(opening.end(), text.rfind("\n") + 1, len(text) - 1000)
    closing = _AFTER.search(text, begin)
    if closing is None:
        return None
    inner = text[opening.end() : closing.start()]
    return re.sub(r'\\(["\\/nt])', lambda found: {"n": "\n", "t": "\t"}.get(found[1], found[1]), inner)


def _end(text: str, found: re.Match[str], following: int, unclosed: set[tuple[str, bool]]) -> int:
    """Where an inline call ends: the character after its last."""
    begin = found.end()
    if text.startswith("{", begin):
        try:
            _, end = _DECODER.raw_decode(text[begin:following])
        except (ValueError, RecursionError):
            end = 0
        if end:
            return begin + end
    line_end = _line_end(text, begin)
    name = found["name"].lower()
    if name in ("patch", "apply_patch"):
        closing = text.find("*** End Patch", begin, following)
        if closing >= 0:
            return _line_end(text, closing)
    if name not in SHELL:
        return line_end
    return _command_end(text, begin, following, unclosed)


def _line_end(text: str, position: int) -> int:
    end = text.find("\n", position)
    return len(text) if end < 0 else end


class _Shell:
    """What a shell would still wait for after the lines read so far."""

    def __init__(self) -> None:
        self.quote = ""
        self.words: list[tuple[str, bool]] = []

    def feed(self, line: str) -> None:
        """Read one line outside of heredoc bodies."""
        position = 0
        while position < len(line):
            char = line[position]
            if self.quote == "'":
                if char == "'":
                    self.quote = ""
            elif self.quote == '"':
                if char == "\\":
                    position += 1
                elif char == '"':
                    self.quote = ""
            elif char == "\\":
                position += 1
            elif char in "'\"":
                self.quote = char
            elif char == "#" and (position == 0 or line[position - 1] in " \t;"):
                return
            elif line.startswith("<<<", position):
                position += 2
            elif char == "<" and (opened := _HEREDOC.match(line, position)):
                self.words.append((opened["word"], bool(opened["tabs"])))
                position = opened.end() - 1
            position += 1


def _command_end(text: str, begin: int, following: int, unclosed: set[tuple[str, bool]]) -> int:
    """The end of a command line: of its line, or of the heredoc, quote or continuation that it leaves open.

    ``following`` is where the next inline call begins. A quote that is still open there, or at the end of the
    text, is taken for a stray apostrophe, and the command ends with its first line. A heredoc that is never
    closed goes up to the next call; ``unclosed`` remembers its words, so that they are looked for once.
    """
    shell = _Shell()
    position = begin
    while True:
        end = _line_end(text, position)
        line = text[position:end]
        shell.feed(line)
        if shell.words and not shell.quote:
            for word, tabs in shell.words:
                closed = -1 if (word, tabs) in unclosed else _terminator(text, end + 1, word, tabs)
                if closed < 0:
                    unclosed.add((word, tabs))
                    return max(following - 1, end) if following < len(text) else len(text)
                end = closed
            shell.words.clear()
            position = end + 1
            if end >= len(text) or not shell.quote:
                return end
            continue
        waiting = bool(shell.quote) or _CONTINUED.search(line) is not None
        if not waiting:
            return end
        if end >= len(text) or end + 1 >= following:
            return _line_end(text, begin) if shell.quote else end
        position = end + 1


def _terminator(text: str, position: int, word: str, tabs: bool) -> int:
    """End of the line that closes a heredoc; -1 when none does before the text ends.

    Leading spaces are allowed: home-made exports indent what they show.
    """
    indent = r"[ \t]*" if tabs else " *"
    pattern = re.compile(rf"^{indent}{re.escape(word)}[ \t]*$", re.MULTILINE)
    found = pattern.search(text, position)
    return -1 if found is None else found.end()


def _result(text: str, begin: int, following: int) -> Inline | None:
    """The result shown right after a call, before the next call at ``following``."""
    if begin >= following or not text.startswith("\n", begin):
        return None
    marked = MARK.match(text, begin + 1, following)
    if marked is not None:
        return Inline("result", begin, following, inner=(marked.end(), following))
    fence = _FENCE.match(text, begin + 1, following)
    if fence is not None:
        closing = re.compile(rf"^[ \t]*{fence['fence']}[ \t]*$", re.MULTILINE).search(
            text, fence.end(), following
        )
        if closing is not None:
            inner = (fence.end(), max(fence.end(), closing.start() - 1))
            return Inline("result", begin, closing.end(), inner=inner)
    for end in _blocks(text, begin + 1, following):
        block = text[begin + 1 : end].strip()
        if (
            block
            and not _SENTENCE.match(block[block.rfind("\n") + 1 :])
            and (cut_off(block, output_start=block) or aborted(block, output_start=block))
        ):
            return Inline("result", begin, end, inner=(begin + 1, end))
    return None


def _blocks(text: str, begin: int, following: int) -> Iterator[int]:
    """Ends of what may be the result: up to a line that may be a client's note, and up to the next call.

    The closing line of the note's metadata block belongs to it.
    """
    for tried, note in enumerate(_NOTE.finditer(text, begin, following)):
        if tried == 8:
            break
        end = min(_line_end(text, note.end()), following)
        closing = _METADATA_END.match(text, end, following)
        yield end if closing is None else closing.end()
    yield following
