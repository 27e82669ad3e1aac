"""Rules run in phases; what goes wrong with one leaves the others' results alone."""

import time
from collections.abc import Iterator

import pytest

from sessionlens import engine
from sessionlens.engine import MOST_FINDINGS, audit, in_order
from sessionlens.examples import Example, asks, bash, child, group, says
from sessionlens.findings import Finding, Place
from sessionlens.graph.events import Called
from sessionlens.model import Call, Message, Session, Text
from sessionlens.rule import FollowUp, Rule, SessionGraph, dataclass

SESSION, _ = Example(
    "a session with a child",
    asks("do it"),
    bash("make"),
    child(bash("make test"), says("the child is done")),
    group(says("two at once"), bash("make a"), bash("make b")),
    says("done"),
).build()


@dataclass(frozen=True, kw_only=True)
class EveryCall(Rule):
    slug = "every-call"
    severity = "low"

    def check(self, graph: SessionGraph) -> Iterator[Finding]:
        # Backwards, so that the engine has something to sort.
        for event in reversed(graph.events):
            if isinstance(event, Called):
                yield self.finding(event, f"call {event.call.id}")


@dataclass(frozen=True, kw_only=True)
class Crashing(Rule):
    slug = "crashing"
    severity = "low"

    def check(self, graph: SessionGraph) -> Iterator[Finding]:
        yield self.finding(graph.events[0], "found before the crash")
        raise RuntimeError("two\nlines")


def test_findings_stand_in_reading_order_with_children_after_the_call_that_started_them():
    result = audit(SESSION, rules=[EveryCall()])
    assert [finding.at.call_id for finding in result.findings] == [f"call_{n:03d}" for n in range(1, 6)]
    assert [finding.at.session for finding in result.findings][2] == "ses_example_child1"
    assert result.rule_errors == ()


def test_a_crash_keeps_what_was_found_and_the_other_rules():
    result = audit(SESSION, rules=[Crashing(), EveryCall()])
    (error,) = result.rule_errors
    assert (error.rule, error.error) == ("crashing", "RuntimeError: two lines")
    assert error.where.startswith("test_engine.py:")
    assert [f.title for f in result.findings if f.rule == "crashing"] == ["found before the crash"]
    assert sum(finding.rule == "every-call" for finding in result.findings) == 5


@pytest.mark.parametrize(
    ("yielded", "problem"),
    [
        (lambda rule, graph: "text", "yielded str, not a finding"),
        (lambda rule, graph: EveryCall().finding(graph.events[0], "x"), "yielded a finding of every-call"),
        (lambda rule, graph: rule.finding(graph.events[0], "x", severity="awful"), "the severity 'awful'"),
        (
            lambda rule, graph: rule.finding(Place(session="other", message_id=None, message_index=0), "x"),
            "a place that is not in the session: message 0 of other",
        ),
        (
            lambda rule, graph: rule.finding(
                graph.events[0],
                "x",
                because=[(Place(session="ses_example", message_id=None, message_index=99), "")],
            ),
            "message 99 of ses_example",
        ),
        (lambda rule, graph: rule.finding(graph.events[0], "x", facts={"a": object()}), "TypeError"),
    ],
)
def test_a_finding_that_cannot_be_reported_is_an_error(yielded, problem: str):
    @dataclass(frozen=True, kw_only=True)
    class Odd(Rule):
        slug = "odd"
        severity = "low"

        def check(self, graph: SessionGraph) -> Iterator[Finding]:
            yield yielded(self, graph)

    result = audit(SESSION, rules=[Odd()])
    assert problem in result.rule_errors[0].error
    assert result.findings == ()


def test_a_rule_that_never_ends_is_stopped():
    @dataclass(frozen=True, kw_only=True)
    class Endless(Rule):
        slug = "endless"
        severity = "low"

        def check(self, graph: SessionGraph) -> Iterator[Finding]:
            yield self.finding(graph.events[0], "x")
            while True:
                try:
                    time.sleep(0.01)
                except Exception:
                    continue

    began = time.monotonic()
    result = audit(SESSION, rules=[Endless(), EveryCall()], time_limit=0.2)
    assert time.monotonic() - began < 5
    assert result.rule_errors[0].error == "stopped after 0.2 s"
    assert len(result.findings) == 6


def test_a_pattern_that_runs_away_is_stopped_in_the_middle_of_a_match():
    """``re`` asks for signals while it matches, so the limit reaches a rule that yields nothing."""
    import re

    @dataclass(frozen=True, kw_only=True)
    class RunsAway(EveryCall):
        slug = "runs-away"

        def check(self, graph):
            if re.search(r"(a+)+$", "a" * 60 + "b"):
                yield self.finding(graph.events[0], "never")

    began = time.monotonic()
    result = audit(SESSION, rules=[RunsAway(), EveryCall()], time_limit=0.3)
    assert time.monotonic() - began < 10
    assert result.rule_errors[0].error == "stopped after 0.3 s"
    assert {finding.rule for finding in result.findings} == {"every-call"}


def test_a_rule_that_finds_without_end_is_stopped():
    @dataclass(frozen=True, kw_only=True)
    class Flood(Rule):
        slug = "flood"
        severity = "low"

        def check(self, graph: SessionGraph) -> Iterator[Finding]:
            while True:
                yield self.finding(graph.events[0], "x")

    result = audit(SESSION, rules=[Flood()])
    assert result.rule_errors[0].error == f"stopped after {MOST_FINDINGS} findings"
    assert len({finding.fingerprint for finding in result.findings}) == MOST_FINDINGS


@dataclass(frozen=True, kw_only=True)
class Counting(FollowUp):
    slug = "counting"
    severity = "high"
    after = ("every-call",)

    def check_after(self, graph: SessionGraph, earlier: tuple[Finding, ...]) -> Iterator[Finding]:
        yield self.finding(graph.events[0], "counted", facts={"calls": [row.at.call_id for row in earlier]})


def test_a_follow_up_runs_later_and_sees_the_findings_in_order():
    result = audit(SESSION, rules=[Counting(), EveryCall(), Crashing()])
    (counted,) = [finding for finding in result.findings if finding.rule == "counting"]
    assert counted.facts["calls"] == [f"call_{n:03d}" for n in range(1, 6)]


def test_a_rule_that_only_serves_another_is_not_reported():
    result = audit(SESSION, rules=[Counting(), EveryCall()], unreported=frozenset({"every-call"}))
    assert [finding.rule for finding in result.findings] == ["counting"]
    assert [rule.slug for rule in result.rules] == ["counting"]


def test_order_of_rules():
    assert [rule.slug for rule in in_order([Counting(), Crashing(), EveryCall()])] == [
        "crashing", "every-call", "counting",
    ]  # fmt: skip
    with pytest.raises(ValueError, match="two rules are called every-call"):
        in_order([EveryCall(), EveryCall()])

    @dataclass(frozen=True, kw_only=True)
    class Before(Counting):
        slug = "every-call"
        severity = "low"
        after = ("counting",)

    with pytest.raises(ValueError, match="wait for each other: counting, every-call"):
        in_order([Counting(), Before()])


def test_a_rule_that_cannot_judge_this_log_is_listed_with_its_reason():
    @dataclass(frozen=True, kw_only=True)
    class Picky(EveryCall):
        slug = "picky"
        severity = "low"

        def checkable(self, session):
            return f"{session.source_format} has no times"

    result = audit(SESSION, rules=[Picky()])
    assert [(row.rule, row.reason) for row in result.not_checkable] == [
        ("picky", "opencode-export has no times")
    ]


def test_severities_can_be_set_from_outside():
    result = audit(SESSION, rules=[EveryCall()], severities={"every-call": "critical"})
    assert {finding.severity for finding in result.findings} == {"critical"}


def test_fingerprints_do_not_move_when_messages_are_appended():
    longer, _ = Example(
        "longer",
        asks("do it"),
        bash("make"),
        child(bash("make test"), says("the child is done")),
        group(says("two at once"), bash("make a"), bash("make b")),
        says("done"),
        asks("more"),
        bash("make c"),
    ).build()
    before = [finding.fingerprint for finding in audit(SESSION, rules=[EveryCall()]).findings]
    after = [finding.fingerprint for finding in audit(longer, rules=[EveryCall()]).findings]
    assert after[: len(before)] == before


def test_findings_at_one_place_are_told_apart():
    @dataclass(frozen=True, kw_only=True)
    class Twice(Rule):
        slug = "twice"
        severity = "low"

        def check(self, graph: SessionGraph) -> Iterator[Finding]:
            yield self.finding(graph.events[0], "first", about="a")
            yield self.finding(graph.events[0], "second", about="b")
            yield self.finding(graph.events[0], "third", about="b")

    found = audit(SESSION, rules=[Twice()]).findings
    assert len({finding.fingerprint for finding in found}) == 3


def test_related_places_are_put_into_the_order_of_the_log_and_quotes_stay_exact():
    rule = EveryCall()
    graph = audit(SESSION, rules=[]).graph
    first, second = graph.events[0], graph.events[1]
    finding = rule.finding(second, "x", because=[(second, "later", "q" * 1000), (first, "earlier")])
    assert [row.note for row in finding.because] == ["earlier", "later"]
    assert finding.because[1].quote == "q" * 400


def test_children_of_children_are_judged():
    inner = [bash("make")]
    for _ in range(60):
        inner = [child(*inner)]
    deep, _ = Example("deep", asks("go"), *inner).build()
    assert len(audit(deep, rules=[EveryCall()]).findings) == 61


def test_places_stand_in_reading_order_however_messages_are_numbered() -> None:
    def message(index: int, *calls: Call) -> Message:
        return Message(id=f"m{index}", index=index, role="assistant", parts=calls)

    first = Call(id="a", name="bash", input=Text("{}"), child="inner")
    second, again = Call(id="b", name="bash", input=Text("{}")), Call(id="a", name="bash", input=Text("{}"))
    inner = Session(id="inner", source_format="x", parent="s", messages=(message(0, second),))
    for numbers in ((0, 1), (3, 7)):
        session = Session(
            id="s",
            source_format="x",
            messages=(message(numbers[0], first, second, again), message(numbers[1], second)),
            children=(inner,),
        )
        places = engine._Places(session)
        spots = [
            ("s", numbers[0], None), ("s", numbers[0], "a"), ("inner", 0, None), ("inner", 0, "b"),
            ("s", numbers[0], "b"), ("s", numbers[1], None), ("s", numbers[1], "b"),
        ]  # fmt: skip
        found = [
            places.position(Place(session=s, message_id=None, message_index=i, call_id=c))
            for s, i, c in spots
        ]
        assert found == sorted(set(found))
        assert places.known("s", numbers[1])
        assert not places.known("s", numbers[1] + 1)
        assert not places.known("s", -1)
