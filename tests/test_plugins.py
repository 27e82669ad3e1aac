"""What packages offer is looked for without importing what reads about all of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from sessionlens import plugins


@pytest.fixture(autouse=True)
def _afresh() -> None:
    plugins._offered.cache_clear()


@pytest.mark.parametrize("kind", ["dist-info", "egg-info"])
def test_a_package_that_offers_something_is_found(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    info = tmp_path / f"team-1.0.{kind}"
    info.mkdir()
    (info / ("METADATA" if kind == "dist-info" else "PKG-INFO")).write_text(
        "Metadata-Version: 2.1\nName: team\nVersion: 1\n"
    )
    (info / "entry_points.txt").write_text("[sessionlens.rules]\nteam = short_limit\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    assert [point.name for point in plugins.points("sessionlens.rules")] == ["team"]
    assert not plugins.points("sessionlens.readers")


def test_others_are_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    info = tmp_path / "team-1.0.dist-info"
    info.mkdir()
    (info / "entry_points.txt").write_text("[console_scripts]\nteam = sessionlens.cli:main\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path), str(tmp_path / "none")])
    assert not plugins._offered(tuple(sys.path))
    (tmp_path / "packed.zip").write_bytes(b"PK")
    assert plugins._offered((str(tmp_path / "packed.zip"),)), "what cannot be told is read in full"


def test_an_audit_does_not_read_about_every_package(tmp_path: Path) -> None:
    code = (
        "import sys\nsys.meta_path[:] = [one for one in sys.meta_path if not hasattr(one, 'find_distributions') or "
        "one.__name__ == 'PathFinder']\nfrom sessionlens import loader, readers\nloader.classes(); readers.registered()\n"
        "assert 'importlib.metadata' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
