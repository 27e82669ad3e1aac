"""Settings and files of Windows machines: cmdlets by their verb and noun, ``appcmd``, ``netsh`` and their like.

A cmdlet says by its verb whether it changes or shows, and by its noun what: that holds for modules nobody knows. On the
machine that the agent works on only what never serves a script is read: machines of Hyper-V, sites of IIS, the
firewall, names and tasks.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
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
"""What a verb does to a noun that nobody knows."""
_TO_THINGS: dict[str, Effect] = {
    **_CHANGES,
    **dict.fromkeys(("resize", "connect", "disconnect", "convert", "optimize", "suspend", "resume"), "configure"),
    "start": "start", "stop": "configure", "save": "configure", "restart": "restart", "get": "check", "measure": "check", "test": "check",
}  # fmt: skip
"""What a verb does to one of :data:`_THINGS`; any other verb, such as one of saving a copy, does nothing to it."""
_TO_OBJECTS: dict[str, Effect] = {"remove": "delete", "unregister": "delete"}
_TO_MACHINES: dict[str, Effect] = {"new": "create", "stop": "stop", "save": "stop", "restart": "reboot"}
_OF_SCRIPT = frozenset(
    {"location", "variable", "object", "alias", "strictmode", "psdebug", "host", "member", "type", "timespan", "guid", "module", "pssession", "pssnapin", "history", "event", "psdrive",
     "cimsession", "cimsessionoption", "pssessionoption", "clixml", "csv", "temporaryfile", "eventsubscriber", "job", "runspace", "help", "typedata", "formatdata", "command", "expression",
     "securestring", "random", "date", "credential", "error", "unique", "psbreakpoint", "tracesource", "progress", "culture", "clipboard", "modulemanifest", "objectevent", "engineevent",
     "webrequest", "restmethod", "item", "childitem", "itemproperty", "itempropertyvalue", "process", "service", "computer", "path", "connection", "netconnection", "ciminstance", "wmiobject",
     "partition", "content", "psreadlineoption", "transcript", "executionpolicy", "wmimethod", "cimmethod", "sqlcmd", "pester",
     "uptime", "timezone", "psprovider", "verb", "winevent", "eventlog", "counter", "hotfix", "computerinfo", "acl", "filehash", "webserviceproxy", "iiscommitdelay"}
)  # fmt: skip
"""Nouns of what belongs to the script itself, or is read elsewhere."""
_CHANGED_TOO = frozenset(
    {"service", "executionpolicy", "acl", "timezone", "eventlog", "computer", "wmimethod", "cimmethod", "ciminstance"}
)  # fmt: skip
"""Of those the ones whose change is one of the machine all the same."""
_NAMED_BY = (
    "-pspath", "-site", "-sitename", "-location", "-identity", "-displayname", "-name", "-path", "-literalpath", "-taskname", "-zonename", "-zone", "-scopeid", "-interfacealias", "-vmname",
    "-group", "-member", "-rulename", "-key", "-featurename", "-user", "-samaccountname", "-class", "-classname",
)  # fmt: skip
"""Options that say what a cmdlet is about, the first that is there."""
AT = ("-computername", "-cn", "-server", "-cimsession", "-domaincontroller")
"""Options that say on which machine."""
_WHATIF = lazy(r"-whatif(?::\$true)?$")
NAMES_NONE = lazy(r"[$%{}()*?@]")
"""What stands in words that name nothing: variables, patterns, hash tables."""
_IIS = "W3SVC"
"""The service by which IIS serves its sites."""


class _Thing(NamedTuple):
    noun: re.Pattern[str]
    kind: Kind
    names: tuple[str, ...] = _NAMED_BY
    """Options that name it, the best first."""
    daemon: str = ""
    """The service that reads it."""
    shows: CheckStrength = "read_back"
    """What a look at it tells."""
    home: bool = True
    """Whether it is read on the machine that the agent works on too."""
    whole: bool = False
    """Whether it is a thing of its own that can be deleted, not a part or a setting of one."""


_THINGS = (
    _Thing(lazy(r"vm"), "host", ("-vmname", "-name"), shows="state", whole=True),
    _Thing(lazy(r"vm(?:processor|memory|networkadapter\w*|harddiskdrive|dvddrive|firmware|security|video|bios|integrationservice|replication)"),
           "host", ("-vmname", "-name"), shows="state"),
    _Thing(lazy(r"iissite|website|iisapppool|webapppool"), "service", ("-name", "-site"), _IIS, "state", whole=True),
    _Thing(lazy(r"(?:web|iis)\w+"), "service", ("-pspath", "-location", "-site", "-sitename", "-name"), _IIS),
    _Thing(lazy(r"net(?:firewallrule|firewallprofile|firewall\w+filter|firewallsetting|ipaddress|route|adapter\w*|ipinterface)"), "network",
           ("-displayname", "-name", "-destinationprefix", "-ipaddress", "-interfacealias")),
    _Thing(lazy(r"dnsserver\w+"), "network", ("-name", "-zonename")),
    _Thing(lazy(r"scheduledtask\w*"), "cron", ("-taskname", "-taskpath"), whole=True),
    _Thing(lazy(r"scheduledjob\w*"), "cron", home=False),
    _Thing(lazy(r"(?:net|dns|dhcp)\w+"), "network", home=False),
    _Thing(lazy(r"(?:windowsfeature|windowsoptionalfeature|package)\w*"), "package", home=False),
    _Thing(lazy(r"\w+"), "service", home=False),
)  # fmt: skip
"""What nouns name; the first that fits."""
_ITEM_OF_IIS = next(row for row in _THINGS if row.daemon and not row.whole)
_FILES: dict[str, tuple[Effect, CheckStrength | None]] = {
    **dict.fromkeys(("set-content", "sc", "add-content", "ac", "out-file", "tee-object", "set-acl", "expand-archive"), ("edit", None)),
    **dict.fromkeys(("copy-item", "cpi", "copy", "move-item", "mi", "move", "rename-item", "rni", "clear-content"), ("edit", None)),
    **dict.fromkeys(("get-content", "gc", "type", "cat", "select-string", "sls", "get-filehash"), ("check", "read_back")),
}  # fmt: skip
_ONTO = frozenset({"copy-item", "cpi", "copy", "move-item", "mi", "move", "expand-archive"})
"""Those whose second name is what they write to."""
_SITE = lazy(
    r"(?:IIS:[\\/](?:Sites|AppPools)[\\/]|MACHINE/WEBROOT/APPHOST/)(?P<name>[^\\/]{1,120})", re.IGNORECASE
)
_SHARE = lazy(r"\\\\(?P<host>[\w.-]{1,120})\\(?P<rest>.{1,400})")
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


def settings(words: list[str], place: str | None) -> list[Setting]:
    """What one command does to settings and files, on each machine that it names; empty where it is not known here.

    :param place: the machine that it runs on.
    """
    first = re.sub(r"\.exe$", "", re.split(r"[\\/]", words[0])[-1].casefold())
    if (named := _CMDLET.match(first)) is not None and first not in _FILES and first != "resolve-dnsname":
        return list(_cmdlet(named["verb"], named["noun"], words, place))
    found = None
    if any(_WHATIF.match(word.casefold()) for word in words[1:]):
        return []
    if first == "appcmd":
        found = _appcmd(words, place)
    elif first == "netsh":
        found = _netsh(words, place)
    elif first in _FILES:
        found = _file(first, words, place)
    elif first == "resolve-dnsname":
        asked = value(words, ("-name",)) or operand(words)
        if asked and not NAMES_NONE.search(asked):
            found = Setting("check", "exercise", Target(kind="network", name=asked))
    return [] if found is None else [found]


def _cmdlet(verb: str, noun: str, words: list[str], place: str | None) -> Iterable[Setting]:
    """What a cmdlet does to what its noun names."""
    path = value(words, ("-path", "-literalpath", "-pspath")) or operand(words)
    if noun in ("item", "itemproperty") and _SITE.match(path) is not None:
        row = _ITEM_OF_IIS._replace(names=("-pspath", "-path", "-literalpath"), whole=noun == "item")
    elif noun in _OF_SCRIPT and not (verb in _CHANGES and noun in _CHANGED_TOO):
        return
    else:
        row = next(row for row in _THINGS if row.noun.fullmatch(noun))
    if verb == "invoke" and noun not in _CHANGED_TOO:
        return
    effect = (_TO_THINGS if row.home else {**_CHANGES, "get": "check", "test": "check"}).get(verb)
    if row.whole:
        effect = _TO_OBJECTS.get(verb, effect)
        if row.kind == "host":
            effect = _TO_MACHINES.get(verb, effect)
    if any(_WHATIF.match(word.casefold()) for word in words[1:]):
        effect = None
    if effect is None and not row.home:
        return
    name = (value(words, row.names) or operand(words)).split(",")[0]
    if noun.startswith("dnsserverresourcerecord"):
        parts = (value(words, (option,)) for option in row.names)
        name = ".".join(part for part in parts if part not in ("", "@"))
    if (site := _SITE.match(name)) is not None:
        name = site["name"]
    if not name or name[0] == "." or NAMES_NONE.search(name):
        name = row.daemon or ("" if row.kind == "host" else noun)
    strength: CheckStrength | None = None
    if effect == "check":
        strength = "exercise" if verb == "test" else row.shows
    hosts: list[str | None] = [one for one in value(words, AT).split(",") if one]
    for host in hosts or [place]:
        if not row.home and (host is None or NAMES_NONE.search(host) is not None):
            continue
        daemon = Target(kind="service", name=row.daemon, host=host)
        yield Setting(
            effect or "none",
            strength,
            Target(kind=row.kind, name=name, host=host),
            (daemon,) if row.daemon not in ("", name) else (),
        )


def _file(first: str, words: list[str], place: str | None) -> Setting | None:
    """What is done to a file of another machine, or read of it."""
    effect, strength = _FILES[first]
    plain = _operands(words)
    path = value(
        words,
        ("-destination", "-destinationpath") if first in _ONTO else ("-path", "-literalpath", "-filepath"),
    )
    path = path or (
        plain[1] if first in _ONTO and len(plain) > 1 else plain[0] if plain and first not in _ONTO else ""
    )
    if first in ("select-string", "sls") and not value(words, ("-path", "-literalpath")):
        # Its first bare word is what it looks for.
        path = plain[1] if len(plain) > 1 else ""
    if (shared := on_share(path)) is not None and shared[1][1:2] == ":":
        place, path = shared
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
    at = value(words, ("-r",)) or place
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


def on_share(path: str) -> tuple[str, str] | None:
    """The machine of a path on a share, and the path as it is called there; ``None`` for other paths."""
    shared = _SHARE.fullmatch(path)
    return None if shared is None else (shared["host"], shared["rest"].replace("$\\", ":\\", 1))


def value(words: list[str], names: tuple[str, ...]) -> str:
    """The value of the first of some options that a command has; a list may stand apart at its commas."""
    told = {word.casefold(): at for at, word in reversed(list(enumerate(words[:-1])))}
    at = next((told[name] for name in names if name in told), None)
    if at is None or words[at + 1][:1] == "-":
        return ""
    found, number = words[at + 1], at + 2
    while number < len(words) and (found.endswith(",") or words[number].startswith(",")):
        found, number = found + words[number], number + 1
    return found


_SWITCHES = frozenset(
    {"-force", "-recurse", "-passthru", "-whatif", "-confirm", "-append", "-nonewline", "-quiet", "-raw", "-verbose", "-allmatches", "-simplematch", "-file", "-directory", "-hidden", "-nowait", "-wait",
     "-dependentservices", "-requiredservices", "-usebasicparsing", "-asjob", "-debug", "-r", "-rf", "-f"}
)  # fmt: skip


def _operands(words: list[str]) -> list[str]:
    """The words that are neither options nor the values of some."""
    return [
        word
        for before, word in itertools.pairwise(words)
        if word[:1] != "-"
        and (before[:1] != "-" or ":" in before or before.casefold() in _SWITCHES or before is words[0])
    ]


def operand(words: list[str]) -> str:
    """The first word that is neither an option nor the value of one."""
    return next(iter(_operands(words)), "")
