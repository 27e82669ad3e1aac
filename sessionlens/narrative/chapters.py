"""From a story to its chapter: what was going on, what was run, what came of it, what was known, what was not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from itertools import islice

import msgspec

from sessionlens.findings import SEVERITIES, Because, Finding, Place
from sessionlens.graph.claims import Claim
from sessionlens.graph.events import Called, Event, Operation, Ran, Said
from sessionlens.narrative import claimed, deeds, pictures, scene, states, things, words, would_tell, written
from sessionlens.narrative.states import Stretch, Subject
from sessionlens.narrative.stories import Context, Story, at_host, edited, several_acted_on, titled
from sessionlens.narrative.views import (
    Certainty,
    Chapter,
    Evidence,
    FindingView,
    NextCommand,
    Section,
    State,
    Statement,
)
from sessionlens.targets import Target

STRETCHES = 8
"""Stretches of what was known that one chapter tells; the pictures show them all."""
ACTS = 8
"""Calls told one by one; the rest of a long story is told in one sentence."""


class Act(msgspec.Struct, kw_only=True):
    """One call of a story with what it did to the story's targets."""

    called: Called
    """The call."""
    rans: list[Ran]
    """Its commands that change a target of the story."""
    operations: list[Operation]
    """What it left open."""


def chapter(context: Context, story: Story, number: int) -> Chapter:
    """Tell one story."""
    acts = _acts(context, story)
    findings = list(story.findings)
    sections = _sections(context, story, acts)
    worst = min((f.severity for f in findings if f.kind == "fault"), key=SEVERITIES.index, default=None)
    if worst is None:
        worst = min((f.severity for f in findings), key=SEVERITIES.index)
    kinds = {finding.kind for finding in findings}
    events = _chapter_events(context, story, acts)
    own = [event for event in events if not acts or event.seq >= acts[0].called.seq]
    picture = pictures.around(
        context.graph,
        context.places,
        events,
        story.subjects,
        order=context.order,
        events_at=context.message_events,
    )
    anchor = f"story-{number}"
    things.choose(context, anchor, events, (*sections[0].statements, *sections[1].statements))
    return Chapter(
        anchor=anchor,
        title=title(context, story, acts),
        severity=worst,
        kind="fault" if "fault" in kinds else "signal" if "signal" in kinds else "good",
        findings=tuple(
            view(context, finding)
            for finding in sorted(findings, key=lambda f: (SEVERITIES.index(f.severity), f.at.message_index))
        ),
        sections=tuple(section for section in sections if section.statements),
        next_commands=next_commands(context, story.subjects),
        picture=picture,
        when=_when(context, own),
        into=_into(context, own),
    )


def told(context: Context, story: Story) -> tuple[Statement, ...]:
    """The statements of a story alone, without what a page shows beside them: of its acts those that its findings name."""
    places = {
        (place.session, place.message_index)
        for finding in story.findings
        for place in states.places_of(finding)
    }
    acts = _acts(context, story)
    named = [act for act in acts if (act.called.at.session, act.called.at.message_index) in places]
    return tuple(
        statement
        for section in _sections(context, story, named or acts, pictured=False)
        for statement in section.statements
    )


def _sections(context: Context, story: Story, acts: Sequence[Act], *, pictured: bool = True) -> list[Section]:
    claims = claimed.of_story(context, story, [act.called for act in acts])
    telling = Told(context, story, claims, pictured=pictured)
    going_on = list(telling.opening(acts))
    happened = list(telling.happened(acts))
    covered = {(at.session, at.message_index) for s in (*going_on, *happened) for at in _places(s)}
    rest = [
        finding
        for finding in story.findings
        if ((finding.at.session, finding.at.message_index) not in covered or not acts)
        and not any(claimed.tells(claim, finding) for claim in claims)
    ]
    happened += _reported_once(context, rest)
    return [
        Section(heading="What was going on", statements=tuple(going_on)),
        Section(heading="What was done, and what came of it", statements=tuple(happened)),
        Section(heading="What was known, and from when on", statements=tuple(telling.known())),
        Section(heading="What the log does not show", statements=tuple(telling.not_shown(acts))),
    ]


def _places(statement: Statement) -> Iterable[Place]:
    for at in statement.evidence:
        if at.message_index is not None:
            yield Place(session=at.session, message_id=at.message_id, message_index=at.message_index)


def view(context: Context, finding: Finding) -> FindingView:
    """A finding with its places named."""
    return FindingView(
        rule=finding.rule,
        kind=finding.kind,
        severity=finding.severity,
        confidence=finding.confidence,
        title=finding.title,
        note=finding.note,
        fingerprint=finding.fingerprint,
        at=context.places.of(finding.at),
        because=tuple(context.places.of(because) for because in finding.because),
        mark=_mark(context, finding),
    )


def _mark(context: Context, finding: Finding) -> str:
    mark = context.audit.marks.get(finding.fingerprint)
    return "" if mark is None else words.flat(mark.words)


def reported(context: Context, finding: Finding) -> Statement:
    """A finding as a statement, for rules that the narrative knows nothing of."""
    certainty: Certainty = "inferred" if finding.confidence == "low" else "derived"
    title = words.flat(finding.title)
    return Statement(
        text=title if title.endswith((".", "?", "!", "…")) else f"{title}.",
        certainty=certainty,
        evidence=(
            context.places.of(finding.at),
            *(_related(context, because) for because in finding.because[:6]),
        ),
    )


def _reported_once(context: Context, findings: Sequence[Finding]) -> Iterable[Statement]:
    """Findings as statements; those of one title in one, with all their places."""
    alike: dict[str, list[Finding]] = {}
    for finding in findings:
        alike.setdefault(words.flat(finding.title), []).append(finding)
    for same in alike.values():
        told = reported(context, same[0])
        if len(same) > 1:
            told = msgspec.structs.replace(
                told,
                text=f"{words.unstopped(words.flat(same[0].title))}, {words.number(len(same))} times.",
                evidence=tuple(context.places.of(finding.at) for finding in same),
            )
        yield told


def _related(context: Context, because: Because) -> Evidence:
    """A related place; quoted where a call shows something, not where somebody spoke."""
    at = context.places.of(because)
    return at if because.call_id is not None else msgspec.structs.replace(at, quote="", cut=(False, False))


def _acts(context: Context, story: Story) -> list[Act]:
    """The calls of a story, in order: what left something open, flagged changes, and changes in between."""
    called: dict[int, Act] = {}

    def add(event: Called | Ran) -> None:
        call = event if isinstance(event, Called) else event.call
        act = called.setdefault(call.seq, Act(called=call, rans=[], operations=[]))
        if isinstance(event, Ran) and all(event.seq != known.seq for known in act.rans):
            act.rans.append(event)
        operation = context.operations.get(event.seq)
        if operation is not None and all(operation.event.seq != known.event.seq for known in act.operations):
            act.operations.append(operation)

    for operation in story.operations:
        add(operation.event)
    for finding in story.findings:
        for event in context.at(finding.at):
            if isinstance(event, Ran) and event.changes and finding.kind != "good":
                add(event)
        for because in finding.because:
            if because.call_id is not None:
                for event in context.at(because):
                    if isinstance(event, Called) and event.cut_off is not None:
                        add(event)
    if not called:
        return []
    first = min(act.called.seq for act in called.values())
    last = max(act.called.seq for act in called.values())
    for operation in story.operations:
        if operation.closing is not None:
            last = max(last, operation.closing.seq)
    turn = next(act.called.turn for act in called.values() if act.called.seq == first)
    for subject in story.subjects:
        for event in subject.events:
            within = first <= event.seq <= last or (event.seq < first and event.turn == turn)
            if (event.change or event.seq in context.operations) and within:
                add(event)
    for act in called.values():
        act.rans.sort(key=lambda event: event.seq)
    return [called[seq] for seq in sorted(called)]


class Told:
    """The statements of one chapter."""

    def __init__(
        self, context: Context, story: Story, claims: Sequence[Claim], *, pictured: bool = True
    ) -> None:
        """Remember which messages of the person, environments and claims were told already.

        ``pictured`` says that a picture stands beside the words.
        """
        self.context, self.story, self._pictured = context, story, pictured
        self._claimed = claimed.Claimed(context, claims)
        self._humans: set[int] = set()
        self._environments: set[int] = set()
        self._standing: set[tuple[int, int]] = set()
        self._runs: set[int] = set()
        self._pending: list[Operation] = []

    def subject_of(self, event: Event) -> Subject | None:
        """The story's subject that an event acts on."""
        return next(
            (subject for subject in self.context.subjects_of(event) if subject in self.story.subjects),
            None,
        )

    def _asked(self, human: Said) -> Iterable[Statement]:
        """What the person had asked, and what of it a finding of the story rests on, such as a ban."""
        self._humans.add(human.seq)
        yield scene.request(self.context, human)
        quotes = (
            reason.quote
            for finding in self.story.findings
            for reason in finding.because
            if reason.quote and human in self.context.at(reason)
        )
        yield from scene.also_asked(self.context, human, quotes)

    def opening(self, acts: Sequence[Act]) -> Iterable[Statement]:
        """What the person had asked before the first act, and what was known then."""
        first: Event | None = acts[0].called if acts else None
        if first is None:
            at = self.context.at(self.story.findings[0].at)
            first = at[0] if at else None
        if first is None:
            return
        human = self.context.human_before(first)
        if human is not None:
            yield from self._asked(human)
            # Of a statement that is flagged itself, what it rests on is told instead.
            plans = (
                []
                if isinstance(first, Said)
                else [
                    said
                    for said in self.context.said_between(human, first)
                    if scene.prose(self.context, said).strip()
                ]
            )
            if plans:
                said = plans[-1]
                at_ = self.context.places.of(said, scene.quote_of(scene.prose(self.context, said)))
                yield Statement(
                    text=f"Before it acted, {scene.assistant(said)} wrote {scene.said_as(self.context, said)} "
                    f"in message {at_.label}.",
                    certainty="observed",
                    evidence=(at_,),
                )
        for subject in self.story.subjects:
            before = [turn for turn in states.history(subject) if turn.event.seq < first.seq]
            if before:
                event = before[-1].event
                at_ = self.context.places.of(event, states.quote_of(event))
                yield Statement(
                    text=words.sentence(
                        f"{_in_state(subject.spoken, _state_words(subject, before[-1].state, event))} since message {at_.label}"
                    ),
                    certainty="derived",
                    evidence=(at_,),
                )
            elif (
                states.history(subject)
                and not _only_run(subject)
                and not states.touched(self.context.graph, subject, first, before=True)
            ):
                yield Statement(
                    text=f"Before message {self.context.places.of(first).label} no check of "
                    f"{subject.spoken} stands in the log.",
                    certainty="derived",
                    evidence=(self.context.places.of(first),),
                )

    def happened(self, acts: Sequence[Act]) -> Iterable[Statement]:
        """Act by act, each claim of success after what it speaks of."""
        changed: set[int] = set()
        if not acts:
            yield from self._looked_into()
        for position, act in enumerate(acts[:ACTS]):
            following = acts[position + 1] if position + 1 < len(acts) else None
            yield from self._act(act, following, acts[:position], changed)
        if len(acts) > ACTS:
            rest = acts[ACTS:]
            evidence = tuple(self.context.places.of(act.called) for act in (rest[0], rest[-1]))
            open_ = sum(bool(act.operations) for act in rest)
            yield Statement(
                text=words.sentence(
                    f"{words.counted(len(rest), 'further call')} on the same targets followed, up to message "
                    f"{evidence[-1].label}; {words.number(open_) if open_ else 'none'} of them left something open."
                ),
                certainty="derived",
                evidence=evidence,
            )
        yield from self._claimed.until(None)

    def _looked_into(self) -> Iterable[Statement]:
        """What was run where a finding stands, and before or after a claim so that it decides it: of chapters that
        tell nothing else that was done.
        """
        flagged = (event for finding in self.story.findings for event in self.context.at(finding.at))
        calls = {event.seq: event for event in flagged if isinstance(event, Called)}
        calls = {seq: calls[seq] for seq in sorted(calls)[:ACTS]}
        for claim in self._claimed:
            for event in (claim.about, claim.evidence):
                call = event.call if isinstance(event, Ran) else event
                if isinstance(call, Called) and (claim.stated_by is None or call.seq != claim.stated_by.seq):
                    calls[call.seq] = call
        for seq in sorted(calls):
            yield from self._claimed.until(seq)
            call = calls[seq]
            # Of a command line it is told what was run: whether it did its work is for the claim's sentence.
            shown = call.line is None and call.call.status != "error"
            changes = [ran for ran in self.context.graph.commands(call) if ran.changes] if shown else []
            yield scene.ran(self.context, call, changes, [])
            for operation in self.context.opened_at([call, *self.context.graph.commands(call)])[:1]:
                yield from scene.ended(self.context, operation)

    def _act(
        self, act: Act, following: Act | None, before: Sequence[Act], changed: set[int]
    ) -> Iterable[Statement]:
        context = self.context
        human = context.human_before(act.called)
        if human is not None and human.seq not in self._humans:
            yield from self._asked(human)
        yield scene.ran(context, act.called, act.rans, act.operations)
        yield from self._again(act, before)
        for event in act.rans:
            subject = self.subject_of(event)
            if subject is not None and id(subject) not in self._environments:
                self._environments.add(id(subject))
                stated = scene.environment(context, subject)
                if stated is not None:
                    yield stated
            edits = event.command.effect == "edit" and event.command.target.kind == "file"
            if edits:
                yield from written.difference(context, event)
            if edits and event.command.environment not in ("local", "development"):
                key = hash((event.command.target, "precaution"))
                if key not in changed:
                    changed.add(key)
                    yield from scene.precautions(context, event, self._effective(event), subject)
        several = len({operation.target for operation in act.operations}) > 1
        ended: set[str] = set()
        for operation in act.operations:
            for statement in scene.ended(context, operation, named=several):
                if statement.text not in ended:
                    ended.add(statement.text)
                    yield statement
            subject = self.subject_of(operation.event)
            if subject is not None:
                yield from scene.earlier(context, operation, subject, self._runs)
        for finding in self._at(act):
            if finding.rule == "unverified-production-edit":
                yield reported(context, finding)
        human = context.human_after(act.called)
        last_of_turn = following is None or (human is not None and following.called.seq > human.seq)
        self._pending += act.operations
        if not last_of_turn:
            return
        if self._pending:
            # What the reader saw is told once, after the last act of the turn.
            operation, self._pending = self._pending[0], []
            depth = operation.event.depth
            yield from scene.seen_by_reader(
                context, operation, None if depth else human, self.story.findings, self._claimed
            )
            yield from self._claimed.until(human.seq if human is not None else None)
            if human is not None and depth == 0:
                self._humans.add(human.seq)
                yield from scene.followed_by(context, operation, human, self.subject_of(operation.event))
        elif act.called.cut_off is not None:
            yield from self._cut(act, human)
        else:
            yield from scene.said_after(context, act.called, human, self._claimed)
            yield from self._claimed.until(human.seq if human is not None else None)
            if human is not None and human.seq not in self._humans:
                yield from self._asked(human)

    def _cut(self, act: Act, human: Said | None) -> Iterable[Statement]:
        """A cut-off call that left nothing open, such as a read."""
        standing = Operation(event=act.called, target=_NO_TARGET, opened_by="cut_off", reached="unknown")
        yield from scene.ended(self.context, standing)
        yield from scene.seen_by_reader(self.context, standing, human, self.story.findings, self._claimed)
        yield from self._claimed.until(human.seq if human is not None else None)
        if human is not None and human.seq not in self._humans:
            yield from self._asked(human)

    def _again(self, act: Act, before: Sequence[Act]) -> Iterable[Statement]:
        """That a target was changed again before any check."""
        for event in act.rans:
            subject = self.subject_of(event)
            if subject is None or not (event.change or event.start):
                continue
            standing = next(
                (
                    operation
                    for earlier in reversed(before)
                    for operation in earlier.operations
                    if self.subject_of(operation.event) is subject
                    and (operation.closing is None or operation.closing.seq > event.seq)
                ),
                None,
            )
            if standing is not None and (standing.event.seq, act.called.turn) not in self._standing:
                self._standing.add((standing.event.seq, act.called.turn))
                at, opened = self.context.places.of(act.called), self.context.places.of(standing.event)
                yield Statement(
                    text=f"So {subject.name_in_code} was {deeds.participle(event.command)} again before any check: what message {opened.label} "
                    "had left open was still open.",
                    certainty="derived",
                    evidence=(at, opened),
                )
                return

    def _effective(self, edit: Ran) -> Ran | None:
        """The first start after an edit that puts it into effect."""
        subject = self.subject_of(edit)
        if subject is None:
            return None
        return next((event for event in subject.events if event.seq > edit.seq and event.start), None)

    def _at(self, act: Act) -> list[Finding]:
        at = act.called.at
        return [
            finding
            for finding in self.story.findings
            if finding.at.session == at.session
            and finding.at.message_index == at.message_index
            and finding.at.call_id == at.call_id
        ]

    def known(self) -> Iterable[Statement]:
        """For how long the state was unknown or unverified, and what ended it."""
        left = STRETCHES
        for subject in self.story.subjects:
            all_stretches = _relevant(self.context, self.story, subject)
            told = _telling(all_stretches, max(2, left))
            left -= len(told)
            for stretch in told:
                alike = sum(one.name == subject.name for one in self.story.subjects)
                known = _known(self.context, subject, stretch, placed=alike > 1)
                if known is not None:
                    yield known
            if len(told) < len(all_stretches):
                first, last = (
                    self.context.places.of(one.begin) for one in (all_stretches[0], all_stretches[-1])
                )
                rest = len(all_stretches) - len(told)
                yield Statement(
                    text=f"Between messages {first.label} and {last.label} what was known of {subject.name_in_code} "
                    f"changed {words.number(rest)} more times{'; the picture shows each' if self._pictured else ''}.",
                    certainty="derived",
                    evidence=(first, last),
                )

    def not_shown(self, acts: Sequence[Act]) -> Iterable[Statement]:
        """What the log cannot tell about the story."""
        context = self.context
        for finding in self.story.findings:
            if finding.facts.get("cause") == "not_recorded":
                at = context.places.of(finding.at)
                yield Statement(
                    text=f"Why message {at.label} is empty is not recorded in this log.",
                    certainty="observed",
                    evidence=(at,),
                )
        end = _last_place(context)
        for subject in self.story.subjects:
            last = states.history(subject)[-1:]
            if (
                last
                and last[0].state in ("unknown", "unverified")
                and not states.touched(context.graph, subject, last[0].event)
            ):
                at = context.places.of(last[0].event)
                yield Statement(
                    text=f"Nothing after message {at.label} shows in which state {subject.spoken} is: the log "
                    f"ends with message {end.label}, and what happened elsewhere or later is not in it.",
                    certainty="derived",
                    evidence=(at, end),
                )
        for act in acts[:ACTS]:
            for operation in act.operations[:1]:
                called = act.called
                if operation.opened_by == "cut_off" and operation.reached != "no":
                    at = context.places.of(called)
                    yield Statement(
                        text=f"Whether the command of message {at.label} went on after the limit, or was stopped "
                        "with it, is not recorded.",
                        certainty="derived",
                        evidence=(at,),
                    )


_NO_TARGET = Target()


def _last_place(context: Context) -> Evidence:
    message = context.session.messages[-1]
    return context.places.of_message(context.session, message)


def _relevant(context: Context, story: Story, subject: Subject) -> list[Stretch]:
    """The stretches of a subject from the story's first event to its first decisive check after the last."""
    seqs = [event.seq for finding in story.findings for event in context.at(finding.at)]
    seqs += [operation.event.seq for operation in story.operations]
    if not seqs:
        return []
    first, last = min(seqs), max(seqs)
    found: list[Stretch] = []
    for stretch in states.stretches(context.graph, subject):
        over = stretch.end.seq if stretch.end is not None else len(context.graph.events)
        if over < first:
            continue
        if stretch.end is not None and stretch.end.at == stretch.begin.at:
            # Within one call nobody reads anything.
            continue
        if stretch.begin.seq > last and found and found[-1].state in ("good", "bad"):
            break
        found.append(stretch)
    return found


def _telling(all_stretches: Sequence[Stretch], most: int) -> list[Stretch]:
    """At most so many stretches, in order: the last, and the longest of those when nobody knew."""
    if len(all_stretches) <= most + 1:
        return list(all_stretches)
    unsure = {"unknown": 0, "unverified": 1, "bad": 2, "good": 3}
    ranked = sorted(
        range(len(all_stretches) - 1),
        key=lambda at: (unsure[all_stretches[at].state], -(all_stretches[at].milliseconds or 0), at),
    )
    return [all_stretches[at] for at in sorted([*ranked[: most - 1], len(all_stretches) - 1])]


def _state_words(subject: Subject, state: State, event: Event) -> str:
    """A state as it is called, with what was done last up to an event: ``deployed and unverified``."""
    if state != "unverified":
        return pictures.STATE_WORDS[state]
    made = _last_change(subject, event)
    return f"{_changed(made)} and unverified"


def _only_run(subject: Subject) -> bool:
    """Whether a subject is a script of the project's own that starts nothing: a check of it would look at what it did."""
    return all(deeds.own(one.command) and not one.start for one in subject.events)


def _thing(subject: Subject, event: Event, name: str) -> str:
    """What a change acted on: of files each by its own name, for one folder is not the other."""
    own = isinstance(event, Ran) and subject.target.kind == event.command.target.kind == "file"
    if own and isinstance(event, Ran):
        return words.named(event.command.target, event.command)
    return name


def _in_state(name: str, state: str) -> str:
    """A thing and its state: of one that nobody knows, it is the state that is unknown."""
    return f"the state of {name} was unknown" if state == "unknown" else f"{name} was {state}"


def _last_change(subject: Subject, event: Event) -> Event:
    """The last change of a subject up to an event that began a stretch; the event itself where it is one."""
    done = [one for one in subject.events if one.seq <= event.seq and (one.change or one.start)]
    return done[-1] if done else event


def _known(context: Context, subject: Subject, stretch: Stretch, *, placed: bool = False) -> Statement | None:
    """What was known of a subject for a time; ``placed`` names its place too, where others have its name.

    ``None`` for a script of the project's own that was run and is not looked at: it is not known what it changed.
    """
    made = _last_change(subject, stretch.begin)
    if stretch.state == "unverified" and isinstance(made, Ran) and deeds.own(made.command) and not made.start:
        return None
    name = subject.spoken if placed else subject.name_in_code
    begin = context.places.of(stretch.begin, states.quote_of(stretch.begin))
    evidence = [begin]
    until = "to the end of the log"
    if stretch.end is not None:
        end = context.places.of(stretch.end, states.quote_of(stretch.end))
        evidence.append(end)
        until = f"to message {end.label}"
    lengths = [words.counted(stretch.messages, "message")] if stretch.messages else []
    if stretch.milliseconds:
        lengths.append(words.duration(stretch.milliseconds))
    long = f", for {words.listing(lengths)}" if lengths else ""
    ended = ""
    if states.of_structure(stretch.end):
        ended = "; then a look at how it is built followed"
    elif (shown := states.check_of(stretch.end)) in ("good", "bad"):
        ended = f"; then a check found it {shown}"
    if stretch.state in ("good", "bad"):
        text = f"The check in message {begin.label} found {name} {stretch.state}."
        if states.of_structure(stretch.begin):
            text = f"The look in message {begin.label} shows how {name} is built, and no more."
        return Statement(text=text, certainty="observed", evidence=(begin,))
    if stretch.state == "unverified" and stretch.end is None:
        # What was said of the change before the last one says nothing of that one.
        last = [one for one in subject.events if one.change and not deeds.records(one.command)][-1:]
        begun: Event = last[0] if last and last[0].seq > stretch.begin.seq else stretch.begin
        final = context.places.of(begun)
        thing = _thing(subject, begun, name)
        changed = f"{thing} was {_changed(begun)} in message {final.label}"
        places: tuple[Evidence, ...] = (final,)
        if (
            final.label != begin.label
            and thing == _thing(subject, made, name)
            and _changed(begun) == _changed(made)
        ):
            changed = f"{thing} was {_changed(made)} in message {begin.label}, last in message {final.label}"
            places = (begin, final)
        looks = [one for one in subject.events if one.check and one.seq > begun.seq]
        if looks:
            look = max(looks, key=lambda one: (_TOLD[one.command.check_strength or "read_back"], -one.seq))
            seen = context.places.of(look, states.quote_of(look))
            return Statement(
                text=words.sentence(f"{changed}; {_shows(look, seen.label)}"),
                certainty="derived",
                evidence=(*places, seen),
            )
        told = states.asked_after(context.graph, begun, None) or states.later(context.graph, subject, begun)
        if told is not None:
            seen = context.places.of(told.called)
            what = {
                "names": f"message {seen.label} names it, and nothing after the change was read as a check of it",
                "tests": f"tests ran in message {seen.label}, which does not name it, and nothing else was read as "
                "a check of it",
                "looks": f"a look in message {seen.label} names it, or something named after it, and what that shows was "
                "not judged",
                "asks": _ASKED.format(seen.label),
                "tested": f"tests that name it ran in message {seen.label}",
                "checks": f"a check of the whole ran in message {seen.label}, which does not name it, and nothing else "
                "was read as a check of it",
            }[told.how]
            return Statement(
                text=words.sentence(f"{changed}; {what}"), certainty="derived", evidence=(*places, seen)
            )
        if thing != _thing(subject, made, name):
            return Statement(
                text=words.sentence(f"{changed}; nothing after it was read as a check of it"),
                certainty="derived",
                evidence=places,
            )
    asked = states.asked_after(context.graph, made, stretch.end) if stretch.state == "unverified" else None
    if asked is not None:
        seen, at = context.places.of(asked.called), context.places.of(made)
        return Statement(
            text=words.sentence(
                f"{name} was {_changed(made)} in message {at.label}; {_ASKED.format(seen.label)}"
            ),
            certainty="derived",
            evidence=(at, seen),
        )
    return Statement(
        text=words.sentence(
            f"{_in_state(_thing(subject, made, name) if stretch.state == 'unverified' and not placed else name, _state_words(subject, stretch.state, stretch.begin))} from message {begin.label} {until}{long}"
            f"{ended}"
        ),
        certainty="derived",
        evidence=tuple(evidence),
    )


_ASKED = "message {} asks an address that its result names, and what that shows was not judged"

_TOLD = {"presence": 0, "read_back": 1, "state": 2, "exercise": 3}
"""Strengths of checks, by how much they tell."""


def _shows(look: Ran, label: str) -> str:
    """What a check shows that leaves a change unverified."""
    if look.command.check_strength == "read_back":
        return f"message {label} only reads it back"
    if look.outcome.in_progress:
        return f"message {label} shows it still on its way"
    if look.outcome.state == "good":
        return f"message {label} shows no more than that something is there"
    return f"what message {label} shows of it is unclear"


def _changed(event: Event) -> str:
    """What was done to a thing, as a participle: ``deleted``, ``started``, ``run``, else ``changed``."""
    return deeds.participle(event.command) if isinstance(event, Ran) else "changed"


def title(context: Context, story: Story, acts: Sequence[Act]) -> str:
    """One line: ``Two restarts of `x` cut off, one silence``."""
    operations = [
        operation
        for act in acts
        for operation in act.operations
        if isinstance(operation.event, Ran) and operation.event.start
    ]
    silent = [finding for finding in story.findings if finding.rule == "empty-message-after-timeout"]
    edits = [finding for finding in story.findings if finding.rule == "unverified-production-edit"]
    other = [finding for finding in story.findings if finding.rule not in words.MISSION]
    pieces: list[str] = []
    if operations:
        first = operations[0].event
        noun = deeds.noun(first.command) if isinstance(first, Ran) else "command"
        ways = {operation.opened_by for operation in operations}
        how = {
            "cut_off": "cut off",
            "connection_lost": "cut short",
            "detached": "left in the background",
        }.get(next(iter(ways)) if len(ways) == 1 else "", "left open")
        acted = several_acted_on(context, story, operations) or story.subjects[:1]
        of = f" of {states.together(acted)}" if acted else ""
        each = len(operations) == len(acted)
        pieces.append(f"{noun if each else _several(len(operations), noun)}{of} {how}")
    elif silent:
        line = acts[0].called.line if acts else None
        if len(silent) == 1 and line is not None and line.strip():
            called = words.code(words.clip(words.flat(line), 48))
            pieces.append(f"{at_host(context, acts[0].called.at, called)} cut off")
        else:
            pieces.append(f"{words.counted(len(silent), 'command')} cut off")
    if silent:
        pieces.append(words.counted(len(silent), "silence"))
    if edits:
        changed = {id(one): one for edit in edits if (one := edited(context, story, edit)) is not None}
        nouns = {
            deeds.noun(event.command)
            for edit in edits
            for event in context.at(edit.at)
            if isinstance(event, Ran) and event.command.effect == edit.facts.get("effect")
        }
        pieces.append(_edits(edits, nouns, [] if pieces else list(changed.values()) or story.subjects[:1]))
    if not pieces:
        first_of = (other or story.findings)[0]
        alike = sum(finding.title == first_of.title for finding in story.findings)
        pieces.append(titled(context, first_of, alike))
        if len(story.findings) > alike:
            pieces.append(f"and {words.counted(len(story.findings) - alike, 'more finding')}")
    else:
        # Titles of findings are sentences and say the target again; of a rule that has no words here only the number.
        rest = Counter(finding.rule for finding in other if finding.kind == "fault")
        if len(rest) <= 2 and all(slug in _SPOKEN for slug in rest):
            for slug, count in rest.items():
                what = _SPOKEN[slug]
                pieces.append(what if count == 1 else f"{words.number(count)} times {what}")
        elif rest:
            pieces.append(words.counted(rest.total(), "other fault"))
    whole = words.unstopped(", ".join(pieces))
    # The words of a rule stay as they are: they may begin with a name.
    spoken = pieces[0].startswith(words.unstopped(words.flat(story.findings[0].title)))
    return whole if spoken else words.unstopped(words.sentence(whole))


_SPOKEN = {
    "change-on-unverified-change": "a change on an unverified change",
    "check-that-cannot-fail": "a check that cannot fail",
    "claim-contradicted-by-evidence": "a claim contradicted by evidence",
    "claim-without-evidence": "a claim without evidence",
    "context-dump": "a dump of context",
    "destructive-without-confirmation": "something destroyed without confirmation",
    "edit-without-backup": "an edit without a backup",
    "empty-output-taken-as-success": "an empty output taken as success",
    "empty-user-message": "an empty message of the person",
    "ended-mid-operation": "an end amid an operation",
    "failure-not-reported": "a failure not reported",
    "instruction-violated": "an instruction violated",
    "left-running": "something left running",
    "limit-below-known-duration": "a limit below the known duration",
    "out-of-scope-file-change": "a file changed out of scope",
    "promised-check-not-made": "a promised check not made",
    "retry-without-change": "a retry without a change",
    "runaway-empty-loop": "a loop of empty messages",
    "secret-exposed": "a secret exposed",
    "step-loop": "a loop of steps",
    "test-tampering": "a test tampered with",
}
"""What a fault is called within a title, by its rule: a slug reads as a noun now and then only."""


def _edits(edits: Sequence[Finding], nouns: Collection[str], subjects: Sequence[Subject]) -> str:
    """``two edits checked late``, with the target where nothing has named it yet."""
    noun = next(iter(nouns)) if len(nouns) == 1 else "change"
    # Of more than a few things only the number is said.
    named = subjects if len({subject.name for subject in subjects}) <= 2 else ()
    of = f" {'in' if ' of ' in noun else 'of'} {states.together(named)}" if named else ""
    if all(finding.facts.get("verified_at") is not None for finding in edits):
        how = "checked late"
    elif all(finding.kind == "signal" for finding in edits):
        how = "only read back"
    elif all(finding.facts.get("tried_at") is not None for finding in edits):
        how = "checked without an answer"
    else:
        how = "not checked"
    return (
        f"{_several(1 if len(edits) == len(named) else len(edits), noun) if named else words.counted(len(edits), noun)}"
        f"{of} {how}"
    )


def _several(count: int, noun: str) -> str:
    """What a title begins with: ``restart``, ``two restarts``."""
    return noun if count == 1 else words.counted(count, noun)


def _into(context: Context, events: Sequence[Event]) -> str:
    times = [moment for event in events if (moment := context.graph.moment(event)) is not None]
    started = context.session.started
    return words.duration(min(times) - started) if times and started is not None else ""


def _when(context: Context, events: Sequence[Event]) -> str:
    times = [moment for event in events if (moment := context.graph.moment(event)) is not None]
    if not times:
        return ""
    start, end = min(times), max(times)
    text = words.since(start, context.session.started)
    return f"{text}, over {words.duration(end - start)}" if end - start >= 1000 else text


def _events_until_told(context: Context, act: Act, human: Said | None) -> list[Event]:
    found: list[Event] = [act.called]
    found += islice(context.said_between(act.called, human), 3)
    if human is not None:
        found.append(human)
    return found


def _chapter_events(context: Context, story: Story, acts: Sequence[Act]) -> list[Event]:
    found: dict[int, Event] = {}

    def add(event: Event | None) -> None:
        if event is not None:
            found[event.seq] = event

    for act in acts:
        add(context.human_before(act.called))
        for event in _events_until_told(context, act, context.human_after(act.called)):
            add(event)
        for operation in act.operations:
            add(operation.closing)
    for finding in story.findings:
        for event in context.at(finding.at):
            add(event)
        for because in finding.because:
            for event in context.at(because):
                add(event)
    for subject in story.subjects:
        for stretch in _relevant(context, story, subject):
            add(stretch.begin)
            add(stretch.end)
    return [found[seq] for seq in sorted(found)]


def next_commands(context: Context, subjects: Sequence[Subject]) -> tuple[NextCommand, ...]:
    """What would have told the state, for each target of a story."""
    found: dict[str, NextCommand] = {}
    for subject in subjects[:4]:
        last = subject.events[-1] if subject.events else None
        if last is None:
            continue
        for check in _proven(context, subject)[:1]:
            line = scene.line_of(check.call).strip()
            if "\n" not in line and len(line) <= 200:
                at = context.places.of(check, line)
                found.setdefault(
                    line,
                    NextCommand(line=line, why="told the state before, in this session", evidence=(at,)),
                )
        targets = [subject.target]
        targets += [t for t in subject.targets if t.kind == "file" and t != subject.target][:1]
        for target in targets:
            origin = next((event for event in subject.events if event.command.target == target), last)
            for line, why in would_tell.spell(target, subject.commands):
                evidence = (context.places.of(origin, scene.line_of(origin.call).strip()),)
                if not any(_bare(line) in _bare(known) for known in found):
                    found[line] = NextCommand(line=line, why=why, evidence=evidence)
    return tuple(found.values())[:8]


def _bare(line: str) -> str:
    """A command line without its quotes, to see whether two are the same."""
    return line.replace("'", "").replace('"', "")


def _proven(context: Context, subject: Subject) -> list[Ran]:
    """Checks of this session that told something decisive by themselves, the strongest first."""
    strength = {"exercise": 0, "state": 1}
    decisive = [
        event
        for event in subject.events
        if event.check
        and event.outcome.state == "good"
        and event.command.check_strength in strength
        and event.call.line is not None
        and not any(other.changes for other in context.graph.commands(event.call))
    ]
    return sorted(decisive, key=lambda event: (strength[event.command.check_strength or "state"], event.seq))
