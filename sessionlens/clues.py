"""What the words and the content of a command tell of its target: ports, logs, sites, tables, labels."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sessionlens.shell.command import Command

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


EXEC_START = re.compile(r"^\s*ExecStart\s*=\s*[-+!@:]*(.+?)$", re.MULTILINE)
PORTS_IN_CONFIG = re.compile(
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
SERVER_NAMES = re.compile(
    r"^\s*(?:server_name|ServerName|ServerAlias)\s+([^;\n]{1,500})", re.MULTILINE | re.IGNORECASE
)
SITE_BLOCK = re.compile(
    r"^(?:https?://)?((?:[a-z0-9*-]+\.)+[a-z]{2,}(?:\s*,\s*(?:[a-z0-9*-]+\.)+[a-z]{2,})*)\s*\{", re.MULTILINE
)
SYSCTL_KEY = re.compile(r"^\s*-?([a-z]+[./][\w./*-]+)\s*=", re.MULTILINE)
LOGS_IN_UNIT = re.compile(r"(?:StandardOutput|StandardError)\s*=\s*(?:append|file|truncate):(\S+)")
PATHS_IN_EXEC = re.compile(r"(?<![\w/.])(/(?:etc|opt|srv|var|home|root|data|mnt|usr/local/etc)/[\w./@+-]+)")
MANIFEST_KIND = re.compile(r"^kind:\s*([A-Za-z]+)\s*$", re.MULTILINE)
MANIFEST_NAME = re.compile(r"^metadata:\s*\n(?:\s+[^\n]*\n){0,6}?\s+name:\s*[\"']?([\w.-]+)", re.MULTILINE)
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
