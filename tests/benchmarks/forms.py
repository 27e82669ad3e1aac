"""The forms that the generator writes a session in: what each client's log looks like, line by line.

A form gets asked for messages and calls and writes them at once, so that a session of any size needs no memory. How
much a client writes beside a message's own text (twins of results, usage, progress) follows logs of that client:
a line of Claude Code is 3.8 KB long on average, half of them below 1.1 KB, and a call comes with 16 KB.
"""

from __future__ import annotations

import json
import random
import uuid
from abc import ABC, abstractmethod
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

START_MS = 1_767_603_600_000

Record = dict[str, Any]
INSTRUCTIONS = (
    "Run the tests before you say that something works. Keep the style of the file you change. " * 12
)
"""What a client repeats with each turn."""


class Log(ABC):
    """One session being written: its clock, its places, and the labels of what was planted."""

    form = ""
    """Name for the command line."""
    suffix = ".jsonl"
    """Of the file."""

    def __init__(self, path: Path, seed: int) -> None:
        self.path = path
        self.random = random.Random(seed)
        self.now = START_MS
        self.labels: list[Record] = []
        self.size = 0
        """Characters written."""
        self.messages = 0
        """Messages written, as a reader counts them."""
        self.calls = 0
        self._out = path.open("w", encoding="utf-8")

    def tick(self, low: int = 400, high: int = 9_000) -> int:
        """Milliseconds of the next moment."""
        self.now += self.random.randint(low, high)
        return self.now

    def stamp(self) -> str:
        """The moment as an ISO time."""
        return datetime.fromtimestamp(self.now / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"

    def write(self, text: str) -> None:
        """Append to the file."""
        self._out.write(text)
        self.size += len(text)

    def line(self, record: Record) -> None:
        """Append one JSON line."""
        self.write(json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n")

    def close(self) -> None:
        """End the file."""
        self._out.close()

    @abstractmethod
    def asks(self, text: str) -> int:
        """A person's message; returns its index, as all of these do."""

    @abstractmethod
    def says(self, text: str) -> int:
        """A message of the assistant; without text, an empty one."""

    @abstractmethod
    def bash(
        self, command: str, output: str = "", *, limit: int | None = None, timed_out: bool = False
    ) -> int:
        """A message with one command and its result."""

    @abstractmethod
    def reads(self, file: str, content: str) -> int:
        """A message that reads a file."""

    @abstractmethod
    def edits(self, file: str, before: str, old: str, new: str) -> int:
        """A message that replaces ``old`` by ``new`` in a file that held ``before``."""

    def _duration(self, limit: int | None, timed_out: bool) -> None:
        self.now += (limit or 120_000) if timed_out else self.random.randint(50, 4_000)

    def _counted(self) -> int:
        self.messages += 1
        return self.messages - 1


class OpencodeExport(Log):
    """What ``opencode export`` prints: one JSON document."""

    form = "opencode"
    suffix = ".json"

    def __init__(self, path: Path, seed: int) -> None:
        super().__init__(path, seed)
        self._ids = 0
        info = {
            "id": "ses_bench", "slug": "bench", "projectID": "global", "directory": "/home/dev/shop",
            "title": "Benchmark session", "version": "1.18.33", "time": {"created": START_MS, "updated": START_MS},
        }  # fmt: skip
        self.write('{\n  "info": ' + json.dumps(info, indent=2).replace("\n", "\n  ") + ',\n  "messages": [')

    def close(self) -> None:
        self.write("\n  ]\n}\n")
        super().close()

    def _id(self, prefix: str) -> str:
        self._ids += 1
        return f"{prefix}_{(self.now * 0x1000 + self._ids % 0x1000) & 0xFFFFFFFFFFFF:012x}{self._ids:014d}"

    def _add(self, role: str, parts: list[Record], finish: str = "stop") -> int:
        self.tick()
        message = self._id("msg")
        info: Record = {"id": message, "sessionID": "ses_bench", "role": role, "time": {"created": self.now}}
        if role == "assistant":
            info["time"]["completed"] = self.tick()
            tokens = {"input": 900, "output": 40, "reasoning": 0, "cache": {"read": 0, "write": 0}}
            info |= {"finish": finish, "modelID": "bench-1", "providerID": "bench", "agent": "build",
                     "mode": "build", "cost": 0, "tokens": tokens}  # fmt: skip
            step = {"type": "step-finish", "reason": finish, "cost": 0, "tokens": tokens}
            parts = [{"type": "step-start"}, *parts, step]
        body = {
            "info": info,
            "parts": [
                {"id": self._id("prt"), "sessionID": "ses_bench", "messageID": message, **part}
                for part in parts
            ],
        }
        text = json.dumps(body, indent=2).replace("\n", "\n    ")
        self.write(("," if self.messages else "") + "\n    " + text)
        return self._counted()

    def asks(self, text: str) -> int:
        return self._add("user", [{"type": "text", "text": text}])

    def says(self, text: str) -> int:
        return self._add("assistant", [{"type": "text", "text": text}] if text else [])

    def _call(self, tool: str, arguments: Record, output: str, metadata: Record, began: int) -> int:
        self.calls += 1
        state = {"status": "completed", "input": arguments, "output": output, "title": tool,
                 "metadata": metadata, "time": {"start": began, "end": self.now}}  # fmt: skip
        part = {"type": "tool", "tool": tool, "callID": f"call_{self.calls}", "state": state}
        return self._add("assistant", [part], "tool-calls")

    def bash(
        self, command: str, output: str = "", *, limit: int | None = None, timed_out: bool = False
    ) -> int:
        began = self.tick()
        self._duration(limit, timed_out)
        arguments: Record = {"command": command, "description": "run it"}
        if limit is not None:
            arguments["timeout"] = limit
        if timed_out:
            output += (
                f"\n\n<shell_metadata>\nshell tool terminated command after exceeding timeout {limit or 120_000} ms. "
                "If this command is expected to take longer and is not waiting for interactive input, retry with a "
                "larger timeout value in milliseconds.\n</shell_metadata>"
            )
        metadata = {"exit": None if timed_out else 0, "output": output[:30_000]}
        return self._call("bash", arguments, output, metadata, began)

    def reads(self, file: str, content: str) -> int:
        began = self.tick()
        self._duration(None, False)
        output = f"<file>\n{content}\n</file>"
        return self._call("read", {"filePath": file}, output, {"preview": content[:400]}, began)

    def edits(self, file: str, before: str, old: str, new: str) -> int:
        began = self.tick()
        self._duration(None, False)
        arguments = {"filePath": file, "oldString": old, "newString": new}
        patch = "\n".join([f"-{row}" for row in old.split("\n")] + [f"+{row}" for row in new.split("\n")])
        return self._call("edit", arguments, "Edit applied successfully.", {"diff": patch}, began)


class ClaudeLines(Log):
    """A session file of Claude Code."""

    form = "claude"

    def __init__(self, path: Path, seed: int) -> None:
        super().__init__(path, seed)
        self._parent: str | None = None
        self._noise = random.Random(seed + 1)

    def _line(self, kind: str, **more: Any) -> str:
        own = str(uuid.UUID(int=self._noise.getrandbits(128), version=4))
        self.line(
            {
                "parentUuid": self._parent, "isSidechain": False, "userType": "external", "cwd": "/home/dev/shop",
                "sessionId": "be7c4000-0000-4000-8000-000000000001", "version": "2.1.31", "gitBranch": "main",
                "type": kind, **more, "uuid": own, "timestamp": self.stamp(),
            }
        )  # fmt: skip
        self._parent = own
        return own

    def _assistant(self, identifier: str, block: Record, stop: str) -> None:
        usage = {
            "input_tokens": 4, "cache_creation_input_tokens": 512, "cache_read_input_tokens": 90_000,
            "cache_creation": {"ephemeral_5m_input_tokens": 512, "ephemeral_1h_input_tokens": 0},
            "output_tokens": 31, "service_tier": "standard",
        }  # fmt: skip
        message = {
            "model": "bench-large-1", "id": identifier, "type": "message", "role": "assistant", "content": [block],
            "stop_reason": stop, "stop_sequence": None, "usage": usage,
        }  # fmt: skip
        self._line("assistant", message=message, requestId=f"req_{self.messages:022d}")

    def asks(self, text: str) -> int:
        self.tick()
        own = self._line("user", message={"role": "user", "content": text})
        snapshot = {"messageId": own, "trackedFileBackups": {}, "timestamp": self.stamp()}
        self.line(
            {
                "type": "file-history-snapshot",
                "messageId": own,
                "snapshot": snapshot,
                "isSnapshotUpdate": False,
            }
        )
        return self._counted()

    def says(self, text: str) -> int:
        self.tick()
        self._assistant(f"msg_{self.messages:022d}", {"type": "text", "text": text}, "end_turn")
        return self._counted()

    def _call(self, tool: str, arguments: Record) -> str:
        self.tick()
        identifier, self.calls = f"msg_{self.messages:022d}", self.calls + 1
        if self.calls % 2:
            # Every other call comes after some thinking, which carries a signature.
            words = "I look at what is there before I change anything."
            signature = f"{self._noise.getrandbits(1536):x}"
            self._assistant(
                identifier, {"type": "thinking", "thinking": words, "signature": signature}, "tool_use"
            )
        call = f"toolu_{self.calls:024d}"
        self._assistant(
            identifier, {"type": "tool_use", "id": call, "name": tool, "input": arguments}, "tool_use"
        )
        return call

    def _result(self, call: str, content: str, told: Any, *, error: bool = False) -> int:
        block = {"tool_use_id": call, "type": "tool_result", "content": content, "is_error": error}
        self._line("user", message={"role": "user", "content": [block]}, toolUseResult=told)
        return self._counted()

    def bash(
        self, command: str, output: str = "", *, limit: int | None = None, timed_out: bool = False
    ) -> int:
        arguments: Record = {"command": command, "description": "run it"}
        if limit is not None:
            arguments["timeout"] = limit
        call = self._call("Bash", arguments)
        for second in range(2, 2 + self._noise.randint(0, 3)):
            data = {
                "type": "bash_progress",
                "output": "",
                "fullOutput": "",
                "elapsedTimeSeconds": second,
                "totalLines": 0,
            }
            self._line("progress", data=data, toolUseID=f"bash-progress-{second}", parentToolUseID=call)
        self._duration(limit, timed_out)
        if timed_out:
            seconds = (limit or 120_000) // 1000
            worded = (
                f"Command timed out after {seconds // 60}m {seconds % 60}.0s"
                if seconds >= 60
                else f"Command timed out after {seconds}s"
            )
            content = f"{worded} {output}".rstrip()
            return self._result(call, content, f"Error: {content}", error=True)
        told = {"stdout": output, "stderr": "", "interrupted": False, "isImage": False}
        return self._result(call, output, told)

    def reads(self, file: str, content: str) -> int:
        call = self._call("Read", {"file_path": file})
        self._duration(None, False)
        rows = content.split("\n")
        numbered = "\n".join(f"{number:>6}→{row}" for number, row in enumerate(rows, 1))
        kept = {"filePath": file, "content": content, "numLines": len(rows), "startLine": 1,
                "totalLines": len(rows)}  # fmt: skip
        return self._result(call, numbered, {"type": "text", "file": kept})

    def edits(self, file: str, before: str, old: str, new: str) -> int:
        call = self._call("Edit", {"file_path": file, "old_string": old, "new_string": new})
        self._duration(None, False)
        rows = [f"-{row}" for row in old.split("\n")] + [f"+{row}" for row in new.split("\n")]
        patch = [{"oldStart": 1, "oldLines": 6, "newStart": 1, "newLines": 8, "lines": rows}]
        told = {"filePath": file, "oldString": old, "newString": new, "originalFile": before,
                "structuredPatch": patch, "userModified": False, "replaceAll": False}  # fmt: skip
        return self._result(call, f"The file {file} has been updated.", told)


class CodexLines(Log):
    """A rollout of Codex."""

    form = "codex"

    def __init__(self, path: Path, seed: int) -> None:
        super().__init__(path, seed)
        self._steps = 0
        self._noise = random.Random(seed + 1)
        meta = {"id": "019f0000-0000-7000-8000-00000000be7c", "timestamp": self.stamp(), "cwd": "/home/dev/shop",
                "originator": "codex-tui", "cli_version": "0.142.2", "source": "cli",
                "model_provider": "bench"}  # fmt: skip
        self._line("session_meta", meta)

    def _line(self, kind: str, payload: Record) -> None:
        self.line({"timestamp": self.stamp(), "type": kind, "payload": payload})

    def _tokens(self) -> None:
        used = {
            "input_tokens": 90_000,
            "cached_input_tokens": 89_000,
            "output_tokens": 31,
            "total_tokens": 90_031,
        }
        # The sum over the session: a count that does not grow belongs to no step.
        self._steps += 1
        total = {name: value * self._steps for name, value in used.items()}
        info = {"total_token_usage": total, "last_token_usage": used, "model_context_window": 256_000}
        self._line("event_msg", {"type": "token_count", "info": info, "rate_limits": None})

    def _message(self, role: str, kind: str, text: str) -> None:
        content = [{"type": kind, "text": text}]
        self._line("response_item", {"type": "message", "role": role, "content": content})

    def asks(self, text: str) -> int:
        self.tick()
        self._line("event_msg", {"type": "task_started", "turn_id": f"t{self.messages}"})
        self._line("turn_context", {"cwd": "/home/dev/shop", "model": "bench-large-1", "effort": "high",
                                    "user_instructions": INSTRUCTIONS})  # fmt: skip
        self._message("user", "input_text", text)
        self._line("event_msg", {"type": "user_message", "message": text, "images": []})
        return self._counted()

    def says(self, text: str) -> int:
        self.tick()
        self._line("event_msg", {"type": "agent_message", "message": text})
        self._message("assistant", "output_text", text)
        self._tokens()
        return self._counted()

    def bash(
        self, command: str, output: str = "", *, limit: int | None = None, timed_out: bool = False
    ) -> int:
        self.tick()
        self.calls += 1
        arguments: Record = {"command": ["bash", "-lc", command]}
        if limit is not None:
            arguments["timeout_ms"] = limit
        name = f"call_{self.calls:024d}"
        secret = f"{self._noise.getrandbits(2048):x}"
        self._line("response_item", {"type": "reasoning", "summary": [], "encrypted_content": secret})
        call = {"type": "function_call", "name": "shell", "arguments": json.dumps(arguments), "call_id": name}
        self._line("response_item", call)
        before = self.now
        self._duration(limit, timed_out)
        seconds = (self.now - before) / 1000
        if timed_out:
            output = f"command timed out after {limit or 120_000} milliseconds\n{output}"
        told = {
            "output": output,
            "metadata": {"exit_code": 124 if timed_out else 0, "duration_seconds": seconds},
        }
        result = {"type": "function_call_output", "call_id": name, "output": json.dumps(told)}
        self._line("response_item", result)
        self._tokens()
        return self._counted()

    def reads(self, file: str, content: str) -> int:
        return self.bash(f"sed -n '1,400p' {file}", content)

    def edits(self, file: str, before: str, old: str, new: str) -> int:
        rows = [f"-{row}" for row in old.split("\n")] + [f"+{row}" for row in new.split("\n")]
        patch = "\n".join(["*** Begin Patch", f"*** Update File: {file}", "@@", *rows, "*** End Patch"])
        return self.bash(
            f"apply_patch <<'EOF'\n{patch}\nEOF", f"Success. Updated the following files:\nM {file}"
        )


class TranscriptXml(Log):
    """Transcript XML, as ``sessionlens convert`` writes it."""

    form = "xml"
    suffix = ".xml"

    def __init__(self, path: Path, seed: int) -> None:
        super().__init__(path, seed)
        self.write(
            '<conversation_data format="sessionlens/1" source="opencode" session="ses_bench" title="Benchmark session" '
            'client="1.18.33" directory="/home/dev/shop">\n'
        )

    def close(self) -> None:
        self.write("</conversation_data>\n")
        super().close()

    def _add(self, role: str, inner: str, finish: str | None = None) -> int:
        ended = f' finish="{finish}" model="bench-1" agent="build"' if finish else ""
        self.write(
            f'<msg id="{self.messages + 1}" role="{role}" time="{self.stamp()}"{ended}>\n{inner}</msg>\n'
        )
        return self._counted()

    def asks(self, text: str) -> int:
        self.tick()
        return self._add("user", f"  <text>{escape(text)}</text>\n")

    def says(self, text: str) -> int:
        self.tick()
        return self._add("assistant", f"  <text>{escape(text)}</text>\n" if text else "", "stop")

    def _call(self, name: str, arguments: Record, output: str, marks: str = "") -> int:
        self.calls += 1
        inner = (
            f'  <tool name={quoteattr(name)} call="call_{self.calls}" status="completed"{marks}>\n'
            f"    <input>{escape(json.dumps(arguments))}</input>\n    <output>{escape(output)}</output>\n  </tool>\n"
        )
        return self._add("assistant", inner, "tool-calls")

    def bash(
        self, command: str, output: str = "", *, limit: int | None = None, timed_out: bool = False
    ) -> int:
        self.tick()
        self._duration(limit, timed_out)
        marks = f' limit_ms="{limit or 120_000}" timed_out="true"' if timed_out else ' exit="0"'
        return self._call("bash", {"command": command}, output, marks)

    def reads(self, file: str, content: str) -> int:
        self.tick()
        return self._call("read", {"filePath": file}, content)

    def edits(self, file: str, before: str, old: str, new: str) -> int:
        self.tick()
        return self._call(
            "edit", {"filePath": file, "oldString": old, "newString": new}, "Edit applied successfully."
        )


FORMS: dict[str, type[Log]] = {
    one.form: one for one in (OpencodeExport, ClaudeLines, CodexLines, TranscriptXml)
}
