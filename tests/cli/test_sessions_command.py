"""``sessionlens sessions``, and session ids as sources."""

import json
import sqlite3
from pathlib import Path

import pytest


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder of opencode with a parent, its child and an older session."""
    data = tmp_path / "data" / "opencode"
    data.mkdir(parents=True)
    base = sqlite3.connect(data / "opencode.db")
    base.executescript(
        "create table session (id text primary key, project_id text, parent_id text, slug text, directory text,"
        " title text, version text, time_created integer, time_updated integer);"
        "create table message (id text primary key, session_id text, time_created integer, time_updated integer,"
        " data text);"
        "create table part (id text primary key, message_id text, session_id text, time_created integer,"
        " time_updated integer, data text);"
    )
    for number, (key, parent, title) in enumerate(
        (
            ("ses_older1", None, "older"),
            ("ses_parent1", None, "work\x1b[2J"),
            ("ses_child1", "ses_parent1", "sub"),
        )
    ):
        at = 1_767_603_600_000 + number * 1000
        base.execute(
            "insert into session values (?, 'p', ?, 's', '/d', ?, '1.18.33', ?, ?)",
            (key, parent, title, at, at),
        )
        message = {"role": "user", "time": {"created": at}}
        base.execute(
            "insert into message values (?, ?, ?, ?, ?)", (f"msg_{key}", key, at, at, json.dumps(message))
        )
        part = {"type": "text", "text": f"hello {key}"}
        base.execute(
            "insert into part values (?, ?, ?, ?, ?, ?)",
            (f"prt_{key}", f"msg_{key}", key, at, at, json.dumps(part)),
        )
    base.commit()
    base.close()
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.delenv("OPENCODE_DB", raising=False)
    return data


def test_newest_first_with_children_under_their_parents(run, store: Path):
    done = run("sessions")
    assert (done.code, done.err) == (0, "")
    head, *rows = done.out.splitlines()
    assert head.split()[0] == "session"
    assert [row.split()[0] for row in rows] == ["ses_parent1", "ses_child1", "ses_older1"]
    assert rows[1].startswith("  ses_child1")
    assert "2026-01-05 09:00:01" in rows[0]
    assert "\x1b" not in done.out
    assert len(run("sessions", "--limit", 1).out.splitlines()) == 3


def test_json_and_another_store(run, store: Path):
    rows = json.loads(run("sessions", "--json").out)
    assert [(row["id"], row["depth"], row["messages"]) for row in rows] == [
        ("ses_parent1", 0, 1),
        ("ses_child1", 1, 1),
        ("ses_older1", 0, 1),
    ]
    assert run("sessions", "--store", store / "opencode.db", "--json").out == run("sessions", "--json").out
    nowhere = run("sessions", "--store", "nowhere")
    assert nowhere.code == 3
    assert "nowhere: no such file or folder" in nowhere.err


def test_a_session_of_the_store_is_a_source(run, store: Path):
    assert "hello ses_older1" in run("show", "ses_older1").out
    assert "session ses_parent1" in run("show", "latest").out
    done = run("audit", "ses_older1", "latest", "-o", "all.json", "-q")
    assert done.code == 0
    audits = json.loads(Path("all.json").read_text("utf-8"))["audits"]
    assert [one["session"]["id"] for one in audits] == ["ses_older1", "ses_parent1"]
    assert run("audit", "ses_older1", "-q").code == 0
    assert Path("ses_older1.audit.html").exists()
    assert run("show", "ses_nobody1").code == 3


def test_no_store_at_all(run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "empty"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("OPENCODE_DB", raising=False)
    done = run("sessions")
    assert (done.code, done.out) == (0, "")
    assert "no store of opencode on this machine" in done.err
    assert run("audit", "latest").code == 3


def test_sessions_of_one_source_are_told_apart(run, store: Path):
    done = run("audit", store, "-o", "pages/")
    assert done.code == 0
    heads = [line for line in done.err.splitlines() if "message" in line]
    assert sorted(head.split(":")[0] for head in heads) == ["opencode ses_older1", "opencode ses_parent1"]
    index = Path("pages/index.html").read_text("utf-8")
    assert "ses_older1.audit.html" in index
    assert "ses_parent1.audit.html" in index
