"""``sessionlens show`` and ``sessionlens convert``: a session as it was read."""

from pathlib import Path

from sessionlens import readers
from sessionlens.model import content

LOG = """<conversation_data>
<msg id=1 role="user"><text>look & see</text></msg>
<msg id="2" role="assistant"><reasoning>hm</reasoning><text>Looking.\x1b[2J</text><tool name="bash" call="c1" exit="1">
<input>{"command": "ls"}</input><output>nothing</output></tool><gap reason="a line was lost"/></msg>
<msg id="3" role="assistant"><error name="APIError">overloaded</error></msg>
</conversation_data>
"""


def test_everything_that_was_read_is_listed_with_its_line(run):
    Path("log.xml").write_text(LOG, "utf-8")
    done = run("show", "log.xml")
    assert (done.code, done.err) == (0, "")
    for words in (
        "session log", "messages: 3, calls: 1, repairs: ", "#0 1 (line 2): user", "  look & see", "[reasoning]",
        "[bash] c1 (line 3): completed, exit 1", '    > {"command": "ls"}', "    nothing", "a line was lost",
        "error APIError: overloaded",
    ):  # fmt: skip
        assert words in done.out, words
    assert "\x1b" not in done.out


def test_one_message(run):
    Path("log.xml").write_text(LOG, "utf-8")
    done = run("show", "log.xml", "--message", "1")
    assert done.out.strip().splitlines() == ["#0 1 (line 2): user", "  look & see"]
    missing = run("show", "log.xml", "--message", "77")
    assert missing.code == 2
    assert "no message 77 in log.xml" in missing.err


def test_long_texts_are_cut_unless_everything_is_asked_for(run):
    lines = "\n".join(f"row {number}" for number in range(100))
    Path("log.xml").write_text(LOG.replace("nothing", lines), "utf-8")
    short = run("show", "log.xml").out
    assert "row 19" in short
    assert "row 20" not in short
    assert "… 80 more lines; --full shows them" in short
    assert "row 99" in run("show", "log.xml", "--full").out
    Path("log.xml").write_text(LOG.replace("nothing", "x" * 20_000 + "END"), "utf-8")
    assert "of 20003 characters; --full shows them" in run("show", "log.xml").out
    assert "xEND" in run("show", "log.xml", "--full").out


def test_what_cannot_be_read_is_one_clear_line_and_code_3(run):
    Path("empty").write_bytes(b"")
    for command in (("show",), ("convert", "-o", "x.xml")):
        for source in ("empty", "nowhere"):
            done = run(command[0], source, *command[1:])
            assert done.code == 3
            assert done.err.startswith(f"error: {source}: ")
            assert len(done.err.splitlines()) == 1
            assert done.out == ""


def test_convert_keeps_the_session(run):
    Path("log.xml").write_text(LOG, "utf-8")
    done = run("convert", "log.xml", "--no-redact", "-o", "again.xml")
    assert (done.code, done.out, done.err) == (0, "", "wrote again.xml\n")
    before, after = (readers.read(name)[0] for name in ("log.xml", "again.xml"))
    assert content(before) == content(after)
    assert run("convert", "log.xml", "--no-redact", "-o", "-").raw == Path("again.xml").read_bytes()


def test_convert_does_not_overwrite_the_log(run):
    Path("log.xml").write_text(LOG, "utf-8")
    assert run("convert", "log.xml", "-o", "log.xml").code == 2
    assert Path("log.xml").read_text("utf-8") == LOG
