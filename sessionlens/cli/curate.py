"""``sessionlens curate``: a training data set from many sessions."""

from __future__ import annotations

from pathlib import Path

import click

from sessionlens.cli.options import choosing, quiet, redacting


def _several(_ctx: click.Context, _param: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name.strip() for value in values for name in value.split(",") if name.strip())


def _chosen(*known: str):  # type: ignore[no-untyped-def]
    def check(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
        names = tuple(dict.fromkeys(_several(ctx, param, values)))
        strangers = [name for name in names if name not in known]
        if strangers:
            raise click.BadParameter(f"{', '.join(strangers)}: known are {', '.join(known)}")
        return names

    return check


@click.command()
@click.argument("corpora", nargs=-1, metavar="CORPUS…")
@click.option(
    "-o", "--output", metavar="DIR", help="Folder, or address for fsspec, to write the data set to. Needed."
)
@click.option("--format", "formats", multiple=True, callback=_chosen("jsonl", "parquet"), metavar="FORMAT,…",
              help="jsonl, parquet. Both unless said otherwise; Parquet needs the extra [parquet].")  # fmt: skip
@click.option("--form", "forms", multiple=True,
              callback=_chosen("openai", "anthropic", "sharegpt", "sft", "completion", "none"), metavar="FORM,…",
              help="Chat forms to write: openai, anthropic, sharegpt, sft (masked by step), completion, none. "
              "sft unless said otherwise.")  # fmt: skip
@click.option("--max-tokens", type=click.IntRange(64), metavar="N",
              help="Longest row of a chat form: longer sessions are cut between turns.")  # fmt: skip
@click.option("--reasoning/--no-reasoning", default=False, show_default=True,
              help="Make the model's thinking a part of chat messages.")  # fmt: skip
@click.option("--result-limit", type=click.IntRange(64), default=32_768, show_default=True, metavar="N",
              help="Characters of one tool result that are kept: its two ends around a mark.")  # fmt: skip
@click.option("--tokenizer", default="approximate", show_default=True, metavar="MODULE:NAME",
              help="Function that counts tokens: takes a text, returns a number or a list. Its code is run.")  # fmt: skip
@click.option("--split", "splits", default="train=0.9,validation=0.05,test=0.05", show_default=True,
              metavar="NAME=SHARE,…",
              help="Splits and their shares. Families and repositories are never divided.")  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True, metavar="N",
              help="Another number gives other splits and samples.")  # fmt: skip
@click.option("--dedup", type=click.Choice(["near", "exact", "off"]), default=None,
              help="Which copies go: near ones too (needs the extra [dedup]), exact ones, none. "
              "near where it is installed.")  # fmt: skip
@click.option("--where", "filters", multiple=True, metavar="[TABLE:]EXPR",
              help="Keep what an expression of pandas' query language holds for: of sessions, or of the table named "
              "(sessions, steps, episodes, pairs).")  # fmt: skip
@click.option("--sample", type=click.FloatRange(0, min_open=True), metavar="N",
              help="Keep so many sessions, or this share of them where it is at most 1.")  # fmt: skip
@click.option("--cap", "caps", multiple=True, metavar="COLUMN=N",
              help="At most N episodes of each value of a column, such as rule=200.")  # fmt: skip
@click.option("--balance", metavar="COLUMN",
              help="As many episodes of each value of a column as the rarest has.")  # fmt: skip
@click.option("--mask-from", type=click.Choice(["low", "medium", "high"]), default="low", show_default=True,
              help="Least confidence of a fault that takes the loss from a step.")  # fmt: skip
@click.option("--review", "reviews", multiple=True, metavar="[NAME=]FILE",
              help="Join the verdicts of a review.json, or of a folder of them. May be given several times.")  # fmt: skip
@click.option("--origins", type=click.Path(path_type=Path, dir_okay=False, exists=True), metavar="FILE",
              help="List of licences and origins by file: TSV, CSV or JSON Lines.")  # fmt: skip
@click.option("--licence", metavar="TEXT", help="Licence of sources that the list does not name.")
@click.option("--origin", metavar="TEXT", help="Origin of sources that the list does not name.")
@click.option("--opt-out", type=click.Path(path_type=Path, dir_okay=False, exists=True), metavar="FILE",
              help="List of sessions, repositories and sources that must not be in it, one a line.")  # fmt: skip
@click.option("--leave", multiple=True, callback=_chosen("homes", "emails", "addresses", "hosts"), metavar="KIND,…",
              help="Private data that is left as it is: homes, emails, addresses, hosts.")  # fmt: skip
@click.option(
    "--reader", metavar="NAME", help="Read as this format instead of recognising it.",
)  # fmt: skip
@choosing
@redacting
@click.option(
    "--jobs", type=click.IntRange(1, 256), default=1, show_default=True, metavar="N", help="Processes."
)
@click.option("--scheduler", metavar="ADDRESS",
              help="Work on the Dask cluster with this scheduler (needs the extra [cluster]).")  # fmt: skip
@click.option("--clean", is_flag=True, help="Remove at the end what the next run could go on from (.work).")
@quiet
@click.option("--schema", is_flag=True, help="Print the JSON Schema of every table and exit.")
def curate(**given: object) -> int:
    """Make a training data set of many sessions.

    CORPUS is a file, a folder, an archive, a store of a client, a session id, latest, or an address for fsspec
    (s3://…, with the extra [remote]). A run that was stopped goes on where it was; a later one reads only what is new
    or has changed.

    \b
        sessionlens curate logs/ -o dataset/ --jobs 4
        sessionlens curate logs/ -o dataset/ --where "severity >= 'high' and model.str.contains('sonnet')"
        sessionlens curate logs/ -o dataset/ --form sft --max-tokens 32000 --licence MIT
    """
    from sessionlens import memory, processes

    memory.ensure(memory.LEAST_TABLES)
    if given["jobs"] != 1 and not given["scheduler"] and not given["schema"]:
        # Loading takes as long there as here: both at once.
        processes.early("sessionlens.curate.loaded")
    from sessionlens.cli import corpora

    return corpora.curate(**given)  # type: ignore[arg-type]
