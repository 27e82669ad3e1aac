"""Why a rule fired or did not: for every rule, whether it walks the log, asks windows, or is a table."""

import json
from pathlib import Path

import pytest

from sessionlens import explaining, loader
from sessionlens.examples import Example, asks, bash, child, says
from sessionlens.rule import Rule, change, check, dataclass, has_effect, human

RESTART = "ssh root@web1 'systemctl restart billing'"
RULES = loader.classes()


@dataclass(frozen=True, kw_only=True)
class Unseen(Rule):
    slug = "unseen"
    severity = "low"
    only: str = "restart"

    def check(self, graph):
        for event in graph.span().all(has_effect(self.only)):
            name = event.command.target.name
            if not name or name == "nginx":
                continue
            if self.looked(graph, event):
                continue
            yield self.finding(event, f"nobody looked at {name}")

    def looked(self, graph, event):
        target = event.command.target
        return graph.after(event).until(human, change(target)).any(check(target))


def explained(rule: Rule, *steps, index: int, others=()) -> explaining.Explanation:
    session, _ = Example("t", *steps).build()
    return explaining.explain(session, rule, session.messages[index], others=others)


STEPS = (
    asks("restart them"),
    bash(RESTART),
    bash("systemctl restart nginx"),
    bash("ssh root@web1 'systemctl is-active billing'", output="active"),
    says("Both are up."),
    bash("systemctl restart cache"),
)


def test_why_it_did_not_fire():
    one = explained(Unseen(), *STEPS, index=1)
    assert not one.fired
    assert one.verdict == (
        "unseen did not fire here; the last thing it asked: self.looked(graph, event) is yes; it fired once elsewhere"
    )
    assert [(step.source, step.outcome) for step in one.steps] == [
        ("if not name or name == 'nginx'", "no"),
        ("if self.looked(graph, event)", "yes"),
        ("continue", ""),
        ("return graph.after(event).until(human, change(target)).any(check(target))", "yes"),
    ]
    assert [(part.source, part.value) for part in one.steps[0].parts] == [
        ("not name", "no"),
        ("name == 'nginx'", "no"),
    ]
    assert [(q.asked, q.answer) for q in one.questions if q.asked.startswith("any")] == [
        ("any(check(billing))", "message 3 (systemctl is-active billing)")
    ]
    assert (one.before, one.after and one.after.message_index) == (None, 5)


def test_which_part_of_a_condition_decided():
    one = explained(Unseen(), *STEPS, index=2)
    assert one.verdict.startswith("unseen did not fire here; the last thing it asked: name == 'nginx' is yes")


def test_why_it_fired():
    one = explained(Unseen(), *STEPS, index=5)
    assert [brief.title for brief in one.fired] == ["nobody looked at cache"]
    assert one.verdict == "unseen fired here: nobody looked at cache"
    assert any(step.source.startswith("yield self.finding(") for step in one.steps)


def test_what_it_never_looked_at():
    one = explained(Unseen(only="deploy"), *STEPS, index=4)
    assert one.steps == ()
    assert one.verdict == (
        "unseen did not fire here, and looked at nothing of this message; it did not fire anywhere in this session"
    )
    assert one.options == {"only": "deploy"}


def test_what_the_graph_makes_of_the_message():
    said, called, ran = explained(Unseen(), *STEPS, index=3).events
    assert (said.kind, called.kind, ran.kind) == ("said", "called", "ran")
    assert ran.told["check"] is True
    assert ran.told["state"] == "good"
    assert ran.told["environment"] == "production"
    (said,) = explained(Unseen(), *STEPS, index=4).events
    assert "claims_success" in said.told["acts"]


def test_watching_changes_nothing():
    """An iterator that a rule goes through is not used up by looking at a condition twice."""

    @dataclass(frozen=True, kw_only=True)
    class Uses(Unseen):
        slug = "uses"

        def check(self, graph):
            found = graph.span().all(has_effect("restart"))
            while (event := next(found, None)) and event.at.message_index < 9:
                yield self.finding(event, "one")

    for index in (1, 2, 5):
        one = explained(Uses(), *STEPS, index=index)
        assert len(one.fired) == 1
        assert any(step.source.startswith("yield") for step in one.steps)


def test_a_crash_and_what_cannot_be_judged():
    @dataclass(frozen=True, kw_only=True)
    class Crashes(Unseen):
        slug = "crashes"

        def check(self, graph):
            event = graph.events[1]
            raise RuntimeError(str(event.seq))
            yield

    one = explained(Crashes(), *STEPS, index=1)
    assert one.verdict == "crashes did not come to its end: RuntimeError: 1"

    @dataclass(frozen=True, kw_only=True)
    class Unable(Unseen):
        slug = "unable"

        def checkable(self, session):
            return "no times"

    one = explained(Unable(), *STEPS, index=1)
    assert one.verdict == "unable cannot judge this session: no times"
    assert one.steps == ()


def test_a_declarative_rule_is_explained_by_its_conditions(tmp_path: Path):
    from sessionlens.cli.rules_new import _DECLARATIVE

    (tmp_path / "short_limit.rule.toml").write_text(_DECLARATIVE.format(slug="short-limit"), "utf-8")
    rule = loader.classes([tmp_path])["short-limit"]()
    steps = (bash("make", limit=10, times_out=True), bash("make", limit=100))
    one = explained(rule, *steps, index=0)
    told = [(step.source, step.outcome) for step in one.steps]
    assert ("find: cut_off & limited(most_s=least_s)", "yes") in told
    assert ("unless[0]: after(it).until(human).any(same_call(it) & ~cut_off)", "yes") in told
    assert one.verdict.startswith("short-limit did not fire here")
    one = explained(rule, steps[0], index=0)
    assert one.fired


@pytest.mark.parametrize("slug", RULES)
def test_every_rule_can_be_explained(slug: str):
    rule = RULES[slug]()
    others = [RULES[name]() for name in rule.after]
    flagged = next(example for example in rule.examples if example.flags(slug))
    session, expected = flagged.build()
    spot = next(one for one in expected if one.flag.rule == slug)
    owner = next(one for one in session.family() if one.id == spot.session)
    one = explaining.explain(session, rule, owner.messages[spot.message_index], owner=owner, others=others)
    assert one.fired
    assert one.verdict.startswith(f"{slug} fired here")
    assert list(explaining.rows(one))
    clean = [example for example in rule.examples if not example.flags(slug)]
    looked = 0
    for example in clean:
        session, _ = example.build()
        for message in session.messages:
            one = explaining.explain(session, rule, message, others=others, settings=example.settings)
            assert not one.fired
            looked += bool(one.steps or one.questions)
    assert looked >= len(clean) / 2, "most clean examples are told by what the rule asked"


def test_the_command(run, root: Path):
    log = str(root / "fixtures" / "opencode_export" / "1.18.33_timeout_empty.json")
    done = run("rules", "explain", log, "unverified-production-edit", "#3")
    assert done.code == 0
    assert "command.effect not in _EDITS" in done.out
    assert "also here: unacknowledged-long-running-restart" in done.out
    told = json.loads(run("rules", "explain", log, "step-loop", "#3", "--json").out)
    assert told["message_index"] == 3
    assert told["fired"] == []
    assert run("rules", "explain", log, "nobody", "#3").code == 2
    unknown = run("rules", "explain", log, "step-loop", "msg_none")
    assert unknown.code == 2
    assert "no message msg_none" in unknown.err


def test_a_message_of_a_child():
    session, _ = Example("t", asks("x"), child(bash(RESTART))).build()
    (inner,) = session.children
    one = explaining.explain(session, Unseen(), inner.messages[1], owner=inner)
    assert one.fired
    assert one.session == inner.id
