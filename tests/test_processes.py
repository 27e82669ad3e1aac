"""Processes for work on many sources."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

STARTS_ONE = """
import os, time
from sessionlens.processes import pool
if __name__ == "__main__":
    print(pool(1).submit(os.getpid).result(), flush=True)
    time.sleep(600)
"""


def alive(pid: int) -> bool:
    """Whether a process runs: one that has ended may stay listed until somebody asks for its exit code."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="no /proc here")
def test_processes_end_with_whoever_started_them(tmp_path: Path) -> None:
    script = tmp_path / "starts.py"
    script.write_text(STARTS_ONE, "utf-8")
    with subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        assert alive(child)
        parent.kill()
    end = time.monotonic() + 30
    while alive(child) and time.monotonic() < end:
        time.sleep(0.05)
    assert not alive(child)
