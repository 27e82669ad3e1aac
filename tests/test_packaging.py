"""The wheel, the sdist and an editable install hold the same things, and all work from another folder."""

import os
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = {"sessionlens": "sessionlens", "rules": "sessionlens/rules",
           "report_templates": "sessionlens/report_templates"}  # fmt: skip
DATA_SUFFIXES = {
    ".py",
    ".toml",
    ".html",
    ".css",
    ".js",
    ".json",
    ".yml",
    ".yaml",
    ".txt",
    ".md",
    ".typed",
    ".bin",
}


def wanted() -> set[str]:
    """Every file of the three folders, under the name that it has in the wheel."""
    return {
        f"{inside}/{file.relative_to(ROOT / folder).as_posix()}"
        for folder, inside in FOLDERS.items()
        for file in (ROOT / folder).rglob("*")
        if file.is_file() and file.suffix in DATA_SUFFIXES and "__pycache__" not in file.parts
    }


def test_every_package_is_named():
    named = set(tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]["packages"])
    # Folders of data count as packages too: setuptools knows no other way to ship them.
    there = {
        ".".join(file.parent.relative_to(ROOT).parts)
        for file in (ROOT / "sessionlens").rglob("*")
        if file.suffix in DATA_SUFFIXES and file.is_file() and "__pycache__" not in file.parts
    } | {"sessionlens.rules", "sessionlens.report_templates"}
    assert named == there


def test_the_fixed_folders_are_flat():
    for folder in ("rules", "report_templates"):
        assert not [p for p in (ROOT / folder).iterdir() if p.is_dir() and p.name != "__pycache__"]


def call(*command: object, cwd: Path, **environment: str) -> str:
    env = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")} | environment
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        env=env,
        timeout=600,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a commit of the present state would hold, without anything that was built before."""
    place = tmp_path_factory.mktemp("checkout")
    listed = call("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", cwd=ROOT)
    for name in filter(None, listed.split("\0")):
        source = ROOT / name
        if source.is_file():
            target = place / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(source.read_bytes())
    return place


@pytest.fixture(scope="module")
def built(checkout: Path) -> tuple[Path, Path]:
    """The wheel, made from the sdist."""
    pytest.importorskip("build")
    if not (ROOT / ".git").exists():
        pytest.skip("no git checkout to build from")
    call(sys.executable, "-m", "build", "--outdir", checkout / "dist", checkout, cwd=checkout)
    (wheel,) = (checkout / "dist").glob("*.whl")
    (sdist,) = (checkout / "dist").glob("*.tar.gz")
    return wheel, sdist


def fresh(place: Path) -> Path:
    """An environment that sees the dependencies of this one, but not the project itself."""
    import sysconfig

    call(sys.executable, "-m", "venv", "--without-pip", place, cwd=place.parent)
    python = place / "bin" / "python"
    site = call(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=place).strip()
    # A plain path entry runs no .pth file of that folder, so an editable install there stays unseen.
    (Path(site) / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    return python


def works(python: Path, place: Path) -> None:
    """Rules, templates and data are found from a folder that has nothing to do with the project."""
    log = place / "log.xml"
    log.write_text(
        '<conversation_data><msg id="1" role="user"><text>restart it</text></msg></conversation_data>',
        "utf-8",
    )
    listed = call(python, "-m", "sessionlens", "rules", "list", cwd=place)
    assert "unverified-production-edit" in listed
    call(python, "-m", "sessionlens", "audit", "log.xml", "-o", "page.html", "-o", "page.json", cwd=place)
    assert "<html" in (place / "page.html").read_text("utf-8")
    assert "systemctl" in call(
        python, "-m", "sessionlens", "explain", "command", "ssh a systemctl restart b", cwd=place
    )


@pytest.mark.slow
def test_the_wheel_holds_every_file_and_nothing_else(built: tuple[Path, Path]):
    names = {name for name in zipfile.ZipFile(built[0]).namelist() if ".dist-info/" not in name}
    assert {name for name in names if not name.startswith("sessionlens/")} == set()
    assert wanted() - names == set()


@pytest.mark.slow
def test_the_sdist_holds_the_tests_and_fixtures(built: tuple[Path, Path]):
    with tarfile.open(built[1]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"tests/conftest.py", "tests/test_packaging.py", "fixtures/README.md", "rules/README.md", "Makefile",
            "CHANGELOG.md", "LICENSE"} <= names  # fmt: skip


@pytest.mark.slow
def test_installed_from_the_wheel(built: tuple[Path, Path], tmp_path: Path):
    python = fresh(tmp_path / "venv")
    call(
        sys.executable,
        "-m",
        "pip",
        "--python",
        python,
        "install",
        "--no-deps",
        "--no-index",
        built[0],
        cwd=tmp_path,
    )
    works(python, tmp_path)


@pytest.mark.slow
def test_installed_from_the_sdist(built: tuple[Path, Path], tmp_path: Path):
    python = fresh(tmp_path / "venv")
    call(sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", built[1], cwd=tmp_path)
    works(python, tmp_path)


@pytest.mark.slow
def test_installed_editable(checkout: Path, tmp_path: Path):
    python = fresh(tmp_path / "venv")
    call(
        sys.executable,
        "-m",
        "pip",
        "--python",
        python,
        "install",
        "--no-deps",
        "--editable",
        checkout,
        cwd=tmp_path,
    )
    works(python, tmp_path)
    # The folders' own names must not become importable.
    for stray in ("rules", "tests", "fixtures", "report_templates"):
        call(python, "-c", f"import importlib.util as u; assert u.find_spec({stray!r}) is None", cwd=tmp_path)
