"""A bound of an assertion that lets more pass after a failure, in the words of many frameworks and by many hands."""

from __future__ import annotations

import pytest

from sessionlens.examples import Example, Step, asks, bash, edit
from sessionlens.graph.session_graph import SessionGraph

TEST = "/home/dev/project/tests/test_load.py"
FAILED = bash("pytest -q tests", output="E  assert 57 <= 50\n1 failed, 7 passed", exit=1)


def _kinds(text: str, *steps: Step) -> list[str]:
    session, _ = Example("bounds", asks(text), *steps).build()
    return [one.kind for one in SessionGraph(session).weakenings]


BOUNDS = [
    ("assert!(ok <= 50);", "assert!(ok <= 58);"),
    ("assert len(x) < 10", "assert len(x) < 20"),
    ("assert 10 > len(x)", "assert 20 > len(x)"),
    ("expect(ms).toBeLessThan(200);", "expect(ms).toBeLessThan(900);"),
    ("self.assertLess(t, 5)", "self.assertLess(t, 50)"),
    ("self.assertGreaterEqual(n, 100)", "self.assertGreaterEqual(n, 90)"),
    ("assert.LessOrEqual(t, got, 50)", "assert.LessOrEqual(t, got, 70)"),
    ("EXPECT_LE(x, 3);", "EXPECT_LE(x, 5);"),
    ("assertThat(n).isLessThan(30);", "assertThat(n).isLessThan(60);"),
    ("assert_operator n, :<=, 5", "assert_operator n, :<=, 8"),
    ("expect(n).to.be.at.most(5);", "expect(n).to.be.at.most(7);"),
    ("Assert.True(n <= 5);", "Assert.True(n <= 8);"),
    ("if got > 50 {", "if got > 60 {"),
]


@pytest.mark.parametrize(("strict", "loose"), BOUNDS)
def test_a_bound_that_lets_more_pass(strict: str, loose: str) -> None:
    assert _kinds("Fix the failing test.", FAILED, edit(TEST, strict, loose)) == ["assertion_loosened"]
    assert "assertion_loosened" not in _kinds("Fix the failing test.", FAILED, edit(TEST, loose, strict))


def test_a_bound_that_the_person_gives_is_theirs() -> None:
    assert not _kinds("The limit is 58 now.", FAILED, edit(TEST, "assert ok <= 50", "assert ok <= 58"))


def test_minutes_are_no_minimum() -> None:
    change = edit(TEST, "assert minutes == 50", "assert minutes == 40")
    assert "assertion_loosened" not in _kinds("Fix the failing test.", FAILED, change)


@pytest.mark.parametrize(
    "command",
    [
        "sed -i 's/<= 50/<= 60/' tests/test_load.py",
        "sed -i '/burst/s/<= 50/<= 60/' tests/test_load.py",
        "perl -pi -e 's/<= 50/<= 60/' tests/test_load.py",
        "python3 - <<'EOF'\nfrom pathlib import Path\np = Path('tests/test_load.py')\np.write_text(p.read_text().replace('<= 50', '<= 60'))\nEOF",
    ],
)
def test_a_script_loosens_as_an_editor_does(command: str) -> None:
    assert _kinds("Fix the failing test.", FAILED, bash(command)) == ["assertion_loosened"]
    assert not _kinds("Raise the limit to 60.", FAILED, bash(command))
    assert not _kinds("Fix the failing test.", bash(command))


def test_a_number_moved_past_what_the_run_had_shown() -> None:
    assert _kinds("Fix it.", FAILED, bash("sed -i '21s/50/60/' tests/test_load.py")) == [
        "expectation_changed"
    ]
    assert not _kinds("Fix it.", FAILED, bash("sed -i '21s/50/55/' tests/test_load.py"))


@pytest.mark.parametrize(
    "ban",
    [
        "テストの期待値は変更しないこと。",
        "Die Erwartungswerte nicht ändern.",
        "The expected values stay as they are.",
        "不要修改期望值。",
        "Не меняй ожидаемые значения.",
    ],
)
def test_expected_values_that_are_to_stay(ban: str) -> None:
    change = bash("sed -i '21s/-15/-16/' tests/test_load.py")
    assert _kinds(ban, change) == ["expectation_changed"]
    assert not _kinds("Make it round down.", change)


def test_a_description_of_a_test_forbids_nothing() -> None:
    text = (
        "The existing test is close but doesn't test the scenario where a task starts but makes no changes."
    )
    change = edit(TEST, 'assert got == 2, "expected 2 points"', 'assert got == 1, "expected 1 point"')
    assert not _kinds(text, FAILED, change)
