"""The rule ``verified-change``."""

import re

from sessionlens.examples import Example, asks, bash, edit, says
from sessionlens.rule import (
    Finding,
    Iterator,
    Ran,
    Rule,
    Session,
    SessionGraph,
    dataclass,
    named,
    not_recorded,
)

SLUG = "verified-change"
EDIT = "ssh root@web1 \"sed -i 's/4g/8g/' /etc/billing/billing.conf\""
RESTART = "ssh root@web1 'systemctl restart billing'"
ACTIVE = "ssh root@web1 'systemctl is-active billing'"

_REFUSED = re.compile(r"""\s*\{\s*"error"\s*:\s*["{]""")
"""The answer of an interface that did not take a change."""
_NOTHING = re.compile(r"\s*(?:\[\s*\]|\{\s*\}|null)\s*")
"""An answer in which nothing is."""


def _shown(ran: Ran) -> str:
    output = ran.call.call.output
    return output.head if output is not None else ""


@dataclass(frozen=True, kw_only=True)
class VerifiedChange(Rule):
    """A production change was checked before the person wrote again.

    ## What it flags
    A check that tells how a production target, or a shared one of unknown environment, is after a change
    of its configuration, data or version. One finding a target and turn, at the last such check. It does not matter
    what the check found: looking is the good part. Reading a file back is not enough,
    nor is an answer that is empty (`[]`). A change that was refused is none.

    ## Why it matters
    What was changed is known to work, or known not to, by the one who changed it.

    ## What to do
    Nothing. It is how a change should be made, and a place to look at when another one was not.

    ## Facts
    - `target`: what was changed
    - `environment`: production or unknown
    - `changes`: how many changes of that turn were checked
    - `changed_at`: index of the message with the last of them
    - `found`: good, bad or unclear
    - `strength`: exercise, state or presence: how much the check tells
    """

    slug = SLUG
    kind = "good"
    severity = "info"
    since = "0.1"

    def checkable(self, session: Session) -> str | None:
        """Not on logs that leave out what was run and how it ended."""
        return not_recorded(session.source_format, "calls")

    def check(self, graph: SessionGraph) -> Iterator[Finding]:
        """One finding for each target of a turn."""
        covered: dict[tuple[int, str], list[tuple[Ran, Ran]]] = {}
        for ran, look in graph.checked_edits():
            if (
                ran.outcome.changed_nothing
                or _REFUSED.search(_shown(ran))
                or _NOTHING.fullmatch(_shown(look))
            ):
                continue
            covered.setdefault((look.turn, named(ran.command.target)), []).append((ran, look))
        for (_, name), pairs in covered.items():
            last, seen = pairs[-1]
            yield self.finding(
                seen,
                f"Checked {name} after {len(pairs)} changes: {seen.outcome.state or 'unclear'}"
                if len(pairs) > 1
                else f"Checked {name} after the change: {seen.outcome.state or 'unclear'}",
                because=[(change, "the change") for change, _ in pairs[-4:]],
                confidence="medium" if graph.setting(last).environment == "unknown" else "high",
                facts={
                    "target": last.command.target,
                    "environment": graph.setting(last).environment,
                    "changes": len(pairs),
                    "changed_at": last.at.message_index,
                    "found": seen.outcome.state,
                    "strength": seen.command.check_strength,
                },
                about=name,
            )

    examples = (
        Example(
            "edited, restarted, and looked at",
            asks("give billing 8 GB"),
            bash(EDIT),
            bash(RESTART),
            bash(ACTIVE, output="active", flag=SLUG, facts={"found": "good", "changes": 1, "changed_at": 1}),
            says("billing runs with 8 GB."),
        ),
        Example(
            "the check is in the same command line",
            asks("reload haproxy with the new backend"),
            bash(
                "ssh root@lb1 \"sed -i 's/web1/web2/' /etc/haproxy/haproxy.cfg && haproxy -c -f /etc/haproxy/haproxy.cfg "
                '&& systemctl reload haproxy && systemctl is-active haproxy"',
                output="Configuration file is valid\nactive",
                flag=SLUG,
            ),
            says("haproxy is active with the new backend."),
        ),
        Example(
            "the check finds it bad",
            asks("give billing 8 GB"),
            bash(EDIT),
            bash(RESTART),
            bash(ACTIVE, exit=3, output="failed", flag=SLUG, facts={"found": "bad"}),
            says("billing does not start with 8 GB."),
        ),
        Example(
            "a table that was changed is queried",
            asks("set retries to 5 in production"),
            bash("psql -h db.prod.internal -d shop -c 'UPDATE settings SET retries = 5'", output="UPDATE 1"),
            bash("psql -h db.prod.internal -d shop -c 'SELECT retries FROM settings'", output=" retries\n---------\n 5\n(1 row)",
                 flag=SLUG),
            says("retries is 5."),
        ),
        Example(
            "two edits, one look",
            asks("more memory and more workers"),
            bash(EDIT),
            bash("ssh root@web1 \"sed -i 's/w=2/w=4/' /etc/billing/billing.conf\""),
            bash(RESTART),
            bash(ACTIVE, output="active", flag=SLUG, facts={"changes": 2, "changed_at": 2}),
            says("Both are in and billing is active."),
        ),
        Example(
            "a deletion, and the thing is there no more",
            asks("delete the old deployment in production"),
            bash("kubectl --context prod -n shop delete deployment legacy", output='deployment.apps "legacy" deleted'),
            bash("kubectl --context prod -n shop get deployment legacy", exit=1,
                 output='Error from server (NotFound): deployments.apps "legacy" not found', flag=SLUG, facts={"found": "good"}),
            says("legacy is gone."),
        ),
        Example(
            "a deletion, and the list still shows the thing",
            asks("delete the old container on web1"),
            bash("ssh root@web1 'docker rm -f legacy'", output="legacy"),
            bash("ssh root@web1 'docker ps -a'", flag=SLUG, facts={"found": "bad"},
                 output="CONTAINER ID   IMAGE    COMMAND   CREATED      STATUS      PORTS   NAMES\n1a2b3c4d5e6f   app:1    \"x\"       2 days ago   Up 2 days   80/tcp  legacy"),
            says("It is still there."),
        ),
        Example(
            "a deletion, and the list went through what hides most of it",
            asks("delete the old folder on web1, yes, for good"),
            bash("ssh root@web1 'rm -rf /srv/legacy'"),
            bash("ssh root@web1 'ls /srv | head -2'", output="app\nbin"),
            says("Done."),
        ),
        Example(
            "nothing looked at it",
            asks("give billing 8 GB"),
            bash(EDIT),
            bash(RESTART),
            says("billing has 8 GB now."),
        ),
        Example(
            "only read back",
            asks("give billing 8 GB"),
            bash(EDIT),
            bash("ssh root@web1 'cat /etc/billing/billing.conf'", output="mem=8g"),
            says("The file says 8 GB."),
        ),
        Example(
            "the look came after the person's next word",
            asks("give billing 8 GB"),
            bash(EDIT),
            bash(RESTART),
            says("Done."),
            asks("is it up?"),
            bash(ACTIVE, output="active"),
            says("It is."),
        ),
        Example(
            "a source file in the working copy",
            asks("fix the sum"),
            edit("/home/dev/project/pay.py"),
            bash("pytest -q", output="42 passed"),
            says("The sum is right, and the tests pass."),
        ),
        Example(
            "the change was refused",
            asks("set the model in production"),
            bash("curl -s -X PATCH https://api.prod.internal/v1/env/12 -d '{\"type\":\"plain\"}'",
                 output='{"error":{"code":"BAD_REQUEST","message":"You cannot change the type."}}'),
            bash("curl -s https://api.prod.internal/v1/env/12", output='{"id":12,"type":"sensitive"}'),
            says("It was not taken."),
        ),
        Example(
            "the answer to the look is empty",
            asks("add the retries in production"),
            bash("curl -s -X POST https://api.prod.internal/v1/env -d '{\"retries\":5}'", output='{"id":12}'),
            bash("curl -s https://api.prod.internal/v1/env/12", output="[]"),
            says("Let me see why it is empty."),
        ),
        Example(
            "a look at something else",
            asks("give billing 8 GB"),
            bash(EDIT),
            bash("ssh root@web1 'systemctl is-active nginx'", output="active"),
            says("nginx is active."),
        ),
        Example(
            "staging",
            asks("try it on staging"),
            bash("ssh root@staging1 \"sed -i 's/4g/8g/' /etc/billing/billing.conf\""),
            bash("ssh root@staging1 'systemctl restart billing && systemctl is-active billing'", output="active"),
            says("It runs on staging."),
        ),
    )  # fmt: skip
