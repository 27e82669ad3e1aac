"""The trained weights belong to the sentences they are said to be trained on, and these to nobody's measuring."""

import importlib.util
import itertools
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

from sessionlens import language
from sessionlens.language import classifier, engine

HERE = Path(__file__).parent
CODES = sorted(path.stem for path in (Path(classifier.__file__).parent / "weights").glob("*.bin"))


def _module(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"language_{name}", HERE / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


measure = _module("measure")
sentences = _module("training")
TRAINED = [one for code in sentences.languages() for one in sentences.written(code)]


def test_there_are_weights() -> None:
    assert {"en", "de", "fr", "es", "pt", "uk", "ru", "zh"} <= set(CODES)


@pytest.mark.parametrize("code", CODES)
def test_weights_are_of_these_sentences(code: str) -> None:
    trained = classifier.load(code)
    assert trained is not None
    assert trained.trained_on == sentences.digest(code), f"make train-language LANGUAGES={code}"


def test_lines_have_labels_and_stand_once() -> None:
    assert len(TRAINED) > 15_000
    assert len({(one.file[:2], one.text) for one in TRAINED}) == len(TRAINED)


def _runs(text: str) -> set[tuple[str, ...]]:
    words = re.findall(r"\w+|[^\w\s]", text.lower())
    if len(words) < 6:
        words = list(text.lower())
    return set(itertools.pairwise(words))


def test_no_sentence_is_nearly_one_that_only_measures() -> None:
    by_language: dict[str, list[set[tuple[str, ...]]]] = {}
    for one in measure.load((), measure.TEST):
        by_language.setdefault(one.language, []).append(_runs(one.text))
    near = [
        one.text
        for one in TRAINED
        for other in by_language.get(one.file[:2], [])
        if (runs := _runs(one.text)) and len(runs & other) > 0.6 * len(runs | other)
    ]
    assert near == []


def test_words_nobody_listed_act() -> None:
    reading = language.read("Rolled the cluster, and quorum is back at five of five.")
    assert "claims_success" in {act.act for act in reading.acts()}


def test_the_span_holds_the_words_that_speak_for_the_act() -> None:
    text = "Deployment: rolled it to all five hosts an hour ago."
    for act in language.read(text).acts():
        assert text[slice(*act.span)].strip()
        assert 0 <= act.span[0] < act.span[1] <= len(text)


def test_without_weights_patterns_stand_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(classifier, "load", lambda code: None)
    engine._acts.cache_clear()
    assert {act.act for act in language.read("The tests pass now.").acts()} >= {"claims_success"}
    engine._acts.cache_clear()


def test_sums_do_not_overflow() -> None:
    trained = classifier.load("en")
    assert trained is not None
    found = classifier.tokens("failed " * 5000, True)
    assert len(found) < 200
    assert isinstance(trained.acts(found, frozenset(), "prose"), frozenset)
    assert "sessionlens.language.undecided" in sys.modules


def test_what_is_claimed_at_two_places_stands() -> None:
    text = "C'est bon : le service de facturation a été relancé sur fact-01 et tourne normalement."
    assert {act.act for act in language.read(text).sentences[0].acts} == {"claims_success"}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("pytest: 41 green, 1 red.", True),
        ("All done, with one casualty: test_x.", True),
        ("41 Tests grün, 1 rot.", True),
        ("test_x はまだ赤です。", True),
        ("还有一个测试 test_x 还没过。", True),
        ("0 red, 42 green.", False),
    ],
)
def test_what_is_red_is_told_as_failed(text: str, told: bool) -> None:
    assert ("reports_failure" in {act.act for act in language.read(text).acts()}) is told
