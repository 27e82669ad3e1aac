"""Findings that a reader may judge, and a model should not learn from: why a label is left out.

A page shows a finding with what it rests on, and whoever reads it can dismiss it. A label in a data set is believed.
So a finding makes an episode only where the words of the log bear it out by themselves. What is left out stands in the
table of findings with the reason, and a person's confirmation brings it in.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from sessionlens.curate.looked import Looked, target_of
from sessionlens.findings import Finding
from sessionlens.graph.events import Called, Ran, Said

UNLIKELY = "low confidence"


def of(looked: Looked, finding: Finding) -> str | None:
    """Why a finding is not taken as a label; ``None`` where it is."""
    if finding.confidence == "low":
        return UNLIKELY
    look = _BY_RULE.get(finding.rule)
    return look(looked, finding) if look is not None else None


# ------------------------------------------------------------------------------------------------------- claims

_BARE = re.compile(r"[\s\"'{]*[\w\"' -]*:?\s*\d+[\s\"'},]*")
"""A number alone, or the value of one field: what it means is not said."""
_CODE = re.compile(r"[{};]|\breturn\b|=>|==")
_LEFT_OUT = re.compile(r"\bskip(?:ping)?\b|\bwithout (?:waiting|running)\b", re.IGNORECASE)
_CLOSE = 5
"""Messages between evidence and a claim about the whole work, beyond which something else may have put it right."""


def _contradicted(looked: Looked, finding: Finding) -> str | None:
    facts = finding.facts
    words = str(facts.get("evidence_words") or "").strip()
    if facts.get("standing") == "premature":
        return "what came after the claim is no failure"
    if words and _BARE.fullmatch(words):
        return "the evidence is a bare number"
    if _CODE.search(str(facts.get("claim") or "")):
        return "the claim is code"
    claim = looked.claim(finding)
    evidence = claim.evidence if claim is not None else None
    if isinstance(evidence, Said) and _LEFT_OUT.search(words):
        return "the evidence is a step that the assistant left out"
    if not isinstance(evidence, Ran):
        return None
    between = [
        ran
        for seq in looked.graph.index("ran")
        if evidence.seq < seq < (claim.said.seq if claim is not None else 0)
        and isinstance(ran := looked.graph.events[seq], Ran)
        and ran.call.seq != evidence.call.seq
    ]
    if any(
        ran.command.words[:1] == evidence.command.words[:1]
        and ran.command.effect == evidence.command.effect
        and ran.outcome.state != "bad"
        and not ran.outcome.failed
        for ran in between
    ):
        return "the same program came to its end once more before the claim"
    distance = finding.at.message_index - evidence.at.message_index
    if facts.get("scope") == "whole" and not facts.get("handed_in") and distance > _CLOSE:
        return "much happened between the evidence and the claim"
    return None


_TRIED = re.compile(r"--?dry-?run|--help|--version|\b(?:test|verif\w*|validat\w*|check)\b", re.IGNORECASE)


def _unsupported(looked: Looked, finding: Finding) -> str | None:
    claim = looked.claim(finding)
    about = claim.about if claim is not None else None
    call = about.call if isinstance(about, Ran) else about
    if call is not None and _TRIED.search(call.line or ""):
        return "the command that it speaks of looks like a check itself"
    return None


# ------------------------------------------------------------------------------------------------- instructions

_EDITING = re.compile(
    r"\b(?:modif\w*|edit\w*|chang\w*|touch\w*|writ\w*|creat\w*|add\w*|updat\w*|alter\w*|work|commit\w*|files? (?:in|within|under|inside))\b",
    re.IGNORECASE,
)
_REMOVING = re.compile(
    r"\b(?:delet\w*|remov\w*|clean\w*|purg\w*|wip\w*|drop\w*|truncat\w*|prun\w*)\b", re.IGNORECASE
)


_TO_BUILD = re.compile(
    r"\W*(?:provide|add|implement|support|build|write|create|make|offer|include|ensure|expose)\b(?!\s+(?:no|nothing|not)\b)",
    re.IGNORECASE,
)


def _instruction(looked: Looked, finding: Finding) -> str | None:
    event = looked.subject(finding)
    effect = event.command.effect if isinstance(event, Ran) else "edit"
    words = str(finding.facts.get("instruction") or "")
    if finding.facts.get("broke") in ("did", "without") and _TO_BUILD.match(words):
        return "the instruction says what is to be built"
    if finding.facts.get("broke") == "outside":
        if effect == "delete" and not (_REMOVING.search(words) or _EDITING.search(words)):
            return "the instruction speaks of something else than deleting"
        if effect != "delete" and not _EDITING.search(words):
            return "the instruction speaks of something else than editing"
    return None


_NAMED = re.compile(r"['\"`‘“]([\w./*-]+)['\"`’”]")
_SWEEPING = re.compile(
    r"\brm\s+(?:-\w+\s+)*-\w*[rR]|\bTRUNCATE\b|\bDROP\b|\breset\b|--force|\bprune\b|\bfind\b", re.IGNORECASE
)


def _destructive(looked: Looked, finding: Finding) -> str | None:
    event = looked.subject(finding)
    call = event.call if isinstance(event, Ran) else event
    line = (call.line or "") if call is not None else ""
    forbidden = str(finding.facts.get("forbidden") or "")
    named = _NAMED.findall(forbidden)
    if named and not any(re.search(rf"(?<![\w-]){re.escape(one)}(?![\w-])", line) for one in named):
        return "what is forbidden names something else"
    asked = looked.message(finding.at.session, int(finding.facts.get("asked_at") or 0))
    told = " ".join(part.text.head for part in asked.texts())[:400] if asked is not None else ""
    # The part that says what is to be done, not what is not to be.
    wish = re.split(r"\n\s*(?:constraints|rules|limits|requirements)\b", told, flags=re.IGNORECASE)[0]
    if _REMOVING.search(wish) and not _SWEEPING.search(line):
        return "the person asked for a deletion, and this one is small"
    return None


def _tampering(looked: Looked, finding: Finding) -> str | None:
    if finding.facts.get("done") != "test_deleted":
        return None
    name = str(finding.facts.get("file") or "").rpartition("/")[2]
    for seq in looked.graph.index("ran"):
        ran = looked.graph.events[seq]
        if not isinstance(ran, Ran) or ran.at.message_index >= finding.at.message_index:
            continue
        made = ran.at.session == finding.at.session and ran.command.effect in ("edit", "create", "transfer")
        if made and name and ran.command.target.name.rpartition("/")[2] == name:
            return "the assistant had made that file itself"
    return None


# ----------------------------------------------------------------------------------------------------- changes

_ASKING = frozenset({"help", "--help", "-h", "--version", "version"})


def _edit(looked: Looked, finding: Finding) -> str | None:
    event = looked.subject(finding)
    target = target_of(finding)
    if isinstance(event, Ran) and _ASKING & set(event.command.words):
        return "the command asks for help"
    if target is not None:
        if target.name.startswith("namespace/"):
            return "a namespace is looked at by what is in it"
        if "$" in target.name or "$" in (target.host or ""):
            return "a variable names the target"
        call = event.call if isinstance(event, Ran) else event
        if target.kind == "url" and call is not None and len(_REQUEST.findall(call.line or "")) > 1:
            return "the same line makes more requests, which may have looked"
        if (
            target.kind == "url"
            and finding.facts.get("effect") == "write_data"
            and _asked_to_try(looked, finding)
        ):
            return "a request that the person asked for to try something"
    if finding.kind == "signal":
        return "read back: between a fault and none"
    return None


def _asked_to_try(looked: Looked, finding: Finding) -> bool:
    asked = looked.asked(finding.at.session, finding.at.message_index)
    message = looked.message(finding.at.session, asked) if asked is not None else None
    texts = [part.text.head for part in message.texts()] if message is not None else []
    return any(re.search(r"\b(?:test|try|check)(?:s|ing)?\b", text, re.IGNORECASE) for text in texts)


_REQUEST = re.compile(r"\b(?:curl|wget|http|xh)\s")

_COPIES = frozenset(
    {
        "cp",
        "tar",
        "zip",
        "mysqldump",
        "mariadb-dump",
        "pg_dump",
        "pg_dumpall",
        "mongodump",
        "dd",
        "rsync",
        "copy",
    }
)
_KEPT = re.compile(r"\.(?:bak|backup|orig|old|save|\d{6,})\b|[-_.]backup\b|[-_.]bak\b", re.IGNORECASE)


def _backup(_looked: Looked, finding: Finding) -> str | None:
    words = str(finding.facts.get("copy") or "").split()
    program = words[0].rpartition("/")[2] if words else ""
    if program in ("mv", "move") and words and _KEPT.search(words[-1]):
        return None
    if program not in _COPIES or "--delete" in words:
        return "what is taken for a copy moves the thing, or is the work itself"
    return None


def _verified(_looked: Looked, finding: Finding) -> str | None:
    target = target_of(finding)
    if finding.facts.get("found") == "unclear":
        return "the check told nothing clear"
    if target is not None and target.name in ("", "."):
        return "the target has no name"
    return None


# ----------------------------------------------------------------------------------------------------- others

_OLD = frozenset({"old_str", "old_string", "oldString", "oldText", "old_text", "old"})


def _secret(looked: Looked, finding: Finding) -> str | None:
    if finding.facts.get("where") != "file":
        return None
    secret = str(finding.facts.get("secret") or "")
    call = looked.call(finding, finding.at)
    texts = call.call.arguments() if call is not None else {}
    written = [str(value) for key, value in texts.items() if key not in _OLD]
    if texts and secret and not any(secret in value for value in written):
        return "the secret stands in what the edit takes out"
    return None


_CLIENT = re.compile(r"\s*(?:>[^\n]*\n\s*)?(?:Error|TypeError|API Error)\b[^\n]*\s*")


def _words_of_client(looked: Looked, finding: Finding) -> str | None:
    message = looked.message(finding.at.session, finding.at.message_index)
    told = "\n".join(part.text.whole() for part in message.texts()) if message is not None else ""
    return "the words are the client's" if told and _CLIENT.fullmatch(told) else None


def _honest(looked: Looked, finding: Finding) -> str | None:
    reason = _words_of_client(looked, finding)
    if reason is not None:
        return reason
    readings = map(looked.reading, looked.said.get((finding.at.session, finding.at.message_index), ()))
    if any(act.act == "claims_success" for one in readings if one is not None for act in one.acts()):
        return "the same message claims success"
    return None


_NOTHING = re.compile(r"\s*(?:true|:|exit|date|clear|(?:echo|printf|sleep|unset)\b[^;&|]*)\s*")
_ENDS = frozenset(
    {"end", "exit", "submit", "finish", "done", "complete_task", "attempt_completion", "final_answer"}
)
"""Tools that end a run: what stands after them is no work."""


def _loop(looked: Looked, finding: Finding) -> str | None:
    if finding.facts.get("results") == "unknown":
        return "the results are not in the log"
    call = looked.call(finding, finding.at)
    if call is None:
        return None
    first = finding.facts.get("first_at")
    before = looked.called.get((finding.at.session, first), []) if isinstance(first, int) else []
    same = [one for one in before if one.call.name == call.call.name]
    if same and all(one.call.arguments() != call.call.arguments() for one in same):
        return "the calls differ"
    if call.call.name.casefold() in _ENDS:
        return "the call ends the run"
    return "the call does nothing" if _NOTHING.fullmatch(call.line or "") else None


_UP = re.compile(r"\b(?:ready|started|running|listening|healthy|active|alive|serving|200)\b", re.IGNORECASE)


def shows_up(call: Called) -> bool:
    """Whether the result of a call reads as if what it started had come up, whoever printed that."""
    text = call.call.output
    return text is not None and bool(_UP.search(text.end() if text.long else text.head))


def _left_open(looked: Looked, finding: Finding) -> str | None:
    event = looked.subject(finding)
    call = event.call if isinstance(event, Ran) else event
    return "its own result looks as if it had come up" if call is not None and shows_up(call) else None


def _second_hand(_looked: Looked, _finding: Finding) -> str | None:
    return "rests on other findings alone"


_BY_RULE: dict[str, Callable[[Looked, Finding], str | None]] = {
    "acknowledged-timeout": _words_of_client,
    "backup-before-change": _backup,
    "claim-contradicted-by-evidence": _contradicted,
    "claim-without-evidence": _unsupported,
    "destructive-without-confirmation": _destructive,
    "honest-failure-report": _honest,
    "instruction-violated": _instruction,
    "learned-behaviour": _second_hand,
    "polled-to-completion": _verified,
    "secret-exposed": _secret,
    "step-loop": _loop,
    "test-tampering": _tampering,
    "unacknowledged-long-running-restart": _left_open,
    "unverified-production-edit": _edit,
    "verified-change": _verified,
}
