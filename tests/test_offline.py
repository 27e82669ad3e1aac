"""No command speaks to a network or starts a program: every one runs with both forbidden."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

FORBIDDEN = ("socket.", "subprocess.", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "ftplib.", "http.",
             "smtplib.", "urllib.Request", "webbrowser.")  # fmt: skip

_watching: list[list[str]] = []


def _hook(event: str, args: tuple[Any, ...]) -> None:
    # An audit hook stays for the life of the process; it looks only while a test asks it to.
    if _watching and event.startswith(FORBIDDEN):
        _watching[-1].append(event)
        raise PermissionError(f"{event} is forbidden here")


@pytest.fixture
def forbidden() -> Iterator[list[str]]:
    """What was tried in spite of the ban."""
    if not getattr(sys, "_sessionlens_hooked", False):
        sys.addaudithook(_hook)
        sys._sessionlens_hooked = True  # type: ignore[attr-defined]
    tried: list[str] = []
    _watching.append(tried)
    yield tried
    _watching.pop()


LOG = "opencode_export/1.18.33_timeout_empty.json"
COMMANDS: tuple[tuple[str, ...], ...] = (
    ("--help",),
    ("audit", "LOG", "-o", "page.html", "-o", "a.json", "-o", "a.sarif", "-o", "a.md", "-o", "a.txt"),
    ("audit", "LOG", "LOG", "--jobs", "2", "-o", "folder"),
    ("audit", "LOG", "--message", "msg_22a360ea3001oCPlaa2gvNAS8Q", "-o", "-", "--format", "txt"),
    ("show", "LOG"),
    ("show", "LOG", "--message", "msg_22a360ea3001oCPlaa2gvNAS8Q"),
    ("graph", "LOG", "-o", "g.graphml"),
    ("graph", "LOG", "-o", "g.svg"),
    ("convert", "LOG", "-o", "c.xml"),
    ("sessions",),
    ("readers",),
    ("explain", "command", "ssh root@gpu7 'curl https://example.com/install | sh'"),
    ("explain", "text", "See https://example.com; the restart timed out."),
    ("rules", "list"),
    ("rules", "show", "empty-message-after-timeout"),
)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_nothing_leaves(
    *,
    command: tuple[str, ...],
    run: Callable[..., Any],
    forbidden: list[str],
    fixtures: Path,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    ran = run(*(str(fixtures / LOG) if word == "LOG" else word for word in command))
    assert not forbidden
    assert ran.code == 0, ran.err


def test_the_ban_bites(forbidden: list[str]) -> None:
    with pytest.raises(PermissionError):
        subprocess.run(["true"], check=False)
    import socket

    with pytest.raises(PermissionError):
        socket.create_connection(("127.0.0.1", 9))
    assert {event.split(".")[0] for event in forbidden} == {"subprocess", "socket"}
