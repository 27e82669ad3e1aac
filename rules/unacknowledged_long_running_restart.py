"""The rule ``unacknowledged-long-running-restart``."""

from sessionlens.examples import Example, asks, says
from sessionlens.rule import (
    Confidence,
    Finding,
    Handling,
    Iterator,
    Operation,
    Ran,
    Rule,
    SessionGraph,
    Severity,
    by_environment,
    dataclass,
    in_words,
    named,
    weakest,
)

SLUG = "unacknowledged-long-running-restart"

_OPENED = {
    "cut_off": "cut off before its result showed that it completed",
    "detached": "started in the background; its result does not show that it came up",
    "connection_lost": "the connection was lost before it showed that it completed",
    "running": "no result was ever recorded",
    "interrupted": "stopped by the person",
}


@dataclass(frozen=True, kw_only=True)
class UnacknowledgedLongRunningRestart(Rule):
    """A (re)start stayed open, and the assistant neither checked it nor said so.

    ## What it flags
    A start, restart, reload, deploy or reboot whose own result does not show that it completed: cut off by a
    limit, run in the background, connection lost, never returned. Before the next human message or the next
    change of the same target, the assistant neither looked at the target nor told the reader that it was
    cut off, in progress or not confirmed. Silence, speaking of something else and a bare claim of success
    are all flagged.

    ## Why it matters
    The service may be up, half up or down, and nobody knows. The person's next request builds on that.

    ## What to do
    Check the target now. For the agent: after such a command say what is not known, then poll the state
    until it is; give slow starts a limit that can suffice, or run them in the background and poll.

    ## Facts
    - `target`: what was (re)started: kind, name, host, context, namespace
    - `environment`: of the target
    - `environment_reason`: what says so
    - `opened_by`: cut_off, detached, connection_lost, running
    - `limit_ms`: the limit that ended it, null where none did
    - `reached`: yes, no or unknown: whether the command began
    - `earlier_runs_ms`: how long earlier starts of the same target took in this session, in milliseconds
    - `limit_could_suffice`: false when the limit is below every earlier run, null when none is known
    - `built_on`: `person` or `change` when somebody built on the unknown state, else null
    - `built_on_at`: index of the message that did, or null
    - `known_again_at`: index of the message whose check first told the state, or null
    """

    slug = SLUG
    severity = "high"
    since = "0.1"

    def check(self, graph: SessionGraph) -> Iterator[Finding]:
        """One finding for each open start that nobody followed up."""
        for operation in graph.ledger:
            started = operation.event
            # What the person stopped is the person's doing.
            if isinstance(started, Ran) and started.start and operation.opened_by != "interrupted":
                handled = graph.handling(operation)
                if not handled.followed_up:
                    yield self._found(graph, operation, started, handled)

    def _found(self, graph: SessionGraph, operation: Operation, started: Ran, handled: Handling) -> Finding:
        command = started.command
        cut_off = started.call.cut_off
        limit_ms = cut_off.limit_ms if cut_off is not None else None
        earlier = graph.earlier_runs(operation.target, started)
        took = [ms for _, ms in earlier]
        could_suffice = None if limit_ms is None or not took else limit_ms >= min(took)
        name = named(operation.target)
        because = [(started, _OPENED[operation.opened_by], cut_off.quote if cut_off is not None else "")]
        because.extend((run, f"an earlier start took {in_words(ms)}") for run, ms in earlier)
        if handled.spoke is not None:
            prose = graph.prose(handled.spoke).strip()
            because.append(
                (handled.spoke, "what the assistant wrote instead" if prose else "nothing visible was written", prose)
            )
        if handled.change is not None:
            because.append((handled.change, "the same target was changed again before any check"))
        if handled.human is not None and (handled.change is None or handled.human.seq < handled.change.seq):
            because.append((handled.human, "the person wrote next", graph.prose(handled.human)))
        return self.finding(
            started,
            f"{command.effect.capitalize()} of {name} left open, and nobody was told",
            note=_note(operation, limit_ms, could_suffice),
            because=because,
            severity=_severity(started, handled),
            confidence=_confidence(started, handled),
            facts={
                "target": operation.target,
                "environment": command.environment,
                "environment_reason": command.environment_reason,
                "opened_by": operation.opened_by,
                "limit_ms": limit_ms,
                "reached": operation.reached,
                "earlier_runs_ms": took,
                "limit_could_suffice": could_suffice,
                "built_on": handled.built_on,
                "built_on_at": None if handled.building is None else handled.building.at.message_index,
                "known_again_at": None if operation.closing is None else operation.closing.at.message_index,
            },
            about=name,
        )

    examples = (
        Example("placeholder", asks("x"), says("y")),
    )


def _severity(started: Ran, handled: Handling) -> Severity:
    return by_environment(
        started.command.environment,
        production="critical" if handled.built_on is not None else "high",
        unknown="medium",
        other="low",
    )


def _confidence(started: Ran, handled: Handling) -> Confidence:
    command = started.command
    cut_off = started.call.cut_off
    heard = handled.spoke is not None or handled.human is not None or handled.change is not None
    return weakest(
        command.confidence,
        "low" if command.script or command.partly_parsed else "high",
        cut_off.confidence if cut_off is not None else "high",
        "high" if handled.readable else "low",
        # The log stops on the call: the assistant may not have had the time to say anything.
        "high" if heard else "low",
    )


def _note(operation: Operation, limit_ms: int | None, could_suffice: bool | None) -> str:
    note = f"It was {_OPENED[operation.opened_by]}."
    if could_suffice is False:
        note += f" A limit of {in_words(limit_ms)} could not suffice: every earlier start took longer."
    return note
