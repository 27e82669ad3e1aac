"""Lines as Codex writes them, and small scenes made of them: one for each trap of the format.

``python tests/readers/codex_lines.py`` writes ``fixtures/codex``; a test checks that they are what this makes.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "codex"
THREAD = "019f0000-0000-7000-8000-000000000001"
HELPER = "019f0000-0000-7000-8000-000000000002"

Record = dict[str, Any]


class Rollout:
    """Lines of one session of the newer generation."""

    def __init__(self, session: str = THREAD, *, version: str = "0.142.2", source: Any = "cli") -> None:
        self.session = session
        self.lines: list[Record] = []
        self.seconds = self.total = 0
        self.line(
            "session_meta",
            {"id": session, "timestamp": self.time(), "cwd": "/srv/shop", "originator": "codex-tui",
             "cli_version": version, "source": source, "model_provider": "openai"},
        )  # fmt: skip
        self.item(
            "message",
            role="developer",
            content=[words("<permissions instructions>…</permissions instructions>")],
        )
        self.item("message", role="user", content=[words("# AGENTS.md instructions for /srv/shop"),
                                                   words("<environment_context>\n</environment_context>")])  # fmt: skip

    def time(self) -> str:
        minutes, seconds = divmod(self.seconds, 60)
        return f"2026-06-26T12:{minutes:02}:{seconds:02}.000Z"

    def line(self, kind: str, payload: Record, *, after: int = 1) -> None:
        self.seconds += after
        self.lines.append({"timestamp": self.time(), "type": kind, "payload": payload})

    def item(self, kind: str, *, after: int = 1, **more: Any) -> None:
        self.line("response_item", {"type": kind, **more}, after=after)

    def event(self, kind: str, **more: Any) -> None:
        self.line("event_msg", {"type": kind, **more}, after=0)

    def user(self, said: str) -> None:
        """What the person says: an item, and the event that tells that it is theirs."""
        self.event("task_started", turn_id="t")
        self.line("turn_context", {"cwd": "/srv/shop", "model": "gpt-large-5", "effort": "high"}, after=0)
        self.item("message", role="user", content=[words(said)])
        self.event("user_message", message=said, images=[])

    def thinks(self) -> None:
        """Reasoning, encrypted."""
        self.item("reasoning", summary=[], content=None, encrypted_content="gAAAAA")

    def says(self, said: str, *, phase: str = "commentary") -> None:
        self.event("agent_message", message=said, phase=phase)
        self.item("message", role="assistant", content=[{"type": "output_text", "text": said}], phase=phase)

    def calls(self, call: str, name: str, **arguments: Any) -> None:
        text = json.dumps(arguments, separators=(",", ":"))
        self.item("function_call", name=name, arguments=text, call_id=call)

    def result(self, call: str, output: Any, *, after: int = 1) -> None:
        self.item("function_call_output", call_id=call, output=output, after=after)

    def counts(self, *, read: int = 1000, cached: int = 600, wrote: int = 20) -> None:
        """The tokens of the step that ended."""
        used = {
            "input_tokens": read,
            "cached_input_tokens": cached,
            "output_tokens": wrote,
            "total_tokens": read + wrote,
        }
        self.total += read + wrote
        info = {"total_token_usage": {**used, "total_tokens": self.total}, "last_token_usage": used}
        self.event("token_count", info=info, rate_limits=None)

    def done(self, last: str | None) -> None:
        self.event("task_complete", turn_id="t", last_agent_message=last)

    def data(self) -> bytes:
        return lines_of(self.lines)


def lines_of(records: list[Record]) -> bytes:
    return b"".join(
        json.dumps(one, ensure_ascii=False, separators=(",", ":")).encode() + b"\n" for one in records
    )


def words(text: str) -> Record:
    return {"type": "input_text", "text": text}


def ran(output: str, *, code: int = 0, wall: float = 0.2) -> str:
    return (f"Chunk ID: a1b2c3\nWall time: {wall} seconds\nProcess exited with code {code}\n"
            f"Original token count: 9\nOutput:\n{output}")  # fmt: skip


def runs_on(output: str, session: int, *, wall: float = 10.0) -> str:
    return (f"Chunk ID: d4e5f6\nWall time: {wall} seconds\nProcess running with session ID {session}\n"
            f"Original token count: 9\nOutput:\n{output}")  # fmt: skip


# --- scenes ------------------------------------------------------------------------------------------------


def steps() -> Rollout:
    """Steps of the model: silent ones, one with two calls, and prose that an event repeats."""
    log = Rollout()
    log.user("is the proxy up on both?")
    log.thinks()
    log.calls("c1", "exec_command", cmd="ssh edge1 'systemctl is-active haproxy'", workdir="/srv/shop")
    log.result("c1", ran("active\n"))
    log.counts()
    log.thinks()
    log.says("Now the second, and the log.")
    log.calls("c2", "exec_command", cmd="ssh edge2 'systemctl is-active haproxy'")
    log.calls("c3", "exec_command", cmd="ssh edge2 'journalctl -u haproxy -n 1'")
    log.result("c2", ran("inactive\n", code=3))
    log.result("c3", ran("stopped\n"))
    log.counts(read=1500, cached=1000, wrote=44)
    log.counts(read=0, wrote=0)
    log.says("The first runs, the second does not.", phase="final_answer")
    log.counts()
    log.done("The first runs, the second does not.")
    return log


def running_on() -> Rollout:
    """A process that outlasts its call, polled, fed and finished; another that is left alone."""
    log = Rollout()
    log.user("restart search and wait for it")
    log.calls("c1", "exec_command", cmd="ssh search1 'systemctl restart elasticsearch'", yield_time_ms=10000)
    log.result("c1", runs_on("", 6593), after=10)
    log.counts()
    log.calls("c2", "write_stdin", session_id=6593, chars="", yield_time_ms=30000)
    log.result("c2", runs_on("", 6593, wall=30.0), after=30)
    log.counts()
    log.calls("c3", "write_stdin", session_id=6593, chars="")
    log.result("c3", ran("", wall=21.5), after=22)
    log.counts()
    log.calls("c4", "exec_command", cmd="npm run dev")
    log.result("c4", runs_on("ready\n", 7001), after=10)
    log.counts()
    log.says("Search is restarted; the dev server runs.", phase="final_answer")
    log.counts()
    log.done("Search is restarted; the dev server runs.")
    return log


def interrupted() -> Rollout:
    """The person stops a command; newer clients write it down as text of the user, too."""
    log = Rollout()
    log.user("load the dump")
    log.calls("c1", "exec_command", cmd="pg_restore -d shop shop.dump")
    log.result("c1", "aborted by user after 12.3s", after=12)
    log.item("message", role="user", content=[words("<turn_aborted>\nThe user interrupted the previous turn on purpose. "
             "Any running unified exec processes may still be running in the background.\n</turn_aborted>")])  # fmt: skip
    log.event("turn_aborted", turn_id="t", reason="interrupted")
    log.user("only the orders table")
    log.calls("c2", "exec_command", cmd="pg_restore -t orders -d shop shop.dump")
    log.event("turn_aborted", turn_id="t", reason="interrupted")
    log.user("leave it")
    log.says("Fine.", phase="final_answer")
    log.counts()
    log.done("Fine.")
    return log


def nothing_said() -> Rollout:
    """A step that is counted and holds nothing, after a command that was cut off; and an error that ended a turn."""
    log = Rollout(version="0.46.0")
    log.user("restart billing")
    log.calls(
        "c1", "shell", command=["bash", "-lc", "ssh bill1 'systemctl restart billing'"], timeout_ms=15000
    )
    told = {
        "output": "command timed out after 15012 milliseconds\n",
        "metadata": {"exit_code": 124, "duration_seconds": 15.0},
    }
    log.result("c1", json.dumps(told), after=15)
    log.counts()
    log.counts(wrote=3)
    log.done(None)
    log.user("and?")
    log.event("stream_error", message="stream disconnected before completion; retrying 1/5")
    log.event("error", message="stream disconnected before completion")
    return log


def compacted() -> Rollout:
    """A compaction: one line, one event, and a count that no step is behind."""
    log = Rollout()
    log.user("tidy up")
    log.says("I begin.")
    log.calls("c1", "exec_command", cmd="ls")
    log.result("c1", ran("a\n"))
    log.counts()
    log.line(
        "compacted", {"message": "The person wants the configuration tidied.", "replacement_history": []}
    )
    log.line("turn_context", {"cwd": "/srv/shop", "model": "gpt-large-5"}, after=0)
    log.counts(read=300, cached=0, wrote=0)
    log.event("context_compacted")
    log.says("I go on.")
    log.counts()
    log.done("I go on.")
    return log


def tools() -> Rollout:
    """A patch, a plan, a search of the provider, a picture, a failed call and one without an end."""
    log = Rollout()
    log.user("change the port")
    log.item("custom_tool_call", status="completed", call_id="c1", name="apply_patch",
             input="*** Begin Patch\n*** Update File: app.conf\n@@\n-port 80\n+port 81\n*** End Patch")  # fmt: skip
    log.item("custom_tool_call_output", call_id="c1", output="Exit code: 0\nWall time: 0.1 seconds\nOutput:\n"
             "Success. Updated the following files:\nM app.conf\n")  # fmt: skip
    log.event("patch_apply_end", call_id="c1", success=True)
    log.counts()
    log.item("web_search_call", status="completed", action={"type": "search", "query": "port 81"})
    log.counts()
    log.calls("c2", "exec_command", cmd="nope")
    log.result("c2", 'exec_command failed for `nope`: CreateProcess { message: "Rejected" }')
    log.calls("c3", "view_image", path="/srv/shop/a.png")
    log.result("c3", [{"type": "input_image", "image_url": "data:image/png;base64,iVBORw0K"}])
    log.calls("c4", "exec_command", cmd="sleep 600")
    return log


def with_helper() -> tuple[Rollout, Rollout]:
    """A session that starts an agent, and the agent's own."""
    log = Rollout()
    helper = Rollout(HELPER, source={"subagent": {"thread_spawn": {"parent_thread_id": THREAD, "depth": 1}}})
    log.user("let an agent restart search")
    log.calls("c1", "spawn_agent", message="Restart search on search1.", agent_type="worker")
    log.result("c1", json.dumps({"agent_id": HELPER, "nickname": "Ada"}))
    log.counts()
    log.says("An agent is at it.", phase="final_answer")
    log.counts()
    helper.user("Restart search on search1.")
    helper.calls("h1", "exec_command", cmd="ssh search1 'systemctl restart elasticsearch'")
    helper.result("h1", ran(""))
    helper.counts()
    helper.says("Restarted.", phase="final_answer")
    helper.counts()
    return log, helper


def first_generation() -> list[Record]:
    """A rollout of a client before 0.32: bare items, no times, no counts."""
    call = {"command": ["bash", "-lc", "ssh edge1 'systemctl restart haproxy'"], "timeout_ms": 20000}
    told = {
        "output": "command timed out after 20012 milliseconds\n",
        "metadata": {"exit_code": 124, "duration_seconds": 20.0},
    }
    fine = {"output": "active\n", "metadata": {"exit_code": 0, "duration_seconds": 0.4}}
    return [
        {"id": THREAD, "timestamp": "2025-08-12T09:00:00.000Z", "instructions": None, "git": {"branch": "main"}},
        {"record_type": "state"},
        {"type": "message", "id": None, "role": "user", "content": [words("<user_instructions>\nbe brief\n</user_instructions>")]},
        {"type": "message", "id": None, "role": "user", "content": [words("restart the proxy")]},
        {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "A restart."}], "encrypted_content": None},
        {"type": "function_call", "id": "fc_1", "name": "shell", "arguments": json.dumps(call), "call_id": "c1"},
        {"record_type": "state"},
        {"type": "function_call_output", "call_id": "c1", "output": json.dumps(told)},
        {"type": "reasoning", "id": "rs_2", "summary": [], "encrypted_content": "gAAA"},
        {"type": "local_shell_call", "id": "lsh_1", "call_id": "c2", "status": "completed",
         "action": {"type": "exec", "command": ["systemctl", "is-active", "haproxy"], "timeout_ms": None}},
        {"type": "function_call_output", "call_id": "c2", "output": json.dumps(fine)},
        {"type": "message", "id": "msg_1", "role": "assistant", "content": [{"type": "output_text", "text": "It is active."}]},
    ]  # fmt: skip


SCENES: dict[str, Callable[[], Rollout]] = {
    "steps": steps, "running_on": running_on, "interrupted": interrupted, "nothing_said": nothing_said,
    "compacted": compacted, "tools": tools,
}  # fmt: skip


def files() -> dict[str, bytes]:
    """Every fixture that this makes, by its name within ``fixtures/codex``."""
    log, helper = with_helper()
    made = {f"{name}.jsonl": scene().data() for name, scene in SCENES.items()}
    made["first_generation.jsonl"] = lines_of(first_generation())
    day = "sessions/2026/06/26"
    made[f"{day}/rollout-2026-06-26T12-00-00-{log.session}.jsonl"] = log.data()
    made[f"{day}/rollout-2026-06-26T12-00-09-{helper.session}.jsonl"] = helper.data()
    return made


if __name__ == "__main__":
    for name, data in files().items():
        (FOLDER / name).parent.mkdir(parents=True, exist_ok=True)
        (FOLDER / name).write_bytes(data)
