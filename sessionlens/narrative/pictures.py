"""Timelines as data: the whole session with a lane a target, and the surroundings of one story."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from sessionlens.graph.events import Called, Event, Ran, Said
from sessionlens.graph.session_graph import SessionGraph
from sessionlens.narrative import deeds, words
from sessionlens.narrative.places import Places
from sessionlens.narrative.states import Stretch, Subject, first_of, stretches
from sessionlens.narrative.views import Column, Interval, Lane, Mark, MarkKind, Picture, State, Statement

LANES = 8
"""Lanes of targets in one picture."""
MARKS = 160
"""Marks in one lane; neighbours are merged beyond that."""
PEOPLE = 70
"""The same for the lane of the person, whose signs are wider."""
COLUMNS = 22
"""Columns of the picture of one story."""

STATE_WORDS: dict[State, str] = {
    "good": "known good",
    "unverified": "changed and unverified",
    "unknown": "unknown",
    "bad": "known bad",
}
"""States as they are called everywhere."""


def order_of(graph: SessionGraph) -> dict[tuple[str, int], int]:
    """Every message of the family with its position on the line of events."""
    order: dict[tuple[str, int], int] = {}
    for event in graph.events:
        order.setdefault((event.at.session, event.at.message_index), len(order))
    return order


def _key(event: Event) -> tuple[str, int]:
    return event.at.session, event.at.message_index


def interval_statement(places: Places, subject: Subject, stretch: Stretch) -> Statement:
    """One stretch in words, with what began and ended it."""
    begin, end = places.of(stretch.begin), places.of(stretch.end) if stretch.end is not None else None
    until = f"to message {end.label}" if end is not None else "to the end of the log"
    long = f", {words.duration(stretch.milliseconds)}" if stretch.milliseconds is not None else ""
    return Statement(
        text=f"{subject.spoken}: {STATE_WORDS[stretch.state]} from message {begin.label} {until}{long}.",
        certainty="observed" if stretch.state in ("good", "bad") else "derived",
        evidence=(begin,) if end is None else (begin, end),
    )


def whole(
    graph: SessionGraph,
    places: Places,
    followed: Sequence[Subject],
    silences: Iterable[Said],
    left_out: int,
    *,
    order: dict[tuple[str, int], int],
) -> Picture | None:
    """The session from its first to its last message, one lane a target; where nothing is worth following, what
    the tools did; ``None`` when nothing was called.

    :param order: see :func:`order_of`.
    """
    if not followed and not graph.index("called"):
        return None
    shown = first_of(graph, followed, LANES)
    people = [
        Mark(kind="request", column=order[_key(event)], label=said_label(places, event), at=places.of(event))
        for event in graph.events
        if isinstance(event, Said) and event.human and event.opening
    ]
    quiet = [
        Mark(
            kind="silence",
            column=order[_key(said)],
            label=f"message {places.of(said).label} is empty",
            at=places.of(said),
        )
        for said in silences
    ]
    lanes = [
        Lane(
            name="Person",
            detail=words.counted(len(people), "message"),
            marks=merged(people, len(order), PEOPLE),
        )
    ]
    if quiet:
        lanes.append(
            Lane(
                name="Assistant",
                detail=words.counted(len(quiet), "empty message"),
                marks=merged(sorted(quiet, key=lambda m: m.column), len(order), PEOPLE),
            )
        )
    lanes += [lane(graph, places, subject, order, len(order)) for subject in shown]
    if not followed:
        lanes.append(_calls_lane(graph, places, order))
    ticks = []
    messages = [
        event for event in graph.events if isinstance(event, Said) and event.opening and event.depth == 0
    ]
    for wanted in (0, len(messages) // 2, len(messages) - 1):
        if 0 <= wanted < len(messages):
            event = messages[wanted]
            time = f", {words.clock(event.message.time)}" if event.message.time is not None else ""
            tick = (order[_key(event)], places.of(event).label + time)
            if tick not in ticks:
                ticks.append(tick)
    return Picture(
        title="What was known of each target, message by message"
        if followed
        else "The session, message by message",
        width=max(1, len(order)),
        ticks=tuple(ticks),
        lanes=tuple(lanes),
        left_out=len(followed) - len(shown) + left_out,
    )


def lane(
    graph: SessionGraph, places: Places, subject: Subject, order: dict[tuple[str, int], int], width: int
) -> Lane:
    """A target's lane: what was known, and what happened to it."""
    intervals = []
    for stretch in stretches(graph, subject):
        start = order[_key(stretch.begin)]
        end = order[_key(stretch.end)] if stretch.end is not None else width
        if end <= start:
            continue
        intervals.append(
            Interval(
                state=stretch.state,
                start=start,
                end=end,
                statement=interval_statement(places, subject, stretch),
            )
        )
    drawn: dict[tuple[str, int], Mark] = {}
    for event in subject.events:
        mark = target_mark(places, subject, event, order)
        if mark is not None:
            drawn.setdefault((mark.kind, mark.column), mark)
    marks = list(drawn.values())
    environment, _ = subject.environment
    where = words.place_of(subject.target).replace("`", "").strip()
    return Lane(
        name=subject.name,
        detail=words.columns((where, environment if environment != "unknown" else "environment unknown")),
        marks=merged(marks, width),
        intervals=tuple(intervals),
    )


def _calls_lane(graph: SessionGraph, places: Places, order: dict[tuple[str, int], int]) -> Lane:
    """All calls of a session in which no target is followed: changes, checks, and what did not end well."""
    marks: dict[tuple[MarkKind, int], Mark] = {}
    kinds: dict[str | None, MarkKind] = {"good": "check_good", "bad": "check_bad"}
    calls = 0
    for event in graph.events:
        if isinstance(event, Said):
            continue
        kind: MarkKind = "call"
        if isinstance(event, Called):
            calls += 1
            if event.cut_off is not None:
                kind = "cut_off"
            elif event.connection_lost:
                kind = "lost"
            elif event.call.interrupted:
                kind = "interruption"
        elif event.change:
            kind = "change"
        elif event.check and event.call.cut_off is None:
            kind = kinds.get(event.outcome.state, "check_unclear")
        else:
            continue
        at = places.of(event)
        column = order[_key(event)]
        what = event.call.name if isinstance(event, Called) else deeds.noun(event.command)
        label = f"message {at.label}: {what}" + (f", {_ENDED[kind]}" if kind in _ENDED else "")
        marks.setdefault((kind, column), Mark(kind=kind, column=column, label=label, at=at))
    # A call whose commands are drawn needs no sign of its own.
    drawn = {column for kind, column in marks if kind != "call"}
    kept = [mark for (kind, column), mark in marks.items() if kind != "call" or column not in drawn]
    return Lane(
        name="Tools",
        detail=words.counted(calls, "call"),
        marks=merged(sorted(kept, key=lambda mark: mark.column), len(order), PEOPLE),
    )


_ENDED: dict[MarkKind, str] = {
    "cut_off": "cut off",
    "lost": "connection lost",
    "interruption": "interrupted",
    "check_good": "good",
    "check_bad": "bad",
    "check_unclear": "unclear",
}


def target_mark(
    places: Places, subject: Subject, event: Ran, order: dict[tuple[str, int], int]
) -> Mark | None:
    """What an event did to a target, as a mark."""
    opened = {operation.event.seq: operation for operation in subject.operations}
    noun = deeds.noun(event.command)
    at = places.of(event)
    kind: MarkKind
    if event.seq in opened:
        how = opened[event.seq].opened_by
        cut_kinds: dict[str, MarkKind] = {"cut_off": "cut_off", "connection_lost": "lost"}
        kind = cut_kinds.get(how, "open")
        label = f"{noun} {words.OPENED[how]}"
    elif event.change:
        kind, label = "change", noun
    elif event.check and event.call.cut_off is None:
        shown: dict[str, tuple[MarkKind, str]] = {
            "good": ("check_good", "check: good"),
            "bad": ("check_bad", "check: bad"),
        }
        kind, label = shown.get(event.outcome.state or "", ("check_unclear", "check: unclear"))
    else:
        return None
    return Mark(kind=kind, column=order[_key(event)], label=f"message {at.label}: {label}", at=at)


_WEIGHT: dict[MarkKind, int] = {
    "cut_off": 0, "lost": 0, "silence": 1, "open": 1, "interruption": 1, "check_bad": 2, "change": 3,
    "check_good": 4, "check_unclear": 5, "call": 6, "request": 7, "reply": 8,
}  # fmt: skip


def merged(marks: Sequence[Mark], width: int, most: int = MARKS) -> tuple[Mark, ...]:
    """At most so many marks: those too close to tell apart become one, the gravest, with their count."""
    if len(marks) <= most:
        return tuple(marks)
    bins: dict[int, list[Mark]] = {}
    for mark in marks:
        bins.setdefault(mark.column * most // max(1, width), []).append(mark)
    kept = []
    for group in bins.values():
        first = min(group, key=lambda mark: _WEIGHT[mark.kind])
        more = f" (and {words.number(len(group) - 1)} more nearby)" if len(group) > 1 else ""
        kept.append(Mark(kind=first.kind, column=first.column, label=first.label + more, at=first.at))
    return tuple(kept)


def said_label(places: Places, said: Said) -> str:
    """A person's message in a few words."""
    text = words.flat(" ".join(part.text.head for part in said.texts))
    label = places.of(said).label
    return f"message {label}: {words.quoted(text, 80)}" if text else f"message {label}, without text"


def around(
    graph: SessionGraph,
    places: Places,
    events: Iterable[Event],
    followed: Sequence[Subject],
    *,
    order: dict[tuple[str, int], int],
    events_at: Callable[[str, int], list[Event]],
) -> Picture | None:
    """The surroundings of a story: its events, the persons' messages around them, and the targets; ``None`` where
    one sign would be all.

    ``events_at`` gives the events of one message.
    """
    back = list(order)
    wanted: set[int] = set()
    for event in events:
        wanted.add(order[_key(event)])
    chosen = sorted(wanted)
    if len(chosen) > COLUMNS:
        chosen = [*chosen[: COLUMNS // 2], *chosen[-(COLUMNS // 2) :]]
    columns: list[Column] = []
    column_of: dict[int, int] = {}
    for before, position in zip([None, *chosen], chosen, strict=False):
        if before is not None and position - before > 1:
            columns.append(Column(label="", at=None, skipped=position - before - 1))
        column_of[position] = len(columns)
        session, index = back[position]
        message = places.message(session, index)
        if message is None:
            continue
        at = places.of_message(places.sessions[session], message)
        columns.append(Column(label=at.label, at=at))
    if chosen and chosen[-1] < len(back) - 1:
        columns.append(Column(label="", at=None, skipped=len(back) - 1 - chosen[-1]))
    shown = [event for position in chosen for event in events_at(*back[position])]
    lanes = [
        _role_lane(shown, places, "Person", column_of, order),
        _role_lane(shown, places, "Assistant", column_of, order),
        _tools_lane(shown, places, column_of, order),
    ]
    lanes = [lane for lane in lanes if lane.marks]
    for subject in first_of(graph, followed, LANES):
        lanes.append(
            _zoomed(lane(graph, places, subject, order, len(order)), chosen, column_of, len(columns))
        )
    if sum(len(lane.marks) + len(lane.intervals) for lane in lanes) < 2:
        return None
    return Picture(
        title="The surroundings",
        width=max(1, len(columns)),
        columns=tuple(columns),
        lanes=tuple(lanes),
        left_out=max(0, len(followed) - LANES),
    )


def _zoomed(full: Lane, chosen: Sequence[int], column_of: dict[int, int], width: int) -> Lane:
    """A lane of the whole session on the columns of a story."""

    def column(position: int) -> int:
        for at in chosen:
            if at >= position:
                return column_of[at]
        return width

    intervals = []
    for interval in full.intervals:
        start, end = column(interval.start), column(interval.end)
        if chosen and interval.start < chosen[0]:
            start = 0
        if end > start:
            intervals.append(
                Interval(state=interval.state, start=start, end=end, statement=interval.statement)
            )
    marks = tuple(
        Mark(kind=mark.kind, column=column_of[mark.column], label=mark.label, at=mark.at)
        for mark in full.marks
        if mark.column in column_of
    )
    return Lane(name=full.name, detail=full.detail, marks=marks, intervals=tuple(intervals))


def _role_lane(
    shown: Sequence[Event],
    places: Places,
    name: str,
    column_of: dict[int, int],
    order: dict[tuple[str, int], int],
) -> Lane:
    marks = []
    for event in shown:
        if not isinstance(event, Said):
            continue
        position = order[_key(event)]
        if position not in column_of:
            continue
        at = places.of(event)
        spoken = any(not part.text.blank() for part in event.texts)
        kind: MarkKind | None = None
        label = f"message {at.label}"
        if name == "Person" and event.human and event.opening:
            kind, label = "request", said_label(places, event)
        elif name == "Assistant" and event.role == "assistant":
            if event.message.empty and event.opening:
                kind, label = "silence", f"message {at.label} is empty"
            elif spoken:
                text = " ".join(part.text.head for part in event.texts)
                kind, label = "reply", f"message {at.label}: {words.quoted(text, 80)}"
        if kind is not None:
            marks.append(Mark(kind=kind, column=column_of[position], label=label, at=at))
        if name == "Person" and event.message.interruption and event.opening:
            marks.append(
                Mark(kind="interruption", column=column_of[position], label="the person interrupted", at=at)
            )
    return Lane(name=name, marks=tuple(marks))


def _tools_lane(
    shown: Sequence[Event], places: Places, column_of: dict[int, int], order: dict[tuple[str, int], int]
) -> Lane:
    marks = []
    for event in shown:
        if not isinstance(event, Called):
            continue
        position = order[_key(event)]
        if position not in column_of:
            continue
        kind: MarkKind = "call"
        how = ""
        if event.cut_off is not None:
            kind = "cut_off"
            limit = event.cut_off.limit_ms
            how = ", cut off" + (f" at {words.duration(limit)}" if limit is not None else "")
        elif event.connection_lost:
            kind, how = "lost", ", connection lost"
        elif event.call.interrupted:
            kind, how = "interruption", ", interrupted"
        what = words.quoted(event.line, 60) if event.line is not None else event.call.name
        marks.append(Mark(kind=kind, column=column_of[position], label=f"{what}{how}", at=places.of(event)))
    return Lane(name="Tools", marks=tuple(marks))
