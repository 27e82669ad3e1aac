"""opencode's trees of JSON files, and data folders that hold several stores."""

from __future__ import annotations

import json
import os
import pickle
import shutil
from pathlib import Path

import msgspec
import pytest

from sessionlens import readers
from sessionlens.model import Call, Session, TextPart, content
from sessionlens.readers import ReadError

FIXTURES = Path(__file__).parents[2] / "fixtures"
TREES = FIXTURES / "opencode_tree"
CORPUS = os.environ.get("SESSIONLENS_CORPUS")


def every(sessions: list[Session]) -> dict[str, Session]:
    return {member.id: member for session in sessions for member in session.family()}


def alone(session: Session) -> object:
    return content(msgspec.structs.replace(session, children=()))


def titled(sessions: list[Session], command: str) -> Session:
    """The session that ran a command with this word."""
    for session in sessions:
        for message in session.messages:
            if any(command in call.input.head for call in message.calls):
                return session
    raise AssertionError(command)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    shutil.copytree(TREES / "1.0.0", tmp_path / "data")
    return tmp_path / "data"


def test_the_tree_of_1_0_tells_what_its_export_tells() -> None:
    found = every(readers.read(TREES / "1.0.0"))
    (export,) = readers.read(FIXTURES / "opencode_export" / "1.0.0_timeout_empty.json")
    assert alone(found[export.id]) == alone(export)
    assert {session.source_format for session in found.values()} == {"opencode-tree"}
    assert len(found) == 3
    (parent,) = [session for session in found.values() if session.children]
    assert parent.children[0].parent == parent.id


def test_a_turn_of_0_5_is_split_into_its_steps() -> None:
    session = titled(readers.read(TREES / "0.5.29"), "restart.sh")
    ids = [message.id for message in session.messages]
    first = ids[1]
    assert ids[1:5] == [first, f"{first}#2", f"{first}#3", f"{first}#4"]
    assert [message.role for message in session.messages] == [
        "user",
        *["assistant"] * 4,
        "user",
        *["assistant"] * 2,
    ]
    assert [message.finish for message in session.messages[1:5]] == [
        "tool-calls",
        "tool-calls",
        "tool-calls",
        "stop",
    ]
    assert [message.index for message in session.messages] == list(range(8))
    times = [message.time for message in session.messages]
    assert None not in times
    assert times == sorted(times, key=lambda moment: moment or 0)
    assert all(
        m.ended is not None and m.time is not None and m.ended >= m.time for m in session.messages[1:5]
    )
    assert session.find(f"{first}#3") is session.messages[3]
    assert session.directory == "/home/dev/0.5.29/shop-api"


def test_0_5_says_nothing_of_a_time_out_and_it_is_known_all_the_same() -> None:
    session = titled(readers.read(TREES / "0.5.29"), "restart.sh")
    (cut,) = [call for message in session.messages for call in message.calls if call.timed_out]
    assert cut.limit_ms == 3000
    assert cut.output is not None
    assert "timeout" not in cut.output.whole()
    empty = session.messages[4]
    assert empty.empty
    assert empty.finish == "stop"
    export = readers.read(FIXTURES / "opencode_export" / "1.18.33_timeout_empty.json")[0]
    shape = [(m.role, m.empty, len(m.calls), m.finish) for m in session.messages]
    assert shape == [(m.role, m.empty, len(m.calls), m.finish) for m in export.messages]


def test_a_stop_in_0_5_is_no_time_out() -> None:
    session = titled(readers.read(TREES / "0.5.29"), "sleep 100")
    (call,) = session.messages[1].calls
    assert call.interrupted
    assert not call.timed_out
    assert session.messages[1].interruption


def test_an_earlier_time_out_of_a_stopped_turn_stays_one(tmp_path: Path) -> None:
    shutil.copytree(TREES / "0.5.29", tmp_path / "data")
    session = titled(readers.read(tmp_path / "data"), "restart.sh")
    (path,) = (tmp_path / "data").rglob(f"message/*/{session.messages[1].id}.json")
    record = json.loads(path.read_text())
    record["error"] = {"name": "MessageAbortedError", "data": {"message": "The operation was aborted."}}
    path.write_text(json.dumps(record))
    session = titled(readers.read(tmp_path / "data"), "restart.sh")
    (cut,) = [
        call for message in session.messages for call in message.calls if call.exit is None and call.limit_ms
    ]
    # It is the last call of the turn, so 2916 of 3000 ms do not tell a time-out from a stop.
    assert cut.interrupted
    parts = path.parents[2] / "part" / session.id / str(session.messages[1].id)
    (bash,) = [part for part in parts.iterdir() if "restart.sh" in part.read_text()]
    later = json.loads(bash.read_text())
    later["id"] = "prt_22a512f80001ENE0w0wgkYNc1q"
    later["state"]["time"] = {"start": 1796006293400, "end": 1796006293410}
    (parts / f"{later['id']}.json").write_text(json.dumps(later))
    session = titled(readers.read(tmp_path / "data"), "restart.sh")
    calls = [call for message in session.messages for call in message.calls if call.name == "bash"]
    assert [call.timed_out for call in calls[:2]] == [True, False]
    assert [call.interrupted for call in calls[:2]] == [False, True]


@pytest.mark.parametrize("inner", ["", "storage"])
def test_the_old_layout_with_the_number_of_its_migrations(inner: str, tmp_path: Path) -> None:
    # As opencode 0.5.29 leaves it: the newer layout keeps a file of that name at the same place.
    shutil.copytree(TREES / "0.5.29/project/home-dev-0-5-29-shop-api", tmp_path / "data")
    (tmp_path / "data/storage/migration").write_text("1")
    found = readers.read(tmp_path / "data" / inner)
    assert all(session.messages for session in found)
    assert titled(found, "restart.sh").messages


@pytest.mark.parametrize("inner", ["project", "project/home-dev-0-5-29-shop-api"])
def test_a_part_of_the_data_folder_will_do(inner: str) -> None:
    whole = readers.read(TREES / "0.5.29")
    assert [content(one) for one in readers.read(TREES / "0.5.29" / inner)] == [content(one) for one in whole]


def test_the_storage_folder_will_do() -> None:
    whole = readers.read(TREES / "1.0.0")
    assert [content(one) for one in readers.read(TREES / "1.0.0" / "storage")] == [
        content(one) for one in whole
    ]


def test_every_part_names_its_file(tree: Path) -> None:
    for session in every(readers.read(tree)).values():
        for message in session.messages:
            assert message.origin.file is not None
            for part in message.parts:
                assert part.origin.file is not None
                assert not part.origin.file.startswith("/")
                record = json.loads((tree / part.origin.file).read_text())
                if isinstance(part, TextPart):
                    assert record["text"] == part.text.whole()


def test_half_and_empty_files_are_gaps(tree: Path) -> None:
    session = titled(readers.read(tree), "restart.sh")
    assert not list(session.all_gaps())
    message = session.messages[1]
    part = tree / str(message.parts[0].origin.file)
    part.write_bytes(part.read_bytes()[:40])
    other = tree / str(session.messages[2].origin.file)
    other.write_bytes(b"")
    (record,) = tree.rglob(f"storage/session/*/{session.id}.json")
    record.write_bytes(record.read_bytes()[:30])
    again = titled(readers.read(tree), "restart.sh")
    gaps = {gap.origin.file: gap.reason for gap in again.all_gaps()}
    assert set(gaps) == {path.relative_to(tree).as_posix() for path in (part, other, record)}
    assert again.id == session.id
    assert len(again.messages) == len(session.messages)
    unknown = again.find(str(session.messages[2].id))
    assert unknown is not None
    assert unknown.role == "unknown"


def test_orphans_are_told(tree: Path) -> None:
    session = titled(readers.read(tree), "restart.sh")
    (tree / str(session.messages[2].origin.file)).unlink()
    again = titled(readers.read(tree), "restart.sh")
    assert [gap.reason for gap in again.gaps] == [
        f"{len(list((tree / 'storage/part' / str(session.messages[2].id)).iterdir()))} parts belong to the message "
        f"{session.messages[2].id}, whose file is missing"
    ]
    (record,) = tree.rglob(f"storage/session/*/{session.id}.json")
    record.unlink()
    again = titled(readers.read(tree), "restart.sh")
    assert any("own record is missing" in gap.reason for gap in again.gaps)


def test_links_in_a_tree_are_not_followed(tree: Path, tmp_path: Path) -> None:
    session = titled(readers.read(tree), "restart.sh")
    part = tree / str(session.messages[0].parts[0].origin.file)
    secret = tmp_path / "secret.json"
    secret.write_text(json.dumps({"type": "text", "text": "a secret"}))
    part.unlink()
    part.symlink_to(secret)
    assert "a secret" not in str(content(titled(readers.read(tree), "restart.sh")))


def test_long_texts_are_read_again(tree: Path) -> None:
    session = titled(readers.read(tree), "restart.sh")
    call = next(call for message in session.messages for call in message.calls if call.name == "bash")
    path = tree / str(call.origin.file)
    record = json.loads(path.read_text())
    record["state"]["output"] = "line ✓\n" * 5000
    path.write_text(json.dumps(record))
    again = pickle.loads(pickle.dumps(titled(readers.read(tree), "restart.sh")))
    (long,) = [
        part.output
        for message in again.messages
        for part in message.parts
        if isinstance(part, Call) and part.output is not None and part.output.long
    ]
    assert long.whole() == "line ✓\n" * 5000


def test_a_migrated_history_counts_once(tmp_path: Path) -> None:
    """A data folder with the database and both trees, as an upgraded client leaves it."""
    data = tmp_path / "opencode"
    shutil.copytree(FIXTURES / "opencode_db" / "1.14.41", data)
    shutil.copytree(TREES / "1.0.0", data, dirs_exist_ok=True)
    shutil.copytree(TREES / "0.5.29", data, dirs_exist_ok=True)
    found = readers.read(data)
    members = every(found)
    assert len(members) == 10 + 3 + 4
    assert len(members) == sum(1 for session in found for _ in session.family())
    # One session of the database is in the tree too, with less in it.
    migrated = next(session for session in members.values() if session.source_format == "opencode-db")
    old = data / "storage" / "session" / "global"
    old.mkdir(parents=True)
    (old / f"{migrated.id}.json").write_text(
        json.dumps({"id": migrated.id, "version": "1.1.65", "title": "old"})
    )
    again = every(readers.read(data))
    assert len(again) == len(members)
    assert content(again[migrated.id]) == content(migrated)


def test_a_broken_database_does_not_hide_the_tree(tree: Path) -> None:
    (tree / "opencode.db").write_bytes(b"SQLite format 3\x00" + b"x" * 5000)
    found = readers.read(tree)
    assert len(every(found)) == 3
    assert all(
        "another store of this folder could not be read: opencode.db" in one.gaps[-1].reason for one in found
    )


def test_several_databases_of_channels(tmp_path: Path) -> None:
    source = FIXTURES / "opencode_db" / "1.14.41" / "opencode.db"
    for name in ("opencode.db", "opencode-stable.db"):
        shutil.copyfile(source, tmp_path / name)
    assert len(every(readers.read(tmp_path))) == 10


def test_an_empty_store_says_so(tmp_path: Path) -> None:
    (tmp_path / "storage" / "session").mkdir(parents=True)
    (tmp_path / "storage" / "message").mkdir()
    with pytest.raises(ReadError, match="holds no session"):
        readers.read(tmp_path)


@pytest.mark.skipif(CORPUS is None, reason="SESSIONLENS_CORPUS is not set")
@pytest.mark.parametrize("store", ["v1.0.0", "v1.1.65", "migrated-1.1.65-to-1.3.2-to-1.18.33"])
def test_every_tree_of_the_corpus_tells_what_its_exports_tell(store: str) -> None:
    root = Path(CORPUS or "") / "opencode"
    found = every(readers.read(root / store))
    exports = root / ("v1.1.65" if store.startswith("migrated") else store)
    compared = 0
    for path in sorted(exports.glob("*/export-ses*.json")):
        (session,) = readers.read(path)
        assert alone(found[session.id]) == alone(session), path.name
        compared += 1
    assert compared == len(found) == 10
