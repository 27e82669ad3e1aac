"""One writer a format. The narrative is data; how it looks is decided here."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from sessionlens.engine import Audit

FORMATS = ("html", "md", "txt", "json", "sarif")
"""Names of the formats, which are their suffixes too."""


def render(
    audit: Audit, fmt: str, stream: TextIO, *, message: str | None = None, static: bool = False
) -> None:
    """Write an audit in one format. Each writer is imported only when it is asked for.

    :param message: id of a message that gets a chapter of its own, in the formats for people.
    :param static: the page shows the whole transcript without script.
    :raises ValueError: for an unknown format.
    :raises LookupError: when there is no such message.
    """
    if fmt == "json":
        from sessionlens.report import json

        stream.write(json.render(audit).decode("utf-8"))
        return
    if fmt == "sarif":
        from sessionlens.report import sarif

        stream.write(sarif.render(audit).decode("utf-8"))
        return
    if fmt not in FORMATS:
        raise ValueError(f"no format {fmt!r}; known are {', '.join(FORMATS)}")
    from sessionlens.narrative import tell

    narrative = tell(audit, message=message)
    if fmt == "html":
        from sessionlens.report import html

        html.render(narrative, audit, stream, static=static)
    elif fmt == "md":
        from sessionlens.report import markdown

        markdown.render(narrative, audit, stream)
    else:
        from sessionlens.report import text

        text.render(narrative, audit, stream)
