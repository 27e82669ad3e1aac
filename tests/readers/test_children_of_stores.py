"""What a child session of a store left open is seen in the audit of its parent."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from sessionlens import engine, readers
from sessionlens.loader import classes, select
from sessionlens.report import json as json_form

STORE = Path(__file__).parents[2] / "fixtures" / "opencode_db" / "1.14.41" / "opencode.db"

CUT_OFF = (
    "<shell_metadata>\nshell tool terminated command after exceeding timeout 15000 ms. If this command is expected "
    "to take longer and is not waiting for interactive input, retry with a larger timeout value in milliseconds.\n"
    "</shell_metadata>"
)


@pytest.fixture
def family(tmp_path: Path) -> tuple[Path, str, str]:
    """A store whose subagent restarts a service of a remote host and is cut off; ids of parent and child."""
    path = tmp_path / "opencode.db"
    shutil.copyfile(STORE, path)
    with closing(sqlite3.connect(path)) as connection:
        parent, child = connection.execute(
            "SELECT parent_id, id FROM session WHERE parent_id IS NOT NULL"
        ).fetchone()
        rows = connection.execute("SELECT id, data FROM part WHERE session_id = ?", (child,)).fetchall()
        for identifier, data in rows:
            part = json.loads(data)
            if part["type"] == "tool":
                part["tool"] = "bash"
                began = part["state"]["time"]["start"]
                part["state"] = {
                    "status": "completed",
                    "input": {"command": "ssh root@gpu7 systemctl restart vllm", "timeout": 15000},
                    "output": CUT_OFF,
                    "title": "Restart",
                    "metadata": {"output": "", "exit": None, "truncated": False},
                    "time": {"start": began, "end": began + 15010},
                }
            elif part["type"] == "text" and "There is" in part["text"]:
                part["text"] = "I looked at the toml files: there is one."
            connection.execute("UPDATE part SET data = ? WHERE id = ?", (json.dumps(part), identifier))
        connection.commit()
    return path, parent, child


def audited(path: Path, session: str) -> Any:
    (found,) = readers.read(path, session=session)
    return json.loads(json_form.render(engine.audit(found, rules=select(classes()).rules)))


def test_what_a_child_left_open_is_the_parents_to_report(family: tuple[Path, str, str]) -> None:
    path, parent, child = family
    audit = audited(path, parent)
    assert audit["session"]["children"] == [child]
    (operation,) = audit["ledger"]
    assert operation["session"] == child
    assert operation["target"]["name"] == "vllm"
    assert operation["target"]["host"] == "gpu7"
    assert operation["opened_by"] == "cut_off"
    assert operation["closed_by"] == "none"
    assert audit["stats"]["never_closed"] == 1
    (restart,) = [row for row in audit["findings"] if row["rule"] == "unacknowledged-long-running-restart"]
    assert restart["at"]["session"] == child
    assert restart["kind"] == "fault"
    assert restart["severity"] in ("high", "critical")


def _say(path: Path, session: str, text: str) -> None:
    """Put words into the last text of a session."""
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute(
            "SELECT id, data FROM part WHERE session_id = ? ORDER BY id", (session,)
        ).fetchall()
        identifier, data = [row for row in rows if json.loads(row[1])["type"] == "text"][-1]
        part = {**json.loads(data), "text": text}
        connection.execute("UPDATE part SET data = ? WHERE id = ?", (json.dumps(part), identifier))
        connection.commit()


def test_the_parents_own_words_acknowledge_it(family: tuple[Path, str, str]) -> None:
    path, parent, child = family
    _say(path, child, "The restart of vllm was cut off after 15 s; I do not know whether it came back up.")
    _say(
        path,
        parent,
        "The subagent's restart of vllm on gpu7 was cut off by the time limit; it is not confirmed.",
    )
    audit = audited(path, parent)
    assert [row["session"] for row in audit["ledger"]] == [child]
    assert "unacknowledged-long-running-restart" not in [
        row["rule"] for row in audit["findings"] if row["kind"] == "fault"
    ]


def test_a_child_read_alone_is_judged_alone(family: tuple[Path, str, str]) -> None:
    path, parent, child = family
    audit = audited(path, child)
    assert audit["session"]["parent"] == parent
    assert [row["session"] for row in audit["ledger"]] == [child]
