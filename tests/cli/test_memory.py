"""A process that may not use the memory it takes says so in one line and ends with the code of what was not read."""

import subprocess
import sys
from pathlib import Path

import pytest

from sessionlens import memory
from sessionlens.report.transcript_xml import write
from tests.curate.conftest import silent

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="no limit of address space")


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A small session."""
    path = tmp_path / "small.xml"
    with path.open("w", encoding="utf-8") as stream:
        write([silent("ses_small01")], stream)
    return path


def limited(megabytes: int, *arguments: object) -> subprocess.CompletedProcess[str]:
    import resource

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))

    line = [sys.executable, "-m", "sessionlens", *map(str, arguments)]
    return subprocess.run(line, check=False, capture_output=True, text=True, preexec_fn=limit, timeout=120)


@pytest.mark.parametrize("megabytes", [100, 146, 200])
@pytest.mark.parametrize("command", ["audit", "show", "convert", "curate"])
def test_too_little_memory_is_one_clear_error(log: Path, tmp_path: Path, command: str, megabytes: int):
    out = {"audit": "page.html", "convert": "x.xml", "curate": "set"}.get(command)
    done = limited(megabytes, command, log, *(("-o", tmp_path / out) if out else ()))
    assert done.returncode == 3, done.stderr
    (said,) = done.stderr.splitlines()
    assert said.startswith("error: ")
    assert f"not enough memory (the limit of this process is {megabytes} MB" in said
    assert "report it" not in said


@pytest.mark.parametrize("megabytes", [146, 292])
def test_too_little_memory_for_several_processes_is_one_clear_error(
    log: Path, tmp_path: Path, megabytes: int
):
    (tmp_path / "logs").mkdir()
    for name in ("a.xml", "b.xml"):
        (tmp_path / "logs" / name).write_bytes(log.read_bytes())
    done = limited(megabytes, "audit", tmp_path / "logs", "--jobs", 2, "-o", tmp_path / "pages")
    assert done.returncode == 3, done.stderr
    (said,) = done.stderr.splitlines()
    assert said.startswith(f"error: not enough memory (the limit of this process is {megabytes} MB")


@pytest.mark.parametrize("megabytes", [390, 781, 1171])
@pytest.mark.parametrize("jobs", [1, 2])
def test_too_little_memory_for_tables_is_one_clear_error(
    log: Path, tmp_path: Path, megabytes: int, jobs: int
):
    done = limited(megabytes, "curate", log, "--jobs", jobs, "-o", tmp_path / "set")
    assert done.returncode == 3, done.stderr
    (said,) = done.stderr.splitlines()
    assert said.startswith(
        f"error: not enough memory (the limit of this process is {megabytes} MB, and it takes 2048 MB"
    )
    assert not (tmp_path / "set").exists()


def test_enough_memory_for_tables_is_enough(log: Path, tmp_path: Path):
    done = limited((memory.LEAST_TABLES >> 20) + 256, "curate", log, "--jobs", 2, "-o", tmp_path / "set")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "set" / "manifest.json").exists()


def test_enough_memory_is_enough(log: Path, tmp_path: Path):
    # The first run of a machine compiles every pattern besides.
    done = limited((memory.LEAST >> 20) + 256, "audit", log, "-o", tmp_path / "page.html")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "page.html").exists()


def test_what_needs_no_scanner_works_with_less(log: Path, tmp_path: Path):
    done = limited(200, "audit", log, "--no-redact", "-o", tmp_path / "page.html")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("error", "wanted"),
    [
        (MemoryError(), True), (OSError(12, "Cannot allocate memory"), True), (RuntimeError("can't start new thread"), True),
        (ImportError("libsqlite3.so.0: failed to map segment from shared object"), True),
        (OSError(2, "No such file or directory"), False), (ImportError("No module named x"), False), (ValueError("out of memory"), False),
    ],
)  # fmt: skip
def test_errors_that_speak_of_memory(error: Exception, wanted: bool):
    assert memory.lacking(error) is wanted
