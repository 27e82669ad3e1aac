"""Which environment a command of a session acts in."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec

from sessionlens.cache import lazy
from sessionlens.environments import OF_SERVER, environment, named, shared
from sessionlens.graph.events import Ran
from sessionlens.graph.workflows import deploys_on_push
from sessionlens.targets import Confidence, Environment, Target, effective_host

if TYPE_CHECKING:
    from sessionlens.graph.session_graph import SessionGraph


class Setting(msgspec.Struct, frozen=True, kw_only=True):
    """The environment a command acts in, why, and how sure that is."""

    environment: Environment
    """Which one. A target that nothing names and nobody shares counts as local (CONTRACT §5)."""
    reason: str
    """What says so, in words."""
    confidence: Confidence
    """``high`` where a name says so, ``medium`` by default, ``low`` for a guess or an unknown one."""


def setting(graph: SessionGraph, ran: Ran) -> Setting:
    """The environment of a command, by names, by the person's words, or by default, in this order."""
    command = ran.command
    found, reason, sure = command.environment, command.environment_reason, command.environment_confidence
    if graph.in_own_container(ran):
        return Setting(
            environment="local",
            reason="a container that the session started for its own use",
            confidence="medium",
        )
    put_out = graph.put_out_at.get(effective_host(command.target) or "")
    if put_out is not None and found in ("production", "unknown") and not named(reason):
        return Setting(
            environment=put_out, reason="the address of what was put out there", confidence="medium"
        )
    if sure != "high":
        other = None if named(reason) else _by_other_name(graph, ran)
        said = other or _said(graph, ran)
        if said is not None and _may_overrule(said.environment, ran):
            return said
    if (
        command.effect == "transfer"
        and command.target.kind == "repository"
        and found in ("unknown", "production")
    ):
        deploys = pushing_deploys(graph, ran)
        if deploys is not None:
            return Setting(
                environment=deploys, reason="the session shows that a push deploys", confidence="medium"
            )
    if found == "unknown" and not shared(command.target) and reason != OF_SERVER:
        return Setting(environment="local", reason=reason, confidence=sure)
    return Setting(environment=found, reason=reason, confidence=sure)


def put_out_at(graph: SessionGraph) -> dict[str, Environment]:
    """Hosts that deploys other than to production gave as the address of what they put out."""
    found: dict[str, set[Environment]] = {}
    for seq in graph.index("start"):
        event = graph.events[seq]
        if isinstance(event, Ran) and event.command.effect == "deploy":
            for other in event.outcome.also:
                if other.kind == "url" and (host := effective_host(other)):
                    found.setdefault(host, set()).add(event.command.environment)
    return {
        host: min(there)
        for host, there in found.items()
        if len(there) == 1 and not there & {"production", "unknown"}
    }


def _by_other_name(graph: SessionGraph, ran: Ran) -> Setting | None:
    """What another name says that the session shows the host to have: ``10.1.2.3`` is ``stg-web1``."""
    host = effective_host(ran.command.target)
    for name in graph.neighbourhoods.names_of_host(host):
        asked = Target(kind="service", name="", host=name)
        found, reason, sure = environment(asked, settings=graph.settings)
        if sure == "high" and found != "local":
            return Setting(environment=found, reason=f"{reason}, another name of {host}", confidence="medium")
    return None


# -- the person's words -------------------------------------------------------------------------------


def _names_of_place(graph: SessionGraph, target: Target) -> frozenset[str]:
    """Names by which a person may mean the place that a target is in, in lower case."""
    host = effective_host(target)
    hosts = (host, *graph.neighbourhoods.names_of_host(host)) if host else ()
    names = [*hosts, *(name.partition(".")[0] for name in hosts if not name[0].isdigit())]
    names += [target.context or "", target.namespace or ""]
    if target.kind == "database":
        names.append(target.name)
    return frozenset(
        name.lower() for name in names if len(name) > 1 and name not in ("default", "kube-system")
    )


def place_names(graph: SessionGraph) -> frozenset[str]:
    """Every name of a place that the commands of a session name."""
    targets = {
        event.command.target for seq in graph.index("ran") if isinstance(event := graph.events[seq], Ran)
    }
    names = {name for target in targets for name in _names_of_place(graph, target)}
    return frozenset(sorted(names)[:_MOST_NAMES])


_MOST_NAMES = 500
"""Names that are looked for in each message of the person."""


def _said(graph: SessionGraph, ran: Ran) -> Setting | None:
    """What the person said of the place that a command acts in.

    What is said of its host holds until something else is said of it. What names no host holds for every place
    from there on: as a statement (``this is staging``) until another; as a wish (``do it on staging``) until
    another, and not for hosts that the person names.
    """
    rows = graph.said_places
    at = bisect_left(rows, ran.seq, key=lambda row: row[0])
    mine: frozenset[str] | None = None
    general: Environment | None = None
    decided = named_here = False
    for _, statement in reversed(rows[:at]):
        if mine is None:
            mine = _names_of_place(graph, ran.command.target)
        about = {place.environment for place in statement.places if place.names & mine}
        if about:
            return _by_words(about, "of it")
        named_here = named_here or bool(statement.mentioned & mine)
        wide = {
            place.environment
            for place in statement.places
            if not place.names and (place.asserts or not named_here)
        }
        if wide and not decided:
            decided, general = True, wide.pop() if len(wide) == 1 else None
    return None if general is None else _by_words({general}, "")


def _by_words(environments: set[Environment], of: str) -> Setting | None:
    if len(environments) != 1:
        return None
    (one,) = environments
    said = f"the person said so{' ' + of if of else ''}: {one}"
    return Setting(environment=one, reason=said, confidence="medium")


# -- pushes that deploy -------------------------------------------------------------------------------

DEPLOYING = lazy(
    r"\b(?:auto(?:matic(?:ally)?)?[- ]?deploy|(?:continuous|automated) deploy)"
    r"|\bdeploys?\s+(?:automatically|itself|on|from|at|every)\b"
    r"|\b(?:push(?:es|ed|ing)?|merg(?:e|es|ed|ing)|main|master|branch|commit)\b[^.\n]{0,60}\b(?:deploy|roll(?:s|ed)?\s+(?:it\s+)?out)"
    r"|\bdeploy\w*\b[^.\n]{0,60}\b(?:push|merge)"
    r"|\b(?:push(?:es|ed|ing)?|merg(?:e|es|ed|ing)|main|master|that|which|it|pipeline|CI)\b[^.\n]{0,40}\b(?:go(?:es)?|gets?|comes?)\s+(?:\w+\s+)?(?:live|online|to prod(?:uction)?)\b"
    r"|\blive automatically\b|\bautomatically\s+(?:go(?:es)?\s+live|released|published|rolled out|in production)\b"
    r"|\b(?:geht|gehen|ist)\s+(?:dann\s+|damit\s+)?(?:automatisch|sofort|direkt|gleich)\s+(?:live|online|in produktion)|\bautomatisch\s+(?:deployt|deployed|ausgerollt|veröffentlicht|live)"
    r"|\b(?:push|merge)\w*\b[^.\n]{0,60}\b(?:ausgerollt|despliega|déploie|met en (?:ligne|prod)|publica|implanta|faz deploy|distribuisce|wdraża|деплоит|выкат\w*|раскат\w*|разв[её]ртыва\w*)"
    r"|\bse despliega (?:solo|automáticamente)|\bdéploi\w+ automatique|\bdeploy automatic|\bавтоматически (?:деплоит|выкатыва|разв[её]рт)\w*|автодеплой|自动(?:部署|上线|发布)|自動(?:デプロイ|で反映)|자동\s*배포",
    re.IGNORECASE,
)
"""How people say that a push or merge puts the new version out."""
_HABITUAL = lazy(
    r"\bauto(?:matic(?:ally)?)?[- ]?deploy|\bdeploys\b|\bdeploy(?:s|ed)? automatically|\bautomatically (?:be )?(?:deployed|go(?:es)? live|released|rolled out)"
    r"|\b(?:push\w*|merg\w*|CI|pipeline|workflow|vercel|netlify|render|railway|actions|gitlab|github)\b[^.\n]{0,60}\b(?:will (?:be )?(?:auto\w* )?deploy|triggers?\b[^.\n]{0,30}\bdeploy|goes live)"
    r"|автодеплой|автоматически деплоит|自动(?:部署|上线)|自動デプロイ|자동\s*배포|se despliega automáticamente|déploi\w+ automatique|wird automatisch (?:deployt|ausgerollt)",
    re.IGNORECASE,
)
"""How an assistant says so: what it tells of its own pushes and deploys is no habit of the pipeline."""
_NOT_DEPLOYING = lazy(
    r"\b(?:not|never|won['’]?t|doesn['’]?t|don['’]?t|didn['’]?t|isn['’]?t|nothing|without|no longer|nicht|kein\w*|ne|pas|no|non|não|не|without)\b[^.\n]{0,40}\b(?:deploy|live|roll)"
    r"|\bmanual(?:ly)?\b[^.\n]{0,30}\bdeploy|\bdeploy\w*\b[^.\n]{0,30}\b(?:manual|by hand|separately)",
    re.IGNORECASE,
)

_ONE_BY_ONE = lazy(
    r"\b(?:push|merge)\b(?!\s+(?:will|would|is|does|triggers?)\b)[^.\n]{0,40}?(?:[,;+&/]|\b(?:and|then|und|dann|et|puis|y|luego|e|poi|en|i)\b|(?<!\w)(?:и|та|потом|потім)(?!\w))\s*(?:(?:and|then|also|again|und|dann|et|puis)\s+)?(?:(?!will|would|it|this|that|the|an?|der|die|den|das|les?|la|el|lo|il|os?|as?|auto\w*)[\w-]+\s+){0,2}(?:re)?deploy\b(?!\s+(?:automatically|itself))",
    re.IGNORECASE,
)
"""An order of both, one after the other: "merge + fly deploy". What is ordered does not happen by itself."""


def speaks_of_deploying(prose: str, *, assistant: bool = False) -> bool:
    """Whether prose, by a person or by an assistant, says that a push or a merge deploys."""
    return any(
        DEPLOYING.search(sentence) is not None
        and _NOT_DEPLOYING.search(sentence) is None
        and _ONE_BY_ONE.search(sentence) is None
        and (not assistant or _HABITUAL.search(sentence) is not None)
        for sentence in re.split(r"(?<=[.!?])\s+|\n", prose)
        if len(sentence) < 2000
    )


def pushing_deploys(graph: SessionGraph, push: Ran) -> Environment | None:
    """Where a push to this branch deploys, by its output, a pipeline's file that the session shows, or somebody's
    words; ``None`` when nothing shows that it does.
    """
    merges = push.command.program in ("gh", "glab", "hub", "tea")
    # A merge at a code host names the request; its branch is not told, and its output holds a title of people's.
    branch = "" if merges else push.command.target.name
    told = {
        where
        for path, text in graph.shown_files
        if (where := deploys_on_push(path, text, branch)) is not None
    }
    if told:
        return "production" if "production" in told else min(told)
    output = push.call.call.output
    if not merges and output is not None and _DEPLOY_SHOWN.search(output.ends()):
        return "production"
    return "production" if graph.speaks_of_deploying_pushes else None


_DEPLOY_SHOWN = lazy(r"(?<![/\w-])(?:auto-?)?deploy(?:s|ed|ing|ment)?\b(?![/\w-])", re.IGNORECASE)


def shown_files(graph: SessionGraph) -> Iterator[tuple[str, str]]:
    """Files whose text the session shows or writes, as far as it tells names of things: path and text."""
    for seq in graph.index("ran"):
        event = graph.events[seq]
        if isinstance(event, Ran) and event.command.target.kind == "file":
            for text in (event.outcome.content, event.command.writes):
                if text and event.command.target.name.endswith((".yml", ".yaml", "Jenkinsfile")):
                    yield event.command.target.name, text


_OWN = frozenset({"file", "repository", "package"})
"""Kinds of target that are the agent's own where no host is named, whatever the work is for."""


def _may_overrule(said: Environment, ran: Ran) -> bool:
    """Whether words of a person can overrule what a command's words tell.

    No remote host and no published application is local, no own file is shared, and what is named production is not made something else.
    """
    command, target = ran.command, ran.command.target
    found = command.environment
    published = target.kind == "cloud" and command.environment_reason.startswith("a published application")
    if said == "local" and (effective_host(target) is not None or published):
        return False
    if said != "production":
        return not (found == "production" and named(command.environment_reason))
    return found == "production" or target.kind not in _OWN or shared(target)
