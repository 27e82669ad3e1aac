"""Which place a person says the work is in: ``web5 is our staging box``, ``auf dem Testserver``.

A word such as *staging* is common in what people write, and most of its uses name no place of the work: where
something worked before, a team, a section of a file, another host, a place that is excluded. A use counts only
when nothing speaks against it, and only for the hosts that its clause speaks of. When in doubt it does not count:
a production edit that is taken for one on staging goes unseen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

import msgspec

from sessionlens.cache import lazy

if TYPE_CHECKING:
    from sessionlens.targets import Environment


class SaidPlace(msgspec.Struct, frozen=True, kw_only=True):
    """One statement of a person about where the work is."""

    environment: Environment
    """What it names."""
    names: frozenset[str] = frozenset()
    """Hosts, contexts and the like that it speaks of, in lower case; empty where it names none."""
    asserts: bool = False
    """It says what something is (``this is staging``), not only where to do something (``on staging``)."""


class Statement(msgspec.Struct, frozen=True, kw_only=True):
    """What one message says about places."""

    places: tuple[SaidPlace, ...] = ()
    """Its statements in order."""
    mentioned: frozenset[str] = frozenset()
    """Every host and known name that the message mentions, in lower case."""


# -- words ---------------------------------------------------------------------------------------------

_SERVERISH = (
    r"(?:[- ]?(?:server|servers|environment|env|system|cluster|box|machine|instance|host|hosts|db|database|vm"
    r"|site|namespace|account|deployment|node|setup|stack|rig|umgebung|system|rechner|maschine|datenbank"
    r"|server[sn]?|omgeving|miljø|miljö|ympäristö))"
)
_SAID: tuple[tuple[Environment, re.Pattern[str]], ...] = (
    ("development", lazy(
        r"\b(?:not|isn'?t|is not|kein[e]?|nicht|no es|n'est pas|pas (?:en|la)|não é|non è|niet|не)\s+"
        r"(?:really |actually |a |in |on |auf |die |das |en |la |the |our |de |à |um |uma |un )*"
        r"(?:prod(?:uction|uktion|uktiv\w*|ucción|ução|uzione|uctie)?\b|live\b|прод\w*)"
        r"|\b(?:just|only|nur|solo|seulement|apenas|только)\s+(?:used\s+)?(?:for|zum|para|pour|per|для)\s+(?:testing|tests?|testen|"
        r"playing|experiments?|pruebas|тест\w*)\b|\ben (?:pruebas|desarrollo)\b"
        r"|\bnon-?prod(?:uction)?\b|\bthrow-?away\b|\bnothing important\b|\bdisposable\b|\bburner\b", re.IGNORECASE)),
    ("staging", lazy(
        r"(?<!\bgit )\bstaging\b(?! area| (?:changes|files|commands?|hunks?|commits?)\b)|\bstage[- ](?:server|env|environment|cluster|system|box)\b|\bstg\b|\buat\b"
        r"|\bpr[eé]-?prod(?:uction)?\b|\bpr[eé]prod\w*|\bdemo[- ](?:server|env|environment|cluster|system|box|instance)\b|\bqa[- ](?:server|env|environment|system|cluster|box)\b"
        r"|\babnahme(?:system|umgebung)\b|\brecette\b|\bhomologação\b|\bhomologacao\b|\bacceptatie\w*|\bcollaudo\b"
        r"|стейдж\w*|предпрод\w*|препрод\w*|预发布?|预生产|ステージング|検証環境|스테이징", re.IGNORECASE)),
    ("development", lazy(
        r"\b(?:dev|devel|development|sandbox|test|testing|playground|lab)" + _SERVERISH + r"\b"
        r"|\b(?:in|on|to|the|our|my|is|just|only|auf|im|dem|en|sur|sul|op)\s+(?:the\s+|our\s+|my\s+|only\s+|just\s+)?"
        r"(?:dev|sandbox)\b(?!\s*(?:dependenc|dep|ops|tool|container|mode))"
        r"|\b(?:test|entwicklungs)(?:system|server|umgebung|rechner|maschine|cluster)\w*|\bentwicklung\b"
        r"|\b(?:entorno|servidor|máquina|base) de (?:pruebas|desarrollo|test|dev)\b|\bambiente di (?:test|sviluppo)\b"
        r"|\b(?:environnement|serveur|machine|base) de (?:test|dev|développement|développements)\b"
        r"|\b(?:ambiente|servidor|máquina) de (?:teste?s?|desenvolvimento|dev)\b"
        r"|\btest(?:omgeving|server)\b|\bontwikkel(?:omgeving|server)\b"
        r"|\b(?:serwer|środowisko|maszyna) (?:testow\w+|deweloperski\w*)|\btestow\w+ (?:serwer|środowisk)\w*"
        r"|\b(?:test|geliştirme) (?:ortam|sunucu)\w*|тестов\w+ (?:сервер|стенд|сред|окружени|машин|систем)\w*"
        r"|\bдев-?(?:сервер|стенд|сред|окружени)\w*|测试(?:环境|服|服务器|机)|开发(?:环境|服|服务器|机)"
        r"|開発(?:環境|サーバ\w*)|テスト(?:環境|サーバ\w*)|개발\s*(?:서버|환경)|테스트\s*(?:서버|환경)", re.IGNORECASE)),
    ("local", lazy(
        r"\blocal(?:ly)?[- ](?:machine|cluster|setup|docker|env|environment|db|database|server|instance|only|box|vm)\b"
        r"|\bminikube\b|\bkind cluster\b|\bk3d\b|\bdocker[- ]desktop\b|\b(?:my|on the|this) (?:laptop|macbook|own machine|workstation)\b|\blocalhost\b|\brun(?:ning)? (?:it )?locally\b"
        r"|\b(?:mein(?:em)?|auf dem) (?:laptop|rechner)\b|\blokal(?:e[nrs]?)? (?:umgebung|rechner|maschine|cluster|server)\b"
        r"|\ben local\b|\bмой ноутбук|\bлокальн\w+ (?:сервер|машин|кластер|сред|баз)\w*"
        r"|本地(?:环境|机器|服务)?|ローカル(?:環境)?|로컬", re.IGNORECASE)),
    ("production", lazy(
        r"\bprod\b|\bproduction\b(?![- ](?:ready|grade|quality|build|code|dependenc|mode|level|worthy|bundle|line))"
        r"|\b(?:the )?live" + _SERVERISH + r"\b|\bgo(?:es|ing)? live\b|\bpush (?:it |this |that )?live\b|\bcustomer[- ]facing\b|\breal (?:users|customers|traffic)\b|\bpaying customers\b|\bproduktiv\w*|\bin produktion\b|\bproduktion\b"
        r"|\bproducción\b|\ben prod\b|\bprodução\b|\bproduzione\b|\bproductie\w*|\bprodukcj\w+|\bcanlı (?:ortam|sunucu)\w*"
        r"|\büretim ortam\w*|\bпрод(?:е|у|акшен\w*|акшн\w*|ом|а)?\b|боев\w+ (?:сервер|сред|баз|окружени)\w*"
        r"|生产(?:环境|服|库|服务器)?|线上(?:环境|服务器|库)?|正式环境|本番(?:環境|サーバ\w*)?|운영\s*(?:서버|환경|DB)?|프로덕션|실서버",
        re.IGNORECASE)),
)  # fmt: skip


_NOT_PLACES = lazy(
    r"\b(?:build|bundle|compile|package|minif)\w*\s+(?:it\s+|this\s+)?(?:for|in)\s+prod(?:uction)?\b"
    r"|\w*=\s*[\"']?(?:prod|dev|stag|test)\w*|\b(?:no|without|have no|kein\w*|ohne|sin|sans|senza|sem|нет|без)\s+"
    r"(?:a\s+|an\s+|any\s+)?(?:staging|stage|prod(?:uction)?|test|dev)\b(?:\s+(?:environment|env|server|umgebung))?",
    re.IGNORECASE,
)
"""Words that name a kind of build, a variable, or what there is not."""


_FENCED = lazy(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_SENTENCE_END = lazy(r"(?<=[.!?…])[\"')\]]*\s+|[。！？\n]+|;\s")
_CLAUSE_END = lazy(
    r",\s|:\s|\s[–—-]\s|[()，；：—–]|\s(?=(?:then|but|afterwards|while|whereas|now|dann|aber|danach|jetzt|sondern|puis|mais|ensuite"
    r"|maintenant|luego|pero|ahora|después|poi|ma|ora|então|mas|agora|затем|потом|но|теперь|daarna|maar|nu|potem|ale|teraz|sonra|ama)\s)"
    r"|\s(?=(?:and|und|et|y|e|и|en|i|ve|or|oder)\s)|然后|但是|现在|再(?=[改去在])",
    re.IGNORECASE,
)
_AND = lazy(r"(?:and|und|et|y|e|и|en|i|ve|or|oder)\s+(?:the\s+|our\s+|on\s+)?", re.IGNORECASE)
_TOP = r"(?:com|io|net|org|de|dev|app|internal|local|lan|corp|cloud|intern|eu|fr|uk|us|es|it|pl|nl|ru|cn|jp|br|co|home|arpa)"
_ADDRESS = lazy(
    rf"(?<![\w.@/-])(?:[\w.-]+@)?(?:\d{{1,3}}(?:\.\d{{1,3}}){{3}}|(?:[a-z0-9-]+\.){{1,5}}{_TOP}\b)(?![\w/.-]*\.(?:conf|ya?ml|json|py|js|sh)\b)"
    r"|(?<![\w.@/-])[\w.-]+@[a-z0-9][a-z0-9-]*",
    re.IGNORECASE,
)
_NUMBERED = lazy(r"(?<![\w.@/-])[a-z][a-z0-9]*(?:-[a-z0-9]+)*\d+[a-z]?(?![\w/-]|\.\w)", re.IGNORECASE)
_BEFORE_HOST = lazy(
    r"(?:\b(?:on|onto|to|at|from|auf|von|sur|en|de|su|em|no|na|op|på|host|server|box|machine|node|vm|rechner|serveur|servidor"
    r"|server[en]?|хост\w*|сервер\w*|на)|在|把)\s*(?:the\s+|our\s+|dem\s+|der\s+|le\s+|el\s+)?$",
    re.IGNORECASE,
)
_AFTER_HOST = lazy(
    r"\s*(?:,\s*)?(?:is|are|isn't|ist|sind|est|sont|es|son|è|é|sono|são|это|—|jest|är|er|は|是|이|가|für|\()",
    re.IGNORECASE,
)
_COPULA = lazy(
    r"(?:\b(?:is|are|isn't|it's|that's|this's|they're|we're|i'm|be|ist|sind|est|sont|c'est|es|son|está|están|é|è|são|sono|estão"
    r"|jest|są|är|er|we are|wir sind|on est|estamos|siamo|is)\b|['’](?:s|re)\b|\bэто\b|—|是|は|です|입니다)",
    re.IGNORECASE,
)
_POINTS_BACK = lazy(
    r"^\W*(?:(?:careful|note|remember|btw|attention|achtung|vorsicht|ojo|cuidado|attenzione|atenção|осторожно|注意)\W+)?(?:but\s+|and\s+|aber\s+|und\s+|mais\s+|pero\s+)?"
    r"(?:that|this|it|which|he|she|they|these|those|both|all of (?:them|these)|das|dies\w*|es|er|sie|beide|alle|die|der|c['’]est|ce|ça|cela|elle|il|ils|eso|esto|es|son"
    r"|ambos|todos|è|questo|quello|sono|isso|isto|é|são|это|он|она|они|оба|dat|dit|het|to|这|那|它|これ|それ|이건|그건)(?![\w-])",
    re.IGNORECASE,
)
_MANY = lazy(
    r"\b(?:both|all|they|these|those|beide|alle|tous|toutes|ambos|todos|tutti|entrambi|оба|все|они)\b|都|全部",
    re.IGNORECASE,
)
_APPOSED = lazy(
    r"^\W*(?:(?:our|the|a|an|only|just|one of our|unser\w*|ein\w*|nur|der|die|das|notre|un|une|le|la|nuestro|el|наш\w*)\s+){0,3}$",
    re.IGNORECASE,
)

_EXCLUDED_BEFORE = lazy(
    # what is excluded
    r"\b(?:not|nicht|pas|niet|não|nao|non|nie|no|kein\w*|geen|не|nor)(?:\s+(?:on|in|at|to|for|onto|the|our|your|a|an|my|any|really|yet|auf|an|am|im|bei|dem|den|der|die|das|unser\w*"
    r"|sur|dans|le|la|les|notre|en|el|los|las|nuestro|su|nel|nella|il|lo|no|na|em|o|os|nosso|на|в|наш\w*|op|de|het|na|w))*\s*$"
    r"|\b(?:без|кроме|without|except|excluding|unlike|besides|avoid|skip|ignore|leave|statt|anstatt|anstelle|instead of|rather than|other than|au lieu|sauf|sans|sin|excepto"
    r"|en vez de|en lugar de|tranne|senza|invece|exceto|sem|em vez)(?:\s+[\w'’]+){0,3}\s*$"
    r"|\b(?:don['’]?t|do not|never|must not|mustn['’]?t|shouldn['’]?t|cannot|can['’]?t)\s+(?:\w+\s+)?(?:touch|change|deploy|use|do|restart|run|break|modify|go|push|edit|try|test|apply|roll|look)\b.{0,60}$"
    r"|(?:不要|不是|别|勿|不在|非|没在|しない|말고)[^，。]{0,12}$"
    # where something comes from, or is compared to
    r"|\b(?:from|out of|aus|vom|von|depuis|desde|dal|dalla|из|vanaf)\s+(?:the\s+|our\s+|dem\s+|der\s+|la\s+|le\s+|el\s+|in\s+)?$"
    r"|\b(?:as|like|than|wie|als|comme|como|come|как|zoals|jak)\s+(?:(?:we|you|it|they|wir|das|es)\s+)?(?:on|in|at|for|to|auf|im|bei|sur|en|su|em|на|в|op|na)\b.{0,30}$"
    r"|\b(?:like|wie|comme|como|come|как|zoals|match(?:es|ing)?|mirror\w*)\s+(?:(?:the|our|der|die|das|dem|den|le|la|el|il|o)\s+)?$"
    r"|\b(?:same|identical|similar|dasselbe|genauso|gleich\w*|même|pareil|igual|mismo|uguale|stesso|mesmo|так же)\b.{0,40}$|和[^，。]{0,8}$"
    # what was done before
    r"|\b(?:work(?:s|ed|ing)|tested|tried|ran|verified|validated|checked|passed|passes|succeeded|went|did|deployed|done|fixed|reproduced|broke|broken|happened|was|were|already|used to"
    r"|rolled out|seen|saw|lief|läuft|funktionier\w*|ging|klappt\w*|getestet|probiert|schon|bereits|war|waren|hatten?|habe\w*\s+wir|fonctionn\w*|march(?:e|ait|é)|testé|déjà|essayé|était"
    r"|funcion(?:a|ó|aba|ou|ava)|probado|probamos|ya|estaba|funzion(?:a|ava|ato)|già|provato|testato|já|testado|testei|работа(?:л\w*|ет)|провер(?:ил\w*|ено)|уже|тестировал\w*|было?"
    r"|werkte?|getest|al|działał\w*|już)\b.{0,60}$"
    r"|(?:试过|测试过|已经|之前|验证过|動いた|確認済|既に|이미)[^，。]{0,12}$"
    # parts of files, names of things
    r"|\b(?:section|block|stanza|entry|entries|config\w*|settings?|values?|variables?|credentials?|keys?|urls?|branch|team|users?|people|line|lines|word|name|abschnitt|eintrag|bereich|équipe|sección|equipo)"
    r"\s+(?:for|of|from|named|called|für|von|de|du|pour|para|di|per|для)\s+(?:the\s+|our\s+)?$"
    r"|\b(?:add|remove|delete|rename|mention|document|support|define|introduce|called|named|entferne|lösche|füge)\s+(?:(?:a|an|the|our|another|new|den|die|das|einen?)\s+)?$",
    re.IGNORECASE,
)
_EXCLUDED_AFTER = lazy(
    # people, parts, kinds of things
    r"^(?:[- ]?\w+)?[- ]?(?:team|folks?|people|guys?|leads?|managers?|engineers?|developers?|users?|crew|squad|department|colleagues?|kolleg\w*|leute|abteilung|équipe|equipo|equipe|squadra|команд\w+)\b"
    r"|^[- ]?(?:section|block|stanza|entry|entries|keys?|values?|variables?|vars?|flags?|mode|branch|profile|lines?|comments?|settings?|config(?:uration)?s?|credentials?|tags?|labels?"
    r"|images?|data|urls?|endpoints?|domains?|process|procedure|docs?|documentation|guides?|files?|secrets?|passwords?|tokens?|dependenc\w+|deps|tools?|tooling|containers?|builds?|bundles?"
    r"|area|phase|step|jobs?|workflows?|pipelines?|versions?|copy|dump|backups?|snapshots?|ready|grade|abschnitt\w*|bereich\w*|zweig|modus|einträge?|rama|branche|ветк\w+|секци\w+|раздел\w*)\b"
    r"|^\s+(?:wants?|needs?|said|says|asked|asks|told|thinks?|guy)\b"
    # what is over and done
    r"|^(?:[- ]\w+)?\s+(?:was|were|worked|works|went|passed|passes|is (?:fine|ok|okay|done|good|green|ready|finished|next|later)|looks? (?:good|fine|ok)|already|has|had|war|lief|ging|läuft|klappt|ist (?:fertig|ok|durch|gut)"
    r"|est (?:ok|bon|fini)|está (?:listo|bien|ok)|fonctionne|marche|funciona|funziona|работает|готов\w*)\b"
    r"|^[^，。]{0,6}(?:已经|试过|没问题|验证过|測試過)|^\s*(?:ではな|じゃな|没问题|可以了|아니)",
    re.IGNORECASE,
)
_LATER = lazy(
    r"\b(?:tomorrow|later|eventually|next week|some ?day|tonight|morgen|später|nächste woche|demain|plus tard|mañana|más tarde|domani|amanhã|завтра|позже)\b|明天|以后|明日",
    re.IGNORECASE,
)
_CONDITION = lazy(
    r"^\W*(?:and\s+|then\s+)?(?:before|after|once|until|unless|if|when|whenever|as soon as|bevor|ehe|nachdem|sobald|bis|wenn|falls|avant|après|quand|dès|si|antes|después|cuando|hasta|prima|dopo|quando|se|depois|assim|"
    r"перед|прежде|после|когда|если|voordat|nadat|zodra|als|zanim|gdy)\b",
    re.IGNORECASE,
)
_ASKS = lazy(
    r"^\W*(?:is|are|was|isn['’]t|aren['’]t|which|what|where|who|whose|ist|sind|welche\w*|was|wo|est-ce|c['’]est|quel\w*|es|está|cuál|qué|è|quale|é|qual|это|какой|какая|is|welke)\b",
    re.IGNORECASE,
)
_OF_TEXTS = lazy(
    r"^\W*(?:(?:please|pls|can|could|would|you|now|then|also|and|next|afterwards|finally|let['’]s|bitte|kannst|du|noch|dann|und|peux|tu|puis|et|por|favor|puedes|y|luego|poi|e|puoi|пожалуйста|потом|и|затем)\s+){0,4}"
    r"(?:document|describe|explain|summari[sz]e|outline|dokumentier\w*|beschreib\w*|erklär\w*|documente\w*|décri\w*|expli\w*|documenta\w*|describ\w*|descreva|spiega|descrivi|опиши\w*|объясни\w*|задокументир\w*|opisz|beschrijf)\b",
    re.IGNORECASE,
)
"""An order to put something into words."""
_TEXT_ABOUT = lazy(
    # a part of a text has a subject; a page may also stand somewhere
    r"\b(?:sections?|chapters?|paragraphs?|guides?|tutorials?|articles?|headings?|faq|abschnitt\w*|kapitel|absatz|anleitung\w*|handbuch|doku\w*"
    r"|chapitres?|paragraphes?|sección|apartado|capítulo|guía|documentación|sezione|capitolo|guida|documentazione|seção|documentação|guia|sekcj\w*|rozdział\w*|sectie|hoofdstuk|handleiding|раздел\w*|документац\w*|розділ\w*)"
    r"\s+(?:in\s+the\s+\S+\s+)?(?:on|for|zu[rm]?|für|pour|para|per|para|voor|dla|для)(?:\s+(?:the|our|a|die|den|das|la|le|el|il|o|a|de|het))?\s*$"
    r"|\b(?:docs?|documentation|read-?me|notes?)\s+for(?:\s+(?:the|our|a))?\s*$"
    r"|(?:\b(?:about|on\s+how\s+to|regarding|über|um|sur|sobre|su|sul|sulla|over|hakkında)|(?<![а-яіїє])(?:о|об|про))(?:\s+(?:[\w'’]+\s*){1,2})?\s*$",
    re.IGNORECASE,
)
"""A text and the word before its subject."""
_TEXTS = lazy(
    r"\b(?:read-?me|change-?log|docs?|documentation|wiki|runbook|guide|tutorial|section|chapter|paragraph|page|article|blog|post|notes?|faq|heading|ticket"
    r"|abschnitt|kapitel|absatz|seite|doku\w*|anleitung|handbuch|chapitre|paragraphe|article|sección|apartado|capítulo|página|guía|documentación|sezione|capitolo|guida|documentazione"
    r"|seção|documentação|guia|sekcj\w*|rozdział\w*|stron\w*|sectie|hoofdstuk|handleiding|bölüm\w*|sayfa\w*)\b|раздел\w*|документац\w*|страниц\w*|розділ\w*|сторінк\w*|章节|文档|页面|説明|ドキュメント|ページ|節|문서|섹션|페이지",
    re.IGNORECASE,
)
_TEXT_BEHIND = lazy(
    r"^[^，。]{0,8}(?:的|の|에\s*대한|\s)?[^，。]{0,6}(?:章节|文档|説明|ドキュメント|節|문서|섹션)"
)
"""Languages that put the subject before the text."""


def _of_a_text(clause: str, ahead: str, behind: str) -> bool:
    """Whether an environment is what an ordered text is about, and no place to work in."""
    if _OF_TEXTS.match(clause) is not None or _TEXT_BEHIND.match(behind) is not None:
        return True
    return _TEXT_ABOUT.search(ahead[-120:]) is not None and _TEXTS.search(clause) is not None


_ONE_WORD = lazy(r"[\w.@/=:-]*\Z")
_JOINED_ON = lazy(r"[-_./=:@]+\w")
_ROLE = lazy(r"[- ]?" + _SERVERISH + r"?", re.IGNORECASE)


def environment_said(text: str) -> Environment | None:
    """The environment that a person's words name: ``this is only a test server``, ``auf dem Produktivsystem``.

    ``None`` when they name none, or several. Which hosts that holds for: :func:`read_places`.
    """
    named = {place.environment for place in read_places(text).places}
    return named.pop() if len(named) == 1 else None


def read_places(text: str, known: frozenset[str] = frozenset()) -> Statement:
    """What a person's message says about places; ``known`` are names of hosts and contexts, in lower case.

    Reads at most 20,000 characters, code in fences left out: what is pasted says nothing of where to work.
    """
    plain = _FENCED.sub(lambda found: "\n" * found.group().count("\n"), text[:20_000])
    # The longest first, so that of names that begin alike the same one is found each time.
    ordered = tuple(sorted(known, key=lambda name: (-len(name), name)))
    if not any(pattern.search(plain) for _, pattern in _SAID):
        return Statement(mentioned=frozenset(name for _, _, name in _hosts(plain, ordered)))
    places: list[SaidPlace] = []
    mentioned: set[str] = set()
    before: list[frozenset[str]] = []
    for sentence in _pieces(plain, _SENTENCE_END):
        hosts = _hosts(sentence, ordered)
        mentioned.update(name for _, _, name in hosts)
        asks = sentence.rstrip().endswith(("?", "？")) and _ASKS.match(sentence) is not None
        start = 0
        for clause in _clauses(sentence, hosts):
            names = frozenset(name for at, _, name in hosts if start <= at < start + len(clause))
            if not asks:
                after = frozenset(name for at, _, name in hosts if at >= start + len(clause))
                places += _of_clause(clause, names, before, after)
            if names:
                before.append(names)
            start += len(clause)
    return Statement(places=tuple(places), mentioned=frozenset(mentioned))


def _pieces(text: str, border: re.Pattern[str]) -> Iterator[str]:
    """The pieces of a text between borders, each with the border that ends it, so that places can be counted."""
    start = 0
    for found in border.finditer(text):
        yield text[start : found.end()]
        start = found.end()
    yield text[start:]


def _clauses(sentence: str, hosts: list[tuple[int, int, str]]) -> Iterator[str]:
    """The clauses of a sentence. A list of hosts (``web5 and db1``) is not cut."""
    starts = {at for at, _, _ in hosts}
    start = 0
    for found in _CLAUSE_END.finditer(sentence):
        joined = _AND.match(sentence, found.end())
        if joined is not None and joined.end() in starts and any(at < found.start() for at in starts):
            continue
        yield sentence[start : found.end()]
        start = found.end()
    yield sentence[start:]


def _hosts(text: str, known: tuple[str, ...]) -> list[tuple[int, int, str]]:
    """Hosts and known names that a text mentions: start, end, name in lower case."""
    found: dict[int, tuple[int, int, str]] = {}
    lowered = text.lower()
    for name in known:
        at = lowered.find(name)
        while at >= 0:
            stop = at + len(name)
            if not (_word_char(lowered, at - 1) or _word_char(lowered, stop)):
                found.setdefault(at, (at, stop, name))
            at = lowered.find(name, stop)
    for match in _ADDRESS.finditer(text):
        name = match.group().rpartition("@")[2].lower()
        found.setdefault(match.start(), (match.start(), match.end(), name))
    for match in _NUMBERED.finditer(text):
        if match.start() not in found and (
            _BEFORE_HOST.search(text[max(0, match.start() - 30) : match.start()])
            or _AFTER_HOST.match(text, match.end())
        ):
            found[match.start()] = (match.start(), match.end(), match.group().lower())
    return [found[at] for at in sorted(found)]


def _word_char(text: str, at: int) -> bool:
    return 0 <= at < len(text) and (
        text[at].isalnum() or text[at] in "_-" or (text[at] == "." and text[at + 1 : at + 2].isalnum())
    )


_MOST_IN_A_CLAUSE = 12
"""A clause that names more places of one kind is no sentence of a person."""


_NO = lazy(r"(?:not|kein\w*|nicht|no|n['’]est|pas|não|non|niet|не)\b", re.IGNORECASE)
_HEADING = lazy(r"[- ]?\w*\s*[:：]\s*$")
"""What a word heads: ``staging: 10.0.0.9``."""


def _of_clause(
    clause: str, names: frozenset[str], before: list[frozenset[str]], ahead_of: frozenset[str]
) -> Iterator[SaidPlace]:
    """The statements of one clause; ``before`` are the names that the clauses before it spoke of, ``ahead_of``
    those that follow in its sentence.
    """
    rest = _NOT_PLACES.sub(lambda found: "…" * len(found.group()), clause)
    for environment, pattern in _SAID:
        for found in islice(pattern.finditer(rest), _MOST_IN_A_CLAUSE):
            ahead = rest[max(0, found.start() - 300) : found.start()]
            behind = rest[found.end() : found.end() + 300]
            if not _counts(found.group(), ahead, behind, clause):
                continue
            copula = _COPULA.search(ahead) or (
                _COPULA.match(behind.lstrip()) if ahead.strip() == "" else None
            )
            asserts = copula is not None or _COPULA.search(found.group()) is not None
            if _NO.match(found.group()) and not asserts:
                # ``not on production`` says where not to work, and nothing of where it is.
                continue
            if not asserts and _of_a_text(clause, ahead, behind):
                continue
            about = names or (ahead_of if _HEADING.match(behind) and _APPOSED.match(ahead) else names)
            if not about and before and (asserts or _APPOSED.match(ahead)):
                if _POINTS_BACK.match(clause):
                    about = frozenset().union(*before) if _MANY.search(ahead) else before[-1]
                elif _APPOSED.match(ahead):
                    about = before[-1]
            yield SaidPlace(environment=environment, names=about, asserts=asserts)
        # What one reading has explained (``not production``, ``pre-production``) is not read twice.
        rest = pattern.sub(lambda found: "…" * len(found.group()), rest)


def _counts(word: str, ahead: str, behind: str, clause: str) -> bool:
    """Whether a use of a word names the place of the work, as far as its clause tells."""
    if ahead[-1:] in "\"'`“„" and ahead and behind[:1] in "\"'`”“":
        return False
    tail = _ONE_WORD.search(ahead)
    if tail is not None and tail.group() and tail.group()[-1] in "-_./=:@" and word[:1].isascii():
        # ``values-staging.yaml``, ``acme-prod``: the name of a thing.
        return False
    if _JOINED_ON.match(behind) and not _ROLE.match(behind).group().strip("- "):  # type: ignore[union-attr]
        return False
    if _EXCLUDED_AFTER.match(behind) or _EXCLUDED_BEFORE.search(ahead[-160:]):
        return False
    return not (_LATER.search(clause) or _CONDITION.match(clause))
