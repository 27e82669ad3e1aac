"""Calls of tools that act on other systems (a ticket, a release, a page, a message) which failed and were not made good.

No table knows what such a tool does: its name says that it does something, and its result that it did not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from sessionlens.cache import lazy
from sessionlens.graph.events import Called, Said, Turn
from sessionlens.graph.queries import human
from sessionlens.graph.shortfalls import refused
from sessionlens.graph.speaking import hands_in
from sessionlens.language.acts import ACKNOWLEDGING

if TYPE_CHECKING:
    from sessionlens.graph.session_graph import SessionGraph


class Undone(NamedTuple):
    """A call that was to do something elsewhere and failed."""

    call: Called
    """The call."""
    quote: str
    """The words of its result that say so."""


_AT_HOME = frozenset({"read", "edit", "check", "test", "build"})
"""Effects of tools by which nothing is done elsewhere."""
_WORDS = lazy(r"(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z0-9]+")
_DOES = frozenset(
    {"transition", "close", "resolve", "reopen", "create", "update", "delete", "remove", "publish", "release", "merge", "post", "send", "notify", "comment", "add", "assign",
     "move", "set", "deploy", "schedule", "upload", "approve", "trigger", "archive", "book", "invite", "cancel", "rotate", "restart", "pause", "resume", "enable", "disable",
     "grant", "revoke", "register", "label", "tag", "push", "patch", "put", "save", "change", "share", "complete", "mark", "toggle", "provision", "scale", "rollback", "reply",
     "insert", "upsert", "apply", "dispatch", "unassign", "link", "attach", "rename", "promote", "import", "sync", "edit", "modify", "start", "stop", "run"}
)  # fmt: skip
"""Words of a tool's name by which it does something."""
_DOES_NOT = frozenset(
    {"get", "list", "search", "read", "fetch", "find", "query", "describe", "show", "view", "lookup", "browser", "playwright", "puppeteer", "chrome", "screenshot", "click", "navigate",
     "memory", "todo", "todos", "plan", "think", "thinking", "thought", "subagent", "agent", "bash", "shell", "terminal", "execute", "exec", "command", "file", "files", "directory", "folder", "code",
     "diff", "test", "tests", "entities", "observations", "relations", "mode", "note", "notes", "notebook", "cell", "skill", "knowledge", "task_list", "lsp", "diagnostics", "process", "session"}
)  # fmt: skip
"""Words of a tool's name by which it looks, works on the agent's own machine, or keeps the agent's own notes."""
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


@lru_cache(maxsize=1024)
def _does(tool: str) -> bool:
    words = {word for word in _WORDS.sub("_", tool).casefold().split("_") if word}
    return (
        bool(words & _DOES)
        and not words & _DOES_NOT
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


def undone(graph: SessionGraph, turn: Turn) -> Iterator[Undone]:
    """The calls of a turn that were to do something elsewhere, failed, and that nothing later in it made good: the last ones."""
    failed = [
        (number, quote)
        for number, call in enumerate(turn.calls)
        if call.line is None
        and _does(call.call.name)
        and not any(ran.command.effect in _AT_HOME for ran in graph.commands(call))
        and (quote := _failure(call))
    ]
    for number, quote in failed[-_MOST:]:
        call = turn.calls[number]
        if not any(_makes_good(graph, call, later) for later in turn.calls[number + 1 : number + _AHEAD]):
            yield Undone(call, quote)


_MOST = 50
_AHEAD = 400
"""Calls after a failed one among which the one that makes it good is looked for."""
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


def _wish(graph: SessionGraph, call: Called) -> str:
    asked = graph.before(call).last(human)
    return graph.prose(asked)[:_READ].casefold() if isinstance(asked, Said) else ""


def _makes_good(graph: SessionGraph, call: Called, later: Called) -> bool:
    """Whether a later call does what a failed one did not: the same tool, or another one that names the same and acts."""
    if later.unfinished or _failure(later):
        return False
    ids = _ids(call)
    if later.call.name == call.call.name:
        # The same for another one that the person wanted too is no second try.
        return not ids or bool(ids & _ids(later)) or not any(one in _wish(graph, call) for one in ids)
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


_TROUBLE = lazy(
    r"\b(?:fail\w*|errors?|errored|unable|cannot|can['’]t|could ?n[o'’]t|could not|won['’]t|did ?n[o'’]t|did not|not (?:yet|possible|allowed|permitted|able)|denied|refused|rejected|forbidden|blocked|unfortunately|sorry|except|apart from|still open|by hand|manually|yourself|myself"
    r"|nicht|leider|fehlgeschlagen|verweigert|abgelehnt|noch offen|von hand|échou\w*|échec|impossible|refus\w*|n'a pas|n'ai pas|pas pu|fall[óo]|no (?:se )?pud\w+|rechaz\w+|não (?:foi|consegui|deu)|falhou|non (?:è|sono|ho)|rifiutat\w+|niet|mislukt|geweigerd|nie (?:udało|mogę|można)|olmadı|başarısız)\b"
    r"|(?<!\w)(?:не (?:удал\w*|смог\w*|получил\w*|вышло)|ошибк\w*|отказ\w*|вручную|не вдал\w*|помилк\w*)|失败|无法|未能|拒绝|できません|できなかった|失敗|拒否|못했|실패|거부|[❌✗✘⚠]",
    re.IGNORECASE,
)
_AT_ONCE = 3
"""Events after a failure in which a question to the person is one because of it."""


def told(graph: SessionGraph, prose: Sequence[Said], handed: str, one: Undone) -> bool:
    """Whether words after a failed call tell of it: a failure, a refusal, that it is open, its number, or a question right away."""
    code = re.search(r"(?<!\d)[45]\d\d(?!\d)", one.quote)
    for said in prose:
        if said.seq <= one.call.seq:
            continue
        text = graph.prose(said)
        reading = graph.reading(said)
        acts = {
            act.act
            for sentence in reading.sentences
            for act in sentence.acts
            # A ticket that is closed is no failure.
            if not (act.act == "reports_failure" and _CLOSED.search(sentence.text) is not None)
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
            if _TROUBLE.search(sentence.text) is not None and not (
                praised and _STRONG.search(sentence.text) is None
            ):
                return True
    return bool(handed) and _TROUBLE.search(handed) is not None


_CLOSED = lazy(r"\b(?:is|are|was|been|now|got) (?:now )?closed\b|^\W{0,3}closed\b", re.IGNORECASE)
_STRONG = lazy(
    r"\b(?:but|except|however|unable|cannot|can['’]t|could ?n[o'’]t|could not|did ?n[o'’]t|did not|not|aber|nicht|mais|pas|pero|mas|ma|non|maar|niet|ale|nie)\b|(?<!\w)(?:но|не|але)(?!\w)|但|不过|けど|しかし|지만",
    re.IGNORECASE,
)
"""Words by which a sentence that praises one thing takes something out."""
