"""Things to know: the names a chapter speaks of, each with its first and its latest mention in the session."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import NamedTuple

import msgspec

from sessionlens.cache import lazy
from sessionlens.graph.events import Called, Event, Ran
from sessionlens.graph.partly import places_of
from sessionlens.model import Call, Message, Session
from sessionlens.narrative import words
from sessionlens.narrative.stories import Context
from sessionlens.narrative.views import Chapter, Evidence, Statement, Thing
from sessionlens.shell.command import Command

Mention = tuple[Evidence, Evidence, int]
"""First place, latest place, and in how many messages."""

MOST = 14
"""Names in one list; flags give way first."""
_READ_AT_ONCE = 1_000_000
_BETWEEN = "\x00"
_FLAG = lazy(r"(?<![\w-])(--[a-z][a-z0-9]*(?:-[a-z0-9]+)+)(?:[= ]([^\s\\'\"<>|;&]{1,40}))?")
_CODE = lazy(r"`([^`]{1,400})`")
_PORT = lazy(
    r"(?:localhost|\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:]{2,40}\]|//(?:[^/@\s]{1,60}@)?[a-z0-9.-]+):(\d{2,5})\b|(?<![\w-])(?:--)?port[ =:]{1,3}(\d{2,5})\b",
    re.IGNORECASE,
)
# A name before a colon is that of a host where the session has such a host: `main.go:92` is a line of a file.
_HOST_PORT = lazy(r"(?<![\w./:-])([a-z][\w.-]{0,80}):(\d{2,5})\b", re.IGNORECASE)
_PORTS = 65_536
_PID = lazy(r"\b(?:pid|PID|Main PID)[ :=]+(\d{2,7})\b")
_VERSION = lazy(r"\b((?:v|version )\d+\.\d+(?:\.\d+)?(?:[-+][\w.]+)?)\b")


def choose(context: Context, anchor: str, events: Sequence[Event], spoken: Iterable[Statement]) -> None:
    """Choose the names that the events of a chapter speak of, most telling first; :func:`told` looks them up.

    Flags that the chapter's statements speak of, such as those that an edit put in, come before all others.
    """
    wanted: dict[tuple[str, str], None] = {}
    for statement in spoken:
        for piece in _CODE.findall(statement.text):
            for flag in _flags(piece):
                wanted.setdefault(("flag", flag), None)
    for kind, value in _candidates(context, events):
        if 1 < len(value) <= 120 and "\n" not in value and _BETWEEN not in value:
            wanted.setdefault((kind, value), None)
    context.names[anchor] = _chosen(list(wanted))


def told(context: Context, chapters: Iterable[Chapter]) -> tuple[Chapter, ...]:
    """The chapters with their things to know: all names are looked up in one reading of the session."""
    chapters = tuple(chapters)
    values = {value: None for chapter in chapters for _, value in context.names.get(chapter.anchor, ())}
    mentions = _mentions(context, list(values))
    return tuple(
        msgspec.structs.replace(
            chapter,
            things=tuple(
                Thing(kind=kind, value=value, first=found[0], last=found[1], mentions=found[2])
                for kind, value in context.names.get(chapter.anchor, ())
                if (found := mentions.get(value)) is not None
            ),
        )
        for chapter in chapters
    )


def _chosen(wanted: list[tuple[str, str]]) -> list[tuple[str, str]]:
    rank = (
        "host",
        "service",
        "file",
        "container",
        "database",
        "port",
        "address",
        "process id",
        "model",
        "version",
    )
    ordered = sorted(
        wanted, key=lambda pair: rank.index(pair[0]) if pair[0] in rank else len(rank) - (pair[0] != "flag")
    )
    return ordered[:MOST]


def _candidates(context: Context, events: Sequence[Event]) -> Iterator[tuple[str, str]]:
    calls: dict[int, Called] = {}
    hosts = {
        place
        for event in events
        if isinstance(event, Ran)
        for ran in context.graph.commands(event.call)
        for place in places_of(ran.command.target)
    }
    for event in events:
        if isinstance(event, Ran):
            calls[event.call.seq] = event.call
            if event.changes or event.check:
                yield from _of_command(event.command)
        elif isinstance(event, Called):
            calls[event.seq] = event
            for ran in context.graph.commands(event):
                if ran.changes or ran.check:
                    yield from _of_command(ran.command)
        elif event.message.model and event.message.role == "assistant":
            yield "model", event.message.model
    for called in calls.values():
        text = called.line if called.line is not None else called.call.input.head
        for flag in _flags(text[:8000]):
            yield "flag", flag
        output = called.call.output.ends()[:8192] if called.call.output is not None else ""
        shown = text[:8000] + "\n" + output
        ports = [found.group(1) or found.group(2) for found in islice(_PORT.finditer(shown), 3)]
        ports += [
            found.group(2) for found in _HOST_PORT.finditer(shown) if found.group(1).casefold() in hosts
        ][:3]
        yield from (("port", port) for port in dict.fromkeys(ports) if int(port) < _PORTS)
        for kind, pattern, where in (
            ("process id", _PID, output),
            ("version", _VERSION, output),
        ):
            for position, found in enumerate(pattern.finditer(where)):
                if position >= 3:
                    break
                yield kind, found.group(1)


def _flags(text: str) -> Iterator[str]:
    for found in _FLAG.finditer(text):
        value = found.group(2)
        yield found.group(1) if value is None or value.startswith("-") else found.group()


def _of_command(command: Command) -> Iterator[tuple[str, str]]:
    target = command.target
    if target.host:
        yield "host", target.host
    kinds = {"service": "service", "file": "file", "container": "container", "database": "database",
             "k8s": "object", "compose": "service", "process": "process", "url": "address"}  # fmt: skip
    if target.name and target.kind in kinds:
        yield kinds[target.kind], words.name_of(target, command)
    if target.namespace:
        yield "namespace", target.namespace
    for other in command.also:
        if other.name and other.kind in kinds:
            yield kinds[other.kind], other.name


def _mentions(context: Context, values: Sequence[str]) -> dict[str, Mention]:
    """First and latest message that names each value, in the text at hand, and in how many messages it stands."""
    firsts: dict[str, _Spot] = {}
    lasts: dict[str, _Spot] = {}
    counts: dict[str, int] = dict.fromkeys(values, 0)
    for block in _blocks(context):
        for value in values:
            spots = list(block.spots(value))
            if spots:
                firsts.setdefault(value, spots[0])
                lasts[value] = spots[-1]
                counts[value] += len(spots)
    return {
        value: (
            context.places.of_message(first.session, first.message, value, first.call),
            context.places.of_message(lasts[value].session, lasts[value].message, value, lasts[value].call),
            counts[value],
        )
        for value, first in firsts.items()
    }


class _Spot(NamedTuple):
    """Where a text of a block comes from."""

    session: Session
    message: Message
    call: Call | None


class _Block:
    """The texts of some messages as one string: searching it costs nothing a message."""

    def __init__(self) -> None:
        self.length = 0
        self._texts: list[str] = []
        self._starts: list[int] = []
        self._of: list[_Spot] = []

    def add(self, spot: _Spot, text: str) -> None:
        """One text more."""
        self._starts.append(self.length)
        self._of.append(spot)
        self._texts.append(text)
        self.length += len(text) + 1

    @cached_property
    def _whole(self) -> str:
        return _BETWEEN.join(self._texts)

    def spots(self, value: str) -> Iterator[_Spot]:
        """For each message that names the value, its first text that does."""
        position = self._whole.find(value)
        while position >= 0:
            found = bisect_right(self._starts, position) - 1
            spot = self._of[found]
            yield spot
            following = found + 1
            while following < len(self._of) and self._of[following].message is spot.message:
                following += 1
            if following == len(self._of):
                return
            position = self._whole.find(value, self._starts[following])


def _blocks(context: Context) -> Iterator[_Block]:
    """The text at hand of every message, a few megabytes at a time."""
    block = _Block()
    for session in context.places.sessions.values():
        for message in session.messages:
            for call, text in _texts(message):
                block.add(_Spot(session, message, call), text)
            if block.length >= _READ_AT_ONCE:
                yield block
                block = _Block()
    yield block


def _texts(message: Message) -> Iterator[tuple[Call | None, str]]:
    if message.model is not None:
        yield None, message.model
    for part in message.parts:
        if isinstance(part, Call):
            yield part, part.input.ends()
            if part.output is not None:
                yield part, part.output.ends()
        elif hasattr(part, "text"):
            yield None, part.text.ends()
