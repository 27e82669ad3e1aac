"""Plain chat messages of several APIs, in documents and lines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sessionlens import readers
from sessionlens.model import File, Reasoning, Session, Unread, content

FIXTURES = Path(__file__).parents[2] / "fixtures" / "chat"


def one(name: str) -> Session:
    (session,) = readers.read(FIXTURES / name)
    return session


def made(tmp_path: Path, value: object) -> Session:
    path = tmp_path / "chat.json"
    path.write_text(json.dumps(value))
    (session,) = readers.read(path)
    return session


def test_a_document_and_lines_are_the_same() -> None:
    """But for the model, which only the document around the messages names."""
    document, lines = one("scene.json"), one("scene_lines.jsonl")
    assert document.models == ("m-5",)
    assert [content(m.parts) for m in document.messages] == [content(m.parts) for m in lines.messages]


def test_a_result_that_is_json_gives_its_exit_code() -> None:
    call = one("scene.json").messages[5].calls[0]
    assert call.exit == 0
    assert call.output is not None
    assert call.output.whole() == ""


def test_anthropic_results_belong_to_their_calls() -> None:
    session = one("anthropic.json")
    assert [message.role for message in session.messages] == [
        "user",
        "assistant",
        "assistant",
        "user",
        "user",
    ]
    tail, false = session.messages[1].calls
    assert tail.output is not None
    assert tail.output.whole() == "line 1\nline 2"
    assert (false.status, false.exit) == ("error", 1)
    assert isinstance(session.messages[1].parts[0], Reasoning)
    assert session.messages[3].human
    assert isinstance(session.messages[4].parts[0], File)
    assert isinstance(session.messages[4].parts[1], Unread)


def test_items_of_the_responses_api() -> None:
    session = one("responses.json")
    assert [message.role for message in session.messages] == ["user", "assistant", "assistant"]
    call = session.messages[1].calls[0]
    assert (call.id, call.name) == ("w1", "shell")
    assert call.output is not None
    assert call.output.whole() == "Mon"


def test_a_log_of_requests_is_one_growing_conversation() -> None:
    grown, other = readers.read(FIXTURES / "requests.jsonl")
    assert [message.role for message in grown.messages] == [
        "system",
        "user",
        "assistant",
        "user",
        "assistant",
    ]
    assert grown.messages[2].finish == "stop"
    assert grown.messages[4].finish == "length"
    assert grown.messages[4].empty
    assert len(other.messages) == 1


def test_parts_of_gemini_and_other_names_of_roles() -> None:
    listing = one("gemini_contents.json")
    assert listing.messages[1].calls[0].output is not None
    first, second = readers.read(FIXTURES / "sharegpt.jsonl")
    assert (first.id, second.id) == ("s1", "s2")
    assert second.messages[2].role == "unknown"
    assert second.gaps


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("2026-03-02T10:00:00Z", 1772445600000),
        (1772445600, 1772445600000),
        (1772445600000, 1772445600000),
        ("soon", None),
        (True, None),
    ],
)
def test_times_as_people_keep_them(tmp_path: Path, written: object, expected: int | None) -> None:
    session = made(tmp_path, [{"role": "user", "content": "Hi.", "timestamp": written}])
    assert session.messages[0].time == expected


def test_a_system_prompt_beside_the_messages(tmp_path: Path) -> None:
    session = made(tmp_path, {"system": "Be brief.", "messages": [{"role": "user", "content": "Hi."}]})
    assert [message.role for message in session.messages] == ["system", "user"]


def test_results_without_an_id_go_to_the_call_that_waits(tmp_path: Path) -> None:
    session = made(
        tmp_path,
        [
            {"role": "assistant", "content": "", "function_call": {"name": "bash", "arguments": "{\"command\": \"ls\"}"}},
            {"role": "function", "name": "bash", "content": "a"},
            {"role": "tool", "tool_call_id": "none", "content": "b"},
        ],
    )  # fmt: skip
    assert session.messages[0].calls[0].output is not None
    assert session.gaps[0].reason == "the result of a call that this log does not hold (none)"


def test_a_program_s_own_words_in_what_a_file_holds_are_no_cut_off(tmp_path: Path) -> None:
    session = made(
        tmp_path,
        [
            {
                "role": "assistant",
                "content": [{"type": "tool_use", "id": "1", "name": "read_file", "input": {"path": "log"}}],
            },
            {
                "role": "user",
                "content": [
                    {
                        "type": "tool_result",
                        "tool_use_id": "1",
                        "content": "Command timed out after 5 seconds",
                    }
                ],
            },
        ],
    )
    assert not session.messages[0].calls[0].timed_out


@pytest.mark.parametrize(
    "value",
    [{"role": "user"}, [{"a": 1}], {"messages": []}, {"messages": [{"role": "wizard", "content": "x"}]}],
)
def test_what_is_no_chat(tmp_path: Path, value: object) -> None:
    path = tmp_path / "x.json"
    path.write_text(json.dumps(value))
    assert readers.get("chat").recognises(readers.Source(path))
