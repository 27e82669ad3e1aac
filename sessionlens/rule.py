"""What the author of a rule sees: the base class, and the names a rule file may use.

A rule is one file: a frozen dataclass whose docstring is its page, whose fields are its options, whose
examples are its tests, and whose ``check`` reads a session graph and yields findings. ``check`` is pure:
no state on ``self``, no clock, no files, no network. CONTRIBUTING.md walks through writing one.
"""

from __future__ import annotations

import dataclasses
import itertools
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import msgspec

from sessionlens.cache import lazy
from sessionlens.capabilities import not_recorded
from sessionlens.examples import Example
from sessionlens.findings import (
    SEVERITIES,
    Because,
    Finding,
    FindingKind,
    Place,
    Severity,
    at_or_above,
    by_environment,
    fingerprint,
    lower,
    most_exposed,
    weakest,
)
from sessionlens.graph.each_of import FallenOut, LeftOut
from sessionlens.graph.events import Called, CutOff, Event, Operation, Ran, Said, Turn
from sessionlens.graph.handed_back import HandedBack
from sessionlens.graph.handling import Handling
from sessionlens.graph.queries import (
    Predicate,
    Window,
    acknowledges,
    acts_on,
    any_call,
    any_command,
    assistant,
    assistant_prose,
    calls,
    change,
    changes,
    check,
    checks,
    command_line,
    cut_off,
    detached,
    edits,
    end,
    failed,
    found_bad,
    found_good,
    has_effect,
    human,
    in_environment,
    interrupted,
    limited,
    mentions,
    no_output,
    of_call,
    polls,
    runs,
    same_call,
    same_operation,
    same_session,
    same_target,
    shows,
    silent,
    speaks,
    starts,
    succeeded,
    targets_of,
    told_state,
    took,
    unfinished,
)
from sessionlens.graph.readings import Wordless
from sessionlens.graph.sent_again import SentAgain
from sessionlens.graph.session_graph import SessionGraph
from sessionlens.graph.shortfalls import Shortfall
from sessionlens.graph.silence import Silence
from sessionlens.graph.undone import Undone
from sessionlens.graph.verification import Verification
from sessionlens.model import Call, Message, Session
from sessionlens.safe import line as on_one_line
from sessionlens.shell.command import CHANGES, STARTS, Command, Outcome
from sessionlens.targets import Confidence, Environment, Match, Target
from sessionlens.wording import as_code, clipped, in_words, leading, named

# The one list of names that a rule file may import from here.
__all__ = [
    "CHANGES",
    "SEVERITIES",
    "STARTS",
    "Because",
    "Call",
    "Called",
    "Command",
    "Confidence",
    "CutOff",
    "Environment",
    "Event",
    "FallenOut",
    "Finding",
    "FindingKind",
    "FollowUp",
    "HandedBack",
    "Handling",
    "Iterable",
    "Iterator",
    "LeftOut",
    "Mapping",
    "Match",
    "Message",
    "Operation",
    "Outcome",
    "Place",
    "Predicate",
    "Ran",
    "Reason",
    "Rule",
    "Said",
    "SentAgain",
    "Sequence",
    "Session",
    "SessionGraph",
    "Severity",
    "Shortfall",
    "Silence",
    "Target",
    "Turn",
    "Undone",
    "Verification",
    "Window",
    "Wordless",
    "acknowledges",
    "acts_on",
    "any_call",
    "any_command",
    "as_code",
    "assistant",
    "assistant_prose",
    "at_or_above",
    "by_environment",
    "calls",
    "change",
    "changes",
    "check",
    "checks",
    "clipped",
    "command_line",
    "cut_off",
    "dataclass",
    "detached",
    "edits",
    "end",
    "failed",
    "found_bad",
    "found_good",
    "has_effect",
    "human",
    "in_environment",
    "in_words",
    "interrupted",
    "lazy",
    "leading",
    "limited",
    "lower",
    "mentions",
    "most_exposed",
    "named",
    "no_output",
    "not_recorded",
    "of_call",
    "on_one_line",
    "place",
    "polls",
    "runs",
    "same_call",
    "same_operation",
    "same_session",
    "same_target",
    "shows",
    "silent",
    "speaks",
    "starts",
    "succeeded",
    "targets_of",
    "told_state",
    "took",
    "unfinished",
    "weakest",
]  # fmt: skip

QUOTE = 400
"""A longer quote is cut to this many characters, which leaves it an exact piece of the log."""

HEADINGS = ("What it flags", "Why it matters", "What to do", "Facts")
"""Headings that the docstring of every rule has, in this order."""

Where = Event | Operation | Place
"""Something that has a place in the log."""

Reason = tuple[Where, str] | tuple[Where, str, str]
"""A related place, what it shows, and the exact words of the log where there are some."""


def place(where: Where) -> Place:
    """The place of an event, of what opened an operation, or the place itself."""
    if isinstance(where, Place):
        return where
    return where.event.at if isinstance(where, Operation) else where.at


def _position(where: Where) -> int | None:
    """Position on the graph's line of events; a bare place has none."""
    if isinstance(where, Place):
        return None
    return where.event.seq if isinstance(where, Operation) else where.seq


@dataclass(frozen=True, kw_only=True)
class Rule(ABC):
    """One rule. Subclasses are frozen dataclasses; their fields are options, with a docstring under each."""

    slug: ClassVar[str]
    """Names the fault and reads after "saw": *saw call-without-result*. The file stem with hyphens."""
    kind: ClassVar[FindingKind] = "fault"
    """What its findings are where ``finding`` does not say otherwise."""
    severity: ClassVar[Severity]
    """How bad they are where ``finding`` does not say otherwise."""
    since: ClassVar[str]
    """Version of sessionlens that first shipped it; of your own rule, its own version."""
    examples: ClassVar[tuple[Example, ...]] = ()
    """Its tests: some flagged, some clean."""
    after: ClassVar[tuple[str, ...]] = ()
    """Slugs of rules whose findings it needs. Only a :class:`FollowUp` has any."""

    def checkable(self, session: Session) -> str | None:
        """Why the rule cannot judge this session, in words for a reader; ``None`` when it can.

        For formats that do not record what the rule rests on. The report lists the reason, so that no
        finding is never mistaken for nothing wrong.
        """
        return None

    @abstractmethod
    def check(self, graph: SessionGraph) -> Iterator[Finding]:
        """Yield what the rule finds in one session and its children."""

    def finding(
        self,
        at: Where,
        title: str,
        *,
        because: Iterable[Reason] = (),
        severity: Severity | None = None,
        confidence: Confidence = "high",
        kind: FindingKind | None = None,
        facts: Mapping[str, Any] | None = None,
        note: str = "",
        about: str = "",
    ) -> Finding:
        """A finding of this rule: one primary place and any number of related ones.

        :param at: the event, operation or place that the finding is about.
        :param title: one line that says what happened here, with names from this log.
        :param because: ``(where, note)`` or ``(where, note, quote)``: what that place shows, and its exact words.
            Events are put in the order of the log; bare places keep the order given.
        :param severity: instead of the rule's own.
        :param kind: instead of the rule's own.
        :param facts: the facts that the docstring's ``## Facts`` documents; values that JSON can hold.
        :param note: one or two sentences for the margin.
        :param about: tells two findings at one place apart, such as the target's name, so that each
            keeps its fingerprint when the other one goes.
        """
        spot = place(at)
        return Finding(
            rule=self.slug,
            kind=kind or self.kind,
            severity=severity or self.severity,
            confidence=confidence,
            title=title,
            note=note,
            fingerprint=fingerprint(self.slug, spot, about),
            at=spot,
            because=_related(because),
            facts=_plain(facts or {}),
        )


@dataclass(frozen=True, kw_only=True)
class FollowUp(Rule):
    """A rule that runs after others and sees their findings. It never calls another rule."""

    def check(self, graph: SessionGraph) -> Iterator[Finding]:
        """A follow-up without the others' findings sees none of them."""
        return self.check_after(graph, ())

    @abstractmethod
    def check_after(self, graph: SessionGraph, earlier: tuple[Finding, ...]) -> Iterator[Finding]:
        """Yield what the rule finds, given what the rules in ``after`` found, in order of the log."""


def _related(because: Iterable[Reason]) -> tuple[Because, ...]:
    rows = [(row[0], row[1], row[2] if len(row) == 3 else "") for row in because]
    positions = [_position(row[0]) for row in rows]
    known = [position for position in positions if position is not None]
    if len(known) == len(rows):
        rows = [row for _, row in sorted(zip(known, rows, strict=True), key=lambda pair: pair[0])]
    related = []
    for where, note, quote in rows:
        spot = place(where)
        related.append(
            Because(
                session=spot.session,
                message_id=spot.message_id,
                message_index=spot.message_index,
                call_id=spot.call_id,
                line=spot.line,
                note=note,
                quote=quote[:QUOTE],
            )
        )
    return tuple(related)


def _plain(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Facts as JSON values, sets in order; raises ``TypeError`` for what JSON cannot hold."""
    plain = msgspec.to_builtins(dict(facts), order="deterministic", str_keys=True)
    assert isinstance(plain, dict)
    # ``order`` sorts dictionaries too; the order in which the rule gave its facts is the one to keep.
    return {str(name): plain[str(name)] for name in facts}


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """The docstring of a rule, taken apart."""

    summary: str
    """Its first line."""
    sections: dict[str, str]
    """Text under each ``## heading``, in order."""

    @property
    def facts(self) -> dict[str, str]:
        """Name and meaning of each fact that the page documents as a list entry ``- `name`: meaning``."""
        found: dict[str, str] = {}
        name = ""
        for line in self.sections.get("Facts", "").splitlines():
            if line.startswith("- `") and "`" in line[3:]:
                name, _, meaning = line[3:].partition("`")
                found[name] = meaning.lstrip(": ")
            elif name and line.startswith("  "):
                found[name] += " " + line.strip()
        return found


def page(rule: type[Rule]) -> Page:
    """The documentation of a rule, from its docstring."""
    import inspect

    text = inspect.cleandoc(rule.__doc__ or "")
    head, *rest = ("\n" + text).split("\n## ")
    sections = {}
    for part in rest:
        heading, _, body = part.partition("\n")
        sections[heading.strip()] = body.strip("\n")
    return Page(summary=" ".join(head.split("\n\n")[0].split()), sections=sections)


class Option(msgspec.Struct, frozen=True, kw_only=True):
    """One option of a rule, as its field declares it."""

    name: str
    """Name of the field, and key in ``sessionlens.toml``."""
    type: str
    """Its type, as written."""
    default: Any
    """What applies when nobody sets it."""
    meaning: str
    """The docstring under the field."""


def options(rule: type[Rule]) -> tuple[Option, ...]:
    """The options of a rule in the order of its fields; empty when it has none."""
    # A declarative rule has no source: it carries what its options mean.
    meanings = getattr(rule, "meanings", None) or _field_docs(rule)
    rows = []
    for field in dataclasses.fields(rule):
        default = field.default
        if default is dataclasses.MISSING and field.default_factory is not dataclasses.MISSING:
            default = field.default_factory()
        rows.append(
            Option(
                name=field.name,
                type=field.type
                if isinstance(field.type, str)
                else getattr(field.type, "__name__", str(field.type)),
                default=None if default is dataclasses.MISSING else default,
                meaning=meanings.get(field.name, ""),
            )
        )
    return tuple(rows)


def _field_docs(rule: type[Rule]) -> dict[str, str]:
    """The string under each annotated field of the class body, from its source."""
    import ast
    import inspect
    import textwrap

    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(rule)))
    except (OSError, TypeError, SyntaxError):
        return {}
    body = tree.body[0].body if tree.body and isinstance(tree.body[0], ast.ClassDef) else []
    docs = {}
    for first, second in itertools.pairwise(body):
        if (
            isinstance(first, ast.AnnAssign)
            and isinstance(first.target, ast.Name)
            and isinstance(second, ast.Expr)
            and isinstance(second.value, ast.Constant)
            and isinstance(second.value.value, str)
        ):
            docs[first.target.id] = inspect.cleandoc(second.value.value)
    return docs
