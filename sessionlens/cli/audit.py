"""``sessionlens audit``: judge sessions and write what was found."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from sessionlens.cli.options import SEVERITIES, choosing, private, quiet, reading, redacting

if TYPE_CHECKING:
    from sessionlens.findings import ProfileName


@click.command()
@click.argument("sources", nargs=-1, metavar="SOURCE…")
@click.option(
    "-o",
    "--output",
    "outputs",
    multiple=True,
    metavar="PATH",
    help="Write here instead of <name>.audit.html: a file whose suffix says the form (.html .json .sarif .md .txt; "
    "review.md drafts a review of the incident, junit.xml is for CI), a folder, or - for standard output. May be given several times.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["html", "json", "sarif", "md", "txt", "review", "junit", "github"]),
    help="Form for -o -, for a folder, and for a file without one of the suffixes.",
)
@click.option(
    "--message", metavar="ID", help="Add a chapter about this message, whether or not a rule fires."
)
@reading
@choosing
@click.option(
    "--fail-on",
    type=click.Choice([*SEVERITIES, "never"]),
    default=None,
    show_default="never; low with the profile strict",
    help="Exit with 1 when a fault is at least this severe.",
)
@click.option(
    "--baseline",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    metavar="FILE",
    help="Earlier results, as .json or .sarif: what stands in them does not count.",
)
@click.option(
    "--profile",
    type=click.Choice(["strict", "default", "quiet"]),
    help="What is reported: quiet leaves out what is mild, unsure, or no fault; strict fails on low.",
)
@redacting
@private
@click.option(
    "--review",
    "reviews",
    multiple=True,
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    metavar="FILE",
    help="Show the verdicts of this review.json, as a page saved it. May be given several times; the last one counts.",
)
@click.option(
    "--static", is_flag=True, help="Pages show the whole transcript without script, whatever its length."
)
@click.option(
    "--jobs",
    type=click.IntRange(1, 256),
    default=1,
    show_default=True,
    metavar="N",
    help="Processes for many sources.",
)
@quiet
@click.option("--schema", is_flag=True, help="Print the JSON Schema of the JSON form and exit.")
def audit(
    *,
    sources: tuple[str, ...],
    outputs: tuple[str, ...],
    form: str | None,
    message: str | None,
    reader: str | None,
    session: str | None,
    folders: tuple[Path, ...],
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    config: Path | None,
    fail_on: str | None,
    baseline: Path | None,
    profile: ProfileName | None,
    redact: bool,
    redact_also: tuple[str, ...],
    reviews: tuple[Path, ...],
    static: bool,
    jobs: int,
    quiet: bool,
    schema: bool,
) -> int:
    """Judge sessions and write the annotated page.

    SOURCE is a file, a folder, - for standard input, a session id (ses_… or a UUID, looked up in the local stores of
    opencode, Claude Code and Codex) or latest.
    The format is recognised from the content.

    \b
        sessionlens audit session.json                     writes session.audit.html
        sessionlens audit latest -o page.html -o page.json
        sessionlens audit logs/*.json -o pages/ --jobs 4 --fail-on high
        sessionlens audit session.json --message msg_0123  tells about that message too
    """
    if redact_also and not redact:
        raise click.UsageError("--redact-also needs redaction, and --no-redact switches it off.")
    from sessionlens.cli import run
    from sessionlens.cli.work import Order

    if schema:
        return run.print_schema()
    if not sources:
        raise click.UsageError("Missing argument 'SOURCE…'.")
    order = Order(
        formats=(),
        folders=folders,
        select=select,
        ignore=ignore,
        config=config,
        reader=reader,
        session=session,
        message=message,
        redact=redact,
        redact_also=redact_also,
        reviews=reviews,
        static=static,
        baseline=baseline,
        profile=profile,
    )
    return run.audit(order, sources, outputs, form, fail_on=fail_on, jobs=jobs, quiet=quiet)
