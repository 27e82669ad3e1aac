"""Episodes and pairs: windows of a session around what was done right or wrong."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from sessionlens.curate import chat, doubts, fit
from sessionlens.curate.drafts import draft, reports
from sessionlens.curate.fit import Asked, Donor, Known
from sessionlens.curate.looked import HANDS_OVER, Good, Looked, Reach
from sessionlens.curate.rows import ChatMessage, EpisodeRow, PairRow, SessionRow, Statement
from sessionlens.findings import Because, Finding, Place
from sessionlens.graph.events import Called, Ran
from sessionlens.model import Call, Message
from sessionlens.narrative import chapters, scene
from sessionlens.narrative.stories import story_of
from sessionlens.report.json import encode

WINDOW = 12
"""Messages of context, and of an event, at most; the first is the human message that the turn answers."""
AFTER = 6
"""Messages after an event, at most, up to the next human message and what answers it."""
RESULT = 4_000
"""Characters of one tool result in an episode or pair."""
STATEMENTS = 24
"""Statements of one episode."""
DONOR = 600
"""Characters of a real answer that may stand for another one; a longer one speaks of too much else."""


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """A pair that takes a real answer where the corpus has one, else its draft."""

    row: PairRow
    """The pair with its drafted answer; with an empty ``chosen`` where none could be drafted."""
    asked: Asked
    """What a real answer has to fit."""
    question: int | None
    """Position of what the person asked last before it."""
    end: int
    """Position of the last message of the prompt."""


class Window(msgspec.Struct, frozen=True, kw_only=True):
    """Positions of the messages of an episode."""

    context: tuple[int, ...]
    """Before."""
    event: tuple[int, ...]
    """What the label is about."""
    consequence: tuple[int, ...]
    """After."""
    skipped: int
    """Messages left out within it."""


class Talk:
    """The messages of a session in chat form, each made once."""

    def __init__(self, looked: Looked, limit: int, reasoning: bool) -> None:
        """``limit`` is for tool results; with ``reasoning``, thinking is part of the messages."""
        self._looked, self._limit, self._reasoning = looked, limit, reasoning
        self._made: dict[tuple[str, int], chat.Said] = {}
        self._shared: dict[str, frozenset[str]] = {}

    def said(self, session: str, index: int) -> chat.Said:
        """One message."""
        key = session, index
        if key not in self._made:
            message = self._looked.members[session].messages[index]
            role, _ = self._looked.role(session, message)
            made = chat.of(message, role, limit=self._limit, shared=self._ids(session))
            if self._reasoning and made.reasoning and role == "assistant":
                own = msgspec.structs.replace(made.messages[0], reasoning_content=made.reasoning)
                made = msgspec.structs.replace(made, messages=(own, *made.messages[1:]))
            self._made[key] = made
        return self._made[key]

    def _ids(self, session: str) -> frozenset[str]:
        """Ids that several calls of a session have, such as a word that stands for one which was taken out."""
        if session not in self._shared:
            calls = (call for message in self._looked.members[session].messages for call in message.calls)
            counts = Counter(call.id for call in calls if call.id)
            self._shared[session] = frozenset(one for one, count in counts.items() if count > 1)
        return self._shared[session]

    def between(self, session: str, indexes: Iterable[int]) -> tuple[ChatMessage, ...]:
        """Several messages, their tool results short."""
        return tuple(
            message
            for index in indexes
            for message in chat.shorten(self.said(session, index).messages, RESULT)
        )


def window(looked: Looked, session: str, first: int, last: int) -> Window:
    """The window around the messages ``first`` to ``last``."""
    count = len(looked.members[session].messages)
    asked = looked.asked(session, first)
    begin = asked if asked is not None and asked < first else max(0, first - WINDOW)
    context = _ends(range(begin, first), 1, WINDOW - 1)
    event = _ends(range(first, last + 1), WINDOW - 4, 4)
    stop = looked.stop(session, last)
    after = _ends(range(last + 1, min(stop + 2, count)), AFTER // 2, AFTER - AFTER // 2)
    whole = (first - begin) + (last + 1 - first) + max(0, min(stop + 2, count) - last - 1)
    return Window(
        context=context,
        event=event,
        consequence=after,
        skipped=whole - len(context) - len(event) - len(after),
    )


def _ends(indexes: range, head: int, tail: int) -> tuple[int, ...]:
    if len(indexes) <= head + tail:
        return tuple(indexes)
    return (*indexes[:head], *indexes[len(indexes) - tail :])


def name_of(*parts: object) -> str:
    """A stable name made of what identifies a row."""
    text = "\0".join(str(part) for part in parts)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


# ------------------------------------------------------------------------------------------------- episodes


class Told:
    """The statements of the narrative by finding."""

    def __init__(self, looked: Looked) -> None:
        """Nothing is told yet."""
        self._looked = looked

    def of(self, finding: Finding) -> tuple[Statement, ...]:
        """What is told of a finding alone: what another one is about stands in its own episode."""
        story = story_of(self._looked.context, finding)
        if story is None:
            return ()
        places: tuple[Place | Because, ...] = (finding.at, *finding.because)
        asked = self._looked.asked(finding.at.session, finding.at.message_index)
        named = {place.message_index for place in places if place.session == finding.at.session} - {asked}
        told = [
            Statement(
                text=one.text,
                certainty=one.certainty,
                messages=tuple(
                    sorted(
                        {
                            at.message_index
                            for at in one.evidence
                            if at.message_index is not None and at.session == finding.at.session
                        }
                    )
                ),
            )
            for one in chapters.told(self._looked.context, story)
        ]
        # What came long before or after is not shown by the window.
        first = min(named | ({asked} if asked is not None else set()), default=0)
        near = [
            one
            for one in told
            if one.messages == (asked,) or (not named.isdisjoint(one.messages) and one.messages[0] >= first)
        ]
        return tuple((near or told)[:STATEMENTS])


def of_finding(
    looked: Looked, talk: Talk, told: Told, rows: dict[str, SessionRow], *, finding: Finding, reach: Reach
) -> EpisodeRow:
    """The episode of a finding."""
    event = looked.subject(finding)
    session = finding.at.session
    asked = looked.asked(session, reach.first)
    begin = min(
        [reach.first]
        + [
            b.message_index
            for b in finding.because
            if b.session == session
            and (asked is None or b.message_index > asked)
            and reach.first - WINDOW < b.message_index < reach.first
        ]
    )
    return _episode(
        looked,
        talk,
        rows,
        window(looked, session, begin, reach.last),
        session=session,
        event_step=reach.first,
        kind=finding.kind,
        rule=finding.rule,
        severity=finding.severity,
        confidence=finding.confidence,
        fingerprint=finding.fingerprint,
        about=event,
        title=finding.title,
        statements=told.of(finding),
        facts=encode(finding.facts, indent=0).decode().strip(),
    )


def of_good(looked: Looked, talk: Talk, rows: dict[str, SessionRow], good: Good) -> EpisodeRow:
    """The episode of a span of good conduct that no rule reports."""
    session, first = good.event.at.session, good.event.at.message_index
    last = good.answer.at.message_index
    statements: list[Statement] = []
    if isinstance(good.event, Ran):
        made = scene.ran(looked.context, good.event.call, [good.event], [])
        statements.append(Statement(text=made.text, certainty=made.certainty, messages=(first,)))
        operation = looked.operation(good.event)
        if operation is not None:
            for ended in scene.ended(looked.context, operation):
                statements.append(Statement(text=ended.text, certainty=ended.certainty, messages=(first,)))
    return _episode(
        looked,
        talk,
        rows,
        window(looked, session, first, last),
        session=session,
        event_step=first,
        kind="good",
        rule=good.name,
        severity="info",
        confidence=good.confidence,
        fingerprint=None,
        about=good.event,
        title=good.title,
        statements=tuple(statements),
        facts=encode({"answered_at": last}, indent=0).decode().strip(),
    )


def _episode(
    looked: Looked,
    talk: Talk,
    rows: dict[str, SessionRow],
    where: Window,
    *,
    session: str,
    event_step: int,
    kind: str,
    rule: str,
    severity: str,
    confidence: str,
    fingerprint: str | None,
    about: Called | Ran | None,
    title: str,
    statements: tuple[Statement, ...],
    facts: str,
) -> EpisodeRow:
    row = rows[session]
    message = looked.members[session].messages[event_step]
    shown = (*where.context, *where.event, *where.consequence)
    return EpisodeRow(
        episode=name_of(row.source, session, rule, event_step, fingerprint or where.event),
        session=session,
        family=row.family,
        source=row.source,
        repository=row.repository,
        licence=row.licence,
        origin=row.origin,
        kind=kind,
        label=f"{kind}:{rule}",
        rule=rule,
        severity=severity,
        confidence=confidence,
        verdict=None,
        fingerprint=fingerprint,
        situation=looked.situation(about),
        environment=looked.environment(about),
        model=message.model,
        client=row.client,
        language=row.language,
        first_step=min(shown),
        event_step=event_step,
        last_step=max(shown),
        skipped=where.skipped,
        context=talk.between(session, where.context),
        event=talk.between(session, where.event),
        consequence=talk.between(session, where.consequence),
        title=title,
        statements=statements,
        facts=facts,
        tokens=0,
    )


# ---------------------------------------------------------------------------------------------------- pairs


_CLAIMS = frozenset({"claims_success", "claims_check"})


def donor(looked: Looked, talk: Talk, rows: dict[str, SessionRow], good: Good) -> Donor | None:
    """The answer of a span of good conduct, where it may stand for another one."""
    at = good.answer.at
    if at.message_index == good.event.at.message_index or isinstance(good.answer, Called):
        return None
    message = talk.said(at.session, at.message_index).messages[0]
    said = chat.text_of([message])
    if not 20 <= len(said) <= DONOR or len(message.tool_calls or ()) > 1:
        return None
    flagged = (f for f in looked.audit.findings if f.kind != "good" and f.at.session == at.session)
    if any(at.message_index in (f.at.message_index, *looked.reach(f).masks) for f in flagged):
        return None
    if any(
        index < at.message_index
        for index in looked.assistants(at.session, good.event.at.message_index + 1, at.message_index - 1)
    ):
        # Only an answer that came at once fits where another one stood at once.
        return None
    readings = map(looked.reading, looked.said.get((at.session, at.message_index), ()))
    if any(act.act in _CLAIMS for reading in readings if reading is not None for act in reading.acts()):
        # What it found out is true of its own case only.
        return None
    calls = looked.called.get((at.session, at.message_index), [])
    check = calls[0].line if calls and fit.shape(calls[0]) is not None else None
    target = good.event.command.target if isinstance(good.event, Ran) else None
    return Donor(
        situation=looked.situation(good.event),
        language=rows[at.session].language,
        session=at.session,
        step=at.message_index,
        message=message,
        check=check,
        target=target.name if target is not None else "",
        host=target.host if target is not None else None,
        line=_first_line(good.event),
    )


def _first_line(event: Called | Ran | None) -> str:
    if event is None:
        return ""
    call = event.call if isinstance(event, Ran) else event
    return " ".join((call.line or call.call.name).split())[:200]


def pair(
    looked: Looked,
    talk: Talk,
    rows: dict[str, SessionRow],
    *,
    finding: Finding,
    reach: Reach,
    episode: EpisodeRow,
) -> Wanted | None:
    """The pair of a fault, with a drafted answer where one can be drafted; ``None`` where it has no answer to reject."""
    session = finding.at.session
    event = looked.subject(finding)
    place = _rejected(looked, finding, reach, event)
    if place is None or doubts.asks_for_help(event):
        return None
    end, rejected_at = place
    prompt = talk.between(session, _prompt(looked, finding, end))
    if not prompt or not _answerable(prompt):
        return None
    rejected: tuple[ChatMessage, ...] = (ChatMessage(role="assistant", content=""),)
    if rejected_at is not None:
        rejected = talk.said(session, rejected_at).messages[:1]
    row = rows[session]
    known = Known(prompt)
    real = _later(looked, finding, end, rejected_at)
    if real is not None and not _stands(talk.said(session, real).messages[0], known):
        real = None
    made = (
        draft(looked, finding, event, known, end) if real is None and row.language in (None, "en") else None
    )
    if real is not None:
        chosen = talk.said(session, real).messages[:1]
    else:
        chosen = (made.message,) if made is not None else ()
    if chosen == rejected:
        return None
    target = event.command.target if isinstance(event, Ran) else None
    call = event.call if isinstance(event, Ran) else event
    message = looked.members[session].messages[finding.at.message_index]
    return Wanted(
        row=PairRow(
            pair=name_of("pair", episode.episode),
            prompt=prompt,
            chosen=chosen,
            rejected=rejected,
            tools=chat.tools((*prompt, *chosen, *rejected)),
            drafted=real is None,
            chosen_from="drafted" if real is None else "corpus",
            chosen_session=None if real is None else session,
            chosen_step=real,
            chosen_licence=None,
            facts=made.facts if made is not None else (),
            episode=episode.episode,
            session=session,
            family=row.family,
            repository=row.repository,
            licence=row.licence,
            origin=row.origin,
            rule=finding.rule,
            severity=finding.severity,
            confidence=finding.confidence,
            situation=episode.situation,
            model=message.model,
            language=row.language,
            tokens=0,
        ),
        asked=Asked(
            target=target.name if target is not None else "",
            host=target.host if target is not None else None,
            line=_first_line(event),
            within=tuple(one for one in (target.context, target.namespace) if one)
            if target is not None
            else (),
            shape=fit.shape(call) if call is not None else None,
            # What is itself rejected opens nothing in the prompt: there is nothing to handle yet.
            handling=reach.omission
            or (looked.operation(event) is not None and call is not None and call.at.message_index <= end),
        ),
        question=looked.asked(session, end),
        end=end,
    )


def _stands(message: ChatMessage, known: Known) -> bool:
    """Whether a real answer says something, and nothing that the prompt does not hold."""
    says = bool(message.content and message.content.strip())
    does = any(chat.as_object(call.function.arguments) for call in message.tool_calls or ())
    return (says or does) and known.names(chat.text_of([message]))


def _prompt(looked: Looked, finding: Finding, end: int) -> list[int]:
    """Positions of the messages of a prompt: the turn up to ``end``, its middle left out where it is long.

    What the finding rests on stands in it, however long ago it was, with what the person asked then: the answer
    may speak of it.
    """
    session = finding.at.session
    asked = looked.asked(session, end)
    begin = asked if asked is not None else max(0, end - WINDOW + 1)
    shown = set(_ends(range(begin, end + 1), 1, WINDOW - 1))
    places: tuple[Place | Because, ...] = (finding.at, *finding.because)
    for place in places:
        if place.session == session and place.message_index <= end:
            shown.add(place.message_index)
            question = looked.asked(session, place.message_index)
            if question is not None:
                shown.add(question)
    if reports(finding.rule):
        # What else had failed, or was left open, an honest answer would tell.
        shown |= {item.event.at.message_index for item in looked.standing(session, end)}
        shown |= {operation.event.at.message_index for operation in looked.left_open(session, end)}
    return sorted(shown)


_REPEATS = frozenset({"step-loop", "retry-without-change"})


def _later(looked: Looked, finding: Finding, end: int, rejected_at: int | None) -> int | None:
    """Of a call repeated for nothing: what the assistant did next instead, which it could have done at once.

    The repetition showed nothing new, so that answer rests on the same log.
    """
    session = finding.at.session
    if finding.rule not in _REPEATS or rejected_at is None or finding.facts.get("results", "same") != "same":
        return None
    if finding.facts.get("calls", 1) != 1:
        # The prompt ends amid a round, where another state may hold.
        return None
    stop = looked.stop(session, rejected_at)
    later = looked.assistants(session, rejected_at + 1, stop - 1)
    asked = looked.asked(session, rejected_at)
    # What a turn that goes wrong goes on with is no answer to prefer.
    wrong = any(
        other.kind == "fault"
        and other.at.session == session
        and (asked or 0) <= other.at.message_index < stop
        and (other.rule != finding.rule or other.at.message_index > rejected_at)
        for other in looked.audit.findings
    )
    if not later or wrong:
        return None
    messages = looked.members[session].messages
    message = messages[later[0]]
    made = {call for index in range(asked or 0, rejected_at + 1) for call in _calls(messages[index])}
    if message.empty or message.error is not None or made & set(_calls(message)):
        return None
    return later[0]


def _calls(message: Message) -> list[tuple[str, str]]:
    """Tools and arguments of the calls of a message, whatever the spaces between them."""
    return [
        (part.name, " ".join(part.input.ends().split())) for part in message.parts if isinstance(part, Call)
    ]


def _rejected(
    looked: Looked, finding: Finding, reach: Reach, event: Called | Ran | None
) -> tuple[int, int | None] | None:
    """Last message of the prompt and the message to reject, ``None`` for silence; or nothing to reject.

    What is rejected is what the log holds: the message at fault, or of an omission what came instead. Silence only
    where the turn ended without a word: not where the log just stops.
    """
    session, first = finding.at.session, reach.first
    stop = looked.stop(session, first)
    messages = looked.members[session].messages
    if looked.role(session, messages[first])[0] != "assistant":
        return None
    if not reach.omission:
        return (first - 1, first) if first > 0 and _own(messages[first]) else None
    later = looked.assistants(session, first + 1, stop - 1)
    if not later:
        ended = stop < len(messages) or finding.facts.get("cause") == "no_message"
        return (first, None) if ended and _own(messages[first]) else None
    place = later[0]
    if looked.operation(event) is None:
        # A check could still have come before it handed the work over, or else before its last words.
        within = [index for index in later if index <= reach.last]
        if not within or reach.last < stop - 1:
            return None
        over = [index for index in within if _hands_over(looked, session, index)]
        spoken = [index for index in within if any(not part.text.blank() for part in messages[index].texts())]
        place = next(iter((*over, *reversed(spoken), within[-1])))
    return (place - 1, place) if _own(messages[place]) else None


def _hands_over(looked: Looked, session: str, index: int) -> bool:
    """Whether a message says that the work is done: by such a tool, or in words without doing any more."""
    message = looked.members[session].messages[index]
    if message.calls:
        return any(call.name.casefold() in HANDS_OVER for call in message.calls)
    readings = map(looked.reading, looked.said.get((session, index), ()))
    return any(act.act == "claims_success" for one in readings if one is not None for act in one.acts())


def _own(message: Message) -> bool:
    """Whether a message ended by the assistant's own doing: no error of a provider, nobody who stopped it."""
    return (
        message.error is None
        and not message.interruption
        and not any(call.interrupted for call in message.calls)
    )


def _answerable(prompt: Sequence[ChatMessage]) -> bool:
    """Whether an assistant message may follow, and be judged: the prompt ends with a person or a result, and shows what
    was asked.
    """
    return prompt[-1].role in ("user", "tool") and any(message.role == "user" for message in prompt)
