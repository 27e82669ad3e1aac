"""The same generated Claude Code sessions through sessionlens and through other tools, one after another.

    python tests/benchmarks/peers.py VENVS [MB …]

``VENVS`` holds one virtual environment for each package, with the package's name; what is not there is said so::

    for name in claude-code-log agent-trajviz tracelint agentsview; do
        python3 -m venv venvs/$name && venvs/$name/bin/pip install "$name"
    done
    venvs/agent-trajviz/bin/pip install "agent-trajviz[charts]"

Prints a table in Markdown: wall and CPU seconds, peak memory, size of what was written, planted faults found, and
false alarms on the clean twin. A tool that points to no message finds none of them, whatever else it shows.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from bench import FAULTS, faults, planted
from generator import write
from measured import Took, run, sessionlens


def _version(folder: Path, package: str) -> str:
    code = f"import importlib.metadata; print(importlib.metadata.version({package!r}))"
    return subprocess.run(
        [folder / "bin" / "python", "-c", code], check=True, capture_output=True, text=True
    ).stdout.strip()


def _size(path: Path) -> str:
    if not path.exists():
        return "none"
    files = [path] if path.is_file() else [one for one in path.rglob("*") if one.is_file()]
    return f"{sum(one.stat().st_size for one in files) / 1e6:.1f}"


def _line(tool: str, size: float, took: Took, *told: str) -> None:
    """One row; ``told`` are megabytes written, planted faults found, false alarms."""
    print(
        f"| {tool} | {size:g} | {took.wall:.1f} | {took.cpu:.1f} | {took.peak:.0f} | {' | '.join(told)} |",
        flush=True,
    )


def _ours(log: Path, clean: Path, labels: Path, out: Path, size: float) -> None:
    took = min(
        (sessionlens("audit", log, "-o", out / "page.html", "-q") for _ in range(2)), key=lambda one: one.cpu
    )
    there, seen = planted(labels), faults(log, out / "out.json")
    alarms = len(faults(clean, out / "twin.json"))
    _line(
        "sessionlens",
        size,
        took,
        _size(out / "page.html"),
        f"{len(there & seen)} of {len(there)}",
        str(alarms),
    )


def _claude_code_log(folder: Path, log: Path, out: Path, size: float) -> None:
    took = run([folder / "bin" / "claude-code-log", log, "-o", out / "page.html"], env=_home(out))
    _line(f"claude-code-log {_version(folder, 'claude-code-log')}", size, took, _size(out / "page.html"),
          "shows, does not judge", "–")  # fmt: skip


def _trajviz(folder: Path, log: Path, clean: Path, out: Path, size: float) -> None:
    took = run([folder / "bin" / "agent-trajviz", "--report", log, "-o", out / "page.html"], env=_home(out))
    counts = []
    for one in (log, clean):
        views = out / f"views-{one.stem}"
        run(
            [folder / "bin" / "agent-trajviz", "--json", one, "--view", "issues", "-o", views], env=_home(out)
        )
        counts.append(len(json.loads((views / "issues.json").read_bytes())["data"]))
    _line(f"agent-trajviz {_version(folder, 'agent-trajviz')}", size, took, _size(out / "page.html"),
          f"{counts[0]} issues; names cut-off calls", f"{counts[1]} issues of the same kinds")  # fmt: skip


def _tracelint(folder: Path, log: Path, out: Path, size: float) -> None:
    took = run([folder / "bin" / "tracelint", "check", log, "--html", out / "page.html"], env=_home(out))
    said = "reads no Claude Code sessions: " + " ".join(took.said.split())[:90] if took.code else "–"
    _line(f"tracelint {_version(folder, 'tracelint')}", size, took, _size(out / "page.html"),
          f"does not run ({said}…)", "–")  # fmt: skip


def _agentsview(folder: Path, log: Path, out: Path, size: float) -> None:
    env = _home(out)
    project = Path(env["HOME"]) / ".claude" / "projects" / "-home-dev-shop"
    project.mkdir(parents=True)
    shutil.copy(log, project / "be7c4000-0000-4000-8000-000000000001.jsonl")
    took = run([folder / "bin" / "agentsview", "sync", "--full"], env=env)
    _line(f"agentsview {_version(folder, 'agentsview')}", size, took,
          f"{_size(Path(env['HOME']) / '.agentsview' / 'sessions.db')} (database)",
          "one grade a session", "the same grade")  # fmt: skip


def _home(out: Path) -> dict[str, str]:
    """An environment with a home of its own, so that no tool finds other sessions or leaves anything."""
    home = Path(tempfile.mkdtemp(dir=out))
    return {
        **os.environ,
        "HOME": str(home),
        "AGENTSVIEW_NO_DAEMON": "1",
        "XDG_CACHE_HOME": str(home / "cache"),
    }


def main() -> None:
    """Print the table."""
    venvs = Path(sys.argv[1])
    sizes = [float(size) for size in sys.argv[2:]] or [8.0, 50.0]
    print(
        "| tool | MB | wall s | CPU s | peak MB | written MB | planted faults found | false alarms on the clean twin |"
    )
    print("|---|---:|---:|---:|---:|---|---|---|")
    sessionlens("--version")
    for size in sizes:
        with tempfile.TemporaryDirectory() as place:
            out = Path(place)
            log, clean, labels = write(out, size, FAULTS, form="claude")
            _ours(log, clean, labels, out, size)
            for name, tool in (
                ("claude-code-log", _claude_code_log),
                ("tracelint", _tracelint),
                ("agentsview", _agentsview),
            ):
                if (venvs / name).exists():
                    (out / "page.html").unlink(missing_ok=True)
                    tool(venvs / name, log, out, size)
                else:
                    print(f"| {name} | {size:g} | not installed |||||")
            if (venvs / "agent-trajviz").exists():
                (out / "page.html").unlink(missing_ok=True)
                _trajviz(venvs / "agent-trajviz", log, clean, out, size)


if __name__ == "__main__":
    main()
