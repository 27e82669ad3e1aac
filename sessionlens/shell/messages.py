"""Messages to people: the words in what a command posts, and whether an answer says that nobody got them.

A chat, a mail server or a tracker answers in its own words. Those decide; what it repeats of the message may itself
speak of errors and does not.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote_plus

from sessionlens.cache import lazy

LONGEST = 8_192
"""Characters of a message, and of an answer, that are read."""
_NODES = 400
"""Nodes of a JSON document that are looked at."""

# -- what is said ------------------------------------------------------------------------------------------

_SAYING = frozenset(
    {"text", "content", "body", "message", "msg", "title", "subject", "summary", "description", "value", "fallback", "pretext",
     "comment", "markdown", "html", "plain", "note", "alert"}
)  # fmt: skip
"""Keys under which the documents of chats, mails and trackers hold words."""
_FIELD = lazy(
    r"\"(?P<key>\w{2,20})\"\s{0,5}:\s{0,5}\"(?P<text>(?:[^\"\\]|\\.){1,8000})\"",
    re.DOTALL,
)
_PAIR = lazy(r"(?P<key>\w{2,20})(?::?=|=@?)(?P<text>.*)", re.DOTALL)


def words_of(body: str) -> str:
    """The words for people in what is posted: of a JSON document or of pairs those of the telling keys, else the whole."""
    body = body.strip()[:LONGEST]
    pair = _PAIR.match(body)
    if pair is not None and not body.startswith(("{", "[")):
        if pair["key"].casefold() == "payload":
            return words_of(_unquoted(pair["text"]))
        if pair["key"].casefold() in _SAYING:
            return _unquoted(pair["text"]).strip()
        found = [words_of(one) for one in body.split("&")[1:20]] if "&" in body else []
        return "\n".join(filter(None, found))
    if not body.startswith(("{", "[")):
        return body
    try:
        document = json.loads(body, strict=False)
    except (ValueError, RecursionError):
        found = [one["text"] for one in _FIELD.finditer(body) if one["key"].casefold() in _SAYING]
        return "\n".join(text.replace("\\n", "\n").replace('\\"', '"') for text in found)
    return words_in(document)


def words_in(document: Any) -> str:
    """The words for people in a document: what stands under the telling keys, in order."""
    return "\n".join(text for key, text in _texts(document) if key in _SAYING)[:LONGEST]


def _unquoted(text: str) -> str:
    return unquote_plus(text) if "%" in text and " " not in text else text


def _texts(document: Any) -> Iterator[tuple[str, str]]:
    """The texts of a document in order, each with the key that it stands under, in lower case."""
    for key, value in _nodes(document):
        if isinstance(value, str):
            yield key, value


def _nodes(document: Any) -> Iterator[tuple[str, Any]]:
    waiting: list[tuple[str, Any]] = [("", document)]
    for _ in range(_NODES):
        if not waiting:
            return
        key, value = waiting.pop()
        yield key, value
        if isinstance(value, Mapping):
            waiting.extend((str(name).casefold(), one) for name, one in reversed(list(value.items())[:50]))
        elif isinstance(value, list):
            waiting.extend((key, one) for one in reversed(value[:50]))


# -- what is answered -----------------------------------------------------------------------------------------

_TAKEN = frozenset({"ok", "success", "successful", "sent", "delivered", "posted", "accepted"})
"""Keys under which an answer says whether a message was taken."""
_ERRORS = lazy(r"error.{0,20}|.{0,20}[a-z_-]errors?|failure|fault|errmsg")
"""Keys under which an answer names what went wrong."""
_STATES = frozenset({"status", "state", "result", "delivery", "delivery_status", "outcome"})
_CODES = frozenset({"status", "statuscode", "status_code", "code", "http_status", "httpstatus", "http_code", "errcode"})  # fmt: skip
_REASONS = ("message", "msg", "errmsg", "detail", "details", "description", "reason", "title")
_NO = frozenset({"false", "no", "0", "none", "null", "", "ok", "success"})
_BAD_STATE = lazy(
    r"(?:fail|error|reject|refus|denied|bounc|undeliver|not[_ -]|unsent|dropp|block|invalid|unauthori|forbidden|expired|fehl|abgelehnt|échec|rejet|rechaz|falh|rifiut)",
    re.IGNORECASE,
)
_TOKEN = lazy(
    r"\b(?:\w{1,40}_)?(?:not_(?!ified\b)[a-z_]{2,40}|(?:in(?:valid|active)|no|missing|cannot|unknown|restricted|too_many|failed|unsupported)_[a-z_]{2,40}"
    r"|[a-z_]{2,40}_(?:not_found|denied|error|failed|revoked|expired|inactive|disabled|unavailable|prohibited|exceeded|too_long|is_archived|invalid|required|limited))\b"
    r"|\b(?:is_archived|rate_?limited|unauthorized|forbidden)\b"
)
"""The words of one piece by which the programs of chats refuse: ``channel_not_found``, ``invalid_token``, ``no_service``."""
_SENT = r"(?:sent|delivered|posted|published|accepted|mailed|emailed|notified|reached|created|added|dispatched|submitted)"
_SEND = r"(?:send|deliver|post|publish|mail|email|notify|reach|create|add|dispatch|submit|connect|authenticate|upload)"
_REFUSAL = lazy(
    r"^\W{0,5}(?:error\W{1,3})?(?:HTTP[/\d. ]{0,6})?[45]\d\d(?:\W{0,3}$|: ?\D|[ -](?:[45]\.\d|bad|unauth|payment|forbidden|not |method|conflict|gone|payload|unprocess|too many|request|internal|service|gateway|page|mailbox|user (?:unknown|not)|relay|recipient|address|sender|transaction|temporar|access|auth|command|no |message|permanent|invalid|error))"
    r"|\bHTTP(?:/[\d.]{1,3})?[ :=]{1,3}(?:status |code |error ){0,2}[45]\d\d\b|\b(?:status(?:[ _]?code)?|error(?: code)?|responded|response|returned)[ :=(#]{1,3}(?:with )?(?:HTTP )?[45]\d\d\b"
    r"|^(?:<[^>\n]{1,80}>:? |[<>]{1,3} |\*\* )?[45]\d\d[ -][45]\.\d{1,3}\.\d{1,3}\b|\b[45]\.[1-7]\.\d{1,2}\b(?= [<A-Za-z])|^(?:curl|wget|mail|mailx|sendmail|s-nail|send-mail|postdrop|ssh|gh): [^\n]{0,120}\b(?:\(\d{1,2}\)|fatal|cannot|can't|not |failed|denied|refused|error)"
    r"|\b(?:HTTP|Bad) ?(?:Request|Gateway)\b|\b(?:unauthori[sz]ed|forbidden|access denied|permission denied|(?:session|token|credentials?|login|licen[cs]e)[^.\n]{0,20} (?:expired|invalid|revoked)|log in again|re-?authenticate|not (?:authori[sz]ed|permitted|allowed|authenticated|logged in)|connection refused|could not resolve|couldn't resolve|no route to host)\b"
    rf"|\b(?:not|never|nothing|no (?:message|mail|e-?mail|notification)s?(?: was| were)?|n['’]t)(?: been| be| yet| actually| successfully){{0,2}} {_SENT}\b"
    rf"|\b(?:cannot|can't|could not|couldn['’]t|unable to|failed to|failure to|refus\w{{1,3}} to|did not|didn['’]t|was not able to) (?:be {_SENT}|{_SEND})\b"
    r"|\b(?:delivery|sending|send|posting|post|publishing|message|mail|notification|request|webhook|authentication|transport|submission)(?: [^\s:]{1,40}){0,2} (?:has |was |is )?(?:failed|failure|refused|denied|dropped|blocked|expired)\b"
    r"|\bundeliver(?:able|ed)\b|\b(?<!not )(?:rejected|bounced|blackholed)\b|\b(?:delivered|sent|posted) to (?:0|no|none|zero) |\b0 (?:delivered|sent|messages? sent|recipients?\b)|\b(?:sent|delivered|posted|success|ok)[ :=]{1,3}(?:false|no)\b"
    r"|\b(?:no such|unknown|invalid|nonexistent|non-existent) (?:channel|recipient|user|chat|room|topic|address|mailbox|webhook|token|thread|api key|credentials|domain|host)\b|\b(?:channel|recipient|user|chat|room|webhook|conversation|thread|issue|ticket|mailbox)(?: [\w#@.-]{1,60})? (?:was |is |does )?(?:not (?:found|exist)|archived|unknown|unavailable)"
    r"|^\W{0,5}(?:fatal|error|exception|traceback|failed|failure|fehler|erreur|errore|erro|fout|błąd|ошибка|помилка|错误|エラー|오류|hata)\b\W{0,3}(?=[:：(\[]|$|\n)"
    r"|\bnicht (?:\w{1,12} ){0,2}(?:gesendet|zugestellt|verschickt|versendet|abgeschickt|übermittelt|gepostet|gefunden|angenommen)|\bunzustellbar|(?:zustellung|versand|senden|übermittlung|nachricht)\w{0,3} (?:ist |wurde )?(?:fehlgeschlagen|abgelehnt|verweigert|gescheitert)"
    r"|\babgelehnt\b|\bzugriff verweigert|\bkeine berechtigung"
    r"|\b(?:non|pas) (?:été |pu être |pu )?(?:envoy|remis|distribu|livr|publi|transmis)\w{0,4}|\b(?:échec|impossible) (?:de|d['’])|\b(?:envoi|remise|livraison) (?:a )?échou|\brejetée?s?\b|\bnon remis"
    r"|\bno (?:se |ha |pudo |ha sido |fue |se pudo |se ha podido ){0,3}(?:envi|entreg|public)\w{1,6}|\brechazad[oa]|\b(?:fallo|error) (?:al|de) (?:envi|entreg)\w{1,4}"
    r"|\bnão (?:foi |pôde ser |pode ser )?(?:envi|entreg|public)\w{1,6}|\brejeitad[oa]|\bfalha (?:ao|no|de|na) \w{3,10}|\bnon (?:è stat[oa] |inviat|consegnat|recapitat|pubblicat)\w{0,10}|\brifiutat[oa]|\b(?:invio|consegna) (?:non riuscit|fallit)[oa]"
    r"|\bniet (?:\w{1,10} )?(?:verzonden|verstuurd|afgeleverd|bezorgd|geplaatst)|\bgeweigerd\b|\bnie (?:został\w? |można )?(?:wysłan|dostarcz|opublik)\w{0,6}|\bodrzucon\w{1,2}|\bgönderile?me\w{0,4}|\biletile?me\w{0,4}|\breddedildi|\b(?:inte|ikke) (?:skickat|sendt|levererat|leveret|levert)"
    r"|(?<!\w)не (?:был\w? |удалось )?(?:отправл|доставл|отправить|доставить|опубликов|надісла|доставле|вдалося)\w{0,8}|(?<!\w)(?:отклон[её]н|відхилен)\w{0,3}|(?:发送|發送|投递|推送)失败|未(?:能)?发送|无法(?:发送|投递)|被拒绝|送信(?:に失敗|できません|されません|エラー)|配信(?:に失敗|できません)|拒否され|전송 ?실패|보내지 못|전송하지 못|거부",
    re.IGNORECASE | re.MULTILINE,
)
"""Words by which a mail server, a chat or a tool says that it did not take or pass on a message."""
_NONE_OF_IT = lazy(
    r"(?:\b(?:0|no|none|not|never|without|zero|nobody|nothing|keine?|ohne|nicht|aucune?|sans|sin|sem|senza|geen|zonder)|(?<!\w)(?:нет|без))\s{1,3}(?:\w{1,12}\s{1,3})?$",
    re.IGNORECASE,
)
"""What turns a refusal into its contrary where it stands right before it: ``0 rejected``, ``none were undeliverable``."""
_DONE = lazy(
    rf"^\W{{0,5}}(?:(?:the |your )?(?:message|notification|mail|e-?mail|comment|post|reply|issue|ticket)s? (?:was |has been |successfully )*)?(?:successfully )?(?:{_SENT}|ok|success\w{{0,5}}|done|gesendet|zugestellt|envoyé\w?|enviad[oa]|inviat[oa]|verzonden|wysłano|отправлено|已发送|送信しました)\b",
    re.IGNORECASE,
)
"""How an answer begins that says at once that the message was taken: what follows may repeat it."""
_PARTS = 200
"""Matches of an answer that are weighed."""


def refusal(answer: str, said: str) -> str:
    """The words by which an answer says that a message was not taken; empty where it says nothing of the kind.

    :param said: the message. What the answer repeats of it is no answer.
    """
    answer = answer[:LONGEST].strip()
    if not answer:
        return ""
    read = document(answer)
    if read is not None:
        told = _by_document(read, said)
        if told is not None:
            return told
    return _by_words(answer, said)


_NO_ANSWER = lazy(
    r"\btim(?:ed?|ing)[ -]?out\b|\btime-?out\b|\b(?:504|524)\b[^\n]{0,20}\b(?:gateway|time)|\bdeadline exceeded\b|\bno (?:response|reply|answer) (?:from|within|in time|was)\b|\bempty reply from server\b|\bconnection (?:was )?reset\b|\(28\)|\(52\)|\(56\)"
    r"|\bzeitüberschreitung|\bzeitlimit|\bdélai (?:d['’]attente )?(?:dépassé|expiré)|\btiempo de espera (?:agotado|excedido)|\btempo (?:limite )?esgotado|(?<!\w)(?:тайм-?аут|время ожидания)|超时|逾時|タイムアウト|시간 ?초과",
    re.IGNORECASE,
)
"""Words by which it is said that no answer came in time, so that a message may have arrived or not."""


def no_answer(answer: str, said: str) -> bool:
    """Whether an answer says that none came in time: whether the message arrived is then not known."""
    answer = answer[:LONGEST].strip()
    if not answer or '"ok":true' in answer.replace(" ", "")[:200]:
        return False
    said = said.strip()
    own = answer.replace(said, " … ") if said else answer
    read = document(own)
    if isinstance(read, Mapping) and _by_mark(read) == "":
        return False
    found = _NO_ANSWER.search(own)
    return found is not None and (own != answer or found.group().casefold() not in said.casefold())


def refusal_by_mark(answer: str) -> str:
    """The mark of an answer that says of itself that a message was not taken; empty where there is none."""
    read = document(answer[:LONGEST].strip())
    return (_by_mark(read) or "") if isinstance(read, Mapping) else ""


def refused_request(answer: str) -> str:
    """The words by which the answer to a request that was to change something says that it was refused; empty where it
    says nothing of the kind. What brings data beside an error was done in part.
    """
    answer = answer[:LONGEST].strip()
    heads = [*itertools.islice(_HEAD.finditer(answer), 20)]
    if heads:
        return heads[-1].group().strip("< ") if heads[-1]["code"][0] in "45" else ""
    read = document(answer)
    if not isinstance(read, Mapping) or read.get("data"):
        return ""
    return (_by_mark(read) or "") if len(read) > _WHOLE else refusal(answer, "")


_HEAD = lazy(r"^<? ?HTTP/[\d.]{1,3} (?P<code>\d{3})\b[^\n]{0,60}", re.MULTILINE)
"""The first line of an answer, as ``curl -i`` prints it; of a redirect, each of them."""
_WHOLE = 2
"""Keys of an answer that is no record: what its words say is all that it says."""


def document(answer: str) -> Any:
    """An answer as a document, the envelope of a tool server taken off; ``None`` where it is none."""
    for _ in range(3):
        if not answer.startswith(("{", "[")):
            return None
        try:
            found = json.loads(answer, strict=False)
        except (ValueError, RecursionError):
            return None
        held = found.get("content") if isinstance(found, Mapping) and len(found) <= 3 else found
        flagged = isinstance(found, Mapping) and _by_mark(found)
        inner = (
            held[0].get("text") if isinstance(held, list) and held and isinstance(held[0], Mapping) else None
        )
        if flagged or not isinstance(inner, str) or not (held and held[0].get("type") == "text"):
            return found
        answer = inner.strip()
        if not answer.startswith(("{", "[")):
            return answer
    return found


def _by_document(document: Any, said: str) -> str | None:
    """What a document says; ``None`` where its keys decide nothing."""
    if isinstance(document, str):
        return _by_words(document, said)
    top = document[0] if isinstance(document, list) and document else document
    if not isinstance(top, Mapping):
        return None
    told = _by_mark(top)
    if told is not None:
        return told
    for key in ("response", "result", "data", "detail"):
        inner = top.get(key)
        if isinstance(inner, Mapping) and (told := _by_mark(inner)) is not None:
            return told
        if isinstance(inner, str) and (quote := _by_words(inner, said)):
            return quote
    for key in _REASONS:
        inner = top.get(key)
        if isinstance(inner, str) and (quote := _by_words(inner, said)):
            return quote
    # What the other keys hold may be the message itself.
    return ""


def _by_mark(document: Mapping[str, Any]) -> str | None:
    """What the marks of an answer say of it: refused, in its words, or taken (empty); ``None`` where it has none."""
    taken, refused = False, ""
    for name, value in list(document.items())[:50]:
        key = str(name).casefold()
        quote = f"{name}: {json.dumps(value, ensure_ascii=False)}"[:200]
        if key in _TAKEN:
            if value is False or value in ("false", "no"):
                # What went wrong stands under another key, where it is told.
                refused = refused or quote
            taken = taken or value is True
        elif (
            (_ERRORS.fullmatch(key) is not None and _an_error(value))
            or (key in _CODES and _bad_code(key, value, document))
            or (key in _STATES and _bad_state(value))
        ):
            return quote
    return refused or ("" if taken else None)


_SHORT = 40
"""Characters below which a state is one word or two, and no text."""
_DIGITS = 3
_FIRST_ERROR, _LAST_ERROR = 400, 599


def _bad_code(key: str, value: Any, document: Mapping[str, Any]) -> bool:
    text = str(value)
    if key == "errcode" or (key in ("code", "retcode", "ret") and not document.keys().isdisjoint(_REASONS)):
        # 0 is good, and so are the numbers that HTTP has for good.
        return (
            text.lstrip("-").isdigit()
            and text not in ("0", "1")
            and not (len(text) == _DIGITS and text[0] == "2")
        )
    number = int(text[:3]) if re.fullmatch(r"\d{3}(?: [\w ]{1,30})?", text) else 0
    return _FIRST_ERROR <= number <= _LAST_ERROR


def _bad_state(value: Any) -> bool:
    return isinstance(value, str) and len(value) < _SHORT and _BAD_STATE.search(value) is not None


def _an_error(value: Any) -> bool:
    """Whether the value of a key for errors names one: ``null``, ``[]``, ``{}``, ``0`` and ``"none"`` do not."""
    if isinstance(value, str):
        return value.strip().casefold() not in _NO
    return bool(value)


def _by_words(answer: str, said: str) -> str:
    """What the words of an answer say, those that the message holds too left out."""
    said = said.strip()
    repeated = bool(said) and said in answer
    own = answer.replace(said, " … ") if repeated else answer
    done = _DONE.match(own)
    if done is not None and not _REFUSAL.match(own):
        # What stands after "Sent:" is the message.
        rest = own[done.end() :]
        own = own[: done.end()] + rest.split("\n", 1)[0].split(":", 1)[0]
    lowered = said.casefold()
    for number, found in enumerate(_matches(own)):
        if number > _PARTS:
            break
        words = found.group().strip()
        if not repeated and words.casefold() in lowered:
            continue
        if _NONE_OF_IT.search(own[max(0, found.start() - 30) : found.start()]) is None:
            return own[max(0, found.start() - 40) : found.end() + 80].strip()[:200]
    return ""


def _matches(own: str) -> Iterator[re.Match[str]]:
    yield from _TOKEN.finditer(own)
    yield from _REFUSAL.finditer(own)
