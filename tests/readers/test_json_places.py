"""What every reader of a JSON format owes: places, long texts as handles, half files, hostile shapes."""

from __future__ import annotations

import contextlib
import json
import pickle
import random
from pathlib import Path
from typing import Any

import pytest

from sessionlens import readers
from sessionlens.model import Call, Message, Origin, Session, TextPart, content
from sessionlens.readers import ReadError, Source
from sessionlens.readers.archive import unpacked

FIXTURES = Path(__file__).parents[2] / "fixtures"
FORMATS = {
    "gemini_cli": "gemini-cli",
    "copilot_cli": "copilot-cli",
    "swe_agent": "swe-agent",
    "openhands": "openhands",
    "atif": "atif",
    "otel_genai": "otel-genai",
    "inspect": "inspect",
    "cline": "cline",
    "chat": "chat",
}
SOURCES = [
    pytest.param(path, name, id=f"{folder}/{path.name}")
    for folder, name in FORMATS.items()
    for path in sorted((FIXTURES / folder).iterdir())
]
FILES = [param for param in SOURCES if param.values[0].is_file() and param.values[0].suffix != ".eval"]  # type: ignore[union-attr]
"""Those whose places are in the file itself: an ``.eval`` is an archive."""


def family(path: Path) -> list[Session]:
    return [one for top in readers.read(path) for one in top.family()]


def origins(message: Message) -> list[Origin]:
    found = [message.origin]
    for part in message.parts:
        found.append(part.origin)
        if isinstance(part, Call) and part.result_origin is not None:
            found.append(part.result_origin)
    return found


@pytest.mark.parametrize(("path", "name"), SOURCES)
def test_every_fixture_is_read_by_its_reader_and_no_other(path: Path, name: str) -> None:
    source = unpacked(Source(path))
    claims = [one for one, _ in readers.registered() if readers.get(one).recognises(source) is None]
    # A task's conversation is a list of chat messages, too: the reader that knows more is asked first.
    also = {"chat"} if name == "cline" else set()
    assert claims[0] == name
    assert set(claims[1:]) <= also
    assert {one.source_format for one in family(path)} == {name}


@pytest.mark.parametrize(("path", "name"), FILES)
def test_places_point_at_values(path: Path, name: str) -> None:
    data = path.read_bytes()
    for session in family(path):
        for message in session.messages:
            for origin in origins(message):
                assert origin.offset is not None
                assert origin.length
                assert origin.line == data[: origin.offset].count(b"\n") + 1
                json.loads(data[origin.offset : origin.offset + origin.length])


@pytest.mark.parametrize(("path", "name"), SOURCES)
def test_two_readings_are_equal_and_indexes_run(path: Path, name: str) -> None:
    first, second = family(path), family(path)
    assert [content(one) for one in first] == [content(one) for one in second]
    for session in first:
        assert [message.index for message in session.messages] == list(range(len(session.messages)))


LONG = "".join(f"line {number} \u00fc\\n" for number in range(2500))
"""Some 40 KB as JSON text."""


@pytest.mark.parametrize(
    ("fixture", "needle"),
    [
        ("gemini_cli/patches.jsonl", "There is one file, notes.txt."),
        ("gemini_cli/patches.jsonl", "cat: missing: No such file or directory"),
        ("copilot_cli/shells.jsonl", "cc -c a.c"),
        ("copilot_cli/shells.jsonl", "Build it."),
        ("swe_agent/history_only.traj", "1:pass"),
        ("swe_agent/mini.traj.json", "df -h /"),
        ("swe_agent/mini.traj.json", "/dev/sda1 20G 11G 9G 55% /"),
        ("openhands/terminal.json", "step 9 of 9"),
        ("openhands/terminal.json", "step 1 of 9"),
        ("openhands/sdk.jsonl", "I ask it."),
        ("atif/scene.json", "Done, the router points to gpu7."),
        ("otel_genai/scene.json", "Done, the router points to gpu7."),
        ("otel_genai/older.jsonl", "55% /"),
        ("inspect/log.json", "changed"),
        ("cline/blocks", "Leave the tests alone."),
        ("cline/scene", "I restart vllm now."),
        ("cline/screen_only.json", "I look."),
        ("chat/anthropic.json", "line 1"),
        ("chat/responses.json", "Mon"),
    ],
)
def test_long_texts_are_handles(tmp_path: Path, fixture: str, needle: str) -> None:
    """A text that is replaced by a long one is the same long text, read again from the log, after pickling too."""
    original = FIXTURES / fixture
    target = tmp_path / original.name
    if original.is_dir():
        target.mkdir()
        for file in original.iterdir():
            (target / file.name).write_text(file.read_text().replace(needle, LONG))
    else:
        escaped = LONG.replace("\\", "\\\\") if fixture == "otel_genai/scene.json" else LONG
        target.write_text(original.read_text().replace(needle, escaped))
    found = []
    for session in family(target):
        for message in session.messages:
            for part in message.parts:
                texts = [part.text] if isinstance(part, TextPart) else []
                if isinstance(part, Call):
                    texts += [text for text in (part.input, part.output, part.error) if text is not None]
                found += [text for text in texts if text.length > 20_000]
    assert found
    assert all(text.long for text in found)
    shown = [pickle.loads(pickle.dumps(text)).whole() for text in found]
    middle = "line 1249 ü"
    assert all(middle in text and text == handle.whole() for text, handle in zip(shown, found, strict=True))


@pytest.mark.parametrize(("path", "name"), FILES)
def test_half_a_file_keeps_its_beginning_and_says_so(tmp_path: Path, path: Path, name: str) -> None:
    data = path.read_bytes()
    whole = sum(len(one.messages) for one in family(path))
    for part in (9, 7, 5):
        half = tmp_path / path.name
        half.write_bytes(data[: len(data) * part // 10])
        try:
            sessions = [one for top in readers.read(half, reader=name) for one in top.family()]
        except ReadError:
            continue
        count = sum(len(one.messages) for one in sessions)
        assert count <= whole
        assert any(one.truncated for one in sessions) or count < whole or path.suffix == ".jsonl"


@pytest.mark.parametrize("name", FORMATS.values())
@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"{}",
        b"null",
        b'{"messages": 1, "steps": {}, "trajectory": "x", "sessionId": [], "projectHash": null}',
        b'[{"role": 1, "content": {"a": [null]}}, 3, null, "x", [[]]]',
        b'{"schema_version": "ATIF-v1.7", "steps": [1, null, {"source": [], "tool_calls": {"a": 1}}]}',
        b'{"resourceSpans": [{"scopeSpans": [{"spans": [1, {"attributes": [{"key": 1}, 2], "events": [3]}]}]}], "x": "gen_ai."}',
        b'{"type": "assistant.message", "data": {"toolRequests": [1, null], "content": {"a": 1}}}\n' * 3,
        b'[{"source": "agent", "id": 1, "timestamp": 5, "action": "run", "args": []}, {"kind": "ActionEvent"}]',
        b'[{"ts": "x", "type": "say", "say": "text", "text": 5}, 7]',
        b'{"version": 2, "eval": {"task": 1, "run_id": 2}, "samples": [1, {"messages": [2, {"role": null}]}]}',
        b'{"messages": [{"role": "user", "content": [1, null, {"type": 5}, {"type": "tool_result"}]}]}',
        b"\xff\xfe\x00\x01",
        b'{"a": ' * 3000,
        b"[" * 200_000,
        b'{"messages": [{"role": "user", "content": "\xed\xa0\x80 \\ud800 \x01"}]}',
    ],
)
def test_odd_shapes_are_one_clear_error_or_a_session(tmp_path: Path, name: str, data: bytes) -> None:
    path = tmp_path / "odd.json"
    path.write_bytes(data)
    reader = readers.get(name)
    source = Source(path)
    reason = reader.recognises(source)
    assert reason is None or reason
    told = ""
    try:
        for session in reader.read(source):
            for one in session.family():
                assert [message.index for message in one.messages] == list(range(len(one.messages)))
    except ReadError as error:
        told = str(error)
    assert "\n" not in told


ODD: tuple[object, ...] = (
    None,
    True,
    -1,
    10**30,
    "",
    "x",
    [],
    {},
    [None],
    {"": None},
    {"type": 1},
    '{"a": 1}',
    {"id": {}},
)


def mutated(values: object, chance: random.Random) -> object:
    """A copy with one value replaced by an odd one, or left out."""
    copy = json.loads(json.dumps(values))
    places: list[tuple[Any, Any]] = []
    waiting = [copy]
    while waiting:
        value = waiting.pop()
        keys = (
            list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
        )
        for key in keys:
            places.append((value, key))
            waiting.append(value[key])
    holder, key = chance.choice(places)
    if isinstance(holder, dict) and chance.random() < 0.2:
        del holder[key]
    else:
        holder[key] = json.loads(json.dumps(chance.choice(ODD)))
    return copy


@pytest.mark.parametrize(("path", "name"), FILES)
def test_values_of_another_kind_are_never_a_crash(tmp_path: Path, path: Path, name: str) -> None:
    chance = random.Random(path.name)
    text = path.read_text()
    lines = path.suffix == ".jsonl"
    values = [json.loads(line) for line in text.splitlines()] if lines else json.loads(text)
    target = tmp_path / path.name
    for _ in range(40):
        changed = mutated(values, chance)
        shown = (
            "\n".join(map(json.dumps, changed))
            if lines and isinstance(changed, list)
            else json.dumps(changed)
        )
        target.write_text(shown)
        source = Source(target)
        readers.get(name).recognises(source)
        with contextlib.suppress(ReadError):
            for session in readers.get(name).read(source):
                content(session)
