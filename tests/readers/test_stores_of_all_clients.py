"""The local stores of Claude Code and Codex beside opencode's: listed together, found by id, ``latest`` over all."""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sessionlens import readers
from sessionlens.readers import ReadError, stores

sys.path.insert(0, str(Path(__file__).parent))

import claude_lines
import codex_lines

FIXTURES = Path(__file__).parents[2] / "fixtures"
CLAUDE = "5e55a000-0000-4000-8000-000000000001"
AGENT = "agent-a1b2c3d"
CODEX = "019f0000-0000-7000-8000-000000000001"
CODEX_CHILD = "019f0000-0000-7000-8000-000000000002"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with a store of each client."""
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "OPENCODE_DB", "LOCALAPPDATA", "APPDATA", "USERPROFILE",
                 "CLAUDE_CONFIG_DIR", "CODEX_HOME"):  # fmt: skip
        monkeypatch.delenv(name, raising=False)
    home = tmp_path / "home"
    # The scanner of secrets keeps its compiled rules there; compiling them takes seconds.
    monkeypatch.setenv("XDG_CACHE_HOME", os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache"))
    monkeypatch.setenv("HOME", str(home))
    shutil.copytree(FIXTURES / "opencode_db" / "1.14.41", home / ".local/share/opencode")
    shutil.copytree(FIXTURES / "claude_code" / "project", home / ".claude/projects/-home-op-shop")
    shutil.copytree(FIXTURES / "codex" / "sessions", home / ".codex/sessions")
    return home


def claude_file(home: Path) -> Path:
    return home / ".claude/projects/-home-op-shop" / f"{CLAUDE}.jsonl"


def codex_file(home: Path, session: str = CODEX) -> Path:
    (path,) = (home / ".codex/sessions").rglob(f"rollout-*{session}.jsonl")
    return path


def stamped(path: Path, time: str) -> dict[str, Any]:
    """The last timed line of a log as if it were of another time."""
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return next(line for line in reversed(lines) if "timestamp" in line) | {"timestamp": time}


def append(path: Path, *lines: dict[str, Any], half: bool = False) -> None:
    data = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    with path.open("ab") as file:
        file.write(data[: len(data) // 2] if half else data)


def by_id() -> dict[str, stores.Listed]:
    return {one.id: one for one in stores.sessions()}


def test_all_clients_are_listed_newest_first(home: Path) -> None:
    assert [(store.client, store.shown) for store in stores.local()] == [
        ("opencode", "~/.local/share/opencode"),
        ("claude-code", "~/.claude/projects"),
        ("codex", "~/.codex/sessions"),
    ]
    listed = stores.sessions()
    assert len(listed) == 14
    tops = [one for one in listed if one.depth == 0]
    assert [one.updated for one in tops] == sorted((one.updated or 0 for one in tops), reverse=True)
    assert [(one.id, one.client, one.depth) for one in listed[-4:]] == [
        (CODEX, "codex", 0),
        (CODEX_CHILD, "codex", 1),
        (CLAUDE, "claude-code", 0),
        (AGENT, "claude-code", 1),
    ]
    for one in listed:
        (session,) = readers.read(one.id)
        calls = [call for message in session.messages for call in message.calls]
        assert (session.id, session.client) == (one.id, one.client)
        assert (len(session.messages), len(calls)) == (one.messages, one.calls)
    assert by_id()[CLAUDE].size == claude_file(home).stat().st_size
    assert by_id()[CLAUDE].store == "-home-op-shop"
    assert by_id()[AGENT].store == f"-home-op-shop/{CLAUDE}/subagents"
    assert by_id()[CODEX].store == "2026/06/26"


def test_ids_in_capitals_and_children_with_their_session(home: Path) -> None:
    (session,) = readers.read(CLAUDE.upper())
    assert (session.id, len(session.children)) == (CLAUDE, 1)
    (session,) = readers.read(CODEX)
    assert [child.id for child in session.children] == [CODEX_CHILD]
    (child,) = readers.read(CODEX_CHILD)
    assert child.parent == CODEX
    (child,) = readers.read(AGENT)
    assert child.parent == CLAUDE
    claude_file(home).unlink()
    (orphan,) = readers.read(AGENT)
    assert (orphan.id, by_id()[AGENT].depth) == (AGENT, 0)
    nobody = "00000000-0000-4000-8000-000000000000"
    with pytest.raises(
        ReadError, match=rf"^{nobody}: no local store holds this session .*~/\.codex/sessions"
    ):
        readers.read(nobody)


def test_subagents_beside_their_sessions_as_before_2_1(home: Path) -> None:
    inner = claude_file(home).with_suffix("") / "subagents"
    (inner / f"{AGENT}.jsonl").rename(claude_file(home).with_name(f"{AGENT}.jsonl"))
    shutil.copyfile(claude_file(home).with_name(f"{AGENT}.jsonl"), inner / "agent-acompact-1.jsonl")
    listed = stores.sessions()
    assert [(one.id, one.depth) for one in listed[-2:]] == [(CLAUDE, 0), (AGENT, 1)]
    assert len(listed) == 14, "requests that the client makes for itself are no sessions"
    append(
        claude_file(home).with_name(f"{AGENT}.jsonl"), stamped(claude_file(home), "2027-01-01T00:00:00.000Z")
    )
    assert readers.read("latest")[0].id == CLAUDE


def test_a_file_of_that_name_goes_before_the_store(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(home)
    shutil.copyfile(FIXTURES / "codex" / "steps.jsonl", home / CLAUDE)
    assert readers.read(CLAUDE)[0].client == "codex"


def test_latest_is_the_newest_of_all_clients(home: Path) -> None:
    assert readers.read("latest")[0].client == "opencode"
    append(claude_file(home), stamped(claude_file(home), "2027-01-01T00:00:00.000Z"))
    assert readers.read("latest")[0].id == CLAUDE
    # A child's activity counts for its parent.
    child = codex_file(home, CODEX_CHILD)
    append(child, stamped(child, "2027-01-02T00:00:00.000Z"))
    assert readers.read("latest")[0].id == CODEX
    assert [one.id for one in stores.sessions(limit=1)] == [CODEX, CODEX_CHILD]


@pytest.mark.parametrize("file", [claude_file, codex_file])
def test_a_log_that_is_being_written_is_read(home: Path, file: Callable[[Path], Path]) -> None:
    path = file(home)
    before = {one.id: one for one in stores.sessions()}
    append(path, stamped(path, "2027-01-01T00:00:00.000Z"), half=True)
    assert {key: (one.updated, one.calls) for key, one in by_id().items()} == {
        key: (one.updated, one.calls) for key, one in before.items()
    }
    key = CLAUDE if file is claude_file else CODEX
    (session,) = readers.read(key)
    assert session.truncated or session.gaps


@pytest.mark.parametrize("file", [claude_file, codex_file])
def test_a_last_line_longer_than_what_is_looked_at_tells_the_last_activity(
    home: Path, file: Callable[[Path], Path]
) -> None:
    path = file(home)
    long = stamped(path, "2027-01-01T00:00:00.000Z") | {"padding": "x" * 700_000}
    append(path, {"type": "note"}, long, {"type": "note"})
    key = CLAUDE if file is claude_file else CODEX
    assert stores.sessions(count=False)[0].id == key
    assert readers.read("latest")[0].id == key


def test_a_resumed_session_names_the_one_it_repeats(home: Path) -> None:
    origin = claude_file(home)
    resumed = "6e55a000-0000-4000-8000-000000000001"
    copied = origin.read_text("utf-8").replace(CLAUDE, resumed)
    copy = origin.with_name(f"{resumed}.jsonl")
    copy.write_text(copied, "utf-8")
    append(copy, stamped(copy, "2026-03-03T00:00:00.000Z") | {"uuid": "new"})
    listed = by_id()
    assert (listed[resumed].forked_from, listed[CLAUDE].forked_from) == (CLAUDE, None)


def test_a_fork_names_what_its_log_says(home: Path, run: Callable[..., Any]) -> None:
    lines = [json.loads(line) for line in claude_file(home).read_text("utf-8").splitlines()]
    branch = "7e55a000-0000-4000-8000-000000000001"
    named = [
        line | {"sessionId": branch, "forkedFrom": {"sessionId": CLAUDE, "messageUuid": line["uuid"]}}
        for line in lines
    ]
    append(claude_file(home).with_name(f"{branch}.jsonl"), *named)
    fork = "029f0000-0000-7000-8000-000000000001"
    meta, *rest = [json.loads(line) for line in codex_file(home).read_text("utf-8").splitlines()]
    meta["payload"] |= {"id": fork, "forked_from_id": CODEX}
    append(codex_file(home).with_name(f"rollout-2026-06-27T00-00-00-{fork}.jsonl"), meta, *rest)
    listed = by_id()
    assert {key: one.forked_from for key, one in listed.items() if one.forked_from} == {
        branch: CLAUDE,
        fork: CODEX,
    }
    rows = {row.split()[0]: row for row in run("sessions").out.splitlines()}
    assert rows[fork].endswith(f"(fork of {CODEX})")
    assert rows[branch].endswith(f"(fork of {CLAUDE})")


def test_titles_as_the_session_has_them(home: Path) -> None:
    append(claude_file(home), {"type": "ai-title", "aiTitle": "Made up", "sessionId": CLAUDE})
    assert by_id()[CLAUDE].title == readers.read(CLAUDE)[0].title == "Made up"
    append(claude_file(home), {"type": "custom-title", "customTitle": "Search", "sessionId": CLAUDE})
    append(claude_file(home), {"type": "ai-title", "aiTitle": "Made up again", "sessionId": CLAUDE})
    assert by_id()[CLAUDE].title == readers.read(CLAUDE)[0].title == "Search"
    renamed = {"type": "event_msg", "payload": {"type": "thread_name_updated", "thread_name": "Restart"}}
    append(codex_file(home), {"timestamp": "2026-06-26T12:00:30.000Z", **renamed})
    assert by_id()[CODEX].title == readers.read(CODEX)[0].title == "Restart"


def test_without_a_title_the_list_shows_what_was_asked_first(home: Path) -> None:
    listed = by_id()
    assert {key: listed[key].asked for key in (CLAUDE, CODEX)} == {
        CLAUDE: "have somebody restart search",
        CODEX: "let an agent restart search",
    }
    append(claude_file(home), {"type": "custom-title", "customTitle": "Search", "sessionId": CLAUDE})
    assert by_id()[CLAUDE].asked is None


def test_the_environment_moves_the_stores(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / ".claude").rename(home / "moved")
    (home / ".codex").rename(home / "codex")
    assert {store.client for store in stores.local()} == {"opencode"}
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home / "moved"))
    monkeypatch.setenv("CODEX_HOME", str(home / "codex"))
    assert {one.client for one in stores.sessions()} == {"opencode", "claude-code", "codex"}


@pytest.mark.parametrize(
    ("place", "ids"),
    [
        (".claude", {CLAUDE, AGENT}),
        (".claude/projects", {CLAUDE, AGENT}),
        (".claude/projects/-home-op-shop", {CLAUDE, AGENT}),
        (".codex", {CODEX, CODEX_CHILD}),
        (".codex/sessions", {CODEX, CODEX_CHILD}),
        (".codex/sessions/2026/06/26", {CODEX, CODEX_CHILD}),
    ],
)
def test_a_store_given_by_its_path(home: Path, place: str, ids: set[str]) -> None:
    # What else lies in a client's folder is no reason to refuse it.
    (home / ".codex/config.toml").write_text("")
    (home / ".claude/something-new").mkdir()
    (home / ".claude/projects/-home-op-shop/notes.txt").write_text("x")
    assert {one.id for one in stores.sessions([stores.at(home / place)])} == ids


def test_a_folder_that_is_no_store_is_refused(home: Path) -> None:
    (home / "other").mkdir()
    (home / "other" / "a.jsonl").write_text('{"role": "user", "content": "hi"}\n')
    with pytest.raises(ReadError, match="no store of opencode, Claude Code or Codex in this folder"):
        stores.at(home / "other")


def tree(home: Path) -> Iterator[tuple[str, int, int]]:
    for base, folders, files in os.walk(home):
        for name in sorted(folders + files):
            found = Path(base, name).stat()
            yield str(Path(base, name)), found.st_size, found.st_mtime_ns


def test_credentials_are_never_opened_and_nothing_is_written(home: Path) -> None:
    secret = [home / ".claude/.credentials.json", home / ".claude.json", home / ".codex/auth.json"]
    for path in secret:
        path.write_text(json.dumps({"token": "secret"}))
    before = sorted(tree(home))
    opened: set[str] = set()
    watching = [True]

    def watch(event: str, arguments: tuple[object, ...]) -> None:
        if watching and event == "open" and isinstance(arguments[0], (str, os.PathLike)):
            opened.add(Path(arguments[0]).name)

    sys.addaudithook(watch)
    stores.sessions()
    for spec in ("latest", CLAUDE, CODEX):
        readers.read(spec)
    stores.at(home / ".claude")
    stores.at(home / ".codex")
    watching.clear()
    assert f"{CLAUDE}.jsonl" in opened
    assert not opened & {path.name for path in secret}
    assert sorted(tree(home)) == before


def test_damaged_logs_are_listed_as_far_as_they_can_be(home: Path) -> None:
    broken = "8e55a000-0000-4000-8000-000000000001"
    lines = claude_lines.split_message().data().splitlines()
    damaged = b"\n".join(
        [lines[0][:40], b"\xff\xfe\x00{", *lines[1:], b'{"type": "assistant", "timestamp": 5']
    )
    claude_file(home).with_name(f"{broken}.jsonl").write_bytes(damaged)
    claude_file(home).with_name("notes-only.jsonl").write_bytes(b'{"type":"summary","summary":"x"}\n')
    claude_file(home).with_name("empty.jsonl").write_bytes(b"")
    rollout = "099f0000-0000-7000-8000-000000000001"
    data = codex_lines.running_on().data().splitlines()
    data[0] = b'{"timestamp":"2026-01-01T00:00:00Z","type":"session_meta","payload":[1,"\xff\\ud800"]}'
    codex_file(home).with_name(f"rollout-2026-06-26T13-00-00-{rollout}.jsonl").write_bytes(b"\n".join(data))
    listed = by_id()
    assert set(listed) >= {broken, rollout, CLAUDE, CODEX}
    assert not set(listed) & {"notes-only", "empty"}
    assert readers.read(broken)[0].messages


def test_logs_beyond_what_a_list_may_read_are_not_counted(
    home: Path, monkeypatch: pytest.MonkeyPatch, run: Callable[..., Any]
) -> None:
    monkeypatch.setattr(stores, "_COUNTED_AT_MOST", codex_file(home).stat().st_size)
    listed = by_id()
    assert listed[CODEX].messages == 5
    assert (listed[CLAUDE].messages, listed[CLAUDE].size) == (None, claude_file(home).stat().st_size)
    assert listed[stores.sessions()[0].id].messages == 2
    told = run("sessions")
    assert "? was not counted" in told.err
    assert run("sessions", "--limit", 100).err == ""
    assert all(one.messages is not None for one in stores.sessions(limit=100))


@pytest.mark.slow
def test_a_thousand_sessions_of_100_megabytes_are_listed_in_three_seconds(home: Path) -> None:
    first, *rest = claude_file(home).read_bytes().splitlines(keepends=True)
    said = json.loads(rest[-1])
    said["message"]["content"] = [{"type": "text", "text": "a line of output\n" * 60}]
    for number in range(1000):
        key = f"{number:08x}-0000-4000-8000-000000000000"
        path = home / f".claude/projects/-p{number % 20}" / f"{key}.jsonl"
        path.parent.mkdir(exist_ok=True)
        more = (json.dumps(said | {"uuid": f"{number}-{line}"}).encode() + b"\n" for line in range(70))
        path.write_bytes(b"".join((first, *more)).replace(CLAUDE.encode(), key.encode()))
    begun = time.process_time()
    listed = stores.sessions()
    assert time.process_time() - begun < 3
    assert len(listed) == 1014
    assert sum(one.size or 0 for one in listed) > 100_000_000
    assert all(one.messages for one in listed)
