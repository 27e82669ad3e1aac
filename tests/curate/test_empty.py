"""A mistyped name must not replace a finished set by nothing."""

from __future__ import annotations

from pathlib import Path


def test_a_set_stays_when_no_source_can_be_read(run, fixtures: Path, tmp_path: Path) -> None:
    out = tmp_path / "set"
    assert run("curate", fixtures / "chat/scene.json", "-o", out, "--format", "jsonl", "-q").code == 0
    before = {file: file.read_bytes() for file in out.rglob("*") if file.is_file()}
    (tmp_path / "empty").mkdir()
    for corpus in ("mistyped", tmp_path / "empty"):
        again = run("curate", corpus, "-o", out, "--format", "jsonl")
        assert again.code == 3
        assert "nothing is written" in again.err
        assert {file: file.read_bytes() for file in out.rglob("*") if file.is_file()} == before
