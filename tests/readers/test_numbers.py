"""Numbers that no program counts to: what is read stays a session that every writer can write."""

from __future__ import annotations

import io
import json
import re
import sqlite3
from pathlib import Path

import pytest

from sessionlens import readers
from sessionlens.model import content
from sessionlens.readers.jsonl import integer
from sessionlens.report import transcript_xml

FIXTURES = Path(__file__).parents[2] / "fixtures"
LOGS = ("opencode_export/1.2.1_abort_tool.json", "opencode_v2/1.18.34_timeout_empty.jsonl", "openhands/terminal.json",
        "swe_agent/mini.traj.json", "opencode_share/timeout_empty.json",
        "otel_genai/agents.json")  # fmt: skip


@pytest.mark.parametrize("log", LOGS)
@pytest.mark.parametrize("number", ["1e300", "-1e19", "99999999999999999999999"])
def test_a_transcript_holds_whatever_was_read(log: str, number: str, tmp_path: Path) -> None:
    text = (FIXTURES / log).read_text("utf-8")
    changed = re.sub(r"(:\s*)\d+(?=[,}\s])", lambda found: found[1] + number, text)
    assert changed != text
    source = tmp_path / Path(log).name
    source.write_text(changed, "utf-8")
    found = readers.scan(source).sessions
    out = io.StringIO()
    transcript_xml.write(found, out)
    written = tmp_path / "log.xml"
    written.write_text(out.getvalue(), "utf-8")
    assert [content(one) for one in readers.scan(written).sessions] == [content(one) for one in found]


def test_eighteen_digits_are_the_most() -> None:
    assert integer(10**18 - 1) == 10**18 - 1
    assert [
        integer(value) for value in (10**18, -(10**18), 1e300, float("inf"), float("nan"), True, "1")
    ] == [None] * 7


def test_nanoseconds_as_numbers(tmp_path: Path) -> None:
    log = json.loads((FIXTURES / "otel_genai/agents.json").read_text("utf-8"))
    numbers = re.sub(r'(UnixNano": )"(\d+)"', r"\1\2", json.dumps(log))
    assert numbers != json.dumps(log)
    both = []
    for name, text in (("a.json", json.dumps(log)), ("b.json", numbers)):
        (tmp_path / name).write_text(text, "utf-8")
        both.append([one.started for one in readers.scan(tmp_path / name).sessions])
    assert both[0] == both[1]
    assert both[0][0] is not None


@pytest.mark.parametrize(
    ("column", "value"),
    [("revert", 7), ("revert", 1.5), ("time_created", 9e999), ("time_updated", "x"), ("title", 3)],
)
def test_columns_of_a_store_hold_anything(column: str, value: object, tmp_path: Path) -> None:
    store = tmp_path / "opencode.db"
    store.write_bytes((FIXTURES / "opencode_db/1.14.41/opencode.db").read_bytes())
    db = sqlite3.connect(store)
    with db:
        db.execute(f"UPDATE session SET {column} = ?", (value,))
    db.close()
    assert readers.scan(store).sessions[0].messages
