"""The tables of outcomes and daemons: that each row can be used, and that none contradicts another."""

from __future__ import annotations

import tomllib
from importlib.resources import files

import pytest

from sessionlens.shell.result import outcome_table, row_of, shapes

OUTCOMES = tomllib.loads(files("sessionlens.shell").joinpath("outcomes.toml").read_text("utf-8"))
DAEMONS = tomllib.loads(files("sessionlens.shell").joinpath("daemons.toml").read_text("utf-8"))
KINDS = ("completed", "failed", "nothing", "idle", "good", "bad", "unclear", "progress")
LISTS = [patterns for row in OUTCOMES["rule"] for kind, patterns in row.items() if kind in KINDS]
LISTS += list(OUTCOMES["common"].values())


def test_every_pattern_compiles_and_matches_no_empty_text() -> None:
    assert outcome_table()
    for patterns in LISTS:
        for shape in shapes(tuple(patterns)):
            assert shape.pattern.search("") is None, shape.pattern.pattern


@pytest.mark.parametrize(
    ("words", "sample"),
    [
        ("systemctl is-active x", "active"), ("docker compose up -d", "Container a  Started"),
        ("npx prisma migrate deploy", "migrations have been successfully applied."),
        ("python manage.py migrate", "Applying a.0001... OK"), ("/usr/sbin/nginx -t", "test is successful"),
        ("kubectl -n shop rollout status deploy/a", "successfully rolled out"),
    ],
)  # fmt: skip
def test_the_closest_row_is_found(words: str, sample: str) -> None:
    row = row_of(tuple(words.split()))
    assert row is not None
    assert any(shape.pattern.search(sample) for shape in shapes((*row.completed, *row.good)))


def test_a_piece_that_a_pattern_needs_is_in_each_of_its_matches() -> None:
    samples = ["Permission denied", "nginx: configuration file test is successful", "STATUS: deployed",
               "Active: active (running)", "Job for a.service failed", "error: timed out waiting", "UPDATE 3",
               "curl: (7) Failed to connect", "HTTP/1.1 502 Bad Gateway", "command not found", "Traceback (most recent call last)"]  # fmt: skip
    for patterns in LISTS:
        for shape in shapes(tuple(patterns)):
            for sample in samples:
                found = shape.pattern.search(sample)
                assert found is None or shape.may_match(sample.lower()), shape


@pytest.mark.parametrize(
    ("pattern", "pieces"),
    [
        ("is not known", ("is not known",)), (r"\bfatal\b|Panic:", ("fatal", "panic:")),
        (r"\b(?:error|ERR)\b\s*[:\]]", ("error", "err")), ("colou?r scheme", ("r scheme",)), ("x(?:ab)?", ("x",)),
        ("(?:ab){0,2}c", ("c",)), ("(?:abc)+d", ("abc",)), ("a{2}bc", ("bc",)), (r"[\]x)]\d+", ("",)), ("a|", ("",)),
        ("(?!never)[ab]c", ("c",)), (r"(?i:up \(healthy\))", ("up (healthy)",)), ("(?:long|)(?P<n>er)", ("er",)),
        (r"(?:a(?:bcd|efg) |hi)j", ("bcd", "efg", "hi")),
    ],
)  # fmt: skip
def test_the_pieces_that_a_pattern_needs(pattern: str, pieces: tuple[str, ...]) -> None:
    (shape,) = shapes((pattern,))
    assert shape.pieces == pieces


def test_no_two_daemons_have_one_name() -> None:
    names = [name for entry in DAEMONS.values() for name in entry.get("names", ())]
    assert len(names) == len(set(names))
    assert all(name == name.lower() for name in names)
    programs = [program for entry in DAEMONS.values() for program in entry.get("programs", ())]
    assert len(programs) == len(set(programs))
