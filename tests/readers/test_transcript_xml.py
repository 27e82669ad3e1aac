"""The strict reading of transcript XML: fields, places, and what it refuses."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from sessionlens.model import LONG, Call, Reasoning, Session, TextPart, Unread, content
from sessionlens.readers import ReadError, Source, read
from sessionlens.readers.transcript_xml import TranscriptXml
from sessionlens.readers.xml_build import milliseconds
from sessionlens.readers.xml_text import strict

FULL = """<?xml version="1.0" encoding="UTF-8"?>
<!-- made by hand -->
<conversation_data format="sessionlens/1" source="opencode" session="ses_1" title="a &amp; b" client="1.18.33" directory="/srv" parent="ses_0">
  <gap reason="cut"/>
  <msg id="5738" role="user" time="2026-02-11T14:03:00Z"><text>do it</text><text synthetic="true">note</text></msg>
  <msg id="5739" role="assistant" time="2026-02-11T14:03:10.120Z" ended="2026-02-11T15:03:26.5+01:00" model="m" agent="build" finish="tool-calls" tokens_in="12" tokens_out="3">
    <reasoning>hm</reasoning>
    <tool name="bash" call="call_9" status="completed" start="1770818590120" end="2026-02-11T14:03:25.130Z" limit_ms="15000" timed_out="true" exit="1" background="true" child="ses_2">
      <input>{"command": "a &lt; b"}</input> <output truncated="true" spilled="/tmp/x"><![CDATA[<b>]]>&amp;c</output> <error>bad</error>
    </tool>
    <compaction auto="true"/> <summary/> <subtask agent="s">go</subtask> <file name="f" mime="image/png"/> <gap reason="lost"/>
    <error name="MessageAbortedError">stopped</error>
  </msg>
  <conversation_data session="ses_2" parent="ses_1"><msg id="1" role="user"><text enc="json">"\\u0000x"</text></msg></conversation_data>
</conversation_data>
"""


def session(tmp_path: Path, text: str | bytes, name: str = "log.xml") -> Session:
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    (one,) = TranscriptXml().read(Source(path))
    return one


def test_everything_of_the_contract(tmp_path: Path) -> None:
    one = session(tmp_path, FULL)
    assert one.repairs == ()
    assert (one.id, one.title, one.client, one.client_version) == ("ses_1", "a & b", "opencode", "1.18.33")
    assert (one.directory, one.parent, [gap.reason for gap in one.gaps]) == ("/srv", "ses_0", ["cut"])
    person, answer = one.messages
    assert [part.text.whole() for part in person.texts()] == ["do it"]
    assert (answer.time, answer.ended) == (1770818590120, 1770818606500)
    assert (answer.model, answer.agent, answer.finish) == ("m", "build", "tool-calls")
    assert (answer.tokens_in, answer.tokens_out, answer.summary) == (12, 3, True)
    assert answer.error is not None
    assert (answer.error.name, answer.error.text) == ("MessageAbortedError", "stopped")
    kinds = [type(part).__name__ for part in answer.parts]
    assert kinds == ["Reasoning", "Call", "Compaction", "Subtask", "File", "Unread"]
    (call,) = answer.calls
    assert call.arguments() == {"command": "a < b"}
    assert call.output is not None
    assert call.output.whole() == "<b>&c"
    assert (call.id, call.start, call.end) == ("call_9", 1770818590120, 1770818605130)
    assert (call.limit_ms, call.timed_out, call.exit, call.background) == (15000, True, 1, True)
    assert (call.child, call.truncated, call.spilled) == ("ses_2", True, "/tmp/x")
    (child,) = one.children
    assert (child.id, child.parent) == ("ses_2", "ses_1")
    (text,) = child.messages[0].texts()
    assert text.text.whole() == "\x00x"


def test_places_are_bytes_and_lines(tmp_path: Path) -> None:
    one = session(tmp_path, FULL)
    data = FULL.encode()
    answer = one.messages[1]
    for thing, begin, end in (
        (answer, b'<msg id="5739"', b"</msg>"),
        (answer.calls[0], b"<tool", b"</tool>"),
        (answer.parts[0], b"<reasoning>", b"</reasoning>"),
        (one.children[0].messages[0], b'<msg id="1"', b"</msg>"),
    ):
        origin = thing.origin
        assert origin.offset is not None
        assert origin.length is not None
        covered = data[origin.offset : origin.offset + origin.length]
        assert covered.startswith(begin)
        assert covered.endswith(end)
        assert origin.line == data[: origin.offset].count(b"\n") + 1
    result = answer.calls[0].result_origin
    assert result is not None
    assert result.offset == data.index(b"<output")


def test_lines_beyond_what_the_parser_counts(tmp_path: Path) -> None:
    lines = ['<conversation_data session="s">']
    lines += [f'<msg id="{number}" role="user"><text>\n\n{number}</text></msg>' for number in range(25_000)]
    lines.append("</conversation_data>")
    text = "\n".join(lines) + "\n"
    one = session(tmp_path, text)
    assert text.count("\n") > 70_000
    assert one.repairs == ()
    for number in (0, 21_845, 21_846, 24_999):
        assert one.messages[number].id == str(number)
        assert one.messages[number].origin.line == 2 + 3 * number
    loose = session(tmp_path, text.replace('"24999"', "24999"))
    assert loose.messages[24_999].origin.line == 2 + 3 * 24_999
    assert content(loose) == content(one)


def test_long_texts_are_handles_that_read_the_log_again(tmp_path: Path) -> None:
    long = "first\r\n" + "<&>ж\n" * LONG + "last"
    escaped = long.replace("&", "&amp;").replace("<", "&lt;").replace("\r", "&#13;")
    one = session(
        tmp_path,
        f'<conversation_data session="s"><msg id="1" role="assistant"><text>{escaped}</text>'
        f'<tool name="bash"><input>{{}}</input><output><![CDATA[{long}]]></output></tool></msg></conversation_data>',
    )
    text, call = one.messages[0].parts
    assert isinstance(text, TextPart)
    assert isinstance(call, Call)
    assert call.output is not None
    assert text.text.long
    assert call.output.long
    assert text.text.whole() == long
    assert call.output.whole() == long.replace("\r\n", "\n")
    load = text.text._load
    assert load is not None
    assert pickle.loads(pickle.dumps(load))() == long


PIECES = st.sampled_from(
    [
        "a",
        " ",
        "\n",
        "\r",
        "\r\n",
        "&amp;",
        "&#10;",
        "&#xe9;",
        "<![CDATA[&<]]>",
        "<!-- c -->",
        "<?p i?>",
        "é",
        "]",
    ]
)


@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES, max_size=12).map("".join))
def test_our_decoding_is_the_parsers(inner: str) -> None:
    data = inner.encode("utf-8")
    parsed = etree.fromstring(b"<t>" + data + b"</t>")
    assert strict(data, "utf-8") == "".join(str(piece) for piece in parsed.itertext())


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("2026-02-11T14:03:10.120Z", 1770818590120),
        ("2026-02-11T14:03:10", 1770818590000),
        ("2026-02-11 15:03:10+01:00", 1770818590000),
        ("1770818590120", 1770818590120),
        ("yesterday", None),
        ("", None),
    ],
)
def test_times(said: str, expected: int | None) -> None:
    assert milliseconds(said) == expected


@pytest.mark.parametrize(
    ("result", "limit"),
    [
        ("<output>shell tool terminated command after exceeding timeout 15000 ms</output>", 15000),
        ("<output>partial\n\n(Command timed out after 3000 ms)</output>", 3000),
        ("<error>Command timed out after 2m 0.0s</error>", 120000),
    ],
)
def test_words_of_the_client_tell_a_cut_off_where_no_attribute_does(
    result: str, limit: int, tmp_path: Path
) -> None:
    form = '<conversation_data format="sessionlens/1"><msg id="1" role="assistant"><tool name="bash"{}><input>{{}}</input>{}</tool></msg></conversation_data>'
    (call,) = session(tmp_path, form.format("", result)).messages[0].calls
    assert (call.timed_out, call.limit_ms) == (True, limit)
    (call,) = session(tmp_path, form.format(' timed_out="false"', result)).messages[0].calls
    assert (call.timed_out, call.limit_ms) == (False, None)


def test_a_file_that_quotes_a_cut_off_is_none(tmp_path: Path) -> None:
    text = (
        '<conversation_data><msg id="1" role="assistant"><tool name="read"><input>{}</input>'
        "<output>log says\nbash tool terminated command after exceeding timeout 15000 ms</output></tool></msg></conversation_data>"
    )
    (call,) = session(tmp_path, text).messages[0].calls
    assert not call.timed_out


@pytest.mark.parametrize(
    ("said", "name", "text"),
    [
        ("MessageAbortedError: Aborted", "MessageAbortedError", "Aborted"),
        ("ProviderAuthError no key", "ProviderAuthError", "no key"),
        ("overloaded, try again", "overloaded", "overloaded, try again"),
        ("", "unknown", ""),
    ],
)
def test_an_error_without_name_takes_its_first_word(said: str, name: str, text: str, tmp_path: Path) -> None:
    one = session(
        tmp_path,
        f'<conversation_data><msg id="1" role="assistant"><error>{said}</error></msg></conversation_data>',
    )
    error = one.messages[0].error
    assert error is not None
    assert (error.name, error.text) == (name, text)


def test_elements_of_a_later_version_are_shown_but_nobodys_words(tmp_path: Path) -> None:
    one = session(
        tmp_path,
        '<conversation_data format="sessionlens/1"><msg id="1" role="assistant"><vote by="x">yes <b>so</b></vote></msg></conversation_data>',
    )
    unread, shown = one.messages[0].parts
    assert isinstance(unread, Unread)
    assert isinstance(shown, TextPart)
    assert shown.text.whole() == '<vote by="x">yes <b>so</b></vote>'
    assert one.messages[0].empty
    assert one.repairs == ()


def test_unknown_attributes_are_noted(tmp_path: Path) -> None:
    one = session(
        tmp_path,
        '<conversation_data format="sessionlens/1"><msg id="1" role="user" mood="good"/></conversation_data>',
    )
    assert [repair.kind for repair in one.repairs] == ['attribute mood="good" of <msg> is not known']


def test_inline_calls_are_prose_where_the_root_says_a_format(tmp_path: Path) -> None:
    text = (
        '<conversation_data{}><msg id="1" role="assistant"><text>[bash] ls</text></msg></conversation_data>'
    )
    assert not session(tmp_path, text.format(' format="sessionlens/1"')).messages[0].calls
    (call,) = session(tmp_path, text.format("")).messages[0].calls
    assert call.arguments() == {"command": "ls"}


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16", "latin-1"])
def test_encodings(codec: str, tmp_path: Path) -> None:
    name = {"utf-8-sig": "UTF-8", "utf-16": "UTF-16", "latin-1": "ISO-8859-1"}[codec]
    text = f'<?xml version="1.0" encoding="{name}"?>\n<conversation_data title="é"><msg id="1" role="user"><text>é{"x" * LONG}ü</text></msg></conversation_data>'
    one = session(tmp_path, text.encode(codec))
    assert one.repairs == ()
    assert one.title == "é"
    (part,) = one.messages[0].texts()
    assert part.text.whole() == f"é{'x' * LONG}ü"
    assert one.messages[0].origin.line == 2


def test_the_name_is_the_stem_where_the_root_gives_no_session(tmp_path: Path) -> None:
    text = '<conversation_data><msg id="1" role="user"/></conversation_data>'
    assert session(tmp_path, text, "my.log.xml").id == "my.log"


def test_reasoning_alone_is_empty(tmp_path: Path) -> None:
    text = (
        '<conversation_data><msg id="1" role="assistant"><reasoning>a</reasoning></msg></conversation_data>'
    )
    (message,) = session(tmp_path, text).messages
    assert isinstance(message.parts[0], Reasoning)
    assert message.empty


@pytest.mark.parametrize("name", ["doctype_bomb.xml", "external_entity.xml"])
def test_a_document_type_declaration_is_refused(name: str, fixtures: Path) -> None:
    with pytest.raises(ReadError, match=rf"^{name}:2: it has a document type declaration") as failed:
        read(fixtures / "hostile" / name)
    assert "\n" not in str(failed.value)
    assert str(fixtures) not in str(failed.value)


def test_a_declaration_behind_a_long_comment_is_refused(tmp_path: Path) -> None:
    text = f'<!--{"x" * 100_000}-->\n<!DOCTYPE a [<!ENTITY b "c">]><conversation_data><msg id="1">&b;</msg></conversation_data>'
    path = tmp_path / "log.xml"
    path.write_text(text)
    with pytest.raises(ReadError, match="document type"):
        read(path, reader="transcript-xml")


@pytest.mark.parametrize(
    ("text", "missed"),
    [
        ('{"info": {}, "messages": "<msg id=1>"}', "JSON"),
        ("Message 5740 (<msg id=5740>) is empty.", "within sentences"),
        ("nothing of the kind", "no <conversation_data>"),
        ("\0\1\2\3", "binary"),
    ],
)
def test_what_is_no_transcript(text: str, missed: str, tmp_path: Path) -> None:
    path = tmp_path / "log.xml"
    path.write_text(text)
    assert missed in (TranscriptXml().recognises(Source(path)) or "")


@pytest.mark.parametrize(
    "text",
    [
        "<msg id=5740></msg>",
        "  \n<conversation_data>",
        '<?xml version="1.0"?><conversation_data/>',
        "Exporting session: x\n<conversation_data>\n",
        'noise <msg id="1" role="user">',
        "\ufeff<msg>",
    ],
)
def test_what_is_one(text: str, tmp_path: Path) -> None:
    path = tmp_path / "anything.bin"
    path.write_text(text)
    assert TranscriptXml().recognises(Source(path)) is None


def test_the_scene_of_the_silent_restart(fixtures: Path) -> None:
    (one,) = read(fixtures / "transcript_xml" / "hicache_restart.xml")
    assert one.repairs == ()
    assert one.gaps == ()
    assert [message.id for message in one.messages] == [str(number) for number in range(5705, 5749)]
    cut_off = [
        (message.id, call.limit_ms) for message in one.messages for call in message.calls if call.timed_out
    ]
    assert cut_off == [("5739", 15_000), ("5742", 20_000)]
    assert [message.id for message in one.messages if message.empty] == ["5740"]
    earlier = one.find("5706")
    healthy = one.find("5711")
    assert earlier is not None
    assert healthy is not None
    begin, end = earlier.calls[0].start, healthy.calls[0].end
    assert begin is not None
    assert end is not None
    assert end - begin > 600_000


def test_words_that_stand_in_every_message_are_in_memory_once(tmp_path: Path) -> None:
    rows = "".join(
        f'<msg id="{number}" role="assistant" model="large-2026" agent="build" finish="stop"><tool name="shell_1">'
        '<input>{"command": "ls"}</input><output>a</output></tool></msg>'
        for number in range(3)
    )
    messages = session(tmp_path, f"<conversation_data>{rows}</conversation_data>").messages
    assert [(one.model, one.agent, one.finish) for one in messages] == [("large-2026", "build", "stop")] * 3
    for kept in (
        {id(one.model) for one in messages},
        {id(one.agent) for one in messages},
        {id(one.finish) for one in messages},
        {id(one.calls[0].name) for one in messages},
    ):
        assert len(kept) == 1
