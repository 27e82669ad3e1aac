"""The same job on a local Dask cluster of two workers, once with one of them killed. Slow: ``make cluster``."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.curate.conftest import silent, told
from tests.curate.test_dataset import tree

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.slow


@pytest.fixture
def cluster() -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """A scheduler and two workers as processes of their own."""
    environment = {**os.environ, "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "5"}
    port = 18786 + os.getpid() % 1000
    code = "from distributed.cli.dask_{} import main; main()"

    def start(what: str, *arguments: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-c", code.format(what), *arguments]
        return subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL, start_new_session=True)

    address = f"tcp://127.0.0.1:{port}"
    processes = [
        start("scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard"),
        *(
            start("worker", address, "--nthreads", "1", "--nworkers", "1", "--no-dashboard", "--no-nanny")
            for _ in range(2)
        ),
    ]
    try:
        with distributed.Client(address, timeout="60s", set_as_default=False) as client:
            client.wait_for_workers(2, timeout=120)
        yield address, processes
    finally:
        for process in processes:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def sessions(count: int) -> list[Any]:
    return [
        (silent if n % 2 else told)(f"ses_dask{n:04d}", f"service{n}", directory=f"/home/a/p{n}")
        for n in range(count)
    ]


def test_the_same_bytes_from_two_workers_one_of_them_killed(
    put: Callable[..., Path],
    run: Callable[..., Any],
    tmp_path: Path,
    cluster: tuple[str, list[subprocess.Popen[bytes]]],
):
    address, processes = cluster
    logs = put(*sessions(260))
    here = run("curate", logs, "-o", tmp_path / "here")
    assert here.code == 0, here.err
    whole = run("curate", logs, "-o", tmp_path / "there", "--scheduler", address)
    assert whole.code == 0, whole.err
    assert tree(tmp_path / "there") == tree(tmp_path / "here")

    out = tmp_path / "killed"

    def kill() -> None:
        deadline = time.monotonic() + 300
        while not list(out.glob(".work/segments/*.index")) and time.monotonic() < deadline:
            time.sleep(0.02)
        os.killpg(processes[-1].pid, signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    done = run("curate", logs, "-o", out, "--scheduler", address)
    killer.join()
    assert processes[-1].wait(timeout=30) != 0
    assert done.code == 0, done.err
    assert tree(out) == tree(tmp_path / "here")


def test_no_scheduler_at_the_address_is_wrong_usage(
    put: Callable[..., Path], run: Callable[..., Any], tmp_path: Path
):
    done = run("curate", put(*sessions(2)), "-o", tmp_path / "set", "--scheduler", "tcp://127.0.0.1:1")
    assert done.code == 2
    assert "no Dask scheduler answers" in done.err
