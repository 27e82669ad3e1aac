"""What the readers of text formats share: recognition, places, half and damaged files, long texts, nothing lost."""

from __future__ import annotations

import contextlib
import csv
import json
import os
import pickle
import random
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from sessionlens import capabilities, readers
from sessionlens.model import LONG, Call, Session, Text, content
from sessionlens.readers import ReadError, Source
from sessionlens.readers.text_log import Page, decode, decoded_twice, shown_call, utc

FIXTURES = Path(__file__).parents[2] / "fixtures"
FOLDERS = {
    "opencode-md": "opencode_md",
    "opencode-run": "opencode_run",
    "opencode-run-json": "opencode_run_json",
    "opencode-events": "opencode_events",
    "opencode-share": "opencode_share",
    "opencode-chat-md": "opencode_chat_md",
    "claude-console": "claude_console",
    "claude-md": "claude_md",
    "specstory": "specstory",
    "aider": "aider",
}
FILES = [(name, path) for name, folder in FOLDERS.items() for path in sorted((FIXTURES / folder).iterdir())]
READ = [(name, path) for name, path in FILES if path.name != "index.md"]
every = pytest.mark.parametrize(("name", "path"), READ, ids=[f"{n}/{p.name}" for n, p in READ])


def family(sessions: list[Session]) -> list[Session]:
    return [one for session in sessions for one in session.family()]


def texts(session: Session) -> list[Text]:
    found: list[Text] = []
    for message in session.messages:
        for part in message.parts:
            for field in part.__struct_fields__:
                value = getattr(part, field)
                if isinstance(value, Text):
                    found.append(value)
    return found


@pytest.mark.parametrize(("name", "path"), FILES, ids=[f"{n}/{p.name}" for n, p in FILES])
def test_one_reader_and_no_other_recognises_it(name: str, path: Path, tmp_path: Path):
    unnamed = tmp_path / "log"
    unnamed.write_bytes(path.read_bytes())
    claimed = [
        known for known, _ in readers.READERS if readers.get(known).recognises(Source(unnamed)) is None
    ]
    assert claimed == [name]


@every
def test_every_part_knows_its_place(name: str, path: Path):
    data = path.read_bytes()
    for session in family(readers.read(path)):
        assert session.source_format == name
        assert [message.index for message in session.messages] == list(range(len(session.messages)))
        places = [part.origin for message in session.messages for part in message.parts]
        places += [message.origin for message in session.messages]
        places += [gap.origin for gap in session.gaps if gap.origin.offset is not None]
        for origin in places:
            assert origin.offset is not None
            assert origin.length is not None
            assert 0 <= origin.offset <= origin.offset + origin.length <= len(data)
            assert origin.line == data.count(b"\n", 0, origin.offset) + 1


@every
def test_windows_line_ends_change_nothing(name: str, path: Path, tmp_path: Path):
    other = tmp_path / path.name
    other.write_bytes(path.read_bytes().replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"))
    assert [content(one) for one in readers.read(other)] == [content(one) for one in readers.read(path)]


@every
def test_utf_16_and_a_byte_order_mark_change_nothing(name: str, path: Path, tmp_path: Path):
    text = path.read_text("utf-8")
    expected = [content(one) for one in readers.read(path)]
    for encoding in ("utf-16", "utf-8-sig"):
        other = tmp_path / encoding / path.name
        other.parent.mkdir()
        other.write_bytes(text.encode(encoding))
        assert [content(one) for one in readers.read(other)] == expected, encoding


@every
def test_half_a_file_is_read_or_refused_in_words(name: str, path: Path, tmp_path: Path):
    data = path.read_bytes()
    half = tmp_path / path.name
    step = max(1, len(data) // 40)
    for end in range(step, len(data), step):
        half.write_bytes(data[:end])
        refused = ""
        try:
            for session in family(readers.read(half, reader=name)):
                [text.whole() for text in texts(session)]
        except ReadError as error:
            refused = str(error)
        assert str(half) not in refused


@every
def test_damaged_files_never_crash_a_reader(name: str, path: Path, tmp_path: Path):
    chance = random.Random(path.name)
    data = bytearray(path.read_bytes())
    broken = tmp_path / path.name
    for _ in range(12):
        damaged = bytearray(data)
        for _ in range(20):
            at = chance.randrange(len(damaged))
            damaged[at : at + chance.randrange(4)] = chance.choice(
                (b"\xff\xfe", b"```\n", b"\n---\n", b"\x1b[0m", b'"', b"{", b"\x00", b"\n> ", b"")
            )
        broken.write_bytes(damaged)
        try:
            readers.read(broken, reader=name)
        except ReadError:
            continue


# Marks of the formats that are no content, and what is told by other means than a text.
MARKS = re.compile(
    r"Session|Created|Updated|Assistant|Agent|User|Tool|Input|Output|Error|Thinking|Build|Plan|Mock|Sonnet|json|text|"
    r"bash|Generated|SpecStory|Markdown|details|summary|think\w*|Thought|Process|tool|data|type|name|shell|write|read|"
    r"generic|sidechain|Compaction|Claude|Code|Export|Information|Project|Path|Conversation|content|signature|"
    r"use|image|source|media|base64|iVBORw0KGgo|failed|matches|Read|Edit|Glob|Todos|build|sonnet|OpenCode|Chat|"
    r"Title|Slug|Message|count|Notes|This|keeps|parts|only|sibling|file|full|structured|Use|quiet|harbour|recorded|"
    r"captured|message|started|aider|user|assistant|line|lines|Shell|Listing|databases|"
    r"Welcome|Running|Update|Search|Bash|pattern|path|path|port|Todos|timeout|opus|haiku|claude|synthetic|hologram|"
    r"directory|version|error|false|true|result|toolu|tool_use_id|_Thinking|markdown|ReadFile|input|is_error|bbba|bbeb"
)


def strings(value: object) -> Iterator[str]:
    """Every text in a value; JSON within a text decoded, too."""
    if isinstance(value, str):
        yield value
        if value.startswith(("{", "[")):
            with contextlib.suppress(ValueError):
                yield from strings(json.loads(value))
    elif isinstance(value, dict):
        for one in value.values():
            yield from strings(one)
    elif isinstance(value, list):
        for one in value:
            yield from strings(one)


@every
def test_no_word_of_the_log_vanishes(name: str, path: Path):
    if path.suffix in (".jsonl", ".json"):
        pytest.skip("machine-made records: compared with the export instead")
    page = Page(Source(path), ("ansi",) if ".ansi" in path.name else ())
    if path.name == "decoded_twice.txt":
        page.forms = ("cp437",)
    sessions = readers.read(path)
    shown = " ".join(strings([content(one) for one in sessions]))
    spots = [
        (gap.origin.offset, gap.origin.offset + (gap.origin.length or 0))
        for one in family(sessions)
        for gap in one.all_gaps()
        if gap.origin.offset is not None
    ]
    text = re.sub(r"\\[nt]", " ", page.decode(0, page.end))
    told = " ".join(page.decode(begin, end) for begin, end in spots if end - begin < 2000)
    whole = f"{shown} {told}"
    words = {word for word in re.findall(r"[A-Za-z_]{4,}", text) if not MARKS.fullmatch(word)}
    lost = sorted(word for word in words if word not in whole)
    assert not lost


@every
def test_transcript_xml_of_it_reads_the_same(name: str, path: Path, tmp_path: Path):
    from sessionlens.report import transcript_xml

    sessions = readers.read(path)
    log = tmp_path / "log.xml"
    with log.open("w", encoding="utf-8") as stream:
        transcript_xml.write(sessions, stream)
    assert [content(one) for one in readers.read(log)] == [content(one) for one in sessions]


def test_a_long_text_is_a_handle_that_survives_pickling(tmp_path: Path):
    long = "\n".join(f"line {number} of the output" for number in range(2000))
    log = tmp_path / "long.md"
    head = "# t\n\n**Session ID:** ses_1c0ffee00ffe\n\n---\n\n## Assistant (Build · M · 1.0s)\n\n**Tool: bash**\n\n"
    body = (
        f'**Input:**\n```json\n{{"command": "{"x" * 9000}"}}\n```\n\n**Output:**\n```\n{long}\n```\n\n---\n'
    )
    log.write_text(head + body, encoding="utf-8")
    (session,) = readers.read(log)
    (call,) = pickle.loads(pickle.dumps(session)).messages[0].calls
    assert call.output.long
    assert call.output.whole() == long
    assert call.input.long
    assert call.arguments() == {"command": "x" * 9000}
    log.write_text(head.replace("bash", "BASH") + body.replace("line 7 ", "line 8 "), encoding="utf-8")
    assert "no longer holds" in call.output.whole()


def test_long_strings_in_json_are_read_again(tmp_path: Path):
    text = "word " * 4000
    log = tmp_path / "long.md"
    block = json.dumps([{"type": "text", "text": text}])
    log.write_text(
        f"# Claude Session Export\n\n- **Session ID**: `0a1b2c3d-1111`\n\n### User\n> x\n\n{block}\n", "utf-8"
    )
    (session,) = readers.read(log)
    (part,) = session.messages[0].texts()
    assert part.text.long
    assert pickle.loads(pickle.dumps(part)).text.whole() == text
    log.write_text("gone", encoding="utf-8")
    assert "no longer holds" in part.text.whole()


def test_bytes_that_are_no_utf_8_are_told(tmp_path: Path):
    log = tmp_path / "latin.md"
    head = b"# aider chat started at 2026-05-01 08:00:00\n\n#### caf\xe9  \n\nfine\n"
    log.write_bytes(head)
    (session,) = readers.read(log)
    assert "no UTF-8" in session.gaps[0].reason
    assert session.gaps[0].origin.line == 3
    assert next(session.messages[0].texts()).text.head == "caf\ufffd"


def test_forms_of_text():
    assert decode(b"\x1b[31mred\x1b[0m\x1b]0;title\x07 x\ry", ("ansi",)) == "red x\ny"
    twice = "⎿ done … ✻".encode().decode("cp437")
    assert decoded_twice(twice, "cp437") == "⎿ done … ✻"
    assert decoded_twice("plain ascii, Größe", "cp437") == "plain ascii, Größe"
    assert utc("2026-06-15 09:02:56Z") == 1781514176000
    assert utc("2026-06-15T10:02:56+01:00") == 1781514176000
    assert utc("2026-06-15 09:02:56") is None
    assert utc("6/15/2025, 9:30:00 AM") is None


def call(name: str, output: str, client: str = "claude-code", arguments: str = '{"command": "x"}') -> Call:
    from sessionlens.model import NOWHERE

    return shown_call(name=name, input=Text(arguments), client=client, output=Text(output), origin=NOWHERE)


def test_the_end_of_a_call_is_told_by_the_clients_words():
    assert call("Bash", "Command timed out after 2m 0.0s\npartial").timed_out
    assert call("Bash", "Command timed out after 15s").limit_ms == 15_000
    assert call("Bash", "Exit code 137\nKilled").exit == 137
    assert call("Bash", "ok", arguments='{"command": "x", "run_in_background": true}').background
    assert call("Bash", "Command running in background with ID: b31f1b9. Output is …").background
    assert call("bash", "User aborted the command", "opencode").interrupted
    # A log that is read may quote all of it.
    assert not call("Read", "Command timed out after 2m 0.0s").timed_out
    assert not call(
        "read", "bash tool terminated command after exceeding timeout 3000 ms", "opencode"
    ).timed_out
    assert call("read", "x", "opencode").limit_ms is None


FIRST = {
    "opencode-md": b"# t\n\n**Session ID:** ses_1c0ffee00ffe\n\n---\n\n## Assistant (B \xc2\xb7 M \xc2\xb7 1s)\n\n"
    b"**Tool: bash**\n\n**Input:**\n```json\n{}\n```\n\n**Output:**\n```\n",
    "specstory": b"<!-- Generated by SpecStory -->\n\n_**Agent (m)**_\n\n",
    "claude-console": "⏺ Bash(a\n  ⎿  b\n⏺ c\n│ ✔  Shell a".encode(),
    "opencode-run": b"\x1b[0m> build \xc2\xb7 m\n\x1b[0m$ \x1b[0mx\n",
    "opencode-chat-md": b"## OpenCode Chat Export\n- Session ID: ses_1c0ffee00ffe\n### 1. user (2026-06-15T09:30:00.010Z)\n## Notes\n",
    "claude-md": b"# Claude Session Export\n- **Session ID**: `0a1b2c3d-1111`\n### User\n> x\n\n",
    "aider": b"# aider chat started at 2026-05-01 08:00:00\n\n#### x  \n",
    "opencode-share": b'[{"type":"session","data":{"id":"ses_1c0ffee00ffe"}}',
    "opencode-events": b'{"type":"session.created","properties":{"info":{"id":"ses_1c0ffee00ffe"}}}\n',
    "opencode-run-json": b'{"type":"text","timestamp":1,"sessionID":"ses_1c0ffee00ffe","part":{"type":"text","text":""}}\n',
}
UNITS = {
    "fences": b"```\n",
    "prompts": b"> \n",
    "calls": "⏺ x(\n".encode(),
    "tools": b'<tool-use data-tool-type="\n',
    "marks": b"\x1b[0m$ \x1b[0mx\n",
    "colours": b"\x1b[0m",
    "spaces": b"        ",
    "line ends": b"\n",
    "items": b"- a - b\n",
    "rules": b"---\n\n",
    "objects": b'{"type":',
    "brackets": b"[",
    "quotes": b'"',
    "labels": b"**Output:**\n```\n",
    "cut characters": "Γ".encode(),
}


@pytest.mark.parametrize("name", FIRST)
@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)
def test_repeated_marks_take_linear_time(name: str, unit: bytes, tmp_path: Path):
    log = tmp_path / "log"
    log.write_bytes(FIRST[name] + unit * (120_000 // len(unit)) + b"x")
    began = time.process_time()
    with contextlib.suppress(ReadError):
        readers.get(name).recognises(Source(log))
        list(readers.get(name).read(Source(log)))
    # A quadratic pattern takes minutes here.
    assert time.process_time() - began < 5


CORPUS = os.environ.get("SESSIONLENS_CORPUS")
needs_corpus = pytest.mark.skipif(not CORPUS, reason="SESSIONLENS_CORPUS is not set")

NAMES = {"opencode-chat-export-md": "opencode-chat-md"}
PROSE = re.compile(r"summary-(?:final|initial)-day|gemini-summary-day")
"""Files of the corpus that tell of sessions and are none: counted 0 in the manifest."""


@needs_corpus
def test_every_real_file_is_read_by_its_reader_and_by_no_other():
    root = Path(str(CORPUS), "real")
    seen = 0
    with (root / "manifest.tsv").open(encoding="utf-8") as manifest:
        for row in csv.DictReader(manifest, delimiter="\t"):
            name = NAMES.get(row["format"], row["format"])
            if name not in FOLDERS:
                continue
            seen += 1
            source = Source(root / row["file"])
            claimed = [known for known, _ in readers.READERS if readers.get(known).recognises(source) is None]
            assert claimed == ([] if PROSE.search(row["file"]) else [name]), row["file"]
    assert seen > 50


def manifest(kind: str) -> list[dict[str, str]]:
    root = Path(str(CORPUS), "real")
    with (root / "manifest.tsv").open(encoding="utf-8") as rows:
        return [
            {**row, "file": str(root / row["file"])}
            for row in csv.DictReader(rows, delimiter="\t")
            if row["format"] == kind and not PROSE.search(row["file"]) and "index.md" not in row["file"]
        ]


@needs_corpus
@pytest.mark.parametrize(
    "kind", ["opencode-md", "opencode-chat-export-md", "claude-md", "specstory", "claude-console"]
)
def test_messages_and_cut_offs_are_those_of_the_manifest(kind: str):
    for row in manifest(kind):
        sessions = family(readers.read(row["file"]))
        messages = [message for session in sessions for message in session.messages]
        calls = [one for message in messages for one in message.calls]
        # The manifest counted these two by marks that they lack: one screen of Gemini CLI, one decoded twice.
        if sessions[0].client != "gemini-cli" and not sessions[0].repairs:
            assert len(messages) == pytest.approx(int(row["messages"]), rel=0.01)
            # It counted the limits of shells, not those of MCP tools.
            shells = [one for one in calls if kind != "opencode-md" or one.name == "bash"]
            assert sum(one.timed_out for one in shells) == int(row["cut_off"])
        if kind in ("opencode-md", "opencode-chat-export-md", "claude-md"):
            assert len(calls) == int(row["calls"])
        elif kind == "claude-console" and not sessions[0].repairs and sessions[0].client == "claude-code":
            # It counted Bash alone.
            assert sum(one.name == "Bash" for one in calls) == pytest.approx(int(row["calls"]), rel=0.05)


@needs_corpus
def test_calls_of_terminal_copies_are_all_marks_where_the_manifest_counted_whole_lines():
    icons = "(?:" + "|".join(map(re.escape, "→←✱⚙%◇◈•✓$")) + ") "
    for row in manifest("opencode-run"):
        (session,) = readers.read(row["file"])
        calls = [one for message in session.messages for one in message.calls]
        data = Path(row["file"]).read_text("utf-8", "replace")
        lines = len(re.findall(rf"(?m)^(?:\x1b\[[0-9;]*m)*{icons}", data))
        assert lines == int(row["calls"])
        assert len(calls) >= lines
        assert sum(one.timed_out for one in calls) == data.count("exceeding timeout")


def test_every_reader_says_what_its_format_records():
    assert {name for name, _ in readers.READERS} <= {row.reader for row in capabilities.CAPABILITIES}


def test_long_stays_what_the_handles_assume():
    assert LONG == 8192
