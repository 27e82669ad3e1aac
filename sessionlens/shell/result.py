"""The text of a result: cleaned, searched by the shapes of ``outcomes.toml``, and whether a connection broke."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from functools import lru_cache
from importlib.resources import files
from typing import Literal

import msgspec

from sessionlens.cache import lazy, toml

State = Literal["good", "bad", "unclear"]

READ = 8192
"""Characters of an output that are read at each of its ends."""
QUOTED = 200
"""Characters of output quoted at most."""

# -- the table ----------------------------------------------------------------------------------------


class Row(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
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
    unrun: tuple[str, ...] = ()
    hollow: tuple[str, ...] = ()
    heads: tuple[str, ...] = ()
    blind: tuple[int, ...] = ()
    unfinished: bool = False
    listing: bool = False
    silent: bool = False
    last: bool = False
    careless: bool = False
    taken: bool = False
    exits: dict[str, State] = {}


class _Common(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    nothing: tuple[str, ...]
    never_up: tuple[str, ...]
    unrun: tuple[str, ...]
    wrapper: tuple[str, ...]
    failed: tuple[str, ...]
    dry: tuple[str, ...]
    rejected: tuple[str, ...]


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    common: _Common
    rule: tuple[Row, ...]


class _Table:
    """The rows by program."""

    def __init__(self) -> None:
        table = msgspec.convert(toml(files("sessionlens.shell").joinpath("outcomes.toml")), _File)
        self.common = table.common
        self.exact: dict[str, list[tuple[tuple[str, ...], Row]]] = {}
        self.globbed: list[tuple[str, tuple[str, ...], Row]] = []
        for row in table.rule:
            for entry in row.on:
                program, *words = entry.split()
                needed = tuple(word for word in words if word != "*")
                if "*" in program:
                    self.globbed.append((program, needed, row))
                else:
                    self.exact.setdefault(program, []).append((needed, row))


@lru_cache(maxsize=1)
def outcome_table() -> _Table:
    """The table of outcomes, read once."""
    return _Table()


class Shape(msgspec.Struct, frozen=True):
    """A pattern with pieces of text of which each of its matches contains one, so that most need no search."""

    pattern: re.Pattern[str]
    needs: str
    others: tuple[str, ...]


@lru_cache(maxsize=4096)
def shapes(patterns: tuple[str, ...]) -> tuple[Shape, ...]:
    """Patterns ready to search with."""
    needed = [_needed(pattern) for pattern in patterns]
    return tuple(
        Shape(lazy(_bounded(pattern), re.IGNORECASE | re.MULTILINE), pieces[0], pieces[1:])
        for pattern, pieces in zip(patterns, needed, strict=True)
    )


def _bounded(pattern: str) -> str:
    """The pattern with every "anything" cut to what a line of a person's log holds, so that none is quadratic."""
    text = pattern.replace(".*", ".{0,300}").replace("[^\\n]*", "[^\\n]{0,300}")
    # At the start of a line, blank lines are none of the line.
    return text.replace("^\\s*", "^[ \\t]*")


_ATOM = lazy(
    r"(?P<open>\((?:\?(?:P<\w+>|[a-zA-Z-]*:|(?P<look><?[=!])))?)|(?P<close>\))|(?P<bar>\|)|(?P<class>\[\^?\]?(?:\\.|[^\]\\])*\])"
    r"|\\(?P<escaped>.)|(?P<odd>[$^.])|(?P<plain>[^\\])",
    re.DOTALL,
)
_COUNT = lazy(r"(?P<none>[?*]|\{(?:0|,)[\d,]*\})[?+]?|(?P<some>\+|\{\d+(?:,\d*)?\})[?+]?")


def _needed(pattern: str) -> tuple[str, ...]:
    """Pieces of which every match contains one, in lower case; one empty piece where there is none to rely on.

    Of each alternative the longest literal run counts, or what a group within it needs.
    """
    best, at = _pieces(pattern, 0)
    return best if at == len(pattern) else ("",)


def _pieces(pattern: str, at: int) -> tuple[tuple[str, ...], int]:
    """What the alternatives from ``at`` to the end of their group need, and where that end is."""
    nothing: tuple[str, ...] = ("",)
    found: list[str] = []
    best, run = nothing, ""
    while True:
        atom = _ATOM.match(pattern, at)
        if atom is None or atom["close"] or atom["bar"]:
            found += _better(best, (run,))
            if atom is None or atom["close"]:
                pieces = tuple(dict.fromkeys(found))
                return nothing if "" in pieces else pieces, at
            best, run, at = nothing, "", atom.end()
            continue
        at, inner, literal = atom.end(), nothing, ""
        if atom["open"]:
            inner, at = _pieces(pattern, at)
            at += 1
            inner = nothing if atom["look"] else inner
        elif atom["plain"] or (atom["escaped"] and not atom["escaped"].isalnum()):
            literal = (atom["plain"] or atom["escaped"]).lower()
        count = _COUNT.match(pattern, at)
        if count is not None:
            at = count.end()
        certain = count is None or count["none"] is None
        if literal and certain:
            run += literal
        if not literal or count is not None:
            best = _better(best, (run,))
            run = ""
        if certain:
            best = _better(best, inner)


def _better(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    """The pieces that tell more: whose shortest is longer."""
    return max(one, other, key=lambda pieces: min(map(len, pieces)))


@lru_cache(maxsize=8)
def lower_case(text: str) -> str:
    """A text in lower case; the last few are kept, since one text is searched many times."""
    return text.lower()


def possible(patterns: tuple[str, ...], text: str) -> list[Shape]:
    """The patterns that may match in a text: of the others a piece that each match contains does not stand there."""
    lowered = lower_case(text)
    return [
        shape
        for shape in shapes(patterns)
        if shape.needs in lowered or any(piece in lowered for piece in shape.others)
    ]


def find(patterns: tuple[str, ...], text: str, *, last: bool = False) -> re.Match[str] | None:
    """The first match of any pattern in a text, or the last."""
    best: re.Match[str] | None = None
    for shape in possible(patterns, text):
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
def row_of(words: tuple[str, ...]) -> Row | None:
    """The row that speaks of a command most closely."""
    table = outcome_table()
    best: tuple[int, Row] | None = None
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

_ANSI = lazy(
    r"\x1b(?:\[[0-9;?]{0,20}[ -/]?[@-~]|\][^\x07\x1b]{0,300}(?:\x07|\x1b\\)|[()][0-9A-Za-z]|[=>78cDEHM])"
)
_CLIENT = lazy(
    r"<(?:bash|shell)_metadata>[^<]{0,2000}</(?:bash|shell)_metadata>"
    r"|\(Command (?:timed out after \d+ ms|was aborted)\)|\((?:no output|Bash completed with no output)\)"
    r"|^\[no output\]$|Tool ran without output|^<system>Tool ran without output or errors</system>"
    r"|^(?:Error: ?)?Command timed out after [\dhms. ]+(?:milliseconds|seconds|ms)?\.?$"
    r"|^(?:Error: ?)?command timed out after \d+ \w+$|<shellId: [^<>\n]{1,80} completed with exit code -?\d{1,10}>"
    r"|^Shell cwd was reset to .*$|^Command running in background with ID: .*$|^Process running with session ID \d+$"
    r"|\[Tool execution was interrupted\]|^Tool execution aborted$|User aborted the command",
    re.MULTILINE,
)  # fmt: skip
CLIENT_HEAD = lazy(
    r"\A\s*(?:Exit code:? (?P<claude>-?\d{1,3})\n?|(?:Chunk ID: \S+\n)?(?:Wall time: [\d.]+ seconds\n)?"
    r"Process exited with code (?P<codex>-?\d{1,3})\n?(?:Original token count: \d+\n)?(?:Output:\n)?)"
)
CLIENT_END = lazy(r"<shellId: \S+ completed with exit code (-?\d{1,3})>\s*\Z")
BACKGROUND = lazy(
    r"Command (?:is )?running in (?:the )?background with ID|Process running with session ID \d+"
    r"|^Running in the background|moved to (?:the )?background|is still running\. .{0,40}(?:read_bash|output)"
    r"|Background command started|Started background (?:process|command|terminal)",
    re.MULTILINE,
)
_CLIENT_WORDS = ("_metadata>", "(Command ", "no output", "without output", "timed out after", "Tool execution ",
                 "User aborted", "Shell cwd", "in background", "with session ID", "<shellId: ")  # fmt: skip


def clean(output: str) -> str:
    """The two ends of an output as a person would see them: without colours, spinners and clients' notes."""
    if len(output) > 2 * READ:
        output = f"{output[:READ]}\n…\n{output[-READ:]}"
    text = _ANSI.sub("", output) if "\x1b" in output else output
    if "\r" in text:
        # What a carriage return overwrites was never to be read.
        text = "\n".join(line.rsplit("\r", 1)[-1] for line in text.replace("\r\n", "\n").split("\n"))
    return _CLIENT.sub("", text) if any(word in text for word in _CLIENT_WORDS) else text


OMITTED = lazy(
    r"^…$|output (?:was )?truncated|\btruncated\.{3}|(?:tokens|lines|bytes|chars|characters) (?:truncated|omitted)"
    r"|Output too large|^<persisted-output>|truncated output",
    re.MULTILINE | re.IGNORECASE,
)
"""Signs that a part of the output is not at hand, so that what is missing may stand there."""

LOST = lazy(
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
_PREAUTH = lazy(r"Connection (?:reset|closed) by \S+ port \d+$", re.MULTILINE)


def connection_lost(output: str, exit: int | None) -> bool:
    """Whether a result shows that a connection that stood broke off: the far side may go on.

    A connection that never came up (name not resolved, refused, timed out while connecting, key exchange) is
    no lost one: nothing ran there. Only the last lines count, since a log may quote the same words.
    """
    if len(output) > READ:
        output = f"{output[:200]}\n…\n{output[-READ:]}"
    end = clean(output).rstrip()
    tail = "\n".join(end.rsplit("\n", 6)[-6:])
    found = LOST.search(tail)
    if found is None or exit == 0:
        return False
    if never_up(tail) is not None:
        # sshd says the same words before the login (nothing ran) and after it: output before them decides.
        before = end[: end.rfind(found.group())].strip()
        return _PREAUTH.search(found.group()) is not None and bool(before) and "kex_exchange" not in tail
    return True


def never_up(text: str) -> re.Match[str] | None:
    """The words of ssh and its like that no connection came up."""
    return find(outcome_table().common.never_up, text)


def quote_of(text: str, found: re.Match[str]) -> str:
    """The line of a match, or the part of it around the match: exact words of the output."""
    start = text.rfind("\n", 0, found.start() + 1) + 1 if found.group()[:1] != "\n" else found.start() + 1
    stop = text.find("\n", max(found.start() + 1, start))
    shown = text[start : stop if stop >= 0 else len(text)]
    if len(shown) > QUOTED:
        at = max(0, min(found.start() - start - 20, len(shown) - QUOTED))
        shown = shown[at : at + QUOTED]
    return shown.strip()
