"""What is told, and that nothing is told without its place in the log."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType

import msgspec
import pytest

from sessionlens.examples import Example, asks, bash, child, edit, nothing, says, waits
from sessionlens.graph.events import Event, Said
from sessionlens.model import Gap, Origin
from sessionlens.narrative import tell
from sessionlens.narrative.stories import Context
from sessionlens.narrative.views import Chapter, Evidence, Narrative, Picture, Statement

RESTART = "ssh root@web1 'systemctl restart billing'"


@pytest.fixture(scope="module")
def incident(made: ModuleType) -> Narrative:
    return tell(made.judged(made.incident()))


def sentences(chapter: Chapter) -> list[str]:
    return [statement.text for section in chapter.sections for statement in section.statements]


def told(made: ModuleType, *steps: object, message: str | None = None) -> Narrative:
    session, _ = Example("made for one test", *steps).build()  # type: ignore[arg-type]
    return tell(made.judged(session), message=message)


def test_one_story_one_chapter(incident: Narrative) -> None:
    (chapter,) = incident.chapters
    assert (
        chapter.title
        == "Two restarts of `billing.service` on `10.20.0.7` cut off, two silences, two edits checked late"
    )
    assert chapter.severity == "critical"
    assert len(chapter.findings) == 6
    assert [section.heading for section in chapter.sections] == [
        "What was going on",
        "What was done, and what came of it",
        "What was known, and from when on",
        "What the log does not show",
    ]


@pytest.mark.parametrize(
    "piece",
    [
        "the person wrote “What about a larger pool?”",
        "the assistant wrote `/etc/systemd/system/billing.service` on `10.20.0.7`",
        "Against the text in message msg_006, it puts in `--pool-size 40` and takes out `--pool-size 20`.",
        "with no copy of the file, no configuration test and no staging step before it",
        "ran a restart of `billing.service` on `10.20.0.7`",
        "The client ended it at its time limit of 15 s.",
        "was not yet up 5 min 3 s later",
        "By that measure a limit of 15 s could not have sufficed.",
        "20 s could not have sufficed either",
        "is empty: no text and no call.",
        "nothing told the person that the command had been cut off at a time limit",
        "The person next wrote “can we do 40?”",
        "the person built on an unknown state of `billing.service`",
        "was changed again before any check",
        "`billing.service` was unknown from message msg_007 to message msg_014, for six messages and 1 min 26 s; "
        "then a check found it good.",
        "went on after the limit, or was stopped with it, is not recorded",
    ],
)
def test_the_chapter_tells(incident: Narrative, piece: str) -> None:
    assert any(piece in sentence for sentence in sentences(incident.chapters[0])), piece


def test_causes_stand_before_effects(incident: Narrative) -> None:
    text = "\n".join(sentences(incident.chapters[0]))
    order = ["a larger pool", "assistant wrote", "ran a restart", "time limit of 15 s", "is empty", "can we do 40",
             "changed again", "time limit of 20 s", "is it up"]  # fmt: skip
    places = [text.index(piece) for piece in order]
    assert places == sorted(places)


def test_next_commands_are_for_this_very_target(incident: Narrative) -> None:
    lines = [command.line for command in incident.chapters[0].next_commands]
    assert "ssh root@10.20.0.7 systemctl status billing.service --no-pager" in lines
    assert "ssh root@10.20.0.7 journalctl -u billing.service -n 50 --no-pager" in lines
    assert "ssh root@10.20.0.7 'curl -fsS http://localhost:8000/health'" in lines
    assert "ssh root@10.20.0.7 systemd-analyze verify /etc/systemd/system/billing.service" in lines


def test_headline_and_numbers(incident: Narrative) -> None:
    assert incident.headline.text == (
        "Two restarts of `billing.service` on `10.20.0.7` were cut off after 15 s and 20 s; the person got two "
        "empty messages, and the state of the service stayed unknown for 1 min 26 s, six messages."
    )
    assert [(number.value, number.label) for number in incident.numbers] == [
        ("6", "faults"),
        ("0", "never closed"),
        ("1 min 26 s", "longest unknown state"),
        ("1", "production target touched"),
    ]


def test_states_of_the_target_are_one_line_of_time(incident: Narrative) -> None:
    assert incident.picture is not None
    lane = incident.picture.lanes[2]
    assert lane.name == "billing.service"
    states = [interval.state for interval in lane.intervals]
    assert states[-4:] == ["good", "unverified", "unknown", "good"]
    ends = [interval.end for interval in lane.intervals]
    assert [interval.start for interval in lane.intervals][1:] == ends[:-1]
    assert ends[-1] == incident.picture.width


def test_things_to_know(incident: Narrative) -> None:
    things = {(thing.kind, thing.value): thing for thing in incident.chapters[0].things}
    host = things["host", "10.20.0.7"]
    assert host.first.message_index is not None
    assert host.last.message_index is not None
    assert host.first.message_index < host.last.message_index
    assert ("file", "/etc/systemd/system/billing.service") in things


SESSIONS = ("incident", "quiet", "tame", "hostile", "long")


def session_of(made: ModuleType, name: str) -> object:
    return {
        "incident": made.incident,
        "quiet": made.quiet,
        "tame": lambda: made.everywhere(made.TAME),
        "hostile": lambda: made.everywhere(made.HOSTILE),
        "long": lambda: made.long(60),
    }[name]()


@pytest.mark.parametrize("name", SESSIONS)
def test_no_statement_without_evidence(made: ModuleType, name: str) -> None:
    session = session_of(made, name)
    for narrative in (tell(made.judged(session)), tell(made.judged(session), message="#0")):
        found = list(made.statements(narrative))
        assert found
        for statement in found:
            assert statement.evidence, statement.text
            assert statement.text[-1] in ".?!…”)", statement.text


@pytest.mark.parametrize("name", ["incident", "quiet", "tame", "long"])
def test_quotes_are_exact(made: ModuleType, name: str) -> None:
    session = session_of(made, name)
    quotes = [
        value
        for value in made.structs(tell(made.judged(session)))
        if isinstance(value, Evidence) and value.quote and value.message_index is not None
    ]
    for at in quotes:
        assert at.quote in made.texts_at(session, at), (at.label, at.quote)
        assert len(at.quote) <= 200


def test_no_statement_speaks_of_intent_or_feelings(incident: Narrative, made: ModuleType) -> None:
    forbidden = ("want", "intend", "hope", "feel", "trust", "believ", "assum", "forgot", "careless", "frustrat",
                 "impatien", "decided to", "tried to", "thought")  # fmt: skip
    for narrative in (incident, tell(made.judged(made.incident()), message="#8")):
        for statement in made.statements(narrative):
            plain = statement.text.lower()
            assert not [word for word in forbidden if word in plain], statement.text


def test_equal_twice(made: ModuleType) -> None:
    first, second = (msgspec.json.encode(tell(made.judged(made.incident()))) for _ in range(2))
    assert first == second


def test_quiet_page_says_what_was_looked_at(made: ModuleType) -> None:
    narrative = tell(made.judged(made.quiet()))
    assert narrative.chapters == ()
    assert narrative.headline.text == "No rule found a fault: one change was made, and nothing was left open."
    looked = next(section for section in narrative.conduct if section.heading == "What was looked at")
    assert looked.statements[0].text == "Three rules looked at it."
    assert looked.statements[0].names == (
        "empty-message-after-timeout", "unacknowledged-long-running-restart", "unverified-production-edit",
    )  # fmt: skip


def test_without_a_message_there_is_no_all_clear(made: ModuleType) -> None:
    empty = msgspec.structs.replace(made.quiet(), messages=())
    assert tell(made.judged(empty)).headline.text.startswith("This log holds no message")


def test_good_conduct_is_told(made: ModuleType) -> None:
    narrative = told(
        made,
        asks("restart it"),
        bash("ssh root@web1 'systemctl restart shop'", limit=15, times_out=True),
        says("The restart hit the limit of 15 s and may still be running; I check it now."),
        bash("ssh root@web1 'systemctl status shop'", output="Active: active (running)"),
        says("shop is active."),
    )
    assert narrative.chapters == ()
    text = "\n".join(s.text for section in narrative.conduct for s in section.statements)
    assert "was told to the reader in message" in text
    assert "showed the state of what message" in text


def test_an_interruption_is_told(made: ModuleType) -> None:
    narrative = told(
        made,
        asks("wait for it"),
        bash("sleep 600", interrupted=True),
        asks("never mind, list the files"),
        says("a b"),
    )
    assert narrative.chapters == ()
    stepped = next(
        section for section in narrative.conduct if section.heading == "Where the person stepped in"
    )
    assert "while `sleep 600` was running" in stepped.statements[0].text
    assert "“never mind, list the files”" in stepped.statements[1].text


def test_two_stories_two_chapters(made: ModuleType) -> None:
    narrative = told(
        made,
        asks("restart the shop"),
        bash("ssh root@web1 'systemctl restart shop'", limit=15, times_out=True),
        nothing(),
        *(step for number in range(16) for step in (asks(f"read file {number}"), says("it says hello"))),
        asks("now the queue"),
        bash("ssh root@mq2 'systemctl restart rabbitmq-server'", limit=15, times_out=True),
        nothing(),
        asks("thanks"),
    )
    titles = [chapter.title for chapter in narrative.chapters]
    assert len(titles) == 2
    assert any("shop" in title for title in titles)
    assert any("rabbitmq-server" in title for title in titles)
    assert any("One more story" in statement.text for statement in narrative.lede)


def test_a_claim_without_evidence_is_told_once_with_what_is_known(made: ModuleType) -> None:
    narrative = told(
        made,
        asks("restart the shop"),
        bash("ssh root@web1 'systemctl restart shop'", limit=15, times_out=True),
        says("The shop is back up and running."),
        asks("great, raise the limit"),
        says("Which limit?"),
    )
    text = sentences(narrative.chapters[0])
    assert (
        "Message msg_002 says “The shop is back up and running.”; the last evidence on `shop`, message msg_001, "
        "was cut off."
    ) in text
    assert sum("back up and running" in sentence for sentence in text) == 1
    assert "Nothing in it tells the reader that the outcome is open." in text
    assert not any("claims success" in sentence for sentence in text)
    inferred = [
        s
        for section in narrative.chapters[0].sections
        for s in section.statements
        if s.certainty == "inferred"
    ]
    assert inferred


def test_what_a_child_told_and_what_was_passed_on(made: ModuleType) -> None:
    narrative = told(
        made,
        asks("have billing restarted"),
        child(
            bash("ssh root@web1 'systemctl restart shop'", limit=15, times_out=True),
            says("The restart was cut off after 15 s, I could not confirm it."),
            prompt="restart shop",
            result="cut off",
        ),
        says("The shop has been restarted."),
    )
    text = sentences(narrative.chapters[0])
    assert any("The person read, in message msg_002: “The shop has been restarted.”" in line for line in text)


def test_the_reader_is_told_of_once_a_turn(made: ModuleType) -> None:
    narrative = told(
        made,
        asks("restart the shop twice"),
        bash("ssh root@web1 'systemctl restart shop'", limit=15, times_out=True),
        bash("ssh root@web1 'systemctl restart shop --force'", limit=15, times_out=True),
        nothing(),
        asks("next"),
    )
    text = sentences(narrative.chapters[0])
    assert len([line for line in text if "is empty: no text and no call" in line]) == 1
    assert len([line for line in text if "The person next wrote" in line]) == 1


def test_an_edit_with_a_copy_says_so(made: ModuleType) -> None:
    narrative = told(
        made,
        asks("raise the limit"),
        bash("ssh root@web1 'cp /etc/nginx/nginx.conf /etc/nginx/nginx.conf.bak'"),
        bash("ssh root@web1 \"sed -i 's/512/1024/' /etc/nginx/nginx.conf\""),
        says("Done."),
        asks("thanks"),
    )
    text = sentences(narrative.chapters[0])
    assert any("A copy of `nginx.conf` was made in message" in sentence for sentence in text)
    assert not any("no copy of the file" in sentence for sentence in text)


def test_a_child_session_has_places_of_its_own(made: ModuleType) -> None:
    narrative = told(
        made,
        asks("have the cache restarted"),
        child(
            bash("ssh ops@cache1 'systemctl restart redis'", limit=15, times_out=True),
            nothing(),
            prompt="restart redis on cache1",
            result="",
        ),
        says("Done."),
    )
    (chapter,) = narrative.chapters
    anchors = {finding.at.anchor for finding in chapter.findings}
    assert anchors
    assert all(anchor is not None and anchor.startswith("s1m") for anchor in anchors)
    assert all("of child 1" in finding.at.label for finding in chapter.findings)


def test_the_chapter_on_one_message(made: ModuleType) -> None:
    session = made.incident()
    narrative = tell(made.judged(session), message=session.messages[8].id)
    chapter = narrative.chapters[0]
    assert chapter.kind == "message"
    assert chapter.anchor == "message"
    text = "\n".join(sentences(chapter))
    for piece in (
        "it holds neither text nor a call",
        "A time limit ended it at 15 s.",
        "the restart of `billing.service` on `10.20.0.7` from message msg_007 was open",
        "“can we do 40?”",
        "A reader of the chat saw nothing here.",
    ):
        assert piece in text


def test_an_empty_message_of_the_person(made: ModuleType) -> None:
    narrative = told(
        made, asks("debug the server"), bash("python serve.py --debug &", output=""), asks(""), says("Looking at the log."),
        message="#2",
    )  # fmt: skip
    text = "\n".join(sentences(narrative.chapters[0]))
    assert "The person sent message" in text
    assert "gives no direction" in text


def test_an_unknown_message_is_an_error(made: ModuleType) -> None:
    audit = made.judged(made.quiet())
    with pytest.raises(LookupError, match="no message '9999'"):
        tell(audit, message="9999")


def test_a_session_without_messages(made: ModuleType) -> None:
    from sessionlens.model import Session

    narrative = tell(made.judged(Session(id="ses_none", source_format="opencode-export")))
    assert narrative.picture is None
    assert all(statement.evidence for statement in made.statements(narrative))
    assert any("holds no messages" in s.text for section in narrative.conduct for s in section.statements)


def test_marks_are_merged_when_there_are_too_many(made: ModuleType) -> None:
    steps = [asks("poll it"), bash("ssh root@web1 'systemctl restart shop'", limit=15, times_out=True)]
    for _ in range(400):
        steps += [
            bash("ssh root@web1 'systemctl status shop'", output="Active: activating (start)"),
            waits(5),
        ]
    narrative = told(made, *steps, says("still starting"))
    assert isinstance(narrative.picture, Picture)
    assert all(len(lane.marks) <= 170 for lane in narrative.picture.lanes)


def test_an_empty_message_stands_in_the_lane_of_who_sent_it(incident: Narrative) -> None:
    assert incident.picture is not None
    person, assistant = incident.picture.lanes[:2]
    assert (person.name, {mark.kind for mark in person.marks}) == ("Person", {"request"})
    assert (assistant.name, assistant.detail) == ("Assistant", "two empty messages")
    assert {mark.kind for mark in assistant.marks} == {"silence"}


def test_what_could_not_be_read_is_said_at_once(made: ModuleType) -> None:
    first = tell(made.judged(made.everywhere("x"))).lede[0]
    assert first.text == "Two places of the log could not be read."
    assert [at.anchor for at in first.evidence] == ["limits"]
    assert not any("could not be read" in one.text for one in tell(made.judged(made.quiet())).lede)


def test_a_log_with_gaps_is_not_called_quiet_as_a_whole(made: ModuleType) -> None:
    lost = (Gap(reason="cut short", origin=Origin(line=3)),)
    narrative = tell(made.judged(msgspec.structs.replace(made.quiet(), gaps=lost)))
    assert narrative.headline.text.startswith("In what could be read, no rule found a fault: one change")


def test_the_head_and_the_ledger_say_from_when_on_nobody_knew(made: ModuleType) -> None:
    narrative = told(made, asks("restart it"), bash(RESTART, limit=15, times_out=True), says("Done."))
    assert "(from 09:00:21 UTC)" in narrative.numbers[2].detail
    assert narrative.ledger[0].unknown_for.endswith("(from 09:00:21 UTC)")
    stopped = told(made, asks("restart it"), bash(RESTART, interrupted=True), asks("stop"))
    assert [row.told for row in stopped.ledger] == ["the person stopped it"]


def test_local_edits_are_no_production_targets(made: ModuleType) -> None:
    narrative = told(made, asks("fix it"), edit("src/a.py"), says("Done."))
    assert narrative.numbers[3].value == "0"
    assert isinstance(narrative.picture, Picture)
    assert [lane.name for lane in narrative.picture.lanes] == ["Person", "Tools"]
    assert [mark.kind for mark in narrative.picture.lanes[1].marks] == ["change"]


def test_a_session_without_a_fault_is_told_turn_by_turn(made: ModuleType) -> None:
    steps = []
    for number in range(15):
        steps += [
            asks(f"fix number {number}"),
            edit("src/a.py"),
            bash("pytest -q", output="3 passed"),
            says("Done."),
        ]
    narrative = told(made, *steps)
    (section,) = (one for one in narrative.conduct if one.heading.startswith("What was asked"))
    assert len(section.statements) == 13
    assert "“fix number 0”. Two calls followed, with one change" in section.statements[0].text
    assert section.statements[-1].text == "Three more turns followed."


def test_a_session_without_a_title_is_called_by_its_first_words(made: ModuleType) -> None:
    session = msgspec.structs.replace(made.quiet(), title=None)
    assert tell(made.judged(session)).meta.title == "“fix the typo in the greeting”"


def test_statement_type_is_plain_data() -> None:
    statement = Statement(text="x", certainty="observed", evidence=())
    assert msgspec.json.decode(msgspec.json.encode(statement), type=Statement) == statement


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("is it up?", "It asks how things stand"),
        ("is billing running again after all of that?", "It asks how things stand"),
        ("Which log level is configured?", "It asks a question that does not name"),
    ],
)
def test_a_question_is_for_the_state_only_when_it_can_be(made: ModuleType, asked: str, told: str) -> None:
    example = Example(
        "a question", asks("restart billing"), made.restart(15), nothing(), asks(asked), says("Let me see.")
    )
    narrative = tell(made.judged(made.numbered(example.build()[0])))
    assert any(one.text.startswith(told) for one in made.statements(narrative))


def test_findings_beyond_the_chapters_are_listed_everywhere(made: ModuleType) -> None:
    from io import StringIO

    from sessionlens.report import html, markdown, text

    audit = made.judged(made.many(45))
    narrative = tell(audit)
    assert len(narrative.chapters) == 40
    told = {finding.fingerprint for chapter in narrative.chapters for finding in chapter.findings}
    further = {finding.fingerprint for finding in narrative.further}
    assert told | further == {finding.fingerprint for finding in audit.findings}
    assert not told & further
    page = html.page(narrative, audit)
    assert all(f'data-fingerprint="{one}"' in page for one in further)
    for writer in (markdown, text):
        out = StringIO()
        writer.render(narrative, audit, out)
        assert "Further findings" in out.getvalue()
        assert "unit44" in out.getvalue().split("Further findings")[1]


def test_what_was_redacted_is_told(made: ModuleType) -> None:
    from sessionlens.redact import Redactions

    audit = made.judged(made.quiet())

    def limits(redactions: Redactions | None) -> str:
        return " ".join(s.text for s in tell(msgspec.structs.replace(audit, redactions=redactions)).limits)

    assert "Redaction was off" in limits(None)
    assert "Nothing was found to redact." in limits(Redactions())
    some = Redactions(total=3, by_kind={"password": 2, "email": 1}, distinct={"password": 1, "email": 1})
    assert "Three places hold a stand-in" in limits(some)
    assert "two of kind password and one of kind email" in limits(some)


def on_each(hosts: list[str], command: str) -> str:
    return f"for h in {' '.join(hosts)}; do ssh root@$h {command}; done"


MANY = [f"web{number:02}" for number in range(1, 21)]


@pytest.fixture(scope="module")
def one_of_many(made: ModuleType) -> Narrative:
    shown = "\n".join("failed" if host == "web17" else "active" for host in MANY)
    return told(
        made,
        asks("restart nginx on web01 to web20"),
        bash(on_each(MANY, "systemctl restart nginx"), limit=120, times_out=True),
        bash(on_each(MANY, "systemctl is-active nginx"), output=shown),
        says("nginx is restarted."),
    )


def test_of_many_targets_the_bad_one_has_a_lane(one_of_many: Narrative) -> None:
    picture = one_of_many.picture
    assert picture is not None
    assert picture.left_out == len(MANY) - 8
    details = [lane.detail for lane in picture.lanes]
    assert any("web17" in detail for detail in details)
    assert any("web01" in detail for detail in details)


def test_of_many_operations_the_bad_one_stands_first(one_of_many: Narrative) -> None:
    assert [row.target.split()[-1] for row in one_of_many.ledger[:3]] == ["web17", "web01", "web02"]


def test_the_headline_says_of_which_the_person_was_not_told(made: ModuleType) -> None:
    narrative = told(
        made,
        asks("restart nginx on all"),
        bash(on_each(["web1", "web2", "web3"], "systemctl restart nginx"), limit=120, times_out=True),
        says("The restart on web1 was cut off by the limit; I do not know its state."),
    )
    assert [row.told.startswith("message") for row in narrative.ledger] == [True, False, False]
    assert "the person was not told of `nginx` on `web2` and `web3`" in narrative.headline.text


def test_the_headline_gives_the_longest_unknown_state_of_those_that_had_it(made: ModuleType) -> None:
    narrative = told(
        made,
        asks("restart nginx on all"),
        bash(on_each(["web1", "web2", "web3"], "systemctl restart nginx"), limit=120, times_out=True),
        bash("ssh root@web1 systemctl is-active nginx", output="active"),
        says("nginx runs."),
    )
    assert "the state of `nginx` on `web2` and `web3` stayed unknown to the end of the log" in (
        narrative.headline.text
    )


def test_what_was_said_after_each_of_many_changes_is_read_no_further_than_it_is_told(
    made: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    many, read = 120, 0
    plain = Context.said_between

    def counting(self: Context, begin: Event, end: Event | None) -> Iterator[Said]:
        nonlocal read
        for said in plain(self, begin, end):
            read += 1
            yield said

    monkeypatch.setattr(Context, "said_between", counting)
    gone = (bash(f"ssh prod-db1 'rm -rf /srv/d/{number}x'") for number in range(many))
    told(made, asks("clean up"), *gone, says("Done."))
    assert many <= read <= 4 * many
