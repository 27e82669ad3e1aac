"""``review.json``: what a page saves is read back; anything else is refused in one line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sessionlens.report import reviews
from sessionlens.report.reviews import Review, ReviewError, Reviews


def made(session: str = "ses_1", **verdicts: str) -> Reviews:
    return Reviews(
        schema=reviews.SCHEMA,
        session=session,
        verdicts=tuple(Review(fingerprint=name, verdict=verdict) for name, verdict in verdicts.items()),
    )


def test_what_a_page_saves_is_read(tmp_path: Path) -> None:
    file = tmp_path / "review.json"
    verdict = {"fingerprint": "f1", "rule": "a-rule", "verdict": "correct", "note": "the other host"}
    file.write_text(json.dumps({"schema": "sessionlens.review/1", "session": "ses_1", "verdicts": [verdict]}))
    read = reviews.read(file)
    assert read.session == "ses_1"
    assert read.verdicts == (
        Review(fingerprint="f1", rule="a-rule", verdict="correct", note="the other host"),
    )
    assert reviews.decode(reviews.encode(read)) == read


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"session": "a", "verdicts": []}',
        '{"schema": "sessionlens.review/2", "session": "a", "verdicts": []}',
        '{"schema": "sessionlens.review/1", "session": "a", "verdicts": [{"fingerprint": "f", "verdict": "maybe"}]}',
        '{"schema": "sessionlens.review/1", "session": "a", "verdicts": [{"verdict": "confirm"}]}',
    ],
)
def test_another_form_is_refused_without_its_folder(tmp_path: Path, text: str) -> None:
    file = tmp_path / "mine.json"
    file.write_text(text)
    with pytest.raises(ReviewError) as refused:
        reviews.read(file)
    assert str(refused.value).startswith("mine.json: ")
    assert str(tmp_path) not in str(refused.value)


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(ReviewError, match=r"gone\.json"):
        reviews.read(tmp_path / "gone.json")


def test_the_last_review_of_a_session_counts() -> None:
    many = [made(f1="confirm", f2="dismiss"), made("ses_2", f1="dismiss"), made(f1="correct")]
    found = reviews.by_finding(many, "ses_1")
    assert {name: one.verdict for name, one in found.items()} == {"f1": "correct", "f2": "dismiss"}
