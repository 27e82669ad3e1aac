"""The person's own word as a condition: ``until I say so``, ``bevor ich es freigebe``, ``我同意之前``, ``not yet``.

What is forbidden until the person has spoken is forbidden, and their approval ends it. :func:`awaits` tells such words
of a sentence, :func:`approves` the approval, :func:`held_back` an order to wait with something.
"""

from __future__ import annotations

import re

from sessionlens.cache import lazy
from sessionlens.language.split import is_question

_UNTIL = lazy(
    r"\b(?:until|till|unless|before|without|once|after|bis|bevor|ehe|solange|ohne|wenn|sobald|nachdem|avant|tant\s+que|jusqu\w*|sans|quand|une\s+fois|après|hasta|antes|sin|cuando|después|até|sem|quando|depois|finché|fino|prima|senza|dopo|totdat|tot|voordat|zonder|zodra|nadat|als|dopóki|zanim|bez|aż|dokąd|gdy|kiedy|po)\b"
    r"|(?<!\w)(?:доки|поки|перш|без|до|коли|після|пока|прежде|когда|после)(?!\w)|\b(?:kadar|önce|olmadan|sonra)\b|\w{2,20}m[ae]dan\b|之前|以前|前|等|后再|再|まで|前|なし|から|後|때까지|전|없이|후|다음|뒤",
)
_MY_WORD = lazy(
    r"\bwe(?:['’]ve|\s+have)?\s+(?:approved?|confirm(?:ed)?|sign(?:ed)?\s+off|agreed?|decided?)\b|\bi(?:['’]ve|\s+have|\s+had)?\s+(?:\w+\s+){0,2}?(?:say|said|tell|told|approved?|confirm(?:ed)?|ok(?:ay)?(?:ed)?|look(?:ed)?|review(?:ed)?|check(?:ed)?|sign(?:ed)?\s+off|g[ia]ven?\s+(?:you\s+|it\s+)?(?:the\s+|my\s+|a\s+)?(?:go|ok|green|approval)|green-?light\w*|agreed?|allow(?:ed)?|seen?|read)\b|\byou(?:['’]ve|\s+have)?\s+(?:ask(?:ed)?|hear(?:d)?\s+from)\s+me\b|\bmy\s+(?:explicit\s+)?(?:ok(?:ay)?|approval|go-?ahead|go|permission|consent|confirmation|review|sign-?off|word|green\s+light|say-?so)\b|\b(?:asking|consulting|telling|checking\s+with)\s+(?:me|us)\b"
    r"|\bich\b.{0,60}?\b(?:sag\w*|gesagt|freig\w+|genehmig\w*|zustimm\w*|zugestimmt|bestätig\w*|gebe|gegeben|(?:drüber|an|durch)?(?:ge)?schau\w*|geprüft|prüfe|ok\w*|gelesen|gesehen|erlaub\w*)|\bmeine?[rn]?\s+(?:ok(?:ay)?|freigabe|zustimmung|erlaubnis|bestätigung|go)\b|\bmich\s+zu\s+fragen|\brückfrage"
    r"|\b(?:je|j['’])\s?.{0,40}?(?:dis\w*|dit|relu\w*|relis\w*|valid\w*|approuv\w*|regard\w*|confirm\w*|vérifi\w*|donn\w*)|\b(?:mon\s+(?:accord|feu\s+vert|ok|aval|autorisation)|ma\s+(?:validation|permission))\b|\bme\s+(?:le\s+)?demander\b"
    r"|\b(?:yo\s+)?(?:lo\s+|la\s+|te\s+)?(?:digo|diga|apruebe|revise|confirme|mire|vea|autorice|haya\s+(?:visto|mirado|revisado|aprobado|dicho))\b|\bmi\s+(?:aprobación|visto\s+bueno|permiso|ok|confirmación|autorización)\b|\bpregunt(?:ar|arme|es)\b"
    r"|\beu\s+(?:\w+\s+){0,2}?(?:diga|disser|dizer|aprov\w+|rever|reveja|confirm\w+|olhar|olhe|veja|ver|verific\w+|autoriz\w+)\b|\b(?:minha\s+(?:aprovação|autorização|permissão|confirmação)|meu\s+(?:ok|aval))\b|\bperguntar(?:-me)?\b"
    r"|\b(?:io\s+)?(?:(?:non\s+)?(?:lo|te\s+lo|l['’]ho)\s+)(?:dico|dica|approv\w+|conferm\w+|guard\w+|controll\w+|vist\w|riveda)\b|\bio\s+(?:non\s+)?(?:\w+\s+)?(?:dica|approv\w+|conferm\w+|guard\w+|controll\w+)|\b(?:mia\s+(?:approvazione|conferma)|mio\s+(?:permesso|ok|via\s+libera))\b|\bchieder(?:mi|melo)\b"
    r"|\bik\b.{0,40}?\b(?:zeg|gezegd|goedkeur|goedgekeurd|akkoord|gekeken|kijk|bevestig\w*|gezien|gelezen|toestemming)\b|\bmijn\s+(?:akkoord|toestemming|goedkeuring|ok)\b|\bmij\s+te\s+vragen\b|\bte\s+vragen\b"
    r"|\b(?:powiem|zatwierdz\w+|sprawdz[ęi]\w*|obejrz[ęy]\w*|przejrz[ęy]\w*|potwierdz[ęi]\w*|zgodz\w+)|\bmo(?:jej|ja|ją)\s+(?:zgod\w+|akceptacj\w+)|\b(?:za)?pytania\b"
    r"|(?<!\w)я(?!\w).{0,40}?(?:скаж\w+|перевір\w+|подивл\w+|перегля\w+|схвал\w+|підтвер\w+|дозвол\w+|погод\w+|провер\w+|посмотр\w+|одобр\w+|подтвер\w+|разреш\w+|гляну\w*)|(?<!\w)мо(?:го|єї|его|ей)\s+(?:дозвол\w+|згод\w+|схвален\w+|підтвердж\w+|одобрен\w+|разрешен\w+|согласи\w+|подтвержд\w+|слова|спроса|отмашки)"
    r"|\bben\b.{0,40}?\b(?:söyle\w+|onayla\w*|bak\w+|kontrol|incele\w+|de(?:yene|meden))|\b(?:onay|izn)ım\w*|\bizni?m\w*|\bbana\s+sor\w*"
    r"|我.{0,10}?(?:同意|说|批准|确认|看完|看过|审核|检查|点头|允许|许可|发话)|(?:私|僕|俺|こちら)(?:が|の)?.{0,10}?(?:言う|確認|承認|許可|見る|見た|OK|レビュー)|(?:確認|承認|許可|OK|レビュー)(?:が?出る|する|した|を出す|が?取れる|を得る)?(?:まで|前|なし|て?から|の?後)|(?:제가|내가|저의|제|내)\s?.{0,12}?(?:말|확인|승인|허락|검토|볼|본|보기|동의)",
)
"""What the person alone can give: word, look, approval."""
_THEIR_WORD = lazy(
    r"\b(?:until|till|unless|before)\s+(?:(?!you\b|your\b|it\b|tests?\b|ci\b|lint\w*\b|pipeline\b|build\b|script\b|the\s+(?:tests?|ci|pipeline|build|script|lint\w*|suite)\b)[\w'’-]+\s+){1,3}?(?:(?:has|have|had)\s+(?:read|seen|looked|reviewed|approved|signed|checked|confirmed|ok(?:ay)?ed|had\s+a\s+look)|(?:reads|reviews|approves|signs\s+off|confirms|looks|says\s+(?:so|yes|ok)|agrees|okays|clears\s+it|gives?\s+(?:\w+\s+){0,3}?(?:ok(?:ay)?|go(?:-?ahead)?|green\s+light|approval|sign-?off|blessing|permission)|is\s+(?:done|happy|ok(?:ay)?|fine)\s+(?:with|testing|reviewing)))"
    r"|\b(?:bis|bevor|ehe|ohne\s+dass)\s+(?!du\b|die\s+tests?\b|der\s+build\b)(?:[\w-]+\s+){1,4}?(?:gelesen|geprüft|freigegeben|angeschaut|angesehen|genehmigt|abgesegnet|drübergeschaut)\s+(?:hat|haben)\b"
    r"|\b(?:bis|bevor|ehe)\s+(?!du\b)(?:[\w-]+\s+){1,5}?(?:grünes\s+licht|ok(?:ay)?|freigabe|zustimmung)\s+(?:gibt|geben|gegeben\s+hat|erteilt)\b"
    r"|\b(?:tant\s+que|avant\s+que|jusqu['’]à\s+ce\s+que)\s+(?!tu\b)(?:[\w'’-]+\s+){1,5}?(?:donné|donne)\s+(?:\w+\s+){0,2}?(?:accord|feu\s+vert|aval|ok)\b"
    r"|\b(?:hasta\s+que|até\s+que|finché|antes\s+de\s+que)\s+(?:\w+\s+){1,4}?(?:dé|dê|dia|dà)\s+(?:\w+\s+){0,2}?(?:visto\s+bueno|luz\s+verde|via\s+libera|aval|ok)\b"
    r"|\b(?:avant\s+que|tant\s+que|jusqu['’]à\s+ce\s+que)\s+(?!tu\b|les\s+tests?\b)(?:[\w'’-]+\s+){1,4}?(?:ait|aient|a|ont)\s+(?:pas\s+)?(?:lu|relu|validé|approuvé|regardé|vérifié)"
    r"|\b(?:hasta\s+que|antes\s+de\s+que|até\s+que|antes\s+que)\s+(?!los\s+tests?\b)(?:\w+\s+){1,4}?(?:lo\s+|la\s+|o\s+|a\s+)?(?:lea|haya\s+leído|revise|haya\s+revisado|apruebe|vea|leia|tenha\s+(?:lido|visto)|aprove|reveja)"
    r"|\b(?:totdat|voordat)\s+(?!de\s+tests?\b)(?:\w+\s+){1,4}?(?:gelezen|bekeken|goedgekeurd|gezien)\s+(?:heeft|hebben)\b",
)
"""What somebody else is to give: their look, their approval."""
_YET = lazy(
    r"\b(?:yet|for\s+now|for\s+the\s+moment|noch\s+(?:nicht|kein\w*|nichts)|vorerst|erst\s?mal|pour\s+l['’]instant|pas\s+encore|todavía|aún|de\s+momento|por\s+ahora|ainda|por\s+enquanto|per\s+ora|ancora|voorlopig|nog\s+(?:niet|geen|niets)|na\s+razie|jeszcze|şimdilik|henüz)\b"
    r"|(?<!\w)(?:поки\s+що|пока\s+(?:что\s+)?(?:не|ничего)|ещё\s+не)(?!\w)|(?:先不|暂时|先别|还不要)|まだ|아직",
)
_APPROVES = lazy(
    r"\b(?:(?:has|have|had|they['’]ve|it['’]s|is|was|been)?\s*(?:now\s+|just\s+|already\s+)?(?:signed\s+(?:\w+\s+){0,2}?off|cleared|okayed|ok['’]?ed|green-?lit|confirmed)|(?:gave|given|has|have|got|received|there\s+is)\s+(?:\w+\s+){0,3}?(?:sign-?off|approval|go-?ahead|green\s+light|thumbs[\s-]up|blessing|consent|permission)|(?:sign-?off|approval|go-?ahead|green\s+light)\s+(?:is\s+(?:in|there|here|given)|came|arrived|received|given|from)|(?:is|are)\s+(?:all\s+)?(?:done|happy|fine\s+with|ok(?:ay)?\s+with|through)|no\s+objections|all\s+good|(?:says|said)\s+(?:yes|ok(?:ay)?|go|it['’]s\s+(?:fine|ok(?:ay)?|good)))\b|\b(?:approved?|lgtm|looks?\s+(?:good|fine|ok|great|right)|go\s+ahead|ship\s+it|good\s+to\s+go|green\s+light|you\s+(?:can|may)\s+(?:now\s+)?(?:go|proceed|continue)|(?:i|we)(?:['’]ve|\s+have)?\s+(?:looked|checked|reviewed|read|seen)|reviewed)\b|\b(?:freigegeben|genehmigt|abgesegnet|abgenommen|unterschrieben|zugestimmt|grünes\s+licht|(?:hat|haben|ist)\s+(?:\w+\s+){0,2}?(?:ok(?:ay)?|durch|fertig)|passt|einverstanden|ich\s+habe\s+.{0,40}?(?:angesehen|angeschaut|geprüft|gelesen|drübergeschaut))\b"
    r"|\b(?:approuvé|validé|j['’]ai\s+(?:relu|regardé|vérifié)|d['’]accord|feu\s+vert)(?!\w)|\b(?:aprobado|apruebo|visto\s+bueno|(?:lo\s+)?he\s+(?:mirado|revisado|visto)|de\s+acuerdo)\b|\b(?:aprovado|aprovo|já\s+(?:vi|revi|olhei)|de\s+acordo)\b|\b(?:approvato|approvo|ho\s+(?:guardato|controllato|visto)|via\s+libera)\b"
    r"|\b(?:goedgekeurd|akkoord|ik\s+heb\s+.{0,30}?gekeken|bekeken)\b|\b(?:zatwierdzam|zatwierdzon\w|obejrzał\w+|sprawdził\w+|przejrzał\w+|zgoda)\b|(?<!\w)(?:схвалю\w*|схвалено|переглян\w+|перевірив\w*|подививс\w+|одобря\w+|одобрено|посмотрел\w*|проверил\w*|согласен|согласна|разрешаю|дозволяю)(?!\w)|\b(?:onaylıyorum|onaylandı|baktım|inceledim|kontrol\s+ettim)\b"
    r"|我(?:已经?)?(?:看过|看完|检查过|审核过)|同意|批准|可以了|承認(?:します|しました|済)|確認(?:しました|済|できました)|승인(?:합니다|했|함)|확인(?:했|됐|했습니다)|동의합니다",
)
"""Words by which the person approves."""
_OBJECTS = lazy(
    r"\b(?:wrong|not|\w+n['’]t|until|till|unless|before|once|when|if|will|bis|bevor|wenn|sobald|kein\w*|nicht|don['’]?t|but|first|instead|wait|still|aber|erst|falsch|mais|pero|mas|ma|maar|ale|nog|jeszcze)\b|(?<!\w)(?:но|але|не|сначала|ещё)(?!\w)|但|不|まだ|ない|ただし|아직|지만"
)
_WAITS = lazy(
    r"\b(?:hold\s+(?:off|back|the)|wait|only|delay|postpone|erst|nur|warte\w*|attend\w*|seulement|ne\b.{1,20}?\bqu|espera\w*|solo|sólo|só|apenas|aspetta\w*|wacht\w*|pas|alleen|poczekaj|tylko|bekle\w*|ancak)\b|(?<!\w)(?:зачекай|почекай|лише|тільки|подожди|только)(?!\w)|等|再|から|後[にで]|다음|후에|뒤에",
)


_HOLDS = lazy(
    r"\b(?:hold\s+(?:off|back)|wait\s+with|warte\w*\s+mit|attends\s+avant|espera\s+(?:con|antes)|aspetta\s+(?:con|a)|wacht\s+(?:nog\s+)?met|poczekaj\s+z)\b|(?<!\w)(?:подожди\s+с|зачекай\s+з)(?!\w)"
)
"""Words by which something is to wait, whatever for."""
_MYSELF = lazy(
    r"\b(?:i['’]ll|i\s+will|i['’]m\s+going\s+to|i\s+want\s+to)\b[^.;,]{1,60}?\bmyself\b|\bleave\s+(?:the\s+)?[\w-]+(?:\s+[\w-]+){0,2}\s+to\s+me\b|\b\w+e\s+ich\s+(?:dann\s+|lieber\s+)?selb(?:st|er)\b|\bich\s+(?!habe\b|hatte\b|wurde\b|wollte\b)\w+e\b[^.;,]{0,40}?\bselb(?:st|er)\b|\büberlass\w*\b[^.;,]{1,40}?\bmir\b"
    r"|\bje\s+(?:m['’]occupe\s+d|\w+(?:e|rai|fais)\b[^.;,]{0,40}?\bmoi-même)|\b(?:(?:hago|haré|subo|subiré|despliego|desplegaré|reinicio)\s+yo|(?:faço|farei|envio|enviarei|subo|implanto)\s+eu|(?:faccio|farò|pusho)\s+io)\b|\bdeixa\s+[oa]\s+\w+\s+comigo\b|\blascia\s+(?:il|la)\s+\w+\s+a\s+me\b|\bdoe\s+ik\s+(?:wel\s+)?zelf\b|\bik\s+(?!heb\b|had\b|was\b)\w+\b[^.;,]{0,30}?\bzelf\b|\b(?:sam|sama)\s+\w+ę\b|\b\w+ę\s+(?:to\s+)?(?:sam|sama)\b"
    r"|(?<!\w)(?:сам|сама)\s+\w+[ую](?!\w)|\w+[ую]\s+(?:сам|сама)(?!\w)|\bkendim\s+\w+(?:acağım|eceğim|arım|erim)\b|\bbana\s+bırak|我(?:会)?自己(?![^，。]{0,12}了)|交给我|由我|(?:自分で|私が|こちらで)[^。、]{0,10}ます|(?:제가|내가)\s?(?:직접|알아서)(?![^,.]{0,15}[했었았])",
)
"""Words by which the person keeps a deed for themselves."""


_NEVER = lazy(
    r"\b(?:never|nie(?:mals)?|jamais|nunca|mai|nooit|nigdy|asla|hiç)\b|(?<!\w)(?:никогда|ніколи)(?!\w)|从不|絶対に|절대"
)


def kept_back(sentence: str) -> int | None:
    """Where the person says that they will do it themselves, or that it is to wait; ``None`` for nowhere."""
    lowered = sentence.lower()
    found = _MYSELF.search(lowered)
    if found is not None and _NEVER.search(lowered) is not None:
        # "I never push myself, you do it".
        return None
    if found is None and _UNTIL.search(lowered) is None:
        found = _HOLDS.search(lowered)
    return None if found is None else found.start()


def awaits(sentence: str) -> bool:
    """Whether a ban ends with the person's own word."""
    lowered = sentence.lower()
    return (
        _YET.search(lowered) is not None
        or _my_word(lowered) is not None
        or _MYSELF.search(lowered) is not None
        or _HOLDS.search(lowered) is not None
        or _THEIR_WORD.search(lowered) is not None
    )


_NEAR = 30
"""Characters before the person's word in which the time stands that it sets; few behind it."""


def _my_word(lowered: str) -> tuple[int, int] | None:
    """Where the person's own word stands as a condition."""
    for found in _MY_WORD.finditer(lowered):
        if _UNTIL.search(lowered, max(0, found.start() - _NEAR), found.end() + _NEAR // 2) is not None:
            return found.span()
    return None


def approves(sentence: str) -> bool:
    """Whether the person approves of what they have looked at."""
    lowered = sentence.lower()
    return (
        not is_question(lowered)
        and _APPROVES.search(lowered) is not None
        and _OBJECTS.search(lowered) is None
    )


_MAY_NOW = lazy(
    r"\W*(?:(?:ok(?:ay)?|so|gut|bon|vale|alright|fine)[,.:\s]+)?(?:you (?:may|can)(?: now| go ahead| do (?:it|that|so))|now you (?:may|can)|du (?:darfst|kannst) (?:jetzt|nun)|(?:jetzt|nun) (?:darfst|kannst) du|freigabe (?:erteilt|ist da)|freigegeben\b"
    r"|tu peux (?:y aller|maintenant)|maintenant tu peux|ya puedes|ahora (?:ya )?puedes|agora (?:já )?(?:pode|podes)\b|já pode|(?:ora|adesso) puoi|je mag (?:nu|het nu)|nu mag je|(?:teraz|już) możesz|(?:şimdi|artık) (?:\S+ ){0,4}?\w+(?:ebilir|abilir)sin"
    r"|теперь (?:можешь|можно)|(?:тепер|зараз) (?:можеш|можна)|现在可以|可以(?:了|重启|推送)|もう(?:いい|大丈夫|して(?:いい|よい))|이제 (?:\S+ ){0,3}?(?:해도|하셔도|됩니다|돼))",
    re.IGNORECASE,
)
"""How a person begins who gives leave for what was forbidden until then."""


def gives_leave(sentence: str) -> bool:
    """Whether the person begins a sentence with leave for what was forbidden until then."""
    return _MAY_NOW.match(sentence) is not None


_HOLD = lazy(
    r"\b(?:wait|hold\s+off|hold\s+back|hold)\s+(?:with|on)\s+(?:the\s+|any\s+)?(?=\w+(?:ing|es|e|s)?\b)|\bwarte\w*\s+(?:\w+\s+){0,3}?mit\s+(?:de[mnr]\s+)?|\bwacht\s+(?:\w+\s+){0,2}?met\s+(?:het\s+|de\s+)?|\battends?\s+(?:\w+\s+){0,2}?(?:pour|avant\s+de)\s+|\bespera\s+(?:\w+\s+){0,2}?(?:con|para)\s+(?:el\s+)?"
)
"""An order to wait with what follows it."""


def held_back(sentence: str) -> str | None:
    """What is to wait for the person's word, as the sentence without the words for that; ``None`` for no such order."""
    lowered = sentence.lower()
    if _WAITS.search(lowered) is None or len(lowered) != len(sentence):
        return None
    word = _my_word(lowered)
    theirs = _THEIR_WORD.search(lowered) if word is None else None
    if theirs is not None:
        word = theirs.span()
    hold = _HOLD.search(lowered) if word is None else None
    if hold is not None:
        return re.split(r"[,;(]|\s[-–—]\s", sentence[hold.end() :])[0]
    return None if word is None else f"{sentence[: word[0]]} {sentence[word[1] :]}"
