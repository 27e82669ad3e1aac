"""Runs a command and tells what it took: wall and CPU seconds, peak memory."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]


class Took(NamedTuple):
    """What a process took, its own children included."""

    wall: float
    """Seconds by the clock."""
    cpu: float
    """Seconds of user and system time."""
    peak: float
    """Megabytes of the largest process."""
    code: int
    """Its exit code."""
    said: str
    """The end of what it printed."""


def run(
    command: Sequence[str | Path], *, env: Mapping[str, str] | None = None, seconds: float = 3600
) -> Took:
    """Run a command to its end, or for that long."""
    with tempfile.TemporaryFile() as said:
        began = time.perf_counter()
        process = subprocess.Popen(
            [str(word) for word in command], stdout=said, stderr=said, env=None if env is None else dict(env)
        )
        used = None
        while used is None:
            pid, status, found = os.wait4(process.pid, os.WNOHANG)
            if pid:
                used = found
            elif time.perf_counter() - began > seconds:
                process.kill()
                _, status, used = os.wait4(process.pid, 0)
            else:
                time.sleep(0.005)
        wall = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        words = said.read().decode("utf-8", "replace")
    # ru_maxrss counts kilobytes on Linux and bytes on macOS.
    unit = 1e6 if sys.platform == "darwin" else 1e3
    return Took(wall, used.ru_utime + used.ru_stime, used.ru_maxrss / unit, process.returncode, words[-2000:])


def sessionlens(*arguments: str | Path) -> Took:
    """Run the tool as it is installed: with its modules compiled, which an editable tree may not have."""
    folder = Path(tempfile.gettempdir()) / f"sessionlens-bench-{os.getuid()}"
    env = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    env["PYTHONPYCACHEPREFIX"] = str(folder)
    return run([sys.executable, "-m", "sessionlens", *arguments], env=env)


def cpu(work: Callable[[], object], times: int = 3) -> float:
    """CPU seconds of a piece of work in this process, the best of some."""
    best = float("inf")
    for _ in range(times):
        began = time.process_time()
        work()
        best = min(best, time.process_time() - began)
    return best
