"""Takes wrappers off: what really runs behind ssh, sudo, docker exec, ``bash -c`` and the rest (``wrappers.toml``).

Works through a list of pending commands, never by recursion; nesting deeper than :data:`DEEPEST` is left as it is.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

import msgspec

from sessionlens.cache import lazy, toml
from sessionlens.shell.arguments import Arguments, read_arguments
from sessionlens.shell.command import RunsIf
from sessionlens.shell.parse import MOST_ROUNDS, Parsed, Piece, Redirect, Scope, braces, parse, printed
from sessionlens.targets import Target

DEEPEST = 12
"""Wrappers within wrappers that are followed."""
LONG_LINE = 10_000
"""Characters of a line inside a line that is followed at any depth; longer ones only through three wrappers."""
MOST_LEAVES = 4_000
"""Commands taken from one line."""


class Only(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A wrapper only when an option has one of these values, or, with ``absent``, is not there."""

    option: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    number: int = 0
    absent: bool = False


class Wrapper(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One row of ``wrappers.toml``; the file's head explains the fields."""

    names: tuple[str, ...]
    sub: tuple[str, ...] = ("",)
    values: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    need: tuple[str, ...] = ()
    operands: int = 0
    operands_of: dict[str, int] = {}
    operands_unless: tuple[str, ...] = ()
    then: str = "words"
    option: tuple[str, ...] = ()
    inside: str = ""
    stdin: bool | tuple[str, ...] = False
    assigns: bool = False
    keep: tuple[str, ...] = ()
    host: int | tuple[str, ...] = 0
    host_file: tuple[str, ...] = ()
    user: tuple[str, ...] = ()
    container: int = 0
    container_image: int = 0
    compose: int = 0
    k8s: int = 0
    namespace: tuple[str, ...] = ()
    context: tuple[str, ...] = ()
    docker_host: tuple[str, ...] = ()
    process: tuple[str, ...] = ()
    detached: bool | tuple[str, ...] | str = False
    limit: int = 0
    ends: tuple[str, ...] = ()
    subshell: bool = False
    only: Only | None = None
    only_operand: Only | None = None
    silent: bool = False
    dash_operand: bool = False
    command_first: bool = False
    bare: bool = False
    single: bool = False
    values_too: tuple[str, ...] = ()
    version: bool = False
    per: dict[str, tuple[str, ...]] = {}
    own_options: bool = False
    exec: tuple[str, ...] = ()
    many: bool = False
    rounds: bool = False

    def values_for(self, name: str) -> frozenset[str]:
        """Options of the program ``name`` that take a value."""
        return _values(self, name)


@cache
def _values_of(values: tuple[str, ...], flags: tuple[str, ...], more: tuple[str, ...]) -> frozenset[str]:
    return frozenset(values) - frozenset(flags) | frozenset(more)


def _values(wrapper: Wrapper, name: str) -> frozenset[str]:
    own = wrapper.per.get(name)
    return _values_of(wrapper.values if own is None else own, wrapper.flags, wrapper.values_too)


class _Row(msgspec.Struct, frozen=True):
    wrapper: Wrapper
    prefix: tuple[str, ...]
    """Words that must follow the program's name."""


class _File(msgspec.Struct, forbid_unknown_fields=True):
    wrapper: tuple[Wrapper, ...]


@cache
def _rows() -> dict[str, tuple[_Row, ...]]:
    file = msgspec.convert(toml(files("sessionlens.shell").joinpath("wrappers.toml")), _File)
    table: dict[str, list[_Row]] = {}
    for wrapper in file.wrapper:
        for name in wrapper.names:
            first, *more = name.split()
            for sub in wrapper.sub:
                table.setdefault(first, []).append(_Row(wrapper, (*more, *sub.split())))
    # `docker compose exec` before `docker exec`: the longer prefix says more.
    return {name: tuple(sorted(rows, key=lambda r: -len(r.prefix))) for name, rows in table.items()}


class Leaf:
    """One command that would really run, with all that its wrappers say about where and when."""

    __slots__ = (
        "again", "also", "assigns", "compose", "container", "context", "depth", "detached", "docker_host", "each", "expanded", "fed_by", "feeds",
        "guessed", "host", "limit_s", "loop", "low", "namespace", "note", "outer", "outer_host", "outer_via", "partly", "pod", "redirects",
        "runs_if", "scope", "shown", "sought", "span", "stdin", "substituted", "via", "words",
    )  # fmt: skip

    def __init__(self, piece: Piece) -> None:
        self.words: list[str] = piece.words
        self.assigns = piece.assigns
        self.via: tuple[str, ...] = ()
        self.runs_if: RunsIf = piece.runs_if
        self.detached = piece.detached
        self.redirects: tuple[Redirect, ...] = piece.redirects
        self.outer: tuple[Redirect, ...] = ()
        """Redirections on this side of ssh or docker exec."""
        self.outer_host: str | None = None
        """Host on which the innermost of them are."""
        self.outer_via = 0
        """How many wrappers are around them."""
        self.stdin = piece.stdin if piece.stdin is not None else piped_text(piece.fed_by)
        self.fed_by: Piece | None = piece.fed_by
        self.feeds = piece.feeds
        self.scope: Scope = piece.scope
        self.span = piece.span
        self.guessed = piece.guessed
        self.loop = piece.loop
        self.again = piece.again
        self.each = piece.each
        """It runs for each of several names that the line does not show."""
        self.substituted = piece.substituted
        self.shown = piece.shown
        """Another command prints its output."""
        self.expanded = piece.expanded
        self.partly = False
        self.host: str | None = None
        self.context: str | None = None
        self.namespace: str | None = None
        self.docker_host: str | None = None
        self.container: str | None = None
        self.compose: str | None = None
        self.pod: str | None = None
        self.also: tuple[Target, ...] = ()
        self.limit_s: float | None = None
        self.low = False
        """Something in it could only be supposed."""
        self.note = ""
        self.depth = 0
        self.sought = ""
        """What the next command in the pipe filters for."""

    def inside(self, words: list[str], via: str) -> Leaf:
        """The command behind a wrapper; all else carries over."""
        made = Leaf.__new__(Leaf)
        for slot in Leaf.__slots__:
            setattr(made, slot, getattr(self, slot))
        made.words = words
        made.via = (*self.via, via) if via else self.via
        made.depth = self.depth + 1
        return made


def piped_text(source: Piece | None) -> str | None:
    """What an ``echo``, ``printf`` or ``cat <<EOF`` before the pipe writes, where the line shows it."""
    if source is None or not source.words:
        return None
    first = source.words[0]
    if first in {"echo", "printf"}:
        text = " ".join(w for w in source.words[1:] if w not in {"-e", "-n", "-ne", "-en", "%s\\n", "%s"})
        return text.replace("\\n", "\n") if first == "printf" or "-e" in source.words[1:3] else text
    if first == "cat" and len(source.words) == 1:
        return source.stdin
    if first == "tee" or (first == "sudo" and len(source.words) > 1 and source.words[1] == "tee"):
        return source.stdin
    return None


def base_name(word: str) -> str:
    """Program name without its folder: ``/usr/bin/systemctl`` is systemctl."""
    if "/" in word:
        word = word.rstrip("/").rsplit("/", 1)[-1]
    elif "\\" in word and word.lower().endswith(".exe"):
        word = word.rsplit("\\", 1)[-1]
    return word


_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def seconds(text: str) -> float | None:
    """A duration as ``timeout`` reads it (``20``, ``1.5m``), in seconds."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([smhd]?)", text)
    return float(found[1]) * _UNITS.get(found[2], 1.0) if found else None


_ASSIGN = lazy(r"[A-Za-z_][A-Za-z0-9_]*=")
_KEYS = frozenset(
    {"Enter", "C-m", "KPEnter", "Space", "Tab", "Escape", "C-c", "C-d", "C-z", "q", "C-l", "C-u", "BSpace"}
)


def host_of(destination: str) -> str:
    """Host of ``user@host``, ``ssh://user@host:22/``, ``host:port``."""
    text = destination.removeprefix("ssh://").rsplit("@", 1)[-1]
    text = text.split("/", 1)[0] if not text.startswith("$") else text
    if text.count(":") == 1:
        text = text.split(":", 1)[0]
    return text[1:].split("]", 1)[0] if text.startswith("[") else text


def unwrap(parsed: Parsed) -> tuple[list[Leaf], bool]:
    """All commands that would run, in order, and whether any part of the line was broken."""
    partly = parsed.partly
    done: list[Leaf] = []
    stack = [Leaf(piece) for piece in reversed(parsed.pieces)]
    rows = _rows()
    while stack and len(done) < MOST_LEAVES:
        leaf = stack.pop()
        if not leaf.words:
            done.append(leaf)
            continue
        if leaf.words[0] == "cd":
            _change_folder(leaf)
        elif leaf.words[0] == "git":
            _change_branch(leaf)
        elif leaf.depth < DEEPEST:
            name = base_name(leaf.words[0])
            found = rows.get(name)
            inner = None
            if found is not None:
                for row in found:
                    inner = _rounds(row, name, leaf) or _apply(row, name, leaf)
                    if inner is not None:
                        inner = _on_each(inner) if row.wrapper.many else inner
                        break
            if inner is not None:
                partly = partly or any(x.partly for x in inner)
                stack.extend(reversed(inner))
                continue
        done.append(leaf)
    return done, partly or bool(stack)


_CHOOSES = lazy(r"\b(?:and|or|not)\b|\b[A-Z]@|[*?:!&]")
"""Words and marks of what chooses hosts by what they are, not by their names."""
_BRACKETS = lazy(r"\[([\d,-]{1,200})\]")
_APART = lazy(r"[\s,]+")


def hosts_of(listed: str) -> list[str]:
    """The hosts of a list as cluster shells write it: ``es1,es2``, ``"es1 es2"``, ``es[1-3,7]``, ``es{1..3}``."""
    inside = _BRACKETS.sub(lambda found: found.group().replace(",", ";"), listed)
    hosts: list[str] = []
    for word in _APART.split(inside):
        found = _BRACKETS.search(word.replace(";", ","))
        if found is None:
            hosts.extend(braces(word))
            continue
        for part in found[1].split(","):
            first, _, last = part.partition("-")
            numbers = braces(f"{{{first}..{last}}}") if last else [first]
            hosts.extend(word[: found.start()] + number + word[found.end() :] for number in numbers)
    return list(dict.fromkeys(host for host in hosts if host))[:MOST_ROUNDS]


def _on_each(inner: list[Leaf]) -> list[Leaf]:
    """What a wrapper runs on a list of hosts, host by host."""
    made: list[Leaf] = []
    hosts = hosts_of(inner[0].host or "") if inner else []
    if len(hosts) < 2 or "$" in (inner[0].host or "") or _CHOOSES.search(inner[0].host or "") is not None:
        return inner
    for host in hosts:
        for leaf in inner:
            one = leaf.inside(list(leaf.words), "")
            one.depth, one.host = leaf.depth, host_of(host)
            made.append(one)
    return made


def _rounds(row: _Row, name: str, leaf: Leaf) -> list[Leaf] | None:
    """What ``xargs`` and ``parallel`` run for each of the items that the line itself gives them."""
    wrapper, words = row.wrapper, leaf.words
    if not wrapper.rounds:
        return None
    args = read_arguments(words, wrapper.values_for(name), single=wrapper.single, stop_after=1)
    if not args.at:
        return None
    start = args.at[0]
    rest = words[start:]
    given = next((end for end in wrapper.ends if end in rest), None)
    mark = args.value(("-I", "-i", "--replace"))
    text = printed(leaf.fed_by) if leaf.fed_by is not None else leaf.stdin
    file = args.value(("-a", "--arg-file")) or next((one.file for one in leaf.redirects if one.op == "<"), "")
    if given == "::::" and rest.index(given) + 2 == len(rest):
        file, rest, given = rest[-1], rest[:-2], None
    if file:
        text = leaf.scope.held(file)
    if given is not None:
        if given != ":::" or rest.count(":::") > 1:
            return None
        items = rest[rest.index(given) + 1 :]
        rest = rest[: rest.index(given)]
    elif text is None or "$" in text or "`" in text:
        leaf.each = True
        return None
    else:
        # Both options at once contradict each other; whoever writes them means one item a run.
        lines = name == "parallel" or (mark is not None and args.value(("-n", "--max-args")) != "1")
        items = [item.strip() for item in (text.splitlines() if lines else text.split())]
    items = [item for word in items if word for item in braces(word)]
    mark = mark or ("{}" if name == "parallel" else None)
    in_words = mark is not None and any(mark in word for word in rest)
    one_each = in_words or name == "parallel" or args.value(("-n", "--max-args", "-L")) == "1"
    if not items or len(items) > MOST_ROUNDS or not rest:
        leaf.each = True
        return None
    made: list[Leaf] = []
    for group in [[item] for item in items] if one_each else [items]:
        words_now = [word.replace(mark, group[0]) for word in rest] if in_words and mark else [*rest, *group]
        one = leaf.inside(words_now, name)
        one.stdin, one.fed_by = None, None
        if wrapper.then == "shell":
            scope = Scope(leaf.scope)
            made.extend(lines_inside(one, " ".join(words_now), scope))
        else:
            made.append(one)
    return made


def _change_folder(leaf: Leaf) -> None:
    place = next((w for w in leaf.words[1:] if w != "--"), "~")
    if place == "-" or "$(" in place:
        leaf.scope.cwd = None
    elif place.startswith(("/", "~", "$")) or leaf.scope.cwd is None:
        leaf.scope.cwd = place
    else:
        leaf.scope.cwd = join_path(leaf.scope.cwd, place)


def _change_branch(leaf: Leaf) -> None:
    """``git checkout release && … && git push``: what is pushed is the branch that was entered."""
    words = leaf.words
    for verb in ("checkout", "switch"):
        if verb in words[1:4]:
            named = [w for w in words[words.index(verb) + 1 :] if not w.startswith("-")]
            if (
                named
                and "--" not in words
                and (len(named) == 1 or "-b" in words or "-B" in words or "-c" in words)
            ):
                leaf.scope.env["__branch"] = named[0]
            return


def join_path(folder: str, name: str) -> str:
    """``name`` as seen from ``folder``, dots resolved."""
    if name.startswith(("/", "~", "$")):
        return name
    parts = folder.rstrip("/").split("/")
    for part in name.split("/"):
        if part == "..":
            if len(parts) > 1:
                parts.pop()
        elif part not in {"", "."}:
            parts.append(part)
    return "/".join(parts) or "/"


def _apply(row: _Row, name: str, leaf: Leaf) -> list[Leaf] | None:
    """The commands behind this wrapper, or ``None`` when it wraps nothing here."""
    wrapper = row.wrapper
    words = leaf.words
    prefix = row.prefix
    if wrapper.then == "exec":
        return _find_exec(wrapper, leaf)
    if prefix and (len(words) <= len(prefix) or prefix[0] not in words):
        return None
    if wrapper.dash_operand and "-" in words[1:3]:
        # `su - postgres`: the dash means a login shell, the user comes after it.
        words = [w for w in words if w != "-"]
    values = _values(wrapper, name)
    own = wrapper.operands_of.get(name, wrapper.operands)
    if wrapper.only is not None and not wrapper.only.option:
        return None
    total = len(prefix) + own
    # With operands of its own the wrapper ends at the last of them; without, options go on to the inner command.
    args = read_arguments(words, values, single=wrapper.single, stop_after=total + 1 if own == 0 else total)
    if prefix and tuple(args.operands[: len(prefix)]) != prefix:
        return None
    if wrapper.then == "sub":
        return [leaf.inside(words[args.at[0] :], name)]
    if wrapper.own_options:
        return _shell(leaf, name, args)
    if any(args.has(o) for o in wrapper.operands_unless):
        total -= own
        own = 0
        args = read_arguments(words, values, stop_after=max(total, 1))
    if own == 0:
        after = args.at[total] if len(args.at) > total else len(words)
    elif len(args.at) >= total:
        after = args.at[total - 1] + 1
    else:
        after = len(words)
    rest_given = args.rest >= 0 and not args.at
    options = args
    if wrapper.k8s or wrapper.then == "dashdash":
        try:
            dashes = words.index("--", 1)
        except ValueError:
            dashes = -1
        if dashes >= 0:
            after = dashes + 1
            options = read_arguments(words[:dashes], values, single=wrapper.single)
            if len(options.operands) < total and wrapper.k8s:
                return None
            args = options
        elif wrapper.k8s and len(args.at) >= total:
            while after < len(words) and words[after] in values:
                options.options.setdefault(words[after], []).append(
                    words[after + 1] if after + 1 < len(words) else ""
                )
                after += 2
            while after < len(words) and words[after] in {"-it", "-i", "-t", "-ti"}:
                after += 1
    elif wrapper.then in {"shell", "option"} and not rest_given:
        # ssh and its kin take options after the host as well; `option` wrappers have theirs anywhere.
        more = read_arguments(
            words, values, single=wrapper.single, stop_after=-1 if wrapper.then == "option" else total + 1
        )
        options = more
        if wrapper.then == "shell":
            after = more.at[total] if len(more.at) > total else len(words)
        elif len(more.operands) > len(args.operands):
            args = more
    if rest_given and total == 0:
        after = args.rest
    if any(options.has(o) for o in wrapper.unless):
        return None
    if wrapper.need and not any(options.has(o) for o in wrapper.need):
        return None
    if wrapper.only is not None:
        chosen = options.value(wrapper.only.option)
        if (chosen is None and not wrapper.only.absent) or (
            chosen is not None and chosen not in wrapper.only.values
        ):
            return None
    own_operands = args.operands[len(prefix) : len(prefix) + own]
    if wrapper.only_operand is not None:
        number = wrapper.only_operand.number
        if len(own_operands) < number or own_operands[number - 1] not in wrapper.only_operand.values:
            return None
    while after < len(words) and words[after] == "--":
        after += 1
    assigns: list[tuple[str, str]] = []
    if wrapper.assigns:
        while after < len(words) and (_ASSIGN.match(words[after]) or words[after] == "--"):
            key, _, value = words[after].partition("=")
            assigns.append((key, value))
            after += 1
    rest = words[after:]
    for end in wrapper.ends:
        if end in rest:
            rest = rest[: rest.index(end)]
    shown = ["-", *own_operands] if words is not leaf.words else own_operands
    via = _via(wrapper, name, prefix, options=options, operands=shown, assigns=assigns)
    made = leaf.inside(rest, "" if wrapper.silent else via)
    if assigns:
        made.assigns = [*leaf.assigns, *assigns]
    _places(wrapper, made, options, own_operands)
    if wrapper.limit and own_operands:
        made.limit_s = seconds(own_operands[wrapper.limit - 1]) or made.limit_s
    if _detaches(wrapper, options):
        made.detached = True
    if wrapper.subshell:
        made.outer = (*leaf.redirects, *leaf.outer)
        if leaf.redirects:
            made.outer_host, made.outer_via = leaf.host, len(leaf.via)
        made.redirects = ()
    line: str | None = None
    option = options.value(wrapper.option) if wrapper.option else None
    if wrapper.then == "words" and rest and rest[0].startswith("(") and rest[-1].endswith(")"):
        # `time (make && make install)`: the grammar takes the subshell for a word.
        line = " ".join(rest)
    elif wrapper.then == "words" and len(rest) > 1 and rest[0] in wrapper.option:
        # `runuser -l app -c '…'`, `flock FILE -c '…'`: the option comes after the operand.
        option = rest[1]
    elif wrapper.then == "option" and option is None and options.rest > 0:
        # `gcloud compute ssh HOST -- …`
        rest = words[options.rest :]
        if rest and not rest[0].startswith("-"):
            line = rest[0] if len(rest) == 1 else " ".join(map(_requote, rest))
    if option is not None and wrapper.inside:
        found = re.search(wrapper.inside, option, re.DOTALL)
        # Several lines are a JSON list; its quotes and commas are no part of the commands.
        line = re.sub(r"""["']\s*,\s*["']""", "\n", found[1]) if found else None
    elif option is not None:
        line = option
    elif wrapper.then == "shell" and rest:
        line = (
            rest[0]
            if len(rest) == 1
            else " ".join(rest)
            if name in {"ssh", "eval"}
            else " ".join(map(_requote, rest))
        )
    elif wrapper.then == "keys":
        return _keys(made, rest)
    if line is not None and re.fullmatch(r"\$\([^()]*\)|`[^`]*`", line.strip()):
        # What runs is the output of another command, which the line does not show.
        made.words, made.depth, made.low = [line.strip()], DEEPEST, True
        return [made]
    if line is not None:
        return _lines(made, line, wrapper)
    if wrapper.then in {"words", "dashdash"} and rest:
        entry = options.value(("--entrypoint",)) if wrapper.command_first else None
        if entry:
            made.words = rest = [entry, *rest]
        if wrapper.command_first and rest[0].startswith("-"):
            return None
        if wrapper.command_first and wrapper.container_image and not re.match(r"[\w./-]+$", rest[0]):
            return None
        if wrapper.version and "@" in rest[0][1:]:
            rest[0] = rest[0][0] + rest[0][1:].split("@", 1)[0]
        if rest[0].startswith("-") and wrapper.bare:
            return None
        return [made]
    if rest and wrapper.then in {"words", "dashdash"}:
        return [made]
    takes = wrapper.stdin if isinstance(wrapper.stdin, bool) else any(options.has(o) for o in wrapper.stdin)
    if takes and made.stdin is not None:
        script = made.stdin
        made.stdin = None
        made.fed_by = None
        return _lines(made, script, wrapper)
    if takes and name == "ssh":
        made.words = ["ssh", *own_operands]
        made.via = leaf.via
        made.depth = DEEPEST
        return [made]
    return None


def _requote(word: str) -> str:
    return "'" + word.replace("'", "'\\''") + "'" if re.search(r"[\s'\"$;&|<>()*?\\]", word) else word


def _via(
    wrapper: Wrapper,
    name: str,
    prefix: tuple[str, ...],
    *,
    options: Arguments,
    operands: list[str],
    assigns: list[tuple[str, str]],
) -> str:
    parts = [name, *prefix]
    for option in wrapper.keep:
        held = options.options.get(option)
        if held:
            parts += [option, held[-1]]
    shown = list(operands)
    if wrapper.user and shown:
        user = options.value(wrapper.user)
        if user and "@" not in shown[0]:
            shown[0] = f"{user}@{shown[0]}"
    parts += shown
    if name == "env":
        parts += [f"{key}={value}" for key, value in assigns]
    return " ".join(parts)


def _places(wrapper: Wrapper, made: Leaf, options: Arguments, operands: list[str]) -> None:
    def operand(number: int) -> str | None:
        return operands[number - 1] if 0 < number <= len(operands) else None

    host = operand(wrapper.host) if isinstance(wrapper.host, int) else options.value(wrapper.host)
    if host and wrapper.many and not isinstance(wrapper.host, int):
        host = ",".join(value for option in wrapper.host for value in options.options.get(option, []))
    if host is None and (file := options.value(wrapper.host_file)):
        # Of a file that the session does not show the hosts are those of a group without names.
        text = made.scope.held(file)
        lines = [line.split() for line in (text or "").splitlines()]
        listed = [words[0] for words in lines if words and words[0][0] not in "#;["]
        made.each = made.each or not 0 < len(listed) <= MOST_ROUNDS
        made.host = f"$(cat {file})" if made.each else ",".join(map(host_of, listed))
    if host:
        made.host = host_of(host)
    namespace = options.value(wrapper.namespace)
    if namespace:
        made.namespace = namespace
    context = options.value(wrapper.context)
    if context:
        made.context = context
    remote = options.value(wrapper.docker_host)
    if remote and "://" in remote and not remote.startswith("unix:"):
        made.host = host_of(remote.split("://", 1)[1])
    if container := operand(wrapper.container):
        made.container = container
        made.also = (*made.also, Target(kind="container", name=container, host=made.host))
    if image := operand(wrapper.container_image):
        made.container = options.value(("--name",)) or image
    if service := operand(wrapper.compose):
        made.compose = service
        made.container = service
        made.also = (
            *made.also,
            Target(kind="compose", name=service, host=made.host, namespace=made.namespace),
        )
    if pod := operand(wrapper.k8s):
        from sessionlens.shell.names import k8s_name

        made.pod = pod
        made.container = pod
        made.also = (
            *made.also,
            Target(kind="k8s", name=k8s_name([pod], "pod"), context=made.context, namespace=made.namespace),
        )
    if session := options.value(wrapper.process):
        made.also = (*made.also, Target(kind="process", name=session, host=made.host))


def _detaches(wrapper: Wrapper, options: Arguments) -> bool:
    how = wrapper.detached
    if isinstance(how, bool):
        return how
    if isinstance(how, str):
        return not any(options.has(o) for o in how.removeprefix("unless:").split(","))
    return any(options.has(o) for o in how)


def _lines(made: Leaf, line: str, wrapper: Wrapper, *, errexit: bool = False) -> list[Leaf]:
    """A command line inside another one: its commands, each with what the wrapper gives them."""
    scope = Scope(None if wrapper.subshell else made.scope)
    scope.errexit = errexit
    if not wrapper.subshell:
        scope.cwd = made.scope.cwd
    return lines_inside(made, line, scope)


def lines_inside(made: Leaf, line: str, scope: Scope) -> list[Leaf]:
    """The commands of ``line``, run in ``scope``, with everything ``made`` knows about the place."""
    if made.depth > 3 and len(line) > LONG_LINE:
        rest = made.inside(line[:LONG_LINE].split(), "")
        rest.partly, rest.depth = True, DEEPEST
        return [rest]
    scope.expanded |= made.expanded
    head = line[:_MODE_WITHIN] if made.host is not None else ""
    if ("conf" in head or "system-view" in head) and (appliance := _appliance(made, line)):
        return appliance
    parsed = parse(line, scope)
    result: list[Leaf] = []
    last = len(parsed.pieces) - 1
    for index, piece in enumerate(parsed.pieces):
        inner = made.inside(piece.words, "")
        if piece.runs_if != "always":
            inner.runs_if = piece.runs_if
        inner.detached = made.detached or piece.detached
        inner.redirects = (*piece.redirects, *made.redirects)
        inner.scope = piece.scope
        inner.guessed = made.guessed or piece.guessed
        inner.loop = piece.loop or made.loop
        inner.each = piece.each or made.each
        inner.again = (piece.again or made.again) and not inner.each
        inner.substituted = made.substituted or piece.substituted
        inner.shown = piece.shown if piece.substituted else made.shown
        inner.feeds = piece.feeds or (made.feeds and index == last)
        inner.assigns = piece.assigns
        inner.expanded = made.expanded | piece.expanded
        if index == 0 and piece.stdin is None and piece.fed_by is None:
            inner.stdin, inner.fed_by = made.stdin, made.fed_by
        else:
            inner.stdin = piece.stdin if piece.stdin is not None else piped_text(piece.fed_by)
            inner.fed_by = piece.fed_by
        inner.partly = parsed.partly
        result.append(inner)
    return result


_MODE_WITHIN = 1_000
"""Characters at the beginning of a script in which it goes into the configuration mode of an appliance."""
_MODE = lazy(
    r"(?:^|[\n;])[ \t]*(?P<words>conf(?:ig|igure)?[ \t]+t(?:e(?:r(?:m(?:inal)?)?)?)?|configure(?:[ \t]+(?:private|exclusive))?|system-view"
    r"|config[ \t]+(?:firewall|system|router|vpn|user|log)(?:[ \t]+[\w-]{1,40}){0,3})[ \t]*(?=[\r\n;]|$)"
)
"""A line by which the command line of a router, a switch or a firewall takes what follows for its configuration."""
_LEAVES_MODE = lazy(
    r"[\n;][ \t]*(?:commit(?:-confirm)?(?:[ \t][^\n;]{0,60})?|end|return|save)[ \t\r]*(?=[\n;]|$)"
)
_SHOWS = lazy(r"[ \t]*(?:(?:run|do)[ \t]+)?(?P<words>(?:show|display)[ \t][^\n;|]{1,200})")


def _appliance(made: Leaf, script: str) -> list[Leaf] | None:
    """A script for the command line of an appliance: what it configures as one command, and the looks after that.

    ``None`` for a script of a shell. The words are those that go into the mode; what follows is what they are given.
    """
    mode = _MODE.search(script[:_MODE_WITHIN])
    if mode is None:
        return None
    first = made.inside(mode["words"].split(), "")
    first.stdin, first.fed_by = script[:LONG_LINE], None
    left = _LEAVES_MODE.search(script[:LONG_LINE], mode.end())
    after = script[left.end() : LONG_LINE] if left is not None else ""
    looks = [
        made.inside(found["words"].split(), "")
        for line in re.split(r"[\n;]", after)[:100]
        if (found := _SHOWS.fullmatch(line))
    ]
    for look in looks:
        look.stdin = look.fed_by = None
    return [first, *looks]


def _shell(leaf: Leaf, name: str, args: Arguments) -> list[Leaf] | None:
    """``bash -c '…'``, ``bash -s <<EOF``; a script file is a command of its own."""
    words = leaf.words
    if args.has("-c"):
        place = next(
            (i for i, w in enumerate(words) if w[:1] == "-" and "c" in w and not w.startswith("--")), 1
        )
        if place + 1 >= len(words):
            return None
        script_at = place + 1
        if words[script_at].startswith(("$(", "`")):
            return None
        while script_at < len(words) - 1 and words[script_at].startswith("-"):
            script_at += 1
        made = leaf.inside([], " ".join([name, *words[1 : place + 1]]))
        scope = Scope(leaf.scope)
        scope.errexit = args.has("-e") or "e" in words[place].replace("-c", "")
        scope.env.update({str(i): w for i, w in enumerate(words[script_at + 1 :]) if "$" not in w})
        return lines_inside(made, words[script_at], scope)
    if (not args.operands or args.has("-s")) and not args.has("-n"):
        if leaf.stdin is None:
            return None
        made = leaf.inside([], " ".join(w for w in words if w in {name, words[0], "-s"} or w.startswith("-")))
        scope = Scope(leaf.scope)
        scope.errexit = args.has("-e")
        script, made.stdin, made.fed_by = leaf.stdin, None, None
        return lines_inside(made, script, scope)
    return None


def _keys(made: Leaf, rest: list[str]) -> list[Leaf] | None:
    """Text typed into a terminal runs when Enter follows it."""
    typed = [w for w in rest if w not in {"-l", "--"}]
    text = "".join(w if w not in _KEYS else "\n" if w in {"Enter", "C-m", "KPEnter"} else "" for w in typed)
    if "\n" not in text.rstrip(" "):
        return None
    script = text.strip()
    if not script:
        return None
    made.note = "typed into a terminal of its own"
    return _lines(made, script, _TERMINAL)


_TERMINAL = Wrapper(names=(), subshell=True)


def _find_exec(wrapper: Wrapper, leaf: Leaf) -> list[Leaf] | None:
    words = leaf.words
    result: list[Leaf] = []
    index = 1
    while index < len(words):
        if words[index] in wrapper.exec:
            start = index + 1
            index = start
            while index < len(words) and words[index] not in wrapper.ends:
                index += 1
            inner = words[start:index]
            if inner:
                made = leaf.inside(inner, f"{base_name(words[0])} {words[start - 1]}")
                place = next((w for w in words[1:] if not w.startswith("-")), "")
                if place:
                    made.also = (*made.also, Target(kind="file", name=place, host=leaf.host))
                result.append(made)
        index += 1
    if result and "-delete" in words:
        return None
    return result or None
