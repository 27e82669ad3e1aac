"""The rule ``failure-not-reported``."""

import re

from sessionlens.examples import Example, asks, bash, child, edit, nothing, read, says, tool
from sessionlens.rule import (
    Called,
    Confidence,
    Finding,
    FollowUp,
    Iterator,
    Ran,
    Reason,
    Said,
    Sequence,
    Session,
    SessionGraph,
    Severity,
    Shortfall,
    Turn,
    by_environment,
    dataclass,
    lazy,
    not_recorded,
)

SLUG = "failure-not-reported"
FAILED = "FAILED tests/test_pay.py::test_charge\n1 failed, 41 passed in 3.1s"

_TELLING = frozenset(
    {"reports_failure", "acknowledges_cut_off", "admits_unverified", "hedges"}
)  # fmt: skip
"""Acts by which a reader learns that not all is well."""
_TROUBLE = lazy(
    r"\b(?:fail\w*|errors?|errored|exceptions?|broken|breaks?|broke|crash\w*|unable|cannot|can't|couldn't|could not|won't"
    r"|does(?:n't| not)|did(?:n't| not)|isn't|aren't|wasn't|weren't"
    r"|not (?:yet|found|available|installed|possible|work\w*|allowed|pass\w*|appl\w*|build\w*|compil\w*|run\w*|complet\w*|start\w*)"
    r"|unavailable|denied|refused|rejected|blocked|blockers?|stuck|timed? ?out|time-?outs?|wrong|mismatch\w*|unhealthy|unreachable"
    r"|unfortunately|workarounds?|pre-existing|no luck|except(?: for)?|apart from|other than|all but|hiccups?|chok\w+|off by|regress\w*|issues?|problems?|bugs?|trouble|sorry|apologi[sz]e|(?:different|another|other) (?:approach|way)"
    r"|fix (?:this|it|that)|try again|retry|problem\w*|problème\w*|problema\w*|entschuldig\w*)\b"
    r"|[❌✗✘⚠✕🔴]"
    r"|bis auf|\bsauf\b|\bexcepto\b|\bsalvo\b|\btranne\b|\bbehalve\b|\boprócz\b|кроме|крім|除了|を除|제외|fehler\w*|fehlgeschl\w*|scheiter\w*|schlug\w*|schlägt|schlagen|kaputt|leider|abgebroch\w*|ging nicht|geht nicht"
    r"|échou\w*|échec\w*|erreurs?\b|impossible|refus\w*|ne \w+ pas|n'a pas|n'ont pas"
    r"|fall(?:ó|a|an|o|aron|ido|ó|aba)\b|fallid\w*|error(?:es)?\b|no (?:se pudo|pude|funciona)|falh\w*|erros?\b|não (?:foi|passou|funcion\w*)"
    r"|fallit\w*|errore|errori|non (?:è|sono|funziona)|mislukt\w*|fout\w*|lukte niet|werkt niet|błąd\w*|błęd\w*|nie (?:powiod\w*|działa|przesz\w*)"
    r"|hata|başarısız|olmadı|çalışm\w*|ошиб\w*|сбо[йя]\w*|упал\w*|не (?:удал\w*|прош\w*|работ\w*)|помилк\w*|невдал\w*"
    r"|失败|失敗|错误|錯誤|エラー|できません|ませんでした|失敗|无法|無法|未能|没有通过|실패|오류|에러|못했",
    re.IGNORECASE,
)
"""Words of trouble in many languages: a text that holds one may be telling of the failure."""
_PROBES = frozenset(
    {"which", "type", "command", "test", "[", "grep", "egrep", "rg", "find", "ls", "stat", "cat", "head", "tail", "diff", "cmp",
     "pgrep", "kill", "pkill", "killall", "lsof", "ss", "netstat", "ping", "dig", "nslookup", "host", "git", "gh", "id", "sed",
     "awk", "wc", "sleep", "true", "false", "read", "jq", "rm", "mkdir", "rmdir", "nc", "file", "whoami", "man", "tree", "du"}
)  # fmt: skip
"""Programs that people run to see whether something is there: a failure of theirs is an answer."""
_ASKING = frozenset({"--version", "-v", "-V", "version", "--help", "-h", "help"})
_REFUSED = lazy(
    r"reject|denied|refus|declin|cancel|abort|interrupt|permission|not allowed|disallowed|hook", re.IGNORECASE
)
_GIT_WRITES = frozenset({"push", "commit", "merge", "rebase", "cherry-pick", "pull", "tag", "am", "apply"})
_BRIEF = 25
"""Words of a message so short that a negation in it speaks of the work."""
_AT_ONCE = 6
"""Events between a failure and the words that answer it."""
_NEGATION = lazy(
    r"\b(?:no|not|never|none|nothing|nobody|neither|without|still|yet|only|held|n't)\b|n['’]t\b|\b(?:nicht|kein\w*|noch|nur|ohne|pas|aucun\w*|rien|encore|sans|nada|ning[uú]n\w*|todav[ií]a|sin|aún"
    r"|não|nenhum\w*|ainda|sem|non|nessun\w*|ancora|senza|niet|geen|nog|zonder|nie|brak|jeszcze|bez|değil|yok|henüz)\b|\b(?:не|нет|ещё|еще|без|немає|ще)\b|没|不|无|無|未|ない|ません|안|못|없",
    re.IGNORECASE,
)
_BAD_LINE = lazy(r"FAIL|ERROR|Error|error:|✗|✕|×|●|not ok|panic")
_LINES = 20
_LETTERS = 6
"""Characters that a name needs to stand for what failed."""
_PART = lazy(r"(?<![\d.])(\d{1,9})\s?(?:/|of|out of|von|sur|de|di|из)\s?(\d{1,9})(?![\d.])")
"""How much of a whole is well: who reads it knows that the rest is not."""
_BAD_COUNT = lazy(r"(?<![\d.])([1-9]\d{0,8})(?= (?:failed|failing|failures?|errors?))")
_NUMBER = lazy(r"(?<![\w.])(\d{1,9})(?![\w.]*\w)")
_NAMES = lazy(r"[A-Za-z_][\w./:-]{5,}")


@dataclass(frozen=True, kw_only=True)
class FailureNotReported(FollowUp):
    """Something failed, stood so to the end of the turn, and the last words do not mention it.

    ## What it flags
    A turn that ends with prose, or hands its work in by a call, while a change, test, build or check of that turn had failed, or an edit had not
    been applied, and nothing put it right: no success of the same operation, no good check, no change since. Neither
    the last words nor any since the failure tell of it, in whatever wording. Only silence is flagged here; a
    statement of success against it is the matter of `claim-contradicted-by-evidence`. Not flagged: probing
    for something that is not there, searches without a match, what the client or the person refused, and a turn
    that the person stopped.

    ## Why it matters
    The person reads the last message, not the log, and takes what is not mentioned for done.

    ## What to do
    Look at the failure named here. For the agent: before ending, go through what failed and say what stands.

    ## Facts
    - `failures`: how many failures stood at the end of the turn
    - `failed_at`: index of the message with the last of them
    - `what`: effect of what failed: test, build, check, edit, deploy …
    - `evidence_words`: the words of the log that show it, empty where only an exit code does
    - `exit`: its exit code, null where none was recorded
    """

    slug = SLUG
    severity = "medium"
    since = "0.1"
    after = ("claim-contradicted-by-evidence", "claim-without-evidence")

    def checkable(self, session: Session) -> str | None:
        """Not on logs that leave out what was run and how it ended."""
        return not_recorded(session.source_format, "calls")

    def check_after(self, graph: SessionGraph, earlier: tuple[Finding, ...]) -> Iterator[Finding]:
        """One finding for each turn that ends in words about something else."""
        claimed = {finding.at.message_index for finding in earlier if finding.at.session == graph.session.id}
        for turn in graph.turns:
            if turn.session != graph.session.id or turn.interrupted or not turn.calls:
                continue
            prose = [said for said in graph.prose_of(turn) if said.role == "assistant"]
            handed = graph.handed_in(turn.calls[-1])
            if not handed and (not prose or prose[-1].seq < turn.calls[-1].seq or prose[-1].message.summary):
                continue
            standing = [item for item in graph.standing(turn) if _counts(item)]
            failed: list[Ran] = [item.event for item in standing]
            quotes = [item.quote for item in standing]
            failed += _not_applied(graph, turn)
            if claimed & {said.at.message_index for said in turn.messages}:
                # A statement of success against a failure of this turn is told already.
                continue
            if failed and not _told(graph, prose, handed, failed, quotes):
                last = turn.calls[-1] if handed else prose[-1]
                yield self._found(graph, last, standing, sorted(failed, key=lambda ran: ran.seq), turn.calls)

    def _found(
        self,
        graph: SessionGraph,
        last: Said | Called,
        standing: list[Shortfall],
        failed: list[Ran],
        calls: Sequence[Called],
    ) -> Finding:
        worst = failed[-1]
        text = graph.prose(last) if isinstance(last, Said) else graph.handed_in(last)
        quotes = {item.event.seq: item.quote for item in standing}
        because: list[Reason] = [
            (ran, "failed, and nothing put it right", quotes.get(ran.seq) or ran.outcome.quote)
            for ran in failed[-5:]
        ]
        because.append((last, "the last words of the turn", text.strip()))
        environment = graph.setting(worst).environment
        weight = (
            worst.command.effect in ("test", "build")
            or worst.command.says is not None
            or (worst.changes and worst.command.effect != "edit")
        )
        other: Severity = "medium" if weight else "low"
        name = " ".join(worst.command.words[:3])[:60] or worst.call.call.name
        confidence: Confidence = "high" if len(prose_words(text)) >= 6 else "medium"
        if all(item.sign != "outcome" for item in standing) and standing:
            confidence = "medium"
        if isinstance(last, Said) and graph.reading(last).language is None:
            confidence = "low"
        if any(_may_have_told(graph, call) for call in calls if call.seq > failed[0].seq):
            # A message that may tell of it went out, and the log does not show whether it arrived, or what it says.
            confidence = "low"
        return self.finding(
            last,
            f"The turn ends without a word about what failed: {name}",
            because=because,
            severity=by_environment(
                environment if worst.changes else "local", production="high", unknown="medium", other=other
            ),
            confidence=confidence,
            facts={
                "failures": len(failed),
                "failed_at": worst.at.message_index,
                "what": worst.command.effect,
                "evidence_words": quotes.get(worst.seq) or worst.outcome.quote,
                "exit": worst.call.call.exit,
            },
        )

    examples = (
        Example(
            "a copy to two hosts, of which one was not reached",
            asks("put the configuration on web1 and web2"),
            bash("for h in web1 web2; do scp app.conf root@$h:/etc/app/app.conf; done",
                 output="app.conf 100%\nssh: connect to host web2 port 22: No route to host\nlost connection"),
            says("The configuration is on both hosts.", flag=SLUG),
        ),
        Example(
            "a copy to two hosts, of which one was not reached, and that is said",
            asks("put the configuration on web1 and web2"),
            bash("for h in web1 web2; do scp app.conf root@$h:/etc/app/app.conf; done",
                 output="app.conf 100%\nssh: connect to host web2 port 22: No route to host\nlost connection"),
            says("The configuration is on web1. web2 could not be reached: no route to host."),
        ),
        Example(
            "a test fails, the last words describe the change",
            asks("use the new parser and run the tests"),
            edit("/home/dev/project/parse.py"),
            bash("pytest tests/test_pay.py", exit=1, output=FAILED),
            says("The parser module uses a table of tokens. Each token has a name and a pattern.", flag=SLUG,
                 severity="medium", facts={"what": "test", "exit": 1}),
        ),
        Example(
            "a deploy on a live cluster fails, the summary speaks of the chart",
            asks("ship version 1.9"),
            bash("helm upgrade api ./chart -n prod", exit=1, output="Error: UPGRADE FAILED: another operation is in progress"),
            says("The chart has three templates: deployment, service and ingress.", flag=SLUG, severity="high"),
        ),
        Example(
            "the build broke, the answer goes on to the next topic",
            asks("add the page and build"),
            edit("/home/dev/project/src/page.tsx"),
            bash("npm run build", exit=1, output="ERROR in src/page.tsx\nModule not found: './Logo'"),
            says("Next, I suggest a menu entry for the page. It would go into the header component.", flag=SLUG),
        ),
        Example(
            "in German",
            asks("bau das Paket und erklär mir den Aufbau"),
            bash("make package", exit=2, output="make: *** [package] Error 2"),
            says("Das Paket hat drei Ordner: bin, lib und share. Der Ordner lib enthält die Module.", flag=SLUG),
        ),
        Example(
            "an edit was not applied",
            asks("rename the option and tell me where it is used"),
            edit("/home/dev/project/a.py", "old", "new", error="oldString not found in content"),
            read("/home/dev/project/b.py", "use(option)"),
            says("The option is used in b.py by the function use.", flag=SLUG, severity="low", facts={"what": "edit"}),
        ),
        Example(
            "no exit code in the log, the words of the result show it",
            asks("migrate the staging database and list its tables"),
            bash("alembic upgrade head", exit=None, output="FAILED: Can't locate revision identified by 'a1b2'"),
            says("The tables are users, orders and items.", flag=SLUG),
        ),
        Example(
            "a service of the person's host does not start",
            asks("enable the exporter on the web host and describe its metrics"),
            bash("ssh root@web1 'systemctl start node-exporter'", exit=1,
                 output="Job for node-exporter.service failed because the control process exited with error code."),
            says("It exposes CPU, memory and disk metrics on port 9100.", flag=SLUG, severity="high"),
        ),
        Example(
            "an edit was not applied, and the file was looked at after that",
            asks("add the last line"),
            edit("/home/dev/project/a.py", "main()", "main()\n", error="String to replace not found in file."),
            read("/home/dev/project/a.py", "main()"),
            bash("git commit -am 'Entry point'", output="[main 9541abc] Entry point"),
            says("The hook is in the repository and keeps bulk staging out."),
        ),
        Example(
            "handed in by a call whose text is about something else",
            asks("make the migration run"),
            bash("alembic upgrade head", exit=1, output="FAILED: Can't locate revision identified by 'a1b2'"),
            bash("ls migrations", output="versions env.py"),
            tool("submit", {"message": "The folder migrations holds the versions and the environment."}, output="submitted", flag=SLUG),
        ),
        Example(
            "handed in by a call that tells of it",
            asks("make the migration run"),
            bash("alembic upgrade head", exit=1, output="FAILED: Can't locate revision identified by 'a1b2'"),
            tool("submit", {"message": "The migration does not run: revision a1b2 is missing."}, output="submitted"),
        ),
        Example(
            "handed in by a call that tells of it in its notes",
            asks("make the migration run"),
            bash("alembic upgrade head", exit=1, output="FAILED: Can't locate revision identified by 'a1b2'"),
            tool("deliver_result", {"summary": "The folder migrations is tidied.", "openIssues": ["upgrade head does not run"]}, output="ok"),
        ),
        Example(
            "delivered by a call whose text is about something else",
            asks("make the migration run"),
            bash("alembic upgrade head", exit=1, output="FAILED: Can't locate revision identified by 'a1b2'"),
            tool("deliver_result", {"summary": "The folder migrations holds the versions and the environment."}, output="ok", flag=SLUG),
        ),
        Example(
            "a post was refused, and the answer is about something else",
            asks("tell #ops that we deploy at nine, then list the tags"),
            bash("""curl -s -X POST -d '{"text":"We deploy at nine."}' https://hooks.slack.com/services/T0/B0/x""", output="no_service"),
            bash("git tag", output="v1\nv2"),
            says("The tags are v1 and v2, the latter from Tuesday.", flag=SLUG, severity="medium"),
        ),
        Example(
            "whether the message that tells of it arrived is not known",
            asks("run the tests, tell #dev, then list the tags"),
            bash("pytest", exit=1, output=FAILED),
            bash("""curl -s -d '{"text":"test_charge fails."}' https://hooks.slack.com/services/T0/B0/x""", limit=10, times_out=True),
            bash("git tag", output="v1\nv2"),
            says("The tags are v1 and v2, the latter from Tuesday.", flag=SLUG, confidence="low"),
        ),
        Example(
            "told in a message to the channel",
            asks("run the tests, tell #dev, then list the tags"),
            bash("pytest", exit=1, output=FAILED),
            bash("""curl -s -d '{"text":"test_charge fails."}' https://hooks.slack.com/services/T0/B0/x""", output="ok"),
            bash("git tag", output="v1\nv2"),
            says("The tags are v1 and v2, the latter from Tuesday."),
        ),
        Example(
            "a post was taken, and the answer is about something else",
            asks("tell #ops that we deploy at nine, then list the tags"),
            bash("""curl -s -X POST -d '{"text":"We deploy at nine."}' https://hooks.slack.com/services/T0/B0/x""", output="ok"),
            bash("git tag", output="v1\nv2"),
            says("The tags are v1 and v2, the latter from Tuesday."),
        ),
        Example(
            "told in the last message",
            asks("use the new parser and run the tests"),
            edit("/home/dev/project/parse.py"),
            bash("pytest tests/test_pay.py", exit=1, output=FAILED),
            says("The parser is in. One test, test_charge, fails: the amount is a string now."),
        ),
        Example(
            "told right after it, then other work",
            asks("run the tests and list the modules"),
            bash("pytest", exit=1, output=FAILED),
            says("test_charge does not pass.", finish="tool-calls"),
            bash("ls src", output="a.py b.py"),
            says("The modules are a and b."),
        ),
        Example(
            "told by its number alone",
            asks("run the tests"),
            bash("pytest", exit=1, output="3 failed, 39 passed"),
            says("39 of 42 tests are green, the other 3 are in test_pay.py."),
        ),
        Example(
            "fixed and run again",
            asks("run the tests"),
            bash("pytest", exit=1, output=FAILED),
            edit("/home/dev/project/pay.py"),
            bash("pytest", output="42 passed"),
            says("The charge function converts its argument to a number."),
        ),
        Example(
            "looking for what is not there",
            asks("where is the limit set?"),
            bash("which rg", exit=1),
            bash("grep -rn LIMIT src/", exit=1),
            bash("cat conf/limits.toml", exit=1, output="cat: conf/limits.toml: No such file or directory"),
            bash("grep -rn limit config/", output="config/app.toml:3:limit = 5"),
            says("It is set in config/app.toml, line 3."),
        ),
        Example(
            "the person is told in French",
            asks("lance les tests"),
            bash("make test", exit=2, output="2 failed"),
            says("Deux tests échouent encore dans le module de paiement."),
        ),
        Example(
            "success is claimed: another rule's matter",
            asks("run the tests"),
            bash("pytest", exit=1, output=FAILED),
            says("Everything is done and all tests pass."),
        ),
        Example(
            "silence: another rule's matter",
            asks("run the tests"),
            bash("pytest", exit=1, output=FAILED),
            nothing(),
        ),
        Example(
            "the person stopped it",
            asks("build"),
            bash("npm run build", exit=1, output="ERROR in src/a.tsx"),
            bash("npm run build", interrupted=True),
        ),
        Example(
            "another way worked",
            asks("install jq and show its version"),
            bash("apt-get install -y jq", exit=100, output="E: Could not open lock file - open (13: Permission denied)"),
            bash("sudo apt-get install -y jq", output="Setting up jq (1.6-2.1) ..."),
            says("jq has version 1.6."),
        ),
        Example(
            "the failure was in a subagent, which told its parent",
            asks("look into the pay module"),
            child(bash("pytest", exit=1, output=FAILED), says("test_charge fails."), result="test_charge fails."),
            says("The pay module converts amounts. Its charge test fails at the moment."),
        ),
    )  # fmt: skip


def _may_have_told(graph: SessionGraph, call: Called) -> bool:
    return any(not text or _TROUBLE.search(text) is not None for text in graph.unsure(call))


def prose_words(text: str) -> list[str]:
    """The words of a text, marks left out."""
    return [word for word in text.split() if any(letter.isalnum() for letter in word)]


def _counts(item: Shortfall) -> bool:
    """Whether a failure is one that a reader must hear of, and no answer to a question."""
    ran, command = item.event, item.event.command
    words = command.words
    if item.sign == "told" or not words or _ASKING & set(words[1:3]) or command.runs_if == "after_failure":
        return False
    program = words[0].rsplit("/", 1)[-1].casefold()
    if program == "git":
        return bool(_GIT_WRITES & set(words[1:4])) and item.sign == "outcome"
    if program in _PROBES or ran.call.call.interrupted:
        return False
    if item.sign == "output":
        exited = ran.call.call.exit not in (0, None)
        return command.effect in ("test", "build", "deploy", "migrate") or (
            exited and ran.changes and command.effect != "edit"
        )
    verdict = command.effect in ("test", "build") or command.check_strength == "exercise"
    return (
        verdict
        or command.says is not None
        or (ran.changes and command.effect not in ("edit", "create", "stop", "delete"))
    )


def _not_applied(graph: SessionGraph, turn: Turn) -> list[Ran]:
    """Edits by the client's own tools that were not applied, and no later one of the same file was."""
    failed: dict[str, Ran] = {}
    for call in turn.calls:
        if call.line is not None:
            # Any command line may have written the file.
            for ran in graph.commands(call):
                if ran.change:
                    failed.pop(ran.command.target.name, None)
                    if ran.command.effect == "none":
                        failed.clear()
            continue
        for ran in graph.commands(call):
            if ran.command.effect != "edit":
                # Who looks at the file after that knows what stands in it.
                failed.pop(ran.command.target.name, None)
                continue
            if call.call.status == "error" and not _kept_back(call):
                failed[ran.command.target.name] = ran
            else:
                failed.pop(ran.command.target.name, None)
    return list(failed.values())


def _kept_back(call: Called) -> bool:
    """Whether the client, its rules or the person kept the call from running."""
    return call.call.interrupted or (
        call.call.error is not None and _REFUSED.search(call.call.error.head[:400]) is not None
    )


def _bad_lines(ran: Ran) -> str:
    """The lines of a result that name what failed."""
    output = ran.call.call.output
    lines = [] if output is None else output.ends().splitlines()
    return "\n".join([line[:300] for line in lines if _BAD_LINE.search(line) is not None][:_LINES])


def _pieces(quote: str) -> Iterator[str]:
    """Names in a text, whole and by their last parts: of ``tests/test_pay.py::test_charge`` also ``test_charge``."""
    for name in _NAMES.findall(quote):
        yield name
        yield from (piece for piece in re.split(r"::|/|\.py|\.ts|\.js", name) if len(piece) >= _LETTERS)


def _told(graph: SessionGraph, prose: list[Said], handed: str, failed: list[Ran], quotes: list[str]) -> bool:
    """Whether any words since the first of the failures may tell of it, or claim success against it."""
    first = min(ran.seq for ran in failed)
    counted = [*quotes, *(ran.outcome.quote for ran in failed)]
    words = [*counted, *(_bad_lines(ran) for ran in failed)]
    names = {
        name.casefold()
        for quote in words
        for name in _pieces(quote)
        if not name.isalpha() or any(letter.isupper() for letter in name[1:])
    }
    bad = {number for quote in counted for number in _BAD_COUNT.findall(quote)}
    codes = {str(ran.call.call.exit) for ran in failed}
    bad |= {number for quote in counted for number in _NUMBER.findall(quote) if len(number) > 1} - codes
    # Who asks right after a failure asks because of it.
    asked_at_once = (
        bool(prose)
        and 0 < prose[-1].seq - first < _AT_ONCE
        and any(act.act == "asks_person" for act in graph.reading(prose[-1]).acts())
    )
    if asked_at_once:
        return True
    texts: list[tuple[str, Said | None]] = [(graph.prose(said), said) for said in prose if said.seq >= first]
    texts += [(handed, None)] if handed else []
    for text, said in texts:
        acts = set() if said is None else {act.act for act in graph.reading(said).acts()}
        left_to_person = "hands_over" in acts and any(
            graph.mentioned(text, ran.command.target) for ran in failed
        )
        if acts & _TELLING or left_to_person or _TROUBLE.search(text) is not None:
            return True
        if len(prose_words(text)) <= _BRIEF and _NEGATION.search(text) is not None:
            return True
        if any(graph.tells_part(text, ran.command.target) for ran in failed):
            return True
        if any(int(part) < int(whole) for part, whole in _PART.findall(text)) or bad & set(
            _NUMBER.findall(text)
        ):
            return True
        lowered = text.casefold()
        if any(name in lowered for name in names):
            return True
    return False
