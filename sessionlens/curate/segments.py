"""What was extracted already: kept in segments, so that a run goes on where an earlier one stopped.

A segment is one batch of units: their heads and bodies as compressed frames in one file, and beside it an index that
is written last. A segment without its index is as good as none. Units are known by their content, their names and
the order, so that only new or changed sources are extracted again.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import msgspec

from sessionlens import __version__, processes
from sessionlens.curate.extract import Body, Head, Order, Problem, Unit, extract
from sessionlens.curate.names import named
from sessionlens.curate.place import Place
from sessionlens.curate.sources import WORK

_FOLDER = f"{WORK}/segments"
BATCH_BYTES = 4_000_000
"""Bytes of sources in one batch, unless one source alone is larger."""
BATCH_UNITS = 64
"""Units in one batch."""
_REST = 8
"""Part of what is left that one batch takes at most, once it is known: the last ones are small, so that nobody waits
long for them."""


class Span(NamedTuple):
    """A piece of a segment."""

    offset: int
    length: int


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """One unit in a segment."""

    key: str
    """Name of the unit's content under the order."""
    names: tuple[str, ...]
    """Names of its sources."""
    heads: tuple[Span, ...]
    """Where its heads are."""
    bodies: tuple[Span, ...]
    """Where their bodies are."""
    problems: tuple[Problem, ...]
    """What could not be read or judged."""
    related: bool
    """Whether a session in it has its parent elsewhere."""


class Batch(msgspec.Struct, frozen=True, kw_only=True):
    """Units that one worker extracts in one go."""

    number: int
    """Its place in the run."""
    units: tuple[Unit, ...]
    """What to extract."""
    keys: tuple[str, ...]
    """Their names."""
    order: Order
    """How."""

    @property
    def size(self) -> int:
        """Bytes of its sources."""
        return sum(unit.size for unit in self.units)


class Segment(msgspec.Struct, frozen=True, kw_only=True):
    """What a batch gives."""

    number: int
    """Of the batch."""
    data: bytes
    """The frames."""
    kept: tuple[Kept, ...]
    """The index."""


_ALONE = threading.Lock()
"""One batch at a time in a process: a worker of a cluster may have several threads, which share where temporary
files go, and gain nothing by working at once."""


def work(batch: Batch) -> Segment:
    """Extract a batch. Pure but for a temporary folder: any process or machine gives the same bytes."""
    with _ALONE:
        return _work(batch)


def _work(batch: Batch) -> Segment:
    import zstandard

    from sessionlens.readers.source import spooling_into

    pack = zstandard.ZstdCompressor(level=3, write_checksum=True).compress
    data = bytearray()
    kept = []

    def put(raw: bytes) -> Span:
        frame = pack(raw)
        data.extend(frame)
        return Span(len(data) - len(frame), len(frame))

    # What unpacking archives leaves behind goes with the batch, not with the process.
    with processes.scratch() as folder, spooling_into(folder):
        for unit, key in zip(batch.units, batch.keys, strict=True):
            got = extract(unit, batch.order)
            kept.append(
                Kept(
                    key=key,
                    names=tuple(named(name, batch.order) for name in unit.names),
                    heads=tuple(put(msgspec.msgpack.encode(head)) for head in got.heads),
                    bodies=tuple(put(body) for body in got.bodies),
                    problems=got.problems,
                    related=any(head.parents for head in got.heads),
                )
            )
    return Segment(number=batch.number, data=bytes(data), kept=tuple(kept))


def lost(batch: Batch) -> Segment:
    """What stands for a unit whose process died each time."""
    (unit,) = batch.units
    name = named(unit.names[0], batch.order)
    problem = Problem(source=name, reason="the process that read it died", kind="unread")
    return Segment(
        number=batch.number,
        data=b"",
        kept=(
            Kept(
                key=batch.keys[0],
                names=tuple(named(name, batch.order) for name in unit.names),
                heads=(),
                bodies=(),
                problems=(problem,),
                related=False,
            ),
        ),
    )


def halves(batch: Batch) -> list[Batch]:
    """A batch by its units."""
    return [
        msgspec.structs.replace(batch, units=(unit,), keys=(key,))
        for unit, key in zip(batch.units, batch.keys, strict=True)
    ]


def merged(number: int, parts: Sequence[Segment]) -> Segment:
    """The segments of a batch that was taken apart, as one."""
    data = bytearray()
    kept = []
    for part in parts:
        shift = len(data)
        data += part.data
        for one in part.kept:
            kept.append(
                msgspec.structs.replace(
                    one,
                    heads=tuple(Span(span[0] + shift, span[1]) for span in one.heads),
                    bodies=tuple(Span(span[0] + shift, span[1]) for span in one.bodies),
                )
            )
    return Segment(number=number, data=bytes(data), kept=tuple(kept))


@cache
def program() -> str:
    """A hash of this program's code and tables: rows of two versions are never mixed."""
    import sessionlens
    import sessionlens.rules

    digest = hashlib.sha256(__version__.encode())
    for module in (sessionlens, sessionlens.rules):
        top = Path(module.__file__ or "").parent
        for path in sorted(top.rglob("*")):
            if path.suffix in (".py", ".toml", ".yml", ".yaml") and "__pycache__" not in path.parts:
                digest.update(path.relative_to(top).as_posix().encode() + b"\0")
                digest.update(path.read_bytes())
    return digest.hexdigest()


def order_key(order: Order) -> str:
    """A name for all that decides what extracting gives, besides the sources."""
    from sessionlens.curate import similar

    digest = hashlib.sha256(program().encode())
    # The opt-out list is left out: it is applied to what was kept, too.
    digest.update(msgspec.json.encode(msgspec.structs.replace(order, opt_out=())))
    digest.update(b"near" if order.near and similar.available() else b"exact")
    files = [Path(order.config)] if order.config else []
    for folder in order.folders:
        path = Path(folder)
        files += sorted(path.glob("*.py")) if path.is_dir() else [path]
    for file in files:
        if file.is_file():
            digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


def unit_key(unit: Unit, order: str) -> str:
    """The name of a unit's content under an order."""
    digest = hashlib.sha256(order.encode())
    digest.update(msgspec.json.encode((unit.names, unit.keys, unit.ids, unit.met)))
    return digest.hexdigest()[:40]


class Store:
    """The segments of a data set."""

    def __init__(self, place: Place) -> None:
        """Read the indexes. A broken one counts as none."""
        self._place = place
        self.kept: dict[str, tuple[str, Kept]] = {}
        for name in place.names(_FOLDER):
            if not name.endswith(".index"):
                continue
            data = place.get(name)
            try:
                rows = msgspec.msgpack.decode(data or b"", type=tuple[Kept, ...])
            except msgspec.DecodeError:
                continue
            for one in rows:
                self.kept[one.key] = name.removesuffix(".index"), one

    def add(self, segment: Segment) -> None:
        """Keep a segment: the frames first, then what makes them count."""
        digest = hashlib.sha256("".join(one.key for one in segment.kept).encode())
        name = f"{_FOLDER}/{digest.hexdigest()[:20]}"
        self._place.put(name, segment.data)
        self._place.put(f"{name}.index", msgspec.msgpack.encode(segment.kept))
        for one in segment.kept:
            self.kept[one.key] = name, one

    def forget(self, keys: Iterable[str]) -> None:
        """Let go of units: of sources that are gone or have changed, or of people who opted out.

        A segment that holds any is written anew without them, so that nothing of them stays.
        """
        leaving: dict[str, set[str]] = {}
        for key in keys:
            if key in self.kept:
                leaving.setdefault(self.kept[key][0], set()).add(key)
        for name, gone in sorted(leaving.items()):
            staying = [one for where, one in self.kept.values() if where == name and one.key not in gone]
            parts = [
                Segment(number=0, data=b"".join(frames), kept=(moved,))
                for one in staying
                for frames, moved in [self._moved(name, one)]
            ]
            for key in gone:
                del self.kept[key]
            if parts:
                self.add(merged(0, parts))
            # The new one is whole before the old one goes.
            if not parts or self.kept[staying[0].key][0] != name:
                self._place.remove(f"{name}.index")
                self._place.remove(name)

    def _moved(self, name: str, one: Kept) -> tuple[list[bytes], Kept]:
        frames: list[bytes] = []
        at = 0

        def moved(spans: Sequence[Span]) -> tuple[Span, ...]:
            nonlocal at
            found = []
            for offset, length in spans:
                frames.append(self._place.piece(name, offset, length))
                found.append(Span(at, length))
                at += length
            return tuple(found)

        heads = moved(one.heads)
        bodies = moved(one.bodies)
        return frames, msgspec.structs.replace(one, heads=heads, bodies=bodies)

    def heads(self, key: str) -> Iterator[Head]:
        """The heads of a unit."""
        name, one = self.kept[key]
        for span in one.heads:
            yield head(self._place.piece(name, *span))

    def pieces(self, key: str, number: int) -> tuple[str, Span, Span]:
        """Segment, head and body of one session of a unit."""
        name, one = self.kept[key]
        return name, one.heads[number], one.bodies[number]

    def frames(self, key: str, number: int) -> tuple[bytes, bytes]:
        """Head and body of one session of a unit, packed."""
        name, head, body = self.pieces(key, number)
        return self._place.piece(name, *head), self._place.piece(name, *body)


def _unpacked(frame: bytes) -> bytes:
    import zstandard

    return zstandard.ZstdDecompressor().decompress(frame, max_output_size=1 << 32)


def head(frame: bytes) -> Head:
    """A head."""
    return msgspec.msgpack.decode(_unpacked(frame), type=Head)


def body(frame: bytes) -> Body:
    """A body."""
    return msgspec.msgpack.decode(_unpacked(frame), type=Body)


class Coming:
    """How much there is to be put into batches, counted while it is looked for."""

    def __init__(self) -> None:
        """Nothing was found yet."""
        self.units = self.bytes = 0
        self.whole = False
        """Whether all of it was found."""

    def add(self, unit: Unit) -> None:
        """One more was found."""
        self.units += 1
        self.bytes += unit.size


def batches(units: Iterable[tuple[Unit, str]], order: Order, coming: Coming | None = None) -> Iterator[Batch]:
    """Units in batches, in their order.

    :param coming: how many there are; without it the last batches are as large as the first.
    """
    waiting: list[tuple[Unit, str]] = []
    size = number = taken = read = 0

    def most() -> tuple[int, int]:
        """Units and bytes of a batch that begins now."""
        if coming is None or not coming.whole:
            return BATCH_UNITS, BATCH_BYTES
        return (
            min(BATCH_UNITS, max(BATCH_UNITS // _REST, (coming.units - taken) // _REST)),
            min(BATCH_BYTES, max(BATCH_BYTES // _REST, (coming.bytes - read) // _REST)),
        )

    units_most, bytes_most = most()
    for unit, key in units:
        if waiting and (size + unit.size > bytes_most or len(waiting) >= units_most):
            yield _batch(number, waiting, order)
            number, taken, read, size, waiting = number + 1, taken + len(waiting), read + size, 0, []
            units_most, bytes_most = most()
        waiting.append((unit, key))
        size += unit.size
    if waiting:
        yield _batch(number, waiting, order)


def _batch(number: int, waiting: Sequence[tuple[Unit, str]], order: Order) -> Batch:
    units, keys = zip(*waiting, strict=True)
    return Batch(number=number, units=units, keys=keys, order=order)
