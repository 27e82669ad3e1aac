"""Sources: what cannot be a log is refused clearly; places are right in big and odd files."""

from __future__ import annotations

import io
import json
import os
import pickle
import shutil
import sys
from pathlib import Path

import pytest

from sessionlens import readers
from sessionlens.readers import ReadError, Source


def test_lines_are_counted_beyond_every_block(tmp_path: Path) -> None:
    path = tmp_path / "log"
    lines = [b"x" * (index % 97) for index in range(80_000)]
    path.write_bytes(b"\n".join(lines))
    source = Source(path)
    offset = 0
    for number, line in enumerate(lines, 1):
        if number % 7919 == 1 or number > 79_990:
            assert source.line_at(offset) == number
            assert source.line_at(offset + len(line)) == number
        offset += len(line) + 1
    source.release()
    assert source.line_at(offset - 1) == 80_000


def mapped(path: Path) -> int:
    """Kilobytes of a file that this process has mapped and at hand."""
    found, ours = 0, False
    for line in Path("/proc/self/smaps").read_text().splitlines():
        words = line.split()
        if "-" in words[0]:
            ours = words[-1] == str(path)
        elif ours and words[0] == "Rss:":
            found += int(words[1])
    return found


@pytest.mark.skipif(not Path("/proc/self/smaps").exists(), reason="what is mapped is told by Linux alone")
@pytest.mark.parametrize("form", ["lines", "transcript-xml", "opencode-export"])
def test_a_mapped_log_is_let_go_of_behind_the_reading(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sessionlens.readers.source._MAP_ABOVE", 1 << 16)
    monkeypatch.setattr("sessionlens.readers.source._FORGET", 1 << 18)
    path = tmp_path / "log"
    prose = "word " * 400
    if form == "opencode-export":
        message = f'{{"info": {{"id": "msg_%d", "role": "user"}}, "parts": [{{"type": "text", "text": "{prose}"}}]}}'
        begin, between, end = '{"info": {"id": "ses_1"}, "messages": [\n', ",\n", "\n]}"
    else:
        message = f'<msg id="%d" role="user"><text>{prose}</text></msg>'
        begin, between, end = (
            '<conversation_data format="sessionlens/1" session="s">\n',
            "\n",
            "\n</conversation_data>",
        )
    path.write_text(f"{begin}{between.join(message % number for number in range(4_000))}{end}")
    source = Source(path)
    held: list[int] = []
    release = source.release

    def released() -> None:
        held.append(mapped(path))
        release()

    # What a reader holds at its end, before it lets go of all.
    monkeypatch.setattr(source, "release", released)
    if form == "lines":
        assert source.line_at(source.size - 1) == 4_002
        source.release()
    else:
        (session,) = readers.get(form).read(source)
        assert len(session.messages) == 4_000
        assert session.messages[-1].origin.line == 4_001
    assert source.size > 8_000_000
    assert 0 < held[-1] < 2_000
    assert bytes(source.view()[:18]) == begin[:18].encode()


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig"])
def test_other_encodings_are_read_as_utf8(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "log"
    text = '{"info": {}}\nünïcode ✓\nend'
    path.write_bytes(text.encode(encoding))
    source = Source(path)
    assert bytes(source.view())[source.start :].decode() == text
    assert source.head() == text.encode()
    assert source.line_at(len(text.encode()) - 1 + source.start) == 3
    again = pickle.loads(pickle.dumps(source))
    assert again.read(source.start, 6) == b'{"info'


def test_stdin_is_spooled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"one\ntwo")))
    source = readers.open_source("-")
    assert source.name == "stdin"
    assert source.view() == b"one\ntwo"


def test_one_clear_error_for_each_bad_source(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.touch()
    picture = tmp_path / "picture.png"
    picture.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40)
    half = tmp_path / "half.json"
    half.write_text('{"info": {"id": "ses_1", "title": "half')
    folder = tmp_path / "folder"
    folder.mkdir()
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    bad = [
        empty,
        picture,
        half,
        folder,
        pipe,
        loop,
        Path("/dev/null"),
        tmp_path / "missing",
        tmp_path / ("x" * 300),
    ]
    if os.geteuid() != 0:
        closed = tmp_path / "closed"
        closed.write_text("x")
        closed.chmod(0)
        bad.append(closed)
    for path in bad:
        with pytest.raises(ReadError) as caught:
            readers.read(path)
        text = str(caught.value)
        assert text.startswith(path.name)
        assert "\n" not in text
        assert str(tmp_path) not in text
        again = pickle.loads(pickle.dumps(caught.value))
        assert str(again) == text


def test_the_error_names_every_reader_tried(tmp_path: Path) -> None:
    picture = tmp_path / "picture.png"
    picture.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40)
    with pytest.raises(ReadError) as caught:
        readers.read(picture)
    for name, _ in readers.READERS:
        assert f"{name}: " in str(caught.value)


def test_an_unknown_reader_is_named_with_the_known_ones(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text("x")
    with pytest.raises(ReadError, match="transcript-xml"):
        readers.read(path, reader="no-such")


def test_a_folder_of_unreadable_files_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("nothing here")
    (tmp_path / "b.txt").write_text("nothing here either")
    with pytest.raises(ReadError, match="none of its 2 files"):
        readers.read(tmp_path)


def test_hidden_logs_of_a_folder_are_read_and_what_is_no_log_is_not(
    run, fixtures: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "repository"
    (folder / ".specstory/history").mkdir(parents=True)
    (folder / ".git").mkdir()
    (folder / "empty.jsonl").touch()
    (folder / ".git/log.json").write_text("{}", "utf-8")
    shutil.copy(fixtures / "aider/two_chats.md", folder / ".aider.chat.history.md")
    shutil.copy(fixtures / "specstory/bare_headings.md", folder / ".specstory/history/chat.md")
    read = run("audit", folder, "--format", "json", "-o", "-")
    sessions = json.loads(read.out)["audits"]
    assert {one["session"]["source_format"] for one in sessions} == {"aider", "specstory"}
    assert "passed over 1 file" in read.err
