"""``sessionlens rules list``."""

from __future__ import annotations

from pathlib import Path

import click

from sessionlens.cli.options import rule_folders


@click.command("list")
@rule_folders
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_rules(folders: tuple[Path, ...], as_json: bool) -> None:
    """List the rules.

    One line a rule: name, kind, severity where the rule says nothing else, first version, and what it flags.
    """
    from sessionlens.cli.outputs import stdout
    from sessionlens.cli.rules import known
    from sessionlens.report.json import encode
    from sessionlens.rule import page
    from sessionlens.safe import line

    rules = known(folders)
    if as_json:
        rows = [
            {
                "rule": slug,
                "kind": rule.kind,
                "severity": rule.severity,
                "since": rule.since,
                "after": list(rule.after),
                "summary": page(rule).summary,
            }
            for slug, rule in rules.items()
        ]
        stdout().write(encode(rows))
        return
    width = max(map(len, rules), default=0)
    for slug, rule in rules.items():
        about = f"{rule.kind:6}  {rule.severity:8}  {rule.since:6}"
        click.echo(
            line(f"{slug:{width}}", width) + f"{'':{width - len(slug)}}  {about}  {line(page(rule).summary)}"
        )
