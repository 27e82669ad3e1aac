"""``sessionlens queue``: the findings that people should look at first."""

from __future__ import annotations

import click

from sessionlens.cli.options import choosing, quiet, redacting


@click.command()
@click.argument("corpora", nargs=-1, metavar="CORPUS…")
@click.option("--review", "reviews", multiple=True, metavar="[NAME=]FILE",
              help="What was reviewed already: a review.json, or a folder of them. May be given several times.")  # fmt: skip
@click.option("-n", "--most", type=click.IntRange(1), default=20, show_default=True, metavar="N",
              help="List so many.")  # fmt: skip
@click.option("--disputed", is_flag=True, help="List findings on which reviewers differ, too.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--reader", metavar="NAME", help="Read as this format instead of recognising it.")
@choosing
@redacting
@click.option(
    "--jobs", type=click.IntRange(1, 256), default=1, show_default=True, metavar="N", help="Processes."
)
@quiet
def queue(**given: object) -> int:
    """List the unlabelled findings that tell most when a person looks at them.

    CORPUS is what curate takes as a source, or a data set that it wrote. Those of low confidence, near the border
    and of new kinds come first, and kinds take turns. Look at one with
    `sessionlens audit SOURCE --session ID --message '#N'` and save its review.
    """
    from sessionlens.cli import corpora

    return corpora.queue(**given)  # type: ignore[arg-type]
