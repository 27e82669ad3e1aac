"""The rule ``user-interrupt``."""

from sessionlens.examples import Example, asks, bash, edit, nothing, says
from sessionlens.rule import (
    Called,
    Event,
    Finding,
    Iterator,
    Rule,
    Said,
    Session,
    SessionGraph,
    as_code,
    dataclass,
    human,
    in_words,
    interrupted,
    not_recorded,
)

SLUG = "user-interrupt"

_ACTS = {
    "complaint": "a complaint",
    "constrains": "a limit",
    "new_direction": "another wish",
    "asks_state": "a question how it stands",
    "continuation": "a word to go on",
    "authorises": "leave",
    "confirmation": "agreement",
}


@dataclass(frozen=True, kw_only=True)
class UserInterrupt(Rule):
    """The person stopped the agent.

    ## What it flags
    A call or a message that the person stopped; one finding for each time. What ran, for how long, and what the
    person wrote next.

    ## Why it matters
    It is where a person saw that something went wrong, or took too long. What was stopped may have been left half
    done.

    ## What to do
    Look at what ran, and whether anything looked at its state afterwards.

    ## Facts
    - `tool`: tool that ran, or null where the assistant was writing
    - `command`: its command line, or null
    - `ran_ms`: how long it had run, null where the log has no times
    - `changes`: whether it was changing something
    - `next_acts`: what the person's next words do, such as complaint, constrains, new_direction, continuation
    - `next_at`: index of the person's next message, or null
    """

    slug = SLUG
    kind = "signal"
    severity = "info"
    since = "0.1"

    def checkable(self, session: Session) -> str | None:
        """Not on logs that do not tell who stopped a call."""
        return not_recorded(session.source_format, "interruptions")

    def check(self, graph: SessionGraph) -> Iterator[Finding]:
        """One finding for each time."""
        stopped: dict[tuple[str, int], Event] = {}
        for event in graph.span().all(interrupted):
            stopped.setdefault((event.at.session, event.at.message_index), event)
        for turn in graph.turns:
            last = turn.messages[-1] if turn.messages else None
            # A message without text or call that only says that it was stopped belongs to the call before it.
            if last is not None and turn.interrupted and last.message.interruption:
                before = turn.calls[-1] if turn.calls else None
                key = (last.at.session, last.at.message_index)
                known = before is not None and (before.at.session, before.at.message_index) in stopped
                if key not in stopped and not known:
                    stopped[key] = last
        for event in sorted(stopped.values(), key=lambda one: one.seq):
            yield self._found(graph, event)

    def _found(self, graph: SessionGraph, event: Event) -> Finding:
        called = event if isinstance(event, Called) else None
        person = graph.after(event).first(human)
        acts = []
        if isinstance(person, Said):
            acts = sorted({act.act for act in graph.reading(person).acts()})
        ran = graph.took(event) if called is not None else None
        # A mark of the client alone does not tell what it ended: it stands as well where the person refused a call.
        marked = isinstance(event, Said) and event.role != "assistant"
        what = "the assistant" if marked else "the assistant's message"
        if called is not None:
            what = as_code(called.line or called.call.name)
        # Of words that do several things the note names none: which of them was the reason is not in the log.
        said = _ACTS.get(acts[0]) if len(acts) == 1 else None
        took = f" after {in_words(ran)}" if ran else ""
        return self.finding(
            event,
            f"The person stopped {what}{took}",
            note=f"What the person wrote next reads like {said}." if said else "",
            because=[(person, "what the person wrote next", graph.prose(person).strip())]
            if isinstance(person, Said)
            else [],
            facts={
                "tool": None if called is None else called.call.name,
                "command": None if called is None or called.line is None else called.line[:400],
                "ran_ms": ran,
                "changes": called is not None and any(ran.changes for ran in graph.commands(called)),
                "next_acts": acts,
                "next_at": None if person is None else person.at.message_index,
            },
        )

    examples = (
        Example(
            "a restart is stopped, and the person complains",
            asks("look into billing"),
            bash("ssh root@web1 'systemctl restart billing'", interrupted=True, took=8, flag=SLUG,
                 facts={"tool": "bash", "ran_ms": 8000, "changes": True, "next_at": 2}),
            asks("no! I said look, not restart"),
            says("I only look from here on."),
        ),
        Example(
            "the assistant is stopped while it writes",
            asks("explain the module"),
            nothing(finish=None, error="MessageAbortedError The operation was aborted.", completed=True, flag=SLUG,
                    facts={"tool": None, "changes": False}),
            asks("shorter please"),
            says("It loads the settings."),
        ),
        Example(
            "stopped, and told to go on",
            asks("run the tests"),
            bash("pytest", interrupted=True, took=90, flag=SLUG, facts={"command": "pytest"}),
            asks("continue"),
            bash("pytest -q", output="42 passed"),
            says("All 42 pass."),
        ),
        Example(
            "nothing follows",
            asks("build it"),
            bash("make -j4", interrupted=True, flag=SLUG, facts={"next_at": None, "next_acts": []}),
        ),
        Example(
            "twice",
            asks("build it"),
            bash("make -j4", interrupted=True, flag=SLUG),
            asks("with less jobs"),
            bash("make -j2", interrupted=True, flag=SLUG),
            asks("leave it"),
            says("Left."),
        ),
        Example(
            "a limit ended it, not the person",
            asks("build it"),
            bash("make -j4", limit=60, times_out=True),
            says("The build was cut off after a minute."),
        ),
        Example(
            "the provider failed",
            asks("explain the module"),
            nothing(finish=None, error="APIError Overloaded"),
            asks("again"),
            says("It loads the settings."),
        ),
        Example(
            "the person only says to stop, and nothing ran",
            asks("change the port"),
            edit("/home/dev/project/app.toml"),
            says("The port is 81."),
            asks("stop there"),
            says("Stopped."),
        ),
        Example(
            "a command that kills another",
            asks("stop the server"),
            bash("kill -INT 4711"),
            says("Stopped."),
        ),
        Example(
            "a program says that it was interrupted",
            asks("run it"),
            bash("python job.py", exit=130, output="KeyboardInterrupt"),
            says("The job ended with a keyboard interrupt."),
        ),
    )  # fmt: skip
