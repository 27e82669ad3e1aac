"""Whether a change of a target that matters was checked, how, and when (CONTRACT §5)."""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import msgspec

from sessionlens.cache import lazy
from sessionlens.environments import scratch
from sessionlens.graph.events import Event, Ran, Said
from sessionlens.graph.losses import given_in, only_shows
from sessionlens.graph.queries import (
    Predicate,
    Window,
    any_command,
    assistant,
    assistant_prose,
    changes,
    check,
    checks,
    human,
    told_state,
)
from sessionlens.shell.command import calls_off
from sessionlens.targets import Target, effective_host, names_of, same_host

if TYPE_CHECKING:
    from sessionlens.graph.session_graph import SessionGraph

_EDITS = frozenset(
    {
        "edit",
        "configure",
        "write_data",
        "migrate",
        "deploy",
        "scale",
        "delete",
        "install",
        "transfer",
        "create",
    }
)
"""Effects that change configuration, data or the deployed version."""

_OUTPUT = lazy(
    r"^/var/(?:log|cache)/|\.(?:log|out|err|pid|lock)(?:\.\d+)?$|(?:^|/)nohup\.out$", re.IGNORECASE
)
"""Paths that programs write while they run: no configuration."""

_COPIES = frozenset(
    {
        "cp",
        "rsync",
        "scp",
        "tar",
        "mv",
        "install",
        "pg_dump",
        "pg_dumpall",
        "mysqldump",
        "mongodump",
        "etckeeper",
    }
)


class Verification(msgspec.Struct, frozen=True, kw_only=True):
    """What followed a change of a target that matters, when no check came in time."""

    change: Ran
    """The change."""
    read_back: Ran | None
    """The first reading back in time."""
    tried: Ran | None
    """The first check in time that got no answer: a limit or a lost connection ended it."""
    member: Ran | None
    """Of several hosts that no line names, the look in time at the only one that was seen."""
    later: Ran | None
    """The first check that came only after the time was over."""
    last: Event
    """The last place where a check could still have come: the last assistant message in time, or the change."""
    human: Said | None
    """The human message that ended the time."""
    exposed_messages: int
    """Messages strictly between the change and its first check, or after the change when none came."""
    exposed_ms: int | None
    """From the change to its first check, or to the end of the session."""
    copied: Ran | None
    """A copy of the target made before the change."""
    staged: Ran | None
    """The same change tried on a staging or development target before."""


def unchecked_edits(graph: SessionGraph) -> Iterator[Verification]:
    """Every change to the configuration, data or version of a production or shared unknown target that nothing
    but reading it back looked at before the person wrote again.
    """
    for ran, window, look in _edits(graph):
        if look is None and not _reads_itself(graph, ran) and not _left(graph, ran, window):
            yield _verification(graph, ran, window)


def checked_edits(graph: SessionGraph) -> Iterator[tuple[Ran, Ran]]:
    """Every such change that was checked before the person wrote again, with the first check that told its state."""
    for ran, _, look in _edits(graph):
        if isinstance(look, Ran):
            yield ran, look


def _edits(graph: SessionGraph) -> Iterator[tuple[Ran, Window, Event | None]]:
    """Every such change with the time up to the person's next words, and the check in it that tells the state."""
    room, passing = _Room(graph), graph.passing
    trials: set[Target] = set()
    for seq in graph.index("change"):
        ran = graph.events[seq]
        if not isinstance(ran, Ran):
            continue
        if _on_trial(ran):
            trials.add(ran.command.target)
        elif ran.command.target in trials and _only_commits(ran):
            # What is kept for good was changed, and could be looked at, when it was put in on trial.
            trials.discard(ran.command.target)
            continue
        if not passing.covers(ran) and _matters(graph, ran):
            window = graph.after(ran).until(human)
            yield (
                ran,
                window,
                _seen(graph, ran, window)
                or room.after(ran, window)
                or _each_member(graph, ran, window)
                or _otherwise(graph, ran, window),
            )


_TRIAL = lazy(r"(?:^|[\n;'\"])\s*commit[ -]confirm(?:ed)?\b")
_COMMITS = lazy(r"(?:^|[\n;'\"])\s*commit\b(?![ -](?:confirm|check))")
_MAKES_CANDIDATE = lazy(
    r"(?:^|[\n;'\"])\s*(?:set|delete|deactivate|activate|rename|insert|annotate|load|copy|comment|replace|rollback)\b"
)


def _on_trial(ran: Ran) -> bool:
    """Whether a change of an appliance is taken back by itself unless it is confirmed (Junos, VyOS)."""
    return ran.command.target.kind == "host" and _TRIAL.search(_line(ran)) is not None


def _only_commits(ran: Ran) -> bool:
    """Whether a line puts nothing new into the configuration of an appliance, and keeps what is there."""
    line = _line(ran)
    return _COMMITS.search(line) is not None and _MAKES_CANDIDATE.search(line) is None


def _line(ran: Ran) -> str:
    return (ran.call.line or "")[:4_000] if "commit" in (ran.call.line or "")[:4_000] else ""


def _seen(graph: SessionGraph, ran: Ran, window: Window) -> Event | None:
    """The check that tells the state after a change; of hosts that no line names, the one by which enough of them are seen."""
    told = _told_state(ran)
    if not ran.command.each:
        return window.first(told)
    hosts: set[str | None] = set()
    for look in window.all(told):
        host = effective_host(look.command.target) if isinstance(look, Ran) else None
        if host is None or not isinstance(look, Ran) or look.command.each:
            return look
        hosts.add(host)
        if len(hosts) >= _ENOUGH:
            return look
    return None


_WORDS = 60
"""Words of a command around another one that are looked at."""


class Passing:
    """What a session made and took away again before the person wrote: its changes are nobody's any more, and that it
    went is told by whoever took it away.
    """

    def __init__(self, graph: SessionGraph) -> None:
        """Go through the changes once."""
        self._spans: dict[tuple[int, str], list[tuple[int, int]]] = {}
        made: dict[tuple[int, str, str, str], int] = {}
        for seq in graph.index("change"):
            ran = graph.events[seq]
            if not isinstance(ran, Ran) or ran.outcome.failed or ran.command.target.kind == "file":
                continue
            target = ran.command.target
            name = target.name.rstrip("/").casefold()
            key = ran.turn, target.kind, name, target.context or ""
            if not name:
                continue
            if ran.command.effect in ("create", "start"):
                made.setdefault(key, seq)
            elif ran.command.effect == "delete" and (begun := made.pop(key, None)) is not None:
                self._spans.setdefault((ran.turn, name), []).append((begun, seq))

    def covers(self, ran: Ran) -> bool:
        """Whether a change made such a thing, was made to it, on it or in it while it was there, or took it away."""
        if not self._spans:
            return False
        target = ran.command.target
        inside = (
            word.casefold() for via in ran.command.via if " exec " in via for word in via.split()[2:_WORDS]
        )
        return any(
            # In a cloud, what was asked to go may go on and cost: whether it went is looked at.
            begun <= ran.seq < gone or (ran.seq == gone and target.kind != "cloud")
            for name in (target.name.rstrip("/").casefold(), effective_host(target) or "", *inside)
            for begun, gone in self._spans.get((ran.turn, name), ())
        )


_SCHEMA = lazy(
    r"\\d[a-zA-Z+]{0,4}(?:\s|$|;)|\bshow\s+(?:full\s+)?(?:create|tables|columns|index\w*|databases|schemas|collections)\b|\bdesc(?:ribe)?\s+\w|\binformation_schema\b"
    r"|\bpg_(?:tables|class|indexes|attribute)\b|\bsqlite_master\b|(?<!\w)\.(?:schema|tables)\b|\bgetCollectionNames\b|\bpragma\s+table_info\b",
    re.IGNORECASE,
)
_OF_DATA = lazy(
    r"\bselect\b(?![^;]{0,400}?\bfrom\s+(?:information_schema|pg_|sqlite_master))[^;]{0,400}?\bfrom\b|\bfind(?:One)?\(|\bcount\w*\(",
    re.IGNORECASE,
)


def of_schema(look: Ran) -> bool:
    """Whether a look at a database shows how its tables are made, and nothing of what is in them."""
    words = " ".join(look.command.words)[:2000]
    return look.command.target.kind == "database" and (
        _SCHEMA.search(words) is not None and _OF_DATA.search(words) is None
    )


def _told_state(ran: Ran) -> Predicate:
    """A check that tells the state after a change: of changed data, not how the tables are made."""
    told = told_state(ran.command.target)
    words = " ".join(ran.command.words[:60])[:4_000]
    if _EDGE.search(words) is not None and "dns_records" not in words:
        return _told_or(told, _of_site)
    if names := _names_changed(ran):
        # That a name which was taken out is answered no more shows in silence.
        among = "check" if _TAKEN_OUT.search(names) is None else "ran"
        return _told_or(told, lambda look: _resolves(look, names), among=among)
    if ran.command.effect == "delete" and _is_picked(ran):
        return _told_or(told, lambda look: _lists_rest(look, ran), among="ran")
    if (
        ran.command.effect == "delete"
        and ran.command.target.kind == "cloud"
        and (sort := _sort_of(ran, _DELETES))
    ):
        return _told_or(told, lambda look: _lists_sort(look, ran, sort), among="ran")
    if ran.command.target.kind == "url":
        return Predicate(
            name=told.name,
            among=told.among,
            holds=lambda graph, event: (
                told.holds(graph, event) and not (isinstance(event, Ran) and _of_another(event, ran))
            ),
        )
    if ran.command.effect != "write_data":
        return told
    return Predicate(
        name=told.name,
        among=told.among,
        holds=lambda graph, event: (
            told.holds(graph, event) and not (isinstance(event, Ran) and of_schema(event))
        ),
    )


_SEGMENTS = lazy(r"[^/]+")
_ABOUT_ALL = lazy(
    r"(?:health|healthz|ready|readyz|live|livez|status|state|metrics|version|info|ping|me|self|search|query|all|list|count|batch|bulk)",
    re.IGNORECASE,
)
"""Last parts of an address that speak of more than one member of a collection."""


def _of_another(look: Ran, changed: Ran) -> bool:
    """Whether a look asks the same host for another environment, or for another member of the same collection."""
    there, here = look.command, changed.command
    if there.target.kind != "url" or of_schema(look):
        return here.effect == "write_data" and of_schema(look)
    named = [one.environment for one in (there, here) if one.environment_reason.startswith("address ")]
    if len(named) > 1 and named[0] != named[1]:
        return True
    asked, put = (_SEGMENTS.findall(_path(one.target.name))[:40] for one in (there, here))
    if asked[:1] != put[:1]:
        # Another host, or an address without one.
        return False
    at = next((at for at, (one, other) in enumerate(zip(asked, put, strict=False)) if one != other), None)
    if at is None or at < _COLLECTION:
        return False
    return (
        asked[at - 1].casefold().endswith("s")
        and len(asked[at - 1]) > _COLLECTION
        and _ABOUT_ALL.fullmatch(asked[at]) is None
        and (len(put) > at + 1 or _MEMBER.search(put[at]) is not None)
        and _MEMBER.search(asked[at] + put[at]) is not None
    )


_COLLECTION = 2
"""Parts of an address before a member of a collection: the host, the collection."""
_MEMBER = lazy(r"[\d_-]")
"""What the name of one member of a collection holds, and a word of the interface seldom does."""


def _path(address: str) -> str:
    """An address without its scheme, its query and its fragment."""
    return re.split(r"[?#]", address[:2_000].partition("://")[2] or address[:2_000], maxsplit=1)[0]


def _told_or(told: Predicate, looks: Callable[[Ran], bool], *, among: str = "check") -> Predicate:
    """A predicate that another look fulfils too."""
    return Predicate(
        name=told.name,
        among=among,
        holds=lambda graph, event: (
            isinstance(event, Ran) and ((event.check and told.holds(graph, event)) or looks(event))
        ),
    )


_EDGE = lazy(
    r"api\.cloudflare\.com/|api\.fastly\.com/|api\.bunny\.net/|\.akamaiapis\.net/|\bcloudfront (?:create-invalidation|update-distribution)\b|\bcdn endpoint purge\b|\binvalidate-cdn-cache\b|\bfastly purge\b|\bwrangler (?:secret|kv)\b|/zones/\S{1,80}/(?:rulesets|firewall|pagerules|settings|purge_cache|custom_pages)\b"
)
"""Interfaces of what stands before a site: its rules, names and caches."""
_INTERFACE = lazy(r"^(?:https?://)?api\.")


def _of_site(look: Ran) -> bool:
    """Whether a look asks a site itself, not the interface by which what stands before it is changed."""
    command = look.command
    return (
        look.check
        and command.target.kind == "url"
        and command.check_strength == "exercise"
        and look.outcome.state is not None
        and look.call.cut_off is None
        and _INTERFACE.match(command.target.name) is None
    )


_PICKS = lazy(r"--(?:include|exclude|pattern|filter|include-regex|exclude-regex)(?:=|$)")


def _is_picked(ran: Ran) -> bool:
    """Whether a deletion in a store of objects takes only what fits a pattern, so that its folder stays."""
    return ran.command.target.kind == "cloud" and any(_PICKS.match(word) for word in ran.command.words[:60])


def _lists_rest(look: Ran, deletion: Ran) -> bool:
    """Whether a command lists what is left in the folder of which a deletion took a part, with a result."""
    command = look.command
    output = look.call.call.output
    return (
        command.effect in ("read", "check")
        and command.target.kind == "cloud"
        and command.words[:1] == deletion.command.words[:1]
        and command.target.name.rstrip("/") == deletion.command.target.name.rstrip("/")
        and look.outcome.reached != "no"
        and look.call.cut_off is None
        and output is not None
        and bool(output.ends().strip())
    )


_DELETES = lazy(
    r"(?:batch-)?(?:delete|remove|rm|destroy|terminate|deregister|release|purge|del)(?:-(?P<noun>[a-z][a-z0-9-]{1,60}))?"
)
"""Words of a client of a cloud by which something is deleted: ``delete``, ``deregister-image``."""
_LISTS = lazy(r"(?P<verb>list|ls|describe|show|get|search)(?:-(?P<noun>[a-z][a-z0-9-]{1,60}))?")
"""Words by which such a client lists what there is."""
_ONE = lazy(r"--[\w-]{0,40}(?:ids?|names?|identifiers?|arns?|keys?)(?:=.*)?$", re.DOTALL)
"""Options that name the members which are looked at."""
_LIKE = lazy(
    r"(?<!\w)name\s{0,3}(?:~|=~|:)\s{0,3}[\"']?\^?(?P<stem>[\w][\w.-]{1,80})|starts_with\(name,\s?['\"`](?P<begins>[\w.-]{2,80})",
    re.IGNORECASE,
)
"""A filter for names that begin alike or hold a word, as ``--filter='name~^tmp-'`` puts it."""
_REGIONAL = frozenset({"aws", "awslocal", "aliyun", "oci", "ibmcloud"})
"""Clients that list one part of the world unless they are told another; those of the others list all of it."""
_ONE_NAME = lazy(r"(?<!\w)name\s{0,3}[=:]{1,2}\s{0,3}[\"']?[\w.-]{2,80}(?![\w.*~-]|,Values)")
"""A filter for one name, as ``--filter=name=web-9`` or a query puts it."""


def _sort_of(ran: Ran, verbs: re.Pattern[str]) -> tuple[str, str, str] | None:
    """What sort of thing a client of a cloud deletes or lists: program, service, noun; ``None`` where it does not say.

    ``aws ec2 deregister-image`` and ``aws ec2 describe-images`` are of one sort, and ``gcloud compute instances delete``
    and ``gcloud compute instances list``.
    """
    service = ""
    for word in ran.command.words[1:60]:
        found = verbs.fullmatch(word)
        if found is not None and service:
            return ran.command.program, service, (found["noun"] or "").rstrip("s")
        if not word.startswith("-"):
            service = word
    return None


def _region(ran: Ran) -> str:
    """The part of the world that the options of a command name; empty where none does."""
    for word, value in itertools.pairwise((*ran.command.words[:60], "")):
        option, _, told = word.partition("=")
        if option in ("--region", "--location", "--zone", "--resource-group", "-g"):
            return told or value
    return ""


def _lists_sort(look: Ran, deletion: Ran, sort: tuple[str, str, str]) -> bool:
    """Whether a command lists, in the same place and with a result, what there is of the sort of what was deleted."""
    command = look.command
    if command.effect not in ("read", "check") or _sort_of(look, _LISTS) != sort:
        return False
    if command.target.context != deletion.command.target.context:
        return False
    place = _region(look)
    if place != _region(deletion) and (place or command.program in _REGIONAL):
        return False
    words, gone = command.words[1:60], deletion.command.target.name
    if (like := _LIKE.search(" ".join(words)[:4_000])) is not None:
        # Nothing that fits shows in silence that it is gone.
        stem = (like["stem"] or like["begins"]).rstrip("-_.").casefold()
        silent = look.call.shows_nothing and not look.outcome.failed and look.call.cut_off is None
        return stem in gone.casefold() and (silent or _ended_with_words(look))
    if not _ended_with_words(look):
        return False
    if not gone or not any(gone in word for word in words):
        one = any(_ONE.fullmatch(word) for word in words) or _ONE_NAME.search(" ".join(words)[:4_000])
        alone = {"describe", "show", "get"} & set(words)
        if one or alone:
            # It looks at another one.
            return False
    return True


_OF_NAMES = lazy(r"\bdns|record|route53|rrset|rrcreate|nsupdate|\bzones?/", re.IGNORECASE)
"""Words of commands and addresses by which names of the network are changed."""
RESOLVERS = frozenset(
    {"dig", "host", "nslookup", "drill", "kdig", "khost", "delv", "doggo", "dog", "q", "adig", "unbound-host", "getent", "resolvectl", "systemd-resolve",
     "Resolve-DnsName"}
)  # fmt: skip
"""Programs that ask what a name of the network stands for."""


_RECORD = lazy(
    r"[\"'](?:content|value|data|target)[\"']\s{0,3}:\s{0,3}[\"'](?P<value>[\w.:-]{4,100}[\w:])\.?[\"']"
)
"""What a record of the network is changed to."""


def _names_changed(ran: Ran) -> str:
    """What a change of names of the network says, of its standard input too; empty for other changes."""
    words = " ".join(ran.command.words[:60])[:4_000]
    if _OF_NAMES.search(words) is None:
        return ""
    return (
        (ran.call.line or words)[:4_000].casefold() if ran.command.program == "nsupdate" else words.casefold()
    )


_TAKEN_OUT = lazy(r"(?<![\w-])(?:delete|remove|rm|del)(?![\w])(?!.{0,2000}\b(?:create|upsert)\b)", re.DOTALL)
"""Words of a change of names by which one is taken out, and none put in."""


def name_taken_out(graph: SessionGraph, look: Ran) -> bool:
    """Whether a look asks for a name of the network that a change of the turn took out: no answer is what was wanted."""
    if look.command.program not in RESOLVERS:
        return False
    changes = graph.index("change")
    before = (graph.events[changes[at]] for at in range(bisect_left(changes, look.seq) - 1, -1, -1))
    return any(
        isinstance(one, Ran)
        and _TAKEN_OUT.search(names := _names_changed(one)) is not None
        and _resolves(look, names)
        for one in itertools.takewhile(lambda one: isinstance(one, Ran) and one.turn == look.turn, before)
    )


def _resolves(look: Ran, names: str) -> bool:
    """Whether a look asks for a name of the network that a change speaks of, in full or as a label and its zone."""
    if not look.command.words or look.command.program not in RESOLVERS:
        return False
    if look.outcome.state is None and not (look.call.shows_nothing and _TAKEN_OUT.search(names) is not None):
        return False
    name = look.command.target.name.rstrip(".").casefold()
    label, _, zone = name.partition(".")
    if len(name) < 4 or not zone:
        return False
    shown = _shown(look)[:_READ].casefold()
    if any(
        re.search(rf"(?<![\w.-]){re.escape(found['value'])}(?![\w-])", shown) is not None
        for found in itertools.islice(_RECORD.finditer(names), _FEW)
    ):
        # A record that is known by its number alone is found by what it says.
        return True
    full = re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", names) is not None
    return full or (
        zone in names and re.search(rf"(?<![\w.-]){re.escape(label)}(?![\w.-])", names) is not None
    )


_HINDERED = lazy(
    r"\b(?:not|no|only|denied|skip\w*|fail\w*|can\s?not|can['’]t|must|requir\w*|forbid\w*|refus\w*|unable|root|sudo|permission\w*|access|read-only|nicht|kein\w*|refusé|permiso|berechtigung)\b",
    re.IGNORECASE,
)
_SAYS_LEFT = lazy(
    r"\b(?:untouched|unchanged|left\s+(?:it|them|that|this|as|alone|out)|(?:is|are|was|were|stays?|remains?)\s+(?:still\s+)?(?:as\s+(?:it|they)\s+(?:was|were|is|are)|the\s+same)|not\s+(?:been\s+)?(?:changed|touched|applied|set|done)|(?:could|can)(?:\s?not|n['’]t)\s+(?:\w+\s+){0,2}?(?:change|set|edit|write|apply|touch|do|update)|skipped|needs?\s+(?:sudo|root|a\s+password|more\s+rights)|unverändert|nicht\s+(?:ändern|geändert|angefasst|gesetzt)|so\s+gelassen|inchangée?|pas\s+pu\s+(?:modifier|changer)|laissée?\s+tel|sin\s+cambios|no\s+(?:pude|se\s+pudo)|sem\s+alteraç|não\s+consegui|invariat[oa]|non\s+(?:ho\s+potuto|sono\s+riuscit)|ongewijzigd|niet\s+(?:gewijzigd|kunnen)|bez\s+zmian|nie\s+(?:mog\w+|udało))\b|(?<!\w)(?:без\s+изменений|не\s+(?:смог\w*|удалось|изменил\w*|менял\w*)|не\s+вдалося)|没有?(?:改|动|更改|修改)|未(?:改|动|更改|修改)|変更(?:していません|できません|できなかった)|変えていません|변경하지\s?(?:못|않)",
    re.IGNORECASE,
)
"""Words by which the assistant says that something stands as it stood."""


_SAYS_DONE = lazy(
    r"\b(?:is|are|was|were|has\s+been|have\s+been|now)\s+(?:now\s+)?(?:changed|set|updated|done|raised|applied|in\s+place|live)\b|\b(?:ist|sind|wurde\w*)\s+(?:jetzt\s+)?(?:geändert|gesetzt|erhöht)\b",
    re.IGNORECASE,
)
"""Words by which the assistant says that something was changed."""


def _left(graph: SessionGraph, ran: Ran, window: Window) -> bool:
    """Whether a change did not come about, as the assistant says of it by name, where its output tells of a hindrance."""
    output = ran.call.call.output
    if output is None or _HINDERED.search(output.ends()[:_READ]) is None:
        return False
    target = ran.command.target
    names = {
        part for name in (target.name, target.host or "") for part in re.split(r"[/\s@:]+", name) if part
    }
    names |= {name.partition(".")[0] for name in names} - {""}
    for said in window.all(assistant_prose):
        if not isinstance(said, Said):
            continue
        for clause in re.split(
            r"(?<=[.!?;。])\s+|\n+|\s+(?:but|aber|mais|pero|ma|maar|ale|но)\s+", graph.prose(said)[:_READ]
        ):
            if _SAYS_LEFT.search(clause) is None or not names & set(_NAME_IN.findall(clause)):
                continue
            done = (part for part in re.split(r"[,;]", clause) if _SAYS_DONE.search(part) is not None)
            if not any(names & set(_NAME_IN.findall(part)) for part in done):
                return True
    return False


_READ = 20_000
_NAME_IN = lazy(r"[\w-][\w.-]*[\w-]|\w")
_GROUPS = frozenset(
    {"ansible", "ansible-playbook", "ansible-pull", "ansible-navigator", "ansible-runner", "salt", "salt-ssh", "pssh", "parallel-ssh",
     "pdsh", "clush", "dsh", "bolt", "mco", "knife", "fab", "pyinfra"}
)  # fmt: skip
"""Programs that do one thing on all hosts of a group, and name them in what they print."""
_MEMBERS = lazy(
    r"^(?:(?P<recap>[\w.-]{1,80})\s*:\s*ok=\d+\s+changed=(?P<changed>\d+)|(?P<adhoc>[\w.-]{1,80}) \| (?:CHANGED|SUCCESS)\b|\[\d+\] \S+ \[SUCCESS\] (?:\S{1,40}@)?(?P<pssh>[\w.-]{1,80})|(?P<salt>[\w.-]{1,80}):(?=[ \t]*$|[ \t]\S))",
    re.MULTILINE,
)
"""The hosts of a group, as such programs print them: those on which it was done."""
_MOST_MEMBERS = 40
_ENOUGH = 2
"""Members that are looked at, where a group has more: the others got the same."""


def members(ran: Ran) -> tuple[str, ...]:
    """The hosts on which a command did what it does to a group, as its output names them."""
    command, output = ran.command, ran.call.call.output
    programs = {via.split()[0].rsplit("/", 1)[-1] for via in command.via if via}
    if command.words:
        programs.add(ran.command.program)
    if output is None or not programs & _GROUPS:
        return ()
    names = {
        found["recap"] or found["adhoc"] or found["pssh"] or found["salt"]: None
        for found in itertools.islice(_MEMBERS.finditer(output.ends()), _MOST_MEMBERS)
        if found["changed"] != "0"
    }
    return tuple(names)


def _each_member(graph: SessionGraph, ran: Ran, window: Window) -> Ran | None:
    """For a change of a group, the look by which its members are seen, each by itself; ``None`` where they are not."""
    named = members(ran)
    if not named:
        return None
    target, look, seen = ran.command.target, None, 0
    for member in named:
        if target.kind == "host" or target.name in ("", target.host):
            # What was put out to a whole host is seen by any look at what runs there.
            told = _seen_on(member)
        else:
            told = told_state(msgspec.structs.replace(target, host=member))
        found = window.first(told)
        if isinstance(found, Ran):
            look, seen = found, seen + 1
            if seen >= min(_ENOUGH, len(named)):
                return look
    return None


def _seen_on(host: str) -> Predicate:
    """A check of what runs on a host."""
    return Predicate(
        name=f"told_state({host})",
        among="check",
        holds=lambda _graph, event: _sees_host(event, host),
    )


def _sees_host(event: Event, host: str) -> bool:
    """Whether a check looks at what runs on a host."""
    if not isinstance(event, Ran) or event.command.check_strength == "read_back":
        return False
    target = event.command.target
    if target.kind == "url" and (found := _HOST_OF.match(target.name)) is not None:
        return same_host(found["host"], host)
    return same_host(effective_host(target), host) or host in members(event)


_HOST_OF = lazy(r"(?:[a-z][a-z0-9+.-]{0,20}://)?(?:[^/@\s]{1,80}@)?(?P<host>[\w.-]{1,200})", re.IGNORECASE)
_ROOM = lazy(r"\d+(?:[.,]\d+)?\s?%|\d[\d.,]*\s?(?:[KMGTP]i?B?|B|bytes)\b")
"""A share or an amount of room."""


class _Room:
    """The looks of a session at how much room there is: what a deletion of all that is unused on a host is checked by."""

    def __init__(self, graph: SessionGraph) -> None:
        """Go through the commands once."""
        self._looks: list[Ran] = []
        for seq in graph.index("ran"):
            ran = graph.events[seq]
            if not isinstance(ran, Ran) or not ran.command.words or ran.command.quiet or ran.outcome.failed:
                continue
            if ran.call.cut_off is None and ran.call.call.status == "completed" and _shows_room(ran):
                self._looks.append(ran)

    def after(self, deletion: Ran, window: Window) -> Ran | None:
        """After a deletion of what is unused on a host, the first look at the room there."""
        gone = deletion.command.target
        of_files = gone.kind == "file" and gone.name.startswith("/")
        if deletion.command.effect != "delete" or (gone.kind != "host" and gone.name and not of_files):
            return None
        host = effective_host(gone)
        return next(
            (
                one
                for one in self._looks
                if window.holds(one)
                and same_host(effective_host(one.command.target), host)
                and (not of_files or _holds_path(one, gone.name))
            ),
            None,
        )


def _otherwise(graph: SessionGraph, ran: Ran, window: Window) -> Ran | None:
    """After a change, the first look that tells of it in a way that its target does not name."""
    if (asked := _answered_otherwise(graph, ran, window)) is not None:
        return asked
    command = ran.command
    tells: Callable[[Ran], bool] | None = None
    if command.program in _STACKS and command.effect == "deploy":
        tells = _tells_of_stack(graph, ran)
    elif command.effect in ("write_data", "configure", "create") and command.target.kind in _KEPT:
        tells = _tells_of_key(ran)
    elif command.effect == "delete" and "xargs" in command.via and not command.target.name:
        tells = _lists_folder(ran)
    elif _serves_sites(ran) and _only_host(graph, ran):
        tells = _tells_of_site(ran)
    if tells is None:
        return _by_reader(graph, ran, window) or _figures(graph, ran, window)
    looks = (
        look for look in itertools.islice(window.all(any_command), _ASKED_BEFORE) if isinstance(look, Ran)
    )
    found = next((look for look in looks if _saw(graph, look) and tells(look)), None)
    return found or _figures(graph, ran, window)


_HELD = frozenset({"secret", "configmap"})
"""Kinds of objects of a cluster that workloads read."""


def _by_reader(graph: SessionGraph, ran: Ran, window: Window) -> Ran | None:
    """After a change of what a workload of the same namespace reads, the first look at the one that is restarted next."""
    target = ran.command.target
    if target.kind != "k8s" or target.name.partition("/")[0] not in _HELD:
        return None
    following = next((event for event in window.all(changes) if event.seq > ran.seq), None)
    if not isinstance(following, Ran) or following.command.effect not in ("restart", "deploy"):
        return None
    reader = following.command.target
    if reader.kind != "k8s" or (reader.namespace, reader.context) != (target.namespace, target.context):
        return None
    look = graph.after(following).until(human).first(told_state(reader))
    return look if isinstance(look, Ran) else None


def _lists_folder(ran: Ran) -> Callable[[Ran], bool]:
    """Lists of the folder in which a deletion worked whose things came from a list."""
    host, folder = effective_host(ran.command.target), ran.command.folder
    return lambda look: (
        look.command.program in ("ls", "find", "tree", "du", "eza")
        and same_host(effective_host(look.command.target), host)
        and look.command.folder == folder
        and look.seq > ran.seq
    )


_INTERPRETERS = frozenset(
    {"node", "python", "python3", "ruby", "php", "deno", "bun", "perl", "pwsh", "tsx", "npx", "go"}
)


_LOOKS_AT = lazy(
    r"(?<![a-z])(?:eval\w*|check|get|show|status|verify|probe|read|list|query|inspect|print)(?![a-z])"
)


def _by_script(look: Ran) -> bool:
    """Whether a command is a script whose name says that it looks at something, that ended well and printed something."""
    program = look.command.words[0] if look.command.words else ""
    return (
        look.command.effect == "none"
        and (look.command.program in _INTERPRETERS or "/" in program)
        and _LOOKS_AT.search(" ".join(look.command.words[:4])) is not None
        and not look.outcome.failed
        and look.call.cut_off is None
        and look.call.call.status == "completed"
        and bool(_shown(look).strip())
    )


_FIGURES = lazy(
    r"/api/v1/query(?:_range)?\b|/loki/api/v1/query|\bpromtool query\b|\bcloudwatch get-metric|\bapi\.datadoghq\.\w{2,3}/api/v1/query|\bmonitoring\.googleapis\.com/"
)
"""How systems that watch others are asked for their figures."""
_OF_WHOM = lazy(r"[{,]\s{0,3}\w{2,40}\s{0,3}=~?\s{0,3}\\{0,2}[\"'](?P<value>[^\"'\\]{1,80})")


def _figures(graph: SessionGraph, ran: Ran, window: Window) -> Ran | None:
    """After the only change of a turn, the first look at the figures of what watches it, unless it is of another thing."""
    parts = frozenset(
        part for part in re.split(r"[^a-z0-9]+", ran.command.target.name.casefold()) if len(part) > 2
    )
    for look in itertools.islice(window.all(checks), _ASKED_BEFORE):
        if not isinstance(look, Ran) or not _saw(graph, look):
            continue
        line = " ".join(look.command.words)[:_READ]
        if _FIGURES.search(line) is None or not _alone_in_turn(graph, ran):
            continue
        asked = [
            found["value"].casefold() for found in itertools.islice(_OF_WHOM.finditer(line), _FEW_LABELS)
        ]
        if not asked or any(part in value for part in parts for value in asked):
            return look
    return None


_FEW_LABELS = 10


def _changed_beside(graph: SessionGraph, ran: Ran) -> Iterator[Ran]:
    """The changes of the turn of a change, that one too."""
    changes = graph.index("change")
    at = bisect_left(changes, ran.seq)
    for seq in changes[max(0, at - _ASKED_BEFORE) : at + _ASKED_BEFORE]:
        other = graph.events[seq]
        if isinstance(other, Ran) and other.turn == ran.turn:
            yield other


def _alone_in_turn(graph: SessionGraph, ran: Ran) -> bool:
    """Whether in the turn of a change nothing else that matters was changed."""
    return all(
        other.command.target == ran.command.target
        or graph.setting(other).environment not in ("production", "unknown")
        or scratch(other.command.target)
        for other in _changed_beside(graph, ran)
    )


def _saw(graph: SessionGraph, look: Ran) -> bool:
    """Whether a look got an answer that shows something, and not of a place where things are tried."""
    answered = look.call.cut_off is None and look.outcome.state is not None and look.outcome.reached != "no"
    told = (
        (look.check and answered)
        or _by_script(look)
        or (look.command.effect == "read" and _ended_with_words(look))
    )
    return told and graph.setting(look).environment not in ("staging", "development")


def _ended_with_words(look: Ran) -> bool:
    """Whether a command came to its end without a failure, and its result holds something to see."""
    ended = look.call.cut_off is None and not look.outcome.failed and look.outcome.reached != "no"
    return ended and bool(_shown(look).strip())


def _shown(ran: Ran) -> str:
    """The output of the call of a command, of a long one its two ends; empty where there is none."""
    output = ran.call.call.output
    return "" if output is None else output.ends()


_STACKS = frozenset({"terraform", "tofu", "terragrunt", "pulumi", "cdk"})
"""Programs that make what is in a cloud from files."""
_RESOURCE = lazy(
    r"(?<![\w.-])(?:module\.[\w-]{1,60}\.|data\.)*[a-z][a-z0-9]{1,20}_[a-z0-9_]{2,60}\.[\w-]{1,60}"
)
"""The address of a resource: ``module.alerts.aws_sns_topic.oncall``."""
_MOST_RESOURCES = 200


def _tells_of_stack(graph: SessionGraph, ran: Ran) -> Callable[[Ran], bool] | None:
    """Looks by clients of clouds, requests and the like at what was put out: by a resource that the plan or the result
    names, by its sort and its name, or by a value that the stack gives out.
    """
    beside = [ran]
    looks = graph.index("ran")
    at = bisect_left(looks, ran.seq)
    for seq in looks[max(0, at - _ASKED_BEFORE) : at]:
        event = graph.events[seq]
        if isinstance(event, Ran) and event.turn == ran.turn and event.command.program == ran.command.program:
            beside.append(event)
    names: set[str] = set()
    sorts: list[frozenset[str]] = []
    for one in {one.call.seq: one for one in beside}.values():
        text = f"{one.call.line or ''}\n{_shown(one)[:_READ]}"
        for found in itertools.islice(_RESOURCE.finditer(text), _MOST_RESOURCES):
            *_, sort, name = found.group().split(".")
            names.add(name.casefold())
            sorts.append(frozenset(sort.split("_")[1:]))
    gives_out = re.compile(
        rf"\b{re.escape(ran.command.program)}\b[^|;&\n]{{0,120}}\b(?:output|stack output)\b"
    )

    def tells(look: Ran) -> bool:
        if look.command.program in _STACKS or not look.check:
            return False
        line = " ".join(look.command.words)[:_READ]
        if gives_out.search(line) is not None:
            return True
        words = frozenset(re.findall(r"[a-z0-9]+", line.casefold()))
        words |= {word.removesuffix("s") for word in words}
        whole = frozenset(re.findall(r"[\w-]+", line.casefold()))
        return any(sort <= words for sort in sorts if len(sort) > 1) or any(
            len(name) >= _LONG_NAME and name in whole for name in names
        )

    return tells


_LONG_NAME = 4
"""Letters of a name that is hardly another's."""


def _holds_path(look: Ran, path: str) -> bool:
    """Whether a look at the room is one at the place that a path lies in."""
    places = [word.rstrip("/") for word in look.command.words[1:] if word.startswith("/")]
    return look.command.program == "df" and (not places or any(path.startswith(f"{one}/") for one in places))


_KEPT = frozenset({"database", "url", "cloud", "queue"})
"""Kinds of stores in which values lie under keys."""
_LONG_KEY = 6
_SCALAR = lazy(r"[\w.:%-]{1,40}")


_GIVEN = lazy(
    r"\bParameterName=(?P<key>\w[\w.-]{3,60}),ParameterValue=(?P<value>[\w.%-]{1,40})|\b(?:parameter|configuration) set\b.{0,200}?(?:--name|-n) (?P<name>\w[\w.-]{3,60}) .{0,100}?(?:--value|-v) (?P<other>[\w.%-]{1,40})"
)
"""A setting of what a cloud runs, with its new value."""


def _tells_of_value(key: str, value: str) -> Callable[[Ran], bool]:
    """Looks that ask for a setting by its name and show its new value."""
    named = re.compile(rf"(?<![\w.-]){re.escape(key)}(?![\w-])", re.IGNORECASE)
    holds = re.compile(rf"(?<![\w.-]){re.escape(value)}(?![\w-])")

    def tells(look: Ran) -> bool:
        asked = look.check and named.search(" ".join(look.command.words)[:_READ]) is not None
        return asked and holds.search(_shown(look)[:_READ]) is not None

    return tells


def _tells_of_key(ran: Ran) -> Callable[[Ran], bool] | None:
    """Looks by another way than its store at what reads a key: they name it, or show it with its new value."""
    words = ran.command.words
    given = _GIVEN.search(" ".join(words[1:60])[:_READ])
    if given is not None:
        return _tells_of_value(given["key"] or given["name"], given["value"] or given["other"])
    key = re.split(r"[/:?#]", ran.command.target.name.rstrip("/"))[-1].casefold()
    if len(key) < 3 or key.isdecimal() or key == (ran.command.target.host or "").casefold():
        return None
    told_apart = len(key) >= _LONG_KEY and re.search(r"[_.-]|\d", key) is not None
    named = re.compile(rf"(?<![\w.-]){re.escape(key)}(?![\w-])", re.IGNORECASE)
    last = words[-1].strip("\"'") if words else ""
    value = last if _SCALAR.fullmatch(last) and last.casefold() != key and "/" not in last else ""
    holds = re.compile(rf"(?<![\w.-]){re.escape(value)}(?![\w-])") if value else None

    def tells(look: Ran) -> bool:
        # Where a key is named in files tells nothing of what reads it.
        asked = (
            look.check
            and look.command.target.kind != "file"
            and look.command.check_strength in ("exercise", "state")
        )
        if not (asked or _by_script(look)):
            return False
        if look.command.program == ran.command.program and look.command.target == ran.command.target:
            return False
        shown = _shown(look)[:_READ]
        if told_apart and named.search(" ".join(look.command.words)[:_READ]) is not None:
            return look.check or named.search(shown) is not None
        if holds is None:
            return False
        lines = shown.splitlines()
        return any(named.search(line) and holds.search(line) for line in lines if len(line) < _READ)

    return tells


_FRONTS = frozenset({"nginx", "apache", "caddy", "traefik", "haproxy", "lighttpd", "varnish", "envoy", "openresty", "httpd", "apache2", "iis"})  # fmt: skip
"""Daemons through which people reach a site."""
_SITE = lazy(
    r"https?://(?P<host>[a-z][\w-]{0,60}(?:\.[\w-]{1,60}){1,6})(?::(?:80|443))?(?:[/?#]|$)", re.IGNORECASE
)
_OF_ALL = lazy(
    r"(?:^|\.)(?:npmjs|github\w*|gitlab|google\w*|pypi|python|docker|debian|ubuntu|cloudflare|nginx|apache|amazonaws|microsoft|letsencrypt|mozilla|fedoraproject|kernel|k8s|rubygems|crates|golang|slack|stripe)\.(?:org|com|io|net|dev)$",
    re.IGNORECASE,
)
"""Sites that everybody asks, whatever runs on a host."""
_SHAKES = lazy(
    r"\bs_client\b.{0,400}?\s-connect\s+(?P<host>[a-z][\w-]{0,60}(?:\.[\w-]{1,60}){1,6})(?::443)?(?:\s|$)"
)
"""A look at the certificate that a site serves."""
_ASKS_STATUS = lazy(
    r"%\{(?:http_code|response_code)\}|(?:^|\s)(?:-\w*[If]\w*|--head|--fail|--spider)(?:\s|$)"
    r"|(?i:-Method\s+Head\b|\bStatusCode\b|\.Headers\b)"
    r"|^(?:Invoke-(?:WebRequest|RestMethod)|iwr|irm)\s"
)


def _serves_sites(ran: Ran) -> bool:
    """Whether a change is one of a daemon on another host through which people reach sites."""
    return (
        ran.command.target.kind in ("file", "service")
        and effective_host(ran.command.target) is not None
        and any(
            name.sort == "certificates" or (name.sort == "daemon" and name.value in _FRONTS)
            for target in (ran.command.target, *ran.command.also)
            for name in names_of(target)
        )
    )


def _only_host(graph: SessionGraph, ran: Ran) -> bool:
    """Whether in the turn of a change no other host is changed, so that what a site shows can only come of it."""
    host = effective_host(ran.command.target)
    return all(
        (place := effective_host(other.command.target)) is None or same_host(place, host)
        for other in _changed_beside(graph, ran)
    )


def _tells_of_site(ran: Ran) -> Callable[[Ran], bool]:
    """Requests to a site by its name that ask for its status, or that stand in the line of the change."""
    label = (effective_host(ran.command.target) or "").partition(".")[0]
    stem = label.rstrip("0123456789")

    def tells(look: Ran) -> bool:
        line = " ".join(look.command.words)[:_READ]
        shaken = _SHAKES.search(line) if look.command.program == "openssl" else None
        site = shaken or (_SITE.match(look.command.target.name) if look.check else None)
        if site is None or not (shaken or _of_site(look)):
            return False
        first = site["host"].casefold().partition(".")[0]
        # web2 is no name of what runs on web1.
        twin = label not in (stem, first) and first.rstrip("0123456789") == stem
        asks = shaken or look.call.seq == ran.call.seq or _ASKS_STATUS.search(line)
        return not twin and bool(asks) and _OF_ALL.search(site["host"]) is None

    return tells


_WRITES_ROWS = lazy(
    r"\b(?:update|insert\s+(?:ignore\s+)?into|replace\s+into|delete\s+from|merge\s+into)\s+(?:only\s+)?[`\"\[]?(?:\w{1,60}[`\"\]]?\.[`\"\[]?)?(?P<table>\w{2,80})",
    re.IGNORECASE,
)


_NEXT_STATEMENT = lazy(r";|\s-[ce]\s")
"""What stands between two statements of a line."""


def _reads_itself(graph: SessionGraph, ran: Ran) -> bool:
    """Whether the statements that change rows of a table also read them afterwards, and the result shows that."""
    if ran.command.effect != "write_data" or ran.command.target.kind != "database":
        return False
    if ran.outcome.failed or ran.command.quiet or not _shown(ran).strip():
        return False
    text = " ".join((*ran.command.words[:60], given_in(ran, graph.commands(ran.call))))[:_READ]
    writes = list(itertools.islice(_WRITES_ROWS.finditer(text), _ASKED_BEFORE))
    if not writes:
        return False
    read = _OF_DATA.search(text, writes[-1].end())
    table = re.compile(rf"\b{re.escape(writes[-1]['table'])}\b", re.IGNORECASE)
    return (
        read is not None
        and _NEXT_STATEMENT.search(text, writes[-1].end(), read.start()) is not None
        and table.search(text, read.start()) is not None
    )


_SERVED = frozenset({"k8s", "service", "cloud", "container", "file"})
"""Kinds of what may stand between an address and those who ask it."""
_MOMENT = lazy(r"\d+[.:,]\d[\d.:,]*")
"""Times, which differ with each request."""
_SHORT = 200
"""Characters of an answer that is a verdict, such as a status: a page may differ for any reason."""


def _answered_otherwise(graph: SessionGraph, ran: Ran, window: Window) -> Ran | None:
    """After a change, the first request that was made in the same words before it and was answered otherwise then,
    where nothing else that matters was changed between the two: the address need not be known to be the target's.
    """
    if ran.command.target.kind not in _SERVED:
        return None
    before: dict[tuple[str, ...], tuple[Ran, str]] = {}
    looks = graph.index("check")
    at = bisect_left(looks, ran.seq)
    for seq in looks[max(0, at - _ASKED_BEFORE) : at]:
        look = graph.events[seq]
        if isinstance(look, Ran) and look.turn == ran.turn and (said := _verdict(graph, look)):
            before[look.command.words] = look, said
    if not before:
        return None
    for event in itertools.islice(window.all(checks), _ASKED_BEFORE):
        if not isinstance(event, Ran) or (asked := before.get(event.command.words)) is None:
            continue
        said = _verdict(graph, event)
        if said and said != asked[1] and _alone_between(graph, asked[0], ran, event):
            return event
    return None


_ASKED_BEFORE = 40
"""Looks before and after a change that are held against each other."""


def _verdict(graph: SessionGraph, look: Ran) -> str:
    """The short answer of an address of others to a request, without times; empty for other commands and answers."""
    command, output = look.command, look.call.call.output
    if command.check_strength != "exercise" or command.target.kind != "url" or output is None:
        return ""
    if len(graph.commands(look.call)) > _FEW or graph.setting(look).environment in ("local", "development"):
        return ""
    text = output.ends().strip()
    return _MOMENT.sub("", text) if len(text) <= _SHORT else ""


_FEW = 3
"""Commands of a line whose output is taken for that of its request."""


def _alone_between(graph: SessionGraph, first: Ran, ran: Ran, last: Ran) -> bool:
    """Whether between two requests nothing that matters was changed but one target."""
    return not any(
        isinstance(event := graph.events[seq], Ran)
        and event.command.target != ran.command.target
        and graph.setting(event).environment in ("production", "unknown")
        and not scratch(event.command.target)
        for seq in graph.index("change")
        if first.seq < seq < last.seq
    )


def _shows_room(look: Ran) -> bool:
    """Whether a command shows how much room there is on its host."""
    if (
        look.command.program not in ("df", "du") and look.command.words[1:3] != ("system", "df")
    ) or look.outcome.reached == "no":
        return False
    return _ROOM.search(_shown(look)) is not None


def _matters(graph: SessionGraph, ran: Ran) -> bool:
    command, target = ran.command, ran.command.target
    if command.effect not in _EDITS or command.restarts_in_effect or calls_off(command) or only_shows(ran):
        return False
    if ran.outcome.failed and not ran.outcome.partly:
        return False
    if command.effect == "create" and any(_SAFEGUARD.fullmatch(word) for word in command.words[:5]):
        # A copy to go back to.
        return False
    if graph.setting(ran).environment not in ("production", "unknown"):
        return False
    if target.kind == "file":
        kept = command.effect != "create" and not scratch(target) and _OUTPUT.search(target.name) is None
        apart = in_working_copy(graph, ran) or _dumped(graph, ran) or _laid_by(graph, ran) or _put_aside(ran)
        return kept and not apart and not _drafted(graph, ran)
    if target.kind == "package" and target.name in _INDEXES:
        return False
    # An image or a package that is pushed to a registry is not deployed by that.
    return command.effect != "transfer" or target.kind == "repository" or "push" not in command.words[:3]


_SAFEGUARD = lazy(
    r"(?:[a-z]{1,20}[-._]){0,3}(?:snapshots?|checkpoints?|backups?)(?:[-._](?:create|as|begin|create-as))?|vzdump|create-image",
    re.IGNORECASE,
)
"""Words by which a copy is made of what a machine or a disk holds: ``snapshot``, ``create-db-snapshot``, ``vzdump``."""
_INDEXES = frozenset({"package lists", "package cache"})
"""What a package manager keeps of what it could install: nothing that runs is changed with it."""
_HOME = lazy(r"(?:~|\$\{?HOME\}?|/root|/home/[\w.-]{1,64})(?:/(?P<name>[^/.][^/]{0,200})?)?")
"""A home folder, or what lies in it and is no hidden setting."""


_READ_ENDING = lazy(
    r"\.(?:conf|cfg|cnf|ini|ya?ml|json|toml|xml|service|socket|timer|target|mount|env|properties|list|sources|repo|rules|d|sh|py|[cm]?[jt]s|rb"
    r"|php|pl|sql|html?|css|so|jar|war|pem|crt|cer|key|db|sqlite|local|override|live|active|enabled|prod\w*|new|current|v?\d{1,3})$",
    re.IGNORECASE,
)
"""How the names of files end that programs read."""


def _put_aside(ran: Ran) -> bool:
    """Whether a file gets another ending behind its own, under which nothing reads it: ``.off``, ``.desativado``."""
    words = [word for word in ran.command.words if not word.startswith("-")]
    if len(words) != 3 or words[0].rsplit("/", 1)[-1] != "mv":
        return False
    before, after = (word.strip("\"'") for word in words[1:])
    more = after.removeprefix(before)
    return more != after and "/" not in more and more[:1] == "." and _READ_ENDING.search(more) is None


def _laid_by(graph: SessionGraph, ran: Ran) -> bool:
    """Whether a file is copied into a home folder under its own name: laid by, since its original is configuration or
    is changed later.
    """
    words = [word for word in ran.command.words if not word.startswith("-")]
    if len(words) != 3 or words[0].rsplit("/", 1)[-1] not in ("cp", "rsync"):
        return False
    origin, copy = words[1].strip("\"'"), _HOME.fullmatch(words[2].strip("\"'").rstrip("/"))
    called = origin.rstrip("/").rsplit("/", 1)[-1]
    if copy is None or not called or not origin.startswith("/") or _HOME.match(origin):
        return False
    # Of ``/etc/dovecot/private`` the copy may be called ``dovecot-private.alt`` or ``dovecot.alt``, of ``/srv/portal.war``
    # ``portal.1177.war``.
    kept = copy["name"] or called
    above = (part for part in origin.split("/")[2:] if len(part) > 2)
    stem, dot, ending = called.rpartition(".")
    numbered = bool(dot) and len(stem) > 2 and kept.startswith(stem) and kept.endswith(f".{ending}")
    if not numbered and not kept.startswith((called, *above)):
        return False
    folder = origin.rpartition("/")[0]
    return origin.startswith("/etc/") or any(
        isinstance(event := graph.events[seq], Ran)
        and event.command.target.name.strip("\"'").rstrip("/") in (origin, folder)
        and event.command.target.host == ran.command.target.host
        for seq in graph.index("change")
        if seq > ran.seq
    )


_DRAFT = lazy(r"\.(?:new|draft|proposed|candidate|next|staged|work|wip|edit)$", re.IGNORECASE)
"""Ends of names that no daemon reads."""


def _drafted(graph: SessionGraph, ran: Ran) -> bool:
    """Whether a file is a copy that the session made to work on, in a home folder or under a name that nothing reads."""
    name = ran.command.target.name.strip("\"'")
    home, draft = _HOME.fullmatch(name), _DRAFT.search(name) is not None
    if (home is None or not home["name"]) and not draft:
        return False
    return any(
        (made.seq < ran.seq or (draft and made is ran))
        and (draft or made.command.words[-2].startswith("/"))
        and made.command.words[-1].strip("\"'") == name
        and made.command.target.host == ran.command.target.host
        and made.command.program in ("cp", "install", "rsync", "scp")
        for made in graph.copies
    )


def _dumped(graph: SessionGraph, ran: Ran) -> bool:
    """Whether a file is a dump or an archive that the line makes: a new file that nothing reads, no edit."""
    words = ran.command.words
    program = ran.command.program
    if program in _DUMPS:
        return True
    if program == "tar":
        return re.match(r"-?[a-zA-Z]*c|--create", words[1] if len(words) > 1 else "") is not None
    if program not in _PACKERS:
        return False
    others = graph.commands(ran.call)
    return any(other.command.program in _DUMPS for other in others)


_DUMPS = frozenset({"pg_dump", "pg_dumpall", "mysqldump", "mariadb-dump", "mydumper", "mongodump", "mongoexport",
                    "pg_basebackup", "xtrabackup", "mariabackup", "zip", "slapcat", "influxd"})  # fmt: skip
"""Programs that write what they read into a new file."""
_PACKERS = frozenset({"gzip", "pigz", "bzip2", "xz", "zstd", "lz4", "gpg", "openssl", "age", "split"})
"""Programs through which a dump goes on its way to a file."""


def in_working_copy(graph: SessionGraph, ran: Ran) -> bool:
    """Whether a file is one of the agent's own project: a source file, whatever its name says."""
    target = ran.command.target
    if target.host is not None or ran.command.via:
        return False
    directory = (graph.session.directory or "").rstrip("/")
    name = target.name
    if not name.startswith(("/", "~", "$")):
        folder = ran.command.folder
        if folder is None or not folder.startswith("/"):
            return True
        name = f"{folder.rstrip('/')}/{name}"
    return directory != "" and name.startswith(directory + "/")


def _verification(graph: SessionGraph, ran: Ran, window: Window) -> Verification:
    target = ran.command.target
    # Nothing in time tells the state, so whatever answers here only reads the change back.
    read_back = next(
        (
            look
            for look in window.all(check(target))
            if isinstance(look, Ran)
            and not (ran.command.effect == "write_data" and of_schema(look))
            and not (target.kind == "url" and _of_another(look, ran))
        ),
        None,
    )
    told = _told_state(ran)
    member = window.first(told) if ran.command.each else None
    closing = window.closing
    later = graph.after((closing or ran) if member is not None else ran).first(told)
    begun, over = graph.finished(ran), graph.ended if later is None else graph.finished(later)
    return Verification(
        change=ran,
        read_back=None if member is not None else read_back,
        member=member if isinstance(member, Ran) else None,
        tried=tried(graph, window, target),
        later=later if isinstance(later, Ran) else None,
        last=window.last(assistant) or ran,
        human=closing if isinstance(closing, Said) else None,
        exposed_messages=graph.messages_between(ran, later),
        exposed_ms=None if begun is None or over is None else max(0, over - begun),
        copied=_copied(graph, ran),
        staged=_staged(graph, ran),
    )


def tried(graph: SessionGraph, window: Window, target: Target) -> Ran | None:
    """The first check of a target that was tried in a window and got no answer."""
    return next(
        (one for one in graph.unanswered if window.holds(one) and graph.match(one, target) is not None), None
    )


def copies(graph: SessionGraph) -> Iterator[Ran]:
    """The commands of the session that copy something."""
    for seq in graph.index("ran"):
        event = graph.events[seq]
        if isinstance(event, Ran) and event.command.program in _COPIES:
            yield event


def first_tries(graph: SessionGraph) -> dict[tuple[object, ...], Ran]:
    """The first change of each sort in staging or development, by what it was made on and by how it was made."""
    found: dict[tuple[object, ...], Ran] = {}
    for seq in graph.index("change"):
        event = graph.events[seq]
        if isinstance(event, Ran):
            new = [sort for sort in _sorts(event) if sort not in found]
            if new and graph.setting(event).environment in ("staging", "development"):
                found.update(dict.fromkeys(new, event))
    return found


def _sorts(ran: Ran) -> tuple[tuple[object, ...], tuple[object, ...]]:
    """By what a change is the same as another: its effect on a kind of thing, and the thing's name or the command's words."""
    effect, target = ran.command.effect, ran.command.target
    return (effect, target.kind, "on", target.name), (effect, target.kind, "by", *ran.command.words[:2])


def _copied(graph: SessionGraph, ran: Ran) -> Ran | None:
    name = ran.command.target.name
    if len(name) < 2:
        return None
    for event in graph.copies:
        if event.seq >= ran.seq:
            return None
        if any(name in word for word in event.command.words[1:]):
            return event
    return None


def _staged(graph: SessionGraph, ran: Ran) -> Ran | None:
    tries = (tried for sort in _sorts(ran) if (tried := graph.first_tries.get(sort)) is not None)
    return min((tried for tried in tries if tried.seq < ran.seq), key=lambda one: one.seq, default=None)
