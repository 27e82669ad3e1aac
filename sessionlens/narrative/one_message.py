"""The chapter on one message that was asked for, whether or not a rule fires there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sessionlens.findings import SEVERITIES
from sessionlens.graph.events import Called, Event, Ran, Said
from sessionlens.model import Call, Message, Session
from sessionlens.narrative import claimed, deeds, pictures, repeated, scene, states, things, words
from sessionlens.narrative.chapters import next_commands, reported, view
from sessionlens.narrative.states import Subject
from sessionlens.narrative.stories import Context
from sessionlens.narrative.views import Chapter, Evidence, Section, Statement

AROUND = 4
"""Messages to each side in the picture."""


READINGS = {
    "compaction": "a request to compact the conversation",
    "subtask": "a command that hands work to a subagent",
    "attachment": "an attachment without words",
    "continuation": "a word to go on",
}
"""What a message without words is read as, in words."""


def one_message(context: Context, wanted: str) -> Chapter:
    """What came before a message, what it rests on, what followed, what a reader must know.

    :raises LookupError: when no session of the audit has a message of that id.
    """
    session, message = _find(context, wanted)
    here = context.message_events(session.id, message.index)
    told = _Told(context, session, message, here)
    events = told.surroundings()
    findings = [
        finding
        for finding in context.findings
        if any(
            at.session == session.id and at.message_index == message.index for at in states.places_of(finding)
        )
    ]
    claims = claimed.of_message(context, session.id, message.index, findings)
    subjects: list[Subject] = []
    for event in events:
        for subject in context.subjects_of(event):
            if not any(subject is known for known in subjects):
                subjects.append(subject)
    sections = (
        Section(heading="The message", statements=tuple(told.itself())),
        Section(heading="What came before", statements=tuple(told.before())),
        Section(heading="What it rests on", statements=tuple(told.rests_on())),
        Section(heading="What followed", statements=tuple(told.followed())),
        Section(
            heading="What a reader must know",
            statements=(
                *(
                    reported(context, finding)
                    for finding in findings
                    if not any(claimed.tells(claim, finding) for claim in claims)
                ),
                *(claimed.sentence(context, claim) for claim in claims),
                *repeated.of_message(context, session.id, message.index),
                *told.to_know(bool(findings)),
            ),
        ),
    )
    severities = [finding.severity for finding in findings if finding.kind == "fault"]
    things.choose(context, "message", events, (s for section in sections for s in section.statements))
    return Chapter(
        anchor="message",
        title=f"Message {told.at.label}, as asked for",
        severity=min(severities, key=SEVERITIES.index, default=None),
        kind="message",
        findings=tuple(view(context, finding) for finding in findings),
        sections=tuple(section for section in sections if section.statements),
        next_commands=next_commands(context, subjects),
        picture=pictures.around(
            context.graph,
            context.places,
            events,
            subjects,
            order=context.order,
            events_at=context.message_events,
        ),
        when=words.since(message.time, context.session.started),
    )


def _find(context: Context, wanted: str) -> tuple[Session, Message]:
    for session in context.places.sessions.values():
        message = session.find(wanted)
        if message is not None:
            return session, message
    raise LookupError(f"no message {wanted!r} in session {context.session.id}")


class _Told:
    """The statements on one message."""

    def __init__(self, context: Context, session: Session, message: Message, here: Sequence[Event]) -> None:
        self.context, self.session, self.message, self.here = context, session, message, here
        self.at = context.places.of_message(session, message)

    def _place(self, quote: str = "", call: Call | None = None) -> Evidence:
        return self.context.places.of_message(self.session, self.message, quote, call)

    def _neighbour(self, step: int) -> Message | None:
        index = self.message.index + step
        return self.session.messages[index] if 0 <= index < len(self.session.messages) else None

    def surroundings(self) -> list[Event]:
        """Events of the message, its neighbours, and the person's messages around it."""
        found: dict[int, Event] = {}
        for step in range(-AROUND, AROUND + 1):
            for event in self.context.message_events(self.session.id, self.message.index + step):
                found[event.seq] = event
        if self.here:
            for human in (self.context.human_before(self.here[0]), self.context.human_after(self.here[-1])):
                if human is not None:
                    found[human.seq] = human
        return [found[seq] for seq in sorted(found)]

    def itself(self) -> Iterator[Statement]:
        """Who wrote it, when, and what it holds."""
        message, at = self.message, self.at
        who = {
            "user": "The person" if message.human else "The client, in the person's name,",
            "assistant": "The assistant",
            "system": "The client",
            "unknown": "Somebody whose role the log does not name",
        }[message.role]
        when = f" at {words.moment(message.time)}" if message.time is not None else ""
        if message.empty:
            yield Statement(
                text=f"{who} sent message {at.label}{when}; it holds neither text nor a call.",
                certainty="observed",
                evidence=(at,),
            )
        texts = [part for part in message.texts() if not part.text.blank()]
        for part in texts[:3]:
            quote = words.first_sentence(part.text.head)[0]
            yield Statement(
                text=f"{who} wrote{when} {words.size(part.text.length)}, beginning {words.quoted(quote, 160)}",
                certainty="observed",
                evidence=(self._place(quote),),
            )
        for event in self.here:
            if isinstance(event, Called):
                yield scene.ran(
                    self.context,
                    event,
                    [ran for ran in self.context.graph.commands(event) if ran.changes],
                    self.context.opened_at([event, *self.context.graph.commands(event)]),
                )
                yield from self._result(event)
        if message.error is not None:
            yield Statement(
                text=words.sentence(f"It ended with {words.code(message.error.name)}"),
                certainty="observed",
                evidence=(at,),
            )

    def _result(self, called: Called) -> Iterator[Statement]:
        call = called.call
        if called.cut_off is not None:
            limit = called.cut_off.limit_ms
            at = f" at {words.duration(limit)}" if limit is not None else ""
            yield Statement(
                text=f"A time limit ended it{at}.",
                certainty="observed" if called.cut_off.confidence == "high" else "derived",
                evidence=(self.context.places.of(called, called.cut_off.quote),),
            )
        elif call.output is not None:
            shown = call.output.head.strip()
            ended = f" with exit code {call.exit}" if call.exit is not None else ""
            yield Statement(
                text=f"Its result came back{ended}, {words.size(call.output.length)} long.",
                certainty="observed",
                evidence=(self.context.places.of(called, shown),),
            )
        elif called.unfinished:
            yield Statement(
                text="The log holds no result of it.",
                certainty="observed",
                evidence=(self.context.places.of(called),),
            )

    def before(self) -> Iterator[Statement]:
        """The person's last message, and what was open and known by then."""
        if not self.here:
            return
        first = self.here[0]
        human = self.context.human_before(first)
        if human is not None:
            yield scene.request(self.context, human)
        else:
            yield Statement(
                text="No message of the person stands before it.", certainty="observed", evidence=(self.at,)
            )
        previous = self._neighbour(-1)
        if previous is not None and not previous.human:
            for event in self.context.message_events(self.session.id, previous.index):
                if isinstance(event, Called):
                    yield scene.ran(
                        self.context,
                        event,
                        [ran for ran in self.context.graph.commands(event) if ran.changes],
                        self.context.opened_at(self.context.graph.commands(event)),
                    )
                    yield from self._result(event)
                elif isinstance(event, Said) and scene.prose(self.context, event).strip():
                    at = self.context.places.of(event, scene.quote_of(scene.prose(self.context, event)))
                    yield Statement(
                        text=f"Right before, message {at.label} said {scene.said_as(self.context, event)}",
                        certainty="observed",
                        evidence=(at,),
                    )

    def rests_on(self) -> Iterator[Statement]:
        """What was open and what was known of the targets when it was written."""
        if not self.here:
            return
        first = self.here[0]
        standing = [
            operation
            for operation in self.context.graph.ledger
            if operation.event.seq < first.seq
            and (operation.closing is None or operation.closing.seq >= first.seq)
        ]
        for operation in standing[-4:]:
            at = self.context.places.of(operation.event)
            event = operation.event
            what = f"the {deeds.noun(event.command)} of " if isinstance(event, Ran) else "the call of "
            name = (
                words.target_of(operation.target, event.command)
                if isinstance(event, Ran)
                else words.code(event.call.name)
            )
            yield Statement(
                text=f"When it was written, {what}{name} from message {at.label} was open: "
                f"{words.OPENED[operation.opened_by]}.",
                certainty="derived",
                evidence=(at, self.at),
            )
        for subject in self.context.subjects[:12]:
            turns = [turn for turn in states.history(subject) if turn.event.seq < first.seq]
            near = any(first.seq - 60 <= event.seq <= self.here[-1].seq + 60 for event in subject.events)
            if turns and near:
                since = self.context.places.of(turns[-1].event)
                yield Statement(
                    text=words.sentence(
                        f"{subject.spoken} was {pictures.STATE_WORDS[turns[-1].state]} since message {since.label}"
                    ),
                    certainty="derived",
                    evidence=(since,),
                )
        if not standing:
            yield Statement(
                text="No operation was open when it was written.", certainty="derived", evidence=(self.at,)
            )

    def followed(self) -> Iterator[Statement]:
        """The next message, and the person's next one."""
        following = self._neighbour(1)
        if following is None:
            yield Statement(
                text="Nothing follows: it is the last message of the log.",
                certainty="observed",
                evidence=(self.at,),
            )
            return
        if not following.human:
            for event in self.context.message_events(self.session.id, following.index):
                if isinstance(event, Called):
                    yield scene.ran(
                        self.context,
                        event,
                        [ran for ran in self.context.graph.commands(event) if ran.changes],
                        self.context.opened_at(self.context.graph.commands(event)),
                    )
                    yield from self._result(event)
                elif isinstance(event, Said):
                    text = scene.said_as(self.context, event)
                    at = self.context.places.of(event, scene.quote_of(scene.prose(self.context, event)))
                    if text or event.message.empty:
                        yield Statement(
                            text=f"Next, message {at.label} said {text}"
                            if text
                            else f"Next comes message {at.label}, which is empty.",
                            certainty="observed",
                            evidence=(at,),
                        )
        human = self.context.human_after(self.here[-1]) if self.here else None
        if human is not None:
            yield scene.request(self.context, human)

    def _reading(self) -> Iterator[Statement]:
        """What an empty message of the person is read as, the other reading, and what would decide."""
        previous = self._neighbour(-1)
        at = self.context.places.of_message(self.session, previous) if previous is not None else self.at
        read = next((one for one in self.context.graph.wordless if one.said.message is self.message), None)
        if read is not None and read.kind in READINGS:
            sure = read.confidence == "high"
            answer = self.context.places.of(read.answer) if read.answer is not None else at
            text = f"{'It is' if sure else 'It is most probably'} {READINGS[read.kind]}: {read.evidence}."
            if read.other is not None:
                text += f" The other reading is {READINGS[read.other]}."
            yield Statement(
                text=text, certainty="observed" if sure else "inferred", evidence=(self.at, answer)
            )
            if read.would_tell:
                yield Statement(
                    text=f"What would decide is {read.would_tell}.", certainty="inferred", evidence=(self.at,)
                )
        yield Statement(
            text="An empty message of the person gives no direction. Clients record one when the person sends "
            "nothing; the agent's next step rests on what it had planned before.",
            certainty="inferred",
            evidence=(self.at, at),
        )

    def to_know(self, flagged: bool) -> Iterator[Statement]:
        """What follows for a reader, with or without a finding."""
        if not flagged:
            yield Statement(text="No rule found anything here.", certainty="derived", evidence=(self.at,))
        if self.message.human and self.message.empty:
            yield from self._reading()
        if self.message.role == "assistant" and self.message.empty:
            yield Statement(
                text="A reader of the chat saw nothing here.", certainty="derived", evidence=(self.at,)
            )
        for event in self.here:
            for subject in self.context.subjects_of(event):
                turns = [turn for turn in states.history(subject) if turn.event.seq >= event.seq]
                if turns and turns[0].event.seq == event.seq and turns[0].state in ("unknown", "unverified"):
                    ending = turns[1] if len(turns) > 1 else None
                    until = (
                        f"until message {self.context.places.of(ending.event).label}"
                        if ending is not None
                        else "to the end of the log"
                    )
                    evidence = [self.context.places.of(event)]
                    if ending is not None:
                        evidence.append(self.context.places.of(ending.event))
                    yield Statement(
                        text=f"From here {subject.spoken} was {pictures.STATE_WORDS[turns[0].state]} {until}.",
                        certainty="derived",
                        evidence=tuple(evidence),
                    )
