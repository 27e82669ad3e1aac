"""Screens of Claude Code and Gemini CLI."""

from __future__ import annotations

from pathlib import Path

import pytest

from sessionlens import readers
from sessionlens.model import Call, Reasoning, Session, content
from sessionlens.readers import ReadError

FIXTURES = Path(__file__).parents[2] / "fixtures" / "claude_console"


def read(name: str | Path = "wrapped.txt") -> Session:
    (session,) = readers.read(FIXTURES / name)
    return session


def screen(tmp_path: Path, text: str) -> Session:
    log = tmp_path / "screen"
    log.write_text(text, encoding="utf-8")
    return read(log)


def call(index: int) -> Call:
    (found,) = read().messages[index].calls
    return found


def test_what_the_person_wrote_is_unindented():
    message = read().messages[0]
    assert message.role == "user"
    assert next(message.texts()).text.head == (
        "restart billing on pay1 and tell me when it is up, but do not touch the\ndatabase"
    )


def test_a_wrapped_command_is_one_line_again():
    assert call(2).arguments() == {
        "command": "ssh root@pay1 'systemctl restart billing-worker && systemctl is-active billing-worker'"
    }


def test_a_cut_off_with_output_after_it():
    cut = call(2)
    assert cut.timed_out
    assert cut.limit_ms == 120_000
    assert cut.status == "error"
    assert "Waiting for the queue to drain" in cut.output.whole()


def test_folded_outputs_are_told():
    assert any(gap.reason.startswith("3 outputs are folded") for gap in read().gaps)


def test_the_limit_on_the_line_of_a_call_and_an_interruption():
    stopped = call(3)
    assert stopped.limit_ms == 600_000
    assert stopped.interrupted
    assert not stopped.timed_out
    assert stopped.arguments()["command"] == "ssh root@pay1 'journalctl -u billing-worker -f'"


def test_a_slash_command_shows_the_clients_answer():
    command, answer = read().messages[4].parts
    assert (command.text.head, command.synthetic) == ("/status", False)
    assert (answer.text.head, answer.synthetic) == ("(no content)", True)


def test_a_command_in_the_background():
    assert call(6).background
    assert not call(2).background


def test_edits_have_their_path_and_the_clients_name():
    assert (call(7).name, call(7).arguments()) == ("Edit", {"file_path": "config/exporter.yml"})
    assert (call(14).name, call(14).arguments()) == ("Grep", {"pattern": "port", "path": "config"})
    assert call(9).name == "TodoWrite"


def test_a_refused_call_never_ran():
    assert call(10).status == "error"
    assert not call(10).interrupted


def test_an_interruption_before_any_answer_is_a_record_of_its_own():
    session = read()
    assert session.messages[11].human
    assert not session.messages[11].interruption
    assert session.messages[12].interruption
    assert not session.messages[12].human


def test_a_call_without_an_end_still_runs():
    assert call(15).status == "running"


def test_thinking_belongs_to_what_is_said_next():
    parts = read().messages[1].parts
    assert isinstance(parts[0], Reasoning)
    assert parts[0].text.head == "The unit is called billing-worker.\nI restart it over ssh."


def test_the_empty_input_line_is_no_message():
    session = read()
    assert session.messages[-1].role == "assistant"
    assert any("empty input lines" in gap.reason for gap in session.gaps)


def test_the_welcome_gives_the_folder_and_is_told():
    session = read()
    assert session.directory == "/srv/billing"
    assert session.started is None
    assert any("lines before the first message" in gap.reason for gap in session.gaps)


def test_a_screen_that_was_decoded_twice():
    session = read("decoded_twice.txt")
    assert [repair.kind for repair in session.repairs] == ["characters decoded twice (cp437)"]
    assert [content(message) for message in session.messages] == [
        content(message) for message in read().messages
    ]


def test_gemini_draws_calls_as_boxes():
    session = read("gemini.txt")
    assert session.client == "gemini-cli"
    assert [message.role for message in session.messages] == ["user"] + ["assistant"] * 4
    shell, failed = [one for message in session.messages for one in message.calls]
    assert (shell.name, shell.arguments()) == ("run_shell_command", {"command": "psql -l"})
    assert shell.output.whole() == "shop\nbilling"
    assert failed.status == "error"


def test_prose_in_brackets_is_no_call(tmp_path: Path):
    session = screen(
        tmp_path, "> hi\n\n⏺ Perfect! (all of it)\n\n⏺ See the docs(1) page\n\n⏺ Read(a.txt)\n  ⎿  1 line\n"
    )
    assert [len(message.calls) for message in session.messages] == [0, 0, 0, 1]


def test_what_was_stopped_after_a_call_had_ended_is_not_the_call(tmp_path: Path):
    session = screen(
        tmp_path,
        "> hi\n\n⏺ Read(a.txt)\n  ⎿  Read 51 lines (ctrl+r to expand)\n  ⎿  Interrupted by user\n\n> wait\n\n"
        "⏺ Bash(make deploy)\n  ⎿  Copying\n  ⎿  Interrupted by user\n\n> no\n",
    )
    first, second = [call for message in session.messages for call in message.calls]
    assert not first.interrupted
    assert session.messages[2].interruption
    # Whether a command had ended, a first line of its output does not tell.
    assert second.interrupted
    assert sum(message.interruption for message in session.messages) == 1


def test_an_interrupted_paragraph_is_an_interruption(tmp_path: Path):
    session = screen(
        tmp_path, "> hi\n\n⏺ I begin with\n  ⎿  Interrupted by user\n\n⏺ Read(a.txt)\n  ⎿  1 line\n"
    )
    assert session.messages[1].interruption
    assert not session.messages[1].calls


def test_a_tool_of_a_server(tmp_path: Path):
    session = screen(
        tmp_path,
        '⏺ docs - search (MCP)(query: "limits", top: 3)\n  ⎿  none\n\n⏺ So.\n\n⏺ Bash(ls…\n      -l)\n  ⎿  a\n',
    )
    server, shell = [one for message in session.messages for one in message.calls]
    assert server.name == "docs - search (MCP)"
    assert server.arguments() == {"query": "limits", "top": "3"}
    assert shell.arguments() == {"command": "ls\n-l"}


def test_a_turn_that_ends_on_a_cut_off_call_is_flagged(tmp_path: Path):
    from sessionlens import catalogue, engine

    cut = "> restart it\n\n⏺ Bash(ssh root@pay1 'systemctl restart billing')\n  ⎿  Error: Command timed out after 15s\n\n"
    session = screen(tmp_path, cut + "> hello?\n\n⏺ It was cut off; I look.\n")
    found = engine.audit(session, rules=[rule() for rule in catalogue.shipped().values()]).findings
    (silence,) = [one for one in found if one.rule == "empty-message-after-timeout"]
    assert (silence.at.message_index, silence.facts["cause"]) == (1, "no_message")
    assert silence.at.line == 3


def test_notes_of_the_client_are_no_words_of_the_model(tmp_path: Path):
    session = screen(
        tmp_path,
        "❯ go on\n\n● Done with it.\n\n✻ Churned for 2m 3s\n\n● Read(a.txt)\n  ⎿  1 line\n\n✶ Pondering… (12s · esc to interrupt)\n"
        "────────────────────────\n❯ \n────────────────────────\n  ? for shortcuts\n",
    )
    assert [message.role for message in session.messages] == ["user", "assistant", "assistant"]
    said, note = session.messages[1].parts
    assert (said.text.head, said.synthetic) == ("Done with it.", False)
    assert (note.text.head.strip(), note.synthetic) == ("✻ Churned for 2m 3s", True)
    assert session.messages[2].calls[0].output.whole() == "1 line"


def test_a_text_about_a_session_is_no_screen(tmp_path: Path):
    log = tmp_path / "summary"
    log.write_text("# Summary\n\n> a quotation\n\n- the agent ran `ls` ⏺ and stopped\n", encoding="utf-8")
    with pytest.raises(ReadError, match="no reader recognises"):
        readers.read(log)
