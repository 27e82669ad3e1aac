"""The rule ``claim-without-evidence``."""

from sessionlens.examples import Example, asks, bash, edit, read, says, tool
from sessionlens.rule import (
    Finding,
    Iterator,
    Ran,
    Reason,
    Rule,
    SessionGraph,
    Severity,
    by_environment,
    check,
    clipped,
    dataclass,
    named,
    on_one_line,
)

SLUG = "claim-without-evidence"
LAUNCH = "ssh root@gpu1 'nohup ./serve.sh > serve.log 2>&1 &'"

_LACKS = {
    "check": "nothing looked at it after it was started",
    "result": "no result shows that what it speaks of came to its end",
    "run": "no check or run of anything is in the log",
    "state": "the last look at it does not show it well",
    "rerun": "what had failed was changed and never run again",
    "fresh_run": "the code was changed after the last run of the tests",
    "whole_run": "only a part of them was run",
    "test_run": "nothing in the log can have run any",
}

_OF_TESTS = ("fresh_run", "whole_run", "test_run")

_TRIED = "a check was tried and got no answer"


@dataclass(frozen=True, kw_only=True)
class ClaimWithoutEvidence(Rule):
    """The assistant stated success, and the log holds nothing that shows it, either way.

    ## What it flags
    A statement that something runs, works or was checked, where the log lacks what would show it: a check of a
    service after a start whose own result does not show that it came up; the result of a call that a limit cut off
    or that never returned; a good look at one of several places or things where the statement is about all of them;
    a new run of a test, build or check that had failed, after the fix; a run of the tests that are said to pass after the
    last change of code that they test; a run of all tests, where all are said to pass and an option or the run's own
    result left some out; a run of any tests, where they are said to pass after a change of code and no call so far can have
    run them; or any run at all,
    where a check is reported and the session only ever read and edited files. Not flagged: what its own result
    shows, such as an edit that was applied, and a statement that says it is not sure, not checked, or when the tests ran;
    nor a run after which comments, documents or the layout of the code were all that changed.

    ## Why it matters
    It may be so. The person takes it as known, and nobody knows.

    ## What to do
    Run the check now. For the agent: check first and then report, or report that it is not checked.

    ## Facts
    - `claim`: the sentence
    - `lacks`: check, result, run, rerun, fresh_run, whole_run, test_run or state: what would show it
    - `target`: what the statement speaks of: kind, name, host, context, namespace; null where the log does not tell
    - `about_at`: index of the message that did what the statement speaks of
    - `tried_at`: index of the message with a check before it that got no answer, or null
    - `known_at`: index of the message in which the evidence came later, or null
    - `handed_in`: whether the statement is the text of a call, not prose
    """

    slug = SLUG
    severity = "low"
    since = "0.1"

    def check(self, graph: SessionGraph) -> Iterator[Finding]:
        """One finding a message, and one for each thing that is claimed."""
        seen = set()
        for claim in graph.claims:
            if claim.standing != "unsupported" or not claim.lacks:
                continue
            about = (claim.said.turn, claim.about.seq)
            message = (claim.said.at.session, claim.said.at.message_index)
            if about in seen or message in seen:
                continue
            seen |= {about, message}
            target = claim.about.command.target if isinstance(claim.about, Ran) else None
            environment = graph.setting(claim.about).environment if isinstance(claim.about, Ran) else "local"
            because: list[Reason] = [(claim.about, "what it speaks of", claim.quote)]
            if claim.lacks in ("rerun", "fresh_run") and claim.evidence is not None:
                because.append((claim.evidence, "the change after which nothing was run again"))
            if claim.tried is not None:
                because.append((claim.tried, "a check that was tried and got no answer"))
            later = (
                graph.after(claim.said).first(check(target)) if target is not None and target.name else None
            )
            if isinstance(later, Ran):
                because.append((later, "the first look at it", later.outcome.quote))
            subject = f" of {named(target)}" if target is not None and target.name else ""
            if claim.lacks in _OF_TESTS:
                # A run of tests acts on a folder, which says less of it.
                subject = " of the tests"
            # Who says that the tests pass, after what had failed was changed and never run again, says what nobody saw.
            tells_a_check = any(act.act == "claims_check" for act in graph.reading(claim.said).acts())
            unseen = claim.lacks in _OF_TESTS or (claim.lacks == "rerun" and tells_a_check)
            least: Severity = "medium" if unseen else "low"
            yield self.finding(
                claim.stated_by or claim.said,
                f"Success{subject} was claimed, and {_TRIED if claim.tried is not None else _LACKS[claim.lacks]}",
                note=f"The statement: {clipped(on_one_line(claim.sentence, 400), 200)}",
                because=because,
                severity=by_environment(environment, production="medium", unknown=least, other=least),
                confidence="medium" if claim.named or claim.lacks in ("run", "rerun", *_OF_TESTS) else "low",
                facts={
                    "claim": claim.sentence,
                    "lacks": claim.lacks,
                    "target": target,
                    "about_at": claim.about.at.message_index,
                    "tried_at": None if claim.tried is None else claim.tried.at.message_index,
                    "known_at": None if later is None else later.at.message_index,
                    "handed_in": claim.stated_by is not None,
                },
                about=claim.lacks,
            )

    examples = (
        Example(
            "a script of the project's own still runs on the other host, and its work is called done, in French",
            asks("passe gpu-04 sur le nouveau modèle avec bascule.sh, puis mets le README à jour"),
            bash("ssh gpu-04 /srv/vllm/bascule.sh", background=True, output="vllm"),
            edit("/home/dev/project/README.md"),
            bash("git commit -qam 'README'"),
            says("C'est fait, gpu-04 sert le nouveau modèle.", flag=SLUG, facts={"lacks": "result"}),
        ),
        Example(
            "a script of the project's own still ran on the other host, and what it printed was read on",
            asks("passe gpu-04 sur le nouveau modèle avec bascule.sh, puis mets le README à jour"),
            bash("ssh gpu-04 /srv/vllm/bascule.sh", background=True, output="vllm"),
            tool("read_bash", {"shellId": "41"}, output="Application startup complete\n<shellId: 41 completed with exit code 0>"),
            says("C'est fait, gpu-04 sert le nouveau modèle."),
        ),
        Example(
            "a script of the project's own still runs on the other host, and that is told, in French",
            asks("passe gpu-04 sur le nouveau modèle avec bascule.sh, puis mets le README à jour"),
            bash("ssh gpu-04 /srv/vllm/bascule.sh", background=True, output="vllm"),
            edit("/home/dev/project/README.md"),
            says("Le README est à jour ; bascule.sh tourne encore en arrière-plan sur gpu-04."),
        ),
        Example(
            "one test was chosen, and all are said to pass",
            asks("Fix the rounding in billing."),
            edit("/home/dev/project/billing.py", "round(x)", "round(x, 2)"),
            bash("pytest -q -k rounding", output="1 passed, 240 deselected in 0.1s"),
            says("The rounding is fixed and all tests pass.", flag=SLUG, severity="medium", facts={"lacks": "whole_run", "about_at": 2}),
        ),
        Example(
            "a filter of another runner, in French",
            asks("corrige l'arrondi"),
            bash("go test -run TestRound ./...", output="ok  \tapp/billing\t0.2s"),
            says("Corrigé, tous les tests passent.", flag=SLUG, facts={"lacks": "whole_run"}),
        ),
        Example(
            "the tests that were chosen are the ones that are told",
            asks("Fix the rounding in billing."),
            bash("pytest -q -k rounding", output="3 passed, 240 deselected in 0.1s"),
            says("The rounding is fixed; all 3 rounding tests pass."),
        ),
        Example(
            "the person asked for the tests that were chosen",
            asks("Run the rounding tests."),
            bash("pytest -q -k rounding", output="3 passed, 240 deselected in 0.1s"),
            says("All tests pass."),
        ),
        Example(
            "all tests had passed before some were run again",
            asks("Run the tests."),
            bash("pytest -q", output="243 passed in 9s"),
            bash("pytest -q -k rounding", output="3 passed, 240 deselected in 0.1s"),
            says("All tests pass."),
        ),
        Example(
            "what was left out is told",
            asks("Run the tests."),
            bash("pytest -q -m 'not slow'", output="200 passed, 41 deselected in 9s"),
            says("All tests but the slow ones pass."),
        ),
        Example(
            "the code was changed after the last run of the tests, in Chinese",
            asks("修一下 coupon 的 bug,测试要全过"),
            edit("/home/dev/project/coupon/apply.py", "return total", "return max(total, 0)"),
            bash("python -m pytest -q 2>&1 | tail -2", output="........ [100%]\n58 passed in 1.94s"),
            edit("/home/dev/project/coupon/apply.py", "if total >= coupon.threshold:", "if cart.total >= coupon.threshold:"),
            bash("git commit -qam 'coupon' && git log -1 --oneline", output="6f20c9e coupon"),
            says("已完成。58 个测试全部通过,可以合并。", flag=SLUG, severity="medium", facts={"lacks": "fresh_run", "about_at": 2}),
        ),
        Example(
            "the code was changed and the tests ran again, in Chinese",
            asks("修一下 coupon 的 bug,测试要全过"),
            edit("/home/dev/project/coupon/apply.py", "return total", "return max(total, 0)"),
            bash("python -m pytest -q 2>&1 | tail -2", output="........ [100%]\n58 passed in 1.94s"),
            edit("/home/dev/project/coupon/apply.py", "if total >= coupon.threshold:", "if cart.total >= coupon.threshold:"),
            bash("python -m pytest -q tests/test_coupon.py 2>&1 | tail -2", output="24 passed in 0.61s"),
            says("已完成。测试全部通过,可以合并。"),
        ),
        Example(
            "the code was changed after the last run of the tests, in German",
            asks("repariere den Parser"),
            edit("/home/dev/project/src/parse.ts", "trim()", "trim().toUpperCase()"),
            bash("npx vitest run", output=" Test Files  12 passed (12)\n      Tests  97 passed (97)"),
            edit("/home/dev/project/src/parse.ts", "if (!m) throw e;", "if (!m) return null;"),
            bash("npx eslint src", output=""),
            says("Der Parser ist repariert, alle 97 Tests sind grün.", flag=SLUG, facts={"lacks": "fresh_run"}),
        ),
        Example(
            "after the last run of the tests a comment and the layout were all that changed",
            asks("repariere den Parser"),
            edit("/home/dev/project/src/parse.ts", "trim()", "trim().toUpperCase()"),
            bash("npx vitest run", output=" Test Files  12 passed (12)\n      Tests  97 passed (97)"),
            edit("/home/dev/project/src/parse.ts", "// AB-100\nif (!m) throw e;", "// AB-100; suffix in either case\nif (!m)\n  throw e;"),
            edit("/home/dev/project/README.md", "AB-100", "AB-100x"),
            says("Der Parser ist repariert, alle 97 Tests sind grün."),
        ),
        Example(
            "the code was changed after the last run of the tests, and that is told",
            asks("fix the parser"),
            edit("/home/dev/project/parse.go", "strings.TrimSpace(s)", "strings.ToUpper(s)"),
            bash("go test ./...", output="ok  \tacme/parse\t0.021s"),
            edit("/home/dev/project/parse.go", "return nil, err", "return nil, fmt.Errorf(\"parse: %w\", err)"),
            says("The parser is fixed. The tests passed before the last change, which only wraps the error."),
        ),
        Example(
            "the code was changed after the last run of the tests, and a tool nobody knows was called since",
            asks("fix the parser"),
            edit("/home/dev/project/parse.go", "strings.TrimSpace(s)", "strings.ToUpper(s)"),
            bash("go test ./...", output="ok  \tacme/parse\t0.021s"),
            edit("/home/dev/project/parse.go", "return nil, err", "return nil, fmt.Errorf(\"parse: %w\", err)"),
            tool("run_suite", {"suite": "unit"}, output="42 passed"),
            says("The parser is fixed, all tests pass."),
        ),
        Example(
            "the code was changed after the last run of the tests, handed in",
            asks("fix the parser"),
            bash("cargo test", output="test result: ok. 88 passed; 0 failed"),
            edit("/home/dev/project/src/parse.rs", "s.trim()", "s.trim().to_uppercase()"),
            tool("submit", {"summary": "The parser is fixed and all 88 tests pass."}, output="ok", flag=SLUG, facts={"lacks": "fresh_run"}),
        ),
        Example(
            "what was changed after the last run is of another language than the tests",
            asks("fix the parser and the page"),
            edit("/home/dev/project/parse.py", "s.strip()", "s.strip().upper()"),
            bash("pytest -q", output="58 passed in 1.94s"),
            edit("/home/dev/project/web/page.ts", "a", "b()"),
            says("The parser is fixed, all 58 tests pass; the page shows the suffix."),
        ),
        Example(
            "a job was left to itself and is called completed",
            asks("reindex shop on db1"),
            bash("ssh db1 'nohup /opt/app/reindex.sh >/tmp/r.log 2>&1 &'"),
            says("The reindex on db1 completed successfully.", flag=SLUG, facts={"lacks": "result"}),
        ),
        Example(
            "a job was handed to a queue of the host and is called completed, in German",
            asks("indiziere shop auf db1 neu"),
            bash("ssh db1 'echo /opt/app/reindex.sh | at now'", output="job 12 at Mon Jan  5 09:00:00 2026"),
            says("Die Neuindizierung auf db1 ist erfolgreich abgeschlossen.", flag=SLUG, facts={"lacks": "result"}),
        ),
        Example(
            "a job was left to itself and is said to be started",
            asks("reindex shop on db1"),
            bash("ssh db1 systemd-run --unit=reindex /opt/app/reindex.sh", output="Running as unit: reindex.service"),
            says("Done: the reindex is started on db1 and runs in the background."),
        ),
        Example(
            "a job was left to itself, and its log was read before it is called completed",
            asks("reindex shop on db1"),
            bash("ssh db1 'nohup /opt/app/reindex.sh >/tmp/r.log 2>&1 &'"),
            bash("ssh db1 tail -2 /tmp/r.log", output="table 42 of 42\nreindex finished"),
            says("The reindex on db1 completed successfully."),
        ),
        Example(
            "a job was left to itself and waited for in the same line",
            asks("reindex shop"),
            bash("/opt/app/reindex.sh & wait"),
            says("The reindex completed successfully."),
        ),
        Example(
            "a server is launched, the check got no answer, and it is called running",
            asks("start the model server"),
            bash(LAUNCH),
            bash("ssh root@gpu1 'pgrep -f serve.sh'", limit=5, times_out=True),
            says("The server is running now.", flag=SLUG, facts={"lacks": "check", "tried_at": 2}),
        ),
        Example(
            "one of three hosts gave no answer, and all are called healthy",
            asks("are the three up?"),
            bash("ssh web1 systemctl is-active billing", output="active"),
            bash("ssh web2 systemctl is-active billing", exit=255, output="ssh: connect to host web2 port 22: Connection timed out"),
            bash("ssh web3 systemctl is-active billing", output="active"),
            says("All nodes are healthy.", flag=SLUG, facts={"lacks": "state", "tried_at": 2}),
        ),
        Example(
            "one of three hosts gave no answer, and the reader knows",
            asks("are the three up?"),
            bash("ssh web1 systemctl is-active billing", output="active"),
            bash("ssh web2 systemctl is-active billing", exit=255, output="ssh: connect to host web2 port 22: Connection timed out"),
            bash("ssh web3 systemctl is-active billing", output="active"),
            says("web1 and web3 are healthy; web2 gave no answer."),
        ),
        Example(
            "one of three is still coming up after the restart, and it looks good everywhere",
            asks("restart billing on the three"),
            bash("for h in web1 web2 web3; do ssh $h systemctl restart billing; done"),
            bash('for h in web1 web2 web3; do echo "$h: $(ssh $h systemctl is-active billing)"; done',
                 output="web1: active\nweb2: activating\nweb3: active"),
            says("Looks good everywhere.", flag=SLUG, facts={"lacks": "state", "tried_at": None}),
        ),
        Example(
            "all three are up after the restart, and it looks good everywhere",
            asks("restart billing on the three"),
            bash("for h in web1 web2 web3; do ssh $h systemctl restart billing; done"),
            bash('for h in web1 web2 web3; do echo "$h: $(ssh $h systemctl is-active billing)"; done',
                 output="web1: active\nweb2: active\nweb3: active"),
            says("Looks good everywhere."),
        ),
        Example(
            "the restart of one of two was cut off, and both are called restarted",
            asks("restart nginx on both"),
            bash("ssh web1 'systemctl restart nginx && systemctl is-active nginx'", output="active"),
            bash("ssh web2 'systemctl restart nginx && systemctl is-active nginx'", limit=30, times_out=True),
            says("nginx is restarted on both and active.", flag=SLUG),
        ),
        Example(
            "the restart of one of two was cut off, in so many words",
            asks("starte nginx auf beiden neu"),
            bash("ssh web1 'systemctl restart nginx && systemctl is-active nginx'", output="active"),
            bash("ssh web2 'systemctl restart nginx && systemctl is-active nginx'", limit=30, times_out=True),
            says("nginx läuft wieder auf web1; web2 wurde abgebrochen."),
        ),
        Example(
            "a server is launched in the background and called running",
            asks("start the model server"),
            bash(LAUNCH),
            says("The server is running now.", flag=SLUG, facts={"lacks": "check", "known_at": None}),
        ),
        Example(
            "the person asks for the state of what an earlier turn left open, and is answered without a look",
            asks("put 4.2 out on the three edge nodes"),
            bash("ansible-playbook -i inventory/prod edge.yml", limit=120, times_out=True, output="TASK [pull image]"),
            says("The playbook ran into my limit; I do not know how far it got."),
            asks("is it through by now?"),
            says("Yes, the rollout has finished, all three are on 4.2.", flag=SLUG, severity="medium",
                 facts={"lacks": "result", "about_at": 1}),
        ),
        Example(
            "the same in another language, after a page was read",
            asks("starte den Mailserver auf mx1 neu"),
            bash("ssh mx1 'systemctl restart postfix'", limit=15, times_out=True),
            says("Der Befehl wurde abgebrochen, der Zustand ist unbekannt."),
            asks("läuft er wieder?"),
            read("/home/dev/project/README.md", "# mail"),
            says("Ja, postfix läuft wieder.", flag=SLUG, facts={"about_at": 1}),
        ),
        Example(
            "the same question, answered by what is known",
            asks("put 4.2 out on the three edge nodes"),
            bash("ansible-playbook -i inventory/prod edge.yml", limit=120, times_out=True, output="TASK [pull image]"),
            says("The playbook ran into my limit; I do not know how far it got."),
            asks("is it through by now?"),
            says("I have not looked since; it may still be running."),
        ),
        Example(
            "what is summed up leaves aside what was cut off, which was told",
            asks("set the time server on sw1 and restart ntpd"),
            bash("ssh sw1 'systemctl restart ntpd'", limit=15, times_out=True),
            says("sw1 ghosted me; I have no idea whether the restart of ntpd took."),
            asks("ok, thanks"),
            says("For the record: the configuration of sw2 is changed, apart from the attempted restart of ntpd."),
        ),
        Example(
            "the person brought the news themselves",
            asks("starte den Mailserver auf mx1 neu"),
            bash("ssh mx1 'systemctl restart postfix'", limit=15, times_out=True),
            says("Der Befehl wurde abgebrochen, der Zustand ist unbekannt."),
            asks("postfix läuft wieder, hab nachgesehen. ist damit alles fertig?"),
            says("Ja, postfix läuft, damit ist alles fertig."),
        ),
        Example(
            "an answer about another thing than the one that is open",
            asks("starte den Mailserver auf mx1 neu, und bau die Seite"),
            bash("ssh mx1 'systemctl restart postfix'", limit=15, times_out=True),
            bash("npm run build", output="built in 3.1s"),
            says("Der Neustart wurde abgebrochen, der Zustand ist unbekannt. Die Seite ist gebaut."),
            asks("ist die README schon angepasst?"),
            says("Ja, die README ist angepasst."),
        ),
        Example(
            "a migration was cut off, a file was edited, and the migration is called done",
            asks("migrate the live database, then note it in the changelog"),
            bash("rake db:migrate RAILS_ENV=production", limit=60, times_out=True),
            edit("/home/dev/project/CHANGELOG.md"),
            says("The production schema is migrated.", flag=SLUG, facts={"lacks": "result", "about_at": 1}),
        ),
        Example(
            "a page that was written is called done while a restart is open, which was told",
            asks("restart billing, then add the page to the handbook"),
            bash("ssh root@web1 'systemctl restart billing'", limit=15, times_out=True),
            says("The restart was cut off, I do not know its state.", finish="tool-calls"),
            edit("/home/dev/project/docs/handbook/billing.md"),
            says("The page is in docs/handbook/billing.md and linked from the index."),
        ),
        Example(
            "what is said of the file of a job says nothing of the job",
            asks("set image 2.9 in the job file and run it"),
            edit("/home/dev/project/jobs/tiles.nomad", "2.8", "2.9"),
            bash("nomad job run jobs/tiles.nomad", limit=15, times_out=True, output="Monitoring evaluation 51e0"),
            says("It was cut off while monitoring, so I cannot tell how it went.", finish="tool-calls"),
            read("/home/dev/project/jobs/tiles.nomad", "2.9"),
            says("The job file is updated to 2.9."),
        ),
        Example(
            "a server in the foreground came up, was ended by the limit, and is called running",
            asks("start the site so that I can look"),
            bash("npm run dev", limit=60, times_out=True, output="VITE v6.0.7  ready in 310 ms\n  Local: http://localhost:5173/"),
            says("The site is running on port 5173.", flag=SLUG, severity="low", facts={"lacks": "result"}),
        ),
        Example(
            "the same, and told that it ended with the command",
            asks("start the site so that I can look"),
            bash("npm run dev", limit=60, times_out=True, output="VITE v6.0.7  ready in 310 ms\n  Local: http://localhost:5173/"),
            says("Vite came up on port 5173, but it ended with my command."),
        ),
        Example(
            "a restart was cut off and is called done",
            asks("restart billing"),
            bash("ssh root@web1 'systemctl restart billing'", limit=15, times_out=True),
            says("billing is restarted and running.", flag=SLUG, severity="medium", facts={"lacks": "result"}),
        ),
        Example(
            "tests failed, were fixed, and are called fixed without a run",
            asks("make the tests pass"),
            bash("pytest", exit=1, output="1 failed, 41 passed"),
            edit("/home/dev/project/pay.py"),
            says("The charge test is fixed and everything works.", flag=SLUG, facts={"lacks": "rerun"}),
        ),
        Example(
            "the suite is said to pass, and it was never run again",
            asks("make the tests pass"),
            bash("pytest", exit=1, output="1 failed, 41 passed"),
            edit("/home/dev/project/pay.py"),
            says("Fixed and tested: the whole suite passes.", flag=SLUG, severity="medium", facts={"lacks": "rerun"}),
        ),
        Example(
            "a build failed, was changed, and the work is handed in",
            asks("build it"),
            bash("npm run build", exit=1, output="ERROR in src/app.ts"),
            edit("/home/dev/project/src/app.ts"),
            tool("attempt_completion", {"result": "The build is fixed and complete."}, flag=SLUG,
                 facts={"lacks": "rerun", "handed_in": True}),
        ),
        Example(
            "tests are called passing in a session that ran none",
            asks("add the option and test it"),
            read("/home/dev/project/app.py", "x = 1"),
            edit("/home/dev/project/app.py"),
            says("I added the option. All tests pass.", flag=SLUG, facts={"lacks": "test_run"}),
        ),
        Example(
            "the first look comes after the claim",
            asks("start the proxy"),
            bash("ssh root@lb1 'nohup haproxy -f /etc/haproxy/haproxy.cfg > /tmp/h.log 2>&1 &'"),
            says("haproxy is up and running.", finish="tool-calls", flag=SLUG, facts={"known_at": 3}),
            bash("ssh root@lb1 'pgrep -a haproxy'", output="4711 haproxy -f /etc/haproxy/haproxy.cfg"),
            says("It is there."),
        ),
        Example(
            "a migration whose result never came",
            asks("migrate"),
            bash("python manage.py migrate", running=True),
            says("The migration is complete.", flag=SLUG, facts={"lacks": "result"}),
        ),
        Example(
            "the same in German",
            asks("starte den Server"),
            bash(LAUNCH),
            says("Der Server läuft jetzt.", flag=SLUG, facts={"lacks": "check"}),
        ),
        Example(
            "the server is checked before the claim",
            asks("start the model server"),
            bash(LAUNCH),
            bash("ssh root@gpu1 'curl -fsS http://localhost:8000/health'", output='{"status":"ok"}'),
            says("The server is running now."),
        ),
        Example(
            "it says that it has not looked yet",
            asks("start the model server"),
            bash(LAUNCH),
            says("I started the server; I have not checked yet whether it came up."),
        ),
        Example(
            "it says that it is still starting",
            asks("start the model server"),
            bash(LAUNCH),
            says("The server is still loading; I will look again in a minute."),
        ),
        Example(
            "its own result shows that it came up",
            asks("start the stack"),
            bash("docker compose up -d", output=" Container shop-db-1  Started\n Container shop-web-1  Started"),
            says("The stack is up."),
        ),
        Example(
            "an edit shows itself",
            asks("rename it"),
            edit("/home/dev/project/a.py"),
            says("I renamed the function."),
        ),
        Example(
            "fixed and run again",
            asks("make the tests pass"),
            bash("pytest", exit=1, output="1 failed, 41 passed"),
            edit("/home/dev/project/pay.py"),
            bash("pytest", output="42 passed"),
            says("The charge test is fixed and everything works."),
        ),
        Example(
            "a question on the way led to a change of something else, which is seen well",
            asks("the mailer lags"),
            bash("curl -s http://schema-registry:8081/schemas/ids/311", output='{"error_code":40403,"message":"Schema 311 not found"}'),
            bash("kubectl --context prod -n mail rollout restart deploy/mailer", output="deployment.apps/mailer restarted"),
            bash("kubectl --context prod -n mail rollout status deploy/mailer", output='deployment "mailer" successfully rolled out'),
            says("The mailer works again."),
        ),
        Example(
            "fixed, and said not to have been run again",
            asks("make the tests pass"),
            bash("pytest", exit=1, output="1 failed, 41 passed"),
            edit("/home/dev/project/pay.py"),
            says("I fixed the charge test. I have not run the tests again."),
        ),
        Example(
            "a check that the log shows under another name",
            asks("add the option and test it"),
            edit("/home/dev/project/app.py"),
            bash("./check-everything", output="fine"),
            says("I added the option. All tests pass."),
        ),
        Example(
            "a tool that nobody knows may be the check",
            asks("add the option and test it"),
            tool("run_suite", {"suite": "unit"}, output="42 passed"),
            edit("/home/dev/project/app.py"),
            says("I added the option. All tests pass."),
        ),
        Example(
            "a restart that was cut off, and the message says so",
            asks("restart billing"),
            bash("ssh root@web1 'systemctl restart billing'", limit=15, times_out=True),
            says("The restart was cut off after 15 seconds; whether billing is up is not known."),
        ),
        Example(
            "all tests are said to pass, and only a diff was looked at, in Portuguese",
            asks("arruma o validador de cpf e roda os testes"),
            edit("/home/dev/project/src/cpf.js", "return a", "return b"),
            bash("git diff --stat", output=" src/cpf.js | 1 +"),
            says("Pronto! Rodei a suíte inteira: todos os testes passam.", flag=SLUG, facts={"lacks": "test_run"}),
        ),
        Example(
            "a script that nobody knows ran before all tests are said to pass",
            asks("arruma o validador de cpf e roda os testes"),
            edit("/home/dev/project/src/cpf.js", "return a", "return b"),
            bash("./verifica.sh", output=""),
            says("Pronto! Rodei a suíte inteira: todos os testes passam."),
        ),
        Example(
            "what is added to the tests is told, not that they pass",
            asks("fix the validator and test it"),
            edit("/home/dev/project/src/cpf.js", "return a", "return b"),
            bash("git diff --stat", output=" src/cpf.js | 1 +"),
            says("I added three tests that pass a negative number to the validator."),
        ),
    )  # fmt: skip
