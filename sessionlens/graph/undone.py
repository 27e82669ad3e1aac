"""Calls that were to do something and did not: tools that act on other systems (a ticket, a release, a page, a message)
and failed, and calls of any kind whose answer says, without an error, that nothing was done.

No table knows what such a tool does: its name says that it does something, and its result that it did not.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from sessionlens import language
from sessionlens.cache import lazy
from sessionlens.graph.constraints import sentences
from sessionlens.graph.events import Called, Ran, Said, Turn
from sessionlens.graph.mentions import has_word
from sessionlens.graph.queries import human
from sessionlens.graph.shortfalls import CLAUSES, refused
from sessionlens.graph.speaking import hands_in, invites
from sessionlens.language.acts import ACKNOWLEDGING
from sessionlens.shell.command import How
from sessionlens.shell.not_done import DOES, DONE, NotDone, not_done, over_limit
from sessionlens.shell.servers import words_of

if TYPE_CHECKING:
    from sessionlens.graph.session_graph import SessionGraph


class Undone(NamedTuple):
    """A call that was to do something and did not."""

    call: Called
    """The call."""
    quote: str
    """The words of its result that say so; empty for a dry run that the command itself asks for."""
    how: How | Literal["failed"] = "failed"
    """Whether it failed, or how its answer says that nothing was done."""
    ran: Ran | None = None
    """The command; ``None`` for a tool of which nothing is known."""
    wanted: bool = False
    """Whether the call itself asks for a dry run."""
    beside: frozenset[str] = frozenset()
    """Short values that other calls of the same tool in the turn were given, in lower case."""

    @property
    def became(self) -> str:
        """What became of it, in words."""
        return BECAME[self.how]


BECAME: dict[How | Literal["failed"], str] = {
    "failed": "failed",
    "dry": "was a dry run",
    "waiting": "waits for approval",
    "refused": "was refused",
    "skipped": "was skipped",
    "nothing": "changed nothing",
}
"""What became of a call that did not do what it was to do, in words."""


_AT_HOME = frozenset({"read", "edit", "check", "test", "build"})
"""Effects of tools by which nothing is done elsewhere."""
_WORDS = lazy(r"(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z0-9]+")
_DOES_NOT = frozenset(
    {"get", "list", "search", "read", "fetch", "find", "query", "describe", "show", "view", "lookup", "browser", "playwright", "puppeteer", "chrome", "screenshot", "click", "navigate",
     "memory", "todo", "todos", "plan", "think", "thinking", "thought", "subagent", "agent", "bash", "shell", "terminal", "execute", "exec", "command", "file", "files", "directory", "folder", "code",
     "diff", "test", "tests", "entities", "observations", "relations", "mode", "note", "notes", "notebook", "cell", "skill", "knowledge", "task_list", "lsp", "diagnostics", "process", "session"}
)  # fmt: skip
"""Words of a tool's name by which it looks, works on the agent's own machine, or keeps the agent's own notes."""
_GIVES = frozenset({"upload", "share", "attach"})
"""Words by which a file leaves the agent's own machine."""
_CLIENTS_OWN = lazy(
    r"(?:task|task_?(?:create|update|stop|output)|todo_?write|update_?plan|edit|multi_?edit|write|apply_?patch|str_replace\w*|create_?file|run|start|stop|add|replace|insert)",
    re.IGNORECASE,
)
_FAILED = lazy(
    r"^\W{0,4}(?:error|failed|failure|fatal|forbidden|unauthorized|not authorized|permission denied|access denied|bad request|conflict|invalid|mcp error|tool (?:error|execution failed)|could not|cannot|unable to|HTTP(?:/[\d.]+)? ?[45]\d\d|[45]\d\d\b)"
    r"|\"(?:ok|success|succeeded)\"\s{0,3}:\s{0,3}false\b|\"(?:is_?error|error|failed)\"\s{0,3}:\s{0,3}(?:true|\"[^\"]|\{|\[\s{0,3}[\"{])|\"(?:status|status_?code|code)\"\s{0,3}:\s{0,3}\"?(?:[45]\d\d|error|failed)\b|\"errorMessages\"\s{0,3}:\s{0,3}\[\s{0,3}\""
    r"|\b(?:request|call|api|operation) failed\b|\bfailed to \w+",
    re.IGNORECASE,
)
"""How a result says that a call did not do what it was to do."""
_HEAD = 600


def _words(tool: str) -> frozenset[str]:
    """The words of a tool's name, in lower case."""
    return frozenset(word for word in _WORDS.sub("_", tool).casefold().split("_") if word)


@lru_cache(maxsize=1024)
def _does(tool: str) -> bool:
    words = _words(tool)
    return (
        bool(words & DOES)
        and not (words & _DOES_NOT - ({"file", "files", "folder"} if words & _GIVES else set()))
        and not hands_in(tool)
        and _CLIENTS_OWN.fullmatch(tool) is None
    )


def _failure(call: Called) -> str:
    """The words by which a call says that it failed; empty where it does not."""
    inner = call.call
    if call.unfinished or call.cut_off is not None or inner.interrupted or refused(call):
        return ""
    if inner.status == "error":
        shown = inner.error if inner.error is not None else inner.output
        return shown.head[:200].strip() or "error" if shown is not None else "error"
    if inner.output is None:
        return ""
    head = inner.output.head[:_HEAD]
    return head[:200].strip() if _FAILED.search(head) is not None else ""


def _left(call: Called) -> NotDone | None:
    """How the answer of a tool says, without an error, that nothing was done."""
    inner = call.call
    if call.unfinished or call.cut_off is not None or inner.interrupted or inner.status == "error":
        return None
    if inner.output is None:
        return None
    answer = inner.output.ends()
    text = answer
    for told in _texts_of(call):
        # What an answer repeats of the input says nothing of the deed.
        text = text.replace(told, " ")
    wanted = [word for value in _values(call) for word in value.split()]
    left = not_done(text, words_of(inner.name), wanted)
    proposes = _PROPOSES.search(_WORDS.sub("_", inner.name)) is not None
    return None if left is not None and proposes and not over_limit(left.quote) else left


def said_undone(call: Called) -> bool:
    """Whether the result of a tool says that it failed, or that nothing was done."""
    return bool(_failure(call)) or _left(call) is not None


_PROPOSES = lazy(
    r"(?:^|_)(?:create|open|submit|request|file|raise|propose)_(?:\w{1,30}_)?(?:pull|pr|mr|merge|request|requests|review|proposal|ticket|issue|change|approval)(?:_|$)",
    re.IGNORECASE,
)
"""Tools that ask for something, so that an answer by which it waits for somebody, or that tells of its state, is what was wanted."""


def _texts_of(call: Called) -> list[str]:
    """The longer texts of a call's input, as they are and as a document writes them."""
    found = [
        value for value in call.call.arguments().values() if isinstance(value, str) and len(value) >= _TEXT
    ]
    return [
        form
        for text in found[:_MOST]
        for form in (text, json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1])
    ]


_TEXT = 12
"""Characters from which a value of an input may hold words that are mistaken for an answer."""


def _not_done(graph: SessionGraph, call: Called) -> Undone | None:
    """A call that did not do what it was to do; the last such command of a line."""
    if call.unfinished or call.cut_off is not None or call.call.interrupted:
        return None
    commands = graph.commands(call)
    for ran in reversed(commands):
        how = ran.outcome.not_done
        if how and ran.command.effect not in _AT_HOME:
            return Undone(call, ran.outcome.quote, how, ran, ran.command.dry_run)
    if call.line is None and (alert := _alert(call)):
        return Undone(call, alert, "refused", commands[-1] if commands else None)
    if call.line is not None or not _does(call.call.name):
        return None
    if any(ran.command.effect in _AT_HOME for ran in commands):
        return None
    if quote := _failure(call):
        return Undone(call, quote)
    left = _left(call)
    if left is None:
        return None
    wanted = left.how == "dry" and any(
        value is True and _DRY_KEY.fullmatch(str(key)) for key, value in call.call.arguments().items()
    )
    return Undone(call, left.quote, left.how, commands[-1] if commands else None, wanted)


_BROWSERS = frozenset(
    {"browser", "playwright", "puppeteer", "chrome", "devtools", "selenium", "page", "webdriver", "cdp"}
)
_ACTS_ON_PAGE = frozenset(
    {"click", "submit", "press", "type", "fill", "select", "act", "upload", "form", "input"}
)
_ALERT = lazy(
    r"(?:^[\s\-*]{0,40}(?:alert|alertdialog|status|dialog|toast|notification|heading)\b[^\n]{0,40}?|\bdialog\s+with\s+message\s{0,2})[:>\s\"']{1,6}"
    r"(?P<said>[^\n]{0,80}?(?:\b(?:could\s?n[o'’]t|could\s+not|can['’]?t(?:not)?\s+be|cannot|was\s?n[o'’]t|was\s+not|were\s+not|not\s+(?:saved|sent|updated|applied|created|deleted|published)|failed|failure|unable\s+to|denied|rejected|something\s+went\s+wrong|invalid|(?:is|are)\s+required"
    r"|nicht\s+(?:gespeichert|gesendet|möglich|übernommen)|konnten?\s+nicht|fehlgeschlagen|fehler\s+bei\w*|impossible|échec|échoué|pas\s+(?:été|pu)|no\s+se\s+(?:pudo|ha\s+podido|guard\w+)|não\s+foi\s+(?:possível|salv\w*)|falhou|impossibile|non\s+(?:è\s+stato|salvat\w+)|niet\s+(?:opgeslagen|gelukt)|mislukt|nie\s+(?:udało|zapisano)|kaydedilemedi|başarısız)\b"
    r"|(?<!\w)не\s+(?:удалось|вдалося|сохранен\w*|збережен\w*)|(?:失败|失敗|无法|できません|できませんでした|실패|못했))[^\n]{0,160})",
    re.IGNORECASE | re.MULTILINE,
)
"""What a page tells by an alert after an action on it: that it was not done."""


@lru_cache(maxsize=1024)
def _acts_on_page(tool: str) -> bool:
    words = _words(tool)
    return bool(words & _BROWSERS and words & _ACTS_ON_PAGE)


def _alert(call: Called) -> str:
    """The words of a page, shown right after an action on it, that say that the action was not done."""
    if call.call.output is None or not _acts_on_page(call.call.name):
        return ""
    found = _ALERT.search(call.call.output.ends()[:_MOST_OF_PAGE])
    return found["said"].strip(" \"'")[:200] if found is not None else ""


_MOST_OF_PAGE = 20_000
"""Characters of a page that are read."""
_DRY_KEY = lazy(
    r"(?:dry_?run|simulate|preview|validate_?only|plan_?only|what_?if|check_?mode|test_?mode)", re.IGNORECASE
)


def undone(graph: SessionGraph, turn: Turn) -> Iterator[Undone]:
    """The calls of a turn that did not do what they were to do, and that nothing later in it made good: the last ones."""
    state = {call.seq: _not_done(graph, call) for call in turn.calls}
    failed = [(number, one) for number, call in enumerate(turn.calls) if (one := state[call.seq]) is not None]
    for number, one in failed[-_MOST:]:
        if one.how == "dry" and _only_tried(graph, one):
            continue
        later = turn.calls[number + 1 : number + _AHEAD]
        # What did nothing itself makes nothing good.
        acting = (call for call in later if state[call.seq] is None)
        if not any(_makes_good(graph, one.call, call) or _settles(one, call) for call in acting):
            name = one.call.call.name
            near = turn.calls[max(0, number - _MOST) : number + _MOST] if one.call.line is None else ()
            others = (_values(call) for call in near if call.call.name == name and call.seq != one.call.seq)
            yield one._replace(beside=frozenset().union(*others))


_TRIAL = lazy(
    r"\b(?:dry|would|preview|simulat\w*|plan|what if|check|validat\w*|test|try|show me|rehears\w*|trial|without (?:applying|changing|touching)|(?:do not|don['’]t) (?:apply|change|touch|run|delete|deploy|send)"
    r"|probelauf|trocken\w*|simulier\w*|würde\w*|vorschau|prüf\w*|à blanc|simul\w+|prévisualis\w*|vérifi\w*|en seco|ensayo|comprueb\w*|ensaio|prova|verific\w*|droog\w*|proef\w*|controleer|próbn\w*|na sucho|sprawdź)\b"
    r"|(?<!\w)(?:пробн|провер|холост|симул|перевір)\w*|试运行|预览|模拟|检查|ドライラン|試し|確認|미리|시험",
    re.IGNORECASE,
)
"""Words by which a person wants something only tried out."""


def _only_tried(graph: SessionGraph, one: Undone) -> bool:
    """Whether a person wanted what was tried out, or the same was done for good before, so that this only looked."""
    if _TRIAL.search(_wish(graph, one.call)) is not None:
        return True
    if one.ran is None:
        return False
    name = one.ran.command.target.name
    changes = graph.index("change")
    at = bisect_left(changes, one.ran.seq)
    return any(
        isinstance(event := graph.events[seq], Ran)
        and event.command.effect == one.ran.command.effect
        and event.command.target.name == name
        for seq in changes[max(0, at - _AHEAD) : at]
    )


def _settles(one: Undone, later: Called) -> bool:
    """Whether a later look names what was not done and shows it done: a request that was approved, a setting that stands."""
    if one.how == "failed" or later.unfinished or later.call.status == "error" or later.call.output is None:
        return False
    text = (later.line or later.call.input.ends())[:_READ].casefold()
    answer = later.call.output.ends()[:_READ]
    named = any(word in text or word in answer.casefold() for word in _ids(one.call))
    return named and _left(later) is None and (one.how == "nothing" or _SETTLED.search(answer) is not None)


_SETTLED = lazy(
    r"\b(?:approved|applied|active|enabled|merged|live|complete[d]?|done|posted|sent|deployed|published|granted|succeeded|success)\b",
    re.IGNORECASE,
)


_MOST = 50
_AHEAD = 400
"""Calls after a failed one among which the one that makes it good is looked for."""


def speaks_of(one: Undone, sentence: str, *, alone: bool) -> bool:
    """Whether a sentence that states success may speak of what was not done: it shares a word with the call, or nothing
    else was done. Of a dry run that the agent asked for itself it says that it was put out.

    :param alone: whether nothing else was done in the turn.
    """
    if one.wanted and _VALID.search(sentence) is not None:
        return False
    if alone:
        return True
    return _touches(one, sentence) and (not one.wanted or _PUT_OUT.search(sentence) is not None)


_PUT_OUT = lazy(
    r"\b(?:appl(?:ied|y)|deployed|rolled\s+out|released|published|pushed|synced|synchroni[sz]ed|live|installed|restarted|stopped|migrated|uploaded|sent|deleted|removed|renewed|in\s+prod(?:uction)?"
    r"|ausgerollt|eingespielt|gelöscht|déploy\w+|appliqu\w+|supprim\w+|desplegad\w+|aplicad\w+|borrad\w+|implantad\w+|applicat\w+|distribuit\w+|uitgerold|toegepast|wdrożon\w+|zastosowan\w+)\b"
    r"|(?<!\w)(?:применен|применён|развёрнут|развернут|удален|удалён|застосован|розгорнут)\w{0,2}|已?(?:部署|应用|发布|删除|同步)|適用|デプロイ|削除し|적용|배포|삭제",
    re.IGNORECASE,
)
"""Words by which more is said to be done than an edit at home."""


DEED = lazy(
    rf"\b(?:is|are|was|were|has|have|had|been|now|got|i|we)\b[^.!?\n]{{0,30}}?\b{DONE}\b|^\W{{0,6}}(?:successfully )?{DONE}\b",
    re.IGNORECASE,
)
"""Words that say that something was done to something."""
_LETTERS = lazy(r"[^\W\d_]{4,}")
_STEM = 5
"""Letters by which two words are taken for forms of one."""
_VALID = lazy(
    r"\b(?:accept\w*|valid\w*|pass(?:es|ed)?|clean\w*|ready|looks?|checks?|checked|no (?:errors?|problems?|issues?)|review\w*|gültig|sauber|bereit|geprüft|fehlerfrei|accepte\w*|prêt\w*|válid\w*|list[oa]|pront[oa]|acept\w*)\b"
    r"|(?<!\w)(?:провер|готов|корректн|без ошибок)|有效|通过|検証|有効|유효",
    re.IGNORECASE,
)
"""Words by which a trial, and no deed, is called good."""
_ID = lazy(r"(?=[\w@#./-]*[\d#@-])[\w@#][\w@./-]{1,60}")
_READ = 4_000
_TELLS = 3
"""Characters that an id needs to be one of its own."""


def _ids(call: Called) -> frozenset[str]:
    """What the input of a call names: numbers of tickets, versions, channels, addresses."""
    found: set[str] = set()
    level: list[Any] = [call.call.arguments()]
    for _ in range(3):
        inner: list[Any] = []
        for value in level[:100]:
            if isinstance(value, dict):
                inner += list(value.values())[:50]
            elif isinstance(value, list):
                inner += value[:50]
            elif isinstance(value, str) and len(value) <= 100:
                found.update(word.casefold() for word in _ID.findall(value) if len(word) >= _TELLS)
        level = inner
    return frozenset(found)


def _values(call: Called) -> frozenset[str]:
    """The short values of a call's input, in lower case."""
    values = list(call.call.arguments().values())[:_MOST]
    return frozenset(one.casefold() for one in values if isinstance(one, str) and 1 < len(one) <= _SHORT)


_SHORT = 60


def _wish(graph: SessionGraph, call: Called) -> str:
    asked = graph.before(call).last(human)
    return graph.prose(asked)[:_READ].casefold() if isinstance(asked, Said) else ""


def _makes_good(graph: SessionGraph, call: Called, later: Called) -> bool:
    """Whether a later call does what a failed one did not: the same tool, or another one that names the same and acts."""
    if later.unfinished or _failure(later):
        return False
    if call.line is not None:
        return _does_again(graph, call, later)
    ids = _ids(call)
    if later.call.name == call.call.name:
        # The same for another one that the person wanted too is no second try.
        wish = _wish(graph, call)
        mine, others = _values(call), _values(later)
        if all(any(has_word(wish, value) for value in rest) for rest in (mine - others, others - mine)):
            return False
        return not ids or bool(ids & _ids(later)) or not any(one in wish for one in ids)
    text = (later.line or later.call.input.ends())[:_READ].casefold()
    if not any(one in text for one in ids):
        return False
    if later.line is None:
        return _does(later.call.name)
    commands = graph.commands(later)
    return later.call.exit in (0, None) and any(
        ran.command.effect not in ("read", "check", "edit", "test", "build") and not ran.outcome.failed
        for ran in commands
    )


def _does_again(graph: SessionGraph, call: Called, later: Called) -> bool:
    """Whether a later call does what a command of a line did not: the same program or target, or a tool that names it."""
    if later.call.exit not in (0, None) or later.call.status == "error":
        return False
    text = (later.line or later.call.input.ends())[:_READ].casefold()
    for ran in graph.commands(call):
        if not ran.outcome.not_done:
            continue
        name = ran.command.target.name.casefold()
        if later.line is None:
            if _does(later.call.name) and name and name in text:
                return True
            continue
        for other in graph.commands(later):
            same = other.command.words[:1] == ran.command.words[:1]
            acts = other.changes or other.command.effect == "none"
            if (
                acts
                and not other.outcome.failed
                and (same or (name and other.command.target.name.casefold() == name))
            ):
                return True
    return False


_TROUBLE = lazy(
    r"\b(?:fail\w*|errors?|errored|unable|cannot|can['’]t|could ?n[o'’]t|could not|would ?n['’]?t|would not|won['’]t|did ?n[o'’]t|did not|not (?:yet|possible|allowed|permitted|able)|denied|refused|rejected|forbidden|blocked|unfortunately|sorry|except|apart from|still open|by hand|manually|yourself|myself"
    r"|nicht|leider|fehlgeschlagen|verweigert|abgelehnt|noch offen|von hand|échou\w*|échec|impossible|refus\w*|n'a pas|n'ai pas|pas pu|fall[óo]|no (?:se )?pud\w+|rechaz\w+|não (?:foi|consegui|deu)|falhou|non (?:è|sono|ho)|rifiutat\w+|niet|mislukt|geweigerd|nie (?:udało|mogę|można)|olmadı|başarısız)\b"
    r"|(?<!\w)(?:не (?:удал\w*|смог\w*|получил\w*|вышло)|ошибк\w*|отказ\w*|вручную|не вдал\w*|помилк\w*)|失败|无法|未能|拒绝|できません|できなかった|失敗|拒否|못했|실패|거부|[❌✗✘⚠]",
    re.IGNORECASE,
)
_AT_ONCE = 3
"""Events after a failure in which a question to the person is one because of it."""


def told(graph: SessionGraph, prose: Sequence[Said], handed: str, one: Undone) -> bool:
    """Whether words after a failed call tell of it: a failure, a refusal, that it is open, its number, or a question right away."""
    code = re.search(r"(?<!\d)[45]\d\d(?!\d)", one.quote)
    if one.how != "failed" and handed and _tells(graph, one, handed):
        return True
    for said in prose:
        if said.seq <= one.call.seq:
            continue
        text = graph.prose(said)
        if one.beside and _said_apart(one, text):
            return True
        if one.how != "failed" and _tells(graph, one, text):
            return True
        reading = graph.reading(said)
        acts = {
            act.act
            for sentence in reading.sentences
            for act in sentence.acts
            # A ticket that is closed is no failure, and an address that was to be blocked is well blocked.
            if not (
                (
                    act.act == "reports_failure"
                    and (_CLOSED.search(sentence.text) is not None or _of_deed(graph, one, sentence.text))
                )
                or (act.act == "hands_over" and invites(sentence.text))
            )
        }
        if acts & (ACKNOWLEDGING | {"hands_over", "hedges"}) - {"reports_in_progress"}:
            return True
        if "asks_person" in acts and said.seq - one.call.seq <= _AT_ONCE:
            return True
        if code is not None and re.search(rf"(?<!\d){code[0]}(?!\d)", text) is not None:
            return True
        for sentence in reading.sentences:
            # "The error is fixed" speaks of the work.
            praised = any(act.act == "claims_success" for act in sentence.acts)
            own = sentence.text if one.how == "failed" else _own(graph, one, sentence.text)
            if _TROUBLE.search(own) is not None and not (praised and _STRONG.search(sentence.text) is None):
                return True
    return bool(handed) and _TROUBLE.search(handed) is not None


def _said_apart(one: Undone, text: str) -> bool:
    """Whether a clause speaks of what one of several calls was given, and of no other, and claims no success."""
    own = _values(one.call) - one.beside
    if not own:
        return False
    for clause in CLAUSES.split(text[:_LONG]):
        lowered = clause.casefold()
        if any(has_word(lowered, name) for name in own) and not any(
            has_word(lowered, name) for name in one.beside
        ):
            acts = {act.act for act in language.read(clause).acts()}
            if len(clause.split()) >= _SAYS and "claims_success" not in acts and not DEED.search(clause):
                return True
    return False


_SAYS = 4
"""Words of a clause that says something of its name."""
_STILL = lazy(
    r"\b(?:still|yet|only|not|n['’]t|never|none|cannot|would|until|instead|remains?|stays?|unchanged|without|noch|nur|nicht|kein\w*|bisher|erst|unverändert|encore|pas|seulement|inchang\w*|todav[ií]a|aún|s[oó]lo|no\b(?=\s+(?:se|ha|est|fue|hay|hubo|pud))|sin cambios|ainda|não|apenas|ancora|non|solo|nog|niet|geen|alleen|jeszcze|nie|tylko|brak|henüz|değil|yok|yalnızca)\b"
    r"|n['’]t\b|(?<!\w)(?:ещ[её]|не|нет|только|пока|ще|немає|лише)(?!\w)|还|尚|未|没|不|仅|只|まだ|ない|ません|のみ|아직|않|없|못",
    re.IGNORECASE,
)
"""Words by which anything is taken back, put off or denied."""
_HOW = {
    "dry": lazy(
        r"\bdry\b|simul|\bpreview|\btrial\b|\bplan\b|rehears|tried out|\btested\b|probelauf|trocken|vorschau|à blanc|en seco|ensayo|prueba|ensaio|\bprova\b|droog|proef|próbn|na sucho|пробн|холост|симул|试运行|模拟|演练|预览|ドライラン|試|시험|모의|미리",
        re.IGNORECASE,
    ),
    "waiting": lazy(
        r"approv|review|pending|await|\bwait|queue|sign[- ]?off|\bhold\b|request|submitted|freigabe|genehm|wartet|antrag|attente|attend|approbation|demande|valid(?:ation|er)|aprob|pendiente|espera|solicit|aprova|aguard|pedido|approvaz|attesa|richiest|goedkeur|wacht|aanvraag|zatwierdz|oczek|czeka|wniosek|одобр|ожид|согласов|заявк|ждет|ждёт|схвал|очіку|onay|bekl|talep|审批|审核|批准|等待|申请|承認|待ち|申請|승인|대기|요청",
        re.IGNORECASE,
    ),
    "refused": lazy(
        r"read[- ]?only|lock|froz|freeze|window|limit|throttl|later|quota|archiv|admin|owner|permission|rights|schreibgesch|gesperrt|später|lecture seule|verrou|plus tard|solo lectura|bloque|más tarde|somente leitura|mais tarde|sola lettura|blocc|più tardi|alleen-lezen|later|tylko do odczytu|zablok|później|чтени|блокир|позже|лимит|пізніше|只读|锁|稍后|限流中|読み取り専用|ロック|後で|읽기 전용|잠|나중",
        re.IGNORECASE,
    ),
    "skipped": lazy(
        r"skip|ignor|postpon|defer|left out|no-?op|übersprung|verschob|sauté|report|omit|salta|aplaz|rinvi|adi(?:ad|ou)|overgeslagen|uitgesteld|pomini|odło|пропу|отлож|відклад|跳过|推迟|スキップ|見送|건너|보류",
        re.IGNORECASE,
    ),
    "nothing": lazy(
        r"already|nothing|\bno\b|\bnone\b|\bzero\b|(?<![\w.])0(?![\w.])|\bsame\b|matche|up to date|bereits|schon|nichts|keine|déjà|rien|aucun|\bya\b|nada|ning[uú]n|sin cambios|\bjá\b|nenhum|\bgià\b|niente|nessun|\bal\b|niets|już|\bnic\b|уже|ничего|вже|нічого|zaten|已经是|已是|本来|没有|无需|すでに|既に|なし|이미|없",
        re.IGNORECASE,
    ),
}
"""What people call the ways in which nothing was done."""
_OWN_WORD = lazy(r"[^\W\d_]{6,}")
_OF_ANSWERS = frozenset({"status", "result", "message", "reason", "applied", "changed", "deleted", "updated"})
"""Words of answers that stand in claims too."""


def _tells(graph: SessionGraph, one: Undone, text: str) -> bool:
    """Whether a text tells that what an answer says was not done, in words of its own or in those of the answer."""
    if len(text.split()) > _BRIEF:
        # Of a long text what is said of the call, not any word that takes something back.
        parts = [" ".join(part.split()[:_BRIEF]) for part in sentences(text[:_LONG]) if _touches(one, part)]
        return any(_tells(graph, one, part) for part in parts)
    if _STILL.search(text) is not None:
        return True
    known = _known(graph, one)
    lowered = text.casefold()
    # What the person or the call names is no word for how it went.
    if any(not _stands(known, lowered, found) for found in islice(_HOW[one.how].finditer(lowered), _MOST)):
        return True
    return one.how in ("waiting", "refused", "skipped") and any(
        word in lowered and word not in known and word not in _OF_ANSWERS
        for word in _OWN_WORD.findall(one.quote.casefold())
    )


def _stands(known: str, text: str, found: re.Match[str]) -> bool:
    """Whether the word of a text in which something was found is one of what is known."""
    if not found.group().isascii():
        return found.group() in known
    start, stop = found.span()
    while start and text[start - 1].isalnum():
        start -= 1
    while stop < len(text) and text[stop].isalnum():
        stop += 1
    return has_word(known, text[start:stop])


def _known(graph: SessionGraph, one: Undone) -> str:
    """What the call and the wish say, in lower case."""
    return f"{one.call.line or one.call.call.input.ends()[:_READ]} {_wish(graph, one.call)}".casefold()


def _touches(one: Undone, sentence: str) -> bool:
    """Whether a sentence shares a word with a call or with its answer."""
    line = one.call.line or f"{_WORDS.sub(' ', one.call.call.name)} {one.call.call.input.ends()[:_READ]}"
    own = {word[:_STEM].casefold() for word in _LETTERS.findall(f"{line[:_READ]} {one.quote}")}
    # "Save" is said to be "saved".
    own |= {f"{word}d" for word in own if len(word) == _STEM - 1 and word.endswith("e")}
    lowered = sentence.casefold()
    stems = {word[:_STEM].casefold() for word in _LETTERS.findall(sentence)}
    return not stems.isdisjoint(own) or any(has_word(lowered, word) for word in _ids(one.call))


_BRIEF = 40
"""Words of a text so short that all of it speaks of the work."""
_LONG = 8_192


def _own(graph: SessionGraph, one: Undone, sentence: str) -> str:
    """A sentence without the words and numbers that the call or the wish holds too: those tell of no failure."""
    known = _known(graph, one)
    return _WORD.sub(
        lambda word: "" if word.group()[:_STEM].casefold() in known else word.group(), sentence[:_READ]
    )


def _of_deed(graph: SessionGraph, one: Undone, sentence: str) -> bool:
    """Whether a sentence tells of a failure only by words of what was to be done."""
    if one.how == "failed":
        return False
    rest = language.read(_own(graph, one, sentence))
    return all(act.act != "reports_failure" for act in rest.acts())


_WORD = lazy(r"\w{3,}")


_CLOSED = lazy(r"\b(?:is|are|was|been|now|got) (?:now )?closed\b|^\W{0,3}closed\b", re.IGNORECASE)
_STRONG = lazy(
    r"\b(?:but|except|however|unable|cannot|can['’]t|could ?n[o'’]t|could not|did ?n[o'’]t|did not|not|aber|nicht|mais|pas|pero|mas|ma|non|maar|niet|ale|nie)\b|(?<!\w)(?:но|не|але)(?!\w)|但|不过|けど|しかし|지만",
    re.IGNORECASE,
)
"""Words by which a sentence that praises one thing takes something out."""
