"""Reader ``opencode-db``: opencode's SQLite database, of every schema since 1.2.0 (opencode-formats §2c).

The database belongs to the client, which may be writing it. It is opened so that nothing is written, created
or left behind, one session and its children at a time in one transaction. Only the tables ``session``,
``message``, ``part`` and ``session_message`` can be read at all: an authorizer refuses every other one, those with
credentials and the huge ``event`` table among them. ``session_message`` is the second generation of messages, which
newer clients have beside the first (see :mod:`sessionlens.readers.opencode_v2`).
"""

from __future__ import annotations

import errno
import os
import sqlite3
import struct
import sys
import time
from array import array
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, TypeVar
from urllib.parse import quote

import msgspec

from sessionlens.model import Gap, Session
from sessionlens.readers.base import ReadError
from sessionlens.readers.family import members, nest
from sessionlens.readers.jsonl import integer
from sessionlens.readers.opencode import (
    Counts,
    Entry,
    Raw,
    RawMessage,
    assemble,
    count_calls,
    reverted_from,
    with_spills,
)
from sessionlens.readers.opencode_v2 import Record, with_records
from sessionlens.readers.opencode_v2 import count as count_records
from sessionlens.readers.source import Source

_MAGIC = b"SQLite format 3\x00"
_TABLES = ("session", "message", "part", "session_message")
_NEEDED = {"message": ("id", "session_id", "data"), "part": ("id", "message_id", "session_id", "data")}
_SECOND = ("id", "session_id", "type", "data")
"""Columns of ``session_message``, which a database may have beside the other two or instead of them."""
_SESSION_COLUMNS = (
    "id",
    "parent_id",
    "title",
    "version",
    "directory",
    "revert",
    "time_created",
    "time_updated",
)
_PRAGMAS = frozenset({"table_info", "index_list", "index_info", "locking_mode"})
_SHARED_FIRST, _SHARED_LENGTH = 0x40000002, 510
"""Bytes that SQLite's readers lock on POSIX systems (sqlite.org, os_unix.c)."""
_SHM_IN_USE = 128
"""Byte of the ``-shm`` that every connection of a client keeps locked (sqlite.org, walformat.html §2.3.2)."""
_FLOCK = {
    "linux": ("hhqqi0q", ("type", "whence", "start", "len", "pid")),
    "darwin": ("qqihh", ("start", "len", "pid", "type", "whence")),
}
"""Layout of ``struct flock`` where it is known."""
_WAL_HEADER, _FRAME_HEADER = 32, 24
_WAL_CHECKED = 1 << 24
"""Bytes of a write-ahead log that are checked for damage, at most; clients keep it at 4 MB."""
_TRIES = 8
_BUSY_SECONDS = 5.0

_BROKEN = (sqlite3.DatabaseError, UnicodeDecodeError)
"""What damage raises; the module cannot decode every message and name that a broken page yields."""

T = TypeVar("T")


class _Changed(Exception):
    """The file was changed while it was read without its locks."""


class OpencodeDb:
    """Reads opencode's database file."""

    name = "opencode-db"

    def recognises(self, source: Source) -> str | None:
        """``None`` for a SQLite database with opencode's tables ``message`` and ``part``."""
        if source.folder:
            return "a folder, not a file"
        if source.head(16) != _MAGIC:
            return "no SQLite database"
        database = Database(source.path, source.name)
        try:
            missing = database.missing()
            strange = missing is not None and not database.partly()
        except ReadError:
            # No other reader takes a database: reading it will say what is wrong with it.
            return None
        return f"a SQLite database, but {missing}" if strange else None

    def read(self, source: Source) -> Iterator[Session]:
        """Every session, children inside their parents, in the order of their creation."""
        return Database(source.path, source.name).read()

    def read_only(self, source: Source, sessions: Collection[str]) -> Iterator[Session]:
        """The sessions with these ids, each with its children."""
        return Database(source.path, source.name).read(sessions)


class Database:
    """One database file, opened anew for each step and never kept open between."""

    def __init__(self, path: Path, name: str | None = None) -> None:
        """Remember the path; nothing is opened."""
        self.path, self.name = path, name or path.name
        self._columns: dict[str, tuple[str, ...]] | None = None
        self._rows: dict[str, dict[bytes, array[int]]] = {}
        self._lost: str | None = None
        self._changing = False
        self._damaged_wal: bool | None = None

    # --- what is in it ---

    def missing(self) -> str | None:
        """What it lacks of an opencode database, in words; ``None`` when it has all."""
        columns = self._schema()
        if self._second() and not _NEEDED.keys() & columns.keys():
            return None
        for table, needed in _NEEDED.items():
            if table not in columns:
                return f"it has no table `{table}`"
            for column in needed:
                if column not in columns[table]:
                    return f"its table `{table}` has no column `{column}`"
        return None

    def _first(self) -> bool:
        """Whether it has the tables of the first generation of messages."""
        return _NEEDED.keys() <= self._schema().keys()

    def _second(self) -> bool:
        """Whether it has the table of the second generation (see :mod:`sessionlens.readers.opencode_v2`)."""
        return set(_SECOND) <= set(self._schema().get("session_message", ()))

    def partly(self) -> bool:
        """Whether it has one of opencode's tables, with the columns that make it one."""
        columns = self._schema()
        return any(
            {"session_id", "data"} <= set(columns.get(table, ())) for table in ("message", "part")
        ) or {"id", "project_id", "time_created"} <= set(columns.get("session", ()))

    def index(self) -> dict[str, Entry]:
        """What the database tells of each session without its content.

        Raises :class:`ReadError` when it is no database of opencode or cannot be read.
        """
        missing = self.missing()
        if missing is not None:
            raise ReadError(self.name, missing, advice="It is no database of opencode, or it is damaged")
        return {key: entry for key, (entry, _) in self._attempt(self._everything).items()}

    def counts(self, sessions: Collection[str]) -> dict[str, Counts]:
        """Messages, calls, cut-offs and bytes of sessions. Reads the tool parts, so ask for few at a time."""
        versions = {key: entry.version for key, entry in self.index().items()}

        def collect(connection: sqlite3.Connection) -> dict[str, Counts]:
            found: dict[str, Counts] = {}
            for key in sessions:
                size = messages = calls = cut_offs = 0
                ids: set[str] = set()
                parts: list[Any] = []
                if self._first():
                    for row in self._of(connection, "message", key, []):
                        messages += 1
                        size += len(row[1])
                        ids.add(_plain(row[0]))
                    parts = [row[2] for row in self._of(connection, "part", key, [])]
                    calls, cut_offs = count_calls(parts, versions.get(key))
                records = [one for one in self._records(connection, key, []) if one.raw.id not in ids]
                more = count_records(records)
                messages, calls, cut_offs = messages + more[0], calls + more[1], cut_offs + more[2]
                size += sum(len(one.raw.data) for one in records)
                found[key] = Counts(
                    messages=messages,
                    calls=calls,
                    cut_offs=cut_offs,
                    size=size + sum(len(part) for part in parts),
                )
            return found

        return self._attempt(collect)

    def read(self, sessions: Collection[str] | None = None) -> Iterator[Session]:
        """Sessions with their children inside, in order of creation; all, or those asked for.

        Raises :class:`ReadError` when the database has not the tables, or nothing in it can be read.
        """
        missing = self.missing()
        if missing is not None:
            raise ReadError(self.name, missing, advice="It is no database of opencode, or it is damaged")
        entries = self._attempt(self._everything)
        if not entries and not _state(self.path.resolve())[1] and sessions is None:
            raise ReadError(
                self.name,
                "the database holds no session",
                advice="A running client keeps the latest in a file `-wal` beside it: a copy must take that along",
            )
        below: dict[str, list[str]] = {}
        for key, (entry, _) in entries.items():
            if entry.parent in entries and entry.parent is not None:
                below.setdefault(entry.parent, []).append(key)
        if sessions is None:
            tops = [key for key, (entry, _) in entries.items() if entry.parent not in entries]
            reached: set[str] = set()
        else:
            tops = [key for key in entries if key in set(sessions)]
            reached = set()
        for top in tops:
            family = members(top, below)
            reached.update(family)
            yield from nest(self._sessions(family, entries))
        if sessions is None:
            # Sessions whose parents form a circle have no top.
            for key in entries:
                if key not in reached:
                    family = members(key, below)
                    reached.update(family)
                    yield from nest(self._sessions(family, entries))

    def load(self, session: str) -> Session:
        """One session without its children. Raises :class:`ReadError` when it is no longer there."""
        self._schema()
        entries = self._attempt(self._everything)
        if session not in entries:
            raise ReadError(self.name, f"the session {session} is no longer in the database")
        return self._sessions([session], entries)[0]

    def _sessions(self, keys: list[str], entries: dict[str, tuple[Entry, bytes]]) -> list[Session]:
        """Sessions read in one transaction."""
        self._schema()
        stored = self._attempt(lambda connection: [self._stored(connection, key) for key in keys])
        if self._damaged_wal is None:
            self._damaged_wal = not self._changing and _wal_damaged(self.path.resolve())
        read = []
        for key, (messages, records, gaps) in zip(keys, stored, strict=True):
            entry, info = entries[key]
            if not info:
                gaps.append(Gap(reason="the session's own record is missing: no title, version, parent"))
            if self._damaged_wal:
                gaps.append(
                    Gap(
                        reason="the write-ahead log beside the database (`-wal`) is damaged: "
                        "the latest messages may be missing"
                    )
                )
            if self._lost is not None:
                gaps.append(
                    Gap(reason=f"the database is damaged ({self._lost}): whole sessions may be missing")
                )
            session = assemble(
                Raw(data=info or b"{}", id=entry.id, created=entry.created),
                messages,
                source_format=OpencodeDb.name,
                fallback_id=key,
                sorted_parts=False,
                gaps=gaps,
            )
            session = with_records(session, records, reverted_from=reverted_from(info))
            read.append(with_spills(session, self.path.parent / "tool-output"))
        return read

    # --- rows ---

    def _index(self, connection: sqlite3.Connection) -> list[tuple[Entry, bytes]]:
        """One entry a session, with its ``info`` as JSON."""
        columns = self._schema().get("session", ())
        chosen = [column for column in _SESSION_COLUMNS if column in columns]
        if "id" not in chosen:
            return []
        # The order is made here: sorting in SQL would need one more pass over damaged pages.
        rows: list[dict[str, Any]] = []
        try:
            for row in connection.execute(f"SELECT {', '.join(chosen)} FROM session"):
                rows.append(dict(zip(chosen, row, strict=True)))
        except _BROKEN as error:
            if _is_busy(error):
                raise
            self._lost = _said(error)
        found = []
        for values in rows:
            identifier = _plain(values.get("id"))
            if not identifier:
                continue
            entry = Entry(
                id=identifier,
                parent=_plain(values.get("parent_id")) or None,
                title=_plain(values.get("title")) or None,
                version=_plain(values.get("version")) or None,
                directory=_plain(values.get("directory")) or None,
                created=_number(values.get("time_created")),
                updated=_number(values.get("time_updated")),
            )
            info: dict[str, Any] = {
                "id": entry.id,
                "title": entry.title,
                "version": entry.version,
                "directory": entry.directory,
                "parentID": entry.parent,
            }
            revert = _plain(values.get("revert"))
            if revert:
                with suppress(msgspec.DecodeError, RecursionError):
                    info["revert"] = msgspec.json.decode(revert)
            found.append((entry, msgspec.json.encode(info)))
        found.sort(key=lambda pair: (pair[0].created or 0, pair[0].id))
        return found

    def _everything(self, connection: sqlite3.Connection) -> dict[str, tuple[Entry, bytes]]:
        """Sessions with a record, and those that only messages tell of.

        A session's record is updated at the end of a turn; while one runs, its messages tell of later activity.
        """
        entries = {entry.id: (entry, info) for entry, info in self._index(connection)}
        tables = [
            table
            for table, there in (("message", self._first()), ("session_message", self._second()))
            if there
        ]
        try:
            for table in tables:
                timed = self._index_on(connection, table, ("session_id", "time_created"))
                latest = "max(time_created)" if timed else "NULL"
                for key, moment in connection.execute(
                    f"SELECT session_id, {latest} FROM {table} GROUP BY session_id"
                ):
                    identifier, active = _plain(key), _number(moment)
                    entry, info = entries.get(identifier, (Entry(id=identifier), b""))
                    if active is not None and active > (entry.updated or 0):
                        entry = msgspec.structs.replace(entry, updated=active)
                    if identifier:
                        entries[identifier] = (entry, info)
        except _BROKEN as error:
            if _is_busy(error):
                raise
            self._lost = _said(error)
        if not entries:
            # An empty database is one without sessions; one that cannot be read says so here.
            connection.execute(f"SELECT count(*) FROM {tables[0]}").fetchone()
        return entries

    def _stored(
        self, connection: sqlite3.Connection, session: str
    ) -> tuple[list[RawMessage], list[Record], list[Gap]]:
        gaps: list[Gap] = []
        records = self._records(connection, session, gaps)
        if not self._first():
            return [], records, gaps
        parts: dict[str, list[Raw]] = {}
        for identifier, message, data, created in self._of(connection, "part", session, gaps):
            key = _plain(identifier)
            parts.setdefault(_plain(message), []).append(
                Raw(
                    data=_bytes(data),
                    id=key,
                    created=_number(created),
                    fetch=self._again("part", key, gaps),
                )
            )
        messages = []
        for identifier, data, created in self._of(connection, "message", session, gaps):
            key = _plain(identifier)
            info = Raw(data=_bytes(data), id=key, created=_number(created))
            messages.append(RawMessage(info=info, parts=tuple(parts.pop(key, ()))))
        for key in sorted(parts):
            count = "1 part belongs" if len(parts[key]) == 1 else f"{len(parts[key])} parts belong"
            missing = (
                f"{count} to the message {key[:80]}, which is not in the database: role and times unknown"
            )
            created = min((part.created for part in parts[key] if part.created is not None), default=None)
            info = Raw(data=b"{}", id=key or None, created=created)
            messages.append(RawMessage(info=info, parts=tuple(parts[key]), missing=missing))
        return messages, records, gaps

    def _again(self, table: str, key: str, gaps: list[Gap]) -> Callable[[], bytes] | None:
        """How to read a row once more. In a damaged store a row that was read in order may not be found by its id: its
        long texts are kept whole.
        """
        return None if gaps else partial(fetch, str(self.path), self.name, table, key)

    def _records(self, connection: sqlite3.Connection, session: str, gaps: list[Gap]) -> list[Record]:
        """Messages of the second generation, in their order."""
        if not self._second():
            return []
        rows = self._of(connection, "session_message", session, gaps)
        found = []
        for identifier, kind, data, _, created in sorted(
            rows, key=lambda row: (_number(row[3]) or 0, _plain(row[0]))
        ):
            key = _plain(identifier)
            again = self._again("session_message", key, gaps)
            raw = Raw(data=_bytes(data), id=key, created=_number(created), fetch=again)
            found.append(Record(kind=_plain(kind), raw=raw))
        return found

    def _of(
        self, connection: sqlite3.Connection, table: str, session: str, gaps: list[Gap]
    ) -> list[tuple[Any, ...]]:
        """Rows of one session in one go; what lies on damaged pages is told and the rest is kept."""
        columns = self._schema()[table]
        chosen = ["id", "message_id", "data"] if table == "part" else ["id", "data"]
        if table == "session_message":
            chosen = ["id", "type", "data", "seq" if "seq" in columns else "NULL"]
        chosen.append("time_created" if "time_created" in columns else "NULL")
        select = f"SELECT {', '.join(chosen)} FROM {table}"
        try:
            if self._index_on(connection, table, ("session_id",)):
                return connection.execute(f"{select} WHERE session_id = ?", (session,)).fetchall()
            return self._by_row(connection, table, select, session)
        except _BROKEN as error:
            if _is_busy(error):
                raise
            rows = {}
            # From both ends up to the damage: an index may be sound where a page is not, and the reverse.
            for how in (
                "NOT INDEXED WHERE session_id = ?",
                "NOT INDEXED WHERE session_id = ? ORDER BY rowid DESC",
            ):
                with suppress(*_BROKEN):
                    for row in connection.execute(f"{select} {how}", (session,)):
                        rows[row[0]] = row
            gaps.append(
                Gap(
                    reason=f"the database is damaged ({_said(error)}): some of its {table}s could not be read"
                )
            )
            return list(rows.values())

    def _index_on(self, connection: sqlite3.Connection, table: str, columns: tuple[str, ...]) -> bool:
        """Whether an index begins with these columns; old databases lack those of sessions (git-ai PR 1120)."""
        for row in connection.execute(f"PRAGMA index_list({table})").fetchall():
            name = _plain(row[1]).replace('"', '""')
            rows = connection.execute(f'PRAGMA index_info("{name}")').fetchall()
            if tuple(_plain(column[2]) for column in rows[: len(columns)]) == columns:
                return True
        return False

    def _by_row(
        self, connection: sqlite3.Connection, table: str, select: str, session: str
    ) -> list[tuple[Any, ...]]:
        """Rows of a session without an index: one look over the whole table serves all sessions."""
        known = self._rows.get(table)
        if known is None:
            known = {}
            for number, key in connection.execute(f"SELECT rowid, session_id FROM {table}"):
                known.setdefault(_bytes(key), array("q")).append(number)
            self._rows[table] = known
        rows = []
        for number in known.get(session.encode(), ()):
            rows += connection.execute(f"{select} WHERE rowid = ?", (number,)).fetchall()
        return rows

    def _schema(self) -> dict[str, tuple[str, ...]]:
        """Columns of the four tables. A view or virtual table of the same name is none of them."""
        if self._columns is None:
            self._columns = self._attempt(_columns)
        return self._columns

    # --- opening ---

    def _attempt(self, step: Callable[[sqlite3.Connection], T]) -> T:
        """Run a step in one transaction; again when the client was in the way.

        A step must not open the file again, as :meth:`_schema` does when it is first asked: closing it would drop
        the locks of the transaction.
        """
        for attempt in range(_TRIES):
            try:
                with _open(self.path, changing=self._changing) as connection:
                    connection.execute("BEGIN")
                    return step(connection)
            except _Changed:
                self._changing = True
                self._rows.clear()
            except _BROKEN as error:
                if not _is_busy(error):
                    raise ReadError(
                        self.name,
                        f"the database cannot be read ({_said(error)})",
                        advice="Copy it together with its `-wal` and `-shm` files while no client runs",
                    ) from None
            except FileNotFoundError:
                # The client took its `-wal` away, or the database is gone: the next try tells.
                if not self.path.exists():
                    raise ReadError(self.name, "the database is gone") from None
            except OSError as error:
                raise ReadError(self.name, f"the database cannot be read ({error.strerror})") from None
            time.sleep(0.05 * (attempt + 1))
        raise ReadError(self.name, "the client keeps changing or locking the database", advice="Try again")


def fetch(path: str, name: str, table: str, identifier: str) -> bytes:
    """The stored object of a part or message, read again for a long text."""

    def by_index(connection: sqlite3.Connection) -> Any:
        place = connection.execute(f"SELECT rowid FROM {table} WHERE id = ?", (identifier,)).fetchone()
        if place is None:
            return None
        row = connection.execute(f"SELECT data, id FROM {table} WHERE rowid = ?", place).fetchone()
        return row if row is not None and _plain(row[1]) == identifier else None

    def one(connection: sqlite3.Connection) -> Any:
        # A damaged index raises, or leads to another row or to none and says nothing.
        row = None
        try:
            row = by_index(connection)
        except _BROKEN as error:
            if _is_busy(error):
                raise
        # From both ends up to the damage, as when its session was read.
        for order in ("", " ORDER BY rowid DESC"):
            if row is not None:
                break
            every = f"SELECT data FROM {table} NOT INDEXED WHERE id = ?{order}"
            try:
                row = connection.execute(every, (identifier,)).fetchone()
            except _BROKEN as error:
                if _is_busy(error):
                    raise
        return row

    row = Database(Path(path), name)._attempt(one)
    if row is None:
        raise ReadError(name, f"the {table} {identifier} is no longer in the database")
    return _bytes(row[0])


def _columns(connection: sqlite3.Connection) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for table in _TABLES:
        row = connection.execute(
            "SELECT sql FROM sqlite_master WHERE name = ? AND type = 'table' AND rootpage > 0", (table,)
        ).fetchone()
        if row is not None and _plain(row[0]).lstrip().upper().startswith("CREATE TABLE"):
            rows = connection.execute(f"PRAGMA table_info({table})").fetchall()
            found[table] = tuple(_plain(column[1]) for column in rows)
    return found


def _state(path: Path) -> tuple[object, ...]:
    """What must not change while the file is read without its locks."""
    state: list[object] = []
    for suffix in ("", "-wal", "-journal"):
        try:
            found = Path(f"{path}{suffix}").stat()
            state.append((found.st_mtime_ns, found.st_size, found.st_ino))
        except FileNotFoundError:
            state.append(None)
    return tuple(state)


@contextmanager
def _open(path: Path, *, changing: bool = False) -> Iterator[sqlite3.Connection]:
    """A connection that neither writes nor leaves anything behind.

    Three ways, since plain ``mode=ro`` keeps its hands off the database file alone: SQLite then still rebuilds
    a ``-shm`` that a dead client left, creates what is missing, and takes an empty ``-wal`` away.

    - While a client has it open, its ``-shm`` is used and not written (``readonly_shm``); the snapshot is consistent.
    - A ``-wal`` without a client is indexed in memory (exclusive mode, no locks), if it holds anything at all.
    - Otherwise ``immutable``.

    The last two only count when the files are the same before and after; ``changing`` says that they were not, so
    that there is a client, even if its locks are not to be seen (it is this process, or a file system without).
    """
    path = path.resolve()
    with path.open("rb") as file:
        header = file.read(100)
        if header[:16] != _MAGIC:
            raise sqlite3.DatabaseError("file is not a database")
        _hold(file.fileno())
        with _chosen(path, uses_wal=header[18:20] != b"\x01\x01", changing=changing) as connection:
            yield connection


def _hold(handle: int) -> None:
    """Take the shared lock of a reader, so that no client removes its ``-wal`` between our look and SQLite's.

    Held until the file is closed. Raises :class:`_Changed` when a client is just closing the database.
    """
    try:
        import fcntl
    except ImportError:
        return
    try:
        fcntl.lockf(handle, fcntl.LOCK_SH | fcntl.LOCK_NB, _SHARED_LENGTH, _SHARED_FIRST)
    except OSError as error:
        if error.errno in (errno.EAGAIN, errno.EACCES):
            raise _Changed from None
        # A file system without locks: SQLite says so itself if it matters.


@contextmanager
def _chosen(path: Path, *, uses_wal: bool, changing: bool) -> Iterator[sqlite3.Connection]:
    """The connection of :func:`_open`, once nothing can be taken away."""
    before = _state(path)
    wal, journal = before[1], before[2]
    quiet = journal is None or journal[1] == 0  # type: ignore[index]
    without_locks = f"mode=ro&vfs={'win32-none' if os.name == 'nt' else 'unix-none'}"
    options, exclusive, verify = "mode=ro&readonly_shm=1", False, False
    if wal is None:
        if quiet and (uses_wal or journal is not None):
            options, verify = "mode=ro&immutable=1", True
    elif not (_in_use(Path(f"{path}-shm")) or (changing and os.access(f"{path}-shm", os.R_OK))):
        options, exclusive, verify = without_locks, True, True
        if not holds_transaction(Path(f"{path}-wal")):
            options, exclusive = "mode=ro&immutable=1", False
    connection = _connect(path, options)
    try:
        if exclusive:
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        try:
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except sqlite3.OperationalError:
            if verify or wal is None:
                raise
            # A `-shm` that cannot be used, or is not the client's: as without it.
            connection.close()
            verify = True
            if holds_transaction(Path(f"{path}-wal")):
                connection = _connect(path, without_locks)
                connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            else:
                connection = _connect(path, "mode=ro&immutable=1")
        yield connection
    finally:
        connection.close()
    if verify and _state(path) != before:
        raise _Changed


def holds_transaction(wal: Path) -> bool:
    """Whether SQLite will find a finished transaction in a write-ahead log (format: sqlite.org/fileformat2.html §4).

    A log without one must not be given to SQLite outside its locks: on closing it deletes such a log.
    """
    with wal.open("rb") as file:
        return any(finishes for sound, finishes in _frames(file) if sound)


def _frames(file: BinaryIO) -> Iterator[tuple[bool, bool]]:
    """Pages of a write-ahead log: whether each is sound, and whether it finishes a transaction.

    Ends at the first that is not, as SQLite does, and at what is left of an earlier use of the file.
    """
    header = file.read(_WAL_HEADER)
    begun = _wal_begun(header)
    if begun is None:
        if header:
            yield False, False
        return
    order, page, sums = begun
    while frame := file.read(_FRAME_HEADER + page):
        if len(frame) >= 16 and frame[8:16] != header[16:24]:
            return
        if len(frame) < _FRAME_HEADER + page:
            yield False, False
            return
        number, size = struct.unpack(">II", frame[:8])
        sums = _checksum(frame[_FRAME_HEADER:], order, _checksum(frame[:8], order, sums))
        if number == 0 or sums != struct.unpack(">II", frame[16:24]):
            yield False, False
            return
        yield True, size > 0


def _in_use(index: Path) -> bool:
    """Whether a client holds the ``-shm`` of a database open: then it is right, otherwise it may be stale or noise."""
    try:
        with index.open("rb") as file:
            layout = _FLOCK.get(sys.platform)
            if layout is None:
                return True
            import fcntl

            fields, kind = layout
            asked = {"type": fcntl.F_WRLCK, "whence": os.SEEK_SET, "start": _SHM_IN_USE, "len": 1, "pid": 0}
            packed = struct.pack(fields, *(asked[name] for name in kind))
            told = struct.unpack(fields, fcntl.fcntl(file.fileno(), fcntl.F_GETLK, packed))
            return bool(told[kind.index("type")] != fcntl.F_UNLCK)
    except OSError:
        return False


def _wal_begun(header: bytes) -> tuple[str, int, tuple[int, int]] | None:
    """Byte order, page size and first checksum from the header of a write-ahead log; ``None`` for another file."""
    if len(header) < _WAL_HEADER:
        return None
    magic, version, page = struct.unpack(">III", header[:12])
    if magic not in (0x377F0682, 0x377F0683) or version != 3007000:
        return None
    if page < 512 or page > 65536 or page & (page - 1):
        return None
    order = ">" if magic & 1 else "<"
    sums = _checksum(header[:24], order, (0, 0))
    return (order, page, sums) if sums == struct.unpack(">II", header[24:32]) else None


def _wal_damaged(path: Path) -> bool:
    """Whether the write-ahead log that a client left beside the database is damaged or cut short.

    SQLite reads it up to there and is silent about the rest. Not looked at while a client writes it.
    """
    wal = Path(f"{path}-wal")
    try:
        if wal.stat().st_size > _WAL_CHECKED or _in_use(Path(f"{path}-shm")):
            return False
        with wal.open("rb") as file:
            return not all(sound for sound, _ in _frames(file))
    except OSError:
        return False


def _checksum(data: bytes, order: str, sums: tuple[int, int]) -> tuple[int, int]:
    """The running checksum of a write-ahead log over 32-bit words in the given byte order."""
    first, second = sums
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    for one, other in zip(words[::2], words[1::2], strict=True):
        first = (first + one + second) & 0xFFFFFFFF
        second = (second + other + first) & 0xFFFFFFFF
    return first, second


def _connect(path: Path, options: str) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"file:{quote(path.as_posix())}?{options}",
        uri=True,
        timeout=_BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
    )
    connection.text_factory = bytes
    connection.execute("PRAGMA query_only = ON")
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
    connection.execute("PRAGMA mmap_size = 0")
    connection.set_authorizer(_allowed)
    return connection


def _allowed(action: int, first: str | None, second: str | None, _where: str | None, _by: str | None) -> int:
    """Let through what reads the four tables and nothing else."""
    if action == sqlite3.SQLITE_READ:
        fine = first in _TABLES or first in ("sqlite_master", "sqlite_schema")
    elif action == sqlite3.SQLITE_PRAGMA:
        fine = first in _PRAGMAS
    elif action == sqlite3.SQLITE_FUNCTION:
        fine = second in ("count", "max")
    else:
        fine = action in (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_TRANSACTION)
    return sqlite3.SQLITE_OK if fine else sqlite3.SQLITE_DENY


def _said(error: Exception) -> str:
    if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_READONLY_ROLLBACK:
        return "an unfinished change lies in the `-journal` beside it, and only the client may undo it"
    said = str(error)
    # With a broken schema SQLite quotes the page.
    return "unreadable schema" if isinstance(error, UnicodeDecodeError) or not said.isascii() else said[:200]


def _is_busy(error: Exception) -> bool:
    code = getattr(error, "sqlite_errorcode", None)
    return code is not None and (code & 0xFF) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def _plain(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value if isinstance(value, str) else ""


def _bytes(value: Any) -> bytes:
    if isinstance(value, bytes):
        return value
    return value.encode("utf-8", "replace") if isinstance(value, str) else b""


def _number(value: Any) -> int | None:
    return integer(value)
