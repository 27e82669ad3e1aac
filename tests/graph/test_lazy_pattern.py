"""Patterns that are compiled when first used: each of them is a sound one, and behaves as a compiled one does."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from typing import Any

import pytest

import sessionlens.graph
from sessionlens.graph.lazy_pattern import _Lazy, lazy


def _patterns() -> Iterator[tuple[str, Any]]:
    for found in pkgutil.iter_modules(sessionlens.graph.__path__):
        module = importlib.import_module(f"sessionlens.graph.{found.name}")
        for name, value in sorted(vars(module).items()):
            for number, pattern in enumerate(_within(value)):
                yield f"{found.name}.{name}.{number}", pattern


def _within(value: Any) -> Iterator[Any]:
    if isinstance(value, _Lazy):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from _within(one)
    elif isinstance(value, tuple):
        for one in value:
            yield from _within(one)


PATTERNS = dict(_patterns())


@pytest.mark.parametrize("name", PATTERNS)
def test_it_compiles_and_matches_no_empty_text(name: str) -> None:
    # A pattern that matches nothing at all would fire everywhere; the few that may are prefixes that are cut off.
    found = PATTERNS[name].search("")
    assert found is None or name.split(".")[1] in ("_ADVERBS", "_LEADS"), name


def test_it_behaves_as_a_compiled_one() -> None:
    pattern = lazy(r"(?P<one>a)b")
    assert pattern.search("xab") is not None
    assert [found["one"] for found in pattern.finditer("abab")] == ["a", "a"]
    assert pattern.sub("c", "abx") == "cx"
    assert pattern.groups == 1
