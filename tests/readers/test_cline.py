"""Cline and Roo: calls as XML and as blocks, results in user records, what the person saw."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sessionlens import readers
from sessionlens.model import Call, Reasoning, Session

FIXTURES = Path(__file__).parents[2] / "fixtures" / "cline"


def one(name: str) -> Session:
    (session,) = readers.read(FIXTURES / name)
    return session


def said(session: Session, index: int) -> list[str]:
    return [part.text.whole().strip() for part in session.messages[index].texts()]


def test_xml_calls_and_their_results() -> None:
    session = one("scene")
    restart = session.messages[1].calls[0]
    assert restart.name == "execute_command"
    assert restart.arguments()["command"] == "ssh root@gpu7 'systemctl restart vllm'"
    assert (restart.timed_out, restart.limit_ms) == (True, 15_000)
    assert isinstance(session.messages[1].parts[0], Reasoning)
    assert said(session, 1) == ["I restart vllm now."]
    assert session.messages[1].aliases == ("2",)


def test_only_the_person_s_words_are_human() -> None:
    session = one("scene")
    assert said(session, 0) == ["Restart the model server on gpu7 with the new flag."]
    assert said(session, 3) == ["Now point the router at it."]
    assert [message.index for message in session.messages if message.human] == [0, 3]


def test_times_and_tokens_come_from_what_the_person_saw() -> None:
    message = one("scene").messages[1]
    assert message.time == 1772445601000
    assert (message.tokens_in, message.tokens_out) == (100, 8)


def test_a_last_word_is_prose() -> None:
    assert said(one("scene"), 5) == ["Done, the router points to gpu7."]


def test_blocks_background_refusals_exit_codes_and_feedback() -> None:
    session = one("blocks")
    server, notes = session.messages[1].calls
    tests = session.messages[2].calls[0]
    assert (server.background, server.output and server.output.whole().split("\n")[0]) == (
        True,
        "listening on 3000",
    )
    assert (notes.status, notes.interrupted) == ("error", False)
    assert tests.exit == 2
    assert said(session, 3) == ["Leave the tests alone."]
    assert session.messages[3].human
    assert session.messages[4].interruption


def test_what_the_person_saw_alone() -> None:
    session = one("screen_only.json")
    call = session.messages[1].calls[0]
    assert call.output is not None
    assert call.output.whole() == "55% /\ndone"
    assert session.messages[2].interruption
    assert session.messages[4].error is not None
    assert session.messages[4].error.text == "overloaded"


def test_the_conversation_alone_has_no_times() -> None:
    session = one("scene/api_conversation_history.json")
    assert session.started is None
    assert len(session.messages) == 6


def test_requests_that_do_not_fit_are_told(tmp_path: Path) -> None:
    for name in ("api_conversation_history.json", "ui_messages.json"):
        records = json.loads((FIXTURES / "scene" / name).read_text())
        kept = (
            records
            if name.startswith("api")
            else [r for r in records if r.get("say") != "api_req_started"][:1] + records[1:2]
        )
        (tmp_path / name).write_text(json.dumps(kept))
    (session,) = readers.read(tmp_path)
    assert session.messages[1].time is None
    assert "times are left out" in session.gaps[0].reason


@pytest.mark.parametrize("tag", ["task", "feedback", "user_message", "answer"])
def test_tags_that_never_close_cost_no_time(tmp_path: Path, tag: str) -> None:
    text = f"<{tag}>" * 100_000
    record = {
        "role": "user",
        "content": [
            {"type": "text", "text": "<environment_details>\nx</environment_details>"},
            {"type": "text", "text": text},
        ],
    }
    path = tmp_path / "api.json"
    path.write_text(json.dumps([record]))
    (session,) = readers.read(path)
    assert session.messages[0].human


def test_progress_told_in_act_mode_is_prose_and_its_receipt_is_not_the_person_s(tmp_path: Path) -> None:
    told = [
        {"role": "user", "content": [{"type": "text", "text": "<task>\nMove the cache.\n</task>"}]},
        {
            "role": "assistant",
            "content": [
                {
                    "type": "text",
                    "text": "<act_mode_respond><response>The cache is moved, next its size.</response></act_mode_respond>",
                }
            ],
        },
        {
            "role": "user",
            "content": [{"type": "text", "text": "[act_mode_respond] Result:\n[Message displayed.]"}],
        },
    ]
    path = tmp_path / "api_conversation_history.json"
    path.write_text(json.dumps(told), encoding="utf-8")
    (session,) = readers.read(path)
    assert said(session, 1) == ["The cache is moved, next its size."]
    assert [call.name for call in session.messages[1].calls] == ["act_mode_respond"]
    assert [message.index for message in session.messages if message.human] == [0]
    assert not session.gaps


def native(tmp_path: Path, *results: object, name: str = "execute_command") -> Session:
    """A task with blocks: each result answers a call of its own."""
    told: list[object] = [
        {"role": "user", "content": [{"type": "text", "text": "<task>\nMend the build.\n</task>"}]}
    ]
    for number, result in enumerate(results):
        call = {"type": "tool_use", "id": f"t{number}", "name": name, "input": {"command": "make"}}
        answer = {"type": "tool_result", "tool_use_id": f"t{number}", "content": result}
        told.append({"role": "assistant", "content": [call]})
        told.append({"role": "user", "content": [answer]})
    path = tmp_path / "api_conversation_history.json"
    path.write_text(json.dumps(told), encoding="utf-8")
    (session,) = readers.read(path)
    assert not session.gaps
    return session


def calls(session: Session) -> list[Call]:
    return [call for message in session.messages for call in message.calls]


def test_the_limit_of_roo_s_commands_is_a_cut_off(tmp_path: Path) -> None:
    session = native(
        tmp_path,
        "The command was terminated after exceeding a user-configured 15s timeout. Do not try to re-run the command.",
        "Command executed in terminal within working directory '/w'. Exit code: 0\nOutput:\n"
        "The command was terminated after exceeding a user-configured 15s timeout.",
    )
    first, second = calls(session)
    assert (first.timed_out, first.limit_ms, first.exit) == (True, 15_000, None)
    assert (second.timed_out, second.exit) == (False, 0)
    assert [message.role for message in session.messages] == ["user", "assistant", "assistant"]


def test_refusals_and_words_within_roo_s_answers(tmp_path: Path) -> None:
    session = native(
        tmp_path,
        '{"status":"denied","message":"The user denied this operation."}',
        '{"status":"denied","feedback":"Use \\"port\\" 8080."}',
        '{"status":"approved","feedback":"Lint it, too."}\n\nCommand executed in terminal within working directory'
        " '/w'. Exit code: 0\nOutput:\nok",
        '{"status":"error","message":"The tool execution failed","error":"No such file"}',
        "The command was cancelled by the user.",
        '{"status":"denied","reason":"quota"}',
    )
    made = calls(session)
    assert [call.error is not None for call in made] == [True, True, False, False, True, False]
    assert [call.status for call in made] == ["error", "error", "completed", "error", "error", "completed"]
    assert made[2].exit == 0
    assert [call.interrupted for call in made] == [False, False, False, False, True, False]
    humans = [message for message in session.messages if message.human]
    assert [said(session, message.index) for message in humans] == [
        ["Mend the build."],
        ['Use "port" 8080.'],
        ["Lint it, too."],
    ]


def test_a_limit_the_person_saw_ends_the_command(tmp_path: Path) -> None:
    seen = [
        {"ts": 1772445600000, "type": "say", "say": "text", "text": "Mend the build."},
        {"ts": 1772445601000, "type": "say", "say": "api_req_started", "text": "{}"},
        {"ts": 1772445602000, "type": "ask", "ask": "command", "text": "make"},
        {"ts": 1772445617000, "type": "say", "say": "error", "text": "Command execution timed out after 15 seconds"},
    ]  # fmt: skip
    path = tmp_path / "ui_messages.json"
    path.write_text(json.dumps(seen), encoding="utf-8")
    (session,) = readers.read(path)
    (call,) = calls(session)
    assert (call.status, call.timed_out, call.limit_ms, call.end) == (
        "completed",
        True,
        15_000,
        1772445617000,
    )


def test_an_answer_without_content_is_empty(tmp_path: Path) -> None:
    def task(words: str) -> Session:
        told = [
            {"role": "user", "content": [{"type": "text", "text": "<task>\nMend the build.\n</task>"}]},
            {"role": "assistant", "content": [{"type": "text", "text": words}]},
        ]
        path = tmp_path / "api_conversation_history.json"
        path.write_text(json.dumps(told), encoding="utf-8")
        (session,) = readers.read(path)
        return session

    assert task("Failure: I did not provide a response.").messages[1].empty
    assert not task("Failure: I did not provide a response. That was wrong.").messages[1].empty
