"""The forms an audit can be written in, by suffix."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sessionlens.cache import lazy

if TYPE_CHECKING:
    from concurrent.futures import Future

    from sessionlens.engine import Audit
    from sessionlens.report.html import Chunk
    from sessionlens.report.index import Line
    from sessionlens.report.reviews import Review

FORMATS = ("html", "json", "sarif", "md", "txt", "review", "junit", "github")
"""Names of the forms, which are their suffixes too but for ``review``, whose files end in ``review.md``, ``junit``
(``junit.xml``) and ``github``, which is printed.
"""

_SUFFIXES = {".html": "html", ".htm": "html", ".json": "json", ".sarif": "sarif", ".md": "md", ".markdown": "md",
             ".txt": "txt"}  # fmt: skip


def of_suffix(path: Path) -> str | None:
    """The form that a file's name asks for."""
    if path.name.lower().endswith("review.md"):
        return "review"
    if path.name.lower().endswith("junit.xml"):
        return "junit"
    return "sarif" if path.name.endswith(".sarif.json") else _SUFFIXES.get(path.suffix.lower())


def file_name(name: str, form: str) -> str:
    """The file of a session's results in a folder."""
    named = {"review": "review.md", "junit": "junit.xml", "github": "github.txt"}
    return f"{name}.{named[form]}" if form in named else f"{name}.audit.{form}"


class Leaked(Exception):
    """What was rendered still holds secrets; says which kinds, never the secret."""


class _Watch:
    """Scans what was rendered once more, when redaction is on."""

    def __init__(self, audit: Audit) -> None:
        self._on = audit.redactions is not None
        self._kinds: list[str] = []
        self._waiting: deque[Future[list[str]]] = deque()

    def over(self, made: Callable[[int], Chunk | None]) -> Callable[[int], Chunk | None]:
        """The same chunks, whose secrets, which somebody else has looked for, count too."""

        def one(number: int) -> Chunk | None:
            chunk = made(number)
            if chunk is not None:
                self._kinds += chunk.leaks
            return chunk

        return one

    def see(self, text: str) -> None:
        """Text that goes into a file packed."""
        if self._on:
            from sessionlens.redact import rescanning

            self._waiting.append(rescanning(text))
            self._heard(_AT_ONCE)

    def _heard(self, left: int) -> None:
        """Take in what has been scanned, until no more than ``left`` texts wait."""
        while len(self._waiting) > left:
            self._kinds += self._waiting.popleft().result()

    def check(self, file: Path) -> None:
        """A file that was written.

        :raises Leaked: when it, or what was packed into it, holds a secret.
        """
        if self._on:
            with file.open(encoding="utf-8", errors="replace") as lines:
                # What is packed, which is most of a large page, stands on a line of its own and is never all at hand.
                self.see("".join(_PACKED.sub("", line) if _BEGINS in line else line for line in lines))
            self._heard(0)
        if self._kinds:
            kinds = ", ".join(dict.fromkeys(self._kinds))
            raise Leaked(f"nothing was written, because the finished {file.suffix[1:]} still holds: {kinds}. "
                         "Please report this; --no-redact writes it as it is")  # fmt: skip


_AT_ONCE = 2
"""Texts that wait for the scanner at most: they are held in memory."""
_BEGINS = '<script type="text/plain"'
_PACKED = lazy(_BEGINS + r"[^>]{0,80}>[^<]*</script>")


def render(
    audit: Audit,
    formats: Sequence[str],
    stem: Path,
    *,
    message: str | None = None,
    static: bool = False,
    reviews: Mapping[str, Review] | None = None,
    made: Callable[[int], Chunk | None] | None = None,
) -> tuple[dict[str, Path], Line | None]:
    """Write the audit in each form beside ``stem``; returns the files, and for pages the line of their index.

    :param message: id of a message that gets a chapter of its own in what is meant for people.
    :param static: pages show the whole transcript without script.
    :param reviews: what a person said of findings, by fingerprint.
    :param made: chunks of a long page's transcript that somebody has made already, by number.
    :raises Leaked: when redaction is on and a file still holds a secret.
    """
    files = {name: stem.with_name(f"{stem.name}.{name}") for name in formats}
    telling = [name for name in formats if name in ("html", "md", "txt", "review")]
    watch, line = _Watch(audit), None
    if telling:
        from sessionlens.narrative import tell

        narrative = tell(audit, message=message)
    for name, file in files.items():
        if name == "json":
            from sessionlens.report import json

            file.write_bytes(json.render(audit))
        elif name == "sarif":
            from sessionlens.report import sarif

            file.write_bytes(sarif.render(audit))
        elif name == "junit":
            from sessionlens.report import junit

            file.write_bytes(junit.render(audit))
        elif name == "github":
            from sessionlens.report import github

            with file.open("w", encoding="utf-8", errors="replace", newline="") as stream:
                github.render(audit, stream)
        elif name == "html":
            from sessionlens.report import html, index

            with file.open("w", encoding="utf-8", errors="replace", newline="") as stream:
                html.render(
                    narrative, audit, stream,
                    static=static, reviews=reviews, seen=watch.see, made=watch.over(made) if made else None,
                )  # fmt: skip
            line = index.line(narrative, audit)
        elif name == "md":
            from sessionlens.report import markdown

            with file.open("w", encoding="utf-8", errors="replace", newline="") as stream:
                markdown.render(narrative, audit, stream)
        elif name == "review":
            from sessionlens.report import review

            with file.open("w", encoding="utf-8", errors="replace", newline="") as stream:
                review.render(narrative, audit, stream)
        else:
            from sessionlens.report import text

            with file.open("w", encoding="utf-8", errors="replace", newline="") as stream:
                text.render(narrative, audit, stream)
        watch.check(file)
    return files, line
