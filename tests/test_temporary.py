"""Temporary folders: gone when they are left, and by the next run where their owner was killed."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from sessionlens import temporary
from sessionlens.cli import outputs
from sessionlens.readers.source import spooling_into
from tests.curate.conftest import put, silent

__all__ = ["put"]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no locks of whole files")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A place for temporary files of this test alone."""
    place = tmp_path / "scratch"
    place.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(place))
    return place


def sweep_elsewhere(place: Path) -> None:
    """What another run does at its beginning."""
    line = [sys.executable, "-c", "from sessionlens import temporary; temporary.sweep()"]
    subprocess.run(line, check=True, env={**os.environ, "TMPDIR": str(place)})


def test_a_folder_goes_when_it_is_left_and_stays_while_its_owner_lives(here: Path):
    with temporary.folder() as folder:
        Path(folder, "page.html").write_text("page")
        sweep_elsewhere(here)
        assert Path(folder, "page.html").exists()
    assert list(here.iterdir()) == []


def test_what_a_killed_process_left_goes_and_other_things_stay(here: Path):
    line = "import time\nfrom sessionlens import temporary\nprint(temporary.lasting(), flush=True)\ntime.sleep(60)"
    process = subprocess.Popen(
        [sys.executable, "-c", line],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(here)},
    )
    assert process.stdout is not None
    left = Path(process.stdout.readline().strip())
    (left / "page.html").write_text("page")
    elsewhere = here.parent / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / temporary.OWNER).touch()
    (here / f"{temporary.PREFIX}link").symlink_to(elsewhere)
    (here / f"{temporary.PREFIX}nobodys").mkdir()
    (here / "others").mkdir()
    sweep_elsewhere(here)
    assert left.exists()
    process.kill()
    process.wait()
    sweep_elsewhere(here)
    assert not left.exists()
    assert {path.name for path in here.iterdir()} == {
        f"{temporary.PREFIX}link", f"{temporary.PREFIX}nobodys", "others"
    }  # fmt: skip
    assert (elsewhere / temporary.OWNER).exists()


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="what is open is told by Linux alone")
def test_hundreds_of_spools_keep_one_file_open(here: Path):
    def made(number: int) -> int:
        """How many more files are open with so many spools."""
        before = len(os.listdir("/proc/self/fd"))
        folders = {temporary.spool() for _ in range(number)}
        assert len(folders) == number
        assert all(list(Path(folder).iterdir()) == [] for folder in folders)
        return len(os.listdir("/proc/self/fd")) - before

    assert made(200) == 1
    assert [path.name.startswith(temporary.PREFIX) for path in here.iterdir()] == [True]
    with temporary.folder() as folder, spooling_into(folder):
        assert made(200) == 0
        assert made(200) == 0


@pytest.mark.parametrize("command", ["audit", "curate"])
def test_a_run_clears_what_a_killed_one_left(
    put: Callable[..., Path], tmp_path: Path, here: Path, command: str
):
    logs = put(*(silent(f"ses_many{n:04d}", f"service{n}", directory=f"/home/a/p{n}") for n in range(150)))
    line = [
        sys.executable,
        "-m",
        "sessionlens",
        command,
        str(logs),
        "-o",
        f"{tmp_path / 'out'}/",
        "--jobs",
        "2",
        "--quiet",
    ]
    environment = {**os.environ, "TMPDIR": str(here)}
    process = subprocess.Popen(line, start_new_session=True, env=environment, stderr=subprocess.DEVNULL)
    begun = "sessionlens-*/**/*.html" if command == "audit" else "sessionlens-*/pymp-*"
    deadline = time.monotonic() + 60
    while not list(here.glob(begun)) and time.monotonic() < deadline:
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    left = {path.name for path in here.iterdir()}
    assert left, "it was killed while it worked"
    assert all(name.startswith(temporary.PREFIX) for name in left)
    # Its processes end as soon as they see that it is gone.
    time.sleep(1)
    subprocess.run(line, check=True, env=environment, stderr=subprocess.DEVNULL, timeout=120)
    assert list(here.iterdir()) == []


def test_a_file_left_half_written_goes_with_the_next_run_and_one_being_written_stays(tmp_path: Path):
    from sessionlens.cli import outputs

    page = tmp_path / "page.html"
    (tmp_path / ".page.html.4711.sessionlens-part").write_bytes(b"half a page")
    (tmp_path / ".page.html.4711.part").write_bytes(b"of another program")
    with (tmp_path / ".other.html.4712.sessionlens-part").open("wb") as file:
        temporary.hold(file)
        outputs.put_pieces([b"a page"], page)
        assert {path.name for path in tmp_path.iterdir()} == {
            "page.html", ".other.html.4712.sessionlens-part", ".page.html.4711.part"
        }  # fmt: skip
    temporary.cleared.cache_clear()
    outputs.put_pieces([b"a page"], page)
    assert {path.name for path in tmp_path.iterdir()} == {"page.html", ".page.html.4711.part"}
    assert page.read_bytes() == b"a page"


def test_where_there_are_no_locks_nothing_stays(here: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(temporary, "_locked", lambda _lock: False)
    with temporary.folder() as folder:
        assert list(here.iterdir()) == [Path(folder)]
    assert list(here.iterdir()) == []


def test_a_folder_of_another_name_is_nobodys_business(here: Path):
    notes = here / f"{temporary.PREFIX}notes"
    notes.mkdir()
    (notes / temporary.OWNER).touch()
    sweep_elsewhere(here)
    assert notes.exists()


def test_a_file_that_was_taken_for_a_forgotten_one_is_begun_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    hold, asked = temporary.hold, []

    def taken(file) -> bool:
        if not asked:
            temporary.discard(Path(file.name))
        asked.append(file.name)
        return hold(file)

    monkeypatch.setattr(temporary, "hold", taken)
    outputs.put_pieces([b"page"], tmp_path / "page.html")
    assert len(asked) == 2
    assert (tmp_path / "page.html").read_bytes() == b"page"
    assert [one.name for one in tmp_path.iterdir()] == ["page.html"]
