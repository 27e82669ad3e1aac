"""Writing transcript XML and reading it back gives equal sessions, strictly and loosely."""

from __future__ import annotations

import io
import os
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from sessionlens.model import (
    LONG,
    Call,
    Changed,
    Compaction,
    File,
    Gap,
    Message,
    Reasoning,
    Repair,
    Session,
    Subtask,
    Text,
    TextPart,
    Trouble,
    Unread,
    content,
)
from sessionlens.readers import ReadError, Source, get, read
from sessionlens.readers.transcript_xml import TranscriptXml
from sessionlens.readers.xml_build import NotStrict
from sessionlens.readers.xml_loose import read as read_loosely
from sessionlens.report.transcript_xml import write

EXAMPLES = 100
QUICK = (Phase.explicit, Phase.reuse, Phase.generate)
"""Without shrinking: sessions are small as they are, and a failing test must not take minutes."""

AWKWARD = st.one_of(
    st.text(st.characters(exclude_categories=[]), max_size=40),
    st.sampled_from(
        [
            "",
            " ",
            "\n a \n",
            "a && b < c > d",
            "<msg id=1>",
            "</text></msg></conversation_data>",
            "<![CDATA[x]]>",
            "]]>",
            "&amp;lt; &#10; &",
            "\r\n\r",
            "\ud800",
            "\x00\x1b[31m",
            "\ufffe",
            "[bash] ls",
            '{"command": "ls"}',
            "Command timed out after 15000 ms",
            "ж中文🙂",
        ]
    ),
)
NAME = st.one_of(st.none(), AWKWARD)
MOMENT = st.one_of(
    st.none(), st.integers(-(10**15), 10**15), st.integers(1_700_000_000_000, 1_800_000_000_000)
)
COUNT = st.one_of(st.none(), st.integers(-(10**9), 10**12))
TEXT = AWKWARD.map(Text)

PART = st.one_of(
    st.builds(TextPart, text=TEXT, synthetic=st.booleans()),
    st.builds(Reasoning, text=TEXT),
    st.builds(
        Call,
        id=NAME,
        name=AWKWARD,
        input=TEXT,
        status=st.sampled_from(["pending", "running", "completed", "error"]),
        start=MOMENT,
        end=MOMENT,
        limit_ms=COUNT,
        timed_out=st.booleans(),
        interrupted=st.booleans(),
        exit=COUNT,
        background=st.booleans(),
        continues=NAME,
        child=NAME,
        output=st.one_of(st.none(), TEXT),
        truncated=st.booleans(),
        spilled=NAME,
        error=st.one_of(st.none(), TEXT),
    ),
    st.builds(Compaction, auto=st.one_of(st.none(), st.booleans())),
    st.builds(Subtask, agent=NAME, prompt=TEXT),
    st.builds(File, name=NAME, mime=NAME),
    st.builds(Changed, files=st.lists(AWKWARD, max_size=3).map(tuple)),
    st.builds(Unread, reason=AWKWARD),
)
MESSAGE = st.builds(
    Message,
    id=NAME.map(lambda name: name or None),
    index=st.just(0),
    role=st.sampled_from(["user", "assistant", "system", "unknown"]),
    parts=st.lists(PART, max_size=4).map(tuple),
    time=MOMENT,
    ended=MOMENT,
    model=NAME,
    agent=NAME,
    finish=NAME,
    tokens_in=COUNT,
    tokens_out=COUNT,
    error=st.one_of(st.none(), st.builds(Trouble, name=AWKWARD, text=AWKWARD)),
    summary=st.booleans(),
    reverted=st.booleans(),
    aliases=st.lists(AWKWARD, max_size=2).map(tuple),
)


def numbered(messages: list[Message]) -> tuple[Message, ...]:
    import msgspec

    return tuple(msgspec.structs.replace(message, index=index) for index, message in enumerate(messages))


def session(children: st.SearchStrategy[tuple[Session, ...]]) -> st.SearchStrategy[Session]:
    return st.builds(
        Session,
        id=AWKWARD.map(lambda name: name or "unnamed"),
        source_format=st.just("transcript-xml"),
        title=NAME,
        client=NAME,
        client_version=NAME,
        directory=NAME,
        parent=NAME,
        messages=st.lists(MESSAGE, max_size=4).map(numbered),
        children=children,
        gaps=st.lists(st.builds(Gap, reason=AWKWARD), max_size=2).map(tuple),
        repairs=st.lists(st.builds(Repair, kind=AWKWARD), max_size=2).map(tuple),
        truncated=st.booleans(),
    )


SESSION = session(st.lists(session(st.just(())), max_size=2).map(tuple))


def written(*sessions: Session) -> str:
    stream = io.StringIO()
    write(sessions, stream)
    return stream.getvalue()


def source(tmp_path: Path, text: str) -> Source:
    path = tmp_path / "log.xml"
    path.write_bytes(text.encode("utf-8"))
    return Source(path)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("xml")


@settings(
    max_examples=EXAMPLES,
    deadline=None,
    phases=QUICK,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(original=SESSION)
def test_strict_reading_gives_an_equal_session(original: Session, folder: Path) -> None:
    text = written(original)
    (back,) = TranscriptXml().read(source(folder, text))
    assert content(back) == content(original)
    kinds = [repair.kind for repair in back.repairs if repair.kind != "duplicated id"]
    assert kinds == [repair.kind for repair in original.repairs]
    # Reading notes ids given twice, and where the note of a repair stands.
    again = re.sub(r'<repair kind="duplicated id"[^>]*>\n| line="\d+"', "", written(back))
    assert again == text


@settings(
    max_examples=EXAMPLES,
    deadline=None,
    phases=QUICK,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(original=SESSION)
def test_loose_reading_gives_an_equal_session(original: Session, folder: Path) -> None:
    back = read_loosely(source(folder, written(original)), "utf-8", NotStrict("asked for", 0))
    assert [content(one) for one in back] == [content(original)]


@settings(
    max_examples=EXAMPLES // 3,
    deadline=None,
    phases=QUICK,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(original=SESSION)
def test_two_sessions_in_one_file(original: Session, folder: Path) -> None:
    first = Session(id="first of two", source_format="x", messages=(Message(index=0, id="1", role="user"),))
    if first.id in (original.id, original.parent) or any(
        one.id in (first.id, original.id) for one in original.children
    ):
        return
    back = list(TranscriptXml().read(source(folder, written(first, original))))
    assert [content(one) for one in back] == [content(first), content(original)]


def test_only_what_is_known_is_written() -> None:
    call = Call(name="bash", input=Text('{"command": "ls"}'), output=Text("a\n"))
    message = Message(index=0, id="7", role="assistant", parts=(TextPart(text=Text("a < b")), call))
    assert written(Session(id="s", source_format="x", client="opencode", messages=(message,))) == (
        '<conversation_data format="sessionlens/1" source="opencode" reader="x" session="s">\n'
        '<msg id="7" role="assistant">\n'
        "  <text>a &lt; b</text>\n"
        '  <tool name="bash" status="completed" timed_out="false">\n'
        '    <input>{"command": "ls"}</input>\n'
        "    <output>a\n</output>\n"
        "  </tool>\n"
        "</msg>\n"
        "</conversation_data>\n"
    )


def test_times_have_milliseconds_and_zone() -> None:
    message = Message(index=0, id="1", role="user", time=1_770_818_590_120, ended=-62_135_596_800_001)
    text = written(Session(id="s", source_format="x", messages=(message,)))
    assert 'time="2026-02-11T14:03:10.120Z"' in text
    assert 'ended="-62135596800001"' in text


@pytest.mark.parametrize("filling", ["x", "&<>\r\n", "\x1b[0mж"])
def test_long_texts_come_back_as_handles(filling: str, tmp_path: Path) -> None:
    value = "begin " + filling * (LONG * 2 // len(filling)) + " end"
    call = Call(name="bash", input=Text("{}"), output=Text(value))
    parts = (TextPart(text=Text(value)), Reasoning(text=Text(value)), call)
    original = Session(
        id="s", source_format="x", messages=(Message(index=0, id="1", role="assistant", parts=parts),)
    )
    (back,) = TranscriptXml().read(source(tmp_path, written(original)))
    text, reasoning, output = back.messages[0].parts
    for handle in (text.text, reasoning.text, output.output):
        assert handle.long
        assert len(handle.head) < LONG
        assert handle.whole() == value
    assert content(back) == content(original)


CORPUS = os.environ.get("SESSIONLENS_CORPUS")


@pytest.mark.skipif(CORPUS is None, reason="SESSIONLENS_CORPUS is not set")
def test_every_real_export_comes_back_equal(tmp_path: Path) -> None:
    try:
        get("opencode-export")
    except ReadError:
        pytest.skip("the reader of opencode exports is not there")
    exports = sorted(Path(CORPUS or "", "opencode").rglob("*.json"))
    seen = 0
    for export in exports:
        try:
            originals = read(export, reader="opencode-export")
        except ReadError:
            continue
        for number, original in enumerate(originals):
            (back,) = TranscriptXml().read(source(tmp_path, written(original)))
            assert content(back) == content(original), (export.name, number)
            seen += 1
    assert seen > 10
