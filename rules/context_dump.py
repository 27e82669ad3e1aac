"""The rule ``context-dump``."""

import re

from sessionlens.examples import Example, asks, bash, compaction, says
from sessionlens.rule import (
    Finding,
    Iterator,
    Rule,
    Said,
    SessionGraph,
    assistant_prose,
    dataclass,
    human,
    lazy,
)

SLUG = "context-dump"
LAUNCH = "ssh gpu1 'nohup ./serve.sh > serve.log 2>&1 &'"
WORDS = "The model server hangs after the weights are loaded, and port 8000 never opens on that machine. "


def summary(*headings: str, mark: str = "## ") -> str:
    """A text with these headings, as long as such summaries are."""
    return "\n\n".join(f"{mark}{heading}\n{WORDS * 4}" for heading in headings)


STATE = summary("Goal", "Instructions", "Discoveries", "Accomplished", "Relevant files", "Next steps")
_ASKS_FOR_IT = lazy(
    r"\b(?:summar\w*|hand-?over|hand-?off|recap\w*|write (?:it |this |that |everything )?(?:down|up)|document\w*|notes?|report\w*|overview"
    r"|where (?:are we|we are|do we stand|we stand)|status|context|compact\w*|plan\w*|prompt|readme|changelog|explain\w*|zusammenfass\w*"
    r"|übergabe|dokument\w*|stand|resum\w*|résum\w*|riassun\w*|samenvat\w*|podsumow\w*|özet\w*)\b|итог|сводк|резюм|отч[её]т|总结|摘要|概括|要約|まとめ|요약",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True)
class ContextDump(Rule):
    """The assistant wrote down the whole state of its work, and no word of a person had asked for it.

    ## What it flags
    A long message of the assistant under headings such as goal, instructions, discoveries, accomplished, next steps,
    where the message before it asks for no summary, report, plan or notes, and the log does not mark it as
    the summary of a compaction. Clients ask for such texts when a conversation grows too long; where the log lacks
    the mark, this is where it was compacted, most probably.

    ## Why it matters
    What follows rests on this text, not on the log before it: what it leaves out is lost to the agent, and what
    it states without evidence is carried on as fact.

    ## What to do
    Hold what it states against the log before it, above all what runs, what was verified, and what the person forbade.

    ## Facts
    - `characters`: length of the text
    - `headings`: its headings, 20 at most
    - `asked_by`: what stands before it: empty_message, person or nobody
    - `open_operations`: how many operations were open when it was written
    """

    slug = SLUG
    kind = "signal"
    severity = "info"
    since = "0.1"

    least_characters: int = 1200
    """A shorter text is none."""

    def check(self, graph: SessionGraph) -> Iterator[Finding]:
        """One finding for each such message."""
        for said in graph.span().all(assistant_prose):
            if not isinstance(said, Said) or said.depth or said.message.summary or said.message.calls:
                continue
            length = sum(part.text.length for part in said.texts)
            headings = graph.context_summary(said) if length >= self.least_characters else ()
            if not headings:
                continue
            person = graph.before(said).last(human)
            asked = "nobody"
            if isinstance(person, Said):
                asked = "person" if person.texts else "empty_message"
                if _ASKS_FOR_IT.search(graph.prose(person)):
                    continue
            still_open = [
                operation
                for operation in graph.ledger
                if operation.event.seq < said.seq
                and (operation.closing is None or operation.closing.seq > said.seq)
            ]
            yield self.finding(
                said,
                f"Wrote down the state of the whole work under {len(headings)} headings",
                note="Most probably a compaction: what follows rests on this text."
                if asked == "empty_message"
                else "",
                because=[
                    *([(person, "the message before it")] if isinstance(person, Said) else []),
                    *((operation.event, "still open when it was written") for operation in still_open[:3]),
                ],
                confidence="high" if asked == "empty_message" else "medium",
                facts={
                    "characters": length,
                    "headings": list(headings),
                    "asked_by": asked,
                    "open_operations": len(still_open),
                },
            )

    examples = (
        Example(
            "after an empty message",
            asks("find out why it hangs"),
            bash(LAUNCH),
            asks(""),
            says(STATE, flag=SLUG, confidence="high", facts={"asked_by": "empty_message", "open_operations": 1}),
        ),
        Example(
            "after a word to go on",
            asks("find out why it hangs"),
            bash("ssh gpu1 'tail -5 serve.log'", output="Loading weights"),
            asks("continue"),
            says(STATE, flag=SLUG, confidence="medium", facts={"asked_by": "person", "open_operations": 0}),
        ),
        Example(
            "in bold instead of headings",
            asks("find out why it hangs"),
            asks(""),
            says(summary("Primary Request", "Key Technical Concepts", "Errors and Fixes", "Pending Tasks", "Current Work", mark="**")
                 .replace("Request\n", "Request**\n").replace("Concepts\n", "Concepts**\n").replace("Fixes\n", "Fixes**\n")
                 .replace("Tasks\n", "Tasks**\n").replace("Work\n", "Work**\n"), flag=SLUG),
        ),
        Example(
            "in German",
            asks("warum hängt es?"),
            asks("weiter"),
            says(summary("Ziele", "Kontext", "Stand", "Erledigt", "Nächste Schritte"), flag=SLUG),
        ),
        Example(
            "in the middle of a turn",
            asks("find out why it hangs"),
            bash("ssh gpu1 'tail -5 serve.log'", output="Loading weights"),
            says(STATE, finish="stop", flag=SLUG),
            bash("ssh gpu1 'tail -5 serve.log'", output="Loading weights"),
            says("It hangs there."),
        ),
        Example(
            "the person asked for a summary",
            asks("write a summary of where we are"),
            says(STATE),
        ),
        Example(
            "the client's own mark of a compaction",
            asks("find out why it hangs"),
            compaction(STATE),
            says("On with the log."),
        ),
        Example(
            "a long answer to a question",
            asks("how does the loader work?"),
            says(summary("Loading the weights", "The graph capture", "The scheduler", "Sampling")),
        ),
        Example(
            "a short status",
            asks("go on"),
            says("## Goal\nFind the hang.\n\n## Done\nRead the log.\n\n## Next steps\nAsk the debugger.\n\n## Status\nOpen."),
        ),
        Example(
            "a report that was asked for",
            asks("restart it and report what you find"),
            bash("ssh gpu1 'systemctl restart serve'"),
            bash("ssh gpu1 'systemctl is-active serve'", output="active"),
            says(summary("Overview", "Findings", "Current state", "Next steps")),
        ),
    )  # fmt: skip
