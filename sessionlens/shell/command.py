"""One command that would really run, as CONTRACT §6 prints it, with what the graph needs besides."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Literal

import msgspec

from sessionlens.targets import Confidence, Environment, Target

RunsIf = Literal["always", "after_success", "after_failure"]
CheckStrength = Literal["exercise", "state", "read_back", "presence"]
How = Literal["dry", "waiting", "refused", "skipped", "nothing"]
"""How an answer says that nothing was done. ``dry``: it was only tried out; ``waiting``: somebody has to allow it;
``refused``; ``skipped``; ``nothing``: there was nothing it applied to."""
Effect = Literal[
    "check", "reboot", "restart", "reload", "scale", "stop", "deploy", "start", "migrate", "write_data",
    "configure", "edit", "delete", "install", "transfer", "create", "build", "test", "read", "none",
]  # fmt: skip

STARTS: frozenset[str] = frozenset({"reboot", "restart", "reload", "deploy", "start"})
"""Effects that (re)start something: what *unacknowledged-long-running-restart* speaks of."""
CHANGES: frozenset[str] = STARTS | {
    "scale", "stop", "migrate", "write_data", "configure", "edit", "delete", "install", "transfer", "create",
}  # fmt: skip
"""Effects that change a target (CONTRACT §1 *change*)."""


class Command(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One command that would really run."""

    words: tuple[str, ...]
    """Its words without the wrappers of :attr:`via`."""
    via: tuple[str, ...] = ()
    """The wrappers around it, outermost first, such as ``ssh root@gpu7``."""
    runs_if: RunsIf = "always"
    """Whether it runs only after success or failure of the one before it."""
    effect: Effect = "none"
    """What it does."""
    check_strength: CheckStrength | None = None
    """How strong a check it is, where it is one."""
    dry_run: bool = False
    """It only shows what it would do."""
    detached: bool = False
    """It goes on after the call returns."""
    long_running: bool = False
    """Known to outlast the usual limit (starts of servers, builds, deploys, test runs)."""
    target: Target = Target()
    """What it acts on."""
    environment: Environment = "unknown"
    """Which environment the target belongs to."""
    environment_reason: str = ""
    """What says so, in words: ``host over ssh``, ``path contains staging``."""
    environment_confidence: Confidence = "high"
    """How sure the environment is; :attr:`confidence` speaks of the reading of the command alone."""
    confidence: Confidence = "high"
    """How sure the reading is."""
    partly_parsed: bool = False
    """The line was broken; only its sound part was read."""
    folder: str | None = None
    """Folder that a ``cd`` of the line had entered; ``None`` for the session's own."""
    span: tuple[int, int] = (0, 0)
    """Start and end of the command in the line, in characters."""
    limit_s: float | None = None
    """Limit of a ``timeout N`` wrapper in seconds."""
    verdict_by_exit: bool = False
    """A check that tells its verdict by exit code even when it prints nothing (``test -f``, ``grep -q``)."""
    quiet: bool = False
    """Its output goes elsewhere (redirected or ``-q``), so silence shows nothing."""
    echoed: bool = False
    """An ``echo`` or ``printf`` prints its output, among its own words (``echo "web: $(systemctl is-active nginx)"``)."""
    restarts_in_effect: bool = False
    """Only puts an earlier edit into effect (``daemon-reload``, start, restart, reload, stop)."""
    also: tuple[Target, ...] = ()
    """Further names of the same thing that the command shows: port, process, log, unit file, container."""
    writes: str | None = None
    """Beginning of what it writes, where the command line holds it (heredoc, ``echo … >``)."""
    says: str | None = None
    """For a message to people (a post to a chat, a mail, a comment): its words, empty where the line does not hold them."""
    again: bool = False
    """It runs in every round of a loop, each time on the same target: of what it prints the last round counts."""
    each: bool = False
    """It acts on each of several hosts that the line does not name: a loop over a file, a pattern."""
    script: bool = False
    """A script or task whose name alone tells the effect (``./bin/restart.sh``, ``make deploy``)."""
    note: str = ""
    """Why the confidence is not high, or why the line was declined, in words."""

    @property
    def program(self) -> str:
        """The program without its folder; empty where there are no words."""
        return self.words[0].rsplit("/", 1)[-1] if self.words else ""


class Outcome(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What the result of a call shows about one of its commands."""

    reached: Literal["yes", "no", "unknown"] = "yes"
    """Whether the command began."""
    completed: Literal["yes", "no", "unknown"] = "unknown"
    """Whether the result shows that what it does came to its end (``successfully rolled out``)."""
    failed: bool = False
    """The result shows that it failed."""
    changed_nothing: bool = False
    """The result shows that a change did not take place (permission denied, no such file, syntax error)."""
    not_done: How | Literal[""] = ""
    """How the result says, without an error, that what the command was to do was not done (``shell/not_done.py``); empty
    where it says nothing of the kind. ``changed_nothing`` then holds too."""
    partly: bool = False
    """It failed, and its result shows that some of the change took place: one host of several, one object of many."""
    state: Literal["good", "bad", "unclear"] | None = None
    """For a check: what it shows of the target; ``None`` when it shows nothing and so is no check."""
    in_progress: bool = False
    """The result shows the target still on its way (``activating``, ``Loading weights 40%``)."""
    quote: str = ""
    """The piece of output that shows it, at most 200 characters, exact."""
    expired: bool = False
    """An in-command limit ran out (exit 124 of ``timeout``, also when echoed)."""
    unanswered: bool = False
    """A request that (re)starts something got no answer in time, so that what it asked for may go on: a gateway's
    time-out, a connection that broke before the answer. Of the same check on several hosts, one that gave no answer
    where others did."""
    among: tuple[str, ...] = ()
    """Of a loop that is read round by round: what the rounds are for of which one came to this, where the result does
    not show which. The others are then unclear."""
    also: tuple[Target, ...] = ()
    """Names of the target that the output shows: process id, port, container id."""
    ids: tuple[str, ...] = ()
    """For a change: ids that its result gives for what it made or began (a record, a deployment, a run)."""
    up_s: int | None = None
    """For how many seconds a look says that the host, or the youngest of what it lists, is up."""
    up_since: str = ""
    """For a look at a host: since when it says that it is up, as written there, without a zone."""
    log_time: str = ""
    """For a look at a log: the newest time that its lines carry, as written there (``shell/times.py``)."""
    rows: tuple[tuple[str, Literal["good", "bad", "unclear"]], ...] = ()
    """For a list of everything that runs (``docker ps``, ``pm2 list``): its rows, and what each shows; 200 at most."""
    content: str = ""
    """Beginning of the text that a command showed, where it tells names of things: a unit file, ``/etc/hosts``,
    an ssh configuration, a workflow, the current context. At most 8,000 characters."""


def calls_off(command: Command) -> bool:
    """Whether a command calls off what a machine was ordered to do later: a reboot or stop, or a job of ``at``."""
    if not command.words or command.dry_run:
        return False
    program = re.split(r"[/\\]", command.words[0])[-1].casefold().removesuffix(".exe")
    rest = [word.casefold() for word in command.words[1:]]
    if program == "systemctl":
        return any(
            word in ("--when=cancel", "--when=") or pair == ("--when", "cancel")
            for word, pair in zip(rest, [*pairwise(rest), ("", "")], strict=True)
        )
    if program == "atrm" or (program == "at" and {"-d", "-r"} & set(rest)):
        return True
    return program == "shutdown" and any(word in ("/a", "-a", "-c") for word in rest)


_FILE_TESTS: dict[str, frozenset[str]] = {
    **dict.fromkeys(("nginx", "openresty", "tengine", "sshd", "httpd", "apache2", "keepalived", "php-fpm"), frozenset({"-t", "-T", "-tq", "-qt"})),
    **dict.fromkeys(("apachectl", "apache2ctl", "service", "invoke-rc.d"), frozenset({"configtest", "-t", "checkconfig"})),
    **dict.fromkeys(("haproxy", "visudo", "nft"), frozenset({"-c", "--check"})),
    **dict.fromkeys(("promtool", "postfix"), frozenset({"check"})),
    **dict.fromkeys(("vector", "otelcol", "caddy"), frozenset({"validate", "adapt"})),
    "amtool": frozenset({"check-config"}),
    "squid": frozenset({"parse", "-kparse"}),
    "varnishd": frozenset({"-C"}),
    "rsyslogd": frozenset({"-N1", "-N"}),
    "dovecot": frozenset({"-n"}),
    "envoy": frozenset({"validate"}),
    "telegraf": frozenset({"--test"}),
    "systemd-analyze": frozenset({"verify"}),
    **dict.fromkeys(("named-checkconf", "named-checkzone", "unbound-checkconf", "testparm", "slaptest", "nsd-checkconf"), frozenset({""})),
}  # fmt: skip
"""Programs that test files of configuration, with the words by which they do."""


def tests_files(command: Command) -> bool:
    """Whether a check only tests files of configuration: it tells nothing of what runs."""
    if not command.words:
        return False
    signs = _FILE_TESTS.get(re.sub(r"[\d.]+$", "", command.program))
    return signs is not None and ("" in signs or not signs.isdisjoint(command.words[1:]))
