"""Processes for work on many sources."""

from __future__ import annotations

import platform
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


@pytest.mark.skipif(
    "glibc" not in platform.libc_ver(), reason="what the C library keeps is known of glibc alone"
)
def test_memory_that_was_let_go_of_is_given_back() -> None:
    script = """
import os
from sessionlens.processes import give_back
def held():
    with open("/proc/self/statm") as told:
        return int(told.read().split()[1]) * os.sysconf("SC_PAGESIZE") / 1e6
kept = [bytes(1_000) for _ in range(60_000)]
last = bytes(1_000)
del kept
before = held()
give_back()
print(before - held(), last[0])
"""
    told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert float(told.stdout.split()[0]) > 40
