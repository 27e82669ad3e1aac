"""opencode's second generation of messages: rows, answers of the server, events; of the real client and made up."""

from __future__ import annotations

import json
import pickle
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest
from sessionlens.rules.empty_message_after_timeout import EmptyMessageAfterTimeout
from sessionlens.rules.unacknowledged_long_running_restart import UnacknowledgedLongRunningRestart

from sessionlens import engine, readers
from sessionlens.model import Call, Compaction, Session, Text, TextPart, Unread, content
from sessionlens.readers import ReadError, Source, stores
from sessionlens.readers.opencode import Raw
from sessionlens.readers.opencode_db import Database
from sessionlens.readers.opencode_v2 import Record, messages

FIXTURES = Path(__file__).parents[2] / "fixtures" / "opencode_v2"
STORE = FIXTURES / "1.18.34" / "opencode.db"
TIMEOUT_EMPTY = "ses_dd4a96914ffeuVvrCISrGIFaya"
ABORT_TOOL = "ses_dd4a92e9dffev128a0kfnJXZ1s"
FORMS = (
    "1.18.34_timeout_empty.jsonl",
    "1.18.34_timeout_empty_api.jsonl",
    "1.18.34_timeout_empty_history.json",
    "1.18.34_timeout_empty_messages.json",
)


def stored(session: str) -> Session:
    (found,) = readers.read(STORE, session=session)
    return found


def by_asked(words: str) -> Session:
    """The stored session in which the person asked this first."""
    return next(
        one for one in readers.read(STORE) if any(part.text.head == words for part in one.messages[0].texts())
    )


def said(session: Session) -> object:
    """Messages without their places."""
    found = content(session)
    assert isinstance(found, dict)
    return found["messages"]


def record(kind: str, **data: Any) -> Record:
    raw = msgspec.json.encode({"time": {"created": 1}, **data})
    return Record(kind=kind, raw=Raw(data=raw, id=f"msg_{kind}", fetch=bytes(raw).__bytes__))


@pytest.mark.parametrize("name", FORMS)
def test_every_form_tells_the_same_messages(name: str) -> None:
    (session,) = readers.read(FIXTURES / name)
    assert said(session) == said(stored(TIMEOUT_EMPTY))


@pytest.mark.parametrize("name", [*FORMS, "1.18.34_abort_tool_messages.json"])
def test_one_reader_claims_each_form(name: str) -> None:
    source = Source(FIXTURES / name)
    claims = [one for one, _ in readers.registered() if readers.get(one).recognises(source) is None]
    assert claims == ["opencode-events" if name.endswith(".jsonl") else "opencode-api"]


def test_a_cut_off_and_an_empty_answer_are_found() -> None:
    session = stored(TIMEOUT_EMPTY)
    restart = session.messages[3].calls[0]
    assert (restart.timed_out, restart.limit_ms, restart.exit, restart.status) == (
        True,
        3000,
        None,
        "completed",
    )
    assert (restart.end or 0) - (restart.start or 0) >= 3000
    assert session.messages[4].empty
    audit = engine.audit(session, rules=(EmptyMessageAfterTimeout(), UnacknowledgedLongRunningRestart()))
    assert [(one.rule, one.at.message_index) for one in audit.findings] == [
        ("unacknowledged-long-running-restart", 3),
        ("empty-message-after-timeout", 4),
    ]
    assert audit.findings[1].facts["cause"] == "model_returned_nothing"


def test_both_generations_stand_side_by_side() -> None:
    found = readers.read(STORE)
    assert len(found) == 11
    assert not [gap for session in found for gap in session.all_gaps()]
    first = by_asked("Which log level is configured?")
    assert first.title == "Mock:  title for this conversation: Which log"
    assert {session.client_version for session in found} == {"1.18.34"}
    assert {session.source_format for session in found} == {"opencode-db"}


def test_what_the_person_stopped() -> None:
    session = stored(ABORT_TOOL)
    (call,) = session.messages[1].calls
    assert (call.interrupted, call.timed_out, call.status) == (True, False, "error")
    assert not session.messages[1].interruption
    essay = by_asked("Write a long essay.")
    assert essay.messages[1].interruption
    assert essay.messages[1].finish == "error"


def test_a_killed_server_is_no_stop_of_the_person() -> None:
    killed = stored("ses_dd4a83cd9ffe67fRhpjUvZJWDa")
    (call,) = killed.messages[-1].calls
    assert (call.status, call.interrupted, killed.messages[-1].ended) == ("running", False, None)
    item = {"type": "tool", "id": "c", "name": "bash", "state": {"status": "error", "input": {}, "content": [],
            "structured": {}, "error": {"type": "unknown", "message": "Tool execution interrupted"}}, "time": {"created": 1}}  # fmt: skip
    for time, troubled, stopped in (
        ({"created": 1}, False, False),
        ({"created": 1, "completed": 2}, False, True),
        ({"created": 1, "completed": 2}, True, False),
    ):
        error = {"error": {"type": "unknown", "message": "HTTP 500"}} if troubled else {}
        (message,) = messages([record("assistant", content=[item], time=time, **error)])
        assert message.calls[0].interrupted is stopped


def test_how_tools_fail_and_answers_stay_empty() -> None:
    failed = by_asked("Trigger tool errors.")
    errors = [call.error.head.splitlines()[0] for m in failed.messages for call in m.calls if call.error]
    assert errors == [
        "Could not find oldString in the file. It must match exactly, including whitespace and indentation.",
        "Unable to read /home/dev/shop-api/nope/missing.txt",
        "Invalid tool input: Missing key",
    ]
    broken = failed.messages[-1]
    assert broken.error is not None
    assert (broken.calls[0].status, broken.calls[0].input.head) == ("pending", '{"command": "ls", ')
    empties = by_asked("Reply nothing at all")
    assert [m.empty for m in empties.messages if m.role == "assistant"] == [True, True, True, False]
    assert [m.finish for m in by_asked("Reply 400 plain").messages if m.role == "assistant"] == [
        "error", "content-filter", "length",
    ]  # fmt: skip


def test_what_was_undone_is_marked_and_switches_are_no_messages() -> None:
    session = by_asked("Raise the worker count to 8")
    assert [m.reverted for m in session.messages] == [False, False, False, True, True, True]
    assert len(session.messages[3].aliases) == 2
    assert [(m.agent, m.model) for m in session.messages if m.role == "assistant"] == [
        ("build", "mock-1"), ("build", "mock-1"), ("plan", "mock-small"), ("plan", "mock-small"),
    ]  # fmt: skip


def test_kinds_that_no_sample_has_are_read_by_their_types() -> None:
    shell = record(
        "shell", callID="c1", command="uptime", output="up 3 days", time={"created": 1, "completed": 5}
    )
    compaction = record("compaction", reason="auto", summary="Goal: …", recent="last words")
    synthetic = record("synthetic", sessionID="ses_1", text="Called the tool")
    system = record("system", text="You are …")
    typed, summary, note, prompt = messages([shell, compaction, synthetic, system])
    (call,) = typed.calls
    assert (call.name, call.input.head, call.output, call.limit_ms) == (
        "bash", '{"command":"uptime"}', Text("up 3 days"), None,
    )  # fmt: skip
    assert (summary.role, summary.summary, summary.human) == ("user", True, False)
    assert isinstance(summary.parts[0], Compaction)
    assert [part.text.head for part in summary.parts if isinstance(part, TextPart)] == [
        "Goal: …",
        "last words",
    ]
    assert (note.role, note.human) == ("user", False)
    assert (prompt.role, prompt.human) == ("system", False)


def test_unknown_kinds_become_gaps_with_their_names() -> None:
    strange = record("dream", text="…")
    part = record("assistant", content=[{"type": "hologram"}, {"type": "text", "text": "ok"}])
    broken = Record(kind="assistant", raw=Raw(data=b'{"time": {', id="msg_b"))
    first, second, third = messages([strange, part, broken])
    assert first.parts[0] == Unread(reason="a message of a kind that is not known here (dream)")
    assert (first.role, first.human) == ("unknown", False)
    assert second.parts[0] == Unread(reason="a part of a kind that is not known here (hologram)")
    assert not second.empty
    assert isinstance(third.parts[0], Unread)


def test_long_texts_are_read_again(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    path.write_bytes(STORE.read_bytes())
    with closing(sqlite3.connect(path)) as connection:
        row = connection.execute(
            "SELECT id, data FROM session_message WHERE session_id = ? AND data LIKE '%restart.sh%'",
            (TIMEOUT_EMPTY,),
        ).fetchone()
        data = json.loads(row[1])
        tool = data["content"][-1]
        tool["state"] = {"status": "completed", "input": {"command": "x" * 9000}, "structured": {"exit": 0},
                         "content": [{"type": "text", "text": "y" * 9000}, {"type": "text", "text": "Command exited with code 0."}],
                         "outputPaths": ["/home/dev/.local/share/opencode/tool-output/tool_1"]}  # fmt: skip
        connection.execute("UPDATE session_message SET data = ? WHERE id = ?", (json.dumps(data), row[0]))
        connection.commit()
    (session,) = readers.read(path, session=TIMEOUT_EMPTY)
    call: Call = pickle.loads(pickle.dumps(session.messages[3].calls[0]))
    assert call.output is not None
    assert (call.output.long, call.input.long) == (True, True)
    assert call.output.whole() == "y" * 9000
    assert call.input.whole() == json.dumps({"command": "x" * 9000}, separators=(",", ":"))
    assert (call.exit, call.truncated, call.spilled is not None) == (0, True, True)


def test_a_database_without_the_first_tables(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    path.write_bytes(STORE.read_bytes())
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP TABLE part")
        connection.execute("DROP TABLE message")
        connection.commit()
    assert readers.recognise(Source(path)).name == "opencode-db"
    found = {session.id: session for session in readers.read(path)}
    assert said(found[TIMEOUT_EMPTY]) == said(stored(TIMEOUT_EMPTY))


def test_a_message_in_both_tables_is_one(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    path.write_bytes(STORE.read_bytes())
    with closing(sqlite3.connect(path)) as connection:
        message, session, time = connection.execute(
            "SELECT id, session_id, time_created FROM message ORDER BY time_created LIMIT 1"
        ).fetchone()
        columns = "(id, session_id, type, seq, time_created, time_updated, data)"
        for number, key in enumerate((message, "msg_later0000000000000000000")):
            data = json.dumps({"time": {"created": time + number * 10**9}, "text": "Go on."})
            connection.execute(
                f"INSERT INTO session_message {columns} VALUES (?, ?, 'user', ?, ?, ?, ?)",
                (key, session, number, time, time, data),
            )
        connection.commit()
    (found,) = readers.read(path, session=session)
    assert [m.role for m in found.messages] == ["user", "assistant", "assistant", "user"]
    assert [m.index for m in found.messages] == [0, 1, 2, 3]
    counts = Database(path).counts([session])[session]
    assert (counts.messages, counts.calls) == (4, 1)


def test_the_list_counts_them_and_latest_finds_them(tmp_path: Path) -> None:
    folder = tmp_path / ".local" / "share" / "opencode"
    folder.mkdir(parents=True)
    (folder / "opencode.db").write_bytes(STORE.read_bytes())
    local = stores.local({}, tmp_path)
    listed = {one.id: one for one in stores.sessions(local)}
    found = listed[TIMEOUT_EMPTY]
    assert (found.messages, found.calls, found.cut_offs) == (8, 4, 1)
    assert (found.updated or 0) > (found.created or 0)
    assert stores.load(TIMEOUT_EMPTY, local).messages[4].empty
    latest = stores.load("latest", local)
    assert next(latest.messages[0].texts()).text.head == "Run the slow job."


def event(kind: str, number: int, **data: Any) -> str:
    data = {"timestamp": number, "sessionID": "ses_1", **data}
    durable = {"aggregateID": "ses_1", "seq": number, "version": 1}
    return (
        json.dumps({"id": f"evt_{number}", "type": f"session.next.{kind}", "durable": durable, "data": data})
        + "\n"
    )


def test_events_that_stop_midway_keep_what_came(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    of = {"assistantMessageID": "msg_2"}
    path.write_text(
        event("prompted.1", 1, messageID="msg_1", prompt={"text": "Restart it."}, delivery="steer")
        + event("step.started.1", 2, **of, agent="build", model={"id": "m"})
        + event("text.started", 3, **of, textID="t")
        + event("text.delta", 4, **of, textID="t", delta="Now the ")
        + event("text.delta", 5, **of, textID="t", delta="restart.")
        + event("tool.input.started", 6, **of, callID="c", name="bash")
        + event("tool.called", 7, **of, callID="c", tool="bash", input={"command": "systemctl restart x"})
        + event(
            "tool.progress", 8, **of, callID="c", structured={}, content=[{"type": "text", "text": "begun"}]
        )
        + event("retried", 9, attempt=2, error={"message": "429", "isRetryable": True})
        + event("prompt.admitted", 10, messageID="msg_3", prompt={"text": "And?"}, delivery="queue")
        + event("teleported", 11)
    )
    (session,) = readers.read(path)
    assert [m.role for m in session.messages] == ["user", "assistant", "user"]
    assert [part.text.head for part in session.messages[1].texts()] == ["Now the restart."]
    (call,) = session.messages[1].calls
    assert (call.status, call.output, call.limit_ms) == ("running", Text("begun"), 120_000)
    assert [gap.reason for gap in session.gaps] == [
        "the events begin in mid-session: messages that did not change since are missing",
        "1 events of a kind that is not known here (session.next.teleported)",
        "the request failed and the client tried again (attempt 2): 429",
        "a message of the person waits to be taken up and was not, up to the end of the log (msg_3)",
    ]


def test_an_answer_that_is_a_page_or_cut_says_so(tmp_path: Path) -> None:
    document = json.loads((FIXTURES / "1.18.34_timeout_empty_history.json").read_text())
    path = tmp_path / "a.json"
    path.write_text(json.dumps({**document, "hasMore": True}))
    (page,) = readers.read(path)
    assert [gap.reason for gap in page.gaps] == ["the server had more than this answer holds"]
    whole = (FIXTURES / "1.18.34_timeout_empty_messages.json").read_text()
    path.write_text(whole[:6000])
    (cut,) = readers.read(path)
    assert cut.truncated
    assert len(cut.messages) > 1
    path.write_text('{"data": [{"type": "user", "id": "x"}]}')
    with pytest.raises(ReadError):
        readers.read(path)
