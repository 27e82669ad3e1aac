"""A message of which something could not be read is not known to be silent."""

import json
from pathlib import Path

import msgspec
import pytest

from sessionlens import engine, loader, readers
from sessionlens.examples import Example, asks, bash, says
from sessionlens.model import Unread

RULES = loader.classes()


def log(folder: Path, content: object) -> Path:
    """A restart that is cut off, and a last message with this content."""
    call = {"type": "tool_use", "id": "toolu_1", "name": "Bash",
            "input": {"command": "ssh root@web1 'systemctl restart billing'", "timeout": 15000}}  # fmt: skip
    result = {
        "type": "tool_result",
        "tool_use_id": "toolu_1",
        "content": "Command timed out after 15s",
        "is_error": True,
    }
    said = [
        ("user", "restart billing"),
        ("assistant", [call]),
        ("user", [result]),
        ("assistant", content),
        ("user", "?"),
    ]
    path = folder / "session.jsonl"
    lines = [
        {"type": role, "uuid": f"u{at}", "parentUuid": f"u{at - 1}" if at else None, "sessionId": "s",
         "timestamp": f"2026-03-01T10:00:{at * 5:02}.000Z", "version": "2.1.31",
         "message": {"role": role, "id": f"msg_{at}", "content": words}}
        for at, (role, words) in enumerate(said)
    ]  # fmt: skip
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def found(path: Path, *slugs: str) -> dict[str, str]:
    (session,) = readers.read(path)
    asked = slugs or ("empty-message-after-timeout", "unacknowledged-long-running-restart")
    rules = [RULES[slug]() for slug in asked]
    return {one.rule: one.confidence for one in engine.audit(session, rules=rules).findings}


@pytest.mark.parametrize(
    "content",
    [
        [{"type": "prose", "text": "It was cut off."}],
        {"type": "text", "text": "It was cut off."},
        [{"text": "cut off"}],
    ],
)
def test_what_could_not_be_read_may_have_told(tmp_path: Path, content: object) -> None:
    path = log(tmp_path, content)
    assert set(found(path).values()) <= {"low"}


def test_an_empty_message_is_known_to_be_silent(tmp_path: Path) -> None:
    assert set(found(log(tmp_path, [{"type": "text", "text": ""}])).values()) == {"high"}


@pytest.mark.parametrize(
    ("content", "confidence"),
    [
        ([{"type": "text", "text": "The restart was cut off."}], "high"),
        ([{"type": "text", "text": "The restart was cut off."}, {"type": "prose", "text": "No."}], "low"),
    ],
)
def test_what_was_not_read_may_take_back_what_was_told(
    tmp_path: Path, content: object, confidence: str
) -> None:
    assert found(log(tmp_path, content), "acknowledged-timeout") == {"acknowledged-timeout": confidence}


@pytest.mark.parametrize(("unread", "confidence"), [(False, "high"), (True, "low")])
def test_what_was_not_read_may_end_what_was_begun(unread: bool, confidence: str) -> None:
    steps = (
        asks("try the other branch"),
        bash("git stash", output="Saved working directory and index state WIP on main: 1a2b3c4 x"),
        says("The other branch builds."),
    )
    session, _ = Example("made", *steps).build()
    if unread:
        last = session.messages[-1]
        blind = msgspec.structs.replace(last, parts=(*last.parts, Unread(reason="no part that is known")))
        session = msgspec.structs.replace(session, messages=(*session.messages[:-1], blind))
    (finding,) = engine.audit(session, rules=[RULES["ended-mid-operation"]()]).findings
    assert finding.confidence == confidence
