"""``sessionlens rules``: the rules, their pages, their examples, their measure, a skeleton."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from sessionlens.cli.lazy import Entry, LazyGroup

if TYPE_CHECKING:
    from sessionlens.rule import Rule

COMMANDS = {
    "list": Entry("sessionlens.cli.rules_list:list_rules", "List the rules."),
    "show": Entry("sessionlens.cli.rules_show:show_rule", "Print the page of one rule."),
    "test": Entry("sessionlens.cli.rules_test:test_rules", "Run the examples of rules."),
    "measure": Entry("sessionlens.cli.rules_measure:measure_rules", "Measure rules on labelled logs."),
    "explain": Entry(
        "sessionlens.cli.rules_explain:explain_rule", "Say why a rule fired at a message, or did not."
    ),
    "inject": Entry(
        "sessionlens.cli.rules_inject:inject_faults", "Plant known faults into sessions, with labels."
    ),
    "new": Entry("sessionlens.cli.rules_new:new_rule", "Start a rule from a skeleton."),
}


@click.group(cls=LazyGroup, entries=COMMANDS)
def rules() -> None:
    """List, show, test and start rules."""


def known(folders: tuple[Path, ...]) -> dict[str, type[Rule]]:
    """Every rule class by slug; rules that do not load are wrong usage."""
    from sessionlens import loader
    from sessionlens.cli.codes import Misused

    try:
        return loader.classes(folders)
    except loader.LoadError as error:
        raise Misused("rules do not load:\n" + "\n".join(error.problems)) from None


def chosen(rules: dict[str, type[Rule]], slugs: tuple[str, ...]) -> list[type[Rule]]:
    """The rules of these names, all when none is given; a name that no rule has is wrong usage."""
    from sessionlens.cli.codes import Misused

    strangers = [slug for slug in slugs if slug not in rules]
    if strangers:
        from sessionlens.loader import no_rule

        raise Misused(no_rule(strangers, rules))
    return [rules[slug] for slug in (slugs or rules)]
