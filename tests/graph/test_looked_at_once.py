"""Questions about a long turn or a long session go through it once, not once for each answer, call or deletion."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from sessionlens.examples import Example, asks, bash, says
from sessionlens.graph import answers, claims, figures, verification
from sessionlens.graph import gone as gone_things
from sessionlens.graph.session_graph import SessionGraph

MANY = 120


def graph_of(*steps: Any) -> SessionGraph:
    session, _ = Example("x", *steps).build()
    return SessionGraph(session)


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Callable[[Any, str], Counter[str]]:
    def count(module: Any, name: str) -> Counter[str]:
        calls: Counter[str] = Counter()
        plain = getattr(module, name)

        def counting(*given: Any, **named: Any) -> Any:
            calls[name] += 1
            return plain(*given, **named)

        monkeypatch.setattr(module, name, counting)
        return calls

    return count


def test_readings_of_a_measure(counted: Callable[[Any, str], Counter[str]]) -> None:
    looks = (bash(f"wc -l /srv/q{number}", output=str(number)) for number in range(MANY))
    graph = graph_of(asks("look at the queues"), *looks, says("The queue is draining."))
    calls = counted(figures, "_asked")
    assert list(claims.claims(graph)) == []
    assert 0 < calls["_asked"] <= MANY


def test_readings_are_left_alone_where_nothing_is_said_of_them(
    counted: Callable[[Any, str], Counter[str]],
) -> None:
    looks = (bash("wc -l /srv/q", output=str(number)) for number in range(5))
    calls = counted(figures, "_readings")
    list(claims.claims(graph_of(asks("look at the queue"), *looks, says("That is the queue."))))
    assert calls["_readings"] == 0


def test_news_of_the_person(counted: Callable[[Any, str], Counter[str]]) -> None:
    open_ones = (
        bash(f"ssh root@h{n} 'systemctl restart billing-{n}'", limit=15, times_out=True) for n in range(4)
    )
    talk = (
        step
        for number in range(MANY)
        for step in (
            asks(f"is billing-{number % 4} up?"),
            says(f"Yes, billing-{number % 4} is up and running."),
        )
    )
    graph = graph_of(asks("restart them"), *open_ones, *talk)
    calls = counted(answers, "_brings_news")
    assert len(list(claims.claims(graph))) >= MANY
    assert calls["_brings_news"] == MANY + 1


def test_lists_after_deletions(counted: Callable[[Any, str], Counter[str]]) -> None:
    gone = (bash(f"ssh prod-db1 'rm -rf /srv/d/{number}x'") for number in range(MANY))
    lists = (bash(f"ssh prod-db1 'ls /srv/e{number}'", output=f"x{number}") for number in range(MANY))
    here = bash("ssh prod-db1 'ls /srv/d'", output="kept")
    calls = counted(gone_things, "_listed_as")
    graph = graph_of(asks("clean up"), *gone, *lists, here, here, says("Done."))
    assert list(verification.unchecked_edits(graph)) == []
    assert calls["_listed_as"] == MANY


def test_lists_that_still_show_what_was_deleted(counted: Callable[[Any, str], Counter[str]]) -> None:
    gone = (bash(f"ssh prod-db1 'rm -rf /srv/d/{number}x'") for number in range(MANY))
    lists = (bash("ssh prod-db1 'ls /srv/d'", output=f"{number}x") for number in range(MANY))
    calls = counted(gone_things, "_listed_as")
    graph_of(asks("clean up"), *gone, *lists, says("Done."))
    # Each list shows one, and the first tells of the others that they are gone.
    assert calls["_listed_as"] <= 3 * MANY


@pytest.mark.parametrize(
    ("line", "output"),
    [
        ("ls /srv/d", "\n".join(f"{number}x" for number in range(MANY))),
        ("ls /srv", "d"),
        ("ls -l /srv/d", "total 4\n-rw-r--r-- 1 a a 3 Jan 5 09:00 y"),
        ("find /srv -mtime +3", "/srv/e"),
        ("find /srv", "/srv/d"),
        ("ls /srv/d | grep y", "y"),
    ],
)
def test_many_lists_after_many_deletions(
    counted: Callable[[Any, str], Counter[str]], line: str, output: str
) -> None:
    gone = (bash(f"ssh prod-db1 'rm -rf /srv/d/{number}x'") for number in range(MANY))
    lists = (bash(f"ssh prod-db1 '{line}'", output=output) for _ in range(MANY))
    calls = counted(gone_things, "_listed_as")
    graph_of(asks("clean up"), *gone, *lists, says("Done."))
    assert calls["_listed_as"] <= gone_things._MOST_SHOWN * MANY


def test_tries_in_staging(counted: Callable[[Any, str], Counter[str]]) -> None:
    first = bash("ssh staging-db1 'rm -rf /srv/d/7x'")
    gone = (bash(f"ssh prod-db1 'rm -rf /srv/d/{number}x'") for number in range(MANY))
    graph = graph_of(asks("clean up"), first, *gone, says("Done."))
    calls = counted(SessionGraph, "setting")
    found = list(verification.unchecked_edits(graph))
    assert len(found) == MANY
    assert all(one.staged is not None and one.staged.turn == 1 for one in found)
    assert calls["setting"] <= 3 * MANY
