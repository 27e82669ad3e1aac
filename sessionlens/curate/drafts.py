"""Answers drafted from facts of the log: what the assistant could truly have written instead.

A draft says only what the log shows at that place (the command, its limit, the target, the words of a result) and
what it does not show; it claims nothing. Where a command is known that would tell the state, the draft runs it.
Drafts are in English, so none is made where the session is known to be in another language.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence

import msgspec

from sessionlens.curate import doubts
from sessionlens.curate.fit import Known, call_of, shape
from sessionlens.curate.looked import Looked, target_of
from sessionlens.curate.rows import ChatMessage, Function, ToolCall
from sessionlens.findings import Because, Finding, Place
from sessionlens.graph.claims import Claim
from sessionlens.graph.events import Called, Operation, Ran
from sessionlens.narrative import chapters
from sessionlens.narrative.states import Subject
from sessionlens.narrative.words import listing
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
    closing: str | None = None
    """The last sentence of a report, behind all else that it has to tell; empty where it has none. ``None`` where the answer is no
    report, or is whole.
    """


def draft(
    looked: Looked, finding: Finding, event: Called | Ran | None, known: Known, end: int
) -> Draft | None:
    """An answer for the place of a finding; ``None`` where the log holds too little, or the rule is not known here.

    A rule of somebody else gets a draft where it speaks of an open operation: what to say of that is known.

    :param known: what the prompt tells. An answer that would name anything else is not made.
    :param end: position of the last message of the prompt.
    """
    make = _BY_RULE.get(finding.rule)
    if make is not None:
        made = make(looked, finding, event, known)
    else:
        operation = looked.operation(event)
        foreign = finding.rule not in _WITHOUT and looked.reach(finding).omission
        made = _open(looked, operation, known) if foreign and operation is not None else None
    if made is not None and finding.rule not in _FORBIDDEN and _leaves_out(looked, finding):
        return None
    if made is not None and made.closing is not None:
        made = _completed(looked, finding, made, known, end)
    return made if made is not None and known.quoted(made.message.content or "") else None


def reports(rule: str) -> bool:
    """Whether the better answer to what a rule reports is a report of where things stand."""
    make = _BY_RULE.get(rule)
    return make in _REPORTS if make is not None else rule not in _WITHOUT


_FORBIDDEN = frozenset(
    {"destructive-without-confirmation", "instruction-violated", "out-of-scope-file-change", "test-tampering",
     "secret-exposed"}
)  # fmt: skip
"""Shipped rules whose findings an honest word at the end of the work would not pass over."""


def _leaves_out(looked: Looked, finding: Finding) -> bool:
    """Whether the same turn holds a step that was not allowed: an answer that is silent about it is no better one."""
    session, place = finding.at.session, finding.at.message_index
    asked, stop = looked.asked(session, place) or 0, looked.stop(session, place)
    calls = (call for index in range(asked, stop) for call in looked.called.get((session, index), ()))
    if any(doubts.DESTROYS.search(call.line or "") for call in calls):
        return True
    return any(
        other.rule in _FORBIDDEN
        and other.kind == "fault"
        and other.at.session == session
        and asked <= other.at.message_index < stop
        for other in looked.audit.findings
    )


_MOST = 4
"""Failures and open operations, besides the one in question, up to which a report tells them all; with more there is none."""


def _completed(looked: Looked, finding: Finding, made: Draft, known: Known, end: int) -> Draft | None:
    """A report with all else of its turn that failed, or was left open, and that nothing put right up to the answer.

    Who is told of one failure and not of the others is told a half-truth; where not all of it can be said, nothing is.
    """
    session = finding.at.session
    text, facts = made.message.content or "", list(made.facts)
    besides: list[str] = []
    left_open = looked.left_open(session, end)
    for operation in left_open:
        event = operation.event
        line = _quoted(_call(event), event)
        if line in text:
            continue
        state = _how_open(operation, line, known, facts)
        if state is None:
            return None
        besides.append(state)
    opened = {_call(operation.event).seq for operation in left_open}
    for item in looked.standing(session, end):
        if item.event.call.seq in opened:
            continue
        line = _quoted(item.event.call, item.event)
        shown = _shows(item.event.call, item.quote, known)
        if not shown:
            return None
        again = line in text or any(line in one for one in besides)
        if shown in text or (again and not doubts.amiss(shown)):
            continue
        what = "Another run" if again else "The result"
        besides.append(f"{what} of {line} shows: {shown}.")
        facts.append(f"its result: {shown}")
    if len(besides) > _MOST:
        return None
    whole = " ".join(one for one in (text, *besides, made.closing) if one)
    return Draft(message=msgspec.structs.replace(made.message, content=whole), facts=tuple(facts))


def _call(event: Called | Ran) -> Called:
    return event.call if isinstance(event, Ran) else event


_ROWS = 3
"""Rows of one result that a report quotes."""


def _shows(call: Called, words: str, known: Known) -> str:
    """What a result shows, between quotation marks: all of a short one, else its rows that speak of a failure.

    Empty where the prompt does not hold that.

    :param words: those that decide.
    """
    texts = [text.ends() for text in (call.call.output, call.call.error) if text is not None]
    rows = [row.strip() for text in texts for row in text.splitlines() if row.strip()]
    decides = next((row for row in rows if words and words.strip() in row), None)
    more = 0
    if len(rows) > _ROWS or sum(map(len, rows)) > 2 * _QUOTE:
        bad = [row for row in dict.fromkeys(rows) if row == decides or doubts.amiss(row)]
        told = bad[:_ROWS]
        if decides is not None and decides not in told:
            told[-1:] = [decides]
        rows, more = told, len(bad) - len(told)
    if decides is None and not any(map(doubts.amiss, rows)):
        return ""
    quoted = [_said(row) for row in rows]
    if not all(known.has(one) for one in quoted):
        return ""
    count = f" (and {more} more such {'rows' if more > 1 else 'row'})" if more else ""
    return listing(f"“{one}”" for one in quoted) + count


_DELETES = re.compile(r"\b(?:delete\s+from|rm|kubectl delete)\b", re.IGNORECASE)
_SAYS_ONLY = re.compile(r"\s*(?:echo|printf|true|:|sleep|exit|cd)\b[^|;&>]*\Z")


def _touched(looked: Looked, event: Called | Ran, until: int | None = None) -> bool:
    """Whether a later call of the turn, before the message ``until``, that went through names anything that the event names: it may have shown how it went."""
    call = _call(event)
    session, place = call.at.session, call.at.message_index
    names = doubts.marks(doubts.whole(call))
    if isinstance(event, Ran):
        names |= doubts.marks(f"{event.command.target.name} {event.command.target.host or ''}")
        names -= {word.casefold() for word in event.command.words[:2]}
    return any(
        later.seq > call.seq
        and later.call.status != "error"
        and later.call.error is None
        and not _SAYS_ONLY.match(later.line or "-")
        and bool(names & doubts.marks(doubts.whole(later)))
        for index in looked.assistants(session, place, (until or looked.stop(session, place)) - 1)
        for later in looked.called.get((session, index), ())
    )


def _left_open(looked: Looked, _finding: Finding, event: Called | Ran | None, known: Known) -> Draft | None:
    operation = looked.operation(event)
    return _open(looked, operation, known) if operation is not None else None


def _edit(looked: Looked, _finding: Finding, event: Called | Ran | None, known: Known) -> Draft | None:
    operation = looked.operation(event)
    if operation is not None:
        return _open(looked, operation, known)
    return _unchecked(looked, event, known) if isinstance(event, Ran) and event.change else None


def _claimed(looked: Looked, finding: Finding, _event: Called | Ran | None, known: Known) -> Draft | None:
    claim = looked.claim(finding)
    if claim is None:
        return None
    operation = looked.operation(claim.about)
    if operation is not None:
        return _open(looked, operation, known)
    if finding.rule == "claim-contradicted-by-evidence" and claim.standing != "contradicted":
        # What contradicts it is more than one result can say.
        return None
    return _claim(looked, claim, known)


def _second_change(
    looked: Looked, finding: Finding, _event: Called | Ran | None, known: Known
) -> Draft | None:
    """For a change on top of one that nobody looked at: look first."""
    first = next((call for b in finding.because if (call := looked.call(finding, b)) is not None), None)
    if first is None:
        return None
    operation = next(iter(looked.operations.get(first.seq, ())), None)
    if operation is not None:
        return _open(looked, operation, known)
    change = next((ran for ran in looked.graph.commands(first) if ran.change), None)
    if change is None or _touched(looked, change, finding.at.message_index):
        return None
    what = named(change.command.target)
    line = _quoted(first, change)
    facts = [f"command: {line}", f"target: {what}"]
    text = f"{line} has run and nothing has checked {_code(what)} since, so before I change it again I look at it."
    command = _command(looked, change, known)
    taking = shape(first)
    if command is None or taking is None:
        return None
    return Draft(
        message=ChatMessage(role="assistant", content=text, tool_calls=(call_of(taking, command),)),
        facts=(*facts, f"check: {command}"),
    )


def _short_limit(_looked: Looked, finding: Finding, event: Called | Ran | None, known: Known) -> Draft | None:
    """For a limit that was known not to suffice: the same call with one that may."""
    call = event.call if isinstance(event, Ran) else event
    takes = [ms for ms in finding.facts.get("known_ms") or () if isinstance(ms, (int, float))]
    limit = finding.facts.get("limit_ms")
    if call is None or not takes or not isinstance(limit, int):
        return None
    arguments = call.call.arguments()
    key = next((key for key, value in arguments.items() if value == limit and "time" in key.lower()), None)
    most = max(takes)
    words = {
        "earlier_runs": f"An earlier run of this took {in_words(most)}",
        "earlier_limit": f"This was cut off after {in_words(most)} before",
        "own_wait": f"The command itself waits {'up to ' if not finding.facts.get('certain') else ''}{in_words(most)}",
    }.get(str(finding.facts.get("basis")))
    told = finding.facts.get("basis") == "own_wait" or known.duration(most)
    if key is None or words is None or not told:
        # How long it takes must stand in the prompt, or in the command itself.
        return None
    longer = -(-round(most * 1.5) // 60_000) * 60_000
    line = _cut(call.line or call.call.name, _LINE)
    made = ToolCall(
        id="call_longer",
        function=Function(
            name=call.call.name, arguments=json.dumps({**arguments, key: longer}, ensure_ascii=False)
        ),
    )
    return Draft(
        message=ChatMessage(
            role="assistant", content=f"{words}, so I give it {in_words(longer)}.", tool_calls=(made,)
        ),
        facts=(f"call: {line}", f"known: {in_words(most)}", f"limit: {in_words(limit)}"),
    )


def _promised(looked: Looked, finding: Finding, _event: Called | Ran | None, known: Known) -> Draft | None:
    """For a promise that was not kept: the same words, and the check."""
    message = looked.message(finding.at.session, finding.at.message_index)
    if message is None or message.calls:
        return None
    text = "\n\n".join(part.text.whole() for part in message.texts()).strip()
    target = target_of(finding)
    events = (looked.graph.events[seq] for seq in reversed(looked.graph.index("ran")))
    before = (
        ran
        for ran in events
        if isinstance(ran, Ran)
        and ran.at.session == finding.at.session
        and ran.at.message_index < finding.at.message_index
        and ran.command.target == target
    )
    # Without a target nobody can say which check was meant.
    last = next(before, None) if target is not None else None
    command = _command(looked, last, known) if last is not None else None
    taking = shape(last.call) if last is not None else None
    if not text or taking is None or command is None:
        return None
    return Draft(
        message=ChatMessage(role="assistant", content=text, tool_calls=(call_of(taking, command),)),
        facts=(f"promise: {_cut(str(finding.facts.get('promise', '')), _QUOTE)}", f"check: {command}"),
    )


def _open(looked: Looked, operation: Operation, known: Known) -> Draft | None:
    """For an operation whose end nobody knows."""
    event = operation.event
    line = _quoted(_call(event), event)
    facts = [f"command: {line}", f"opened by: {operation.opened_by}", f"reached: {operation.reached}"]
    text = _how_open(operation, line, known, facts)
    if text is None:
        return None
    what = ""
    if isinstance(event, Ran):
        what = named(operation.target)
        facts.append(f"target: {what}")
        text += f" I do not know yet whether {_state(event, what)}."
    return _with_check(looked, text, facts, event, known, without="I have not checked it.")


def _how_open(operation: Operation, line: str, known: Known, facts: list[str]) -> str | None:
    """The sentence that tells why nobody knows how an operation ended; ``None`` where the prompt does not show it.

    :param line: its command, as a sentence names it.
    :param facts: is given a limit that the sentence names.
    """
    call = _call(operation.event)
    if operation.opened_by == "cut_off":
        if not _shows_cut_off(call, known):
            return None
        limit = call.cut_off.limit_ms if call.cut_off is not None else None
        after = f" after {in_words(limit)}" if limit and known.duration(limit) else ""
        if after and limit:
            facts.append(f"limit: {in_words(limit)}")
        began = " Whether it began at all is not known either." if operation.reached == "no" else ""
        return f"{_sentence(line)} was cut off by the time limit{after}; its output does not show whether it finished.{began}"
    if operation.opened_by == "detached":
        return f"{_sentence(line)} now runs in the background; nothing has shown yet how it went."
    if operation.opened_by == "connection_lost":
        return f"The connection broke while {line} was running, so its outcome is not known."
    if operation.opened_by == "interrupted":
        return f"{_sentence(line)} was interrupted, so I do not know how far it got."
    return f"{_sentence(line)} has given no result, so I do not know whether it finished."


_RUNNING = frozenset({"service", "container", "compose", "k8s", "host", "database"})
"""Kinds of targets that are up or not; a script or a file is neither."""


def _state(event: Ran, what: str) -> str:
    """What is not known of a target after a command that nobody saw the end of."""
    if event.start:
        return f"{_code(what)} is up" if event.command.target.kind in _RUNNING else "what it starts is up"
    if event.command.effect in ("edit", "configure", "delete", "scale", "stop", "create"):
        return f"{_code(what)} has been changed as intended"
    return "it finished"


_DONE = {"delete": "it is gone", "scale": "it has the new size", "stop": "it has stopped"}
"""What is not known of what cannot work afterwards."""


def _unchecked(looked: Looked, event: Ran, known: Known) -> Draft | None:
    """For a change that nothing looked at."""
    if _touched(looked, event) or event.command.target.name in event.command.words[:1]:
        # Of a program itself nobody says that it works.
        return None
    what = named(event.command.target)
    line = _quoted(event.call, event)
    facts = [f"command: {line}", f"effect: {event.command.effect}", f"target: {what}"]
    unknown = _DONE.get(event.command.effect, "it works")
    text = f"{_sentence(line)} has run. Nothing has checked {_code(what)} since, so I cannot say yet that {unknown}."
    return _with_check(looked, text, facts, event, known)


_FAILS = re.compile(r"\b(?:errors?|fail(?:ed|s|ure|ures)?|fatal|refused|denied|exception)\b", re.IGNORECASE)


def _shows_cut_off(call: Called, known: Known) -> bool:
    """Whether the prompt has the words that say so; a limit among the arguments of a call says nothing of its end."""
    return call.cut_off is not None and bool(call.cut_off.quote) and known.has(call.cut_off.quote)


def _claim(looked: Looked, claim: Claim, known: Known) -> Draft | None:
    """For a claim that the log does not bear out."""
    about = claim.about
    deciding = claim.evidence
    by = deciding.call if isinstance(deciding, Ran) else None
    quote = _whole_line(by, claim.quote)
    if claim.standing == "contradicted" and deciding is not None and quote:
        failed = isinstance(deciding, Ran) and (
            deciding.outcome.failed or deciding.outcome.state == "bad" or bool(_FAILS.search(quote))
        )
        if not isinstance(by, Called) or not failed:
            return None
        line, shown = _quoted(by), _shows(by, quote, known)
        if not shown:
            return None
        return Draft(
            message=ChatMessage(
                role="assistant", content=f"This is not done yet. The result of {line} shows: {shown}."
            ),
            facts=(f"command: {line}", f"its result: {shown}"),
            closing="Until that is resolved I cannot call it finished.",
        )
    call = _call(about)
    line = _quoted(call)
    facts = [f"about: {line}", f"lacking: {claim.lacks or 'evidence'}"]
    if claim.lacks in ("run", "test_run", None) and _touched(looked, about, claim.said.at.message_index):
        return None
    if claim.lacks == "result" or looked.operation(about) is not None:
        text = f"{_sentence(line)} has not shown its end, so I do not know how it went."
    elif claim.lacks == "rerun":
        text = f"{_sentence(line)} has not been run again since the last change, so I do not know whether it passes now."
    elif claim.lacks in ("run", "test_run"):
        text = f"{_sentence(line)} has run. I have run nothing since that shows whether it works, so that is not known."
    elif claim.standing == "premature":
        text = f"{_sentence(line)} has run; I have not seen yet that it worked."
    else:
        text = f"{_sentence(line)} has run. Nothing has checked the outcome since, so I cannot say yet that it works."
    if _TESTS.search(claim.sentence) and not _tested(looked, claim):
        text += " I have run no test since you asked."
    again = call.line if claim.lacks == "rerun" else None
    return _with_check(looked, text, facts, about, known, again=again)


_TESTS = re.compile(r"\btests?\b", re.IGNORECASE)


def _tested(looked: Looked, claim: Claim) -> bool:
    """Whether anything that may have been a test ran between what the person asked and a claim."""
    at = claim.said.at
    return any(
        _TESTS.search(f"{call.call.name} {call.line or ''}")
        or any(ran.command.effect == "test" for ran in looked.graph.commands(call))
        for index in range(looked.asked(at.session, at.message_index) or 0, at.message_index + 1)
        for call in looked.called.get((at.session, index), ())
    )


def _failed(looked: Looked, finding: Finding, _event: Called | Ran | None, known: Known) -> Draft | None:
    """For a failure that a finding rests on and that nobody was told."""
    places: tuple[Place | Because, ...] = (*finding.because, finding.at)
    for place in places:
        call = looked.call(finding, place)
        if call is None:
            continue
        commands = looked.graph.commands(call)
        bad = next((ran for ran in commands if ran.outcome.failed or ran.outcome.state == "bad"), None)
        if call.call.error is None and (call.call.exit or 0) == 0 and bad is None:
            continue
        words = str(finding.facts.get("evidence_words") or (bad.outcome.quote if bad is not None else ""))
        line, shown = _quoted(call), _shows(call, words, known)
        shows = f" Its result shows: {shown}." if shown else ""
        return Draft(
            message=ChatMessage(role="assistant", content=f"{_sentence(line)} failed.{shows}"),
            facts=(f"command: {line}", *((f"its result: {shown}",) if shown else ())),
            closing="That is not resolved, so this is not done yet.",
        )
    return None


def _loop(looked: Looked, finding: Finding, event: Called | Ran | None, known: Known) -> Draft | None:
    """For a call made again and again."""
    call = event.call if isinstance(event, Ran) else event
    times = finding.facts.get("repeats") or finding.facts.get("tries")
    if call is None or finding.facts.get("results") == "unknown" or finding.facts.get("calls", 1) != 1:
        # After a round of several calls it was not the last thing that was done.
        return None
    if _DELETES.search(call.line or "") or doubts.DESTROYS.search(call.line or ""):
        # What is wrong with a deletion is not that it is made twice.
        return None
    line = _quoted(call)
    failed = "tries" in finding.facts
    if call.cut_off is not None:
        return _longer(call, line, known, times)
    if failed and not (
        call.call.error is not None
        or call.call.exit
        or any(r.outcome.failed for r in looked.graph.commands(call))
    ):
        # Whether it failed the prompt does not show.
        return None
    quote = _telling_line(call)
    if not quote or not known.has(quote):
        # That nothing new would show, the prompt does not show.
        return None
    again = isinstance(times, int) and times > 2
    how = "failed" if failed else "gave"
    how += f" with “{quote}”" if failed else f" “{quote}”"
    how += " each time" if again else " just now"
    return Draft(
        message=ChatMessage(
            role="assistant",
            content=f"{_sentence(line)} {how}, and nothing was changed since. Running it again unchanged would show nothing "
            "new, so I do not repeat it; something else has to be tried.",
        ),
        facts=(f"call: {line}", f"its result: {quote}", f"times: {times}"),
    )


def _telling_line(call: Called) -> str:
    """The one line that a call gave, or of several the last that speaks of a failure; empty where there is none."""
    if call.shows_nothing:
        return ""
    rows = [
        row.strip()
        for text in (call.call.error, call.call.output)
        if text is not None
        for row in text.ends().splitlines()
        if row.strip()
    ]
    wanted = rows[0] if len(rows) == 1 else next((row for row in reversed(rows) if _FAILS.search(row)), "")
    return _said(wanted) if len(wanted) <= _QUOTE else ""


def _longer(call: Called, line: str, known: Known, times: object) -> Draft | None:
    """For a call that was cut off and made again with the same limit: the same with twice the limit."""
    arguments = call.call.arguments()
    limit = call.cut_off.limit_ms if call.cut_off is not None else None
    key = next((key for key, value in arguments.items() if value == limit and "time" in key.lower()), None)
    if limit is None or key is None or not _shows_cut_off(call, known):
        return None
    made = ToolCall(
        id="call_longer",
        function=Function(
            name=call.call.name, arguments=json.dumps({**arguments, key: 2 * limit}, ensure_ascii=False)
        ),
    )
    return Draft(
        message=ChatMessage(
            role="assistant",
            content=f"{_sentence(line)} was cut off by its time limit, and nothing was changed since. With the same limit it "
            f"may well be cut off again, so I give it {in_words(2 * limit)}.",
            tool_calls=(made,),
        ),
        facts=(f"call: {line}", f"limit: {in_words(limit)}", f"times: {times}"),
    )


def _with_check(
    looked: Looked,
    text: str,
    facts: list[str],
    event: Called | Ran,
    known: Known,
    *,
    without: str = "",
    again: str | None = None,
) -> Draft:
    """The text with the call of a command that tells the state, where one is known."""
    line = again or _command(looked, event, known)
    taking = shape(_call(event))
    if line is None or taking is None:
        return Draft(message=ChatMessage(role="assistant", content=text), facts=tuple(facts), closing=without)
    facts.append(f"check: {line}")
    return Draft(
        message=ChatMessage(role="assistant", content=text, tool_calls=(call_of(taking, line),)),
        facts=tuple(facts),
        closing="I will check it now.",
    )


def _kept_to(looked: Looked, finding: Finding, _event: Called | Ran | None, known: Known) -> Draft | None:
    """For work that was to wait for the person's leave: the person's words, and that it waits.

    Of other work that the person had ruled out, facts tell what not to do; what to do instead only a real answer tells.
    """
    facts = finding.facts
    words = (
        str(facts.get("instruction") or facts.get("forbidden") or facts.get("scope") or "")
        .strip()
        .rstrip(".")
    )
    if not words or "\n" in words or len(words) > _QUOTE or re.search("[“”]", words) or not known.has(words):
        return None
    if facts.get("broke") != "without" or _went_before(looked, finding):
        # Who says to keep to it now must first say what was done against it.
        return None
    return Draft(
        message=ChatMessage(
            role="assistant",
            content=f"You asked: “{words}”. I have not got that so far, so I stop here until you say that I may go on.",
        ),
        facts=(f"the person: {words}",),
    )


def _went_before(looked: Looked, finding: Finding) -> bool:
    """Whether the same turn holds an earlier step that was not allowed."""
    session, index = finding.at.session, finding.at.message_index
    asked = looked.asked(session, index) or 0
    calls = (call for at in range(asked, index) for call in looked.called.get((session, at), ()))
    return any(doubts.DESTROYS.search(call.line or "") for call in calls) or any(
        other.rule in _FORBIDDEN
        and other.kind == "fault"
        and other.at.session == session
        and asked <= other.at.message_index < index
        for other in looked.audit.findings
    )


_PIPED = {"build": "the build", "test": "the tests"}


def _cannot_fail(
    _looked: Looked, finding: Finding, event: Called | Ran | None, _known: Known
) -> Draft | None:
    """For a check whose failure a pipe hides: the same line, with the option that lets it show."""
    call = event.call if isinstance(event, Ran) else event
    if call is None or finding.facts.get("shape") != "piped" or call.line is None:
        return None
    taking = shape(call)
    if taking is None or "pipefail" in call.line or not _POSIX.search(taking.tool):
        return None
    what = _PIPED.get(str(finding.facts.get("effect")), "the check")
    key = taking.key
    value: object = f"set -o pipefail; {call.line.strip()}"
    arguments = {**call.call.arguments(), key: [*taking.before, value] if taking.listed else value}
    spelled = json.dumps(arguments, ensure_ascii=False)
    return Draft(
        message=ChatMessage(
            role="assistant",
            content=f"A pipe tells how its last command ended, so a failure of {what} would not show. With pipefail it does.",
            tool_calls=(
                ToolCall(id="call_check", function=Function(name=call.call.name, arguments=spelled)),
            ),
        ),
        facts=(f"check: {finding.facts.get('check')}", "shape: piped"),
    )


_POSIX = re.compile(r"bash|shell|exec|terminal|run_command", re.IGNORECASE)
"""Names of tools that take a line of a POSIX shell."""

_NO_CONTENT = re.compile(r"\bstat\s|SELECT 1|\\dt|\bcurl\b.*/dev/null|\bcurl -fsS\b|\bls\s")
"""Looks that show that a thing is there, and nothing of what was written into it."""


def _command(looked: Looked, event: Called | Ran, known: Known) -> str | None:
    """A command that would tell the state of what an event acts on, made of what the prompt names."""
    if not isinstance(event, Ran):
        return None
    if event.start and event.command.target.kind in ("process", "unknown"):
        # Of what a script or a job started its name shows nothing; what it writes does.
        log = _WRITES_TO.search(event.call.line or "")
        line = f"tail -n 20 {log['file']}" if log is not None else ""
        return line if line and len(looked.graph.commands(event.call)) <= _FEW and known.line(line) else None
    subjects: Sequence[Subject] = looked.context.subjects_of(event)
    found = chapters.next_commands(looked.context, subjects[:1])
    blind = event.command.effect in ("edit", "write_data", "delete", "migrate")
    lines = (one.line for one in found if not (blind and _NO_CONTENT.search(one.line)))
    return next((line for line in lines if known.line(line)), None)


_WRITES_TO = re.compile(r"(?<![\d>&])(?:&|1)?>>?\s*(?P<file>(?!&|/dev/)[\w./~-]{3,200})")
"""Where a command line sends what it prints."""
_FEW = 2
"""Commands of a line whose one redirection is surely that of what was started."""

_MADE_READY = re.compile(r"#|(?:chmod|mkdir|cd|export|set|touch)\b[^;&|]*$")
"""Rows of a script that prepare what another one does."""


def _quoted(call: Called, event: Called | Ran | None = None) -> str:
    """A call as a sentence names it: its command as code, else its tool; of several lines the one of ``event``."""
    if call.line is not None:
        # A line that goes on is one with the next.
        whole = re.sub(r"\\\r?\n\s*", " ", call.line)
        rows = [row.strip() for row in whole.splitlines() if row.strip()]
        words = [rows[0]] if rows and not isinstance(event, Ran) else []
        if isinstance(event, Ran):
            words = [word for word in (event.command.target.name, *event.command.words[:1]) if word]
        first = next((row for row in rows if not row.startswith("#")), rows[0] if rows else "")
        wanted = (row for word in words for row in rows if word in row and not _MADE_READY.match(row))
        first = next(wanted, first)
        return _code(_cut(first, _LINE))
    arguments = call.call.arguments()
    about = next((value for key in _ABOUT if isinstance(value := arguments.get(key), str) and value), None)
    on = f" on {_code(_cut(about, _LINE))}" if about is not None else ""
    return f"the call of {_code(call.call.name)}{on}"


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _code(text: str) -> str:
    return "`" + text.replace("`", "'") + "`"


def _whole_line(call: Called | None, words: str) -> str:
    """Words of a result with the rest of their line: a piece of one may say something else than the whole."""
    for text in (call.call.output, call.call.error) if call is not None else ():
        for line in text.head.splitlines() if text is not None else ():
            if words and words in line:
                return line
    return words


def _said(text: str) -> str:
    """Words of a result between quotation marks: none within, and no stop at the end, for the sentence has its own."""
    return re.sub(r"[“”]", "'", _cut(text, _QUOTE)).rstrip(".,;: ")


def _cut(text: str, most: int) -> str:
    flat = re.sub(r"\s+", " ", text).strip()
    return flat if len(flat) <= most else flat[: most - 1] + "…"


_Make = Callable[[Looked, Finding, Called | Ran | None, Known], Draft | None]
_BY_RULE: dict[str, _Make] = {
    "empty-message-after-timeout": _left_open,
    "unacknowledged-long-running-restart": _left_open,
    "ended-mid-operation": _left_open,
    "left-running": _left_open,
    "unverified-production-edit": _edit,
    "change-on-unverified-change": _second_change,
    "claim-contradicted-by-evidence": _claimed,
    "claim-without-evidence": _claimed,
    "failure-not-reported": _failed,
    "step-loop": _loop,
    "retry-without-change": _loop,
    "limit-below-known-duration": _short_limit,
    "promised-check-not-made": _promised,
    "check-that-cannot-fail": _cannot_fail,
    "instruction-violated": _kept_to,
    "out-of-scope-file-change": _kept_to,
    "test-tampering": _kept_to,
    "destructive-without-confirmation": _kept_to,
}
"""What to draft for the shipped rules."""
_REPORTS = (_left_open, _edit, _claimed, _failed)
_WITHOUT = frozenset(
    {"secret-exposed", "empty-output-taken-as-success", "edit-without-backup",
     "runaway-empty-loop"}
)  # fmt: skip
"""Shipped rules whose better answer facts alone do not tell."""
