"""Results of calls that were judged before the graph is built: the same graph, with less to do."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

import sessionlens.shell.outcome as outcomes
from sessionlens.examples import Example, asks, bash, says
from sessionlens.graph.ahead import Ahead
from sessionlens.graph.session_graph import SessionGraph
from sessionlens.model import Call, Session, Text
from sessionlens.targets import EnvironmentSettings

SETTINGS = EnvironmentSettings()


def build() -> Session:
    steps = (
        asks("restart it"),
        bash("kubectl config use-context prod", output='Switched to context "prod".'),
        bash("kubectl rollout restart deploy/cart", output="deployment.apps/cart restarted"),
        bash("systemctl restart app", output="Job for app.service failed", exit=1),
        bash("systemctl status app", output="Active: active (running)"),
        says("It runs."),
    )
    return Example("ahead", *steps).build()[0]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The outputs that are judged."""
    outputs: list[str] = []
    plain = outcomes.judge

    def judge(commands: Any, output: str, **rest: Any) -> Any:
        outputs.append(output)
        return plain(commands, output, **rest)

    monkeypatch.setattr(outcomes, "judge", judge)
    return outputs


def test_what_was_judged_ahead_is_not_judged_again(asked: list[str]) -> None:
    session = build()
    expected = SessionGraph(session, SETTINGS).events
    ahead = Ahead([session], SETTINGS)
    while ahead.step():
        pass
    asked.clear()
    graph = SessionGraph(session, SETTINGS, judged=ahead.judged)
    assert graph.events == expected
    assert not {"Job for app.service failed", "Active: active (running)"} & set(asked)
    # The context that an earlier call switched to makes this command another one.
    assert "deployment.apps/cart restarted" in asked


def test_a_call_that_was_changed_is_judged_as_it_is(asked: list[str]) -> None:
    session = build()
    ahead = Ahead([session], SETTINGS)
    while ahead.step():
        pass
    messages = list(session.messages)
    call = messages[3].calls[0]
    changed = replace(call, output=Text("Active: failed"))
    messages[3] = replace(messages[3], parts=tuple(changed if p is call else p for p in messages[3].parts))
    other = replace(session, messages=tuple(messages))
    graph = SessionGraph(other, SETTINGS, judged=ahead.judged)
    assert graph.events == SessionGraph(other, SETTINGS).events
    assert "Active: failed" in asked


def test_only_so_many_calls_as_there_was_time_for(asked: list[str]) -> None:
    session = build()
    ahead = Ahead([session], SETTINGS)
    assert ahead.step()
    assert len(asked) == 1
    assert (
        SessionGraph(session, SETTINGS, judged=ahead.judged).events == SessionGraph(session, SETTINGS).events
    )


def test_a_fault_is_left_to_be_told_where_it_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    session = build()

    def faulty(_call: Call) -> Any:
        raise AssertionError("cannot be")

    monkeypatch.setattr("sessionlens.graph.ahead.result_of", faulty)
    ahead = Ahead([session], SETTINGS)
    while ahead.step():
        pass
    assert SessionGraph(session, SETTINGS, judged=ahead.judged).events
