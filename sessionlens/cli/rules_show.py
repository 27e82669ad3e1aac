"""``sessionlens rules show``."""

from __future__ import annotations

from pathlib import Path

import click

from sessionlens.cli.options import rule_folders


@click.command("show")
@click.argument("slug")
@rule_folders
def show_rule(slug: str, folders: tuple[Path, ...]) -> None:
    """Print the page of one rule.

    What it flags, why that matters, what to do, its facts, its options and its examples, as Markdown.
    """
    from sessionlens.catalogue import entry
    from sessionlens.cli.rules import chosen, known
    from sessionlens.safe import terminal

    for rule in chosen(known(folders), (slug,)):
        click.echo(terminal(entry(rule, level=1)))
