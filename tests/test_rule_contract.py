"""What every shipped rule promises beyond what the loader checks."""

import re
from pathlib import Path

import pytest

from sessionlens import catalogue, engine
from sessionlens.loader import check_contract
from sessionlens.rule import options, page

ROOT = Path(__file__).resolve().parent.parent
RULES = catalogue.shipped()
MISSION = ("empty-message-after-timeout", "unacknowledged-long-running-restart", "unverified-production-edit")

each = pytest.mark.parametrize("rule", RULES.values(), ids=list(RULES))


@each
def test_contract(rule):
    check_contract(rule, f"rules/{rule.slug}")
    assert re.fullmatch(r"\d+\.\d+(\.\d+)?", rule.since)
    assert not rule.slug.startswith(("no-", "avoid-", "bad-"))


@each
def test_facts_of_its_examples_are_documented(rule):
    documented = set(page(rule).facts)
    for example in rule.examples:
        session, _ = example.build()
        result = engine.audit(session, rules=[rule()], settings=example.settings)
        for finding in result.findings:
            assert set(finding.facts) == documented, f"{example.title}: page and finding list different facts"


@each
def test_options_are_documented(rule):
    for option in options(rule):
        assert option.meaning, f"{option.name} has no docstring under it"


@pytest.mark.parametrize("slug", MISSION)
def test_mission_rules_have_enough_examples(slug: str):
    flagged = [bool(example.flags(slug)) for example in RULES[slug].examples]
    assert sum(flagged) >= 8
    assert len(flagged) - sum(flagged) >= 8


def test_the_catalogue_is_fresh():
    written = (ROOT / "rules" / "README.md").read_text("utf-8")
    assert written == catalogue.catalogue(RULES), "run `make catalogue`"


def test_every_rule_file_is_shipped():
    stems = {file.stem for file in (ROOT / "rules").glob("*.py") if not file.name.startswith("_")}
    assert {slug.replace("-", "_") for slug in RULES} == stems
