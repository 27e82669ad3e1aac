"""Patterns that are compiled when they are first used: most sessions need few of them, and compiling takes longer than
searching.
"""

from __future__ import annotations

import re
from typing import Any, cast

_METHODS = ("search", "match", "fullmatch", "finditer", "findall", "split", "sub", "subn")


class _Lazy:
    """Stands in for a compiled pattern; becomes one at the first call."""

    def __init__(self, pattern: str, flags: int) -> None:
        self._pattern, self._flags = pattern, flags

    def __getattr__(self, name: str) -> Any:
        compiled = re.compile(self._pattern, self._flags)
        for method in _METHODS:
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


def lazy(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """A pattern as :func:`re.compile` gives it, compiled at the first use. A faulty one is found only then."""
    return cast("re.Pattern[str]", _Lazy(pattern, flags))
