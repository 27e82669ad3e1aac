"""What a command acts on, which environment that is, and which names mean one thing.

CONTRACT §1 *target* and *neighbourhood*, §5 *Production*, §6 names. A neighbourhood is found in three steps:
each target stands for a few *names* (its own, and those that its form implies: a unit file implies the
service); what the session shows joins names (a port in a start's arguments, a process id in a status); two
targets belong together when they share a name on one host.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fnmatch import translate
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

import msgspec

from sessionlens.environments import (
    DEFAULT,
    EnvironmentNames,
    EnvironmentSettings,
    environment,
    environment_said,
    is_loopback,
    scratch,
    shared,
    subject,
    url_host,
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
    "environment_said",
    "is_loopback",
    "names_only_address",
    "scratch",
    "shared",
    "url_host",
]

Kind = Literal[
    "service", "file", "container", "compose", "k8s", "database", "host", "package", "process",
    "repository", "cloud", "url", "queue", "cron", "network", "unknown",
]  # fmt: skip
Environment = Literal["production", "staging", "development", "local", "unknown"]
Confidence = Literal["high", "medium", "low"]


class Target(msgspec.Struct, frozen=True, kw_only=True):
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


# -- names --------------------------------------------------------------------------------------------


class _Name(msgspec.Struct, frozen=True, kw_only=True):
    """One name that a target goes by."""

    sort: str
    """What sort of name: ``called`` (services, processes, containers, compose services and packages share
    it), ``port``, ``pid``, ``file``, ``daemon``, ``domain``, ``sysctl``, ``template``, ``compose``,
    ``workload``, ``database`` …"""
    value: str
    """The name in comparable form."""
    host: str | None = None
    """Host it is on, in comparable form."""
    scope: str | None = None
    """Compose project or the like; ``None`` agrees with every scope."""
    reason: str = ""
    """What it is to the target, in words; empty for the target's own name."""
    sure: Confidence = "medium"
    """How sure it is that the target goes by it."""

    @property
    def key(self) -> tuple[str, str]:
        """What must be equal for two names to be one."""
        return self.sort, self.value


_UNIT_SUFFIX = re.compile(r"\.(?:service|socket|timer|target|path|mount|slice|scope)$")
_PORT = re.compile(
    r"(?:^|[^\w.])(?:port\s+|tcp/|udp/|:|sport\s*=\s*:?|dport\s*=\s*:?)?(\d{2,5})(?:/(?:tcp|udp))?$"
)
_INTERPRETERS = frozenset({
    "python", "python2", "python3", "node", "nodejs", "bun", "deno", "java", "ruby", "perl", "php", "bash", "sh",
    "zsh", "dash", "npm", "npx", "yarn", "pnpm", "uv", "uvx", "poetry", "pipenv", "go", "cargo", "dotnet", "exec",
    "sudo", "env", "nohup", "run", "start", "serve", "server", "main", "app", "index", "dev", "uvicorn",
    "gunicorn", "torchrun", "mpirun", "accelerate", "celery",
})  # fmt: skip
"""Words of a command line that many programs share, so that they name none."""
_CONTAINER_ID = re.compile(r"[0-9a-f]{12,64}")
_LISTED = frozenset({"", "*", "all", "-a", "--all", "."})


def effective_host(target: Target) -> str | None:
    """The host that a target is on, in comparable form; ``None`` for the agent's own machine.

    Lower case, without user and port. An address on the loopback of a host belongs to that host; a url on
    another host belongs to that one.
    """
    host = target.host
    if target.kind == "url":
        named = url_host(target.name)
        if named and not is_loopback(named):
            host = named
    elif target.kind == "host" and target.name and host is None and not subject(target):
        host = target.name
    elif target.kind == "network" and host is None and (named := _host_of_endpoint(target.name)):
        host = named
    return _host(host)


def _host(host: str | None) -> str | None:
    if host is None:
        return None
    bare = host.rpartition("@")[2].strip().lower().rstrip(".")
    if bare.startswith("["):
        bare = bare[1:].partition("]")[0]
    elif bare.count(":") == 1:
        bare = bare.partition(":")[0]
    return None if not bare or is_loopback(bare) else bare


def _host_of_endpoint(name: str) -> str | None:
    """The host in ``db.example.org:5432``, ``10.0.0.3 port 22`` or an address alone."""
    found = re.fullmatch(
        r"([A-Za-z0-9][\w.-]*\.[\w.-]*\w|[A-Za-z][\w-]*)(?::| port | )(\d{1,5})", name.strip()
    )
    if found:
        return found.group(1)
    return name.strip() if re.fullmatch(r"\d{1,3}(?:\.\d{1,3}){3}", name.strip()) else None


def same_host(one: str | None, other: str | None) -> bool:
    """Whether two hosts in comparable form are one: equal, or a short name and the full name that begins so."""
    if one == other:
        return True
    if not one or not other:
        return False
    short, full = sorted((one, other), key=len)
    return "." not in short and ":" not in short and full.startswith(f"{short}.")


def names_only_address(target: Target) -> bool:
    """Whether a target is named by a port or an address alone, so that only the session tells what it is."""
    if target.kind == "url":
        return True
    if target.kind not in ("network", "unknown", "process"):
        return False
    name = target.name.strip()
    # A bare number that is called a process is a process id.
    return bool(_port_of(target)) or (
        target.kind == "network"
        and re.fullmatch(r"[\w.-]+:\d{2,5}|\d{1,3}(?:\.\d{1,3}){3}", name) is not None
    )


def _port_of(target: Target) -> str | None:
    name = target.name.strip().strip("\"'")
    if target.kind == "url":
        return _url_port(name)
    if target.kind == "process" and not name.startswith((":", "port ", "tcp", "udp")):
        return None
    if target.kind in ("network", "process", "unknown", "host") and (found := _PORT.search(f" {name}")):
        return str(int(found.group(1)))
    return None


def _url_port(url: str) -> str | None:
    scheme, found, rest = url.partition("://")
    rest = (rest if found else url).partition("/")[0].partition("?")[0].rpartition("@")[2]
    tail = rest.rpartition("]")[2] if rest.startswith("[") else rest
    port = tail.rpartition(":")[2] if ":" in tail else ""
    if port.isdecimal() and len(port) <= 5:
        return str(int(port))
    if found and scheme.lower() in _SCHEME_PORTS:
        return _SCHEME_PORTS[scheme.lower()]
    return None if port else "80"


_SCHEME_PORTS = {"http": "80", "ws": "80", "https": "443", "wss": "443", "ftp": "21", "redis": "6379",
                 "postgres": "5432", "postgresql": "5432", "mysql": "3306", "amqp": "5672", "grpc": "50051",
                 "mongodb": "27017"}  # fmt: skip


def service_name(name: str) -> str:
    """A service's name in comparable form: without path and suffix, in lower case."""
    return _UNIT_SUFFIX.sub("", name.strip().strip("\"'").rsplit("/", 1)[-1]).lower()


@lru_cache(maxsize=16384)
def _names(target: Target) -> tuple[_Name, ...]:
    """The names a target goes by, its own first."""
    found: dict[tuple[str, str, str | None], _Name] = {}
    for name in _each_name(target):
        found.setdefault((*name.key, name.scope), name)
    return tuple(found.values())


def _each_name(target: Target) -> Iterator[_Name]:
    host, raw = effective_host(target), target.name.strip().strip("\"'")
    kind = target.kind
    if kind == "service":
        yield from _service_names(service_name(raw), host)
    elif kind == "file":
        yield from _file_names(raw, host)
    elif kind == "process":
        yield from _process_names(raw, host, target)
    elif kind == "container":
        yield from _container_names(raw, host, target.namespace)
    elif kind == "compose":
        service = raw.rstrip("/").rsplit("/", 1)[-1].lower()
        yield _Name(sort="compose", value=service, host=host, scope=_project(target.namespace), sure="high")
        yield _Name(sort="called", value=service, host=host, reason="the service's container")
        yield from _daemons(service, host, "what runs in it")
    elif kind == "k8s":
        yield from _cluster_names(raw, target)
    elif kind == "url":
        yield from _address_names(target, host)
    elif kind == "database":
        yield _Name(sort="database", value=raw.lower(), host=host, sure="high")
    elif kind == "cloud":
        yield _Name(sort="cloud", value=raw.lower(), scope=target.context, sure="high")
    elif kind == "repository":
        yield _Name(sort="branch", value=raw.removeprefix("origin/").lower(), host=host, sure="high")
    elif kind == "package":
        yield _Name(sort="package", value=raw.lower(), host=host, sure="high")
        yield _Name(
            sort="called", value=re.split(r"[=<>@:]", raw.lower())[0], host=host, reason="its package"
        )
        yield from _daemons(re.split(r"[=<>:]", raw.lower())[0], host, "its package")
    elif kind == "cron":
        yield _Name(sort="cron", value=raw.lower(), host=host, sure="high")
        yield _Name(sort="daemon", value="cron", host=host, reason="the crontab")
    elif kind == "host" and not subject(target):
        yield _Name(sort="host", value=host or raw.lower(), sure="high")
    else:
        yield from _other_names(raw, host, target)


def _service_names(name: str, host: str | None) -> Iterator[_Name]:
    if not name:
        return
    yield _Name(sort="called", value=name, host=host, sure="high")
    base, at, instance = name.partition("@")
    if at:
        yield _Name(sort="template", value=base, host=host, reason=f"the unit {base}@ that it is made from")
        if instance and not instance.isdecimal() and base in ("docker", "container", "podman"):
            yield _Name(sort="called", value=instance, host=host, reason="the container it runs")
    for prefix in ("docker-", "container-", "docker.", "podman-"):
        if name.startswith(prefix) and len(name) > len(prefix):
            yield _Name(sort="called", value=name[len(prefix) :], host=host, reason="the container it runs")
    if "_" in name and not at:
        # A swarm service is ``stack_service``.
        yield _Name(sort="compose", value=name.partition("_")[2], host=host, scope=name.partition("_")[0],
                    reason="the service in its stack", sure="low")  # fmt: skip
    yield from _daemons(name, host, "")


def _process_names(raw: str, host: str | None, target: Target) -> Iterator[_Name]:
    if raw.isdecimal():
        yield _Name(sort="pid", value=raw, host=host, sure="high")
        return
    port = _port_of(target)
    if port is not None:
        yield _Name(sort="port", value=port, host=host, sure="high")
        return
    text = re.sub(r"\[(\w)\]", r"\1", raw).lower()
    yield _Name(sort="called", value=text, host=host, sure="high")
    for index, word in enumerate(text.split()[:12]):
        base = word.rsplit("/", 1)[-1]
        stem = re.sub(r"\.(?:py|js|mjs|ts|jar|sh|rb|pl|php|exe)$", "", base)
        if word.startswith("-") or stem in _INTERPRETERS or len(stem) < 2 or not re.match(r"[a-z]", stem):
            continue
        if index == 0 or base != stem or "." in stem:
            yield _Name(sort="called", value=base, host=host, reason="its process")
            yield _Name(sort="called", value=stem, host=host, reason="its process")
    yield from _daemons(text, host, "its process")


def _project(name: str | None) -> str | None:
    return re.sub(r"[^a-z0-9]", "", name.lower()) or None if name else None


def _container_names(raw: str, host: str | None, namespace: str | None) -> Iterator[_Name]:
    name = raw.lower().removeprefix("/")
    if _CONTAINER_ID.fullmatch(name):
        yield _Name(sort="container_id", value=name[:12], host=host, sure="high")
        return
    yield _Name(sort="called", value=name, host=host, sure="high")
    # ``project-service-1`` (compose v2), ``project_service_1`` (v1), ``stack_service.1.task`` (swarm). Where
    # the project ends is not told, so every reading is a candidate.
    numbered = re.fullmatch(r"(.+?)(?:[-_](\d{1,3})|\.\d{1,3}\.[a-z0-9]{10,30})", name)
    if numbered:
        stem = numbered.group(1)
        for at, char in enumerate(stem):
            if char in "-_" and 0 < at < len(stem) - 1:
                yield _Name(sort="compose", value=stem[at + 1 :], host=host, scope=_project(stem[:at]),
                            reason="the container of the compose service")  # fmt: skip
        for daemon in {stem[at + 1 :] for at, char in enumerate(stem) if char in "-_"} | {stem}:
            yield from _daemons(daemon, host, "what runs in it")
    else:
        yield _Name(sort="compose", value=name, host=host, scope=_project(namespace),
                    reason="the container of the compose service")  # fmt: skip
    yield from _daemons(name, host, "what runs in it")


_POD_HASH = re.compile(r"(?=[a-z0-9]*\d)[a-z0-9]{1,10}|[bcdfghjklmnpqrstvwxz]{5,10}")
"""A random part of a pod's name: Kubernetes draws it from consonants and digits."""
_WORKLOADS = frozenset({"deployment", "statefulset", "daemonset", "job", "cronjob", "replicaset", "rollout",
                        "replicationcontroller", "deploymentconfig", "pod"})  # fmt: skip
_COMPANIONS = re.compile(
    r"-(?:config(?:map)?|conf|env|secrets?|settings|hpa|ingress|svc|service|pdb|sa|headless|deployment|deploy"
    r"|tls|vars|autoscaler|route|credentials)$"
)
_K8S_SHORT = {
    "deploy": "deployment", "deployments": "deployment", "po": "pod", "pods": "pod", "sts": "statefulset",
    "statefulsets": "statefulset", "ds": "daemonset", "daemonsets": "daemonset", "svc": "service",
    "services": "service", "ing": "ingress", "ingresses": "ingress", "cm": "configmap", "configmaps": "configmap",
    "secrets": "secret", "rs": "replicaset", "replicasets": "replicaset", "jobs": "job", "cj": "cronjob",
    "cronjobs": "cronjob", "no": "node", "nodes": "node", "ns": "namespace", "namespaces": "namespace",
    "hpas": "hpa", "horizontalpodautoscaler": "hpa", "horizontalpodautoscalers": "hpa", "ev": "event",
    "events": "event", "pvcs": "pvc", "persistentvolumeclaim": "pvc", "persistentvolumeclaims": "pvc",
    "endpoints": "endpoint", "ep": "endpoint", "rollouts": "rollout", "all": "all",
}  # fmt: skip


def _kind_name(raw: str) -> tuple[str, str]:
    """``deploy/api`` as ``("deployment", "api")``; a bare name has the kind ``""``."""
    kind, slash, name = raw.partition("/")
    if not slash:
        kind, name = "", raw
    kind = kind.partition(".")[0].lower()
    return _K8S_SHORT.get(kind, kind), name.lower()


_MANIFEST_FILE = re.compile(
    r"(?:\.{0,2}/|~|[a-z]+://).*|.*(?:\.(?:ya?ml|json)|/)|(?:k8s|manifests?|overlays?|kubernetes|kustomize|clusters|infra)/.+",
    re.IGNORECASE,
)


def _is_manifest(name: str) -> bool:
    """Whether a cluster target is named by the file or folder it is made from (``kubectl apply -f``)."""
    return len(name) < 500 and _MANIFEST_FILE.fullmatch(name) is not None


def _cluster_names(raw: str, target: Target) -> Iterator[_Name]:
    if _is_manifest(raw):
        path = path_form(raw)
        yield _Name(sort="file", value=path, host=effective_host(target), sure="high")
        stem = re.sub(r"\.(?:ya?ml|json)$", "", path.rsplit("/", 1)[-1].lower())
        for name in dict.fromkeys((stem, _COMPANIONS.sub("", stem), re.sub(r"^\d+-", "", stem))):
            yield _Name(sort="workload", value=name, reason="the file is named after it", sure="low")
        return
    kind, name = _kind_name(raw)
    if name in _LISTED:
        return
    if not kind and (bare := _K8S_SHORT.get(name, name)) in _WORKLOADS | {
        "event",
        "all",
        "node",
        "namespace",
    }:
        kind, name = bare, ""
        return
    yield _Name(sort="object", value=f"{kind}/{name}", sure="high")
    if kind == "namespace":
        yield _Name(sort="namespace", value=name)
        return
    if kind == "node":
        return
    if kind == "pod":
        parts = name.split("-")
        if len(parts) > 2 and _POD_HASH.fullmatch(parts[-1]) and _POD_HASH.fullmatch(parts[-2]):
            yield _Name(sort="workload", value="-".join(parts[:-2]), reason="its pod")
        elif len(parts) > 1 and _POD_HASH.fullmatch(parts[-1]):
            yield _Name(sort="workload", value="-".join(parts[:-1]), reason="its pod")
        yield _Name(sort="workload", value=name, reason="its pod", sure="low")
        return
    if kind == "replicaset" and _POD_HASH.fullmatch(name.rpartition("-")[2]) and "-" in name:
        yield _Name(sort="workload", value=name.rpartition("-")[0], reason="its replica set")
    reasons = {"": "the release", "service": "its cluster service", "ingress": "its ingress", "hpa": "its autoscaler",
               "configmap": "its configuration", "secret": "its secret"}  # fmt: skip
    reason = (
        "its workload" if kind in _WORKLOADS else reasons.get(kind, f"the {kind or 'object'} of that name")
    )
    yield _Name(sort="workload", value=name, reason=reason)
    shorter = _COMPANIONS.sub("", name)
    if shorter != name:
        yield _Name(sort="workload", value=shorter, reason=reason)


def _address_names(target: Target, host: str | None) -> Iterator[_Name]:
    port = _port_of(target)
    name = url_host(target.name)
    yield _Name(
        sort="url", value=target.name.strip().strip("\"'").rstrip("/").lower(), host=host, sure="high"
    )
    if port is not None:
        yield _Name(sort="port", value=port, host=host, sure="high")
        yield from _default_ports(port, host)
    if name and not is_loopback(name) and not re.fullmatch(r"[\d.:a-f]+", name):
        yield _Name(sort="domain", value=name, sure="high")


def _other_names(raw: str, host: str | None, target: Target) -> Iterator[_Name]:
    port = _port_of(target)
    if port is not None:
        yield _Name(sort="port", value=port, host=host, sure="high")
        yield from _default_ports(port, host)
        return
    if re.match(r"(?:net|vm|kernel|fs|user|dev|debug|abi)[./]", raw):
        yield _Name(
            sort="sysctl", value=raw.replace("/", ".").partition("=")[0].lower(), host=host, sure="high"
        )
        return
    if raw:
        yield _Name(sort="called", value=raw.lower(), host=host, sure="high")
        yield from _daemons(raw.lower(), host, "")


# -- files --------------------------------------------------------------------------------------------

_UNIT_FILE = re.compile(
    r"(?:^|.*/)([\w@:.\\-]+?)\.(?:service|socket|timer|path|mount)(?:\.d/[^/]+|\.d/?|\.wants/[^/]+)?$"
)
_NAMED_AFTER = re.compile(
    r"/etc/(?:init\.d|default|sysconfig|conf\.d|logrotate\.d|monit/conf\.d|supervisor/conf\.d|supervisord\.d"
    r"|supervisor\.d|cron\.d|init|runit|sv|s6|pam\.d|apparmor\.d|tmpfiles\.d)/([\w@.-]+?)"
    r"(?:\.(?:conf|ini|yml|yaml|cfg|sh))?(?:/.*)?$"
)
_LOG_FILE = re.compile(
    r"(?:/var)?/logs?/(?:[\w.-]+/)*?([\w@.-]+?)(?:[-_.](?:error|access|out|err|server))?(?:\.log|\.out|\.err)?(?:\.\d+)?$"
)
_LOG_FOLDER = re.compile(r"/var/log/([\w@.-]+)/")
_RUN_FILE = re.compile(r"(?:/var)?/run/([\w@-]+?)(?:\.pid|\.sock|/.*)$")
_APP_FOLDER = re.compile(
    r"(?:/(?:opt|srv|data|apps?|services|usr/local|usr/share|var/lib|var/www|var/www/html|etc|home/[^/]+"
    r"|home/[^/]+/apps?|Users/[^/]+|root|mnt/[^/]+|opt/apps?|srv/apps?|srv/www|opt/stacks?|docker|opt/docker)"
    r"|~)/([\w@.-]+)/"
)
_ETC_FILE = re.compile(r"/(?:usr/local/)?etc/([\w@-]+)\.(?:conf|cfg|ini|ya?ml|toml|json|cnf|d/.*)$")
_GENERIC_FOLDERS = frozenset({"html", "www", "bin", "sbin", "lib", "conf.d", "system", "systemd", "config", "etc",
                              "share", "src", "log", "data", "ssl", "default", "security", "pki"})  # fmt: skip
_SYSCTL_FILE = re.compile(r"(?:/etc|/usr/lib|/run)/sysctl(?:\.d/.*|\.conf)$")
_PROC_SYS = re.compile(r"/proc/sys/(.+)")
_VHOST_FILE = re.compile(
    r"/etc/(?:nginx|apache2|httpd|caddy)/(?:sites-(?:available|enabled)|conf\.d|vhosts\.d|vhosts)/"
    r"(?:\d+-)?((?:[a-z0-9-]+\.)+[a-z]{2,})(?:[-_](?:ssl|https?))?(?:\.conf)?$", re.IGNORECASE
)  # fmt: skip


def path_form(path: str) -> str:
    """A path in comparable form: without quotes, ``./``, double and trailing slashes; ``$HOME`` as ``~``."""
    text = path.strip().strip("\"'").replace("\\ ", " ")
    text = re.sub(r"^\$\{?HOME\}?(?=/|$)", "~", text)
    if re.match(r"[A-Za-z]:[\\/]", text):
        text = text.replace("\\", "/").lower()
    parts: list[str] = []
    for part in text.split("/"):
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return ("/" if text.startswith("/") else "") + "/".join(parts)


def _file_names(raw: str, host: str | None) -> Iterator[_Name]:
    path = path_form(raw)
    yield _Name(sort="file", value=path, host=host, sure="high")
    lowered = path.lower()
    if found := _UNIT_FILE.match(lowered):
        unit = found.group(1)
        yield _Name(sort="called", value=unit, host=host, reason="its unit file")
        base, at, instance = unit.partition("@")
        if at and not instance:
            yield _Name(sort="template", value=base, host=host, reason="its unit file")
        elif at:
            yield _Name(sort="template_of", value=unit, host=host, reason="its unit file")
        yield from _daemons(unit, host, "its unit file")
    if found := _NAMED_AFTER.match(lowered):
        yield _Name(sort="called", value=found.group(1), host=host, reason="its configuration")
        yield from _daemons(found.group(1), host, "its configuration")
    if found := _ETC_FILE.match(lowered):
        yield _Name(sort="called", value=found.group(1), host=host, reason="its configuration")
    if found := _LOG_FOLDER.match(lowered):
        yield _Name(sort="called", value=found.group(1), host=host, reason="its log")
        yield from _daemons(found.group(1), host, "its log")
    if found := _LOG_FILE.match(lowered):
        yield _Name(sort="called", value=found.group(1), host=host, reason="its log")
        yield from _daemons(found.group(1), host, "its log")
    elif lowered.endswith((".log", ".out", ".err")):
        stem = re.sub(r"\.(?:log|out|err)$", "", lowered.rsplit("/", 1)[-1])
        yield _Name(sort="called", value=stem, host=host, reason="its log")
    if found := _RUN_FILE.match(lowered):
        yield _Name(sort="called", value=found.group(1), host=host, reason="its run file")
        yield from _daemons(found.group(1), host, "its run file")
    if (found := _APP_FOLDER.match(f"{lowered}/" if raw.endswith("/") else lowered)) and found.group(
        1
    ) not in _GENERIC_FOLDERS:
        yield _Name(sort="called", value=found.group(1), host=host, reason="a file in its folder")
    if found := _PROC_SYS.match(path):
        yield _Name(
            sort="sysctl", value=found.group(1).replace("/", ".").lower(), host=host, reason="its key"
        )
    if _SYSCTL_FILE.match(lowered):
        yield _Name(sort="sysctl", value="*", host=host, reason="the kernel settings")
    if found := _VHOST_FILE.match(lowered):
        yield _Name(sort="domain", value=found.group(1), reason="the site it configures")
    # A folder is what is in it: ``/etc/nginx`` as ``/etc/nginx/x``.
    for daemon in _daemons_of_file(lowered) or _daemons_of_file(f"{lowered}/x"):
        yield _Name(sort="daemon", value=daemon, host=host, reason="its configuration")


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


def _glob(pattern: str, path: str) -> bool:
    return any(char in pattern for char in "*?") and len(pattern) < 300 and (
        re.match(translate(pattern), path) is not None
    )  # fmt: skip


# -- daemons ------------------------------------------------------------------------------------------


class _Daemon(msgspec.Struct, frozen=True, kw_only=True):
    """An entry of ``shell/daemons.toml``; its head says what the fields mean."""

    names: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    ports: tuple[int, ...] = ()


class _Daemons:
    """The table of daemons, ready for questions."""

    def __init__(self) -> None:
        import tomllib
        from importlib.resources import files

        text = files("sessionlens.shell").joinpath("daemons.toml").read_text(encoding="utf-8")
        table = msgspec.convert(tomllib.loads(text), dict[str, _Daemon])
        self.by_name: dict[str, str] = {}
        self.by_program: dict[str, str] = {}
        self.by_port: dict[str, list[str]] = {}
        self.name_patterns: list[tuple[re.Pattern[str], str]] = []
        self.file_patterns: list[tuple[re.Pattern[str], str]] = []
        for daemon, entry in table.items():
            for name in entry.names:
                if any(char in name for char in "*?["):
                    self.name_patterns.append((re.compile(translate(name)), daemon))
                else:
                    self.by_name[name] = daemon
            for pattern in entry.files:
                self.file_patterns.append((re.compile(translate(pattern.lower())), daemon))
            for program in entry.programs:
                self.by_program[program] = daemon
            for port in entry.ports:
                self.by_port.setdefault(str(port), []).append(daemon)


@lru_cache(maxsize=1)
def _table() -> _Daemons:
    return _Daemons()


@lru_cache(maxsize=4096)
def _daemon_of(name: str) -> str | None:
    table = _table()
    if name in table.by_name:
        return table.by_name[name]
    return next((daemon for pattern, daemon in table.name_patterns if pattern.match(name)), None)


def _daemons(name: str, host: str | None, reason: str) -> Iterator[_Name]:
    daemon = _daemon_of(name) if len(name) < 200 else None
    if daemon is not None:
        yield _Name(sort="daemon", value=daemon, host=host, reason=reason)


@lru_cache(maxsize=4096)
def _daemons_of_file(path: str) -> tuple[str, ...]:
    found = (daemon for pattern, daemon in _table().file_patterns if len(path) < 1000 and pattern.match(path))
    return tuple(dict.fromkeys(found))


def _default_ports(port: str, host: str | None) -> Iterator[_Name]:
    for daemon in _table().by_port.get(port, ()):
        yield _Name(sort="daemon", value=daemon, host=host, reason=f"port {port}, its usual port")


# -- what a command shows besides its target ----------------------------------------------------------

_PORT_OPTION = re.compile(
    r"--?(?:[\w.-]*[.-])?(?:port|listen|bind|listen-address|address|addr|publish|server-port|http-port)$|-Dserver\.port$"
)
_PORT_AT_END = re.compile(r"(?:^|[:\]])(\d{2,5})(?:/(?:tcp|udp))?$")
_PUBLISHED = re.compile(r"(?:[\d.]+:|\[[^\]]*\]:)?(\d{2,5}):\d{2,5}(?:/(?:tcp|udp))?$")
_PORT_VARIABLE = re.compile(r"(?:\w+_)?PORT=(\d{2,5})$")
_SERVER_WORDS = frozenset({"http.server", "runserver", "-S", "serve", "SimpleHTTPServer", "0.0.0.0"})


def ports_in(words: Iterable[str], *, container: bool = False) -> Iterator[str]:
    """Ports that the words of a start name as its own: ``--port 8000``, ``-p 8080:80``, ``0.0.0.0:9090``.

    With ``container``, ``-p`` publishes ports of the host; else ``-p N`` is the port itself.
    """
    before = ""
    server = False
    for word in words:
        text = word.strip("\"',;")
        if len(text) > 200:
            before = ""
            continue
        name, equals, value = text.partition("=")
        found: re.Match[str] | None = None
        if equals and _PORT_OPTION.match(name):
            found = _PUBLISHED.match(value) or _PORT_AT_END.search(value)
        elif _PORT_OPTION.match(before) or before in ("-p", "-b", "-P", "-l"):
            found = _PUBLISHED.match(text) if container else _PORT_AT_END.search(text)
        elif _PORT_VARIABLE.match(text):
            found = _PORT_VARIABLE.match(text)
        elif re.match(r"-p\d{2,5}:", text):
            found = _PUBLISHED.match(text[2:])
        elif re.match(r"(?:0\.0\.0\.0|127\.0\.0\.1|localhost|\[::\]|\*)?:\d{2,5}$", text):
            found = _PORT_AT_END.search(text)
        elif server and re.fullmatch(r"\d{2,5}", text):
            found = re.match(r"(\d{2,5})", text)
        if found:
            yield str(int(found.group(1)))
        server = server or text in _SERVER_WORDS
        before = text


_EXEC_START = re.compile(r"^\s*ExecStart\s*=\s*[-+!@:]*(.+?)$", re.MULTILINE)
_IN_CONFIG = re.compile(
    r"""^\s*(?:-\s+)?(?:
        listen\s+(?:[\w.\[\]:*]+?:)?(?P<listen>\d{2,5})\b
      | bind\s+[\w.*\[\]:]*:(?P<bind>\d{2,5})\b
      | (?:ListenStream|ListenDatagram)\s*=\s*(?:[\w.\[\]:]+:)?(?P<socket>\d{2,5})
      | Listen\s+(?:[\w.\[\]:]+:)?(?P<apache>\d{2,5})
      | ["']?[\w.-]{0,60}port["']?\s*[:=]\s*["']?(?P<port>\d{2,5})
      | (?:export\s+|Environment\s*=\s*"?)?\w{0,40}PORT\s*=\s*"?(?P<variable>\d{2,5})
      | ["']?(?:[\d.]+:)?(?P<published>\d{2,5}):\d{2,5}["']?\s*$
      | Port\s+(?P<ssh>\d{2,5})
    )""",
    re.VERBOSE | re.MULTILINE | re.IGNORECASE,
)
_SERVER_NAMES = re.compile(
    r"^\s*(?:server_name|ServerName|ServerAlias)\s+([^;\n]{1,500})", re.MULTILINE | re.IGNORECASE
)
_SITE_BLOCK = re.compile(
    r"^(?:https?://)?((?:[a-z0-9*-]+\.)+[a-z]{2,}(?:\s*,\s*(?:[a-z0-9*-]+\.)+[a-z]{2,})*)\s*\{", re.MULTILINE
)
_SYSCTL_KEY = re.compile(r"^\s*-?([a-z]+[./][\w./*-]+)\s*=", re.MULTILINE)
_LOGS_IN_UNIT = re.compile(r"(?:StandardOutput|StandardError)\s*=\s*(?:append|file|truncate):(\S+)")
_PATHS_IN_EXEC = re.compile(r"(?<![\w/.])(/(?:etc|opt|srv|var|home|root|data|mnt|usr/local/etc)/[\w./@+-]+)")
_MANIFEST = re.compile(r"^kind:\s*([A-Za-z]+)\s*$", re.MULTILINE)
_MANIFEST_NAME = re.compile(r"^metadata:\s*\n(?:\s+[^\n]*\n){0,6}?\s+name:\s*[\"']?([\w.-]+)", re.MULTILINE)
_TABLE = re.compile(
    r"\b(?:from|into|update|join|table|truncate|describe|desc|on|view|index on)\s+"
    r"(?:only\s+|table\s+|concurrently\s+|if\s+(?:not\s+)?exists\s+)*[\"`\[]?([A-Za-z_][\w$]*(?:[\"`\]]?\.[\"`\[]?[A-Za-z_][\w$]*)*)",
    re.IGNORECASE,
)
_META_TABLES = re.compile(
    r"(?:pg_|information_schema|sys\.|sqlite_|mysql\.|performance_schema|all_|dba_|user_tables)"
)
_SELECTOR = re.compile(
    r"(?:^|,)(?:app|name|component|k8s-app|run|release|tier|service|app\.kubernetes\.io/(?:name|instance|component))"
    r"={1,2}([\w.-]+)"
)
_COMPOSE_VERBS = frozenset({"ps", "up", "logs", "restart", "down", "pull", "config", "ls", "start", "stop", "build",
                            "top", "images", "create", "kill", "rm", "events", "stats"})  # fmt: skip
_COMPOSE_VALUES = frozenset({"-f", "--file", "-p", "--project-name", "--env-file", "--profile", "--tail", "-n",
                             "--since", "--until", "-t", "--timeout", "--scale", "--format", "--status", "--filter",
                             "--project-directory", "--context", "-H", "--pull", "--wait-timeout"})  # fmt: skip


def _whole_project(words: tuple[str, ...]) -> bool:
    """Whether a compose command names no service and so speaks of the whole project."""
    if not words or ("compose" not in words[0] and "compose" not in words[1:2]):
        return False
    verb, skip = False, False
    for word in words[1:]:
        if skip:
            skip = False
        elif word in _COMPOSE_VALUES:
            skip = True
        elif verb and not word.startswith("-"):
            return False
        elif word in _COMPOSE_VERBS:
            verb = True
    return verb


def _selected(words: tuple[str, ...]) -> tuple[str, ...]:
    """Names that a label selector asks for: ``-l app=api``."""
    found: list[str] = []
    for index, word in enumerate(words[:100]):
        name, equals, value = word.partition("=")
        if word in ("-l", "--selector") and index + 1 < len(words):
            found += _SELECTOR.findall(words[index + 1].lower())
        elif equals and name in ("--selector", "-l"):
            found += _SELECTOR.findall(value.lower())
    return tuple(found)


def _tables(command: Command) -> frozenset[str]:
    """Tables that the SQL of a database command names, without their schema."""
    found: set[str] = set()
    for text in (*command.words[1:50], command.writes or ""):
        if " " in text:
            for table in _TABLE.findall(text[:4000]):
                bare = re.sub(r"[\"`\[\]]", "", table).lower()
                if _META_TABLES.match(bare):
                    return frozenset()
                found.add(bare.rsplit(".", 1)[-1])
    return frozenset(found)


# -- the neighbourhoods of a session ------------------------------------------------------------------


class _Link(msgspec.Struct, frozen=True, kw_only=True):
    """What the session shows: one name belongs to another."""

    host: str | None
    other: _Name


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
        self._lines: dict[tuple[str | None, str], list[_Name]] = {}
        self._projects: set[Target] = set()
        self._engines: dict[Target, str] = {}
        self._rebooted: set[Target] = set()
        self._changed_tables: dict[Target, frozenset[str]] = {}
        self._current_namespace: str | None = None
        self._expanded: dict[Target, dict[tuple[str, str], list[_Name]]] = {}

    # -- learning -------------------------------------------------------------------------------------

    def learn(self, command: Command, outcome: Outcome) -> None:
        """Take in what a command and its result show: ports, processes, logs, keys, files of its target."""
        if outcome.reached == "no":
            return
        self._expanded.clear()
        target = command.target
        program = _program(command)
        own = self._own(target)
        for other in (*command.also, *outcome.also):
            for name in self._own(other):
                self._join(own, name, _shown(other, name))
        if _whole_project(command.words):
            self._projects.add(target)
        if target.kind == "database":
            self._learn_database(command, program)
        elif target.kind in ("network", "host") and program in _table().by_program:
            self._engines[target] = _table().by_program[program]
        if command.effect == "reboot":
            self._rebooted.add(target)
        if program in ("kubectl", "oc", "kubens", "kubectx"):
            self._learn_cluster(command, own)
        if command.effect in ("start", "restart", "reload", "deploy", "create", "configure", "scale"):
            self._learn_start(command, own)
        if program == "ln" and target.kind == "file":
            self._learn_link(command, own)
        if command.writes:
            self._learn_writes(command, own)
        if program == "sysctl":
            for word in command.words[1:40]:
                if (key := word.partition("=")[0]) and re.match(r"[a-z]+[./]\w", key):
                    key = key.replace("/", ".").lower()
                    self._join(own, _Name(sort="sysctl", value=key, host=effective_host(target)), "its key")

    def _own(self, target: Target) -> tuple[_Name, ...]:
        """The first name of a target, with the service a file is named after."""
        names = _names(target)
        if target.kind == "url":
            return tuple(name for name in names if name.sort == "domain") or names[1:2]
        return names[:1] if target.kind != "file" else tuple(
            name for name in names if name.sort in ("file", "called") and name.reason in ("", "its unit file")
        )  # fmt: skip

    def _join(self, own: Iterable[_Name], other: _Name, reason: str) -> None:
        for name in own:
            mark = (name.key, name.host, other.key, other.host)
            if name.key == other.key or mark in self._known or len(self._known) >= _MOST_LINKS:
                continue
            self._known.add(mark)
            there = msgspec.structs.replace(other, reason=reason, sure="medium")
            back = msgspec.structs.replace(name, reason=reason, sure="medium")
            self._links.setdefault(name.key, []).append(_Link(host=name.host, other=there))
            self._links.setdefault(other.key, []).append(_Link(host=other.host, other=back))

    def _learn_start(self, command: Command, own: tuple[_Name, ...]) -> None:
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
            name = _Name(sort="port", value=port, host=host)
            self._join(own, name, f"port {port}, named when it was started")
        if command.target.kind in ("process", "service", "unknown") and command.words:
            self._line(host, " ".join(command.words[:200]), own)

    def _line(self, host: str | None, line: str, own: Iterable[_Name]) -> None:
        if len(self._lines) < 500:
            kept = self._lines.setdefault((host, line[:2000].lower()), [])
            kept.extend(name for name in own if name not in kept)

    def _learn_database(self, command: Command, program: str) -> None:
        engine = _table().by_program.get(program)
        if engine is not None:
            self._engines[command.target] = engine
        if command.effect in ("write_data", "migrate", "delete", "create"):
            before = self._changed_tables.get(command.target, frozenset())
            self._changed_tables[command.target] = before | _tables(command)

    def _learn_cluster(self, command: Command, own: tuple[_Name, ...]) -> None:
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
                    port = _Name(sort="port", value=found.group(1), host=_host(command.target.host))
                    self._join(own, port, f"port {found.group(1)}, forwarded to it")

    def _learn_link(self, command: Command, own: tuple[_Name, ...]) -> None:
        paths = [word for word in command.words[1:] if not word.startswith("-")]
        for path in paths[:2]:
            name = _Name(sort="file", value=path_form(path), host=effective_host(command.target))
            self._join(own, name, "a link to it")

    def _learn_writes(self, command: Command, own: tuple[_Name, ...]) -> None:
        # A line that long configures nothing that is looked for here, and costs patterns dear.
        text = "\n".join(line for line in (command.writes or "")[:20_000].split("\n") if len(line) <= 2000)
        short = "\n".join(line for line in text.split("\n") if len(line) <= 300)
        host = effective_host(command.target)
        for found in _EXEC_START.finditer(text):
            line = found.group(1)[:2000]
            self._line(host, line, own)
            for port in ports_in(line.split()):
                self._join(own, _Name(sort="port", value=port, host=host), f"port {port}, in its unit file")
            for path in _PATHS_IN_EXEC.findall(line)[:20]:
                self._join(
                    own, _Name(sort="file", value=path_form(path), host=host), "named in its unit file"
                )
        for path in _LOGS_IN_UNIT.findall(text)[:10]:
            self._join(own, _Name(sort="file", value=path_form(path), host=host), "its log, by its unit file")
        for found in _IN_CONFIG.finditer(short):
            port = str(int(next(value for value in found.groups() if value)))
            self._join(own, _Name(sort="port", value=port, host=host), f"port {port}, in its configuration")
        for pattern in (_SERVER_NAMES, _SITE_BLOCK):
            for listed in pattern.findall(short)[:20]:
                for domain in re.split(r"[\s,]+", listed.lower())[:20]:
                    if domain and domain != "_":
                        self._join(own, _Name(sort="domain", value=domain), "the site it configures")
        path = command.target.name.lower()
        if "sysctl" in path:
            for found in list(_SYSCTL_KEY.finditer(short))[:200]:
                key = found.group(1).replace("/", ".").lower()
                self._join(own, _Name(sort="sysctl", value=key, host=host), f"the key {key} that it sets")
        if path.endswith((".yml", ".yaml", ".json")) or _MANIFEST.search(short):
            self._learn_manifest(short, own)

    def _learn_manifest(self, text: str, own: tuple[_Name, ...]) -> None:
        for document in re.split(r"^---\s*$", text, flags=re.MULTILINE)[:50]:
            kind, name = _MANIFEST.search(document), _MANIFEST_NAME.search(document)
            if kind and name:
                told = f"{kind.group(1).lower()}/{name.group(1)}"
                for other in _names(Target(kind="k8s", name=told))[:2]:
                    self._join(own, other, "the object that the file describes")

    # -- matching -------------------------------------------------------------------------------------

    def match(self, check_or_change: Command, target: Target, outcome: Outcome | None = None) -> Match | None:
        """Whether a command speaks of a target's neighbourhood, and why; ``None`` when it does not.

        ``outcome`` adds the names that its result shows. A check that names only an address whose port the
        session does not tell matches nothing here: that is for who knows the open operations.
        """
        command = check_or_change
        best: Match | None = None
        selected = _selected(command.words) if command.target.kind == "k8s" else ()
        for ours in (command.target, *command.also, *(outcome.also if outcome is not None else ())):
            found = self._match(ours, target, command, selected)
            if found is not None and (
                best is None or _RANK[found.confidence, found.kind] > _RANK[best.confidence, best.kind]
            ):
                best = found
        return best

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
            if ours.kind in ("database", "repository", "cloud"):
                return None
        if theirs in self._rebooted and command.effect != "reboot":
            return self._on_host(ours, theirs, "it answers on that host")
        if ours.kind == "host" and theirs.kind == "service" and _program(command) == "systemctl":
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
        if kind != "cloud" and not same_host(here, there):
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
        if kind == "compose" and len({_project(ours.namespace), _project(theirs.namespace)} - {None}) > 1:
            return None
        if mine == its and (mine or kind in ("cron", "cloud", "network", "queue")):
            return _SAME if mine else Match(kind="same", confidence="medium", reason=f"the same {kind}")
        if kind == "k8s":
            if _kind_name(mine) == _kind_name(its):
                return _SAME
            return self._listed_objects(ours, theirs, command, selected)
        looks = command.effect in ("check", "read", "none")
        if (
            looks
            and kind in ("service", "container", "process", "queue", "cron", "package")
            and mine in _LISTED
        ):
            return Match(kind="neighbour", confidence="medium", reason="a list that includes it")
        if kind == "compose" and (_whole_project(command.words) or theirs in self._projects):
            return Match(kind="neighbour", confidence="medium", reason="the project it belongs to")
        if kind == "repository" and looks and not mine:
            return Match(kind="neighbour", confidence="medium", reason="the repository it belongs to")
        return None

    def _same_subject(self, ours: Target, theirs: Target) -> Match | None:
        """Two targets of kind ``host`` on one host: the host itself, or the same of its settings."""
        mine, its = subject(ours).lower(), subject(theirs).lower()
        if not same_host(effective_host(ours), effective_host(theirs)):
            return None
        if mine == its:
            return _SAME
        answers = not its and theirs in self._rebooted
        return self._on_host(ours, theirs, "it answers on that host") if answers else None

    def _listed_objects(
        self, ours: Target, theirs: Target, command: Command, selected: tuple[str, ...]
    ) -> Match | None:
        """A list of cluster objects (``get pods``) speaks of the workloads it lists."""
        kind, name = _kind_name(ours.name)
        if not kind and (bare := _K8S_SHORT.get(name, name)) in _WORKLOADS | {
            "event",
            "all",
            "ingress",
            "service",
        }:
            kind, name = bare, ""
        its_kind, _ = _kind_name(theirs.name)
        if name not in _LISTED or selected or command.effect not in ("check", "read", "none"):
            return None
        listing = kind in _WORKLOADS | {"event", "all", ""}
        configures = its_kind in _WORKLOADS | {"", "configmap", "secret", "hpa"} or _is_manifest(theirs.name)
        if (listing and configures) or kind == its_kind:
            return Match(kind="neighbour", confidence="medium", reason="a list that includes it")
        return None

    def _databases(self, ours: Target, theirs: Target, command: Command) -> Match | None:
        engine = _table().by_program.get(_program(command))
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
        asked = _tables(command)
        return not changed or not asked or bool(changed & asked)

    def _on_host(self, ours: Target, theirs: Target, reason: str) -> Match | None:
        here, there = effective_host(ours), effective_host(theirs)
        if ours.kind in ("cloud", "repository") or not same_host(here, there):
            return None
        return Match(kind="neighbour", confidence="medium", reason=reason)

    def _neighbour(
        self, ours: Target, theirs: Target, command: Command, selected: tuple[str, ...]
    ) -> Match | None:
        known = self._expand(theirs)
        mine = self._of_command(ours, command, selected)
        best: Match | None = None
        both_files = ours.kind == theirs.kind == "file"
        for names in mine.values():
            for name in names:
                if both_files and name.sort in ("called", "daemon") and name.reason in _ABOUT_CONFIGURATION:
                    # Two files of one daemon: reading one says nothing of the other.
                    continue
                for other in known.get(name.key, ()):
                    found = _joined(name, other)
                    if found is not None and (
                        best is None or _LEVEL[found.confidence] > _LEVEL[best.confidence]
                    ):
                        best = found
        if best is None and ours.kind in ("container", "compose") and theirs.kind in ("container", "compose"):
            best = self._containers(ours, theirs, command)
        if best is None and "k8s" in (ours.kind, theirs.kind):
            best = self._released(mine, known, selected)
        everything = command.effect in ("check", "read") and ours.kind == "process" and ours.name in _LISTED
        beside = theirs.kind in ("service", "process") and same_host(
            effective_host(ours), effective_host(theirs)
        )
        if best is None and everything and beside:
            best = Match(kind="neighbour", confidence="low", reason="a list of all processes")
        return best

    def _containers(self, ours: Target, theirs: Target, command: Command) -> Match | None:
        if not same_host(effective_host(ours), effective_host(theirs)):
            return None
        looks = command.effect in ("check", "read", "none")
        if looks and (ours.name.strip() in _LISTED or _whole_project(command.words)):
            return Match(kind="neighbour", confidence="medium", reason="a list that includes it")
        if theirs in self._projects and ours.kind == "container":
            project = _project(theirs.namespace or theirs.name.rstrip("/").rsplit("/", 1)[-1])
            scopes = {name.scope for name in _names(ours) if name.sort == "compose"}
            if project and project in scopes:
                return Match(kind="neighbour", confidence="medium", reason="a container of the project")
        return None

    def _released(
        self,
        mine: dict[tuple[str, str], list[_Name]],
        known: dict[tuple[str, str], list[_Name]],
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
    ) -> dict[tuple[str, str], list[_Name]]:
        """The names that a command speaks of, with those its words add."""
        found = {key: list(names) for key, names in self._expand(ours).items()}
        host = effective_host(ours)

        def add(name: _Name) -> None:
            found.setdefault(name.key, []).append(name)

        if ours == command.target:
            program = _program(command)
            daemon = _table().by_program.get(program)
            if daemon is not None:
                # A client of a name (dig, ping) asks where it runs.
                where = _host(ours.host) if ours.kind == "url" else host
                add(_Name(sort="daemon", value=daemon, host=where, reason=f"asked through {program}"))
            for label in selected:
                add(_Name(sort="workload", value=label, reason=f"selected by the label {label}"))
            if program == "sysctl":
                words = {word.partition("=")[0].replace("/", ".").lower() for word in command.words[1:40]}
                whole = words & {"-a", "--all", "--system", "-p"}
                for key in ("*",) if whole else sorted(word for word in words if "." in word):
                    add(_Name(sort="sysctl", value=key, host=host, reason=f"the key {key}"))
                if whole:
                    add(_Name(sort="sysctl_all", value="*", host=host, reason="all kernel settings"))
        if ours.kind == "process" and not ours.name.isdecimal() and len(ours.name.strip()) >= 3:
            pattern = re.sub(r"\[(\w)\]", r"\1", ours.name.lower()).strip().strip("\"'")
            for (there, line), names in self._lines.items():
                if same_host(there, host) and pattern in line:
                    for name in names:
                        add(msgspec.structs.replace(name, reason="its process, by the line that starts it"))
        return found

    def _expand(self, target: Target) -> dict[tuple[str, str], list[_Name]]:
        """The names of a target by their key: its own, those its form implies, those the session joined."""
        known = self._expanded.get(target)
        if known is None:
            known = {}
            for name in _names(target):
                known.setdefault(name.key, []).append(name)
            if engine := self._engines.get(target):
                reason = "the server that holds it" if target.kind == "database" else "changed through it"
                name = _Name(sort="daemon", value=engine, host=effective_host(target), reason=reason)
                known.setdefault(name.key, []).append(name)
            for name in [name for names in known.values() for name in names]:
                for link in self._links.get(name.key, ()):
                    if same_host(link.host, name.host):
                        known.setdefault(link.other.key, []).append(link.other)
                        if link.other.sort == "sysctl":
                            every = msgspec.structs.replace(link.other, sort="sysctl_all", value="*")
                            known.setdefault(every.key, []).append(every)
            self._expanded[target] = known
        return known


_ABOUT_CONFIGURATION = frozenset({"its configuration", "its unit file", "a file in its folder"})
_SAME = Match(kind="same", confidence="high", reason="the same name")
_LEVEL: dict[str, int] = {"low": 0, "medium": 1, "high": 2}
_RANK: dict[tuple[str, str], int] = {
    (sure, kind): 3 * level + {"same": 2, "neighbour": 1, "only_open": 0}[kind]
    for sure, level in _LEVEL.items()
    for kind in ("same", "neighbour", "only_open")
}


def _program(command: Command) -> str:
    return command.words[0].rsplit("/", 1)[-1] if command.words else ""


def _joined(one: _Name, other: _Name) -> Match | None:
    """The match of two names with equal keys, when their hosts and scopes agree."""
    if not same_host(one.host, other.host):
        return None
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


def _shown(other: Target, name: _Name) -> str:
    """What a further name that a command or its result shows is to the target, in words."""
    if name.sort == "port":
        return f"port {name.value}, named with it in the session"
    if name.sort == "pid":
        return f"process {name.value}, shown as its own"
    words = {"file": "a file named with it", "container": "its container", "process": "its process",
             "url": "its address", "service": "its service", "k8s": "the object it put out"}  # fmt: skip
    return words.get(other.kind, "named with it in the session")


def _as_target(name: _Name, like: Target) -> Target | None:
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
