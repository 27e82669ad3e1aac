"""The rule ``acknowledged-timeout``."""

from sessionlens.examples import Example, asks, bash, group, nothing, says, tool
from sessionlens.rule import (
    Called,
    Event,
    Finding,
    Iterator,
    Operation,
    Rule,
    Said,
    Session,
    SessionGraph,
    assistant_prose,
    cut_off,
    dataclass,
    human,
    named,
    not_recorded,
    same_session,
    speaks,
)

SLUG = "acknowledged-timeout"
RESTART = "ssh root@web1 'systemctl restart billing'"


@dataclass(frozen=True, kw_only=True)
class AcknowledgedTimeout(Rule):
    """A time limit ended a command, and the assistant told the person so.

    ## What it flags
    The message that tells, before the next word of the person, that a command was ended by a limit, is still going on
    or is not confirmed. Where the command left an operation open, the words must be about that one; for any other
    command they must say that it was cut off.

    ## Why it matters
    The person knows that the state is not known, and can decide.

    ## What to do
    Nothing. It is how a cut-off should be handled, and a place to look at when another one was not.

    ## Facts
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
        told: dict[int, list[Called]] = {}
        for event in graph.span().all(cut_off):
            if isinstance(event, Called) and event.cut_off is not None:
                of = opened.get(event.seq)
                said = graph.handling(of).told if of is not None else _told(graph, event)
                if said is not None:
                    told.setdefault(said.seq, []).append(event)
        for seq, calls in told.items():
            yield self._found(graph, graph.events[seq], calls, opened.get(calls[0].seq))

    def _found(self, graph: SessionGraph, said: Event, calls: list[Called], of: Operation | None) -> Finding:
        first = calls[0]
        cut = first.cut_off
        target = of.target if of is not None and of.target.name else None
        what = named(target) if target is not None else (first.line or first.call.name).split("\n")[0][:60]
        many = f" and {len(calls) - 1} more" if len(calls) > 1 else ""
        return self.finding(
            said,
            f"Told the person that {what}{many} {_how(graph, said)}",
            because=[
                (call, "the limit that ended it", call.cut_off.quote if call.cut_off is not None else "")
                for call in calls[:6]
            ],
            # A part that was not read may take it back, and words of an unknown role may be the person's.
            confidence="low"
            if isinstance(said, Said) and (said.message.partly_read or not said.role_known)
            else "high"
            if speaks(*_PLAINLY).fulfilled(graph, said)
            else "medium",
            facts={
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


_HOW = {
    "acknowledges_cut_off": "was cut off",
    "reports_in_progress": "is still going on",
    "admits_unverified": "is not verified",
    "reports_failure": "did not work",
    "promises_check": "will be looked at",
    "proposes_waiting": "needs time",
}
"""What a message tells of a command that was cut off, the plainest first."""
_PLAINLY = ("acknowledges_cut_off", "reports_in_progress", "admits_unverified")


def _how(graph: SessionGraph, said: Event) -> str:
    return next((words for act, words in _HOW.items() if speaks(act).fulfilled(graph, said)), "was cut off")


def _told(graph: SessionGraph, called: Called) -> Said | None:
    """The first prose before the next word of the person that says of any command that it was cut off."""
    window = graph.after(called).until(human)
    for said in window.all(assistant_prose & same_session(called)):
        if isinstance(said, Said) and any(
            act.act == "acknowledges_cut_off" for act in graph.reading(said).acts()
        ):
            return said
    return None
