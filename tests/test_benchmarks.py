"""The generator makes the same bytes again and labels what it planted; a worse ratio is told."""

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

from sessionlens import readers

FOLDER = Path(__file__).parent / "benchmarks"


def _module(name: str) -> ModuleType:
    sys.path.insert(0, str(FOLDER))
    spec = importlib.util.spec_from_file_location(f"benchmarks_{name}", FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


GENERATOR, BENCH = _module("generator"), _module("bench")


@pytest.mark.parametrize("form", ["claude", "codex", "opencode", "xml"])
def test_a_generated_session_is_read_whole_and_labelled(form: str, tmp_path: Path) -> None:
    log, clean, labels = GENERATOR.write(tmp_path / "a", 0.2, 3, form=form)
    again, *_ = GENERATOR.write(tmp_path / "b", 0.2, 3, form=form)
    assert log.read_bytes() == again.read_bytes() != clean.read_bytes()
    (session,) = readers.read(log)
    assert not list(session.all_gaps())
    planted = [json.loads(line) for line in labels.read_text("utf-8").splitlines()]
    assert [row["rule"] for row in planted] == [
        "empty-message-after-timeout",
        "unacknowledged-long-running-restart",
        "unverified-production-edit",
    ]
    empty, restart, edit = (session.messages[row["message_index"]] for row in planted)
    assert not empty.calls
    assert all(part.text.blank() for part in empty.parts)
    assert "systemctl restart" in restart.calls[0].input.head
    assert restart.calls[0].timed_out
    assert "sed -i" in edit.calls[0].input.head


def test_a_ratio_that_is_a_fifth_worse_is_a_regression() -> None:
    kept = {"rows": [{"row": "claude-8", "x_decode": 100.0, "peak_mb": 150}]}
    better = {"row": "claude-8", "x_decode": 119.0, "peak_mb": 179}
    worse = {"row": "claude-8", "x_decode": 121.0, "peak_mb": 181}
    assert BENCH.regressions([better, {"row": "new-1", "x_decode": 9e9, "peak_mb": 9e9}], kept) == []
    assert [line.split(" is ")[0] for line in BENCH.regressions([worse], kept)] == [
        "claude-8: x_decode",
        "claude-8: peak_mb",
    ]


def test_the_exponent_of_linear_cost_is_one() -> None:
    rows = [{"row": f"claude-{size:g}", "cpu": 2.0 + 0.25 * size} for size in (0.001, 1, 8, 50, 500)]
    fitted = BENCH.exponents(rows)
    assert fitted is not None
    assert fitted[0] < 1
    assert fitted[1] == pytest.approx(1.0, abs=0.01)


def test_what_is_checked_is_kept() -> None:
    kept = json.loads((FOLDER / "ratios.json").read_text("utf-8"))
    assert set(BENCH.CHECKED) <= {row["row"] for row in kept["rows"]}
    assert all(row["found"] == row["planted"] and not row["in_twin"] for row in kept["rows"])
