"""Which session belongs to which: children inside the parents that started them, forks and their origin."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from sessionlens.cache import lazy
from sessionlens.model import Call, Session, content

_DEPTH = 32
"""Children nested deeper than this stand on their own: nobody delegates so deep, a hostile log might."""
_FORK = lazy(r"^(?P<title>.*) \(fork #\d+\)$", re.DOTALL)


def nest(sessions: Iterable[Session]) -> list[Session]:
    """Put every session whose parent is among ``sessions`` into that parent's ``children``.

    Children stand in the order of the calls that started them, then of their time. Order of the rest is
    kept. A session given twice counts once: the one with more messages, or with fewer gaps. Nothing is lost: where parents form a circle,
    or a chain is too deep, sessions stay on top.
    """
    by_id: dict[str, Session] = {}
    for session in sessions:
        known = by_id.get(session.id)
        if known is None or _fuller(session, known):
            by_id[session.id] = session
    depth: dict[str, int] = {}
    for key in by_id:
        _measure(key, by_id, depth)
    below: dict[str, list[str]] = {}
    top: list[str] = []
    for key, session in by_id.items():
        parent = session.parent
        if parent in by_id and parent is not None and 0 < depth[key] <= _DEPTH:
            below.setdefault(parent, []).append(key)
        else:
            top.append(key)
    done: dict[str, Session] = {}
    for key in sorted(by_id, key=lambda one: -depth[one]):
        session = by_id[key]
        children = [done[child] for child in below.get(key, ())]
        if children:
            known_children = {child.id: child for child in session.children}
            known_children.update((child.id, child) for child in children)
            order: dict[str, int] = {}
            for index, call in enumerate(_calls(session)):
                if call.child:
                    order.setdefault(call.child, index)
            last = len(order) + len(known_children)
            ranked = sorted(
                known_children.values(),
                key=lambda child: (order.get(child.id, last), child.started or 0, child.id),
            )
            session = msgspec.structs.replace(session, children=tuple(ranked))
        done[key] = session
    return [done[key] for key in top]


def adopt(own: Iterable[Session], others: Iterable[Session]) -> list[Session]:
    """``own`` with those of ``others`` inside that descend from them, at any depth; the rest stands behind.

    A child that is there twice counts once, as in :func:`nest`.
    """
    flat: list[Session] = []
    for top in (*own, *others):
        waiting = [top]
        while waiting:
            session = waiting.pop()
            flat.append(msgspec.structs.replace(session, children=()) if session.children else session)
            # A child's place tells its parent even where its log does not.
            waiting += [
                child if child.parent else msgspec.structs.replace(child, parent=session.id)
                for child in reversed(session.children)
            ]
    return nest(flat)


def _calls(session: Session) -> Iterable[Call]:
    return (call for message in session.messages for call in message.calls)


def _fuller(session: Session, other: Session) -> bool:
    mine, theirs = len(session.messages), len(other.messages)
    return mine > theirs or (mine == theirs and len(session.gaps) < len(other.gaps))


def _measure(key: str, by_id: dict[str, Session], depth: dict[str, int]) -> None:
    """Depth of a session below the top; 0 on top and for every member of a circle."""
    steps: dict[str, int] = {}
    here: str | None = key
    while here is not None and here in by_id and here not in depth and here not in steps:
        steps[here] = len(steps)
        here = by_id[here].parent
    path = list(steps)
    if here is not None and here in steps:
        for member in path[steps[here] :]:
            depth[member] = 0
        path = path[: steps[here]]
    base = depth[here] + 1 if here is not None and here in depth else 0
    for member in reversed(path):
        depth[member] = base
        base += 1


def fork_title(title: str | None) -> str | None:
    """Title of the session that a fork of this title was made from; ``None`` for no fork's title."""
    match = _FORK.match(title or "")
    return match["title"] if match is not None else None


def forked_from(sessions: Sequence[Session]) -> dict[str, str]:
    """Ids of forked sessions, each with the id of the session it was copied from.

    opencode copies the messages of a fork under new ids and leaves no link back; only the title
    (``… (fork #1)``) and the equal beginning tell (opencode-formats §3, seen in 1.18.33). A total over
    sessions that counts both counts the copied messages twice.
    """
    by_title: dict[str, list[Session]] = {}
    for session in sessions:
        by_title.setdefault(session.title or "", []).append(session)
    found: dict[str, str] = {}
    for session in sessions:
        title = fork_title(session.title)
        mine = _beginning(session) if title is not None else []
        if title is None or not mine:
            continue
        for other in by_title.get(title, ()):
            theirs = _beginning(other)[: len(mine)]
            if other.id != session.id and theirs and theirs == mine[: len(theirs)]:
                found[session.id] = other.id
                break
    return found


def _beginning(session: Session) -> list[object]:
    return [
        (message.role, [content(part.text) for part in message.texts()]) for message in session.messages[:3]
    ]


def members(top: str, below: Mapping[str, list[str]]) -> list[str]:
    """A session and all below it, each once, given the children of each."""
    found = [top]
    seen = {top}
    for member in found:
        for child in below.get(member, ()):
            if child not in seen:
                seen.add(child)
                found.append(child)
    return found
