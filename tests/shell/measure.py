"""Reads the tables of commands/ and tells, for each effect, how many the program finds and how many of its finds are right.

Run as ``python tests/shell/measure.py``; exit code 1 when precision or recall of all is under 0.97.
"""

from __future__ import annotations

import shlex
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sessionlens.shell import explain, read

TABLES = Path(__file__).parent / "commands"
FLAGS = ("dry_run", "detached", "long_running")


def lines() -> Iterator[tuple[str, dict[str, Any]]]:
    """Each line of each table with the table's name."""
    for table in sorted(TABLES.glob("*.toml")):
        for entry in tomllib.loads(table.read_text(encoding="utf-8"))["line"]:
            yield table.stem, entry


def expected(row: dict[str, Any]) -> dict[str, Any]:
    """A row in the form of ``explain``, with only what the row says."""
    kind, _, name = row.get("target", "unknown").partition(" ")
    flags = row.get("flags", "").split()
    wanted: dict[str, Any] = {
        "words": shlex.split(row["words"]),
        "via": row.get("via", []),
        "runs_if": row.get("if", "always"),
        "effect": row["effect"],
        "check_strength": row.get("strength"),
        "target": {
            "kind": kind,
            "name": name,
            "host": row.get("host"),
            "context": row.get("context"),
            "namespace": row.get("namespace"),
        },
        **{flag: flag in flags for flag in FLAGS},
    }
    if "environment" in row:
        wanted["environment"] = row["environment"]
    return wanted


def found(line: str) -> list[dict[str, Any]]:
    """What the program makes of the line."""
    return [explain(command) for command in read(line)]


def differences(entry: dict[str, Any]) -> list[str]:
    """In words, what is not as the table says; empty when all is."""
    got = found(entry["run"])
    wanted = [expected(row) for row in entry["gives"]]
    if len(got) != len(wanted):
        return [f"{len(got)} commands instead of {len(wanted)}: {[g['words'] for g in got]}"]
    result = []
    for one, other in zip(got, wanted, strict=True):
        for key, value in other.items():
            if one[key] != value:
                result.append(f"{' '.join(other['words'])[:60]}: {key} is {one[key]!r}, not {value!r}")
    return result


def main() -> int:
    """Print a table of precision and recall; 0 when both are 0.97 or better over all."""
    right: Counter[str] = Counter()
    claimed: Counter[str] = Counter()
    wanted: Counter[str] = Counter()
    whole = good = 0
    for table, entry in lines():
        whole += 1
        problems = differences(entry)
        good += not problems
        for problem in problems:
            print(f"{table}: {problem}", file=sys.stderr)
        got = [g["effect"] for g in found(entry["run"])]
        want = [row["effect"] for row in entry["gives"]]
        for index in range(max(len(got), len(want))):
            one = got[index] if index < len(got) else "(nothing)"
            other = want[index] if index < len(want) else "(nothing)"
            claimed[one] += 1
            wanted[other] += 1
            right[one] += one == other
    print(f"{'effect':12} {'commands':>8} {'precision':>9} {'recall':>7}")
    for effect in sorted(wanted):
        precision = right[effect] / claimed[effect] if claimed[effect] else 0.0
        print(f"{effect:12} {wanted[effect]:8} {precision:9.3f} {right[effect] / wanted[effect]:7.3f}")
    total = sum(right.values())
    precision, recall = total / sum(claimed.values()), total / sum(wanted.values())
    print(f"{'all':12} {sum(wanted.values()):8} {precision:9.3f} {recall:7.3f}")
    print(f"lines read exactly as the tables say: {good} of {whole}")
    return 0 if min(precision, recall) >= 0.97 else 1


if __name__ == "__main__":
    sys.exit(main())
