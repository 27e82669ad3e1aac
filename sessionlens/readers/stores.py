"""The stores of opencode on this machine: finding them, listing their sessions, ``ses_…`` and ``latest``.

The client keeps everything in one data folder (opencode-formats §2): ``$XDG_DATA_HOME/opencode``, else
``.local/share/opencode`` in the home folder, on macOS and Windows too. ``OPENCODE_DB`` names a database elsewhere.
Files with credentials that lie there (``auth.json``) are never opened.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

import msgspec

from sessionlens.model import Session
from sessionlens.readers.base import ReadError
from sessionlens.readers.family import fork_title, forked_from
from sessionlens.readers.opencode import Counts, Entry
from sessionlens.readers.opencode_db import Database
from sessionlens.readers.opencode_tree import DataFolder, Tree
from sessionlens.readers.source import Source

_FORK_CANDIDATES = 8
"""Sessions of one title that are compared with a fork, at most."""


class Listed(msgspec.Struct, frozen=True, kw_only=True):
    """One session of a store, as a list shows it."""

    id: str
    """Its id, to be given as a source."""
    title: str | None = None
    """Its title."""
    parent: str | None = None
    """Id of the session that started it."""
    depth: int = 0
    """How deep it stands below its parents in the list; 0 on top."""
    version: str | None = None
    """Version of the client that made it."""
    directory: str | None = None
    """Its working directory."""
    created: int | None = None
    """When it was created, epoch milliseconds."""
    updated: int | None = None
    """Last activity of the session itself, epoch milliseconds."""
    messages: int | None = None
    """Messages as stored; ``None`` when not counted."""
    calls: int | None = None
    """Tool calls; ``None`` when not counted."""
    cut_offs: int | None = None
    """Calls ended by a time limit; ``None`` when not counted."""
    size: int | None = None
    """Bytes of its messages and parts; ``None`` when not counted."""
    forked_from: str | None = None
    """Id of the session whose beginning it copied; such messages are there twice. ``None`` when not looked at."""
    store: str = ""
    """The store it is read from: the name of its database or folder, within the data folder."""


class Store(msgspec.Struct, frozen=True, kw_only=True):
    """A place where sessions are kept: a data folder, or a database outside one."""

    path: Path
    """The folder or database file."""
    shown: str
    """Its place with ``~`` for the home folder, for messages to the person."""

    def index(self, failed: list[ReadError] | None = None) -> dict[str, tuple[Entry, Database | Tree]]:
        """Its sessions, each once, with what holds them. Raises :class:`ReadError` when none can be read.

        ``failed`` takes up why databases or trees of the folder could not be read beside others that could.
        """
        if self.path.is_dir():
            folder = DataFolder(self.path)
            index = folder.index(failed)
            if not index:
                # Say what is wrong rather than that nothing is there.
                for store in folder.stores():
                    store.index()
            return index
        Source(self.path)
        database = Database(self.path)
        return {key: (entry, database) for key, entry in database.index().items()}

    def read(self, sessions: Iterable[str] | None = None) -> Iterator[Session]:
        """Sessions with their children inside; all, or those asked for."""
        wanted = None if sessions is None else tuple(sessions)
        if self.path.is_dir():
            return DataFolder(self.path).read(wanted)
        return Database(self.path).read(wanted)


def local(environ: Mapping[str, str] | None = None, home: Path | None = None) -> list[Store]:
    """The stores of this machine that exist, those that the environment names first."""
    environ = os.environ if environ is None else environ
    if home is None:
        home = Path(environ.get("HOME") or environ.get("USERPROFILE") or Path.home())
    data_home = environ.get("XDG_DATA_HOME")
    data = Path(data_home) if data_home else home / ".local" / "share"
    folders = [data / "opencode"]
    if not data_home:
        folders.append(home / "Library" / "Application Support" / "opencode")
        folders += [
            Path(environ[name]) / "opencode" for name in ("LOCALAPPDATA", "APPDATA") if environ.get(name)
        ]
    found: list[Store] = []
    named = environ.get("OPENCODE_DB")
    if named and named != ":memory:":
        path = Path(named) if Path(named).is_absolute() else folders[0] / named
        if path.is_file():
            found.append(Store(path=path, shown=_shown(path, home)))
    seen: set[str] = set()
    for folder in folders:
        real = os.path.realpath(folder)
        if real not in seen and folder.is_dir() and not DataFolder(folder).empty():
            seen.add(real)
            found.append(Store(path=folder, shown=_shown(folder, home)))
    return found


def at(place: str | Path) -> Store:
    """The store at a path given by the person. Raises :class:`ReadError` when none is there."""
    source = Source(place)
    if source.folder and DataFolder(source.path).empty():
        raise ReadError(source.name, "there is no store of opencode in this folder")
    return Store(path=source.path, shown=source.name)


def sessions(
    stores: Iterable[Store] | None = None,
    *,
    limit: int | None = None,
    count: bool = True,
    failed: list[ReadError] | None = None,
) -> list[Listed]:
    """Sessions of the stores (of this machine, unless given): newest first, children under their parents.

    ``limit`` keeps that many sessions on top with all their children; ``count`` reads their tool calls to
    count them. A store that cannot be read is left out, with its reason in ``failed``, unless it is the only one.
    """
    stores = local() if stores is None else list(stores)
    index: dict[str, tuple[Entry, Database | Tree]] = {}
    names: dict[str, str] = {}
    failed = [] if failed is None else failed
    for store in stores:
        try:
            for key, found in store.index(failed).items():
                if key not in index:
                    index[key] = found
                    names[key] = _name(store, found[1])
        except ReadError as error:
            failed.append(error)
    if failed and not index:
        raise failed[0]
    below: dict[str, list[str]] = {}
    tops = []
    for key, (entry, _) in index.items():
        if entry.parent is not None and entry.parent in index and entry.parent != key:
            below.setdefault(entry.parent, []).append(key)
        else:
            tops.append(key)
    tops += _circles(index, tops, below)
    tops.sort(key=lambda key: (-_latest(key, index, below), key))
    shown = [pair for top in tops[:limit] for pair in _below(top, index, below)]
    counts = _counts(index, (key for key, _ in shown)) if count else {}
    forks = _forks(index, [key for key, _ in shown]) if count else {}
    return [
        _listed(index[key][0], depth, counts.get(key), forks.get(key), names[key]) for key, depth in shown
    ]


def load(spec: str, stores: Iterable[Store] | None = None) -> Session:
    """The session with this id, or the ``latest`` one with its parents, from the stores of this machine.

    Raises :class:`ReadError` when no store holds it.
    """
    stores = local() if stores is None else list(stores)
    places = ", ".join(store.shown for store in stores)
    if not stores:
        raise ReadError(
            spec,
            "there is no store of opencode on this machine",
            advice="Looked at XDG_DATA_HOME, OPENCODE_DB and ~/.local/share/opencode; give a file or folder instead",
        )
    if spec == "latest":
        listed = sessions(stores, limit=1, count=False)
        if not listed:
            raise ReadError(spec, f"the local stores hold no session ({places})")
        spec = listed[0].id
    failed: ReadError | None = None
    for store in stores:
        try:
            if spec in store.index():
                for session in store.read((spec,)):
                    if session.id == spec:
                        return session
        except ReadError as error:
            failed = failed or error
    if failed is not None:
        raise failed
    raise ReadError(
        spec, f"no local store holds this session ({places})", advice="`sessionlens sessions` lists them"
    )


def _forks(index: Mapping[str, tuple[Entry, Database | Tree]], shown: Iterable[str]) -> dict[str, str]:
    """Forks among the sessions shown, with their origins. Reads only those whose titles tell, few at a time."""
    by_title: dict[str, list[str]] = {}
    for key, (entry, _) in index.items():
        by_title.setdefault(entry.title or "", []).append(key)
    found: dict[str, str] = {}
    for key in shown:
        origin = fork_title(index[key][0].title)
        others = [one for one in by_title.get(origin or "", ()) if one != key][:_FORK_CANDIDATES]
        if origin is None or not others:
            continue
        try:
            read = [index[one][1].load(one) for one in (key, *others)]
        except ReadError:
            continue
        if key in (origins := forked_from(read)):
            found[key] = origins[key]
    return found


def _listed(entry: Entry, depth: int, counts: Counts | None, fork: str | None, store: str) -> Listed:
    return Listed(
        id=entry.id,
        title=entry.title,
        parent=entry.parent,
        depth=depth,
        version=entry.version,
        directory=entry.directory,
        created=entry.created,
        updated=entry.updated,
        messages=counts.messages if counts else None,
        calls=counts.calls if counts else None,
        cut_offs=counts.cut_offs if counts else None,
        size=counts.size if counts else None,
        forked_from=fork,
        store=store,
    )


def _counts(index: Mapping[str, tuple[Entry, Database | Tree]], keys: Iterable[str]) -> dict[str, Counts]:
    by_store: dict[int, tuple[Callable[[list[str]], dict[str, Counts]], list[str]]] = {}
    for key in keys:
        store = index[key][1]
        by_store.setdefault(id(store), (store.counts, []))[1].append(key)
    found: dict[str, Counts] = {}
    for counts, members in by_store.values():
        try:
            found.update(counts(members))
        except ReadError:
            # Listed without figures: reading the session will say what is wrong.
            continue
    return found


def _name(store: Store, holder: Database | Tree) -> str:
    if isinstance(holder, Database):
        return holder.path.name
    try:
        return holder.root.relative_to(store.path).as_posix()
    except ValueError:
        return holder.root.name


def _activity(entry: Entry) -> int:
    return entry.updated or entry.created or 0


def _below(
    top: str, index: Mapping[str, tuple[Entry, Database | Tree]], below: Mapping[str, list[str]]
) -> Iterator[tuple[str, int]]:
    """A session and everything under it, each under its parent, newest first, without recursion."""
    stack = [(top, 0)]
    seen = {top}
    while stack:
        key, depth = stack.pop()
        yield key, depth
        children = [child for child in below.get(key, ()) if child not in seen]
        seen.update(children)
        children.sort(key=lambda child: (_activity(index[child][0]), child))
        stack.extend((child, depth + 1) for child in children)


def _latest(
    top: str, index: Mapping[str, tuple[Entry, Database | Tree]], below: Mapping[str, list[str]]
) -> int:
    return max(_activity(index[key][0]) for key, _ in _below(top, index, below))


def _circles(
    index: Mapping[str, tuple[Entry, Database | Tree]], tops: list[str], below: Mapping[str, list[str]]
) -> list[str]:
    """One session of each circle of parents: without it the circle would not be listed."""
    reached = {key for top in tops for key, _ in _below(top, index, below)}
    more = []
    for key in index:
        if key not in reached:
            more.append(key)
            reached.update(member for member, _ in _below(key, index, below))
    return more


def _shown(path: Path, home: Path) -> str:
    try:
        return "~/" + path.relative_to(home).as_posix()
    except ValueError:
        return path.name
