"""The rule ``check-that-cannot-fail``."""

import itertools
import re

from sessionlens.examples import Example, asks, bash, edit, says
from sessionlens.rule import (
    STARTS,
    Called,
    Command,
    Finding,
    Iterator,
    Ran,
    Rule,
    Session,
    SessionGraph,
    Severity,
    by_environment,
    changes,
    clipped,
    dataclass,
    human,
    lazy,
    not_recorded,
)

SLUG = "check-that-cannot-fail"
UNIT = "ssh root@web1 \"sed -i 's/a/b/' /etc/nginx/nginx.conf && systemctl reload nginx\""

_FILTERS = frozenset(
    {
        "head",
        "tail",
        "grep",
        "egrep",
        "rg",
        "tee",
        "sort",
        "uniq",
        "cut",
        "awk",
        "sed",
        "wc",
        "cat",
        "jq",
        "less",
    }
)
_PRINTS = frozenset({"echo", "printf", "write-host", "write-output"})
_NOTHING = frozenset({"true", ":", "/bin/true"})
_VERDICT = lazy(
    r"\b(?:done|ok|okay|success\w*|passe[ds]|pass|complete[d]?|finished|healthy|fine|good|valid|ready|up|running|alive|works?|verified"
    r"|fertig|erfolgreich|bestanden|terminé|réussi|listo|correcto|hecho|pronto|concluído|fatto|klaar|gotowe|tamam|готово|успешно)\b"
    r"|[✓✔✅]|完成|成功|通过|正常|完了|완료",
    re.IGNORECASE,
)
"""Words by which a line states that all is well, whatever happened before them."""
_BAD = lazy(
    r"fail|error|not |n't|no |down|bad|missing|unhealthy|broken|exit|code|\$\?|status|empty|\bif\b|nothing|fehl|échou|fall[oó]|失败|失敗",
    re.IGNORECASE,
)
"""Words by which a printed line leaves open, or says, that it is not well."""
_SHOWN = lazy(
    r"\b(?:pass(?:ed|ing)?|fail(?:ed|ures?|ing)?|errors?|ok|running|active|inactive|healthy|unhealthy|success\w*|exception|traceback"
    r"|warnings?|listen\w*|refused|not found|up|down|\d+ tests?|valid|syntax)\b|HTTP/|\b[1-5]\d\d\b|[✓✔✅✗✘❌]",
    re.IGNORECASE,
)
"""Words by which an output shows how it went, whatever the exit code."""
_EXIT_READ = lazy(r"\$\?|\$LASTEXITCODE|%ERRORLEVEL%", re.IGNORECASE)
_PIPEFAIL = lazy(r"pipefail|PIPESTATUS|pipestatus", re.IGNORECASE)
_PIPE = lazy(
    r"(?<!\|)\|&?\s*(?:sudo\s+)?(?:\S*/)?(?:head|tail|grep|egrep|rg|tee|sort|uniq|cut|awk|sed|wc|cat|jq|less)\b"
)
_CODE_ASKED = frozenset(
    {
        "-f",
        "--fail",
        "--fail-with-body",
        "-w",
        "--write-out",
        "-i",
        "-I",
        "--head",
        "-v",
        "--verbose",
        "-D",
        "--dump-header",
    }
)
_SPEAKS_WHEN_BAD = frozenset(
    {"shellcheck", "flake8", "pylint", "eslint", "ruff", "mypy", "tsc", "yamllint", "hadolint", "golangci-lint", "staticcheck", "gofmt", "black",
     "prettier", "rubocop", "stylelint", "bandit", "biome", "markdownlint", "ansible-lint", "tflint", "phpstan", "psalm", "cppcheck", "clang-tidy", "isort"}
)  # fmt: skip
_THROWN_AWAY = lazy(r"(?<!\$\()(?<!`)\bcurl\b[^|;&\n)`]{0,600}(?<![2\w])(?:&>|1?>)\s*/dev/null")
"""A request whose answer goes nowhere; where it is captured in a variable, it does not."""
_CONDITION = lazy(r"\b(?:if|while|until)\s+(?:!\s*)?(?:timeout\s+\S+\s+)?curl\b")
_GATED = STARTS | {"transfer", "migrate", "write_data", "delete", "create", "scale", "stop"}
"""Effects that should wait for a good verdict."""
_SHAPES = {
    "masked": "its failure is turned into success",
    "stated": "what is printed after it says that all is well, however it went",
    "discarded": "neither the code of the answer nor its text is looked at",
    "piped": "what goes on after it follows the filter behind the pipe, not the check",
    "chained": "a first failure keeps the others from running",
}


@dataclass(frozen=True, kw_only=True)
class CheckThatCannotFail(Rule):
    """A check was written so that it reports success whatever the state is.

    ## What it flags
    A test run or build, or a check after a change in the same turn, whose verdict cannot be bad: its failure is turned into
    success (``|| true``, ``|| echo ok``, ``|| exit 0``) or followed by a fixed word of success (``; echo done``) while
    nothing of its own output shows how it went; ``curl -s -o /dev/null URL`` without ``-f``, ``-w`` or ``-i``, which is
    content with an error page; a test piped into ``tail``, ``head`` or ``grep`` without ``pipefail`` whose exit code is
    then read, or decides what runs next (``pytest | tail -1 && ./deploy.sh``); and probes joined by ``&&`` of which an
    early one failed, so that the later ones never ran. Not flagged: a check that prints its state anyway.

    ## Why it matters
    It looks like a check, in the log and to the agent, and shows nothing.

    ## What to do
    Run it again without the mask. For the agent: let checks fail, read their exit code, use ``curl -f``, ``set -o
    pipefail``, and ``;`` between probes that do not depend on each other.

    ## Facts
    - `shape`: masked, stated, discarded, piped or chained
    - `check`: the words of the check
    - `effect`: test, build or check
    - `decides`: what runs on its strength, as effect (deploy, transfer, restart …), or null
    - `hidden`: how many later probes a first failure kept from running, for the shape chained, else 0
    """

    slug = SLUG
    severity = "low"
    since = "0.1"

    def checkable(self, session: Session) -> str | None:
        """Not on logs that leave out what was run."""
        return not_recorded(session.source_format, "calls")

    def check(self, graph: SessionGraph) -> Iterator[Finding]:
        """One finding a call, for the gravest shape in it."""
        for called in (graph.events[seq] for seq in graph.index("called")):
            if (
                not isinstance(called, Called)
                or called.line is None
                or called.unfinished
                or called.call.interrupted
            ):
                continue
            commands = graph.commands(called)
            found = _shape(called, commands)
            if found is None:
                continue
            shape, ran, decides, hidden = found
            if ran.command.effect not in ("test", "build") and not _after_change(graph, called, commands):
                continue
            yield self._found(graph, called, ran, shape, decides, hidden)

    def _found(  # noqa: PLR0917
        self, graph: SessionGraph, called: Called, ran: Ran, shape: str, decides: Ran | None, hidden: int
    ) -> Finding:
        severity: Severity = "low"
        if decides is not None:
            severity = (
                "medium" if decides.start or decides.command.effect in ("transfer", "migrate") else "low"
            )
        elif shape in ("masked", "stated", "discarded"):
            severity = by_environment(
                graph.setting(ran).environment, production="medium", unknown="low", other="low"
            )
        words = clipped(" ".join(ran.command.words))
        # The line would have gone on after a failure; what it printed shows that there was none.
        harmless = shape == "piped" and _seen_good(ran)
        return self.finding(
            called,
            f"A check that cannot fail: {words}",
            note=f"As the line is written, {_SHAPES[shape]}.",
            because=[(called, _SHAPES[shape], called.line or "")],
            kind="signal" if harmless else "fault",
            severity="low" if harmless else severity,
            confidence="high" if shape in ("piped", "masked") and not ran.command.partly_parsed else "medium",
            facts={
                "shape": shape,
                "check": " ".join(ran.command.words),
                "effect": ran.command.effect,
                "decides": None if decides is None else decides.command.effect,
                "hidden": hidden,
            },
        )

    examples = (
        Example(
            "a silent test run with its failure turned into success",
            asks("run the tests"),
            bash("npm test > /dev/null 2>&1 || true", flag=SLUG, severity="low", facts={"shape": "masked"}),
            says("The tests ran."),
        ),
        Example(
            "a health request after a reload, masked and silent",
            asks("turn gzip on"),
            bash(UNIT),
            bash("ssh root@web1 'curl -sf http://localhost/health || true'", flag=SLUG, severity="medium",
                 facts={"shape": "masked"}),
            says("Reloaded."),
        ),
        Example(
            "errors thrown away and ok printed instead",
            asks("change the vhost"),
            bash(UNIT),
            bash("ssh root@web1 'nginx -t 2>/dev/null || echo ok'", output="ok", flag=SLUG, facts={"shape": "masked"}),
            says("The configuration is ok."),
        ),
        Example(
            "done is printed however the suite went",
            asks("run the integration tests"),
            bash("./run_tests.sh > /tmp/out.txt 2>&1; echo 'tests done'", output="tests done", flag=SLUG,
                 facts={"shape": "stated"}),
            says("The tests are through."),
        ),
        Example(
            "a request that is content with an error page",
            asks("deploy the api"),
            bash("kubectl -n prod rollout restart deploy/api", output="deployment.apps/api restarted"),
            bash("curl -s -o /dev/null https://api.example.com/health", flag=SLUG, severity="medium",
                 facts={"shape": "discarded"}),
            says("The api answers."),
        ),
        Example(
            "the same, and OK printed after it",
            asks("reload nginx"),
            bash(UNIT),
            bash("ssh root@web1 'curl -s http://localhost/ >/dev/null && echo OK'", output="OK", flag=SLUG,
                 facts={"shape": "discarded"}),
            says("The site is OK."),
        ),
        Example(
            "a push that hangs on the exit code of tail",
            asks("test and push"),
            edit("/home/dev/project/a.py"),
            bash("pytest -q 2>&1 | tail -3 && git push origin main", output="1 failed, 3 passed in 0.2s", flag=SLUG,
                 severity="medium", facts={"shape": "piped", "decides": "transfer"}),
            says("Pushed."),
        ),
        Example(
            "a push that hangs on the exit code of tail, and the last line shows that all tests passed",
            asks("test and push"),
            edit("/home/dev/project/a.py"),
            bash("make -s test 2>&1 | tail -1 && git push origin main", output="88 tests, 0 failures\n   71fe0d2..e5b90fa  main -> main", flag=SLUG,
                 kind="signal", severity="low", facts={"shape": "piped"}),
            says("88 tests are green, and it is pushed."),
        ),
        Example(
            "a push that hangs on the exit code of tail, whose last line shows nothing of the tests",
            asks("test and push"),
            edit("/home/dev/project/a.py"),
            bash("make -s test 2>&1 | tail -1 && git push origin main", output="Leaving directory\n   71fe0d2..e5b90fa  main -> main", flag=SLUG,
                 kind="fault", severity="medium", facts={"shape": "piped"}),
            says("The tests are green, and it is pushed."),
        ),
        Example(
            "a broken build is followed by OK, since tail ended well",
            asks("build and start it"),
            bash("npx next build 2>&1 | tail -5 && echo 'BUILD OK' && ./start.sh", output="Build worker exited with code: 1\nBUILD OK\nready",
                 flag=SLUG, facts={"shape": "piped", "effect": "build"}),
            says("Built and started."),
        ),
        Example(
            "the exit code of grep is read as that of the suite",
            asks("lauf die Tests"),
            bash("cargo test 2>&1 | grep -v warning; echo \"exit: $?\"", output="exit: 0", flag=SLUG,
                 facts={"shape": "piped"}),
            says("Rückgabewert 0."),
        ),
        Example(
            "three probes in a chain, the first fails",
            asks("restart the stack"),
            bash("ssh root@web1 'docker compose up -d'", output="Container web Started"),
            bash("ssh root@web1 'systemctl is-active nginx && curl -sf http://localhost/ && docker ps'", exit=3,
                 output="inactive", flag=SLUG, facts={"shape": "chained", "hidden": 2}),
            says("nginx is inactive."),
        ),
        Example(
            "three probes in a chain, nothing at all is shown",
            asks("restart the model"),
            bash("ssh root@gpu1 'systemctl restart model'"),
            bash("ssh root@gpu1 'systemctl is-active model && ss -tln | grep 8000 && curl -sf localhost:8000/health'", exit=3,
                 flag=SLUG,
                 facts={"shape": "chained"}),
            says("Nothing came back."),
        ),
        Example(
            "masked, and it prints its state anyway",
            asks("reload nginx"),
            bash(UNIT),
            bash("ssh root@web1 'systemctl is-active nginx || true'", output="active"),
            bash("ssh root@web1 'systemctl status nginx --no-pager | head -5 || true'", output="Active: active (running)"),
            says("nginx is active."),
        ),
        Example(
            "a masked test run that shows its result",
            asks("run the tests"),
            bash("pytest -q || true", output="1 failed, 41 passed"),
            says("One test fails."),
        ),
        Example(
            "the else branch says that it failed",
            asks("reload nginx"),
            bash(UNIT),
            bash("ssh root@web1 'curl -sf http://localhost/ >/dev/null && echo up || echo DOWN'", output="up"),
            says("The site is up."),
        ),
        Example(
            "the code of the answer is asked for",
            asks("reload nginx"),
            bash(UNIT),
            bash("curl -s -o /dev/null -w '%{http_code}' http://web1.example.com/", output="200"),
            bash("curl -fsS -o /dev/null http://web1.example.com/ && echo ok", output="ok"),
            says("200."),
        ),
        Example(
            "pipefail is set",
            asks("test and push"),
            bash("set -o pipefail; pytest -q | tail -3 && git push", output="41 passed"),
            says("Pushed."),
        ),
        Example(
            "piped to read it, nothing hangs on the code",
            asks("run the tests"),
            bash("cargo test 2>&1 | tail -20", output="test result: ok. 41 passed; 0 failed"),
            says("41 passed."),
        ),
        Example(
            "probes in a chain that all answered",
            asks("restart the stack"),
            bash("ssh root@web1 'docker compose up -d'", output="Container web Started"),
            bash("ssh root@web1 'systemctl is-active nginx && curl -sf http://localhost/health'", output="active\nok"),
            says("Both are fine."),
        ),
        Example(
            "a request that sets off what is looked at next",
            asks("drop the cached menu and see that the site writes it anew"),
            bash("redis-cli -h redis-live DEL menu:v2; curl -s -o /dev/null https://www.cafe.example/menu; redis-cli -h redis-live TTL menu:v2", output="(integer) 1\n(integer) 3599"),
            says("It is there again, with an hour to live."),
        ),
        Example(
            "a request, and nothing looked at behind it but the time",
            asks("drop the cached menu and see that the site works"),
            bash("redis-cli -h redis-live DEL menu:v2; curl -s -o /dev/null https://www.cafe.example/menu; date", output="(integer) 1\nTue Jun  2 10:00:00 UTC 2026",
                 flag=SLUG, facts={"shape": "discarded"}),
            says("The site works."),
        ),
        Example(
            "an exploration without any change",
            asks("what runs on this host?"),
            bash("docker ps > /dev/null 2>&1 || true"),
            bash("curl -s -o /dev/null http://localhost:8080/"),
            says("Nothing to see."),
        ),
        Example(
            "a clean-up that may find nothing to clean",
            asks("rebuild"),
            bash("docker rm -f web || true; docker build -t web . && docker run -d --name web web", output="Successfully built"),
            bash("docker ps --filter name=web", output="web Up 3 seconds"),
            says("web runs."),
        ),
    )  # fmt: skip


def _after_change(graph: SessionGraph, called: Called, commands: tuple[Ran, ...]) -> bool:
    """Whether something was changed in this turn before the check, in its own line too."""
    if any(ran.change and ran.command.effect != "edit" for ran in commands):
        return True
    return graph.before(called).since(human).any(changes)


def _program(command: Command) -> str:
    return command.program.casefold()


def _shape(called: Called, commands: tuple[Ran, ...]) -> tuple[str, Ran, Ran | None, int] | None:
    """How a line keeps its check from failing: the shape, the check, what it decides, how many others it hides."""
    output = called.call.output.ends() if called.call.output is not None else ""
    line = called.line or ""
    for number, ran in enumerate(commands):
        if not _judges(ran) or ran.outcome.reached == "no":
            continue
        later = list(commands[number + 1 :])
        filters = 0
        while filters < len(later) and _filters(line, commands[number + filters], later[filters]):
            filters += 1
        piped = filters > 0
        behind = later[filters:] if piped else later
        if piped and ran.command.effect in ("test", "build") and _PIPEFAIL.search(line) is None:
            found = _decided(behind)
            if found is not None:
                return "piped", ran, found if found.changes else None, 0
        following = behind[0] if behind else None
        shows = _shows(ran, output, following)
        if (
            following is not None
            and following.command.runs_if == "after_failure"
            and _masks(following.command)
            and not shows
        ):
            return "masked", ran, None, 0
        if (
            following is not None
            and following.command.runs_if == "always"
            and not shows
            and (_states(following.command) or (ran.command.quiet and _masks(following.command)))
        ):
            return "stated" if _states(following.command) else "masked", ran, None, 0
        if _discards(ran.command, line) and not _code_read(line, behind) and not _looked_at(behind):
            return (
                "discarded",
                ran,
                next((one for one in behind if one.changes and one.command.runs_if == "after_success"), None),
                0,
            )
        chain = _chained(ran, later, called)
        if chain:
            return "chained", ran, None, chain
    return None


_ALL_WELL = lazy(
    r"\b[1-9]\d{0,6}\s+(?:\w{1,20}\s+)?(?:pass(?:ed|ing)|tests?|specs?|examples?|assertions?|ok)\b|\b(?:passed|tests run|pass)[:=]?\s{1,3}[1-9]\d{0,6}\b|^ok\s+\S|\btest result: ok\b|\bBUILD SUCCESS(?:FUL)?\b|\ball (?:\d+ )?tests passed\b",
    re.IGNORECASE | re.MULTILINE,
)
_NOT_WELL = lazy(
    r"(?<![\w.])(?!0+\b)\d{1,7}\s+(?:\w{1,20}\s+)?(?:fail(?:ed|ures?|ing)?|errors?|broken)\b|\b(?:failures?|failed|errors?|fail)\s{0,2}[:=]\s{0,3}[1-9]|\bFAIL(?:ED)?\b(?!\s{0,2}[:=]?\s{0,2}0)|^\s*(?:error|fatal|panic)\b|\bTraceback\b|\bexit(?:ed with)? code:? [1-9]|✗|✘|❌",
    re.MULTILINE,
)


def _seen_good(ran: Ran) -> bool:
    """Whether what a test run or build printed shows that it went well, and nothing in it that it did not."""
    output = ran.call.call.output
    shown = "" if output is None else output.ends()
    return not ran.outcome.failed and _ALL_WELL.search(shown) is not None and _NOT_WELL.search(shown) is None


def _filters(line: str, before: Ran, ran: Ran) -> bool:
    """Whether a command is a filter behind the pipe of the one before it."""
    if _program(ran.command) not in _FILTERS:
        return False
    begin, end = before.command.span[1], ran.command.span[0]
    if begin <= end:
        between = line[begin:end]
        return "|" in between and not any(sign in between for sign in ("||", "&&", ";", "\n"))
    # Within quotes that another shell reads, places are those of the whole.
    return ran.command.runs_if in ("always", before.command.runs_if) and _PIPE.search(line) is not None


def _judges(ran: Ran) -> bool:
    """Whether a command is there to give a verdict."""
    return ran.command.effect in ("test", "build") or ran.command.check_strength in ("exercise", "state")


def _masks(command: Command) -> bool:
    """Whether what runs after a failure hides it."""
    program = _program(command)
    words = " ".join(command.words[1:])
    if program in _NOTHING or (program == "exit" and words in ("0", "")):
        return True
    return program in _PRINTS and _VERDICT.search(words) is not None and _BAD.search(words) is None


def _states(command: Command) -> bool:
    """Whether what runs in any case says that all is well."""
    words = " ".join(command.words[1:])
    return _program(command) in _PRINTS and _VERDICT.search(words) is not None and _BAD.search(words) is None


def _shows(ran: Ran, output: str, following: Ran | None) -> bool:
    """Whether the output shows how the check went, apart from what the next command prints."""
    if ran.command.quiet:
        return False
    if _program(ran.command) in _SPEAKS_WHEN_BAD or {"lint", "vet", "fmt", "check", "typecheck"} & set(
        ran.command.words[1:3]
    ):
        # A linter prints what it finds: its silence is a verdict, whatever the exit code.
        return True
    if ran.outcome.state is not None and (following is None or ran.outcome.quote):
        return True
    own = output
    if following is not None and _program(following.command) in _PRINTS:
        own = own.replace(" ".join(following.command.words[1:]), "")
    own = own.replace("(no output)", "").strip()
    return bool(own) and (ran.command.check_strength is not None or _SHOWN.search(own) is not None)


def _discards(command: Command, line: str) -> bool:
    """Whether a request throws its answer away and asks neither for the code nor for an error of it."""
    if _program(command) != "curl" or command.check_strength != "exercise" or command.verdict_by_exit:
        return False
    words = command.words
    short = {f"-{letter}" for word in words if re.fullmatch(r"-[A-Za-z]{2,8}", word) for letter in word[1:]}
    if _CODE_ASKED & (set(words) | short) or any(
        word.startswith(("--write-out", "-w", "--fail")) for word in words
    ):
        return False
    away = any(one in ("-o", "--output") and other == "/dev/null" for one, other in itertools.pairwise(words))
    away = away or "-o/dev/null" in words or _THROWN_AWAY.search(line) is not None
    return away and not {"-X", "--request", "-d", "--data"} & set(words)


def _code_read(line: str, behind: list[Ran]) -> bool:
    """Whether a condition, a wait for something to come up, or a branch for failure looks at the exit code."""
    return _CONDITION.search(line) is not None or any(
        one.command.runs_if == "after_failure" for one in behind[:3]
    )


def _looked_at(behind: list[Ran]) -> bool:
    """Whether the line goes on to look at something: the request was to set it off, not to judge it."""
    return any(
        one.command.check_strength is not None
        and _program(one.command) not in _PRINTS | {"curl", "wget"}
        and one.outcome.state is not None
        and one.outcome.quote
        for one in behind[:8]
    )


def _decided(behind: list[Ran]) -> Ran | None:
    """What runs, or is printed, on the strength of an exit code that is the filter's."""
    for one in behind:
        command = one.command
        if command.runs_if in ("after_success", "after_failure"):
            if (one.changes and command.effect in _GATED) or (
                _program(command) in _PRINTS and _VERDICT.search(" ".join(command.words)) is not None
            ):
                return one
            continue
        if _program(command) in _PRINTS and _EXIT_READ.search(" ".join(command.words)) is not None:
            return one
        return None
    return None


def _chained(ran: Ran, later: list[Ran], called: Called) -> int:
    """How many probes never ran because an earlier one of their chain failed; 0 where the log does not show it."""
    if ran.command.check_strength is None or ran.command.effect in ("test", "build"):
        # A test that is left out after one that failed is seen, and run again.
        return 0
    others = []
    for one in later:
        if _program(one.command) in _FILTERS and one.command.check_strength is None:
            continue
        if one.command.runs_if != "after_success":
            if one.command.runs_if == "after_failure":
                return 0
            continue
        if one.command.effect in ("test", "build") or one.command.check_strength is None:
            return 0
        others.append(one)
    if not others or called.call.exit in (0, None) or called.cut_off is not None:
        return 0
    hidden = [
        one
        for one in others
        if one.outcome.reached != "yes" or one.outcome.state is None or not one.outcome.quote
    ]
    return len(hidden) if len(hidden) == len(others) else 0
