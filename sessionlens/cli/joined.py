"""Sessions of one family in several sources of one run: children are judged inside their parent's audit.

Sources are read one by one, maybe in several processes, so each is looked at once beforehand for the ids in it;
from these it is settled which source takes sessions of which others, the same with any number of processes.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

_STEPS = 32
"""Parents above a session that are followed: nobody delegates so deep, a hostile log might."""


class Kin(msgspec.Struct, frozen=True, kw_only=True):
    """What there is to know of a session on top of its source to find its relatives."""

    id: str
    """Its id."""
    parent: str | None
    """Id of the session that started it."""
    family: tuple[str, ...]
    """Its own id and those of the children inside it."""


class Outline(msgspec.Struct, frozen=True, kw_only=True):
    """The sessions of one source."""

    tops: tuple[Kin, ...] = ()
    """Those on top; none where the source cannot be read."""
    plain: bool = True
    """Whether reading told of nothing beside them."""


class Take(msgspec.Struct, frozen=True, kw_only=True):
    """Sessions of another source that belong into one."""

    spec: str
    """The other source."""
    ids: tuple[str, ...]
    """Ids of the sessions on top there."""


class Role(msgspec.Struct, frozen=True, kw_only=True):
    """What one source takes from others and gives to them."""

    takes: tuple[Take, ...] = ()
    """What belongs into sessions of this source."""
    leaves: tuple[str, ...] = ()
    """Ids of its sessions that are judged with other sources."""
    hosts: tuple[str, ...] = ()
    """The sources with which they are judged."""
    empty: bool = False
    """Whether nothing of it is left to judge or to tell."""


ALONE = Role()
"""A source without relatives in others."""


def outline(spec: str, reader: str | None) -> Outline:
    """The sessions of a source. What cannot be read has none: reading it in earnest tells why."""
    from sessionlens import readers

    try:
        found = readers.scan(spec, reader=reader)
        tops = tuple(
            Kin(id=top.id, parent=top.parent, family=tuple(one.id for one in top.family()))
            for top in found.sessions
        )
    except Exception:
        # A fault of a reader included: it is told when the source is read to be judged.
        return Outline()
    return Outline(tops=tops, plain=not (found.unread or found.passed or found.copies))


def roles(specs: Sequence[str], outlines: Sequence[Outline]) -> list[Role]:
    """The role of every source. A session goes to the source of its topmost ancestor; circles stay apart.

    Where several sources hold a parent, the first counts.
    """
    home: dict[str, tuple[int, str]] = {}
    parents: dict[tuple[int, str], str] = {}
    for number, one in enumerate(outlines):
        for kin in one.tops:
            if kin.parent is not None:
                parents[number, kin.id] = kin.parent
            for member in kin.family:
                home.setdefault(member, (number, kin.id))
    moves: dict[tuple[int, int], list[str]] = {}
    for number, key in parents:
        host = _root((number, key), home, parents)
        if host != number:
            moves.setdefault((number, host), []).append(key)
    found = []
    for number, spec in enumerate(specs):
        leaves = tuple(key for (giver, _), keys in moves.items() if giver == number for key in keys)
        takes = tuple(
            Take(spec=specs[giver], ids=tuple(keys))
            for (giver, host), keys in moves.items()
            if host == number
        )
        hosts = tuple(specs[host] for giver, host in moves if giver == number and specs[host] != spec)
        empty = bool(leaves) and outlines[number].plain and len(leaves) == len(outlines[number].tops)
        found.append(Role(takes=takes, leaves=leaves, hosts=hosts, empty=empty and not takes))
    return found


def _root(
    start: tuple[int, str], home: dict[str, tuple[int, str]], parents: dict[tuple[int, str], str]
) -> int:
    """Number of the source in which the topmost ancestor of a session lies; its own in doubt."""
    here, seen = start, {start}
    while (parent := parents.get(here)) is not None and parent in home:
        here = home[parent]
        if here in seen or len(seen) > _STEPS:
            return start[0]
        seen.add(here)
    return here[0]
