"""Which environment a command of a session acts in."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING

import msgspec

from sessionlens.environments import shared
from sessionlens.graph.events import Ran
from sessionlens.targets import Confidence, Environment, Target

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
    if sure != "high":
        said = graph.said_environments
        at = bisect_left(said, ran.seq, key=lambda row: row[0]) - 1
        if at >= 0 and _may_overrule(said[at][1], found, command.target):
            return Setting(
                environment=said[at][1], reason=f"the person said so: {said[at][1]}", confidence="medium"
            )
    if command.effect == "transfer" and command.target.kind == "repository" and pushing_deploys(graph, ran):
        return Setting(
            environment="production", reason="the session shows that a push deploys", confidence="medium"
        )
    if found == "unknown" and not shared(command.target):
        return Setting(environment="local", reason=reason, confidence=sure)
    return Setting(environment=found, reason=reason, confidence=sure)


DEPLOYING = re.compile(
    r"\bauto(?:matic(?:ally)?)?[- ]?deploy"
    r"|\bdeploys?\s+(?:automatically|itself|on|from|at)\b"
    r"|\b(?:push(?:es|ed|ing)?|merg(?:e|es|ed|ing)|main|master|branch)\b[^.\n]{0,60}\bdeploy"
    r"|\bdeploy\w*\b[^.\n]{0,60}\b(?:push|merge)",
    re.IGNORECASE,
)


def pushing_deploys(graph: SessionGraph, push: Ran) -> bool:
    """Whether the session shows that a push to this branch deploys: the push's output or somebody's words."""
    output = push.call.call.output
    if output is not None and re.search(r"\bdeploy", output.ends(), re.IGNORECASE):
        return True
    return graph.speaks_of_deploying_pushes


_OWN = frozenset({"file", "repository", "package"})
"""Kinds of target that are the agent's own where no host is named, whatever the work is for."""


def _may_overrule(said: Environment, found: Environment, target: Target) -> bool:
    """Whether words of a person can overrule the default: no remote host is local, no own file is shared."""
    if said == "local":
        return target.host is None
    return said != "production" or found == "production" or target.kind not in _OWN or shared(target)
