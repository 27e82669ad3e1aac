"""Claude Code's Markdown, SpecStory, aider and home-made chat exports."""

from __future__ import annotations

from pathlib import Path

import pytest

from sessionlens import catalogue, engine, readers
from sessionlens.model import Changed, File, Reasoning, Session, TextPart, Unread
from sessionlens.readers import ReadError

FIXTURES = Path(__file__).parents[2] / "fixtures"


def read(name: str) -> Session:
    (session,) = readers.read(FIXTURES / name)
    return session


# --- Claude Code's Markdown ---


def test_results_belong_to_their_calls_and_are_no_messages():
    session = read("claude_md/restart.md")
    cut, checked = [call for message in session.messages for call in message.calls]
    assert cut.timed_out
    assert (cut.limit_ms, cut.status) == (15_000, "error")
    assert cut.result_origin is not None
    assert checked.exit == 3
    assert any("without its call: an orphan" in gap.reason for gap in session.gaps)


def test_records_of_claude_are_told_apart():
    session = read("claude_md/restart.md")
    assert [(message.role, message.human) for message in session.messages] == [
        ("user", True),
        ("assistant", False),
        ("assistant", False),
        ("assistant", False),
        ("assistant", False),
        ("user", False),
        ("user", False),
        ("user", True),
        ("user", False),
        ("assistant", False),
    ]
    assert session.messages[6].interruption
    assert isinstance(session.messages[7].parts[0], File)
    assert isinstance(session.messages[7].parts[1], Unread)
    assert session.messages[8].summary
    assert [type(part) for part in session.messages[9].parts] == [Reasoning]


def test_a_heading_within_a_text_is_text_and_dates_without_a_zone_are_none():
    session = read("claude_md/restart.md")
    assert next(session.messages[0].texts()).text.head.endswith("### User\n> not a heading")
    assert session.started is None
    assert any("unnamed zone" in gap.reason for gap in session.gaps)
    assert (session.id, session.directory) == ("0a1b2c3d-1111-4222-8333-444455556666", "/srv/mailer")


def test_a_call_without_a_result_still_runs(tmp_path: Path):
    text = (FIXTURES / "claude_md" / "restart.md").read_text("utf-8")
    log = tmp_path / "half.md"
    log.write_text(text[: text.index('"type": "tool_result"')], encoding="utf-8")
    (session,) = readers.read(log)
    assert session.truncated
    assert [call.status for message in session.messages for call in message.calls] == ["running"]


# --- SpecStory ---


def test_a_bare_heading_is_a_message_whose_content_is_missing():
    session = read("specstory/bare_headings.md")
    bare = [
        message for message in session.messages if any(isinstance(part, Unread) for part in message.parts)
    ]
    assert [message.index for message in bare] == [2, 4]
    assert all(len(message.parts) == 1 for message in bare)
    assert any(gap.reason.startswith("2 headings have nothing below") for gap in session.gaps)


def test_no_rule_accuses_a_bare_heading(tmp_path: Path):
    text = (FIXTURES / "specstory" / "bare_headings.md").read_text("utf-8")
    log = tmp_path / "silent.md"
    head = text[: text.index("_**Agent (claude-opus-5 2026-06-15 09:05:07Z)")]
    log.write_text(head + "_**User (2026-06-15 09:06:00Z)**_\n\nand?\n", encoding="utf-8")
    (session,) = readers.read(log)
    assert session.messages[3].calls[0].timed_out
    audit = engine.audit(session, rules=[rule() for rule in catalogue.shipped().values()])
    slug = "empty-message-after-timeout"
    assert not [one for one in audit.findings if one.rule == slug]
    (reason,) = [row.reason for row in audit.not_checkable if row.rule == slug]
    assert "do not record empty messages" in reason


def test_commands_paths_and_results_of_specstory():
    session = read("specstory/bare_headings.md")
    shell, heredoc, edit, quoted, task = [call for message in session.messages for call in message.calls]
    assert shell.arguments()["command"] == "ssh root@c1 'systemctl restart redis' && echo \"`hostname`\""
    assert shell.timed_out
    assert heredoc.arguments()["command"] == "cat > /tmp/note <<'EOF'\n_**User (2026-01-01 00:00:00Z)**_\nEOF"
    assert heredoc.exit == 1
    assert edit.arguments() == {"file_path": "/etc/redis/redis.conf"}
    assert "2026-01-01" in quoted.output.whole()
    assert task.child == session.children[0].id


def test_messages_of_a_subagent_are_a_child_session():
    session = read("specstory/bare_headings.md")
    (child,) = session.children
    assert child.parent == session.id
    assert [message.index for message in child.messages] == [0, 1]
    assert "without saying which call" in child.gaps[0].reason


def test_times_models_interruptions_and_failed_requests_of_specstory():
    session = read("specstory/bare_headings.md")
    assert session.started == 1781514176000
    assert session.messages[1].model == "claude-opus-5"
    assert session.messages[9].interruption
    assert session.messages[10].error is not None
    assert session.messages[10].error.name == "APIError"


def test_older_role_lines_without_models(tmp_path: Path):
    log = tmp_path / "old.md"
    log.write_text(
        "<!-- Generated by SpecStory -->\n\n_**User**_\n\nhi\n\n---\n\n_**Assistant**_\n\n<think>hm</think>\nyes\n\n---\n",
        "utf-8",
    )
    (session,) = readers.read(log)
    assert [message.role for message in session.messages] == ["user", "assistant"]
    assert [type(part) for part in session.messages[1].parts] == [Reasoning, TextPart]
    assert next(session.messages[1].texts()).text.head == "yes"


# --- aider ---


def test_lines_of_the_person_and_notes_end_with_two_spaces():
    session = read("aider/two_chats.md")
    assert [message.role for message in session.messages] == [
        "system",
        "user",
        "assistant",
        "user",
        "assistant",
        "user",
    ]
    assert next(session.messages[1].texts()).text.head == "raise the pool size\nto 20, please"
    said = next(session.messages[2].texts()).text.whole()
    assert said.startswith("#### What I change")
    assert "> a quotation of the model" in said


def test_questions_of_aider_are_no_messages_of_the_person():
    session = read("aider/two_chats.md")
    assert sum(message.human for message in session.messages) == 2


def test_applied_edits_thinking_and_ctrl_c():
    session = read("aider/two_chats.md")
    assert Changed in {type(part) for part in session.messages[2].parts}
    assert isinstance(session.messages[2].parts[0], Reasoning)
    assert session.messages[5].interruption
    assert not session.messages[5].human
    assert (session.client_version, session.messages[2].model) == ("0.86.2", "sonnet")


def test_a_chat_in_which_nothing_was_said_is_none(tmp_path: Path):
    log = tmp_path / "history"
    log.write_text("# aider chat started at 2026-05-03 09:00:00\n\n> Aider v0.86.2  \n", encoding="utf-8")
    with pytest.raises(ReadError, match="nothing was said"):
        readers.read(log)


def test_no_rule_judges_a_format_without_commands():
    audit = engine.audit(read("aider/two_chats.md"), rules=[rule() for rule in catalogue.shipped().values()])
    assert {row.rule for row in audit.not_checkable} >= {
        "empty-message-after-timeout",
        "unacknowledged-long-running-restart",
        "unverified-production-edit",
    }


# --- home-made chat exports ---


def test_a_message_without_text_is_a_gap():
    session = read("opencode_chat_md/text_only.md")
    assert [message.role for message in session.messages] == ["user", "assistant", "assistant", "user"]
    assert isinstance(session.messages[1].parts[0], Unread)
    assert session.messages[1].time == 1781515811000
    assert (session.client_version, session.directory) == ("1.2.5", "/srv/queue")


def test_what_the_client_read_is_not_the_persons():
    first, second = read("opencode_chat_md/text_only.md").messages[0].parts
    assert (first.synthetic, second.synthetic) == (False, True)
    assert second.text.head.startswith("Called the Read tool")


def test_an_index_holds_no_session():
    with pytest.raises(ReadError, match="an index of chat exports"):
        readers.read(FIXTURES / "opencode_chat_md" / "index.md")
