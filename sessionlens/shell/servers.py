"""Tools of other servers (MCP and the like), read by what their names and arguments say.

``mcp__infra__restart_service {"service": "billing", "host": "app2"}`` restarts a service on a host, as
``ssh app2 systemctl restart billing`` does. A name is no proof, so such a reading has low confidence, and it
needs both a word for what is done and the name of a thing it is done to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from sessionlens.cache import lazy
from sessionlens.shell.command import STARTS, Command, Effect
from sessionlens.targets import Kind, Target

_WORDS = lazy(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_HOSTS = ("host", "hostname", "ssh_host", "sshHost", "server", "server_name", "serverName", "machine",
          "connection", "connectionName", "remote_host", "hostAlias")  # fmt: skip
_NAMESPACES = ("namespace", "ns")
_CONTEXTS = ("context", "cluster", "cluster_name", "clusterName", "environment", "env", "stage")
_VERBS = ("action", "operation", "subCommand", "subcommand", "verb")
_NAMES: tuple[tuple[str, Kind], ...] = (
    ("service", "service"), ("service_name", "service"), ("serviceName", "service"), ("unit", "service"),
    ("unit_name", "service"), ("daemon", "service"), ("app", "service"), ("app_name", "service"), ("appName", "service"),
    ("application", "service"), ("application_name", "service"), ("process", "service"), ("program", "service"),
    ("container", "container"), ("container_name", "container"), ("containerName", "container"),
    ("container_id", "container"), ("containerId", "container"), ("deployment", "k8s"), ("deployment_name", "k8s"),
    ("deploymentName", "k8s"), ("statefulset", "k8s"), ("daemonset", "k8s"), ("workload", "k8s"), ("pod", "k8s"),
    ("pod_name", "k8s"), ("podName", "k8s"), ("release", "k8s"), ("release_name", "k8s"), ("releaseName", "k8s"),
    ("project", "compose"), ("project_name", "compose"), ("stack", "compose"), ("stack_name", "compose"),
    ("instance", "cloud"), ("instance_id", "cloud"), ("instanceId", "cloud"), ("function_name", "cloud"),
    ("droplet_id", "cloud"), ("job", "process"), ("job_name", "process"), ("jobName", "process"), ("pipeline", "process"),
    ("pipeline_name", "process"), ("pipelineName", "process"), ("pipeline_id", "process"), ("vm", "host"), ("vm_name", "host"), ("vmid", "host"), ("node", "host"),
)  # fmt: skip
"""Arguments that name a thing, and what sort it is of."""
_NOUNS: Mapping[str, Kind] = {
    **dict.fromkeys(("service", "services", "unit", "daemon", "app", "apps", "application", "systemd", "supervisor",
                     "pm2", "site", "systemctl"), "service"),
    **dict.fromkeys(("container", "containers", "docker", "podman"), "container"),
    **dict.fromkeys(("deployment", "deployments", "pod", "pods", "statefulset", "daemonset", "rollout", "k8s",
                     "kubernetes", "kubectl", "workload", "release", "helm"), "k8s"),
    **dict.fromkeys(("compose", "stack", "stacks", "project"), "compose"),
    **dict.fromkeys(("instance", "instances", "lambda", "droplet", "dyno", "dynos", "ecs", "cloudrun"), "cloud"),
    **dict.fromkeys(("vm", "server", "host", "machine", "node"), "host"),
    "database": "database",
}  # fmt: skip
"""Words of a tool's name for the sort of thing it is about."""
_LOOKS = frozenset({"get", "list", "describe", "show", "check", "inspect", "read", "view", "status", "health", "is",
                    "fetch", "query", "logs", "tail", "search", "find", "watch", "wait", "ping", "info", "history"})  # fmt: skip
"""Words of tools that only look."""
_EFFECTS: Mapping[str, Effect] = {
    "restart": "restart", "bounce": "restart", "recreate": "restart", "reboot": "reboot", "reload": "reload",
    "redeploy": "deploy", "deploy": "deploy", "rollback": "deploy", "upgrade": "deploy", "start": "start",
    "stop": "stop", "shutdown": "stop", "scale": "scale",
}  # fmt: skip
_OBJECTS = frozenset(
    {"argo", "argocd", "flux", "gitops", "kustomization", "ecs", "lambda", "cloudrun", "function", "functions", "k8s",
     "kubernetes", "helm", "release", "deployment", "deployments", "statefulset", "daemonset", "rollout", "cluster", "stack",
     "app", "application", "applications", "apps", "environment"}
)  # fmt: skip
"""Words of a tool's name for things that a version of something is put out to."""
_WITH: tuple[tuple[frozenset[str], frozenset[str], Effect], ...] = (
    (frozenset({"apply", "run", "execute", "trigger"}), frozenset({"migration", "migrations"}), "migrate"),
    (frozenset({"trigger", "run", "start", "queue", "retry", "rebuild"}), frozenset({"build", "builds", "pipeline", "pipelines"}),
     "build"),
    (frozenset({"sync", "promote", "reconcile", "publish", "ship", "launch", "undo"}), _OBJECTS, "deploy"),
    (frozenset({"create", "trigger", "run", "submit", "approve"}),
     frozenset({"deployment", "deployments", "deploy", "rollout", "redeployment"}), "deploy"),
    (frozenset({"update", "patch", "set", "apply"}),
     frozenset({"ecs", "lambda", "cloudrun", "deployment", "deployments", "statefulset", "daemonset", "helm", "stack",
                "manifest", "manifests", "kustomization", "terraform"}), "deploy"),
)  # fmt: skip
"""What a verb that alone may mean anything does to such a thing."""
_PLACES = (
    "production",
    "prod",
    "live",
    "staging",
    "stage",
    "preprod",
    "development",
    "dev",
    "test",
    "sandbox",
)
"""Words of a tool's name for where it acts."""
_ELSEWHERE = frozenset({"browser", "page", "tab", "window", "kernel", "notebook", "editor", "ide", "playwright", "puppeteer",
                        "screen", "simulator", "recording", "session", "debug", "search", "thinking", "task", "agent",
                        "extension", "timer", "test", "tests", "crawl", "index", "memory", "context", "mcp", "lsp",
                        "language", "chat", "conversation", "workflow", "vscode", "slash"})  # fmt: skip
"""Words of tools that are about the client, a browser or a piece of work, and no service."""


@lru_cache(maxsize=1024)
def words_of(tool: str) -> tuple[str, ...]:
    """The words of a tool's name, lower case: ``mcp__infra__restartService`` is mcp, infra, restart, service."""
    return tuple(word.lower() for word in _WORDS.findall(tool[:200]))


_SHELLS = frozenset({"shell", "bash", "ssh", "terminal", "exec", "powershell", "cmd"})
_RUNS = frozenset({"run", "execute", "exec", "start", "remote", "send"})
_LINES = frozenset({"command", "commands", "process", "script", "line"})
_NO_SHELL = _ELSEWHERE | {
    "redis", "mongo", "mongodb", "sql", "db", "database", "gdb", "lldb", "read", "list", "kill", "stop", "get",
    "status", "output", "query", "view", "edit", "upload", "download", "file", "history", "blender", "unity", "git",
}  # fmt: skip


def runs_lines(tool: str) -> bool:
    """Whether a tool's name says that it runs command lines: ``ssh_run_command``, ``start_process``."""
    words = set(words_of(tool)) - {"mcp"}
    if words & _NO_SHELL:
        return False
    return bool(words & _SHELLS or (words & _RUNS and words & _LINES))


def host_of(arguments: Mapping[str, Any]) -> str | None:
    """The host that a call's arguments name."""
    return _first(arguments, _HOSTS)


def acts(tool: str, arguments: Mapping[str, Any]) -> Command | None:
    """What a call of an unknown tool does to a thing that its arguments name; ``None`` where that is not told."""
    words = words_of(tool)
    own = set(words[1:] if words[:1] == ("mcp",) else words)
    if own & _ELSEWHERE:
        return None
    asked = {word for value in _values(arguments, _VERBS) for word in words_of(value)}
    effect = _together(own) or next((_EFFECTS[word] for word in words if word in _EFFECTS), None)
    if asked:
        effect = next((_EFFECTS[word] for word in asked if word in _EFFECTS), None) or effect
        looks = bool(asked & _LOOKS)
    else:
        looks = bool(own & _LOOKS)
    if not looks and effect is None:
        return None
    target = _target(words, own, arguments, effect)
    if target is None:
        return None
    if looks:
        return Command(words=(tool, target.name), effect="check", check_strength="state", target=target, confidence="low")  # fmt: skip
    assert effect is not None
    return Command(
        words=(tool, effect, target.name),
        effect=effect,
        target=target,
        long_running=effect in STARTS or effect in ("build", "migrate"),
        dry_run=any(arguments.get(key) is True for key in ("dry_run", "dryRun")),
        script=True,
        restarts_in_effect=effect in ("restart", "reload", "start", "stop"),
        confidence="low",
    )


def _together(own: set[str]) -> Effect | None:
    """What a verb and the thing that the name puts beside it say together."""
    return next((effect for verbs, things, effect in _WITH if own & verbs and own & things), None)


def _target(
    words: tuple[str, ...], own: set[str], arguments: Mapping[str, Any], effect: Effect | None
) -> Target | None:
    host = host_of(arguments)
    named = next(((kind, name) for key, kind in _NAMES if (name := _first(arguments, (key,)))), None)
    if named is None:
        noun = next((_NOUNS[word] for word in reversed(words) if word in _NOUNS), None)
        called = _first(arguments, ("name", "id", "target")) or (host if noun == "host" else None)
        if effect == "migrate":
            noun, called = (
                "database",
                _first(arguments, ("database", "db", "project_id", "projectId", "project_ref")),
            )
        elif effect == "build":
            noun, called = "process", called or _first(arguments, ("project", "repo", "repository", "branch"))
        elif called is None and (slashed := _OF_CLUSTER.fullmatch(_first(arguments, _OBJECT_KEYS) or "")):
            # "deployment/api" says its sort itself.
            noun, called = "k8s", slashed.group()
        elif effect == "deploy" and noun is None:
            # To put something out is said of a version of some service, whatever it is called.
            noun = "service"
        if noun is None or called is None:
            return None
        named = noun, called
    kind, name = named
    if kind == "host":
        return Target(kind="host", name=name, host=name)
    sort = _first(arguments, ("resource_type", "resourceType", "resource", "kind"))
    if kind == "k8s" and "/" not in name and not own & {"helm", "release"}:
        name = (
            f"{(sort or ('pod' if {'pod', 'pods'} & own else 'deployment')).lower().removesuffix('s')}/{name}"
        )
    return Target(
        kind=kind,
        name=name,
        host=host,
        context=_first(arguments, _CONTEXTS) or next((word for word in words if word in _PLACES), None),
        namespace=_first(arguments, _NAMESPACES),
    )


_OBJECT_KEYS = ("resource", "workload", "object", "target")
_OF_CLUSTER = lazy(
    r"(?:deployments?|deploy|statefulsets?|sts|daemonsets?|ds|replicasets?|rs|pods?)/[\w.-]{1,200}"
)
"""An object of a cluster, as its client names it."""


def _first(arguments: Mapping[str, Any], keys: tuple[str, ...]) -> str | None:
    return next(_values(arguments, keys), None)


def _values(arguments: Mapping[str, Any], keys: tuple[str, ...]) -> Iterator[str]:
    for key in keys:
        value = arguments.get(key)
        if (
            isinstance(value, str)
            and value.strip()
            and len(value) <= 200
            and not re.search(r"\s\S+\s", value)
        ):
            yield value.strip()
