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
        Example(
            "fill in: the scene that {slug} is about",
            asks("fill in"),
            bash("fill-in", flag=SLUG),
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

_DECLARATIVE = """\
# Every key is in docs/declarative-rules.md, every word of the expressions in docs/queries.md.
slug = "{slug}"
severity = "low"
since = "0.1"
title = "{{tool}} was cut off by a limit under {{least_s}} s"
summary = "A command was cut off by a limit shorter than it should have had."
what_it_flags = "A call that a time limit ended, where the limit was shorter than `least_s` seconds."
why_it_matters = "Say what goes wrong for whom when nobody notices."
what_to_do = "Say what somebody who reads the finding can do about it."
needs = ["time_outs"]

find = "cut_off & limited(most_s=least_s)"
when = []
unless = ["after(it).until(human).any(same_call(it) & ~cut_off)"]

[options.least_s]
default = 60
meaning = "A limit of more seconds than this is long enough."

[[examples]]
title = "ten seconds for a build"
steps = [
    {{asks = "build it"}},
    {{bash = "make", limit = 10, times_out = true, flag = true}},
    {{says = "The build was cut off after ten seconds."}},
]

[[examples]]
title = "a build that had long enough"
steps = [
    {{asks = "build it"}},
    {{bash = "make", limit = 600, times_out = true}},
    {{says = "The build was cut off after ten minutes."}},
]

[[examples]]
title = "fill in: the scene that {slug} is about"
steps = [
    {{asks = "fill in"}},
    {{bash = "fill-in", flag = true}},
]
"""


@click.command("new")
@click.argument("slug", metavar="NAME")
@click.option(
    "--dir",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path(),
    help="Folder to write the file into; made when it is not there. The current one by default.",
)
@click.option("--declarative", is_flag=True, help="Write a table in TOML instead of Python.")
def new_rule(slug: str, folder: Path, declarative: bool) -> None:
    """Start a rule from a skeleton.

    NAME names the fault and reads after "saw", such as deploy-without-check. Its last example fails until you fill
    it in with the scene that your rule is about; the others show how. Then change the check until all of them pass.
    With --declarative it is a table without code, for simple rules.

    \b
        sessionlens rules new deploy-without-check --dir my-rules
        sessionlens rules new --declarative long-silence --dir my-rules
        sessionlens rules test deploy-without-check --rules my-rules
    """
    from sessionlens.cli.codes import Misused, advise
    from sessionlens.cli.rules import known

    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", slug):
        raise Misused(
            f"{slug!r} is no name for a rule: lower-case words with hyphens, such as deploy-without-check"
        )
    if slug in known(()):
        raise Misused(
            f"there is a rule {slug} already, see: sessionlens rules show {slug}; choose another name"
        )
    suffix, skeleton = (".rule.toml", _DECLARATIVE) if declarative else (".py", _SKELETON)
    file = folder / f"{slug.replace('-', '_')}{suffix}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with file.open("x", encoding="utf-8") as out:
            out.write(skeleton.format(slug=slug, name="".join(word.capitalize() for word in slug.split("-"))))
    except FileExistsError:
        raise Misused(f"{file.as_posix()} is already there") from None
    except OSError as error:
        raise Misused(f"{file.as_posix()} cannot be written: {error.strerror}") from None
    click.echo(file.as_posix())
    advise(f"try it: sessionlens rules test {slug} --rules {folder.as_posix()}")
