"""How an open operation was handled in the time the assistant had for it, and who built on it afterwards.

The assistant's time ends at the next human message or at the next change of the same target (CONTRACT §5).
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Literal

import msgspec

from sessionlens import language
from sessionlens.cache import lazy
from sessionlens.graph.events import Called, Event, Operation, Ran, Said
from sessionlens.graph.ledger import polled_output, said_of_another
from sessionlens.graph.mentions import mentioned, mentions
from sessionlens.graph.own_containers import followed
from sessionlens.graph.queries import (
    Window,
    any_command,
    assistant,
    assistant_prose,
    change,
    human,
    polls,
    told_state,
)
from sessionlens.graph.reboots import lets_in
from sessionlens.graph.verification import tried
from sessionlens.language.acts import ACKNOWLEDGING
from sessionlens.shell.command import calls_off, tests_files

if TYPE_CHECKING:
    from sessionlens.graph.session_graph import SessionGraph
    from sessionlens.targets import Target


class Handling(msgspec.Struct, frozen=True, kw_only=True):
    """What came after an open operation, within the assistant's time for it."""

    operation: Operation
    """The operation."""
    check: Ran | None
    """The first check of the target's neighbourhood; of a container of the session's own, the first command that it
    answered, or that took it away.
    """
    polled: Called | None
    """The first poll of the same process that showed something."""
    tried: Ran | None
    """The first check of the target's neighbourhood that got no answer, so that it is none."""
    told: Said | None
    """The first prose that tells the reader."""
    late: Said | None
    """Where nobody was told in time: the first prose after the next change, in the same turn, that tells the reader."""
    sent: Called | None
    """Where nobody was told: the first message to people of which the log does not show that it arrived, or what it says."""
    rerun: Called | None
    """The identical command, given more time or run in the background: a way of following up."""
    stopped: Ran | None
    """The target was stopped, and that worked."""
    change: Ran | None
    """The change of the same target that ended the time."""
    human: Said | None
    """The human message that ended the time, or came after it."""
    spoke: Said | None
    """The first assistant message in that time: what the reader saw instead."""
    built_on: Literal["person", "change"] | None
    """Who built on the unknown state: the person's next request led to a change of the target before anything
    told its state, or the assistant changed it within the same turn.
    """
    building: Event | None
    """The human message or the change that built on it."""
    readable: bool
    """Whether all that was said in that time could be read, and in a known language."""

    @property
    def followed_up(self) -> bool:
        """Whether the assistant checked, told, ran it again with more time, or stopped it."""
        return any(
            event is not None for event in (self.check, self.polled, self.told, self.rerun, self.stopped)
        )


def handling(graph: SessionGraph, operation: Operation) -> Handling:
    """How an operation was handled."""
    opener = operation.event
    call = opener.call if isinstance(opener, Ran) else opener
    # The rest of its own command line may check it, but does not end the assistant's time.
    later = graph.after(call)
    next_change = _next_change(later.until(human), operation)
    boundary = min(
        (event.seq for event in (next_change, later.first(human)) if event is not None),
        default=len(graph.events),
    )
    window = Window(graph, opener.seq, boundary)
    starts = isinstance(opener, Ran) and opener.start
    looks = window.all(told_state(operation.target))
    checked = next(
        (look for look in looks if not (starts and isinstance(look, Ran) and tests_files(look.command))), None
    ) or answer(window, operation.target)
    if checked is None and isinstance(opener, Ran) and graph.in_own_container(opener):
        checked = followed(graph, opener)
    told = next(
        (
            said
            for said in window.all(assistant_prose)
            if isinstance(said, Said) and graph.acknowledges(said, operation)
        ),
        None,
    )
    spoke = Window(graph, call.seq, boundary).first(assistant)
    next_human = graph.next_human(opener)
    built_on, building = _built_on(graph, operation, call, next_change)
    return Handling(
        operation=operation,
        check=checked if isinstance(checked, Ran) else None,
        polled=_polled(window, call),
        tried=tried(graph, Window(graph, call.seq, boundary), operation.target),
        told=told,
        late=_late(graph, operation, next_change) if told is None else None,
        sent=_sent(graph, Window(graph, call.seq, boundary)) if told is None else None,
        rerun=_rerun(graph, operation, call, next_change),
        stopped=_stop(graph, operation, next_change),
        change=next_change,
        human=next_human,
        spoke=spoke if isinstance(spoke, Said) else None,
        built_on=built_on,
        building=building,
        readable=_readable(graph, window),
    )


def _late(graph: SessionGraph, operation: Operation, later: Ran | None) -> Said | None:
    after = () if later is None else graph.after(later).until(human).all(assistant_prose)
    near = itertools.islice(after, _NEAR)
    return next((one for one in near if isinstance(one, Said) and graph.acknowledges(one, operation)), None)


_NEAR = 10
"""Texts after the next change that are looked through for a late word."""


def answer(window: Window, target: Target) -> Ran | None:
    """After a reboot, the first command that the host answered: whatever it says, the host is up."""
    host = target.host or target.name
    if target.kind != "host" or not host:
        return None
    for event in window.all(any_command):
        if isinstance(event, Ran) and event.command.target.host == host and lets_in(event):
            return event
    return None


def _polled(window: Window, call: Called) -> Called | None:
    """The first later look at the same process whose result shows something: its end, or output."""
    for event in window.all(polls):
        same = (
            isinstance(event, Called)
            and call.call.id not in (None, "")
            and event.call.continues == call.call.id
        )
        if isinstance(event, Called) and same and (event.call.exit is not None or polled_output(event)):
            return event
    return None


def _sent(graph: SessionGraph, window: Window) -> Called | None:
    """The first message to people that may have told: it did not show whether it arrived, or its words are not known."""
    for event in graph.unsure_calls:
        if window.holds(event) and any(not text or _acknowledges(text) for text in graph.unsure(event)):
            return event
    return None


def _acknowledges(text: str) -> bool:
    return language.may_act(text) and any(act.act in ACKNOWLEDGING for act in language.read(text).acts())


def _next_change(window: Window, operation: Operation) -> Ran | None:
    found = window.first(change(operation.target))
    return found if isinstance(found, Ran) else None


def _seen_good(graph: SessionGraph, start: Ran) -> bool:
    """Whether the rest of its own line found what was started well."""
    return any(
        ran.seq > start.seq
        and ran.outcome.state == "good"
        and graph.match(ran, start.command.target) is not None
        for ran in graph.commands(start.call)
    )


def _rerun(graph: SessionGraph, operation: Operation, call: Called, later: Ran | None) -> Called | None:
    if later is None or call.line is None or later.call.line is None:
        return None
    again = later.call
    first = operation.event
    if (
        isinstance(first, Ran)
        and first.command.effect == "restart"
        and (later.command.effect, later.command.target) == (first.command.effect, first.command.target)
        and again.call.exit == 0
        and again.cut_off is None
        and not (later.outcome.failed or again.call.background)
        and (not later.command.detached or _seen_good(graph, later))
    ):
        # The same restart in other words, which came to its end, or which its own line saw well.
        return again
    if " ".join((again.line or "").split()) != " ".join(call.line.split()):
        return None
    longer = (
        again.call.background
        or (
            again.call.limit_ms is not None
            and call.call.limit_ms is not None
            and again.call.limit_ms > call.call.limit_ms
        )
        or (again.call.limit_ms is None and again.cut_off is None and not again.unfinished)
    )
    if longer:
        return again
    through = _TAKES_UP.match(" ".join(later.command.words[:12])) is not None and later.succeeded
    return again if through else None


_TAKES_UP = lazy(
    r"(?:\S*/)?(?:rsync|rclone (?:\S+ ){0,4}?(?:sync|copy)|(?:aws|mc|s5cmd|gsutil|az|azcopy|gcloud) (?:\S+ ){0,4}?(?:sync|mirror|rsync)|restic (?:\S+ ){0,6}?backup|borg create|wget (?:\S+ ){0,4}?(?:-c|--continue)|lftp .{0,200}\bmirror)(?:\s|$)"
)
"""Programs that take up a transfer where it broke off: run again to their end, what was begun is through."""


def _stop(graph: SessionGraph, operation: Operation, later: Ran | None) -> Ran | None:
    closing = operation.closing
    if isinstance(closing, Ran) and calls_off(closing.command):
        # What was called off does not come, whoever wrote meanwhile.
        return closing
    if (
        later is None
        or later.command.effect != "stop"
        or later.outcome.failed
        or later.call.cut_off is not None
    ):
        return None
    restarted = any(
        ran.start and graph.match(ran, operation.target) is not None for ran in graph.commands(later.call)
    )
    return None if restarted else later


def _built_on(
    graph: SessionGraph, operation: Operation, call: Called, next_change: Ran | None
) -> tuple[Literal["person", "change"] | None, Event | None]:
    """Who built on the target's state before any check, prose or stop told it."""
    later = graph.after(call)
    first_check = later.first(told_state(operation.target))
    person = graph.next_human(operation.event)
    told = operation.acknowledgement
    if (
        person is not None
        and (first_check is None or person.seq < first_check.seq)
        and (told is None or person.seq < told[0].seq)
        and _presupposes(graph, person, operation)
    ):
        return "person", person
    first_change = next_change or _next_change(later, operation)
    if first_change is None or (first_check is not None and first_check.seq < first_change.seq):
        return None, None
    if _rerun(graph, operation, call, first_change) is not None or first_change.command.effect == "stop":
        return None, None
    if person is not None and person.seq < first_change.seq:
        return (None, None) if told is not None and told[0].seq < person.seq else ("person", person)
    return "change", first_change


def _presupposes(graph: SessionGraph, person: Said, operation: Operation) -> bool:
    """Whether a person's words take the target to be well: they confirm, or name it and go on from it."""
    target, prose = operation.target, graph.prose(person)
    if said_of_another(graph, person, (prose, prose), operation):
        return False
    acts = {act.act for act in graph.reading(person).acts()}
    if acts & {"asks_state", "complaint"}:
        return False
    named = mentioned(prose, mentions(graph, target))
    return "confirmation" in acts or (named and bool(acts & {"new_direction", "continuation"}))


def _readable(graph: SessionGraph, window: Window) -> bool:
    for event in window.all(assistant):
        if isinstance(event, Said) and event.message.partly_read:
            return False
    for event in window.all(assistant_prose):
        if isinstance(event, Said):
            prose = graph.prose(event)
            if any(letter.isalpha() for letter in prose) and graph.reading(event).language is None:
                return False
    return True
