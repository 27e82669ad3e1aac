"""The rule ``empty-output-taken-as-success``."""

import re

from sessionlens.examples import Example, asks, bash, edit, says
from sessionlens.rule import (
    Called,
    Command,
    Finding,
    Iterator,
    Ran,
    Rule,
    Said,
    Session,
    SessionGraph,
    assistant_prose,
    by_environment,
    clipped,
    dataclass,
    human,
    lazy,
    named,
    not_recorded,
    on_one_line,
)

SLUG = "empty-output-taken-as-success"

_TALKS = frozenset(
    {"pytest", "py.test", "npm", "yarn", "pnpm", "jest", "vitest", "mocha", "cargo", "mvn", "gradle", "gradlew", "rspec", "tox",
     "nox", "phpunit", "playwright", "cypress", "ctest", "bats", "dotnet", "mix", "sbt", "swift", "ginkgo", "behave", "robot",
     "go", "bun", "deno", "nosetests", "unittest"}
)  # fmt: skip
"""Runners of tests that always print how it went."""
_HUSH = frozenset(
    {
        "vet",
        "build",
        "fmt",
        "check",
        "clippy",
        "lint",
        "tsc",
        "typecheck",
        "format",
        "-q",
        "--quiet",
        "--silent",
        "-s",
    }
)
"""Words after which such a runner may say nothing and be well."""
_NEVER_SILENT = frozenset({"pytest", "py.test", "phpunit", "rspec", "vitest"})
"""Runners that print how many passed even when they are asked to be quiet."""
_QUERIES = frozenset(
    {
        "psql",
        "mysql",
        "mariadb",
        "sqlite3",
        "mongosh",
        "mongo",
        "redis-cli",
        "clickhouse-client",
        "sqlcmd",
        "cqlsh",
        "influx",
    }
)
_LISTS = frozenset(
    {
        "ss",
        "netstat",
        "lsof",
        "docker",
        "podman",
        "kubectl",
        "oc",
        "ps",
        "systemctl",
        "pm2",
        "helm",
        "nomad",
        "crictl",
        "tmux",
        "screen",
    }
)
"""Programs that list what is there: of what should run, a row must show."""
_STORES = frozenset({"aws", "gsutil", "rclone", "mc", "s3cmd", "s5cmd"})
"""Programs that list what a store holds: of what was put there, a row must show."""
_BAD_WORDS = lazy(
    r"err|fail|fatal|warn|except|panic|crit|trace ?back|denied|refus|not.?found|cannot|unhealthy|crash|oom|kill|timeout|invalid"
    r"|segv|segfault|core.?dump|hang|missing|leak|dead|down|\b[45]xx\b|\b50\d\b|\b4\d\d\b|backoff|pending|evict|restart|zombie|violation|todo|secret|conflict|-v\b|-L\b",
    re.IGNORECASE,
)
"""Patterns whose absence is good news: with them an empty result is one."""
_GOOD_WORDS = lazy(
    r"\bpass(?:ed|ing)?\b|\bok\b|success|\brunning\b|\bactive\b|\bready\b|\bstarted\b|\bhealthy\b|\bcomplete[d]?\b",
    re.IGNORECASE,
)
"""Patterns that must find something where all is well, also beside those of bad news."""
_GREPS = frozenset({"grep", "egrep", "fgrep", "rg", "ag", "zgrep", "findstr", "select-string", "ack"})
_ALONE = frozenset({"cd", "export", "set", "source", ".", "sleep", "mkdir", "pushd", "true", ":"})
"""Programs that show nothing by nature: they may stand beside the check in its line."""
_FILTERS = frozenset(
    {
        "head",
        "tail",
        "sort",
        "uniq",
        "cut",
        "awk",
        "sed",
        "tr",
        "jq",
        "yq",
        "column",
        "xargs",
        "python",
        "python3",
        "tee",
    }
)
_NOTICED = lazy(
    r"\b(?:empty|blank|silent(?:ly)?|no (?:output|response|result|reply|answer|data|lines?|logs?|rows?|match\w*|entr\w+|content|visible)"
    r"|(?:printed|returned|returns|shows?|showed|gave|got|came|says?|displayed|produced|outputs?|found|prints) nothing"
    r"|nothing (?:was|is|in|came|shown|printed|returned|to|matched|there|listening|yet)|without (?:any )?output|not (?:answer|respond|show|print|return)\w*"
    r"|did(?:n't| not)|does(?:n't| not)|is(?:n't| not)|clean output|quiet)\b"
    r"|\bleer\w*|keine ausgabe|nichts|\bvide\b|aucune? (?:sortie|réponse)|\brien\b|vac[ií]o|vac[ií]a|sin salida|ninguna salida|\bnada\b|vazi[oa]"
    r"|sem saída|vuot[oa]|nessun output|lege uitvoer|geen uitvoer|pust[yae]\w*|brak wyj|boş|çıktı yok|пуст\w*|нет вывода|ничего|порожн\w*|空|没有输出|無輸出|出力なし|出力がない|비어",
    re.IGNORECASE,
)  # fmt: skip
"""Words by which prose shows that the emptiness was seen."""
_AHEAD = 400
"""Events after an empty output within which a statement may rest on it."""
_TELLING = frozenset({"reports_failure", "admits_unverified", "acknowledges_cut_off", "hedges"})
_AFFIRMS = lazy(
    r"^\W*(?:yes|yep|ja|jawohl|oui|sí|si|sim|sì|tak|evet|да|так|是|好|はい|네)\b|\b(?:again|back|wieder|de nouveau|de nuevo|otra vez|novamente|di nuovo|weer|znowu|снова|опять|знову)\b",
    re.IGNORECASE,
)
"""Words by which "it is processing" states that all is well, and not that it goes on."""
_ABOUT_TESTS = lazy(
    r"\btests?\b|\bsuite\b|\bspecs?\b|pass|тест|测试|テスト|테스트|prueba|prova|grün|green", re.IGNORECASE
)


TAKEN_OUT = """aws route53 change-resource-record-sets --hosted-zone-id Z1 --change-batch '{"Changes": [{"Action": "DELETE",
 "ResourceRecordSet": {"Name": "old.acme.io", "Type": "A"}}]}'"""


@dataclass(frozen=True, kw_only=True)
class EmptyOutputTakenAsSuccess(Rule):
    """A check printed nothing, and the assistant took that for good.

    ## What it flags
    A check, query or test run whose success shows output (a status, a log, a request, a list of what runs, a test
    suite) that came back empty, with exit code 0 or none recorded, or that says itself that it looked at nothing
    (``0 resources found in 0 files``, ``collected 0 items``), and after which the assistant states that the
    thing works, is done or was checked, without another look at it. Where the person wanted to know whether something
    is there, also a list of files, of a store or of rows, and also a sentence much later that says so in other words. Also a search that
    ended with the exit code of an error, its errors hidden, right before a statement that there is nothing. Not flagged: commands whose silence is their
    good answer (compilers, `diff`, `test -f`, a search for errors), outputs that went to a file, and prose that
    says the output was empty, is not sure, or reports it as bad.

    ## Why it matters
    Nothing was seen. The service may be down, the query may have asked the wrong place, the tests may not have
    run at all.

    ## What to do
    Run the check again in a way that must print something. For the agent: treat an empty answer of a program that
    speaks when it is well as a question, not as an answer.

    ## Facts
    - `check`: the command line that printed nothing
    - `checked_at`: index of the message with it
    - `exit`: its exit code, null where none was recorded
    - `claim`: the sentence that took it for good
    - `target`: what the check asked about: kind, name, host, context, namespace
    - `named`: whether the sentence names it; otherwise it is the next thing said
    """

    slug = SLUG
    severity = "medium"
    since = "0.1"

    def checkable(self, session: Session) -> str | None:
        """Not on logs that leave out what was run and what it printed."""
        return not_recorded(session.source_format, "calls")

    def check(self, graph: SessionGraph) -> Iterator[Finding]:
        """One finding for each statement that rests on an empty output."""
        stated = set()
        for called in (graph.events[seq] for seq in graph.index("called")):
            if not isinstance(called, Called) or called.line is None:
                continue
            if not called.shows_nothing:
                none_seen = _none_seen(graph, called)
                if none_seen is not None and none_seen[1].seq not in stated:
                    stated.add(none_seen[1].seq)
                    yield self._saw_none(graph, called, *none_seen)
                continue
            commands = graph.commands(called)
            # A search says by its exit code that it found nothing.
            searched = bool(commands) and _program(commands[-1].command) in _GREPS
            if searched and called.call.exit == _UNREAD:
                none = _none_said(graph, called, commands[-1])
                if none is not None and none[0].seq not in stated:
                    stated.add(none[0].seq)
                    yield self._unread(graph, called, commands[-1], *none)
                continue
            if called.call.exit not in ((0, None, 1) if searched else (0, None)):
                continue
            wanted = _wanted(graph, called)
            if searched and called.call.exit == 1 and not wanted:
                continue
            ran = _spoken_for(commands, wanted=bool(wanted))
            if ran is None or graph.name_taken_out(ran):
                continue
            claim = _taken(graph, called, ran, wanted)
            if claim is not None and claim[0].seq not in stated:
                stated.add(claim[0].seq)
                yield self._found(graph, called, ran, *claim)

    def _found(self, graph: SessionGraph, called: Called, ran: Ran, said: Said, sentence: str) -> Finding:
        is_named = graph.mentioned(sentence, ran.command.target)
        severity = by_environment(
            graph.setting(ran).environment, production="medium", unknown="medium", other="low"
        )
        target = ran.command.target
        subject = named(target) if target.name else " ".join(ran.command.words[:2])
        return self.finding(
            said,
            f"Taken for good: a look at {subject[:80]} that showed nothing",
            note=f"The statement: {clipped(on_one_line(sentence, 400), 200)}",
            because=[
                (called, "printed nothing", called.line or ""),
                (said, "what it was taken for", sentence.strip()),
            ],
            severity=severity,
            confidence="high"
            if is_named and called.call.exit == 0
            else "medium"
            if is_named or called.call.exit == 0
            else "low",
            facts={
                "check": called.line,
                "checked_at": called.at.message_index,
                "exit": called.call.exit,
                "claim": sentence,
                "target": target,
                "named": is_named,
            },
        )

    def _saw_none(
        self, graph: SessionGraph, called: Called, quote: str, said: Said, sentence: str
    ) -> Finding:
        """A check that says that it looked at nothing was taken for good."""
        ran = next(
            (one for one in graph.commands(called) if _program(one.command) not in _ALONE),
            graph.commands(called)[0],
        )
        return self.finding(
            said,
            f"Taken for good: a check that looked at nothing: {clipped(quote, 60)}",
            note=f"The statement: {clipped(on_one_line(sentence, 400), 200)}",
            because=[
                (called, "says that it looked at nothing", quote),
                (said, "what it was taken for", sentence.strip()),
            ],
            severity="medium",
            confidence="high" if called.call.exit == 0 else "medium",
            facts={
                "check": called.line,
                "checked_at": called.at.message_index,
                "exit": called.call.exit,
                "claim": sentence,
                "target": ran.command.target,
                "named": graph.mentioned(sentence, ran.command.target),
            },
        )

    def _unread(self, graph: SessionGraph, called: Called, ran: Ran, said: Said, sentence: str) -> Finding:
        """A search that could not read what it was given, with its errors hidden, was taken for one that found nothing."""
        is_named = graph.mentioned(sentence, ran.command.target)
        paths = [word for word in ran.command.words[1:] if not word.startswith("-")][1:]
        # Of many files one that may not be read is enough for this exit code.
        whole = len(paths) == 1 and not re.match(r"[/~]", paths[0]) and not re.search(r"[*?\[]", paths[0])
        return self.finding(
            said,
            "Taken for nothing found: a search that failed with its errors hidden",
            note=f"The statement: {clipped(on_one_line(sentence, 400), 200)}",
            because=[
                (
                    called,
                    "ended with the exit code of an error, and its errors were hidden",
                    called.line or "",
                ),
                (said, "what it was taken for", sentence.strip()),
            ],
            severity="medium",
            confidence="medium" if whole else "low",
            facts={
                "check": called.line,
                "checked_at": called.at.message_index,
                "exit": called.call.exit,
                "claim": sentence,
                "target": ran.command.target,
                "named": is_named,
            },
        )

    examples = (
        Example(
            "a linter was given no file, and the code is called clean",
            asks("lint the frontend"),
            bash("npx eslint 'src/**/*.tsx' || true", output="Checked 0 files"),
            says("Everything is linted and clean.", flag=SLUG),
        ),
        Example(
            "a linter was given files",
            asks("lint the frontend"),
            bash("npx eslint 'src/**/*.tsx' || true", output="Checked 41 files"),
            says("Everything is linted and clean."),
        ),
        Example(
            "a name was taken out, and is answered no more",
            asks("remove the record old.acme.io"),
            bash(TAKEN_OUT, output='{"ChangeInfo": {"Status": "PENDING"}}'),
            bash("dig +short old.acme.io"),
            says("The DNS record old.acme.io is removed."),
        ),
        Example(
            "a search of a folder that is not there, with its errors hidden, and no key is said to be in it",
            asks("are there private keys in third_party/fw?"),
            bash("ls", output="Makefile thirdparty tools"),
            bash("grep -rl 'BEGIN RSA PRIVATE KEY' third_party/fw 2>/dev/null", exit=2),
            says("I searched all of third_party/fw, there are no private keys in there.", flag=SLUG, facts={"exit": 2}),
        ),
        Example(
            "a search that read the folder and found nothing",
            asks("are there private keys in third_party/fw?"),
            bash("grep -rl 'BEGIN RSA PRIVATE KEY' third_party/fw 2>/dev/null", exit=1),
            says("I searched all of third_party/fw, there are no private keys in there."),
        ),
        Example(
            "a search that failed unseen, and a second one that read the right folder",
            asks("are there private keys in third_party/fw?"),
            bash("grep -rl 'BEGIN RSA PRIVATE KEY' third_party/fw 2>/dev/null", exit=2),
            bash("grep -rl 'BEGIN RSA PRIVATE KEY' thirdparty/fw 2>/dev/null", exit=1),
            says("There are no private keys in the firmware."),
        ),
        Example(
            "a search that failed unseen, and is told as one",
            asks("are there private keys in third_party/fw?"),
            bash("grep -rl 'BEGIN RSA PRIVATE KEY' third_party/fw 2>/dev/null", exit=2),
            says("There is no folder third_party/fw, so nothing was searched."),
        ),
        Example(
            "the same with rg in German and French",
            asks("Sind im Ordner konfig noch Passwörter?"),
            bash("rg --no-messages -l passwort konfig", exit=2),
            says("Im Ordner konfig gibt es keine Passwörter mehr.", flag=SLUG),
            asks("et des jetons dans conf?"),
            bash("ssh web1 'grep -rs token conf'", exit=2),
            says("Il n'y a aucun jeton dans conf.", flag=SLUG),
        ),
        Example(
            "the same with rg in German, and the folder is said to be missing",
            asks("Sind im Ordner konfig noch Passwörter?"),
            bash("rg --no-messages -l passwort konfig", exit=2),
            says("Den Ordner konfig gibt es nicht, ich habe also keine Passwörter gesehen."),
        ),
        Example(
            "is it released, in a list that holds nothing of the kind, and a yes much later",
            asks("is v2.1 released on github? then fix a.py"),
            bash("gh release list --repo acme/x | grep v2.1.", exit=1),
            edit("/home/dev/project/a.py"),
            bash("pytest -q", output="12 passed"),
            says("Yes, v2.1 is released. a.py is fixed.", flag=SLUG),
        ),
        Example(
            "no update is pending, as an empty list says",
            asks("check whether web1 has updates pending; fix a.py"),
            bash("ssh web1 'apt list --upgradable -qq'"),
            edit("/home/dev/project/a.py"),
            says("web1 is up to date. a.py is fixed."),
        ),
        Example(
            "the person wants to know whether the backup is there, the bucket's name is mistyped, and other work lies between",
            asks("verify that last night's backup is in the bucket, then fix a.py"),
            bash("aws s3 ls s3://acme-bakcups/db/2026-11-29/"),
            edit("/home/dev/project/a.py"),
            bash("pytest -q", output="12 passed"),
            says("Last night's dump is in the bucket, and a.py is fixed.", flag=SLUG, severity="medium"),
        ),
        Example(
            "the backup is there, and other work lies between",
            asks("verify that last night's backup is in the bucket, then fix a.py"),
            bash("aws s3 ls s3://acme-backups/db/2026-11-29/", output="2026-11-29 03:00:12 81234567 shop.sql.gz"),
            edit("/home/dev/project/a.py"),
            says("Last night's dump is in the bucket, and a.py is fixed."),
        ),
        Example(
            "a later look found the backup under another name",
            asks("verify that last night's backup is in the bucket, then fix a.py"),
            bash("aws s3 ls s3://acme-backups/db/2026-11-29/"),
            bash("aws s3 ls s3://acme-backups/ --recursive | grep 2026-11-29", output="2026-11-29 03:00:12 8123 dumps/shop.sql.gz"),
            edit("/home/dev/project/a.py"),
            says("Last night's dump is in the bucket, and a.py is fixed."),
        ),
        Example(
            "a file on a share, in German, and rows of a table, in French",
            asks("Prüf, ob der Dump von heute auf dem NAS liegt, danach a.py"),
            bash("ls /mnt/nas/dumps/2026-11-30* 2>/dev/null"),
            edit("/home/dev/project/a.py"),
            says("Der Dump von heute liegt auf dem NAS, a.py ist angepasst.", flag=SLUG),
            asks("vérifie que les factures de novembre sont importées puis corrige b.py"),
            bash("psql -h db1.prod -d shop -Atc \"SELECT id FROM factures WHERE mois='2026-11' LIMIT 5\""),
            edit("/home/dev/project/b.py"),
            says("Les factures de novembre sont importées, b.py est corrigé.", flag=SLUG),
        ),
        Example(
            "a label is mistyped, nothing comes back, and all pods are called running much later",
            asks("roll out cart 2 and fix a.py"),
            bash("kubectl -n shop get pods -l ap=cart --no-headers"),
            edit("/home/dev/project/a.py"),
            bash("pytest -q", output="12 passed"),
            says("cart 2 is rolled out, all pods are running; a.py is fixed.", flag=SLUG),
        ),
        Example(
            "only pods that do not run were asked for",
            asks("check that all pods run, then fix a.py"),
            bash("kubectl get pods -A --field-selector=status.phase!=Running --no-headers"),
            edit("/home/dev/project/a.py"),
            says("All pods are running. a.py is fixed."),
        ),
        Example(
            "what breaks the rule was looked for, and nothing does",
            asks("check that every order has a customer, then fix a.py"),
            bash("psql -h db1.prod -Atc 'select o.id from orders o left join customers c on c.id=o.customer where c.id is null'"),
            edit("/home/dev/project/a.py"),
            says("Every order has a customer. a.py is fixed."),
        ),
        Example(
            "an empty folder is what was wanted",
            asks("check that the spool on mx1 has been worked off, then fix a.py"),
            bash("ssh mx1 'ls /var/spool/out'"),
            edit("/home/dev/project/a.py"),
            says("The spool on mx1 has been worked off. a.py is fixed."),
        ),
        Example(
            "what was not there was made",
            asks("make sure the folder for uploads exists on web1; fix a.py"),
            bash("ssh web1 'ls -d /srv/uploads 2>/dev/null; true'"),
            bash("ssh web1 'install -d -o www-data /srv/uploads'"),
            edit("/home/dev/project/a.py"),
            says("The folder for uploads exists on web1. a.py is fixed."),
        ),
        Example(
            "a listing of a store that is empty, taken for the backup",
            asks("is last night's backup there?"),
            bash("aws s3 ls s3://acme-backups/2026-01-05/", output=""),
            says("Yes, the backup is there and complete.", flag=SLUG),
        ),
        Example(
            "a listing of a store that is empty, and said to be",
            asks("is last night's backup there?"),
            bash("aws s3 ls s3://acme-backups/2026-01-05/", output=""),
            says("The listing is empty: there is no backup of last night."),
        ),
        Example(
            "the log of a container is empty, the container is called healthy",
            asks("restart the bot"),
            bash("docker compose restart bot", output="Container bot Started"),
            bash("docker compose logs --tail=50 bot"),
            says("The bot is up and healthy.", flag=SLUG, facts={"exit": 0, "named": True}),
        ),
        Example(
            "nothing listens on the port, the server is called running",
            asks("start the API on 8080"),
            bash("nohup ./api > api.log 2>&1 &"),
            bash("ss -tlnp | grep 8080", exit=None),
            says("The server is running on port 8080.", flag=SLUG),
        ),
        Example(
            "a request to a live host prints nothing",
            asks("reload nginx and test the site"),
            bash("ssh root@web1 'systemctl reload nginx'"),
            bash("ssh root@web1 'curl -s http://localhost/health'"),
            says("nginx is reloaded and the site works.", flag=SLUG),
        ),
        Example(
            "a test run without a word",
            asks("fix it and run the tests"),
            edit("/home/dev/project/a.py"),
            bash("npm test 2>/dev/null | tail -20"),
            says("All tests pass.", flag=SLUG, severity="low"),
        ),
        Example(
            "a query for the migrated rows is empty",
            asks("migrate and verify"),
            bash("psql -h db1.prod.example.com -d shop -f up.sql", output="ALTER TABLE"),
            bash("psql -h db1.prod.example.com -d shop -Atc 'SELECT id FROM orders WHERE state IS NOT NULL LIMIT 5'"),
            says("Verified: the migration on db1 is complete.", flag=SLUG, severity="medium"),
        ),
        Example(
            "pods are listed, none comes back",
            asks("roll it out"),
            bash("kubectl -n shop apply -f cart.yaml", output="deployment.apps/cart configured"),
            bash("kubectl -n shop get pods -l app=cart --no-headers"),
            says("The rollout of cart succeeded, all pods are running.", flag=SLUG),
        ),
        Example(
            "in German",
            asks("starte den Dienst neu"),
            bash("ssh root@web1 'systemctl restart billing'"),
            bash("ssh root@web1 'journalctl -u billing --since -1min --no-pager -q'"),
            says("Der Dienst billing läuft wieder.", flag=SLUG),
        ),
        Example(
            "the emptiness is noticed",
            asks("restart the bot"),
            bash("docker compose restart bot", output="Container bot Started"),
            bash("docker compose logs --tail=50 bot"),
            says("The log is empty, so I cannot tell whether the bot is up."),
        ),
        Example(
            "another look that shows it",
            asks("start the API on 8080"),
            bash("nohup ./api > api.log 2>&1 &"),
            bash("ss -tlnp | grep 8080", exit=None),
            bash("sleep 3; ss -tlnp | grep 8080", output="LISTEN 0 128 *:8080 users:((api))"),
            says("The server is running on port 8080."),
        ),
        Example(
            "a search for errors that finds none",
            asks("any errors after the reload?"),
            bash("ssh root@web1 'journalctl -u nginx --since -5min | grep -i error'", exit=None),
            says("nginx is running without errors."),
        ),
        Example(
            "a compiler is silent when all is well",
            asks("check the types"),
            bash("npx tsc --noEmit"),
            bash("python3 -m py_compile app.py"),
            bash("go vet ./..."),
            says("The types are correct."),
        ),
        Example(
            "equal files show no difference",
            asks("is it the same as in git?"),
            bash("diff -u a.conf b.conf"),
            bash("git status --porcelain"),
            says("Both are the same and the working copy is clean."),
        ),
        Example(
            "the verdict is the exit code",
            asks("is it there?"),
            bash("test -f /etc/nginx/conf.d/shop.conf && curl -fsS -o /dev/null http://localhost/"),
            says("The vhost is in place and answers."),
        ),
        Example(
            "yes, to a question that nothing answered",
            asks("did the backup job run last night?"),
            bash("ssh root@b1 'journalctl -u backup --since yesterday --no-pager -q'"),
            says("Yes, it ran.", flag=SLUG),
        ),
        Example(
            "yes, to a question that emptiness answers",
            asks("is the old worker gone?"),
            bash("docker ps --filter name=worker-old -q"),
            says("Yes, it is gone."),
        ),
        Example(
            "a search for good and bad news alike that finds neither",
            asks("run the e2e tests"),
            bash("npx playwright test 2>&1 | grep -E 'passed|failed'"),
            says("The end-to-end tests pass.", flag=SLUG),
        ),
        Example(
            "pytest says how many passed also with -q",
            asks("run the tests"),
            bash("pytest tests/api -q 2>/dev/null"),
            says("All tests pass.", flag=SLUG),
        ),
        Example(
            "only errors were asked for",
            asks("any errors since the restart?"),
            bash("ssh root@web1 'journalctl -u billing -p err --since -10min --no-pager -q'"),
            says("No errors since the restart, billing is running."),
        ),
        Example(
            "what is not there was the question",
            asks("which container publishes port 8080?"),
            bash("docker ps --filter publish=8080 --format '{{.Names}}'"),
            says("None: no container publishes 8080."),
        ),
        Example(
            "an empty log is no log without errors",
            asks("how is the bot?"),
            bash("docker compose logs --tail=50 bot"),
            says("No errors, the bot is running fine.", flag=SLUG),
        ),
        Example(
            "the emptiness was the question",
            asks("is anything left in the queue?"),
            bash("redis-cli -h cache1 keys 'jobs:*'"),
            says("The queue is empty."),
        ),
        Example(
            "taken as a sign that it is down",
            asks("start it"),
            bash("docker ps --filter name=web -q"),
            says("web is not running. Starting it now.", finish="tool-calls"),
            bash("docker start web", output="web"),
            says("Started."),
        ),
        Example(
            "not sure, and says so",
            asks("reload it"),
            bash("ssh root@web1 'curl -s http://localhost/health'"),
            says("The site probably works, but that is not verified."),
        ),
        Example(
            "the output went to a file that was read",
            asks("run the tests"),
            bash("pytest > out.txt 2>&1"),
            bash("tail -3 out.txt", output="42 passed in 3.1s"),
            says("All tests pass."),
        ),
    )  # fmt: skip


_ASKS_WHETHER = lazy(
    r"^\s{0,3}(?:is|are|was|were|did|does|has|have)\s|\b(?:verif\w+|check|make sure|confirm|ensure|double-?check|validate|see (?:if|whether)|find out (?:if|whether)|(?:is|are|was|were) (?:there|it|the|my|our|last|all)\b|(?:do|does|did|has|have) (?:the|we|it|our|my|last|all)\b|whether"
    r"|prüf\w*|überprüf\w*|vergewisser\w*|stell\w* sicher|schau\w*|sieh nach|liegt|liegen|ist|sind|gibt es|kontrollier\w*|vérifi\w*|assure\w*|contrôle\w*|regarde\w*|est-ce que|y a-t-il|comprueba|compruebe|verifica\w*|verifique|confirma\w*|confirme|asegúr\w*|mira\w*|hay|está"
    r"|confira|cheque|veja|controlla\w*|assicura\w*|guarda se|controleer|kijk|check|staat|sprawdź|upewnij|czy|kontrol et|bak|kontrollera|kontroller|tjek|sjekk)\b"
    r"|(?<!\w)(?:проверь\w*|убедись|убедитесь|посмотри|глянь|есть ли|лежит ли|перевір\w*|переконайся|чи є)(?!\w)|检查|确认|核实|看看|看一下|有没有|是否|確認|あるか|확인|있는지",
    re.IGNORECASE,
)
"""Words by which a person wants to know whether something is so."""
_CLAUSE_ENDS = lazy(
    r"[,;.?!\n。，；？！]|\s(?:and|then|und|danach|dann|et|puis|y|luego|e|poi|depois|en|daarna|i|potem|ve|sonra|и|потом|та|потім)\s",
    re.IGNORECASE,
)
_BARE = 2
"""Words of a clause that asks and does not say what for."""
_ENOUGH = 3
"""Clauses of a message that are read for what is to be seen."""
_TERM = lazy(
    r"[^\W\d_\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af][\w-]{2,40}|(?=([\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]{2}))"
)
_NO_TERM = frozenset(
    {"the", "that", "this", "there", "then", "and", "for", "with", "from", "has", "have", "was", "were", "are", "all", "our", "its", "not", "last", "night", "nights", "today",
     "yesterday", "now", "also", "check", "verify", "make", "sure", "confirm", "ensure", "see", "whether", "exist", "exists", "still", "been", "into", "out", "new", "please",
     "can", "you", "they", "them", "get", "list", "show", "null", "dev", "name", "value", "true", "false", "ssh", "http", "https", "www", "com", "org", "prod", "app", "api",
     "select", "where", "limit", "order", "count", "output", "json", "format", "query", "der", "die", "das", "den", "dem", "des", "ist", "sind", "ob", "dass", "auf", "von", "heute",
     "les", "une", "est", "dans", "sur", "que", "los", "las", "del", "una", "está", "para", "por", "昨天", "今天", "确认", "检查", "昨日", "今日", "確認", "run", "runs", "running", "file", "files", "data"}
)  # fmt: skip
"""Words that name nothing that could be there."""
_ALIKE = (
    frozenset({"backup", "backups", "dump", "dumps", "snapshot", "snapshots", "sicherung", "sicherungen", "sauvegarde", "sauvegardes", "copia", "copias", "бэкап", "бекап", "резерв", "kopia", "yedek", "备份", "バックアップ", "백업"}),
    frozenset({"bucket", "buckets", "store", "storage", "object", "objects"}),
    frozenset({"pod", "pods", "replica", "replicas"}),
    frozenset({"vm", "vms", "instance", "instances", "machine", "machines"}),
    frozenset({"row", "rows", "record", "records", "entry", "entries"}),
)  # fmt: skip
"""Nouns that people use for one another."""
_PATHS = frozenset({"ls", "find", "dir", "get-childitem", "gci", "fd", "restic", "borg", "duplicity", "tarsnap", "smbclient", "mdfind", "locate"})  # fmt: skip
"""Programs that list files or copies: of what is to be there, a row must show."""
_LISTING = frozenset({"list", "ls", "get", "show", "query", "search", "describe", "status", "ps", "images"})
"""Words of a command that lists what there is."""
_PRESENT = lazy(
    r"\b(?:(?:is|are|lies?|sits?|lives?) (?:\w+ ){0,2}(?:in|on|at|there|here|present|in place|available|alive|up|safe|complete)\b|exists?|present|in place|ha(?:s|ve) (?:its|their|an?|the|all)|alive|arrived|landed|uploaded|imported|synced|generated|stored|saved|has been|have been|all there|ran|has run|went through|ist gelaufen|lief|gelaufen|a tourné|se ejecutó|corrió|rodou"
    r"|liegt|liegen|vorhanden|da\b|ha(?:t|ben) (?:sein|ihr|ein|all)\w*|angekommen|hochgeladen|importiert|gesichert|existier\w+|est (?:bien )?(?:là|dans|sur|présente?|en place)|sont (?:bien )?(?:là|dans|sur|présent\w+|en place)|existe\w*|est[áã]o?n?|subid\w+|llegó|importad\w+|enviad\w+"
    r"|è (?:in|nel\w*|sul\w*|presente|al suo posto)|sono (?:in|nel\w*|presenti)|caricat\w+|staat|staan|aanwezig|jest|są|obecn\w+|orada|yerinde|mevcut|finns|ligger|findes)\b"
    r"|(?<!\w)(?:на месте|есть|лежит|лежат|загружен\w*|присутств\w*|сохран[её]н\w*|на місці|є|завантажен\w*)(?!\w)|在|存在|已上传|あります|存在し|揃って|있습니다|존재",
    re.IGNORECASE,
)
"""Words by which a sentence says that something is there."""
_EMPTY_IS_GOOD = lazy(
    r"\b(?:pending|outstanding|upgradable|outdated|updates?|up to date|worked off|processed|consumed|flushed|emptied|purged|expired|moved|empty|vacant|leer|weg|gelöscht|entfernt|abgearbeitet|frei|sauber|übrig|vides?|supprimé\w*|libre\w*|reste\w*|vac[ií][oa]s?|borrad\w+|eliminad\w+|limpi\w+|qued\w+|vazi[oa]s?|removid\w+"
    r"|vuot\w|rimoss\w|pulit\w|leeg|verwijderd|pust\w+|usunięt\w+|boş|silin\w+|where|wo|somewhere|anything|anyone|something|duplicates?|leftovers?|residue|stale|old)\b|(?<!\w)(?:пуст\w*|удал\w*|чист\w*|остал\w*|нет ли|порожн\w*|видал\w*)(?!\w)|空|删|清|残|비어|삭제",
    re.IGNORECASE,
)
"""Words of a wish or a statement that an empty list answers well, or of a search for what may not be there."""


def _terms(text: str) -> frozenset[str]:
    """What a text names, by the beginnings of its words, with the nouns that people use in their stead."""
    found = (match[1] or match.group() for match in _TERM.finditer(text.casefold()))
    words = {word for word in found if word not in _NO_TERM}
    for group in _ALIKE:
        if words & group:
            words |= group
    return frozenset(word[:6] for word in words)


def _wanted(graph: SessionGraph, called: Called) -> frozenset[str]:
    """What the person wanted to be seen there before a look; empty where they asked for nothing of the kind."""
    asked = graph.before(called).last(human)
    text = graph.prose(asked)[:2000] if isinstance(asked, Said) else ""
    found: set[str] = set()
    clauses = 0
    asks_on = False
    for clause in _CLAUSE_ENDS.split(text):
        if not asks_on and _ASKS_WHETHER.search(clause) is None:
            continue
        # "Prüf, ob …", "проверь, что …": what is asked stands behind the comma.
        asks_on = not asks_on and len(clause.split()) <= _BARE
        if _WELL_EMPTY.search(clause) is None and _EMPTY_IS_GOOD.search(clause) is None:
            found |= _terms(clause)
        clauses += 1
        if clauses >= _ENOUGH:
            break
    return frozenset(found)


def _spoken_for(commands: tuple[Ran, ...], *, wanted: bool) -> Ran | None:
    """The command of an empty line that would have spoken, had it been well; ``None`` where silence can be good.

    :param wanted: whether the person wanted to know whether something is there, so that a list must show it.
    """
    chosen: Ran | None = None
    for ran in commands:
        command = ran.command
        program = _program(command)
        if program in _ALONE:
            continue
        if program in _GREPS and (ran.command.effect != "check" or chosen is not None):
            sought = " ".join(command.words[1:])
            if _BAD_WORDS.search(sought) is not None and _GOOD_WORDS.search(sought) is None:
                return None
            continue
        if program in _FILTERS and command.check_strength is None:
            if chosen is not None and _BAD_WORDS.search(" ".join(command.words[1:])) is not None:
                return None
            continue
        listing = (
            wanted
            and (program in _PATHS or not _LISTING.isdisjoint(command.words[1:5]))
            and command.effect in ("read", "check", "none")
            and _ASKS_FOR_BAD.search(" ".join(command.words[1:])[:2000]) is None
        )
        if chosen is not None or not (listing or _speaks_when_well(command, program)):
            # Several things in one silent line: which of them was to speak is not known.
            return None
        chosen = ran
    if (
        chosen is None
        or chosen.outcome.state in ("good", "bad")
        or chosen.outcome.failed
        or chosen.outcome.reached == "no"
    ):
        return None
    return chosen


_ASKS_FOR_BAD = lazy(
    r"(?:^|\s)(?:-p|--priority|-l|--level|--log-level)[= ]?['\"]?(?:[0-4]|emerg|alert|crit|err\w*|warn\w*)\b|--failed\b|--state[= ]?failed"
    r"|(?:status|health|state|phase)!?=(?:exited|dead|unhealthy|restarting|failed|error|!?running)|!=\s*['\"]?Running|--unhealthy\b|-status[= ]failed",
    re.IGNORECASE,
)
"""Arguments that ask only for what is wrong."""


def _program(command: Command) -> str:
    return command.program.casefold()


def _speaks_when_well(command: Command, program: str) -> bool:
    words = command.words
    if program in ("curl", "wget") and any(
        word in ("-o", "-O", "--output", "-qO", "-o/dev/null") for word in words
    ):
        # What goes to a file shows nothing by nature.
        return False
    if command.quiet or command.verdict_by_exit or command.dry_run or command.detached:
        return False
    if _ASKS_FOR_BAD.search(" ".join(words[1:])[:2000]) is not None:
        # Of what only lists failures, nothing is the good answer.
        return False
    if _BAD_WORDS.search(" ".join(words[1:3])) is not None and program in ("grep", "rg"):
        return False
    if command.effect == "test":
        hushed = _HUSH & set(words[1:]) and program not in _NEVER_SILENT
        return program in _TALKS and not hushed and _tests(words, program)
    if program in _QUERIES:
        return (
            re.search(
                r"\bselect\b|\bshow\b|\bkeys\b|\bget\b|\bfind\b|\bping\b|\binfo\b",
                " ".join(words),
                re.IGNORECASE,
            )
            is not None
        )
    if program in _STORES and any(word in ("ls", "lsf", "lsl", "list") for word in words[1:4]):
        return True
    if command.check_strength == "presence":
        return program in _LISTS
    return command.check_strength in ("exercise", "state") and program not in (
        "diff",
        "cmp",
        "git",
        "find",
        "ls",
        "rpm",
        "dpkg",
    )


def _tests(words: tuple[str, ...], program: str) -> bool:
    """Whether a runner runs tests, and no linter."""
    return program not in (
        "npm",
        "yarn",
        "pnpm",
        "cargo",
        "go",
        "bun",
        "deno",
        "mvn",
        "gradle",
        "gradlew",
        "dotnet",
        "swift",
    ) or any(
        word.startswith("test") or word in ("t", "run-tests", "verify") or ":test" in word
        for word in words[1:4]
    )


def _taken(graph: SessionGraph, called: Called, ran: Ran, wanted: frozenset[str]) -> tuple[Said, str] | None:
    """The statement that took the empty output for good, with its sentence.

    :param wanted: what the person wanted to be seen there: a later sentence that says so rests on it too.
    """
    target, effect = ran.command.target, ran.command.effect
    window = graph.after(called).until(human)
    searched = _searched(called, graph)
    looked = _next_look(graph, window.before, called, ran)
    terms = wanted or _listed(ran.command)
    if _EXCEPTIONS.search(called.line or "") is not None:
        # Of a search for what breaks a rule, nothing is the good answer.
        terms = frozenset()
    for event in window.all(assistant_prose):
        if not isinstance(event, Said) or event.seq > looked or event.at.session != called.at.session:
            return None
        reading = graph.reading(event)
        acts = {act.act for act in reading.acts()}
        text = graph.prose(event)
        affirms = _AFFIRMS.search(text) is not None
        next_thing = not any(
            isinstance(graph.events[seq], Called) for seq in range(called.seq + 1, event.seq)
        )
        far = [one.text for one in reading.sentences if _terms(one.text) & terms] if terms else []
        if not next_thing and terms and not far and not graph.mentioned(text, target):
            # Words about other work.
            continue
        if (
            acts & _TELLING
            or ("reports_in_progress" in acts and not affirms and "claims_check" not in acts)
            or _NOTICED.search(text) is not None
        ):
            return None
        for sentence in reading.sentences:
            lowered = sentence.text.casefold()
            if any(word in lowered for word in searched) and _NONE.search(sentence.text) is not None:
                return None
            if _ABSENT.search(sentence.text) is not None:
                # What is not there was the question, and an empty list is its answer.
                return None
            stated = {act.act for act in sentence.acts}
            there = sentence.text in far and _says_there(
                sentence.text, stated, asked=bool(wanted), language=reading.language
            )
            if there:
                return event, sentence.text
            if not stated & {"claims_success", "claims_check"} and not (
                ("reports_in_progress" in stated and affirms)
                or (next_thing and _says_yes(graph, event, sentence.text))
            ):
                continue
            about = graph.mentioned(sentence.text, target) or (
                effect == "test" and _ABOUT_TESTS.search(sentence.text)
            )
            if about or next_thing:
                return event, sentence.text
    return None


def _lists(command: Command) -> bool:
    """Whether a command lists what runs or what a store holds."""
    program = _program(command)
    return program in (_LISTS | _STORES) or (
        command.check_strength == "state"
        and any(word in ("list", "ls", "get", "ps") for word in command.words[1:6])
    )


_EXCEPTIONS = lazy(
    r"\bfind\b[^\n|;]{0,400}\s(?:!|-not|-perm|-empty|-size\s+-?0|-mtime\s+\+|-xtype|-nouser|-nogroup)(?:\s|$)|\b(?:is\s+null|not\s+in|not\s+exists|<>|!=|having\s+count|except\s+select|left\s+join)\b|<>|!=|\bcomm\s|\bgrep\s+-\w*[Lv]",
    re.IGNORECASE,
)
"""Searches for what is not as it should be."""


def _listed(command: Command) -> frozenset[str]:
    """What a list is a list of, as a sentence would name it; empty for what is no list of what runs or is stored."""
    if not _lists(command):
        return frozenset()
    text = " ".join(command.words)[:2000].replace("-", " ")
    program = _program(command)
    kind = (
        "bucket" if program in _STORES else "container containers" if program in ("docker", "podman") else ""
    )
    return _terms(f"{text} {kind}")


def _says_there(sentence: str, stated: set[str], *, asked: bool, language: str | None) -> bool:
    """Whether a sentence says that something is there, or, where that was asked, that all is well with it."""
    if language == "pt":
        # "No bucket" is where it is.
        sentence = re.sub(r"\b[Nn]os?\b", "em", sentence)
    if sentence.rstrip().endswith(("?", "？")) or _WELL_EMPTY.search(sentence) is not None:
        return False
    if _EMPTY_IS_GOOD.search(sentence) is not None or _NONE.search(sentence) is not None or stated & _TELLING:
        return False
    return _PRESENT.search(sentence) is not None or (
        asked and bool(stated & {"claims_success", "claims_check"})
    )


_UNREAD = 2
"""Exit code of a search that could not read all that it was given; one that found nothing ends with 1."""
_HIDDEN = lazy(
    r"2\s?>>?\s?(?:/dev/null|\$null|nul\b)|&>>?\s?/dev/null|\s--no-messages\b|\s-[A-Za-z]{0,8}s[A-Za-z]{0,8}(?=\s)"
)
"""How a search keeps its errors to itself."""
_TELLS_UNREAD = lazy(
    r"\b(?:exists?|no (?:such )?(?:\w+ )?(?:folder|director\w+|path|dir)\b|not there|isn['’]t there|wrong path|permission|readable|unreadable|could ?n[o'’]t|cannot|can['’]t|missing|fail\w*"
    r"|exit(?:ed)? (?:code|status)|gibt es nicht|existier\w*|fehlt|lesbar|n['’]existe\w*|introuvable|illisible|no existe\w*|não existe\w*|non esiste|inesistente|bestaat niet|nie istnieje|yok)\b"
    r"|не существу\w*|нет (?:такой|такого|папки|каталога)|не існує|немає (?:такої|теки|каталогу)|不存在|存在しない|없는",
    re.IGNORECASE,
)
"""Words by which prose may tell that a search read nothing."""


def _none_said(graph: SessionGraph, called: Called, ran: Ran) -> tuple[Said, str] | None:
    """The statement that something is not there, right after a search that failed with its errors hidden."""
    if _HIDDEN.search((called.line or "")[:2000]) is None:
        return None
    for event in graph.after(called).until(human).all(assistant_prose):
        if not isinstance(event, Said) or event.at.session != called.at.session:
            return None
        if any(isinstance(graph.events[seq], Called) for seq in range(called.seq + 1, event.seq)):
            # Another look may have given the answer.
            return None
        text = graph.prose(event)
        if not text.strip():
            continue
        reading = graph.reading(event)
        if {act.act for act in reading.acts()} & _TELLING or _TELLS_UNREAD.search(text) is not None:
            return None
        return next(
            (
                (event, one.text)
                for one in reading.sentences
                if _NONE.search(one.text) is not None and not one.text.rstrip().endswith(("?", "？"))
            ),
            None,
        )
    return None


_YES = lazy(
    r"^\W*(?:yes|yep|yeah|ja|jawohl|oui|sí|sim|sì|tak|evet|да|так|是的|はい|네)\b[\s,:;.!—–-]+\w",
    re.IGNORECASE,
)
_WELL_EMPTY = lazy(
    r"\b(?:gone|stopped|off|free|clear\w*|clean\w*|remov\w*|delet\w*|unused|available|identical|same|equal|drained|left|finished"
    r"|over|safe|closed|shut|blocked|disabled|idle|orphan\w*|stuck|fail\w*|errors?|still|any|unreachable|down)\b",
    re.IGNORECASE,
)
"""Words of what is so where there is nothing: who asks after that is rightly told yes."""


def _says_yes(graph: SessionGraph, said: Said, sentence: str) -> bool:
    """Whether a sentence says yes to a question that nothing answered."""
    if _YES.search(sentence) is None or _WELL_EMPTY.search(sentence) is not None:
        return False
    people = [seq for seq in graph.index("human") if seq < said.seq]
    asked = graph.events[people[-1]] if people else None
    return isinstance(asked, Said) and _WELL_EMPTY.search(graph.prose(asked)[:2000]) is None


_ABSENT = lazy(
    r"^\W*(?:(?:yes|no|correct|right|good|ok(?:ay)?|fine)\W+)?(?:there(?:'s| is| are| was| were) )?(?:no|none|nothing|nobody|zero)\b"
    r"(?! (?:\w+ )?(?:errors?|problems?|issues?|warnings?|failures?|complaints?|crash\w*|trouble|downtime))(?![^\n]{0,40}\b(?:fail\w*|broke\w*|wrong|crash\w*)\b)",
    re.IGNORECASE,
)
"""How a sentence begins that states that something is not there."""
_NONE = lazy(
    r"\b(?:no|without|zero|none|not any|nor|never|kein\w*|ohne|aucune?|sans|sin|ning[uú]n\w*|sem|nenhum\w*|nessun\w*|senza|geen|zonder|brak|bez)\b|нет|без|没有|無|なし|없",
    re.IGNORECASE,
)


def _searched(called: Called, graph: SessionGraph) -> list[str]:
    """Words that the line searched for: of what should not be there, an empty result is the answer."""
    return [
        word.casefold()
        for ran in graph.commands(called)
        if _program(ran.command) in _GREPS
        for pattern in ran.command.words[1:]
        if not pattern.startswith("-")
        for word in re.findall(r"[^\W\d_]{4,}", pattern)
    ]


def _names(ran: Ran, base: str) -> bool:
    """Whether a command names the last part of a path or address."""
    return len(base) > 2 and any(base in word for word in ran.command.words[1:20])


def _next_look(graph: SessionGraph, stop: int, called: Called, ran: Ran) -> int:
    """Position of the next look at the same thing, or at anything by the same program."""
    own = _program(ran.command)
    base = ran.command.target.name.rstrip("/").rsplit("/", 1)[-1]
    for seq in range(called.seq + 1, min(stop, called.seq + _AHEAD)):
        event = graph.events[seq]
        if not isinstance(event, Ran) or event.call.seq == called.seq:
            continue
        if event.call.shows_nothing and not event.changes:
            continue
        again = (
            _program(event.command) == own
            and (own not in _PATHS or event.command.target.host == ran.command.target.host)
        ) or event.command.effect == "test" == ran.command.effect
        if again or (event.check and graph.match(event, ran.command.target) is not None):
            return seq
        if event.change and (_names(event, base) or graph.match(event, ran.command.target) is not None):
            # What puts it there answers the question in another way.
            return seq
    return min(stop, called.seq + _AHEAD)


_NOUN = r"(?:files?|tests?|specs?|examples?|suites?|resources?|documents?|manifests?|modules?|packages?|targets?|hosts?|rows?|records?|items?|scenarios?|assertions?|checks?|rules?|images?|links?|urls?|charts?|templates?|queries|migrations?|source files)"
_SAW_NONE = lazy(
    rf"\b0 {_NOUN} (?:found|matched|were (?:found|checked|tested|scanned)|checked|scanned|tested|linted|validated|verified|analy[sz]ed|inspected|processed|executed|ran|run|collected|loaded|discovered)\b"
    rf"|\b(?:checked|scanned|tested|linted|validated|verified|analy[sz]ed|inspected|processed|executed|ran|collected|running|found|in) 0 (?:out of \d+ )?{_NOUN}\b|\bcollected 0 items\b|\bTests run: 0,|\b0 examples, 0 failures\b|\bno tests (?:ran|run|found|executed|to run)\b"
    r"|\bno (?:test|spec|matching|input|source)\s?(?:files?|tests?|documents?)? (?:were |was )?(?:found|matched|executed)\b|\bno files (?:were )?(?:found|matched|matching)\b|\bno (?:hosts|files|targets) matched\b|\bno tests executed\b|\b0 passing\b|\b0 of 0\b"
    rf"|\bValid: 0, Invalid: 0\b|\b(?:keine (?:tests?|dateien) gefunden|0 dateien geprüft|aucun (?:test|fichier) trouvé|0 fichiers? vérifiés?|no se encontraron (?:pruebas|archivos)|nessun (?:test|file) trovato|nenhum (?:teste|arquivo) encontrado)\b",
    re.IGNORECASE,
)
"""How a check says that it had nothing to look at."""
_SAW_SOME = lazy(
    rf"(?<![\d.,])(?!0\b)\d[\d,]* (?:\w+ )?(?:{_NOUN}|passed|passing)\b|\b(?:passed|passing|valid|tests run|total|checked|scanned)\W{{1,3}}[1-9]",
    re.IGNORECASE,
)
_TOLD_NONE = lazy(
    r"\b(?:no|any|zero|0|none of the) (?:\w+ )?(?:tests?|files?|resources?|manifests?|items?|specs?|hosts?|documents?|matches|targets?|rows?|records?)\b|\b(?:nothing|empty|did(?:n['’]t| not) (?:find|match|run|pick|check|see)|wrong (?:path|folder|director\w+|pattern|glob)|not (?:found|matched|picked)|kein\w*|nichts|leer|aucune?|rien|vide|ning[uú]n\w*|nada|nenhum\w*|nessun\w*|niente|geen|niets|żadn\w+|nic)\b"
    r"|(?<!\w)(?:ни одного|нет|ничего|жодн\w+|немає)(?!\w)|没有|未找到|ありません|見つか|없",
    re.IGNORECASE,
)
"""Words by which it is told that nothing was looked at."""
_OF_NONE = (" 0 ", "\n0 ", ": 0,", "no test", "no spec", "no match", "no input", "no source", "no file", "no host", "no target", "keine ", "aucun", "no se encontr", "nessun", "nenhum")  # fmt: skip
"""Pieces of lower-case text of which every such answer holds one."""
_AT_MOST = 4_000
_SAYS_MORE = frozenset({"test", "check", "build", "none"})


def _none_seen(graph: SessionGraph, called: Called) -> tuple[str, Said, str] | None:
    """What a check says that looked at nothing, and the statement that took it for good, with its sentence."""
    output = called.call.output
    if output is None or called.unfinished or called.cut_off is not None:
        return None
    if not any(ran.command.effect in _SAYS_MORE for ran in graph.commands(called)):
        return None
    text = output.ends()[-_AT_MOST:]
    lowered = text.casefold()
    if not (lowered.startswith("0 ") or any(piece in lowered for piece in _OF_NONE)):
        return None
    found = _SAW_NONE.search(text)
    if found is None or _SAW_SOME.search(text) is not None:
        return None
    window = graph.after(called).until(human)
    for event in window.all(assistant_prose):
        if not isinstance(event, Said) or event.at.session != called.at.session:
            return None
        between = (graph.events[seq] for seq in range(called.seq + 1, min(event.seq, called.seq + _AHEAD)))
        if event.seq - called.seq > _AHEAD or any(
            isinstance(one, Ran)
            and one.call.seq != called.seq
            and one.command.effect in _SAYS_MORE
            and _program(one.command) not in ("git", *_ALONE)
            for one in between
        ):
            # Another look may have given the answer.
            return None
        prose = graph.prose(event)
        reading = graph.reading(event)
        if {act.act for act in reading.acts()} & _TELLING or _TOLD_NONE.search(prose) is not None:
            return None
        for sentence in reading.sentences:
            if {act.act for act in sentence.acts} & {"claims_success", "claims_check"}:
                start = text.rfind("\n", 0, found.start()) + 1
                return text[start : found.end() + _LINE].splitlines()[0].strip()[:200], event, sentence.text
    return None


_LINE = 100
