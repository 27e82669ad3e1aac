"""Names of a command's target that its result shows: process ids, containers, objects, ports, addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sessionlens.cache import lazy
from sessionlens.shell.command import STARTS, Command
from sessionlens.shell.reach import Line, company
from sessionlens.targets import Target, effective_host

_MAIN_PID = lazy(r"\bMain PID:\s*(\d{2,7})")
_JOB_PID = lazy(r"^\[\d{1,3}\] (\d{2,7})$", re.MULTILINE)
_SAID_PID = lazy(r"\b(?:pid|process id|PID)\b\s*(?:is|[:=#])?\s*\(?(\d{2,7})\b", re.IGNORECASE)
_BARE_NUMBER = lazy(r"^[ \t]*(\d{2,7})\s*$", re.MULTILINE)
_CONTAINER_LINE = lazy(r"^[ \t]*([0-9a-f]{64})\s*$", re.MULTILINE)
_COMPOSE_LINE = lazy(r"Container (\S{1,120})\s+(?:Started|Restarted|Running|Healthy|Recreated|Created)")
_OBJECT_LINE = lazy(
    r"^([a-z][\w.-]{1,80})/([a-z0-9][\w.-]{0,120}) (?:created|configured|unchanged|patched|replaced|scaled|restarted)",
    re.MULTILINE,
)
_LISTENS = lazy(
    r"(?:listening|running|serving|started|available|ready|bound|local)\b[^\n]{0,40}?(?:port[ :=]+|https?://[\w.\-\[\]]{1,100}:|[\d.\]]+:|\*:|:::)(\d{2,5})\b",
    re.IGNORECASE,
)
_URL = lazy(r"https?://[A-Za-z0-9][\w.-]{2,150}\.[a-z]{2,15}(?::\d{2,5})?(?:/[^\s\"'<>)\]]{0,100})?")
_OWN_PAGES = lazy(
    r"//(?:[\w-]+\.)*(?:github|gitlab|bitbucket)\.|//(?:[\w-]+\.)*(?:docs|dashboard|dash|console|help|status|registry|support|portal|app|developers?|learn|cloud)\.(?:[\w-]+\.)*"
    r"(?:cloudflare|vercel|netlify|fly|heroku|railway|render|google|googleapis|firebase|amazon|aws|azure|microsoft|digitalocean|serverless|pulumi|hashicorp|terraform|expo|shopify|docker|npmjs"
    r"|scalingo|clever-cloud|platform|upsun|northflank|koyeb|deno|modal|supabase|sentry|datadoghq|fastly|surge|dokku|kamal-deploy)\."
    r"|/docs?/|/orgs?/|/settings\b|/inspect\b"
)
"""Pages of the platform itself, not of what is put out to it."""


def shown_names(line: Line, index: int, text: str) -> Iterator[Target]:
    """Further names of a command's target that its result shows: process ids, containers, objects, addresses."""
    command = line.commands[index]
    host = command.target.host
    if command.target.kind in ("unknown", "file", "package") and command.effect not in STARTS:
        return
    starting = command.effect in ("start", "restart", "deploy", "reload", "scale", "transfer")
    alone = company(line, index)[2]
    if not (starting or command.check_strength is not None):
        return
    if alone:
        pids = _MAIN_PID.findall(text)[:3]
        if starting and command.detached:
            pids += _JOB_PID.findall(text)[:3] + _echoed_pid(line, index)
            pids += _SAID_PID.findall(text)[:2]
        for pid in dict.fromkeys(pids):
            yield Target(kind="process", name=pid, host=host)
    if not starting:
        return
    if command.target.kind in ("container", "compose"):
        for container in _CONTAINER_LINE.findall(text)[:5] if alone else ():
            yield Target(kind="container", name=container[:12], host=host)
        for name in dict.fromkeys(_COMPOSE_LINE.findall(text)[:40]):
            if command.target.kind == "compose" and alone:
                yield Target(kind="container", name=name, host=host, namespace=command.target.namespace)
    if command.target.kind == "k8s" or command.words[:1] in (("kubectl",), ("oc",)):
        for kind, name in _OBJECT_LINE.findall(text)[:40] if alone else ():
            told = f"{kind.partition('.')[0]}/{name}"
            if told != command.target.name:
                yield Target(
                    kind="k8s",
                    name=told,
                    host=host,
                    context=command.target.context,
                    namespace=command.target.namespace,
                )
    if not alone:
        return
    if command.target.kind in ("service", "process", "container", "compose", "unknown"):
        for port in dict.fromkeys(_LISTENS.findall(text)[:4]):
            yield Target(kind="network", name=port, host=effective_host(command.target) and host)
    if command.effect == "deploy" or (command.target.kind == "repository" and "deployed" in text):
        for url in dict.fromkeys(url.rstrip(".,") for url in _URL.findall(text)[:10]):
            if not _OWN_PAGES.search(url):
                yield Target(kind="url", name=url)


_UUID = lazy(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", re.IGNORECASE)
_ID_FIELD = lazy(
    r"\"[\w-]{0,40}(?:id|Id|ID|uuid|arn|Arn|number|reference)\"\s{0,4}:\s{0,4}\"?([A-Za-z0-9][\w.:/-]{5,120})"
)
_ID_TOLD = lazy(
    r"\b(?:id|run|job|task|build|deployment|execution|operation|request|pipeline|order|ticket)\b(?: id)?[\"']?[ :=#]{1,3}[\"']?"
    r"((?=[\w-]{0,64}\d)[A-Za-z0-9][\w-]{5,64})\b",
    re.IGNORECASE,
)
_GIVES_IDS = frozenset({"write_data", "create", "deploy", "configure", "migrate", "start", "scale"})


def shown_ids(line: Line, index: int, text: str) -> tuple[str, ...]:
    """Ids that the result of a change gives for what it made or began; at most eight."""
    command = line.commands[index]
    if command.effect not in _GIVES_IDS or command.target.kind not in (
        "url",
        "cloud",
        "queue",
        "database",
        "repository",
    ):
        return ()
    seen = text[:4000]
    found = (*_UUID.findall(seen)[:8], *_ID_FIELD.findall(seen)[:8], *_ID_TOLD.findall(seen)[:8])
    told = (one.strip(":/.-") for one in found)
    return tuple(dict.fromkeys(one for one in told if len(one) > 5 and any(map(str.isdigit, one))))[:8]


def _echoed_pid(line: Line, index: int) -> list[str]:
    """The process id that an ``echo $!`` after a detached command printed."""
    for later in range(index + 1, len(line.commands)):
        command = line.commands[later]
        if line.echo(later) and any("$!" in word for word in command.words):
            mark = line.marks[later]
            if mark is not None:
                found = re.match(r"\D{0,20}(\d{2,7})\b", line.text[mark[1] : mark[1] + 60])
                return [found.group(1)] if found else []
            bare = _BARE_NUMBER.findall(line.text)
            return bare[:1]
        if command.detached:
            break
    return []


CONTENT = 8000
"""Characters of a shown text that are kept at most."""
_TELLING_FILE = lazy(
    r"(?:^|/)(?:etc/hosts|hosts|\.ssh/config|ssh_config|ssh_config\.d/[\w.-]+|[\w@.\\-]+\.(?:service|socket)"
    r"|[\w@.-]+\.service\.d/[\w.-]+|\.gitlab-ci\.yml|azure-pipelines\.ya?ml|bitbucket-pipelines\.yml|\.drone\.yml"
    r"|Jenkinsfile|cloudbuild\.ya?ml|\.travis\.yml|\.woodpecker(?:\.ya?ml|/[\w.-]+)|vercel\.json|netlify\.toml|render\.ya?ml"
    r"|\.(?:github|gitea|forgejo)/workflows/[\w.-]+|\.circleci/config\.yml|supervisord?\.conf|conf\.d/[\w.-]+\.(?:conf|ini))$",
    re.IGNORECASE,
)
_NUMBERED = lazy(r"^[ \t]*\d{1,6}(?:\| ?|→|\t|: )", re.MULTILINE)
"""Line numbers that clients' tools for reading put before each line."""
_WRAPPED = lazy(r"</?(?:file|content|path|type)>[^\n]{0,300}\n?|^\(End of file[^\n]*$", re.MULTILINE)
_TELLING = (
    ("getent", "hosts"), ("getent", "ahosts"), ("hostname",), ("uname", "-n"), ("hostnamectl",), ("ssh", "-G"), ("host",),
    ("dig",), ("nslookup",), ("ping",), ("resolvectl", "query"), ("systemctl", "cat"), ("systemctl", "show"),
    ("kubectl", "config", "current-context"), ("kubectl", "config", "get-contexts"), ("kubectx", "-c"), ("kubens", "-c"),
    ("oc", "project"), ("oc", "whoami"), ("gcloud", "config", "get-value"), ("gcloud", "config", "get"), ("gcloud", "config", "list"),
    ("docker", "context", "show"), ("docker", "context", "ls"), ("terraform", "workspace", "show"), ("terraform", "workspace", "list"),
    ("tofu", "workspace", "show"), ("pulumi", "stack", "ls"), ("az", "account", "show"), ("git", "remote"), ("firebase", "use"),
)  # fmt: skip
"""Commands whose answer tells names of things."""


def shown_content(line: Line, index: int, text: str) -> str:
    """The text that a command showed, where it tells names of things; empty for all others.

    An answer of one word is taken only where no other command could have printed it.
    """
    command = line.commands[index]
    if not text.strip() or line.success[index] is False or index in line.complaints or not _telling(command):
        return ""
    if command.target.kind != "file" and not _speaks_alone(line, index):
        return ""
    return file_text(text)[:CONTENT]


def file_text(text: str) -> str:
    """The text of a file without what clients' tools for reading write around its lines."""
    shown = _WRAPPED.sub("", text[: 2 * CONTENT]).strip("\n")
    return _NUMBERED.sub("", shown) if len(_NUMBERED.findall(shown)) * 2 > shown.count("\n") else shown


def _telling(command: Command) -> bool:
    if command.target.kind == "file":
        return len(command.target.name) < 300 and _TELLING_FILE.search(command.target.name) is not None
    program, rest = command.program, command.words[1:]
    return any(
        told[0] == program and (told[1:] == rest[: len(told) - 1] or (len(told) == 2 and told[1] in rest[:2]))
        for told in _TELLING
    )


_SILENT = frozenset(
    {"cd", "export", "set", "source", ".", "true", "sleep", "unset", "pushd", "popd", "mkdir", "test", "["}
)


def _speaks_alone(line: Line, index: int) -> bool:
    """Whether no other command of the line shares a command's part of the output."""
    return not any(
        other != index
        and line.bounds[other] == line.bounds[index]
        and line.reached[other] != "no"
        and not (line.echo(other) or line.filter(other) or command.program in _SILENT or command.quiet)
        for other, command in enumerate(line.commands)
    )
