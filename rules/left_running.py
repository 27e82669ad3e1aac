"""The rule ``left-running``."""

import re

from sessionlens.examples import Example, asks, bash, child, edit, says
from sessionlens.rule import (
    Called,
    Confidence,
    Event,
    Finding,
    Iterator,
    Ran,
    Rule,
    Said,
    Session,
    SessionGraph,
    Severity,
    as_code,
    by_environment,
    dataclass,
    lazy,
    named,
    not_recorded,
    weakest,
)

SLUG = "left-running"

_QUICK = frozenset({"check", "read", "create", "configure", "delete", "stop", "edit"})
"""Effects that are soon over, in the background too."""
_ASIDE = frozenset(
    {
        "cd",
        "source",
        ".",
        "export",
        "set",
        "echo",
        "printf",
        "sleep",
        "wait",
        "disown",
        "mkdir",
        "rm",
        "cat",
        "mktemp",
        "$null",
        "git",
        "true",
    }
)
_ARCHIVES = frozenset(
    {"tar", "zip", "gzip", "rsync", "cp", "dd", "pg_dump", "mysqldump", "ffmpeg", "rclone", "aws", "gsutil"}
)
"""Programs whose work in the background takes long though it only writes files."""
_SUPERVISORS = frozenset(
    {"pm2", "forever", "supervisord", "vagrant", "multipass", "minikube", "kind", "colima", "lima"}
)
"""Programs that keep what they start, without any sign in the line."""
_MANAGERS = frozenset(
    {
        "systemctl",
        "service",
        "rc-service",
        "supervisorctl",
        "launchctl",
        "initctl",
        "sc",
        "net",
        "sv",
        "monit",
    }
)
"""Programs that hand a start over to the system, which keeps it, and starts it at the next boot too."""
_WATCHERS = frozenset(
    {
        "tcpdump",
        "tshark",
        "tail",
        "watch",
        "strace",
        "perf",
        "iotop",
        "vmstat",
        "iostat",
        "sar",
        "journalctl",
        "ping",
        "inotifywait",
        "mitmdump",
        "iperf3",
    }
)
"""Programs that only look, and go on until somebody stops them."""
_RUNS = lazy(
    r"\b(?:still|now|keeps?|left|is|are|'s|continues?|leave|left it|remains?)\s+(?:\w+\s+)?(?:running|going|up|listening|serving|open|active|live|available|accessible|in the background)"
    r"|\bin the background\b|\bbackground (?:process|job|task|server)|\b(?:listening|serving|available|accessible|reachable|started|up|running|live) (?:on|at|under)\b"
    r"|\b(?:answers?|responds?|listens?|serves?) (?:on|at) (?:port )?\S*\d"
    r"|https?://(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\])|\bport \d{2,5}\b|\b(?:stop|kill|end) it with\b|\b(?:stop|kill|end|shut down|terminate) (?:it|the|this)\b[^.\n]{0,40}\b(?:when|once|after)\b|\bpid \d+"
    r"|\bläuft|im hintergrund|erreichbar|\btourne|en arrière-plan|en cours|accessible|ejecut[aá]ndose|en segundo plano|corriendo|em segundo plano|rodando|in esecuzione|in background"
    r"|op de achtergrond|draait|w tle|działa|arka planda|çalışıyor|в фоне|работает|запущен\w*|у фоні|працює|后台|正在运行|運行|バックグラウンド|起動し|백그라운드|실행",
    re.IGNORECASE,
)
"""Words by which something that runs is handed over."""
_ASKED = lazy(
    r"\b(?:start|launch|serve|bring (?:it |them |the \w+ )?up|spin up|deploy|restart|boot|expose|open a tunnel|preview|train|run (?:it|the (?:server|app|bot|service|site|job|training)))\b"
    r"|\bstarte?\b|\blass\b|\blanc\w+|\bdémarr\w+|\binicia\w*|\barranca\w*|\blevanta\w*|\bejecuta\w*|\bavvia\w*|\buruchom\w*|\bbaşlat\w*|запусти\w*|запуст\w*|启动|運行|运行|起動|실행|시작",
    re.IGNORECASE,
)
_KILLS = lazy(
    r"\b(?:kill|pkill|killall|fuser\s+-\w*k|taskkill|Stop-Process|docker\s+(?:stop|kill|rm)|(?:docker[- ]compose|podman[- ]compose)\s+(?:\S+\s+)*(?:down|stop|kill|rm)"
    r"|(?:kubectl|oc)\s+(?:\S+\s+){0,6}delete|tmux\s+kill-\w+|screen\s+-\S*X\s+quit|npx\s+kill-port|systemctl\s+stop|podman\s+(?:stop|rm)|trap\b[^\n]*\bkill)\b",
    re.IGNORECASE,
)
_STOP_TOOLS = lazy(r"kill|stop|terminate|cancel|abort|close", re.IGNORECASE)
_ENDS = lazy(
    r"\btimeout\s+(?:-\S+\s+)*\d|\bwait(?:\s+[%$]\S+)?\s*(?:[;&|)]|$)|--exit-|\bone-?shot\b|--abort-on",
    re.IGNORECASE,
)
"""Words of a line by which what it starts ends by itself, or is waited for."""
_KEEPING = _SUPERVISORS | {
    "docker",
    "docker-compose",
    "podman",
    "nerdctl",
    "podman-compose",
    "ssh",
    "sshuttle",
    "kubectl",
    "oc",
}
"""Programs that may leave something running without any sign of the shell."""
_READ = 20_000
"""Characters of a line that are looked at for what ends by itself."""
_AFTER = 60
"""Events after a start in which the first look at it stands."""
_MOST = 200
"""More things than these were started by a program, and the last of them stand for all."""
_TRIAL = lazy(r"test|tmp|temp|debug|trial|try|scratch|demo|probe|bench", re.IGNORECASE)
_STAYS_UP = lazy(r"\b(?:run|debug)\b(?!.*\s--rm\b).*\s(?:sleep\s+(?:\d{3,}|\d+[hd]|inf\w*)|tail\s+-f)")
"""A pod made by hand that does nothing but stay."""
_TUNNEL = lazy(
    r"\bsshuttle\b(?=[^\n|;]*\s(?:-D|--daemon)\b)|\bssh\b(?=[^\n|;]*\s-\w*f)(?=[^\n|;]*\s-\w*[LRDN])"
)


@dataclass(frozen=True, kw_only=True)
class LeftRunning(Rule):
    """Something that the assistant started in the background was still there when the session ended.

    ## What it flags
    A process, server, container, tunnel or job that the assistant started in the background (`&`, `nohup`, `tmux
    new -d`, `docker run -d`, `ssh -f -N`, the client's background mode), and that it neither stopped, nor saw end, nor
    looked at in the last turn, nor told the person about. The last start of each thing counts. Not flagged: what ends
    by itself (`timeout 60 …`, `& … wait`), what the person asked to have running where the assistant says that it
    runs, and what is said to run at an address, at a port or in the background.

    ## Why it matters
    It holds ports, memory, locks and bills, and nobody knows that it is there.

    ## What to do
    Look whether it is still running, and stop it. For the agent: stop what was started for a test, and name what is
    left on purpose.

    ## Facts
    - `target`: what was started: kind, name, host, context, namespace
    - `environment`: of the target
    - `started_by`: detached, background or container: how it was started
    - `asked_for`: whether the person's message in that turn asks for something to be started or run
    - `messages_since`: how many messages of the log come after it
    """

    slug = SLUG
    severity = "low"
    since = "0.1"

    def checkable(self, session: Session) -> str | None:
        """Not on logs that leave out what was run."""
        return not_recorded(session.source_format, "calls")

    def check(self, graph: SessionGraph) -> Iterator[Finding]:
        """One finding for each thing that was left."""
        last: dict[tuple[str, str | None, str], tuple[Ran, str]] = {}
        ends: dict[int, bool] = {}
        for event in (graph.events[seq] for seq in graph.index("ran")):
            if not isinstance(event, Ran) or not (how := _started(event)):
                continue
            if event.call.seq not in ends:
                ends[event.call.seq] = _ends_itself(event.call)
            if ends[event.call.seq] or _deployed(graph, event, how):
                continue
            target = event.command.target
            last[target.kind, target.host, target.name or " ".join(event.command.words[:2])] = (event, how)
        if not last:
            return
        stops = _stops(graph)
        # A start of a service that nobody followed up is a finding of its own, and the graver one. What the agent
        # made for a while, such as a process or a container, is left all the same.
        open_starts = {
            operation.event.seq
            for operation in graph.ledger
            if isinstance(operation.event, Ran)
            and operation.event.start
            and operation.target.kind in ("service", "k8s", "compose", "host", "cloud")
            and operation.opened_by != "interrupted"
            and not graph.handling(operation).followed_up
        }
        # Who is stopped in the middle of the work cannot hand over.
        stopped = {turn.number for turn in graph.turns if turn.next_human is None and turn.interrupted}
        for ran, how in list(last.values())[-_MOST:]:
            if ran.seq not in open_starts and ran.turn not in stopped and not _settled(graph, ran, stops):
                yield self._found(graph, ran, how)

    def _found(self, graph: SessionGraph, ran: Ran, how: str) -> Finding:
        setting = graph.setting(ran)
        command = ran.command
        subject = named(command.target) if command.target.name else as_code(" ".join(command.words[:3]), 60)
        end = graph.events[-1]
        ending = next(
            (graph.events[seq] for seq in reversed(graph.openings) if graph.events[seq].depth == 0), end
        )
        remote = command.target.host is not None or any(via.startswith("ssh") for via in command.via)
        severity: Severity = by_environment(
            setting.environment, production="medium", unknown="medium" if remote else "low", other="low"
        )
        confidence: Confidence = "low" if graph.session.truncated else "medium"
        return self.finding(
            ran,
            f"{subject} was started in the background and left there",
            because=[
                (ran, "started here", " ".join(command.words)),
                (ending, "the session ends without a word about it"),
            ],
            severity=severity,
            confidence=weakest(confidence, command.confidence),
            facts={
                "target": command.target,
                "environment": setting.environment,
                "started_by": how,
                "asked_for": _asked(graph, ran),
                "messages_since": graph.messages_between(ran, None),
            },
            about=subject,
        )

    examples = (
        Example(
            "a development server for a look at the page",
            asks("why is the header cut off?"),
            bash("npm run dev > /tmp/dev.log 2>&1 &", flag=SLUG, severity="low", facts={"started_by": "detached", "asked_for": False}),
            bash("sleep 3; curl -s http://localhost:3000", output="<header>"),
            edit("/home/dev/project/header.css"),
            says("The header had a fixed height. I removed it."),
        ),
        Example(
            "a container for a test database",
            asks("run the integration tests"),
            bash("docker run -d --name testdb -e POSTGRES_PASSWORD=x -p 5433:5432 postgres:16", output="abc123", flag=SLUG,
                 severity="low", facts={"started_by": "container"}),
            bash("pytest tests/integration", output="12 passed"),
            says("All 12 integration tests pass."),
        ),
        Example(
            "a capture on a live host",
            asks("why are there retransmits?"),
            bash("ssh root@web1 'nohup tcpdump -i eth0 -w /tmp/cap.pcap > /dev/null 2>&1 &'", flag=SLUG, severity="medium",
                 facts={"environment": "production"}),
            bash("ssh root@web1 'netstat -s | grep retrans'", output="41 segments retransmitted"),
            says("41 retransmits since boot: that is normal."),
        ),
        Example(
            "a tunnel to a database",
            asks("zähl die Bestellungen"),
            bash("ssh -f -N -L 5432:db1:5432 root@bastion", flag=SLUG, facts={"started_by": "detached"}),
            bash("psql -h localhost -c 'SELECT count(*) FROM orders'", output="41"),
            says("Es sind 41 Bestellungen."),
        ),
        Example(
            "a forwarded port of a cluster",
            asks("what does the api answer?"),
            bash("kubectl -n prod port-forward svc/api 8080:80 > /dev/null 2>&1 &", flag=SLUG, severity="medium"),
            bash("curl -s localhost:8080/version", output='{"version": "1.9"}'),
            says("It answers version 1.9."),
        ),
        Example(
            "a pod that was made for a look stays, a tunnel of another sort too, and one that ends with its shell",
            asks("does the service answer from inside?"),
            bash("kubectl run dbg --image=busybox -- sleep 86400", output="pod/dbg created", flag=SLUG),
            bash("kubectl run once --rm -i --image=busybox -- wget -qO- http://api", output="ok"),
            bash("sshuttle -D -r bastion 10.0.0.0/8", flag=SLUG),
            says("Yes, it answers ok."),
        ),
        Example(
            "a pod that was made for a look goes again",
            asks("does the service answer from inside?"),
            bash("kubectl run dbg --image=busybox -- sleep 86400", output="pod/dbg created"),
            bash("kubectl exec dbg -- wget -qO- http://api", output="ok"),
            bash("kubectl delete pod dbg --now", output='pod "dbg" deleted'),
            says("Yes, it answers ok."),
        ),
        Example(
            "the client's background mode",
            asks("does it build?"),
            bash("npm run dev", background=True, output="Command running in background with ID: bash_1", flag=SLUG,
                 facts={"started_by": "background"}),
            bash("ls dist", output="index.js"),
            says("Yes, dist/index.js is there."),
        ),
        Example(
            "a session of tmux, and other work after it",
            asks("try the new sampler"),
            bash("tmux new -d -s trial 'python sample.py'", flag=SLUG),
            edit("/home/dev/project/sample.py"),
            says("The sampler takes its seed from the configuration file."),
        ),
        Example(
            "a service manager's restart, whose client alone stopped waiting",
            asks("restart billing"),
            bash("systemctl restart billing", background=True, output="Command running in background with ID: bash_1"),
            bash("nohup systemctl reload nginx > /dev/null 2>&1 &"),
            bash("ssh root@web1 'nohup service api start > /dev/null 2>&1 &'"),
            bash("docker restart cache", background=True, output="Command running in background with ID: bash_2"),
            bash("kubectl -n prod rollout restart deploy/api", background=True, output="Command running in background with ID: bash_3"),
            says("Next I edit the configuration."),
        ),
        Example(
            "stopped after the look",
            asks("why is the header cut off?"),
            bash("npm run dev > /tmp/dev.log 2>&1 & echo $!", output="4242"),
            bash("curl -s http://localhost:3000", output="<header>"),
            bash("kill 4242"),
            says("A fixed height."),
        ),
        Example(
            "removed with its container",
            asks("run the integration tests"),
            bash("docker run -d --name testdb -p 5433:5432 postgres:16", output="abc123"),
            bash("pytest tests/integration", output="12 passed"),
            bash("docker rm -f testdb", output="testdb"),
            says("All 12 pass."),
        ),
        Example(
            "handed over with its address",
            asks("show me the page"),
            bash("npm run dev > /tmp/dev.log 2>&1 &"),
            says("The page is at http://localhost:3000."),
        ),
        Example(
            "a service that was asked for, and is said to run",
            asks("start the bot"),
            bash("docker compose up -d bot", output="Container bot Started"),
            bash("docker compose ps", output="bot Up 3 seconds"),
            says("The bot is running."),
        ),
        Example(
            "handed over in German, as running in the background",
            asks("starte das Training"),
            bash("ssh root@gpu1 'nohup python train.py > t.log 2>&1 &'"),
            says("Das Training läuft im Hintergrund weiter."),
        ),
        Example(
            "ends by itself",
            asks("how many packets a minute?"),
            bash("ssh root@web1 'timeout 60 tcpdump -i eth0 -w /tmp/cap.pcap > /dev/null 2>&1 &'"),
            bash("python a.py & python b.py & wait", output="done"),
            says("About 41,000."),
        ),
        Example(
            "looked at in the last turn",
            asks("start the export"),
            bash("ssh root@db1 'nohup ./export.sh > export.log 2>&1 &'"),
            says("The export has begun."),
            asks("how far is it?"),
            bash("ssh root@db1 'tail -2 export.log; pgrep -f export.sh'", output="41 of 100\n4242"),
            says("41 of 100."),
        ),
        Example(
            "the person stopped the work it was started for",
            asks("find out why it is slow"),
            bash("npm run dev > /tmp/dev.log 2>&1 &"),
            bash("npx autocannon http://localhost:3000", interrupted=True),
        ),
        Example(
            "killed by its port",
            asks("check the api"),
            bash("uvicorn app:app --port 8081 &"),
            bash("curl -s localhost:8081/health", output="ok"),
            bash("fuser -k 8081/tcp"),
            says("It answers ok."),
        ),
        Example(
            "a subagent that ended what it started",
            asks("try it"),
            child(bash("python -m http.server 8000 &"), bash("pkill -f http.server"), says("It works."), result="It works."),
            says("It serves the files."),
        ),
    )  # fmt: skip


def _started(ran: Ran) -> str:
    """How a command leaves something running: detached, background or container; empty where it does not."""
    command, call = ran.command, ran.call.call
    program = command.program
    if (
        ran.outcome.reached == "no"
        or ran.outcome.failed
        or command.dry_run
        or call.interrupted
        or call.continues is not None
    ):
        return ""
    # What a service manager brings up again was there before, and only its client stopped waiting.
    if command.effect in ("restart", "reload", "reboot") and command.target.kind != "process":
        return ""
    if command.effect == "start" and program in _MANAGERS:
        return ""
    if ran.call.unfinished or program in _ASIDE or call.status == "error":
        return ""
    if not (command.detached or call.background or program in _KEEPING):
        return ""
    if program in (
        "docker",
        "docker-compose",
        "podman",
        "nerdctl",
        "podman-compose",
    ) and command.effect in ("start", "deploy"):
        up_or_run = {"run", "up"} & set(command.words[:6])
        detaches = any(
            word in ("-d", "--detach")
            or (len(word) < 5 and word.startswith("-") and not word.startswith("--") and "d" in word)
            for word in command.words
        )
        return "container" if up_or_run and detaches else ""
    if program in _SUPERVISORS and ran.start:
        return "detached"
    if program in ("ssh", "sshuttle") and _TUNNEL.search(" ".join(command.words)[:_READ]) is not None:
        return "detached"
    if program in ("kubectl", "oc") and _STAYS_UP.search(" ".join(command.words)[:_READ]) is not None:
        return "container"
    if not (command.detached or call.background):
        return ""
    if command.effect in _QUICK and program not in (_ARCHIVES | _WATCHERS):
        return ""
    if command.effect == "none" and not command.target.name and program in ("", "bash", "sh"):
        return ""
    # What a client keeps running because it took longer than it waits is polled, not left.
    if (
        call.background
        and not command.detached
        and command.effect in ("none", "build", "test", "install", "transfer")
    ):
        return "" if command.effect != "none" else ("background" if command.long_running else "")
    return "detached" if command.detached else "background"


def _ends_itself(called: Called) -> bool:
    """Whether a line ends what it starts, or waits for it."""
    return _ENDS.search((called.line or "")[:_READ]) is not None


def _deployed(graph: SessionGraph, ran: Ran, how: str) -> bool:
    """Whether containers are brought up where they are to stay: on another host, and with no name of a trial."""
    if how != "container" or _TRIAL.search(" ".join(ran.command.words)) is not None:
        return False
    remote = ran.command.target.host is not None or any(via.startswith("ssh") for via in ran.command.via)
    return remote or graph.setting(ran).environment == "production"


def _stops(graph: SessionGraph) -> list[Called]:
    """Calls that stop something: by a command line, or by the client's own tool."""
    found = []
    for seq in graph.index("called"):
        event = graph.events[seq]
        if not isinstance(event, Called):
            continue
        if event.line is not None:
            if _KILLS.search(event.line) is not None:
                found.append(event)
        elif _STOP_TOOLS.search(event.call.name) is not None:
            found.append(event)
    return found


def _settled(graph: SessionGraph, ran: Ran, stops: list[Called]) -> bool:
    """Whether what was started was stopped, ended, was looked at in the last turn, or handed over."""
    if any(stop.seq > ran.call.seq and _may_stop(graph, stop, ran) for stop in stops):
        return True
    if (
        ran.call.line is not None
        and _KILLS.search(ran.call.line[max(0, ran.command.span[1]) :]) is not None
        and ran.command.span[1] < len(ran.call.line)
    ):
        return True
    if _serves_others(graph, ran) and any(
        isinstance(event, Ran) and _looks(graph, event, ran)
        for event in graph.events[ran.call.seq + 1 :][:_AFTER]
    ):
        return True
    last_turn = max((event.turn for event in (graph.events[seq] for seq in graph.index("said"))), default=0)
    asked = _asked(graph, ran)
    for event in graph.events[ran.call.seq + 1 :]:
        if (
            isinstance(event, Called)
            and event.call.continues is not None
            and event.call.continues == ran.call.call.id
        ):
            if not event.call.background and not event.unfinished:
                return True
        elif isinstance(event, Said) and event.role == "assistant" and event.texts and event.depth == 0:
            if _handed_over(graph, event, ran, asked=asked):
                return True
        elif (
            isinstance(event, Ran)
            and event.turn == last_turn
            and event.turn > ran.turn
            and _looks(graph, event, ran)
        ):
            return True
    return False


def _serves_others(graph: SessionGraph, ran: Ran) -> bool:
    """Whether it is a server put up where others use it: once seen up, it is where it belongs."""
    remote = ran.command.target.host is not None or any(via.startswith("ssh") for via in ran.command.via)
    return ran.start and (remote or graph.setting(ran).environment == "production")


def _looks(graph: SessionGraph, event: Event, ran: Ran) -> bool:
    return isinstance(event, Ran) and event.check and graph.match(event, ran.command.target) is not None


def _may_stop(graph: SessionGraph, stop: Called, ran: Ran) -> bool:
    """Whether a stop may mean this: it names it, its port or process, or does not say what in a way that can be read."""
    if stop.line is None:
        return True
    commands = [one for one in graph.commands(stop) if one.command.effect in ("stop", "delete")]
    if not commands:
        return True
    for one in commands:
        name = one.command.target.name
        if (
            graph.match(one, ran.command.target) is not None
            or not name
            or name[:1] in "%$"
            or name.isdecimal()
        ):
            return True
        if one.command.target.kind in ("compose", "network") or name in " ".join(ran.command.words):
            return True
        if one.command.program in ("fuser", "xargs", "kill", "npx"):
            return True
    return False


def _asked(graph: SessionGraph, ran: Ran) -> bool:
    """Whether the person's message that opened the turn asks for something to be started or run."""
    for seq in reversed(graph.index("human")):
        said = graph.events[seq]
        if seq < ran.seq:
            return isinstance(said, Said) and _ASKED.search(graph.prose(said)[:2000]) is not None
    return False


def _handed_over(graph: SessionGraph, said: Said, ran: Ran, *, asked: bool) -> bool:
    """Whether prose tells the person of what runs: as running, or by its name where it was asked for."""
    prose = graph.prose(said)
    if _RUNS.search(prose) is not None:
        return True
    acts = {act.act for act in graph.reading(said).acts()}
    if acts & {"reports_in_progress", "hands_over"}:
        return True
    if graph.mentioned(prose, ran.command.target) and acts & {"claims_success", "hedges", "claims_check"}:
        return True
    return asked and bool(acts & {"claims_success", "claims_check", "hedges"})
