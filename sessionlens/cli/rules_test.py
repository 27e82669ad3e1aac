"""``sessionlens rules test``."""

from __future__ import annotations

from pathlib import Path

import click

from sessionlens.cli.options import quiet, rule_folders


@click.command("test")
@click.argument("slugs", nargs=-1, metavar="[RULE]…")
@rule_folders
@quiet
def test_rules(slugs: tuple[str, ...], folders: tuple[Path, ...], quiet: bool) -> int:
    """Run the examples of rules.

    A rule must find exactly what its examples say, where they say it. Exit code 1 when one does not. Without a name,
    runs those of the rules in the folders of --rules; without such a folder, those of all rules.
    """
    from sessionlens.cli.codes import FOUND, OK
    from sessionlens.cli.rules import chosen, known
    from sessionlens.examples import run_example
    from sessionlens.safe import terminal

    rules = known(folders)
    # Somebody who names a folder works on the rules in it.
    others = known(()) if folders and not slugs else {}
    code = OK
    for rule in chosen(rules, slugs or tuple(slug for slug in rules if slug not in others)):
        before = [rules[slug]() for slug in rule.after]
        flagged = sum(bool(example.flags(rule.slug)) for example in rule.examples)
        wrong = []
        for example in rule.examples:
            wrong += run_example(rule(), example, before=before)
            # A rule that does not come to its end on one example would take as long on each of the others.
            if any("crashed: stopped after" in miss.problem for miss in wrong):
                break
        if wrong:
            code = FOUND
        if wrong or not quiet:
            verdict = "failed" if wrong else "ok"
            click.echo(f"{rule.slug}: {flagged} flagged, {len(rule.examples) - flagged} clean: {verdict}")
        for miss in wrong:
            click.echo(terminal(f"  {miss}"))
    return code
