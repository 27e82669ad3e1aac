"""``sessionlens rules``."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

SLUGS = sorted(
    file.stem.replace("_", "-")
    for file in (Path(__file__).resolve().parents[2] / "rules").glob("*.py")
    if not file.name.startswith("_")
)


def test_list(run):
    done = run("rules", "list")
    assert done.code == 0
    assert [line.split()[0] for line in done.out.splitlines()] == SLUGS
    rows = json.loads(run("rules", "list", "--json").out)
    assert [row["rule"] for row in rows] == SLUGS
    assert set(rows[0]) == {"rule", "kind", "severity", "since", "after", "summary"}


def test_show(run):
    done = run("rules", "show", SLUGS[0])
    assert done.code == 0
    for words in (f"# {SLUGS[0]}", "## What it flags", "## Facts", "## Flagged in its examples"):
        assert words in done.out
    unknown = run("rules", "show", "nobody")
    assert unknown.code == 2
    assert f"no rule is called nobody; there are {SLUGS[0]}, {SLUGS[1]}" in unknown.err


def test_a_name_close_to_a_rule_is_asked_after(run):
    for command in ("show", "test"):
        done = run("rules", command, "step-lop")
        assert done.code == 2
        assert "no rule is called step-lop; did you mean step-loop?" in done.err
        assert "there are" not in done.err


def test_a_new_rule_cannot_be_called_like_one_that_there_is(run):
    for how in ((), ("--declarative",)):
        done = run("rules", "new", "step-loop", *how, "--dir", "mine")
        assert (done.code, done.out) == (2, "")
        assert "there is a rule step-loop already" in done.err
    assert not Path("mine").exists()


def test_a_folder_without_names_tests_the_rules_in_it(run):
    run("rules", "new", "short-limit", "--dir", "mine")
    run("rules", "new", "--declarative", "shorter-limit", "--dir", "mine")
    done = run("rules", "test", "--rules", "mine")
    assert done.code == 1
    assert [line.partition(":")[0] for line in done.out.splitlines() if line[0] != " "] == [
        "short-limit", "shorter-limit",
    ]  # fmt: skip
    assert run("rules", "test", "step-loop", "--rules", "mine").out.startswith("step-loop: ")


def test_a_rule_that_does_not_come_to_its_end_is_stopped_and_named(run, monkeypatch):
    from sessionlens import examples

    monkeypatch.setattr(examples, "TIME_LIMIT_S", 0.2)
    run("rules", "new", "short-limit", "--dir", "mine")
    file = Path("mine/short_limit.py")
    head, _, tail = file.read_text("utf-8").partition("        for called in graph.span()")
    assert tail
    file.write_text(f"{head}        while True:\n            pass\n        yield\n", "utf-8")
    done = run("rules", "test", "--rules", "mine")
    assert done.code == 1
    assert done.out.splitlines() == [
        "short-limit: 2 flagged, 1 clean: failed",
        "  ten seconds for a build: crashed: stopped after 0.2 s",
        "  ten seconds for a build: message 1 of ses_example, call_001: expected a finding, found none",
    ]


def test_a_new_rule_waits_for_the_scene_it_is_about(run):
    made = run("rules", "new", "deploy-without-check", "--dir", "mine")
    assert (made.code, made.out) == (0, "mine/deploy_without_check.py\n")
    tested = run("rules", "test", "deploy-without-check", "--rules", "mine")
    assert tested.code == 1
    assert tested.out.startswith("deploy-without-check: 2 flagged, 1 clean: failed\n")
    assert "  fill in: the scene that deploy-without-check is about" in tested.out
    text = Path("mine/deploy_without_check.py").read_text("utf-8")
    Path("filled").mkdir()
    filled = text.replace('bash("fill-in", flag=SLUG)', 'bash("x", limit=5, times_out=True, flag=SLUG)')
    Path("filled/deploy_without_check.py").write_text(filled, "utf-8")
    tested = run("rules", "test", "deploy-without-check", "--rules", "filled")
    assert (tested.code, tested.out) == (0, "deploy-without-check: 2 flagged, 1 clean: ok\n")
    again = run("rules", "new", "deploy-without-check", "--dir", "mine")
    assert again.code == 2
    assert "already there" in again.err
    assert run("rules", "new", "Bad_Name").code == 2


def test_a_new_declarative_rule_waits_for_the_scene_it_is_about(run):
    made = run("rules", "new", "--declarative", "short-limit", "--dir", "mine")
    assert (made.code, made.out) == (0, "mine/short_limit.rule.toml\n")
    tested = run("rules", "test", "short-limit", "--rules", "mine")
    assert tested.code == 1
    assert tested.out.startswith("short-limit: 2 flagged, 1 clean: failed\n")
    file = Path("mine/short_limit.rule.toml")
    text = file.read_text("utf-8")
    file.write_text(text.replace('bash = "fill-in",', 'bash = "x", limit = 5, times_out = true,'), "utf-8")
    tested = run("rules", "test", "short-limit", "--rules", "mine")
    assert (tested.code, tested.out) == (0, "short-limit: 2 flagged, 1 clean: ok\n")
    assert (
        "| `least_s` | int | `60` | A limit of more seconds"
        in run("rules", "show", "short-limit", "--rules", "mine").out
    )
    assert "short-limit" in run("rules", "list", "--rules", "mine").out
    file = Path("mine/short_limit.rule.toml")
    file.write_text(file.read_text("utf-8").replace("& ~cut_off", "& ~cutoff"), "utf-8")
    for command in (("rules", "test"), ("rules", "list"), ("audit", "x")):
        done = run(*command, "--rules", "mine")
        assert done.code == 2
        assert (
            "mine/short_limit.rule.toml:14: unless[0]: cutoff is not known; did you mean cut_off?" in done.err
        )


def test_a_new_rule_is_clean_for_the_linters(run, root: Path):
    pytest.importorskip("mypy")
    run("rules", "new", "deploy-without-check")
    config = root / "pyproject.toml"
    for tool in (["ruff", "check"], ["ruff", "format", "--check"]):
        done = subprocess.run(
            [sys.executable, "-m", *tool, "--config", str(config), "deploy_without_check.py"],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr


def test_a_rule_that_does_not_do_what_its_examples_say(run):
    run("rules", "new", "deploy-without-check")
    file = Path("deploy_without_check.py")
    file.write_text(
        file.read_text("utf-8").replace("limit / 1000", "limit / 1").replace("60.0", "5.0"), "utf-8"
    )
    done = run("rules", "test", "deploy-without-check", "--rules", ".")
    assert done.code == 1
    assert "2 flagged, 1 clean: failed" in done.out
    assert (
        "  ten seconds for a build: message 1 of ses_example, call_001: expected a finding, found none"
        in done.out
    )


def test_options_of_a_rule_are_on_its_page(run):
    run("rules", "new", "deploy-without-check")
    page = run("rules", "show", "deploy-without-check", "--rules", ".").out
    assert "| `least_s` | float | `60.0` | A limit of this many seconds or more is long enough. |" in page


def test_a_rule_that_does_not_load_is_an_error_everywhere(run):
    Path("mine").mkdir()
    Path("mine/broken.py").write_text("1 +", "utf-8")
    for command in (("rules", "list"), ("rules", "test"), ("rules", "show", SLUGS[0]), ("audit", "x")):
        done = run(*command, "--rules", "mine")
        assert done.code == 2
        assert "mine/broken.py:1: syntax error" in done.err


def test_shipped_rules_pass_their_own_examples(run):
    done = run("rules", "test")
    assert done.code == 0, done.out
