"""``sessionlens readers``: the formats that are read, and what each records."""

from __future__ import annotations

import click


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--markdown", "as_markdown", is_flag=True, help="Print the table for the README.")
def readers(as_json: bool, as_markdown: bool) -> None:
    """List the log formats and what each records.

    A rule that rests on something a format never records says "not checkable" in the audit; the last column
    names those rules.
    """
    from sessionlens import catalogue
    from sessionlens.cli.outputs import stdout
    from sessionlens.model import Session
    from sessionlens.readers import registered
    from sessionlens.report import formats
    from sessionlens.report.json import encode

    rules = {slug: rule() for slug, rule in catalogue.shipped().items()}
    rows = []
    for name, _ in registered():
        empty = Session(id=name, source_format=name)
        unjudged = tuple(slug for slug, rule in rules.items() if rule.checkable(empty) is not None)
        rows.append(formats.row(name, unjudged))
    if as_json:
        stdout().write(encode(rows))
        return
    if as_markdown:
        click.echo(formats.markdown(rows), nl=False)
        return
    for line in formats.table(rows):
        click.echo(line)
