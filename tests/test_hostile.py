"""Hostile logs against the whole command: it ends in time, within memory, with one code and nothing raw on the terminal."""

from __future__ import annotations

import io
import json
import os
import resource
import sqlite3
import subprocess
import sys
import tarfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

MEMORY = 1_500_000_000
"""Address space of the command, in bytes: libraries take about half of it before anything is read."""
START_S = 12.0
"""Seconds that starting and the rules may take on a busy machine, whatever the input."""
PER_BYTE_S = 1 / 100_000
"""The promise: one second per 100 KB."""

CASES: dict[str, Callable[[Path], Path]] = {}


def case(make: Callable[[Path], Path]) -> Callable[[Path], Path]:
    CASES[make.__name__] = make
    return make


def written(path: Path, data: bytes | str) -> Path:
    path.write_bytes(data if isinstance(data, bytes) else data.encode("utf-8", "surrogatepass"))
    return path


def transcript(body: str, attributes: str = "") -> str:
    return f'<conversation_data format="sessionlens/1"{attributes}>{body}</conversation_data>'


def export(text: object, **info: object) -> str:
    message = {
        "info": {"id": "msg_1", "role": "assistant", "sessionID": "ses_1", "time": {"created": 1}},
        "parts": [{"id": "prt_1", "type": "text", "text": text, "messageID": "msg_1", "sessionID": "ses_1"}],
    }
    session = {"id": "ses_1", "title": "t", "version": "1.1.0", "time": {"created": 1, "updated": 2}, **info}
    return json.dumps({"info": session, "messages": [message]})


@case
def entities_that_multiply(folder: Path) -> Path:
    doctype = "".join(f'<!ENTITY a{n + 1} "{f"&a{n};" * 10}">' for n in range(12))
    return written(
        folder / "log.xml",
        f'<!DOCTYPE x [<!ENTITY a0 "ha">{doctype}]>' + transcript("<msg id='1'>&a12;</msg>"),
    )


@case
def an_entity_that_reads_a_file(folder: Path) -> Path:
    doctype = '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>'
    return written(folder / "log.xml", doctype + transcript("<msg id='1' role='user'><text>&e;</text></msg>"))


@case
def elements_a_hundred_thousand_deep(folder: Path) -> Path:
    return written(
        folder / "log.xml", transcript("<msg id='1' role='user'>" + "<text>" * 100_000 + "deep" + "</msg>")
    )


@case
def one_text_of_thirty_megabytes(folder: Path) -> Path:
    return written(
        folder / "log.xml",
        transcript(f"<msg id='1' role='assistant'><text>{'word ' * 6_000_000}</text></msg>"),
    )


@case
def an_attribute_of_ten_megabytes(folder: Path) -> Path:
    return written(
        folder / "log.xml",
        transcript(f"<msg id='1' role='user' model='{'m' * 10_000_000}'><text>x</text></msg>"),
    )


@case
def a_hundred_thousand_messages_without_anything(folder: Path) -> Path:
    return written(folder / "log.xml", transcript("<msg id='1'/>" * 100_000))


@case
def json_a_million_deep(folder: Path) -> Path:
    return written(
        folder / "log.json", '{"info":{"id":"ses_1"},"messages":' + "[" * 1_000_000 + "]" * 1_000_000 + "}"
    )


@case
def json_lines_a_million_deep(folder: Path) -> Path:
    line = (
        '{"type":"user","sessionId":"s","uuid":"u","message":{"role":"user","content":'
        + "[" * 1_000_000
        + "}}"
    )
    return written(folder / "log.jsonl", line + "\n" + line)


@case
def numbers_out_of_range(folder: Path) -> Path:
    text = export("x", time={"created": 10**400, "updated": -1}).replace('"created": 1}', '"created": 1e999}')
    return written(folder / "log.json", text)


@case
def lone_surrogates(folder: Path) -> Path:
    return written(folder / "log.json", export("half \ud800 of \udfff a character", title="\udc80"))


@case
def nul_and_directions_and_zero_width(folder: Path) -> Path:
    return written(
        folder / "log.json", export("a\0b \u202e evil \u2066 \u200b\u200b", title="\u202egpj.exe\0")
    )


@case
def escapes_in_titles_and_names(folder: Path) -> Path:
    hostile = "\x1b]0;owned\x07\x1b[2J\x1b[31mred\x9b5n"
    return written(folder / "log.json", export(hostile, title=hostile, version=hostile, id=f"ses_{hostile}"))


@case
def a_parent_chain_that_bites_its_tail(folder: Path) -> Path:
    rows = [
        {
            "type": "user" if n % 2 else "assistant",
            "sessionId": "s",
            "uuid": f"u{n}",
            "parentUuid": f"u{(n + 1) % 5_000}",
            "timestamp": "2026-01-01T00:00:00Z",
            "message": {"role": "user" if n % 2 else "assistant", "content": "x"},
        }
        for n in range(5_000)
    ]
    return written(folder / "log.jsonl", "\n".join(json.dumps(row) for row in rows))


@case
def a_command_of_brackets_and_quotes(folder: Path) -> Path:
    bodies = "".join(
        f"<msg id='{n}' role='assistant'><tool name='bash' call='c{n}'><input>{json.dumps({'command': c})}</input>"
        "<output>x</output></tool></msg>"
        for n, c in enumerate(("(" * 30_000, "'" * 50_001, "`" * 20_001, "ssh a " * 5_000, "x|" * 20_000))
    )
    return written(folder / "log.xml", transcript(bodies))


@case
def prose_made_to_make_patterns_backtrack(folder: Path) -> Path:
    texts = ("not " * 50_000, "the the " * 30_000, "a." * 60_000, "timed " * 40_000 + "out", "!" * 100_000)
    bodies = "".join(
        f"<msg id='{n}' role='assistant'><text>{text}</text></msg>" for n, text in enumerate(texts)
    )
    return written(folder / "log.xml", transcript(bodies))


@case
def a_zip_that_unpacks_to_a_thousand_times_its_size(folder: Path) -> Path:
    with zipfile.ZipFile(folder / "log.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for n in range(2):
            archive.writestr(f"{n}.json", b" " * 400_000_000)
    return folder / "log.zip"


@case
def an_archive_that_climbs_out(folder: Path) -> Path:
    with tarfile.open(folder / "log.tar.gz", "w:gz") as archive:
        for name in ("../../escaped.json", "/tmp/escaped.json"):
            data = export("x").encode()
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
        link = tarfile.TarInfo("link.json")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    return folder / "log.tar.gz"


@case
def a_folder_that_links_to_itself(folder: Path) -> Path:
    inner = folder / "logs"
    inner.mkdir()
    (inner / "again").symlink_to(inner, target_is_directory=True)
    (inner / "loop").symlink_to(inner / "loop")
    os.mkfifo(inner / "pipe.json")
    (inner / "zero.json").symlink_to("/dev/zero")
    written(inner / "log.json", export("x"))
    return inner


@case
def a_pipe_nobody_writes_to(folder: Path) -> Path:
    os.mkfifo(folder / "log.json")
    return folder / "log.json"


@case
def a_device_without_end(folder: Path) -> Path:
    (folder / "log.json").symlink_to("/dev/zero")
    return folder / "log.json"


@case
def a_database_whose_tables_are_views_that_never_end(folder: Path) -> Path:
    with sqlite3.connect(folder / "opencode.db") as db:
        forever = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x AS id, x AS data, x AS session_id, x AS message_id, x AS title, x AS version FROM n"
        for name in ("session", "message", "part"):
            db.execute(f"CREATE VIEW {name} AS {forever}")
    db.close()
    return folder / "opencode.db"


@case
def a_database_with_torn_pages(folder: Path) -> Path:
    path = folder / "opencode.db"
    with sqlite3.connect(path) as db:
        db.execute(
            "CREATE TABLE session (id TEXT PRIMARY KEY, title TEXT, version TEXT, time_created INT, time_updated INT)"
        )
        db.execute("CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INT, data TEXT)")
        db.execute(
            "CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INT, data TEXT)"
        )
        db.execute("CREATE TRIGGER t AFTER INSERT ON part BEGIN DELETE FROM session; END")
        db.executemany(
            "INSERT INTO message VALUES (?, 's', 1, ?)", ((f"m{n}", "{" * 3_000) for n in range(200))
        )
    db.close()
    data = bytearray(path.read_bytes())
    for at in range(4096 * 3, len(data), 4096):
        data[at : at + 64] = os.urandom(64)
    return written(path, bytes(data))


@pytest.mark.parametrize("name", CASES)
def test_hostile_logs_are_survived(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    source = CASES[name](folder)
    size = source.stat().st_size if source.is_file() and not source.is_symlink() else 0
    out = tmp_path / "out"
    out.mkdir()
    began = time.monotonic()
    ran = subprocess.run(
        [
            sys.executable,
            "-m",
            "sessionlens",
            "audit",
            str(source),
            "-o",
            "a.json",
            "-o",
            "a.html",
            "-o",
            "a.md",
        ],
        cwd=out,
        capture_output=True,
        timeout=300,
        check=False,
        stdin=subprocess.DEVNULL,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
    )
    took = time.monotonic() - began
    said = ran.stderr.decode("utf-8", "replace")
    assert ran.returncode in (0, 3), said
    assert "Traceback" not in said
    assert took < START_S + size * PER_BYTE_S, f"{took:.1f} s for {size:,} bytes"
    assert not any(c in said for c in "\x1b\x07\x9b\0\u202e\u2066\u200b"), (
        "raw control characters on the terminal"
    )
    assert ran.stdout == b""
    if ran.returncode == 3 and not list(out.iterdir()):
        assert said.strip(), "a source that cannot be read is told"
    for file in out.rglob("*"):
        if file.is_file():
            assert "root:x:0:0" not in file.read_text(encoding="utf-8", errors="replace")
    assert not Path("/tmp/escaped.json").exists()
    assert not (tmp_path.parent / "escaped.json").exists()
