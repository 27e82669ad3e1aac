"""The one maker of trusted markup."""

from __future__ import annotations

import time

import html5lib
import pytest

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
