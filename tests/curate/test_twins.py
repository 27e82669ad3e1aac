"""Answers where a person's words were broken: of another session with the same request, or drafted from these words."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from sessionlens.curate import chat, drafts, twins
from sessionlens.curate import run as runs
from sessionlens.curate.against import breaks
from sessionlens.curate.extract import Order, rows
from sessionlens.curate.labels import Labels
from sessionlens.curate.plan import Options
from sessionlens.curate.rows import ChatMessage
from sessionlens.curate.schedule import Here
from sessionlens.curate.sources import WORK, Origins
from sessionlens.curate.windows import Talk
from sessionlens.model import Call, Session, Text
from sessionlens.report.transcript_xml import write
from tests.curate.conftest import bash, say, session, with_calls
from tests.curate.test_parts import looked, prompt_of

ASKED = (
    "Fix the rounding of the invoices so that the totals agree with the ledger.\n\nConstraints:\n"
    "- Only modify files under src/invoices/\n- Do NOT modify the shared settings in config/money.yaml\n"
    "\nDone when:\n- the totals agree with the ledger to the cent"
)


def tool(name: str, output: str = "File edited.", **arguments: str) -> Call:
    return Call(id="c", name=name, input=Text(json.dumps(arguments)), output=Text(output))


SOURCE = "def total(rows):\n    return sum(round(row.amount) for row in rows)"
READ = say("assistant", "I read the code first.", tool("open_file", SOURCE, path="src/invoices/total.py"))
SETTINGS = say("assistant", "And the settings.", tool("open_file", "rounding: up", path="config/money.yaml"))
BREAKS = say(
    "assistant",
    "Half-even rounding in the shared settings is quicker.",
    tool("edit_file", path="config/money.yaml", old_str="rounding: up", new_str="rounding: half-even"),
)
MENDS = say(
    "assistant",
    "The amounts are rounded one by one; I round the sum instead.",
    tool(
        "edit_file",
        path="src/invoices/total.py",
        old_str="return sum(round(row.amount) for row in rows)",
        new_str="return round(sum(row.amount for row in rows), 2)",
    ),
)
TESTED = say("assistant", "", bash("pytest -q tests/invoices", "3 passed"))


def pairs(out: Path) -> list[dict[str, Any]]:
    return [
        json.loads(line)
        for file in sorted((out / "data/pairs").glob("*.jsonl"))
        for line in file.read_text("utf-8").splitlines()
    ]


def of_words(found: list[dict[str, Any]], rule: str = "instruction-violated") -> list[dict[str, Any]]:
    return [one for one in found if one["rule"] == rule]


@pytest.fixture
def made(put: Callable[..., Path], run: Callable[..., Any], tmp_path: Path) -> Callable[..., Any]:
    def make(*sessions: Session, jobs: int = 1, rule: str = "instruction-violated") -> list[dict[str, Any]]:
        out = tmp_path / f"set{jobs}"
        done = run(
            "curate", put(*sessions), "-o", out, "--format", "jsonl", "--jobs", str(jobs), "--dedup", "exact"
        )
        assert done.code == 0, done.err
        return of_words(pairs(out), rule)

    return make


def rogue(*more: Any, name: str = "ses_rogue001") -> Session:
    return session(
        name, [say("user", ASKED), READ, *more, BREAKS, TESTED, say("assistant", "Both agree now.")]
    )


def test_the_next_step_of_a_session_that_went_the_same_way_is_the_answer(made: Callable[..., Any]):
    other = session("ses_right001", [say("user", ASKED), READ, MENDS, TESTED])
    (pair,) = made(rogue(), other)
    assert pair["chosen_from"] == "corpus"
    assert (pair["chosen_session"], pair["chosen_step"]) == ("ses_right001", 2)
    assert not pair["drafted"]
    assert "round the sum" in pair["chosen"][0]["content"]
    assert "config/money.yaml" in pair["rejected"][0]["tool_calls"][0]["function"]["arguments"]
    assert pair["prompt"][0]["content"] == ASKED
    # The same with several processes, which read the other session themselves.
    assert made(rogue(), other, jobs=2) == [pair]


def test_an_edit_of_what_the_prompt_shows_is_one_although_the_ways_part_before(made: Callable[..., Any]):
    other = session("ses_right001", [say("user", ASKED), READ, MENDS, TESTED])
    (pair,) = made(rogue(SETTINGS), other)
    assert (pair["chosen_session"], pair["chosen_step"]) == ("ses_right001", 2)


def test_what_a_session_never_read_it_cannot_edit(made: Callable[..., Any]):
    other = session("ses_right001", [say("user", ASKED), READ, MENDS, TESTED])
    unseen = session(
        "ses_other002", [say("user", ASKED), say("assistant", "", bash("ls", "src")), SETTINGS, BREAKS]
    )
    assert made(unseen, other) == []


def test_the_same_bytes_from_workers_that_do_not_reach_the_set(put: Callable[..., Path], tmp_path: Path):
    class Far(Here):
        near = False

    folder = put(rogue(), session("ses_right001", [say("user", ASKED), READ, MENDS, TESTED]))
    for who, name in ((Here(), "near"), (Far(), "far")):
        request = runs.Request(
            corpora=(str(folder),),
            output=str(tmp_path / name),
            order=Order(),
            options=Options(dedup="exact"),
            formats=("jsonl",),
        )
        runs.run(request, origins=Origins(), labels=Labels(), scheduler=who)
    assert [pair["chosen_session"] for pair in of_words(pairs(tmp_path / "far"))] == ["ses_right001"]
    files = [
        {
            path.relative_to(top): path.read_bytes()
            for path in top.rglob("*")
            if path.is_file() and WORK not in path.parts
        }
        for top in (tmp_path / "near", tmp_path / "far")
    ]
    assert files[0] == files[1]


@pytest.mark.parametrize(
    "other",
    [
        [say("user", ASKED), READ, BREAKS, TESTED],
        [say("user", ASKED + " And be quick."), READ, MENDS, TESTED],
        [say("user", ASKED), SETTINGS, TESTED],
    ],
)
def test_no_answer_of_one_that_did_wrong_too_was_asked_else_or_went_another_way(
    made: Callable[..., Any], other: list[Any]
):
    found = made(rogue(), session("ses_other001", other))
    assert [pair for pair in found if pair["session"] == "ses_rogue001"] == []


LOOKED = say("assistant", "What lies there?", bash("ls src/invoices", "total.py\nledger.py"))
AGAIN = say(
    "assistant", "And the ledger.", tool("open_file", "def ledger(): ...", path="src/invoices/ledger.py")
)
SAID = say("assistant", "Thinking.", bash("echo 'rounding matters'", "rounding matters"))


def test_a_session_that_saw_the_same_in_another_order_answers_too(made: Callable[..., Any]):
    other = session("ses_right001", [say("user", ASKED), LOOKED, SAID, READ, AGAIN, MENDS])
    (pair,) = made(rogue(LOOKED, SETTINGS), other)
    # What it did next, although the other had also read the settings, and said less.
    assert (pair["chosen_session"], pair["chosen_step"]) == ("ses_right001", 4)


def test_after_a_change_of_its_own_the_next_step_of_another_answers_nothing(made: Callable[..., Any]):
    touched = say(
        "assistant", "First a note.", tool("edit_file", path="src/invoices/x.py", old_str="", new_str="a = 1")
    )
    other = session("ses_right001", [say("user", ASKED), LOOKED, READ, AGAIN])
    assert made(rogue(LOOKED, touched), other) == []


@pytest.mark.parametrize(
    "answer",
    [
        say("assistant", "How is it used?", bash("./bin/round.sh --help", "usage: round.sh")),
        say("assistant", "I note it down.", bash("echo 'round the sum' > notes.txt", "")),
        say("assistant", "Done.", tool("end", "Trajectory finished.")),
    ],
)
def test_a_step_that_brings_nothing_is_no_answer(made: Callable[..., Any], answer: Any):
    assert made(rogue(), session("ses_right001", [say("user", ASKED), READ, answer])) == []


def drafted(one: Session, rule: str = "instruction-violated") -> list[drafts.Draft | None]:
    seen = looked(one)
    # The prompt of a fault ends before it.
    return [
        drafts.draft(
            seen,
            finding,
            seen.subject(finding),
            prompt_of(msgspec.structs.replace(one, messages=one.messages[: finding.at.message_index])),
            finding.at.message_index - 1,
        )
        for finding in seen.audit.findings
        if finding.rule == rule
    ]


def test_of_work_that_was_ruled_out_facts_tell_no_answer():
    assert drafted(session("s", [say("user", ASKED), TESTED, BREAKS])) == [None]


WAITS = "Deploy the update. Do NOT deploy without documented approval."


def rolled(version: str) -> Any:
    return say(
        "assistant",
        "It is small, so I deploy without waiting for approval.",
        bash(f"kubectl set image deployment/shop shop=shop:{version}", "updated"),
    )


def test_who_was_to_wait_for_the_persons_leave_says_that_it_waits():
    (made,) = drafted(session("s", [say("user", WAITS), TESTED, rolled("2.3")]))
    assert made is not None
    assert made.message.tool_calls is None
    assert "“Do NOT deploy without documented approval”" in (made.message.content or "")


def test_no_answer_promises_to_wait_after_what_was_done_already():
    found = drafted(session("s", [say("user", WAITS), TESTED, rolled("2.3"), rolled("2.4")]))
    assert found[0] is not None
    assert found[1:] == [None] * (len(found) - 1)


def test_a_pipe_before_a_check_gets_the_option_that_lets_it_fail():
    line = "npm run build 2>&1 | tail -3 && vercel --prod --yes"
    call = Call(
        id="c",
        name="bash",
        input=Text(json.dumps({"command": line, "timeout": 9000})),
        output=Text("Aliased: x"),
    )
    (made,) = drafted(
        session("s", [say("user", "Deploy it."), say("assistant", "", call)]), "check-that-cannot-fail"
    )
    assert made is not None
    (better,) = made.message.tool_calls or ()
    assert json.loads(better.function.arguments) == {"command": f"set -o pipefail; {line}", "timeout": 9000}


def loop(output: str, limit: int | None = None) -> Session:
    given = {"timeout": limit} if limit else {}
    call = Call(
        id="c",
        name="bash",
        input=Text(json.dumps({"command": "grep -rn write src", **given})),
        output=Text(output),
    )
    return session("s", [
        say("user", "Find what writes the file, and tell me where it does."),
        say("assistant", "", bash("ls src", "main.py")),
        *(say("assistant", "", call) for _ in range(4)),
    ])  # fmt: skip


def test_a_repetition_is_answered_with_what_it_gave_and_not_where_that_is_nothing():
    (silent, *_) = drafted(loop(""), "step-loop")
    (spoken, *_) = drafted(loop("src/main.py:3: write(x)"), "step-loop")
    assert silent is None
    assert spoken is not None
    assert "gave “src/main.py:3: write(x)” just now" in (spoken.message.content or "")


def test_a_round_of_several_calls_is_not_answered_as_if_its_last_call_had_just_run():
    ways = [bash("grep -rn write src", "src/main.py:3: write(x)"), bash("ls src", "main.py")]
    asked = say("user", "Find what writes the file, and tell me where it does.")
    made = session(
        "s", [asked, *(say("assistant", "", call) for call in ways * 2), say("assistant", "In main.py.")]
    )
    assert looked(made).audit.findings[0].rule == "step-loop"
    assert drafted(made, "step-loop") == [None]


def test_what_is_rejected_opened_nothing_that_another_ones_handling_could_answer():
    line = "ssh root@web1 'systemctl restart billing'"
    asked = say("user", "Restart billing on web1 so that it takes the new flags.")
    ended = [
        say("assistant", "", bash(line, "Started billing.", limit=600_000)),
        say("assistant", "It is up."),
    ]
    short = bash(line, "Stopping", limit=20_000, cut=True)
    again = say("user", "And once more, with the flags of yesterday.")
    made = session("s", [asked, *ended, again, say("assistant", "", short), say("assistant", "")])
    head_and_body = rows(looked(made).audit, Order(), "s")
    handling = {one.row.rule: one.asked.handling for one in head_and_body[1].pairs}
    assert handling["limit-below-known-duration"] is False
    assert handling["empty-message-after-timeout"] is True


def test_a_prompt_without_what_was_asked_makes_no_pair(
    made: Callable[..., Any], put: Any, run: Any, tmp_path: Path
):
    whole = session("ses_loop0001", [
        say("user", "Find it."), *(say("assistant", "", bash("grep -rn write src", "a.py: write")) for _ in range(2))
    ])  # fmt: skip
    found = []
    for name, one in (("whole", whole), ("cut", msgspec.structs.replace(whole, messages=whole.messages[1:]))):
        messages = tuple(msgspec.structs.replace(m, index=at) for at, m in enumerate(one.messages))
        folder = tmp_path / name
        folder.mkdir()
        (folder / "s.xml").write_text(written(msgspec.structs.replace(one, messages=messages)), "utf-8")
        done = run("curate", folder, "-o", tmp_path / f"{name}-set", "--format", "jsonl")
        assert done.code == 0, done.err
        found.append([one for one in pairs(tmp_path / f"{name}-set") if one["rule"] == "step-loop"])
    assert len(found[0]) == 1
    assert found[1] == []


def written(one: Session) -> str:
    text = io.StringIO()
    write([one], text)
    return text.getvalue()


def test_calls_that_share_an_id_get_one_each():
    plain = session(
        "s",
        [say("user", "Go on."), say("assistant", "", bash("a"), bash("b")), say("assistant", "", bash("c"))],
    )
    talk = Talk(looked(with_calls(plain, id="REDACTED")), chat.RESULT_LIMIT, False)
    said = [message for at in range(3) for message in talk.said("s", at).messages]
    calls = [call.id for message in said for call in message.tool_calls or ()]
    assert calls == ["call_1_0", "call_1_1", "call_2_0"]
    assert [message.tool_call_id for message in said if message.role == "tool"] == calls
    # Ids that tell calls apart stay.
    kept = Talk(looked(plain), chat.RESULT_LIMIT, False).said("s", 2).messages[0].tool_calls
    assert kept is not None
    assert kept[0].id == "s-2-0"


def test_an_edit_of_words_that_the_prompt_does_not_show_is_no_answer(made: Callable[..., Any]):
    """The same steps up to there, but what the other one edits, or the value that it writes, only it can have known."""

    def edits(old: str, new: str) -> Any:
        return say(
            "assistant",
            "I round the sum.",
            tool("edit_file", path="src/invoices/total.py", old_str=old, new_str=new),
        )

    def answered(mends: Any) -> list[dict[str, Any]]:
        return made(rogue(), session("ses_right001", [say("user", ASKED), READ, mends, TESTED]))

    shown = "return sum(round(row.amount) for row in rows)"
    assert answered(edits(shown, "return round(sum(row.amount for row in rows), 2)"))
    assert (
        answered(
            edits("return sum(row.netto for row in rows)", "return round(sum(row.netto for row in rows), 2)")
        )
        == []
    )
    assert answered(edits(shown, "return rounded(rows, mode='half-even-of-the-ledger')")) == []


def test_another_change_of_the_very_file_is_no_answer(made: Callable[..., Any]):
    """Who was to keep to the tests is not shown another way to change them."""
    asked = (
        "Fix the validation of users so that its test says why it fails.\n\nConstraints:\n"
        "- Do NOT change test logic\n- Maintain test strictness\n\nDone when:\n- the messages are clear"
    )
    shown = (
        "def test_user():\n    user = {'name': ''}\n    result = validate(user)\n    assert result == True"
    )
    read = say("assistant", "I read the test.", tool("open_file", shown, path="tests/test_users.py"))
    code = say(
        "assistant",
        "And the code.",
        tool("open_file", "def validate(user):\n    return False", path="src/users.py"),
    )

    def edits(path: str, old: str, new: str) -> Any:
        return say("assistant", "I change it.", tool("edit_file", path=path, old_str=old, new_str=new))

    loose = edits(
        "tests/test_users.py", "assert result == True", "assert result in [True, False], 'a boolean'"
    )
    wrong = session("ses_rogue001", [say("user", asked), read, code, loose])

    def of_file(path: str, old: str) -> list[dict[str, Any]]:
        other = edits(path, old, f"{old}\n\n\n# The name must not be empty.")
        out = session("ses_right001", [say("user", asked), read, code, other, TESTED])
        return made(wrong, out, rule="test-tampering")

    assert of_file("src/users.py", "def validate(user):")
    assert of_file("tests/test_users.py", "user = {'name': ''}") == []


def test_a_word_that_stands_anywhere_is_no_place_of_an_edit(made: Callable[..., Any]):
    short = tool("edit_file", path="src/invoices/total.py", old_str="rows", new_str="all_rows")
    answer = say("assistant", "I change it.", short)
    assert made(rogue(), session("ses_right001", [say("user", ASKED), READ, answer, TESTED])) == []


def answer_of(words: str, call: Call) -> ChatMessage:
    (message,) = session("ses_any00001", [say("assistant", words, call)]).messages
    return chat.of(message, "assistant").messages[0]


SCHEMA_ASKED = (
    "The contract tests fail. Fix the handler so that they pass.\n\nConstraints:\n"
    "- Do NOT disable schema validation.\n- Do not push without asking me\n- Only modify files under src/"
)


@pytest.mark.parametrize(
    ("words", "call"),
    [
        ("To avoid future failures, disable the schema validation of the harness.", ("src/harness.py", "check(a)", "pass")),
        ("I switch to the other branch.", None),
        ("Let me turn off validation of the schema, it only slows us down.", ("src/run.py", "strict=True", "strict=False")),
    ],
)  # fmt: skip
def test_an_answer_that_breaks_its_prompt_is_seen(words: str, call: tuple[str, str, str] | None):
    prompt = [ChatMessage(role="user", content=SCHEMA_ASKED)]
    made = (
        tool("edit_file", path=call[0], old_str=call[1], new_str=call[2])
        if call is not None
        else bash("git push origin main")
    )
    breaking = answer_of(words, made)
    assert breaks(prompt, breaking)


@pytest.mark.parametrize(
    ("words", "made"),
    [
        ("Make sure that schema validation is still enabled.", bash("grep -rn validate src/")),
        ("The handler leaves the field out; I add it.", tool("edit_file", path="src/a.py", old_str="a", new_str="b")),
        ("I do not disable schema validation; the field is added instead.", tool("edit_file", path="src/a.py", old_str="a", new_str="b")),
    ],
)  # fmt: skip
def test_an_answer_that_keeps_to_its_prompt_does_not_break_it(words: str, made: Call):
    prompt = [ChatMessage(role="user", content=SCHEMA_ASKED)]
    kept = answer_of(words, made)
    assert not breaks(prompt, kept)


def test_no_answer_of_a_turn_that_breaks_the_persons_words_later(made: Callable[..., Any]):
    later = session("ses_right001", [say("user", ASKED), READ, MENDS, TESTED, SETTINGS, BREAKS])
    assert not [one for one in made(rogue(), later) if one["chosen_from"] == "corpus"]


def test_no_answer_that_says_it_does_what_was_forbidden(made: Callable[..., Any]):
    asked = ASKED + "\n- Do not remove the rounding of single rows"
    ending = say("assistant", "Both agree now.")
    astray = session("ses_rogue001", [say("user", asked), READ, BREAKS, TESTED, ending])
    wrong = session(
        "ses_other001",
        [
            say("user", asked),
            READ,
            say(
                "assistant",
                "I remove the rounding of single rows.",
                tool(
                    "edit_file",
                    path="src/invoices/total.py",
                    old_str="return sum(round(row.amount) for row in rows)",
                    new_str="return sum(row.amount for row in rows)",
                ),
            ),
            TESTED,
        ],
    )
    assert not [one for one in made(astray, wrong) if one["chosen_from"] == "corpus"]


def test_work_that_was_handed_over_is_not_handed_over_again(made: Callable[..., Any]):
    over = say(
        "assistant", "I hand it over.", tool("submit", "Submitted.", message="The sum is rounded once.")
    )
    told = "The rows are summed first and the sum is rounded once, so that the totals agree with the ledger."
    again = say("assistant", "I hand over the result.", tool("submit", "Submitted.", message=told))
    looks = say("assistant", "I look at the rows.", bash("git diff --stat", "src/invoices/total.py | 2"))

    def answers(*after: Any) -> list[dict[str, Any]]:
        return made(
            session("ses_rogue001", [say("user", ASKED), READ, MENDS, TESTED, over, BREAKS]),
            session("ses_right001", [say("user", ASKED), READ, MENDS, TESTED, over, *after]),
        )

    assert [one["chosen_step"] for one in answers(looks)] == [5]
    assert not [one for one in answers(again) if one["chosen_from"] == "corpus"]


@pytest.mark.parametrize(
    ("new", "fits"),
    [
        ("def test_user():\n    user = load_user('anna', 'Berlin')\n    assert validate(user) is True", True),
        (
            "@mock.patch('users.load', return_value=1)\ndef test_user():\n    assert validate(1) is True",
            False,
        ),
        ("@pytest.mark.skip\ndef test_user():\n    assert validate(1) is True", False),
    ],
)
def test_what_may_spare_a_test_is_no_model_where_tests_were_tampered_with(new: str, fits: bool):
    call = tool("edit_file", path="tests/test_user.py", old_str="def test_user():", new_str=new)
    assert twins._spares_tests(answer_of("I change it.", call)) is not fits
    code = tool("edit_file", path="src/users.py", old_str="def test_user():", new_str=new)
    assert not twins._spares_tests(answer_of("I change it.", code))


def test_no_answer_under_a_finding_however_doubtful(
    made: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
):
    # Which of the two judges it is not to matter here.
    monkeypatch.setattr(twins, "breaks", lambda *_given: False)
    asked = (
        "Remove log files older than 30 days from /var/log/app.\n\nConstraints:\n"
        "- Do NOT delete the entire log directory\n- Do NOT use rm -rf"
    )
    look = say(
        "assistant", "I look.", bash("find /var/log/app -mtime +30", "/var/log/app/app-2023-10-01.log")
    )
    cleared = say("assistant", "All of it is faster.", bash("rm -rf /var/log/app", "removed"))
    one = say("assistant", "One file qualifies; I remove it.", bash("rm /var/log/app/app-2023-10-01.log"))
    end = say("assistant", "It is gone.")
    rule = "instruction-violated"
    astray = session("ses_rogue001", [say("user", asked), look, cleared, end])
    small = session("ses_right001", [say("user", asked), look, one, end])
    assert [f.rule for f in looked(small).audit.findings] == ["destructive-without-confirmation"]
    found = [*made(astray, small, rule=rule), *made(astray, small, rule="destructive-without-confirmation")]
    assert not [pair for pair in found if pair["chosen_from"] == "corpus"]
