"""Every target for some time, or for many runs: a table of runs, crashes and the slowest input.

    python tests/fuzz/run.py --seconds 60            each target so long
    python tests/fuzz/run.py --runs 10000000         so many in all, shared out by what a target costs
    python tests/fuzz/run.py --only shell,language --runs 1000000

Keeps what it found under ``fuzz-work``: ``crashes`` with the command that repeats each, ``corpus`` to go on from,
the slowest input of each target. Ends with 1 when something was found.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
SHARES = {
    "readers": 20, "stores": 4, "shell": 25, "language": 20, "judge": 1, "writers": 1, "declared": 29,
}  # fmt: skip
"""Of a hundred runs, how many each target gets: those that judge whole sessions cost a hundred times the others."""
LONGEST_S = 6 * 3600
"""Seconds that a target may take for its share of many runs."""


def search(name: str, work: Path, seconds: int, runs: int, seed: int) -> dict[str, Any]:
    """Run one target in a process of its own; starts it again where a fault in C or lack of memory ended it."""
    done: dict[str, Any] = {
        "runs": 0,
        "crashes": 0,
        "slowest_s": 0.0,
        "slowest_bytes": 0,
        "seconds": 0.0,
        "ended": 0,
    }
    told = work / f"{name.replace(':', '-')}.json"
    for attempt in range(20):
        told.unlink(missing_ok=True)
        command = [sys.executable, str(HERE / "harness.py"), name, str(work), "--seed", str(seed + attempt)]
        left = max(1, int(seconds - done["seconds"]))
        command += ["--seconds", str(left)]
        if runs >= 0:
            command += ["--runs", str(max(1, runs - done["runs"]))]
        with (work / f"{name.replace(':', '-')}.log").open("ab") as log:
            code = subprocess.run(command, stdout=log, stderr=log, check=False).returncode
        one = json.loads(told.read_text()) if told.exists() else {}
        for key in ("runs", "crashes", "seconds"):
            done[key] += one.get(key, 0)
        if one.get("slowest_s", 0) > done["slowest_s"]:
            done.update(slowest_s=one["slowest_s"], slowest_bytes=one["slowest_bytes"])
        done["ended"] += code != 0
        if code == 0 or done["seconds"] >= seconds - 1 or not one:
            break
    return {"target": name, **done}


def main() -> int:
    """Run and tell."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--runs", type=int, default=-1, help="in all; then --seconds does not count")
    parser.add_argument("--only", default=",".join(SHARES), help="targets, with commas; also reader:NAME")
    parser.add_argument("--work", type=Path, default=Path("fuzz-work"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    names = [name for name in given.only.split(",") if name]
    given.work.mkdir(parents=True, exist_ok=True)
    work = given.work.resolve()
    shares = {name: SHARES.get(name, 5) for name in names}
    whole = sum(shares.values())

    def one(name: str) -> dict[str, Any]:
        if given.runs < 0:
            return search(name, work, given.seconds, -1, given.seed)
        return search(name, work, LONGEST_S, given.runs * shares[name] // whole, given.seed)

    with ThreadPoolExecutor(given.jobs) as pool:
        rows = list(pool.map(one, names))
    print(
        f"{'target':24}{'runs':>12}{'crashes':>9}{'ended':>7}{'slowest':>10}{'of bytes':>10}{'seconds':>10}"
    )
    for row in rows:
        print(
            f"{row['target']:24}{row['runs']:>12,}{row['crashes']:>9}{row['ended']:>7}{row['slowest_s']:>9.2f}s"
            f"{row['slowest_bytes']:>10,}{row['seconds']:>10,.0f}"
        )
    print(f"{'all':24}{sum(row['runs'] for row in rows):>12,}{sum(row['crashes'] for row in rows):>9}")
    kept = sorted((work / "crashes").glob("*.txt"))
    for file in kept:
        print(file.read_text("utf-8", "replace").partition("\n")[0])
    return 1 if any(row["crashes"] or row["ended"] or not row["runs"] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
