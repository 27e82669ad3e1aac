"""How long an audit takes and how much memory, beside floors measured in the same run; and what it finds.

    python tests/benchmarks/bench.py                      the usual rows, with the fitted exponent
    python tests/benchmarks/bench.py --rows claude-8,xml-500
    python tests/benchmarks/bench.py --keep               and keep the ratios in ratios.json
    python tests/benchmarks/bench.py --check              fail where a ratio is 20 % worse than the kept one

Each row is a session with planted faults, audited into a page with full text by a process of its own. Floors are
the CPU seconds that reading its lines takes, and reading and decoding them to plain values with msgspec. Seconds of
a busy machine differ by a factor of two, so what is kept and checked are ratios to a floor of the same run.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

import msgspec

sys.path.insert(0, str(Path(__file__).parent))

from forms import FORMS
from generator import write
from measured import Took, cpu, sessionlens

FAULTS = 30
USUAL = "claude-0.1,claude-1,claude-8,claude-50,codex-8,opencode-8,xml-8"
CHECKED = ("claude-8", "opencode-8", "xml-8")
WORSE = 1.2
"""A ratio this much above the kept one is a regression."""
KEPT = Path(__file__).parent / "ratios.json"


def floors(log: Path, form: str) -> tuple[float, float]:
    """CPU seconds to read a log, and to read and decode it to plain values."""
    return cpu(lambda: _read(log)), cpu(lambda: _decoded(log, form))


def _read(log: Path) -> None:
    with log.open("rb") as stream:
        for _ in stream:
            pass


def _decoded(log: Path, form: str) -> None:
    if form == "xml":
        from lxml import etree

        for _, element in etree.iterparse(str(log), tag="msg", huge_tree=True):
            element.clear()
        return
    if form == "opencode":
        msgspec.json.decode(log.read_bytes())
        return
    decoder = msgspec.json.Decoder()
    with log.open("rb") as stream:
        for line in stream:
            decoder.decode(line)


def decoding(log: Path, form: str) -> float:
    """Time of the reader's decoding of JSON lines, as a multiple of the time of reading the lines."""
    from sessionlens.readers import claude_build, codex_build, jsonl
    from sessionlens.readers.source import Source

    def claude() -> None:
        for line in jsonl.lines(Source(log)):
            claude_build._event(line.data)

    def codex() -> None:
        for line in jsonl.lines(Source(log)):
            try:
                item = codex_build._USUAL.decode(line.data).payload
            except msgspec.DecodeError:
                jsonl.decode(line.data, codex_build._EVENT)
                continue
            kind = item.type if isinstance(item, codex_build._Item) else ""
            if kind == "token_count":
                codex_build._counts(item.info)
            elif kind == "function_call":
                codex_build._any(item.arguments)

    def read() -> None:
        for _ in jsonl.lines(Source(log)):
            pass

    decode = claude if form == "claude" else codex
    # Measured by turns: the machine may be twice as fast a moment later.
    return statistics.median(cpu(decode, 1) / cpu(read, 1) - 1 for _ in range(41))


def audited(log: Path, out: Path, times: int) -> Took:
    """The best of some audits."""
    found = []
    for _ in range(times):
        took = sessionlens("audit", log, "-o", out, "-q")
        if took.code:
            raise SystemExit(f"audit of {log.name} ended with {took.code}: {took.said}")
        found.append(took)
    best = min(found, key=lambda took: took.cpu)
    return best._replace(wall=min(took.wall for took in found), peak=max(took.peak for took in found))


def faults(log: Path, out: Path) -> set[tuple[str, int]]:
    """Rule and message of every fault that an audit reports."""
    took = sessionlens("audit", log, "-o", out, "-q")
    if took.code:
        raise SystemExit(f"audit of {log.name} ended with {took.code}: {took.said}")
    return {
        (row["rule"], row["at"]["message_index"])
        for row in json.loads(out.read_bytes())["findings"]
        if row["kind"] == "fault"
    }


def planted(labels: Path) -> set[tuple[str, int]]:
    """Rule and message of every fault that was planted."""
    return {
        (row["rule"], row["message_index"]) for row in map(json.loads, labels.read_text("utf-8").splitlines())
    }


def row(name: str, folder: Path, *, times: int, hits: bool) -> dict[str, Any]:
    """Measure one row, print it, and return its figures."""
    form, _, size = name.partition("-")
    count = max(3, min(FAULTS, round(float(size) * 4)))
    log, clean, labels = write(folder / name, float(size), count, form=form, twin=hits)
    read, decoded = floors(log, form)
    out = folder / "page.html"
    took = audited(log, out, times)
    shown = {
        "row": name,
        "x_read": round(took.cpu / read, 1),
        "x_decode": round(took.cpu / decoded, 1),
        "peak_mb": round(took.peak),
        "cpu": took.cpu,
    }
    found = ""
    if hits:
        there, seen = planted(labels), faults(log, folder / "out.json")
        twin = faults(clean, folder / "twin.json")
        found = f"{len(there & seen)} of {len(there)}, {len(twin)}"
        shown |= {"planted": len(there), "found": len(there & seen), "in_twin": len(twin)}
    print(
        f"| {name} | {took.wall:.2f} | {took.cpu:.2f} | {read:.3f} | {decoded:.3f} | {shown['x_read']:.0f} "
        f"| {shown['x_decode']:.1f} | {took.peak:.0f} | {out.stat().st_size / 1e6:.1f} | {found} |",
        flush=True,
    )
    for path in (log, clean):
        path.unlink(missing_ok=True)
    return shown


def exponents(rows: list[dict[str, Any]], form: str = "claude") -> tuple[float, float] | None:
    """Exponents of CPU over size: as measured from 1 MB on, and without what the smallest row takes to start."""
    sizes = {
        float(row["row"].partition("-")[2]): row["cpu"] for row in rows if row["row"].startswith(f"{form}-")
    }
    if len(sizes) < 4 or min(sizes) >= 1:
        return None
    start = sizes.pop(min(sizes))
    return _slope(sizes), _slope({size: max(seconds - start, 1e-3) for size, seconds in sizes.items()})


def _slope(points: dict[float, float]) -> float:
    xs, ys = [math.log(x) for x in points], [math.log(y) for y in points.values()]
    middle, height = sum(xs) / len(xs), sum(ys) / len(ys)
    up = sum((x - middle) * (y - height) for x, y in zip(xs, ys, strict=True))
    return up / sum((x - middle) ** 2 for x in xs)


def regressions(rows: list[dict[str, Any]], kept: dict[str, Any]) -> list[str]:
    """What is more than 20 % worse than what was kept: CPU over the floor of decoding, and memory."""
    known = {one["row"]: one for one in kept["rows"]}
    return [
        f"{one['row']}: {figure} is {one[figure]}, kept is {known[one['row']][figure]}"
        for one in rows
        if one["row"] in known
        for figure in ("x_decode", "peak_mb")
        if one[figure] > WORSE * known[one["row"]][figure]
    ]


def main() -> None:
    """Print a table in Markdown, and the exponents."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--rows", default=USUAL, help=f"form and megabytes of each; forms: {', '.join(FORMS)}"
    )
    parser.add_argument("--times", type=int, default=3, help="audits of each row, of which the best counts")
    parser.add_argument("--keep", action="store_true", help="keep the ratios")
    parser.add_argument("--check", action="store_true", help="compare with the kept ratios")
    given = parser.parse_args()
    names = CHECKED if given.check else given.rows.split(",")
    print(
        "| session | wall s | CPU s | read s | decode s | x read | x decode | peak MB | page MB | planted found, in twin |"
    )
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|---|")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        sessionlens("--version")
        rows = [row(name, folder, times=given.times, hits=not given.check) for name in names]
        worse = regressions(rows, json.loads(KEPT.read_text("utf-8"))) if given.check else []
        if worse:
            print("once more, since another process may have disturbed it:")
            again = {line.split(":", 1)[0] for line in worse}
            rows = [row(name, folder, times=2 * given.times, hits=False) for name in names if name in again]
            worse = regressions(rows, json.loads(KEPT.read_text("utf-8")))
        ratios = {}
        for form in () if given.check else ("claude", "codex"):
            log, _, _ = write(folder / form, 50, FAULTS, form=form, twin=False)
            ratios[form] = round(decoding(log, form), 2)
            print(f"decoding of {form} lines: {ratios[form]} times reading them")
    fitted = exponents(rows)
    if fitted is not None:
        print(
            f"CPU grows with size to the power of {fitted[0]:.2f}; without the time to start {fitted[1]:.2f}"
        )
    if given.keep:
        known = (
            {one["row"]: one for one in json.loads(KEPT.read_text("utf-8"))["rows"]} if KEPT.exists() else {}
        )
        known |= {one["row"]: {key: value for key, value in one.items() if key != "cpu"} for one in rows}
        document = {"rows": list(known.values()), "decoding": ratios, "exponents": fitted}
        KEPT.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    if worse:
        raise SystemExit("\n".join(worse))


if __name__ == "__main__":
    main()
