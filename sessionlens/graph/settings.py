"""Which environment a command of a session acts in."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

import msgspec

from sessionlens.environments import environment, shared
from sessionlens.graph.events import Ran
from sessionlens.targets import Confidence, Environment

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
    found, reason, sure = environment(
        command.target,
        via=command.via,
        words=command.words,
        effect=command.effect,
        directory=graph.session.directory,
        settings=graph.settings,
    )
    if sure != "high":
        said = graph.said_environments
        at = bisect_left(said, ran.seq, key=lambda row: row[0]) - 1
        if at >= 0 and not (said[at][1] == "local" and command.target.host is not None):
            return Setting(
                environment=said[at][1], reason=f"the person said so: {said[at][1]}", confidence="medium"
            )
    if found == "unknown" and not shared(command.target):
        return Setting(environment="local", reason=reason, confidence=sure)
    return Setting(environment=found, reason=reason, confidence=sure)
