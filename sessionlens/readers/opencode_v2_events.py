"""opencode's events ``session.next.*``, put together to the messages they tell of.

The bus sends them as ``{type, properties}``, ``/api`` as ``{type, durable, data}``, a table and ``/api/session/…/history``
keep those that last; the last part of a stored type may be a version (``….step.ended.2``). Texts come as started, deltas,
ended. The types are those published with client 1.18.34 (opencode-formats §9); others are told by their names.
"""

from __future__ import annotations

from typing import Any

import msgspec

from sessionlens.cache import lazy
from sessionlens.model import Gap, Origin
from sessionlens.readers.jsonl import integer, moment, string, within
from sessionlens.readers.opencode import Raw
from sessionlens.readers.opencode_v2 import Record

PREFIX = "session.next."
_VERSION = lazy(r"\.\d{1,3}\Z")
_SILENT = frozenset({"moved", "compaction.delta", "compaction.started", "prompt.admitted"})
"""Events that tell nothing which others do not tell as well, or which are looked at apart."""


class Fold:
    """The messages of one session while its events come in."""

    def __init__(self) -> None:
        """Nothing has come yet."""
        self.gaps: list[Gap] = []
        self.reverted_from: str | None = None
        self.removed_from: str | None = None
        self._messages: dict[str, tuple[dict[str, Any], Origin]] = {}
        self._waiting: dict[str, tuple[Any, int | None, Origin]] = {}
        self._texts: dict[tuple[str, str, str], dict[str, Any]] = {}
        self._tools: dict[tuple[str, str], dict[str, Any]] = {}
        self._shells: dict[str, dict[str, Any]] = {}

    def __bool__(self) -> bool:
        return bool(self._messages or self._waiting)

    def records(self) -> list[Record]:
        """The messages, in the order in which they began."""
        for key, (_, _, origin) in self._waiting.items():
            reason = f"a message of the person waits to be taken up and was not, up to the end of the log ({key[:60]})"
            self.gaps.append(Gap(reason=reason, origin=origin))
            self._prompt(key, *self._waiting[key])
        self._waiting.clear()
        return [
            Record(
                kind=message["type"],
                raw=Raw(data=msgspec.json.encode(message), id=key, origin=origin),
            )
            for key, (message, origin) in self._messages.items()
        ]

    def take(self, kind: str, data: Any, origin: Origin) -> bool:
        """Take one event, its type without ``session.next.``; ``False`` when the type is not known."""
        kind = _VERSION.sub("", kind)
        stamp = within(data, "timestamp")
        time = integer(stamp) if not isinstance(stamp, str) else moment(stamp)
        family, _, step = kind.rpartition(".")
        if kind == "prompt.admitted":
            self._waiting[str(within(data, "messageID"))] = (within(data, "prompt"), time, origin)
        elif kind == "prompted":
            key = str(within(data, "messageID"))
            self._waiting.pop(key, None)
            self._prompt(key, within(data, "prompt"), time, origin)
        elif kind in ("synthetic", "context.updated"):
            made = "synthetic" if kind == "synthetic" else "system"
            self._new(within(data, "messageID"), made, time, origin, text=within(data, "text"))
        elif kind in ("agent.switched", "model.switched"):
            self._new(within(data, "messageID"), f"{family}-switched", time, origin)
        elif family == "shell":
            self._shell(step, data, time, origin)
        elif family == "step":
            self._step(step, data, time, origin)
        elif family in ("text", "reasoning"):
            self._text(family, step, data, time, origin)
        elif kind.startswith("tool."):
            return self._tool(kind.removeprefix("tool."), data, time, origin)
        elif kind == "compaction.ended":
            more = {
                "reason": within(data, "reason"),
                "summary": within(data, "text"),
                "recent": within(data, "recent"),
            }
            self._new(within(data, "messageID"), "compaction", time, origin, **more)
        elif kind == "retried":
            why = str(within(data, "error", "message") or "")[:200]
            attempt = integer(within(data, "attempt"))
            reason = f"the request failed and the client tried again (attempt {attempt}): {why}".rstrip(": ")
            self.gaps.append(Gap(reason=reason, origin=origin))
        elif family == "revert":
            self._revert(step, data, origin)
        else:
            return kind in _SILENT
        return True

    def _new(self, key: Any, kind: str, time: int | None, origin: Origin, **more: Any) -> dict[str, Any]:
        identifier = string(key) or f"event-{len(self._messages) + 1}"
        message = {"type": kind, "id": identifier, "time": {"created": time}, **more}
        self._messages.setdefault(identifier, (message, origin))
        return self._messages[identifier][0]

    def _prompt(self, key: str, prompt: Any, time: int | None, origin: Origin) -> None:
        more = {name: within(prompt, name) for name in ("files", "agents")}
        self._new(key, "user", time, origin, text=within(prompt, "text"), **more)

    def _assistant(self, data: Any, time: int | None, origin: Origin) -> dict[str, Any]:
        """The message that an event is of; where the log begins after its start it begins here."""
        message = self._new(within(data, "assistantMessageID"), "assistant", time, origin)
        message.setdefault("content", [])
        return message

    def _step(self, step: str, data: Any, time: int | None, origin: Origin) -> None:
        message = self._assistant(data, time, origin)
        if step == "started":
            message.update(agent=within(data, "agent"), model=within(data, "model"))
            return
        message["time"]["completed"] = time
        if step == "ended":
            message.update({key: within(data, key) for key in ("finish", "tokens")})
            message["snapshot"] = {"files": within(data, "files")}
        elif step == "failed":
            message.update(finish="error", error=within(data, "error"))

    def _text(self, family: str, step: str, data: Any, time: int | None, origin: Origin) -> None:
        message = self._assistant(data, time, origin)
        key = str(within(data, f"{family}ID"))
        part = self._texts.get((message["id"], family, key))
        if part is None:
            part = self._texts[message["id"], family, key] = {"type": family, "id": key, "text": ""}
            message["content"].append(part)
        if step == "delta":
            part["text"] += str(within(data, "delta") or "")
        elif step == "ended" and isinstance(within(data, "text"), str):
            part["text"] = within(data, "text")

    def _tool(self, step: str, data: Any, time: int | None, origin: Origin) -> bool:
        message = self._assistant(data, time, origin)
        key = str(within(data, "callID"))
        part = self._tools.get((message["id"], key))
        if part is None:
            state: dict[str, Any] = {"status": "pending", "input": "", "content": [], "structured": {}}
            part = {
                "type": "tool",
                "id": key,
                "name": within(data, "name"),
                "state": state,
                "time": {"created": time},
            }
            self._tools[message["id"], key] = part
            message["content"].append(part)
        state = part["state"]
        part["name"] = within(data, "tool") or within(data, "name") or part["name"]
        if step == "input.delta":
            state["input"] += str(within(data, "delta") or "") if isinstance(state["input"], str) else ""
        elif step == "input.ended":
            state["input"] = within(data, "text")
        elif step == "called":
            state.update(status="running", input=within(data, "input"))
            part["time"]["ran"] = time
        elif step in ("progress", "success", "failed"):
            for name in ("structured", "content", "outputPaths", "error", "attachments"):
                if within(data, name) is not None:
                    state[name] = within(data, name)
            if step != "progress":
                state["status"] = "completed" if step == "success" else "error"
                part["time"]["completed"] = time
        else:
            return step == "input.started"
        return True

    def _shell(self, step: str, data: Any, time: int | None, origin: Origin) -> None:
        key = str(within(data, "callID"))
        if step == "started":
            command = within(data, "command")
            self._shells[key] = self._new(
                within(data, "messageID"), "shell", time, origin, callID=key, command=command
            )
        elif key in self._shells:
            self._shells[key]["time"]["completed"] = time
            self._shells[key]["output"] = within(data, "output")

    def _revert(self, step: str, data: Any, origin: Origin) -> None:
        if step == "staged":
            self.reverted_from = string(within(data, "revert", "messageID"))
        elif step == "cleared":
            self.reverted_from = None
        elif step == "committed":
            # The client now deletes what was undone; what these events tell of it stays, marked.
            self.reverted_from = string(within(data, "messageID")) or self.reverted_from
