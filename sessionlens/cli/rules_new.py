"""``sessionlens rules new``."""

from __future__ import annotations

import re
from pathlib import Path

import click

_SKELETON = '''\
"""The rule ``{slug}``."""

from sessionlens.examples import Example, asks, bash, says
from sessionlens.rule import Called, Finding, Iterator, Rule, SessionGraph, cut_off, dataclass

SLUG = "{slug}"


@dataclass(frozen=True, kw_only=True)
class {name}(Rule):
    """A command was cut off by a limit shorter than it should have had.

    ## What it flags
    A call that a time limit ended, where the limit was shorter than `least_s` seconds.

    ## Why it matters
    Say what goes wrong for whom when nobody notices.

    ## What to do
    Say what somebody who reads the finding can do about it.

    ## Facts
    - `limit_ms`: the limit in milliseconds
    """

    slug = SLUG
    severity = "low"
    since = "0.1"
    examples = (
        Example(
            "ten seconds for a build",
            asks("build it"),
            bash("make", limit=10, times_out=True, flag=SLUG, facts={{"limit_ms": 10_000}}),
            says("The build was cut off after ten seconds."),
        ),
        Example(
            "a build that had long enough",
            asks("build it"),
            bash("make", limit=600, times_out=True),
            says("The build was cut off after ten minutes."),
        ),
    )

    least_s: float = 60.0
    """A limit of this many seconds or more is long enough."""

    def check(self, graph: SessionGraph) -> Iterator[Finding]:
        """One finding for each call that was cut off too soon."""
        for called in graph.span().all(cut_off):
            if not isinstance(called, Called) or called.cut_off is None:
                continue
            limit = called.cut_off.limit_ms
            # Without a limit in the log there is nothing to compare.
            if limit is not None and limit < self.least_s * 1000:
                yield self.finding(
                    called,
                    f"Cut off after {{limit / 1000:g}} s",
                    because=[(called, "the limit that ended it", called.cut_off.quote)],
                    facts={{"limit_ms": limit}},
                )
'''


@click.command("new")
@click.argument("slug", metavar="NAME")
@click.option(
    "--dir",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path(),
    help="Folder to write the file into; made when it is not there. The current one by default.",
)
def new_rule(slug: str, folder: Path) -> None:
    """Start a rule from a skeleton that works.

    NAME names the fault and reads after "saw", such as deploy-without-check. The skeleton passes its own
    examples; change them first, then the check.

    \b
        sessionlens rules new deploy-without-check --dir my-rules
        sessionlens rules test deploy-without-check --rules my-rules
    """
    from sessionlens.cli.codes import Misused, advise

    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", slug):
        raise Misused(
            f"{slug!r} is no name for a rule: lower-case words with hyphens, such as deploy-without-check"
        )
    file = folder / f"{slug.replace('-', '_')}.py"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with file.open("x", encoding="utf-8") as out:
            out.write(
                _SKELETON.format(slug=slug, name="".join(word.capitalize() for word in slug.split("-")))
            )
    except FileExistsError:
        raise Misused(f"{file.as_posix()} is already there") from None
    except OSError as error:
        raise Misused(f"{file.as_posix()} cannot be written: {error.strerror}") from None
    click.echo(file.as_posix())
    advise(f"try it: sessionlens rules test {slug} --rules {folder.as_posix()}")
