"""What the person wants left as it is, said without a denied verb: ``off limits``, ``Finger weg``, ``everything except``.

:func:`kept` gives the clauses of a sentence that say so of something, in fourteen languages. What they name is told by
the caller: a path, or a sort of thing that is known without one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sessionlens.cache import lazy

_BEGINS = r"(?:^|[,;:—–]\s|\b(?:and|but|please|pls|just|then|also|so|und|aber|bitte|et|mais|y|pero|e|mas|ma|en|maar|i|a|ale)\s)\W*"
"""Where an order may begin."""
_LET_BE = lazy(
    # English
    rf"\b(?:stays?|remains?|(?:must|should|shall|is\ to|are\ to|has\ to|have\ to)\ (?:stay|remain))\b.{{0,20}}?\b(?:as\ (?:it\ is|they\ are|is)|untouched|unchanged|alone)|{_BEGINS}(?:leave|keep)\b.{{1,200}}?\b(?:alone|as[\ -](?:(?:it|they)[\ -](?:is|are)|is)|untouched|unchanged|in\ peace)"
    rf"|{_BEGINS}let\b.{{1,120}}?\bbe(?=\W*(?:$|[,;:]))|\boff[- ]limits\b(?!\ (?:for|to)\ (?:the|a|an|my|our|its|old|new)\b)|\bout\ of\ bounds\b|\b(?:hands|fingers|paws|mitts)\ off\b|\bkeep\ (?:your\ )?(?:hands|fingers|paws|mitts)\ (?:off|away|out)\b|\b(?:stay|steer|keep)\ (?:well\ )?(?:out\ of|away\ from|clear\ of)\b|\b(?:is|are)\ (?:\w+\ )?(?:frozen|taboo|sacred|untouchable)\b"
    r"|\bnothing\b.{1,100}?\b(?:may|must|should|shall|can|is\ to|gets?)\b.{1,12}?\b(?:chang|touch|modif|edit|mov)\w*"
    # German
    rf"|\bbleib(?:t|en)\b.{{0,20}}?\b(?:wie\ (?:es|er|sie)\ (?:ist|sind)|unverändert\b|unangetastet\b|unberührt\b|so(?=\W*(?:$|[,;:])))|{_BEGINS}la(?:ss|sse|ssen|sst)\b.{{1,200}}?\b(?:in\ ruhe\b|wie\ (?:es|er|sie)\ (?:ist|sind)|unverändert\b|unangetastet\b|so(?=\W*(?:$|[,;:])))|\b(?:finger|hände|pfoten)\b.{{0,12}}?\bweg\b|\b(?:finger|hände)\ von\b|\bvon\b.{{3,120}}?\bdie\ (?:finger|hände)\b"
    r"|\b(?:ist|sind|bleibt|bleiben)\ (?:\w+\ )?(?:tabu|unantastbar|sperrgebiet)\b|\bbleib\w*\ (?:\w+\ )?(?:aus|von)\b.{1,120}?\b(?:raus|heraus|weg|fern)\b|\bhalte?\ dich\b.{1,120}?\b(?:fern|raus|heraus)\b"
    r"|\b(?:darf|dürfen|soll|sollen|wird|werden)\ (?:\w+\ ){0,2}?(?:nicht|nichts|keinesfalls)\ (?:\w+\ ){0,2}?(?:(?:ge|ver)änder[nt]|änder[nt]|angefasst|angerührt|angetastet|berührt|bearbeitet|gelöscht)|\bnichts\ (?:unter|in|im|an)\b.{2,120}?\bänder[nt]?\b"
    # French
    rf"|\breste(?:nt)?\b.{{0,20}}?\b(?:tel(?:le)?s?\ quel(?:le)?s?|inchangée?s?|intacte?s?)|\bpas\ touche\b|{_BEGINS}laisse[rz]?\b.{{1,200}}?\b(?:tranquilles?|tel(?:le)?s?\ quel(?:le)?s?|intacte?s?|comme|de\ côté)\b|\b(?:est|sont|reste(?:nt)?)\ (?:\w+\ )?(?:interdite?s?|intouchables?|tabous?|hors[- ]limites?)(?!\w)"
    r"|\bbas\ les\ pattes\b|\breste[rz]?\ (?:en\ dehors|hors|loin|à\ l['’]écart)\ d|\btiens-toi\ (?:loin|à\ l['’]écart)\ d|\bne\ (?:doi(?:t|vent)|peu(?:t|vent))\ (?:pas\ |rien\ )?(?:être\ )?(?:modifi|touch|chang|boug|supprim)|\brien\ (?:sous|dans|sur)\b.{2,120}?\b(?:chang|boug|modifi|touch)"
    # Spanish, Portuguese
    rf"|\bquedan?\b.{{0,20}}?\b(?:como\ están?|intact\w+)|{_BEGINS}dej[ae]\b.{{1,200}}?\b(?:como\ están?|en\ paz|intact\w+|tranquil\w)|\bno\ se\ (?:tocan?|cambian?|modifican?|mueven?|borran?)\b|\bni\ se\ te\ ocurra\b|\bmanos\ (?:fuera|quietas|lejos)\b|\b(?:está|están|es|son)\ (?:\w+\ )?(?:prohibid\w+|intocables?|vetad\w+)"
    r"|\bmant[eé]n(?:te|gase)\b.{0,10}?\b(?:fuera|lejos|alejad\w)\ de|\baléjate\ de\b|\bno\ (?:debe|deben|puede|pueden)\ (?:cambiar|modificarse|tocarse|borrarse|ser\ (?:modific|toc|cambi|borr)\w+)|\bnada\ (?:en|bajo|dentro)\b.{2,120}?\b(?:cambi|toc|modific)\w+"
    rf"|\bficam?\b.{{0,20}}?\b(?:como\ est(?:á|ão)|intact\w+)|{_BEGINS}deix[ae]\b.{{1,200}}?\b(?:como\ est(?:á|ão)|em\ paz|intact\w+|quiet\w)|\bnão\ se\ (?:tocam?|mexem?|mudam?|alteram?|apagam?)\b|\bmãos\ (?:de|fora|longe|do|da)\b|\b(?:está|estão|é|são)\ (?:\w+\ )?(?:proibid\w+|intocáve\w+)"
    r"|\b(?:fica|fique|mantém-te|mantenha-se)\b.{0,10}?\b(?:fora|longe)\ d|\bnão\ (?:deve|devem|pode|podem)\ (?:mudar|ser\ (?:alterad|modificad|tocad|mexid|mudad|apagad)\w+)|\bnada\ (?:em|sob|dentro)\b.{2,120}?\b(?:mud|alter|mex|toc)\w+"
    # Italian, Dutch
    rf"|\b(?:resta(?:no|re)?|rimane(?:re)?|rimangono)\b.{{0,20}}?\b(?:com['’]è|come\ sono|invariat\w|intatt\w)|{_BEGINS}lasci(?:a|ate|o)\b.{{1,200}}?\b(?:stare|com['’]è|in\ pace|intatt\w)|\blasci(?:a|ate)\ stare\b|\bnon\ si\ (?:tocca(?:no)?|cambia(?:no)?|modifica(?:no)?)\b|\bgiù\ le\ mani\b|\b(?:è|sono)\ (?:\w+\ )?(?:intoccabil\w|vietat\w|tabù)"
    r"|\bsta(?:i|te|re)?\ (?:fuori|lontan\w|alla\ larga)\ da|\bnon\ (?:deve|devono|può|possono)\ (?:cambiare|essere\ (?:modificat|cambiat|toccat|cancellat)\w)|\b(?:niente|nulla)\ (?:in|sotto|dentro)\b.{2,120}?\b(?:cambi|tocc|modific)\w+"
    rf"|\bblij(?:ft|ven)\b.{{0,20}}?\b(?:zoals|ongewijzigd|onaangeroerd)|{_BEGINS}blijf\b.{{1,200}}?\baf\b|{_BEGINS}blijf\b.{{0,12}}?\b(?:uit|weg|buiten)\b|{_BEGINS}laat\b.{{1,200}}?\b(?:met\ rust|zoals|ongemoeid)\b|\bhanden\ (?:af|thuis)\b|\b(?:is|zijn)\ (?:\w+\ )?(?:verboden(?:\ terrein)?|taboe)\b"
    r"|\b(?:mag|mogen|moet|moeten)\ (?:\w+\ )?niet\ (?:\w+\ )?(?:gewijzigd|veranderd|aangepast|aangeraakt|veranderen|wijzigen)|\bniets\ (?:in|onder|uit)\b.{2,120}?\b(?:verander|wijzig|aangeraakt)\w*"
    # Polish, Turkish
    rf"|\b(?:pozosta\w+|zosta(?:je|ją|ć|nie))\b.{{0,20}}?\b(?:jak\ (?:jest|są)|bez\ zmian|nietknięt\w+)|{_BEGINS}zostaw(?:cie)?\b.{{1,200}}?\b(?:w\ spokoju|jak\ (?:jest|są)|bez\ zmian)|\b(?:ręce|łapy)\ (?:precz|z\ dala)|\btrzymaj(?:cie)?\ się\b.{{0,10}}?\b(?:z\ dala|daleka)\b|\b(?:jest|są)\ (?:\w+\ )?(?:nietykaln\w+|zakazan\w+|tabu)"
    r"|\bnic\b.{2,120}?\bnie\ może\b.{0,8}?\bzmien\w+|\bnie\ (?:wolno|może|mogą)\ (?:\w+\ )?(?:się\ )?(?:zmieni\w+|ruszać|dotykać|modyfikować|edytować|zostać\ zmienion\w+)"
    r"|\b(?:olduğu\ gibi\ (?:kalsın|bırak\w*)|rahat\ bırak\w*|uzak\ dur\w*|elini\ sürme\w*|elleme(?:yin)?|dokunulma(?:sın|yacak)|değiştirilme(?:sin|yecek|meli))\b|\byasak(?:lı|tır)?(?=\W*(?:$|[,;:]))",
    re.IGNORECASE | re.VERBOSE,
)
"""Words by which what they name is to stay as it is."""
_LET_BE_CYRILLIC = lazy(
    r"(?<!\w)залиша(?:ється|ються)\b.{0,20}?\b(?:як\ є|без\ змін)|(?<!\w)(?:за)?лиш(?:и|іть)?\b.{1,200}?\b(?:спокої|як\ є|без\ змін)|(?<!\w)руки\ (?:геть|прочь)|(?<!\w)не\ л[іе]з(?:ь|ьте)(?!\w)|(?<!\w)тримайся\ подалі|(?<!\w)недоторкан\w+|(?<!\w)не\ (?:має|можна|слід|повин\w+)\ (?:\w+\ )?(?:зміню\w+|чіпа\w+)|(?<!\w)нічого\b.{2,120}?\bне\ (?:має|повинно)\ зміню\w+"
    r"|(?<!\w)оста(?:ётся|ется|ются|ваться)\b.{0,20}?\b(?:как\ есть|без\ изменений|нетронут\w*)|(?<!\w)оставь(?:те)?\b.{1,200}?\b(?:в\ покое|как\ есть|без\ изменений)|(?<!\w)не\ прикаса(?:йся|йтесь)|(?<!\w)держись\ подальше|(?<!\w)неприкоснове\w+|(?<!\w)под\ запретом|(?<!\w)табу(?!\w)|(?<!\w)не\ должн\w+\ (?:\w+\ )?(?:меня\w+|измен\w+|трогать)|(?<!\w)нельзя\ (?:трогать|менять|изменять|править)|(?<!\w)ничего\b.{2,120}?\bне\ должно\ меня\w+",
    re.IGNORECASE | re.VERBOSE,
)
_LET_BE_WIDE = lazy(
    r"保持(?:原样|不变|现状)|(?:不要|别|不许|不准|不得|勿|不能|不可以?)(?:去|再|随便)?(?:碰|动(?!态|手)|改(?!进|善)|触碰|修改|更改|编辑|删)|禁区|离.{1,60}?远一?点|远离|原封不动"
    r"|そのまま(?:で|に)|触(?:ら|れ)な|触るな|手を(?:出さ|加え|触れ)な|いじ(?:らな|るな)|(?:変更|編集|修正|改変)(?:は|を)?(?:しないで|しないこと|禁止|不可|するな)|変えないで|立ち?入り?禁止|近づかな"
    r"|그대로\ ?(?:두|놔|유지)|손\ ?대지\ ?(?:마|말)|건드리지\ ?(?:마|말)|만지지\ ?(?:마|말)|(?:수정|변경|편집)(?:은|을|는|를)?\ ?(?:하지\ ?(?:마|말)|금지)|접근\ ?금지",
    re.IGNORECASE | re.VERBOSE,
)
"""The same in Ukrainian and Russian; in Chinese, Japanese and Korean."""
_MARKS = (
    "limits", "out of bounds", "fingers", "paws off", "mitts", "hands", " out of", "away from", "clear of", "keep out", "keep away", "frozen", "taboo", "sacred", "untouch", "unchanged", "alone", "as is", "as-is", "as it is", "as they are", "in peace", "let ", "nothing ",
    "bleib", "lass", "läss", "finger", "hände", "tabu", "unantast", "fern", "darf ", "dürfen ", "soll ", "sollen ", "wird ", "werden ", "nichts ", "reste", "pas touche", "interdit", "intouchable", "hors", "pattes", "tiens-toi", "ne doi", "ne peu", "rien ", "queda", "deja ", "deje ", "laiss", "no se ", "ni se te", "manos", "prohib", "intocable", "vetad", "mant", "aléja", "no deb", "no pued", "nada ",
    "fica", "fique", "deix", "mãos", "não se", "não dev", "não pod", "proibid", "intocáv", "resta", "riman", "lasci", "non si ", "le mani", "intoccabil", "vietat", "stai ", "state ", "stare ", "non dev", "non può", "niente ", "nulla ", "blij", "laat", "handen", "verboden", "taboe", "heilig", "niet ", "niets ", "zosta", "ręce", "łapy", "trzymaj", "nietyk", "zakazan", "nie wolno", "nie mo", "nic ", "olduğu gibi", "rahat b", "uzak dur", "sürme", "elleme", "dokunulma", "ilme", "yasak",
)  # fmt: skip
"""Pieces of which every sentence in Latin letters that wants something left as it is holds one."""
_SORTS = ("/", "test", "prod", "dockerfile", "makefile", "jenkinsfile", "expect", "erwart", "attend", "prueb", "esperad", "attes", "bekle", "oczek", "verwacht")  # fmt: skip
"""Pieces of which such a sentence holds one too, where it holds no stop within: a path, or what is known without one."""
_CYRILLIC = lazy(r"[\u0400-\u04ff]")
_WIDE = lazy(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")


def may_keep(sentence: str) -> bool:
    """Whether a sentence may want something left as it is: a cheap question before the patterns."""
    lowered = sentence.lower()
    return ("." in lowered[:-1] or any(piece in lowered for piece in _SORTS)) and (
        any(piece in lowered for piece in _MARKS)
        or (not lowered.isascii() and (_CYRILLIC.search(lowered) or _WIDE.search(lowered)) is not None)
    )


_OTHERS = (
    " be ", "myself", "to me", "selbst", "selber", "überlass", "occupe", "moi-même", "yo mism", "hago yo", "eu mesm", "faço eu", "comigo", "faccio io", "io stess", "lascia", "zelf", " sam", "sama ", "kendim", "bana b", "but not", "but never", "aber ", "mais pas", "mais surtout pas", "pero no", "mas não", "ma non", "maar niet", "ale nie", "want", "nicht, dass", "nicht dass", " ne veux", " ne souhaite", "no quiero", "não quero", "non voglio", "wil niet", "nie chc", "istemiyorum", "except", "anything", "everything", "whatever", "alles", "tout ", "todo ", "tudo ", "tutto ", "wszystko", "hariç", "dışında",
    " be ", "want", "nicht, dass", "nicht dass", " ne veux", " ne souhaite", "no quiero", "não quero", "non voglio", "wil niet", "nie chc", "istemiyorum", "except", "anything", "everything", "whatever", "alles", "tout ", "todo ", "tudo ", "tutto ", "wszystko", "hariç", "dışında",
    "myself", "ourselves", "my job", "mine", "on me", "to me", "for me", "with me", "my turn", "my thing", "my call", " ich ", " ich.", "moi", "m'en", "m’en", " yo", " eu", " io", " ik", "zelf", "zrobię", "ben ",
    "hold", "wait", "only", "delay", "postpone", "erst ", "nur ", "warte", "attend", "seulement", "espera", "solo ", "sólo ", "só ", "apenas", "aspetta", "wacht", "alleen", "poczekaj", "tylko", "bekle", "ancak",
)  # fmt: skip
"""Pieces of which every sentence in Latin letters holds one that forbids in one of the other ways."""


def may_forbid(sentence: str) -> bool:
    """Whether a sentence may hold :func:`passive`, :func:`unwanted`, :func:`excepted` or an order to wait."""
    lowered = f"{sentence.lower()} "
    return any(piece in lowered for piece in _OTHERS) or (
        not lowered.isascii() and (_CYRILLIC.search(lowered) or _WIDE.search(lowered)) is not None
    )


def _let_be(clause: str) -> re.Match[str] | None:
    """Where a clause says that what it names is to stay as it is."""
    found = _LET_BE.search(clause)
    if found is None and not clause.isascii():
        found = _LET_BE_CYRILLIC.search(clause) or _LET_BE_WIDE.search(clause)
    return found


_PASSIVE = lazy(
    r"\b(?:(?:must|may|should|shall)(?:\ not|n['’]t|\ never)|(?:is|are)\ (?:not|never)\ to)\ (?:be\ )?(?:\w+ly\ )?(?P<verb>change|changed|touched|modified|edited|altered|moved|deleted|removed|overwritten|renamed|reformatted|restarted|rebooted|reloaded|recreated|deployed|released|published|pushed|merged|committed|migrated|installed|upgraded)\b",
    re.IGNORECASE | re.VERBOSE,
)
"""What must not be done to what stands before it."""
_UNWANTED = lazy(
    r"\b(?:I|we)\ (?:do\ not|don['’]?t|never)\ want(?=\ (?:(?:you|anyone|anybody|us)\ to\b|any(?:thing)?\b|(?:the\ (?:file|folder|directory)\ )?[`\w*-]*[./][\w./*-]))|\bich\ (?:will|möchte)\ nicht,?\ dass\ (?:du|ihr|jemand|sie)\b|\bje\ ne\ (?:veux|souhaite)\ pas\ qu|\bno\ quiero\ que\b|\bnão\ quero\ que\b|\bnon\ voglio\ che\b|\bik\ wil\ niet\ dat\b|\bnie\ chcę,?\ (?:że|a)by\w*|(?<!\w)не\ хочу,?\ (?:чтобы|щоб)(?!\w)"
    r"|\bistemiyorum\b|我不(?:希望|想让?|要)你|(?:触|変え|変更し|いじ)\w{0,2}(?:ないで|て)ほし|않았으면|않으면\ ?좋겠",
    re.IGNORECASE | re.VERBOSE,
)
"""Words by which the person says what they do not want done."""
_RESERVED = lazy(
    r"\b(?:I(?:['’]ll|\ will|['’]d\ rather|\ want\ to|\ prefer\ to)?|we(?:['’]ll|\ will)?)\ (?:\w+\ ){0,4}?(?:it\ )?(?:myself|ourselves)\b|\w+ing\ (?:it\ )?(?:is|stays|remains)\ (?:my\ job|mine|on\ me|up\ to\ me|with\ me|my\ (?:thing|call|turn))\b|\bleave\ (?:the\ )?\w+\ (?:of\ it\ )?(?:to|for)\ me\b"
    r"|\b(?:mach\w?|tu\w?|übernehm\w?)\ ich\b(?:\ (?:dann|selbst|selber))*|\bich\ (?:\w+\ ){1,4}?(?:selbst|selber)\b|\bje\ (?:\w+['’]?\ ){1,5}?moi[- ]même\b|\bje\ m['’]en\ (?:charge|occupe)|\b(?:lo|la)\ (?:hago|subo|lanzo)\ yo\b|\bfaço\ eu\b|\b(?:lo|la)\ faccio\ io\b|\bfaccio\ io\b|\bdoe\ ik\b|\bik\ (?:\w+\ ){1,4}?zelf\b|\bzrobię\ (?:sam|sama|ja)\b|\bben\ (?:yap|at|push)\w+"
    r"|(?<!\w)(?:сам|сама|сделаю\ сам\w?|зроблю\ сам\w?)(?!\w)|自分で(?:する|やる|やります|行う|します)|我自己|我来|(?:제가|내가)\ ?(?:직접)?",
    re.IGNORECASE | re.VERBOSE,
)
"""Words by which the person keeps a deed for themselves."""
_EXCEPT = lazy(
    r"\b(?:everything|anything|whatever\ you\ (?:like|want)|all\ (?:\w+\ )?files|any\ (?:\w+\ )?file)\b[^.;]{0,40}?\b(?:except(?:\ for)?|but|save|apart\ from|other\ than|besides)\b|\balles?\b[^.;]{0,30}?\b(?:außer|bis\ auf)\b|\btout\b[^.;]{0,30}?\b(?:sauf|excepté|hormis|à\ part)\b|\btodo\b[^.;]{0,30}?\b(?:menos|excepto|salvo)\b|\btudo\b[^.;]{0,30}?\b(?:menos|exceto|salvo|à\ exceção)\b"
    r"|\btutto\b[^.;]{0,30}?\b(?:tranne|salvo|eccetto)\b|\balles\b[^.;]{0,30}?\b(?:behalve|op)\b|\bwszystko\b[^.;]{0,30}?\b(?:oprócz|poza|z\ wyjątkiem)\b|(?<!\w)(?:все|усе|всё)(?!\w)[^.;]{0,30}?(?<!\w)(?:крім|окрім|кроме|за\ исключением)(?!\w)|除了?(?=.{0,60}?(?:以外|之外|外|都))",
    re.IGNORECASE | re.VERBOSE,
)
"""Words that leave out what follows them."""
_EVERYTHING = lazy(
    r"\b(?:anything|nothing|any\ (?:other\ )?(?:files?|code)|everything|files\ other|nichts|keine?\ (?:andere\w*\ )?(?:datei\w*|code)|rien|aucun\ (?:autre\ )?fichier|nada|ningún\ (?:otro\ )?archivo|nenhum\ (?:outro\ )?(?:ficheiro|arquivo)|nulla|niente|nessun\ (?:altro\ )?file|niets|geen\ (?:andere?\ )?bestand\w*|niczego|żadn\w+\ (?:inn\w+\ )?plik\w*)\b|(?<!\w)(?:ничего|нічого|никакие\ файлы|жодн\w+\ файл\w*)(?!\w)|都|其他|其它|任何|别的",
    re.IGNORECASE | re.VERBOSE,
)
"""Words of a ban of everything."""
_BUT_FOR = lazy(
    r"\b(?:except(?:\ for)?|other\ than|besides|apart\ from|außer|bis\ auf|sauf|hormis|excepté|excepto|salvo|exceto|tranne|eccetto|behalve|oprócz|poza|z\ wyjątkiem)\b|(?<!\w)(?:кроме|крім|окрім|за\ исключением|за\ винятком)(?!\w)|除了",
    re.IGNORECASE | re.VERBOSE,
)
"""Words that let what follows them out of a ban of everything."""
_EXCEPTED = lazy(
    r"외에|以外(?:は|を|なら|の)|を除い|빼고|제외하고|(?<!지)(?<!지\s)말고|\b(?:dışında|hariç)\b",
    re.IGNORECASE,
)
"""Words that leave out what stands before them."""
_DESCRIBES = lazy(
    r"\b(?:is|are|was|were|works?|worked|passe[sd]|fail(?:s|ed)|ist|sind|war|est|était|es|está|é|è|jest)\b|когда|коли",
    re.IGNORECASE,
)
_HYPOTHETICAL = lazy(
    r"^\W*(?:if|when|wenn|falls|si|se|quand|cuando|quando|als|wanneer|jeśli|gdy|kiedy|если|когда|якщо|коли|eğer|如果|もし|만약)(?!\w)|\b(?:when(?!\ you\b)|whenever|wenn(?!\ du\b)|quand(?!\ tu\b)|cuando|quando|wanneer(?!\ je\b)|gdy|kiedy)\b|(?<!\w)(?:когда|коли)(?!\w)|\b(?:al|ao)\ \w+[aei]r\b|\bbeim\ \w|\bon\ (?:save|start|load|reload|restart)\b|\bafter\ (?:saving|restarting|a\ restart)\b",
    re.IGNORECASE,
)
"""Words of a description: something stays as it is whenever something happens."""


def kept(clause: str) -> bool:
    """Whether a clause says that what it names is to stay as it is."""
    found = _let_be(clause)
    return found is not None and _HYPOTHETICAL.search(clause) is None and not _told(clause[: found.start()])


_SUBJECT = lazy(
    r"(?<![\w'’])(?:it|they|he|she|this|that|which|who|er|sie|es|ich|wir|il|elle|ils|elles|je|nous|yo|ella|él|nosotros|eu|ele|ela|io|lui|lei|noi|hij|zij|ik|wij|on|ona|ono|ja|my|он|она|оно|я|мы|він|вона|воно|ми)\s+(?:\w+\s+)?$",
    re.IGNORECASE,
)
"""Somebody else who lets it be."""


def _told(before: str) -> bool:
    return _SUBJECT.search(before) is not None


def passive(clause: str) -> tuple[str, str] | None:
    """What must not be done, as its participle, and the words for what it must not be done to."""
    found = _PASSIVE.search(clause)
    if found is None or _HYPOTHETICAL.search(clause) is not None:
        return None
    return found["verb"], clause[: found.start()]


def free(sentence: str) -> tuple[str, bool] | None:
    """Of a ban of everything, the words in which stands what it leaves free ("change nothing except src/"), and whether
    it is their last path that is meant; ``None`` where nothing is left free."""
    found = _BUT_FOR.search(sentence)
    if found is not None:
        return None if _EVERYTHING.search(sentence) is None else (sentence[found.end() :], False)
    found = _EXCEPTED.search(sentence)
    return None if found is None else (sentence[: found.start()], True)


def unwanted(sentence: str) -> str | None:
    """What the person says they do not want done; ``None`` where they say nothing like it."""
    found = _UNWANTED.search(sentence)
    if found is None:
        return None
    rest = sentence[found.end() :]
    # Turkish, Japanese and Korean say it at the end.
    return rest if len(rest.strip(" .!。！")) > 2 and not sentence[: found.start()].strip() else sentence


def reserved(sentence: str) -> bool:
    """Whether the person keeps what a sentence names for themselves: "pushing is my job"."""
    return _RESERVED.search(sentence) is not None and _HYPOTHETICAL.search(sentence) is None


def excepted(sentence: str) -> Iterator[tuple[str, bool]]:
    """The words in which stands what an order leaves out, and whether it is their last path that is meant."""
    found = _EXCEPT.search(sentence)
    if found is not None and _DESCRIBES.search(sentence[found.end() :]) is None:
        yield sentence[found.end() :], False
    found = _EXCEPTED.search(sentence)
    if found is not None:
        yield sentence[: found.start()], True
