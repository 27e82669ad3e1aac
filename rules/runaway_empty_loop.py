"""The rule ``runaway-empty-loop``."""

from sessionlens.examples import Example, asks, bash, compaction, nothing, says
from sessionlens.rule import (
    Called,
    Finding,
    Iterator,
    Reason,
    Rule,
    Said,
    Session,
    SessionGraph,
    dataclass,
    in_words,
    not_recorded,
)

SLUG = "runaway-empty-loop"

_GAVE_UP = frozenset({"", "unknown", "other", "error", "null", "none"})
"""Words of clients for a generation whose end they could not tell: with them a client asks again by itself."""
_MANY = 10


@dataclass(frozen=True, kw_only=True)
class RunawayEmptyLoop(Rule):
    """The client asked the model again and again, and got nothing each time.

    ## What it flags
    Several assistant messages in a row, three where nothing else is set, without visible text and without a
    call, and no word of the person between them: the client took the empty answer for an unfinished one and
    sent the whole conversation again. Thinking alone is empty. Not flagged: a single empty answer, empty answers
    to several messages of the person, and the empty step before a compaction.

    ## Why it matters
    Every round reads the whole context and is paid for, nothing moves, and nobody is told.

    ## What to do
    Stop the client; look at what the provider returned. For a client: count empty answers, stop after the
    second, and tell the person.

    ## Facts
    - `empty`: how many empty messages stand in a row
    - `finishes`: why generation stopped, in the client's words, once each, in order; empty where it does not say
    - `tokens_in`: tokens read by those messages together, null where not recorded
    - `took_ms`: from the first to the last of them, in milliseconds, null where not recorded
    - `ended_by`: what came after the row: person, assistant or end
    """

    slug = SLUG
    severity = "medium"
    since = "0.1"

    least: int = 3
    """Flag from this many empty messages in a row."""

    def checkable(self, session: Session) -> str | None:
        """Not on logs that cannot tell an empty answer from something left out."""
        return not_recorded(session.source_format, "empty_messages")

    def check(self, graph: SessionGraph) -> Iterator[Finding]:
        """One finding for each row, at the message that makes it long enough."""
        rows: dict[str, list[Said]] = {}
        for event in (graph.events[seq] for seq in sorted({*graph.openings, *graph.index("called")})):
            row = rows.setdefault(event.at.session, [])
            if isinstance(event, Said) and event.role == "assistant" and not event.message.summary:
                if event.message.empty and event.message.error is None and not event.message.partly_read:
                    row.append(event)
                    continue
            elif isinstance(event, Said) and event.role != "assistant" and not event.human:
                # Records of the client between two answers, such as its request to go on, are its own doing.
                continue
            if len(row) >= self.least:
                yield self._found(graph, row, event)
            rows[event.at.session] = []
        for row in rows.values():
            if len(row) >= self.least:
                yield self._found(graph, row, None)

    def _found(self, graph: SessionGraph, row: list[Said], after: object) -> Finding:
        finishes = list(dict.fromkeys(said.message.finish or "" for said in row))
        read = [said.message.tokens_in for said in row if said.message.tokens_in is not None]
        begun, over = graph.moment(row[0]), graph.finished(row[-1])
        took = None if begun is None or over is None else max(0, over - begun)
        by = "end" if after is None else "person" if isinstance(after, Said) and after.human else "assistant"
        because: list[Reason] = [(row[0], "the first empty answer")]
        because.append((row[-1], f"the last of {len(row)}"))
        if isinstance(after, (Said, Called)):
            because.append((after, "what came next"))
        told = any(finish not in _GAVE_UP for finish in finishes)
        return self.finding(
            row[self.least - 1],
            f"{len(row)} empty answers in a row" + (f" within {in_words(took)}" if took else ""),
            because=because,
            severity="high" if len(row) >= _MANY else "medium",
            confidence="medium" if told or not all(said.role_known for said in row) else "high",
            facts={
                "empty": len(row),
                "finishes": finishes,
                "tokens_in": sum(read) if read else None,
                "took_ms": took,
                "ended_by": by,
            },
        )

    examples = (
        Example(
            "three rounds with finish unknown",
            asks("update the chart"),
            bash("helm lint ./chart", output="1 chart(s) linted, 0 chart(s) failed"),
            nothing("unknown"),
            nothing("unknown"),
            nothing("unknown", flag=SLUG, severity="medium", facts={"empty": 3, "ended_by": "end"}),
        ),
        Example(
            "the person ends the row",
            asks("go on"),
            nothing("unknown"),
            nothing("unknown"),
            nothing("unknown", flag=SLUG, facts={"empty": 4, "ended_by": "person"}),
            nothing("unknown"),
            asks("are you there?"),
            says("Yes."),
        ),
        Example(
            "the assistant comes back by itself",
            asks("lies die Protokolle"),
            nothing(None, 0),
            nothing(None, 0),
            nothing(None, 0, flag=SLUG, confidence="high", facts={"ended_by": "assistant"}),
            says("Die Protokolle sind unauffällig."),
        ),
        Example(
            "thinking alone is empty too",
            asks("why is it slow?"),
            nothing("other", 900, reasoning="Let me think."),
            nothing("other", 900, reasoning="Let me think."),
            nothing("other", 900, reasoning="Let me think.", flag=SLUG),
        ),
        Example(
            "ten and more are worse",
            asks("continue"),
            nothing("unknown"),
            nothing("unknown"),
            nothing("unknown", flag=SLUG, severity="high", facts={"empty": 11}),
            *(nothing("unknown") for _ in range(8)),
        ),
        Example(
            "white space is empty, and the finish is a plain stop",
            asks("weiter"),
            nothing("stop", 2, text="\n\n"),
            nothing("stop", 2, text=" "),
            nothing("stop", 2, text="\n", flag=SLUG, confidence="medium"),
        ),
        Example(
            "two rows in one session",
            asks("one"),
            nothing("unknown"),
            nothing("unknown"),
            nothing("unknown", flag=SLUG),
            asks("two"),
            nothing("unknown"),
            nothing("unknown"),
            nothing("unknown", flag=SLUG),
        ),
        Example(
            "two empty answers, then work",
            asks("update the chart"),
            nothing("unknown"),
            nothing("unknown"),
            bash("helm lint ./chart", output="0 chart(s) failed"),
            says("The chart is sound."),
        ),
        Example(
            "three empty answers, the person wrote before each",
            asks("go"),
            nothing("unknown"),
            asks("go on"),
            nothing("unknown"),
            asks("hello?"),
            nothing("unknown"),
        ),
        Example(
            "an empty message of the person is still the person's",
            asks("go"),
            nothing(),
            nothing(),
            asks(),
            nothing(),
            nothing(),
        ),
        Example(
            "calls between them",
            asks("poll it"),
            nothing("unknown"),
            bash("kubectl get pods", output="cart-1 0/1 Pending"),
            nothing("unknown"),
            bash("kubectl get pods", output="cart-1 1/1 Running"),
            nothing("unknown"),
            says("It runs."),
        ),
        Example(
            "an empty answer on either side of a compaction",
            asks("go on"),
            nothing("unknown"),
            nothing("unknown"),
            compaction("What was done so far."),
            nothing("unknown"),
            says("Continuing."),
        ),
        Example(
            "short answers are answers",
            asks("count"),
            says("1", finish="unknown"),
            says("2", finish="unknown"),
            says("3", finish="unknown"),
        ),
        Example(
            "errors of the provider: retried and told by the client",
            asks("go"),
            nothing(None, error="APIError overloaded"),
            nothing(None, error="APIError overloaded"),
            nothing(None, error="APIError overloaded"),
            says("Back again."),
        ),
    )
