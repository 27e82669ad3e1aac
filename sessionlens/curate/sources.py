"""What a run reads: its sources spread out into units of work, each with a hash of its content.

A folder becomes its files, a store its sessions, so that no unit is larger than it must be. An address for fsspec
(``s3://…``, the extra ``[remote]``) becomes its files, fetched one at a time by whoever works on them.
"""

from __future__ import annotations

import csv
import hashlib
import io
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

import msgspec

from sessionlens import processes
from sessionlens.curate.extract import Problem, Unit

if TYPE_CHECKING:
    from sessionlens.readers import Reader, ReadError
    from sessionlens.readers.opencode import Entry

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
WORK = ".work"
"""Folder within a data set that holds what is needed to go on; where it is, nothing is read as a source."""
_PER_UNIT = 16
"""Sessions of a store that are one unit."""


class SourceError(ValueError):
    """Sources that cannot be used as they were given; says why in one line."""


def remote(spec: str) -> bool:
    """Whether a source is an address for fsspec."""
    return _ADDRESS.match(spec) is not None


def filesystem(address: str) -> tuple[Any, str]:
    """The file system of an address, and the path in it.

    :raises SourceError: without fsspec, or without what it needs for this kind of address.
    """
    try:
        import fsspec
    except ImportError:
        raise SourceError(
            f"{address}: reading addresses needs fsspec: pip install 'sessionlens[remote]'"
        ) from None
    try:
        found, path = fsspec.core.url_to_fs(address)
    except (ImportError, ValueError) as error:
        raise SourceError(f"{address}: {error}") from None
    return found, str(path)


def units(
    corpora: Sequence[str], *, reader: str | None = None, leave: Path | None = None
) -> Iterator[Unit | Problem]:
    """The units of all sources, in the order given and by name within each; a source given twice counts once.

    :param leave: a folder that is passed over: where the results go.
    """
    taken: set[tuple[str, tuple[str, ...]]] = set()
    for spec in corpora:
        for unit in _units(spec, reader, leave):
            if isinstance(unit, Problem):
                yield unit
                continue
            key = (unit.paths[0] if remote(unit.paths[0]) else os.path.realpath(unit.paths[0]), unit.ids)
            if key not in taken:
                taken.add(key)
                yield unit


def _units(spec: str, reader: str | None, leave: Path | None) -> Iterator[Unit | Problem]:
    from sessionlens.readers import ReadError

    if remote(spec):
        yield from _remote(spec)
        return
    path = Path(spec)
    if not path.exists():
        yield from _looked_up(spec)
        return
    name = path.name or path.resolve().name
    try:
        if path.is_dir():
            yield from _folder(path, name, reader, leave)
        else:
            yield from _file(path, name, reader)
    except (OSError, ReadError) as error:
        yield Problem(source=name, reason=str(error), kind="unread")


def _bare(spec: str) -> str:
    """What a source that is not there is called: a manifest holds no folders of the machine it was made on."""
    return PurePosixPath(Path(spec).as_posix()).name or spec


def _looked_up(spec: str) -> Iterator[Unit | Problem]:
    """A session id or ``latest``: looked up in the local stores by the worker; its content is its key."""
    from sessionlens import readers
    from sessionlens.readers import ReadError
    from sessionlens.report.transcript_xml import write

    try:
        found = readers.scan(spec).sessions
    except ReadError as error:
        yield Problem(source=_bare(spec), reason=str(error).replace(spec, _bare(spec)), kind="unread")
        return
    text = io.StringIO()
    write(found, text)
    key = hashlib.sha256(text.getvalue().encode("utf-8", "surrogatepass")).hexdigest()
    yield Unit(paths=(spec,), names=(found[0].id,), keys=(key,), size=len(text.getvalue()))


def _folder(top: Path, name: str, reader: str | None, leave: Path | None) -> Iterator[Unit | Problem]:
    from sessionlens import readers
    from sessionlens.readers import ReadError

    for path, own, failed in _met(top, leave):
        shown = name if path == top else f"{name}/{path.relative_to(top).as_posix()}"
        try:
            if failed is not None:
                raise failed
            if not path.is_dir() and not path.is_file():
                # No ordinary file, or a link to nothing: it says which.
                readers.open_source(path)
            if own and not path.is_dir() and not _is_log(path):
                yield Problem(source=shown, reason="no log", kind="passed")
                continue
            for unit in _store(path, shown) if path.is_dir() else _file(path, shown, reader):
                yield msgspec.structs.replace(unit, met=True) if isinstance(unit, Unit) else unit
        except OSError as error:
            yield Problem(source=shown, reason=f"cannot be read: {error.strerror or error}", kind="unread")
        except ReadError as error:
            yield Problem(source=shown, reason=str(error), kind="unread")


def _met(top: Path, leave: Path | None) -> Iterator[tuple[Path, bool, ReadError | None]]:
    """Files below a folder, and folders that are stores, as an audit meets them; of a client's folder its logs.

    With each whether the client may have put it there, and why it cannot be looked into.
    """
    from sessionlens import readers
    from sessionlens.readers.base import LogFolderReader
    from sessionlens.readers.opencode_tree import OpencodeTree

    def passes(folder: Path) -> bool:
        return (leave is not None and folder.resolve() == leave) or (folder / WORK).is_dir()

    def alone(reader: Reader) -> bool:
        # Such a store is one unit, and whoever reads it reads what lies beside it.
        return not isinstance(reader, LogFolderReader) and reader.name != OpencodeTree.name

    source = readers.open_source(top)
    for met in readers.walk(source, None if passes(top) else _store_reader(top), passes=passes, alone=alone):
        if isinstance(met.store, LogFolderReader):
            for path in met.store.logs(readers.open_source(met.path)):
                yield path, met.own, None
        else:
            yield met.path, met.own, met.failed


def _store_reader(folder: Path) -> Reader | None:
    """The reader that takes a folder whole: opencode's data folder or tree, the files of one task, a client's logs."""
    from sessionlens import readers
    from sessionlens.readers import ReadError

    try:
        return readers.recognise(readers.open_source(folder))
    except ReadError:
        return None


def _is_log(path: Path) -> bool:
    """Whether a reader takes a file."""
    from sessionlens import readers
    from sessionlens.readers import ReadError
    from sessionlens.readers.archive import unpacked

    try:
        readers.recognise(unpacked(readers.open_source(path)))
    except ReadError:
        return False
    return True


def _file(path: Path, shown: str, reader: str | None) -> Iterator[Unit | Problem]:
    from sessionlens import readers
    from sessionlens.readers import ReadError
    from sessionlens.readers.opencode_db import Database

    size = path.stat().st_size
    with path.open("rb") as file:
        head = file.read(16)
    if head.startswith(b"SQLite format 3\0") and reader in (None, "opencode-db"):
        try:
            if readers.recognise(readers.open_source(path)).name == "opencode-db":
                yield from _by_session(Database(path).index(), path, shown, size)
                return
        except ReadError:
            pass
    yield Unit(paths=(str(path),), names=(shown,), keys=(hash_of(path),), size=size)


def _by_session(index: Mapping[str, Entry], path: Path, shown: str, size: int) -> Iterator[Unit]:
    """A store by its sessions, some at a time: it may hold more than fits into memory.

    What the store says of a session (its last activity, version, title) stands for its content.
    """
    from sessionlens.readers.family import members

    below: dict[str, list[str]] = {}
    tops = []
    for key, entry in index.items():
        if entry.parent is not None and entry.parent in index and entry.parent != key:
            below.setdefault(entry.parent, []).append(key)
        else:
            tops.append(key)
    tops.sort()
    for at in range(0, len(tops), _PER_UNIT):
        ids = tuple(tops[at : at + _PER_UNIT])
        digest = hashlib.sha256(shown.encode())
        for top in ids:
            for member in members(top, below):
                entry = index[member]
                digest.update(repr((member, entry.updated, entry.version, entry.title)).encode())
        part = -(-size * len(ids) // max(1, len(tops)))
        yield Unit(paths=(str(path),), names=(shown,), keys=(digest.hexdigest(),), size=part, ids=ids)


def _store(folder: Path, shown: str) -> Iterator[Unit | Problem]:
    from sessionlens.readers.opencode_tree import DataFolder

    size = sum(
        path.stat().st_size for base, _, names in os.walk(folder) for name in names
        if (path := Path(base, name)).is_file()
    )  # fmt: skip
    data = DataFolder(folder)
    if not data.empty():
        failed: list[ReadError] = []
        index = data.index(failed)
        for error in failed:
            yield Problem(source=shown, reason=str(error), kind="unread")
        yield from _by_session({key: entry for key, (entry, _) in index.items()}, folder, shown, size)
        return
    digest = hashlib.sha256()
    for base, folders, files in os.walk(folder):
        folders.sort()
        for name in sorted(files):
            path = Path(base, name)
            if path.is_file():
                digest.update(path.relative_to(folder).as_posix().encode("utf-8", "surrogateescape") + b"\0")
                digest.update(hash_of(path).encode())
    yield Unit(paths=(str(folder),), names=(shown,), keys=(digest.hexdigest(),), size=size)


def hash_of(path: Path) -> str:
    """SHA-256 of a file and of what SQLite keeps beside it."""
    digest = hashlib.sha256()
    for part in (path, path.with_name(path.name + "-wal")):
        if part is path or part.is_file():
            with part.open("rb") as file:
                while chunk := file.read(1 << 20):
                    digest.update(chunk)
    return digest.hexdigest()


def _remote(address: str) -> Iterator[Unit | Problem]:
    """The files at an address. What the store tells of a file (size, time, tag) stands for its content."""
    system, top = filesystem(address)
    scheme = address.partition("://")[0]
    try:
        found = sorted(system.glob(top) if any(sign in top for sign in "*?[") else system.find(top))
        if not found:
            yield Problem(source=address, reason="there is nothing at this address", kind="unread")
        base = PurePosixPath(top.rstrip("/"))
        for path in found:
            info = system.info(path)
            told = repr(sorted((key, str(value)) for key, value in info.items() if key != "name"))
            try:
                shown = PurePosixPath(path).relative_to(base).as_posix()
            except ValueError:
                shown = PurePosixPath(path).name
            shown = f"{base.name}/{shown}" if shown != "." else base.name
            key = hashlib.sha256(f"{path}\0{told}".encode()).hexdigest()
            yield Unit(
                paths=(f"{scheme}://{str(path).lstrip('/') if scheme != 'file' else path}",),
                names=(shown,),
                keys=(key,),
                size=int(info.get("size") or 0),
            )
    except (OSError, ValueError) as error:
        yield Problem(source=address, reason=f"cannot be read: {error}", kind="unread")


@contextmanager
def opened(unit: Unit) -> Iterator[tuple[str, ...]]:
    """The paths of a unit on this machine; what lies elsewhere is fetched and removed afterwards."""
    if not any(remote(path) for path in unit.paths):
        yield unit.paths
        return
    with processes.scratch() as folder:
        local = []
        for number, address in enumerate(unit.paths):
            if not remote(address):
                local.append(address)
                continue
            system, path = filesystem(address)
            target = Path(folder, str(number), PurePosixPath(path).name or "log")
            target.parent.mkdir()
            try:
                system.get_file(path, str(target))
            except OSError as error:
                from sessionlens.readers import ReadError

                raise ReadError(target.name, f"cannot be fetched ({error})") from None
            local.append(str(target))
        yield tuple(local)


# ------------------------------------------------------------------------------------------- origins, lists


class Origin(msgspec.Struct, frozen=True, kw_only=True):
    """Where a log comes from."""

    licence: str | None = None
    """Its licence."""
    repository: str | None = None
    """Its project."""
    origin: str | None = None
    """Its address, or what stands for it."""


class Origins:
    """Licence and origin of sources: of each file as a list says, else the same for all."""

    def __init__(self, rows: dict[str, Origin] | None = None, default: Origin | None = None) -> None:
        """``rows`` by name or by the end of a name, between slashes."""
        self._rows = rows or {}
        self._default = default or Origin()
        self._called: dict[str, str] = {}
        self._shown: Callable[[str], str] = str

    def show(self, shown: Callable[[str], str]) -> None:
        """What an address is called in the data set: it may hold the path of somebody's home folder."""
        self._shown = shown

    def call(self, shown: str, source: str) -> None:
        """A source has another name in the data set."""
        self._called[shown] = source

    def told(self, shown: str) -> str:
        """The name that a source has where it lies."""
        return self._called.get(shown, shown)

    def of(self, source: str) -> Origin:
        """What is known of a source, by the name that it has in the data set or where it lies."""
        parts = self.told(source).split("/")
        for at in range(len(parts)):
            found = self._rows.get("/".join(parts[at:]))
            if found is not None:
                address = found.origin or self._default.origin
                return Origin(
                    licence=found.licence or self._default.licence,
                    repository=found.repository or self._default.repository,
                    origin=self._shown(address) if address else address,
                )
        return self._default


_FILE = ("file", "source", "name")
_NONE = frozenset({"", "-", "none", "none found", "unknown", "null"})


def origins(file: Path | None, licence: str | None, origin: str | None) -> Origins:
    """Read a list of origins: TSV, CSV or JSON Lines with a column ``file`` and any of ``licence`` (``license``),
    ``repository`` (``repo``), ``origin`` (``url``), ``commit`` and ``path``.

    :raises SourceError: for a file that is none.
    """
    default = Origin(licence=licence, origin=origin)
    if file is None:
        return Origins(default=default)
    rows: dict[str, Origin] = {}
    for number, row in enumerate(_listed(file), start=2):
        named = next((row[key] for key in _FILE if row.get(key)), None)
        if named is None:
            raise SourceError(f"{file.name}:{number}: no column `file`, `source` or `name`")
        said = {key: value for key, value in row.items() if str(value).strip().lower() not in _NONE}
        repository = said.get("repository") or said.get("repo")
        address = said.get("origin") or said.get("url")
        if address is None and repository is not None:
            at = f"@{said['commit']}" if said.get("commit") else ""
            address = f"{repository}{at}" + (f" {said['path']}" if said.get("path") else "")
        rows[str(named).strip("/")] = Origin(
            licence=said.get("licence") or said.get("license"), repository=repository, origin=address
        )
    return Origins(rows, default)


def _listed(file: Path) -> Iterable[dict[str, str]]:
    try:
        text = file.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(f"{file.name}: cannot be read ({error})") from None
    if file.suffix.lower() in (".jsonl", ".ndjson"):
        try:
            return [
                {str(key): "" if value is None else str(value) for key, value in row.items()}
                for row in (
                    msgspec.json.decode(line, type=dict[str, Any])
                    for line in text.splitlines()
                    if line.strip()
                )
            ]
        except msgspec.DecodeError as error:
            raise SourceError(f"{file.name}: no JSON Lines ({error})") from None
    return list(csv.DictReader(text.splitlines(), delimiter="\t" if "\t" in text.partition("\n")[0] else ","))


_KIND = re.compile(r"([A-Za-z_-]{2,}):(?!//)")
"""A kind before an entry; one letter is a drive, and two slashes make an address."""
_KINDS = ("session", "repository", "source")
_COMMENT = re.compile(r"(?:^|\s)#.*")


def opt_outs(file: Path | None) -> dict[str, int]:
    """The entries of an opt-out list with their lines from 1, without comments (``#`` after a space) and blank ones.

    :raises SourceError: for a file that cannot be read, and for an entry of an unknown kind.
    """
    if file is None:
        return {}
    try:
        text = file.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(f"{file.name}: cannot be read ({error})") from None
    found: dict[str, int] = {}
    for number, row in enumerate(text.splitlines(), start=1):
        entry = _COMMENT.sub("", row).strip()
        if not entry:
            continue
        kind = _KIND.match(entry)
        if kind is not None and kind[1] not in _KINDS:
            raise SourceError(
                f"{file.name}:{number}: {kind[1]} is no kind of entry: write {', '.join(f'{k}:…' for k in _KINDS)}, "
                "in small letters, or the name alone"
            )
        if kind is not None and not entry[kind.end() :].strip():
            raise SourceError(f"{file.name}:{number}: no name follows {kind[0]}")
        found.setdefault(entry, number)
    return found


def spellings(name: str, path: str) -> tuple[str, ...]:
    """How a list may name a source: as a table does, relative to what was given, bare, as given, from the root."""
    below = name.partition("/")[2]
    found = [name, below, PurePosixPath(name).name, path]
    if not remote(path):
        found += [Path(path).as_posix(), os.path.abspath(path), os.path.realpath(path)]
    return tuple(dict.fromkeys(one for one in found if one))
