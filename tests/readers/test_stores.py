"""The local stores: where they are looked for, what is listed, ``ses_…`` and ``latest``."""

from __future__ import annotations

import json
import shutil
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from sessionlens import readers
from sessionlens.readers import ReadError, stores

FIXTURES = Path(__file__).parents[2] / "fixtures"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "OPENCODE_DB", "LOCALAPPDATA", "APPDATA", "USERPROFILE",
                 "CLAUDE_CONFIG_DIR", "CODEX_HOME"):  # fmt: skip
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def put(folder: Path) -> Path:
    folder.parent.mkdir(parents=True, exist_ok=True)
    shutil.copytree(FIXTURES / "opencode_db" / "1.14.41", folder)
    return folder


def test_the_places_of_each_system(home: Path) -> None:
    assert stores.local() == []
    put(home / ".local/share/opencode")
    assert [store.shown for store in stores.local()] == ["~/.local/share/opencode"]
    put(home / "Library/Application Support/opencode")
    assert len(stores.local()) == 2
    windows = {"USERPROFILE": str(home), "LOCALAPPDATA": str(home / "AppData" / "Local")}
    put(home / "AppData/Local/opencode")
    assert len(stores.local(windows)) == 3


def test_the_environment_names_other_places(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(home / ".local/share/opencode")
    other = put(home / "data/opencode")
    monkeypatch.setenv("XDG_DATA_HOME", str(home / "data"))
    assert [store.path for store in stores.local()] == [other]
    elsewhere = home / "elsewhere.db"
    shutil.copyfile(other / "opencode.db", elsewhere)
    monkeypatch.setenv("OPENCODE_DB", str(elsewhere))
    assert [store.path for store in stores.local()] == [elsewhere, other]
    monkeypatch.setenv("OPENCODE_DB", "opencode.db")
    assert stores.local()[0].path == other / "opencode.db"
    assert len(stores.sessions()) == 10


def test_newest_first_and_children_under_parents(home: Path) -> None:
    put(home / ".local/share/opencode")
    listed = stores.sessions()
    assert len(listed) == 10
    tops = [one for one in listed if one.depth == 0]
    assert [one.updated for one in tops] == sorted((one.updated or 0 for one in tops), reverse=True)
    (child,) = [one for one in listed if one.depth == 1]
    assert listed[listed.index(child) - 1].id == child.parent
    assert sum(one.cut_offs or 0 for one in listed) == 2
    assert all(one.size and one.messages and one.store == "opencode.db" for one in listed)
    assert [one.id for one in stores.sessions(limit=2)] == [
        one.id for one in listed[: len(stores.sessions(limit=2))]
    ]
    assert stores.sessions(count=False)[0].calls is None


def test_an_id_and_latest_are_sources(home: Path) -> None:
    put(home / ".local/share/opencode")
    listed = stores.sessions()
    (latest,) = readers.read("latest")
    assert latest.id == listed[0].id
    for one in listed:
        (session,) = readers.read(one.id)
        assert session.id == one.id
        calls = [call for message in session.messages for call in message.calls]
        assert (len(session.messages), len(calls)) == (one.messages, one.calls)
    with pytest.raises(
        ReadError, match=r"ses_nowhere: no local store holds this session \(~/.local/share/opencode\)"
    ):
        readers.read("ses_nowhere")


def test_a_child_that_is_active_moves_its_parent_up(home: Path) -> None:
    folder = put(home / ".local/share/opencode")
    (child,) = [one for one in stores.sessions() if one.depth == 1]
    with closing(sqlite3.connect(folder / "opencode.db")) as connection:
        connection.execute("UPDATE session SET time_updated = 9000000000000 WHERE id = ?", (child.id,))
        connection.commit()
    assert [one.id for one in stores.sessions()[:2]] == [child.parent, child.id]
    assert readers.read("latest")[0].id == child.parent


def test_the_steps_of_0_5_are_counted(home: Path) -> None:
    shutil.copytree(FIXTURES / "opencode_tree" / "0.5.29", home / ".local/share/opencode")
    listed = stores.sessions()
    for one in listed:
        (session,) = readers.read(one.id)
        assert len(session.messages) == one.messages
    assert sum(one.cut_offs or 0 for one in listed) == 1


def test_without_a_store_the_error_says_where_was_looked(home: Path) -> None:
    with pytest.raises(ReadError, match="XDG_DATA_HOME, OPENCODE_DB"):
        readers.read("latest")


def test_a_broken_store_is_told_when_it_is_the_only_one(home: Path) -> None:
    folder = home / ".local/share/opencode"
    folder.mkdir(parents=True)
    (folder / "opencode.db").write_bytes(b"SQLite format 3\x00" + b"x" * 9000)
    with pytest.raises(ReadError, match=r"opencode\.db: the database cannot be read"):
        stores.sessions()
    with pytest.raises(ReadError, match=r"opencode\.db: the database cannot be read"):
        readers.read("latest")
    shutil.copytree(FIXTURES / "opencode_tree" / "1.0.0", folder, dirs_exist_ok=True)
    assert len(stores.sessions()) == 3


def test_files_with_credentials_are_never_opened(home: Path) -> None:
    folder = put(home / ".local/share/opencode")
    (folder / "auth.json").write_text(json.dumps({"provider": {"type": "api", "key": "sk-secret"}}))
    opened: list[str] = []
    watching = [True]

    def watch(event: str, arguments: tuple[object, ...]) -> None:
        if watching and event == "open" and isinstance(arguments[0], str):
            opened.append(Path(arguments[0]).name)

    sys.addaudithook(watch)
    stores.sessions()
    readers.read(folder)
    readers.read("latest")
    watching.clear()
    assert "opencode.db" in opened
    assert "auth.json" not in opened


def test_a_store_given_by_its_path(home: Path) -> None:
    folder = put(home / "copy")
    assert len(stores.sessions([stores.at(folder)])) == 10
    assert len(stores.sessions([stores.at(folder / "opencode.db")])) == 10
    with pytest.raises(ReadError, match="no store of opencode"):
        stores.at(home / "copy" / "tool-output")


def test_a_session_that_was_looked_up_is_narrowed_to_a_child_or_nothing(home: Path) -> None:
    put(home / ".local/share/opencode")
    listed = stores.sessions()
    (child,) = [one for one in listed if one.parent]
    assert child.parent is not None
    (found,) = readers.read(child.parent, session=child.id)
    assert found.id == child.id
    with pytest.raises(ReadError, match=f"^{child.id}: it holds no session {child.parent}"):
        readers.read(child.id, session=child.parent)
    with pytest.raises(ReadError, match=r"^latest: it holds no session ses_other"):
        readers.read("latest", session="ses_other")


def test_forks_name_their_origin(home: Path) -> None:
    folder = put(home / ".local/share/opencode")
    with closing(sqlite3.connect(folder / "opencode.db")) as connection:
        origin, title = connection.execute(
            "SELECT id, title FROM session WHERE parent_id IS NULL ORDER BY id LIMIT 1"
        ).fetchone()
        fork = "ses_fork00000000000000000000"
        for name, key in (("session", "id"), ("message", "session_id"), ("part", "session_id")):
            columns = [row[1] for row in connection.execute(f"PRAGMA table_info({name})")]
            for row in connection.execute(f"SELECT * FROM {name} WHERE {key} = ?", (origin,)).fetchall():
                values = dict(zip(columns, row, strict=True))
                if name == "session":
                    values.update(id=fork, title=f"{title} (fork #1)")
                else:
                    values.update(id=values["id"][:-4] + "FORK", session_id=fork)
                if name == "part":
                    values["message_id"] = values["message_id"][:-4] + "FORK"
                marks = ",".join("?" * len(columns))
                connection.execute(f"INSERT INTO {name} VALUES ({marks})", list(values.values()))
        connection.execute("UPDATE session SET title = 'Other (fork #1)' WHERE id = ?", (fork,))
        connection.commit()
        assert {one.forked_from for one in stores.sessions()} == {None}, "no session has the title before it"
        connection.execute("UPDATE session SET title = ? WHERE id = ?", (f"{title} (fork #1)", fork))
        connection.commit()
    listed = {one.id: one for one in stores.sessions()}
    assert len(listed) == 11
    assert listed[fork].forked_from == origin
    assert [one.id for one in listed.values() if one.forked_from] == [fork]
    assert {one.forked_from for one in stores.sessions(count=False)} == {None}


def test_a_broken_store_beside_others_is_told(home: Path, run: Callable[..., Any]) -> None:
    folder = put(home / ".local/share/opencode")
    (folder / "opencode-stable.db").write_bytes(b"SQLite format 3\x00" + b"x" * 9000)
    failed: list[ReadError] = []
    assert len(stores.sessions(failed=failed)) == 10
    assert [error.file for error in failed] == ["opencode-stable.db"]
    told = run("sessions")
    assert told.code == 3
    assert told.out.count("ses_") == 10
    assert told.err.startswith("error: opencode-stable.db: the database cannot be read")
    latest = readers.read("latest")[0]
    assert any("opencode-stable.db" in gap.reason for gap in latest.gaps)


def test_a_session_in_the_middle_of_a_turn_is_the_latest(home: Path) -> None:
    folder = put(home / ".local/share/opencode")
    oldest = stores.sessions()[-1]
    late = max(one.updated or 0 for one in stores.sessions()) + 60_000
    with closing(sqlite3.connect(folder / "opencode.db")) as connection:
        indexes = connection.execute("SELECT sql FROM sqlite_master WHERE tbl_name = 'message'").fetchall()
        assert any(sql and "time_created" in sql for (sql,) in indexes[1:])
        connection.execute(
            "INSERT INTO message (id, session_id, time_created, time_updated, data) VALUES (?,?,?,?,?)",
            ("msg_ffff00000000AAAAAAAAAAAAAA", oldest.id, late, late, '{"role": "user"}'),
        )
        connection.commit()
    first = stores.sessions()[0]
    assert (first.id, first.updated) == (oldest.id, late)
    assert readers.read("latest")[0].id == oldest.id
