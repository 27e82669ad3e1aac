"""``sessionlens sessions``, and session ids as sources."""

import json
import os
import shutil
import sqlite3
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def nobodys_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home without stores, whatever the machine has."""
    for name in ("XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "LOCALAPPDATA", "APPDATA"):
        monkeypatch.delenv(name, raising=False)
    # The scanner of secrets keeps its compiled rules there; compiling them takes seconds.
    monkeypatch.setenv("XDG_CACHE_HOME", os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return tmp_path / "home"


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


def test_times_are_those_of_an_audit(run, store: Path):
    first = json.loads(run("sessions", "--json").out)[0]
    assert (first["created"], first["updated"]) == ("2026-01-05T09:00:01.000Z", "2026-01-05T09:00:01.000Z")
    unknown = sqlite3.connect(store / "opencode.db")
    unknown.execute("update session set time_created = null, time_updated = null where id = 'ses_older1'")
    unknown.execute(
        "update message set time_created = null, time_updated = null where session_id = 'ses_older1'"
    )
    unknown.commit()
    unknown.close()
    (row,) = (row for row in json.loads(run("sessions", "--json").out) if row["id"] == "ses_older1")
    assert row["created"] is None


def test_sessions_of_all_clients(run, store: Path, nobodys_home: Path, fixtures: Path):
    shutil.copytree(fixtures / "claude_code" / "project", nobodys_home / ".claude" / "projects" / "-shop")
    shutil.copytree(fixtures / "codex" / "sessions", nobodys_home / ".codex" / "sessions")
    done = run("sessions")
    assert (done.code, done.err) == (0, "")
    head, *rows = done.out.splitlines()
    assert head.split()[:2] == ["session", "client"]
    claude, codex = "5e55a000-0000-4000-8000-000000000001", "019f0000-0000-7000-8000-000000000001"
    assert [tuple(row.split()[:2]) for row in rows] == [
        (codex, "codex"),
        (codex[:-1] + "2", "codex"),
        (claude, "claude-code"),
        ("agent-a1b2c3d", "claude-code"),
        ("ses_parent1", "opencode"),
        ("ses_child1", "opencode"),
        ("ses_older1", "opencode"),
    ]
    assert rows[1].startswith("  ")
    assert "2026-03-02 10:00:04" in rows[2]
    assert [row["client"] for row in json.loads(run("sessions", "--json", "--limit", 2).out)] == [
        "codex",
        "codex",
        "claude-code",
        "claude-code",
    ]
    assert run("audit", "latest", claude, "-o", "all.json", "-q").code == 0
    audits = json.loads(Path("all.json").read_text("utf-8"))["audits"]
    assert [one["session"]["id"] for one in audits] == [codex, claude]
    assert run("audit", claude, "-q").code == 0
    assert Path(f"{claude}.audit.html").exists()
    only = run("sessions", "--store", nobodys_home / ".codex")
    assert len(only.out.splitlines()) == 3
    nobody = run("audit", "00000000-0000-4000-8000-000000000000")
    assert nobody.code == 3
    assert "no local store holds this session" in nobody.err


def test_a_list_is_without_secrets(run, store: Path, nobodys_home: Path, fixtures: Path):
    token = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
    base = sqlite3.connect(store / "opencode.db")
    base.execute("update session set title = ? where id = 'ses_older1'", (f"deploy with {token}",))
    base.commit()
    base.close()
    shutil.copytree(fixtures / "claude_code" / "project", nobodys_home / ".claude" / "projects" / "-shop")
    (log,) = (nobodys_home / ".claude" / "projects" / "-shop").glob("*.jsonl")
    log.write_text(
        log.read_text("utf-8").replace("have somebody restart", f"use {token} to restart"), "utf-8"
    )
    for form in ((), ("--json",)):
        shown = run("sessions", *form)
        assert (shown.code, token in shown.out) == (0, False)
        assert "deploy with" in shown.out
        assert "to restart search" in shown.out
        assert run("sessions", "--no-redact", *form).out.count(token) == 2


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


def test_a_page_for_many_sessions_is_refused_before_any_is_judged(
    run, store: Path, monkeypatch: pytest.MonkeyPatch
):
    from sessionlens.cli import work

    judged = []
    judge = work._audited
    monkeypatch.setattr(
        work, "_audited", lambda *args, **known: judged.append(args[2].id) or judge(*args, **known)
    )
    done = run("audit", store, "-o", "one.html")
    assert done.code == 2
    assert (
        done.err == "error: one.html: holds one session, and 2 were read; give a folder, or .json or .sarif\n"
    )
    assert not judged
    assert run("audit", "ses_older1", "nowhere", "ses_parent1", "ses_child1", "-o", "one.html").code == 2
    assert judged == ["ses_older1", "ses_parent1"]
    assert not Path("one.html").exists()
    # Another place can hold them: that one is written.
    done = run("audit", store, "-o", "one.html", "-o", "all.json")
    assert done.code == 2
    assert len(json.loads(Path("all.json").read_text("utf-8"))["audits"]) == 2


def test_no_store_at_all(run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "empty"))
    monkeypatch.delenv("OPENCODE_DB", raising=False)
    done = run("sessions")
    assert (done.code, done.out) == (0, "")
    assert "no store of opencode, Claude Code or Codex on this machine" in done.err
    assert run("audit", "latest").code == 3


def test_sessions_of_one_source_are_told_apart(run, store: Path):
    done = run("audit", store, "-o", "pages/")
    assert done.code == 0
    heads = [line for line in done.err.splitlines() if "message" in line]
    assert sorted(head.split(":")[0] for head in heads) == ["opencode ses_older1", "opencode ses_parent1"]
    index = Path("pages/index.html").read_text("utf-8")
    assert "ses_older1.audit.html" in index
    assert "ses_parent1.audit.html" in index
