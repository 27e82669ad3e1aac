"""Whether words say that a success is one of a part: ``on node1 and node2 only``, ``two of three``, ``n'a atteint que``.

Such words are an honest report of what was not reached, in any language, also where they state success.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from sessionlens.cache import lazy
from sessionlens.graph.constraints import sentences
from sessionlens.graph.events import Ran
from sessionlens.graph.mentions import mentioned, word_at
from sessionlens.targets import Target

if TYPE_CHECKING:
    from sessionlens.graph.session_graph import SessionGraph

_ONLY = lazy(
    r"\b(?:only|just|merely|solely|so\s+far|nur|lediglich|blo(?:ß|ss)|bislang|bisher|seulement|uniquement|s[oó]lo|solamente|[uú]nicamente|somente|apenas|s[oó]"
    r"|soltanto|alleen|slechts|enkel|tylko|jedynie|bara|endast|kun|yaln[ıi]zca|sadece|vain|csak|jen|pouze|numai|doar)\b"
    r"|\b(?:ne\s|n['’])[^.;!?\n]{1,60}?\bqu(?:e\b|['’])|(?<!\w)(?:только|лишь|тільки|лише)(?!\w)|[只仅僅]|だけ|のみ|しか|만\s",
    re.IGNORECASE,
)
"""Words that restrict what is said to what they stand by."""
_BUT = lazy(
    r"\b(?:(?:all|everything|everywhere|everyone|every\s+\w{1,20})\s+but|bar|minus|save\s+for|excluding|left\s+to\s+do|still\s+to\s+(?:do|come|go)|remain(?:s|ing)|except(?:\s+for)?|apart\s+from|other\s+than|with\s+the\s+exception|bis\s+auf|außer|ausgenommen|sauf|hormis|excepté\w*|exception|salvo|excepto|exceto|menos|tranne"
    r"|eccetto|behalve|uitgezonderd|oprócz|wyjątkiem|utom|undtagen|hariç|dışında|kivéve|kromě)\b|(?<!\w)(?:кроме|крім|исключением|винятком)(?!\w)|除了|以外|除く|を除|제외"
    r"|\b(?:is|are|still)\s+(?:left|missing|outstanding|pending|to\s+do|open)\b|\b(?:fehlt|fehlen|steht\s+noch\s+aus|stehen\s+noch\s+aus|noch\s+offen|bleibt|bleiben)\b|\b(?:reste|restent|manque|manquent)\b"
    r"|\b(?:falta|faltan|faltam|queda|quedan|manca|mancano|resta|ontbreekt|ontbreken|brakuje)\b|(?<!\w)(?:оста[её]тся|остались|бракує|залишилось)(?!\w)",
    re.IGNORECASE,
)
"""Words that take something out of what is said, or say that it is still to come."""
_NUMBERS = {
    word: number
    for number, words in enumerate(
        (
            "zero none null keiner",
            "one ein eine einer einem einen eins un une uno una um uma één een jeden jedna один одна одну bir",
            "two zwei zweien deux dos due dois duas twee dwa dwie dwóch два две двух iki två",
            "three drei dreien trois tres tre três drie trzy trzech три трёх трех üç",
            "four vier vieren quatre cuatro quattro quatro cztery czterech четыре четырёх dört fyra fire",
            "five fünf cinq cinco cinque vijf pięć пять пяти beş fem",
            "six sechs seis sei zes sześć шесть altı sex seks",
            "seven sieben sept siete sette sete zeven siedem семь yedi sju syv",
            "eight acht huit ocho otto oito osiem восемь sekiz åtta otte",
            "nine neun neuf nueve nove negen dziewięć девять dokuz nio ni",
            "ten zehn dix diez dieci dez tien dziesięć десять tio",
            "eleven elf onze once undici jedenaście",
            "twelve zwölf douze doce dodici doze twaalf dwanaście",
        )
    )
    for word in words.split()
}
_NUMBER = r"\d{1,9}|" + "|".join(sorted(_NUMBERS, key=lambda word: (-len(word), word)))
_SHARE = lazy(
    rf"(?<![\w.,/-])(?P<part>{_NUMBER})(?:\s+(?:[^\W\d_]{{1,20}}\s+){{0,2}})?\s?(?:/|of|out\s+of|von|sur|de|di|van|z|ze|из|з|av|af|su)\s?"
    rf"(?:(?:the|all|den|der|insgesamt|les|los|las|dos|das|i|gli|tutti|todos|de)\s+){{0,2}}(?P<whole>{_NUMBER})(?![\w.,/-])",
    re.IGNORECASE,
)
"""A part and its whole: ``2/3``, ``two of the three``, ``deux hôtes sur trois``."""


_NOT_OF_IT = lazy(
    r"\b(?:not|nicht|nor|neither|non|pas|no|niet|nie|não|ikke|inte)\s+(?:yet\s+|aber\s+)?(?:(?:on|for|at|in|auf|für|bei|sur|pour|chez|en|em|su|op|na|the|host|node|server)\s+){0,3}[`*'\"]{0,2}$"
    r"|(?<!\w)(?:не|нет)\s+(?:(?:на|в|у|для)\s+){0,1}$",
    re.IGNORECASE,
)
"""A denial right before a name: ``but not on web2``."""
_DENIED = lazy(
    r"\b(?:not|nicht|non|no|niet|nie|não|ikke|inte|nej|nem|değil|yok|never|nope|nein|nee)[\s.!?)*_`|]{0,6}$|(?<!\w)(?:нет|ні|не)[\s.!)*_`|]{0,6}$"
    r"|(?:\b(?:is|are|was|were|does|do|did|has|have|had|could|can|will|would)\s+(?:still\s+|yet\s+|simply\s+|just\s+|so\s+far\s+)?not|\b(?:is|are|was|were|does|do|did|has|have|had|could|ca|wo|would)n['’]?t|\bcannot)\b{GOES_ON}"
    r"|\bnever\s+\w|\b(?:nicht|kein\w{0,2}|niet|geen|nie|ikke|inte|aldrig|nunca|jamais|mai)\b{GOES_ON}|\b(?:ne|n['’])\s?\w{1,20}\s+(?:\w{1,12}\s+)?(?:pas|plus|jamais|rien)\b"
    r"|\b(?:no|não|non)\s+(?:ha|han|he|se|está|estaba|estuvo|respond\w*|arranc\w*|funcion\w*|levant\w*|lleg\w*|volvi\w*|foi|está|subiu|voltou|è|sono|ha|risponde\w*|parte|torna\w*)\b"
    r"|(?<!\w)не\s+\w{2,}|\w(?:mıyor|miyor|muyor|müyor|madı|medi)\b|不|没|沒|未|ない|ません|안\s|못|않|아니|[❌✗✘✖🔴⛔]"
    r"|\b(?:down|dead|fail(?:s|ed|ing|ure)?|broken|unhealthy|unreachable|inactive|activating|stuck|missing|refus\w{1,3}|timed\s+out|times\s+out|cut\s+off|lost|unknown|unconfirmed|pending|kaputt|hängt|tot|ausgefallen|abgebrochen|unbekannt"
    r"|(?:still|stays?|stayed|remains?|remained)\s+(?:(?:has|have|runs?|running|serves?|serving|uses?|using|shows?|keeps?|on|at|with|its)\s+){0,2}(?:the\s+|its\s+|an?\s+)?(?:old|previous|former|expired|unchanged|untouched|as\s+(?:it\s+)?(?:was|before))"
    r"|(?:weiterhin|immer\s+noch|nach\s+wie\s+vor)\s+(?:\w{1,12}\s+){0,2}?(?:alte\w?|bisherige\w?|abgelaufene\w?|unverändert)|(?:toujours|encore)\s+(?:\w{1,8}\s+){0,2}?(?:l['’]|son\s+)?anci\w+|sigue\w?\s+(?:\w{1,8}\s+){0,2}?(?:viej[oa]s?|anterior\w*)"
    r"|(?:continua|ainda|ancora)\s+(?:\w{1,8}\s+){0,2}?(?:antig[oa]s?|anterior\w*|velh[oa]s?|vecchi\w)|nog\s+(?:\w{1,8}\s+){0,2}?oude|nadal\s+(?:\w{1,8}\s+){0,2}?star\w{1,3}|(?:по-прежнему|всё\s+ещё|все\s+еще|досі|все\s+ще)\s+(?:\w{1,10}\s+){0,2}?стар\w{1,3}"
    r"|caíd[oa]|hors\s+service|en\s+panne|giù|fuori\s+uso|kapot|упал\w?|лежит|[45]\d\d)\b".replace(
        "{GOES_ON}",
        r"(?!\s+(?:\w{1,20}\s+){0,2}?(?:fail|fehl|error|down|broken|affected|betroffen|degraded|complain|problem|ausgefallen|slow|langsam|touch|the\s+(?:issue|cause|culprit)))",
    ),
    re.IGNORECASE,
)
"""What denies that a thing is well, where it stands after its name: ``web2 is not``, ``web2 nicht``, ``web2: 502``."""
_STAYED = lazy(
    r"\b(?:(?:still|yet)\s+(?:\w+ly\s+)?(?:there|exists?|present|around|attached|mounted|referenced|used|needed|in\s+place)|(?<!back )in\s+use(?!\s+again)|busy|remains(?=\s*(?:[.,;:()!]|$)|\s+(?:there|in\s+place|attached|mounted|untouched))"
    r"|skipp(?:ed|ing)|left\s+(?:out|alone)|übersprungen|ausgelassen|ignoré\w{0,2}|omitid[oa]s?|saltat[oaie]|overgeslagen|pominięt\w{1,2}|atlandı|hoppades\s+över|sprunget\s+over|přeskočen\w?"
    r"|(?:left|kept|stay(?:s|ed))\s+(?:there|in\s+place|as\s+(?:it\s+)?(?:is|was)|untouched|attached|mounted)"
    r"|in\s+(?:Benutzung|Verwendung|Gebrauch)|(?:wird|ist)\s+noch\s+(?:\w{1,20}\s+){0,3}?(?:be|ver|ge)\w{3,14}t|noch\s+(?:immer\s+)?(?:da|vorhanden|belegt|eingehängt|am\s+leben)|(?:blieb|bleibt)\s+(?:\w{1,12}\s+){0,2}?(?:stehen|bestehen|erhalten|liegen|da)|(?:existiert|besteht|steht)\s+(?:noch|weiterhin)"
    r"|(?:encore|toujours)\s+(?:utilis\w{2,4}|en\s+(?:cours\s+d['’]utilisation|usage|place)|présent\w{0,2}|là|monté\w{0,2})|existe\s+(?:encore|toujours)|est\s+resté\w{0,2}|est\s+occupé\w{0,2}"
    r"|(?:todavía|aún|sigue|ainda|continua)\s+(?:\w{1,12}\s+){0,2}?(?:en\s+uso|em\s+uso|exist\w{1,5}|ahí|allí|lá|presente|montad[oa]|existiendo)|e[nm]\s+uso|ocupad[oa]|permanece"
    r"|(?:ancora|tuttora)\s+(?:\w{1,12}\s+){0,2}?(?:in\s+uso|presente|lì|montat[oa]|usat[oa])|in\s+uso|esiste\s+ancora|è\s+rimast[oa]"
    r"|nog\s+(?:steeds\s+|altijd\s+)?(?:in\s+gebruik|aanwezig|gekoppeld|gebruikt)|in\s+gebruik|bestaat\s+nog|(?:nadal|wciąż|jeszcze)\s+(?:\w{1,12}\s+){0,2}?(?:w\s+użyciu|używan\w|istnieje|jest|zajęt\w)|w\s+użyciu"
    r"|(?:används|bruges|brukes|benyttes|i\s+bruk|i\s+brug)\s+(?:fortfarande|stadig|fortsatt|ennå|ännu)|(?:fortfarande|stadig|fortsatt|ännu|ennå)\s+(?:\w{1,12}\s+){0,2}?(?:bru[gk]\w{0,3}|används|der|kvar|monter\w{1,2})|(?:finns|är)\s+kvar|eksisterer\s+stadig|finnes\s+fortsatt"
    r"|(?:stále|pořád|ještě)\s+(?:se\s+)?(?:používá|existuje|je|využívá)|hâlâ\s+(?:kullanıl\w+|duruyor|var)|kullanımda)\b"
    r"|(?<!\w)(?:(?:вс[её]\s+)?ещ[её]|по-прежнему)\s+(?:использ\w+|существует|есть|занят\w?|на\s+месте|подключ\w+)|(?<!\w)(?:остал(?:ся|ась|ось)|використовується|используется)(?!\w)|(?<!\w)(?:досі|(?:все\s+)?ще)\s+(?:використ\w+|існує|є|зайнят\w+)|(?<!\w)залиш(?:ився|илася|илось)(?!\w)"
    r"|(?<!\w)(?:ακόμη|ακόμα)\s+(?:\w{1,12}\s+){0,2}?(?:χρησιμοποι\w+|υπάρχει|σε\s+χρήση)|σε\s+χρήση|(?<!\w)παραμένει(?!\w)|(?:لا\s+يزال|ما\s?زال|لا\s+تزال)|قيد\s+الاستخدام|(?:अभी|अब)\s+भी|उपयोग\s+में|仍|还在|還在|还被|使用中|占用|まだ|残っ|残り|пропущен|παραλείφθηκ|跳过|スキップ|건너뛰|아직|여전히|사용\s?중|남아",
    re.IGNORECASE,
)
"""What says of a thing, where it stands after its name, that it is there as before, or was left out: ``old2 is still in use``."""
_AT_FIRST = lazy(
    r"\b(?:at\s+first|initially|(?:but\s+)?(?:now|then)\s+it\s+(?:is|was|did|does|came)|not\s+any\s+more|no\s+longer|zunächst|anfangs|anfänglich|inzwischen|d['’]abord|au\s+début|al\s+principio|inicialmente|dapprima|eerst|najpierw)\b|(?<!\w)(?:сначала|спочатку)(?!\w)|最初|一开始|처음",
    re.IGNORECASE,
)
"""Words by which what is denied is said to be over."""
_STOP = lazy(
    r"[;.!?\n](?=\s|$)|\n|,\s|\s(?:but|while|whereas|and|aber|während|und|mais|et|pero|mientras|y|ma|mentre|e|maar|en(?!\s+uso\b)|terwijl|но|а|и)\s"
)
"""Where what is said of a name ends."""
_SAID_OF = 80
"""Characters after a name that may speak of it."""


def denied(sentence: str, ours: frozenset[str], others: frozenset[str]) -> bool:
    """Whether a sentence says of one of our names that it is not well, or there as before, whatever it says of the others."""
    if _AT_FIRST.search(sentence) is not None:
        return False
    lowered = sentence.casefold()
    starts = sorted(at for name in others for at in _places(lowered, name))
    for name in ours:
        for at in _places(lowered, name):
            end = at + len(name)
            upto = min((start for start in starts if start >= end), default=len(lowered))
            upto = min(upto, end + _SAID_OF)
            # Right after the name a comma ends nothing: "web2, however, is not".
            stop = _STOP.search(lowered, end + 2, upto)
            after = lowered[end : stop.start() if stop is not None else upto]
            if (
                _DENIED.search(after) is not None
                or _STAYED.search(after) is not None
                or _NOT_OF_IT.search(lowered[max(0, at - 40) : at]) is not None
            ):
                return True
    return False


def _places(lowered: str, name: str) -> list[int]:
    found: list[int] = []
    at = word_at(lowered, name, 0)
    while at >= 0 and len(found) < _OFTEN:
        found.append(at)
        at = word_at(lowered, name, at + 1)
    return found


_OFTEN = 20
"""Places of a name in a sentence that are looked at."""
_SOME_NOT = lazy(
    r"\b(?:at\s+least\s+one|one\s+or\s+more|(?:some|several|one)\s+of|mindestens\s+ein\w{0,2}|au\s+moins\s+une?|al\s+menos\s+un\w?|pelo\s+menos\s+um\w?|almeno\s+un\w?|minstens\s+één|przynajmniej\s+jed\w+|minst\s+en)\b"
    r"[^.!?;\n]{0,50}?(?:fail|went\s+wrong|goes?\s+wrong|not\b|n['’]t\b|never|error|non-?zero|trouble|nicht|fehl|schief|échou|mal\b|fall[óo]|falh|fallit|mislukt|niet\b|błęd|nie\b|misslyck)"
    r"|(?<!\w)(?:хотя\s+бы\s+один|принаймні\s+один)[^.!?;\n]{0,50}?(?:не\s|ошиб|помил|упал)|(?:至少|少なくとも|최소)[^。\n]{0,30}?(?:失败|失敗|실패)",
    re.IGNORECASE,
)
"""Words by which a part, of which it is not said which, is said to have failed."""
_ENDED_WITH = r"(?:\b(?:exit\w*|return\w*|code|status|rc|gave|giv\w+|came\s+back|ended|endete\w*|liefer\w+|sorti\w*|rend\w*|salió|devolvi\w*|uscit\w*|zwróci\w*|kod\w?)\b|код\w*|退出码)\D{0,24}"


def tells_exit(text: str, code: int | None) -> bool:
    """Whether a text names the code with which something failed: ``xargs came back with 123``."""
    if code in (0, None) or str(code) not in text:
        return False
    return re.search(rf"{_ENDED_WITH}(?<!\d){code}(?!\d)", text[:_LONG], re.IGNORECASE) is not None


def tells_part(graph: SessionGraph, text: str, failed: Target) -> bool:
    """Whether a text says that only a part was done, and that what failed is the rest of it.

    :param failed: what a result shows bad. A text that names it as well done does not count: ``only`` may stand
        there for anything.
    """
    return any(_of_part(graph, sentence, failed) for sentence in sentences(text[:_LONG]))


_LONG = 4_000
"""Characters of a text that are read."""


def shares(text: str) -> bool:
    """Whether a text counts a part of a whole, some of which is missing."""
    for found in _SHARE.finditer(text[:_LONG]):
        part, whole = (_value(found[name]) for name in ("part", "whole"))
        if part < whole:
            return True
    return False


_ANY_NUMBER = lazy(rf"(?<![\w.,/-])(?P<number>{_NUMBER})(?![\w.,-])", re.IGNORECASE)


def number(text: str, count: int) -> bool:
    """Whether a text names a count, as a figure or in words."""
    return any(_value(found["number"]) == count for found in _ANY_NUMBER.finditer(text[:_LONG]))


def _value(word: str) -> int:
    return int(word) if word.isdecimal() else _NUMBERS[word.casefold()]


def _of_part(graph: SessionGraph, sentence: str, failed: Target) -> bool:
    if shares(sentence) or _SOME_NOT.search(sentence) is not None:
        return True
    ours, others = _words_for(graph, failed)
    if denied(sentence, ours, others):
        return True
    if _BUT.search(sentence) is not None:
        return mentioned(sentence, ours)
    return (
        _ONLY.search(sentence) is not None and mentioned(sentence, others) and not mentioned(sentence, ours)
    )


def _words_for(graph: SessionGraph, failed: Target) -> tuple[frozenset[str], frozenset[str]]:
    """How prose tells the failed thing from the others: by its place where the same was done in several, else by name."""
    places: set[str] = set()
    names: set[str] = set()
    here = places_of(failed)
    for seq in graph.index("ran")[-_MOST:]:
        ran = graph.events[seq]
        if not isinstance(ran, Ran):
            continue
        places |= places_of(ran.command.target)
        if ran.command.target.name and ran.command.target != failed:
            names |= graph.names_of(ran.command.target)
    by_place = frozenset(places - here)
    if here and by_place:
        short = _without_family(here | by_place)
        return frozenset(short.get(one, one) for one in here) | here, by_place | {
            short.get(one, one) for one in by_place
        }
    # What one command did in several places is told by the places that its output names.
    own = graph.names_of(failed)
    well, ill = _recap(graph, failed)
    return (frozenset(ill), frozenset(well)) if well else (own | frozenset(ill), frozenset(names - own))


def _without_family(names: frozenset[str]) -> dict[str, str]:
    """By name what tells it from its siblings, where all begin with the same word: ``lab`` for ``ps-lab``."""
    begin = os.path.commonprefix(sorted(names))  # noqa: RUF071 - of texts, not of paths
    until = max(begin.rfind("-"), begin.rfind("_")) + 1
    rests = {name: name[until:] for name in names} if until else {}
    return {name: rest for name, rest in rests.items() if len(rest) > 2 and rest.isalpha()}


_RECAP = lazy(
    r"^(?P<host>[\w.-]{1,80})\s+(?::\s+ok=\d+.{0,60}?unreachable=(?P<lost>\d+)\s+failed=(?P<failed>\d+)|\|\s(?P<state>[A-Z]{4,12})\b)",
    re.MULTILINE,
)
"""A line of what Ansible says at the end of each host, or of one module."""


def _recap(graph: SessionGraph, failed: Target) -> tuple[set[str], set[str]]:
    """The hosts that the latest result on a target names as done, and as failed."""
    well: set[str] = set()
    ill: set[str] = set()
    for seq in reversed(graph.index("ran")[-_MOST:]):
        ran = graph.events[seq]
        output = ran.call.call.output if isinstance(ran, Ran) and ran.command.target == failed else None
        if output is None:
            continue
        for found in _RECAP.finditer(output.ends()):
            bad = found["state"] in ("FAILED", "UNREACHABLE")
            if found["state"] is None:
                bad = found["lost"] != "0" or found["failed"] != "0"
            (ill if bad else well).update(places_of(Target(kind="host", name=found["host"])))
        if well or ill:
            break
    return well, ill


_MOST = 2_000
"""Commands whose targets a text may name."""
_NUMBERED = lazy(r"[\d.:\[\]a-f]+")


def places_of(target: Target) -> frozenset[str]:
    """How prose names where a target is: its host, also without the domain, its namespace, its context."""
    host = target.host or (target.name if target.kind == "host" else "")
    named = {place.casefold() for place in (host, target.namespace, target.context) if place}
    short = {place.split(".", 1)[0] for place in named if not _NUMBERED.fullmatch(place)}
    return frozenset(named | short)
