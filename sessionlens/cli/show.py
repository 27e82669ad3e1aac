"""``sessionlens show``: a session as it was read."""

from __future__ import annotations

import click

from sessionlens.cli.options import reading, redacting


@click.command()
@click.argument("source")
@click.option("--message", metavar="ID", help="Print this message only.")
@click.option("--full", is_flag=True, help="Print every text whole.")
@reading
@redacting
def show(
    *, source: str, message: str | None, full: bool, reader: str | None, session: str | None, redact: bool
) -> int:
    """Print a session as it was read, with its gaps.

    \b
        sessionlens show session.json
        sessionlens show session.json --message msg_0123 --full
    """
    from sessionlens.cli.codes import OK, Misused
    from sessionlens.cli.one import sessions
    from sessionlens.cli.work import told
    from sessionlens.report.listing import lines
    from sessionlens.safe import terminal

    found = sessions(source, reader=reader, session=session, redact=redact)
    if message is not None and not any(told(one, message) for one in found):
        raise Misused(f"no message {message} in {source}; without --message, all are listed")
    for one in found:
        for row in lines(one, message=message, full=full):
            click.echo(terminal(row))
    return OK
