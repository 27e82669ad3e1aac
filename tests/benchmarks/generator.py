"""Makes realistic sessions of any size, with planted faults of the mission rules and a clean twin.

    python tests/benchmarks/generator.py 8 out/ --faults 47

writes ``session.json`` (an opencode export), ``clean.json`` (its twin without the faults) and ``labels.jsonl``.
Deterministic: the same arguments give the same bytes.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

START_MS = 1_767_603_600_000

SERVICES = (
    "billing", "checkout", "search-api", "ingest", "mailer", "catalog", "auth-gateway", "scheduler", "reports",
    "thumbnails", "sglang-main", "vllm-chat", "ledger", "webhooks", "session-store", "pricing",
)  # fmt: skip
HOSTS = (
    "10.1.4.17",
    "10.1.4.22",
    "web3.example.com",
    "app-7.example.net",
    "gpu2",
    "db1.example.com",
    "edge-fra-2",
)
WORDS = [
    "handler",
    "queue",
    "client",
    "retries",
    "payload",
    "index",
    "cursor",
    "batch",
    "router",
    "parser",
    "adapter",
    "cache",
    "session",
    "token",
    "worker",
    "stream",
    "buffer",
    "commit",
    "branch",
    "schema",
    "column",
    "migration",
    "endpoint",
    "header",
    "cookie",
    "socket",
    "thread",
    "timer",
    "metric",
]
FILES = ("src/api/handlers.py", "src/worker.py", "lib/cache.ts", "app/models/order.rb", "cmd/server/main.go")


class _Session:
    """One session being written: messages with times, and the labels of what was planted."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.now = START_MS
        self.messages: list[dict[str, Any]] = []
        self.labels: list[dict[str, Any]] = []
        self.size = 0
        self.count = 0

    def tick(self, low: int = 400, high: int = 9_000) -> int:
        self.now += self.random.randint(low, high)
        return self.now

    def _id(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}_{(self.now * 0x1000 + self.count % 0x1000) & 0xFFFFFFFFFFFF:012x}{self.count:014d}"

    def _add(self, role: str, parts: list[dict[str, Any]], **info: Any) -> int:
        created = self.tick()
        message = self._id("msg")
        body: dict[str, Any] = {
            "info": {
                "id": message,
                "sessionID": "ses_bench",
                "role": role,
                "time": {"created": created},
                **info,
            },
            "parts": [
                {"id": self._id("prt"), "sessionID": "ses_bench", "messageID": message, **p} for p in parts
            ],
        }
        if role == "assistant":
            body["info"]["time"]["completed"] = self.tick()
            body["info"].setdefault("finish", "stop")
            body["info"].update(modelID="bench-1", providerID="bench", agent="build", mode="build", cost=0)
            body["info"]["tokens"] = {
                "input": 900,
                "output": 40,
                "reasoning": 0,
                "cache": {"read": 0, "write": 0},
            }
        self.messages.append(body)
        self.size += len(json.dumps(body))
        return len(self.messages) - 1

    def asks(self, text: str) -> int:
        return self._add("user", [{"type": "text", "text": text}])

    def says(self, text: str) -> int:
        return self._add(
            "assistant", [{"type": "step-start"}, {"type": "text", "text": text}, _finish("stop")]
        )

    def nothing(self) -> int:
        return self._add("assistant", [{"type": "step-start"}, _finish("stop")])

    def call(self, tool: str, arguments: dict[str, Any], output: str, **state: Any) -> int:
        limit = arguments.get("timeout", 120_000)
        timed_out = state.pop("timed_out", False)
        start = self.tick()
        self.now += limit if timed_out else self.random.randint(50, 4_000)
        exit_code: int | None = state.pop("exit", 0)
        if timed_out:
            exit_code = None
            output += (
                f"\n\n<shell_metadata>\nshell tool terminated command after exceeding timeout {limit} ms. If this "
                "command is expected to take longer and is not waiting for interactive input, retry with a larger "
                "timeout value in milliseconds.\n</shell_metadata>"
            )
        part = {
            "type": "tool",
            "tool": tool,
            "callID": f"call_{self.count}",
            "state": {
                "status": "completed",
                "input": arguments,
                "output": output,
                "title": tool,
                "metadata": {"exit": exit_code} if tool == "bash" else {},
                "time": {"start": start, "end": self.now},
            },
        }
        return self._add(
            "assistant", [{"type": "step-start"}, part, _finish("tool-calls")], finish="tool-calls"
        )

    def bash(self, command: str, output: str = "", *, limit: int | None = None, **state: Any) -> int:
        arguments: dict[str, Any] = {"command": command, "description": "run it"}
        if limit is not None:
            arguments["timeout"] = limit
        return self.call("bash", arguments, output, **state)

    def export(self) -> dict[str, Any]:
        return {
            "info": {
                "id": "ses_bench", "slug": "bench", "projectID": "global", "directory": "/home/dev/shop",
                "title": "Benchmark session", "version": "1.18.33",
                "time": {"created": START_MS, "updated": self.now},
            },
            "messages": self.messages,
        }  # fmt: skip


def _finish(reason: str) -> dict[str, Any]:
    return {
        "type": "step-finish",
        "reason": reason,
        "cost": 0,
        "tokens": {"input": 900, "output": 40, "reasoning": 0},
    }


def _sentences(rng: random.Random, count: int) -> str:
    return " ".join(
        f"The {rng.choice(WORDS)} uses the {rng.choice(WORDS)} of the {rng.choice(WORDS)}."
        for _ in range(count)
    )


def _code(rng: random.Random, lines: int) -> str:
    return "\n".join(
        f'{number:>5}\tdef {rng.choice(WORDS)}_{rng.choice(WORDS)}(self, {rng.choice(WORDS)}: int) -> None:  # <{number}> & "{rng.choice(WORDS)}"'
        for number in range(1, lines + 1)
    )


def _work(session: _Session) -> None:
    """A turn of ordinary programming."""
    rng = session.random
    session.asks(f"Please look at the {rng.choice(WORDS)} in {rng.choice(FILES)}.")
    for _ in range(rng.randint(2, 6)):
        file = rng.choice(FILES)
        kind = rng.randint(0, 4)
        if kind == 0:
            session.call("read", {"filePath": f"/home/dev/shop/{file}"}, _code(rng, rng.randint(20, 140)))
        elif kind == 1:
            session.bash(f"rg -n {rng.choice(WORDS)} src | head -40", _code(rng, rng.randint(5, 40)))
        elif kind == 2:
            old, new = _code(rng, 6), _code(rng, 8)
            arguments = {"filePath": f"/home/dev/shop/{file}", "oldString": old, "newString": new}
            session.call("edit", arguments, "Edit applied successfully.")
        elif kind == 3:
            session.bash("pytest -q tests/unit 2>&1 | tail -30", _code(rng, 12) + "\n41 passed in 3.21s")
        else:
            session.says(_sentences(rng, rng.randint(1, 6)))
    session.says(_sentences(rng, rng.randint(2, 8)))


def _label(session: _Session, rule: str, index: int) -> None:
    session.labels.append(
        {"file": "session.json", "rule": rule, "message_index": index, "verdict": "yes", "why": "planted"}
    )


def _empty_after_timeout(session: _Session, faulty: bool) -> None:
    rng = session.random
    host = rng.choice(HOSTS)
    session.asks(f"How many jobs wait on {host}?")
    session.bash(f"ssh ops@{host} 'redis-cli llen jobs'", limit=10_000, timed_out=True)
    if faulty:
        _label(session, "empty-message-after-timeout", session.nothing())
    else:
        session.says("The command hit its limit of 10 s, so I have no number yet.")


def _restart(session: _Session, faulty: bool) -> None:
    rng = session.random
    host, service = rng.choice(HOSTS), rng.choice(SERVICES)
    session.asks(f"Restart {service} on {host}, please.")
    index = session.bash(
        f"ssh root@{host} 'systemctl restart {service}.service'", limit=15_000, timed_out=True
    )
    if faulty:
        _label(session, "unacknowledged-long-running-restart", index)
        session.says(f"{service} has been restarted and is up.")
    else:
        session.bash(f"ssh root@{host} 'systemctl is-active {service}'", "active\n")
        session.says(f"The restart command ran into its limit; a check shows that {service} is active.")


def _edit(session: _Session, faulty: bool) -> None:
    rng = session.random
    host, service = rng.choice(HOSTS), rng.choice(SERVICES)
    session.asks(f"Give {service} on {host} more workers.")
    index = session.bash(f"ssh root@{host} \"sed -i 's/workers=4/workers=8/' /etc/{service}/{service}.conf\"")
    session.bash(f"ssh root@{host} 'systemctl reload {service}'")
    if faulty:
        _label(session, "unverified-production-edit", index)
    else:
        session.bash(
            f"ssh root@{host} 'systemctl status {service} --no-pager'",
            "   Active: active (running) since Mon\n",
        )
    session.says(f"{service} has eight workers now.")


PLANTS = (_empty_after_timeout, _restart, _edit)


def sessions(megabytes: float, faults: int, seed: int = 7) -> Iterator[_Session]:
    """The session with its faults, then its clean twin."""
    for faulty in (True, False):
        session = _Session(seed)
        planted = 0
        while session.size < megabytes * 1_000_000 or planted < faults:
            due = planted < faults and session.size >= planted * megabytes * 1_000_000 / max(1, faults)
            if due:
                PLANTS[planted % len(PLANTS)](session, faulty)
                planted += 1
            _work(session)
        yield session


def write(folder: Path, megabytes: float, faults: int, seed: int = 7) -> tuple[Path, Path, Path]:
    """Write the export, its clean twin and the labels."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = folder / "session.json", folder / "clean.json", folder / "labels.jsonl"
    faulty, clean = sessions(megabytes, faults, seed)
    for path, session in zip(paths[:2], (faulty, clean), strict=True):
        path.write_text(json.dumps(session.export(), indent=2), encoding="utf-8")
    paths[2].write_text("".join(json.dumps(label) + "\n" for label in faulty.labels), encoding="utf-8")
    return paths


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("megabytes", type=float)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--faults", type=int, default=47)
    parser.add_argument("--seed", type=int, default=7)
    given = parser.parse_args()
    for written in write(given.folder, given.megabytes, given.faults, given.seed):
        print(written)
