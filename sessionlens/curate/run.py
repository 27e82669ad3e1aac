"""A run of ``curate`` from its sources to a finished data set; it goes on where an earlier one stopped."""

from __future__ import annotations

import hashlib
import json
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain, islice
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from sessionlens import __version__
from sessionlens.curate import card, render, segments, similar
from sessionlens.curate.extract import Order, Problem, Unit
from sessionlens.curate.fit import Donor
from sessionlens.curate.labels import Labels, Strangers
from sessionlens.curate.names import named, without_homes
from sessionlens.curate.names import problem as clean_problem
from sessionlens.curate.place import Local, Place, at
from sessionlens.curate.plan import Choice, Deciding, Options, Plan, shards
from sessionlens.curate.rows import SCHEMA
from sessionlens.curate.schedule import Scheduler, ahead
from sessionlens.curate.sources import WORK, Origins, remote, spellings, units

_T = TypeVar("_T")

SHARD_BYTES = 2_000_000
"""Bytes of text in one shard, before packing: small enough that no process waits long for the last one."""
_DONE = f"{WORK}/shards.json"
_EVERY = 16
"""Shards after which it is written down what is finished."""


BECAME = ("read", "passed", "unread", "opted_out", "empty")
"""What a source is counted as: it gave sessions, is no log, cannot be read, was opted out, holds no session."""


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """What one run is asked for."""

    corpora: tuple[str, ...]
    """Sources."""
    output: str
    """Where to."""
    order: Order
    """How sources are read."""
    options: Options
    """What is kept."""
    origins_name: str | None = None
    """Name of the list of origins."""
    formats: tuple[str, ...] = ("jsonl", "parquet")
    """``jsonl``, ``parquet``."""
    forms: tuple[str, ...] = ("sft",)
    """Chat forms."""
    max_tokens: int | None = None
    """Longest row of a chat form."""
    shard_bytes: int = SHARD_BYTES
    """Bytes of text in one shard."""
    clean: bool = False
    """Whether what the next run could use is removed at the end."""


class Progress:
    """Told how far a run is. This one tells nobody."""

    def begin(self, what: str, total: int = 0) -> None:
        """A stage with so much to do begins."""

    def more(self, total: int) -> None:
        """There is so much more to do."""

    def step(self, done: int) -> None:
        """So much of it is done."""

    def end(self) -> None:
        """The stage is over."""


class EmptyError(Exception):
    """No source can be read. A finished set is not replaced by nothing, since a name may have been mistyped."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        """Say why, source by source."""
        self.problems = tuple(problems)
        super().__init__("no source can be read")


class LeakError(Exception):
    """The finished set still held secrets: nothing of those shards was written, and the set is not finished."""


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """How a run ended."""

    manifest: dict[str, Any]
    """What ``manifest.json`` says."""
    problems: tuple[Problem, ...]
    """What could not be read or judged."""
    extracted: int
    """Units that this run extracted; the others were kept from before."""
    rendered: int
    """Shards that this run rendered."""
    strangers: Strangers
    """Reviews that join nothing."""


class _Rescue:
    """Batches that kill their process are taken apart."""

    def apart(self, task: segments.Batch, /) -> list[segments.Batch]:
        return segments.halves(task)

    def lost(self, task: segments.Batch, /) -> segments.Segment:
        return segments.lost(task)

    def joined(self, task: segments.Batch, results: list[segments.Segment], /) -> segments.Segment:
        return segments.merged(task.number, results)


def run(
    request: Request,
    *,
    origins: Origins,
    labels: Labels,
    scheduler: Scheduler,
    progress: Progress | None = None,
) -> Result:
    """Make the data set.

    :raises EmptyError: when nothing can be read; a set that is there stays as it is.
    :raises LeakError: when finished rows still hold secrets.
    :raises sessionlens.curate.where.WhereError: when a filter cannot be evaluated.
    """
    progress = progress or Progress()
    place = at(request.output)
    sources = _there(_sources(request))
    # A set is finished when its manifest is there: while it is being made it is not.
    for name in ("manifest.json", "DATASET_CARD.md"):
        place.remove(name)
    taking = _Taking(request, origins, labels)
    found = extracted(request, place, origins, scheduler, progress, sources=sources, taking=taking)
    scheduler.meanwhile(render.ready)
    plan = decided(found, taking, progress)
    with ThreadPoolExecutor(1, "sessionlens-beside") as beside:
        # While others write, this process has little else to do.
        checks, schemas = beside.submit(taking.checks), beside.submit(card.schemas)
        finished, new = _shards(request, place, found.store, plan, scheduler=scheduler, progress=progress)
        told = _Told(reviewed=len(labels), checks=checks.result(), schemas=schemas.result())
    manifest = _finish(request, place, found, plan, finished, told=told)
    if request.clean:
        place.remove(WORK)
    return Result(
        manifest=manifest,
        problems=tuple(found.problems),
        extracted=found.extracted,
        rendered=new,
        strangers=plan.strangers,
    )


# -------------------------------------------------------------------------------------------------- extracting


class Found:
    """What the sources hold, extracted."""

    def __init__(self, store: segments.Store) -> None:
        """Nothing yet."""
        self.store = store
        self.keys: list[str] = []
        """Units in the order of their sources."""
        self.problems: list[Problem] = []
        self.sources: Counter[str] = Counter()
        self.became: Counter[str] = Counter()
        self.digest = ""
        self.extracted = 0


class _Taking:
    """Heads taken in for deciding in the order of their sources, as far as they are there: while others extract,
    this process has little else to do.
    """

    def __init__(self, request: Request, origins: Origins, labels: Labels) -> None:
        """Nothing is taken in yet."""
        self._request, self._origins, self._labels = request, origins, labels
        self._deciding: Deciding | None = None
        self._taken: list[str] = []

    def more(self, store: segments.Store, listed: Sequence[tuple[Unit, str]]) -> None:
        """Take in what comes next. All sources must be listed by now."""
        if self._deciding is None:
            self._begin()
        for _, key in listed[len(self._taken) :]:
            if key not in store.kept:
                return
            self._take(store, key)

    def families(
        self, store: segments.Store, listed: Sequence[tuple[Unit, str]]
    ) -> Iterator[tuple[int, tuple[str, ...], tuple[str, ...]]]:
        """As :func:`_families`, from memory as far as they are taken in."""
        known = self._deciding.families() if self._deciding is not None else iter(())
        for number, key in enumerate(self._taken):
            for members, parents in islice(known, len(store.kept[key][1].heads)):
                yield number, members, parents
        yield from _families(store, listed, len(self._taken))

    def checks(self) -> dict[str, int]:
        """What :meth:`Deciding.checks` says."""
        assert self._deciding is not None
        return self._deciding.checks()

    def whole(self, found: Found, progress: Progress) -> Deciding:
        """Take in the rest; all of it anew where units were put together since."""
        if self._deciding is None or self._taken != found.keys[: len(self._taken)]:
            self._begin()
        progress.step(len(self._taken))
        for key in found.keys[len(self._taken) :]:
            self._take(found.store, key)
            progress.step(1)
        assert self._deciding is not None
        return self._deciding

    def _begin(self) -> None:
        # The list of people who opted out names addresses as they are: it was asked while sources were listed.
        similar.ready()
        self._origins.show(lambda address: without_homes(address, self._request.order))
        labels = self._labels.called(lambda name: named(name, self._request.order))
        self._deciding, self._taken = Deciding(self._request.options, self._origins, labels), []

    def _take(self, store: segments.Store, key: str) -> None:
        assert self._deciding is not None
        for number, head in enumerate(store.heads(key)):
            self._deciding.add(key, number, head)
        self._taken.append(key)


def _sources(request: Request) -> Iterator[Unit | Problem]:
    leave = None if remote(request.output) else Path(request.output).resolve()
    return units(request.corpora, reader=request.order.reader, leave=leave)


def _there(sources: Iterator[Unit | Problem]) -> Iterator[Unit | Problem]:
    """The same, looked at up to the first that is one.

    :raises EmptyError: when none is.
    """
    missing: list[Problem] = []
    for source in sources:
        if not isinstance(source, Problem):
            return chain(missing, (source,), sources)
        missing.append(source)
    raise EmptyError(missing)


def extracted(
    request: Request,
    place: Place,
    origins: Origins,
    scheduler: Scheduler,
    progress: Progress,
    *,
    sources: Iterable[Unit | Problem] | None = None,
    taking: _Taking | None = None,
) -> Found:
    """Extract every unit that is not kept from before; join families that lie in several sources.

    :param sources: what the request asks for, where somebody has begun to look at it.
    """
    found = Found(segments.Store(place))
    order_key = segments.order_key(request.order)
    _forget(found.store, request.order)
    listed: list[tuple[Unit, str]] = []
    whole = threading.Event()

    def take() -> None:
        if taking is not None and whole.is_set():
            taking.more(found.store, listed)

    found.extracted += _extract(
        found.store,
        _kept_in(listed, _listed(request, sources or _sources(request), found, origins, order_key), whole),
        request.order,
        scheduler,
        progress,
        what="reading",
        meanwhile=take,
    )
    current = {key for _, key in listed}
    # What was kept from before, too: each head is read once.
    take()
    listed = _joined(found.store, listed, order_key, taking)
    # Read once more, with their families: they are not counted twice.
    _extract(found.store, listed, request.order, scheduler, progress, what="joining families")
    found.keys = [key for _, key in listed]
    current.update(found.keys)
    for unit, key in listed:
        kept = found.store.kept[key][1]
        kinds = {problem.kind for problem in kept.problems}
        # What a source is counted as: the first that fits, so that the numbers add up.
        became = (
            "read"
            if kept.heads
            else next((k for k in ("unread", "opted_out", "passed") if k in kinds), "empty")
        )
        found.became[became] += len(unit.paths)
    found.sources["units"] = found.became.total()
    for key in found.keys:
        for problem in found.store.kept[key][1].problems:
            # Whoever runs it needs the name under which the file lies; the manifest gets the other one.
            found.problems.append(msgspec.structs.replace(problem, source=origins.told(problem.source)))
            found.sources[problem.kind] += problem.count
    # Whatever else is kept is of sources that changed or went, or of another order.
    found.store.forget([key for key in found.store.kept if key not in current])
    return found


def _listed(
    request: Request, sources: Iterable[Unit | Problem], found: Found, origins: Origins, order_key: str
) -> Iterator[tuple[Unit, str]]:
    """Units with their keys; what is no unit is noted."""
    digest = hashlib.sha256()
    for unit in sources:
        if isinstance(unit, Problem):
            found.problems.append(unit)
            found.sources[unit.kind] += 1
            found.became[unit.kind] += 1
            continue
        for name in unit.names:
            shown = named(name, request.order)
            if shown != name:
                origins.call(shown, name)
        entries = _opted_out(request.order, origins, unit)
        if entries:
            found.problems.append(
                Problem(source=unit.names[0], reason="opted out", kind="opted_out", entries=entries)
            )
            found.sources["opted_out"] += 1
            found.became["opted_out"] += 1
            continue
        found.sources["bytes"] += unit.size
        digest.update("\0".join((*unit.names, *unit.keys)).encode("utf-8", "surrogatepass"))
        yield unit, segments.unit_key(unit, order_key)
    found.digest = digest.hexdigest()


def _kept_in(kept: list[_T], items: Iterable[_T], whole: threading.Event) -> Iterator[_T]:
    """The same items, kept in a list; ``whole`` is set once it holds them all."""
    for item in items:
        kept.append(item)
        yield item
    whole.set()


def _opted_out(order: Order, origins: Origins, unit: Unit) -> tuple[str, ...]:
    """Marks of the entries of the opt-out list that name a source: itself, or what the list of origins says of it."""
    from sessionlens.curate.extract import listed, mark

    if not order.opt_out:
        return ()
    known = [origins.of(name) for name in unit.names]
    places = [value for one in known for value in (one.repository, one.origin) if value]
    names = [one for name, path in zip(unit.names, unit.paths, strict=True) for one in spellings(name, path)]
    return tuple(map(mark, listed(order.opt_out, [], places, names)))


def unused(order: Order, problems: Sequence[Problem]) -> list[str]:
    """Entries of the opt-out list that named nothing of what was read."""
    from sessionlens.curate.extract import mark

    used = {one for problem in problems for one in problem.entries}
    return [entry for entry in order.opt_out if mark(entry) not in used]


def _forget(store: segments.Store, order: Order) -> None:
    """Let go of what the opt-out list names, so that nothing of it stays, and of what it names no longer."""
    from sessionlens.curate.extract import mark, named_in

    marks = set(map(mark, order.opt_out))
    store.forget(
        [
            key
            for key, (_, one) in store.kept.items()
            if any(problem.entries and not marks & set(problem.entries) for problem in one.problems)
        ]
    )
    if not order.opt_out:
        return

    gone = [
        key
        for key in store.kept
        if any(named_in(order.opt_out, head.source, head.sessions) for head in store.heads(key))
    ]
    store.forget(gone)


def _extract(
    store: segments.Store,
    listed: Iterable[tuple[Unit, str]],
    order: Order,
    scheduler: Scheduler,
    progress: Progress,
    *,
    what: str,
    meanwhile: Callable[[], None] = lambda: None,
) -> int:
    """Extract the units that are not kept, looking for more of them while the first are worked on; how many there were."""
    asked: set[str] = set()
    coming = segments.Coming()

    def missing() -> Iterator[tuple[Unit, str]]:
        for unit, key in listed:
            if key not in store.kept and key not in asked:
                if not asked:
                    # A stage with nothing to do shows no bar.
                    progress.begin(what)
                asked.add(key)
                coming.add(unit)
                progress.more(max(1, unit.size))
                yield unit, key
        coming.whole = True

    batches = segments.batches(ahead(missing()), order, coming)
    for batch, segment in scheduler.run(segments.work, batches, _Rescue()):
        store.add(segment)
        progress.step(sum(max(1, unit.size) for unit in batch.units))
        meanwhile()
    progress.end()
    return len(asked)


def _joined(
    store: segments.Store, listed: Sequence[tuple[Unit, str]], order_key: str, taking: _Taking | None = None
) -> list[tuple[Unit, str]]:
    """Units of which one holds sessions whose parents another one holds, put together."""
    if not any(store.kept[key][1].related for _, key in listed):
        return list(listed)
    home: dict[str, int] = {}
    wanted: list[tuple[int, str]] = []
    for number, sessions, parents in (
        _families(store, listed) if taking is None else taking.families(store, listed)
    ):
        for session in sessions:
            home.setdefault(session, number)
        wanted += [(number, parent) for parent in parents]
    joined: dict[int, int] = {}

    def root(number: int) -> int:
        while joined.get(number, number) != number:
            number = joined[number]
        return number

    for number, parent in wanted:
        other = home.get(parent)
        if other is not None and root(other) != root(number):
            a, b = sorted((root(other), root(number)))
            joined[b] = a
    groups: dict[int, list[int]] = {}
    for number in range(len(listed)):
        groups.setdefault(root(number), []).append(number)
    found = []
    for members in groups.values():
        if len(members) == 1:
            found.append(listed[members[0]])
            continue
        parts = [listed[number][0] for number in members]
        unit = Unit(
            paths=tuple(path for part in parts for path in part.paths),
            names=tuple(name for part in parts for name in part.names),
            keys=tuple(key for part in parts for key in part.keys),
            size=sum(part.size for part in parts),
            ids=tuple(one for part in parts for one in part.ids),
            met=any(part.met for part in parts),
        )
        found.append((unit, segments.unit_key(unit, order_key)))
    return found


def _families(
    store: segments.Store, listed: Sequence[tuple[Unit, str]], first: int = 0
) -> Iterator[tuple[int, tuple[str, ...], tuple[str, ...]]]:
    """Of each session on top from the unit numbered ``first`` on: its unit's number, it and its children, and parents
    that lie elsewhere.
    """
    for number, (_, key) in enumerate(listed[first:], first):
        for head in store.heads(key):
            yield number, tuple(row.session for row in head.sessions), head.parents


# ---------------------------------------------------------------------------------------------------- deciding


def decided(found: Found, taking: _Taking, progress: Progress) -> Plan:
    """The plan of the data set."""
    progress.begin("deciding", max(1, len(found.keys)))
    plan = taking.whole(found, progress).plan()
    progress.end()
    return plan


# ------------------------------------------------------------------------------------------------------ writing


class Shard(msgspec.Struct, frozen=True, kw_only=True):
    """A finished shard."""

    key: str
    """What it was made of."""
    split: str
    """Its split."""
    files: dict[str, str]
    """SHA-256 by name."""
    rows: dict[str, int]
    """Rows by table and form."""
    tallies: dict[str, dict[str, int]]
    """For the card."""


def _shards(
    request: Request,
    place: Place,
    store: segments.Store,
    plan: Plan,
    *,
    scheduler: Scheduler,
    progress: Progress,
) -> tuple[list[Shard], int]:
    """Render every shard that is not there yet. All are scanned; one with a secret is not written."""
    known: dict[str, Shard] = {}
    before = place.get(_DONE)
    if before is not None:
        try:
            known = {one.key: one for one in msgspec.json.decode(before, type=list[Shard])}
        except msgspec.DecodeError:
            known = {}
    names = set(place.names("data")) | set(place.names("chat"))
    jobs: list[tuple[str, int, tuple[Choice, ...], str]] = []
    for split, number, choices in shards(plan.choices, request.shard_bytes):
        jobs.append((split, number, tuple(choices), _shard_key(request, plan, split, number, choices)))
    finished: dict[str, Shard] = {
        key: known[key] for _, _, _, key in jobs if key in known and set(known[key].files) <= names
    }
    missing = [job for job in jobs if job[3] not in finished]
    # The large ones first: the small ones at the end keep all busy up to the last.
    missing.sort(key=lambda job: -sum(choice.size for choice in job[2]))
    progress.begin("writing", max(1, sum(choice.size for _, _, choices, _ in missing for choice in choices)))

    keys: dict[tuple[str, int], str] = {(split, number): key for split, number, _, key in missing}
    leaks: list[render.Leak] = []
    new = 0
    rendered = scheduler.run(render.render, _tasks(request, store, plan, missing, scheduler.near))
    for task, made in _noted(rendered, place, finished):
        new += 1
        if made.leaks:
            leaks += made.leaks
        else:
            for name, data in made.files.items():
                place.put(name, data)
            key = keys[task.split, task.number]
            finished[key] = Shard(
                key=key,
                split=task.split,
                files=made.digests,
                rows=made.rows,
                tallies=made.tallies,
            )
            if new % _EVERY == 0:
                _note(place, finished)
        progress.step(sum(choice.size for choice in task.choices))
    progress.end()
    _note(place, finished)
    if leaks:
        told = "; ".join(f"{one.file} row {one.row}: {one.kind}" for one in leaks[:5])
        raise LeakError(
            f"the data set is not finished, because {len(leaks)} secrets were found in what was to be written "
            f"({told}). Please report this; the shards that hold them were not written"
        )
    ordered = [finished[key] for _, _, _, key in jobs]
    _sweep(place, {name for shard in ordered for name in shard.files})
    return ordered, new


def _noted(items: Iterable[_T], place: Place, finished: dict[str, Shard]) -> Iterator[_T]:
    """The same items; when the work is stopped amid them, it is written down what is finished."""
    over = False
    try:
        yield from items
        over = True
    finally:
        if not over:
            _note(place, finished)


def kept(output: str) -> tuple[int, int]:
    """How many sources an unfinished set keeps as read, and how many shards as written."""
    place = at(output)
    done = place.get(_DONE)
    try:
        shards_ = len(msgspec.json.decode(done, type=list[Shard])) if done is not None else 0
    except msgspec.DecodeError:
        shards_ = 0
    read = sum(len(one.names) for _, one in segments.Store(place).kept.values())
    return read, shards_


def _note(place: Place, finished: dict[str, Shard]) -> None:
    place.put(_DONE, msgspec.json.encode([finished[key] for key in sorted(finished)]))


def _sweep(place: Place, wanted: set[str]) -> None:
    """Shards of an earlier run that are no part of this set go."""
    for folder in ("data", "chat", "plots"):
        for name in place.names(folder):
            if name not in wanted:
                place.remove(name)


def _tasks(
    request: Request,
    store: segments.Store,
    plan: Plan,
    jobs: Sequence[tuple[str, int, tuple[Choice, ...], str]],
    near: bool,
) -> Iterator[render.Task]:
    """What is to be rendered: for those who reach the data set with where it lies, for others with all they need."""
    for split, number, choices, _ in jobs:
        donors = _answers(plan, choices)
        others = {render.twin_key(twin): twin for choice in choices for twin in choice.twins}
        sessions = {donor.session for row in donors.values() for donor in row}
        yield render.Task(
            split=split,
            number=number,
            choices=choices,
            frames=() if near else tuple(store.frames(choice.unit, choice.number) for choice in choices),
            output=request.output if near else None,
            pieces=tuple(store.pieces(choice.unit, choice.number) for choice in choices) if near else (),
            twins={} if near else {key: store.frames(one.unit, one.number) for key, one in others.items()},
            twin_pieces={key: store.pieces(one.unit, one.number) for key, one in others.items()}
            if near
            else {},
            donors=donors,
            licences={session: plan.licences[session] for session in sorted(sessions)},
            formats=request.formats,
            forms=request.forms,
            filters=tuple(one for one in request.options.where if one.table in ("steps", "pairs")),
            mask_from=request.options.mask_from,
            max_tokens=request.max_tokens,
            tokenizer=request.order.tokenizer,
            scan=request.order.redact,
        )


def _answers(plan: Plan, choices: Iterable[Choice]) -> dict[str, tuple[Donor, ...]]:
    """The real answers that the pairs of a shard may take."""
    keys = {key for choice in choices for key in choice.answers}
    return {key: plan.donors[key] for key in sorted(keys & plan.donors.keys())}


def _shard_key(request: Request, plan: Plan, split: str, number: int, choices: Sequence[Choice]) -> str:
    """A name for all that decides a shard's bytes."""
    digest = hashlib.sha256(segments.program().encode())
    asked = (
        split,
        number,
        request.formats,
        request.forms,
        request.max_tokens,
        request.options.mask_from,
        request.options.where,
        request.order.redact,
        request.order.tokenizer,
        _versions(request),
        list(_answers(plan, choices).values()),
    )
    digest.update(msgspec.json.encode(asked))
    for choice in choices:
        digest.update(msgspec.json.encode(choice))
    return digest.hexdigest()[:40]


def _versions(request: Request) -> dict[str, str]:
    """Versions of what the bytes depend on."""
    from importlib.metadata import PackageNotFoundError, version

    found = {"sessionlens": __version__}
    wanted = ["pyarrow"] if "parquet" in request.formats else []
    if request.options.dedup == "near" and similar.available():
        wanted.append("rensa")
    for name in wanted:
        try:
            found[name] = version(name)
        except PackageNotFoundError:  # pragma: no cover - a library without its metadata
            found[name] = "unknown"
    return found


class _Told(msgspec.Struct, frozen=True, kw_only=True):
    """What the manifest and the card say besides what was planned and written."""

    reviewed: int
    """Findings with a verdict."""
    checks: dict[str, int]
    """As :meth:`Deciding.checks`."""
    schemas: dict[str, bytes]
    """Files of schemas by name."""


def _finish(
    request: Request, place: Place, found: Found, plan: Plan, finished: Sequence[Shard], *, told: _Told
) -> dict[str, Any]:
    """Schemas, plots, card, and last the manifest."""
    rows: Counter[str] = Counter()
    by_split: dict[str, Counter[str]] = {}
    tallies: dict[str, Counter[str]] = {}
    for shard in finished:
        rows.update(shard.rows)
        by_split.setdefault(shard.split, Counter()).update(shard.rows)
        for what, counts in shard.tallies.items():
            tallies.setdefault(what, Counter()).update(counts)
    files = {name: digest for shard in finished for name, digest in shard.files.items()}
    options = {
        **msgspec.to_builtins(request.options),
        **msgspec.to_builtins(
            msgspec.structs.replace(
                request.order,
                folders=tuple(Path(folder).name for folder in request.order.folders),
                config=Path(request.order.config).name if request.order.config else None,
                opt_out=(),
            )
        ),
        "opt_out": len(request.order.opt_out),
        "origins": request.origins_name,
        "max_tokens": request.max_tokens,
    }
    order = ("units", "bytes", "unread", "passed", "opted_out", "rule")
    manifest: dict[str, Any] = {
        "schema": SCHEMA,
        "versions": _versions(request),
        "program": segments.program(),
        "sources": {
            **{name: found.sources.get(name, 0) for name in order},
            "became": {name: found.became.get(name, 0) for name in BECAME},
            "hash": found.digest,
            "problems": [
                {"source": one.source, "kind": one.kind, "reason": one.reason, "count": one.count}
                for problem in found.problems
                for one in [clean_problem(problem, request.order)]
                if one.kind in ("unread", "rule", "passed")
            ],
        },
        "options": options,
        "formats": list(request.formats),
        "forms": list(request.forms),
        "splits": [name for name, _ in request.options.splits],
        "rules": list(plan.rules),
        "counts": plan.counts,
        "reviews": {
            "findings": told.reviewed,
            "of_sessions_not_read": plan.strangers.reviews,
            "of_findings_not_there": len(plan.strangers.findings),
        },
        "checks": told.checks,
        "scan": {"rows": sum(rows.values()) if request.order.redact else 0, "secrets": 0},
        "rows": dict(sorted(rows.items())),
        "rows_by_split": {split: dict(sorted(found_.items())) for split, found_ in sorted(by_split.items())},
        "tallies": {what: dict(sorted(counts.items())) for what, counts in sorted(tallies.items())},
        "files": dict(sorted(files.items())),
    }
    for name, data in told.schemas.items():
        place.put(name, data)
    pictures = card.pictures(manifest["tallies"])
    for name, data in pictures.items():
        place.put(name, data)
    place.put("DATASET_CARD.md", card.card(manifest, sorted(pictures)))
    place.put(
        "manifest.json", json.dumps(manifest, indent=2, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
    )
    return manifest


def read_manifest(folder: Path) -> dict[str, Any] | None:
    """The manifest of a finished data set; ``None`` where the folder is none."""
    data = Local(folder).get("manifest.json")
    if data is None:
        return None
    try:
        manifest = msgspec.json.decode(data)
    except msgspec.DecodeError:
        return None
    return manifest if isinstance(manifest, dict) and manifest.get("schema") == SCHEMA else None
