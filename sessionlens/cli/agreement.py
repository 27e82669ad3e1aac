"""``sessionlens agreement``: how far reviewers agree."""

from __future__ import annotations

import click


@click.command()
@click.argument("reviews", nargs=-1, metavar="[NAME=]FILE…")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def agreement(reviews: tuple[str, ...], as_json: bool) -> int:
    """Measure how far reviewers agree.

    FILE is a review.json as a page saved it, or a folder of one reviewer's. Prints Cohen's kappa of every two and
    Krippendorff's alpha of all, and the findings on which they differ.
    """
    from sessionlens.cli import corpora

    return corpora.agreement(reviews, as_json)
