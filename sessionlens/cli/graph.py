"""``sessionlens graph``: the graph of a session as a file."""

from __future__ import annotations

from pathlib import Path

import click

from sessionlens.cli.options import choosing, quiet, reading, redacting

_FORMS = ("graphml", "json", "dot", "svg")


@click.command()
@click.argument("source")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    required=True,
    help="The file to write, with the suffix .graphml, .json (node-link), .dot or .svg, or - for standard output.",
)
@click.option("--format", "form", type=click.Choice(_FORMS), help="Form for -o -, and for any other suffix.")
@reading
@choosing
@redacting
@quiet
def graph(
    *,
    source: str,
    output: str,
    form: str | None,
    reader: str | None,
    session: str | None,
    folders: tuple[Path, ...],
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    config: Path | None,
    redact: bool,
    quiet: bool,
) -> int:
    """Write the graph of a session.

    Messages, calls, results, targets, changes and checks with their edges. A picture of a long session is cut
    around what the rules found.

    \b
        sessionlens graph session.json -o session.graphml
        sessionlens graph session.json -o session.svg
    """
    from sessionlens.cli.codes import OK, Misused, advise
    from sessionlens.cli.one import only
    from sessionlens.cli.outputs import put_text, target
    from sessionlens.cli.work import Order, judge
    from sessionlens.graph import export

    path = target(output, source)
    suffix = path.suffix.lower().removeprefix(".")
    form = suffix if suffix in _FORMS else form
    if form is None:
        raise Misused(f"{output}: no form has this suffix; known are .{', .'.join(_FORMS)}, or say --format")
    # Redacted here, so that the order need not do it again.
    one = only(source, reader=reader, session=session, redact=redact)
    order = Order(formats=(), folders=folders, select=select, ignore=ignore, config=config, redact=False)
    audit = judge(order, source, one)
    put_text(lambda stream: export.write(audit.graph, form, stream, findings=audit.findings), path)
    if not quiet and output != "-":
        advise(f"wrote {path}")
    return OK
