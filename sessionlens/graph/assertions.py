"""How much an assertion asks for: the exact value, one of several, that there is one at all, nothing.

Read from the shapes that the frameworks of many languages share; a shape that is not known is not compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from sessionlens.cache import lazy

LONGEST = 400
"""Characters of an assertion that are read."""

_HOLLOW = lazy(
    r"\bor\s+(?:True|1|not\s+False)\b|\|\|\s{0,5}true\b|\bassert(?:True|_true)?[!( ]\s{0,5}(?:True|true|1)\s{0,5}[),;]?\s{0,5}(?:#|//|$)|\(\s{0,5}expect\.anything\(\)\s{0,5}\)|\banything\(\)\s{0,5}\)\s{0,5}\)?;?$"
    r"|\bin\s{0,5}[\[({]\s{0,5}(?:True\s{0,5},\s{0,5}False|False\s{0,5},\s{0,5}True)\b"
)
_IDENTICAL = lazy(
    r"\b(?:toStrictEqual|assertSame|assert_same|isSameAs|toBeSameAs)\b|\b(?:Assert|assert|require)\.(?:Same|AreSame|strictEqual|deepStrictEqual)\b|==="
)
_CALLS_EXACT = lazy(
    r"\b(?:assert_called_once_with|assert_called_with|assert_any_call|assert_has_calls|toHaveBeenCalledWith|toHaveBeenLastCalledWith|toHaveBeenNthCalledWith|calledWith|calledOnceWith|toHaveBeenCalledTimes|toHaveBeenCalledOnceWith)\b|\b(?:pytest\.raises|assertRaisesRegex|assertThrows)\([^)\n]{1,100},\s{0,5}match=|\btoThrow(?:Error)?\(\s{0,5}[^)\s]|\braise_error\([^)\n]{1,100},"
)
_CALLS_SOME = lazy(
    r"\bassert_called_once\(\)|\bpytest\.raises\(\s{0,5}(?!(?:Base)?Exception\b)[\w.]{1,80}\s{0,5}\)|\braise_error\(\s{0,5}\w"
)
_CALLS_ANY = lazy(
    r"\bassert_called\(\)|\btoHaveBeenCalled\(\)|\btoThrow(?:Error)?\(\s{0,5}\)|\bpytest\.raises\(\s{0,5}(?:Base)?Exception\s{0,5}\)|\braise_error\s{0,5}$|\.called\b(?!\w)(?!.*==)"
)
_ANY_VALUE = lazy(
    r"\b(?:mock\.)?ANY\b|\bexpect\.any(?:thing)?\(|\bany[A-Z]\w{0,20}\(\)|\bIt\.IsAny\b|\bMatchers\.any"
)
_NEAR = lazy(
    r"\bapprox\b|AlmostEqual|[cC]loseTo\b|\bbe_within\b|\bwithin\(|\bInDelta\b|\bInEpsilon\b|allclose\b|\bisclose\b|\bBeApproximately\b|\baccuracy:|\bassert_in_delta\b|\bassertEqualsWithDelta\b|\bassertEquals\([^;\n]{1,200},\s{0,5}\d{1,10}\.\d{1,10}\s{0,5}\)"
)
_EXACT = lazy(
    r"(?<![!<>=])==(?!=)|\b(?:toBe|toEqual|toHaveLength|isEqualTo|equalTo|hasSize|containsExactly|to_equal|eq|eql|eqv|shouldBe|shouldEqual|must_equal|equals?|deepEqual|assertListEqual|assertDictEqual|assertSetEqual|assertTupleEqual|assertCountEqual|assertMultiLineEqual|assertEqual|assertEquals|assertArrayEquals|assertIterableEquals|assert_eq|assert_equal|assert_array_equal|XCTAssertEqual|EXPECT_EQ|ASSERT_EQ|EXPECT_STREQ|assertJsonEquals|AreEqual|BeEquivalentTo|HaveCount)\b(?!\.)|\b(?:Assert|assert|require)\.(?:Equal|EqualValues|Len)\b|\bShould\(\)\.Be\(|\bis\((?=[^)])|\s-eq\s|\[\[?\s[^\]\n]{1,200}\s=\s|\bis\s(?:True|False)\b"
)
_SOME = lazy(
    r"\b(?:toContain\w{0,10}|toMatch\w{0,10}|objectContaining|arrayContaining|stringContaining|assertIn|assertContains|assertStringContainsString|assertRegex|assertMatches\w{0,20}|include|includes|contains?|Contains|ContainsSubset|containsAnyOf|hasItems?|anyOf|any_of|either|oneOf|to_include|match|startsWith|endsWith|startswith|endswith|toBeGreaterThan\w{0,10}|toBeLessThan\w{0,10}|assertGreater\w{0,10}|assertLess\w{0,10}|isGreaterThan\w{0,10}|isLessThan\w{0,10}|isBetween|between|toSatisfy|assertNotEqual\w{0,2}|NotEqual|toBeOneOf)\b|\bin\s{0,5}[\[({]|\bin\s[\w\"'].{0,80}|<=?|>=?|!=|\bor\b|\|\|"
)
_OR = lazy(r"\bor\b|\|\||\bin\s{0,5}[\[({]|\banyOf\(|\bany_of\(|\beither\(|\boneOf\(|\bexpect\(\s{0,5}\[")
_ABOVE_NOTHING = lazy(
    r">=?\s{0,5}0(?![.\d])|>\s{0,5}-1\b|\btoBeGreaterThan(?:OrEqual)?\(\s{0,5}-?[01]\s{0,5}\)|\bisPositive\b|\bisNotNegative\b|\bassertGreater(?:Equal)?\([^;\n]{1,150},\s{0,5}0\s{0,5}\)|\bisGreaterThan(?:OrEqualTo)?\(\s{0,5}0\s{0,5}\)|\.length\)\.to\.be\.above\(0\)"
)
_PRESENT = lazy(
    r"\b(?:toBeTruthy|toBeDefined|toBeFalsy|toBeNull|toBeUndefined|toBeInstanceOf|assertIsNotNone|assertNotNull|assertNotNil|assertIsInstance|assertInstanceOf|assertNotEmpty|assertIsArray|assertIsString|assertIsInt|assertArrayHasKey|assertTrue|assertFalse|isNotNull|isNotEmpty|notNullValue|isInstanceOf|isTrue|isFalse|NotNil|NotNull|NotEmpty|IsNotNull|IsType|IsInstanceOf|IsTrue|IsFalse|NotBeNull|NotBeEmpty|BeOfType|BeTrue|be_truthy|be_falsey|be_present|be_nil|be_empty|be_a|be_an|be_kind_of|be_an_instance_of|assert_not_nil|assert_instance_of|refute_nil|XCTAssertNotNil|XCTAssertTrue|XCTAssertFalse|is_some|is_ok|is_err|is_none|isinstance|hasattr|shouldNotBe\s+null|EXPECT_TRUE|ASSERT_TRUE|EXPECT_NE|toHaveProperty)\b|\.(?:exist|ok)\b|\b(?:Assert|assert|require)\.(?:True|False|ok|isOk|isDefined|exists|isNotNull)\b|\bis\snot\sNone\b|!==?\s{0,5}(?:null|undefined|None|nil)\b|\[\[?\s-[nz]\s"
)
_BARE = lazy(r"^\s{0,40}assert!?\s{0,2}\(?[^=<>!|]{1,300}$")
_OF_TRUTH = lazy(
    r"(?:==|===|,|\(|\bis|\beq\s|\bbe\s|\bshouldBe\s)\s{0,5}(?:True|true|False|false|None|null|nil)\s{0,5}[),;]{0,4}\s{0,5}(?:#|//|$)|\b(?:assertEqual|assertEquals|assert_eq!|Assert\.Equal|AreEqual|assert\.Equal|assertSame)\(\s{0,5}(?:t,\s{0,5})?(?:True|true|False|false|None|null|nil)\b"
)
_STRICT_IDENTITY = 4
_EXACTLY = 3
_PARTLY = 2
_PRESENCE = 1


@lru_cache(maxsize=4096)
def strength(line: str) -> int | None:
    """What an assertion asks for: 4 the very thing, 3 the exact value, 2 one of several or a part of it, 1 that there is
    one, 0 nothing; ``None`` where its shape is not known.
    """
    text = line[:LONGEST]
    if _HOLLOW.search(text) is not None:
        return 0
    called = _of_calls(text)
    if called is not None:
        return called
    if _NEAR.search(text) is not None:
        return _PARTLY
    same, exact = _IDENTICAL.search(text) is not None, _EXACT.search(text) is not None
    if same or exact:
        if _OF_TRUTH.search(text) is not None:
            return _PRESENCE
        if _OR.search(text) is not None or _ANY_VALUE.search(text) is not None:
            return _PARTLY
        if exact and not same and _PRESENT.search(text) is None and re.search(r"\bor\b", text):
            return _PARTLY
        return _STRICT_IDENTITY if same else _EXACTLY
    if _ABOVE_NOTHING.search(text) is not None:
        return _PRESENCE
    if _PRESENT.search(text) is not None:
        return _PARTLY if re.search(r"[<>]=?\s", text) else _PRESENCE
    if _SOME.search(text) is not None:
        return _PARTLY
    return _PRESENCE if _BARE.search(text) is not None else None


def _of_calls(text: str) -> int | None:
    """The strength of an assertion about what was called or thrown."""
    if _CALLS_EXACT.search(text) is not None:
        return _PARTLY if _ANY_VALUE.search(text) is not None else _EXACTLY
    if _CALLS_SOME.search(text) is not None:
        return _PARTLY
    return _PRESENCE if _CALLS_ANY.search(text) is not None else None


_OWN_WORDS = lazy(
    r"[aA]ssert\w*|expect\w*|self|this|to|to[A-Z_]\w*|is|is[A-Z_]\w*|not|be|be_\w+|eq\w{0,2}|[eE]qual\w*|[sS]hould\w*|that|[tT]rue|[fF]alse|None|null|nil|and|or|in|any|any[A-Z_]\w*|ANY|approx|pytest|np|numpy|testing|[rR]equire\w*|len|length|with|of|delta|places|rel|abs|atol|rtol|int|str|float|list|dict|include\w*|contain\w*|[cC]ontains\w*|match\w*|within|instance\w*|close\w*|have\w*|been|called\w*|called[A-Z]\w*|mock|raises|XCT\w*|must\w*|truthy|anything|nothing|ok|has[A-Z]\w*|are[A-Z]\w*|Are[A-Z]\w*|Is[A-Z]\w*|Not[A-Z]\w*|NotBe\w*|Be\w*|an|InDelta|Same|Nil"
)
"""Words of assertions themselves, which say nothing of what is asserted."""


def _subject(line: str) -> frozenset[str]:
    return frozenset(
        word.casefold()
        for word in re.findall(r"[^\W\d]\w*", line[:LONGEST])
        if len(word) > 1 and _OWN_WORDS.fullmatch(word) is None
    )


class Tolerance(NamedTuple):
    """How near a value has to be, where an assertion says so."""

    value: float
    """The number."""
    digits: bool
    """Whether it counts digits, of which more are stricter."""


_N = r"(?P<n>\d{1,12}(?:\.\d{1,15})?(?:[eE]-?\d{1,3})?)"
_TOLERANCES: tuple[tuple[re.Pattern[str], bool], ...] = (
    (lazy(rf"\b(?:InDelta|InEpsilon)f?\([^;\n]{{1,200}},\s{{0,5}}{_N}\s{{0,5}}[,)]"), False),
    (lazy(rf"\b(?:assertEquals|assertArrayEquals|assert_in_delta|assertEqualsWithDelta|BeApproximately|AreEqual)\([^;\n]{{1,200}},\s{{0,5}}{_N}\w?\s{{0,5}}\)"), False),
    (lazy(rf"\b(?:be_within|within|offset|byLessThan|withPrecision)\(\s{{0,5}}{_N}\w?\s{{0,5}}\)"), False),
    (lazy(rf"(?<!toBe)(?<![a-z])[cC]loseTo\([^;\n]{{1,100}},\s{{0,5}}{_N}\s{{0,5}}\)"), False),
    (lazy(rf"\b(?:abs|rel|delta|atol|rtol|abs_tol|rel_tol|accuracy|epsilon|tol|tolerance|margin)\s{{0,3}}[=:]\s{{0,5}}{_N}"), False),
    (lazy(rf"\btoBeCloseTo\([^;\n]{{1,100}},\s{{0,5}}{_N}\s{{0,5}}\)"), True),
    (lazy(rf"\b(?:places|decimals?)\s{{0,3}}[=:]\s{{0,5}}{_N}"), True),
    (lazy(rf"\bassertAlmostEquals?\([^;\n]{{1,200}},\s{{0,5}}{_N}\s{{0,5}}\)"), True),
)  # fmt: skip


def tolerance(line: str) -> Tolerance | None:
    """How near is near enough for an assertion, where it gives a number for that."""
    text = line[:LONGEST]
    if _NEAR.search(text) is None and "AreEqual" not in text:
        return None
    for pattern, digits in _TOLERANCES:
        if (found := pattern.search(text)) is not None:
            return Tolerance(float(found["n"]), digits)
    return None


_SLIGHT = 0.01
"""A tolerance below which a rounding error is all that is let through."""


def weaker(old: str, new: str) -> bool:
    """Whether an assertion asks for less of the same than another did that stood in its place."""
    was, now = strength(old), strength(new)
    if was is None or now is None or not _same_subject(old, new):
        return False
    before, after = tolerance(old), tolerance(new)
    if before is not None and after is not None and before.digits == after.digits:
        return after.value < before.value if after.digits else after.value > before.value
    if was >= _EXACTLY and now == _PARTLY and _NEAR.search(new[:LONGEST]) is not None:
        # A number that is computed is compared by what rounding leaves of it.
        return after is not None and (after.value <= 1 if after.digits else after.value >= _SLIGHT)
    return now < was


def _same_subject(old: str, new: str) -> bool:
    one, other = _subject(old), _subject(new)
    return bool(one & other) or not (one and other)


def weakened(gone: list[str], came: list[str]) -> Iterator[tuple[str, str]]:
    """The assertions that went and those that came in their places and ask for less.

    Not where the old one still stands, nor where several come for one.
    """
    if len(came) > len(gone):
        return
    kept = set(came)
    for old, new in zip(gone, came, strict=False):
        if old != new and old not in kept and new not in gone and weaker(old, new):
            yield old, new


_IF = lazy(r"^[ \t]{0,200}(?:\}[ \t]{0,5}else[ \t])?(?:el)?if\b")
_TRIES = lazy(r"^[ \t]{0,200}(?:try\b|begin\b|with\s+(?:contextlib\.)?suppress\()")
_RAISES = lazy(
    r"\b(?:raise|throw|fail\w*|XCTFail|expect\.unreachable|panic!?|t\.(?:Error|Fatal)\w*|rethrow|reject)\b"
)
_CATCHES = lazy(r"^[ \t]{0,200}(?:\}?[ \t]{0,5}(?:except|catch|rescue)\b)|\}\s{0,5}catch\b")
_RETURNS = lazy(
    r"^(?P<in>[ \t]{0,200})(?:return|return\s+(?:nil|null|None|undefined)|pass)\s{0,5};?\s{0,5}(?:(?:#|//).*)?$"
)
_MOST_LINES = 400


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))


def hidden(removed: str, added: str, asserts: frozenset[str]) -> tuple[str, str] | None:
    """The way in which assertions that stand unchanged no longer fail a test, and the line that shows it: ``swallowed``
    within a try whose handler goes on, ``guarded`` by a condition, ``unreached`` behind a return.

    :param asserts: the assertions that went and came, without the space around.
    """
    old = {line.strip() for line in removed.splitlines()[:_MOST_LINES]}
    lines = added.splitlines()[:_MOST_LINES]
    for at, line in enumerate(lines):
        text = line.strip()
        one_line = _TRIES.match(line) is not None and any(one.rstrip(";") in line for one in asserts)
        if text not in asserts and not one_line:
            continue
        before = [other for other in lines[max(0, at - 6) : at] if other.strip()]
        opens = next((other for other in reversed(before) if one_line or _indent(other) < _indent(line)), "")
        opens = line if one_line else opens
        if opens.strip() not in old and _TRIES.match(opens) is not None:
            after = lines[at : at + 14]
            handler = next((number for number, other in enumerate(after) if _CATCHES.search(other)), None)
            silent = handler is not None and not any(_RAISES.search(other) for other in after[handler:][:5])
            if silent or "suppress(" in opens:
                return "swallowed", opens.strip()[:200]
        if opens.strip() not in old and _IF.match(opens) is not None:
            rest = "\n".join(lines[at + 1 : at + 10])
            if not re.search(r"^\s{0,200}(?:\}\s{0,5})?else\b", rest, re.MULTILINE):
                return "guarded", opens.strip()[:200]
        returns = next(
            (other for other in before[-2:] if _RETURNS.match(other) and other.strip() not in old), ""
        )
        if returns and _indent(returns) == _indent(line):
            return "unreached", returns.strip()[:200]
    return None


def caught(removed: str, added: str) -> str | None:
    """The line by which a test newly catches what may go wrong and goes on, where its handler asserts and raises nothing."""
    if not any(word in added for word in ("catch", "except", "rescue")):
        return None
    before = sum(_CATCHES.search(line) is not None for line in removed.splitlines()[:_MOST_LINES])
    lines = added.splitlines()[:_MOST_LINES]
    places = [at for at, line in enumerate(lines) if _CATCHES.search(line) is not None]
    if len(places) <= before:
        return None
    for at in places:
        inner: list[str] = []
        for other in lines[at + 1 : at + 6]:
            if other.strip() and _indent(other) <= _indent(lines[at]):
                # What is indented less ends the handler.
                break
            inner.append(other)
        told = "\n".join((lines[at].split("catch")[-1], *inner))
        if not _RAISES.search(told) and not re.search(
            r"\b(?:assert|expect|should|verify|skip)\w*", told, re.IGNORECASE
        ):
            return lines[at].strip()[:200]
    return None


_SIDES = lazy(
    r"==|!=|<=?|>=?|\b(?:expect\w*|want\w*|got|received|actual\w*|left|right|was|but|instead|diff\w*|equal\w*)\b|^\s{0,20}[-+]",
    re.IGNORECASE | re.MULTILINE,
)
"""How a failing run sets what was expected beside what came."""
_MOST_SHOWN = 2_000


def shows_beside(output: str, one: str, other: str) -> bool:
    """Whether a failing run shows two values beside each other as what was expected and what came."""
    lines = output.splitlines()[-_MOST_SHOWN:]
    mine, theirs = _value(one), _value(other)
    for at, line in enumerate(lines):
        if mine.search(line) is None:
            continue
        beside = "\n".join(lines[max(0, at - 2) : at + 3])
        if theirs.search(beside) is not None and _SIDES.search(beside) is not None:
            return True
    return False


def _value(value: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.]){re.escape(value)}(?![\w]|\.\d)")
