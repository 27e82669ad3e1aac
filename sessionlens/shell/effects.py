"""From a command to what it does and to what: reads the tables in ``effects/`` and applies them.

A table is a TOML file a family; ``docs/commands.md`` explains its rows. No command is known here by name: what
this module knows are redirections, the languages of scripts, and how to read the rows.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files

import msgspec

from sessionlens.cache import OWN, lazy, toml
from sessionlens.shell import names
from sessionlens.shell.arguments import Arguments, read_arguments
from sessionlens.shell.command import CHANGES, CheckStrength, Command, Effect
from sessionlens.shell.messages import words_of
from sessionlens.shell.parse import Redirect
from sessionlens.shell.unwrap import Leaf, base_name, host_of, join_path
from sessionlens.targets import Confidence, Kind, Target, open_host

ORDER: tuple[Effect, ...] = (
    "reboot", "restart", "reload", "scale", "stop", "deploy", "start", "migrate", "write_data", "configure", "edit",
    "delete", "install", "transfer", "create", "build", "test", "check", "read", "none",
)  # fmt: skip
"""Of several effects of one script or SQL text the first here is told: CONTRACT §6's order, a change before a check."""

TEXT_ORDER: tuple[Effect, ...] = (*(e for e in ORDER[:17] if e != "reload"), "reload", *ORDER[17:])
"""The same for statements of one script or query: a reload that follows a change there only puts it into effect."""

LONG: frozenset[str] = frozenset({"reboot", "restart", "deploy", "start", "build", "test", "migrate"})
"""Effects that may outlast the usual limit unless the row says otherwise."""

_IN_EFFECT: frozenset[str] = frozenset({"start", "restart", "reload", "stop", "reboot"})
"""Effects that only put an earlier edit into effect."""

LONGEST_MATCHED = 4_000
"""Characters of a command that the patterns of the tables see."""
LONGEST_TEXT = 20_000
"""Characters of a query or script that are read."""
WRITTEN = 4_000
"""Characters kept of what a command writes."""


class Case(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One row: when it fits and what it says. ``docs/commands.md`` explains each field."""

    sub: str = ""
    has: tuple[str, ...] = ()
    all: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    match: str = ""
    lacks_match: str = ""
    first: str = ""
    any: str = ""
    min: int = 0
    max: int = -1
    stdin: bool | None = None
    fed: bool | None = None
    source: str = ""
    operands: str = ""
    lacks_operands: str = ""
    effect: Effect = "none"
    strength: CheckStrength | None = None
    dry: bool = False
    dry_if: tuple[str, ...] = ()
    detached: bool = False
    detached_if: tuple[str, ...] = ()
    long: bool | None = None
    kind: Kind | None = None
    name: str | tuple[str, ...] = ""
    host: str | tuple[str, ...] = ""
    context: str | tuple[str, ...] = ""
    namespace: str | tuple[str, ...] = ""
    also: tuple[str, ...] = ()
    remote: bool = False
    by_exit: bool = False
    by_exit_if: tuple[str, ...] = ()
    quiet: bool = False
    quiet_if: tuple[str, ...] = ()
    in_effect: bool | None = None
    script: bool = False
    low: bool = False
    note: str = ""
    text: str = ""
    text_as: str = ""
    writes: str = ""
    says: tuple[str, ...] = ()
    every: bool = False
    live: bool = False


class Program(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A program's rows, tried in order; what stands on the program holds for all of them."""

    names: tuple[str, ...]
    cases: tuple[Case, ...] = ()
    values: tuple[str, ...] = ()
    flags_of: dict[str, tuple[str, ...]] = {}
    values_of: dict[str, tuple[str, ...]] = {}
    single: bool = False
    glued: tuple[str, ...] = ()
    kind: Kind = "unknown"
    name: str | tuple[str, ...] = ""
    host: str | tuple[str, ...] = ""
    context: str | tuple[str, ...] = ""
    namespace: str | tuple[str, ...] = ""
    also: tuple[str, ...] = ()
    dry_if: tuple[str, ...] = ()
    detached_if: tuple[str, ...] = ()
    quiet_if: tuple[str, ...] = ()
    help: tuple[str, ...] = ("--help", "--version")
    own_machine: bool = False


class Statement(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A pattern of a query or script language and what it does."""

    match: str
    effect: Effect
    strength: CheckStrength | None = None
    kind: Kind | None = None
    name: str = ""
    long: bool | None = None


class Language(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a query or script language's statements are told apart."""

    name: str
    split: str = ""
    comment: str = ""
    quoted: str = ""
    lines: str = ""
    statements: tuple[Statement, ...] = ()


class Verb(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words in the name of a script or task that tell what it does."""

    words: tuple[str, ...]
    effect: Effect
    strength: CheckStrength | None = None
    also_long: bool | None = None


class _Family(msgspec.Struct, forbid_unknown_fields=True):
    program: tuple[Program, ...] = ()
    language: tuple[Language, ...] = ()
    verb: tuple[Verb, ...] = ()
    backup: str = ""
    log: str = ""
    config: str = ""
    scratch: str = ""


class _Compiled:
    __slots__ = ("by_sub", "later", "program", "rest", "values")

    def __init__(self, program: Program) -> None:
        self.program = program
        self.values = frozenset(program.values)
        self.later: dict[str, frozenset[str]] = {}
        for sub, flags in program.flags_of.items():
            self.later.update(dict.fromkeys(sub.split("|"), self.values - frozenset(flags)))
        for sub, values in program.values_of.items():
            for one in sub.split("|"):
                self.later[one] = self.later.get(one, self.values) | frozenset(values)
        self.by_sub: dict[str, list[tuple[int, tuple[str, ...], Case]]] = {}
        self.rest: list[tuple[int, tuple[str, ...], Case]] = []
        for index, case in enumerate(program.cases):
            if not case.sub:
                self.rest.append((index, (), case))
                continue
            for way in case.sub.split("|"):
                parts = tuple(way.split())
                self.by_sub.setdefault(parts[0], []).append((index, parts, case))


class Tables:
    """All families, ready for look-up."""

    def __init__(self) -> None:
        self.programs: dict[str, _Compiled] = {}
        self.second: dict[str, frozenset[str]] = {}
        self.languages: dict[str, Language] = {}
        self.verbs: dict[str, Verb] = {}
        self.log = self.config = self.scratch = self.backup = lazy("(?!)")
        second: dict[str, set[str]] = {}
        folder = files("sessionlens.shell").joinpath("effects")
        for file in sorted(folder.iterdir(), key=lambda f: f.name):
            if not file.name.endswith(".toml"):
                continue
            try:
                family = msgspec.convert(toml(file), _Family, str_keys=True)
            except ValueError as error:
                raise ValueError(f"shell/effects/{file.name}: {error}") from error
            for program in family.program:
                compiled = _Compiled(program)
                for name in program.names:
                    if name in self.programs:
                        raise ValueError(f"shell/effects/{file.name}: {name} is in two tables")
                    self.programs[name] = compiled
                    if " " in name:
                        first, _, more = name.partition(" ")
                        second.setdefault(first, set()).add(more)
            for language in family.language:
                self.languages[language.name] = language
            for verb in family.verb:
                for word in verb.words:
                    self.verbs[word] = verb
            for field in ("log", "config", "scratch", "backup"):
                pattern = getattr(family, field)
                if pattern:
                    setattr(self, field, lazy(pattern, re.IGNORECASE))
        self.second = {first: frozenset(more) for first, more in second.items()}


@cache
def tables() -> Tables:
    """The tables of ``effects/``, read once."""
    return Tables()


@lru_cache(maxsize=4096)
def _regex(pattern: str) -> re.Pattern[str]:
    return OWN.compile(pattern)


@lru_cache(maxsize=4096)
def _ways(pattern: str) -> tuple[tuple[frozenset[str] | None, str], ...]:
    """The alternatives of a pattern, each with the program names that it can begin with.

    Compiling the tables' patterns takes seconds; most begin with the names of programs, and those of other
    programs need never be compiled.
    """
    parts: list[str] = []
    depth = start = 0
    escaped = in_class = False
    for index, char in enumerate(pattern):
        if escaped:
            escaped = False
        elif char == "\\":
            escaped = True
        elif in_class:
            in_class = char != "]"
        elif char == "[":
            in_class = True
        elif char == "(":
            depth += 1
        elif char == ")":
            depth -= 1
        elif char == "|" and depth == 0:
            parts.append(pattern[start:index])
            start = index + 1
    parts.append(pattern[start:])
    if len(parts) > 1 and pattern.startswith("(?i)"):
        return ((None, pattern),)
    return tuple((_first_names(part), part) for part in parts)


_FIRST = lazy(r"\^(?:\(\?:(?P<several>[^()]+)\)|(?P<one>[A-Za-z0-9_-]+))(?: |\\b|\$)")
_PLAIN = lazy(r"[A-Za-z0-9_-](?:[A-Za-z0-9_-]|\\\.)*(?P<maybe>\?)?$")


def _first_names(pattern: str) -> frozenset[str] | None:
    found = _FIRST.match(pattern)
    if found is None:
        return None
    names_found: set[str] = set()
    for way in (found["several"] or found["one"]).split("|"):
        first = way.split(" ", 1)[0]
        plain = _PLAIN.match(first)
        if plain is None:
            return None
        name = first.replace("\\.", ".")
        if plain["maybe"]:
            names_found.update((name[:-1], name[:-2]))
        else:
            names_found.add(name)
    return frozenset(names_found)


def _matches(pattern: str, text: str) -> bool:
    first = text.split(" ", 1)[0]
    return any((can is None or first in can) and _regex(way).search(text) for can, way in _ways(pattern))


# --- templates ------------------------------------------------------------------------------------------------

_FIELD = lazy(r"\{([^{}]*)\}")


class Frame:
    """What a row's templates can speak of."""

    __slots__ = ("after", "args", "leaf", "operands", "sub", "words")

    def __init__(self, leaf: Leaf, words: Sequence[str], args: Arguments, sub: tuple[str, ...]) -> None:
        self.leaf = leaf
        self.words = words
        self.args = args
        self.sub = sub
        self.operands = args.operands[len(sub) :] if sub else args.operands


def _operand(frame: Frame, number: int) -> str:
    index = number - 1 if number > 0 else number
    try:
        return frame.operands[index]
    except IndexError:
        return ""


def _source(frame: Frame, source: str) -> str:
    if source.lstrip("-").isdigit():
        return _operand(frame, int(source))
    if source[:1] == "-":
        return frame.args.value((source,)) or ""
    if source[:1] == "$":
        name = source[1:]
        for key, value in reversed(frame.leaf.assigns):
            if key == name:
                return value
        return frame.leaf.scope.env.get(name, "")
    if source.endswith("="):
        for operand in frame.operands:
            if operand.startswith(source) and " " not in operand:
                return operand[len(source) :]
        # `-a "name=nginx state=restarted"`: settings inside one word
        for word in frame.words:
            found = re.search(rf"(?:^|\s){re.escape(source)}(\"[^\"]*\"|'[^']*'|\S+)", word)
            if found:
                return found[1].strip("\"'")
        return ""
    special = _SPECIALS.get(source)
    return special(frame) if special is not None else ""


_SHOWS_FILE = frozenset({"cat", "zcat", "gunzip", "gzcat", "zstdcat", "xzcat", "pv"})


def input_file(leaf: Leaf) -> str:
    """The file that standard input comes from, on whichever side of a wrapper it was opened."""
    opened = next((r.file for r in (*leaf.redirects, *leaf.outer) if r.op == "<" and r.fd in {"", "0"}), "")
    source = leaf.fed_by.words if leaf.fed_by is not None else []
    if not opened and len(source) > 1 and source[0] in _SHOWS_FILE:
        return source[-1]
    return opened


def _k8s_source(leaf: Leaf) -> str:
    """The object that a pipe into ``kubectl apply -f -`` begins with: ``kubectl get deploy web -o yaml | sed … |``."""
    piece = leaf.fed_by
    for _ in range(6):
        if piece is None or not piece.words:
            break
        if base_name(piece.words[0]) in {"kubectl", "oc", "k"}:
            values = tables().programs["kubectl"].values
            operands = read_arguments(piece.words, values).operands
            if operands[:1] == ["get"]:
                return names.k8s_name(operands[1:])
            if operands[:2] == ["create", "secret"] and len(operands) > 3:
                return f"secret/{operands[3]}"
            if operands[:1] == ["create"]:
                return names.k8s_name(operands[1:])
        piece = piece.fed_by
    return ""


def _k8s(frame: Frame) -> str:
    file = next(
        (held[0] for o in ("-f", "--filename", "-k", "--kustomize") if (held := frame.args.options.get(o))),
        None,
    )
    if file == "-" or (not frame.operands and file is None):
        found = names.manifest_names(frame.leaf.stdin or "")
        if found:
            return found[0]
    if file and not frame.operands:
        return file if file != "-" else _k8s_source(frame.leaf)
    name = names.k8s_name(frame.operands)
    selector = frame.args.value(("-l", "--selector"))
    if selector and "/" not in name:
        _, _, value = selector.split(",", 1)[0].partition("=")
        if value:
            return f"{name}/{value.lstrip('=')}"
    return name


def _flux_object(frame: Frame) -> str:
    """``kustomization apps`` as kind/name; a helm release has its bare name."""
    name = names.k8s_name(frame.operands)
    return name.removeprefix("helmrelease/")


def _k8s_more(frame: Frame) -> str:
    found = names.manifest_names(frame.leaf.stdin or "")
    return found[1] if len(found) > 1 else ""


def _url(frame: Frame) -> str:
    """The address among the operands: with a scheme, a port, a dot; quotes of a query stay."""
    for operand in frame.operands:
        if "://" in operand:
            return operand
    for operand in frame.operands:
        if _ADDRESS.match(operand):
            return operand
    last = frame.operands[-1] if frame.operands else ""
    return last if last.startswith(("$", "localhost", ":")) else ""


_ADDRESS = lazy(
    r"(?:[\w-]+(?:\.[\w-]+)+|localhost|[a-z][\w-]*(?=:\d{2,5}(?:/|$))|\[[0-9a-f:]+\]|\$\{?\w+\}?)?(?::\d+)?(?:/\S*)?$",
    re.IGNORECASE,
)
_POSTED = ("-d", "--data", "--data-raw", "--data-binary", "--data-ascii", "--data-urlencode", "--json", "-F", "--form",
           "--form-string", "--post-data", "--body-data", "-f", "--raw-field", "--field")  # fmt: skip
"""Options that hold what a request sends."""


def _posted(frame: Frame) -> str:
    """The words for people in what a request sends: the values of its options, its fields, or what it is fed."""
    sent = [value for option in _POSTED for value in frame.args.options.get(option, ())]
    sent += [operand for operand in frame.operands if re.match(r"\w{2,20}:?=", operand)]
    sent += [operand.partition("?")[2] for operand in frame.operands if "text=" in operand and "?" in operand]
    found = [words_of(value) for value in sent[:20] if value[:1] not in ("@", "")]
    if not sent or any(value in ("@-", "@/dev/stdin") for value in sent):
        found.append(words_of(_fed(frame)))
    return "\n".join(filter(None, found))


def _fed(frame: Frame) -> str:
    """What a command is fed, where the line holds it: a heredoc, an ``echo`` before the pipe, the settings of a ``jq -n``."""
    leaf = frame.leaf
    if leaf.stdin is not None:
        return leaf.stdin
    source = leaf.fed_by.words if leaf.fed_by is not None else []
    if source[:1] == ["jq"]:
        return "\n".join(source[at + 2] for at, word in enumerate(source[:-2]) if word == "--arg")
    return ""


_FILTERS_AFTER = frozenset({"grep", "egrep", "fgrep", "rg", "ag", "awk", "zgrep"})


def _piped(frame: Frame) -> str:
    """What the next command in the pipe looks for: ``ps aux | grep [v]llm``, ``ss -tlnp | grep :8000``."""
    return frame.leaf.sought


def sought_name(words: Sequence[str]) -> str:
    """The plain name in a filter's pattern; empty when it is no filter or its pattern is no plain name."""
    if not words or base_name(words[0]) not in _FILTERS_AFTER:
        return ""
    args = read_arguments(
        words,
        ("-e", "-A", "-B", "-C", "-m", "-F", "-v") if words[0] == "awk" else ("-e", "-A", "-B", "-C", "-m"),
    )
    if words[0] != "awk" and args.has("-v"):
        return ""
    pattern = args.value(("-e",)) or (args.operands[0] if args.operands else "")
    if words[0] == "awk":
        found = re.search(r"/([^/]+)/", pattern)
        pattern = found[1] if found else ""
    pattern = re.sub(r"\[(\w)\]", r"\1", pattern).replace("\\b", "").replace("\\", "")
    pattern = pattern.split("|", 1)[0].strip("^$:() ")
    return pattern if re.fullmatch(r"[\w./@:-]+", pattern) else ""


def _any_port(frame: Frame) -> str:
    for word in frame.words[1:]:
        found = re.search(r":(\d{2,5})\b", word)
        if found:
            return found[1]
    return ""


def _lsof_port(frame: Frame) -> str:
    for word in frame.words[1:]:
        found = re.search(r":(\w+)$", word)
        if found:
            return found[1]
    return ""


def _dns_name(frame: Frame) -> str:
    return next((o for o in frame.operands if "." in o and not o.startswith(("@", "+"))), _operand(frame, 1))


def _tmux_target(frame: Frame) -> str:
    words = frame.words
    for index, word in enumerate(words[:-1]):
        if word[:1] == "-" and word[1:2] != "-" and word[-1] in "tSs":
            return words[index + 1]
    return ""


def _ps_pid(frame: Frame) -> str:
    return next((o for o in frame.operands if o.isdigit()), "")


def _test_file(frame: Frame) -> str:
    words = frame.words
    for index, word in enumerate(words[:-1]):
        if len(word) == 2 and word[0] == "-" and word[1] in "efdsrwxLhSpbcOG":
            return words[index + 1]
    return ""


def _all_commands(frame: Frame) -> str:
    held: list[str] = []
    for name in ("-c", "--command", "-e", "--execute"):
        held.extend(frame.args.options.get(name, ()))
    return ";\n".join(held)


def _sql_rest(frame: Frame) -> str:
    return ";\n".join(frame.operands[1:])


def _sqlite_file(frame: Frame) -> str:
    own = base_name(frame.words[0]) in {"sqlite3", "duckdb", "litecli", "sqlite"}
    return frame.operands[0] if own and frame.operands else ""


def _sql_use(frame: Frame) -> str:
    text = frame.args.value(("-e", "--execute")) or (frame.leaf.stdin or "")[:WRITTEN]
    found = re.search(
        r"\bUSE\s+[`\"]?([\w$-]+)|\b(?:FROM|UPDATE|INTO|TABLE)\s+[`\"]?([\w$-]+)[`\"]?\.", text, re.IGNORECASE
    )
    name = (found[1] or found[2]) if found else ""
    return "" if name.lower() in {"information_schema", "performance_schema", "pg_catalog"} else name


def _mongo_db(frame: Frame) -> str:
    first = _operand(frame, 1)
    if re.fullmatch(r"[\w-]+", first):
        return first
    found = re.search(
        r"getSiblingDB\(\s*['\"]([\w-]+)", frame.args.value(("--eval",)) or frame.leaf.stdin or ""
    )
    return found[1] if found else ""


def _first_unit(frame: Frame) -> str:
    for option in ("-u", "--unit", "--user-unit"):
        if held := frame.args.options.get(option):
            return held[0]
    return ""


def _container_filter(frame: Frame) -> str:
    held = frame.args.value(("-f", "--filter")) or ""
    key, _, value = held.partition("=")
    if key in {"name", "id", "ancestor"}:
        return value.strip("^$/")
    return frame.leaf.sought


def _k8s_pod(frame: Frame) -> str:
    if frame.operands:
        return names.k8s_name(frame.operands, "pod")
    selector = frame.args.value(("-l", "--selector"))
    return "pod/" + selector.split(",", 1)[0].partition("=")[2].lstrip("=") if selector else ""


def _branch_pushed(frame: Frame) -> str:
    refs = [o for o in frame.operands[1:] if o != "HEAD"]
    entered = frame.leaf.scope.env.get("__branch", "")
    return _branch(refs[0]) if refs else entered if "$" not in entered else ""


def _db_user(frame: Frame) -> str:
    """psql without a database takes the one named like the user."""
    user = frame.args.value(("-U", "--username"))
    if user:
        return user
    for way in reversed(frame.leaf.via):
        found = re.match(r"(?:sudo|runuser) -u (\S+)|su (?:- )?(\w+)$|gosu (\w+)", way)
        if found:
            return found[1] or found[2] or found[3]
    return ""


def _device(frame: Frame) -> str:
    """Interface of ``ip addr add … dev eth0``, ``ip link set eth0 up``, ``tc qdisc add dev eth0``."""
    words = list(frame.words)
    for mark in ("dev", "set", "show"):
        if mark in words[:-1]:
            following = words[words.index(mark) + 1]
            if re.fullmatch(r"[a-z][\w.@-]*\d?", following) and following not in {"dev", "link", "addr"}:
                return following
    return ""


def _firewall_port(frame: Frame) -> str:
    """Port of ``ufw allow from 10.0.0.0/8 to any port 22``."""
    words = frame.words
    return next((words[i + 1] for i in range(len(words) - 1) if words[i] in {"port", "dport"}), "")


def _patch_file(frame: Frame) -> str:
    found = re.search(r"^\+\+\+ (?:b/)?(\S+)", frame.leaf.stdin or "", re.MULTILINE)
    return found[1] if found else ""


def _task(frame: Frame) -> str:
    return next((o for o in frame.operands if "=" not in o), "")


_CLOUD_VERB = lazy(
    r"(?:create|delete|describe|get|show|update|patch|set|add|remove|attach|detach|start|stop|reboot|restart|reset|resize|resume|suspend"
    r"|move|enable|disable|rebuild|rescue|retype|migrate|shelve|unshelve|lock|unlock|pause|unpause|power\w{1,9}|shutdown|change|assign"
    r"|unassign|launch|terminate|destroy|deploy|clone|restore|rename|import|export|promote|failover|simulate|perform|wait|tag|label"
    r"|publish|execute|info|inspect|view|rm)(?:-[a-z-]{1,40})?"
)
"""Words by which clients of a cloud say what is done; what it is done to comes next."""


def _after_verb(frame: Frame) -> str:
    """What a client of a cloud names after its verb: ``instances create web1``, whatever options follow."""
    operands = frame.operands
    at = next((at for at, word in enumerate(operands) if _CLOUD_VERB.fullmatch(word) is not None), None)
    named = operands[at + 1] if at is not None and at + 1 < len(operands) else ""
    return "" if "=" in named or _CLOUD_VERB.fullmatch(named) is not None else named


def _object(frame: Frame) -> str:
    """What stands after the sub-command, whether or not the row names that."""
    return _operand(frame, 1 if frame.sub else 2)


_GUEST = lazy(r"(?:/nodes/(?P<node>[\w.-]{1,80}))?/(?:qemu|lxc)/(?P<id>\d{1,9})(?:/.*)?")
"""A guest of a hypervisor by its path in the interface of Proxmox."""


def _guest(frame: Frame) -> str:
    """The number of the guest that a path of ``pvesh`` speaks of; the path itself where it speaks of none."""
    path = _object(frame)
    return found["id"] if (found := _GUEST.fullmatch(path)) else path


def _guest_node(frame: Frame) -> str:
    """The node of that guest, for whoever asks from another machine: on the node itself its name says nothing."""
    found = _GUEST.fullmatch(_object(frame))
    return (found["node"] or "") if found and frame.leaf.host else ""


def _lane(frame: Frame) -> str:
    """The lane of ``fastlane ios beta changelog:"…"``: the last word that is no ``key:value`` pair."""
    words = [word for word in frame.operands if ":" not in word and " " not in word]
    return words[-1] if words else ""


def _menu(frame: Frame) -> str:
    """The menu of RouterOS that a command works in: ``firewall`` of ``/ip firewall filter add``, ``interface``."""
    words = frame.words[1:]
    at = 1 if words[:1] in (["ip"], ["ipv6"], ["routing"], ["system"], ["tool"]) and len(words) > 1 else 0
    return words[at] if at < len(words) else ""


_SPECIALS: dict[str, Callable[[Frame], str]] = {
    "menu": _menu,
    "after_verb": _after_verb,
    "object": _object,
    "guest": _guest,
    "guest_node": _guest_node,
    "lane": _lane,
    "url": _url,
    "piped": _piped,
    "any_port": _any_port,
    "lsof_port": _lsof_port,
    "dns_name": _dns_name,
    "tmux_target": _tmux_target,
    "ps_pid": _ps_pid,
    "test_file": _test_file,
    "all_commands": _all_commands,
    "sql_rest": _sql_rest,
    "sqlite_file": _sqlite_file,
    "sql_use": _sql_use,
    "mongo_db": _mongo_db,
    "first_unit": _first_unit,
    "container_filter": _container_filter,
    "flux_object": _flux_object,
    "k8s_more": _k8s_more,
    "k8s_pod": _k8s_pod,
    "task": _task,
    "tasks": lambda f: " ".join(o for o in f.operands if "=" not in o),
    "db_user": _db_user,
    "patch_file": _patch_file,
    "firewall_port": _firewall_port,
    "firewall_name": lambda f: next((o for o in f.operands if re.fullmatch(r"[\w./:-]*\d[\w./:-]*", o)), ""),
    "device": _device,
    "module": lambda f: f.words[0].removeprefix("python -m "),
    "branch": _branch_pushed,
    "cwd": lambda f: base_name(f.leaf.scope.cwd or ""),
    "path": lambda f: f.leaf.scope.cwd or "",
    "stdin": lambda f: f.leaf.stdin or "",
    "posted": _posted,
    "fed": _fed,
    "k8s": _k8s,
    "rest": lambda f: " ".join(f.operands),
    "sub": lambda f: f.sub[-1] if f.sub else "",
    "program": lambda f: base_name(f.words[0]),
    "host": lambda f: f.leaf.host or "",
    "db_host": lambda f: "" if f.leaf.container else f.leaf.host or "",
    "redirect": lambda f: input_file(f.leaf),
    "container": lambda f: f.leaf.container or "",
}


def _split_image(text: str) -> str:
    return text.rsplit("@", 1)[0]


def _branch(text: str) -> str:
    text = text.lstrip("+").rsplit(":", 1)[-1]
    return text.removeprefix("refs/heads/").removeprefix("refs/tags/")


def _request(mark: str) -> Callable[[str], str]:
    """How a code host writes the number of a request to merge: a bare one names nothing by itself."""
    return lambda text: f"{mark}{text}" if text.isdecimal() else text


def _url_host(text: str) -> str:
    text = text.removeprefix("jdbc:")
    found = re.match(r"(?:[a-z][a-z0-9+.-]*://)?(?:[^/@\s]*@)?(\[[^\]]*\]|[^/:?#\s]+)", text, re.IGNORECASE)
    return found[1].strip("[]") if found else ""


def _url_port(text: str) -> str:
    text = text.removeprefix("jdbc:")
    found = re.match(
        r"(?:[a-z][a-z0-9+.-]*://)?(?:[^/@\s]*@)?(?:\[[^\]]*\]|[^/:?#\s]+):(\d{1,5})", text, re.IGNORECASE
    )
    return found[1] if found else ""


def _url_database(text: str) -> str:
    if "://" not in text:
        return "" if "=" in text or text.startswith("-") else text
    path = text.split("://", 1)[1].split("?", 1)[0]
    return path.split("/", 1)[1] if "/" in path else ""


def _port(text: str) -> str:
    """Port of the host in ``8080:80``, ``127.0.0.1:8080:80/tcp``, ``0.0.0.0:8000``, ``:80``, ``8000``."""
    parts = text.split("/", 1)[0].split(":")
    if len(parts) >= 2 and parts[-2].isdigit():
        return parts[-2]
    return parts[-1] if parts[-1].isdigit() else ""


def _key(text: str) -> str:
    return text.split("=", 1)[0].strip()


def _folder(text: str) -> str:
    path = text.rsplit("/", 1)[0] if "/" in text else ""
    return base_name(path) if path not in {"", "."} else ""


def _local(text: str) -> str:
    """Nothing for addresses of the machine itself."""
    host = _url_host(text)
    return (
        ""
        if host.lower() in {"localhost", "127.0.0.1", "0.0.0.0", "::1", "[::1]", "host.docker.internal"}
        else host
    )


_VERBS = frozenset({
    "list", "ls", "show", "status", "get", "create", "set", "put", "add", "describe", "read", "info", "version",
    "deploy", "update", "delete", "rm", "config", "logs", "tail",
})  # fmt: skip
"""Last words of a command without a name."""

_DONE = frozenset({"start", "stop", "restart", "reload", "reconfigure", "status", "list", "show"})
"""What is done to a service, where its name may come before or after it."""
_PACKAGE_FILE = lazy(
    r"(?P<deb>[A-Za-z0-9.+-]{1,100})_[^/_]{1,100}(?:_[\w-]{1,20})?\.(?:deb|ipk|udeb)"
    r"|(?P<rpm>[\w.+]{1,60}(?:-[A-Za-z_][\w.+]{0,60}){0,8})-v?\d[^/]{0,100}\.(?:rpm|apk|txz|pkg\.tar(?:\.\w{1,4})?)"
)


def _package_file(text: str) -> str:
    """The package that a file is of: ``node-exporter`` of ``/tmp/node-exporter_1.8.2-1_amd64.deb``; other names as they are."""
    found = _PACKAGE_FILE.fullmatch(base_name(text))
    return (found["deb"] or found["rpm"]) if found else text


_FILTERS: dict[str, Callable[[str], str]] = {
    "service": names.service_name,
    "noun": lambda t: "" if t in _VERBS or t.endswith("-list") else t,
    "app_stem": lambda t: (
        base_name(t).rsplit(".", 1)[0] if re.search(r"(?<!\.config)\.(?:[cm]?js|tsx?|py|sh|rb)$", t) else t
    ),
    "no_digits": lambda t: "" if t.isdigit() else t,
    "plist": lambda t: t.rsplit("/", 1)[-1].removesuffix(".plist"),
    "no_ctl": lambda t: t.removesuffix("ctl"),
    "sysrc": lambda t: re.sub(r"_(?:enable|flags|program|user)?\+?=.*", "", t, flags=re.DOTALL),
    "unit": names.unit_name,
    "base": base_name,
    "stem": lambda t: base_name(t).rsplit(".", 1)[0],
    "folder": _folder,
    "host": host_of,
    "url_host": _url_host,
    "far": _local,
    "url_port": _url_port,
    "url_db": _url_database,
    "image": _split_image,
    "branch": _branch,
    "pr": _request("#"),
    "mr": _request("!"),
    "port": _port,
    "key": _key,
    "package": lambda t: _key(t).split(".", 1)[0],
    "words": words_of,
    "first_line": lambda t: t.strip().split("\n", 1)[0],
    "before_colon": lambda t: t.split(":", 1)[0],
    "after_colon": lambda t: t.split(":", 1)[1] if ":" in t else "",
    "after_slash": lambda t: t.rsplit("/", 1)[-1],
    "before_slash": lambda t: t.split("/", 1)[0] if "/" in t else "",
    "after_at": lambda t: t.rsplit("@", 1)[-1],
    "before_at": lambda t: t[0] + t[1:].split("@", 1)[0] if t else "",
    "kind_name": lambda t: names.k8s_name([t]),
    "deployment": lambda t: names.k8s_name([t], "deployment"),
    "pod": lambda t: names.k8s_name([t], "pod"),
    "node": lambda t: names.k8s_name([t], "node"),
    "if_path": lambda t: t if "/" in t else "",
    "if_not_path": lambda t: "" if "/" in t else t,
    "program_file": lambda t: base_name(t.split()[0]) if t.split() else "",
    "lower": str.lower,
    "req": lambda t: (
        re.split(r"[=<>!~\[;@ ]", t, maxsplit=1)[0] if not t.startswith((".", "/", "git+", "http")) else t
    ),
    "npm": lambda t: t[0] + t[1:].split("@", 1)[0] if t else "",
    "before_eq": lambda t: t.split("=", 1)[0].split("/", 1)[0] if not t.startswith(("/", ".")) else t,
    "no_verb": lambda t: "" if t in _DONE else names.service_name(t),
    "package_file": _package_file,
    "no_pair": lambda t: "" if "=" in t else t,
    "tag_name": lambda t: m[1] if (m := re.search(r"Key=[\"']?Name[\"']?,Value=[\"']?([\w.-]+)", t)) else "",
    "resource": lambda t: t.rstrip("/").rsplit("/", 1)[-1].split(" ", 1)[0],
    "repo": lambda t: base_name(t.rstrip("/")).rsplit(":", 1)[-1].removesuffix(".git"),
    "local_file": lambda t: "" if split_remote(t)[1] else t,
    "url_db_only": lambda t: _url_database(t) if "://" in t else "",
    "firewall": lambda t: "firewalld" if t == "firewall-cmd" else t,
    "far_socket": lambda t: (
        host_of(t.split("://", 1)[1]) if "://" in t and not t.startswith(("unix:", "npipe:")) else ""
    ),
    "pathlike": lambda t: t if re.search(r"[/.]", t) else "",
    "first_dot": lambda t: t.split(".", 1)[0],
    "if_app": lambda t: (
        t
        if re.fullmatch(r"[\w./-]+(?::[\w.()-]+)?", t) and (":" in t or t.endswith((".py", ".ipynb")))
        else ""
    ),
    "conn_db": lambda t: m[1] if (m := re.search(r"\bdbname=(\S+)", t)) else "",
    "conn_host": lambda t: m[1] if (m := re.search(r"\bhost=(\S+)", t)) else "",
    "url_only": lambda t: t if "://" in t else "",
    "if_db": lambda t: t if re.fullmatch(r"[\w./-]+", t) else "",
    "if_colon": lambda t: t.split(":", 1)[0] if ":" in t else "",
    "if_file": lambda t: "" if t == "-" or "://" in t else t,
    "pod_of": lambda t: names.k8s_name([t.split(":", 1)[0].rsplit("/", 1)[-1]], "pod") if ":" in t else "",
}

_Part = tuple[str, tuple[tuple[str, tuple[Callable[[str], str], ...]], ...]]


@lru_cache(maxsize=8192)
def _compile(template: str) -> tuple[_Part, ...]:
    """A template as (literal before, alternatives) pairs; the last pair may have no alternatives."""
    parts: list[_Part] = []
    at = 0
    for found in _FIELD.finditer(template):
        alternatives = []
        for alternative in found[1].split(","):
            source, *filters = alternative.strip().split(":")
            alternatives.append((source, tuple(_FILTERS[f] for f in filters)))
        parts.append((template[at : found.start()], tuple(alternatives)))
        at = found.end()
    if at < len(template):
        parts.append((template[at:], ()))
    return tuple(parts)


def fill(template: str, frame: Frame) -> str:
    """The template with its fields put in; empty when a field finds nothing."""
    out: list[str] = []
    for literal, alternatives in _compile(template):
        out.append(literal)
        if not alternatives:
            continue
        text = ""
        for source, filters in alternatives:
            text = _source(frame, source)
            for change in filters:
                if text:
                    text = change(text)
            if text:
                break
        if not text:
            return ""
        out.append(text)
    return "".join(out)


def _fill_any(templates: str | tuple[str, ...], frame: Frame) -> str:
    if isinstance(templates, str):
        return fill(templates, frame) if templates else ""
    for template in templates:
        text = fill(template, frame)
        if text:
            return text
    return ""


# --- finding the row ------------------------------------------------------------------------------------------


def _fits(case: Case, frame: Frame, joined: Callable[[], str]) -> bool:
    args = frame.args
    if case.has and not any(args.has(o) for o in case.has):
        return False
    if case.all and not all(args.has(o) for o in case.all):
        return False
    if case.lacks and any(args.has(o) for o in case.lacks):
        return False
    count = len(frame.operands)
    if count < case.min or (0 <= case.max < count):
        return False
    if case.first and not (frame.operands and _regex(case.first).search(frame.operands[0])):
        return False
    if case.any and not any(_regex(case.any).search(o) for o in frame.operands):
        return False
    if case.match and not _matches(case.match, joined()):
        return False
    if case.lacks_match and _matches(case.lacks_match, joined()):
        return False
    if case.operands and not _regex(case.operands).search(" ".join(frame.operands[:4])[:LONGEST_MATCHED]):
        return False
    if case.lacks_operands and _regex(case.lacks_operands).search(
        " ".join(frame.operands[:4])[:LONGEST_MATCHED]
    ):
        return False
    if case.source and not _regex(case.source).search(_SPECIALS["redirect"](frame)):
        return False
    if case.stdin is not None and case.stdin != (
        frame.leaf.stdin is not None or frame.leaf.fed_by is not None
    ):
        return False
    return not (case.fed is not None and case.fed != (frame.leaf.fed_by is not None))


def _find(
    compiled: _Compiled, leaf: Leaf, words: Sequence[str], args: Arguments
) -> tuple[Case | None, Frame]:
    joined_text: list[str] = []

    def joined() -> str:
        if not joined_text:
            joined_text.append(" ".join(words)[:LONGEST_MATCHED])
        return joined_text[0]

    plain = Frame(leaf, words, args, ())
    operands = args.operands
    candidates = compiled.rest
    if operands and compiled.by_sub:
        named = compiled.by_sub.get(operands[0])
        if named:
            candidates = sorted([*named, *candidates], key=lambda row: (row[0], -len(row[1])))
    for _, sub, case in candidates:
        if sub and tuple(operands[: len(sub)]) != sub:
            continue
        frame = Frame(leaf, words, args, sub) if sub else plain
        if _fits(case, frame, joined):
            return case, frame
    return None, plain


_PYTHON = lazy(r"(?:python|pypy)(?:\d+(?:\.\d+)*)?(?:w|d|\.exe)?$|py$")
_INTERPRETERS: dict[str, tuple[str, frozenset[str]]] = {
    "node": ("javascript", frozenset({"-e", "--eval", "-p", "--print", "-r", "--require", "--import"})),
    "nodejs": ("javascript", frozenset({"-e", "--eval", "-p", "--print", "-r", "--require"})),
    "deno": ("javascript", frozenset({"-e"})),
    "bun": ("javascript", frozenset({"-e", "--eval"})),
    "tsx": ("javascript", frozenset({"-e", "--eval"})),
    "ts-node": ("javascript", frozenset({"-e", "--eval"})),
    "ruby": ("ruby", frozenset({"-e", "-r", "-I"})),
    "perl": ("perl", frozenset({"-e", "-E", "-I", "-M"})),
    "php": ("php", frozenset({"-r", "-d", "-c"})),
    "bash": ("shell", frozenset({"-o", "-O"})),
    "sh": ("shell", frozenset({"-o"})),
    "zsh": ("shell", frozenset({"-o"})),
    "dash": ("shell", frozenset({"-o"})),
    "ksh": ("shell", frozenset({"-o"})),
    "fish": ("shell", frozenset({"-c"})),
    "source": ("shell", frozenset()),
    ".": ("shell", frozenset()),
    "Rscript": ("r", frozenset({"-e"})),
    "julia": ("julia", frozenset({"-e"})),
    "lua": ("lua", frozenset({"-e"})),
}
_DEEDS: frozenset[str] = frozenset({"restart", "reload", "deploy", "stop", "migrate", "reboot"})
_CODE = ("-c", "-e", "-E", "-r", "--eval", "-p", "--print")
_PYTHON_VALUES = frozenset({"-c", "-m", "-W", "-X", "--check-hash-based-pycs"})


class Reading:
    """What is known of a leaf while it is being read; becomes a :class:`Command`."""

    __slots__ = (
        "also", "around", "by_exit", "confidence", "detached", "dry", "effect", "in_effect", "live", "long", "note",
        "own_machine",
        "quiet", "says", "script", "strength", "target", "task", "writes",
    )  # fmt: skip

    def __init__(self) -> None:
        self.effect: Effect = "none"
        self.strength: CheckStrength | None = None
        self.target = Target()
        self.also: list[Target] = []
        self.dry = False
        self.detached = False
        self.long: bool | None = None
        self.by_exit = False
        self.quiet = False
        self.in_effect: bool | None = None
        self.script = False
        self.confidence: Confidence = "high"
        self.note = ""
        self.writes: str | None = None
        self.says: str | None = None
        self.around = -1
        """How many of the wrappers are around the target, where it is not all of them."""
        self.live = False
        """What it changes is the live one, whatever names it."""
        self.own_machine = False
        """It manages something that lives on the machine where it runs."""
        self.task = ""
        """The one of several tasks that tells the effect."""


_ROUTEROS = lazy(
    r"/(?:ip|ipv6|interface|system|routing|queue|tool|user|ppp|certificate|snmp|caps-man|radius|log|ping|import|export|file|mpls|port)"
    r"(?:/[a-z][a-z0-9-]{1,30}){0,5}"
)
"""Menus of RouterOS as they stand at the beginning of a line, where no program of a Unix machine lies."""
_MENU_AND_MORE = 2
"""Parts of a line that is no more than the path of a program with a name like that of a menu."""


def _lookup(words: Sequence[str], table: Tables) -> tuple[_Compiled | None, Sequence[str]]:
    """The program's rows, and its words with the program's full name as the first."""
    first = words[0]
    name = base_name(first)
    if name.endswith(".exe"):
        name = name[:-4]
    if first != name:
        if first.startswith(("/etc/init.d/", "/etc/rc.d/", "/usr/local/etc/rc.d/")):
            return table.programs.get("service"), ["service", name, *words[1:]]
        if (menu := _ROUTEROS.fullmatch(first)) is not None and (
            len(words) + first.count("/") > _MENU_AND_MORE or first == "/export"
        ):
            return table.programs.get("routeros"), ["routeros", *menu[0][1:].split("/"), *words[1:]]
        words = [name, *words[1:]]
    more = table.second.get(name)
    if more is not None:
        compiled = table.programs.get(name)
        values = compiled.values if compiled else frozenset[str]()
        index = 1
        while index < len(words):
            word = words[index]
            pair = f"{word} {words[index + 1]}" if index + 1 < len(words) else word
            if pair in more:
                return table.programs[f"{name} {pair}"], [
                    f"{name} {pair}",
                    *words[1:index],
                    *words[index + 2 :],
                ]
            if word in more:
                return table.programs[f"{name} {word}"], [
                    f"{name} {word}",
                    *words[1:index],
                    *words[index + 1 :],
                ]
            if word[:1] != "-":
                break
            index += 2 if word in values else 1
    return table.programs.get(name), words


def _read_program(leaf: Leaf, words: Sequence[str], reading: Reading, table: Tables) -> bool:
    """Fill in the reading from the program's rows; False when no row fits."""
    compiled, words = _lookup(words, table)
    if compiled is None:
        return False
    program = compiled.program
    args = read_arguments(
        words, compiled.values, single=program.single, later=compiled.later, glued=program.glued
    )
    # `--version` asks only where nothing else is asked; `helm upgrade --version 1.2` names a version.
    if any(
        o in args.options and (o == "--help" or not (args.operands or args.options[o])) for o in program.help
    ):
        reading.effect = "none"
        return True
    case, frame = _find(compiled, leaf, words, args)
    if case is None:
        return False
    _apply(case, program, frame, reading, table)
    return True


def _apply(case: Case, program: Program, frame: Frame, reading: Reading, table: Tables) -> None:
    leaf, args = frame.leaf, frame.args
    reading.effect = case.effect
    reading.strength = case.strength
    reading.dry = case.dry or any(args.has(o) for o in (*case.dry_if, *program.dry_if))
    reading.detached = case.detached or any(args.has(o) for o in (*case.detached_if, *program.detached_if))
    reading.long = case.long
    reading.by_exit = case.by_exit or any(args.has(o) for o in case.by_exit_if)
    reading.quiet = case.quiet or any(args.has(o) for o in (*case.quiet_if, *program.quiet_if))
    reading.in_effect = case.in_effect
    reading.own_machine, reading.live = program.own_machine, case.live
    reading.script = case.script
    reading.note = case.note
    if case.low or case.script:
        reading.confidence = "low"
    if case.writes:
        reading.writes = fill(case.writes, frame)[:WRITTEN] or None
    if case.says and not reading.dry:
        reading.says = "\n".join(filter(None, (fill(one, frame) for one in case.says)))
        reading.says = reading.says.replace("\\n", "\n")[:WRITTEN]
    kind: Kind = case.kind or program.kind
    name = _fill_any(case.name or program.name, frame)
    host = _fill_any(case.host or program.host, frame) or leaf.host
    context = _fill_any(case.context or program.context, frame) or leaf.context
    namespace = _fill_any(case.namespace or program.namespace, frame) or leaf.namespace
    if case.text_as == "task":
        _read_task(fill(case.text, frame), leaf, reading, table)
    elif case.text_as and case.text:
        text = fill(case.text, frame)
        if text:
            told = read_text(text, table.languages[case.text_as])
            if told is not None:
                reading.effect, reading.strength = told.effect, told.strength
                if told.long is not None:
                    reading.long = told.long
                if told.name:
                    kind, name = told.kind or kind, told.name
                if told.strength is None and reading.effect in CHANGES and reading.writes is None:
                    reading.writes = text[:WRITTEN]
                reading.confidence = "high"
                reading.note = ""
    if reading.task:
        name = reading.task
    if case.remote and name:
        name, far = split_remote(name)
        if far is not None:
            host = far
    elif name.startswith(("<(", ">(")):
        kind, name = "unknown", ""
    elif kind == "file" and not name:
        kind = "unknown"
    reading.target = Target(
        kind=kind,
        name=name,
        host=None if host is None else host or None,
        context=context,
        namespace=namespace,
    )
    for row in (*case.also, *program.also):
        more_kind, _, template = row.partition("=")
        for text in _every(template, frame):
            if more_kind == "localfile":
                more = Target(kind="file", name=text, host=leaf.host)
            else:
                more = Target(kind=more_kind, name=text, host=host, context=context, namespace=namespace)  # type: ignore[arg-type]
            if more != reading.target:
                reading.also.append(more)
    if case.every:
        # `systemctl restart a b`: the first is the target, the others are named with it.
        for operand in frame.operands[1:9]:
            single = Frame(leaf, frame.words, args, frame.sub)
            single.operands = [operand]
            text = _fill_any(case.name or program.name, single)
            if text:
                reading.also.append(
                    Target(kind=kind, name=text, host=host, context=context, namespace=namespace)
                )


def _every(template: str, frame: Frame) -> Iterable[str]:
    """A template for each value of the option it names, where that stands several times (``-p 80:80 -p 443:443``)."""
    parts = _compile(template)
    if (
        len(parts) == 1
        and parts[0][1]
        and parts[0][1][0][0][:1] == "-"
        and not parts[0][1][0][0][1:].isdigit()
    ):
        for source, filters in parts[0][1]:
            for held in frame.args.options.get(source, ()):
                text = held
                for change in filters:
                    if text:
                        text = change(text)
                if text:
                    yield parts[0][0] + text
        return
    text = fill(template, frame)
    if text:
        yield text


_REMOTE = lazy(
    r"(?:rsync://|scp://|sftp://)?((?:[^\s/:@]+@)?(?:\[[^\]]+\]|[^\s/:\\]{2,})):{1,2}(.*)$", re.DOTALL
)


def split_remote(text: str) -> tuple[str, str | None]:
    """``user@host:path`` as (path, host); a local path has no host."""
    found = _REMOTE.match(text)
    if found is None or ("://" in text and not text.startswith(("rsync:", "scp:", "sftp:"))):
        return text, None
    return found[2] or "~", host_of(found[1])


# --- languages and scripts ------------------------------------------------------------------------------------


def read_text(text: str, language: Language) -> Statement | None:
    """What a query or script text does: the first of its effects in :data:`ORDER`."""
    text = text[:LONGEST_TEXT]
    if language.lines:
        # Commands of the client itself end with their line.
        text = re.sub(rf"(?m)^({language.lines}[^\n;]*)$", r"\1;", text)
    best: Statement | None = None
    parts: Iterable[str] = _split_statements(text, language) if language.split else (text,)
    for part in parts:
        if not part:
            continue
        for statement in language.statements:
            found = _regex_multi(statement.match).search(part)
            if found is None:
                continue
            if best is None or TEXT_ORDER.index(statement.effect) < TEXT_ORDER.index(best.effect):
                name = ""
                if statement.name:
                    name = statement.name.format(
                        *("",), **{k: v or "" for k, v in found.groupdict().items()}
                    ).strip()
                best = msgspec.structs.replace(statement, name=name)
            if language.split:
                break
    return best


def _split_statements(text: str, language: Language) -> Iterable[str]:
    """The statements of a text, comments out, separators inside quotes left alone."""
    parts: list[str] = []
    current: list[str] = []
    at = 0
    for found in _splitter(language.quoted, language.comment, language.split).finditer(text):
        if found.lastgroup == "quoted":
            continue
        current.append(text[at : found.start()])
        at = found.end()
        if found.lastgroup == "split":
            parts.append("".join(current).strip())
            current = []
        else:
            current.append(" ")
    current.append(text[at:])
    parts.append("".join(current).strip())
    return parts[:2_000]


@lru_cache(maxsize=16)
def _splitter(quoted: str, comment: str, split: str) -> re.Pattern[str]:
    ways = [
        f"(?P<{name}>{way})"
        for name, way in (("quoted", quoted), ("comment", comment), ("split", split))
        if way
    ]
    return OWN.compile("|".join(ways), re.DOTALL)


@lru_cache(maxsize=1024)
def _regex_multi(pattern: str) -> re.Pattern[str]:
    return OWN.compile(pattern, re.IGNORECASE | re.DOTALL)


_NAME_PARTS = lazy(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def read_name(text: str, table: Tables) -> tuple[Verb, str] | None:
    """What the name of a script or task says it does, and the rest of that name."""
    stem = re.sub(r"\.(sh|bash|py|rb|pl|js|mjs|ts|php|ps1|bat|cmd|zsh|exe)$", "", base_name(text))
    if not stem.isascii():
        stem = "".join(one for one in unicodedata.normalize("NFKD", stem) if not unicodedata.combining(one))
    parts = [p.lower() for p in _NAME_PARTS.findall(stem)]
    for length in (2, 1):
        for index in range(len(parts) - length + 1):
            verb = table.verbs.get("-".join(parts[index : index + length]))
            if verb is not None:
                rest = [p for i, p in enumerate(parts) if not index <= i < index + length]
                return verb, "-".join(r for r in rest if r not in _NAME_NOISE)
    return None


_NAME_NOISE = frozenset(
    {"the", "all", "and", "script", "run", "do", "now", "to", "sh", "bin", "server", "service", "app"}
)


def _read_script(leaf: Leaf, script: str, operands: Sequence[str], reading: Reading, table: Tables) -> bool:
    found = read_name(script, table)
    if found is None:
        return False
    verb, rest = found
    _from_verb(leaf, verb, reading)
    if look := _only_looks(leaf, operands):
        # ``backup-tool status``: what is asked for tells more than the tool's name.
        reading.effect, reading.long = look, False
        reading.strength = "state" if look == "check" else None
    reading.target = Target(
        kind="unknown", name=script, host=leaf.host, context=leaf.context, namespace=leaf.namespace
    )
    if rest:
        reading.also.append(Target(kind="service", name=rest, host=leaf.host))
    for index, word in enumerate(leaf.words[1:-1], 2):
        if _PORT_WORD.match(word) and leaf.words[index].isdigit():
            reading.also.append(Target(kind="network", name=leaf.words[index], host=leaf.host))
    for operand in operands[:4]:
        if re.fullmatch(r"[A-Za-z][\w.-]*", operand):
            reading.also.append(Target(kind="service", name=names.service_name(operand), host=leaf.host))
    return True


def _only_looks(leaf: Leaf, operands: Sequence[str]) -> Effect | None:
    """Whether the first word, or the only option, of a script asks for its state or for help, so that nothing is done."""
    asked = operands[0] if operands else leaf.words[-1].lstrip("-") if len(leaf.words) == 2 else ""
    if len(leaf.words) == 2 and leaf.words[1] == "-h":
        asked = "help"
    return _LOOKS.get(asked.lower())


_LOOKS: Mapping[str, Effect] = {
    **dict.fromkeys(("status", "health", "healthcheck"), "check"),
    **dict.fromkeys(("list", "ls", "show", "info", "version", "help", "history", "logs"), "read"),
}
"""What a first word of any tool asks for."""


def _read_task(task: str, leaf: Leaf, reading: Reading, table: Tables) -> None:
    """The effect of a task by its name; the row's own effect where the name tells nothing."""
    found: tuple[Verb, str] | None = None
    for one in task.split()[:16]:
        told = read_name(one, table)
        if told is not None and (found is None or ORDER.index(told[0].effect) < ORDER.index(found[0].effect)):
            found = told
            if " " in task:
                reading.task = one
    if found is not None:
        _from_verb(leaf, found[0], reading)
        if found[1]:
            reading.also.append(Target(kind="service", name=found[1], host=leaf.host))
    elif reading.script:
        reading.script = False
        reading.confidence = "medium"
        reading.note = "a task of the project's own"


def _from_verb(leaf: Leaf, verb: Verb, reading: Reading) -> None:
    reading.effect, reading.strength = verb.effect, verb.strength
    reading.long = verb.also_long
    reading.script = True
    reading.confidence = "low"
    reading.note = "only its name tells what it does"


def _read_interpreter(leaf: Leaf, reading: Reading, table: Tables) -> bool:
    words = leaf.words
    name = base_name(words[0])
    if _PYTHON.match(name):
        language, values = "python", _PYTHON_VALUES
    elif name in _INTERPRETERS:
        language, values = _INTERPRETERS[name]
    else:
        return False
    args = read_arguments(words, values, stop_after=1)
    if language == "python":
        module = args.value(("-m",))
        if module is not None:
            at = next((i for i, w in enumerate(words) if w == "-m"), -1)
            if at < 0 or at + 1 >= len(words):
                at = next((i for i, w in enumerate(words) if w.startswith("-") and w.endswith("m")), 1)
            rest = words[at + 2 :]
            inner = [f"python -m {module}", *rest]
            if f"python -m {module}" in table.programs and _read_program(leaf, inner, reading, table):
                return True
            if _read_program(leaf, [module, *rest], reading, table):
                return True
            return _read_script(leaf, module.rsplit(".", 1)[-1], rest, reading, table)
    code = args.value(_CODE) if language != "shell" else None
    if language == "shell" and re.search(
        r"^(?:\$\(|`|<\()\s*(?:curl|wget)\b", args.operands[0] if args.operands else ""
    ):
        reading.effect, reading.confidence = "install", "low"
        reading.note = "runs a script fetched from the net"
        return True
    if language == "shell" and args.has("-n") and args.operands:
        reading.effect, reading.strength, reading.by_exit = "check", "state", True
        reading.target = Target(kind="file", name=args.operands[0], host=leaf.host)
        return True
    if code is None and leaf.stdin is not None and (not args.operands or args.operands[0] == "-"):
        code = leaf.stdin
    if code is not None:
        told = read_text(code, table.languages[language]) if language in table.languages else None
        if told is not None:
            _from_code(leaf, told, code, reading)
        return True
    if not args.operands:
        if any(args.has(o) for o in ("-V", "--version", "-v", "-h", "--help")):
            return True
        if (
            leaf.fed_by is not None
            and leaf.fed_by.words
            and base_name(leaf.fed_by.words[0]) in {"curl", "wget"}
        ):
            reading.effect, reading.confidence = "install", "low"
            reading.note = "runs a script fetched from the net"
            return True
        source = input_file(leaf)
        if source:
            return _read_script(leaf, source, (), reading, table)
        return True
    script = args.operands[0]
    rest = words[args.at[0] + 1 :]
    if script in {"-", "/dev/stdin"}:
        return True
    if _read_program(leaf, [script, *rest], reading, table):
        return True
    if name in {"source", "."}:
        # Most sourced files only set variables; one that is named for a deed does it here and now.
        settings = _SETTINGS.search(script) is not None
        if settings or not (_read_script(leaf, script, rest, reading, table) and reading.effect in _DEEDS):
            reading.__init__()  # type: ignore[misc]
        return True
    return _read_script(leaf, script, rest, reading, table) or _server_script(
        leaf, name, script, rest, reading
    )


_SETTINGS = lazy(
    r"(?:^|[./_-])(?:\w*env|release|version|vars?|variables|conf|config|cfg|profile|\w*rc|defaults?|settings|params|functions|common|lib|utils"
    r"|aliases|completions?)$|(?:^|/)\.env|^/(?:etc|usr/lib|usr/share|lib)/(?!init\.d/|rc\.d/)",
    re.IGNORECASE,
)
"""Names of files that set variables or functions for the shell that reads them: ``/etc/os-release``, ``prod.env``."""
_SERVER_FILE = lazy(
    r"(?:^|[/_.-])(?:server|serve|app|main|index|wsgi|asgi|api|daemon|worker|bot|gateway)\.(?:py|m?js|ts|rb|php)$"
)
_PORT_WORD = lazy(r"^(?:--?(?:port|listen|bind|host)\b|-p$)")


def _server_script(leaf: Leaf, interpreter: str, script: str, rest: Sequence[str], reading: Reading) -> bool:
    """A script that goes on in the background, is given a port, or is called a server is a server launched."""
    port = next(
        (rest[i + 1] for i, w in enumerate(rest[:-1]) if _PORT_WORD.match(w) and rest[i + 1].isdigit()), ""
    )
    port = port or next((w.partition("=")[2] for w in rest if w.startswith("--port=")), "")
    port = port or next((v for k, v in reversed(leaf.assigns) if k == "PORT" and v.isdigit()), "")
    named = _SERVER_FILE.search(script) is not None
    if not (named or port):
        if leaf.detached:
            reading.long = True
            reading.target = Target(kind="process", name=script, host=leaf.host)
        return leaf.detached
    if not (port or leaf.detached) and not re.search(r"serv|wsgi|asgi|daemon", script):
        return False
    reading.effect = "start"
    reading.confidence = "medium"
    reading.note = "taken for a server by its name or its port"
    reading.target = Target(kind="process", name=script, host=leaf.host)
    if port:
        reading.also.append(Target(kind="network", name=port, host=leaf.host))
    return True


def _from_code(leaf: Leaf, told: Statement, code: str, reading: Reading) -> None:
    reading.effect, reading.strength, reading.long = told.effect, told.strength, told.long
    reading.confidence = "medium"
    reading.note = "read from the script's text"
    if told.effect in CHANGES:
        reading.writes = code[:WRITTEN]
    if told.kind is not None and told.kind != "file":
        reading.target = Target(kind=told.kind, host=leaf.host)
    if told.name:
        name = told.name
        variable = re.fullmatch(r"[A-Za-z_]\w*", name)
        if variable:
            literal = re.search(
                rf"\b{name}\s*=\s*(?:[\w.]+\(\s*)?[rf]?(['\"])(?P<value>[^'\"\n]+)\1", code[:LONGEST_TEXT]
            )
            if literal:
                name = literal["value"]
        reading.target = Target(kind=told.kind or "file", name=name, host=leaf.host)


# --- redirections and the whole -------------------------------------------------------------------------------

_NOWHERE = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "nul", "NUL", "/dev/fd/1", "-"})
_PASSIVE: frozenset[str] = frozenset({"none", "read", "check"})
"""Effects that a written file outdoes: a check whose result goes to a file tells nobody anything."""


def _written(redirects: Iterable[Redirect]) -> tuple[str | None, bool]:
    """The file standard output goes to, and whether it goes anywhere but to the reader."""
    file: str | None = None
    away = False
    for redirect in redirects:
        both = redirect.op in {"&>", "&>>"}
        if not both and (redirect.op[:1] == "<" or redirect.fd not in {"", "1", "&"}):
            continue
        if redirect.op in {">&", "<&"} and redirect.file.lstrip("-").isdigit():
            continue
        if not redirect.file or redirect.file.startswith((">(", "&")):
            continue
        away = True
        if redirect.file not in _NOWHERE:
            file = file or redirect.file
    return file, away


_SAYS_NOTHING = frozenset({
    "cd", "sleep", "export", "set", "read", "wait", "trap", "exit", "break", "continue", "local", "shift", "unset",
})  # fmt: skip
"""Commands that print nothing: a redirection of the group they stand in is not theirs."""


def _written_file(leaf: Leaf) -> tuple[Target | None, int, bool]:
    """The file that standard output goes to, the wrappers around it, and whether the reader sees nothing of it."""
    file, away = _written(leaf.redirects)
    if leaf.words and leaf.words[0] in _SAYS_NOTHING:
        return None, 0, away
    if file is not None:
        target = Target(
            kind="file", name=file, host=leaf.host, context=leaf.context, namespace=leaf.namespace
        )
        return target, len(leaf.via), True
    if away or not leaf.outer or leaf.feeds:
        return None, 0, away
    file, away = _written(leaf.outer)
    if file is None:
        return None, 0, away
    return Target(kind="file", name=file, host=leaf.outer_host), leaf.outer_via, away


def read_leaf(leaf: Leaf) -> Reading:
    """The effect of one command and what it acts on."""
    table = tables()
    reading = Reading()
    words = leaf.words
    if words:
        known = _read_program(leaf, words, reading, table) or _read_messenger(leaf, reading)
        if not known:
            known = _read_interpreter(leaf, reading, table)
        if not known:
            _read_unknown(leaf, reading, table)
    file, around, away = _written_file(leaf)
    if (
        file is not None
        and reading.effect in _PASSIVE
        and not reading.by_exit
        and not (leaf.detached and reading.effect == "none" and words[:1] != ["cat"])
    ):
        # A kernel setting written through its file is set in the running system only.
        reading.effect = "configure" if file.name.startswith(("/proc/sys/", "/sys/")) else "edit"
        if file.name == "/proc/sysrq-trigger" and "b" in words[1:]:
            reading.effect = "reboot"
        reading.strength = None
        reading.target = file
        reading.around = around
        reading.writes = reading.writes or written_text(leaf)
        reading.by_exit = False
    elif file is not None and (leaf.detached or reading.detached or reading.effect == "start"):
        reading.also.append(file)
    if away and reading.effect not in {"edit"}:
        reading.quiet = True
    if leaf.substituted and reading.effect == "check":
        reading.quiet = True
    if reading.target.name == "{}" and leaf.also:
        # `find /x -exec rm {}`: what it acts on lies under that place.
        place = leaf.also[-1]
        if place.kind == "file" and reading.target.kind == "file":
            reading.target = place
    if leaf.host is not None and reading.target == Target():
        reading.target = Target(host=leaf.host)
    _absolute(leaf, reading)
    if reading.effect == "read" and reading.target.kind == "file" and table.log.search(reading.target.name):
        reading.effect, reading.strength = "check", "state"
    if leaf.loop and "$" in (reading.target.host or "") + reading.target.name:
        _loop_names(leaf, reading)
    return reading


_MESSENGER = lazy(
    r"(?:^|[_.-])(?:notif\w*|slack\w*|telegram|discord|teams|mattermost|ntfy|page(?:r|ops)?|sms|announce|alert|mailer|(?:post|send|tell)[_-]?(?:to[_-]?)?(?:messages?|msg|mail|email|alert|notification|chat|ops|team|slack|discord|teams|channel))(?:[_.-]|$)",
    re.IGNORECASE,
)
"""Names of scripts that tell people something: ``notify.py``, ``send_alert.sh``, ``post-to-slack``."""
_WORDS_OF = ("--title", "--subject", "-t", "--text", "--message", "--msg", "--body", "-m", "--content")
_RUNS_SCRIPTS = frozenset(
    {"python", "python3", "bash", "sh", "zsh", "node", "ruby", "perl", "php", "deno", "bun", "tsx"}
)


def _read_messenger(leaf: Leaf, reading: Reading) -> bool:
    """A script that by its name tells people something, and is given words to tell."""
    words = leaf.words
    at = 1 if base_name(words[0]) in _RUNS_SCRIPTS and len(words) > 1 else 0
    if (
        at == 0
        and "/" not in words[0]
        and "." not in words[0]
        and "-" not in words[0]
        and "_" not in words[0]
    ):
        return False
    if _MESSENGER.search(base_name(words[at])) is None:
        return False
    args = read_arguments(words, _WORDS_OF, start=at + 1)
    said = [args.options[option][-1] for option in _WORDS_OF if args.options.get(option)]
    said += [operand for operand in args.operands if " " in operand.strip()]
    said += [leaf.stdin] if leaf.stdin is not None else []
    if not any(" " in text.strip() for text in said):
        return False
    reading.says = "\n".join(said)[:WRITTEN]
    reading.confidence, reading.note = "medium", "only its name tells what it does"
    return True


def _loop_names(leaf: Leaf, reading: Reading) -> None:
    """A loop over literal values names each of its targets."""
    target = reading.target
    for value in leaf.loop[:16]:
        name = re.sub(r"\$\{?[A-Za-z_]\w*\}?", lambda _, v=value: v, target.name)  # type: ignore[misc]
        host = target.host and re.sub(r"\$\{?[A-Za-z_]\w*\}?", lambda _, v=value: v, target.host)  # type: ignore[misc]
        reading.also.append(msgspec.structs.replace(target, name=name, host=host))


def _absolute(leaf: Leaf, reading: Reading) -> None:
    """A relative file keeps its written name; the full path is a further name of it."""
    target = reading.target
    cwd = leaf.scope.cwd
    if target.kind == "file" and cwd and target.name and not target.name.startswith(("/", "~", "$")):
        full = join_path(cwd, target.name)
        if full != target.name:
            reading.also.append(msgspec.structs.replace(target, name=full))


_COPIES = frozenset({"scp", "pscp", "rsync"})
"""Programs that copy to another host what stands before their last operand."""
_IS_FILE = lazy(r"[\w@+-][\w@.+-]{0,120}\.[A-Za-z]\w{0,11}")
_MOST_COPIED = 8


def copied(command: Command) -> tuple[str, ...]:
    """The paths at which the files stand that a command copies into a folder; empty where it copies none, or other things
    than files of known names.
    """
    target, program = command.target, command.program
    if program not in _COPIES or target.kind != "file" or command.effect != "transfer":
        return ()
    values = tables().programs[program].values if program in tables().programs else frozenset[str]()
    operands = read_arguments(command.words, values).operands
    if (
        not operands
        or split_remote(operands[-1])[0] != target.name
        or not 1 < len(operands) <= _MOST_COPIED + 1
    ):
        return ()
    if target.name[-1:] != "/" and len(operands) == 2:
        return ()
    names = [split_remote(word)[0].rsplit("/", 1)[-1] for word in operands[:-1]]
    if not all(_IS_FILE.fullmatch(name) is not None for name in names):
        return ()
    return tuple(f"{target.name.rstrip('/')}/{name}" for name in names)


def written_text(leaf: Leaf) -> str | None:
    """Beginning of what the command writes to a file, where the line holds it."""
    words = leaf.words
    if leaf.stdin is not None:
        return leaf.stdin[:WRITTEN]
    if words and words[0] in {"echo", "printf"}:
        return " ".join(w for w in words[1:] if w not in {"-e", "-n", "-ne", "-en"})[:WRITTEN]
    return None


_JOB = lazy(
    r"train|finetune|process|download|convert|index|backup|crawl|scrap|etl|bench|eval|job|import|export|generat|comput|"
    r"sync|sleep|wait|batch|report|render|encode|transcode|analy[sz]|extract|prepare|fetch|reindex|simulat|sweep",
    re.IGNORECASE,
)
"""Names of work that comes to an end by itself: going on in the background does not make it a server."""


_SHOWN_SCRIPT = lazy(r"\$\(\s*(?:cat|<)\s*([^\s()]+)\s*\)$")


_TOLD = frozenset({"restart", "reload", "redeploy", "deploy", "reboot", "start", "stop", "status"})
"""First words after a program that tell what it does, whatever program it is: ``unicornctl restart web``."""


_OWN_LOOK = lazy(
    r"(?:check|verify|validate|health|healthcheck|configtest|selfcheck|selftest|preflight|doctor|diagnose)(?:[-:_][\w-]{1,60})?"
)
"""First words after a program by which it looks at what is its own: ``billing check-tax``."""


_METHODS: Mapping[str, Effect] = {
    "GET": "check", "HEAD": "check", "PUT": "write_data", "PATCH": "write_data", "POST": "write_data", "DELETE": "delete",
}  # fmt: skip
"""Methods of requests, as the first word after a script that makes them, and their effects."""
_API_PATH = lazy(
    r"(?:https?://[^/\s]{1,120})?/?(?:client/v4/|v\d{1,2}/)?(?:zones?|domains?|dns[\w-]*|rulesets?|firewalls?|waf\w*|pullzones?|distributions?|service/[^/\s]{1,80}/(?:version|acl|dictionary|purge)\w*|accounts/[^/\s]{1,80}/(?:rulesets|rules|workers|cfd_tunnel))(?:[/?]|$)"
)
"""Paths of what stands before a site: its names, rules and caches. A change there is live at once."""


def _read_unknown(leaf: Leaf, reading: Reading, table: Tables) -> None:
    """A program no table knows: a script's name may tell, a background process is a server started."""
    words = leaf.words
    first = words[0]
    shown = _SHOWN_SCRIPT.match(first)
    if shown is not None:  # ssh host "$(cat deploy.sh)"
        _read_script(leaf, shown[1], (), reading, table)
        return
    if re.search(r"[^\w./~${}+@:-]", first) or first in {"[", "{"}:
        return
    operands = [w for w in words[1:] if not w.startswith("-")]
    is_script = "/" in first or re.search(r"\.(sh|bash|py|rb|pl|js|ts|ps1|bat)$", first) is not None
    if is_script and _read_script(leaf, first, operands, reading, table):
        return
    if len(operands) > 1 and operands[0] in _METHODS and _API_PATH.match(operands[1]):
        # `scripts/cf.sh PUT /zones/z/rulesets/r …`: a request to an interface behind a script
        reading.effect, reading.confidence = _METHODS[operands[0]], "medium"
        reading.strength = "state" if reading.effect == "check" else None
        reading.target = Target(kind="cloud", name=operands[1], host=leaf.host)
        reading.note = "only its arguments tell what it asks for"
        return
    if is_script and _read_script(leaf, operands[0] if operands else "", operands[1:], reading, table):
        reading.target = msgspec.structs.replace(reading.target, name=first)
        return
    by_name = not is_script and _read_script(leaf, first, operands, reading, table)
    if by_name and (reading.effect in CHANGES or _only_looks(leaf, operands)):
        return
    if not is_script and operands and operands[0] in _TOLD and words[1] == operands[0]:
        _read_script(leaf, operands[0], operands[1:], reading, table)
        own = Target(kind="service", name=base_name(first), host=leaf.host)
        reading.target = reading.also.pop(0) if reading.also else own
        reading.also.append(own)
        return
    if not is_script and operands and words[1] == operands[0] and _OWN_LOOK.fullmatch(operands[0]):
        reading.effect, reading.strength, reading.script, reading.by_exit = "check", "state", True, True
        reading.target = Target(kind="service", name=base_name(first), host=leaf.host)
        reading.also, reading.long = [], None
        reading.note, reading.confidence = "only its name tells what it does", "low"
        return
    reading.script = False
    reading.effect, reading.strength, reading.target, reading.also, reading.long = (
        "none",
        None,
        Target(),
        [],
        None,
    )
    reading.note, reading.confidence = "", "high"
    port = next((w.partition("=")[2] for w in words[1:] if w.startswith("--port=")), "") or next(
        (words[i + 1] for i in range(1, len(words) - 1) if words[i] in {"--port", "--listen-port"}), ""
    )
    if leaf.detached and not port and _JOB.search(first):
        reading.long = True
        reading.target = Target(kind="process", name=base_name(first), host=leaf.host)
        return
    if leaf.detached or port:
        reading.effect, reading.confidence = "start", "low"
        reading.note = "taken for a server: it goes on in the background or is given a port"
        reading.target = Target(kind="process", name=base_name(first), host=leaf.host)
        if port.isdigit():
            reading.also.append(Target(kind="network", name=port, host=leaf.host))
        return
    reading.confidence = "medium"
    reading.note = "a command no table knows"


def sure(first: Confidence, second: Confidence) -> Confidence:
    """The lower of two confidences."""
    return max(first, second, key=("high", "medium", "low").index)


def command(leaf: Leaf, reading: Reading, *, partly: bool) -> Command:
    """The command as the graph and ``explain`` see it, its environment still to be told."""
    confidence = reading.confidence
    note = leaf.note or reading.note
    host = reading.target.host or ""
    each = (leaf.each or any(mark in host for mark in "*?")) and open_host(host)
    if each or leaf.guessed or "$" in f"{reading.target.host}{reading.target.name}":
        confidence = sure(confidence, "medium")
    if leaf.low or partly:
        confidence = "low"
    long = reading.long
    if long is None:
        long = reading.effect in LONG and not reading.dry
    in_effect = reading.in_effect
    if in_effect is None:
        in_effect = reading.effect in _IN_EFFECT
    seen: list[Target] = []
    for target in (*reading.also, *leaf.also):
        if target.name and target != reading.target and target not in seen:
            seen.append(target)
    return Command(
        words=tuple(leaf.words),
        via=leaf.via,
        runs_if=leaf.runs_if,
        effect=reading.effect,
        check_strength=reading.strength,
        dry_run=reading.dry,
        detached=leaf.detached or reading.detached,
        long_running=long,
        target=reading.target,
        confidence=confidence,
        partly_parsed=partly,
        span=leaf.span,
        limit_s=leaf.limit_s,
        verdict_by_exit=reading.by_exit,
        quiet=reading.quiet,
        echoed=leaf.substituted and leaf.shown,
        restarts_in_effect=in_effect,
        also=tuple(seen),
        writes=reading.writes,
        says=reading.says,
        again=leaf.again and not each,
        each=each,
        script=reading.script,
        note=note,
    )
