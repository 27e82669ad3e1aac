"""A reader of another package: one class and an entry point."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import textwrap
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from sessionlens import readers
from sessionlens.readers import ReadError

CODE = '''
from sessionlens.model import Message, Origin, Session, Text, TextPart


class Minutes:
    """Reads minutes: `who: words`, one a line, below a line MINUTES."""

    name = "minutes"

    def recognises(self, source):
        return None if source.head(64).startswith(b"MINUTES") else "no line MINUTES at the beginning"

    def read(self, source):
        messages = []
        for number, line in enumerate(source.read(0, source.size).decode().splitlines()[1:], 2):
            who, _, words = line.partition(": ")
            origin = Origin(line=number, offset=0, length=len(line))
            role = "user" if who == "op" else "assistant"
            part = TextPart(text=Text(words), origin=origin)
            messages.append(Message(index=len(messages), role=role, parts=(part,), origin=origin))
        yield Session(id="minutes", source_format=self.name, messages=tuple(messages))


class Broken:
    name = "broken"

    def recognises(self, source):
        raise KeyError("nothing")

    def read(self, source):
        yield from ()
'''
ENTRY_POINTS = """[sessionlens.readers]
minutes = sessionlens_minutes:Minutes
broken = sessionlens_minutes:Broken
missing = sessionlens_minutes:Nowhere
chat = sessionlens_minutes:Minutes
"""
METADATA = "Metadata-Version: 2.1\nName: sessionlens-minutes\nVersion: 1.0\n"
WHEEL = "Wheel-Version: 1.0\nGenerator: by hand\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which the small package is really installed: a wheel, built by hand to need no build tools."""
    about = "sessionlens_minutes-1.0.dist-info"
    files = {
        "sessionlens_minutes.py": CODE,
        f"{about}/METADATA": METADATA,
        f"{about}/WHEEL": WHEEL,
        f"{about}/entry_points.txt": ENTRY_POINTS,
    }
    files[f"{about}/RECORD"] = "".join(f"{name},,\n" for name in (*files, f"{about}/RECORD"))
    wheel = tmp_path_factory.mktemp("wheel") / "sessionlens_minutes-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as packed:
        for name, text in files.items():
            packed.writestr(name, text)
    target = tmp_path_factory.mktemp("installed")
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--no-index",
        "--target",
        str(target),
        str(wheel),
    ]
    if importlib.util.find_spec("pip") is None:
        # What pip does with a wheel of one module is to unpack it.
        with zipfile.ZipFile(wheel) as packed:
            packed.extractall(target)
    else:
        subprocess.run(command, check=True, timeout=120)
    return target


@pytest.fixture
def plugged(installed: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.syspath_prepend(str(installed))
    readers.registered.cache_clear()
    yield installed
    readers.registered.cache_clear()
    sys.modules.pop("sessionlens_minutes", None)


def log(tmp_path: Path) -> Path:
    path = tmp_path / "talk.txt"
    path.write_text("MINUTES\nop: restart it\nagent: done\n")
    return path


def test_its_format_is_recognised_and_read(plugged: Path, tmp_path: Path) -> None:
    (session,) = readers.read(log(tmp_path))
    assert session.source_format == "minutes"
    assert [message.role for message in session.messages] == ["user", "assistant"]
    (again,) = readers.read(log(tmp_path), reader="minutes")
    assert again == session


def test_it_is_listed_and_cannot_take_a_name_of_ours(plugged: Path) -> None:
    names = [name for name, _ in readers.registered()]
    assert "minutes" in names
    assert names.count("chat") == 1
    assert dict(readers.registered())["chat"].startswith("sessionlens.")


def test_one_that_fails_is_told_and_harms_nothing(plugged: Path, tmp_path: Path) -> None:
    path = tmp_path / "other.txt"
    path.write_text("something else")
    with pytest.raises(ReadError) as told:
        readers.read(path)
    assert "broken: 'nothing'" in str(told.value)
    assert "minutes: no line MINUTES at the beginning" in str(told.value)
    with pytest.raises(ReadError, match="cannot be loaded"):
        readers.get("missing")


def test_it_reads_as_contributing_shows(plugged: Path, tmp_path: Path) -> None:
    shown = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text()
    code = shown.partition("# sessionlens_minutes.py\n")[2].partition("```")[0]
    namespace: dict[str, type] = {}
    exec(compile(code, "sessionlens_minutes.py", "exec"), namespace)
    shown_reader = namespace["Minutes"]()
    assert 'minutes = "sessionlens_minutes:Minutes"' in shown
    (ours,) = readers.read(log(tmp_path))
    (theirs,) = shown_reader.read(readers.Source(log(tmp_path)))
    assert [message.parts[0].text for message in ours.messages] == [
        message.parts[0].text for message in theirs.messages
    ]


def test_the_program_audits_it(plugged: Path, tmp_path: Path) -> None:
    """In a process of its own, as a user would run it."""
    script = f"import sys; sys.path.insert(0, {str(plugged)!r}); from sessionlens.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", script, "audit", str(log(tmp_path)), "--format", "json", "-o", "-"],
        capture_output=True, text=True, check=False, timeout=120, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert '"source_format":"minutes"' in textwrap.dedent(done.stdout).replace(" ", "")
