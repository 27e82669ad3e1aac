"""The first screen and what stands around the chapters: headline, numbers, ledger, good conduct, limits, notes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec

from sessionlens.findings import SEVERITIES, Finding, aside
from sessionlens.graph.events import Called, Operation, Ran, Said
from sessionlens.graph.verification import in_working_copy, of_schema
from sessionlens.model import Call, Reasoning
from sessionlens.narrative import deeds, repeated, scene, states, words
from sessionlens.narrative.pictures import LANES
from sessionlens.narrative.states import Subject
from sessionlens.narrative.stories import Context, Story, edited, several_acted_on, titled
from sessionlens.narrative.views import Evidence, LedgerRow, Meta, Note, Number, Redacted, Section, Statement

MANY = 3
"""From so many stories on, the headline sums up."""
SHOWN = 6
"""Places named in one summing-up statement."""
LIMITS = "limits"
"""Name, within one page, of what the log cannot show."""


def meta(context: Context) -> Meta:
    """What the session is."""
    session = context.session
    calls = sum(len(message.calls) for member in session.family() for message in member.messages)
    started, ended = session.started, context.graph.ended
    when = ""
    if started is not None:
        when = words.moment(started)
        if ended is not None and ended > started:
            when += f", for {words.duration(ended - started)}"
    children = sum(1 for _ in session.family()) - 1
    known = sum(said.role_known for said in context.humans)
    unknown = sum(message.role == "unknown" for message in session.messages)
    size = [
        words.counted(len(session.messages), "message"),
        f"{words.number(known) if known else 'none'} by the person",
        *([f"{words.number(unknown)} of a role that the log does not tell"] if unknown else ()),
        words.counted(calls, "call"),
    ]
    if children:
        size.append(words.counted(children, "child session"))
    return Meta(
        id=session.id,
        title=words.label(session.title or "") or _first_words(context) or words.label(session.id),
        client=" ".join(words.label(value) for value in (session.client, session.client_version) if value),
        when=when,
        size=", ".join(size),
        models=words.listing(words.label(model) for model in session.models[:4])
        + (f" and {words.number(len(session.models) - 4)} more" if len(session.models) > 4 else ""),
        source_format=session.source_format,
    )


def _first_words(context: Context) -> str:
    """What the person asked first, for a session without a title."""
    for said in context.humans[:3]:
        text = scene.prose(context, said)
        if text.strip():
            return words.quoted(text, 80)
    return ""


def _end(context: Context, note: str = "") -> Evidence:
    """The end of the log, as a place."""
    if context.session.messages:
        return context.places.of_message(context.session, context.session.messages[-1], note=note)
    return context.places.outside(context.session, None, note)


def _faults(context: Context) -> list[Finding]:
    return [finding for finding in context.findings if finding.kind == "fault"]


# -- headline ---------------------------------------------------------------------------------------


def headline(context: Context, told: Sequence[Story]) -> Statement:
    """One sentence that says what happened."""
    faulty = [story for story in told if any(f.kind == "fault" for f in story.findings)]
    if len(faulty) >= MANY and (summed := _of_many(context, faulty)) is not None:
        return summed
    if faulty:
        return _of_story(context, faulty[0])
    quiet = _quiet(context)
    if not _unread(context):
        return quiet
    text = quiet.text
    return msgspec.structs.replace(quiet, text=f"In what could be read, {text[:1].lower()}{text[1:]}")


def _unread(context: Context) -> int:
    """Places of the log that could not be read."""
    return sum(1 for member in context.places.sessions.values() for _ in member.all_gaps())


def _of_many(context: Context, faulty: Sequence[Story]) -> Statement | None:
    """One sentence for many stories; ``None`` when their rules are not known here."""
    faults = _faults(context)
    by_rule: dict[str, list[Finding]] = {}
    for finding in faults:
        by_rule.setdefault(finding.rule, []).append(finding)
    restarts = by_rule.get("unacknowledged-long-running-restart", [])
    silences = by_rule.get("empty-message-after-timeout", [])
    edits = by_rule.get("unverified-production-edit", [])
    pieces = []
    if restarts:
        one = len(restarts) == 1
        pieces.append(
            f"{words.counted(len(restarts), 'start')}{_of_all(context, restarts)} {'was' if one else 'were'} left open "
            "without a word to the person"
        )
    if silences:
        pieces.append(f"{words.counted(len(silences), 'turn')} ended in an empty message after a time limit")
    if edits:
        verb = "was" if len(edits) == 1 else "were"
        of = _of_all(context, edits)
        pieces.append(f"{words.counted(len(edits), 'production edit')}{of} {verb} not checked in time")
    if not pieces:
        return None
    other = len(faults) - len(restarts) - len(silences) - len(edits)
    if other:
        pieces.append(f"{words.counted(other, 'other fault')} {'was' if other == 1 else 'were'} found")
    evidence = [context.places.of(story.findings[0].at) for story in faulty[:SHOWN]]
    return Statement(
        text=words.sentence(
            f"{words.counted(len(faulty), 'story', 'stories')} with faults: {words.listing(pieces)}"
        ),
        certainty="derived",
        evidence=_once(evidence),
    )


def _of_all(context: Context, findings: Sequence[Finding]) -> str:
    """`` of `billing` on `web1```: the one thing, on one host or several, that all of some findings are about; empty where there are several."""
    spoken: set[str] = set()
    for finding in findings:
        acting = [e for e in context.at(finding.at) if isinstance(e, Ran) and e.changes]
        about = {id(subject): subject for event in acting for subject in context.subjects_of(event)}
        # One line may do the same on several hosts.
        alike = len({subject.name for subject in about.values()}) == 1
        spoken.add(states.together(list(about.values())) if alike else "")
    one = spoken.pop() if len(spoken) == 1 else ""
    return f" of {one}" if one else ""


def _of_story(context: Context, story: Story) -> Statement:
    operations = [op for op in story.operations if isinstance(op.event, Ran) and op.event.start]
    rules = Counter(finding.rule for finding in story.findings if finding.kind == "fault")
    evidence = [context.places.of(operation.event) for operation in operations[:3]]
    evidence += [context.places.of(finding.at) for finding in story.findings if finding.kind == "fault"][:3]
    subject = story.subjects[0] if story.subjects else None
    pieces: list[str] = []
    if (worse := _before_all(story)) is not None:
        text = titled(context, worse, sum(f.title == worse.title for f in story.findings))
        if rules["unacknowledged-long-running-restart"]:
            text += "; it was left open without a word to the person"
        elif rules["unverified-production-edit"]:
            text += "; no check followed in time"
        pieces.append(text)
    elif operations and rules["unacknowledged-long-running-restart"]:
        # What was left open is told of the target that it was done to, not of another one of the story.
        subjects = several_acted_on(context, story, operations)
        subject = subjects[0] if subjects else subject
        pieces.append(_restarts(operations, subjects or story.subjects[:1]))
        if rules["empty-message-after-timeout"]:
            silences = [
                f for f in story.findings if f.rule == "empty-message-after-timeout" and f.kind == "fault"
            ]
            if all(finding.facts.get("cause") in ("no_message", "log_ends") for finding in silences):
                said = "no message to the person followed"
            elif len(silences) == 1:
                said = "the person got an empty message"
            else:
                said = f"the person got {words.number(len(silences))} empty messages"
            pieces.append(said)
        else:
            untold = [operation for operation in operations if operation.acknowledgement is None]
            about = several_acted_on(context, story, untold)
            some = bool(about) and len(about) < len(subjects)
            pieces.append(
                f"the person was not told of {states.together(about)}" if some else "the person was not told"
            )
        if subject is not None:
            unknown = _unknown(context, subjects if len(subjects) > 1 else story.subjects[:1])
            pieces += [unknown] if unknown else []
    elif rules["empty-message-after-timeout"]:
        finding = next(f for f in story.findings if f.rule == "empty-message-after-timeout")
        limit = finding.facts.get("limit_ms")
        at = f" at its limit of {words.duration(limit)}" if isinstance(limit, int) else ""
        what = f"A command on {subject.spoken}" if subject is not None else "A command"
        reader = (
            "the person" if finding.at.session == context.session.id else "the agent that had asked for it"
        )
        how = (
            "no message followed"
            if finding.facts.get("cause") in ("no_message", "log_ends")
            else ("the turn ends in an empty message")
        )
        pieces += [f"{what} was cut off{at}", f"{reader} was told nothing: {how}"]
    elif rules["unverified-production-edit"]:
        edits = [f for f in story.findings if f.rule == "unverified-production-edit" and f.kind == "fault"]
        changed = [edited(context, story, finding) or subject for finding in edits]
        in_order = sorted(
            (one for one in changed if one is not None),
            key=lambda one: one.events[0].seq if one.events else 0,
        )
        targets = {id(one): one for one in in_order}
        what = states.together(list(targets.values())) if targets else "a production target"
        if len({one.name for one in targets.values()}) > 3:
            what = words.counted(len(targets), "target")
        late = [f for f in edits if f.facts.get("verified_at") is not None]
        many = len(targets) > 1
        times = "" if len(edits) == 1 or many else f" {words.number(len(edits))} times"
        where = " in production"
        unnamed = sum(finding.facts.get("environment") != "production" for finding in edits)
        if unnamed == len(edits):
            where = ", in an environment that the log does not name"
        elif unnamed:
            where = (
                f", {words.number(len(edits) - unnamed)} of {words.number(len(edits))} times in production"
            )
            times = ""
        pieces.append(f"{what} {'were' if many else 'was'} changed{times}{where}")
        it = "them" if many else "it"
        if not late:
            pieces.append(
                f"a check of {it} was tried and got no answer"
                if all(f.facts.get("tried_at") is not None for f in edits)
                else f"no check of {it} followed"
            )
        elif len(late) == len(edits):
            pieces.append(f"{'they were' if many else 'it was'} checked only after the person's next message")
        else:
            pieces.append(f"no check of {it} came before the person's next message")
    else:
        finding = min(
            (f for f in story.findings if f.kind == "fault"), key=lambda f: SEVERITIES.index(f.severity)
        )
        alike = sum(f.title == finding.title for f in story.findings)
        pieces.append(titled(context, finding, alike))
        names = {one for named in story.subjects for one in (named.name, named.target.host) if one}
        kept = any(re.match(rf"{re.escape(name)}(?![\w-])", pieces[0]) for name in names)
        if kept and len(pieces) == 1:
            # A name keeps its letters.
            return Statement(
                text=words.sentence(pieces[0], kept=True), certainty="derived", evidence=_once(evidence)
            )
    return Statement(
        text=words.sentence(
            ", and ".join(pieces) if len(pieces) < 3 else f"{pieces[0]}; {pieces[1]}, and {pieces[2]}"
        ),
        certainty="derived",
        evidence=_once(evidence),
    )


_AGAINST = ("destructive-without-confirmation", "instruction-violated")
"""Rules that tell what was done against the person's will: that comes before what was left unchecked."""
_MISSION = (
    "unacknowledged-long-running-restart",
    "empty-message-after-timeout",
    "unverified-production-edit",
)


def _before_all(story: Story) -> Finding | None:
    """The fault of another rule that says more of a story than what was left open or unchecked in it."""
    faults = [finding for finding in story.findings if finding.kind == "fault"]
    left = [SEVERITIES.index(finding.severity) for finding in faults if finding.rule in _MISSION]
    if not left:
        return None
    for finding in sorted(faults, key=lambda one: (one.rule not in _AGAINST, SEVERITIES.index(one.severity))):
        worse = SEVERITIES.index(finding.severity) - min(left)
        if finding.rule not in _MISSION and (worse < 0 or (finding.rule in _AGAINST and not worse)):
            return finding
    return None


def _once(evidence: Sequence[Evidence]) -> tuple[Evidence, ...]:
    """Each message once, in order of the log."""
    kept = {(at.session, at.message_index): at for at in reversed(evidence)}
    return tuple(sorted(kept.values(), key=lambda at: at.message_index or 0))


def _restarts(operations: Sequence[Operation], subjects: Sequence[Subject]) -> str:
    nouns = Counter(deeds.noun(op.event.command) for op in operations if isinstance(op.event, Ran))
    noun = nouns.most_common(1)[0][0] if len(nouns) == 1 else "start"
    limits = [
        op.event.call.cut_off.limit_ms
        for op in operations
        if isinstance(op.event, Ran)
        and op.event.call.cut_off is not None
        and op.event.call.cut_off.limit_ms is not None
    ]
    of = f" of {states.together(subjects)}" if subjects else ""
    if len(operations) == 1:
        who = f"The {noun}{of} was"
    elif len(operations) == len(subjects):
        # One on each: the list says how many.
        who = f"The {noun}s{of} were"
    else:
        who = f"{words.counted(len(operations), noun)}{of} were"
    ways = {operation.opened_by for operation in operations}
    if ways == {"cut_off"}:
        at = (
            f" after {words.listing(dict.fromkeys(words.duration(limit) for limit in limits))}"
            if limits
            else ""
        )
        return f"{who} cut off{at}"
    if ways == {"detached"}:
        return f"{who} left running in the background, never confirmed"
    if ways == {"connection_lost"}:
        return f"{who} cut short by a lost connection"
    return f"{who} left without a result"


def _unknown(context: Context, subjects: Sequence[Subject]) -> str:
    """How long subjects were in an unknown state, in words: of several that differ, those that were so longest."""
    alike: dict[str, list[Subject]] = {}
    longest: dict[str, tuple[bool, int, int]] = {}
    for subject in subjects:
        found = _longest(context, subject)
        if found is not None:
            alike.setdefault(found[0], []).append(subject)
            longest[found[0]] = found[1]
    if not alike:
        return ""
    length = max(longest, key=longest.__getitem__)
    noun = words.kind_of(subjects[0].target) or "target"
    if len(alike[length]) < len(subjects):
        whose = states.together(alike[length])
    else:
        whose = f"the {noun}" if len(subjects) < 2 else f"each {noun}"
    return f"the state of {whose} stayed unknown {length}"


def _longest(context: Context, subject: Subject) -> tuple[str, tuple[bool, int, int]] | None:
    """How long a subject was in an unknown state, in words, and to compare: whether to the end, messages, milliseconds."""
    best: tuple[int, int | None] | None = None
    ended = True
    run: list[states.Stretch] = []
    for stretch in [*states.stretches(context.graph, subject), None]:
        if stretch is not None and stretch.state in ("unknown", "unverified"):
            run.append(stretch)
            continue
        total = _length(context, run)
        if total is not None and (best is None or total[0] > best[0]):
            best = total
            ended = run[-1].end is not None
        run = []
    if best is None:
        return None
    # Clocks of a minute's or a day's grain tell of no time at all.
    lengths = [words.duration(best[1])] if best[1] else []
    if best[0]:
        lengths.append(words.counted(best[0], "message"))
    rank = (not ended, best[0], best[1] or 0)
    if not lengths:
        return None if ended else ("to the end of the log", rank)
    text = f"for {', '.join(lengths)}" if ended else f"to the end of the log ({', '.join(lengths)})"
    return text, rank


def _length(context: Context, run: Sequence[states.Stretch]) -> tuple[int, int | None] | None:
    """Messages and time from the first unknown stretch of a run to its end."""
    first = next((stretch for stretch in run if stretch.state == "unknown"), None)
    if first is None:
        return None
    last = run[-1]
    start = context.graph.moment(first.begin)
    stop = context.graph.finished(last.end) if last.end is not None else context.graph.ended
    time = stop - start if start is not None and stop is not None and stop >= start else None
    return states.between(context.graph, first.begin, last.end), time


def _quiet(context: Context) -> Statement:
    """The headline where no rule found a fault."""
    if not any(member.messages for member in context.session.family()):
        text = "This log holds no message of the session, so there was nothing to judge."
        return Statement(text=text, certainty="derived", evidence=(_end(context),))
    unable = {row.rule for row in context.audit.not_checkable}
    if unable & words.MISSION:
        text = (
            f"{words.counted(len(unable), 'rule')} could not judge this log, which does not record what they rest on; "
            "the others found no fault."
        )
        return Statement(text=words.sentence(text), certainty="derived", evidence=(_end(context),))
    still = [operation for operation in context.graph.ledger if operation.closing is None]
    if still:
        operation = still[-1]
        what = _what(operation)
        if operation.opened_by == "interrupted":
            at = context.places.of(operation.event)
            return Statement(
                text=f"No rule found a fault; in message {at.label} the person stopped {what}, and what became of it "
                "is not in the log.",
                certainty="derived",
                evidence=(at,),
            )
        many = f"{words.counted(len(still), 'operation')} never shown to end, the last of them {what}"
        text = (
            f"No rule found a fault; {what} was never shown to end"
            if len(still) == 1
            else (f"No rule found a fault; {many}")
        )
        return Statement(
            text=words.sentence(text), certainty="derived", evidence=(context.places.of(operation.event),)
        )
    interrupted = _interruptions(context)
    if interrupted:
        at = context.places.of(interrupted[-1])
        return Statement(
            text=f"No rule found a fault; the person stopped the agent at message {at.label}, "
            "and no operation is left open.",
            certainty="derived",
            evidence=(at,),
        )
    changes = [
        event
        for event in context.graph.events
        if isinstance(event, Ran) and event.change and not deeds.only_looks(event.command)
    ]
    if not changes:
        text = "No rule found a fault: nothing was changed, and nothing was left open."
        return Statement(text=text, certainty="derived", evidence=(_end(context),))
    opened = len(context.graph.ledger)
    made = f"{words.counted(len(changes), 'change')} {'was' if len(changes) == 1 else 'were'} made"
    ended = "and nothing was left open"
    if opened:
        each = "it was closed" if opened == 1 else "each was closed"
        vague = sum(operation.found == "unclear" for operation in context.graph.ledger)
        if vague:
            each += (
                ", with an unclear result"
                if opened == 1
                else f", {words.number(vague)} with an unclear result"
            )
        ended = f"{words.counted(opened, 'operation')} stayed open for a while, and {each}"
    text = f"No rule found a fault: {made}, {ended}."
    return Statement(
        text=text,
        certainty="derived",
        evidence=tuple(context.places.of(event) for event in changes[:SHOWN]),
    )


def _what(operation: Operation) -> str:
    event = operation.event
    if isinstance(event, Called):
        if event.line is not None and event.line.strip():
            return f"the command {words.code(words.clip(words.flat(event.line), 100))}"
        return f"the call of {words.code(event.call.name)}"
    target = operation.target
    named = f" of {words.target_of(target, event.command)}" if target.name or target.host else ""
    return f"the {deeds.noun(event.command)}{named}"


def lede(context: Context, told: Sequence[Story], most: int) -> tuple[Statement, ...]:
    """What else the first screen must say: what could not be read, further stories, crashed rules. ``most`` stories have a chapter."""
    found: list[Statement] = []
    unread = _unread(context)
    if unread:
        found.append(
            Statement(
                text=words.sentence(f"{words.counted(unread, 'place')} of the log could not be read"),
                certainty="observed",
                evidence=(
                    Evidence(session=context.session.id, label="what this log cannot show", anchor=LIMITS),
                ),
            )
        )
    faulty = [story for story in told if any(f.kind == "fault" for f in story.findings)]
    # A headline that sums up names them all.
    summed = len(faulty) >= MANY and _of_many(context, faulty) is not None
    if len(faulty) > 1 and not summed:
        rest = faulty[1:]
        found.append(
            Statement(
                text=words.sentence(
                    f"{words.counted(len(rest), 'more story', 'more stories')} with faults: see the chapters."
                ),
                certainty="derived",
                evidence=tuple(context.places.of(story.findings[0].at) for story in rest[:SHOWN]),
            )
        )
    if len(told) > most:
        beyond = told[most:]
        found.append(
            Statement(
                text=words.sentence(
                    f"{words.counted(len(beyond), 'milder story', 'milder stories')} without a chapter: "
                    "see the findings after the chapters."
                ),
                certainty="derived",
                evidence=tuple(context.places.of(story.findings[0].at) for story in beyond[:SHOWN]),
            )
        )
    if not faulty and told:
        found.append(
            Statement(
                text=words.sentence(
                    f"{words.counted(len(told), 'signal')} that no rule counts as a fault: see the "
                    f"{'chapter' if len(told) == 1 else 'chapters'}"
                ),
                certainty="derived",
                evidence=tuple(context.places.of(story.findings[0].at) for story in told[:SHOWN]),
            )
        )
    if context.audit.rule_errors:
        names = words.listing(words.code(error.rule) for error in context.audit.rule_errors)
        found.append(
            Statement(
                text=f"Some rules crashed and their findings are missing here: {names}.",
                certainty="observed",
                evidence=(_end(context),),
            )
        )
    if context.session.truncated:
        found.append(
            Statement(
                text="The log stops before its end: what came later is not in it.",
                certainty="observed",
                evidence=(_end(context),),
            )
        )
    return tuple(found)


# -- numbers and ledger -----------------------------------------------------------------------------


def numbers(context: Context) -> tuple[Number, ...]:
    """Faults by severity, operations never closed, longest unknown state, production targets touched."""
    faults = _faults(context)
    by_severity = Counter(finding.severity for finding in faults)
    detail = ", ".join(f"{by_severity[s]} {s}" for s in SEVERITIES if by_severity[s])
    still = [operation for operation in context.graph.ledger if operation.closing is None]
    longest = max(context.graph.ledger, key=lambda op: (op.open_ms or 0, op.open_messages), default=None)
    production = [subject for subject in context.subjects if _production(context, subject)]
    weighty = by_severity["critical"] + by_severity["high"]
    unknown, where = "none", "no operation was open"
    if longest is not None:
        unknown = (
            words.duration(longest.open_ms)
            if longest.open_ms
            else words.counted(longest.open_messages, "message")
            if longest.open_messages
            else "to the end"
        )
        lengths = [words.counted(longest.open_messages, "message")] if longest.open_messages else []
        if longest.closing is None:
            lengths.append("to the end of the log" if unknown != "to the end" else "of the log")
        begun = words.from_when(context.graph.moment(longest.event), context.session.started)
        lengths = [f"{', '.join(lengths)}{begun}" if lengths else begun.strip(" ()")]
        where = ", ".join(piece for piece in (*lengths, _what(longest)) if piece)
    return (
        Number(
            value=str(len(faults)),
            label="faults" if len(faults) != 1 else "fault",
            detail=detail or "none found",
            tone="bad" if weighty else "warn" if faults else "calm",
            evidence=tuple(context.places.of(finding.at) for finding in faults[:SHOWN]),
        ),
        Number(
            value=str(len(still)),
            label="never closed",
            detail=f"of {words.counted(len(context.graph.ledger), 'open operation')}"
            if context.graph.ledger
            else "no operation was left open",
            tone="warn" if still else "calm",
            evidence=tuple(context.places.of(operation.event) for operation in still[:SHOWN]),
        ),
        Number(
            value=unknown,
            label="longest unknown state",
            detail=where,
            tone="warn" if longest is not None and (faults or longest.closing is None) else "calm",
            evidence=() if longest is None else (context.places.of(longest.event),),
        ),
        Number(
            value=str(len(production)) + ("+" if context.left_out else ""),
            label="production targets touched" if len(production) != 1 else "production target touched",
            detail=words.listing([subject.spoken for subject in production[:3]])
            + (f" and {words.number(len(production) - 3)} more" if len(production) > 3 else "")
            or "none that the log shows",
            tone="calm",
            evidence=tuple(context.places.of(subject.events[0]) for subject in production[:SHOWN]),
        ),
    )


def _production(context: Context, subject: Subject) -> bool:
    return any(
        event.change
        and event.command.environment == "production"
        # A file of the project's own is none, whatever its name says (CONTRACT §5).
        and not (event.command.target.kind == "file" and in_working_copy(context.graph, event))
        for event in subject.events
    )


def ledger(context: Context) -> tuple[LedgerRow, ...]:
    """Open operations as a table, in order of the log; of many, those that are still open or went badly first."""
    operations = list(context.graph.ledger)
    if len(operations) > LANES:
        operations.sort(key=lambda one: (one.closing is not None, _FOUND.index(one.found or "good")))
    return tuple(_row(context, operation) for operation in operations)


_FOUND = ("bad", "unclear", "good")


def _row(context: Context, operation: Operation) -> LedgerRow:
    event = operation.event
    called = event if isinstance(event, Called) else event.call
    command = event.command if isinstance(event, Ran) else None
    target = operation.target
    name = (
        words.name_of(target, command)
        if command is not None and (target.name or target.host)
        else words.clip(words.flat(scene.line_of(called)), 60)
    )
    where = words.place_of(target).replace("`", "") if command is not None else ""
    opened_by = words.OPENED[operation.opened_by]
    if (
        called.cut_off is not None
        and called.cut_off.limit_ms is not None
        and operation.opened_by == "cut_off"
    ):
        opened_by = f"cut off at {words.duration(called.cut_off.limit_ms)}"
    told = operation.acknowledgement[0] if operation.acknowledgement is not None else None
    closing = operation.closing
    closed = "never, as far as the log shows"
    if closing is not None:
        found = f": {operation.found}" if operation.found is not None else ""
        how = {"check": "by a check", "result": "by its later result", "stop": "by stopping it", "none": ""}
        closed = f"{how[operation.closed_by]}{found}"
    lengths = []
    if operation.open_messages or operation.open_ms is None:
        lengths.append(words.counted(operation.open_messages, "message"))
    if operation.open_ms is not None:
        lengths.append(words.duration(operation.open_ms))
    if closing is None and not operation.open_messages and not operation.open_ms:
        lengths = ["to the end of the log"]
    return LedgerRow(
        target=name + where,
        action=deeds.noun(command) if command is not None else called.call.name,
        opened_by=opened_by,
        reached={"yes": "yes", "no": "no", "unknown": "not known"}[operation.reached],
        told="the person stopped it"
        if operation.opened_by == "interrupted"
        else f"message {context.places.of(told).label}"
        if told is not None
        else "nobody was told",
        closed=closed,
        unknown_for=", ".join(lengths)
        + words.from_when(context.graph.moment(operation.event), context.session.started),
        still_open=closing is None,
        opened_at=context.places.of(called, scene.line_of(called).strip()),
        told_at=None if told is None else context.places.of(told),
        closed_at=None if closing is None else context.places.of(closing),
    )


# -- conduct ----------------------------------------------------------------------------------------


def _interruptions(context: Context) -> list[Said | Called]:
    found: list[Said | Called] = []
    for event in context.graph.events:
        if (isinstance(event, Said) and event.opening and event.message.interruption) or (
            isinstance(event, Called) and event.call.interrupted
        ):
            found.append(event)
    return found


def conduct(context: Context) -> tuple[Section, ...]:
    """What went well, interruptions, and what was checked."""
    sections = (
        *repeated.sections(context),
        Section(heading="What went well", statements=tuple(_good(context))),
        Section(heading="Where the person stepped in", statements=tuple(_stepped_in(context))),
        Section(heading="What was asked, and what was done", statements=tuple(_turn_by_turn(context))),
        Section(heading="What was looked at", statements=tuple(_looked_at(context))),
    )
    return tuple(section for section in sections if section.statements)


TURNS = 12
"""Turns told one by one where no rule found a fault."""


def _turn_by_turn(context: Context) -> Iterator[Statement]:
    """A short account of a session that has no chapter to tell it."""
    if not all(aside(finding) for finding in context.findings):
        return
    turns = [turn for turn in context.graph.turns if turn.session == context.session.id and turn.number > 0]
    for turn in turns[:TURNS]:
        asked = turn.messages[0]
        at = context.places.of(asked)
        quote = scene.said_as(context, asked)
        opening = (
            f"In message {at.label} {scene.person(asked)} wrote {quote}"
            if quote
            else f"Message {at.label} holds no text"
        )
        commands = [ran for called in turn.calls for ran in context.graph.commands(called)]
        changes, checks = (
            sum(map(bool, one))
            for one in (
                [r.change and not deeds.only_looks(r.command) for r in commands],
                [r.seq in context.checks for r in commands],
            )
        )
        pieces = [words.counted(changes, "change")] if changes else []
        pieces += [words.counted(checks, "check")] if checks else []
        among = f", with {words.listing(pieces)}" if pieces else ""
        done = (
            f"{words.counted(len(turn.calls), 'call')} followed{among}" if turn.calls else "no call followed"
        )
        last = turn.messages[-1]
        ending = ", and the person stopped it" if turn.interrupted else ""
        yield Statement(
            text=f"{scene.closed(opening)} {words.sentence(done + ending)}",
            certainty="derived",
            evidence=(at,) if last.seq == asked.seq else (at, context.places.of(last)),
        )
    if len(turns) > TURNS:
        yield Statement(
            text=words.sentence(f"{words.counted(len(turns) - TURNS, 'more turn')} followed"),
            certainty="observed",
            evidence=(context.places.of(turns[-1].messages[0]),),
        )


def _good(context: Context) -> Iterator[Statement]:
    told = 0
    for operation in context.graph.ledger:
        if operation.acknowledgement is None or told >= SHOWN:
            continue
        said, act = operation.acknowledgement
        human = context.human_after(operation.event)
        if human is not None and said.seq > human.seq:
            continue
        told += 1
        at, opened = (
            context.places.of(said, scene.acting_sentence(context, said, act)),
            context.places.of(operation.event),
        )
        yield Statement(
            text=words.sentence(
                f"{_what(operation)}, left open in message {opened.label}, was told to the reader in message "
                f"{at.label}"
            ),
            certainty="derived",
            evidence=(at, opened),
        )
    for operation in [op for op in context.graph.ledger if op.closed_by == "check"][:SHOWN]:
        closing = operation.closing
        if closing is None:
            continue
        at = context.places.of(closing, closing.outcome.quote if isinstance(closing, Ran) else "")
        opened = context.places.of(operation.event)
        after = (
            f", {words.duration(operation.open_ms)} after it began," if operation.open_ms is not None else ""
        )
        reason = (
            operation.match.reason if operation.match is not None and operation.match.kind != "same" else ""
        )
        why = f" ({reason})" if reason else ""
        left = f"what message {opened.label} had left open"
        yield Statement(
            text=f"A check in message {at.label}{after} looked at {left}{why}, and its result is unclear."
            if operation.found == "unclear"
            else f"A check in message {at.label}{after} showed the state of {left}: {operation.found}{why}.",
            certainty="derived",
            evidence=(at, opened),
        )
    verified = [subject for subject in context.subjects if _verified(subject) is not None]
    for subject in verified[:SHOWN]:
        pair = _verified(subject)
        if pair is None or any(
            op.closing is not None and op.closing.seq == pair[1].seq for op in subject.operations
        ):
            continue
        change, check = context.places.of(pair[0]), context.places.of(pair[1], pair[1].outcome.quote)
        yield Statement(
            text=words.sentence(
                f"{subject.spoken}, changed in message {change.label}, was checked in message {check.label} "
                "and found good"
            ),
            certainty="derived",
            evidence=(check, change),
        )


def _verified(subject: Subject) -> tuple[Ran, Ran] | None:
    """The last change and the check right after it that found the subject good."""
    change = None
    pair = None
    for event in subject.events:
        if event.change:
            # A check after a commit tells of what was changed before it.
            change = change if deeds.records(event.command) else event
        elif event.check and change is not None and event.outcome.state == "good":
            if change.command.effect == "write_data" and of_schema(event):
                continue
            if event.command.check_strength in ("exercise", "state"):
                pair = (change, event)
            change = None
    return pair


def _stepped_in(context: Context) -> Iterator[Statement]:
    seen: set[tuple[str, int]] = set()
    count = 0
    for event in _interruptions(context):
        key = (event.at.session, event.at.message_index)
        if key in seen:
            continue
        seen.add(key)
        count += 1
        if count > SHOWN:
            continue
        calls = [
            call
            for call in context.message_events(*key)
            if isinstance(call, Called) and (call.call.interrupted or call.unfinished)
        ]
        at = context.places.of(event)
        running = ""
        if calls:
            at = context.places.of(calls[0], scene.line_of(calls[0]).strip())
            running = f" while {words.code(words.clip(words.flat(scene.line_of(calls[0])), 80))} was running"
        human = context.human_after(event)
        yield Statement(
            text=f"The person stopped the agent in message {at.label}{running}.",
            certainty="observed",
            evidence=(at,),
        )
        if human is not None:
            yield scene.request(context, human)
        else:
            yield Statement(
                text="The log ends there: nothing of the person follows.",
                certainty="observed",
                evidence=(_end(context),),
            )
        for operation in (context.operations[call.seq] for call in calls if call.seq in context.operations):
            if operation.closing is None:
                yield Statement(
                    text="What became of that command is not in the log.",
                    certainty="derived",
                    evidence=(context.places.of(operation.event),),
                )
    if count > SHOWN:
        yield Statement(
            text=words.sentence(f"{words.counted(count - SHOWN, 'more interruption')} followed."),
            certainty="observed",
            evidence=(_end(context),),
        )


def _looked_at(context: Context) -> Iterator[Statement]:
    """What the audit went through, so that a quiet page says why it is quiet."""
    if not context.session.messages:
        yield Statement(text="The log holds no messages.", certainty="observed", evidence=(_end(context),))
        return
    rules = tuple(rule.slug for rule in context.audit.rules)
    if rules:
        yield Statement(
            text=words.sentence(f"{words.counted(len(rules), 'rule')} looked at it"),
            certainty="observed",
            evidence=(_end(context),),
            names=rules,
        )
    events = context.graph.events
    calls = [event for event in events if isinstance(event, Called)]
    commands = [event for event in events if isinstance(event, Ran)]
    for found, text in (
        (
            calls,
            f"{words.counted(len(calls), 'call')} with {words.counted(len(commands), 'command')} {'was' if len(calls) == 1 else 'were'} read",
        ),
        ([e for e in commands if e.change and not deeds.only_looks(e.command)], "{} changed something"),
        ([e for e in commands if e.seq in context.checks], "{} told a state"),
        ([e for e in calls if e.cut_off is not None], "{} ended by a time limit"),
    ):
        if found:
            nouns = "call was" if len(found) == 1 else "calls were"
            names = {"{} changed something": ("command", ""), "{} told a state": ("check", "")}
            noun = names.get(text, ("", ""))[0]
            if noun:
                body = text.format(words.counted(len(found), noun))
            else:
                body = text.format(f"{words.number(len(found))} {nouns}")
            yield Statement(
                text=words.sentence(body),
                certainty="derived",
                evidence=tuple(context.places.of(event) for event in (found[0], found[-1])[: len(found)]),
            )


# -- limits -----------------------------------------------------------------------------------------


def limits(context: Context) -> tuple[Statement, ...]:
    """What this log cannot show: gaps, repairs, cut outputs, redactions, missing times."""
    return tuple(_limits(context))


def _limits(context: Context) -> Iterator[Statement]:
    session, places = context.session, context.places
    yield Statement(
        text="What happened outside the session, on other terminals or after its end, is not in the log.",
        certainty="derived",
        evidence=(_end(context),),
    )
    gaps = [(member, gap) for member in places.sessions.values() for gap in member.all_gaps()]
    for member, gap in gaps[:SHOWN]:
        yield Statement(
            text=words.sentence(f"Not readable: {words.label(gap.reason)}"),
            certainty="observed",
            evidence=(places.outside(member, gap.origin.line),),
        )
    if len(gaps) > SHOWN:
        yield Statement(
            text=words.sentence(f"{words.counted(len(gaps) - SHOWN, 'more gap')} in the log."),
            certainty="observed",
            evidence=(places.outside(gaps[-1][0], gaps[-1][1].origin.line),),
        )
    repairs = Counter(
        words.label(repair.kind) for member in places.sessions.values() for repair in member.repairs
    )
    if repairs:
        first = session.repairs[0] if session.repairs else None
        kinds = words.listing(f"{kind} ({count})" for kind, count in sorted(repairs.items()))
        yield Statement(
            text=f"The log was not well formed and was read loosely: {kinds}.",
            certainty="observed",
            evidence=(places.outside(session, first.origin.line if first is not None else None),),
        )
    cut: list[Evidence] = []
    unended: list[Evidence] = []
    timeless = total = thoughts = 0
    for member in places.sessions.values():
        for message in member.messages:
            total += 1
            timeless += message.time is None
            for part in message.parts:
                if isinstance(part, Call):
                    if part.truncated:
                        cut.append(places.of_message(member, message, call=part))
                    if part.status in ("pending", "running"):
                        unended.append(places.of_message(member, message, call=part))
                elif isinstance(part, Reasoning):
                    thoughts += part.text.blank()
    if cut:
        yield Statement(
            text=f"The client shortened the output of {words.counted(len(cut), 'call')}: "
            "the rest is not in the log.",
            certainty="observed",
            evidence=tuple(cut[:SHOWN]),
        )
    if unended:
        yield Statement(
            text=words.sentence(f"{words.counted(len(unended), 'call')} never got a result."),
            certainty="observed",
            evidence=tuple(unended[:SHOWN]),
        )
    if timeless:
        which = (
            "No message carries" if timeless == total else f"{words.counted(timeless, 'message')} carry no"
        )
        yield Statement(
            text=words.sentence(
                f"{which} a time, so lengths of time are missing there.".replace("no a time", "no time")
            ),
            certainty="observed",
            evidence=(_end(context),),
        )
    if thoughts:
        yield Statement(
            text=words.sentence(
                f"{words.counted(thoughts, 'piece')} of the model's reasoning {'stands' if thoughts == 1 else 'stand'} in the log without text."
            ),
            certainty="observed",
            evidence=(_end(context),),
        )
    reasons: dict[str, list[str]] = {}
    for row in context.audit.not_checkable:
        reasons.setdefault(row.reason, []).append(words.code(row.rule))
    for reason, rules in reasons.items():
        who = f"The rule {rules[0]}" if len(rules) == 1 else f"The rules {words.listing(rules)}"
        yield Statement(
            text=f"{who} could not judge this session: "
            f"{words.sentence(reason)[:1].lower()}{words.sentence(reason)[1:]}",
            certainty="observed",
            evidence=(_end(context),),
        )
    yield Statement(text=_redacted(context.audit.redactions), certainty="observed", evidence=(_end(context),))


def _redacted(redactions: Redacted | None) -> str:
    """What was taken out before anything was told."""
    if redactions is None:
        return "Redaction was off: secrets of the log, if it holds any, stand in this page."
    if not redactions.total:
        return "Nothing was found to redact."
    kinds = words.listing(
        f"{words.number(count)} of kind {kind}" for kind, count in redactions.by_kind.items()
    )
    return words.sentence(
        f"{words.counted(redactions.total, 'place')} hold{'s' if redactions.total == 1 else ''} a stand-in for what "
        f"was redacted, the same for the same secret: {kinds}"
    )


# -- margin notes -----------------------------------------------------------------------------------

_EARNED = frozenset({"edit", "read", "none"})


def notes(context: Context, chapters: dict[str, str]) -> dict[str, tuple[Note, ...]]:
    """Notes for the margin of the transcript, by anchor. ``chapters`` maps fingerprints to chapter anchors."""
    found: dict[str, list[Note]] = {}

    def add(at: Evidence, note: Note) -> None:
        if at.anchor is not None and note not in found.setdefault(at.anchor, []):
            found[at.anchor].append(note)

    for finding in context.findings:
        add(
            context.places.of(finding.at),
            Note(
                kind=finding.kind,
                text=words.flat(finding.title),
                severity=finding.severity,
                chapter=chapters.get(finding.fingerprint),
                fingerprint=finding.fingerprint,
            ),
        )
    for event in context.graph.events:
        if isinstance(event, Called) and event.cut_off is not None:
            limit = event.cut_off.limit_ms
            at = f" at {words.duration(limit)}" if limit is not None else ""
            add(context.places.of(event), Note(kind="cut_off", text=f"cut off{at}"))
        elif (
            isinstance(event, Ran)
            and event.change
            and event.command.target.name
            and not deeds.only_looks(event.command)
        ):
            local = event.command.environment in ("local", "development")
            if not (local and event.command.effect in _EARNED):
                name = words.clip(words.name_of(event.command.target, event.command), 60)
                text = f"{deeds.noun(event.command)} of {name}"
                add(context.places.of(event), Note(kind="change", text=text))
        elif isinstance(event, Ran) and event.check and context.subjects_of(event):
            name = words.clip(words.name_of(event.command.target, event.command), 60)
            text = f"check of {name}: {event.outcome.state}"
            add(context.places.of(event), Note(kind="check", text=text))
    for operation in context.graph.ledger:
        opened = context.places.of(operation.event)
        add(opened, Note(kind="open", text=f"left open: {words.OPENED[operation.opened_by]}"))
        if operation.acknowledgement is not None:
            add(
                context.places.of(operation.acknowledgement[0]),
                Note(kind="told", text=f"tells what message {opened.label} left open"),
            )
        if operation.closing is not None:
            add(
                context.places.of(operation.closing),
                Note(kind="closed", text=f"closes what message {opened.label} left open"),
            )
    return {anchor: tuple(kept) for anchor, kept in found.items()}
