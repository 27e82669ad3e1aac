"""Orders by which only looking is allowed: ``look only on db02``, ``nur gucken``, ``solo mira``, ``見るだけ``.

:func:`only` finds such words in a sentence, :func:`told` tells them from what somebody else may or does, and
:func:`place` names the host for which alone they are said.
"""

from __future__ import annotations

import re

from sessionlens.cache import lazy

_ONLY = lazy(
    r"\blook(?:ing)?[- ]only\b(?!\s+(?:at|for|in|into|after|like)\b)|\b(?:observ(?:e|ation)|watch|inspect(?:ion)?|investigat(?:e|ion)|diagnos(?:e|is|tics?)|analy(?:se|ze|sis))[- ]only\b|\b(?:only|just)\s+(?:observe|watch|inspect|(?:have|take)\s+a\s+look)\b(?=\s*(?:$|[,.;:!]|(?:on|please|and|for\s+now|today|here|there)\b))"
    r"|\blook,?\s+(?:but\s+)?(?:don['’]?t|do\s+not|no)\s+touch|\beyes\s+only\b|(?:^|[,.;:!]\s{0,3})no\s+writes\b(?!\s+(?:to|are|were|happen|go|come|reach)\b)"
    r"|\bnur\s+(?:mal\s+)?(?:gucken|kucken|schauen|ansehen|anschauen|beobachten|lesen|lesend|reinschauen|draufschauen|reingucken|untersuchen|analysieren|diagnostizieren)\b|\b(?:schau|schaue|schaut|guck|gucke|guckt)\s+(?:(?:dir|es|das|bitte|mal)\s+){0,3}nur\b(?!\s+(?:auf|nach|in|im|bei|an)\b)"
    r"|\b(?:solo|sólo|solamente|únicamente)\s+(?:mira|mirar|mires|mire|observa|observar)\b|\b(?:mira|mire|observa)\s+(?:solamente|nada\s+más)\b"
    r"|\b(?:só|apenas|somente)\s+(?:olha|olhe|olhes|olhar|observa|observe|observar)\b|\b(?:regarde[rz]?|observe[rz]?)\s+(?:seulement|uniquement)\b(?!\s+(?:le|la|les|l['’]|si|dans)\b)|\b(?:juste|seulement|uniquement)\s+(?:regarde[rz]?|observe[rz]?)\b"
    r"|\b(?:solo|soltanto|solamente)\s+(?:guarda|guardare|osserva|osservare)\b|\b(?:guarda|guardare|osserva)\s+(?:soltanto|e\s+basta)\b|\b(?:alleen|enkel)\s+(?:maar\s+)?(?:kijken|bekijken)\b|\b(?:tylko|wyłącznie)\s+(?:patrz|popatrz|patrzeć|popatrzeć|zajrzyj|zerknij|obserwuj)\b"
    r"|(?<!\w)(?:только|лишь|просто)\s+(?:смотри|смотрите|смотреть|посмотри|посмотрите|посмотреть|глянь|глянуть|наблюдай|наблюдать)(?!\w)|(?<!\w)(?:тільки|лише)\s+(?:дивись|дивися|дивитись|дивитися|подивись|подивися|подивитись|глянь|спостерігай)(?!\w)"
    r"|\b(?:sadece|yalnızca)\s+(?:bak|bakın|incele|izle)(?!\w)|(?<![我他她它们户])(?:只|仅)(?:准|许|能|可以|需|要)?(?:看看?|查看|观察)(?:一下)?(?=\s*(?:$|[,，。;；!！]|不|别|就好|就行))|(?:見る|閲覧する|確認する)だけ(?=[にでだ、。!！]|$)|(?:보기|조회|확인)만\s?(?:해|하)"
)
"""Words by which only looking is allowed, in lower case."""
_LATER = lazy(
    r"(?:\b(?:and|then|und|dann|et|puis|y|luego|e|depois|poi|en|dan|i|potem|ve|sonra)|(?<!\w)(?:и|потом|та|потім))\s+(?:(?:then|dann|puis|luego|depois|poi|dan|potem|потом)\s+)?(?P<word>\w{2,30})"
)
"""The word that a further order may begin with."""
_TOLD = lazy(
    r"(?:\b(?:if|when|whether|wenn|falls|ob|si|quand|cuando|se|quando|als|jeśli|gdy)|(?<!\w)(?:если|когда|якщо|коли))\s+(?:[\w'’]+\s+){1,3}$"
    r"|\b(?:users?|guests?|admins?|customers?|clients?|people|they|he|she|it|who|which|that|benutzer|nutzer|sie|er|utilisateurs?|ils?|elles?|usuarios?|usuários?|utenti|gebruikers?|użytkownicy)\s+(?:[\w'’]+\s+){0,2}$|(?<!\w)(?:пользовател\w{1,3}|он|она|они|користувач\w{1,3})\s+(?:\w+\s+){0,2}$"
    r"|\b(?:i|ich|je|yo|eu|io|ik|ja)\s+(?:(?:have|had|did|hatte|habe|ai)\s+)?$"
)
"""What stands before such words where they tell of a case, of somebody else, or of the person."""
_PLACE = lazy(
    r"(?:\b(?:on|at|auf|bei|en|sur|no|na|em|su|sul|op|w)|(?<!\w)(?:на|в))\s+(?:the\s+|host\s+|server\s+)?(?P<name>[a-z][a-z0-9.-]{0,60}\d[a-z0-9.-]{0,30}|[a-z][a-z0-9]{0,40}(?:[.-][a-z0-9]{1,40}){1,4})(?![\w/])"
)
"""A name with a digit, a dot or a hyphen in it: that of a host."""
_NOT_ALONE = frozenset({"report", "read", "other", "use", "run"})
"""Deeds that a look may be followed by."""


def only(sentence: str) -> re.Match[str] | None:
    """The words of a sentence by which only looking is allowed; ``None`` where a further order follows them."""
    from sessionlens.graph.constraints import deeds_of

    lowered = sentence.lower()
    found = _ONLY.search(lowered)
    if found is None or len(lowered) != len(sentence):
        return None
    later = _LATER.search(lowered, found.end())
    return None if later is not None and deeds_of(later["word"]) - _NOT_ALONE else found


def told(sentence: str, at: int) -> bool:
    """Whether what stands at a place of a sentence is told of a case or of somebody, and is no order."""
    return _TOLD.search(sentence[max(0, at - 80) : at].lower()) is not None


def place(sentence: str) -> str:
    """The host for which a sentence says it; empty where it names none."""
    found = _PLACE.search(sentence.lower())
    return "" if found is None else found["name"].rstrip(".-")
