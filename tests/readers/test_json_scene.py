"""One scene in every JSON format: a restart that is cut off, an empty answer, an edit that nobody checks."""

from __future__ import annotations

from pathlib import Path

import pytest
from sessionlens.rules.empty_message_after_timeout import EmptyMessageAfterTimeout
from sessionlens.rules.unacknowledged_long_running_restart import UnacknowledgedLongRunningRestart
from sessionlens.rules.unverified_production_edit import UnverifiedProductionEdit

from sessionlens import engine, readers
from sessionlens.model import Call, Session

FIXTURES = Path(__file__).parents[2] / "fixtures"
RULES = (EmptyMessageAfterTimeout(), UnacknowledgedLongRunningRestart(), UnverifiedProductionEdit())
SCENES = [
    "gemini_cli/scene.json",
    "openhands/scene.json",
    "atif/scene.json",
    "otel_genai/scene.json",
    "inspect/log.json",
    "inspect/unpacked",
    "cline/scene",
    "chat/scene.json",
    "chat/scene_lines.jsonl",
]


def scene(name: str) -> Session:
    sessions = readers.read(FIXTURES / name)
    return next(one for one in sessions if "scene" in one.id)


def story(session: Session) -> list[tuple[str, bool, int]]:
    """Roles, emptiness and number of calls, without system prompts."""
    return [
        (
            message.role,
            message.empty if message.role == "assistant" else False,
            len([call for call in message.calls if call.name != "attempt_completion"]),
        )
        for message in session.messages
        if message.role != "system"
    ]


@pytest.mark.parametrize("name", SCENES)
def test_the_scene_is_the_same(name: str) -> None:
    assert story(scene(name)) == [
        ("user", False, 0),
        ("assistant", False, 1),
        ("assistant", True, 0),
        ("user", False, 0),
        ("assistant", False, 1),
        ("assistant", False, 0),
    ]


@pytest.mark.parametrize("name", SCENES)
def test_the_findings_are_the_same(name: str) -> None:
    session = scene(name)
    audit = engine.audit(session, rules=RULES)
    assert not audit.rule_errors
    prompts = sum(message.role == "system" for message in session.messages)
    found = sorted((one.rule, one.kind, (one.at.message_index or 0) - prompts) for one in audit.findings)
    assert found == [
        ("empty-message-after-timeout", "fault", 2),
        ("unacknowledged-long-running-restart", "fault", 1),
        ("unverified-production-edit", "fault", 4),
    ]


@pytest.mark.parametrize("name", SCENES)
def test_the_restart_is_cut_off(name: str) -> None:
    calls = [call for message in scene(name).messages for call in message.calls]
    assert [call.timed_out for call in calls[:2]] == [True, False]
    assert calls[0].exit is None
    assert not calls[0].interrupted


def test_copilot_hands_a_long_command_back_instead() -> None:
    """Nothing is cut off there: the command stays open, and only the restart and the edit are told."""
    session = scene("copilot_cli/scene.jsonl")
    assert story(session)[2] == ("assistant", True, 0)
    restart = session.messages[1].calls[0]
    assert (restart.background, restart.timed_out, restart.limit_ms) == (True, False, 30_000)
    found = {one.rule for one in engine.audit(session, rules=RULES).findings}
    assert found == {"unacknowledged-long-running-restart", "unverified-production-edit"}


def test_swe_agent_has_neither_prose_between_nor_a_second_person() -> None:
    session = scene("swe_agent/scene.traj")
    calls = [part for message in session.messages for part in message.parts if isinstance(part, Call)]
    assert [(call.timed_out, call.limit_ms) for call in calls] == [
        (True, 60_000),
        (False, None),
        (False, None),
    ]
    found = {one.rule for one in engine.audit(session, rules=RULES).findings}
    assert found == {"unacknowledged-long-running-restart", "unverified-production-edit"}
