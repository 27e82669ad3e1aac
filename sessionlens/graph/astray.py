"""Changes in production where the person had named another environment for the work.

``es-stage is full, delete the old indices there``, and the variable that the script reads leads to production. What the
log shows counts: a command that names production itself, the value of the variable, a look through the same variable
that lists machines of production, or the context that a client showed as its current one. Nothing is said where the
person speaks of production too, or where the assistant had told where the work goes.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from sessionlens.cache import lazy
from sessionlens.environments import environment, named
from sessionlens.graph.constraints import sentences
from sessionlens.graph.events import Called, Ran, Said
from sessionlens.shell.command import CHANGES
from sessionlens.targets import Confidence, Environment, Target, effective_host

if TYPE_CHECKING:
    from sessionlens.graph.session_graph import SessionGraph
    from sessionlens.places import Statement

_READ = 8_000
"""Characters of a message, or of each end of an output, that are read."""
_BACK = 60
"""Calls before a change in which it is sought where that leads."""
_CARRIED = 160
"""Characters of a message that only goes on with what was asked for before."""
_MOST = 200
"""Names of one text that are looked at."""


class Astray(NamedTuple):
    """A change in production, where the person had named another environment."""

    event: Ran
    """The change."""
    said: Said
    """The person's message."""
    wanted: str
    """The sentence that names the environment."""
    shown: str
    """The words of the log that show where it went."""
    evidence: Ran | Called
    """The command or call that shows it."""
    confidence: Confidence
    """``high`` where the change names production itself, or the log shows the value that leads there."""


class _Wish(NamedTuple):
    said: Said
    quote: str


def astray(graph: SessionGraph) -> Iterator[Astray]:
    """Every change that went to production instead of the place that the person had named, one for each call."""
    statements = dict(graph.said_places)
    wish: _Wish | None = None
    session = ""
    for seq in sorted((*graph.index("called"), *graph.index("human"))):
        event = graph.events[seq]
        if isinstance(event, Said):
            wish, session = _next_wish(graph, wish, event, statements), event.at.session
        elif isinstance(event, Called) and wish is not None and event.at.session == session:
            found = next(
                (one for ran in graph.commands(event) if (one := _of(graph, ran, wish)) is not None), None
            )
            if found is not None:
                yield found


# -- what the person named -------------------------------------------------------------------------------

_NAME = lazy(r"(?<![\w./@-])[A-Za-z][A-Za-z0-9]{0,40}(?:[-.][A-Za-z0-9]{1,40}){1,6}(?![\w/-])")
"""A name of several parts: of a host, a cluster, a context, an account."""
_ELSE = lazy(r"(?:^|[-_.])(?:stage|staging|stg|uat|preprod|sandbox|sbx|qa)\d{0,3}(?:$|[-_.])", re.IGNORECASE)
"""Parts of a name that mean nothing but an environment."""
_MAYBE = lazy(r"(?:^|[-_.])(?:dev|devel|test|tst|demo|lab)\d{0,3}(?:$|[-_.])", re.IGNORECASE)
"""Parts that may be what a thing is for: a name with one counts where a place is named."""
_AT = lazy(
    r"\b(?:on|in|at|from|of|against|to|auf|im|in|von|sur|dans|en|de|em|no|na|su|di|op|van|w|z|på|i|'da|'de)\s+(?:the\s+|our\s+|der\s+|dem\s+|den\s+|le\s+|la\s+|el\s+|il\s+)?$|(?<!\w)(?:на|в|у|з|із|с)\s+$|在$",
    re.IGNORECASE,
)
_FILE = lazy(
    r"\.(?:ya?ml|json|toml|md|py|[jt]sx?|sh|sql|tf|tfvars|env|txt|conf|cfg|ini|xml|csv|log|html?|lock|go|rs|java|rb|php)$",
    re.IGNORECASE,
)
_OF_PRODUCTION = lazy(
    r"(?<![A-Za-z])(?<!non-)(?<!non)(?<!pre-)(?<!pre)(?:prod|prd|production|produktion\w*|produktiv\w*|producción|produccion|produção|producao|produzione|productie\w*|produkcj\w*|live|master)(?![A-Za-z])|прод|боев|生产|线上|正式|本番|운영|프로덕션|üretim|canlı",
    re.IGNORECASE,
)
"""Words by which somebody speaks of production."""
_GATE = ("stag", "stg", "uat", "prod", "sand", "sbx", "qa", "dev", "test", "demo", "lab")


def _next_wish(
    graph: SessionGraph, wish: _Wish | None, said: Said, statements: Mapping[int, Statement]
) -> _Wish | None:
    """The environment that holds after a message of the person; ``None`` where none is named, or production too."""
    text = graph.prose(said)[:_READ]
    if _OF_PRODUCTION.search(text) is not None:
        return None
    statement = statements.get(said.seq)
    told = {place.environment for place in statement.places} if statement is not None else set()
    if told and told <= {"staging", "development"}:
        return _Wish(said, _sentence_of(text))
    if any(word in text.casefold() for word in _GATE):
        for found in islice(_NAME.finditer(text), _MOST):
            name = found.group()
            sure = _ELSE.search(name) is not None
            placed = sure or (
                _MAYBE.search(name) is not None
                and _AT.search(text[max(0, found.start() - 24) : found.start()]) is not None
            )
            if placed and _FILE.search(name) is None and _environment_of(name) not in ("production", "local"):
                return _Wish(said, next((one for one in sentences(text) if name in one), text)[:300])
    # "Yes, go on" is about the place that was named before.
    return wish if wish is not None and len(text) <= _CARRIED else None


def _sentence_of(text: str) -> str:
    return next((one for one in sentences(text) if _ANY_PLACE.search(one)), text)[:300]


_ANY_PLACE = lazy(
    r"stag|stg|uat|pre-?prod|sandbox|\btest|\bdev|\bqa\b|recette|homologa|стейдж|тест|дев|测试|预|ステージ|テスト|検証|스테이징|테스트|개발|开发|開発|prueba|entwickl",
    re.IGNORECASE,
)


@lru_cache(maxsize=4096)
def _environment_of(name: str) -> Environment | None:
    """The environment that a name of a machine or a context tells; ``None`` where it tells none."""
    found, reason, sure = environment(Target(kind="service", name="", host=name))
    return found if sure == "high" and named(reason) else None


# -- where a change went ------------------------------------------------------------------------------------


def _of(graph: SessionGraph, ran: Ran, wish: _Wish) -> Astray | None:
    command, target = ran.command, ran.command.target
    if (
        command.effect not in CHANGES
        or not ran.changes
        or command.dry_run
        or ran.outcome.failed
        or ran.outcome.changed_nothing
        or target.kind in ("repository", "package", "process")
        or (target.kind == "file" and effective_host(target) is None)
    ):
        return None
    found = _shown_by(graph, ran)
    if found is None or _told(graph, ran, wish) or _also_elsewhere(graph, ran):
        return None
    shown, evidence, sure = found
    return Astray(ran, wish.said, wish.quote, shown, evidence, sure)


def _shown_by(graph: SessionGraph, ran: Ran) -> tuple[str, Ran | Called, Confidence] | None:
    """The words that show that a change went to production, and what holds them."""
    command = ran.command
    if command.environment == "production":
        if not named(command.environment_reason):
            return None
        if command.environment_confidence == "high":
            return (command.environment_reason, ran, "high") if _place_names(ran) else None
        # What a variable leads to, and what a cloud calls its own, may be no more than a name.
        return (
            (command.environment_reason, ran, "medium") if _place_names(ran) or _is_called_so(ran) else None
        )
    if command.environment != "unknown":
        return None
    if ran.call.line is None:
        # A tool of a server that is called after what it is connected to.
        servers = re.split(r"__|[/:.]", ran.call.call.name)[:-1]
        shown = next((name for name in servers if _environment_of(name) == "production"), None)
        return (shown, ran, "high") if shown is not None else None
    words = " ".join(command.words[:60])[:_READ]
    variables = {next(filter(None, one)) for one in _USED.findall(words)}
    if variables:
        return _by_variable(graph, ran, variables)
    kinds = [row for row in _CURRENT if command.program in row.programs]
    return _by_context(graph, ran, kinds[0]) if kinds else None


def _place_names(ran: Ran) -> bool:
    """Whether it is the place of a change that names production: its host, context, namespace or database, not a thing in it."""
    target = ran.command.target
    database = target.name if target.kind == "database" else None
    names = (effective_host(target), target.context, target.namespace, database)
    return any(name is not None and _environment_of(name) == "production" for name in names)


def _is_called_so(ran: Ran) -> bool:
    """Whether what a change of a cloud acts on, or the group that it is in, is called after production."""
    if ran.command.target.kind != "cloud":
        return False
    return _environment_of(ran.command.target.name) == "production"


_USED = lazy(r"\$\{?env:(\w{2,60})|\$\{?([A-Za-z_]\w{1,60})|%([A-Za-z_]\w{1,60})%", re.IGNORECASE)
_LISTS_MACHINES = lazy(
    r"\b(?:nodes?|hosts?|hostname|cluster\w*|allocation|conninfo|inet_server\w*|servers?|instances?|accounts?|projects?|endpoints?|primary|replicas?|members?|whoami|info|status)\b|_cat/|@@hostname",
    re.IGNORECASE,
)
"""Words of looks that list machines, or say which one answers."""


def _before(graph: SessionGraph, ran: Ran) -> Iterator[Called]:
    """The calls before a change in its session, the latest first, and its own call."""
    called = graph.index("called")
    at = bisect_right(called, ran.call.seq)
    for seq in reversed(called[max(0, at - _BACK) : at]):
        event = graph.events[seq]
        if isinstance(event, Called) and event.at.session == ran.at.session:
            yield event


def _by_variable(graph: SessionGraph, ran: Ran, variables: set[str]) -> tuple[str, Called, Confidence] | None:
    values = re.compile(
        rf"(?:^|[\s;&]|env:)(?:{'|'.join(map(re.escape, sorted(variables)))})\s{{0,3}}[=:]\s{{0,3}}[\"']?(?P<value>[^\s\"';]{{3,300}})",
        re.MULTILINE,
    )
    uses = re.compile(rf"[$%]\{{?(?:env:)?(?:{'|'.join(map(re.escape, sorted(variables)))})\b")
    for called in _before(graph, ran):
        output = called.call.output.ends()[: 2 * _READ] if called.call.output is not None else ""
        line = (called.line or "")[:_READ]
        for text in (output, line):
            for found in islice(values.finditer(text), _MOST):
                there = _environments_in(found["value"])
                if there:
                    # The latest value counts, whatever it says.
                    return (found.group().strip(), called, "high") if there == {"production"} else None
        if output and line and uses.search(line) and _LISTS_MACHINES.search(f"{line}\n{output[:300]}"):
            shown = next((name for name in _names(output) if _environment_of(name) == "production"), None)
            if (
                shown is not None
                and _environments_in(output) == {"production"}
                and not _changes(graph, called)
            ):
                return shown, called, "medium"
    return None


def _changes(graph: SessionGraph, called: Called) -> bool:
    return any(one.command.effect in CHANGES for one in graph.commands(called))


def _names(text: str) -> Iterator[str]:
    return (
        found.group() for found in islice(_NAME.finditer(text.replace("@", " ").replace("//", " ")), _MOST)
    )


def _environments_in(text: str) -> set[Environment]:
    """The environments that names in a text tell."""
    return {there for name in _names(text) if (there := _environment_of(name)) not in (None, "local")}


class _Current(NamedTuple):
    programs: frozenset[str]
    looks: re.Pattern[str]
    switches: re.Pattern[str]
    names: re.Pattern[str]


_CURRENT: tuple[_Current, ...] = (
    _Current(
        frozenset({"kubectl", "helm", "oc", "kustomize", "flux", "istioctl", "argo"}),
        lazy(r"\bconfig\s+(?:current-context|get-contexts|use-context)\b|\bkubectx\b|\boc\s+(?:whoami|project)\b|\bcluster-info\b"),
        lazy(r"\bconfig\s+(?:use-context|set)\b|\bkubectx\s+\w|\boc\s+(?:login|project\s+\w)|\bget-credentials\b|\bupdate-kubeconfig\b|\bKUBECONFIG="),
        lazy(r"^\*\s+(?P<row>\S+)|[Ss]witched to context \"(?P<to>[^\"]+)\"|^(?P<bare>[\w.:/@-]+)\s*$|https://(?P<url>[\w.-]+)", re.MULTILINE),
    ),
    _Current(
        frozenset({"terraform", "tofu", "terragrunt", "pulumi"}),
        lazy(r"\bworkspace\s+(?:show|list|select)\b|\bstack\s+(?:select|ls)\b"),
        lazy(r"\bworkspace\s+(?:select|new)\b|\bstack\s+(?:select|init)\b|\bTF_WORKSPACE="),
        lazy(r"^\*\s+(?P<row>\S+)|[Ss]witched to workspace \"(?P<to>[^\"]+)\"|^(?P<bare>[\w.-]+)\*?\s*$", re.MULTILINE),
    ),
    _Current(
        frozenset({"aws", "eksctl", "sam", "cdk", "eb", "copilot"}),
        lazy(r"\bsts\s+get-caller-identity\b|\bconfigure\s+list\b|\blist-account-aliases\b|\bAWS_PROFILE\b"),
        lazy(r"\bAWS_PROFILE=|\bsso\s+login\b|\bassume\b"),
        lazy(r"\b(?:profile|AWS_PROFILE)\b[\s=:]{1,20}(?P<row>[\w.-]+)|:(?:assumed-role|user|role)/(?P<to>[\w./-]+)|\"(?P<bare>[\w.-]+)\"", re.MULTILINE),
    ),
    _Current(
        frozenset({"gcloud", "gsutil", "bq", "firebase"}),
        lazy(r"\bconfig\s+(?:get(?:-value)?|list|configurations|set)\b"),
        lazy(r"\bconfig\s+(?:set|configurations\s+activate)\b"),
        lazy(r"\bproject\b[\s=:]{1,10}(?P<row>[\w.-]+)|^(?P<bare>[\w.-]+)\s*$|\[(?P<to>[\w.-]+)\]", re.MULTILINE),
    ),
    _Current(
        frozenset({"az"}),
        lazy(r"\baccount\s+(?:show|set|list)\b"),
        lazy(r"\baccount\s+set\b|\baz\s+login\b"),
        lazy(r"\"name\":\s*\"(?P<row>[^\"]+)\"|^(?P<bare>[\w.-]+)\s*$", re.MULTILINE),
    ),
    _Current(
        frozenset({"docker", "docker-compose"}),
        lazy(r"\bcontext\s+(?:show|ls|use)\b|\bDOCKER_HOST\b"),
        lazy(r"\bcontext\s+use\b|\bDOCKER_(?:HOST|CONTEXT)="),
        lazy(r"^(?P<row>[\w.-]+)\s\*|^(?P<bare>[\w.-]+)\s*$|ssh://(?:\w+@)?(?P<url>[\w.-]+)", re.MULTILINE),
    ),
)  # fmt: skip
"""How a client shows what it acts on where the command does not say, and how that is set."""


def _by_context(graph: SessionGraph, ran: Ran, current: _Current) -> tuple[str, Called, Confidence] | None:
    """The latest look at what a client acts on, where nothing has set that since."""
    for called in _before(graph, ran):
        line = (called.line or "")[:_READ]
        if current.looks.search(line) is not None and called.call.output is not None:
            text = called.call.output.ends()[:_READ]
            names = [
                next(filter(None, found.groups())) for found in islice(current.names.finditer(text), _MOST)
            ]
            starred = [
                found["row"]
                for found in islice(current.names.finditer(text), _MOST)
                if "row" in current.names.groupindex and found["row"]
            ]
            told = {there for name in (starred or names) if (there := _environment_of(name)) is not None}
            if told:
                shown = next(name for name in (starred or names) if _environment_of(name) is not None)
                return (shown, called, "high") if told == {"production"} else None
        if current.switches.search(line) is not None:
            return None
    return None


def _told(graph: SessionGraph, ran: Ran, wish: _Wish) -> bool:
    """Whether the assistant spoke of production between the person's message and the change, or with it."""
    return any(
        isinstance(event := graph.events[seq], Said)
        and event.role == "assistant"
        and _OF_PRODUCTION.search(graph.prose(event)[:_READ]) is not None
        for seq in _said_between(graph, wish.said.seq, ran.seq)
    )


def _said_between(graph: SessionGraph, start: int, end: int) -> Sequence[int]:
    said = graph.index("said")
    return said[bisect_right(said, start) : bisect_right(said, end)][-_MOST:]


def _also_elsewhere(graph: SessionGraph, ran: Ran) -> bool:
    """Whether another name of the host says that it is no production."""
    host = effective_host(ran.command.target)
    return any(
        _environment_of(name) in ("staging", "development")
        for name in graph.neighbourhoods.names_of_host(host)
    )
