"""Lines as Claude Code writes them, and small scenes made of them: one for each trap of the format.

``python tests/readers/claude_lines.py`` writes ``fixtures/claude_code``; a test checks that they are what this makes.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "claude_code"

Record = dict[str, Any]


class Log:
    """Lines of one session; each line follows the one before unless told otherwise."""

    def __init__(
        self, session: str = "5e55a000-0000-4000-8000-000000000001", *, version: str = "2.1.31"
    ) -> None:
        self.session, self.version = session, version
        self.lines: list[Record] = []
        self.parent: str | None = None
        self.agent: str | None = None
        self.sidechain = False
        self.cwd = "/home/op/shop"
        self.seconds = 0

    def add(self, kind: str, *, after: int = 1, **more: Any) -> Record:
        """A line of this kind, ``after`` seconds later."""
        self.seconds += after
        own = str(
            uuid.uuid5(uuid.NAMESPACE_URL, f"{self.session}/{self.agent}/{self.sidechain}/{len(self.lines)}")
        )
        minutes, seconds = divmod(self.seconds, 60)
        record: Record = {
            "parentUuid": self.parent, "isSidechain": self.sidechain, "userType": "external", "cwd": self.cwd,
            "sessionId": self.session, "version": self.version, "gitBranch": "main", "type": kind, **more, "uuid": own,
            "timestamp": f"2026-03-02T10:{minutes:02}:{seconds:02}.000Z",
        }  # fmt: skip
        if self.agent is not None:
            record["agentId"] = self.agent
        self.lines.append(record)
        self.parent = own
        return record

    def user(self, content: Any, **more: Any) -> Record:
        """What a person (or the client in their name) says."""
        return self.add("user", message={"role": "user", "content": content}, **more)

    def says(
        self, identifier: str, *blocks: Record, stop: str | None = "end_turn", **more: Any
    ) -> list[Record]:
        """One message of the model, a line for each block."""
        model = more.pop("model", "opus-large-4")
        lines = []
        for block in blocks:
            message = {
                "model": model, "id": identifier, "type": "message", "role": "assistant", "content": [block],
                "stop_reason": stop, "stop_sequence": None,
                "usage": {"input_tokens": 4, "cache_read_input_tokens": 9000, "output_tokens": 31},
            }  # fmt: skip
            lines.append(self.add("assistant", message=message, **more))
        return lines

    def result(
        self, call: str, content: Any, *, error: bool = False, told: Any = None, after: int = 1
    ) -> Record:
        """A result of a tool."""
        block: Record = {"tool_use_id": call, "type": "tool_result", "content": content}
        if error:
            block["is_error"] = True
        if told is None:
            told = f"Error: {content}" if error else printed(content)
        return self.add("user", message={"role": "user", "content": [block]}, toolUseResult=told, after=after)

    def runs(self, call: str, command: str, content: Any, *, message: str | None = None, **more: Any) -> None:
        """A command and its result."""
        asked: Record = {"command": command}
        if "limit" in more:
            asked["timeout"] = more.pop("limit")
        if more.pop("background", False):
            asked["run_in_background"] = True
        self.says(message or f"msg_{call}", tool(call, "Bash", **asked), stop="tool_use")
        self.result(call, content, **more)

    def data(self) -> bytes:
        """The log."""
        return b"".join(
            json.dumps(one, ensure_ascii=False, separators=(",", ":")).encode() + b"\n" for one in self.lines
        )


def printed(stdout: Any, **more: Any) -> Record:
    """What the client keeps of a command's result."""
    return {"stdout": stdout, "stderr": "", "interrupted": False, "isImage": False, **more}


def text(words: str) -> Record:
    return {"type": "text", "text": words}


def thinking(words: str) -> Record:
    return {"type": "thinking", "thinking": words, "signature": "c2ln"}


def tool(call: str, name: str, **arguments: Any) -> Record:
    return {"type": "tool_use", "id": call, "name": name, "input": arguments}


# --- scenes ------------------------------------------------------------------------------------------------


def split_message() -> Log:
    """One message over five lines, results between its calls."""
    log = Log()
    log.user("is the queue drained? and what does the worker say")
    log.says("msg_a", thinking("Two looks."), text("I look at both."), stop=None)
    log.says("msg_a", tool("toolu_1", "Bash", command="redis-cli -h queue1 llen jobs"), stop=None)
    log.result("toolu_1", "0")
    log.says(
        "msg_a", tool("toolu_2", "Bash", command="ssh worker1 systemctl is-active worker"), stop="tool_use"
    )
    log.result("toolu_2", "Exit code 3\ninactive", error=True)
    log.says("msg_b", text("The queue is empty, but the worker is not running."))
    return log


def cut_off() -> Log:
    """Time-outs in the wordings of the client, with what the command had printed."""
    log = Log(version="1.0.108")
    log.user("restart the proxy and build the image")
    log.runs(
        "toolu_1",
        "ssh edge1 'systemctl restart haproxy'",
        "Command timed out after 15s",
        limit=15000,
        error=True,
    )
    log.runs(
        "toolu_2",
        "docker build .",
        "Command timed out after 2m 0.0s #5 [2/9] RUN apt-get",
        error=True,
        after=121,
    )
    partial = "Exit code 143\nCommand timed out after 1m 0.0s\nstep 1 of 3"
    log.runs("toolu_3", "./load.sh", partial, limit=60000, error=True, after=61)
    log.runs("toolu_4", "grep -c 'timed out' /var/log/app.log", "Command timed out after 2m 0.0s", limit=5000)
    return log


def fillers() -> Log:
    """Texts in the place of an answer: the client's own, which say nothing."""
    log = Log()
    log.user("go on")
    log.runs(
        "toolu_1",
        "ssh db1 'systemctl restart postgresql'",
        "Command timed out after 2m 0.0s",
        error=True,
        after=121,
    )
    log.says("msg_1", text("No response requested."), model="<synthetic>", stop="stop_sequence")
    log.user("hello?")
    log.says("msg_2", text("API Error: 529 {\"type\":\"overloaded_error\"}"), model="<synthetic>", stop="stop_sequence",
             isApiErrorMessage=True, error="overloaded")  # fmt: skip
    return log


def stopped() -> Log:
    """A refusal, a stop while a tool ran, a stop while the model wrote, and a command that was aborted."""
    log = Log()
    log.user("deploy it")
    refused = "The user doesn't want to proceed with this tool use. The tool use was rejected."
    log.runs("toolu_1", "make deploy", refused, error=True, told="User rejected tool use")
    log.user([text("[Request interrupted by user for tool use]")])
    log.user("no, only the staging one")
    log.runs("toolu_2", "make deploy ENV=staging", "<error>Command was aborted before completion</error>",
             told=printed("", interrupted=True))  # fmt: skip
    log.user([text("[Request interrupted by user]")])
    return log


def background() -> Log:
    """A command in the background, asked for, finished; another that was killed."""
    log = Log()
    log.user("load the dump")
    started = "Command running in background with ID: b31f1b9. Output is being written to: /tmp/tasks/b31f1b9.output"
    log.runs("toolu_1", "pg_restore -d shop shop.dump", started, background=True,
             told=printed("", backgroundTaskId="b31f1b9"))  # fmt: skip
    log.says("msg_p1", tool("toolu_2", "BashOutput", bash_id="b31f1b9"), stop="tool_use")
    log.result(
        "toolu_2",
        "<status>running</status>\n<stdout>table orders</stdout>",
        told={"status": "running"},
        after=60,
    )
    log.says(
        "msg_p2", tool("toolu_3", "TaskOutput", task_id="b31f1b9", block=True, timeout=30000), stop="tool_use"
    )
    log.result("toolu_3", "<retrieval_status>success</retrieval_status>\n<task_id>b31f1b9</task_id>\n"
               "<status>completed</status>\n<exit_code>0</exit_code>\n<output>done</output>",
               told={"retrieval_status": "success", "task": {"status": "completed", "exitCode": 0}})  # fmt: skip
    log.runs("toolu_4", "npm run dev", "Command running in background with ID: bash_2", background=True,
             told=printed("", backgroundTaskId="bash_2"))  # fmt: skip
    log.says("msg_p3", tool("toolu_5", "KillShell", shell_id="bash_2"), stop="tool_use")
    log.result("toolu_5", '{"message":"Successfully killed shell: bash_2"}', told={"shell_id": "bash_2"})
    log.says("msg_z", text("The dump is loaded."))
    return log


def notice(
    task: str, call: str | None, status: str | None, summary: str, *, after: str = "", **more: str
) -> str:
    """What the client says by itself of a task in the background (words of public transcripts)."""
    tags = {"task-id": task, "tool-use-id": call, "output-file": f"/tmp/tasks/{task}.output", "status": status,
            "summary": summary, **more}  # fmt: skip
    inner = "\n".join(f"<{tag}>{value}</{tag}>" for tag, value in tags.items() if value is not None)
    return f"<task-notification>\n{inner}\n</task-notification>{after}"


def notified() -> Log:
    """Commands and an agent in the background whose end the client tells: well, failed, killed, news, of no known task."""
    log = Log()
    log.user("restart search on search1 and rebuild the index")
    restart = 'Background command "restart"'
    for number, command in (
        (1, "ssh root@search1 'systemctl restart opensearch'"),
        (2, "make index"),
        (3, "npm run dev"),
    ):
        started = f"Command running in background with ID: b{number}. Output is being written to: /tmp/tasks/b{number}.output"
        log.runs(
            f"toolu_{number}",
            command,
            started,
            background=True,
            told=printed("", backgroundTaskId=f"b{number}"),
        )
    log.says(
        "msg_4",
        tool("toolu_4", "Task", description="look", prompt="look at the logs", subagent_type="general"),
        stop="tool_use",
    )
    log.result("toolu_4", "Async agent launched successfully.\nagentId: a7c1d2e",
               told={"isAsync": True, "status": "async_launched", "agentId": "a7c1d2e"})  # fmt: skip
    log.says("msg_5", text("They run; I will be told."))
    log.user(notice("b1", "toolu_1", None, "", event="3 of 5 nodes up"))
    log.user(notice("b1", "toolu_1", "completed", f"{restart} completed (exit code 0)",
                    after="\nRead the output file to retrieve the result: /tmp/tasks/b1.output"))  # fmt: skip
    log.says("msg_6", text("Search is restarted."))
    log.user(notice("b2", None, "failed", 'Background command "index" failed with exit code 2'))
    queued = notice("b3", "toolu_3", "killed", 'Background command "dev" was stopped')
    log.add(
        "attachment",
        attachment={"type": "queued_command", "prompt": queued, "commandMode": "task-notification"},
    )
    log.user(
        [
            text(
                notice(
                    "a7c1d2e", "toolu_4", "completed", "Agent finished", result="Nothing strange in the logs."
                )
            )
        ]
    )
    log.user(
        notice("b9", "toolu_9", "completed", "Background command of another session completed (exit code 0)")
    )
    log.says("msg_7", text("The index failed with exit code 2; I look into it."))
    return log


def compaction() -> Log:
    """A boundary, the summary in the person's name, and what goes on after it."""
    log = Log()
    log.user("tidy the configuration")
    log.says("msg_1", text("I begin with the proxy."))
    log.parent = None
    log.add("system", subtype="compact_boundary", content="Conversation compacted", isMeta=False, level="info",
            compactMetadata={"trigger": "auto", "preTokens": 155000})  # fmt: skip
    log.user("This session is being continued from a previous conversation that ran out of context.",
             isCompactSummary=True, isVisibleInTranscriptOnly=True)  # fmt: skip
    log.says("msg_2", text("Next is the cache."))
    return log


def client_notes() -> Log:
    """What the client writes in the person's name, next to what the person wrote."""
    log = Log()
    log.add("system", subtype="init", session_id=log.session)
    log.user("<local-command-caveat>Caveat: local commands follow</local-command-caveat>", isMeta=True)
    log.user(
        "<command-name>/model</command-name>\n<command-message>model</command-message>\n<command-args></command-args>"
    )
    log.user("<local-command-stdout>Set model to large</local-command-stdout>")
    log.user("<command-message>review is running…</command-message>\n<command-name>/review</command-name>")
    log.user([text("Base directory for this skill: /home/op/.skills/review")], isMeta=True)
    log.says("msg_1", text("I review the branch."))
    log.user([text("<system-reminder>The file changed.</system-reminder>"), text("and the tests?"),
              {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0K"}}])  # fmt: skip
    log.user("<task-notification>\n<task-id>b1</task-id>\n<status>completed</status>\n</task-notification>")
    log.add(
        "attachment",
        attachment={"type": "queued_command", "prompt": "also the docs", "commandMode": "prompt"},
    )
    return log


def subagent() -> tuple[Log, Log]:
    """A task, with the file of the subagent that did it."""
    log, agent = Log(), Log()
    agent.agent, agent.sidechain = "a1b2c3d", True
    prompt = "Restart the search service on search1 and tell me what it says."
    log.user("have somebody restart search")
    log.says(
        "msg_1",
        tool("toolu_task", "Task", description="restart", prompt=prompt, subagent_type="general"),
        stop="tool_use",
    )
    agent.user(prompt)
    agent.runs(
        "toolu_in",
        "ssh search1 'systemctl restart elasticsearch'",
        "Command timed out after 2m 0.0s",
        error=True,
    )
    agent.says("msg_in", text("The restart hit the limit of two minutes; I could not confirm it."))
    words = [text("The restart hit the limit of two minutes; I could not confirm it."),
             text("agentId: a1b2c3d (for resuming to continue this agent's work if needed)")]  # fmt: skip
    log.result(
        "toolu_task",
        words,
        told={"status": "completed", "prompt": prompt, "agentId": "a1b2c3d", "content": words},
    )
    log.says("msg_2", text("It could not be confirmed."))
    return log, agent


def old_sidechain() -> Log:
    """A subagent in the same file, as clients before 2.0 wrote it: no id, only its prompt tells whose it is."""
    log = Log(version="1.0.60")
    log.user("look at both services")
    for call, prompt in (("toolu_a", "Look at api."), ("toolu_b", "Look at web.")):
        log.says(
            f"msg_{call}",
            tool(call, "Task", description="look", prompt=prompt, subagent_type="general"),
            stop="tool_use",
        )
        main = log.parent
        log.parent, log.sidechain = None, True
        log.user(prompt)
        log.says(f"msg_in_{call}", text(f"Done: {prompt}"))
        log.parent, log.sidechain = main, False
        log.result(call, f"Done: {prompt}", told={"content": [text(f"Done: {prompt}")]})
    return log


def stream_json() -> list[Record]:
    """What ``claude -p --output-format stream-json --verbose`` prints."""
    session = "5e55a000-0000-4000-8000-00000000000f"

    def line(kind: str, **more: Any) -> Record:
        return {
            "type": kind,
            **more,
            "session_id": session,
            "uuid": str(uuid.uuid5(uuid.NAMESPACE_URL, repr(more))),
        }

    def says(identifier: str, block: Record, parent: str | None = None) -> Record:
        message = {"id": identifier, "type": "message", "role": "assistant", "model": "opus-large-4", "content": [block],
                   "stop_reason": None, "usage": {"input_tokens": 3, "output_tokens": 1}}  # fmt: skip
        return line("assistant", message=message, parent_tool_use_id=parent)

    def result(call: str, content: Any, parent: str | None = None) -> Record:
        block = {"type": "tool_result", "tool_use_id": call, "content": content}
        return line("user", message={"role": "user", "content": [block]}, parent_tool_use_id=parent)

    return [
        line(
            "system", subtype="init", cwd="/home/op/shop", model="opus-large-4", claude_code_version="2.1.31"
        ),
        says("msg_1", text("I ask a helper.")),
        says("msg_1", tool("toolu_t", "Task", prompt="count the pods", subagent_type="general")),
        says("msg_c", tool("toolu_c", "Bash", command="kubectl get pods"), "toolu_t"),
        result("toolu_c", "web-1 Running", "toolu_t"),
        result("toolu_t", [text("One pod.")]),
        says("msg_2", text("One pod runs.")),
        line(
            "result", subtype="success", is_error=False, result="One pod runs.", duration_ms=900, num_turns=3
        ),
    ]


def lines_of(records: list[Record]) -> bytes:
    return b"".join(
        json.dumps(one, ensure_ascii=False, separators=(",", ":")).encode() + b"\n" for one in records
    )


SCENES: dict[str, Callable[[], Log]] = {
    "split_message": split_message, "cut_off": cut_off, "fillers": fillers, "stopped": stopped, "background": background,
    "notified": notified,
    "compaction": compaction, "client_notes": client_notes, "old_sidechain": old_sidechain,
}  # fmt: skip


def files() -> dict[str, bytes]:
    """Every fixture that this makes, by its name within ``fixtures/claude_code``."""
    log, agent = subagent()
    made = {f"{name}.jsonl": scene().data() for name, scene in SCENES.items()}
    made["stream_json.jsonl"] = lines_of(stream_json())
    made[f"project/{log.session}.jsonl"] = log.data()
    made[f"project/{log.session}/subagents/agent-{agent.agent}.jsonl"] = agent.data()
    return made


if __name__ == "__main__":
    for name, data in files().items():
        (FOLDER / name).parent.mkdir(parents=True, exist_ok=True)
        (FOLDER / name).write_bytes(data)
