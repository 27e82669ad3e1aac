"""Writes the pages of rules: one for ``rules show``, all of them as ``rules/README.md``.

python -m sessionlens.catalogue rules/README.md
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from sessionlens.rule import Rule, options, page


def entry(rule: type[Rule], level: int = 2) -> str:
    """The page of one rule in Markdown, under a heading of that level."""
    documented = page(rule)
    marks = "#" * level
    lines = [f"{marks} {rule.slug}", "", documented.summary, ""]
    lines += [f"{rule.kind}, {rule.severity} where nothing else is said, since {rule.since}", ""]
    if rule.after:
        lines += [f"Follows up on {', '.join(rule.after)}.", ""]
    for heading, text in documented.sections.items():
        lines += [f"{marks}# {heading}", "", text, ""]
    own = options(rule)
    if own:
        lines += [f"{marks}# Options", "", "| option | type | default | meaning |", "|---|---|---|---|"]
        lines += [f"| `{o.name}` | {_cell(o.type)} | `{o.default!r}` | {_cell(o.meaning)} |" for o in own]
        lines.append("")
    for title, flagged in (("Flagged", True), ("Clean", False)):
        some = [example.title for example in rule.examples if bool(example.flags(rule.slug)) is flagged]
        lines += [f"{marks}# {title} in its examples", "", *(f"- {name}" for name in some), ""]
    return "\n".join(lines)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def catalogue(rules: Mapping[str, type[Rule]] | Iterable[type[Rule]]) -> str:
    """The whole of ``rules/README.md``."""
    listed = list(rules.values()) if isinstance(rules, Mapping) else list(rules)
    lines = [
        "# Rules",
        "",
        "<!-- Generated from the rules by `make catalogue`; edit the docstrings instead. -->",
        "",
        "One rule a file. Its docstring is its page below, its fields are its options, its examples are its tests.",
        "",
        "| rule | kind | severity | since | flags |",
        "|---|---|---|---|---|",
        *(
            f"| [{rule.slug}](#{rule.slug}) | {rule.kind} | {rule.severity} | {rule.since} | {_cell(page(rule).summary)} |"
            for rule in listed
        ),
        "",
        *(entry(rule) for rule in listed),
    ]
    return "\n".join(lines).rstrip("\n") + "\n"


def shipped() -> dict[str, type[Rule]]:
    """The rules of this project alone, whatever else is installed."""
    from sessionlens import loader

    return {
        slug: rule
        for slug, rule in loader.classes().items()
        if rule.__module__.startswith("sessionlens.rules.")
    }


def schema() -> bytes:
    """The JSON Schema of the audit as a file, as ``audit --schema`` prints it."""
    from sessionlens.report import json

    return json.encode(json.schema())


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(catalogue(shipped()), encoding="utf-8")
    Path(sys.argv[2]).write_bytes(schema())
