"""The draft of a blameless review after an incident, as Markdown: the same statements in the order of a review."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

from sessionlens.model import Session
from sessionlens.narrative import words
from sessionlens.narrative.views import Audited, Chapter, FindingView, Narrative, Statement
from sessionlens.report.markdown import code, escape, place, places, sentence

DONE = "What was done, and what came of it"
KNOWN = "What was known, and from when on"
NOT_SHOWN = "What the log does not show"


def render(narrative: Narrative, audit: Audited, stream: TextIO) -> None:
    """Write the draft."""
    for line in lines(narrative, audit.session):
        stream.write(line + "\n")


def lines(narrative: Narrative, session: Session) -> Iterator[str]:
    """The draft line by line."""
    yield f"# Review: {escape(narrative.meta.title)}"
    yield ""
    yield "Drafted by sessionlens from the log alone. Each line names the messages it stands on. Edit freely."
    yield ""
    yield "## Summary"
    yield ""
    for statement in (narrative.headline, *narrative.lede):
        yield from _bullet(statement)
    yield ""
    yield "## What was affected, as far as the log shows"
    yield ""
    affected = list(_affected(narrative))
    yield from affected or ["- Nothing that the log shows."]
    yield ""
    yield "## Timeline"
    yield ""
    yield "| Time | Message | What happened |"
    yield "|---|---|---|"
    yield from _timeline(narrative, session)
    yield ""
    for heading, statements in (
        ("What went well", list(_went_well(narrative))),
        ("What went wrong", [f for chapter in _stories(narrative) for f in _wrong(chapter)]),
        ("Open questions", [*_of(narrative, NOT_SHOWN), *narrative.limits]),
    ):
        yield f"## {heading}"
        yield ""
        if statements:
            for statement in statements:
                yield from _bullet(statement)
        else:
            yield "- Nothing that the log shows."
        yield ""
    yield "## Follow-ups"
    yield ""
    follow_ups = [line for chapter in _stories(narrative) for line in _follow_ups(chapter)]
    yield from follow_ups or ["- None that follow from the log."]


def _bullet(statement: Statement) -> Iterator[str]:
    certainty = "" if statement.certainty == "observed" else f" *{statement.certainty}*"
    yield f"- {sentence(statement.text)}{certainty} {places(statement.evidence)}"


def _stories(narrative: Narrative) -> list[Chapter]:
    return [chapter for chapter in narrative.chapters if chapter.kind != "message"]


def _of(narrative: Narrative, heading: str) -> Iterator[Statement]:
    for chapter in _stories(narrative):
        for section in chapter.sections:
            if section.heading == heading:
                yield from section.statements


def _went_well(narrative: Narrative) -> Iterator[Statement]:
    for finding in narrative.aside:
        if finding.kind == "good":
            yield _as_statement(finding)
    yield from _conduct(narrative, "What went well")


def _as_statement(finding: FindingView) -> Statement:
    return Statement(
        text=words.flat(finding.title) + ("" if finding.title.endswith(".") else "."),
        certainty="inferred" if finding.confidence == "low" else "derived",
        evidence=(finding.at, *finding.because[:3]),
    )


def _conduct(narrative: Narrative, heading: str) -> Iterator[Statement]:
    for section in narrative.conduct:
        if section.heading == heading:
            yield from section.statements


def _affected(narrative: Narrative) -> Iterator[str]:
    if narrative.picture is None:
        return
    for lane in narrative.picture.lanes:
        if lane.name == "Person" or not lane.intervals:
            continue
        unknown = [interval for interval in lane.intervals if interval.state in ("unknown", "bad")]
        where = f" ({escape(lane.detail)})" if lane.detail else ""
        yield f"- {code(lane.name)}{where}"
        for interval in unknown:
            yield f"  - {sentence(interval.statement.text)} {places(interval.statement.evidence)}"


def _timeline(narrative: Narrative, session: Session) -> Iterator[str]:
    """The steps of all stories in order of the log."""
    rows: list[tuple[int, int, str]] = []
    members = list(session.family())
    seen: set[tuple[str, str]] = set()
    for statement in (*_of(narrative, "What was going on"), *_of(narrative, DONE), *_of(narrative, KNOWN)):
        at = statement.evidence[0]
        if at.message_index is None or statement.certainty != "observed":
            continue
        key = (statement.text, at.label)
        if key in seen:
            continue
        seen.add(key)
        ordinal, member = next(
            (pair for pair in enumerate(members) if pair[1].id == at.session), (0, session)
        )
        time = member.messages[at.message_index].time
        when = words.moment(time) if time is not None else ""
        rows.append(
            (
                ordinal,
                at.message_index,
                f"| {when} | {place(at)} | {sentence(statement.text).replace('|', '&#124;')} |",
            )
        )
    yield from (text for _, _, text in sorted(rows, key=lambda row: (row[0], row[1])))


def _wrong(chapter: Chapter) -> Iterator[Statement]:
    for finding in chapter.findings:
        if finding.kind != "good":
            yield _as_statement(finding)


_ADVICE = {
    "unacknowledged-long-running-restart": "Give a start the time that earlier ones took, or run it in the background "
    "and poll it; say in the chat that it is still open",
    "empty-message-after-timeout": "When a limit ends a command, say so and look at the state before the turn ends",
    "unverified-production-edit": "Keep a copy before an edit in place, test the configuration, and check the target "
    "before going on",
}
"""What follows from a finding of a shipped rule, for whoever runs the agent."""


def _follow_ups(chapter: Chapter) -> Iterator[str]:
    advised: set[str] = set()
    for finding in chapter.findings:
        advice = _ADVICE.get(finding.rule)
        if advice is not None and advice not in advised:
            advised.add(advice)
            yield f"- [ ] {advice} ({place(finding.at)})"
    for command in chapter.next_commands[:3]:
        yield f"- [ ] Look again ({escape(command.why)}): {code(command.line)} {places(command.evidence)}"
