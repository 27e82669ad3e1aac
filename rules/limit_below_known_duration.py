"""The rule ``limit-below-known-duration``."""

import re

from sessionlens.examples import Example, asks, bash, nothing, says
from sessionlens.rule import (
    Called,
    Command,
    Finding,
    Iterator,
    Ran,
    Reason,
    Rule,
    Session,
    SessionGraph,
    by_environment,
    dataclass,
    in_words,
    lazy,
    most_exposed,
    not_recorded,
)

SLUG = "limit-below-known-duration"
RESTART = "ssh root@gpu3 'systemctl restart model-server && wait-until-ready model-server'"

_ASIDE = frozenset(
    {"cd", "pushd", "popd", "echo", "printf", "head", "tail", "grep", "egrep", "rg", "tee", "sort", "wc", "sed", "awk",
     "cut", "export", "set", "source", ".", "true", ":", "sleep", "date", "mkdir", "pwd", "time", "cat"}
)  # fmt: skip
"""Programs that stand around an operation and take no time of their own."""
_OUTPUTS = frozenset({"-f", "-o", "-O", "--output", "--file", "--out", "--result-file"})
_WRITERS = frozenset(
    {
        "pg_dump",
        "pg_dumpall",
        "mysqldump",
        "mongodump",
        "curl",
        "wget",
        "ffmpeg",
        "tar",
        "gcc",
        "g++",
        "clang",
        "ld",
        "go",
    }
)
"""Programs with a short option for the file they write."""
_SIZES = {"": 1.0, "s": 1.0, "sec": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86_400.0}
_PIECE = lazy(r"(\d+(?:\.\d+)?)(ms|s|sec|m|min|h|d|)")
_WAITERS = frozenset(
    {"kubectl", "oc", "helm", "flux", "argocd", "docker", "docker-compose", "podman", "curl", "gcloud", "az", "cilium",
     "istioctl", "k3s", "microk8s", "nomad", "juju", "wait-for-it", "wait-for-it.sh", "wait-for", "wait-on", "dockerize"}
)  # fmt: skip
"""Programs whose own option says how long they wait."""
_WAIT_OPTION = lazy(r"--(?:timeout|wait-timeout|max-time|wait)(?:=|$)")
_LOOP = lazy(
    r"\$\(\s*seq\s+(?:\d+\s+)?(\d+)\s*\)|`seq\s+(?:\d+\s+)?(\d+)`|\{\d+\.\.(\d+)\}|;\s*\w+\s*<=?\s*(\d+)\s*;"
    r"|range\((\d+)\)|-l[te]\s+(\d+)"
)
"""How often a counted loop goes round at most."""
_LISTED = lazy(r"\bfor\s+\w+\s+in\s+([^;\n]{1,400}?)\s*(?:;|\n)\s*do\b")
"""A loop over words that are written out."""
_SLEEPS = lazy(r"\btime\.sleep\(\s*(\d+(?:\.\d+)?)\s*\)|\bStart-Sleep\s+(?:-s\w*\s+)?(\d+)", re.IGNORECASE)
"""Sleeps of other languages, written into the line."""
_LEAST_MS = 1000


@dataclass(frozen=True, kw_only=True)
class LimitBelowKnownDuration(Rule):
    """A call was cut off by a limit that the log shows could not have sufficed.

    ## What it flags
    A call that a time limit ended, where the limit was below what the log held by then: how long every earlier
    run of the same operation took in this session, a larger limit at which an earlier run was cut off already,
    or the wait that the command line itself holds (``sleep 120`` under 60 seconds, ``kubectl wait
    --timeout=300s`` or a counted loop of sleeps under a shorter limit of the client). Not flagged: a call that
    came to its end, one that runs in the background, and one whose operation some earlier run finished in time.

    ## Why it matters
    The outcome was certain before the call began: the operation is cut in the middle, and its state is unknown.

    ## What to do
    Look at what the cut-off left behind. For the agent: give a limit above what the operation took before, or
    start it in the background and poll.

    ## Facts
    - `limit_ms`: the limit that ended the call, in milliseconds
    - `basis`: earlier_runs, earlier_limit or own_wait: what shows that it could not suffice
    - `known_ms`: durations of the earlier runs, or the earlier limits, or the wait of the line, in milliseconds
    - `certain`: whether the wait could not have ended earlier; false for a wait that ends as soon as something is ready
    - `environment`: of what the line acts on
    """

    slug = SLUG
    severity = "low"
    since = "0.1"

    def checkable(self, session: Session) -> str | None:
        """Not on logs that leave out calls or that a limit ended one."""
        return not_recorded(session.source_format, "calls", "time_outs")

    def check(self, graph: SessionGraph) -> Iterator[Finding]:
        """One finding for each call whose limit could not suffice."""
        finished: dict[tuple[str, ...], list[tuple[Called, int]]] = {}
        stopped: dict[tuple[str, ...], list[tuple[Called, int]]] = {}
        for called in (graph.events[seq] for seq in graph.index("called")):
            if not isinstance(called, Called) or called.line is None or called.call.background:
                continue
            commands = graph.commands(called)
            operation = _operation(commands)
            limit = _limit(called)
            if limit is not None and called.cut_off is not None:
                found = self._judged(
                    graph, called, limit, finished.get(operation, []), stopped.get(operation, [])
                )
                if found is not None:
                    yield found
            if not operation:
                continue
            if called.cut_off is not None and limit is not None:
                stopped.setdefault(operation, []).append((called, limit))
            elif _came_to_its_end(called) and (took := _took(called)) is not None:
                finished.setdefault(operation, []).append((called, took))

    def _judged(
        self,
        graph: SessionGraph,
        called: Called,
        limit: int,
        finished: list[tuple[Called, int]],
        stopped: list[tuple[Called, int]],
    ) -> Finding | None:
        commands = graph.commands(called)
        sure, most = _own_wait(called, commands)
        because: list[Reason]
        if sure > limit or most > limit:
            certain = sure > limit
            known = [sure if certain else most]
            because = [
                (
                    called,
                    f"the line itself waits {'' if certain else 'up to '}{in_words(known[0])}",
                    called.line or "",
                )
            ]
            return self._found(graph, called, limit, because, basis="own_wait", known=known, certain=certain)
        runs: dict[int, tuple[Called | Ran, int]] = {run.seq: (run, took) for run, took in finished}
        start = next((ran for ran in commands if ran.start), None)
        if start is not None:
            runs.update(
                (run.call.seq, (run, took)) for run, took in graph.earlier_runs(start.command.target, start)
            )
        if runs:
            if min(took for _, took in runs.values()) <= limit:
                return None
            rows = [runs[seq] for seq in sorted(runs)]
            because = [(run, f"an earlier run took {in_words(took)}") for run, took in rows]
            return self._found(
                graph, called, limit, because, basis="earlier_runs", known=[t for _, t in rows]
            )
        longer = [(run, earlier) for run, earlier in stopped if earlier > limit]
        if not longer:
            return None
        because = [(run, f"was cut off at {in_words(earlier)}") for run, earlier in longer]
        return self._found(graph, called, limit, because, basis="earlier_limit", known=[e for _, e in longer])

    def _found(
        self,
        graph: SessionGraph,
        called: Called,
        limit: int,
        because: list[Reason],
        *,
        basis: str,
        known: list[int],
        certain: bool = True,
    ) -> Finding:  # fmt: skip
        changes = [ran for ran in graph.commands(called) if ran.changes]
        environment = most_exposed(graph.setting(ran).environment for ran in changes)
        cut = called.cut_off
        return self.finding(
            called,
            f"A limit of {in_words(limit)} for what takes {'up to ' if not certain else ''}{in_words(min(known))}",
            note="Its own wait is longer."
            if basis == "own_wait"
            else "The log showed before how long it takes.",
            because=[*because, (called, "the limit ended it", cut.quote if cut is not None else "")],
            severity=by_environment(environment, production="medium", unknown="low", other="low"),
            confidence="medium" if not certain or cut is None or cut.confidence != "high" else "high",
            facts={
                "limit_ms": limit,
                "basis": basis,
                "known_ms": known,
                "certain": certain,
                "environment": environment,
            },
        )

    examples = (
        Example(
            "the line waits longer than its own limit",
            asks("restart it and look"),
            bash("docker compose restart api && sleep 120 && docker compose ps", limit=60, times_out=True, flag=SLUG,
                 facts={"basis": "own_wait", "known_ms": [120_000], "certain": True}),
            says("The command was cut off."),
        ),
        Example(
            "minutes as a unit, on a remote host",
            asks("reboot the node"),
            bash("ssh root@db2 'systemctl restart postgresql; sleep 5m; systemctl is-active postgresql'", limit=120,
                 times_out=True, flag=SLUG, severity="medium", facts={"known_ms": [300_000]}),
            says("Cut off after two minutes."),
        ),
        Example(
            "a rollout may wait longer than the client lets it",
            asks("roll it out"),
            bash("kubectl -n shop rollout status deploy/cart --timeout=300s", limit=120, times_out=True, flag=SLUG,
                 confidence="medium", facts={"certain": False, "known_ms": [300_000]}),
            says("Not finished within two minutes."),
        ),
        Example(
            "a counted loop of sleeps",
            asks("wait for the API"),
            bash("for i in $(seq 1 60); do curl -sf http://localhost:8080/health && break; sleep 5; done", limit=120,
                 times_out=True, flag=SLUG, facts={"certain": False, "known_ms": [300_000]}),
            says("It did not answer within two minutes."),
        ),
        Example(
            "earlier builds took four minutes",
            asks("build it"),
            bash("cargo build --release", limit=600, took=240, output="Finished release"),
            says("Built."),
            asks("and again with the new flag"),
            bash("cargo build --release 2>&1 | tail -5", limit=60, times_out=True, flag=SLUG,
                 facts={"basis": "earlier_runs", "known_ms": [240_000]}),
            says("The limit ended it."),
        ),
        Example(
            "a slow restart on a live host, given a quarter of a minute",
            asks("restart the model server"),
            bash(RESTART, limit=900, took=694, output="ready"),
            asks("once more with the new model"),
            bash(RESTART, limit=15, times_out=True, flag=SLUG, severity="medium", facts={"basis": "earlier_runs"}),
            nothing(),
        ),
        Example(
            "cut off at five minutes before, now two",
            asks("mach ein Abbild"),
            bash("docker build -t shop .", limit=300, times_out=True, output="Step 4/9"),
            bash("docker build -t shop . 2>&1 | tail -20", limit=120, times_out=True, flag=SLUG,
                 facts={"basis": "earlier_limit", "known_ms": [300_000]}),
            says("Der Bau wurde zweimal abgebrochen."),
        ),
        Example(
            "an in-command limit",
            asks("run the suite"),
            bash("npm test", limit=600, took=180, output="Tests: 210 passed"),
            bash("timeout 60 npm test", exit=124, took=60, output="", flag=SLUG, facts={"limit_ms": 60_000}),
            says("Ran into the limit."),
        ),
        Example(
            "the wait fits into the limit",
            asks("restart it"),
            bash("systemctl restart api && sleep 10 && curl -f http://localhost/health", limit=60, output="ok"),
            says("Healthy."),
        ),
        Example(
            "a sleep in the background does not hold the call",
            asks("stop it in ten minutes"),
            bash("(sleep 600 && docker stop web) &", limit=60),
            bash("docker build .", limit=60, times_out=True),
            says("The build was cut off, the container will be stopped later."),
        ),
        Example(
            "the same limit as before, cut off again: another rule's matter",
            asks("build"),
            bash("make all", limit=120, times_out=True),
            bash("make all", limit=120, times_out=True),
            says("Cut off twice."),
        ),
        Example(
            "given more time",
            asks("build"),
            bash("make all", limit=120, times_out=True),
            bash("make all", limit=600, took=300, output="ok"),
            says("Built."),
        ),
        Example(
            "a short limit that sufficed",
            asks("build"),
            bash("cargo build", limit=600, took=240, output="Finished"),
            bash("cargo build", limit=60, took=3, output="Finished"),
            says("Built from the cache."),
        ),
        Example(
            "one of the earlier runs was short enough",
            asks("test"),
            bash("pytest -q", limit=600, took=300, output="41 passed"),
            bash("pytest -q", limit=600, took=20, output="41 passed"),
            bash("pytest -q", limit=60, times_out=True),
            says("Hung this time."),
        ),
        Example(
            "another operation took long",
            asks("test both"),
            bash("pytest tests/slow", limit=600, took=300, output="3 passed"),
            bash("pytest tests/unit", limit=60, times_out=True),
            says("The unit tests hang."),
        ),
        Example(
            "a wait that ended in time",
            asks("roll it out"),
            bash("kubectl rollout status deploy/cart --timeout=600s", limit=120, took=30,
                 output='deployment "cart" successfully rolled out'),
            says("Rolled out."),
        ),
        Example(
            "the client keeps it running in the background",
            asks("long one"),
            bash("sleep 900 && ./report.sh", limit=60, background=True),
            says("It runs in the background."),
        ),
    )  # fmt: skip


def _limit(called: Called) -> int | None:
    """The limit that ended the call: of the client, or of a ``timeout`` in the line."""
    if called.cut_off is not None and called.cut_off.limit_ms is not None:
        return called.cut_off.limit_ms
    return called.call.limit_ms


def _took(called: Called) -> int | None:
    call = called.call
    took = None if call.start is None or call.end is None else call.end - call.start
    return took if took is not None and took >= _LEAST_MS else None


def _came_to_its_end(called: Called) -> bool:
    """Whether the call ended by itself: what failed at once says nothing of how long it takes."""
    call = called.call
    ended = (
        called.cut_off is None
        and not called.unfinished
        and not call.interrupted
        and not called.connection_lost
    )
    return ended and call.status == "completed" and call.exit in (0, None)


def _operation(commands: tuple[Ran, ...]) -> tuple[str, ...]:
    """What a line does, apart from what stands around it: its telling commands with their hosts."""
    return tuple(
        " ".join((*(via for via in ran.command.via if not via.startswith("timeout")), *_without_outputs(ran.command.words)))
        for ran in commands
        if ran.command.words and ran.command.program not in _ASIDE and not ran.command.detached
    )  # fmt: skip


def _without_outputs(words: tuple[str, ...]) -> Iterator[str]:
    """Words of a command without the file it writes: a dump into another file is the same work."""
    dumps = words[0].rsplit("/", 1)[-1] in _WRITERS
    skip = False
    for word in words:
        if skip:
            skip = False
        elif word in _OUTPUTS and (dumps or word.startswith("--")):
            skip = True
        elif not word.startswith(("--output=", "--file=", "of=", "--result-file=")):
            yield word


def _seconds(word: str) -> float | None:
    """A duration as shells and tools write it: ``90``, ``5m``, ``1m30s``; ``None`` for anything else."""
    pieces = _PIECE.findall(word)
    if not pieces or "".join(number + unit for number, unit in pieces) != word:
        return None
    return sum(float(number) * (0.001 if unit == "ms" else _SIZES[unit]) for number, unit in pieces)


def _own_wait(called: Called, commands: tuple[Ran, ...]) -> tuple[int, int]:
    """How long the line waits by its own words, in milliseconds: for certain, and at the most."""
    sure = most = 0.0
    line = called.line or ""
    loop = max((int(number) for found in _LOOP.findall(line) for number in found if number), default=0)
    listed = _LISTED.search(line)
    if listed is not None and not any(sign in listed.group(1) for sign in "$*{`?"):
        loop = max(loop, len(listed.group(1).split()))
    looped = re.search(r"\b(?:for|while|until)\b", line) is not None
    for ran in commands:
        command = ran.command
        waits_for_it = any(word.startswith("--wait") for word in command.words)
        if (command.detached and not waits_for_it) or command.runs_if == "after_failure" or not command.words:
            continue
        program = command.program
        if program == "sleep":
            slept = sum(_seconds(word) or 0 for word in command.words[1:])
            in_loop = looped and _within_loop(line, slept)
            sure += 0 if in_loop else slept
            most += slept * max(loop, 1) if in_loop else slept
        else:
            most += _waits(command, program)
    if not commands or not any(ran.command.detached for ran in commands):
        inline = [float(python or shell) for python, shell in _SLEEPS.findall(line) if python or shell]
        if len(inline) == 1 and re.search(r"\b(?:for|while|range|def|if)\b", line) is None:
            sure, most = sure + inline[0], most + inline[0]
    return round(sure * 1000), round(most * 1000)


def _within_loop(line: str, slept: float) -> bool:
    """Whether a sleep of that length stands between ``do`` and ``done``."""
    begin, end = re.search(r"\bdo\b", line), line.rfind("done")
    if begin is None or end < begin.end():
        return False
    return re.search(rf"\bsleep\s+{re.escape(f'{slept:g}')}\b", line[begin.end() : end]) is not None


def _waits(command: Command, program: str) -> float:
    """How long a program waits at the most by its own option, in seconds; 0 where none says so."""
    if command.limit_s is not None and program not in _WAITERS:
        return 0.0
    if program not in _WAITERS:
        return 0.0
    words = command.words
    for position, word in enumerate(words):
        if _WAIT_OPTION.match(word):
            value = word.partition("=")[2] or (words[position + 1] if position + 1 < len(words) else "")
            waits = _seconds(value)
            if waits is not None:
                return waits
    return 0.0
