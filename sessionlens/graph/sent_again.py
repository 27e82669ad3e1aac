"""What must not be done twice, done again after an attempt whose end nobody saw, or that had come through.

A payment, a mail, a ticket, an import or an order whose command was cut off, lost its connection or got no answer in time
may have come through, in whole or in part. Doing it once more without a look at what had arrived does it twice; so does
the very same payment, mail or ticket after one that had come through.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec

from sessionlens.cache import lazy
from sessionlens.graph.events import Called, Ran, Said
from sessionlens.graph.partly import number
from sessionlens.graph.queries import human
from sessionlens.graph.undone import said_undone
from sessionlens.shell.servers import words_of

if TYPE_CHECKING:
    from sessionlens.graph.session_graph import SessionGraph

Sort = Literal["people", "data"]


class SentAgain(msgspec.Struct, frozen=True, kw_only=True):
    """One operation that is no harmless repetition, begun again."""

    first: Called
    """The attempt whose end nobody saw."""
    again: Called
    """The next one."""
    ran: Ran | None
    """The command of it; ``None`` for a tool without command lines."""
    sort: Sort
    """``people`` for money, mail and messages, ``data`` for rows and objects."""
    quote: str
    """The last words of the first attempt."""
    partly: bool
    """Whether the first attempt shows that a part had come through."""
    through: bool = False
    """Whether the first attempt had come through as a whole."""


class _Operation(NamedTuple):
    """What makes two attempts the same."""

    program: str
    verb: str
    about: frozenset[str]
    """The files, addresses and statements that it is given."""
    sort: Sort
    ran: Ran | None
    whole: str = ""
    """All that it is given, where the very same once more is surely a second one; else empty."""


_PEOPLE = frozenset(
    {"pay", "pays", "payout", "payouts", "payment", "payments", "charge", "charges", "refund", "refunds", "disburse", "remit", "settle", "invoice", "invoices",
     "topup", "send", "resend", "sendmail", "mail", "mails", "email", "emails", "mailing", "newsletter", "newsletters", "broadcast", "notify", "sms"}
)  # fmt: skip
_DATA = frozenset(
    {"import", "imports", "importer", "ingest", "load", "loaddata", "insert", "inserts", "enqueue", "append", "replay", "credit", "debit", "mint", "seed", "backfill", "order", "submit"}
)  # fmt: skip
_MAKES = frozenset(
    {
        "create",
        "open",
        "file",
        "make",
        "add",
        "place",
        "book",
        "submit",
        "post",
        "raise",
        "issue",
        "transfer",
        "reply",
        "publish",
    }
)
_MADE = frozenset(
    {"issue", "ticket", "tickets", "transfer", "payment", "payments", "order", "booking", "reservation", "invoice", "charge", "refund", "payout", "subscription", "incident", "alert",
     "comment", "reply", "tweet", "message", "messages", "purchase", "case", "event", "appointment", "notification"}
)  # fmt: skip
"""What the tools of other servers make, with such a verb, one more of each time."""
_CHANNELS = frozenset(
    {"mail", "email", "gmail", "outlook", "smtp", "sms", "slack", "teams", "discord", "telegram", "whatsapp", "twilio", "zulip", "mattermost", "matrix", "sendgrid", "mailgun", "ses",
     "postmark", "pagerduty", "opsgenie", "newsletter", "notification", "notifications", "push"}
)  # fmt: skip
"""Words of tools by which what they send reaches people."""
_NO_PERSON = frozenset(
    {"keys", "key", "input", "stdin", "signal", "command", "commands", "terminal", "browser", "agent", "subagent", "request", "chars", "prompt", "teammate"}
)  # fmt: skip
"""Words of tools that send something to a program."""
_ONLY_LOOKS = frozenset({"get", "list", "search", "read", "fetch", "find", "query", "describe", "show", "view", "lookup", "check", "count", "preview", "draft", "validate", "calculate", "estimate"})  # fmt: skip
_CREATES = frozenset(
    {"gh", "glab", "stripe", "twilio", "doctl", "linode-cli", "vultr-cli", "jira", "square", "paypal"}
)
"""Clients whose "create" makes another one each time."""
_MAKES_MORE = lazy(r"^aws ec2 (?:run-instances|create-volume|create-fleet|purchase-\S+|allocate-address)\b")
_SCRIPT = 2
"""Words among which the name of a script stands: itself, or behind its interpreter."""
_LONGEST = 60
"""Characters of a word that can be an order."""
_TOOLS = frozenset({"docker", "podman", "git", "npm", "pip", "apt", "apt-get", "helm", "kubectl", "terraform", "tofu", "systemctl", "make", "cmake", "cargo", "go",
                    "ssh-add", "gpg", "modprobe", "launchctl", "echo", "printf", "grep", "cat", "sed", "sleep", "cd"})  # fmt: skip
"""Programs whose words by those names do nothing twice."""
_EFFECTS = frozenset({"none", "write_data", "create", "transfer"})
_SAFE = lazy(
    r"(?<!\S)--?(?:resume|continue|skip\S*|dedup\S*|if-not-exists|upsert|on-conflict\S*|ignore-existing|replace|truncate|clean|drop|overwrite|only-failed|retry-failed|failed-only|missing\S*|from|start\S*|offset|after|since\S*|update|dry-run|check|validate|plan)(?:[= ]|$)",
    re.IGNORECASE,
)
"""Words by which a second attempt takes up the first, replaces it or finds what is there."""
_KEY = lazy(
    r"\b(?:x-)?(?:idempot[\w-]{0,30}|client[-_]?(?:request[-_]?)?token|clientRequestToken|(?:client[-_]?)?request[-_]?id|dedup\w{0,20}(?:[-_]id)?|external[-_]?(?:id|reference)|nonce)[\"']?(?:\s{0,3}[:=]\s{0,3}|\s+)[\"']?(?P<key>[^\s\"',}]{1,120})",
    re.IGNORECASE,
)
"""The key by which the other side knows a second attempt again."""
_FOUND_TWICE = lazy(
    r"\balready\b|duplicat|\bskipp|\bexists\b|\b(?:0|no) new\b|bereits|déjà|\bya\s|\bjá\b|\bgià\b|(?<!\w)уже\b|已(?:存在|发送)|既に|이미",
    re.IGNORECASE,
)
"""Words of a second attempt by which the other side knew what it had."""
_NO_ANSWER = lazy(
    r"operation timed out|read(?:ing)? timed? ?out|(?:request|response|gateway|statement|client|call|tool|server|api|execution)\W{0,2}(?:has )?time[d-]? ?out|timed out (?:waiting|after|while)|timeout (?:waiting|while|after|exceeded)|no (?:response|answer|reply) (?:from|within|in time|received)|\b50[24]\b.{0,40}(?:gateway|time)|gateway time-?out|connection reset|broken pipe|deadline ?exceeded|context deadline|unexpected eof|empty reply from server|server closed the connection",
    re.IGNORECASE,
)
"""Failures that leave open whether the other side did it; what never got a connection is none."""
_ANSWERED = lazy(
    r"\"(?:id|key|number|message_?id|url|sid)\"\s{0,3}:|\"(?:status|state)\"\s{0,3}:\s{0,3}\"(?:sent|succeeded|success|ok|paid|executed|created|completed?|delivered|queued|accepted)\"",
    re.IGNORECASE,
)
"""Answers by which the other side tells what it did."""
_SHORT = 600
"""Characters of an answer that says no more than that none came."""
_PROGRESS = lazy(
    r"\b(?:accepted|sent|submitted|processed|imported|inserted|loaded|queued|paid|done|delivered|verschickt|gesendet|importiert|envoyé\w*|enviad\w+)\b[^\n]{0,40}\d|\d[^\n]{0,40}\b(?:accepted|sent|submitted|processed|imported|inserted|loaded|queued|paid|done|delivered|rows)\b|\d{1,3}\s?%",
    re.IGNORECASE,
)
_TOKENS = lazy(r"[^a-z]+")
_CAMEL = lazy(r"(?<=[a-z0-9])(?=[A-Z])")
_MOST = 20
"""Attempts without an end that are followed at one time."""


def sent_again(graph: SessionGraph) -> Iterator[SentAgain]:
    """Every operation that was begun again after an attempt without an end, or that came through, without a look in between."""
    waiting: list[tuple[Called, _Operation]] = []
    through: list[tuple[Called, _Operation]] = []
    for seq in graph.index("called|human"):
        event = graph.events[seq]
        if isinstance(event, Said):
            # The person has seen it, and says what is to be done.
            waiting.clear()
            through.clear()
            continue
        if not isinstance(event, Called):
            continue
        open_ended = _open_ended(event)
        if not (open_ended or waiting or through or _may_send(event)):
            continue
        own = list(_operations(graph, event))
        found = next(
            (
                (first, now)
                for first, before in reversed(waiting)
                for now in own
                if first.at.session == event.at.session and _same(before, now) and not _safe(first, event)
            ),
            None,
        )
        if found is not None and not (_knew(event) or _looked_first(graph, event, found[1])):
            first, now = found
            text = _result(first)
            yield SentAgain(
                first=first,
                again=event,
                ran=now.ran,
                sort=now.sort,
                quote=text.strip()[-200:],
                partly=_PROGRESS.search(text[-2_000:]) is not None,
            )
        arrived = [one for one in own if one.whole and _came_through(graph, event, one)]
        doubled = next(
            (
                (first, now)
                for first, before in reversed(through)
                for now in arrived
                if before.whole == now.whole and first.at.session == event.at.session
            ),
            None,
        )
        if (
            doubled is not None
            and found is None
            and not (_knew(event) or _safe(doubled[0], event) or _several_wanted(graph, event))
        ):
            first, now = doubled
            yield SentAgain(
                first=first,
                again=event,
                ran=now.ran,
                sort=now.sort,
                quote=_result(first).strip()[-200:],
                partly=False,
                through=True,
            )
        if found is not None or (waiting and not open_ended and _looks(graph, event)):
            waiting.clear()
        if through and not arrived and not open_ended and (_looks(graph, event) or _writes(graph, event)):
            through.clear()
        if open_ended:
            waiting += [(event, one) for one in own]
            del waiting[:-_MOST]
        if arrived:
            through += [(event, one) for one in arrived]
            del through[:-_MOST]


def _may_send(called: Called) -> bool:
    """Whether a call may send something to people, by a cheap look at its words."""
    if called.line is None:
        return _sends(called.call.name)
    return _SENDS.search(called.line[:_LINE]) is not None


_LINE = 4_000
_SENDS = lazy(
    r"\b(?:mail|mailx|mutt|sendmail|msmtp|swaks|curl|http|https|xh|wget|stripe|twilio|gh|glab|jira|telegram-send|notify-send|ses|sns)\b"
)


def _writes(graph: SessionGraph, called: Called) -> bool:
    """Whether a call changes a file or data, by which the same words may send something else."""
    return any(ran.changes and ran.command.says is None for ran in graph.commands(called))


def _came_through(graph: SessionGraph, called: Called, one: _Operation) -> bool:
    """Whether the result of a call shows, or its exit code says, that what it sends was taken."""
    call = called.call
    if (
        called.unfinished
        or called.cut_off is not None
        or called.connection_lost
        or call.interrupted
        or call.background
    ):
        return False
    if call.status == "error" or call.exit not in (0, None):
        return False
    if one.ran is None:
        return _ANSWERED.search(_result(called)[:_LINE]) is not None and not said_undone(called)
    outcome = one.ran.outcome
    if outcome.failed or outcome.changed_nothing or outcome.not_done or outcome.reached == "no":
        return False
    if one.ran.command.says is None and graph.setting(one.ran).environment in ("local", "development"):
        return False
    return call.exit == 0 or _ANSWERED.search(_result(called)[:_LINE]) is not None


_SEVERAL = lazy(
    r"\b(?:twice|again|re-?send\w*|repeat\w*|times|both|each|every|another|more|load|stress|test\w*|duplicat\w*|zweimal|doppelt|nochmal\w*|mehrmals|wiederhol\w*|jede[rmns]?|beide\w*|deux\s+fois|encore|chaque|plusieurs|répét\w*|dos\s+veces|otra\s+vez|cada|varias|repit\w*|duas\s+vezes|outra\s+vez|várias|due\s+volte|ancora|ogni|twee\s+keer|opnieuw|elke|dwa\s+razy|ponownie|każd\w+|två\s+gånger|to\s+gange|to\s+ganger|dvakrát|znovu|iki\s+kez|tekrar)\b"
    r"|(?<!\w)(?:дважды|два\s+раза|снова|ещё\s+раз|еще\s+раз|кажд\w+|двічі|знову|кожн\w+|δύο\s+φορές|ξανά)(?!\w)|مرتين|दो\s+बार|两次|兩次|再次|每|二回|2回|もう一度|두\s?번|다시|\b\d{1,2}\s?[x×]\b|[x×]\s?\d{1,2}\b",
    re.IGNORECASE,
)
"""Words by which more than one may be wanted."""
_FEW = range(2, 13)


def _several_wanted(graph: SessionGraph, called: Called) -> bool:
    """Whether the person's last words may want more than one."""
    asked = graph.before(called).last(human)
    text = graph.prose(asked)[:_LINE] if isinstance(asked, Said) else ""
    return _SEVERAL.search(text) is not None or any(number(text, count) for count in _FEW)


def _result(called: Called) -> str:
    return "\n".join(text.ends() for text in (called.call.output, called.call.error) if text is not None)


def _open_ended(called: Called) -> bool:
    """Whether nobody saw how a call ended: cut off, connection lost, no answer in time."""
    call = called.call
    if call.interrupted or call.background:
        return False
    if called.cut_off is not None or called.connection_lost:
        return True
    text = _result(called)
    if call.status == "error" or call.exit not in (0, None):
        return _NO_ANSWER.search(text[-4_000:]) is not None
    # A tool of another server may say so without an error.
    return (
        called.line is None
        and len(text) <= _SHORT
        and _sends(call.name)
        and _NO_ANSWER.search(text) is not None
        and _ANSWERED.search(text) is None
    )


def _knew(called: Called) -> bool:
    """Whether a call was refused as a second one, or ran and found what was there."""
    return _FOUND_TWICE.search(_result(called)[-4_000:]) is not None


def _operations(graph: SessionGraph, called: Called) -> Iterator[_Operation]:
    """What a call does that must not be done twice."""
    if called.line is None:
        verb, sort = _tool_verb(called.call.name)
        if verb and all(ran.command.effect == "none" for ran in graph.commands(called)):
            given = _given(called)
            whole = given if sort == "people" and _reaches_people(called.call.name) else ""
            yield _Operation(
                called.call.name, verb, frozenset({given}), sort, None, whole and called.call.name + whole
            )
        return
    for ran in graph.commands(called):
        operation = _operation(ran)
        if operation is not None:
            sure = operation.sort == "people" and (
                ran.command.says is not None
                or ran.command.target.kind == "url"
                or operation.program in _CREATES
            )
            yield operation._replace(whole=" ".join(ran.command.words)) if sure else operation


def _operation(ran: Ran) -> _Operation | None:
    command = ran.command
    words = command.words[:60]
    if not words or command.dry_run or ran.outcome.reached == "no":
        return None
    program = command.program
    text = " ".join(words)[:4_000]
    makes_more = _MAKES_MORE.search(text) is not None
    if command.effect not in _EFFECTS and not makes_more:
        return None
    if command.effect == "write_data" and command.target.kind == "database":
        # Statements are another rule's matter: change-on-unverified-change knows what they do twice.
        return None
    if command.says is not None:
        return _Operation(program, "send", frozenset(words[1:]), "people", ran)
    if command.target.kind == "url" and command.effect == "write_data":
        if re.search(r"\b(?:PUT|PATCH|DELETE)\b", text) is not None:
            return None
        given = {
            command.target.name,
            *(word for word in words if word.startswith(("{", "[", "@")) or "=" in word),
        }
        paid = _verb(re.sub(r"^\w+://[^/]*", "", command.target.name).split("/"))
        return _Operation(program, "post", frozenset(given), paid[1] if paid[0] else "data", ran)
    if program in _TOOLS:
        return None
    # The folder that a script lies in says nothing of what it does.
    verb, sort = _verb(
        [word.rsplit("/", 1)[-1] if at < _SCRIPT else word for at, word in enumerate(words[:6])]
    )
    if not verb and (makes_more or (program in _CREATES and "create" in words[1:4])):
        verb, sort = "create", "data"
    return _Operation(program, verb, _about(words), sort, ran) if verb else None


def _given(called: Called) -> str:
    """What a tool is given, but for how long to wait and by which key the other side is to know it again."""
    arguments = called.call.arguments()
    kept = {key: value for key, value in arguments.items() if _ASIDE.search(str(key)) is None}
    return json.dumps(kept, sort_keys=True)[:8_000]


_ASIDE = lazy(r"time_?out|idempot|dedup|nonce|request_?(?:id|token)|client_?token|wait", re.IGNORECASE)


@lru_cache(maxsize=1024)
def _tool_verb(tool: str) -> tuple[str, Sort]:
    """The word by which a tool of another server says that it pays, sends or makes one more."""
    words = words_of(tool)
    own = set(words) - {"mcp"}
    if own & (_ONLY_LOOKS | _NO_PERSON):
        return "", "data"
    verb, sort = _verb([_CAMEL.sub("_", tool)])
    if not verb and own & _MAKES and own & _MADE:
        return next(word for word in words if word in _MAKES), "people"
    return verb, sort


def _sends(tool: str) -> bool:
    return bool(_tool_verb(tool)[0])


def _reaches_people(tool: str) -> bool:
    """Whether what a tool does is seen by people each time: money, mail, tickets, messages of a channel."""
    own = set(words_of(tool))
    return bool(own & (_PEOPLE - {"send", "resend"}) or own & _CHANNELS or (own & _MAKES and own & _MADE))


def _verb(words: list[str]) -> tuple[str, Sort]:
    """The word by which a command, a script or a tool says that it pays, sends or adds."""
    for word in words:
        if word.startswith("-") or "/" in word or len(word) > _LONGEST:
            continue
        tokens = [token for token in _TOKENS.split(_CAMEL.sub("_", word).lower()) if token]
        for token in tokens:
            if token in _PEOPLE:
                return token, "people"
            if token in _DATA:
                return token, "data"
    return "", "data"


def _about(words: tuple[str, ...]) -> frozenset[str]:
    """The files and addresses that a command is given, or else its plain words."""
    named = {word for word in words[1:] if re.search(r"[/.@]", word) and not word.startswith("-")}
    plain = [
        word
        for before, word in itertools.pairwise(words)
        if not word.startswith("-") and not before.startswith("--")
    ]
    return frozenset(named or plain)


def _same(before: _Operation, now: _Operation) -> bool:
    return before.program == now.program and before.verb == now.verb and before.about == now.about


def _safe(first: Called, again: Called) -> bool:
    """Whether a second attempt takes up the first, or carries the key by which the other side knows it again."""
    line = (again.line or again.call.input.ends())[:8_000]
    if _SAFE.search(line) is not None:
        return True
    key = _KEY.search(line)
    before = _KEY.search((first.line or first.call.input.ends())[:8_000])
    return key is not None and before is not None and key["key"] == before["key"]


def _looks(graph: SessionGraph, called: Called) -> bool:
    """Whether a call may have looked at what had arrived: any look, and any call that cannot be judged."""
    commands = graph.commands(called)
    return not commands or any(map(_may_look, commands))


def _may_look(ran: Ran) -> bool:
    return ran.command.effect not in ("edit", "build", "install") and ran.command.program not in _NO_LOOK


_NO_LOOK = frozenset({"sleep", "echo", "printf", "cd", "true", "export", "set", "wait", "source"})


def _looked_first(graph: SessionGraph, called: Called, now: _Operation) -> bool:
    """Whether the line of a second attempt looks before it begins."""
    return now.ran is not None and any(
        ran.seq < now.ran.seq and ran.command.effect in ("check", "read") and _may_look(ran)
        for ran in graph.commands(called)
    )
