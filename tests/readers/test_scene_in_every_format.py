"""One scene in every format that can tell it gives the same findings at the same places.

What differs by format is stated: ids that it has no place for, limits and times that it leaves out.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from sessionlens.rules.empty_message_after_timeout import EmptyMessageAfterTimeout
from sessionlens.rules.unacknowledged_long_running_restart import UnacknowledgedLongRunningRestart
from sessionlens.rules.unverified_production_edit import UnverifiedProductionEdit

from sessionlens import engine, readers
from sessionlens.model import Session

sys.path.insert(0, str(Path(__file__).parent))

import scene_formats
import scene_logs

RULES = (EmptyMessageAfterTimeout(), UnacknowledgedLongRunningRestart(), UnverifiedProductionEdit())
NO_TIMES = {"opencode-md", "claude-md", "chat of OpenAI", "chat of Anthropic", "atif", "cline"}
"""Forms that do not tell when a call ended."""
NO_EXIT_CODES = {"opencode-md"}


def read(name: str, folder: Path) -> Session:
    reader, make = scene_formats.MAKERS[name]
    (session,) = readers.read(make(scene_logs.scene(), folder))
    assert session.source_format == reader
    return session


def found(session: Session) -> list[tuple[str, str, str, int]]:
    """Rule, kind, severity and message of each finding; system prompts that a format adds are not counted."""
    audit = engine.audit(session, rules=RULES)
    assert not audit.rule_errors
    prompts = sum(message.role == "system" for message in session.messages)
    return [
        (one.rule, one.kind, one.severity, (one.at.message_index or 0) - prompts) for one in audit.findings
    ]


@pytest.mark.parametrize("name", scene_formats.MAKERS)
def test_the_findings_are_the_same(name: str, tmp_path: Path) -> None:
    expected = found(scene_logs.scene())
    assert len(expected) == 3
    assert found(read(name, tmp_path)) == expected


@pytest.mark.parametrize("name", scene_formats.MAKERS)
def test_the_calls_are_the_same(name: str, tmp_path: Path) -> None:
    scene = scene_logs.scene()
    session = read(name, tmp_path)
    told = [call for message in session.messages for call in message.calls]
    meant = [call for message in scene.messages for call in message.calls]
    assert [call.arguments().get("command") for call in told] == [
        call.arguments()["command"] for call in meant
    ]
    assert [call.timed_out for call in told] == [call.timed_out for call in meant]
    if name not in NO_EXIT_CODES:
        assert [call.exit for call in told if call.exit] == [call.exit for call in meant if call.exit]
    if name not in NO_TIMES:
        assert [call.end for call in told] == [call.end for call in meant]


@pytest.mark.parametrize("name", scene_formats.MAKERS)
def test_the_messages_are_the_same(name: str, tmp_path: Path) -> None:
    def told(session: Session) -> list[tuple[object, ...]]:
        return [(m.role, m.human, m.empty, len(m.calls)) for m in session.messages if m.role != "system"]

    assert told(read(name, tmp_path)) == told(scene_logs.scene())
