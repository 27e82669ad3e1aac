"""Which session belongs to which: children inside the parents that started them, forks and their origin."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from sessionlens.cache import lazy
from sessionlens.model import Call, Gap, Message, Session, Text, TextPart, content

_DEPTH = 32
"""Children nested deeper than this stand on their own: nobody delegates so deep, a hostile log might."""
_FORK = lazy(r"^(?P<title>.*) \(fork #\d+\)$", re.DOTALL)


def nest(sessions: Iterable[Session]) -> list[Session]:
    """Put every session whose parent is among ``sessions`` into that parent's ``children``.

    Children stand in the order of the calls that started them, then of their time. Order of the rest is
    kept. A session given twice counts once: see :class:`Once`. Nothing is lost: where parents form a circle,
    or a chain is too deep, sessions stay on top.
    """
    once = Once()
    for session in sessions:
        once.take(session)
    by_id = once.sessions
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
            both = Once()
            for child in (*children, *session.children):
                both.take(child)
            known_children = both.sessions
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


class Once:
    """Sessions by id, none twice.

    Of two logs of one session that say the same as far as the shorter one goes, the fuller one counts. Two that say
    different things under one id both count, the later one under an id of its own, which a gap tells.
    """

    def __init__(self) -> None:
        """Nothing is taken yet."""
        self.sessions: dict[str, Session] = {}
        """In the order they came."""
        self.files: dict[str, str] = {}
        """By id, the log that holds a session, as it is named to a person."""
        self.copies: list[tuple[str, str]] = []
        """Logs that do not count, each with the one that holds the same session and as much or more of it."""
        self._said: dict[str, list[bytes]] = {}
        """Of those whose id came more than once: what was said up to each message. See :func:`_states`."""
        self._states: dict[tuple[str, bytes], str] = {}
        """By the id of a log and what was said up to a message of it: the id that it has here."""
        self._ends: dict[tuple[str, bytes], str] = {}
        """The same for the last two messages of each."""
        self._more: dict[str, int] = {}
        """By the id of logs, the number behind it that was given last."""

    def take(self, session: Session, file: str | None = None) -> None:
        """Take one more session.

        :param file: the log that holds it, as it is named to a person; else that which its messages name.
        """
        key = session.id
        if file is None:
            file = next((one.origin.file for one in session.messages if one.origin.file), "another log")
        if key not in self.sessions:
            self.sessions[key], self.files[key] = session, file
            return
        if key not in self._said:
            self._keep(key, key, _states(self.sessions[key]))
        said = _states(session)
        own = self._same(key, session, said)
        if own is None:
            own = self._free(key)
            told = f"{self.files[key]} has the session id {key} too and says something else: both are judged"
            self.sessions[own] = msgspec.structs.replace(
                session, id=own, gaps=(*session.gaps, Gap(reason=told))
            )
        else:
            known, before = self.sessions[own], self.files[own]
            if not _fuller(session, known):
                self.copies.append((file, before))
                return
            self.copies.append((before, file))
            # That there is another one of this id is still so.
            gaps = session.gaps if own == key else (*session.gaps, known.gaps[-1])
            self.sessions[own] = msgspec.structs.replace(session, id=own, gaps=gaps)
        self.files[own] = file
        self._keep(key, own, said)

    def _free(self, key: str) -> str:
        """A new id for another session with an id that is taken."""
        own, number = key, self._more.get(key, 1)
        while own in self.sessions:
            number += 1
            own = f"{key}-{number}"
        self._more[key] = number
        return own

    def _keep(self, key: str, own: str, said: list[bytes]) -> None:
        self._said[own] = said
        for state in said:
            self._states.setdefault((key, state), own)
        for state in said[-2:]:
            self._ends[key, state] = own

    def _same(self, key: str, session: Session, said: list[bytes]) -> str | None:
        """The session that was taken under an id and says the same, as far as the shorter of the two goes."""
        longer = (self._states.get((key, state)) for state in reversed(said[-2:]))
        shorter = (self._ends.get((key, state)) for state in reversed(said))
        for own in dict.fromkeys((*longer, next(filter(None, shorter), None))):
            if own is not None:
                known = self.sessions[own], self._said[own]
                if _covers(*known, session, said) or _covers(session, said, *known):
                    return own
        return None


def _states(session: Session) -> list[bytes]:
    """A digest of what was said and done before the first message, up to the first, up to the second, and so on."""
    digest = hashlib.sha256()
    found = [digest.digest()]
    for message in session.messages:
        digest.update(f"\n{message.role}".encode())
        for part in message.parts:
            if isinstance(part, TextPart):
                told: tuple[Text | None, ...] = (part.text,)
            elif isinstance(part, Call):
                told = (Text(part.name), part.input, part.output, part.error)
            else:
                continue
            for one in told:
                written = b"" if one is None else one.whole().encode("utf-8", "surrogatepass")
                digest.update(b"%d:" % len(written) + written)
        found.append(digest.digest())
    return found


def _covers(longer: Session, all_said: list[bytes], shorter: Session, said: list[bytes]) -> bool:
    """Whether one session says all that another says. The last message of that one may not have been complete."""
    count = len(shorter.messages)
    if count > len(longer.messages):
        return False
    if said[count] == all_said[count]:
        return True
    return (
        count > 0
        and said[count - 1] == all_said[count - 1]
        and _begun(shorter.messages[-1], longer.messages[count - 1])
    )


def _begun(message: Message, later: Message) -> bool:
    """Whether a message may be the beginning of what another one is."""
    if message.role != later.role or len(message.parts) > len(later.parts):
        return False
    for part, whole in zip(message.parts, later.parts, strict=False):
        if isinstance(part, TextPart):
            if not (isinstance(whole, TextPart) and whole.text.whole().startswith(part.text.whole())):
                return False
        elif isinstance(part, Call):
            if not (isinstance(whole, Call) and whole.name == part.name):
                return False
            if part.output not in (None, whole.output):
                return False
            if part.input != whole.input and part.status != "pending":
                return False
    return True


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
