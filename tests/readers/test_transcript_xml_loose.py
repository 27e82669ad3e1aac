"""The loose reading: every deviation of the contract, each in a fixture of its own, and nothing vanishes."""

from __future__ import annotations

import json
import random
import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessionlens.model import Call, Message, Session, TextPart, Unread, content
from sessionlens.readers import ReadError, Source, read
from sessionlens.readers.transcript_xml import TranscriptXml
from sessionlens.readers.xml_text import Places, pieces
from sessionlens.readers.xml_text import loose as loosely

Load = Callable[[str], list[Session]]


@pytest.fixture
def loose(fixtures: Path) -> Load:
    def load(name: str) -> list[Session]:
        return read(fixtures / "transcript_xml" / "loose" / f"{name}.xml")

    return load


@pytest.fixture
def parse(tmp_path: Path) -> Load:
    def load(text: str) -> list[Session]:
        path = tmp_path / "log.xml"
        path.write_text(text, encoding="utf-8", newline="")
        return list(TranscriptXml().read(Source(path)))

    return load


def kinds(session: Session) -> set[str]:
    return {repair.kind for repair in session.repairs}


def texts(message: Message) -> list[str]:
    return [part.text.whole() for part in message.texts()]


def shown(message: Message) -> list[object]:
    """Texts and calls of a message in order, calls as (tool, input, output)."""
    result: list[object] = []
    for part in message.parts:
        if isinstance(part, TextPart):
            result.append(part.text.whole())
        elif isinstance(part, Call):
            result.append((part.name, part.arguments(), None if part.output is None else part.output.whole()))
    return result


def test_unquoted_attributes(loose: Load) -> None:
    (one,) = loose("unquoted_attributes")
    assert (one.id, one.client) == ("ses_unquoted", "opencode")
    assert [message.id for message in one.messages] == ["1", "2", "3"]
    assert one.messages[0].time == 1772438400000
    (call,) = one.messages[1].calls
    assert (call.id, call.exit, one.messages[1].finish) == ("c1", 0, "tool-calls")
    assert one.repairs[0].kind.startswith("read loosely: not well-formed XML")
    assert one.repairs[0].origin.line == 1
    assert [repair.origin.line for repair in one.repairs if repair.kind == "unquoted attribute"] == [
        1,
        2,
        3,
        3,
        4,
    ]


def test_bare_characters(loose: Load) -> None:
    (one,) = loose("bare_characters")
    assert texts(one.messages[0]) == ["why does Vec<String> not work in <div class=x> & <b>bold</b>?"]
    (call,) = one.messages[1].calls
    assert call.arguments()["command"].startswith("cat <<'EOF' > /tmp/a.rs && rustc /tmp/a.rs\nfn main()")
    assert call.output is not None
    assert "<details><summary>warnings</summary>1 & only</details>" in call.output.whole()
    assert call.output.whole().endswith("<text x=3>svg</text>\n</html>")
    assert texts(one.messages[2]) == ["1 < 2 && 3 > 2; already escaped stays: &lt;b&gt; &amp; done"]
    assert "bare & or <" in kinds(one)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("a &lt; b &amp;&amp; c", "a < b && c"),
        ("a &&amp; b &lt;&lt;EOF", "a && b <<EOF"),
        ("a & b &amp; c", "a & b &amp; c"),
        ("x < y &lt; z &amp; w", "x < y &lt; z & w"),
        ("&nbsp; &copy; &#233; &", "&nbsp; &copy; &#233; &"),
        ("&#27;[31m", "\x1b[31m"),
        ("&#xD800; &#99999999;", "&#xD800; &#99999999;"),
        ("a\r\nb\rc", "a\nb\rc"),
    ],
)
def test_references(raw: str, expected: str, parse: Load) -> None:
    (one,) = parse(f"<msg id=1 role=user><text>{raw}</text></msg>")
    assert texts(one.messages[0]) == [expected]


@settings(max_examples=400, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                "a",
                "&",
                "<",
                ">",
                "&amp;",
                "&lt;",
                "&gt;",
                "lt;",
                "amp;",
                "#10;",
                "&#10;",
                "&#13;",
                "\r\n",
                "\r",
                "\n",
                "&quot;",
                "<![CDATA[",
                "]]>",
                "é",
            ]
        ),
        max_size=14,
    ).map("".join)
)
def test_decoding_and_its_places_agree(text: str) -> None:
    data = text.encode()
    assert "".join(piece.text for piece in pieces(data, "utf-8")) == loosely(data, "utf-8")
    places = Places(data, "utf-8")
    offsets = [places.offset(position) for position in range(len(loosely(data, "utf-8")))]
    assert offsets == sorted(offsets)
    assert all(0 <= offset < len(data) for offset in offsets)


def test_control_characters(loose: Load) -> None:
    (one,) = loose("control_characters")
    assert texts(one.messages[0]) == ["colours: \x1b[31mred\x1b[0m, bell \x07, zero \x00 end"]
    assert "control character" in kinds(one)


def test_bytes_that_are_no_text_become_gaps(loose: Load) -> None:
    (one,) = loose("invalid_utf8")
    assert texts(one.messages[0]) == ["caf\ufffd and \ufffd broken"]
    gaps = [part for part in one.messages[0].parts if isinstance(part, Unread)]
    assert [gap.reason for gap in gaps] == ["1 byte that is no UTF-8: e9", "2 bytes that are no UTF-8: ff fe"]
    assert [gap.origin.line for gap in gaps] == [2, 2]
    assert texts(one.messages[1]) == ["café is right"]


def test_no_root(loose: Load) -> None:
    (one,) = loose("no_root")
    assert one.id == "no_root"
    (call,) = one.messages[1].calls
    assert (call.timed_out, call.limit_ms) == (True, 15000)
    assert one.messages[2].empty
    assert not one.truncated


def test_several_roots(loose: Load) -> None:
    first, third = loose("several_roots")
    assert (first.id, third.id) == ("ses_a", "ses_c")
    assert [child.id for child in first.children] == ["ses_b"]


def test_roots_without_names_are_one_session_while_ids_go_on(parse: Load) -> None:
    (one,) = parse(
        "<conversation_data><msg id=1 role=user>a</msg></conversation_data>\n" * 1
        + "<conversation_data><msg id=2 role=user>b</msg></conversation_data>"
    )
    assert [message.id for message in one.messages] == ["1", "2"]
    log = (
        "<conversation_data><msg id=1 role=user>a</msg><msg id=2 role=assistant>b</msg></conversation_data>\n"
    )
    first, second = parse(log + log)
    assert (first.id, second.id) == ("log", "log-2")


@pytest.mark.parametrize("name", ["wrapped_outside", "wrapped_inside"])
def test_a_wrapper_around_every_message(name: str, loose: Load) -> None:
    (one,) = loose(name)
    assert [(message.id, message.role, message.aliases) for message in one.messages] == [
        ("1", "user", ()),
        ("2", "assistant", ("3",)),
        ("4", "assistant", ()),
    ]
    (call,) = one.messages[1].calls
    assert call.arguments() == {"command": "crontab -l"}
    assert call.output is not None
    assert call.output.whole() == "0 3 * * * /usr/local/bin/backup"
    assert one.messages[2].empty
    assert one.find("3") == one.messages[1]


def test_a_wrapper_after_a_self_closed_message(parse: Load) -> None:
    (one,) = parse(
        "<msg id=1 role=user/>\n<conversation_data>hello</conversation_data>\n<msg id=2 role=user/>"
    )
    assert [texts(message) for message in one.messages] == [["hello"], []]


def test_no_end(loose: Load) -> None:
    (one,) = loose("no_end")
    assert [message.id for message in one.messages] == ["1", "2", "3", "4", "5"]
    assert [texts(message) for message in one.messages[:3]] == [["one"], ["two"], ["three\n"]]
    assert shown(one.messages[3]) == [("bash", {"command": "uptime"}, "up 3 days\n")]
    (last,) = one.messages[4].calls
    assert (last.status, last.output) == ("running", None)
    assert one.truncated
    assert {"no </msg>", "no </text>", "no </input>", "no </tool>"} <= kinds(one)


def test_half_a_file(fixtures: Path) -> None:
    (one,) = read(fixtures / "hostile" / "half_transcript.xml")
    assert one.truncated
    assert [message.id for message in one.messages] == ["5705", "5706"]
    assert any("stops" in gap.reason for gap in one.gaps)


def test_a_tag_cut_in_two(parse: Load) -> None:
    (one,) = parse("<conversation_data><msg id=1 role=user>a</msg><msg id=2 ro")
    assert [message.id for message in one.messages] == ["1"]
    assert one.truncated
    assert [gap.reason for gap in one.gaps] == ["the log stops within a tag: <msg id=2 ro"]


def test_roles_are_never_guessed(loose: Load) -> None:
    (one,) = loose("role_missing")
    assert [message.role for message in one.messages] == ["unknown", "unknown", "user", "unknown"]
    assert len(one.messages[1].calls) == 1
    assert {"role missing", 'role "Human"', 'role "narrator"'} <= kinds(one)


def test_text_without_an_element(loose: Load) -> None:
    (one,) = loose("direct_text")
    assert texts(one.messages[0]) == ["plain words, directly in the message"]
    assert texts(one.messages[1]) == ['if (a < b && c > d) { return "and more']
    assert shown(one.messages[2]) == [("bash", {"command": "uptime"}, None)]
    assert one.messages[3].empty
    assert one.messages[4].human
    assert one.messages[4].empty


def test_results_apart_from_their_calls(loose: Load) -> None:
    (one,) = loose("results_apart")
    assert [(message.id, message.aliases) for message in one.messages] == [
        ("1", ("2",)),
        ("3", ()),
        ("4", ("5",)),
        ("6", ()),
        ("7", ()),
    ]
    restart, uptime = one.messages[0].calls
    assert (restart.status, restart.timed_out, restart.limit_ms) == ("error", True, 120_000)
    assert uptime.output is not None
    assert uptime.output.whole() == "up 3 days"
    assert [shown(message) for message in one.messages[1:4]] == [
        [("bash", {"command": "date"}, "Mon Mar  2 08:00:00 UTC 2026")],
        [("bash", {"command": "id"}, "uid=0(root)")],
        [("bash", {"command": "hostname"}, "web-1")],
    ]
    stray = one.messages[4]
    assert not stray.human
    assert shown(stray) == ["belongs to nothing"]
    assert [gap.reason for gap in one.gaps] == ["a result without a call, shown as text"]


def test_a_user_message_that_also_speaks_stays(parse: Load) -> None:
    (one,) = parse(
        "<msg id=1 role=assistant>[bash] ls</msg><msg id=2 role=user><tool_result>a.txt</tool_result>and now?</msg>"
    )
    assert shown(one.messages[0]) == [("bash", {"command": "ls"}, "a.txt")]
    assert texts(one.messages[1]) == ["and now?"]
    assert one.messages[1].human


def test_the_clients_note_alone_in_a_message_is_a_result(parse: Load) -> None:
    (one,) = parse(
        "<msg id=1 role=assistant>[bash] ls</msg><msg id=2 role=user>Command timed out after 2m 0.0s</msg><msg id=3 role=user>Command timed out after 2m 0.0s</msg>"
    )
    (call,) = one.messages[0].calls
    assert (call.timed_out, call.limit_ms) == (True, 120_000)
    assert [message.id for message in one.messages] == ["1", "3"]


def test_a_message_that_announces_a_result_is_one(parse: Load) -> None:
    (one,) = parse(
        "<msg id=1 role=assistant>[bash] ls</msg><msg id=2 role=user>[tool_result] a.txt</msg>"
        "<msg id=3 role=user>[output] is a word</msg>"
    )
    assert shown(one.messages[0]) == [("bash", {"command": "ls"}, "a.txt")]
    assert [texts(message) for message in one.messages[1:]] == [["[output] is a word"]]


def test_a_person_may_write_about_a_cut_off_that_was_answered(parse: Load) -> None:
    (one,) = parse(
        "<msg id=1 role=assistant>[bash] ls</msg><output>x</output><msg id=2 role=user>Command timed out after 9 s</msg>"
    )
    assert texts(one.messages[1]) == ["Command timed out after 9 s"]
    assert one.messages[1].human


def test_a_command_as_an_attribute(parse: Load) -> None:
    (one,) = parse('<msg id=1 role=assistant><tool name=bash command="ls -l"/></msg>')
    assert shown(one.messages[0]) == [("bash", {"command": "ls -l"}, None)]


def test_messages_that_are_quoted(loose: Load) -> None:
    (one,) = loose("quoted_messages")
    assert [message.id for message in one.messages] == ["20", "21", "22", "22"]
    assert texts(one.messages[0])[0].startswith("why is <msg id=12> empty, and why just <conversation_data>")
    (call,) = one.messages[1].calls
    assert call.output is not None
    assert call.output.whole().count("<msg ") == 2
    assert texts(one.messages[2]) == [
        'It reads:\n<msg id="12" role="assistant">\nand the tag </text> closes a text.'
    ]
    assert "duplicated id" in kinds(one)


def test_a_doubt_is_a_gap(parse: Load) -> None:
    (one,) = parse(
        "<conversation_data><msg id=5 role=user>see\n<msg id=4 role=user>\nwhat?</msg></conversation_data>"
    )
    assert texts(one.messages[0]) == ["see\n<msg id=4 role=user>\nwhat?"]
    assert [gap.reason for gap in one.gaps] == [
        "<msg id=4 role=user> is kept as text, for its id is not a new one"
    ]
    (one,) = parse(
        "<conversation_data><msg id=5 role=user>see <msg id=6 role=user>what?</msg></conversation_data>"
    )
    assert [message.id for message in one.messages] == ["5", "6"]
    assert "taken for a message" in one.gaps[0].reason


def test_text_outside_messages_is_a_gap(parse: Load) -> None:
    (one,) = parse(
        "Exporting session: s\n<conversation_data><msg id=1 role=user>a</msg>\nbye\n</conversation_data>"
    )
    assert [gap.reason for gap in one.gaps] == [
        "text outside any message: Exporting session: s",
        "text outside any message: bye",
    ]
    assert [gap.origin.line for gap in one.gaps] == [1, 3]


def test_messages_without_ends(parse: Load) -> None:
    (one,) = parse("<msg id=1 role=user>\na <b> & c\n<msg id=2 role=assistant>\n<msg id=3 role=user>\nd\n")
    assert [texts(message) for message in one.messages] == [["a <b> & c"], [], ["d"]]
    assert not one.truncated


def test_bare_quotes_in_an_input(parse: Load) -> None:
    (one,) = parse(
        '<msg id=1 role=assistant><tool name=bash><input>{"command": "echo "a" && b\nc", "timeout": 9}</input></tool></msg>'
    )
    (call,) = one.messages[0].calls
    assert call.arguments() == {"command": 'echo "a" && b\nc'}


def test_the_scene_read_loosely_is_the_scene(fixtures: Path) -> None:
    (strict,) = read(fixtures / "transcript_xml" / "hicache_restart.xml")
    (one,) = read(fixtures / "transcript_xml" / "hicache_restart_loose.xml")
    assert len(one.messages) == len(strict.messages)
    assert not one.gaps
    for seen, meant in zip(one.messages, strict.messages, strict=True):
        assert (seen.id, seen.role, seen.time, seen.empty) == (meant.id, meant.role, meant.time, meant.empty)
        assert texts(seen) == texts(meant)
        for call, same in zip(seen.calls, meant.calls, strict=True):
            assert call.arguments()["command"] == same.arguments()["command"]
            assert call.timed_out == same.timed_out
            assert not call.timed_out or call.limit_ms == same.limit_ms
            assert call.output is not None
            assert same.output is not None
            assert call.timed_out or call.output.whole().strip() == same.output.whole().strip()
    assert {"unquoted attribute", "call written inline", "no closing </conversation_data>"} <= kinds(one)


_FRAGMENTS = (
    '<msg id={n}>|<msg id={n} role=user>|<msg id="{n}" role="assistant">|\n<msg id="{n}" role="assistant">|</msg>|</msg>\n|'
    '<text>|</text>|<tool name=bash>|<tool name="bash" call="c{n}">|</tool>|<input>|</input>|<output>|</output>|<error>|'
    '</error>|<conversation_data>|</conversation_data>|<conversation_data session="s{n}">|<tool_result>|</tool_result>|'
    "<result>|</result>|<reasoning>|</reasoning>|<summary/>|<summary>|</summary>|<file>|<changed><path>|</path></changed>|"
    "<changed>|</changed>|<subtask>|</subtask>|<msg/>|<msg id={n}/>|&&|<|<<EOF\n|\nEOF\n|[bash] |\n[bash] |\n|\n\n|&amp;|"
    '&lt;|"|\'|{"command": "|"}|<div>|<![CDATA[|]]>|\x1b|\xa0|```\n|[output]\n'
)
FRAGMENTS = _FRAGMENTS.split("|")


def scrambled(seed: int) -> str:
    """Markup in any order with words between."""
    dice = random.Random(seed)
    number = words = 0
    pieces = []
    for _ in range(dice.randint(3, 40)):
        if dice.random() < 0.45:
            words += 1
            pieces.append(f" w{words}w ")
        number = max(0, number + dice.choice([1, 1, 1, 1, 0, -2, 5]))
        pieces.append(dice.choice(FRAGMENTS).replace("{n}", str(number)))
    return "".join(pieces)


def dump(sessions: list[Session]) -> str:
    return json.dumps([content(one) for one in sessions], ensure_ascii=False)


@settings(max_examples=400, deadline=None)
@given(seed=st.integers(0, 10**9))
def test_no_word_vanishes(seed: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    text = scrambled(seed)
    path = tmp_path_factory.getbasetemp() / "scrambled.xml"
    path.write_text(text, encoding="utf-8")
    try:
        sessions = list(TranscriptXml().read(Source(path)))
    except ReadError:
        return
    missing = [word for word in re.findall(r"w\d+w", text) if word not in dump(sessions)]
    assert not missing, text


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_a_damaged_file_keeps_the_words_around_the_damage(
    data: st.DataObject, fixtures: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Cut a stretch out of a real transcript: what stands outside tags elsewhere is still there."""
    text = (fixtures / "transcript_xml" / "hicache_restart.xml").read_text()
    begin = data.draw(st.integers(300, len(text) - 1))
    end = min(len(text), begin + data.draw(st.integers(1, 400)))
    damaged = (
        text[:begin]
        + data.draw(st.sampled_from(["", "<", "&", "<<EOF", "</msg>", "<text>", "\x00"]))
        + text[end:]
    )
    path = tmp_path_factory.getbasetemp() / "damaged.xml"
    path.write_text(damaged, encoding="utf-8")
    told = dump(list(TranscriptXml().read(Source(path))))
    for word in (
        "a little over eleven minutes",
        "What about hicache?",
        "can we do ratio 4?",
        "Now it is confirmed",
    ):
        if word in text[:begin] or word in text[end:]:
            assert word in told


MEGABYTE = 1 << 20
HOSTILE = {
    "less-than signs": "<conversation_data>" + "<" * MEGABYTE,
    "unclosed texts": "<msg id=1>" + "<text>" * 100_000,
    "unclosed messages": "".join(f"<msg id={number}>" for number in range(40_000)),
    "unclosed tools": "<msg id=1>" + "<tool name=bash>" * 30_000,
    "deep roots": "<conversation_data>" * 60_000,
    "nested sessions": "".join(
        f'<conversation_data session="{n}"><msg id="1" role="user">x</msg>' for n in range(2000)
    ),
    "deep elements": '<conversation_data session="a">' + "<x>" * 200_000,
    "open quotes": '<msg id=1 a="' * 80_000,
    "attributes": "<msg id=1 " + 'a="b" ' * 150_000 + ">x",
    "open sections": "<msg id=1>" + "<![CDATA[" * 110_000,
    "open comments": "<msg id=1 role=user>x</msg>" + "<!-- " * 200_000,
    "stray ends": "<msg id=1>" + "</msg>x" * 140_000,
    "references": "<msg id=1>" + "&lt;" * 250_000,
    "heredocs": "<msg id=1 role=assistant>" + "[bash] <<EOF\n" * 10_000,
    "open inputs": "<msg id=1 role=assistant>" + '[bash] {"a\n' * 10_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_bounded(name: str, tmp_path: Path) -> None:
    path = tmp_path / "hostile.xml"
    path.write_text(HOSTILE[name])
    begin = time.process_time()
    (one,) = read(path, reader="transcript-xml")
    assert time.process_time() - begin < 10
    assert len(one.repairs) < 10_000
    assert len(one.gaps) < 10_000
    json.dumps(content(one))


def test_a_big_loose_file_takes_little_time(tmp_path: Path) -> None:
    step = "<msg id={n} role=assistant>\nI look: [bash] ssh h 'cat > /etc/x <<EOF\nfoo & {n}\nEOF'\n<tool_result>\n"
    body = "some <b>output</b> && more of it\n" * 110 + "</tool_result>\n</msg>\n"
    path = tmp_path / "big.xml"
    path.write_text("".join(step.replace("{n}", str(number)) + body for number in range(2200)))
    assert path.stat().st_size > 8_000_000
    begin = time.process_time()
    (one,) = read(path)
    assert time.process_time() - begin < 5
    assert len(one.messages) == 2200


def test_a_picture_and_an_empty_file(fixtures: Path, tmp_path: Path) -> None:
    with pytest.raises(ReadError, match=r"^picture\.png: no reader recognises this"):
        read(fixtures / "hostile" / "picture.png")
    (tmp_path / "empty.xml").write_bytes(b"")
    with pytest.raises(ReadError, match="the file is empty"):
        read(tmp_path / "empty.xml")
