"""``sessionlens convert``: a session as transcript XML."""

from __future__ import annotations

from pathlib import Path

import click

from sessionlens.cli.options import quiet, reading, redacting


@click.command()
@click.argument("source")
@click.option(
    "-o", "--output", metavar="FILE", required=True, help="The file to write, or - for standard output."
)
@reading
@redacting
@quiet
def convert(
    *, source: str, output: str, reader: str | None, session: str | None, redact: bool, quiet: bool
) -> int:
    """Write a session as transcript XML.

    With --no-redact, reading the result gives an equal session. Several sessions stand one after the other.

    \b
        sessionlens convert latest -o session.xml
    """
    from sessionlens.cli.codes import OK, advise
    from sessionlens.cli.one import sessions
    from sessionlens.cli.outputs import put_text, target
    from sessionlens.report import transcript_xml

    path = target(output, source)
    found = sessions(source, reader=reader, session=session, redact=redact)
    put_text(lambda stream: transcript_xml.write(found, stream), path)
    if not quiet and output != "-":
        advise(f"wrote {Path(output)}")
    return OK
