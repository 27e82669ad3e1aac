"""Writes the scene of ``fixtures/transcript_xml/hicache_restart.xml`` as other clients would have logged it.

``python tests/readers/scene_logs.py`` writes the fixtures anew; a test checks that they are what this makes.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sessionlens import readers
from sessionlens.model import Call, Message, Reasoning, Session, TextPart

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
SCENE = FIXTURES / "transcript_xml" / "hicache_restart.xml"
CLAUDE = FIXTURES / "claude_code" / "hicache_restart.jsonl"
CODEX = FIXTURES / "codex" / "hicache_restart.jsonl"

Record = dict[str, Any]


def scene() -> Session:
    """The scene as the transcript tells it."""
    return readers.read(SCENE)[0]


def _time(moment: int | None) -> str:
    stamp = datetime.fromtimestamp((moment or 0) / 1000, UTC)
    return stamp.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _uuid(*key: object) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_URL, "/".join(map(str, key))))


def _span(limit_ms: int) -> str:
    minutes, seconds = divmod(limit_ms / 1000, 60)
    return f"{minutes:.0f}m {seconds:.1f}s" if minutes else f"{seconds:.0f}s"


def _printed(call: Call) -> str:
    whole = call.output.whole() if call.output is not None else ""
    return whole.split("<bash_metadata>")[0].strip("\n") if call.timed_out else whole


# --- Claude Code -------------------------------------------------------------------------------------------


def claude(session: Session) -> Iterator[Record]:
    """Lines of a session of Claude Code."""
    number = 0
    parent: str | None = None

    def line(kind: str, time: int | None, message: Record, **more: Any) -> Record:
        nonlocal number, parent
        number += 1
        own = _uuid("line", number)
        record: Record = {
            "parentUuid": parent,
            "isSidechain": False,
            "userType": "external",
            "cwd": session.directory,
            "sessionId": _uuid("session"),
            "version": "2.1.31",
            "gitBranch": "main",
            "type": kind,
            "message": message,
            **more,
            "uuid": own,
            "timestamp": _time(time),
        }
        parent = own
        return record

    yield {
        "type": "file-history-snapshot",
        "messageId": _uuid("line", 1),
        "snapshot": {
            "messageId": _uuid("line", 1),
            "trackedFileBackups": {},
            "timestamp": _time(session.started),
        },
        "isSnapshotUpdate": False,
    }
    for message in session.messages:
        if message.role == "user":
            yield line("user", message.time, {"role": "user", "content": _prose(message)})
            continue
        blocks: list[tuple[Record, int | None]] = []
        wrote = message.time if message.calls else message.ended
        for part in message.parts:
            if isinstance(part, Reasoning):
                blocks.append(
                    ({"type": "thinking", "thinking": part.text.whole(), "signature": "c2ln"}, wrote)
                )
            elif isinstance(part, TextPart):
                blocks.append(({"type": "text", "text": part.text.whole()}, wrote))
            elif isinstance(part, Call):
                # A call is written down when the model has written it: then it starts.
                asked = {"type": "tool_use", "id": part.id, "name": "Bash", "input": part.arguments()}
                blocks.append((asked, part.start))
        for block, moment in blocks or [({"type": "text", "text": "(no content)"}, wrote)]:
            yield line(
                "assistant",
                moment,
                {
                    "model": message.model,
                    "id": f"msg_{message.id}",
                    "type": "message",
                    "role": "assistant",
                    "content": [block],
                    "stop_reason": "tool_use" if message.calls else "end_turn",
                    "stop_sequence": None,
                    "usage": {"input_tokens": 9, "cache_read_input_tokens": message.tokens_in,
                              "output_tokens": message.tokens_out},
                },
                requestId=f"req_{message.id}",
            )  # fmt: skip
        for call in message.calls:
            shown, failed = _printed(call), False
            told: Any = {"stdout": shown, "stderr": "", "interrupted": False, "isImage": False}
            if call.timed_out:
                shown, failed = f"Command timed out after {_span(call.limit_ms or 0)}\n{shown}".rstrip(), True
            elif call.exit:
                shown, failed = f"Exit code {call.exit}\n{shown}", True
            result = {"tool_use_id": call.id, "type": "tool_result", "content": shown, "is_error": failed}
            yield line(
                "user",
                call.end,
                {"role": "user", "content": [result]},
                toolUseResult=f"Error: {shown}" if failed else told,
            )


def _prose(message: Message) -> str:
    return "\n".join(part.text.whole() for part in message.texts())


# --- Codex -------------------------------------------------------------------------------------------------


def codex(session: Session) -> Iterator[Record]:
    """Lines of a rollout of Codex 0.46, whose shell tool had a time limit."""
    total = 0

    def item(time: int | None, **payload: Any) -> Record:
        return {"timestamp": _time(time), "type": "response_item", "payload": payload}

    def event(time: int | None, **payload: Any) -> Record:
        return {"timestamp": _time(time), "type": "event_msg", "payload": payload}

    started = session.started
    meta = {
        "id": _uuid("thread"), "timestamp": _time(started), "cwd": session.directory, "originator": "codex_cli_rs",
        "cli_version": "0.46.0", "instructions": None, "source": "cli",
        "git": {"commit_hash": "0" * 40, "branch": "main"},
    }  # fmt: skip
    yield {"timestamp": _time(started), "type": "session_meta", "payload": meta}
    surroundings = f"<environment_context>\n  <cwd>{session.directory}</cwd>\n</environment_context>"
    yield item(started, type="message", role="user", content=[{"type": "input_text", "text": surroundings}])
    for position, message in enumerate(session.messages):
        later = session.messages[position + 1 : position + 2]
        if message.role == "user":
            content = [{"type": "input_text", "text": _prose(message)}]
            yield event(message.time, type="task_started", model_context_window=272000)
            yield item(message.time, type="message", role="user", content=content)
            yield event(message.time, type="user_message", message=_prose(message), kind="plain")
            context = {
                "cwd": session.directory,
                "approval_policy": "never",
                "model": message.model,
                "effort": "high",
            }
            yield {"timestamp": _time(message.time), "type": "turn_context", "payload": context}
            continue
        for part in message.parts:
            if isinstance(part, Reasoning):
                summary = [{"type": "summary_text", "text": part.text.whole()}]
                yield item(
                    message.time, type="reasoning", summary=summary, content=None, encrypted_content="Z0FB"
                )
            elif isinstance(part, TextPart):
                content = [{"type": "output_text", "text": part.text.whole()}]
                yield event(message.time, type="agent_message", message=part.text.whole())
                yield item(message.time, type="message", role="assistant", content=content)
            elif isinstance(part, Call):
                asked = part.arguments()
                arguments: Record = {
                    "command": ["bash", "-lc", asked["command"]],
                    "workdir": session.directory,
                }
                if "timeout" in asked:
                    arguments["timeout_ms"] = asked["timeout"]
                text = json.dumps(arguments, separators=(",", ":"))
                yield item(part.start, type="function_call", name="shell", arguments=text, call_id=part.id)
        for call in message.calls:
            lasted = (call.end or 0) - (call.start or 0)
            shown, code = _printed(call), call.exit or 0
            if call.timed_out:
                shown, code = f"command timed out after {lasted} milliseconds\n{shown}", 124
            told = {
                "output": shown,
                "metadata": {"exit_code": code, "duration_seconds": round(lasted / 1000, 1)},
            }
            output = json.dumps(told, separators=(",", ":"))
            yield item(call.end, type="function_call_output", call_id=call.id, output=output)
        used = {
            "input_tokens": message.tokens_in or 0, "cached_input_tokens": 0, "output_tokens": message.tokens_out or 0,
            "reasoning_output_tokens": 0, "total_tokens": (message.tokens_in or 0) + (message.tokens_out or 0),
        }  # fmt: skip
        total += used["total_tokens"]
        info = {"total_token_usage": {**used, "total_tokens": total}, "last_token_usage": used}
        yield event(message.ended, type="token_count", info=info, rate_limits=None)
        if not later or later[0].role == "user":
            yield event(message.ended, type="task_complete", last_agent_message=_prose(message) or None)


def written(records: Iterator[Record]) -> bytes:
    """The records as a log."""
    return b"".join(
        json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n" for record in records
    )


def logs() -> dict[Path, bytes]:
    """Every log that this makes, by its place."""
    session = scene()
    return {CLAUDE: written(claude(session)), CODEX: written(codex(session))}


if __name__ == "__main__":
    for path, data in logs().items():
        path.write_bytes(data)
