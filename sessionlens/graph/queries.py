"""The questions rules ask: what came after an event, until something, that fulfils something.

``graph.after(event).until(human | change(target)).first(check(target))`` reads as it is meant: of the events
after this one and before the next human message or the next change of that target, the first check of it.
A *window* is a stretch of the line of events, a *predicate* a condition on an event. docs/queries.md has them
all with worked examples.

A question costs no more than the events of its window that its index names, and stops at the first that
decides it.
"""

from __future__ import annotations

import heapq
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, get_args

import msgspec

from sessionlens.graph.events import Called, Event, Operation, Ran, Said
from sessionlens.graph.matching import Search, searching
from sessionlens.language.acts import AssistantAct, UserAct
from sessionlens.shell.command import Effect
from sessionlens.targets import Environment, Kind, Target
from sessionlens.wording import did_you_mean

if TYPE_CHECKING:
    from sessionlens.graph.session_graph import SessionGraph

_NARROWEST = ("none", "human", "start", "change", "check", "called", "ran", "said", "all")
"""The indexes of the graph, the ones with fewer events first."""


EFFECTS: tuple[str, ...] = get_args(Effect)
"""What a command may do: the words of :func:`has_effect`."""
ACTS: tuple[str, ...] = (*get_args(AssistantAct), *get_args(UserAct))
"""What prose may do: the words of :func:`speaks`."""
KINDS: tuple[str, ...] = get_args(Kind)
"""What a command may act on: the ``kind`` of :func:`acts_on`."""
ENVIRONMENTS: tuple[str, ...] = get_args(Environment)
"""Where a command may act: the words of :func:`in_environment`."""


class WordError(ValueError):
    """A word that a predicate does not know, or none where it needs one; says which there are."""


def checked_words(predicate: str, *words: str, key: str = "") -> None:
    """Hold the words given to a predicate against those it knows. Commands and tools are free.

    :param predicate: its name, such as ``has_effect``.
    :param key: the argument they are given as; empty for those without a name.
    :raises WordError: for a word that can fit nothing, and for no words at all.
    """
    if predicate == "acts_on":
        if key == "kind" and not any(fnmatchcase(kind, words[0]) for kind in KINDS):
            raise WordError(_strange("acts_on(kind=…)", words[0], "kind of target", KINDS))
        return
    if predicate not in _KNOWN and predicate not in ("runs", "calls"):
        return
    if not words:
        raise WordError(f"{predicate}() needs at least one word, or it asks for nothing")
    if any(not word.strip() for word in words):
        raise WordError(f"{predicate}(…): an empty word fits nothing")
    if predicate == "runs" and " " in words[0].strip() and "*" not in words[0]:
        parts = ", ".join(f'"{part}"' for part in words[0].split())
        raise WordError(f"runs({words[0]!r}): each word by itself: runs({parts})")
    what, known = _KNOWN.get(predicate, ("", ()))
    for word in words:
        if known and word not in known:
            raise WordError(_strange(f"{predicate}(…)", word, what, known))


def _strange(where: str, word: str, what: str, known: tuple[str, ...]) -> str:
    return f"{where}: {word!r} is no {what}{did_you_mean(word, known) or ';'} there are {', '.join(known)}"


_KNOWN: dict[str, tuple[str, tuple[str, ...]]] = {
    "has_effect": ("effect", EFFECTS),
    "speaks": ("act of speech", ACTS),
    "in_environment": ("environment", ENVIRONMENTS),
}
"""By predicate, what its words are and which there are."""


class Predicate(msgspec.Struct, frozen=True, kw_only=True):
    """A condition on an event. ``a | b``: either holds; ``a & b``: both hold; ``~a``: it does not."""

    name: str
    """What it asks for, for error messages and explanations."""
    among: str
    """The index of the graph that holds every event that could fulfil it, so that a question is cheap;
    several, joined by ``|``.
    """
    holds: Callable[[SessionGraph, Event], bool]
    """The condition itself, asked of events of that index alone."""
    denies: str = ""
    """Of ``~p`` the indexes of ``p``: outside of them it says nothing of an event. Empty for what is no ``~``."""

    def __or__(self, other: Predicate) -> Predicate:
        """Either of the two."""
        names = dict.fromkeys((*self.among.split("|"), *other.among.split("|")))
        return Predicate(
            name=f"{self.name} | {other.name}",
            among="|".join(name for name in _NARROWEST if name in names),
            holds=lambda graph, event: self.fulfilled(graph, event) or other.fulfilled(graph, event),
        )

    def __and__(self, other: Predicate) -> Predicate:
        """Both.

        :raises ValueError: where the two speak of different kinds of events, so that one of them decides nothing.
        """
        never_both((self.name, self.among, self.denies), (other.name, other.among, other.denies))
        return Predicate(
            name=f"{_in_brackets(self.name)} & {_in_brackets(other.name)}",
            among=min(self.among, other.among, key=_breadth),
            holds=lambda graph, event: self.fulfilled(graph, event) and other.fulfilled(graph, event),
        )

    def __invert__(self) -> Predicate:
        """Everything else."""
        return Predicate(
            name=f"~{_in_brackets(self.name)}",
            among="all",
            denies=self.among,
            holds=lambda graph, event: not self.fulfilled(graph, event),
        )

    def __bool__(self) -> bool:
        """Never: ``and``, ``or`` and ``not`` would quietly drop one of two predicates."""
        raise TypeError(f"{self.name}: combine predicates with | & ~, not with or, and, not")

    def fulfilled(self, graph: SessionGraph, event: Event) -> bool:
        """Whether an event fulfils it, whatever index the event is from."""
        among = self.among.split("|")
        return any(_in_index(name, event) for name in among) and self.holds(graph, event)


_KIND_OF = {
    "human": "Said", "said": "Said", "called": "Called", "ran": "Ran", "start": "Ran", "change": "Ran", "check": "Ran",
}  # fmt: skip
"""The kind of event that an index of the graph holds; of several kinds where it is not named."""
_EVENTS = {
    "Said": "a message or prose (Said)",
    "Called": "a call (Called)",
    "Ran": "a command of a call (Ran)",
}


def kinds_among(among: str) -> tuple[str, ...]:
    """The kinds of events that these indexes hold: of ``Said``, ``Called``, ``Ran``; all three for none in particular."""
    parts = among.split("|")
    kinds = {_KIND_OF.get(part, "") for part in parts}
    return tuple(kind for kind in _EVENTS if kind in kinds) if "" not in kinds else tuple(_EVENTS)


def never_both(one: tuple[str, str, str], other: tuple[str, str, str]) -> None:
    """Refuse ``one & other`` where no event can be both, or where one of them is ``~`` of what no such event can be.

    :param one: name, ``among`` and ``denies`` of a predicate.
    :raises ValueError: which belongs to which event, and what to write instead.
    """
    for (name, among, denies), (name_2, among_2, denies_2) in ((one, other), (other, one)):
        about, about_2 = kinds_among(among), kinds_among(denies_2 or among_2)
        if among == "none" or (denies and denies_2) or set(about) & set(about_2):
            continue
        both = " or ".join(_EVENTS[kind] for kind in about), " or ".join(_EVENTS[kind] for kind in about_2)
        what = "would hold for each of them" if denies_2 else "so that no event is both"
        if about == ("Ran",) and about_2 == ("Called",):
            bare = name_2.removeprefix("~")
            instead = f"write {_in_brackets(name)} & {'~' if denies_2 else ''}of_call({bare})"
        elif about == ("Called",) and about_2 == ("Ran",) and not denies_2:
            instead = f"write {_in_brackets(name_2)} & of_call({name})"
        else:
            instead = "ask for the one, then a window of it for the other, such as after(event).first(…)"
        raise ValueError(f"{name} is {both[0]}, {name_2.removeprefix('~')} {both[1]}, {what}; {instead}")


def _in_brackets(name: str) -> str:
    return f"({name})" if " | " in name or (" & " in name and not name.startswith("(")) else name


def _breadth(among: str) -> tuple[int, int]:
    """How wide an index is: by its widest part, then by how many parts it has."""
    parts = among.split("|")
    return max(_NARROWEST.index(part) for part in parts), len(parts)


def _in_index(name: str, event: Event) -> bool:
    """Whether an index of the graph holds an event."""
    if name in ("all", "none"):
        return name == "all"
    if isinstance(event, Said):
        return name == "said" or (name == "human" and event.human and event.opening)
    if isinstance(event, Called):
        return name == "called"
    return name == "ran" or (name in ("check", "change", "start") and bool(getattr(event, name)))


human = Predicate(name="human", among="human", holds=lambda _graph, _event: True)
"""A human message of the audited session."""

assistant = Predicate(
    name="assistant",
    among="said",
    holds=lambda _graph, event: isinstance(event, Said) and event.opening and event.role == "assistant",
)
"""The beginning of an assistant message, in the session or a child."""

assistant_prose = Predicate(
    name="assistant_prose",
    among="said",
    holds=lambda _graph, event: isinstance(event, Said) and event.role == "assistant" and bool(event.texts),
)
"""Prose of the assistant, before or after a call of its message."""

cut_off = Predicate(
    name="cut_off",
    among="called",
    holds=lambda _graph, event: isinstance(event, Called) and event.cut_off is not None,
)
"""A call that a time limit ended."""

polls = Predicate(
    name="polls",
    among="called",
    holds=lambda _graph, event: isinstance(event, Called) and event.call.continues is not None,
)
"""A call that polls or feeds the process of an earlier one."""

end = Predicate(name="end", among="none", holds=lambda _graph, _event: False)
"""The end of the session. A window ends there anyway; naming it makes a rule read as it is meant."""


def check(target: Target) -> Predicate:
    """A check on the target's neighbourhood whose result shows something."""
    return Predicate(
        name=f"check({target.name})",
        among="check",
        holds=lambda graph, event: isinstance(event, Ran) and graph.match(event, target) is not None,
    )


def told_state(target: Target) -> Predicate:
    """A check that tells how a running thing is. Reading its files back says nothing of that."""
    return Predicate(
        name=f"told_state({target.name})",
        among="check",
        holds=lambda graph, event: (
            isinstance(event, Ran)
            and event.command.check_strength != "read_back"
            and graph.match(event, target) is not None
        ),
    )


def change(target: Target) -> Predicate:
    """A change of the target's neighbourhood."""
    return Predicate(
        name=f"change({target.name})",
        among="change",
        holds=lambda graph, event: isinstance(event, Ran) and graph.match(event, target) is not None,
    )


def acknowledges(operation: Operation) -> Predicate:
    """Assistant prose that tells the reader about an open operation."""
    return Predicate(
        name="acknowledges",
        among="said",
        holds=lambda graph, event: (
            isinstance(event, Said) and graph.acknowledges(event, operation) is not None
        ),
    )


# -- kinds of events ----------------------------------------------------------------------------------


def _always(_graph: SessionGraph, _event: Event) -> bool:
    return True


any_call = Predicate(name="any_call", among="called", holds=_always)
"""A call of any tool."""

any_command = Predicate(name="any_command", among="ran", holds=_always)
"""A command of a call: what really runs, wrappers such as ``ssh`` and ``sudo`` taken off."""

changes = Predicate(name="changes", among="change", holds=_always)
"""A change of any target."""

checks = Predicate(name="checks", among="check", holds=_always)
"""A check of any target whose result shows something."""

starts = Predicate(name="starts", among="start", holds=_always)
"""A command that (re)starts, reloads, deploys or reboots something."""

edits = Predicate(
    name="edits",
    among="change",
    holds=lambda _graph, event: isinstance(event, Ran) and event.command.effect == "edit",
)
"""A write to a file, by a tool or a command line."""

silent = Predicate(
    name="silent",
    among="said",
    holds=lambda _graph, event: isinstance(event, Said) and event.opening and event.message.empty,
)
"""A message with neither visible text nor a call."""

interrupted = Predicate(
    name="interrupted",
    among="called",
    holds=lambda _graph, event: isinstance(event, Called) and event.call.interrupted,
)
"""A call that the person stopped."""

unfinished = Predicate(
    name="unfinished",
    among="called",
    holds=lambda _graph, event: isinstance(event, Called) and event.unfinished,
)
"""A call without a result."""

detached = Predicate(
    name="detached",
    among="ran",
    holds=lambda _graph, event: (
        isinstance(event, Ran) and (event.command.detached or event.call.call.background)
    ),
)
"""A command that goes on after its call returned."""

failed = Predicate(
    name="failed",
    among="called|ran",
    holds=lambda _graph, event: (
        event.outcome.failed
        if isinstance(event, Ran)
        else isinstance(event, Called) and (event.call.status == "error" or event.call.exit not in (0, None))
    ),
)
"""A call that ended with an error or an exit code other than 0; a command whose result shows that it failed.
``any_call & failed`` and ``any_command & failed`` ask for one of the two.
"""

succeeded = Predicate(
    name="succeeded",
    among="ran",
    holds=lambda _graph, event: isinstance(event, Ran) and event.succeeded,
)
"""A command whose own result shows that it came to a good end."""

found_good = Predicate(
    name="found_good",
    among="check",
    holds=lambda _graph, event: isinstance(event, Ran) and event.outcome.state == "good",
)
"""A check that found its target good."""

found_bad = Predicate(
    name="found_bad",
    among="check",
    holds=lambda _graph, event: isinstance(event, Ran) and event.outcome.state == "bad",
)
"""A check that found its target bad."""

no_output = Predicate(
    name="no_output",
    among="called",
    holds=lambda _graph, event: isinstance(event, Called) and event.shows_nothing,
)
"""A call that came to its end and showed nothing."""


# -- what a command is, and what it acts on -----------------------------------------------------------


def has_effect(*effects: str) -> Predicate:
    """A command with one of these effects (:data:`EFFECTS`), such as ``restart`` or ``deploy``; no dry run.

    :raises WordError: for a word that it does not know, or none.
    """
    checked_words("has_effect", *effects)
    return Predicate(
        name=f"has_effect({', '.join(effects)})",
        among="ran",
        holds=lambda _graph, event: (
            isinstance(event, Ran) and event.command.effect in effects and not event.command.dry_run
        ),
    )


def runs(*words: str) -> Predicate:
    """A command whose first words are these, such as ``runs("git", "push")``. ``*`` in a word fits anything.

    :raises WordError: without a word.
    """
    checked_words("runs", *words)
    return Predicate(
        name=f"runs({' '.join(words)})",
        among="ran",
        holds=lambda _graph, event: (
            isinstance(event, Ran)
            and len(event.command.words) >= len(words)
            and all(
                fnmatchcase(word, pattern) for word, pattern in zip(event.command.words, words, strict=False)
            )
        ),
    )


def of_call(predicate: Predicate) -> Predicate:
    """A command whose call fulfils a predicate of calls, such as ``runs("make") & of_call(cut_off)``.

    :raises ValueError: for a predicate that no call can fulfil.
    """
    if "Called" not in kinds_among(predicate.among):
        raise ValueError(f"of_call({predicate.name}): {predicate.name} is no predicate of calls")
    return Predicate(
        name=f"of_call({predicate.name})",
        among="ran",
        holds=lambda graph, event: isinstance(event, Ran) and predicate.fulfilled(graph, event.call),
    )


def calls(*tools: str) -> Predicate:
    """A call of one of these tools, by the client's name of them. ``*`` fits anything.

    :raises WordError: without a word.
    """
    checked_words("calls", *tools)
    return Predicate(
        name=f"calls({', '.join(tools)})",
        among="called",
        holds=lambda _graph, event: (
            isinstance(event, Called) and any(fnmatchcase(event.call.name, tool) for tool in tools)
        ),
    )


def in_environment(*names: str) -> Predicate:
    """A command that acts in one of these environments: production, staging, development, local, unknown.

    :raises WordError: for a word that it does not know, or none.
    """
    checked_words("in_environment", *names)
    return Predicate(
        name=f"in_environment({', '.join(names)})",
        among="ran",
        holds=lambda graph, event: isinstance(event, Ran) and graph.setting(event).environment in names,
    )


def acts_on(kind: str = "*", name: str = "*", host: str = "*") -> Predicate:
    """A command whose target is of this kind and has this name on this host. ``*`` fits anything.

    :param host: ``""`` for the agent's own machine.
    :raises WordError: for a kind that there is not.
    """
    checked_words("acts_on", kind, key="kind")
    return Predicate(
        name=f"acts_on({kind}, {name}, {host})",
        among="ran",
        holds=lambda _graph, event: (
            isinstance(event, Ran)
            and fnmatchcase(event.command.target.kind, kind)
            and fnmatchcase(event.command.target.name, name)
            and fnmatchcase(event.command.target.host or "", host)
        ),
    )


def same_target(as_: Event | Operation) -> Predicate:
    """Another command on the neighbourhood of what this one acts on: a change, a check or neither.

    Of a call: of any of its commands. Prose acts on nothing, so nothing fulfils it.
    """
    return Predicate(
        name="same_target",
        among="ran",
        holds=lambda graph, event: (
            isinstance(event, Ran)
            and event.seq != _origin(as_).seq
            and any(graph.match(event, target) is not None for target in targets_of(graph, as_))
        ),
    )


def same_operation(as_: Event | Operation) -> Predicate:
    """The same command on the same target again, or a poll of the process it started."""

    def holds(graph: SessionGraph, event: Event) -> bool:
        origin = _origin(as_)
        first = origin.call if isinstance(origin, Ran) else origin
        if isinstance(event, Called):
            of = event.call.continues
            return of is not None and isinstance(first, Called) and of == first.call.id
        if not isinstance(event, Ran) or event.call.seq == first.seq:
            return False
        if isinstance(origin, Ran):
            return _form(event) == _form(origin)
        return isinstance(origin, Called) and any(
            _form(event) == _form(ran) for ran in graph.commands(origin)
        )

    return Predicate(name="same_operation", among="called|ran", holds=holds)


def same_call(as_: Event) -> Predicate:
    """Another call of the same tool with the same command line, or where it has none with the same input, to the
    letter. Limits and descriptions of a command line do not matter.
    """
    first = as_.call if isinstance(as_, Ran) else as_
    return Predicate(
        name="same_call",
        among="called",
        holds=lambda _graph, event: (
            isinstance(event, Called)
            and isinstance(first, Called)
            and event.seq != first.seq
            and event.call.name == first.call.name
            and event.line == first.line
            and (first.line is not None or event.call.input == first.call.input)
        ),
    )


def same_session(as_: Event | Operation) -> Predicate:
    """Anything of the same session: children are left out, or the parent where it is of a child."""
    return Predicate(
        name="same_session",
        among="all",
        holds=lambda _graph, event: event.at.session == _origin(as_).at.session,
    )


def targets_of(graph: SessionGraph, of: Event | Operation) -> tuple[Target, ...]:
    """What a command, a call's commands or an operation act on; nothing for prose."""
    if isinstance(of, Operation):
        return (of.target,)
    if isinstance(of, Ran):
        return (of.command.target,)
    if isinstance(of, Called):
        return tuple(dict.fromkeys(ran.command.target for ran in graph.commands(of)))
    return ()


def _origin(of: Event | Operation) -> Event:
    return of.event if isinstance(of, Operation) else of


def _form(ran: Ran) -> tuple[object, ...]:
    return ran.command.words, ran.command.target, ran.command.effect


# -- words --------------------------------------------------------------------------------------------


def speaks(*acts: str) -> Predicate:
    """Prose that does one of these acts (:data:`ACTS`), such as ``claims_success`` or, of a person, ``complaint``.

    :raises WordError: for a word that it does not know, or none.
    """
    checked_words("speaks", *acts)
    return Predicate(
        name=f"speaks({', '.join(acts)})",
        among="said",
        holds=lambda graph, event: (
            isinstance(event, Said)
            and bool(event.texts)
            and any(act.act in acts for act in graph.reading(event).acts())
        ),
    )


def mentions(pattern: str | re.Pattern[str]) -> Predicate:
    """Prose of a role that holds a match of the pattern. A string is an RE2 pattern, in lower and upper case."""
    search = searching(pattern)
    return Predicate(
        name=f"mentions({search.pattern})",
        among="said",
        holds=lambda graph, event: (
            isinstance(event, Said) and bool(event.texts) and search(graph.prose(event))
        ),
    )


def command_line(pattern: str | re.Pattern[str]) -> Predicate:
    """A call whose command line, or whose input where it is no command line, holds a match of the pattern."""
    search = searching(pattern)
    return Predicate(
        name=f"command_line({search.pattern})",
        among="called",
        holds=lambda _graph, event: (
            isinstance(event, Called)
            and search(event.line if event.line is not None else event.call.input.ends())
        ),
    )


def shows(pattern: str | re.Pattern[str]) -> Predicate:
    """A call whose result holds a match of the pattern; of a long one, its two ends."""
    search = searching(pattern)
    return Predicate(
        name=f"shows({search.pattern})",
        among="called",
        holds=lambda _graph, event: isinstance(event, Called) and _shows(event, search),
    )


def _shows(called: Called, search: Search) -> bool:
    shown = called.call.output if called.call.error is None else called.call.error
    return shown is not None and search(shown.ends())


# -- times --------------------------------------------------------------------------------------------


def took(least_s: float = 0.0, most_s: float = float("inf")) -> Predicate:
    """A call that took at least, and at most, so many seconds. One whose times are not known does not fulfil it."""

    def holds(graph: SessionGraph, event: Event) -> bool:
        duration = graph.took(event)
        return duration is not None and least_s * 1000 <= duration <= most_s * 1000

    return Predicate(name=f"took({least_s:g}, {most_s:g})", among="called", holds=holds)


def limited(least_s: float = 0.0, most_s: float = float("inf")) -> Predicate:
    """A call with a time limit of at least, and at most, so many seconds: the client's, asked for or default."""

    def holds(_graph: SessionGraph, event: Event) -> bool:
        allowed = event.call.limit_ms if isinstance(event, Called) else None
        return allowed is not None and least_s * 1000 <= allowed <= most_s * 1000

    return Predicate(name=f"limited({least_s:g}, {most_s:g})", among="called", holds=holds)


class Window:
    """A stretch of the line of events, after one event and up to the first that ends it."""

    def __init__(self, graph: SessionGraph, after: int, before: int) -> None:
        """Events with ``after < seq < before``."""
        self._graph, self._after, self._before = graph, after, before

    @property
    def opening(self) -> Event | None:
        """The last event before the window, ``None`` for the beginning of the session."""
        return self._graph.events[self._after] if self._after >= 0 else None

    @property
    def before(self) -> int:
        """Position of the event that ends the window; the number of events when the session's end does."""
        return self._before

    @property
    def closing(self) -> Event | None:
        """The event that ends the window, ``None`` for the end of the session."""
        events = self._graph.events
        return events[self._before] if self._before < len(events) else None

    def holds(self, event: Event) -> bool:
        """Whether an event stands in the window."""
        return self._after < event.seq < self._before

    # -- a shorter window ---------------------------------------------------------------------------

    def until(self, *predicates: Predicate) -> Window:
        """The part of the window before the first event that fulfils any of the predicates."""
        first = next(self._either(predicates), None)
        part = Window(self._graph, self._after, self._before if first is None else first.seq)
        self._asked("until", predicates, first)
        return part

    def since(self, *predicates: Predicate) -> Window:
        """The part of the window after the last event that fulfils any of the predicates."""
        last = next(self._either(predicates, backwards=True), None)
        part = Window(self._graph, self._after if last is None else last.seq, self._before)
        self._asked("since", predicates, last)
        return part

    def within(self, ms: float) -> Window:
        """The part of the window that begins at most so many milliseconds after the event before it was over.

        What has no time is taken to be in time; where the log has no times at all, that is everything.
        """
        opening = self.opening
        over = self._graph.finished(opening) if opening is not None else self._graph.session.started
        late = None if over is None else self._graph.later_than(over + ms, self._after + 1, self._before)
        self._asked(f"within({ms:g})", (), None if late is None else self._graph.events[late])
        return Window(self._graph, self._after, self._before if late is None else late)

    # -- answers ------------------------------------------------------------------------------------

    def all(self, predicate: Predicate) -> Iterator[Event]:
        """Every event of the window that fulfils the predicate, in order."""
        if self._graph.trace is None:
            return self._each(predicate)
        found = list(self._each(predicate))
        self._asked("all", (predicate,), found)
        return iter(found)

    def first(self, predicate: Predicate) -> Event | None:
        """The first such event."""
        found = next(self._each(predicate), None)
        self._asked("first", (predicate,), found)
        return found

    def last(self, predicate: Predicate) -> Event | None:
        """The last such event."""
        found = next(self._each(predicate, backwards=True), None)
        self._asked("last", (predicate,), found)
        return found

    def any(self, predicate: Predicate) -> bool:
        """Whether there is such an event."""
        found = next(self._each(predicate), None)
        self._asked("any", (predicate,), found)
        return found is not None

    def none(self, predicate: Predicate) -> bool:
        """Whether there is no such event."""
        return not self.any(predicate)

    def every(self, predicate: Predicate, of: Predicate) -> bool:
        """Whether everything that fulfils ``of`` fulfils the predicate too; also when there is nothing.

        :raises ValueError: where the two speak of different kinds of events.
        """
        return not self.any(of & ~predicate)

    def count(self, predicate: Predicate) -> int:
        """How many such events there are."""
        number = sum(1 for _ in self._each(predicate))
        self._asked("count", (predicate,), number)
        return number

    def at_least(self, number: int, predicate: Predicate) -> bool:
        """Whether there are that many such events; looks no further than the last of them."""
        if number <= 0:
            return True
        enough = any(count >= number for count, _ in enumerate(self._each(predicate), 1))
        self._asked(f"at_least({number})", (predicate,), enough)
        return enough

    def sequence(self, *predicates: Predicate) -> tuple[Event, ...] | None:
        """The first events that fulfil the predicates one after another; ``None`` where one is missing."""
        found: list[Event] = []
        after = self._after
        for predicate in predicates:
            event = next(Window(self._graph, after, self._before)._each(predicate), None)
            if event is None:
                break
            found.append(event)
            after = event.seq
        complete = tuple(found) if len(found) == len(predicates) else None
        self._asked("sequence", predicates, found)
        return complete

    def _each(self, predicate: Predicate, *, backwards: bool = False) -> Iterator[Event]:
        return self._either((predicate,), backwards=backwards)

    def _either(self, predicates: tuple[Predicate, ...], *, backwards: bool = False) -> Iterator[Event]:
        """Events that fulfil one of the predicates: in order, or the last first. Looked at as they are asked for."""
        events, graph = self._graph.events, self._graph
        slices = []
        for predicate in predicates:
            index = graph.index(predicate.among)
            low, high = bisect_right(index, self._after), bisect_left(index, self._before)
            step = range(high - 1, low - 1, -1) if backwards else range(low, high)
            # A function binds the predicate, which a generator would look up only when it runs.
            slices.append(_fulfilling(graph, predicate, index, step))
        seqs = slices[0] if len(slices) == 1 else heapq.merge(*slices, reverse=backwards)
        last = -1
        for seq in seqs:
            if seq != last:
                last = seq
                yield events[seq]

    def _asked(self, how: str, predicates: tuple[Predicate, ...], answer: Any) -> None:
        trace = self._graph.trace
        if trace is not None:
            trace.asked(self._after, self._before, how, tuple(p.name for p in predicates), answer)


def _fulfilling(graph: SessionGraph, predicate: Predicate, index: list[int], steps: range) -> Iterator[int]:
    for step in steps:
        seq = index[step]
        if predicate.holds(graph, graph.events[seq]):
            yield seq
