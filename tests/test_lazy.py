"""Patterns that are compiled when first used: each of them is a sound one, and behaves as a compiled one does."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import sessionlens
from sessionlens import cache
from sessionlens.cache import Lazy, lazy


def _patterns() -> Iterator[tuple[str, Any]]:
    for found in pkgutil.walk_packages(sessionlens.__path__, "sessionlens."):
        if found.name.endswith("__main__"):
            continue
        module = importlib.import_module(found.name)
        for name, value in sorted(vars(module).items()):
            for number, pattern in enumerate(_within(value)):
                yield f"{found.name}.{name}.{number}", pattern


def _within(value: Any) -> Iterator[Any]:
    if isinstance(value, Lazy):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from _within(one)
    elif isinstance(value, tuple):
        for one in value:
            yield from _within(one)


PATTERNS = dict(_patterns())


def test_there_are_patterns_of_every_layer() -> None:
    assert {"graph", "shell", "readers", "redact", "narrative", "report"} <= {
        one.split(".")[1] for one in PATTERNS
    }


@pytest.mark.parametrize("name", PATTERNS)
def test_it_compiles(name: str) -> None:
    assert PATTERNS[name].groups >= 0


@pytest.mark.parametrize("name", [one for one in PATTERNS if one.startswith("sessionlens.graph.")])
def test_it_matches_no_empty_text(name: str) -> None:
    # A pattern that matches nothing at all would fire everywhere; the few that may are prefixes that are cut off.
    assert PATTERNS[name].search("") is None or name.split(".")[-2] in ("_ADVERBS", "_LEADS", "_NO_VALUE"), (
        name
    )


def test_it_behaves_as_a_compiled_one() -> None:
    pattern = lazy(r"(?P<one>a)b")
    assert pattern.search("xab") is not None
    assert [found["one"] for found in pattern.finditer("abab")] == ["a", "a"]
    assert pattern.sub("c", "abx") == "cx"
    assert pattern.groups == 1


def test_flags_and_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SESSIONLENS_CACHE", str(tmp_path))
    cache.folder.cache_clear()
    fresh = [cache.Expressions("e") for _ in range(2)]
    for flags in (re.IGNORECASE, re.IGNORECASE | re.DOTALL, re.VERBOSE, 0):
        for expressions in fresh:
            compiled = expressions.compile("A.b  # c", flags)
            assert compiled == re.compile("A.b  # c", flags)
            expressions.kept.keep()
    assert lazy(rb"a+", re.IGNORECASE).findall(b"xAa") == [b"Aa"]
    assert cache.Expressions("e").compile("[\ud800-\udfff]").search("\ud900")
    cache.folder.cache_clear()
