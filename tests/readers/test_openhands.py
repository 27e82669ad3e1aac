"""OpenHands: events of the application and of the SDK, limits that leave a process running, folders."""

from __future__ import annotations

import json
from pathlib import Path

from sessionlens import readers
from sessionlens.model import Compaction, Reasoning, Session, content

FIXTURES = Path(__file__).parents[2] / "fixtures" / "openhands"


def one(name: str) -> Session:
    (session,) = readers.read(FIXTURES / name)
    return session


def test_a_command_without_news_runs_on_and_is_continued() -> None:
    session = one("terminal.json")
    start, poll = session.messages[2].calls[0], session.messages[3].calls[0]
    assert (start.background, start.timed_out, start.exit) == (True, False, None)
    assert (poll.continues, poll.exit) == ("z1", 0)
    assert start.output is not None
    assert "no new output after 30 seconds" in start.output.whole()
    assert poll.output is not None
    assert poll.output.whole() == "step 9 of 9"


def test_the_hard_limit_cuts_off() -> None:
    call = one("scene.json").messages[2].calls[0]
    assert (call.timed_out, call.limit_ms, call.background) == (True, 15_000, True)


def test_actions_of_one_response_are_one_message() -> None:
    message = one("terminal.json").messages[4]
    assert [(call.name, call.exit) for call in message.calls] == [("execute_bash", 2), ("read", None)]
    assert message.aliases == ("9", "10", "11")


def test_thinking_rejections_condensations_and_errors() -> None:
    session = one("terminal.json")
    assert isinstance(session.messages[1].parts[0], Reasoning)
    assert any(isinstance(part, Compaction) for part in session.messages[5].parts)
    assert not session.messages[5].human
    refused = session.messages[6].calls[0]
    assert (refused.status, refused.interrupted) == ("error", False)
    assert session.messages[6].error is not None
    assert [gap.reason for gap in session.gaps] == ["the result of a call that this log does not hold (999)"]


def test_the_sdk_s_events() -> None:
    session = one("sdk.jsonl")
    health, keys, view = (message.calls[0] for message in session.messages[2:5])
    assert (health.timed_out, health.limit_ms, health.background) == (True, 20_000, True)
    assert json.loads(health.input.whole()) == {
        "command": "curl -f http://gpu7:8000/health",
        "is_input": False,
        "timeout": 20.0,
    }
    assert (keys.continues, keys.exit) == ("s1", 130)
    assert view.error is not None
    assert session.messages[4].interruption
    assert session.messages[5].finish == "stop"


def test_a_folder_of_event_files_is_the_same_session() -> None:
    folder, lines = one("conversation"), one("sdk.jsonl")
    assert [content(message) for message in folder.messages] == [
        content(message) for message in lines.messages
    ]
    assert folder.messages[1].origin.file == "events/event-00001-ev-2.json"


def test_the_history_of_an_evaluation(tmp_path: Path) -> None:
    events = json.loads((FIXTURES / "terminal.json").read_text())
    flat = {"instance_id": "task-1", "history": events, "metrics": {}}
    pairs = {"instance_id": "task-2", "history": [[events[0], events[0]], [events[3], events[4]]]}
    path = tmp_path / "output.jsonl"
    path.write_text(json.dumps(flat) + "\n" + json.dumps(pairs) + "\n")
    first, second = readers.read(path)
    assert (first.id, second.id) == ("task-1", "task-2")
    assert len(first.messages) == len(one("terminal.json").messages)
    assert second.messages[-1].calls[0].background


def test_a_real_conversation_of_the_sdk() -> None:
    """Made with openhands-sdk and openhands-tools 1.58.2 against a scripted model."""
    (session,) = readers.read(FIXTURES / "1.58.2")
    assert not session.gaps
    assert [message.role for message in session.messages] == ["system", "user", *["assistant"] * 6]
    disk, restart, key, missing, tool = (call for message in session.messages for call in message.calls)
    assert (disk.exit, missing.exit) == (0, 1)
    assert (restart.timed_out, restart.background, restart.limit_ms, restart.exit) == (True, True, 4000, None)
    assert (key.continues, key.exit) == (restart.id, 130)
    assert (tool.name, tool.input.whole()) == ("restart", '{"service":"nginx"}')
    assert [part.text.head for part in session.messages[-1].texts()][
        -1
    ] == "The restart gave no answer in time."
    assert readers.read(FIXTURES / "1.58.2" / "events")[0].messages[3].calls[0].timed_out
