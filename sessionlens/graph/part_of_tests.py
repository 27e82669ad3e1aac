"""Runs of a part of the tests, told as a run of all of them: ``pytest -k rounding``, ``57 filtered out``.

What was left out is told by the run's own result, or by an option of its command. A statement is about all tests by its
own words; one that gives the number of those that ran, or says what was left out, is about that part.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sessionlens.cache import lazy
from sessionlens.graph.constraints import stems

if TYPE_CHECKING:
    from sessionlens.graph.events import Ran

_OPTION = r"(?:^|\s)(?:{})(?:[ =](?P<what>\"[^\"]{{1,200}}\"|'[^']{{1,200}}'|\S{{1,200}}))"
_SELECTS = {
    "python": lazy(_OPTION.format(r"-k|-m(?=\s+[\"']?not\b)|--deselect|--ignore(?:-glob)?|--lf|--last-failed|--testmon")),
    "script": lazy(_OPTION.format(r"-t|-g|--grep|--testNamePattern|--test-name-pattern|--testPathPatterns?|--onlyChanged|--changed|--related|--findRelatedTests|--spec")),
    "go": lazy(_OPTION.format(r"-run|-skip|--run")),
    "jvm": lazy(r"(?:^|\s)(?:-D(?:test|it\.test|groups)=|--tests[ =])(?P<what>\S{1,200})"),
    "net": lazy(_OPTION.format(r"--filter|--treenode-filter|-class|-method")),
    "ruby": lazy(_OPTION.format(r"-e|--example|--tag|-n|--name")),
    "php": lazy(_OPTION.format(r"--filter|--group|--exclude-group|--testsuite")),
    "native": lazy(_OPTION.format(r"-R|-E|-L|-LE")),
    "swift": lazy(_OPTION.format(r"--filter|--skip|-only-testing|-skip-testing")),
    "elixir": lazy(_OPTION.format(r"--only|--exclude")),
    "rust": lazy(r"^cargo (?:nextest run|test|t)\s+(?:--(?!test\b)\S+\s+)*(?P<what>[a-z_]\w{2,100}(?:::\w{1,100}){0,10})(?=\s|$)"),
}  # fmt: skip
"""Options by which runners of tests leave some out, by the languages that they test."""
_LEFT_OUT = lazy(
    r"(?<![\d.,])(?!0\b)(?P<count>\d[\d,]{0,8}) (?:tests? )?(?:deselected|filtered out|not run|excluded)\b|\bno tests? (?:ran|found|to run|collected|match\w*)\b|\bran 0 tests?\b|\btestsuite is empty\b",
    re.IGNORECASE,
)
"""What results of runners say of tests that were left out."""
_COUNTS = lazy(
    r"(?<![\d.,/])(\d{1,6})(?:\s*(?:tests?\s+)?(?:passed|passing|ok|succeeded)\b)|\bRan (\d{1,6}) tests?\b|\bok\. (\d{1,6}) passed",
    re.IGNORECASE,
)
_ALL = lazy(
    r"\b(?:all|every|everything|entire|full|whole|complete|alle[sn]?|ganze[nrs]?|komplett\w*|gesamte[nrs]?|sämtliche|tou(?:te|s)s?|entière?|complète|tod[oa]s?|complet[oa]|enter[oa]|inteir[oa]|tutt[aeio]|inter[oa]|complet[oa]|hele|volledige|wszystkie|cał[aye]|tüm|bütün|hepsi|alla|hela|samtliga|všechny|celá)\b"
    r"|(?<!\w)(?:усі|всі|увесь|весь|вся|все|всё|повний|полный|целиком)(?!\w)|全部|所有|整个|完整|全て|すべて|全件|모든|모두|전체|전부",
    re.IGNORECASE,
)
"""Words for all of the tests, and for a whole suite."""
_PART = lazy(
    r"\b(?:deselect\w*|filter\w*|skip\w*|exclud\w*|subset|selected|only|just|relevant|related|affected|matching|targeted|focused|-k|--?grep|nur|ausgewählt\w*|gefiltert|übersprungen|betroffene[nr]?|seulement|filtr\w*|ignor\w*|concern\w*|solo|sólo|filtrad\w*|relacionad\w*|afectad\w*|apenas|somente|soltanto|alleen|overgeslagen|tylko|pominięt\w*|sadece|yalnızca|bara|endast|jen|pouze|slow|langsame\w*|lents?|rest|others?|remaining|übrigen|did\s+not\s+run|didn['’]t\s+run)\b"
    r"|(?<!\w)(?:лише|тільки|только|лишь|пропущ\w+|отфильтр\w+|відфільтр\w+)(?!\w)|仅|只|过滤|跳过|のみ|だけ|スキップ|만\b|건너뛴|필터",
    re.IGNORECASE,
)
"""Words by which a statement says that it is about a part, or what was left out."""


def left_out(run: Ran, family: str | None) -> str:
    """What a run of tests left out, as its result or its command says; empty for a run of all that it may be.

    :param family: the languages that the runner tests; ``None`` for one that is not known.
    """
    shown = _shown(run)
    # A line of several runs: what one of them left out another may have run.
    if (found := _LEFT_OUT.search(shown)) is not None and shown.count(found.group()) == 1:
        return found.group()
    chosen = _chosen(run, family)
    return chosen.group().strip() if chosen is not None else ""


def told_as_all(sentence: str, run: Ran, family: str | None) -> bool:
    """Whether a sentence about tests is about all of them, and not about those that a run took."""
    every = _ALL.search(sentence)
    if every is None or _PART.search(sentence) is not None:
        return False
    ran = {one for found in _COUNTS.finditer(_shown(run)) for one in found.groups() if one}
    if ran & set(_NUMBER.findall(sentence)):
        return False
    # "All cart tests": of those that were chosen.
    chosen = _chosen(run, family)
    named = _TEST.search(sentence, every.end())
    between = sentence[every.end() : named.start() if named is not None else every.end()]
    return chosen is None or not _stems(chosen["what"]) & _stems(between)


def asked_for(run: Ran, family: str | None, wish: str) -> bool:
    """Whether a person asked for the tests that a run took, by a word of what was chosen."""
    chosen = _chosen(run, family)
    return (
        chosen is not None
        and _ALL.search(wish) is None
        and _TEST.search(wish) is not None
        and bool(_stems(chosen["what"]) & _stems(wish))
    )


def _shown(run: Ran) -> str:
    output = run.call.call.output
    return output.ends()[-4_000:] if output is not None else ""


def _chosen(run: Ran, family: str | None) -> re.Match[str] | None:
    """The option of a command that leaves some tests out."""
    selects = _SELECTS.get(family or "")
    return selects.search(" ".join(run.command.words[:40])[:1_000]) if selects is not None else None


def _stems(words: str) -> frozenset[str]:
    return stems(_SIGNS.sub(" ", words))


_SIGNS = lazy(r"[\W_]+|(?<=[a-z])(?=[A-Z])")
_NUMBER = lazy(r"\d{1,6}")
_TEST = lazy(
    r"\b(?:\w*tests?\b|suite|specs?\b|pruebas?|essais|testy|testów)|тест|测试|用例|テスト|테스트",
    re.IGNORECASE,
)
