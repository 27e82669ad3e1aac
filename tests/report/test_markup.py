"""The one maker of trusted markup."""

from __future__ import annotations

import time

import html5lib
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessionlens.report import markup


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a **b** *c* `d<e>`", "<p>a <strong>b</strong> <em>c</em> <code>d&lt;e&gt;</code></p>"),
        ("# T\n\ntext", '<p class="heading">T</p><p>text</p>'),
        ("- a\n- b", "<ul><li>a\n</li><li>b\n</li></ul>"),
        ("```sh\nls <x>\n```", "<pre><code>ls &lt;x&gt;</code></pre>"),
        (
            "[go](https://x.example/?a=1&b=2)",
            '<p>go<span class="address"> (https://x.example/?a=1&amp;b=2)</span></p>',
        ),
        ("<b onclick=x>hi</b>", "<p>&lt;b onclick=x&gt;hi&lt;/b&gt;</p>"),
        ("![alt](http://x/y.png)", '<p>!alt<span class="address"> (http://x/y.png)</span></p>'),
        ("[x](javascript:alert(1))", "<p>[x](javascript:alert(1))</p>"),
    ],
)
def test_prose(text: str, expected: str) -> None:
    assert str(markup.prose(text)) == expected


@pytest.mark.parametrize(
    "text", ["> " * 3000 + "x", "[" * 5000, "*" * 9000, "| a " * 4000, "- " * 3000, "`" * 9000]
)
def test_prose_bombs_end_soon(text: str) -> None:
    began = time.monotonic()
    page = markup.prose(text)
    assert time.monotonic() - began < 5
    html5lib.HTMLParser(strict=True).parseFragment(page)


def test_long_prose_is_shown_as_it_stands() -> None:
    text = "**x** " * 20_000
    assert str(markup.prose(text)).startswith('<p class="as-is">**x** **x**')


def test_statement_shows_code_and_nothing_else() -> None:
    assert str(markup.statement("`a<b` and <i> `")) == "<code>a&lt;b</code> and &lt;i&gt; `"


def test_a_heading_leaves_out_the_middle_of_very_long_words_and_shows_them_on_pointing() -> None:
    host = f"ip-10-12-113-214.{'pool-' * 12}eu.compute.example.com"
    shown = str(markup.heading(f"Restart of `billing` on `{host}` <cut> off"))
    assert f'<code title="{host}">ip-10-12-113-214.pool-pool-poo…pute.example.com</code>' in shown
    assert "<code>billing</code>" in shown
    assert shown.endswith(" &lt;cut&gt; off")
    hostile = str(markup.heading('"onclick="' + "x" * 60))
    assert hostile.startswith('<span title="&#34;onclick=&#34;xxx')


def test_colours() -> None:
    read = markup.coloured(
        "\x1b[1;31merror\x1b[0m plain \x1b[38;5;46mgreen\x1b[39m \x1b[38;2;0;0;255mblue\x1b[m."
    )
    assert [(run.css, run.text) for run in read.runs] == [
        ("ab f1", "error"),
        ("", " plain "),
        ("f10", "green"),
        ("", " "),
        ("f12", "blue"),
        ("", "."),
    ]


def test_other_sequences_are_counted_not_dropped_in_silence() -> None:
    read = markup.coloured("a\x1b[2Kb\x1b[10;5Hc\x1b]0;title\x07d")
    assert read.hidden == 2
    assert "".join(run.text for run in read.runs) == "abc␛]0;title␇d"


def test_a_lone_return_begins_a_line() -> None:
    assert markup.coloured("10%\r20%\r\ndone").runs[0].text == "10%␍\n20%\ndone"


def test_a_bomb_of_colours_ends() -> None:
    read = markup.coloured("\x1b[31mx\x1b[0m" * 50_000)
    assert len(read.runs) <= 2 * markup.MOST_COLOURS + 2
    assert read.plain_from is not None
    assert "".join(run.text for run in read.runs) == "x" * 50_000


def test_numbers_of_a_sequence_are_bounded() -> None:
    assert markup.coloured("\x1b[" + "9" * 5000 + "mx").runs[0].text == "x"
    assert markup.coloured("\x1b[" + "1;" * 50_000 + "mx").runs[0].css == "ab"


def test_diff() -> None:
    found = str(markup.diff([(" ", "a"), ("-", "<b>"), ("+", "c"), ("@", "@@ 1 @@")]))
    assert (
        found
        == ' a\n<span class="del">-&lt;b&gt;</span>\n<span class="ins">+c</span>\n<span class="hunk">@@ 1 @@</span>'
    )


ALLOWED = {"p", "ul", "ol", "li", "blockquote", "pre", "code", "strong", "em", "s", "br", "hr", "span", "table", "thead",
           "tbody", "tr", "th", "td"}  # fmt: skip
PIECES = st.sampled_from(
    ["<", ">", "&", '"', "'", "`", "*", "_", "[", "](", ")", "!", "|", "\n", "\n\n", "- ", "1. ", "# ", "> ", "```", "~~",
     "<script>", "</p>", "<!--", "-->", "&lt;", "&#0;", "\x00", "\x1b[31m", "\x1b]0;", "\u202e", "\ud800", "\ufffe", "word", " ",
     "http://x/", "javascript:", "---", "\t", "\r"]
)  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(st.lists(st.one_of(PIECES, st.text(max_size=4)), max_size=30).map("".join))
def test_any_text_becomes_sound_markup_of_known_elements(text: str) -> None:
    for made in (
        markup.prose(text),
        markup.statement(text),
        markup.output(text),
        markup.diff([("+", line) for line in text.split("\n")]),
    ):
        root = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parseFragment(
            f"<div>{made}</div>"
        )
        nodes = [node for node in root.iter() if node is not root and node.tag != "div"]
        assert {str(node.tag) for node in nodes} <= ALLOWED
        assert {name for node in nodes for name in node.attrib} <= {"class"}


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=80).filter(lambda text: "\x1b" not in text and "\r" not in text))
def test_an_output_without_sequences_is_shown_whole(text: str) -> None:
    assert "".join(run.text for run in markup.coloured(text).runs) == markup.visible(text)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.sampled_from(["\x1b[1m", "\x1b[38;5;200m", "\x1b[0m", "\x1b[2K", "a", "b\n", "<"]), max_size=40
    )
)
def test_sequences_take_no_letter_along(pieces: list[str]) -> None:
    read = markup.coloured("".join(pieces))
    assert "".join(run.text for run in read.runs) == "".join(piece for piece in pieces if "\x1b" not in piece)
    assert read.hidden == pieces.count("\x1b[2K")
