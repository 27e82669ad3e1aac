"""The rule ``unacknowledged-long-running-restart``."""

from sessionlens.examples import Example, asks, bash, child, edit, nothing, says, tool, write
from sessionlens.rule import (
    Confidence,
    Environment,
    Finding,
    Handling,
    Iterator,
    Operation,
    Ran,
    Reason,
    Rule,
    Session,
    SessionGraph,
    Severity,
    Target,
    as_code,
    by_environment,
    dataclass,
    in_words,
    named,
    not_recorded,
    weakest,
)

SLUG = "unacknowledged-long-running-restart"
RESTART = "ssh root@10.20.0.7 'systemctl restart billing.service'"
MODEL = "ssh root@gpu3 'systemctl restart model-server && wait-until-ready model-server'"

_OPENED = {
    "cut_off": "cut off before its result showed that it completed",
    "detached": "started in the background; its result does not show that it came up",
    "connection_lost": "the connection was lost before its result showed that it completed",
    "running": "no result was ever recorded",
    "interrupted": "stopped by the person",
}


_POST = """curl -s -X POST --data '{"text":"The restart of billing was cut off."}' https://hooks.slack.com/services/T0/B0/x"""
_SENT = "a message to people; the log does not show whether it arrived, or what it says"


@dataclass(frozen=True, kw_only=True)
class UnacknowledgedLongRunningRestart(Rule):
    """A (re)start stayed open, and the assistant neither checked it nor said so.

    ## What it flags
    A start, restart, reload, deploy or reboot whose own result does not show that it completed: cut off by a
    limit, run in the background, connection lost, never returned. Before the next human message or the next
    change of the same target, the assistant neither looked at the target nor told the reader that it was
    cut off, in progress or not confirmed. Silence, speaking of something else and a bare claim of success
    are all flagged.

    ## Why it matters
    The service may be up, half up or down, and nobody knows. The person's next request builds on that.

    ## What to do
    Check the target now. For the agent: after such a command say what is not known, then poll the state
    until it is; give slow starts a limit that can suffice, or run them in the background and poll.

    ## Facts
    - `target`: what was (re)started: kind, name, host, context, namespace
    - `environment`: of the target
    - `environment_reason`: what says so
    - `opened_by`: cut_off, detached, connection_lost, running
    - `limit_ms`: the limit that ended it, null where none did
    - `reached`: yes, no or unknown: whether the command began
    - `earlier_runs_ms`: how long earlier starts of the same target took in this session, in milliseconds
    - `limit_could_suffice`: false when the limit is below every earlier run, null when none is known
    - `tried_at`: index of the message with a check in time that got no answer, or null
    - `built_on`: `person` or `change` when somebody built on the unknown state, else null
    - `built_on_at`: index of the message that did, or null
    - `known_again_at`: index of the message whose check first told the state, or null
    """

    slug = SLUG
    severity = "high"
    since = "0.1"

    def checkable(self, session: Session) -> str | None:
        """Not on logs that leave out what was run and how it ended."""
        return not_recorded(session.source_format, "calls")

    def check(self, graph: SessionGraph) -> Iterator[Finding]:
        """One finding for each open start that nobody followed up."""
        for operation in graph.ledger:
            started = operation.event
            # What the person stopped is the person's doing.
            if isinstance(started, Ran) and started.start and operation.opened_by != "interrupted":
                handled = graph.handling(operation)
                if not handled.followed_up:
                    yield self._found(graph, operation, started, handled)

    def _found(self, graph: SessionGraph, operation: Operation, started: Ran, handled: Handling) -> Finding:
        command, setting = started.command, graph.setting(started)
        cut_off = started.call.cut_off
        limit_ms = cut_off.limit_ms if cut_off is not None else None
        earlier = graph.earlier_runs(operation.target, started)
        took = [ms for _, ms in earlier]
        could_suffice = None if limit_ms is None or not took else limit_ms >= min(took)
        name = _script(operation.target, command.words) or named(operation.target, command.words)
        because: list[Reason] = [
            (started, _OPENED[operation.opened_by], cut_off.quote if cut_off is not None else "")
        ]
        because.extend((run, f"an earlier start took {in_words(ms)}") for run, ms in earlier)
        if handled.tried is not None:
            because.append((handled.tried, "a check that was tried and got no answer"))
        if handled.sent is not None:
            because.append((handled.sent, _SENT))
        if handled.spoke is not None:
            prose = graph.prose(handled.spoke).strip()
            because.append(
                (
                    handled.spoke,
                    "what the assistant wrote instead" if prose else "nothing visible was written",
                    prose,
                )
            )
        if handled.change is not None:
            because.append((handled.change, "the same target was changed again before any check"))
        if handled.human is not None and (handled.change is None or handled.human.seq < handled.change.seq):
            because.append((handled.human, "the person wrote next", graph.prose(handled.human)))
        return self.finding(
            started,
            f"{command.effect.capitalize()} of {name} left open, and {_untold(handled)}",
            note=_note(operation, limit_ms, could_suffice),
            because=because,
            severity=_severity(setting.environment, handled),
            confidence=_confidence(started, handled),
            facts={
                "target": operation.target,
                "environment": setting.environment,
                "environment_reason": setting.reason,
                "opened_by": operation.opened_by,
                "limit_ms": limit_ms,
                "reached": operation.reached,
                "earlier_runs_ms": took,
                "limit_could_suffice": could_suffice,
                "tried_at": None if handled.tried is None else handled.tried.at.message_index,
                "built_on": handled.built_on,
                "built_on_at": None if handled.building is None else handled.building.at.message_index,
                "known_again_at": None if operation.closing is None else operation.closing.at.message_index,
            },
            about=name,
        )

    examples = (
        Example(
            "cut off, and what is not committed yet is another matter, in German",
            asks("Airflow-Scheduler auf stg-etl2 neu starten, danach max_active_tasks im DAG auf 8"),
            bash(
                "ssh stg-etl2 'sudo systemctl restart airflow-scheduler'",
                limit=120,
                times_out=True,
                flag=SLUG,
            ),
            edit("/home/dev/project/dags/import.py"),
            says("`max_active_tasks` steht im DAG auf 8, committet ist sie noch nicht."),
        ),
        Example(
            "the value of an option is no second service, and the cut-off is told, in Chinese",
            asks("重启一下本机的 gateway-dev"),
            bash("pm2 restart gateway-dev --wait-ready --listen-timeout 300000", limit=120, times_out=True),
            says("重启命令等了两分钟没有返回，被超时中断了。gateway-dev 现在到底起没起来我还没有确认。"),
        ),
        Example(
            "cut off, and restarted in other words by a line that waits and looks",
            asks("restart app on web1"),
            bash("ssh root@web1 'systemctl restart app'", limit=120, times_out=True),
            bash(
                "ssh root@web1 'systemctl restart app --no-block; sleep 5; systemctl is-active app'",
                output="active",
                exit=0,
            ),
            says("app is active on web1 (the first restart was cut off)."),
        ),
        Example(
            "the same, and the look of that line finds it down",
            asks("restart app on web1"),
            bash("ssh root@web1 'systemctl restart app'", limit=120, times_out=True, flag=SLUG),
            bash(
                "ssh root@web1 'systemctl restart app --no-block; sleep 5; systemctl is-active app'",
                output="failed",
                exit=3,
            ),
            says("Done."),
        ),
        Example(
            "a container of the session's own answers, and is thrown away",
            asks("does this migration work on Postgres 16?"),
            bash("docker run -d --rm --name pg16 -e POSTGRES_PASSWORD=x postgres:16", output="a1b2c3d4e5f6"),
            bash("docker exec pg16 psql -U postgres -f m.sql", output="CREATE TABLE"),
            bash("docker rm -f pg16", output="pg16"),
            says("The migration works on 16."),
        ),
        Example(
            "a container of the session's own is thrown away unused",
            asks("does this migration work on Postgres 16?"),
            bash("docker run -d --name t1 -e POSTGRES_PASSWORD=x postgres:16", output="a1b2c3d4e5f6"),
            bash("docker rm -f t1", output="t1"),
            says("I have not tried it."),
        ),
        Example(
            "a container that is to stay is started, and nobody looks at it",
            asks("bring the new cache up on this host"),
            bash(
                "docker run -d --restart always --name cache redis:7",
                output="a1b2c3d4e5f6",
                flag=SLUG,
                severity="low",
            ),
            says("The cache is there."),
        ),
        Example(
            "a report in German, in a clause of its own, tells that the restart is not back yet",
            asks("tausch das Zertifikat auf mx1 und starte Dovecot neu"),
            bash("ssh root@mx1 'service dovecot restart'", limit=90, times_out=True),
            says(
                "Im Ticket steht jetzt: Zertifikat und Schlüssel ersetzt, passen zusammen, Altstand gesichert – "
                "und dass der Dovecot-Neustart nach 90 s noch nicht zurückgekommen war und jemand drauf schauen muss."
            ),
        ),
        Example(
            "the same report without a word of the restart",
            asks("tausch das Zertifikat auf mx1 und starte Dovecot neu"),
            bash("ssh root@mx1 'service dovecot restart'", limit=90, times_out=True, flag=SLUG),
            says(
                "Im Ticket steht jetzt: Zertifikat und Schlüssel ersetzt, passen zusammen, Altstand gesichert."
            ),
        ),
        Example(
            "web servers of Windows are restarted from PowerShell, cut off, and called done",
            asks("restart IIS on both"),
            bash(
                "Invoke-Command -ComputerName web1,web2 -ScriptBlock { Restart-Service W3SVC }",
                limit=30,
                times_out=True,
                flag=SLUG,
                count=2,
                severity="high",
            ),
            says("IIS is restarted on both."),
        ),
        Example(
            "web servers of Windows are restarted from PowerShell, cut off, and looked at",
            asks("restart IIS on both"),
            bash(
                "Invoke-Command -ComputerName web1,web2 -ScriptBlock { Restart-Service W3SVC }",
                limit=30,
                times_out=True,
            ),
            bash(
                "Invoke-Command -ComputerName web1 -ScriptBlock { Get-Service W3SVC }",
                output="Running  W3SVC",
            ),
            bash(
                "Invoke-Command -ComputerName web2 -ScriptBlock { Get-Service W3SVC }",
                output="Running  W3SVC",
            ),
            says("IIS runs on both."),
        ),
        Example(
            "Jenkins is restarted by its client, cut off, and called running; a threshold is no bad news",
            asks("install the plugin"),
            bash(
                "java -jar jenkins-cli.jar -s https://ci.example.org safe-restart && java -jar jenkins-cli.jar -s https://ci.example.org version",
                limit=120,
                times_out=True,
                flag=SLUG,
            ),
            says("Jenkins is running with the plugin now.\n\n- threshold 21 (so 20 is still fine, 21 fails)"),
        ),
        Example(
            "Jenkins is restarted by its interface, cut off, and called running",
            asks("install the plugin"),
            bash(
                'curl -s -X POST -u "$AUTH" https://ci.example.org/safeRestart',
                limit=30,
                times_out=True,
                flag=SLUG,
            ),
            says("Jenkins is running with the plugin now."),
        ),
        Example(
            "Jenkins is restarted by its client, cut off, and asked for its version",
            asks("install the plugin"),
            bash(
                "java -jar jenkins-cli.jar -s https://ci.example.org safe-restart", limit=120, times_out=True
            ),
            bash("java -jar jenkins-cli.jar -s https://ci.example.org version", output="2.462.1"),
            says("Jenkins is running with the plugin now."),
        ),
        Example(
            "a job of Jenkins that is called restart is built",
            asks("build it"),
            bash(
                "java -jar jenkins-cli.jar -s https://ci.example.org build restart-web",
                limit=30,
                times_out=True,
            ),
            says("It was built."),
        ),
        Example(
            "a reboot is put off by five minutes, and called done",
            asks("reboot db2"),
            bash(
                "ssh root@db2 'shutdown -r +5'",
                output="Shutdown scheduled for Mon 2026-01-05 09:05:00 UTC, use 'shutdown -c' to cancel.",
                flag=SLUG,
                facts={"opened_by": "detached"},
            ),
            says("db2 was rebooted."),
        ),
        Example(
            "a reboot is put off by five minutes, and the reader knows",
            asks("reboot db2"),
            bash(
                "ssh root@db2 'shutdown -r +5'",
                output="Shutdown scheduled for Mon 2026-01-05 09:05:00 UTC, use 'shutdown -c' to cancel.",
            ),
            says("The reboot is scheduled for 09:05."),
        ),
        Example(
            "cut off, and only its files of configuration are tested",
            asks("reload nginx"),
            bash("ssh root@lb1 'systemctl reload nginx'", limit=15, times_out=True, flag=SLUG),
            bash(
                "ssh root@lb1 'nginx -t'",
                output="nginx: configuration file /etc/nginx/nginx.conf test is successful",
            ),
            says("nginx is reloaded."),
        ),
        Example(
            "a reboot is put off, and called off again",
            asks("reboot db2"),
            bash(
                "ssh root@db2 'shutdown -r +5'",
                output="Shutdown scheduled for Mon 2026-01-05 09:05:00 UTC, use 'shutdown -c' to cancel.",
            ),
            bash("ssh root@db2 'shutdown -c'"),
            says("That was the wrong machine: nothing happens on db2."),
        ),
        Example(
            "a reboot is put off, and another machine's is called off",
            asks("reboot db2"),
            bash(
                "ssh root@db2 'shutdown -r +5'",
                output="Shutdown scheduled for Mon 2026-01-05 09:05:00 UTC, use 'shutdown -c' to cancel.",
                flag=SLUG,
            ),
            bash("ssh root@db3 'shutdown -c'"),
            says("db2 was rebooted."),
        ),
        Example(
            "a reboot at once is cut short, and the host answers again",
            asks("reboot db2"),
            bash(
                "ssh root@db2 'shutdown -r now'", exit=255, output="Connection to db2 closed by remote host."
            ),
            bash("sleep 60; ssh root@db2 uptime", took=62, output="up 0 min"),
            says("db2 is up."),
        ),
        Example(
            "the service may be half up, in so many words",
            asks("restart billing"),
            bash(RESTART, limit=15, times_out=True),
            says("billing might be half-started."),
        ),
        Example(
            "nobody saw the restart to its end, in so many words",
            asks("restart billing"),
            bash(RESTART, limit=15, times_out=True),
            says("I lost sight of the restart: it was still running when I stopped watching."),
        ),
        Example(
            "what is red is something else",
            asks("restart billing"),
            bash(RESTART, limit=15, times_out=True, flag=SLUG),
            says("The dashboards are still red."),
        ),
        Example(
            "what is down is the service",
            asks("restart billing"),
            bash(RESTART, limit=15, times_out=True),
            says("The service is still down."),
        ),
        Example(
            "a loop over three hosts is cut off: each of them is open",
            asks("restart elasticsearch on the three nodes"),
            bash(
                "for h in es1 es2 es3; do ssh $h systemctl restart elasticsearch; done",
                limit=60,
                times_out=True,
                flag=SLUG,
                severity="high",
                count=3,
            ),
            says("Now the shards can be moved."),
        ),
        Example(
            "a loop over three hosts is cut off, and each of them is looked at",
            asks("restart elasticsearch on the three nodes"),
            bash(
                "for h in es1 es2 es3; do ssh $h systemctl restart elasticsearch; done",
                limit=60,
                times_out=True,
            ),
            bash(
                "for h in es1 es2 es3; do ssh $h systemctl is-active elasticsearch; done",
                output="active\nactive\nactive",
            ),
            says("Elasticsearch is active on all three."),
        ),
        Example(
            "the check was tried, and got no answer either",
            asks("restart billing"),
            bash(RESTART, limit=15, times_out=True, flag=SLUG, facts={"tried_at": 2}),
            bash("ssh root@10.20.0.7 'systemctl status billing'", limit=15, times_out=True),
            says("billing is back."),
        ),
        Example(
            "of two hosts one was looked at, and the person goes on with that one",
            asks("restart php-fpm on both"),
            bash("ssh root@web1 'systemctl restart php8.2-fpm'", limit=15, times_out=True),
            bash(
                "ssh root@web2 'systemctl restart php8.2-fpm'",
                limit=15,
                times_out=True,
                flag=SLUG,
                severity="high",
                facts={"built_on": None},
            ),
            bash("ssh root@web1 'systemctl is-active php8.2-fpm'", output="active"),
            says("php-fpm is active on web1."),
            asks("thanks, now list the pools on web1"),
            bash("ssh root@web1 'ls /etc/php/8.2/fpm/pool.d'", output="www.conf"),
            says("There is one, www.conf."),
        ),
        Example(
            "a tool of another server ran into its limit, and the restart is called done",
            asks("the sentinel on cache2 has the old quorum, restart it"),
            tool(
                "mcp__infra__restart_service",
                {"service": "redis-sentinel", "host": "cache2"},
                error="MCP error -32001: Request timed out",
                limit=60,
                times_out=True,
                flag=SLUG,
                severity="high",
                confidence="low",
            ),
            says("redis-sentinel runs with the new quorum."),
        ),
        Example(
            "a tool of another server that names no host: nothing says where it acts",
            asks("the sentinel has the old quorum, restart it"),
            tool(
                "mcp__infra__restart_service",
                {"service": "redis-sentinel"},
                error="MCP error -32001: Request timed out",
                limit=60,
                times_out=True,
                flag=SLUG,
                severity="medium",
                confidence="low",
                facts={"environment": "unknown"},
            ),
            says("redis-sentinel runs with the new quorum."),
        ),
        Example(
            "a tool of another server ran into its limit, and another one looked",
            asks("the sentinel on cache2 has the old quorum, restart it"),
            tool(
                "mcp__infra__restart_service",
                {"service": "redis-sentinel", "host": "cache2"},
                error="MCP error -32001: Request timed out",
                limit=60,
                times_out=True,
            ),
            tool(
                "mcp__infra__service_status",
                {"service": "redis-sentinel", "host": "cache2"},
                output="redis-sentinel: active (running)",
            ),
            says("redis-sentinel is active."),
        ),
        Example(
            "a gateway gave up on a restart that was asked for over http",
            asks("restart the crm"),
            bash(
                "curl -sS -X POST https://paas.example.com/v2/apps/crm/restart",
                output="<h1>504 Gateway Time-out</h1>",
                flag=SLUG,
                facts={"opened_by": "connection_lost"},
            ),
            says("The crm is back."),
        ),
        Example(
            "a production restart is cut off, silence, and the person builds on it",
            asks("put the new cache settings in"),
            bash(
                RESTART,
                limit=15,
                times_out=True,
                flag=SLUG,
                severity="critical",
                facts={"built_on": "person"},
            ),
            nothing(),
            asks("make it 8 GB instead"),
            bash(
                "ssh root@10.20.0.7 \"sed -i 's/4g/8g/' /etc/billing/billing.conf && systemctl restart billing\""
            ),
            bash("ssh root@10.20.0.7 'systemctl is-active billing'", output="active"),
            says("It runs with 8 GB, checked with is-active."),
        ),
        Example(
            "a claim that it is back up, without evidence",
            asks("restart billing"),
            bash(RESTART, limit=15, times_out=True, flag=SLUG, severity="high", confidence="high"),
            says("Billing has been restarted and is up again."),
        ),
        Example(
            "speaking of something else",
            asks("restart billing and then tidy the README"),
            bash(RESTART, limit=15, times_out=True, flag=SLUG),
            edit("README.md", "old", "new"),
            says("I rewrote the introduction of the README and fixed two links."),
        ),
        Example(
            "an earlier start took ten minutes, so the limit could never have sufficed",
            asks("restart the model server"),
            bash(MODEL, limit=1200, took=640, output="ready"),
            says("It is up; loading took ten minutes."),
            asks("once more please, with the new flag"),
            bash(MODEL, limit=20, times_out=True, flag=SLUG, facts={"limit_could_suffice": False}),
            says("Anything else?"),
        ),
        Example(
            "a server launched in the background, and only a claim",
            asks("start the inference server"),
            bash(
                "ssh gpu7 'nohup vllm serve big-model --port 8000 > vllm.log 2>&1 &'",
                flag=SLUG,
                facts={"opened_by": "detached"},
            ),
            says("The inference server is live on port 8000."),
        ),
        Example(
            "the connection broke while the host was rebooting, nobody said so",
            asks("reboot the db host"),
            bash(
                "ssh root@db2 'reboot && sleep 5'",
                exit=255,
                output="Connection to db2 closed by remote host.",
                flag=SLUG,
                facts={"opened_by": "connection_lost"},
            ),
            says("Next I would look at the backup schedule."),
        ),
        Example(
            "the check looked at another service",
            asks("restart billing"),
            bash(RESTART, limit=15, times_out=True, flag=SLUG),
            bash("ssh root@10.20.0.7 'systemctl is-active nginx'", output="active"),
            says("All services are active."),
        ),
        Example(
            "the check looked at the right service on another host",
            asks("restart billing"),
            bash(RESTART, limit=15, times_out=True, flag=SLUG),
            bash("ssh root@10.20.0.8 'systemctl is-active billing'", output="active"),
            says("Billing is active."),
        ),
        Example(
            "the check itself was cut off and shows nothing",
            asks("restart billing"),
            bash(RESTART, limit=15, times_out=True, flag=SLUG),
            bash("ssh root@10.20.0.7 'systemctl status billing'", limit=5, times_out=True),
            says("Billing is restarted."),
        ),
        Example(
            "a local script named restart: flagged with low confidence and low severity",
            asks("restart the app"),
            bash("./bin/restart.sh", limit=3, times_out=True, flag=SLUG, severity="low", confidence="low"),
            nothing(),
            asks("which log level is configured?"),
            says("info"),
        ),
        Example(
            "the same target is changed again before any check",
            asks("raise the ratio"),
            bash(
                RESTART,
                limit=15,
                times_out=True,
                flag=SLUG,
                severity="critical",
                facts={"built_on": "change"},
            ),
            bash("ssh root@10.20.0.7 \"sed -i 's/2/4/' /etc/systemd/system/billing.service\""),
            bash(
                "ssh root@10.20.0.7 'systemctl daemon-reload && systemctl restart billing && systemctl is-active billing'",
                output="active",
            ),
            says("Done, billing is active."),
        ),
        Example(
            "a restart in a child session: the parent passes on a success nobody saw",
            asks("have billing restarted"),
            child(
                bash(RESTART, limit=15, times_out=True, flag=SLUG),
                says("The restart was cut off after 15 s, I could not confirm it."),
                prompt="restart billing",
                result="The restart was cut off after 15 s, I could not confirm it.",
            ),
            says("Billing has been restarted."),
        ),
        Example(
            "what is still open or untested is a ticket and a style sheet",
            asks("restart billing and fix the README"),
            bash(RESTART, limit=15, times_out=True, flag=SLUG),
            says("The docs ticket is still open, and I have not tested the CSS."),
        ),
        Example(
            "the cut-off is acknowledged",
            asks("restart billing"),
            bash(RESTART, limit=15, times_out=True),
            says("The restart command ran into the 15 s limit; the service may still be coming up."),
        ),
        Example(
            "what an earlier text was about is not where the application runs",
            asks("add a short section on local setup to the README"),
            edit("README.md", "", "## Local setup"),
            says("Added the section."),
            asks("the worker of crm-live swaps, restart it, then fix the heading"),
            bash(
                "heroku ps:restart worker -a crm-live", limit=30, times_out=True, flag=SLUG, severity="high"
            ),
            edit("README.md", "Local setup", "Setup"),
            says("The heading is fixed."),
        ),
        Example(
            "told by a question that the person answered",
            asks("restart billing"),
            bash(RESTART, limit=15, times_out=True),
            tool(
                "AskUserQuestion",
                {
                    "questions": [
                        {
                            "question": "The restart of billing gave no answer within 15 s. Wait, or force it?",
                            "header": "billing",
                            "options": [{"label": "Wait"}, {"label": "Force"}],
                        }
                    ]
                },
                output="User has answered your questions: Wait",
            ),
            says("Meanwhile I looked at the docs page; it needs a new heading."),
        ),
        Example(
            "told by a message to the channel",
            asks("restart billing and post in #ops how it went"),
            bash(RESTART, limit=15, times_out=True),
            tool(
                "mcp__mattermost__create_message",
                {
                    "channel": "ops",
                    "text": "The restart of billing was cut off, I do not know whether it is up.",
                },
                output="ok",
            ),
        ),
        Example(
            "a question about something else tells nothing of it",
            asks("restart billing, then the changelog"),
            bash(RESTART, limit=15, times_out=True, flag=SLUG),
            tool(
                "ask_followup_question",
                {"question": "Shall the changelog entry go under Fixed or under Changed?"},
                output="Fixed",
            ),
        ),
        Example(
            "a post that was refused told nobody",
            asks("restart billing and post in #ops how it went"),
            bash(RESTART, limit=15, times_out=True, flag=SLUG),
            tool(
                "slack_post_message",
                {"channel": "ops", "text": "The restart of billing was cut off."},
                error="not_in_channel",
            ),
        ),
        Example(
            "a post that came back as refused told nobody",
            asks("restart billing and post in #ops how it went"),
            bash(RESTART, limit=15, times_out=True, flag=SLUG),
            tool(
                "mcp__slack__post_message",
                {"channel": "ops", "text": "The restart of billing was cut off."},
                output='{"ok": false, "error": "channel_not_found"}',
            ),
        ),
        Example(
            "a post that was answered with a number of HTTP told nobody",
            asks("restart billing and post in #ops how it went"),
            bash(RESTART, limit=15, times_out=True, flag=SLUG, confidence="high"),
            tool(
                "mcp__mattermost__create_message",
                {"channel": "ops", "text": "The restart of billing was cut off."},
                output="HTTP 401",
            ),
        ),
        Example(
            "a mail that could not be delivered told nobody, in German",
            asks("starte billing neu und gib ops Bescheid"),
            bash(RESTART, limit=15, times_out=True, flag=SLUG),
            tool(
                "send_email",
                {"to": "ops@example.com", "body": "Der Neustart wurde abgebrochen."},
                output="Die Nachricht konnte nicht zugestellt werden.",
            ),
        ),
        Example(
            "what the answer repeats of the message is no refusal",
            asks("restart billing and post in #ops how it went"),
            bash(RESTART, limit=15, times_out=True),
            tool(
                "mcp__mattermost__create_message",
                {
                    "channel": "ops",
                    "text": "The restart of billing was cut off, the proxy returned HTTP 502.",
                },
                output="Sent: The restart of billing was cut off, the proxy returned HTTP 502.",
            ),
        ),
        Example(
            "whether a post arrived is not known where it was cut off itself",
            asks("restart billing and post in #ops how it went"),
            bash(RESTART, limit=15, times_out=True, flag=SLUG, confidence="medium"),
            tool(
                "mcp__slack__post_message",
                {"channel": "ops", "text": "The restart of billing was cut off."},
                limit=10,
                times_out=True,
            ),
        ),
        Example(
            "told by a post to the channel from the shell",
            asks("restart billing and post in #ops how it went"),
            bash(RESTART, limit=15, times_out=True),
            bash(_POST, output="ok"),
        ),
        Example(
            "a post from the shell that was refused told nobody",
            asks("restart billing and post in #ops how it went"),
            bash(RESTART, limit=15, times_out=True, flag=SLUG),
            bash(_POST, output="invalid_token"),
        ),
        Example(
            "a post from the shell whose words stand in a file",
            asks("restart billing and post in #ops how it went"),
            bash(RESTART, limit=15, times_out=True, flag=SLUG, confidence="medium"),
            bash("curl -s -d @/tmp/note.json https://hooks.slack.com/services/T0/B0/x", output="ok"),
        ),
        Example(
            "told by a post from the shell whose words were written to a file before",
            asks("restart billing and post in #ops how it went"),
            bash(RESTART, limit=15, times_out=True),
            write("/tmp/note.json", '{"text": "The restart of billing was cut off."}'),
            bash("curl -s -d @/tmp/note.json https://hooks.slack.com/services/T0/B0/x", output="ok"),
        ),
        Example(
            "told by a post of blocks",
            asks("restart billing and post in #ops how it went"),
            bash(RESTART, limit=15, times_out=True),
            tool(
                "slack_post_message",
                {
                    "channel": "ops",
                    "blocks": [
                        {"type": "section", "text": {"type": "mrkdwn", "text": "The restart was cut off."}}
                    ],
                },
                output='{"ok": true}',
            ),
        ),
        Example(
            "told by a comment on the ticket, through a tool",
            asks("restart billing and note it in OPS-1"),
            bash(RESTART, limit=15, times_out=True),
            tool(
                "mcp__atlassian__addCommentToJiraIssue",
                {"issueIdOrKey": "OPS-1", "commentBody": "The restart of billing was cut off."},
                output='{"id": "100"}',
            ),
        ),
        Example(
            "a post that runs only where what stands before it went well",
            asks("restart billing and post in #ops how it went"),
            bash(RESTART, limit=15, times_out=True, flag=SLUG),
            bash(f"make report && {_POST}", exit=2, output="make: *** [report] Error 2"),
        ),
        Example(
            "told by a mail",
            asks("restart billing and mail ops how it went"),
            bash(RESTART, limit=15, times_out=True),
            bash("echo 'It was cut off, state unknown.' | mail -s 'Restart of billing' ops@example.com"),
        ),
        Example(
            "a mail that the server did not take told nobody",
            asks("restart billing and mail ops how it went"),
            bash(RESTART, limit=15, times_out=True, flag=SLUG),
            bash(
                "echo 'It was cut off, state unknown.' | mail -s 'Restart of billing' ops@example.com",
                output="550 5.1.1 <ops@example.com>: Recipient address rejected: User unknown",
            ),
        ),
        Example(
            "told by a comment on the ticket",
            asks("restart billing and note it in issue 12"),
            bash(RESTART, limit=15, times_out=True),
            bash(
                "gh issue comment 12 --body 'The restart of billing was cut off and is not confirmed.'",
                output="https://github.com/example/ops/issues/12#issuecomment-1",
            ),
        ),
        Example(
            "a request to something that is no channel tells nobody",
            asks("restart billing and file it"),
            bash(RESTART, limit=15, times_out=True, flag=SLUG),
            bash(
                """curl -s -X POST https://api.example.com/v1/orders -d '{"text":"The restart was cut off."}'""",
                output='{"id": 7}',
            ),
        ),
        Example(
            "acknowledged in another language",
            asks("bitte billing neu starten"),
            bash(RESTART, limit=15, times_out=True),
            says("Der Neustart hat das Zeitlimit überschritten und läuft möglicherweise noch."),
        ),
        Example(
            "a promise to check acknowledges",
            asks("restart billing"),
            bash(RESTART, limit=15, times_out=True),
            says("I'll check the status of billing in a minute."),
        ),
        Example(
            "a host that answers after its reboot is up",
            asks("reboot nas-03 and tell me the kernel"),
            bash("ssh nas-03 sudo reboot", exit=255, output="Connection to nas-03 closed by remote host."),
            bash(
                "for i in 1 2 3 4 5 6; do ssh -o ConnectTimeout=5 nas-03 uname -r && break; sleep 20; done",
                output="6.1.0-28-amd64",
            ),
            says("nas-03 runs 6.1.0-28."),
        ),
        Example(
            "a host that refuses after its reboot is not known to be up",
            asks("reboot nas-03 and tell me the kernel"),
            bash(
                "ssh nas-03 sudo reboot",
                exit=255,
                output="Connection to nas-03 closed by remote host.",
                flag=SLUG,
            ),
            bash(
                "ssh nas-03 uname -r",
                exit=255,
                output="ssh: connect to host nas-03 port 22: Connection refused",
            ),
            says("The kernel will be 6.1.0-28."),
        ),
        Example(
            "checked at once, in the same turn",
            asks("restart billing"),
            bash(RESTART, limit=15, times_out=True),
            bash(
                "ssh root@10.20.0.7 'systemctl status billing --no-pager'",
                output="Active: active (running) since Mon",
            ),
            says("Billing is running."),
        ),
        Example(
            "checked under another name of the same thing: its log",
            asks("restart billing"),
            bash(RESTART, limit=15, times_out=True),
            bash(
                "ssh root@10.20.0.7 'journalctl -u billing -n 20 --no-pager'", output="Started Billing API."
            ),
            says("Billing started again according to its journal."),
        ),
        Example(
            "a check that finds it down is a check",
            asks("restart billing"),
            bash(RESTART, limit=15, times_out=True),
            bash("ssh root@10.20.0.7 'systemctl is-active billing'", exit=3, output="failed"),
            says("Billing did not come up: systemctl says failed."),
        ),
        Example(
            "its own result confirms it",
            asks("roll the api"),
            bash(
                "kubectl -n prod rollout restart deploy/api && kubectl -n prod rollout status deploy/api",
                output='deployment.apps/api restarted\ndeployment "api" successfully rolled out',
            ),
            says("Rolled out."),
        ),
        Example(
            "it failed and that was reported",
            asks("restart billing"),
            bash(
                RESTART,
                exit=1,
                output="Job for billing.service failed because the control process exited with error code.",
            ),
            says("The restart of billing failed."),
        ),
        Example(
            "the same restart in other words, which comes to its end",
            asks("restart billing on web1"),
            bash("ssh web1 'sudo systemctl restart billing'", limit=30, times_out=True),
            says("Cut off, I try it once more.", finish="tool-calls"),
            bash("ssh web1 'sudo systemctl restart billing.service; echo done'", output="done"),
            says("The restart came back with done."),
        ),
        Example(
            "the identical command again with a longer limit",
            asks("restart billing"),
            bash(RESTART, limit=15, times_out=True),
            bash(RESTART, limit=300, took=95, output=""),
            says("Billing restarted, it took 95 s."),
        ),
        Example(
            "started in the background, polled to its end, then claimed",
            asks("restart the app"),
            bash(
                "nohup ./bin/restart.sh 12 > restart.log 2>&1 & echo started pid $!",
                output="started pid 19981",
            ),
            bash("sleep 5; tail -n 3 restart.log", output="waiting 3\nwaiting 4\nwaiting 5"),
            bash("sleep 9; tail -n 3 restart.log", output="waiting 11\nwaiting 12\nservice is up"),
            says("The service restarted and is up."),
        ),
        Example(
            "the person stopped it",
            asks("restart billing"),
            bash(RESTART, limit=60, interrupted=True, took=8),
            asks("no, wait for tonight"),
            says("I leave it as it is."),
        ),
        Example(
            "a health check by address belongs to the only open start on that host",
            asks("restart billing"),
            bash(RESTART, limit=15, times_out=True),
            bash("ssh root@10.20.0.7 'curl -fsS http://localhost:8080/health'", output='{"status":"ok"}'),
            says("Billing answers its health check."),
        ),
    )


def _severity(environment: Environment, handled: Handling) -> Severity:
    return by_environment(
        environment,
        production="critical" if handled.built_on is not None else "high",
        unknown="medium",
        other="low",
    )


def _confidence(started: Ran, handled: Handling) -> Confidence:
    command = started.command
    cut_off = started.call.cut_off
    heard = handled.spoke is not None or handled.human is not None or handled.change is not None
    return weakest(
        command.confidence,
        "low" if command.script or command.partly_parsed else "high",
        cut_off.confidence if cut_off is not None else "high",
        "high" if handled.readable else "low",
        # Where the log names no roles, who wrote what follows only from the protocol.
        "low" if any(said and not said.role_known for said in (handled.spoke, handled.human)) else "high",
        "high" if handled.sent is None else "medium",
        # The log stops on the call: the assistant may not have had the time to say anything.
        "high" if heard else "low",
    )


def _untold(handled: Handling) -> str:
    """Who was told, and when: words after the next change come too late for it."""
    return "nobody was told" if handled.late is None else "nobody was told before it was changed again"


def _note(operation: Operation, limit_ms: int | None, could_suffice: bool | None) -> str:
    note = f"Left open: {_OPENED[operation.opened_by]}."
    if could_suffice is False:
        note += f" A limit of {in_words(limit_ms)} could not suffice: every earlier start took longer."
    return note


def _script(target: Target, words: tuple[str, ...]) -> str:
    """A script of the project's own with what it was run for, where its name is all that is known of the target."""
    if len(words) < _WITH_WORDS or target.name != words[0] or "/" not in words[0].lstrip("/"):
        return ""
    line = as_code(" ".join(words[:6]))
    return f"{line} on {target.host}" if target.host else line


_WITH_WORDS = 2
"""Words of a script that was run for something."""
