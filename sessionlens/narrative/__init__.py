"""Session, graph and findings told as chapters of statements: data only, each statement with its evidence."""

from __future__ import annotations

from sessionlens.findings import aside
from sessionlens.narrative import chapters, overview, pictures, things
from sessionlens.narrative.one_message import one_message
from sessionlens.narrative.stories import Context, stories
from sessionlens.narrative.views import Audited, Narrative

CHAPTERS = 40
"""Of more stories than this, the milder ones are told by their findings only; the page says how many."""

__all__ = ["Narrative", "tell"]


def tell(audit: Audited, *, message: str | None = None) -> Narrative:
    """Everything there is to tell about one audited session, worded and placed.

    The session of ``audit`` must be redacted already: whatever it holds may be quoted.

    :param message: id of a message (or ``#12``) that gets a chapter of its own, before all others.
    :raises LookupError: when there is no such message.
    """
    context = Context(audit)
    found = stories(context)
    told = found
    written = [
        chapters.chapter(context, story, number) for number, story in enumerate(told[:CHAPTERS], start=1)
    ]
    by_finding = {finding.fingerprint: chapter.anchor for chapter in written for finding in chapter.findings}
    if message is not None:
        written.insert(0, one_message(context, message))
    empty = [said for silence in context.silences for said in silence.empty]
    return Narrative(
        meta=overview.meta(context),
        headline=overview.headline(context, told),
        lede=overview.lede(context, told, CHAPTERS),
        numbers=overview.numbers(context),
        picture=pictures.whole(
            context.graph, context.places, context.subjects, empty, context.left_out, order=context.order
        ),
        ledger=overview.ledger(context),
        chapters=things.told(context, written),
        further=tuple(
            chapters.view(context, finding)
            for finding in sorted(
                (f for story in told[CHAPTERS:] for f in story.findings),
                key=lambda f: context.order[f.at.session, f.at.message_index],
            )
        ),
        conduct=overview.conduct(context),
        aside=tuple(chapters.view(context, finding) for finding in context.findings if aside(finding)),
        limits=overview.limits(context),
        notes=overview.notes(context, by_finding),
    )
