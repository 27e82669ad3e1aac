"""A full disk, a killed process, a folder without write permission, an interruption: the old result or the new one.

Each command first writes its result in peace. Then something goes wrong while it writes again: afterwards every file
is as it was or whole and new, nothing half-made lies about, and one line says what happened.
"""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
LOG = FIXTURES / "opencode_export/1.18.33_timeout_empty.json"
COMMANDS: dict[str, tuple[str, ...]] = {
    "audit": ("audit", "log.json", "-o", "out/a.html", "-q"),
    "convert": ("convert", "log.json", "-o", "out/a.xml"),
    "graph": ("graph", "log.json", "-o", "out/a.json"),
    "stats": ("stats", "log.json", "-o", "out/a.html", "-q"),
}
"""Commands that write one file."""
PRINTING: dict[str, tuple[str, ...]] = {
    "audit": ("audit", "log.json", "-o", "-", "--format", "json"),
    "stats": ("stats", "log.json"),
    "measure": ("rules", "measure", "logs", "empty-message-after-timeout", "-q"),
}
"""Commands that print their result."""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with a log, a folder of logs, labels, and a place for results."""
    shutil.copy(LOG, tmp_path / "log.json")
    (tmp_path / "logs").mkdir()
    shutil.copy(LOG, tmp_path / "logs" / "log.json")
    label = (
        '{"file": "log.json", "rule": "empty-message-after-timeout", "message_index": 5, "verdict": "yes"}\n'
    )
    (tmp_path / "logs" / "labels.jsonl").write_text(label, "utf-8")
    (tmp_path / "out").mkdir()
    return tmp_path


def start(
    place: Path, command: tuple[str, ...], code: str = "", before: Callable[[], None] | None = None
) -> subprocess.Popen[bytes]:
    """The command in a process of its own; ``code`` runs in it first."""
    program = f"import sys\n{code}\nfrom sessionlens.cli import main\nsys.argv = ['sessionlens', *{command!r}]\nmain()"
    return subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=place,
        env={**os.environ, "TMPDIR": str(place)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=before,  # noqa: PLW1509
    )


def ended(process: subprocess.Popen[bytes]) -> tuple[int, str]:
    out, err = process.communicate(timeout=120)
    return process.returncode, (out + err).decode("utf-8", "replace")


def files(place: Path) -> dict[str, bytes]:
    """Results by name, hidden ones too."""
    out = place / "out"
    return {file.relative_to(out).as_posix(): file.read_bytes() for file in out.rglob("*") if file.is_file()}


def written(place: Path, command: tuple[str, ...]) -> dict[str, bytes]:
    """The results in peace."""
    code, said = ended(start(place, command))
    assert code == 0, said
    found = files(place)
    assert found
    return found


def told(said: str) -> None:
    assert "Traceback" not in said
    assert said.strip()
    assert len(said.strip().splitlines()) <= 4, said


@pytest.mark.parametrize("name", PRINTING)
def test_standard_output_without_room(name: str, place: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        process = subprocess.Popen(
            [sys.executable, "-m", "sessionlens", *PRINTING[name]],
            cwd=place,
            stdin=subprocess.DEVNULL,
            stdout=full,
            stderr=subprocess.PIPE,
        )
        _, err = process.communicate(timeout=120)
    said = err.decode("utf-8", "replace")
    assert process.returncode == 2, said
    assert "No space left on device" in said
    assert "Traceback" not in said


STALL = """
import os, time
def stalled(*given, **named):
    open('reached', 'w').close()
    time.sleep(60)
os.replace = stalled
"""
"""Stops where the finished file is about to take the place of the old one."""


@pytest.mark.parametrize("name", COMMANDS)
def test_a_full_disk(name: str, place: Path) -> None:
    old = written(place, COMMANDS[name])
    least = min(len(data) for data in old.values())

    def full() -> None:
        # Python ignores SIGXFSZ: a write beyond the limit fails as on a full disk.
        resource.setrlimit(resource.RLIMIT_FSIZE, (least // 2, least // 2))

    code, said = ended(start(place, COMMANDS[name], before=full))
    assert code != 0
    told(said)
    assert files(place) == old


@pytest.mark.parametrize("name", COMMANDS)
def test_a_folder_without_write_permission(name: str, place: Path) -> None:
    old = written(place, COMMANDS[name])
    # Root may write anywhere: there the system refuses it in our stead.
    refuse = """
import builtins, errno, io, os
def refused(real):
    def opened(path, mode='r', *given, **named):
        if isinstance(path, (str, os.PathLike)) and 'out/' in os.fspath(path) and set(mode) & set('wax+'):
            raise PermissionError(errno.EACCES, 'Permission denied', os.fspath(path))
        return real(path, mode, *given, **named)
    return opened
builtins.open = refused(open)
io.open = refused(io.open)
"""
    (place / "out").chmod(0o555)
    try:
        code, said = ended(start(place, COMMANDS[name], refuse if os.geteuid() == 0 else ""))
    finally:
        (place / "out").chmod(0o755)
    assert code == 2, said
    told(said)
    assert "ermission denied" in said
    assert files(place) == old


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGKILL], ids=lambda one: one.name)
def test_stopped_while_writing(name: str, by: signal.Signals, place: Path) -> None:
    old = written(place, COMMANDS[name])
    process = start(place, COMMANDS[name], STALL)
    reached = place / "reached"
    end = time.monotonic() + 60
    while not reached.exists():
        assert time.monotonic() < end
        assert process.poll() is None, ended(process)
        time.sleep(0.02)
    process.send_signal(by)
    code, said = ended(process)
    found = files(place)
    if by == signal.SIGKILL:
        assert code == -signal.SIGKILL
        # Nothing can be tidied up then; what is left is hidden and never taken for a result.
        assert {key: data for key, data in found.items() if not key.startswith(".")} == old
        left = [key for key in found if key.startswith(".")]
        code, said = ended(start(place, COMMANDS[name]))
        assert code == 0, said
        assert {key: data for key, data in files(place).items() if key not in left} == old
    else:
        assert code == 130, said
        told(said)
        assert found == old


CURATE = ("curate", "log.json", "-o", "out", "-q")


def test_curate_on_a_full_disk(place: Path) -> None:
    def full() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (2_000, 2_000))

    code, said = ended(start(place, CURATE, before=full))
    assert code != 0
    told(said)
    # The run goes on where it was once there is room, and ends with what an undisturbed run writes.
    whole = written(place, CURATE)
    shutil.rmtree(place / "out")
    (place / "out").mkdir()
    assert written(place, CURATE) == whole


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGKILL], ids=lambda one: one.name)
def test_curate_stopped_while_writing(by: signal.Signals, place: Path) -> None:
    process = start(place, CURATE, STALL)
    reached = place / "reached"
    end = time.monotonic() + 60
    while not reached.exists():
        assert time.monotonic() < end
        assert process.poll() is None, ended(process)
        time.sleep(0.02)
    process.send_signal(by)
    code, said = ended(process)
    assert code == (130 if by == signal.SIGINT else -by), said
    left = {key for key in files(place) if Path(key).name.startswith(".")}
    whole = written(place, CURATE)
    shutil.rmtree(place / "out")
    (place / "out").mkdir()
    undisturbed = written(place, CURATE)
    assert {key: data for key, data in whole.items() if key not in left} == undisturbed
