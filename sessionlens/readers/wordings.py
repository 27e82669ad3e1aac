"""How clients word the end of a call: cut off by a limit, stopped by the person, refused, output shortened.

One table for every client and version, so that readers of different formats agree. A wording counts only
where its client puts it: at the very end of an output (opencode) or at its very start (Claude Code, Codex,
Gemini); never in the middle, where a program may quote a log. Sources: opencode 0.5.29 to 1.18.33
(opencode-formats §6), real logs of Claude Code, SWE-agent and Codex (log-formats §§3-9), and the published
messages of Gemini CLI, Qwen Code, OpenHands, Roo Code and Codex.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from sessionlens.cache import lazy
from sessionlens.model import Text

_WINDOW = 2048
"""Characters at an end of an output that are looked at; the longest marker has about 300."""

Where = Literal["end", "start"]


class Wording(NamedTuple):
    """One way in which one client words an event."""

    client: str | None
    """The client, ``None`` for wordings that no client is known by (home-made exports)."""
    where: Where
    """At which end of the output it stands."""
    pattern: re.Pattern[str]
    """Finds it there. A group ``n`` holds the limit, a group ``unit`` its unit."""
    unit: str = "ms"
    """Unit of the limit where the wording has no group ``unit``."""


_UNIT = r"(?P<unit>ms|milliseconds?|msecs?|s|secs?|seconds?|m|mins?|minutes?|h|hours?)\b"
_MILLISECONDS = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000}
# After a marker inside opencode's metadata block other notes of the same block may follow.
_BLOCK_END = r"(?:\n[^\n]{0,300}){0,3}?\n</(?:bash|shell)_metadata>\s*\Z"
_ADVICE = r"(?:\. If this command is expected to take longer[^\n]{0,200})?"
_TOOL = r"(?:bash|shell) tool terminated comm+and after exceeding timeout (?P<n>-?\d+(?:\.\d+)?) ms"


CUT_OFF: tuple[Wording, ...] = (
    # opencode 1.0.152 to 1.18: a line of the metadata block that closes the output; loose copies lose the tags.
    Wording("opencode", "end", lazy(rf"{_TOOL}{_ADVICE}(?:{_BLOCK_END}|\s*\Z)")),
    # opencode 1.0.0 to 1.0.98
    Wording("opencode", "end", lazy(r"\(Command timed out after (?P<n>\d+) ms\)\s*\Z")),
    # opencode's coming v2 store (read in the bundle of 1.18.33)
    Wording(
        "opencode",
        "end",
        lazy(
            r"Command exceeded timeout of (?P<n>\d+) ms\.(?: Retry with a larger timeout[^\n]{0,200})?"
            r"(?:\s*</(?:bash|shell)_metadata>)?\s*\Z"
        ),
    ),
    # Claude Code: `Command timed out after 2m 0.0s`, partial output after it; newer ones put the exit code first.
    Wording(
        "claude-code",
        "start",
        lazy(
            r"\s*(?:<tool_use_error>)?(?:Error: )?(?:Exit code \d+\s+)?(?:Error: )?"
            r"Command timed out after (?P<span>(?:\d+h )?(?:\d+m )?\d+(?:\.\d+)?s)"
        ),
    ),
    Wording(
        "claude-code",
        "end",
        lazy(
            r"(?:\A|\n)\s*(?:<error>)?(?:Error: )?Command timed out after "
            r"(?P<span>(?:\d+h )?(?:\d+m )?\d+(?:\.\d+)?s)\.?\s*(?:</error>)?\s*\Z"
        ),
    ),
    # Codex, the shell tools before unified exec; the figure is the time that passed, not the limit.
    Wording(
        "codex",
        "start",
        lazy(
            r"\s*(?:Exit code: -?\d+\s+)?(?:Wall time: [\d.]+ seconds\s+)?(?:Total output lines: \d+\s+)?(?:Output:\s+)?"
            r"command timed out after \d+ milliseconds"
        ),
    ),
    Wording("codex", "end", lazy(r"(?:\A|\n)command timed out after \d+ milliseconds\s*\Z")),
    # SWE-agent 0.x, then 1.x
    Wording(
        "swe-agent",
        "end",
        lazy(
            r"EXECUTION TIMED OUT(?: BECAUSE NO OUTPUT WAS PRODUCED FOR MORE THAN (?P<n>\d+(?:\.\d+)?) SECONDS)?"
            r"(?:\.?[^\n]{0,200})?(?:\nPLEASE REFINE YOUR RUNNING COMMAND[^\n]{0,200})?\s*\Z"
        ),
        "s",
    ),
    Wording(
        "swe-agent",
        "start",
        lazy(
            r"\s*The command (?s:.{1,800}?) was cancelled because it took more than (?P<n>\d+(?:\.\d+)?) seconds"
        ),
        "s",
    ),
    Wording("swe-agent", "start", lazy(r"\s*The last command (?s:.{1,800}?) timed out and has been killed")),
    # Gemini CLI, Qwen Code
    Wording(
        "gemini-cli",
        "start",
        lazy(
            r"\s*Command was automatically cancelled because it exceeded the timeout of "
            r"(?P<n>\d+(?:\.\d+)?) minutes"
        ),
        "m",
    ),
    Wording(
        "qwen-code",
        "start",
        lazy(r"\s*Command timed out after (?P<n>\d+) ?ms before it could complete"),
    ),
    # OpenHands
    Wording(
        "openhands",
        "end",
        lazy(r"\[The command timed out after (?P<n>\d+(?:\.\d+)?) seconds\.[^\[\]]{0,600}\]?\s*\Z"),
        "s",
    ),
    # Roo Code and its kin
    Wording(
        "roo-code",
        "end",
        lazy(
            r"The command was terminated after exceeding a user-configured (?P<n>\d+(?:\.\d+)?)s timeout"
            r"[^\n]{0,200}\s*\Z"
        ),
        "s",
    ),
    # Anthropic's reference bash tool
    Wording(
        "anthropic",
        "end",
        lazy(r"timed out: bash has not returned in (?P<n>\d+(?:\.\d+)?) seconds[^\n]{0,80}\s*\Z"),
        "s",
    ),
    # Home-made exports: the last line says nothing but that the command or the tool ran out of time.
    Wording(
        None,
        "end",
        lazy(
            r"(?i)(?:\A|\n)[ \t\[(<*>⎿]*(?:error: ?)?(?:the |this )?(?:(?:bash|shell|tool|command) )?"
            r"(?:command|tool|call|execution|process)(?: call| execution)? "
            r"(?:was (?:killed|terminated|cancelled|aborted)(?: because it)? (?:after exceeding|after|exceeded)|"
            r"has (?:exceeded|timed out after)|exceeded|timed out after|timed out \(|hit)"
            r"(?: a| an| the| its)?(?: default| configured)?(?: time limit| timeout)?(?: of)? ?"
            rf"(?P<n>\d+(?:\.\d+)?) ?{_UNIT}(?: timeout| time limit)?"
            r"(?: \([^()\n]{0,80}\))?[.\])>*]*(?:\s*</[a-z_]{1,20}>)?\s*\Z"
        ),
    ),
    Wording(
        None,
        "end",
        lazy(
            r"(?i)(?:\A|\n)[ \t\[(<*>⎿]*(?:error: ?)?timed? ?out after "
            rf"(?P<n>\d+(?:\.\d+)?) ?{_UNIT}(?: \([^()\n]{{0,80}}\))?[.\])>*]*(?:\s*</[a-z_]{{1,20}}>)?\s*\Z"
        ),
    ),
)

ABORTED: tuple[Wording, ...] = (
    # opencode 1.0.152 and later, 1.0.0
    Wording("opencode", "end", lazy(rf"User aborted the command(?:{_BLOCK_END}|\s*\Z)")),
    Wording("opencode", "end", lazy(r"\(Command was aborted\)\s*\Z")),
    Wording("opencode", "start", lazy(r"\s*(?:Error: )?Tool execution (?:was )?aborted\.?\s*\Z")),
    Wording("opencode", "start", lazy(r"\s*\[Tool execution was interrupted\]\s*\Z")),
    Wording("claude-code", "end", lazy(r"\[Request interrupted by user(?: for tool use)?\]\s*\Z")),
    Wording("claude-code", "start", lazy(r"\s*(?:⎿\s*)?Interrupted by user\b")),
    Wording("claude-code", "end", lazy(r"<error>Command was aborted before completion</error>\s*\Z")),
    Wording("codex", "start", lazy(r"\s*(?:command )?aborted by user(?: after [\d.]+ ?s(?:econds)?)?")),
    Wording("codex", "end", lazy(r"(?:\A|\n)aborted by user(?: after [\d.]+ ?s)?\.?\s*\Z")),
    Wording("gemini-cli", "start", lazy(r"\s*Command was cancelled by user before it could complete")),
    Wording("gemini-cli", "start", lazy(r"\s*(?:\[Operation Cancelled\]|User cancelled)")),
)

REFUSED: tuple[Wording, ...] = (
    Wording(
        "opencode",
        "start",
        lazy(r"\s*(?:Error: )?The user rejected permission to use this (?:specific tool call|functionality)"),
    ),
    Wording("opencode", "start", lazy(r"\s*(?:Error: )?The user has specified a rule which prevents you")),
    Wording("opencode", "start", lazy(r"\s*(?:Error: )?The user has specifically restricted access")),
    Wording("opencode", "start", lazy(r"\s*(?:Error: )?The user dismissed this question")),
    Wording(
        "claude-code",
        "start",
        lazy(r"\s*(?:Error: )?The user doesn't want to (?:proceed with|take) this (?:tool use|action)"),
    ),
    Wording(
        "claude-code",
        "start",
        lazy(r"\s*(?:Error: )?Permission to use \S{1,80} (?:.{0,200} )?has been denied"),
    ),
    Wording("codex", "start", lazy(r"\s*(?:exec command |patch )?rejected by user")),
    Wording(
        "gemini-cli",
        "start",
        lazy(r"\s*\[?(?:Error: )?(?:User did not allow tool call|Tool call denied)"),
    ),
)

SHORTENED: tuple[Wording, ...] = (
    # opencode ≤1.0.98 · 1.0.152 to about 1.1.34 · to 1.3.2 (head kept) · from 1.14 (tail kept)
    Wording("opencode", "end", lazy(r"\(Output was truncated due to length limit\)")),
    Wording("opencode", "end", lazy(r"bash tool truncated output as it exceeded \d+ char limit")),
    Wording(
        "opencode",
        "end",
        lazy(
            r"The tool call succeeded but the output was truncated\. Full output saved to: (?P<path>[^\n]+)"
        ),
    ),
    Wording(
        "opencode",
        "start",
        lazy(
            r"\.\.\.(?:output|\d+ (?:lines|bytes)) truncated\.\.\.\s+Full output saved to: (?P<path>[^\n]+)"
        ),
    ),
    Wording(
        "claude-code",
        "start",
        lazy(r"<persisted-output>\s*Output too large[^\n]*Full output saved to: (?P<path>[^\n]+)"),
    ),
    Wording("claude-code", "end", lazy(r"\.\.\. \[\d+ lines truncated\] \.\.\.")),
    Wording(
        "codex",
        "start",
        lazy(r"\[\.{3} omitted \d+ of \d+ lines \.{3}\]|…\d+ (?:tokens|chars) truncated…"),
    ),
)


_MCP_BEFORE = (
    r"\s*(?:(?:Wall time: [\d.]{1,12} seconds\s+)?Output:\s+|<error>|<tool_use_error>|(?:Error|McpError|MCPError|ToolError): "
    r"|\[Tool '[^'\n]{1,120}' executed\.\]\s+|\[An error occurred during execution\.\]\s+"
    r"|Error executing MCP tool:\s*|Error calling (?:MCP )?tool[^\n:]{0,120}: |Error invoking MCP tool[^\n:]{0,120}:\s*"
    r"|(?:An error occurred while running the tool\. Please try again\. )|Failed to call tool [^\n:]{1,120}: "
    r"|MCP server '[^'\n]{1,120}': |MCP error -32603: |tool call error: |Unexpected error while running action: ){0,8}"
)
_MCP = lazy(
    _MCP_BEFORE + r"(?:MCP error -32001: (?:Request timed out|Maximum total timeout exceeded)"
    r"|MCP server \"[^\"\n]{1,120}\" tool \"[^\"\n]{1,120}\" timed out after (?P<claude>\d{1,12}(?:\.\d{1,9})?) ?(?P<claude_unit>ms|s|m)"
    r"|(?:tool call failed for `[^`\n]{1,200}`\s*)?(?:Caused by:\s*)?(?:0: )?timed out awaiting tools/call after "
    r"(?P<codex>\d{1,12}(?:\.\d{1,9})?)(?P<codex_unit>ms|s|m)(?:\s*1: deadline has elapsed)?"
    r"|Timed out while waiting for response to ClientRequest\.(?: Waited (?P<python>\d{1,9}(?:\.\d{1,9})?) seconds)?"
    r"|MCP tool '[^'\n]{1,120}' timed out after (?P<openhands>\d{1,9}(?:\.\d{1,9})?) seconds(?:\. The tool server may be[^\n]{0,300})?"
    r"|Request 'tools/call' timed out)"
    r"\.?(?: ?\([^()\n]{0,120}\))?(?:</error>|</tool_use_error>)?\s*"
)
_MCP_LONGEST = 1200


class CutOff(NamedTuple):
    """A cut-off as worded by the client."""

    limit_ms: int | None
    """The limit in milliseconds, ``None`` where the wording does not give it."""
    quote: str
    """The exact words."""


def cut_off(output_end: str, *, output_start: str | None = None, client: str | None = None) -> CutOff | None:
    """Whether a client's own time limit ended the call, from the end of its output (or error).

    ``output_end`` is the output or its last characters; give ``output_start`` (the output or its first
    characters) too, for the clients that put the note first: a text that is whole serves as both.
    ``client`` (``opencode``, ``claude-code``, ``codex``, ``swe-agent``, ``gemini-cli`` …) leaves the other
    clients' wordings out, so that a program's own words are not taken for the client's; ``None`` takes all.
    """
    for wording in CUT_OFF:
        found = _find(wording, output_end, output_start, client)
        if found is not None:
            return CutOff(_limit(found, wording.unit), _quote(found))
    return None


def mcp_cut_off(words: Text) -> CutOff | None:
    """Whether a client's time limit for tools of MCP servers ended the call: a result that says this and nothing else.

    The words are those of the library or client that waited, as their users report them:

    - ``MCP error -32001: Request timed out``: the TypeScript SDK, 60 s unless configured, in Claude Code
      (anthropics/claude-code#424), opencode (anomalyco/opencode#8478), Gemini CLI and its kin
      (google-gemini/gemini-cli#7324), Copilot CLI (github/copilot-cli#1759), Cline's kin (johnhuang316/code-index-mcp#30);
    - ``MCP server "…" tool "…" timed out after 1s``: Claude Code 2.1 (anthropics/claude-code#62121);
    - ``tool call failed for `…`: timed out awaiting tools/call after 120s``: Codex (openai/codex#6127);
    - ``Timed out while waiting for response to ClientRequest. Waited 30.0 seconds.``: the Python SDK, in OpenHands
      (OpenHands/OpenHands#9776) and OpenAI's agents (openai/openai-agents-python#1026); ``Request 'tools/call' timed
      out`` from its version 2 on (its guide for migration);
    - ``MCP tool '…' timed out after 30 seconds.``: OpenHands' agent SDK 1.58.

    ``limit_ms`` where the words give it. Whatever stands beside them makes them a quotation, but for the stack that Codex
    prints below (0.171).
    """
    shown = words.head[: 2 * _MCP_LONGEST].split("\n\nStack backtrace:\n", 1)[0]
    if len(shown) < 20 or len(shown) > _MCP_LONGEST or (len(shown) < words.length and shown == words.head):
        return None
    found = _MCP.fullmatch(shown)
    if found is None:
        return None
    number = found["claude"] or found["codex"] or found["python"] or found["openhands"]
    unit = found["claude_unit"] or found["codex_unit"] or "s"
    limit = round(float(number) * _MILLISECONDS[unit]) if number else None
    return CutOff(limit, found[0].strip())


def aborted(output_end: str, *, output_start: str | None = None, client: str | None = None) -> str | None:
    """The client's words that the person stopped the call, or ``None``. Arguments as in :func:`cut_off`."""
    return _first(ABORTED, output_end, output_start or output_end, client)


def refused(error: str, *, client: str | None = None) -> str | None:
    """The client's words that the call was not allowed and never ran, or ``None``.

    A refusal by the person or by a rule of theirs is no interruption: nothing was started.
    """
    return _first(REFUSED, error, error, client)


def shortened(
    output_start: str, output_end: str, *, client: str | None = None
) -> tuple[str, str | None] | None:
    """The client's words that it cut the output, with the path of the full output where they name one."""
    for wording in SHORTENED:
        if client is not None and client != wording.client:
            continue
        window = output_end[-_WINDOW:] if wording.where == "end" else output_start[:_WINDOW]
        found = wording.pattern.search(window)
        if found is not None:
            path = found["path"].strip() if "path" in wording.pattern.groupindex else None
            return found[0].strip(), path or None
    return None


def _first(table: tuple[Wording, ...], end: str, start: str, client: str | None) -> str | None:
    for wording in table:
        found = _find(wording, end, start, client)
        if found is not None:
            return _quote(found)
    return None


def _quote(found: re.Match[str]) -> str:
    """The words without the tags around them and without other notes of the same block."""
    return _TAG.sub("", found[0]).strip().split("\n")[0] if "_metadata>" in found[0] else found[0].strip()


def _find(wording: Wording, end: str, start: str | None, client: str | None) -> re.Match[str] | None:
    if client is not None and wording.client != client:
        return None
    if wording.where == "end":
        return wording.pattern.search(end[-_WINDOW:])
    return None if start is None else wording.pattern.match(start[:_WINDOW])


_TAG = lazy(r"</?(?:bash|shell)_metadata>")
_SPAN = lazy(r"(?:(?P<h>\d+)h )?(?:(?P<m>\d+)m )?(?P<s>\d+(?:\.\d+)?)s")


def _limit(found: re.Match[str], unit: str) -> int | None:
    groups = found.groupdict()
    if groups.get("span"):
        span = _SPAN.fullmatch(groups["span"])
        if span is None:
            return None
        return int(3_600_000 * int(span["h"] or 0) + 60_000 * int(span["m"] or 0) + 1_000 * float(span["s"]))
    if not groups.get("n"):
        return None
    word = (groups.get("unit") or unit).lower()
    short = "ms" if word.startswith(("ms", "mil")) else word[0]
    return round(float(groups["n"]) * _MILLISECONDS[short])
