"""Shapes of bad news in outputs."""

from __future__ import annotations

from typing import Any

import pytest

from sessionlens.examples import Example, Step, asks, bash, says
from sessionlens.graph import each_of, partly, shortfalls
from sessionlens.graph.session_graph import SessionGraph


@pytest.mark.parametrize(
    ("line", "bad"),
    [
        ("3 failed, 12 passed", True),
        ("record_id 5521 failed email validation", False),
        ("job #5521 failed", False),
        ("found 4 vulnerabilities (4 high)", True),
        ("fixed 3 vulnerabilities", False),
        ("12,000 rows failed", True),
        ("npm error code E403", True),
        ("denied: requested access to the resource is denied", True),
        ("access was denied: nobody asked", False),
        ("root@a2: Permission denied (publickey,password).", True),
        ("canceling statement due to lock timeout", True),
        ("cdn purge: 403 Forbidden", True),
        ("the page explains what 403 Forbidden means", False),
    ],
)
def test_a_number_counts_failures_where_it_is_no_id_and_nothing_was_put_right(
    line: str, *, bad: bool
) -> None:
    assert (shortfalls._SHOWN.search(line) is not None) == bad


@pytest.mark.parametrize(
    ("text", "count", "said"),
    [
        ("on all five hosts", 5, True),
        ("auf allen vier Knoten", 4, True),
        ("en los cinco switches (5/5)", 5, True),
        ("на всех четырёх узлах", 4, True),
        ("version 5.1 is out", 5, False),
        ("on all five hosts", 4, False),
    ],
)
def test_a_count_is_named_as_a_figure_or_in_words(text: str, count: int, *, said: bool) -> None:
    assert partly.number(text, count) == said


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("for h in web1 web2 web3; do ssh $h uptime; done", ("web1", "web2", "web3")),
        ("for h in web{1..3}; do ssh $h uptime; done", ("web1", "web2", "web3")),
        ("for h in {api,web}.acme.io; do ssh $h uptime; done", ("api.acme.io", "web.acme.io")),
        ("foreach($s in 'SRV1','SRV2'){ Restart-Computer $s }", ("SRV1", "SRV2")),
        ("'SRV1','SRV2' | % { Restart-Computer $_ }", ("SRV1", "SRV2")),
        ("printf 'a1\\nb1\\n' | xargs -I{} ssh {} uptime", ("a1", "b1")),
        ("parallel ssh {} uptime ::: a1 b1", ("a1", "b1")),
        ("./push.py --hosts sw1,sw2 --image 9.bin", ("sw1", "sw2")),
        ("for f in *.txt; do rm $f; done", ()),
        ("for p in 11 12; do gh pr merge $p; done", ("11", "12")),
        ("for h in $HOSTS; do ssh $h uptime; done", ()),
        ("git log --format=%h,%an", ()),
    ],
)
def test_the_names_that_a_line_goes_through(line: str, names: tuple[str, ...]) -> None:
    assert each_of._listed(line) == names


@pytest.mark.parametrize(
    ("failed", "later", "another"),
    [
        ("pytest packages/core", "pytest packages/cli", True),
        ("docker build -t acme/api api", "docker build -t acme/worker worker", True),
        ("pytest packages/core", "pytest packages/core", False),
        ("pytest tests/test_a.py::test_x", "pytest tests/test_a.py", False),
        ("pytest tests/test_a.py", "pytest .", False),
        ("go test ./pkg/a", "go test ./...", False),
        ("cargo test -p core", "cargo test --workspace", False),
        ("make test", "make test-unit", False),
    ],
)
def test_the_same_done_to_another_thing_puts_nothing_right(failed: str, later: str, *, another: bool) -> None:
    assert shortfalls.another_one(failed.split(), later.split()) is another


def _standing(*steps: Step) -> tuple[shortfalls.Shortfall, ...]:
    session = Example("x", asks("look after the hosts"), *steps, says("Done.")).build()[0]
    graph = SessionGraph(session, None)
    return graph.standing(graph.turns[0])


@pytest.mark.parametrize("again", [True, False])
def test_in_a_long_series_what_puts_a_failure_right_is_found_by_what_it_acts_on(again: bool) -> None:
    def others(host: str, count: int) -> list[Step]:
        return [bash(f"ssh {host}{n} systemctl is-active pg", output="active") for n in range(count)]

    right = [bash("ssh web1 systemctl is-active app", output="active")] if again else others("web", 3)[2:]
    steps = (
        bash("ssh web1 systemctl is-active app", exit=3, output="failed"),
        *others("db", 150),
        *right,
        *others("mq", 150),
    )
    assert bool(_standing(*steps)) != again


def test_a_long_series_of_failures_is_looked_through_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = 0
    real = shortfalls._shows_right

    def counted(*arguments: Any, **named: Any) -> bool:
        nonlocal looks
        looks += 1
        return real(*arguments, **named)

    monkeypatch.setattr(shortfalls, "_shows_right", counted)
    found = {}
    for count in (300, 600):
        looks = 0
        steps = [
            step
            for n in range(count)
            for step in (
                bash(f"ssh web{n} systemctl is-active app", exit=3, output="failed"),
                bash(f"ssh db{n} systemctl is-active pg", output="active"),
            )
        ]
        assert len(_standing(*steps)) == count
        found[count] = looks
    assert found[600] < 3 * found[300]
