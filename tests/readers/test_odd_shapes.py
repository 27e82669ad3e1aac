"""What stands in a log in a form that no client is known to write: its words are read, or a gap tells of them.

Each scene is a call that a time limit cut off, and after it what the agent said, in an odd form. A message that may have
said something is either not empty or partly read: no finding may rest on its silence with high confidence.
"""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from sessionlens import readers
from sessionlens.model import LONG, Session
from sessionlens.readers.jsonl import joined

SAID = "It was cut off; I look again."
Record = dict[str, Any]


def told(session: Session) -> list[str]:
    return [gap.reason for gap in session.all_gaps()]


def words(session: Session) -> list[str]:
    return [part.text.whole() for message in session.messages for part in message.texts()]


def read_lines(path: Path, records: list[Any]) -> Session:
    path.write_text("".join((one if isinstance(one, str) else json.dumps(one)) + "\n" for one in records))
    (session,) = readers.read(path)
    return session


def answered(session: Session) -> bool:
    """Whether the message between the call and the person's next words is read, or known not to be."""
    silent = session.messages[2]
    assert silent.role != "user"
    return SAID in "".join(words(session)) or silent.partly_read


# --- texts of results ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"type": "text", "text": "a"}, "a"),
        ([[{"type": "text", "text": "a"}], "b"], "a\nb"),
        ([{"type": "content", "content": [{"type": "text", "text": "a"}, {"text": "b"}]}], "a\nb"),
        ({"content": [{"type": "text", "text": "a"}], "isError": True}, "a"),
        ([{"type": "resource", "resource": {"uri": "u", "text": "a"}}], "a"),
        ([{"type": "document", "source": {"type": "text", "data": "a"}}], "a"),
        (["b", {"text": "a"}], "b\na"),
        ([{"text": 5}], "5"),
        ([{"text": "a"}, {"text": ""}, {"text": "b"}], "a\n\nb"),
        ([{"text": "", "content": "a"}], "a"),
        ({"stdout": "a", "text": "b"}, '{"stdout":"a","text":"b"}'),
        ([{"stdout": "a"}], '{"stdout":"a"}'),
        ([{"type": "image", "source": {"data": "AAAA"}}, {"type": "tool_reference", "tool_name": "x"}], ""),
        (None, ""),
    ],
)
def test_the_text_of_a_result_of_any_form(value: Any, text: str) -> None:
    assert joined(value) == text


CUT = "Command timed out after 2m 0.0s"
FORMS: list[Any] = [
    [{"type": "text", "text": CUT}],
    {"type": "text", "text": CUT},
    [[{"type": "text", "text": CUT}]],
    [{"type": "content", "content": [{"type": "text", "text": CUT}]}],
]


# --- Claude Code --------------------------------------------------------------------------------------------


def claude(kind: str, number: int, message: Any = None, **more: Any) -> Record:
    record = {
        "type": kind,
        "sessionId": "s",
        "uuid": f"u{number}",
        "parentUuid": f"u{number - 1}",
        "version": "2.0.0",
    }
    return record | ({} if message is None else {"message": message}) | more


def claude_scene(result: Any = CUT, *, call: str | None = "t", of: str | None = "t") -> list[Any]:
    asked = {"type": "tool_use", "name": "Bash", "input": {"command": "systemctl restart nginx"}}
    came = {"type": "tool_result", "is_error": True, "content": result}
    return [
        claude("user", 1, {"role": "user", "content": "restart nginx"}),
        claude("assistant", 2, {"id": "m1", "content": [asked | ({} if call is None else {"id": call})]}),
        claude("user", 3, {"content": [came | ({} if of is None else {"tool_use_id": of})]}),
    ]


NEXT = claude("user", 9, {"role": "user", "content": "and now?"})


@pytest.mark.parametrize("result", FORMS)
def test_claude_results_of_any_form_show_the_cut_off(tmp_path: Path, result: Any) -> None:
    session = read_lines(tmp_path / "log.jsonl", claude_scene(result))
    (call,) = session.messages[1].calls
    assert call.timed_out
    assert call.error is not None
    assert call.error.whole() == CUT
    assert not told(session)


@pytest.mark.parametrize(
    "line",
    [
        claude("assistant", 4),
        claude("assistant", 4, message=0),
        claude("assistant", 4, {"id": "m2", "text": SAID}),
        claude("assistant", 4, content=SAID),
        claude("assistant", 4, SAID),
        claude("assistant", 4, {"id": "m2", "content": {"type": "text", "text": SAID}}),
        claude("assistant", 4, {"id": "m2", "content": [SAID]}),
        claude("assistant", 4, {"id": "m2", "content": [[{"type": "text", "text": SAID}]]}),
        claude("assistant", 4, {"id": "m2", "content": [{"type": "text", "content": SAID}]}),
        claude("assistant", 4, {"id": "m2", "content": [{"type": "thinking", "text": SAID}]}),
        claude("agent", 4, {"id": "m2", "content": SAID}),
        claude("user", 4),
        {
            key: value
            for key, value in claude("-", 4, {"role": "assistant", "content": SAID}).items()
            if key != "type"
        },
        json.dumps(claude("assistant", 4, {"content": SAID}))[:-1] + '"',
    ],
)
def test_claude_lines_that_may_have_said_something(tmp_path: Path, line: Any) -> None:
    session = read_lines(tmp_path / "log.jsonl", [*claude_scene(), line, NEXT])
    assert answered(session)
    assert told(session) or SAID in words(session)
    assert session.messages[-1].role == "user"


def test_claude_a_null_message_is_told_as_one_that_is_missing(tmp_path: Path) -> None:
    null = claude("assistant", 4) | {"message": None}
    session = read_lines(tmp_path / "log.jsonl", [*claude_scene(), null, claude("assistant", 5), NEXT])
    assert len(told(session)) == 2
    assert len(set(told(session))) == 1


def test_claude_long_words_in_an_odd_place_are_read_again(tmp_path: Path) -> None:
    long = SAID + "x" * LONG
    for number, message in enumerate(
        [long, {"content": [long]}, {"content": {"type": "text", "text": long}}]
    ):
        session = read_lines(tmp_path / f"{number}.jsonl", [*claude_scene(), claude("assistant", 4, message)])
        assert words(session)[-1] == long


def test_claude_results_before_their_call_twice_or_without_ids(tmp_path: Path) -> None:
    asked, call, result = claude_scene()
    session = read_lines(tmp_path / "early.jsonl", [asked, result, call, NEXT])
    assert session.messages[1].calls[0].timed_out
    assert not told(session)
    session = read_lines(tmp_path / "nameless.jsonl", claude_scene(call=None, of=None))
    assert session.messages[1].calls[0].timed_out
    assert not told(session)
    session = read_lines(tmp_path / "misnamed.jsonl", claude_scene(call=None))
    assert session.messages[1].calls[0].timed_out
    assert len(told(session)) == 1
    again = claude("user", 4, {"content": [{"type": "tool_result", "tool_use_id": "t", "content": SAID}]})
    session = read_lines(tmp_path / "twice.jsonl", [asked, call, result, again, NEXT])
    assert told(session) == ["a second result of the call t"]
    assert answered(session)
    other = claude(
        "assistant",
        4,
        {"id": "m2", "content": [{"type": "tool_use", "id": "t", "name": "Read", "input": {}}]},
    )
    session = read_lines(tmp_path / "other.jsonl", [asked, call, result, other, NEXT])
    assert [call.name for call in session.messages[2].calls] == ["Read"]
    assert len(told(session)) == 1


def test_claude_a_result_under_another_name_is_told(tmp_path: Path) -> None:
    asked, call, _ = claude_scene()
    odd = {"type": "tool_result", "tool_use_id": "t", "output": CUT}
    session = read_lines(tmp_path / "log.jsonl", [asked, call, claude("user", 3, {"content": [odd]})])
    assert any("output" in reason for reason in told(session))
    bare = {"type": "tool_result", "tool_use_id": "t"}
    session = read_lines(tmp_path / "bare.jsonl", [asked, call, claude("user", 3, {"content": [bare]})])
    assert not told(session)


# --- Codex --------------------------------------------------------------------------------------------------


def codex(kind: str, payload: Any) -> Record:
    return {"timestamp": "2026-01-01T00:00:00Z", "type": kind, "payload": payload}


def item(kind: str, **more: Any) -> Record:
    return codex("response_item", {"type": kind, **more})


def event(kind: str, **more: Any) -> Record:
    return codex("event_msg", {"type": kind, **more})


def spoken(role: Any, said: str) -> Record:
    return item("message", role=role, content=[{"type": "output_text", "text": said}])


LATE = "command timed out after 10152 milliseconds\n"


def codex_scene(output: Any = LATE, **more: Any) -> list[Any]:
    return [
        codex(
            "session_meta",
            {"id": "22222222-2222-4222-8222-222222222222", "cwd": "/w", "cli_version": "0.100.0"},
        ),
        spoken("user", "restart nginx"),
        item(
            "function_call",
            name="shell",
            call_id="c",
            arguments='{"command": ["systemctl", "restart", "nginx"]}',
        ),
        item("function_call_output", **({"call_id": "c", "output": output} | more)),
    ]


@pytest.mark.parametrize(
    "output",
    [
        {"type": "text", "text": LATE},
        [[{"type": "input_text", "text": LATE}]],
        [{"type": "content", "content": [{"type": "text", "text": LATE}]}],
        {"output": LATE, "metadata": {"exit_code": 124}},
        {"content": LATE, "success": False},
    ],
)
def test_codex_results_of_any_form_show_the_cut_off(tmp_path: Path, output: Any) -> None:
    session = read_lines(tmp_path / "log.jsonl", codex_scene(output))
    assert session.messages[1].calls[0].timed_out


@pytest.mark.parametrize(
    "lines",
    [
        [event("agent_message", message=SAID)],
        [event("item_completed", item={"type": "AgentMessage", "content": [{"type": "Text", "text": SAID}]})],
        [item("agent_message", message=SAID)],
        [codex("agent_message", None) | {"message": SAID}],
        [event("task_complete", last_agent_message=SAID)],
        [spoken(None, SAID)],
        [spoken("tool", SAID)],
        [item("message", role="assistant", body=SAID)],
        [item("message", role="assistant", content=[{"type": "output_text", "value": SAID}])],
        [item("message", role="assistant", content={"type": "output_text", "text": SAID})],
        [item("message", role="assistant", content=[SAID])],
        [item("other", text=SAID)],
        [codex("response_item", SAID)],
        [codex("response_item", None)],
        [codex("item", {"type": "message", "role": "assistant", "content": SAID})],
    ],
)
def test_codex_lines_that_may_have_said_something(tmp_path: Path, lines: list[Any]) -> None:
    session = read_lines(tmp_path / "log.jsonl", [*codex_scene(), *lines, spoken("user", "and now?")])
    assert answered(session)
    assert told(session) or SAID in words(session)


@pytest.mark.parametrize(
    "line",
    [
        event("agent_message", message=SAID),
        event("item_completed", item={"type": "AgentMessage", "content": [{"type": "Text", "text": SAID}]}),
        item("agent_message", message=SAID),
    ],
)
def test_codex_words_that_only_an_event_tells_are_the_agents(tmp_path: Path, line: Any) -> None:
    session = read_lines(tmp_path / "log.jsonl", [*codex_scene(), line, spoken("user", "and now?")])
    (said,) = [one for one in session.messages if SAID in "".join(part.text.whole() for part in one.texts())]
    assert said.role == "assistant"
    assert not any(part.synthetic for part in said.texts())


def test_codex_a_role_that_is_not_known_is_not_guessed(tmp_path: Path) -> None:
    session = read_lines(tmp_path / "log.jsonl", [*codex_scene(), spoken(None, SAID)])
    assert [message.role for message in session.messages] == ["user", "assistant", "unknown"]
    assert told(session) == ["a message whose role is not known (None)"]


@pytest.mark.parametrize("twice", [1, 2])
def test_codex_events_and_items_are_read_once(tmp_path: Path, twice: int) -> None:
    """Newer clients write the event before its item, older ones all events of a step before its items."""
    count = event(
        "token_count",
        info={"total_token_usage": {"total_tokens": 9}, "last_token_usage": {"output_tokens": 4}},
    )
    newer = [event("agent_message", message=SAID), spoken("assistant", SAID)]
    older = [
        event("agent_message", message=SAID),
        count,
        item("reasoning", summary=[]),
        spoken("assistant", SAID),
    ]
    after = [spoken("assistant", SAID), event("agent_message", message=SAID)]
    done = event("item_completed", item={"type": "AgentMessage", "content": [{"type": "Text", "text": SAID}]})
    both = [
        [done, *newer],
        [*newer, done],
        [newer[0], done, newer[1]],
        [after[0], done, after[1]],
        [done, newer[0]],
    ]
    if twice == 2:
        # The same words twice within one step are told apart by their items alone.
        both = []
    for number, lines in enumerate((newer, older, after, *both)):
        scene = [*codex_scene(), *lines * twice, event("task_complete", last_agent_message=SAID)]
        session = read_lines(tmp_path / f"{number}.jsonl", scene)
        assert words(session) == ["restart nginx"] + [SAID] * twice
        assert not told(session)


def test_codex_what_an_event_leaves_out_makes_no_second_message(tmp_path: Path) -> None:
    raw = f"{SAID}<oai-mem-citation>a.md</oai-mem-citation>"
    session = read_lines(
        tmp_path / "log.jsonl",
        [*codex_scene(), event("agent_message", message=SAID), spoken("assistant", raw)],
    )
    assert words(session) == ["restart nginx", raw]


def test_codex_what_a_person_wrote_is_read_once_from_item_or_event(tmp_path: Path) -> None:
    lines = [
        codex_scene()[0],
        event("user_message", message="restart nginx"),
        spoken("user", "restart nginx"),
        event("user_message", message="and the cache"),
        spoken("assistant", "Which?"),
        event("user_message", message="both"),
    ]
    session = read_lines(tmp_path / "log.jsonl", lines)
    assert words(session) == ["restart nginx", "and the cache", "Which?", "both"]


def test_codex_results_before_their_call_twice_or_without_ids(tmp_path: Path) -> None:
    meta, asked, call, result = codex_scene()
    session = read_lines(tmp_path / "early.jsonl", [meta, asked, result, call])
    assert session.messages[1].calls[0].timed_out
    assert not told(session)
    session = read_lines(tmp_path / "twice.jsonl", [*codex_scene(), codex_scene("started")[3]])
    assert told(session) == ["a second result of the call c"]
    nameless = item("function_call", name="shell", arguments="{}")
    session = read_lines(tmp_path / "nameless.jsonl", [meta, asked, nameless, codex_scene(call_id=None)[3]])
    assert session.messages[1].calls[0].timed_out
    odd = item("function_call_output", call_id="c", result=LATE)
    session = read_lines(tmp_path / "odd.jsonl", [meta, asked, call, odd])
    assert any("(result)" in reason for reason in told(session))


def test_codex_turns_taken_back_and_calls_that_only_events_tell_of(tmp_path: Path) -> None:
    scene = [*codex_scene(), spoken("user", "no, wait"), event("thread_rolled_back", num_turns=1)]
    session = read_lines(
        tmp_path / "log.jsonl", [*scene, event("exec_command_end", call_id="z", exit_code=1)]
    )
    assert [message.reverted for message in session.messages] == [False, False, True]
    assert told(session) == ["a call of which only an event tells"]


# --- opencode -----------------------------------------------------------------------------------------------

SESSION = "ses_abcdefghijklmnopqrst123456"
MARK = "<bash_metadata>\nbash tool terminated command after exceeding timeout 120000 ms\n</bash_metadata>"


def entry(number: int, role: str, *parts: Any, **more: Any) -> Record:
    info = {"id": f"msg_{number}", "role": role, "sessionID": SESSION, "time": {"created": number}}
    return {"info": info | more, "parts": list(parts)}


def bash(**state: Any) -> Record:
    whole = {"status": "completed", "input": {"command": "ls"}, "output": MARK, "metadata": {}} | state
    return {
        "type": "tool",
        "tool": "bash",
        "callID": "c",
        "state": {key: one for key, one in whole.items() if one != "-"},
    }


def export(path: Path, *entries: Any, call: Any = None) -> Session:
    messages = [
        entry(1, "user", {"type": "text", "text": "restart nginx"}),
        entry(2, "assistant", call or bash()),
    ]
    path.write_text(
        json.dumps({"info": {"id": SESSION, "version": "1.18.33"}, "messages": [*messages, *entries]})
    )
    (session,) = readers.read(path)
    return session


@pytest.mark.parametrize(
    "odd",
    [
        {"info": entry(3, "assistant")["info"]},
        {"info": entry(3, "assistant")["info"] | {"role": None}},
        entry(3, "assistant") | {"parts": None},
        entry(3, "assistant") | {"parts": SAID},
        {"parts": [{"type": "text", "text": SAID}]},
        {"role": "assistant", "content": SAID},
        SAID,
        entry(3, "assistant", {"type": "text", "content": SAID}),
        entry(3, "assistant", {"type": "text", "text": [{"type": "text", "text": SAID}]}),
        entry(3, "assistant", SAID),
        entry(3, "assistant", content=SAID),
    ],
)
def test_opencode_entries_that_may_have_said_something(tmp_path: Path, odd: Any) -> None:
    session = export(tmp_path / "export.json", odd, entry(4, "user", {"type": "text", "text": "and now?"}))
    assert len(session.messages) == 4
    assert answered(session)


@pytest.mark.parametrize("output", [{"type": "text", "text": MARK}, [[{"type": "text", "text": MARK}]]])
def test_opencode_results_of_any_form_show_the_cut_off(tmp_path: Path, output: Any) -> None:
    session = export(tmp_path / "export.json", call=bash(output=output))
    assert session.messages[1].calls[0].timed_out


@pytest.mark.parametrize(
    "call",
    [
        bash(output="-", result=MARK),
        bash() | {"state": MARK},
        {"type": "tool", "tool": "bash"},
        bash(status="aborted", output="ok"),
        bash(status=5, output="ok"),
    ],
)
def test_opencode_a_call_without_a_known_result_is_told(tmp_path: Path, call: Any) -> None:
    session = export(tmp_path / "export.json", call=call)
    assert session.messages[1].calls[0].status == "completed"
    assert len(told(session)) == 1


def test_opencode_parts_of_a_message_that_is_gone_keep_their_words_and_place(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            "CREATE TABLE session(id, parent_id, directory, title, version, time_created, time_updated, revert);"
            "CREATE TABLE message(id, session_id, time_created, data);"
            "CREATE TABLE part(id, message_id, session_id, time_created, data);"
        )
        connection.execute("INSERT INTO session(id, version) VALUES (?, '1.18.33')", (SESSION,))
        for number, said in enumerate(("restart nginx", SAID, "and now?")):
            info = json.dumps({"role": "user", "time": {"created": number}})
            part = json.dumps({"type": "text", "text": said})
            if said != SAID:
                connection.execute(
                    "INSERT INTO message VALUES (?, ?, ?, ?)", (f"msg_{number}", SESSION, number, info)
                )
            connection.execute(
                "INSERT INTO part VALUES (?, ?, ?, ?, ?)",
                (f"prt_{number}", f"msg_{number}", SESSION, number, part),
            )
        connection.commit()
    (session,) = readers.read(path)
    assert words(session) == ["restart nginx", SAID, "and now?"]
    assert session.messages[1].role == "unknown"
    assert session.messages[1].partly_read


# --- Gemini CLI and transcript XML --------------------------------------------------------------------------


def gemini(number: int, kind: str | None, **more: Any) -> Record:
    record = {"id": f"r{number}", "timestamp": "2026-01-01T00:00:00Z"}
    return record | ({} if kind is None else {"type": kind}) | more


def returned(output: str, called: str | None = "c") -> Record:
    response = {"name": "run_shell_command", "response": {"output": output}}
    return {"functionResponse": response | ({} if called is None else {"id": called})}


def gemini_scene(*odd: Any, call: Record | None = None) -> list[Any]:
    asked = {"id": "c", "name": "run_shell_command", "args": {"command": "ls"}, "status": "success"}
    return [
        {"sessionId": "s", "projectHash": "h"},
        gemini(1, "user", content="restart nginx"),
        gemini(
            2, "gemini", content="", toolCalls=[asked | {"result": [returned("x")]} if call is None else call]
        ),
        *odd,
        gemini(9, "user", content="and now?"),
    ]


@pytest.mark.parametrize(
    "odd",
    [
        gemini(3, "gemini"),
        gemini(3, "gemini", parts=[{"text": SAID}]),
        gemini(3, "gemini", content={"text": SAID}),
        gemini(3, "gemini", content=[[{"text": SAID}]]),
        gemini(3, "agent", content=SAID),
        gemini(3, None, content=SAID),
        gemini(3, None, role="model", content=SAID),
        gemini(3, "user", content=[returned("another")]),
        SAID.join('""'),
        json.dumps(gemini(3, "gemini", content=SAID))[:-1],
    ],
)
def test_gemini_records_that_may_have_said_something(tmp_path: Path, odd: Any) -> None:
    assert answered(read_lines(tmp_path / "log.jsonl", gemini_scene(odd)))


def test_gemini_results_before_their_call_and_without_ids(tmp_path: Path) -> None:
    waiting = {"name": "run_shell_command", "args": {}, "status": "executing"}
    session = read_lines(
        tmp_path / "nameless.jsonl",
        gemini_scene(gemini(3, "user", content=[returned("x", None)]), call=waiting),
    )
    assert session.messages[1].calls[0].output is not None
    assert not told(session)
    scene = gemini_scene(call=waiting | {"id": "c"})
    scene.insert(2, gemini(8, "user", content=[returned("x")]))
    session = read_lines(tmp_path / "early.jsonl", scene)
    assert session.messages[1].calls[0].output is not None
    assert not told(session)


def test_gemini_calls_that_stand_in_the_content_alone_are_read(tmp_path: Path) -> None:
    asked = gemini(
        1, "gemini", content=[{"functionCall": {"name": "run_shell_command", "args": {"command": "ls"}}}]
    )
    session = read_lines(tmp_path / "log.jsonl", [{"sessionId": "s", "projectHash": "h"}, asked])
    assert [call.name for call in session.messages[0].calls] == ["run_shell_command"]


@pytest.mark.parametrize(
    "odd",
    [
        f'<msg id="2" role="assistant" content="{SAID}"/>',
        f'<msg id="2" role="assistant"><text value="{SAID}"/></msg>',
    ],
)
def test_words_in_attributes_of_a_transcript_are_told(tmp_path: Path, odd: str) -> None:
    path = tmp_path / "log.xml"
    path.write_text(
        f'<conversation_data><msg id="1" role="user"><text>hi</text></msg>{odd}</conversation_data>'
    )
    (session,) = readers.read(path)
    assert session.messages[1].partly_read


@pytest.mark.parametrize("kind", ["CommandExecution", "McpToolCall", "FileChange"])
def test_codex_a_call_that_only_a_completed_item_tells_is_told(tmp_path: Path, kind: str) -> None:
    done = event("item_completed", item={"type": kind, "id": "elsewhere", "command": ["rm", "-r", "x"]})
    session = read_lines(tmp_path / "log.jsonl", [*codex_scene(), done, spoken("user", "and now?")])
    assert "a call of which only an event tells" in told(session)


@pytest.mark.parametrize("name", ["output", "result", "stderr"])
def test_xml_a_result_in_an_attribute_is_told(tmp_path: Path, name: str) -> None:
    path = tmp_path / "log.xml"
    path.write_text(
        f'<conversation_data><msg id="1" role="assistant"><tool name="bash" {name}="{SAID}"><input>ls</input></tool></msg>'
        "</conversation_data>"
    )
    (session,) = readers.read(path)
    assert SAID in words(session) or any(name in reason for reason in told(session))


@pytest.mark.parametrize(
    "record",
    [
        {"type": "user", "content": "", "displayContent": SAID},
        {"type": "gemini", "content": "", "toolCalls": [
            {"id": "q", "name": "replace", "args": {}, "status": "success", "resultDisplay": {"fileDiff": SAID}}
        ]},
    ],
)  # fmt: skip
def test_gemini_words_that_only_the_screen_showed(tmp_path: Path, record: dict[str, Any]) -> None:
    fixture = Path(__file__).parents[2] / "fixtures" / "gemini_cli" / "0.61.0_tools.jsonl"
    lines = fixture.read_text().splitlines(keepends=True)
    more = json.dumps({"id": "more", "timestamp": "2026-01-01T00:00:00Z", **record}) + "\n"
    path = tmp_path / "log.jsonl"
    path.write_text("".join((*lines[:4], more, *lines[4:])))
    (session,) = readers.read(path)
    outputs = [
        call.output.whole() for one in session.messages for call in one.calls if call.output is not None
    ]
    assert SAID in "".join((*words(session), *outputs))
