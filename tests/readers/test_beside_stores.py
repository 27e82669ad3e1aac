"""A folder that is a client's store hides no log that lies beside it, and what is the client's own is no noise."""

from __future__ import annotations

import shutil
import tarfile
import zipfile
from pathlib import Path

import msgspec
import pytest

from sessionlens import readers
from sessionlens.model import Session
from sessionlens.readers import codex as codex_reader
from sessionlens.readers.source import Source
from tests.readers import claude_lines, codex_lines

FIXTURES = Path(__file__).parents[2] / "fixtures"
DATABASE = FIXTURES / "opencode_db" / "1.14.41"
TREES = {"1.0.0": FIXTURES / "opencode_tree" / "1.0.0", "0.5.29": FIXTURES / "opencode_tree" / "0.5.29"}
STORES = {"database": DATABASE, **TREES}
OTHERS = {
    "claude.jsonl": FIXTURES / "claude_code" / "cut_off.jsonl",
    "export.json": FIXTURES / "opencode_export" / "1.18.33_abort_tool.json",
    "logs/rollout.jsonl": FIXTURES / "codex" / "tools.jsonl",
    "log/old.xml": FIXTURES / "transcript_xml" / "hicache_restart.xml",
    "storage/by-hand.jsonl": FIXTURES / "claude_code" / "compaction.jsonl",
    "project/scene.json": FIXTURES / "gemini_cli" / "scene.json",
    "backup/opencode.db": FIXTURES / "opencode_v2" / "1.18.34" / "opencode.db",
}


def ids(path: Path) -> set[str]:
    return {one.id for top in readers.read(path) for one in top.family()}


def put(folder: Path, files: dict[str, Path]) -> set[str]:
    """Copy logs into a folder; the sessions that they hold. Two of one id that say different things are both there."""
    expected: set[str] = set()
    for name, log in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(log, folder / name)
        expected |= {f"{one}-2" if one in expected else one for one in ids(folder / name)}
    return expected


def copied(store: Path, to: Path) -> Path:
    shutil.copytree(store, to)
    return to


def clients_own(folder: Path) -> None:
    """What the client keeps in its data folder beside its stores."""
    for name in ("log", "bin", "snapshot/abc", "repos/r", "tool-output", "worktree/w", "storage", "project"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / "log" / "2026-01-01T000000.log").write_text("INFO service=default\n")
    (folder / "snapshot" / "abc" / "HEAD").write_text("ref: refs/heads/main\n")
    (folder / "repos" / "r" / "package.json").write_text('{"name": "r"}')
    (folder / "worktree" / "w" / "data.json").write_text('{"a": 1}')
    (folder / "bin" / "package.json").write_text('{"name": "lsp"}')
    (folder / "tool-output" / "tool_22a36e47b001dmpPkWB3B02xWb").write_text('{"type": "user"}')
    (folder / "auth.json").write_text('{"anthropic": {"type": "api", "key": "never read"}}')
    (folder / "mcp-auth.json").write_text('{"server": {"token": "never read"}}')


@pytest.mark.parametrize("kind", STORES)
def test_logs_beside_a_store_of_opencode_are_read(kind: str, tmp_path: Path) -> None:
    store = copied(STORES[kind], tmp_path / "data")
    expected = ids(store) | put(store, OTHERS)
    found = readers.scan(store)
    assert {one.id for top in found.sessions for one in top.family()} == expected
    assert not found.unread


@pytest.mark.parametrize("kind", STORES)
def test_what_is_the_clients_own_is_neither_read_nor_told(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = copied(STORES[kind], tmp_path / "data")
    before = ids(store)
    clients_own(store)
    (store / "broken.json").write_text('{"messages": "cut')
    opened = []
    first = Source.__init__

    def seen(self: Source, path: str | Path, *, name: str | None = None) -> None:
        opened.append(Path(path).name)
        first(self, path, name=name)

    monkeypatch.setattr(Source, "__init__", seen)
    found = readers.scan(store)
    assert {one.id for top in found.sessions for one in top.family()} == before
    assert [error.file for error in found.unread] == ["data/broken.json"]
    assert not {"auth.json", "mcp-auth.json", "package.json", "HEAD"} & set(opened)


@pytest.mark.parametrize("name", ["session/loose.json", "message/loose.json", "part/deep/er/loose.json"])
def test_a_log_among_the_records_of_a_tree(name: str, tmp_path: Path) -> None:
    store = copied(TREES["1.0.0"], tmp_path / "data")
    expected = ids(store) | put(store, {f"storage/{name}": OTHERS["export.json"]})
    assert ids(store) == expected


@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_logs_beside_a_store_in_an_archive(kind: str, tmp_path: Path) -> None:
    store = copied(DATABASE, tmp_path / "data")
    expected = ids(store) | put(store, OTHERS)
    path = tmp_path / f"all.{kind}"
    if kind == "zip":
        with zipfile.ZipFile(path, "w") as packed:
            for file in sorted(store.rglob("*")):
                packed.write(file, file.relative_to(store))
    else:
        with tarfile.open(path, "w") as tar:
            tar.add(store, "data")
    assert ids(path) == expected


def test_a_store_in_a_folder_hides_nothing_either(tmp_path: Path) -> None:
    store = copied(DATABASE, tmp_path / "corpus" / "ann")
    expected = ids(store) | put(store, OTHERS) | put(tmp_path / "corpus", {"b.xml": OTHERS["log/old.xml"]})
    assert ids(tmp_path / "corpus") == expected


def test_a_store_that_cannot_be_read_does_not_hide_what_lies_beside_it(tmp_path: Path) -> None:
    (tmp_path / "opencode.db").write_bytes(b"SQLite format 3\0" + bytes(2000))
    expected = put(tmp_path, {"claude.jsonl": OTHERS["claude.jsonl"]})
    found = readers.scan(tmp_path)
    assert {one.id for one in found.sessions} == expected
    assert len(found.unread) == 1


def test_one_session_of_a_store_or_of_what_lies_beside_it(tmp_path: Path) -> None:
    store = copied(DATABASE, tmp_path / "data")
    own = min(one.id for one in readers.read(store))
    (other,) = put(store, {"export.json": OTHERS["export.json"]})
    assert [one.id for one in readers.read(store, session=own)] == [own]
    assert [one.id for one in readers.read(store, session=other)] == [other]
    with pytest.raises(readers.ReadError, match="no session ses_nobody"):
        readers.read(store, session="ses_nobody")


def claude(home: Path) -> set[str]:
    put(home, {"projects/-home-ann-shop/s.jsonl": OTHERS["claude.jsonl"]})
    for name in (
        "todos/1.json",
        "statsig/x.json",
        "settings.json",
        "sessions/4711.json",
        ".credentials.json",
    ):
        (home / name).parent.mkdir(exist_ok=True)
        (home / name).write_text('{"pid": 4711}')
    (home / "history.jsonl").write_text('{"display": "hello", "project": "/home/ann"}\n')
    return ids(home / "projects")


def test_the_folder_of_claude_code_and_what_else_lies_in_it(tmp_path: Path) -> None:
    home = tmp_path / ".claude"
    expected = claude(home)
    found = readers.scan(home)
    assert ({one.id for one in found.sessions}, found.unread) == (expected, ())
    more = {
        "export.json": OTHERS["export.json"],
        "sessions/rollout.jsonl": OTHERS["logs/rollout.jsonl"],
        "projects/-home-ann-odd/notes.xml": OTHERS["log/old.xml"],
        ".specstory/scene.json": OTHERS["project/scene.json"],
    }
    expected |= put(home, more)
    found = readers.scan(home)
    assert ({one.id for one in found.sessions}, found.unread) == (expected, ())


def test_a_hidden_store_beside_logs_of_claude_code(tmp_path: Path) -> None:
    expected = put(tmp_path, {"s.jsonl": OTHERS["claude.jsonl"]})
    expected |= put(tmp_path, {".codex/s.jsonl": OTHERS["logs/rollout.jsonl"]})
    assert ids(tmp_path) == expected


def codex(home: Path) -> set[str]:
    place = home / "sessions" / "2026" / "06" / "26"
    place.mkdir(parents=True)
    name = f"rollout-2026-06-26T12-00-00-{codex_lines.THREAD}.jsonl"
    (place / name).write_bytes(codex_lines.steps().data())
    (home / "config.toml").write_text("")
    for own in ("auth.json", "version.json", "models_cache.json"):
        (home / own).write_text('{"tokens": "never read"}')
    (home / "history.jsonl").write_text('{"session_id": "x", "ts": 1, "text": "hello"}\n')
    return {codex_lines.THREAD}


def test_the_folder_of_codex_and_what_else_lies_in_it(tmp_path: Path) -> None:
    home = tmp_path / ".codex"
    expected = codex(home)
    found = readers.scan(home)
    assert ({one.id for one in found.sessions}, found.unread) == (expected, ())
    more = {
        "export.json": OTHERS["export.json"],
        "sessions/2026/06/by-hand.xml": OTHERS["log/old.xml"],
        "log/scene.json": OTHERS["project/scene.json"],
    }
    expected |= put(home, more)
    found = readers.scan(home)
    assert ({one.id for one in found.sessions}, found.unread) == (expected, ())


def test_a_rollout_that_cannot_be_read_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    codex(tmp_path)
    other = (
        tmp_path
        / "sessions"
        / "2026"
        / "06"
        / "26"
        / ("rollout-2026-06-26T13-00-00-01a22b69-d02f-7972-908d-6580adff9c72.jsonl")
    )
    other.write_text("garbled\n" * 3)
    (session,) = readers.read(tmp_path)
    assert any("no message could be read" in gap.reason for gap in session.gaps)
    one = codex_reader._one

    def refuse(source: Source, file: str | None = None) -> object:
        if source.path == other:
            raise readers.ReadError(source.name, "no permission to read it")
        return one(source, file)

    monkeypatch.setattr(codex_reader, "_one", refuse)
    (session,) = readers.read(tmp_path)
    assert any("no permission" in gap.reason for gap in session.gaps)


def test_a_log_of_claude_code_that_cannot_be_read_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path, {"a.jsonl": OTHERS["claude.jsonl"], "b.jsonl": OTHERS["storage/by-hand.jsonl"]})
    from sessionlens.readers import claude_code

    logs = claude_code._logs(tmp_path)
    monkeypatch.setattr(claude_code, "_logs", lambda folder: [*logs, tmp_path / "gone.jsonl"])
    gaps = [gap.reason for one in readers.read(tmp_path) for gap in one.gaps]
    assert sum("gone.jsonl: no such file" in reason for reason in gaps) == 1


@pytest.mark.parametrize(
    ("store", "files"),
    [
        (FIXTURES / "cline" / "scene", ("notes.jsonl", "more.xml")),
        (FIXTURES / "openhands" / "conversation", ("export.json", "events/other.jsonl")),
        (FIXTURES / "inspect" / "unpacked", ("export.json", "samples/other.jsonl")),
    ],
    ids=lambda value: value.name if isinstance(value, Path) else None,
)
def test_other_folders_hide_nothing(store: Path, files: tuple[str, ...], tmp_path: Path) -> None:
    place = copied(store, tmp_path / store.name)
    before = ids(place)
    logs = {".json": OTHERS["export.json"], ".jsonl": OTHERS["claude.jsonl"], ".xml": OTHERS["log/old.xml"]}
    expected = before | put(place, {name: logs[Path(name).suffix] for name in files})
    assert len(expected) == len(before) + len(files)
    assert ids(place) == expected
    assert ids(tmp_path) == expected


def test_a_link_back_is_not_walked_again(tmp_path: Path) -> None:
    place = copied(DATABASE, tmp_path / "data")
    expected = ids(place) | put(place, {"sub/claude.jsonl": OTHERS["claude.jsonl"]})
    (place / "sub" / "back").symlink_to(place, target_is_directory=True)
    found = readers.scan(place)
    assert {one.id for top in found.sessions for one in top.family()} == expected
    assert found.unread == ()


def test_a_folder_that_may_not_be_looked_into_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(
        tmp_path, {"claude.jsonl": OTHERS["claude.jsonl"], "priv/rollout.jsonl": OTHERS["logs/rollout.jsonl"]}
    )
    monkeypatch.setattr("os.access", lambda path, mode: Path(path).name != "priv")
    found = readers.scan(tmp_path)
    assert [error.file for error in found.unread] == [f"{tmp_path.name}/priv"]
    assert len(found.sessions) == 1


# --- one session in two logs -------------------------------------------------------------------------------


def exported(path: Path, *said: str) -> None:
    """A log of a session with an id of its own."""
    messages = [
        {
            "info": {"id": f"msg_{n}", "role": "user", "time": {"created": n}},
            "parts": [{"type": "text", "text": one}],
        }
        for n, one in enumerate(said)
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(
        msgspec.json.encode({"info": {"id": "ses_twice0", "version": "1.18.33"}, "messages": messages})
    )


def said(session: Session) -> list[str]:
    return [part.text.whole() for message in session.messages for part in message.texts()]


def test_two_logs_of_one_id_that_differ_are_both_read(tmp_path: Path) -> None:
    exported(tmp_path / "a.json", "restart nginx", "and again")
    exported(tmp_path / "b.json", "delete the logs", "all of them", "at once")
    exported(tmp_path / "c.json", "delete the logs", "all of them", "at once", "thank you")
    exported(tmp_path / "d.json", "restart nginx", "not again")
    found = readers.scan(tmp_path)
    assert {one.id: said(one) for one in found.sessions} == {
        "ses_twice0": ["restart nginx", "and again"],
        "ses_twice0-2": ["delete the logs", "all of them", "at once", "thank you"],
        "ses_twice0-3": ["restart nginx", "not again"],
    }
    assert found.files == {"ses_twice0": "a.json", "ses_twice0-2": "c.json", "ses_twice0-3": "d.json"}
    assert found.copies == (("b.json", "c.json"),)
    first, *others = found.sessions
    assert not first.gaps
    for one in others:
        (gap,) = one.gaps
        assert (
            gap.reason == "a.json has the session id ses_twice0 too and says something else: both are judged"
        )
    (one,) = readers.read(tmp_path, session="ses_twice0-2")
    assert said(one)[-1] == "thank you"


@pytest.mark.parametrize("name", ["a.json", "z.json"])
def test_an_earlier_log_of_the_same_session_is_told(name: str, tmp_path: Path) -> None:
    exported(tmp_path / name, "restart nginx", "and a")
    exported(tmp_path / "m.json", "restart nginx", "and again", "thank you")
    found = readers.scan(tmp_path)
    (session,) = found.sessions
    assert said(session) == ["restart nginx", "and again", "thank you"]
    assert found.files == {"ses_twice0": "m.json"}
    assert found.copies == ((name, "m.json"),)


def test_logs_of_claude_code_with_the_same_ids_and_other_words_stay_apart(tmp_path: Path) -> None:
    for name, words in (
        ("a", ("restart nginx", "and again")),
        ("b", ("delete the logs", "all")),
        ("c", ("restart nginx", "and again")),
    ):
        lines = claude_lines.Log()
        for one in words:
            lines.user(one)
        (tmp_path / f"{name}.jsonl").write_bytes(lines.data())
    found = readers.scan(tmp_path).sessions
    assert [said(one) for one in found] == [["restart nginx", "and again"], ["delete the logs", "all"]]
    assert [one.id.removeprefix(found[0].id) for one in found] == ["", "-2"]
    assert [one.gaps[0].reason.partition(" ")[0] for one in found[1:]] == ["a.jsonl"]
