"""Writes a session as other clients would have logged it: one function a format, each a file or a folder.

Beside :mod:`scene_logs`, which makes the fixtures of Claude Code and Codex. What a format cannot tell is left out, as its
client would; a cut-off is worded as the client words it.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sessionlens.model import Call, Message, Session

Record = dict[str, Any]
SYSTEM = "You operate servers."


def iso(moment: int | None) -> str:
    stamp = datetime.fromtimestamp((moment or 0) / 1000, UTC)
    return stamp.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def prose(message: Message) -> str:
    return "\n".join(part.text.whole() for part in message.texts())


def printed(call: Call) -> str:
    """What the command printed, without the client's note of the limit."""
    whole = call.output.whole() if call.output is not None else ""
    return whole.split("<bash_metadata>")[0].strip("\n") if call.timed_out else whole


def seconds(call: Call) -> float:
    return (call.limit_ms or 0) / 1000


def _write(path: Path, value: Any) -> Path:
    path.write_text(json.dumps(value))
    return path


def _lines(path: Path, records: list[Record]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


# --- opencode ----------------------------------------------------------------------------------------------


def _info(session: Session, message: Message) -> Record:
    info: Record = {
        "id": f"msg_{message.id}",
        "sessionID": session.id,
        "role": message.role,
        "time": {"created": message.time},
    }
    if message.role == "assistant":
        info["time"]["completed"] = message.ended
        info |= {"modelID": message.model, "mode": "build", "finish": message.finish,
                 "tokens": {"input": message.tokens_in, "output": message.tokens_out, "reasoning": 0,
                            "cache": {"read": 0, "write": 0}}}  # fmt: skip
    return info


def _parts(session: Session, message: Message) -> list[Record]:
    parts: list[Record] = [{"type": "step-start"}] if message.role == "assistant" else []
    parts += [{"type": "text", "text": part.text.whole()} for part in message.texts()]
    for call in message.calls:
        output = call.output.whole() if call.output is not None else ""
        state = {"status": "completed", "input": call.arguments(), "output": output, "title": "run",
                 "metadata": {"exit": call.exit, "output": output}, "time": {"start": call.start, "end": call.end}}  # fmt: skip
        parts.append({"type": "tool", "tool": "bash", "callID": call.id, "state": state})
    if message.role == "assistant":
        parts.append({"type": "step-finish", "reason": message.finish})
    key = f"msg_{message.id}"
    return [
        {"id": f"prt_{message.id}_{at}", "messageID": key, "sessionID": session.id, **part}
        for at, part in enumerate(parts)
    ]


def _about(session: Session) -> Record:
    return {"id": session.id, "title": session.title, "version": session.client_version, "directory": session.directory,
            "projectID": "global", "time": {"created": session.started, "updated": session.ended}}  # fmt: skip


def opencode_export(session: Session, folder: Path) -> Path:
    messages = [{"info": _info(session, one), "parts": _parts(session, one)} for one in session.messages]
    return _write(folder / "export.json", {"info": _about(session), "messages": messages})


def opencode_share(session: Session, folder: Path) -> Path:
    entries: list[Record] = [{"type": "session", "data": _about(session)}]
    for message in session.messages:
        entries.append({"type": "message", "data": _info(session, message)})
        entries += [{"type": "part", "data": part} for part in _parts(session, message)]
    return _write(folder / "share.json", entries)


def opencode_events(session: Session, folder: Path) -> Path:
    events: list[Record] = [{"type": "session.created", "properties": {"info": _about(session)}}]
    for message in session.messages:
        events.append({"type": "message.updated", "properties": {"info": _info(session, message)}})
        events += [
            {"type": "message.part.updated", "properties": {"part": part}}
            for part in _parts(session, message)
        ]
    return _lines(folder / "events.jsonl", events)


def opencode_tree(session: Session, folder: Path) -> Path:
    storage = folder / "data" / "storage"
    place = storage / "session" / "global"
    place.mkdir(parents=True)
    _write(place / f"{session.id}.json", _about(session))
    for message in session.messages:
        infos = storage / "message" / session.id
        infos.mkdir(parents=True, exist_ok=True)
        _write(infos / f"msg_{message.id}.json", _info(session, message))
        parts = storage / "part" / f"msg_{message.id}"
        parts.mkdir(parents=True)
        for part in _parts(session, message):
            _write(parts / f"{part['id']}.json", part)
    return folder / "data"


def _database(folder: Path, session: Session) -> sqlite3.Connection:
    connection = sqlite3.connect(folder / "opencode.db")
    connection.execute(
        "CREATE TABLE session (id text PRIMARY KEY, project_id text, parent_id text, directory text, title text, "
        "version text, revert text, time_created integer, time_updated integer)"
    )
    connection.execute(
        "CREATE TABLE message (id text PRIMARY KEY, session_id text, time_created integer, data text)"
    )
    connection.execute(
        "CREATE TABLE part (id text PRIMARY KEY, message_id text, session_id text, time_created integer, data text)"
    )
    connection.execute(
        "CREATE TABLE session_message (id text PRIMARY KEY, session_id text, type text, seq integer, "
        "time_created integer, time_updated integer, data text)"
    )
    row = (
        session.id,
        session.directory,
        session.title,
        session.client_version,
        session.started,
        session.ended,
    )
    connection.execute("INSERT INTO session VALUES (?, 'global', NULL, ?, ?, ?, NULL, ?, ?)", row)
    return connection


def opencode_db(session: Session, folder: Path) -> Path:
    connection = _database(folder, session)
    for message in session.messages:
        key = f"msg_{message.id}"
        connection.execute(
            "INSERT INTO message VALUES (?, ?, ?, ?)",
            (key, session.id, message.time, json.dumps(_info(session, message))),
        )
        for part in _parts(session, message):
            connection.execute(
                "INSERT INTO part VALUES (?, ?, ?, ?, ?)",
                (part["id"], key, session.id, message.time, json.dumps(part)),
            )
    connection.commit()
    connection.close()
    return folder / "opencode.db"


def _second(message: Message) -> Record:
    """A message of the second generation."""
    if message.role == "user":
        return {"time": {"created": message.time}, "text": prose(message)}
    content: list[Record] = [
        {"type": "text", "id": "text-0", "text": part.text.whole()} for part in message.texts()
    ]
    for call in message.calls:
        texts = [printed(call), f"Command exited with code {call.exit}."]
        structured: Record = {"exit": call.exit, "truncated": False}
        if call.timed_out:
            limit = f"Command exceeded timeout of {call.limit_ms} ms. Retry with a larger timeout if the command is expected to take longer."
            texts, structured = (
                [limit, "Command timed out before completion."],
                {"truncated": False, "timeout": True},
            )
        state = {"status": "completed", "input": call.arguments(), "structured": structured, "outputPaths": [],
                 "content": [{"type": "text", "text": text} for text in texts]}  # fmt: skip
        times = {"created": call.start, "ran": call.start, "completed": call.end}
        content.append({"type": "tool", "id": call.id, "name": "bash", "state": state, "time": times})
    return {"time": {"created": message.time, "completed": message.ended}, "agent": "build", "content": content,
            "model": {"id": message.model, "providerID": "p"}, "finish": message.finish,
            "tokens": {"input": message.tokens_in, "output": message.tokens_out}}  # fmt: skip


def opencode_db_second(session: Session, folder: Path) -> Path:
    connection = _database(folder, session)
    for number, message in enumerate(session.messages):
        row = (
            f"msg_{message.id}",
            session.id,
            message.role,
            number,
            message.time,
            message.time,
            json.dumps(_second(message)),
        )
        connection.execute("INSERT INTO session_message VALUES (?, ?, ?, ?, ?, ?, ?)", row)
    connection.commit()
    connection.close()
    return folder / "opencode.db"


def opencode_api(session: Session, folder: Path) -> Path:
    data = [{"id": f"msg_{one.id}", "type": one.role, **_second(one)} for one in reversed(session.messages)]
    return _write(folder / "messages.json", {"data": data, "cursor": {}})


def opencode_md(session: Session, folder: Path) -> Path:
    blocks = [
        f"# {session.title}\n\n**Session ID:** ses_hicache0restart\n**Created:** 2/14/2026\n**Updated:** 2/14/2026\n\n---\n\n"
    ]
    for message in session.messages:
        lasted = ((message.ended or 0) - (message.time or 0)) / 1000
        blocks.append(
            "## User\n\n"
            if message.role == "user"
            else f"## Assistant (Build · {message.model} · {lasted:.1f}s)\n\n"
        )
        blocks += [f"{part.text.whole()}\n\n" for part in message.texts()]
        for call in message.calls:
            asked = json.dumps(call.arguments(), indent=2)
            output = call.output.whole() if call.output is not None else ""
            blocks.append(
                f"**Tool: bash**\n\n**Input:**\n```json\n{asked}\n```\n\n**Output:**\n```\n{output}\n```\n\n"
            )
        blocks.append("---\n\n")
    path = folder / "session-ses_hica.md"
    path.write_text("".join(blocks))
    return path


# --- others ------------------------------------------------------------------------------------------------


def gemini_cli(session: Session, folder: Path) -> Path:
    messages = []
    for message in session.messages:
        record: Record = {"id": str(message.id), "timestamp": iso(message.time), "content": prose(message)}
        if message.role == "user":
            messages.append({**record, "type": "user"})
            continue
        calls = []
        for call in message.calls:
            words = printed(call)
            if call.timed_out:
                words = (
                    f"Command was automatically cancelled because it exceeded the timeout of {seconds(call) / 60} minutes "
                    f"without output. Below is the output before it was cancelled:\n{words}"
                )
            elif call.exit:
                words = f"{words}\nExit Code: {call.exit}"
            response = {
                "functionResponse": {
                    "id": call.id,
                    "name": "run_shell_command",
                    "response": {"output": words},
                }
            }
            calls.append({"id": call.id, "name": "run_shell_command", "args": call.arguments(), "result": [response],
                          "status": "success", "timestamp": iso(call.end), "resultDisplay": words})  # fmt: skip
        tokens = {"input": message.tokens_in, "output": message.tokens_out, "cached": 0, "total": 0}
        record |= {"type": "gemini", "model": message.model, "tokens": tokens, "thoughts": []}
        messages.append({**record, "toolCalls": calls} if calls else record)
    about = {
        "sessionId": "scene-gemini",
        "projectHash": "0" * 64,
        "startTime": iso(session.started),
        "lastUpdated": iso(session.ended),
    }
    return _write(folder / "session.json", {**about, "messages": messages})


def openhands(session: Session, folder: Path) -> Path:
    events: list[Record] = []

    def event(time: int | None, source: str, **more: Any) -> int:
        events.append(
            {
                "id": len(events),
                "timestamp": iso(time).removesuffix("Z"),
                "source": source,
                "message": "",
                **more,
            }
        )
        return len(events) - 1

    for message in session.messages:
        if message.role == "user":
            event(
                message.time,
                "user",
                action="message",
                args={"content": prose(message), "wait_for_response": False},
            )
            continue
        response = {"id": f"r{message.id}", "model": message.model, "choices": [{"finish_reason": message.finish}],
                    "usage": {"prompt_tokens": message.tokens_in, "completion_tokens": message.tokens_out}}  # fmt: skip
        if not message.calls:
            args = {"content": prose(message), "wait_for_response": True}
            event(message.ended, "agent", action="message", args=args, llm_metrics={"r": response})
        for number, call in enumerate(message.calls):
            asked = call.arguments()
            args = {
                "command": asked["command"],
                "thought": prose(message) if not number else "",
                "is_input": "false",
            }
            if "timeout" in asked:
                args["timeout"] = asked["timeout"] / 1000
            made = {"function_name": "execute_bash", "tool_call_id": call.id, "model_response": response,
                    "total_calls_in_response": len(message.calls)}  # fmt: skip
            cause = event(call.start, "agent", action="run", args=args, tool_call_metadata=made)
            suffix = f"\n[The command completed with exit code {call.exit}.]"
            if call.timed_out:
                suffix = f"\n[The command timed out after {seconds(call)} seconds. You may wait longer to see additional output by sending empty command '']"
            extras = {
                "command": asked["command"],
                "metadata": {"exit_code": -1 if call.timed_out else call.exit, "suffix": suffix},
            }
            event(call.end, "agent", cause=cause, observation="run", content=printed(call) + suffix, extras=extras,
                  tool_call_metadata=made, success=not call.exit)  # fmt: skip
    return _write(folder / "trajectory.json", events)


def atif(session: Session, folder: Path) -> Path:
    steps: list[Record] = []
    for message in session.messages:
        step: Record = {"step_id": len(steps) + 1, "timestamp": iso(message.time), "message": prose(message)}
        step["source"] = "user" if message.role == "user" else "agent"
        if message.role == "assistant":
            step["metrics"] = {"prompt_tokens": message.tokens_in, "completion_tokens": message.tokens_out}
        if message.calls:
            step["tool_calls"] = [
                {"tool_call_id": call.id, "function_name": "bash", "arguments": call.arguments()}
                for call in message.calls
            ]
            step["observation"] = {
                "results": [{"source_call_id": call.id, "content": _worded(call)} for call in message.calls]
            }
        steps.append(step)
    about = {
        "schema_version": "ATIF-v1.8",
        "session_id": "scene-atif",
        "agent": {"name": "op-agent", "version": "2.0"},
    }
    return _write(folder / "trajectory.json", {**about, "steps": steps})


def _worded(call: Call) -> str:
    """A result of a client that says exit codes and limits in words."""
    if call.timed_out:
        return f"{printed(call)}\nCommand timed out after {seconds(call):g} seconds".strip()
    return f"Exit code: {call.exit}\n{printed(call)}" if call.exit else printed(call)


def _openai(session: Session) -> list[Record]:
    messages: list[Record] = [{"role": "system", "content": SYSTEM}]
    for message in session.messages:
        record: Record = {"role": message.role, "content": prose(message)}
        if message.calls:
            record["tool_calls"] = [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {"name": "bash", "arguments": json.dumps(call.arguments())},
                }
                for call in message.calls
            ]
        messages.append(record)
        messages += [
            {"role": "tool", "tool_call_id": call.id, "content": _worded(call)} for call in message.calls
        ]
    return messages


def chat_openai(session: Session, folder: Path) -> Path:
    return _write(folder / "chat.json", {"model": "m", "messages": _openai(session)})


def chat_anthropic(session: Session, folder: Path) -> Path:
    messages: list[Record] = []
    for message in session.messages:
        blocks: list[Record] = [{"type": "text", "text": part.text.whole()} for part in message.texts()]
        blocks += [
            {"type": "tool_use", "id": call.id, "name": "bash", "input": call.arguments()}
            for call in message.calls
        ]
        messages.append({"role": message.role, "content": blocks})
        results = [
            {"type": "tool_result", "tool_use_id": call.id, "content": _worded(call)}
            for call in message.calls
        ]
        messages += [{"role": "user", "content": results}] if results else []
    return _write(folder / "chat.json", {"system": SYSTEM, "messages": messages})


def inspect(session: Session, folder: Path) -> Path:
    messages: list[Record] = [{"id": "m0", "role": "system", "content": SYSTEM}]
    events: list[Record] = []
    for message in session.messages:
        record: Record = {"id": f"m{message.id}", "role": message.role, "content": prose(message)}
        if message.role == "assistant":
            record |= {"model": message.model, "source": "generate"}
            choice = {
                "message": {"id": record["id"]},
                "stop_reason": "tool_calls" if message.calls else "stop",
            }
            used = {"input_tokens": message.tokens_in, "output_tokens": message.tokens_out}
            events.append({"event": "model", "timestamp": iso(message.time), "completed": iso(message.ended),
                           "output": {"choices": [choice], "usage": used}})  # fmt: skip
        if message.calls:
            record["tool_calls"] = [
                {"id": call.id, "function": "bash", "arguments": call.arguments(), "type": "function"}
                for call in message.calls
            ]
        messages.append(record)
        for call in message.calls:
            result: Record = {
                "id": f"r{call.id}",
                "role": "tool",
                "tool_call_id": call.id,
                "function": "bash",
                "content": printed(call),
            }
            event: Record = {
                "event": "tool",
                "id": call.id,
                "function": "bash",
                "timestamp": iso(call.start),
                "completed": iso(call.end),
            }
            span = f"s{call.id}"
            events.append({"event": "span_begin", "id": span, "type": "tool", "name": "bash"})
            events.append(event)
            if call.timed_out:
                result["error"] = event["error"] = {
                    "type": "timeout",
                    "message": "Command timed out before completing.",
                }
                result["content"] = ""
            else:
                events.append(
                    {
                        "event": "sandbox",
                        "action": "exec",
                        "span_id": span,
                        "result": call.exit,
                        "options": {},
                    }
                )
            messages.append(result)
    sample = {
        "id": "scene",
        "epoch": 1,
        "input": "x",
        "target": "",
        "messages": messages,
        "events": events,
        "output": {},
    }
    evaluation = {
        "run_id": "r",
        "task_id": "t",
        "task": "ops",
        "model": "m",
        "packages": {"inspect_ai": "0.3.285"},
    }
    return _write(
        folder / "log.json", {"version": 2, "status": "success", "eval": evaluation, "samples": [sample]}
    )


def otel(session: Session, folder: Path) -> Path:
    spans: list[Record] = []
    asked: list[Record] = []

    def span(name: str, start: int | None, end: int | None, **attributes: Any) -> None:
        pairs = [
            {"key": key, "value": {"intValue": str(one)} if isinstance(one, int) else {"stringValue": one}}
            for key, one in attributes.items()
        ]
        spans.append({"traceId": "5b8efff798038103d269b633813fc60c", "spanId": f"{len(spans) + 1:016x}", "name": name,
                      "startTimeUnixNano": f"{start}000000", "endTimeUnixNano": f"{end}000000", "attributes": pairs,
                      "events": [], "status": {}})  # fmt: skip

    for message in session.messages:
        parts: list[Record] = [{"type": "text", "content": part.text.whole()} for part in message.texts()]
        parts += [
            {"type": "tool_call", "id": call.id, "name": "bash", "arguments": call.arguments()}
            for call in message.calls
        ]
        told = {"role": message.role, "parts": parts}
        if message.role == "assistant":
            began = min([call.start or 0 for call in message.calls] or [message.ended or 0])
            span(
                "chat m", message.time, began,
                **{"gen_ai.operation.name": "chat", "gen_ai.conversation.id": "scene-otel", "gen_ai.request.model": "m",
                   "gen_ai.usage.input_tokens": message.tokens_in or 0, "gen_ai.usage.output_tokens": message.tokens_out or 0,
                   "gen_ai.input.messages": json.dumps(asked),
                   "gen_ai.output.messages": json.dumps([{**told, "finish_reason": message.finish}])},
            )  # fmt: skip
        asked.append(told)
        for call in message.calls:
            more = {"error.type": "timeout"} if call.timed_out else {}
            span("execute_tool bash", call.start, call.end,
                 **{"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "bash", "gen_ai.tool.call.id": call.id,
                    "gen_ai.conversation.id": "scene-otel", **more})  # fmt: skip
            asked.append(
                {
                    "role": "tool",
                    "parts": [{"type": "tool_call_response", "id": call.id, "response": _worded(call)}],
                }
            )
    return _write(folder / "spans.json", {"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]})


def claude_md(session: Session, folder: Path) -> Path:
    blocks = [
        "# Claude Session Export\n\n- **Session ID**: `0a1b2c3d-1111-4222-8333-444455556666`\n\n---\n\n## Conversation\n\n"
    ]

    def record(role: str, time: int | None, content: list[Record]) -> None:
        shown = f"{datetime.fromtimestamp((time or 0) / 1000, UTC):%m/%d/%Y, %I:%M:%S %p}"
        blocks.append(f"### {role}\n> {shown}\n\n{json.dumps(content, indent=2)}\n\n---\n\n")

    for message in session.messages:
        content: list[Record] = [{"type": "text", "text": part.text.whole()} for part in message.texts()]
        content += [
            {"type": "tool_use", "id": call.id, "name": "Bash", "input": call.arguments()}
            for call in message.calls
        ]
        record("User" if message.role == "user" else "Assistant", message.time, content)
        for call in message.calls:
            words = printed(call)
            if call.timed_out:
                words = f"Command timed out after {seconds(call):.0f}s\n{words}"
            elif call.exit:
                words = f"Exit code {call.exit}\n{words}"
            failed = bool(call.timed_out or call.exit)
            result = {"tool_use_id": call.id, "type": "tool_result", "content": words, "is_error": failed}
            record("User", call.end, [result])
    path = folder / "session.md"
    path.write_text("".join(blocks))
    return path


# --- Roo Code ----------------------------------------------------------------------------------------------


def _of_roo(call: Call) -> str:
    if call.timed_out:
        return (
            f"The command was terminated after exceeding a user-configured {seconds(call):g}s timeout. "
            "Do not try to re-run the command."
        )
    failed = (
        "Command execution was not successful, inspect the cause and adjust as needed.\n" if call.exit else ""
    )
    return (
        f"Command executed in terminal within working directory '/srv'. {failed}Exit code: {call.exit or 0}\n"
        f"Output:\n{printed(call)}"
    )


def roo_code(session: Session, folder: Path) -> Path:
    messages: list[Record] = []
    for message in session.messages:
        if message.role == "user":
            tag = "user_message" if messages else "task"
            said = [{"type": "text", "text": f"<{tag}>\n{prose(message)}\n</{tag}>"}]
            messages.append({"role": "user", "content": said})
            continue
        blocks: list[Record] = [{"type": "text", "text": part.text.whole()} for part in message.texts()]
        blocks += [
            {"type": "tool_use", "id": call.id, "name": "execute_command", "input": call.arguments()}
            for call in message.calls
        ]
        nothing = [{"type": "text", "text": "Failure: I did not provide a response."}]
        messages.append({"role": "assistant", "content": blocks or nothing})
        results = [
            {"type": "tool_result", "tool_use_id": call.id, "content": _of_roo(call)}
            for call in message.calls
        ]
        messages += [{"role": "user", "content": results}] if results else []
    return _write(folder / "api_conversation_history.json", messages)


Maker = Callable[[Session, Path], Path]
MAKERS: dict[str, tuple[str, Maker]] = {
    "opencode-export": ("opencode-export", opencode_export),
    "opencode-db": ("opencode-db", opencode_db),
    "opencode-db, second generation": ("opencode-db", opencode_db_second),
    "opencode-tree": ("opencode-tree", opencode_tree),
    "opencode-events": ("opencode-events", opencode_events),
    "opencode-api": ("opencode-api", opencode_api),
    "opencode-share": ("opencode-share", opencode_share),
    "opencode-md": ("opencode-md", opencode_md),
    "gemini-cli": ("gemini-cli", gemini_cli),
    "openhands": ("openhands", openhands),
    "atif": ("atif", atif),
    "inspect": ("inspect", inspect),
    "otel-genai": ("otel-genai", otel),
    "chat of OpenAI": ("chat", chat_openai),
    "chat of Anthropic": ("chat", chat_anthropic),
    "claude-md": ("claude-md", claude_md),
    "cline": ("cline", roo_code),
}
"""Reader and maker of each form."""
