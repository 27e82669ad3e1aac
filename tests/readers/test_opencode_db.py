"""opencode's database: every session as its export tells it, nothing written, nothing left behind."""

from __future__ import annotations

import json
import os
import pickle
import random
import shutil
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from sessionlens import readers
from sessionlens.model import LONG, Session, Text, content
from sessionlens.readers import ReadError, Source
from sessionlens.readers import opencode_db as reader
from sessionlens.readers.opencode_db import Database, OpencodeDb

FIXTURES = Path(__file__).parents[2] / "fixtures"
STORE = FIXTURES / "opencode_db" / "1.14.41"
EXPORTS = FIXTURES / "opencode_export"
CORPUS = os.environ.get("SESSIONLENS_CORPUS")


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A copy of the store of 1.14.41; its database."""
    shutil.copytree(STORE, tmp_path / "store")
    return tmp_path / "store" / "opencode.db"


def every(sessions: list[Session]) -> dict[str, Session]:
    return {member.id: member for session in sessions for member in session.family()}


def alone(session: Session) -> object:
    return content(msgspec.structs.replace(session, children=()))


def open_wal(path: Path) -> sqlite3.Connection:
    """A connection as the client holds it: write-ahead log, not checkpointed on its own."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA wal_autocheckpoint = 0")
    return connection


def add_part(connection: sqlite3.Connection, text: str, number: int = 0) -> None:
    message, session = connection.execute(
        "SELECT id, session_id FROM message ORDER BY time_created DESC"
    ).fetchone()
    data = json.dumps({"type": "text", "text": text})
    connection.execute(
        "INSERT INTO part (id, message_id, session_id, time_created, time_updated, data) VALUES (?,?,?,?,?,?)",
        (f"prt_ffff{number:08x}AAAAAAAAAAAAAA", message, session, 1, 1, data),
    )


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_sessions_are_what_their_exports_tell(store: Path) -> None:
    found = every(readers.read(store))
    assert len(found) == 10
    compared = 0
    for path in sorted(EXPORTS.glob("1.14.41_*.json")):
        (export,) = readers.read(path)
        assert alone(found[export.id]) == alone(export)
        compared += 1
    assert compared == 3
    assert {session.source_format for session in found.values()} == {"opencode-db"}
    assert not [gap for session in found.values() for gap in session.all_gaps()]


def test_children_stand_in_their_parents(store: Path) -> None:
    (parent,) = [session for session in readers.read(store) if session.children]
    (child,) = parent.children
    assert child.parent == parent.id
    assert [call.child for message in parent.messages for call in message.calls] == [child.id]
    (only,) = readers.read(store, session=parent.id)
    assert only == parent
    (inner,) = readers.read(store, session=child.id)
    assert inner.id == child.id


def test_an_unknown_session_is_a_clear_error(store: Path) -> None:
    with pytest.raises(ReadError, match="holds no session ses_nothing"):
        readers.read(store, session="ses_nothing")


def test_long_outputs_are_read_again_and_spilled_ones_taken_in(store: Path) -> None:
    calls = [c for s in every(readers.read(store)).values() for m in s.messages for c in m.calls if c.spilled]
    (call,) = pickle.loads(pickle.dumps(calls))
    assert call.output is not None
    assert call.output.long
    assert call.output.whole().startswith("...output truncated...")
    assert call.full_output is not None
    assert call.full_output.whole().split("\n")[:3] == ["1", "2", "3"]
    assert call.full_output.length > 100_000
    shutil.rmtree(store.parent / "tool-output")
    calls = [c for s in every(readers.read(store)).values() for m in s.messages for c in m.calls if c.spilled]
    assert calls[0].full_output is None


def test_a_spilled_output_is_never_read_from_elsewhere(store: Path, tmp_path: Path) -> None:
    secret = tmp_path / "tool_secret"
    secret.write_text("secret")
    (spill,) = (store.parent / "tool-output").iterdir()
    spill.unlink()
    spill.symlink_to(secret)
    calls = [c for s in every(readers.read(store)).values() for m in s.messages for c in m.calls if c.spilled]
    assert calls[0].full_output is None


# --- the client's files stay as they are -------------------------------------------------------------------


def test_nothing_is_created_or_changed(store: Path) -> None:
    for mode in ("DELETE", "WAL"):
        with closing(sqlite3.connect(store)) as connection:
            connection.execute(f"PRAGMA journal_mode = {mode}")
        before = (names(store.parent), store.read_bytes(), store.stat().st_mtime_ns)
        for session in readers.read(store):
            content(session)
        assert (names(store.parent), store.read_bytes(), store.stat().st_mtime_ns) == before


def test_what_is_only_in_the_log_of_a_running_client_is_read(store: Path) -> None:
    with closing(open_wal(store)) as client:
        add_part(client, "said a second ago")
        before = store.read_bytes()
        listed = names(store.parent)
        assert "opencode.db-shm" in listed
        texts = [str(content(session)) for session in readers.read(store)]
        assert any("said a second ago" in text for text in texts)
        assert store.read_bytes() == before
        assert names(store.parent) == listed
        add_part(client, "and the client goes on", 1)


def test_the_log_of_a_client_that_is_gone_is_read(store: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    with closing(open_wal(store)) as client:
        add_part(client, "left in the log")
        for name in ("opencode.db", "opencode.db-wal"):
            shutil.copyfile(store.parent / name, copy / name)
    before = {name: (copy / name).read_bytes() for name in names(copy)}
    sessions = readers.read(copy / "opencode.db")
    assert any("left in the log" in str(content(session)) for session in sessions)
    assert {name: (copy / name).read_bytes() for name in names(copy)} == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write into any folder")
def test_a_folder_without_write_permission(store: Path) -> None:
    with closing(sqlite3.connect(store)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
    store.parent.chmod(0o555)
    try:
        assert len(every(readers.read(store))) == 10
    finally:
        store.parent.chmod(0o755)


def test_reading_while_the_client_writes(store: Path) -> None:
    stop = threading.Event()
    written: list[int] = []
    failures: list[BaseException] = []

    def client() -> None:
        try:
            with closing(sqlite3.connect(store, isolation_level=None, timeout=0.5)) as connection:
                connection.execute("PRAGMA journal_mode = WAL")
                while not stop.is_set():
                    add_part(connection, f"part {len(written)}", len(written))
                    written.append(1)
                    if len(written) % 50 == 0:
                        connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
                    time.sleep(0.0005)
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=client)
    thread.start()
    try:
        while not written and not failures:
            time.sleep(0.001)
        seen = []
        for _ in range(20):
            sessions = every(readers.read(store))
            assert len(sessions) == 10
            seen.append(
                sum(len(message.parts) for session in sessions.values() for message in session.messages)
            )
    finally:
        stop.set()
        thread.join()
    assert not failures
    assert seen == sorted(seen)
    assert seen[-1] > seen[0]
    assert names(store.parent) == ["opencode.db", "tool-output"], "the last to close cleans up, as without us"


_CLIENT = """
import sqlite3, sys, time
connection = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=0)
connection.execute("PRAGMA journal_mode = WAL")
message, session = connection.execute("SELECT id, session_id FROM message").fetchone()
number = 0
while True:
    number += 1
    row = (f"prt_ffff{number:08x}AAAAAAAAAAAAAA", message, session, 1, 1, '{"type":"text","text":"more"}')
    connection.execute(
        "INSERT INTO part (id, message_id, session_id, time_created, time_updated, data) VALUES (?,?,?,?,?,?)", row
    )
    if number % 50 == 0:
        connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
    if number == 1:
        print("ready", flush=True)
    time.sleep(0.0005)
"""


def test_reading_while_a_client_of_its_own_process_writes(store: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _CLIENT, str(store)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as client:
        try:
            assert client.stdout is not None
            assert client.stdout.readline() == b"ready\n"
            seen = []
            for _ in range(20):
                sessions = every(readers.read(store))
                assert len(sessions) == 10
                seen.append(sum(len(m.parts) for session in sessions.values() for m in session.messages))
            assert client.poll() is None
        finally:
            client.kill()
        assert client.stderr is not None
        assert client.stderr.read() == b""
    assert seen == sorted(seen)
    assert seen[-1] > seen[0]
    assert names(store.parent) == ["opencode.db", "opencode.db-shm", "opencode.db-wal", "tool-output"]


def test_only_the_three_tables_can_be_read(store: Path) -> None:
    with reader._open(store) as connection:
        for table in ("account", "credential", "event", "session_share", "project"):
            with pytest.raises(sqlite3.DatabaseError):
                connection.execute(f"SELECT * FROM {table}").fetchall()
        for statement in (
            "DELETE FROM part",
            "PRAGMA journal_mode = DELETE",
            "PRAGMA wal_checkpoint",
            "ATTACH '/tmp/other.db' AS other",
            "SELECT load_extension('x')",
            "CREATE TEMP TABLE x (y)",
        ):
            with pytest.raises(sqlite3.DatabaseError):
                connection.execute(statement).fetchall()


def test_an_event_table_of_any_size_is_not_read(store: Path) -> None:
    with closing(sqlite3.connect(store)) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        columns = [row[1] for row in connection.execute("PRAGMA table_info(event)")]
        if not columns:
            connection.execute("CREATE TABLE event (id, aggregate_id, seq, type, data)")
        for number in range(40):
            connection.execute(
                "INSERT INTO event (id, aggregate_id, seq, type, data) VALUES (?, 'x', 1, 'y', zeroblob(1000000))",
                (str(number),),
            )
        connection.commit()
    before = time.perf_counter()
    assert len(every(readers.read(store))) == 10
    assert time.perf_counter() - before < 1


# --- other schemas -----------------------------------------------------------------------------------------


def rebuild(store: Path, statements: str) -> None:
    with closing(sqlite3.connect(store)) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.executescript(statements)


def test_without_indexes(store: Path) -> None:
    expected = {key: content(session) for key, session in every(readers.read(store)).items()}
    with closing(sqlite3.connect(store)) as connection:
        found = connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
        ).fetchall()
    rebuild(store, "".join(f"DROP INDEX {name};" for (name,) in found))
    assert {key: content(session) for key, session in every(readers.read(store)).items()} == expected


def test_fewer_columns(store: Path) -> None:
    rebuild(
        store,
        "CREATE TABLE s AS SELECT id, title, time_created FROM session; DROP TABLE session; ALTER TABLE s RENAME TO session;"
        "CREATE TABLE p AS SELECT id, message_id, session_id, data FROM part; DROP TABLE part; ALTER TABLE p RENAME TO part;",
    )
    sessions = readers.read(store)
    assert len(sessions) == 10, "without `parent_id` no session is known as a child"
    assert all(session.title and session.client_version is None for session in sessions)


def test_a_missing_session_table_leaves_the_messages(store: Path) -> None:
    rebuild(store, "DROP TABLE session;")
    sessions = readers.read(store)
    assert len(sessions) == 10
    assert all("own record is missing" in session.gaps[0].reason for session in sessions)


@pytest.mark.parametrize(
    ("statements", "told"),
    [
        ("DROP TABLE part;", "no table `part`"),
        ("DROP TABLE message;", "no table `message`"),
        ("DROP TABLE part; CREATE VIEW part AS SELECT * FROM credential;", "no table `part`"),
        ("DROP TABLE part; CREATE VIRTUAL TABLE part USING fts5(id, data);", "no table `part`"),
        ("ALTER TABLE part RENAME COLUMN data TO datum;", "no column `data`"),
    ],
)
def test_what_is_no_database_of_opencode(store: Path, statements: str, told: str) -> None:
    rebuild(store, statements)
    with pytest.raises(ReadError, match=told):
        readers.read(store)
    with pytest.raises(ReadError, match=told):
        readers.read(store, reader="opencode-db")


def test_parts_without_their_message_are_told(store: Path) -> None:
    with closing(sqlite3.connect(store)) as connection:
        (message,) = connection.execute("SELECT message_id FROM part LIMIT 1").fetchone()
    rebuild(store, f"DELETE FROM message WHERE id = '{message}';")
    gaps = [gap.reason for session in every(readers.read(store)).values() for gap in session.all_gaps()]
    assert len(gaps) == 1
    assert message in gaps[0]


def test_parents_that_form_a_circle_lose_no_session(store: Path) -> None:
    with closing(sqlite3.connect(store)) as connection:
        ids = [row[0] for row in connection.execute("SELECT id FROM session ORDER BY id LIMIT 2")]
    rebuild(
        store,
        f"UPDATE session SET parent_id = '{ids[0]}' WHERE id = '{ids[1]}';"
        f"UPDATE session SET parent_id = '{ids[1]}' WHERE id = '{ids[0]}';",
    )
    assert len(every(readers.read(store))) == 10


def test_odd_values_in_any_column(store: Path) -> None:
    rebuild(
        store,
        "UPDATE part SET data = x'ff00' WHERE rowid % 5 = 0; UPDATE part SET data = 'null' WHERE rowid % 5 = 1;"
        "UPDATE message SET data = '[]' WHERE rowid % 7 = 0; UPDATE session SET revert = '{', title = x'fffe';",
    )
    sessions = every(readers.read(store))
    assert len(sessions) == 10
    assert any(list(session.all_gaps()) for session in sessions.values())


# --- damage ------------------------------------------------------------------------------------------------


def damaged(data: bytes) -> Iterator[tuple[str, bytes]]:
    chance = random.Random(7)
    page = int.from_bytes(data[16:18], "big")
    yield "zero length", b""
    yield "header only", data[:100]
    yield "magic only", data[:16]
    for part in (0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99):
        yield f"cut at {part}", data[: int(len(data) * part)]
    yield "half a page more", data + bytes(page // 2)
    yield "another page size", data[:16] + b"\x02\x00" + data[18:]
    yield "zeroed header", bytes(100) + data[100:]
    for number in range(24):
        changed = bytearray(data)
        for _ in range(1 + number // 3):
            begin = chance.randrange(1, len(data) // page) * page
            changed[begin : begin + page] = chance.randbytes(page) if number % 2 else bytes(page)
        yield f"pages {number}", bytes(changed)
    for number in range(24):
        changed = bytearray(data)
        for _ in range(200):
            changed[chance.randrange(100, len(changed))] = chance.randrange(256)
        yield f"bytes {number}", bytes(changed)


def test_damage_is_an_error_or_a_gap_and_never_a_crash(store: Path) -> None:
    data = store.read_bytes()
    outcomes = {"error": 0, "gaps": 0, "whole": 0}
    told: list[str] = []
    expected = {key: content(session) for key, session in every(readers.read(store)).items()}
    for name, blob in damaged(data):
        store.write_bytes(blob)
        try:
            sessions = every(readers.read(store))
        except ReadError as error:
            told.append(str(error))
            outcomes["error"] += 1
            continue
        found = {key: content(session) for key, session in sessions.items()}
        if any(list(session.all_gaps()) for session in sessions.values()):
            outcomes["gaps"] += 1
        else:
            outcomes["whole"] += found == expected
        assert names(store.parent) == ["opencode.db", "tool-output"], name
    assert not any(str(store.parent) in line or "\n" in line for line in told)
    assert outcomes["error"] > 5
    assert outcomes["gaps"] > 5


@pytest.mark.parametrize(
    "indexes",
    [("part_session_idx", "sqlite_autoindex_part_1"), ("sqlite_autoindex_part_1",)],
    ids=["no index", "no index of ids"],
)
def test_long_texts_of_a_damaged_store_are_whole(store: Path, indexes: tuple[str, ...]) -> None:
    data = bytearray(store.read_bytes())
    page = int.from_bytes(data[16:18], "big")
    with closing(sqlite3.connect(store)) as connection:
        roots = dict(connection.execute("SELECT name, rootpage - 1 FROM sqlite_master WHERE rootpage > 0"))
    for index in indexes:
        data[roots[index] * page : (roots[index] + 1) * page] = bytes(page)
    store.write_bytes(data)
    sessions = every(readers.read(store)).values()
    told = any("database is damaged" in gap.reason for session in sessions for gap in session.gaps)
    assert told == ("part_session_idx" in indexes)
    long = [
        call.output
        for session in sessions
        for message in session.messages
        for call in message.calls
        if call.output is not None and call.output.length > LONG
    ]
    assert long
    assert all(len(text.whole()) == text.length for text in long)


def test_a_picture_with_the_magic_of_a_database(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    path.write_bytes(b"SQLite format 3\x00" + b"\x89PNG" * 3000)
    with pytest.raises(ReadError, match=r"x\.db: the database cannot be read"):
        readers.read(path)


def test_counts_are_those_of_the_sessions(store: Path) -> None:
    sessions = every(readers.read(store))
    counts = Database(store).counts(list(sessions))
    for key, session in sessions.items():
        calls = [call for message in session.messages for call in message.calls]
        assert counts[key].messages == len(session.messages)
        assert counts[key].calls == len(calls)
        assert counts[key].cut_offs == sum(call.timed_out for call in calls)
        assert counts[key].size > 0


@pytest.mark.skipif(CORPUS is None, reason="SESSIONLENS_CORPUS is not set")
def test_every_store_of_the_corpus_tells_what_its_exports_tell() -> None:
    compared = 0
    for path in sorted(Path(CORPUS or "").glob("opencode/v*/opencode.db")):
        found = every(list(OpencodeDb().read(Source(path))))
        for export in sorted(path.parent.glob("*/export-ses*.json")):
            (session,) = readers.read(export)
            assert alone(found[session.id]) == alone(session), export.name
            compared += 1
    assert compared >= 50


def _log(store: Path) -> tuple[bytes, bytes]:
    """The write-ahead log and its index as a client leaves them when it is killed."""
    with closing(open_wal(store)) as client:
        add_part(client, "the last words")
        log, index = (Path(f"{store}{suffix}").read_bytes() for suffix in ("-wal", "-shm"))
        # Closing the database would write the log into it: it is put back as it was.
        database = store.read_bytes()
    store.write_bytes(database)
    return log, index


@pytest.mark.parametrize("index", ["none", "its own", "zeros", "a half one"])
@pytest.mark.parametrize(
    "log", ["whole", "empty", "noise", "header only", "first page torn", "two logs' ages"]
)
def test_what_a_dead_client_left_is_neither_rebuilt_nor_taken_away(store: Path, log: str, index: str) -> None:
    whole, own = _log(store)
    flipped = bytearray(whole)
    flipped[200] ^= 0xFF
    made = {
        "whole": whole,
        "empty": b"",
        "noise": random.Random(7).randbytes(9000),
        "header only": whole[:32],
        "first page torn": bytes(flipped),
        "two logs' ages": whole[:16] + bytes(8) + whole[24:],
    }
    indexes = {"its own": own, "zeros": bytes(len(own)), "a half one": own[:300]}
    Path(f"{store}-wal").write_bytes(made[log])
    if index in indexes:
        Path(f"{store}-shm").write_bytes(indexes[index])
    before = {path.name: path.read_bytes() for path in store.parent.iterdir() if path.is_file()}
    found = every(readers.read(store))
    assert {path.name: path.read_bytes() for path in store.parent.iterdir() if path.is_file()} == before
    assert len(found) == 10
    texts = [p.text.head for s in found.values() for m in s.messages for p in m.texts()]
    assert ("the last words" in texts) == (log == "whole")
    damaged = [gap.reason for s in found.values() for gap in s.all_gaps() if "-wal" in gap.reason]
    assert bool(damaged) == (log in ("noise", "first page torn", "two logs' ages"))


def test_a_log_that_may_not_be_read_is_an_error_and_not_an_older_state(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, _ = _log(store)
    Path(f"{store}-wal").write_bytes(log)

    def refuse(_path: Path) -> bool:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(reader, "holds_transaction", refuse)
    with pytest.raises(ReadError, match="Permission denied"):
        readers.read(store)


def _long(store: Path) -> tuple[Text, str]:
    """A long output of the store as read, and the id of its part."""
    calls = [c for s in every(readers.read(store)).values() for m in s.messages for c in m.calls if c.spilled]
    output = calls[0].output
    assert output is not None
    assert output.long
    with closing(sqlite3.connect(store)) as connection:
        (part,) = connection.execute(
            "SELECT id FROM part WHERE data LIKE ?", (f'%"{calls[0].id}"%',)
        ).fetchone()
    return output, part


def _change(store: Path, statement: str, *values: str) -> None:
    with closing(sqlite3.connect(store)) as connection:
        connection.execute(statement, values)
        connection.commit()


def test_a_long_text_that_has_grown_since_is_the_one_that_was_read(store: Path) -> None:
    output, part = _long(store)
    before = output.whole()
    _change(
        store,
        "UPDATE part SET data = json_set(data, '$.state.output', json_extract(data, '$.state.output') || ?) WHERE id = ?",
        "more",
        part,
    )
    assert output.whole() == before


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE part SET data = json_set(data, '$.state.output', 'cleared') WHERE id = ?",
        "UPDATE part SET data = '{' WHERE id = ?",
        "DELETE FROM part WHERE id = ?",
    ],
)
def test_a_long_text_that_the_client_took_away_is_said_to_be_gone(store: Path, statement: str) -> None:
    output, part = _long(store)
    _change(store, statement, part)
    assert output.whole() == (
        f"[the log no longer holds this text of {output.length} characters as it was when it was first read]"
    )


def test_a_spilled_output_that_was_cleared_away_is_said_to_be_gone(store: Path) -> None:
    calls = [
        c for s in every(readers.read(store)).values() for m in s.messages for c in m.calls if c.full_output
    ]
    full = calls[0].full_output
    assert full is not None
    shutil.rmtree(store.parent / "tool-output")
    assert full.whole().startswith("[the log no longer holds this text")


def test_a_copy_without_its_log_says_where_the_sessions_may_be(store: Path) -> None:
    _change(store, "DELETE FROM part")
    _change(store, "DELETE FROM message")
    _change(store, "DELETE FROM session")
    with pytest.raises(ReadError, match=r"holds no session.*-wal"):
        readers.read(store)


@pytest.mark.parametrize("table", ["part", "message"])
def test_a_database_that_lost_a_table_is_still_recognised(store: Path, table: str) -> None:
    _change(store, f"DROP TABLE {table}")
    with pytest.raises(ReadError, match=f"^opencode.db: it has no table `{table}`"):
        readers.read(store)


def test_an_error_quotes_no_bytes_of_a_broken_schema(store: Path) -> None:
    blob = bytearray(store.read_bytes())
    blob[56:60] = bytes([0, 0, 0, 3])
    store.write_bytes(blob)
    with pytest.raises(ReadError) as caught:
        readers.read(store)
    assert str(caught.value).isascii()


@pytest.mark.parametrize("damage", ["cut short", "torn later", "older remains behind it"])
def test_a_log_that_breaks_off_is_told(store: Path, damage: str) -> None:
    with closing(open_wal(store)) as client:
        add_part(client, "first", 1)
        whole = len(Path(f"{store}-wal").read_bytes())
        add_part(client, "second", 2)
        log, database = bytearray(Path(f"{store}-wal").read_bytes()), store.read_bytes()
    store.write_bytes(database)
    if damage == "cut short":
        del log[whole + 100 :]
    elif damage == "torn later":
        log[whole + 200] ^= 1
    else:
        log[whole + 8 : whole + 16] = bytes(8)
    Path(f"{store}-wal").write_bytes(log)
    found = every(readers.read(store))
    texts = [p.text.head for s in found.values() for m in s.messages for p in m.texts()]
    assert "first" in texts
    assert "second" not in texts
    told = [gap for session in found.values() for gap in session.gaps if "-wal" in gap.reason]
    assert bool(told) == (damage != "older remains behind it")
