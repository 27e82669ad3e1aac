"""The rule ``retry-without-change``."""

import json
import re

from sessionlens.examples import Example, asks, bash, edit, says, tool, waits
from sessionlens.rule import (
    Called,
    Confidence,
    Finding,
    FollowUp,
    Iterator,
    Ran,
    Reason,
    Said,
    SentAgain,
    Session,
    SessionGraph,
    Severity,
    by_environment,
    clipped,
    dataclass,
    in_words,
    lazy,
    lower,
    most_exposed,
    not_recorded,
)

SLUG = "retry-without-change"
PULL = "docker pull registry.example.com/team/api:9"
DENIED = "Error response from daemon: pull access denied for team/api"
HELD = "Waiting for cache lock: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 1234 (unattended-upgr)"
PUSH = "git push origin main"

_MERGED = lazy(r"\s*2>&1")
_TAIL = lazy(
    r"\s*(?:(?<!\|)\|\s*(?:head|tail|grep|egrep|rg|tee|sort|uniq|cut|wc|less|cat)\b[^|&;<>]*|(?:;|\|\||&&)\s*(?:echo|printf|true|:)\b[^|&;<>]*)$"
)
"""What may stand behind an operation without making it another: a filter, a printed exit code."""
_LOOKS = frozenset({"ls", "cat", "head", "tail", "grep", "rg", "find", "cd", "pwd", "echo", "printf", "which", "type", "stat", "wc", "env",
                    "printenv", "date", "whoami", "id", "file", "tree", "du", "df", "ps", "jq", "awk", "diff", "true", "test", "["})  # fmt: skip
_PROBES = frozenset({"grep", "egrep", "rg", "diff", "cmp", "test", "[", "which", "type", "command", "find", "ls", "pgrep", "kill", "pkill",
                     "killall", "stat", "cat"})  # fmt: skip
"""Programs whose exit code 1 is an answer."""
_REFUSED = lazy(
    r"blocked by|rejected by|denied by (?:the )?(?:user|policy|hook)|permission to use|doesn't want to proceed|does not want to proceed"
    r"|user (?:rejected|declined|denied|cancel)|requires? approval|hook|has not been read|not read",
    re.IGNORECASE,
)
"""Words of a client that did not run a call."""
_FLAKY = lazy(
    r"time[d]?[ -]?out|temporary failure|connection (?:reset|closed|refused|aborted)|network|ECONN\w*|ETIMEDOUT|EAI_AGAIN|EOF|TLS|\b(?:429|502|503|504)\b"
    r"|rate.?limit|too many requests|overloaded|unavailable|try again|retry|could not resolve|unreachable|lock|busy|in use|in progress",
    re.IGNORECASE,
)
"""Failures that may pass by themselves: once more is no fault."""
_LOCKED = lazy(
    r"could not get lock|waiting for (?:\S+ ){0,4}lock|waiting for lock|blocking waiting for file lock|acquir\w* (?:the )?(?:state |exclusive )?lock|lock wait|is locked by|lock is held|held by process"
    r"|another (?:process|instance|app) .{0,40}(?:lock|running)|waiting for another",
    re.IGNORECASE,
)
"""Words of a program that waits until another one lets go."""
_SELF_MENDING = lazy(
    r"\bgit\s+commit\b|\bpre-commit\b|--fix\b|\bfmt\b|\bformat\b|\bapt(?:-get)?\b.*\block\b", re.IGNORECASE
)
"""Commands that change something themselves when they fail, such as hooks that mend what they found."""
_CUT_SHORT = frozenset({"claude-console", "opencode-run"})
"""Formats of terminals: they cut long commands short and leave most arguments out."""
_WAITED_MS = 20_000
"""Time that may help what passes by itself."""
_LONG_MS = 900_000
"""Time in which anything may have changed."""
_WHOLE = 100
"""Of a terminal's copy, lines with fewer characters are whole."""
_MANY = 4


@dataclass(frozen=True, kw_only=True)
class RetryWithoutChange(FollowUp):
    """What had failed or was cut off was run again, unchanged, and failed again; or it may now be done twice.

    ## What it flags
    A call that failed or was cut off, run again and failing again, with nothing in between that could have helped:
    no change, no installation, no other limit, no wait, no word of the person. Looks at other places in between do
    not count as a change, and neither do another filter behind the pipe or a printed exit code. What may pass by
    itself (a network, a rate limit, a lock) is flagged from the second retry on, and milder. A pair that `step-loop`
    or `change-on-unverified-change` reports already is not reported again. Not flagged: a retry that worked, one with
    more time or in the background, a re-run after an edit, polling, and searches without a match.

    Also what must not be done twice: a payment, a mail, a message, a ticket, an import, an order whose attempt was cut
    off, lost its connection or got no answer in time, begun again without a look at what had arrived, whether or not it
    came through then; and the very same payment, mail, message or ticket once more after one that had come through.
    Not flagged there: an attempt that takes up the first (`--resume`, the same idempotency key), one whose result shows
    that the other side knew it again, and where the person may want more than one.

    ## Why it matters
    The same thing will fail the same way: time goes by, and a limit that was too short stays too short. What was
    sent twice is paid or read twice.

    ## What to do
    Read the first failure. For the agent: change what the message names, or say that it cannot be done; look at what
    has arrived before sending again.

    ## Facts
    - `tries`: how many times it was run in a row by now, 2 for the first retry
    - `first_at`: index of the message with the first of them
    - `failed_by`: exit, error, limit or connection: how the last one ended; none where the first had come through
    - `limit_ms`: the limit that ended it, null where none did
    - `flaky`: whether the failure is of a kind that may pass by itself
    - `between`: how many other calls stood between the last two
    - `may_be_twice`: whether it is something that must not be done twice
    """

    slug = SLUG
    severity = "low"
    since = "0.1"
    after = ("change-on-unverified-change", "step-loop")

    least: int = 2
    """Flag from this many tries on; one more for what may pass by itself."""

    def checkable(self, session: Session) -> str | None:
        """Not on logs that leave out calls. Of a terminal's copy only short command lines are judged."""
        return not_recorded(session.source_format, "calls")

    def check_after(self, graph: SessionGraph, earlier: tuple[Finding, ...]) -> Iterator[Finding]:
        """One finding for each try that brought nothing."""
        cut_short = graph.session.source_format in _CUT_SHORT
        spots = {
            rule: {
                (finding.at.session, finding.at.message_index, finding.at.call_id)
                for finding in earlier
                if finding.rule == rule
            }
            for rule in self.after
        }
        told = spots["step-loop"]
        rows: dict[str, dict[tuple[str, ...], list[Called]]] = {}
        helped: dict[str, int] = {}
        doubled: set[int] = set()
        for twice in graph.sent_again:
            finding = self._twice(graph, twice)
            at = twice.again.at
            spot = (at.session, at.message_index, twice.again.call.id)
            if finding is not None and spot not in spots["change-on-unverified-change"]:
                doubled.add(twice.again.seq)
                yield finding
        for seq in sorted((*graph.index("called"), *graph.index("human"))):
            event = graph.events[seq]
            if isinstance(event, Said):
                rows.clear()
                continue
            if not isinstance(event, Called):
                continue
            tried = rows.setdefault(event.at.session, {})
            failed = _failed(graph, event)
            # Where nothing failed yet, no try can be repeated.
            known = (failed or tried) and not (cut_short and not _whole(event))
            form = _form(event, graph.session.directory) if known else ()
            row = tried.get(form, []) if form else []
            if failed and row and _no_help(graph, row[-1], event, helped.get(event.at.session, -1)):
                row = [*row, event]
                spot = (event.at.session, event.at.message_index, event.call.id)
                if len(row) >= self.least + _flaky(event) and spot not in told and event.seq not in doubled:
                    yield self._found(graph, row)
            else:
                row = [event] if failed else []
            if _may_change(graph, event):
                helped[event.at.session] = event.seq
            if form and row:
                tried[form] = row
            elif form:
                tried.pop(form, None)

    def _found(self, graph: SessionGraph, row: list[Called]) -> Finding:
        first, before, now = row[0], row[-2], row[-1]
        commands = graph.commands(now)
        environment = most_exposed(graph.setting(ran).environment for ran in commands if ran.changes)
        severity: Severity = by_environment(environment, production="medium", unknown="low", other="low")
        severity = "medium" if len(row) >= _MANY else severity
        flaky = _flaky(now)
        if flaky:
            severity = lower(severity)
        line = clipped(now.line or now.call.name)
        limit = now.cut_off.limit_ms if now.cut_off is not None else None
        because: list[Reason] = [(first, "the first try", _words(first))]
        if before.seq != first.seq:
            because.append((before, "the one before", _words(before)))
        because.append(
            (now, "failed again" if limit is None else f"cut off again at {in_words(limit)}", _words(now))
        )
        between = sum(isinstance(event, Called) for event in graph.events[before.seq + 1 : now.seq])
        return self.finding(
            now,
            f"Run again unchanged, and failed again ({len(row)} tries): {line}",
            because=because,
            severity=severity,
            confidence="high"
            if now.call.exit not in (0, None) or now.cut_off or now.call.status == "error"
            else "medium",
            facts={
                "tries": len(row),
                "first_at": first.at.message_index,
                "failed_by": _failed(graph, now),
                "limit_ms": limit,
                "flaky": flaky,
                "between": between,
                "may_be_twice": False,
            },
            about=str(len(row)),
        )

    def _twice(self, graph: SessionGraph, twice: SentAgain) -> Finding | None:
        """One that may have been done twice; none for rows of the agent's own machine."""
        now, ran = twice.again, twice.ran
        # What is said to people reaches them from wherever it is sent.
        sent = ran is None or (twice.through and ran.command.says is not None)
        environment = "unknown" if ran is None or sent else graph.setting(ran).environment
        if twice.sort == "data" and environment in ("local", "development"):
            return None
        severity: Severity = by_environment(environment, production="high", unknown="medium", other="medium")
        line = clipped(now.line or now.call.name)
        limit = twice.first.cut_off.limit_ms if twice.first.cut_off is not None else None
        over = "lost its connection" if twice.first.connection_lost else "got no answer"
        how = f"was cut off at {in_words(limit)}" if limit is not None else over
        own = environment in ("local", "development")
        confidence: Confidence = "low" if own else "medium"
        if twice.partly and environment == "production":
            confidence = "high"
        if twice.through:
            title, note = (
                f"Done a second time after the first had come through: {line}",
                "It is there twice now.",
            )
            before = "came through"
        else:
            title = f"Begun again without a look at what had come through before: {line}"
            note, before = "The part that had come through may now be there twice.", how
        ended = "limit" if twice.first.cut_off is not None else "connection"
        return self.finding(
            now,
            title,
            note=note,
            because=[(twice.first, f"the attempt before {before}", twice.quote)],
            severity=severity,
            confidence=confidence,
            kind="signal" if own else "fault",
            facts={
                "tries": 2,
                "first_at": twice.first.at.message_index,
                "failed_by": "none" if twice.through else ended,
                "limit_ms": limit,
                "flaky": False,
                "between": sum(
                    isinstance(event, Called) for event in graph.events[twice.first.seq + 1 : now.seq]
                ),
                "may_be_twice": True,
            },
            about="twice",
        )

    examples = (
        Example(
            "cut off twice while it waited for the lock of another",
            asks("install nginx"),
            bash("sudo apt-get install -y nginx", limit=60, times_out=True, output=HELD),
            bash("sudo apt-get install -y nginx", limit=60, times_out=True, output=HELD),
            says("Another process still holds the lock."),
        ),
        Example(
            "the same in other clothes: measured, in another language, from the folder it was in, quoted otherwise",
            asks("make the import work"),
            bash("python import.py 'a.csv'", exit=1, output="Error: bad column x"),
            bash('time python import.py "a.csv"', exit=1, output="Error: bad column x\n\nreal\t0m0.3s\nuser\t0m0.2s\nsys\t0m0.1s", flag=SLUG),
            bash("cd /home/dev/project && LANG=C python import.py a.csv; echo exit=$?", output="Error: bad column x\nexit=1", flag=SLUG),
            says("The column x is bad."),
        ),
        Example(
            "another folder, another setting, another file",
            asks("make the import work"),
            bash("python import.py a.csv", exit=1, output="Error: bad column x"),
            bash("cd /home/dev/other && python import.py a.csv", exit=1, output="Error: bad column x"),
            bash("STRICT=0 python import.py a.csv", exit=1, output="Error: bad column x"),
            bash("python import.py 'b.csv'", exit=1, output="Error: bad column x"),
            says("The column x is bad."),
        ),
        Example(
            "a batch of payments was cut off, and is sent again under another key",
            asks("send the friday payout batch, live account"),
            bash("./paycli --live submit batches/w28.csv", limit=60, times_out=True, output="submitting 1..212\naccepted 001-050\naccepted 051-100"),
            bash("./paycli --live submit batches/w28.csv --key w28-b --concurrency 8", output="submitting 1..212\naccepted 212/212",
                 flag=SLUG, severity="high", facts={"may_be_twice": True, "limit_ms": 60_000}),
            says("All 212 payouts are submitted."),
        ),
        Example(
            "a batch of payments was cut off, and the account was looked at before the rest was sent",
            asks("send the friday payout batch, live account"),
            bash("./paycli --live submit batches/w28.csv", limit=60, times_out=True, output="submitting 1..212\naccepted 001-050\naccepted 051-100"),
            bash("./paycli --live list --batch w28", output="150 accepted"),
            bash("./paycli --live submit batches/w28.csv --only-from 151", output="accepted 62/62"),
            says("150 had arrived before the limit; the other 62 are submitted now."),
        ),
        Example(
            "a batch of payments was cut off, and is taken up where it ended",
            asks("send the friday payout batch, live account"),
            bash("./paycli --live submit batches/w28.csv", limit=60, times_out=True, output="accepted 051-100"),
            bash("./paycli --live submit batches/w28.csv --resume", output="accepted 112/112"),
            says("All payouts are submitted."),
        ),
        Example(
            "an import into production begun again after it was cut off, a pause in between",
            asks("import the may orders on the shop"),
            bash("ssh db1 'cd /srv/shop && rake orders:import FILE=may.csv'", limit=60, times_out=True, output="row 2000"),
            bash("sleep 5"),
            bash("ssh db1 'cd /srv/shop && rake orders:import FILE=may.csv'", limit=600, output="9000 rows", flag=SLUG, severity="high",
                 facts={"may_be_twice": True, "between": 1}),
            says("The orders of may are in."),
        ),
        Example(
            "an import into production that knows what it has",
            asks("import the may orders on the shop"),
            bash("ssh db1 'cd /srv/shop && rake orders:import FILE=may.csv'", limit=60, times_out=True, output="row 2000"),
            bash("ssh db1 'cd /srv/shop && rake orders:import FILE=may.csv'", limit=600, output="7000 rows, 2000 already there"),
            says("The orders of may are in."),
        ),
        Example(
            "rows inserted again, which change-on-unverified-change reports",
            asks("add the march entries to the ledger on db01"),
            bash("ssh db01 \"psql ledger -c 'INSERT INTO entry SELECT * FROM staging_march'\"", limit=30, times_out=True),
            bash("ssh db01 \"psql ledger -c 'INSERT INTO entry SELECT * FROM staging_march'\"", limit=300, output="INSERT 0 41200"),
            says("41200 entries are in."),
        ),
        Example(
            "rows of production inserted again, and a clash changes nothing",
            asks("add the march entries to the ledger on db01"),
            bash("ssh db01 \"psql ledger -c 'INSERT INTO entry SELECT * FROM staging_march ON CONFLICT DO NOTHING'\"", limit=30, times_out=True),
            bash("ssh db01 \"psql ledger -c 'INSERT INTO entry SELECT * FROM staging_march ON CONFLICT DO NOTHING'\"", limit=300, output="INSERT 0 20100"),
            says("The entries are in."),
        ),
        Example(
            "an order by a request that got no answer in time, posted again",
            asks("order 40 licences at the reseller"),
            bash("curl -sS -m 20 -X POST https://api.reseller.example/v1/orders -d '{\"licences\": 40}'", exit=28,
                 output="curl: (28) Operation timed out after 20001 milliseconds with 0 bytes received"),
            bash("curl -sS -m 90 -X POST https://api.reseller.example/v1/orders -d '{\"licences\": 40}'", output='{"order": 88213}', flag=SLUG, severity="high"),
            says("The licences are ordered."),
        ),
        Example(
            "an order by a request that never reached its host, posted again; and one with a key",
            asks("order 40 licences at the reseller, then 2 more"),
            bash("curl -sS -X POST https://api.reseller.example/v1/orders -d '{\"licences\": 40}'", exit=7,
                 output="curl: (7) Failed to connect to api.reseller.example port 443: Connection refused"),
            bash("curl -sS -X POST https://api.reseller.example/v1/orders -d '{\"licences\": 40}'", output='{"order": 88213}'),
            bash("curl -sS -m 20 -X POST -H 'Idempotency-Key: 7f2a' https://api.reseller.example/v1/orders -d '{\"licences\": 2}'", exit=28,
                 output="curl: (28) Operation timed out after 20001 milliseconds with 0 bytes received"),
            bash("curl -sS -m 90 -X POST -H 'Idempotency-Key: 7f2a' https://api.reseller.example/v1/orders -d '{\"licences\": 2}'", output='{"order": 88214}'),
            says("Both are ordered."),
        ),
        Example(
            "a load into the own database, cut off and run with more time",
            asks("load the fixtures"),
            bash("python manage.py loaddata shop.json", limit=60, times_out=True),
            bash("python manage.py loaddata shop.json", limit=600, output="Installed 900 object(s)"),
            says("The fixtures are loaded."),
        ),
        Example(
            "a newsletter by a tool that gave no answer, sent again",
            asks("send the newsletter of june"),
            tool("mailer_send_campaign", {"campaign": "june"}, error="Request timed out after 30000 ms"),
            tool("mailer_send_campaign", {"campaign": "june"}, output='{"sent": 4120}', flag=SLUG),
            says("The newsletter is out."),
        ),
        Example(
            "cut off twice while it worked",
            asks("install nginx"),
            bash("sudo apt-get install -y nginx", limit=60, times_out=True, output="Unpacking nginx ..."),
            bash("sudo apt-get install -y nginx", limit=60, times_out=True, output="Unpacking nginx ...", flag=SLUG),
            says("Cut off twice."),
        ),
        Example(
            "a push is refused, and tried again after looking around",
            asks("push it"),
            bash(PUSH, exit=1, output="! [rejected] main -> main (non-fast-forward)"),
            bash("git log --oneline -3", output="a1 b2 c3"),
            bash(PUSH, exit=1, output="! [rejected] main -> main (non-fast-forward)", flag=SLUG,
                 facts={"tries": 2, "between": 1, "failed_by": "exit"}),
            says("The remote has commits that are not here."),
        ),
        Example(
            "cut off at the same limit twice",
            asks("build it"),
            bash("make all", limit=120, times_out=True),
            bash("make all", limit=120, times_out=True, flag=SLUG, facts={"failed_by": "limit", "limit_ms": 120_000}),
            says("Cut off twice at two minutes."),
        ),
        Example(
            "only the filter behind the pipe is another",
            asks("baue das Paket"),
            bash("npm run build 2>&1 | tail -20", exit=1, output="Module not found: './Logo'"),
            bash("npm run build 2>&1 | head -50; echo exit=$?", exit=1, output="Module not found: './Logo'", flag=SLUG),
            says("Es fehlt ./Logo."),
        ),
        Example(
            "an image that may not be pulled, four times",
            asks("get the image"),
            bash(PULL, exit=1, output=DENIED),
            bash("docker images", output="REPOSITORY TAG"),
            bash(PULL, exit=1, output=DENIED, flag=SLUG, severity="low"),
            bash("cat ~/.docker/config.json", output="{}"),
            bash(PULL, exit=1, output=DENIED, flag=SLUG, facts={"tries": 3}),
            bash("docker info", output="Server Version: 27"),
            bash(PULL, exit=1, output=DENIED, flag=SLUG, severity="medium", facts={"tries": 4}),
            says("No access."),
        ),
        Example(
            "a restart on a live host, cut off twice",
            asks("restart billing"),
            bash("ssh root@web1 'systemctl restart billing'", limit=30, times_out=True),
            bash("ssh root@web1 'systemctl restart billing'", limit=30, times_out=True, flag=SLUG, severity="medium"),
            says("The restart was cut off twice."),
        ),
        Example(
            "a network that stays away: from the second retry on",
            asks("install the tools"),
            bash("pip install ruff", exit=1, output="ReadTimeoutError: HTTPSConnectionPool: Read timed out."),
            bash("pip install ruff", exit=1, output="Could not fetch URL: connection reset"),
            bash("pip install ruff", exit=1, output="NewConnectionError: network is unreachable", flag=SLUG, severity="info",
                 facts={"flaky": True, "tries": 3}),
            says("No network."),
        ),
        Example(
            "no exit code in the log, another tool between",
            asks("apply the migration"),
            bash("alembic upgrade head", exit=None, output="FAILED: Can't locate revision identified by 'a1b2'"),
            tool("read", {"filePath": "alembic.ini"}, output="[alembic]"),
            bash("alembic upgrade head", exit=None, output="FAILED: Can't locate revision identified by 'a1b2'", flag=SLUG,
                 confidence="medium"),
            says("The revision a1b2 does not exist."),
        ),
        Example(
            "run again after an edit",
            asks("make it pass"),
            bash("pytest -q", exit=1, output="1 failed"),
            edit("/home/dev/project/a.py"),
            bash("pytest -q", exit=1, output="1 failed"),
            says("It still fails."),
        ),
        Example(
            "given more time",
            asks("build it"),
            bash("make all", limit=120, times_out=True),
            bash("make all", limit=900, times_out=True),
            bash("make all", background=True),
            says("It runs in the background now."),
        ),
        Example(
            "the retry worked",
            asks("push it"),
            bash(PUSH, exit=128, output="fatal: unable to access: Could not resolve host"),
            bash(PUSH, output="main -> main"),
            says("Pushed."),
        ),
        Example(
            "waited in between",
            asks("get the page"),
            bash("curl -f https://shop.example.com/", exit=22, output="curl: (22) 503"),
            bash("sleep 30"),
            bash("curl -f https://shop.example.com/", exit=22, output="curl: (22) 503"),
            says("Still 503."),
        ),
        Example(
            "time passed",
            asks("deploy when the lock is free"),
            bash("helm upgrade api ./chart -n prod", exit=1, output="another operation is in progress"),
            waits(300),
            bash("helm upgrade api ./chart -n prod", exit=1, output="another operation is in progress"),
            says("The lock is still held."),
        ),
        Example(
            "the person asked for it again",
            asks("push it"),
            bash(PUSH, exit=1, output="rejected"),
            says("Rejected."),
            asks("try again"),
            bash(PUSH, exit=1, output="rejected"),
            says("Rejected again."),
        ),
        Example(
            "polling until it is up",
            asks("restart it"),
            bash("systemctl restart billing"),
            bash("systemctl is-active billing", exit=3, output="activating"),
            bash("journalctl -u billing -n 3", output="Loading"),
            bash("systemctl is-active billing", exit=3, output="activating"),
            bash("systemctl is-active billing", output="active"),
            says("billing is active."),
        ),
        Example(
            "a search that finds nothing, twice",
            asks("where is it?"),
            bash("grep -rn LIMIT src/", exit=1),
            bash("ls src", output="a.py"),
            bash("grep -rn LIMIT src/", exit=1),
            says("Nowhere."),
        ),
        Example(
            "something was set up before the second try",
            asks("run the tests"),
            bash("npm test", exit=1, output="Cannot find module 'jest'"),
            bash("npm install", output="added 300 packages"),
            bash("npm test", exit=1, output="1 failing"),
            says("One test fails."),
        ),
        Example(
            "a hook mends the files and has to run twice",
            asks("commit"),
            bash("git commit -am 'Parser'", exit=1, output="trailing-whitespace....Failed - files were modified by this hook"),
            bash("git commit -am 'Parser'", exit=1, output="ruff.....Failed"),
            says("The linter refuses it."),
        ),
        Example(
            "right after each other, with the same result: reported as a loop",
            asks("run it"),
            bash("./run.sh", exit=1, output="no such option"),
            bash("./run.sh", exit=1, output="no such option"),
            says("There is no such option."),
        ),
    )  # fmt: skip


_BARE_QUOTES = lazy(r"(?<![^\s=])(?P<sign>['\"])(?P<word>[\w./:@=,+-]{1,200})(?P=sign)(?=\s|$)")
_ASIDE = lazy(
    r"^(?:time\s+|(?:LANG|LC_\w{1,20}|TERM|NO_COLOR|FORCE_COLOR|CLICOLOR|PAGER|GIT_PAGER|COLUMNS|TZ)=\S{0,60}\s+){1,4}"
)
"""What stands before a command and changes no more than how it is shown, or measures it."""


def _form(called: Called, directory: str | None) -> tuple[str, ...]:
    """What makes two calls the same try: their commands without filters; of another tool, its arguments.

    :param directory: the folder of the session, into which a line may go first.
    """
    if called.line is None:
        arguments = called.call.arguments()
        return (called.call.name, json.dumps(arguments, sort_keys=True)) if arguments else ()
    line = _MERGED.sub("", " ".join(called.line.split()))
    for _ in range(4):
        longer, line = line, _TAIL.sub("", line)
        if line == longer:
            break
    line = line.strip()
    if directory and line.startswith(f"cd {directory} && "):
        line = line[len(directory) + 7 :]
    return (_BARE_QUOTES.sub(r"\g<word>", _ASIDE.sub("", line)),)


def _whole(called: Called) -> bool:
    return called.line is not None and len(called.line) < _WHOLE and "…" not in called.line


def _program(ran: Ran) -> str:
    return ran.command.program.casefold()


def _words(called: Called) -> str:
    """The words of a result that show the failure."""
    text = called.call.error or called.call.output
    if called.cut_off is not None and called.cut_off.quote:
        return called.cut_off.quote
    return text.end().strip()[-200:] if text is not None else ""


_PRINTED = lazy(r"(?:exit(?:[ _-]?code)?|rc|ret|status|code)\W{0,4}[1-9]\d{0,2}\W{0,5}$", re.IGNORECASE)
_MEASURES = lazy(
    r"^\W{0,5}(?:exit(?:[ _-]?code)?|rc|ret|status|code)\W{0,4}-?\d{1,3}\W{0,5}$|^(?:real|user|sys)\s+\d\S{0,20}$",
    re.IGNORECASE,
)
"""Lines by which an exit code or a time is printed."""


def _gist(called: Called) -> str:
    """The last line of a result that says something, numbers left out."""
    lines = [
        line
        for line in _words(called).splitlines()
        if any(letter.isalpha() for letter in line) and _MEASURES.match(line.strip()) is None
    ]
    return re.sub(r"[\d.,:]+", "#", " ".join(lines[-1].split())) if lines else ""


def _failed(graph: SessionGraph, called: Called) -> str:
    """How a call failed, in a word; empty where it did not, was refused, or only answered a question."""
    call = called.call
    if (
        call.interrupted
        or called.unfinished
        or call.background
        or call.continues is not None
        or call.child is not None
    ):
        return ""
    shown = "\n".join(text.head[:400] for text in (call.output, call.error) if text is not None)
    if called.cut_off is not None:
        return "limit"
    if called.connection_lost:
        return "connection"
    if call.status == "error":
        return "" if _REFUSED.search(shown) is not None else "error"
    if called.line is None or _SELF_MENDING.search(called.line) is not None:
        return ""
    commands = [
        ran
        for ran in graph.commands(called)
        if _program(ran) not in ("cd", "echo", "printf", "true", "head", "tail")
    ]
    if all(ran.command.effect == "check" or _program(ran) in _PROBES for ran in commands):
        return ""
    if "$?" in called.line and call.output is not None and _PRINTED.search(call.output.ends()[-80:]):
        # The exit code of the whole line is that of the command that prints.
        return "exit"
    shown_bad = any(ran.outcome.failed and ran.command.effect != "read" for ran in commands)
    return "exit" if call.exit not in (0, None) or (call.exit is None and shown_bad) else ""


def _waits(called: Called) -> bool:
    """Whether a call was cut off while it waited for what another process holds."""
    output = called.call.output
    return called.cut_off is not None and output is not None and _LOCKED.search(output.ends()) is not None


def _flaky(called: Called) -> bool:
    """Whether a failure is of a kind that may pass by itself; a limit that cuts the same work off is not, but one that
    ends a wait for a lock.
    """
    if called.cut_off is not None:
        return _waits(called)
    return called.connection_lost or _FLAKY.search(_words(called)) is not None


def _no_help(graph: SessionGraph, before: Called, now: Called, helped: int) -> bool:
    """Whether nothing between two equal calls could have helped the second.

    ``helped`` is the position of the last call that may have changed something.
    """
    if helped > before.seq:
        return False
    if (before.at.session, before.at.message_index) == (now.at.session, now.at.message_index):
        return False
    if None not in (now.call.limit_ms, before.call.limit_ms) and now.call.limit_ms != before.call.limit_ms:
        # More time may help; less is another rule's matter.
        return False
    if before.cut_off is None and not (_flaky(before) and _flaky(now)) and _gist(before) != _gist(now):
        # Another message: something was different after all.
        return False
    # A wait for a lock is time that may help by itself.
    over, begun = graph.moment(before) if _waits(before) else graph.finished(before), graph.moment(now)
    return not (
        over is not None
        and begun is not None
        and begun - over >= (_WAITED_MS if _flaky(before) else _LONG_MS)
    )


def _may_change(graph: SessionGraph, called: Called) -> bool:
    """Whether a call may have changed something, waited for it, or cannot be judged."""
    if called.call.child is not None or called.call.continues is not None:
        return True
    commands = graph.commands(called)
    if not commands:
        return called.call.status != "error"
    for ran in commands:
        program = _program(ran)
        if program in ("sleep", "wait", "watch"):
            return True
        if ran.change and not ran.outcome.failed:
            return True
        if ran.command.effect in ("none", "build") and program not in _LOOKS and not ran.outcome.failed:
            return True
    return False
