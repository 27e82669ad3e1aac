"""The text of a result: cleaned, searched by the shapes of ``outcomes.toml``, and whether a connection broke."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from functools import lru_cache
from importlib.resources import files
from typing import Literal

import msgspec

from sessionlens.cache import lazy, toml, value
from sessionlens.shell.shapes import SHORTEST, Gated, Pieces, Shape, bounded, lower_case, needs_of, opening_of

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
    each: bool = False
    whole: tuple[str, ...] = ()
    exits: dict[str, State] = {}


_PATTERNS = ("completed", "failed", "nothing", "idle", "good", "bad", "unclear", "progress", "unrun", "hollow",
             "heads", "whole")  # fmt: skip
"""Fields of a row that are lists of patterns."""


class _Common(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    nothing: tuple[str, ...]
    never_up: tuple[str, ...]
    unrun: tuple[str, ...]
    no_file: tuple[str, ...]
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


@lru_cache(maxsize=1)
def _needs() -> dict[str, tuple[str, ...]]:
    """What each pattern of the table needs; the machine keeps it, since finding it out takes a tenth of a second."""
    table = outcome_table()
    rows = [row for entries in table.exact.values() for _, row in entries]
    rows += [row for *_, row in table.globbed]
    lists = [getattr(table.common, name) for name in _Common.__struct_fields__]
    lists += [getattr(row, name) for row in rows for name in _PATTERNS]
    patterns = tuple(dict.fromkeys(pattern for patterns in lists for pattern in patterns))
    code = files("sessionlens.shell").joinpath("shapes.py").read_bytes()
    return value(
        "outcome-needs",
        (*patterns, code),
        dict[str, tuple[str, ...]],
        lambda: {pattern: needs_of(pattern) for pattern in patterns},
    )


@lru_cache(maxsize=1)
def _pieces() -> Pieces:
    """All pieces that patterns of the table need."""
    pieces = {piece for pieces in _needs().values() for piece in pieces if len(piece) >= SHORTEST}
    return Pieces(sorted(pieces.union(*(gate.pieces for gate in _GATES))))


def stands(gate: Gated, text: str) -> bool:
    """Whether a text holds a piece of what a pattern needs; one of ``_GATES``."""
    return not gate.pieces.isdisjoint(_standing(text))


@lru_cache(maxsize=8)
def _standing(text: str) -> frozenset[str]:
    """The pieces that stand in a text; of the last few, since one text is searched many times."""
    return _pieces().standing_in(_lowered(text))


_lowered = lru_cache(maxsize=8)(lower_case)


class _Group:
    """Patterns that are searched together."""

    def __init__(self, patterns: tuple[str, ...]) -> None:
        needs = _needs()
        known = _pieces().known
        self.shapes = tuple(
            Shape(
                lazy(bounded(pattern), re.IGNORECASE | re.MULTILINE),
                needs.get(pattern) or needs_of(pattern),
                opening_of(pattern),
            )
            for pattern in patterns
        )
        self.other: list[int] = []
        """Shapes with a piece that the machine does not know."""
        self.by_piece: dict[str, list[int]] = {}
        for number, shape in enumerate(self.shapes):
            if all(piece in known for piece in shape.pieces):
                for piece in shape.pieces:
                    self.by_piece.setdefault(piece, []).append(number)
            else:
                self.other.append(number)

    def possible(self, text: str) -> list[Shape]:
        """Those that may match in a text."""
        if len(text) < _BRIEF and len(self.shapes) < _FEW:
            lowered = _lowered(text)
            return [shape for shape in self.shapes if shape.may_match(lowered)]
        found: list[int] = []
        if self.by_piece:
            standing = self.by_piece.keys() & _standing(text)
            found = [number for piece in standing for number in self.by_piece[piece]]
        if self.other:
            lowered = _lowered(text)
            found += [number for number in self.other if self.shapes[number].may_match(lowered)]
        return [self.shapes[number] for number in sorted(set(found))]


_BRIEF, _FEW = 400, 30
"""In a text of fewer characters, fewer shapes are sooner asked one by one."""
_group = lru_cache(maxsize=4096)(_Group)


def shapes(patterns: tuple[str, ...]) -> tuple[Shape, ...]:
    """Patterns ready to search with."""
    return _group(patterns).shapes


def possible(patterns: tuple[str, ...], text: str) -> list[Shape]:
    """The patterns that may match in a text: of the others a piece that each match contains does not stand there."""
    return _group(patterns).possible(text) if patterns else []


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
_CLIENT = Gated(
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
BACKGROUND = Gated(
    r"Command (?:is )?running in (?:the )?background with ID|Process running with session ID \d+"
    r"|^Running in the background|moved to (?:the )?background|is still running\. .{0,40}(?:read_bash|output)"
    r"|Background command started|Started background (?:process|command|terminal)",
    re.MULTILINE,
)


def clean(output: str) -> str:
    """The two ends of an output as a person would see them: without colours, spinners and clients' notes."""
    if len(output) > 2 * READ:
        output = f"{output[:READ]}\n…\n{output[-READ:]}"
    text = _ANSI.sub("", output) if "\x1b" in output else output
    if "\r" in text:
        # What a carriage return overwrites was never to be read.
        text = "\n".join(line.rsplit("\r", 1)[-1] for line in text.replace("\r\n", "\n").split("\n"))
    return _CLIENT.pattern.sub("", text) if stands(_CLIENT, text) else text


def blank(output: str) -> bool:
    """Whether nothing is left to see of a short output once it is cleaned."""
    if "\x1b" not in output and "\r" not in output:
        shown = output.lstrip()
        if shown and _CLIENT.pattern.match(shown) is None:
            # What is seen first is no note of a client.
            return False
    return not clean(output).strip()


OMITTED = lazy(
    r"^…$|output (?:was )?truncated|\btruncated\.{3}|(?:tokens|lines|bytes|chars|characters) (?:truncated|omitted)"
    r"|Output too large|^<persisted-output>|truncated output",
    re.MULTILINE | re.IGNORECASE,
)
"""Signs that a part of the output is not at hand, so that what is missing may stand there."""

LOST = Gated(
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
    if exit == 0:
        return False
    changed = "\x1b" in output or "\r" in output or stands(_CLIENT, output)
    if not (changed or stands(LOST, output)):
        return False
    if len(output) > READ:
        output = f"{output[:200]}\n…\n{output[-READ:]}"
    end = clean(output).rstrip()
    tail = "\n".join(end.rsplit("\n", 6)[-6:])
    found = LOST.pattern.search(tail)
    if found is None:
        return False
    if never_up(tail) is not None:
        # sshd says the same words before the login (nothing ran) and after it: output before them decides.
        before = end[: end.rfind(found.group())].strip()
        return _PREAUTH.search(found.group()) is not None and bool(before) and "kex_exchange" not in tail
    return True


_GATES = (_CLIENT, BACKGROUND, LOST)


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
