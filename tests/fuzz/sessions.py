"""Small sessions made from bytes: every choice is one byte, every free text a piece of them."""

from __future__ import annotations

import json
from collections.abc import Iterator

from sessionlens.model import (
    Call,
    Changed,
    Compaction,
    File,
    Gap,
    Message,
    Origin,
    Part,
    Reasoning,
    Repair,
    Role,
    Session,
    Status,
    Subtask,
    Text,
    TextPart,
    Trouble,
    Unread,
)

COMMANDS = (
    "ssh root@db1.example.com 'systemctl restart billing'", "systemctl status billing --no-pager", "sleep 5",
    "kubectl -n prod set image deploy/api api=api:2", "kubectl rollout status deploy/api", "ls -la",
    "cat > /etc/haproxy/haproxy.cfg <<'EOF'\nmode http\nEOF", "haproxy -c -f /etc/haproxy/haproxy.cfg",
    "nohup ./server --port 8000 > log 2>&1 &", "curl -fsS localhost:8000/health", "rm -rf build", "git push origin main",
    "psql -h db1 -c 'DELETE FROM jobs'", "docker compose up -d web", "docker logs web", "pytest -q", "make deploy",
    "timeout 20 ./bin/restart.sh; echo $?", "sed -i 's/a/b/' /etc/nginx/nginx.conf && nginx -t && systemctl reload nginx",
    "tail -n 5 /var/log/syslog", "export TOKEN=abc; env", "git commit -am wip", "terraform apply -auto-approve",
)  # fmt: skip
OUTPUTS = (
    "", "active (running)", "Error: connection refused", "3 passed in 0.1s", "1 failed, 2 passed",
    "bash tool terminated command after exceeding timeout 15000 ms.", "deployment \"api\" successfully rolled out",
    "HTTP/1.1 200 OK", "Permission denied (publickey).", "124", "activating (start)", "OK", "DELETE 12",
)  # fmt: skip
PROSE = (
    "", "Done, the service is back up.", "The restart timed out; I will check its state.", "continue", "weiter",
    "Deploy the api to production.", "Do not touch the database.", "Everything works now ✅", "重启超时，我会检查。",
    "Is it running?", "I did not verify the change.", "All tests pass.", "You must not push. Yes, go ahead.",
    "# Heading\n\n* a `list`\n\n```sh\nrm -rf /\n```", "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "[link](javascript:alert(1)) ![x](http://example.com/x.png)", "]]></text></msg><msg id='9'>", "=cmd|' /C calc'!A0",
)  # fmt: skip
TOOLS = ("bash", "edit", "write", "read", "task", "shell", "grep", "webfetch", "exec_command", "write_stdin")
ROLES: tuple[Role, ...] = ("user", "assistant", "system", "unknown")
STATES: tuple[Status, ...] = ("pending", "running", "completed", "error")
FINISHES = (None, "stop", "tool-calls", "length", "unknown")
FORMATS = ("opencode-export", "transcript-xml", "claude-code", "codex", "chat", "opencode-run", "swe-agent")
LIMITS = (None, 15_000, 120_000, 0, -1, 2**40)


class Bytes:
    """Choices out of bytes; zero when they are used up."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    @property
    def left(self) -> int:
        return len(self._data) - self._at

    def byte(self) -> int:
        self._at += 1
        return self._data[self._at - 1] if self._at <= len(self._data) else 0

    def one(self, of: tuple[object, ...]) -> object:
        return of[self.byte() % len(of)]

    def free(self) -> str:
        """A text of its own: the bytes up to the next zero."""
        end = self._data.find(0, self._at)
        end = len(self._data) if end < 0 else end
        piece, self._at = self._data[self._at : end], end + 1
        return piece.decode("utf-8", "surrogateescape" if len(piece) % 2 else "replace")

    def text(self, pool: tuple[str, ...]) -> str:
        """One of the pool, a free one, or a free one behind one of the pool."""
        choice = self.byte()
        if choice < 192:
            return pool[choice % len(pool)]
        return self.free() if choice < 240 else f"{pool[choice % len(pool)]} {self.free()}"

    def time(self, now: int) -> int | None:
        choice = self.byte()
        if choice < 8:
            return (None, 0, -1, 2**53, 253_402_300_800_000, -62_135_596_800_001, 1, now - 10**9)[choice]
        return now + choice * 500


def session(data: bytes, *, depth: int = 0) -> Session:
    """The session that the bytes make: at most 40 messages, children two deep."""
    source = Bytes(data)
    return _session(source, "ses_fuzz", depth)


def _session(source: Bytes, name: str, depth: int) -> Session:
    now = 1_700_000_000_000
    messages: list[Message] = []
    children: list[Session] = []
    style = source.byte()
    while source.left > 0 and len(messages) < (40 if depth == 0 else 8):
        kind = source.byte()
        role = ROLES[1] if kind % 8 > 3 else ROLES[kind % 8]
        parts = tuple(_parts(source, now, name, len(messages), children, depth))
        now += source.byte() * 1_000
        messages.append(
            Message(
                id=None if kind > 250 else f"msg_{len(messages) if kind < 240 else 0}",
                index=len(messages),
                role=role,
                parts=parts,
                time=source.time(now) if kind & 64 else now,
                ended=source.time(now) if kind & 32 else None,
                model="m" if role == "assistant" else None,
                agent="build" if kind & 16 else None,
                finish=source.one(FINISHES),  # type: ignore[arg-type]
                tokens_in=10 if kind & 1 else None,
                tokens_out=source.byte() if kind & 2 else None,
                error=Trouble(name="MessageAbortedError", text="x") if kind in (77, 78, 79) else None,
                summary=kind in (90, 91) and role == "assistant",
                reverted=kind in (93, 94),
                origin=Origin(line=len(messages) + 2),
            )
        )
    return Session(
        id=name,
        source_format=FORMATS[style % len(FORMATS)],
        title=source.text(PROSE) if style & 8 else "t",
        client="opencode",
        client_version="1.18.33",
        directory="/home/dev/project" if style & 16 else None,
        messages=tuple(messages),
        children=tuple(children),
        gaps=(Gap(reason="half a line", origin=Origin(line=1)),) if style & 32 else (),
        repairs=(Repair(kind="raw &"),) if style & 64 else (),
        truncated=bool(style & 128),
    )


def _parts(  # noqa: PLR0917
    source: Bytes, now: int, name: str, index: int, children: list[Session], depth: int
) -> Iterator[Part]:
    for number in range(source.byte() % 4):
        kind = source.byte()
        if kind < 110:
            yield _call(source, kind, now, f"{name}_c{index}_{number}", children, depth)
        elif kind < 200:
            yield TextPart(text=Text(source.text(PROSE)), synthetic=kind > 190, origin=Origin(line=index + 2))
        elif kind < 215:
            yield Reasoning(text=Text(source.text(PROSE)))
        elif kind < 225:
            yield File(name=source.text(PROSE), mime="text/plain")
        elif kind < 235:
            yield Changed(files=("a.py", source.text(COMMANDS)))
        elif kind < 240:
            yield Compaction(auto=bool(kind % 2))
        elif kind < 248:
            yield Subtask(agent="general", prompt=Text(source.text(PROSE)))
        else:
            yield Unread(reason="a picture")


def _call(  # noqa: PLR0917
    source: Bytes, kind: int, now: int, number: str, children: list[Session], depth: int
) -> Call:
    name = TOOLS[0] if kind % 4 else TOOLS[kind // 4 % len(TOOLS)]
    flags = source.byte()
    if name in ("edit", "write", "read"):
        arguments = {"filePath": source.text(("/etc/hosts", "/home/dev/project/a.py", ".env")), "oldString": "a",
                     "newString": source.text(PROSE), "content": source.text(PROSE)}  # fmt: skip
    else:
        arguments = {"command": source.text(COMMANDS)}
    child = None
    if name == "task" and depth < 2 and len(children) < 3:
        child = f"{number}_child"
        inner = Bytes(source.free().encode("utf-8", "surrogateescape" if flags % 2 else "replace"))
        children.append(_session(inner, child, depth + 1))
    ends = flags % 8
    return Call(
        id=None if flags > 250 else number,
        name=name,
        input=Text(json.dumps(arguments) if flags < 245 else source.free()),
        status=STATES[2 if flags & 16 else ends % 4],
        start=now,
        end=source.time(now) if flags & 32 else now + 500,
        limit_ms=LIMITS[kind % len(LIMITS)],
        timed_out=ends == 5,
        interrupted=ends == 6,
        exit=(None, 0, 1, 124, 255, -9)[source.byte() % 6],
        background=ends == 7,
        continues=f"ses_fuzz_c{source.byte()}_0" if flags & 64 else None,
        child=child,
        output=None if ends == 1 else Text(source.text(OUTPUTS)),
        truncated=flags in (33, 34),
        spilled=source.text(PROSE) if flags in (35, 36) else None,
        error=Text(source.text(OUTPUTS)) if ends == 3 else None,
        origin=Origin(line=3),
    )
