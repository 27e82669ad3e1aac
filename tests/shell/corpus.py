"""Reads every shell command of the corpus: crashes, share partly parsed, speed, and names the tables do not know.

Run as ``SESSIONLENS_CORPUS=… python tests/shell/corpus.py``. Prints figures and command names only, no log text.
"""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from sessionlens import readers
from sessionlens.shell import read, tools

CUT = frozenset({"claude-console", "opencode-run", "swe-agent"})
"""Formats that show commands cut to the screen, or that mix in commands of their own editor."""


def lines(corpus: Path) -> Iterator[tuple[str, str]]:
    """The format and every command line of every session that can be read."""
    for path in sorted(p for p in corpus.rglob("*") if p.is_file()):
        try:
            sessions = readers.read(path)
        except readers.ReadError:
            continue
        for session in (member for one in sessions for member in one.family()):
            for message in session.messages:
                for call in message.calls:
                    line = tools.command_line(call.name, call.arguments())
                    if line:
                        yield session.source_format, line


def main() -> int:
    """Print the figures; exit code 1 when one line in a hundred is only partly parsed."""
    place = os.environ.get("SESSIONLENS_CORPUS")
    if not place:
        print("set SESSIONLENS_CORPUS to a folder of logs", file=sys.stderr)
        return 2
    counted = Counter(lines(Path(place)))
    unknown: Counter[str] = Counter()
    broken: Counter[str] = Counter()
    begun = time.process_time()
    for (log, line), times in counted.items():
        commands = read(line)
        broken[log] += any(command.partly_parsed for command in commands)
        for command in commands:
            if command.note == "a command no table knows" and command.words:
                unknown[command.words[0].rsplit("/", 1)[-1]] += times
    took = time.process_time() - begun
    whole = sum(log not in CUT for log, _ in counted)
    partly = sum(times for log, times in broken.items() if log not in CUT)
    print(
        f"{counted.total()} commands, {len(counted)} different, {len(counted) / max(took, 1e-9):.0f} a second"
    )
    print(f"{whole} of them whole in their log, {partly} partly parsed ({partly / max(1, whole):.2%})")
    for log in sorted(CUT & set(broken)):
        print(f"{log}, whose commands are cut or not a shell's: {broken[log]} partly parsed")
    for name, times in unknown.most_common(50):
        print(f"{times:6} {name}")
    return partly * 100 > whole


if __name__ == "__main__":
    sys.exit(main())
