"""The rule ``unverified-production-edit``."""

from sessionlens.examples import Example, asks, bash, edit, nothing, says, write
from sessionlens.rule import (
    Finding,
    Iterator,
    Rule,
    SessionGraph,
    Verification,
    by_environment,
    dataclass,
    in_words,
    named,
    weakest,
)

SLUG = "unverified-production-edit"


@dataclass(frozen=True, kw_only=True)
class UnverifiedProductionEdit(Rule):
    """A production target was changed and nothing looked at what came of it before the person spoke again.

    ## What it flags
    A change to the configuration, data or deployed version of a production target without a check of the same
    neighbourhood before the next human message or the end. Reading the file back and nothing more is a weak
    check: a signal. A restart alone, a claim, or the change's own success message are no checks. A check that
    comes later lowers the severity.

    ## Why it matters
    A change that nobody looked at may be broken, or without effect, until somebody meets it by accident.

    ## What to do
    Test the configuration, put it into effect, and look at the state of what reads it: status, health, a
    query of the value. For the agent: put the check into the same command line.

    ## Facts
    - `target`: what was changed: kind, name, host, context, namespace
    - `environment`: production, or unknown for a shared target that names none
    - `environment_reason`: what says so
    - `effect`: edit, configure, write_data, migrate, deploy, scale, delete, install, transfer or create
    - `verified_at`: index of the message with the first later check, or null
    - `read_back_at`: index of the message that read it back in time, or null
    - `exposed_messages`: messages between the change and its first check, or after it
    - `exposed_ms`: the same in milliseconds, null where the log has no times
    - `copied_before`: whether a copy of the target was made before
    - `staged_before`: whether the same was tried on a staging or development target before
    """

    slug = SLUG
    severity = "high"
    since = "0.1"

    def check(self, graph: SessionGraph) -> Iterator[Finding]:
        """One finding for each call and target."""
        seen = set()
        for edit_made in graph.exposed_edits():
            where = (edit_made.change.call.seq, edit_made.change.command.target)
            if edit_made.check is None and where not in seen:
                seen.add(where)
                yield self._found(graph, edit_made)

    def _found(self, graph: SessionGraph, edit_made: Verification) -> Finding:
        change, command = edit_made.change, edit_made.change.command
        name = named(command.target)
        weak, late = edit_made.read_back, edit_made.later
        if weak is not None:
            severity = by_environment(command.environment, production="low", unknown="info", other="info")
            title = f"{name} was changed and only read back"
        elif late is not None:
            severity = by_environment(command.environment, production="medium", unknown="low", other="low")
            title = f"{name} was changed and checked only {in_words(edit_made.exposed_ms) or 'much'} later"
        else:
            severity = by_environment(command.environment, production="high", unknown="medium", other="low")
            title = f"{name} was changed and never checked"
        because = [(edit_made.last, "a check could still have come here")]
        if weak is not None:
            because.append((weak, "reads back what was written, and nothing more"))
        if edit_made.human is not None:
            because.append((edit_made.human, "the person wrote next", graph.prose(edit_made.human)))
        if late is not None:
            because.append((late, "the first check", late.outcome.quote))
        return self.finding(
            change,
            title,
            note=f"{command.environment.capitalize()} because of: {command.environment_reason}."
            if command.environment_reason
            else "",
            because=because,
            kind="signal" if weak is not None else "fault",
            severity=severity,
            confidence=weakest(
                command.confidence,
                "low" if command.environment == "unknown" or command.partly_parsed else "high",
            ),
            facts={
                "target": command.target,
                "environment": command.environment,
                "environment_reason": command.environment_reason,
                "effect": command.effect,
                "verified_at": None if late is None else late.at.message_index,
                "read_back_at": None if weak is None else weak.at.message_index,
                "exposed_messages": edit_made.exposed_messages,
                "exposed_ms": edit_made.exposed_ms,
                "copied_before": edit_made.copied is not None,
                "staged_before": edit_made.staged is not None,
            },
            about=name,
        )

    examples = (Example("placeholder", asks("x"), says("y")),)
