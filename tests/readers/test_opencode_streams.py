"""What opencode sends: events of a server, of ``run --format json``, data of shared sessions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sessionlens import readers
from sessionlens.model import Session, TextPart, content
from sessionlens.readers import ReadError

FIXTURES = Path(__file__).parents[2] / "fixtures"
EVENTS = FIXTURES / "opencode_events" / "1.18.33_timeout_empty.jsonl"
RUN = FIXTURES / "opencode_run_json"
SHARE = FIXTURES / "opencode_share" / "timeout_empty.json"


def export() -> Session:
    (session,) = readers.read(FIXTURES / "opencode_export" / "1.18.33_timeout_empty.json")
    return session


def one(path: Path) -> Session:
    (session,) = readers.read(path)
    return session


def written(path: Path, *events: object) -> Path:
    path.write_text("".join(json.dumps(event) + "\n" for event in events), encoding="utf-8")
    return path


# --- events of a server ---


def test_the_events_of_a_session_make_the_session_of_its_export():
    ours, theirs = one(EVENTS), export()
    assert [content(message) for message in ours.messages] == [
        content(message) for message in theirs.messages
    ]
    assert (ours.id, ours.title, ours.directory) == (theirs.id, theirs.title, theirs.directory)


@pytest.mark.parametrize("shape", ["bare", "sse", "global"])
def test_every_wrapping_of_an_event(shape: str, tmp_path: Path):
    lines = []
    for line in EVENTS.read_text("utf-8").splitlines():
        event = json.loads(line)["ev"]
        if shape == "sse":
            lines += ["event: message", f"data: {json.dumps(event)}", ""]
        elif shape == "global":
            lines.append(json.dumps({"directory": "/home/dev", "payload": event}))
        else:
            lines.append(json.dumps(event))
    log = tmp_path / "events"
    log.write_text("\n".join(lines), encoding="utf-8")
    assert [content(message) for message in one(log).messages] == [
        content(message) for message in one(EVENTS).messages
    ]


def test_text_that_came_in_pieces_is_put_together(tmp_path: Path):
    """The recording ends before the part's last full state."""
    ids = {"sessionID": "ses_aaaa1", "messageID": "msg_aaaa1"}
    part = {**ids, "id": "prt_aaaa1", "type": "text", "text": ""}
    info = {"id": "msg_aaaa1", "sessionID": "ses_aaaa1", "role": "assistant", "time": {"created": 1}}
    log = written(
        tmp_path / "events",
        {"type": "session.created", "properties": {"info": {"id": "ses_aaaa1", "title": "t"}}},
        {"type": "message.updated", "properties": {"info": info}},
        {"type": "message.part.updated", "properties": {"part": part}},
        *(
            {
                "type": "message.part.delta",
                "properties": {**ids, "partID": "prt_aaaa1", "field": "text", "delta": piece},
            }
            for piece in ("half ", "a sen")
        ),
    )
    (part,) = one(log).messages[0].parts
    assert isinstance(part, TextPart)
    assert part.text.whole() == "half a sen"


def test_what_messages_do_not_hold_is_told(tmp_path: Path):
    info = {"id": "msg_aaaa1", "sessionID": "ses_aaaa1", "role": "user", "time": {"created": 1}}
    at = {"sessionID": "ses_aaaa1"}
    retry = {"type": "retry", "attempt": 2, "message": "overloaded"}
    log = written(
        tmp_path / "events",
        {"type": "message.updated", "properties": {"info": info}},
        {"type": "session.status", "properties": {**at, "status": retry}},
        {"type": "permission.replied", "properties": {**at, "reply": "reject"}},
        {
            "type": "session.error",
            "properties": {**at, "error": {"name": "APIError", "data": {"message": "no"}}},
        },
        {"type": "session.beamed", "properties": at},
        {"type": "message.removed", "properties": {**at, "messageID": "msg_other"}},
    )
    reasons = " | ".join(gap.reason for gap in one(log).gaps)
    for told in ("mid-session", "attempt 2", "overloaded", "`reject`", "APIError no", "session.beamed"):
        assert told in reasons


def test_a_removed_message_is_gone_and_told(tmp_path: Path):
    log = tmp_path / "events"
    ids = [message.id for message in one(EVENTS).messages]
    gone = {"type": "message.removed", "properties": {"sessionID": one(EVENTS).id, "messageID": ids[-1]}}
    log.write_bytes(EVENTS.read_bytes() + json.dumps(gone).encode() + b"\n")
    session = one(log)
    assert [message.id for message in session.messages] == ids[:-1]
    assert any("removed" in gap.reason for gap in session.gaps)


def test_half_an_event_at_the_end_marks_the_session_as_cut_short(tmp_path: Path):
    log = tmp_path / "events"
    log.write_bytes(EVENTS.read_bytes()[:-40])
    assert one(log).truncated
    assert not one(EVENTS).truncated


def test_events_without_a_message_are_refused(tmp_path: Path):
    log = written(tmp_path / "events", {"type": "server.connected", "properties": {}})
    with pytest.raises(ReadError, match="no message of any session"):
        readers.read(log)


# --- opencode run --format json ---


def test_a_run_is_the_export_without_the_prompt():
    session = one(RUN / "1.18.33_answered.jsonl")
    first, second = session.messages
    assert [call.name for call in first.calls] == ["bash"]
    assert first.calls[0].exit == 0
    assert (first.finish, second.finish) == ("tool-calls", "stop")
    assert (first.tokens_in, first.tokens_out) == (1201, 29)
    assert first.time == 1796006330828
    assert next(second.texts()).text.head.startswith("The configured log level")
    assert "does not record what the person asked" in session.gaps[0].reason


def test_an_empty_answer_is_an_empty_message():
    (message,) = one(RUN / "1.18.33_empty.jsonl").messages
    assert message.empty
    assert message.finish == "stop"


def test_an_error_ends_a_message():
    (message,) = one(RUN / "1.18.33_error.jsonl").messages
    assert message.error is not None
    assert (message.error.name, message.error.text) == ("APIError", "Incorrect API key provided")


def test_lines_between_events_are_told(tmp_path: Path):
    log = tmp_path / "run"
    events = (RUN / "1.18.33_answered.jsonl").read_bytes()
    log.write_bytes(
        b"\x1b[0mPerforming one time database migration\n" + events + b'{"type":"text","timestamp":17'
    )
    session = one(log)
    assert session.truncated
    assert len(session.messages) == 2
    reasons = " | ".join(gap.reason for gap in session.gaps)
    assert "Performing one time database migration" in reasons
    assert "stops within its last event" in reasons


# --- share data ---


def test_shared_data_make_the_session_of_the_export():
    assert [content(message) for message in one(SHARE).messages] == [
        content(message) for message in export().messages
    ]


def test_half_of_the_shared_data_keeps_its_whole_objects(tmp_path: Path):
    log = tmp_path / "share"
    log.write_bytes(SHARE.read_bytes()[:9000])
    session = one(log)
    assert session.truncated
    assert 1 < len(session.messages) < 8


def test_parts_of_a_message_that_is_missing_are_kept(tmp_path: Path):
    items = [item for item in json.loads(SHARE.read_text("utf-8")) if item["type"] != "message"]
    log = tmp_path / "share"
    log.write_text(json.dumps(items), encoding="utf-8")
    session = one(log)
    assert {message.role for message in session.messages} == {"unknown"}
    assert any(message.calls for message in session.messages)
    assert any("lacks the message" in gap.reason for gap in session.gaps)


def test_one_object_a_line_and_unknown_entries(tmp_path: Path):
    items = json.loads(SHARE.read_text("utf-8"))
    log = written(tmp_path / "share", *items, {"type": "hologram", "data": {"id": "x"}}, 5)
    session = one(log)
    assert len(session.messages) == len(export().messages)
    assert (
        sum(
            "not known here (hologram)" in gap.reason or "no typed data: 1" in gap.reason
            for gap in session.gaps
        )
        == 2
    )
