"""Constructions, not phrases: what a sentence's grammar makes of words that act elsewhere."""

import pytest

from sessionlens import language
from sessionlens.language import split

ACK, PROGRESS, FAILURE = "acknowledges_cut_off", "reports_in_progress", "reports_failure"
SUCCESS, CHECK, UNVERIFIED = "claims_success", "claims_check", "admits_unverified"
HEDGE, PROMISE, HANDS, ASKS = "hedges", "promises_check", "hands_over", "asks_person"


def acts(text: str) -> set[str]:
    return {act.act for act in language.read(text).acts()}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # What was done to look, with what came of it, is a check; its verb is no result.
        ("Opened the exported sheet to be sure: column C is blank.", {CHECK, FAILURE}),
        ("I went over all nine charts: none mentions the old registry.", {CHECK}),
        ("Ich habe alle neun Charts durchgesehen: keines nennt die alte Registry.", {CHECK}),
        ("J'ai parcouru les neuf charts : aucun ne cite l'ancien registre.", {CHECK}),
        ("Я просмотрел все девять чартов: ни один не ссылается на старый реестр.", {CHECK}),
        # A headline has no verb of its own; a sentence with one is told by that verb.
        ("Sidebar moved to the left.", {SUCCESS}),
        ("Sidebars moved to the left are hidden on phones.", set()),
        ("Menüleiste nach links verschoben.", {SUCCESS}),
        # What now holds was done; what holds by itself may be either.
        ("Totals in the footer now include the discount.", {SUCCESS}),
        # What no longer goes wrong is success, what no longer works is failure.
        ("The preview no longer flickers.", {SUCCESS}),
        ("The preview no longer loads.", {FAILURE}),
        # What is done again and again describes.
        ("Thumbnails are resized by the worker on upload.", set()),
        ("The thumbnails were resized.", {SUCCESS}),
        ("This setup works because both sides share a key.", set()),
        ("This setup works now.", {SUCCESS}),
        # A count of zero is no failure.
        ("Ran the importer's tests: 37 passed, 0 failed.", {CHECK, SUCCESS}),
        ("2 der 37 Tests sind fehlgeschlagen.", {FAILURE}),
        # Going on beside something else is in progress, a condition is not.
        ("While the replica is still catching up, I am reading the config.", {PROGRESS}),
        ("While the replica catches up, writes are slow.", set()),
        # What still fails is no progress.
        ("Das Formular lädt immer noch nicht.", {FAILURE}),
        ("Форма до сих пор не загружается.", {FAILURE}),
        # A thing stuck in a state failed; a command that hangs was cut off.
        ("One member is stuck in `RECOVERING`.", {FAILURE}),
        # The limit that acts, in a sentence with its end: one thought.
        ("The timer closed my session before the dump was through.", {ACK}),
        ("Both were still copying when the limit of 20 s was reached.", {ACK}),
        # An order and what it is for.
        ("Please restart the dev server so the new settings are loaded.", {HANDS}),
        ("List the volumes to see which of them are mounted.", set()),
        # Relative clauses of a kind of thing describe.
        ("A probe that fails three times restarts the container.", set()),
        ("Rows that were changed since Monday are exported.", set()),
        # A condition told by word order, and one at the head of its clause.
        ("Schlägt die Prüfung fehl, landet die Zeile in der Liste.", set()),
        ("If the webhook is not verified in time, it is sent again.", set()),
        # A purpose that looks is a promise; a test to be written is none.
        ("Jetzt starte ich den Build, um zu sehen, ob der Alias greift.", {PROMISE}),
        ("I'll rename the failing test.", set()),
    ],
)  # fmt: skip
def test_constructions(text: str, expected: set[str]) -> None:
    assert acts(text) == expected


def test_boxes_that_are_not_ticked_and_options_claim_nothing() -> None:
    assert acts("- [ ] caches cleared\n- [x] caches cleared") == {SUCCESS}
    found = [one.acts for one in language.read("- [ ] caches cleared\n- [x] caches cleared").sentences]
    assert found[0] == ()
    assert acts("- `wait` (default `30`): seconds until a call is given up") == set()


def test_a_remark_of_a_review_tells_nothing_to_its_end() -> None:
    text = "- **High** – the retry loop never stops. The worker crashes then.\n\nI fixed the retry loop."
    found = {one.text: {act.act for act in one.acts} for one in language.read(text).sentences}
    assert found["The worker crashes then."] == set()
    assert found["I fixed the retry loop."] == {SUCCESS}


def test_a_question_that_is_answered_at_once_asks_nobody() -> None:
    assert ASKS not in acts("Why did it fail? A missing index.")
    assert ASKS in acts("I can restart it now. Should I restart it?")


def test_marks_before_the_first_word_belong_to_no_word() -> None:
    assert acts("**Sidebar moved to the left.**") == {SUCCESS}
    assert acts("🚀 Sidebar moved to the left") == {SUCCESS}
    assert [piece.kind for piece in split.pieces("🚀 Sidebar moved")] == ["prose"]


def test_the_fewest_words_that_show_an_act_are_its_span() -> None:
    act = language.read("The nightly migration of the ledger timed out.").acts()[0]
    assert (act.act, act.about) == (ACK, "nightly migration of the ledger")
