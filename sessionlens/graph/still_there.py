"""What the end of a turn says to be gone, and the latest look of the turn still shows.

Looks at things that had been deleted or stopped are told apart by :mod:`sessionlens.graph.gone`; here they are held
against the words by which the turn ends. Three kinds of look besides: one at a process that was to be ended and still
runs, one at a name of the network that was taken out and is still answered, and a list of the same program that still
holds the name that was taken out of it. A tool of another server that lists what another tool of it deleted is such a
look too. What the words call still on its way is not held against them.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from sessionlens.cache import lazy
from sessionlens.graph.events import Called, Ran, Said, Turn
from sessionlens.graph.gone import is_going, says_absent
from sessionlens.graph.mentions import has_word, mentioned
from sessionlens.graph.undone import said_undone
from sessionlens.graph.verification import RESOLVERS
from sessionlens.language.acts import Act
from sessionlens.shell.messages import document
from sessionlens.shell.servers import words_of
from sessionlens.shell.shapes import Gated
from sessionlens.targets import Target

if TYPE_CHECKING:
    from sessionlens.graph.session_graph import SessionGraph


class StillThere(NamedTuple):
    """A thing that is said to be gone, and what shows it."""

    said: Said
    """The words by which the turn ends."""
    act: Act
    """The words of them that say so."""
    sentence: str
    """Their sentence."""
    look: Ran | Called
    """The latest look at the thing."""
    quote: str
    """What it shows of it."""


_DEED = r"deleted|removed|dropped|destroyed|terminated|uninstalled|purged|wiped|erased|revoked|killed|stopped|torn\s+down|cleaned\s+up|decommissioned|shut\s+down"
_SAID = Gated(
    rf"\b(?:is|are|was|were|been|now|all|both|got)\s+(?:\w{{2,12}}\s+){{0,2}}?(?:gone|{_DEED})\b|\b(?:no\s+longer|does\s?n['o]t)\s+(?:exists?|there|running|present|listed|runs?)\b"
    rf"|^\W{{0,4}}(?:{_DEED})\b|\b(?:I|we)(?:['’]ve|\s+have)?\s+(?:\w{{2,12}}\s+){{0,1}}?(?:{_DEED})\b"
    r"|\b(?:ist|sind|wurden?)\b[^.!?\n]{0,60}?\b(?:weg|fort|gelöscht|entfernt|beendet|gestoppt)\b|\b(?:existier\w+|läuft|laufen|gibt\s+es)\b[^.!?\n]{0,40}?\bnicht\s+mehr\b"
    r"|\b(?:a|ont|est|sont)\s+(?:bien\s+)?(?:été\s+)?(?:supprimée?s?|effacée?s?|arrêtée?s?|retirée?s?)\b|n['’]existent?\s+plus\b"
    r"|\b(?:ha|han|fue|fueron|está|están|queda\w*|quedó)\s+(?:sido\s+)?(?:eliminad|borrad|suprimid|quitad|detenid)[oa]s?\b|\bya\s+no\s+exist\w+"
    r"|\b(?:foi|foram|está|estão)\s+(?:removid|exclu[ií]d|apagad|eliminad|parad)[oa]s?\b|\bnão\s+existe[m]?\s+mais\b"
    r"|\b(?:è|sono)\s+stat[oaie]\s+(?:eliminat|rimoss|cancellat|fermat)[oaie]\b|\bnon\s+esist\w+\s+più\b"
    r"|\b(?:is|zijn|werd|werden)\b[^.!?\n]{0,40}?\b(?:verwijderd|gestopt|weg)\b|\bbesta(?:at|an)\s+niet\s+meer\b|\bzosta[łl]\w*\s+usuni[ęe]t\w+|\bnie\s+istniej\w+\s+już\b|\bsilindi\b|\bkaldırıldı\b"
    r"|\b(?:är|blev|har|er|ble|blev|je|jsou|byl[aoi]?|byly)\b[^.!?\n]{0,30}?\b(?:borta|raderad\w?|bort(?:tagen|tagna|tagits)?|slettet|fjernet|væk|vekk|smaz[aá]n\w?|odstraněn\w?|pryč)\b|\b(?:finns|findes|finnes|eksisterer)\s+(?:inte|ikke)\s+(?:längre|længere|lenger)\b|\buž\s+neexistuj\w\b|\bist\s+weg\b"
    r"|(?<!\w)(?:διαγράφηκ\w+|αφαιρέθηκ\w+|διεγράφη\w*|δεν\s+υπάρχ\w+\s+πια)|تم\s+حذف|حُذف|لم\s+يعد\s+موجود|हटा\s+दिया|मिटा\s+दिया|अब\s+नहीं\s+है"
    r"|(?<!\w)(?:удал[её]н\w*|удалили|останов\w*|видален\w*)|больше\s+не\s+существу\w+|больше\s+нет|已(?:经)?(?:被)?(?:删除|移除|停止|清除)|不存在了|削除(?:しました|済み|されました)|もう(?:ありません|存在しません)|삭제(?:되었|했|됐)|더\s?이상\s?(?:없|존재하지)",
    re.IGNORECASE,
)
"""Words that say of a thing that it is there no more."""
_STILL = lazy(
    r"\b(?:still|being|terminating|deleting|shutting|in\s+progress|pending|will|shortly|soon|not\s+yet|until|once|when|if|should|eventually|scheduled|requested|marked|finali[sz]\w*|waiting|takes?|asked|background|propagat\w*|TTL|cache\w*|remain\w*|except|but|however|could\s?n['o]t|cannot|fail\w*|unable|noch|gerade|sobald|aber|encore|en\s+cours|mais|todavía|aún|en\s+curso|pero|ainda|mas|ancora|ma|nog|maar|jeszcze|ale|hâlâ|henüz)\b"
    r"|\bwird\b|\bwerden\b|(?<!\w)(?:ещё|еще|пока|но|ще)(?!\w)|仍|还在|正在|尚未|まだ|中です|아직|중입니다|[?？]",
    re.IGNORECASE,
)
"""Words by which the end of a turn tells that a thing is still there, or only will be gone."""
_DENIED = lazy(
    r"\b(?:not|isn['’]t|aren['’]t|wasn['’]t|never|nicht|pas|n['’]est)\s+(?:\w{2,10}\s+){0,1}?(?:gone|deleted|removed|gelöscht|supprim\w+)\b",
    re.IGNORECASE,
)
_TAKES_OUT = lazy(
    r"(?:^|[\s\"':=])(?:delete|remove|rm|del|destroy|drop|purge|uninstall|unset|revoke|detach|prune|-D|-d|--delete|DELETE)(?=$|[\s\"',:-])"
)
"""Words of a command that takes a thing out of something."""
_MOST = 200
"""Commands of a turn, the latest first, among which looks are sought."""
_READ = 8_000


def still_there(graph: SessionGraph, turn: Turn, prose: Sequence[Said]) -> Iterator[StillThere]:
    """What the end of a turn says to be gone against its latest look; at most one."""
    said = prose[-1] if prose else None
    if said is None or said.depth or any(call.seq > said.seq for call in turn.calls[-1:]):
        return
    # Few turns take something away: asked first, as words for what is gone stand in many texts.
    looks = list(_looks(graph, turn, said.seq))
    if not looks or _SAID.search(graph.prose(said)) is None:
        return
    sentences = graph.reading(said).sentences
    on_its_way = {at for at, one in enumerate(sentences) if _STILL.search(one.text) is not None}
    for number, sentence in enumerate(sentences):
        found = _SAID.search(sentence.text)
        if found is None or _DENIED.search(sentence.text) is not None:
            continue
        for look, names, quote in looks:
            if mentioned(sentence.text, names) and not any(
                at in {number, number + 1} or mentioned(sentences[at].text, names) for at in on_its_way
            ):
                start = sentence.span[0] + found.start()
                act = Act(act="claims_success", span=(start, start + len(found.group())))
                yield StillThere(said, act, sentence.text, look, quote)
                return


def _tool_looks(turn: Turn, before: int) -> Iterator[tuple[Called, frozenset[str], str]]:
    """The latest answer of a tool that still holds what another tool of the same server deleted, with its names."""
    calls = [call for call in turn.calls if call.line is None and call.seq < before][-_MOST:]
    for number, deleted in enumerate(calls):
        words = words_of(deleted.call.name)
        if _DELETES.isdisjoint(words) or said_undone(deleted) or deleted.unfinished:
            continue
        given = _scalars(deleted.call.arguments())
        names = frozenset(
            value for key, value in given if _NAMES.fullmatch(key) is not None and len(value) > 1
        )
        if not names:
            continue
        server = words[: 2 if words[:1] == ("mcp",) else 1]
        later = [call for call in calls[number + 1 :] if words_of(call.call.name)[: len(server)] == server]
        if any(not _CHANGES.isdisjoint(words_of(call.call.name)) for call in later):
            # It may be another one of the same name.
            continue
        look = next(
            (call for call in reversed(later) if not _LOOKS.isdisjoint(words_of(call.call.name))), None
        )
        if look is not None and (quote := _record(look, frozenset(value for _, value in given))):
            yield look, names, quote


_DELETES = frozenset(
    {
        "delete",
        "remove",
        "destroy",
        "drop",
        "purge",
        "revoke",
        "terminate",
        "unregister",
        "deregister",
        "uninstall",
    }
)
_CHANGES = frozenset(
    {"create", "add", "insert", "update", "upsert", "set", "put", "restore", "register", "install", "import"}
)
_LOOKS = frozenset(
    {"list", "get", "search", "read", "fetch", "find", "query", "describe", "show", "view", "lookup", "check"}
)
"""Words of tools by what they do."""
_NAMES = lazy(
    r"(?:\w{1,30}_?)?(?:name|id|key|title|slug|host|hostname|domain|record|email|user|username|login|branch|tag|bucket|path|file|label|topic|queue|rule|webhook|url|number|login)",
    re.IGNORECASE,
)
"""Keys of an input that name the thing."""
_RECORDS = 5_000


def _scalars(record: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The short values of a document, each with its key, in lower case."""
    return [
        (str(key).casefold(), str(value).casefold())
        for key, value in itertools.islice(record.items(), 50)
        if isinstance(value, str | int) and not isinstance(value, bool) and 0 < len(str(value)) <= 200
    ]


def _record(look: Called, given: frozenset[str]) -> str:
    """The record of an answer that holds all that a deletion was given, and does not tell of an end; else empty. Of a long answer only
    the ends are at hand, which are no document.
    """
    output = look.call.output
    if look.unfinished or look.call.status == "error" or output is None or output.long:
        return ""
    text = output.head
    if says_absent(text):
        return ""
    level: list[Any] = [document(text.strip())]
    seen = 0
    while level and seen < _RECORDS:
        inner: list[Any] = []
        for value in level[:_RECORDS]:
            seen += 1
            if isinstance(value, Mapping):
                values = {one for _, one in _scalars(value)}
                written = json.dumps(value, ensure_ascii=False)[:_READ] if given <= values else ""
                if written and _OVER.search(written) is None and not is_going(written):
                    return written[:200]
                inner += list(value.values())
            elif isinstance(value, list):
                inner += value
        level = inner
    return ""


_OVER = lazy(
    r"\"(?:deleted|removed|archived|disabled|terminated)(?:_?at)?\"\s{0,3}:\s{0,3}(?!false|null|\"\"|0)|\"(?:found|exists)\"\s{0,3}:\s{0,3}false|\"\w{1,30}\"\s{0,3}:\s{0,3}\"(?:deleted|removed|archived|terminated|destroyed|revoked|inactive|trashed|not[ _]?found)\"",
    re.IGNORECASE,
)
"""What says of a record that it is only kept."""


def _looks(
    graph: SessionGraph, turn: Turn, before: int
) -> Iterator[tuple[Ran | Called, frozenset[str], str]]:
    """The latest look at each thing that was to go, where it shows the thing: with the thing's names and what is shown."""
    yield from _tool_looks(turn, before)
    seen: set[Target] = set()
    ended: list[Ran] = []
    commands = (
        ran for call in reversed(turn.calls) if call.seq < before for ran in reversed(graph.commands(call))
    )
    latest = list(itertools.islice(commands, _MOST))
    taken = [ran for ran in latest if _takes_out(ran)]
    if not taken and not any(ran.of_gone for ran in latest):
        return
    for ran in latest:
        command, outcome = ran.command, ran.outcome
        target = command.target
        if command.effect in ("delete", "stop") and not ran.of_gone and not outcome.failed:
            ended.append(ran)
        if ran.of_gone:
            if target in seen:
                continue
            seen.add(target)
            if any(later.seq > ran.seq and graph.match(later, target) is not None for later in ended):
                # It was taken away once more since.
                continue
            going = outcome.in_progress or is_going(outcome.quote)
            if outcome.state == "bad" or (outcome.state == "unclear" and going):
                yield ran, _names(graph, ran), outcome.quote
        elif command.effect in ("check", "read") and not ran.call.unfinished and ran.call.cut_off is None:
            yield from _other_looks(graph, ran, latest, taken, seen)


def _takes_out(ran: Ran) -> bool:
    """Whether a command ends a process or takes a thing out of something, as far as its result shows."""
    command = ran.command
    if ran.outcome.failed or ran.outcome.reached == "no" or ran.of_gone:
        return False
    if command.effect in ("delete", "stop"):
        return True
    if command.program == "crontab":
        return command.effect == "configure" and _LEFT_OUT.search((ran.call.line or "")[:2_000]) is not None
    return ran.change and _TAKES_OUT.search(" ".join(command.words[1:40])[:2_000]) is not None


def _other_looks(
    graph: SessionGraph, look: Ran, latest: Sequence[Ran], taken: Sequence[Ran], seen: set[Target]
) -> Iterator[tuple[Ran, frozenset[str], str]]:
    """A process that still runs, a name that is still answered, a name that a list still holds."""
    command, outcome, target = look.command, look.outcome, look.command.target
    before = [one for one in taken if one.seq < look.seq]
    if target in seen or not before:
        return
    if target.kind == "process" and command.effect == "check":
        again = any(one.seq > look.seq and graph.match(one, target) is not None for one in taken)
        meant = (one for one in before if one.command.effect == "stop")
        stop = next((one for one in meant if graph.match(look, one.command.target) is not None), None)
        if stop is None or again:
            return
        seen.add(target)
        # What was started since may be another one of the same name.
        anew = any(stop.seq < one.seq < look.seq and one.start for one in latest)
        if not anew and outcome.state == "good" and outcome.quote:
            called = (word.rsplit("/", 1)[-1].casefold() for word in outcome.quote.split())
            yield (
                look,
                graph.names_of(target) | {word for word in called if _CALLED.fullmatch(word)},
                outcome.quote,
            )
        return
    output = look.call.call.output
    if output is None or len(graph.commands(look.call)) != 1:
        return
    if command.program in RESOLVERS:
        name = target.name.rstrip(".").casefold()
        words = next(
            (said for one in before if name in (said := " ".join(one.command.words[:60]).casefold())), ""
        )
        if "." in name and words and _REPLACES.search(words) is None:
            seen.add(target)
            if outcome.state == "good" and outcome.quote:
                yield look, frozenset({name}), outcome.quote
        return
    shows = _SHOWS.get(command.program, frozenset())
    asked = next((word for word in command.words[1:4] if word in shows), "")
    if not asked:
        return
    for one in before[:_FEW]:
        if one.command.program != command.program or one.command.target.host != target.host:
            continue
        if command.program == "git" and not (
            {"push", "branch"} & set(one.command.words[1:4])
            and ("push" in one.command.words[1:4]) == (asked == "ls-remote")
        ):
            # What a clone holds tells nothing of the remote, nor the other way round.
            continue
        for name in _taken_names(one):
            if (mark := Target(kind="unknown", name=name, host=target.host)) in seen:
                continue
            seen.add(mark)
            lines = output.ends()[:_READ].splitlines()
            line = next((line for line in lines if has_word(line.casefold(), name)), None)
            if line is not None:
                yield look, frozenset({name}), line.strip()[:200]


def _taken_names(ran: Ran) -> Iterator[str]:
    """The names that a command takes out of a list."""
    if ran.command.program == "crontab":
        yield from (found["name"].casefold() for found in _LEFT_OUT.finditer((ran.call.line or "")[:2_000]))
        return
    for word in ran.command.words[2:12]:
        name = word.casefold().partition("/")[0] if ran.command.program == "ufw" else word.casefold()
        if len(name) > 1 and name not in _NO_NAMES and not name.startswith("-"):
            yield name


_CALLED = lazy(r"[a-z][\w.-]{3,40}")
_REPLACES = lazy(r"\b(?:create|upsert|add|update|set)\b", re.IGNORECASE)
_SHOWS = {
    "git": frozenset({"ls-remote", "branch"}),
    "crontab": frozenset({"-l"}),
    "ufw": frozenset({"status", "show"}),
    "firewall-cmd": frozenset({"--list-all", "--list-ports", "--list-services"}),
    **dict.fromkeys(("gh", "glab", "consul", "vault"), frozenset({"list", "ls"})),
}
"""Programs that both take a name out of a list and show that list, with the words by which they show it."""
_LEFT_OUT = lazy(r"\bgrep\s+-\w{0,4}v\w{0,4}\s+(?:-\w\s+)?['\"]?(?P<name>[\w./-]{3,80})")
_FEW = 5
_NO_NAMES = frozenset(
    {"delete", "remove", "rm", "origin", "allow", "deny", "from", "to", "any", "proto", "tcp", "udp", "main", "master", "state", "push", "branch",
     "list", "add", "input", "output", "forward", "on", "in", "out", "dev", "via", "addr", "route", "tag", "destroy", "uninstall"}
)  # fmt: skip
"""Words of such commands that name nothing."""
_IN_STATEMENT = lazy(
    r"'(?P<value>[^'\\\"]{3,80})'|\b(?:from|table|into|update)\s+[\"'`]?(?P<table>[\w.]{3,60})", re.IGNORECASE
)


def _names(graph: SessionGraph, look: Ran) -> frozenset[str]:
    """The names by which the end of a turn would speak of what a look shows; of a database, what its statement names."""
    if look.command.target.kind != "database":
        return graph.names_of(look.command.target)
    words = " ".join(look.command.words[1:])[:2_000]
    named = (
        found["value"] or found["table"] for found in itertools.islice(_IN_STATEMENT.finditer(words), 20)
    )
    shown = look.outcome.quote.strip()
    return frozenset(
        name.casefold() for name in (*named, *([shown] if re.fullmatch(r"[\w.-]{3,60}", shown) else []))
    )
