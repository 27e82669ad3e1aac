"""One target under atheris: coverage-guided, going on after what it finds.

    python tests/fuzz/harness.py TARGET WORK [--seconds N] [--runs N] [--seed N]   searches; WORK keeps all of it
    python tests/fuzz/harness.py TARGET --repeat FILE…                              runs single inputs, without atheris

What a target raises is kept once a place of the code, as ``WORK/crashes/<target>-<hash>``, with what was raised and
the command to repeat it beside it. A fault of a library in C ends the process; libFuzzer keeps its input.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import signal
import sys
import time
import traceback
from pathlib import Path
from types import FrameType
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

ALLOWANCE_S = 1.0
"""Seconds of the processor that any input may take."""
PER_BYTE_S = 1 / 100_000
"""The promise: one second per 100 KB."""
WATCHED = 3.0
"""How much slower a program is while atheris watches it."""
HANGS_S = 60
"""Seconds of the processor after which a run is stopped."""
RSS_MB = 2_000


class Hung(BaseException):
    """A run took too long. No ``Exception``, so that nothing catches it by accident."""


def _ring(_signal: int, _frame: FrameType | None) -> None:
    raise Hung


def place_of(error: BaseException) -> str:
    """The innermost frames that are ours, and the kind of error: one fault is kept once."""
    frames = [
        f"{Path(frame.filename).name}:{frame.name}:{frame.lineno}"
        for frame in traceback.extract_tb(error.__traceback__)
        if "sessionlens" in frame.filename or HERE.name in Path(frame.filename).parts[-2:]
    ]
    frames = [frame for frame in frames if ":holds:" not in frame]
    said = re.sub(r"\d+|'.*", "", str(error))[:24] if isinstance(error, AssertionError) else ""
    return f"{type(error).__name__} {said} {frames[-1] if frames else ''}"


class Watch:
    """Counts the runs of one target, and keeps what must not be forgotten."""

    def __init__(self, name: str, check: Any, work: Path, runs: int, tidy: Any) -> None:
        self.tidy = tidy
        self.name, self.check, self.work, self.most = name, check, work, runs
        self.crashes = work / "crashes"
        self.crashes.mkdir(parents=True, exist_ok=True)
        self.file = name.replace(":", "-")
        self.current = os.open(work / f"current-{self.file}", os.O_WRONLY | os.O_CREAT, 0o600)
        self.runs = 0
        self.found: dict[str, str] = {}
        self.slowest, self.slowest_bytes = 0.0, 0
        self.began = self.told = time.monotonic()

    def one(self, data: bytes) -> None:
        """One run."""
        # Whoever ends a process that hangs finds its input here.
        os.ftruncate(self.current, 0)
        os.pwrite(self.current, data, 0)
        began = time.process_time()
        signal.setitimer(signal.ITIMER_VIRTUAL, HANGS_S)
        try:
            self.check(data)
        except (Exception, Hung, SystemExit) as error:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            self.keep(data, place_of(error), "".join(traceback.format_exception(error)))
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        took = time.process_time() - began
        self.runs += 1
        if took > self.slowest:
            self.slowest, self.slowest_bytes = took, len(data)
            (self.work / f"slowest-{self.file}").write_bytes(data)
        if took > WATCHED * (ALLOWANCE_S + len(data) * PER_BYTE_S):
            self.keep(
                data, f"slow {took / (1 + len(data) // 2000):.0f}", f"{took:.1f} s for {len(data)} bytes\n"
            )
        if self.runs % 500 == 0:
            self.tidy()
        if time.monotonic() - self.told > 2 or self.runs == self.most:
            self.tell()

    def keep(self, data: bytes, place: str, said: str) -> None:
        if place in self.found or len(self.found) > 200:
            return
        name = f"{self.file}-{hashlib.sha256(data).hexdigest()[:12]}"
        self.found[place] = name
        (self.crashes / name).write_bytes(data)
        command = f"python tests/fuzz/harness.py {self.name} --repeat {self.crashes / name}"
        (self.crashes / f"{name}.txt").write_text(f"{command}\n\n{said}", "utf-8", "replace")
        print(f"{self.name}: {place}\n  {command}", flush=True)
        self.tell()

    def tell(self) -> None:
        """What is known so far, for who started this."""
        self.told = time.monotonic()
        known = {
            "runs": self.runs,
            "crashes": len(self.found),
            "slowest_s": round(self.slowest, 3),
            "slowest_bytes": self.slowest_bytes,
            "seconds": round(self.told - self.began, 1),
        }
        (self.work / f"{self.file}.json").write_text(json.dumps(known))


def repeat(name: str, files: list[Path]) -> int:
    """Run single inputs as they are; what fails ends it."""
    import targets

    targets.load_all()
    check = {**targets.TARGETS, **targets.READER_TARGETS}[name]
    slow = 0
    for file in files:
        data = file.read_bytes()
        began = time.process_time()
        check(data)
        took = time.process_time() - began
        allowed = ALLOWANCE_S + len(data) * PER_BYTE_S
        slow += took > allowed
        print(f"{file}: {len(data)} bytes, {took:.2f} s{' TOO SLOW' if took > allowed else ''}")
    return 1 if slow else 0


def main() -> int:
    """Search or repeat."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("target")
    parser.add_argument("work", type=Path, nargs="?", default=Path("fuzz-work"))
    parser.add_argument("--repeat", type=Path, nargs="+", metavar="FILE")
    parser.add_argument("--seconds", type=int, default=0)
    parser.add_argument("--runs", type=int, default=-1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--longest", type=int, default=8_192, help="bytes of an input")
    given = parser.parse_args()
    if given.repeat:
        return repeat(given.target, given.repeat)
    try:
        import atheris
    except ImportError:
        parser.error("atheris is missing: pip install --group fuzz")
    with atheris.instrument_imports(include=["sessionlens"]):
        import targets

        # Much is imported only when it is first needed, and has to be watched too.
        targets.load_all()
    import seeds

    check = {**targets.TARGETS, **targets.READER_TARGETS}[given.target]
    work: Path = given.work.resolve()
    grown = work / "corpus" / given.target.replace(":", "-")
    grown.mkdir(parents=True, exist_ok=True)
    sown = work / "seeds" / given.target.replace(":", "-")
    seeds.write(given.target, sown)
    watch = Watch(given.target, check, work, given.runs, targets.tidy)
    signal.signal(signal.SIGVTALRM, _ring)
    os.chdir(work)
    flags = [
        f"-dict={HERE / 'words.dict'}", f"-max_len={given.longest}", f"-rss_limit_mb={RSS_MB}", f"-timeout={6 * HANGS_S}",
        f"-max_total_time={given.seconds}", f"-runs={given.runs}", f"-seed={given.seed}", "-verbosity=0",
        "-print_final_stats=0", f"-artifact_prefix={watch.crashes}/{watch.file}-", "-reload=0", "-len_control=20",
    ]  # fmt: skip
    kept = HERE / "corpus" / given.target.partition(":")[0]
    folders = [str(grown), str(sown), *([str(kept)] if kept.is_dir() and ":" not in given.target else [])]
    atheris.Setup([sys.argv[0], *flags, *folders], watch.one, enable_python_coverage=True)
    atheris.Fuzz()
    return 0


if __name__ == "__main__":
    sys.exit(main())
