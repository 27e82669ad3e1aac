"""Orders to ask before a deed: ``ask me before you merge``, ``antes de fazer merge pergunta-me``, ``合并之前先问我``.

:func:`before` gives the words for the deed, :func:`every_time` says whether such an order outlasts one request.
"""

from __future__ import annotations

import re

from sessionlens.cache import lazy
from sessionlens.language.split import is_question

_ASK = lazy(
    r"\b(?:ask|check(?:\s+(?:in|back))?\s+with|consult|confirm(?:\s+it)?\s+with|clear\s+it\s+with|ping|tell|warn)\s+(?:me|us)\b|\brun\s+(?:it|this|that|them)\s+(?:by|past)\s+(?:me|us)\b|\bask\b(?=\s+(?:first|before|for|beforehand)\b|\W*$)|\b(?:get|obtain|have|need|wait\s+for)\s+(?:my|our)\s+(?:explicit\s+)?(?:ok(?:ay)?|approval|permission|consent|go-?ahead|confirmation|sign-?off)\b|\bi(?:['’]d|\s+would)?\s+(?:want|need|like)\s+to\s+be\s+asked\b"
    r"|\bfrag(?:e|t|st)?\s+(?:(?:du|mich|bitte|uns|immer|stets|erst|vorher|zuerst)[\s,]+){0,4}(?:mich|uns|erst|vorher|zuerst|nach|an)?(?!\w)|\b(?:nach|an)?fragen\b(?=\W*$)|\bmich\s+(?:\w+\s+){0,2}(?:fragen|frag\w*)\b"
    r"|\bdemande[sz]?(?:-(?:moi|nous))|\b(?:me|nous)\s+demander\b|\bdemander\b(?=\W*$)|\bpreg[uú]nta(?:me|nos)?\b|\bpreguntar(?:me)?\b(?=\W*$)|\bconsúltame\b|\bpergunt(?:a|e|ar|em|es|ares)(?:-(?:me|nos))?\b|\bchiedi(?:mi|melo)?\b|\bchiedere\b(?=\W*$)"
    r"|\bvraag\s+(?:(?:het|me|mij|ons|eerst|altijd|dan)\s*){0,4}|\b(?:za|s)?pytaj\b(?:\s+(?:mnie|nas))?|(?<!\w)(?:спроси|спрашивай|спросить|уточни|уточняй|спитай|запитай|питай)(?:те)?(?!\w)|\b(?:bana|bize)\s+(?:sor|danış)\w{0,6}"
    r"|(?:先|必须|都要|要|需|得)*(?:问|征求|请示|跟)(?:一下)?我(?:确认|的?意见|的?同意)?|(?:聞いて|確認して|相談して|許可を取って|尋ねて)|(?:물어\s?(?:봐|보|볼)|확인\s?받|허락\s?받)"
)
"""Orders to ask, in lower case."""
_BEFORE = lazy(
    r"\b(?:before|prior\s+to|ahead\s+of|bevor|ehe|vor|avant|antes|prima|voordat|voor|alvorens|zanim|przed)(?!\w)\s*(?:(?:de|di|que|che)\s+|d['’]\s?){0,2}(?P<deed>[^,;:.!?()]{2,80})|(?<!\w)(?:перед(?:\s+тем\s+как)?|прежде(?:\s+чем)?|до|перш\s+ніж)\s+(?P<deed2>[^,;:.!?()]{2,80})"
    r"|(?:^|[,;:.!?()\s，。；])(?P<deed3>[^,;:.!?()，。；]{2,60}?)(?:\bönce(?:\s|$)|(?:之前|以前|前(?:に|は|必)|전에))"
)
"""Words for what comes after the asking."""
_MAY_ASK = (
    "ask", "check", "consult", "confirm", "clear it", "ping", "run it", "run this", "run that", "tell me", "warn me", "approv", "permission", "go-ahead", "goahead", "sign-off",
    "my ok", "frag", "demand", "pregunt", "pregúnt", "consúlt", "pergunt", "chied", "vraag", "pytaj", "спро", "спит", "питай", "уточн", "sor", "danış", "问", "征求", "请示", "聞", "確認", "相談", "許可", "尋", "물어", "받",
)  # fmt: skip
"""Pieces of which every order to ask holds one."""
_SOMEBODY = lazy(
    r"\b(?:it|he|she|they|(?:the|a|this|that|our|your|each|every|der|die|das|le|la|les|el|los|il|o|os|het|de)\s+[\w-]+(?:\s+[\w-]+){0,2}?)\s+(?:(?:should|must|shall|will|would|can|could|may|does|do|did|has\s+to|have\s+to|needs?\s+to|soll\w*|muss|müssen|kann|doit|doivent|debe\w*|deve\w*|moet\w*)\s+)(?:\w+\s+){0,2}$"
    r"|\b(?:do(?:es)?\s+not|don['’]?t|no\s+need\s+to|never|not|nicht|ne|no|não|non|niet|nie)\s+(?:\w+\s+){0,2}$|(?<!\w)(?:не)\s+(?:\w+\s+){0,2}$|\b(?:you|du|did\s+you|i|ich)\s+(?:did|didn['’]?t|asked|will|had|hast|habe)\s+(?:\w+\s+){0,2}$"
)
"""What stands before such words where they are about a program or somebody else, or are denied."""
_NOT_TO_ASK = lazy(r"\s*(?:mich\s+)?(?:nicht|pas|niet)\b|\s*(?:jo|[A-Z][a-z]+)\s+(?:whether|if|for)\b")
_EVERY_TIME = lazy(
    r"\b(?:always|every|each|any|immer|jede[smnr]?|jedesmal|stets|toujours|chaque|siempre|cada|sempre|ogni|altijd|elke?|zawsze|każd\w+|her\s+zaman|her)\b|(?<!\w)(?:всегда|каждый|каждым|завжди|кожн\w+)(?!\w)|每次|总是|都要|必ず|毎回|항상|매번",
    re.IGNORECASE,
)
_NEAR = 90
"""Characters between the order to ask and the deed."""


def before(sentence: str) -> str:
    """The words for the deed before which the person is to be asked; empty where a sentence orders no such thing."""
    lowered = sentence.lower()
    if len(lowered) != len(sentence) or is_question(lowered):
        return ""
    if not any(piece in lowered for piece in _MAY_ASK):
        return ""
    for ask in _ASK.finditer(lowered):
        if _SOMEBODY.search(lowered[max(0, ask.start() - 60) : ask.start()]) is not None:
            continue
        if _NOT_TO_ASK.match(lowered, ask.end()) is not None:
            continue
        for found in _BEFORE.finditer(lowered):
            apart = max(found.start() - ask.end(), ask.start() - found.end())
            if apart > _NEAR:
                continue
            start, end = next(found.span(group) for group in (1, 2, 3) if found[group])
            if start < ask.start() < end:
                # The order to ask may stand within what follows "before": "antes de fazer merge pergunta-me".
                end = ask.start()
            if sentence[start:end].strip():
                return sentence[start:end]
    return ""


_DEEDS = {
    "merge": lazy(r"merg|머지|fusion|zusammenführ"),
    "deploy": lazy(r"\bpubli[kcqz]|\bpublish|veröffentlich|\bgo(?:es|ing)?\s+live|公開|发布|공개"),
    "send": lazy(
        r"\b(?:post(?:s|ing|est|ez|er|ar|es|e)?|send(?:s|ing|en|est)?|schick\w*|sendest|abschick\w*|envoy\w*|envi\w*|mand\w*|invi\w*|stuur\w*|wysł\w*|wysy\w*|mail(?:s|ing)?|tweet\w*|announc\w*|repl(?:y|ies|ying)|answer(?:s|ing)?|comment(?:s|ing|ar|er)?|kommentier\w*)\b|(?<!\w)(?:отправ|посыл|посла|пиш|публик|надс[иы])|发送|回复|送信|投稿|보내"
    ),
}
"""Deeds by their words in lower case, beside those of bans; ``send`` is a message to people."""


def deeds(words: str) -> frozenset[str]:
    """The deeds that the words behind "before" name, as :data:`_DEEDS` has them."""
    lowered = words.lower()
    return frozenset(deed for deed, pattern in _DEEDS.items() if pattern.search(lowered))


def every_time(sentence: str) -> bool:
    """Whether an order to ask outlasts the request that it was given with."""
    return _EVERY_TIME.search(sentence) is not None
