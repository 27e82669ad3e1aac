"""Commands that would tell the state of a target, spelled out for that very target.

Each is put together from facts of the log only (host and user as the ssh wrapper named them, the unit's name,
the namespace, a port that an earlier check used) by a template for the kind of target. A name that could be
taken for an option or holds a control character yields no command; everything else is quoted for the shell.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from urllib.parse import urlsplit

from sessionlens.cache import lazy
from sessionlens.shell.command import Command
from sessionlens.targets import Target

Spelled = tuple[str, str]
"""A command line and what it tells."""

_PLAIN = lazy(r"[^\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ud800-\udfff\ufeff]+")
_UNKNOWN = lazy(r"[$`*?{}<>]|^~")
_UNIT = lazy(r"\.(service|socket|timer|mount|target|path)$")
_UNIT_FILE = lazy(r"/systemd/(?:system|user)/([^/]+?)(?:\.d/[^/]+)?$")

MOST = 5
"""More commands than this help nobody at three in the morning."""


def spell(target: Target, commands: Sequence[Command]) -> list[Spelled]:
    """Commands that tell the state of ``target``.

    ``commands`` are those of the session that acted on it, the latest last: they show how it is reached and
    what manages it. Nothing is returned for a target whose name is unknown or unsafe to spell.
    """
    if not _sound(target.name) and target.kind not in ("host", "cron", "network"):
        return []
    if any(
        value is not None and not _sound(value) for value in (target.host, target.namespace, target.context)
    ):
        return []
    wrap = _Way(target, commands)
    seen: dict[str, str] = {}
    for words, why in _templates(target, commands):
        line = wrap.line(words)
        if line is not None:
            seen.setdefault(line, why)
    return list(seen.items())[:MOST]


def _sound(word: str) -> bool:
    """Whether a word from the log may stand in a command: no option, no control character, no unknown."""
    return (
        bool(word)
        and not word.startswith("-")
        and _PLAIN.fullmatch(word) is not None
        and _UNKNOWN.search(word) is None
    )


class _Way:
    """How to get to the target: ssh, sudo, docker exec and the like, as the session did."""

    def __init__(self, target: Target, commands: Sequence[Command]) -> None:
        self._outer: list[list[str]] = []
        for command in reversed(commands):
            if command.target.host == target.host and command.via:
                self._outer = [words for wrapper in command.via if (words := _kept(wrapper))]
                break
        # A database is asked over its own protocol unless the session went through ssh.
        apart = target.kind in ("database", "queue", "k8s", "cloud", "url")
        if target.host and not apart and not any(words[0] == "ssh" for words in self._outer):
            self._outer.insert(0, ["ssh", target.host])

    def line(self, words: Sequence[str]) -> str | None:
        """The command line with its wrappers, quoted once for every shell that reads it."""
        if words[0] == "curl" and not any("localhost" in word or "127.0.0.1" in word for word in words):
            return shlex.join(words)
        line = shlex.join(words)
        inner_sudo = False
        for wrapper in reversed(self._outer):
            if wrapper[0] == "ssh":
                line = f"{shlex.join(wrapper)} {line if _bare(line) else shlex.quote(line)}"
            elif wrapper[0] == "sudo" and not inner_sudo:
                line, inner_sudo = f"{shlex.join(wrapper)} {line}", True
            elif wrapper[0] != "sudo":
                line = f"{shlex.join(wrapper)} {line}"
        return line


def _bare(line: str) -> bool:
    return re.fullmatch(r"[\w@%+=:,./ -]+", line) is not None


def _kept(wrapper: str) -> list[str]:
    """The words of a wrapper that says where a command runs; empty for one that says how."""
    try:
        words = shlex.split(wrapper)
    except ValueError:
        return []
    if not words or any(_PLAIN.fullmatch(word) is None or _UNKNOWN.search(word) for word in words):
        return []
    if words[0] == "ssh":
        return _ssh(words)
    if words[0] == "sudo":
        return words
    if words[0] in ("docker", "podman", "kubectl", "oc", "nsenter", "lxc", "machinectl") and "exec" in words:
        return [word for word in words if word not in ("-it", "-ti", "-t", "--tty", "-d", "--detach")]
    return []


def _ssh(words: list[str]) -> list[str]:
    """The ssh command with its host, port, key, user and jump host; options that could run something are left."""
    kept, position = ["ssh"], 1
    while position < len(words):
        word = words[position]
        if not word.startswith("-"):
            return [*kept, word] if _sound(word) else []
        letter, value = word[1:2], word[2:]
        if letter and letter in "bcDEeFIiJLlmOopQRSWwB":
            if not value:
                position += 1
                value = words[position] if position < len(words) else ""
            if letter in "pilJ" and _sound(value):
                kept += [f"-{letter}", value]
        position += 1
    return []


def _option(commands: Iterable[Command], *names: str) -> list[str]:
    """An option with its value as the latest command gave it."""
    for command in commands:
        words = command.words
        for position, word in enumerate(words):
            if word in names and position + 1 < len(words) and _sound(words[position + 1]):
                return [word, words[position + 1]]
            for name in names:
                if name.startswith("--") and word.startswith(name + "=") and _sound(word):
                    return [word]
    return []


def _manager(commands: Sequence[Command]) -> str:
    """The program that manages the target, by the commands that acted on it."""
    known = (
        "systemctl", "service", "rc-service", "supervisorctl", "pm2", "docker", "podman", "docker-compose",
        "kubectl", "oc", "helm", "nginx", "apachectl", "apache2ctl", "httpd", "haproxy", "caddy", "launchctl",
        "sv", "s6-svc", "brew", "sc", "Restart-Service", "argocd", "nomad", "fly", "vercel", "gcloud", "aws",
        "terraform", "tofu", "redis-cli", "psql", "mysql", "mariadb", "mongosh", "crontab", "gh",
    )  # fmt: skip
    for command in reversed(commands):
        if command.words:
            program = command.program
            if program in known:
                return program
    return ""


def addresses(commands: Iterable[Command]) -> Iterator[str]:
    """Addresses that checks of a session asked, without user, password or query."""
    for command in commands:
        for word in command.words[1:]:
            if word.startswith(("http://", "https://")):
                try:
                    parts = urlsplit(word)
                    host, port = parts.hostname, parts.port
                except ValueError:
                    continue
                if host and _sound(host) and _sound(parts.path or "/"):
                    yield f"{parts.scheme}://{host}{f':{port}' if port else ''}{parts.path}"


def _templates(target: Target, commands: Sequence[Command]) -> Iterator[tuple[list[str], str]]:
    name, kind, manager = target.name, target.kind, _manager(commands)
    newest = list(reversed(commands))
    if kind == "service":
        yield from _service(target, manager, newest)
    elif kind in ("container",):
        program = manager if manager in ("docker", "podman") else "docker"
        yield [program, "ps", "--all", "--filter", f"name={name}"], "whether it is up, and since when"
        yield (
            [program, "inspect", "--format", "{{json .State}}", name],
            "its state, health and last exit code",
        )
        yield [program, "logs", "--tail", "50", name], "its latest log lines"
    elif kind == "compose":
        base = [
            "docker",
            "compose",
            *_option(newest, "-f", "--file"),
            *_option(newest, "-p", "--project-name"),
        ]
        single = [] if "/" in name or name in (".", "") else [name]
        yield [*base, "ps", *single], "which containers are up, and since when"
        yield [*base, "logs", "--tail", "50", *single], "their latest log lines"
    elif kind == "k8s":
        yield from _kubernetes(target, manager)
    elif kind == "database":
        yield from _database(target, manager, newest)
    elif kind == "file":
        yield from _file(name)
    elif kind == "host":
        yield ["uptime"], "whether it answers, and since when it has been up"
        yield ["systemctl", "is-system-running"], "whether every unit came up"
        yield ["systemctl", "--failed"], "which units did not come up"
    elif kind == "process":
        yield ["pgrep", "-af", name], "whether it runs"
    elif kind == "package":
        yield from _package(name, newest)
    elif kind == "repository":
        yield from _repository(name, manager)
    elif kind == "url":
        if name.startswith(("http://", "https://")):
            yield ["curl", "-fsS", name], "whether it answers"
    elif kind == "cron":
        yield ["crontab", "-l"], "the schedule as it stands"
    elif kind == "network":
        yield ["ip", "addr"], "addresses as they stand"
        yield ["ss", "-ltnp"], "what listens"
    elif kind == "cloud":
        yield from _cloud(name, manager)
    for address in dict.fromkeys(addresses(newest)):
        if kind in ("service", "container", "compose", "k8s", "process", "host", "cloud"):
            yield ["curl", "-fsS", address], "whether it answers, asked the way the session did"


def _repository(name: str, manager: str) -> Iterator[tuple[list[str], str]]:
    number = name.lstrip("#!")
    if not number.isdecimal():
        yield ["git", "ls-remote", "origin", name], "which commit the remote branch is at"
    elif name.startswith("!"):
        yield ["glab", "mr", "view", number], "whether it is merged"
        yield ["glab", "ci", "status"], "what the pipeline of the branch came to"
    elif name.startswith("#"):
        yield (
            ["gh", "pr", "view", number, "--json", "state,mergeCommit,statusCheckRollup"],
            "whether it is merged, and what its checks came to",
        )
        yield ["gh", "run", "list", "--limit", "5"], "what the workflows that it started came to"
    elif manager == "gh":
        yield ["gh", "run", "view", number], "what the run came to"


def _service(target: Target, manager: str, newest: list[Command]) -> Iterator[tuple[list[str], str]]:
    name = target.name
    if manager == "supervisorctl":
        yield ["supervisorctl", "status", name], "whether it runs, and since when"
        yield ["supervisorctl", "tail", name], "its latest log lines"
    elif manager == "pm2":
        yield ["pm2", "describe", name], "whether it runs, how often it was restarted"
        yield ["pm2", "logs", name, "--lines", "50", "--nostream"], "its latest log lines"
    elif manager == "rc-service":
        yield ["rc-service", name, "status"], "whether it runs"
    elif manager == "launchctl":
        yield ["launchctl", "print", f"system/{name}"], "whether it runs, and its last exit code"
    elif manager in ("sv", "s6-svc"):
        yield ["sv", "status", name], "whether it runs"
    elif manager == "brew":
        yield ["brew", "services", "info", name], "whether it runs"
    elif manager in ("sc", "Restart-Service"):
        yield ["sc", "query", name], "whether it runs"
    elif manager in ("docker", "podman"):
        yield [manager, "ps", "--filter", f"name={name}"], "whether it is up"
        yield [manager, "logs", "--tail", "50", name], "its latest log lines"
    else:
        user = ["--user"] if any("--user" in command.words for command in newest) else []
        unit = name if _UNIT.search(name) else f"{name}.service"
        yield ["systemctl", *user, "status", unit, "--no-pager"], "whether it runs, and since when"
        yield (
            ["journalctl", *user, "-u", unit, "-n", "50", "--no-pager"],
            "its latest log lines, the progress of a slow start among them",
        )
    tests = {
        "nginx": ["nginx", "-t"],
        "apache2": ["apache2ctl", "configtest"],
        "httpd": ["httpd", "-t"],
        "haproxy": ["haproxy", "-c", "-f", "/etc/haproxy/haproxy.cfg"],
        "caddy": ["caddy", "validate", "--config", "/etc/caddy/Caddyfile"],
        "ssh": ["sshd", "-t"],
        "sshd": ["sshd", "-t"],
        "named": ["named-checkconf"],
        "bind9": ["named-checkconf"],
        "prometheus": ["promtool", "check", "config", "/etc/prometheus/prometheus.yml"],
        "postfix": ["postfix", "check"],
    }
    if name in tests:
        yield tests[name], "whether its configuration is sound"
    answers = {
        "redis": ["redis-cli", "ping"],
        "redis-server": ["redis-cli", "ping"],
        "postgresql": ["pg_isready"],
        "mysql": ["mysqladmin", "ping"],
        "mysqld": ["mysqladmin", "ping"],
        "mariadb": ["mysqladmin", "ping"],
    }
    if name in answers:
        yield answers[name], "whether it answers"


def _kubernetes(target: Target, manager: str) -> Iterator[tuple[list[str], str]]:
    name = target.name
    space = ["--namespace", target.namespace] if target.namespace else []
    context = ["--context", target.context] if target.context else []
    program = manager if manager == "oc" else "kubectl"
    if "/" not in name:
        if manager == "argocd":
            yield ["argocd", "app", "get", name], "sync and health of the application"
            return
        helm_context = ["--kube-context", target.context] if target.context else []
        yield ["helm", "status", name, *space, *helm_context], "the release's state and revision"
        yield (
            [program, *context, "get", "pods", *space, "--selector", f"app.kubernetes.io/instance={name}"],
            "whether its pods are ready",
        )
        return
    kind, single = name.split("/", 1)
    if kind in ("deployment", "statefulset", "daemonset", "rollout"):
        yield (
            [program, *context, "rollout", "status", name, *space, "--timeout=60s"],
            "whether the rollout finished",
        )
        yield [program, *context, "logs", name, *space, "--tail=50"], "the latest log lines of a pod"
    else:
        yield [program, *context, "get", name, *space, "--output", "wide"], "the object as it stands"
    yield [program, *context, "describe", kind, single, *space], "its state and latest events"


def _database(target: Target, manager: str, newest: list[Command]) -> Iterator[tuple[list[str], str]]:
    name = target.name
    if manager in ("mysql", "mariadb"):
        reach = _option(newest, "-h", "--host")
        yield ["mysqladmin", *reach, "ping"], "whether the server answers"
        yield ["mysql", *reach, name, "-e", "SHOW TABLES"], "whether the database can be read"
    elif manager == "redis-cli":
        reach = _option(newest, "-h")
        yield ["redis-cli", *reach, "ping"], "whether the server answers"
        yield ["redis-cli", *reach, "info", "server"], "since when it has been up"
    elif manager == "mongosh":
        yield ["mongosh", name, "--eval", "db.stats()"], "whether the database can be read"
    elif manager == "psql":
        reach = _option(newest, "-h", "--host")
        yield ["pg_isready", *reach], "whether the server answers"
        yield ["psql", *reach, "-d", name, "-c", "SELECT 1"], "whether the database can be read"


def _file(name: str) -> Iterator[tuple[list[str], str]]:
    unit = _UNIT_FILE.search(name)
    lower = name.lower()
    if unit is not None:
        yield ["systemd-analyze", "verify", name], "whether the unit file is sound"
        yield (
            ["systemctl", "show", unit.group(1), "--property", "NeedDaemonReload,ActiveState,FragmentPath"],
            "whether systemd has read it since, and what runs",
        )
    elif "/nginx/" in lower:
        yield ["nginx", "-t"], "whether the configuration is sound"
    elif "/haproxy/" in lower:
        yield ["haproxy", "-c", "-f", name], "whether the configuration is sound"
    elif "/apache2/" in lower or "/httpd/" in lower:
        yield ["apachectl", "configtest"], "whether the configuration is sound"
    elif lower.endswith("caddyfile"):
        yield ["caddy", "validate", "--config", name], "whether the configuration is sound"
    elif "sshd_config" in lower:
        yield ["sshd", "-t"], "whether the configuration is sound"
    elif "sudoers" in lower:
        yield ["visudo", "-c", "-f", name], "whether the rules are sound"
    elif "sysctl" in lower:
        yield ["sysctl", "--all"], "the values that the kernel runs with"
    elif lower.endswith((".yml", ".yaml")) and "compose" in lower:
        yield ["docker", "compose", "--file", name, "config", "--quiet"], "whether the file is sound"
    elif "/prometheus/" in lower:
        yield ["promtool", "check", "config", name], "whether the configuration is sound"
    elif lower.endswith("/etc/fstab"):
        yield ["findmnt", "--verify"], "whether the table is sound"
    elif lower.endswith(".json"):
        yield ["python3", "-m", "json.tool", name, "/dev/null"], "whether it is sound JSON"
    elif "/netplan/" in lower:
        yield ["netplan", "get"], "the configuration as netplan reads it"
    yield ["stat", name], "whether it is there, and when it was last written"


def _package(name: str, newest: list[Command]) -> Iterator[tuple[list[str], str]]:
    asks = {
        "apt": ["dpkg", "--status", name],
        "apt-get": ["dpkg", "--status", name],
        "dpkg": ["dpkg", "--status", name],
        "yum": ["rpm", "-q", name],
        "dnf": ["rpm", "-q", name],
        "rpm": ["rpm", "-q", name],
        "apk": ["apk", "info", name],
        "pacman": ["pacman", "-Q", name],
        "brew": ["brew", "info", name],
        "pip": ["pip", "show", name],
        "pip3": ["pip3", "show", name],
        "npm": ["npm", "ls", name],
    }
    for command in newest:
        program = command.program
        if command.effect == "install" and program in asks:
            yield asks[program], "which version is installed"
            return


def _cloud(name: str, manager: str) -> Iterator[tuple[list[str], str]]:
    if manager in ("terraform", "tofu"):
        yield [manager, "plan", "-detailed-exitcode"], "whether what runs agrees with the configuration"
    elif manager == "vercel":
        yield ["vercel", "ls", name], "its latest deployments with their states"
    elif manager == "fly":
        yield ["fly", "status", "--app", name], "which machines run, and their checks"
    elif manager == "nomad":
        yield ["nomad", "job", "status", name], "the state of its allocations"


def way_back(target: Target, commands: Sequence[Command]) -> list[Spelled]:
    """What would have kept a way back before a file was written in place."""
    if target.kind != "file" or not _sound(target.name):
        return []
    line = _Way(target, commands).line(["cp", "--archive", target.name, f"{target.name}.before"])
    return [] if line is None else [(line, "keeps a copy to go back to, before the edit")]
