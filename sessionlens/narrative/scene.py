"""What one operation or edit looked like: the steps of a story, each told from the log alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from sessionlens.cache import lazy
from sessionlens.findings import Finding
from sessionlens.graph.events import Called, Operation, Ran, Said
from sessionlens.graph.mentions import mentioned, mentions
from sessionlens.language.acts import ACKNOWLEDGING, Act
from sessionlens.narrative import deeds, states, words
from sessionlens.narrative.states import Subject
from sessionlens.narrative.stories import BACKUP, COPYING, Context
from sessionlens.narrative.views import Certainty, Statement

if TYPE_CHECKING:
    from sessionlens.narrative.claimed import Claimed

CAUSES = {
    "model_returned_nothing": "The log shows that the generation finished normally and held nothing",
    "reasoning_only": "The log holds reasoning of the model there, which the person does not see as an answer",
    "generation_incomplete": "The log shows a generation that never completed",
    "provider_error": "The log shows an error of the model's provider there",
    "stream_ended_unknown": "The log shows that the generation stopped without a known reason",
    "user_interrupt": "The log shows that the person interrupted",
    "no_message": "The turn ends on the call itself; no assistant message follows",
    "log_ends": "The log stops right there, so a later message may exist elsewhere",
    "not_recorded": "This log's format does not record how the generation ended",
}
"""What is known of an empty message, by the rule's ``facts.cause``."""


def prose(context: Context, said: Said) -> str:
    """What a role wrote in an event."""
    return context.graph.prose(said)


def quote_of(text: str) -> str:
    """The first sentence of a text, exact, for a quote."""
    return words.first_sentence(text)[0]


def acting_sentence(context: Context, said: Said, act: Act) -> str:
    """The sentence in which a text does something, exact; else the words that show it."""
    text = prose(context, said)
    for sentence in context.graph.reading(said).sentences:
        if sentence.span[0] <= act.span[0] and act.span[1] <= sentence.span[1]:
            whole = text[sentence.span[0] : sentence.span[1]].strip()
            if 0 < len(whole) <= 200:
                return whole
    return text[act.span[0] : act.span[1]] or quote_of(text)


def said_as(context: Context, said: Said) -> str:
    """A message's words in quotation marks, or that it has none."""
    text = quote_of(prose(context, said))
    return words.quoted(text, 160) if text else ""


def line_of(called: Called) -> str:
    """The command line of a call, or the tool and its input, for a quote."""
    return called.line if called.line is not None else called.call.input.head


NOBODY = "somebody whose role the log does not tell"


def person(said: Said) -> str:
    """Who wrote what opens a turn: the person, unless the log does not tell the role and only the order speaks for it."""
    return "the person" if said.role_known else NOBODY


def assistant(said: Said) -> str:
    """Who wrote prose of the assistant's, unless the log does not tell the role."""
    return "the assistant" if said.role_known else NOBODY


def request(context: Context, human: Said) -> Statement:
    """What the person had asked."""
    at = context.places.of(human, quote_of(prose(context, human)))
    quote = said_as(context, human)
    if not quote:
        text = words.sentence(f"{person(human)} had sent message {at.label}, which holds no text")
    elif len(prose(context, human).strip()) <= 160:
        text = f"In message {at.label} {person(human)} wrote {quote}"
    else:
        text = f"In message {at.label} {person(human)} began with {quote}"
    return Statement(text=closed(text), certainty="observed", evidence=(at,))


def also_asked(context: Context, human: Said, quotes: Iterable[str]) -> Iterator[Statement]:
    """Further words of a message of the person that findings rest on, where :func:`request` does not show them."""
    shown = quote_of(prose(context, human))
    for quote in dict.fromkeys(quotes):
        if quote in shown:
            continue
        at = context.places.of(human, quote)
        text = closed(f"It also said {words.quoted(quote, 160)}")
        yield Statement(text=text, certainty="observed", evidence=(at,))


def closed(text: str) -> str:
    """A full stop, unless a quotation already ends the sentence."""
    if text.endswith(("”", "…")):
        return text if text[-2] in ".?!…" else text + "."
    return words.sentence(text)


def ran(
    context: Context, called: Called, acting: Sequence[Ran], operations: Sequence[Operation]
) -> Statement:
    """What was run."""
    at = context.places.of(called, line_of(called).strip())
    opened = {operation.event.seq for operation in operations}
    leading = [event for event in acting if event.seq in opened] or list(acting)
    if not leading:
        what = f"called {words.code(called.call.name)}"
        if called.line is not None and called.line.strip():
            what = f"ran {words.code(words.clip(words.flat(called.line), 100))}"
        return Statement(
            text=f"In message {at.label} the assistant {what}.",
            certainty="observed",
            evidence=(at,),
            step=True,
        )
    phrases: list[str] = []
    for event in acting:
        if event.command.effect == "configure" and event.command.restarts_in_effect and len(acting) > 1:
            continue
        edits = event.command.effect == "edit" and event.command.target.kind == "file"
        phrase = deeds.told(event.command, done=event.seq not in opened and (event.succeeded or edits))
        if phrase not in phrases:
            phrases.append(phrase)
    sure = all(event.command.confidence == "high" for event in leading)
    return Statement(
        text=f"In message {at.label} the assistant {words.listing(phrases[:5])}.",
        certainty="observed" if sure else "derived",
        evidence=(at,),
        step=True,
    )


def environment(context: Context, subject: Subject) -> Statement | None:
    """Which environment the target counts as, and what says so."""
    kind, reason = subject.environment
    event = next((e for e in subject.events if e.command.environment == kind), None)
    if event is None:
        return None
    certainty: Certainty = "derived" if event.command.confidence != "low" else "inferred"
    at = context.places.of(event)
    if kind == "unknown":
        # What no command says the person may have said.
        around = context.graph.setting(event)
        if around.reason.startswith("the person said so"):
            kind, reason = around.environment, around.reason
    if kind == "unknown":
        return Statement(
            text=f"Nothing in the log says which environment {subject.spoken} belongs to.",
            certainty="derived",
            evidence=(at,),
        )
    why = f": {reason}" if reason else ""
    return Statement(
        text=words.sentence(f"{subject.spoken} counts as {kind}{why}"), certainty=certainty, evidence=(at,)
    )


def precautions(
    context: Context, edit: Ran, effective: Ran | None, subject: Subject | None
) -> Iterator[Statement]:
    """Whether an edit in place had a copy, a configuration test or a staging step, as far as the log shows."""
    name = edit.command.target.name
    if BACKUP.search(name):
        # It is the copy.
        return
    base = name.rsplit("/", 1)[-1]
    at = context.places.of(edit)
    last = max(effective.seq if effective is not None else len(context.graph.events), edit.seq)

    def before(event: Ran) -> bool:
        return event.seq < last and (event.seq < edit.seq or event.call.seq == edit.call.seq)

    copy = next((one for one in context.copying if before(one) and _copies(one, name, base)), None)
    staged = next((one for one in context.staged if before(one)), None)
    known = subject.events if subject is not None else ()
    tested = next(
        (
            event
            for event in known
            if edit.seq < event.seq < last and event.command.check_strength == "exercise"
        ),
        None,
    )
    for found, text in (
        (copy, _copied(copy, base)),
        (tested, "The configuration was tested in message"),
        (staged, "A change in staging came before, in message"),
    ):
        if found is not None:
            place = context.places.of(found, line_of(found.call).strip())
            yield Statement(text=f"{text} {place.label}.", certainty="derived", evidence=(place,))
    missing = [
        what
        for found, what in (
            (copy, "no copy of the file"),
            (tested, "no configuration test"),
            (staged, "no staging step"),
        )
        if found is None
    ]
    if missing:
        scope = "" if effective is None else f" and before message {context.places.of(effective).label}"
        put = "the edit was made in place" if copy is None else "around the edit"
        lead = f"As far as the log shows, {put}" if copy is None else "As far as the log shows, there is"
        rest = (
            f", with {words.listing(missing)} before it{scope}"
            if copy is None
            else f" {words.listing(missing)}"
        )
        evidence = (at,) if effective is None else (at, context.places.of(effective))
        yield Statement(text=f"{lead}{rest}.", certainty="derived", evidence=evidence)


def _copied(copy: Ran | None, base: str) -> str:
    """How a copy was made: what was moved is no longer in its place."""
    moved = copy is not None and copy.command.program in ("mv", "move")
    return (
        f"{words.code(base)} was moved aside in message"
        if moved
        else f"A copy of {words.code(base)} was made in message"
    )


def _copies(event: Ran, name: str, base: str) -> bool:
    words_ = event.command.words
    named = any((name and word in (name, base)) or word.endswith("/" + base) for word in words_[1:] if base)
    if named and event.command.program in COPYING:
        return True
    target = event.command.target.name
    return (
        event.command.effect == "edit" and target != name and base in target and bool(BACKUP.search(target))
    )


def ended(context: Context, operation: Operation, *, named: bool = False) -> Iterator[Statement]:
    """What ended or detached it, at which limit, and whether it was reached.

    ``named`` says of which target, where its command line left several open.
    """
    event = operation.event
    called = event if isinstance(event, Called) else event.call
    at = context.places.of(called)
    noun = deeds.noun(event.command) if isinstance(event, Ran) else "command"
    if named and isinstance(event, Ran):
        noun = f"{noun} of {words.target_of(operation.target, event.command)}"
    if operation.opened_by == "cut_off" and called.cut_off is not None:
        cut = called.cut_off
        limit = f" of {words.duration(cut.limit_ms)}" if cut.limit_ms is not None else ""
        who = "The client" if cut.by == "client" else "A limit inside the command line"
        how = (
            f"ended it at its time limit{limit}"
            if cut.by == "client"
            else f"ended it{limit and ' after' + limit[3:]}"
        )
        yield Statement(
            text=f"{who} {how}.",
            certainty="observed" if cut.confidence == "high" else "derived",
            evidence=(context.places.of(called, cut.quote),),
        )
    elif operation.opened_by == "detached":
        yield Statement(
            text=f"It was left running in the background: the result of the call does not show whether the {noun} "
            "came to its end.",
            certainty="derived",
            evidence=(at,),
        )
    elif operation.opened_by == "connection_lost":
        output = called.call.output.end() if called.call.output is not None else ""
        yield Statement(
            text="The connection to the host was lost while it ran.",
            certainty="derived",
            evidence=(context.places.of(called, output.strip()[-200:].lstrip()),),
        )
    elif operation.opened_by == "interrupted":
        yield Statement(text="The person interrupted it.", certainty="observed", evidence=(at,))
    else:
        begun = called.call.output is not None and not called.call.output.blank()
        text = (
            "The log holds what the call had printed so far, and no end of it."
            if begun
            else "The log holds no result for the call."
        )
        yield Statement(text=text, certainty="observed", evidence=(at,))
    if isinstance(event, Ran) and operation.opened_by in ("cut_off", "connection_lost", "interrupted"):
        output = called.call.output.head if called.call.output is not None else ""
        notice = output.find(called.cut_off.quote) if called.cut_off is not None else -1
        # What stands before the client's own words is the command's.
        printed = re.sub(r"<\w+>", "", output[:notice] if notice >= 0 else output).strip()
        shown = bool(event.outcome.quote or printed)
        texts = {
            "yes": f"Its output shows that the {noun} had begun."
            if shown
            else f"Nothing stood before the {noun} in the command line; its output does not show how far it came.",
            "no": f"Its output shows that the {noun} itself was not reached.",
            "unknown": f"Its output does not tell whether the {noun} itself had begun by then.",
        }
        yield Statement(
            text=texts[operation.reached],
            certainty="derived",
            evidence=(context.places.of(called, event.outcome.quote),),
        )


def earlier(context: Context, operation: Operation, subject: Subject, told: set[int]) -> Iterator[Statement]:
    """How long earlier runs of the same operation took, so that the limit could not have sufficed.

    ``told`` holds the runs that the chapter has told already.
    """
    event = operation.event
    if not isinstance(event, Ran):
        return
    limit = event.call.cut_off.limit_ms if event.call.cut_off is not None else None
    slow = [run for start in _starts(subject, event) if (run := _watched(context, subject, start, event))]
    if slow:
        start, waiting, waited, up, took = max(slow, key=lambda run: run[2])
        at, seen = context.places.of(start), context.places.of(waiting, waiting.outcome.quote)
        evidence = [at, seen]
        done = ""
        if start.seq in told:
            if limit is not None and waited > limit:
                yield Statement(
                    text=f"{words.duration(limit)} could not have sufficed either, by the time that the "
                    f"{deeds.noun(start.command)} in message {at.label} took.",
                    certainty="derived",
                    evidence=(at, context.places.of(waiting)),
                )
            return
        told.add(start.seq)
        if up is not None and took is not None:
            good = context.places.of(up, up.outcome.quote)
            evidence.append(good)
            done = f", and was first shown up after {words.duration(took)}, in message {good.label}"
        yield Statement(
            text=f"An earlier {deeds.noun(start.command)} of the same target, in message {at.label}, was "
            f"not yet up {words.duration(waited)} later, in message {seen.label}{done}."
            f"{_verdict(limit, waited)}",
            certainty="derived",
            evidence=tuple(evidence),
        )
        return
    runs = [
        (start, took)
        for target in subject.targets[:4]
        for start, took in context.graph.earlier_runs(target, event)
    ]
    if not runs:
        return
    start, took = max(runs, key=lambda run: run[1])
    operation_ = context.operations.get(start.seq)
    closing = operation_.closing if operation_ is not None else None
    places = [context.places.of(start)]
    if isinstance(closing, Ran):
        places.append(context.places.of(closing, closing.outcome.quote))
    yield Statement(
        text=f"An earlier {deeds.noun(start.command)} of the same target, in message {places[0].label}, "
        f"took {words.duration(took)} until the log showed it done.{_verdict(limit, took)}",
        certainty="derived",
        evidence=tuple(places),
    )


def _verdict(limit: int | None, took: int) -> str:
    if limit is None or took <= limit:
        return ""
    return f" By that measure a limit of {words.duration(limit)} could not have sufficed."


def _starts(subject: Subject, before: Ran) -> list[Ran]:
    return [event for event in subject.events if event.start and event.call.seq < before.call.seq]


def _watched(
    context: Context, subject: Subject, start: Ran, before: Ran
) -> tuple[Ran, Ran, int, Ran | None, int | None] | None:
    """A start that checks then showed still on its way: the last such check with its time, and the first that
    showed it up. ``None`` when no check showed it on its way before the next change.
    """
    begun = context.graph.moment(start)
    if begun is None:
        return None
    waiting: tuple[Ran, int] | None = None
    for event in subject.events:
        if event.seq <= start.seq:
            continue
        if event.call.seq >= before.call.seq or (event.change and event.call.seq != start.call.seq):
            break
        shown = context.graph.finished(event)
        if shown is None or event.command.check_strength is None:
            continue
        if event.outcome.in_progress or event.outcome.state == "bad":
            waiting = (event, shown - begun)
        elif event.outcome.state == "good" and waiting is not None:
            return start, *waiting, event, shown - begun
    return None if waiting is None else (start, *waiting, None, None)


def seen_by_reader(
    context: Context,
    operation: Operation,
    until: Said | None,
    findings: Sequence[Finding],
    claimed: Claimed,
) -> Iterator[Statement]:
    """What the reader of the chat saw between the operation and the person's next message.

    A claim of success that ``claimed`` still has to tell is told here, with its evidence, instead of its bare words.
    """
    event = operation.event
    called = event if isinstance(event, Called) else event.call
    written = list(context.said_between(called, until))
    spoken = [said for said in written if prose(context, said).strip()]
    before = (
        f" before the person's next message, {context.places.of(until).label}" if until is not None else ""
    )
    what = words.OPENED[operation.opened_by]
    told = operation.acknowledgement
    if told is not None and (until is None or told[0].seq < until.seq):
        said, act = told
        at = context.places.of(said, acting_sentence(context, said, act))
        yield Statement(
            text=f"Message {at.label} told the reader: {words.quoted(at.quote, 160)}"
            + ("" if at.quote.endswith((".", "!", "?", "…")) else "."),
            certainty="derived",
            evidence=(at,),
        )
        return
    closing = operation.closing
    if closing is not None and (until is None or closing.seq < until.seq):
        seen = context.places.of(closing, states.quote_of(closing))
        shown = f" and found it {operation.found}" if operation.found is not None else ""
        shown = "" if states.of_structure(closing) else shown
        yield from claimed.until(closing.seq)
        yield Statement(
            text=f"The assistant looked after it in message {seen.label}{shown}.",
            certainty="derived",
            evidence=(seen,),
        )
        if spoken:
            at = context.places.of(spoken[-1], quote_of(prose(context, spoken[-1])))
            yield from _or_claims(
                context,
                spoken[-1],
                Statement(
                    text=closed(f"It wrote in message {at.label}: {said_as(context, spoken[-1])}"),
                    certainty="observed",
                    evidence=(at,),
                ),
                claimed,
            )
        return
    empty = [said for said in written if said.message.empty and said.opening]
    if not spoken:
        yield from _silent(context, called, empty, before=before, what=what, findings=findings)
        return
    last = spoken[-1]
    at = context.places.of(last, quote_of(prose(context, last)))
    of_success = any(claim.said.seq == last.seq for claim in claimed)
    wrote = Statement(
        text=words.sentence(f"{assistant(last)} wrote {said_as(context, last)} in message {at.label}")
        if len(spoken) == 1
        else f"The assistant wrote {words.counted(len(spoken), 'text')}{before}, the last in message {at.label}: "
        f"{said_as(context, last)}",
        certainty="observed",
        evidence=(at,),
    )
    yield from _or_claims(context, last, wrote, claimed)
    if called.depth:
        yield from _passed_on(context, operation, spoken)
        return
    acts = [act for said in spoken for act in context.graph.reading(said).acts()]
    text = "Nothing in it tells the reader that the outcome is open"
    if any(act.act in ACKNOWLEDGING for act in acts):
        text = "What it tells the reader is about something else"
    elif not of_success and acts and len(spoken) == 1 and all(act.act == "claims_success" for act in acts):
        text = "It claims success; nothing in it tells the reader that the outcome is open"
    yield Statement(
        text=f"{text}.",
        certainty="inferred",
        evidence=tuple(context.places.of(said) for said in spoken[:3]),
    )


def _or_claims(context: Context, said: Said, wrote: Statement, claimed: Claimed) -> Iterator[Statement]:
    """What was written in a message, then the claims in it; claims alone where they quote just that."""
    if not claimed.repeats(said, quote_of(prose(context, said))):
        yield wrote
    yield from claimed.of(said)


def _passed_on(context: Context, operation: Operation, spoken: Sequence[Said]) -> Iterator[Statement]:
    """In a child session the reader is the agent that started it: what it was told, and what it passed on."""
    event = operation.event
    told = [said for said in spoken if context.graph.acknowledges(said, operation) is not None]
    if told:
        at = context.places.of(told[0])
        yield Statement(
            text=f"So message {at.label} told the agent that had started the child session.",
            certainty="derived",
            evidence=(at,),
        )
    human = context.human_after(event)
    last = human.seq if human is not None else len(context.graph.events)
    above = [
        said
        for said in context.graph.events[event.seq : last]
        if isinstance(said, Said)
        and said.depth == 0
        and said.role == "assistant"
        and prose(context, said).strip()
    ]
    if not above:
        return
    at = context.places.of(above[-1], quote_of(prose(context, above[-1])))
    yield Statement(
        text=closed(f"The person read, in message {at.label}: {said_as(context, above[-1])}"),
        certainty="observed",
        evidence=(at,),
    )
    if context.graph.acknowledges(above[-1], operation) is None:
        yield Statement(
            text="Nothing in it tells the person that the outcome is open.",
            certainty="inferred",
            evidence=(at,),
        )


def said_after(context: Context, called: Called, until: Said | None, claimed: Claimed) -> Iterator[Statement]:
    """What the assistant wrote after a call and before the person's next message."""
    spoken = [said for said in context.said_between(called, until) if prose(context, said).strip()]
    if spoken:
        at = context.places.of(spoken[-1], quote_of(prose(context, spoken[-1])))
        wrote = Statement(
            text=closed(
                f"After it {assistant(spoken[-1])} wrote {said_as(context, spoken[-1])} in message {at.label}"
            ),
            certainty="observed",
            evidence=(at,),
        )
        yield from _or_claims(context, spoken[-1], wrote, claimed)


def _silent(
    context: Context,
    called: Called,
    empty: Sequence[Said],
    *,
    before: str,
    what: str,
    findings: Sequence[Finding],
) -> Iterator[Statement]:
    if not empty:
        at = context.places.of(called)
        yield Statement(
            text=f"No assistant message with text follows it{before}: nothing told the person.",
            certainty="observed",
            evidence=(at,),
        )
        return
    places = tuple(context.places.of(said) for said in empty[:4])
    names = words.listing(place.label for place in places)
    many = len(places) > 1
    yield Statement(
        text=f"{'Messages' if many else 'Message'} {names} {'are' if many else 'is'} empty: no text and no call. "
        f"Nothing else came from the assistant{before}.",
        certainty="observed",
        evidence=places,
    )
    yield Statement(
        text=f"So nothing told the person that the command had been {what}."
        if what.startswith(("cut", "inter", "left"))
        else "So nothing told the person what had become of it.",
        certainty="derived",
        evidence=(places[-1], context.places.of(called)),
    )
    for finding in findings:
        cause = finding.facts.get("cause")
        if (
            cause in CAUSES
            and cause != "not_recorded"
            and any(place.message_index == finding.at.message_index for place in places)
        ):
            yield Statement(
                text=CAUSES[cause] + ".", certainty="observed", evidence=(context.places.of(finding.at),)
            )


_SHORT = 4
"""A question of at most so many words that names nothing else, such as “is it up?”, is about the state at hand."""
_WORD = lazy(r"[^\W\d_][\w'’-]*")


def _asks_of(context: Context, sentence: str, subject: Subject | None) -> bool:
    """Whether a question for a state is for that of a subject: it names it, or is too short to name another."""
    spoken = " ".join(sentence.split())
    if subject is not None:
        names = frozenset().union(*(mentions(context.graph, target) for target in subject.targets[:8]))
        if mentioned(spoken, names):
            return True
        if subject.target.kind in spoken.casefold():
            return True
    # Where words are not set apart by spaces, signs are counted instead.
    return len(_WORD.findall(spoken)) <= _SHORT and len(spoken) <= 40


def followed_by(
    context: Context, operation: Operation, human: Said, subject: Subject | None
) -> Iterator[Statement]:
    """What the person did next, and what that was built on."""
    event = operation.event
    at = context.places.of(human)
    finished, spoke = context.graph.finished(event), context.graph.moment(human)
    later = ""
    if finished is not None and spoke is not None and spoke >= finished:
        later = f", {words.duration(spoke - finished)} later"
    quote = said_as(context, human)
    yield Statement(
        text=closed(
            words.sentence(f"{person(human)} next wrote {quote} in message {at.label}{later}")
            if quote
            else words.sentence(f"{person(human)} next sent message {at.label}, which holds no text{later}")
        ),
        certainty="observed",
        evidence=(context.places.of(human, quote_of(prose(context, human))),),
        step=True,
    )
    over = operation.closing is not None and operation.closing.seq < human.seq
    told = operation.acknowledgement is not None and operation.acknowledgement[0].seq < human.seq
    if over:
        return
    reading = context.graph.reading(human)
    name = subject.name_in_code if subject is not None else "what it acted on"
    asking = [
        sentence.text for sentence in reading.sentences if any(a.act == "asks_state" for a in sentence.acts)
    ]
    if any(_asks_of(context, sentence, subject) for sentence in asking):
        text = f"It asks how things stand, and nothing in the log had told the state of {name}."
    elif asking:
        text = f"It asks a question that does not name {name}; nothing in the log had told its state."
    elif told:
        text = f"By then the reader had been told; the state of {name} was still unknown."
    elif context.graph.handling(operation).built_on == "person":
        text = f"It does not ask for the state: {person(human)} built on an unknown state of {name}."
    else:
        text = f"It goes on without asking for the state of {name}, which was still unknown."
    yield Statement(
        text=text, certainty="inferred" if not told else "derived", evidence=(at, context.places.of(event))
    )
