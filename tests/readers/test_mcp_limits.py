"""Tools of MCP servers that ran into the client's limit: the words of each client, in each format that can hold them."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sessionlens import readers
from sessionlens.model import Call, Session, Text
from sessionlens.readers.wordings import mcp_cut_off

sys.path.insert(0, str(Path(__file__).parent))

import claude_lines
import codex_lines

TYPESCRIPT = "MCP error -32001: Request timed out"
CODEX = "tool call error: tool call failed for `ops/restart`\n\nCaused by:\n    0: timed out awaiting tools/call after 60s\n    1: deadline has elapsed"

WORDS = [
    (TYPESCRIPT, None),
    (f"Error: {TYPESCRIPT}", None),
    (f"McpError: {TYPESCRIPT}", None),
    (f"MCP server 'azure': McpError: {TYPESCRIPT}", None),
    (f"Error executing MCP tool:\n{TYPESCRIPT}", None),
    (f"Error calling tool `ops-restart`: {TYPESCRIPT}", None),
    ("MCP error -32001: Maximum total timeout exceeded", None),
    ('MCP server "ops" tool "restart" timed out after 1s', 1_000),
    (CODEX, 60_000),
    ("tool call failed for `ops/restart`: timed out awaiting tools/call after 60000ms".replace(": ", "\n", 1), 60_000),
    ("timed out awaiting tools/call after 300s", 300_000),
    ("Timed out while waiting for response to ClientRequest. Waited 30.0 seconds.", 30_000),
    ("Error invoking MCP tool restart: Timed out while waiting for response to ClientRequest. Waited 5.0 seconds.", 5_000),
    ("Request 'tools/call' timed out", None),
    ("[Tool 'restart' executed.]\nMCP tool 'restart' timed out after 30 seconds. The tool server may be unresponsive or slow.", 30_000),
]  # fmt: skip


@pytest.mark.parametrize(("words", "limit"), WORDS)
def test_the_words_of_clients(words: str, limit: int | None) -> None:
    found = mcp_cut_off(Text(words))
    assert found is not None
    assert found.limit_ms == limit


@pytest.mark.parametrize(
    "words",
    [
        "",
        "MCP error -32000: Connection closed",
        "MCP error -32602: Invalid arguments for tool restart",
        f"The log of yesterday says: {TYPESCRIPT}",
        f"{TYPESCRIPT}\n2026-03-01 12:00:01 next line of a log",
        "Request timed out",
        "upstream request timed out after 30s",
        "MCP server \"ops\" failed to start: timed out after 30s",
        "the client waits, then it is timed out awaiting tools/call after 60s",
    ],
)  # fmt: skip
def test_other_words_are_none(words: str) -> None:
    assert mcp_cut_off(Text(words)) is None


# --- the same in every format ------------------------------------------------------------------------------

ASKED = {"service": "nginx"}


def opencode(words: str) -> bytes:
    state = {
        "status": "error",
        "input": ASKED,
        "error": words,
        "time": {"start": 1_772_000_000_000, "end": 1_772_000_030_000},
    }
    part = {"type": "tool", "id": "prt_1", "tool": "ops_restart", "callID": "c1", "state": state}
    infos = [
        {"id": "msg_1", "sessionID": "ses_mcp001", "role": "user", "time": {"created": 1_772_000_000_000}},
        {
            "id": "msg_2",
            "sessionID": "ses_mcp001",
            "role": "assistant",
            "time": {"created": 1_772_000_000_001},
        },
    ]
    messages = [
        {"info": infos[0], "parts": [{"type": "text", "id": "prt_0", "text": "restart it"}]},
        {"info": infos[1], "parts": [part]},
    ]
    return json.dumps({"info": {"id": "ses_mcp001", "version": "1.18.33"}, "messages": messages}).encode()


def second(words: str) -> bytes:
    state = {
        "status": "error",
        "input": ASKED,
        "content": [],
        "structured": {},
        "error": {"type": "unknown", "message": words},
    }
    tool = {
        "type": "tool",
        "id": "c1",
        "name": "ops_restart",
        "state": state,
        "time": {"created": 3, "ran": 4, "completed": 5},
    }
    data = [
        {
            "id": "msg_2",
            "type": "assistant",
            "time": {"created": 2, "completed": 6},
            "agent": "build",
            "content": [tool],
        },
        {"id": "msg_1", "type": "user", "time": {"created": 1}, "text": "restart it"},
    ]
    return json.dumps({"data": data, "cursor": {}}).encode()


def markdown(words: str) -> bytes:
    return (
        "# Restart\n\n**Session ID:** ses_mcp001\n**Created:** 1/1/2026\n**Updated:** 1/1/2026\n\n---\n\n## User\n\nrestart it\n\n---\n\n"
        "## Assistant (Build · m · 60.4s)\n\n**Tool: ops_restart**\n\n**Input:**\n```json\n"
        f"{json.dumps(ASKED)}\n```\n\n**Error:**\n```\n{words}\n```\n\n---\n"
    ).encode()


def claude(words: str) -> bytes:
    log = claude_lines.Log()
    log.user("restart it")
    log.says("msg_1", claude_lines.tool("toolu_1", "mcp__ops__restart", **ASKED), stop="tool_use")
    log.result("toolu_1", words, error=True)
    return log.data()


def codex(words: str) -> bytes:
    log = codex_lines.Rollout()
    log.user("restart it")
    log.calls("c1", "mcp__ops__restart", **ASKED)
    log.result("c1", words)
    return log.data()


def chat(words: str) -> bytes:
    function = {"name": "ops_restart", "arguments": json.dumps(ASKED)}
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "restart it"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "c1", "type": "function", "function": function}],
        },
        {"role": "tool", "tool_call_id": "c1", "content": words},
    ]
    return json.dumps({"messages": messages}).encode()


def transcript(words: str) -> bytes:
    return (
        '<conversation_data><msg id="1" role="user"><text>restart it</text></msg><msg id="2" role="assistant">'
        f'<tool name="ops_restart" call="c1" status="error"><input>{json.dumps(ASKED)}</input><error>{words}</error></tool>'
        "</msg></conversation_data>"
    ).encode()


FORMS: dict[str, Callable[[str], bytes]] = {
    "opencode-export.json": opencode,
    "opencode-api.json": second,
    "opencode-md.md": markdown,
    "claude-code.jsonl": claude,
    "codex.jsonl": codex,
    "chat.json": chat,
    "transcript-xml.xml": transcript,
}


def called(path: Path) -> Call:
    session: Session
    (session,) = readers.read(path)
    assert session.source_format == path.stem
    (call,) = (call for message in session.messages for call in message.calls)
    return call


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize(("words", "limit"), [(TYPESCRIPT, None), (CODEX, 60_000)])
def test_every_format_tells_the_cut_off(name: str, words: str, limit: int | None, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(FORMS[name](words))
    call = called(path)
    assert (call.timed_out, call.limit_ms, call.interrupted, call.exit) == (True, limit, False, None)
    told = call.error or call.output
    assert told is not None
    assert words.split("\n", maxsplit=1)[0] in told.head


@pytest.mark.parametrize("name", FORMS)
def test_a_lost_server_is_no_cut_off(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(FORMS[name]("MCP error -32000: Connection closed"))
    assert not called(path).timed_out


def test_a_command_that_prints_the_words_was_not_cut_off(tmp_path: Path) -> None:
    log = claude_lines.Log()
    log.user("look at the log")
    log.runs("toolu_1", "tail -n 1 mcp.log", TYPESCRIPT)
    path = tmp_path / "a.jsonl"
    path.write_bytes(log.data())
    assert not called(path.rename(tmp_path / "claude-code.jsonl")).timed_out
