"""Exports of real clients from 1.0.0 to 1.18.33: what each version writes, and what befalls a file."""

from __future__ import annotations

import json
import pickle
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sessionlens import readers
from sessionlens.model import (
    LONG,
    Call,
    Changed,
    Compaction,
    File,
    Reasoning,
    Session,
    Subtask,
    TextPart,
    Unread,
    content,
)
from sessionlens.readers import ReadError, Source
from sessionlens.readers.opencode_export import OpencodeExport

FIXTURES = Path(__file__).parents[2] / "fixtures" / "opencode_export"
VERSIONS = ["1.0.0", "1.1.65", "1.2.1", "1.14.41", "1.18.33"]
EXPORTS = sorted(path.name for path in FIXTURES.glob("1.*.json"))


def read(name: str) -> Session:
    (session,) = readers.read(FIXTURES / name, reader="opencode-export")
    return session


def calls(session: Session, tool: str | None = None) -> list[Call]:
    return [call for m in session.messages for call in m.calls if tool in (None, call.name)]


def export(
    tmp_path: Path, change: Callable[[dict[str, Any]], None], base: str = "1.18.33_timeout_empty.json"
) -> Path:
    """A fixture changed as an object and written again."""
    value = json.loads((FIXTURES / base).read_text())
    change(value)
    path = tmp_path / "export.json"
    path.write_text(json.dumps(value, indent=2))
    return path


# --- what every version writes -----------------------------------------------------------------------------


@pytest.mark.parametrize("version", VERSIONS)
def test_a_time_out_and_the_empty_reply(version: str) -> None:
    session = read(f"{version}_timeout_empty.json")
    assert session.client_version == version
    assert not list(session.all_gaps())
    assert [m.role for m in session.messages].count("user") == 2
    (cut,) = [call for call in calls(session) if call.timed_out]
    assert cut.name == "bash"
    assert cut.limit_ms == 3000
    assert cut.exit is None
    assert cut.status == "completed"
    assert not cut.interrupted
    assert cut.start is not None
    assert cut.end is not None
    assert 2950 <= cut.end - cut.start <= 9000
    (empty,) = [m for m in session.messages if m.role == "assistant" and m.empty]
    assert empty.finish == "stop"
    assert empty.error is None
    assert empty.index == next(m.index for m in session.messages if cut in m.calls) + 1


@pytest.mark.parametrize("version", VERSIONS)
def test_a_command_the_person_stopped(version: str) -> None:
    session = read(f"{version}_abort_tool.json")
    (call,) = calls(session)
    assert call.interrupted
    assert not call.timed_out
    assert call.start is not None
    assert call.end is not None
    assert call.end - call.start > 1000, "1.0.0 to 1.3.2 record start = end"
    assert session.messages[-1].interruption


@pytest.mark.parametrize("version", VERSIONS)
def test_a_killed_server_leaves_the_call_running(version: str) -> None:
    session = read(f"{version}_server_killed.json")
    (call,) = calls(session)
    assert call.status == "running"
    assert call.end is None
    assert not call.timed_out
    assert not call.interrupted
    assert session.messages[-1].ended is None
    assert session.messages[-1].finish is None


@pytest.mark.parametrize("name", EXPORTS)
def test_every_part_knows_its_place(name: str) -> None:
    path = FIXTURES / name
    data = path.read_bytes()
    for message in read(name).messages:
        for part in message.parts:
            origin = part.origin
            assert origin.offset is not None
            assert origin.length is not None
            raw = json.loads(data[origin.offset : origin.offset + origin.length])
            assert origin.line == data.count(b"\n", 0, origin.offset) + 1
            if isinstance(part, Call):
                assert raw["callID"] == part.id
                assert part.arguments() == raw["state"]["input"]
            elif isinstance(part, Reasoning) or (isinstance(part, TextPart) and raw["type"] == "text"):
                assert raw["text"] == part.text.whole()


@pytest.mark.parametrize("name", EXPORTS)
def test_messages_and_calls_are_all_there(name: str) -> None:
    raw = json.loads((FIXTURES / name).read_text())
    session = read(name)
    assert [m.id for m in session.messages] == [m["info"]["id"] for m in raw["messages"]]
    assert [call.id for call in calls(session)] == [
        part["callID"] for m in raw["messages"] for part in m["parts"] if part["type"] == "tool"
    ]


def test_the_finish_of_1_0_0_comes_from_its_steps() -> None:
    raw = (FIXTURES / "1.0.0_timeout_empty.json").read_text()
    assert '"finish"' not in raw
    finishes = [m.finish for m in read("1.0.0_timeout_empty.json").messages if m.role == "assistant"]
    assert set(finishes) == {"stop", "tool-calls"}


def test_caches_are_no_tokens_read() -> None:
    old = [m.tokens_in for m in read("1.0.0_timeout_empty.json").messages if m.tokens_in]
    raw = json.loads((FIXTURES / "1.0.0_timeout_empty.json").read_text())
    first = next(m["info"]["tokens"] for m in raw["messages"] if m["info"].get("tokens"))
    assert old[0] == first["input"] - first["cache"]["read"]
    new = json.loads((FIXTURES / "1.18.33_timeout_empty.json").read_text())
    first = next(m["info"]["tokens"] for m in new["messages"] if m["info"].get("tokens"))
    assert first["input"] in [m.tokens_in for m in read("1.18.33_timeout_empty.json").messages]


def test_the_default_limit_applies_where_none_was_asked() -> None:
    (call,) = calls(read("1.18.33_default_timeout.json"), "bash")
    assert call.timed_out
    assert call.limit_ms == 120_000
    limits = {call.limit_ms for call in calls(read("1.0.0_timeout_empty.json"), "bash")}
    assert limits == {3000, 60_000}


def test_the_tool_errors_of_1_18() -> None:
    session = read("1.18.33_tool_errors.json")
    tools = calls(session)
    errors = [call for call in tools if call.status == "error"]
    assert {"edit", "read", "bash", "webfetch"} <= {call.name for call in errors}
    assert all(call.error for call in errors)
    assert not any(call.interrupted for call in tools)
    (spilled,) = [call for call in tools if call.spilled]
    assert spilled.truncated
    assert spilled.spilled is not None
    assert "tool-output/tool_" in spilled.spilled
    assert spilled.output is not None
    assert spilled.output.long
    assert [call.exit for call in tools if call.exit] == [3, 1]
    negative = [call for call in tools if call.arguments().get("timeout", 0) < 0]
    assert negative
    assert all(call.limit_ms is None and not call.timed_out for call in negative)


def test_a_refusal_is_no_interruption() -> None:
    session = read("1.18.33_permission.json")
    refused = [call for call in calls(session) if call.error]
    assert len(refused) == 2
    assert not any(call.interrupted or call.timed_out for call in refused)


def test_what_the_client_wrote_is_not_the_persons() -> None:
    shell = read("1.18.33_shell_cmd.json")
    assert not any(m.human for m in shell.messages)
    (call,) = calls(shell)
    assert call.limit_ms is None, "the person's own command has no limit of the agent's tool"
    attached = read("1.18.33_attach_file.json").messages[0]
    assert attached.human
    assert [part.synthetic for part in attached.parts if isinstance(part, TextPart)].count(True) == 4
    assert [part.name for part in attached.parts if isinstance(part, File)] == ["app.toml"]
    compacted = read("1.18.33_compaction_ok.json")
    marks = [m for m in compacted.messages if any(isinstance(part, Compaction) for part in m.parts)]
    assert [part.auto for m in marks for part in m.parts if isinstance(part, Compaction)] == [False, True]
    assert not any(m.human for m in marks)
    assert [m.role for m in compacted.messages if m.summary] == ["assistant", "assistant"]


def test_what_was_undone_is_marked() -> None:
    session = read("1.18.33_revert.json")
    undone = [m.index for m in session.messages if m.reverted]
    assert undone == [3, 4, 5]


def test_changed_files_are_told() -> None:
    changed = [
        part
        for m in read("1.18.33_write_module.json").messages
        for part in m.parts
        if isinstance(part, Changed)
    ]
    assert changed
    assert all(part.files for part in changed)


def test_a_sanitised_export_says_what_it_lost() -> None:
    session = read("1.18.33_timeout_empty_sanitized.json")
    assert any("sanitised" in gap.reason for gap in session.gaps)
    assert [call.limit_ms for call in calls(session, "bash")] == [None] * len(calls(session, "bash"))
    assert any(m.role == "assistant" and m.empty for m in session.messages)


def test_a_sanitised_call_that_lasted_the_default_limit_was_cut_off(tmp_path: Path) -> None:
    def longer(value: dict[str, Any]) -> None:
        for message in value["messages"]:
            for part in message["parts"]:
                if part.get("tool") == "bash":
                    part["state"]["time"]["end"] = part["state"]["time"]["start"] + 120_008

    path = export(tmp_path, longer, "1.18.33_timeout_empty_sanitized.json")
    (session,) = readers.read(path)
    assert all(call.timed_out and call.limit_ms == 120_000 for call in calls(session, "bash"))


def test_a_folder_of_exports_puts_children_into_parents(tmp_path: Path) -> None:
    for name in ("1.18.33_subagent.json", "1.18.33_subagent_child.json"):
        (tmp_path / name).write_bytes((FIXTURES / name).read_bytes())
    (tmp_path / "notes.txt").write_text("no log")
    (parent,) = readers.read(tmp_path)
    (child,) = parent.children
    (task,) = calls(parent, "task")
    assert task.child == child.id
    assert child.parent == parent.id
    (alone,) = readers.read(tmp_path, session=child.id)
    assert alone == child


def test_a_fork_is_told_from_its_origin() -> None:
    from sessionlens.readers.family import forked_from

    origin, fork = read("1.18.33_config_unverified.json"), read("1.18.33_fork_copy.json")
    assert forked_from([fork, origin]) == {fork.id: origin.id}
    assert forked_from([fork, read("1.18.33_revert.json")]) == {}


# --- what befalls a file -----------------------------------------------------------------------------------


def test_help_text_of_0_5_is_a_clear_error() -> None:
    with pytest.raises(ReadError, match="help text of opencode"):
        readers.read(FIXTURES / "0.5.29_help_text.json")


@pytest.mark.parametrize(
    "before",
    ["Exporting session: ses_1a2b3c\n", "\ufeff", "\x1b[0mExporting session: ses_1a2b3c\r\n", "\n\n  "],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-le"])
def test_a_status_line_and_powershell(tmp_path: Path, before: str, encoding: str) -> None:
    text = before + (FIXTURES / "1.18.33_timeout_empty.json").read_text()
    path = tmp_path / "export.json"
    path.write_bytes(text.replace("\n", "\r\n").encode(encoding))
    (session,) = readers.read(path)
    assert content(session) == content(read("1.18.33_timeout_empty.json"))
    assert not session.repairs


def test_other_text_before_and_after_is_told(tmp_path: Path) -> None:
    text = (FIXTURES / "1.18.33_timeout_empty.json").read_text()
    path = tmp_path / "export.json"
    path.write_text("$ opencode export\n" + text + "\ndone, see you\n")
    (session,) = readers.read(path)
    assert [repair.kind for repair in session.repairs] == ["text before the export"]
    assert [gap.origin.line for gap in session.gaps] == [text.count("\n") + 3]
    assert content(session)["messages"] == content(read("1.18.33_timeout_empty.json"))["messages"]


def test_several_exports_in_one_file(tmp_path: Path) -> None:
    path = tmp_path / "all.json"
    names = ["1.0.0_timeout_empty.json", "1.18.33_revert.json", "1.14.41_abort_tool.json"]
    path.write_text("\n".join((FIXTURES / name).read_text() for name in names))
    found = list(OpencodeExport().read(Source(path)))
    assert [content(session) for session in found] == [content(read(name)) for name in names]


@pytest.mark.parametrize("form", ["list", "lines"])
def test_bare_messages(tmp_path: Path, form: str) -> None:
    value = json.loads((FIXTURES / "1.18.33_timeout_empty.json").read_text())["messages"]
    path = tmp_path / "messages.json"
    text = json.dumps(value) if form == "list" else "\n".join(json.dumps(one) for one in value)
    path.write_text(text)
    (session,) = readers.read(path)
    expected = read("1.18.33_timeout_empty.json")
    assert session.id == expected.id
    assert session.client_version is None
    assert content(session)["messages"] == content(expected)["messages"]
    assert session.directory


def test_a_file_cut_anywhere_keeps_its_complete_messages(tmp_path: Path) -> None:
    data = (FIXTURES / "1.18.33_timeout_empty.json").read_bytes()
    whole = content(read("1.18.33_timeout_empty.json"))["messages"]
    path = tmp_path / "cut.json"
    readable = 0
    unreadable = []
    for end in range(200, len(data) - 4, 397):
        path.write_bytes(data[:end])
        try:
            (session,) = readers.read(path)
        except ReadError:
            unreadable.append(end)
            continue
        readable += 1
        got = content(session)["messages"]
        assert got == whole[: len(got)]
        assert session.truncated
        assert "the log stops" in session.gaps[-1].reason
        assert session.gaps[-1].origin.line == data[:end].count(b"\n", 0, session.gaps[-1].origin.offset) + 1
        assert got
    assert readable > 40
    first = data.index(b'"role": "assistant"')
    assert all(end < first for end in unreadable), "only as long as the first message is not complete"


def test_damage_is_never_silent(tmp_path: Path) -> None:
    data = (FIXTURES / "1.18.33_timeout_empty.json").read_bytes()
    chance = random.Random(4)
    path = tmp_path / "damaged.json"
    for _ in range(250):
        changed = bytearray(data)
        for _ in range(chance.randint(1, 4)):
            changed[chance.randrange(len(changed))] = chance.choice(b'\x00\n",\\{}[]\xc8\xff')
        path.write_bytes(changed)
        try:
            sessions = readers.read(path)
        except ReadError:
            continue
        kept = sum(len(session.messages) for session in sessions)
        assert kept == 8 or any(list(session.all_gaps()) for session in sessions)


def test_a_broken_part_is_a_gap_and_the_rest_stays(tmp_path: Path) -> None:
    text = (FIXTURES / "1.18.33_timeout_empty.json").read_text()
    path = tmp_path / "broken.json"
    path.write_text(text.replace('"tool": "edit"', '"tool" "edit"'))
    (session,) = readers.read(path)
    gaps = list(session.all_gaps())
    assert len(gaps) == 1
    assert "no readable JSON" in gaps[0].reason
    assert len(session.messages) == 8
    assert len(calls(session)) == 3


def test_what_strict_json_refuses_is_read_leniently(tmp_path: Path) -> None:
    def odd(value: dict[str, Any]) -> None:
        value["messages"][0]["parts"][0]["text"] = "lone SURROGATE and CONTROL"
        value["messages"][0]["info"]["cost"] = "NOTANUMBER"

    path = export(tmp_path, odd)
    data = path.read_bytes().replace(b"SURROGATE", b"\\ud800").replace(b"CONTROL", b"\x01\ttab\xff")
    path.write_bytes(data.replace(b'"NOTANUMBER"', b"NaN"))
    (session,) = readers.read(path)
    assert len(session.messages) == 8
    first = session.messages[0].parts[0]
    assert isinstance(first, TextPart)
    assert first.text.whole() == "lone \ufffd and \x01\ttab\ufffd"
    first.text.whole().encode()


@pytest.mark.parametrize("value", [None, 7, "x", [], {}, True])
@pytest.mark.parametrize(
    "where", ["info", "time", "parts", "part", "state", "metadata", "input", "text", "tokens"]
)
def test_fields_of_another_kind_never_crash(tmp_path: Path, value: object, where: str) -> None:
    def odd(export: dict[str, Any]) -> None:
        for message in export["messages"]:
            if where == "info":
                message["info"] = value
            elif where in ("time", "tokens"):
                message["info"][where] = value
            elif where == "parts":
                message["parts"] = value
            for index, part in enumerate(message["parts"] if isinstance(message["parts"], list) else ()):
                if where == "part":
                    message["parts"][index] = value
                elif where == "text":
                    part["text"] = value
                elif where == "state" and "state" in part:
                    part["state"] = value
                elif "state" in part and isinstance(part["state"], dict):
                    part["state"][where] = value

    (session,) = readers.read(export(tmp_path, odd), reader="opencode-export")
    content(session)
    assert len(session.messages) == 8 or list(session.all_gaps())


def test_kinds_of_parts_that_are_rare_or_new(tmp_path: Path) -> None:
    def more(value: dict[str, Any]) -> None:
        value["messages"][0]["parts"] += [
            {"type": "subtask", "agent": "explore", "prompt": "look", "description": "d"},
            {"type": "file", "mime": "image/png", "url": "data:image/png;base64,AAAA"},
        ]
        value["messages"][1]["parts"] += [
            {"type": "retry", "attempt": 2, "error": {"name": "APIError", "data": {"message": "Overloaded"}}},
            {"type": "hologram"},
            {"type": "snapshot", "snapshot": "x"},
        ]

    (session,) = readers.read(export(tmp_path, more))
    subtask, file = session.messages[0].parts[-2:]
    assert isinstance(subtask, Subtask)
    assert subtask.prompt.whole() == "look"
    assert isinstance(file, File)
    assert file.name is None
    retry, unknown = session.messages[1].parts[-2:]
    assert isinstance(retry, Unread)
    assert "attempt 2" in retry.reason
    assert "Overloaded" in retry.reason
    assert isinstance(unknown, Unread)
    assert "hologram" in unknown.reason


# --- facts that bite ---------------------------------------------------------------------------------------


def hex_id(kind: str, ms: int, counter: int) -> str:
    return f"{kind}_{(ms * 4096 + counter) % (1 << 48):012x}{'A' * 14}"


def test_ids_that_wrap_do_not_turn_the_order(tmp_path: Path) -> None:
    wrap = 26 * (1 << 36)

    def shifted(value: dict[str, Any]) -> None:
        start = wrap - 4000
        for number, message in enumerate(value["messages"]):
            made = start + number * 1000
            message["info"]["id"] = hex_id("msg", made, 1)
            message["info"]["time"] = {"created": made, "completed": made + 900}
            for index, part in enumerate(message["parts"]):
                part["id"] = hex_id("prt", made + index * 300, 2)
            # The client sorts by id, which the wrap turns.
            message["parts"].sort(key=lambda part: str(part["id"]))
        value["messages"].sort(key=lambda message: str(message["info"]["id"]))

    (session,) = readers.read(export(tmp_path, shifted))
    expected = read("1.18.33_timeout_empty.json")
    assert [m.role for m in session.messages] == [m.role for m in expected.messages]
    kinds = [[type(part).__name__ for part in m.parts] for m in session.messages]
    assert kinds == [[type(part).__name__ for part in m.parts] for m in expected.messages]


def lying(version: str, start_late: int) -> Callable[[dict[str, Any]], None]:
    def change(value: dict[str, Any]) -> None:
        value["info"]["version"] = version
        for message in value["messages"]:
            for part in message["parts"]:
                if part.get("tool") == "bash":
                    made = message["info"]["time"]["created"] + 10
                    part["id"] = hex_id("prt", made, 1)
                    part["state"]["time"] = {"start": made + start_late, "end": made + start_late + 40}

    return change


@pytest.mark.parametrize(
    ("version", "corrected"), [("1.14.41", True), ("1.17.19", True), ("1.18.33", False), ("1.3.2", False)]
)
def test_a_start_that_moved_is_put_back(tmp_path: Path, version: str, corrected: bool) -> None:
    (session,) = readers.read(export(tmp_path, lying(version, 3300)))
    lasted = {
        call.end - call.start
        for call in calls(session, "bash")
        if call.start and call.end and (corrected or not call.timed_out)
    }
    assert lasted == ({3340} if corrected else {40})


def test_the_words_in_the_middle_of_an_output_cut_nothing_off(tmp_path: Path) -> None:
    marker = "\n\n<shell_metadata>\nshell tool terminated command after exceeding timeout 5000 ms\n</shell_metadata>"

    def quote(value: dict[str, Any]) -> None:
        states = [
            part["state"] for m in value["messages"] for part in m["parts"] if part.get("tool") == "bash"
        ]
        states[0]["output"], states[0]["metadata"] = f"cat log{marker}", {"exit": 0}
        states[1]["output"], states[1]["metadata"] = f"{marker}\nmore", {"exit": None}

    (session,) = readers.read(export(tmp_path, quote))
    assert not any(call.timed_out for call in calls(session))


def test_a_request_that_failed_is_no_interruption_by_the_person(tmp_path: Path) -> None:
    def failed(value: dict[str, Any]) -> None:
        info = value["messages"][-1]["info"]
        info["error"] = {"name": "APIError", "data": {"message": "socket closed", "statusCode": 500}}

    path = export(tmp_path, failed, "1.2.1_abort_tool.json")
    (session,) = readers.read(path)
    (call,) = calls(session)
    assert call.error is not None
    assert "aborted" in call.error.whole()
    assert not call.interrupted
    assert session.messages[-1].error is not None
    assert session.messages[-1].error.text == "socket closed"


def test_arguments_that_were_still_being_written(tmp_path: Path) -> None:
    def pending(value: dict[str, Any]) -> None:
        for message in value["messages"]:
            for part in message["parts"]:
                if part.get("tool") == "bash":
                    part["state"] = {"status": "pending", "input": {}, "raw": '{"command": "systemctl rest'}

    (session,) = readers.read(export(tmp_path, pending))
    call = calls(session, "bash")[0]
    assert call.status == "pending"
    assert call.input.whole() == '{"command": "systemctl rest'
    assert call.arguments() == {}


@pytest.mark.parametrize(
    ("metadata", "output"),
    [
        ({"sessionId": "ses_abc123def"}, "bare text"),
        ({}, "text\n\n<task_metadata>\nsession_id: ses_abc123def\n</task_metadata>"),
        (
            {},
            "task_id: ses_abc123def (for resuming to continue this task if needed)\n\n<task_result>x</task_result>",
        ),
        ({}, '<task id="ses_abc123def" state="completed">\n<task_result>\nx\n</task_result>\n</task>'),
    ],
)
def test_the_child_of_a_task_in_every_version(tmp_path: Path, metadata: dict[str, Any], output: str) -> None:
    def task(value: dict[str, Any]) -> None:
        for message in value["messages"]:
            for part in message["parts"]:
                if part.get("tool") == "task":
                    part["state"].update(metadata=metadata, output=output)

    (session,) = readers.read(export(tmp_path, task, "1.18.33_subagent.json"))
    assert [call.child for call in calls(session, "task")] == ["ses_abc123def"]


def test_long_texts_are_handles_that_can_be_pickled(tmp_path: Path) -> None:
    long = "".join(f'line {index} ünïcode \\ "quoted"\n' for index in range(3000))

    def grow(value: dict[str, Any]) -> None:
        for message in value["messages"]:
            for part in message["parts"]:
                if part.get("tool") == "bash":
                    part["state"]["output"] = long
                    part["state"]["input"]["command"] = long
                elif part["type"] == "text":
                    part["text"] = long

    (session,) = readers.read(export(tmp_path, grow))
    session = pickle.loads(pickle.dumps(session))
    texts = [part.text for m in session.messages for part in m.parts if isinstance(part, TextPart)]
    outputs = [call.output for call in calls(session, "bash")]
    assert texts
    assert outputs
    for text in (*texts, *outputs):
        assert text is not None
        assert text.long
        assert text.length > LONG
        assert text.whole() == long
    for call in calls(session, "bash"):
        assert call.input.long
        assert call.arguments()["command"] == long


def test_reading_twice_gives_the_same() -> None:
    assert read("1.18.33_tool_errors.json") == read("1.18.33_tool_errors.json")


def test_hostile_files_take_no_time_and_no_recursion(tmp_path: Path) -> None:
    head = b'{"info": {"id": "ses_1"}, "messages": ['
    for body in (
        b'{"info": {' * 20_000,
        b'{"info":{},"parts":[' + b"[" * 200_000,
        b'{"info":{},"parts":[{"type":"tool","state":' + b'{"a":' * 50_000 + b"1" + b"}" * 50_000 + b"}]}]}",
        b'"' + b"\\" * 200_000,
        b'{"info":{},"parts":[' * 10_000,
        (b'{"info":{},"parts":[' + b"]" + b"}") * 3_000,
    ):
        path = tmp_path / "hostile.json"
        path.write_bytes(head + body)
        try:
            (session,) = readers.read(path, reader="opencode-export")
        except ReadError:
            continue
        assert list(session.all_gaps())


def test_other_logs_that_quote_an_export_are_not_taken_for_one(tmp_path: Path) -> None:
    text = (FIXTURES / "1.18.33_abort_tool.json").read_text()
    path = tmp_path / "log"
    for before in (
        '<conversation_data>\n<msg id="1" role="user">\n<text>\n',
        '{"type":"user","message":{}}\n',
        "# Session\n\n```json\n",
        "cat export.json prints ",
        "line\n" * 5000,
    ):
        path.write_text(before + text)
        assert OpencodeExport().recognises(Source(path)) is not None, before


def test_a_folder_of_stores_and_logs(tmp_path: Path) -> None:
    shutil.copytree(FIXTURES.parent / "opencode_tree" / "1.0.0", tmp_path / "a")
    shutil.copytree(FIXTURES.parent / "opencode_db" / "1.14.41", tmp_path / "b")
    shutil.copyfile(FIXTURES / "1.18.33_revert.json", tmp_path / "c.json")
    (tmp_path / "d.db").write_bytes(b"SQLite format 3\x00" + b"x" * 9000)
    found = readers.read(tmp_path)
    assert sum(1 for session in found for _ in session.family()) == 3 + 10 + 1
    (gap,) = [gap for session in found for gap in session.all_gaps()]
    assert gap.reason.startswith("another log of this folder could not be read: ")
    assert "/d.db: the database cannot be read" in gap.reason


def test_half_a_file_without_one_complete_message_is_an_error(tmp_path: Path) -> None:
    whole = (FIXTURES / "1.18.33_timeout_empty.json").read_bytes()
    half = tmp_path / "half.json"
    half.write_bytes(whole[:900])
    with pytest.raises(ReadError, match="stops before its first message is complete"):
        readers.read(half)


# --- several exports in one list ---------------------------------------------------------------------------


def _pair() -> tuple[dict[str, Any], dict[str, Any]]:
    names = ("1.18.33_timeout_empty.json", "1.0.0_ls.json")
    known = [name for name in names if (FIXTURES / name).exists()]
    known += [name for name in EXPORTS if name not in known]
    first, second = (json.loads((FIXTURES / name).read_text()) for name in known[:2])
    return first, second


@pytest.mark.parametrize("indent", [None, 2])
def test_a_list_of_exports_holds_their_sessions(tmp_path: Path, indent: int | None) -> None:
    pair = _pair()
    path = tmp_path / "both.json"
    path.write_text(json.dumps(list(pair), indent=indent))
    sessions = readers.read(path)
    assert [one.id for one in sessions] == [value["info"]["id"] for value in pair]
    assert [len(one.messages) for one in sessions] == [len(value["messages"]) for value in pair]
    assert not [gap for one in sessions for gap in one.gaps]
    assert not [repair for one in sessions for repair in one.repairs]


def test_an_export_after_messages_in_one_list_is_a_session_of_its_own(tmp_path: Path) -> None:
    first, second = _pair()
    path = tmp_path / "mixed.json"
    path.write_text(json.dumps([*first["messages"], second]))
    sessions = readers.read(path)
    assert [len(one.messages) for one in sessions] == [len(first["messages"]), len(second["messages"])]


def test_lists_of_messages_in_one_list_are_told_apart_by_their_sessions(tmp_path: Path) -> None:
    first, second = _pair()
    path = tmp_path / "lists.json"
    path.write_text(json.dumps([first["messages"], second["messages"]]))
    sessions = readers.read(path)
    assert [len(one.messages) for one in sessions] == [len(first["messages"]), len(second["messages"])]
    path.write_text(json.dumps([first["messages"][:1], first["messages"][1:]]))
    (session,) = readers.read(path)
    assert len(session.messages) == len(first["messages"])


def test_a_list_of_exports_that_stops_keeps_what_is_complete(tmp_path: Path) -> None:
    first, second = _pair()
    path = tmp_path / "cut.json"
    whole = json.dumps([first, second])
    path.write_text(whole[: -len(json.dumps(second["messages"][-1])) // 2 - 2])
    one, other = readers.read(path)
    assert len(one.messages) == len(first["messages"])
    assert not one.truncated
    assert other.truncated
    assert any("stops" in gap.reason for gap in other.gaps)


@pytest.mark.parametrize("entry", [{"info": {"id": "ses_abc"}}, {"id": 1}, {"info": {}, "other": []}, 7])
def test_an_entry_of_a_list_that_is_no_message_is_a_gap(tmp_path: Path, entry: object) -> None:
    first, _ = _pair()
    path = tmp_path / "odd.json"
    for place in (1, len(first["messages"])):
        listed = list(first["messages"])
        listed.insert(place, entry)
        path.write_text(json.dumps(listed))
        (session,) = readers.read(path)
        assert len(session.messages) == len(first["messages"])
        assert session.gaps


@pytest.mark.parametrize("role", [None, ["assistant"], 3, "tool"])
def test_a_message_whose_role_is_not_told(role: object, tmp_path: Path) -> None:
    export = json.loads((FIXTURES / "1.18.33_timeout_empty.json").read_text())
    theirs = next(one["info"] for one in export["messages"] if one["info"]["role"] == "user")
    own = next(one["info"] for one in export["messages"] if one["info"]["role"] == "assistant")
    theirs["role"] = own["role"] = role
    path = tmp_path / "export.json"
    path.write_text(json.dumps(export))
    (session,) = readers.read(path)
    roles = {message.id: message.role for message in session.messages}
    assert (roles[theirs["id"]], roles[own["id"]]) == ("unknown", "assistant")
    (gap,) = session.gaps
    assert gap.reason.startswith("the records of 2 messages do not say whose they are")


@pytest.mark.parametrize("info", ["null", "3", '"ses_1"', "true"])
def test_an_export_whose_record_of_the_session_is_lost(info: str, tmp_path: Path) -> None:
    whole = json.loads((FIXTURES / "1.18.33_timeout_empty.json").read_text())
    path = tmp_path / "export.json"
    path.write_text(json.dumps({**whole, "info": json.loads(info)}, indent=2))
    (session,) = readers.read(path)
    assert len(session.messages) == len(whole["messages"])
    assert session.id == whole["info"]["id"]
    (gap,) = session.gaps
    assert "own record is unreadable" in gap.reason


@pytest.mark.parametrize(
    ("name", "error", "timed_out"),
    [
        ("webfetch", "Request timed out", True),
        ("webfetch", "Error: Request timed out", True),
        ("websearch", "Search request timed out", True),
        ("codesearch", "Code search request timed out", True),
        ("webfetch", "Request failed with status code: 408", False),
        ("webfetch", "the page says: Request timed out", False),
        ("read", "Request timed out", False),
    ],
)
def test_a_request_that_its_own_limit_ended(name: str, error: str, timed_out: bool, tmp_path: Path) -> None:
    export = json.loads((FIXTURES / "1.18.33_timeout_empty.json").read_text())
    part = next(part for one in export["messages"] for part in one["parts"] if part["type"] == "tool")
    part["tool"] = name
    time = {"start": part["state"]["time"]["start"], "end": part["state"]["time"]["start"] + 9000}
    asked = {"url": "https://example.org", "format": "text", "timeout": 9}
    asked = asked if name == "webfetch" and "status" not in error and "page" not in error else {"url": "x"}
    part["state"] = {"status": "error", "input": asked, "error": error, "time": time}
    path = tmp_path / "export.json"
    path.write_text(json.dumps(export))
    (session,) = readers.read(path)
    call = next(call for message in session.messages for call in message.calls)
    assert (call.name, call.timed_out, call.status) == (name, timed_out, "error")


@pytest.mark.parametrize("cut", [False, True])
def test_members_of_an_export_that_no_client_writes_are_told(cut: bool, tmp_path: Path) -> None:
    export = json.loads((FIXTURES / "1.18.33_timeout_empty.json").read_text())
    more = {"info": export["info"], "children": [export], "todo": [], "messages": export["messages"]}
    data = json.dumps(more)
    path = tmp_path / "export.json"
    path.write_text(data[:-40] if cut else data)
    (session,) = readers.read(path)
    assert sum("not known here (children)" in gap.reason for gap in session.gaps) == 1
    assert not any("todo" in gap.reason for gap in session.gaps)
