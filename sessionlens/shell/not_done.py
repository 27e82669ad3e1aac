"""Answers that say, without a word for an error, that what was asked for was not done.

``{"ok": false, "reason": "channel is read-only"}``, ``(dry run) would delete 3 files``, ``queued for approval``,
``0 rows affected``, ``{"status": "noop"}``: the call succeeded, and nothing happened. What says at the same time that
the wanted state was there already says nothing of the kind.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

from sessionlens.cache import lazy
from sessionlens.shell.command import How
from sessionlens.shell.messages import document
from sessionlens.shell.shapes import Gate, Gated


class NotDone(NamedTuple):
    """How an answer says that nothing was done."""

    how: How
    quote: str
    """The words that say so."""


DOES = frozenset(
    {"transition", "close", "resolve", "reopen", "create", "update", "delete", "remove", "publish", "release", "merge", "post", "send", "notify", "comment", "add", "assign",
     "move", "set", "deploy", "schedule", "upload", "approve", "trigger", "archive", "book", "invite", "cancel", "rotate", "restart", "pause", "resume", "enable", "disable",
     "grant", "revoke", "register", "label", "tag", "push", "patch", "put", "save", "change", "share", "complete", "mark", "toggle", "provision", "scale", "rollback", "reply",
     "insert", "upsert", "apply", "dispatch", "unassign", "link", "attach", "rename", "promote", "import", "sync", "edit", "modify", "start", "stop", "run"}
)  # fmt: skip
"""Words of a tool's name by which it does something."""
_OF_LINES = DOES | {"block", "unblock", "ban", "allow", "purge", "prune", "wipe", "flush", "drop", "migrate", "switch", "failover", "drain", "cordon", "install", "reload", "clean", "cleanup"}  # fmt: skip
"""The same of commands, where a word of a line is the name of a file more often than not."""

_MOST = 1_500
"""Characters of an answer in words; a longer one is of a program that did something."""
_MOST_LINES = 12
_MOST_DOCUMENT = 8_000
"""Characters of a document that is read."""

_ACT = r"(?:delet|remov|creat|updat|chang|appl|restart|send|sent|post|publish|deploy|merg|install|upload|cop|mov|writ|add|stop|start|scal|revok|grant|disabl|enabl|rotat|purg|prun|drop|replac|renam|notif|clos|execut|perform|commit|sav|process|modif|set|migrat|insert|sync|transfer|push)\w{0,4}"
DONE = r"(?:deleted|removed|created|updated|changed|applied|restarted|sent|posted|published|deployed|merged|installed|uploaded|copied|moved|written|added|stopped|started|scaled|revoked|granted|disabled|enabled|rotated|purged|pruned|dropped|replaced|renamed|notified|closed|executed|performed|committed|saved|processed|modified|made|taken|done|migrated|inserted|affected|matched|synced|transferred|pushed)"
"""Words for what was done to something."""
_THINGS = r"(?:rows?|records?|documents?|objects?|files?|items?|hosts?|messages?|keys?|resources?|entries|users?|nodes?|pods?|targets?|recipients?|changes?|migrations?|tasks?|jobs?|devices?|services?|images?|manifests?)"

_DRY = Gated(
    rf"\bdry[-_ ]?run\b(?!\W{{1,4}}(?:false|off|no|0|disabled|pass\w*|ok)\b)|\bwould (?:have )?(?:be |been )?{_ACT}\b|\bsimulat(?:ed|ion)\b(?= only|: |[.)]| mode| run)|^what if: "
    r"|\b(?:preview|plan|simulation|validation|check|test)[ -](?:only|mode)\b|\bno changes (?:were|have been|will be) (?:actually )?(?:made|applied|saved|written)\b"
    r"|\b(?:probelauf|trockenlauf|simulation uniquement|simulacro|prueba en seco|simulazione|próbny przebieg)\b|пробн\w+ (?:запуск|прогон)|试运行|演练模式|ドライラン|모의 실행",
    re.IGNORECASE | re.MULTILINE,
)
"""It was only tried out."""
_BANNER = lazy(
    r"\A\W{0,6}(?:running in )?dry[- ]?run(?: mode| only| enabled)?\W{0,6}$", re.IGNORECASE | re.MULTILINE
)
"""A first line after which all that is said to be done is only tried out."""
_WAITING = Gated(
    r"\b(?:queued|pending|awaiting|waiting|held|parked|submitted|sent|routed|needs?|requires?|required|subject|until|on hold|escalated)[ _:-]{1,3}(?:for |to |by |the |an? |your |[a-z]{2,20}[ _-]){0,3}(?:approv\w{0,4}|reviewe?r?s?|sign-?off|authori[sz]ation|moderation|moderators?|confirmation)\b"
    r"|\bapproval (?:is |was )?(?:required|pending|needed|requested|outstanding)\b|\b(?:reviewers?|approvers?|approvals) required\b"
    r"|\b(?:wartet auf|warten auf|bedarf|braucht) (?:\w{1,20} ){0,2}(?:freigabe|genehmigung)|\b(?:freigabe|genehmigung) (?:erforderlich|ausstehend|steht aus)|\ben attente (?:d['’]|de )(?:approbation|validation|accord)|\bpendiente de (?:aprobación|revisión|autorización)"
    r"|\b(?:aguardando|pendente de) (?:aprovação|revisão)|\bin attesa di (?:approvazione|conferma|revisione)|\bwacht op goedkeuring|\b(?:oczekuje|czeka) na (?:zatwierdzenie|akceptację|zgodę)|\bonay bekl"
    r"|ожида\w{2,4} (?:одобрен|согласован|подтвержден)|очіку\w{2,4} (?:схвален|погоджен)|(?:待|等待)(?:人工)?(?:审批|审核|批准)|承認待ち|승인 ?대기",
    re.IGNORECASE,
)
"""Somebody has to allow it first."""
_SKIPPED = Gated(
    r"^\W{0,4}(?:(?!\d+\b)[\w./@#-]{1,40}[ :,]{1,3}){0,5}(?:was |were |is |has been |have been )?(?:skipp(?:ed|ing)|deferred|postponed|ignored|discarded|suppressed|no-op|noop)\b(?!\W{0,3}\d)"
    r"|^\W{0,4}(?:[\w./@#-]{1,40}[ :,]{1,3}){0,4}(?:wurde |wird |a été |è stato |został\w? )?(?:übersprungen|verschoben|zurückgestellt|ignorée?|reportée?|omitid[oa]|aplazad[oa]|ignorad[oa]|ignorat[oa]|saltat[oa]|rinviat[oa]|adiad[oa]|overgeslagen|uitgesteld|pominięt\w{1,2}|odłożon\w{1,2}|atland\w)"
    r"|(?<!\w)(?:пропущен|отложен|відкладен)\w{0,2}|已?跳过|已推迟|スキップ|見送り|건너뜀|보류",
    re.IGNORECASE | re.MULTILINE,
)
"""It was left out or put off."""
_NOTHING = Gated(
    rf"\bnothing (?:to {_ACT}|to do|(?:was |has been |were )?(?:actually )?{DONE})\b|\bno (?:changes?|actions?|updates?|operations?)(?: (?:were|was|has been|have been))? {DONE}\b"
    rf"|\bno (?:matching |such )?{_THINGS} (?:were |was )?(?:to {_ACT}|found|selected|{DONE})\b|(?<![\d.,])0 (?:\w{{1,20}} )?{_THINGS}\b(?: (?:were|was|have been|has been))?(?: successfully)? {DONE}\b"
    r"|^(?:UPDATE|DELETE|MERGE|INSERT 0) 0$|\b(?:nichts (?:zu tun|geändert|angewendet|gelöscht)|keine (?:änderungen|zeilen)\b|rien à (?:faire|appliquer)|aucun(?:e)? (?:ligne|modification|changement)|nada que (?:hacer|aplicar)|(?:sin|ningún) cambios?\b|0 filas|nada a fazer|nenhuma (?:linha|alteração)"
    r"|niente da fare|nessuna (?:modifica|riga)|niets te doen|geen (?:wijzigingen|rijen)|brak zmian|nie zmieniono)|(?<!\w)(?:нечего \w+|изменений нет|нет изменений|0 строк|нічого \w+)|没有(?:任何)?(?:变更|更改|匹配)|未(?:做|作)(?:任何)?(?:更改|修改)|変更はありません|対象がありません|변경 ?사항(?:이)? 없",
    re.IGNORECASE | re.MULTILINE,
)
"""There was nothing that it applied to."""
_OVER_LIMIT = (
    r"\brate[- _]?limit(?:ed|ing|s? (?:has been |was |is )?(?:exceeded|reached|hit))\b|\brate exceeded\b|\btoo many requests\b|\bthrottl(?:ed|ing)\b|\bresource[_ ]?exhausted\b|\bquota (?:has been |is |was )?(?:exceeded|reached|exhausted|used up)|\bover (?:the |your |its )?quota\b"
    r"|\b(?:usage|daily|hourly|monthly|weekly|request|requests|api|call|message|sending|concurrency)[- ]limit (?:has been |was |is )?(?:exceeded|reached|hit)\b|\bexceeded (?:the |your |its |an? )?(?:[\w-]{1,20} ){0,3}(?:quota|rate limit|limit of)\b"
    r"|\b(?:zu viele Anfragen|Kontingent (?:\w{1,12} )?(?:erschöpft|überschritten)|trop de requêtes|quota dépassé|demasiadas (?:solicitudes|peticiones)|cuota (?:excedida|superada)|muitas (?:requisições|solicitações)|cota excedida|troppe richieste|te veel (?:verzoeken|aanvragen)|zbyt wiele żądań|för många förfrågningar|for mange foresp\w+|příliš mnoho požadavků|çok fazla istek)\b"
    r"|слишком много запросов|превышен\w? (?:лимит|квота)|забагато запитів|πάρα πολλά αιτήματα|طلبات كثيرة|बहुत (?:अधिक|ज़्यादा) अनुरोध|请求过(?:于频繁|多)|超(?:出|过)(?:了)?(?:配额|频率|速率|限额)|リクエストが多すぎ|レート制限|上限に達し|요청이 너무 많|한도(?:를)? 초과"
)
"""The other side takes no more for now."""
_LIMITED = Gated(rf"{_OVER_LIMIT}|\b(?:re)?try[-_ ]?(?:again|after|later)\b", re.IGNORECASE)
_REFUSED = Gated(
    rf"(?:\bnot|n['’]t|\bnever) (?:been |be |yet been )?(?:permitted|allowed|authori[sz]ed|accepted|available (?:to|for|in|during)|possible|eligible|entitled|mergeable|enabled for|supported (?:for|on|in)|{DONE})\b"
    r"|\b(?:policy|rule|hook)s? (?:prohibits?|forbids?|blocks?|denies|prevents?)\b|\b(?:change|code|deploy\w{0,5}|release) freeze\b|\boutside (?:of )?(?:the |its |your )?(?:\w{1,20} ){0,2}(?:window|hours)\b|\bwindow (?:is )?(?:closed|not open)\b"
    rf"|{_OVER_LIMIT}|\b(?:re)?try (?:again )?(?:later|after|in \d)|\binsufficient (?:permission|privilege|scope|right|role)"
    r"|\b(?:admins?|owners?|moderators?) only\b|\bonly (?:admins?|owners?|moderators?|maintainers?) (?:can|may)\b|\b(?:admin|owner|elevated)\w{0,3} (?:rights?|privileges?|permissions?|role) (?:is |are )?(?:required|needed)\b"
    r"|\b(?:nicht (?:erlaubt|gestattet|zulässig|möglich|ausgeführt|angewendet|übernommen|geändert)|non autorisée?|n['’]est pas autorisé|non appliquée?|pas appliqué|no (?:está )?permitid[oa]|no (?:se )?(?:aplicad[oa]|aplicó)|não (?:é )?permitid[oa]|não aplicad[oa]|non (?:è )?(?:consentit|permess|applicat)[oa]|niet (?:toegestaan|toegepast|uitgevoerd)|niedozwolon\w|nie zastosowano|izin (?:yok|verilm))"
    r"|(?<!\w)(?:не (?:разреш|применен|применён|выполнен|допуска|дозволен|застосован))|不允许|不被允许|未生效|未执行|許可されて(?:い)?ません|適用されません|허용되지|적용되지",
    re.IGNORECASE,
)
"""It was refused, or the answer says of the deed that it was not done."""
_SHUT = Gated(
    r"\b(?:read[- ]?only|locked|frozen|archived|suspended|paused|disabled|sealed|protected|closed|write-protected|in maintenance|schreibgeschützt|gesperrt|eingefroren|lecture seule|verrouillée?|solo lectura|bloquead[oa]|somente leitura|sola lettura|bloccat[oa]|alleen-lezen|vergrendeld|tylko do odczytu|zablokowan\w|salt okunur|kilitli)\b"
    r"|только (?:для )?чтени|лише для читання|заблокирован|заморожен|заблокован|只读|已锁定|已冻结|読み取り専用|ロックされて|읽기 전용|잠겨",
    re.IGNORECASE,
)
"""What it was to be done to takes no changes; the same words may tell what was done."""
_SHUTTING = frozenset({"stop", "pause", "disable", "close", "lock", "archive", "suspend", "freeze", "block", "protect", "seal", "shutdown", "cordon", "drain", "deactivate", "mute", "ban"})  # fmt: skip
"""Verbs of who shuts something: an answer that it is shut is the good one."""
_ALREADY = lazy(
    r"\b(?:already|up[- ]to[- ]date|up2date|matches|desired state|in sync|identical|same (?:value|state|version|content)|no changes? (?:is |are )?(?:needed|required|necessary)|duplicates?|exists|bereits|schon|déjà|ya|já|già|al aanwezig|już|zaten)\b|(?<!\w)(?:уже|вже)(?!\w)|已经是|已是|已存在|既に|すでに|이미",
    re.IGNORECASE,
)
"""What was wanted is there."""
_GOOD = lazy(
    rf"(?<!not )(?<!n't )(?<!be )(?<!been )(?<!was )(?<!\b0 )(?<!no )(?<!nothing )\b(?:success(?:ful(?:ly)?)?|succeeded|completed?|{DONE})\b(?!\W{{1,4}}(?:false|0|no|nothing|null)\b)|\b[1-9]\d{{0,8}} (?:\w{{1,20}} )?{_THINGS} (?:were )?{DONE}\b",
    re.IGNORECASE,
)
"""What stands beside it was done."""
_ORDER: tuple[tuple[How, Gated], ...] = (
    ("dry", _DRY),
    ("waiting", _WAITING),
    ("refused", _REFUSED),
    ("skipped", _SKIPPED),
    ("nothing", _NOTHING),
)

_ANY = Gate(*(pattern for _, pattern in _ORDER), _SHUT)
"""What most answers hold nothing of."""

# -- documents --------------------------------------------------------------------------------------------

_DEEDS = frozenset({"applied", "executed", "performed", "committed", "persisted", "effective", "changed", "success", "ok", "accepted", "succeeded", "successful", "modified"})  # fmt: skip
"""Keys whose ``false`` says that the deed was not done."""
_TRIED = frozenset(
    {"dry_run", "dryrun", "simulated", "simulation", "simulate", "preview", "preview_only", "validate_only", "test_mode", "check_mode", "what_if", "whatif", "plan_only"}
)  # fmt: skip
_LEFT = frozenset({"noop", "no_op", "skipped", "ignored", "deferred"})
_ASKED = frozenset({"requires_approval", "needs_approval", "approval_required", "pending_approval", "awaiting_approval", "needs_review", "requires_confirmation"})  # fmt: skip
_SHUTS = frozenset({"throttled", "rate_limited", "read_only", "readonly", "locked", "frozen"})
_STATES = frozenset({"status", "state", "result", "outcome", "action", "effect", "disposition", "decision", "operation_status"})  # fmt: skip
_REASONS = frozenset({"reason", "message", "msg", "detail", "details", "info", "note", "notice", "description", "hint", "warning", "warnings", "text", "status_message", "statusmessage"})  # fmt: skip
_INNER = frozenset({"result", "response", "data", "output", "content", "payload"})
_STATE: tuple[tuple[How, re.Pattern[str]], ...] = (
    ("dry", lazy(r"dry[-_ ]?run\w*|simulat\w+|preview\w*|validated?_only|planned|what[-_ ]?if", re.IGNORECASE)),
    ("waiting", lazy(r"(?:pending|awaiting|waiting|needs?|requires?|queued)[-_ ](?:for[-_ ])?(?:\w{1,20}[-_ ])?(?:approval|review|confirmation|authori[sz]ation|sign-?off)|approval[-_ ](?:required|pending)|on[-_ ]?hold|held", re.IGNORECASE)),
    ("refused", lazy(r"(?:not|un)[-_ ]?(?:applied|changed_by_policy|permitted|allowed|authori[sz]ed|executed|accepted)|refused|rejected|denied|declined|throttled|rate[-_ ]?limited|read[-_ ]?only|locked|frozen|blocked|forbidden", re.IGNORECASE)),
    ("skipped", lazy(r"skipped|ignored|deferred|postponed|suppressed|discarded|dropped", re.IGNORECASE)),
    ("nothing", lazy(r"no[-_ ]?op|no[-_ ]?changes?|unchanged|not[-_ ]?modified|nothing[-_ ]to[-_ ]do|no[-_ ]match(?:es)?", re.IGNORECASE)),
)  # fmt: skip
_COUNTS = lazy(
    r"(?:n_?|num_?|number_of_?|total_?)?(?:rows?_?|records?_?|documents?_?)?(?:affected|matched|updated|created|added|deleted|removed|changed|modified|inserted|upserted|sent)(?:_?(?:rows?|count|records?|documents?))?|(?:affected|changed|matched|updated|created|deleted)_?(?:rows?|count)|row_?count|changes"
)
_CODES = frozenset({"code", "error_code", "reason_code", "error_type", "type", "error", "__type"})
_LIMIT_CODE = lazy(
    r"(?:[\w.#]{0,60}[.#_])?(?:(?:api_?)?rate_?limit(?:ed|_?exceeded|_?reached|_?error)?|too_?many_?requests(?:_?exception)?|throttl(?:ed|ing)(?:_?exception)?|(?:request_?limit|quota|user_?rate_?limit|resource|limit)_?(?:exceeded|exhausted)|slow_?down|429)",
    re.IGNORECASE,
)
"""Names of errors by which the other side takes no more for now."""
_LATER = lazy(r"retry_after(?:_(?:ms|s|seconds|secs))?")
_STANDS = frozenset(
    {
        "id",
        "key",
        "url",
        "job_id",
        "task_id",
        "operation_id",
        "status",
        "state",
        "accepted",
        "ok",
        "success",
        "created",
        "queued",
    }
)
"""Keys of an answer beside which a time to ask again is one to look for the result."""
_KEY = lazy(r"(?<=[a-z0-9])(?=[A-Z])|[\s-]+")
_DEPTH = 3
_MOST_KEYS = 50
"""Keys of a document that are looked at."""


def not_done(
    answer: str, verbs: Collection[str] = (), wanted: Collection[str] = (), *, writes: bool = False
) -> NotDone | None:
    """How an answer says that nothing was done; ``None`` where it does not.

    :param answer: the result of a call that was to do something.
    :param verbs: words of the tool or of the command, lower case: ``User mia is disabled`` is no refusal to who disables.
    :param wanted: words of what it was given, lower case: ``Issue 4 is closed`` is none to who sets it to closed.
    :param writes: whether it was a text that was written: ``Test skipped`` and ``Validation disabled`` say what it does.
    """
    answer = answer.strip()
    if not answer or len(answer) > _MOST_DOCUMENT:
        return None
    found = document(answer)
    if found is None or isinstance(found, str):
        return _by_words(found or answer, verbs, wanted, writes=writes)
    top = found[0] if isinstance(found, list) and len(found) == 1 else found
    told = _by_keys(top, verbs, wanted) if isinstance(top, Mapping) else None
    if told is None or (told.how in _MAY_BE_THERE and _ALREADY.search(answer)):
        return None
    name = told.quote.split(":", 1)[0]
    written = re.search(
        rf'"{re.escape(name)}"\s{{0,9}}:\s{{0,9}}(?:"(?:[^"\\]|\\.){{0,{_QUOTED}}}"|[^,}}\n]{{1,60}})', answer
    )
    return NotDone(told.how, written.group()[:_QUOTED]) if written is not None else told


def over_limit(text: str) -> bool:
    """Whether words say that the other side takes no more for now: a rate, a quota, too many requests."""
    return _LIMITED.search(text) is not None or any(
        _LIMIT_CODE.fullmatch(word) is not None for word in _CODE_WORDS.findall(text)
    )


_CODE_WORDS = lazy(r"[\w.#]{6,100}")


def does(verbs: Collection[str]) -> bool:
    """Whether the words of a command say that it does something, and does not only show it."""
    return not _OF_LINES.isdisjoint(verbs)


_MAY_BE_THERE = ("nothing", "skipped")
"""What is said too where the wanted state is there already."""


def _by_words(
    text: str, verbs: Collection[str], wanted: Collection[str], *, writes: bool = False
) -> NotDone | None:
    lines = [line for line in text.splitlines() if line.strip()]
    if len(text) > _MOST or len(lines) > _MOST_LINES or not _ANY.may_match(text):
        return None
    for how, pattern in _ORDER:
        if how == "skipped" and (writes or len(lines) > _FEW):
            continue
        found = pattern.search(text)
        if found is None or (how in _MAY_BE_THERE and _ALREADY.search(text) is not None):
            continue
        if how != "dry":
            rest = text[: found.start()] + text[found.end() :]
        elif _BANNER.match(text) is not None:
            rest = ""
        else:
            rest = "\n".join(line for line in lines if pattern.search(line) is None)
        return None if _GOOD.search(rest) is not None else NotDone(how, _line(text, found))
    if len(lines) > _FEW or writes:
        return None
    if (found := _SHUT.search(text)) is not None and _ALREADY.search(text) is None:
        own = not _SHUTTING.isdisjoint(verbs) or _of_verb(found.group().casefold(), (*verbs, *wanted))
        if not own and _GOOD.search(text[: found.start()] + text[found.end() :]) is None:
            return NotDone("refused", _line(text, found))
    return None


_FEW = 4
"""Lines of an answer that speaks of one thing."""
_STEM = 4
"""Letters by which a word is taken for a form of another."""


def _line(text: str, found: re.Match[str]) -> str:
    start = text.rfind("\n", 0, found.start()) + 1
    stop = text.find("\n", found.end())
    line = text[start : stop if stop >= 0 else len(text)].strip()
    return line if len(line) <= _QUOTED else text[found.start() : found.start() + _QUOTED].strip()


_QUOTED = 200


def _by_keys(answer: Mapping[str, Any], verbs: Collection[str], wanted: Collection[str]) -> NotDone | None:
    """What the keys of an answer say; those of a record that is only shown say nothing."""
    counts: list[int] = []
    quote_of_count = ""
    refused: NotDone | None = None
    reason = ""
    for inner in islice(_nested(answer), _DEPTH):
        for name, value in islice(inner.items(), _MOST_KEYS):
            key = _KEY.sub("_", str(name)).casefold()
            quote = f"{name}: {value if isinstance(value, str) else str(value).lower()}"[:_QUOTED]
            if isinstance(value, str) and key in _REASONS:
                reason = reason or quote
            if key in _CODES and isinstance(value, str | int) and _LIMIT_CODE.fullmatch(str(value)):
                return NotDone("refused", quote)
            if (
                _LATER.fullmatch(key)
                and isinstance(value, str | int | float)
                and _STANDS.isdisjoint(map(str, inner))
            ):
                refused = refused or NotDone("refused", quote)
            if value is False and (key in _DEEDS or _of_verb(key, verbs)):
                # Why stands under another key.
                refused = refused or NotDone(
                    "nothing" if key in ("changed", "modified") else "refused", quote
                )
            elif value is True or value in ("true", "yes"):
                how = _flag(key)
                if how is not None and not _of_verb(key, verbs):
                    return NotDone(how, quote)
            elif isinstance(value, int) and not isinstance(value, bool) and _COUNTS.fullmatch(key):
                counts.append(value)
                quote_of_count = quote_of_count or (quote if value == 0 else "")
            elif isinstance(value, str) and key in _STATES and len(value) <= _SHORT:
                how = next((how for how, shape in _STATE if shape.fullmatch(value.strip())), None)
                if how is not None and not _of_verb(value.casefold(), (*verbs, *wanted)):
                    return NotDone(how, quote)
                told = (
                    _by_words(value, verbs, wanted)
                    if how is None and (" " in value.strip() or not value.isascii())
                    else None
                )
                if told is not None:
                    return NotDone(told.how, quote)
            elif (
                isinstance(value, str)
                and key in _REASONS
                and (told := _by_words(value, verbs, wanted)) is not None
            ):
                return NotDone(told.how, quote)
    if refused is not None:
        return NotDone(refused.how, reason or refused.quote)
    return NotDone("nothing", quote_of_count) if counts and not any(counts) else None


_SHORT = 60
"""Characters of a state that is one word or a few."""


def _nested(answer: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """A document, and what it holds under the keys by which answers are wrapped."""
    inner: Any = answer
    while isinstance(inner, Mapping):
        yield inner
        keys = islice(inner.items(), _MOST_KEYS)
        inner = next((v for k, v in keys if str(k).casefold() in _INNER and isinstance(v, Mapping)), None)


def _flag(key: str) -> How | None:
    if key in _TRIED:
        return "dry"
    if key in _ASKED:
        return "waiting"
    if key in _LEFT:
        return "skipped"
    return "refused" if key in _SHUTS else None


def _of_verb(key: str, verbs: Collection[str]) -> bool:
    """Whether a key or state is a form of a word of the tool: ``deleted`` for one that deletes."""
    return any(len(verb) >= _STEM and key.startswith(verb[:_STEM]) for verb in verbs)
