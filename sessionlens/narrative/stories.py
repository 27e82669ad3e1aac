"""Which findings are one story, and the context that every chapter is told from."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from functools import cached_property

import msgspec

from sessionlens.cache import lazy
from sessionlens.findings import SEVERITIES, Because, Finding, Place, aside
from sessionlens.graph.events import Called, Event, Operation, Ran, Said
from sessionlens.narrative import states, words
from sessionlens.narrative.pictures import order_of
from sessionlens.narrative.places import Places
from sessionlens.narrative.states import Subject
from sessionlens.narrative.views import Audited

NEAR = 12
"""Findings of one turn belong together when no more messages than this lie between them: a turn can be a whole
session."""


class Story(msgspec.Struct, kw_only=True):
    """Findings that share an operation, a target or a turn."""

    findings: list[Finding]
    """In order of place."""
    subjects: list[Subject]
    """What it is about."""
    operations: list[Operation]
    """Open operations it speaks of."""

    @property
    def rank(self) -> int:
        """Of its worst finding, faults before signals before good conduct."""
        return min(_rank(finding) for finding in self.findings)


def _rank(finding: Finding) -> int:
    kinds = {"fault": 0, "signal": 10, "good": 20}
    return kinds[finding.kind] + SEVERITIES.index(finding.severity)


BACKUP = lazy(r"(?:\.(?:bak|backup|orig|old|save|before|prev)\b|[._-]\d{8,}|~$)", re.IGNORECASE)
"""Names of files that are copies of others."""
COPYING = frozenset({"cp", "rsync", "scp", "tar", "install", "etckeeper", "zip", "pg_dump", "mysqldump"})
"""Programs that copy."""


class Context:
    """An audit with the look-ups that telling needs, each computed once."""

    def __init__(self, audit: Audited) -> None:
        """Read the events once. Subjects carry the rank of their worst finding."""
        self.audit = audit
        self.graph = audit.graph
        self.session = audit.session
        self.places = Places(audit.session)
        self.findings = audit.findings
        self.operations = {operation.event.seq: operation for operation in self.graph.ledger}
        self.subjects, self.left_out = states.subjects(self.graph, self.findings)
        self.silences = tuple(self.graph.silences())
        self.names: dict[str, list[tuple[str, str]]] = {}
        self._subject_of: dict[int, list[Subject]] = {}
        for subject in self.subjects:
            for ran in subject.events:
                self._subject_of.setdefault(ran.seq, []).append(subject)
        self._by_call: dict[tuple[str, int, str | None], list[Called | Ran]] = {}
        self._by_message: dict[tuple[str, int], list[Event]] = {}
        for event in self.graph.events:
            at = event.at
            self._by_message.setdefault((at.session, at.message_index), []).append(event)
            if not isinstance(event, Said):
                self._by_call.setdefault((at.session, at.message_index, at.call_id), []).append(event)

    @cached_property
    def order(self) -> dict[tuple[str, int], int]:
        """Every message with its position."""
        return order_of(self.graph)

    @cached_property
    def copying(self) -> tuple[Ran, ...]:
        """Commands that may have copied a file and did not fail, in order."""
        return tuple(
            event
            for event in self.graph.events
            if isinstance(event, Ran)
            and (
                event.command.program in COPYING
                or (event.command.effect == "edit" and BACKUP.search(event.command.target.name))
            )
            and event.outcome.reached != "no"
        )

    @cached_property
    def staged(self) -> tuple[Ran, ...]:
        """Changes in staging, in order."""
        return tuple(
            event
            for event in self.graph.events
            if isinstance(event, Ran) and event.command.environment == "staging" and event.change
        )

    @cached_property
    def checks(self) -> frozenset[int]:
        """Positions of what tells a state after a change or of something that runs: a file that is read, and that nothing
        had changed before, is no check (CONTRACT §1).
        """
        changed: set[tuple[str | None, str]] = set()
        found: set[int] = set()
        for event in self.graph.events:
            if not isinstance(event, Ran):
                continue
            target = event.command.target
            key = (target.host, target.name.rsplit("/", 1)[-1])
            if event.check and (
                event.command.check_strength in ("state", "exercise") or (target.name and key in changed)
            ):
                found.add(event.seq)
            if event.change:
                changed.add(key)
        return frozenset(found)

    @cached_property
    def humans(self) -> tuple[Said, ...]:
        """The person's messages in order."""
        return tuple(
            event for event in self.graph.events if isinstance(event, Said) and event.human and event.opening
        )

    @cached_property
    def _human_seqs(self) -> list[int]:
        return [said.seq for said in self.humans]

    def human_before(self, event: Event) -> Said | None:
        """The last message of the person before an event."""
        position = bisect_left(self._human_seqs, event.seq)
        return self.humans[position - 1] if position else None

    def human_after(self, event: Event) -> Said | None:
        """The next message of the person after an event."""
        position = bisect_right(self._human_seqs, event.seq)
        return self.humans[position] if position < len(self.humans) else None

    def said_between(self, begin: Event, end: Event | None) -> Iterator[Said]:
        """What assistants of the same session wrote between two events; empty messages included. Looked for as it is
        asked for.
        """
        said = self.graph.index("said")
        last = end.seq if end is not None else len(self.graph.events)
        between = range(bisect_right(said, begin.seq), bisect_left(said, last))
        return (
            event
            for event in (self.graph.events[said[at]] for at in between)
            if isinstance(event, Said)
            and event.at.session == begin.at.session
            and event.role == "assistant"
            and not event.message.summary
            and (event.opening or any(not part.text.blank() for part in event.texts))
        )

    def at(self, place: Place | Because) -> list[Event]:
        """The events at a place: of its call where it names one, else of its message."""
        if place.call_id is not None:
            found: list[Event] = list(
                self._by_call.get((place.session, place.message_index, place.call_id), ())
            )
            if found:
                return found
        return self._by_message.get((place.session, place.message_index), [])

    def message_events(self, session: str, index: int) -> list[Event]:
        """Every event of one message."""
        return self._by_message.get((session, index), [])

    def subjects_of(self, event: Event) -> list[Subject]:
        """What an event acts on or checks, of what is followed."""
        return self._subject_of.get(event.seq, [])

    def opened_at(self, events: Iterable[Event]) -> list[Operation]:
        """The open operations among events."""
        return [self.operations[event.seq] for event in events if event.seq in self.operations]


def acted_on(context: Context, story: Story, event: Event) -> Subject | None:
    """The subject of a story that an event itself acts on; what was done to it is told of no other."""
    return next((subject for subject in context.subjects_of(event) if subject in story.subjects), None)


def several_acted_on(context: Context, story: Story, operations: Iterable[Operation]) -> list[Subject]:
    """The subjects of a story that its operations act on, each once, in order of the log."""
    found: dict[int, Subject] = {}
    for operation in operations:
        subject = acted_on(context, story, operation.event)
        if subject is not None:
            found.setdefault(id(subject), subject)
    return list(found.values())


def edited(context: Context, story: Story, finding: Finding) -> Subject | None:
    """The subject that a finding about a change speaks of."""
    effect = finding.facts.get("effect")
    _, name, host = _target_of(finding)
    changes = [
        event
        for event in context.at(finding.at)
        if isinstance(event, Ran) and event.changes and event.command.effect == effect
    ]
    # One line may change several things, or one thing on several hosts.
    changes.sort(key=lambda event: (event.command.target.name != name, event.command.target.host != host))
    return next((found for event in changes if (found := acted_on(context, story, event)) is not None), None)


def titled(context: Context, finding: Finding, times: int = 1) -> str:
    """A finding's title as that of a story: with the host where the log shows one and the title does not, and how
    often.
    """
    text = at_host(context, finding, words.unstopped(words.flat(finding.title)))
    return text if times == 1 else f"{text}, {words.number(times)} times"


def at_host(context: Context, place: Place | Finding, text: str) -> str:
    """A text on what was run at a place, with the one host that it acted on where the text does not name it."""
    at = place.at if isinstance(place, Finding) else place
    hosts = {event.command.target.host for event in context.at(at) if isinstance(event, Ran)}
    host = next(iter(hosts)) if len(hosts) == 1 else None
    return text if not host or host in text else f"{text}, on {words.code(host)}"


def stories(context: Context) -> list[Story]:
    """Findings grouped into stories, worst first, then in order of the log. What is told aside makes none.

    Stories of nothing but one rule's findings with one title are one: it happened several times.
    """
    reported = [finding for finding in context.findings if not aside(finding)]
    parent = list(range(len(reported)))

    def root(position: int) -> int:
        while parent[position] != position:
            parent[position] = parent[parent[position]]
            position = parent[position]
        return position

    owners: dict[tuple[str, int], int] = {}
    keys: list[tuple[list[Subject], list[Operation]]] = []
    numbers = {id(subject): number for number, subject in enumerate(context.subjects)}
    latest: dict[tuple[str, int], tuple[int, int]] = {}
    for position, finding in enumerate(reported):
        about, operations = _about(context, finding)
        keys.append((about, operations))
        marks = [("subject", numbers[id(subject)]) for subject in about]
        marks += [("operation", operation.event.seq) for operation in operations]
        for mark in marks:
            if mark in owners:
                parent[root(position)] = root(owners[mark])
            owners.setdefault(mark, position)
        events = context.at(finding.at)
        turn = (finding.at.session, events[0].turn if events else -1)
        if turn in latest and 0 <= finding.at.message_index - latest[turn][1] <= NEAR:
            parent[root(position)] = root(latest[turn][0])
        latest[turn] = (position, finding.at.message_index)
    members: dict[int, list[int]] = {}
    for position in range(len(reported)):
        members.setdefault(root(position), []).append(position)
    alike: dict[tuple[str, str], int] = {}
    for top, positions in members.items():
        kinds = {(reported[one].rule, reported[one].title) for one in positions}
        if len(kinds) == 1:
            parent[top] = alike.setdefault(kinds.pop(), top)
    groups: dict[int, Story] = {}
    for position, finding in enumerate(reported):
        about, operations = keys[position]
        story = groups.setdefault(root(position), Story(findings=[], subjects=[], operations=[]))
        story.findings.append(finding)
        for subject in about:
            if not any(subject is known for known in story.subjects):
                story.subjects.append(subject)
            if finding.kind != "good":
                subject.worst = min(subject.worst, _rank(finding))
        for operation in operations:
            if all(operation.event.seq != known.event.seq for known in story.operations):
                story.operations.append(operation)
    for story in groups.values():
        _complete(context, story)
        story.operations.sort(key=lambda operation: operation.event.seq)
    return sorted(groups.values(), key=lambda s: (s.rank, reported.index(s.findings[0])))


def story_of(context: Context, finding: Finding) -> Story | None:
    """The story of one finding alone; ``None`` for one that is told aside."""
    if aside(finding):
        return None
    about, operations = _about(context, finding)
    wanted = _target_of(finding)
    named = [one for one in about if any((own.kind, own.name, own.host) == wanted for own in one.targets)]
    if not named:
        # What only shares a neighbourhood with what was done here has its own stories.
        acted = {event.command.target for event in context.at(finding.at) if isinstance(event, Ran)}
        acted |= {one.event.command.target for one in operations if isinstance(one.event, Ran)}
        about = [one for one in about if acted.intersection(one.targets)]
    if named:
        # One line may act on many things; this finding is about one.
        about = named
        own = {operation.event.seq for subject in about for operation in subject.operations}
        operations = [one for one in operations if one.event.seq in own]
    story = Story(findings=[finding], subjects=about, operations=operations)
    _complete(context, story)
    story.operations.sort(key=lambda operation: operation.event.seq)
    return story


def _target_of(finding: Finding) -> tuple[object, object, object]:
    """Kind, name and host of the target that a finding's facts name."""
    target = finding.facts.get("target")
    kind, name, host = (
        target.get(key) if isinstance(target, dict) else getattr(target, key, None)
        for key in ("kind", "name", "host")
    )
    return kind, name, host


def _complete(context: Context, story: Story) -> None:
    """Add the operations on the story's targets that were opened while its own were open."""
    seqs = [operation.event.seq for operation in story.operations]
    if not seqs:
        return
    ends = [
        operation.closing.seq if operation.closing is not None else len(context.graph.events)
        for operation in story.operations
    ]
    for subject in story.subjects:
        for operation in subject.operations:
            if min(seqs) < operation.event.seq < max(ends) and operation.event.seq not in seqs:
                seqs.append(operation.event.seq)
                story.operations.append(operation)


def _about(context: Context, finding: Finding) -> tuple[list[Subject], list[Operation]]:
    """What a finding is about: the targets and operations at its place, and operations it rests on."""
    here = context.at(finding.at)
    operations = context.opened_at(here)
    turns = {event.turn for event in here}
    for because in finding.because:
        if because.call_id is not None:
            # An earlier run that is named for comparison is no part of the story.
            operations += [
                operation
                for operation in context.opened_at(context.at(because))
                if operation.event.turn in turns
            ]
    about: list[Subject] = []
    acting = [event for event in here if isinstance(event, Ran) and (event.changes or event.check)]
    for event in (*acting, *(operation.event for operation in operations)):
        for subject in context.subjects_of(event):
            if not any(subject is known for known in about):
                about.append(subject)
    unique = {operation.event.seq: operation for operation in operations}
    return about, list(unique.values())
