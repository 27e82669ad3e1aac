"""The stores of all clients on this machine: finding them, listing their sessions, session ids and ``latest``.

- opencode keeps everything in one data folder (opencode-formats §2): ``$XDG_DATA_HOME/opencode``, else
  ``.local/share/opencode`` in the home folder, on macOS and Windows too. ``OPENCODE_DB`` names a database elsewhere.
- Claude Code keeps a file a session below ``~/.claude/projects``; ``CLAUDE_CONFIG_DIR`` moves ``~/.claude``.
- Codex keeps a file a session below ``~/.codex/sessions``, archived ones in ``~/.codex/archived_sessions``; ``CODEX_HOME``
  moves ``~/.codex``.

Files with credentials that lie there (``auth.json``, ``.credentials.json``) are never opened, and nothing is written.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Protocol

import msgspec

from sessionlens.model import Session
from sessionlens.readers import claude_code, codex
from sessionlens.readers.base import ReadError
from sessionlens.readers.claude_code import ClaudeCode, Projects
from sessionlens.readers.codex import Codex, Rollouts
from sessionlens.readers.family import fork_title, forked_from
from sessionlens.readers.opencode import Counts, Entry
from sessionlens.readers.opencode_db import Database
from sessionlens.readers.opencode_tree import DataFolder, Tree
from sessionlens.readers.source import Source

_FORK_CANDIDATES = 8
"""Sessions of one title that are compared with a fork, at most."""
_COUNTED_AT_MOST = 1 << 28
"""Bytes of logs that are read for the figures of a list without a limit: some seconds' work."""


class Holder(Protocol):
    """What holds sessions: a database, a tree, a folder of logs."""

    def counts(self, sessions: list[str], /) -> dict[str, Counts]:
        """How much these sessions hold."""


Index = Mapping[str, tuple[Entry, Holder]]
"""Sessions by their id, with what holds them."""


class Listed(msgspec.Struct, frozen=True, kw_only=True):
    """One session of a store, as a list shows it."""

    id: str
    """Its id, to be given as a source."""
    client: str = "opencode"
    """The agent client whose store it is in, such as ``claude-code``."""
    title: str | None = None
    """Its title."""
    asked: str | None = None
    """Where it has no title: the beginning of what a person wrote first; ``None`` when not looked at."""
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
    """The store it is read from: the name of its database, or of its folder or file within the store's folder."""


class Store(msgspec.Struct, frozen=True, kw_only=True):
    """A place where a client keeps its sessions: a folder, or a database."""

    path: Path
    """The folder or database file."""
    shown: str
    """Its place with ``~`` for the home folder, for messages to the person."""
    logs: Projects | Rollouts | None = None
    """Where it is a folder with a log for each session; ``None`` for a store of opencode."""

    @property
    def client(self) -> str:
        """Name of the client, as its sessions have it."""
        if self.logs is None:
            return "opencode"
        return ClaudeCode.name if isinstance(self.logs, Projects) else Codex.name

    def index(self, failed: list[ReadError] | None = None) -> dict[str, tuple[Entry, Holder]]:
        """Its sessions, each once, with what holds them. Raises :class:`ReadError` when none can be read.

        ``failed`` takes up why databases or trees of the folder could not be read beside others that could.
        """
        if self.logs is not None:
            return {key: (entry, self.logs) for key, entry in self.logs.index().items()}
        if self.path.is_dir():
            folder = DataFolder(self.path)
            index = folder.index(failed)
            if not index:
                # Say what is wrong rather than that nothing is there.
                for store in folder.stores():
                    store.index()
            return dict(index)
        Source(self.path)
        database = Database(self.path)
        return {key: (entry, database) for key, entry in database.index().items()}

    def holds(self, session: str) -> bool:
        """Whether a session is in it. Raises :class:`ReadError` when that cannot be told."""
        return session in self.index() if self.logs is None else self.logs.file(session) is not None

    def read(self, sessions: Iterable[str] | None = None) -> Iterator[Session]:
        """Sessions with their children inside; all, or those asked for."""
        wanted = None if sessions is None else tuple(sessions)
        if self.logs is not None:
            return self.logs.read(wanted)
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
    logs: tuple[Projects | Rollouts, ...] = (
        *claude_code.local_stores(environ, home),
        *codex.local_stores(environ, home),
    )
    return found + [Store(path=one.path, shown=_shown(one.path, home), logs=one) for one in logs]


def at(place: str | Path) -> Store:
    """The store at a path given by the person: a client's whole folder, or the one in it that holds the sessions.

    Raises :class:`ReadError` when none is there.
    """
    source = Source(place)
    if not source.folder or not DataFolder(source.path).empty():
        return Store(path=source.path, shown=source.name)
    logs = _logs(source.path)
    if logs is None:
        raise ReadError(source.name, "there is no store of opencode, Claude Code or Codex in this folder")
    return Store(path=logs.path, shown=source.name, logs=logs)


def _logs(folder: Path) -> Projects | Rollouts | None:
    """The logs of Claude Code or Codex in a folder, which may hold other files beside them."""
    for inner in (folder / "projects", folder):
        projects = Projects(inner)
        if inner.is_dir() and any(not codex.is_rollout(path) for path in projects.files().values()):
            return projects if projects.index() else None
    for inner in (folder / "sessions", folder):
        if codex.is_store(inner):
            return Rollouts(inner)
    if codex.is_store(folder / "archived_sessions"):
        return Rollouts(folder / "sessions")
    return None


def sessions(
    stores: Iterable[Store] | None = None,
    *,
    limit: int | None = None,
    count: bool = True,
    failed: list[ReadError] | None = None,
) -> list[Listed]:
    """Sessions of the stores (of this machine, unless given): newest first, children under their parents.

    ``limit`` keeps that many sessions on top with all their children; ``count`` reads their tool calls to
    count them, without a limit those of the newest logs up to 256 MiB. A store that cannot be read is left out, with its reason in ``failed``, unless it is the only one.
    """
    stores = local() if stores is None else list(stores)
    index: dict[str, tuple[Entry, Holder]] = {}
    owners: dict[str, Store] = {}
    failed = [] if failed is None else failed
    for store in stores:
        try:
            for key, found in store.index(failed).items():
                if key not in index:
                    index[key] = found
                    owners[key] = store
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
    keys = [key for key, _ in shown]
    counts = _counts(index, keys, _COUNTED_AT_MOST if limit is None else None) if count else {}
    forks = _forks(index, keys) if count else {}
    return [_listed(index[key], depth, counts.get(key), forks.get(key), owners[key]) for key, depth in shown]


def load(spec: str, stores: Iterable[Store] | None = None) -> Session:
    """The session with this id, or the ``latest`` one with its parents, from the stores of this machine.

    Raises :class:`ReadError` when no store holds it.
    """
    stores = local() if stores is None else list(stores)
    places = ", ".join(store.shown for store in stores)
    if not stores:
        raise ReadError(
            spec,
            "there is no store of opencode, Claude Code or Codex on this machine",
            advice="Looked at XDG_DATA_HOME, OPENCODE_DB and ~/.local/share/opencode; CLAUDE_CONFIG_DIR and "
            "~/.claude/projects; CODEX_HOME and ~/.codex/sessions; give a file or folder instead",
        )
    if spec == "latest":
        listed = sessions(stores, limit=1, count=False)
        if not listed:
            raise ReadError(spec, f"the local stores hold no session ({places})")
        spec = listed[0].id
    failed: ReadError | None = None
    for store in stores:
        try:
            for key in dict.fromkeys((spec, spec.lower())):
                if store.holds(key):
                    return _loaded(store, key)
        except ReadError as error:
            failed = failed or error
    if failed is not None:
        raise failed
    raise ReadError(
        spec, f"no local store holds this session ({places})", advice="`sessionlens sessions` lists them"
    )


def _loaded(store: Store, key: str) -> Session:
    """A session of a store; where a log names itself otherwise than its file, what the file holds."""
    first: Session | None = None
    for session in store.read((key,)):
        if session.id == key:
            return session
        first = first or session
    if first is None or store.logs is None:
        raise ReadError(key, f"this session is listed in {store.shown} and could not be read")
    return first


def _forks(index: Index, shown: Iterable[str]) -> dict[str, str]:
    """Forks among the sessions shown, with their origins.

    Logs of Claude Code and Codex tell them; of opencode's only those whose titles tell are read, few at a time.
    """
    loads: dict[str, Callable[[str], Session]] = {}
    by_title: dict[str, list[str]] = {}
    for key, (entry, holder) in index.items():
        if isinstance(holder, Database | Tree):
            loads[key] = holder.load
            by_title.setdefault(entry.title or "", []).append(key)
    found: dict[str, str] = {}
    for key in shown:
        entry = index[key][0]
        if entry.forked_from is not None:
            found[key] = entry.forked_from
        origin = fork_title(entry.title) if key in loads else None
        others = [one for one in by_title.get(origin or "", ()) if one != key][:_FORK_CANDIDATES]
        if origin is None or not others:
            continue
        try:
            read = [loads[one](one) for one in (key, *others)]
        except ReadError:
            continue
        if key in (origins := forked_from(read)):
            found[key] = origins[key]
    return found


def _listed(
    found: tuple[Entry, Holder], depth: int, counts: Counts | None, fork: str | None, store: Store
) -> Listed:
    entry, holder = found
    return Listed(
        id=entry.id,
        client=store.client,
        title=entry.title,
        asked=counts.asked if counts and not entry.title else None,
        parent=entry.parent,
        depth=depth,
        version=entry.version,
        directory=entry.directory,
        created=entry.created,
        updated=entry.updated,
        messages=counts.messages if counts else None,
        calls=counts.calls if counts else None,
        cut_offs=counts.cut_offs if counts else None,
        size=counts.size if counts else _size(entry.id, holder),
        forked_from=fork,
        store=_name(store, entry.id, holder),
    )


def _counts(index: Index, keys: Iterable[str], most: int | None) -> dict[str, Counts]:
    """Figures of sessions; of logs that must be read whole only the first, up to ``most`` bytes."""
    by_store: dict[int, tuple[Callable[[list[str]], dict[str, Counts]], list[str]]] = {}
    taken = 0
    for key in keys:
        store = index[key][1]
        taken += _size(key, store) or 0
        if most is None or taken <= most or not isinstance(store, Projects | Rollouts):
            by_store.setdefault(id(store), (store.counts, []))[1].append(key)
    found: dict[str, Counts] = {}
    for counts, members in by_store.values():
        try:
            found.update(counts(members))
        except ReadError:
            # Listed without figures: reading the session will say what is wrong.
            continue
    return found


def _size(key: str, holder: Holder) -> int | None:
    """Bytes of a session's log; ``None`` where it has none of its own."""
    path = holder.file(key) if isinstance(holder, Projects | Rollouts) else None
    try:
        return path.stat().st_size if path is not None else None
    except OSError:
        return None


def _name(store: Store, key: str, holder: Holder) -> str:
    if isinstance(holder, Database):
        return holder.path.name
    if isinstance(holder, Tree):
        place = holder.root
    elif isinstance(holder, Projects | Rollouts) and (path := holder.file(key)) is not None:
        place = path.parent
    else:
        return store.path.name
    try:
        return place.relative_to(store.path).as_posix()
    except ValueError:
        return place.name


def _activity(entry: Entry) -> int:
    return entry.updated or entry.created or 0


def _below(top: str, index: Index, below: Mapping[str, list[str]]) -> Iterator[tuple[str, int]]:
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


def _latest(top: str, index: Index, below: Mapping[str, list[str]]) -> int:
    return max(_activity(index[key][0]) for key, _ in _below(top, index, below))


def _circles(index: Index, tops: list[str], below: Mapping[str, list[str]]) -> list[str]:
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
