"""Numbers, times and names as people say them."""

from __future__ import annotations

import pytest

from sessionlens.narrative import words
from sessionlens.shell.command import Command
from sessionlens.targets import Target


@pytest.mark.parametrize(
    ("milliseconds", "worded"),
    [
        (0, "0 ms"),
        (850, "850 ms"),
        (1000, "1 s"),
        (4700, "4.7 s"),
        (15_000, "15 s"),
        (59_600, "1 min"),
        (634_000, "10 min 34 s"),
        (600_000, "10 min"),
        (7_380_000, "2 h 3 min"),
        (3_600_000, "1 h"),
        (86_400_000, "1 day"),
        (273_600_000, "3 days 4 h"),
        (-5, "0 s"),
    ],
)
def test_duration(milliseconds: int, worded: str) -> None:
    assert words.duration(milliseconds) == worded


@pytest.mark.parametrize(
    ("count", "worded"),
    [(0, "no messages"), (1, "one message"), (2, "two messages"), (12, "twelve messages"), (13, "13 messages"),
     (50_000, "50,000 messages")],
)  # fmt: skip
def test_counted(count: int, worded: str) -> None:
    assert words.counted(count, "message") == worded


def test_listing() -> None:
    assert [words.listing("abc"[:n]) for n in range(4)] == ["", "a", "a and b", "a, b and c"]


def test_moment_and_distance() -> None:
    assert words.moment(1_770_818_590_120) == "2026-02-11 14:03:10 UTC"
    assert (
        words.since(1_770_818_650_120, 1_770_818_590_120) == "2026-02-11 14:04:10 UTC, 1 min into the session"
    )
    assert words.since(None, 5) == ""
    assert words.moment(10**18).endswith("ms since 1970")


def test_names_as_the_command_wrote_them() -> None:
    target = Target(kind="service", name="vllm", host="gpu7")
    unit = Command(words=("systemctl", "restart", "vllm.service"), target=target)
    bare = Command(words=("systemctl", "restart", "vllm"), target=target)
    assert words.target_of(target, unit) == "`vllm.service` on `gpu7`"
    assert words.target_of(target, bare) == "`vllm` on `gpu7`"


def test_a_host_is_named_once() -> None:
    assert words.target_of(Target(kind="host", name="gpu7", host="gpu7")) == "`gpu7`"


def test_excerpt_is_an_exact_piece() -> None:
    text = "  first line of many words\nsecond line " + "x" * 300
    piece, cut = words.excerpt(text, 60)
    assert piece in text
    assert len(piece) <= 60
    assert cut == (False, True)
    assert words.excerpt(" short ") == ("short", (False, False))


def test_first_sentence() -> None:
    assert words.first_sentence("It is up. More follows.") == ("It is up.", (False, True))
    assert (
        words.first_sentence("Good. Now restart the router. Then wait.")[0] == "Good. Now restart the router."
    )
    assert words.first_sentence("Done.") == ("Done.", (False, False))
    assert words.first_sentence("版本 1.2 已部署。请检查。")[0] == "版本 1.2 已部署。"
    assert words.first_sentence("only this") == ("only this", (False, False))


def test_code_cannot_be_broken_out_of() -> None:
    assert words.code("a`b\nc") == "`aˋb c`"


def test_a_time_has_its_date_only_where_it_is_another_day() -> None:
    start = 1_770_818_590_000
    assert words.from_when(start + 1000, start) == " (from 14:03:11 UTC)"
    assert words.from_when(start + 86_400_000, start) == " (from 2026-02-12 14:03:10 UTC)"
    assert words.from_when(start, None) == " (from 2026-02-11 14:03:10 UTC)"
    assert words.from_when(None, start) == ""


def test_a_full_stop_goes_and_the_dots_of_a_name_stay() -> None:
    assert [words.unstopped(text) for text in ("Done.", "go build ./...", "wait…")] == [
        "Done", "go build ./...", "wait…",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("win1 was stopped", "win1 was stopped."),
        ("db-main.example.org was stopped", "db-main.example.org was stopped."),
        ("shutdown /r was run", "shutdown /r was run."),
        ("the host was stopped", "The host was stopped."),
        ("edit /etc/hosts was made", "Edit /etc/hosts was made."),
        ("3 hosts were stopped", "3 hosts were stopped."),
    ],
)
def test_names_at_the_start_of_a_sentence_keep_their_letters(text: str, said: str) -> None:
    assert words.sentence(text) == said


def test_a_name_that_is_a_word_keeps_its_letters_where_it_is_known_as_one() -> None:
    assert words.sentence("gateway was stopped", kept=True) == "gateway was stopped."
