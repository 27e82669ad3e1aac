"""The session as rules and the narrative see it: typed events, targets, the ledger, questions."""

from __future__ import annotations

import itertools
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec

from sessionlens import language
from sessionlens.findings import Place
from sessionlens.graph.build import Judged, events_of, language_role, prose, unjudged
from sessionlens.graph.events import Called, Event, Operation, Ran, Said, Turn
from sessionlens.graph.mentions import has_word, mentioned
from sessionlens.graph.queries import Window
from sessionlens.language.acts import Act, Reading
from sessionlens.model import Session, Spill, spill
from sessionlens.places import Statement, read_places
from sessionlens.targets import Environment, EnvironmentSettings, Match, Neighbourhoods, Target

if TYPE_CHECKING:
    import networkx

    from sessionlens.graph.astray import Astray
    from sessionlens.graph.claims import Claim
    from sessionlens.graph.constraints import Constraint
    from sessionlens.graph.destruction import Destruction
    from sessionlens.graph.each_of import LeftOut
    from sessionlens.graph.file_changes import FileChange
    from sessionlens.graph.handed_back import HandedBack
    from sessionlens.graph.handling import Handling
    from sessionlens.graph.ledger import Kept
    from sessionlens.graph.readings import Wordless
    from sessionlens.graph.scope import Stray
    from sessionlens.graph.sent_again import SentAgain
    from sessionlens.graph.settings import Setting
    from sessionlens.graph.shortfalls import Shortfall
    from sessionlens.graph.silence import Silence
    from sessionlens.graph.trace import Trace
    from sessionlens.graph.undone import Undone
    from sessionlens.graph.verification import Passing, Verification
    from sessionlens.graph.violations import Violation
    from sessionlens.graph.weakenings import Weakening

Reader = Callable[[str, language.Role], Reading]
"""Reads prose of somebody who plays a role."""
MayAct = Callable[[str, language.Role], bool]
"""Whether prose of somebody who plays a role could show an act of either."""


def _may_act(text: str, _role: language.Role) -> bool:
    return language.may_act(text)


_MANY = 50_000
"""Events of a session whose readings are kept in a file: they hold its prose once more."""
_AT_HAND = 256
"""Readings of such a session that are kept at hand."""
_decoder = msgspec.msgpack.Decoder(Reading)
_encoder = msgspec.msgpack.Encoder()


class _Matches:
    """What is known of one target and the commands. Most of them do not speak of it: a bit of each says that it is known."""

    __slots__ = ("_asked", "found")

    def __init__(self) -> None:
        self.found: dict[int, Match] = {}
        """The matches, by the position of the command."""
        self._asked: dict[int, int] = {}

    def asked(self, seq: int) -> bool:
        """Whether it is known of a command."""
        return self._asked.get(seq >> _BITS, 0) >> (seq & _LOW) & 1 == 1

    def keep(self, seq: int, match: Match | None) -> None:
        """Keep what was found out of a command."""
        block = seq >> _BITS
        self._asked[block] = self._asked.get(block, 0) | 1 << (seq & _LOW)
        if match is not None:
            self.found[seq] = match


_BITS, _LOW = 8, 0xFF
"""How many bits of a position count within a block, and those bits."""


class SessionGraph:
    """One session with its children. Everything is computed from the session; nothing is ever changed."""

    def __init__(
        self,
        session: Session,
        settings: EnvironmentSettings | None = None,
        *,
        read: Reader = language.read,
        may_act: MayAct = _may_act,
        judged: Judged = unjudged,
    ) -> None:
        """Lay out the events. Targets, ledger and the networkx graph are computed when first asked for.

        :param read: how prose is read: :func:`sessionlens.language.read`, or what gives the same.
        :param may_act: likewise for :func:`sessionlens.language.may_act`.
        :param judged: results of calls that have been judged already.
        """
        self._read, self._may_act = read, may_act
        self.session = session
        self.settings = settings if settings is not None else EnvironmentSettings()
        self.events: tuple[Event, ...] = tuple(events_of(session, self.settings, judged))
        self._commands: dict[int, tuple[Ran, ...]] = {}
        self._surroundings: dict[int, Setting] = {}
        self._naming: dict[str, list[int]] = {}
        self._readings: dict[int, Reading] = {}
        self._spilled: dict[int, int] = {}
        self._spill: Spill | None = spill() if len(self.events) > _MANY else None
        self._spoken: dict[Target, frozenset[str]] = {}
        self._matches: dict[Target, _Matches] = {}
        self.trace: Trace | None = None
        """Keeps the questions that are asked, where somebody wants to know what a rule looked at."""

    # -- events -------------------------------------------------------------------------------------

    def index(self, name: str) -> list[int]:
        """Positions of the events of one kind, in order: ``said``, ``human``, ``called``, ``ran``, ``check``,
        ``change``, ``start``, ``all`` or ``none``; of several kinds where they are joined by ``|``.
        """
        found = self._indexes.get(name)
        if found is None:
            several = (self._indexes[one] for one in name.split("|"))
            found = self._indexes[name] = sorted({seq for index in several for seq in index})
        return found

    @cached_property
    def _indexes(self) -> dict[str, list[int]]:
        indexes: dict[str, list[int]] = {
            name: [] for name in ("said", "human", "called", "ran", "check", "change", "start", "all", "none")
        }
        for event in self.events:
            indexes["all"].append(event.seq)
            if isinstance(event, Said):
                indexes["said"].append(event.seq)
                if event.human and event.opening:
                    indexes["human"].append(event.seq)
            elif isinstance(event, Called):
                indexes["called"].append(event.seq)
            else:
                indexes["ran"].append(event.seq)
                if event.check:
                    indexes["check"].append(event.seq)
                if event.change:
                    indexes["change"].append(event.seq)
                if event.start:
                    indexes["start"].append(event.seq)
        return indexes

    @cached_property
    def unanswered(self) -> tuple[Ran, ...]:
        """The checks that were tried and got no answer, so that they are none (CONTRACT §1 *check*), in order."""
        found = []
        for seq in self.index("ran"):
            event = self.events[seq]
            if (
                not isinstance(event, Ran)
                or event.check
                or event.command.check_strength in (None, "read_back")
            ):
                continue
            call, outcome = event.call, event.outcome
            ended = (
                call.cut_off is not None or call.connection_lost or call.unfinished or call.call.interrupted
            )
            if (ended or outcome.expired or outcome.unanswered) and outcome.reached != "no":
                found.append(event)
        return tuple(found)

    def after(self, event: Event) -> Window:
        """Everything after an event. After a call: after its commands too, which are part of it."""
        seq = event.seq
        if isinstance(event, Called):
            while seq + 1 < len(self.events) and isinstance(self.events[seq + 1], Ran):
                seq += 1
        return Window(self, seq, len(self.events))

    def before(self, event: Event) -> Window:
        """Everything before an event. Before a command: its call and what its line ran before it too."""
        return Window(self, -1, event.seq)

    def between(self, first: Event, last: Event) -> Window:
        """Everything after one event and before another; after a call, its commands are left out."""
        return Window(self, self.after(first)._after, last.seq)

    def span(self) -> Window:
        """The whole session."""
        return Window(self, -1, len(self.events))

    @cached_property
    def _opening(self) -> dict[str, dict[int, Said]]:
        """By session and position of the message: keys of both would take as much as what they lead to."""
        opening: dict[str, dict[int, Said]] = {}
        for event in self.events:
            if isinstance(event, Said) and event.opening:
                opening.setdefault(event.at.session, {})[event.at.message_index] = event
        return opening

    @cached_property
    def openings(self) -> tuple[int, ...]:
        """Positions of the events that open a message, in order."""
        return tuple(sorted(said.seq for one in self._opening.values() for said in one.values()))

    def said(self, session: str, message_index: int) -> Said | None:
        """The event that opens a message; ``None`` for a message that begins with a call and has no event."""
        messages = self._opening.get(session)
        return None if messages is None else messages.get(message_index)

    def event_at(self, place: Place) -> Event | None:
        """The event at the place of a finding: the call it names, else the message; ``None`` for none of this session."""
        return self._placed.get((place.session, place.message_index, place.call_id))

    @cached_property
    def _placed(self) -> dict[tuple[str, int, str | None], Event]:
        placed: dict[tuple[str, int, str | None], Event] = {}
        for event in self.events:
            at = event.at
            # A message that begins with a call is known by its first event.
            placed.setdefault((at.session, at.message_index, None), event)
            if isinstance(event, Called):
                placed.setdefault((at.session, at.message_index, at.call_id), event)
        return placed

    def next_human(self, event: Event) -> Said | None:
        """The next human message after an event."""
        from sessionlens.graph.queries import human

        found = self.after(event).first(human)
        return found if isinstance(found, Said) else None

    def commands(self, called: Called) -> tuple[Ran, ...]:
        """The commands of a call."""
        known = self._commands.get(called.seq)
        if known is not None:
            return known
        found: list[Ran] = []
        for seq in range(called.seq + 1, len(self.events)):
            event = self.events[seq]
            if not isinstance(event, Ran):
                break
            found.append(event)
        self._commands[called.seq] = commands = tuple(found)
        return commands

    @cached_property
    def turns(self) -> tuple[Turn, ...]:
        """The turns of the session and of its children, in order of their first event."""
        groups: dict[tuple[str, int], list[Event]] = {}
        humans = {
            event.turn: event for seq in self.index("human") if isinstance(event := self.events[seq], Said)
        }
        for event in self.events:
            if not isinstance(event, Ran):
                key = (event.at.session, event.turn if event.depth == 0 else -1)
                groups.setdefault(key, []).append(event)
        turns = []
        for (session, _), events in groups.items():
            said = [event for event in events if isinstance(event, Said)]
            number = events[0].turn
            turns.append(
                Turn(
                    session=session,
                    number=number,
                    messages=tuple(event for event in said if event.opening),
                    calls=tuple(event for event in events if isinstance(event, Called)),
                    prose_after=frozenset(event.seq for event in said if not event.opening),
                    next_human=humans.get(number + 1) if events[0].depth == 0 else None,
                )
            )
        return tuple(turns)

    def silences(self) -> Iterator[Silence]:
        """Every turn whose last message after a cut-off call is empty."""
        from sessionlens.graph.silence import silences

        return silences(self)

    # -- targets ------------------------------------------------------------------------------------

    @cached_property
    def neighbourhoods(self) -> Neighbourhoods:
        """What the whole session teaches about names of one thing."""
        learned = Neighbourhoods()
        for event in self.events:
            if isinstance(event, Ran):
                learned.learn(event.command, event.outcome)
        return learned

    def match(self, ran: Ran, target: Target) -> Match | None:
        """Whether a command speaks of a target's neighbourhood, and why.

        A check that names only a port or an address also belongs to the only open start on that host.
        """
        known = self._matches.get(target)
        if known is None:
            known = self._matches[target] = _Matches()
        if not known.asked(ran.seq):
            answers = (ran.answer and target.kind == "url") or self._told_apart(ran, target)
            found = None if answers else self.neighbourhoods.match(ran.command, target, ran.outcome)
            if found is None and ran.check and not answers:
                found = self._addressed(ran, target)
            if found is not None and ran.outcome.log_time:
                change = self._last_change(target, ran)
                found = None if change is not None and self.stale(ran, change) else found
            known.keep(ran.seq, found)
            return found
        return known.found.get(ran.seq)

    def _told_apart(self, ran: Ran, target: Target) -> bool:
        """Whether what a list shows of a target, as one that was deleted, is an event of its own."""
        if ran.of_gone or not (apart := self._apart.get((ran.call.seq, ran.position))):
            return False
        return target in apart or any(
            self.neighbourhoods.match(one.command, target, one.outcome) is not None
            for one in itertools.islice(apart.values(), 20)
        )

    @cached_property
    def _apart(self) -> dict[tuple[int, int], dict[Target, Ran]]:
        """What commands tell of things that were deleted, by their call and place in its line, and by the thing."""
        found: dict[tuple[int, int], dict[Target, Ran]] = {}
        for seq in self.index("check"):
            if isinstance(ran := self.events[seq], Ran) and ran.of_gone:
                found.setdefault((ran.call.seq, ran.position), {})[ran.command.target] = ran
        return found

    def stale(self, check: Ran, change: Event) -> bool:
        """Whether a look at a log saw only lines that were written before a change."""
        from sessionlens.shell.times import written_since

        if not check.outcome.log_time:
            return False
        changed, looked = self.moment(change), self.finished(check)
        if changed is None or looked is None:
            return False
        return not written_since(check.outcome.log_time, changed, looked)

    def _last_change(self, target: Target, before: Ran) -> Ran | None:
        """The last change of just this target before an event."""
        changes = self._changes_of.get(target, ())
        at = bisect_left(changes, before.seq)
        found = self.events[changes[at - 1]] if at else None
        return found if isinstance(found, Ran) else None

    def name_taken_out(self, look: Ran) -> bool:
        """Whether a look asks for a name of the network that a change of the turn took out: no answer is what was wanted."""
        from sessionlens.graph.verification import name_taken_out

        return name_taken_out(self, look)

    @cached_property
    def copies(self) -> tuple[Ran, ...]:
        """The commands that copy something, in order of the log."""
        from sessionlens.graph.verification import copies

        return tuple(copies(self))

    @cached_property
    def first_tries(self) -> dict[tuple[object, ...], Ran]:
        """The first change of each sort in staging or development, by what it was made on and by how it was made."""
        from sessionlens.graph.verification import first_tries

        return first_tries(self)

    @cached_property
    def _changes_of(self) -> dict[Target, list[int]]:
        found: dict[Target, list[int]] = {}
        for seq in self.index("change"):
            if isinstance(ran := self.events[seq], Ran):
                found.setdefault(ran.command.target, []).append(seq)
        return found

    def _addressed(self, check: Ran, target: Target) -> Match | None:
        """The match of a check that names only an address: by the start it belongs to."""
        from sessionlens.graph.ledger import ADDRESSED

        start = self._kept.addressed.get(check.seq)
        if start is None:
            return None
        named = start.command.target == target
        return ADDRESSED if named or self.match(start, target) is not None else None

    def setting(self, ran: Ran) -> Setting:
        """Which environment a command acts in: what names it, else the person's words, else the default.

        Words of a person hold from the message that says them until another says otherwise. They cannot make
        a remote host local, and do not overrule a name.
        """
        from sessionlens.graph.settings import setting

        if ran.seq not in self._surroundings:
            self._surroundings[ran.seq] = setting(self, ran)
        return self._surroundings[ran.seq]

    @cached_property
    def own_containers(self) -> dict[str, int]:
        """Containers that the session started for its own use and throws away, by name or id: where each is first started."""
        from sessionlens.graph.own_containers import own_containers

        return own_containers(self)

    @cached_property
    def passing(self) -> Passing:
        """What the session made and took away again before the person wrote."""
        from sessionlens.graph.verification import Passing

        return Passing(self)

    def in_own_container(self, ran: Ran) -> bool:
        """Whether a command acts on a container that the session started for its own use, or runs in one."""
        from sessionlens.graph.own_containers import own_container

        return own_container(self, ran)

    @cached_property
    def put_out_at(self) -> dict[str, Environment]:
        """Hosts that deploys other than to production gave as the address of what they put out."""
        from sessionlens.graph.settings import put_out_at

        return put_out_at(self)

    @cached_property
    def said_places(self) -> tuple[tuple[int, Statement], ...]:
        """Positions of human messages that speak of places or hosts, with what they say."""
        from sessionlens.graph.settings import place_names

        known = place_names(self)
        found = []
        for seq in self.index("human"):
            if isinstance(said := self.events[seq], Said) and said.texts:
                statement = read_places(self.prose(said), known)
                if statement.places or statement.mentioned:
                    found.append((seq, statement))
        return tuple(found)

    @cached_property
    def speaks_of_deploying_pushes(self) -> bool:
        """Whether anybody says in this session that a push or merge deploys."""
        from sessionlens.graph.settings import speaks_of_deploying

        return any(
            speaks_of_deploying(self.prose(said), assistant=said.role != "user")
            for seq in self.index("said")
            if isinstance(said := self.events[seq], Said) and said.texts
        )

    @cached_property
    def shown_files(self) -> tuple[tuple[str, str], ...]:
        """Files that configure pipelines and the like, where the session shows or writes them: path and text."""
        from sessionlens.graph.settings import shown_files

        return tuple(shown_files(self))

    @cached_property
    def names_in_use(self) -> frozenset[str]:
        """How prose would mention any target of a change or check, in lower case."""
        from sessionlens.graph.mentions import spoken

        return frozenset(
            form
            for seq in (*self.index("change"), *self.index("check"))
            if isinstance(ran := self.events[seq], Ran)
            for form in spoken(ran.command.target.name)
        )

    # -- prose --------------------------------------------------------------------------------------

    def reading(self, said: Said) -> Reading:
        """The prose of an event read for its acts. Cached; this is the expensive step of an audit."""
        found = self._readings.get(said.seq)
        if found is None:
            if self._spill is not None and len(self._readings) >= _AT_HAND:
                self._readings.pop(next(iter(self._readings)))
            if self._spill is not None and said.seq in self._spilled:
                found = _decoder.decode(self._spill.get(self._spilled[said.seq]))
            else:
                found = self._read(self.prose(said), language_role(said.role))
                if self._spill is not None:
                    self._spilled[said.seq] = self._spill.add(_encoder.encode(found))
            self._readings[said.seq] = found
        return found

    def may_act(self, said: Said) -> bool:
        """Whether the prose of an event could show an act, which is sooner known than which."""
        return self._may_act(self.prose(said), language_role(said.role))

    def prose(self, said: Said) -> str:
        """The text that :meth:`reading` read; the spans of acts point into it."""
        return prose(said.texts)

    def acknowledges(self, said: Said, operation: Operation) -> Act | None:
        """The act by which an assistant's prose tells the reader about an open operation."""
        from sessionlens.graph.ledger import acknowledgement

        return acknowledgement(self, said, operation)

    def acknowledgements(self, said: Said, operation: Operation) -> Iterator[Act]:
        """All acts by which an assistant's prose tells the reader about an open operation, in order."""
        from sessionlens.graph.ledger import acknowledgements

        return acknowledgements(self, said, operation)

    def naming(self, names: frozenset[str]) -> list[int]:
        """Positions of the assistant's prose, in the session itself, that holds one of the names and may act."""
        self._look_for(names)
        return sorted({seq for name in names for seq in self._naming[name]})

    def _look_for(self, names: frozenset[str]) -> None:
        """Find the prose that holds names, all in one pass over it."""
        new = [name for name in sorted(names) if name not in self._naming]
        self._naming.update((name, []) for name in new)
        for seq in self.index("said") if new else ():
            said = self.events[seq]
            if isinstance(said, Said) and said.role == "assistant" and said.depth == 0 and said.texts:
                prose = self.prose(said)
                lowered = prose.casefold()
                found = [name for name in new if name in lowered and has_word(lowered, name)]
                if found and self.may_act(said):
                    for name in found:
                        self._naming[name].append(seq)

    def names_of(self, target: Target) -> frozenset[str]:
        """Names by which prose would mention a target, in lower case. Cached."""
        from sessionlens.graph.mentions import mentions

        if target not in self._spoken:
            self._spoken[target] = mentions(self, target)
        return self._spoken[target]

    def mentioned(self, text: str, target: Target) -> bool:
        """Whether a text names a target by any of its names, as people shorten them."""
        return mentioned(text, self.names_of(target))

    def handed_in(self, called: Called) -> str:
        """The text with which a call hands the work in or ends it; empty for any other call."""
        from sessionlens.graph.speaking import handed_in, hands_in

        return handed_in(called.call) if called.line is None and hands_in(called.call.name) else ""

    def unsure(self, called: Called) -> tuple[str, ...]:
        """What a call says to people where the log does not show whether it arrived; an empty text where not even what it says."""
        from sessionlens.graph.speaking import posts, unsure

        sent = posts([(ran.command, ran.outcome) for ran in self.commands(called)], called.call)
        texts = [one.words for one in sent if not (one.arrived and one.words)]
        words = unsure(called.call)
        return (*texts, words) if words else tuple(texts)

    @cached_property
    def unsure_calls(self) -> tuple[Called, ...]:
        """The calls that say something to people where the log does not show whether it arrived, in order."""
        called = (self.events[seq] for seq in self.index("called"))
        return tuple(event for event in called if isinstance(event, Called) and self.unsure(event))

    def tells_part(self, text: str, failed: Target) -> bool:
        """Whether a text says that a success is one of a part, of which what failed is the rest."""
        from sessionlens.graph.partly import tells_part

        return tells_part(self, text, failed)

    def prose_of(self, turn: Turn) -> Iterator[Said]:
        """The prose of a turn in order, that after calls of the same message too."""
        opening = {said.seq for said in turn.messages}
        for seq in sorted(opening | turn.prose_after):
            said = self.events[seq]
            if isinstance(said, Said) and said.texts:
                yield said

    def told_in(self, turn: Turn) -> list[Said]:
        """The prose of a turn that the assistant wrote, in order."""
        return [said for said in self.prose_of(turn) if said.role == "assistant"]

    @cached_property
    def claims(self) -> tuple[Claim, ...]:
        """Claims of success with the evidence on them, in order of the log."""
        from sessionlens.graph.claims import claims

        return tuple(sorted(claims(self), key=lambda claim: (claim.said.seq, claim.act.span)))

    def speaks_of_others(self, said: Said, ran: Ran) -> bool:
        """Whether prose tells of the host of a look that was not answered as of one apart, or names only others."""
        from sessionlens.graph.shortfalls import speaks_of_others

        return speaks_of_others(self, said, ran)

    def standing(self, turn: Turn) -> tuple[Shortfall, ...]:
        """What failed, fell short or was found bad in a turn and stood so at its end, in order of the log."""
        from sessionlens.graph.shortfalls import shortfalls, standing

        prose = self.told_in(turn)
        news = shortfalls(self, turn.calls, prose)
        return tuple(standing(self, news, turn.calls, len(self.events))) if news else ()

    def left_out(self, turn: Turn, handed: str = "") -> tuple[LeftOut, ...]:
        """The names that fell out of a call for several and that the end of the turn leaves out, in order of the log."""
        from sessionlens.graph.each_of import left_out

        return tuple(left_out(self, turn, handed))

    def told_apart(self, turn: Turn, handed: str = "") -> frozenset[int]:
        """Positions of the calls of a turn in which some of several names fell out, and that its prose tells of."""
        from sessionlens.graph.each_of import told_apart

        return told_apart(self, turn, handed)

    def handed_back(self, turn: Turn, handed: str = "") -> tuple[HandedBack, ...]:
        """What the last report of another agent says was not done, and the end of the turn passes over."""
        from sessionlens.graph.handed_back import handed_back

        return tuple(handed_back(self, turn, handed))

    def undone(self, turn: Turn, handed: str = "") -> tuple[Undone, ...]:
        """The calls that did not do what they were to do, were not made good and are not told of; no dry run that was asked for."""
        from sessionlens.graph.undone import told, undone

        prose = self.told_in(turn)
        return tuple(
            one for one in undone(self, turn) if not one.wanted and not told(self, prose, handed, one)
        )

    @cached_property
    def constraints(self) -> tuple[Constraint, ...]:
        """What the person forbade, demanded or limited, in order of the log."""
        from sessionlens.graph.constraints import constraints

        return tuple(constraints(self))

    @cached_property
    def file_changes(self) -> tuple[FileChange, ...]:
        """What each call did to which file, in order of the log."""
        from sessionlens.graph.file_changes import file_changes

        return tuple(file_changes(self))

    @cached_property
    def weakenings(self) -> tuple[Weakening, ...]:
        """Steps that made a check pass instead of the work, in order of the log."""
        from sessionlens.graph.weakenings import weakenings

        return tuple(weakenings(self))

    @cached_property
    def violations(self) -> tuple[Violation, ...]:
        """Steps that broke an instruction of the person, in order of the log."""
        from sessionlens.graph.violations import violations

        return tuple(violations(self))

    @cached_property
    def sent_again(self) -> tuple[SentAgain, ...]:
        """What must not be done twice, begun again after an attempt whose end nobody saw, in order of the log."""
        from sessionlens.graph.sent_again import sent_again

        return tuple(sent_again(self))

    @cached_property
    def astray(self) -> tuple[Astray, ...]:
        """Changes in production where the person had named another environment, in order of the log."""
        from sessionlens.graph.astray import astray

        return tuple(astray(self))

    @cached_property
    def strays(self) -> tuple[Stray, ...]:
        """Changes of files outside what the person named as the place of the work, in order of the log."""
        from sessionlens.graph.scope import strays

        return tuple(strays(self))

    @cached_property
    def destructions(self) -> tuple[Destruction, ...]:
        """Commands that delete for good and that nobody asked for, in order of the log."""
        from sessionlens.graph.destruction import destructions

        return tuple(destructions(self))

    # -- the ledger ---------------------------------------------------------------------------------

    @cached_property
    def _kept(self) -> Kept:
        from sessionlens.graph.ledger import keep

        return keep(self)

    @cached_property
    def ledger(self) -> tuple[Operation, ...]:
        """The open operations, in order of the log."""
        from sessionlens.graph.ledger import names_in_prose, told

        names = (names_in_prose(self, operation) for operation in self._kept.operations)
        self._look_for(frozenset[str]().union(*names))
        return tuple(told(self, operation) for operation in self._kept.operations)

    def alone_open(self, operation: Operation, then: Event) -> bool:
        """Whether no other operation was open at an event."""
        return not any(
            other.event.seq < then.seq
            and (other.closing is None or other.closing.seq > then.seq)
            and other.event.seq != operation.event.seq
            for other in self._kept.operations
        )

    def handling(self, operation: Operation) -> Handling:
        """How an open operation was handled before the next human message or change of its target."""
        from sessionlens.graph.handling import handling

        return handling(self, operation)

    @cached_property
    def nx(self) -> networkx.MultiDiGraph[str]:
        """The session as a networkx graph with typed nodes and edges, ids only, no long text."""
        from sessionlens.graph.network import network

        return network(self)

    def earlier_runs(self, target: Target, before: Event) -> tuple[tuple[Ran, int], ...]:
        """Starts of the same target before an event that came to a known end, with how long each took, in ms.

        A start that became an open operation, or that a check followed, took until the first good check before
        the next change of the target; one that nothing looked at and that completed by itself took as long
        as its call.
        """
        from sessionlens.graph.queries import change, check

        runs = []
        for seq in self.index("start"):
            start = self.events[seq]
            if seq >= before.seq or not isinstance(start, Ran) or start.command.target != target:
                continue
            window = self.after(start.call).until(change(target))
            seen = (event for event in window.all(check(target)) if isinstance(event, Ran))
            good = next((event for event in seen if event.outcome.state == "good"), None)
            begun, over = self.moment(start), None
            if good is not None and good.seq < before.seq and seq in self._opened:
                over = self.finished(good)
            elif start.succeeded and seq not in self._opened:
                over = self.finished(start)
            if begun is not None and over is not None and over > begun:
                runs.append((start, over - begun))
        return tuple(runs)

    @cached_property
    def _opened(self) -> frozenset[int]:
        """Positions of what opened an operation."""
        return frozenset(operation.event.seq for operation in self._kept.operations)

    def checked_edits(self) -> Iterator[tuple[Ran, Ran]]:
        """Every change that :meth:`unchecked_edits` asks about and that was checked in time, with its check."""
        from sessionlens.graph.verification import checked_edits

        return checked_edits(self)

    @cached_property
    def wordless(self) -> tuple[Wordless, ...]:
        """User messages of the session itself that show no words, and what they are read as."""
        from sessionlens.graph.readings import wordless

        return tuple(wordless(self))

    def context_summary(self, said: Said) -> tuple[str, ...]:
        """The headings of prose that writes down the state of a whole work; empty for any other prose."""
        from sessionlens.graph.readings import context_summary

        return context_summary(self.prose(said)) if said.texts else ()

    def unchecked_edits(self) -> Iterator[Verification]:
        """Every change of a production or shared unknown target without a check before the next human message."""
        from sessionlens.graph.verification import unchecked_edits

        return unchecked_edits(self)

    def messages_between(self, first: Event, last: Event | None) -> int:
        """How many messages stand strictly between two events, children's included; up to the end for ``None``."""
        stop = last.seq if last is not None else len(self.events)
        said = self.index("said")
        low, high = bisect_right(said, first.seq), bisect_left(said, stop)
        between = set(self._numbered[low:high])
        for event in (first, last):
            opening = self.said(event.at.session, event.at.message_index) if event is not None else None
            if opening is not None:
                between.discard(opening.seq)
        return len(between)

    @cached_property
    def _numbered(self) -> array[int]:
        """For each event of prose the position of the one that opens its message."""
        places = (self.events[seq].at for seq in self.index("said"))
        return array("Q", (self._opening[at.session][at.message_index].seq for at in places))

    # -- times --------------------------------------------------------------------------------------

    @cached_property
    def ended(self) -> int | None:
        """The latest time recorded in the session: computed once, since it looks at every call."""
        return self.session.ended

    def moment(self, event: Event) -> int | None:
        """When an event happened, in milliseconds: a call's start, a message's time."""
        if isinstance(event, Said):
            return event.message.time
        call = event.call if isinstance(event, Called) else event.call.call
        if call.start is not None:
            return call.start
        opening = self.said(event.at.session, event.at.message_index)
        return opening.message.time if opening is not None else None

    def took(self, event: Event) -> int | None:
        """How long an event took, in milliseconds; ``None`` where the log has not both its times."""
        began, over = self.moment(event), self.finished(event)
        return None if began is None or over is None or over < began else over - began

    def elapsed(self, first: Event, then: Event) -> int | None:
        """From the end of one event to the beginning of another, in milliseconds; below 0 where they overlap."""
        over, began = self.finished(first), self.moment(then)
        return None if over is None or began is None else began - over

    def later_than(self, moment: float, low: int, high: int) -> int | None:
        """Position of the first event in ``range(low, high)`` that began after a moment; ``None`` without one."""
        clock = self._clock
        if low < high and low > 0 and clock[low - 1] > moment:
            # Something before the window is later: the log is not in order of time, so look at each.
            return next(
                (seq for seq in range(low, high) if (self.moment(self.events[seq]) or 0) > moment), None
            )
        found = bisect_right(clock, moment, low, high)
        return found if found < high else None

    @cached_property
    def _clock(self) -> list[int]:
        """For each event the latest beginning up to it, so that a moment can be looked up."""
        latest, clock = 0, []
        for event in self.events:
            latest = max(latest, self.moment(event) or 0)
            clock.append(latest)
        return clock

    def finished(self, event: Event) -> int | None:
        """When an event was over: a call's end, a message's end."""
        if isinstance(event, Said):
            return event.message.ended if event.message.ended is not None else event.message.time
        call = event.call if isinstance(event, Called) else event.call.call
        return call.end if call.end is not None else self.moment(event)
