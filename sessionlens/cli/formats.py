"""The forms an audit can be written in, by suffix."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sessionlens.engine import Audit

FORMATS = ("html", "json", "sarif", "md", "txt")
"""Names of the forms, which are their suffixes too."""

_SUFFIXES = {".html": "html", ".htm": "html", ".json": "json", ".sarif": "sarif", ".md": "md", ".markdown": "md",
             ".txt": "txt"}  # fmt: skip


def of_suffix(path: Path) -> str | None:
    """The form that a file's name asks for."""
    return "sarif" if path.name.endswith(".sarif.json") else _SUFFIXES.get(path.suffix.lower())


def render(
    audit: Audit, formats: Sequence[str], stem: Path, *, message: str | None = None, static: bool = False
) -> dict[str, Path]:
    """Write the audit in each form beside ``stem`` and return the files.

    :param message: id of a message that gets a chapter of its own in what is meant for people.
    :param static: pages show the whole transcript without script.
    """
    files = {name: stem.with_name(f"{stem.name}.{name}") for name in formats}
    telling = [name for name in formats if name in ("html", "md", "txt")]
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
        elif name == "html":
            from sessionlens.report import html

            with file.open("w", encoding="utf-8", errors="replace", newline="") as stream:
                html.render(narrative, audit, stream, static=static)
        elif name == "md":
            from sessionlens.report import markdown

            with file.open("w", encoding="utf-8", errors="replace", newline="") as stream:
                markdown.render(narrative, audit, stream)
        else:
            from sessionlens.report import text

            with file.open("w", encoding="utf-8", errors="replace", newline="") as stream:
                text.render(narrative, audit, stream)
    return files
