"""Claude Code: the traps of the format, each a scene of its own, and the scene that other formats tell too."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from sessionlens import engine, readers
from sessionlens.model import Call, Compaction, File, Session, TextPart
from sessionlens.readers import ReadError, Source
from sessionlens.readers.claude_code import ClaudeCode, local_stores

sys.path.insert(0, str(Path(__file__).parent))

import claude_lines as made
from claude_lines import Log, printed, text, thinking, tool


@pytest.fixture
def folder(fixtures: Path) -> Path:
    return fixtures / "claude_code"


def read(path: Path) -> Session:
    (session,) = readers.read(path)
    assert session.source_format == "claude-code"
    return session


def read_log(log: Log, tmp_path: Path, more: bytes = b"") -> Session:
    path = tmp_path / "log.jsonl"
    path.write_bytes(log.data() + more)
    return read(path)


def calls(session: Session) -> list[Call]:
    return [call for message in session.messages for call in message.calls]


def whole(call: Call) -> str | None:
    return call.output.whole() if call.output is not None else None


def test_fixtures_are_what_their_maker_makes(folder: Path) -> None:
    for name, data in made.files().items():
        assert (folder / name).read_bytes() == data, name


def test_lines_of_one_message_are_joined_across_results(folder: Path) -> None:
    session = read(folder / "split_message.jsonl")
    assert [message.role for message in session.messages] == ["user", "assistant", "assistant"]
    message = session.messages[1]
    assert message.id == "msg_a"
    assert [type(part).__name__ for part in message.parts] == ["Reasoning", "TextPart", "Call", "Call"]
    assert [(call.exit, whole(call), call.status) for call in message.calls] == [
        (0, "0", "completed"),
        (3, "inactive", "completed"),
    ]
    assert message.finish == "tool_use"
    assert message.tokens_in == 4
    assert message.tokens_out == 31
    lines = (folder / "split_message.jsonl").read_bytes().splitlines()
    for number, line in enumerate(lines[1:6], 2):
        # Every line of the message leads to it, those of its results too.
        found = session.find(json.loads(line)["uuid"])
        assert found is message, number
    assert [(call.origin.line, call.result_origin and call.result_origin.line) for call in message.calls] == [
        (4, 5),
        (6, 7),
    ]


def test_places_lead_to_the_lines(folder: Path) -> None:
    path = folder / "split_message.jsonl"
    data = path.read_bytes()
    session = read(path)
    for message in session.messages:
        for part in message.parts:
            offset, length = part.origin.offset, part.origin.length
            assert offset is not None
            assert length is not None
            assert data[offset : offset + length] == data.splitlines()[(part.origin.line or 0) - 1]


def test_cut_off_in_every_wording(folder: Path) -> None:
    session = read(folder / "cut_off.jsonl")
    assert [(call.timed_out, call.limit_ms, whole(call)) for call in calls(session)] == [
        (True, 15000, ""),
        (True, 120000, "#5 [2/9] RUN apt-get"),
        (True, 60000, "step 1 of 3"),
        (False, 5000, "Command timed out after 2m 0.0s"),
    ]
    first = calls(session)[0]
    assert first.status == "error"
    assert first.error is not None
    assert first.error.whole() == "Command timed out after 15s"


def test_fillers_and_api_errors_are_no_words_of_the_model(folder: Path) -> None:
    session = read(folder / "fillers.jsonl")
    filler, trouble = session.messages[2], session.messages[4]
    assert filler.empty
    assert filler.error is None
    assert filler.model is None
    assert trouble.empty
    assert trouble.error is not None
    assert trouble.error.name == "overloaded"
    assert trouble.error.text.startswith("API Error: 529")
    assert session.models == ("opus-large-4",)


def test_refusals_and_interruptions(folder: Path) -> None:
    session = read(folder / "stopped.jsonl")
    refused, aborted = calls(session)
    assert refused.status == "error"
    assert not refused.interrupted
    assert refused.output is None
    assert aborted.interrupted
    assert not aborted.timed_out
    notes = [message for message in session.messages if message.interruption]
    assert len(notes) == 2
    assert not any(message.human for message in notes)
    assert sum(message.human for message in session.messages) == 2


def test_background_and_what_asks_for_it(folder: Path) -> None:
    session = read(folder / "background.jsonl")
    start, poll, end, server, kill = calls(session)
    assert start.background
    assert start.exit is None
    assert start.limit_ms is None
    assert (poll.continues, poll.background, poll.exit) == ("toolu_1", True, None)
    assert (end.continues, end.background, end.exit) == ("toolu_1", False, 0)
    assert server.background
    assert kill.continues == "toolu_4"


def test_a_notification_ends_what_runs_in_the_background(folder: Path) -> None:
    session = read(folder / "notified.jsonl")
    told = [
        call for message in session.messages for call in message.calls if call.name == "task-notification"
    ]
    assert [(call.continues, call.background, call.exit, call.status) for call in told] == [
        ("toolu_1", True, None, "completed"),
        ("toolu_1", False, 0, "completed"),
        ("toolu_2", False, 2, "error"),
        ("toolu_3", False, None, "error"),
        ("toolu_4", False, None, "completed"),
    ]
    assert [call.output.head if call.output else None for call in told][::4] == [
        "3 of 5 nodes up",
        "Agent finished\nNothing strange in the logs.",
    ]
    notes = [m for m in session.messages if m.role == "user"]
    assert [message.human for message in notes] == [True] + [False] * 6
    assert not any(message.reverted for message in session.messages)


def test_the_ledger_closes_with_the_notification(folder: Path) -> None:
    audit = engine.audit(read(folder / "notified.jsonl"), rules=())
    found = [(one.closed_by, one.found) for one in audit.graph.ledger]
    assert found == [("result", "good"), ("result", "bad"), ("result", None)]


def test_words_of_a_person_about_notifications_stay_theirs(tmp_path: Path) -> None:
    log = Log()
    log.user("what does <task-notification> in my log mean?")
    log.user(
        "<task-notification>\n<task-id>b1</task-id>\n</task-notification>\nplease explain this one to me"
    )
    log.says("msg_1", text("It tells that a task has ended."))
    path = tmp_path / "a.jsonl"
    path.write_bytes(log.data())
    assert [message.human for message in read(path).messages] == [True, True, False]


def test_compaction_is_one_message_and_no_person(folder: Path) -> None:
    session = read(folder / "compaction.jsonl")
    assert [message.role for message in session.messages] == ["user", "assistant", "user", "assistant"]
    summary = session.messages[2]
    assert summary.summary
    assert not summary.human
    assert isinstance(summary.parts[0], Compaction)
    assert summary.parts[0].auto is True


def test_a_boundary_without_a_summary_is_shown(tmp_path: Path) -> None:
    log = Log()
    log.user("begin")
    log.add("system", subtype="compact_boundary", compactMetadata={"trigger": "manual"})
    log.says("msg_1", text("On."))
    session = read_log(log, tmp_path)
    assert [type(part) for part in session.messages[1].parts] == [Compaction]
    assert not session.messages[1].human
    assert session.messages[2].id == "msg_1"


def test_what_the_client_writes_in_the_persons_name(folder: Path) -> None:
    session = read(folder / "client_notes.jsonl")
    human = [message for message in session.messages if message.human]
    shown = ["".join(part.text.whole() for part in message.texts()) for message in human]
    assert [words[:24] for words in shown] == ["<command-message>review ", "and the tests?", "also the docs"]
    assert any(isinstance(part, File) and part.mime == "image/png" for part in human[1].parts)


def test_a_subagent_belongs_to_its_call(folder: Path) -> None:
    log, agent = made.subagent()
    for source in (folder / "project", folder / "project" / f"{log.session}.jsonl"):
        session = read(source)
        (child,) = session.children
        assert (child.id, child.parent) == ("agent-a1b2c3d", session.id)
        assert calls(session)[0].child == child.id
        assert calls(child)[0].timed_out
        assert [message.role for message in child.messages] == ["user", "assistant", "assistant"]
        assert child.messages[1].origin.file == f"{log.session}/subagents/agent-{agent.agent}.jsonl"


def test_a_subagents_file_alone_names_its_parent(folder: Path) -> None:
    log, agent = made.subagent()
    session = read(folder / "project" / log.session / "subagents" / f"agent-{agent.agent}.jsonl")
    assert (session.id, session.parent) == ("agent-a1b2c3d", log.session)


def test_steps_that_only_the_parent_shows(tmp_path: Path) -> None:
    log = Log()
    log.user("do it")
    log.says("msg_1", tool("toolu_t", "Task", prompt="count", subagent_type="x"), stop="tool_use")
    for number, (kind, content) in enumerate(
        (
            ("user", [text("count")]),
            ("assistant", [tool("toolu_c", "Bash", command="kubectl get pods")]),
            ("user", [{"type": "tool_result", "tool_use_id": "toolu_c", "content": "web-1"}]),
        )
    ):
        inner = {"type": kind, "uuid": f"inner-{number}", "timestamp": "2026-03-02T10:00:09.000Z",
                 "message": {"role": kind, "content": content, "id": f"msg_in{number}"}}  # fmt: skip
        log.add("progress", data={"type": "agent_progress", "agentId": "abc1234", "prompt": "count", "message": inner},
                toolUseID="agent_msg", parentToolUseID="toolu_t")  # fmt: skip
    log.result("toolu_t", [text("one pod")], told={"agentId": "abc1234", "status": "completed"})
    session = read_log(log, tmp_path)
    (child,) = session.children
    assert calls(session)[0].child == child.id == "agent-abc1234"
    assert whole(calls(child)[0]) == "web-1"
    last = child.messages[-1]
    assert last.role == "assistant"
    assert next(last.texts()).text.whole() == "one pod"
    assert child.gaps
    assert "parent" in child.gaps[0].reason


def test_old_sidechains_are_found_by_their_prompt(folder: Path) -> None:
    session = read(folder / "old_sidechain.jsonl")
    assert [call.child for call in calls(session)] == [child.id for child in session.children]
    assert [next(child.messages[0].texts()).text.whole() for child in session.children] == [
        "Look at api.",
        "Look at web.",
    ]
    assert len(session.messages) == 3


def test_stream_of_claude_p(folder: Path, tmp_path: Path) -> None:
    session = read(folder / "stream_json.jsonl")
    assert session.client_version == "2.1.31"
    assert session.directory == "/home/op/shop"
    (child,) = session.children
    assert calls(session)[0].child == child.id
    assert [message.id for message in session.messages] == ["msg_1", "msg_2"]
    # Without `toolUseResult` an exit code of 0 is not told.
    assert calls(child)[0].exit is None
    listed = tmp_path / "out.json"
    listed.write_text(json.dumps(made.stream_json()))
    again = read(listed)
    assert [message.id for message in again.messages] == ["msg_1", "msg_2"]
    data = listed.read_bytes()
    place = again.messages[1].origin
    assert place.offset is not None
    assert place.length is not None
    assert json.loads(data[place.offset : place.offset + place.length])["message"]["id"] == "msg_2"


def test_an_error_that_ended_a_run_is_told(tmp_path: Path) -> None:
    records = made.stream_json()[:-1]
    records.append({"type": "result", "subtype": "error_max_turns", "is_error": True, "duration_ms": 3,
                    "session_id": records[0]["session_id"]})  # fmt: skip
    path = tmp_path / "run.jsonl"
    path.write_bytes(made.lines_of(records))
    error = read(path).messages[-1].error
    assert error is not None
    assert error.name == "error_max_turns"


# --- copies, resumed sessions, folders ---------------------------------------------------------------------


def test_a_line_that_is_there_twice_counts_once(tmp_path: Path) -> None:
    log = made.split_message()
    once = read_log(log, tmp_path)
    twice = read_log(log, tmp_path, log.data())
    assert len(twice.messages) == len(once.messages)
    assert len(calls(twice)) == len(calls(once))


def test_a_resumed_session_goes_on(tmp_path: Path) -> None:
    log = made.split_message()
    resumed = Log("5e55a000-0000-4000-8000-000000000002")
    resumed.lines = [{**line, "sessionId": resumed.session} for line in log.lines]
    resumed.parent, resumed.seconds = log.parent, log.seconds
    resumed.user("and now start the worker")
    (tmp_path / f"{log.session}.jsonl").write_bytes(log.data())
    (tmp_path / f"{resumed.session}.jsonl").write_bytes(resumed.data())
    session = read(tmp_path)
    assert session.id == resumed.session
    assert len(session.messages) == 4
    assert len(calls(session)) == 2


def test_a_fork_holds_what_is_its_own(tmp_path: Path) -> None:
    log = made.split_message()
    fork = Log("5e55a000-0000-4000-8000-000000000003")
    fork.lines = [{**line, "sessionId": fork.session} for line in log.lines[:1]]
    fork.parent, fork.seconds = log.lines[0]["uuid"], log.seconds
    fork.says("msg_x", text("Another answer."))
    fork.says("msg_y", text("And one more."))
    fork.says("msg_z", text("And a last one, so that this file is no prefix of the other."))
    (tmp_path / f"{log.session}.jsonl").write_bytes(log.data())
    (tmp_path / f"{fork.session}.jsonl").write_bytes(fork.data())
    sessions = {session.id: session for session in readers.read(tmp_path)}
    assert len(sessions[log.session].messages) == 3
    assert [message.id for message in sessions[fork.session].messages] == ["msg_x", "msg_y", "msg_z"]
    assert log.session in sessions[fork.session].gaps[0].reason


def test_two_files_of_one_session(tmp_path: Path) -> None:
    log = made.split_message()
    (tmp_path / "part-1.jsonl").write_bytes(made.lines_of(log.lines[:5]))
    (tmp_path / "part-2.jsonl").write_bytes(made.lines_of(log.lines[3:]))
    session = read(tmp_path)
    assert len(session.messages) == 3
    assert len(calls(session)) == 2
    assert not session.gaps


def test_sessions_that_were_joined_are_apart_again(tmp_path: Path) -> None:
    one, two = made.split_message(), made.background()
    two.session = "5e55a000-0000-4000-8000-000000000009"
    two.lines = [{**line, "sessionId": two.session, "uuid": f"{two.session}/{line['uuid']}",
                  "parentUuid": line["parentUuid"] and f"{two.session}/{line['parentUuid']}"} for line in two.lines]  # fmt: skip
    path = tmp_path / "all.jsonl"
    # Without a line feed between them the last line of one and the first of the other are one line.
    path.write_bytes(one.data().rstrip() + two.data())
    sessions = readers.read(path)
    assert [session.id for session in sessions] == [one.session, two.session]
    assert [len(calls(session)) for session in sessions] == [2, 5]
    assert not any(session.gaps for session in sessions)
    place = sessions[1].messages[0].origin
    assert place.line == len(one.lines)
    assert place.offset == len(one.data()) - 1


def test_what_the_person_took_back_is_marked(tmp_path: Path) -> None:
    log = Log()
    log.user("first")
    log.says("msg_1", text("Answer."))
    here = log.parent
    log.user("second")
    log.says("msg_2", text("Wrong way."))
    log.parent = here
    log.user("second, better")
    session = read_log(log, tmp_path)
    assert [message.reverted for message in session.messages] == [False, False, True, True, False]


def test_a_folder_of_anything_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(made.split_message().data())
    (tmp_path / "notes.txt").write_text("other")
    assert ClaudeCode().recognises(Source(tmp_path)) is not None
    assert len(readers.read(tmp_path)) == 1
    (tmp_path / "notes.txt").unlink()
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "other.json").write_text("{}")
    assert ClaudeCode().recognises(Source(tmp_path)) is not None


def test_the_local_store(tmp_path: Path) -> None:
    home = tmp_path / "home"
    project = home / ".claude" / "projects" / "-home-op-shop"
    project.mkdir(parents=True)
    assert local_stores({}, home) == []
    log, agent = made.subagent()
    (project / f"{log.session}.jsonl").write_bytes(log.data())
    inner = project / log.session / "subagents"
    inner.mkdir(parents=True)
    (inner / "agent-a1b2c3d.jsonl").write_bytes(agent.data())
    (project / "notes-only.jsonl").write_bytes(b'{"type":"summary","summary":"x","leafUuid":"y"}\n')
    (store,) = local_stores({}, home)
    entry, helper = store.index().values()
    assert (helper.id, helper.parent) == ("agent-a1b2c3d", log.session)
    assert (entry.id, entry.version, entry.directory) == (log.session, "2.1.31", "/home/op/shop")
    assert entry.created is not None
    assert entry.updated is not None
    assert entry.created < entry.updated
    assert store.counts([log.session])[log.session].calls == 1
    (session,) = store.read([log.session])
    assert len(session.children) == 1
    moved = local_stores({"CLAUDE_CONFIG_DIR": str(home / ".claude")}, tmp_path / "elsewhere")
    assert [one.path for one in moved] == [store.path]
    # The client's whole folder is a source, too.
    (home / ".claude" / "history.jsonl").write_text("{}\n")
    assert [one.id for one in readers.read(home / ".claude")] == [log.session]


# --- hostile lines -----------------------------------------------------------------------------------------


def test_damage_is_told_and_the_rest_read(tmp_path: Path) -> None:
    log = made.split_message()
    lines = log.data().splitlines(keepends=True)
    surrogate = lines[0].replace(b"is the queue", b"\\ud800 is \xff the queue")
    path = tmp_path / "log.jsonl"
    path.write_bytes(
        b"npm notice\n"
        + surrogate
        + b"{not json\n[1, 2]\n\x00\x00\n"
        + b"".join(lines[1:-1])
        + lines[-1][:150]
    )
    session = read(path)
    assert [(gap.origin.line, gap.reason) for gap in session.all_gaps()] == [
        (1, "a line is no readable JSON object"),
        (12, "the log stops within this line"),
        (3, "a line is no readable JSON object"),
        (4, "a line is no readable JSON object"),
        (5, "a line is no readable JSON object"),
    ]
    assert session.truncated
    # The answer was due where the three lines stand.
    assert [message.role for message in session.messages] == ["user", "unknown", "assistant"]
    assert "\ufffd is \ufffd the queue" in next(session.messages[0].texts()).text.whole()


def test_odd_shapes_never_break_the_reading(tmp_path: Path) -> None:
    base = made.split_message().lines[0]
    odd: list[Any] = [
        {**base, "uuid": 7, "message": {"role": "user", "content": 5}},
        {**base, "uuid": "b", "message": {"content": [1, "words", None, {"type": ["x"]}, {"type": "text", "text": {"a": 1}}]}},
        {**base, "uuid": "c", "message": None},
        {**base, "uuid": "d", "type": "assistant", "message": {"id": 4, "content": {"type": "text"}}},
        {**base, "uuid": "e", "type": "assistant", "message": {"id": "m", "content": [{"type": "tool_use", "input": [1]}]}},
        {**base, "uuid": "f", "message": {"content": [{"type": "tool_result", "tool_use_id": "none", "content": 3}]}},
        {**base, "uuid": "g", "type": "assistant", "message": {"id": "m", "usage": [1], "content": [{"type": "hologram"}]}},
        {**base, "uuid": "h", "type": "novelty"},
        {**base, "uuid": "i", "type": None},
        {**base, "uuid": "j", "timestamp": "9999999999999999", "message": {"role": "user", "content": "fine"}},
    ]  # fmt: skip
    path = tmp_path / "odd.jsonl"
    path.write_bytes(b"".join(json.dumps(one).encode() + b"\n" for one in odd))
    session = read(path)
    reasons = " ".join(gap.reason for gap in session.all_gaps())
    for telling in ("novelty", "no type", "none", "hologram"):
        assert telling in reasons
    assert next(session.messages[-1].texts()).text.whole() == "fine"


def test_long_texts_are_handles_that_read_the_log_again(tmp_path: Path) -> None:
    words = "".join(f"line {number} é✓\n" for number in range(3000))
    log = Log()
    log.user(words)
    log.says(
        "msg_1", thinking(words), text(words + "t"), tool("toolu_1", "Write", file_path="/x", content=words)
    )
    log.result("toolu_1", [text(words), text("end")], told={"type": "create"})
    log.runs("toolu_2", "make", f"Exit code 2\n{words}", error=True)
    log.runs("toolu_3", "make all", f"Command timed out after 2m 0.0s\n{words}", error=True)
    session = read_log(log, tmp_path)
    first, second, third = calls(session)
    texts = [
        part.text for message in session.messages for part in message.parts if isinstance(part, TextPart)
    ]
    assert all(one.long for one in texts)
    assert [one.whole() for one in texts] == [words, words + "t"]
    assert first.input.long
    assert first.arguments() == {"file_path": "/x", "content": words}
    assert first.output is not None
    assert first.output.long
    assert whole(first) == f"{words}\nend"
    assert second.exit == 2
    assert whole(second) == words
    assert third.timed_out
    assert whole(third) == words


def test_no_message_at_all_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "notes.jsonl"
    path.write_bytes(b'{"type":"summary","summary":"A title","leafUuid":"u"}\n')
    with pytest.raises(ReadError, match="no message"):
        readers.read(path)


def test_a_title_is_that_of_its_own_leaf(tmp_path: Path) -> None:
    log = made.split_message()
    other = b'{"type":"summary","summary":"Of another session","leafUuid":"not-here"}\n'
    mine = json.dumps(
        {"type": "summary", "summary": "Queue and worker", "leafUuid": log.lines[-1]["uuid"]}
    ).encode()
    path = tmp_path / "log.jsonl"
    path.write_bytes(other + mine + b"\n" + log.data())
    assert read(path).title == "Queue and worker"


def test_exit_codes_that_the_client_takes_for_answers(tmp_path: Path) -> None:
    log = Log()
    log.user("look")
    log.runs("toolu_1", "grep x y", "", told=printed("", returnCodeInterpretation="No matches found"))
    log.runs("toolu_2", "ls", "a")
    assert [call.exit for call in calls(read_log(log, tmp_path))] == [1, 0]


def test_sessions_of_a_folder_stay_apart_though_hooks_come_first(tmp_path: Path) -> None:
    for number in range(3):
        log = Log(f"5e55a000-0000-4000-8000-0000000000a{number}")
        log.add("progress", data={"type": "hook_progress", "hookEvent": "SessionStart"}, toolUseID="h")
        log.user(f"question {number}")
        log.says(f"msg_{number}", text("Answer."))
        (tmp_path / f"{log.session}.jsonl").write_bytes(b"{half\n" + log.data())
    sessions = readers.read(tmp_path)
    assert [len(session.messages) for session in sessions] == [2, 2, 2]
    assert [len(session.gaps) for session in sessions] == [1, 1, 1]


def test_a_call_without_result_is_stopped_with_its_turn(tmp_path: Path) -> None:
    log = Log()
    log.user("restart it")
    log.says(
        "msg_1", tool("toolu_1", "Bash", command="ssh db1 'systemctl restart postgresql'"), stop="tool_use"
    )
    log.user([text("[Request interrupted by user for tool use]")])
    (call,) = calls(read_log(log, tmp_path))
    assert (call.status, call.interrupted, call.output) == ("running", True, None)


def test_older_clients_note_an_interruption_as_the_assistant(tmp_path: Path) -> None:
    log = Log(version="1.0.17")
    log.user("go")
    log.says("msg_1", text("[Request interrupted by user]"), model="<synthetic>", stop="stop_sequence")
    message = read_log(log, tmp_path).messages[1]
    assert message.interruption
    assert message.empty


@pytest.mark.parametrize(
    "words",
    [
        "Command running in background with ID: b31f1b9. Output is being written to: /tmp/tasks/b31f1b9.output",
        "Command was manually backgrounded by user with ID: b31f1b9",
        "Command exceeded its time and was moved to the background with ID: b31f1b9. It is still running.",
    ],
)
def test_words_of_the_background(tmp_path: Path, words: str) -> None:
    log = Log()
    log.user("build")
    log.runs("toolu_1", "make all", words)
    log.says("msg_p", tool("toolu_2", "TaskOutput", task_id="b31f1b9"), stop="tool_use")
    log.result("toolu_2", "<status>failed</status>\n<exit_code>2</exit_code>", told={})
    start, poll = calls(read_log(log, tmp_path))
    assert (start.background, start.exit, start.timed_out) == (True, None, False)
    assert (poll.continues, poll.exit, poll.background) == ("toolu_1", 2, False)


def test_a_line_of_very_many_objects(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(b"{}" * 100_000 + b"\n" + made.split_message().data())
    session = read(path)
    assert len(session.messages) == 3
    assert [gap.reason for gap in session.gaps] == [
        "a line is no readable JSON object",
        "1000 lines of a kind that is not known here (no type)",
    ]


def test_gaps_of_a_session_without_messages_are_kept(tmp_path: Path) -> None:
    log, other = made.split_message(), Log("5e55a000-0000-4000-8000-00000000000e")
    other.result("toolu_x", "left over")
    path = tmp_path / "log.jsonl"
    path.write_bytes(other.data() + log.data())
    session = read(path)
    assert len(session.messages) == 3
    assert "toolu_x" in session.gaps[0].reason


def test_a_second_call_under_a_used_id_keeps_its_command_and_result(tmp_path: Path) -> None:
    log = Log()
    log.user("restart both")
    log.runs("toolu_1", "systemctl restart web", "web is up")
    log.runs("toolu_1", "systemctl restart db", "db is up")
    log.says(
        "msg_p",
        tool("toolu_2", "Bash", command="uptime"),
        tool("toolu_2", "Bash", command="free"),
        stop="tool_use",
    )
    log.result("toolu_2", "up 3 days")
    log.result("toolu_2", "Mem: 1 GB")
    session = read_log(log, tmp_path)
    shown = [
        (call.id, call.arguments()["command"], call.output.whole()) for call in calls(session) if call.output
    ]
    assert shown == [
        ("toolu_1", "systemctl restart web", "web is up"),
        ("toolu_1#2", "systemctl restart db", "db is up"),
        ("toolu_2", "uptime", "up 3 days"),
        ("toolu_2#2", "free", "Mem: 1 GB"),
    ]
    assert sum("another call under the id" in gap.reason for gap in session.gaps) == 2


def test_a_call_written_before_its_input_came_takes_it(tmp_path: Path) -> None:
    log = Log()
    log.user("restart")
    log.says("msg_p", tool("toolu_1", "Bash"), stop=None)
    log.says("msg_p", tool("toolu_1", "Bash", command="systemctl restart web"), stop="tool_use")
    log.result("toolu_1", "web is up")
    (call,) = calls(read_log(log, tmp_path))
    assert call.arguments() == {"command": "systemctl restart web"}
    assert call.output is not None


@pytest.mark.parametrize(
    ("told", "shown"),
    [
        ({"stdout": "", "stderr": "no such unit"}, "no such unit"),
        ({"stdout": "one", "stderr": "two"}, "one\ntwo"),
        ("Error: no such unit", "Error: no such unit"),
        ({"stdout": "", "stderr": ""}, ""),
    ],
)
@pytest.mark.parametrize("content", ["", None, []])
def test_a_result_that_only_the_client_kept(content: Any, told: Any, shown: str, tmp_path: Path) -> None:
    log = Log()
    log.user("restart")
    log.says("msg_p", tool("toolu_1", "Bash", command="systemctl restart web"), stop="tool_use")
    log.result("toolu_1", content, told=told)
    (call,) = calls(read_log(log, tmp_path))
    assert call.output is not None or call.error is not None or not shown
    assert shown in "".join(text.whole() for text in (call.output, call.error) if text is not None)


def test_a_document_that_was_handed_over_as_its_words(tmp_path: Path) -> None:
    words = "restart at night only\n" * 1000
    source = {"type": "text", "media_type": "text/plain", "data": words}
    log = Log()
    log.user(
        [{"type": "document", "title": "runbook", "source": source}, {"type": "text", "text": "follow it"}]
    )
    log.says("msg_p", {"type": "text", "text": "I will."})
    message = read_log(log, tmp_path).messages[0]
    assert [(part.text.whole(), part.synthetic) for part in message.parts if isinstance(part, TextPart)] == [
        (words, True),
        ("follow it", False),
    ]
    assert message.human
