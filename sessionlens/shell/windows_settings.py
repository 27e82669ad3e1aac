"""Settings and files of other Windows machines: cmdlets by their verb and noun, ``appcmd``, ``netsh`` and their like.

A cmdlet says by its verb whether it changes or shows, and by its noun what: that holds for modules nobody knows. On the
machine that the agent works on it is left unread, for there most of them only serve the script that they stand in.
"""

from __future__ import annotations

import itertools
import re
from typing import NamedTuple

from sessionlens.cache import lazy
from sessionlens.shell.command import CheckStrength, Effect
from sessionlens.targets import Kind, Target

_CMDLET = lazy(r"(?P<verb>[a-z]{3,12})-(?P<noun>[a-z][a-z0-9]{1,60})$")
_CHANGES: dict[str, Effect] = {
    **dict.fromkeys(
        ("set", "new", "add", "remove", "enable", "disable", "clear", "rename", "update", "grant", "revoke", "register",
         "unregister", "import", "reset", "restore", "move", "join", "mount", "dismount", "initialize", "limit", "approve", "unlock", "invoke"),
        "configure",
    ),
    **dict.fromkeys(("install", "uninstall"), "install"),
}  # fmt: skip
_SHOWS: dict[str, CheckStrength] = {"get": "read_back", "test": "exercise"}
_OF_SCRIPT = frozenset(
    {"location", "variable", "object", "alias", "strictmode", "psdebug", "host", "member", "type", "timespan", "guid", "module", "pssession", "pssnapin", "history", "event", "psdrive",
     "cimsession", "cimsessionoption", "pssessionoption", "clixml", "csv", "temporaryfile", "eventsubscriber", "job", "runspace", "help", "typedata", "formatdata", "webserviceproxy", "command", "expression",
     "securestring", "random", "date", "credential", "error", "unique", "psbreakpoint", "tracesource", "progress", "culture", "clipboard", "modulemanifest", "objectevent", "engineevent",
     "webrequest", "restmethod", "item", "childitem", "itemproperty", "itempropertyvalue", "process", "service", "computer", "path", "connection", "netconnection", "ciminstance", "wmiobject",
     "website", "webapppoolstate", "websitestate", "iisapppool", "vm", "partition", "content", "psreadlineoption", "transcript", "executionpolicy", "wmimethod", "cimmethod", "sqlcmd", "pester", "webconfigurationbackup",
     "uptime", "timezone", "psprovider", "verb", "winevent", "eventlog", "counter", "hotfix", "computerinfo", "acl", "filehash"}
)  # fmt: skip
"""Nouns of what belongs to the script itself, or is read elsewhere."""
_CHANGED_TOO = frozenset(
    {"service", "executionpolicy", "acl", "timezone", "eventlog", "website", "vm", "computer", "wmimethod", "cimmethod", "ciminstance"}
)  # fmt: skip
"""Of those the ones whose change is one of the machine all the same."""
_NAMED_BY = (
    "-pspath", "-site", "-sitename", "-location", "-identity", "-displayname", "-name", "-path", "-literalpath", "-taskname", "-zonename", "-zone", "-scopeid", "-interfacealias", "-vmname",
    "-group", "-member", "-rulename", "-key", "-featurename", "-user", "-samaccountname", "-class", "-classname",
)  # fmt: skip
"""Options that say what a cmdlet is about, the first that is there."""
_AT = ("-computername", "-cn", "-server", "-cimsession", "-domaincontroller")
_WHATIF = lazy(r"-whatif(?::\$true)?$")
_NOT_A_NAME = lazy(r"[$%{}()*?@]")
_KINDS: tuple[tuple[str, Kind], ...] = (
    ("scheduledtask", "cron"), ("scheduledjob", "cron"), ("net", "network"), ("dns", "network"), ("dhcp", "network"),
    ("windowsfeature", "package"), ("windowsoptionalfeature", "package"), ("package", "package"),
)  # fmt: skip
_FILES: dict[str, tuple[Effect, CheckStrength | None]] = {
    **dict.fromkeys(("set-content", "sc", "add-content", "ac", "out-file", "tee-object", "set-acl", "expand-archive"), ("edit", None)),
    **dict.fromkeys(("copy-item", "cpi", "copy", "move-item", "mi", "move", "rename-item", "rni", "clear-content"), ("edit", None)),
    **dict.fromkeys(("get-content", "gc", "type", "cat", "select-string", "sls", "get-filehash"), ("check", "read_back")),
}  # fmt: skip
_ONTO = frozenset({"copy-item", "cpi", "copy", "move-item", "mi", "move", "expand-archive"})
"""Those whose second name is what they write to."""
_SITE = lazy(
    r"IIS:\\(?:Sites|AppPools)\\(?P<name>[^\\/]{1,120})|MACHINE/WEBROOT/APPHOST/(?P<site>[^/]{1,120})",
    re.IGNORECASE,
)
_SHARE = lazy(r"\\\\(?P<host>[\w.-]{1,120})\\(?P<drive>[a-z])\$\\(?P<rest>.{1,400})", re.IGNORECASE)
_IIS = "W3SVC"
"""The service by which IIS serves its sites."""
_APPCMD: dict[str, tuple[Effect, CheckStrength | None]] = {
    **dict.fromkeys(("set", "add", "delete", "clear", "reset", "restore", "migrate", "unlock", "lock", "install", "uninstall"), ("configure", None)),
    "recycle": ("restart", None), "start": ("start", None), "stop": ("stop", None), "list": ("check", "read_back"), "inspect": ("check", "read_back"),
}  # fmt: skip
_NETSH_CHANGES = frozenset(
    {"set", "add", "delete", "reset", "import", "enable", "disable", "install", "restore"}
)


class Setting(NamedTuple):
    """What one command does to the settings of a machine, or shows of them."""

    effect: Effect
    """What it does."""
    strength: CheckStrength | None
    """How strong a check it is."""
    target: Target
    """The setting, by the name that it is called by."""
    also: tuple[Target, ...] = ()
    """The service that reads it."""


def setting(words: list[str], place: str | None) -> Setting | None:
    """What one command does to settings and files of another machine; ``None`` where it is not known here, or acts at home.

    :param place: the machine that it runs on.
    """
    first = re.sub(r"\.exe$", "", re.split(r"[\\/]", words[0])[-1].casefold())
    if any(_WHATIF.match(word.casefold()) for word in words[1:]):
        return None
    if first == "appcmd":
        return _appcmd(words, place)
    if first == "netsh":
        return _netsh(words, place)
    if first in _FILES:
        return _file(first, words, place)
    if first == "resolve-dnsname":
        asked = _value(words, ("-name",)) or _operand(words)
        named_so = Target(kind="network", name=asked) if asked and not _NOT_A_NAME.search(asked) else None
        return Setting("check", "exercise", named_so) if named_so is not None else None
    named = _CMDLET.match(first)
    if named is None:
        return None
    verb, noun = named["verb"], named["noun"]
    effect, strength = _CHANGES.get(verb), _SHOWS.get(verb)
    if effect is None and strength is None:
        return None
    whole = _value(words, ("-path", "-literalpath", "-pspath")) or _operand(words)
    iis = noun.startswith(("web", "iis")) or (
        noun in ("item", "itemproperty") and _SITE.match(whole) is not None
    )
    if noun in _OF_SCRIPT and not iis and not (effect is not None and noun in _CHANGED_TOO):
        return None
    if noun in ("webrequest", "webserviceproxy", "iiscommitdelay") or (
        verb == "invoke" and noun not in _CHANGED_TOO
    ):
        return None
    at = _value(words, _AT).split(",")[0] or place
    if not at or re.search(r"[$%{}()]", at):
        return None
    name = _value(words, _NAMED_BY) or _operand(words)
    site = _SITE.match(whole) or _SITE.match(name)
    if site is not None:
        name = site["name"] or site["site"]
    name = name.split(",")[0]
    if noun.startswith("dnsserverresourcerecord"):
        name = ".".join(
            one for one in (_value(words, ("-name",)), _value(words, ("-zonename",))) if one not in ("", "@")
        )
    if not name or _NOT_A_NAME.search(name):
        name = _IIS if iis else named["noun"]
    kind: Kind = (
        "service" if iis else next((kind for start, kind in _KINDS if noun.startswith(start)), "service")
    )
    also = (Target(kind="service", name=_IIS, host=at),) if iis and name != _IIS else ()
    return Setting(effect or "check", strength, Target(kind=kind, name=name, host=at), also)


def _file(first: str, words: list[str], place: str | None) -> Setting | None:
    """What is done to a file of another machine, or read of it."""
    effect, strength = _FILES[first]
    plain = _operands(words)
    path = _value(
        words,
        ("-destination", "-destinationpath") if first in _ONTO else ("-path", "-literalpath", "-filepath"),
    )
    path = path or (
        plain[1] if first in _ONTO and len(plain) > 1 else plain[0] if plain and first not in _ONTO else ""
    )
    if first in ("select-string", "sls") and not _value(words, ("-path", "-literalpath")):
        # Its first bare word is what it looks for.
        path = plain[1] if len(plain) > 1 else ""
    shared = _SHARE.fullmatch(path)
    if shared is not None:
        place, path = shared["host"], f"{shared['drive']}:\\{shared['rest']}"
    if place is None or not path or re.search(r"[$%{}()]", path):
        return None
    return Setting(effect, strength, Target(kind="file", name=path, host=place))


def _appcmd(words: list[str], place: str | None) -> Setting | None:
    """``appcmd set config "Site" /section:…``: the settings of IIS."""
    row = _APPCMD.get(words[1].casefold()) if len(words) > 1 else None
    if row is None or place is None:
        return None
    rest = words[3:]
    named = (
        word.split(":", 1)[1].strip("\"'")
        for word in rest
        if re.match(r"[/-](?:site\.|app\.|apppool\.)?name:", word, re.IGNORECASE)
    )
    name = (
        next(named, "")
        or next((word.strip("\"'").rstrip("/") for word in rest if word[:1] not in "/-"), "")
        or _IIS
    )
    also = (Target(kind="service", name=_IIS, host=place),) if name != _IIS else ()
    return Setting(*row, Target(kind="service", name=name, host=place), also)


def _netsh(words: list[str], place: str | None) -> Setting | None:
    """``netsh advfirewall firewall add rule name=…``: the network of a machine, of another one with ``-r``."""
    at = _value(words, ("-r",)) or place
    if at is None:
        return None
    told = [word.casefold() for word in words[1:12]]
    named = next(
        (word.split("=", 1)[1].strip("\"'") for word in words if word.casefold().startswith("name=")), ""
    )
    context = next((word for word in told if word not in ("-r", at.casefold())), "")
    target = Target(kind="network", name=named or context, host=at)
    if _NETSH_CHANGES & set(told):
        return Setting("configure", None, target)
    return Setting("check", "read_back", target) if "show" in told or "dump" in told else None


def _value(words: list[str], names: tuple[str, ...]) -> str:
    """The value of the first of some options that a command has."""
    told = {word.casefold(): at for at, word in reversed(list(enumerate(words[:-1])))}
    at = next((told[name] for name in names if name in told), None)
    return words[at + 1] if at is not None and words[at + 1][:1] != "-" else ""


_SWITCHES = frozenset({"-force", "-recurse", "-passthru", "-whatif", "-confirm", "-append", "-nonewline", "-quiet", "-raw", "-verbose", "-allmatches", "-simplematch"})  # fmt: skip


def _operands(words: list[str]) -> list[str]:
    """The words that are neither options nor the values of some."""
    return [
        word
        for before, word in itertools.pairwise(words)
        if word[:1] != "-" and (before[:1] != "-" or before.casefold() in _SWITCHES or before is words[0])
    ]


def _operand(words: list[str]) -> str:
    return next(iter(_operands(words)), "")
