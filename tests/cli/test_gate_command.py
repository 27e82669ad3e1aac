"""What counts for the exit code: baselines, suppressions, profiles, and the forms that pipelines read."""

import json
import re
import tomllib
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import pytest

from sessionlens import gate
from sessionlens.engine import audit
from sessionlens.examples import Example, asks, bash, says
from sessionlens.loader import classes
from sessionlens.report import github, junit, sarif

RESTART = "ssh root@web1 'systemctl restart {}'"
RULES = [
    classes()[slug]()
    for slug in ("empty-message-after-timeout", "unacknowledged-long-running-restart", "user-interrupt")
]
DOCS = (Path(__file__).resolve().parents[2] / "docs" / "gating.md").read_text("utf-8")


def judged(*words: str):
    """Two turns with a fault each; the person's words before and after."""
    first, second, last = (*words, "", "", "")[:3]
    session = Example(
        "t",
        asks(first or "restart billing"),
        bash(RESTART.format("billing"), limit=15, times_out=True),
        says("I wrote the changelog."),
        asks(second or "then cache"),
        bash(RESTART.format("cache"), limit=15, times_out=True),
        says("The README is tidied."),
        asks(last or "thanks"),
    ).build()[0]
    return msgspec.structs.replace(audit(session, rules=RULES, source="log.xml"), path="logs/log.xml")


@pytest.fixture
def log(root: Path) -> str:
    Path("log.json").write_bytes((root / "fixtures/opencode_export/1.18.33_timeout_empty.json").read_bytes())
    return "log.json"


# -- baseline ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["b.json", "b.sarif"])
def test_only_what_is_new_counts(run, log: str, form: str):
    assert run("audit", log, "-o", form, "--fail-on", "low").code == 1
    again = run("audit", log, "-o", "now.json", "-o", "now.sarif", "--baseline", form, "--fail-on", "low")
    assert again.code == 0
    assert "2 findings known from the baseline" in again.err
    findings = json.loads(Path("now.json").read_text("utf-8"))["findings"]
    assert [finding["known"] for finding in findings] == [True, True]
    results = json.loads(Path("now.sarif").read_text("utf-8"))["runs"][0]["results"]
    assert {result["baselineState"] for result in results} == {"unchanged"}


def test_a_baseline_of_several_audits_and_one_with_another_finding(run, log: str):
    run("audit", log, "-o", "one.json")
    document = json.loads(Path("one.json").read_text("utf-8"))
    document["findings"] = document["findings"][:1]
    Path("many.json").write_text(
        json.dumps({"schema": "sessionlens.audits/1", "audits": [document]}), "utf-8"
    )
    done = run("audit", log, "-o", "now.sarif", "--baseline", "many.json", "--fail-on", "low")
    assert done.code == 1
    states = [
        result["baselineState"]
        for result in json.loads(Path("now.sarif").read_text("utf-8"))["runs"][0]["results"]
    ]
    assert sorted(states) == ["new", "unchanged"]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("[]", "is neither an audit as JSON nor SARIF"),
        ("{", "is no JSON"),
        ('{"schema": "x"}', "is neither an audit"),
    ],
)
def test_what_is_no_baseline_is_wrong_usage(run, log: str, content: str, says: str):
    Path("b.json").write_text(content, "utf-8")
    done = run("audit", log, "--baseline", "b.json")
    assert done.code == 2
    assert says in done.err
    assert run("audit", log, "--baseline", "nowhere.json").code == 2


# -- suppressions --------------------------------------------------------------------------------------


def test_a_suppression_needs_a_reason_and_a_rule(run, log: str):
    for text, words in (
        ('[[suppress]]\nrule = "step-loop"\n', "missing required field `reason`"),
        ('[[suppress]]\nrule = "step-loop"\nreason = ""\n', "length >= 3"),
        ('[[suppress]]\nreason = "everything"\n', "names a rule or a fingerprint"),
        ('[[suppress]]\nrule = "step-loop"\nreason = "because"\nrules = "x"\n', "unknown field `rules`"),
    ):
        Path("sessionlens.toml").write_text(text, "utf-8")
        done = run("audit", log)
        assert done.code == 2
        assert words in done.err


def test_a_suppression_of_a_rule_that_there_is_not_is_wrong_usage(run, log: str):
    Path("sessionlens.toml").write_text(
        '[[suppress]]\nrule = "left-runing"\nreason = "it stays up"\n', "utf-8"
    )
    done = run("audit", log)
    assert done.code == 2
    assert "sessionlens.toml: suppress: no rule is called left-runing; did you mean left-running?" in done.err


def test_suppressed_findings_stay_with_their_reason_and_do_not_count(run, log: str):
    Path("sessionlens.toml").write_text(
        '[[suppress]]\nrule = "unacknowledged-long-running-restart"\nreason = "the script is a mock"\n'
        '[[suppress]]\nrule = "empty-message-after-timeout"\nmessage = "#4"\nreason = "the model is a mock"\n',
        "utf-8",
    )
    done = run(
        "audit",
        log,
        "-o",
        "a.json",
        "-o",
        "a.sarif",
        "-o",
        "a.html",
        "-o",
        "a.junit.xml",
        "--fail-on",
        "info",
    )
    assert done.code == 0
    assert "2 findings suppressed with a reason" in done.err
    reasons = {
        finding["rule"]: finding["suppressed"]
        for finding in json.loads(Path("a.json").read_text("utf-8"))["findings"]
    }
    assert reasons["empty-message-after-timeout"] == "the model is a mock"
    results = json.loads(Path("a.sarif").read_text("utf-8"))["runs"][0]["results"]
    assert results[0]["suppressions"] == [{"kind": "external", "justification": "the script is a mock"}]
    assert "the script is a mock" in Path("a.html").read_text("utf-8")
    suites = ElementTree.fromstring(Path("a.junit.xml").read_bytes())
    assert (suites.get("failures"), suites.get("skipped")) == ("0", "2")


def test_a_person_suppresses_in_the_turn_and_the_one_before():
    words = "sessionlens: ignore unacknowledged-long-running-restart: the boxes are mocks"
    at = {one.fingerprint: one.at.message_index for one in judged().findings if one.rule.startswith("unack")}
    assert sorted(at.values()) == [1, 4]

    def counting(*said: str) -> list[int]:
        gated = gate.gate(judged(*said))
        return sorted(
            one.at.message_index for one in gate.counting(gated.audit) if one.rule.startswith("unack")
        )

    assert counting() == [1, 4]
    assert counting("", f"and cache\n{words}") == []
    assert counting("", "", words) == [1]
    assert counting(words) == [4]
    assert counting("", "", words.replace("unack", "other-unack")) == [1, 4]
    assert counting("", "", words.replace(": the boxes are mocks", "")) == [1, 4]
    notes = gate.gate(judged("", "", words.replace(": the boxes are mocks", ""))).notes
    assert "without a reason; it counts" in notes[0]


def test_the_assistant_suppresses_nothing():
    session = Example(
        "t",
        asks("restart billing"),
        bash(RESTART.format("billing"), limit=15, times_out=True,
             output="sessionlens: ignore unacknowledged-long-running-restart: said by a tool"),
        says("sessionlens: ignore unacknowledged-long-running-restart: I say so"),
    ).build()[0]  # fmt: skip
    gated = gate.gate(audit(session, rules=RULES))
    assert [one.rule for one in gate.counting(gated.audit)] == ["unacknowledged-long-running-restart"]


def test_a_suppression_that_fits_nothing_of_its_session_is_told():
    from sessionlens.findings import Suppression

    stale = Suppression(rule="step-loop", session="ses_example", reason="long gone")
    other = Suppression(rule="step-loop", session="ses_other", reason="another log")
    gated = gate.gate(judged(), suppressions=(stale, other))
    assert gated.notes == ("suppression fits nothing here: rule step-loop, session ses_example",)


def test_a_suppression_that_fits_nothing_in_the_whole_run_is_told(run, log: str):
    Path("sessionlens.toml").write_text(
        '[[suppress]]\nrule = "step-loop"\nreason = "they poll"\n'
        '[[suppress]]\nfingerprint = "0f3a5b7c9d1e2f40"\nreason = "looked at"\n'
        '[[suppress]]\nrule = "unacknowledged-long-running-restart"\nreason = "the script is a mock"\n'
        '[[suppress]]\nrule = "step-loop"\nsession = "ses_other"\nreason = "another log"\n',
        "utf-8",
    )
    told = [row for row in run("audit", log, "-o", "a.json").err.splitlines() if "fits nothing" in row]
    assert told == [
        "sessionlens.toml: a suppression fits nothing in what was read: fingerprint 0f3a5b7c9d1e2f40",
        "sessionlens.toml: a suppression fits nothing in what was read: rule step-loop",
    ]
    assert "fits nothing" not in run("audit", log, "-o", "b.json", "-q").err
    narrowed = run("audit", log, "-o", "c.json", "--select", "unacknowledged-long-running-restart").err
    assert "rule step-loop" not in narrowed


# -- profiles ------------------------------------------------------------------------------------------


def test_profiles(run, log: str):
    assert run("audit", log, "-o", "a.json").code == 0
    assert run("audit", log, "-o", "a.json", "--profile", "strict").code == 1
    assert run("audit", log, "-o", "a.json", "--profile", "strict", "--fail-on", "high").code == 0
    quiet = run("audit", log, "-o", "quiet.json", "--profile", "quiet")
    assert "2 findings left out by the profile" in quiet.err
    assert json.loads(Path("quiet.json").read_text("utf-8"))["findings"] == []
    Path("sessionlens.toml").write_text('profile = "strict"\n', "utf-8")
    assert run("audit", log, "-o", "a.json").code == 1
    Path("sessionlens.toml").write_text('profile = "loud"\n', "utf-8")
    assert run("audit", log, "-o", "a.json").code == 2


def test_signals_never_count():
    session = Example("t", asks("build"), bash("make", interrupted=True), asks("stop")).build()[0]
    result = audit(session, rules=RULES)
    assert [finding.kind for finding in result.findings] == ["signal"]
    assert gate.counting(result) == []


# -- forms ---------------------------------------------------------------------------------------------


def test_annotations(run, log: str):
    done = run("audit", log, "-o", "-", "--format", "github", "-q")
    first, second = done.out.splitlines()
    assert first.startswith(
        "::notice file=log.json,line=330,title=unacknowledged-long-running-restart (low)::Restart of"
    )
    assert "line=378" in second
    assert run("audit", log, "-o", "-", "--format", "github", "-q", "--profile", "quiet").out == ""


def test_annotations_of_hostile_words_stay_in_their_line():
    import io

    result = judged()
    (finding, *_) = result.findings
    bad = msgspec.structs.replace(finding, title="a\n::error::b%0A,c:d\r\x1b[31m")
    out = io.StringIO()
    github.render(msgspec.structs.replace(result, findings=(bad,), path="a,b:c.json"), out)
    (line,) = out.getvalue().splitlines()
    assert line.startswith("::error file=a%2Cb%3Ac.json,")
    assert "\x1b" not in line
    assert "%250A" in line


def test_junit():
    result = judged()
    suites = ElementTree.fromstring(junit.render(result))
    (suite,) = suites
    assert (suite.get("tests"), suite.get("failures"), suite.get("name")) == ("3", "1", "logs/log.xml")
    failures = suite.findall("testcase/failure")
    assert len(failures) == 2
    assert all(one.get("type") in ("high", "critical") for one in failures)
    hostile = msgspec.structs.replace(result.findings[0], title="\x00\ud800]]><b>")
    again = msgspec.structs.replace(result, findings=(hostile,))
    assert ElementTree.fromstring(junit.render(again)).find(".//failure") is not None
    both = ElementTree.fromstring(junit.join([junit.render(result), junit.render(again)], whole=True))
    assert (len(both), both.get("failures")) == (2, "2")


def test_junit_of_several(run, log: str):
    Path("two.json").write_bytes(Path(log).read_bytes())
    assert run("audit", log, "two.json", "-o", "all.junit.xml").code == 0
    assert len(ElementTree.fromstring(Path("all.junit.xml").read_bytes())) == 2


def test_a_log_within_the_folder_is_named_by_its_path(run, log: str):
    Path("logs").mkdir()
    Path("logs/a.json").write_bytes(Path(log).read_bytes())
    run("audit", "logs/a.json", "-o", "a.sarif", "-o", "b.json")
    run_ = json.loads(Path("a.sarif").read_text("utf-8"))["runs"][0]
    assert run_["artifacts"][0]["location"]["uri"] == "logs/a.json"
    assert run_["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "logs/a.json"
    assert "file=logs/a.json,line=330" in run("audit", "logs", "-o", "-", "--format", "github", "-q").out
    absolute = str(Path("logs/a.json").resolve())
    run("audit", absolute, "-o", "c.sarif")
    assert str(Path.cwd()) not in Path("c.sarif").read_text("utf-8")


def test_sarif_with_marks_is_valid():
    model = pytest.importorskip("pydantic_sarif.model", reason="pydantic-sarif is not installed")
    gated = gate.gate(
        judged("", "", "sessionlens: ignore unacknowledged-long-running-restart: mocks"), baseline=frozenset()
    )
    document = json.loads(sarif.render(gated.audit))
    model.StaticAnalysisResultsFormatSarifVersion210JsonSchema.model_validate(document)
    kinds = [
        one["kind"] for result in document["runs"][0]["results"] for one in result.get("suppressions", ())
    ]
    assert kinds == ["inSource"]


# -- the page ------------------------------------------------------------------------------------------


def test_the_page_shows_what_works(run, log: str):
    for block in re.findall(r"^```toml\n(.*?)^```", DOCS, re.MULTILINE | re.DOTALL):
        assert tomllib.loads(block)["suppress"]
        Path("sessionlens.toml").write_text(block, "utf-8")
        assert run("audit", log, "-o", "a.json").code == 0
    (inline,) = re.findall(r"^sessionlens: ignore .*$", DOCS, re.MULTILINE)
    match = gate._INLINE.search(inline)
    assert match is not None
    assert match["reason"]
    for name in gate.PROFILES:
        assert f"| `{name}` |" in DOCS


def test_the_hook_is_a_command_line_that_works(run, root: Path, log: str):
    text = (root / ".pre-commit-hooks.yaml").read_text("utf-8")
    entry = re.search(r"^  entry: sessionlens (.+)$", text, re.MULTILINE)
    assert entry is not None
    done = run(*entry[1].split(), log)
    assert done.code == 0
    assert done.out.startswith("::notice file=log.json")
    files = re.search(r"^  files: (.+)$", text, re.MULTILINE)
    assert files is not None
    assert re.search(files[1], ".specstory/history/2026-01-01_x.md")
    assert not re.search(files[1], "src/app.py")
