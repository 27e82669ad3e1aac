"""What looks at a thing show after it was deleted or stopped: that it is there no more is good, that it still is is bad.

A look names the thing (``ls -d X``, ``kubectl get deployment/x``, ``id u``), or lists the place where it was
(``ls``, ``docker ps -a``, ``helm list``, ``psql -l``). What is on its way out (``Terminating``, ``deleting``) is
neither. What may have come back since, because something ran that makes things of its kind, is not held against the
deletion. The session is gone through once; what a list showed to be gone is asked of no other list.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from itertools import takewhile
from typing import Literal, NamedTuple

from msgspec.structs import replace

from sessionlens.cache import lazy
from sessionlens.shell.command import Command, Outcome, calls_off
from sessionlens.shell.outcome import Shown
from sessionlens.targets import Target, effective_host

State = Literal["good", "bad", "unclear"]
_Key = tuple[str, str | None, str]
_Place = tuple[object, ...]
"""What a list and a thing have in common: kind, family of programs, sort of thing, host, context, and the place."""

_FAMILIES = {
    program: programs[0]
    for programs in (
        ("docker", "podman", "nerdctl", "docker-compose"), ("kubectl", "oc", "k", "kubecolor"), ("psql", "pgcli", "dropdb", "dropuser", "createdb"),
        ("mysql", "mariadb", "mysqladmin", "mycli"), ("mongosh", "mongo"), ("aws",), ("gsutil",), ("gcloud",), ("az",), ("helm",), ("virsh", "virt-manager"),
        ("terraform", "tofu", "terragrunt"), ("rclone",), ("mc",), ("s3cmd",), ("doctl",), ("hcloud",), ("lxc", "incus"), ("multipass",), ("nomad",), ("systemctl",),
        ("zfs",), ("zpool",), ("lvremove", "lvs", "lvdisplay", "vgs", "vgremove"), ("qm", "pct"), ("redis-cli", "valkey-cli"), ("kafka-topics", "kafka-topics.sh"),
        ("rabbitmqctl", "rabbitmqadmin"), ("crontab",), ("ufw",), ("iptables",), ("ip",), ("nft",), ("git",), ("gh",), ("flyctl", "fly"), ("heroku",),
    )
    for program in programs
}  # fmt: skip
"""Programs that list what others of the same family delete."""
_FILES = frozenset(
    {"ls", "dir", "find", "fd", "tree", "eza", "exa", "Get-ChildItem", "gci", "lsd", "Get-Item"}
)
"""Programs that list what lies in a folder."""
_DEEP = frozenset({"find", "fd", "tree"})
_NOUNS = (
    ("image", lazy(r"images?|rmi", re.IGNORECASE)), ("volume", lazy(r"volumes?|vol-\w+|pool|pvc?", re.IGNORECASE)),
    ("network", lazy(r"networks?|net-\w+", re.IGNORECASE)), ("secret", lazy(r"secrets?", re.IGNORECASE)),
    ("snapshot", lazy(r"snapshots?", re.IGNORECASE)), ("stack", lazy(r"stacks?", re.IGNORECASE)), ("swarm", lazy(r"service", re.IGNORECASE)),
)  # fmt: skip
"""Sorts of things that one program keeps side by side."""
_CLOUDS = frozenset({"aws", "gcloud", "az", "doctl", "hcloud"})
_ACTIONS = lazy(
    r"(?:batch-)?(?:delete|remove|rm|rb|destroy|terminate|deregister|describe|list|ls|get|show|head|mb|cp|sync|purge|drop)(?:-.*)?"
)
"""Words of the clients of clouds that say what is done, not to what sort of thing."""
_RECREATED = frozenset({"pod", "replicaset", "endpoints", "endpointslice", "node", "lease", "event", "job"})
"""Things of a cluster that it makes anew under the same name."""
_PASSIVE = frozenset({"check", "read", "delete", "stop", "configure", "write_data", "scale"})
"""Effects after which a file that was deleted is not back."""
_QUIET = frozenset(
    {"echo", "printf", "cd", "sleep", "export", "set", "true", ":", "wait", "date", "unset", "clear", "sync"}
)
_MOST_TOKENS = 20_000
_MOST_LISTS = 100
"""Lists of a part that are kept, to be held against the same list later."""
_READ = 8_000
"""Characters of what a change printed that are looked through for what it made."""
_BRIEF = 600
"""A text of fewer characters may be a complaint and nothing else."""

_ABSENT = lazy(
    r"\bno such\b|(?<!command )\bnot found\b|\bcould(?:n't| not) be found\b|\bcannot find (?!command|module)|\bcan't find (?!command|module)"
    r"|\b\w{0,40}NotFound\w{0,40}|\bNoSuch\w{1,40}|\bdoes(?:n't| not) exist\b|\b(?:is|was) not installed\b|\bnot installed\b|\bno packages? (?:found|matching)\b"
    r"|\bdid not find any\b|\bno resources found\b|\bunknown (?:user|database|table|unit|id)\b|\bfailed to get domain\b|\bno (?:matching|results?)\b|\bdoes not have\b"
    r"|\b(?:404|410)\b|\b(?:gone|missing)\b|\bno (?:volumes?|datasets?|instances?|objects?|rows?|items?|entries|keys?) (?:found|available|exist|match)"
    r"|^\s*\(0 rows\)|^Empty set\b|\bnicht gefunden\b|\bintrouvable\b|\bno existe\b|\bnon esist\w+|\bnão (?:existe|encontrad\w)|\bnie (?:ma takiego|znaleziono)|не (?:найден|существует)"
    r"|Нет такого|没有那个|不存在|未找到|そのような|見つかりません|없습니다",
    re.IGNORECASE | re.MULTILINE,
)
"""How programs of all makes say that what they were asked for is not there."""
_OTHERWISE = lazy(
    r"command not found|no such (?:host|option|command|subcommand)|context .{0,80}does not exist|could not resolve|connection|unauthori[sz]ed|forbidden|denied|unable to connect|no route|timed out|cannot connect"
    r"|No module|not recognized|resource type",
    re.IGNORECASE,
)
"""What says that the look itself did not get to see anything."""


def is_going(text: str) -> bool:
    """Whether a row or a state shows a thing on its way out."""
    return _GOING.search(text) is not None


def says_absent(text: str) -> bool:
    """Whether a program says that what it was asked for is not there, and nothing else that kept it from it."""
    return _ABSENT.search(text[:_BRIEF]) is not None and _OTHERWISE.search(text[:_BRIEF]) is None


_GOING = lazy(
    r"\b(?:terminating|deleting|deletionTimestamp|stopping|shutting[-_ ]down|pending[-_ ]?delet\w*|removal in progress|removing|being (?:deleted|removed)|draining|destroying|decommission\w*|delete[-_ ]in[-_ ]progress|deprovisioning)\b",
    re.IGNORECASE,
)
_ENDED = lazy(
    r"\b(?:terminated|deleted|delete[-_ ]complete|destroyed|removed|uninstalled|not-found)\b", re.IGNORECASE
)
"""States under which a list still names what is there no more."""
_NOTHING = lazy(r"\s*(?:\[\s*\]|\{\s*\}|null|None|\(no output\)|total 0|0)\s*")
_CODE = lazy(r"(?<![\d.:/])(?:HTTP/[\d.]+ )?([1-5]\d\d)(?![\d.:])")
_DROPS = lazy(
    r"\bdrop\s+(?P<sort>table|(?:materialized\s+)?view|index|schema|database|user|role|sequence|function|type|collection|keyspace)\s+(?:concurrently\s+)?(?:if\s+exists\s+)?[`\"'\[\\]{0,2}(?P<name>[\w.$-]{2,120})"
    r"|\bdb\.(?P<collection>[\w-]{2,120})\.drop\(",
    re.IGNORECASE,
)
_HEAD = lazy(
    r"^\s*[-=+|][-=+|\s]*$|^(?:\s*[A-Z][A-Z0-9_()/%-]*){2,}\s*$|^\s*Id\s+Name\s+State\s*$|^\s*\(\d+ rows?\)\s*$"
)
"""Lines that stand around the rows of a list: heads in capital letters, rules, counts."""


_ASYNC = frozenset({"--wait=false", "--async", "--no-wait", "--detach"})


class Thing:
    """A thing that was deleted."""

    def __init__(
        self, target: Target, command: Command, leaf: str, *, within: bool = False, rows: bool = False
    ) -> None:
        """Keep what is asked for later.

        :param leaf: its name in a list, or the pattern of the shell that names it.
        :param within: it is a part of the target, such as a table of a database.
        :param rows: it is rows of a table, named by the statement that deleted them.
        """
        self.rows = rows
        self.stopped = command.effect == "stop"
        """It was only stopped: that it does not run is good, whether or not it is still known."""
        self.target, self.leaf, self.within = target, leaf, within
        self.places = () if rows else tuple(_above(target, command))
        self.pattern = _is_pattern(leaf)
        self.later = command.detached or bool(_ASYNC & set(command.words))
        """Whether it was only ordered, so that it may still stand for a while."""
        self.shown = 0
        """How many lists still showed it."""
        self.maybe_back = False
        """Something ran since that may have made it anew."""
        self.asked_for = rows and command.program in _KEYED
        """Whatever is asked for a page may make it anew: a key of a store that caches are kept in."""
        self.requests = 0
        """How many requests had been made when it was deleted."""
        self.host = effective_host(target)
        self.key = target.kind, self.host, (leaf if within else _plain(target)).casefold()


_MOST_SHOWN = 20
"""Lists that are told of as still showing one thing."""
_Verdict = tuple[State, str, bool]
"""State, the words that show it, and whether it is on its way out."""


class Told(NamedTuple):
    """What a look shows of a deleted thing."""

    target: Target
    """The thing."""
    outcome: Outcome
    """The outcome of the look as one of just this thing."""


class Gone:
    """What a session has deleted so far, and what its looks tell of that."""

    def __init__(self) -> None:
        """Nothing yet."""
        self._named: dict[_Key, Thing] = {}
        """By kind, host and name in lower case."""
        self._listed: dict[_Place, dict[str, dict[int, Thing]]] = {}
        """What no list has yet shown to be gone, by the places that hold it and its part of the way below them."""
        self._of_kind: dict[tuple[str, str | None], dict[int, Thing]] = {}
        """What may come back, by kind and host."""
        self._stopped: dict[str | None, dict[int, Thing]] = {}
        """What was only stopped, by host."""
        self._before: dict[tuple[_Place, str], set[str]] = {}
        """What lists of a part showed before, by their place and by what narrows them."""
        self._requests = 0
        """Requests to what answers at an address."""

    # -- what is deleted, and what may be back ------------------------------------------------------

    def learn(self, command: Command, outcome: Outcome, output: str) -> None:
        """Take in what a command did."""
        if command.dry_run or outcome.reached == "no":
            return
        if command.check_strength == "exercise" and command.target.kind == "url":
            self._requests += 1
        if (things := list(_deleted(command))) and not (outcome.failed or calls_off(command)):
            for thing in things:
                self._add(thing)
        elif self._of_kind and command.effect not in ("check", "read", "delete"):
            self._back(command, output)
        elif command.effect in ("check", "read") and (narrowing := _narrowing(command)):
            for place in _lists_of(command, effective_host(command.target)):
                if len(self._before) < _MOST_LISTS:
                    self._before.setdefault((place, "\n".join(narrowing)), _tokens(output[:_READ]))

    def _add(self, thing: Thing) -> None:
        if (old := self._named.get(thing.key)) is not None:
            self._forget(old)
        thing.requests = self._requests
        self._named[thing.key] = thing
        for place, part in _parts(thing):
            self._listed.setdefault(place, {}).setdefault(part, {})[id(thing)] = thing
        self._of_kind.setdefault((thing.target.kind, thing.host), {})[id(thing)] = thing
        if thing.stopped:
            self._stopped.setdefault(thing.host, {})[id(thing)] = thing

    def _forget(self, thing: Thing) -> None:
        """It is no deleted thing any more."""
        self._settle(thing)
        self._of_kind.get((thing.target.kind, thing.host), {}).pop(id(thing), None)
        if self._named.get(thing.key) is thing:
            del self._named[thing.key]

    def _settle(self, thing: Thing) -> None:
        """A list has told of it."""
        for place, part in _parts(thing):
            parts = self._listed.get(place)
            if parts is not None and part in parts:
                parts[part].pop(id(thing), None)
                if not parts[part]:
                    del parts[part]

    def _back(self, command: Command, output: str) -> None:
        """Forget what a command made anew, and remember of the rest of its kind that it may have."""
        target, effect = command.target, command.effect
        host = effective_host(target)
        if effect in _PASSIVE or (effect == "none" and command.program in _QUIET):
            return
        for key in _keys_above(target, host):
            if key in self._named:
                self._forget(self._named[key])
        if effect == "edit":
            return
        for thing in self._stopped.pop(host, {}).values():
            # Whatever runs may start what was stopped.
            thing.maybe_back = True
        kinds = {target.kind, "file"}
        if target.kind in ("compose", "file", "unknown"):
            kinds |= {"container", "k8s", "cloud", "service", "network"}
        words: set[str] | None = None
        for kind in sorted(kinds):
            for thing in self._of_kind.pop((kind, host), {}).values():
                if words is None:
                    made = "\n".join(
                        (*command.words[:200], target.name, command.writes or "", output[:_READ])
                    )
                    words = _tokens(made)
                if thing.leaf in words:
                    self._forget(thing)
                else:
                    thing.maybe_back = True

    # -- what looks tell ----------------------------------------------------------------------------

    def asks(self, command: Command) -> bool:
        """Whether a command may be a look at something that was deleted: the cheap question."""
        if not self._named or command.quiet or command.effect not in ("check", "read", "none"):
            return False
        host = effective_host(command.target)
        if any(key in self._named for key in _look_keys(command, host)):
            return True
        return any(self._listed.get(place) for place in _lists_of(command, host))

    def of_itself(self, command: Command, outcome: Outcome, shown: Shown) -> Told | None:
        """What a look that names a deleted thing shows of it."""
        for key in _look_keys(command, effective_host(command.target)):
            thing = self._named.get(key)
            if thing is None or thing.within != thing.rows or not _same_place(thing.target, command.target):
                continue
            look = _left(command, outcome, shown) if thing.rows else _verdict(command, outcome, shown, thing)
            back = thing.maybe_back or (thing.asked_for and self._requests > thing.requests)
            verdict = None if look is not None and look[0] == "bad" and back else look
            if verdict is not None:
                if verdict[0] == "good":
                    self._settle(thing)
                return Told(thing.target, _outcome(outcome, verdict, later=thing.later))
        return None

    def of_list(self, command: Command, outcome: Outcome, shown: Shown) -> Iterator[Told]:
        """What a list shows of the things that were deleted where it lists, each until it is shown to be gone."""
        if not shown.over or outcome.reached == "no" or shown.sought == "":
            return
        short = len(shown.text) < _BRIEF
        if short and _OTHERWISE.search(shown.text) is not None:
            return
        words: set[str] = set()
        for place in _lists_of(command, effective_host(command.target)):
            parts = self._listed.get(place)
            if not parts:
                continue
            words = words or _tokens(shown.text)
            before = (
                self._before.get((place, "\n".join(_narrowing(command))), set()) if shown.whole else set()
            )
            for part, things in self._asked(command, shown, place, parts, words | before):
                hit = part in words or (_is_pattern(part) and _matching(part, shown.text) is not None)
                for thing in things:
                    if not _same_place(thing.target, command.target):
                        continue
                    if not _same_database(thing, command):
                        continue
                    told = _listed_as(command, shown, thing, str(place[-1]), hit=hit)
                    if told is None and not hit and thing.leaf in before:
                        # The same list of a part showed it before.
                        told = ("good", "", False)
                    if told is None or (told[0] == "bad" and thing.maybe_back):
                        continue
                    if told[0] == "good":
                        self._settle(thing)
                    else:
                        thing.shown += 1
                        if thing.shown >= _MOST_SHOWN:
                            self._settle(thing)
                    yield Told(thing.target, _outcome(outcome, told, later=thing.later))

    def _asked(
        self,
        command: Command,
        shown: Shown,
        place: _Place,
        parts: dict[str, dict[int, Thing]],
        words: set[str],
    ) -> Iterator[tuple[str, list[Thing]]]:
        """What a list may tell of, by the parts that stand for it at the place. Of a list of all that is everything, which
        is asked for once, since what is not shown is settled then; of others, what they show or look for.
        """
        deep = _is_deep(command)
        whole = shown.sought is None and _lists_all(command, shown)
        if deep and not whole and not shown.sought and not _narrowing(command):
            return
        if whole:
            chosen = list(parts)
        else:
            sought = _tokens(" ".join((shown.sought or "", *command.words[1:40])))
            sought |= {word.strip("^$*\\") for word in sought}
            chosen = sorted((words | sought) & parts.keys())
        for part in chosen:
            if place[0] == "file" and part in words and not deep:
                # Of what lies further down a list of this folder tells nothing.
                path = f"{str(place[-1]).rstrip('/')}/{part}"
                direct = self._named.get(
                    ("file", place[3] if isinstance(place[3], str) else None, path.casefold())
                )
                held = parts.get(part, {})
                yield part, [direct] if direct is not None and id(direct) in held else []
            else:
                yield part, list(parts.get(part, {}).values())


def _outcome(outcome: Outcome, verdict: _Verdict, *, later: bool) -> Outcome:
    """The outcome of a look as one of a deleted thing. What was only ordered to go may still stand."""
    state, quote, going = verdict
    if state == "bad" and later:
        state, going = "unclear", True
    return replace(
        outcome,
        state=state,
        failed=False,
        in_progress=going,
        quote=(quote or (outcome.quote if state != "good" else ""))[:200],
        rows=(),
        also=(),
    )


# -- what was deleted ---------------------------------------------------------------------------------


def _plain(target: Target) -> str:
    """The name of a target without quotes and a last slash, of Windows with the slashes of other systems."""
    name = target.name.strip("\"'")
    if "\\" in name and target.kind == "file":
        name = name.replace("\\", "/")
    return name.rstrip("/")


def _deleted(command: Command) -> Iterator[Thing]:
    """The things that a command deletes, each under the names that looks have for it."""
    target, program = command.target, command.program
    if target.kind == "database" or program in ("psql", "mysql", "mariadb"):
        if command.effect in ("delete", "migrate", "write_data"):
            yield from _dropped(command)
        return
    if program in ("terraform", "tofu", "terragrunt"):
        names = [word.partition("=")[2] for word in command.words if word.startswith("-target=")]
        if command.words[1:3] == ("state", "rm") or command.words[2:4] == ("state", "rm"):
            names = [word for word in command.words[3:] if not word.startswith("-") and "." in word]
        if command.effect == "delete" or "rm" in command.words[:4]:
            for name in names[:50]:
                yield Thing(replace(target, name=name), command, name)
        return
    stops = command.effect == "stop" and target.kind in ("service", "container")
    if (
        (command.effect != "delete" and not stops)
        or not target.name
        or any(mark in target.name for mark in "$`{")
    ):
        return
    name = _plain(target) or target.name
    leaf = name.rsplit("/", 1)[-1]
    if target.kind == "repository" or not any(leaf in word for word in command.words[1:]):
        # A branch or a file of a version is looked at in ways of its own; what is not named is all that is unused.
        return
    if len(leaf) < 2 and leaf != "*" and target.kind != "url":
        return
    yield Thing(target, command, leaf)
    if target.kind == "file" and re.search(r"\.(?:service|timer|socket)$", leaf):
        unit = leaf.removesuffix(".service")
        yield Thing(Target(kind="service", name=unit, host=target.host), command, leaf)


def _dropped(command: Command) -> Iterator[Thing]:
    """What statements drop from a database, and the rows that they delete from a table."""
    target, words = command.target, " ".join(command.words)[:4000]
    for found in list(_DROPS.finditer(words))[:50]:
        name = (found["name"] or found["collection"]).rsplit(".", 1)[-1].strip('`"]')
        yield Thing(target, command, name, within=True)
    if command.program in ("dropdb", "dropuser") and target.name:
        yield Thing(target, command, target.name, within=True)
    if command.program in _KEYED:
        at = next((n for n, word in enumerate(command.words) if word.casefold() in ("del", "unlink")), 0)
        for key in command.words[at + 1 : at + 51] if at else ():
            yield Thing(target, command, key, within=True, rows=True)
    for found in list(_DELETES.finditer(words))[:20]:
        yield Thing(target, command, _clause(found["rows"]), within=True, rows=True)


_CLAUSE = r"from\s+(?P<rows>[\w.`\"\[\]]{1,120}(?:\s+where\s+[^;]{1,400})?)\s*(?:;|['\"]?\s*$|['\"]\s+-)"
_DELETES = lazy(rf"\bdelete\s+{_CLAUSE}", re.IGNORECASE)
_COUNTS = lazy(rf"\bselect\s+(?P<count>count\s*\()?[^;]{{0,200}}?\b{_CLAUSE}", re.IGNORECASE)


_KEYED = frozenset({"redis-cli", "valkey-cli", "keydb-cli"})
_ASKS_KEY = frozenset({"exists", "get", "ttl", "type", "hgetall", "strlen", "object", "llen", "scard"})
_NO_KEY = lazy(r"\s*(?:\(integer\) (?:0|-2)|\(nil\)|0|-2|none|\(empty (?:array|list or set)\))\s*")


def _clause(rows: str) -> str:
    """Which rows of which table a statement is about, in comparable form."""
    return re.sub(r"[\s`\"']+", " ", rows).strip().casefold()


def _left(command: Command, outcome: Outcome, shown: Shown) -> _Verdict | None:
    """How many of the rows that were deleted a query still finds."""
    if command.program in _KEYED:
        if not shown.over or outcome.failed:
            return None
        text = shown.text.strip()
        return (
            ("good", text, False) if not text or _NO_KEY.fullmatch(text) is not None else ("bad", text, False)
        )
    asked = _COUNTS.search(" ".join(command.words)[:4000])
    if asked is None or outcome.state != "good":
        return None
    if asked["count"]:
        counts = [line.strip(" |") for line in shown.text.split("\n") if line.strip(" |").isdecimal()]
        if len(counts) != 1:
            return None
        return ("good" if int(counts[0]) == 0 else "bad"), counts[0], False
    found = _ROWS.search(shown.text)
    if found is None:
        return None
    return ("good" if (found[1] or "0") == "0" else "bad"), found.group(), False


_ROWS = lazy(r"\((\d+) rows?\)|^(\d+) rows? in set|^Empty set", re.IGNORECASE | re.MULTILINE)


def _noun(command: Command) -> str:
    """The sort of thing that a command of a client of many sorts is about."""
    program = _FAMILIES.get(command.program, command.program)
    words = [word for word in command.words[1:6] if not word.startswith("-")]
    if program in _CLOUDS:
        if program == "aws":
            sorts = words[:1]
            sorts += [
                re.sub(r"^(?:batch-)?[a-z]+-", "", word).rstrip("s") for word in words[1:2] if "-" in word
            ]
        else:
            sorts = list(takewhile(lambda word: _ACTIONS.fullmatch(word) is None, words[:4]))
        return " ".join(sorts)
    if program in ("docker", "virsh", "nomad", "zfs"):
        return next((noun for noun, like in _NOUNS if any(like.fullmatch(word) for word in words[:2])), "")
    return ""


def _sort(command: Command, target: Target) -> _Place:
    """What a list must have in common with a deletion besides the place."""
    host = effective_host(target)
    if target.kind == "file":
        return ("file", "", "", host, None)
    program = _FAMILIES.get(command.program, command.program)
    if target.kind == "k8s" and program == "kubectl":
        return ("k8s", program, target.name.partition("/")[0].casefold(), host, target.context)
    return (target.kind, program, _noun(command), host, target.context)


def _above(target: Target, command: Command) -> Iterator[_Place]:
    """The places that hold a thing."""
    sort = _sort(command, target)
    name = _plain(target)
    if target.kind == "file" or "://" in name:
        at = name.find("/", name.find("://") + 3 if "://" in name else 1)
        if "://" in name:
            yield (*sort, "")
        elif name.startswith("/") and "/" not in name[1:]:
            yield (*sort, "/")
        while at > 0:
            yield (*sort, name[:at].rstrip("/"))
            at = name.find("/", at + 1)
        return
    yield (*sort, "")


def _parts(thing: Thing) -> Iterator[tuple[_Place, str]]:
    """The places that hold a thing, each with what stands for it there: the first part of the way below."""
    name = _plain(thing.target)
    for place in thing.places:
        above = str(place[-1])
        if thing.target.kind != "file" and "://" not in name:
            yield place, thing.leaf
        elif above in ("", "/"):
            rest = name.partition("://")[2] if "://" in name else name.lstrip("/")
            yield place, rest.split("/", 1)[0]
        else:
            yield place, name[len(above) + 1 :].split("/", 1)[0]


def _key(target: Target, host: str | None) -> _Key:
    return target.kind, host, _plain(target).casefold()


def _keys_above(target: Target, host: str | None) -> Iterator[_Key]:
    """The keys of a thing and of the folders that it lies in."""
    yield _key(target, host)
    name = _plain(target).casefold()
    at = name.rfind("/")
    while target.kind == "file" and at > 0:
        yield "file", host, name[:at]
        at = name.rfind("/", 0, at)


def _look_keys(command: Command, host: str | None) -> list[_Key]:
    """Under which keys things lie that a look names: what it acts on, and other names of that."""
    named = [command.target, *command.also]
    keys = [_key(one, effective_host(one)) for one in named if one.name]
    if command.program in _KEYED:
        at = next((n for n, word in enumerate(command.words) if word.casefold() in _ASKS_KEY), 0)
        keys += [("database", host, key.casefold()) for key in command.words[at + 1 : at + 2] if at]
    elif command.target.kind == "database" and (asked := _COUNTS.search(" ".join(command.words)[:4000])):
        keys.append(("database", host, _clause(asked["rows"])))
    if "state" in command.words[1:3]:
        keys += [("cloud", host, word.casefold()) for word in command.words[3:6]]
    return keys


def _lists_of(command: Command, host: str | None) -> list[_Place]:
    """The places that a command lists; empty where it is no list."""
    target, program = command.target, command.program
    if target.kind == "file" or program in _FILES:
        if program not in _FILES or (
            program == "ls" and any(re.fullmatch(r"-\w*d\w*", w) for w in command.words)
        ):
            return []
        name = (_plain(target) or "/") if target.name else ""
        return [("file", "", "", host, None, name)] if name else []
    words = set(command.words[1:6])
    family = _FAMILIES.get(program, program)
    if target.kind == "database":
        return [(*_sort(command, target), "")]
    if "://" in target.name:
        return [(*_sort(command, target), _plain(target))]
    if program in ("terraform", "tofu", "terragrunt"):
        return (
            [(*_sort(command, target), "")]
            if command.words[-2:] == ("state", "list") or "list" in words
            else []
        )
    if family == "systemctl":
        listing = any(word.startswith("list-") for word in words)
        return (
            [("service", "systemctl", "", host, None, ""), ("service", "rm", "", host, None, "")]
            if listing
            else []
        )
    if target.kind == "k8s" and family == "kubectl":
        # What a label selects is called by its value, and names nothing.
        leaf = target.name.partition("/")[2].casefold()
        named = bool(leaf) and any(word.rsplit("/", 1)[-1].casefold() == leaf for word in command.words[2:])
        named = named or "get" not in words
        return [] if named else [(*_sort(command, target), "")]
    at = next(
        (
            number
            for number, word in enumerate(command.words[1:6], 1)
            if word in ("ls", "list", "ps", "images", "--list")
            or word.startswith(("list-", "list_", "describe-"))
        ),
        0,
    )
    if program in ("lvs", "vgs"):
        return [(*_sort(command, target), "")]
    # What stands behind the word names one thing; what an option names is where it lists.
    alone = not any(word[:1] != "-" for word in command.words[at + 1 : at + 2])
    whole = not target.name or target.name == target.host or target.kind in ("cloud", "queue")
    return [(*_sort(command, target), "")] if at and alone and whole else []


def _same_place(thing: Target, look: Target) -> bool:
    """Whether a namespace and a context that both name are the same."""
    if thing.namespace and look.namespace and thing.namespace != look.namespace:
        return False
    return not (thing.context and look.context and thing.context != look.context)


def _same_database(thing: Thing, look: Command) -> bool:
    """Whether a look at a database is not one at another database than that of a table that was dropped."""
    ours, theirs = thing.target, look.target
    servers = (ours.host, theirs.host, "", "mysql", "postgres")
    return not thing.within or ours.name == theirs.name or ours.name in servers or theirs.name in servers


# -- what is shown ------------------------------------------------------------------------------------


def _tokens(text: str) -> set[str]:
    """The words of a text as names: whole, and in their parts below and beside slashes, without endings of units."""
    found: set[str] = set()
    for word in _WORD.findall(text)[:_MOST_TOKENS]:
        bare = word.strip(".,;")
        found.add(bare)
        if "/" in bare:
            found.update(bare.split("/"))
        if ":" in bare:
            found.update(bare.split(":"))
        if bare.startswith("-") and "=" in bare:
            found.add(bare.partition("=")[2])
    return found


_WORD = lazy(r"[^\s\"'`,;|()\[\]{}<>●*]{1,300}")


def _entry(text: str, name: str) -> str | None:
    """The line of a text in which a name stands as a word of its own."""
    at = text.find(name) if name else -1
    while at >= 0:
        end = at + len(name)
        before, after, next_ = text[at - 1 : at], text[end : end + 1], text[end + 1 : end + 2]
        joined = before.isalnum() or before in ("_", ".", "-") or after.isalnum() or after in ("_", "-")
        if not (joined or (after == "." and (next_.isalnum() or next_ == "_"))):
            start, stop = text.rfind("\n", 0, at) + 1, text.find("\n", end)
            line = text[max(start, at - 200) : min(stop if stop >= 0 else len(text), end + 200)]
            return line.strip()
        at = text.find(name, at + 1)
    return None


def _matching(pattern: str, text: str) -> str | None:
    """The first entry of a list of files that a pattern of the shell fits."""
    for line in text.split("\n")[:2000]:
        entry = line.strip().rsplit(None, 1)[-1] if line.strip() else ""
        if (
            not entry
            or (line.startswith("total ") and entry.isdecimal())
            or (entry.startswith(".") and not pattern.startswith("."))
        ):
            continue
        if fnmatchcase(entry.rstrip("/").rsplit("/", 1)[-1], pattern):
            return line.strip()
    return None


def _is_pattern(part: str) -> bool:
    return "*" in part or "?" in part


def _is_deep(command: Command) -> bool:
    """Whether a list goes into the folders below too."""
    return command.program in _DEEP or bool({"-R", "--recursive", "-r", "-lR", "-laR"} & set(command.words))


_NARROWS = ("--filter", "--query", "--selector", "--field-selector", "--prefix", "--tag", "-mtime", "-mmin", "-size", "-newer", "-user", "-path", "-regex", "-iname", "-name")  # fmt: skip
"""Options by which a list shows only a part."""


def _narrowing(command: Command) -> list[str]:
    """The values of options by which a list shows only a part."""
    words = command.words
    short = ("-l",) if _FAMILIES.get(command.program) == "kubectl" else ()
    at = [n for n, word in enumerate(words) if word in short or word.startswith(_NARROWS)]
    values = [(words[n], words[n].partition("=")[2] or "".join(words[n + 1 : n + 2])) for n in at]
    # A query without a condition chooses what is told of each, and leaves none out.
    return [value for word, value in values if not word.startswith("--query") or "?" in value]


def _lists_all(command: Command, shown: Shown) -> bool:
    """Whether a list shows all that there is in its place."""
    if not shown.whole or _narrowing(command):
        return False
    if command.target.kind == "database":
        return _SCHEMA.search(" ".join(command.words)[:2000]) is not None
    return True


def _shows_all(command: Command, shown: Shown, thing: Thing) -> bool:
    """Whether a list would show a thing that is there."""
    if not shown.whole:
        return False
    words = command.words
    if thing.target.kind == "database":
        return _SCHEMA.search(" ".join(words)[:2000]) is not None
    hidden = command.program == "ls" and thing.leaf.startswith(".")
    if hidden and not any(re.match(r"-\w*[aA]|--al", word) for word in words):
        return False
    return all(
        thing.leaf in value or ("*" in value and fnmatchcase(thing.leaf, value))
        for value in _narrowing(command)
    )


_SCHEMA = lazy(
    r"(?:^|\s)-l(?:\s|$)|--list\b|\\(?:l|d[a-zA-Z+]{0,4})\b|\bshow\s+(?:full\s+)?(?:tables|databases|schemas|collections|dbs|index\w*|users|roles)\b|\binformation_schema\b"
    r"|\bpg_(?:tables|class|indexes|database|roles|user|stat_user_tables)\b|\bsqlite_master\b|(?<!\w)\.(?:schema|tables|databases)\b|\bgetCollectionNames\b|\bsystem\.(?:tables|databases)\b|\bmysql\.user\b",
    re.IGNORECASE,
)
"""How a client of a database is asked for what there is."""


def _listed_as(command: Command, shown: Shown, thing: Thing, place: str, *, hit: bool) -> _Verdict | None:
    """What a list of a place above a thing says of it."""
    name = _plain(thing.target)
    paths = thing.target.kind == "file" or "://" in name
    if not hit:
        return ("good", "", False) if _shows_all(command, shown, thing) else None
    direct = (
        not paths
        or name in (f"{place.rstrip('/')}/{thing.leaf}", thing.leaf)
        or (not place and name.endswith(f"://{thing.leaf}"))
    )
    if thing.pattern:
        line = _matching(thing.leaf, shown.text) if direct else None
        return ("bad", line, False) if line else None
    if direct:
        line = _entry(shown.text, thing.leaf) or _entry(shown.text, f"{thing.leaf}.service")
    else:
        # Of a place further up, the way there is still left; what lies deeper only a list of all shows.
        if not _is_deep(command):
            return None
        line = _entry(shown.text, name) or _entry(shown.text, name[len(place) + 1 :])
        if line is None:
            return ("good", "", False) if _shows_all(command, shown, thing) else None
    if line is None:
        return None
    if thing.stopped:
        return ("good" if _NOT_RUNNING.search(line) is not None else "bad"), line, False
    if _ABSENT.search(line) is not None:
        return "good", line, False
    if thing.target.kind == "database" and not _shows_all(command, shown, thing):
        return None
    if _recreated(thing) and _OLD.search(line) is None:
        return ("unclear", line, True) if _GOING.search(line) is not None else None
    return _state_of(line)


_OLD = lazy(r"\s\d{1,5}[dy](?:\d{1,4}[dhm])?\s*$")
"""The age at the end of a row, of a thing that was there a day ago or longer, so that nothing made it anew."""


def _recreated(thing: Thing) -> bool:
    return thing.target.kind == "k8s" and thing.target.name.partition("/")[0] in _RECREATED


def _state_of(line: str) -> _Verdict:
    """What the row of a deleted thing shows."""
    if _GOING.search(line) is not None:
        return "unclear", line, True
    if _ENDED.search(line) is not None:
        return "good", line, False
    return "bad", line, False


def empties(told: Iterable[Told], outcome: Outcome, shown: Shown) -> bool:
    """Whether a look is bad only because the very things are not there that were deleted."""
    verdicts = list(told)
    if outcome.state != "bad" or not verdicts or any(one.outcome.state != "good" for one in verdicts):
        return False
    quotes = {one.outcome.quote for one in verdicts}
    return not _rows(shown.text) or outcome.quote in quotes or _NONE_LEFT.search(outcome.quote) is not None


_NONE_LEFT = lazy(r"\bno (?:resources|matching \w+|\w+) found\b", re.IGNORECASE)


def _rows(text: str) -> list[str]:
    """The lines of a text that are no head, rule or count."""
    return [line for line in text.split("\n")[:2000] if line.strip() and _HEAD.match(line) is None]


def _verdict(command: Command, outcome: Outcome, shown: Shown, thing: Thing) -> _Verdict | None:
    """What a look that names a thing says of it; ``None`` where it does not tell."""
    if not shown.over or outcome.reached == "no":
        return None
    if (counted := _COUNTED.search(shown.text)) is not None and "--recursive" in command.words:
        return ("good" if counted[1] == "0" else "bad"), counted.group().strip(), False
    if shown.sought == "":
        return None
    program, text = command.program, shown.text
    if thing.stopped:
        ids = program in ("docker", "podman", "nerdctl") and any(
            _ONLY_IDS.fullmatch(w) for w in command.words[1:]
        )
        if ids and shown.whole and not any(_ID.fullmatch(row.strip()) for row in _rows(text)):
            # A name in a list of ids is what the command before printed that stopped it.
            return "good", "", False
        return _halted(outcome)
    if program in ("test", "[", "[["):
        if shown.success is None:
            return None
        there = shown.success != ("!" in command.words)
        return _there(thing, "") if there else ("good", "", False)
    if program == "Test-Path":
        told = text.strip().casefold()
        return ("good", told, False) if told == "false" else _there(thing, told) if told == "true" else None
    if thing.target.kind == "url":
        return _answered(outcome, text, thing)
    rows = _rows(text)
    if not rows or _NOTHING.fullmatch(text) is not None:
        return _silent(command, outcome, shown, program)
    absent = _ABSENT.search(text[:2000]) if len(rows) <= 8 else None
    if absent is not None and _OTHERWISE.search(text[:2000]) is None:
        start, stop = text.rfind("\n", 0, absent.start()) + 1, text.find("\n", absent.end())
        return "good", text[start : stop if stop >= 0 else len(text)].strip(), False
    if shown.success is False or outcome.failed:
        return None
    named = _entry(text, thing.leaf)
    filtered = any("name=" in word or word.startswith(("--filter", "-f=")) for word in command.words[1:])
    if named is None and filtered:
        return "good", "", False
    line = named or rows[0].strip()
    if _recreated(thing) and (named is None or _OLD.search(named) is None):
        return ("unclear", line, True) if _GOING.search(text[:4000]) is not None else None
    if thing.pattern and program in _FILES:
        fitting = _matching(thing.leaf, text)
        return ("bad", fitting, False) if fitting else ("good", "", False)
    state = _state_of(line)
    if state[0] == "bad" and _GOING.search(text[:4000]) is not None:
        return "unclear", _going_line(text), True
    return None if state[0] == "bad" and thing.maybe_back else state


_COUNTED = lazy(r"^\s{0,9}Total Objects:\s{1,9}(\d{1,15})$", re.MULTILINE)
"""How many objects of a store are left, as its client counts them."""
_ONLY_IDS = lazy(r"-[a-z]*q[a-z]*|--quiet")
_ID = lazy(r"[0-9a-f]{12,64}")


def _halted(outcome: Outcome) -> _Verdict | None:
    """What a look at a stopped service or container says: that it does not run is what was wanted."""
    if outcome.state is None or outcome.state == "unclear":
        return None
    if outcome.state == "good":
        return "bad", outcome.quote, False
    if outcome.quote and _NOT_RUNNING.search(outcome.quote) is None:
        return None
    return "good", outcome.quote, False


_NOT_RUNNING = lazy(
    r"\b(?:inactive|dead|stopped|exited|not running|stop/waiting|shut off|down|unknown|false)\b",
    re.IGNORECASE,
)


def _going_line(text: str) -> str:
    """The line of a text that says that something is on its way out."""
    found = _GOING.search(text[:4000])
    return next((line.strip() for line in text.split("\n") if found and found.group() in line), "")


def _there(thing: Thing, quote: str) -> _Verdict | None:
    return None if thing.maybe_back or _recreated(thing) else ("bad", quote, False)


def _silent(command: Command, outcome: Outcome, shown: Shown, program: str) -> _Verdict | None:
    """What it says that a look at a deleted thing shows nothing."""
    if outcome.expired or outcome.unanswered:
        return None
    if program in ("ls", "dir") and "*" not in command.target.name and shown.success is not False:
        # An empty folder is still a folder; of a prefix or a pattern nothing is left.
        return None
    if command.verdict_by_exit or program in ("getent", "pgrep", "pidof", "id", "which", "type"):
        return ("good", "", False) if shown.success is False else None
    listing = (
        program in _FILES
        or program in ("aws", "gsutil", "mc", "s3cmd")
        or bool({"ls", "list", "ps", "images", "get"} & set(command.words[1:5]))
    )
    return ("good", "", False) if listing and shown.whole else None


def _answered(outcome: Outcome, text: str, thing: Thing) -> _Verdict | None:
    """What a request for a deleted thing was answered with."""
    code = _CODE.search(outcome.quote) or _CODE.search(text[:200])
    if code is not None:
        if code[1] in ("404", "410"):
            return "good", outcome.quote or code.group(), False
        if code[1][0] != "2":
            return None
    if not text.strip() or _NOTHING.fullmatch(text) is not None:
        return None
    if outcome.state == "bad":
        found = _ABSENT.search(text[:2000])
        return ("good", outcome.quote, False) if found is not None and code is None else None
    if outcome.state != "good" or _ENDED.search(text[:4000]) is not None:
        return None
    if _GOING.search(text[:4000]) is not None:
        return "unclear", _going_line(text), True
    return _there(thing, outcome.quote)
