"""Patterns are sifted and put together for speed only: what they match stays the same."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from sessionlens.language import lexicon, pattern
from sessionlens.language.engine import prepare


def some_sentences(code: str, count: int) -> list[str]:
    """Sentences of a language, prepared for its patterns, the same ones each time."""
    lines = [
        line.split("\t")[-1]
        for path in sorted((Path(__file__).parent / "training").glob(f"{code}*.tsv"))
        for line in path.read_text("utf-8").splitlines()
        if "\t" in line
    ]
    return [prepare(line, code) for line in random.Random(code).sample(lines, count)]


@pytest.mark.parametrize("code", ["de", "en", "ja", "pl", "zh"])
@pytest.mark.parametrize("table", ["assistant", "user", "scope"])
def test_no_pattern_that_matches_is_sifted_out(code: str, table: str) -> None:
    rules = lexicon.load(code).rules(table)
    for low in some_sentences(code, 40):
        kept = set(rules.candidates(low))
        for number in range(len(rules.all)):
            found = [match.span() for match in rules.compiled(number).finditer(low)]
            assert number in kept or not found, f"{rules.all[number].text!r} in {low!r}"
            if number in kept:
                assert [match.span() for match in rules.matches(number, low)] == found


def test_what_a_pattern_demands_besides_words() -> None:
    classes = pattern.Classes({"count": ["#", "no #s"], "some": ["#", "few"]})
    demanded = {
        "# of them": {"0"},
        "(#|in 20#) left": {"0"},
        "(#|few) left": set(),
        "#? left": set(),
        "@ ~2 passed in #": {"0", "¤"},
        "<count> left": {"0"},
        "<some> left": set(),
    }
    for text, signs in demanded.items():
        assert pattern.demands(pattern.parse(text, classes)) == signs, text


def test_alternatives_put_together_match_as_they_did_in_their_order() -> None:
    chance = random.Random(7)
    words = ["", *("".join(chance.choice("ab") for _ in range(chance.randint(1, 4))) for _ in range(12))]
    for _ in range(300):
        rows = [(chance.choice(words), chance.choice(["", "b?", "[ab]", "a|b"])) for _ in range(7)]
        rows = [(begin, f"(?:{rest})" if rest else "") for begin, rest in rows if begin or rest]
        plain = re.compile("|".join(re.escape(begin) + rest for begin, rest in rows))
        merged = re.compile(pattern._merged(rows))
        text = "".join(chance.choice("ab") for _ in range(30))
        assert [m.span() for m in merged.finditer(text)] == [m.span() for m in plain.finditer(text)], rows
