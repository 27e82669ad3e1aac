"""What the graph is made of: events in order, targets, and the ledger's operations.

A session and its children are laid out as one line of events in reading order: the events of a child stand
right after the call that started it. ``seq`` is the position on that line and the only order there is.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from sessionlens.findings import Place
from sessionlens.language.acts import Act
from sessionlens.model import Call, Message, Role, TextPart
from sessionlens.shell.command import CHANGES, STARTS, Command, Outcome
from sessionlens.shell.result import blank
from sessionlens.targets import Confidence, Match, Target

OpenedBy = Literal["cut_off", "detached", "connection_lost", "running", "interrupted"]
ClosedBy = Literal["check", "result", "stop", "none"]
Found = Literal["good", "bad", "unclear"]
Reached = Literal["yes", "no", "unknown"]


class Said(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A message seen as an event: where a role speaks, or says nothing."""

    seq: int
    """Position on the line of events."""
    at: Place
    """Where."""
    message: Message
    """The message."""
    role: Role
    """Who it is by. Where the log does not say, by the protocol: see :attr:`role_known`."""
    role_known: bool = True
    """``False`` where the log names no role. A message with calls is then the assistant's, and so is what
    follows calls or a person; what follows an assistant message without calls is the person's.
    """
    human: bool
    """A human message of the audited session itself; the prompt of a child is the parent's doing."""
    texts: tuple[TextPart, ...] = ()
    """The prose of the role itself that is spoken here: up to the message's first call, or after a call."""
    opening: bool = True
    """The first event of its message. Prose after a call of the same message is an event of its own."""
    through: str = ""
    """The tool by which it was said, where it is no prose of the message: a question asked, a message sent."""
    turn: int = 0
    """Number of human messages up to and with this one; 0 before the first."""
    depth: int = 0
    """0 in the audited session, 1 in its children …"""


class CutOff(msgspec.Struct, frozen=True, kw_only=True):
    """A time limit ended a call."""

    by: Literal["client", "in_command"]
    """The client's own limit, or a ``timeout`` within the command."""
    limit_ms: int | None
    """The limit in milliseconds."""
    confidence: Confidence = "high"
    """``medium`` where only the missing exit code and the duration tell (opencode 0.5)."""
    quote: str = ""
    """The words of the log that say so."""


class Called(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A call with its result as an event."""

    seq: int
    """Position on the line of events."""
    at: Place
    """Where."""
    call: Call
    """The call."""
    line: str | None
    """The command line of a shell tool; ``None`` for other tools."""
    cut_off: CutOff | None = None
    """Set when a time limit ended it."""
    connection_lost: bool = False
    """Its result shows that the connection to the host broke."""
    turn: int = 0
    """The turn it belongs to."""
    depth: int = 0
    """0 in the audited session, 1 in its children …"""

    @property
    def unfinished(self) -> bool:
        """Whether no result ever came."""
        return self.call.status in ("pending", "running")

    @property
    def shows_nothing(self) -> bool:
        """Whether it came to its end and its result holds nothing to see, a client's own words left out."""
        call = self.call
        ended = call.status == "completed" and not (call.interrupted or call.background)
        if not ended or self.cut_off is not None or call.output is None or call.error is not None:
            return False
        return not call.output.long and blank(call.output.head)


class Ran(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One command of a call as an event: a change, a check, or neither."""

    seq: int
    """Position on the line of events."""
    at: Place
    """Where."""
    call: Called
    """The call it belongs to."""
    position: int
    """Its place in the command line, from 0."""
    command: Command
    """What runs."""
    outcome: Outcome
    """What the result shows of it."""
    of_gone: bool = False
    """A look at what had been deleted or stopped, or what a list tells of such a thing, as an event of its own after the list: that
    it is there no more is good, that it is still there is bad.
    """
    answer: bool = False
    """The answer to a request that wrote something, as an event of its own after the writing: it exercises what
    serves the address, and says nothing of what was written.
    """
    turn: int = 0
    """The turn it belongs to."""
    depth: int = 0
    """0 in the audited session, 1 in its children …"""

    @property
    def change(self) -> bool:
        """Whether it changed a target, or may have: no dry run, and not shown to have changed nothing."""
        return self.changes and not self.outcome.changed_nothing and self.outcome.reached != "no"

    @property
    def changes(self) -> bool:
        """Whether the command is one that changes something, whatever became of it."""
        return self.command.effect in CHANGES and not self.command.dry_run

    @property
    def succeeded(self) -> bool:
        """Whether its own result shows that it came to a good end."""
        return self.outcome.completed == "yes" and not self.outcome.failed

    @property
    def start(self) -> bool:
        """Whether it (re)starts, reloads, deploys or reboots something."""
        return self.command.effect in STARTS and not self.command.dry_run

    @property
    def check(self) -> bool:
        """Whether its result tells the state of its target. A host that was not reached, or gave no answer, was not looked at."""
        return (
            self.command.check_strength is not None
            and self.outcome.state is not None
            and self.outcome.reached != "no"
            and not self.outcome.unanswered
        )


Event = Said | Called | Ran


class Operation(msgspec.Struct, frozen=True, kw_only=True):
    """An entry of the ledger: an operation whose own result does not show that it completed."""

    event: Called | Ran
    """What opened it: a command, or a call without commands."""
    target: Target
    """What it acts on."""
    opened_by: OpenedBy
    """Why it is open."""
    reached: Reached
    """Whether the command began."""
    closing: Event | None = None
    """What closed it."""
    closed_by: ClosedBy = "none"
    """How it was closed."""
    found: Found | None = None
    """What the closing check found."""
    match: Match | None = None
    """Why the closing event speaks of this target."""
    acknowledgement: tuple[Said, Act] | None = None
    """The first message that told the reader."""
    open_messages: int = 0
    """Messages strictly between opening and closing, or after the opening when never closed."""
    open_ms: int | None = None
    """From its start to its closing, or to the session's end."""


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """A human message and everything up to the next one, within one session; a child session is one turn."""

    session: str
    """Id of the session or child."""
    number: int
    """Number of the human message that opens it; 0 for what comes before the first."""
    messages: tuple[Said, ...]
    """Events that open its messages, in order."""
    calls: tuple[Called, ...]
    """Its own calls, those of children left out."""
    prose_after: frozenset[int]
    """Positions of prose that stands after a call of its own message."""
    next_human: Said | None
    """The human message that ends it; ``None`` at the end of the session."""

    @property
    def interrupted(self) -> bool:
        """Whether the person stopped it: the turn ends on an aborted message or call."""
        if not self.messages:
            return False
        last = self.messages[-1]
        if last.message.interruption:
            return True
        ending = [call for call in self.calls if call.at.message_index == last.at.message_index]
        return any(call.call.interrupted for call in ending)
