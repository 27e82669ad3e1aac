"""Calls written into prose: where they begin, where they end, which result is theirs."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessionlens.readers import read
from sessionlens.readers.inline_calls import find, shape_inline, shape_input


def parts(text: str) -> list[tuple[str, str]]:
    """Kind and inner text of each stretch."""
    result = []
    for one in find(text):
        begin, end = (one.begin, one.end) if one.kind == "text" else one.inner
        result.append((one.kind, text[begin:end]))
    return result


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[bash] ls -l\nfine", [("call", "ls -l"), ("text", "\nfine")]),
        ("Let me see: [bash] ls", [("text", "Let me see: "), ("call", "ls")]),
        ("  - [Bash] ls", [("call", "ls")]),
        ("say [bash] ls", [("text", "say [bash] ls")]),
        ("[bash](http://x) and [bash]", [("text", "[bash](http://x) and [bash]")]),
        ("[note] ls", [("text", "[note] ls")]),
        ("[bash] ssh h 'a &&\nb'\nc", [("call", "ssh h 'a &&\nb'"), ("text", "\nc")]),
        ('[bash] echo "a\\"\nb"\nc', [("call", 'echo "a\\"\nb"'), ("text", "\nc")]),
        ("[bash] a \\\n  b\nc", [("call", "a \\\n  b"), ("text", "\nc")]),
        ("[bash] a &&\nb\nc", [("call", "a &&\nb"), ("text", "\nc")]),
        ("[bash] a # it's\nc", [("call", "a # it's"), ("text", "\nc")]),
        ("[bash] it's\nprose", [("call", "it's"), ("text", "\nprose")]),
        ("[bash] it's\n[bash] b", [("call", "it's"), ("text", "\n"), ("call", "b")]),
        (
            "[bash] ssh h 'cat > f' <<'EOF'\n[bash] not\nit's\nEOF\nafter",
            [("call", "ssh h 'cat > f' <<'EOF'\n[bash] not\nit's\nEOF"), ("text", "\nafter")],
        ),
        ("[bash] cat <<-A <<B\n1\n\tA\n2\nB\nx", [("call", "cat <<-A <<B\n1\n\tA\n2\nB"), ("text", "\nx")]),
        ("[bash] grep x <<< 'EOF'\ny", [("call", "grep x <<< 'EOF'"), ("text", "\ny")]),
        (
            '[edit] {"filePath": "/a", "n": {"b": "}"}} tail',
            [("call", '{"filePath": "/a", "n": {"b": "}"}}'), ("text", " tail")],
        ),
        ("[bash] { echo a; }\nb", [("call", "{ echo a; }"), ("text", "\nb")]),
        (
            "[apply_patch] *** Begin Patch\n*** Add File: a\n+b\n*** End Patch\nok",
            [("call", "*** Begin Patch\n*** Add File: a\n+b\n*** End Patch"), ("text", "\nok")],
        ),
    ],
)
def test_where_a_call_begins_and_ends(text: str, expected: list[tuple[str, str]]) -> None:
    assert parts(text) == expected


@pytest.mark.parametrize(
    ("text", "result", "rest"),
    [
        ("[bash] a\n[output]\nx\ny\n[bash] b", "x\ny\n", [("call", "b")]),
        ("[bash] a\nOutput: x\ny", "x\ny", []),
        ("[bash] a\nResult:\nx", "x", []),
        ("[bash] a\n```\nx\ny\n```\nprose", "x\ny", [("text", "\nprose")]),
        (
            "[bash] a\nshell tool terminated command after exceeding timeout 15000 ms\nI wait.",
            "shell tool terminated command after exceeding timeout 15000 ms",
            [("text", "\nI wait.")],
        ),
        (
            "[bash] a\npartial\nUser aborted the command\n\nOh.",
            "partial\nUser aborted the command",
            [("text", "\n\nOh.")],
        ),
    ],
)
def test_results_right_after_a_call(text: str, result: str, rest: list[tuple[str, str]]) -> None:
    assert parts(text) == [("call", "a"), ("result", result), *rest]


@pytest.mark.parametrize(
    "prose",
    [
        "Result: all is well.",
        "The command timed out after 15 seconds.",
        "It works now.",
        "I expect a timeout after 15 s, so I poll.",
    ],
)
def test_prose_after_a_call_is_no_result(prose: str) -> None:
    assert parts(f"[bash] a\n{prose}") == [("call", "a"), ("text", f"\n{prose}")]


@given(
    st.lists(
        st.sampled_from(
            [
                "[bash] ",
                "[read] ",
                "\n",
                ": ",
                "x",
                "'",
                '"',
                "<<A",
                "A",
                "{",
                '{"a":1}',
                "```",
                "\\",
                "[output]",
                "exceeded timeout",
            ]
        )
    ).map("".join)
)
def test_stretches_cover_the_text(text: str) -> None:
    position = 0
    for one in find(text):
        assert one.begin == position
        position = one.end
    assert position == len(text)


@pytest.mark.parametrize(
    ("tool", "text", "expected"),
    [
        ("bash", "ls", {"command": "ls"}),
        ("shell", '{"command": ["bash", "-lc", "ls"]}', {"command": ["bash", "-lc", "ls"]}),
        ("read", "/etc/hosts", {"filePath": "/etc/hosts"}),
        ("read", "the docs of it", {"input": "the docs of it"}),
        ("grep", "foo bar", {"pattern": "foo bar"}),
        ("webfetch", "http://x", {"url": "http://x"}),
        ("task", "look around", {"prompt": "look around"}),
    ],
)
def test_inputs_become_objects(tool: str, text: str, expected: dict[str, object]) -> None:
    assert json.loads(shape_inline(tool, text)) == expected
    assert json.loads(shape_input(tool, text)) == expected


def test_inputs_that_are_json_stay_as_they_are() -> None:
    assert shape_input("bash", ' {"command":  "ls"}\n') == ' {"command":  "ls"}\n'


def test_raw_line_ends_in_a_json_string() -> None:
    assert json.loads(shape_input("write", '{"filePath": "/a", "content": "b\nc"}')) == {
        "filePath": "/a",
        "content": "b\nc",
    }


def test_places_of_inline_calls(fixtures: Path) -> None:
    path = fixtures / "transcript_xml" / "loose" / "inline_calls.xml"
    (one,) = read(path)
    lines = [[call.origin.line for call in message.calls] for message in one.messages]
    assert lines == [[3], [9, 13], [20, 21, 22], []]
    data = path.read_bytes()
    for message in one.messages:
        for call in message.calls:
            assert call.origin.offset is not None
            assert data[call.origin.offset :].startswith(f"[{call.name}]".encode())
    cut_off = one.messages[1].calls[1]
    assert (cut_off.timed_out, cut_off.limit_ms) == (True, 15_000)
    assert [part.text.whole() for part in one.messages[1].texts()] == ["The service may still be starting."]


@pytest.mark.parametrize(
    "text",
    [
        "[bash] <<EOF\n" * 30_000,
        "[bash] '\n" * 30_000,
        '[bash] {"a\n' * 30_000,
        ": [bash] " * 50_000,
        "[bash] a\n" + "abort\n" * 100_000,
    ],
)
def test_time_is_linear(text: str) -> None:
    begin = time.process_time()
    find(text)
    assert time.process_time() - begin < 5


@pytest.mark.parametrize(
    "bad", [b"\xff", b"\xff\xfe\xfd\xfc\xfb", b"\xe4", b"\xc3", b"&amp;\xff&lt;\xff\xff"]
)
def test_calls_stand_where_they_do_behind_bytes_that_are_no_text(bad: bytes, tmp_path: Path) -> None:
    log = tmp_path / "log.xml"
    before = b"<msg id=1 role=assistant>so " + bad + b" it is\nand " + bad * 3 + b"\n"
    log.write_bytes(before + b"[bash] ls -la\n[bash] pwd " + bad + b"\n</msg>")
    calls = read(log)[0].messages[0].calls
    data = log.read_bytes()
    assert len(calls) == 2
    for call, words in zip(calls, (b"[bash] ls -la", b"[bash] pwd " + bad), strict=True):
        assert call.origin.offset is not None
        assert call.origin.length is not None
        assert data[call.origin.offset : call.origin.offset + call.origin.length] == words
