"""Patterns of rule authors. A string is searched for with RE2, whose time is linear in the text, whatever it says.

``re`` can take longer than anybody waits for a pattern such as ``(a+)+$``; a time limit then ends the rule, and what
it finds depends on how fast the machine is. RE2 knows no look-around and no back-references, and says so. A compiled
pattern of ``re`` is taken as it is, under the time limit that every rule has.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

import msgspec

from sessionlens.cache import Lazy


class Search(msgspec.Struct, frozen=True, kw_only=True):
    """A pattern, ready to be searched for."""

    pattern: str
    """As it was written."""
    finds: Callable[[str], object]
    """Returns the match, ``None`` where there is none."""

    def __call__(self, text: str) -> bool:
        """Whether a text holds a match."""
        return self.finds(text) is not None


class PatternError(ValueError):
    """A string that is no RE2 pattern; says why."""


@lru_cache(maxsize=1024)
def searching(pattern: str | re.Pattern[str]) -> Search:
    """Make a pattern ready. A string is an RE2 pattern in which case does not matter.

    :raises PatternError: for a string that RE2 does not take, such as one with look-around, and for one with a control
        character: ``"\\b"`` is a backspace.
    """
    if isinstance(pattern, re.Pattern | Lazy):
        return Search(pattern=pattern.pattern, finds=pattern.search)
    if control := re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]", pattern):
        raise PatternError(
            f"{pattern!r} holds the control character {control[0]!r}; a backslash of a pattern is kept by an r before the "
            'string: r"\\b…"'
        )
    import re2

    how = re2.Options()
    how.case_sensitive = False
    how.log_errors = False
    try:
        ready = re2.compile(pattern, how)
    except re2.error as error:
        reason = error.args[0] if error.args else error
        words = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
        raise PatternError(f"{pattern!r} is no RE2 pattern: {words}") from None
    # RE2 takes text as UTF-8, which half of a surrogate pair cannot be.
    return Search(pattern=pattern, finds=lambda text: ready.search(_sound(text)))


def _sound(text: str) -> str:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode("utf-8")
    return text
