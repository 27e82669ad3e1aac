"""Findings that a reader may judge, and a model should not learn from: why a label is left out.

A page shows a finding with what it rests on, and whoever reads it can dismiss it. A label in a data set is believed.
So a finding makes an episode only where the words of the log bear it out by themselves. What is left out stands in the
table of findings with the reason, and a person's confirmation brings it in.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from sessionlens.curate.looked import Good, Looked, Reach, target_of
from sessionlens.findings import Finding
from sessionlens.graph.events import Called, Ran, Said
from sessionlens.graph.shortfalls import refused
from sessionlens.model import Message, TextPart

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
_CODE = re.compile(r"[{}]|;[ \t]*$|\breturn\b|=>|==", re.MULTILINE)
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
    if words and words == str(facts.get("claim") or "").strip():
        return "one sentence is the claim and what stands against it"
    if (
        facts.get("scope") == "whole"
        and not facts.get("handed_in")
        and not _WHOLE.search(str(facts.get("claim") or ""))
    ):
        return "the claim may be about something else than what failed"
    claim = looked.claim(finding)
    evidence = claim.evidence if claim is not None else None
    if isinstance(evidence, Ran) and _on_purpose(looked, evidence):
        return "the failure was made on purpose"
    if facts.get("scope") == "whole" and claim is not None and not facts.get("handed_in"):
        reading = looked.reading(claim.said)
        if reading is not None and any(act.act in _TELLS for act in reading.acts()):
            return "the same message tells of a failure"
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


_WHOLE = re.compile(
    r"\b(?:all|every\w*|whole|entire\w*|both|done|finished|fixed|resolved|ready|complete\w*|success\w*|fully|works?|working|passe[sd]"
    r"|alles|erledigt|fertig|todo|listo|tout|terminé|tudo|pronto)\b|\b(?:усі|все|всё|готов\w*|выполнен\w*|виконан\w*|успішн\w*|успешн\w*)|完成|全部",
    re.IGNORECASE,
)
"""Words of a claim about the work as a whole, rather than of one thing that is so."""
_TELLS = frozenset({"reports_failure", "admits_unverified"})
_PURPOSE = re.compile(
    r"\b(?:simulat\w+|deliberate\w*|intentional\w*|on purpose|should fail|(?:expect\w*|supposed) to fail|by breaking)\b",
    re.IGNORECASE,
)


def _on_purpose(looked: Looked, evidence: Ran) -> bool:
    """Whether a step that failed says, in its command or its words, that it was to fail."""
    at = evidence.at
    said = [looked.graph.prose(one) for one in looked.said.get((at.session, at.message_index), ())]
    return _PURPOSE.search("\n".join((evidence.call.line or "", *said))) is not None


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
    if finding.facts.get("broke") in ("changed", "outside") and _where_wanted(looked, finding):
        return "the file lies where the person wants the work"
    if finding.facts.get("broke") == "outside" and _PUT.search(words):
        return "the words say where such files go, not that nothing else may be made"
    if finding.facts.get("broke") == "outside":
        if effect == "delete" and not (_REMOVING.search(words) or _EDITING.search(words)):
            return "the instruction speaks of something else than deleting"
        if effect != "delete" and not _EDITING.search(words):
            return "the instruction speaks of something else than editing"
    return None


_PUT = re.compile(
    r"\b(?:write|save|store|put|place)\s+(?!(?:new|any|all|the)\s+files?\b|files?\b)(?:\w+\s+){1,2}(?:to|in|into|under)\b",
    re.IGNORECASE,
)
"""Words that say where one kind of files goes."""


def _where_wanted(looked: Looked, finding: Finding) -> bool:
    """Whether a file lies in a folder to which other words of the same message limit the work."""
    name = str(finding.facts.get("file") or "")
    words = str(finding.facts.get("instruction") or "")
    return any(
        name.startswith(path.rstrip("/") + "/")
        for one in looked.graph.constraints
        if one.mood == "limits"
        and one.said.at.message_index == finding.facts.get("said_at")
        and one.quote != words
        for path in one.paths
    )


_NAMED = re.compile(r"['\"`‘“]([\w./*-]+)['\"`’”]")
_SWEEPING = re.compile(
    r"\brm\s+(?:-\w+\s+)*-\w*[rR]|\bTRUNCATE\b|\bDROP\b|\breset\b|--force|\bprune\b|\bfind\b", re.IGNORECASE
)


def _destructive(looked: Looked, finding: Finding) -> str | None:
    if finding.kind == "signal":
        return "taken away where little is lost: between a fault and none"
    event = looked.subject(finding)
    call = event.call if isinstance(event, Ran) else event
    line = (call.line or "") if call is not None else ""
    forbidden = str(finding.facts.get("forbidden") or "")
    named = _NAMED.findall(forbidden)
    if named and not any(re.search(rf"(?<![\w-]){re.escape(one)}(?![\w-])", line) for one in named):
        return "what is forbidden names something else"
    asked = looked.message(finding.at.session, int(finding.facts.get("asked_at") or 0))
    # The part that says what is to be done, not what is not to be.
    wish = re.split(
        r"\n\s*(?:constraints|rules|limits|requirements)\b", _beginning(asked), flags=re.IGNORECASE
    )[0]
    if not _REMOVING.search(wish):
        return None
    if not _SWEEPING.search(line):
        return "the person asked for a deletion, and this one is small"
    if finding.facts.get("lost") == "data" and finding.facts.get("environment") in _NOT_LIVE:
        return "the person asked that data go, and these are not live"
    return None


def _beginning(message: Message | None) -> str:
    """The first words of a message."""
    return " ".join(part.text.head for part in message.texts())[:400] if message is not None else ""


_NOT_LIVE = frozenset({"development", "staging", "local"})
"""Environments whose data can be made again."""


def _no_copy(looked: Looked, finding: Finding) -> str | None:
    call = looked.call(finding, finding.at)
    if call is not None and any(
        str(value).strip() for key, value in call.call.arguments().items() if key in _OLD
    ):
        return "the call itself holds what stood there, so that it can be put back"
    if (
        finding.facts.get("how") == "data"
        and _REMOVING.search(_beginning(looked.asking(finding.at.session, finding.at.message_index)))
        and _REMOVING.search(call.line or "" if call else "")
    ):
        return "the person asked that data go"
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

_ASIDE = re.compile(
    r"(?<![a-z])(?:clone|copy|replica|sandbox|scratch|shadow|snapshot)(?![a-z])", re.IGNORECASE
)
"""What a database beside the real one is called."""
_ASKING = frozenset({"help", "--help", "-h", "--version", "version"})


def asks_for_help(event: Called | Ran | None) -> bool:
    """Whether a command only asks how it is used."""
    return isinstance(event, Ran) and bool(_ASKING & set(event.command.words[1:]))


def _edit(looked: Looked, finding: Finding) -> str | None:
    event = looked.subject(finding)
    target = target_of(finding)
    if asks_for_help(event):
        return "the command asks for help"
    said = str(finding.facts.get("environment_reason") or "").startswith("the person said so")
    if said and isinstance(event, Ran) and any(_ASIDE.search(word) for word in event.command.words[1:]):
        return "the command names a copy, and only the person's words speak of production"
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
            and (_asked_to_try(looked, finding) or (call is not None and _TRIES.search(whole(call))))
        ):
            return "a request that is made to try something"
        if _LOGIN.search(target.name) and isinstance(event, Ran) and _logged_in(looked, event):
            return "what was changed lets one log in, and a later login went through"
    if finding.kind == "signal":
        return "read back: between a fault and none"
    if _stopped(looked, finding):
        return "the person stopped the turn, so that no check could come"
    return None


_LOGIN = re.compile(r"(?:^|/)(?:authorized_keys|\.ssh|known_hosts|sshd_config)\b")


def _logged_in(looked: Looked, event: Ran) -> bool:
    """Whether a later command of the turn ran on the host of another, and came to its end."""
    host, session = event.command.target.host, event.at.session
    return host is not None and any(
        ran.command.target.host == host and not ran.outcome.failed and ran.call.call.status != "error"
        for index in range(event.at.message_index + 1, looked.stop(session, event.at.message_index))
        for call in looked.called.get((session, index), ())
        for ran in looked.graph.commands(call)
    )


_ABORTED = re.compile(
    r"\b(?:aborted|interrupted|cancell?ed|stopped|rejected) by (?:the )?user\b|\buser (?:aborted|interrupted|cancell?ed|stopped)\b",
    re.IGNORECASE,
)


def _stopped(looked: Looked, finding: Finding) -> bool:
    """Whether the person stopped the turn of a finding, as its last call or message shows."""
    session, index = finding.at.session, finding.at.message_index
    last = looked.stop(session, index) - 1
    message = looked.message(session, last)
    calls = looked.called.get((session, last), [])
    return message is not None and (
        bool(message.interruption)
        or any(call.call.interrupted or _ABORTED.search(_result(call)[-400:]) for call in calls)
    )


def _asked_to_try(looked: Looked, finding: Finding) -> bool:
    message = looked.asking(finding.at.session, finding.at.message_index)
    texts = [part.text.head for part in message.texts()] if message is not None else []
    return any(re.search(r"\b(?:test|try|check)(?:s|ing)?\b", text, re.IGNORECASE) for text in texts)


_TRIES = re.compile(r"\b(?:test(?:s|ing)?|try(?:ing)?|smoke)\b", re.IGNORECASE)
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
_KEPT = re.compile(
    r"\.(?:bak|backup|orig|old|save|\d{6,})\b|[-_.]backup\b|[-_.]bak\b|(?:^|/)(?:\w+[-_.])?(?:backups?|old|orig)(?:/|$)",
    re.IGNORECASE,
)


def _backup(looked: Looked, finding: Finding) -> str | None:
    words = str(finding.facts.get("copy") or "").split()
    program = words[0].rpartition("/")[2] if words else ""
    faults = (f for f in looked.audit.findings if f.kind == "fault" and f.at.session == finding.at.session)
    if any(f.at.message_index == finding.at.message_index for f in faults):
        return "the same step has a fault"
    aside = bool(words) and _KEPT.search(words[-1]) is not None
    if program in ("mv", "move"):
        return "what is taken for a copy moves the thing"
    if program not in _COPIES or "--delete" in words:
        return "what is taken for a copy is the work itself"
    target = target_of(finding)
    base = target.name.rpartition("/")[2] if target is not None else ""
    other = words[-1].rstrip("/").rpartition("/")[2] if words else ""
    if program in ("cp", "copy", "rsync") and not aside and (other == base or not other.startswith(base[:4])):
        return "the copy may be the work itself: its place does not name it one"
    return None


def _polled(_looked: Looked, finding: Finding) -> str | None:
    target = target_of(finding)
    if finding.facts.get("found") == "unclear":
        return "the check told nothing clear"
    if target is not None and target.name in ("", "."):
        return "the target has no name"
    return None


def _verified(looked: Looked, finding: Finding) -> str | None:
    if finding.facts.get("found") != "good":
        return "the check did not find it good"
    target = target_of(finding)
    calls = [call for because in finding.because if (call := looked.call(finding, because)) is not None]
    check = looked.call(finding, finding.at)
    if check is None or not calls:
        return "the change or the check is not in the log"
    changes = [ran for call in calls for ran in looked.graph.commands(call) if ran.command.target == target]
    return _no_praise(looked, changes or calls, check)


def of_good(looked: Looked, good: Good) -> str | None:
    """Why a span of good conduct that no rule reports is not taken as a label; ``None`` where it is."""
    call = good.event.call if isinstance(good.event, Ran) else good.event
    if good.name.startswith("open-operation") and _SHOWN.search(_result(call)):
        return "its own result shows that it came up, so that nothing was left open"
    if good.confidence == "low":
        return UNLIKELY
    if good.name != "change-verified" or not isinstance(good.answer, Ran):
        return None
    if good.answer.outcome.state != "good":
        return "the check did not find it good"
    return _no_praise(looked, [good.event], good.answer.call)


_SHOWN = re.compile(
    r"\b(?:ready|listening|healthy|serving)\b|\brunning\b(?!\s+in\b)|\b(?:HTTP|status)\W{0,3}(?:/[\d.]+ )?200\b",
    re.IGNORECASE,
)
"""Words of a result that show a service up; that it was started, or runs in the background, does not."""

DESTROYS = re.compile(
    r"\b(?:flush(?:all|db)|drop\s+(?:table|database|schema|index|column|view|user)|dropdb|truncate|mkfs|destroy|prune"
    r"|delete\s+from\b(?!.*\bwhere\b)(?!\s+\w*test)|reset\s+--hard|migrate\s+reset|rm\s+(?:-\w+\s+)*-\w*[rf])\b|--accept-data-loss\b|--force\b",
    re.IGNORECASE | re.DOTALL,
)
"""What destroys, in whatever language of commands."""
_REFUSED = re.compile(
    r"[\"']error[\"']\s*:\s*[\"'{\[]|\b(?:permission|access) denied\b|\b(?:unauthori[sz]ed|forbidden|not allowed|rejected|bad.request)\b"
    r"|\b(?:error|fatal|failed)\b\s*[:(]",
    re.IGNORECASE,
)
_HIDDEN = re.compile(r"REDACTED-|\bencrypted\b|\*{3,}|X{6,}|\bsensitive\b", re.IGNORECASE)
_NOTHING_SHOWN = re.compile(
    r"\[\s*\]|\{\s*\}|\bnull\b|\bundefined\b|\(0 rows\)|\bno (?:rows|results|resources|output|matches|such)\b",
    re.IGNORECASE,
)
_NO_FAULT = re.compile(
    r"\b(?:no|zero|0|without(?: any)?|any)\s+(?:\w+\s+)?(?:errors?|fail\w*|issues?|problems?|violations?|degradation|timeouts?)\b"
    r"|\b(?:errors?|fail\w*)\W{1,3}0\b|\bfor (?:any |more )?(?:errors?|issues?|problems?|warnings?|failures?)\b|\bif\b[^.\n]*",
    re.IGNORECASE,
)
_AMISS = re.compile(
    r"\bfail(?:ed|s|ure|ures|ing)?\b|\berrors?\b|\bfatal\b|\bcritical\w*|\bcrash\w*|\brefused\b|\bdenied\b|\btimed? ?out\b|\bunhealthy\b"
    r"|\bdegrad\w*|\bworse\b|\bviolat\w*|\bexceed\w*|\bbroken\b|\bmissing\b|\bnot (?:found|ready|working|running|yet|met|applied|active)\b|\bunable\b"
    r"|\bcan(?:no|')t\b|\bcould(?: not|n't)\b|\bstill (?:\w+ )?(?:not|the same|shows?|processing|unknown)\b|\bhowever\b|\bproblem\w*|\bissues?\b|\bregress\w*|\bwarn\w*"
    r"|\bspik\w+|\bslower\b|\bstuck\b|\binvestigat\w*|\broll(?:ing)? ?back\b|\brevert\w*|\bHTTP/[\d.]+ [45]\d\d\b|\b[45]\d\d (?:Internal|Bad|Service|Gateway|Not|Forbidden)\b",
    re.IGNORECASE,
)
_LIMIT = re.compile(
    r"(?:\b(?:under|below|within|less than|at most|no more than|above|over|at least|maximum|max|minimum|exceed\w*|target)\b|[<>≤≥])\W{0,3}(?:\w+\s+){0,3}\d"
    r"|\d+(?:\.\d+)?\s?(?:ms|%|percent)\b",
    re.IGNORECASE,
)
_MADE = re.compile(
    r"\b[a-z][\w.]*/([a-z0-9][\w.-]+) (?:created|configured|updated|image updated|restarted|scaled)"
)
_PART = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{2,}")
_ANYBODYS = frozenset(
    """
    api app apps bin com conf config default deploy deployment dev etc file home host http https json lib local localhost log logs
    main opt prod production root script scripts server service services share src srv sudo svc system systemd test tmp
    user users usr v1 v2 var www yaml yml
    """.split()  # noqa: SIM905 - a list of words reads better as text
)
"""Parts of names that many things have."""


def amiss(text: str) -> bool:
    """Whether words speak of a failure or a doubt."""
    return bool(_AMISS.search(_NO_FAULT.sub(" ", text)))


def _result(call: Called) -> str:
    return "\n".join(text.whole() for text in (call.call.output, call.call.error) if text is not None)


def _no_praise(looked: Looked, changes: Sequence[Called | Ran], check: Called) -> str | None:
    """Why a change and the check of it are no model to follow.

    What is praised is copied: so the change must be one that the person allows, the check must show the changed thing
    and show it well, and nothing up to the end of the turn may say otherwise.
    """
    session = check.at.session
    calls = [one.call if isinstance(one, Ran) else one for one in changes]
    first = min(call.at.message_index for call in calls)
    at = check.at.message_index
    stop = looked.stop(session, at)
    faults = (f for f in looked.audit.findings if f.kind == "fault" and f.at.session == session)
    if any(f.severity != "info" and _meets(looked.reach(f), first, at, stop) for f in faults):
        return "the same work has a fault"
    deeds = {one.event.seq for one in looked.graph.violations}
    deeds |= {one.event.seq for one in looked.graph.destructions}
    if any(one.seq in deeds for one in (*changes, *calls)):
        return "the change is one that was not allowed"
    if any(_kept_from(looked, call) for call in calls):
        return "the person kept the work to something else"
    if any(DESTROYS.search(whole(call)) for call in calls):
        return "the change destroys"
    if any(isinstance(one, Ran) and one.command.target.kind == "url" for one in changes):
        return "a request is as often a try as a change"
    if any(
        (isinstance(one, Ran) and (one.outcome.failed or one.outcome.changed_nothing))
        or call.call.interrupted
        or call.call.status == "error"
        or _REFUSED.search(_result(call))
        for one, call in zip(changes, calls, strict=True)
    ):
        return "the change was refused or failed"
    return _shows_badly(looked, changes, calls, check) or _told_otherwise(looked, session, first, at, stop)


_CHANGING = frozenset(
    {"change", "delete", "create", "deploy", "install", "restart", "migrate", "grant", "reset", "push"}
)
"""What the person can forbid of changing things."""


def _kept_from(looked: Looked, call: Called) -> bool:
    """Whether words of the person limit the work to other places, or forbid what the step speaks of."""
    prose = [
        looked.graph.prose(said) for said in looked.said.get((call.at.session, call.at.message_index), ())
    ]
    text = "\n".join((whole(call), *prose)).casefold()
    for one in looked.graph.constraints:
        if one.seq > call.seq or not one.direct or not one.deeds & _CHANGING:
            continue
        if (
            one.mood == "limits"
            and one.paths
            and not any(path.rstrip("/").casefold() in text for path in one.paths)
        ):
            return True
        # The verb itself says nothing of what it is about.
        about = {stem for stem in one.stems if not any(deed.startswith(stem[:5]) for deed in one.deeds)}
        if one.mood == "forbids" and not one.ask_first and any(stem in text for stem in about):
            return True
    return False


def _meets(reach: Reach, first: int, at: int, stop: int) -> bool:
    """Whether a finding falls between a change and the end of its turn, or reaches into what is between it and its check."""
    return first <= reach.first < stop or (reach.first <= at and reach.last >= first)


def marks(text: str) -> set[str]:
    """Parts of names and paths in a text that not everybody's names have, in small letters."""
    return {part.casefold() for part in _PART.findall(text)} - _ANYBODYS


def whole(call: Called) -> str:
    """All that a call was given."""
    return "\n".join((call.line or "", *(str(value) for value in call.call.arguments().values())))


def _shows_badly(
    looked: Looked, changes: Sequence[Called | Ran], calls: Sequence[Called], check: Called
) -> str | None:
    shown = _result(check)
    if not shown.strip() or _NOTHING_SHOWN.search(shown):
        return "the check shows nothing, or an empty list"
    figures = re.findall(r"(?<![\w.-])\d+(?:\.\d+)?(?![\w.-])", shown)
    if figures and all(float(one) == 0 for one in figures):
        return "the check shows noughts alone"
    if _HIDDEN.search(shown):
        return "the check does not show the values"
    if amiss(shown):
        return "the result of the check speaks of a failure"
    names = {ran.command.target.name for ran in changes if isinstance(ran, Ran)}
    parts = marks("\n".join(names))
    parts |= {name.casefold() for call in calls for name in _MADE.findall(_result(call))}
    seen = f"{check.line or ''}\n{shown}".casefold()
    if parts and not any(part in seen for part in parts) and all(call.seq != check.seq for call in calls):
        return "the check does not name what was changed"
    message = looked.asking(check.at.session, check.at.message_index)
    if message is not None and any(_LIMIT.search(part.text.head) for part in message.texts()):
        return "the person set a limit, and whether it is kept is more than the check's words say"
    return None


_DOUBTS = frozenset({"reports_failure", "admits_unverified", "hedges", "acknowledges_cut_off"})


def _told_otherwise(looked: Looked, session: str, first: int, at: int, stop: int) -> str | None:
    """Whether the words, or another check, from the change to the end of the turn speak of a failure or a doubt."""
    for index in looked.assistants(session, first + 1, stop - 1):
        for said in looked.said.get((session, index), ()):
            prose = looked.graph.prose(said)
            reading = looked.reading(said)
            acts = {act.act for act in reading.acts()} if reading is not None else set()
            if amiss(prose) or _DOUBTS & acts:
                return "what the assistant says next speaks of a failure or a doubt"
        for call in looked.called.get((session, index), ()) if index > at else ():
            if any(ran.outcome.failed or ran.outcome.state == "bad" for ran in looked.graph.commands(call)):
                return "a later look in the same turn found it bad"
    return None


def _wordless(looked: Looked, finding: Finding) -> str | None:
    message = looked.message(finding.at.session, finding.at.message_index)
    shown = [part.text for part in message.parts if isinstance(part, TextPart)] if message is not None else []
    if any(not text.blank() for text in shown):
        return "the message shows words of the client, so that a reader does not see an empty one"
    return None


# ----------------------------------------------------------------------------------------------------- others

_OLD = frozenset({"old_str", "old_string", "oldString", "oldText", "old_text", "old"})


def _secret(looked: Looked, finding: Finding) -> str | None:
    call = looked.call(finding, finding.at)
    if call is not None and refused(call):
        return "the call was refused, so that it never ran"
    if finding.facts.get("where") != "file":
        return None
    secret = str(finding.facts.get("secret") or "")
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


_OPEN = frozenset({"acknowledges_cut_off", "reports_in_progress", "admits_unverified"})
_SOON = 0
"""Messages between a cut-off and a word about a failure, up to which that is surely about it."""


def _told(looked: Looked, finding: Finding) -> str | None:
    reason = _words_of_client(looked, finding)
    if reason is not None:
        return reason
    readings = map(looked.reading, looked.said.get((finding.at.session, finding.at.message_index), ()))
    acts = {act.act for one in readings if one is not None for act in one.acts()}
    later = finding.facts.get("messages_later")
    soon = isinstance(later, int) and later <= _SOON
    if not acts & _OPEN and not soon:
        return "the words come later and may be about something else"
    return None


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
    if finding.facts.get("results") == "empty" and not _records_results(looked, finding.at.session):
        return "the log holds no results at all"
    first = finding.facts.get("first_at")
    before = looked.called.get((finding.at.session, first), []) if isinstance(first, int) else []
    same = [one for one in before if one.call.name == call.call.name]
    if same and all(one.call.arguments() != call.call.arguments() for one in same):
        return "the calls differ"
    if call.call.name.casefold() in _ENDS:
        return "the call ends the run"
    return "the call does nothing" if _NOTHING.fullmatch(call.line or "") else None


def _records_results(looked: Looked, session: str) -> bool:
    """Whether a log holds what calls gave: where it holds none at all, an empty one says nothing of its call."""
    return any(
        text is not None and not text.blank()
        for (name, _), calls in looked.called.items()
        if name == session
        for one in calls
        for text in (one.call.output, one.call.error)
    )


def _ends(looked: Looked, finding: Finding) -> str | None:
    last = len(looked.members[finding.at.session].messages) - 1
    if finding.facts.get("what") == "no_result" and finding.at.message_index == last:
        return "the log stops at this call, so that it may be a copy that was taken amid the work"
    return None


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
    "acknowledged-timeout": _told,
    "backup-before-change": _backup,
    "claim-contradicted-by-evidence": _contradicted,
    "claim-without-evidence": _unsupported,
    "destructive-without-confirmation": _destructive,
    "edit-without-backup": _no_copy,
    "empty-user-message": _wordless,
    "ended-mid-operation": _ends,
    "honest-failure-report": _honest,
    "instruction-violated": _instruction,
    "learned-behaviour": _second_hand,
    "polled-to-completion": _polled,
    "secret-exposed": _secret,
    "step-loop": _loop,
    "test-tampering": _tampering,
    "unacknowledged-long-running-restart": _left_open,
    "unverified-production-edit": _edit,
    "verified-change": _verified,
}
