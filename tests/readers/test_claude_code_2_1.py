"""What the real client 2.1.332 writes of limits, the background and silence, in its files and in its stream."""

from __future__ import annotations

from pathlib import Path

import pytest
from sessionlens.rules.unacknowledged_long_running_restart import UnacknowledgedLongRunningRestart

from sessionlens import engine, readers
from sessionlens.model import Call, Session

FIXTURES = Path(__file__).parents[2] / "fixtures" / "claude_code"


def one(name: str) -> Session:
    (session,) = readers.read(FIXTURES / f"2.1.332_{name}.jsonl")
    assert session.client_version == "2.1.332"
    return session


def calls(session: Session) -> list[Call]:
    return [call for message in session.messages for call in message.calls]


@pytest.mark.parametrize("name", ["moved_to_background", "background", "mcp_limit"])
def test_no_kind_of_line_is_unknown(name: str) -> None:
    assert list(one(name).all_gaps()) == []


@pytest.mark.parametrize("name", ["moved_to_background", "moved_to_background_stream"])
def test_a_limit_moves_a_command_to_the_background(name: str) -> None:
    session = one(name)
    disk, restart, missing = calls(session)
    assert (disk.exit, disk.background) == (0, False)
    assert (restart.background, restart.timed_out, restart.limit_ms, restart.exit) == (
        True,
        False,
        2500,
        None,
    )
    assert restart.output is not None
    assert restart.output.head.startswith(
        "Stopping vllm.service\nCommand did not complete within its 3s timeout"
    )
    assert missing.exit == 1


@pytest.mark.parametrize("name", ["moved_to_background", "moved_to_background_stream"])
def test_an_answer_without_text_shows_by_what_the_client_asks_then(name: str) -> None:
    session = one(name)
    at = next(
        index
        for index, message in enumerate(session.messages)
        if message.role == "assistant" and message.empty
    )
    after = session.messages[at + 1]
    assert (after.role, after.human) == ("user", False)
    assert after.parts[0].text.head.startswith("[Your previous response had no visible output")  # type: ignore[union-attr]
    assert sum(message.human for message in session.messages) == (0 if "stream" in name else 1)


@pytest.mark.parametrize("name", ["moved_to_background", "moved_to_background_stream"])
def test_a_task_that_the_client_stopped_when_nobody_was_told_any_more_stays_open(name: str) -> None:
    session = one(name)
    last = session.messages[-1]
    assert (last.role, last.human, last.calls) == ("user", False, ())
    audit = engine.audit(session, rules=(UnacknowledgedLongRunningRestart(),))
    assert [one.rule for one in audit.findings] == ["unacknowledged-long-running-restart"]
    (operation,) = audit.graph.ledger
    assert (operation.opened_by, operation.closed_by) == ("detached", "none")


@pytest.mark.parametrize("name", ["background", "background_stream"])
def test_the_end_of_a_task_is_told_once_and_closes_it(name: str) -> None:
    session = one(name)
    start = calls(session)[0]
    assert (start.background, start.limit_ms) == (True, None)
    polls = [call for call in calls(session) if call.name in ("BashOutput", "TaskOutput")]
    # The client no longer has these tools: a refused poll tells nothing of the task.
    assert [(call.continues, call.status) for call in polls] == [(None, "error")] * 2
    notices = [call for call in calls(session) if call.name == "task-notification"]
    assert [(call.continues, call.exit, call.status) for call in notices] == [(start.id, 2, "error")]


def test_the_limit_of_a_tool_server() -> None:
    (call,) = calls(one("mcp_limit"))
    assert (call.timed_out, call.limit_ms, call.status) == (True, 2000, "error")
    assert call.error is not None
    assert call.error.head == 'MCP server "ops" tool "restart" timed out after 2s'
