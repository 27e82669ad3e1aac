"""Calls by which the assistant speaks to people: questions, messages, posts, and work handed in with a text.

What such a tool was given is read as prose of the assistant. Whether a tool speaks is told by the words of its
name, so that a client or a server nobody knows is understood too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from sessionlens.cache import lazy
from sessionlens.model import Call
from sessionlens.shell.command import Command, Outcome
from sessionlens.shell.messages import no_answer, refusal, refusal_by_mark, words_in

_HANDS_IN = lazy(
    r"(?:^|_)(?:submit|finish|finished|complete|completed|done|end|final|conclude|attempt_completion)(?:_|$)"
    r"|^(?!.*(?:^|_)(?:messages?|e?mails?|sms|notifications?|webhooks?|events?|push)(?:_|$)).*(?:^|_)deliver(?:_|$)",
    re.IGNORECASE,
)
"""Names of tools, in snake case, by which agents of all makes hand in or end their work; what delivers messages does not."""
_CAMEL = lazy(r"(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z0-9]+")
_STATING = ("message", "summary", "result", "text", "answer", "content", "report", "output", "description", "reason",
            "response", "final_answer", "conclusion", "notes", "note", "comment", "comments", "explanation", "details", "findings", "remarks",
            "caveats", "limitations", "issues", "known_issues", "open_issues", "blockers", "warnings", "body")  # fmt: skip
"""Arguments of such tools that hold what is stated."""

_ASKING = frozenset({"question", "questions", "clarify", "askuser", "askhuman"})
"""Words of a name that say by themselves that somebody is asked."""
_SAYING = frozenset(
    {"ask", "send", "post", "notify", "reply", "respond", "report", "tell", "message", "say", "comment", "deliver", "announce", "inform", "alert",
     "publish", "speak", "chat", "email", "request", "write", "add", "create", "update"}
)  # fmt: skip
_TO_PEOPLE = frozenset(
    {"user", "users", "human", "person", "followup", "message", "messages", "slack", "mail", "email", "notification",
     "notifications", "chat", "channel", "telegram", "discord", "teams", "mattermost", "sms", "dm", "thread", "reply",
     "response", "answer", "feedback", "operator", "input", "comment", "comments", "issue", "ticket", "incident"}
)  # fmt: skip
"""Words of a name for people, and for what reaches them."""
_ONLY_CREATE = frozenset({"write", "add", "create", "update", "request", "publish"})
"""Verbs that make many things: they speak only with a word for a message, or for the person asked."""
_MESSAGES = frozenset(
    {"message", "messages", "reply", "notification", "followup", "input", "feedback", "comment", "comments", "issue", "ticket",
     "incident", "email", "mail"}
)  # fmt: skip
_NOT_SAID = frozenset(
    {"get", "list", "read", "search", "fetch", "delete", "find", "history", "agent", "subagent", "teammate", "queue", "topic",
     "kafka", "sqs", "rabbitmq", "commit", "draft", "schema", "keys", "permission"}
)  # fmt: skip
"""Words by which a tool looks up messages, or sends them to programs."""
_TEXTS = (
    "question",
    *_STATING,
    "markdown",
    "msg",
    "title",
    "subject",
    "prompt",
    "blocks",
    "embeds",
    "attachments",
    "card",
)
_ENDS = frozenset(
    {"body", "text", "message", "comment", "content", "markdown", "summary", "description", "notes"}
)
_TO_AGENTS = ("recipient", "to", "agent", "target_agent", "agent_id", "subagent_type")
_MOST = 20
"""Questions of one call that are read."""


@lru_cache(maxsize=1024)
def hands_in(tool: str) -> bool:
    """Whether a tool, by its name, hands work in or ends it: ``submit``, ``attempt_completion``, ``TaskDone`` …"""
    return _HANDS_IN.search(_CAMEL.sub("_", tool)) is not None


def handed_in(call: Call) -> str:
    """The text with which a call hands work in; empty where it holds none."""
    return _joined(call.arguments(), _STATING)


@lru_cache(maxsize=1024)
def speaks(tool: str) -> bool:
    """Whether a tool, by the words of its name, speaks to people: it asks, sends, posts, notifies, replies."""
    words = [word for word in _CAMEL.sub("_", tool).casefold().split("_") if word]
    own = set(words)
    if own & _NOT_SAID:
        return False
    if own & _ASKING or words[-1:] in (["ask"], ["notify"]):
        return True
    verbs, people = own & _SAYING, own & _TO_PEOPLE
    if not verbs or not (people - verbs or len(verbs) > 1):
        return False
    return (bool(verbs - _ONLY_CREATE) and bool(people)) or bool(own & _MESSAGES)


def spoken(call: Call) -> str:
    """What a call says to people; empty where it says nothing, was refused, is sent to another agent, or may not have arrived."""
    if not (speaks(call.name) or hands_in(call.name)) or call.status == "error":
        return ""
    answer = call.output.head if call.output is not None else ""
    if _to_reader(call.name):
        return "" if refusal_by_mark(answer) else _words(call)
    text = "" if _unanswered(call) else _words(call)
    return "" if not text or refusal(answer, text) or no_answer(answer, text) else text


def unsure(call: Call) -> str:
    """What a call says to people where its result does not show whether it arrived: cut off, stopped, no answer in time."""
    if not speaks(call.name) or _to_reader(call.name):
        return ""
    shown = call.error if call.status == "error" and call.error is not None else call.output
    answer = shown.head if shown is not None else ""
    text = _words(call)
    if not text or not (_unanswered(call) or no_answer(answer, text)):
        return ""
    return text


def refused(call: Call) -> str:
    """The words by which a message to people was refused; empty where the call sends none, or it was not."""
    if not speaks(call.name) or _to_reader(call.name) or _unanswered(call):
        return ""
    text = _words(call)
    if not text or unsure(call):
        return ""
    if call.status == "error":
        said = call.error or call.output
        return (said.head.strip()[:200] if said is not None else "") or "error"
    return refusal(call.output.head, text) if call.output is not None else ""


def _unanswered(call: Call) -> bool:
    return call.timed_out or call.interrupted or call.status in ("pending", "running")


_ANSWERED = _ASKING | {"ask", "input", "followup", "feedback", "respond", "response", "attempt"}


@lru_cache(maxsize=1024)
def _to_reader(tool: str) -> bool:
    """Whether a tool speaks to the reader of the session, whose answer is a person's: it asks, or hands work in."""
    return hands_in(tool) or bool(set(_CAMEL.sub("_", tool).casefold().split("_")) & _ANSWERED)


def asks(tool: str) -> bool:
    """Whether a tool, by the words of its name, asks the reader of the session and waits for the answer."""
    return _to_reader(tool) and not hands_in(tool)


def tells_others(call: Call) -> bool:
    """Whether a call, by the name of its tool, sends a message to people elsewhere, and was not refused."""
    return speaks(call.name) and not _to_reader(call.name) and call.status != "error" and not refused(call)


def posts(ran: Sequence[tuple[Command, Outcome]], call: Call) -> Iterator[Posted]:
    """The messages to people that a command line sends, without those that were refused or never reached.

    :param ran: its commands in order, each with what the result shows of it.
    """
    if call.status == "error" or all(command.says is None for command, _ in ran):
        return
    answer = call.output.ends() if call.output is not None else ""
    branches = any(command.says is not None and command.runs_if == "after_failure" for command, _ in ran)
    for number, (command, outcome) in enumerate(ran):
        if command.says is None or outcome.reached == "no":
            continue
        last = number + 1 == len(ran)
        failed = outcome.failed or outcome.state == "bad"
        lost = failed and (no_answer(outcome.quote, "") or (last and no_answer(answer, command.says)))
        if failed and not lost:
            continue
        broken = command.runs_if == "after_success" and call.exit not in (0, None)
        if broken and last:
            # Either it failed, or what stands before it did and it never ran.
            continue
        open_end = (_unanswered(call) or outcome.expired) and outcome.completed != "yes"
        unsure_run = broken or (branches and command.runs_if != "always")
        arrived = not (open_end or lost or unsure_run) and outcome.reached == "yes"
        yield Posted(command.words[0], command.says, arrived)


class Posted(NamedTuple):
    """A message that a command sends."""

    through: str
    """The program that sends it."""
    words: str
    """What it says; empty where the line does not hold it."""
    arrived: bool
    """Whether its result shows that it was taken."""


def _words(call: Call) -> str:
    arguments = call.arguments()
    bare = "__" not in call.name and "." not in call.name
    if (
        bare
        and call.name.casefold().startswith("sendmessage")
        and any(key in arguments for key in _TO_AGENTS)
    ):
        # A client's own tool by which its agents write to each other.
        return ""
    asked = arguments.get("questions")
    several = asked[:_MOST] if isinstance(asked, list) else ()
    return "\n\n".join(text for text in (_joined(arguments, _TEXTS), *_questions(several)) if text)[:8192]


def _questions(several: Any) -> Iterator[str]:
    for one in several:
        if isinstance(one, str):
            yield one.strip()
        elif isinstance(one, Mapping):
            yield _joined(one, ("question", "text", "prompt", "message"))


def _joined(arguments: Mapping[str, Any], keys: tuple[str, ...]) -> str:
    named = {_CAMEL.sub("_", str(key)).casefold(): value for key, value in arguments.items()}
    held = [key for key in keys if key in named]
    # `commentBody`, `message_text`: the last word of a name tells what it holds.
    held += [key for key in named if key not in keys and key.rsplit("_", 1)[-1] in _ENDS]
    found = [text for key in held for text in _lines(named[key])]
    return "\n\n".join(text.strip() for text in found if text.strip())[:8192]


def _lines(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for one in value[:_MOST]:
            yield one if isinstance(one, str) else words_in(one)
    elif isinstance(value, Mapping):
        yield words_in(value)


_INVITES = lazy(
    r"\b(?:you\s+can|you\s+may|you['’]re\s+(?:good|free|clear)\s+to|feel\s+free\s+to|du\s+kannst|ihr\s+könnt|sie\s+können|kannst\s+du|könnt\s+ihr|können\s+sie|tu\s+peux|vous\s+pouvez|pued(?:es|e|en)|pod(?:es|e|em)|puoi|potete|(?:je|jij|u|jullie)\s+k(?:an|unt|unnen)|możesz|możecie)\b|(?<!\w)може(?:шь|те|ш)(?!\w)",
    re.IGNORECASE,
)
_BY_HAND = lazy(
    r"\b(?:yourself|yourselves|manually|by\s+hand|again|retry|instead|later|once|after|then|selbst|selber|von\s+hand|manuell|noch|nochmal|erneut|sobald|toi-même|vous-mêmes?|à\s+la\s+main|encore|manualmente|a\s+mano|de\s+nuevo|novamente|zelf|handmatig|opnieuw|ręcznie|ponownie)\b|(?<!\w)(?:сам\w*|вручную|снова|якщо|знову)(?!\w)"
    r"|`|\b(?:run|execute|start|launch|trigger|apply|with|using|via|ausführen|starten|anwenden|mit|lancer|exécuter|appliquer|avec|ejecutar|lanzar|aplicar|con|executar|rodar|com|eseguire|lanciare|applicare|uitvoeren|met|uruchomić)\b|(?<!\w)(?:запустить|выполнить|применить|запустити)(?!\w)"
    r"|(?<!\w)(?:if|wenn|si|cuando|se|quando|als|jeśli|если|когда)\s+(?!you(?:['’]d)?\s+(?:like|want)|du\s+(?:magst|willst|möchtest)|quier|quiser|vuoi|volete|tu\s+veux|vous\s+voulez|je\s+wilt|chcesz|хо(?:чешь|тите))",
    re.IGNORECASE,
)
"""Words by which what the person may do is a part of the work, or waits for something."""


def invites(sentence: str) -> bool:
    """Whether a sentence tells the person what they may do now, as one who builds on the work, and leaves them no part of it."""
    return _INVITES.search(sentence) is not None and _BY_HAND.search(sentence) is None
