"""``sessionlens stats``: tables over many sessions."""

from __future__ import annotations

import click

from sessionlens.cli.options import choosing, quiet, redacting


@click.command()
@click.argument("corpora", nargs=-1, metavar="CORPUS…")
@click.option("-o", "--output", "outputs", multiple=True, metavar="PATH",
              help="Write a page (.html), JSON (.json), or a folder of tables (CSV, and Parquet where pyarrow is "
              "installed). May be given several times.")  # fmt: skip
@click.option("--compare", nargs=2, metavar="A B",
              help="Compare two: each a corpus, or a filter of CORPUS such as \"model == 'x'\".")  # fmt: skip
@click.option("--where", "filters", multiple=True, metavar="EXPR",
              help="Only sessions for which an expression of pandas' query language holds.")  # fmt: skip
@click.option("--reader", metavar="NAME", help="Read as this format instead of recognising it.")
@choosing
@redacting
@click.option(
    "--jobs", type=click.IntRange(1, 256), default=1, show_default=True, metavar="N", help="Processes."
)
@quiet
def stats(**given: object) -> int:
    """Count over many sessions: rates with intervals, times, comparisons.

    CORPUS is what curate takes as a source, or a data set that it wrote. Without -o a summary is printed.

    \b
        sessionlens stats logs/ -o stats.html
        sessionlens stats --compare before/ after/ -o tables/
        sessionlens stats dataset/ --compare "client_version == '1.0.0'" "client_version == '1.2.1'"
    """
    from sessionlens.cli import corpora

    return corpora.stats(**given)  # type: ignore[arg-type]
