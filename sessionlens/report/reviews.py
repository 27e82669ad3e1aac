"""Verdicts of a person on findings: the file ``review.json`` that a page saves and ``audit --review`` reads back.

.. code-block:: json

    { "schema": "sessionlens.review/1", "session": "ses_…",
      "verdicts": [ { "fingerprint": "…", "rule": "…", "verdict": "confirm", "note": "…" } ] }

A fingerprint is stable when messages are appended later, so a review outlives the log it was made on.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Literal

import msgspec

Schema = Literal["sessionlens.review/1"]
SCHEMA: Schema = "sessionlens.review/1"
MOST_BYTES = 50_000_000
"""A larger file is no review."""

Verdict = Literal["confirm", "dismiss", "correct"]
"""Confirm: it is so. Dismiss: it is not, or does not matter. Correct: something is, but not as the finding says;
the note says what."""

DONE: dict[Verdict, str] = {"confirm": "confirmed", "dismiss": "dismissed", "correct": "corrected"}
"""What became of a finding."""


class Review(msgspec.Struct, frozen=True, kw_only=True):
    """What a person says about one finding."""

    fingerprint: str
    """Of the finding."""
    verdict: Verdict
    """What it is."""
    rule: str = ""
    """Slug of the rule, for who reads the file."""
    note: str = ""
    """In the person's words."""


class Reviews(msgspec.Struct, frozen=True, kw_only=True):
    """One review file."""

    schema: Schema
    """The version of this form."""
    session: str
    """Id of the session that was reviewed."""
    verdicts: tuple[Review, ...] = ()
    """At most one a finding, in the order of the page."""


class ReviewError(ValueError):
    """A file that is no review; says why in one line, without the folder it stands in."""


def read(path: Path) -> Reviews:
    """The review in a file.

    :raises ReviewError: when there is none, or it has another form.
    """
    try:
        if path.stat().st_size > MOST_BYTES:
            raise ReviewError(f"{path.name}: too large for a review")
        return decode(path.read_bytes(), path.name)
    except OSError as error:
        raise ReviewError(f"{path.name}: {error.strerror or error}") from None


def decode(data: bytes, name: str = "review.json") -> Reviews:
    """The review in bytes.

    :raises ReviewError: when they have another form.
    """
    try:
        return msgspec.json.decode(data, type=Reviews)
    except msgspec.DecodeError as error:
        raise ReviewError(f"{name}: no {SCHEMA}: {error}") from None


def encode(reviews: Reviews) -> bytes:
    """The file for a review."""
    return msgspec.json.format(msgspec.json.encode(reviews), indent=2) + b"\n"


def by_finding(many: Iterable[Reviews], session: str) -> dict[str, Review]:
    """What was said of each finding of a session, by fingerprint; of several reviews the last one counts."""
    return {one.fingerprint: one for each in many if each.session == session for one in each.verdicts}
