"""What a command acts on, which environment that is, and which names mean one thing.

CONTRACT §1 *target* and *neighbourhood*, §5 *Production*, §6 names. A neighbourhood is found in three steps:
each target stands for a few *names* (its own, and those that its form implies: a unit file implies the
service); what the session shows joins names (a port in a start's arguments, a process id in a status); two
targets belong together when they share a name on one host.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from fnmatch import fnmatchcase, translate
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

import msgspec

from sessionlens.cache import lazy
from sessionlens.clues import (
    EXEC_START,
    FSTAB_ENTRY,
    HOSTS_ENTRY,
    LOGS_IN_UNIT,
    MANIFEST_KIND,
    MANIFEST_NAME,
    PATHS_IN_EXEC,
    PORTS_IN_CONFIG,
    SEARCH_PATH,
    SERVER_NAMES,
    SITE_BLOCK,
    SYSCTL_KEY,
    WORKING_DIRECTORY,
    code_folders,
    host_aliases,
    names_of_folder,
    ports_in,
    selected_labels,
    serves,
    tables_named,
    whole_project,
)
from sessionlens.environments import (
    DEFAULT,
    EnvironmentNames,
    EnvironmentSettings,
    environment,
    is_loopback,
    scratch,
    shared,
    subject,
    url_host,
)
from sessionlens.names import (
    K8S_SHORT,
    LISTED,
    LISTED_KINDS,
    RELEASES,
    WORKLOADS,
    Name,
    bare_host,
    daemon_of,
    daemon_table,
    effective_host,
    is_manifest,
    kind_and_name,
    may_be_of,
    names_of,
    names_only_address,
    open_host,
    path_form,
    port_of,
    project_form,
    same_host,
    service_name,
    spellings,
)

if TYPE_CHECKING:
    from sessionlens.shell.command import Command, Outcome

__all__ = [
    "DEFAULT",
    "Confidence",
    "Environment",
    "EnvironmentNames",
    "EnvironmentSettings",
    "Kind",
    "Match",
    "Neighbourhoods",
    "Target",
    "effective_host",
    "environment",
    "is_loopback",
    "names_of",
    "names_only_address",
    "open_host",
    "same_host",
    "scratch",
    "shared",
    "spellings",
    "url_host",
]

Kind = Literal[
    "service", "file", "container", "compose", "k8s", "database", "host", "package", "process",
    "repository", "cloud", "url", "queue", "cron", "network", "unknown",
]  # fmt: skip
Environment = Literal["production", "staging", "development", "local", "unknown"]
Confidence = Literal["high", "medium", "low"]


class Target(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What a command acts on, named as CONTRACT §6 says."""

    kind: Kind = "unknown"
    """What sort of thing it is."""
    name: str = ""
    """Its name: services without ``.service``, Kubernetes as ``kind/name``, files as written."""
    host: str | None = None
    """Host it is on, without the user; ``None`` on the agent's own machine."""
    context: str | None = None
    """Cluster context, cloud project or account, where the command names one."""
    namespace: str | None = None
    """Kubernetes namespace, compose project or the like."""


class Match(msgspec.Struct, frozen=True, kw_only=True):
    """Two targets are one neighbourhood."""

    kind: Literal["same", "neighbour", "only_open"]
    """Same name; another name of the thing; or the only open start on that host."""
    confidence: Confidence
    """``high`` for the same name, ``medium`` for a neighbour."""
    reason: str
    """In words: ``its unit file``, ``port 8000, named when it was started``."""
    found: Literal["good", "bad", "unclear"] | None = None
    """What a list shows of this one target, where that is not what the whole list shows: its row, or none."""


def _files(one: str, other: str) -> Match | None:
    """Whether two paths in comparable form are one file, or one holds the other."""
    if one == other and one:
        return Match(kind="same", confidence="high", reason="the same file")
    short, long = sorted((one, other), key=len)
    if not short or short in ("~", "/"):
        return None
    if long.endswith(f"/{short}") and not short.startswith("/"):
        sure: Confidence = "medium" if "/" in short else "low"
        return Match(kind="neighbour", confidence=sure, reason="the same file by a relative path")
    if short.startswith("~/") and re.match(
        rf"/(?:home/[^/]+|root|Users/[^/]+)/{re.escape(short[2:])}$", long
    ):
        return Match(kind="neighbour", confidence="medium", reason="the same file in the home folder")
    if long.startswith(f"{short}/") and short.count("/") >= (2 if short.startswith("/") else 0):
        return Match(kind="neighbour", confidence="medium", reason=f"the folder {short} holds it")
    if any(char in short + long for char in "*?") and (_glob(one, other) or _glob(other, one)):
        return Match(kind="neighbour", confidence="medium", reason="the pattern covers it")
    return None


def _named_after(ours: Target, theirs: Target) -> Match | None:
    """A look at a revision or at the log of a service in a cloud, and the service."""
    its = theirs.name.lower()
    found = next((name for name in names_of(ours) if name.value == its and name.reason), None)
    return None if found is None else Match(kind="neighbour", confidence="medium", reason=found.reason)


def _glob(pattern: str, path: str) -> bool:
    return any(char in pattern for char in "*?") and len(pattern) < 300 and (
        re.match(translate(pattern), path) is not None
    )  # fmt: skip


# -- the neighbourhoods of a session ------------------------------------------------------------------


_PLATFORM = lazy(
    r"^(?P<remote>heroku|dokku)(?:-[\w-]{1,60})?$"
    r"|(?:^|//|@)(?:git\.)?(?P<host>heroku|dokku)(?:\.com|@[\w.-]{1,100})[:/](?P<app>[\w.-]{1,100})$"
)
"""A remote of a platform that deploys what is pushed to it, by its usual name or its address."""
_CONTAINER_ID = lazy(r"[0-9a-f]{12,64}")
_PLAIN_NAME = lazy(r"[a-z0-9][\w.@-]{1,100}")
_PARTIAL = (
    "-f",
    "--filter",
    "-n",
    "--last",
    "-l",
    "--latest",
    "-q",
    "--quiet",
    "--format",
    "--status",
    "--services",
)
"""Options by which a list of containers leaves out rows or names."""


def _row_names(row: str, names: Iterable[str]) -> bool:
    """Whether a row of a list, in lower case, holds one of the names: ``wiki-web-1`` holds ``web``."""
    return any(re.search(rf"(?<![a-z0-9]){re.escape(name)}(?![a-z0-9])", row) for name in names)


class _Link(msgspec.Struct, frozen=True, kw_only=True):
    """What the session shows: one name belongs to another."""

    host: str | None
    other: Name


_MOST_IDS = 200
"""Ids of what changes of one target made that are kept."""
_MOST_HOSTS = 2_000
"""Names of hosts that are kept; each costs a look when two groups are joined."""
_LEAST_PORT = 80
"""Smaller numbers after ``-p`` are counts more often than ports."""
_MOST_LINKS = 20_000
"""A log that teaches more than this is hostile or teaches nothing; later links are not kept."""


class Neighbourhoods:
    """The names of one thing, as forms of names imply them and one session shows them.

    Feed every command with its outcome through :meth:`learn`; :meth:`match` then says whether a command
    speaks of a target.
    """

    def __init__(self) -> None:
        """Nothing learned yet."""
        self._links: dict[tuple[str, str], list[_Link]] = {}
        self._known: set[tuple[object, ...]] = set()
        self._lines: dict[tuple[str | None, str], list[Name]] = {}
        self._projects: set[Target] = set()
        self._engines: dict[Target, str] = {}
        self._whole_hosts: dict[Target, str] = {}
        self._changed_tables: dict[Target, frozenset[str]] = {}
        self._platforms: dict[Target, tuple[str, str]] = {}
        self._current_namespace: str | None = None
        self._hosts: dict[str, str] = {}
        self._several: set[str] = set()
        """Names that stand for several hosts, of which no command line names one."""
        self._among: dict[str, frozenset[str]] = {}
        """What is said of one of several hosts, of which nobody knows which, with those hosts."""
        self._grouped: dict[str, str] = {}
        self._mounts: dict[Target, frozenset[str]] = {}
        self._search_paths: set[Target] = set()
        self._ids: dict[Target, tuple[str, ...]] = {}
        self._expanded: dict[Target, dict[tuple[str, str], list[Name]]] = {}
        self._spoken: dict[tuple[Command, Target], dict[tuple[str, str], list[Name]]] = {}

    # -- learning -------------------------------------------------------------------------------------

    def learn(self, command: Command, outcome: Outcome) -> None:
        """Take in what a command and its result show: ports, processes, logs, keys, files of its target."""
        if outcome.among and (label := bare_host(command.target.host)) is not None:
            self._among[label] = frozenset(filter(None, map(bare_host, outcome.among)))
        if outcome.reached == "no":
            return
        self._expanded.clear()
        self._spoken.clear()
        target = command.target
        program = command.program
        own = self._own(target)
        if command.each and (several := bare_host(target.host)) is not None:
            self._several.add(several)
        for other in (*command.also, *outcome.also):
            # An object that a manifest puts out stands for what it configures, too.
            for name in names_of(other)[:3] if other.kind == "k8s" else self._own(other):
                self._join(own, name, _shown(other, name))
        if whole_project(command.words):
            self._projects.add(target)
        if target.kind == "database":
            self._learn_database(command, program)
        elif target.kind in ("network", "host", "queue") and program in daemon_table().by_program:
            self._engines[target] = daemon_table().by_program[program]
        if command.effect == "reboot":
            self._whole_hosts[target] = "it answers on that host"
        elif command.effect == "deploy" and target.kind == "host":
            self._whole_hosts[target] = "on a host that it was put out to"
        if program in ("kubectl", "oc", "kubens", "kubectx"):
            self._learn_cluster(command, own)
        if command.effect in ("start", "restart", "reload", "deploy", "create", "configure", "scale"):
            self._learn_start(command, own)
        if program == "ln" and target.kind == "file":
            self._learn_link(command, own)
        if command.writes:
            self._learn_text(command, own, command.writes)
        if outcome.content:
            self._learn_text(command, own, outcome.content)
        if outcome.ids:
            self._ids[target] = tuple(dict.fromkeys((*self._ids.get(target, ()), *outcome.ids)))[-_MOST_IDS:]
        if target.kind == "repository":
            self._learn_checkout(command, own)
            self._learn_platform(command)
        elif command.folder and target.kind in ("service", "process", "compose", "container"):
            self._learn_folder(command, own)
        if program == "sysctl":
            for word in command.words[1:40]:
                if (key := word.partition("=")[0]) and re.match(r"[a-z]+[./]\w", key):
                    key = key.replace("/", ".").lower()
                    self._join(own, Name(sort="sysctl", value=key, host=effective_host(target)), "its key")

    def _own(self, target: Target) -> tuple[Name, ...]:
        """The first name of a target, with the service a file is named after."""
        names = names_of(target)
        if target.kind == "url":
            return tuple(name for name in names if name.sort == "domain") or names[1:2]
        return names[:1] if target.kind != "file" else tuple(
            name for name in names if name.sort in ("file", "called") and name.reason in ("", "its unit file")
        )  # fmt: skip

    def _join(self, own: Iterable[Name], other: Name, reason: str) -> None:
        for name in own:
            mark = (name.key, name.host, other.key, other.host)
            if name.key == other.key or mark in self._known or len(self._known) >= _MOST_LINKS:
                continue
            self._known.add(mark)
            there = msgspec.structs.replace(other, reason=reason, sure="medium")
            back = msgspec.structs.replace(name, reason=reason, sure="medium")
            self._links.setdefault(name.key, []).append(_Link(host=name.host, other=there))
            self._links.setdefault(other.key, []).append(_Link(host=other.host, other=back))

    def _learn_start(self, command: Command, own: tuple[Name, ...]) -> None:
        host = effective_host(command.target)
        container = command.target.kind in ("container", "compose") or command.words[:1] in (
            ("docker",),
            ("podman",),
        )
        words = (
            *(part for wrapper in command.via for part in wrapper.split()[:40] if "=" in part),
            *command.words,
        )
        for port in ports_in(words[:400], container=container):
            name = Name(sort="port", value=port, host=host)
            self._join(own, name, f"port {port}, named when it was started")
        if command.target.kind in ("process", "service", "unknown") and command.words:
            self._line(host, " ".join(command.words[:200]), own)

    def _line(self, host: str | None, line: str, own: Iterable[Name]) -> None:
        if len(self._lines) < 500:
            kept = self._lines.setdefault((host, line[:2000].lower()), [])
            kept.extend(name for name in own if name not in kept)

    def _learn_database(self, command: Command, program: str) -> None:
        engine = daemon_table().by_program.get(program)
        if engine is not None:
            self._engines[command.target] = engine
        if command.effect in ("write_data", "migrate", "delete", "create"):
            before = self._changed_tables.get(command.target, frozenset())
            self._changed_tables[command.target] = before | tables_named(command)

    def _learn_cluster(self, command: Command, own: tuple[Name, ...]) -> None:
        words = command.words
        if words[:1] == ("kubens",) and len(words) > 1:
            self._current_namespace = words[1].lower()
        elif "set-context" in words:
            for index, word in enumerate(words):
                name, equals, value = word.partition("=")
                if name == "--namespace":
                    self._current_namespace = (
                        value if equals else "".join(words[index + 1 : index + 2])
                    ).lower()
        elif "port-forward" in words:
            for word in words:
                if found := re.fullmatch(r"(\d{2,5})(?::\d{1,5})?", word):
                    port = Name(sort="port", value=found.group(1), host=bare_host(command.target.host))
                    self._join(own, port, f"port {found.group(1)}, forwarded to it")

    def _learn_link(self, command: Command, own: tuple[Name, ...]) -> None:
        paths = [word for word in command.words[1:] if not word.startswith("-")]
        for path in paths[:2]:
            name = Name(sort="file", value=path_form(path), host=effective_host(command.target))
            self._join(own, name, "a link to it")

    def _learn_platform(self, command: Command) -> None:
        """A push to the remote of a platform: ``git push heroku main``, ``git push dokku@host:app``."""
        words = command.words
        if "push" not in words[1:5]:
            return
        for word in words[2:40]:
            found = _PLATFORM.search(word.lower())
            if found is not None:
                self._platforms[command.target] = (
                    found["remote"] or found["host"],
                    (found["app"] or "").removesuffix(".git"),
                )
                return

    def _learn_checkout(self, command: Command, own: tuple[Name, ...]) -> None:
        """A working copy that is updated where it runs: its folder, and what would be called after that."""
        words = command.words
        if "push" in words[1:5] or command.effect not in ("transfer", "edit", "deploy"):
            return
        folder = command.folder or ""
        for before, word in pairwise(words[:40]):
            if before == "-C":
                folder = word
        if "clone" in words[1:5] and words[-1].startswith(("/", "~")):
            folder = words[-1]
        if not folder.startswith(("/", "~")):
            return
        host, folder = effective_host(command.target), path_form(folder)
        self._join(own, Name(sort="folder", value=folder, host=host), "the folder it is in")
        for name in names_of_folder(folder):
            self._join(own, Name(sort="called", value=name, host=host), "what runs from its folder")

    def _learn_folder(self, command: Command, own: tuple[Name, ...]) -> None:
        """What is (re)started in a folder runs from it: ``cd /srv/app && git pull && pm2 restart api``."""
        folder = path_form(command.folder or "")
        if command.effect in ("restart", "reload", "start", "deploy") and code_folders(folder):
            host = effective_host(command.target)
            self._join(own, Name(sort="folder", value=folder, host=host), "started in its folder")

    def _learn_text(self, command: Command, own: tuple[Name, ...], given: str) -> None:
        for one, other in host_aliases(command, given[:20_000]):
            self._same(one, other)
        # A line that long configures nothing that is looked for here, and costs patterns dear.
        written = given[:20_000]
        if "\n" not in written:
            # ``printf '[Service]\\nEnvironment=…'``
            written = written.replace("\\n", "\n")
        text = "\n".join(line for line in written.split("\n") if len(line) <= 2000)
        short = "\n".join(line for line in text.split("\n") if len(line) <= 300)
        host = effective_host(command.target)
        self._learn_unit(text, own, host)
        for path in LOGS_IN_UNIT.findall(text)[:10]:
            self._join(own, Name(sort="file", value=path_form(path), host=host), "its log, by its unit file")
        for found in PORTS_IN_CONFIG.finditer(short):
            port = str(int(next(value for value in found.groups() if value)))
            self._join(own, Name(sort="port", value=port, host=host), f"port {port}, in its configuration")
        for pattern in (SERVER_NAMES, SITE_BLOCK):
            for listed in pattern.findall(short)[:20]:
                for domain in re.split(r"[\s,]+", listed.lower())[:20]:
                    if domain and domain != "_":
                        self._join(own, Name(sort="domain", value=domain), "the site it configures")
        path = command.target.name.lower()
        if path.endswith("fstab"):
            places = frozenset(path_form(place) for place in FSTAB_ENTRY.findall(short)[:100])
            self._mounts[command.target] = self._mounts.get(command.target, frozenset()) | places
        if path.endswith("/etc/hosts") or path == "/etc/hosts":
            for found in list(HOSTS_ENTRY.finditer(short))[:200]:
                for entry in found.group(1).lower().split()[:20]:
                    self._join(own, Name(sort="domain", value=entry), "a name that it makes known")
        if SEARCH_PATH.search(short) is not None:
            self._search_paths.add(command.target)
        if "sysctl" in path:
            for found in list(SYSCTL_KEY.finditer(short))[:200]:
                key = found.group(1).replace("/", ".").lower()
                self._join(own, Name(sort="sysctl", value=key, host=host), f"the key {key} that it sets")
        if path.endswith((".yml", ".yaml", ".json")) or MANIFEST_KIND.search(short):
            self._learn_manifest(short, own)

    def _learn_unit(self, text: str, own: tuple[Name, ...], host: str | None) -> None:
        """What a unit file tells: the line that starts it, its ports, the folders it runs from."""
        lines = [found.group(1)[:2000] for found in list(EXEC_START.finditer(text))[:50]]
        paths = [path_form(path) for line in lines for path in PATHS_IN_EXEC.findall(line)[:20]]
        places = [path_form(path) for path in WORKING_DIRECTORY.findall(text)[:10]]
        folders = dict.fromkeys(folder for path in paths for folder in code_folders(path))
        folders.update(dict.fromkeys(path for path in places if path in code_folders(path)))
        homes = tuple(Name(sort="folder", value=folder, host=host) for folder in folders)
        for line in lines:
            self._line(host, line, own)
            for port in ports_in(line.split()):
                listens = Name(sort="port", value=port, host=host)
                self._join(own, listens, f"port {port}, in its unit file")
                self._join(homes, listens, f"port {port}, of what runs from its folder")
        for path in paths:
            self._join(own, Name(sort="file", value=path, host=host), "named in its unit file")
        for home in homes:
            self._join(own, home, "the folder it runs from")

    def _learn_manifest(self, text: str, own: tuple[Name, ...]) -> None:
        for document in re.split(r"^---\s*$", text, flags=re.MULTILINE)[:50]:
            kind, name = MANIFEST_KIND.search(document), MANIFEST_NAME.search(document)
            if kind and name:
                told = f"{kind.group(1).lower()}/{name.group(1)}"
                for other in names_of(Target(kind="k8s", name=told))[:2]:
                    self._join(own, other, "the object that the file describes")

    # -- hosts ----------------------------------------------------------------------------------------

    def same_host(self, one: str | None, other: str | None) -> bool:
        """Whether two hosts are one, by their names or by what the session shows of them."""
        if one == other:
            return True
        one, other = bare_host(one), bare_host(other)
        if same_host(one, other):
            return True
        if not one or not other:
            return False
        if self._several and self._one_of(one, other):
            return True
        if self._among and (other in self._among.get(one, ()) or one in self._among.get(other, ())):
            return True
        if not self._hosts:
            return False
        return self._group(one) == self._group(other)

    def _one_of(self, one: str, other: str) -> bool:
        """Whether one of two hosts stands for several, and the other may be one of them."""
        return (other in self._several and may_be_of(one, other)) or (
            one in self._several and may_be_of(other, one)
        )

    def names_of_host(self, host: str | None) -> tuple[str, ...]:
        """The other names under which the session shows a host, in order of the alphabet."""
        bare = bare_host(host)
        if not bare or not self._hosts:
            return ()
        group = self._group(bare)
        return tuple(sorted(name for name, of in self._hosts.items() if of == group and name != bare))

    def _same(self, one: str, other: str) -> None:
        first, second = bare_host(one), bare_host(other)
        if not first or not second or len(self._hosts) >= _MOST_HOSTS:
            return
        kept, gone = self._group(first), self._group(second)
        self._grouped.clear()
        for name in (first, second):
            self._hosts.setdefault(name, name)
        if kept != gone:
            for name, of in self._hosts.items():
                if of == gone:
                    self._hosts[name] = kept
        self._hosts[first] = self._hosts[second] = kept

    def _group(self, host: str) -> str:
        """The name that stands for all names of a host; a short name is the one full name that begins so."""
        found = self._hosts.get(host) or self._grouped.get(host)
        if found is None:
            alike = {of for name, of in self._hosts.items() if same_host(name, host)}
            found = self._grouped[host] = alike.pop() if len(alike) == 1 else host
        return found

    def other_port(self, check: Command, target: Target) -> bool:
        """Whether a check asks at another port than those where the session shows the target to listen."""
        port, address = port_of(check.target), check.target.name
        if port is None or any(word in wrapper for wrapper in check.via for word in ("exec", "nsenter")):
            return False
        if check.target.kind == "url" and not is_loopback(url_host(address) or "localhost"):
            rest = address.partition("://")[2] or address
            if ":" not in rest.partition("/")[0].rpartition("]")[2]:
                # The public address of a service is often a proxy's.
                return False
        known = {
            value for sort, value in self._expand(target) if sort == "port" and int(value) >= _LEAST_PORT
        }
        return bool(known) and port not in known

    # -- matching -------------------------------------------------------------------------------------

    def match(self, check_or_change: Command, target: Target, outcome: Outcome | None = None) -> Match | None:
        """Whether a command speaks of a target's neighbourhood, and why; ``None`` when it does not.

        ``outcome`` adds the names that its result shows. A check that names only an address whose port the
        session does not tell matches nothing here: that is for who knows the open operations.
        """
        command = check_or_change
        best: Match | None = None
        selected = selected_labels(command.words) if command.target.kind == "k8s" else ()
        for ours in (command.target, *command.also, *(outcome.also if outcome is not None else ())):
            found = self._match(ours, target, command, selected)
            if found is not None and (
                best is None or _RANK[found.confidence, found.kind] > _RANK[best.confidence, best.kind]
            ):
                best = found
        if best is not None and self._several and command.target.host != target.host:
            here, there = bare_host(command.target.host), bare_host(target.host)
            if here and there and not same_host(here, there) and self._one_of(here, there):
                reason = "one of the hosts that a loop or a pattern goes through"
                best = msgspec.structs.replace(best, kind="neighbour", confidence="low", reason=reason)
        if best is not None and outcome is not None and outcome.rows:
            return self._in_list(best, target, command, outcome)
        if best is None and target in self._ids and command.check_strength is not None:
            asked = " ".join(command.words[:200])
            if any(one in asked for one in self._ids[target]):
                return Match(
                    kind="neighbour", confidence="medium", reason="it names the id that the change gave"
                )
        return best

    def _in_list(self, match: Match, target: Target, command: Command, outcome: Outcome) -> Match:
        """The match of a list of everything that runs with what it shows of one target.

        That a target is in no row shows that it does not run only where the list is whole and names things
        as the target is named; else the list leaves it open.
        """
        whole = command.target.name.strip() in LISTED or whole_project(command.words)
        if not whole or target.kind not in ("container", "compose", "service", "process"):
            return match
        called = [other.name.lower().strip() for other in self.names(target)
                  if other.kind in ("container", "compose", "service", "process")]  # fmt: skip
        tokens = [name[:12] if _CONTAINER_ID.fullmatch(name) else name for name in called]
        folders = (
            name.value for names in self._expand(target).values() for name in names if name.sort == "folder"
        )
        named = (target.namespace, *(folder.rstrip("/").rsplit("/", 1)[-1] for folder in folders))
        projects = [project for one in named if (project := project_form(one))]
        if target in self._projects or target.name.lower().strip() in LISTED:
            return match
        if not tokens or not all(_PLAIN_NAME.fullmatch(token) for token in tokens):
            return match
        seen = [state for row, state in outcome.rows if _row_names(row.lower(), tokens)]
        if seen:
            found = "good" if all(state == "good" for state in seen) else "bad" if "bad" in seen else None
            return match if found in (None, outcome.state) else msgspec.structs.replace(match, found=found)
        program = command.program
        partial = any(word.startswith(_PARTIAL) for word in command.words[1:])
        foreign = target.kind == "compose" and "compose" not in " ".join(command.words[:2])
        if foreign:
            # A service may set its container's name: its project's other containers tell that it does not.
            partial = partial or not any(_row_names(row.lower(), projects) for row, _ in outcome.rows)
        elif program in ("docker", "podman", "nerdctl") and target.kind in ("service", "process"):
            partial = True
        return msgspec.structs.replace(match, found="unclear" if partial else "bad")

    def names(self, target: Target) -> tuple[Target, ...]:
        """Every name of a target that forms and the session tell, the target itself first."""
        found: dict[Target, None] = {target: None}
        for names in self._expand(target).values():
            for name in names:
                other = _as_target(name, target)
                if other is not None:
                    found.setdefault(other)
        return tuple(found)

    def _match(
        self, ours: Target, theirs: Target, command: Command, selected: tuple[str, ...]
    ) -> Match | None:
        if ours == theirs and ours.name:
            if ours.kind == "database" and not self._tables_meet(command, theirs):
                return None
            return _SAME
        if not self._scopes_agree(ours, theirs, command):
            return None
        if ours.kind == theirs.kind:
            found = self._same_kind(ours, theirs, command, selected)
            if found is not None:
                return found
            if ours.kind == "cloud":
                return _named_after(ours, theirs)
            if ours.kind in ("database", "repository"):
                return None
        if theirs in self._whole_hosts and command.effect != "reboot":
            return self._on_host(ours, theirs, self._whole_hosts[theirs])
        if ours.kind == "cloud" and theirs.kind == "repository" and theirs in self._platforms:
            return self._pushed(ours, theirs, command)
        units = ours.kind == "host" and theirs.kind == "service" and command.program == "systemctl"
        # A list of units that is searched for one speaks of that one.
        if units and not any(sought.kind == "service" for sought in command.also):
            return self._on_host(ours, theirs, "a list that includes it")
        return self._neighbour(ours, theirs, command, selected)

    def _scopes_agree(self, ours: Target, theirs: Target, command: Command) -> bool:
        """Contexts and namespaces that are both named must agree; one that is not named may be the other."""
        contexts = "k8s" in (ours.kind, theirs.kind) or ours.kind == theirs.kind == "cloud"
        if contexts and ours.context and theirs.context and ours.context != theirs.context:
            return False
        if not (ours.kind == theirs.kind == "k8s"):
            return True
        one, other = (self._namespace(target) for target in (ours, theirs))
        if one == other or "-A" in command.words or "--all-namespaces" in command.words:
            return True
        # A manifest or chart may carry its namespace itself, so a change without one agrees with every check.
        return theirs.namespace is None and self._current_namespace is None

    def _namespace(self, target: Target) -> str:
        return (target.namespace or self._current_namespace or "default").lower()

    def _same_kind(
        self, ours: Target, theirs: Target, command: Command, selected: tuple[str, ...]
    ) -> Match | None:
        kind = ours.kind
        here, there = effective_host(ours), effective_host(theirs)
        if kind != "cloud" and not self.same_host(here, there):
            return None
        if kind == "file":
            return _files(path_form(ours.name), path_form(theirs.name))
        mine, its = ours.name.lower().strip(), theirs.name.lower().strip()
        if kind == "service":
            mine, its = service_name(mine), service_name(its)
        if kind == "database":
            return self._databases(ours, theirs, command)
        if kind == "host":
            return self._same_subject(ours, theirs)
        if (
            kind == "compose"
            and len({project_form(ours.namespace), project_form(theirs.namespace)} - {None}) > 1
        ):
            return None
        if mine == its and (mine or kind in ("cron", "cloud", "network", "queue")):
            return _SAME if mine else Match(kind="same", confidence="medium", reason=f"the same {kind}")
        if kind == "service" and "*" in mine and fnmatchcase(its, mine):
            return Match(kind="neighbour", confidence="medium", reason="a list that includes it")
        if kind == "k8s":
            if kind_and_name(mine) == kind_and_name(its):
                return _SAME
            return self._listed_objects(ours, theirs, command, selected)
        looks = command.effect in ("check", "read", "none")
        if (
            looks
            and kind in ("service", "container", "process", "queue", "cron", "package")
            and mine in LISTED
        ):
            return Match(kind="neighbour", confidence="medium", reason="a list that includes it")
        if kind == "compose" and (whole_project(command.words) or theirs in self._projects):
            return Match(kind="neighbour", confidence="medium", reason="the project it belongs to")
        pipeline = command.program in ("gh", "glab") and command.words[1:2] in _PIPELINES
        if kind == "repository" and looks and pipeline and command.check_strength is not None:
            return Match(kind="neighbour", confidence="medium", reason="the pipeline that it starts")
        if kind == "repository" and looks and not mine:
            return Match(kind="neighbour", confidence="medium", reason="the repository it belongs to")
        return None

    def _same_subject(self, ours: Target, theirs: Target) -> Match | None:
        """Two targets of kind ``host`` on one host: the host itself, or the same of its settings."""
        mine, its = subject(ours).lower(), subject(theirs).lower()
        if not self.same_host(effective_host(ours), effective_host(theirs)):
            return None
        if mine == its:
            return _SAME
        reason = self._whole_hosts.get(theirs)
        return self._on_host(ours, theirs, reason) if reason is not None and not its else None

    def _pushed(self, ours: Target, theirs: Target, command: Command) -> Match | None:
        """The state of a platform's app and the push to the platform's remote that deployed it."""
        platform, app = self._platforms[theirs]
        if command.program != platform or command.check_strength is None:
            return None
        mine = ours.name.strip().lower()
        if app and mine and mine not in LISTED | {app, platform}:
            return None
        return Match(kind="neighbour", confidence="medium", reason="the platform that it is pushed to")

    def _listed_objects(
        self, ours: Target, theirs: Target, command: Command, selected: tuple[str, ...]
    ) -> Match | None:
        """A list of cluster objects (``get pods``) speaks of the workloads it lists."""
        kind, name = kind_and_name(ours.name)
        if not kind and (bare := K8S_SHORT.get(name, name)) in LISTED_KINDS:
            kind, name = bare, ""
        its_kind, _ = kind_and_name(theirs.name)
        if name not in LISTED or selected or command.effect not in ("check", "read", "none"):
            return None
        listing = kind in WORKLOADS | RELEASES | {"event", "all", ""}
        configures = its_kind in WORKLOADS | {"", "configmap", "secret", "hpa"} or is_manifest(theirs.name)
        if (listing and configures) or kind == its_kind:
            return Match(kind="neighbour", confidence="medium", reason="a list that includes it")
        return None

    def _databases(self, ours: Target, theirs: Target, command: Command) -> Match | None:
        engine = daemon_table().by_program.get(command.program)
        known = self._engines.get(theirs)
        if engine and known and engine != known:
            return None
        mine, its = ours.name.lower(), theirs.name.lower()
        hosts = {"", (ours.host or "").lower(), (theirs.host or "").lower()}
        if not self._tables_meet(command, theirs):
            return None
        if mine == its:
            return _SAME
        if mine in hosts or its in hosts:
            return Match(kind="neighbour", confidence="medium", reason="a database of the same server")
        return None

    def _tables_meet(self, command: Command, theirs: Target) -> bool:
        """Whether a query can speak of what was changed: not when both name tables and none is the same."""
        changed = self._changed_tables.get(theirs)
        asked = tables_named(command)
        return not changed or not asked or bool(changed & asked)

    def _on_host(self, ours: Target, theirs: Target, reason: str) -> Match | None:
        here, there = effective_host(ours), effective_host(theirs)
        if ours.kind in ("cloud", "repository") or not self.same_host(here, there):
            return None
        return Match(kind="neighbour", confidence="medium", reason=reason)

    def _neighbour(
        self, ours: Target, theirs: Target, command: Command, selected: tuple[str, ...]
    ) -> Match | None:
        known = self._expand(theirs)
        mine = self._of_command(ours, command, selected)
        best: Match | None = None
        both_files = ours.kind == theirs.kind == "file"
        # Most pairs share no name: that is told without looking at each.
        for names in () if known.keys().isdisjoint(mine) else mine.values():
            for name in names:
                if name.value == "fstab" and not self._mounted(command, ours, theirs):
                    continue
                if name.value == "login" and theirs not in self._search_paths:
                    continue
                if both_files and name.sort in ("called", "daemon") and name.reason in _ABOUT_CONFIGURATION:
                    # Two files of one daemon: reading one says nothing of the other.
                    continue
                for other in known.get(name.key, ()):
                    found = self._joined(name, other)
                    if found is not None and (
                        best is None or _LEVEL[found.confidence] > _LEVEL[best.confidence]
                    ):
                        best = found
        if best is None and ours.kind in ("container", "compose") and theirs.kind in ("container", "compose"):
            best = self._containers(ours, theirs, command)
        if best is None and ours.kind == "url" and theirs.kind in ("file", "cloud"):
            best = self._served(ours, theirs)
        if best is None and theirs.kind == "file" and ours.kind in ("compose", "container"):
            best = self._described(ours, theirs, command)
        if best is None and "k8s" in (ours.kind, theirs.kind):
            best = self._released(mine, known, selected)
        if best is None and theirs.kind == "package" and theirs.name == "package cache":
            best = self._freed(ours, theirs, command)
        everything = command.effect in ("check", "read") and ours.kind == "process" and ours.name in LISTED
        beside = theirs.kind in ("service", "process") and self.same_host(
            effective_host(ours), effective_host(theirs)
        )
        if best is None and everything and beside:
            best = Match(kind="neighbour", confidence="low", reason="a list of all processes")
        return best

    def _joined(self, one: Name, other: Name) -> Match | None:
        """The match of two names with equal keys, when their hosts and scopes agree."""
        if one.host != other.host and not self.same_host(one.host, other.host):
            return None
        return _joined(one, other)

    def _served(self, ours: Target, theirs: Target) -> Match | None:
        """A site and the folder or bucket that it is served from."""
        domain = url_host(ours.name)
        if domain is None or port_of(ours) not in ("80", "443"):
            return None
        if theirs.kind == "cloud":
            bucket = url_host(theirs.name) if "://" in theirs.name else None
            if bucket is not None and bucket == domain:
                return Match(kind="neighbour", confidence="medium", reason="the site that it is")
            return None
        here = self.same_host(effective_host(ours), effective_host(theirs))
        if (here or theirs.host is not None) and serves(path_form(theirs.name), domain, same_host=here):
            return Match(kind="neighbour", confidence="medium", reason="the site that is served from it")
        return None

    def _mounted(self, command: Command, ours: Target, theirs: Target) -> bool:
        """Whether ``df`` asks about what the entries written to ``/etc/fstab`` mount, where they are known."""
        if command.program != "df" or ours.kind != "file" or ours.name.strip() in LISTED:
            return True
        places = self._mounts.get(theirs)
        return places is None or path_form(ours.name) in places

    def _freed(self, ours: Target, theirs: Target, command: Command) -> Match | None:
        """A look at the space of the machine whose package cache was emptied: that is what it was emptied for."""
        if command.program in ("df", "du") and self.same_host(effective_host(ours), effective_host(theirs)):
            return Match(kind="neighbour", confidence="medium", reason="the space that it takes")
        return None

    def _containers(self, ours: Target, theirs: Target, command: Command) -> Match | None:
        if not self.same_host(effective_host(ours), effective_host(theirs)):
            return None
        looks = command.effect in ("check", "read", "none")
        if looks and (ours.name.strip() in LISTED or whole_project(command.words)):
            return Match(kind="neighbour", confidence="medium", reason="a list that includes it")
        if theirs in self._projects and ours.kind == "container":
            project = project_form(theirs.namespace or theirs.name.rstrip("/").rsplit("/", 1)[-1])
            scopes = {name.scope for name in names_of(ours) if name.sort == "compose"}
            if project and project in scopes:
                return Match(kind="neighbour", confidence="medium", reason="a container of the project")
        return None

    def _described(self, ours: Target, theirs: Target, command: Command) -> Match | None:
        """A compose file and what runs by it: a list, its services, containers named after its folder."""
        found = _COMPOSE_FILE.search(path_form(theirs.name).lower())
        if found is None or not self.same_host(effective_host(ours), effective_host(theirs)):
            return None
        project = project_form(found.group(1))
        scopes = {name.scope for name in names_of(ours) if name.sort == "compose"}
        listing = ours.name.strip() in LISTED or whole_project(command.words)
        told = project is not None and project in scopes
        named = ours.namespace or (
            "" if ours.name.strip() in LISTED else ours.name.rstrip("/").rsplit("/", 1)[-1]
        )
        if listing and ours.kind == "compose" and project and project_form(named) not in (None, project):
            # Another project's list.
            return None
        if listing or told or (ours.kind == "compose" and (project is None or scopes == {None})):
            return Match(kind="neighbour", confidence="medium", reason="what the file describes")
        return None

    def _released(
        self,
        mine: dict[tuple[str, str], list[Name]],
        known: dict[tuple[str, str], list[Name]],
        selected: tuple[str, ...],
    ) -> Match | None:
        """A release and the objects whose names begin with its name."""
        if selected:
            return None
        for one, other in ((mine, known), (known, mine)):
            releases = [value[1:] for sort, value in one if sort == "object" and value.startswith("/")]
            if any(sort == "object" and value.startswith("/") for sort, value in other):
                continue
            for sort, value in other:
                if sort == "workload" and any(
                    value.startswith(f"{release}-") for release in releases if release
                ):
                    # ``api`` and ``api-gateway`` may be two releases: the name alone does not tell.
                    reason = "its name begins with the release's"
                    return Match(kind="neighbour", confidence="low", reason=reason)
        return None

    def _of_command(
        self, ours: Target, command: Command, selected: tuple[str, ...]
    ) -> dict[tuple[str, str], list[Name]]:
        """The names that a command speaks of, with those its words add."""
        known = self._spoken.get((command, ours))
        if known is None:
            known = self._spoken[command, ours] = self._speak(ours, command, selected)
        return known

    def _speak(
        self, ours: Target, command: Command, selected: tuple[str, ...]
    ) -> dict[tuple[str, str], list[Name]]:
        found = {key: list(names) for key, names in self._expand(ours).items()}
        host = effective_host(ours)

        def add(name: Name) -> None:
            found.setdefault(name.key, []).append(name)

        if ours == command.target:
            program = command.program
            daemon = daemon_table().by_program.get(program)
            named = ours.kind == "service" and ours.name.strip() not in LISTED
            if program in _RESOLVERS and ours.kind in ("host", "url"):
                # What is asked for by name tells whether the name is known.
                asked = (url_host(ours.name) or ours.name).lower()
                add(Name(sort="domain", value=asked, reason=f"asked for by {program}"))
            if daemon is not None and not (named and daemon_of(service_name(ours.name)) != daemon):
                # A client of a name (dig, ping) asks where it runs.
                where = bare_host(ours.host) if ours.kind == "url" else host
                add(Name(sort="daemon", value=daemon, host=where, reason=f"asked through {program}"))
            for label in selected:
                add(Name(sort="workload", value=label, reason=f"selected by the label {label}"))
            if program == "openssl" and "s_client" in command.words[1:4]:
                add(Name(sort="certificates", value="*", host=host, reason="the certificate that it serves"))
            if program == "sysctl":
                words = {word.partition("=")[0].replace("/", ".").lower() for word in command.words[1:40]}
                whole = words & {"-a", "--all", "--system", "-p"}
                for key in ("*",) if whole else sorted(word for word in words if "." in word):
                    add(Name(sort="sysctl", value=key, host=host, reason=f"the key {key}"))
                if whole:
                    add(Name(sort="sysctl_all", value="*", host=host, reason="all kernel settings"))
        if ours.kind == "process" and not ours.name.isdecimal() and len(ours.name.strip()) >= 3:
            pattern = re.sub(r"\[(\w)\]", r"\1", ours.name.lower()).strip().strip("\"'")
            for (there, line), names in self._lines.items():
                if self.same_host(there, host) and pattern in line:
                    for name in names:
                        add(msgspec.structs.replace(name, reason="its process, by the line that starts it"))
        return found

    def _expand(self, target: Target) -> dict[tuple[str, str], list[Name]]:
        """The names of a target by their key: its own, those its form implies, those the session joined."""
        known = self._expanded.get(target)
        if known is None:
            known = {}
            for name in names_of(target):
                known.setdefault(name.key, []).append(name)
            if engine := self._engines.get(target):
                reason = "the server that holds it" if target.kind == "database" else "changed through it"
                name = Name(sort="daemon", value=engine, host=effective_host(target), reason=reason)
                known.setdefault(name.key, []).append(name)
            self._follow(known, [name for names in known.values() for name in names])
            # A checkout and a service meet in a folder: the folder's own names belong to both.
            folders = [name for names in known.values() for name in names if name.sort == "folder"]
            if folders and target.kind == "repository":
                self._follow(known, folders)
            self._expanded[target] = known
        return known

    def _follow(self, known: dict[tuple[str, str], list[Name]], names: list[Name]) -> None:
        """Add what the session joins with some names."""
        for name in names:
            for link in self._links.get(name.key, ()):
                if self.same_host(link.host, name.host):
                    known.setdefault(link.other.key, []).append(link.other)
                    if link.other.sort == "sysctl":
                        every = msgspec.structs.replace(link.other, sort="sysctl_all", value="*")
                        known.setdefault(every.key, []).append(every)


_RESOLVERS = frozenset({"ping", "getent", "host", "dig", "nslookup", "resolvectl"})
"""Programs that need what a name stands for."""
_PIPELINES = (("run",), ("ci",), ("pipeline",), ("workflow",))
_COMPOSE_FILE = lazy(r"(?:^|(?:^|/)([^/]+)/)(?:docker-)?compose(?:[.-][\w.-]+)?\.ya?ml$|(?:^|/)stack\.ya?ml$")
_ABOUT_CONFIGURATION = frozenset({"its configuration", "its unit file", "a file in its folder"})
_SAME = Match(kind="same", confidence="high", reason="the same name")
_LEVEL: dict[str, int] = {"low": 0, "medium": 1, "high": 2}
_RANK: dict[tuple[str, str], int] = {
    (sure, kind): 3 * level + {"same": 2, "neighbour": 1, "only_open": 0}[kind]
    for sure, level in _LEVEL.items()
    for kind in ("same", "neighbour", "only_open")
}


def _joined(one: Name, other: Name) -> Match | None:
    """The match of two names with equal keys on one host, when their scopes agree."""
    if one.scope and other.scope and one.scope != other.scope:
        return None
    if one.sort == "daemon" and one.reason == other.reason == "":
        return Match(kind="neighbour", confidence="medium", reason="another name of it")
    if one.sort == "template" and one.reason == other.reason:
        # Two units made from one template are two things.
        return None
    level = min(_LEVEL[one.sure], _LEVEL[other.sure], 1)
    sure: Confidence = "medium" if level == 1 else "low"
    reason = one.reason or other.reason or "another name of it"
    return Match(kind="neighbour", confidence=sure, reason=reason)


def _shown(other: Target, name: Name) -> str:
    """What a further name that a command or its result shows is to the target, in words."""
    if name.sort == "port":
        return f"port {name.value}, named with it in the session"
    if name.sort == "pid":
        return f"process {name.value}, shown as its own"
    words = {"file": "a file named with it", "container": "its container", "process": "its process",
             "url": "its address", "service": "its service", "k8s": "the object it put out"}  # fmt: skip
    return words.get(other.kind, "named with it in the session")


def _as_target(name: Name, like: Target) -> Target | None:
    """A name as a target, for showing; ``None`` for names that are no target of their own."""
    host = like.host if same_host(name.host, effective_host(like)) else name.host
    if name.sort == "port":
        return Target(kind="network", name=name.value, host=host)
    if name.sort == "pid":
        return Target(kind="process", name=name.value, host=host)
    if name.sort == "file":
        return Target(kind="file", name=name.value, host=host)
    if name.sort == "domain":
        return Target(kind="url", name=name.value)
    if name.sort == "called" and like.kind in ("file", "network", "url", "process"):
        return Target(kind="service", name=name.value, host=host)
    if name.sort == "object" and like.kind != "k8s":
        return Target(kind="k8s", name=name.value.lstrip("/"), host=like.host, namespace=like.namespace)
    return None
