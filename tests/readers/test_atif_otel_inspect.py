"""ATIF, OpenTelemetry spans and Inspect logs: what is theirs alone."""

from __future__ import annotations

import io
import json
import re
import struct
import zipfile
import zlib
from pathlib import Path

import pytest
import zstandard

from sessionlens import readers
from sessionlens.model import File, Reasoning, content

FIXTURES = Path(__file__).parents[2] / "fixtures"


# --- ATIF --------------------------------------------------------------------------------------------------


def test_atif_subagents_are_children() -> None:
    (top,) = readers.read(FIXTURES / "atif" / "subagents.json")
    assert [child.id for child in top.children] == ["sub"]
    assert top.messages[2].calls[0].child == "sub"
    assert top.messages[3].role == "unknown"
    assert any(isinstance(part, File) for part in top.messages[1].parts)
    assert [gap.reason for gap in top.gaps] == [
        "the result of a call that this log does not hold (zz)",
        "1 record of an unknown kind (source robot), the first here",
    ]


def test_atif_tokens_leave_caches_out() -> None:
    (session,) = readers.read(FIXTURES / "atif" / "scene.json")
    assert (session.messages[1].tokens_in, session.messages[1].tokens_out) == (60, 10)
    assert session.messages[1].model == "m-2"
    assert session.client_version == "2.0"


def test_atif_one_trajectory_a_line(tmp_path: Path) -> None:
    document = json.loads((FIXTURES / "atif" / "scene.json").read_text())
    path = tmp_path / "many.jsonl"
    path.write_text(
        "".join(json.dumps({**document, "session_id": f"s{number}"}) + "\n" for number in range(3))
    )
    assert [one.id for one in readers.read(path)] == ["s0", "s1", "s2"]


# --- OpenTelemetry -----------------------------------------------------------------------------------------


def test_otel_tool_spans_give_times_and_the_time_out() -> None:
    (session,) = readers.read(FIXTURES / "otel_genai" / "scene.json")
    call = session.messages[1].calls[0]
    assert call.timed_out
    assert call.start is not None
    assert call.end is not None
    assert call.end - call.start == 15_000
    assert session.messages[1].finish == "tool_call"
    assert session.client_version == "3.1"


def test_otel_older_forms_tell_the_same_conversation() -> None:
    (session,) = readers.read(FIXTURES / "otel_genai" / "older.jsonl")
    assert [message.role for message in session.messages] == ["system", "user", "assistant", "assistant"]
    call = session.messages[2].calls[0]
    assert call.output is not None
    assert (call.input.whole(), call.output.whole()) == ('{"command": "df -h"}', "55% /") or (
        call.input.whole(), call.output.whole()
    ) == ('{"command":"df -h"}', "55% /")  # fmt: skip


def test_otel_agents_within_agents_are_children() -> None:
    (top,) = readers.read(FIXTURES / "otel_genai" / "agents.json")
    assert len(top.children) == 1
    assert top.messages[1].calls[0].child == top.children[0].id
    assert top.messages[2].error is not None
    assert (top.messages[2].error.name, top.messages[2].error.text) == ("500", "overloaded")
    assert any("not recorded" in gap.reason for gap in top.gaps)


def test_otel_spans_of_something_else_are_not_taken(tmp_path: Path) -> None:
    path = tmp_path / "spans.json"
    path.write_text(json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [{"name": "GET /"}]}]}]}))
    assert "generative AI" in str(readers.get("otel-genai").recognises(readers.Source(path)))


def test_an_otel_span_without_an_id_gives_a_message_without_one(tmp_path: Path) -> None:
    log = tmp_path / "spans.json"
    log.write_text(
        re.sub(r'"spanId": *"[^"]*", *', "", (FIXTURES / "otel_genai" / "scene.json").read_text("utf-8"))
    )
    messages = [message for session in readers.scan(log).sessions for message in session.messages]
    assert messages
    assert {message.id for message in messages} == {None}


# --- Inspect -----------------------------------------------------------------------------------------------


def test_inspect_times_reasons_and_attachments() -> None:
    scene, other = readers.read(FIXTURES / "inspect" / "log.json")
    call = scene.messages[2].calls[0]
    assert call.timed_out
    assert call.start is not None
    assert call.end is not None
    assert call.end - call.start == 15_000
    assert scene.messages[5].calls[0].output is not None
    assert scene.messages[5].calls[0].output.whole() == "changed"
    assert isinstance(scene.messages[2].parts[0], Reasoning)
    assert scene.messages[3].finish == "stop"
    assert scene.title == "ops: scene_epoch_1"
    assert other.id == "r-2_epoch_1"
    assert other.messages[-1].error is not None
    assert other.messages[-1].error.name == "time limit"
    assert other.messages[-1].calls[0].status == "running"


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, 93])
def test_inspect_an_eval_is_its_folder_packed(tmp_path: Path, method: int) -> None:
    folder = FIXTURES / "inspect" / "unpacked"
    path = tmp_path / "log.eval"
    files = {
        file.relative_to(folder).as_posix(): file.read_bytes() for file in sorted(folder.rglob("*.json"))
    }
    if method == 93:
        path.write_bytes(_zstandard_zip(files))
    else:
        with zipfile.ZipFile(path, "w", method) as packed:
            for name, data in files.items():
                packed.writestr(name, data)
    assert [content(one) for one in readers.read(path)] == [content(one) for one in readers.read(folder)]


def _zstandard_zip(files: dict[str, bytes]) -> bytes:
    """A zip whose members are packed with Zstandard (method 93), which Python's own module cannot write."""
    out, directory = io.BytesIO(), b""
    for name, data in files.items():
        packed, key, offset = zstandard.ZstdCompressor().compress(data), name.encode(), out.tell()
        common = struct.pack(
            "<HHHHHIIIHH", 63, 0, 93, 0, 0x5A21, zlib.crc32(data), len(packed), len(data), len(key), 4
        )
        extra = b"\x99\x99\x00\x00"
        out.write(b"PK\x03\x04" + common + key + extra + packed)
        directory += (
            b"PK\x01\x02"
            + struct.pack("<H", 63)
            + common[:-2]
            + struct.pack("<HHHHII", 0, 0, 0, 0, 0, offset)
            + key
        )
    end = struct.pack("<HHHHIIH", 0, 0, len(files), len(files), len(directory), out.tell(), 0)
    return out.getvalue() + directory + b"PK\x05\x06" + end


# --- real spans and logs of OpenTelemetry's instrumentation for OpenAI's client ------------------------------


def test_content_that_stands_in_logs_is_joined_to_its_spans(tmp_path: Path) -> None:
    path = FIXTURES / "otel_genai" / "openai_v2_2.3b0.jsonl"
    (session,) = readers.read(path)
    assert (session.id, session.gaps) == ("conv_scene", ())
    assert [message.role for message in session.messages] == ["system", "user", *["assistant"] * 3]
    disk, restart = (message.calls[0] for message in session.messages[2:4])
    assert disk.output is not None
    assert disk.output.whole() == "/dev/sda1  20G  11G  9G  55% /"
    assert (restart.timed_out, restart.limit_ms, (restart.end or 0) > (restart.start or 0)) == (
        True,
        3000,
        True,
    )
    assert (session.messages[4].empty, session.messages[4].finish) == (True, "stop")
    logs, spans = path.read_text().splitlines()
    alone = tmp_path / "logs.json"
    alone.write_text(logs)
    (from_logs,) = readers.read(alone)
    assert [[c.id for c in m.calls] for m in from_logs.messages] == [
        [c.id for c in m.calls] for m in session.messages
    ]
    bare = tmp_path / "spans.json"
    bare.write_text(spans)
    (without,) = readers.read(bare)
    assert [gap.reason for gap in without.gaps] == [
        "the spans hold no content: what was said was not recorded"
    ]


# --- real logs of Inspect ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["0.3.285_restart.eval", "0.3.285_restart.json"])
def test_a_real_log_of_inspect_tells_limits_and_exit_codes(name: str) -> None:
    (session,) = readers.read(FIXTURES / "inspect" / name)
    assert (session.source_format, session.client_version, session.gaps) == ("inspect", "0.3.285", ())
    assert [message.role for message in session.messages] == ["system", "user", *["assistant"] * 3]
    disk, restart = (message.calls[0] for message in session.messages[2:4])
    assert (disk.exit, disk.limit_ms, disk.timed_out) == (0, 3000, False)
    assert (restart.exit, restart.limit_ms, restart.timed_out) == (None, 3000, True)
    assert (restart.end or 0) - (restart.start or 0) >= 3000
    assert (session.messages[4].empty, session.messages[4].finish, session.messages[4].tokens_out) == (
        True,
        "stop",
        0,
    )


def test_what_else_a_real_log_of_inspect_tells() -> None:
    (tools,) = readers.read(FIXTURES / "inspect" / "0.3.285_tools.eval")
    edit, missing, deploy, long = (message.calls[0] for message in tools.messages[2:6])
    assert [call.exit for call in (edit, missing, deploy, long)] == [0, 1, None, 0]
    assert (deploy.error.head if deploy.error else "", deploy.limit_ms) == ("no such target: nowhere", None)
    assert (long.truncated, missing.truncated) == (True, False)
    assert tools.messages[6].empty
    assert isinstance(tools.messages[6].parts[0], Reasoning)
    (limited,) = readers.read(FIXTURES / "inspect" / "0.3.285_limit.eval")
    assert limited.messages[-1].error is not None
    assert limited.messages[-1].error.name == "message limit"
