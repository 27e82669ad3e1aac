"""Copilot CLI: real empty answers, shells that stay open, stops, logs that begin in the middle."""

from __future__ import annotations

from pathlib import Path

from sessionlens import readers
from sessionlens.model import File, Session

FIXTURES = Path(__file__).parents[2] / "fixtures" / "copilot_cli"


def one(name: str) -> Session:
    (session,) = readers.read(FIXTURES / name)
    return session


def test_an_answer_without_content_is_really_empty() -> None:
    message = one("scene.jsonl").messages[2]
    assert message.empty
    assert message.tokens_out == 12
    assert message.finish == "stop"
    assert message.error is None


def test_the_system_prompt_is_the_client_s_part_of_the_person_s_message() -> None:
    session = one("scene.jsonl")
    first = session.messages[0]
    assert [part.text.whole() for part in first.texts()] == [
        "Restart the model server on gpu7 with the new flag."
    ]
    assert first.human
    assert session.find("00000000-0000-4000-8000-000000000002") is first
    assert session.directory == "/home/op"
    assert session.client_version == "1.0.68"


def test_exit_codes_errors_and_attachments() -> None:
    session = one("shells.jsonl")
    build, failing, view = session.messages[1].calls
    assert (failing.exit, failing.status) == (1, "completed")
    assert (view.status, view.error and view.error.whole()) == ("error", "Path does not exist")
    assert build.exit is None
    assert any(isinstance(part, File) and part.name == "notes.md" for part in session.messages[0].parts)


def test_a_shell_that_stays_open_is_continued_by_its_reader() -> None:
    session = one("shells.jsonl")
    build = session.messages[1].calls[0]
    poll = session.messages[2].calls[0]
    assert build.background
    assert (poll.continues, poll.exit, poll.background) == ("b1", 0, False)


def test_a_stop_interrupts_what_runs_and_one_before_any_answer_is_a_message_of_its_own() -> None:
    session = one("shells.jsonl")
    assert session.messages[3].interruption
    assert session.messages[3].calls[0].interrupted
    assert session.messages[5].role == "assistant"
    assert session.messages[5].interruption


def test_unknown_events_are_told() -> None:
    assert [gap.reason for gap in one("shells.jsonl").gaps] == [
        "1 record of an unknown kind (something.new), the first here"
    ]


def test_a_log_that_begins_in_the_middle() -> None:
    session = one("mid_session.jsonl")
    assert session.messages[0].calls[0].exit == 0
    assert session.messages[0].calls[0].input.whole() == '{"command":"uptime"}'
    assert session.messages[1].finish == "stop"
    assert "lost" in session.gaps[0].reason


def test_a_real_session_with_a_command_that_runs_on_beyond_its_limit() -> None:
    session = one("1.0.102_still_running.jsonl")
    assert session.client_version == "1.0.102"
    assert not session.gaps
    assert [message.role for message in session.messages] == ["user", *["assistant"] * 5]
    assert [message.empty for message in session.messages] == [False, False, False, True, False, False]
    assert [part.text.whole() for part in session.messages[0].texts()] == [
        "Restart the cache service and check it."
    ]
    restart, state, view, seen = [call for message in session.messages for call in message.calls]
    assert (restart.background, restart.limit_ms, restart.timed_out) == (True, 30_000, False)
    assert state.exit == 3
    assert view.error is not None
    assert (seen.name, seen.exit, seen.continues) == ("read_bash", 0, restart.id)
