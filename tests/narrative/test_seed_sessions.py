"""Two scenes told from the facts of articles: what the audit and the narrative must reach from the log alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from sessionlens import loader, readers
from sessionlens.engine import Audit, audit
from sessionlens.examples import Example, asks, bash, says
from sessionlens.graph.repeats import attempts, chains, corrections
from sessionlens.graph.session_graph import SessionGraph
from sessionlens.narrative import tell
from sessionlens.narrative.views import Narrative


def judged(fixtures: Path, name: str) -> Audit:
    (session,) = readers.read(fixtures / "transcript_xml" / name)
    return audit(session, rules=[rule() for rule in loader.classes().values()])


def ids(result: Audit, slug: str) -> list[str | None]:
    return [finding.at.message_id for finding in result.findings if finding.rule == slug]


def section(narrative: Narrative, heading: str) -> str:
    found = [one for one in narrative.conduct if one.heading == heading]
    return "\n".join(statement.text for one in found for statement in one.statements)


def chapter_of(result: Audit, message: str) -> str:
    chapter = tell(result, message=message).chapters[0]
    return "\n".join(statement.text for one in chapter.sections for statement in one.statements)


@pytest.fixture(scope="module")
def idle(fixtures: Path) -> Audit:
    return judged(fixtures, "idle_after_load.xml")


@pytest.fixture(scope="module")
def empty(fixtures: Path) -> Audit:
    return judged(fixtures, "empty_first_answer.xml")


# -- three starts that go idle, an empty message, a summary ------------------------------------------------


@pytest.mark.parametrize(
    "piece",
    [
        "`sglang.launch_server` on `10.20.30.140` was started three times, in messages 3131, 3147 and 3155.",
        "in message 3139, found it bad; it was stopped in message 3142",
        "The start in message 3147 was made without `--speculative-algorithm EAGLE3 --speculative-draft-model-path",
        "in message 3150, found it bad; it was stopped in message 3154",
        "The start in message 3155 was made with `--disable-cuda-graph --log-level debug`",
        "nothing in the log looked at it afterwards",
    ],
)
def test_three_starts_with_what_changed_between_them_and_how_they_ended(idle: Audit, piece: str):
    assert piece in section(tell(idle), "Started several times")


def test_the_detached_launch_is_an_open_operation(idle: Audit):
    last = idle.graph.ledger[-1]
    assert (last.event.at.message_id, last.opened_by, last.closed_by) == ("3155", "detached", "none")
    output = last.event.call.call.output
    assert output is not None
    assert "50299" in output.head
    assert ids(idle, "unacknowledged-long-running-restart") == ["3155"]


def test_the_empty_message_is_read_as_a_request_to_compact(idle: Audit):
    (finding,) = (one for one in idle.findings if one.rule == "empty-user-message")
    assert finding.at.message_id == "3156"
    assert (finding.facts["reading"], finding.facts["other"]) == ("compaction", "continuation")
    assert not finding.facts["observed"]
    assert "type compaction" in finding.facts["would_tell"]
    assert ids(idle, "context-dump") == ["3157"]


@pytest.mark.parametrize(
    "piece",
    [
        "it holds neither text nor a call",
        "It is most probably a request to compact the conversation: the answer writes down the state of the work",
        "The other reading is a word to go on.",
        "What would decide is an export of the client: a request to compact is a part of type compaction",
        "summary: true",
        "the start of `sglang.launch_server` on `10.20.30.140` from message 3155 was open",
    ],
)
def test_the_chapter_on_the_empty_message(idle: Audit, piece: str):
    assert piece in chapter_of(idle, "3156")


# -- a claim, an empty answer, three looks joined ----------------------------------------------------------


def test_the_claim_was_put_right_by_the_assistant_itself(empty: Audit):
    text = section(tell(empty), "Stated, and found otherwise by the assistant itself")
    assert text == (
        "In message 159 the assistant stated “The server is up and running!”; its own test in message 160 showed "
        "nothing; the look in message 162, three messages later, found it bad, and message 163 says so. The person had "
        "not asked in between."
    )


def test_the_empty_output_was_noticed_and_examined(empty: Audit):
    (finding,) = (one for one in empty.findings if one.rule == "diagnosed-empty-output")
    assert (finding.at.message_id, finding.kind) == ("161", "good")
    assert finding.facts["words"] == "empty"
    assert ids(empty, "honest-failure-report") == ["163"]


@pytest.mark.parametrize("message", ["161", None])
def test_three_probes_hide_one_another(empty: Audit, message: str | None):
    text = (
        chapter_of(empty, message)
        if message
        else section(tell(empty), "Looks that a failing first one hides")
    )
    assert "The three looks of message 161" in text
    assert "joined by `&&`" in text
    assert "ended with code 7, so a failing first one hides the others" in text


def test_the_outcome_is_in_162(empty: Audit):
    text = chapter_of(empty, "162")
    assert "found it bad" in text
    (operation,) = empty.graph.ledger
    assert operation.event.at.message_id == "153"


def test_no_rule_calls_it_a_fault_that_it_looked(empty: Audit):
    assert [
        one.rule for one in empty.findings if one.kind == "fault" and one.severity in ("critical", "high")
    ] == []


# -- the same in other words -------------------------------------------------------------------------------


def graph_of(*steps) -> SessionGraph:
    return SessionGraph(Example("t", *steps).build()[0])


def test_starts_of_two_things_and_a_routine_are_no_story():
    graph = graph_of(
        asks("start both"),
        bash("systemctl start a"),
        bash("systemctl start b"),
        bash("systemctl restart c"),
        bash("systemctl is-active c", output="active"),
        bash("systemctl restart c"),
        bash("systemctl is-active c", output="active"),
    )
    (group,) = attempts(graph)
    assert group.target.name == "c"
    assert [one.good for one in group.attempts] == [True, True]
    assert "Started several times" not in [
        one.heading for one in tell(audit(graph.session, rules=[])).conduct
    ]


def test_a_claim_is_put_right_only_without_a_change_or_a_word_of_the_person_in_between():
    start, good = bash("systemctl start web"), bash("systemctl is-active web", output="active")
    claim = says("web is up and running.", finish="tool-calls")
    crashed = says("web has crashed.")
    look = bash("systemctl is-active web", exit=3, output="failed")
    assert len(corrections(graph_of(asks("x"), start, good, claim, look, crashed))) == 1
    assert corrections(graph_of(asks("x"), start, good, claim, asks("sure?"), look, crashed)) == []
    assert (
        corrections(graph_of(asks("x"), start, good, claim, bash("systemctl restart web"), look, crashed))
        == []
    )
    assert corrections(graph_of(asks("x"), start, good, claim, good)) == []


def test_looks_that_hide_nothing():
    def count(*steps) -> int:
        return len(chains(graph_of(asks("x"), *steps)))

    joined = "curl -s http://localhost/health && curl -s http://localhost/models && tail -5 app.log"
    assert count(bash(joined, exit=7)) == 1
    assert count(bash(joined, output="ok\n[]\nstarted")) == 0
    assert count(bash(joined.replace("&&", ";"), exit=7)) == 0
    assert count(bash("test -f app.log && tail -5 app.log", exit=1)) == 0
    assert count(bash("curl -s http://localhost/health", exit=7)) == 0
