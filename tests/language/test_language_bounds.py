"""Hostile and large texts, the gate, and what importing costs."""

import subprocess
import sys
import time

import pytest

from sessionlens import language
from sessionlens.language import lexicon, pattern, undecided

SIZE = 30_000


@pytest.mark.parametrize(
    "unit",
    ["a", " ", "a ", "timeout ", "not ", "(", "`", '"', "'", "if it is not running , ", "超时了没有", "，", "x\n", "|",
     "-", ".", "is it up? ", "did not ", "`x ", "не удалось ", "まだ起動中", "should be , ", "✅ ", "http://", "1.", "let me ",
     "the call was torn ", "still "],
)  # fmt: skip
@pytest.mark.parametrize("role", ["assistant", "user"])
def test_hostile_texts_take_bounded_time(unit: str, role: str) -> None:
    text = unit * (SIZE // len(unit))
    began = time.perf_counter()
    reading = language.read(text, "user" if role == "user" else "assistant")
    assert time.perf_counter() - began < 10
    assert reading.sentences


def test_time_grows_with_the_text_and_no_faster() -> None:
    unit = "The unit is up , and it did not time out , if it is not running . "
    language.read(unit)

    def seconds(count: int) -> float:
        began = time.perf_counter()
        language.read(unit * count)
        return time.perf_counter() - began

    small, large = seconds(40), seconds(400)
    assert large < 40 * small + 0.5


def test_importing_and_reading_load_no_spacy() -> None:
    code = (
        "import sys; from sessionlens import language; assert 'sessionlens.language.lexicon' not in sys.modules;"
        "language.read('The restart timed out. Let me check the log.'); language.may_act('x');"
        "assert 'spacy' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_the_gate_lets_through_what_acts() -> None:
    assert language.may_act("The restart timed out.")
    assert language.may_act("✅")
    assert language.may_act("重启超时了")
    assert not language.may_act("")
    assert not language.may_act("Redis, Postgres, Kafka.")


def test_undecided_sentences_wake_spacy() -> None:
    text = "The call by which both of the far backends were to get the new list got severed halfway."
    assert undecided.wakes(text.lower(), "en")
    found = {act for act, _, _ in undecided.judge(text.lower(), "en")}
    assert found == {"acknowledges_cut_off"}
    assert not undecided.wakes("redis stores the session keys", "en")


def test_half_a_character_does_not_keep_spacy_from_judging() -> None:
    text = "The call \udca1 by which both of the far backends were to get the new list got severed halfway."
    assert {act for act, _, _ in undecided.judge(text.lower(), "en")} == {"acknowledges_cut_off"}


def test_a_model_that_is_not_installed_is_named() -> None:
    text = "The call by which both of the far backends were to get the new list got severed halfway."
    with pytest.raises(undecided.ModelError, match="no_such_model"):
        list(undecided.judge(text.lower(), "en", "no_such_model"))


@pytest.mark.parametrize("code", lexicon.codes())
def test_every_pattern_of_a_file_compiles_and_every_act_has_some(code: str) -> None:
    words = lexicon.load(code)
    for table in ("scope", "shields", "assistant", "user"):
        rules = words.rules(table)
        for number in range(len(rules.all)):
            assert rules.compiled(number).search("") is None
    acts = {rule.act for table in ("assistant", "user") for rule in words.rules(table).all}
    assert acts >= {
        "acknowledges_cut_off", "reports_in_progress", "reports_failure", "claims_success", "claims_check",
        "admits_unverified", "hedges", "promises_check", "proposes_waiting", "asks_person", "hands_over",
        "continuation", "asks_state", "new_direction", "complaint", "confirmation", "constrains", "authorises",
    }  # fmt: skip


@pytest.mark.parametrize("text", ["(a", "a)", "<none>", "a|b", "(a?|b)", "wor(d)d?"])
def test_a_pattern_that_cannot_be_read_is_refused(text: str) -> None:
    if text == "wor(d)d?":
        assert len(pattern.parse(text, pattern.Classes({}))) == 3
    else:
        with pytest.raises(pattern.PatternError):
            pattern.parse(text, pattern.Classes({}))


def test_classes_that_name_each_other_in_a_circle_are_refused() -> None:
    with pytest.raises((pattern.PatternError, RecursionError)):
        pattern.parse("<a>", pattern.Classes({"a": ["<b> x"], "b": ["<a> y"]}))


@pytest.mark.parametrize("code", lexicon.codes())
def test_each_role_has_its_own_acts(code: str) -> None:
    person = {"continuation", "asks_state", "new_direction", "complaint", "confirmation", "constrains", "authorises",
              "orders", "works"}  # fmt: skip
    words = lexicon.load(code)
    assert not person & {rule.act for rule in words.rules("assistant").all}
    assert {rule.act for rule in words.rules("user").all} <= person


@pytest.mark.parametrize(
    "run", ["[a]" * 40, "a-" * 40, "a/" * 60, "'" * 60, "a'" * 40, '"a' * 40, "x-" * 39 + "is " + "y-" * 39]
)
def test_words_that_divide_in_many_ways_are_read_in_one(run: str) -> None:
    language.read("The service works now.", language="en")
    began = time.process_time()
    language.read(f"Everything {run} now works ✅", language="en")
    assert time.process_time() - began < 1
