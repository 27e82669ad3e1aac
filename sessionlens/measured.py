"""The measured figures of the shipped rules, as ``measured.toml`` beside this file holds them.

``make measure-rules`` writes the file; a checksum at its end tells figures that were written by hand.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

import msgspec

from sessionlens.measure import Measured, Share

FILE = Path(__file__).with_name("measured.toml")
_HEAD = "# Written by `make measure-rules`. Do not edit: a test holds the figures against the checksum at the end.\n"


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """What was measured of one rule on one set of sessions."""

    rule: str
    """Slug of the rule."""
    on: str
    """What it was measured on."""
    sessions: int
    """Sessions with a label for it."""
    labels: int
    """Places where it must find something."""
    hits: int
    """Places of those where it did."""
    clean: int
    """Sessions in which it must find nothing."""
    alarmed: int
    """Sessions of those in which it did."""
    precision: str
    """Of what it found, how much is so, with the 95 % interval."""
    recall: str
    """Of what is so, how much it found, with the interval."""
    false_alarms: str
    """Of the clean sessions, how many it found something in, with the interval."""


class Edited(ValueError):
    """The file was not written by ``make measure-rules``, or changed afterwards."""


def row(on: str, one: Measured) -> Row:
    """The row of one measure."""
    return Row(
        rule=one.rule,
        on=on,
        sessions=one.sessions,
        labels=one.labels,
        hits=one.hits,
        clean=one.clean,
        alarmed=one.alarmed,
        precision=_share(one.precision),
        recall=_share(one.recall),
        false_alarms=_share(one.false_alarm_rate),
    )


def _share(share: Share) -> str:
    return "-" if share.value is None else f"{share.value:.2f} [{share.low:.2f}, {share.high:.2f}]"


def write(rows: Iterable[Row]) -> str:
    """The file that holds these rows, by rule."""
    pieces = [_HEAD]
    for one in sorted(rows, key=lambda row: (row.rule, row.on)):
        pieces.append("\n[[measured]]\n")
        for name in Row.__struct_fields__:
            value = getattr(one, name)
            pieces.append(f"{name} = {value}\n" if isinstance(value, int) else f'{name} = "{value}"\n')
    text = "".join(pieces)
    return f'{text}\n[checksum]\nsha256 = "{_checksum(text)}"\n'


def _checksum(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def read(text: str) -> tuple[Row, ...]:
    """The rows of a file.

    :raises Edited: where the checksum does not fit.
    """
    body, mark, _ = text.rpartition("\n[checksum]\n")
    table = tomllib.loads(text)
    if not mark or table["checksum"]["sha256"] != _checksum(body):
        raise Edited("measured.toml was changed by hand; make measure-rules writes it")
    return tuple(msgspec.convert(one, Row) for one in table.get("measured", ()))


@lru_cache(maxsize=1)
def shipped() -> tuple[Row, ...]:
    """The rows that this version ships with."""
    return read(FILE.read_text(encoding="utf-8"))
