"""A transcript that `convert --no-redact` wrote is judged as the log it was made of, whatever its format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sessionlens import engine, readers
from sessionlens.loader import classes, select
from sessionlens.model import Session, content
from sessionlens.readers import READERS
from sessionlens.report import json as json_form
from sessionlens.report import transcript_xml

FIXTURES = Path(__file__).parents[2] / "fixtures"
ONE_OF_EACH = {
    "opencode-export": "opencode_export/1.18.33_timeout_empty.json",
    "opencode-db": "opencode_db/1.14.41/opencode.db",
    "opencode-tree": "opencode_tree/0.5.29",
    "transcript-xml": "transcript_xml/hicache_restart.xml",
    "opencode-run-json": "opencode_run_json/1.18.33_answered.jsonl",
    "opencode-events": "opencode_events/1.18.33_timeout_empty.jsonl",
    "opencode-api": "opencode_v2/1.18.34_timeout_empty_messages.json",
    "opencode-share": "opencode_share/timeout_empty.json",
    "opencode-md": "opencode_md/1.18.33_timeout_empty.md",
    "opencode-run": "opencode_run/restart.ansi.txt",
    "opencode-chat-md": "opencode_chat_md/text_only.md",
    "claude-md": "claude_md/restart.md",
    "specstory": "specstory/bare_headings.md",
    "aider": "aider/two_chats.md",
    "claude-console": "claude_console/wrapped.txt",
    "claude-code": "claude_code/hicache_restart.jsonl",
    "codex": "codex/hicache_restart.jsonl",
    "codex-exec": "codex_exec/0.171.0_running_on.jsonl",
    "copilot-cli": "copilot_cli/scene.jsonl",
    "gemini-cli": "gemini_cli/scene.json",
    "swe-agent": "swe_agent/scene.traj",
    "openhands": "openhands/scene.json",
    "atif": "atif/subagents.json",
    "otel-genai": "otel_genai/agents.json",
    "inspect": "inspect/log.json",
    "cline": "cline/scene",
    "chat": "chat/scene.json",
}
"""One log of each format, by the name of its reader."""
MORE = (
    "claude_code/notified.jsonl", "claude_code/old_sidechain.jsonl", "claude_code/project", "codex/0.171.0",
    "codex_exec/0.171.0_mcp_limit.jsonl", "opencode_v2/1.18.34/opencode.db", "cline/blocks", "openhands/terminal.json",
    "copilot_cli/shells.jsonl", "transcript_xml/loose/no_end.xml",
)  # fmt: skip


def _alike(value: Any) -> Any:
    """An audit without the lines of its log and what a loose reading mended."""
    if isinstance(value, dict):
        return {key: _alike(item) for key, item in value.items() if key not in ("line", "repairs")}
    return [_alike(item) for item in value] if isinstance(value, list) else value


def judged(session: Session) -> Any:
    audit = engine.audit(session, rules=select(classes()).rules)
    assert not audit.rule_errors
    return _alike(json.loads(json_form.render(audit)))


def converted(session: Session, folder: Path) -> Session:
    path = folder / "converted.xml"
    with path.open("w", encoding="utf-8", newline="") as stream:
        transcript_xml.write([session], stream)
    (back,) = readers.read(path, session=session.id)
    return back


def test_every_format_has_its_log() -> None:
    assert list(ONE_OF_EACH) == [name for name, _ in READERS]


@pytest.mark.parametrize("name", [*ONE_OF_EACH.values(), *MORE])
def test_the_audit_is_the_same_after_convert(name: str, tmp_path: Path) -> None:
    sessions = readers.read(FIXTURES / name)
    assert sessions
    for session in sessions:
        back = converted(session, tmp_path)
        assert content(back) == content(session)
        assert back.source_format == session.source_format
        one, other = judged(session), judged(back)
        assert other["session"]["not_checkable"] == one["session"]["not_checkable"]
        assert other["findings"] == one["findings"]
        assert other["ledger"] == one["ledger"]
        assert other == one


@pytest.mark.parametrize("name", ONE_OF_EACH)
def test_each_log_is_of_its_format(name: str) -> None:
    assert {session.source_format for session in readers.read(FIXTURES / ONE_OF_EACH[name])} == {name}


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ('format="sessionlens/1" reader="aider"', "aider"),
        ('format="sessionlens/1" reader="a-plug-in"', "a-plug-in"),
        ('format="sessionlens/1"', "transcript-xml"),
        ('format="sessionlens/1" reader="&lt;script&gt;"', "transcript-xml"),
        ('reader="aider"', "transcript-xml"),
    ],
)
def test_only_what_convert_wrote_names_its_reader(attributes: str, expected: str, tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_text(
        f'<conversation_data {attributes}><msg id="1" role="user"><text>hi</text></msg></conversation_data>'
    )
    (session,) = readers.read(path)
    assert session.source_format == expected
