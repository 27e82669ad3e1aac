"""One long session judged with a copy of the process beside it, and without."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sessionlens import language, readers
from sessionlens.cli.aside import Aside
from sessionlens.graph.build import proses

MESSAGES = 1_200


def written(folder: Path) -> Path:
    """A session of many messages, among them an operation that nobody was told of."""
    rows = []
    for number in range(MESSAGES):
        role = "user" if number % 40 == 0 else "assistant"
        call = ""
        if number == 601:
            call = (
                '<tool_call name="bash" id="c1"><input>{"command": "ssh web1 systemctl restart billing"}</input>'
                '<output status="error">timed out after 30 s</output></tool_call>'
            )
        text = f"Message {number}: the service billing is running, I have checked {number % 7} of its parts."
        rows.append(f'<msg id="m{number}" role="{role}"><text>{text}</text>{call}</msg>')
    log = folder / "long.xml"
    log.write_text(f"<conversation_data>{''.join(rows)}</conversation_data>", "utf-8")
    return log


def page(log: Path, name: str, cores: set[int]) -> bytes:
    """The page of a process that may use so many cores."""
    out = log.with_name(name)
    subprocess.run(
        [sys.executable, "-m", "sessionlens", "audit", "-q", log, "-o", out],
        check=True,
        preexec_fn=lambda: os.sched_setaffinity(0, cores),
    )
    return out.read_bytes()


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="cores cannot be chosen here")
def test_the_page_is_the_same_with_one_core_and_with_several(tmp_path: Path) -> None:
    log, cores = written(tmp_path), os.sched_getaffinity(0)
    alone = page(log, "alone.html", {min(cores)})
    assert page(log, "beside.html", cores) == alone
    assert b"unacknowledged-long-running-restart" in alone
    assert sorted(one.name for one in tmp_path.iterdir()) == ["alone.html", "beside.html", "long.xml"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no copies of a process here")
def test_what_is_read_aside_is_what_would_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sessionlens.cli.aside.possible", lambda: True)
    (session,) = readers.scan(str(written(tmp_path))).sessions
    texts = [*(text for text, _ in list(proses(session))[:200]), "Of another log: it is done."]
    texts += ["1 2 3 4 5", "The day is long."]
    with Aside(session, tmp_path, page=False, redacted=False) as aside:
        assert aside._copy is not None
        for text in texts:
            assert aside.may_act(text, "assistant") == language.may_act(text), text
            assert aside.read(text, "assistant") == language.read(text, "assistant"), text
