"""What each format records, and what follows for rules and for ``sessionlens readers``."""

import json
import subprocess
import sys

import pytest

from sessionlens import capabilities, catalogue
from sessionlens.model import Session
from sessionlens.readers import READERS

RULES = {slug: rule() for slug, rule in catalogue.shipped().items()}


def run(*arguments: str) -> str:
    command = [sys.executable, "-m", "sessionlens", "readers", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_rows_are_complete_and_unique():
    names = [row.reader for row in capabilities.CAPABILITIES]
    assert len(names) == len(set(names))
    for row in capabilities.CAPABILITIES:
        assert row.reads
        assert not row.note.endswith(".")
        # What is not recorded in full is explained.
        if any(getattr(row, fact) != "yes" for fact in capabilities.FACTS):
            assert row.note, row.reader


def test_a_missing_fact_is_named_with_its_reason():
    reason = capabilities.not_recorded("specstory", "empty_messages", "time_outs")
    assert reason is not None
    assert reason.startswith("logs of the kind specstory do not record empty messages: SpecStory leaves out")
    assert capabilities.not_recorded("opencode-export", *capabilities.FACTS) is None
    assert capabilities.not_recorded("a-plug-in", "calls") is None


def test_partly_is_enough_for_a_rule():
    assert capabilities.of("opencode-tree").time_outs == "partly"
    assert capabilities.not_recorded("opencode-tree", "time_outs") is None


@pytest.mark.parametrize("name", ["opencode-run", "specstory", "aider", "opencode-chat-md"])
def test_silence_is_not_judged_where_a_format_drops_it(name: str):
    rule = RULES["empty-message-after-timeout"]
    assert rule.checkable(Session(id="s", source_format=name)) is not None
    # A screen shows that nothing followed a call: that is what the person saw.
    for seen in ("opencode-md", "claude-console"):
        assert rule.checkable(Session(id="s", source_format=seen)) is None


@pytest.mark.parametrize("slug", ["unacknowledged-long-running-restart", "unverified-production-edit"])
def test_commands_are_not_judged_where_there_are_none(slug: str):
    for name in ("aider", "opencode-chat-md"):
        assert RULES[slug].checkable(Session(id="s", source_format=name)) is not None
    for name in ("specstory", "claude-console", "opencode-run"):
        assert RULES[slug].checkable(Session(id="s", source_format=name)) is None


def test_the_command_prints_a_row_for_each_reader():
    rows = json.loads(run("--json"))
    assert [row["reader"] for row in rows] == [name for name, _ in READERS]
    assert set(rows[0]["records"]) == set(capabilities.FACTS)
    specstory = next(row for row in rows if row["reader"] == "specstory")
    assert "empty-message-after-timeout" in specstory["not_checkable"]
    assert "unverified-production-edit" not in specstory["not_checkable"]


def test_the_table_for_the_readme_is_well_formed():
    lines = run("--markdown").splitlines()
    assert len(lines) == 2 + len(READERS)
    assert len({line.count("|") for line in lines}) == 1
    assert any("| `aider` |" in line and "`unverified-production-edit`" in line for line in lines)


def test_the_table_of_the_command():
    text = run()
    lines = text.splitlines()
    assert lines[0].startswith("reader ")
    assert [line.split()[0] for line in lines[1 : 1 + len(READERS)]] == [name for name, _ in READERS]
    assert "not checkable: empty-message-after-timeout" in text
    assert max(map(len, lines)) <= 120
