"""Planted faults: found where they were planted, the same for the same seed, and nothing else is harmed."""

import json
import os
from pathlib import Path

import pytest

from sessionlens import engine, loader, readers
from sessionlens.examples import Example, asks, bash, child, edit, read, says, waits
from sessionlens.injecting import EDIT, EMPTY, LOOP, RESTART, Planted, Skipped, inject
from sessionlens.model import Session

MISSION = (EMPTY, RESTART, EDIT)
RULES = {slug: rule for slug, rule in loader.classes().items() if slug in (*MISSION, LOOP)}
CORPUS = os.environ.get("SESSIONLENS_CORPUS")

SESSION: Session = Example(
    "a session where all goes well",
    asks("restart billing and raise its limit"),
    bash("ssh root@web1 'systemctl restart billing'", output="ok"),
    bash("ssh root@web1 'systemctl is-active billing'", output="active"),
    says("billing is active."),
    waits(3600),
    asks("now the limit"),
    bash("ssh root@web1 \"sed -i 's/a/b/' /etc/nginx/nginx.conf\""),
    bash(
        "ssh root@web1 'nginx -t'",
        output="nginx: configuration file /etc/nginx/nginx.conf test is successful",
    ),
    bash("ssh root@web1 'systemctl reload nginx && systemctl is-active nginx'", output="active"),
    says("nginx has the new configuration and is active."),
    waits(3600),
    asks("and the docs"),
    read("/home/dev/project/README.md", "hello"),
    child(bash("ls", output="a")),
    edit("/home/dev/project/README.md"),
    says("The README says so now."),
).build()[0]


def planted(session: Session, seed: int = 0, rules=RULES) -> list[Planted]:
    return [one for one in inject(session, rules, seed=seed) if isinstance(one, Planted)]


def found(session: Session, slug: str) -> set[int]:
    result = engine.audit(session, rules=[RULES[slug]()])
    return {finding.at.message_index for finding in result.findings if finding.at.session == session.id}


@pytest.mark.parametrize("seed", range(12))
def test_every_planted_fault_is_found_and_nothing_else(seed: int):
    made = planted(SESSION, seed)
    assert [(one.rule, one.how) for one in made] == [
        (EMPTY, "altered"), (EMPTY, "added"), (LOOP, "altered"), (LOOP, "added"),
        (RESTART, "altered"), (RESTART, "added"), (EDIT, "altered"), (EDIT, "added"),
    ]  # fmt: skip
    for one in made:
        assert found(one.session, one.rule) == {one.message_index, *one.also}, (one.rule, one.how, one.why)


def test_the_session_is_clean_before():
    for slug in RULES:
        assert found(SESSION, slug) == set()


def test_the_same_seed_plants_the_same_and_another_elsewhere():
    assert planted(SESSION, 3) == planted(SESSION, 3)
    assert planted(SESSION, 3, {EDIT: RULES[EDIT]}) == [
        one for one in planted(SESSION, 3) if one.rule == EDIT
    ]
    places = {(one.rule, one.how, one.message_index) for seed in range(8) for one in planted(SESSION, seed)}
    assert len(places) > 12


def test_a_planted_session_is_a_sound_one():
    for one in planted(SESSION, 5):
        messages = one.session.messages
        assert [message.index for message in messages] == list(range(len(messages)))
        ids = [message.id for message in messages]
        assert len(set(ids)) == len(ids)
        calls = [call.id for message in messages for call in message.calls]
        assert len(set(calls)) == len(calls)
        if one.how == "added":
            times = [message.time for message in messages if message.time is not None]
            assert times == sorted(times)


def test_a_claim_is_put_in_the_place_of_an_honest_word():
    slug = "claim-contradicted-by-evidence"
    rule = loader.classes()[slug]
    session = Example(
        "t",
        asks("make the tests pass"),
        bash(
            "pytest -q", exit=1, output="FAILED tests/test_pay.py::test_charge\n1 failed, 41 passed in 3.1s"
        ),
        says("One test still fails: test_charge."),
        asks("leave it"),
    ).build()[0]
    (altered,) = (one for one in planted(session, 1, {slug: rule}) if one.how == "altered")
    assert altered.message_index == 2
    result = engine.audit(altered.session, rules=[rule()])
    assert [finding.at.message_index for finding in result.findings] == [2]
    assert engine.audit(session, rules=[rule()]).findings == ()


def test_what_a_session_has_already_is_not_planted():
    bad = Example(
        "t", asks("x"), bash("ssh root@web1 'systemctl restart a'", limit=9, times_out=True), says("Next.")
    ).build()[0]
    skipped = {one.rule: one.reason for one in inject(bad, RULES) if isinstance(one, Skipped)}
    assert skipped[RESTART] == "the session has findings of it as it is"
    aider = Example("t", asks("x"), bash("ls", output="a"), says("y"), source_format="aider").build()[0]
    skipped = {one.rule: one.reason for one in inject(aider, RULES) if isinstance(one, Skipped)}
    assert "do not record" in skipped[EMPTY]


def test_a_session_without_scenes_gets_whole_ones():
    bare = Example("t", asks("hello"), says("hello")).build()[0]
    made = planted(bare)
    assert {(one.rule, one.how) for one in made} == {(slug, "added") for slug in RULES}
    for one in made:
        assert one.message_index in found(one.session, one.rule)


def test_a_session_without_times_gets_scenes_without():
    import msgspec

    session = Example("t", asks("hello"), says("hello")).build()[0]
    bare = [msgspec.structs.replace(message, time=None, ended=None) for message in session.messages]
    session = msgspec.structs.replace(session, messages=tuple(bare))
    for one in planted(session):
        assert all(message.time is None for message in one.session.messages)
        assert one.message_index in found(one.session, one.rule)


def test_the_commands_read_each_other(run, root: Path):
    log = str(root / "fixtures" / "opencode_export" / "1.18.33_timeout_empty.json")
    done = run("rules", "inject", log, "-o", "one", "--rule", EDIT, "--rule", LOOP, "--seed", "4")
    assert done.code == 0
    assert "planted 3 faults" in done.err
    again = run("rules", "inject", log, "-o", "two", "--rule", EDIT, "--rule", LOOP, "--seed", "4")
    assert again.code == 0
    files = sorted(file.name for file in Path("one").iterdir())
    assert files == sorted(file.name for file in Path("two").iterdir())
    assert all(Path("one", name).read_bytes() == Path("two", name).read_bytes() for name in files)
    rows = [json.loads(row) for row in Path("one/labels.jsonl").read_text("utf-8").splitlines()]
    assert {(row["rule"], row["verdict"]) for row in rows} == {
        (EDIT, "yes"),
        (EDIT, "no"),
        (LOOP, "yes"),
        (LOOP, "no"),
    }
    measured = json.loads(run("rules", "measure", "one", "--json").out)
    assert measured["not_read"] == []
    for row in measured["rules"]:
        assert (row["recall"]["value"], row["precision"]["value"], row["false_alarm_rate"]["value"]) == (
            1,
            1,
            0,
        )
    full = run("rules", "inject", log, "-o", "one")
    assert full.code == 2
    assert "is not empty" in full.err
    unread = run("rules", "inject", "nowhere.json", log, "-o", "three", "--rule", LOOP)
    assert unread.code == 3
    assert Path("three/labels.jsonl").exists()


@pytest.mark.slow
@pytest.mark.skipif(
    CORPUS is None, reason="SESSIONLENS_CORPUS is not set: no real sessions to plant faults into"
)
def test_on_ten_real_sessions_every_planted_fault_of_the_mission_rules_is_found(tmp_path: Path):
    from sessionlens.report import transcript_xml

    assert CORPUS is not None
    rules = {slug: RULES[slug] for slug in MISSION}
    sessions: list[Session] = []
    kinds: set[str] = set()
    for name in ("real", "opencode"):
        for file in sorted((Path(CORPUS) / name).rglob("*.*")):
            # Two of each kind of log, so that ten sessions are of many kinds.
            kind = file.relative_to(CORPUS).parts[1] if name == "real" else name
            if (
                len(sessions) == 10
                or f"{kind} 2" in kinds
                or file.suffix in (".tsv", ".db")
                or not file.is_file()
            ):
                continue
            if not 20_000 < file.stat().st_size < 600_000:
                continue
            try:
                (session,) = readers.read(str(file))
            except (readers.ReadError, ValueError):
                continue
            if len(planted(session, 0, rules)) >= 3:
                kinds.add(f"{kind} 2" if f"{kind} 1" in kinds else f"{kind} 1")
                sessions.append(session)
    assert len(sessions) == 10
    number = 0
    for session in sessions:
        for one in planted(session, 0, rules):
            file = tmp_path / "planted.xml"
            with file.open("w", encoding="utf-8") as stream:
                transcript_xml.write([one.session], stream)
            (back,) = readers.read(str(file))
            assert found(back, one.rule) == {one.message_index, *one.also}, f"{one.rule} {one.how} {one.why}"
            # Untouched, the session has no finding of it: the rule would not have been planted.
            assert found(session, one.rule) == set()
            number += 1
    assert number >= 30


def test_a_run_that_plants_nothing_leaves_no_folder(run):
    search = """<msg id="{}" role="assistant"><tool name="bash" status="completed">
<input>{{"command": "grep -rn limit src"}}</input><output>a</output></tool></msg>"""
    log = f"""<conversation_data format="sessionlens/1" session="s">
<msg id="1" role="user"><text>where?</text></msg>{search.format(2)}{search.format(3)}</conversation_data>"""
    Path("a.xml").write_text(log, "utf-8")
    done = run("rules", "inject", "a.xml", "-o", "out", "--rule", LOOP)
    assert "planted 0 faults, 1 not planted; nothing was written" in done.err
    assert not Path("out").exists()
    assert run("rules", "inject", "not-there.xml", "-o", "out").code != 0
    assert not Path("out").exists()
    one = run("rules", "inject", "a.xml", "-o", "out", "--rule", RESTART)
    assert "planted 1 fault, 1 not planted; measure with" in one.err
    assert Path("out/labels.jsonl").is_file()
