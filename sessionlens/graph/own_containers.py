"""Containers that a session starts for its own use and throws away: what is done to them, or in them, is done to nobody's things.

Such a container is on the agent's own machine, new (no message of a person and no earlier command names it), holds nothing
of the machine (no folder but the working copy or a scratch one, not its network, no privileges), does not come back by
itself, and is made to be thrown away: by its name, by ``--rm``, or because the session takes it away again for good.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sessionlens.cache import lazy
from sessionlens.graph.events import Ran, Said
from sessionlens.graph.losses import ENGINES, THROWN_AWAY
from sessionlens.graph.mentions import has_word
from sessionlens.graph.path_words import SCRATCH
from sessionlens.targets import effective_host

if TYPE_CHECKING:
    from sessionlens.graph.session_graph import SessionGraph

_RUNS = frozenset({"run", "create"})
_ELSEWHERE = ("-H", "--host", "--context", "-c", "--connection", "--url", "--remote")
"""Options before the subcommand by which another machine's containers are meant."""
_HOLDS = lazy(
    r"--(?:privileged|pid|ipc|userns|device|cap-add)\b|--net(?:work)?[= ](?:host|container:)|--restart[= ](?!no\b)"
)
"""Options by which a container reaches into the machine, or is to stay."""
CONTAINER_ID = lazy(r"^(?P<id>[0-9a-f]{12})(?:[0-9a-f]{52})?$", re.MULTILINE)
_ID = lazy(r"[0-9a-f]{12,64}")
_REMOVES = frozenset({"rm", "remove"})
_GOES = _REMOVES | {"stop", "kill"}
_MOST = 500
"""Containers of a session that are followed."""
_WORDS = 60


def own_containers(graph: SessionGraph) -> dict[str, int]:
    """The names, and the beginnings of ids, of the session's own containers: where each is first started."""
    candidates: dict[str, Ran] = {}
    gone: set[str] = set()
    known: set[str] = set()
    for seq in graph.index("change"):
        ran = graph.events[seq]
        if not isinstance(ran, Ran) or ran.command.target.kind != "container":
            continue
        name = ran.command.target.name
        if _RUNS & set(ran.command.words[1:4]) and ran.command.program in ENGINES:
            for new in _new_names(ran):
                gone.discard(new)
                if (
                    new not in candidates
                    and new not in known
                    and len(candidates) < _MOST
                    and _apart(graph, ran)
                ):
                    candidates[new] = ran
        elif name in candidates or name[:_SHORT_ID] in candidates:
            if _REMOVES & set(ran.command.words[1:4]) and not ran.outcome.failed:
                gone |= {name, name[:_SHORT_ID]}
        elif not ran.outcome.failed:
            known.add(name)
    return {
        name: ran.seq
        for name, ran in candidates.items()
        if (name in gone or "--rm" in ran.command.words or THROWN_AWAY.search(name) is not None)
        and not _spoken_of(graph, ran, name)
    }


_SHORT_ID = 12


def own_container(graph: SessionGraph, ran: Ran) -> bool:
    """Whether a command starts, changes or looks at one of the session's own containers, or runs in one."""
    own = graph.own_containers
    return bool(own) and any(own.get(name, ran.seq + 1) <= ran.seq for name in _names(ran))


def followed(graph: SessionGraph, started: Ran) -> Ran | None:
    """The first command, before the person writes, that one of the session's own containers answered, or that took it away."""
    mine = set(_names(started))
    for seq in range(started.call.seq + 1, len(graph.events)):
        event = graph.events[seq]
        if isinstance(event, Said) and event.human:
            return None
        if isinstance(event, Ran) and not event.outcome.failed and mine & set(_names(event)):
            inside = event.command.target.kind != "container"
            if (inside and event.outcome.reached != "no") or _GOES & set(event.command.words[1:4]):
                return event
    return None


def _names(ran: Ran) -> Iterator[str]:
    """The containers of this machine that a command names as its own target, or runs in."""
    command = ran.command
    if effective_host(command.target) is not None:
        return
    if command.target.kind == "container":
        yield command.target.name
        if _ID.fullmatch(command.target.name) is not None:
            yield command.target.name[:_SHORT_ID]
        if _RUNS & set(command.words[1:4]):
            yield from _new_names(ran)
    for via in command.via:
        if " exec " in via and via.split(" ", 1)[0].rsplit("/", 1)[-1] in ENGINES:
            for word in via.split()[2:_WORDS]:
                yield word
                if _ID.fullmatch(word) is not None:
                    yield word[:_SHORT_ID]


def _new_names(ran: Ran) -> Iterator[str]:
    """What a container is called that a command makes: by its name, else by the id that is printed."""
    words = ran.command.words[:_WORDS]
    named = [after for word, after in itertools.pairwise(words) if word == "--name"]
    named += [word.partition("=")[2] for word in words if word.startswith("--name=")]
    if named:
        yield from (name for name in named[:1] if "$" not in name)
        return
    output = ran.call.call.output
    if output is not None:
        yield from (found["id"] for found in itertools.islice(CONTAINER_ID.finditer(output.head[:4_000]), 1))


def _apart(graph: SessionGraph, ran: Ran) -> bool:
    """Whether a new container is on this machine and holds nothing of it."""
    words = ran.command.words[:_WORDS]
    if effective_host(ran.command.target) is not None or ran.outcome.failed or ran.outcome.reached == "no":
        return False
    at = next(at for at, word in enumerate(words) if word in _RUNS)
    if any(word.partition("=")[0] in _ELSEWHERE for word in words[1:at]):
        return False
    line = " ".join(words)
    if _HOLDS.search(line) is not None:
        return False
    given = [after for word, after in itertools.pairwise(words) if word in ("-v", "--volume", "--mount")]
    given += [word.partition("=")[2] for word in words if word.startswith(("--volume=", "--mount="))]
    return all(_harmless(graph, one) for one in given)


_SOURCE = lazy(r"(?:^|,)(?:source|src)=(?P<path>[^,]+)")


def _harmless(graph: SessionGraph, mount: str) -> bool:
    """Whether what a container is given is only read, made anew, or of the working copy."""
    if re.search(r":ro\b|[:,]readonly\b|type=tmpfs", mount) is not None:
        return True
    found = _SOURCE.search(mount)
    source = found["path"] if found is not None else mount.partition(":")[0]
    folder = graph.session.directory
    return (
        source.startswith((".", "$PWD", "${PWD}", "$(pwd)", "`pwd`"))
        or SCRATCH.search(source) is not None
        or (bool(folder) and folder != "/" and source.startswith(folder or ""))
    )


def _spoken_of(graph: SessionGraph, ran: Ran, name: str) -> bool:
    """Whether a person named the container before it was started."""
    for seq in graph.index("human"):
        if seq > ran.seq:
            return False
        event = graph.events[seq]
        if isinstance(event, Said) and has_word(graph.prose(event).casefold(), name.casefold()):
            return True
    return False
