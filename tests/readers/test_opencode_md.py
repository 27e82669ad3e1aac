"""opencode's Markdown export: files of the real client, and the traps of the format."""

from __future__ import annotations

from pathlib import Path

import pytest

from sessionlens import engine, readers
from sessionlens.model import Compaction, Reasoning, Session, TextPart, Unread, content
from sessionlens.readers import ReadError

FIXTURES = Path(__file__).parents[2] / "fixtures"
HEAD = "# A title\n\n**Session ID:** ses_1c0ffee00ffe\n**Created:** x\n**Updated:** y\n\n---\n\n"


def read(name: str) -> Session:
    (session,) = readers.read(FIXTURES / "opencode_md" / name)
    return session


def made(tmp_path: Path, body: str, head: str = HEAD) -> Session:
    log = tmp_path / "session-ses_1c0f.md"
    log.write_text(head + body, encoding="utf-8")
    (session,) = readers.read(log)
    return session


def test_the_scene_is_that_of_the_export_of_the_same_session():
    session = read("1.18.33_timeout_empty.md")
    (export,) = readers.read(FIXTURES / "opencode_export" / "1.18.33_timeout_empty.json")
    assert session.id == export.id
    assert session.title == export.title
    assert [message.role for message in session.messages] == [message.role for message in export.messages]
    assert [message.empty for message in session.messages] == [message.empty for message in export.messages]
    for ours, theirs in zip(session.messages, export.messages, strict=True):
        assert [text.text.whole().strip() for text in ours.texts()] == [
            text.text.whole().strip() for text in theirs.texts()
        ]
        for left, right in zip(ours.calls, theirs.calls, strict=True):
            assert (left.name, left.arguments(), left.timed_out, left.limit_ms) == (
                right.name,
                right.arguments(),
                right.timed_out,
                right.limit_ms,
            )
            assert content(left.output) == content(right.output)
    assert session.started is None


def test_an_empty_reply_is_a_heading_with_a_rule_below():
    session = read("1.18.33_timeout_empty.md")
    empty = [message for message in session.messages if message.role == "assistant" and message.empty]
    assert [(message.index, message.parts) for message in empty] == [(4, ())]


def test_a_stop_by_the_person():
    (call,) = read("1.18.33_abort_tool.md").messages[1].calls
    assert call.interrupted
    assert not call.timed_out
    assert call.limit_ms == 110_000


def test_thinking_files_and_errors_of_the_real_client():
    session = read("1.18.33_write_module.md")
    assert [call.name for message in session.messages for call in message.calls][:2] == ["todowrite", "write"]
    assert any(isinstance(part, Reasoning) for message in session.messages for part in message.parts)


def test_a_file_that_starts_in_mid_session_says_so():
    session = read("mid_session.md")
    assert session.messages[0].role == "assistant"
    assert any("begins in mid-session" in gap.reason for gap in session.gaps)
    assert not any("begins in mid-session" in gap.reason for gap in read("fences.md").gaps)


@pytest.mark.parametrize(("count", "told"), [(99, False), (100, True)])
def test_exactly_a_hundred_messages_may_be_the_last_ones(count: int, told: bool, tmp_path: Path):
    session = made(tmp_path, "## User\n\nhi\n\n---\n\n" * count)
    assert len(session.messages) == count
    assert any("exactly 100" in gap.reason for gap in session.gaps) is told


def test_locale_dates_and_seconds_of_headings_are_no_times():
    session = read("mid_session.md")
    assert session.started is None
    assert session.ended is None
    (call,) = session.messages[0].calls
    # 912 s in the heading hold the time of the tool: the limit comes from the words.
    assert call.timed_out
    assert call.limit_ms == 900_000
    assert call.start is None
    assert "15.6.2026, 09:30:00" in session.gaps[0].reason


@pytest.mark.parametrize(("seconds", "cut_off"), [("0.4", False), ("121.9", True), ("119.5", True)])
def test_a_message_shorter_than_the_limit_quotes_a_cut_off(seconds: str, cut_off: bool, tmp_path: Path):
    note = "<bash_metadata>\nbash tool terminated command after exceeding timeout 120000 ms\n</bash_metadata>"
    call = f'**Tool: bash**\n\n**Input:**\n```json\n{{"command": "tail agent.log"}}\n```\n\n**Output:**\n```\n{note}\n```\n\n'
    session = made(tmp_path, f"## Assistant (Build · M · {seconds}s)\n\n{call}---\n\n")
    assert session.messages[0].calls[0].timed_out is cut_off


def test_no_output_is_an_output():
    (call,) = read("mid_session.md").messages[4].calls
    assert call.output is not None
    assert call.output.whole() == "(no output)"
    assert call.limit_ms == 120_000


def test_a_wide_gap_parts_thinking_from_the_reply():
    parts = read("mid_session.md").messages[3].parts
    assert [type(part) for part in parts] == [Reasoning, TextPart]
    assert parts[1].text.head.startswith("The restart was cut off after 15 minutes.")


def test_a_reply_that_is_not_parted_from_thinking_is_no_silence(tmp_path: Path):
    thinking = "## Assistant (Build · M · 1.0s)\n\n_Thinking:_\n\nFirst I wonder.\n\nThe restart was cut off.\n\n---\n\n"
    session = made(tmp_path, thinking)
    assert not session.messages[0].empty
    assert any("does not mark where thinking ends" in gap.reason for gap in session.gaps)
    alone = made(tmp_path, "## Assistant (Build · M · 1.0s)\n\n_Thinking:_\n\nFirst I wonder.\n\n---\n\n")
    assert alone.messages[0].empty


def test_a_tag_left_over_parts_thinking_from_text(tmp_path: Path):
    head = "## Assistant (Build · M · 1.0s)\n\n"
    body = f"{head}<think></think>\n\n---\n\n{head}_Thinking:_\n\nA.\n\nB:</think>**Done** here.\n\nMore.\n\n---\n\n"
    session = made(tmp_path, f"{body}## User\n\nwhy </think>?\n\n---\n\n")
    first, second, third = session.messages
    assert first.empty
    assert [type(part) for part in second.parts] == [Reasoning, TextPart]
    assert second.parts[0].text.head == "A.\n\nB:"
    assert second.parts[1].text.head == "**Done** here.\n\nMore."
    assert next(third.texts()).text.head == "why </think>?"


def test_thinking_before_a_call_stays_thinking(tmp_path: Path):
    body = "## Assistant (Build · M · 1.0s)\n\n_Thinking:_\n\nOne.\n\nTwo.\n\n**Tool: bash**\n\n**Input:**\n```json\n{}\n```\n\n---\n\n"
    parts = made(tmp_path, body).messages[0].parts
    assert isinstance(parts[0], Reasoning)
    assert parts[0].text.head == "One.\n\nTwo."


def test_compaction_is_told_by_its_agent():
    session = read("mid_session.md")
    assert isinstance(session.messages[5].parts[0], Compaction)
    assert not session.messages[5].human
    assert session.messages[6].summary


def test_a_message_without_seconds_never_completed():
    session = read("mid_session.md")
    assert session.messages[7].calls[0].status == "running"
    assert session.messages[4].calls[0].status == "completed"


def test_fences_and_rules_within_texts():
    session = read("fences.md")
    assert [message.role for message in session.messages] == ["user", "assistant", "assistant", "assistant"]
    (text,) = session.messages[0].texts()
    assert text.text.whole().endswith("```\n---\n```")
    readme, prose = session.messages[1].parts
    assert readme.output.whole().endswith("port 8081\n```\nend of the readme")
    assert prose.text.whole() == "The readme says port 8081:\n\n```toml\nport = 8081\n```"


def test_a_quoted_export_is_output_and_no_message():
    first, second = read("fences.md").messages[2].calls
    assert first.arguments() == {"command": "cat session-ses_old1.md"}
    assert "rm -rf /srv/old" in first.output.whole()
    assert first.output.whole().endswith("thanks\n\n---")
    assert not first.timed_out
    assert second.error.whole() == "File not found: missing.toml"
    assert second.status == "error"


def test_an_export_quoted_in_part_does_not_swallow_the_rest(tmp_path: Path):
    call = "**Tool: bash**\n\n**Input:**\n```json\n{}\n```\n\n**Output:**\n```\n"
    half = f"## Assistant (Build · M · 1.0s)\n\n{call}# quoted\n\n**Input:**\n```json\n{{\n```\n\n---\n\n"
    body = (
        half + "## User\n\nnext\n\n---\n\n" + f"## Assistant (Build · M · 1.0s)\n\n{call}fine\n```\n\n---\n\n"
    )
    session = made(tmp_path, body)
    assert [message.role for message in session.messages] == ["assistant", "user", "assistant"]
    assert session.messages[2].calls[0].output.whole() == "fine"


def test_without_tool_details_input_and_output_are_missing_and_said_so():
    session = read("without_details.md")
    call, gap = session.messages[1].parts
    assert call.output is None
    assert call.status == "completed"
    assert isinstance(gap, Unread)
    assert session.messages[2].agent is None


def test_a_file_that_stops_within_a_call(tmp_path: Path):
    text = (FIXTURES / "opencode_md" / "mid_session.md").read_text("utf-8")
    session = made(tmp_path, text[: text.index("Stopping") + 8], head="")
    assert session.truncated
    assert session.messages[0].calls[0].output.whole() == "Stopping"


def test_a_fragment_without_a_head(tmp_path: Path):
    text = (FIXTURES / "opencode_md" / "mid_session.md").read_text("utf-8")
    session = made(tmp_path, text[text.index("## Assistant") :], head="")
    assert len(session.messages) == 8
    assert session.id == "session-ses_1c0f"


def test_a_head_alone_is_refused(tmp_path: Path):
    with pytest.raises(ReadError, match="holds no message"):
        made(tmp_path, "")


def test_the_rule_finds_the_silence_at_the_same_message():
    from sessionlens import catalogue

    rules = [rule() for rule in catalogue.shipped().values()]
    ours = engine.audit(read("1.18.33_timeout_empty.md"), rules=rules)
    (export,) = readers.read(FIXTURES / "opencode_export" / "1.18.33_timeout_empty.json")
    theirs = engine.audit(export, rules=rules)
    places = [[(one.rule, one.at.message_index) for one in audit.findings] for audit in (ours, theirs)]
    assert places[0] == places[1]
    assert "empty-message-after-timeout" in {rule for rule, _ in places[0]}
