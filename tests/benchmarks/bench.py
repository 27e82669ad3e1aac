"""How long an audit takes, in seconds and against a floor measured in the same run; and what it finds.

    python tests/benchmarks/bench.py 8 100

For each size in megabytes: makes a session with planted faults and its clean twin, audits both in a process of their
own, and prints seconds, the ratio to reading and checking the JSON alone, peak memory, and precision and recall at
the planted places. Figures of a busy machine differ by a factor of two: compare ratios.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import msgspec

sys.path.insert(0, str(Path(__file__).parent))

from generator import write

FAULTS = 30


def floor(log: Path) -> float:
    """Seconds to read the file and check its JSON without making anything of it, the best of three."""
    best = float("inf")
    for _ in range(3):
        began = time.perf_counter()
        msgspec.json.decode(log.read_bytes(), type=msgspec.Raw)
        best = min(best, time.perf_counter() - began)
    return best


def audited(log: Path, out: Path) -> tuple[float, float]:
    """Seconds and peak megabytes of one audit into ``out``."""
    code = (
        "import resource, sys\nfrom sessionlens.cli import cli\nfrom sessionlens.cli.codes import guarded\n"
        "code = guarded(cli, ['audit', sys.argv[1], '-o', sys.argv[2], '-q'])\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)\nsys.exit(code)\n"
    )
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", code, str(log), str(out)], check=True, capture_output=True, text=True
    )
    # ru_maxrss counts kilobytes on Linux and bytes on macOS.
    unit = 1e6 if sys.platform == "darwin" else 1e3
    return time.perf_counter() - began, int(done.stdout) / unit


def found(out: Path) -> set[tuple[str, int]]:
    """Rule and message of every fault that an audit reports."""
    document = json.loads(out.read_bytes())
    return {
        (row["rule"], row["at"]["message_index"]) for row in document["findings"] if row["kind"] == "fault"
    }


def main() -> None:
    """Print one line a size and form."""
    sizes = [float(size) for size in sys.argv[1:]] or [8.0]
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    print(f"{'MB':>6} {'form':5} {'s':>7} {'x floor':>8} {'peak MB':>8}")
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            log, clean, labels = write(Path(folder), size, FAULTS)
            least = floor(log)
            for form in ("json", "html"):
                out = Path(folder) / f"out.{form}"
                seconds, peak = audited(log, out)
                print(f"{size:6g} {form:5} {seconds:7.2f} {seconds / least:8.0f} {peak:8.0f}")
            planted = {
                (row["rule"], row["message_index"])
                for row in map(json.loads, labels.read_text("utf-8").splitlines())
            }
            hits = found(Path(folder) / "out.json")
            audited(clean, Path(folder) / "twin.json")
            extra = found(Path(folder) / "twin.json")
            print(
                f"       planted {len(planted)}, found {len(planted & hits)}, others {len(hits - planted)}; "
                f"in the clean twin {len(extra)}"
            )


if __name__ == "__main__":
    main()
