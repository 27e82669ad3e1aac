"""SWE-agent and mini-SWE-agent: steps, histories, several attempts, both ways of a time-out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from sessionlens.rules.empty_message_after_timeout import EmptyMessageAfterTimeout
from sessionlens.rules.unacknowledged_long_running_restart import UnacknowledgedLongRunningRestart
from sessionlens.rules.unverified_production_edit import UnverifiedProductionEdit

from sessionlens import engine, readers
from sessionlens.model import Session

FIXTURES = Path(__file__).parents[2] / "fixtures" / "swe_agent"

RULES = (EmptyMessageAfterTimeout(), UnacknowledgedLongRunningRestart(), UnverifiedProductionEdit())


def one(name: str) -> Session:
    (session,) = readers.read(FIXTURES / name)
    return session


def test_steps_come_from_the_trajectory_and_the_task_from_the_history() -> None:
    session = one("scene.traj")
    assert [message.role for message in session.messages] == [
        "system",
        "user",
        "assistant",
        "assistant",
        "assistant",
    ]
    assert [call.name for message in session.messages for call in message.calls] == ["bash"] * 3
    assert session.client_version == "1.1.0"


def test_a_history_alone_joins_observations_to_their_calls() -> None:
    session = one("history_only.traj")
    assert [message.role for message in session.messages] == [
        "system",
        "user",
        "user",
        "assistant",
        "assistant",
        "user",
    ]
    assert [message.human for message in session.messages] == [False, False, True, False, False, True]
    cut = session.messages[4].calls[0]
    assert (cut.id, cut.timed_out, cut.limit_ms) == ("t2", True, 30_000)


def test_the_shell_s_state_below_an_observation_is_not_its_output(tmp_path: Path) -> None:
    tail = "\n(Open file: /a.py)\n(Current directory: /)\nbash-$"
    history = [
        {"role": "user", "content": "Run it.", "agent": "main"},
        {"role": "assistant", "content": "x", "thought": "I run it.", "action": "./rock", "agent": "main"},
        {"role": "user", "content": "\nEXECUTION TIMED OUT" + tail, "agent": "main"},
    ]
    path = tmp_path / "t.traj"
    path.write_text(json.dumps({"history": history}))
    (session,) = readers.read(path)
    (call,) = session.messages[1].calls
    assert call.output is not None
    assert call.output.whole() == "\nEXECUTION TIMED OUT"
    assert call.timed_out


def test_mini_takes_the_command_out_of_the_text() -> None:
    session = one("mini.traj.json")
    assert [message.role for message in session.messages] == [
        "system",
        "user",
        "assistant",
        "assistant",
        "assistant",
    ]
    disk, search = (message.calls[0] for message in session.messages[2:4])
    assert disk.input.whole() == '{"command":"df -h /"}'
    assert disk.output is not None
    assert (disk.output.whole(), disk.exit) == ("/dev/sda1 20G 11G 9G 55% /", 0)
    assert [part.text.whole().strip() for part in session.messages[2].texts()] == [
        "THOUGHT: look at the disk.", "That should do.",
    ]  # fmt: skip
    assert (search.timed_out, search.exit) == (True, None)
    assert session.messages[2].time == 1772445601500
    assert session.messages[4].error is not None
    assert session.messages[4].error.name == "LimitsExceeded"


def test_each_attempt_is_a_session() -> None:
    first, second = readers.read(FIXTURES / "attempts.traj")
    assert (first.id, second.id) == ("attempts-1", "attempts-2")
    assert second.messages[-1].error is not None


@pytest.mark.parametrize("form", ["toolcalls", "text", "responses"])
def test_runs_of_mini_2_tell_the_limit_times_and_exit_codes(form: str) -> None:
    """Real runs of mini-SWE-agent 2.4.6 with its own test models, in the three forms of its messages."""
    session = one(f"mini_2.4_{form}.traj.json")
    assert [message.role for message in session.messages] == ["system", "user", *["assistant"] * 5]
    disk, restart, edit, missing, _ = (message.calls[0] for message in session.messages[2:])
    assert [call.limit_ms for call in (disk, restart, edit, missing)] == [3000] * 4
    assert [call.timed_out for call in (disk, restart, edit, missing)] == [False, True, False, False]
    assert [call.exit for call in (disk, restart, edit, missing)] == [0, None, 0, 1]
    assert restart.output is not None
    assert restart.output.whole() == "Stopping vllm.service\n"
    assert (restart.end or 0) - (restart.start or 0) >= 3000
    assert session.client_version == "2.4.6"
    last = session.messages[-1]
    assert last.finish == ("LimitsExceeded" if form == "responses" else "Submitted")
    assert (last.error is not None) == (form == "responses")
    found = {(one.rule, one.at.message_index) for one in engine.audit(session, rules=RULES).findings}
    assert found == {("unacknowledged-long-running-restart", 3), ("unverified-production-edit", 4)}
