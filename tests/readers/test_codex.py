"""Codex: steps, processes that run on, interruptions, both generations; each trap a scene of its own."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from sessionlens import readers
from sessionlens.model import Call, Compaction, File, Session
from sessionlens.readers import ReadError, Source
from sessionlens.readers.codex import Codex, local_stores

sys.path.insert(0, str(Path(__file__).parent))

import codex_lines as made
from codex_lines import Rollout, ran


@pytest.fixture
def folder(fixtures: Path) -> Path:
    return fixtures / "codex"


def read(path: Path) -> Session:
    (session,) = readers.read(path)
    assert session.source_format == "codex"
    return session


def calls(session: Session) -> list[Call]:
    return [call for message in session.messages for call in message.calls]


def whole(call: Call) -> str | None:
    return call.output.whole() if call.output is not None else None


def steps(session: Session) -> list[tuple[str | None, int, int | None]]:
    """Finish, calls and tokens written of each message of the model."""
    return [
        (message.finish, len(message.calls), message.tokens_out)
        for message in session.messages
        if message.role == "assistant"
    ]


def test_fixtures_are_what_their_maker_makes(folder: Path) -> None:
    for name, data in made.files().items():
        assert (folder / name).read_bytes() == data, name


def test_a_message_is_a_step_of_the_model(folder: Path) -> None:
    session = read(folder / "steps.jsonl")
    assert steps(session) == [("tool-calls", 1, 20), ("tool-calls", 2, 44), ("stop", 0, 20)]
    assert [message.role for message in session.messages] == ["system", "user", "user", *["assistant"] * 3]
    assert [message.human for message in session.messages] == [False, False, True, False, False, False]
    # The event repeats the prose; encrypted thinking is there and says nothing.
    assert [len(list(message.texts())) for message in session.messages[3:]] == [0, 1, 1]
    assert not any(message.empty for message in session.messages[3:])
    assert session.messages[4].tokens_in == 500
    assert session.messages[4].model == "gpt-large-5"
    assert [(call.exit, whole(call)) for call in calls(session)] == [
        (0, "active\n"),
        (3, "inactive\n"),
        (0, "stopped\n"),
    ]
    assert (session.id, session.client_version, session.directory) == (made.THREAD, "0.142.2", "/srv/shop")


def test_places_lead_to_the_lines(folder: Path) -> None:
    path = folder / "steps.jsonl"
    data = path.read_bytes()
    for message in read(path).messages:
        for part in message.parts:
            offset, length = part.origin.offset, part.origin.length
            assert offset is not None
            assert length is not None
            assert data[offset : offset + length] == data.splitlines()[(part.origin.line or 0) - 1]


def test_a_process_and_its_polls_are_one_operation(folder: Path) -> None:
    session = read(folder / "running_on.jsonl")
    start, poll, end, server = calls(session)
    assert (start.background, start.exit, start.continues, start.limit_ms) == (True, None, None, None)
    assert (poll.background, poll.continues) == (True, "c1")
    assert (end.background, end.continues, end.exit, whole(end)) == (False, "c1", 0, "")
    assert server.background
    assert whole(server) == "ready\n"


def test_interruptions(folder: Path) -> None:
    session = read(folder / "interrupted.jsonl")
    first, second = calls(session)
    assert first.interrupted
    assert (second.interrupted, second.status) == (True, "running")
    noted = [
        (message.role, message.error and message.error.name)
        for message in session.messages
        if message.interruption
    ]
    # Text where the client wrote one, else the error of the message that was stopped; never both.
    assert noted == [("user", None), ("assistant", "MessageAbortedError")]
    assert sum(message.human for message in session.messages) == 3


def test_a_counted_step_without_items_is_an_empty_message(folder: Path) -> None:
    session = read(folder / "nothing_said.jsonl")
    (cut,) = calls(session)
    assert (cut.timed_out, cut.limit_ms, cut.exit, whole(cut)) == (True, 15000, 124, "")
    empty = session.messages[4]
    assert empty.empty
    assert (empty.finish, empty.tokens_out, empty.error) == ("stop", 3, None)
    failed = session.messages[-1]
    assert failed.empty
    assert failed.error is not None
    assert failed.error.text == "stream disconnected before completion"
    assert "tried again" in session.gaps[0].reason


def test_compaction_is_one_message_and_no_step(folder: Path) -> None:
    session = read(folder / "compacted.jsonl")
    summaries = [message for message in session.messages if message.summary]
    assert len(summaries) == 1
    assert isinstance(summaries[0].parts[0], Compaction)
    assert not summaries[0].human
    assert len(steps(session)) == 2


def test_other_tools(folder: Path) -> None:
    session = read(folder / "tools.jsonl")
    patch, search, failed, picture, endless = calls(session)
    assert patch.arguments()["input"].startswith("*** Begin Patch")
    assert (patch.exit, whole(patch)) == (0, "Success. Updated the following files:\nM app.conf\n")
    assert (search.name, search.status, search.arguments()["query"]) == ("web_search", "completed", "port 81")
    assert failed.status == "error"
    assert failed.output is None
    assert picture.status == "completed"
    assert any(isinstance(part, File) for message in session.messages for part in message.parts)
    assert (endless.status, endless.output) == ("running", None)


def test_the_first_generation(folder: Path) -> None:
    session = read(folder / "first_generation.jsonl")
    assert session.id == made.THREAD
    assert [message.role for message in session.messages] == ["user", "user", *["assistant"] * 3]
    assert [message.human for message in session.messages] == [False, True, False, False, False]
    cut, check = calls(session)
    assert (cut.timed_out, cut.limit_ms) == (True, 20000)
    assert (check.name, check.exit, whole(check)) == ("local_shell", 0, "active\n")
    assert steps(session) == [(None, 1, None), (None, 1, None), (None, 0, None)]


def test_an_agent_is_the_child_of_its_call(folder: Path) -> None:
    for source in (
        folder / "sessions",
        *(folder / "sessions" / "2026" / "06" / "26").glob(f"*{made.THREAD}.jsonl"),
    ):
        session = read(source)
        (child,) = session.children
        assert (child.id, child.parent, calls(session)[0].child) == (made.HELPER, made.THREAD, made.HELPER)


def test_the_local_store(tmp_path: Path, folder: Path) -> None:
    home = tmp_path / "home"
    assert local_stores({}, home) == []
    for name, data in made.files().items():
        if name.startswith("sessions/"):
            place = home / ".codex" / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
    (home / ".codex" / "config.toml").write_text("")
    (store,) = local_stores({}, home)
    index = store.index()
    assert {key: entry.parent for key, entry in index.items()} == {
        made.THREAD: None,
        made.HELPER: made.THREAD,
    }
    assert index[made.THREAD].version == "0.142.2"
    assert store.counts([made.THREAD])[made.THREAD].calls == 1
    assert [session.id for session in store.read([made.THREAD])] == [made.THREAD]
    assert len(local_stores({"CODEX_HOME": str(home / ".codex")}, tmp_path)) == 1
    assert [session.id for session in readers.read(home / ".codex")] == [made.THREAD]


def test_a_folder_of_anything_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / f"rollout-2026-06-26T12-00-00-{made.THREAD}.jsonl").write_bytes(made.steps().data())
    assert Codex().recognises(Source(tmp_path)) is None
    (tmp_path / "other.json").write_text("{}")
    assert Codex().recognises(Source(tmp_path)) is not None


def test_a_line_whose_type_is_no_text_is_none_of_a_rollout(tmp_path: Path) -> None:
    path = tmp_path / "odd.jsonl"
    path.write_text('{"type": {"a": 1}, "payload": {}}\n{"type": ["session_meta"], "payload": {}}\n')
    assert "no line of a rollout" in (Codex().recognises(Source(path)) or "")


def test_long_texts_are_handles_that_read_the_log_again(tmp_path: Path) -> None:
    words = "".join(f"line {number} é✓\n" for number in range(3000))
    log = Rollout()
    log.user(words)
    log.says(words)
    log.calls("c1", "exec_command", cmd=words)
    log.result("c1", ran(words, code=2))
    log.item("custom_tool_call", call_id="c2", name="apply_patch", input=words)
    log.item(
        "custom_tool_call_output",
        call_id="c2",
        output=json.dumps({"output": words, "metadata": {"exit_code": 0}}),
    )
    log.calls("c3", "shell", command=["bash", "-lc", "x"])
    log.result(
        "c3",
        f"Exit code: 124\nWall time: 10.0 seconds\nOutput:\ncommand timed out after 10006 milliseconds\n{words}",
    )
    path = tmp_path / "log.jsonl"
    path.write_bytes(log.data())
    session = read(path)
    assert [part.text.whole() for message in session.messages[2:] for part in message.texts()] == [
        words,
        words,
    ]
    first, second, third = calls(session)
    assert first.arguments() == {"cmd": words}
    assert first.input.long
    assert (first.exit, whole(first)) == (2, words)
    assert second.arguments() == {"input": words}
    assert whole(second) == words
    assert (third.timed_out, third.limit_ms, whole(third)) == (True, 10000, words)


def test_damage_is_told_and_the_rest_read(tmp_path: Path) -> None:
    lines = made.steps().data().splitlines(keepends=True)
    odd = [
        {"timestamp": 5, "type": "response_item", "payload": {"type": "message", "role": "assistant", "content": [1, None]}},
        {"timestamp": "x", "type": "response_item", "payload": {"type": "function_call_output", "call_id": "none", "output": 1}},
        {"type": "novelty", "payload": {}},
        {"type": "event_msg", "payload": {"type": "token_count", "info": [1]}},
        {"type": "response_item", "payload": {"type": "hologram"}},
        {"type": "response_item", "payload": {"type": "function_call", "name": 3, "arguments": "{not", "call_id": "odd"}},
        {"type": "compacted", "payload": {"message": {"a": 1}}},
        {"type": "turn_context", "payload": {"model": [1]}},
    ]  # fmt: skip
    path = tmp_path / "log.jsonl"
    path.write_bytes(b"".join(lines[:-1]) + b"{broken\n7\n" + made.lines_of(odd) + lines[-1][:90])
    session = read(path)
    reasons = " ".join(gap.reason for gap in session.all_gaps())
    for telling in (
        "none",
        "novelty",
        "hologram",
        "a line is no readable JSON object",
        "stops within this line",
    ):
        assert telling in reasons
    assert session.truncated
    assert calls(session)[-1].name == "unknown"


def test_no_message_at_all_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(made.lines_of(Rollout().lines[:1]))
    with pytest.raises(ReadError, match="no message"):
        readers.read(path)


def test_a_rollout_that_is_one_document(tmp_path: Path) -> None:
    first, *items = made.first_generation()
    path = tmp_path / "rollout.json"
    document = {"session": {"id": made.THREAD, "timestamp": first["timestamp"]}, "items": items}
    path.write_text(json.dumps(document, indent=2))
    session = read(path)
    assert session.id == made.THREAD
    assert [call.timed_out for call in calls(session)] == [True, False]
    place = calls(session)[1].origin
    data = path.read_bytes()
    assert place.offset is not None
    assert place.length is not None
    assert json.loads(data[place.offset : place.offset + place.length])["call_id"] == "c2"
    assert place.line == data[: place.offset].count(b"\n") + 1
    path.write_text(json.dumps(document)[:-40])
    with pytest.raises(ReadError, match="not complete"):
        readers.read(path)
