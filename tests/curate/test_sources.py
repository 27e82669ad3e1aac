"""What a run of ``curate`` takes as its sources: a store hides no log that lies beside it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from sessionlens.curate.extract import Order, Problem, Unit, extract
from sessionlens.curate.sources import units

FIXTURES = Path(__file__).parents[2] / "fixtures"
CLAUDE = FIXTURES / "claude_code" / "cut_off.jsonl"
XML = FIXTURES / "transcript_xml" / "hicache_restart.xml"
ROLLOUT = FIXTURES / "codex" / "tools.jsonl"


def put(folder: Path, files: dict[str, Path | str]) -> None:
    for name, log in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(log.read_bytes() if isinstance(log, Path) else log.encode())


def spread(folder: Path) -> tuple[set[str], set[tuple[str, str]]]:
    """Names of the units of a folder, and what else is told of it."""
    found = list(units([str(folder)]))
    names = [unit.names[0] for unit in found if isinstance(unit, Unit) and not unit.ids]
    assert len(names) == len(set(names))
    told = {(one.source, one.kind) for one in found if isinstance(one, Problem)}
    return {unit.names[0] for unit in found if isinstance(unit, Unit)}, told


@pytest.mark.parametrize("store", ["opencode_db/1.14.41", "opencode_tree/1.0.0", "opencode_tree/0.5.29"])
def test_logs_beside_a_store_of_opencode(store: str, tmp_path: Path) -> None:
    data = tmp_path / "data"
    shutil.copytree(FIXTURES / store, data)
    assert spread(data) == ({"data"}, set())
    put(
        data,
        {
            "claude.jsonl": CLAUDE,
            "sub/old.xml": XML,
            "log/rollout.jsonl": ROLLOUT,
            "log/2026-01-01T000000.log": "INFO service=default",
            "auth.json": "{}",
            "snapshot/abc/HEAD": "ref: refs/heads/main",
        },
    )
    names, told = spread(data)
    assert names == {"data", "data/claude.jsonl", "data/sub/old.xml", "data/log/rollout.jsonl"}
    assert told == {("data/log/2026-01-01T000000.log", "passed")}
    # The same below another folder.
    names, _ = spread(tmp_path)
    assert {name.partition("/")[2] for name in names} == {
        "data", "data/claude.jsonl", "data/sub/old.xml", "data/log/rollout.jsonl"
    }  # fmt: skip


def test_a_broken_database_beside_a_tree_is_told(tmp_path: Path) -> None:
    data = tmp_path / "data"
    shutil.copytree(FIXTURES / "opencode_tree" / "1.0.0", data)
    put(data, {"opencode.db": "no database"})
    names, told = spread(data)
    assert (names, told) == ({"data"}, {("data", "unread")})


def test_the_folders_of_other_clients(tmp_path: Path) -> None:
    day = "sessions/2026/06/26"
    rollout = f"{day}/rollout-2026-06-26T12-00-00-01a22b69-d02f-7972-908d-6580adff9c72.jsonl"
    put(
        tmp_path,
        {
            "home/.claude/projects/-home-ann/s.jsonl": CLAUDE,
            "home/.claude/settings.json": "{}",
            "home/.claude/.credentials.json": "{}",
            "home/.claude/history.jsonl": '{"display": "hello"}',
            "home/.claude/notes.xml": XML,
            f"home/.codex/{rollout}": ROLLOUT,
            "home/.codex/config.toml": "",
            "home/.codex/auth.json": "{}",
            f"home/.codex/{day}/by-hand.xml": XML,
        },
    )
    names, told = spread(tmp_path / "home")
    assert names == {
        "home/.claude/projects/-home-ann/s.jsonl",
        "home/.claude/notes.xml",
        f"home/.codex/{rollout}",
        f"home/.codex/{day}/by-hand.xml",
    }
    assert told == {("home/.claude/history.jsonl", "passed")}


def test_hidden_logs_are_sources_as_in_an_audit(tmp_path: Path) -> None:
    chat = FIXTURES / "aider" / "two_chats.md"
    put(tmp_path, {"shop/.aider.chat.history.md": chat, "shop/.git/config.json": "{}", "shop/a.xml": XML})
    assert spread(tmp_path / "shop") == ({"shop/.aider.chat.history.md", "shop/a.xml"}, set())


def test_a_log_of_its_own_beside_a_store_of_the_same_family_is_read_whole() -> None:
    store = FIXTURES / "opencode_tree" / "1.0.0"
    of_store = next(one for one in units([str(store)]) if isinstance(one, Unit))
    log = FIXTURES / "opencode_export" / "1.18.33_subagent_child.json"
    both = Unit(
        paths=(*of_store.paths, str(log)),
        names=("store", "child"),
        keys=(*of_store.keys, "child"),
        size=1,
        ids=of_store.ids,
    )
    made = extract(both, Order())
    assert of_store.ids
    assert not made.problems
    assert len(made.heads) == len(of_store.ids) + 1


def test_folders_that_may_not_be_looked_into_and_links_are_told_as_in_an_audit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sessionlens import readers

    top, elsewhere = tmp_path / "logs", tmp_path / "elsewhere"
    put(top, {"a.jsonl": CLAUDE, "closed/b.xml": XML})
    shutil.copytree(FIXTURES / "opencode_tree/1.0.0", elsewhere)
    (top / "store").symlink_to(elsewhere)
    (top / "back").symlink_to(top)
    (top / "gone.jsonl").symlink_to(top / "nothing.jsonl")
    os.mkfifo(top / "pipe.jsonl")
    real = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path).name != "closed" and real(path, mode))
    names, told = spread(top)
    assert names == {"logs/a.jsonl", "logs/store"}
    assert told == {(f"logs/{name}", "unread") for name in ("closed", "gone.jsonl", "pipe.jsonl")}
    audited = readers.scan(top)
    assert {error.file for error in audited.unread} == {source for source, _ in told}
    assert len(audited.sessions) == 3
