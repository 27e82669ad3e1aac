"""What the last look of a turn shows against the words by which the turn ends.

Six kinds of result that no command of its own speaks of: a status given as JSON that ends with an error or counts
less than the whole; a count of zero of the very thing that was asked for; a run that nobody knows, or a poll of one,
that ended badly and says so; a log that ends with the words of a run that went wrong, where it was asked whether it went
well; a look after a change that shows the mark from before it (the old date of a certificate, the old version); and a list
of files in which what the turn wrote holds nothing.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from sessionlens.cache import lazy
from sessionlens.graph.events import Called, Ran, Said, Turn
from sessionlens.graph.partly import shares
from sessionlens.graph.queries import human
from sessionlens.graph.speaking import spoken
from sessionlens.language.acts import ACKNOWLEDGING, Act

if TYPE_CHECKING:
    from sessionlens.graph.session_graph import SessionGraph


class Against(NamedTuple):
    """A result that speaks against the end of its turn."""

    said: Said
    """The words by which the turn ends."""
    act: Act
    """The claim in them."""
    sentence: str
    """Its sentence."""
    event: Ran | Called
    """What shows otherwise."""
    quote: str
    """The words of the result."""


_YES = lazy(
    r"^\W{0,9}(?:(?:yes|yep|yeah|yup|ja|jo|oui|s[íi]|sim|tak|да|так|ага|evet)(?=[\s,.:;!—–-])|是的?(?=[,，。])|对[,，。]|はい|ええ、|네[,. ]|예[,. ])",
    re.IGNORECASE,
)
BAD_WORDS = lazy(
    r"err(?:or|eur|ore)|fail|reject|refus|denied|skipp|incomplet|partial|missing|except|conflict|\bshort\b|not all|fehler|fehlgeschl|übersprung|abgelehnt|unvollst"
    r"|échou|rejet|manqu|fall(?:ó|aron|os)|rechaz|omitid|\bfaltan?\b|falh|rejeit|\berros?\b|fallit|rifiut|scartat|mislukt|\bfout|geweigerd|overgeslagen"
    r"|błąd|błęd|odrzuc|pomini|nie wesz|ошиб|отклон|пропущ|не удал|помил|відхил|hata\b|hatal|başarısız|redded|atlan|失败|错误|拒绝|跳过|失敗|エラー|拒否|실패|오류|거부",
    re.IGNORECASE,
)
"""Words by which a person is told that something went wrong, or a program says so."""
_NONE_OF_IT = lazy(
    r"(?:\b(?:no|without|zero|0|keine?|ohne|sans|aucune?|sin|ning[uú]n\w?|sem|nenhum\w?|senza|nessun\w?|geen|zonder|bez|żadn\w+)|(?<!\w)(?:без|нет|0)|没有|無)\s{0,2}(?:\w{1,20}\s){0,1}(?:err|fail|fehler|reject|falh|fall|fout|błęd|ошиб|помил|错误|失败)\w*"
    r"|\b(?:fehlerfrei|fehlerlos|error-?free|foutloos|bezbłędn\w*)\b|безошибочн\w*",
    re.IGNORECASE,
)
"""Words by which it is said that nothing did."""
_COUNTED = lazy(
    r"(?<![\w.,])(?!0+\b)\d[\d.,]{0,12}\s{1,3}(?:\w{1,20}\s{1,2}){0,2}?(?:reject|fail|error|skipp|fehler|übersprung|abgelehnt|rejet|échec|rechaz|omit|rejeit|scart|rifiut|geweigerd|overgeslagen|odrzuc|ошиб|отклон|пропущ|помил|відхил|redded|hata)"
    r"|(?:reject|fail|error|skipp|fehler|übersprung|abgelehnt|rejet|rechaz|rejeit|scart|rifiut|geweigerd|odrzuc|ошиб|отклон|помил|відхил|redded|hata|失败|失敗|エラー|실패|拒绝)\w{0,12}\s{0,2}[:=]?\s{0,2}(?!0+\b)\d"
    r"|\b(?:exit|rc|status|code)\s{0,2}[:=]?\s{0,2}[1-9]\d{0,2}\b|^\s{0,20}(?:error|fatal|fehler|erreur|errore|błąd|ошибка|помилка|hata)\b|\b(?:mit|with|avec|con|com|z)\s+(?:fehlern|errors|erreurs|errores|erros|errori|błędami)\b|с ошибками|з помилками",
    re.IGNORECASE | re.MULTILINE,
)
"""How a program says at its end that a part went wrong."""
_LONGEST = 64_000
"""Characters of a result that are read as JSON."""
_MENTIONS = ACKNOWLEDGING | {"hedges"}


def against(graph: SessionGraph, turn: Turn, prose: Sequence[Said]) -> Iterator[Against]:
    """The result of the last look of a turn that speaks against what the turn ends with; at most one."""
    said = prose[-1] if prose else None
    last = next(
        (
            call
            for call in reversed(turn.calls)
            if said is not None and call.seq < said.seq and call.depth == said.depth and not spoken(call.call)
        ),
        None,
    )
    if said is None or last is None or any(call.seq > said.seq for call in turn.calls):
        return
    if last.cut_off is not None or last.unfinished or last.connection_lost or last.call.output is None:
        return
    text = graph.prose(said)
    reading = graph.reading(said)
    asked = _question(graph, said)
    yes = _YES.match(text) is not None and bool(asked)
    claimed = next((act for act in reading.acts() if act.act == "claims_success"), None)
    if claimed is None and not yes:
        return
    # "Yes, it is in rotation" says that it goes on, and that is the claim.
    mentions = _MENTIONS - {"reports_in_progress"} if yes else _MENTIONS
    if any(act.act in mentions for act in reading.acts()) or shares(text):
        return
    if BAD_WORDS.search(_NONE_OF_IT.sub(" ", text)) is not None:
        return
    output = last.call.output.ends()
    found = (
        _status(output, yes=yes)
        or (_none_there(last, output, asked) if yes else None)
        or _ended_badly(graph, last, output)
        or (_ends_badly(output) if yes and claimed is not None else None)
        or (_as_before(graph, turn, last, output, text) if claimed is not None else None)
        or (_holds_nothing(graph, turn, last, output, text) if claimed is not None else None)
    )
    if found is None:
        return
    act = claimed or Act(act="claims_success", span=(0, min(len(text), 80)))
    sentence = next(
        (one.text for one in reading.sentences if one.span[0] <= act.span[0] < one.span[1]), text[:200]
    )
    commands = graph.commands(last)
    shown = [ran for ran in commands if ran.command.words[:1] not in _SHORTEN] or commands
    yield Against(said, act, sentence, shown[-1] if shown else last, found)


def _question(graph: SessionGraph, said: Said) -> str:
    """What the person asked before; empty where it is no question."""
    before = graph.before(said).last(human)
    text = graph.prose(before)[-600:] if isinstance(before, Said) else ""
    return text if "?" in text or "？" in text else ""


# -- a status as JSON -----------------------------------------------------------------------------------

_ERRORS = frozenset(
    {"error", "errors", "failure", "failures", "exception", "last_error", "lasterror", "error_message"}
)
_FAILED = frozenset(
    {"failed", "rejected", "num_failed", "failed_count", "failedcount", "error_count", "errorcount"}
)
_STATES = frozenset({"status", "state", "phase", "result", "outcome"})
_BAD_STATE = lazy(r"(?:failed|failure|error|errored|aborted|crashed|rejected|cancell?ed)", re.IGNORECASE)
_WHOLE = ("total", "expected", "total_count", "totalcount")
_PARTS = (
    "created", "updated", "deleted", "noops", "processed", "indexed", "copied", "imported", "migrated", "inserted", "done",
    "succeeded", "version_conflicts", "completed_count",
)  # fmt: skip
_ENDED = frozenset({"completed", "done", "finished"})
_STATUS = _STATES | _ENDED | frozenset(_WHOLE) | {"progress", "task", "job"}
_DEEP = 4


def _status(output: str, *, yes: bool) -> str | None:
    """What a status given as JSON says of its end, where that is bad."""
    text = output.strip()
    if not text.startswith("{") or len(text) > _LONGEST:
        return None
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(whole, dict) or not (yes or {str(key).casefold() for key in whole} & _STATUS):
        return None
    ended = any(whole.get(key) is True for key in _ENDED)
    level: list[dict[str, Any]] = [whole]
    for _ in range(_DEEP):
        for one in level:
            lowered = {str(key).casefold(): value for key, value in list(one.items())[:200]}
            for key, value in lowered.items():
                if _is_bad(key, value):
                    return f'"{key}": {json.dumps(value, ensure_ascii=False)}'[:200]
            short = _short(lowered) if ended else None
            if short is not None:
                return short
        level = [value for one in level for value in list(one.values())[:200] if isinstance(value, dict)][
            :200
        ]
    return None


def _is_bad(key: str, value: object) -> bool:
    if key in _ERRORS:
        return bool(value) and not (
            isinstance(value, str) and value.casefold() in ("none", "null", "false", "0", "ok")
        )
    if key in _FAILED:
        return value is True or (isinstance(value, int) and value > 0)
    return key in _STATES and isinstance(value, str) and _BAD_STATE.fullmatch(value) is not None


def _short(counters: dict[str, Any]) -> str | None:
    """Counters of what was done that do not come to the whole, of something that says that it ended."""
    total = next((counters[key] for key in _WHOLE if type(counters.get(key)) is int), None)
    parts = {key: counters[key] for key in _PARTS if type(counters.get(key)) is int}
    if total is None or not parts or sum(parts.values()) >= total:
        return None
    return ", ".join(f"{key} {value}" for key, value in parts.items() if value) + f" of {total}"


# -- a count of zero ------------------------------------------------------------------------------------

_COUNTS = lazy(
    r"\b[ef]?grep\s+(?:-{1,2}[\w=-]{1,30}\s+){0,4}(?:-\w{0,6}c\w{0,6}|--count)\s+(?:-{1,2}\w{1,20}\s+){0,4}['\"\\]{0,3}(?P<what>[\w.@:/-]{3,80})"
    r"|\b[ef]?grep\s+(?:-{1,2}\w{1,20}\s+){0,4}['\"\\]{0,3}(?P<what2>[\w.@:/-]{3,80})['\"\\]{0,3}(?:\s+[\w./-]{1,80}){0,3}\s*\|\s*wc\s+-l"
)
_ABSENT = lazy(
    r"\b(?:gone|removed?|deleted?|off|out\ of|free\ of|clean|without|no\ longer|no\ more|any\ ?more|stopped|quiet|drained|left|weg|entfernt|gelöscht|frei|sauber|mehr|supprimé\w*|parti\w*|plus|borrad\w+|eliminad\w+|fuera|apagad\w+|removid\w+|rimoss\w+|via|verwijderd|usunięt\w+|zniknął\w*)\b"
    r"|(?:удал|убра|чист|видал|прибра|不再|没有了|删除|清除|消え|なくな|없어|삭제)|n['’]t\b|\b(?:not|nicht|kein\w*|ne|pas|no|não|non|niet|geen|nie)\b|(?<![а-яё])не(?![а-яё])",
    re.IGNORECASE | re.VERBOSE,
)
"""Words of a question to which nothing found is the good answer."""


def _none_there(last: Called, output: str, asked: str) -> str | None:
    """Zero, where the person asked for what was counted, and the answer is yes."""
    lines = output.strip().splitlines()
    if not lines or lines[-1].strip() != "0" or last.line is None or _ABSENT.search(asked) is not None:
        return None
    counted = [found["what"] or found["what2"] for found in _COUNTS.finditer(last.line[:4_000])]
    if not counted or counted[-1].casefold() not in asked.casefold():
        return None
    return f"{counted[-1]}: 0"


# -- a run that ended badly -----------------------------------------------------------------------------

_UNKNOWN = frozenset({"none", "write_data", "migrate", "transfer"})


def _ended_badly(graph: SessionGraph, last: Called, output: str) -> str | None:
    """What a run, or the poll of one, says of its bad end, where its exit status tells of one too."""
    if last.call.exit in (None, 0):
        return None
    commands = graph.commands(last)
    polls = last.call.continues is not None
    if not polls and any(
        ran.command.effect not in _UNKNOWN for ran in commands if ran.command.words[:1] not in _SHORTEN
    ):
        return None
    if not commands and last.line is not None:
        return None
    tail = output[-4_000:]
    found = _COUNTED.search(tail)
    if found is None:
        return None
    start = tail.rfind("\n", 0, found.start()) + 1
    end = tail.find("\n", found.end())
    return tail[start : end if end >= 0 else len(tail)].strip()[:200]


_LAST_LINES = 2
"""Lines at the end of a log in which a run says how it ended."""
_ABORTED = lazy(
    r"\b(?:abort(?:ed|ing)|failed|abgebrochen|fehlgeschlagen|échoué|abortad[oa]|interrotto|afgebroken|przerwano|прерван\w*|перерван\w*)\b|中止|失败|失敗|중단|실패",
    re.IGNORECASE,
)


def _ends_badly(output: str) -> str | None:
    """The line by which a log that was shown ends, where it says that a run went wrong: asked whether it went well, the
    answer was yes.
    """
    lines = [line.strip() for line in output[-2_000:].splitlines() if line.strip()][-_LAST_LINES:]
    for line in reversed(lines):
        if _ABORTED.search(_NONE_OF_IT.sub(" ", line)) is not None or _COUNTED.search(line) is not None:
            return line[:200]
    return None


_SHORTEN = (("tail",), ("head",), ("tee",), ("cat",), ("cd",))


# -- the mark from before -------------------------------------------------------------------------------

_MARK = lazy(
    r"^\s{0,20}[\"']?(?P<key>notAfter|notBefore|serial|expir\w{0,8}|valid_?until|version|revision|commit|git_?sha|sha\d*|digest|image|build\w{0,8}|release|tag|fingerprint|checksum|etag|last-modified|hash)[\"']?\s{0,4}[:=]\s{0,4}(?P<value>\S[^\n]{0,200})$",
    re.IGNORECASE | re.MULTILINE,
)
_NEW = lazy(
    r"\b(?:new|now|renewed|updated|latest|neu\w*|jetzt|erneuert|nouve\w+|maintenant|renouvelé\w*|nuev\w+|ahora|renovad\w+|nov[oa]s?|agora|nuov\w+|adesso|ora|rinnovat\w+|nieuwe?|nu|vernieuwd|now\w+|teraz|odnowion\w+|yeni\w*|artık)\b|(?:нов|теперь|обновл|тепер|оновл|新|已更新|更新|새)",
    re.IGNORECASE,
)
_STILL = lazy(
    r"\b(?:still|unchanged|same|old|cached?|cache|immer noch|unverändert|toujours|encore|todavía|sigue|ainda|ancora|nog|nadal|wciąż|hâlâ)\b|(?:всё ещё|по-прежнему|досі|仍|还是|まだ|아직)",
    re.IGNORECASE,
)


def _as_before(graph: SessionGraph, turn: Turn, last: Called, output: str, text: str) -> str | None:
    """A mark of what is served or installed that the look after a change shows as the look before it did."""
    if _NEW.search(text) is None or _STILL.search(text) is not None or last.call.exit not in (None, 0):
        return None
    if len(output.strip().splitlines()) > _SHORT or any(ran.changes for ran in graph.commands(last)):
        return None
    now = {found.group().strip() for found in _MARK.finditer(output)}
    if not now:
        return None
    changed = False
    for call in reversed(turn.calls):
        if call.seq >= last.seq:
            continue
        if any(ran.changes and ran.succeeded for ran in graph.commands(call)):
            changed = True
        elif changed and call.call.output is not None:
            before = {found.group().strip() for found in _MARK.finditer(call.call.output.ends())}
            if now & before:
                return sorted(now & before)[0][:200]
    return None


_SHORT = 3
"""Lines of a look that shows a mark and nothing else."""


# -- a file without content -----------------------------------------------------------------------------

_NO_BYTES = lazy(
    r"^-[\w-]{9}[.+@]?\s[^\n]{0,120}?\s0\s+(?:[^\W\d_]{3,5}\.?\s+\d{1,2}\s+[\d:]{4,8}\s+|\d{4}-\d\d-\d\d\s+[\d:.]{5,20}\s+(?:[+-]\d{4}\s+)?)?(?P<listed>[^\s\n][^\n]{0,200})$"
    r"|^\s{0,20}0(?:B|\s?bytes)?\s+(?P<counted>[^\s\n]{2,200})$|^\d{4}-\d\d-\d\d[ T][\d:]{5,8}\s+0\s+(?P<stored>[^\s\n]{2,200})$"
    r"|^\s{0,4}File:\s(?P<stat>[^\n]{2,200})\n\s{0,4}Size:\s0\s|^-a\S{0,6}\s[^\n]{8,60}\s0\s+(?P<windows>[^\s\n][^\n]{0,200})$",
    re.MULTILINE,
)
"""A row of a list of files, of one without content: of ls, du, wc, stat, a store, PowerShell."""
_LISTS = frozenset(
    {
        "ls",
        "ll",
        "du",
        "wc",
        "stat",
        "find",
        "aws",
        "gsutil",
        "mc",
        "rclone",
        "dir",
        "gci",
        "get-childitem",
        "exa",
        "eza",
    }
)
_EMPTY_ON_PURPOSE = frozenset(
    {"touch", "truncate", ":", "true", "mktemp", "fallocate", "echo", "printf", "install"}
)
_SAID_EMPTY = lazy(
    r"\b(?:empty|0\s?bytes?|zero|nothing|blank|leer\w*|vide\w?|vac[ií][oa]s?|vazi[oa]s?|vuot[oaie]|leeg|lege|pust\w{1,2}|tomm?a?|tomt?|prázdn\w+|boş)\b|(?<!\w)(?:пуст\w*|порожн\w*|κεν\w{1,2})|فارغ|खाली|空|0\s?字节|비어",
    re.IGNORECASE,
)
_FEW = 200


def _holds_nothing(graph: SessionGraph, turn: Turn, last: Called, output: str, text: str) -> str | None:
    """The row of a list of files that shows without content what a command of the turn was to write."""
    commands = graph.commands(last)
    if (
        not any(ran.command.program.casefold() in _LISTS for ran in commands)
        or _SAID_EMPTY.search(text) is not None
    ):
        return None
    rows = {
        path.strip("'\" ").rsplit("/", 1)[-1]: found.group().strip()
        for found in itertools.islice(_NO_BYTES.finditer(output[:_LONGEST]), _FEW)
        if (path := next(filter(None, found.groups()), ""))
    }
    if not rows:
        return None
    for call in reversed(turn.calls):
        for ran in graph.commands(call):
            name = ran.command.target.name.rsplit("/", 1)[-1]
            if (
                call.seq < last.seq
                and name in rows
                and ran.changes
                and ran.command.effect in ("edit", "transfer", "create")
                and ran.command.target.kind == "file"
                and ran.command.program not in _EMPTY_ON_PURPOSE
                and not (ran.command.writes is not None and not ran.command.writes.strip())
            ):
                return rows[name][:200]
    return None
