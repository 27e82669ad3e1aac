"""What recurs or hides within a session: starts of the same thing with what changed between them, statements that a
later look of the assistant itself put right, and looks joined so that a failing first hides the others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec

from sessionlens.graph.claims import Claim
from sessionlens.graph.events import Called, Event, Ran, Said
from sessionlens.graph.queries import assistant_prose, change, check, human, told_state
from sessionlens.targets import Target

if TYPE_CHECKING:
    from sessionlens.graph.session_graph import SessionGraph

MOST = 40
"""Starts of one thing that are followed."""


class Attempt(msgspec.Struct, frozen=True, kw_only=True):
    """One of several starts of the same thing."""

    start: Ran
    """The start."""
    added: tuple[str, ...]
    """Words of its command that the start before it did not have."""
    left_out: tuple[str, ...]
    """Words that the one before had and this one has not."""
    looks: tuple[Ran, ...]
    """Checks of it before it was stopped or started again."""
    stopped: Ran | None
    """What stopped it, or the next start."""
    telling: Ran | None
    """The check that tells most of it: of those that found it good or bad the last of the strongest kind."""

    @property
    def good(self) -> bool:
        """Whether that check found it good."""
        return self.telling is not None and self.telling.outcome.state == "good"


class Attempts(msgspec.Struct, frozen=True, kw_only=True):
    """Several starts of one thing, in order."""

    target: Target
    """The thing."""
    attempts: tuple[Attempt, ...]
    """Two at least."""


class Correction(msgspec.Struct, frozen=True, kw_only=True):
    """A statement of success that a later look of the same turn contradicted, with nothing changed in between."""

    claim: Claim
    """The statement."""
    noticed: Called | None
    """The call that showed nothing or failed before the look, where one did."""
    look: Ran
    """The look that found it bad."""
    told: Said | None
    """The first words after it that report the failure."""
    messages_later: int
    """Messages from the statement to the look: 1 for the next one."""


class Chain(msgspec.Struct, frozen=True, kw_only=True):
    """Looks of one command line of which each runs only after the success of the one before."""

    called: Called
    """The call."""
    looks: tuple[Ran, ...]
    """Its looks, in order."""
    hidden: bool
    """Whether the result shows that the later ones did not run, or nothing of them."""


def attempts(graph: SessionGraph) -> list[Attempts]:
    """Everything that was started at least twice, in order of the first start."""
    groups: dict[Target, list[Ran]] = {}
    for seq in graph.index("start"):
        ran = graph.events[seq]
        if (
            isinstance(ran, Ran)
            and ran.command.target.name
            and ran.command.effect in ("start", "restart", "deploy")
        ):
            groups.setdefault(ran.command.target, []).append(ran)
    found = []
    for target, starts in groups.items():
        if len(starts) >= 2:
            followed = tuple(_attempts(graph, target, starts[:MOST]))
            found.append(Attempts(target=target, attempts=followed))
    return found


def _attempts(graph: SessionGraph, target: Target, starts: list[Ran]) -> Iterator[Attempt]:
    before: Ran | None = None
    for start in starts:
        window = graph.after(start).until(change(target))
        looks = tuple(event for event in window.all(check(target)) if isinstance(event, Ran))
        old = Counter(before.command.words if before is not None else start.command.words)
        new = Counter(start.command.words)
        closing = window.closing
        yield Attempt(
            start=start,
            added=_in_order(start.command.words, new - old),
            left_out=_in_order(before.command.words, old - new) if before is not None else (),
            looks=looks,
            stopped=closing if isinstance(closing, Ran) else None,
            telling=_telling(looks),
        )
        before = start


_STRENGTH = {"exercise": 0, "state": 1, "presence": 2}
"""That a process is there tells less than that it answers."""


def _telling(looks: tuple[Ran, ...]) -> Ran | None:
    sure = [look for look in looks if look.outcome.state in ("good", "bad")]
    best = min((_STRENGTH.get(look.command.check_strength or "", 3) for look in sure), default=3)
    return next(
        (look for look in reversed(sure) if _STRENGTH.get(look.command.check_strength or "", 3) == best), None
    )


def _in_order(words: tuple[str, ...], of: Counter[str]) -> tuple[str, ...]:
    left = Counter(of)
    found = []
    for word in words:
        if left[word] > 0:
            left[word] -= 1
            found.append(word)
    return tuple(found)


def corrections(graph: SessionGraph) -> list[Correction]:
    """Statements of success on a target that the assistant's own later look contradicted before the person wrote."""
    found = []
    for claim in graph.claims:
        about = claim.about
        if claim.scope != "target" or not isinstance(about, Ran) or claim.said.depth:
            continue
        target = about.command.target
        window = graph.after(claim.said).until(human | change(target))
        look = next(
            (
                event
                for event in window.all(told_state(target))
                if isinstance(event, Ran) and event.outcome.state in ("good", "bad")
            ),
            None,
        )
        if (
            look is None
            or look.outcome.state != "bad"
            or look.at.message_index == claim.said.at.message_index
        ):
            continue
        told = next(
            (said for said in graph.after(look).until(human).all(assistant_prose) if _tells(graph, said)),
            None,
        )
        found.append(
            Correction(
                claim=claim,
                noticed=_noticed(graph, claim.said, look),
                look=look,
                told=told if isinstance(told, Said) else None,
                messages_later=look.at.message_index - claim.said.at.message_index,
            )
        )
    return found


def _tells(graph: SessionGraph, said: Event) -> bool:
    return isinstance(said, Said) and any(act.act == "reports_failure" for act in graph.reading(said).acts())


def _noticed(graph: SessionGraph, said: Said, look: Ran) -> Called | None:
    for seq in range(said.seq + 1, look.call.seq):
        event = graph.events[seq]
        if isinstance(event, Called) and (event.shows_nothing or event.call.exit not in (0, None)):
            return event
    return None


def chains(graph: SessionGraph) -> list[Chain]:
    """Command lines with several looks of which a failing one keeps the later ones from running."""
    found = []
    for seq in graph.index("called"):
        called = graph.events[seq]
        if not isinstance(called, Called):
            continue
        commands = graph.commands(called)
        looks = [ran for ran in commands if ran.command.check_strength is not None]
        if len(looks) < 2 or any(ran.changes for ran in commands):
            continue
        joined = all(ran.command.runs_if == "after_success" for ran in looks[1:])
        programs = {ran.command.words[:1] for ran in looks}
        # A test that opens the way, as in ``test -f x && cat x``, is meant to.
        guard = looks[0].command.verdict_by_exit and looks[0].command.words[:1] != ("curl",)
        if joined and not guard and programs:
            failed = called.call.exit not in (0, None) or called.shows_nothing
            if failed and all(ran.outcome.state is None for ran in looks[1:]):
                found.append(Chain(called=called, looks=tuple(looks), hidden=True))
    return found
