"""Streams of `codex exec --json`: of the real client 0.171.0 beside the rollouts of the same runs, and made up."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from sessionlens.rules.empty_message_after_timeout import EmptyMessageAfterTimeout
from sessionlens.rules.unacknowledged_long_running_restart import UnacknowledgedLongRunningRestart

from sessionlens import engine, readers
from sessionlens.model import Call, Session
from sessionlens.readers import Source, stores

FIXTURES = Path(__file__).parents[2] / "fixtures"
STREAMS = FIXTURES / "codex_exec"
STORE = FIXTURES / "codex" / "0.171.0"
NAMES = ("running_on", "mcp_limit", "patch", "helper", "failed", "polled", "stopped")


def stream(name: str) -> Session:
    (session,) = readers.read(STREAMS / f"0.171.0_{name}.jsonl")
    return session


def rollout(session: str) -> Session:
    path = next(STORE.rglob(f"*{session}.jsonl"))
    return next(one for top in readers.read(path) for one in top.family() if one.id == session)


def calls(session: Session) -> list[Call]:
    return [call for message in session.messages for call in message.calls]


def written(tmp_path: Path, *events: dict[str, Any]) -> Path:
    path = tmp_path / "stream.jsonl"
    path.write_text("".join(json.dumps(event) + "\n" for event in events))
    return path


@pytest.mark.parametrize("name", NAMES)
def test_one_reader_claims_it(name: str) -> None:
    source = Source(STREAMS / f"0.171.0_{name}.jsonl")
    assert [one for one, _ in readers.registered() if readers.get(one).recognises(source) is None] == [
        "codex-exec"
    ]


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("polled", "patch")])
def test_a_stream_tells_what_the_rollout_tells(name: str) -> None:
    """Polls and refused calls are not in the stream; prompts and what the client adds are not either."""
    seen = stream(name)
    whole = rollout(seen.id)

    def told(session: Session) -> list[tuple[object, ...]]:
        return [
            (call.timed_out, call.exit, call.limit_ms, call.background, call.child) for call in calls(session)
        ]

    def prose(session: Session) -> list[str]:
        return [part.text.whole() for m in session.messages if m.role == "assistant" for part in m.texts()]

    if name != "stopped":
        assert told(seen) == told(whole)
    assert prose(seen) == prose(whole)
    last = [[m.empty, m.error is None] for m in (seen.messages[-1], whole.messages[-1])]
    assert last[0] == last[1] or name == "stopped"


def test_a_restart_that_runs_on_and_an_answer_without_text() -> None:
    session = stream("running_on")
    restart = calls(session)[1]
    assert (restart.background, restart.exit, restart.output, restart.status) == (True, None, None, "running")
    assert [message.empty for message in session.messages] == [False, False, False, True]
    assert (session.messages[-1].finish, session.messages[-1].tokens_out) == ("stop", 0)
    audit = engine.audit(session, rules=(UnacknowledgedLongRunningRestart(), EmptyMessageAfterTimeout()))
    assert [(one.rule, one.at.message_index) for one in audit.findings] == [
        ("unacknowledged-long-running-restart", 1)
    ]


def test_the_rollout_of_the_same_run_is_judged_alike() -> None:
    audit = engine.audit(rollout(stream("running_on").id), rules=(UnacknowledgedLongRunningRestart(),))
    assert [one.rule for one in audit.findings] == ["unacknowledged-long-running-restart"]


def test_the_limit_of_a_tool_server() -> None:
    for session in (stream("mcp_limit"), rollout(stream("mcp_limit").id)):
        cut, status = calls(session)
        assert (cut.name, cut.timed_out, cut.limit_ms, cut.status) == (
            "mcp__ops__restart",
            True,
            2000,
            "error",
        )
        assert (status.timed_out, status.output.head if status.output else "") == (False, "active (running)")


def test_patches_agents_errors_and_stops() -> None:
    patch, failing = calls(stream("patch"))
    assert patch.arguments() == {
        "input": "*** Begin Patch\n*** Add File: /home/dev/shop/b.txt\n*** End Patch"
    }
    assert failing.exit == 3
    (spawned,) = calls(stream("helper"))
    assert (spawned.name, spawned.child) == ("spawn_agent", "01a22b69-aed3-7f70-9b71-e8e2aae62ead")
    (refused,) = stream("failed").messages
    assert refused.error is not None
    assert "bad request" in refused.error.text
    (open_call,) = calls(stream("stopped"))
    assert (open_call.status, open_call.background, open_call.interrupted) == ("running", False, False)
    (poll,) = calls(stream("polled"))
    assert (poll.exit, poll.output.head if poll.output else None) == (0, "begin\nend\n")


def test_rollouts_of_a_new_client_hold_nothing_unknown() -> None:
    found = [one for top in readers.read(STORE) for one in top.family()]
    assert len(found) == 8
    assert not [gap for session in found for gap in session.all_gaps()]
    assert {session.client_version for session in found} == {"0.171.0"}
    stopped = rollout(stream("stopped").id)
    assert calls(stopped)[0].interrupted
    assert stopped.messages[-1].interruption
    failed = rollout(stream("failed").id)
    assert failed.messages[-1].error is not None
    parent = rollout(stream("helper").id)
    assert [child.parent for child in parent.children] == [parent.id]


def test_archived_sessions_are_in_the_store(tmp_path: Path) -> None:
    (tmp_path / ".codex").symlink_to(STORE)
    (store,) = stores.local({}, tmp_path)
    listed = {one.id: one for one in stores.sessions([store])}
    archived = stream("polled").id
    assert len(listed) == 8
    assert listed[archived].store.endswith("archived_sessions")
    assert stores.load(archived, [store]).id == archived
    assert len(list(store.read())) == 7


def test_a_store_with_archived_sessions_alone(tmp_path: Path) -> None:
    folder = tmp_path / ".codex" / "archived_sessions"
    folder.mkdir(parents=True)
    path = next((STORE / "archived_sessions").iterdir())
    (folder / path.name).write_bytes(path.read_bytes())
    assert [one.id for one in stores.sessions(stores.local({}, tmp_path))] == [stream("polled").id]
    assert [one.id for one in stores.sessions([stores.at(tmp_path / ".codex")])] == [stream("polled").id]


def test_an_agent_of_an_archived_session_is_found(tmp_path: Path) -> None:
    helper = stream("helper").id
    sessions = tmp_path / "sessions" / "2026" / "11" / "30"
    archived = tmp_path / "archived_sessions"
    for folder in (sessions, archived):
        folder.mkdir(parents=True)
    for path in STORE.rglob("rollout-*.jsonl"):
        (archived if path.stem.endswith(helper) else sessions).joinpath(path.name).write_bytes(
            path.read_bytes()
        )
    (parent,) = readers.read(next(archived.iterdir()))
    assert [child.id for child in parent.children] == ["01a22b69-aed3-7f70-9b71-e8e2aae62ead"]


def test_items_that_are_updated_declined_or_unknown(tmp_path: Path) -> None:
    item = {"id": "item_1", "type": "agent_message", "text": "I b"}
    plan = {"id": "item_2", "type": "todo_list", "items": [{"text": "restart", "completed": False}]}
    done = {**plan, "items": [{"text": "restart", "completed": True}]}
    declined = {"id": "item_3", "type": "command_execution", "command": "reboot", "aggregated_output": "",
                "exit_code": None, "status": "declined"}  # fmt: skip
    cut = {"id": "item_4", "type": "command_execution", "command": "make", "status": "failed", "exit_code": 124,
           "aggregated_output": "command timed out after 10012 milliseconds\nbuilding"}  # fmt: skip
    path = written(
        tmp_path,
        {"type": "thread.started", "thread_id": "t-1"},
        {"type": "turn.started"},
        {"type": "item.started", "item": item},
        {"type": "item.completed", "item": {**item, "text": "I begin."}},
        {"type": "item.started", "item": plan},
        {"type": "item.updated", "item": done},
        {"type": "item.completed", "item": declined},
        {"type": "item.completed", "item": cut},
        {"type": "item.completed", "item": {"id": "item_5", "type": "hologram"}},
        {"type": "dream"},
    )
    (session,) = readers.read(path)
    assert [part.text.head for m in session.messages for part in m.texts()] == ["I begin."]
    todo, refused, limited = calls(session)
    assert todo.arguments() == {"plan": [{"text": "restart", "completed": True}]}
    assert (refused.status, refused.error.head if refused.error else "") == ("error", "rejected by user")
    assert (limited.timed_out, limited.exit) == (True, None)
    assert [gap.reason for gap in session.gaps] == [
        "1 record of an unknown kind (item hologram), the first here",
        "1 record of an unknown kind (event dream), the first here",
    ]


def test_a_resumed_thread_goes_on_and_others_are_apart(tmp_path: Path) -> None:
    def turn(thread: str, number: int, words: str) -> list[dict[str, Any]]:
        return [
            {"type": "thread.started", "thread_id": thread},
            {"type": "turn.started"},
            {
                "type": "item.completed",
                "item": {"id": f"item_{number}", "type": "agent_message", "text": words},
            },
            {"type": "turn.completed", "usage": {"input_tokens": 1, "output_tokens": 1}},
        ]

    path = written(tmp_path, *turn("a", 0, "one"), *turn("b", 0, "two"), *turn("a", 1, "three"))
    found = {
        one.id: [part.text.head for m in one.messages for part in m.texts()] for one in readers.read(path)
    }
    assert found == {"a": ["one", "three"], "b": ["two"]}


def test_the_form_before_0_44(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        {"model": "m-1", "workdir": "/srv/shop", "provider": "p", "approval": "never"},
        {"prompt": "restart nginx"},
        {"id": "0", "msg": {"type": "task_started", "model_context_window": 1}},
        {"id": "0", "msg": {"type": "agent_reasoning", "text": "Look first."}},
        {"id": "0", "msg": {"type": "agent_message", "message": "I restart it."}},
        {"id": "0", "msg": {"type": "exec_command_begin", "call_id": "c1", "command": ["bash", "-lc", "systemctl restart nginx"],
                            "cwd": "/srv/shop"}},
        {"id": "0", "msg": {"type": "exec_command_end", "call_id": "c1", "stdout": "", "stderr": "", "exit_code": 124,
                            "aggregated_output": "command timed out after 10003 milliseconds"}},
        {"id": "0", "msg": {"type": "mcp_tool_call_begin", "call_id": "c2",
                            "invocation": {"server": "ops", "tool": "status", "arguments": {"name": "nginx"}}}},
        {"id": "0", "msg": {"type": "mcp_tool_call_end", "call_id": "c2",
                            "result": {"Err": "tool call failed for `ops/status`\n\nCaused by:\n    timed out awaiting tools/call after 60s"}}},
        {"id": "0", "msg": {"type": "patch_apply_begin", "call_id": "c3", "changes": {"/srv/a.conf": {"update": {}}}}},
        {"id": "0", "msg": {"type": "patch_apply_end", "call_id": "c3", "success": False, "stderr": "no such file"}},
        {"id": "0", "msg": {"type": "task_complete", "last_agent_message": None}},
    )  # fmt: skip
    (session,) = readers.read(path)
    assert [(m.role, m.empty) for m in session.messages] == [
        ("user", False), ("assistant", False), ("assistant", False), ("assistant", False), ("assistant", True),
    ]  # fmt: skip
    restart, status, patch = calls(session)
    assert (restart.timed_out, restart.arguments()["command"][2]) == (True, "systemctl restart nginx")
    assert (status.name, status.timed_out, status.limit_ms) == ("mcp__ops__status", True, 60_000)
    assert (patch.status, patch.error.head if patch.error else "") == ("error", "no such file")
    assert session.directory == "/srv/shop"


def test_half_a_stream_is_told(tmp_path: Path) -> None:
    path = tmp_path / "half.jsonl"
    path.write_bytes((STREAMS / "0.171.0_running_on.jsonl").read_bytes()[:-150])
    (session,) = readers.read(path)
    assert session.truncated
    assert any("stops within" in gap.reason for gap in session.gaps)
