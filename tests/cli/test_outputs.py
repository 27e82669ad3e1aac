"""Where results go, piece by piece."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from sessionlens.cli.codes import Misused, combined
from sessionlens.cli.outputs import STDOUT, Names, destinations, put_pieces


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def shown(*outputs: str, form: str | None = None) -> list[tuple[str, str, bool]]:
    return [(str(one.path), one.format, one.folder) for one in destinations(outputs, form)]


def test_what_outputs_mean(here: Path):
    (here / "there").mkdir()
    (here / "pages.json").mkdir()
    assert shown() == [(".", "html", True)]
    assert shown(form="json") == [(".", "json", True)]
    assert shown("a.html", "b.HTM", "c.sarif.json", "d.markdown") == [
        ("a.html", "html", False), ("b.HTM", "html", False), ("c.sarif.json", "sarif", False),
        ("d.markdown", "md", False),
    ]  # fmt: skip
    assert shown("-") == [(str(STDOUT), "txt", False)]
    assert shown("-", form="json") == [("-", "json", False)]
    assert shown("there", "new/", "new2") == [
        ("there", "html", True), ("new", "html", True), ("new2", "html", True),
    ]  # fmt: skip
    assert shown("there", form="md") == [("there", "md", True)]
    assert shown("pages.json") == [("pages.json", "html", True)]
    assert shown("log.out", form="json") == [("log.out", "json", False)]
    # A suffix that says the form is stronger than --format, which is for what has none.
    assert shown("a.json", "-", form="md") == [("a.json", "json", False), ("-", "md", False)]


def test_what_is_in_the_way(here: Path):
    (here / "file").write_text("x")
    with pytest.raises(Misused, match="in the way of the folder"):
        destinations(("file",), None)


def test_names_are_never_taken_twice():
    names = Names()
    assert [names.free(name) for name in ("a", "a", "A", "a-2", "b")] == ["a", "a-2", "A-3", "a-2-2", "b"]


def test_a_link_keeps_leading_where_it_led(here: Path):
    (here / "real.json").write_text("old")
    (here / "link.json").symlink_to("real.json")
    put_pieces([b"new"], here / "link.json")
    assert (here / "link.json").is_symlink()
    assert (here / "real.json").read_text() == "new"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this platform")
def test_a_pipe_is_written_to_and_not_replaced(here: Path):
    os.mkfifo(here / "pipe")
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append((here / "pipe").read_bytes()))
    reader.start()
    put_pieces([b"a", b"b"], here / "pipe")
    reader.join(5)
    assert read == [b"ab"]
    assert not (here / "pipe").is_file()


def test_nothing_is_left_when_the_content_breaks_off(here: Path):
    def broken():
        yield b"half"
        raise OSError(5, "Input/output error")

    with pytest.raises(Misused, match="x cannot be written: Input/output error"):
        put_pieces(broken(), Path("x"))
    assert list(here.iterdir()) == []


@pytest.mark.parametrize(
    ("codes", "code"), [((), 0), ((0, 0), 0), ((0, 1), 1), ((1, 4), 4), ((4, 3, 1), 3), ((1, 2, 3, 4), 2)]
)
def test_several_codes_at_once(codes: tuple[int, ...], code: int):
    assert combined(codes) == code


def test_a_reader_that_goes_away_is_no_error():
    command = f"'{sys.executable}' -m sessionlens rules show unverified-production-edit | head -1; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.stdout == "# unverified-production-edit\n"
    assert done.stderr == ""
    assert done.returncode == 0


@pytest.mark.parametrize("form", ["txt", "json", "html"])
@pytest.mark.parametrize("words", [1, 4_000])
def test_a_reader_that_has_gone_before_anything_is_printed_is_no_error(tmp_path: Path, form: str, words: int):
    log = tmp_path / "log.xml"
    log.write_text(
        f'<conversation_data><msg id="1" role="user"><text>{"go on " * words}</text></msg></conversation_data>'
    )
    line = [sys.executable, "-m", "sessionlens", "audit", "-q", str(log), "-o", "-", "--format", form]
    read, write = os.pipe()
    os.close(read)
    try:
        done = subprocess.run(line, stdout=write, stderr=subprocess.PIPE, check=False)
    finally:
        os.close(write)
    assert (done.returncode, done.stderr) == (0, b"")


def test_shell_completion():
    environment = {
        **os.environ,
        "_SESSIONLENS_COMPLETE": "zsh_complete",
        "COMP_WORDS": "sessionlens au",
        "COMP_CWORD": "1",
    }
    script = Path(sys.executable).with_name("sessionlens")
    if not script.exists():
        pytest.skip("the script is not installed beside this Python")
    done = subprocess.run([str(script)], env=environment, capture_output=True, text=True, check=False)
    assert "audit" in done.stdout
    source = subprocess.run(
        [str(script)],
        env={**environment, "_SESSIONLENS_COMPLETE": "bash_source"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "_sessionlens_completion" in source.stdout


def test_the_end_of_the_process_does_what_is_registered_and_keeps_the_code(tmp_path: Path):
    code = (
        "import atexit, sys, threading\nfrom sessionlens import cli\n"
        "atexit.register(lambda: print('registered'))\nprint('printed')\ncli.leave(4)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert (ran.returncode, ran.stdout) == (4, "printed\nregistered\n")
    waits = code.replace(
        "cli.leave",
        "threading.Thread(target=lambda: (threading.Event().wait(0.3), print('thread'))).start()\ncli.leave",
    )
    ran = subprocess.run(
        [sys.executable, "-c", waits], capture_output=True, text=True, timeout=60, check=False
    )
    assert (ran.returncode, ran.stdout) == (4, "printed\nthread\nregistered\n")
