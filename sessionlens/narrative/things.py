"""Things to know: the names a chapter speaks of, each with its first and its latest mention in the session."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sessionlens.graph.events import Called, Event, Ran
from sessionlens.model import Call, Message, Session
from sessionlens.narrative import words
from sessionlens.narrative.stories import Context, Mention
from sessionlens.narrative.views import Thing
from sessionlens.shell.command import Command

MOST = 14
"""Names in one list; flags give way first."""
MOST_READ = 2_000_000_000
"""Characters that looking for names may read, over all chapters: about two seconds."""
_FLAG = re.compile(r"(?<![\w-])(--[a-z][a-z0-9]*(?:-[a-z0-9]+)+)(?:[= ]([^\s\\'\"<>|;&]{1,40}))?")
_PORT = re.compile(r"(?:localhost|\d{1,3}(?:\.\d{1,3}){3}|[a-z0-9.-]+\.[a-z]{2,}):(\d{2,5})\b")
_PID = re.compile(r"\b(?:pid|PID|Main PID)[ :=]+(\d{2,7})\b")
_VERSION = re.compile(r"\b((?:v|version )\d+\.\d+(?:\.\d+)?(?:[-+][\w.]+)?)\b")


def names(context: Context, events: Sequence[Event]) -> tuple[Thing, ...]:
    """The names that events speak of, most telling first."""
    wanted: dict[tuple[str, str], None] = {}
    for kind, value in _candidates(context, events):
        if 1 < len(value) <= 120 and "\n" not in value:
            wanted.setdefault((kind, value), None)
    chosen = _chosen(list(wanted))
    mentions = _mentions(context, [value for _, value in chosen])
    found = []
    for kind, value in chosen:
        places = mentions.get(value)
        if places is not None:
            first, last, count = places
            found.append(Thing(kind=kind, value=value, first=first, last=last, mentions=count))
    return tuple(found)


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
        for found in _FLAG.finditer(text[:8000]):
            value = found.group(2)
            yield "flag", found.group(1) if value is None or value.startswith("-") else found.group()
        output = called.call.output.ends()[:8192] if called.call.output is not None else ""
        for kind, pattern, where in (
            ("port", _PORT, text[:8000] + "\n" + output),
            ("process id", _PID, output),
            ("version", _VERSION, output),
        ):
            for position, found in enumerate(pattern.finditer(where)):
                if position >= 3:
                    break
                yield kind, found.group(1)


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
    """First and latest message that names each value, in the text at hand, and in how many messages it stands.

    Looking up a value reads the whole session, so what was found is kept for the next chapters, and a session
    so long that its chapters would read too much gets names in its first chapters only.
    """
    known: dict[str, Mention | None] = context.mentions
    new = [value for value in values if value not in known]
    if new and context.read_for_mentions <= MOST_READ:
        context.read_for_mentions += len(new) * context.size
        known.update(_looked_up(context, new))
    return {value: found for value in values if (found := known.get(value)) is not None}


def _looked_up(context: Context, values: Sequence[str]) -> dict[str, Mention | None]:
    firsts: dict[str, tuple[Session, Message, Call | None]] = {}
    lasts: dict[str, tuple[Session, Message, Call | None]] = {}
    counts: dict[str, int] = dict.fromkeys(values, 0)
    for session in context.places.sessions.values():
        for message in session.messages:
            texts = list(_texts(message))
            for value in values:
                at = next((pair for pair in texts if value in pair[1]), None)
                if at is None and message.model != value:
                    continue
                call = at[0] if at is not None else None
                firsts.setdefault(value, (session, message, call))
                lasts[value] = (session, message, call)
                counts[value] += 1
    found: dict[str, Mention | None] = dict.fromkeys(values)
    for value, first in firsts.items():
        found[value] = (
            context.places.of_message(first[0], first[1], value, first[2]),
            context.places.of_message(lasts[value][0], lasts[value][1], value, lasts[value][2]),
            counts[value],
        )
    return found


def _texts(message: Message) -> Iterator[tuple[Call | None, str]]:
    for part in message.parts:
        if isinstance(part, Call):
            yield part, part.input.ends()
            if part.output is not None:
                yield part, part.output.ends()
        elif hasattr(part, "text"):
            yield None, part.text.ends()
