"""Damaged logs for the whole tool, for some time: no crash, no hang, one clear error or a result.

    python tests/fuzz/audits.py 60 [SEED]

Takes the fixtures, damages them (cut, swapped, doubled, flipped and spliced pieces, hostile snippets), audits each in
this process as the command would, and checks: the exit code is 0 or 3, no fault of our own was reported, the JSON is
whole and valid against its schema, and no case took longer than ten seconds. Prints the seed and keeps the input of
each failure in the current folder.
"""

from __future__ import annotations

import contextlib
import io
import json
import random
import sys
import tempfile
import time
from pathlib import Path

import jsonschema

from sessionlens.cli import cli
from sessionlens.cli.codes import guarded
from sessionlens.report.json import schema

FIXTURES = Path(__file__).resolve().parent.parent.parent / "fixtures"
LONGEST_S = 10.0
SNIPPETS = (
    b"<msg id=1>", b"</msg>", b"</conversation_data>", b"<!DOCTYPE x [<!ENTITY a 'b'>]>", b"&a;", b"<![CDATA[", b"]]>",
    b"\x00", b"\xff\xfe", b"\xed\xa0\x80", b"\x1b[2J", b"{", b"}", b'"', b"\\ud800", b"[" * 2000, b"(" * 2000,
    b"$(" * 500, b"<<'EOF'\n", b'"timeout": 1e400', b"-1", b"null", b"[bash] ssh h 'systemctl restart x'\n",
    b"exceeding timeout 99999999999999999999 ms", "\u202e".encode(), b"a" * 20_000, b"\n" * 5_000,
)  # fmt: skip


def damaged(data: bytes, rng: random.Random, others: list[bytes]) -> bytes:
    """The data after one to six injuries."""
    for _ in range(rng.randint(1, 6)):
        a, b = sorted((rng.randint(0, len(data)), rng.randint(0, len(data))))
        b = min(b, a + rng.choice((1, 20, 400, len(data))))
        kind = rng.randrange(7)
        if kind == 0:
            data = data[:b]
        elif kind == 1:
            data = data[:a] + data[b:]
        elif kind == 2:
            data = data[:b] + data[a:b] + data[b:]
        elif kind == 3 and data:
            at = min(a, len(data) - 1)
            data = data[:at] + bytes([data[at] ^ (1 << rng.randrange(8))]) + data[at + 1 :]
        elif kind == 4:
            other = rng.choice(others)
            start = rng.randint(0, len(other))
            data = data[:a] + other[start : start + rng.choice((10, 300, 3000))] + data[b:]
        else:
            data = data[:a] + rng.choice(SNIPPETS) + data[a:]
        data = data[:2_000_000]
    return data


def problem(log: Path, out: Path, validator: jsonschema.Draft202012Validator) -> str | None:
    """What is wrong with the audit of one log; ``None`` when nothing is."""
    out.unlink(missing_ok=True)
    errors = io.StringIO()
    began = time.monotonic()
    try:
        with contextlib.redirect_stderr(errors):
            code = guarded(cli, ["audit", str(log), "-o", str(out), "-o", f"{out.with_suffix('')}/", "-q"])
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    took = time.monotonic() - began
    told = errors.getvalue()
    if took > LONGEST_S:
        return f"took {took:.1f} s"
    if code not in (0, 3) or "a fault of sessionlens" in told or "Traceback" in told:
        return f"exit {code}: {told.strip()[:500]}"
    if (code == 0) != out.exists():
        return f"exit {code}, and the result is {'there' if out.exists() else 'missing'}"
    if code == 0:
        document = json.loads(out.read_bytes())
        for one in document.get("audits", [document]):
            for wrong in validator.iter_errors(one):
                return f"JSON: {wrong.message[:300]}"
    return None


def main() -> int:
    """Damage and audit until the time is over."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.SystemRandom().randrange(10**6)
    rng = random.Random(seed)
    validator = jsonschema.Draft202012Validator(schema())
    logs = [
        file.read_bytes() for file in sorted(FIXTURES.rglob("*")) if file.suffix in (".xml", ".json", ".db")
    ]
    logs = [data for data in logs if len(data) < 1_000_000]
    print(f"seed {seed}, {len(logs)} logs, {seconds:g} s")
    failures = cases = 0
    end = time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as folder:
        while time.monotonic() < end:
            data = damaged(rng.choice(logs), rng, logs)
            log, out = Path(folder) / "log", Path(folder) / "out.json"
            log.write_bytes(data)
            wrong = problem(log, out, validator)
            cases += 1
            if wrong is not None:
                failures += 1
                kept = Path(f"fuzz-{seed}-{cases}")
                kept.write_bytes(data)
                print(f"{kept}: {wrong}")
    print(f"{cases} cases, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
