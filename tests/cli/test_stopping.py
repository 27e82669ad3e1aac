"""Stopped from the keyboard: what was finished is written, what is missing is said, nothing is left behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from sessionlens.cli import codes

SLOW = """
        from pathlib import Path
        from time import sleep

        title = graph.session.title or ""
        if title.startswith("slow"):
            Path(title).touch()
            sleep(50)
"""


UNHEARD = pytest.mark.skipif(
    not hasattr(os, "killpg") or signal.getsignal(signal.SIGINT) is signal.SIG_IGN,
    reason="no process groups here, or processes begun here do not hear Ctrl-C",
)


def log(name: str) -> str:
    """A session of one message, titled like its file."""
    Path(f"{name}.xml").write_text(
        f'<conversation_data format="sessionlens/1" title="{name}">\n'
        '<msg id="1" role="user"><text>hello</text></msg>\n</conversation_data>\n',
        "utf-8",
    )
    return f"{name}.xml"


def stop(*options: str, until: str) -> tuple[int, str]:
    """Run ``audit`` as a shell would, press Ctrl-C once a file is there, and return its code and what it said."""
    command = [sys.executable, "-m", "sessionlens", "audit", *options]
    Path("tmp").mkdir()
    with subprocess.Popen(
        command,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "TMPDIR": str(Path("tmp").resolve())},
    ) as running:
        kill = threading.Timer(120, running.kill)
        kill.start()
        while not Path(until).exists() and running.poll() is None:
            time.sleep(0.05)
        assert running.poll() is None, running.communicate()[1]
        # An answer is on its way for a moment after its process has begun the next one.
        time.sleep(0.5)
        os.killpg(running.pid, signal.SIGINT)
        error = running.communicate()[1]
        kill.cancel()
    return running.returncode, error


@pytest.fixture
def rules(run) -> str:
    """A rule that takes long over a session whose title says so, and shows that it has begun."""
    run("rules", "new", "short-limit", "--dir", "mine")
    file = Path("mine/short_limit.py")
    head, _, tail = file.read_text("utf-8").partition("\n        for called in graph.span()")
    assert tail
    file.write_text(f"{head}{SLOW}        for called in graph.span(){tail}", "utf-8")
    return "mine"


@UNHEARD
def test_several_processes(rules: str):
    sources = [log("slow-1"), log("quick"), log("slow-2")]
    code, error = stop(
        *sources, "--rules", rules, "--jobs", "2", "-o", "out/", "-o", "all.json", until="slow-2"
    )
    assert code == codes.STOPPED
    assert error.splitlines()[-1] == (
        "error: stopped: what was finished is written; missing 2 of 3 sources: slow-1.xml, slow-2.xml"
    )
    assert "Traceback" not in error
    assert {path.name for path in Path("out").iterdir()} == {"quick.audit.html", "index.html"}
    assert Path("out/quick.audit.html").read_text("utf-8").endswith("</html>")
    everything = json.loads(Path("all.json").read_bytes())
    assert len(everything["audits"]) == 1
    assert [one["source"] for one in everything["not_read"]] == ["slow-1.xml", "slow-2.xml"]
    assert not list(Path("tmp").iterdir())


@UNHEARD
def test_one_process_with_nothing_finished_keeps_what_was_there(rules: str):
    Path("all.json").write_text("earlier", "utf-8")
    code, error = stop(log("slow-1"), log("quick"), "--rules", rules, "-o", "all.json", until="slow-1")
    assert code == codes.STOPPED
    assert error.splitlines() == ["error: stopped: nothing was judged and nothing was written"]
    assert Path("all.json").read_text("utf-8") == "earlier"


@UNHEARD
def test_of_a_source_with_several_sessions_the_finished_ones_are_written(rules: str):
    Path("logs").mkdir()
    for number, name in enumerate(("quick", "slow-1")):
        Path(log(name)).rename(f"logs/{number}.xml")
    code, error = stop("logs", "--rules", rules, "-o", "out/", until="slow-1")
    assert code == codes.STOPPED
    assert error.splitlines()[-1].endswith("missing 1 of 1 source: logs in part")
    assert len(list(Path("out").glob("*.audit.html"))) == 1


def test_stopped_beats_every_other_code():
    others = (codes.USAGE, codes.UNREAD, codes.CRASHED, codes.FOUND)
    assert codes.combined((*others, codes.STOPPED)) == codes.STOPPED
