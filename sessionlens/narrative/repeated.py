"""Starts of the same thing, statements put right, and looks that hid one another, as statements."""

from __future__ import annotations

from collections.abc import Iterator

from sessionlens.graph.repeats import Attempt, Attempts, Chain, Correction, attempts, chains, corrections
from sessionlens.narrative import words
from sessionlens.narrative.stories import Context
from sessionlens.narrative.views import Section, Statement

SHOWN = 6
"""Of each sort, at most this many are told."""
_LONGEST = 90


def sections(context: Context) -> tuple[Section, ...]:
    """What recurred, what was put right, what hid what; a section is there where it has something to tell."""
    return (
        Section(heading="Started several times", statements=tuple(_attempted(context))),
        Section(
            heading="Stated, and found otherwise by the assistant itself",
            statements=tuple(_corrected(context)),
        ),
        Section(heading="Looks that a failing first one hides", statements=tuple(_chained(context))),
    )


def of_message(context: Context, session: str, index: int) -> Iterator[Statement]:
    """What of this is about one message."""
    if session != context.session.id:
        return
    for group in _worth_telling(context):
        if any(index == one.start.at.message_index for one in group.attempts):
            yield from _group(context, group)
    for one in corrections(context.graph):
        told = one.told.at.message_index if one.told is not None else None
        if index in (one.claim.said.at.message_index, one.look.at.message_index, told):
            yield _correction(context, one)
    for chain in chains(context.graph):
        if index == chain.called.at.message_index:
            yield _chain(context, chain)


def _worth_telling(context: Context) -> list[Attempts]:
    """Starts of which one at least did not end well, and that were tried in another way: anything else is a routine,
    or what the chapters tell.
    """
    return [
        group
        for group in attempts(context.graph)
        if not all(one.good for one in group.attempts[:-1])
        and any(
            one.start.command.effect != "restart" and (one.added or one.left_out)
            for one in group.attempts[1:]
        )
    ]


def _attempted(context: Context) -> Iterator[Statement]:
    for group in _worth_telling(context)[:SHOWN]:
        yield from _group(context, group)


def _group(context: Context, group: Attempts) -> Iterator[Statement]:
    places = [context.places.of(one.start) for one in group.attempts]
    spoken = words.code(words.clip(group.target.name, 60))
    if group.target.host:
        spoken += f" on {words.code(group.target.host)}"
    labels = [place.label for place in places]
    where = f"in messages {words.listing(labels)}"
    if len(labels) > SHOWN:
        where = f"from message {labels[0]} to message {labels[-1]}"
    yield Statement(
        text=f"{spoken} was started {words.number(len(places))} times, {where}.",
        certainty="observed",
        evidence=tuple(places),
    )
    for number, one in enumerate(group.attempts[:SHOWN]):
        yield _attempt(context, one, number)


def _attempt(context: Context, one: Attempt, number: int) -> Statement:
    at = context.places.of(one.start)
    evidence = [at]
    pieces = []
    if number:
        changes = []
        if one.left_out:
            changes.append(f"without {words.code(words.clip(' '.join(one.left_out), _LONGEST))}")
        if one.added:
            changes.append(f"with {words.code(words.clip(' '.join(one.added), _LONGEST))}")
        pieces.append(
            f"The start in message {at.label} was made {' and '.join(changes) or 'with the same words'}"
        )
    else:
        pieces.append(f"The first one is that of message {at.label}")
    if one.telling is not None:
        told = context.places.of(one.telling, one.telling.outcome.quote)
        evidence.append(told)
        looked = len({look.call.seq for look in one.looks})
        which = (
            "the one look at it"
            if looked == 1
            else f"of {words.number(looked)} looks at it the one that tells most"
        )
        pieces.append(f"{which}, in message {told.label}, found it {one.telling.outcome.state}")
    elif one.looks:
        evidence.append(context.places.of(one.looks[-1]))
        pieces.append("no look at it showed whether it was good or bad")
    else:
        pieces.append("nothing in the log looked at it afterwards")
    if one.stopped is not None:
        end = context.places.of(one.stopped)
        evidence.append(end)
        verb = "stopped" if one.stopped.command.effect == "stop" else "followed by the next change"
        pieces.append(f"it was {verb} in message {end.label}")
    return Statement(text="; ".join(pieces) + ".", certainty="derived", evidence=tuple(evidence))


def _corrected(context: Context) -> Iterator[Statement]:
    for one in corrections(context.graph)[:SHOWN]:
        yield _correction(context, one)


def _correction(context: Context, one: Correction) -> Statement:
    said = context.places.of(one.claim.said, one.claim.sentence.strip())
    look = context.places.of(one.look, one.look.outcome.quote)
    evidence = [said]
    quote = words.clip(words.flat(one.claim.sentence), 120)
    text = f"In message {said.label} the assistant stated “{quote}”"
    if one.noticed is not None:
        noticed = context.places.of(one.noticed)
        evidence.append(noticed)
        what = "showed nothing" if one.noticed.shows_nothing else "failed"
        text += f"; its own test in message {noticed.label} {what}"
    evidence.append(look)
    later = words.counted(one.messages_later, "message")
    text += f"; the look in message {look.label}, {later} later, found it bad"
    if one.told is not None:
        told = context.places.of(one.told)
        evidence.append(told)
        text += f", and message {told.label} says so"
    return Statement(
        text=f"{text}. The person had not asked in between.", certainty="derived", evidence=tuple(evidence)
    )


def _chained(context: Context) -> Iterator[Statement]:
    for chain in chains(context.graph)[:SHOWN]:
        yield _chain(context, chain)


def _chain(context: Context, chain: Chain) -> Statement:
    at = context.places.of(chain.called)
    looks = words.listing(words.code(words.clip(" ".join(look.command.words), 60)) for look in chain.looks)
    code = chain.called.call.exit
    ended = f"ended with code {code}" if code not in (0, None) else "showed nothing"
    return Statement(
        text=f"The {words.number(len(chain.looks))} looks of message {at.label}, {looks}, are joined by `&&`: each runs "
        f"only after the one before it succeeded. The line {ended}, so a failing first one hides the others, and their "
        "silence tells nothing.",
        certainty="derived",
        evidence=(at,),
    )
