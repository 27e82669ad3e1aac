"""The tables of commands/: lines as people and agents write them, and the commands that run."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

_SPEC = importlib.util.spec_from_file_location("shell_measure", Path(__file__).parent / "measure.py")
assert _SPEC is not None
assert _SPEC.loader is not None
measure = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(measure)

LINES: list[tuple[str, dict[str, Any]]] = list(measure.lines())


@pytest.mark.parametrize("entry", [e for _, e in LINES], ids=[f"{t}-{i}" for i, (t, _) in enumerate(LINES)])
def test_line_is_read_as_the_table_says(entry: dict[str, Any]) -> None:
    assert measure.differences(entry) == []


def test_the_tables_are_large_and_hold_every_effect() -> None:
    assert len(LINES) >= 400
    effects = {row["effect"] for _, entry in LINES for row in entry["gives"]}
    assert effects >= {
        "check", "reboot", "restart", "reload", "scale", "stop", "deploy", "start", "migrate", "write_data", "configure",
        "edit", "delete", "install", "transfer", "create", "build", "test", "read", "none",
    }  # fmt: skip
