"""What the result of a call shows about each of its commands (CONTRACT §1 *check*, *open operation*).

The output of a line is one text by several commands. Who said what is decided from the strongest sign down:
markers that the line itself prints (``echo "restarting"`` after ``&&``), the exit code and what it means for
a chain, the shapes of output that only one program has (``outcomes.toml``), the program's name before a
complaint. What cannot be attributed shows nothing.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import lru_cache
from importlib.resources import files
from typing import Literal

import msgspec

from sessionlens.shell.command import CHANGES, STARTS, Command, Outcome
from sessionlens.targets import Target, effective_host

Known = Literal["yes", "no", "unknown"]
State = Literal["good", "bad", "unclear"]

READ = 8192
"""Characters of an output that are read at each of its ends."""
QUOTED = 200
"""Characters of output quoted at most."""
_MOST_LINES = 500

# -- the table ----------------------------------------------------------------------------------------


class _Row(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A row of ``outcomes.toml``; its head says what the fields mean."""

    on: tuple[str, ...]
    completed: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    nothing: tuple[str, ...] = ()
    idle: tuple[str, ...] = ()
    good: tuple[str, ...] = ()
    bad: tuple[str, ...] = ()
    unclear: tuple[str, ...] = ()
    progress: tuple[str, ...] = ()
    silent: bool = False
    last: bool = False
    careless: bool = False
    exits: dict[str, State] = {}


class _Common(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    nothing: tuple[str, ...]
    never_up: tuple[str, ...]
    wrapper: tuple[str, ...]
    failed: tuple[str, ...]
    dry: tuple[str, ...]
    rejected: tuple[str, ...]


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    common: _Common
    rule: tuple[_Row, ...]


class _Table:
    """The rows by program."""

    def __init__(self) -> None:
        text = files("sessionlens.shell").joinpath("outcomes.toml").read_text(encoding="utf-8")
        table = msgspec.convert(tomllib.loads(text), _File)
        self.common = table.common
        self.exact: dict[str, list[tuple[tuple[str, ...], _Row]]] = {}
        self.globbed: list[tuple[str, tuple[str, ...], _Row]] = []
        for row in table.rule:
            for entry in row.on:
                program, *words = entry.split()
                needed = tuple(word for word in words if word != "*")
                if "*" in program:
                    self.globbed.append((program, needed, row))
                else:
                    self.exact.setdefault(program, []).append((needed, row))


@lru_cache(maxsize=1)
def _table() -> _Table:
    return _Table()


class _Shape(msgspec.Struct, frozen=True):
    """A pattern with a piece of text that each of its matches contains, so that most need no search."""

    pattern: re.Pattern[str]
    needs: str


@lru_cache(maxsize=4096)
def _shapes(patterns: tuple[str, ...]) -> tuple[_Shape, ...]:
    return tuple(_Shape(re.compile(p, re.IGNORECASE | re.MULTILINE), _needed(p)) for p in patterns)


def _needed(pattern: str) -> str:
    """The longest literal piece outside all groups, in lower case; empty where there is none to rely on."""
    runs, run, depth, at = [""], "", 0, 0
    while at < len(pattern):
        char, step = pattern[at], 1
        literal = ""
        if char == "\\":
            step = 2
            literal = pattern[at + 1] if not pattern[at + 1].isalnum() else ""
        elif char == "[":
            step = re.compile(r"\[\^?\]?(?:\\.|[^\]\\])*\]").match(pattern, at).end() - at  # type: ignore[union-attr]
        elif char in "()":
            depth += 1 if char == "(" else -1
        elif char == "|" and depth == 0:
            return ""
        elif char not in "^$.*+?{}|":
            literal = char
        elif char == "{":
            step = pattern.index("}", at) + 1 - at
        after = pattern[at + step : at + step + 1]
        if literal and depth == 0 and after not in ("?", "*", "{"):
            run += literal
        if not literal or depth or after in ("?", "*", "{", "+"):
            runs.append(run)
            run = ""
        at += step
    return max((*runs, run), key=len).lower()


@lru_cache(maxsize=8)
def _lowered(text: str) -> str:
    return text.lower()


def _find(patterns: tuple[str, ...], text: str, *, last: bool = False) -> re.Match[str] | None:
    """The first match of any pattern in a text, or the last."""
    best: re.Match[str] | None = None
    lowered = _lowered(text)
    for shape in _shapes(patterns):
        if shape.needs and shape.needs not in lowered:
            continue
        if not last:
            found = shape.pattern.search(text)
            if found and (best is None or found.start() < best.start()):
                best = found
            continue
        for found in shape.pattern.finditer(text):
            if best is None or found.start() >= best.start():
                best = found
    return best


_RUNNERS = frozenset({"npx", "bunx", "pnpx", "uvx", "bundle", "poetry", "uv", "pipenv", "exec", "run", "dlx", "yarn",
                      "pnpm", "python", "python3", "-m", "php", "artisan", "node", "ruby", "mix", "bin/rails"})  # fmt: skip
"""Programs that run the program named next."""


@lru_cache(maxsize=4096)
def _row(words: tuple[str, ...]) -> _Row | None:
    """The row that speaks of a command most closely."""
    table = _table()
    best: tuple[int, _Row] | None = None
    for start in range(min(len(words), 4)):
        if start and words[start - 1] not in _RUNNERS:
            break
        program = words[start].rsplit("/", 1)[-1]
        rest = [word for word in words[start + 1 : start + 40] if len(word) < 100]
        candidates = list(table.exact.get(program, ()))
        candidates += [
            (needed, row)
            for pattern, needed, row in table.globbed
            if fnmatchcase(program, pattern) or fnmatchcase(words[start], pattern)
        ]
        for needed, row in candidates:
            if _in_order(needed, rest) and (best is None or len(needed) + 1 > best[0]):
                best = (len(needed) + 1, row)
        if best is not None:
            break
    return best[1] if best is not None else None


def _in_order(needed: tuple[str, ...], words: list[str]) -> bool:
    at = 0
    for word in needed:
        while at < len(words) and not (words[at] == word or ("*" in word and fnmatchcase(words[at], word))):
            at += 1
        if at == len(words):
            return False
        at += 1
    return True


# -- the text -----------------------------------------------------------------------------------------

_ANSI = re.compile(
    r"\x1b(?:\[[0-9;?]{0,20}[ -/]?[@-~]|\][^\x07\x1b]{0,300}(?:\x07|\x1b\\)|[()][0-9A-Za-z]|[=>78cDEHM])"
)
_CLIENT = re.compile(
    r"<(?:bash|shell)_metadata>[^<]{0,2000}</(?:bash|shell)_metadata>"
    r"|\(Command (?:timed out after \d+ ms|was aborted)\)|\((?:no output|Bash completed with no output)\)"
    r"|^\[no output\]$|Tool ran without output|^<system>Tool ran without output or errors</system>"
    r"|^Command timed out after [\dhms. ]+(?:milliseconds|seconds|ms)?\.?$|^command timed out after \d+ \w+$"
    r"|^Shell cwd was reset to .*$|^Command running in background with ID: .*$|^Process running with session ID \d+$"
    r"|\[Tool execution was interrupted\]|^Tool execution aborted$|User aborted the command",
    re.MULTILINE,
)  # fmt: skip
_CLIENT_HEAD = re.compile(
    r"\A\s*(?:Exit code:? (?P<claude>-?\d{1,3})\n?|(?:Chunk ID: \S+\n)?(?:Wall time: [\d.]+ seconds\n)?"
    r"Process exited with code (?P<codex>-?\d{1,3})\n?(?:Original token count: \d+\n)?(?:Output:\n)?)"
)
_CLIENT_END = re.compile(r"<shellId: \S+ completed with exit code (-?\d{1,3})>\s*\Z")
_BACKGROUND = re.compile(
    r"Command (?:is )?running in (?:the )?background with ID|Process running with session ID \d+"
    r"|^Running in the background|moved to (?:the )?background|is still running\. .{0,40}(?:read_bash|output)"
    r"|Background command started|Started background (?:process|command|terminal)",
    re.MULTILINE,
)
_CLIENT_WORDS = ("_metadata>", "(Command ", "no output", "without output", "timed out after", "Tool execution ",
                 "User aborted", "Shell cwd", "in background", "with session ID")  # fmt: skip


def _clean(output: str) -> str:
    """The two ends of an output as a person would see them: without colours, spinners and clients' notes."""
    if len(output) > 2 * READ:
        output = f"{output[:READ]}\n…\n{output[-READ:]}"
    text = _ANSI.sub("", output) if "\x1b" in output else output
    if "\r" in text:
        # What a carriage return overwrites was never to be read.
        text = "\n".join(line.rsplit("\r", 1)[-1] for line in text.replace("\r\n", "\n").split("\n"))
    return _CLIENT.sub("", text) if any(word in text for word in _CLIENT_WORDS) else text


_OMITTED = re.compile(
    r"^…$|output (?:was )?truncated|\btruncated\.{3}|(?:tokens|lines|bytes|chars|characters) (?:truncated|omitted)"
    r"|Output too large|^<persisted-output>|truncated output",
    re.MULTILINE | re.IGNORECASE,
)
"""Signs that a part of the output is not at hand, so that what is missing may stand there."""

_LOST = re.compile(
    r"^(?:client_loop: send disconnect|packet_write_wait: Connection to|Connection to \S+ closed by remote host"
    r"|Timeout, server \S+ not responding|Write failed: Broken pipe|ssh_exchange_identification: read"
    r"|Read from remote host \S+: (?:Connection reset|Connection timed out|Operation timed out)"
    r"|debug1: channel \d+: free|mosh: Last contact|lost connection$|Killed by signal 15"
    r"|(?:scp|sftp): Connection closed|rsync: (?:\[\w+\] )?connection unexpectedly closed \([1-9]"
    r"|rsync: (?:\[\w+\] )?.{0,60}Broken pipe|rsync error: (?:unexplained error|error in rsync protocol)"
    r"|error: lost connection to pod|E\d{4} .*(?:lost connection to pod|error copying from)"
    r"|error: (?:error reading from error stream|unexpected EOF|websocket: close 1006)|Error from server: .*unexpected EOF"
    r"|ERROR: \(gcloud\.compute\.ssh\) .*return code \[255\]"
    r"|The (?:SSM )?session .*terminated|SessionId: \S+ terminated"
    r"|Connection reset by \S+ port \d+|Connection closed by \S+ port \d+|Shared connection to \S+ closed by remote host)",
    re.MULTILINE,
)
_PREAUTH = re.compile(r"Connection (?:reset|closed) by \S+ port \d+$", re.MULTILINE)


def connection_lost(output: str, exit: int | None) -> bool:
    """Whether a result shows that a connection that stood broke off: the far side may go on.

    A connection that never came up (name not resolved, refused, timed out while connecting, key exchange) is
    no lost one: nothing ran there. Only the last lines count, since a log may quote the same words.
    """
    if len(output) > READ:
        output = f"{output[:200]}\n…\n{output[-READ:]}"
    end = _clean(output).rstrip()
    tail = "\n".join(end.rsplit("\n", 6)[-6:])
    found = _LOST.search(tail)
    if found is None or exit == 0:
        return False
    if _never_up(tail) is not None:
        # sshd says the same words before the login (nothing ran) and after it: output before them decides.
        before = end[: end.rfind(found.group())].strip()
        return _PREAUTH.search(found.group()) is not None and bool(before) and "kex_exchange" not in tail
    return True


def _never_up(text: str) -> re.Match[str] | None:
    return _find(_table().common.never_up, text)


# -- judging ------------------------------------------------------------------------------------------

_ECHOES = frozenset({"echo", "printf", "Write-Host", "Write-Output", "print"})
_FILTERS = frozenset({"grep", "egrep", "fgrep", "rg", "tail", "head", "awk", "sed", "sort", "uniq", "wc", "cut", "tr",
                      "jq", "yq", "less", "more", "cat", "tee", "xargs", "column", "nl", "strings", "fold", "fmt",
                      "python", "python3", "tac", "rev", "paste", "json_pp", "sponge", "ts", "perl", "base64"})  # fmt: skip
"""Programs that stand at the end of a pipe."""
_DATA = frozenset({"cat", "less", "more", "head", "tail", "grep", "egrep", "fgrep", "rg", "journalctl", "dmesg", "awk",
                   "sed", "jq", "yq", "diff", "bat", "zcat", "strings", "read", "view", "find", "ls"})  # fmt: skip
"""Programs whose output is other programs' words, so that complaints in it are data."""


class _Line:
    """The line while it is judged."""

    def __init__(
        self, commands: tuple[Command, ...], text: str, exit: int | None, *, ended: bool, lost: bool
    ) -> None:
        self.commands, self.text, self.exit = commands, text, exit
        self.ended, self.lost = ended, lost
        count = len(commands)
        self.marks: list[tuple[int, int] | None] = [None] * count
        self.echoed_codes: dict[int, tuple[int, str]] = {}
        self.success: list[bool | None] = [None] * count
        self.over: list[bool] = [False] * count
        self.reached: list[Known] = ["unknown"] * count
        self.missing: set[int] = set()
        self.told: set[int] = set()
        """Commands whose success or failure the line itself printed."""
        self.complaints: dict[int, tuple[str, str]] = {}
        self.piped = [index + 1 < count and self.filter(index + 1) for index in range(count)]
        """Commands whose exit code a filter after them hides."""

    def echo(self, index: int) -> bool:
        """Whether a command only prints."""
        words = self.commands[index].words
        return bool(words) and words[0] in _ECHOES and self.commands[index].effect != "edit"

    def filter(self, index: int) -> bool:
        """Whether a command is the receiving end of a pipe, as far as its words tell."""
        if index == 0:
            return False
        command = self.commands[index]
        if (
            not command.words
            or command.effect in CHANGES
            or command.runs_if != self.commands[index - 1].runs_if
        ):
            return False
        program = _program(command)
        if program not in _FILTERS or self.echo(index):
            return False
        plain = [word for word in command.words[1:] if not word.startswith("-")]
        if program in ("cat", "less", "more", "sort", "uniq", "wc", "tac", "nl", "column", "tee"):
            return not plain
        if program in ("tail", "head"):
            return not any(re.search(r"[/.]", word) for word in plain)
        if program in ("grep", "egrep", "fgrep", "rg", "sed", "awk", "jq", "yq", "cut", "tr"):
            return len(plain) <= (2 if program in ("tr", "cut") else 1) and "-r" not in command.words
        return program in ("xargs", "json_pp", "sponge", "ts") or any(
            w in ("-m", "-c", "-") for w in command.words
        )


def judge(
    commands: tuple[Command, ...],
    output: str,
    *,
    exit: int | None,
    status: str,
    cut_off: bool = False,
    interrupted: bool = False,
    error: str | None = None,
) -> tuple[Outcome, ...]:
    """What a result shows of each command, in order; ``()`` for no commands.

    ``output`` is what the log shows of the result (of a long one, its two ends), ``error`` what the client
    reported instead of or besides it, ``exit`` the exit code where one was recorded, ``status`` the call's
    (``pending``, ``running``, ``completed``, ``error``). ``cut_off`` and ``interrupted`` say that the client or
    the person ended the call.
    """
    if not commands:
        return ()
    raw = output if not error or error in output else f"{output}\n{error}"
    head, tail = _CLIENT_HEAD.match(raw[:400]), _CLIENT_END.search(raw[-200:])
    if exit is None and (head or tail):
        exit = int((head and (head["claude"] or head["codex"])) or (tail and tail[1]) or 0)
    text = _clean(raw[head.end() :] if head else raw)
    background = _BACKGROUND.search(raw[:2000]) or _BACKGROUND.search(raw[-2000:])
    lost = connection_lost(raw, exit)
    ended = status in ("completed", "error") and not (cut_off or interrupted or background or lost)
    if (
        ended
        and (refused := _find(_table().common.rejected, text[:1000]))
        and (status == "error" or exit is None)
    ):
        quote = _quote(text, refused)
        return tuple(
            Outcome(reached="no", completed="no", failed=True, changed_nothing=True, quote=quote)
            for _ in commands
        )
    line = _Line(commands, text, exit, ended=ended, lost=lost)
    _read_markers(line)
    _read_exit(line)
    _read_complaints(line, status)
    _read_failed_check(line)
    _settle_reached(line)
    return tuple(_outcome(line, index, status) for index in range(len(commands)))


# -- markers ------------------------------------------------------------------------------------------

_VARIABLE = re.compile(r"\$\([^()]*\)|`[^`]*`|\$\{?[\w?!#@*]+\}?|%[sdif]|\\[nt033e]+(?:\[[\d;]*m)?")
_STATUS = re.compile(
    r"\$\?|\$\{?(?:rc|RC|ret|exit_?code|EXIT_?CODE|status|STATUS|ec|result|code|PIPESTATUS(?:\[\d+\])?)\}?\b"
)


def _marker(words: tuple[str, ...]) -> tuple[str, bool]:
    """The longest literal piece that an echo prints within a line, and whether it is all of that line."""
    shown = [word for word in words[1:] if not re.fullmatch(r"-[neE]+", word)]
    if words[0] == "printf":
        shown = shown[:1]
    best, whole = "", False
    for printed in re.split(r"\\n|\n", " ".join(shown)[:2000]):
        for piece in _VARIABLE.split(printed):
            if len(piece.strip()) > len(best):
                best, whole = piece.strip(), piece.strip() == printed.strip()
    return best[:300], whole and len(best) <= 300


def _read_markers(line: _Line) -> None:
    """Find what the line's own echoes printed, in order."""
    at = 0
    for index, command in enumerate(line.commands):
        if not line.echo(index) or command.quiet:
            continue
        marker, whole = _marker(command.words)
        found: tuple[int, int] | None = None
        if len(marker) >= 2:
            found = _place(line.text, marker, at, whole=whole)
        if _STATUS.search(" ".join(command.words[1:])[:500]):
            _read_code(line, index, found, at)
        if found is None:
            if len(marker) >= 2:
                line.missing.add(index)
            continue
        line.marks[index] = found
        at = found[1]
        line.reached[index] = "yes"
        line.success[index] = True
        line.over[index] = True
        _before_marker(line, index)
    if line.missing and line.ended and _OMITTED.search(line.text) is None:
        for index in sorted(line.missing):
            _without_marker(line, index)


def _place(text: str, marker: str, at: int, *, whole: bool) -> tuple[int, int] | None:
    """Where a marker stands in the text from a position on; short ones must fill a line."""
    if whole and len(marker) < 8:
        found = re.compile(rf"^[ \t]*{re.escape(marker)}[ \t]*$", re.MULTILINE).search(text, at)
        return found.span() if found else None
    while (start := text.find(marker, at)) >= 0:
        line_start = text.rfind("\n", 0, start) + 1
        if not text.startswith("+", line_start):
            return start, start + len(marker)
        # What ``set -x`` shows is the command, not its output.
        at = start + len(marker)
    return None


def _read_code(line: _Line, index: int, found: tuple[int, int] | None, at: int) -> None:
    """The exit code that an echo of ``$?`` printed speaks of the command before it."""
    if found is not None:
        stop = line.text.find("\n", found[1])
        rest = line.text[found[1] : stop if stop >= 0 else None][:40]
        code = re.match(r"\D{0,12}(\d{1,3})\b", rest)
        start = line.text.rfind("\n", 0, found[0]) + 1
        shown = line.text[start : stop if stop >= 0 else None]
    else:
        code = re.compile(r"^\s*(\d{1,3})\s*$", re.MULTILINE).search(line.text, at)
        shown = code.group() if code else ""
    previous = _previous(line, index)
    if code is None or previous is None:
        return
    value = int(code.group(1))
    line.echoed_codes[previous] = (value, shown.strip()[:QUOTED])
    line.success[previous] = value == 0
    line.told.add(previous)
    line.over[previous] = True


def _previous(line: _Line, index: int) -> int | None:
    """The command whose exit code ``$?`` is; assignments between do not count."""
    for before in range(index - 1, -1, -1):
        words = line.commands[before].words
        if words and not line.echo(before):
            return before
    return None


def _before_marker(line: _Line, index: int) -> None:
    """A marker that appeared: what stood before it in its chain ended, and how."""
    command = line.commands[index]
    for before in range(index):
        if not line.commands[before].detached:
            line.over[before] = True
    before = index - 1
    if before < 0:
        return
    if command.runs_if == "after_success":
        while before >= 0:
            if line.commands[before].runs_if != "after_failure":
                line.reached[before] = "yes"
                if not line.piped[before]:
                    line.success[before] = True
                    line.told.add(before)
            if line.commands[before].runs_if != "after_success":
                break
            before -= 1
    elif command.runs_if == "after_failure":
        chain = _chain(line, index)
        if len(chain) == 1:
            line.success[chain[0]] = False
            line.told.add(chain[0])
            # ``ss | grep 8000 || echo nothing``: what the filter did not find, the head did not show.
            head = chain[0]
            while head and line.piped[head - 1]:
                head -= 1
                line.success[head] = False
                line.told.add(head)


def _chain(line: _Line, index: int) -> list[int]:
    """The commands before ``index`` in its and-or list whose failure could have led to it, echoes left out."""
    chain: list[int] = []
    before = index - 1
    while before >= 0:
        if not line.echo(before) and line.commands[before].runs_if != "after_failure":
            chain.append(before)
        if line.commands[before].runs_if == "always":
            break
        before -= 1
    return [position for position in chain if line.success[position] is not True and not line.piped[position]]


def _without_marker(line: _Line, index: int) -> None:
    """A marker that did not appear although the line ended."""
    command = line.commands[index]
    if command.runs_if == "always":
        return
    line.reached[index] = "no"
    chain = _chain(line, index)
    if command.runs_if == "after_success" and len(chain) == 1:
        line.success[chain[0]] = False
    elif command.runs_if == "after_failure":
        for position in chain:
            line.success[position] = True if line.success[position] is None else line.success[position]


# -- exit codes ---------------------------------------------------------------------------------------


_SELDOM_FAIL = (("cd",), ("set",), ("export",), ("sleep",), ("source",), (".",), ("pwd",), ("date",), (":",))


def _read_exit(line: _Line) -> None:
    """What the exit code of the line means for the commands of its last chain."""
    if not line.ended:
        return
    for index, command in enumerate(line.commands):
        if not command.detached:
            line.over[index] = True
    if line.exit is None:
        return
    last = len(line.commands) - 1
    while last >= 0 and line.commands[last].detached:
        last -= 1
    if last < 0:
        return
    start = last
    while start > 0 and line.commands[start].runs_if != "always":
        start -= 1
    chain = range(start, last + 1)
    alternatives = any(line.commands[index].runs_if == "after_failure" for index in chain)
    if line.exit == 0:
        for index in () if alternatives else chain:
            if line.success[index] is None and not line.piped[index]:
                line.success[index] = True
        return
    if alternatives:
        if line.success[last] is None and line.commands[last].runs_if != "after_failure":
            line.success[last] = False
        return
    if line.exit == 124 and (limited := [i for i in chain if line.commands[i].limit_s is not None]):
        line.success[limited[-1]] = False
        return
    open_ends = [
        index
        for index in chain
        if line.success[index] is not True and not (line.echo(index) or line.piped[index])
    ]
    if len(open_ends) > 1:
        open_ends = [index for index in open_ends if line.commands[index].words[:1] not in _SELDOM_FAIL]
    if len(open_ends) == 1:
        line.success[open_ends[0]] = False


# -- complaints ---------------------------------------------------------------------------------------

_SELF_NAMED = frozenset({"rm", "cp", "mv", "mkdir", "rmdir", "chmod", "chown", "ln", "touch", "tee", "cat", "sed", "ls",
                         "install", "dd", "truncate", "mktemp", "cd", "kill", "tar", "gzip", "sleep"})  # fmt: skip
"""Programs that begin each complaint with their own name, so that others' complaints are none of theirs."""
_SPEAKER = re.compile(
    r"^(?:-?(?:ba|z|da|k|fi)?sh|/bin/(?:ba|da|z)?sh|/usr/bin/(?:ba|z)sh|sudo|timeout|env|nohup|xargs|find)?"
    r"(?::\s*)?(?:(?:line|Zeile|ligne|línea|linha|riga|строка|行)\s*\d+:\s*|\d+:\s*)?([\w./@+-]{1,120}):"
)


def _read_complaints(line: _Line, status: str) -> None:
    """Lines that say something did not work, each given to the command it is about."""
    common = _table().common
    gate = [
        shape
        for shape in _shapes((*common.nothing, *common.never_up, *common.wrapper, *common.failed))
        if not shape.needs or shape.needs in _lowered(line.text)
    ]
    if not gate:
        return
    if any(command.via for command in line.commands) and (found := _never_up(line.text)):
        # ssh speaks on its own, before any output of the far side.
        quote = _quote(line.text, found)
        for index, command in enumerate(line.commands):
            remote = command.via and re.match(
                r"(?:\S*/)?(?:ssh|mosh|kubectl|oc|gcloud|aws|sshpass|scp)\b", command.via[0]
            )
            if (
                remote
                and line.marks[index] is None
                and (line.exit not in (0, None) or line.text.strip() == quote)
            ):
                line.complaints.setdefault(index, ("never", quote))
                line.success[index] = False
    shown = 0
    for text in line.text.split("\n")[:_MOST_LINES]:
        if not text.strip() or not any(shape.pattern.search(text[:1000]) for shape in gate):
            continue
        if line.lost and _LOST.search(text):
            # The connection's end is no word of the command that went over it.
            continue
        shown += 1
        if shown > 60:
            break
        if _find(common.wrapper, text[:1000]) is not None and _refused(line, text):
            continue
        about = _about(line, text)
        if about is None:
            continue
        nothing = _find(common.nothing, text[:1000]) or _find(common.never_up, text[:1000])
        kind = "nothing" if nothing else "failed"
        if line.success[about] is True and kind == "failed":
            continue
        line.complaints.setdefault(about, (kind, text.strip()[:QUOTED]))


_ENTERED = re.compile(r"(?:docker|podman|nerdctl|kubectl|oc|docker-compose)\b")


def _refused(line: _Line, text: str) -> bool:
    """Give a wrapper's refusal (sudo, docker exec, kubectl exec) to the commands it stands around."""
    program = text.strip().partition(":")[0].lower()
    found = False
    for index, command in enumerate(line.commands):
        if program in ("sudo", "doas", "su", "timeout"):
            around = any(wrapper.split(" ", 1)[0].rsplit("/", 1)[-1] == program for wrapper in command.via)
        else:
            around = any(_ENTERED.match(wrapper) for wrapper in command.via)
        if around and line.marks[index] is None and line.success[index] is not True:
            line.complaints.setdefault(index, ("never", text.strip()[:QUOTED]))
            line.success[index] = False
            found = True
    return found


def _about(line: _Line, text: str) -> int | None:
    """The command that a complaint is about, where that can be told."""
    speaker = _SPEAKER.match(text.strip())
    name = speaker.group(1).rsplit("/", 1)[-1] if speaker else ""
    candidates = [
        index
        for index, command in enumerate(line.commands)
        if command.words
        and not line.echo(index)
        and line.reached[index] != "no"
        and line.success[index] is not True
    ]
    named = [index for index in candidates if _program(line.commands[index]) == name]
    if named:
        return named[0] if len(named) == 1 else _by_target(line, named, text)
    working = [
        index
        for index in candidates
        if not line.filter(index) and _program(line.commands[index]) not in _DATA
    ]
    by_target = _by_target(line, working, text)
    if by_target is not None:
        return by_target
    failed = [index for index in working if line.success[index] is False]
    if len(failed) == 1:
        return failed[0]
    # A check of logs or a query shows complaints of others: they are what it found, not its own failure.
    own = [index for index in working if line.commands[index].check_strength is None]
    return own[0] if len(own) == 1 and len(working) == 1 else None


def _by_target(line: _Line, candidates: list[int], text: str) -> int | None:
    found = [
        index for index in candidates if len(name := line.commands[index].target.name) >= 3 and name in text
    ]
    return found[0] if len(found) == 1 else None


def _read_failed_check(line: _Line) -> None:
    """The check that stopped a failed chain, where its output says so: ``nginx -t && systemctl reload nginx``."""
    if not line.ended or line.exit in (0, None):
        return
    for index, command in enumerate(line.commands):
        undecided = line.success[index] is None and not line.piped[index] and index not in line.complaints
        leads_on = index + 1 < len(line.commands) and line.commands[index + 1].runs_if == "after_success"
        if not (undecided and leads_on and command.check_strength is not None):
            continue
        row = _row(command.words)
        if row is not None and not row.last and _find(row.bad, _segment(line, index)) is not None:
            line.success[index] = False
            return


def _settle_reached(line: _Line) -> None:
    """Whether each command began, from what is known of those before it."""
    dead = False
    waiting = False
    for index, command in enumerate(line.commands):
        known = line.reached[index]
        kind = line.complaints.get(index, ("", ""))[0]
        if kind == "never":
            line.reached[index] = "no"
        elif known == "unknown":
            before = _guard(line, index)
            if waiting:
                line.reached[index] = "unknown"
            elif command.runs_if == "always":
                line.reached[index] = (
                    "yes" if index == 0 or line.ended or line.over[index] or not dead else "unknown"
                )
                if not line.ended and index and not _passed(line, index - 1):
                    line.reached[index] = "unknown"
            elif before is None:
                line.reached[index] = "yes" if line.ended else "unknown"
            elif command.runs_if == "after_success":
                line.reached[index] = "yes" if before else "no"
            else:
                line.reached[index] = "no" if before else "yes"
            if line.success[index] is not None:
                line.reached[index] = "yes" if line.reached[index] == "unknown" else line.reached[index]
        dead = dead or line.success[index] is False
        if not line.ended and line.reached[index] == "unknown":
            waiting = True
    if line.ended and line.exit not in (0, None):
        _stop_at_failure(line)


def _passed(line: _Line, index: int) -> bool:
    """Whether a command of a line that did not end was surely over, so that the next one began."""
    command = line.commands[index]
    return (
        line.over[index]
        or line.success[index] is not None
        or command.detached
        or line.echo(index)
        or command.effect == "none"
        or line.filter(index)
    )


def _guard(line: _Line, index: int) -> bool | None:
    """Whether what a command's running depends on succeeded; ``None`` when unknown."""
    before = index - 1
    while before >= 0:
        if line.piped[before]:
            before -= 1
            continue
        known = line.success[before]
        if line.reached[before] == "no" and line.commands[before].runs_if == "after_success":
            return False
        if known is not None:
            return known
        if line.complaints.get(before):
            return False
        if not line.ended and not _passed(line, before):
            return None
        if not line.echo(before):
            return None
        before -= 1
    return None


def _stop_at_failure(line: _Line) -> None:
    """In a line that failed, what follows a failed command in its chain never began."""
    stopped = False
    for index, command in enumerate(line.commands):
        if command.runs_if == "always":
            stopped = False
        elif stopped and command.runs_if == "after_success" and line.marks[index] is None:
            line.reached[index] = "no"
        stopped = stopped or line.success[index] is False or index in line.complaints


# -- one command --------------------------------------------------------------------------------------


def _segment(line: _Line, index: int) -> str:
    """The part of the output between the markers around a command."""
    start = max((mark[1] for mark in line.marks[:index] if mark), default=0)
    stop = min((mark[0] for mark in line.marks[index + 1 :] if mark), default=len(line.text))
    return line.text[start:stop] if start <= stop else line.text


def _outcome(line: _Line, index: int, status: str) -> Outcome:
    command = line.commands[index]
    if line.echo(index):
        done: Known = (
            "yes" if line.marks[index] or (line.ended and line.reached[index] == "yes") else "unknown"
        )
        return Outcome(reached=line.reached[index], completed=done)
    row = _row(command.words)
    text = _segment(line, index)
    expired, code_quote = _expired(line, index)
    kind, complaint = line.complaints.get(index, ("", ""))
    reached = line.reached[index]
    if reached == "no":
        return Outcome(
            reached="no",
            completed="no",
            failed=bool(kind),
            changed_nothing=command.effect in CHANGES,
            quote=complaint,
        )
    if command.check_strength is not None or command.effect in ("check", "read"):
        return _checked(line, index, row, text, expired=expired, code_quote=code_quote)
    return _changed(line, index, row, text, status=status, expired=expired, code_quote=code_quote)


def _expired(line: _Line, index: int) -> tuple[bool, str]:
    """Whether the command's own time limit ran out: ``timeout`` exits with 124 (137 after ``-s KILL``)."""
    command = line.commands[index]
    if command.limit_s is None:
        return False, ""
    killed = any(
        re.search(r"\btimeout\b.*(?:-s\s*(?:KILL|9)|--signal=?\s*(?:KILL|9)|-k\b|--kill-after)", v)
        for v in command.via
    )
    codes = (124, 137) if killed else (124,)
    echoed = line.echoed_codes.get(index)
    if echoed is not None and echoed[0] in codes:
        return True, echoed[1]
    if line.exit in codes and line.success[index] is not True:
        later = [i for i in range(index + 1, len(line.commands)) if line.commands[i].limit_s is not None]
        return not (
            later and line.reached[later[-1]] == "yes" and line.commands[later[-1]].runs_if == "always"
        ), ""
    loose = re.search(
        r"(?:\b(?:exit|rc|ret|status|code|exited|return(?:ed)?|Rückgabewert|código|код|退出码)\b\W{0,10}|timed out\W{1,5})124\b",
        line.text, re.IGNORECASE,
    )  # fmt: skip
    if loose and line.success[index] is not True and sum(c.limit_s is not None for c in line.commands) == 1:
        return True, loose.group()
    return False, ""


def _quote(text: str, found: re.Match[str]) -> str:
    """The line of a match, or the part of it around the match: exact words of the output."""
    start = text.rfind("\n", 0, found.start() + 1) + 1 if found.group()[:1] != "\n" else found.start() + 1
    stop = text.find("\n", max(found.start() + 1, start))
    shown = text[start : stop if stop >= 0 else len(text)]
    if len(shown) > QUOTED:
        at = max(0, min(found.start() - start - 20, len(shown) - QUOTED))
        shown = shown[at : at + QUOTED]
    return shown.strip()


def _changed(
    line: _Line, index: int, row: _Row | None, text: str, *, status: str, expired: bool, code_quote: str
) -> Outcome:
    """The outcome of a change, or of a command that is neither change nor check."""
    command = line.commands[index]
    kind, complaint = line.complaints.get(index, ("", ""))
    success = line.success[index]
    quote = code_quote
    failed = kind in ("failed", "nothing", "never") and success is not True
    nothing = kind in ("nothing", "never") and success is not True and command.effect in CHANGES
    shown: Known | None = None
    progress = False
    speaks = not command.quiet and _only_of_its_row(line, index, row)
    led_on = _led_on(line, index, row)
    if row is not None and text.strip() and speaks:
        trusted = success is True and not row.careless
        found = _find(row.completed, text) if success is not False else None
        bad = _find(row.failed, text) if not trusted or command.detached else None
        none = _find(row.nothing, text) if not trusted else None
        if led_on and (bad is not None or none is not None):
            # In a chain the failure is the last command's: the earlier ones led on to it.
            bad = none = None
        if none is not None and found is None:
            failed, nothing, complaint = True, command.effect in CHANGES, _quote(text, none)
        elif bad is not None:
            failed, nothing, complaint = True, nothing and failed, _quote(text, bad)
        elif (idle := _find(row.idle, text)) is not None and (found is None or found.start() >= idle.start()):
            nothing, shown, quote = True, "yes", quote or _quote(text, idle)
        elif found is not None:
            shown, quote = "yes", quote or _quote(text, found)
        if shown is None and (moving := _find(row.progress, text)) is not None and not failed:
            progress, quote = True, quote or _quote(text, moving)
    if failed and not quote:
        quote = complaint
    if success is False:
        failed = True
    if command.dry_run or (command.effect in CHANGES and _dry(text) and not shown):
        nothing = nothing or command.dry_run or _dry(text)
    if status == "error" and line.exit is None and len(line.commands) == 1 and line.ended:
        failed, nothing, shown = True, command.effect == "edit" or nothing, None
        quote = quote or line.text.strip().split("\n")[0][:QUOTED]
    if failed and command.effect in ("restart", "reload", "start", "stop") and row is not None and row.silent:
        nothing = nothing and bool(_find((*row.nothing, *_table().common.nothing), text))
    completed = _completed(line, index, failed=failed or expired, shown=shown, progress=progress)
    if expired:
        # The limit ended the command, not its own failure: what it began may go on.
        failed = nothing = False
    return Outcome(
        reached=line.reached[index],
        completed=completed,
        failed=failed,
        changed_nothing=nothing,
        in_progress=progress,
        quote=quote[:QUOTED],
        expired=expired,
        also=tuple(_shown_names(line, index, text)),
    )


def _dry(text: str) -> bool:
    return _find(_table().common.dry, text) is not None


def _only_of_its_row(line: _Line, index: int, row: _Row | None) -> bool:
    """Whether no other command of the same row shares the command's part of the output, or all share its fate.

    Two restarts in one line say the same words: what one of them says is not taken for the other, unless the
    line ended well.
    """
    if row is None:
        return True
    others = [
        other
        for other, command in enumerate(line.commands)
        if other != index
        and not line.echo(other)
        and line.reached[other] != "no"
        and _row(command.words) is row
        and _segment(line, other) == _segment(line, index)
        and (command.effect in CHANGES) == (line.commands[index].effect in CHANGES)
    ]
    return not others or line.exit == 0 or all(line.success[other] is line.success[index] for other in others)


def _led_on(line: _Line, index: int, row: _Row | None) -> bool:
    """Whether a later command of the same row depends on this one and shares its part of the output."""
    if row is None or line.success[index] is False:
        return False
    for later in range(index + 1, len(line.commands)):
        if line.commands[later].runs_if != "after_success":
            return False
        if _row(line.commands[later].words) is row:
            return line.reached[later] != "no"
    return False


def _completed(line: _Line, index: int, *, failed: bool, shown: Known | None, progress: bool) -> Known:
    command = line.commands[index]
    if failed:
        return "no"
    if shown == "yes" and (line.ended or line.success[index] is not False):
        return "yes"
    if progress:
        return "no"
    if line.success[index] is True and not command.detached:
        return "yes"
    if command.detached:
        return "unknown"
    if line.over[index] and line.reached[index] == "yes":
        return "yes"
    # Where a line was ended, its last command surely did not complete; an earlier one may have.
    last = index == len(line.commands) - 1
    return "no" if last and not line.ended and line.reached[index] == "yes" else "unknown"


def _checked(
    line: _Line, index: int, row: _Row | None, text: str, *, expired: bool, code_quote: str
) -> Outcome:
    """The outcome of a check: what it shows of its target, if anything."""
    command = line.commands[index]
    success = line.success[index]
    kind, complaint = line.complaints.get(index, ("", ""))
    over = line.over[index]
    visible = "" if command.quiet else _visible(line, index, text)
    state: State | None = None
    progress, quote = False, code_quote
    code: int | None = line.echoed_codes[index][0] if index in line.echoed_codes else None
    if code is None and success is False and line.exit is not None and len(_others(line, index)) == 0:
        code = line.exit
    if visible.strip():
        state, progress, quote = _shown_state(command, row, visible, success, quote)
        alone = not _beside(visible, complaint)
        if kind and success is not True and state != "bad" and (alone or success is False):
            state, progress, quote = "bad", False, complaint
        elif state is None:
            state = _plain_state(command, success, kind if alone else "")
        if not (over or progress or state == "bad") and not _flowing(command):
            # A check that was cut off is none, unless what it printed before is a verdict of its own.
            state = state if _verdict_stands(command, row, visible) else None
    elif code is not None and row is not None and str(code) in row.exits and over:
        state = row.exits[str(code)]
    elif success is None and over and text.strip() and not line.complaints and _opens_way(line, index):
        state = "good"
    elif (command.verdict_by_exit or index in line.told) and success is not None and over:
        state = "good" if success else "bad"
    elif (
        success is False
        and over
        and command.check_strength in ("exercise", "state")
        and code not in (None, 124)
    ):
        state = "bad"
    if expired and state != "bad":
        state = None
    if command.check_strength is None:
        state = None
    # Exit code 1 of a search is its answer: nothing found.
    nothing_found = code == 1 and _program(command) in (
        "grep",
        "egrep",
        "fgrep",
        "rg",
        "diff",
        "pgrep",
        "lsof",
    )
    failed = (not (expired or nothing_found) and (success is False and state is None)) or (
        bool(kind) and success is not True and state is None
    )
    completed: Known = (
        "yes" if over and not expired else ("no" if line.reached[index] == "yes" else "unknown")
    )
    return Outcome(
        reached=line.reached[index],
        completed=completed,
        failed=failed or kind == "never",
        state=state,
        in_progress=progress,
        quote=quote[:QUOTED],
        expired=expired,
        also=tuple(_shown_names(line, index, text)) if state is not None else (),
    )


def _opens_way(line: _Line, index: int) -> bool:
    """Whether a silent test let the next command print what there is to see."""
    following = line.commands[index + 1] if index + 1 < len(line.commands) else None
    return (
        _program(line.commands[index]) in ("test", "[", "[[")
        and following is not None
        and following.runs_if == "after_success"
        and line.reached[index + 1] != "no"
        and not any(command.runs_if == "after_failure" for command in line.commands[index:])
    )


def _program(command: Command) -> str:
    return command.words[0].rsplit("/", 1)[-1] if command.words else ""


def _beside(visible: str, complaint: str) -> bool:
    """Whether there is more to see than complaints like the one given: some files missing, others shown."""
    start = complaint.split(":", 1)[0]
    return (
        any(text.strip() and not text.startswith(start) for text in visible.split("\n"))
        if complaint
        else True
    )


def _others(line: _Line, index: int) -> list[int]:
    return [
        other
        for other, command in enumerate(line.commands)
        if other != index and not line.echo(other) and command.words and command.runs_if != "always"
    ]


_SILENCED = frozenset({"-q", "--quiet", "--silent", "-qs", "-sq", "-qE", "-qi", "-qF", "-qx"})
_GREP_LINE = re.compile(r"^[^\n]*\b(?:e|f)?grep\b[^\n]*$\n?", re.MULTILINE)


def _visible(line: _Line, index: int, text: str) -> str:
    """What a command printed, without what other commands of the line are known to print."""
    command = line.commands[index]
    program = _program(command)
    if program in ("test", "[", "[[", "cmp", "true", "false") or (
        command.verdict_by_exit and _SILENCED & set(command.words)
    ):
        return ""
    return _GREP_LINE.sub("", text) if program in ("ps", "pgrep", "top") else text


def _shown_state(
    command: Command, row: _Row | None, text: str, success: bool | None, quote: str
) -> tuple[State | None, bool, str]:
    """What the shapes of the row say: state, whether on its way, quote."""
    if (coded := _http_code(command, text)) is not None:
        return coded[0], False, quote or coded[1]
    if row is None:
        return None, False, quote
    if row.last or command.check_strength is None:
        text = text[-2 * READ :]
        ends = {
            name: _find(patterns, text, last=True)
            for name, patterns in (("bad", row.bad), ("progress", row.progress), ("good", row.good))
        }
        name, found = max(ends.items(), key=lambda item: item[1].start() if item[1] else -1)
        if found is None:
            return None, False, quote
        state: State = "unclear" if name == "progress" else "good" if name == "good" else "bad"
        return state, name == "progress", quote or _quote(text, found)
    if (found := _find(row.bad, text)) is not None:
        return "bad", False, quote or _quote(text, found)
    if (found := _find(row.progress, text)) is not None:
        return "unclear", True, quote or _quote(text, found)
    if (found := _find(row.good, text)) is not None:
        return ("good" if success is not False else "bad"), False, quote or _quote(text, found)
    if (found := _find(row.unclear, text)) is not None:
        return "unclear", False, quote or _quote(text, found)
    return None, False, quote


_CODE = re.compile(r"(?<![\d.:])(000|[1-5]\d\d)(?![\d.:])")


def _http_code(command: Command, text: str) -> tuple[State, str] | None:
    """The verdict of a status code that ``curl -w '%{http_code}'`` printed: of several, the last."""
    if not any("http_code" in word or "response_code" in word for word in command.words):
        return None
    codes = list(_CODE.finditer(text[-2000:]))
    if not codes:
        return None
    code = codes[-1].group(1)
    # 401, 403 and 405 are answers of a server that is up: it wants a login or another method.
    answers = code[0] in "123" or code in ("401", "403", "405")
    return "good" if answers else "bad", _quote(text[-2000:], codes[-1])


def _plain_state(command: Command, success: bool | None, kind: str) -> State:
    """The state when there is output but no shape is known: reading it back shows it, the rest is unclear."""
    if success is False or kind:
        return "bad"
    if command.check_strength in ("read_back", "presence", "exercise"):
        return "good"
    return "unclear"


def _flowing(command: Command) -> bool:
    """Whether a check shows something as it goes: a log that is followed, a watch."""
    program = _program(command)
    return program in ("tail", "journalctl", "watch", "stern", "ping", "top", "htop") or any(
        word in ("-f", "--follow", "-w", "--watch") for word in command.words
    )


def _verdict_stands(command: Command, row: _Row | None, text: str) -> bool:
    """Whether output before the cut is complete by itself (``successfully rolled out``, an HTTP status line)."""
    if row is None or command.check_strength == "read_back":
        return False
    return _find(row.good, text) is not None


# -- names that an output shows --------------------------------------------------------------------------

_MAIN_PID = re.compile(r"\bMain PID:\s*(\d{2,7})")
_JOB_PID = re.compile(r"^\[\d{1,3}\] (\d{2,7})$", re.MULTILINE)
_SAID_PID = re.compile(r"\b(?:pid|process id|PID)\b\s*(?:is|[:=#])?\s*\(?(\d{2,7})\b", re.IGNORECASE)
_BARE_NUMBER = re.compile(r"^\s*(\d{2,7})\s*$", re.MULTILINE)
_CONTAINER_LINE = re.compile(r"^\s*([0-9a-f]{64})\s*$", re.MULTILINE)
_COMPOSE_LINE = re.compile(r"Container (\S{1,120})\s+(?:Started|Restarted|Running|Healthy|Recreated|Created)")
_OBJECT_LINE = re.compile(
    r"^([a-z][\w.-]{1,80})/([a-z0-9][\w.-]{0,120}) (?:created|configured|unchanged|patched|replaced|scaled|restarted)",
    re.MULTILINE,
)
_LISTENS = re.compile(
    r"(?:listening|running|serving|started|available|ready|bound|local)\b[^\n]{0,40}?(?:port[ :=]+|https?://[\w.\-\[\]]{1,100}:|[\d.\]]+:|\*:|:::)(\d{2,5})\b",
    re.IGNORECASE,
)
_URL = re.compile(r"https?://[A-Za-z0-9][\w.-]{2,150}\.[a-z]{2,15}(?::\d{2,5})?(?:/[^\s\"'<>)\]]{0,100})?")
_OWN_PAGES = re.compile(
    r"(?:docs|dashboard|console|api|help|status|registry|github|gitlab|app)\.|/docs?/|/orgs?/|/settings|/inspect"
)


def _shown_names(line: _Line, index: int, text: str) -> Iterator[Target]:
    """Further names of a command's target that its result shows: process ids, containers, objects, addresses."""
    command = line.commands[index]
    host = command.target.host
    if command.target.kind in ("unknown", "file", "package") and command.effect not in STARTS:
        return
    starting = command.effect in ("start", "restart", "deploy", "reload", "scale")
    alone = len(_speakers(line, index)) <= 1
    if not (starting or command.check_strength is not None):
        return
    if alone:
        pids = _MAIN_PID.findall(text)[:3]
        if starting and command.detached:
            pids += _JOB_PID.findall(text)[:3] + _echoed_pid(line, index)
            pids += _SAID_PID.findall(text)[:2]
        for pid in dict.fromkeys(pids):
            yield Target(kind="process", name=pid, host=host)
    if not starting:
        return
    if command.target.kind in ("container", "compose"):
        for container in _CONTAINER_LINE.findall(text)[:5] if alone else ():
            yield Target(kind="container", name=container[:12], host=host)
        for name in dict.fromkeys(_COMPOSE_LINE.findall(text)[:40]):
            if command.target.kind == "compose" and alone:
                yield Target(kind="container", name=name, host=host, namespace=command.target.namespace)
    if command.target.kind == "k8s" or command.words[:1] in (("kubectl",), ("oc",)):
        for kind, name in _OBJECT_LINE.findall(text)[:40] if alone else ():
            told = f"{kind.partition('.')[0]}/{name}"
            if told != command.target.name:
                yield Target(
                    kind="k8s",
                    name=told,
                    host=host,
                    context=command.target.context,
                    namespace=command.target.namespace,
                )
    if not alone:
        return
    if command.target.kind in ("service", "process", "container", "compose", "unknown"):
        for port in dict.fromkeys(_LISTENS.findall(text)[:4]):
            yield Target(kind="network", name=port, host=effective_host(command.target) and host)
    if command.effect == "deploy":
        for url in dict.fromkeys(url.rstrip(".,") for url in _URL.findall(text)[:10]):
            if not _OWN_PAGES.search(url):
                yield Target(kind="url", name=url)


def _speakers(line: _Line, index: int) -> list[int]:
    """Changes and checks that share a command's part of the output."""
    segment = _segment(line, index)
    return [
        other
        for other, command in enumerate(line.commands)
        if (command.effect in STARTS or command.check_strength is not None)
        and line.reached[other] != "no"
        and _segment(line, other) == segment
        and (command.effect in STARTS) == (line.commands[index].effect in STARTS)
    ]


def _echoed_pid(line: _Line, index: int) -> list[str]:
    """The process id that an ``echo $!`` after a detached command printed."""
    for later in range(index + 1, len(line.commands)):
        command = line.commands[later]
        if line.echo(later) and any("$!" in word for word in command.words):
            mark = line.marks[later]
            if mark is not None:
                found = re.match(r"\D{0,20}(\d{2,7})\b", line.text[mark[1] : mark[1] + 60])
                return [found.group(1)] if found else []
            bare = _BARE_NUMBER.findall(line.text)
            return bare[:1]
        if command.detached:
            break
    return []
