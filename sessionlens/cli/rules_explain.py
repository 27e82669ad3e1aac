"""``sessionlens rules explain``."""

from __future__ import annotations

from pathlib import Path

import click

from sessionlens.cli.options import configured, reading, redacting, rule_folders


@click.command("explain")
@click.argument("source")
@click.argument("slug", metavar="RULE")
@click.argument("message", metavar="MESSAGE")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@rule_folders
@configured
@reading
@redacting
def explain_rule(
    *,
    source: str,
    slug: str,
    message: str,
    as_json: bool,
    folders: tuple[Path, ...],
    config: Path | None,
    reader: str | None,
    session: str | None,
    redact: bool,
) -> int:
    """Say why a rule fired at a message, or did not.

    MESSAGE is the id of a message or #N for its index. Prints what the graph makes of the message, the way through the
    source of the rule while it looked at it, each condition with the part that decided it, the questions it asked,
    and what was found near by.

    \b
        sessionlens rules explain session.json unverified-production-edit msg_0123
        sessionlens rules explain session.json step-loop '#17' --json
    """
    from sessionlens import explaining, loader
    from sessionlens.cli.codes import OK, Misused
    from sessionlens.cli.one import sessions
    from sessionlens.cli.options import configuration
    from sessionlens.cli.outputs import stdout
    from sessionlens.cli.rules import chosen, known
    from sessionlens.report.json import encode
    from sessionlens.safe import terminal

    there = known(folders)
    chosen(there, (slug,))
    settings = configuration(config)
    found = sessions(source, reader=reader, session=session, redact=redact)
    places = [
        (one, owner, wanted)
        for one in found
        for owner in one.family()
        if (wanted := owner.find(message) if owner is one or not message.startswith("#") else None)
        is not None
    ]
    if not places:
        raise Misused(f"no message {message} in {source}; sessionlens show lists them")
    if len(places) > 1:
        ids = ", ".join(one.id for one, _, _ in places[:8])
        raise Misused(f"{source} holds {len(places)} messages {message}; choose one with --session: {ids}")
    options = {name: values for name, values in settings.rules.items() if name in there}
    try:
        rules = {rule.slug: rule for rule in loader.select(there, options=options).rules}
    except loader.OptionError as error:
        raise Misused(f"{settings.file}: rules.{error.rule}.{error.option}: {error.reason}") from None
    ((one, owner, wanted),) = places
    explanation = explaining.explain(
        one,
        rules[slug],
        wanted,
        owner=owner,
        others=list(rules.values()),
        settings=settings.environments,
    )
    if as_json:
        stdout().write(encode(explanation))
    else:
        for row in explaining.rows(explanation):
            click.echo(terminal(row))
    return OK
