"""Services of Windows: how PowerShell and the command prompt start, stop, restart and look at them, reboot machines,
delete files and set keys of the registry.

Of other machines also looks at files and processes; settings are read by :mod:`sessionlens.shell.windows_settings`. Of everything
else it is said that it was not read. Lines are taken apart at what separates commands, outside quotes and braces; of the two
languages only lists of names in variables, ``foreach`` and ``ForEach-Object`` over them, and remote calls are known here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from sessionlens.cache import lazy
from sessionlens.shell.command import CheckStrength, Effect
from sessionlens.shell.windows_settings import AT, NAMES_NONE, on_share, operand, settings, value
from sessionlens.targets import Kind, Target

MOST = 200
"""Commands taken from one line."""
DEEPEST = 4
"""Shells and remote calls within each other that are followed."""
LONGEST = 20_000
"""Characters of a line that are read."""

_SPLIT = lazy(
    r"(?P<text>\"(?:[^\"`]|`.)*\"|'[^']*'|\{(?:[^{}]++|\{(?:[^{}]++|\{[^{}]*\})*+\})*+\}|[^;\n|&\"'{}]+|[{}\"'])|(?P<sign>&&|\|\||[;\n|&])"
)
_WORD = lazy(
    r"\"((?:[^\"`]|`.)*)\"|'([^']*)'|(\{(?:[^{}]++|\{(?:[^{}]++|\{[^{}]*\})*+\})*+\})|([^\s\"'{}]+(?:\"[^\"]*\"|'[^']*')?)|([{}\"'])"
)

_CMDLETS: dict[str, tuple[Effect, CheckStrength | None, Kind]] = {
    "restart-service": ("restart", None, "service"),
    "start-service": ("start", None, "service"),
    "stop-service": ("stop", None, "service"),
    "set-service": ("configure", None, "service"),
    "get-service": ("check", "state", "service"),
    "restart-webapppool": ("restart", None, "service"),
    "start-webapppool": ("start", None, "service"),
    "stop-webapppool": ("stop", None, "service"),
    "start-website": ("start", None, "service"),
    "stop-website": ("stop", None, "service"),
    "remove-service": ("delete", None, "service"),
    "get-webapppoolstate": ("check", "state", "service"),
    "get-iisapppool": ("check", "state", "service"),
    "get-websitestate": ("check", "state", "service"),
    "get-website": ("check", "state", "service"),
    "restart-computer": ("reboot", None, "host"),
    "stop-computer": ("stop", None, "host"),
}
_NET: dict[str, tuple[Effect, CheckStrength | None]] = {"start": ("start", None), "stop": ("stop", None)}
_SC: dict[str, tuple[Effect, CheckStrength | None]] = {
    "start": ("start", None),
    "stop": ("stop", None),
    "query": ("check", "state"),
    "queryex": ("check", "state"),
    "config": ("configure", None),
    "failure": ("configure", None),
    "delete": ("delete", None),
    "create": ("create", None),
}
_IIS: dict[str, tuple[Effect, CheckStrength | None]] = {
    "restart": ("restart", None),
    "start": ("start", None),
    "stop": ("stop", None),
    "status": ("check", "state"),
}
_DELETES = frozenset({"remove-item", "ri", "rm", "rmdir", "rd", "del", "erase"})
_LISTS = frozenset({"get-childitem", "gci", "dir", "ls"})
_WIPES: dict[str, tuple[Kind, tuple[str, ...]]] = {
    "format-volume": ("host", ("-driveletter", "-filesystemlabel", "-path")),
    "clear-disk": ("host", ("-number", "-friendlyname")),
    "remove-partition": ("host", ("-driveletter", "-disknumber")),
    "remove-vm": ("host", ("-name",)),
}
"""What wipes a disk or does away with a machine, with the options that name it."""
_REGISTRY: dict[str, tuple[Effect, CheckStrength | None]] = {
    "set-itemproperty": ("configure", None),
    "sp": ("configure", None),
    "new-itemproperty": ("configure", None),
    "remove-itemproperty": ("configure", None),
    "get-itemproperty": ("check", "read_back"),
    "gp": ("check", "read_back"),
    "get-itempropertyvalue": ("check", "read_back"),
}
_REG: dict[str, tuple[Effect, CheckStrength | None]] = {
    "add": ("configure", None),
    "delete": ("configure", None),
    "import": ("configure", None),
    "query": ("check", "read_back"),
}
_HIVE = lazy(r"(?:Registry::)?(?P<hive>HK(?:LM|CU|CR|U|CC|EY_\w{1,30})):?(?=\\|/|$|[A-Z])", re.IGNORECASE)
_SHELLS = lazy(r"(?:\S*[/\\])?(?:powershell|pwsh|cmd)(?:\.exe)?$", re.IGNORECASE)


class Act(NamedTuple):
    """One command that acts on a service or a machine, or looks at one."""

    words: tuple[str, ...]
    effect: Effect
    strength: CheckStrength | None
    target: Target
    via: tuple[str, ...]
    after: str
    """What stood before it: ``&&``, ``||``, or anything else."""
    detached: bool = False
    """Whether it only orders what happens later."""
    also: tuple[Target, ...] = ()
    """Further names of the same thing: the program that a key of the registry is of."""
    each: bool = False
    """Whether it acts on each of several machines that the line does not name."""


def acts(line: str, host: str | None, files: Mapping[str, str]) -> list[Act]:
    """What a line does to services and machines, in order, and for every other command that it was not read; empty where
    it does nothing of the kind. ``files`` are the texts of lists that it may go through, by their path.
    """
    found: list[Act] = []
    stack: list[_Level] = [_Level(_pieces(line[:LONGEST]), host, (), 0, "")]
    piped: tuple[str, ...] = ()
    listed: list[str] = []
    lists: dict[str, list[str]] = {}
    while stack and len(found) < MOST:
        pieces, place, via, depth, first = level = stack[-1]
        piece, sign = next(pieces, ("", ""))
        if not piece:
            stack.pop()
            continue
        stack[-1] = level._replace(first="")
        sign = sign or first
        if (given := _GIVEN.match(piece)) is not None and (names := _listed(given["value"], lists, files)):
            lists[given["name"].casefold()] = names
            continue
        if lists:
            piece = _filled(piece, lists)
        if (loop := _loop(piece, sign, listed, lists, files)) is not None and depth < DEEPEST:
            name, values, body = loop
            stack.extend(
                _Level(_pieces(_put(body, name, value)), place, via, depth + 1, "")
                for value in reversed(values)
            )
            listed = []
            continue
        listed = _listed(piece, lists, files) if _LISTS_FIRST.match(piece) is not None else []
        if not listed and _OF_FILE.fullmatch(piece) is not None:
            # Of a list that the session does not show the body is read once.
            listed = ["$_"]
        words = _bare(_words(piece))
        if words and words[0].casefold() in ("enter-pssession", "etsn") and depth < DEEPEST:
            # What follows in the line is meant for that machine.
            at = value(words, AT) or operand(words)
            if at and not NAMES_NONE.search(at):
                stack[-1] = _Level(pieces, at, (*via, f"Enter-PSSession {at}"), depth, "")
            continue
        within = _within(words, place, via) if words and depth < DEEPEST else None
        if within is not None:
            stack.extend(
                _Level(_pieces(code), at, through, depth + 1, sign) for code, at, through in reversed(within)
            )
            continue
        made = _of(words, place, via, sign, piped if sign == "|" else ()) if words else None
        if words and made is None:
            shows = sign == "|" and found and found[-1].words[0].casefold() in _LISTS
            made = _gone(words, place, via, sign, found[-1].words if shows else ())
        if made is None:
            piped = ()
            found.append(Act(tuple(words[:50]), "none", None, Target(host=place), via, sign))
            continue
        looks = words[0].casefold() == "get-service"
        if sign == "|" and not looks and found and found[-1].effect == "check":
            # `Get-Service x | Restart-Service`: the first only names what the second acts on.
            found.pop()
        found.extend(
            one._replace(each=True) if depth and "$" in (one.target.host or "") else one for one in made
        )
        piped = tuple(one.target.name for one in made) if looks else ()
    return found if any(act.effect != "none" or act.target.kind == "host" for act in found) else []


MOST_NAMES = 50
"""Names of a list that are followed."""
_GIVEN = lazy(r"\s*\$(?P<name>\w{1,60})\s*=\s*(?P<value>[^=].{0,4000})", re.DOTALL)
_NAME = r"\"[\w.$-]{1,120}\"|'[\w.-]{1,120}'"
_LIST = lazy(rf"\s*\(?\s*(?:@\(\s*)?(?P<names>(?:{_NAME})(?:\s*,\s*(?:{_NAME}))*)\s*\)?\s*\)?\s*")
_RANGE = lazy(r"\s*\(?\s*(?:@\(\s*)?(\d{1,4})\.\.(\d{1,4})\s*\)?\s*\)?\s*")
_SESSION = lazy(
    r"\s*New-PSSession\s+(?:-(?:ComputerName|cn)\s+)?(?P<hosts>[\w.,\s\"'-]{1,2000})", re.IGNORECASE
)
_EACH = lazy(
    r"\s*foreach\s*\(\s*\$(?P<name>\w{1,60})\s+in\s+(?P<list>[^{}]{1,4000}?)\)\s*\{(?P<body>.*)\}\s*",
    re.IGNORECASE | re.DOTALL,
)
_PIPED_EACH = lazy(
    r"\s*(?:foreach-object|foreach|%)\s+(?:-Process\s+|-Parallel\s+)?\{(?P<body>.*)\}[^{}]{0,80}",
    re.IGNORECASE | re.DOTALL,
)


_LISTS_FIRST = lazy(r"[\"'@$\d(]|(?:Get-Content|gc|cat|type)\s", re.IGNORECASE)
_OF_FILE = lazy(
    r"\s*@?\(?\s*(?:Get-Content|gc|cat|type)\s+(?:-Path\s+)?[\"']?(?P<file>[\w.:\\/~-]{1,200})[\"']?\s*\)?\s*",
    re.IGNORECASE,
)


def _listed(text: str, lists: dict[str, list[str]], files: Mapping[str, str]) -> list[str]:
    """The names that a list of PowerShell holds, as far as they stand in the line or in a known file; empty for
    anything else.
    """
    text = text.strip()
    if files and (read := _OF_FILE.fullmatch(text)) is not None:
        called = re.split(r"[\\/]", read["file"])[-1].casefold()
        whole = next(
            (held for path, held in files.items() if re.split(r"[\\/]", path)[-1].casefold() == called), ""
        )
        return [line.strip() for line in whole.splitlines() if line.strip()][:MOST_NAMES]
    if text[:1] == "$" and re.fullmatch(r"\$\w{1,60}", text):
        return lists.get(text[1:].casefold(), [])
    if (numbers := _RANGE.fullmatch(text)) is not None:
        first, last = int(numbers[1]), int(numbers[2])
        return [str(number) for number in range(first, min(last, first + MOST_NAMES - 1) + 1)]
    if (session := _SESSION.match(text)) is not None and " -" not in session["hosts"].strip():
        return [name for name in re.split(r"[\s,\"']+", session["hosts"]) if name][:MOST_NAMES]
    found = _LIST.fullmatch(text)
    return (
        [name.strip().strip("\"'") for name in found["names"].split(",")][:MOST_NAMES]
        if found is not None
        else []
    )


def _filled(piece: str, lists: dict[str, list[str]]) -> str:
    """A command with the lists in the place of their variables where it asks other machines."""

    def names(found: re.Match[str]) -> str:
        values = lists.get(found[2].casefold())
        return f"{found[1]}{','.join(values)}" if values else found.group()

    return _AT_LIST.sub(names, piece)


_AT_LIST = lazy(r"(-(?:ComputerName|cn|Session)\s+)\$(\w{1,60})\b(?![.\[])", re.IGNORECASE)


def _loop(
    piece: str, sign: str, listed: list[str], lists: dict[str, list[str]], files: Mapping[str, str]
) -> tuple[str, list[str], str] | None:
    """The variable, the values and the body of a loop over names that stand in the line; ``None`` for anything else."""
    if (each := _EACH.fullmatch(piece)) is not None:
        # Of a list that stands elsewhere the body is read once, on a host that a variable names.
        values = _listed(each["list"], lists, files) or [f"${each['name']}"]
        return each["name"], values, each["body"]
    if sign == "|" and listed and (each := _PIPED_EACH.fullmatch(piece)) is not None:
        return "_", listed, each["body"]
    return None


def _put(body: str, name: str, value: str) -> str:
    """The body of a loop in the round of one value."""
    return re.sub(rf"\$(?:\{{{name}\}}|{name}\b(?!\s*=))", lambda _: value, body, flags=re.IGNORECASE)


class _Level(NamedTuple):
    pieces: Iterator[tuple[str, str]]
    host: str | None
    via: tuple[str, ...]
    depth: int
    first: str
    """The sign before the first of its pieces."""


def _pieces(text: str) -> Iterator[tuple[str, str]]:
    """The commands of a line, each with the sign before it."""
    piece, before = "", ""
    for found in _SPLIT.finditer(text):
        if found["sign"] is None:
            piece += found["text"]
            continue
        if piece.strip():
            yield piece.strip(), before
        piece, before = "", found["sign"]
    if piece.strip():
        yield piece.strip(), before


def _words(piece: str) -> list[str]:
    words: list[str] = []
    for found in _WORD.finditer(piece):
        words.append(next(group for group in found.groups() if group is not None))
    return [word for word in words if word]


_CLOSES = lazy(r"\)[.\[]")


def _bare(words: list[str]) -> list[str]:
    """A command without the variable that takes its result, and without the brackets that a property is taken of:
    ``(Get-Service x).Status``, ``(iwr URL).Headers['Server']``.
    """
    if (
        len(words) > 2
        and words[1] == "="
        and words[0][:1] == "$"
        and ("-" in words[2] or words[2][:1] == "(")
    ):
        words = words[2:]
    if not words or words[0][:1] != "(" or len(words[0]) < 2:
        return words
    closes = next((at for at, word in enumerate(words) if _CLOSES.search(word) is not None), 0)
    return [words[0][1:], *words[1:closes], words[closes].partition(")")[0]] if closes else words


def _within(
    words: list[str], place: str | None, via: tuple[str, ...]
) -> list[tuple[str, str | None, tuple[str, ...]]] | None:
    """The line that a shell or a call on other machines runs, for each of those; ``None`` for other commands."""
    first = words[0].casefold()
    if _SHELLS.match(first) is not None:
        at = next(
            (
                number
                for number, word in enumerate(words[1:], 1)
                if word.casefold() in ("-command", "-c", "/c", "/k") or word[:1] not in "-/"
            ),
            0,
        )
        if not at:
            return None
        rest = words[at + 1 :] if words[at][:1] in "-/" else words[at:]
        return [(" ".join(rest), place, (*via, words[0]))] if rest else None
    if re.sub(r"\.exe$", "", first) in ("winrs", "psexec", "psexec64") and len(words) > 2:
        return _by_remote_shell(words, via)
    if first in ("invoke-command", "icm"):
        block = next((word for word in words if word.startswith("{") and word.endswith("}")), "")
        hosts = value(words, (*AT, "-session"))
        if not hosts and len(words) > 1 and words[1][:1] not in "-{":
            hosts = words[1]
        if not block or (NAMES_NONE.search(hosts) and re.fullmatch(r"[\w.-]*\$\w+[\w.-]*", hosts) is None):
            return None
        places = [name for name in hosts.split(",") if name] or [place or ""]
        return [
            (block[1:-1], name or None, (*via, f"Invoke-Command -ComputerName {name}") if hosts else via)
            for name in places
        ]
    return None


_REMOTE = lazy(
    r"(?:[-/](?:r|remote):(?P<winrs>[\w.:/-]{1,200})|\\\\(?P<psexec>[\w.,-]{1,200}))$", re.IGNORECASE
)
_WITH_REMOTE = frozenset({"-u", "-p", "-w", "-n", "-username", "-password"})


def _by_remote_shell(
    words: list[str], via: tuple[str, ...]
) -> list[tuple[str, str | None, tuple[str, ...]]] | None:
    """The line that ``winrs -r:HOST`` or ``psexec \\\\HOST`` runs on another machine."""
    found = next(((at, one) for at, word in enumerate(words[1:6], 1) if (one := _REMOTE.match(word))), None)
    if found is None:
        return None
    at, named = found
    rest = words[at + 1 :]
    while rest and rest[0][:1] in "-/":
        rest = rest[2:] if rest[0].casefold() in _WITH_REMOTE else rest[1:]
    if not rest:
        return None
    hosts = (named["winrs"] or named["psexec"]).split(",")
    line = " ".join(f'"{word}"' if re.search(r"\s", word) else word for word in rest)
    return [
        (line, re.sub(r"^https?://|:\d+$", "", host), (*via, f"{words[0]} {words[at]}"))
        for host in hosts
        if host
    ]


def _of(
    words: list[str], place: str | None, via: tuple[str, ...], sign: str, piped: tuple[str, ...]
) -> list[Act] | None:
    """What one command does to services, machines and settings; ``None`` where it is not known here."""
    first = re.sub(r"\.exe$", "", words[0].rsplit("\\", 1)[-1].casefold())
    shown = tuple(words[:50])
    if first in _LOOKS:
        made = _elsewhere(Act(shown, "none", None, Target(), via, sign), first, words, place)
        if made is not None:
            return made
    if first in _CMDLETS:
        effect, strength, kind = _CMDLETS[first]
        hosts: list[str | None] = [one for one in value(words, AT).split(",") if one]
        hosts = hosts or [place]
        if kind == "host":
            bare = words[1] if len(words) > 1 and words[1][:1] != "-" else ""
            machines: list[str | None] = [one for one in bare.split(",") if one]
            machines = machines if machines and hosts == [None] else hosts
            return [
                Act(shown, effect, strength, Target(kind="host", name=one or "", host=one), via, sign)
                for one in machines
            ]
        named = value(words, ("-name", "-displayname")) or operand(words)
        services = [one for one in named.split(",") if one] or list(piped)
        return _each(Act(shown, effect, strength, Target(), via, sign), services, hosts)
    if changes := settings(words, place):
        return [
            Act(shown, change.effect, change.strength, change.target, via, sign, also=change.also)
            for change in changes
        ]
    if first in _REGISTRY or first == "reg":
        return _registry(Act(shown, "none", None, Target(), via, sign), first, words, place)
    if first == "iisreset":
        verbs = [word.lstrip("/-").casefold() for word in words[1:] if word[:1] in "/-"]
        chosen = next((verb for verb in verbs if verb in _IIS), "restart")
        other = next((word for word in words[1:] if word[:1] not in "/-" and not word.isdecimal()), place)
        return _each(Act(shown, *_IIS[chosen], Target(), via, sign), ["W3SVC"], [other])
    if first == "shutdown":
        return _shut_down(Act(shown, "none", None, Target(), via, sign), words, place)
    if first in ("net", "sc"):
        rest = words[1:]
        at = place
        if first == "sc" and rest and rest[0].startswith("\\"):
            at, rest = rest[0].lstrip("\\"), rest[1:]
        table = _NET if first == "net" else _SC
        verb = rest[0].casefold() if rest else ""
        if verb not in table or len(rest) < 2:
            return None
        return _each(Act(shown, *table[verb], Target(), via, sign), [rest[1]], [at])
    return None


_LOOKS: dict[str, tuple[Effect, CheckStrength | None]] = {
    "test-path": ("check", "presence"),
    "get-childitem": ("read", None),
    "gci": ("read", None),
    "get-item": ("read", None),
    "dir": ("read", None),
    "test-netconnection": ("check", "presence"),
    "tnc": ("check", "presence"),
    "invoke-webrequest": ("check", "exercise"),
    "iwr": ("check", "exercise"),
    "invoke-restmethod": ("check", "exercise"),
    "irm": ("check", "exercise"),
    "get-process": ("check", "presence"),
    "get-ciminstance": ("check", "state"),
    "get-wmiobject": ("check", "state"),
}
"""Looks that are read: of files and processes those on other machines alone."""
_NAMED_SERVICE = lazy(r"Name\s*(?:=|-eq|like)\s*'?(?P<name>[\w.$-]{1,120})'?", re.IGNORECASE)


def _elsewhere(act: Act, first: str, words: list[str], place: str | None) -> list[Act] | None:
    """What is looked at on another machine, and looks at ports and addresses; ``None`` where it is not told."""
    if first in ("invoke-webrequest", "iwr", "invoke-restmethod", "irm"):
        url = value(words, ("-uri",)) or next((word for word in words[1:] if "://" in word), "")
        method = value(words, ("-method",)).casefold() or "get"
        if "$" in url or "://" not in url:
            return None
        target = Target(kind="url", name=url, host=url.split("://", 1)[1].split("/", 1)[0].split(":")[0])
        if method in ("get", "head"):
            return [act._replace(effect="check", strength="exercise", target=target)]
        return [act._replace(effect="delete" if method == "delete" else "write_data", target=target)]
    effect, strength = _LOOKS[first]
    if first in ("test-netconnection", "tnc"):
        asked = value(words, AT) or operand(words)
        port = value(words, ("-port", "-commontcpport"))
        if not asked or NAMES_NONE.search(asked + port):
            return None
        target = Target(kind="network" if port else "host", name=port or asked, host=asked)
        return [act._replace(effect=effect, strength=strength, target=target)]
    at = value(words, AT) or place
    if first in ("get-ciminstance", "get-wmiobject"):
        named = _NAMED_SERVICE.search(value(words, ("-filter",)))
        if (
            named is None
            or "win32_service" not in " ".join(words).casefold()
            or (at and NAMES_NONE.search(at))
        ):
            return None
        return [
            act._replace(
                effect=effect, strength=strength, target=Target(kind="service", name=named["name"], host=at)
            )
        ]
    name = value(words, ("-path", "-literalpath", "-name", "/s", "/q")) or operand(words)
    if (shared := on_share(name)) is not None:
        at, name = shared
    if at is None or not name or re.search(r"[$%{}()]", name):
        return None
    kind: Kind = "process" if first == "get-process" else "file"
    return [act._replace(effect=effect, strength=strength, target=Target(kind=kind, name=name, host=at))]


def _gone(
    words: list[str], place: str | None, via: tuple[str, ...], sign: str, listed: tuple[str, ...]
) -> list[Act] | None:
    """What one command deletes; ``None`` for other commands.

    :param listed: the command before it in the pipe, where that lists files.
    """
    first = re.sub(r"\.exe$", "", words[0].casefold())
    if first not in _DELETES and first not in _WIPES:
        return None
    gone = _deleted(first, words, place, listed)
    return [Act(tuple(words[:50]), "delete", None, gone, via, sign)] if gone is not None else None


def _deleted(first: str, words: list[str], place: str | None, listed: tuple[str, ...]) -> Target | None:
    """What a command deletes, several with commas between; ``None`` where it only shows it, or nothing names it."""
    told = {word.casefold() for word in words[1:]}
    if any(word.split(":")[0] == "-whatif" and not word.endswith("$false") for word in told):
        return None
    if first in _WIPES:
        kind, options = _WIPES[first]
        return Target(kind=kind, name=value(words, options) or operand(words), host=place)
    switches = first not in ("remove-item", "ri")
    path = value(words, ("-path", "-literalpath", "-lp"))
    if not path:
        named = [
            word
            for at, word in enumerate(words[1:], 1)
            if word[:1] != "-"
            and not (switches and re.fullmatch(r"/\w", word))
            and words[at - 1].casefold() not in _NOT_PATHS
        ]
        path = "".join(named) if any("," in word for word in named) else ",".join(named)
    if not path and listed:
        path = value(list(listed), ("-path", "-literalpath")) or operand(list(listed)) or "."
    if (shared := on_share(path)) is not None:
        place, path = shared
    return Target(kind="file", name=path, host=place) if path and not path.startswith(_NOT_FILES) else None


def _registry(act: Act, first: str, words: list[str], place: str | None) -> list[Act] | None:
    """What is done to a key of the registry, which stands for a file of settings; ``None`` for other properties."""
    if first == "reg":
        verb = words[1].casefold() if len(words) > 1 else ""
        row, key = _REG.get(verb), words[2] if len(words) > 2 else ""
    else:
        row = _REGISTRY[first]
        key = value(words, ("-path", "-literalpath")) or operand(words)
    if (other := _OTHERS_KEY.match(key)) is not None:
        place, key = other["host"], other["key"]
    if row is None or not key or (hive := _HIVE.match(key.lstrip("\\"))) is None:
        return None
    name = f"{hive['hive'].upper()}{key.lstrip(chr(92))[hive.end() :]}"
    service = _OF_SERVICE.search(name)
    owner = service[1] if service is not None else re.split(r"[\\/]", name.rstrip("\\/"))[-1]
    also = (Target(kind="service", name=owner, host=place),)
    target = Target(kind="file", name=name, host=place)
    return [act._replace(effect=row[0], strength=row[1], target=target, also=also)]


_OTHERS_KEY = lazy(r"\\\\(?P<host>[\w.-]{1,120})\\(?P<key>HK\w.{1,400})", re.IGNORECASE)
"""A key of the registry of another machine: ``\\\\HOST\\HKLM\\…``."""
_OF_SERVICE = lazy(r"[\\/]Services[\\/]([^\\/]{1,80})", re.IGNORECASE)
"""The service that a key of the registry belongs to."""


_NOT_PATHS = frozenset({"-filter", "-include", "-exclude", "-erroraction", "-ea", "-stream", "-credential"})
_NOT_FILES = ("Env:", "env:", "Variable:", "Function:", "Alias:", "HKLM:", "HKCU:", "Cert:")


_SHUTDOWN: dict[str, Effect] = {"a": "none", "r": "reboot", "g": "reboot", "s": "stop", "sg": "stop", "p": "stop",
                                "h": "stop"}  # fmt: skip
"""What the switches of ``shutdown`` do, the deciding one first: ``/a`` calls off what was ordered."""


def _shut_down(act: Act, words: list[str], place: str | None) -> list[Act] | None:
    """What ``shutdown`` does to the machine that ``/m`` names, else to the one that it runs on.

    It waits 30 s where ``/t`` gives no other time. ``None`` for the ``shutdown`` of other systems.
    """
    machine = value(words, ("/m", "-m"))
    if not (machine.startswith("\\") or any(word.startswith("/") for word in words[1:])):
        return None
    switches = {word[1:].casefold() for word in words[1:] if word[:1] in "/-"}
    verb = next((verb for verb in _SHUTDOWN if verb in switches), "")
    if not verb:
        return None
    host = machine.lstrip("\\") or place
    if host and NAMES_NONE.search(host):
        return None
    delay = value(words, ("/t", "-t"))
    later = _SHUTDOWN[verb] == "reboot" and delay.lstrip("0") != "" if delay else verb in ("r", "g")
    target = Target(kind="host", name=host or "", host=host)
    return [act._replace(effect=_SHUTDOWN[verb], target=target, detached=later)]


def _each(act: Act, services: list[str], hosts: Sequence[str | None]) -> list[Act] | None:
    """One act for each service on each host; ``None`` where a variable stands for one."""
    if not services or any(NAMES_NONE.search(name) for name in services):
        return None
    return [
        act._replace(target=Target(kind="service", name=name, host=host))
        for host in hosts
        for name in services
    ]
