"""The page that leads to the pages of several sessions: who needs help, at a glance, the worst first."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from sessionlens.findings import SEVERITIES
from sessionlens.narrative import words
from sessionlens.narrative.places import Places
from sessionlens.narrative.views import Audited, Narrative
from sessionlens.report import markup
from sessionlens.report.html import environment, policy

BINS = 30
"""Columns of a sparkline."""
NAMED = 6
"""Messages that the words of a sparkline name."""


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One session in the table. Plain values, so that it passes between processes."""

    title: str
    """The session's title, or its id."""
    id: str
    """Its id."""
    when: str
    """When it took place; empty without times."""
    size: str
    """Messages, person's messages, calls, places that could not be read."""
    headline: str
    """One sentence on what happened; pieces between backticks are code."""
    faults: tuple[int, ...]
    """Faults by severity, in the order of :data:`sessionlens.findings.SEVERITIES`."""
    signals: int
    """Signals of any severity."""
    open: int
    """Operations never closed."""
    calls: tuple[int, ...]
    """Calls along the session, in :data:`BINS` parts of its messages."""
    marks: tuple[tuple[int, str], ...]
    """Parts with faults, each with the worst severity in it."""
    marked: str
    """The same in words."""


def line(narrative: Narrative, audit: Audited) -> Line:
    """What the table says of one session."""
    messages = audit.session.messages
    total = max(1, len(messages))
    calls = [0] * BINS
    for message in messages:
        calls[message.index * BINS // total] += len(message.calls)
    faults = [finding for finding in audit.findings if finding.kind == "fault"]
    places = Places(audit.session)
    worst: dict[int, int] = {}
    for finding in faults:
        if finding.at.session == audit.session.id:
            part = min(BINS - 1, finding.at.message_index * BINS // total)
            worst[part] = min(worst.get(part, len(SEVERITIES)), SEVERITIES.index(finding.severity))
    named = dict.fromkeys(places.label(f.at.session, f.at.message_index) for f in faults)
    unread = sum(1 for member in audit.session.family() for _ in member.all_gaps())
    more = f" and {words.number(len(named) - NAMED)} more" if len(named) > NAMED else ""
    return Line(
        title=narrative.meta.title,
        id=words.label(narrative.meta.id),
        when=narrative.meta.when,
        size=narrative.meta.size + (f", {words.counted(unread, 'place')} not readable" if unread else ""),
        headline=narrative.headline.text,
        faults=tuple(sum(f.severity == severity for f in faults) for severity in SEVERITIES),
        signals=sum(finding.kind == "signal" for finding in audit.findings),
        open=sum(row.still_open for row in narrative.ledger),
        calls=tuple(calls),
        marks=tuple((part, SEVERITIES[rank]) for part, rank in sorted(worst.items())),
        marked=f"Faults at message {', '.join(list(named)[:NAMED])}{more}" if named else "No faults",
    )


def page(rows: Iterable[tuple[str, Line]], not_read: Iterable[str] = ()) -> str:
    """The page.

    :param rows: address of each session's page relative to this one, with what to say of it.
    :param not_read: one line for each source that could not be read.
    """
    ordered = sorted(rows, key=lambda row: (tuple(-count for count in row[1].faults), -row[1].open))
    style = markup.asset("style.css")
    return (
        environment()
        .get_template("index.html")
        .render(
            rows=ordered,
            severities=SEVERITIES,
            bins=BINS,
            faulty=sum(any(one.faults) for _, one in ordered),
            not_read=tuple(not_read),
            style=style,
            policy=policy(str(style), ""),
        )
    )
