"""Terminal copies of ``opencode run``, with and without colours."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sessionlens import readers
from sessionlens.model import Call, Session, TextPart, Unread
from sessionlens.readers import ReadError

LOG = Path(__file__).parents[2] / "fixtures" / "opencode_run" / "restart.ansi.txt"


def read(path: Path = LOG) -> Session:
    (session,) = readers.read(path)
    return session


def calls(session: Session) -> list[Call]:
    return [call for message in session.messages for call in message.calls]


def words(session: Session) -> list[str]:
    return [text.text.whole().strip() for message in session.messages for text in message.texts()]


def test_calls_by_their_symbols():
    found = [(call.name, call.arguments()) for call in calls(read())]
    assert found[:3] == [
        ("glob", {"pattern": "deploy/*.yml"}),
        ("read", {"filePath": "deploy/relay.service", "offset": "5", "limit": "20"}),
        ("edit", {"filePath": "deploy/relay.service"}),
    ]
    assert [name for name, _ in found[3:]] == ["bash", "edit", "todowrite", "bash", "bash"]


def test_each_call_is_one_message_with_the_words_before_it():
    session = read()
    assert [len(message.calls) for message in session.messages] == [1] * 8 + [0]
    assert [type(part) for part in session.messages[3].parts] == [TextPart, Call]
    assert {message.role for message in session.messages} == {"assistant"}
    assert session.messages[0].model == "sonnet-5"
    assert any("neither prompts nor where a message begins" in gap.reason for gap in session.gaps)


def test_a_time_limit_ends_the_output_and_words_go_on_after_it():
    session = read()
    cut = calls(session)[3]
    assert cut.timed_out
    assert cut.limit_ms == 120_000
    assert cut.exit is None
    assert cut.output.whole().endswith("</bash_metadata>")
    assert "The restart ran into the limit. I look at the journal." in words(session)


def test_a_note_that_was_printed_before_the_line_of_its_call_belongs_to_it():
    second = calls(read())[6]
    assert second.arguments() == {"command": "ssh root@relay4 journalctl -u relay -f"}
    assert second.timed_out
    assert second.limit_ms == 15_000


def test_a_failed_call_has_its_error_and_no_input():
    session = read()
    (failed,) = [call for call in calls(session) if call.status == "error"]
    assert failed.name == "edit"
    assert failed.error.whole() == "Error: File relay.log not found"
    assert isinstance(session.messages[4].parts[-1], Unread)


def test_outputs_of_edits_and_todos_end_where_words_begin():
    session = read()
    assert calls(session)[2].output.whole().endswith("+TimeoutStopSec=60")
    assert calls(session)[5].output.whole().splitlines()[-1] == "[ ] check"
    assert "Now I restart it." in words(session)


def test_output_that_was_printed_before_the_line_of_its_call_is_no_prose(tmp_path: Path):
    log = tmp_path / "scrambled"
    log.write_text(
        "> build · sonnet\n\x1b[0mNow I build it.\n   Compiling relay v0.1.0\nwarning: unused import\n"
        "\x1b[0m$ \x1b[0mmake\n\x1b[0m→ \x1b[0mRead a\nIndex: /srv/a\n=====\n+new\n\x1b[0m← \x1b[0mEdit a\n"
        "The steps:\n\n- one\n- two\n\x1b[0m$ \x1b[0mmake test\n",
        encoding="utf-8",
    )
    session = read(log)
    built, _, edited, tested = calls(session)
    assert words(session) == ["Now I build it.", "The steps:\n\n- one\n- two"]
    assert built.output.whole() == "   Compiling relay v0.1.0\nwarning: unused import"
    assert edited.output.whole() == "Index: /srv/a\n=====\n+new"
    assert tested.output is None


def test_a_heredoc_is_part_of_its_command():
    assert calls(read())[7].arguments() == {"command": "cat <<'END' > /tmp/note\n  first line\nEND"}


def test_the_answer_after_the_last_output_is_prose():
    assert words(read())[-1] == "The relay was restarted on one host only, and that is not confirmed."
    assert calls(read())[7].output.whole().strip() == "written"


def test_the_same_without_colours(tmp_path: Path):
    log = tmp_path / "restart.ansi.txt"
    plain = re.sub(r"\x1b\[[0-9;]*m", "", LOG.read_text("utf-8")).replace("-f$ cat", "-f\n$ cat")
    log.write_text(plain, encoding="utf-8")
    session = read(log)
    for ours, theirs in zip(calls(session), calls(read()), strict=True):
        assert (ours.name, ours.arguments(), ours.status) == (theirs.name, theirs.arguments(), theirs.status)
        assert (ours.timed_out, ours.limit_ms) == (theirs.timed_out, theirs.limit_ms)
        # Colours alone may stand on a line of their own.
        outputs = [None if call.output is None else call.output.whole().strip() for call in (ours, theirs)]
        assert outputs[0] == outputs[1]
    assert words(session) == words(read())


def test_the_lines_of_clients_before_1_1(tmp_path: Path):
    log = tmp_path / "old"
    bar = "\x1b[94m\x1b[1m|\x1b[0m\x1b[90m {:7} \x1b[0m{}\n"
    log.write_text(
        "> build · sonnet\n" + bar.format("Read", "a.txt") + bar.format("Bash", "make test") + "\nok\n",
        "utf-8",
    )
    assert [(call.name, call.arguments()) for call in calls(read(log))] == [
        ("read", {"input": "a.txt"}),
        ("bash", {"command": "make test"}),
    ]


def test_a_tool_of_a_server_shows_its_input(tmp_path: Path):
    log = tmp_path / "mcp"
    log.write_text('> build · sonnet\n\x1b[0m⚙ \x1b[0mdocs_search {"query":"limits"}\n', encoding="utf-8")
    (call,) = calls(read(log))
    assert (call.name, call.arguments()) == ("docs_search", {"query": "limits"})


def test_a_run_that_was_killed_at_once_is_refused(tmp_path: Path):
    log = tmp_path / "killed"
    log.write_text("\x1b[0m\n> build · mock-1\n\x1b[0m\n", encoding="utf-8")
    with pytest.raises(ReadError, match="nothing follows"):
        readers.read(log)
