"""Episodes and pairs: windows of a session around what was done right or wrong."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence

import msgspec

from sessionlens.curate import chat
from sessionlens.curate.drafts import draft
from sessionlens.curate.looked import Good, Looked, Reach
from sessionlens.curate.rows import ChatMessage, EpisodeRow, PairRow, SessionRow, Statement
from sessionlens.findings import Because, Finding, Place
from sessionlens.graph.events import Called, Ran
from sessionlens.narrative import chapters, scene
from sessionlens.narrative.stories import stories
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


class Donor(msgspec.Struct, frozen=True, kw_only=True):
    """A real answer that handled a situation well."""

    situation: str
    """Kind of operation."""
    language: str | None
    """Of its session."""
    session: str
    """Its session."""
    step: int
    """Its message."""
    message: ChatMessage
    """The answer."""
    target: str
    """Name of the target that it speaks of."""
    host: str | None
    """Its host."""
    line: str
    """First line of the command that was handled."""


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """A pair that takes a real answer where the corpus has one, else its draft."""

    row: PairRow
    """The pair with its drafted answer; with an empty ``chosen`` where none could be drafted."""
    target: str
    """Name of the target in question."""
    host: str | None
    """Its host."""
    line: str
    """First line of the command in question."""
    handling: bool
    """Whether it is about what did not follow an operation or change: only then another's handling of one fits."""


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

    def said(self, session: str, index: int) -> chat.Said:
        """One message."""
        key = session, index
        if key not in self._made:
            message = self._looked.members[session].messages[index]
            role, _ = self._looked.role(session, message)
            made = chat.of(message, role, limit=self._limit)
            if self._reasoning and made.reasoning and role == "assistant":
                own = msgspec.structs.replace(made.messages[0], reasoning_content=made.reasoning)
                made = msgspec.structs.replace(made, messages=(own, *made.messages[1:]))
            self._made[key] = made
        return self._made[key]

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
        """Tell every story once."""
        self._looked = looked
        self._by_finding: dict[str, tuple[Statement, ...]] = {}
        if not looked.audit.findings:
            return
        for number, story in enumerate(stories(looked.context), start=1):
            told = chapters.chapter(looked.context, story, number)
            for finding in story.findings:
                self._by_finding[finding.fingerprint] = tuple(
                    Statement(
                        text=statement.text,
                        certainty=statement.certainty,
                        messages=tuple(
                            sorted(
                                {
                                    at.message_index
                                    for at in statement.evidence
                                    if at.message_index is not None and at.session == finding.at.session
                                }
                            )
                        ),
                    )
                    for section in told.sections
                    for statement in section.statements
                )[:STATEMENTS]

    def of(self, finding: Finding) -> tuple[Statement, ...]:
        """What is told of a finding."""
        return self._by_finding.get(finding.fingerprint, ())


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


def donor(looked: Looked, talk: Talk, rows: dict[str, SessionRow], good: Good) -> Donor | None:
    """The answer of a span of good conduct, where it may stand for another one."""
    at = good.answer.at
    if at.message_index == good.event.at.message_index:
        return None
    message = talk.said(at.session, at.message_index).messages[0]
    said = chat.text_of([message])
    if not 20 <= len(said) <= DONOR or len(message.tool_calls or ()) > 1:
        return None
    flagged = (f for f in looked.audit.findings if f.kind != "good" and f.at.session == at.session)
    if any(f.at.message_index == at.message_index for f in flagged):
        return None
    if any(
        index < at.message_index
        for index in looked.assistants(at.session, good.event.at.message_index + 1, at.message_index - 1)
    ):
        # Only an answer that came at once fits where another one stood at once.
        return None
    target = good.event.command.target if isinstance(good.event, Ran) else None
    return Donor(
        situation=looked.situation(good.event),
        language=rows[at.session].language,
        session=at.session,
        step=at.message_index,
        message=message,
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
    if place is None:
        return None
    end, rejected_at = place
    asked = looked.asked(session, end)
    begin = asked if asked is not None else max(0, end - WINDOW)
    shown = set(_ends(range(begin, end + 1), 1, WINDOW - 1))
    # What the answer is about must stand in the prompt, however long ago it was.
    places: tuple[Place | Because, ...] = (finding.at, *finding.because)
    shown.update(
        place.message_index
        for place in places
        if place.session == session and begin <= place.message_index <= end
    )
    prompt = talk.between(session, sorted(shown))
    if not prompt or not _answerable(prompt):
        return None
    rejected: tuple[ChatMessage, ...] = (ChatMessage(role="assistant", content=""),)
    if rejected_at is not None:
        rejected = talk.said(session, rejected_at).messages[:1]
    row = rows[session]
    real = _later(looked, finding, end, rejected_at)
    made = draft(looked, finding, event) if real is None and row.language in (None, "en") else None
    if real is not None:
        chosen = talk.said(session, real).messages[:1]
    else:
        chosen = (made.message,) if made is not None else ()
    if chosen == rejected:
        return None
    target = event.command.target if isinstance(event, Ran) else None
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
        target=target.name if target is not None else "",
        host=target.host if target is not None else None,
        line=_first_line(event),
        handling=reach.omission or looked.operation(event) is not None,
    )


_REPEATS = frozenset({"step-loop", "retry-without-change"})


def _later(looked: Looked, finding: Finding, end: int, rejected_at: int | None) -> int | None:
    """Of a call repeated for nothing: what the assistant did next instead, which it could have done at once.

    The repetition showed nothing new, so that answer rests on the same log.
    """
    session = finding.at.session
    if finding.rule not in _REPEATS or rejected_at is None or finding.facts.get("results", "same") != "same":
        return None
    stop = looked.stop(session, rejected_at)
    later = looked.assistants(session, rejected_at + 1, stop - 1)
    # What a turn that goes wrong begins with is no answer to prefer.
    wrong = any(
        other.kind == "fault" and other.at.session == session and rejected_at < other.at.message_index < stop
        for other in looked.audit.findings
    )
    if not later or wrong:
        return None
    message = looked.members[session].messages[later[0]]
    return later[0] if not message.empty and message.error is None else None


def _rejected(
    looked: Looked, finding: Finding, reach: Reach, event: Called | Ran | None
) -> tuple[int, int | None] | None:
    """Last message of the prompt and the message to reject, ``None`` for silence; or nothing to reject."""
    session, first = finding.at.session, reach.first
    stop = looked.stop(session, first)
    message = looked.message(session, first)
    if message is None or looked.role(session, message)[0] != "assistant":
        return None
    if not reach.omission:
        return (first - 1, first) if first > 0 else None
    if looked.operation(event) is not None:
        later = looked.assistants(session, first + 1, stop - 1)
        return (later[0] - 1, later[0]) if later else (first, None)
    spoken = [
        index
        for index in looked.assistants(session, first + 1, reach.last)
        if any(not part.text.blank() for part in looked.members[session].messages[index].texts())
    ]
    return (spoken[-1] - 1, spoken[-1]) if spoken else (first, None)


def _answerable(prompt: Sequence[ChatMessage]) -> bool:
    """Whether an assistant message may follow: the prompt ends with a person or a result."""
    return prompt[-1].role in ("user", "tool")


# ------------------------------------------------------------------------------------------ fitting real answers

_SPECIFIC = re.compile(
    r"https?://[^\s`\"')]+|[\w./@:-]*\d[\w./@:-]*|(?<![\w.])[~.]?/[\w./-]+|\w+_\w+|\b[a-z]+[A-Z]\w+|[\w-]+\.[a-z]{2,5}\b"
)
"""Words that belong to one case: addresses, numbers, paths, identifiers, file names."""


def fitted(donor: Donor, wanted: Wanted, seen: str) -> tuple[ChatMessage, bool] | None:
    """A real answer as the answer of another case, and whether names in it were replaced; ``None`` where it does not fit.

    It fits when nothing in it belongs to its own case alone: every name, number and path that remains stands in
    ``seen`` too, the text of the prompt that it would answer.
    """
    message = donor.message
    if not wanted.handling:
        return None
    if bool(message.tool_calls) and (donor.host is None) != (wanted.host is None):
        return None
    names: list[tuple[str, str]] = []
    for mine, theirs in ((donor.host, wanted.host), (donor.target, wanted.target)):
        if mine and mine != theirs:
            if not theirs:
                return None
            names.append((mine, theirs))
    text = chat.text_of([message])
    # Where it does not name its target it speaks of something else, or of nothing in particular.
    if donor.line != wanted.line and not (donor.target and _named(text, donor.target)):
        return None
    adapted = msgspec.structs.replace(
        message,
        content=_replaced(message.content, names),
        tool_calls=None
        if message.tool_calls is None
        else tuple(
            msgspec.structs.replace(
                call,
                function=msgspec.structs.replace(
                    call.function, arguments=_replaced(call.function.arguments, names) or "{}"
                ),
            )
            for call in message.tool_calls
        ),
        reasoning_content=None,
    )
    if any(
        word.strip(".,:-") and word.strip(".,:-") not in seen
        for word in _SPECIFIC.findall(chat.text_of([adapted]))
    ):
        return None
    return adapted, adapted != msgspec.structs.replace(message, reasoning_content=None)


def _named(text: str, name: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def _replaced(text: str | None, names: Sequence[tuple[str, str]]) -> str | None:
    if text is None:
        return None
    for mine, theirs in names:
        text = re.sub(rf"(?<!\w){re.escape(mine)}(?!\w)", lambda _found, name=theirs: name, text)  # type: ignore[misc]
    return text
