"""Answers drafted from facts of the log: what the assistant could truly have written instead.

A draft says only what the log shows at that place (the command, its limit, the target, the words of a result) and
what it does not show; it claims nothing. Where a command is known that would tell the state, the draft runs it.
Drafts are in English, so none is made where the session is known to be in another language.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

import msgspec

from sessionlens.curate.looked import Looked
from sessionlens.curate.rows import ChatMessage, Function, ToolCall
from sessionlens.findings import Finding
from sessionlens.graph.claims import Claim
from sessionlens.graph.events import Called, Operation, Ran
from sessionlens.narrative import chapters
from sessionlens.narrative.states import Subject
from sessionlens.wording import in_words, named

_LINE = 120
"""Characters of a command that a draft quotes."""
_QUOTE = 160
"""Characters of a result that a draft quotes."""

_ABOUT = ("filePath", "file_path", "path", "file", "target_file", "notebook_path", "url", "pattern", "query")
"""Arguments that say what a call is about, in the clients' words."""


class Draft(msgspec.Struct, frozen=True, kw_only=True):
    """A drafted answer."""

    message: ChatMessage
    """The answer."""
    facts: tuple[str, ...]
    """What it is made of."""


def draft(looked: Looked, finding: Finding, event: Called | Ran | None) -> Draft | None:
    """An answer for the place of a finding; ``None`` where the log holds too little to say anything."""
    operation = looked.operation(event)
    claim = looked.claim(finding) if finding.at.call_id is None or operation is None else None
    if finding.facts.get("repeats") is not None and event is not None:
        return _loop(finding, event)
    if operation is not None and (claim is None or claim.about.seq == operation.event.seq):
        return _open(looked, operation)
    if claim is not None:
        return _claim(looked, claim)
    failed = _failed(looked, finding)
    if failed is not None:
        return failed
    if isinstance(event, Ran) and event.change and not event.outcome.failed:
        return _unchecked(looked, event)
    return None


def _open(looked: Looked, operation: Operation) -> Draft:
    """For an operation whose end nobody knows."""
    event = operation.event
    call = event.call if isinstance(event, Ran) else event
    line = _quoted(call)
    facts = [f"command: {line}", f"opened by: {operation.opened_by}", f"reached: {operation.reached}"]
    began = " Whether it began at all is not known either." if operation.reached == "no" else ""
    if operation.opened_by == "cut_off":
        limit = call.cut_off.limit_ms if call.cut_off is not None else None
        after = f" after {in_words(limit)}" if limit else ""
        if limit:
            facts.append(f"limit: {in_words(limit)}")
        text = f"{line} was cut off by the time limit{after}, before its output showed that it had finished.{began}"
    elif operation.opened_by == "detached":
        text = f"{line} now runs in the background; nothing has shown yet how it went."
    elif operation.opened_by == "connection_lost":
        text = f"The connection broke while {line} was running, so its outcome is not known."
    elif operation.opened_by == "interrupted":
        text = f"{line} was interrupted, so I do not know how far it got."
    else:
        text = f"{line} has given no result, so I do not know whether it finished."
    what = ""
    if isinstance(event, Ran):
        what = named(operation.target)
        facts.append(f"target: {what}")
        state = "is up" if event.start else "has been changed as intended"
        if event.command.effect in ("build", "test", "check", "read", "transfer", "install", "migrate"):
            state = "is complete"
        text += f" I do not know yet whether {_code(what)} {state}."
    return _with_check(looked, text, facts, event, call, "and have not checked it.")


def _unchecked(looked: Looked, event: Ran) -> Draft:
    """For a change that nothing looked at."""
    what = named(event.command.target)
    line = _quoted(event.call)
    facts = [f"command: {line}", f"effect: {event.command.effect}", f"target: {what}"]
    text = f"{line} has run. Nothing has checked {_code(what)} since, so I cannot say yet that it works."
    return _with_check(looked, text, facts, event, event.call, "")


def _claim(looked: Looked, claim: Claim) -> Draft | None:
    """For a claim that the log does not bear out."""
    about = claim.about
    call = about.call if isinstance(about, Ran) else about
    deciding = claim.evidence
    quote = _cut(claim.quote, _QUOTE)
    if claim.standing == "contradicted" and deciding is not None and quote:
        by = deciding.call if isinstance(deciding, Ran) else deciding
        if not isinstance(by, Called):
            return None
        line = _quoted(by)
        return Draft(
            message=ChatMessage(
                role="assistant",
                content=f"This is not done yet. The result of {line} shows: “{quote}”. Until that is resolved I cannot "
                "call it finished.",
            ),
            facts=(f"command: {line}", f"its result: {quote}"),
        )
    line = _quoted(call)
    facts = [f"about: {line}", f"lacking: {claim.lacks or 'evidence'}"]
    if claim.lacks == "result" or looked.operation(about) is not None:
        text = f"{line} has not shown its end, so I do not know how it went."
    elif claim.lacks == "rerun":
        text = f"{line} has not been run again since the last change, so I do not know whether it passes now."
    elif claim.lacks == "run":
        text = "I have made the change, but I have run nothing that shows whether it works."
    elif claim.standing == "premature":
        text = f"{line} has run; I have not seen yet that it worked."
    else:
        text = f"{line} has run. Nothing has checked the outcome since, so I cannot say yet that it works."
    again = call.line if claim.lacks == "rerun" else None
    return _with_check(looked, text, facts, about, call, "", again=again)


def _failed(looked: Looked, finding: Finding) -> Draft | None:
    """For a failure that a finding rests on."""
    places = [(b.session, b.message_index, b.call_id, b.quote) for b in finding.because]
    places.append((finding.at.session, finding.at.message_index, finding.at.call_id, ""))
    for session, index, call_id, quote in places:
        for call in looked.called.get((session, index), ()):
            if call.at.call_id != call_id or call_id is None:
                continue
            commands = looked.graph.commands(call)
            bad = next((ran for ran in commands if ran.outcome.failed or ran.outcome.state == "bad"), None)
            failed = call.call.error is not None or (call.call.exit or 0) != 0 or bad is not None
            words = _cut(quote or (bad.outcome.quote if bad is not None else ""), _QUOTE)
            if failed:
                line = _quoted(call)
                shows = f" Its result shows: “{words}”." if words else ""
                return Draft(
                    message=ChatMessage(
                        role="assistant",
                        content=f"{line} failed.{shows} That is not resolved, so this is not done yet.",
                    ),
                    facts=(f"command: {line}", *((f"its result: {words}",) if words else ())),
                )
    return None


def _loop(finding: Finding, event: Called | Ran) -> Draft:
    """For a call made again and again."""
    call = event.call if isinstance(event, Ran) else event
    line = _quoted(call)
    times = finding.facts["repeats"]
    return Draft(
        message=ChatMessage(
            role="assistant",
            content=f"I have run {line} already and its result has not changed. Running it again would show nothing "
            "new, so I stop repeating it and look for another way, or ask.",
        ),
        facts=(f"call: {line}", f"times: {times}"),
    )


def _with_check(
    looked: Looked,
    text: str,
    facts: list[str],
    event: Called | Ran,
    call: Called,
    without: str,
    *,
    again: str | None = None,
) -> Draft:
    """The text with the call of a command that tells the state, where one is known."""
    line = again or _command(looked, event)
    made = _as_call(call, line) if line is not None else None
    if made is None:
        ending = f" I {without.removeprefix('and ')}" if without else ""
        return Draft(message=ChatMessage(role="assistant", content=text + ending), facts=tuple(facts))
    facts.append(f"check: {line}")
    return Draft(
        message=ChatMessage(role="assistant", content=f"{text} I check it now.", tool_calls=(made,)),
        facts=tuple(facts),
    )


def _command(looked: Looked, event: Called | Ran) -> str | None:
    """A command that would tell the state of what an event acts on."""
    if not isinstance(event, Ran):
        return None
    subjects: Sequence[Subject] = looked.context.subjects_of(event)
    found = chapters.next_commands(looked.context, subjects[:1])
    return found[0].line if found else None


def _as_call(like: Called, line: str) -> ToolCall | None:
    """A call of the same tool with another command; ``None`` where the log does not show how it takes one."""
    arguments = like.call.arguments()
    for key, value in arguments.items():
        if isinstance(value, str) and like.line is not None and value.strip() == like.line.strip():
            return _call_of(like, {key: line})
        shell = isinstance(value, list) and len(value) >= 2 and all(isinstance(word, str) for word in value)
        if shell and like.line is not None and value[-1].strip() == like.line.strip():
            return _call_of(like, {key: [*value[:-1], line]})
    return None


def _call_of(like: Called, arguments: dict[str, object]) -> ToolCall:
    spelled = json.dumps(arguments, ensure_ascii=False)
    return ToolCall(id="call_check", function=Function(name=like.call.name, arguments=spelled))


def _quoted(call: Called) -> str:
    """A call as a sentence names it: its command as code, else its tool."""
    if call.line is not None:
        first = next((row.strip() for row in call.line.splitlines() if row.strip()), "")
        return _code(_cut(first, _LINE))
    arguments = call.call.arguments()
    about = next((value for key in _ABOUT if isinstance(value := arguments.get(key), str) and value), None)
    on = f" on {_code(_cut(about, _LINE))}" if about is not None else ""
    return f"The call of {_code(call.call.name)}{on}"


def _code(text: str) -> str:
    return "`" + text.replace("`", "'") + "`"


def _cut(text: str, most: int) -> str:
    flat = re.sub(r"\s+", " ", text).strip()
    return flat if len(flat) <= most else flat[: most - 1] + "…"
