"""What is kept of what was extracted, and where it goes: copies, splits, samples, filters, partners of pairs.

Everything here is decided from heads, in one process and a fixed order, so that the same sources and options give
the same data set whoever did the work.
"""

from __future__ import annotations

import hashlib
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

import msgspec

from sessionlens.curate import doubts, similar, where
from sessionlens.curate.extract import Ask, Head, Stub
from sessionlens.curate.fit import Donor
from sessionlens.curate.labels import Labels, Strangers
from sessionlens.curate.looked import DEEDS
from sessionlens.curate.rows import Review, SessionRow
from sessionlens.curate.sources import Origin, Origins

CONTAINED = 0.9
"""Share of a session's long steps that stand in another one, from which on it is a copy of it."""
SHARED = 3
"""Long steps that two sessions share, from which on they are never in two splits."""
ALIKE = 0.85
"""Similarity from which on a session is a near copy of another one."""
AKIN = 0.6
"""Similarity from which on two sessions are never in two splits."""
EPISODE_ALIKE = 0.9
"""Similarity from which on an episode of the same rule is a near copy."""
PAIR_ALIKE = 0.85
"""Similarity of question and rejected answer from which on a pair is a near copy, whatever its rule."""
FORM_SHARE = 0.1
"""Share of the sessions that hold the same run of words, above which it is a form that a program filled in: then it joins
nothing."""
FORM_LEAST = 30
"""Sessions up to which a run of words is no form, whatever their share."""
SAME_WORDS = 5
"""Pairs whose drafted answer is word for word the same."""
FAR_BELOW = 0.75
"""Part of its share of the sessions, from which on a split is taken as chance gives it."""
LEAST_WANTED = 5
"""Sessions that a split is to have by its share, below which chance is all there is."""
DONORS = 24
"""Real answers that are tried for one kind of situation."""
TWINS = 6
"""Sessions with the same request in which an answer is looked for."""


_Row = TypeVar("_Row", Stub, Ask)


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """What a run asks for, besides its sources and how they are read."""

    splits: tuple[tuple[str, float], ...] = (("train", 0.9), ("validation", 0.05), ("test", 0.05))
    """Names of the splits and their shares."""
    seed: int = 0
    """Another number gives other splits and samples."""
    dedup: str = "near"
    """``near``, ``exact`` or ``off``."""
    where: tuple[where.Where, ...] = ()
    """Filters."""
    sample: float | None = None
    """Sessions to keep: a share up to 1, or a number."""
    caps: tuple[tuple[str, int], ...] = ()
    """At most so many episodes of each value of a column."""
    balance: str | None = None
    """Column of episodes whose values all get as many as the rarest."""
    mask_from: str = "low"
    """Least confidence of a fault that masks."""


class Twin(msgspec.Struct, frozen=True, kw_only=True):
    """A session in which a person asked the same, word for word."""

    unit: str
    """Key of its unit."""
    number: int
    """Which of the unit's."""
    licence: str | None
    """Its licence."""
    names: dict[str, str]
    """As in :class:`Choice`."""


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """One session with its children as it goes into the data set."""

    unit: str
    """Key of its unit."""
    number: int
    """Which of the unit's."""
    split: str
    """Where it goes."""
    size: int
    """Bytes of its body."""
    origin: Origin
    """Licence, repository, address."""
    names: dict[str, str]
    """Ids that stand for two sessions, and the new one of this."""
    left_out: tuple[str, ...]
    """Members that a filter leaves out."""
    copied: dict[str, tuple[int, ...]]
    """Steps that are kept elsewhere, by session."""
    episodes: tuple[str, ...]
    """Names of the episodes that are kept."""
    pairs: tuple[str, ...]
    """Names of the pairs that are kept."""
    answers: tuple[str, ...]
    """Where the real answers are that these may take: :func:`donor_key`."""
    twins: tuple[Twin, ...]
    """Sessions of the same split whose answers to the same request these may take."""
    reviews: dict[str, tuple[Review, ...]]
    """What people said, by fingerprint."""


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """The whole data set, decided."""

    choices: tuple[Choice, ...]
    """What goes in, in the order of the sources."""
    donors: dict[str, tuple[Donor, ...]]
    """Real answers by split and situation: ``split\\0situation\\0language``."""
    licences: dict[str, str | None]
    """Licence of the session of each donor."""
    counts: dict[str, int]
    """Sessions on top by what became of them, and the like."""
    shares: dict[str, int]
    """Sessions by split."""
    rules: tuple[str, ...]
    """Slugs of the rules that ran."""
    strangers: Strangers = Strangers()
    """Reviews that join nothing."""


class _Top(msgspec.Struct):
    """What is remembered of one session on top. Kept small: there may be many."""

    unit: str
    number: int
    root: str
    members: tuple[str, ...]
    source: str
    repository: str | None
    """By its name, for filters and caps."""
    project: str | None
    """What is never split: the repository that the list of origins names, else the mark of the directory."""
    parents: tuple[str, ...]
    size: int
    faults: tuple[str, ...]
    copies: tuple[tuple[str, bytes, int, int], ...]
    """Session, exact hash, first and last of its hashes in the common row."""
    asked: bytes
    """Hashes of what persons wrote at length in it, eight bytes each."""
    shared: bytes
    """Hashes of runs of words in what persons wrote, eight bytes each."""
    sketch: int
    """Number of the sketch of its root."""

    def words(self) -> list[bytes]:
        """Hashes of what persons wrote, one by one."""
        return [self.asked[at : at + 8] for at in range(0, len(self.asked), 8)]

    def runs(self) -> set[bytes]:
        """Hashes of runs of words, each once."""
        return {self.shared[at : at + 8] for at in range(0, len(self.shared), 8)}


class Deciding:
    """Takes heads in, then decides."""

    def __init__(self, options: Options, origins: Origins, labels: Labels) -> None:
        """Nothing is known yet."""
        self._options, self._origins, self._labels = options, origins, labels
        self._tops: list[_Top] = []
        self._stubs: list[tuple[Stub, ...]] = []
        self._asks: list[tuple[Ask, ...]] = []
        # Sketches lie in one piece of memory, and words that recur stand there once: there may be 100,000 sessions.
        self._sketches = similar.Sketches()
        self._sketch: dict[str, int] = {}
        self._words: dict[str, str] = {}
        self._donors: list[tuple[Donor, ...]] = []
        self._hashes = array("Q")
        self._places = array("I")
        self._left_out: dict[int, tuple[str, ...]] = {}
        self._chunk: list[tuple[int, tuple[SessionRow, ...]]] = []
        self._filters = tuple(one for one in options.where if one.table == "sessions")
        self._rules: set[str] = set()
        self._members: set[str] = set()
        self._fingerprints: set[str] = set()
        self.counts: Counter[str] = Counter()
        self._checks: Callable[[], dict[str, int]] | None = None

    def families(self) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
        """Of each session on top, as they were taken in: itself with its children, and parents that lie elsewhere."""
        return ((top.members, top.parents) for top in self._tops)

    def add(self, unit: str, number: int, head: Head) -> None:
        """Take in what is said of one session on top."""
        root = head.sessions[0]
        origin = self._origins.of(head.source)
        self.counts["read"] += 1
        self._rules.update(head.rules)
        if len(self._labels):
            self._members.update(row.session for row in head.sessions)
            self._fingerprints.update(row.fingerprint for row in head.findings)
        self.counts["messages_read"] += sum(row.messages for row in head.sessions)
        copies = []
        sketch = b""
        for copy in head.copies:
            begin = len(self._hashes)
            self._hashes.frombytes(copy.steps)
            self._places.extend(copy.places)
            copies.append((copy.session, copy.exact, begin, len(self._hashes)))
            if copy.session == root.session:
                sketch = copy.sketch
        self._tops.append(
            _Top(
                unit=unit,
                number=number,
                root=root.session,
                members=tuple(row.session for row in head.sessions),
                source=head.source,
                repository=origin.repository or root.repository,
                project=origin.repository.casefold() if origin.repository else head.project,
                parents=head.parents,
                size=head.size,
                faults=tuple(sorted({f.rule for f in head.findings if f.kind == "fault"})),
                copies=tuple(copies),
                asked=b"".join(copy.asked for copy in head.copies),
                shared=b"".join(copy.runs for copy in head.copies),
                sketch=self._sketches.add(sketch),
            )
        )
        stubs = [stub for stub in head.stubs if self._believed(stub)]
        taken = {stub.episode for stub in stubs}
        asks = [ask for ask in head.asks if ask.episode in taken]
        self._sketch.update({stub.episode: self._sketches.add(stub.sketch) for stub in stubs})
        self._sketch.update({ask.pair: self._sketches.add(ask.sketch) for ask in asks})
        self._stubs.append(tuple(map(self._slim, stubs)))
        self._asks.append(tuple(map(self._slim, asks)))
        self._donors.append(head.donors)
        if self._filters:
            located = tuple(
                msgspec.structs.replace(
                    row,
                    licence=origin.licence,
                    origin=origin.origin,
                    repository=origin.repository or row.repository,
                )
                for row in head.sessions
            )
            self._chunk.append((len(self._tops) - 1, located))
            if len(self._chunk) >= 2_000:
                self._filter()

    def _slim(self, row: _Row) -> _Row:
        """The same row without its sketch, each word that recurs the one object."""
        words = {
            field: self._words.setdefault(value, value)
            for field in row.__struct_fields__
            if isinstance(value := getattr(row, field), str)
            and field not in ("episode", "pair", "fingerprint")
        }
        return msgspec.structs.replace(row, sketch=b"", **words)

    def _filter(self) -> None:
        rows = [row for _, members in self._chunk for row in members]
        passes = [True] * len(rows)
        for one in self._filters:
            passes = [a and b for a, b in zip(passes, where.holds(one, rows), strict=True)]
        at = 0
        for number, members in self._chunk:
            failed = tuple(row.session for row, ok in zip(members, passes[at:], strict=False) if not ok)
            at += len(members)
            if failed:
                self._left_out[number] = failed
        self._chunk.clear()

    # -- deciding -------------------------------------------------------------------------------------

    def plan(self) -> Plan:
        """Decide everything."""
        self._filter()
        groups = _Groups(len(self._tops))
        self._relatives(groups)
        kept = [True] * len(self._tops)
        copied: dict[int, dict[str, tuple[int, ...]]] = {}
        for number, top in enumerate(self._tops):
            if set(self._left_out.get(number, ())) >= set(top.members):
                kept[number] = False
                self.counts["filtered"] += 1
        if self._options.dedup != "off":
            copied = self._copies(kept, groups)
            if self._options.dedup == "near":
                self._near(kept, groups)
        self._sample(kept)
        names = self._names(kept)
        splits = self._splits(groups, kept)
        episodes = self._episodes(kept, splits)
        pairs = self._pairs(episodes)
        twins = self._twins(kept, splits, pairs)
        choices = tuple(
            Choice(
                unit=top.unit,
                number=top.number,
                split=splits[number],
                size=top.size,
                origin=self._origins.of(top.source),
                names=names.get(number, {}),
                left_out=self._left_out.get(number, ()),
                copied=copied.get(number, {}),
                episodes=episodes.get(number, ()),
                pairs=pairs.get(number, ()),
                answers=self._asked_of(number, splits[number], pairs.get(number, ())),
                twins=tuple(
                    Twin(
                        unit=self._tops[other].unit,
                        number=self._tops[other].number,
                        licence=self._origins.of(self._tops[other].source).licence,
                        names=names.get(other, {}),
                    )
                    for other in twins.get(number, ())
                ),
                reviews=self._labels.of(top.members),
            )
            for number, top in enumerate(self._tops)
            if kept[number]
        )
        self.counts["kept"] = len(choices)
        shares = {name: 0 for name, _ in self._options.splits}
        for choice in choices:
            shares[choice.split] += 1
        donors, licences = self._answers(kept, splits)
        self._checks = partial(self._checked, kept, splits, copied, episodes)
        return Plan(
            choices=choices,
            donors=donors,
            licences=licences,
            counts=dict(sorted(self.counts.items())),
            shares=shares,
            rules=tuple(sorted(self._rules)),
            strangers=self._labels.strangers(self._members, self._fingerprints),
        )

    def _relatives(self, groups: _Groups) -> None:
        """Families and repositories are never split; nor is an id that two sources hold, nor the same task given twice."""
        first: dict[str | bytes, int] = {}
        forms = self._forms()
        self.counts["forms_of_words"] = len(forms)
        for number, top in enumerate(self._tops):
            keys: list[str | bytes] = [f"session {member}" for member in top.members]
            keys += [f"session {parent}" for parent in top.parents]
            if top.project:
                keys.append(f"project {top.project}")
            keys += top.words()
            keys += top.runs() - forms
            for key in keys:
                groups.join(first.setdefault(key, number), number)

    def _forms(self) -> set[bytes]:
        """Runs of words that so many sessions hold that a program wrote them around what each person asked."""
        held = Counter(run for top in self._tops for run in top.runs())
        most = max(FORM_LEAST, FORM_SHARE * len(self._tops))
        return {run for run, count in held.items() if count > most}

    def _priority(self) -> list[int]:
        """The fullest first: of two copies the longer one is kept; then in the order of the sources."""
        return sorted(
            range(len(self._tops)),
            key=lambda number: (
                -sum(end - begin for _, _, begin, end in self._tops[number].copies),
                -self._tops[number].size,
                number,
            ),
        )

    def _copies(self, kept: list[bool], groups: _Groups) -> dict[int, dict[str, tuple[int, ...]]]:
        """Sessions whose steps stand in fuller ones go; of the rest the steps that do are marked."""
        owner: dict[int, int] = {}
        wholes: dict[bytes, int] = {}
        copied: dict[int, dict[str, tuple[int, ...]]] = {}
        for number in self._priority():
            top = self._tops[number]
            if not kept[number]:
                continue
            shared: Counter[int] = Counter()
            total = 0
            marked: dict[str, tuple[int, ...]] = {}
            for session, _, begin, end in top.copies:
                places = []
                for at in range(begin, end):
                    total += 1
                    holder = owner.get(self._hashes[at])
                    if holder is not None and holder != number:
                        shared[holder] += 1
                        places.append(self._places[at])
                if places:
                    marked[session] = tuple(places)
            whole = b"".join(exact for _, exact, _, _ in top.copies)
            same = wholes.get(whole)
            if same is not None and top.copies:
                groups.join(same, number)
                kept[number] = False
                self.counts["duplicates_exact"] += 1
                continue
            for holder, count in shared.items():
                if count >= SHARED or count >= CONTAINED * total:
                    groups.join(holder, number)
            contained = total > 0 and sum(shared.values()) >= CONTAINED * total
            holders = set().union(*(self._tops[holder].faults for holder in shared)) if shared else set()
            if contained and set(top.faults) <= holders:
                kept[number] = False
                self.counts["duplicates_contained"] += 1
                continue
            wholes[whole] = number
            for _, _, begin, end in top.copies:
                for at in range(begin, end):
                    owner.setdefault(self._hashes[at], number)
            if marked:
                copied[number] = marked
        return copied

    def _near(self, kept: list[bool], groups: _Groups) -> None:
        order = [number for number in self._priority() if kept[number]]
        earlier, later, alike = self._sketches.close([self._tops[number].sketch for number in order], AKIN)
        groups.join_all(order, earlier, later)
        copies = alike >= ALIKE
        rows = zip(later[copies].tolist(), earlier[copies].tolist(), strict=True)
        for place, other_place in sorted(rows):
            number, other = order[place], order[other_place]
            same = self._tops[number].faults == self._tops[other].faults
            if kept[other] and kept[number] and same:
                kept[number] = False
                self.counts["duplicates_near"] += 1

    def _sample(self, kept: list[bool]) -> None:
        wanted = self._options.sample
        if wanted is None:
            return
        numbers = [number for number, ok in enumerate(kept) if ok]
        count = round(wanted * len(numbers)) if wanted <= 1 else int(wanted)
        ranked = sorted(numbers, key=lambda number: self._rank("sample", self._tops[number].root, number))
        for number in ranked[count:]:
            kept[number] = False
            self.counts["not_sampled"] += 1

    def _rank(self, *what: object) -> bytes:
        text = "\0".join(map(str, (self._options.seed, *what)))
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()

    def _names(self, kept: Sequence[bool]) -> dict[int, dict[str, str]]:
        """Ids that two kept sources hold stand for two sessions: all but the first get a name of their own."""
        taken: set[str] = set()
        found: dict[int, dict[str, str]] = {}
        for number, top in enumerate(self._tops):
            if not kept[number]:
                continue
            for member in top.members:
                if member in taken:
                    mark = hashlib.sha256(f"{top.source}\0{top.number}".encode()).hexdigest()[:8]
                    found.setdefault(number, {})[member] = f"{member}@{mark}"
                    self.counts["renamed"] += 1
                taken.add(member)
        return found

    def _splits(self, groups: _Groups, kept: Sequence[bool]) -> list[str]:
        """The split of each: by a hash of its group's name, so that it stays when other sources come along.

        Where chance gives a split far less than its share, groups that fit come to it from those that have more.
        """
        total = sum(share for _, share in self._options.splits)
        names: dict[int, str] = {}
        for number, top in enumerate(self._tops):
            root = groups.root(number)
            # The mark of a project stays when sessions are added; an id only while it is the smallest.
            name = f"0{top.project}" if top.project else f"1{top.root}"
            names[root] = min(names.get(root, name), name)
        places: dict[int, str] = {}
        for root, name in names.items():
            value = int.from_bytes(self._rank("split", name)[:8], "big") / 2**64 * total
            places[root] = self._options.splits[-1][0]
            for split, share in self._options.splits:
                if value < share:
                    places[root] = split
                    break
                value -= share
        sizes = Counter(groups.root(number) for number in range(len(self._tops)) if kept[number])
        self._evened(places, sizes, names)
        self.counts["groups"] = len(names)
        return [places[groups.root(number)] for number in range(len(self._tops))]

    def _evened(self, places: dict[int, str], sizes: Mapping[int, int], names: Mapping[int, str]) -> None:
        """Move groups into splits with far less than their share, from those with more, in an order that chance gives."""
        total = sum(share for _, share in self._options.splits)
        wanted = {name: share / total * sum(sizes.values()) for name, share in self._options.splits}
        having = Counter(dict.fromkeys(wanted, 0))
        for root, size in sizes.items():
            having[places[root]] += size
        order = sorted(sizes, key=lambda root: self._rank("moved", names[root]))
        for name, _ in self._options.splits:
            if wanted[name] < LEAST_WANTED or having[name] >= FAR_BELOW * wanted[name]:
                continue
            for root in order:
                home, size = places[root], sizes[root]
                spare = having[home] - wanted[home]
                if home != name and size <= min(spare, wanted[name] - having[name]):
                    places[root] = name
                    having[home] -= size
                    having[name] += size
                    self.counts["groups_moved"] += 1

    def _episodes(self, kept: Sequence[bool], splits: Sequence[str]) -> dict[int, tuple[str, ...]]:
        """Episodes without copies, filtered, and not more of a kind than asked for."""
        rows: list[tuple[int, Stub]] = []
        for number, stubs in enumerate(self._stubs):
            if kept[number]:
                gone = set(self._left_out.get(number, ()))
                rows += [(number, stub) for stub in stubs if stub.session not in gone]
        self.counts["episodes_read"] = len(rows)
        if self._options.dedup != "off":
            rows = self._apart(rows)
        for one in self._options.where:
            if one.table == "episodes" and rows:
                passes = where.holds(one, [_as_episode(stub, self._labels) for _, stub in rows])
                self.counts["episodes_filtered"] += passes.count(False)
                rows = [row for row, ok in zip(rows, passes, strict=True) if ok]
        for column, most in self._options.caps:
            rows = self._capped(rows, column, most)
        if self._options.balance is not None and rows:
            sizes = Counter(self._value(row, self._options.balance) for row in rows)
            rows = self._capped(rows, self._options.balance, min(sizes.values()))
        found: dict[int, list[str]] = {}
        for number, stub in rows:
            found.setdefault(number, []).append(stub.episode)
        return {number: tuple(episodes) for number, episodes in found.items()}

    def _believed(self, stub: Stub) -> bool:
        """Whether an episode is taken: nothing makes it doubtful, or people said that it is right."""
        if stub.doubt is None or self._labels.verdict(stub.session, stub.fingerprint) == "confirm":
            return True
        self.counts["episodes_unlikely" if stub.doubt == doubts.UNLIKELY else "episodes_doubtful"] += 1
        return False

    def _apart(self, rows: list[tuple[int, Stub]]) -> list[tuple[int, Stub]]:
        seen: set[bytes] = set()
        unique = []
        for number, stub in rows:
            if stub.exact in seen:
                self.counts["episodes_duplicates"] += 1
                continue
            seen.add(stub.exact)
            unique.append((number, stub))
        if self._options.dedup != "near":
            return unique
        near = self._sketches.neighbours([self._sketch[stub.episode] for _, stub in unique], EPISODE_ALIKE)
        gone: set[int] = set()
        for place in sorted(near):
            for other in near[place]:
                if other not in gone and unique[other][1].rule == unique[place][1].rule:
                    gone.add(place)
        self.counts["episodes_duplicates"] += len(gone)
        return [row for place, row in enumerate(unique) if place not in gone]

    def _pairs(self, episodes: Mapping[int, Sequence[str]]) -> dict[int, tuple[str, ...]]:
        """Pairs of the episodes that are kept, without copies: two rules may report one silence, and a model may do
        the same wrong thing many times over.
        """
        names = {number: set(kept) for number, kept in episodes.items()}
        every = [(n, ask) for n in sorted(names) for ask in self._asks[n] if ask.episode in names[n]]
        # Of copies one that has an answer is kept, else one that may find it in a session with the same request.
        asked = Counter(words for top in self._tops for words in set(top.words()))
        alone = {n for n in names if not any(asked[words] > 1 for words in self._tops[n].words())}
        deeds = {stub.episode for n in names for stub in self._stubs[n] if stub.rule in DEEDS}
        every.sort(key=lambda row: (not row[1].drafted, row[0] in alone, row[1].episode not in deeds))
        rows: list[tuple[int, Ask]] = []
        seen: set[bytes] = set()
        for number, ask in every:
            if self._options.dedup != "off" and ask.exact in seen:
                self.counts["pairs_duplicates"] += 1
                continue
            seen.add(ask.exact)
            rows.append((number, ask))
        gone: set[int] = set()
        if self._options.dedup == "near":
            near = self._sketches.neighbours([self._sketch[ask.pair] for _, ask in rows], PAIR_ALIKE)
            for place in sorted(near):
                if any(other not in gone for other in near[place]):
                    gone.add(place)
            self.counts["pairs_duplicates"] += len(gone)
        found: dict[int, list[str]] = {}
        worded: Counter[bytes] = Counter()
        for place, (number, ask) in enumerate(rows):
            if place in gone:
                continue
            worded[ask.chosen] += bool(ask.chosen)
            if worded[ask.chosen] > SAME_WORDS and self._options.dedup != "off":
                self.counts["pairs_same_words"] += 1
                continue
            found.setdefault(number, []).append(ask.pair)
        return {number: tuple(pairs) for number, pairs in found.items()}

    def _twins(
        self, kept: Sequence[bool], splits: Sequence[str], pairs: Mapping[int, Sequence[str]]
    ) -> dict[int, list[int]]:
        """For each session with pairs others with the same long words of a person."""
        wanted = {words for number in pairs for words in self._tops[number].words()}
        holders: dict[bytes, list[int]] = {}
        for number, top in enumerate(self._tops):
            if kept[number] and number not in self._left_out:
                for words in wanted.intersection(top.words()):
                    holders.setdefault(words, []).append(number)
        found: dict[int, list[int]] = {}
        for number in pairs:
            top = self._tops[number]
            others = {other for words in top.words() for other in holders.get(words, ())} - {number}
            same = [other for other in others if splits[other] == splits[number]]
            same.sort(key=lambda other: self._rank("twin", self._tops[other].root, self._tops[other].source))
            found[number] = same[:TWINS]
        return found

    def _asked_of(self, number: int, split: str, pairs: Sequence[str]) -> tuple[str, ...]:
        """Where the real answers are that pairs of a session may take."""
        wanted = set(pairs)
        asks = (ask for ask in self._asks[number] if ask.pair in wanted)
        return tuple(sorted({donor_key(split, ask.situation, ask.language) for ask in asks}))

    def _value(self, row: tuple[int, Stub], column: str) -> Any:
        number, stub = row
        top = self._tops[number]
        own = {"repository": top.repository, "family": top.root, "source": top.source}
        return own[column] if column in own else getattr(_as_episode(stub, self._labels), column)

    def _capped(self, rows: list[tuple[int, Stub]], column: str, most: int) -> list[tuple[int, Stub]]:
        ranked = sorted(range(len(rows)), key=lambda at: self._rank("cap", column, rows[at][1].episode))
        taken: Counter[Any] = Counter()
        staying = set()
        for at in ranked:
            value = self._value(rows[at], column)
            if taken[value] < most:
                taken[value] += 1
                staying.add(at)
        self.counts["episodes_not_sampled"] += len(rows) - len(staying)
        return [row for at, row in enumerate(rows) if at in staying]

    def _answers(
        self, kept: Sequence[bool], splits: Sequence[str]
    ) -> tuple[dict[str, tuple[Donor, ...]], dict[str, str | None]]:
        """Real answers by split and kind of situation: never from another split."""
        found: dict[str, list[Donor]] = {}
        licences: dict[str, str | None] = {}
        for number, donors in enumerate(self._donors):
            if not kept[number]:
                continue
            gone = set(self._left_out.get(number, ()))
            for donor in donors:
                if donor.session not in gone:
                    found.setdefault(donor_key(splits[number], donor.situation, donor.language), []).append(
                        donor
                    )
                    licences[donor.session] = self._origins.of(self._tops[number].source).licence
        for key, donors_ in found.items():
            donors_.sort(key=lambda donor: self._rank("donor", donor.session, donor.step))
            found[key] = donors_[:DONORS]
        return {key: tuple(row) for key, row in sorted(found.items())}, licences

    # -- checking -------------------------------------------------------------------------------------

    def checks(self) -> dict[str, int]:
        """What must be nought once it is planned: leaks between splits. Nothing that is written depends on it, so that it
        can be asked for beside the writing.
        """
        assert self._checks is not None
        return self._checks()

    def _checked(
        self,
        kept: Sequence[bool],
        splits: Sequence[str],
        copied: Mapping[int, Mapping[str, Sequence[int]]],
        episodes: Mapping[int, Sequence[str]],
    ) -> dict[str, int]:
        """Looked at once more, from the other side: nothing may stand in two splits."""
        where_is: dict[str, dict[Any, set[str]]] = {
            name: {} for name in ("family", "repository", "words", "run_of_words", "step", "episode")
        }
        forms = self._forms()
        for number, top in enumerate(self._tops):
            if not kept[number]:
                continue
            split = splits[number]
            for member in (*top.members, *top.parents):
                where_is["family"].setdefault(member, set()).add(split)
            if top.project:
                where_is["repository"].setdefault(top.project, set()).add(split)
            for words in top.words():
                where_is["words"].setdefault(words, set()).add(split)
            for run in top.runs() - forms:
                where_is["run_of_words"].setdefault(run, set()).add(split)
            marks = copied.get(number, {})
            for session, _, begin, end in top.copies:
                marked = set(marks.get(session, ()))
                for at in range(begin, end):
                    if self._places[at] not in marked:
                        where_is["step"].setdefault(self._hashes[at], set()).add(split)
            names = set(episodes.get(number, ()))
            for stub in self._stubs[number]:
                if stub.episode in names:
                    where_is["episode"].setdefault(stub.exact, set()).add(split)
        found = {
            f"{name}_in_two_splits": sum(len(places) > 1 for places in table.values())
            for name, table in where_is.items()
        }
        staying = [number for number, ok in enumerate(kept) if ok]
        near = self._sketches.close([self._tops[number].sketch for number in staying], ALIKE)
        found["near_copies_in_two_splits"] = sum(
            splits[staying[other]] != splits[staying[place]]
            for other, place in zip(near[0].tolist(), near[1].tolist(), strict=True)
        )
        return found


def donor_key(split: str, situation: str, language: str | None) -> str:
    """Where the real answers for a situation are."""
    return "\0".join((split, situation, language or ""))


class _Filtered(msgspec.Struct, frozen=True, kw_only=True):
    """An episode as far as filters and caps look at it before it is written."""

    episode: str
    session: str
    kind: str
    rule: str
    label: str
    severity: str
    confidence: str
    verdict: str | None
    fingerprint: str | None
    situation: str
    environment: str | None
    model: str | None
    client: str | None
    event_step: int
    tokens: int


EARLY = _Filtered.__struct_fields__
"""Columns by which episodes can be filtered and counted."""


def _as_episode(stub: Stub, labels: Labels) -> _Filtered:
    verdict = labels.verdict(stub.session, stub.fingerprint)
    return _Filtered(
        episode=stub.episode,
        session=stub.session,
        kind=stub.kind,
        rule=stub.rule,
        label=label(stub.kind, stub.rule, verdict),
        severity=stub.severity,
        confidence=stub.confidence,
        verdict=verdict,
        fingerprint=stub.fingerprint,
        situation=stub.situation,
        environment=stub.environment,
        model=stub.model,
        client=stub.client,
        event_step=stub.event_step,
        tokens=stub.tokens,
    )


def label(kind: str, rule: str, verdict: str | None) -> str:
    """The label of an episode: what people say counts for more than what the rule says."""
    return f"{'dismissed' if verdict == 'dismiss' else kind}:{rule}"


class _Groups:
    """What belongs together: joined pairs, and the root of each."""

    def __init__(self, count: int) -> None:
        self._parent = array("I", range(count))

    def root(self, number: int) -> int:
        """The number that stands for a group."""
        while self._parent[number] != number:
            self._parent[number] = self._parent[self._parent[number]]
            number = self._parent[number]
        return number

    def join(self, one: int, other: int) -> None:
        """Put two groups together."""
        a, b = self.root(one), self.root(other)
        if a != b:
            self._parent[max(a, b)] = min(a, b)

    def join_all(self, numbers: Sequence[int], ones: Any, others: Any) -> None:
        """Put many together, given by two arrays of places in ``numbers``: joining those that are together already
        would take most of the time.
        """
        import numpy

        # Each with one, then whatever is still apart.
        _, first = numpy.unique(others, return_index=True)
        for one, other in zip(ones[first].tolist(), others[first].tolist(), strict=True):
            self.join(numbers[one], numbers[other])
        roots = numpy.array([self.root(number) for number in numbers], dtype=numpy.int64)
        apart = roots[ones] != roots[others]
        for one, other in zip(ones[apart].tolist(), others[apart].tolist(), strict=True):
            self.join(numbers[one], numbers[other])


def shards(choices: Iterable[Choice], most: int) -> Iterator[tuple[str, int, list[Choice]]]:
    """Choices in shards of one split each: split, number within the split, what goes in."""
    open_: dict[str, list[Choice]] = {}
    sizes: Counter[str] = Counter()
    numbers: Counter[str] = Counter()
    for choice in choices:
        row = open_.setdefault(choice.split, [])
        if row and sizes[choice.split] + choice.size > most:
            yield choice.split, numbers[choice.split], row
            numbers[choice.split] += 1
            open_[choice.split] = row = []
            sizes[choice.split] = 0
        row.append(choice)
        sizes[choice.split] += choice.size
    for split in sorted(open_):
        if open_[split]:
            yield split, numbers[split], open_[split]
