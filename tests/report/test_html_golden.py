"""Expected pages: what a reader meets, line by line. ``golden/README.md`` says how to accept a change."""

from __future__ import annotations

import os
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType

import pytest

from sessionlens import readers
from sessionlens.narrative import tell
from sessionlens.report import html

GOLDEN = Path(__file__).parent / "golden"
FIXTURES = {
    "hicache_restart": "transcript_xml/hicache_restart.xml",
    "timeout_empty": "opencode_export/1.18.33_timeout_empty.json",
    "restart_polled": "opencode_export/1.18.33_restart_polled.json",
    "abort_tool": "opencode_export/1.18.33_abort_tool.json",
    "subagent": "opencode_export/1.18.33_subagent.json",
}
LINES = {
    "p",
    "h1",
    "h2",
    "h3",
    "li",
    "tr",
    "dt",
    "dd",
    "blockquote",
    "summary",
    "svg",
    "figcaption",
    "pre",
    "nav",
    "ul",
}


class Reader(HTMLParser):
    """Reads a page back as text: a line for each block, links with the place they lead to."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = [""]
        self._skipped = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if tag in ("style", "script") or found.get("id") == "messages":
            self._skipped += 1
        elif self._skipped:
            self._skipped += tag not in ("br", "hr", "meta", "input", "path", "line", "rect")
        elif tag in LINES:
            self.lines.append("# " if tag[0] == "h" and tag[1:].isdigit() else "")
        elif tag == "a" and (found.get("href") or "").startswith("#"):
            self.lines[-1] += f"[{found['href']}]"

    def handle_endtag(self, tag: str) -> None:
        if self._skipped:
            self._skipped -= 1

    def handle_data(self, data: str) -> None:
        if not self._skipped:
            self.lines[-1] += data


def read_back(page: str) -> str:
    """The page as text."""
    reader = Reader()
    reader.feed(page)
    reader.close()
    lines = [" ".join(line.split()) for line in reader.lines]
    return "\n".join(line for line in lines if line and line != "#") + "\n"


@pytest.mark.parametrize("name", FIXTURES)
def test_page_is_as_accepted(made: ModuleType, fixtures: Path, tmp_path: Path, name: str) -> None:
    (session,) = readers.read(fixtures / FIXTURES[name])
    audit = made.judged(session)
    found = read_back(html.page(tell(audit), audit))
    expected = GOLDEN / f"{name}.txt"
    if os.environ.get("SESSIONLENS_ACCEPT"):
        expected.write_text(found, encoding="utf-8")
    actual = tmp_path / f"{name}.txt"
    actual.write_text(found, encoding="utf-8")
    assert found == expected.read_text(encoding="utf-8"), f"the page differs: {actual}"
