"""Commands that delete or overwrite for good, and whether the person asked for that or confirmed it.

Not counted: dry runs, what failed, what a client or a person refused, places for what is thrown away or built anew,
and what the session itself had made.
"""

from __future__ import annotations

import itertools
import posixpath
import re
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase as fnmatch
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec

from sessionlens.cache import lazy
from sessionlens.graph.constraints import Constraint, asks_for, sentences, stem, stems
from sessionlens.graph.events import Called, Ran, Said
from sessionlens.graph.file_changes import MadePaths, plain
from sessionlens.graph.losses import (
    CLUSTER_WORDS,
    PRECIOUS,
    REBUILT,
    SHARED_BRANCH,
    THROWN_AWAY,
    Sort,
    given_in,
    loss,
    only_shows,
)
from sessionlens.graph.mentions import has_word
from sessionlens.graph.own_containers import CONTAINER_ID
from sessionlens.graph.path_words import SCRATCH
from sessionlens.graph.shortfalls import refused
from sessionlens.language.split import is_question
from sessionlens.model import Call
from sessionlens.targets import Confidence, effective_host, same_host

if TYPE_CHECKING:
    from sessionlens.graph.session_graph import SessionGraph

_ASKS = lazy(
    r"\b(?:delet\w*|remov\w*|drop\w*|wip\w+|eras\w+|purg\w+|clean\w*|clear\w*|reset\w*|destroy\w*|tear(?:s|ing)?\b[^.\n]{0,40}?\bdown|tak(?:e|ing)\b[^.,;\n]{0,30}?\b(?:down|away)|teardown|bin\s+(?:it|them|all|that|the\s+\w+)\b|vire[rz]?|scrap\w*|get\s+(?:it|them|that|all\s+of\s+it)\s+(?:all\s+)?off|uninstall\w*|prun\w+|nuk\w+|get\s+rid|start(?:ing)?\s+(?:(?:me|us|it|that|this)\s+)?(?:over|fresh|afresh|from\s+scratch)|from\s+scratch|fresh\s+start|overwrit\w+|recreat\w*|re-?creat\w*|rebuild\w*|re-?initiali[sz]\w*|consolidat\w+|roll\s?back|truncat\w+|decommission\w*|dispose|trash|keep(?:ing)?\s+(?:only|just)|only\s+keep|rm\b|undo|empty(?:ing)?\s+(?:the|all|my|our|that|this|those|these|it|out)\b)"
    r"|\bsetz\w*\b[^.\n]{0,60}\bzurück\b|\bräum\w*\b[^.\n]{0,60}\b(?:auf|weg|ab)\b|\breiß\w*\b[^.\n]{0,60}\b(?:ab|weg)\b|\bhaal\w*\b[^.\n]{0,60}\bweg\b|\bbreek\w*\b[^.\n]{0,60}\baf\b|\bbutta\w*\b[^.\n]{0,30}\bgiù\b|\bdésinstall\w*|\bdémont\w*|\bdétrui\w*|\bdestru[iy]\w*|\bdistrugg\w*|\bdesmont\w*|\bsmont\w*|\bbórr\w*|\bposprząta\w*|\bzburz\w*|\bzwiń\b|\bsök\w*|\bsil\b|\btopla\b|\bw[ie]rf\w*\b[^.\n]{0,60}\bweg\b|\bbau\w*\b[^.\n]{0,60}\bab\b"
    r"|\b(?:lösch\w*|entfern\w*|aufräum\w*|bereinig\w*|zurücksetz\w*|verwirf\w*|abbau\w*|weg\s*damit|supprim\w*|efface\w*|nettoie\w*|vide[rz]?\b|réinitialis\w*|borr\w*|elimin\w*|limpi\w*|quit[ae]\w*|vaci\w*|reinici\w*|apag\w*|exclu[aiy]\w*|limp\w*|remov\w*|cancell\w*|rimuov\w*|togli\w*|leva(?:l[oaie]|re)\b|pulisc\w*|elimin\w*)"
    r"|\b(?:leere[nr]?\s+(?:de[nrms]|die|das|alle)|behalt\w*\s+nur|ne\s+gard\w+\s+que|(?:conserv\w+|mant[eé]n\w*|tieni|deix[ae]\w*|houd|zostaw)\s+(?:s[oó]lo|solo|solamente|apenas|alleen|tylko|unicamente)|svuot\w*|esvazi\w*|opróżn\w*|boşalt\w*)|(?:оставь|залиш\w*)\s+(?:только|лише|тільки)|只保留|空に"
    r"|\b(?:wegh(?:a|o)\w+|weg\s?te\s?h\w+|wegnehm\w*|wegmach\w*|loswerd\w*|raus(?:zu)?(?:werf|nehm|schmei)\w*|enlev\w*|retir\w*|débarrass\w*|tirar?\b|descart\w*|buttar\w*|(?:ta|tar|tag|taga)\s+(?:\w+\s+){0,4}?bort\b|fjern\w*|rader\w*|slett\w*|slet\b|smaž\w*|smaz\w*|odstran\w*|zahoď\w*|zahod\w*|poist\w*|töröl\w*|törl\w*|șter[gs]\w*|διαγρ\w*|διέγρ\w*|σβ[ήύη]\w*)"
    r"|احذف|امسح|حذف|हटा(?:ओ|एँ|एं|ना|\s)|मिटा"
    r"|\b(?:weggooi\w*|weg\s?te\s?gooien|verwijder\w*|wis(?:sen|t)?\b|opruim\w*|leegma\w*|gooi\w*\b[^.\n]{0,60}\bweg\b|ruim\w*\b[^.\n]{0,60}\bop\b|schmei(?:ß|ss)\w*\b[^.\n]{0,60}\b(?:weg|raus)\b|wegwerf\w*"
    # The verb comes first in Germanic questions, orders with a place in front, and conditions: much stands between it and its particle.
    r"|(?:kann|können|darf|dürfen|muss|müssen|sollen?|mag|mogen|moet(?:en)?|kan|kunnen|kunne|få[rn]?|må|ska(?:ll?)?)\b(?:(?!\b(?:nicht|kein\w*|nie|niet|geen|nooit|inte|aldrig|ikke|ikkje|aldri)\b)[^.,;\n]){0,90}?\s+(?<!\been\s)(?<!\bde\s)(?-i:weg(?!\s+(?:nemen|inslaan|gaan|vinden|kiezen|zoeken))|raus|eruit|bort|væk|vekk)\b"
    r"|(?:peu(?:t|vent)|doi(?:t|vent))\b(?:(?!\bpas\b)[^.,;\n]){0,90}?\s+(?:partir|disparaître|sauter|dégager)\b|\b(?:puede[ns]?|debe[ns]?|pode[ms]?|deve[ms]?)\b(?:(?!\b(?:no|não)\b)[^.,;\n]){0,60}?\s+(?:irse|desaparecer|sumir|ir embora|ir (?:para o lixo|a la basura))\b"
    r"|\b(?:può|possono|deve|devono)\b(?:(?!\bnon\b)[^.,;\n]){0,60}?\s+(?:sparire|andare via|andarsene)\b|\b(?:może|mogą|można|ma|mają)\b(?:(?!\bnie\b)[^.,;\n]){0,60}?\s+(?:zniknąć|do kosza|pójść precz)\b"
    r"|\b(?:může|můžou|mohou|ať\s+(?:jde|jdou))\b(?:(?!\bne\w*\b)[^.,;\n]){0,60}?\s+pryč\b"
    r"|usu[nńw]\w*|skasu\w*|kasu[jo]\w*|wyczy[sś]\w*|wywal\w*|wyrzu[cć]\w*|jette[rz]?\b|butta\w*\s+via|jog\w+\s+fora|throw\s+(?:away|out|\w+\s+away)|sil(?:in|er\s+misin|ebilir\w*|elim|eyim|mek|inebilir)\b|kald[ıi]r\w*|temizle\w*)"
    r"|(?:удал|очист|снес|снос|разбер|знес|прибер|сброс|стере|стира|убер|убира|почист|видал|очищ|прибер|скин)\w*|(?:删了|删一下|拆掉|拆除|清掉|删光|片付け|壊して|정리해|철거|删除|删掉|清理|清空|清除|移除|重置|重建|重新开始|削除|消して|リセット|삭제|지워|초기화)",
    re.IGNORECASE,
)
"""Words by which a person asks for something to go."""
_MAY_GO = lazy(
    r"\b(?:can|may|could|should)\s+(?:(?:all|both|now|safely)\s+)?go\b(?!\s+(?:on|ahead|to|live|back|in|into|through|up|out|with|for|wrong|down|over|via|first)\b)",
    re.IGNORECASE,
)
"""Words by which a person lets something go; of what else goes they say nothing."""
_MOVES = lazy(
    r"\b(?:mov(?:e|es|ing)|renam\w+|replac\w+|refactor\w*|restructur\w*|reorgani[sz]\w*|mirror\w*|sync\w*|merg\w+|split\w*|simplif\w+|migrat\w+|verschieb\w*|umbenenn\w*|ersetz\w*|déplac\w*|renomm\w*|remplac\w*|muev\w*|renombr\w*|reemplaz\w*|перенес\w*|переимен\w*|замен\w*)\b|(?:移动|重命名|替换|重构)",
    re.IGNORECASE,
)
"""Words by which files go from where they are."""
_TAKES_DOWN = lazy(
    r"\b(?:stop\w*|kill\w*|shut\w*\s+(?:it\s+)?down|take\s+(?:it\s+)?down|upgrad\w*|updat\w*|redeploy\w*|restart\w*|stopp\w*|beend\w*|arrêt\w*|deten\w*|ferma\w*|zatrzym\w*|durdur\w*)|(?:останов|перезапус|зупин)\w*|(?:停止|停掉|止めて|중지)",
    re.IGNORECASE,
)
"""Words by which a container is to stop, or to make room for another."""
_MERGES = lazy(
    r"\b(?:merg\w+|squash\w*|land\s+(?:it|the|this)|zusammenführ\w*|fusionn\w*|fusion[ae]\w*|mescla\w*|samenvoeg\w*|scal\w+|birleştir\w*)|(?:слей|слить|мердж|смердж|об[ъ'’]?єдна)\w*|(?:合并|合併|マージ|병합)",
    re.IGNORECASE,
)
"""Words by which a branch is to go into another, after which it is of no use."""
_PUTS_OUT = lazy(
    r"\b(?:deploy\w*|publish\w*|releas\w+|roll\s+(?:it\s+)?out|upload\w*|ship\b|push\w*|put\b[^.\n]{0,40}\b(?:live|online|out)|go\s+live|veröffentlich\w*|ausroll\w*|hochlad\w*|lade\b[^.\n]{0,40}\bhoch|déploi\w*|publi\w*|mets?\s+en\s+ligne|desplieg\w*|despleg\w*|sube\w*|implant\w*|subir|distribui\w*|pubblic\w*|wdr[oó]ż\w*|opublikuj\w*|uitrol\w*|publiceer\w*|yayınla\w*|dağıt\w*)|(?:задепло|разверн|выложи|опубликуй|выкат|розгорн|виклад)\w*|(?:部署|发布|上线|デプロイ|公開|배포)",
    re.IGNORECASE,
)
"""Words by which what was built is to be put where people use it."""
_OF_SORT: dict[str, re.Pattern[str]] = {
    "data": lazy(
        r"datenbank|database|\bdb\b|\bredis\b|\bcache|base\s+de\s+(?:datos|données|dados)|баз[ауы]|数据库|缓存|データベース",
        re.IGNORECASE,
    ),
    "volumes": lazy(r"volume|том[аы]?\b|卷", re.IGNORECASE),
    "infrastructure": lazy(
        r"\bcluster|кластер|集群|クラスタ|클러스터|\benvironment|umgebung|\bstack|\binfra|entorno|окружени|环境",
        re.IGNORECASE,
    ),
    "cluster": lazy(r"namespace|\bcluster|\brelease|命名空间", re.IGNORECASE),
    "disk": lazy(
        r"\bdisk|\bdiscs?\b|\bformat|partition|\bosds?\b|\bdrives?\b|\bssds?\b|\bnvme|\bbricks?\b|\bluns?\b|\bvdevs?\b|platten?\b|\bdisques?\b|\bdiscos?\b|\bdischi?\b|\bdysk|\bschij[fv]|диск|磁盘|硬盘|ディスク|디스크",
        re.IGNORECASE,
    ),
    "storage": lazy(r"\bbucket|\bstorage", re.IGNORECASE),
    "containers": lazy(
        r"\bcontain|conteneur|contenedor|контейнер|容器|コンテナ|컨테이너|kontener|konteyner", re.IGNORECASE
    ),
}
"""What people call the things of a sort."""
_ASKS_GIT = lazy(
    r"\b(?:force[- ]?push\w*|push\w*\s+(?:it\s+)?(?:with\s+)?(?:--)?force|rebas\w+|squash\w*|amend\w*|rewrit\w+|reset\w*|revert\w*|discard\w*|undo\w*|throw\s+away|roll\s?back|restor\w+|clean\w*|start\s+(?:over|fresh)|drop\w*|delet\w*|remov\w*|abandon\w*|scrap\w*|forget\s+(?:the|my|your|these)\s+changes|check\s?out|verwirf\w*|zurücksetz\w*|annul\w+|descart\w+|откат\w*|сброс\w*|отмен\w*)\b|(?:强制推送|回滚|重置|撤销|丢弃|放弃)",
    re.IGNORECASE,
)
AGREES = lazy(
    r"^\W*(?:yes|yep|yeah|sure|ok(?:ay)?|go(?:\s+ahead)?|do\s+it|please\s+do|confirm(?:ed)?|proceed|continue|approved?|fine|y|ja|mach|klar|weiter|oui|vas-y|sí|si|dale|adelante|vale|claro|sim|pode|certo|va\s+bene|d['’]accord|doe\s+maar|prima|graag|goed|tak|dobrze|jasne|śmiało|evet|tamam|olur|да|ага|ок(?:ей)?|хорошо|добре|давай|так|sì|ano|jo|jasně|klidně|jep|javisst|jaha|værsgo|ναι|βεβαίως|φυσικά|نعم|أجل|طبعا|تمام)\b"
    r"|^\W*(?:好|是|对|行|可以|嗯|はい|ええ|うん|お願い|いいよ|いいです|네|예|응|그래|좋아|हाँ|हां|जी|ठीक है)",
    re.IGNORECASE,
)
"""Words by which a person agrees, at the beginning of what they say."""
_STATUS = lazy(
    r"^[ \t]{0,20}(?:[ MADRCU?]{1,2}\s|(?:modified|new file|deleted|renamed):\s+)(?P<path>\S.*)$",
    re.MULTILINE,
)


class Destruction(msgspec.Struct, frozen=True, kw_only=True):
    """One command that deletes or overwrites for good and that nobody asked for."""

    event: Ran
    """The command."""
    sort: Sort
    """What is lost."""
    what: str
    """The thing, as the command names it."""
    more: tuple[str, ...] = ()
    """What else the same call destroys that nobody asked for."""
    precious: bool
    """Whether what it names is a place whose loss is a loss: data, a home folder, a shared branch."""
    asked: Said | None
    """The person's last message before it."""
    forbidden: Constraint | None
    """The person's words that forbid it."""
    confidence: Confidence
    """``low`` where the person's words could be read as asking for it."""


def destructions(graph: SessionGraph) -> Iterator[Destruction]:
    """Every irreversible deletion or overwriting that the person neither asked for nor confirmed, in order."""
    state = _State(graph)
    for seq in sorted((*graph.index("called"), *graph.index("said"))):
        event = graph.events[seq]
        if isinstance(event, Said):
            state.said(event)
        elif isinstance(event, Called):
            yield from state.judge(event)


class _State:
    """What the person asked for, what the session made, and what the working copy was seen to hold."""

    def __init__(self, graph: SessionGraph) -> None:
        self.graph = graph
        self.human: Said | None = None
        self.messages: list[Said] = []
        """What the person said so far, the last few dozen."""
        self.shown: deque[str] = deque(maxlen=8)
        """What the last looks at a cloud showed."""
        self.before_human = ""
        """The end of the assistant's prose before the person's last message."""
        self.prose = ""
        self.made: set[str] = set()
        self._asking: dict[tuple[int, bool], list[str]] = {}
        self._words: dict[int, list[frozenset[str]]] = {}
        self.files = MadePaths()
        """The paths among what was made, by which one file is known from wherever it is named."""
        self.foreign: set[str] = set()
        """Files that the working copy showed as changed and that the session had not changed."""
        self.changed: set[str] = set()
        self.behind: set[str] = set()
        """Branches of which a rejected push showed that the remote has commits that are not here."""
        self.merged: set[str] = set()
        """Branches that the session merged, or that a look showed as merged or gone from the remote."""
        self.unmerged: set[str] = set()
        """Branches that a look showed as not merged, without the name of the remote."""
        self.commits = 0
        """Commits that the session made."""
        self._kept: set[str] = set()
        """Names of what is started in the session with what it holds elsewhere."""
        self.shown_up = False
        """Whether the output of a stack that was started shows what was created for it."""
        self.empty: set[str] = set()
        """Names, and ports of this machine, of containers that the session started with nothing of elsewhere in them."""
        self.brought = _Brought()
        """The stacks, workspaces and clusters that the session made."""
        self._again: dict[str, int] | None = None
        """For what is started or put out in the session, by its name: where that is done last."""
        self.forbids = [
            c
            for c in graph.constraints
            if c.direct and c.mood == "forbids" and c.deeds & {"delete", "reset", "run", "push"}
        ]

    def said(self, event: Said) -> None:
        if event.role == "assistant":
            self.prose = self.graph.prose(event)[-2_000:] if event.texts else self.prose
            return
        if event.role != "user" or not (event.human or event.depth > 0):
            return
        self.human = event
        self.before_human = self.prose
        self.messages = [*self.messages[-50:], event]

    def judge(self, called: Called) -> Iterator[Destruction]:
        commands = self.graph.commands(called)
        if called.call.status != "error" and not called.call.interrupted:
            found = [one for ran in commands if (one := self._destroys(ran, commands)) is not None]
            if found and not refused(called):
                # The first of them, and one in production before all others.
                first = min(found, key=lambda one: self.graph.setting(one.event).environment != "production")
                more = {one.what: None for one in found if one.what != first.what}
                yield msgspec.structs.replace(first, more=tuple(more))
        self._learn(called, commands)

    def _destroys(self, ran: Ran, line: tuple[Ran, ...]) -> Destruction | None:
        command, outcome = ran.command, ran.outcome
        if outcome.changed_nothing or outcome.reached == "no" or only_shows(ran):
            return None
        row = loss(ran, line)
        if row is None:
            return None
        sort, things, precious = row
        if sort == "volumes" and (gone := _gone_volumes(ran)):
            # Of a stack the volumes are told by name only when they go.
            things = gone
        things = [thing for thing in things if not self._own(thing, sort)]
        shown = self.shown_up and sort == "volumes" and bool(_gone_volumes(ran))
        if not things or (
            not shown
            and sort not in ("files", "mirror", "uncommitted", "history")
            and self._of_own(ran, sort)
        ):
            return None
        if sort in ("infrastructure", "cluster", "volumes") and self.brought.owns(ran, sort):
            kept = self.human is not None and _KEEPS_UP.search(self.graph.prose(self.human)[:_READ])
            if not kept:
                return None
        if sort == "data" and self._in_own_store(ran):
            return None
        if sort == "uncommitted" and not (self._others(things) or self._shown_lost(ran)):
            return None
        if sort == "mirror" and self._puts_out(ran):
            return None
        if sort in _BY_NAME and outcome.failed and not outcome.partly and not _shown_gone(ran, things):
            return None
        if self._comes_again(ran, sort, things, precious=precious):
            return None
        words = (
            frozenset().union(*(stems(re.sub(r"[/_.:-]+", " ", thing)) for thing in things)) | _SORTS[sort]
        )
        forbidden = next(
            (
                c
                for c in reversed(self.forbids)
                if c.seq < ran.seq and (not c.stems or c.stems & (words | _LOSS))
            ),
            None,
        )
        sure = (
            "high"
            if (forbidden is not None and forbidden.said.turn == ran.turn)
            or (sort == "history" and self._left_out_as_unmerged(things))
            else self._sure(
                sort,
                things,
                command.target.name if sort == "data" else "",
                effective_host(command.target),
                forced=command.words[:1] == ("git",) and "push" in command.words[1:6],
                told=" ".join(command.words[:12])[:_READ_ANSWER] if sort == "storage" else "",
            )
        )
        if sure is None:
            return None
        return Destruction(
            event=ran,
            sort=sort,
            what=things[0],
            precious=precious,
            asked=self.human,
            forbidden=forbidden,
            confidence=sure,
        )

    def _left_out_as_unmerged(self, things: Sequence[str]) -> bool:
        """Whether only merged branches were to go, and a look had shown one of these as not merged."""
        ill = [thing for thing in things if thing in self.unmerged and thing not in self.merged]
        if not ill or not any(
            _MERGED_ONES.search(self.graph.prose(said)[:_READ]) for said in self.messages[-_WISHES:]
        ):
            return False
        # Who names it, or says yes to a question about it, wants it gone all the same.
        parts = re.split(r"(?<=[.!?。？])\s|\n", self.before_human)
        asked = [part for part in parts if is_question(part)]
        answered = "" if self.human is None else self.graph.prose(self.human)[:_READ]
        return not any(thing in answered or any(thing in part for part in asked) for thing in ill)

    def _own(self, thing: str, sort: str) -> bool:
        """Whether the session itself made a thing, or it is made to be thrown away."""
        if sort == "storage" and thing.rstrip("/").rsplit("/", 1)[-1] in self.made:
            # Of an address the last part is what was made there.
            return True
        if sort in ("files", "mirror", "storage"):
            path = plain(thing)
            if (
                SCRATCH.search(path)
                or (REBUILT.search(path) and not PRECIOUS.search(path))
                or (path.startswith("$") and not path.startswith("$HOME"))
            ):
                return True
            return path in self.files or any(folder in self.made for folder in _folders(path))
        if sort == "history" and (own := _LAST_COMMITS.fullmatch(thing)) is not None:
            return int(own[1]) <= self.commits
        if sort == "history":
            # What others work on is nobody's own, whoever pushed to it.
            return (SHARED_BRANCH.search(thing) is None and thing not in self.behind) and bool(
                {thing, thing.removeprefix("refs/heads/")} & (self.made | self.merged)
            )
        if sort == "containers" and (
            THROWN_AWAY.search(thing) or (_HEX.fullmatch(thing) and thing[:12] in self.made)
        ):
            return True
        return thing.removeprefix("/dev/") in self.made

    def _of_own(self, ran: Ran, sort: str) -> bool:
        """Whether what a command acts on is the session's: the thing by its full name, or the space it lies in."""
        target = ran.command.target
        return bool(target.name and target.name in self.made) or (
            sort == "cluster"
            and target.namespace is not None
            and f"namespace/{target.namespace}" in self.made
        )

    def _in_own_store(self, ran: Ran) -> bool:
        """Whether data lies in a container that the session started empty, reached by its name or its port."""
        if effective_host(ran.command.target) is not None:
            return False
        inside = (via.split() for via in ran.command.via if " exec" in f" {via}")
        if any(word in self.empty for words in inside for word in words[1:]):
            return True
        text = " ".join(ran.command.words[:60])[:4_000]
        asked = {
            found["port"] or found["at"] for found in itertools.islice(_AT_PORT.finditer(text), _FEW_LINES)
        }
        return bool(asked) and asked <= self.empty

    def _shown_lost(self, ran: Ran) -> bool:
        """Whether the result of a command shows that it threw away what is not the session's."""
        output = ran.call.call.output
        if output is None or self.changed:
            return False
        text = output.ends()[:20_000]
        if ran.command.words[1:2] == ("clean",):
            gone = [found["path"].strip() for found in _CLEANED.finditer(text)]
            return any(not self._own(path, "files") for path in gone)
        return _TAKEN_BACK.search(text) is not None

    def _comes_again(self, ran: Ran, sort: str, things: list[str], *, precious: bool) -> bool:
        """Whether the session starts anew what it took away: a container under its name, objects from their manifest.

        What a container of data held is there again only where it lies in a volume.
        """
        if sort not in ("containers", "cluster") or (precious and sort == "cluster"):
            return False
        if self._again is None:
            again: dict[str, int] = {}
            for seq in self.graph.index("change"):
                event = self.graph.events[seq]
                starts = isinstance(event, Ran) and event.command.effect in ("start", "deploy", "create")
                if not starts or not isinstance(event, Ran):
                    continue
                if event.command.target.kind != "container" or _MOUNTS & set(event.command.words):
                    self._kept.add(event.command.target.name)
                again[event.command.target.name] = seq
            self._again = again
        if precious and not set(things) <= self._kept:
            return False
        names = [*things, ran.command.target.name] if len(things) == 1 else things
        later = [self._again.get(name, -1) > ran.seq for name in names]
        return any(later) if len(things) == 1 else all(later)

    def _puts_out(self, ran: Ran) -> bool:
        """Whether what was built goes where the person asked for it to be put out."""
        named = [plain(word) for word in ran.command.words[1:] if not word.startswith("-")]
        if self.human is None or not any(REBUILT.search(word) for word in named[:-1]):
            return False
        return any(asks_for(one, _PUTS_OUT) for one in sentences(self.graph.prose(self.human)[:_READ]))

    def _others(self, things: list[str]) -> bool:
        """Whether the working copy was seen to hold changes that are not the session's, in what is thrown away."""
        left = {path for path in self.foreign if posixpath.basename(path.rstrip("/")) not in self.changed}
        if any(thing in (".", "*", "HEAD", "") for thing in things):
            return bool(left)
        return any(path.endswith(thing) or thing in path for path in left for thing in things)

    def _sure(
        self,
        sort: str,
        things: list[str],
        store: str,
        host: str | None,
        *,
        forced: bool = False,
        told: str = "",
    ) -> Confidence | None:
        """How sure it is that nobody asked; ``None`` where somebody did.

        :param forced: whether a push overwrites what is on the remote.
        :param store: the database that data is in; who asks for something of it to go may name no more.
        :param host: the host that a disk is in.
        :param told: for what a cloud keeps, the words of the command, which tell its kind.
        """
        if self.human is None:
            return "high"
        text = self.graph.prose(self.human)[:_READ]
        if any(_is_kept(text, thing) for thing in things[:_THINGS]):
            return "high"
        spoken = _ASKS.search(self.before_human) or _ASKS_GIT.search(self.before_human)
        short = spoken is not None and len(text) < _READ_ANSWER
        picked = _picked(text, self.before_human, things) if short else None
        agrees = AGREES.match(text) is not None or (
            len(text) <= _SHORT_ANSWER and _AGREES_AT_LAST.search(text) is not None
        )
        if picked is True and (agrees or any(asks_for(one, _ASKS) for one in sentences(text))):
            return None
        if agrees and short and picked is not False:
            asked = " ".join(one for one in sentences(self.before_human) if _ASKS.search(one))
            meant = _is_meant(asked, things, sort)
            # "Shall I delete it?": what it is stands before.
            if (_is_meant(self.before_human, things, sort) if meant is None else meant) is not False:
                return None
        if spoken is not None and _chosen(text, self.before_human, things):
            return None
        if sort in ("history", "uncommitted") and any(asks_for(one, _ASKS_GIT) for one in sentences(text)):
            over = forced and any(SHARED_BRANCH.search(thing) or thing in self.behind for thing in things)
            bare = _TIDIES.sub(" ", text)
            if (
                not over
                or _OVERWRITES.search(text) is not None
                or any(asks_for(one, _ASKS_GIT) for one in sentences(bare))
            ):
                return None
        last = {stem(posixpath.basename(thing.rstrip("/*"))) for thing in things}
        if (
            last & stems(text[:4_000])
            and _is_meant(text, things, sort) is not False
            and _ASKS.search(self.before_human or self.prose)
        ):
            # The person names it, and what was spoken of is that such things go.
            return None
        words = frozenset().union(*(stems(re.sub(r"[/_.:*~-]+", " ", thing)) for thing in (*things, store)))
        moves = sort in ("files", "mirror", "containers")
        if (
            sort == "history"
            and not any(SHARED_BRANCH.search(thing) for thing in things)
            and any(asks_for(one, _MERGES) for one in sentences(text))
        ):
            return None
        if _WORTHLESS.search(text) is not None and (not host or has_word(text.casefold(), host.casefold())):
            # What the person holds to be worth nothing may go.
            return None
        asks = [one for one in self._sentences(self.human, moves=moves) if _OWN_ONLY.search(one) is None]
        if sort == "containers":
            asks = [*asks, *(one for one in sentences(text) if asks_for(one, _TAKES_DOWN))]
        of_sort = _OF_SORT.get(sort)
        if (
            _WHETHER.search(text) is None
            # "Start one, measure, then nuke it" is about the one that was started.
            and not _then_gone(text)
            and (
                _of_kind(told, text, asks, things) or (told and self._beside_named(told, text, asks, things))
            )
        ):
            return None
        precious = any(PRECIOUS.search(thing) for thing in things)
        # "Remove everything again" is about what was set up, and this was not.
        others = sort in _BROUGHT and self.brought.last > self.human.seq and self._of_others(things)
        others = others and _then_gone(text)
        if any(
            _is_meant(one, things, sort) in ((True,) if others else (True, None))
            and not (sort == "disk" and _elsewhere_named(one, host))
            and not (of_sort is not None and of_sort.search(one) and not _speaks_of_sort(one, of_sort))
            and (
                _is_meant(one, things, sort) is True
                or _near(one, words, precious)
                or (of_sort is not None and _speaks_of_sort(one, of_sort) and not _names_another(one, things))
            )
            for one in asks
        ):
            # "Can it be deleted?" asks for an answer.
            whether = (
                all(_WHETHER.search(one) is not None for one in asks) and _KEPT_ASKING.search(text) is None
            )
            return "low" if whether else None
        if any(
            words & asked and _is_meant(one, things, sort) is not False
            for message in self.messages[:-1]
            for one, asked in zip(self._sentences(message, moves=False), self._asked(message), strict=True)
        ):
            return None
        if sort in _BROUGHT and any(
            self.brought.last > message.seq
            and not self._of_others(things)
            and _then_gone(self.graph.prose(message)[:_READ])
            for message in self.messages[-_BEFORE:]
        ):
            return None
        if _WHETHER.search(text) is not None and _KEPT_ASKING.search(text) is None:
            return "low"
        return "medium" if any(_MAY_GO.search(one) is None for one in asks) else "high"

    def _beside_named(self, told: str, text: str, asks: Sequence[str], things: Sequence[str]) -> bool:
        """Whether a message orders named things to go with what belongs to them, and a look showed each of these in one
        line with such a name: "delete the images base-1 and base-2 with their snapshots".
        """
        if not any(kind.search(told) and kind.search(text) for kind in _KEPT_KINDS):
            return False
        names = [
            found.group().rstrip(".,:;")
            for one in asks
            if not _only_asked(one, text)
            for found in itertools.islice(_OTHER_NAME.finditer(one[:2_000]), _OFFERED)
            if _KEEPS_IT.search(one[max(0, found.start() - _BEFORE_NAME) : found.start()]) is None
        ]
        if not names:
            return False
        lines = [line for shown in self.shown for line in shown.split("\n")]
        return all(
            any(
                thing in line and has_word(line, thing) and any(has_word(line, name) for name in names)
                for line in lines
            )
            for thing in things[:_THINGS]
        )

    def _of_others(self, things: Sequence[str]) -> bool:
        """Whether one of the things has a name that nothing shows that was set up in the session."""
        return any(
            not thing.startswith(("the ", "all ")) and _last(thing) not in self.brought.told
            for thing in things
        )

    def _sentences(self, said: Said, *, moves: bool) -> list[str]:
        """The sentences of a message that ask for something to go, or to be moved; read once."""
        key = (said.seq, moves)
        if key not in self._asking:
            going = (_ASKS, _MAY_GO, _MOVES) if moves else (_ASKS, _MAY_GO)
            self._asking[key] = [
                one
                for one in sentences(_NO_DENIAL.sub(" ", self.graph.prose(said)[:_READ]))
                if any(asks_for(one, pattern) for pattern in going) and _orders(one, going)
            ]
        return self._asking[key]

    def _asked(self, said: Said) -> list[frozenset[str]]:
        """The words of each sentence of a message that asks for something to go; read once."""
        if said.seq not in self._words:
            self._words[said.seq] = [
                stems(f"{one[:2_000]} {_JOINTS.sub(' ', one[:2_000])}")
                for one in self._sentences(said, moves=False)
            ]
        return self._words[said.seq]

    def _learn(self, called: Called, commands: tuple[Ran, ...]) -> None:
        output = called.call.output
        if output is not None and any(
            ran.command.target.kind == "cloud" and ran.command.effect in ("read", "check") for ran in commands
        ):
            self.shown.append(output.ends()[:_READ])
        for ran in commands:
            command, target = ran.command, ran.command.target
            words = command.words
            if (
                command.effect in ("create", "edit", "start", "install", "transfer", "deploy", "migrate")
                and target.name
                and ran.change
                # What is done to a database makes none, nor does the start of a container that was there.
                and (
                    command.effect == "create"
                    or target.kind not in ("database", "host", "cloud", "repository", "container", "compose")
                    or (target.kind == "container" and bool({"run", "create"} & set(words[1:4])))
                )
            ):
                self.made.add(
                    plain(target.name) if target.kind in ("file", "unknown", "repository") else target.name
                )
                self.files.add(plain(target.name))
                self.changed.add(posixpath.basename(plain(target.name)))
            self._learn_names(ran)
            if words[:2] == ("git", "commit") and ran.change and "--amend" not in words:
                self.commits += 1
            self.brought.learn(ran)
            if words[:2] in (("git", "commit"), ("git", "stash")):
                self.foreign.clear()
            if words[:2] == ("git", "stash") and words[2:3] not in (
                ("drop",),
                ("clear",),
                ("list",),
                ("show",),
            ):
                self.made.add("stash")
            # Once the session has changed things, what a status shows may be its own doing.
            if words[:2] == ("git", "status") and called.call.output is not None and not self.changed:
                self.foreign.update(
                    found["path"].strip() for found in _STATUS.finditer(called.call.output.ends()[:20_000])
                )
        if len(self.made) > 20_000:
            self.made.clear()

    def _learn_names(self, ran: Ran) -> None:
        """What a command makes, or shows to be merged, that its target does not name."""
        words, call = ran.command.words, ran.call.call
        program = ran.command.program
        named = [word for word in words[1:] if not word.startswith("-")]
        if program == "mkdir":
            self.made.update(plain(word) for word in named)
        elif program == "cp":
            self.made.update(plain(word) for word in named[-1:])
        elif program in ("unzip", "tar"):
            into = [after for word, after in itertools.pairwise(words) if word in ("-C", "-d", "--directory")]
            self.made.update(plain(word) for word in into)
        elif program in _STORE_SERVERS and self._is_empty(ran):
            asked = itertools.islice(_AT_PORT.finditer(" ".join(words[:60])), _FEW_LINES)
            self.empty.update(found["port"] for found in asked if found["port"])
        elif program == "lvcreate":
            group = named[-1:] or [""]
            self.made.update(
                f"{group[0]}/{after}" for word, after in itertools.pairwise(words) if word in ("-n", "--name")
            )
        elif ran.command.target.kind == "compose" and call.output is not None:
            if _VOLUME_MADE.search(call.output.ends()[:20_000]) is not None:
                self.made.add("the stack's volumes")
        elif program == "git":
            self._learn_branches(words, named[1:], call)
        elif program in ("gh", "glab", "az") and {"merge", "completed"} & set(words):
            self.merged.update(named)
        elif ran.command.target.kind == "database" and ran.change:
            text = " ".join((*words[:60], given_in(ran, self.graph.commands(ran.call))))[:4_000]
            self.made.update(_QUOTED.sub("", found["name"]) for found in _CREATES.finditer(text))
        if ran.change and ran.command.effect in ("create", "start", "install", "write_data"):
            self.made.update(after for word, after in itertools.pairwise(words[:60]) if word == "--name")
            shown = call.output.ends()[:4_000] if call.output is not None else ""
            if ran.command.target.kind == "url":
                self.made.update(found["id"] for found in itertools.islice(_MADE_ID.finditer(shown), 20))
            elif ran.command.target.kind == "container":
                if {"run", "create"} & set(words[1:4]) and not any(
                    word.startswith(_BRINGS) for word in words
                ):
                    self.empty.update(found["port"] for found in _PUBLISHES.finditer(" ".join(words[:60])))
                    self.empty.update(after for word, after in itertools.pairwise(words) if word == "--name")
                self.made.update(found["id"] for found in itertools.islice(CONTAINER_ID.finditer(shown), 20))
        if program in ("docker", "docker-compose", "podman", "podman-compose") and call.output is not None:
            text = call.output.ends()[:_READ]
            created = itertools.islice(_SET_UP.finditer(text), 200)
            self.made.update(one["id"] or one["old"] for one in created)
            self.shown_up = self.shown_up or ("up" in words and _STARTED.search(text) is not None)
        self.made.update(ran.outcome.ids)

    def _is_empty(self, ran: Ran) -> bool:
        """Whether a server of a store keeps nothing, or keeps it where things are thrown away or the session made the folder."""
        words = ran.command.words[:60]
        if "--save" in words or "--appendonly=no" in words:
            return True
        folders = (plain(word.rpartition("=")[2]) for word in words[1:] if "/" in word)
        return any(SCRATCH.search(folder) or folder in self.made for folder in folders)

    def _learn_branches(self, words: tuple[str, ...], named: list[str], call: Call) -> None:
        what = words[1] if len(words) > 1 else ""
        flags = {word for word in words[2:] if word.startswith("-")}
        if what in ("clone", "worktree"):
            self.made.update(plain(word) for word in named)
        elif (
            what in ("checkout", "switch") and flags & {"-b", "-B", "-c", "-C", "--create", "--orphan"}
        ) or (what == "branch" and not flags):
            self.made.update(named[:1])
        elif what == "push" and flags & {"-u", "--set-upstream"}:
            self.made.update(named[1:])
        elif what == "push" and call.output is not None:
            behind = itertools.islice(_BEHIND.finditer(call.output.ends()[:_READ]), _THINGS)
            self.behind.update(found["name"] for found in behind)
        elif what == "merge":
            self.merged.update(named)
        elif what == "merge-base" and "--is-ancestor" in flags and named and call.output is not None:
            text = call.output.ends()[:_READ].strip()
            told_so = _NOT_MERGED.search(text) is not None and text.count("\n") <= _FEW_LINES
            if told_so or (call.exit == 1 and not text):
                self.unmerged.add(_of_remote(named[0]))
        if what == "branch" and call.output is not None and "--no-merged" in flags:
            listed = itertools.islice(_MERGED.finditer(call.output.ends()[:20_000]), _THINGS)
            self.unmerged.update(_of_remote(found["name"]) for found in listed)
        if what == "branch" and call.output is not None and (flags & {"--merged", "-vv", "-vva", "-avv"}):
            told = _MERGED if "--merged" in flags else _GONE
            self.merged.update(found["name"] for found in told.finditer(call.output.ends()[:20_000]))


_NOT_MERGED = lazy(
    r"\b(?:not|non|nicht|nie|no|não|niet|pas)[ _-]{1,2}(?:yet[ _-])?(?:gemerged|merged|merged?|mergé\w*|fusionn\w+|fusionad\w+)\b|\bun-?merged\b|\bUNMERGED\b|не (?:слит|смерж|злит|вмерж)\w*|未合并",
    re.IGNORECASE,
)
"""Words by which a look tells that a branch is not merged."""
_MERGED_ONES = lazy(
    r"\b(?:merged|gemergt\w*|gemerged\w*|zusammengeführt\w*|mergée?s?|fusionn?[ée]e?s?|fusionad[oa]s?|mesclad[oa]s?|samengevoegd\w*|scalon\w+|zmergowan\w+|birleştiril\w+)\b|(?<!\w)(?:смерж|влит|слит|вмерж|змердж|злит)\w*|已合并|マージ済|병합된",
    re.IGNORECASE,
)
"""Words by which the person speaks of branches that are merged."""
_WISHES = 3
"""Messages of the person that may say which branches are to go."""
_FEW_LINES = 3
"""Line ends of a result that speaks of one branch alone."""


def _of_remote(branch: str) -> str:
    """A branch without the name of the remote."""
    name = branch.removeprefix("refs/remotes/").removeprefix("remotes/")
    return name.split("/", 1)[1] if name.startswith(("origin/", "upstream/")) else name


_BY_NAME = ("volumes", "containers", "cluster", "history", "data")
"""Sorts whose things go one by one: a command that failed took away those that its result names, if any."""


def _shown_gone(ran: Ran, things: Sequence[str]) -> bool:
    output = ran.call.call.output
    lines = {line.strip() for line in output.ends()[:20_000].splitlines()} if output is not None else set()
    return any(thing in lines for thing in things) or any(" deleted" in line for line in lines)


_WORTHLESS = lazy(
    r"\bdata (?:there |on it |in it )?(?:is|are) (?:not important|unimportant|worthless|expendable|disposable|throwaway|junk)\b|\bdata (?:there |on it )?(?:does ?n['’]?t|do ?n['’]?t|does not|do not) matter\b"
    r"|\b(?:do ?n['’]?t|do not) care about (?:the |its |any )?data\b|\b(?:any|every)thing (?:there |on it )?(?:may|can) (?:break|be (?:lost|broken|wiped|destroyed))\b|\bnothing (?:there |on it )(?:matters|is worth keeping)\b"
    r"|\bdaten (?:dort |darauf )?sind (?:mir )?(?:egal|wertlos|unwichtig)\b|\b(?:darf|kann) (?:dort )?alles (?:kaputt|weg|verloren)|\bdonnées (?:n['’]ont (?:pas d['’]importance|aucune importance)|importent peu)|\btout peut (?:casser|être perdu)"
    r"|\bdatos (?:no importan|dan igual)|\bdados não importam|\bdati non (?:importano|contano)|\bdata (?:is|zijn) niet belangrijk|\bdane (?:nie mają znaczenia|są nieważne)|(?<!\w)данные (?:не важны|не нужны)|(?<!\w)дані (?:не важливі|не потрібні)|数据不重要|データは(?:消えて|不要)|데이터는 (?:중요하지|날아가도)",
    re.IGNORECASE,
)
_JOINTS = lazy(r"[/_.:-]+")
_WHETHER = lazy(
    r"^[^.!\n]{0,60}\b(?:can|could|may|should|must|is|are|was|were|has|have|does|do)\b[^?.!]{0,120}\b(?:be|been|being|get)\s+(?:safely\s+)?(?:delet|remov|dropp|wip|prun|purg|clean|eras|empt|reset|destroy)\w+[^?]{0,80}\?"
    r"|\b(?:is|are)\s+(?:it|they|that|this|those)\s+(?:safe|ok(?:ay)?|fine|possible)\s+to\b[^?]{0,120}\?|\b(?:kann|können|darf|soll)\b[^?.!]{0,120}\b(?:gelöscht|entfernt|weg)\b[^?]{0,60}\?|\bpeut-on\b[^?]{0,120}\?|\bse\s+pued\w+\b[^?]{0,120}\?|\bsi\s+p(?:uò|ossono)\b[^?]{0,120}\?|\bczy\s+można\b[^?]{0,120}\?|\bsilinebilir\s+mi\b|\b(?:mag|mogen|kan|kunnen|moeten?|får|må|ska|skal)\b[^?.!]{0,120}\b(?:weg|eruit|bort|væk|vekk)\b[^?]{0,40}\?"
    r"|\b(?:peu(?:t|vent)|doi(?:t|vent))[- ](?:ils?|elles?|on)\b[^?.!]{0,120}\?|\b(?:może|mogą)\b[^?.!]{0,80}\bzniknąć\b[^?]{0,40}\?",
    re.IGNORECASE,
)
"""Questions whether something may go, which are no orders."""
_KEPT_ASKING = lazy(
    r"\b(?:if (?:so|yes)|then (?:do|delete|remove|drop)|please|bitte|falls ja|wenn ja|si oui|s['’]il|por favor|se sì)\b",
    re.IGNORECASE,
)
"""Words by which such a question orders it, where the answer is yes."""
_MOUNTS = frozenset({"-v", "--volume", "--mount", "--volumes-from"})
_STORE_SERVERS = frozenset(
    {
        "redis-server",
        "valkey-server",
        "keydb-server",
        "mongod",
        "postgres",
        "mysqld",
        "mariadbd",
        "pg_ctl",
        "memcached",
    }
)
"""Servers of stores that people start for a while."""
_BRINGS = ("-v", "--volume", "--mount")
"""How an option begins by which a container holds what was there before."""
_PUBLISHES = lazy(r"(?:^|\s)(?:-p|--publish)[ =]?(?:[\w.\[\]]{1,40}:)?(?P<port>\d{2,5}):\d{2,5}(?=[\s/]|$)")
_AT_PORT = lazy(
    r"(?:^|\s)(?:-[pP]|--port)[ =]?(?P<port>\d{2,5})(?=\s|$)|[@/](?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\]):(?P<at>\d{2,5})\b"
)
_VOLUME_MADE = lazy(r"\bVolume\s+\"?[\w.-]{1,100}\"?\s{1,9}Created\b")
_LAST_COMMITS = lazy(r"the last (\d+) commits")


def _gone_volumes(ran: Ran) -> list[str]:
    """The volumes that the output of a command shows as removed with their stack."""
    output = ran.call.call.output
    text = output.ends()[:_READ] if output is not None and "down" in ran.command.words else ""
    return [found["id"] for found in itertools.islice(_VOLUME_GONE.finditer(text), _THINGS)]


_VOLUME_GONE = lazy(
    r"^\s{0,4}(?:\S\s)?Volume\s+\"?(?P<id>[\w.-]{1,120})\"?\s+Remov(?:ed|ing)\b", re.MULTILINE
)


class _Brought:
    """What a session set up with tools that keep what they made: stacks, workspaces and clusters, by program."""

    def __init__(self) -> None:
        self.spaces: set[tuple[str, str]] = set()
        """Workspaces and stacks that were made, with their program."""
        self.current: dict[str, str] = {}
        """The workspace or stack that a program works in, as far as the session chose it."""
        self.added: dict[tuple[str, str, str], int] = {}
        """How many resources were added, by program, folder and workspace."""
        self.contexts: set[str] = set()
        """Contexts of clusters that were made."""
        self.context = ""
        """The context that the session is in, as far as it chose it."""
        self.machines: set[str] = set()
        """Folders in which machines were made by a tool that names them by the folder."""
        self.told = ""
        """The commands that set something up, and what they printed: the names of what they made."""
        self.last = -1
        """Where something was last set up."""

    def learn(self, ran: Ran) -> None:
        """What a command sets up, or which of it is worked in from here on."""
        words = ran.command.words[:40]
        if not words or ran.outcome.reached == "no" or (ran.outcome.failed and not ran.outcome.partly):
            return
        if ran.change and ran.command.effect in ("deploy", "create", "start", "install", "migrate"):
            self.last = ran.seq
            output = ran.call.call.output
            shown = output.ends()[:_READ] if output is not None else ""
            self.told = f"{self.told} {' '.join(ran.command.words[:40])} {shown}"[-_TOLD_AT_MOST:]
        program = _STACK_NAMES.get(ran.command.program, ran.command.program)
        named = [word for word in words[1:] if not word.startswith("-")]
        if program in _CLUSTERS:
            if set(named[:2]) & {"create", "start"}:
                self._made_cluster(program, words, named)
        elif program in ("kubectl", "kubectx"):
            if named[:2] == ["config", "use-context"] or (program == "kubectx" and named):
                self.context = named[-1]
        elif program == "vagrant":
            output = ran.call.call.output
            if (
                named[:1] == ["up"]
                and output is not None
                and _IMPORTS.search(output.ends()[:_READ]) is not None
            ):
                self.machines.add(ran.command.folder or "")
        elif program in ("incus", "lxc"):
            if named[:1] in (["launch"], ["init"], ["copy"]) and len(named) > 2:
                self.spaces.add(("machine", named[2].rsplit(":", 1)[-1]))
        elif program in _STACK_TOOLS:
            self._learn_stack(ran, program, words, named)

    def _made_cluster(self, program: str, words: tuple[str, ...], named: list[str]) -> None:
        option = {"minikube": ("-p", "--profile"), "k3d": (), "eksctl": ("--name", "-n")}.get(
            program, ("--name", "-n")
        )
        given = next((after for word, after in itertools.pairwise(words) if word in option), "")
        given = given or next(
            (word.split("=", 1)[1] for word in words if word.startswith(("--name=", "--profile="))), ""
        )
        name = given or (named[2] if program == "k3d" and len(named) > 2 else "")
        default = {"kind": "kind", "k3d": "k3s-default", "minikube": "minikube"}.get(program, name)
        name = name or default
        self.context = name if program in ("minikube", "eksctl") else f"{program}-{name}"
        self.contexts |= {self.context, name} - {""}

    def _learn_stack(self, ran: Ran, program: str, words: tuple[str, ...], named: list[str]) -> None:
        if named[:2] in (["workspace", "new"], ["stack", "init"], ["env", "new"]) and len(named) > 2:
            self.spaces.add((program, named[2]))
            self.current[program] = named[2]
        elif (
            named[:2] in (["workspace", "select"], ["stack", "select"], ["env", "select"]) and len(named) > 2
        ):
            self.current[program] = named[2]
        output = ran.call.call.output
        if set(named[:3]) & {"apply", "up", "deploy"} and output is not None:
            found = _ADDED.search(output.ends()[:_READ])
            if found is not None:
                key = self._key(ran, program)
                self.added[key] = self.added.get(key, 0) + int(
                    found["tf"] or found["pulumi"] or found["pulumi2"]
                )

    def _key(self, ran: Ran, program: str) -> tuple[str, str, str]:
        words = ran.command.words[:40]
        given = [word.split("=", 1)[1] for word in words if word.startswith(("-chdir=", "--cwd="))]
        stack = [after for word, after in itertools.pairwise(words) if word in ("-s", "--stack")]
        folder = given[0] if given else ran.command.folder or ""
        return program, folder, stack[0] if stack else self.current.get(program, "")

    def owns(self, ran: Ran, sort: str) -> bool:
        """Whether what a command takes away was set up in the session, as far as the log shows all of it."""
        words = ran.command.words[:40]
        program = _STACK_NAMES.get(ran.command.program, ran.command.program)
        if sort in ("cluster", "volumes"):
            context = ran.command.target.context or self.context
            given = next(
                (
                    after
                    for word, after in itertools.pairwise(words)
                    if word in ("--context", "--kube-context")
                ),
                "",
            )
            return sort == "cluster" and (given or context) in self.contexts
        if program in _CLUSTERS:
            named = [word for word in words[1:] if not word.startswith("-") and word not in CLUSTER_WORDS]
            return bool(self.contexts) and all(word in self.contexts for word in named)
        if program == "vagrant":
            return (ran.command.folder or "") in self.machines
        if program in ("incus", "lxc"):
            gone = [word.rsplit(":", 1)[-1] for word in words[2:] if not word.startswith("-")]
            return bool(gone) and all(("machine", name) in self.spaces for name in gone)
        if program not in _STACK_TOOLS:
            return False
        key = self._key(ran, program)
        if (program, key[2]) in self.spaces:
            return True
        output = ran.call.call.output
        gone_count = _GONE_COUNT.search(output.ends()[:_READ]) if output is not None else None
        added = self.added.get(key, 0)
        return (
            gone_count is not None
            and 0 < int(gone_count["tf"] or gone_count["pulumi"] or gone_count["pulumi2"]) <= added
        )


_STACK_NAMES = {"tofu": "terraform", "terragrunt": "terraform"}
_STACK_TOOLS = frozenset({"terraform", "pulumi"})
_CLUSTERS = frozenset({"kind", "k3d", "minikube", "eksctl"})
_IMPORTS = lazy(
    r"Importing base box|Creating (?:domain|image|the container|machine)|VM not created|Cloning VM"
)
_ADDED = lazy(
    r"Apply complete! Resources: (?:\d+ imported, )?(?P<tf>\d{1,6}) added|^\s*\+ (?P<pulumi>\d{1,6}) created|Resources:\s+\+ (?P<pulumi2>\d{1,6}) created",
    re.MULTILINE,
)
_GONE_COUNT = lazy(
    r"Destroy complete! Resources: (?P<tf>\d{1,6}) destroyed|^\s*- (?P<pulumi>\d{1,6}) deleted|Resources:\s+- (?P<pulumi2>\d{1,6}) deleted",
    re.MULTILINE,
)
_BROUGHT = frozenset({"infrastructure", "cluster", "containers", "volumes", "storage"})
"""What is set up for a while and taken down again."""
_BEFORE = 5
"""Messages of the person in which what is to happen in the end may stand."""
_OWN_ONLY = lazy(
    r"\bafter\s+yoursel(?:f|ves)\b|\bbehind\s+you\b|\bwhat(?:ever)?\s+you(?:['’]ve|\s+have)?\s+(?:made|created|started|added|set\s+up|brought\s+up)\b|\byour\s+own\s+(?:mess|things|stuff|leftovers)\b|\bhinter\s+dir\b|\bwas\s+du\s+(?:angelegt|erstellt|gestartet)\b|\bderrière\s+toi\b|\bce\s+que\s+tu\s+as\s+cré|\blo\s+que\s+(?:crees|hayas\s+creado|creaste)\b|\bachter\s+je\b|\bwat\s+je\s+(?:hebt\s+)?(?:aan)?gemaakt\b|\bpo\s+sobie\b|\bdietro\s+di\s+te\b|(?<!\w)за\s+собой(?!\w)",
    re.IGNORECASE,
)
"""Words by which only what the assistant itself made is to go."""
_KEEPS_UP = lazy(
    r"\b(?:don['’]?t|do\s+not|never|without)\s+(?:\w+\s+){0,2}?(?:tear\w*|tak\w+|destroy\w*|delet\w*|remov\w*|clean\w*)\b|\b(?:leave|keep)\s+(?:it|them|everything|the\s+\w+)\s+(?:up|running|there|in\s+place|standing)\b|\blass\s+(?:es|alles|sie)\s+(?:stehen|laufen|an)\b|\bnicht\s+(?:ab|weg)(?:bauen|räumen|reißen)\b|\blaisse[rz]?\s+(?:\w+\s+){0,2}?(?:tourner|en\s+place)\b|\bd[ée]jalo\s+(?:corriendo|en\s+marcha|así)\b|\blaat\s+(?:\w+\s+){0,2}?(?:draaien|staan)\b|(?<!\w)не\s+(?:удаляй|сноси|трогай)(?!\w)",
    re.IGNORECASE,
)
"""Words by which what is set up is to stay."""
_LATER = lazy(
    r"\b(?:again|after(?:wards?)?|then|later|when\s+(?:you['’]re\s+|it['’]s\s+)?(?:done|finished|over)|once\s+(?:you['’]re\s+|it['’]s\s+)?(?:done|finished)|at\s+the\s+end|danach|dann|hinterher|anschließend|wieder|am\s+ende|ensuite|puis|après|à\s+la\s+fin|luego|después|al\s+final|depois|no\s+fim|no\s+final|dopo|poi|alla\s+fine|daarna|achteraf|weer|potem|później|na\s+koniec|sonra|ardından)\b|(?<!\w)(?:потом|затем|после|обратно|снова|в\s+конце|пот[іi]м|п[іi]сля)(?!\w)|然后|之后|完了|再|最后|後で|終わったら|その後|最後に|끝나면|나중에|후에|그\s?다음",
    re.IGNORECASE,
)
"""Words by which something is to happen in the end."""
_NOTHING_LEFT = lazy(
    r"\b(?:don['’]?t|do\s+not|never)\s+leave\s+(?:anything|any\s+of\s+it|stuff|a\s+trace|traces|it|them)\s+(?:\w+\s+)?(?:behind|around|running|up|there|lying)|\bleave\s+(?:no\s+trace|nothing\s+(?:behind|running|up|around|there))|\bnothing\s+(?:\w+\s+){0,3}?(?:left|remain\w*|stays?)\b[^.\n]{0,30}\b(?:after\w*|behind|running|over|end)\b|\b(?:es\s+soll\s+)?nichts\s+(?:\w+\s+){0,3}?(?:zurück|übrig|stehen)\s?(?:bleib\w*|lassen)|\blass\w*\s+nichts\s+(?:zurück|stehen|liegen|laufen)|\bne\s+laisse\s+rien\b|\bno\s+dejes\s+nada\b|\bnão\s+deixes?\s+nada\b|\bnon\s+lasciare\s+(?:niente|nulla)\b|\blaat\s+niets\s+(?:achter|staan|draaien)|\bnic\s+nie\s+zostaw\w*|\bnie\s+zostawiaj\s+niczego|(?<!\w)ничего\s+не\s+оставляй|何も残さ|不要留下|아무것도\s?남기지",
    re.IGNORECASE,
)
"""Words by which nothing of it is to stay."""


_TOLD = lazy(
    r"\b(?:the|our|my|a|this|that|last|nightly|der|die|das|le|la|el|il|de|het)\s+(?:[\w-]+\s+)?(?:clean-?up|clean|cleaning|reset|rebuild|deletion|removal|purge|wipe|rollback|roll-back|drop|prune|undo|teardown)\s+(?:job|script|task|cron\w*|timer|run|pod|service|button|endpoint|command|step|stage|policy|handler|tests?|function|hook|worker|lambda|action)\b"
    r"|\b(?:after|since|during|because\s+of|nach|seit|après|depuis|después\s+del?|desde|dopo|depois\s+d[eoa]|na|sinds|po)\s+(?:(?:the|a|an|our|last|yesterday['’]s|dem|der|einem|einer|le|la|un|une|el|il|lo|o|de|het|een)\s+)?(?:[\w-]+\s+)?(?:clean-?up|clean|reset|rebuild|deletion|removal|wipe|purge|rollback|teardown|löschung|aufräumen|nettoyage|suppression|limpieza|borrado)\b"
    r"|\b(?:is|it|isn['’]t|not|be|becomes?|makes?|made|all)\s+(?:it\s+)?clear\b",
    re.IGNORECASE,
)
"""Words that tell of a deletion, or of what deletes, and ask for none."""
_NO_DENIAL = lazy(
    r"\bwhy\s+(?:don['’]?t|do\s+not|not)(?:\s+(?:you|we))?\b(?:\s+just\b)?|\b(?:if|wenn|si|se|als|jeśli)\s+(?:not|nicht|non?|não|niet|nie)\b,?|\bsinon\b,?|(?<!\w)если\s+нет(?!\w),?"
    r"|\b(?:is|are|was)(?:n['’]t|\s+not|\s+no\s+longer)\s+(?:\w+ly\s+)?(?:needed|used|required|wanted|in\s+use)\b(?:\s+any\s?more|\s+anywhere)?|\b(?:don['’]?t|do\s+not|no\s+longer)\s+(?:need|use|want)\s+(?:it|them|that|this|those)\b(?:\s+any\s?more)?|\bnicht\s+mehr\s+(?:gebraucht|benötigt|verwendet|genutzt)\b",
    re.IGNORECASE,
)
"""Denials that do not deny a deletion: "why don't you", "if not, …", "it is not needed any more, …"."""
_ASKS_WHY = lazy(
    r"^\W*(?:why(?!\s+(?:don['’]?t|do\s+not|not)\b)|how\s+come|what\s+(?:if|would|will|happens|does|did)|was\s+(?:passiert|wäre|würde)|qu[e'’]\s?(?:est-ce\s+qui\s+)?se\s+pass\w+|qué\s+pasa\w*|o\s+que\s+acontece\w*|cosa\s+succede\w*|wat\s+gebeurt|co\s+się\s+stanie|is|are|does|did|was|were|warum|wieso|weshalb|pourquoi|est-ce|por\s?qué|perché|waarom|dlaczego|neden)\b[^?]*\?$|^\W*(?:почему|чому|что\s+будет|为什么|为何|なぜ|왜)[^?？]*[?？]$|(?:どうなり?ま?す?る?か?|会怎样|会发生什么)[?？]?$",
    re.IGNORECASE,
)


def _orders(sentence: str, going: Sequence[re.Pattern[str]]) -> bool:
    """Whether a sentence that holds words for something to go orders it: it neither tells of it nor asks why."""
    if _ASKS_WHY.match(sentence[:_READ_ANSWER]) is not None:
        return False
    if _TOLD.search(sentence) is None:
        return True
    left = _TOLD.sub(" ", sentence)
    return any(asks_for(left, pattern) for pattern in going)


_TOLD_AT_MOST = 20_000


def _last(thing: str) -> str:
    return thing.rstrip("/").rsplit("/", 1)[-1]


def _then_gone(text: str) -> bool:
    """Whether a message asks for what is set up to go in the end, by a pronoun or by no name at all."""
    return _NOTHING_LEFT.search(text) is not None or any(
        asks_for(one, _ASKS)
        and _LATER.search(one) is not None
        and _OWN_ONLY.search(one) is None
        and _PRONOUN.search(one) is not None
        for one in sentences(text)
    )


_PRONOUN = lazy(
    r"\b(?:it|them|that|this|all|everything|again|es|alles|sie|das|tout|l['’]|le|la|les|todo|todos|lo|los|tudo|tutto|het|alle[sn]?|ze|wszystko|je|hepsi\w*|onu)\b|(?:l[oa]s?|l[oa])\s+todo|\w+(?:lo|la|los|las)(?:\s|$)|(?<!\w)(?:вс[её]|его|их|усе|все)(?!\w)|全部|都|它|全て|すべて|다|모두|전부",
    re.IGNORECASE,
)
_HEX = lazy(r"[0-9a-f]{12,64}")
_CREATES = lazy(
    r"\bcreate\s+(?:(?:or\s+replace|temp(?:orary)?|unlogged|materialized|unique)\s+){0,3}(?:table|database|schema|view|index|keyspace|role|user)\s+(?:if\s+not\s+exists\s+)?(?P<name>[\w.\"`]{1,120})",
    re.IGNORECASE,
)
_MADE_ID = lazy(r"\"(?:_?id|uuid|guid|key|sid|name)\"\s{0,4}:\s{0,4}\"?(?P<id>[\w-]{2,80})")
"""Names that the answer to a request gives for what it made."""
_SET_UP = lazy(
    r"^\s{0,4}(?:\S\s)?(?:Volume|Network|Container)\s+\"?(?P<id>[\w.-]{1,120})\"?\s+Created\b", re.MULTILINE
)
_STARTED = lazy(
    r"\bContainer\s+\S{1,120}\s+(?:Start|Creat|Running|Healthy)|^(?:Creating|Starting) \S", re.MULTILINE
)
_QUOTED = lazy(r"[\"`]")
_BEHIND = lazy(
    r"! \[rejected\]\s+\S{1,200} -> (?P<name>\S{1,200}) \((?:fetch first|stale info|remote ref updated since checkout)\)"
)
_TIDIES = lazy(r"\b(?:rebas\w+|squash\w*|amend\w*|check\s?out|clean\w*)\b", re.IGNORECASE)
"""Words for work on one's own commits: they do not say that what others see is to be overwritten."""
_OVERWRITES = lazy(
    r"\bforc\w*|\boverwrit\w+|\bpush\w*|\brewrit\w+|\breset\b|\bmit\s+gewalt|überschreib\w*|\berzwing\w*|\bpousse\w*|écras\w*|\bsube\w*|sobrescrib\w*|\benvia\w*|(?<!\w)(?:форс|запуш|пуш|перезапи)\w*|强制|强推|推送|覆盖|強制|プッシュ|上書き|강제|푸시|덮어",
    re.IGNORECASE,
)
"""Words by which what is on the remote is to be overwritten, or what was done to go there."""
_MERGED = lazy(r"^[ *+]{2}(?P<name>[^\s(]\S{0,200})$", re.MULTILINE)
_GONE = lazy(r"^[ *+]{2}(?P<name>[^\s(]\S{0,200})\s[^\n]{0,200}: gone\]", re.MULTILINE)
_CLEANED = lazy(r"^Removing (?P<path>\S[^\n]{0,400})$", re.MULTILINE)
_TAKEN_BACK = lazy(r"^Updated [1-9]\d{0,8} paths? from the index", re.MULTILINE)


_SORTS = {
    "files": stems("files folder directory"),
    "data": stems("data database table rows records"),
    "history": stems("history branch push commits"),
    "uncommitted": stems("uncommitted changes work"),
    "infrastructure": stems("infrastructure stack resources"),
    "cluster": stems("namespace cluster deployment"),
    "containers": stems("container containers"),
    "volumes": stems("volume volumes"),
    "disk": stems("disk partition volume"),
    "storage": stems("bucket resources"),
    "mirror": stems("files destination"),
}
_READ = 20_000
_LOSS = stems("destructive data loss delete deletion irreversible force reset history")


def _folders(path: str) -> Iterator[str]:
    """A path and the folders that it lies in, the nearest first; few, however long the path."""
    for _ in range(_DEEP):
        if not path or path in (".", "/"):
            return
        yield path
        path = posixpath.dirname(path)


_DEEP = 20


def _near(sentence: str, things: frozenset[str], precious: bool) -> bool:
    """Whether a sentence that asks for something to go may mean these things: it names one, or names nothing else."""
    words = stems(sentence[:2_000])
    left = stems(_MOVES.sub(" ", _ASKS.sub(" ", sentence[:2_000])))
    wide = _WIDE.search(sentence) is not None and not precious
    return bool(words & things) or len(left) <= (0 if precious else 1) or wide


def _speaks_of_sort(sentence: str, of_sort: re.Pattern[str]) -> bool:
    """Whether a sentence names a sort of things, and not as what is to stay."""
    return any(
        _STAYS.search(sentence[max(found.start() - _BEFORE_NAME, 0) : found.start()]) is None
        for found in itertools.islice(of_sort.finditer(sentence), _OFFERED)
    )


_CALLS_IT = lazy(
    r"\b(?:namespace|volume|container|bucket|table|database|release|stack|branch|topic|queue|index|schema|tabelle|datenbank|conteneur|contenedor|tabla)\s+[`\"']?(?P<name>[\w.-]{2,80})[`\"']?(?=\s*(?:$|[,.;:!?)]|\b(?:and|on|in|from|at|please|und|auf|bitte|et|sur|y|en|e|su)\b))",
    re.IGNORECASE,
)
_NO_NAMES = frozenset(["on", "in", "of", "and", "for", "to", "when", "if", "too", "now", "please", "again", "completely", "entirely", "itself", "as", "with", "that", "which", "there", "here", "off", "away", "first", "then", "also", "bitte", "auch", "jetzt", "so", "it", "them"])  # fmt: skip


def _names_another(sentence: str, things: Sequence[str]) -> bool:
    """Whether a sentence calls a thing of a kind by its name, and that is the name of none of these."""
    names = {_bare(found["name"]) for found in _CALLS_IT.finditer(sentence[:2_000])} - _NO_NAMES
    wanted = [_bare(thing.rsplit("/", 1)[-1]) for thing in things[:_THINGS] if " " not in thing]
    return bool(names and wanted) and not any(_alike(one, name) for one in wanted for name in names)


_BEFORE_NAME = 60
_STAYS = lazy(
    r"\b(?:keep\w*|leave|without|except|but\s+not|not|never|don['’]t\s+\w+|no|behalt\w*|lass\w*|ohne|außer|nicht|kein\w*|sauf|sans|gard\w+|excepto|salvo|sin|sem|menos|mant\w+|conserv\w+|tranne|senza|tieni|zonder|behoud\w*|niet|geen|oprócz|bez|zostaw\w*|hariç|koru\w*|кроме|без|не|оставь\w*|крім|залиш\w*)\b[^,;.]{0,40}$|(?:保留|不要|别)[^，。]{0,20}$",
    re.IGNORECASE,
)
"""Words before a name that say that it stays."""
_KEEPS_IT = lazy(
    r"(?<!not )(?<!n['’]t )\b(?:keep|leave|except(?:\s+for)?|but\s+not|apart\s+from|behalte?|außer|lass|sauf|gard\w+|except[oé]|salvo|conserva|mant[eé]n|tranne|tieni|eccetto|exceto|mantenha|behalve|behoud|oprócz|zostaw|hariç)\s+(?:[\w'’]{1,12}\s+){0,2}?[`\"']?$|(?<!\w)(?:кроме|оставь|крім|залиш)\s+(?:\w{1,12}\s+)?[`\"']?$|(?:除了|保留)\s?[`\"']?$",
    re.IGNORECASE,
)
"""Words right before the name of what is to stay."""


def _is_kept(text: str, thing: str) -> bool:
    """Whether a message names a thing once, and as one that is to stay."""
    name = thing.rstrip("/").rsplit("/", 1)[-1]
    if len(name) < _LONG_NAME or text.count(name) != 1:
        return False
    at = text.find(name)
    alone = not re.match(r"[\w-]", text[at + len(name) : at + len(name) + 1])
    return alone and _KEEPS_IT.search(text[max(0, at - _BEFORE_NAME) : at]) is not None


_LONG_NAME = 4
_SHORT_ANSWER = 80
_AGREES_AT_LAST = lazy(
    r"[,;.!–—-]\s{1,3}(?:yes|yep|yeah|sure|ok(?:ay)?|please\s+do|ja|klar|oui|d['’]accord|sí|vale|sì|va\s+bene|sim|pode|tak|graag|evet|tamam|да|ага|так|добре)\W{0,5}$|[,，。、]\s?(?:好的?|可以|はい|お願いします|네)\W{0,5}$",
    re.IGNORECASE,
)
"""Words by which a person agrees, at the end of a short answer: "the two of 2023 can go, yep"."""
_KEPT_KINDS: tuple[re.Pattern[str], ...] = (
    lazy(r"snap-?shots?|schnappsch|instant[aá]n|istantane|migawk|снапшот|снимк|знімк|快照|スナップショット|스냅샷", re.IGNORECASE),
    lazy(r"\b(?:disks?|volumes?|drives?)\b|platten?\b|disques?\b|discos?\b|disch[io]|dysk|schij[fv]|volúmen|диск|磁盘|硬盘|ディスク|디스크", re.IGNORECASE),
    lazy(r"\b(?:images?|amis?|artifacts?|tags?|manifests?)\b|imágen|imagen|immagin|abbild|obraz|образ|镜像|イメージ|이미지", re.IGNORECASE),
    lazy(r"\b(?:buckets?|blobs?|objects?|s3|s3api|gsutil)\b|objekt|objets?\b|objetos?\b|oggetti|бакет|桶|バケット|버킷", re.IGNORECASE),
    lazy(r"\b(?:instances?|vms?|servers?|droplets?|machines?|linodes?)\b|instan[zcț]|maschine|máquina|macchin|maszyn|сервер|машин|виртуалк|实例|服务器|虚拟机|サーバ|インスタンス|인스턴스", re.IGNORECASE),
    lazy(r"\b(?:queues?|topics?|subscriptions?)\b|warteschlange|\bcolas?\b|\bfilas?\b|kolejk|очеред|队列|キュー", re.IGNORECASE),
    lazy(r"\b(?:functions?|lambdas?|stacks?|log-groups?|secrets?|keys?|backups?|deployments?|releases?|repos(?:itory|itories)?|projects?)\b|sicherung|sauvegarde|copias?\b|kopie|бэкап|резервн|备份|バックアップ", re.IGNORECASE),
)  # fmt: skip
"""What people and the clients of clouds call the kinds of things that a cloud keeps."""
_LEAVES = lazy(
    r"\b(?:may|can|could|feel\s+free|(?:without|no\s+need\s+(?:to|for))\s+ask\w*|darfst|dürfen|darf|kannst|kann|können|ohne\s+(?:mich\s+)?(?:nach)?(?:zu)?frag\w*|peux|peut|pouvez|peuvent|sans\s+(?:me\s+)?(?:re)?demander|puedes?|pueden|sin\s+(?:preguntar|pedir)\w*|puoi|può|possono|senza\s+chieder\w*|pode[ms]?|sem\s+pergunt\w*|mag|mogen|zonder\s+(?:te\s+)?vragen|możesz|można|mogą|bez\s+pytania|śmiało|silebilir\w*|sormadan)\b"
    r"|(?<!\w)(?:можешь|можете|можно|без\s+спроса|не\s+спрашивая|можеш|можна|не\s+питаючи)(?!\w)|可以|不用问|直接|[てで]も?(?:いい|良い|かまわない|構わない)|[해워]도\s?(?:돼|됩니다|좋)",
    re.IGNORECASE,
)
"""Words by which a person leaves it to the assistant that things go, by what they say of them."""
_OTHER_NAME = lazy(
    r"(?<![\w.*/-])(?=[\w./-]{0,80}[a-z])(?=[\w./-]{0,80}[-_/\d])[a-z][\w./-]{2,80}(?![\w*])", re.IGNORECASE
)


_WANTS_IT_DONE = lazy(
    r"^\W*(?:\w{1,12}\W{1,3}){0,2}?(?:(?:can|could|would|will)\s+you\b|(?:kannst|könntest|würdest)\s+du\b|(?:peux|pourrais)-tu\b|pouvez-vous\b|pued\w+\b|podr[ií]as?\b|puoi\b|potresti\b|pode\w*\b|kun\s+je\b|możesz\b|можешь\b|можете\b|можеш\b)",
    re.IGNORECASE,
)
"""How an order begins that is put as a question: "can you delete …?"."""


def _only_asked(sentence: str, text: str) -> bool:
    """Whether a sentence of a message is a question and no order: "which of them could we delete?"."""
    end = text.find(sentence) + len(sentence)
    asks = is_question(sentence) or text[end : end + 2].strip().startswith(("?", "？"))
    return asks and _WANTS_IT_DONE.match(sentence) is None


def _of_kind(told: str, text: str, asks: Sequence[str], things: Sequence[str]) -> bool:
    """Whether a message orders things of a kind to go, or leaves that to the assistant, by what it says of them and not
    by names: "those that are older than two years you may remove".
    """
    kinds = [kind for kind in _KEPT_KINDS if kind.search(told)] if told else []
    if not kinds:
        return False
    for one in asks:
        if _only_asked(one, text):
            continue
        bare = one[:2_000]
        found = list(itertools.islice(_OTHER_NAME.finditer(bare), _OFFERED))
        for name in reversed(found):
            if _KEEPS_IT.search(bare[max(0, name.start() - _BEFORE_NAME) : name.start()]) is not None:
                bare = bare[: name.start()] + bare[name.end() :]
        if any(name.group() not in told and name.group() in bare for name in found) or (
            _is_meant(bare, things, "storage") is False
        ):
            continue
        if any(kind.search(one) or (_LEAVES.search(one) and kind.search(text)) for kind in kinds):
            return True
    return False


_REFUSES = lazy(
    r"\b(?:no|not|none|neither|nothing|don['’]?t|keep|leave|wait|stop|nein|nicht|kein\w*|behalt\w*|lass|warte|non|pas|garde\w*|laisse\w*|ninguno|guarda|deja|espera|nessuno|tieni|lascia|não|nenhum|mantenha|nie|zostaw|geen|niet|hayır|bırak)\b"
    r"|\b(?:нет|не|оставь|подожди|ні|залиш)\b|不|别|留|やめ|残|아니|말고|남겨",
    re.IGNORECASE,
)
_BOTH = lazy(
    r"^\W*(?:the\s+)?(?:both|all|everything|beide|alle|alles|tous|toutes|les\s+deux|ambos|todos|los\s+dos|tutti|entrambi|os\s+dois|oba|wszystkie|allebei|hepsi|ikisi|оба|обе|все|всё|обидва|都|全部|両方|全部|둘\s*다|모두|전부)\b",
    re.IGNORECASE,
)
_ORDINALS: tuple[re.Pattern[str], ...] = (
    lazy(r"\b(?:1|1st|first|former|erste\w*|premi[eè]re?|primer[oa]?|prim[oa]|primeir[oa]|pierwsz\w+|eerste|ilk\w*|перв\w+|перш\w+)\b|第一|一つ目|最初|첫", re.IGNORECASE),
    lazy(r"\b(?:2|2nd|second|latter|zweite\w*|deuxième|seconde?|segund[oa]|second[oa]|drugi\w*|tweede|ikinci\w*|втор\w+|друг\w+)\b|第二|二つ目|두\s*번째", re.IGNORECASE),
    lazy(r"\b(?:3|3rd|third|dritte\w*|troisième|tercer[oa]?|terz[oa]|terceir[oa]|trzeci\w*|derde|üçüncü\w*|трет\w+)\b|第三|三つ目|세\s*번째", re.IGNORECASE),
)  # fmt: skip
_PICKING = stems(
    "only just the one ones that this those please yes ok sure delete drop remove take go with and then nur bloß die der das den leere ja bitte lösch "
    "seulement juste le la les celui celle solo sólo el los las apenas só o a os as il lo gli tylko ten ta alleen de het sadece только лишь тот та"
) - stems("leere")
"""Words of an answer that choose, and describe nothing."""
_AFTER_NAME = lazy(
    r"^[`\"'*]{0,3}\s{0,2}(?:[(,:：（—–-]|(?:which|that|with|is|has|are|mit|ist|hat|qui|avec|est|que|con|es|está|который|с|is)\b)"
)
_NAMED = lazy(
    r"[`\"'](?P<quoted>[\w./:@~$*-]{2,200})[`\"']|(?<![\w.-])(?P<bare>\w[\w./:@~$-]*[_./:-][\w./:@~$*-]*\w)"
)


def _chosen(answer: str, offer: str, things: Sequence[str]) -> bool:
    """Whether a short answer chooses the things among those that the assistant offered to delete.

    By their place (``the first one``), all of them (``both``), or by words that the offer says of them and of no other:
    ``only the empty one``.
    """
    if len(answer) > _SHORT_ANSWER or _REFUSES.search(answer) is not None or "?" in answer:
        return False
    places: list[tuple[str, int, int]] = []
    for found in itertools.islice(_NAMED.finditer(offer), _OFFERED):
        name = _bare(found["quoted"] or found["bare"])
        if name and all(name != known for known, _, _ in places):
            places.append((name, found.start(), found.end()))
    names = [name for name, _, _ in places]
    wanted = [_bare(thing) for thing in things[:_THINGS]]
    if not wanted or any(all(not _alike(thing, name) for name in names) for thing in wanted):
        return False
    if _BOTH.match(answer) is not None:
        return True
    chosen = next((number for number, words in enumerate(_ORDINALS) if words.search(answer)), None)
    if chosen is not None and chosen < len(names):
        return all(_alike(thing, names[chosen]) for thing in wanted)
    told = stems(answer) - _PICKING
    if not told:
        return False
    fitting = [
        name for number, (name, _, _) in enumerate(places) if told <= stems(_said_of(offer, places, number))
    ]
    return (
        bool(fitting)
        and all(any(_alike(thing, name) for name in fitting) for thing in wanted)
        and len(fitting) < len(names)
    )


_READ_ANSWER = 400
"""Characters of an answer that may be no more than one."""
_OF_ALL = lazy(
    r"\b(?:both|all|them|these|those|everything|beide\w*|alle[sn]?|allebei|allemaal|tous|toutes|les\s+deux|ambos|todos|todas|los\s+dos|tutti|tutte|entramb[ie]|os\s+dois|oba|obie|wszystk\w+|hepsi\w*|ikisi\w*|оба|обе|все|всё|усі|всі|обидв\w+)\b|都|全部|両方|둘\s*다|모두|전부",
    re.IGNORECASE,
)
_PART = lazy(r"[^\W\d_]{3,40}|\d{2,14}")


def _picked(answer: str, offer: str, things: Sequence[str]) -> bool | None:
    """Whether an answer picks the things out of an offer by parts that tell their names apart: ``2022`` of
    ``nightly-2022/`` and ``nightly-2023/``.

    ``False`` where it picks others only, ``None`` where it picks none.
    """
    if _REFUSES.search(answer) is not None or "?" in answer or _OF_ALL.search(answer) is not None:
        return None
    places = itertools.islice(_NAMED.finditer(offer), _OFFERED)
    names = dict.fromkeys(_bare(found["quoted"] or found["bare"]) for found in places)
    parts = {name: frozenset(_PART.findall(name)) for name in names if name}
    counts = Counter(part for found in parts.values() for part in found)
    # What is said in a second sentence is another matter: "yes. Then look at orders".
    said = frozenset(_PART.findall(re.split(r"[.;!\n]", answer.casefold(), maxsplit=1)[0]))
    picked = [name for name, found in parts.items() if any(counts[part] == 1 for part in found & said)]
    wanted = [_bare(thing) for thing in things[:_THINGS]]
    if not picked or not wanted or len(parts) < 2:
        return None
    if any(all(not _alike(thing, name) for name in parts) for thing in wanted):
        return None
    return all(any(_alike(thing, name) for name in picked) for thing in wanted)


def _alike(thing: str, name: str) -> bool:
    short, long = sorted((thing, name), key=len)
    return short == long or (len(short) > 1 and long.endswith(short) and long[-len(short) - 1] in "./:")


def _said_of(offer: str, places: list[tuple[str, int, int]], number: int) -> str:
    """What an offer says of one of the things that it names: behind the name, or in the words right before it."""
    _, start, stop = places[number]
    until = places[number + 1][1] if number + 1 < len(places) else min(len(offer), stop + _DESCRIBED)
    behind = offer[stop : min(until, stop + _DESCRIBED)]
    if _AFTER_NAME.match(behind) is not None:
        return re.split(r"[)）;\n]|\.\s", behind, maxsplit=1)[0]
    return " ".join(
        offer[max(places[number - 1][2] if number else 0, start - _DESCRIBED) : start].split()[-3:]
    )


_OFFERED = 30
"""Names in an offer that are looked at."""
_DESCRIBED = 120
"""Characters around a name in which something is said of it."""
_QUOTES = lazy(r"[\"'`\[\]]")
_NAME = lazy(r"[\w~$*][\w./:@~$*-]*")
_KINDS = r"(?:tables?|databases?|schemas?|views?|index|collections?|namespaces?|buckets?|volumes?|stack|release|tabellen?|datenbank|tabla|таблиц\w)"
_CALLED = lazy(
    rf"\b{_KINDS}\s+(?P<after>[\w.-]+)|\b(?P<before>(?!(?:test|old|temp|tmp|dev|staging|prod|production|live|main|new|backup|legacy)\b)[\w.-]+)\s+{_KINDS}\b"
    r"|\b(?:drop|truncate|delete|remove|wipe|purge|erase|empty)\s+(?P<verb>[\w.-]+)",
    re.IGNORECASE,
)
"""A plain word that stands where a name does."""
_QUOTED_NAME = lazy(r"[`\"'](?P<name>[\w./:@~$*-]{1,200})[`\"']")


def _bare(name: str) -> str:
    return _QUOTES.sub("", name).casefold().removeprefix("./").rstrip(".,:;/*-")


@lru_cache(maxsize=256)
def _names_in(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """The words of a text that may be names, and those of them that look like one or stand where one does."""
    words = {_bare(found.group()) for found in _NAME.finditer(_QUOTES.sub("", text))}
    named = {word for word in words if re.search(r"[_./:\d-]", word)}
    named |= {_bare(found["name"]) for found in _QUOTED_NAME.finditer(text)}
    for found in _CALLED.finditer(_QUOTES.sub("", text)):
        named.add(_bare(found["after"] or found["before"] or found["verb"]))
    return frozenset(words - {""}), frozenset(named - {""})


def _parts(name: str) -> frozenset[str]:
    return frozenset(stem(part) for part in re.split(r"[^\w]+|_+", name) if part)


def _is_named(text: str, thing: str, sort: str) -> bool | None:
    """Whether a text names a thing: as a whole word, with or without its schema or folder; ``False`` where it
    names another thing like it, ``None`` where it names neither.
    """
    if " " in thing:
        # No name, but what it is: all unused volumes.
        return None
    words, named = _names_in(text)
    # Of kind/name only the name is one.
    name = _bare(thing.partition("/")[2] or thing if sort == "cluster" else thing)
    ends = "./" if sort == "data" else "/:"
    for word in words:
        short, long = sorted((word, name), key=len)
        if short == long or (short and long.endswith(short) and long[-len(short) - 1] in ends):
            return True
        if sort == "data" and re.search(r"[\d-]", short) is not None and same_host(short, long):
            # A server by its short name.
            return True
        if sort != "data" and (name.startswith(f"{word}/") or _covers(word, name) or _covers(name, word)):
            return True
    parts = _parts(name)
    if parts and parts <= {stem(word) for word in words}:
        return True
    plain_words = sort in ("data", "cluster", "volumes", "storage")
    for word in named:
        like = plain_words or re.search(r"[_./:\d-]", word) is not None
        if like and any(len(part) > 2 for part in _parts(word) & parts):
            return False
    return None


_ON_HOST = lazy(
    r"\b(?:on|of|in|from|at|auf|von|aus|sur|de|en|em|su|di|op|van|na|z|на|в|із|з)\s+(?P<host>(?=[\w.-]{0,80}[\d-])[a-z][\w.-]{1,80})",
    re.IGNORECASE,
)
"""A host by its place in a sentence; its name holds a digit or a hyphen."""


def _elsewhere_named(sentence: str, host: str | None) -> bool:
    """Whether a sentence places what it speaks of on hosts of which this is none."""
    named = {found["host"].lower().rstrip(".") for found in _ON_HOST.finditer(sentence[:2_000])}
    return bool(named) and not any(same_host(one, host) for one in named)


def _covers(pattern: str, name: str) -> bool:
    return 0 < pattern.count("*") <= _STARS and fnmatch(name, pattern)


_STARS = 3


def _is_meant(text: str, things: Sequence[str], sort: str) -> bool | None:
    """Whether a text names the things of a command; ``False`` where it names others like them, ``None`` for neither."""
    named = [_is_named(text[:2_000], thing, sort) for thing in things[:_THINGS]]
    if True in named:
        # Of the tables of one statement each is asked for by itself.
        return sort != "data" or all(one is True for one in named)
    return False if False in named else None


_THINGS = 20
"""Things of one command that are looked for in a text."""
_WIDE = lazy(
    r"\b(?:everything|all|old|unused|stale|dead|obsolete|clean\s?up|cleanup|leftover\w*|artifacts?|space|from\s+scratch|fresh|refactor\w*|restructur\w*|reorgani[sz]\w*|alles|alte\w*|tout|todo|tudo|tutto)\b|(?:всё|все|стар)|(?:全部|所有|旧)",
    re.IGNORECASE,
)
