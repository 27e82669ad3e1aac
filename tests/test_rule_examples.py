"""Every example of every shipped rule, one test each; and examples themselves."""

import pytest

from sessionlens import loader
from sessionlens.examples import (
    Example,
    asks,
    bash,
    child,
    compaction,
    group,
    nothing,
    read,
    run_example,
    says,
    tool,
    waits,
)
from sessionlens.rule import Rule, dataclass, place

RULES = loader.classes()
CASES = [(slug, example) for slug, rule in RULES.items() for example in rule.examples]


@pytest.mark.parametrize(
    ("slug", "example"), CASES, ids=[f"{slug}: {example.title}" for slug, example in CASES]
)
def test_example(slug: str, example: Example):
    rule = RULES[slug]
    wrong = run_example(rule(), example, before=[RULES[name]() for name in rule.after])
    assert not wrong, "\n".join(map(str, wrong))


@dataclass(frozen=True, kw_only=True)
class Calls(Rule):
    """Fires at every call of bash."""

    slug = "calls"
    severity = "low"

    def check(self, graph):
        for event in graph.events:
            if getattr(getattr(event, "call", None), "name", "") == "bash":
                yield self.finding(event, "a call", facts={"id": place(event).call_id})


def problems(*steps) -> list[str]:
    return [miss.problem for miss in run_example(Calls(), Example("t", *steps))]


def test_both_directions_are_strict():
    assert problems(asks("x"), bash("a", flag="calls")) == []
    assert problems(asks("x"), bash("a")) == [
        "message 1 of ses_example: not expected: a call (low, high confidence)"
    ]
    assert problems(asks("x"), says("a", flag="calls")) == [
        "message 1 of ses_example: expected a finding, found none"
    ]
    # At another place: both a missing and an unexpected finding.
    assert len(problems(asks("x"), bash("a"), says("b", flag="calls"))) == 2


def test_what_a_flag_says_must_hold():
    wrong = problems(
        bash(
            "a", flag="calls", severity="high", confidence="low", kind="signal", facts={"id": "x", "other": 1}
        )
    )
    assert [problem.split(": ", 1)[1] for problem in wrong] == [
        "severity is low, expected high",
        "confidence is high, expected low",
        "kind is fault, expected signal",
        "facts.id is 'call_001', expected 'x'",
        "facts.other is missing, expected 1",
    ]
    assert problems(bash("a", flag="calls", severity="low", facts={"id": "call_001"})) == []


def test_flags_of_other_rules_do_not_matter():
    assert problems(says("a", flag="other-rule")) == []


def test_a_crash_and_a_refusal_are_mismatches():
    @dataclass(frozen=True, kw_only=True)
    class Bad(Calls):
        def check(self, graph):
            raise KeyError("gone")
            yield

    @dataclass(frozen=True, kw_only=True)
    class Unable(Calls):
        def checkable(self, session):
            return "no times"

    example = Example("t", asks("x"))
    assert [miss.problem for miss in run_example(Bad(), example)] == ["crashed: KeyError: 'gone'"]
    assert [miss.problem for miss in run_example(Unable(), example)] == ["not checkable: no times"]


def test_an_expectation_without_a_flag_and_a_misspelt_one_are_refused():
    with pytest.raises(ValueError, match="never be checked"):
        bash("a", severity="high")
    with pytest.raises(TypeError, match="does not know severty"):
        bash("a", flag="calls", severty="high")  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="ends in one way"):
        bash("a", times_out=True, interrupted=True)
    with pytest.raises(ValueError, match="steps of the assistant"):
        group(asks("x"))


def test_steps_become_a_session_as_the_newest_client_writes_it():
    session, _ = Example(
        "t",
        asks("go"),
        bash("sleep 99", limit=15, times_out=True, output="partial"),
        nothing(),
        waits(60),
        asks(),
        group(says("both"), bash("a"), read("/x", "one\ntwo")),
        tool("mcp_thing", {"a": 1}, error="refused"),
        bash("b", running=True),
        compaction("so far"),
        bash("c", interrupted=True),
    ).build()
    first, cut, empty, silent, both, failed, running, asked, summary, stopped = session.messages
    call = cut.calls[0]
    assert (call.timed_out, call.exit, call.status, call.limit_ms) == (True, None, "completed", 15_000)
    assert call.end is not None
    assert call.start is not None
    assert call.end - call.start == 15_000
    assert call.output is not None
    assert call.output.head.startswith(
        "partial\n\n<shell_metadata>\nshell tool terminated command after exceeding"
    )
    assert "timeout 15000 ms" in call.output.head
    assert empty.empty
    assert (empty.finish, empty.tokens_out) == ("stop", 0)
    assert silent.human
    assert silent.parts == ()
    assert silent.time is not None
    assert empty.ended is not None
    assert silent.time - empty.ended == 80_000
    assert [type(part).__name__ for part in both.parts] == ["TextPart", "Call", "Call"]
    assert failed.calls[0].status == "error"
    assert running.calls[0].status == "running"
    assert running.ended is None
    assert not asked.human
    assert summary.summary
    assert stopped.interruption
    assert [message.index for message in session.messages] == list(range(10))
    assert first.human


def test_the_readers_know_the_wording_that_examples_use():
    from sessionlens.readers import wordings

    session, _ = Example("t", bash("a", limit=7, times_out=True), bash("b", interrupted=True)).build()
    cut, stopped = (message.calls[0].output for message in session.messages)
    assert cut is not None
    assert stopped is not None
    found = wordings.cut_off(cut.head)
    assert found is not None
    assert found[0] == 7000
    assert wordings.aborted(stopped.head)


def test_a_child_opens_with_its_prompt_and_belongs_to_its_call():
    session, expected = Example(
        "t", asks("x"), child(bash("a", flag="calls"), prompt="look", flag="calls")
    ).build()
    (inner,) = session.children
    assert session.messages[1].calls[0].child == inner.id
    assert inner.parent == session.id
    assert [message.role for message in inner.messages] == ["user", "assistant"]
    assert {(one.session, one.message_index) for one in expected} == {(session.id, 1), (inner.id, 1)}
    assert len(Example("t", asks("x"), child(bash("a", flag="calls"), flag="calls")).flags("calls")) == 2


def test_building_twice_gives_equal_sessions():
    for _, example in CASES[:5]:
        assert example.build() == example.build()
