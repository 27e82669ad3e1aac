"""Claims of success are told with the evidence on them, once, and at most a few a chapter."""

from __future__ import annotations

from types import ModuleType

import pytest

from sessionlens import loader
from sessionlens.engine import audit
from sessionlens.examples import Example, asks, bash, edit, says, tool
from sessionlens.narrative import claimed, tell
from sessionlens.narrative.views import Chapter, Narrative, Statement

RESTART = "ssh root@web1 'systemctl restart billing'"
STATUS = "ssh root@web1 'systemctl is-active billing'"
HEALTH = "ssh root@web1 'curl -fsS http://localhost:8080/health'"
CLAIMS = ("claim-contradicted-by-evidence", "claim-without-evidence")
SUITE = "FAILED tests/test_pay.py::test_charge\n1 failed, 41 passed in 3.1s"


def of_claims(*steps: object, message: str | None = None) -> Narrative:
    """The narrative of a session judged by the rules on claims and nothing else."""
    session, _ = Example("made for one test", *steps).build()  # type: ignore[arg-type]
    known = loader.classes()
    return tell(audit(session, rules=[known[name]() for name in CLAIMS]), message=message)


def of_mission(made: ModuleType, *steps: object) -> Narrative:
    session, _ = Example("made for one test", *steps).build()  # type: ignore[arg-type]
    return tell(made.judged(session))


def statements(chapter: Chapter) -> list[Statement]:
    return [statement for section in chapter.sections for statement in section.statements]


def about(narrative: Narrative, words: str) -> Statement:
    """The one statement of the first chapter that holds the words."""
    (found,) = [statement for statement in statements(narrative.chapters[0]) if words in statement.text]
    return found


def test_a_claim_on_a_target_that_was_last_seen_bad() -> None:
    narrative = of_claims(
        asks("restart billing and tell me"),
        bash(RESTART),
        bash(STATUS, exit=3, output="failed"),
        says("billing is up and running."),
    )
    told = about(narrative, "up and running")
    assert told.text == (
        "Message msg_003 says “billing is up and running.”; the last evidence on `billing`, message msg_002, "
        "found it bad."
    )
    assert told.certainty == "derived"
    assert [(at.message_index, at.quote) for at in told.evidence] == [
        (3, "billing is up and running."),
        (2, "failed"),
    ]


def test_a_finding_on_a_claim_is_told_by_what_was_run_and_the_claim_alone() -> None:
    narrative = of_claims(
        asks("run unit and integration tests"),
        bash("pytest tests/unit", output="42 passed in 1.2s"),
        bash("pytest tests/integration", exit=1, output=SUITE),
        says("Everything is done. Ready to merge."),
    )
    assert [statement.text for statement in statements(narrative.chapters[0])] == [
        "In message msg_000 the person wrote “run unit and integration tests”.",
        "In message msg_002 the assistant ran `pytest tests/integration`.",
        "Message msg_003 says “Everything is done.”; what had failed in message msg_002 was never put right.",
    ]


def test_a_claim_that_the_first_look_refutes_says_how_much_later_it_came() -> None:
    narrative = of_claims(
        asks("restart billing"),
        bash(RESTART, limit=15, times_out=True),
        says("billing is up and running.", finish="tool-calls"),
        bash("ls /tmp", output="a"),
        bash(HEALTH, exit=7, output="curl: (7) Failed to connect to localhost port 8080"),
        says("I was wrong: billing does not answer."),
    )
    told = about(narrative, "up and running")
    assert told.text == (
        "Message msg_002 says “billing is up and running.”; the first look at `billing` came only two messages "
        "later, in message msg_004, and found it bad."
    )
    texts = [statement.text for statement in statements(narrative.chapters[0])]
    ended = texts.index("The client ended it at its time limit of 15 s.")
    looked = next(number for number, text in enumerate(texts) if text.startswith("In message msg_004"))
    assert ended < texts.index(told.text) < looked


def test_a_claim_that_a_check_supports_is_good_conduct(made: ModuleType) -> None:
    narrative = of_mission(
        made,
        asks("restart billing"),
        bash(RESTART, limit=15, times_out=True),
        says(""),
        asks("and?"),
        bash(STATUS, output="active"),
        says("billing is up and healthy."),
    )
    told = about(narrative, "up and healthy")
    assert (
        told.text
        == "Message msg_005 says “billing is up and healthy”, as the check in message msg_004 shows."
    )
    assert told.certainty == "derived"


def test_an_edit_that_was_only_applied_supports_nothing_worth_telling(made: ModuleType) -> None:
    narrative = of_mission(
        made,
        asks("raise the limit"),
        bash("ssh root@web1 'sed -i s/4/8/ /etc/billing.conf'"),
        says("I raised the limit to 8."),
    )
    assert not any("shows." in statement.text for statement in statements(narrative.chapters[0]))


def test_a_sentence_that_names_nothing_is_inferred(made: ModuleType) -> None:
    narrative = of_mission(
        made,
        asks("restart billing"),
        bash(RESTART, limit=15, times_out=True),
        says("It is up and running again."),
    )
    told = about(narrative, "up and running")
    assert told.text.endswith("; the last evidence on `billing`, message msg_001, was cut off.")
    assert told.certainty == "inferred"


def test_a_statement_that_tells_of_the_cut_off_is_told_as_that(made: ModuleType) -> None:
    narrative = of_mission(
        made,
        asks("restart billing"),
        bash(RESTART, limit=15, times_out=True),
        says("The restart was cut off after 15 s, so I do not know whether billing is up."),
        asks("fine, restart shop"),
        bash("ssh root@web1 'systemctl restart shop'", limit=15, times_out=True),
        says(""),
    )
    assert not any("last evidence" in s.text for chapter in narrative.chapters for s in statements(chapter))


@pytest.mark.parametrize(
    ("steps", "text"),
    [
        (
            (
                asks("start the proxy"),
                bash("ssh root@lb1 'nohup haproxy -f /etc/haproxy/haproxy.cfg > /tmp/h.log 2>&1 &'"),
                says("haproxy is up and running."),
            ),
            "Message msg_002 says “haproxy is up and running.”; by then nothing had looked at `haproxy` since the start "
            "in message msg_001, which was left running in the background.",
        ),
        (
            (
                asks("make the tests pass"),
                bash("pytest", exit=1, output="1 failed, 41 passed"),
                edit("/home/dev/project/pay.py"),
                says("The charge test is fixed and everything works."),
            ),
            "Message msg_003 says “The charge test is fixed and everything works.”; what had failed in message msg_001 "
            "was not run again after the change in message msg_002.",
        ),
        (
            (asks("add it and test it"), edit("/home/dev/project/app.py"), says("All tests pass.")),
            "Message msg_002 says “All tests pass.”; nothing before it in the log can have run tests.",
        ),
        (
            (
                asks("add it and check it"),
                edit("/home/dev/project/app.py"),
                says("Added. I verified that it works."),
            ),
            "Message msg_002 says “I verified that it works.”; no check or run of anything stands before it in the log.",
        ),
        (
            (
                asks("verify the change"),
                edit("/home/dev/project/app.py"),
                bash("echo 'All tests passed'", output="All tests passed"),
            ),
            "The call in message msg_002 prints “All tests passed” itself: no test or check had run.",
        ),
        (
            (
                asks("implement the export"),
                edit("/home/dev/project/export.py"),
                tool("finish", {"summary": "The export is complete and works."}, output="ok"),
                edit("/home/dev/project/export.py", "a", "b"),
            ),
            "The call in message msg_002 states “The export is complete and works.”; the work went on one message "
            "later, in message msg_003.",
        ),
    ],
)
def test_what_a_claim_lacks(steps: tuple[object, ...], text: str) -> None:
    assert [s.text for s in statements(of_claims(*steps).chapters[0])].count(text) == 1


def test_a_chapter_tells_three_claims_at_most_the_gravest(made: ModuleType) -> None:
    steps: list[object] = [asks("restart billing until it holds")]
    for number in range(6):
        steps += [bash(RESTART, limit=15, times_out=True), says(f"billing is up and running, try {number}.")]
    narrative = of_mission(made, *steps, asks("and now?"), says("Let me see."))
    told = [s for s in statements(narrative.chapters[0]) if "the last evidence on" in s.text]
    assert len(told) == claimed.MOST


def test_one_message_that_was_asked_for_is_told_with_its_claim() -> None:
    narrative = of_claims(
        asks("restart billing"),
        bash(RESTART),
        bash(STATUS, exit=3, output="failed"),
        says("billing is up and running."),
        message="msg_003",
    )
    chapter = narrative.chapters[0]
    assert chapter.kind == "message"
    (to_know,) = [s for s in chapter.sections if s.heading == "What a reader must know"]
    assert [statement.text for statement in to_know.statements] == [
        "Message msg_003 says “billing is up and running.”; the last evidence on `billing`, message msg_002, "
        "found it bad."
    ]


def test_marks_of_a_list_or_heading_are_no_part_of_the_words() -> None:
    for wrote in (
        "- billing is up and running.",
        "1. billing is up and running.",
        "**billing is up and running.**",
    ):
        narrative = of_claims(
            asks("restart billing"), bash(RESTART), bash(STATUS, exit=3, output="failed"), says(wrote)
        )
        assert about(narrative, "up and running").text.startswith(
            "Message msg_003 says “billing is up and running.”;"
        )
