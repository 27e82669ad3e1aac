"""The kept inputs and the seeds of each target hold what they must, without atheris."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

HERE = Path(__file__).resolve().parent
NAMES = ("readers", "stores", "shell", "language", "judge", "writers", "declared")
SEEDS = 25
"""Seeds of a target that are run, beside all kept inputs."""


@pytest.fixture(scope="module")
def modules() -> Iterator[tuple[ModuleType, ModuleType]]:
    sys.path.insert(0, str(HERE))
    try:
        import seeds
        import targets

        yield targets, seeds
    finally:
        sys.path.remove(str(HERE))


@pytest.mark.parametrize("name", NAMES)
def test_kept_inputs_hold(name: str, modules: tuple[ModuleType, ModuleType]) -> None:
    targets, seeds = modules
    found = [data[: seeds.LONGEST] for data in seeds.of(name)]
    step = max(1, len(found) // SEEDS)
    kept = [file.read_bytes() for file in sorted((HERE / "corpus" / name).glob("*"))]
    assert kept
    for data in (*kept, *found[::step]):
        targets.TARGETS[name](data)


def test_every_target_is_replayed(modules: tuple[ModuleType, ModuleType]) -> None:
    targets, _ = modules
    assert tuple(targets.TARGETS) == NAMES
    assert len(targets.READER_TARGETS) == len(targets.READ)


def test_what_must_hold_can_fail(
    modules: tuple[ModuleType, ModuleType], monkeypatch: pytest.MonkeyPatch
) -> None:
    targets, _ = modules
    monkeypatch.setattr(targets.readers, "scan", lambda *_, **__: targets.readers.Scan(sessions=[]))
    with pytest.raises(AssertionError, match="neither a session nor an error"):
        targets.read_log(b"\x00x")
    monkeypatch.setattr(targets.page, "render", lambda *_, **__: _[2].write("<p onclick=x>"))
    with pytest.raises(AssertionError, match="event attribute"):
        targets._no_script("<p onclick=x>")


def test_kept_inputs_are_small() -> None:
    files = [file for file in (HERE / "corpus").rglob("*") if file.is_file()]
    assert all(file.stat().st_size <= 8_192 for file in files)
    assert sum(file.stat().st_size for file in files) < 400_000


def test_a_run_is_timed(modules: tuple[ModuleType, ModuleType], tmp_path: Path) -> None:
    import harness

    def slow(_: bytes) -> None:
        end = time.process_time() + 0.05
        while time.process_time() < end:
            pass

    watch = harness.Watch("slow", slow, tmp_path, 1, lambda: None)
    harness.ALLOWANCE_S, before = 0.01, harness.ALLOWANCE_S
    try:
        watch.one(b"x")
    finally:
        harness.ALLOWANCE_S = before
    assert [file.name for file in (tmp_path / "crashes").glob("slow-*.txt")]
