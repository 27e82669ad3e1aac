"""The names that a target goes by: its own, and those that its form implies (CONTRACT §1 *neighbourhood*).

A unit file implies the service, a pod its deployment, a file under ``/etc/nginx`` the daemon that reads it,
``project-web-1`` the compose service ``web``. What daemons are called is data: ``shell/daemons.toml``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fnmatch import translate
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec

from sessionlens.cache import lazy, toml
from sessionlens.environments import is_loopback, subject, url_host

if TYPE_CHECKING:
    from sessionlens.targets import Confidence, Target


class Name(msgspec.Struct, frozen=True, kw_only=True):
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


_UNIT_SUFFIX = lazy(r"\.(?:service|socket|timer|target|path|mount|slice|scope)$")
_PORT = lazy(r"(?:^|[^\w.])(?:port\s+|tcp/|udp/|:|sport\s*=\s*:?|dport\s*=\s*:?)?(\d{2,5})(?:/(?:tcp|udp))?$")
_INTERPRETERS = frozenset({
    "python", "python2", "python3", "node", "nodejs", "bun", "deno", "java", "ruby", "perl", "php", "bash", "sh",
    "zsh", "dash", "npm", "npx", "yarn", "pnpm", "uv", "uvx", "poetry", "pipenv", "go", "cargo", "dotnet", "exec",
    "sudo", "env", "nohup", "run", "start", "serve", "server", "main", "app", "index", "dev", "uvicorn",
    "gunicorn", "torchrun", "mpirun", "accelerate", "celery",
})  # fmt: skip
"""Words of a command line that many programs share, so that they name none."""
_CONTAINER_ID = lazy(r"[0-9a-f]{12,64}")
LISTED = frozenset({"", "*", "all", "-a", "--all", "."})


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
    return bare_host(host)


@lru_cache(maxsize=4096)
def bare_host(host: str | None) -> str | None:
    """A host in comparable form: lower case, without user, port and brackets; ``None`` on the own machine."""
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


_OPEN = lazy(r"\$\{?\w{1,60}\}?|\$\([^()]{0,200}\)|`[^`]{0,200}`|\{\d{0,2}\}|[*?]")
"""What stands in the name of a host for something that the line does not show."""


def open_host(host: str) -> bool:
    """Whether a name stands for hosts that it does not name: ``web$i``, ``{}``, ``web*``."""
    return _OPEN.search(host) is not None


@lru_cache(maxsize=256)
def _form_of(host: str) -> re.Pattern[str]:
    plain, at = "", 0
    for found in _OPEN.finditer(host):
        plain += re.escape(host[at : found.start()]) + "[^/]{1,200}"
        at = found.end()
    return re.compile(plain + re.escape(host[at:]) + r"(?:\..*)?")


def may_be_of(host: str, several: str) -> bool:
    """Whether a host may be one of those that an open name stands for: ``web2`` of ``web$i``."""
    return (open_host(host) and open_host(several)) or _form_of(several).fullmatch(host) is not None


def names_only_address(target: Target) -> bool:
    """Whether a target is named by a port or an address alone, so that only the session tells what it is."""
    if target.kind == "url":
        return True
    if target.kind not in ("network", "unknown", "process"):
        return False
    name = target.name.strip()
    # A bare number that is called a process is a process id.
    return bool(port_of(target)) or (
        target.kind == "network"
        and re.fullmatch(r"[\w.-]+:\d{2,5}|\d{1,3}(?:\.\d{1,3}){3}", name) is not None
    )


def port_of(target: Target) -> str | None:
    """The port that a target names, as digits; a number that is called a process is none."""
    name = target.name.strip().strip("\"'")
    if target.kind == "url":
        return _url_port(name)
    if target.kind == "process" and not name.startswith((":", "port ", "tcp", "udp")):
        return None
    if target.kind == "host" and name.isdecimal():
        # The number of a guest of a hypervisor.
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
def names_of(target: Target) -> tuple[Name, ...]:
    """The names a target goes by, its own first."""
    found: dict[tuple[str, str, str | None], Name] = {}
    for name in _each_name(target):
        found.setdefault((*name.key, name.scope), name)
    return tuple(found.values())


def _each_name(target: Target) -> Iterator[Name]:
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
        yield Name(
            sort="compose", value=service, host=host, scope=project_form(target.namespace), sure="high"
        )
        yield Name(sort="called", value=service, host=host, reason="the service's container")
        yield from _daemons(service, host, "what runs in it")
    elif kind == "k8s":
        yield from _cluster_names(raw, target)
    elif kind == "url":
        yield from _address_names(target, host)
    elif kind == "database":
        yield Name(sort="database", value=raw.lower(), host=host, sure="high")
    elif kind == "cloud":
        yield Name(sort="cloud", value=raw.lower(), scope=target.context, sure="high")
        yield from _cloud_names(raw.lower(), target.context)
    elif kind == "repository":
        yield Name(sort="branch", value=raw.removeprefix("origin/").lower(), host=host, sure="high")
    elif kind == "package":
        yield Name(sort="package", value=raw.lower(), host=host, sure="high")
        yield Name(sort="called", value=re.split(r"[=<>@:]", raw.lower())[0], host=host, reason="its package")
        yield from _daemons(re.split(r"[=<>:]", raw.lower())[0], host, "its package")
    elif kind == "cron":
        yield Name(sort="cron", value=raw.lower(), host=host, sure="high")
        yield Name(sort="daemon", value="cron", host=host, reason="the crontab")
    elif kind == "host" and not subject(target):
        yield Name(sort="host", value=host or raw.lower(), sure="high")
    else:
        yield from _other_names(raw, host, target)


def _service_names(name: str, host: str | None) -> Iterator[Name]:
    if not name:
        return
    yield Name(sort="called", value=name, host=host, sure="high")
    base, at, instance = name.partition("@")
    if at:
        yield Name(sort="template", value=base, host=host, reason=f"the unit {base}@ that it is made from")
        if instance and not instance.isdecimal() and base in ("docker", "container", "podman"):
            yield Name(sort="called", value=instance, host=host, reason="the container it runs")
    for prefix in ("docker-", "container-", "docker.", "podman-"):
        if name.startswith(prefix) and len(name) > len(prefix):
            yield Name(sort="called", value=name[len(prefix) :], host=host, reason="the container it runs")
    if "_" in name and not at:
        # A swarm service is ``stack_service``.
        yield Name(sort="compose", value=name.partition("_")[2], host=host, scope=name.partition("_")[0],
                    reason="the service in its stack", sure="low")  # fmt: skip
    yield from _daemons(name, host, "")


def _process_names(raw: str, host: str | None, target: Target) -> Iterator[Name]:
    if raw.isdecimal():
        yield Name(sort="pid", value=raw, host=host, sure="high")
        return
    port = port_of(target)
    if port is not None:
        yield Name(sort="port", value=port, host=host, sure="high")
        return
    text = re.sub(r"\[(\w)\]", r"\1", raw).lower()
    yield Name(sort="called", value=text, host=host, sure="high")
    for index, word in enumerate(text.split()[:12]):
        base = word.rsplit("/", 1)[-1]
        stem = re.sub(r"\.(?:py|js|mjs|ts|jar|sh|rb|pl|php|exe)$", "", base)
        if word.startswith("-") or stem in _INTERPRETERS or len(stem) < 2 or not re.match(r"[a-z]", stem):
            continue
        if index == 0 or base != stem or "." in stem:
            yield Name(sort="called", value=base, host=host, reason="its process")
            yield Name(sort="called", value=stem, host=host, reason="its process")
    yield from _daemons(text, host, "its process")


def project_form(name: str | None) -> str | None:
    """A compose project in comparable form: compose itself drops case and punctuation."""
    return re.sub(r"[^a-z0-9]", "", name.lower()) or None if name else None


def _container_names(raw: str, host: str | None, namespace: str | None) -> Iterator[Name]:
    name = raw.lower().removeprefix("/")
    if _CONTAINER_ID.fullmatch(name):
        yield Name(sort="container_id", value=name[:12], host=host, sure="high")
        return
    yield Name(sort="called", value=name, host=host, sure="high")
    # ``project-service-1`` (compose v2), ``project_service_1`` (v1), ``stack_service.1.task`` (swarm). Where
    # the project ends is not told, so every reading is a candidate.
    numbered = re.fullmatch(r"(.+?)(?:[-_](\d{1,3})|\.\d{1,3}\.[a-z0-9]{10,30})", name)
    if numbered:
        stem = numbered.group(1)
        for at, char in enumerate(stem):
            if char in "-_" and 0 < at < len(stem) - 1:
                yield Name(sort="compose", value=stem[at + 1 :], host=host, scope=project_form(stem[:at]),
                            reason="the container of the compose service")  # fmt: skip
        for daemon in {stem[at + 1 :] for at, char in enumerate(stem) if char in "-_"} | {stem}:
            yield from _daemons(daemon, host, "what runs in it")
    else:
        yield Name(sort="compose", value=name, host=host, scope=project_form(namespace),
                    reason="the container of the compose service")  # fmt: skip
    yield from _daemons(name, host, "what runs in it")


_POD_HASH = lazy(r"(?=[a-z0-9]*\d)[a-z0-9]{1,10}|[bcdfghjklmnpqrstvwxz]{5,10}")
"""A random part of a pod's name: Kubernetes draws it from consonants and digits."""
WORKLOADS = frozenset({"deployment", "statefulset", "daemonset", "job", "cronjob", "replicaset", "rollout",
                        "replicationcontroller", "deploymentconfig", "pod"})  # fmt: skip
_COMPANIONS = lazy(
    r"-(?:config(?:map)?|conf|env|secrets?|settings|hpa|ingress|svc|service|pdb|sa|headless|deployment|deploy"
    r"|tls|vars|autoscaler|route|credentials)$"
)
K8S_SHORT = {
    "deploy": "deployment", "deployments": "deployment", "po": "pod", "pods": "pod", "sts": "statefulset",
    "statefulsets": "statefulset", "ds": "daemonset", "daemonsets": "daemonset", "svc": "service",
    "services": "service", "ing": "ingress", "ingresses": "ingress", "cm": "configmap", "configmaps": "configmap",
    "secrets": "secret", "rs": "replicaset", "replicasets": "replicaset", "jobs": "job", "cj": "cronjob",
    "cronjobs": "cronjob", "no": "node", "nodes": "node", "ns": "namespace", "namespaces": "namespace",
    "hpas": "hpa", "horizontalpodautoscaler": "hpa", "horizontalpodautoscalers": "hpa", "ev": "event",
    "events": "event", "pvcs": "pvc", "persistentvolumeclaim": "pvc", "persistentvolumeclaims": "pvc",
    "kustomizations": "kustomization", "ks": "kustomization", "helmreleases": "helmrelease", "hr": "helmrelease",
    "applications": "application", "apps": "application", "releases": "release",
    "endpoints": "endpoint", "ep": "endpoint", "rollouts": "rollout", "all": "all",
}  # fmt: skip


RELEASES = frozenset({"kustomization", "helmrelease", "application", "release"})
"""What puts out workloads."""
LISTED_KINDS = WORKLOADS | RELEASES | {"event", "all", "ingress", "service", "node", "namespace"}
"""Kinds whose bare name asks for a list."""


def kind_and_name(raw: str) -> tuple[str, str]:
    """``deploy/api`` as ``("deployment", "api")``; a bare name has the kind ``""``."""
    kind, slash, name = raw.partition("/")
    if not slash:
        kind, name = "", raw
    kind = kind.partition(".")[0].lower()
    return K8S_SHORT.get(kind, kind), name.lower()


_MANIFEST_FILE = lazy(
    r"(?:\.{0,2}/|~|[a-z]+://).*|.*(?:\.(?:ya?ml|json)|/)|(?:k8s|manifests?|overlays?|kubernetes|kustomize|clusters|infra)/.+",
    re.IGNORECASE,
)


def is_manifest(name: str) -> bool:
    """Whether a cluster target is named by the file or folder it is made from (``kubectl apply -f``)."""
    return len(name) < 500 and _MANIFEST_FILE.fullmatch(name) is not None


def _cluster_names(raw: str, target: Target) -> Iterator[Name]:
    if is_manifest(raw):
        path = path_form(raw)
        yield Name(sort="file", value=path, host=effective_host(target), sure="high")
        stem = re.sub(r"\.(?:ya?ml|json)$", "", path.rsplit("/", 1)[-1].lower())
        for name in dict.fromkeys((stem, _COMPANIONS.sub("", stem), re.sub(r"^\d+-", "", stem))):
            yield Name(sort="workload", value=name, reason="the file is named after it", sure="low")
        return
    kind, name = kind_and_name(raw)
    if name in LISTED:
        return
    if not kind and (bare := K8S_SHORT.get(name, name)) in WORKLOADS | {
        "event",
        "all",
        "node",
        "namespace",
    }:
        kind, name = bare, ""
        return
    yield Name(sort="object", value=f"{kind}/{name}", sure="high")
    if kind == "namespace":
        yield Name(sort="namespace", value=name)
        return
    if kind == "node":
        return
    if kind == "pod":
        parts = name.split("-")
        if len(parts) > 2 and _POD_HASH.fullmatch(parts[-1]) and _POD_HASH.fullmatch(parts[-2]):
            yield Name(sort="workload", value="-".join(parts[:-2]), reason="its pod")
        elif len(parts) > 1 and _POD_HASH.fullmatch(parts[-1]):
            yield Name(sort="workload", value="-".join(parts[:-1]), reason="its pod")
        yield Name(sort="workload", value=name, reason="its pod", sure="low")
        return
    if kind == "replicaset" and _POD_HASH.fullmatch(name.rpartition("-")[2]) and "-" in name:
        yield Name(sort="workload", value=name.rpartition("-")[0], reason="its replica set")
    reasons = {"": "the release", "service": "its cluster service", "ingress": "its ingress", "hpa": "its autoscaler",
               "configmap": "its configuration", "secret": "its secret"}  # fmt: skip
    reason = (
        "its workload" if kind in WORKLOADS else reasons.get(kind, f"the {kind or 'object'} of that name")
    )
    yield Name(sort="workload", value=name, reason=reason)
    shorter = _COMPANIONS.sub("", name)
    if shorter != name:
        yield Name(sort="workload", value=shorter, reason=reason)


_PROVIDED = lazy(
    r"([a-z0-9][a-z0-9-]*?)(?:-[0-9a-f]{12}|-[a-z0-9]{10}-[a-z]{2}|-[a-z0-9]{2,12}(?=\.a\.run\.app)|-\d{6,15}|-production)?(?:\.[a-z0-9-]+)?"
    r"\.(?:fly\.dev|vercel\.app|netlify\.app|herokuapp\.com|onrender\.com|pages\.dev|workers\.dev|web\.app"
    r"|firebaseapp\.com|railway\.app|azurewebsites\.net|run\.app|surge\.sh|appspot\.com|ondigitalocean\.app)"
)
"""Addresses that providers make from the name of the application."""


_REVISION = lazy(r"(?P<service>[a-z][a-z0-9-]{0,60})-(?:\d{5}-[a-z0-9]{3}|-[a-z0-9]{7})")
"""A revision that a provider names after its service: ``mailer-00041-vux``, ``mailer--ab12cd3``."""
_LOG_OF = lazy(
    r"(?:service|revision|function|configuration|job|container|module)_?(?:name|id)?\s{0,3}[=:]\s{0,3}[\"'\\]{0,3}(?P<asked>[a-z][\w-]{1,80})"
)
"""What a query of a provider's log asks for."""
_LOG_GROUP = lazy(
    r"/(?:aws/(?:lambda|ecs|codebuild|apprunner|batch)|ecs|lambda)/(?P<service>[\w.-]{1,100})(?:/.*)?"
)


def _cloud_names(raw: str, context: str | None) -> Iterator[Name]:
    """What a revision, a query of a log and a group of logs are named after."""
    asked = [found["asked"] for found in _LOG_OF.finditer(raw[:2_000])]
    for name in dict.fromkeys((raw, *asked[:5])):
        if name != raw:
            yield Name(sort="cloud", value=name, scope=context, reason="its log", sure="medium")
        if found := _REVISION.fullmatch(name):
            yield Name(
                sort="cloud",
                value=found["service"].rstrip("-"),
                scope=context,
                reason="its revision",
                sure="medium",
            )
    if found := _LOG_GROUP.fullmatch(raw):
        yield Name(sort="cloud", value=found["service"], scope=context, reason="its log", sure="medium")


def _address_names(target: Target, host: str | None) -> Iterator[Name]:
    port = port_of(target)
    name = url_host(target.name)
    yield Name(sort="url", value=target.name.strip().strip("\"'").rstrip("/").lower(), host=host, sure="high")
    if port is not None:
        yield Name(sort="port", value=port, host=host, sure="high")
        yield from _default_ports(port, host)
    if name and not is_loopback(name) and not re.fullmatch(r"[\d.:a-f]+", name):
        yield Name(sort="domain", value=name, sure="high")
        if provided := _PROVIDED.fullmatch(name):
            yield Name(sort="cloud", value=provided.group(1), reason="its address at the provider")


def _other_names(raw: str, host: str | None, target: Target) -> Iterator[Name]:
    port = port_of(target)
    if port is not None:
        yield Name(sort="port", value=port, host=host, sure="high")
        yield from _default_ports(port, host)
        return
    if re.match(r"(?:net|vm|kernel|fs|user|dev|debug|abi)[./]", raw):
        yield Name(
            sort="sysctl", value=raw.replace("/", ".").partition("=")[0].lower(), host=host, sure="high"
        )
        return
    if raw:
        yield Name(sort="called", value=raw.lower(), host=host, sure="high")
        yield from _daemons(raw.lower(), host, "")


# -- files --------------------------------------------------------------------------------------------

_CERTIFICATE = lazy(
    r"/etc/(?:ssl|pki|letsencrypt|acme|lego)/.+|/(?:.+/)?(?:[^/]+\.(?:crt|cer|pem)|fullchain[^/]*|privkey[^/]*)$"
)
_UNIT_FILE = lazy(
    r"(?:^|.*/)([\w@:.\\-]+?)\.(?:service|socket|timer|path|mount)(?:\.d/[^/]+|\.d/?|\.wants/[^/]+)?$"
)
_NAMED_AFTER = lazy(
    r"/etc/(?:init\.d|default|sysconfig|conf\.d|monit/conf\.d|supervisor/conf\.d|supervisord\.d|supervisor\.d"
    r"|init|runit|sv|s6)/([\w@.-]+?)(?:\.(?:conf|ini|yml|yaml|cfg|sh))?(?:/.*)?$"
)
_LOG_FILE = lazy(
    r"(?:/var)?/logs?/(?:[\w.-]+/)*?([\w@.-]+?)(?:[-_.](?:error|access|out|err|server))?(?:\.log|\.out|\.err)?(?:\.\d+)?$"
)
_LOG_FOLDER = lazy(r"/var/log/([\w@.-]+)/")
_RUN_FILE = lazy(r"(?:/var)?/run/([\w@-]+?)(?:\.pid|\.sock|/.*)$")
_APP_FOLDER = lazy(
    r"(?:/(?:opt|srv|data|apps?|services|usr/local|usr/share|var/lib|var/www|var/www/html|etc|home/[^/]+"
    r"|home/[^/]+/apps?|Users/[^/]+|root|mnt/[^/]+|opt/apps?|srv/apps?|srv/www|opt/stacks?|docker|opt/docker)"
    r"|~)/([\w@.-]+)/"
)
_ETC_FILE = lazy(r"/(?:usr/local/)?etc/([\w@-]+)\.(?:conf|cfg|ini|ya?ml|toml|json|cnf|d/.*)$")
_GENERIC_FOLDERS = frozenset({"html", "www", "bin", "sbin", "lib", "conf.d", "system", "systemd", "config", "etc",
                              "share", "src", "log", "data", "ssl", "default", "security", "pki"})  # fmt: skip
_SYSCTL_FILE = lazy(r"(?:/etc|/usr/lib|/run)/sysctl(?:\.d/.*|\.conf)$")
_PROC_SYS = lazy(r"/proc/sys/(.+)")
_VHOST_FILE = lazy(
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


def _file_names(raw: str, host: str | None) -> Iterator[Name]:
    path = path_form(raw)
    yield Name(sort="file", value=path, host=host, sure="high")
    lowered = path.lower()
    if _CERTIFICATE.match(lowered):
        yield Name(sort="certificates", value="*", host=host, reason="a certificate that is served there")
    if found := _UNIT_FILE.match(lowered):
        unit = found.group(1)
        yield Name(sort="called", value=unit, host=host, reason="its unit file")
        base, at, instance = unit.partition("@")
        if at and not instance:
            yield Name(sort="template", value=base, host=host, reason="its unit file")
        elif at:
            yield Name(sort="template_of", value=unit, host=host, reason="its unit file")
        yield from _daemons(unit, host, "its unit file")
    if found := _NAMED_AFTER.match(lowered):
        yield Name(sort="called", value=found.group(1), host=host, reason="its configuration")
        yield from _daemons(found.group(1), host, "its configuration")
    if found := _ETC_FILE.match(lowered):
        yield Name(sort="called", value=found.group(1), host=host, reason="its configuration")
    if found := _LOG_FOLDER.match(lowered):
        yield Name(sort="called", value=found.group(1), host=host, reason="its log")
        yield from _daemons(found.group(1), host, "its log")
    if found := _LOG_FILE.match(lowered):
        yield Name(sort="called", value=found.group(1), host=host, reason="its log")
        yield from _daemons(found.group(1), host, "its log")
    elif lowered.endswith((".log", ".out", ".err")):
        stem = re.sub(r"\.(?:log|out|err)$", "", lowered.rsplit("/", 1)[-1])
        yield Name(sort="called", value=stem, host=host, reason="its log")
    if found := _RUN_FILE.match(lowered):
        yield Name(sort="called", value=found.group(1), host=host, reason="its run file")
        yield from _daemons(found.group(1), host, "its run file")
    if (found := _APP_FOLDER.match(f"{lowered}/" if raw.endswith("/") else lowered)) and found.group(
        1
    ) not in _GENERIC_FOLDERS:
        yield Name(sort="called", value=found.group(1), host=host, reason="a file in its folder")
    if found := _PROC_SYS.match(path):
        yield Name(sort="sysctl", value=found.group(1).replace("/", ".").lower(), host=host, reason="its key")
    if _SYSCTL_FILE.match(lowered):
        yield Name(sort="sysctl", value="*", host=host, reason="the kernel settings")
    if found := _VHOST_FILE.match(lowered):
        yield Name(sort="domain", value=found.group(1), reason="the site it configures")
    # A folder is what is in it: ``/etc/nginx`` as ``/etc/nginx/x``.
    for daemon in _daemons_of_file(lowered) or _daemons_of_file(f"{lowered}/x"):
        yield Name(sort="daemon", value=daemon, host=host, reason="its configuration")


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
        from importlib.resources import files

        table = msgspec.convert(toml(files("sessionlens.shell").joinpath("daemons.toml")), dict[str, _Daemon])
        self.by_name: dict[str, str] = {}
        self.by_program: dict[str, str] = {}
        self.by_port: dict[str, list[str]] = {}
        self.name_patterns: list[tuple[re.Pattern[str], str]] = []
        self.file_patterns: list[tuple[re.Pattern[str], str]] = []
        for daemon, entry in table.items():
            for name in entry.names:
                if any(char in name for char in "*?["):
                    self.name_patterns.append((lazy(translate(name)), daemon))
                else:
                    self.by_name[name] = daemon
            for pattern in entry.files:
                self.file_patterns.append((lazy(translate(pattern.lower())), daemon))
            for program in entry.programs:
                self.by_program[program] = daemon
            for port in entry.ports:
                self.by_port.setdefault(str(port), []).append(daemon)


@lru_cache(maxsize=1)
def daemon_table() -> _Daemons:
    """The table of daemons, read once."""
    return _Daemons()


@lru_cache(maxsize=4096)
def daemon_of(name: str) -> str | None:
    """The entry of the table of daemons that a service, process or container of this name is."""
    table = daemon_table()
    if name in table.by_name:
        return table.by_name[name]
    return next((daemon for pattern, daemon in table.name_patterns if pattern.match(name)), None)


_ALIKE = 4
"""Letters in which two names of a daemon begin alike, where people take one for the other."""


@lru_cache(maxsize=4096)
def spellings(name: str) -> tuple[str, ...]:
    """What people call a daemon whose service has a longer name: postgres for postgresql, php-fpm for php8.2-fpm."""
    daemon = daemon_of(name) if len(name) < 200 else None
    if daemon is None:
        return ()
    names = (daemon, *(other for other, owner in daemon_table().by_name.items() if owner == daemon))
    return tuple(
        sorted({other for other in names if len(other) >= _ALIKE and _begin(other, name) and other != name})
    )


def _begin(one: str, other: str) -> bool:
    return one[:_ALIKE] == other[:_ALIKE] or (one[:3] == other[:3] and "-" in one and "-" in other)


def _daemons(name: str, host: str | None, reason: str) -> Iterator[Name]:
    daemon = daemon_of(name) if len(name) < 200 else None
    if daemon is not None:
        yield Name(sort="daemon", value=daemon, host=host, reason=reason)


@lru_cache(maxsize=4096)
def _daemons_of_file(path: str) -> tuple[str, ...]:
    found = (
        daemon for pattern, daemon in daemon_table().file_patterns if len(path) < 1000 and pattern.match(path)
    )
    return tuple(dict.fromkeys(found))


def _default_ports(port: str, host: str | None) -> Iterator[Name]:
    for daemon in daemon_table().by_port.get(port, ()):
        yield Name(sort="daemon", value=daemon, host=host, reason=f"port {port}, its usual port")
