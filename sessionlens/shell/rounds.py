"""Which commands of a line are rounds of one loop, and which part of its output is whose.

A loop that is read round by round has one output. Lines that name what a round was for are that round's; where there
is exactly one line, or one block that begins alike, for each round, they stand in the order of the rounds. What can be
given to no round speaks of one of them, and nobody knows of which.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from msgspec.structs import replace

from sessionlens.cache import lazy
from sessionlens.shell.command import Command

_TAKES_A_LINE = lazy(
    r"(?:\S*/)?(?:ssh|mosh|(?:ba|z|da|k|a)?sh|pwsh|powershell|su|docker|podman|nerdctl|kubectl|oc|nsenter|chroot|Invoke-Command)\b",
    re.IGNORECASE,
)
"""Wrappers around more than one command: what stands in one of them is no loop."""
_MOST = 200
"""Rounds of one loop that are followed."""


def rounds(commands: Sequence[Command]) -> list[tuple[int, ...]]:
    """The positions of the commands that are rounds of one command in a loop, for each such command, in order."""
    if len(commands) < 2:
        return []
    groups: dict[tuple[object, ...], list[int]] = {}
    for index, command in enumerate(commands):
        if command.words and not command.each:
            key = (command.span, command.program, command.effect, command.check_strength, len(command.words))
            groups.setdefault(key, []).append(index)
    return [
        tuple(group)
        for group in groups.values()
        if 1 < len(group) <= _MOST and len(set(names_of_rounds(commands, group))) > 1
    ]


def names_of_rounds(commands: Sequence[Command], group: Sequence[int]) -> list[str]:
    """What each of several rounds is for: its host, else what it acts on, else the one word that differs; empty where unknown."""
    hosts = [commands[index].target.host or "" for index in group]
    if len(set(hosts)) > 1 and all(hosts):
        return hosts
    if any(_TAKES_A_LINE.match(wrapper) for wrapper in commands[group[0]].via):
        return [""] * len(group)
    if len({commands[index].words for index in group}) == 1:
        # One command that names several things.
        return [""] * len(group)
    names = [commands[index].target.name for index in group]
    if len(set(names)) > 1 and all(names):
        return names
    columns = list(zip(*(commands[index].words for index in group), strict=True))
    varying = [column for column in columns if len(set(column)) > 1]
    return list(varying[0]) if len(varying) == 1 else [""] * len(group)


def own_words(commands: Sequence[Command], group: Sequence[int]) -> list[tuple[str, ...]]:
    """The words by which output may name each of several rounds: what it is for, and the words that only it has."""
    names = names_of_rounds(commands, group)
    words = [set(commands[index].words[1:]) for index in group]
    found: list[tuple[str, ...]] = []
    for position, name in enumerate(names):
        others = set().union(*(word for other, word in enumerate(words) if other != position))
        own = (word for word in commands[group[position]].words[1:] if word not in others)
        found.append(tuple(dict.fromkeys((name, *own))) if name else ())
    return found


def names_it(text: str, words: Sequence[str]) -> bool:
    """Whether a text holds one of the words as a word of its own; a single letter only in quotes."""
    for word in words:
        if word not in text or not word:
            continue
        shape = (
            rf"['\"`]{re.escape(word)}['\"`]" if len(word) == 1 else rf"(?<![\w.-]){re.escape(word)}(?![\w-])"
        )
        if re.search(shape, text) is not None:
            return True
    return False


_DIGITS = lazy(r"\d+")
_MARK = lazy(r"^\W+")


def skeleton(text: str, words: Sequence[str] = ()) -> str:
    """A line without its figures, its leading signs, and the names of what it is about."""
    for word in words:
        if len(word) > 1:
            text = text.replace(word, "@")
    return _DIGITS.sub("0", _MARK.sub("", text.strip()))[:200]


def blocks(shown: Sequence[str], count: int, words: Sequence[str]) -> list[int]:
    """Where each of as many blocks begins as there are rounds, by the line that each begins with; empty where that is not so."""
    if len(shown) <= count:
        return []
    forms = [skeleton(one[:400], words) for one in shown]
    starts = [at for at, form in enumerate(forms) if form == forms[0]]
    # Two equal lines in a row are no two blocks.
    return (
        starts
        if len(starts) == count and all(second - first > 1 for first, second in pairwise(starts))
        else []
    )


def one_of(names: Sequence[str]) -> str:
    """How a sentence names one of several things of which it is not known which."""
    listed = list(dict.fromkeys(names))
    if len(listed) > _SHOWN + 1:
        return f"one of {', '.join(listed[:_SHOWN])} and {len(listed) - _SHOWN} more"
    return f"one of {', '.join(listed[:-1])} and {listed[-1]}"


def of_group(command: Command, among: Sequence[str]) -> Command:
    """One round of a loop read as the one of several of which it is not known which."""
    target, words, via = command.target, command.words, command.via
    by_host = target.host in among
    own = (target.host if by_host else target.name) or ""
    if own in among:
        shape = re.compile(rf"(?<![\w.-]){re.escape(own)}(?![\w-])")
        words = tuple(shape.sub("…", word) for word in words)
        via = tuple(shape.sub("…", wrapper) for wrapper in via)
    label = one_of(among)
    target = replace(target, host=label) if by_host else replace(target, name=label)
    return replace(command, words=words, via=via, target=target, also=())


_SHOWN = 3
"""Names of a group that a sentence lists."""
