"""Claims of success in a chapter, each told with the evidence that the log holds on it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sessionlens.cache import lazy
from sessionlens.findings import Finding
from sessionlens.graph.claims import Claim
from sessionlens.graph.events import Called, Event, Ran, Said
from sessionlens.language.acts import ACKNOWLEDGING
from sessionlens.narrative import deeds, scene, states, words
from sessionlens.narrative.stories import Context, Story
from sessionlens.narrative.views import Certainty, Evidence, Statement

MOST = 3
"""Claims that one chapter tells."""

_RANK = {"contradicted": 0, "premature": 1, "unsupported": 2, "supported": 3}
_MARK = lazy(r"^(?:[-*+•]|\d{1,3}[.)]|#{1,6}|>)\s+")
"""What marks a line of Markdown as an item or heading, and is no part of its words."""
_SHOWING = frozenset({"exercise", "state", None})
"""Strengths of a check that show a thing at work; a test run has none. Reading a file back shows the file."""


class Claimed:
    """The claims that one chapter tells, each handed out once, at its place in the story."""

    def __init__(self, context: Context, claims: Iterable[Claim]) -> None:
        """Take the claims of a chapter, chosen by :func:`of_story`."""
        self.context = context
        self._left = list(claims)

    def __iter__(self) -> Iterator[Claim]:
        """Those not yet told, in order."""
        return iter(self._left)

    def repeats(self, said: Said, quote: str) -> bool:
        """Whether a claim still to be told quotes just this of a message, so that quoting it too says it twice."""
        return any(
            claim.said.seq == said.seq and claim.stated_by is None and _same(claim.sentence, quote)
            for claim in self._left
        )

    def of(self, said: Said) -> list[Statement]:
        """What is to tell on the claims of one message."""
        return self._take([claim for claim in self._left if claim.said.seq == said.seq])

    def until(self, seq: int | None) -> list[Statement]:
        """What is to tell on the claims before a position; on all that are left without one."""
        return self._take([claim for claim in self._left if seq is None or claim.said.seq < seq])

    def _take(self, told: Sequence[Claim]) -> list[Statement]:
        self._left = [claim for claim in self._left if not any(claim is one for one in told)]
        return [sentence(self.context, claim) for claim in told]


def tells(claim: Claim, finding: Finding) -> bool:
    """Whether a finding is about this very claim, so that telling the claim tells the finding."""
    at, facts = (claim.stated_by or claim.said).at, finding.facts
    return (
        finding.at.session == at.session
        and finding.at.message_index == at.message_index
        and facts.get("claim") == claim.sentence
        # One sentence can be held against the log in several ways.
        and facts.get("standing", claim.standing) == claim.standing
        and facts.get("scope", claim.scope) == claim.scope
        and facts.get("lacks", claim.lacks) == claim.lacks
    )


def of_story(context: Context, story: Story, calls: Iterable[Called]) -> list[Claim]:
    """The claims about what a story tells, the gravest of them, in order of the log.

    :param calls: what the story tells to have been done.
    """
    done = {call.seq for call in calls}
    own = {event.seq for subject in story.subjects for event in subject.events}
    turns = {context.graph.events[seq].turn for seq in done}
    for operation in story.operations:
        if operation.closing is not None:
            turns.add(operation.closing.turn)
    first = min(done, default=0)
    for finding in story.findings:
        # Where a check came late, the turn of the check belongs to the story too.
        turns.update(event.turn for because in finding.because for event in context.at(because))
    found: list[Claim] = []
    for claim in context.graph.claims:
        flagged = any(tells(claim, finding) for finding in story.findings)
        about = claim.about if isinstance(claim.about, Called) else claim.about.call
        near = claim.said.turn in turns and (claim.stated_by or claim.said).seq > first
        if flagged or (near and (about.seq in done or claim.about.seq in own) and _tellable(context, claim)):
            found.append(claim)
    return chosen(found, story.findings)


def chosen(claims: Iterable[Claim], findings: Sequence[Finding]) -> list[Claim]:
    """At most :data:`MOST` claims, those that findings are about first, then the gravest; one a message and thing."""
    ranked = sorted(
        claims,
        key=lambda claim: (
            not any(tells(claim, finding) for finding in findings),
            _RANK[claim.standing],
            not claim.named,
            claim.said.seq,
        ),
    )
    told: list[Claim] = []
    said: set[tuple[object, ...]] = set()
    for claim in ranked:
        text = (claim.stated_by or claim.said).seq
        evidence = claim.evidence if claim.evidence is not None else claim.about
        keys = {(text, "words", claim.act.span), (text, "evidence", evidence.seq)}
        if not keys & said:
            told.append(claim)
        said |= keys
    return sorted(told[:MOST], key=lambda claim: (claim.said.seq, claim.act.span))


def of_message(context: Context, session: str, index: int, findings: Sequence[Finding]) -> list[Claim]:
    """The claims of one message."""
    return chosen(
        (
            claim
            for claim in context.graph.claims
            if (claim.said.at.session, claim.said.at.message_index) == (session, index)
            and _tellable(context, claim)
        ),
        findings,
    )


def _tellable(context: Context, claim: Claim) -> bool:
    """Whether the log says something on a claim that a reader can use."""
    evidence = claim.evidence
    if claim.standing == "supported":
        # That an edit was applied is told already; what a check shows is good conduct.
        return _shows(evidence)
    if claim.standing != "unsupported" or claim.lacks:
        return True
    if _looked(claim) is not None and claim.evidence is not None and states.check_of(claim.evidence) == "bad":
        return False
    acts = {act.act for act in context.graph.reading(claim.said).acts()}
    return _open(context, claim) and not acts & ACKNOWLEDGING


def _shows(evidence: Event | None) -> bool:
    if not isinstance(evidence, Ran) or evidence.outcome.state != "good":
        return False
    return (
        evidence.check or evidence.command.effect in ("check", "test")
    ) and evidence.command.check_strength in _SHOWING


def _looked(claim: Claim) -> Ran | None:
    """The look at what a claim speaks of that came before it and decided nothing."""
    evidence = claim.evidence
    if claim.lacks in ("run", "rerun", "test_run") or not isinstance(evidence, Ran):
        return None
    return evidence if evidence.seq > claim.about.seq else None


def _open(context: Context, claim: Claim) -> bool:
    """Whether what a claim speaks of was still open when it was made."""
    operation = context.operations.get(claim.about.seq)
    if operation is None:
        return isinstance(claim.about, Called) and (claim.about.cut_off is not None or claim.about.unfinished)
    return operation.closing is None or operation.closing.seq > (claim.stated_by or claim.said).seq


def sentence(context: Context, claim: Claim) -> Statement:
    """One claim with what the log holds on it, in one sentence."""
    said = _said(context, claim)
    text, places = _verdict(context, claim)
    certainty: Certainty = "derived" if claim.named or claim.scope == "printed" else "inferred"
    if claim.scope == "whole" and (not claim.shortfalls or claim.confidence == "high"):
        # The order of the log alone decides that work went on, or that nothing was ever run.
        certainty = "derived"
    quote = _MARK.sub("", words.flat(claim.sentence))
    if len(quote) > 4 and quote.startswith("**") and quote.endswith("**") and quote.count("**") == 2:
        quote = quote[2:-2]
    if text.startswith(","):
        quote = quote.rstrip(".!。")
    who = f"Message {said.label} says"
    if claim.stated_by is not None:
        who = f"The call in message {said.label} {'prints' if claim.scope == 'printed' else 'states'}"
    return Statement(
        text=words.sentence(f"{who} {words.quoted(quote, 160)}{text}"),
        certainty=certainty,
        evidence=(said, *places),
    )


def _said(context: Context, claim: Claim) -> Evidence:
    """The place of a claim, quoted where its words stand in the log as they are."""
    if claim.stated_by is not None:
        held = [value for value in claim.stated_by.call.arguments().values() if isinstance(value, str)]
        exact = next((claim.sentence for value in held if claim.sentence in value), "")
        return context.places.of(claim.stated_by, exact)
    return context.places.of(claim.said, scene.acting_sentence(context, claim.said, claim.act))


def _verdict(context: Context, claim: Claim) -> tuple[str, tuple[Evidence, ...]]:
    """What the log holds on a claim, to follow its words, and where."""
    if claim.scope == "printed":
        return " itself: no test or check had run.", ()
    evidence = claim.evidence
    if claim.standing == "supported" and evidence is not None:
        at = _shown(context, evidence)
        noun = "test run" if isinstance(evidence, Ran) and evidence.command.effect == "test" else "check"
        if not _shows(evidence):
            noun = "result"
        return f", as the {noun} in message {at.label} shows", (at,)
    if claim.standing == "premature" and evidence is not None:
        return _too_early(context, claim, evidence)
    if claim.standing == "contradicted" and evidence is not None:
        return _against(context, claim, evidence)
    return _lacking(context, claim)


def _too_early(context: Context, claim: Claim, evidence: Event) -> tuple[str, tuple[Evidence, ...]]:
    at = _shown(context, evidence)
    later = words.counted(claim.messages_until or 0, "message")
    if claim.scope == "whole":
        return f"; the work went on {later} later, in message {at.label}", (at,)
    return (
        f"; the first look at {_name(context, claim.about)} came only {later} later, in message {at.label}, "
        "and found it bad"
    ), (at,)


def _against(context: Context, claim: Claim, evidence: Event) -> tuple[str, tuple[Evidence, ...]]:
    at = _shown(context, evidence, claim.quote)
    if claim.scope in ("shown", "gone"):
        return f", against what the last look, in message {at.label}, shows", (at,)
    if claim.scope == "whole":
        others = {item.event.call.seq if isinstance(item.event, Ran) else item.event.seq: item.event
                  for item in claim.shortfalls if item.event.seq != evidence.seq}  # fmt: skip
        were = "was" if len(others) == 1 else "were"
        more = f", nor {were} {words.counted(len(others), 'other failure')}" if others else ""
        what = f"what had failed in message {at.label}"
        if not _failed(evidence):
            what = f"what message {at.label} {'says' if isinstance(evidence, Said) else 'shows'} against it"
        return f"; {what} was never put right{more}", (
            at,
            *(_shown(context, event) for event in list(others.values())[:3]),
        )
    name = _name(context, claim.about)
    if isinstance(evidence, Ran) and (evidence.check or evidence.command.effect == "check"):
        return f"; the last evidence on {name}, message {at.label}, found it bad", (at,)
    noun = deeds.noun(evidence.command) if isinstance(evidence, Ran) else "call"
    return f"; the last evidence on {name}, the {noun} in message {at.label}, failed", (at,)


def _failed(evidence: Event) -> bool:
    """Whether what stands against a claim is a failure: it may be a step that was left out, or the assistant's own words."""
    if isinstance(evidence, Ran):
        return evidence.outcome.failed or evidence.outcome.state == "bad"
    return isinstance(evidence, Called) and (
        evidence.call.exit not in {None, 0} or evidence.call.status == "error"
    )


def _lacking(context: Context, claim: Claim) -> tuple[str, tuple[Evidence, ...]]:
    about = claim.about
    call = about if isinstance(about, Called) else about.call
    at = context.places.of(call, call.cut_off.quote if call.cut_off is not None else "")
    name = _name(context, about)
    if claim.lacks == "run":
        return "; no check or run of anything stands before it in the log", (context.places.of(about),)
    if claim.lacks == "test_run":
        return "; nothing before it in the log can have run tests", (context.places.of(about),)
    if claim.lacks == "rerun":
        failed = _shown(context, about, claim.quote)
        changed = [context.places.of(claim.evidence)] if claim.evidence is not None else []
        since = f" after the change in message {changed[0].label}" if changed else ""
        return f"; what had failed in message {failed.label} was not run again{since}", (failed, *changed)
    looked = _looked(claim)
    if looked is not None:
        seen = _shown(context, looked)
        return f"; the last look at {name}, in message {seen.label}, did not show it", (seen, at)
    if call.cut_off is not None:
        return f"; the last evidence on {name}, message {at.label}, was cut off", (at,)
    if call.unfinished:
        return f"; the last evidence on {name}, message {at.label}, has no result in the log", (at,)
    if claim.tried is not None:
        unanswered = context.places.of(claim.tried.call)
        return f"; the check of {name} in message {unanswered.label} got no answer", (unanswered, at)
    operation = context.operations.get(about.seq)
    noun = deeds.noun(about.command) if isinstance(about, Ran) else "call"
    how = ""
    if operation is not None and operation.opened_by == "detached":
        how = ", which was left running in the background"
    elif operation is not None and operation.opened_by == "connection_lost":
        how = ", during which the connection was lost"
    elif operation is not None and operation.opened_by == "interrupted":
        how = ", which was interrupted"
    return f"; by then nothing had looked at {name} since the {noun} in message {at.label}{how}", (at,)


def _shown(context: Context, event: Event, quote: str = "") -> Evidence:
    """The place of evidence with the words that show it."""
    if not quote and isinstance(event, Ran):
        quote = states.quote_of(event) or event.outcome.quote
    return context.places.of(event, quote)


def _name(context: Context, about: Ran | Called) -> str:
    """What a claim speaks of, as the chapter names it."""
    if isinstance(about, Called):
        return "it"
    subject = next(iter(context.subjects_of(about)), None)
    if subject is not None:
        return subject.name_in_code
    target = about.command.target
    return words.code(words.name_of(target, about.command)) if target.name else "it"


def _same(one: str, other: str) -> bool:
    return words.flat(one) == words.flat(other)
