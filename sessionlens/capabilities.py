"""What each log format records, so that no finding is never mistaken for nothing wrong.

One row for each reader by its name (:attr:`sessionlens.model.Session.source_format`). Rules ask
:func:`not_recorded` before they judge; ``sessionlens readers`` prints the table.
"""

from __future__ import annotations

from typing import Literal

import msgspec

Recorded = Literal["yes", "partly", "no"]
"""``partly``: only in some versions or situations, or only to be told from words; the note says which."""

Fact = Literal[
    "calls",
    "times",
    "time_outs",
    "exit_codes",
    "empty_messages",
    "interruptions",
    "reasoning",
    "child_sessions",
]
"""What a format may record."""

FACTS: dict[Fact, str] = {
    "calls": "calls with their results",
    "times": "times",
    "time_outs": "time-outs of calls",
    "exit_codes": "exit codes",
    "empty_messages": "empty messages",
    "interruptions": "interruptions by the person",
    "reasoning": "reasoning",
    "child_sessions": "child sessions",
}
"""The facts in the order of the table, in words."""


class Capability(msgspec.Struct, frozen=True, kw_only=True):
    """What one format records."""

    reader: str
    """Name of the reader."""
    reads: str
    """What it reads, in a few words."""
    calls: Recorded = "yes"
    """Tool calls, each with its input and result."""
    times: Recorded = "yes"
    """When messages and calls began and ended, in a known time zone."""
    time_outs: Recorded = "yes"
    """That the client's own time limit ended a call."""
    exit_codes: Recorded = "yes"
    """Exit codes of commands."""
    empty_messages: Recorded = "yes"
    """That the assistant answered nothing, as opposed to something that the format leaves out."""
    interruptions: Recorded = "yes"
    """That the person stopped the agent."""
    reasoning: Recorded = "yes"
    """The model's thinking."""
    child_sessions: Recorded = "yes"
    """Sessions of subagents, and which call started them."""
    note: str = ""
    """What is missing and why, in words for a reader of the report; a clause without a full stop."""


CAPABILITIES: tuple[Capability, ...] = (
    Capability(
        reader="opencode-export",
        reads="`opencode export`, lists of messages of the server's API",
        child_sessions="partly",
        note="children are exports of their own; before 1.0.152 only exit code and duration tell of a time-out",
    ),
    Capability(
        reader="opencode-db", reads="opencode.db (opencode from 1.2.0 on), both generations of messages"
    ),
    Capability(
        reader="opencode-tree",
        reads="folders of JSON files (opencode 0.x to 1.1)",
        time_outs="partly",
        interruptions="partly",
        note="0.x leaves no words of a time-out or a stop, only the duration and the missing exit code",
    ),
    Capability(
        reader="transcript-xml",
        reads="transcript XML of `sessionlens convert` and home-made ones",
        calls="partly",
        times="partly",
        time_outs="partly",
        exit_codes="partly",
        interruptions="partly",
        reasoning="partly",
        child_sessions="partly",
        note="as much as the attributes and elements of the file say",
    ),
    Capability(
        reader="opencode-run-json",
        reads="`opencode run --format json`",
        calls="partly",
        reasoning="partly",
        interruptions="partly",
        child_sessions="no",
        note="no prompts; a call that was running when the process ended is missing; reasoning only with `--thinking`",
    ),
    Capability(
        reader="opencode-events",
        reads="recorded events of an opencode server (SSE), one a line",
        note="what did not change while the recording ran is missing",
    ),
    Capability(
        reader="opencode-api",
        reads="saved answers of an opencode server (`/api/session/…/message`, `context`, `history`)",
        child_sessions="no",
        note="one session an answer; its title, version and folder are not in it",
    ),
    Capability(
        reader="opencode-share",
        reads="data of shared opencode sessions",
        child_sessions="partly",
        note="children are shared on their own; read from the client's source, no real file was at hand",
    ),
    Capability(
        reader="opencode-md",
        reads="Markdown of opencode's `/export`",
        calls="partly",
        times="no",
        exit_codes="no",
        reasoning="partly",
        interruptions="partly",
        child_sessions="no",
        note="the last 100 messages only, no times or errors of messages, thinking not parted from the reply after it; "
        "calls without results where tool details were not exported",
    ),
    Capability(
        reader="opencode-run",
        reads="terminal copies of `opencode run`",
        calls="partly",
        times="no",
        exit_codes="no",
        empty_messages="no",
        interruptions="partly",
        reasoning="no",
        child_sessions="no",
        note="a terminal shows neither where a message begins nor an empty one, no prompts, no inputs of failed calls; a "
        "command's output runs into the words after it",
    ),
    Capability(
        reader="opencode-chat-md",
        reads="home-made Markdown exports of opencode with numbered messages",
        calls="no",
        times="partly",
        time_outs="no",
        exit_codes="no",
        empty_messages="no",
        interruptions="no",
        reasoning="no",
        child_sessions="no",
        note="text only: a message of calls looks like an empty one",
    ),
    Capability(
        reader="claude-code",
        reads="Claude Code JSONL, project folders, `claude -p` streams",
        exit_codes="partly",
        reasoning="partly",
        child_sessions="partly",
        note="exit codes of failures only; thinking may be encrypted; subagents where their files or sidechains are there",
    ),
    Capability(
        reader="claude-md",
        reads="Markdown exports of Claude Code with JSON content",
        times="no",
        exit_codes="partly",
        empty_messages="partly",
        child_sessions="no",
        note="dates without a zone, exit codes of failures only, one heading a record: an answer's parts are not joined",
    ),
    Capability(
        reader="claude-console",
        reads="screens of Claude Code and Gemini CLI, copied or exported",
        calls="partly",
        times="no",
        exit_codes="partly",
        empty_messages="partly",
        reasoning="partly",
        child_sessions="no",
        note="a screen shows what the person saw: that nothing followed a call, not whether an empty answer did; long outputs are folded, lines wrapped, subagents one line",
    ),
    Capability(
        reader="specstory",
        reads="SpecStory's Markdown",
        calls="partly",
        exit_codes="partly",
        empty_messages="no",
        interruptions="partly",
        reasoning="partly",
        child_sessions="partly",
        time_outs="partly",
        note="SpecStory leaves out encrypted thinking and content it does not know, so a heading with nothing below it is "
        "no empty answer; inputs of edits are not shown",
    ),
    Capability(
        reader="aider",
        reads="aider's chat history",
        calls="no",
        times="no",
        time_outs="no",
        exit_codes="no",
        empty_messages="no",
        interruptions="partly",
        reasoning="partly",
        child_sessions="no",
        note="aider writes down no commands and no results, only which files it edited",
    ),
    Capability(
        reader="codex",
        reads="rollouts of Codex CLI",
        time_outs="partly",
        empty_messages="partly",
        reasoning="partly",
        child_sessions="partly",
        note="newer versions hand a long command back as still running instead of ending it; reasoning is encrypted; "
        "agents where their rollouts lie beside",
    ),
    Capability(
        reader="codex-exec",
        reads="`codex exec --json`",
        calls="partly",
        times="no",
        time_outs="partly",
        interruptions="no",
        child_sessions="partly",
        note="no prompts, no times, no polls of what runs on, of a patch only the files; a stream that was stopped just ends; "
        "agents are threads of their own",
    ),
    Capability(
        reader="gemini-cli",
        reads="sessions of Gemini CLI, both forms",
        time_outs="partly",
        exit_codes="partly",
        interruptions="partly",
        child_sessions="no",
        note="time-outs, exit codes and stops only where the words of a result give them",
    ),
    Capability(
        reader="copilot-cli",
        reads="events of Copilot CLI",
        time_outs="partly",
        reasoning="partly",
        child_sessions="no",
        note="a long command stays open and is read again instead of being ended",
    ),
    Capability(
        reader="swe-agent",
        reads="trajectories of SWE-agent and mini-SWE-agent",
        times="partly",
        exit_codes="partly",
        interruptions="no",
        child_sessions="no",
        note="an unattended agent: nobody interrupts; times and exit codes in mini-SWE-agent alone",
    ),
    Capability(
        reader="openhands",
        reads="events of OpenHands (application and agent SDK), trajectories, event folders",
        exit_codes="partly",
        empty_messages="partly",
        interruptions="partly",
        child_sessions="no",
        note="only answers with an action or text become events; a command at its limit goes on in the terminal; "
        "events of the application are read from public documentation",
    ),
    Capability(
        reader="atif",
        reads="trajectories in ATIF (Harbor)",
        times="partly",
        time_outs="partly",
        exit_codes="partly",
        interruptions="no",
        reasoning="partly",
        child_sessions="partly",
        note="time-outs and exit codes only where the words of a result give them; read from the public specification, "
        "and checked against the types of Harbor",
    ),
    Capability(
        reader="otel-genai",
        reads="OpenTelemetry GenAI spans as OTLP JSON",
        calls="partly",
        time_outs="partly",
        exit_codes="partly",
        empty_messages="partly",
        interruptions="partly",
        reasoning="partly",
        child_sessions="partly",
        note="content only where recording it was switched on, and then what each instrumentation wrote",
    ),
    Capability(
        reader="inspect",
        reads="Inspect logs, `.eval` and JSON",
        times="partly",
        exit_codes="partly",
        interruptions="partly",
        child_sessions="no",
        note="times and exit codes come from the events of a sample, which may be left out of a log",
    ),
    Capability(
        reader="cline",
        reads="task folders of Cline and Roo Code",
        time_outs="partly",
        exit_codes="partly",
        interruptions="partly",
        child_sessions="no",
        note="times only with the file of what the person saw; an answer without a tool is refused by the client "
        "itself; read from public documentation",
    ),
    Capability(
        reader="chat",
        reads="plain chat messages (OpenAI, Anthropic, Gemini), JSON or JSON Lines",
        calls="partly",
        times="partly",
        time_outs="partly",
        exit_codes="partly",
        interruptions="partly",
        reasoning="partly",
        child_sessions="no",
        note="messages alone: what a client did shows only in the words of a result",
    ),
)
"""One row for each reader, in the order of the table."""

_BY_NAME = {row.reader: row for row in CAPABILITIES}


def of(source_format: str) -> Capability | None:
    """The row of a reader; ``None`` for a reader that is not ours (a plug-in)."""
    return _BY_NAME.get(source_format)


def not_recorded(source_format: str, *facts: Fact) -> str | None:
    """Why a rule that rests on ``facts`` cannot judge sessions of this format, in words; ``None`` when it can.

    Only what a format never records makes a rule impossible; ``partly`` does not.
    """
    row = of(source_format)
    if row is None:
        return None
    missing = [FACTS[fact] for fact in facts if getattr(row, fact) == "no"]
    if not missing:
        return None
    return f"logs of the kind {row.reader} do not record {' and '.join(missing)}: {row.note}"
