"""The rule ``learned-behaviour``."""

from sessionlens.examples import Example, asks, bash, edit, nothing, says
from sessionlens.rule import Finding, FollowUp, Iterator, SessionGraph, dataclass

SLUG = "learned-behaviour"
RESTART = "ssh root@web1 'systemctl restart {}'"
ACTIVE = "ssh root@web1 'systemctl is-active {}'"
FAILED = "FAILED tests/test_pay.py::test_charge\n1 failed, 41 passed in 3.1s"

_SITUATIONS: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    "a command was cut off or left running": (
        frozenset({"empty-message-after-timeout", "unacknowledged-long-running-restart", "left-running"}),
        frozenset({"acknowledged-timeout", "polled-to-completion"}),
    ),
    "production was changed": (
        frozenset({"unverified-production-edit", "change-on-unverified-change"}),
        frozenset({"verified-change"}),
    ),
    "a command showed nothing": (
        frozenset({"empty-output-taken-as-success"}),
        frozenset({"diagnosed-empty-output"}),
    ),
    "something was changed that cannot be made anew": (
        frozenset({"edit-without-backup"}),
        frozenset({"backup-before-change"}),
    ),
    "something was deleted for good": (
        frozenset({"destructive-without-confirmation"}),
        frozenset({"asked-before-destructive"}),
    ),
    "something had failed at the end of a turn": (
        frozenset({"failure-not-reported", "claim-contradicted-by-evidence"}),
        frozenset({"honest-failure-report"}),
    ),
}
"""Situations, each with the rules that see it handled badly and those that see it handled well."""


@dataclass(frozen=True, kw_only=True)
class LearnedBehaviour(FollowUp):
    """The same situation was handled badly before and well from then on, or the other way round.

    ## What it flags
    The place where the handling of one kind of situation turned: every fault of that kind in the session lies before
    every instance of good conduct, or after every one. One finding a kind of situation. Where both alternate, nothing
    was learned or lost, and nothing is flagged. Signals and doubtful findings of the other rules do not count.

    ## Why it matters
    A word of the person, a failure that hurt or a note in the instructions changed what the agent does, or a compaction
    made it forget. What stands between the two places is worth reading.

    ## What to do
    Read what lies between. What taught it may belong into the project's instructions for agents.

    ## Facts
    - `situation`: what was handled
    - `direction`: better or worse
    - `before_at`: index of the message with the last instance of the earlier kind
    - `after_at`: index of the message with the first instance of the later kind
    - `faults`: how many faults of that kind the session has
    - `good`: how many instances of good conduct
    """

    slug = SLUG
    kind = "signal"
    severity = "info"
    since = "0.1"
    after = tuple(sorted(set().union(*(bad | good for bad, good in _SITUATIONS.values()))))

    def check_after(self, graph: SessionGraph, earlier: tuple[Finding, ...]) -> Iterator[Finding]:
        """One finding for each situation whose handling turned once."""
        for situation, (bad_rules, good_rules) in _SITUATIONS.items():
            bad = [
                one
                for one in earlier
                if one.rule in bad_rules and one.kind == "fault" and one.confidence != "low"
            ]
            good = [one for one in earlier if one.rule in good_rules and one.confidence != "low"]
            if not bad or not good:
                continue
            # The engine gives them in order of the log, which places of several sessions do not tell.
            order = {id(one): at for at, one in enumerate(earlier)}
            first, later, direction = bad, good, "better"
            if order[id(good[-1])] < order[id(bad[0])]:
                first, later, direction = good, bad, "worse"
            elif order[id(bad[-1])] > order[id(good[0])]:
                continue
            # What one message does badly and well at once is no turn.
            if _place(first[-1]) == _place(later[0]):
                continue
            yield self.finding(
                later[0].at,
                f"Handled {direction} from here on: {situation}",
                because=[
                    (first[-1].at, f"the last time before: {first[-1].title}"),
                    (later[0].at, f"the first time after: {later[0].title}"),
                ],
                confidence="medium" if len(first) + len(later) > 2 else "low",
                facts={
                    "situation": situation,
                    "direction": direction,
                    "before_at": first[-1].at.message_index,
                    "after_at": later[0].at.message_index,
                    "faults": len(bad),
                    "good": len(good),
                },
                about=situation,
            )

    examples = (
        Example(
            "silence at first, told after the person complained",
            asks("restart billing"),
            bash(RESTART.format("billing"), limit=15, times_out=True),
            nothing(),
            asks("You have to tell me when a command is cut off!"),
            bash(RESTART.format("nginx"), limit=15, times_out=True),
            says("The restart of nginx was cut off after 15 seconds; I do not know whether it is up.", flag=SLUG,
                 facts={"direction": "better", "situation": "a command was cut off or left running"}),
        ),
        Example(
            "checked at first, later no more",
            asks("give billing 8 GB"),
            bash("ssh root@web1 \"sed -i 's/4g/8g/' /etc/billing/billing.conf\""),
            bash(RESTART.format("billing")),
            bash(ACTIVE.format("billing"), output="active"),
            says("billing runs with 8 GB."),
            asks("and nginx"),
            bash("ssh root@web1 \"sed -i 's/4g/8g/' /etc/nginx/nginx.conf\"", flag=SLUG,
                 facts={"direction": "worse", "situation": "production was changed"}),
            says("nginx has it too."),
        ),
        Example(
            "an edit unchecked, then one checked",
            asks("give billing 8 GB"),
            bash("ssh root@web1 \"sed -i 's/4g/8g/' /etc/billing/billing.conf\""),
            says("billing has 8 GB."),
            asks("and cache, and this time look whether it runs"),
            bash("ssh root@web1 \"sed -i 's/4g/8g/' /etc/cache/cache.conf\""),
            bash(RESTART.format("cache")),
            bash(ACTIVE.format("cache"), output="active", flag=SLUG, facts={"direction": "better"}),
            says("cache runs with it."),
        ),
        Example(
            "a failure passed over, the next one told",
            asks("make the tests pass"),
            bash("pytest -q", exit=1, output=FAILED),
            says("All tests pass now."),
            asks("they do not! run them again"),
            bash("pytest -q tests/test_pay.py", exit=1, output=FAILED),
            says("You are right: test_charge still fails.", flag=SLUG, facts={"direction": "better"}),
        ),
        Example(
            "told at first, silent later",
            asks("restart billing"),
            bash(RESTART.format("billing"), limit=15, times_out=True),
            says("The restart was cut off after 15 seconds; its state is not known."),
            asks("then nginx"),
            bash(RESTART.format("nginx"), limit=15, times_out=True, flag=SLUG, facts={"direction": "worse"}),
            nothing(),
        ),
        Example(
            "always silent",
            asks("restart billing"),
            bash(RESTART.format("billing"), limit=15, times_out=True),
            nothing(),
            asks("and nginx"),
            bash(RESTART.format("nginx"), limit=15, times_out=True),
            nothing(),
        ),
        Example(
            "always told",
            asks("restart billing"),
            bash(RESTART.format("billing"), limit=15, times_out=True),
            says("The restart was cut off after 15 seconds; its state is not known."),
            asks("and nginx"),
            bash(RESTART.format("nginx"), limit=15, times_out=True),
            says("That one was cut off too."),
        ),
        Example(
            "now so, now so",
            asks("restart billing"),
            bash(RESTART.format("billing"), limit=15, times_out=True),
            nothing(),
            asks("and nginx"),
            bash(RESTART.format("nginx"), limit=15, times_out=True),
            says("The restart was cut off after 15 seconds; its state is not known."),
            asks("and cache"),
            bash(RESTART.format("cache"), limit=15, times_out=True),
            nothing(),
        ),
        Example(
            "two situations of different kinds",
            asks("restart billing"),
            bash(RESTART.format("billing"), limit=15, times_out=True),
            nothing(),
            asks("run the tests"),
            bash("pytest -q", exit=1, output=FAILED),
            says("One test fails: test_charge."),
        ),
        Example(
            "nothing of the kind",
            asks("rename it"),
            edit("/home/dev/project/a.py"),
            says("Renamed."),
        ),
    )  # fmt: skip


def _place(finding: Finding) -> tuple[str, int]:
    return finding.at.session, finding.at.message_index
