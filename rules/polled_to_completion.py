"""The rule ``polled-to-completion``."""

from sessionlens.examples import Example, asks, bash, says
from sessionlens.rule import (
    Called,
    Event,
    Finding,
    Iterator,
    Operation,
    Ran,
    Rule,
    Session,
    SessionGraph,
    change,
    dataclass,
    human,
    in_words,
    named,
    not_recorded,
    polls,
    same_operation,
    told_state,
)

SLUG = "polled-to-completion"
LAUNCH = "ssh root@gpu1 'nohup ./serve.sh > serve.log 2>&1 &'"
HEALTH = "ssh root@gpu1 'curl -fsS http://localhost:8000/health'"


@dataclass(frozen=True, kw_only=True)
class PolledToCompletion(Rule):
    """The assistant kept looking at something it had left running until it was known to be good.

    ## What it flags
    The look that found an open operation come to a good end, where it was not the first look at it and no word of
    the person came in between: a service that was started in the background, a restart that was cut off, a job
    of the client that was polled.

    ## Why it matters
    One look too early tells nothing; the end is known, and nobody had to ask.

    ## What to do
    Nothing. It is how something that takes its time should be handled.

    ## Facts
    - `target`: what was looked at
    - `opened_by`: cut_off, detached, connection_lost, running
    - `looks`: how many times it was looked at, the last one included
    - `waited_ms`: from its start to the look that settled it, null where the log has no times
    """

    slug = SLUG
    kind = "good"
    severity = "info"
    since = "0.1"

    least_looks: int = 2
    """Fewer looks than this are no polling."""

    def checkable(self, session: Session) -> str | None:
        """Not on logs that leave out what was run and how it ended."""
        return not_recorded(session.source_format, "calls")

    def check(self, graph: SessionGraph) -> Iterator[Finding]:
        """One finding for each operation that was followed to its end."""
        for operation in graph.ledger:
            event = operation.event
            call = event.call if isinstance(event, Ran) else event
            if operation.opened_by == "interrupted":
                continue
            window = graph.after(call).until(human | change(operation.target))
            looks: list[Event] = []
            for look in window.all(told_state(operation.target) | (polls & same_operation(call))):
                # Several looks of one command line are one.
                if not looks or _call(looks[-1]) is not _call(look):
                    looks.append(look)
                if _good(look):
                    if len(looks) >= self.least_looks:
                        yield self._found(graph, operation, looks, look)
                    break

    def _found(
        self, graph: SessionGraph, operation: Operation, looks: list[Event], settled: Event
    ) -> Finding:
        begun, over = graph.moment(operation.event), graph.finished(settled)
        waited = over - begun if begun is not None and over is not None and over >= begun else None
        took = f" after {in_words(waited)}" if waited is not None else ""
        return self.finding(
            settled,
            f"Looked at {named(operation.target)} {len(looks)} times, until it was known to be good{took}",
            because=[
                (operation.event, "what was left open"),
                *((look, "a look that did not settle it") for look in looks[:-1][:3]),
            ],
            facts={
                "target": operation.target,
                "opened_by": operation.opened_by,
                "looks": len(looks),
                "waited_ms": waited,
            },
            about=str(operation.event.seq),
        )

    examples = (
        Example(
            "a server in the background, looked at until it answers",
            asks("start the model server"),
            bash(LAUNCH),
            bash(HEALTH, exit=7, output="curl: (7) Failed to connect to localhost port 8000: Connection refused"),
            bash(f"sleep 30; {HEALTH}", exit=7, output="curl: (7) Failed to connect to localhost port 8000: Connection refused"),
            bash(f"sleep 60; {HEALTH}", output='{"status":"ok"}', flag=SLUG, facts={"looks": 3, "opened_by": "detached"}),
            says("It answers now."),
        ),
        Example(
            "a restart that was cut off",
            asks("restart billing"),
            bash("ssh root@web1 'systemctl restart billing'", limit=15, times_out=True),
            bash("ssh root@web1 'systemctl is-active billing'", exit=3, output="activating"),
            bash("ssh root@web1 'systemctl is-active billing'", output="active", flag=SLUG, facts={"looks": 2}),
            says("billing is active; the restart took longer than the limit."),
        ),
        Example(
            "a rollout",
            asks("roll out the new image"),
            bash("kubectl --context prod rollout restart deployment/cart && kubectl --context prod rollout status deployment/cart",
                 output="deployment.apps/cart restarted\nWaiting for deployment \"cart\" rollout to finish: 0 of 3", limit=30, times_out=True),
            bash("kubectl --context prod get deployment cart", output="NAME READY UP-TO-DATE AVAILABLE AGE\ncart 0/3 1 0 9d"),
            bash("kubectl --context prod rollout status deployment/cart", output='deployment "cart" successfully rolled out',
                 flag=SLUG),
            says("cart is rolled out."),
        ),
        Example(
            "looked at with words in between",
            asks("start the worker"),
            bash("ssh root@w1 'systemctl start --no-block worker'"),
            bash("ssh root@w1 'systemctl is-active worker'", exit=3, output="activating"),
            says("Still starting; I look again in a minute.", finish="tool-calls"),
            bash("sleep 60; ssh root@w1 'systemctl is-active worker'", output="active", flag=SLUG),
            says("worker is active."),
        ),
        Example(
            "a database that takes its time",
            asks("restart postgres"),
            bash("ssh root@db1 'systemctl restart postgresql'", limit=20, times_out=True),
            bash("ssh root@db1 'systemctl is-active postgresql'", exit=3, output="activating"),
            bash("ssh root@db1 'systemctl is-active postgresql'", exit=3, output="activating"),
            bash("ssh root@db1 'systemctl is-active postgresql'", output="active", flag=SLUG, facts={"looks": 3}),
            says("postgresql is active again."),
        ),
        Example(
            "good at the first look",
            asks("restart billing"),
            bash("ssh root@web1 'systemctl restart billing'", limit=15, times_out=True),
            bash("ssh root@web1 'systemctl is-active billing'", output="active"),
            says("billing is active."),
        ),
        Example(
            "given up before it was good",
            asks("start the model server"),
            bash(LAUNCH),
            bash(HEALTH, exit=7, output="curl: (7) Failed to connect to localhost port 8000: Connection refused"),
            bash(HEALTH, exit=7, output="curl: (7) Failed to connect to localhost port 8000: Connection refused"),
            says("It does not answer."),
        ),
        Example(
            "the person had to ask",
            asks("restart billing"),
            bash("ssh root@web1 'systemctl restart billing'", limit=15, times_out=True),
            bash("ssh root@web1 'systemctl is-active billing'", exit=3, output="activating"),
            says("It is still starting."),
            asks("is it up?"),
            bash("ssh root@web1 'systemctl is-active billing'", output="active"),
            says("Yes, active."),
        ),
        Example(
            "nothing was left open",
            asks("restart billing"),
            bash("ssh root@web1 'systemctl restart billing'"),
            bash("ssh root@web1 'systemctl is-active billing'", exit=3, output="activating"),
            bash("ssh root@web1 'systemctl is-active billing'", output="active"),
            says("billing is active."),
        ),
        Example(
            "looks at something else",
            asks("restart billing"),
            bash("ssh root@web1 'systemctl restart billing'", limit=15, times_out=True),
            bash("ssh root@web1 'systemctl is-active nginx'", output="active"),
            bash("ssh root@web1 'df -h'", output="/dev/sda1 40G 31G"),
            says("nginx is fine."),
        ),
    )  # fmt: skip


def _call(event: Event) -> Event:
    """The call that an event is, or belongs to."""
    return event.call if isinstance(event, Ran) else event


def _good(event: Event) -> bool:
    """Whether a look found it good, or a poll shows that the process ended with success."""
    if isinstance(event, Ran):
        return event.outcome.state == "good" and not event.outcome.in_progress
    return isinstance(event, Called) and event.call.exit == 0
