"""A judged session looked at for rows: what a finding is about, how far it reaches, what followed it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cached_property

import msgspec

from sessionlens import language
from sessionlens.engine import Audit
from sessionlens.findings import Because, Finding, Place
from sessionlens.graph.claims import Claim
from sessionlens.graph.events import Called, Operation, Ran, Said, Turn
from sessionlens.graph.own_words import own_words
from sessionlens.graph.queries import change, human, told_state
from sessionlens.graph.shortfalls import Shortfall, shortfalls, standing
from sessionlens.language import Reading, may_act
from sessionlens.model import Message, Session
from sessionlens.narrative.stories import Context
from sessionlens.targets import Target

SHORT_SPAN = 8
"""Up to so many messages, all of a fault's span is masked; of a longer one only its ends and what it rests on."""
GOOD_AT_MOST = 200
"""Spans of good conduct that are taken from one session."""

_ACTS = frozenset(
    {"change-on-unverified-change", "check-that-cannot-fail", "destructive-without-confirmation", "edit-without-backup",
     "empty-output-taken-as-success", "instruction-violated", "limit-below-known-duration", "out-of-scope-file-change",
     "retry-without-change", "runaway-empty-loop", "secret-exposed", "step-loop", "test-tampering"}
)  # fmt: skip
"""Shipped rules that report what the message itself did, whatever followed."""
DEEDS = frozenset(
    {"destructive-without-confirmation", "instruction-violated", "out-of-scope-file-change", "test-tampering"}
)
"""Shipped rules that report work which should have been done in another place."""
_WARNS = DEEDS - {"destructive-without-confirmation"}
"""Those whose signals, of low confidence, rest on what the step itself says or does: it is no model either. A deletion
where little is lost is between a fault and none."""
_OPEN = frozenset({"acknowledges_cut_off", "reports_in_progress", "admits_unverified"})
_WORDS = re.compile(r"[a-z][\w-]{3,}")
_USUAL = frozenset({"bash", "sudo", "exec", "docker", "compose", "python", "python3", "node", "nohup", "setsid", "sleep", "echo",
                    "home", "user", "users", "localhost", "http", "https", "null", "true", "start", "server", "source"})  # fmt: skip
"""Words of command lines that name no operation."""
_TELLS = frozenset({"reports_failure", "admits_unverified", "acknowledges_cut_off"})
HANDS_OVER = frozenset({"submit", "finish", "attempt_completion", "complete_task", "final_answer"})
"""Tools by which agents hand their work over."""
_SPOKEN = frozenset({"claim", "promise"})
"""Facts of findings about what was said."""


class Reach(msgspec.Struct, frozen=True, kw_only=True):
    """How far a finding reaches in its session, in positions of messages."""

    first: int
    """The message it is reported at."""
    last: int
    """The last message it is about."""
    masks: tuple[int, ...]
    """Assistant messages that training should not learn from because of it; of a signal only such as the rules of
    instructions give."""
    omission: bool
    """Whether it is about what did not follow, rather than about the message itself."""


class Good(msgspec.Struct, frozen=True, kw_only=True):
    """A span of good conduct that the graph shows."""

    name: str
    """What it is: ``open-operation-told``, ``open-operation-checked``, ``change-verified``, ``failure-handed-in``."""
    title: str
    """In one line."""
    event: Called | Ran
    """What was handled well."""
    answer: Said | Ran | Called
    """How: the words, the check, or the call by which the work was handed in."""
    confidence: str
    """How sure."""
    reported: bool = False
    """Whether a rule of good conduct reports it already."""


def target_of(finding: Finding) -> Target | None:
    """The target that a finding's facts name: facts hold plain values."""
    try:
        return msgspec.convert(finding.facts.get("target"), Target)
    except msgspec.ValidationError:
        return None


def _longest(arguments: Mapping[str, object]) -> str:
    """The longest text among the arguments of a call."""
    return max((value for value in arguments.values() if isinstance(value, str)), key=len, default="")


class Looked:
    """An audit with look-ups by place, each computed once."""

    def __init__(self, audit: Audit) -> None:
        """Read the events once."""
        self.audit = audit
        self.graph = audit.graph
        self.members: dict[str, Session] = {one.id: one for one in reversed(list(audit.session.family()))}
        self.said: dict[tuple[str, int], list[Said]] = {}
        self.called: dict[tuple[str, int], list[Called]] = {}
        for event in self.graph.events:
            key = event.at.session, event.at.message_index
            if isinstance(event, Said):
                self.said.setdefault(key, []).append(event)
            elif isinstance(event, Called):
                self.called.setdefault(key, []).append(event)
        self._readings: dict[int, Reading | None] = {}
        self._news: dict[tuple[str, int], list[Shortfall]] = {}
        self.operations: dict[int, list[Operation]] = {}
        for operation in self.graph.ledger:
            opener = operation.event
            call = opener.call if isinstance(opener, Ran) else opener
            self.operations.setdefault(call.seq, []).append(operation)

    @cached_property
    def context(self) -> Context:
        """What the narrative tells from."""
        return Context(self.audit)

    @cached_property
    def _claims(self) -> dict[tuple[str, int], list[Claim]]:
        found: dict[tuple[str, int], list[Claim]] = {}
        for claim in self.graph.claims:
            at = claim.said.at if claim.stated_by is None else claim.stated_by.at
            found.setdefault((at.session, at.message_index), []).append(claim)
        return found

    def claim(self, finding: Finding) -> Claim | None:
        """The claim that a finding is about: of several in its message, the one whose words its facts hold."""
        claims = self._claims.get((finding.at.session, finding.at.message_index), [])
        worded = [claim for claim in claims if claim.sentence == finding.facts.get("claim")]
        return next(iter(worded or claims), None)

    def reading(self, said: Said) -> Reading | None:
        """The prose of an event read for its acts; ``None`` where there can be none. Asked for several times."""
        if said.seq not in self._readings:
            may = bool(said.texts) and said.role in ("assistant", "user") and may_act(self.graph.prose(said))
            self._readings[said.seq] = self.graph.reading(said) if may else None
        return self._readings[said.seq]

    # -- places ---------------------------------------------------------------------------------------

    def message(self, session: str, index: int) -> Message | None:
        """The message at a place."""
        member = self.members.get(session)
        return member.messages[index] if member is not None and 0 <= index < len(member.messages) else None

    def role(self, session: str, message: Message) -> tuple[str, bool]:
        """Who a message is by, and whether the log says so."""
        if message.role != "unknown":
            return message.role, True
        events = self.said.get((session, message.index), [])
        if events:
            return events[0].role, events[0].role_known
        return ("assistant" if message.calls else "user"), False

    @cached_property
    def _humans(self) -> dict[str, list[int]]:
        return {
            name: [message.index for message in member.messages if message.human]
            for name, member in self.members.items()
        }

    def asked(self, session: str, index: int) -> int | None:
        """Position of the last human message up to and with a message."""
        return next((at for at in reversed(self._humans.get(session, [])) if at <= index), None)

    def asking(self, session: str, index: int) -> Message | None:
        """The last human message up to and with a message."""
        asked = self.asked(session, index)
        return self.message(session, asked) if asked is not None else None

    def stop(self, session: str, index: int) -> int:
        """Position of the next human message after a message; the number of messages when none follows."""
        member = self.members[session]
        return next((at for at in self._humans[session] if at > index), len(member.messages))

    def assistants(self, session: str, first: int, last: int) -> list[int]:
        """Positions of assistant messages between two positions, both included."""
        member = self.members[session]
        return [
            index
            for index in range(max(0, first), min(last, len(member.messages) - 1) + 1)
            if self.role(session, member.messages[index])[0] == "assistant"
        ]

    @cached_property
    def _turns(self) -> dict[tuple[str, int], Turn]:
        return {
            (said.at.session, said.at.message_index): turn
            for turn in self.graph.turns
            for said in turn.messages
        }

    def _behind(self, session: str, index: int) -> int:
        """Position on the line of events behind a message and its calls."""
        calls = self.called.get((session, index), [])
        seqs = [one.seq for one in (*self.said.get((session, index), ()), *calls)]
        seqs += [ran.seq for call in calls for ran in self.graph.commands(call)]
        return max(seqs, default=-1) + 1

    def standing(self, session: str, index: int) -> list[Shortfall]:
        """What had failed in the turn of a message, up to and with it, and nothing had put right by then."""
        turn, before = self._turns.get((session, index)), self._behind(session, index)
        if turn is None:
            return []
        key = turn.session, turn.number
        if key not in self._news:
            prose = [said for said in self.graph.prose_of(turn) if said.role == "assistant"]
            self._news[key] = shortfalls(self.graph, turn.calls, prose)
        news = [item for item in self._news[key] if item.event.seq < before]
        return standing(self.graph, news, turn.calls, before) if news else []

    def left_open(self, session: str, index: int) -> list[Operation]:
        """What the turn of a message had left open, up to and with it, and nobody had been told of, nor had looked at, by then."""
        first, behind = self.asked(session, index) or 0, self._behind(session, index)
        return [
            operation
            for at in range(first, index + 1)
            for call in self.called.get((session, at), ())
            for operation in self.operations.get(call.seq, ())
            if (operation.closing is None or operation.closing.seq >= behind)
            and (operation.acknowledgement is None or operation.acknowledgement[0].seq >= behind)
        ]

    # -- what a finding is about ----------------------------------------------------------------------

    def call(self, finding: Finding, place: Place | Because) -> Called | None:
        """The call that a place of a finding names.

        Where a format gives calls no ids, a place names its message only: then it is the call on the finding's target,
        else the one that left something open or changed something. A place of what was said names none.
        """
        here = self.called.get((place.session, place.message_index), [])
        if place.call_id is not None:
            return next((one for one in here if one.at.call_id == place.call_id), None)
        if any(one.at.call_id is not None for one in here) or _SPOKEN & finding.facts.keys():
            return None
        target = target_of(finding)
        if target is not None:
            for one in here:
                if any(ran.command.target == target for ran in self.graph.commands(one)):
                    return one
        acting = [
            one
            for one in here
            if one.seq in self.operations or any(ran.change for ran in self.graph.commands(one))
        ]
        return next(iter(acting or here), None)

    def subject(self, finding: Finding) -> Called | Ran | None:
        """The call or command that a finding is about; ``None`` where it is about prose alone."""
        own = self.call(finding, finding.at)
        if own is not None:
            return self._acting(own, finding)
        rests = [self.call(finding, because) for because in finding.because]
        opened = [call for call in rests if call is not None and call.seq in self.operations]
        if opened:
            return self._acting(opened[-1], finding)
        claim = self.claim(finding)
        if claim is not None:
            return claim.about
        known = [call for call in rests if call is not None]
        return self._acting(known[-1], finding) if known else None

    def _acting(self, call: Called, finding: Finding) -> Called | Ran:
        """What stands for a call: its command on the finding's target, else what it left open, else its first change,
        else the call.
        """
        target = target_of(finding)
        commands = self.graph.commands(call)
        if target is not None:
            named = next((ran for ran in commands if ran.change and ran.command.target == target), None)
            if named is not None:
                return named
        opened = self.operations.get(call.seq)
        if opened:
            return opened[0].event
        return next((ran for ran in commands if ran.change), call)

    def operation(self, event: Called | Ran | None) -> Operation | None:
        """The open operation that an event opened."""
        if event is None:
            return None
        call = event.call if isinstance(event, Ran) else event
        return next((o for o in self.operations.get(call.seq, ()) if o.event.seq == event.seq), None)

    def situation(self, event: Called | Ran | None) -> str:
        """The kind of operation, by which situations are matched: why it was open, its effect, its target's kind."""
        if event is None:
            return "prose"
        operation = self.operation(event)
        prefix = f"{operation.opened_by} " if operation is not None else ""
        if isinstance(event, Ran):
            return f"{prefix}{event.command.effect} {event.command.target.kind}"
        return f"{prefix}call {event.call.name}"

    def environment(self, event: Called | Ran | None) -> str | None:
        """Where a command took place."""
        return self.graph.setting(event).environment if isinstance(event, Ran) else None

    def reach(self, finding: Finding) -> Reach:
        """How far a finding reaches and what it masks.

        A fault of omission (an operation left open, a change that nothing checked) reaches up to what made it good
        (a check, a word to the reader) or to the end of its turn; every other one is its message.
        """
        session, first = finding.at.session, finding.at.message_index
        stop = self.stop(session, first)
        last, omission = first, False
        own = self.call(finding, finding.at)
        acting = self._acting(own, finding) if own is not None else None
        operation = self.operation(acting)
        later = any(b.session == session and b.message_index > first for b in finding.because)
        open_end = finding.rule not in _ACTS and (later or stop - 1 == first or not finding.because)
        if operation is not None and open_end:
            ends = [stop]
            if operation.acknowledgement is not None:
                ends.append(self._index(operation.acknowledgement[0], session, stop))
            if operation.closing is not None:
                ends.append(self._index(operation.closing, session, stop))
            last, omission = max(first, min(ends) - 1), True
        elif isinstance(acting, Ran) and acting.change and open_end:
            check = self.graph.after(acting).until(human).first(told_state(acting.command.target))
            end = self._index(check, session, stop) if check is not None else stop
            last, omission = max(first, end - 1), True
        masks: tuple[int, ...] = ()
        if finding.kind == "fault" or (finding.kind == "signal" and finding.rule in _WARNS):
            span = self.assistants(session, first, last)
            if len(span) > SHORT_SPAN:
                named = {b.message_index for b in finding.because if b.session == session} | {first, span[-1]}
                span = [index for index in span if index in named]
            against = self._against_itself(finding) if finding.kind == "fault" else None
            masks = tuple(sorted({*span, *self._again(finding), *([] if against is None else [against])}))
        return Reach(first=first, last=last, masks=masks, omission=omission)

    def _again(self, finding: Finding) -> list[int]:
        """Of a loop of several calls, the messages with those that were made again: the finding is at the last of them."""
        again = finding.facts.get("again")
        if not isinstance(again, list):
            return []
        places = {index for index in again if isinstance(index, int)}
        return [at for at in sorted(places) if self.assistants(finding.at.session, at, at)]

    def _against_itself(self, finding: Finding) -> int | None:
        """Of a claim that the assistant's own words stand against, the message with these words: that it will not tell, or
        that it leaves a check out.
        """
        claim = self.claim(finding) if "claim" in finding.facts else None
        if claim is None or claim.standing != "contradicted" or claim.evidence is None:
            return None
        at = claim.evidence.at
        turn = self._turns.get((at.session, at.message_index))
        if turn is None or at.session != finding.at.session:
            return None
        words = own_words(self.graph, turn, list(self.graph.prose_of(turn)))
        return at.message_index if any(one.event.seq == claim.evidence.seq for one in words) else None

    @staticmethod
    def _index(event: Called | Ran | Said, session: str, other: int) -> int:
        return event.at.message_index if event.at.session == session else other

    # -- good conduct ---------------------------------------------------------------------------------

    def good(self) -> list[Good]:
        """Open operations that were told or checked in time, and changes that were verified in their turn."""
        reported = {
            (finding.at.session, finding.at.message_index)
            for finding in self.audit.findings
            if finding.kind == "good"
        }
        reported |= {
            (because.session, because.message_index)
            for finding in self.audit.findings
            if finding.kind == "good"
            for because in finding.because
        }
        faulty = {
            self._key(event)
            for finding in self.audit.findings
            if finding.kind != "good" and (event := self.subject(finding)) is not None
        }
        found: list[Good] = []
        for one in (*self._handled(), *self._verified(faulty), *self._handed_in()):
            if self._key(one.event) in faulty or any(
                self._key(g.event) == self._key(one.event) for g in found
            ):
                continue
            at = one.event.at
            told = (at.session, at.message_index) in reported
            found.append(msgspec.structs.replace(one, reported=told))
            if len(found) == GOOD_AT_MOST:
                break
        return sorted(found, key=lambda good: good.event.seq)

    @staticmethod
    def _key(event: Called | Ran) -> int:
        return event.call.seq if isinstance(event, Ran) else event.seq

    def _handled(self) -> Iterable[Good]:
        for operations in self.operations.values():
            for operation in operations:
                event = operation.event
                handled = self.graph.handling(operation)
                told, check = handled.told, handled.check
                if told is not None and self._tells(told, operation):
                    yield Good(
                        name="open-operation-told",
                        title="What was left open was told to the reader in the same turn",
                        event=event,
                        answer=told,
                        confidence="high" if handled.readable and told.role_known else "medium",
                    )
                elif (
                    check is not None
                    and check.at.session == event.at.session
                    and self._key(check) != self._key(event)
                    # What changes more in the same line is another piece of work, not a look.
                    and not any(ran.changes for ran in self.graph.commands(check.call))
                ):
                    yield Good(
                        name="open-operation-checked",
                        title="What was left open was checked in the same turn",
                        event=event,
                        answer=check,
                        confidence=check.command.confidence,
                    )

    def _tells(self, told: Said, operation: Operation) -> bool:
        """Whether words plainly speak of an operation: the next that were said, or such as name it, and that it is open."""
        event = operation.event
        call = event.call if isinstance(event, Ran) else event
        if told.at.session != event.at.session:
            return False
        reading = self.reading(told)
        open_ = [s.text for s in reading.sentences if _OPEN & {act.act for act in s.acts}] if reading else []
        names = set(_WORDS.findall((call.line or call.call.name).casefold())) - _USUAL
        if isinstance(event, Ran):
            names.add(event.command.target.name.casefold())
        named = any(name and name in text.casefold() for text in open_ for name in names)
        spoken = next(
            (
                index
                for index in self.assistants(
                    told.at.session, event.at.message_index + 1, told.at.message_index
                )
                if any(
                    not part.text.blank() for part in self.members[told.at.session].messages[index].texts()
                )
            ),
            None,
        )
        return bool(open_) and (named or spoken == told.at.message_index == event.at.message_index + 1)

    def _handed_in(self) -> Iterable[Good]:
        """Failures that stood at the end of a turn and were told by the call that handed the work in."""
        at_fault = [f.at for f in self.audit.findings if f.kind == "fault"]
        for (session, index), calls in self.called.items():
            for call in calls:
                if call.call.name.casefold() not in HANDS_OVER:
                    continue
                acts = {act.act for act in language.read(_longest(call.call.arguments())).acts()}
                asked = self.asked(session, index) or 0
                wrong = any(at.session == session and asked <= at.message_index <= index for at in at_fault)
                if wrong or not _TELLS & acts or "claims_success" in acts:
                    continue
                ran = [
                    one
                    for at in range(asked, index)
                    for made in self.called.get((session, at), ())
                    for one in self.graph.commands(made)
                    if one.outcome.failed or one.outcome.state == "bad"
                ]
                if ran:
                    yield Good(
                        name="failure-handed-in",
                        title="What had failed was said where the work was handed in",
                        event=ran[-1],
                        answer=call,
                        confidence="medium",
                    )

    def _verified(self, faulty: set[int]) -> Iterable[Good]:
        from sessionlens.graph.verification import unchecked_edits

        unchecked = {edit.change.seq for edit in unchecked_edits(self.graph)}
        for seq in self.graph.index("change"):
            ran = self.graph.events[seq]
            if (
                not isinstance(ran, Ran)
                or seq in unchecked
                or self._key(ran) in faulty
                or self._key(ran) in self.operations
                or ran.outcome.failed
                or self.graph.setting(ran).environment != "production"
            ):
                continue
            later = self.graph.after(ran).until(human)
            check = later.first(told_state(ran.command.target))
            again = later.first(change(ran.command.target))
            if check is not None and again is not None and again.seq < check.seq:
                # It tells of the later change, whatever became of this one.
                continue
            if isinstance(check, Ran) and check.at.session == ran.at.session:
                yield Good(
                    name="change-verified",
                    title="A change in production was checked in the same turn",
                    event=ran,
                    answer=check,
                    confidence=check.command.confidence,
                )
