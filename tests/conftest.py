"""Fixtures that many tests share."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return ROOT


@pytest.fixture(scope="session")
def fixtures() -> Path:
    """The folder of logs that tests read."""
    return ROOT / "fixtures"


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder with real logs, which is not part of the project."""
    place = os.environ.get("SESSIONLENS_CORPUS")
    if not place:
        pytest.skip("SESSIONLENS_CORPUS is not set: no corpus of real logs to read")
    if not Path(place).is_dir():
        pytest.skip(f"SESSIONLENS_CORPUS names no folder: {place}")
    return Path(place)


class Ran:
    """What a command line did."""

    def __init__(self, code: int, out: bytes, err: bytes) -> None:
        self.code = code
        self.raw = out
        self.out = out.decode()
        self.err = err.decode()


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ran]:
    """Run a command line in this process, in an empty folder, and return its code and what it printed."""
    monkeypatch.chdir(tmp_path)

    def call(*args: object, input: bytes | str | None = None) -> Ran:
        from sessionlens.cli import cli
        from sessionlens.cli.codes import guarded

        with CliRunner().isolation(input=input) as (out, err, _):
            code = guarded(cli, [str(arg) for arg in args])
            sys.stdout.flush()
            sys.stderr.flush()
            return Ran(code, out.getvalue(), err.getvalue())

    return call
