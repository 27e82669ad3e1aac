"""What there is to tell, as data: worded, placed, and without a single mark of any output format.

Every sentence is a :class:`Statement` and carries the places of the log it stands on. The writers in
``sessionlens.report`` turn these types into pages and text; they decide how a thing looks, never what is said.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, Protocol

import msgspec

from sessionlens.findings import Finding, FindingKind, Severity
from sessionlens.graph.session_graph import SessionGraph
from sessionlens.model import Session
from sessionlens.targets import Confidence

Certainty = Literal["observed", "derived", "inferred"]
"""Observed: it stands in the log. Derived: computed from observed facts by a stated rule. Inferred: a reading
that could be wrong."""
State = Literal["good", "unverified", "unknown", "bad"]
"""What was known of a target: shown good by a check; changed and not checked since; an operation is open, so
nobody knows; shown bad by a check."""
MarkKind = Literal[
    "request", "reply", "silence", "interruption", "call", "cut_off", "lost", "open", "change", "check_good",
    "check_bad", "check_unclear",
]  # fmt: skip


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """One place of the log that a statement stands on."""

    session: str
    """Id of the session (the audited one or a child)."""
    message_id: str | None = None
    """The log's id of the message."""
    message_index: int | None = None
    """Its position from 0; ``None`` for a place outside any message."""
    call_id: str | None = None
    """The log's id of the call, where it is about one."""
    line: int | None = None
    """1-based line of the log; ``None`` for stores without lines."""
    label: str = ""
    """How to name the place to a reader: ``5740``, or ``#12`` where ids are long."""
    anchor: str | None = None
    """Name of the place within one page; ``None`` for a place outside any message."""
    quote: str = ""
    """Exact words of the log; may be empty where silence is the evidence."""
    cut: tuple[bool, bool] = (False, False)
    """Whether the log goes on before and after the quote."""
    note: str = ""
    """What this place shows, in one clause."""


class Statement(msgspec.Struct, frozen=True, kw_only=True):
    """One sentence, how sure it is, and what it stands on."""

    text: str
    """The sentence. A piece between backticks is code."""
    certainty: Certainty
    """How it is known."""
    evidence: tuple[Evidence, ...]
    """At least one place."""
    step: bool = False
    """Whether a new step of the story begins here."""
    names: tuple[str, ...] = ()
    """All that the sentence counts, by name; for who wants to see them."""


class Section(msgspec.Struct, frozen=True, kw_only=True):
    """Statements under one heading."""

    heading: str
    """What the statements tell."""
    statements: tuple[Statement, ...]
    """In the order to read them."""


class NextCommand(msgspec.Struct, frozen=True, kw_only=True):
    """One command that would have told the state of a target, spelled out."""

    line: str
    """The command line, quoted so that it can be pasted."""
    why: str
    """What it tells."""
    evidence: tuple[Evidence, ...]
    """Where the names in it come from, or where the same check was used."""


class Thing(msgspec.Struct, frozen=True, kw_only=True):
    """A name that a reader must know to follow a chapter."""

    kind: str
    """What sort of name: host, service, file, flag, port, process, version, model, address."""
    value: str
    """As the log writes it."""
    first: Evidence
    """Its first mention."""
    last: Evidence
    """Its latest mention; the same place when there is one only."""
    mentions: int
    """In how many messages it is named."""


class FindingView(msgspec.Struct, frozen=True, kw_only=True):
    """A finding as a reader meets it."""

    rule: str
    """Slug of the rule."""
    kind: FindingKind
    """Fault, good conduct, or signal."""
    severity: Severity
    """How bad, were it true."""
    confidence: Confidence
    """How sure."""
    title: str
    """One line."""
    note: str
    """One or two sentences."""
    fingerprint: str
    """Stable name."""
    at: Evidence
    """The primary place."""
    because: tuple[Evidence, ...]
    """Related places with notes."""
    mark: str = ""
    """Why it does not count for a verdict, in words; empty where it counts."""


class Mark(msgspec.Struct, frozen=True, kw_only=True):
    """Something that happened, to be drawn on a lane."""

    kind: MarkKind
    """What happened."""
    column: int
    """Position along the picture, an index into its columns."""
    label: str
    """In words."""
    at: Evidence
    """Where."""


class Interval(msgspec.Struct, frozen=True, kw_only=True):
    """A stretch of a picture during which one thing was known of a target."""

    state: State
    """What was known."""
    start: int
    """Column it begins at."""
    end: int
    """Column it ends before."""
    statement: Statement
    """The same in words."""


class Lane(msgspec.Struct, frozen=True, kw_only=True):
    """One row of a picture: a role, the tools, or a target."""

    name: str
    """Who or what."""
    detail: str = ""
    """Where it is, such as its host and environment."""
    marks: tuple[Mark, ...] = ()
    """In order."""
    intervals: tuple[Interval, ...] = ()
    """In order, without overlap; empty for roles."""


class Column(msgspec.Struct, frozen=True, kw_only=True):
    """One position of a picture."""

    label: str
    """Name of the message there; empty for a break."""
    at: Evidence | None
    """The message; ``None`` for a break."""
    skipped: int = 0
    """How many messages a break stands for."""


class Picture(msgspec.Struct, frozen=True, kw_only=True):
    """A timeline: lanes over columns."""

    title: str
    """What it shows."""
    width: int
    """How many columns it has."""
    columns: tuple[Column, ...] = ()
    """From left to right, in reading order; empty where every message of the session is one."""
    ticks: tuple[tuple[int, str], ...] = ()
    """Columns to label, where :attr:`columns` is empty."""
    lanes: tuple[Lane, ...]
    """From top to bottom."""
    left_out: int = 0
    """Targets that have no lane because there are too many."""


class LedgerRow(msgspec.Struct, frozen=True, kw_only=True):
    """One open operation, worded."""

    target: str
    """What it acted on."""
    action: str
    """What was done: ``restart``, ``command``."""
    opened_by: str
    """Why it was open, in words."""
    reached: str
    """Whether it began, in words."""
    told: str
    """When the reader was told, or that nobody was."""
    closed: str
    """How it ended, in words."""
    unknown_for: str
    """How long the state was unknown: messages and time."""
    still_open: bool
    """Never closed within the log."""
    opened_at: Evidence
    """Where it was opened."""
    told_at: Evidence | None
    """Where the reader was told."""
    closed_at: Evidence | None
    """Where it was closed."""


class Number(msgspec.Struct, frozen=True, kw_only=True):
    """One of the four numbers of the first screen."""

    value: str
    """Worded for people."""
    label: str
    """What it counts."""
    detail: str
    """What is in it."""
    tone: Literal["bad", "warn", "calm"]
    """Whether it asks for attention."""
    evidence: tuple[Evidence, ...] = ()
    """Where it comes from; empty when the count is nought."""


class Chapter(msgspec.Struct, frozen=True, kw_only=True):
    """One story of the session."""

    anchor: str
    """Name within one page."""
    title: str
    """One line."""
    severity: Severity | None
    """The worst of its findings; ``None`` without findings."""
    kind: Literal["fault", "signal", "good", "message"]
    """What it is about."""
    findings: tuple[FindingView, ...]
    """What the rules reported of it, worst first."""
    sections: tuple[Section, ...]
    """The story, causes before effects."""
    next_commands: tuple[NextCommand, ...] = ()
    """What would have told the state."""
    things: tuple[Thing, ...] = ()
    """Names to know."""
    picture: Picture | None = None
    """The surroundings of its findings."""
    when: str = ""
    """When it took place, absolute and relative."""
    into: str = ""
    """How far into the session it began: ``20 min 24 s``; empty without times."""


class Note(msgspec.Struct, frozen=True, kw_only=True):
    """A note for the margin of the transcript."""

    kind: Literal["fault", "signal", "good", "cut_off", "change", "check", "open", "told", "closed"]
    """What it marks."""
    text: str
    """In a few words."""
    severity: Severity | None = None
    """For findings."""
    chapter: str | None = None
    """Anchor of the chapter that tells it."""
    fingerprint: str | None = None
    """For findings."""


class Meta(msgspec.Struct, frozen=True, kw_only=True):
    """What the session is, in words."""

    id: str
    """The session's id."""
    title: str
    """Its title, or its id."""
    client: str
    """Client and version."""
    when: str
    """From when to when."""
    size: str
    """Messages, person's messages, calls."""
    models: str
    """Models that wrote."""
    source_format: str
    """How the log was read."""


class Narrative(msgspec.Struct, frozen=True, kw_only=True):
    """Everything there is to tell about one audited session."""

    meta: Meta
    """What the session is."""
    headline: Statement
    """One sentence that says what happened."""
    lede: tuple[Statement, ...]
    """At most a few more sentences for the first screen."""
    numbers: tuple[Number, ...]
    """Four."""
    picture: Picture | None
    """The whole session, a lane a target; ``None`` when no target was acted on."""
    ledger: tuple[LedgerRow, ...]
    """Open operations, in order."""
    chapters: tuple[Chapter, ...]
    """Faults and signals, worst first; the asked-for message before all."""
    further: tuple[FindingView, ...] = ()
    """Faults and signals of stories without a chapter, in order of the log."""
    conduct: tuple[Section, ...]
    """What went well, interruptions, and what was checked."""
    aside: tuple[FindingView, ...] = ()
    """Good conduct and signals of no weight, in order of the log: told apart from the stories, and folded on a page."""
    limits: tuple[Statement, ...]
    """What this log cannot show."""
    notes: dict[str, tuple[Note, ...]]
    """Margin notes by anchor of the message."""


class Redacted(Protocol):
    """What the narrative needs of a redaction."""

    @property
    def total(self) -> int:
        """How many places were redacted."""

    @property
    def by_kind(self) -> dict[str, int]:
        """How many of each kind."""


class Broken(Protocol):
    """What the narrative needs of a rule that crashed."""

    @property
    def rule(self) -> str:
        """Its slug."""


class Unjudged(Protocol):
    """What the narrative needs of a rule that could not judge the session."""

    @property
    def rule(self) -> str:
        """Its slug."""

    @property
    def reason(self) -> str:
        """Why, in words."""


class Asked(Protocol):
    """What the narrative needs of a rule that ran."""

    @property
    def slug(self) -> str:
        """Its name."""


class Marked(Protocol):
    """What the narrative needs of a mark that a baseline or a suppression set."""

    @property
    def words(self) -> str:
        """The mark in a few words; empty where the finding counts."""


class Audited(Protocol):
    """An audit as the narrative reads it: a session, its graph, and what the rules found."""

    @property
    def session(self) -> Session:
        """The session, already redacted."""

    @property
    def graph(self) -> SessionGraph:
        """Its graph."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """In order of place."""

    @property
    def marks(self) -> Mapping[str, Marked]:
        """By fingerprint, why a finding does not count."""

    @property
    def rule_errors(self) -> tuple[Broken, ...]:
        """Rules that crashed."""

    @property
    def rules(self) -> tuple[Asked, ...]:
        """The rules that ran."""

    @property
    def not_checkable(self) -> tuple[Unjudged, ...]:
        """Rules that could not judge this session."""

    @property
    def redactions(self) -> Redacted | None:
        """What was taken out; ``None`` when redaction was off."""
