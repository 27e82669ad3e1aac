"""``sessionlens audit``: destinations, several sources, exit codes, what goes to which stream."""

import gc
import json
import os
import shutil
import threading
from pathlib import Path

import pytest

from sessionlens import __main__, engine, redact
from sessionlens.cli import work

RESTART = "ssh root@10.20.0.7 'systemctl restart billing.service'"


def log(name: str = "log.xml", *, faults: bool = True, session: str = "") -> Path:
    """A transcript in the current folder: with a fault, or with none."""
    cut = (
        f'<tool name="bash" call="c1" status="completed" limit_ms="15000" timed_out="true">'
        f'<input>{{"command": "{RESTART}"}}</input><output></output></tool>'
        if faults
        else ""
    )
    named = f' format="sessionlens/1" session="{session}"' if session else ""
    Path(name).write_text(
        f'<conversation_data{named}>\n<msg id="5" role="user"><text>restart it</text></msg>\n'
        f'<msg id="6" role="assistant"><text>On it.</text>{cut}</msg>\n<msg id="7" role="assistant"></msg>\n'
        '<msg id="8" role="user"><text>and now?</text></msg>\n</conversation_data>\n',
        encoding="utf-8",
    )
    return Path(name)


@pytest.fixture
def audit(run):
    return lambda *args, **rest: run("audit", *args, **rest)


def files() -> list[str]:
    return sorted(path.as_posix() for path in Path().rglob("*") if path.is_file())


def test_writes_a_page_named_after_the_file_and_sums_up_on_standard_error(audit):
    log()
    done = audit("log.xml")
    assert (done.code, done.out) == (0, "")
    assert files() == ["log.audit.html", "log.xml"]
    assert done.err.startswith("log.xml: 4 messages, 1 call; ")
    assert "message 7  empty-message-after-timeout: " in done.err
    assert done.err.rstrip().endswith("wrote log.audit.html")


def test_quiet_says_nothing(audit):
    log()
    done = audit("log.xml", "--quiet", "-o", "a.json")
    assert (done.code, done.out, done.err) == (0, "", "")


def test_the_suffix_says_the_form_and_several_are_written_at_once(audit):
    log()
    done = audit(
        "log.xml", *(part for s in ("html", "json", "sarif", "md", "txt") for part in ("-o", f"out.{s}"))
    )
    assert done.code == 0
    assert {f"out.{s}" for s in ("html", "json", "sarif", "md", "txt")} < set(files())
    assert "<html" in Path("out.html").read_text("utf-8")
    assert json.loads(Path("out.json").read_text("utf-8"))["schema"] == "sessionlens.audit/1"
    assert json.loads(Path("out.sarif").read_text("utf-8"))["version"] == "2.1.0"
    for name in ("out.md", "out.txt"):
        assert "empty-message-after-timeout" in Path(name).read_text("utf-8")


@pytest.mark.parametrize("form", ["html", "json", "sarif", "md", "txt"])
def test_standard_output_holds_the_result_and_nothing_else(audit, form: str):
    log()
    assert audit("log.xml", "-o", f"f.{form}").code == 0
    assert audit("log.xml", "--format", form, "-o", "-").raw == Path(f"f.{form}").read_bytes()


def test_standard_input(audit):
    text = log().read_bytes()
    done = audit("-", "--format", "json", "-o", "-", input=text)
    assert done.code == 0
    assert json.loads(done.out)["session"]["messages"] == 4


def test_twice_the_same_bytes(audit):
    log()
    for name in ("one", "two"):
        assert audit("log.xml", "-o", f"{name}.html", "-o", f"{name}.json", "-o", f"{name}.txt").code == 0
    for suffix in ("html", "json", "txt"):
        assert Path(f"one.{suffix}").read_bytes() == Path(f"two.{suffix}").read_bytes()


def test_no_absolute_path_leaves(audit, tmp_path: Path):
    log()
    audit(tmp_path / "log.xml", "-o", "p.html", "-o", "p.json", "-o", "p.sarif", "-o", "p.md", "-o", "p.txt")
    for path in Path().glob("p.*"):
        assert str(tmp_path) not in path.read_text("utf-8"), path


def test_several_sources_make_a_folder_with_an_index_or_one_document(audit):
    log("a.xml")
    log("b.xml", faults=False)
    done = audit("a.xml", "b.xml", "-o", "pages", "-o", "all.json", "-o", "all.sarif", "--jobs", "2")
    assert done.code == 0
    assert set(files()) == {
        "a.xml", "b.xml", "all.json", "all.sarif", "pages/a.audit.html", "pages/b.audit.html", "pages/index.html",
    }  # fmt: skip
    several = json.loads(Path("all.json").read_text("utf-8"))
    assert several["schema"] == "sessionlens.audits/1"
    assert [one["session"]["id"] for one in several["audits"]] == ["a", "b"]
    assert len(json.loads(Path("all.sarif").read_text("utf-8"))["runs"]) == 2
    index = Path("pages/index.html").read_text("utf-8")
    assert index.index("a.audit.html") < index.index("b.audit.html")


def test_jobs_change_nothing(audit):
    for name in ("a.xml", "b.xml", "c.xml"):
        log(name)
    one = audit("a.xml", "b.xml", "c.xml", "-o", "one.json")
    two = audit("a.xml", "b.xml", "c.xml", "-o", "two.json", "--jobs", "3")
    assert Path("one.json").read_bytes() == Path("two.json").read_bytes()
    assert one.err.replace("one.json", "") == two.err.replace("two.json", "")


def test_files_of_one_name_do_not_overwrite_each_other(audit):
    for folder in ("x", "y"):
        Path(folder).mkdir()
        log(f"{folder}/log.xml")
    assert audit("x/log.xml", "y/log.xml", "-o", "out/").code == 0
    assert {"out/log.audit.html", "out/log-2.audit.html"} < set(files())


def test_a_session_id_of_the_log_names_no_file_elsewhere(audit):
    log("a.xml", session="../../../tmp/evil")
    done = audit("-", "-o", "out/", input=Path("a.xml").read_bytes())
    assert done.code == 0
    assert [path for path in files() if path != "a.xml"] == ["out/_.._.._tmp_evil.audit.html"]


def test_one_bad_file_among_many_never_stops_the_rest(audit):
    log("a.xml")
    Path("empty.xml").write_bytes(b"")
    Path("picture.json").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(64))
    log("z.xml")
    for jobs in (1, 2):
        done = audit(
            "a.xml", "empty.xml", "picture.json", "nowhere.json", "z.xml", "-o", "all.json", "--jobs", jobs
        )
        assert done.code == 3
        errors = [line for line in done.err.splitlines() if line.startswith("error: ")]
        assert [error.split(":")[1].strip() for error in errors] == [
            "empty.xml",
            "picture.json",
            "nowhere.json",
        ]
        several = json.loads(Path("all.json").read_text("utf-8"))
        assert [one["session"]["id"] for one in several["audits"]] == ["a", "z"]
        assert [row["source"] for row in several["not_read"]] == ["empty.xml", "picture.json", "nowhere.json"]


def test_nothing_read_writes_nothing(audit):
    Path("empty.xml").write_bytes(b"")
    done = audit("empty.xml", "-o", "page.html")
    assert done.code == 3
    assert files() == ["empty.xml"]
    assert "Traceback" not in done.err


def test_fail_on(audit):
    log("a.xml")
    log("b.xml", faults=False)
    assert audit("a.xml", "-o", "x.json").code == 0
    assert audit("a.xml", "-o", "x.json", "--fail-on", "low").code == 1
    assert audit("a.xml", "-o", "x.json", "--fail-on", "never").code == 0
    assert audit("b.xml", "-o", "x.json", "--fail-on", "info").code == 0


CRASH = """
from sessionlens.examples import Example, asks, says
from sessionlens.rule import Rule, dataclass

@dataclass(frozen=True, kw_only=True)
class Crashing(Rule):
    '''Crashes.

    ## What it flags
    x
    ## Why it matters
    x
    ## What to do
    x
    ## Facts
    none
    '''
    slug = "crashing"
    severity = "low"
    since = "0.1"
    examples = (Example("a", asks("x", flag="crashing")), Example("b", says("x")))

    def check(self, graph):
        raise KeyError("gone")
        yield
"""


def test_a_crashing_rule_is_told_and_the_rest_is_written(audit):
    log()
    Path("mine").mkdir()
    Path("mine/crashing.py").write_text(CRASH, encoding="utf-8")
    done = audit("log.xml", "--rules", "mine", "-o", "x.json", "-q")
    assert done.code == 4
    assert done.err == "error: log.xml: rule crashing did not finish: KeyError: 'gone' (crashing.py:24)\n"
    document = json.loads(Path("x.json").read_text("utf-8"))
    assert document["rule_errors"][0]["rule"] == "crashing"
    assert document["findings"]


def test_several_codes_at_once(audit):
    log()
    Path("mine").mkdir()
    Path("mine/crashing.py").write_text(CRASH, encoding="utf-8")
    found = ("--fail-on", "info")
    assert audit("log.xml", "--rules", "mine", "-o", "x.json", *found).code == 4
    assert audit("log.xml", "nowhere", "--rules", "mine", "-o", "x.json", *found).code == 3
    assert (
        audit("log.xml", "nowhere", "--rules", "mine", "-o", "x.json", "--message", "none", *found).code == 2
    )


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ((), "Missing argument 'SOURCE…'"),
        (("log.xml", "--fail-on", "awful"), "'awful' is not one of"),
        (("log.xml", "--select", "nobody"), "no rule is called nobody; there are"),
        (("log.xml", "-o", "page.pdf"), "no form has the suffix .pdf; known are .html"),
        (("log.xml", "-o", "nowhere/page.html"), "there is no folder nowhere"),
        (("log.xml", "-o", "-", "-o", "-"), "standard output takes one form"),
        (("log.xml", "--rules", "nowhere"), "rules do not load:\nnowhere: no folder"),
        (("log.xml", "--config", "nowhere.toml"), "nowhere.toml: cannot be read"),
        (("log.xml", "--format", "json", "-o", "log.xml"), "is the log itself"),
        (("log.xml", "--message", "99"), "no message 99 in what was read"),
        (("log.xml", "log.xml", "-o", "one.html"), "holds one session, and 2 were read"),
    ],
)
def test_wrong_usage(audit, args: tuple[str, ...], words: str):
    log()
    before = Path("log.xml").read_bytes()
    done = audit(*args)
    assert done.code == 2
    assert words in done.err
    assert Path("log.xml").read_bytes() == before


def test_a_configuration_is_found_and_its_faults_are_named(audit):
    log()
    Path("sessionlens.toml").write_text('[severity]\nempty-message-after-timeout = "info"\n', "utf-8")
    assert audit("log.xml", "-o", "x.json", "--select", "empty-message-after-timeout").code == 0
    (finding,) = json.loads(Path("x.json").read_text("utf-8"))["findings"]
    assert finding["severity"] == "info"
    Path("sessionlens.toml").write_text("[rules.nobody]\nx = 1\n", "utf-8")
    assert "sessionlens.toml: rules: no rule is called nobody" in audit("log.xml").err
    Path("sessionlens.toml").write_text("[rules.empty-message-after-timeout]\nx = 1\n", "utf-8")
    assert "rules.empty-message-after-timeout.x: unknown option" in audit("log.xml").err


def test_select_and_ignore(audit):
    log()
    audit("log.xml", "-o", "x.json", "--ignore", "empty-message-after-timeout,unverified-production-edit")
    stats = json.loads(Path("x.json").read_text("utf-8"))["stats"]
    assert "unacknowledged-long-running-restart" in stats["by_rule"]
    assert not {"empty-message-after-timeout", "unverified-production-edit"} & set(stats["by_rule"])


def test_a_message_gets_a_chapter_whether_or_not_a_rule_fires(audit):
    log(faults=False)
    without = audit("log.xml", "-o", "a.md")
    with_it = audit("log.xml", "-o", "b.md", "--message", "6")
    assert (without.code, with_it.code) == (0, 0)
    assert len(Path("b.md").read_text("utf-8")) > len(Path("a.md").read_text("utf-8"))


def test_a_file_that_was_there_stays_until_the_new_one_is_whole(audit, monkeypatch):
    log()
    Path("x.json").write_text("old", "utf-8")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    done = audit("log.xml", "-o", "x.json")
    assert done.code == 2
    assert "x.json cannot be written: No space left on device" in done.err
    assert files() == ["log.xml", "x.json"]
    assert Path("x.json").read_text("utf-8") == "old"


def test_text_of_a_log_cannot_move_the_terminal(audit):
    log("a.xml", session="ses_1\u202eevil")
    Path("b.xml").write_text(
        Path("a.xml")
        .read_text("utf-8")
        .replace("10.20.0.7", "\u202e10.20.0.7")
        .replace('id="7"', 'id="7\u2066"'),
        "utf-8",
    )
    done = audit("b.xml", "--format", "txt", "-o", "-")
    assert done.code == 0
    for stream in (done.out, done.err):
        assert not {"\u202e", "\u2066", "\x1b"} & set(stream)


def test_secrets_are_replaced_unless_that_is_off(audit):
    secret = "hunter2SuperSecret99"
    log()
    text = (
        Path("log.xml")
        .read_text("utf-8")
        .replace("restart it", f"use mysql -uroot -p{secret} then restart it")
    )
    Path("log.xml").write_text(text, "utf-8")
    audit(
        "log.xml",
        "-o",
        "a.html",
        "-o",
        "a.json",
        "-o",
        "a.md",
        "-o",
        "a.txt",
        "-o",
        "a.sarif",
        "--message",
        "5",
    )
    assert not [path.name for path in Path().glob("a.*") if secret in path.read_text("utf-8")]
    audit("log.xml", "-o", "b.html", "--no-redact")
    assert secret in Path("b.html").read_text("utf-8")


def test_the_schema_is_printed(audit):
    done = audit("--schema")
    assert done.code == 0
    assert json.loads(done.out)["title"] == "sessionlens.audit/1"


def test_a_source_that_takes_its_process_down_fails_alone(audit):
    Path("mine").mkdir()
    deadly = "import os\n        if graph.session.id == 'b':\n            os.kill(os.getpid(), 9)\n        return iter(())"
    Path("mine/crashing.py").write_text(CRASH.replace('raise KeyError("gone")', deadly), encoding="utf-8")
    for name in ("a.xml", "b.xml", "c.xml"):
        log(name)
    done = audit("a.xml", "b.xml", "c.xml", "-o", "all.json", "--jobs", "2", "--rules", "mine")
    assert done.code == 3
    several = json.loads(Path("all.json").read_text("utf-8"))
    assert [one["session"]["id"] for one in several["audits"]] == ["a", "c"]
    assert several["not_read"] == [{"source": "b.xml", "reason": "b.xml: the process that read it died"}]


def test_a_fault_of_our_own_is_said_as_one_and_the_other_sources_go_on(monkeypatch, audit):
    from sessionlens.cli import work

    real = work._audited

    def faulty(order, spec, *rest, **known):
        if spec == "a.xml":
            raise AssertionError("cannot be")
        return real(order, spec, *rest, **known)

    monkeypatch.setattr(work, "_audited", faulty)
    log("a.xml")
    log("b.xml")
    done = audit("a.xml", "b.xml", "-o", "all.json", "-q")
    assert done.code == 3
    assert "a fault of sessionlens, please report it: AssertionError: cannot be" in done.err
    assert len(json.loads(Path("all.json").read_text("utf-8"))["audits"]) == 1


def test_a_review_is_read_back_and_shown(audit):
    log(session="ses_1")
    audit("log.xml", "-o", "a.json")
    found = json.loads(Path("a.json").read_text("utf-8"))["findings"][0]["fingerprint"]
    verdict = {"fingerprint": found, "verdict": "dismiss", "note": "a drill"}
    body = {"schema": "sessionlens.review/1", "session": "ses_1", "verdicts": [verdict]}
    Path("review.json").write_text(json.dumps(body), encoding="utf-8")
    assert audit("log.xml", "-o", "a.html", "--review", "review.json").code == 0
    assert "<b>Dismissed in review</b>: a drill" in Path("a.html").read_text("utf-8")
    Path("review.json").write_text(json.dumps({**body, "session": "ses_2"}), encoding="utf-8")
    audit("log.xml", "-o", "a.html", "--review", "review.json")
    assert "in review</b>" not in Path("a.html").read_text("utf-8")


def test_a_file_that_is_no_review_is_wrong_usage(audit):
    log()
    Path("r.json").write_text("{}", encoding="utf-8")
    done = audit("log.xml", "-o", "a.html", "--review", "r.json")
    assert done.code == 2
    assert done.err.startswith("error: r.json: no sessionlens.review/1")
    assert not Path("a.html").exists()


def test_a_draft_of_a_review_by_its_name_and_in_a_folder(audit):
    log()
    assert audit("log.xml", "-o", "post-review.md", "-o", "plain.md").code == 0
    assert Path("post-review.md").read_text("utf-8").startswith("# Review: ")
    assert not Path("plain.md").read_text("utf-8").startswith("# Review: ")
    assert audit("log.xml", "-o", "drafts/", "--format", "review").code == 0
    assert Path("drafts/log.review.md").exists()
    assert audit("log.xml", "-o", "-", "--format", "review").out.startswith("# Review: ")


def test_private_names_are_replaced_when_asked_for(audit):
    log()
    assert "10.20.0.7" in audit("log.xml", "-o", "-", "--format", "md").out
    hidden = audit("log.xml", "-o", "-", "--format", "md", "--redact-also", "addresses")
    assert "10.20.0.7" not in hidden.out
    assert "address" in hidden.out
    assert audit("log.xml", "-o", "a.md", "--redact-also", "faces").code == 2
    assert audit("log.xml", "-o", "a.md", "--redact-also", "hosts", "--no-redact").code == 2


@pytest.mark.parametrize("form", ["html", "json", "md"])
def test_a_secret_that_is_left_in_the_output_fails_the_run(audit, monkeypatch, form):
    from sessionlens import redact

    log()
    assert audit("log.xml", "-o", f"good.{form}").code == 0
    monkeypatch.setattr(redact, "rescan", lambda text: ["github-token"] if "restart" in text else [])
    done = audit("log.xml", "-o", f"a.{form}")
    assert done.code == 3
    assert "still holds: github-token" in done.err
    assert not Path(f"a.{form}").exists()
    assert audit("log.xml", "-o", f"a.{form}", "--no-redact").code == 0


# --- folders with files that cannot be read ----------------------------------------------------------------

EXPORT_HEAD = (
    '{"info": {"id": "ses_half", "title": "t"}, "messages": [{"info": {"id": "msg_1", "role": "user"'
)
BOMB = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa">]><conversation_data>&a;</conversation_data>'


def mixed_folder() -> None:
    Path("logs/deep").mkdir(parents=True)
    log("logs/good.xml", session="ses_good", faults=False)
    Path("logs/deep/half.json").write_text(EXPORT_HEAD)
    Path("logs/other.json").write_text('{"some": "thing"}')
    Path("logs/lines.jsonl").write_text("[[1, 2]]\n")
    Path("logs/README.md").write_text("<p align=center>Logs</p>\n\nOf last week.\n")
    Path("logs/badge.md").write_text("[![Build](x.svg)](y)\n\nLogs of last week.\n")
    Path("logs/photo.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(64))
    Path("logs/empty.json").write_bytes(b"")


@pytest.mark.parametrize("jobs", [1, 2])
def test_files_of_a_folder_that_cannot_be_read_are_told_and_the_rest_is_judged(audit, jobs):
    mixed_folder()
    log("b.xml", session="ses_b", faults=False)
    done = audit("logs", "b.xml", "-o", "all.json", "--jobs", jobs)
    assert done.code == 3
    several = json.loads(Path("all.json").read_text("utf-8"))
    assert [one["session"]["id"] for one in several["audits"]] == ["ses_good", "ses_b"]
    unread = ["logs/lines.jsonl", "logs/other.json", "logs/deep/half.json"]
    assert sorted(row["source"] for row in several["not_read"]) == sorted(unread)
    errors = [line for line in done.err.splitlines() if line.startswith("error: ")]
    assert sorted(line.split(":")[1].strip() for line in errors) == sorted(unread)
    assert "logs: passed over 4 files that are no logs" in done.err
    assert "another log" not in json.dumps(several["audits"])


def test_one_good_log_of_a_folder_keeps_the_word_on_the_others(audit):
    mixed_folder()
    done = audit("logs", "-o", "all.json", "--quiet")
    assert done.code == 3
    assert "passed over" not in done.err
    several = json.loads(Path("all.json").read_text("utf-8"))
    assert several["schema"] == "sessionlens.audits/1"
    assert len(several["not_read"]) == 3


def test_a_hostile_file_in_a_folder_stops_nothing(audit):
    Path("logs").mkdir()
    Path("logs/bomb.xml").write_text(BOMB)
    log("logs/good.xml", session="ses_good", faults=False)
    done = audit("logs", "-o", "all.json")
    assert done.code in (0, 3)
    assert "ses_good" in Path("all.json").read_text("utf-8")
    # Either it is read with what it holds told, or it is told as not read.
    assert "bomb" in done.err


def test_results_of_an_earlier_run_beside_the_logs_are_no_logs(audit):
    Path("logs").mkdir()
    log("logs/good.xml", session="ses_good", faults=False)
    parts = [part for s in ("json", "sarif", "md", "html") for part in ("-o", f"logs/out.{s}")]
    assert audit("logs", *parts).code == 0
    done = audit("logs", "-o", "again.json")
    assert done.code == 0, done.err
    assert "passed over 4 files" in done.err


# --- one family in several sources -------------------------------------------------------------------------


def relative(name: str, session: str, parent: str = "", child: str = "") -> None:
    named = f' parent="{parent}"' if parent else ""
    task = (
        f'<tool name="task" call="t1" status="completed" child="{child}"><input>{{"prompt": "look"}}</input>'
        "<output>done</output></tool>"
        if child
        else ""
    )
    Path(name).write_text(
        f'<conversation_data format="sessionlens/1" session="{session}"{named}>\n'
        f'<msg id="{session}-1" role="user"><text>look</text></msg>\n'
        f'<msg id="{session}-2" role="assistant"><text>I look.</text>{task}</msg>\n</conversation_data>\n',
        encoding="utf-8",
    )


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("order", ["parent kid grandkid other", "other grandkid kid parent"])
def test_children_given_beside_their_parent_are_judged_inside_its_audit(audit, jobs, order):
    relative("parent.xml", "ses_parent", child="ses_kid")
    relative("kid.xml", "ses_kid", parent="ses_parent", child="ses_grandkid")
    relative("grandkid.xml", "ses_grandkid", parent="ses_kid")
    relative("other.xml", "ses_other", parent="ses_elsewhere")
    sources = [f"{name}.xml" for name in order.split()]
    done = audit(*sources, "-o", "all.json", "-o", "pages/", "--jobs", jobs)
    assert done.code == 0, done.err
    several = json.loads(Path("all.json").read_text("utf-8"))
    assert sorted(one["session"]["id"] for one in several["audits"]) == ["ses_other", "ses_parent"]
    (parent,) = [one for one in several["audits"] if one["session"]["id"] == "ses_parent"]
    Path("family").mkdir()
    for name in ("parent", "kid", "grandkid"):
        Path(f"{name}.xml").rename(f"family/{name}.xml")
    audit("family", "-o", "family.json")
    together = json.loads(Path("family.json").read_text("utf-8"))
    together["source"] = parent["source"] = None
    assert parent == together
    assert "ses_grandkid" in Path("pages/parent.audit.html").read_text("utf-8")
    assert "kid.xml: its sessions are judged with parent.xml" in done.err
    assert "parent.audit.html" in os.listdir("pages")
    assert several["not_read"] == []


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_circle_of_parents_loses_no_session(audit, jobs):
    relative("a.xml", "ses_aa", parent="ses_bb")
    relative("b.xml", "ses_bb", parent="ses_aa")
    relative("c.xml", "ses_cc", parent="ses_cc")
    done = audit("a.xml", "b.xml", "c.xml", "-o", "all.json", "--jobs", jobs)
    assert done.code == 0
    several = json.loads(Path("all.json").read_text("utf-8"))
    assert [one["session"]["id"] for one in several["audits"]] == ["ses_aa", "ses_bb", "ses_cc"]


def test_a_folder_beside_the_parent_keeps_its_other_sessions_and_words(audit):
    Path("logs").mkdir()
    relative("logs/kid.xml", "ses_kid", parent="ses_parent")
    relative("logs/free.xml", "ses_free")
    Path("logs/bad.json").write_text('{"some": "thing"}')
    relative("parent.xml", "ses_parent", child="ses_kid")
    done = audit("logs", "parent.xml", "-o", "all.json")
    assert done.code == 3
    several = json.loads(Path("all.json").read_text("utf-8"))
    assert [one["session"]["id"] for one in several["audits"]] == ["ses_free", "ses_parent"]
    assert [row["source"] for row in several["not_read"]] == ["logs/bad.json"]


def test_a_child_that_its_parent_holds_already_counts_once(audit):
    Path("both").mkdir()
    relative("both/parent.xml", "ses_parent", child="ses_kid")
    relative("both/kid.xml", "ses_kid", parent="ses_parent")
    relative("kid.xml", "ses_kid", parent="ses_parent")
    audit("both", "-o", "alone.json")
    audit("both", "kid.xml", "-o", "all.json")
    (one,) = json.loads(Path("all.json").read_text("utf-8"))["audits"]
    assert one["findings"] == json.loads(Path("alone.json").read_text("utf-8"))["findings"]


def test_the_session_that_is_asked_for_stands_for_itself(audit):
    relative("parent.xml", "ses_parent", child="ses_kid")
    relative("kid.xml", "ses_kid", parent="ses_parent")
    done = audit("parent.xml", "kid.xml", "--session", "ses_kid", "-o", "all.json")
    assert done.code == 3
    several = json.loads(Path("all.json").read_text("utf-8"))
    assert [one["session"]["id"] for one in several["audits"]] == ["ses_kid"]


def test_what_is_rehearsed_while_the_scanner_loads_is_judged_and_leaves_nothing(audit, monkeypatch):
    log()
    judged = []
    plain = engine.audit

    def judging(session, **options):
        found = plain(session, **options)
        judged.append((session, found))
        return found

    monkeypatch.setattr(engine, "audit", judging)
    monkeypatch.setattr(redact, "warm", threading.current_thread)
    audit("log.xml", "-o", "with.json", "-o", "with.html")
    monkeypatch.setattr(redact, "warm", threading.Thread)
    audit("log.xml", "-o", "without.json", "-o", "without.html")
    assert len(judged) == 3
    rehearsed, found = judged[0]
    assert rehearsed.id != judged[1][0].id
    assert any(finding.rule == work._REHEARSED for finding in found.findings), (
        "its example is one of its kind"
    )
    for form in ("json", "html"):
        assert Path(f"with.{form}").read_bytes() == Path(f"without.{form}").read_bytes()


def test_two_logs_of_one_session_in_a_folder_are_both_written(audit):
    Path("logs").mkdir()
    text = log("logs/a.xml", session="ses_twice0").read_text()
    Path("logs/b.xml").write_text(text.replace("<text>", "<text>Otherwise: ", 1))
    Path("logs/c.xml").write_text(text)
    done = audit("logs", "-o", "pages/", "--format", "json")
    assert done.code == 0
    names = [name for name in files() if name.startswith("pages/")]
    assert len(names) == 2
    assert names[0].replace("-2.audit", ".audit") == names[1]
    assert "logs: c.xml holds a session of a.xml and nothing else" in done.err


def test_sessions_of_one_folder_are_judged_side_by_side(audit):
    Path("mine").mkdir()
    noted = 'from pathlib import Path; import os; (Path("pids") / str(os.getpid())).touch()'
    Path("mine/crashing.py").write_text(CRASH.replace('raise KeyError("gone")', noted), encoding="utf-8")
    Path("logs").mkdir()
    for name in "abcde":
        log(f"logs/{name}.xml", faults=name != "c")
    done = {}
    for jobs, processes in ((1, 1), (2, 2), (3, 3)):
        Path("pids").mkdir()
        one = audit("logs", "-o", f"{jobs}/", "-o", "all.json", "--jobs", jobs, "--rules", "mine")
        assert len(list(Path("pids").iterdir())) == processes
        shutil.rmtree("pids")
        pages = [(path.name, path.read_bytes()) for path in sorted(Path(str(jobs)).iterdir())]
        done[jobs] = one.code, one.err.replace(f"{jobs}/", ""), Path("all.json").read_bytes(), pages
    assert done[1] == done[2] == done[3]
    assert len(done[1][3]) == 6


def test_a_session_that_cannot_be_judged_does_not_stop_the_others_of_its_folder(monkeypatch, audit):
    real = work._audited

    def faulty(order, spec, session, *rest, **known):
        if session.id == "b":
            raise AssertionError("cannot be")
        return real(order, spec, session, *rest, **known)

    monkeypatch.setattr(work, "_audited", faulty)
    Path("logs").mkdir()
    for name in "abcd":
        log(f"logs/{name}.xml")
    done = audit("logs", "-o", "all.json", "-q")
    assert done.code == 3
    assert "logs: b: a fault of sessionlens, please report it: AssertionError: cannot be" in done.err
    several = json.loads(Path("all.json").read_text("utf-8"))
    assert [one["session"]["id"] for one in several["audits"]] == ["a", "c", "d"]
    assert len(several["not_read"]) == 1


@pytest.mark.parametrize(
    ("words", "loads"),
    [
        (("audit", "log.xml"), True),
        (("audit", "log.xml", "--no-redact"), False),
        (("audit", "a.xml", "b.xml", "--jobs=2"), False),
        (("audit", "--help"), False),
        (("show", "log.xml"), False),
        ((), False),
    ],
)
def test_the_scanner_is_loaded_before_all_else_where_it_will_be_needed(
    words: tuple[str, ...], loads: bool, monkeypatch: pytest.MonkeyPatch
):
    told = []
    monkeypatch.setattr("sys.argv", ["sessionlens", *words])
    monkeypatch.setattr("sessionlens.scanners.warm", lambda: told.append("scanner"))
    monkeypatch.setattr("sessionlens.cli.main", lambda: told.append("command line"))
    try:
        __main__.main()
    finally:
        gc.enable()
    assert told == ["scanner", "command line"][not loads :]
