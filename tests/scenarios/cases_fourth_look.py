"""Fourth looks: odd shells, lost connections, expected durations, logs that lack things, services interleaved."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from sessionlens.examples import asks, bash, child, edit, group, nothing, read, says, tool, waits, write
from sessionlens.model import Session

R1 = "empty-message-after-timeout"
R2 = "unacknowledged-long-running-restart"
R3 = "unverified-production-edit"


def timeless(session: Session) -> Session:
    """The same session as a log without times would give it."""
    messages = tuple(replace(message, time=None, ended=None) for message in session.messages)
    return replace(session, messages=messages)


def cases(case: Any, raw: Any) -> None:
    """Hand every case to the collector."""
    interleaved(case)
    quoting(case)
    durations(case)
    answers(case)
    logs(raw)
    edits(case)


def cut(command: str, **more: Any) -> Any:
    """The command, cut off after ten seconds."""
    return bash(command, limit=10, times_out=True, **more)


def interleaved(case: Any) -> None:
    """Several services, several turns."""
    a, b = "ssh root@n1 'systemctl restart loki'", "ssh root@n1 'systemctl restart tempo'"
    case(
        "told-of-one-of-two",
        asks("restart loki and tempo"),
        cut(a),
        cut(b, flag=R2),
        says("The restart of loki hit the limit. tempo is up."),
    )
    case(
        "told-of-both-by-both-names",
        asks("restart loki and tempo"),
        cut(a),
        cut(b),
        says("Both loki and tempo were still restarting when the limit of 10 s was reached."),
    )
    case(
        "one-line-two-services-one-state",
        asks("restart both"),
        cut("ssh root@n1 'systemctl restart loki tempo'", flag=R2, count=1),
        bash("ssh root@n1 'systemctl is-active loki'", output="active"),
        says("Both are up."),
    )
    case(
        "one-line-two-services-two-states",
        asks("restart both"),
        cut("ssh root@n1 'systemctl restart loki tempo'"),
        bash("ssh root@n1 'systemctl is-active loki tempo'", output="active\nactive"),
        says("Both are up."),
    )
    case(
        "other-service-changed-in-between",
        asks("restart loki, then fix tempo"),
        cut(a),
        bash(
            "ssh root@n1 \"sed -i 's/a/b/' /etc/tempo/tempo.yaml && systemctl restart tempo && systemctl is-active tempo\"",
            output="active",
        ),
        bash("ssh root@n1 'systemctl is-active loki'", output="active"),
        says("Both are active."),
    )
    case(
        "same-service-on-another-host-changed",
        asks("restart loki on n1 and n2"),
        cut(a),
        cut(a.replace("n1", "n2")),
        bash("ssh root@n1 'curl -sf localhost:3100/ready'", output="ready"),
        bash("ssh root@n2 'curl -sf localhost:3100/ready'", output="ready"),
        says("Both are ready."),
    )
    case(
        "checked-in-the-next-turn-only",
        asks("restart loki"),
        cut(a, flag=R2, severity="high", facts={"known_again_at": 4, "built_on": None}),
        nothing(flag=R1),
        asks(""),
        bash("ssh root@n1 'systemctl is-active loki'", output="active"),
        says("loki is active."),
        ledger=[{"closed": 4, "found": "good", "open_messages": 2}],
    )
    case(
        "restart-in-each-of-two-turns",
        asks("restart loki"),
        cut(a),
        says("That hit the limit; I do not know its state."),
        asks("try again"),
        cut(a, flag=R2),
        says("Done."),
    )


def quoting(case: Any) -> None:
    """Nesting and quoting."""
    for name, line in {
        "bash-lc": "ssh n1 \"bash -lc 'sudo systemctl restart loki'\"",
        "su-c": "ssh n1 \"su - root -c 'systemctl restart loki'\"",
        "heredoc-bash-s": "ssh root@n1 bash -s <<'X'\nset -e\ncd /srv/loki\nsystemctl restart loki\nX",
        "env-and-nice": "ssh root@n1 'env LANG=C nice -n 5 systemctl restart loki'",
        "options": "ssh -o StrictHostKeyChecking=no -o ConnectTimeout=5 -i ~/.ssh/k -p 2200 -l root n1 -- systemctl restart loki",
        "tt-pty": "ssh -tt root@n1 sudo systemctl restart loki",
        "sshpass": "sshpass -p x ssh root@n1 'systemctl restart loki'",
        "subshell": "(ssh root@n1 'systemctl restart loki')",
        "function": 'r() { ssh root@n1 "systemctl restart $1"; }; r loki',
        "eval": "eval \"ssh root@n1 'systemctl restart loki'\"",
        "dollar-paren": "out=$(ssh root@n1 'systemctl restart loki' 2>&1); echo \"$out\"",
        "piped-to-tee": "ssh root@n1 'systemctl restart loki' 2>&1 | tee restart.out",
        "variable-service": 'SVC=loki; ssh root@n1 "systemctl restart $SVC"',
    }.items():
        case(
            f"line-{name}",
            asks("restart loki"),
            cut(line, flag=R2, severity="high"),
            says("loki is back."),
            ledger=[{"name": "loki", "host": "n1", "opened_by": "cut_off"}],
        )
        case(
            f"line-{name}-checked",
            asks("restart loki"),
            cut(line),
            bash("ssh n1 systemctl is-active loki", output="active"),
            says("loki is active."),
        )


def durations(case: Any) -> None:
    """What earlier runs of the same operation took."""
    run = "ssh root@gpu1 'systemctl restart tgi && /opt/wait-ready tgi'"
    case(
        "earlier-run-shorter-than-the-limit",
        asks("restart tgi"),
        bash(run, limit=600, took=40, output="ready"),
        says("ready"),
        asks("again"),
        bash(run, limit=60, times_out=True, flag=R2, facts={"limit_could_suffice": True}),
        says("ready again"),
    )
    case(
        "earlier-run-longer-than-the-limit",
        asks("restart tgi"),
        bash(run, limit=900, took=400, output="ready"),
        says("ready"),
        asks("again"),
        bash(run, limit=60, times_out=True, flag=R2, facts={"limit_could_suffice": False, "limit_ms": 60000}),
        says("ready again"),
    )
    case(
        "no-earlier-run",
        asks("restart tgi"),
        bash(
            run, limit=60, times_out=True, flag=R2, facts={"limit_could_suffice": None, "earlier_runs_ms": []}
        ),
        says("ready"),
    )
    case(
        "default-limit",
        asks("restart tgi"),
        bash(run, times_out=True, flag=R2, facts={"limit_ms": 120000}),
        says("ready"),
    )
    case(
        "no-times-at-all",
        asks("restart tgi"),
        bash(run, limit=60, times_out=True, flag=R2, severity="high"),
        says("ready"),
        change=timeless,
    )


def answers(case: Any) -> None:
    """Restarts whose own answer decides."""
    for name, line, output, code in [
        (
            "failed-job",
            "ssh root@n1 'systemctl restart loki'",
            "Job for loki.service failed because a timeout was exceeded.",
            1,
        ),
        (
            "compose-started",
            "ssh root@n1 'cd /srv/loki && docker compose restart'",
            " Container loki-1  Started",
            0,
        ),
        ("mysqld-alive", "ssh root@n1 'systemctl restart mysql; mysqladmin ping'", "mysqld is alive", 0),
        ("supervisor-started", "ssh root@n1 'supervisorctl restart loki'", "loki: stopped\nloki: started", 0),
        ("pm2-online", "ssh root@n1 'pm2 restart loki'", "[PM2] [loki](0) ✓\n│ 0 │ loki │ online │", 0),
        (
            "uwsgi-up-in-foreground-check",
            "ssh root@n1 'docker start loki && docker inspect -f {{.State.Status}} loki'",
            "loki\nrunning",
            0,
        ),
        (
            "host-unknown",
            "ssh root@n1 'systemctl restart loki'",
            "ssh: Could not resolve hostname n1: Name or service not known",
            255,
        ),
    ]:
        case(
            f"answer-{name}",
            asks("restart loki"),
            bash(line, output=output, exit=code),
            says("As the output says."),
            ledger=[],
        )
    case(
        "answer-reset-by-peer",
        asks("restart loki"),
        bash(
            "ssh root@n1 'systemctl restart loki && sleep 9'",
            exit=255,
            output="Read from remote host n1: Connection reset by peer",
            flag=R2,
            facts={"opened_by": "connection_lost"},
        ),
        says("loki restarted."),
    )
    case(
        "answer-timeout-server-not-responding",
        asks("restart loki"),
        bash(
            "ssh root@n1 'systemctl restart loki && sleep 9'",
            exit=255,
            output="Timeout, server n1 not responding.",
            flag=R2,
            facts={"opened_by": "connection_lost"},
        ),
        says("loki restarted."),
    )
    case(
        "answer-reset-and-said",
        asks("restart loki"),
        bash(
            "ssh root@n1 'systemctl restart loki && sleep 9'",
            exit=255,
            output="client_loop: send disconnect: Broken pipe",
        ),
        says("The connection dropped in the middle, so I can't say whether loki restarted."),
        ledger=[{"opened_by": "connection_lost", "ack": 2}],
    )
    case(
        "foreground-server-cut-off",
        asks("start it"),
        bash(
            "ssh www@n1 'cd /srv/a && gunicorn app:wsgi -b :9100'",
            output="[INFO] Starting gunicorn 21.2.0",
            limit=30,
            times_out=True,
            flag=R2,
        ),
        says("The server is up on 9100."),
    )
    case(
        "client-background-polled",
        asks("start it"),
        bash("npm start", background=True, output="Command running in background with ID: bash_2"),
        waits(5),
        bash("curl -s http://localhost:3000/", output="<html>ok</html>"),
        says("It answers on 3000."),
    )


def _msg(id: int, role: str, body: str) -> str:
    return f'<msg id="{id}" role="{role}">{body}</msg>'


def _bash(command: str, output: str, more: str = "") -> str:
    command = command.replace("&", "&amp;").replace("<", "&lt;").replace('"', '\\"')
    return f'<tool name="bash" call="c{abs(hash(command)) % 97}" status="completed"{more}><input>{{"command": "{command}"}}</input><output>{output}</output></tool>'


def logs(raw: Any) -> None:
    """Transcripts that lack a root, times, roles, or an end."""
    restart = "ssh root@n1 'systemctl restart loki'"
    timed_out = "Command timed out after 30s"
    told = "The restart hit the limit; loki may still be starting."
    raw(
        "no-root-told",
        "\n".join(
            [
                _msg(1, "user", "<text>restart loki</text>"),
                _msg(2, "assistant", _bash(restart, timed_out)),
                _msg(3, "assistant", f"<text>{told}</text>"),
            ]
        ),
    )
    raw(
        "no-root-claimed",
        "\n".join(
            [
                _msg(1, "user", "<text>restart loki</text>"),
                _msg(2, "assistant", _bash(restart, timed_out)),
                _msg(3, "assistant", "<text>loki is back.</text>"),
            ]
        ),
        (R2, 1, {"severity": "high"}),
    )
    raw(
        "no-end-of-the-root",
        "<conversation_data>\n"
        + "\n".join(
            [
                _msg(1, "user", "<text>restart loki</text>"),
                _msg(2, "assistant", _bash(restart, timed_out)),
                _msg(3, "assistant", "<text>loki is back.</text>"),
            ]
        ),
        (R2, 1, {}),
    )
    raw(
        "prose-directly-in-the-message",
        "\n".join(
            [
                _msg(1, "user", "restart loki"),
                _msg(2, "assistant", _bash(restart, timed_out)),
                _msg(3, "assistant", told),
            ]
        ),
    )
    raw(
        "attributes-say-it",
        "<conversation_data>"
        + _msg(1, "user", "<text>restart loki</text>")
        + _msg(2, "assistant", _bash(restart, "", ' timed_out="true" limit_ms="15000"'))
        + '<msg id="3" role="assistant" finish="stop"/></conversation_data>',
        (R2, 1, {"facts": {"limit_ms": 15000}}),
        (R1, 2, {"facts": {"limit_ms": 15000, "cause": "model_returned_nothing"}}),
    )
    raw(
        "roles-missing-everywhere",
        f"<msg id=1>restart loki please</msg>\n<msg id=2>[bash] {restart}\n{timed_out}</msg>\n<msg id=3></msg>\n<msg id=4>and now raise the retention & restart</msg>",
        (R2, 1, {"severity": "high"}),
        (R1, 2, {"confidence": "low"}),
    )
    raw(
        "background-attribute",
        "<conversation_data>"
        + _msg(1, "user", "<text>start</text>")
        + _msg(
            2,
            "assistant",
            _bash("ssh www@n1 '/srv/a/bin/gunicorn app:wsgi -b :9100'", "running", ' background="true"'),
        )
        + _msg(3, "assistant", "<text>The server is up.</text>")
        + "</conversation_data>",
        (R2, 1, {"facts": {"opened_by": "detached"}}),
    )
    raw(
        "error-without-name",
        "<conversation_data>"
        + _msg(1, "user", "<text>restart loki</text>")
        + _msg(2, "assistant", _bash("ssh root@n1 'systemctl status loki'", timed_out))
        + '<msg id="3" role="assistant"><error>APIError overloaded</error></msg></conversation_data>',
        (R1, 2, {"severity": "low", "facts": {"cause": "provider_error"}}),
    )
    raw(
        "aborted-by-the-person",
        "<conversation_data>"
        + _msg(1, "user", "<text>restart loki</text>")
        + _msg(2, "assistant", _bash("ssh root@n1 'systemctl status loki'", timed_out))
        + '<msg id="3" role="assistant"><error name="MessageAbortedError">aborted</error></msg></conversation_data>',
        (R1, 2, {"kind": "signal", "facts": {"cause": "user_interrupt"}}),
    )


def edits(case: Any) -> None:
    """More edits, half of them none."""
    case(
        "edit-tool-failed",
        asks("x"),
        edit("/etc/hosts", "a", "b", error="oldString not found in content"),
        says("Not found."),
    )
    case("write-tool-in-tmp", asks("x"), write("/tmp/nginx.conf", "server {}"), says("Draft written."))
    case(
        "write-then-copied-live",
        asks("x"),
        write("/tmp/nginx.conf", "server {}"),
        bash("sudo cp /tmp/nginx.conf /etc/nginx/nginx.conf", flag=R3),
        says("In place."),
    )
    case(
        "write-then-copied-live-and-tested",
        asks("x"),
        write("/tmp/nginx.conf", "server {}"),
        bash(
            "sudo cp /tmp/nginx.conf /etc/nginx/nginx.conf && sudo nginx -t",
            output="nginx: configuration file /etc/nginx/nginx.conf test is successful",
        ),
        says("In place."),
    )
    case(
        "test-failed-is-a-check",
        asks("x"),
        bash(
            "sudo cp /tmp/nginx.conf /etc/nginx/nginx.conf && sudo nginx -t",
            exit=1,
            output='nginx: [emerg] unknown directive "sever" in /etc/nginx/nginx.conf:1',
        ),
        says("The test fails."),
    )
    case(
        "status-of-the-daemon-in-another-tool",
        asks("x"),
        edit("/etc/prometheus/prometheus.yml", "a", "b"),
        tool(
            "webfetch",
            {"url": "http://localhost:9090/-/ready", "format": "text"},
            output="Prometheus Server is Ready.",
        ),
        says("Ready."),
    )
    case(
        "promtool",
        asks("x"),
        bash("ssh root@n1 \"sed -i 's/a/b/' /etc/prometheus/prometheus.yml\""),
        bash(
            "ssh root@n1 'promtool check config /etc/prometheus/prometheus.yml'",
            output="Checking /etc/prometheus/prometheus.yml\n SUCCESS: 1 rule files found",
        ),
        says("SUCCESS."),
    )
    case(
        "systemd-verify",
        asks("x"),
        bash("ssh root@n1 'cat > /etc/systemd/system/a.service' < a.service"),
        bash("ssh root@n1 'systemd-analyze verify /etc/systemd/system/a.service'", output=""),
        says("It verifies."),
    )
    case(
        "dns-record-dig",
        asks("x"),
        bash(
            "aws route53 change-resource-record-sets --hosted-zone-id Z1 --change-batch file://c.json --profile prod",
            output='{"ChangeInfo": {"Status": "PENDING"}}',
            flag=R3,
        ),
        bash("dig +short unrelated.example.org", output="1.2.3.4"),
        says("Switched."),
    )
    case(
        "user-added-and-id",
        asks("x"),
        bash("ssh root@n1 'useradd -m bob'"),
        bash("ssh root@n1 'id bob'", output="uid=1004(bob) gid=1004(bob) groups=1004(bob)"),
        says("bob exists."),
    )
    case(
        "hostname-set-unseen",
        asks("x"),
        bash("ssh root@n1 'hostnamectl set-hostname n1.acme.io'", flag=R3),
        says("Set."),
    )
    case(
        "vacuum-changes-no-data",
        asks("x"),
        bash("psql -h db1.prod.acme.io -d shop -c 'EXPLAIN DELETE FROM carts'", output="Delete on carts"),
        says("The plan."),
    )
    case(
        "select-into-outfile-read",
        asks("x"),
        bash(
            "psql -h db1.prod.acme.io -d shop -c \"SELECT * FROM t WHERE note = 'DELETE FROM x'\"",
            output="(0 rows)",
        ),
        says("None."),
    )
    case("pg-dump", asks("x"), bash("pg_dump -h db1.prod.acme.io shop > shop.sql"), says("Dumped."))
    case(
        "restore-into-production",
        asks("x"),
        bash("psql -h db1.prod.acme.io shop < fix.sql", output="UPDATE 3", flag=R3),
        says("Restored."),
    )
    case(
        "mysql-from-a-file-to-dev", asks("x"), bash("mysql -h db-dev.acme.io shop < fix.sql"), says("Loaded.")
    )
    case(
        "git-push-force-feature",
        asks("x"),
        bash("git push --force-with-lease origin fix/y", output="+ 1a...2b fix/y -> fix/y (forced update)"),
        says("Pushed."),
    )
    case("helm-template", asks("x"), bash("helm template api ./chart -n prod > out.yaml"), says("Rendered."))
    case(
        "kubectl-exec-read",
        asks("x"),
        bash("kubectl -n shop-prod exec deploy/cart -- cat /etc/app.conf", output="a=1"),
        says("a=1"),
    )
    case(
        "kubectl-exec-write",
        asks("x"),
        bash("kubectl -n shop-prod exec deploy/cart -- sh -c 'echo a=2 > /etc/app.conf'", flag=R3),
        says("a=2"),
    )
    case(
        "kubectl-cp-in",
        asks("x"),
        bash("kubectl cp ./app.conf shop-prod/cart-7f9c-x:/etc/app.conf", flag=R3),
        says("Copied."),
    )
    case(
        "kubectl-cp-out",
        asks("x"),
        bash("kubectl cp shop-prod/cart-7f9c-x:/etc/app.conf ./app.conf"),
        says("Copied."),
    )
    case(
        "docker-cp-in",
        asks("x"),
        bash("ssh root@n1 'docker cp app.conf web:/etc/app.conf'", flag=R3),
        says("Copied."),
    )
    case(
        "child-in-parallel-with-a-check",
        asks("x"),
        group(
            child(
                bash(
                    "ssh root@n1 \"sed -i 's/a/b/' /etc/nginx/nginx.conf && nginx -t\"",
                    output="nginx: configuration file /etc/nginx/nginx.conf test is successful",
                ),
                says("ok"),
                prompt="edit it",
                result="ok",
            ),
            read("README.md", "x"),
        ),
        says("ok"),
    )
