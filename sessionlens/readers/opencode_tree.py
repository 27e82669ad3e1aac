"""Reader ``opencode-tree``: opencode's folder of JSON files, of both layouts, and whole data folders.

1.0.0 to 1.1.65 keep ``storage/{session,message,part}`` and 0.x ``project/<slug>/storage/session`` (opencode-formats
§2a, §2b), one object a file. A data folder may hold both and databases besides: a history that was migrated
stays in all of them and is counted once, from the newest store that has it.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from functools import partial
from pathlib import Path

import msgspec

from sessionlens.model import Gap, Origin, Session
from sessionlens.readers.base import ReadError
from sessionlens.readers.family import members, nest
from sessionlens.readers.folders import Beside, entries, of_a_database
from sessionlens.readers.opencode import (
    Counts,
    Entry,
    Raw,
    RawMessage,
    assemble,
    count_calls,
    entry_of,
    owner_of,
    read_file,
    with_spills,
)
from sessionlens.readers.opencode_db import Database
from sessionlens.readers.source import Source

_CLIENTS_FILES = frozenset({"auth.json", "mcp-auth.json", "account.json", "migration", "app.json", "version"})
"""What the client keeps beside its stores (opencode-formats §2); credentials among it."""
_CLIENTS_FOLDERS = frozenset({"bin", "repos", "snapshot", "snapshots", "worktree"})
"""Programs, shadow repositories and working copies; what lies in them are the files of projects, no logs of theirs."""
_MAYBE_ITS_OWN = frozenset({"log", "cache", "plans", "storage", "project"})
_SPILLS = "tool-output"
_DEPTHS = {
    False: {
        "session": 2, "message": 2, "part": 2, "project": 1, "session_diff": 1, "todo": 1, "session_share": 1,
        "permission": 1,
    },
    True: {"info": 1, "message": 2, "part": 3, "share": 1},
}  # fmt: skip
"""Folders of a tree, of the newer layout and of the older one, and how deep in each its files lie."""


class OpencodeTree:
    """Reads the data folder of opencode, or a part of it."""

    name = "opencode-tree"

    def recognises(self, source: Source) -> str | None:
        """``None`` for a folder that holds a tree or a database of opencode where the client puts it."""
        if not source.folder:
            return "a file, not a folder"
        if DataFolder(source.path, source.name).empty():
            return "no `storage/session`, no `project/*/storage/session` and no `opencode*.db` in the folder"
        return None

    def read(self, source: Source) -> Iterator[Session]:
        """Every session once, children inside their parents, in the order of their creation."""
        return DataFolder(source.path, source.name).read()

    def read_only(self, source: Source, sessions: Collection[str]) -> Iterator[Session]:
        """The sessions with these ids, each with its children."""
        return DataFolder(source.path, source.name).read(sessions)

    def beside(self, source: Source) -> Iterator[Beside]:
        """What lies in a data folder and belongs to no store of it."""
        return DataFolder(source.path, source.name).beside()


class Tree:
    """One tree of JSON files, of either layout."""

    def __init__(self, root: Path, base: Path, *, old: bool) -> None:
        """``root`` is the folder ``storage`` (or ``storage/session`` of 0.x); names are told from ``base`` on."""
        self.root, self.base, self.old = root, base, old
        self._orphans: dict[str, list[Gap]] | None = None
        self._index: dict[str, tuple[Entry, Raw | None]] | None = None

    def index(self) -> dict[str, Entry]:
        """Sessions with a record, and those that only messages tell of, from small files alone."""
        return {key: entry for key, (entry, _) in self._sessions().items()}

    def counts(self, sessions: Collection[str]) -> dict[str, Counts]:
        """Messages, calls, cut-offs and bytes of sessions; reads their files."""
        index = self.index()
        found = {}
        for key in sessions:
            messages = self._messages(key)
            parts = [part.data for message in messages for part in message.parts]
            version = index[key].version if key in index else None
            calls, cut_offs = count_calls(parts, version)
            size = sum(len(message.info.data) for message in messages) + sum(len(part) for part in parts)
            # 0.x keeps a turn in one message; the session as read has one for each step.
            steps = sum(max(0, _step_starts(message) - 1) for message in messages) if self.old else 0
            found[key] = Counts(messages=len(messages) + steps, calls=calls, cut_offs=cut_offs, size=size)
        return found

    def load(self, session: str) -> Session:
        """One session without its children."""
        info = self._sessions()[session][1]
        gaps = list(self._lost().get(session, ()))
        if info is None:
            gaps.append(Gap(reason="the session's own record is missing: no title, version, parent"))
        read = assemble(
            info if info is not None else Raw(data=b"{}", id=session),
            self._messages(session),
            source_format=OpencodeTree.name,
            fallback_id=session,
            sorted_parts=False,
            gaps=gaps,
        )
        return with_spills(read, self._data() / "tool-output")

    def _data(self) -> Path:
        """The client's data folder that the tree belongs to."""
        return self.root.parents[3] if self.old and len(self.root.parents) > 3 else self.root.parent

    def _folder(self, kind: str) -> Path:
        return self.root / kind

    def _sessions(self) -> dict[str, tuple[Entry, Raw | None]]:
        if self._index is None:
            found: dict[str, tuple[Entry, Raw | None]] = {}
            for path in self._records():
                raw = self._raw(path)
                entry = entry_of(raw)
                if entry.id not in found:
                    found[entry.id] = (entry, raw)
            for folder in _folders(self._folder("message")):
                if folder.name not in found and _files(folder):
                    found[folder.name] = (Entry(id=folder.name), None)
            ranks = sorted(found, key=lambda key: (found[key][0].created or 0, key))
            self._index = {key: found[key] for key in ranks}
        return self._index

    def _records(self) -> Iterator[Path]:
        if self.old:
            yield from _files(self._folder("info"))
        else:
            for project in _folders(self._folder("session")):
                yield from _files(project)

    def _messages(self, session: str) -> list[RawMessage]:
        messages = []
        for path in _files(self._folder("message") / session):
            info = self._raw(path)
            parts = tuple(self._raw(part) for part in _files(self._parts_of(session, path.stem)))
            messages.append(RawMessage(info=info, parts=parts, origin=info.origin))
        return messages

    def _parts_of(self, session: str, message: str) -> Path:
        parts = self._folder("part")
        return parts / session / message if self.old else parts / message

    def _raw(self, path: Path) -> Raw:
        name = path.relative_to(self.base).as_posix()
        try:
            data = read_file(str(path))
        except OSError:
            # Unreadable is shown as a record that is no JSON.
            data = b""
        return Raw(
            data=data,
            id=path.stem,
            origin=Origin(line=1, offset=0, length=len(data), file=name),
            fetch=partial(read_file, str(path)),
        )

    def _lost(self) -> Mapping[str, list[Gap]]:
        """Gaps for parts whose message has no file, by session. Looked for once."""
        if self._orphans is None:
            self._orphans = {}
            if self.old:
                for session in _folders(self._folder("part")):
                    known = {path.stem for path in _files(self._folder("message") / session.name)}
                    for message in _folders(session):
                        if message.name not in known:
                            self._orphan(message, session.name)
            else:
                known = {
                    path.stem for session in _folders(self._folder("message")) for path in _files(session)
                }
                for message in _folders(self._folder("part")):
                    if message.name not in known:
                        self._orphan(message, None)
        return self._orphans

    def _orphan(self, folder: Path, session: str | None) -> None:
        files = _files(folder)
        for path in files if session is None else ():
            session = owner_of(self._raw(path).data)
            if session is not None:
                break
        if files and session is not None and self._orphans is not None:
            place = Origin(file=folder.relative_to(self.base).as_posix())
            reason = f"{len(files)} parts belong to the message {folder.name[:80]}, whose file is missing"
            self._orphans.setdefault(session, []).append(Gap(reason=reason, origin=place))


def _step_starts(message: RawMessage) -> int:
    return sum(b'"step-start"' in bytes(part.data) for part in message.parts)


class DataFolder:
    """A folder with stores of opencode: databases, trees, or both."""

    def __init__(self, path: Path, name: str | None = None) -> None:
        """Look which stores are there; nothing of them is read."""
        self.path, self.name = path, name or path.name
        self.databases = [Database(found) for found in databases_in(path)]
        self.trees = list(_trees(path))

    def empty(self) -> bool:
        """Whether no store is there."""
        return not self.databases and not self.trees

    def stores(self) -> list[Database | Tree]:
        """The stores, the newest kind first."""
        return [*self.databases, *self.trees]

    def read(self, sessions: Collection[str] | None = None) -> Iterator[Session]:
        """Sessions with their children inside, each from the first store that has it; all, or those asked for.

        Raises :class:`ReadError` when no store of the folder can be read. One that cannot leaves its reason as
        a gap of the sessions of the others.
        """
        owners, entries, failed = self._owners()
        if not entries and failed:
            raise failed[0]
        parents = {key: entry.parent for key, entry in entries.items()}
        below: dict[str, list[str]] = {}
        for key, parent in parents.items():
            if parent is not None and parent in entries:
                below.setdefault(parent, []).append(key)
        wanted = list(entries) if sessions is None else [key for key in entries if key in set(sessions)]
        tops = [key for key in wanted if sessions is not None or parents[key] not in entries]
        done: set[str] = set()
        gaps = tuple(
            Gap(reason=f"another store of this folder could not be read: {error}") for error in failed
        )
        for top in [*tops, *(wanted if sessions is None else ())]:
            if sessions is None and top in done:
                continue
            family = members(top, below)
            done.update(family)
            for session in nest(owners[key].load(key) for key in family):
                yield _with_gaps(session, gaps)

    def _owners(self) -> tuple[dict[str, Database | Tree], dict[str, Entry], list[ReadError]]:
        owners: dict[str, Database | Tree] = {}
        entries: dict[str, Entry] = {}
        failed: list[ReadError] = []
        for store in self.stores():
            try:
                index = store.index()
            except ReadError as error:
                failed.append(error)
                continue
            for key, entry in index.items():
                if key not in owners:
                    owners[key], entries[key] = store, entry
        ranks = sorted(entries, key=lambda key: (entries[key].created or 0, key))
        return owners, {key: entries[key] for key in ranks}, failed

    def index(self, failed: list[ReadError] | None = None) -> dict[str, tuple[Entry, Database | Tree]]:
        """Every session once, with the store it is read from.

        Stores that cannot be read are left out; ``failed`` takes up why.
        """
        owners, entries, reasons = self._owners()
        if failed is not None:
            failed += reasons
        return {key: (entry, owners[key]) for key, entry in entries.items()}

    def beside(self) -> Iterator[Beside]:
        """What lies in the folder and is no part of a store: other logs, which nobody would read."""
        roots = {tree.root: tree for tree in self.trees}
        databases = {database.path for database in self.databases}
        above = {folder for root in roots for folder in root.parents if self.path in folder.parents}
        waiting = [self.path]
        while waiting:
            folder = waiting.pop()
            tree = roots.get(folder)
            for path in entries(folder):
                name = path.name
                if path in roots or path in above:
                    waiting.append(path)
                elif path in databases or of_a_database(path) or name in _CLIENTS_FILES:
                    continue
                elif tree is not None and name in _DEPTHS[tree.old] and path.is_dir():
                    yield from _strange(path, _DEPTHS[tree.old][name])
                elif name == _SPILLS and path.is_dir():
                    yield from (Beside(one) for one in entries(path) if not one.name.startswith("tool_"))
                elif not (name in _CLIENTS_FOLDERS and path.is_dir()):
                    yield Beside(path, own=name in _MAYBE_ITS_OWN)


def _strange(top: Path, depth: int) -> Iterator[Beside]:
    """Files in a folder of a tree that are none of its records: of another kind, or at another depth."""
    for base, folders, names in os.walk(top):
        folders.sort()
        here = len(Path(base).parts) - len(top.parts) + 1
        for name in sorted(names):
            path = Path(base, name)
            if (here != depth or not name.endswith(".json")) and not path.is_symlink():
                yield Beside(path)


def _with_gaps(session: Session, gaps: tuple[Gap, ...]) -> Session:
    return msgspec.structs.replace(session, gaps=session.gaps + gaps) if gaps else session


def databases_in(folder: Path) -> list[Path]:
    """opencode's databases in a folder: ``opencode.db`` first, then those of channels (``opencode-stable.db``)."""
    found = [path for path in _entries(folder) if path.name.startswith("opencode") and path.suffix == ".db"]
    return sorted(
        (path for path in found if path.is_file()), key=lambda path: (path.name != "opencode.db", path.name)
    )


def _trees(folder: Path) -> Iterator[Tree]:
    """The trees of a data folder, or of one of its folders given by itself; the newer layout first."""
    for storage in (folder / "storage", folder):
        if _is_new(storage):
            yield Tree(storage, folder, old=False)
            break
    slugs = [folder, *_folders(folder / "project"), *(_folders(folder) if folder.name == "project" else ())]
    for slug in slugs:
        if _is_old(slug / "storage" / "session"):
            yield Tree(slug / "storage" / "session", folder, old=True)
    for session in (folder, folder / "session"):
        if _is_old(session):
            yield Tree(session, folder, old=True)


def _is_new(storage: Path) -> bool:
    if not (storage / "session").is_dir():
        return False
    # opencode 0.5 counts its migrations in a file of that name too; its messages lie below its sessions.
    return (storage / "message").is_dir() or (
        (storage / "migration").is_file() and not _is_old(storage / "session")
    )


def _is_old(session: Path) -> bool:
    return (session / "info").is_dir() and ((session / "message").is_dir() or (session / "part").is_dir())


def _entries(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as found:
            return sorted(Path(entry.path) for entry in found)
    except OSError:
        return []


def _folders(folder: Path) -> list[Path]:
    """Folders in a folder, by name. Links are not followed: a tree holds none."""
    try:
        with os.scandir(folder) as found:
            return sorted(Path(entry.path) for entry in found if entry.is_dir(follow_symlinks=False))
    except OSError:
        return []


def _files(folder: Path) -> list[Path]:
    """JSON files in a folder, by name."""
    try:
        with os.scandir(folder) as found:
            return sorted(
                Path(entry.path)
                for entry in found
                if entry.name.endswith(".json") and entry.is_file(follow_symlinks=False)
            )
    except OSError:
        return []
