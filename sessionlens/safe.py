"""The one way by which text from a log reaches a terminal.

A log is hostile: escape sequences move the cursor, change the title or answer as if typed; bidirectional marks
reorder what is read; half characters crash the writer. All of them become visible pieces of text.
"""

from __future__ import annotations

import re

from sessionlens.cache import lazy

# C0 but tab and newline, DEL, C1, soft hyphen, zero-width and bidirectional marks, line and paragraph separators,
# invisible operators, byte-order mark, interlinear and language tags, and lone surrogates.
_DANGEROUS = lazy(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)


def _visible(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < 0x20:
        # The pictures that Unicode has for C0: an escape reads as one sign.
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    return f"<U+{code:04X}>"


def terminal(text: str) -> str:
    """Text that a terminal shows and nothing else: newlines and tabs stay, ``\\r\\n`` is a newline."""
    return _DANGEROUS.sub(_visible, text.replace("\r\n", "\n"))


def line(text: str, width: int = 200) -> str:
    """The same on one line, cut to ``width`` characters; runs of white space become one space."""
    short = " ".join(terminal(text[: width * 8]).split())
    return short if len(short) <= width else short[: width - 1] + "…"


def cell(text: str) -> str:
    """Text for a cell that a spreadsheet opens: on one line, and never read as a formula.

    What begins with a sign that starts a formula gets an apostrophe before it, which spreadsheets do not show.
    """
    flat = " ".join(terminal(text).split())
    return f"'{flat}" if flat[:1] in _FORMULA or text[:1] in ("\t", "\r", "\n") else flat


_FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠")
"""Signs that begin a formula, and their wide forms."""


def json_text(text: str) -> str:
    """JSON with the same value whose strings show on a terminal as they are: dangerous characters as escapes."""
    return _DANGEROUS.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))
