"""What the person forbade, demanded or limited, sentence by sentence, in several languages.

A constraint is read from the person's own messages, the prompt of a task included; of a child session, from the
prompt that the parent gave. It keeps the exact words, what they are about in plain stems, the paths and the
literal pieces they name (flags, commands, file names), and the condition where there is one (``without asking``,
``before the tests pass``). A later message that asks for the same thing lifts it: see :mod:`.violations`.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

import msgspec

from sessionlens.cache import lazy
from sessionlens.graph import asking, awaiting, bans, let_be, looking
from sessionlens.graph.events import Said
from sessionlens.language import detect, forbids
from sessionlens.language.split import is_question

if TYPE_CHECKING:
    from sessionlens.graph.session_graph import SessionGraph

Mood = Literal["forbids", "limits", "demands", "reads_only"]
Deed = Literal[
    "change", "delete", "create", "run", "deploy", "install", "commit", "push", "merge", "restart", "migrate", "skip", "use",
    "read", "report", "grant", "mock", "reset", "weaken", "apply", "reload", "recreate", "stop", "scale", "touch", "other",
]  # fmt: skip


def word_set(words: str) -> frozenset[str]:
    """Words given with spaces between them."""
    return frozenset(words.split())


_LONGEST = 600
"""Characters of a sentence that can still be an instruction."""
_MOST = 200
"""Constraints that are kept of one message."""
_READ = 20_000
"""Characters of a message that are read: what is longer is pasted text."""

_FORBIDS = lazy(
    r"""
    \b(?:do\ not|don['’]?t|dont|never|must\ not|mustn['’]?t|must\ never|should\ not|shouldn['’]?t|may\ not|shall\ not|cannot|can\ not|not\ allowed\ to
      |(?:are|is)\ forbidden\ to|no\ need\ to\ touch|refrain\ from|avoid|stop|without|hands\ off|stay\ (?:out\ of|away\ from)|keep\ (?:your\ hands\ )?(?:off|away\ from|out\ of)
      |under\ no\ circumstances)\b
    | (?<=,\ )not(?=\ (?!just|only|sure|yet|all|enough|necessarily|a\b|too|that|because|if|as\b|very)\w) | \b(?:instead\ of|rather\ than)(?=\ \w+ing\b)
    | (?<![\w-])no(?=\ (?:new|other|more|further|changes?|edits?|modifications?|direct|manual|force|mocks?|sudo|prod(?:uction)?|additional|extra|hand-?edited|global
      |behaviou?ral|commits?|push(?:es|ing)?|reboots?|installs?|installations?|releases?|rollouts?|deploys?|deployments?|restarts?|(?:restart|reboot|deploy|push|committ|delet|install|migrat|touch)ing|dependenc\w+|packages?|deletions?|writes?|skipp?(?:ed|ing)|migrations?|refactor\w*)\b)
    | \b(?:nicht|kein(?:e|en|er|em|es)?|niemals|nie|ohne|auf\ keinen\ fall|finger\ weg)\b
    | \b(?:ne|n['’])\s?(?:\w+\s){1,3}?(?:pas|jamais|aucun\w*|rien)\b | \bsans\b | \binterdi(?:t|ction)\b | \bne\ pas\b | \bévite[rz]?\b | \bpas\ (?:de|d['’])
    | \b(?:no|nunca|jamás|evita|evite|prohibido)\b(?=\s+(?:(?:lo|la|los|las|me|te|se|hay|debes|debe|puedes|toques|modifi|cambi|borr|elimin|ejecut|us|toc|edit|instal|despleg|despli|hag|añad|agreg|cre|desactiv|sub|omit|salt|reinici|deten|deteng|pares|lanc|corr|escrib|renombr|muev|actualiz|recre|recarg|sobrescrib|fusion|publi|apliqu|migr|empuj|confirm)\w*))
    | \bsin\b(?=\s+(?:tocar|modificar|cambiar|borrar|eliminar|usar|preguntar|editar|instalar|ejecutar|confirmar|saltar|nuevas?|permiso)) | \bprohibido\b
    | \b(?:não|nunca|jamais|evite)\b | \bsem\b(?=\s+\w+(?:ar|er|ir)\b)
    | \b(?:non|mai|evita(?:re)?|vietato)\b(?=\s+\w) | \bsenza\b(?=\s+\w+(?:are|ere|ire)\b)
    | (?<![а-яёіїє])(?:не|нельзя|никогда|запрещено|без|не\ можна|ніколи|заборонено)(?![а-яёіїє])
    | (?:不要|别|不得|禁止|请勿|不能|不可|不准|勿|切勿|严禁|不許|別)(?=\S) | (?:しないで|するな|禁止|触らないで|変更しないで)
    | (?:하지\s?마|지\s?마세요|금지|건드리지)
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""Words that forbid what follows them (in Japanese and Korean: what stands before them)."""

_LIMITS = lazy(
    r"""
    \b(?:only|solely|exclusively|nothing\ but)\b | \bnowhere\ else\b | \bsonst\ nirgends\b | \bnulle\ part\ ailleurs\b | \bnergens\ anders\b | \ben\ ningún\ otro\ (?:lado|sitio)\b | \bnothing\ (?:else|other\ than|outside)\b
    | \b(?:limit|restrict|confine)\ (?:\w+\ ){0,4}?(?:to|within|in|inside|under)\b
    | \bkeep\ (?:\w+\ ){0,4}?within\b | \bkeep\ (?:it|this|that|them|everything|all|yourself|(?:(?:your|the|all|any)\ ){0,2}(?:\w+\ )?(?:changes?|edits?|work|fix(?:es)?|diff|modifications?|scope|patch|refactor\w*))\ (?:\w+\ ){0,2}?(?:to|within|in|inside|under)\b | \bstay\ (?:within|inside|in)\b | \bstick\ to\b
    | \b(?:bleib\w*\ (?:bitte\ )?(?:in|innerhalb|bei)|reste[rz]?\ (?:bien\ )?dans|quédate\ (?:dentro\ de|en)|(?:fica|fique)\ (?:dentro\ d|em)|resta\ (?:in|dentro)|blijf\ (?:binnen|in)|hou(?:d)?\ je\ (?:bij|aan)|contente[sz]?-(?:toi|vous)\ de|tiens-t['’]en\ à|limita-te\ a|limitati\ a|ogranicz\ się\ do)\b | (?<!\w)(?:(?:оставайся|держись)\ в|ограничься|обмежся)(?!\w)
    | \ball\ (?:\w+\ )?(?:changes?|files?|edits?|work)\ (?:\w+\ ){0,2}?(?:in|under|within|inside)\b | \bjust\ (?=(?:change|edit|touch|fix|modify|update|look|read|the)\b)
    | \b(?:nur|ausschließlich|lediglich|beschränke?\b[^.]{0,20}\bauf)\b
    | \b(?:seulement|uniquement|exclusivement|rien\ que|limite(?:z|-toi)?)\b | \bn(?:e\ |['’])[^.]{1,30}?\bqu(?:e\b|['’])
    | \b(?:solo|sólo|solamente|únicamente|exclusivamente|limítate)\b | \b(?:só|somente|apenas|unicamente)\b | \b(?:soltanto|solamente|unicamente)\b
    | \b(?:alleen|uitsluitend|tylko|wyłącznie|sadece|yalnızca)\b | (?:에서만|에만)
    | (?<![а-яёіїє])(?:только|лишь|исключительно|тільки|лише|виключно)(?![а-яёіїє]) | (?:只|仅|僅|只能|只需|だけ|のみ) | (?:만\s|만을)
    """,
    re.IGNORECASE | re.VERBOSE,
)

_READS_ONLY = lazy(
    r"""
    \bread[- ]only\b(?!\s+(?:access|replica|file|mode|flag|property|user|token|key|field|mount|volume|database|transaction)) | \b(?:just|only)\ (?:look|analy[sz]e|explain|describe|investigate|diagnose)\b(?![^.\n]{0,200}\b(?:fix|change|edit|update|implement|add|remove|write|create|and\ then)\b)
    | \b(?:do\ not|don['’]?t|dont|without)\ (?:change|chang(?:ing)|modify(?:ing)?|edit(?:ing)?|touch(?:ing)?|fix(?:ing)?|implement(?:ing)?|write|writing)\ (?:anything|any\ (?:files?|code)|any\ of\ the\ (?:files?|code)|code(?:\ yet)?|the\ code|files?(?:\ yet)?|yet|it\ yet|a\ thing|nothing)\b(?!\ (?:else|other|outside|in(?!\ (?:this|the)\ (?:task|step|phase|session|run|turn|round))|under|within|except|that|which|unless|before|until|without|related|but\ (?=\S{0,80}[/.]\w)))
    | \b(?:I|we)\ (?:do\ not|don['’]?t)\ want\ (?:you\ to\ (?:change|modify|edit|touch)\ any(?:thing|\ (?:code|files?))|(?:you\ to\ (?:do|make)\ )?any\ (?:code\ )?changes|anything\ (?:changed|modified|edited|touched))\b(?!\ (?:else|other|outside|in(?!\ this)|under|within|except|that|which|unless|before|until|to)\b)
    | \b(?:no|zero)\ (?:code\ )?(?:changes|edits|modifications)\b(?!\ (?:to|in|outside|of|under|for|on|should|needed|required|are\ needed|necessary|yet\ to)) | \bhands\ off\ (?:of\ )?everything\b | \bmake\ no\ changes\b(?!\ (?:to|in|outside)) | \bobservational(?:ly)?[- ]only\b
    | \b(?:nur\ (?:lesen|ansehen|analysieren|anschauen|erklären|prüfen)|(?:ändere?|verändere?|fass)\ (?:bitte\ )?nichts|nichts\ (?:ändern|verändern|anfassen)|nur\ lesend)\b
    | \b(?:lecture\ seule|sans\ rien\ (?:modifier|changer|toucher)|ne\ (?:modifie[zr]?|change[zr]?|touche[zr]?)\ rien)\b
    | \b(?:solo\ lectura|sin\ (?:modificar|cambiar|tocar)\ nada|no\ (?:cambies|modifiques|toques)\ nada)\b | \b(?:somente\ leitura|não\ (?:altere|mude|modifique|mexa\ em)\ nada|sem\ (?:alterar|modificar)\ nada)\b
    | \b(?:sola\ lettura|non\ (?:modificare|cambiare|toccare)\ (?:nulla|niente))\b
    | \b(?:só\ leitura|(?:não\ (?:mexas?|toques?|alteres?|mudes?)(?:\ em)?\ nada)|alleen[- ](?:maar\ )?(?:lezen|kijken)|(?:verander|wijzig)\ (?:maar\ |alsjeblieft\ )?niets|niets\ (?:veranderen|wijzigen|aanraken)|raak\ niets\ aan
      |tylko\ (?:do\ )?odczyt\w*|(?:niczego\ )?nie\ (?:zmieniaj|ruszaj|dotykaj)\ niczego|niczego\ nie\ (?:zmieniaj|ruszaj|dotykaj)|salt\ okunur|(?:hiçbir\ şeyi\ değiştirme|hiçbir\ şeye\ dokunma)(?:yin|yın)?|(?:non\ (?:modificare|cambiare|toccare))\ (?:nulla|niente))\b
    | (?:什么都(?:不要|别)(?:改|动)|何も(?:変え|いじら|触ら)ないで|읽기\s?전용|아무것도\s?(?:수정하지|변경하지|건드리지|바꾸지)\s?말)
    | (?:только\ (?:чтение|посмотри|смотри|читай|анализ)|ничего\ не\ (?:меняй|трогай|изменяй|правь)\w*|нічого\ не\ (?:змінюй|чіпай)\w*|тільки\ (?:читання|подивись))
    | (?:只读|不要(?:修改|改动|更改|动)任何|什么都(?:不要|别)改|何も変更しない|読み取り専用|아무것도\s?(?:수정|변경)하지\s?마)
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""Words by which nothing at all is to be changed."""

_DEMANDS = lazy(
    r"""
    \b(?:must|make\ sure|ensure|always|mandatory)\b | \bbefore\ (?:you\ )?\w+ing\b | \bbefore\ (?:each|every|any|you)\b | \b(?:ask|check\ with|tell|consult)\ me\ (?:first|before|beforehand)\b
    | \b(?:muss|müssen|immer|unbedingt|frag(?:e|t)?\ (?:mich\ )?(?:vorher|zuerst|erst)|stelle\ sicher)\b | \b(?:doit|doivent|toujours|obligatoire|demande[z-]*(?:\ |-moi\ )avant)\b
    | \b(?:debes?|siempre|obligatorio|pregunta(?:me)?\ antes|asegúrate)\b | \b(?:deve|sempre|obrigatório|pergunte\ antes)\b | (?:должен|должны|обязательно|всегда|спроси|сначала\ спроси|обов['’]язково|завжди)
    | (?:必须|一定要|务必|总是|先问|必ず|반드시)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_ASK_FIRST = lazy(
    r"""
    \b(?:ask|check\ with|consult|tell|warn)\ (?:me|us)\b[^.;\n]{0,60}?\b(?:first|before|beforehand|prior)\b | \bask\ (?:first|before|for\ (?:my\ )?(?:approval|permission|confirmation))\b
    | \b(?:without|until|unless)\ (?:asking|my\ (?:ok|okay|approval|permission|consent|go-ahead|confirmation)|(?:I|you)\ (?:confirm|approve|say\ so|ask)|(?:explicit|documented|prior)\ (?:approval|permission|confirmation)|approval|permission|confirmation)
    | \bwait\ for\ my\b | \bfrag(?:e|t)?\ (?:(?:mich|bitte|uns)[\ ,]+)*(?:vorher|zuerst|erst|bevor)\b | \bohne\ (?:zu\ fragen|rückfrage|meine\ (?:zustimmung|freigabe))\b
    | \bdemande[z]?(?:-moi)?\ (?:d['’]abord|avant)\b | \bsans\ (?:me\ )?demander\b | \bpregúntame\ (?:antes|primero)\b | \bsin\ preguntar(?:me)?\b | \bpergunt\w+\ antes\b | \bsem\ perguntar\b
    | (?:сначала\ спроси|спроси\ (?:меня\ )?(?:перед|прежде|сначала)|без\ (?:моего\ )?(?:разрешения|спроса|подтверждения)|先问我|先征求|未经我|先に聞い|前に(?:聞い|確認|相談)|먼저\ 물어|전에\s(?:먼저\s)?(?:물어|확인))
    | \b(?:pergunta-?me|chiedimi|chiedi(?:\ a\ me)?)\ (?:antes|prima|primeiro)\b | \bvraag\ (?:het\ )?(?:me|mij)?[\ ,]*(?:eerst|voor|voordat|vooraf)\b | \b(?:za)?pytaj\ (?:mnie)?[\ ,]*(?:zanim|przed|najpierw)\b
    | (?:спитай|запитай|спроси)(?:те)?\ (?:мене\ |меня\ )?(?:перед|перш|спершу|прежде|до\ того) | \bönce\ (?:bana|bize)\ (?:sor|danış)
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""Words by which something is to be done only after the person was asked."""

_VERBS: dict[str, str] = {
    "change": r"(?:chang|modif|edit|touch|alter|updat|overwrit|rewrit|writ|adjust|patch|mutat|refactor|renam|mess|affect|fix|add|mov|format|reformat|correct|apply|änder|veränder|anfass|fass|bearbeit|anpass|modifi|toque|toca|toch|cambi|edita|altera|alterar|mexa|mexer|mud|change|touche|modific|tocc|меня[йтю]|измен|трог|прав|редакт|зміню|чіпа|修改|改动|更改|编辑|变更|動|动|改|変更|編集|触|수정|변경|건드리)",
    "delete": r"(?:delet|remov|eras|wip|drop|purg|truncat|clean|destroy|uninstall|lösch|entfern|supprim|efface|borr|elimin|apag|remov|cancell|удал|стира|видал|删除|刪除|移除|削除|삭제)",
    "create": r"(?:creat|generat|add\w*\ (?:new|any|files?)|anleg|erstell|crée|cré|crea|cria|созда|створ|创建|新建|新增|作成|생성)",
    "run": r"(?:run|führ|execut|invok|trigger|launch|start|ausführ|laufen|exécut|lanc|ejecut|execut|rodar|esegu|запуск|запусти|выполн|викон|运行|执行|実行|실행)",
    "deploy": r"(?:(?:re-?)?deploy|releas|ship|publish|roll\ ?out|ausroll|veröffentlich|déplo|despleg|despli|implant|(?:за)?депло|wdr[oa]ż|выкат|разв[её]р|部署|发布|上线|デプロイ|배포)",
    "install": r"(?:instal|upgrad|downgrad|bump|(?:new|additional|extra|external|third-party|any)\ (?:dependenc|packag|librar|modul|deps?\b)|pip\ install|npm\ install|abhängigkeit|dépendanc|dependenc|зависимост|установ|встанов|安装|依赖|インストール|설치|의존)",
    "commit": r"(?:commit|einchecken|(?:за)?коммит|(?:за)?ком[иі]т|提交|コミット|커밋)",
    "push": r"(?:push|(?:за)?пуш|推送|プッシュ|푸시)",
    "merge": r"(?:merg|[св]?мерж|合并|マージ|병합)",
    "restart": r"(?:restart|reboot|neu\ ?start|redémarr|reinici|riavvi|перезапус|перезагру|重启|再起動|재시작)",
    "reload": r"(?:reload|neu\ ?lad|recharg|ricaric|herlaad|przeład|перечит|重新加载|重载|リロード|再読み込み|리로드)",
    "recreate": r"(?:re-?creat|neu\ ?erstell|recré|ricre|пересозда|перестворю|重建|重新创建|再作成|作り直|재생성)",
    "migrate": r"(?:migrat|migrier|миграц|迁移|マイグレ)",
    "skip": r"(?:skip|bypass|disabl|omit|ignor|exclud|filter|xfail|comment(?:ing)?\ out|turn(?:ing)?\ off|circumvent|überspring|deaktivier|umgeh|auskommentier|ignorier|désactiv|saute|contourn|ignore|desactiv|omit|salt|desativ|pul|saltare|disattiv|пропуск|отключ|игнорир|вимик|пропуск|跳过|禁用|忽略|关闭|绕过|スキップ|無効|건너뛰|비활성)",
    "weaken": r"(?:weaken|relax|loosen|lower|reduc|increas|rais|hid|mask|minimi[sz]|shrink|cut|narrow|abschwäch|senk|affaibl|baiss|relaj|reduc|rebaj|ослаб|сниж|понижа|降低|放宽|弱化|緩め|낮추)",
    "mock": r"(?:mock|stub|fak|hard-?cod|fabricat|synthesi[sz]|simulat|замок|模拟|伪造|モック)",
    "reset": r"(?:reset|rever|roll\ ?back|restor|zurücksetz|réinitialis|restabl|сброс|重置|还原)",
    "grant": r"(?:grant|elevat|escalat|assign|gewähr|accord|conced|выда|授予)",
    "use": r"(?:us(?:e|ing)|employ|verwend|benutz|nutz|utilis|usar|uses?|use[sn]?|utiliz|usare|использ|использу|використ|使用|用|使わ|사용)",
    "report": r"(?:report|claim|present|treat|say|declar|state|downplay|minimi|mark)",
    "scale": r"(?:scale\b|scaling|rescal|skalier|(?:hoch|herunter)skalier|redimensionn|escal(?:es|e|ar)\b|scalare|schaal|opschal|skaluj|масштаб|扩容|缩容|スケール|스케일)",
    "read": r"(?:read|open|view|access|look|les|lire|leer|ler|чита|读取|访问)",
}
_VERB = lazy(
    r"(?<![A-Za-zÀ-ɏЀ-ӿ])(?:" + "|".join(f"(?P<{deed}>{pattern})" for deed, pattern in _VERBS.items()) + ")"
)
"""Any of the verbs where a word begins, or anywhere in a script without spaces; in lower case."""

_ITEM = lazy(r"^\s*(?:[-*•–—]|\d{1,2}[.)]|\[.?\])\s+")
_ENDS = lazy(r"(?<=[.!?;。！？；؟।])(?:\s+|(?=[^\x00-\x7f]))|\n+")
_CODE_FENCE = lazy(r"```.*?(?:```|\Z)", re.DOTALL)
_QUOTED = lazy(r"`([^`\n]{1,200})`|(?<!\w)\"([^\"\n]{2,80})\"|(?<!\w)'([^'\n]{2,80})'(?!\w)")
_WIDE = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3"
"""Letters of scripts that set no space between a word and a path, for a class of characters."""
_SPACED = r"A-Za-z0-9_\u00c0-\u024f\u0400-\u04ff"
"""Letters of scripts that do."""
_PATH = lazy(
    rf"(?<![{_SPACED}@:])(?:~?/|\.{{1,2}}/)?(?:[\w.@+*-]{{1,100}}/)+[\w.@+*-]{{0,100}}|(?<![{_SPACED}/@:.-])(?:[\w+-]{{1,80}}(?:\.[\w+-]{{1,80}}){{0,6}}\.[a-zA-Z][a-zA-Z0-9]{{0,9}}|\.(?:env|git|github|gitignore|npmrc|dockerignore|eslintrc)[\w.]*|Makefile|Dockerfile|Jenkinsfile)(?![{_SPACED}/(])|(?<![{_SPACED}/])/(?:etc|var|usr|opt|home|tmp|root|srv|boot|bin|lib)\b[\w./*-]*"
)
_JOINED_BEFORE = lazy(rf"[{_WIDE}]+(?=[A-Za-z0-9_.~]|/(?:etc|var|usr|opt|home|tmp|root|srv|boot|bin|lib)\b)")
_JOINED_AFTER = lazy(rf"(?<=[A-Za-z0-9_/*])[{_WIDE}]+$")
"""Words of a script without spaces that touch a path: no part of it."""
_FLAG = lazy(r"(?<![\w-])--?[A-Za-z][A-Za-z0-9_-]*(?:=[\w./-]+)?")
_NO_PATH = lazy(
    r"^(?:e\.g|i\.e|etc|and/or|i/o|n/a|ci/cd|client/server|read/write|yes/no|\d+(?:\.\d+)*\w?|\w+\.(?:com|org|net|io|dev|ai)"
    r"|(?:node|next|vue|nuxt|express|three|react|d3|deno|backbone|socket)\.(?:js|io)|asp\.net)\.?$",
    re.IGNORECASE,
)
_SLASHED_WORDS = lazy(r"^[a-z-]+(?:/[a-z-]+)+$", re.IGNORECASE)
_WORD = lazy(r"[^\W\d_][\w'’-]*", re.UNICODE)

_STOP = word_set(
    """
    a an the and or but nor of to in on at by for from with without within under inside outside into
    onto any all some other others another this that these those it its is are be been being was
    were do does not don't dont never no must should may can could shall will would please only just
    always make sure ensure as if when while until unless before after than then you your i me my we
    our us they them their there here new existing current whole entire same such more most less too
    very directly manually also even ever yet so case needed necessary which what who how where
    anything something nothing everything scope way things thing kind files file directory
    directories folder folders code changes change der die das den dem des ein eine einen einem
    einer und oder aus auf aber sondern bitte nicht kein keine keinen nur bitte ich du sie wir es ist im in an auf zu von mit
    für le la les un une des et ou mais aux ne pas de du dans en sur pour que qui est rien el los las una
    unos y o no en de del por para con que es lo os um uma e ou mas não em do da dos das por para com
    que il lo gli e o non di del della in per con che и или не в на по для с от что это как без
    только
    """
)


class Constraint(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that the person forbade, demanded or limited."""

    said: Said
    """The message."""
    quote: str
    """The exact words."""
    mood: Mood
    """What they do: forbid a deed, limit it to something, demand it, or let only look."""
    deeds: frozenset[str]
    """What is forbidden, limited or demanded, as :data:`Deed`; empty where no known verb stands there."""
    paths: tuple[str, ...] = ()
    """Files and folders that it names."""
    folders: tuple[str, ...] = ()
    """Folders that a limit names by the word alone: "the frontend folder"."""
    literals: tuple[str, ...] = ()
    """Flags, commands and names it gives to the letter."""
    stems: frozenset[str] = frozenset()
    """What it is about: its content words, shortened to a stem, lower case."""
    ask_first: bool = False
    """Whether the deed is allowed once the person was asked, or has approved."""
    clause: str = ""
    """The part of the sentence that says it."""
    core: str = ""
    """That part without the negation and without the condition."""
    direct: bool = True
    """Whether it is said to the agent, not told of something else."""
    awaits: bool = False
    """Whether it holds until the person gives their word: ``until I say so``, ``not yet``."""
    till: bool = False
    """Whether it ends by itself at a time: ``until Monday``."""
    condition: str = ""
    """The words of a condition, such as ``without a backup``; the deed alone does not break it."""

    worded: bool = False
    """Read by the tables of a lexicon file: ``core`` holds what it is about, in English where a command is known by it."""
    runs_it: bool = False
    """Whether what was asked for is not to be run: "write the script, but do not run it"."""
    until: frozenset[str] = frozenset()
    """What must be over first, as content words: ``before the import is through``."""
    during: bool = False
    """Whether it is forbidden while that goes on: ``while the import is running``."""
    own: bool = False
    """Whether the agent may bring that about itself: ``until the tests pass``."""
    made: bool = False
    """Whether that is something a command makes, such as a backup."""
    once: bool = False
    """Whether only the second time is forbidden: ``not more than once``."""
    unless_down: bool = False
    """Whether it is allowed once what it is about does not run: ``unless it is down``."""
    languages: tuple[str, ...] = ()
    """The languages in which its sentence was read, for a short answer to it."""

    @property
    def seq(self) -> int:
        """Position of the message on the line of events."""
        return self.said.seq


_MAY = (
    "not ", "n't", "n’t", "dont ", "never", "without", "avoid", "stop", "only", "just", "must", "should", "always",
    "ensure", "make sure", "before", "ask ", "read-only", "no ", "hands off", "stay ", "keep ", "refrain", "limit",
    "restrict", "confine", "solely", "exclusively", "nothing", "instead of", "rather than", "allowed", "you may",
    "all changes", "all files", "all edits",
    "mandatory", "wait for", "under no", "stick to", "cannot", "changes", "plan only", "plan seul", "stay", "remain", "nicht",
    "kein", "nur", "ohne", "bleib", "rest", "queda", "fica", "blij", "zosta", "nie", "muss", "immer", "unbedingt", "frag", "stelle sicher", "ausschlie",
    "lediglich", "beschr", "lesend", "finger weg", " ne ", "ne ", "n'", "pas", "sans", "seulement", "uniquement", "interdi",
    "jamais", "toujours", "doit", "demande", "rien", "lecture", "sin ", "nunca", "solo", "solamente",
    "evit", "prohibido", "siempre", "debe", "pregunt", "lectura", "sem ", "apenas", "somente", "sempre", "deve",
    "pergunt", "leitura", "non ", "mai ", "senza", "soltanto", "vietato", "lettura", "unicamente",
    "nada", "ning", "nenhum", "niente", "nulla", "nessun", "niet", "geen", "nooit", "zonder", "alleen", "nie ", "nic", "bez ", "tylko",
    "yok", "yasak", "olmadan", "salt okunur", "yapma", "etme", "atma", "lama", "leme", "irme", "kurma", "silme", "unma", "anma", "leave ", "deja ", "deje ", "deixa ",
    "nowhere", "hou je", "houd je", "contente", "t'en ", "t’en ", "limit", "ogranicz", "sonst nirgends", "nulle part", "nergens", "ningún otro",
    "prior", "zanim", "przed ", "önce", "voordat", "avant", "antes", "prima", "vor ", "vraag", "chiedi", "sadece", "lascia", "blijf ", "laat ", "zostaw", "finger ", "dejar",
)  # fmt: skip
"""Pieces of lower-case text of which every instruction in Latin letters holds one: a cheap gate before the patterns."""


def _may_instruct(text: str) -> bool:
    lowered = text.casefold()
    return not text.isascii() or any(piece in lowered for piece in _MAY)


def constraints(graph: SessionGraph) -> Iterator[Constraint]:
    """Everything that the person forbade, demanded or limited, in order of the log."""
    for seq in graph.index("said"):
        said = graph.events[seq]
        if isinstance(said, Said) and said.role == "user" and said.texts and (said.human or said.depth > 0):
            yield from read_constraints(graph.prose(said), said)


_TAG = lazy(
    r",\s*(?:ok(?:ay|ej|é)?|right|alright|please|understood|ja|gut|klar|ne|verstanden|d['’]accord|hein|compris|vale|de acuerdo|entendido|tá|certo|va bene|capito|goed|begrepen|dobrze|jasne|jo|dobře|jasný|хорошо|ладно|понял\w?|добре|гаразд|tamam mı|anladın mı|förstått|forstået|forstått|εντάξει|حسنا|ठीक है)\s*[?？؟;]$",
    re.IGNORECASE,
)
"""A word behind an order that asks for a yes to it: "hands off nginx, ok?"."""
_ASIDE = lazy(r"(?<=\w)(?::\s|\s[–—-]\s|：)(?!.*(?::\s|\s[–—-]\s|：))")
"""Where an order ends and its question begins: the last colon or dash."""


def _ordering(sentence: str) -> str:
    """What a sentence says before its question: "Change nothing: why is it slow?"."""
    if len(sentence) > _LONGEST or not is_question(sentence):
        return sentence
    aside = _TAG.search(sentence) or _ASIDE.search(sentence)
    return sentence if aside is None else sentence[: aside.start()]


def read_constraints(text: str, said: Said) -> Iterator[Constraint]:
    """The constraints of one message. Fenced code, quoted blocks and pasted logs hold none."""
    found = 0
    before = ""
    code = detect.detect(text)
    for sentence in map(_ordering, sentences(text)):
        if len(sentence) > _LONGEST:
            continue
        order, before = before, sentence
        told = _may_instruct(sentence)
        keeps = let_be.may_keep(sentence) or let_be.may_forbid(sentence)
        read = list(_read_all(sentence, said, told=told, keeps=keeps)) if told or keeps else []
        read = _worded(sentence, code, read, said)
        for constraint in read if order == "" else [*read, *_asked_of(order, sentence, code, said)]:
            yield constraint
            found += 1
            if found >= _MOST:
                return


def _asked_of(order: str, sentence: str, code: str | None, said: Said) -> Iterator[Constraint]:
    """The wish to be asked before what the sentence before it orders: "Restart nginx. Ask me first."."""
    if len(sentence) > _SHORT_WISH or not any(
        forbids.asks_alone(sentence, language) for language in forbids.codes(sentence, code)
    ):
        return
    for language in forbids.codes(order, code):
        ordered = forbids.ordered(order, language)
        if ordered is not None:
            yield Constraint(
                said=said,
                quote=f"{order} {sentence}",
                clause=sentence,
                mood="demands",
                deeds=ordered.deeds,
                ask_first=True,
                worded=True,
            )
            return


_SHORT_WISH = 80
"""Characters of a wish to be asked that names no deed."""


def _worded(sentence: str, code: str | None, read: list[Constraint], said: Said) -> list[Constraint]:
    """What was read of a sentence, with what the lexicon of its language knows besides: whose word or what event ends a
    ban, what it leaves free, and what is forbidden where nothing else told so."""
    languages = forbids.codes(sentence, code)
    for language in languages:
        consent = forbids.waiting(sentence, language) if read else None
        if consent is not None:
            read = [
                msgspec.structs.replace(one, awaits=True, ask_first=False, core=_without(one.core, consent))
                if one.mood == "forbids"
                else one
                for one in read
            ]
        found = [
            _of_words(one, sentence, said)
            for one in forbids.forbidden(sentence, language)
            if not _told_already(one, read) and not _of_another(sentence, one.clause)
        ]
        limited = forbids.proviso(sentence, language)
        if limited is not None:
            read, found = _limited(read, limited), _limited(found, limited)
        if found or limited is not None:
            return [msgspec.structs.replace(one, languages=languages) for one in (*read, *found)]
    return [msgspec.structs.replace(one, languages=languages) for one in read]


_SPEAKER = lazy(
    r"\b(?:I|we|ich|wir|je|nous|yo|eu|io|ik|ja|já|jag|jeg)\s+[\w'’]+\W*$|(?<!\w)я\s+\w+\W*$", re.IGNORECASE
)


def _of_another(sentence: str, clause: str) -> bool:
    """Whether somebody else's words are told in which a ban stands: "Tom says: leave nginx alone"."""
    before = sentence[: max(0, sentence.find(clause))][-_AROUND:].rstrip()
    return (
        before.endswith((":", "：", "“", '"'))
        and _SAYS.search(before) is not None
        and _SPEAKER.search(before) is None
    )


def _limited(read: list[Constraint], by: forbids.Proviso) -> list[Constraint]:
    """Bans with what limits them."""
    return [
        msgspec.structs.replace(
            one,
            # "Only restart it if it is down" forbids it otherwise.
            mood="forbids",
            until=by.until,
            during=by.during,
            own=by.own,
            made=by.made,
            once=by.once,
            unless_down=by.down,
            condition=one.condition or by.unless,
            core=_without(one.core, by.words),
        )
        if one.mood == "forbids" or (by.down and one.mood == "limits")
        else one
        for one in read
    ]


def _without(core: str, stretches: tuple[str, ...]) -> str:
    """What a ban is about without the words for the consent that ends it ("without my permission do not restart")."""
    for stretch in stretches:
        core = core.replace(stretch, " ")
    words = {word for stretch in stretches for word in stretch.split()}
    return " ".join(word for word in core.split() if word.casefold() not in words)


def _told_already(one: forbids.Forbidden, read: list[Constraint]) -> bool:
    named = next(named_paths(one.clause), "") != ""
    whole = one.mood == "forbids" and not one.objects and not named
    deeds = one.deeds or bans.TOUCHES
    if "touch" in one.deeds:
        if whole:
            # "Don't touch it": what is meant stands elsewhere.
            return True
        deeds = bans.TOUCHES if named else _TOUCH_ALONE
    return any(
        other.direct
        # Read as a ban of some thing, where the language's own words leave nothing that narrows it, or less.
        and not (
            other.mood == "forbids" and not other.paths and not named and _narrower(one, other, whole=whole)
        )
        and (
            other.mood == "reads_only"
            or (other.mood == "limits" and bool(other.paths))
            or (other.mood == "forbids" and bool(other.deeds & deeds) and one.mood == "forbids")
            or (
                other.ask_first
                and one.mood == "asks_first"
                and bool(other.deeds & one.deeds)
                and bool(asked_before(other.quote))
            )
        )
        for other in read
    )


def asked_before(sentence: str) -> frozenset[str]:
    """The deeds before which a sentence wants the person asked."""
    text = asking.before(sentence)
    return deeds_of(text) | bans.then_deeds(text) | asking.deeds(text)


def _narrower(one: forbids.Forbidden, other: Constraint, *, whole: bool) -> bool:
    """Whether a ban that was read is about more words than the language's own tables leave of it."""
    if one.mood != "forbids":
        return False
    words = bans.objects(other.core)
    if whole or one.barred:
        return bool(words)
    return bans.foreign(other.clause) and frozenset(one.objects.split()) - {forbids.NEXT} < words


_TOUCH_ALONE = frozenset({"touch"})


def _of_words(one: forbids.Forbidden, sentence: str, said: Said) -> Constraint:
    paths = tuple(named_paths(one.clause))
    literals = tuple(_literals(one.clause, paths))
    # A ban of all changes that names a place is one of that place alone.
    everything = one.mood == "reads_only" and not paths and not one.objects
    named = " ".join((*paths, *literals)).casefold()
    about = [word for word in one.objects.split() if word not in named]
    return Constraint(
        said=said,
        quote=sentence,
        clause=one.clause,
        core=" ".join((*about, *literals)),
        mood="reads_only" if everything else "demands" if one.mood == "asks_first" else "forbids",
        deeds=(one.deeds | bans.TOUCHES if "touch" in one.deeds else one.deeds)
        or (frozenset() if everything else bans.TOUCHES),
        paths=paths,
        literals=literals,
        stems=stems(re.sub(r"[/_.:-]+", " ", " ".join((*about, *paths))))
        if "touch" in one.deeds
        else frozenset(),
        ask_first=one.mood == "asks_first",
        awaits=one.awaits or (one.mood == "forbids" and awaiting.awaits(sentence)),
        worded=True,
    )


_BROKEN = lazy(
    r"(?:(?<=\bnot)|(?<=n['’]t)|(?<=\bnever)|(?<=\bnicht)|(?<=\bbitte)|(?<=\bplease)|(?<=\bthe)|(?<=\bto)|(?<=\bder)|(?<=\bdie)|(?<=\bden)|(?<=\bpas)|(?<=\bno)|(?<=\bnon)|(?<=\bnão)|(?<=\bnie)|(?<=\bniet)|(?<=\binte)|(?<=\bikke)|(?<=(?<!\w)не)|(?<=\bμην)|(?<=,)|(?<=\S[^\n]{69}))[ \t]{0,4}\r?\n[ \t]{0,8}(?=[a-zà-öø-ÿα-ωа-яіїєґ]+[\s,.;:])"
)
"""A line break within a sentence: behind a word that wants another, or in a long line, and before a word in lower case."""


def sentences(text: str) -> Iterator[str]:
    """Sentences and list items of a message, each as it stands there without its bullet."""
    bare = _BROKEN.sub(" ", _CODE_FENCE.sub("\n", text[:_READ]))
    for piece in _ENDS.split(bare):
        line = _ITEM.sub("", piece).strip()
        if line and not line.startswith((">", "|", "$ ")):
            yield line


def _read_all(sentence: str, said: Said, *, told: bool, keeps: bool, places: int = 3) -> Iterator[Constraint]:
    """What a sentence says by its verbs; where that forbids nothing to be held, what its clauses forbid. ``told`` and
    ``keeps`` say whether its words may forbid at all, or may want something left as it is."""
    place = _nothing_but(sentence) if places and (told or keeps) else None
    if place is not None:
        clause, inside = place
        yield msgspec.structs.replace(
            _made(sentence, inside, "limits", said), direct=True, clause=clause, deeds=WRITES
        )
        at = sentence.find(clause)
        for rest in (sentence[:at].rstrip(" ,;:-–—("), sentence[at + len(clause) :].lstrip(" ,;:-–—)")):
            if len(rest) > _SHORT:
                yield from _read_all(rest, said, told=told, keeps=keeps, places=places - 1)
        return
    found = [_without_ordered(sentence, one) for one in _read(sentence, said)] if told else []
    free = _left_free(sentence) if told or keeps else ()
    if free:
        # "Change nothing except src/": a limit, no ban of what it leaves free.
        found = [
            one
            for one in found
            if not (one.mood == "reads_only" or (one.mood == "forbids" and set(one.paths) & set(free)))
        ]
        yield _leaving_free(sentence, free, said)
        yield from found
        return
    yield from found
    planned = bans.plan_only(sentence) if told else None
    if planned is not None and not any(one.direct and "apply" in one.deeds for one in found):
        yield _of_ban(planned, sentence, said)
    local = bans.local_only(sentence) if told and _LOCAL.search(sentence) is not None else None
    if local is not None and not any(one.direct and "push" in one.deeds for one in found):
        yield _of_ban(local, sentence, said)
    held = any(
        one.direct and (one.mood == "reads_only" or (one.mood == "forbids" and one.deeds)) for one in found
    )
    for ban in _beside_files(found):
        yield _of_ban(ban, sentence, said)
    for ban in _left_alone(sentence) if keeps else ():
        paths = set(named_paths(ban.clause))
        if not any(
            one.direct and one.mood == "forbids" and one.deeds & ban.deeds and paths <= set(one.paths)
            for one in found
        ):
            yield _without_ordered(sentence, _of_ban(ban, sentence, said))
            held = True
    again = told and (not held or "." in sentence[:-1] or "/" in sentence)
    for ban in bans.bans(sentence) if again else ():
        if not held or (ban.deeds & _WAITED and not next(named_paths(ban.clause), "")):
            one = _of_ban(ban, sentence, said)
            if not any(
                other.direct and other.mood == "forbids" and other.deeds & one.deeds and not other.paths
                for other in found
            ):
                yield one
                found.append(one)
                for beside in _beside_files([one]):
                    yield _of_ban(beside, sentence, said)


_AND_LEAVE = lazy(
    r"(?:[,;]|\s(?:and|but|und|aber|et|mais|y|pero|e|ma|mas|en|maar|i|ale|и|но|а))\s+(?=(?:please\s+|bitte\s+)?(?:leave|keep|do\s?n['’]?t\s+touch|do\s+not\s+touch|lass|lasse|laisse|garde|deja|conserva|lascia|tieni|deixa|mantenha|laat|zostaw|оставь)\b)",
    re.IGNORECASE,
)
"""Where an order ends and what is to stay begins: "remove a.py and leave b.py as it is"."""


def _without_ordered(sentence: str, one: Constraint) -> Constraint:
    """A ban of files without those that the order before it is about."""
    if one.mood != "forbids" or len(one.paths) < 2 or (joint := _AND_LEAVE.search(sentence)) is None:
        return one
    order, rest = sentence[: joint.start()], sentence[joint.end() :]
    if _denies(order) or not deeds_of(order) & bans.TOUCHES:
        return one
    ordered = set(named_paths(order)) - set(named_paths(rest))
    kept = tuple(path for path in one.paths if path not in ordered)
    return msgspec.structs.replace(one, paths=kept, clause=rest) if kept and ordered else one


_AND_NOT = lazy(r"\s+(?=(?:ni|nor|ve|en|i|і|й|и|e|y|et|und|and|or|또한|그리고)\s)|[,，、]\s*")


def _beside_files(found: list[Constraint]) -> Iterator[bans.Ban]:
    """Of bans that name files, what they forbid besides: "no toques a.py ni hagas push"."""
    for one in found:
        if not (one.direct and one.mood == "forbids" and one.paths):
            continue
        for piece in _AND_NOT.split(one.clause)[1:]:
            denied = re.sub(r"^(?:ni|nor)\s+", "no " if piece.startswith("ni") else "do not ", piece)
            ban = None if next(named_paths(piece), "") else bans.ban(denied)
            if ban is not None and ban.deeds & _WAITED:
                yield ban


def _left_free(sentence: str) -> tuple[str, ...]:
    """The files that a ban of all changes leaves free."""
    if "." not in sentence[:-1] and "/" not in sentence:
        return ()
    free = let_be.free(sentence)
    if (
        free is None
        or not _denies(sentence)
        or not (deeds_of(sentence) | bans.deeds(sentence)) & bans.TOUCHES
    ):
        return ()
    paths = tuple(named_paths(free[0]))
    return paths[-1:] if free[1] else paths


def _denies(sentence: str) -> bool:
    return NEGATES.search(sentence) is not None or bans.foreign(sentence)


def _leaving_free(sentence: str, paths: tuple[str, ...], said: Said) -> Constraint:
    return Constraint(
        said=said,
        quote=sentence,
        clause=" ".join(paths),
        core=" ".join(paths),
        mood="limits",
        deeds=bans.TOUCHES,
        paths=paths,
    )


_LOCAL = lazy(r"[lł]o[kc]a[lł]|machine|laptop|computer|локал|本地|ローカル|로컬", re.IGNORECASE)
_WAITED = frozenset(
    {
        "push",
        "merge",
        "commit",
        "deploy",
        "restart",
        "reload",
        "migrate",
        "delete",
        "apply",
        "install",
        "recreate",
    }
)


def _left_alone(sentence: str) -> Iterator[bans.Ban]:
    """What a sentence forbids without a denied verb: it is off limits, is not wanted, is left out or has to wait."""
    if is_question(sentence):
        return
    for ban in bans.kept(sentence) if let_be.may_keep(sentence) else ():
        if next(let_be.excepted(ban.clause), None) is not None:
            # "leave everything but frontend/ alone": what is left out may be changed.
            continue
        if next(named_paths(ban.clause), "") or bans.objects(ban.core) & _KEPT:
            yield ban
    if not let_be.may_forbid(sentence):
        return
    for ban in bans.passive(sentence):
        deeds = deeds_of(ban.core.split(maxsplit=1)[0])
        if not deeds & bans.TOUCHES:
            yield ban._replace(deeds=deeds)
        elif next(named_paths(ban.clause), "") or bans.objects(ban.core) & _KEPT:
            yield ban._replace(deeds=bans.TOUCHES if "change" in deeds else deeds)
    elliptic = bans.elliptic(sentence)
    if elliptic is not None:
        asked, ban = elliptic
        if not deeds_of(ban.core):
            yield ban._replace(deeds=(deeds_of(asked) | bans.deeds(asked)) & (_WAITED | {"run"}))
    unwanted = bans.unwanted(sentence)
    if (
        unwanted is not None
        and (deeds := unwanted.deeds | deeds_of(unwanted.core))
        and not _quoted(sentence, len(sentence) - len(unwanted.core.strip()) - 2)
    ):
        yield unwanted._replace(deeds=deeds)
    for words, last in let_be.excepted(sentence):
        paths = list(named_paths(words))[-1 if last else 0 :]
        deeds = deeds_of(sentence) | bans.deeds(sentence)
        if paths and deeds & (bans.TOUCHES | {"create", "run"}) and not _denies(sentence):
            yield bans.Ban(" ".join(paths), " ".join(paths), bans.TOUCHES)
    at = awaiting.kept_back(sentence)
    if at is not None:
        clause = sentence[bans.clause_start(sentence, at) : bans.clause_end(sentence, at)]
        own = (deeds_of(clause) | bans.then_deeds(clause)) & _WAITED
        if own:
            yield bans.Ban(clause, " ".join(sorted(bans.means(clause) & {"production", "database"})), own)
    for clause in bans.clauses(sentence):
        if let_be.reserved(clause) and _PAST.search(clause) is None:
            deeds = (deeds_of(clause) | bans.deeds(clause) | bans.then_deeds(clause)) & (_WAITED | {"run"})
            if deeds:
                yield bans.Ban(clause, " ".join(sorted(bans.means(clause) & {"production"})), deeds)
    rest = awaiting.held_back(sentence)
    deeds = frozenset() if rest is None else (deeds_of(rest) | bans.then_deeds(rest)) & _WAITED
    if rest is not None and deeds:
        yield bans.Ban(sentence, " ".join(sorted(bans.means(rest) & {"production", "database"})), deeds)


def _of_ban(ban: bans.Ban, sentence: str, said: Said) -> Constraint:
    paths = tuple(named_paths(ban.clause))
    awaits = awaiting.awaits(sentence)
    return Constraint(
        said=said,
        quote=sentence,
        clause=ban.clause,
        core=ban.core,
        mood="forbids",
        deeds=ban.deeds,
        paths=paths,
        literals=tuple(_literals(ban.clause, paths)),
        stems=stems(ban.core),
        ask_first=_ASK_FIRST.search(sentence) is not None and not awaits,
        awaits=awaits,
        runs_it="run" in ban.deeds and not paths and _nothing_named(ban.core),
    )


def _nothing_named(core: str) -> bool:
    """Whether a ban names what it is about by a pronoun alone, or not at all."""
    return bans.objects(core) <= _NO_OBJECTS


_NO_OBJECTS = frozenset(
    {"es", "ihn", "sie", "das", "führ", "aber", "le", "la", "l", "lo", "los", "las", "o", "a", "os", "as", "het", "hem", "voer", "go", "je", "ale", "его", "её", "ее", "их", "його", "її", "onu", "yet", "it", "them", "run"}
)  # fmt: skip
"""Words that stand for what was named before."""


_PAST = lazy(
    r"\b(?:\w{2,20}ed|did|wrote|ran|made|built|had|got|sent|put|was|were|gepusht|deployt|gelöscht|gestartet|geschrieben|gemacht|habe|hab|ai|he|ho|heb)\b|(?<!\w)(?:\w{2,20}(?:ил|ал|ел))а?(?!\w)|した|했|了"
    r"|\b(?:can['’]?t|cannot|can\s+not|never|kann\s+nicht|nie|niemals|ne\s+peux|jamais|no\s+puedo|nunca|não\s+(?:posso|consigo)|non\s+posso|mai|kan\s+niet|nooit|nie\s+mog\w*)\b|(?<!\w)(?:не\s+(?:могу|умею|можу|вмію)|никогда|ніколи)(?!\w)|できな|不能|没法|못",
    re.IGNORECASE,
)
"""Words of what the person has already done, never does or cannot do."""
_GIVES_READING = lazy(
    r"\b(?:give|grant|add|create|make|mount|export|share|assign|issue|set\s+up|gib|gewähre?|lege?|erstelle?|donne|accorde|crée|ajoute|dale|concede|crea|añade|dà|dai|concedi|dá|conceda|geef|maak|daj|nadaj)\b[^.;\n]{0,120}?\b(?:access|permissions?|role|rights?|users?|accounts?|token|key|policy|mount|share|volume|replica|zugriff|rechte?|rolle|benutzer|accès|droits?|rôle|acceso|permisos?|rol|accesso|permessi|ruolo|acesso|permissões|toegang|rechten|dostęp|uprawnienia)\b[^.;\n]{0,60}$",
    re.IGNORECASE,
)
"""Words by which somebody else is to get the right to read, and no more: of the assistant they say nothing."""
_STATES_READING = lazy(
    r"(?:\b(?:it|they|that|site|app|database|db|table|collection|replica|shop|wiki|forum|store|index|bucket|volume|disk|filesystem|mount|cluster|queue|service|tenant|repo(?:sitory)?|instance|primary|standby)(?:['’]s|['’]re|\s+(?:is|are|was|were|has\s+been|went|goes|became|stays?|remains?|got|runs?|came\s+up))"
    r"|\b(?:already|currently|still|mounted|remounted|flipped|switched|went|turned|put|set|stuck)(?:\s+(?:it|them|to|in|into|as|back|over))*"
    r"|\b(?:ist|sind|steht|bleibt|läuft|wurde|est|sont|reste|está|están|é|è|sono|staat|jest|są|estão|passée?|puesta|colocado))"
    r"(?:\s+(?:now|already|currently|still|just|also|temporarily|gerade|derzeit|noch|schon|aktuell|auf|im|nur|actuellement|encore|en|ahora|todavía|em|agora|adesso|in|nu|nog|teraz|w))*\s+$"
    r"|(?<!\w)(?:сейчас|уже|пока|стоит|переведен\w|зараз|вже)\s+(?:в\s+режиме?\s+)?$|(?:目前|现在|已经?|当前|現在|지금|현재)(?:是|处于|は)?\s?$",
    re.IGNORECASE,
)
"""Words before ``read-only`` by which a thing is said to be so, and nobody told to be."""
_READERS = lazy(
    r"^\s*(?:since|again|seit|depuis|desde|dal|sinds|od|с)\s+\S|^\s*(?:(?:mode|modus|modo|trybie)\s+)?(?:for|to|für|pour|para|per|voor|dla|для)\s+(?:(?:the|our|all|all\s+the|most|other|die|alle|les|tous\s+les|los|todos\s+los|os|gli|de|всех)\s+)?(?:users?|customers?|clients?|guests?|visitors?|editors?|writers?|tenants?|members?|staff|everyone|everybody|people|apps?|others|public|them|nutzer\w*|benutzer\w*|kunden|utilisateurs|usuarios|clientes|utenti|gebruikers|użytkowników|пользователей|користувачів)\b",
    re.IGNORECASE,
)
"""Words behind it by which it is so for others, or has been so for a time."""
_FOR_THIS = lazy(
    r"^\s*(?:for\s+(?:you|this|the\s+(?:session|task)|today)|to\s+you|here)\b|\b(?:you|please)\b\s*$",
    re.IGNORECASE,
)
"""Words behind it by which it is so for the assistant."""


def _tells_reading(sentence: str, looks: re.Match[str]) -> bool:
    """Whether ``read-only`` tells the state of a thing, or what others may do, and not what the assistant is to do."""
    if _IS_STATE.fullmatch(looks.group()) is None:
        return False
    behind = sentence[looks.end() : looks.end() + _AROUND]
    if _FOR_THIS.search(behind) is not None:
        return False
    return _READERS.match(behind) is not None or (
        _STATES_READING.search(sentence[max(0, looks.start() - _AROUND) : looks.start()]) is not None
    )


_AROUND = 80
"""Characters on both sides of such words that are read."""
_IS_STATE = lazy(
    r"read[- ]only|lecture seule|solo lectura|somente leitura|só leitura|sola lettura|nur lesend|tylko (?:do )?odczyt\w*|только чтение|тільки читання|salt okunur|只读|読み取り専用|읽기\s?전용",
    re.IGNORECASE,
)
_KEPT = frozenset({"production", "test", "expected"})
"""What may be left as it is without being named by a path."""


def _looks_alone(sentence: str) -> re.Match[str] | None:
    """The words by which only looking is allowed; ``None`` where they are quoted, or told of a thing or of somebody."""
    looks = _READS_ONLY.search(sentence) or looking.only(sentence)
    if (
        looks is None
        or _quoted(sentence, looks.start())
        or looking.told(sentence, looks.start())
        or _GIVES_READING.search(sentence[: looks.start()]) is not None
        or _tells_reading(sentence, looks)
    ):
        return None
    return looks


def _read(sentence: str, said: Said) -> Iterator[Constraint]:
    looks = _looks_alone(sentence)
    if looks is not None and (place := _of_a_place(sentence, looks)):
        yield _of_ban(bans.Ban(place, place, bans.TOUCHES), sentence, said)
        return
    if looks is not None and not (
        bans.foreign(looks.group()) and bans.of_production(sentence, looks.start())
    ):
        yield _made(sentence, sentence, "reads_only", said)
        return
    limits = _limit(sentence)
    cut = list(_clauses(sentence))
    for clause, mood in cut:
        if mood == "forbids":
            yield _made(sentence, clause, "forbids", said)
    if limits is not None and not any(mood == "forbids" and _LIMITS.search(clause) for clause, mood in cut):
        whole = sentence if not cut else sentence[: sentence.find(cut[0][0])]
        if _limit(whole) is not None:
            yield _made(sentence, whole, "limits", said)
    demanded = (
        not cut
        and limits is None
        and (
            _DEMANDS.search(sentence)
            or _ASK_FIRST.search(sentence)
            or bans.first_then(sentence)
            or asking.before(sentence)
        )
    )
    if demanded:
        yield _made(sentence, sentence, "demands", said)


_OUTSIDE = lazy(
    r"\b(?:outside(?:\s+of)?|außerhalb(?:\s+von)?|(?:en\s+)?dehors\s+d(?:e\b|['’])|hors\s+d(?:e\b|['’])|(?:por\s+)?fuera\s+del?|fora\s+d[eao]s?|(?:al\s+di\s+)?fuori\s+d(?:a\b|i\b|al\w{0,2})|buiten|poza)\s*(?:[\w'’]{1,12}\s+){0,2}?(?P<rest>[`\"']?[\w~./].{0,300})|(?<!\w)(?:вне|за\s+пределами|поза(?:\s+межами)?)\s+(?:\w{1,12}\s+){0,2}?(?P<rest2>[`\"']?[\w~./].{0,300})",
    re.IGNORECASE,
)
"""Words that place what is meant outside of what follows them."""
_OUTSIDE_OF = lazy(r"以外|之外|の外|外|밖|dışında", re.IGNORECASE)
"""The same, behind it."""
_NOTHING = lazy(
    r"\b(?:don['’]?t|dont|do\s+not|never|not|nothing|no|without|nichts|nicht|kein\w*|ohne|ne|n|rien|pas|sans|no|nada|sin|não|sem|non|niente|nulla|senza|niets|niet|geen|zonder|nic|niczego|nie|bez|hiçbir)\b|(?<!\w)(?:не|ничего|нічого|без)(?!\w)|不|别|勿|禁止|ない|するな|말|마",
    re.IGNORECASE,
)


WRITES = bans.TOUCHES | {"create"}
"""Deeds that leave files other than they were."""
_SHORT = 6
"""Characters of a clause that says nothing."""


def _nothing_but(sentence: str) -> tuple[str, str] | None:
    """The clause that forbids all changes outside of a named place, or wants all else left alone, and the words for the
    place."""
    if is_question(sentence) or not ("/" in sentence or "." in sentence[:-1]):
        return None
    for clause in _PARTS.split(sentence) if _MAY_BE_OUTSIDE.search(sentence) is not None else ():
        found = _OUTSIDE.search(clause) or _OUTSIDE_OF.search(clause)
        if found is not None and _NOTHING.search(clause) is not None and not bans.tells(clause):
            rest = found.groupdict()
            inside = rest.get("rest") or rest.get("rest2") or clause[: found.start()]
            if (
                rest
                and _WIDE_SCRIPT.search(clause) is None
                and stems(_NOTHING.sub(" ", _WORKS.sub(" ", clause[: found.start()]))) - _ANY_FILES
            ):
                # "do not modify tests outside src/": of one sort of files alone.
                continue
            bare = _BARE.match(clause) is not None and _MODAL.search(clause) is None
            if next(named_paths(inside), "") and (_WORKS.search(clause) is not None or bare):
                return clause, inside
    if let_be.may_keep(sentence):
        for clause in (*_PARTS.split(sentence), sentence):
            for words, _ in let_be.excepted(clause):
                if let_be.kept(clause) and next(named_paths(words), ""):
                    return clause, words
    return None


_WIDE_SCRIPT = lazy(r"[\u0400-\u04ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
_BARE = lazy(
    r"^\W*(?:(?:and|but|please|und|aber|bitte|et|mais|y|pero|e|ma|mas|en|maar)\s+)?(?:nothing|nowhere|nichts|rien|nada|niente|nulla|niets|nic)\b|^\W*ничего(?!\w)",
    re.IGNORECASE,
)
_MODAL = lazy(
    r"\b(?:should|must|may|can|is|are|was|were|gets?|has|have|darf|soll|muss|kann|ist|sind|doit|peut|est|debe|puede|está|deve|può|è|mag|moet|kan|może|jest)\b",
    re.IGNORECASE,
)
_PARTS = lazy(
    r"\s*[,;(–—。；]\s*|\s+-\s+|\s+(?:and|und|et|y|e|en|i|и)\s+(?=(?:don['’]?t|do\s+not|no|never|nicht|kein\w*|ne|n['’]|não|non|niet|geen|nie|не|push|commit|deploy)\b)",
    re.IGNORECASE,
)
_MAY_BE_OUTSIDE = lazy(
    r"outside|außerhalb|dehors|hors\sd|fuera|fora\s|fuori|buiten|poza|вне|предел|поза|外|밖|dışında",
    re.IGNORECASE,
)
_IN_PLACE = lazy(
    r"(?:\b(?:in|inside|under|within|at|an?|unter|innerhalb|dans|sous|en|bajo|dentro|em|no|na|nos|nas|sob|sotto|nel(?:la)?|onder|op|w|we|pod|z)|(?<!\w)(?:в|у|під|под|на))\s+(?:[^\W\d_]{1,12}\s+){0,2}\W?$",
    re.IGNORECASE,
)
"""Words that make what follows the place of a ban."""
_PLACE_BEHIND = lazy(
    r"\W{0,2}\s?(?:\S{1,10}\s)?(?:altında|içinde|klasöründe|下|里|中|内|目录|文件夹|配下|以下|フォルダ|の中|아래|안|밑|폴더|디렉)",
    re.IGNORECASE,
)
"""The same, in languages where they stand behind it."""


def _of_a_place(sentence: str, looks: re.Match[str]) -> str:
    """The clause that forbids all changes of one place alone ("no toques nada en src/"); empty where there is none."""
    start = bans.clause_start(sentence, looks.start())
    clause = sentence[start : bans.clause_end(sentence, looks.end())]
    for path in named_paths(clause):
        at = clause.find(path)
        if (
            _IN_PLACE.search(clause[:at]) is not None
            or _PLACE_BEHIND.match(clause, at + len(path)) is not None
        ):
            return clause
    return ""


_NEXT_CLAUSE = lazy(
    r",?\s+(?:but|instead|rather|aber|sondern|mais|pero|sino|mas|ma|но|а)\s+|\s*[;:]\s+(?!\S*/)|,\s+(?=(?:just|only|use|run|fix|please|then|so|nur|bitte|mais|solo|I|we|you|it|this|that|these|they|as|because|since|everything|ich|wir|je|yo|eu)\b)",
    re.IGNORECASE,
)


_VERB_FIRST = lazy(r"kein|nicht|niemals|nie$|auf keinen|ne?[ 'n’]|pas|jamais", re.IGNORECASE)
"""Negations that stand after the verb they negate."""
_OPENS = lazy(r"[,;:(]\s*|\s+(?:und|aber|sondern|et|mais|oder|ou|ale|i)\s+", re.IGNORECASE)


def _start(sentence: str, at: int, found: re.Match[str]) -> int:
    """Where the clause of a negation begins: at it, or at the verb before it."""
    if _VERB_FIRST.match(found.group()) is None:
        return found.start()
    opened = [mark.end() for mark in _OPENS.finditer(sentence, at, found.start())]
    return opened[-1] if opened else at


def _clauses(sentence: str) -> Iterator[tuple[str, Mood]]:
    """The stretches of a sentence that a negation governs: from it to the next clause."""
    at = 0
    while (found := _FORBIDS.search(sentence, at)) is not None:
        stop = _NEXT_CLAUSE.search(sentence, found.end())
        end = stop.start() if stop is not None else len(sentence)
        end = min(end, _next_ban(sentence, found.end(), end))
        start = _start(sentence, at, found)
        if "\u4e00" <= found.group()[0] <= "\u9fff":
            # What a Chinese ban is about may stand before it.
            start = max(at, bans.clause_start(sentence, found.start()))
            stop = _HAN_STOP.search(sentence[found.end() : end])
            end = end if stop is None else found.end() + stop.start()
        clause = sentence[start:end]
        if found.group()[-1] in "でな" or re.search(r"禁止|[\uac00-\ud7a3]", found.group()):
            clause = sentence[max(at, bans.clause_start(sentence, found.start())) : found.end()]
        again = _again(clause)
        if again:
            end = sentence.find(clause) + again
            clause = clause[:again]
        told = _quoted(sentence, found.start()) or (
            found.group().casefold() not in _WITHOUT
            and _TOLD.search(sentence[: found.start()][-60:]) is not None
        )
        if not _HARMLESS.match(clause) and not told:
            yield clause, "forbids"
        at = max(end, found.end())


_HAN_STOP = lazy(r"[,，;；。](?!\s?[A-Za-z0-9_./*-]{1,80}(?:[,，;；。]|$))")
"""Where a Chinese clause ends: not within a list of files."""
_JOINED = lazy(
    r"(?:[,;，；]\s*|\s(?:and|or|nor|but|und|oder|aber|et|ni|mais|y|o|pero|e|ou|mas|ma|en|of|maar|i|a|ale|lub|и|или|но|і|та|або|але)\s+)$",
    re.IGNORECASE,
)


def _next_ban(sentence: str, at: int, end: int) -> int:
    """Where the next ban of the same sentence begins ("don't push and don't deploy"); ``end`` for none."""
    found = _FORBIDS.search(sentence, at, end)
    if found is None:
        return end
    start = _start(sentence, at, found)
    joined = _JOINED.search(sentence, at, start) if start > at else None
    return end if joined is None else joined.start()


def _again(clause: str) -> int:
    """Where a forbidden deed is named once more for something else ("don't push to main, push to dev"); 0 for nowhere."""
    for comma in itertools.islice(re.finditer(r",\s+(?=(\w+))", clause), 5):
        deeds = deeds_of(comma[1]) | bans.deeds(comma[1])
        before = clause[: comma.start()]
        verbs = re.findall(r"\w+", before)
        if (
            deeds
            and comma[1].casefold() in (verb.casefold() for verb in verbs)
            and not re.search(r"\b(?:or|nor)\b", clause[comma.end() :])
        ):
            return comma.start()
    return 0


_SAYS = lazy(
    r"\b(?:sa(?:id|ys?)|told|tells?|reads?|wrote|writes?|states?|stated|claims?|mentions?|asks?|asked|message|error|comment|readme|docs?|runbook|sagt\w*|steht|schrieb|dit|disait|dice|decía|diz|dizia|zegt|zei|mówi\w*|napisał\w*|schreibt)\b|(?<!\w)(?:говор\w+|сказал\w*|написа\w+|пише)|diyor|说|写着|と言|と書|라고",
    re.IGNORECASE,
)
"""Words by which somebody else's words are brought in."""


def _quoted(sentence: str, at: int) -> bool:
    """Whether words stand in quotation marks as what somebody or something says."""
    for found in _QUOTES.finditer(sentence):
        if found.start() < at < found.end():
            around = f"{sentence[: found.start()]} {sentence[found.end() :]}"
            return _SAYS.search(around) is not None
    return False


_QUOTES = lazy(
    r"\"[^\"\n]{3,400}(?:\"|$)|“[^”\n]{3,400}”|«[^»\n]{3,400}»|„[^“”\n]{3,400}[“”]|「[^」\n]{3,400}」|(?<!\w)['‘][^'’\n]{6,400}['’](?!\w)"
)
_WITHOUT = frozenset({"without", "ohne", "sans", "sin", "sem", "senza", "без", "instead of", "rather than"})
"""Negations that stand within an order, whatever precedes them."""
_HARMLESS = lazy(
    r"(?:do\ not|don['’]?t|dont)\s+(?:know|think|understand|see|care|have|get|mind|want\ to|need\ to|worry|believe|remember|forget|hesitate|like|give\ up|stop|be\ (?:shy|afraid|scared))\b|(?:don['’]?t|do\ not)\s+we\b"
    r"|(?:cannot|can\ not|never)\s+(?:mind|see|find|get|understand|works?|worked|happens|be)\b|without\s+(?:errors?|problems?|issues?|success|any\ (?:errors?|issues?|problems?)|it|them|that|this|a\s+(?:doubt|problem))\b"
    r"|(?:no|nicht|non|не|не\ )\s+(?:problem|worries|idea|longer|one|way|matter|doubt|wonder)\b|without\s+(?:waiting|further)\b|stop\s+(?:the|it|that|and|when|at|if|after)\b|avoid\s+(?:that|this|it)\b|(?:不要|别|別)(?:忘|担心|着急|客气)|.{0,200}(?:忘れ|잊(?:지)?\ ?)",
    re.IGNORECASE | re.VERBOSE,
)
"""Negations that forbid nothing."""
_TOLD = lazy(
    r"\b(?:it|which|that|this|they|he|she|(?-i:I)|we|code|app|test|script|server|system|user|error|who|there|why|if|because|since|when|(?:does|did|is|are|was|were|has|have)(?:n['’]t)?)\s+(?:(?!(?:and|but|or|so|then|please)\b)\w+\s+)?$",
    re.IGNORECASE,
)
"""Words before a negation that make it a description: ``it does not start``, ``the test that cannot pass``."""

_CONDITION = lazy(
    r"\b(?:without|until|unless|before|ohne|bis|bevor|sans|avant|sin|antes|sem|senza|prima|без|пока|до)\b\s+(.{3,120})",
    re.IGNORECASE,
)


_CALENDAR = lazy(
    r"(?:until|till|before|bis|vor|avant|jusqu\S{0,4}|hasta|antes|até|fino|prima|tot|voor|do|przed|до|перед|před|innan|før|inden)\b\s+"
    r"(?:(?:the|this|next|on|at|end|of|later|de[lrmn]?|die|das|zum|am|ende|nächste[nrs]?|le|la|au|à|fin|el|il|al|di|a|o|ao|d[ao]|final|fine|het|van|einde|końca|конца|кінця)\s+){0,4}"
    r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|tomorrow|tonight|today|weekend|week|month|noon|midnight|morning|evening|christmas|easter|new\s+year|january|february|march|april|may|june|july|august|september|october|november|december"
    r"|morgen|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|wochenende|woche|mittag|abend|feierabend|heute\s+abend|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|demain|ce\s+soir|midi|week-end|semaine"
    r"|lunes|martes|miércoles|jueves|viernes|sábado|domingo|mañana|semana|segunda|terça|quarta|quinta|sexta|amanhã|lunedì|martedì|mercoledì|giovedì|venerdì|sabato|domenica|domani|settimana|stasera"
    r"|maandag|dinsdag|woensdag|donderdag|vrijdag|zaterdag|zondag|vanavond|poniedziałk\w|wtork\w|środy|czwartk\w|piątk\w|soboty|niedzieli|jutra|tygodnia|понеділ\w+|вівтор\w+|середи|четвер\w*|п['’]ятниц\w+|субот\w+|неділ\w+|завтра|вечора|ранку|тижня"
    r"|понедельник\w?|вторник\w?|среды|пятниц\w+|суббот\w+|воскресень\w+|утра|недели|pondělí|úterý|středy|čtvrtka|pátku|neděle|zítřka|måndag|tisdag|onsdag|torsdag|fredag|lördag|söndag|mandag|tirsdag|lørdag|søndag"
    r"|\d{1,2}(?:[.:h]\d{2}(?:\s?(?:am|pm|uhr))?|\s?(?:am|pm|uhr|h|o['’]clock|heures?)|(?=\W*$))|\d{1,4}[-./]\d{1,2}(?:[-./]\d{1,4})?)(?!\w)",
    re.IGNORECASE,
)
"""An end of a ban that comes by itself: a day, a date, an hour."""


def _made(sentence: str, clause: str, mood: Mood, said: Said) -> Constraint:
    about = _PARENTHESIS.sub(" ", clause) if mood == "forbids" else clause
    rest = _without_negation(about) if mood == "forbids" else about
    if mood == "forbids" and (reason := _REASON.search(rest)) is not None and reason.start() > 2:
        # "no toques a.py, eso lo lleva Marta y tiene cambios sin subir": the reason is no condition.
        rest = rest[: reason.start()]
    awaits = mood == "forbids" and awaiting.awaits(sentence)
    condition = _CONDITION.search(rest) if mood == "forbids" else None
    core = rest[: condition.start()] if condition is not None and condition.start() > 2 else rest
    till = condition is not None and _CALENDAR.match(condition.group().strip()) is not None
    if till:
        # "Until Monday": till then it is forbidden, and nothing that is done here changes that.
        condition = None
    paths = tuple(named_paths(clause))
    folders = tuple(_folders(clause)) if mood == "limits" and not paths else ()
    literals = tuple(_literals(clause, paths))
    bare = core
    for path in paths:
        bare = bare.replace(path, " ")
    plain = _QUOTED.sub(" ", bare)
    deeds = frozenset(_ordered(bare)) if mood == "forbids" else deeds_of(core)
    if mood == "forbids" and _APPLIES.match(bare) is not None:
        deeds |= {"apply"}
    if mood == "forbids" and "change" in deeds and _ADDS.search(bare) is not None:
        deeds |= {"install"}
    if mood == "forbids" and bans.foreign(clause):
        deeds |= bans.deeds(bare)
        deeds = deeds or bans.meant(bare)
    if mood == "forbids" and not deeds and _UNUSED.match(clause) is not None:
        # "no sudo", "without sudo": what is named is not to be used.
        deeds = frozenset({"use"})
    if mood == "forbids" and not deeds and _OFF.search(clause) is not None:
        deeds = frozenset({"change", "delete"})
    if mood == "forbids" and "run" in deeds:
        # "run the migrations": what is run says what the deed is.
        deeds |= deeds_of(re.split(r"\s[—–-]\s|[,;]", core)[0]) & {
            "migrate",
            "deploy",
            "install",
            "restart",
            "reload",
            "recreate",
            "delete",
            "reset",
            "push",
            "merge",
            "commit",
            "apply",
        }
    if mood == "forbids" and "run" in deeds and _RUNS_IT.match(bare) is not None:
        # "write the migration but do not run it": what it is stands before.
        deeds |= deeds_of(sentence[: sentence.find(clause)]) & {"migrate", "deploy", "install", "apply"}
    if not deeds and clause.casefold().startswith("not "):
        # "use this, not that": what is said of the one is denied of the other.
        deeds = frozenset(_ordered(sentence[: sentence.find(clause)]))
    failing = if_it_fails(sentence) if mood == "forbids" and deeds and deeds <= _AFTER_TESTS else ""
    return Constraint(
        said=said,
        quote=sentence,
        clause=clause,
        core=core,
        direct=_direct(sentence, clause, mood),
        mood=mood,
        deeds=deeds,
        paths=paths,
        folders=folders,
        literals=literals,
        stems=stems(plain),
        ask_first=(_ASK_FIRST.search(sentence) is not None and not awaits)
        or (mood == "demands" and asking.before(sentence) != ""),
        awaits=awaits,
        till=till,
        runs_it=mood == "forbids"
        and "run" in deeds
        and not (paths or literals)
        and (_RUNS_IT.match(bare) is not None or (bans.foreign(clause) and _nothing_named(core))),
        condition=failing
        if failing
        else condition.group().strip()
        if condition is not None and condition.start() > 2 and not awaits
        else "",
    )


_IF_IT_FAILS = lazy(
    r"(?:\b(?:if|when|while|as\ long\ as|in\ case|wenn|falls|solange|si|quand|tant\ que|cuando|mientras|se|quando|enquanto|mentre|als|zolang|jeśli|jeżeli|gdy|dopóki|eğer)|(?<!\w)(?:если|когда|пока|якщо|коли|поки)|如果|要是|若)(?![A-Za-zÀ-ɏЀ-ӿ])[^,;.]{0,80}?(?:\b(?:fail\w*|red|broken|break\w*|error\w*|fehlschl\w*|rot|scheiter\w*|kaputt|échou\w+|rouges?|cass\w+|fall[ae]n?|roj[oa]s?|falh\w+|vermelh\w+|fallis\w+|rotti|ross[ie]|rood|falen|faalt|mislukk\w*|padają|czerwon\w+|nie\ przechodz\w+|başarısız\w*)\b|(?<!\w)(?:падают|упад\w+|красн\w+|не\ про(?:ход|йд)\w+|провал\w+|червон\w+|пада\w+)|失败|不通过|没过|没通过)|テスト(?:が)?(?:失敗|落ち|通らな)|테스트가?\ ?(?:실패|깨지)",
    re.IGNORECASE | re.VERBOSE,
)
"""A ban for the case that something fails."""


_AFTER_TESTS = frozenset({"commit", "push", "deploy", "migrate", "restart", "apply"})
"""What is left undone when tests or a build fail; other bans hold then as well."""
_OF_A_BUILD = lazy(r"\b(?:ci|build|pipeline)\b|构建|ビルド|빌드|сборк", re.IGNORECASE)


def if_it_fails(sentence: str) -> str:
    """The condition of a ban that holds when the tests or the build fail; empty for none."""
    found = _IF_IT_FAILS.search(sentence)
    if found is None or not (bans.of_tests(found.group()) or _OF_A_BUILD.search(found.group())):
        return ""
    return found.group()


_REASON = lazy(
    # A subject with a verb of its own: "do not push, jo wants to read it first".
    r"(?:\s*[,;:!(]+\s*|\s+[—–-]+\s+)(?:(?!(?:and|or|nor|but|not|no|that|which|who|to|when|if|unless|until|before|after|while)\b)[\w'’-]{1,30}\s+){1,3}?(?:wants?|wanted|needs?|will|would|has|have|had|is|are|was|were|must|should|can|could|does|likes?|prefers?|reviews?|reads?|checks?|owns?|(?:deploy|run|start|stop|pick|use|depend|take|get|trigger|build|restart|know|listen|come|live|sit|fail|wait|approve|look|say|think|make|merge|release|handle|see|break|work)s|goes|does|publishes|watches|reaches|hasn['’]t|isn['’]t|\w{2,20}s(?=\s+(?:at|to|until|till|it|them|over|out|off|us|me|first|then|today|now|tonight|tomorrow|again|up|down)\b))\b(?!\s+(?:not\s+)?(?:be\s+)?(?:changed|touched|modified|edited|deleted))"
    r"|[,;:(]\s*(?-i:[A-Z][a-z]{1,20})['’]s\s+(?:(?:still|currently|just|already|now)\s+)?(?:\w{2,20}ing(?=\W*$|\s+(?:it|them|that|this|the|a|on|right|now|today|there)\b)|on\s+it|busy|away)\b"
    r"|\s+(?:because|cuz|coz|bc|otherwise|or\s+else)\b|\s+[\w-]{1,30}\s+(?:wants|needs|prefers)\s+to\b"
    r"|(?:[,;]\s+(?:(?:because|since|as|for)\s+)?|[,，、。；]\s*(?=[^\x00-\u024f])|\s+[—–-]\s+|\s*\(\s*|\s+because\s+)(?:(?-i:[A-Z][a-z]{1,20})(?=\s+(?:\w{2,20}s|had|hat|tiene|tem|ha|ma|heeft|ist|est)\b)|it['’]?s|it|that['’]?s|that|this|those|these|they|he|she|we|i|there"
    r"|das|die|der|dies\w?|es|er|sie|ich|wir|da|daran|darin|weil|denn|c['’]est|ce|ça|cela|il|elle|ils|elles|je|on|nous|car|parce|qui|eso|esto|ese|esa|está|es|lo|la|él|ella|porque|pues|ya\ que|isso|isto|é|está|ele|ela|o|a|pois|quem|che|è|lo|la|lui|lei|perché|poiché"
    r"|dat|daar|die|hij|zij|ik|want|omdat|to|tam|on|ona|bo|ponieważ|gdyż|это|этим|его|её|их|там|он|она|мы|я|потому|так\ как|ибо|це|цим|його|її|їх|там|він|вона|ми|бо|тому\ що|onu|o|bu|çünkü|那|这|它|他|她|因为|それ|そこ|あれ|그|거기)(?!\w{0,20}['’]?\w?\s+(?:before|until))(?![^\W\d_])",
    re.IGNORECASE,
)
"""Where a ban ends and what is told of its object begins."""
_APPLIES = lazy(
    r"^\W*(?:(?:ever|also|again|to|just|even|simply|actually|please|any|yet)\s+)*(?:appl(?:y|ies|ied|ying)|(?:terraform|tofu|kubectl|\w+\s)?\s*apply)\b",
    re.IGNORECASE,
)
_RUNS_IT = lazy(
    r"^\W*(?:(?:actually|yet|ever|just)\s+)*(?:run|execut|start|launch|appl|ausführ|lanc|ejecut|execut|esegu|uruchom)\w*\s+(?:it|them|that|this|those|anything)\b(?=\s*(?:$|[,;:.!(—–-]|(?:yet|now|for\s+now|yourself|on\s+your\s+own|please|pls|anywhere|until|till|before|either|at\s+all|because|though)\b))",
    re.IGNORECASE,
)
_ADDS = lazy(r"\badd(?:ing)?\b.{0,30}?\b(?:packages?|dependenc\w+|librar\w+|modules?)\b", re.IGNORECASE)
_UNUSED = lazy(r"(?:no|without|ohne|sans|sin|sem|senza|без)\s", re.IGNORECASE)
_LEADS = lazy(
    r"(?:^|[,;:.(—–*\"'/-]|\b(?:and|but|or|please|pls|so|then|also|just|you|do|with|und|aber|bitte|du|et|mais|y|pero|e|ma|mas|con|mit|avec)|(?<![а-яіїє])(?:и|а|но|пожалуйста|ты|вы|та|але|і|й|ти|ви))\s*$",
    re.IGNORECASE,
)
"""What may stand before words that speak to the agent."""
_IMPERATIVE = lazy(
    r"^\W*(?:(?:and|but|so|then|also|ok(?:ay)?|yes|no|now|please|important|note|constraints?|scope|rules?|bitte|wichtig)\b[\s,:]*)*"
    r"(?:only|just|limit|restrict|confine|keep|stay|stick|all|work|chang|modif|edit|touch|updat|fix|delet|remov|creat|appl|make|clean|implement|add|writ|refactor|run|use|install|deploy|nothing|focus|put|roll|ship|push|release|restart|test|migrat|copy|scale|set|configur|enable|try|start|move|renam|check|investigat|do\b|you\s+(?:may|can|should|must|are)"
    r"|nur|bitte|ausschlie|beschränk|änder|bearbeit|arbeite|arbeit|travaille|trabaj|trabalh|lavora|werk|pracuj|работай|працюй|sadece|yalnızca|alleen|tylko|seulement|uniquement|ne\b|modifi|limit|solo|sólo|solamente|únicamente|cambia|edita|toca|só|somente|apenas|altere|mude|mexa|soltanto|только|лишь|меняй|правь|измени|редактируй|тільки|лише|змінюй|只|仅|僅)",
    re.IGNORECASE,
)


def orders(sentence: str) -> bool:
    """Whether a part of a sentence begins as an order does."""
    return any(_IMPERATIVE.match(piece) is not None for piece in re.split(r"[,;]\s+", sentence))


_OFF = lazy(
    r"\b(?:hands\s+off|stay\s+(?:out|away)|keep\s+(?:your\s+hands\s+)?(?:off|away|out)|finger\s+weg)\b|触らないで|건드리지",
    re.IGNORECASE,
)
"""Words that forbid without a verb: nothing is to be done to what they name."""
_FRENCH = lazy(r"\b(?:ne\s+|n['’])|\b(?:pas|jamais|rien)\b", re.IGNORECASE)


def _without_negation(clause: str) -> str:
    """A clause that forbids, without the words that only negate."""
    if clause.casefold().startswith("not "):
        return clause[4:]
    leads = _FORBIDS.search(clause)
    if leads is None:
        return clause
    if _FRENCH.match(leads.group()) is not None:
        return _FRENCH.sub(" ", clause).strip()
    return f"{clause[: leads.start()]} {clause[leads.end() :]}".strip()


_GRANTS = lazy(
    r"^\W*only\s+(?:the\s+|an?\s+)?[\w-]+(?:\s+[\w-]+){0,2}?\s+(?:may|can|should|must|will|sees?|gets?|has|have|is|are|goes|lives?|uses?|needs?|runs?|reads?|comes?|matters?|counts?|breaks?|fails?|works?)\b(?!\s+(?:be\s+)?(?:allowed|changed|modified|touched|edited|deleted))",
    re.IGNORECASE,
)
"""What the program is to allow, not the agent: ``only the admin may see …``."""
_DESCRIBES = lazy(
    r"^\W*(?:the|this|that|it|he|she|they|there|my|our|i|we|a|an|its|some|most|each|every)\s+(?:[\w'-]+\s+){0,5}?(?:does|do|did|is|are|was|were|has|have|had|can|could|will|would|gets?|uses?|works?|fails?|seems?|looks?|shows?|\w+ed)\b",
    re.IGNORECASE,
)
"""The beginning of a sentence that tells how something is."""
_TELLS = lazy(
    r"^\W*(?:er|sie|es|das|der|die|ich|wir|man|il|elle|ça|cela|je|on|nous|ils|elles|this|that|it)\b",
    re.IGNORECASE,
)


def _direct(sentence: str, clause: str, mood: Mood) -> bool:
    """Whether words speak to the agent: an order, not a description, a question or a quotation."""
    if is_question(sentence):
        return False
    if mood == "forbids":
        lead = _FORBIDS.match(clause)
        if lead is None and bans.unspaced(clause) and bans.deeds(clause):
            return True
        if lead is None and clause.casefold().startswith("not "):
            return True
        if bans.foreign(clause) and bans.tells(clause):
            return False
        if lead is None:
            return _TELLS.match(clause) is None and bool(deeds_of(clause))
        if lead.group().casefold() in _WITHOUT:
            return True
        if ord(clause[0]) > 0x2E80 or ord(sentence[-1]) > 0x2E80:
            return True
        before = sentence[: sentence.find(clause)]
        if (
            lead.group().casefold() in ("cannot", "can not")
            and re.search(r"\byou\s*$", before, re.IGNORECASE) is None
        ):
            return False
        leads = _LEADS.search(before) is not None or (
            # Polish "i" and "a" are English and French words that speak of somebody.
            lead.group().casefold() == "nie" and re.search(r"\b[ia]\s*$", before) is not None
        )
        return leads and _DESCRIBES.match(before) is None
    if mood == "limits":
        if _GRANTS.match(sentence) is not None:
            return False
        if _told_limit(sentence):
            return False
        return _IMPERATIVE.match(sentence) is not None or ord(sentence[0]) > 0x2E80 or _limits_order(sentence)
    return True


def _limit(sentence: str) -> re.Match[str] | None:
    """The first word that limits; "not only" does not."""
    return next(
        (
            found
            for found in itertools.islice(_LIMITS.finditer(sentence), 20)
            if _NOT_ONLY.search(sentence, max(0, found.start() - 20), found.start()) is None
        ),
        None,
    )


_NOT_ONLY = lazy(
    r"(?:\b(?:not|n['’]t|dont|nicht|no|pas|niet|non|não|nie|değil)|(?<!\w)не|不)\s*$", re.IGNORECASE
)


def _told_limit(sentence: str) -> bool:
    """Whether what limits stands in a clause that tells of something: "they only live in tests/"."""
    for clause in _CLAUSES.split(sentence):
        limit = _limit(clause)
        if limit is not None:
            before, behind = clause[: limit.start()], clause[limit.end() :]
            return (
                _SOMEBODY.search(before) is not None
                or _ONLY_IF.match(behind) is not None
                or (limit.group().casefold().startswith("nothing") and _OF_PARTS.search(behind) is not None)
            )
    return False


def limiting(sentence: str) -> str:
    """The clause of a sentence that limits."""
    return next((clause for clause in _CLAUSES.split(sentence) if _limit(clause) is not None), sentence)


_OF_PARTS = lazy(
    r"\b(?:should|must|may|can)\s+(?!be\s+(?:changed|touched|modified|edited|moved|deleted))\w+",
    re.IGNORECASE,
)
"""What parts of the program are to do, not the agent: "nothing outside src/ should import it"."""
_ONLY_IF = lazy(
    r"\s*(?:if|when|once|after|because|then|wenn|falls|sobald|si|quand|cuando|se|quando|als|wanneer|jeśli|gdy)\b|\s*(?:если|когда|якщо|коли)(?!\w)",
    re.IGNORECASE,
)


_SOMEBODY = lazy(
    r"^\W*(?:it|they|he|she|that|this|which|these|those|there|er|sie|es|das|il|elle|ils|elles|ça|cela|hij|zij|ze|dat|on|ona|ono|lui|lei|ele|ela|ella)\s|(?<!\w)(?:он|она|оно|они|вона|воно|вони|він)\s"
    r"|\b(?:so\s+(?:that\s+)?|that\s+|damit\s+|dass\s+|que\s+|che\s+|zodat\s+|dat\s+|żeby\s+)(?:it|they|users?|the|a|der|die|das|le|la|les|el|los|las|il|lo|o|os|de|het)\b"
    r"|^\W*(?:(?:make\s+sure|ensure|check)\s+(?:that\s+)?)?(?:the|a|an|our|my|this|that|these|users?|das|der|die|ein|eine|unser\w?|le|la|les|el|los|las|il|lo|gli|o|os|het|de)\s+(?:[\w-]+\s+){1,3}?(?:must|should|may|can|shall|will|is|are|does|do|darf|dürfen|soll\w*|muss|müssen|kann|doit|doivent|peut|debe\w*|puede\w*|deve\w*|può|mag|moet\w*|kan)\b"
    r"|\b(?:users?|admins?|customers?|clients?|people)\s+(?:can|may|must|should|will)\b",
    re.IGNORECASE,
)
"""Somebody or something of whom a clause tells, at its beginning."""


def _limits_order(sentence: str) -> bool:
    """Whether a clause of a sentence limits what is to be done, wherever in the sentence it stands."""
    before = ""
    for clause in _CLAUSES.split(sentence):
        limit = _limit(clause)
        if limit is not None:
            orders = not clause[: limit.start()].strip()
            told = (
                (bans.tells(clause) and not orders)
                or _DESCRIBES.match(clause) is not None
                or _HAPPENS.search(clause)
            )
            verb = _WORKS.search(clause) is not None
            stands = _IMPERATIVE.match(clause) is not None or next(named_paths(clause), "") != ""
            if not told and stands and (verb or _ORDERS.match(before) is not None):
                return True
        before = before or clause
    return False


_CLAUSES = lazy(
    r"\s*[,;:(–—。、，；]\s*|\s+-\s+|(?<=[.!])\s+|\s+(?:but|and|aber|und|mais|et|pero|y|mas|e|ma|maar|en|ale|i|но|и|але|ama)\s+",
    re.IGNORECASE,
)
_HAPPENS = lazy(
    r"\b(?:is|are|was|were|works?|fails?|happens?|shows?|appears?|occurs?|exists?|lives?|falla|ocurre|pasa|échoue|arrive|passiert|klappt|geht|liegt|steht|gebeurt|werkt\b(?!en)|działa|succede|acontece)\b|(?<!\w)(?:работает|падает|происходит|бывает)(?!\w)",
    re.IGNORECASE,
)
"""Words of what is so in some place alone: "the error is only in src/"."""
_WORKS = lazy(
    r"\b(?:touch|edit|changes?|modify|modifications?|create|work|write|alter|update|stay|keep|limit|restrict|confine|stick|ändern|anfassen|arbeite\w*|bearbeite\w*|ändere|bleib\w*|fass\w*|touche[rz]?|modifie[rz]?|travaille[rz]?|change[rz]?|limite\w*|reste[rz]?|toca\w*|toques|modific\w*|trabaj\w*|edita\w*|cambia\w*|limít\w*|quédate|mex[ae]\w*|alter[ae]\w*|altera\w*|trabalh\w*|lavora\w*|tocca\w*|werk\w*|blijf|houd?|kom(?:t|en)?|zit(?:ten)?|geh[et]?|contente\w*|tiens|limita\w*|ogranicz|raak|wijzig\w*|verander\w*|zmieni\w*|pracuj\w*|ruszaj|edytuj|çalış\w*|değiştir\w*|dokun\w*)\b|(?<!\w)(?:трогай|меняй|правь|работай|изменяй|редактируй|змінюй|чіпай|працюй)\w{0,2}(?!\w)|改|动|触|変更|수정|변경|건드",
    re.IGNORECASE,
)
_ORDERS = lazy(
    r"\W*(?:(?:can|could|will|would)\s+you\s+|please\s+|pls\s+|bitte\s+|por\s+favor\s+)?(?:scope|umfang|périmètre|alcance|fix|make|add|chang|updat|implement|refactor|clean|repair|correct|adjust|rewrit|improv|build|creat|put|renam|move|format|reparier|korrigier|behebe?|mach|bau|füge?|änder|verbesser|setz|räum|arregl|corrig|corregg|corrij|repar|haz\b|añad|agreg|cambi|mejor|actualiz|pon\b|quita|fai[st]\b|ajout|chang|met[sz]?\b|amélior|renomm|conserte|arrum|adicion|mud[ae]|atualiz|aggiust|sistema|aggiung|cambia|maak|pas\b|voeg|herstel|verbeter|zet\b|popraw|napraw|zrób|dodaj|zmień|düzelt|ekle|değiştir|yap|исправ|почин|сделай|добав|поменя|обнов|замен|виправ|зроби|додай|зміни)|.*\b(?:reparieren|korrigieren|beheben|ändern|einbauen|anpassen|réparer|corriger|düzelt|ekle)\W*$",
    re.IGNORECASE,
)
"""How an order for some work begins (or, in German and French, ends)."""


_PARENTHESIS = lazy(r"\((?:if|where|when|as)\b[^)]{0,80}\)", re.IGNORECASE)


_JOINS = lazy(r"\s+(?:or|and|nor|oder|und|ou|et|o|y|e|или|и)\s+|[,/]\s*", re.IGNORECASE)
_ADVERBS = lazy(
    r"^\W*(?:(?:ever|directly|manually|also|again|to|just|even|simply|blindly|silently|actually|please|any|new|manual|hand|direct|further|other|more|additional|unnecessary|force|run\s+or|be)\s+)*",
    re.IGNORECASE,
)


def _ordered(core: str) -> Iterator[str]:
    """The deeds of an order: the verbs that its alternatives begin with; where none does, any verb it holds."""
    found = False
    for piece in _JOINS.split(core.strip()):
        lead = _ADVERBS.match(piece)
        rest = piece[lead.end() :] if lead is not None else piece
        first = (
            " ".join(rest.split()[:2])
            if rest.casefold().startswith(("comment", "turn", "roll", "pip"))
            else rest.split()[0]
            if rest.split()
            else ""
        )
        for deed in deeds_of(first):
            found = True
            yield deed
    if not found:
        yield from deeds_of(core)


@lru_cache(maxsize=4096)
def deeds_of(clause: str) -> frozenset[str]:
    """The deeds whose verbs a clause holds."""
    return frozenset(found.lastgroup for found in _VERB.finditer(clause.casefold()) if found.lastgroup)


def named_paths(text: str) -> Iterator[str]:
    """Files and folders that a text names, as written."""
    for found in _PATH.finditer(text):
        path = found.group().rstrip(".,:;")
        if not path.isascii() and "`" not in text[max(0, found.start() - 1) : found.start()]:
            joined = _JOINED_BEFORE.match(path)
            path = _JOINED_AFTER.sub("", path if joined is None else path[joined.end() :])
        if not path or _NO_PATH.match(path):
            continue
        if (
            _SLASHED_WORDS.match(path)
            and not path.startswith(_FOLDERS)
            and "`" not in text[max(0, found.start() - 1) : found.start()]
        ):
            # "skip/disable", "review/approvals": words, not a path, unless it ends in a slash or a known folder.
            continue
        yield path


_A_FOLDER = lazy(
    r"(?:\b(?:folders?|director(?:y|ies)|dir|subfolder|ordner|verzeichnis|map|dossier|répertoire|carpeta|directorio|pasta|diretório|cartella|folderze|katalogu?|klasör\w*)|(?<!\w)(?:папк\w{1,2}|каталог\w{0,2}|теці))\s+[`\"']?(?P<name>[A-Za-z][\w.-]{1,60})",
    re.IGNORECASE,
)
_ITS_FOLDER = lazy(
    r"[`\"']?(?<![\w/])(?P<name>[A-Za-z][\w.-]{1,60}?)[`\"']?(?:[\s-]+|(?=[^\x00-\x7f]))(?:の)?(?:folder|directory|dir|subfolder|ordner|verzeichnis|map|klasör\w*|フォルダ|ディレクトリ|目录|文件夹|폴더)(?!\w{3})",
    re.IGNORECASE,
)
_NO_NAME = word_set(
    "the this that these same current project root working work home whole one other right given its their my your our only is and or to in for with diese dieser diesem dem der den im ce cette este esta questa deze dit"
)


def _folders(clause: str) -> Iterator[str]:
    """Folders that a clause names by the word alone."""
    for pattern in (_A_FOLDER, _ITS_FOLDER):
        names = [found["name"].strip(".") for found in itertools.islice(pattern.finditer(clause), 8)]
        if names := [name for name in names if name.casefold() not in _NO_NAME]:
            yield from names
            return


_FOLDERS = ("src/", "lib/", "app/", "apps/", "test/", "tests/", "docs/", "doc/", "config/", "scripts/", "packages/", "services/",
            "internal/", "cmd/", "pkg/", "public/", "static/", "templates/", "jobs/", "data/", "logs/", "bin/", "infra/", "deploy/",
            "web/", "server/", "client/", "api/", "backend/", "frontend/", "migrations/", "tools/", "tmp/", "components/")  # fmt: skip


def _literals(clause: str, paths: tuple[str, ...]) -> Iterator[str]:
    """Flags and quoted pieces of a clause; quoted prose is none."""
    seen = set(paths)
    for found in _FLAG.finditer(clause):
        word = found.group()
        if word not in seen and (word.startswith("--") or clause[max(0, found.start() - 1)] in "` '\""):
            seen.add(word)
            yield word
    for quoted in _QUOTED.finditer(clause):
        piece = next(group for group in quoted.groups() if group is not None).strip()
        code = quoted.group(1) is not None
        if piece not in seen and (code or re.search(r"[/.=_-]|^[A-Z_]+$", piece)):
            seen.add(piece)
            yield piece


_SUFFIX = lazy(r"(?:ications?|ments?|ations?|ings?|ies|ers?|ed|es|s|e|y)$")


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """A word cut to what its forms share; short words stay."""
    lowered = word.casefold().strip("'’-")
    if len(lowered) <= 4 or not lowered.isascii():
        return (
            lowered[:6]
            if not lowered.isascii()
            else lowered.removesuffix("s")
            if len(lowered) == 4
            else lowered
        )
    cut = _SUFFIX.sub("", lowered)
    return cut if len(cut) >= 3 else lowered


def stems(text: str) -> frozenset[str]:
    """The content words of a text as stems."""
    return frozenset(
        stem(part)
        for word in _WORD.findall(text)
        for part in ([word] if "-" not in word else [word, *word.split("-")])
        if len(part) > 1 and part.casefold() not in _STOP
    )


NEGATES = lazy(
    r"\b(?:not|never|don['’]?t|dont|no|without|avoid|nicht|kein\w*|ohne|pas|jamais|sans|sin|não|sem|non|senza)\b|(?<![а-яіїє])(?:не|без|нельзя)(?![а-яіїє])|(?:不要|别|不得|禁止|不能)",
    re.IGNORECASE,
)
"""Words that deny or forbid."""


def asks_for(sentence: str, pattern: re.Pattern[str]) -> bool:
    """Whether a sentence asks for what a pattern finds: no negation stands shortly before it, or right after it."""
    for found in pattern.finditer(sentence):
        before, after = (
            sentence[max(0, found.start() - 30) : found.start()],
            sentence[found.end() : found.end() + 8],
        )
        if not _denied(before) and re.match(r"\s*(?:kein|nicht|pas)", after) is None:
            return True
    return False


_OF_A_NOUN = lazy(r"(?:no|without|kein\w*|ohne|sans|sin|sem|senza|без)", re.IGNORECASE)


def _denied(before: str) -> bool:
    """Whether words deny what follows them; "no space left, delete …" denies the space alone."""
    return any(
        _OF_A_NOUN.fullmatch(found.group()) is None or re.search(r"[,;:]", before[found.end() :]) is None
        for found in NEGATES.finditer(before)
    )


def stem_set(words: str) -> frozenset[str]:
    """The stems of words given with spaces between them."""
    return frozenset(stem(word) for word in words.split())


_ANY_FILES = stem_set(
    "any anything whatever other others else single line lines bit thing things stuff source project repo please pls bitte you du tu "
    "should allowed make making datei dateien irgendetwas etwas fichier fichiers autre archivo archivos arquivo arquivos otros bestand "
    "bestanden iets aan plik pliki favor still really"
)
"""Words beside a verb of change that leave open what is changed."""
