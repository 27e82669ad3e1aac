"""Wordings of cut-offs, aborts, refusals and shortened outputs, per client and version."""

from __future__ import annotations

import time

import pytest

from sessionlens.readers import wordings

SHELL = (
    "shell tool terminated command after exceeding timeout 3000 ms. If this command is expected to take longer "
    "and is not waiting for interactive input, retry with a larger timeout value in milliseconds."
)

CUT = [
    ("opencode", "out\n(Command timed out after 3000 ms)", 3000, "(Command timed out after 3000 ms)"),
    (
        "opencode",
        "x\n\n<bash_metadata>\nbash tool terminated commmand after exceeding timeout 3000 ms\n</bash_metadata>",
        3000,
        None,
    ),
    (
        "opencode",
        "x\n\n<bash_metadata>\nbash tool truncated output as it exceeded 30000 char limit\n"
        "bash tool terminated command after exceeding timeout 120000 ms\n</bash_metadata>\n",
        120000,
        None,
    ),
    ("opencode", f"\n\n<shell_metadata>\n{SHELL}\n</shell_metadata>", 3000, SHELL),
    ("opencode", f"{SHELL}", 3000, SHELL),
    (
        "opencode",
        "Command exceeded timeout of 500 ms. Retry with a larger timeout if the command is expected to take longer.",
        500,
        None,
    ),
    (
        "claude-code",
        "Command timed out after 2m 0.0s\npartial output",
        120_000,
        "Command timed out after 2m 0.0s",
    ),
    ("claude-code", "Exit code 143\nCommand timed out after 1h 3m 5.5s\nx", 3_785_500, None),
    ("claude-code", "Error: Command timed out after 15s", 15_000, None),
    ("codex", "command timed out after 10152 milliseconds\nsome output", None, None),
    (
        "codex",
        "Exit code: 124\nWall time: 10.1 seconds\nOutput:\ncommand timed out after 10152 milliseconds\nx",
        None,
        None,
    ),
    (
        "swe-agent",
        "partial\nEXECUTION TIMED OUT BECAUSE NO OUTPUT WAS PRODUCED FOR MORE THAN 60.0 SECONDS.\n",
        60_000,
        None,
    ),
    (
        "swe-agent",
        "The command 'python x.py' was cancelled because it took more than 25 seconds. Please try a different "
        "command that completes more quickly.",
        25_000,
        None,
    ),
    (
        "gemini-cli",
        "Command was automatically cancelled because it exceeded the timeout of 5.0 minutes without output. "
        "Below is the output before it was cancelled:\nx",
        300_000,
        None,
    ),
    ("openhands", "x\n[The command timed out after 30.0 seconds. You may wait longer.]", 30_000, None),
    (None, "Stopping nginx\nCommand timed out after 15 seconds", 15_000, None),
    (None, "timed out after 15 seconds (the default bash timeout)", 15_000, None),
    (None, "[bash tool timed out after 2 minutes]", 120_000, None),
    (None, "The command was killed after exceeding the time limit of 30s.", 30_000, None),
]

NOT_CUT = [
    (None, ""),
    (None, "curl: (28) Operation timed out after 5001 milliseconds with 0 bytes received"),
    (None, "ssh: connect to host 10.0.0.1 port 22: Connection timed out"),
    (None, "error: timed out waiting for the condition on deployments/web"),
    (None, "FAILED tests/test_x.py::test_y - Command timed out after 30 seconds in fixture\n1 failed"),
    (None, "context deadline exceeded"),
    (None, f"line\n{SHELL}\nmore output of a program that quotes a log"),
    ("opencode", "Command timed out after 15 seconds"),
    ("opencode", "(Command timed out after 3000 ms)\nand then the log went on"),
    ("claude-code", "grep: found `Command timed out after 2m 0.0s` in session.jsonl"),
    ("codex", f"\n<shell_metadata>\n{SHELL}\n</shell_metadata>"),
]


@pytest.mark.parametrize(("client", "text", "limit", "quote"), CUT)
def test_a_cut_off_is_known_with_its_limit(
    client: str | None, text: str, limit: int | None, quote: str | None
) -> None:
    found = wordings.cut_off(text, output_start=text, client=client)
    assert found is not None
    assert found.limit_ms == limit
    assert found.quote in text
    if quote is not None:
        assert found.quote == quote


@pytest.mark.parametrize(("client", "text", "limit", "quote"), CUT)
def test_it_is_known_without_the_client_too(
    client: str | None, text: str, limit: int | None, quote: str | None
) -> None:
    found = wordings.cut_off(text, output_start=text)
    assert found is not None
    assert found.limit_ms == limit


@pytest.mark.parametrize(("client", "text"), NOT_CUT)
def test_the_word_timeout_is_no_cut_off(client: str | None, text: str) -> None:
    assert wordings.cut_off(text, output_start=text, client=client) is None


@pytest.mark.parametrize(
    "text",
    [
        "out\n\n<shell_metadata>\nUser aborted the command\n</shell_metadata>",
        "out\n(Command was aborted)",
        "Tool execution aborted",
        "Error: Tool execution aborted",
        "[Request interrupted by user for tool use]",
        "aborted by user after 12.3s",
        "Command was cancelled by user before it could complete. Below is the output",
    ],
)
def test_a_stop_by_the_person(text: str) -> None:
    assert wordings.aborted(text) is not None
    assert wordings.cut_off(text, output_start=text) is None


def test_a_stop_quoted_in_the_middle_is_none() -> None:
    assert wordings.aborted("User aborted the command\nline\nline\nline") is None


def test_refusals_and_shortened_outputs() -> None:
    assert wordings.refused("The user rejected permission to use this specific tool call.")
    assert wordings.refused(
        "Error: The user has specified a rule which prevents you from using this specific tool call."
    )
    assert wordings.refused("Edit failed") is None
    text = "...output truncated...\n\nFull output saved to: /data/tool-output/tool_1\n\ntail"
    assert wordings.shortened(text, text) == (
        "...output truncated...\n\nFull output saved to: /data/tool-output/tool_1",
        "/data/tool-output/tool_1",
    )
    assert wordings.shortened("x", "x\n\n(Output was truncated due to length limit)") == (
        "(Output was truncated due to length limit)",
        None,
    )
    assert wordings.shortened("plain", "plain") is None


def test_hostile_ends_take_no_time() -> None:
    before = time.perf_counter()
    for text in (
        "(" * 100_000,
        "timed out after " * 10_000,
        "The command " * 10_000,
        "\n" * 100_000,
        "[" * 50_000,
    ):
        wordings.cut_off(text, output_start=text)
        wordings.aborted(text)
        wordings.shortened(text, text)
    assert time.perf_counter() - before < 2
