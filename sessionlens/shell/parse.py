"""A command line to the simple commands in it, in the order in which they run (ARCHITECTURE *Shell*).

The grammar is tree-sitter-bash; this adapter does what the grammar does not: it takes here-documents out before
the parse (the grammar loses what follows them on the line), adds words the grammar drops (a lone ``-``), closes
what a cut line left open, and says what each operator means for "did it run?". Nothing here recurses on input.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from sessionlens.cache import lazy
from sessionlens.shell.command import RunsIf

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

LONGEST = 4_000_000
"""Characters of a line that are read, here-documents included; the rest is left, the line marked partly parsed."""
LONGEST_COMMANDS = 60_000
"""The same without the bodies of here-documents."""
MOST_PIECES = 4_000
"""Commands taken from one line; more than that is generated noise."""
MOST_STAGES = 250
"""Commands of one pipe; the grammar's time grows with their square, and no real pipe is as long."""
MOST_OPEN = 250
"""Brackets open at one time, or closed that were never opened."""
MOST_CALLS = 40
"""Function bodies put in place of their calls, so that functions calling each other come to an end."""
MOST_ROUNDS = 60
"""Rounds of all loops of a line that are read one by one; a loop with more is read once, its variable unknown."""


MOST_LISTS = 50
"""Files of a line whose text is kept."""
LONGEST_LIST = 4_000
"""Characters of a file that is known as a list of what a loop goes through."""


def file_key(file: str, folder: str | None) -> str:
    """A file's path as its text is kept under: joined with the folder where it names none, its dots resolved."""
    name = file.strip("\"'")
    whole = f"{folder.rstrip('/')}/{name}" if folder and name[:1] not in {"/", "~", "$"} else name
    parts: list[str] = []
    for part in whole.split("/"):
        if part == ".." and parts and parts[-1] not in {"", ".."}:
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)


def _countable(text: str) -> bool:
    """Whether a text is a number that a loop may count to."""
    return text.isdecimal() and len(text) <= _COUNT_DIGITS


_COUNT_DIGITS = 6


class Redirect(NamedTuple):
    """One redirection to or from a file."""

    op: str
    """As written: ``>``, ``>>``, ``<``, ``&>``, ``>|``."""
    fd: str
    """Descriptor before it, or the empty string."""
    file: str
    """The file or descriptor, quotes removed."""


class Scope:
    """A shell of its own: a line, a subshell, the far end of ssh. Holds what later commands inherit."""

    __slots__ = ("cwd", "env", "errexit", "expanded", "files", "parent", "poisoned")

    def __init__(self, parent: Scope | None = None) -> None:
        self.parent = parent
        self.cwd: str | None = parent.cwd if parent else None
        self.env: dict[str, str] = dict(parent.env) if parent else {}
        self.poisoned: set[str] = set(parent.poisoned) if parent else set()
        self.errexit: bool = parent.errexit if parent else False
        self.expanded: frozenset[str] = parent.expanded if parent else frozenset()
        """Substitutions that a shell further out has already run: ``ssh host "… $(date) …"``."""
        self.files: dict[str, str] = parent.files if parent else {}
        """Short files of this machine whose whole text is known, by their path."""

    def held(self, file: str) -> str | None:
        """The text of a file, where it is known."""
        if not self.files:
            return None
        return self.files.get(file_key(file, self.cwd)) or self.files.get(file_key(file, None))

    def fed(self, redirects: Iterable[Redirect]) -> str | None:
        """The text that comes in from the file of a redirection, where it is known."""
        file = next((one.file for one in redirects if one.op == "<"), "")
        return self.held(file) if file else None

    def keep(self, file: str, text: str | None) -> None:
        """Remember what a command of the line writes to a file; ``None`` where that is not known."""
        files = dict(self.files)
        files.pop(file_key(file, self.cwd), None)
        if text is not None and len(text) <= LONGEST_LIST and len(files) < MOST_LISTS:
            files[file_key(file, self.cwd)] = text
        self.files = files

    def assign(self, name: str, value: str | None, branch: bool) -> None:
        """Remember a literal assignment; one that a branch decides, or that is no literal, makes it unknown."""
        if value is None or (branch and name in self.env and self.env[name] != value):
            self.env.pop(name, None)
            self.poisoned.add(name)
        elif name not in self.poisoned:
            self.env[name] = value


class Piece:
    """One simple command as written, quotes removed."""

    __slots__ = (
        "again",
        "assigns",
        "detached",
        "each",
        "expanded",
        "fed_by",
        "feeds",
        "guessed",
        "inner",
        "loop",
        "redirects",
        "runs_if",
        "scope",
        "shown",
        "span",
        "stdin",
        "substituted",
        "words",
    )  # fmt: skip

    def __init__(
        self,
        words: list[str],
        *,
        scope: Scope,
        runs_if: RunsIf = "always",
        detached: bool = False,
        redirects: tuple[Redirect, ...] = (),
        stdin: str | None = None,
        span: tuple[int, int] = (0, 0),
    ) -> None:
        self.words = words
        self.scope = scope
        self.runs_if: RunsIf = runs_if
        self.detached = detached
        self.redirects = redirects
        self.stdin = stdin
        self.span = span
        self.assigns: list[tuple[str, str]] = []
        self.guessed = False
        """A variable was replaced by a value that the same line assigns."""
        self.fed_by: Piece | None = None
        """The command before it in a pipe."""
        self.feeds = False
        """Its output goes into a pipe."""
        self.substituted = False
        """It runs inside ``$(…)`` or ``<(…)``: its output becomes words of another command."""
        self.shown = False
        """It runs inside ``$(…)``, in what an ``echo`` or ``printf`` writes for everybody to see."""
        self.loop: tuple[str, ...] = ()
        """Literal values of the loop variable it uses."""
        self.again = False
        """It runs in every round of a loop, each time with the same words."""
        self.each = False
        """It uses the variable of a loop over names that the line does not show."""
        self.inner: tuple[Piece, ...] = ()
        self.expanded: frozenset[str] = frozenset()
        """Its substitutions as written; inside a line that it hands on they have run already."""


class Parsed(NamedTuple):
    """All commands of a line."""

    pieces: list[Piece]
    partly: bool
    """The line was broken or too long; only its sound part was read."""


_WORD_PARTS = frozenset({"string", "concatenation", "word"})
"""What may stand between a substitution and the command of whose words it is one."""
_AROUND = 4
"""Such things within one another that are looked through."""


class _Ctx(NamedTuple):
    scope: Scope
    runs_if: RunsIf = "always"
    detached: bool = False
    redirects: tuple[Redirect, ...] = ()
    stdin: str | None = None
    fed: tuple[int, bool] = (0, False)
    """Number of the pipe it stands in and whether something feeds it; 0 = none."""
    feeds: bool = False
    branch: bool = False
    substituted: bool = False
    shown: bool = False
    loop: tuple[tuple[str, tuple[str, ...]], ...] = ()
    calls: tuple[str, ...] = ()
    again: bool = False
    """Whether it stands in a loop that is read once."""
    round: tuple[tuple[str, str], ...] = ()
    """Of a loop that is read round by round: its variables and their values in the round that begins."""


_parser: Parser | None = None


def _tree(source: bytes) -> Any:
    global _parser  # noqa: PLW0603 - made once, importing tree-sitter is left to the first use
    if _parser is None:
        import tree_sitter_bash
        from tree_sitter import Language, Parser

        _parser = Parser(Language(tree_sitter_bash.language()))
    return _parser.parse(source)


_RUN = lazy(r"[^\s'\"]{600,}")
_ODD = lazy(r"[^\w\s./+%:,=-]")
MOST_ODD = 300
"""Special characters in one stretch without blanks or quotes: the grammar's error recovery takes their square."""


def _sound(text: str) -> str:
    """The line up to the first stretch that no person wrote."""
    for found in _RUN.finditer(text):
        if len(_ODD.findall(found.group())) > MOST_ODD:
            return text[: found.start()]
    return text


# --- here-documents and open ends -----------------------------------------------------------------------------

_SCAN = lazy(
    r"\\.|['\"`()\n;]|&&|\|\|?|\$'|\$\(\(?|\$\{|\}|(?<![^\s;&|()])#[^\n]*|<<<|<<-?[ \t]*|\(\(|\)\)", re.DOTALL
)
_IN_DOUBLE = lazy(r"\\.|[\"`]|\$\(|\$\{", re.DOTALL)
_DELIMITER = lazy(r"'([^'\n]*)'|\"([^\"\n]*)\"|((?:\\.|[^\s;&|<>()'\"`\\])+)")


_OPERATORS = frozenset({"\n", ";", "&&", "||", "|"})


class _Here(NamedTuple):
    delimiter: str
    literal: bool
    strips: bool
    at: int


def _scan(text: str) -> tuple[str, dict[int, str | None], str, bool]:
    """Take here-documents out of a line.

    Returns the line with each ``<<WORD`` made a ``<`` redirection and each body blanked (same length), the bodies
    by the offset of their operator, what closes quotes and brackets left open, and whether something was open.
    """
    out: list[str] = []
    copied = 0
    bodies: dict[int, str | None] = {}
    pending: list[_Here] = []
    stack: list[str] = []  # what is open: '"', '(', '((', '`', '{'
    position, end = 0, len(text)
    is_open = False
    stages = operators = strays = 0
    while position < end:
        if stages > MOST_STAGES or operators > MOST_PIECES or strays > MOST_OPEN or len(stack) > MOST_OPEN:
            # No command that anybody wrote: what comes so far is read, the rest is not.
            text, is_open = text[:position], True
            break
        mode = stack[-1] if stack else ""
        found = (_IN_DOUBLE if mode == '"' else _SCAN).search(text, position)
        if found is None:
            break
        token, start = found.group(), found.start()
        position = found.end()
        if mode == '"':
            if token == '"':
                stack.pop()
            elif token == "`" and "`" in stack:
                while stack and stack.pop() != "`":
                    pass
            elif token == "`":
                stack.append("`")
            elif token == "$(":
                stack.append("(")
            elif token == "${":
                stack.append("{")
            continue
        if token in _OPERATORS:
            operators += 1
            stages = stages + 1 if token == "|" else 0
            if token != "\n":
                continue
        elif token == "<<<":
            # The grammar knows a here-string only as the last redirection; as `<` it may stand anywhere.
            bodies[start] = None
            out.append(text[copied:start])
            out.append("<  ")
            copied = position
            continue
        elif token[0] == "\\" or token[0] == "#":
            continue
        if token in {"'", "$'"}:
            close = _close_single(text, position, ansi=token == "$'")
            if close < 0:
                is_open = True
                stack.append("'")
                position = end
                break
            position = close + 1
        elif token == '"':
            stack.append('"')
        elif token == "`":
            if "`" in stack:
                while stack and stack.pop() != "`":
                    pass
            else:
                stack.append("`")
        elif token in {"$(", "("}:
            operators += 2
            stack.append("(")
        elif token in {"$((", "(("}:
            stack.append("((")
        elif token == "${":
            stack.append("{")
        elif token == "}":
            if mode == "{":
                stack.pop()
        elif token in {")", "))"}:
            if mode == "((" and token == "))":
                stack.pop()
            else:
                for _ in token:
                    if stack and stack[-1] in {"(", "(("}:
                        top = stack.pop()
                        if top == "((":  # `((` that was two subshells after all
                            stack.append("(")
                    else:
                        strays += 1
        elif token.startswith("<<"):
            delimiter = _DELIMITER.match(text, position) if mode != "((" else None
            if delimiter is None:
                continue
            parts: list[str] = []
            literal = False
            cursor = position
            while delimiter is not None:
                literal = literal or delimiter.group(3) is None or "\\" in delimiter.group(3)
                word = next((g for g in delimiter.groups() if g is not None), "")
                parts.append(word.replace("\\", ""))
                cursor = delimiter.end()
                delimiter = _DELIMITER.match(text, cursor)
            pending.append(_Here("".join(parts), literal, token.startswith("<<-"), start))
            out.append(text[copied:start])
            out.append("<" + "H" * (cursor - start - 1))
            copied = position = cursor
        elif token == "\n" and pending:
            for here in pending:
                body_end, after, closed = _body(text, position, here)
                bodies[here.at] = text[position:body_end]
                is_open = is_open or not closed
                out.append(text[copied:position])
                blank = after - position
                tail = text[after - 1] == "\n" if blank else False
                out.append(" " * (blank - 1) + "\n" if tail else " " * blank)
                copied = position = after
            pending.clear()
    out.append(text[copied:])
    closing = []
    for mode in reversed(stack):
        closing.append({"{": "}", "(": ")", "((": "))"}.get(mode, mode))
    quoted = any(mode in "'\"`" for mode in stack)
    return "".join(out), bodies, "".join(closing), is_open or quoted or bool(stack) or bool(pending)


def _close_single(text: str, position: int, *, ansi: bool) -> int:
    if not ansi:
        return text.find("'", position)
    while True:
        close = text.find("'", position)
        if close < 0:
            return -1
        slashes = 0
        while close - 1 - slashes >= position and text[close - 1 - slashes] == "\\":
            slashes += 1
        if slashes % 2 == 0:
            return close
        position = close + 1


def _body(text: str, position: int, here: _Here) -> tuple[int, int, bool]:
    """End of the body, place after the delimiter's line, and whether the delimiter was there at all."""
    tabs = r"[ \t]*" if here.strips else ""
    # Agents' logs often lose or add blanks before and after the delimiter; bash would not forgive them, a reader does.
    found = re.compile(rf"^{tabs}{re.escape(here.delimiter)}[ \t]*(?:\n|\Z|(?=\)))", re.MULTILINE).search(
        text, position
    )
    if found is None:
        return len(text), len(text), False
    return found.start(), found.end(), True


# --- quotes and variables -------------------------------------------------------------------------------------

_SPECIAL = lazy(r"[\\'\"$`{]")
_TOKEN = lazy(
    r"\\(?P<esc>.)|(?P<sq>')|(?P<dq>\")|\$(?P<ansi>')|\$\{(?P<brace>[A-Za-z_][A-Za-z0-9_]*)(?::?[-=](?P<default>[^}$`{]*))?\}"
    r"|\$(?P<name>[A-Za-z_][A-Za-z0-9_]*|[0-9@*])|(?P<sub>\$\(|\$\{|`)|(?P<plain>[^\\'\"$`]+)|(?P<other>[\\$])",
    re.DOTALL,
)
_LIST = r"(?<!\$)\{([^{}\s'\"`]*,[^{}\s'\"`]*)\}"
_BRACES = lazy(_LIST)
_ANSI = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "\\": "\\",
    "'": "'",
    '"': '"',
    "a": "\a",
    "b": "\b",
    "e": "\x1b",
    "0": "\0",
}


class Unquoted(NamedTuple):
    """A word with its quotes removed."""

    text: str
    guessed: bool
    """A variable was replaced by a value assigned in the line."""
    literal: bool
    """No variable or substitution is left in it."""


def unquote(raw: str, env: dict[str, str]) -> Unquoted:
    """Remove quotes as a shell does; variables known from ``env`` are put in, all others stay as written."""
    if _SPECIAL.search(raw) is None:
        return Unquoted(raw, False, True)
    out: list[str] = []
    guessed = False
    literal = True
    double = False
    position, end = 0, len(raw)
    while position < end:
        found = _TOKEN.match(raw, position)
        if found is None:
            break
        position = found.end()
        kind = found.lastgroup
        if kind == "plain":
            out.append(found.group())
        elif kind == "esc":
            char = found.group("esc")
            if double:
                out.append("" if char == "\n" else char if char in '"\\$`' else "\\" + char)
            else:
                out.append("" if char == "\n" else char)
        elif kind == "dq":
            double = not double
        elif kind == "sq":
            if double:
                out.append("'")
            else:
                close = raw.find("'", position)
                close = end if close < 0 else close
                out.append(raw[position:close])
                position = close + 1
        elif kind == "ansi":
            if double:
                out.append("$")
                position -= 1
            else:
                close = _close_single(raw, position, ansi=True)
                close = end if close < 0 else close
                out.append(
                    re.sub(r"\\(.)", lambda m: _ANSI.get(m[1], m[1]), raw[position:close], flags=re.DOTALL)
                )
                position = close + 1
        elif kind in {"name", "brace", "default"}:
            name = found.group("name") or found.group("brace")
            if name in env:
                out.append(env[name])
                guessed = True
            elif found.group("default"):
                out.append(found.group("default"))
                guessed = True
            else:
                out.append(found.group())
                literal = False
        elif kind == "sub":
            part = _TRIMMED.match(raw, found.start())
            if part is not None and part["name"] in env:
                out.append(_trimmed(env[part["name"]], part["how"], part["what"]))
                guessed = True
                position = part.end()
                continue
            close = _close_sub(raw, found.start())
            out.append(raw[found.start() : close])
            position = close
            literal = False
        else:
            out.append(found.group())
    return Unquoted("".join(out), guessed, literal)


_TRIMMED = lazy(r"\$\{(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?P<how>##?|%%?)(?P<what>[^}$`{'\"\\\n]{0,80})\}")
"""A part of a variable: ``${pair%%:*}``, ``${file%.conf}``."""
_MOST_TRIMMED = 400
"""Characters of a value of which a part is taken; a longer one stays whole."""


def _trimmed(value: str, how: str, pattern: str) -> str:
    """What a shell leaves of a value whose beginning (``#``) or end (``%``), the longest where doubled, fits a pattern."""
    from fnmatch import fnmatchcase

    if not pattern or len(value) > _MOST_TRIMMED:
        return value
    cuts = range(len(value) + 1)
    # The shortest beginning ends first, the shortest end begins last.
    for cut in cuts if (how in ("#", "%%")) else reversed(cuts):
        if fnmatchcase(value[:cut] if how[0] == "#" else value[cut:], pattern):
            return value[cut:] if how[0] == "#" else value[:cut]
    return value


_NESTED = lazy(r"\\.|'[^']*'|[(){}\"`]", re.DOTALL)


def _close_sub(raw: str, start: int) -> int:
    """Offset after the substitution that begins at ``start``; its end when it never closes."""
    if raw[start] == "`":
        close = raw.find("`", start + 1)
        return len(raw) if close < 0 else close + 1
    opener = raw[start + 1]
    closer = ")" if opener == "(" else "}"
    depth = 0
    double = False
    for found in _NESTED.finditer(raw, start + 1):
        token = found.group()
        if token == '"':
            double = not double
        elif token == opener:
            depth += 1
        elif token == closer:
            depth -= 1
            if depth <= 0:
                return found.end()
    return len(raw)


_FROM_TO = r"\{(\d{1,6}|[a-z])\.\.(\d{1,6}|[a-z])\}"
_RANGE = lazy(_FROM_TO)


def _range(first: str, last: str) -> list[str]:
    """``1..3``, ``01..16``, ``a..c``; at most 64 values."""
    if first.isdigit() and last.isdigit():
        low, high = int(first), int(last)
        width = len(first) if first.startswith("0") else 0
        step = 1 if high >= low else -1
        return [str(n).zfill(width) for n in range(low, high + step, step)[:64]]
    if first.isalpha() and last.isalpha():
        return [chr(n) for n in range(ord(first), ord(last) + 1)] or [first]
    return [f"{{{first}..{last}}}"]


_QUOTED = r"'[^']*'|\"(?:[^\"\\]|\\.)*\"|\\.|"
_BARE_BRACES = lazy(_QUOTED + f"(?P<found>{_LIST})", re.DOTALL)
_BARE_RANGE = lazy(_QUOTED + f"(?P<found>{_FROM_TO})", re.DOTALL)


def _bare(pattern: re.Pattern[str], raw: str) -> Iterator[str]:
    """Braces outside quotes; inside they mean themselves."""
    return (found["found"] for found in pattern.finditer(raw) if found["found"])


def braces(raw: str) -> list[str]:
    """Words that ``a{b,c}`` stands for; at most 64."""
    words = [raw]
    for text in list(islice(_bare(_BARE_RANGE, raw), 3)):
        first, _, last = text[1:-1].partition("..")
        words = [w.replace(text, value, 1) for w in words for value in _range(first, last)]
    words = words[:64]
    for _ in range(3):
        sets = [next(_bare(_BARE_BRACES, w), "") for w in words]
        if not any(sets):
            break
        made: list[str] = []
        for word, text in zip(words, sets, strict=True):
            if text:
                made.extend(word.replace(text, part, 1) for part in text[1:-1].split(","))
            else:
                made.append(word)
        words = made[:64]
    return words


# --- walking the tree -----------------------------------------------------------------------------------------

_WORDS = frozenset(
    {
        "word", "string", "raw_string", "ansi_c_string", "concatenation", "number", "simple_expansion", "expansion",
        "command_substitution", "process_substitution", "arithmetic_expansion", "brace_expression", "translated_string",
        "extglob_pattern", "regex", "test_operator", "variable_name", "special_variable_name", "string_content",
    }
)  # fmt: skip
_LISTS = frozenset({"program", "compound_statement", "do_group", "heredoc_redirect"})
_SUBSTITUTIONS = frozenset({"command_substitution", "process_substitution"})
_LEAVES = frozenset({"word", "raw_string", "number", "ansi_c_string", "test_operator", "variable_name"})
_MARKS = lazy(r"\$\(|`|[<>]\(")


_HELD = lazy(
    r"\"?\$\{(?P<array>[A-Za-z_]\w*)\[[@*]\]\}\"?|\$(?:(?P<name>[A-Za-z_]\w*)|\{(?P<braced>[A-Za-z_]\w*)\})"
)
"""A word of a list that stands for several: an array, or a variable outside quotes."""
_READS = lazy(r"(?:IFS=\S*\s+)?read((?:\s+-r)?(?:\s+[A-Za-z_]\w*){1,8})\s*")
"""The head of a loop over lines."""


_NO_COMMENTS = frozenset(
    {"^#", "^\\s*#", "^ *#", "^[[:space:]]*#", "^$", "^#|^$", "^(#|$)", "^\\s*(#|$)", "^\\s*$"}
)
"""What is left out of a list of names with ``grep -v``."""


def printed(source: Piece) -> str | None:
    """What a command before a pipe prints, where the line shows it: ``echo``, ``printf``, ``seq``, ``cat`` of a
    here-document or of a file whose text is known; sorted, or without its comments, too.
    """
    chain = [source]
    while (before := chain[-1].fed_by) is not None and len(chain) < MOST_STAGES:
        chain.append(before)
    text = _shown_first(chain.pop())
    while chain and text is not None:
        text = _passed_on(chain.pop(), text)
    return text


def _shown_first(source: Piece) -> str | None:
    words = source.words
    program = words[0] if words else ""
    if program in {"cat", "grep", "egrep", "sort"}:
        files = [word for word in words[1:] if not word.startswith("-")]
        if program in {"grep", "egrep"}:
            # The first is what is looked for.
            files = files[1:]
        if program == "cat" and len(words) == 1 and source.stdin is not None:
            return source.stdin
        files = files or [one.file for one in source.redirects if one.op == "<"]
        texts = [source.scope.held(file) for file in files]
        whole = None if not texts or None in texts else "\n".join(text for text in texts if text is not None)
        return whole if program == "cat" or whole is None else _passed_on(source, whole)
    if program == "seq":
        values = counted(words[1:])
        return None if values is None else "\n".join(values)
    rest = [word for word in words[1:] if not re.fullmatch(r"-[neE]+", word)]
    if program == "printf" and rest:
        form, items = rest[0], rest[1:]
        if items:
            return "\n".join(items) if form in {"%s\\n", "%s\n", "%s "} else None
        return form.replace("\\n", "\n") if "%" not in form else None
    if program == "echo":
        text = " ".join(rest)
        return text.replace("\\n", "\n") if "-e" in words[1:3] else text
    return None


def _passed_on(piece: Piece, text: str) -> str | None:
    """What a filter of a list passes on; ``None`` for filters that are not read."""
    words = piece.words
    lines = text.splitlines()
    if words[:1] == ["sort"] and all(word in {"sort", "-u", "-V", "-n"} for word in words if word[:1] != "/"):
        return "\n".join(sorted(dict.fromkeys(lines)) if "-u" in words else sorted(lines))
    if words[:1] in (["uniq"], ["cat"], ["tee"]) and not any(word[:1] == "-" for word in words[1:]):
        return text
    if words[:1] == ["tr"] and len(words) == 3 and words[2] in {"\\n", " "} and len(words[1]) == 1:
        return text.replace(words[1], "\n" if words[2] == "\\n" else " ")
    leaves_out = words[:1] in (["grep"], ["egrep"]) and any(
        word in {"-v", "-vE", "-Ev"} for word in words[1:3]
    )
    if leaves_out and any(word in _NO_COMMENTS for word in words[1:5]):
        return "\n".join(line for line in lines if line.strip() and not line.lstrip().startswith("#"))
    return None


_COUNTS = lazy(r"-?\d{1,6}")
_FORM = lazy(
    r"([\w./@-]{0,60})%(0?)(\d{0,2})[gdf](?:\.0f)?([\w./@-]{0,60})|([\w./@-]{0,60})%\.0f([\w./@-]{0,60})"
)


def counted(words: list[str]) -> list[str] | None:
    """The numbers that ``seq`` prints, at most one more than are read of a loop; ``None`` where they are not known."""
    form, wide, numbers = "", False, []
    at = 0
    while at < len(words):
        word = words[at]
        if word in {"-f", "--format", "-s", "--separator"}:
            form = words[at + 1] if word in {"-f", "--format"} and at + 1 < len(words) else form
            at += 1
        elif word.startswith(("-f", "--format=")):
            form = word.removeprefix("--format=") if word[1] == "-" else word[2:]
        elif word in {"-w", "--equal-width"}:
            wide = True
        elif _COUNTS.fullmatch(word):
            numbers.append(word)
        elif not word.startswith("-s"):
            return None
        at += 1
    if not 1 <= len(numbers) <= 3:
        return None
    first = int(numbers[0]) if len(numbers) > 1 else 1
    step = int(numbers[1]) if len(numbers) == 3 else 1
    last = int(numbers[-1])
    if step == 0:
        return None
    values = list(islice(range(first, last + (1 if step > 0 else -1), step), MOST_ROUNDS + 1))
    width = max(map(len, numbers)) if wide else 0
    texts = [str(value).zfill(width) for value in values]
    if form:
        found = _FORM.fullmatch(form)
        if found is None:
            return None
        before, after = (found[1] or "", found[4] or "") if found[5] is None else (found[5], found[6])
        fill = int(found[3] or 0) if found[2] else 0
        texts = [f"{before}{str(value).zfill(fill)}{after}" for value in values]
    return texts


_FROM_FILE = lazy(r"(?:\$\(\s*<\s*|<)(?P<file>[\w./~-]{1,200})\s*\)?")
_COUNTED = lazy(
    r"for\s*\(\(\s*(?P<name>[A-Za-z_]\w*)\s*=\s*(?P<first>[\w${}]{1,40})\s*;\s*(?P=name)\s*(?P<sign><=?|>=?)\s*(?P<last>[\w${}]{1,40})\s*;"
    r"\s*(?:(?P=name)(?P<by>\+\+|--)|(?P<ahead>\+\+|--)(?P=name)|(?P=name)\s*\+=\s*(?P<step>\d{1,4}))\s*\)\)"
)
_COUNTER = lazy(
    r"while\s+(?:\[\[?\s*\"?\$\{?(?P<name>[A-Za-z_]\w*)\}?\"?\s*(?P<sign>-le|-lt|<=|<)\s*\"?(?P<last>[\w${}]{1,40})\"?\s*\]\]?|\(\(\s*(?P<named>[A-Za-z_]\w*)\s*(?P<less><=?)\s*(?P<until>[\w${}]{1,40})\s*\)\))"
)


class _Walk:
    def __init__(
        self, text: str, original: str, source: bytes, bodies: dict[int, str | None], *, first: Scope
    ) -> None:
        self.text = text
        self.original = original
        self.source = source
        self.ascii = len(text) == len(source)
        self.bodies = bodies
        self.scope = first
        self.pieces: list[Piece] = []
        self.functions: dict[str, Node] = {}
        self.pipes = 0
        self.last_in_pipe: dict[int, Piece] = {}
        self.calls = 0
        self.rounds = 0
        self.broken = False

    def cut(self, start: int, end: int) -> str:
        if self.ascii:
            return self.text[start:end]
        return self.source[start:end].decode("utf-8", "replace")

    def span(self, node: Node) -> tuple[int, int]:
        if self.ascii:
            return node.start_byte, node.end_byte
        start = len(self.source[: node.start_byte].decode("utf-8", "replace"))
        return start, start + len(self.cut(node.start_byte, node.end_byte))

    def run(self, root: Node) -> None:
        stack: list[tuple[Node, _Ctx, bool]] = [(root, _Ctx(self.scope), False)]
        while stack and len(self.pieces) < MOST_PIECES:
            node, ctx, ready = stack.pop()
            self.visit(node, ctx, ready, stack)
        if stack:
            self.broken = True

    def visit(self, node: Node, ctx: _Ctx, ready: bool, stack: list[tuple[Node, _Ctx, bool]]) -> None:
        kind = node.type
        if kind == "command":
            self.command(node, ctx, ready, stack)
        elif kind in _LISTS:
            self.statements(node.children, ctx, stack)
        elif kind == "list":
            left, op, right = self.sides(node)
            if right is not None:
                # `! a && b` runs b when a failed.
                succeeds = (op == "&&") != (left is not None and left.type == "negated_command")
                after: RunsIf = "after_success" if succeeds else "after_failure"
                stack.append((right, ctx._replace(runs_if=after), False))
            if left is not None:
                stack.append((left, ctx, False))
        elif kind == "pipeline":
            self.pipeline(node, ctx, stack)
        elif kind == "redirected_statement":
            self.redirected(node, ctx, ready, stack)
        elif kind == "subshell":
            self.statements(node.children, ctx._replace(scope=Scope(ctx.scope)), stack)
        elif kind in _SUBSTITUTIONS:
            inner = ctx._replace(
                scope=Scope(ctx.scope),
                redirects=(),
                stdin=None,
                fed=(0, False),
                feeds=False,
                substituted=True,
                shown=self.printed_out(node),
                detached=False,
            )
            self.statements(node.children, inner, stack)
        elif kind == "negated_command":
            self.statements(node.children, ctx, stack)
        elif kind == "if_statement":
            self.branches(node.children, ctx, stack)
        elif kind in {"while_statement", "until_statement"}:
            self.loop(node, ctx, stack)
        elif kind in {"for_statement", "c_style_for_statement"}:
            self.each(node, ctx, ready, stack)
        elif kind == "case_statement":
            self.case(node, ctx, ready, stack)
        elif kind == "function_definition":
            name = next((c for c in node.children if c.type == "word"), None)
            body = node.children[-1] if node.children else None
            if name is not None and body is not None:
                self.functions[self.cut(name.start_byte, name.end_byte)] = body
        elif kind in {"variable_assignment", "variable_assignments"}:
            self.assignments(node, ctx, ready, stack)
        elif kind in {"declaration_command", "unset_command", "test_command"}:
            self.flat(node, ctx, ready, stack)
        elif kind == "ERROR":
            self.broken = True
            self.rescue(node, ctx, stack)
        elif kind in _WORDS or kind == "command_name":
            self.loose([node], ctx)

    def statements(self, children: list[Node], ctx: _Ctx, stack: list[tuple[Node, _Ctx, bool]]) -> None:
        todo: list[tuple[Node, _Ctx, bool]] = []
        for index, child in enumerate(children):
            if not child.is_named:
                continue
            detached = index + 1 < len(children) and children[index + 1].type == "&"
            todo.append((child, ctx._replace(detached=True) if detached else ctx, False))
        stack.extend(reversed(todo))

    def sides(self, node: Node) -> tuple[Node | None, str, Node | None]:
        left = right = None
        op = "&&"
        for child in node.children:
            if child.type in {"&&", "||"}:
                op = child.type
            elif child.is_named and child.type != "comment":
                if left is None:
                    left = child
                else:
                    right = child
        return left, op, right

    def pipeline(self, node: Node, ctx: _Ctx, stack: list[tuple[Node, _Ctx, bool]]) -> None:
        parts = [c for c in node.children if c.is_named and c.type != "comment"]
        self.pipes += 1
        todo: list[tuple[Node, _Ctx, bool]] = []
        head, redirects, stdin = parts[0] if parts else None, [], ctx.stdin
        if head is not None and head.type == "redirected_statement":
            inner_redirects, inner_stdin, body = self.outlets(head, ctx)
            if body is not None and body.type == "list":
                head, redirects, stdin = body, inner_redirects, inner_stdin
        if head is not None and head.type == "list":
            # The grammar reads `a && b 2>&1 | c` as (a && b) | c; only b goes into the pipe.
            left, op, right = self.sides(head)
            if left is not None and right is not None:
                todo.append((left, ctx._replace(feeds=False), False))
                succeeds = (op == "&&") != (left.type == "negated_command")
                ctx = ctx._replace(runs_if="after_success" if succeeds else "after_failure")
                parts[0] = right
        else:
            redirects, stdin = [], ctx.stdin
        for index, part in enumerate(parts):
            last = index == len(parts) - 1
            fed = (self.pipes, index > 0) if index or not ctx.fed[1] else ctx.fed
            todo.append(
                (
                    part,
                    ctx._replace(
                        fed=fed,
                        feeds=not last or ctx.feeds,
                        stdin=stdin if index == 0 else None,
                        redirects=ctx.redirects if last else tuple(redirects) if index == 0 else (),
                    ),
                    False,
                )
            )
        stack.extend(reversed(todo))

    def redirected(self, node: Node, ctx: _Ctx, ready: bool, stack: list[tuple[Node, _Ctx, bool]]) -> None:
        children = node.children
        if not ready:
            inner = self.substitutions([c for c in children if c.type.endswith("redirect")], ctx)
            if inner:
                stack.append((node, ctx, True))
                stack.extend(inner)
                return
        redirects, stdin, body = self.outlets(node, ctx)
        outside = ctx
        ctx = ctx._replace(redirects=(*redirects, *ctx.redirects), stdin=stdin)
        if body is not None and body.type == "list":
            # The grammar hangs the redirection of `a && b > f` on the whole list; it is b's alone.
            left, op, right = self.sides(body)
            if right is not None:
                succeeds = (op == "&&") != (left is not None and left.type == "negated_command")
                stack.append(
                    (right, ctx._replace(runs_if="after_success" if succeeds else "after_failure"), False)
                )
            if left is not None:
                stack.append((left, outside, False))
        elif body is None:
            self.emit([], ctx, self.span(node))
        else:
            stack.append((body, ctx, False))

    def outlets(self, node: Node, ctx: _Ctx) -> tuple[list[Redirect], str | None, Node | None]:
        """Redirections, standard input and body of a redirected statement."""
        redirects: list[Redirect] = []
        stdin = ctx.stdin
        body: Node | None = None
        for child in node.children:
            kind = child.type
            if kind == "file_redirect":
                if child.start_byte in self.bodies:
                    stdin = self.here(child, ctx)
                else:
                    redirects.append(self.redirect(child, ctx))
            elif child.is_named and kind not in {"comment", "ERROR"}:
                body = child
        return redirects, stdin, body

    def here(self, node: Node, ctx: _Ctx) -> str | None:
        """Text of the here-document or here-string that this redirection was made of."""
        text = self.bodies[node.start_byte]
        if text is not None:
            return text
        word = node.children[-1]
        return unquote(self.cut(word.start_byte, word.end_byte), ctx.scope.env).text

    def redirect(self, node: Node, ctx: _Ctx) -> Redirect:
        op, fd, file = ">", "", ""
        for child in node.children:
            if child.type == "file_descriptor":
                fd = self.cut(child.start_byte, child.end_byte)
            elif child.is_named:
                file = unquote(self.cut(child.start_byte, child.end_byte), ctx.scope.env).text
            else:
                op = child.type
        return Redirect(op, fd, file)

    def branches(self, children: list[Node], ctx: _Ctx, stack: list[tuple[Node, _Ctx, bool]]) -> None:
        """``if c; then a; elif d; then b; else e; fi``: a after success, d, b and e after failure of c."""
        todo: list[tuple[Node, _Ctx, bool]] = []
        phase = ctx
        negated = False
        for index, child in enumerate(children):
            kind = child.type
            if kind == "then":
                phase = ctx._replace(runs_if="after_failure" if negated else "after_success", branch=True)
            elif kind == "else":
                phase = ctx._replace(runs_if="after_failure", branch=True)
            elif kind in {"elif_clause", "else_clause"}:
                part = ctx._replace(runs_if="after_success" if negated else "after_failure", branch=True)
                inner = child.children
                for at, grand in enumerate(inner):
                    if grand.type == "then":
                        part = ctx._replace(runs_if="after_success", branch=True)
                    elif grand.is_named and grand.type != "comment":
                        detached = at + 1 < len(inner) and inner[at + 1].type == "&"
                        todo.append((grand, part._replace(detached=True) if detached else part, False))
            elif child.is_named and kind != "comment":
                detached = index + 1 < len(children) and children[index + 1].type == "&"
                todo.append((child, phase._replace(detached=True) if detached else phase, False))
                if phase is ctx:
                    negated = kind == "negated_command"
        stack.extend(reversed(todo))

    def loop(self, node: Node, ctx: _Ctx, stack: list[tuple[Node, _Ctx, bool]]) -> None:
        body = next((c for c in node.children if c.type == "do_group"), None)
        if body is not None and ctx.round:
            ctx.scope.env.update(ctx.round)
            stack.append((body, ctx._replace(round=(), stdin=None, fed=(0, False)), False))
            return
        head = next((c for c in node.children if c.type in {"command", "list"}), None)
        if head is not None and head.type == "list":
            # `while read -r h || [ -n "$h" ]`: the second is for a last line without its end.
            head = next((c for c in head.children if c.type == "command"), None)
        read = _READS.fullmatch(self.cut(head.start_byte, head.end_byte)) if head is not None else None
        named = tuple(name for name in read[1].split() if name != "-r") if read is not None else ()
        rows = self.lines_read(named, ctx)
        if (
            rows
            and body is not None
            and head is not None
            and self.unroll(node, body, named, rows, ctx, stack)
        ):
            stack.append((head, ctx, False))
            return
        if (
            body is not None
            and (counter := self.counter(node, body, ctx))
            and self.unroll(node, body, (counter[0][0][0],), counter, ctx, stack)
        ):
            return
        for name in named:
            # What a line gives it is not what it held before.
            ctx.scope.env.pop(name, None)
        until = any(c.type == "until" for c in node.children)
        # `while ! a; do b` runs b when a failed, as `until a` does.
        until ^= any(c.type == "negated_command" for c in node.children)
        todo: list[tuple[Node, _Ctx, bool]] = []
        for child in node.children:
            if child.type == "do_group":
                ran: RunsIf = "after_failure" if until else "after_success"
                loops = (*ctx.loop, *((name, ()) for name in named))
                inner = ctx._replace(runs_if=ran, branch=True, fed=(0, False), loop=loops, again=True)
                todo.append((child, inner, False))
            elif child.is_named and child.type != "comment":
                todo.append((child, ctx._replace(again=True), False))
        stack.extend(reversed(todo))

    def each(self, node: Node, ctx: _Ctx, ready: bool, stack: list[tuple[Node, _Ctx, bool]]) -> None:
        body = next((c for c in node.children if c.type in {"do_group", "compound_statement"}), None)
        words = [c for c in node.children if c is not body and c.type in _WORDS]
        if not ready:
            inner = self.substitutions(words, ctx)
            if inner:
                stack.append((node, ctx, True))
                stack.extend(inner)
                return
        if body is None:
            return
        values: tuple[str, ...] = ()
        name = ""
        if words and words[0].type == "variable_name":
            name = self.cut(words[0].start_byte, words[0].end_byte)
            values = self.listed(words[1:], ctx)
        elif (header := _COUNTED.match(self.cut(node.start_byte, node.start_byte + 300))) is not None:
            name, values = header["name"], self.stepped(header, ctx)
        if name and ctx.round:
            ctx.scope.env.update(ctx.round)
            stack.append((body, ctx._replace(round=()), False))
            return
        rows: list[tuple[tuple[str, str], ...]] = [((name, value),) for value in values]
        if name and len(values) > 1 and self.unroll(node, body, (name,), rows, ctx, stack):
            return
        if name:
            if len(values) == 1:
                ctx.scope.env[name] = values[0]
            else:
                ctx.scope.env.pop(name, None)
        loops = (*ctx.loop, (name, values[:16])) if len(values) != 1 and name else ctx.loop
        again = ctx.again or len(values) != 1
        stack.append((body, ctx._replace(branch=True, loop=loops, again=again), False))

    def listed(self, words: list[Node], ctx: _Ctx) -> tuple[str, ...]:
        """The values of a list of words, what commands in it print included; empty where one is unknown."""
        values: list[str] = []
        for word in words:
            raw = self.cut(word.start_byte, word.end_byte)
            if word.type == "command_substitution":
                text = self.told(word, ctx)
                made = () if text is None else tuple(text.split())
            else:
                made = self.spelt([raw], ctx)
            if not made:
                return ()
            values.extend(made)
        return tuple(values)

    def printed_out(self, node: Node) -> bool:
        """Whether a substitution stands in what an ``echo`` or ``printf`` writes to where the whole line writes."""
        above = node.parent
        for _ in range(_AROUND):
            if above is None or above.type not in _WORD_PARTS:
                break
            above = above.parent
        if above is None or above.type != "command" or above.parent is None:
            return False
        name = above.child_by_field_name("name")
        if name is None or self.cut(name.start_byte, name.end_byte) not in ("echo", "printf"):
            return False
        return above.parent.type not in ("redirected_statement", "pipeline", *_SUBSTITUTIONS)

    def told(self, node: Node, ctx: _Ctx) -> str | None:
        """What a substitution puts in, where the line shows what its commands, which were read before, print."""
        raw = self.cut(node.start_byte, node.end_byte)
        if (file := _FROM_FILE.fullmatch(raw)) is not None:
            return ctx.scope.held(file["file"])
        start, end = self.span(node)
        inside: list[Piece] = []
        for piece in reversed(self.pieces):
            if not (piece.substituted and start <= piece.span[0] and piece.span[1] <= end):
                break
            inside.append(piece)
        chain: set[int] = set()
        at = inside[0] if inside else None
        while at is not None and len(chain) < MOST_STAGES:
            chain.add(id(at))
            at = at.fed_by
        if not inside or any(id(piece) not in chain for piece in inside):
            return None
        text = printed(inside[0])
        return None if text is None or "$" in text or "`" in text else text

    def stepped(self, header: re.Match[str], ctx: _Ctx) -> tuple[str, ...]:
        """The values of the variable of ``for ((i=1; i<=4; i++))``; empty where its ends are not known."""
        first, last = (unquote(header[one], ctx.scope.env).text for one in ("first", "last"))
        if not (_countable(first) and _countable(last)):
            return ()
        up = header["sign"][0] == "<"
        step = int(header["step"] or 1) * (1 if up else -1)
        if step == 0 or ("-" in (header["by"] or header["ahead"] or "")) is up:
            # Away from its end: it never begins, or never ends.
            return ()
        end = int(last) + (len(header["sign"]) - 1) * (1 if up else -1)
        values = list(islice(range(int(first), end, step), MOST_ROUNDS + 1))
        return tuple(map(str, values))

    def counter(self, node: Node, body: Node, ctx: _Ctx) -> list[tuple[tuple[str, str], ...]]:
        """The rounds of ``i=1; while [ $i -le 4 ]; do …; i=$((i+1)); done``; none where it is no such loop."""
        head = _COUNTER.match(self.cut(node.start_byte, node.start_byte + 200))
        if head is None:
            return []
        name = head["name"] or head["named"]
        first = ctx.scope.env.get(name, "")
        last = unquote(head["last"] or head["until"], ctx.scope.env).text
        steps = self.cut(body.start_byte, body.end_byte)[-400:]
        counts = re.search(
            rf"\(\(\s*(?:{name}\s*\+\+|\+\+\s*{name}|{name}\s*\+=\s*1|\$?{name}\s*\+\s*1)\s*\)\)|\blet\s+\"?{name}(?:\+\+|\+=1)",
            steps,
        )
        if counts is None or not (_countable(first) and _countable(last)):
            return []
        end = int(last) + ((head["sign"] or head["less"]) in {"-le", "<="})
        return [((name, str(value)),) for value in islice(range(int(first), end), MOST_ROUNDS + 1)]

    def spelt(self, written: list[str], ctx: _Ctx) -> tuple[str, ...]:
        """The values of words as written, with the arrays and lists that the line assigned; empty where one is unknown."""
        values: list[str] = []
        for raw in written:
            held = _HELD.fullmatch(raw)
            if held is not None:
                name = held["array"] or held["name"] or held["braced"]
                text = ctx.scope.env.get(f"{name}[@]" if held["array"] else name)
                if text is None:
                    return ()
                values.extend(text.split())
                continue
            read = unquote(raw, ctx.scope.env)
            if not read.literal or "*" in read.text:
                return ()
            values.extend(braces(read.text))
        return tuple(values)

    def unroll(  # noqa: PLR0917
        self,
        node: Node,
        body: Node,
        names: tuple[str, ...],
        rows: list[tuple[tuple[str, str], ...]],
        ctx: _Ctx,
        stack: list[tuple[Node, _Ctx, bool]],
    ) -> bool:
        """Read a loop over literal values round by round, where a command of its body uses one of them."""
        if self.rounds + len(rows) > MOST_ROUNDS or not self.uses(body, names):
            return False
        self.rounds += len(rows)
        stack.extend((node, ctx._replace(round=row), True) for row in reversed(rows))
        return True

    def uses(self, body: Node, names: tuple[str, ...]) -> bool:
        """Whether an assignment or a command of a loop's body, but not one that only prints, uses one of its variables."""
        marks = tuple(mark for name in names for mark in (f"${name}", f"${{{name}"))
        todo = [body]
        while todo:
            node = todo.pop()
            if node.type in {"command", "variable_assignment"}:
                text = self.cut(node.start_byte, node.end_byte)
                if not text.startswith(("echo ", "printf ")) and any(mark in text for mark in marks):
                    return True
            todo.extend(node.children)
        return False

    def lines_read(self, names: tuple[str, ...], ctx: _Ctx) -> list[tuple[tuple[str, str], ...]]:
        """What ``while read NAME`` gets, line by line, where the command line itself or a known file holds the text."""
        if not names:
            return []
        text = ctx.stdin
        if text is None and ctx.fed[1] and (source := self.last_in_pipe.get(ctx.fed[0])) is not None:
            text = printed(source)
        if text is None:
            text = ctx.scope.fed(ctx.redirects)
        if text is None or "$" in text or "`" in text:
            return []
        rows = []
        for line in text.splitlines():
            if line.strip() and not line.lstrip().startswith("#"):
                fields = line.split(None, len(names) - 1)
                rows.append(tuple(zip(names, (*fields, *[""] * len(names)), strict=False)))
        return rows

    def case(self, node: Node, ctx: _Ctx, ready: bool, stack: list[tuple[Node, _Ctx, bool]]) -> None:
        if not ready:
            inner = self.substitutions([c for c in node.children if c.type in _WORDS], ctx)
            if inner:
                stack.append((node, ctx, True))
                stack.extend(inner)
                return
        todo: list[tuple[Node, _Ctx, bool]] = []
        for item in node.children:
            if item.type != "case_item":
                continue
            within = False
            inner_ctx = ctx._replace(branch=True)
            children = item.children
            for index, child in enumerate(children):
                if child.type == ")":
                    within = True
                elif within and child.is_named and child.type != "comment":
                    detached = index + 1 < len(children) and children[index + 1].type == "&"
                    todo.append((child, inner_ctx._replace(detached=True) if detached else inner_ctx, False))
        stack.extend(reversed(todo))

    def assignments(self, node: Node, ctx: _Ctx, ready: bool, stack: list[tuple[Node, _Ctx, bool]]) -> None:
        if not ready:
            inner = self.substitutions([node], ctx)
            if inner:
                stack.append((node, ctx, True))
                stack.extend(inner)
                return
        parts = [node] if node.type == "variable_assignment" else node.children
        for part in parts:
            if part.type == "variable_assignment":
                name, _ = self.assign(self.cut(part.start_byte, part.end_byte), ctx)
                if ready:
                    self.assign_told(name, part, ctx)

    def assign(self, raw: str, ctx: _Ctx) -> tuple[str, str]:
        name, _, value = raw.partition("=")
        read = unquote(value, ctx.scope.env)
        literal = read.literal and not value.startswith("(") and not name.endswith("+")
        ctx.scope.assign(name.rstrip("+"), read.text if literal else None, ctx.branch)
        if value.startswith("(") and not name.endswith("+"):
            # An array stands beside the variables, under a name that none of them has.
            held = self.spelt(_split(value.removeprefix("(").removesuffix(")")), ctx)
            plain = bool(held) and not any(" " in item for item in held)
            ctx.scope.assign(f"{name}[@]", " ".join(held) if plain else None, ctx.branch)
        return name.rstrip("+"), read.text

    def assign_told(self, name: str, node: Node, ctx: _Ctx) -> None:
        """Remember what ``NAME=$(…)`` or ``NAME=($(…))`` holds, where what the commands print is a list that the line shows."""
        value = node.children[-1]
        array = value.type == "array"
        inner = (
            [child for child in value.children if child.is_named]
            if value.type in {"array", "string"}
            else [value]
        )
        if len(inner) != 1 or inner[0].type != "command_substitution":
            return
        text = self.told(inner[0], ctx)
        if text is not None and (held := " ".join(text.split())):
            key = f"{name}[@]" if array else name
            ctx.scope.poisoned.discard(key)
            ctx.scope.assign(key, held, ctx.branch)

    def flat(self, node: Node, ctx: _Ctx, ready: bool, stack: list[tuple[Node, _Ctx, bool]]) -> None:
        """``export A=b``, ``unset a``, ``[ -f x ]``: words split at blanks outside quotes."""
        if not ready:
            inner = self.substitutions([node], ctx)
            if inner:
                stack.append((node, ctx, True))
                stack.extend(inner)
                return
        raw = self.cut(node.start_byte, node.end_byte)
        words = []
        for part in _split(raw):
            if node.type == "declaration_command" and re.match(r"[A-Za-z_]\w*\+?=", part):
                name, value = self.assign(part, ctx)
                words.append(f"{name}={value}")
            else:
                words.append(unquote(part, ctx.scope.env).text)
        self.emit(words, ctx, self.span(node))

    def substitutions(self, nodes: list[Node], ctx: _Ctx) -> list[tuple[Node, _Ctx, bool]]:
        """Substitutions inside these nodes, last first, ready for the stack."""
        found: list[Node] = []
        todo = list(nodes)
        while todo:
            node = todo.pop()
            kind = node.type
            if kind in _SUBSTITUTIONS:
                found.append(node)
            elif kind not in _LEAVES and node.child_count:
                todo.extend(node.children)
        if ctx.scope.expanded:
            found = [n for n in found if self.cut(n.start_byte, n.end_byte) not in ctx.scope.expanded]
        found.sort(key=lambda n: n.start_byte, reverse=True)
        return [(n, ctx, False) for n in found]

    def command(self, node: Node, ctx: _Ctx, ready: bool, stack: list[tuple[Node, _Ctx, bool]]) -> None:
        start, end = node.start_byte, node.end_byte
        raw = self.cut(start, end)
        children = node.children
        if not ready and _MARKS.search(raw):
            inner = self.substitutions(children, ctx)
            if inner:
                stack.append((node, ctx, True))
                stack.extend(inner)
                return
        words: list[str] = []
        assigns: list[tuple[str, str]] = []
        guessed = False
        used_loops: tuple[str, ...] = ()
        each = False
        redirects: list[Redirect] = []
        env = ctx.scope.env
        previous = start
        parts: list[str] = []
        for child in children:
            begin, finish, kind = child.start_byte, child.end_byte, child.type
            if begin > previous + 1 or (begin > previous and previous == start):
                gap = self.cut(previous, begin).replace("\\\n", " ").strip()
                if gap:
                    parts.extend(gap.split())
            previous = finish
            if kind == "variable_assignment":
                text = self.cut(begin, finish)
                name, _, value = text.partition("=")
                assigns.append((name, unquote(value, env).text))
            elif kind == "file_redirect":
                if begin in self.bodies:
                    ctx = ctx._replace(stdin=self.here(child, ctx))
                else:
                    redirects.append(self.redirect(child, ctx))
            elif kind == "ERROR":
                self.broken = True
                parts.append(self.cut(begin, finish))
            elif finish > begin and kind != "comment":
                parts.append(self.cut(begin, finish))
        if previous < end:
            parts.extend(self.cut(previous, end).replace("\\\n", " ").split())
        # The grammar ends a command before a lone `-` that stands last; it belongs to the words.
        tail = self.cut(end, end + 3)
        if tail[:2] == " -" and (len(tail) == 2 or tail[2] in " \n;|&<>"):
            parts.append("-")
        if self.bodies and "<H" in raw:
            parts = [self.restored(part) for part in parts]
        for part in parts:
            read = unquote(part, env)
            guessed = guessed or read.guessed
            if not read.literal:
                for name, values in ctx.loop:
                    if f"${name}" in part or f"${{{name}}}" in part:
                        used_loops = values
                        each = True
            if "{" in part and (_BRACES.search(part) or _RANGE.search(part)):
                words.extend(unquote(w, env).text for w in braces(part))
            else:
                words.append(read.text)
        if redirects:
            ctx = ctx._replace(redirects=(*redirects, *ctx.redirects))
        body = self.functions.get(words[0]) if words else None
        if body is not None and words[0] not in ctx.calls and self.calls < MOST_CALLS:
            self.calls += 1
            # Positional arguments are literal assignments too; a copy keeps them out of the caller.
            inside = Scope(ctx.scope)
            inside.env.update(
                {str(i): w for i, w in enumerate(words[1:10], 1) if "$" not in w and "`" not in w}
            )
            if len(words) > 1:
                inside.env["@"] = inside.env["*"] = " ".join(words[1:])
            stack.append((body, ctx._replace(scope=inside, calls=(*ctx.calls, words[0])), False))
            return
        piece = self.emit(words, ctx, self.span(node))
        piece.assigns = assigns
        piece.guessed = guessed
        piece.loop = used_loops
        piece.each = each
        piece.again = ctx.again and not each
        if ready:
            run = self.substitutions(children, ctx)
            piece.expanded = frozenset(self.cut(n.start_byte, n.end_byte) for n, _, _ in run)

    def restored(self, part: str) -> str:
        """A word that holds a here-document (``"$(cat <<'EOF' …)"``) as it was written, its quotes removed."""
        if "<H" not in part:
            return part
        at = self.text.find(part)
        if at < 0:
            return part
        written = self.original[at : at + len(part)]
        return "'" + written.strip('"').replace("'", "'\\''") + "'"

    def emit(self, words: list[str], ctx: _Ctx, span: tuple[int, int]) -> Piece:
        runs_if = ctx.runs_if
        if ctx.scope.errexit and runs_if == "always" and self.pieces:
            runs_if = "after_success"
        piece = Piece(
            words,
            scope=ctx.scope,
            runs_if=runs_if,
            detached=ctx.detached,
            redirects=ctx.redirects,
            stdin=ctx.stdin,
            span=span,
        )
        piece.feeds = ctx.feeds
        piece.substituted, piece.shown = ctx.substituted, ctx.shown
        pipe, fed = ctx.fed
        if pipe:
            if fed:
                piece.fed_by = self.last_in_pipe.get(pipe)
            self.last_in_pipe[pipe] = piece
        if words and words[0] == "set" and len(words) > 1:
            flags = "".join(w for w in words[1:] if w[:1] == "-")
            if "e" in flags.replace("pipefail", ""):
                ctx.scope.errexit = True
            elif "+e" in words:
                ctx.scope.errexit = False
        self.pieces.append(piece)
        self.files_written(piece)
        return piece

    def files_written(self, piece: Piece) -> None:
        """Remember the lists that a command writes to files or reads into arrays."""
        words = piece.words
        if words[:1] in (["mapfile"], ["readarray"]):
            text = piece.stdin if piece.stdin is not None else piece.scope.fed(piece.redirects)
            if text is not None and "$" not in text and (held := text.split()):
                piece.scope.assign(f"{words[-1]}[@]", " ".join(held), branch=False)
            return
        for redirect in piece.redirects:
            if (
                redirect.op in {">", ">|", ">>"}
                and redirect.fd in {"", "1"}
                and redirect.file[:1] not in {"&", ""}
            ):
                text = printed(piece) if words[:1] in (["echo"], ["printf"], ["cat"], ["seq"]) else None
                if redirect.op == ">>" and text is not None:
                    before = piece.scope.held(redirect.file)
                    text = None if before is None else f"{before.rstrip()}\n{text}"
                if text is not None or piece.scope.files:
                    piece.scope.keep(redirect.file, text)

    def rescue(self, node: Node, ctx: _Ctx, stack: list[tuple[Node, _Ctx, bool]]) -> None:
        """A broken stretch: whole statements in it are taken, loose words before the first oddity make one command."""
        todo: list[tuple[Node, _Ctx, bool]] = []
        words: list[Node] = []
        for child in node.children:
            kind = child.type
            if kind in _WORDS or kind == "command_name":
                words.append(child)
            elif child.is_named and kind != "comment":
                if words:
                    self.loose(words, ctx)
                    words = []
                todo.append((child, ctx, False))
            elif kind in {";", "&&", "||", "|", "\n", "do", "then", "else"} and words:
                self.loose(words, ctx)
                words = []
        if words:
            self.loose(words, ctx)
        stack.extend(reversed(todo))

    def loose(self, nodes: list[Node], ctx: _Ctx) -> None:
        words = [unquote(self.cut(n.start_byte, n.end_byte), ctx.scope.env).text for n in nodes]
        words = [w for w in words if w.strip()]
        if words and re.match(r"[\w./~-]+$", words[0]):
            start = self.span(nodes[0])[0]
            self.emit(words, ctx, (start, self.span(nodes[-1])[1]))


_SPLIT = lazy(r"(?:\\.|'[^']*'|\"(?:\\.|[^\"\\])*\"|\$\([^()]*\)|[^\s'\"\\])+", re.DOTALL)


def _split(raw: str) -> list[str]:
    """Words of a flat construct at blanks outside quotes; nothing in it is ever lost, an open quote is a word."""
    return [m.group() for m in _SPLIT.finditer(raw)]


_TIMED = lazy(r"\s{0,80}time(?:\s+-p)?(?=\s+(?:\{\s|(?:for|while|until|if|case)\s))")


def parse(line: str, scope: Scope | None = None) -> Parsed:
    """Read one command line; never fails, whatever the line holds."""
    first = scope if scope is not None else Scope()
    text = line.replace("\r\n", "\n").replace("\0", "\ufffd")
    if (timed := _TIMED.match(text)) is not None:
        # The grammar knows `time` as a program only; before a group or a loop it is blanked.
        text = " " * timed.end() + text[timed.end() :]
    partly = len(text) > LONGEST
    if partly:
        text = text[:LONGEST]
    clean, bodies, closing, is_open = _scan(text)
    if is_open:
        partly = True
        # Deep nesting cannot be a command; closing thousands of brackets would only cost time.
        if closing and len(closing) <= 8:
            clean += closing
    length = (
        LONGEST_COMMANDS + sum(len(body or "") for body in bodies.values()) if bodies else LONGEST_COMMANDS
    )
    if len(clean) > length:
        clean, partly = clean[:length], True
    sound = _sound(clean)
    if sound is not clean:
        clean, partly = sound, True
    source = clean.encode("utf-8", "replace")
    if bodies and len(source) != len(clean):
        bodies = {len(clean[:at].encode("utf-8", "replace")): body for at, body in bodies.items()}
    root = _tree(source).root_node
    walk = _Walk(clean, text + closing, source, bodies, first=first)
    walk.run(root)
    _put_back(walk.pieces, line)
    return Parsed(walk.pieces, partly or root.has_error or walk.broken)


def _put_back(pieces: list[Piece], line: str) -> None:
    """Let spans speak of the line as it was given: with its ``\\r\\n``, and without what closed it."""
    returns = [found.start() - number for number, found in enumerate(re.finditer("\r\n", line))]
    for piece in pieces:
        # A place after the line feed of ``\r\n`` lies one further for each of them before it.
        start, end = (at + bisect_left(returns, at) for at in piece.span)
        piece.span = min(start, len(line)), min(end, len(line))
