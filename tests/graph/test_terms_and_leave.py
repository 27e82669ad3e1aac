"""What ends a ban and what it leaves free, a language: terms, leave, provisos, and bans as people write them."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from sessionlens.examples import Example, Step, asks, bash, says
from sessionlens.graph.session_graph import SessionGraph
from sessionlens.graph.violations import Violation
from sessionlens.language import lexicon

SAID: dict[str, dict[str, list[str]]] = tomllib.loads(
    Path(__file__).with_name("terms_and_leave.toml").read_text("utf-8")
)
RESTARTS = bash("ssh root@web1 'systemctl restart nginx && systemctl is-active nginx'", output="active")
ANOTHER = bash("ssh root@web1 'systemctl restart redis && systemctl is-active redis'", output="active")
STOPS = bash("ssh root@web1 'systemctl stop nginx'", output="")
EDITS = bash(
    "ssh root@web1 \"sed -i 's/5/60/' /etc/nginx/nginx.conf && nginx -t\"", output="test is successful"
)
IS_UP = bash("ssh root@web1 systemctl is-active nginx", output="active")
IS_DOWN = bash("ssh root@web1 systemctl is-active nginx", exit=3, output="inactive")


def _broken(*steps: Step) -> list[Violation]:
    session, _ = Example("bans", *steps).build()
    return list(SessionGraph(session).violations)


def _each(*kinds: str) -> Iterator[tuple[str, str]]:
    for language, said in SAID.items():
        for kind in kinds:
            yield from ((language, sentence) for sentence in said[kind])


def _answered(ban: str, *answers: str) -> Iterator[tuple[str, str, str]]:
    for language, said in SAID.items():
        for sentence in said[ban]:
            yield from ((language, sentence, one) for kind in answers for one in said[kind])


def test_every_language_of_the_lexicon_is_here() -> None:
    assert set(SAID) == {code for code in lexicon.codes() if lexicon.load(code).table("bans")}


@pytest.mark.parametrize(
    ("language", "ban"), list(_each("until", "word", "nothing", "alone", "unwanted", "ask"))
)
def test_a_restart_breaks_it(language: str, ban: str) -> None:
    assert _broken(asks(ban), RESTARTS)


@pytest.mark.parametrize(("language", "ban"), list(_each("alone", "unwanted")))
def test_a_restart_of_something_else_does_not(language: str, ban: str) -> None:
    assert not _broken(asks(ban), ANOTHER)


@pytest.mark.parametrize(("language", "ban", "answer"), list(_answered("until", "over")))
def test_its_term_is_over(language: str, ban: str, answer: str) -> None:
    assert not _broken(asks(ban), says("OK."), asks(answer), RESTARTS)


@pytest.mark.parametrize(("language", "ban", "answer"), list(_answered("until", "open")))
def test_its_term_is_not_over(language: str, ban: str, answer: str) -> None:
    assert _broken(asks(ban), says("OK."), asks(answer), RESTARTS)


@pytest.mark.parametrize(("language", "ban", "answer"), list(_answered("word", "leave")))
def test_leave_is_given(language: str, ban: str, answer: str) -> None:
    assert not _broken(asks(ban), says("OK."), asks(answer), RESTARTS)


@pytest.mark.parametrize(("language", "ban", "answer"), list(_answered("word", "held")))
def test_no_leave_is_given(language: str, ban: str, answer: str) -> None:
    assert _broken(asks(ban), says("OK."), asks(answer), RESTARTS)


@pytest.mark.parametrize(("language", "ban"), list(_each("ask", "word", "alone")))
def test_a_yes_to_the_question_is_leave(language: str, ban: str) -> None:
    question, yes = SAID[language]["offer"]
    assert not _broken(asks(ban), says(question), asks(yes), RESTARTS)


@pytest.mark.parametrize(("language", "ban"), list(_each("look")))
def test_only_looking_is_allowed(language: str, ban: str) -> None:
    assert _broken(asks(ban), EDITS)
    assert not _broken(asks(ban), IS_UP)


@pytest.mark.parametrize(("language", "ban"), list(_each("once")))
def test_the_second_time_is_forbidden(language: str, ban: str) -> None:
    assert not _broken(asks(ban), RESTARTS)
    assert len(_broken(asks(ban), RESTARTS, RESTARTS)) == 1


@pytest.mark.parametrize(("language", "ban"), list(_each("unless")))
def test_allowed_once_it_is_down(language: str, ban: str) -> None:
    assert not _broken(asks(ban), IS_DOWN, RESTARTS)
    assert not _broken(asks(ban), RESTARTS), "nobody looked: the log does not show it"
    (found,) = _broken(asks(ban), IS_UP, RESTARTS)
    assert found.confidence == "medium"


@pytest.mark.parametrize(("language", "ban"), list(_each("stop")))
def test_a_stop_breaks_it(language: str, ban: str) -> None:
    assert _broken(asks(ban), STOPS)
    assert not _broken(asks(ban), ANOTHER)


@pytest.mark.parametrize(("language", "said"), list(_each("free")))
def test_it_forbids_nothing(language: str, said: str) -> None:
    assert not _broken(asks(said), RESTARTS)
