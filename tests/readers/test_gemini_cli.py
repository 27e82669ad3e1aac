"""Gemini CLI: both forms, patches, records that only carry results, notes of the client."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sessionlens import readers
from sessionlens.model import Reasoning, Session, TextPart
from sessionlens.readers import ReadError

FIXTURES = Path(__file__).parents[2] / "fixtures" / "gemini_cli"


def one(name: str) -> Session:
    (session,) = readers.read(FIXTURES / name)
    return session


def made(tmp_path: Path, *records: object) -> Session:
    path = tmp_path / "log.jsonl"
    header = {"sessionId": "s", "projectHash": "h"}
    path.write_text("".join(json.dumps(record) + "\n" for record in (header, *records)))
    (session,) = readers.read(path)
    return session


def test_records_that_only_carry_results_are_no_messages() -> None:
    session = one("patches.jsonl")
    assert [message.role for message in session.messages] == [
        "user", "system", "user", "assistant", "assistant", "user", "assistant", "user", "assistant",
    ]  # fmt: skip
    carrier = "00000000-0000-4000-8000-000000000004"
    found = session.find(carrier)
    assert found is not None
    assert found.index == 3


def test_the_last_state_of_a_record_counts_at_the_place_of_its_first() -> None:
    message = one("patches.jsonl").messages[3]
    assert [call.exit for call in message.calls] == [None, 1]
    assert message.tokens_in == 800
    assert message.origin.line == 7


def test_headers_and_footers_of_a_shell_are_not_its_output() -> None:
    listing = one("patches.jsonl").messages[3].calls[0]
    edit = one("scene.json").messages[4].calls[0]
    assert listing.output is not None
    assert listing.output.whole() == "notes.txt"
    assert edit.output is not None
    assert edit.output.whole() == ""
    assert edit.exit == 0


def test_a_footer_that_says_more_stays(tmp_path: Path) -> None:
    told = "Command: x &\nDirectory: (root)\nOutput: a\nError: (none)\nExit Code: 0\nSignal: 0\nBackground PIDs: 71, 72\nProcess Group PGID: 70"
    call = {"id": "c", "name": "run_shell_command", "args": {"command": "x &"}, "status": "success",
            "result": [{"functionResponse": {"response": {"output": told}}}]}  # fmt: skip
    session = made(
        tmp_path,
        {
            "id": "a",
            "type": "gemini",
            "timestamp": "2026-01-01T00:00:00Z",
            "content": "",
            "toolCalls": [call],
        },
    )
    found = session.messages[0].calls[0]
    assert found.background
    assert found.output is not None
    assert found.output.whole().endswith("Background PIDs: 71, 72")


def test_the_client_s_context_is_not_human() -> None:
    session = one("patches.jsonl")
    assert [message.index for message in session.messages if message.human] == [2, 5, 7]
    assert all(part.synthetic for part in session.messages[0].parts if isinstance(part, TextPart))


def test_a_cancelled_request_interrupts_and_an_error_ends() -> None:
    session = one("patches.jsonl")
    assert session.messages[6].interruption
    assert session.messages[6].calls[0].interrupted
    assert session.messages[8].error is not None
    assert session.messages[8].error.text == "[API Error: quota exceeded]"
    assert session.messages[8].empty


def test_what_was_taken_back_is_a_gap() -> None:
    session = one("taken_back.jsonl")
    texts = [part.text.whole() for message in session.messages for part in message.texts()]
    assert texts == ["One.", "1", "Three.", "3"]
    assert [gap.reason for gap in session.gaps] == [
        "2 records that the person took back",
        "1 record of an unknown kind (mystery), the first here",
    ]


def test_a_patch_replaces_the_list_and_tells_what_it_removed(tmp_path: Path) -> None:
    a, b = ({"id": key, "type": "user", "timestamp": "2026-01-01T00:00:00Z", "content": key} for key in "ab")
    session = made(tmp_path, a, b, {"$set": {"messages": [b], "summary": "A talk"}})
    assert [message.id for message in session.messages] == ["b"]
    assert session.title == "A talk"
    assert session.gaps[0].reason == "a record that a later patch of the log removed"


def test_results_without_a_call_are_gaps(tmp_path: Path) -> None:
    response = {"functionResponse": {"id": "gone", "name": "x", "response": {"output": "y"}}}
    session = made(
        tmp_path,
        {"id": "a", "type": "user", "timestamp": "2026-01-01T00:00:00Z", "content": [response]},
        {"id": "b", "type": "gemini", "timestamp": "2026-01-01T00:00:01Z", "content": "Yes."},
    )
    assert len(session.messages) == 1
    assert "gone" in session.gaps[0].reason


def test_a_header_alone_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="no message"):
        made(tmp_path)


def test_what_the_real_client_logs_of_its_commands() -> None:
    session = one("0.61.0_tools.jsonl")
    assert not session.gaps
    calls = [call for message in session.messages for call in message.calls]
    assert [(call.timed_out, call.limit_ms, call.exit, call.background) for call in calls] == [
        (True, 6000, None, False),
        (False, None, 3, False),
        (False, None, None, True),
        (False, None, 2, False),
    ]
    outputs = [call.output.whole() if call.output is not None else "" for call in calls]
    assert outputs[1] == "degraded"
    assert outputs[3] == "ls: cannot access '/nowhere': No such file or directory"
    assert not any("untrusted_context" in output for output in outputs)
    assert [message.index for message in session.messages if message.human] == [1]


def test_a_resumed_session_keeps_what_came() -> None:
    session = one("0.61.0_resumed.jsonl")
    assert not session.gaps
    told = [(message.role, message.human, message.empty) for message in session.messages]
    assert told == [
        ("user", False, True),
        ("user", True, False),
        ("assistant", False, False),
        ("assistant", False, False),
        ("assistant", False, True),
        ("user", True, False),
        ("assistant", False, False),
    ]
    read, written = session.messages[2].calls
    assert read.error is not None
    assert read.error.whole().startswith("File not found")
    assert written.output is not None
    assert written.output.whole().startswith("Successfully created")
    assert session.messages[3].calls[0].timed_out
    assert sum(isinstance(part, Reasoning) for part in session.messages[3].parts) == 1


def test_an_empty_answer_goes_with_what_it_followed(tmp_path: Path) -> None:
    def record(key: str, kind: str, words: str) -> dict[str, object]:
        return {"id": key, "type": kind, "timestamp": "2026-03-01T10:00:00.000Z", "content": words}

    first, second = record("a", "user", "One."), record("c", "user", "Two.")
    blank = record("b", "gemini", "")
    kept = made(tmp_path, first, blank, second, {"$set": {"messages": [first, second]}})
    assert [message.empty for message in kept.messages] == [False, True, False]
    assert not kept.gaps
    gone = made(tmp_path, first, blank, second, {"$set": {"messages": [second]}})
    assert [message.empty for message in gone.messages] == [False]
    assert len(gone.gaps) == 1


def test_only_the_client_s_own_wrapping_is_taken_off(tmp_path: Path) -> None:
    def answered(output: str) -> str:
        call = {"id": "k", "name": "run_shell_command", "args": {"command": "cat a"}, "status": "success",
                "result": [{"functionResponse": {"id": "k", "response": {"output": output}}}]}  # fmt: skip
        session = made(tmp_path, {"id": "a", "type": "gemini", "content": "", "toolCalls": [call]})
        told = session.messages[0].calls[0].output
        return told.whole() if told is not None else ""

    assert answered("<untrusted_context>\none\n</untrusted_context>") == "one"
    assert answered("<untrusted_context>\none") == "<untrusted_context>\none"
    assert answered("say <untrusted_context>\none\n</untrusted_context>").startswith("say <")
