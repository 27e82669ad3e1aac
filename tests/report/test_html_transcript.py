"""Rows of the transcript: diffs, folds, families of tools, children, bounded work."""

from __future__ import annotations

import base64
import random
import time
import zlib
from types import ModuleType

import html5lib
import msgspec
import pytest

from sessionlens.examples import Example, asks, bash, child, says, tool
from sessionlens.model import Session
from sessionlens.narrative import tell
from sessionlens.report import html, transcript
from sessionlens.report.transcript import POINTER, Packs, Row, compared, family_of, pack


def rows(made: ModuleType, session: Session, limit: int | None = None) -> list[Row]:
    audit = made.judged(session)
    return list(transcript.rows(session, tell(audit), limit=limit))


def test_compared_line_by_line() -> None:
    assert compared("a\nb\nc\n", "a\nB\nc\nd\n") == [
        (" ", "a"),
        ("-", "b"),
        ("+", "B"),
        (" ", "c"),
        ("+", "d"),
    ]
    assert compared("", "x\ny") == [("+", "x"), ("+", "y")]
    assert compared("x\ny", "") == [("-", "x"), ("-", "y")]
    assert compared("same", "same") == [(" ", "same")]


def test_long_edits_end_soon() -> None:
    began = time.monotonic()
    lines = compared("x\n" * 20_000, "y\nx\n" * 20_000)
    assert time.monotonic() - began < 2
    assert sum(sign == "+" for sign, _ in lines) >= 20_000


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("edit", {"filePath": "a.py", "oldString": "1\n2", "newString": "1\n3"}, [(" ", "1"), ("-", "2"), ("+", "3")]),
        ("Edit", {"file_path": "a.py", "old_string": "2", "new_string": "3"}, [("-", "2"), ("+", "3")]),
        ("write", {"filePath": "a.py", "content": "1\n2"}, [("+", "1"), ("+", "2")]),
        ("MultiEdit", {"file_path": "a.py", "edits": [{"old_string": "1", "new_string": "2"}]}, [("-", "1"), ("+", "2")]),
        ("apply_patch", {"input": "*** Begin Patch\n*** Update File: a.py\n-1\n+2\n*** End Patch"},
         [("@", "*** Begin Patch"), ("@", "*** Update File: a.py"), ("-", "1"), ("+", "2"), ("@", "*** End Patch")]),
    ],
)  # fmt: skip
def test_edits_of_every_client_are_diffs(
    made: ModuleType, name: str, arguments: dict[str, object], expected: list[tuple[str, str]]
) -> None:
    session, _ = Example("x", asks("go"), tool(name, arguments, output="ok")).build()
    pieces = rows(made, session)[1].blocks[0].pieces
    assert next(list(piece.lines) for piece in pieces if piece.mode == "diff") == expected


def test_a_diff_in_an_output_is_shown_as_one(made: ModuleType) -> None:
    output = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new"
    session, _ = Example("x", asks("go"), bash("git diff", output=output)).build()
    piece = rows(made, session)[1].blocks[0].pieces[-1]
    assert piece.mode == "diff"
    assert [sign for sign, _ in piece.lines] == ["@", "@", "@", "@", "-", "+"]


def test_long_outputs_are_folded_with_their_count(made: ModuleType) -> None:
    session, _ = Example("x", asks("go"), bash("seq 200", output="\n".join(map(str, range(200))))).build()
    piece = rows(made, session)[1].blocks[0].pieces[-1]
    assert piece.folded == "output, 200 lines, 689 characters"


def test_packed_text_comes_back(made: ModuleType) -> None:
    text = "äöü \n" * 5000
    assert zlib.decompress(base64.b64decode(pack(text)), -15).decode() == text


def test_a_child_stands_inside_the_message_of_its_call(made: ModuleType) -> None:
    session, _ = Example(
        "x", asks("go"), child(bash("ls"), says("done"), prompt="look", result="done"), says("all done")
    ).build()
    kinds = [(row.kind, row.depth, row.anchor) for row in rows(made, session)]
    assert kinds == [
        ("message", 0, "m0"),
        ("message", 0, "m1"),
        ("open", 1, ""),
        ("message", 1, "s1m0"),
        ("message", 1, "s1m1"),
        ("message", 1, "s1m2"),
        ("close", 1, ""),
        ("message", 0, "m2"),
    ]


def test_a_child_that_no_call_names_is_shown_too(made: ModuleType) -> None:
    session = made.quiet()
    orphan = msgspec.structs.replace(made.long(3), id="ses_orphan")
    found = rows(made, msgspec.structs.replace(session, children=(orphan,)))
    assert [row.anchor for row in found if row.kind == "message" and row.depth == 1] == [
        "s1m0",
        "s1m1",
        "s1m2",
    ]
    assert [row.kind for row in found].count("open") == [row.kind for row in found].count("close") == 1


def test_deep_children(made: ModuleType) -> None:
    session = made.long(1)
    for depth in range(400):
        session = Session(id=f"ses_{depth}", source_format="x", children=(session,))
    from sessionlens.narrative.views import Meta, Narrative, Statement

    nothing = Statement(text="x", certainty="observed", evidence=())
    meta = Meta(id="", title="", client="", when="", size="", models="", source_format="")
    narrative = Narrative(meta=meta, headline=nothing, lede=(), numbers=(), picture=None, ledger=(), chapters=(),
                          conduct=(), limits=(), notes={})  # fmt: skip
    assert sum(1 for _ in transcript.rows(session, narrative, limit=None)) == 1 + 2 * 400


def test_filters_know_what_a_message_holds(made: ModuleType) -> None:
    tags = [row.tags for row in rows(made, made.incident())]
    assert tags[0] == ("person",)
    assert "cut" in tags[7]
    assert "finding" in tags[8]
    assert "check" in tags[14]


@pytest.mark.parametrize(
    ("name", "family"),
    [("bash", "shell"), ("Edit", "write"), ("read", "read"), ("task", "task"), ("mcp__x", "other")],
)
def test_families(name: str, family: str) -> None:
    assert family_of(name) == family


def unpacked(packed: list[str]) -> list[str]:
    """The texts of packed forms, as the page's script reads them."""
    texts: list[list[str]] = []
    for form in packed:
        lines: list[str] = []
        for line in zlib.decompress(base64.b64decode(form), -15).decode().split("\n"):
            if line.startswith(POINTER):
                number, start, count = map(int, line[1:].split())
                lines += texts[number][start : start + count]
            else:
                lines.append(line)
        texts.append(lines)
    return ["\n".join(lines) for lines in texts]


def test_lines_of_earlier_texts_are_pointed_at() -> None:
    body = [f"line {number} of a file that is read again" for number in range(300)]
    texts = [
        "\n".join(body),
        "\n".join(["changed at the top", *body[3:]]),
        "\n".join([*body[100:200], "", "", *body[:50], "the end"]),
        "short\n\n\nlines\n" * 50,
        "\n".join(["twice"] * 40 + body[10:30] * 2),
    ]
    packs = Packs()
    forms = [packs.add(text) for text in texts]
    assert [name for name, _ in forms] == [f"pack{number}" for number in range(len(texts))]
    assert unpacked([form for _, form in forms]) == texts
    assert len(forms[1][1]) * 5 < len(forms[0][1])
    assert packs.add(texts[1]) == ("pack1", "")


@pytest.mark.parametrize("seed", range(20))
def test_pointers_lose_nothing(seed: int) -> None:
    draw = random.Random(seed)
    pool = [
        draw.choice(["", "x", "a line of some length ", "an other one ", " " * 30]) * 2
        + str(draw.randrange(9))
        for _ in range(40)
    ]
    texts = [
        "\n".join(draw.choices(pool, k=draw.randrange(1, 60)) * draw.randrange(1, 3)) + f"\n{n}"
        for n in range(12)
    ]
    packs = Packs()
    assert unpacked([packs.add(text)[1] for text in texts]) == texts


def test_a_child_session_stands_inside_the_call_that_started_it(made: ModuleType) -> None:
    example = Example(
        "two children",
        asks("look into both"),
        child(bash("cat a", output="first"), says("The first is fine."), prompt="look at the first"),
        child(bash("cat b", output="second"), says("The second is fine."), prompt="look at the second"),
        says("Both are fine."),
    )
    audit = made.judged(made.numbered(example.build()[0]))
    page = html.page(tell(audit), audit)
    found = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(page)
    parents = {inner: outer for outer in found.iter() for inner in outer}
    homes = []
    for node in found.iter("details"):
        if "child" in str(node.get("class")).split():
            homes.append(parents[node])
            assert [one.tag for one in node][:2] == ["summary", "article"]
    assert len(homes) == 2
    assert all("call" in str(home.get("class")).split() for home in homes)
    assert homes[0] is not homes[1]
    ids = [str(node.get("id")) for node in found.iter("article")]
    assert len(ids) == len(set(ids)) == sum(len(one.messages) for one in audit.session.family())
