"""A line in the middle of a log that is no JSON may have held the agent's words: what rests on silence is then less sure."""

from __future__ import annotations

from pathlib import Path

import pytest
from sessionlens.rules.empty_message_after_timeout import EmptyMessageAfterTimeout
from sessionlens.rules.unacknowledged_long_running_restart import UnacknowledgedLongRunningRestart

from sessionlens import engine, readers
from sessionlens.findings import Finding

FIXTURES = Path(__file__).parents[2] / "fixtures"
SILENT = {
    "claude_code/hicache_restart.jsonl": 68,
    "codex/hicache_restart.jsonl": 126,
    "opencode_events/1.18.33_timeout_empty.jsonl": 73,
    "chat/scene_lines.jsonl": 5,
}
"""Logs with a cut-off call and silence after it, and the line that shows the silence."""
TORN = b'ext":"It was cut off; I check whether it came up."}],"stop_reason":"end_turn"}}'


def findings(path: Path) -> list[Finding]:
    (session,) = readers.read(path)
    rules = (EmptyMessageAfterTimeout(), UnacknowledgedLongRunningRestart())
    return list(engine.audit(session, rules=rules).findings)


def with_line(name: str, before: int, line: bytes, to: Path) -> Path:
    """A copy of a log with one line more, before the line of this number."""
    lines = (FIXTURES / name).read_bytes().splitlines(keepends=True)
    path = to / Path(name).name
    path.write_bytes(b"".join((*lines[: before - 1], line, b"\n", *lines[before - 1 :])))
    return path


@pytest.mark.parametrize("behind", [0, 1], ids=["before the silence", "behind it"])
@pytest.mark.parametrize("name", SILENT)
def test_silence_beside_a_torn_line_is_not_sure(name: str, behind: int, tmp_path: Path) -> None:
    sure = [one for one in findings(FIXTURES / name) if one.at.line == SILENT[name]]
    assert [one.confidence for one in sure] == ["high"]
    path = with_line(name, SILENT[name] + behind, TORN, tmp_path)
    (session,) = readers.read(path)
    gaps = [gap for gap in session.all_gaps() if gap.origin.line == SILENT[name] + behind]
    assert len(gaps) == 1
    assert gaps[0] not in session.gaps
    unsure = [one for one in findings(path) if one.rule == sure[0].rule and one.at.line is not None]
    unsure = [one for one in unsure if abs(one.at.line - SILENT[name]) < 3]  # type: ignore[operator]
    assert all(one.confidence == "low" for one in unsure)


@pytest.mark.parametrize("name", ["claude_code/hicache_restart.jsonl", "codex/hicache_restart.jsonl"])
def test_what_a_torn_line_may_have_said_of_a_restart(name: str, tmp_path: Path) -> None:
    kept = [one for one in findings(FIXTURES / name) if one.rule == UnacknowledgedLongRunningRestart().slug]
    assert kept
    for line in (TORN, b"\0" * 40, b"of the queue, which is empty"):
        path = with_line(name, SILENT[name] + 1, line, tmp_path)
        for one in findings(path):
            if one.rule == kept[-1].rule and one.at.line == kept[-1].at.line:
                assert one.confidence == "low"


def test_a_notice_of_another_program_in_a_stream_is_no_lost_message(tmp_path: Path) -> None:
    name = "claude_code/stream_json.jsonl"
    (before,) = readers.read(FIXTURES / name)
    lines = (FIXTURES / name).read_bytes().count(b"\n")
    for number in range(3, lines):
        (session,) = readers.read(
            with_line(name, number, b"npm notice New version of npm available", tmp_path)
        )
        assert len(session.messages) == len(before.messages)
        gaps = [gap.origin.line for one in session.family() for gap in one.gaps]
        assert gaps.count(number) == 1


def test_a_torn_event_belongs_to_the_message_that_was_written(tmp_path: Path) -> None:
    name = "opencode_run_json/1.18.33_answered.jsonl"
    torn = b'":"prt_1","type":"text","text":"All of it is done.","time":{"start":1,"end":2}}}'
    (session,) = readers.read(with_line(name, 3, torn, tmp_path))
    assert session.messages[0].partly_read
    (session,) = readers.read(with_line(name, 3, b"npm notice New version of npm available", tmp_path))
    assert not any(message.partly_read for message in session.messages)
    assert any("npm notice" in gap.reason for gap in session.gaps)


def test_a_torn_record_of_gemini(tmp_path: Path) -> None:
    (session,) = readers.read(with_line("gemini_cli/0.61.0_tools.jsonl", 4, TORN, tmp_path))
    assert any(message.partly_read for message in session.messages)
