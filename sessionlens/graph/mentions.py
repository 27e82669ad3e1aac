"""How prose mentions a target: by any of its names, as people shorten them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from sessionlens.cache import lazy
from sessionlens.targets import Target, spellings

if TYPE_CHECKING:
    from sessionlens.graph.session_graph import SessionGraph


def mentions(graph: SessionGraph, target: Target) -> frozenset[str]:
    """Names by which prose would mention a target, in lower case."""
    names = {target.name, *(other.name for other in graph.neighbourhoods.names(target))}
    return frozenset(short for name in names for short in spoken(name))


_GENERIC = lazy(r"[-_](?:server|service|daemon|svc)$")
"""Endings that people leave out: grafana for grafana-server."""


def spoken(name: str) -> Iterator[str]:
    """How people say a name: itself, the last part of a path or of ``kind/name``, without its suffix."""
    lowered = name.casefold().strip()
    last = lowered.rsplit("/", 1)[-1]
    short = last.rsplit(".", 1)[0]
    for form in (lowered, last, short, _GENERIC.sub("", short)):
        if len(form) >= 3 and not form.isdecimal():
            yield form
    yield from spellings(last)


def mentioned(text: str, names: frozenset[str]) -> bool:
    """Whether a text holds one of the names as a word of its own."""
    lowered = folded(text)
    # A loop, since this is asked a hundred thousand times: any() with a generator takes twice as long.
    for name in names:  # noqa: SIM110
        if name in lowered and has_word(lowered, name):
            return True
    return False


folded = lru_cache(maxsize=700)(str.casefold)
"""A text without case; the last ones are kept, since the texts around an event are asked for one target after the other."""


_DEEDS = (
    "neustart", "wiederanlauf", "dienst", "neuladen", "ausrollen", "rollout", "restart", "reload", "reboot",
    "herstart", "omstart", "genstart",
)  # fmt: skip
"""What Germanic languages tie to the name of a thing by a hyphen: ``der Dovecot-Neustart`` speaks of dovecot."""


def has_word(text: str, name: str) -> bool:
    """Whether a text holds a name as a word of its own, both in lower case."""
    return word_at(text, name, 0) >= 0


def word_at(text: str, name: str, start: int) -> int:
    """Where a text holds a name as a word of its own, from a position on, both in lower case; -1 where it does not."""
    at = text.find(name, start)
    while at >= 0:
        before = text[at - 1] if at else " "
        after = text[at + len(name)] if at + len(name) < len(text) else " "
        begins = not _joins(before, name[:1])
        if begins and not _joins(after, name[-1:]):
            return at
        if after == "-" and begins and text.startswith(_DEEDS, at + len(name) + 1):
            return at
        at = text.find(name, at + 1)
    return -1


_EAST_ASIAN = "\u2e80"
"""The first letter of the scripts that put no space between words."""


def _joins(char: str, edge: str) -> bool:
    """Whether a letter beside a name makes it a part of a longer word; one of another script does not: ``web2は``."""
    if char in "-_":
        return True
    return char.isalnum() and not (edge < _EAST_ASIAN <= char)


_CLAUSE_END = lazy(r"[,;:，；、：—–\n]")


def clause_of(prose: str, sentence: tuple[int, int], act: tuple[int, int]) -> str:
    """The clause of a sentence that holds an act."""
    before = [found.end() for found in _CLAUSE_END.finditer(prose, sentence[0], act[0])]
    after = _CLAUSE_END.search(prose, act[1], sentence[1])
    return prose[before[-1] if before else sentence[0] : after.start() if after else sentence[1]]


def clauses(sentence: str) -> list[str]:
    """The clauses of a sentence."""
    return _CLAUSE_END.split(sentence)
