"""The narrative as Markdown and as text for a terminal."""

from __future__ import annotations

import re
from io import StringIO
from types import ModuleType

import pytest
from markdown_it import MarkdownIt

from sessionlens.narrative import tell
from sessionlens.report import markdown, review, text


def written(made: ModuleType, session: object, writer: ModuleType) -> str:
    audit = made.judged(session)
    out = StringIO()
    writer.render(tell(audit), audit, out)
    return out.getvalue()


def test_markdown_tells_the_incident(made: ModuleType) -> None:
    found = written(made, made.incident(), markdown)
    assert found.startswith(
        "# Two restarts of `billing.service` on `10.20.0.7` were cut off after 15 s and 20 s;"
    )
    assert "| Message | Operation | Left open because |" in found
    assert "`ssh root@10.20.0.7 systemctl status billing.service --no-pager`" in found
    assert re.search(r"\(message msg\\_007, line \d+", found)


def test_markdown_of_a_hostile_log_makes_no_markup(made: ModuleType) -> None:
    found = written(made, made.everywhere(made.HOSTILE), markdown)
    reader = MarkdownIt("commonmark", {"html": True}).enable("table")
    tokens = [token for block in reader.parse(found) for token in (block, *(block.children or ()))]
    kinds = {token.type for token in tokens}
    assert not kinds & {"html_block", "html_inline", "image", "link_open"}
    tame = written(made, made.everywhere(made.TAME), markdown)
    headings = [sum(line.startswith("#") for line in page.splitlines()) for page in (found, tame)]
    assert headings[0] == headings[1]


@pytest.mark.parametrize("value", ["a|b", "`x`", "``", "", "a\nb"])
def test_code_spans_hold_anything(value: str) -> None:
    (block,) = [
        t for t in MarkdownIt("commonmark").parse(f"x {markdown.code(value)} y") if t.type == "inline"
    ]
    (span,) = [token for token in block.children or () if token.type == "code_inline"]
    assert span.content.strip() == value.replace("\n", " ").replace("|", "\\|").strip()


def test_text_tells_the_incident(made: ModuleType) -> None:
    found = written(made, made.incident(), text)
    assert "OPEN OPERATIONS" in found
    assert "  $ ssh root@10.20.0.7 systemctl status billing.service --no-pager" in found
    assert max(len(line) for line in found.splitlines() if not line.startswith("  $")) <= text.WIDTH


def test_text_of_a_hostile_log_moves_no_cursor(made: ModuleType) -> None:
    found = written(made, made.everywhere(made.HOSTILE), text)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", found)


def test_summary_is_short(made: ModuleType) -> None:
    lines = list(text.summary(tell(made.judged(made.incident()))))
    assert len(lines) <= 7
    assert lines[0].startswith("Two restarts of billing.service")


def test_review_has_the_parts_of_a_review(made: ModuleType) -> None:
    found = written(made, made.incident(), review)
    headings = [line for line in found.splitlines() if line.startswith("## ")]
    assert headings == [
        "## Summary",
        "## What was affected, as far as the log shows",
        "## Timeline",
        "## What went well",
        "## What went wrong",
        "## Open questions",
        "## Follow-ups",
    ]
    rows = [line for line in found.splitlines() if line.startswith("| 20")]
    times = [row[2:21] for row in rows]
    assert times == sorted(times)
    assert any("ran a restart of `billing.service`" in row for row in rows)
    assert "- [ ] Look again" in found
    for line in found.splitlines():
        if line.startswith("- ") and "production)" not in line:
            assert re.search(r"\((?:message|the log)[^()]*", line), line


def test_review_of_a_quiet_session(made: ModuleType) -> None:
    found = written(made, made.quiet(), review)
    assert "- None that follow from the log." in found


def test_review_of_a_hostile_log_makes_no_markup(made: ModuleType) -> None:
    found = written(made, made.everywhere(made.HOSTILE), review)
    reader = MarkdownIt("commonmark", {"html": True}).enable("table")
    kinds = {token.type for block in reader.parse(found) for token in (block, *(block.children or ()))}
    assert not kinds & {"html_block", "html_inline", "image", "link_open"}
