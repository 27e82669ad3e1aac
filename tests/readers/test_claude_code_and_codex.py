"""Claude Code and Codex beside each other: one scene told by both, real logs, hostile bytes, big logs."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sessionlens.rules.empty_message_after_timeout import EmptyMessageAfterTimeout
from sessionlens.rules.unacknowledged_long_running_restart import UnacknowledgedLongRunningRestart
from sessionlens.rules.unverified_production_edit import UnverifiedProductionEdit

from sessionlens import engine, readers
from sessionlens.model import Session
from sessionlens.readers import ReadError, Source
from sessionlens.readers.claude_code import ClaudeCode
from sessionlens.readers.codex import Codex

sys.path.insert(0, str(Path(__file__).parent))

import claude_lines
import codex_lines
import scene_logs

RULES = (EmptyMessageAfterTimeout(), UnacknowledgedLongRunningRestart(), UnverifiedProductionEdit())


def test_scenes_are_what_their_maker_makes() -> None:
    for path, data in scene_logs.logs().items():
        assert path.read_bytes() == data, path.name


def judged(path: Path, shift: int = 0) -> list[tuple[object, ...]]:
    """What the three rules find, with message indexes moved back by ``shift``."""
    (session,) = readers.read(path)
    audit = engine.audit(session, rules=RULES)
    assert not audit.rule_errors
    return [
        (
            found.rule, found.kind, found.severity, found.confidence, found.title, found.at.message_index - shift,
            found.at.call_id, tuple((one.message_index - shift, one.call_id, one.note) for one in found.because),
            found.facts.get("cause"), found.facts.get("limit_ms"), found.facts.get("reached"),
        )
        for found in audit.findings
    ]  # fmt: skip


def test_one_scene_gives_the_same_findings_in_every_format() -> None:
    expected = judged(scene_logs.SCENE)
    assert len(expected) == 3
    assert judged(scene_logs.CLAUDE) == expected
    # A rollout begins with a message about the environment.
    assert judged(scene_logs.CODEX, shift=1) == expected


# --- recognising -------------------------------------------------------------------------------------------


def test_each_fixture_is_recognised_by_its_reader(fixtures: Path) -> None:
    for folder, name in (("claude_code", "claude-code"), ("codex", "codex")):
        for path in sorted((fixtures / folder).rglob("*.jsonl")):
            assert readers.recognise(Source(path)).name == name, path.name


@pytest.mark.parametrize(
    "line",
    [
        {"type": "user", "message": {"role": "user", "content": "hi"}},
        {"role": "user", "content": "hi"},
        {"type": "message", "id": "1", "timestamp": "2026-01-01T00:00:00Z", "message": {"role": "user"}},
        {
            "type": "session.start",
            "data": {},
            "id": "1",
            "timestamp": "2026-01-01T00:00:00Z",
            "parentId": None,
        },
        {"type": "text", "timestamp": 1, "sessionID": "ses_1", "part": {"type": "text"}},
        {"id": "x", "timestamp": "2026-01-01T00:00:00Z", "source": "user", "message": "hi"},
    ],
)
def test_events_of_others_are_not_taken(tmp_path: Path, line: dict[str, object]) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(json.dumps(line) + "\n")
    assert ClaudeCode().recognises(Source(path)) is not None
    assert Codex().recognises(Source(path)) is not None


# --- real logs ---------------------------------------------------------------------------------------------


def rows(corpus: Path, name: str) -> Iterator[tuple[Path, dict[str, str]]]:
    manifest = corpus / "real" / "manifest.tsv"
    if not manifest.is_file():
        pytest.skip("the corpus has no real/manifest.tsv")
    with manifest.open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            if row["format"] == name:
                yield corpus / "real" / row["file"], row


def counted(session: Session) -> tuple[int, int, int]:
    calls = [call for message in session.messages for call in message.calls]
    return len(session.messages), len(calls), sum(call.timed_out for call in calls)


def wanted(row: dict[str, str]) -> tuple[int, int, int]:
    return int(row["messages"]), int(row["calls"]), int(row["cut_off"])


def test_real_sessions_of_claude_code_have_the_counts_of_the_manifest(corpus: Path) -> None:
    for path, row in rows(corpus, "claude-code"):
        (session,) = readers.read(path)
        assert counted(session) == wanted(row), row["file"]
        assert readers.recognise(Source(path)).name == "claude-code"


def test_a_folder_of_real_sessions_is_the_sum_of_its_files(corpus: Path) -> None:
    folder = corpus / "real" / "claude-code"
    if not folder.is_dir():
        pytest.skip("the corpus has no real/claude-code")
    listed = [wanted(row) for _, row in rows(corpus, "claude-code")]
    sessions = readers.read(folder)
    assert len(sessions) == len(listed)
    assert sum(len(session.messages) for session in sessions) == sum(messages for messages, _, _ in listed)


def test_real_rollouts_have_the_counts_of_the_manifest(corpus: Path) -> None:
    """The manifest counts items of type ``message``; a step without one it adds to the message before.

    It leaves out what is no such item: compactions, and calls of the provider's search.
    """
    for path, row in rows(corpus, "codex"):
        (session,) = readers.read(path)
        messages, before = 0, ""
        for message in session.messages:
            prose = len(list(message.texts())) if message.role == "assistant" else 1
            silent = message.role == "assistant" and not prose and before == "assistant"
            messages += 0 if silent or message.summary else max(1, prose)
            before = message.role
        _, calls, cut_off = counted(session)
        searches = sum(call.name == "web_search" for message in session.messages for call in message.calls)
        assert (messages, calls - searches, cut_off) == wanted(row), row["file"]


# --- hostile and big ---------------------------------------------------------------------------------------

_LINES = tuple(claude_lines.background().data().splitlines() + codex_lines.running_on().data().splitlines())
_PIECES = st.one_of(
    st.sampled_from(_LINES),
    st.binary(max_size=40),
    st.tuples(st.sampled_from(_LINES), st.integers(0, 300)).map(lambda pair: pair[0][: pair[1]]),
    st.tuples(st.sampled_from(_LINES), st.integers(0, 300), st.binary(max_size=3)).map(
        lambda three: three[0][: three[1]] + three[2] + three[0][three[1] :]
    ),
)


@settings(max_examples=60, deadline=None)
@given(pieces=st.lists(_PIECES, max_size=12), glue=st.sampled_from([b"\n", b"\r\n", b"\n\n", b" "]))
def test_no_bytes_break_a_reader(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[bytes], glue: bytes
) -> None:
    path = tmp_path_factory.mktemp("log") / "log.jsonl"
    path.write_bytes(glue.join(pieces))
    size = path.stat().st_size
    for reader in (ClaudeCode(), Codex()):
        try:
            sessions = list(reader.read(Source(path)))
        except ReadError:
            continue
        for session in (one for top in sessions for one in top.family()):
            for gap in session.gaps:
                assert gap.reason
            for message in session.messages:
                for part in message.parts:
                    assert part.origin.offset is not None
                    assert part.origin.offset + (part.origin.length or 0) <= size
        again = list(reader.read(Source(path)))
        assert again == sessions


@pytest.mark.slow
def test_a_chain_of_a_million_lines(tmp_path: Path) -> None:
    path = tmp_path / "chain.jsonl"
    with path.open("wb") as file:
        parent = "null"
        for number in range(1_000_000):
            own = f'"{number:08x}-0000-4000-8000-000000000000"'
            # Progress lines stand between messages and make the chain long without making a message.
            kind = b'"user","message":{"role":"user","content":"go"}' if number % 50 == 0 else b'"system"'
            file.write(
                b'{"parentUuid":%s,"isSidechain":false,"sessionId":"s","type":%s,"uuid":%s}\n'
                % (parent.encode(), kind, own.encode())
            )
            parent = own
    (session,) = readers.read(path)
    assert len(session.messages) == 20_000
    assert session.messages[-1].origin.line == 999_951


def test_a_deep_value_is_a_gap(tmp_path: Path) -> None:
    base = claude_lines.split_message()
    deep = json.dumps({**base.lines[1], "uuid": "deep", "message": None}).replace(
        "null", "[" * 50_000 + "]" * 50_000
    )
    path = tmp_path / "deep.jsonl"
    path.write_bytes(base.data() + deep.encode() + b"\n")
    (session,) = readers.read(path)
    assert len(session.messages) == 3
    assert list(session.all_gaps())


def test_many_subagents_take_no_more_than_their_lines(tmp_path: Path) -> None:
    log = claude_lines.Log(version="1.0.60")
    log.user("go")
    for number in range(1500):
        log.says(f"msg_{number}", claude_lines.tool(f"t{number}", "Task", prompt="look"), stop="tool_use")
        main, log.parent, log.sidechain = log.parent, None, True
        log.user("look")
        log.parent, log.sidechain = main, False
    path = tmp_path / "many.jsonl"
    path.write_bytes(log.data())
    (session,) = readers.read(path)
    assert len(session.children) == 1500
    assert [call.child for message in session.messages for call in message.calls] == [
        c.id for c in session.children
    ]
