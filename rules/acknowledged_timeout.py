"""The rule ``acknowledged-timeout``."""

import re

from sessionlens.examples import Example, asks, bash, group, nothing, says, tool
from sessionlens.rule import (
    STARTS,
    Called,
    Confidence,
    Event,
    Finding,
    Iterator,
    Operation,
    Ran,
    Rule,
    Said,
    Session,
    SessionGraph,
    as_code,
    assistant_prose,
    change,
    cut_off,
    dataclass,
    human,
    lazy,
    named,
    not_recorded,
    same_session,
)

SLUG = "acknowledged-timeout"
RESTART = "ssh root@web1 'systemctl restart billing'"


@dataclass(frozen=True, kw_only=True)
class AcknowledgedTimeout(Rule):
    """A time limit ended a command, and the assistant told the person so.

    ## What it flags
    The message that tells, before the next word of the person, that a command was ended by a limit, is still going on
    or is not confirmed. Where the command left an operation open, the words must be about that one; for any other
    command they must say that it was cut off. The title says what was told, and no more: that it took too long, failed,
    needs time or will be looked at tells less, lowers the confidence, and counts only where the thing is named.

    ## Why it matters
    The person knows that the state is not known, and can decide.

    ## What to do
    Nothing. It is how a cut-off should be handled, and a place to look at when another one was not.

    ## Facts
    - `told`: what the message tells: cut_off, not_confirmed, in_progress, took_long, failed, waits or promise
    - `cut_offs`: how many cut-off commands the message tells of
    - `cut_off_at`: index of the message with the first of them
    - `limit_ms`: the limit that ended it, null where the log does not say
    - `target`: what the open operation is about; null where the command left none open that has a name
    - `messages_later`: how many messages lay between
    """

    slug = SLUG
    kind = "good"
    severity = "info"
    since = "0.1"

    def checkable(self, session: Session) -> str | None:
        """Not on logs that do not tell which commands a limit ended."""
        return not_recorded(session.source_format, "time_outs")

    def check(self, graph: SessionGraph) -> Iterator[Finding]:
        """One finding for each message that tells."""
        opened: dict[int, Operation] = {}
        for operation in graph.ledger:
            called = operation.event if isinstance(operation.event, Called) else operation.event.call
            if operation.opened_by == "cut_off":
                opened.setdefault(called.seq, operation)
        told: dict[int, list[tuple[Called, str]]] = {}
        for event in graph.span().all(cut_off):
            if isinstance(event, Called) and event.cut_off is not None:
                of = opened.get(event.seq)
                found = _told_of(graph, of) if of is not None else _told(graph, event)
                if found is not None:
                    told.setdefault(found[0].seq, []).append((event, found[1]))
        for seq, calls in told.items():
            yield self._found(graph, graph.events[seq], calls, opened.get(calls[0][0].seq))

    def _found(
        self, graph: SessionGraph, said: Event, calls: list[tuple[Called, str]], of: Operation | None
    ) -> Finding:
        first, how = min(calls, key=lambda told: list(_HOW).index(told[1]))
        if first is not calls[0][0]:
            of = None
        cut = first.cut_off
        target = of.target if of is not None and of.target.name else None
        what = as_code(first.line or first.call.name, 60)
        if of is not None and target is not None:
            what = f"the {_deed(of)} of {named(target)}"
        words, confidence = _HOW[how]
        if len(calls) > 1:
            what += f" and {'one' if len(calls) == 2 else len(calls) - 1} more"
            words = words.replace("was ", "were ", 1).replace("is ", "are ", 1)
            if confidence == "high" and not _speaks_of_several(graph, said):
                # Of several that ended at once, a sentence about one may mean any.
                confidence = "medium"
        # A part that was not read may take it back, and words of an unknown role may be the person's.
        unsure = isinstance(said, Said) and (said.message.partly_read or not said.role_known)
        return self.finding(
            said,
            f"Told the person that {what} {words}",
            because=[
                (call, "the limit that ended it", call.cut_off.quote if call.cut_off is not None else "")
                for call, _ in calls[:6]
            ],
            confidence="low" if unsure else confidence,
            facts={
                "told": how,
                "cut_offs": len(calls),
                "cut_off_at": first.at.message_index,
                "limit_ms": cut.limit_ms if cut is not None else None,
                "target": target,
                "messages_later": graph.messages_between(first, said),
            },
        )

    examples = (
        Example(
            "the restart ran into the limit, and the next message says so",
            asks("restart billing"),
            bash(RESTART, limit=15, times_out=True),
            says("The restart was cut off after 15 seconds, so I cannot say whether billing is up.", flag=SLUG,
                 facts={"limit_ms": 15_000, "messages_later": 0}),
        ),
        Example(
            "told after a look",
            asks("restart billing"),
            bash(RESTART, limit=15, times_out=True),
            bash("ssh root@web1 'systemctl is-active billing'", exit=3, output="activating"),
            says("The command timed out; billing is still starting.", flag=SLUG, facts={"messages_later": 1}),
        ),
        Example(
            "in German",
            asks("starte billing neu"),
            bash(RESTART, limit=15, times_out=True),
            says("Der Neustart wurde nach 15 Sekunden abgebrochen; ob billing läuft, ist nicht bestätigt.", flag=SLUG),
        ),
        Example(
            "a build that was cut off",
            asks("build it"),
            bash("make -j4", limit=120, times_out=True),
            group(says("The build timed out, so I run it with more time.", flag=SLUG, facts={"target": None}),
                  bash("make -j4", limit=900, output="done")),
        ),
        Example(
            "it is still going on, in other words",
            asks("restart billing"),
            bash(RESTART, limit=15, times_out=True),
            says("billing is still restarting on web1; I have not seen it come up yet.", flag=SLUG),
        ),
        Example(
            "two at once",
            asks("fetch both"),
            group(bash("curl -s https://example.com/a -o a", limit=30, times_out=True),
                  bash("curl -s https://example.com/b -o b", limit=30, times_out=True)),
            says("Both downloads timed out after 30 seconds.", flag=SLUG, facts={"cut_offs": 2}),
        ),
        Example(
            "a tool of another kind",
            asks("fetch the report"),
            tool("bash", {"command": "curl -s https://example.com/report"}, output="", limit=30, times_out=True),
            says("The download timed out after 30 seconds.", flag=SLUG),
        ),
        Example(
            "told only that it took too long",
            asks("restart billing"),
            bash(RESTART, limit=15, times_out=True),
            says("The restart took too long.", flag=SLUG, confidence="medium", facts={"told": "took_long"}),
        ),
        Example(
            "told that it failed, which nobody saw",
            asks("restart billing"),
            bash(RESTART, limit=15, times_out=True),
            says("Der Neustart von billing ist fehlgeschlagen.", flag=SLUG, confidence="medium", facts={"told": "failed"}),
        ),
        Example(
            "told only as a promise",
            asks("restart billing"),
            bash(RESTART, limit=15, times_out=True),
            says("I'll check billing in a minute.", flag=SLUG, confidence="low", facts={"told": "promise"}),
        ),
        Example(
            "a promise of something else",
            asks("have the page written"),
            bash("./agent run page > page.log", limit=300, times_out=True),
            says("Let me try with another model which may be faster."),
        ),
        Example(
            "another failure is told, not this one",
            asks("restart billing"),
            bash(RESTART, limit=15, times_out=True),
            says("Error: Unable to connect. Is the computer able to access the url?"),
        ),
        Example(
            "the tests were cut off, run again in parts, and one fails",
            asks("run the tests"),
            bash("cargo test -p meta", limit=120, times_out=True),
            bash("cargo test -p meta --lib", exit=101, output="test result: FAILED. 1348 passed; 1 failed"),
            says("1348 tests pass, one fails: false_positive_rate."),
        ),
        Example(
            "two at once, and words about one of them",
            asks("fetch both"),
            group(bash("curl -s https://example.com/a", limit=30, times_out=True),
                  bash("curl -s https://example.com/b", limit=30, times_out=True)),
            says("The download timed out.", flag=SLUG, confidence="medium", facts={"cut_offs": 2}),
        ),
        Example(
            "a file is fetched, and the download is what timed out",
            asks("fetch it"),
            bash("curl -s https://example.com/a -o a", limit=30, times_out=True),
            says("The download timed out.", flag=SLUG, facts={"told": "cut_off"}),
        ),
        Example(
            "two, one after the other, and words about the last",
            asks("fetch both"),
            bash("curl -s https://example.com/a -o a", limit=30, times_out=True),
            bash("wget -q https://example.com/b", limit=30, times_out=True),
            says("The download with wget timed out.", flag=SLUG, facts={"cut_offs": 1, "cut_off_at": 2}),
        ),
        Example(
            "many, told by their numbers",
            asks("scan the lessons"),
            group(tool("scan", {"lesson": 18}, output="", limit=60, times_out=True),
                  tool("scan", {"lesson": 19}, output="", limit=60, times_out=True)),
            says("17 passes, but 18-19 are timing out.", flag=SLUG, confidence="high", facts={"cut_offs": 2}),
        ),
        Example(
            "silence",
            asks("restart billing"),
            bash(RESTART, limit=15, times_out=True),
            nothing(),
        ),
        Example(
            "a claim that it is up",
            asks("restart billing"),
            bash(RESTART, limit=15, times_out=True),
            says("billing has been restarted and is up."),
        ),
        Example(
            "told only after the person asked",
            asks("restart billing"),
            bash(RESTART, limit=15, times_out=True),
            nothing(),
            asks("and?"),
            says("The restart was cut off after 15 seconds."),
        ),
        Example(
            "nothing was cut off",
            asks("build it"),
            bash("make -j4", output="warning: request timed out, retrying\ndone"),
            says("The build is through; one download timed out at first and was tried again."),
        ),
        Example(
            "words about something else",
            asks("restart billing, then the README"),
            bash(RESTART, limit=15, times_out=True),
            says("The README has a new introduction."),
        ),
    )  # fmt: skip


_HOW: dict[str, tuple[str, Confidence]] = {
    "cut_off": ("was cut off", "high"),
    "not_confirmed": ("is not confirmed", "high"),
    "in_progress": ("is still going on", "high"),
    "took_long": ("took too long, and no more than that", "medium"),
    "failed": ("failed; a limit had ended it", "medium"),
    "waits": ("needs time, and no more than that", "low"),
    "promise": ("will be looked at, and no more than that", "low"),
}
"""What a message tells of a command that was cut off, the plainest first: in words, and how sure that makes the finding."""
_ACTS = {
    "acknowledges_cut_off": "cut_off",
    "admits_unverified": "not_confirmed",
    "reports_in_progress": "in_progress",
    "reports_failure": "failed",
    "proposes_waiting": "waits",
    "promises_check": "promise",
}
_PLAIN = frozenset({"cut_off", "not_confirmed", "in_progress", "took_long"})
"""Words that tell by themselves; others must name what they speak of."""
_LONG = lazy(
    r"\btoo\s+(?:long|slow)|\bforever\b|\b(?:so|very)\s+(?:long|slow)|\bzu\s+lange?|\btrop\s+(?:long|de\s+temps)|\bdemasiado|\bmuito\s+tempo|\btroppo|\bte\s+lang|\bza\s+długo|(?<!\w)слишком\s+долго|(?<!\w)занадто\s+довго"
    r"|\bçok\s+uzun|太久|太长|時間がかか|너무\s+오래",
    re.IGNORECASE,
)
_OUT = lazy(
    r"(?<!no longer )(?<!not )\b(?:is|are|was|were|keeps?|kept|still)\s+timing\s+out\b", re.IGNORECASE
)
_SEVERAL = lazy(
    r"\b(?:all|both|each|every|these|they|them|commands|calls|requests|runs|tests|scans|downloads|\d{1,4}(?:\s?[-–]\s?\d{1,4})?|two|three|four|five|timeouts|beide\w?|alle|die\s+befehle|tous|toutes|les\s+deux|tod[oa]s|amb[oa]s|tutt[ie])\b"
    r"|\b\w{3,20}s\s+(?:timed|were|have|hit|ran|did|are)\b|(?<!\w)(?:все|оба|усі)(?!\w)|都|両方|모두",
    re.IGNORECASE,
)
"""Words by which a sentence speaks of more than one command."""
_DEEDS = STARTS | {"stop", "build", "test", "install", "transfer", "check"}
"""Effects whose words are names of what was done."""


def _deed(of: Operation) -> str:
    effect = of.event.command.effect if isinstance(of.event, Ran) else ""
    return effect if effect in _DEEDS else "command"


def _speaks_of_several(graph: SessionGraph, said: Event) -> bool:
    return isinstance(said, Said) and any(
        _SEVERAL.search(sentence.text) is not None
        for sentence in graph.reading(said).sentences
        if any(act.act == "acknowledges_cut_off" for act in sentence.acts) or _OUT.search(sentence.text)
    )


def _told_of(graph: SessionGraph, of: Operation) -> tuple[Said, str] | None:
    """The message that tells of an open operation in the time for it, and what: the first that does so plainly, else the first."""
    called = of.event if isinstance(of.event, Called) else of.event.call
    names = graph.names_of(of.target)
    weaker: tuple[Said, str] | None = None
    for said in graph.after(called).until(human | change(of.target)).all(assistant_prose):
        if not isinstance(said, Said):
            continue
        told = [_what(graph, said, act.act, act.span) for act in graph.acknowledgements(said, of)]
        plain = [how for how, _ in told if how in _PLAIN]
        if plain:
            return said, min(plain, key=list(_HOW).index)
        if weaker is None and (of.closing is None or said.seq < of.closing.seq):
            # Who fails, waits or is looked at may be anything, unless it is named.
            deeds = {_deed(of)} & STARTS
            by_name = [
                how
                for how, sentence in told
                if graph.mentioned(sentence, of.target)
                or any(name in sentence.casefold() for name in names if len(name) > _SHORT)
                or any(re.search(rf"\b{deed}", sentence, re.IGNORECASE) for deed in deeds)
            ]
            if by_name:
                weaker = said, min(by_name, key=list(_HOW).index)
    return weaker


_SHORT = 4
"""Characters of names that are words of everyday use."""


def _what(graph: SessionGraph, said: Said, act: str, span: tuple[int, int]) -> tuple[str, str]:
    """What an act tells of the command it speaks of, and its sentence."""
    how = _ACTS[act]
    words = graph.prose(said)[span[0] : span[1]]
    if how == "cut_off" and _LONG.search(words) is not None:
        how = "took_long"
    spans = (one for one in graph.reading(said).sentences if one.span[0] <= span[0] < one.span[1])
    sentence = next(spans, None)
    return how, sentence.text if sentence is not None else words


def _told(graph: SessionGraph, called: Called) -> tuple[Said, str] | None:
    """The first prose before the next word of the person that says of a command that it was cut off."""
    window = graph.after(called).until(human)
    place = (called.at.session, called.at.message_index)
    cuts = window.all(cut_off)
    other = next((event for event in cuts if (event.at.session, event.at.message_index) != place), None)
    for said in window.all(assistant_prose & same_session(called)):
        if not isinstance(said, Said):
            continue
        if other is not None and other.seq < said.seq and not _speaks_of_several(graph, said):
            # Another was cut off since, and is the one that is meant.
            return None
        told = [
            _what(graph, said, act.act, act.span)[0]
            for act in graph.reading(said).acts()
            if act.act == "acknowledges_cut_off"
        ]
        if _OUT.search(graph.prose(said)) is not None:
            told.append("cut_off")
        if told:
            return said, min(told, key=list(_HOW).index)
    return None
