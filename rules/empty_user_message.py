"""The rule ``empty-user-message``."""

from sessionlens.examples import Example, asks, attaches, bash, compaction, edit, hands_to, says
from sessionlens.rule import Confidence, Finding, Iterator, Rule, SessionGraph, dataclass, in_words

SLUG = "empty-user-message"
LAUNCH = "ssh gpu1 'nohup ./serve.sh > serve.log 2>&1 &'"
SUMMARY = "\n\n".join(
    f"## {heading}\n" + "The model server hangs after the weights are loaded; port 8000 never opens. " * 4
    for heading in ("Goal", "Instructions", "Discoveries", "Accomplished", "Relevant files", "Next steps")
)

_READS = {
    "compaction": "a request to compact the conversation",
    "subtask": "a command that hands work to a subagent",
    "attachment": "an attachment without words",
    "client_text": "text that the client wrote",
    "continuation": "a word to go on",
    "unread": "nothing that the log tells",
}


@dataclass(frozen=True, kw_only=True)
class EmptyUserMessage(Rule):
    """A user message shows no words; what it most probably is, and on what evidence.

    ## What it flags
    Each user message of the session without visible words of a person: a request to compact, a command for a
    subagent, an attachment alone, or an empty message. Where the log marks it, that decides. Where it does not, the
    answer is a clue: a structured summary of the whole work is what clients ask for when they compact, and an answer
    that goes on with the work fits a word to go on. The other reading and what would decide it are told.

    ## Why it matters
    Silence is easily read as consent, or as trust. Most empty messages were sent by a client, and say nothing of what
    the person wanted.

    ## What to do
    Where it matters, look into the client's own store or export, which has the marks that this log lacks.

    ## Facts
    - `reading`: compaction, subtask, attachment, client_text, continuation or unread
    - `evidence`: what says so
    - `observed`: whether the log itself says so
    - `other`: the other reading, or null
    - `would_tell`: what would decide between them; empty where nothing is open
    - `answer_at`: index of the assistant's next message, or null
    - `waited_ms`: time from the message before, null where the log has no times
    """

    slug = SLUG
    kind = "signal"
    severity = "info"
    since = "0.1"

    def check(self, graph: SessionGraph) -> Iterator[Finding]:
        """One finding for each user message without words, and one for several in a row."""
        last = -2
        for message in graph.wordless:
            # Of several in a row the first tells what there is to tell.
            first, last = message.said.seq != last + 1, message.said.seq
            # Where the log names no role, nothing says that an empty message is a person's.
            if not first or not message.said.role_known:
                continue
            observed = message.confidence == "high"
            reads = _READS[message.kind]
            before = graph.events[message.said.seq - 1] if message.said.seq else None
            waited = graph.elapsed(before, message.said) if before is not None else None
            because = [(message.said, "the message: no words in it")]
            if message.answer is not None and message.kind in ("compaction", "continuation"):
                because.append((message.answer, "the answer to it"))
            confidence: Confidence = message.confidence
            pause = f", {in_words(waited)} after the message before" if waited and waited > 0 else ""
            other = f" It could also be {_READS[message.other]}." if message.other is not None else ""
            yield self.finding(
                message.said,
                f"A user message without words: {'' if observed else 'probably '}{reads}",
                note=f"{message.evidence[:1].upper()}{message.evidence[1:]}{pause}.{other}",
                because=because,
                confidence=confidence,
                facts={
                    "reading": message.kind,
                    "evidence": message.evidence,
                    "observed": observed,
                    "other": message.other,
                    "would_tell": message.would_tell,
                    "answer_at": None if message.answer is None else message.answer.at.message_index,
                    "waited_ms": waited if waited is not None and waited >= 0 else None,
                },
            )

    examples = (
        Example(
            "an empty message, and the work goes on",
            asks("find out why it hangs"),
            bash(LAUNCH),
            asks("", flag=SLUG, facts={"reading": "continuation", "other": None, "observed": False}),
            bash("ssh gpu1 'tail -5 serve.log'", output="Loading weights"),
            says("It is still loading."),
        ),
        Example(
            "an empty message, and a summary of the whole work follows",
            asks("find out why it hangs"),
            bash(LAUNCH),
            asks("", flag=SLUG, confidence="medium", facts={"reading": "compaction", "other": "continuation"}),
            says(SUMMARY),
            asks("go on"),
            bash("ssh gpu1 'tail -5 serve.log'", output="Loading weights"),
            says("It hangs there."),
        ),
        Example(
            "the client compacts the conversation",
            asks("go on with the list"),
            edit("/home/dev/project/a.py"),
            says("Done with the first."),
            compaction(SUMMARY, flag=SLUG, confidence="high", facts={"reading": "compaction", "observed": True, "other": None}),
            says("On to the second."),
        ),
        Example(
            "a picture without words",
            asks("make the header blue"),
            edit("/home/dev/project/style.css"),
            says("The header is blue."),
            attaches(flag=SLUG, confidence="high", facts={"reading": "attachment", "observed": True, "would_tell": ""}),
            says("I see that the footer is not."),
        ),
        Example(
            "a command for a subagent",
            hands_to("review", "look over the change", flag=SLUG, confidence="high", facts={"reading": "subtask"}),
            says("The review found nothing."),
        ),
        Example(
            "nothing follows it",
            asks("start the server"),
            bash(LAUNCH),
            says("Started; it is still loading."),
            asks("", flag=SLUG, confidence="low", facts={"reading": "unread", "answer_at": None}),
        ),
        Example(
            "a person who writes one word",
            asks("start the server"),
            bash(LAUNCH),
            asks("continue"),
            bash("ssh gpu1 'tail -5 serve.log'", output="Loading weights"),
            says("It is still loading."),
        ),
        Example(
            "a picture with words",
            asks("make the header blue like in the picture"),
            edit("/home/dev/project/style.css"),
            says("The header is blue."),
        ),
        Example(
            "an empty message of the assistant is another rule's matter",
            asks("start the server"),
            bash(LAUNCH),
            says(" "),
        ),
        Example(
            "a dot is a word",
            asks("start the server"),
            bash(LAUNCH),
            asks("."),
            says("It is still loading."),
        ),
        Example(
            "a summary that the person asked for",
            asks("write down where we are"),
            says(SUMMARY),
        ),
    )  # fmt: skip
