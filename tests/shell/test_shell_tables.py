"""Every row of the tables can be used: patterns compile, fields and filters of templates exist."""

from __future__ import annotations

import re

import pytest

from sessionlens.shell import effects, unwrap
from sessionlens.shell.effects import Case, Program

TABLES = effects.tables()
PROGRAMS: list[Program] = list({id(c.program): c.program for c in TABLES.programs.values()}.values())
_TEMPLATES = ("name", "host", "context", "namespace")


def _templates(row: Case | Program) -> list[str]:
    found: list[str] = []
    for field in _TEMPLATES:
        value = getattr(row, field)
        found.extend([value] if isinstance(value, str) else value)
    found.extend(also.partition("=")[2] for also in row.also)
    if isinstance(row, Case):
        found += [row.text, row.writes]
    return [t for t in found if t]


@pytest.mark.parametrize("program", PROGRAMS, ids=[p.names[0] for p in PROGRAMS])
def test_rows_are_usable(program: Program) -> None:
    for row in (program, *program.cases):
        for template in _templates(row):
            for _, alternatives in effects._compile(template):
                for source, _ in alternatives:
                    known = (
                        source.lstrip("-").isdigit()
                        or source[:1] in {"-", "$"}
                        or source.endswith("=")
                        or source in effects._SPECIALS
                    )
                    assert known, f"{program.names[0]}: {{{source}}} means nothing"
        for also in row.also:
            kind = also.partition("=")[0]
            assert kind in {
                "network",
                "process",
                "file",
                "localfile",
                "container",
                "k8s",
                "service",
                "compose",
                "package",
                "cloud",
                "host",
            }
    for case in program.cases:
        for pattern in (case.match, case.lacks_match, case.first, case.any, case.source):
            re.compile(pattern)
        if case.text_as and case.text_as != "task":
            assert case.text_as in TABLES.languages
        # A plan of what would be done is a look as well: a clean one shows that nothing is left to do.
        assert case.strength is None or case.effect in {"check", "read"} or case.dry


def test_checks_have_a_strength() -> None:
    for program in PROGRAMS:
        for case in program.cases:
            if case.effect == "check":
                assert case.strength is not None, f"{program.names[0]}: {case}"


def test_languages_are_usable() -> None:
    for language in TABLES.languages.values():
        for statement in language.statements:
            re.compile(statement.match)
            groups = re.compile(statement.match).groupindex
            for field in re.findall(r"\{(\w+)\}", statement.name):
                assert field in groups


def test_a_name_stands_in_one_table_only(tmp_path: object) -> None:
    names = [name for program in PROGRAMS for name in program.names]
    assert len(names) == len(set(names))


def test_wrappers_name_known_ways() -> None:
    for rows in unwrap._rows().values():
        for row in rows:
            assert row.wrapper.then in {"words", "shell", "option", "none", "keys", "exec", "dashdash", "sub"}
