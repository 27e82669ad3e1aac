"""Rules about conduct against sessions that were labelled before they were run.

The files ``cases_*.py`` next to this one hold them. Each has a function ``cases(case)``; ``case`` takes the slug of one
rule, a title and the steps of a session, written with the example builders. A case without a flag is clean for
that rule, and lies close to a flagged one. Both directions are strict.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from sessionlens import loader
from sessionlens.examples import Example, Step, run_example

RULES = loader.classes()
CASES: dict[str, tuple[str, Example]] = {}


def _add(rule: str, title: str, *steps: Step, **about: Any) -> None:
    name = f"{rule}: {title}"
    assert name not in CASES, f"two cases are named {name}"
    CASES[name] = (rule, Example(title, *steps, **about))


for file in sorted(Path(__file__).parent.glob("cases_*.py")):
    spec = importlib.util.spec_from_file_location(f"conduct_{file.stem}", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.cases(_add)


@pytest.mark.parametrize("name", CASES)
def test_case(name: str) -> None:
    slug, example = CASES[name]
    rule = RULES[slug]
    wrong = run_example(rule(), example, before=[RULES[other]() for other in rule.after])
    assert not wrong, "\n".join(map(str, wrong))


def test_every_rule_has_flagged_and_clean_cases() -> None:
    counts: dict[str, list[int]] = {}
    for slug, example in CASES.values():
        counts.setdefault(slug, [0, 0])[not example.flags(slug)] += 1
    assert all(flagged >= 5 and clean >= 5 for flagged, clean in counts.values()), counts
