"""What the words and the content of a command tell of its target: ports, logs, sites, tables, labels."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from sessionlens.cache import lazy

if TYPE_CHECKING:
    from sessionlens.shell.command import Command

_PORT_OPTION = lazy(
    r"--?(?:[\w.-]*[.-])?(?:port|listen|bind|listen-address|address|addr|publish|server-port|http-port)$|-Dserver\.port$"
)
_PORT_AT_END = lazy(r"(?:^|[:\]])(\d{2,5})(?:/(?:tcp|udp))?$")
_PUBLISHED = lazy(r"(?:[\d.]+:|\[[^\]]*\]:)?(\d{2,5}):\d{2,5}(?:/(?:tcp|udp))?$")
_PORT_VARIABLE = lazy(r"(?:\w+_)?PORT=(\d{2,5})$")
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
        elif _PORT_OPTION.match(before) or before in ("-p", "-P") or (before in ("-b", "-l") and ":" in text):
            # ``-b 2048`` is a size, ``-b :9100`` an address.
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


EXEC_START = lazy(r"^[ \t]*ExecStart\s*=\s*[-+!@:]*(.+?)$", re.MULTILINE)
PORTS_IN_CONFIG = lazy(
    r"""^[ \t]*(?:-\s+)?(?:
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
SERVER_NAMES = lazy(
    r"^[ \t]*(?:server_name|ServerName|ServerAlias)\s+([^;\n]{1,500})", re.MULTILINE | re.IGNORECASE
)
SITE_BLOCK = lazy(
    r"^(?:https?://)?((?:[a-z0-9*-]+\.)+[a-z]{2,}(?:\s*,\s*(?:[a-z0-9*-]+\.)+[a-z]{2,})*)\s*\{", re.MULTILINE
)
SYSCTL_KEY = lazy(r"^[ \t]*-?([a-z]+[./][\w./*-]+)\s*=", re.MULTILINE)
LOGS_IN_UNIT = lazy(r"(?:StandardOutput|StandardError)\s*=\s*(?:append|file|truncate):(\S+)")
PATHS_IN_EXEC = lazy(r"(?<![\w/.])(/(?:etc|opt|srv|var|home|root|data|mnt|usr/local/etc)/[\w./@+-]+)")
MANIFEST_KIND = lazy(r"^kind:\s*([A-Za-z]+)\s*$", re.MULTILINE)
MANIFEST_NAME = lazy(r"^metadata:\s*\n(?:\s+[^\n]*\n){0,6}?\s+name:\s*[\"']?([\w.-]+)", re.MULTILINE)
_TABLE = lazy(
    r"\b(?:from|into|update|join|table|truncate|describe|desc|on|view|index on)\s+"
    r"(?:only\s+|table\s+|concurrently\s+|if\s+(?:not\s+)?exists\s+)*[\"`\[]?([A-Za-z_][\w$]*(?:[\"`\]]?\.[\"`\[]?[A-Za-z_][\w$]*)*)",
    re.IGNORECASE,
)
_META_TABLES = lazy(
    r"(?:pg_|information_schema|sys\.|sqlite_|mysql\.|performance_schema|all_|dba_|user_tables)"
)
_SELECTOR = lazy(
    r"(?:^|,)(?:app|name|component|k8s-app|run|release|tier|service|app\.kubernetes\.io/(?:name|instance|component))"
    r"={1,2}([\w.-]+)"
)
_COMPOSE_VERBS = frozenset({"ps", "up", "logs", "restart", "down", "pull", "config", "ls", "start", "stop", "build",
                            "top", "images", "create", "kill", "rm", "events", "stats"})  # fmt: skip
_COMPOSE_VALUES = frozenset({"-f", "--file", "-p", "--project-name", "--env-file", "--profile", "--tail", "-n",
                             "--since", "--until", "-t", "--timeout", "--scale", "--format", "--status", "--filter",
                             "--project-directory", "--context", "-H", "--pull", "--wait-timeout"})  # fmt: skip


def whole_project(words: tuple[str, ...]) -> bool:
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


def selected_labels(words: tuple[str, ...]) -> tuple[str, ...]:
    """Names that a label selector asks for: ``-l app=api``."""
    found: list[str] = []
    for index, word in enumerate(words[:100]):
        name, equals, value = word.partition("=")
        if word in ("-l", "--selector") and index + 1 < len(words):
            found += _SELECTOR.findall(words[index + 1].lower())
        elif equals and name in ("--selector", "-l"):
            found += _SELECTOR.findall(value.lower())
    return tuple(found)


def tables_named(command: Command) -> frozenset[str]:
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


# -- hosts under several names --------------------------------------------------------------------------

_IP = r"(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-fA-F]{1,4}:[0-9a-fA-F:]{2,40})"
_HOST_NAME = r"[A-Za-z0-9][A-Za-z0-9_.-]{0,120}"
_HOSTS_LINE = lazy(
    rf"^[ \t]*({_IP})[ \t]+({_HOST_NAME}(?:[ \t]+{_HOST_NAME}){{0,12}})[ \t]*(?:#.*)?$", re.MULTILINE
)
_CONFIG_LINE = lazy(
    r"^[ \t]*(host|hostname|match)\s*[ =]\s*\"?([^\n\"#]{1,300})", re.MULTILINE | re.IGNORECASE
)
_INVENTORY_LINE = lazy(
    rf"^[ \t]*({_HOST_NAME})[ \t][^\n#]{{0,200}}?\bansible_(?:ssh_)?host=({_HOST_NAME}|{_IP})", re.MULTILINE
)
_ANSWER = lazy(rf"^({_HOST_NAME}?)\.? (?:has address|has IPv6 address) ({_IP})$", re.MULTILINE)
_LOOKED_UP = lazy(rf"^Name:\s*({_HOST_NAME})\s*\nAddress(?:es)?:\s*({_IP})\s*$", re.MULTILINE)
_PINGED = lazy(rf"^PING ({_HOST_NAME}) \(({_IP})\)", re.MULTILINE)
_STATIC_NAME = lazy(rf"^[ \t]*Static hostname:\s*({_HOST_NAME})\s*$", re.MULTILINE)
_NO_ALIAS = lazy(
    r"127\.|0\.0\.0\.0|255\.|::|fe00|ff0|169\.254\.|172\.17\.0\.1$|localhost|ip6-|broadcasthost"
    r"|(?:ubuntu|debian|centos|raspberrypi|alpine|host|server|vm|none|kubernetes|archlinux|fedora|vagrant|bogon)(?:\.local\w*)?$",
    re.IGNORECASE,
)
"""Addresses and names that many machines have."""


def host_aliases(command: Command, content: str) -> Iterator[tuple[str, str]]:
    """Pairs of names that a shown or written text calls one host.

    From ``/etc/hosts``, ssh configurations, inventories, ``getent hosts``, ``ssh -G``, ``ssh ADDRESS hostname``,
    lookups that answer with one address, ``ping``.
    """
    for one, other in _host_aliases(command, content):
        if one.lower() != other.lower() and not (_NO_ALIAS.match(one) or _NO_ALIAS.match(other)):
            yield one, other


def _host_aliases(command: Command, content: str) -> Iterator[tuple[str, str]]:
    words, target = command.words, command.target
    program = words[0].rsplit("/", 1)[-1] if words else ""
    operands = [word for word in words[1:20] if not word.startswith(("-", "+", "@"))]
    if target.kind == "file":
        name = target.name.lower()
        if "ssh" in name:
            yield from _configured(content)
        elif name.endswith("/hosts") or name == "hosts" or "inventory" in name or "hosts." in name:
            yield from _listed(content)
            yield from _INVENTORY_LINE.findall(content)[:200]
    elif program == "getent":
        yield from _listed(
            re.sub(r"^(\S+)[ \t]+(?:STREAM|DGRAM|RAW)[ \t]*", r"\1 ", content, flags=re.MULTILINE)
        )
        # ``getent ahosts web1`` names the host in its first line only.
        if (
            len(found := re.findall(rf"^({_IP})", content, re.MULTILINE))
            and len(set(found)) == 1
            and operands[1:]
        ):
            yield operands[1], found[0]
    elif program == "ssh" and "-G" in words:
        if (found_name := re.search(r"^hostname (\S{1,120})$", content, re.MULTILINE)) and operands:
            yield operands[-1].rpartition("@")[2], found_name.group(1)
    elif program in ("hostname", "uname") and target.host:
        shown = content.strip()
        if "-I" in words or "-i" in words:
            shown = shown.split(" ", 1)[0]
        if re.fullmatch(rf"{_HOST_NAME}|{_IP}", shown) and not (program == "hostname" and operands):
            yield target.host, shown
    elif program == "hostnamectl" and target.host and (static := _STATIC_NAME.search(content)):
        yield target.host, static.group(1)
    elif program in ("dig", "host", "nslookup", "resolvectl", "ping"):
        pairs = [
            *_ANSWER.findall(content)[:9],
            *_LOOKED_UP.findall(content)[:9],
            *_PINGED.findall(content)[:1],
        ]
        if program == "dig" and "+short" in words and operands:
            pairs = [(operands[0], address) for address in content.split()[:9] if re.fullmatch(_IP, address)]
        if len(pairs) == 1:
            # Of several addresses none is the host's name: a balanced name.
            yield pairs[0]


def _listed(content: str) -> Iterator[tuple[str, str]]:
    for address, names in _HOSTS_LINE.findall(content)[:500]:
        for name in names.split():
            yield address, name


def _configured(content: str) -> Iterator[tuple[str, str]]:
    names: list[str] = []
    for keyword, value in _CONFIG_LINE.findall(content)[:500]:
        if keyword.lower() == "hostname":
            for name in names if "%" not in value else ():
                yield name, value.strip()
            continue
        names = []
        if keyword.lower() == "host":
            names = [name for name in value.split()[:20] if not any(char in name for char in "*?!")]


# -- folders that things run from -----------------------------------------------------------------------

WORKING_DIRECTORY = lazy(
    r"^[ \t]*(?:WorkingDirectory\s*=\s*-?|directory\s*=\s*|RootDirectory\s*=\s*)(/[^\s;#]{1,300})",
    re.MULTILINE,
)
_CODE_ROOTS = lazy(
    r"/(?:srv|opt|data|app|apps|var/www|var/lib|var/apps|usr/local|root|mnt/[^/]+|home/[^/]+|Users/[^/]+)/[^/]+"
)
_INNER_FOLDERS = frozenset({"repo", "src", "current", "code", "html", "public", "www", "site", "source", "checkout", "git",
                            "release", "releases", "live", "htdocs", "public_html", "deploy", "master", "main", "latest"})  # fmt: skip
"""Folders whose name says nothing of what is in them: the one above does."""


def code_folders(path: str) -> tuple[str, ...]:
    """The folders above a program that may be the checkout it runs from: ``/srv/app`` of ``/srv/app/venv/bin/run``."""
    found = []
    while _CODE_ROOTS.match(path):
        found.append(path)
        path = path.rpartition("/")[0]
    return tuple(found[:8])


def names_of_folder(folder: str) -> tuple[str, ...]:
    """What a service that runs from a folder would be called: ``billing`` for ``/srv/billing/current``."""
    parts = [part for part in folder.lower().strip("/").split("/") if part]
    while len(parts) > 1 and parts[-1] in _INNER_FOLDERS:
        parts.pop()
    if not parts or parts[-1] in _INNER_FOLDERS or len(parts[-1]) < 2:
        return ()
    bare = parts[-1].removesuffix(".git")
    return tuple(dict.fromkeys((bare, re.sub(r"\.(?:io|com|org|net|de|dev|app)$", "", bare))))


_WEB_ROOT = lazy(
    r"/(?:var/www|srv/www|srv/http|srv/sites|usr/share/nginx|usr/local/www|var/lib/nginx|home/[^/]+/(?:public_html|www))(?:/|$)"
    r"|/(?:public_html|htdocs|webroot|wwwroot|httpdocs)(?:/|$)"
)


def serves(folder: str, domain: str, *, same_host: bool) -> bool:
    """Whether requests to a domain may be answered from a folder: a web root on that host, or one named after it."""
    text, bare = folder.lower(), domain.lower().removeprefix("www.")
    parts = text.strip("/").split("/")
    if bare in parts or domain.lower() in parts:
        return True
    if not _WEB_ROOT.search(f"{text}/"):
        return False
    labels = bare.split(".")
    return same_host or (len(labels) > 1 and labels[-2] in parts and len(labels[-2]) > 2)


FSTAB_ENTRY = lazy(r"^[ \t]*(?:UUID=|LABEL=|PARTUUID=|/dev/|[\w.-]+:/|//)\S*\s+(/\S*)\s+\w+", re.MULTILINE)
"""The mount point of an entry of ``/etc/fstab``."""
HOSTS_ENTRY = lazy(
    r"^[ \t]*(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-fA-F:]{2,45})[ \t]+([^\n#]{1,300})", re.MULTILINE
)
"""The names of an entry of ``/etc/hosts``."""
SEARCH_PATH = lazy(r"(?<![A-Za-z0-9_])PATH\s{0,3}[+=]|\bpath\s{0,3}\+?=\s{0,3}\(|\bfish_add_path\b")
"""Where the search path for programs is set."""
