"""The tables of a data set: one type a table, each column with its meaning. Schemas and the card come from here.

Rows hold plain values only, so that JSON Lines and Parquet say the same. What has no fixed shape (the facts of a
rule) is JSON in a string.
"""

from __future__ import annotations

import ast
import inspect
import itertools
import textwrap
import types
from collections.abc import Mapping
from functools import cache
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec

SCHEMA = "sessionlens.curate/1"
"""Name and version of the form of the tables. Columns may be added; a changed or removed one needs a new version."""

Use = Literal["keep", "mask", "drop"]
"""Keep: train on it. Mask: it stays as context, without loss. Drop: it is in no training form."""

REASONS: dict[str, str] = {
    "context": "not written by the assistant",
    "fault": "a rule reports a fault at this message",
    "fault_span": "between a fault and the place where it was made good, or its turn ended",
    "signal": "a signal that it broke an instruction: low confidence, but no model",
    "empty": "neither text nor a call",
    "error": "generation ended with an error",
    "interrupted": "the person stopped the agent here",
    "incomplete": "generation stopped before its end",
    "reverted": "undone by the person",
    "summary": "written by the client's compaction",
    "unreadable": "part of it could not be read",
    "role_unknown": "the log names no role",
    "duplicate": "stands in another session of the data set too, and is kept there",
    "filtered": "left out by a filter of the run",
    "overlong": "longer than the run allows",
}
"""Why a step is masked or dropped, by code."""


class Function(msgspec.Struct, frozen=True, kw_only=True):
    """The function of a tool call, as OpenAI's chat form has it."""

    name: str
    """Name of the tool as the client calls it."""
    arguments: str
    """The arguments as JSON text."""


class ToolCall(msgspec.Struct, frozen=True, kw_only=True):
    """One tool call."""

    id: str
    """Id to which the result answers."""
    type: str = "function"
    """Always ``function``."""
    function: Function
    """What is called."""


class ChatMessage(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One message in OpenAI's chat form."""

    role: str
    """``system``, ``user``, ``assistant`` or ``tool``."""
    content: str | None
    """The text; null for an assistant message of calls alone."""
    tool_calls: tuple[ToolCall, ...] | None = None
    """Calls that an assistant message makes."""
    tool_call_id: str | None = None
    """For role ``tool``: the call that it answers."""
    name: str | None = None
    """For role ``tool``: name of the tool."""
    reasoning_content: str | None = None
    """The model's thinking, where the log holds it and the run asked for it."""


class MaskedMessage(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One message in OpenAI's chat form with its part in training."""

    role: str
    """``system``, ``user``, ``assistant`` or ``tool``."""
    content: str | None
    """The text; null for an assistant message of calls alone."""
    loss: bool
    """Whether the loss is taken over this message."""
    tool_calls: tuple[ToolCall, ...] | None = None
    """Calls that an assistant message makes."""
    tool_call_id: str | None = None
    """For role ``tool``: the call that it answers."""
    name: str | None = None
    """For role ``tool``: name of the tool."""
    reasoning_content: str | None = None
    """The model's thinking, where the log holds it and the run asked for it."""


class Act(msgspec.Struct, frozen=True, kw_only=True):
    """One speech act of a step (CONTRACT §6)."""

    act: str
    """What the sentence does, such as ``claims_success``."""
    text: str
    """The sentence."""
    about: str | None
    """What it speaks of, in its own words."""


class Statement(msgspec.Struct, frozen=True, kw_only=True):
    """One sentence of the narrative with its certainty."""

    text: str
    """The sentence; pieces between backticks are code."""
    certainty: str
    """``observed``, ``derived`` or ``inferred``."""
    messages: tuple[int, ...]
    """Positions of the messages it stands on, in the session of the episode."""


class Review(msgspec.Struct, frozen=True, kw_only=True):
    """What one person said of a finding."""

    reviewer: str
    """Who, as the run was told."""
    verdict: str
    """``confirm``, ``dismiss`` or ``correct``."""


class SessionRow(msgspec.Struct, frozen=True, kw_only=True):
    """One session or child session: facts, models, client, outcome signals."""

    session: str
    """The log's id of it, or the file's stem."""
    family: str
    """Id of the session on top of it; its own where it has no parent. Families are never split."""
    parent: str | None
    """Id of the session whose call started it."""
    source: str
    """Where it was read from, relative to what the run was given."""
    format: str
    """Name of the reader."""
    client: str | None
    """The agent client."""
    client_version: str | None
    """Its version."""
    model: str
    """Models of assistant messages in order of first use, joined by a comma and a blank."""
    title: str | None
    """Title that the client gave it."""
    directory: str | None
    """Working directory."""
    repository: str | None
    """The project it belongs to: as the list of origins says, else made of the working directory."""
    origin: str | None
    """Where the log was published, as the list of origins or the option says."""
    licence: str | None
    """Its licence, as the list of origins or the option says; null when nobody said."""
    language: str | None
    """ISO 639-1 code of the language that most of its prose is in; null when unknown."""
    started: str | None
    """Time of its first message, ISO 8601 in UTC."""
    ended: str | None
    """Latest time in it."""
    duration_ms: int | None
    """Milliseconds between the two."""
    messages: int
    """Messages as read: its steps."""
    human_messages: int
    """Of these, by a person."""
    calls: int
    """Tool calls."""
    cut_off: int
    """Calls that a time limit ended."""
    open_operations: int
    """Operations whose own result does not show that they completed."""
    never_closed: int
    """Of these, still open at the end."""
    faults: int
    """Findings that are faults."""
    signals: int
    """Findings that are signals."""
    good: int
    """Findings of good conduct."""
    severity: str | None
    """Severity of its worst fault; null without one."""
    complaints: int
    """Messages in which a person complains."""
    confirmations: int
    """Messages in which a person confirms."""
    ends_with: str
    """What its last message is: ``text``, ``call``, ``silence``, ``interruption``, ``error``, ``person``, ``nothing``."""
    last_claim: bool
    """Whether the last prose of the assistant claims success."""
    tokens: int
    """Tokens of all its steps, as the run counts them."""
    tokens_in: int | None
    """Tokens read, as the log records them."""
    tokens_out: int | None
    """Tokens written, as the log records them."""
    gaps: int
    """Places of the log that could not be read."""
    truncated: bool
    """Whether the log stops before its end."""
    redacted: int
    """Places where secrets or private names were replaced, of the whole family."""
    not_checkable: tuple[str, ...]
    """Slugs of the rules that cannot judge it, because its log does not record what they rest on."""
    steps_kept: int = 0
    """Steps with loss."""
    steps_masked: int = 0
    """Steps that are context only."""
    steps_dropped: int = 0
    """Steps in no training form."""
    split: str = ""
    """``train``, ``validation`` or ``test``, or as the run names its parts."""


class StepRow(msgspec.Struct, frozen=True, kw_only=True):
    """One message of a session with its calls and their results."""

    session: str
    """Id of the session."""
    family: str
    """Id of the session on top of it."""
    step: int
    """Position from 0 in reading order: ``message_index`` of an audit."""
    message_id: str | None
    """The log's id of the message."""
    line: int | None
    """1-based line of the log; null where there are none."""
    turn: int
    """Number of human messages up to and with this one, in the order of the whole family."""
    role: str
    """``system``, ``user`` or ``assistant``; where the log names none, by the protocol."""
    human: bool
    """Whether a person wrote it."""
    time: str | None
    """When it was created."""
    model: str | None
    """Model that wrote it."""
    agent: str | None
    """The client's agent or mode."""
    language: str | None
    """Language of its prose; null when unknown or without prose."""
    messages: tuple[ChatMessage, ...]
    """The step in chat form: the message itself, then a message of role ``tool`` for each call."""
    reasoning: str | None
    """The model's thinking, where the log holds it."""
    acts: tuple[Act, ...]
    """Speech acts, in order."""
    findings: tuple[str, ...]
    """Fingerprints of the findings at this step, of any kind."""
    rules: tuple[str, ...]
    """Slugs of the rules of these, each once."""
    use: Use
    """What training does with it."""
    reasons: tuple[str, ...]
    """Why it is masked or dropped, by code; empty when kept."""
    tokens: int
    """Tokens of its chat form, as the run counts them."""
    cut: int
    """Characters of tool results left out because of the run's limit; a mark stands in their place."""
    split: str = ""
    """As in sessions."""


class FindingRow(msgspec.Struct, frozen=True, kw_only=True):
    """One finding of the audit."""

    fingerprint: str
    """Stable name, the same as on the page of an audit."""
    session: str
    """Id of the session it is in."""
    family: str
    """Id of the session on top of it."""
    rule: str
    """Slug of the rule."""
    kind: str
    """``fault``, ``good`` or ``signal``."""
    severity: str
    """How bad, were it true."""
    confidence: str
    """How sure."""
    title: str
    """One line."""
    note: str
    """One or two sentences."""
    step: int
    """Position of its message."""
    last_step: int
    """Position of the last message that it is about."""
    masks: tuple[int, ...]
    """Steps without loss because of it; empty unless it is a fault."""
    call: str | None
    """Id of the call, where it is about one."""
    line: int | None
    """Line of the log."""
    model: str | None
    """Model that wrote the message."""
    language: str | None
    """Language of the session."""
    situation: str
    """Kind of operation it is about, such as ``cut_off restart service``."""
    environment: str | None
    """Where it took place: production, staging, development, local, unknown; null where it is about no command."""
    because: str
    """The related places as JSON."""
    facts: str
    """The facts of the rule as JSON."""
    doubt: str | None = None
    """Why it makes no episode and no pair unless people confirm it; null where it does."""
    reviews: tuple[Review, ...] = ()
    """What people said of it."""
    verdict: str | None = None
    """The verdict of most of them; ``disputed`` where no verdict has most; null without any."""
    split: str = ""
    """As in sessions; empty where its session is not part of the data set."""


class OperationRow(msgspec.Struct, frozen=True, kw_only=True):
    """One open operation of the ledger."""

    session: str
    """Id of the session."""
    family: str
    """Id of the session on top of it."""
    step: int
    """Message that opened it."""
    situation: str
    """Kind of operation."""
    target: str
    """What it acts on."""
    environment: str | None
    """Where it took place; null for a call without commands."""
    model: str | None
    """Model that wrote the message."""
    opened_by: str
    """``cut_off``, ``detached``, ``connection_lost``, ``running`` or ``interrupted``."""
    reached: str
    """Whether the command began: ``yes``, ``no``, ``unknown``."""
    acknowledged_step: int | None
    """Message that told the reader; null when none did."""
    acknowledged_ms: int | None
    """Milliseconds from its opening until then; null without times."""
    closed_by: str
    """``check``, ``result``, ``stop`` or ``none``."""
    found: str | None
    """What the closing check found."""
    unknown_messages: int
    """Messages while its state was unknown."""
    unknown_ms: int | None
    """Milliseconds while its state was unknown; null without times."""
    split: str = ""
    """As in sessions."""


class ChangeRow(msgspec.Struct, frozen=True, kw_only=True):
    """One change of a target in production or in an environment that nothing names."""

    session: str
    """Id of the session."""
    family: str
    """Id of the session on top of it."""
    step: int
    """Message that made it."""
    target: str
    """What was changed."""
    effect: str
    """How, such as ``edit`` or ``deploy``."""
    environment: str
    """``production`` or ``unknown``."""
    model: str | None
    """Model that wrote the message."""
    verified_step: int | None
    """Message of the first check; null when none came."""
    verified_ms: int | None
    """Milliseconds from the change to the end of that check; null without times."""
    in_turn: bool
    """Whether the check came before the person wrote again."""
    split: str = ""
    """As in sessions."""


class ToolRow(msgspec.Struct, frozen=True, kw_only=True):
    """The calls of one tool in one session."""

    session: str
    """Id of the session."""
    family: str
    """Id of the session on top of it."""
    tool: str
    """Name of the tool as the client calls it."""
    model: str | None
    """Model that called it."""
    calls: int
    """How often it was called."""
    errors: int
    """Calls that ended with an error."""
    cut_off: int
    """Calls that a time limit ended."""
    unfinished: int
    """Calls without a result."""
    split: str = ""
    """As in sessions."""


class EpisodeRow(msgspec.Struct, frozen=True, kw_only=True):
    """A window around a finding or a span of good conduct."""

    episode: str
    """Stable name."""
    session: str
    """Id of the session."""
    family: str
    """Id of the session on top of it."""
    source: str
    """Where the session was read from."""
    repository: str | None
    """As in sessions."""
    licence: str | None
    """As in sessions."""
    origin: str | None
    """As in sessions."""
    kind: str
    """``fault``, ``good`` or ``signal``."""
    label: str
    """Kind and rule, such as ``fault:unacknowledged-long-running-restart``; ``dismissed:…`` where people say so."""
    rule: str
    """Slug of the rule, or name of the span of good conduct."""
    severity: str
    """As in findings; ``info`` for good conduct."""
    confidence: str
    """How sure the label is."""
    verdict: str | None
    """As in findings."""
    fingerprint: str | None
    """Of the finding; null for a span that no rule reports."""
    situation: str
    """Kind of operation."""
    environment: str | None
    """As in findings."""
    model: str | None
    """Model that wrote the event."""
    client: str | None
    """The agent client."""
    language: str | None
    """Language of the session."""
    first_step: int
    """First message of the window."""
    event_step: int
    """Message of the event."""
    last_step: int
    """Last message of the window."""
    skipped: int
    """Messages of the context that were left out between its first and the rest."""
    context: tuple[ChatMessage, ...]
    """What came before: at least the message that the turn answers."""
    event: tuple[ChatMessage, ...]
    """What the label is about."""
    consequence: tuple[ChatMessage, ...]
    """What followed, up to the next human message and what answers it."""
    title: str
    """The label in one line."""
    statements: tuple[Statement, ...]
    """What the narrative tells of it, each with its certainty."""
    facts: str
    """The facts of the rule as JSON."""
    tokens: int
    """Tokens of context, event and consequence."""
    split: str = ""
    """As in sessions."""


class PairRow(msgspec.Struct, frozen=True, kw_only=True):
    """Preference data: one context, a handling to prefer and one to avoid."""

    pair: str
    """Stable name."""
    prompt: tuple[ChatMessage, ...]
    """The conversation up to the answer (TRL: explicit prompt, conversational)."""
    chosen: tuple[ChatMessage, ...]
    """The answer to prefer."""
    rejected: tuple[ChatMessage, ...]
    """What the assistant wrote; an empty text where it wrote nothing."""
    tools: str
    """Tools that the messages call, as JSON: a list in the form of TRL's ``tools`` column."""
    drafted: bool
    """Whether ``chosen`` was drafted from facts; otherwise it is a real answer from the corpus."""
    chosen_from: str
    """``drafted``, ``corpus`` (word for word), or ``adapted`` (real words, the target's and host's names replaced)."""
    chosen_session: str | None
    """Session of the real answer; of the same split."""
    chosen_step: int | None
    """Its message."""
    chosen_licence: str | None
    """Its licence."""
    facts: tuple[str, ...]
    """What a drafted answer is made of, a fact a line; empty for a real one."""
    episode: str
    """The episode of the rejected answer."""
    session: str
    """Its session."""
    family: str
    """Id of the session on top of it."""
    repository: str | None
    """As in sessions."""
    licence: str | None
    """As in sessions."""
    origin: str | None
    """As in sessions."""
    rule: str
    """Slug of the rule that reports the rejected answer."""
    severity: str
    """As in findings."""
    confidence: str
    """As in findings."""
    situation: str
    """Kind of operation, by which real answers are matched."""
    model: str | None
    """Model that wrote the rejected answer."""
    language: str | None
    """Language of the session."""
    tokens: int
    """Tokens of prompt, chosen and rejected."""
    split: str = ""
    """As in sessions."""


TABLES: dict[str, type[msgspec.Struct]] = {
    "sessions": SessionRow,
    "steps": StepRow,
    "findings": FindingRow,
    "operations": OperationRow,
    "changes": ChangeRow,
    "tools": ToolRow,
    "episodes": EpisodeRow,
    "pairs": PairRow,
}
"""Every table by name."""


@cache
def meanings(row: type[msgspec.Struct]) -> dict[str, str]:
    """What each column means: the string under it in the source."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(row)))
    body = tree.body[0].body if isinstance(tree.body[0], ast.ClassDef) else []
    found: dict[str, str] = {}
    for field, text in itertools.pairwise(body):
        if (
            isinstance(field, ast.AnnAssign)
            and isinstance(field.target, ast.Name)
            and isinstance(text, ast.Expr)
            and isinstance(text.value, ast.Constant)
        ):
            found[field.target.id] = " ".join(str(text.value.value).split())
    return found


@cache
def types_of(row: type[msgspec.Struct]) -> dict[str, Any]:
    """The type of each column."""
    hints = get_type_hints(row)
    return {name: hints[name] for name in row.__struct_fields__}


def schema(row: type[msgspec.Struct]) -> dict[str, Any]:
    """The JSON Schema (2020-12) of one row, with the meaning of every column."""
    generated = msgspec.json.schema(row)
    for name, described in generated.get("$defs", {}).items():
        kind = _KNOWN.get(name)
        for column, meaning in meanings(kind).items() if kind is not None else ():
            described["properties"][column]["description"] = meaning
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **generated}


_PARTS: tuple[type[msgspec.Struct], ...] = (
    Function,
    ToolCall,
    ChatMessage,
    MaskedMessage,
    Act,
    Statement,
    Review,
)
_KNOWN: Mapping[str, type[msgspec.Struct]] = {kind.__name__: kind for kind in (*TABLES.values(), *_PARTS)}


def parts(hint: Any) -> tuple[Any, bool, bool]:
    """A column's type taken apart: the inner type, whether it is a list, whether it may be null."""
    null = False
    if get_origin(hint) in (Union, types.UnionType):
        inner = [one for one in get_args(hint) if one is not type(None)]
        null = len(inner) < len(get_args(hint))
        hint = inner[0]
    if get_origin(hint) is tuple:
        return get_args(hint)[0], True, null
    if get_origin(hint) is Literal:
        return str, False, null
    return hint, False, null


def spelled(hint: Any) -> str:
    """A column's type for people: ``text``, ``number``, ``list of messages``."""
    inner, several, null = parts(hint)
    names = {str: "text", int: "integer", float: "number", bool: "true or false"}
    name = names.get(inner) or str(getattr(inner, "__name__", inner))
    return ("list of " if several else "") + name + (", or null" if null else "")
