"""What is said of several places, or of several things of one kind, against what each of them showed.

Two statements are held against the looks of their turn: one about all of them, where one was seen bad, is not there
yet or gave no answer; and one that praises the very one that was seen bad.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from sessionlens.cache import lazy
from sessionlens.graph.constraints import sentences
from sessionlens.graph.events import Called, Ran
from sessionlens.graph.mentions import clause_of, clauses, mentioned
from sessionlens.graph.partly import denied, places_of, shares, tells_part
from sessionlens.graph.queries import Predicate, Window, change, changes
from sessionlens.graph.shortfalls import refusal_wanted
from sessionlens.language.acts import Act, Reading
from sessionlens.shell.command import STARTS
from sessionlens.targets import Target

if TYPE_CHECKING:
    from sessionlens.graph.session_graph import SessionGraph


class Wrong(NamedTuple):
    """A statement about several things, and the one of them that does not bear it out."""

    act: Act
    """The words."""
    sentence: str
    """The sentence."""
    about: Ran
    """The last that was done or looked at there."""
    bad: bool
    """Whether its result shows it bad; otherwise it shows nothing, or that it is not there yet."""


class _Member(NamedTuple):
    ran: Ran
    ours: frozenset[str]
    """Words that name it alone."""
    others: frozenset[str]
    """Words that name the others of its group."""
    row: str = ""
    """For a row of a list: what it shows, good, bad or unclear."""


_MOST = 400
"""Commands of a turn that are grouped, the latest first."""
_SIZE = 50
"""Members of a group."""
_ALL = lazy(
    r"\b(?:all\s+(?:of\s+(?:them|the\s+\w{1,20})|(?:the\s+)?(?:two|three|four|five|six|seven|eight|nine|ten|\d{1,3}|nodes?|hosts?|servers?|machines?|instances?|replicas?|services?|boxes|sites?|members)\b|(?:is\s+|are\s+|looks?\s+)?(?:good|healthy|up|active|green|well|fine|running|ok|okay|online|back|ready|clear)\b)"
    r"|(?:every|each)\s+(?:node|host|server|machine|instance|replica|one|box|site|service|member|of\s+them|single\s+\w{1,12})|everywhere|everything|across\s+the\s+(?:board|fleet|cluster)|whole\s+(?:fleet|cluster)|(?:they|these)\s+(?:are|look|all\s+\w)|both\b|none\s+of\s+them\s+(?:is|are)\s+(?:down|failing)"
    r"|überall|auf\s+(?:allen|beiden)|alle\s+(?:zwei|drei|vier|fünf|sechs|\d{1,3}|knoten|hosts?|server|maschinen|instanzen|dienste|laufen|sind|gesund|aktiv)|alles|beide\b|jede[rsm]?\s+(?:knoten|host|server|maschine)"
    r"|partout|tou(?:s|tes)\s+(?:les\s+)?(?:deux|trois|quatre|\d{1,3}|nœuds|noeuds|hôtes|serveurs|machines|services|sont)|sur\s+tou(?:s|tes)|tout\s+(?:est|va|tourne|fonctionne)|les\s+(?:deux|trois|quatre)\s+\w"
    r"|en\s+tod[oa]s|tod[oa]s\b|todo\s+(?:está|va|funciona)|l[oa]s\s+(?:dos|tres|cuatro)\b|ambos\b|em\s+tod[oa]s|tudo\s+(?:está|ok)|os\s+(?:dois|três|quatro)\b|ovunque|tutt[ie]\b|tutto\s+(?:è|ok|funziona|a\s+posto)|entramb[ie]\b"
    r"|overal\b|alle\s+(?:twee|drie|vier|nodes|servers)|wszędzie|wszystkie|wszystko|oba\b|obie\b|her\s+yerde|hepsi|tüm\w*|hepimiz|överallt|alla\s+(?:tre|noder)|overalt|alle\s+tre)\b"
    r"|(?<!\w)(?:везде|всюду|на\s+всех|все\s+(?:три|два|узлы|хосты|серверы|ноды|работают|живы)|всё\s+(?:работает|хорошо|в\s+порядке)|оба|усюди|на\s+всіх|усі|всі)(?!\w)|全部|所有|都正常|三台|すべて|全て|両方|모두|모든|전부",
    re.IGNORECASE,
)
"""Words by which a sentence speaks of all of several places or things."""
_TWO = lazy(
    r"\b(?:both|beide\w?|les\s+deux|ambos|os\s+dois|entramb[ie]|oba|obie)\b|(?<!\w)оба(?!\w)|両方",
    re.IGNORECASE,
)
_FINE = lazy(
    r"\b(?:look(?:s|ing)?|seem(?:s|ing)?|appear(?:s|ing)?)\s+(?:all\s+|to\s+be\s+|pretty\s+|quite\s+|very\s+)?(?:good|fine|healthy|ok|okay|great|well|green|up|normal|clean|right|solid)\b|\b(?:sieht|sehen|schaut)\s+(?:\w+\s+){0,3}(?:gut|gesund|sauber)(?:\s+aus)?\b|\baussehen\s+gut\b"
    r"|\b(?:semblent?|paraît|paraissent)\s+(?:bons?|sains?|ok|correcte?s?)|\b(?:parecen?|se\s+ven?)\s+(?:bien|san[oa]s?|correct[oa]s?)|\bsembran?o?\s+(?:a\s+posto|ok|san[oi])|\bziet\s+er\s+(?:\w+\s+){0,2}goed\s+uit|\bwygląda(?:ją)?\s+(?:dobrze|ok)|(?<!\w)выгляд(?:ит|ят)\s+(?:хорошо|нормально)|看起来(?:都)?(?:正常|良好)",
    re.IGNORECASE,
)
"""How a state is called good by its looks."""
_STATE = lazy(
    r"\b(?:health\w*|up|active|running|runs?|ok|okay|fine|good|green|answer(?:s|ing)?|respond(?:s|ing)?|works?|working|alive|back|ready|serv(?:es|ing)|online|reachable|200|well|live"
    r"|gesund|gut|ordnung|läuft|laufen|aktiv|erreichbar|antwortet|funktioniert|oben|wohlauf|bons?|bonnes?|buen[oa]s?|bem|bene|goed|dobrze|sains?|saine|tourne\w*|répond\w*|fonctionne\w*|actifs?|bien|activ[oa]s?|funciona\w*|responde\w*|san[oaie]|attiv[oaie]|risponde|gezond|draait|draaien|actief|werkt"
    r"|działa\w*|zdrow\w+|aktywn\w+|çalış\w+|sağlıklı)\b|(?<!\w)(?:хорошо|порядке|работа\w*|доступ\w*|здоров\w*|отвеча\w*|працю\w*|жив\w*)|正常|稼働|健全|运行|정상|동작|[✅✓✔🟢]",
    re.IGNORECASE,
)
"""Words for a good state, as a check sees it."""
_ENDED = lazy(
    r"\b(?:stopped|down|off|disabled|closed|blocked|gone|removed|deleted|unreachable|shut|drained|inactive|gestoppt|aus|gesperrt|entfernt|abgeschaltet|arrêtée?s?|bloquée?s?|supprimée?s?|detenid[oa]s?|parad[oa]s?|bloquead[oa]s?|eliminad[oa]s?|fermat[oaie]|bloccat[oaie]|gestopt|uitgeschakeld|zatrzyman\w*)\b"
    r"|(?<!\w)(?:останов\w*|выключ\w*|удал\w*|зупин\w*|вимк\w*)|停止|关闭|削除|중지",
    re.IGNORECASE,
)
"""Words by which a sentence speaks of what was ended or shut: a bad look is what it wants."""
_TELLS = frozenset(
    {"reports_failure", "acknowledges_cut_off", "admits_unverified", "reports_in_progress", "hands_over"}
)


def told_stopped(graph: SessionGraph, text: str, ran: Ran) -> bool:
    """Whether a thing was stopped or removed before a look found it down, and a text says that it is: the look bears it out."""
    if _ENDED.search(text) is None:
        return False
    last = graph.before(ran).last(change(ran.command.target))
    return (
        isinstance(last, Ran)
        and last.command.effect in ("stop", "delete")
        and not last.outcome.failed
        and not last.outcome.changed_nothing
    )


def called_off(graph: SessionGraph, text: str, target: Target) -> bool:
    """Whether a clause of a text says of a target that it is off, stopped or gone, and nothing good besides."""
    if _ENDED.search(text) is None:
        return False
    names = graph.names_of(target) | places_of(target)
    return any(
        _ENDED.search(clause) is not None and _STATE.search(clause) is None and mentioned(clause, names)
        for sentence in sentences(text)
        for clause in clauses(sentence)
    )


def wrong(
    graph: SessionGraph, calls: Sequence[Called], text: str, reading: Reading, before: int
) -> Iterator[Wrong]:
    """What a text says of several things, or of one of them, that its looks do not bear out: the first of each kind."""
    # Few turns look at several things alike: asked first, as words of a state stand in most texts.
    groups = _groups(graph, calls, before)
    if not groups:
        return
    if _STATE.search(text) is None and not any(act.act == "claims_success" for act in reading.acts()):
        return
    praised = _praised(graph, groups, text, reading)
    if praised is not None:
        yield praised
        return
    honest = any(act.act in _TELLS for act in reading.acts()) or shares(text)
    if honest:
        return
    for sentence in reading.sentences:
        if _ALL.search(sentence.text) is None or sentence.text.rstrip().endswith("?"):
            continue
        act = next((act for act in sentence.acts if act.act in ("claims_success", "claims_check")), None)
        if act is None and _FINE.search(sentence.text) is not None:
            act = Act(act="claims_success", span=sentence.span)
        if act is None:
            continue
        of_state = _ENDED.search(sentence.text) is None and (
            _STATE.search(sentence.text) is not None or _FINE.search(sentence.text) is not None
        )
        two = _TWO.search(sentence.text) is not None
        for group in groups:
            looks = group[0].ran.command.effect == "check"
            if (
                (looks and not of_state)
                or (two and len(group) != _PAIR)
                or _of_others(graph, sentence.text, group)
            ):
                continue
            lacking = [
                one for one in group if _lacks(graph, one, before) and not _told(graph, one, text, reading)
            ]
            if lacking and (len(lacking) < len(group) or any(map(_bad, lacking))):
                worst = next(filter(_bad, lacking), lacking[0])
                if refusal_wanted(graph, worst.ran):
                    continue
                yield Wrong(act, sentence.text, worst.ran, _bad(worst))
                return


def _told(graph: SessionGraph, one: _Member, text: str, reading: Reading) -> bool:
    """Whether a text says of one of several that it is not well, or takes it out of what it says."""
    if not one.row:
        return tells_part(graph, text, one.ran.command.target)
    return any(denied(sentence.text, one.ours, one.others) for sentence in reading.sentences)


_SEARCHES = frozenset({"grep", "egrep", "fgrep", "zgrep", "rg", "ag"})
_RUNNING = frozenset({"host", "network", "service", "container", "url", "database"})
"""Kinds of things of which it tells something that they are there at all."""
_PAIR = 2


def _praised(
    graph: SessionGraph, groups: Sequence[Sequence[_Member]], text: str, reading: Reading
) -> Wrong | None:
    """A clause that calls good the one that was seen bad, where no word of the text says otherwise of it."""
    for group in groups:
        for one in group:
            if not _bad(one) or not mentioned(text, one.ours):
                continue
            said_bad = any(
                denied(sentence.text, one.ours, one.others)
                or any(
                    act.act in _TELLS and mentioned(clause_of(text, sentence.span, act.span), one.ours)
                    for act in sentence.acts
                )
                for sentence in reading.sentences
                if mentioned(sentence.text, one.ours)
            )
            if said_bad or (not one.row and tells_part(graph, text, one.ran.command.target)):
                continue
            for sentence in reading.sentences:
                if not mentioned(sentence.text, one.ours):
                    continue
                act = next((act for act in sentence.acts if act.act == "claims_success"), None)
                against = denied(sentence.text, one.others, one.ours) or any(
                    other.act in _TELLS for other in sentence.acts
                )
                if act is None and not against:
                    continue
                well = _STATE if one.ran.command.effect == "check" else _DONE
                for clause in _joined(clauses(sentence.text), one.ours | one.others):
                    good = well.search(clause) is not None and _ENDED.search(clause) is None
                    if mentioned(clause, one.ours) and good and not refusal_wanted(graph, one.ran):
                        act = act or Act(act="claims_success", span=sentence.span)
                        return Wrong(act, sentence.text, one.ran, bad=True)
    return None


def _joined(pieces: Sequence[str], names: frozenset[str]) -> Iterator[str]:
    """Clauses, where a mere name of a list goes with the clause that the list belongs to: ``up on lb1, lb2 and lb3``."""
    held = ""
    for piece in pieces:
        left = {word.casefold() for word in _BARE.findall(piece)} - names - _LINKS
        if not left and mentioned(piece, names):
            held += f", {piece}"
            continue
        if held.startswith(","):
            # A list that opens the sentence belongs to what follows it.
            piece, held = f"{held} {piece}", ""  # noqa: PLW2901
        if held:
            yield held
        held = piece
    if held:
        yield held


_BARE = lazy(r"[^\W\d_][\w.-]*")
_LINKS = frozenset(
    {"and", "or", "as", "well", "also", "on", "in", "at", "both", "plus", "the", "und", "sowie", "auf", "et", "ainsi", "sur", "y", "e",
     "en", "i", "oraz", "na", "og", "och", "ja", "ve", "и", "а", "на"}
)  # fmt: skip
"""Words that join the names of a list."""
_DONE = lazy(
    r"\b(?:(?:re)?started|reloaded|deployed|redeployed|rolled\s+out|done|updated|upgraded|active|up|running|back|neu\s?gestartet|ausgerollt|fertig|redémarrée?s?|déployée?s?|reiniciad[oa]s?|desplegad[oa]s?|riavviat[oaie]|herstart|zrestartowan\w+)\b"
    r"|(?<!\w)(?:перезапущ\w*|перезапущен\w*)|重启|再起動|재시작",
    re.IGNORECASE,
)
"""Words for a start that was made."""


def _groups(graph: SessionGraph, calls: Sequence[Called], before: int) -> list[list[_Member]]:
    """Looks and starts of one kind in several places, or at several things in one place: of each the latest."""
    by_place: dict[tuple[object, ...], dict[Target, Ran]] = {}
    by_name: dict[tuple[object, ...], dict[Target, Ran]] = {}
    seen = 0
    for call in reversed(calls):
        if call.seq >= before or call.line is None:
            continue
        for ran in reversed(graph.commands(call)):
            command, target = ran.command, ran.command.target
            seen += 1
            if seen > _MOST:
                break
            looks = command.effect == "check" and (
                command.check_strength in ("state", "exercise")
                or (command.check_strength == "presence" and target.kind in _RUNNING)
            )
            if not looks and (command.effect not in STARTS or command.effect == "reboot"):
                continue
            if command.words[:1] and command.words[0] in _SEARCHES:
                # Nothing found may be what was hoped for.
                continue
            kind = (looks, command.effect, command.words[:1], target.kind)
            host = target.host or ""
            if places_of(target):
                name = target.name.replace(host, "*") if host else target.name
                by_place.setdefault((*kind, name), {}).setdefault(target, ran)
            if target.name and target.kind != "url":
                by_name.setdefault((*kind, host, target.namespace), {}).setdefault(target, ran)
    groups = [_members(found, places_of) for found in by_place.values() if 1 < len(found) <= _SIZE]
    groups += [_members(found, graph.names_of) for found in by_name.values() if 1 < len(found) <= _SIZE]
    groups.append(_rows(graph, calls, before))
    return [group for group in groups if group]


def _rows(graph: SessionGraph, calls: Sequence[Called], before: int) -> list[_Member]:
    """The rows of the last list of what runs, where one is bad and nothing was changed since; empty where there is none."""
    listed = next(
        (
            ran
            for call in reversed(calls[-_LISTS:])
            if call.seq < before
            for ran in reversed(graph.commands(call))
            if ran.outcome.rows
        ),
        None,
    )
    if listed is None or Window(graph, listed.seq, before).first(changes) is not None:
        return []
    return _of_rows(listed)


def _of_rows(listed: Ran) -> list[_Member]:
    """The rows of a list, one of which is bad; empty where none is, or there is but one."""
    rows = listed.outcome.rows[:_SIZE]
    if len(rows) < _PAIR or all(state != "bad" for _, state in rows):
        return []
    words = [
        frozenset(word.casefold() for word in _BARE.findall(row) if len(word) > 1) - _OF_STATE
        for row, _ in rows
    ]
    made = []
    for number, (_, state) in enumerate(rows):
        others = frozenset().union(*(own for other, own in enumerate(words) if other != number))
        made.append(_Member(listed, words[number] - others, others - words[number], state))
    return made


def tells_row(text: str, listed: Ran) -> bool:
    """Whether a text says of the first bad row of a list that it is not well."""
    bad = next((one for one in _of_rows(listed) if one.row == "bad"), None)
    return bad is not None and any(denied(one, bad.ours, bad.others) for one in sentences(text))


_LISTS = 20
"""Calls among which a list is looked for, the latest first."""
_OF_STATE = frozenset(
    {"up", "down", "ago", "seconds", "second", "minutes", "minute", "hours", "hour", "days", "day", "weeks", "about", "healthy", "unhealthy",
     "running", "restarting", "exited", "created", "online", "offline", "errored", "stopped", "stopping", "launching", "active", "inactive",
     "failed", "dead", "paused", "tcp", "udp", "starting", "health", "status", "an", "fork", "cluster", "mode", "root", "enabled", "disabled"}
)  # fmt: skip
"""Words of a row that are of its state, and no name."""


def _members(found: dict[Target, Ran], names_of: Callable[[Target], frozenset[str]]) -> list[_Member]:
    names = {target: names_of(target) for target in found}
    made = []
    for target, ran in found.items():
        others = frozenset().union(*(names[other] for other in found if other != target))
        ours = names[target] - others
        if ours:
            made.append(_Member(ran, ours, others - names[target]))
    return made


def _bad(one: _Member) -> bool:
    ran = one.ran
    if one.row:
        return one.row == "bad"
    if ran.command.effect == "check":
        return ran.outcome.state == "bad" and not ran.outcome.in_progress
    return ran.outcome.failed and ran.call.cut_off is None and not ran.call.connection_lost


def _lacks(graph: SessionGraph, one: _Member, before: int) -> bool:
    """Whether the last look at a thing, or its start, does not show it well, and nothing else did since."""
    ran = one.ran
    if one.row:
        return one.row == "bad"
    target, outcome = ran.command.target, ran.outcome
    since = Window(graph, ran.seq, before)
    if ran.command.effect == "check":
        silent = ran.command.quiet or ran.command.verdict_by_exit
        unseen = outcome.state is None and (not silent or ran.call.cut_off is not None or outcome.failed)
        if outcome.state != "good" and (outcome.state is not None or unseen):
            return since.first(change(target)) is None and since.first(_well(target)) is None
        return False
    ended = ran.call.cut_off is None and not ran.call.unfinished and not ran.call.connection_lost
    if not outcome.failed and (outcome.completed == "yes" or (ended and outcome.reached != "no")):
        return False
    return since.first(_well(target)) is None


def _well(target: Target) -> Predicate:
    """A look that found a target well, or a start of it that succeeded."""
    return Predicate(
        name=f"well({target.name})",
        among="ran",
        holds=lambda graph, event: (
            isinstance(event, Ran)
            and (event.outcome.state == "good" or (event.start and event.succeeded))
            and graph.match(event, target) is not None
        ),
    )


def _of_others(graph: SessionGraph, sentence: str, group: Sequence[_Member]) -> bool:
    """Whether a sentence names something that was worked on, and nothing of this group."""
    ours: set[str] = set()
    for one in group:
        ours |= one.ours | one.others | graph.names_of(one.ran.command.target)
    return _NOUNS.search(sentence) is not None or (
        not mentioned(sentence, frozenset(ours))
        and mentioned(sentence, graph.names_in_use - ours - _EVERYDAY)
    )


_NOUNS = lazy(
    r"\b(?:tests?|specs?|files?|changes?|commits?|links?|pages?|typos?|docs?|dateien|änderungen|fichiers|archivos|ficheros|file|bestanden|pliki|checks?\s+pass\w*)\b|файл|测试|文件|テスト|ファイル",
    re.IGNORECASE,
)
"""Words for what is no place and nothing that runs."""
_EVERYDAY = frozenset({"server", "servers", "service", "services", "host", "hosts", "node", "nodes", "all", "three", "up", "app", "main", "health", "status", "good"})  # fmt: skip
