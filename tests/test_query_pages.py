"""The pages for rule authors: every example on them is run, every word of the vocabulary is on them."""

import re
from pathlib import Path
from typing import get_args

import pytest

from sessionlens import loader
from sessionlens import rule as names
from sessionlens.declared import expressions
from sessionlens.engine import audit
from sessionlens.examples import run_example
from sessionlens.graph import queries
from sessionlens.graph.queries import Window, kinds_among
from sessionlens.language.acts import AssistantAct, UserAct

DOCS = Path(__file__).resolve().parent.parent / "docs"
QUERIES = (DOCS / "queries.md").read_text("utf-8")
DECLARATIVE = (DOCS / "declarative-rules.md").read_text("utf-8")
PYTHON = re.findall(r"^```python\n(.*?)^```", QUERIES, re.MULTILINE | re.DOTALL)
TOML = re.findall(r"^```toml\n(.*?)^```", DECLARATIVE, re.MULTILINE | re.DOTALL)


def slug_of(text: str) -> str:
    found = re.search(r'(?:slug(?:, \w+)* = )"([a-z-]+)"', text)
    assert found is not None
    return found[1]


def whole(text: str, folder: Path) -> str:
    """Load a rule of a page through the door of all rules, and run its examples."""
    slug = slug_of(text)
    suffix = ".py" if text.startswith("from ") else ".rule.toml"
    (folder / f"{slug.replace('-', '_')}{suffix}").write_text(text, encoding="utf-8")
    rules = loader.classes([folder])
    rule = rules[slug]
    before = [rules[name]() for name in rule.after]
    wrong = [miss for example in rule.examples for miss in run_example(rule(), example, before=before)]
    assert not wrong, "\n".join(map(str, wrong))
    # Both forms keep the promise about facts that shipped rules keep.
    for example in rule.examples:
        for finding in audit(example.build()[0], rules=[*before, rule()]).findings:
            if finding.rule == slug:
                assert set(finding.facts) == set(names.page(rule).facts)
    return slug


@pytest.mark.parametrize("text", PYTHON, ids=[slug_of(text) for text in PYTHON])
def test_a_rule_of_the_page_works_and_is_short(text: str, tmp_path: Path):
    whole(text, tmp_path)
    written = [line for line in text.splitlines() if line.strip()]
    assert len(written) < 30
    assert max(map(len, written)) <= 120


def test_there_are_ten():
    assert len({slug_of(text) for text in PYTHON}) == 10


@pytest.mark.parametrize("text", TOML, ids=[slug_of(text) for text in TOML])
def test_a_declarative_rule_of_the_page_works(text: str, tmp_path: Path):
    whole(text, tmp_path)


def test_every_word_of_the_vocabulary_is_on_the_page():
    predicates = [name for name, value in vars(names).items() if isinstance(value, names.Predicate)]
    functions = [word for word in expressions.VOCABULARY if not word.startswith(".")]
    methods = [name for name in vars(Window) if not name.startswith("_")]
    for word in {*predicates, *functions, *methods} - {"before"}:
        assert re.search(rf"`[^`]*\b{word}\b[^`]*`", QUERIES + DECLARATIVE), word


def test_what_declarative_rules_may_say_is_what_the_queries_have():
    named = {word for word in expressions.VOCABULARY if not word.startswith(".")}
    own = {
        "span",
        "after",
        "before",
        "between",
        "fulfils",
        "target_of",
        "duration",
        "elapsed",
        "seconds",
        "minutes",
        "hours",
    }
    assert named - own <= set(names.__all__)
    assert {word[1:] for word in expressions.VOCABULARY if word.startswith(".")} <= set(vars(Window))


def test_the_table_of_events_is_what_the_predicates_speak_of():
    about = {name: value.among for name, value in vars(names).items() if isinstance(value, names.Predicate)}
    about |= {
        name: sig.among for name, sig in expressions._FUNCTIONS.items() if sig.gives == expressions.PREDICATE
    }
    about["acknowledges"] = "said"
    rows = {
        "Said": ("Said",), "Called": ("Called",), "Ran": ("Ran",), "Called` or `Ran": ("Called", "Ran"),
    }  # fmt: skip
    table = QUERIES.partition("| event | predicates |")[2]
    told = {}
    for row, kinds in rows.items():
        (cells,) = re.findall(rf"^\| `{row}` \| (.*) \|$", table, re.MULTILINE)
        told |= dict.fromkeys(re.findall(r"`(\w+)`", cells), kinds)
    told |= dict.fromkeys(("same_session", "end"), ("Said", "Called", "Ran"))
    assert told == {name: kinds_among(among) for name, among in about.items()}


def test_the_words_on_the_page_are_those_that_there_are():
    table = QUERIES.partition("| in | words |")[2].partition("\n\n")[0]
    rows = dict(re.findall(r"^\| (`.*?) \| (.*) \|$", table, re.MULTILINE))
    told = {key: tuple(re.findall(r"`(\w+)`", cells)) for key, cells in rows.items()}
    assert told == {
        "`has_effect`": queries.EFFECTS,
        "`speaks`, of the assistant": get_args(AssistantAct),
        "`speaks`, of a person": get_args(UserAct),
        "`acts_on(kind=)`": queries.KINDS,
        "`in_environment`": queries.ENVIRONMENTS,
    }
