"""The rule ``unverified-production-edit``."""

from sessionlens.examples import Example, asks, bash, edit, says
from sessionlens.rule import (
    Command,
    Finding,
    Iterator,
    Ran,
    Reason,
    Rule,
    Session,
    SessionGraph,
    Verification,
    by_environment,
    dataclass,
    has_effect,
    human,
    in_words,
    lazy,
    named,
    not_recorded,
    weakest,
)

SLUG = "unverified-production-edit"
UNIT = """ssh root@10.20.0.7 'cat > /etc/systemd/system/billing.service' <<'EOF'
[Service]
ExecStart=/opt/billing/bin/serve --port 8080 --cache on
EOF"""

OVER_NUMBERS = "for i in $(seq 1 2); do ssh web$i \"sed -i 's/pool=4/pool=8/' /etc/app/app.conf && systemctl restart app\"; done"
OVER_FILE = "while read h; do ssh -n $h \"sed -i 's/pool=4/pool=8/' /etc/app/app.conf && systemctl restart app\"; done < hosts.txt"

_ONLY_TELLS = frozenset(
    {"help", "version", "plan", "diff", "preview", "show", "list", "ls", "explain", "history", "validate", "lint", "template", "render"}
)  # fmt: skip
"""Words after a program by which it tells something and changes nothing."""
_HELP = lazy(r"^--?(?:help|usage|version)$|^\\[h?]|:(?:check|help|status)$")
_JOBS = frozenset({"spark-submit", "flink", "hadoop", "sbatch", "srun", "qsub", "bsub"})
"""Programs that run a job which ends by itself: nothing is left changed that a status could tell of."""
_JOB = lazy(r"^(?!nomad\b|levant\b).*\b(?:jobs? (?:submit|run|run-now)|submit-job|start-job-run|run-now)\b")
"""Orders to run such a job; what Nomad calls a job is a service as well."""

EVALUATES = 'curl -s -X POST https://flagd.prod.example/flagd.evaluation.v1.Service/ResolveBoolean -d \'{"flagKey":"kill_recommendations"}\''
PLANNED = "  # module.alerts.aws_sns_topic_subscription.oncall will be updated in-place\nPlan: 0 to add, 1 to change, 0 to destroy."
GRAPHQL = "curl -s -X POST https://shop.prod.example/admin/graphql.json -d"
PAIRS = "for p in ami-01:snap-0a ami-02:snap-0b; do aws --profile prod ec2 deregister-image --image-id ${p%%:*}; aws --profile prod ec2 delete-snapshot --snapshot-id ${p##*:}; done"
OWN_DISK = "tmp-look --project shop-prod --zone europe-west3-b"
OWN_VM = "tmp-vm --project shop-prod --zone europe-west3-b"
LISTED = "gcloud compute {} list --project shop-prod --filter='name~^tmp-' --format='value(name)'"
DROPS = "set firewall ipv4 forward filter rule 110 action drop"
HSTS = "Set-WebConfigurationProperty -PSPath 'IIS:\\Sites\\Portal' -Filter system.applicationHost/sites/site/hsts -Name enabled -Value True"
_IN_WORDS = {
    "delete": "deleted",
    "create": "made",
    "install": "installed",
    "scale": "scaled",
    "migrate": "migrated",
    "deploy": "deployed",
    "url": "sent a change",
    "host": "sent files",
    "push": "pushed",
    "merge": "merged",
    "upgrade": "upgraded",
    "task": "run",
}
"""What was done, as a title says it, by the effect of a change or by what tells more; ``changed`` for all else."""


def _deed(command: Command) -> str:
    """What the title of a change says by: its effect, or what tells more than that."""
    target = command.target
    if target.kind == "url":
        return "url"
    if target.kind == "unknown" and " " in target.name:
        return "task"
    if command.effect == "transfer" and target.kind == "host":
        return "host"
    if command.effect == "transfer" and target.kind == "repository":
        return "merge" if "merge" in command.words[1:4] else "push"
    if command.effect == "deploy" and target.kind not in ("service", "compose", "container"):
        return "none"
    return "upgrade" if target.kind == "package" and target.name == "system" else command.effect


OF_IIS = r"Set-WebConfigurationProperty -PSPath 'IIS:\Sites\Proveedores' -Filter 'system.webServer/security/requestFiltering/requestLimits' -Name maxAllowedContentLength -Value 104857600"


@dataclass(frozen=True, kw_only=True)
class UnverifiedProductionEdit(Rule):
    """A production target was changed and nothing looked at what came of it before the person spoke again.

    ## What it flags
    A change to the configuration, data or deployed version of a production target without a check of the same
    neighbourhood before the next human message or the end. Reading the file back and nothing more is a weak
    check: a signal. A restart alone, a claim, or the change's own success message are no checks. A check that
    comes later lowers the severity.

    ## Why it matters
    A change that nobody looked at may be broken, or without effect, until somebody meets it by accident.

    ## What to do
    Test the configuration, put it into effect, and look at the state of what reads it: status, health, a
    query of the value. For the agent: put the check into the same command line.

    ## Facts
    - `target`: what was changed: kind, name, host, context, namespace
    - `environment`: production, or unknown for a shared target that names none
    - `environment_reason`: what says so
    - `effect`: edit, configure, write_data, migrate, deploy, scale, delete, install, transfer or create
    - `verified_at`: index of the message with the first later check, or null
    - `read_back_at`: index of the message that read it back in time, or null
    - `tried_at`: index of the message with a check in time that got no answer, or null
    - `exposed_messages`: messages between the change and its first check, or after it
    - `exposed_ms`: the same in milliseconds, null where the log has no times
    - `copied_before`: whether a copy of the target was made before
    - `staged_before`: whether the same was tried on a staging or development target before
    """

    slug = SLUG
    severity = "high"
    since = "0.1"

    def checkable(self, session: Session) -> str | None:
        """Not on logs that leave out what was run and what it showed."""
        return not_recorded(session.source_format, "calls")

    def check(self, graph: SessionGraph) -> Iterator[Finding]:
        """One finding for each call and target."""
        seen = set()
        for edit_made in graph.unchecked_edits():
            change = edit_made.change
            where = (change.call.seq, change.command.target)
            if where not in seen and not _changes_nothing(change) and not _looked_into(graph, change):
                seen.add(where)
                yield self._found(graph, edit_made)

    def _found(self, graph: SessionGraph, edit_made: Verification) -> Finding:
        change, command = edit_made.change, edit_made.change.command
        setting = graph.setting(change)
        deed = _deed(command)
        done = f"{named(command.target, command.words)} was {_IN_WORDS.get(deed, 'changed')}"
        weak, late = edit_made.read_back or edit_made.member, edit_made.later
        if weak is not None:
            severity = by_environment(setting.environment, production="low", unknown="info", other="info")
            title = (
                f"{done} and only read back"
                if edit_made.member is None
                else f"{done}, and one of the hosts was looked at"
            )
        elif late is not None:
            severity = by_environment(setting.environment, production="medium", unknown="low", other="low")
            title = f"{done} and checked only {in_words(edit_made.exposed_ms) or 'much'} later"
        else:
            severity = by_environment(setting.environment, production="high", unknown="medium", other="low")
            if edit_made.tried is not None:
                title = f"{done}, and a check was tried and got no answer"
            elif deed == "delete":
                title = f"{done}, and nobody looked at what came of it"
            else:
                title = f"{done} and never checked"
        because: list[Reason] = [(edit_made.last, "a check could still have come here")]
        if weak is not None:
            because.append(
                (
                    weak,
                    "reads back what was written, and nothing more"
                    if edit_made.member is None
                    else "looks at one of the hosts; how many there are, the log does not show",
                )
            )
        if edit_made.tried is not None:
            because.append((edit_made.tried, "a check that was tried and got no answer"))
        if edit_made.human is not None:
            because.append((edit_made.human, "the person wrote next", graph.prose(edit_made.human)))
        if late is not None:
            because.append((late, "the first check", late.outcome.quote))
        return self.finding(
            change,
            title,
            note=f"{setting.environment.capitalize()} because of: {setting.reason}.",
            because=because,
            kind="signal" if weak is not None else "fault",
            severity=severity,
            confidence=weakest(
                command.confidence,
                setting.confidence,
                "low" if setting.environment == "unknown" or command.partly_parsed else "high",
                "high" if edit_made.human is None or edit_made.human.role_known else "low",
            ),
            facts={
                "target": command.target,
                "environment": setting.environment,
                "environment_reason": setting.reason,
                "effect": command.effect,
                "verified_at": None if late is None else late.at.message_index,
                "read_back_at": None if edit_made.read_back is None else edit_made.read_back.at.message_index,
                "tried_at": None if edit_made.tried is None else edit_made.tried.at.message_index,
                "exposed_messages": edit_made.exposed_messages,
                "exposed_ms": edit_made.exposed_ms,
                "copied_before": edit_made.copied is not None,
                "staged_before": edit_made.staged is not None,
            },
            about=named(command.target),
        )

    examples = (
        Example(
            "a setting of IIS on a production server, in Spanish, and nobody looked",
            asks("en WEB-PROD-02 sube el límite del sitio Proveedores a 100 mb"),
            bash(
                f'powershell -NoProfile -Command "Invoke-Command -ComputerName WEB-PROD-02 {{ {OF_IIS} }}"',
                flag=SLUG,
                severity="high",
                facts={"verified_at": None},
            ),
            says("Listo, el portal ya acepta archivos de hasta 100 MB."),
        ),
        Example(
            "a setting of IIS on a production server, and the site was asked",
            asks("en WEB-PROD-02 sube el límite del sitio Proveedores a 100 mb"),
            bash(f'powershell -NoProfile -Command "Invoke-Command -ComputerName WEB-PROD-02 {{ {OF_IIS} }}"'),
            bash("curl -sS -o /dev/null -w '%{http_code}' https://proveedores.acme.example/", output="200"),
            says("Listo, el portal responde."),
        ),
        Example(
            "a rule of the firewall of a Windows server over winrs, and it was only shown",
            asks("open 8443 on app-prod1"),
            bash(
                "winrs -r:app-prod1 netsh advfirewall firewall add rule name=App8443 dir=in action=allow protocol=TCP localport=8443",
                output="Ok.",
                flag=SLUG,
                kind="signal",
            ),
            bash(
                "winrs -r:app-prod1 netsh advfirewall firewall show rule name=App8443",
                output="Rule Name: App8443\nEnabled: Yes\nLocalPort: 8443",
            ),
            says("8443 is open."),
        ),
        Example(
            "a setting of IIS on the machine of a developer",
            asks("raise the limit of my local site"),
            bash(f'powershell -NoProfile -Command "{OF_IIS}"'),
            says("Raised."),
        ),
        Example(
            "what is written in a container of the session's own is written in none of production's",
            asks("this is the production machine; does the migration work on Postgres 16?"),
            bash("docker run -d --rm --name pg16 -e POSTGRES_PASSWORD=x postgres:16", output="a1b2c3d4e5f6"),
            bash("docker exec pg16 psql -U postgres -c 'alter table t add b int'", output="ALTER TABLE"),
            bash("docker rm -f pg16", output="pg16"),
            says("It works on 16."),
        ),
        Example(
            "the same in a container that was there before",
            asks("this is the production machine; add the column"),
            bash(
                "docker exec shop-db psql -U postgres -c 'alter table t add b int'",
                output="ALTER TABLE",
                flag=SLUG,
            ),
            says("The column is there."),
        ),
        Example(
            "a loop over numbers, and each host was looked at by its name",
            asks("set the pool size on the web servers"),
            bash(OVER_NUMBERS),
            bash("ssh web1 systemctl is-active app", output="active"),
            bash("ssh web2 systemctl is-active app", output="active"),
            says("Set, and app is active on both."),
        ),
        Example(
            "a loop over numbers, and one of the hosts was not looked at",
            asks("set the pool size on the web servers"),
            bash(OVER_NUMBERS, flag=SLUG, facts={"verified_at": None}),
            bash("ssh web1 systemctl is-active app", output="active"),
            says("Set."),
        ),
        Example(
            "a loop over a file that the log does not show, and hosts were looked at by their names",
            asks("set the pool size on the web servers"),
            bash(OVER_FILE),
            bash("ssh web1 systemctl is-active app", output="active"),
            bash("ssh web2 systemctl is-active app", output="active"),
            says("Set, and app is active."),
        ),
        Example(
            "a loop over a file that the log does not show, and one host was looked at",
            asks("set the pool size on the web servers"),
            bash(OVER_FILE, flag=SLUG, kind="signal", severity="info", confidence="low"),
            bash("ssh web1 systemctl is-active app", output="active"),
            says("Set."),
        ),
        Example(
            "a loop over a file that the log does not show, and nothing was looked at",
            asks("set the pool size on the web servers"),
            bash(OVER_FILE, flag=SLUG, severity="medium", confidence="low"),
            says("Set."),
        ),
        Example(
            "a loop over a file that was shown before, and one of its hosts was not looked at",
            asks("set the pool size on the web servers"),
            bash("cat hosts.txt", output="web1\nweb2"),
            bash(OVER_FILE, flag=SLUG, severity="high"),
            bash("ssh web2 systemctl is-active app", output="active"),
            says("Set."),
        ),
        Example(
            "the same request is refused before a change and served after it",
            asks("raise the body size to 64m"),
            bash(
                "curl -s -o /dev/null -w '%{http_code}' -F f=@/tmp/30m https://api.shop.example/upload",
                output="413",
            ),
            bash(
                "kubectl --context eu-prod -n shop annotate ingress web nginx.ingress.kubernetes.io/proxy-body-size=64m --overwrite",
                output="ingress.networking.k8s.io/web annotated",
            ),
            bash(
                "curl -s -o /dev/null -w '%{http_code}' -F f=@/tmp/30m https://api.shop.example/upload",
                output="413",
            ),
            bash(
                "curl -s -o /dev/null -w '%{http_code}' -F f=@/tmp/30m https://api.shop.example/upload",
                output="200",
            ),
            says("30 MB go through now."),
        ),
        Example(
            "the same request is refused before a change and after it",
            asks("raise the body size to 64m"),
            bash(
                "curl -s -o /dev/null -w '%{http_code}' -F f=@/tmp/30m https://api.shop.example/upload",
                output="413",
            ),
            bash(
                "kubectl --context eu-prod -n shop annotate ingress web nginx.ingress.kubernetes.io/proxy-body-size=64m --overwrite",
                output="ingress.networking.k8s.io/web annotated",
                flag=SLUG,
            ),
            bash(
                "curl -s -o /dev/null -w '%{http_code}' -F f=@/tmp/30m https://api.shop.example/upload",
                output="413",
            ),
            says("The limit is 64m now."),
        ),
        Example(
            "a request is made only before the change",
            asks("raise the body size to 64m"),
            bash(
                "curl -s -o /dev/null -w '%{http_code}' -F f=@/tmp/30m https://api.shop.example/upload",
                output="413",
            ),
            bash(
                "kubectl --context eu-prod -n shop annotate ingress web nginx.ingress.kubernetes.io/proxy-body-size=64m --overwrite",
                output="ingress.networking.k8s.io/web annotated",
                flag=SLUG,
            ),
            says("The limit is 64m now."),
        ),
        Example(
            "a request is answered otherwise after two things were changed: which of them did it is not known",
            asks("raise the body size to 64m"),
            bash(
                "curl -s -o /dev/null -w '%{http_code}' -F f=@/tmp/30m https://api.shop.example/upload",
                output="413",
            ),
            bash(
                "kubectl --context eu-prod -n shop annotate ingress web nginx.ingress.kubernetes.io/proxy-body-size=64m --overwrite",
                output="ingress.networking.k8s.io/web annotated",
                flag=SLUG,
            ),
            bash("ssh lb1.prod.example.net \"sed -i 's/20m/64m/' /etc/haproxy/haproxy.cfg\"", flag=SLUG),
            bash(
                "curl -s -o /dev/null -w '%{http_code}' -F f=@/tmp/30m https://api.shop.example/upload",
                output="200",
            ),
            says("30 MB go through now."),
        ),
        Example(
            "files are put over, and a dry run afterwards finds nothing left to do",
            asks("bring the pages onto web1"),
            bash("rsync -a ./public/ web1.prod.example.net:/srv/www/"),
            bash("rsync -ain --delete ./public/ web1.prod.example.net:/srv/www/", output=""),
            bash("rsync -an --itemize-changes ./public/ web1.prod.example.net:/srv/www/ | wc -l", output="0"),
            says("Nothing differs."),
        ),
        Example(
            "files are put over after a dry run, and not looked at since",
            asks("bring the pages onto web1"),
            bash(
                "rsync -an --itemize-changes ./public/ web1.prod.example.net:/srv/www/ | wc -l", output="14"
            ),
            bash("rsync -a ./public/ web1.prod.example.net:/srv/www/", flag=SLUG),
            says("They are there."),
        ),
        Example(
            "a folder of settings is laid by in a home folder under a longer name",
            asks("show me the keys first, and keep a copy"),
            bash(
                "ssh mx1 'cp -a /etc/dovecot/private /root/dovecot-private.alt && ls /root/dovecot-private.alt'",
                output="mx.key\nmx.pem",
            ),
            bash("ssh mx1 'rsync -a /etc/postfix/ /root/postfix-before/'"),
            says("Both are kept."),
        ),
        Example(
            "a file of a home folder takes the place of the settings",
            asks("take the old keys again"),
            bash("ssh mx1 'cp -a /root/dovecot-private.alt/mx.key /etc/dovecot/private/mx.key'", flag=SLUG),
            says("They are back."),
        ),
        Example(
            "an access point gets its firmware and is looked at with its own tool",
            asks("bring 10.7.3.20 to 6.6.77"),
            bash("ssh ubnt@10.7.3.20 '/usr/bin/syswrapper.sh upgrade2'", output="Writing kernel0"),
            bash("ssh ubnt@10.7.3.20 'mca-dump | jq .version'", output='"6.6.77"'),
            bash("ssh ubnt@10.7.3.21 'mca-dump | jq .num_sta'", output="14"),
            says("It is on 6.6.77."),
        ),
        Example(
            "an access point gets its firmware, and another one is looked at",
            asks("bring 10.7.3.20 to 6.6.77"),
            bash("ssh ubnt@10.7.3.20 '/usr/bin/syswrapper.sh upgrade2'", output="Writing kernel0", flag=SLUG),
            bash("snmpget -v2c -c public -Oqv 10.7.3.21 sysUpTime.0", output="0:00:01:12.00"),
            says("It is on 6.6.77."),
        ),
        Example(
            "a play, and a look at a host that it changed",
            asks("roll it out"),
            bash(
                "ansible-playbook -i prod site.yml",
                output="PLAY RECAP ****\nweb1 : ok=3 changed=1 unreachable=0 failed=0",
            ),
            bash("ssh web1 'systemctl is-active app'", output="active"),
            says("It is out."),
        ),
        Example(
            "a play, and a look at a host that it did not touch",
            asks("roll it out"),
            bash(
                "ansible-playbook -i prod site.yml",
                output="PLAY RECAP ****\nweb1 : ok=3 changed=1 unreachable=0 failed=0",
                flag=SLUG,
            ),
            bash("ssh db9 'systemctl is-active postgresql'", output="active"),
            says("It is out."),
        ),
        Example(
            "a record of a zone, and the name is asked for",
            asks("point shop at 203.0.113.7"),
            bash(
                "az network dns record-set a add-record -g rg-prod -z example.org -n shop -a 203.0.113.7",
                output="{}",
            ),
            bash("dig +short shop.example.org", output="203.0.113.7"),
            bash("nsupdate -k /etc/k <<< 'update add shop.example.org 300 A 203.0.113.7'"),
            bash("dig @ns1.example.org +short shop.example.org", output="203.0.113.7"),
            says("It points there."),
        ),
        Example(
            "a record of a zone, and another name is asked for",
            asks("point shop at 203.0.113.7"),
            bash(
                "gcloud --project acme-prod dns record-sets create shop.example.org. --zone=z --type=A --rrdatas=203.0.113.7",
                output="done",
                flag=SLUG,
            ),
            bash("dig +short www.example.net", output="203.0.113.9"),
            says("It points there."),
        ),
        Example(
            "a key of the registry of another machine",
            asks("set the limit of billing to 10"),
            bash(
                "Invoke-Command -ComputerName win1 -ScriptBlock { Set-ItemProperty -Path HKLM:\\SOFTWARE\\Billing -Name Limit -Value 10 }",
                flag=SLUG,
            ),
            says("Set."),
        ),
        Example(
            "a key of the registry, and a look at the service that reads it",
            asks("set the limit of billing to 10"),
            bash(
                "Invoke-Command -ComputerName win1 -ScriptBlock { Set-ItemProperty -Path HKLM:\\SOFTWARE\\Billing -Name Limit -Value 10; Restart-Service Billing; Get-Service Billing }",
                output="Status   Name      DisplayName\n------   ----      -----------\nRunning  Billing   Billing",
            ),
            says("Set, and Billing runs."),
        ),
        Example(
            "a flag is switched on from the command line, and nobody looks at it",
            asks("the new cart may go live"),
            bash(
                "ldcli flags update --flag new-cart --env production --on",
                output="ok",
                flag=SLUG,
                facts={"effect": "configure"},
            ),
            says("It is on."),
        ),
        Example(
            "a flag is switched on, and what is live is asked for",
            asks("the new cart may go live"),
            bash("ldcli flags update --flag new-cart --env production --on", output="ok"),
            bash("ldcli flags get --flag new-cart --env production", output="new-cart  on: true"),
            says("It is on."),
        ),
        Example(
            "infrastructure is applied, and a plan afterwards is clean",
            asks("apply it"),
            bash(
                "terraform -chdir=envs/prod apply -auto-approve",
                output="Apply complete! Resources: 1 added, 0 changed, 0 destroyed.",
            ),
            bash(
                "terraform -chdir=envs/prod plan",
                output="No changes. Your infrastructure matches the configuration.",
            ),
            says("Applied, and a plan finds nothing left to do."),
        ),
        Example(
            "infrastructure is applied, and a plan afterwards would still change it",
            asks("apply it"),
            bash(
                "terraform -chdir=envs/prod apply -auto-approve",
                output="Apply complete! Resources: 1 added, 0 changed, 0 destroyed.",
                flag=SLUG,
            ),
            bash("terraform -chdir=envs/prod plan", output="Plan: 1 to add, 0 to change, 0 to destroy."),
            says("Applied."),
        ),
        Example(
            "infrastructure is planned before it is applied, and not looked at after",
            asks("apply it"),
            bash(
                "terraform -chdir=envs/prod plan -out=p", output="Plan: 1 to add, 0 to change, 0 to destroy."
            ),
            bash(
                "terraform -chdir=envs/prod apply p",
                output="Apply complete! Resources: 1 added, 0 changed, 0 destroyed.",
                flag=SLUG,
            ),
            says("Applied."),
        ),
        Example(
            "data of a live table is changed, and the look at its columns tells nothing of it",
            asks("mark the stuck orders as cancelled"),
            bash(
                "psql -h db1.prod.example.com -d shop -c \"UPDATE orders SET state='cancelled' WHERE state='stuck'\"",
                output="UPDATE 312",
                flag=SLUG,
                kind="fault",
            ),
            bash("psql -h db1.prod.example.com -d shop -c '\\d orders'", output="id | integer\nstate | text"),
            says("312 orders are cancelled."),
        ),
        Example(
            "a column of a live table is added, and the look at its columns shows it",
            asks("add the note"),
            bash(
                "psql -h db1.prod.example.com -d shop -c 'ALTER TABLE orders ADD COLUMN note text'",
                output="ALTER TABLE",
            ),
            bash("psql -h db1.prod.example.com -d shop -c '\\d orders'", output="id | integer\nnote | text"),
            says("The column is there."),
        ),
        Example(
            "data of a live table is changed and counted",
            asks("mark the stuck orders as cancelled"),
            bash(
                "psql -h db1.prod.example.com -d shop -c \"UPDATE orders SET state='cancelled' WHERE state='stuck'\"",
                output="UPDATE 312",
            ),
            bash(
                "psql -h db1.prod.example.com -d shop -c \"SELECT count(*) FROM orders WHERE state='stuck'\"",
                output=" count\n-------\n     0\n(1 row)",
            ),
            says("No order is stuck any more."),
        ),
        Example(
            "what was deleted is not in the list of its folder any more",
            asks("delete the dump of 2019 on db1, yes, for good"),
            bash("ssh db1 'rm -rf /srv/dump/2019'"),
            bash("ssh db1 'ls /srv/dump'", output="2024\n2025"),
            says("Only 2024 and 2025 are left."),
        ),
        Example(
            "the same in a bucket, in one line",
            asks("delete the old copies in the bucket, yes, for good"),
            bash(
                "aws s3 rm s3://old-copies/q1/ --recursive && aws s3 ls s3://old-copies/",
                output="PRE q2/",
            ),
            says("q2 is left."),
        ),
        Example(
            "the list of the folder still shows it: it was looked at, and found bad",
            asks("delete the dump of 2019 on db1, yes, for good"),
            bash("ssh db1 'rm -rf /srv/dump/2019'"),
            bash("ssh db1 'ls /srv/dump'", output="2019\n2024\n2025"),
            says("Done."),
        ),
        Example(
            "a part of a folder in a bucket was deleted, and the rest of the folder is counted",
            asks("delete the previews of 2023, yes, for good"),
            bash(
                "aws s3 rm s3://renders/preview/ --recursive --exclude '*' --include '2023/*' | wc -l",
                output="13124",
            ),
            bash(
                "aws s3 ls s3://renders/preview/ --recursive | cut -c1-4 | sort | uniq -c", output=" 911 2026"
            ),
            says("911 files of 2026 are left."),
        ),
        Example(
            "a part of a folder in a bucket was deleted, and another folder is listed",
            asks("delete the previews of 2023, yes, for good"),
            bash(
                "aws s3 rm s3://renders/preview/ --recursive --exclude '*' --include '2023/*' | wc -l",
                output="13124",
                flag=SLUG,
            ),
            bash("aws s3 ls s3://renders/final/", output="a.png"),
            says("They are gone."),
        ),
        Example(
            "a rule before a site is replaced by a script that asks its interface, and nobody looks",
            asks("block that agent"),
            bash(
                "scripts/cf.sh PUT /zones/z1/rulesets/a91f @new.json | jq -c .success",
                output="true",
                flag=SLUG,
            ),
            says("It is blocked."),
        ),
        Example(
            "a rule before a site is replaced by a script that asks its interface, and shown",
            asks("block that agent"),
            bash("scripts/cf.sh PUT /zones/z1/rulesets/a91f @new.json | jq -c .success", output="true"),
            bash(
                "scripts/cf.sh GET /zones/z1/rulesets/a91f | jq -c .result.rules[-1].action", output='"block"'
            ),
            says("It is blocked."),
        ),
        Example(
            "a rule before a site is replaced, and the site is asked",
            asks("block that agent"),
            bash(
                "curl -s -X PUT https://api.cloudflare.com/client/v4/zones/z1/rulesets/a91f -d @new.json",
                output='{"success":true}',
            ),
            bash(
                "curl -sI -A python-requests https://shop.example.org",
                output="HTTP/2 403\nserver: cloudflare",
            ),
            says("It is blocked."),
        ),
        Example(
            "a version of what stands before a site is put live, and nobody looks",
            asks("put the new rules live"),
            bash(
                "curl -s -X PUT https://api.fastly.com/service/s1/version/3/activate",
                output='{"active":true}',
                flag=SLUG,
            ),
            says("It is live."),
        ),
        Example(
            "a flag of a cluster is set, and its disks are listed before the person writes",
            asks("osd 14 gets a new disk"),
            bash("ceph osd set noout && ceph osd dump | grep flags", output="noout is set\nflags noout"),
            bash("ceph device ls | grep -c ZA1F", exit=1, output="0"),
            says("The old disk is gone; next would be the new one."),
        ),
        Example(
            "the list is of another folder",
            asks("delete the dump of 2019 on db1, yes, for good"),
            bash("ssh db1 'rm -rf /srv/dump/2019'", flag=SLUG),
            bash("ssh db1 'ls /srv/www'", output="html"),
            says("Done."),
        ),
        Example(
            "an application that is called docs answers at the address that its deploy gave",
            asks("put the new docs worker out in production"),
            bash(
                "npx wrangler deploy --env production",
                output="Deployed docs-worker triggers (2.1 sec)\n  https://docs.example.dev/*",
            ),
            bash("curl -sI https://docs.example.dev/", output="HTTP/2 200"),
            says("It answers."),
        ),
        Example(
            "the pages of the platform itself are not what was put out",
            asks("put the new worker out in production"),
            bash(
                "npx wrangler deploy --env production",
                output="Deployed worker triggers (2.1 sec)\nSee https://dash.cloudflare.com/workers",
                flag=SLUG,
            ),
            bash("curl -sI https://dash.cloudflare.com/workers", output="HTTP/2 200"),
            says("Done."),
        ),
        Example(
            "a group is changed, and its members are looked at",
            asks("roll the proxy settings out to the gateways"),
            bash(
                "ansible-playbook -i production proxy.yml -l gw",
                output="PLAY RECAP *****\ngw-a : ok=3 changed=2 unreachable=0 failed=0\ngw-b : ok=3 changed=2 unreachable=0 failed=0",
            ),
            bash("ssh gw-a systemctl is-active haproxy", output="active"),
            bash("ssh gw-b systemctl is-active haproxy", output="active"),
            says("Both are active."),
        ),
        Example(
            "a copy beside the file is worked on, and then takes its place",
            asks("add the rule"),
            bash(
                "ssh gw1 'cp /etc/pf.conf /etc/pf.conf.new && sed -i s/a/b/ /etc/pf.conf.new && pfctl -nf /etc/pf.conf.new'"
            ),
            bash("ssh gw1 'mv /etc/pf.conf.new /etc/pf.conf'", flag=SLUG),
            says("The rule is in."),
        ),
        Example(
            "one host of three is not reached, the others are changed",
            asks("roll the proxy settings out to the gateways"),
            bash(
                "ansible-playbook -i production proxy.yml",
                exit=4,
                output="PLAY RECAP *****\ngw-a : ok=3 changed=2 unreachable=0 failed=0\ngw-b : ok=3 changed=2 unreachable=0 failed=0\n"
                "gw-c : ok=0 changed=0 unreachable=1 failed=0",
                flag=SLUG,
            ),
            says("gw-c could not be reached; I will leave it out for now."),
        ),
        Example(
            "a unit file on a remote host is rewritten and restarted, nothing looks at it",
            asks("turn the cache on"),
            bash(UNIT, flag=SLUG, severity="high", kind="fault", facts={"environment": "production"}),
            bash("ssh root@10.20.0.7 'systemctl daemon-reload && systemctl restart billing'"),
            says("The cache is on now."),
        ),
        Example(
            "checked only after the person wrote again: milder, not cleared",
            asks("turn the cache on"),
            bash(UNIT, flag=SLUG, severity="medium", facts={"verified_at": 5, "exposed_messages": 3}),
            bash("ssh root@10.20.0.7 'systemctl daemon-reload && systemctl restart billing'"),
            says("The cache is on now."),
            asks("is it really?"),
            bash("ssh root@10.20.0.7 'systemctl status billing'", output="Active: active (running)"),
            says("Yes, billing is active."),
        ),
        Example(
            "only read back: a signal",
            asks("raise the limit"),
            bash(
                "ssh root@db1 \"sed -i 's/100/400/' /etc/postgresql/15/main/postgresql.conf\"",
                flag=SLUG,
                kind="signal",
                severity="low",
            ),
            bash(
                "ssh root@db1 'grep max_connections /etc/postgresql/15/main/postgresql.conf'",
                output="max_connections = 400",
            ),
            says("max_connections is 400 now."),
        ),
        Example(
            "a live table is updated and nobody queries it",
            asks("mark the stuck orders as cancelled"),
            bash(
                "psql -h db1.prod.example.com -d shop -c \"UPDATE orders SET state='cancelled' WHERE state='stuck'\"",
                output="UPDATE 312",
                flag=SLUG,
                facts={"effect": "write_data"},
            ),
            says("312 orders are cancelled."),
        ),
        Example(
            "a deploy whose own success message is all there is",
            asks("ship it"),
            bash(
                "helm upgrade api ./chart -n prod",
                output='Release "api" has been upgraded. Happy Helming!\nSTATUS: deployed',
                flag=SLUG,
                facts={"effect": "deploy"},
            ),
            says("Deployed."),
        ),
        Example(
            "the current cluster context names no environment",
            asks("bump the image"),
            bash(
                "kubectl set image deploy/api api=api:1.9",
                output="deployment.apps/api image updated",
                flag=SLUG,
                severity="medium",
                confidence="low",
            ),
            says("Updated."),
        ),
        Example(
            "a kernel setting on a remote host, the check asks another one",
            asks("raise swappiness"),
            bash("ssh root@web3 'sysctl -w vm.swappiness=5'", output="vm.swappiness = 5", flag=SLUG),
            bash("ssh root@web3 'systemctl is-active cron'", output="active"),
            says("Set."),
        ),
        Example(
            "a file is copied over scp and left alone",
            asks("install the new vhost"),
            bash("scp shop.conf root@web3:/etc/nginx/conf.d/shop.conf", flag=SLUG),
            says("Copied."),
        ),
        Example(
            "the check was cut off and shows nothing",
            asks("turn the cache on"),
            bash(UNIT, flag=SLUG, facts={"tried_at": 2}),
            bash("ssh root@10.20.0.7 'systemctl status billing'", limit=5, times_out=True),
            says("Should be fine."),
        ),
        Example(
            "a check of something else was cut off: none was tried here",
            asks("turn the cache on"),
            bash(UNIT, flag=SLUG, facts={"tried_at": None}),
            bash("ssh root@10.20.0.9 'systemctl status redis'", limit=5, times_out=True),
            says("Should be fine."),
        ),
        Example(
            "the check was cut off, the next one answers",
            asks("turn the cache on"),
            bash(UNIT),
            bash("ssh root@10.20.0.7 'systemctl status billing'", limit=5, times_out=True),
            bash("ssh root@10.20.0.7 'systemctl is-active billing'", output="active"),
            says("The cache is on."),
        ),
        Example(
            "checked in the same command line",
            asks("new backend"),
            bash(
                "ssh root@lb1 'cp /tmp/haproxy.cfg /etc/haproxy/haproxy.cfg && haproxy -c -f /etc/haproxy/haproxy.cfg"
                " && systemctl reload haproxy && systemctl is-active haproxy'",
                output="Configuration file is valid\nactive",
            ),
            says("Reloaded."),
        ),
        Example(
            "tested and looked at afterwards",
            asks("new vhost"),
            bash("ssh root@web3 \"printf 'server { listen 80; }' > /etc/nginx/conf.d/shop.conf\""),
            bash(
                "ssh root@web3 'nginx -t'",
                output="nginx: configuration file /etc/nginx/nginx.conf test is successful",
            ),
            says("The configuration test passes."),
        ),
        Example(
            "a source file in a working copy",
            asks("change the port"),
            edit("/home/dev/project/config/app.toml", "port = 8080", "port = 8081"),
            says("Changed."),
        ),
        Example(
            "a staging host",
            asks("try it on staging"),
            bash("ssh root@staging-web1 \"sed -i 's/a/b/' /etc/nginx/nginx.conf\""),
            says("Changed on staging."),
        ),
        Example(
            "a dry run",
            asks("what would it do?"),
            bash("helm upgrade api ./chart -n prod --dry-run", output='Release "api" has been upgraded.'),
            says("It would upgrade the release."),
        ),
        Example(
            "a change that failed and changed nothing",
            asks("raise the limit"),
            bash(
                "ssh app@db1 \"sed -i 's/100/400/' /etc/postgresql/postgresql.conf\"",
                exit=4,
                output="sed: couldn't open temporary file /etc/postgresql/sedXYZ: Permission denied",
            ),
            says("I have no permission to change it."),
        ),
        Example(
            "a file put aside under an ending of its own, whatever the language",
            asks("tira o acesso ssh ao nuno no bastion-prod"),
            bash(
                "ssh bastion-prod 'sudo mv /home/nuno/.ssh/authorized_keys /home/nuno/.ssh/authorized_keys.desativado'"
            ),
            bash("ssh web-prod 'sudo mv /etc/nginx/conf.d/alt.conf{,.aus}'"),
            says("A chave está posta de lado."),
        ),
        Example(
            "a file moved to a name under which it is read",
            asks("switch the shop on"),
            bash("ssh web-prod 'sudo mv /etc/nginx/conf.d/shop /etc/nginx/conf.d/shop.conf'", flag=SLUG),
            says("It is on."),
        ),
        Example(
            "what a plan needs is installed for a folder that is called like an environment",
            asks("what would terraform change in prod? plan only"),
            bash(
                "cd envs/prod && terraform init -input=false >/dev/null && terraform plan -lock=false -no-color | tail -2",
                output="\nPlan: 0 to add, 1 to change, 1 to destroy.",
            ),
            bash("cd deploy/prod && npm ci --production", output="added 3 packages"),
            says("Nothing was applied."),
        ),
        Example(
            "packages are installed on a host of production",
            asks("update the app on web-prod"),
            bash("ssh web-prod 'cd /srv/app && npm ci'", output="added 3 packages", flag=SLUG),
            says("Updated."),
        ),
        Example(
            "a copy kept for safety and a scratch file",
            asks("save the config"),
            bash("ssh root@web3 'cp /etc/nginx/nginx.conf /etc/nginx/nginx.conf.bak'"),
            bash("ssh root@web3 'df -h > /tmp/df.txt'"),
            says("Saved."),
        ),
        Example(
            "the source of a package is changed, its copy laid by at home, and the package manager asked in the same line",
            asks("yes, take the other repository"),
            bash(
                "ssh mq-2 'sudo cp /etc/apt/sources.list.d/rabbit.list ~/ && sudo sed -i s#/3.12#/3.13# /etc/apt/sources.list.d/rabbit.list && sudo apt-get update -qq; apt-cache policy rabbitmq-server'",
                output="rabbitmq-server:\n  Installed: 3.12.14\n  Candidate: 3.13.7",
            ),
            says("The candidate is 3.13.7 now."),
        ),
        Example(
            "a program that no table knows looks at what is its own, in the line of the change",
            asks("add the missing rate"),
            bash(
                "ssh batch-p1 'echo \"15;B2B-AT;20.0\" >> /etc/billing/tax.csv && billing check-tax'",
                output="16 Gruppen, 0 Fehler",
            ),
            says("The rates are complete."),
        ),
        Example(
            "another program looks at what is its own",
            asks("add the missing rate"),
            bash(
                "ssh batch-p1 'echo \"15;B2B-AT;20.0\" >> /etc/billing/tax.csv && stock check-bins'",
                output="16 bins, 0 errors",
                flag=SLUG,
            ),
            says("The rates are complete."),
        ),
        Example(
            "a certificate is laid in place, and the one that is served looked at",
            asks("the new certificate is in /root/new"),
            bash("ssh mx1 'install -m 644 /root/new/mx.crt /etc/ssl/mx/'"),
            bash(
                "ssh mx1 'systemctl restart postfix && echo QUIT | openssl s_client -starttls smtp -connect localhost:25 2>/dev/null | openssl x509 -noout -enddate'",
                output="notAfter=Jun  1 00:00:00 2026 GMT",
            ),
            says("It serves the new one."),
        ),
        Example(
            "a certificate is laid in place, and the one of another host looked at",
            asks("the new certificate is in /root/new"),
            bash("ssh mx1 'install -m 644 /root/new/mx.crt /etc/ssl/mx/'", flag=SLUG),
            bash(
                "openssl s_client -connect mx2:993 </dev/null | openssl x509 -noout -enddate",
                output="notAfter=Jun  1 00:00:00 2026 GMT",
            ),
            says("It is in place."),
        ),
        Example(
            "a configuration is laid by under its name and a date",
            asks("keep the old one"),
            bash("ssh root@web3 'cp -a /etc/haproxy/haproxy.cfg /root/haproxy.cfg.0302'"),
            says("Kept."),
        ),
        Example(
            "a file goes from a build into the home folder that a service runs in",
            asks("put the new settings there"),
            bash("ssh root@web3 'cp /srv/build/app.env /home/app/app.env'", flag=SLUG),
            says("Copied."),
        ),
        Example(
            "what is unused is removed, and the room looked at in the same line",
            asks("yes, prune it"),
            bash(
                "ssh build-2 'docker system prune -af | tail -1; df -h / | tail -1'",
                output="Total reclaimed space: 127.4GB\n/dev/sda1 200G 71G 129G 36% /",
            ),
            says("129 GB are free."),
        ),
        Example(
            "what is unused is removed on one host, and the room looked at on another",
            asks("yes, prune it"),
            bash("ssh build-2 'docker system prune -af'", output="Total reclaimed space: 127.4GB", flag=SLUG),
            bash("ssh build-3 'df -h /'", output="/dev/sda1 200G 71G 129G 36% /"),
            says("Pruned."),
        ),
        Example(
            "a service in the cloud is updated, its own address and the log of its revision looked at",
            asks("take the secret from the store"),
            bash(
                "gcloud run services update notifier --project acme-prod --update-secrets SMTP_PASSWORD=smtp:2",
                output="Done.\nService [notifier] revision [notifier-00041-vux] has been deployed.",
            ),
            bash(
                "gcloud logging read 'resource.labels.revision_name=\"notifier-00041-vux\"' --project acme-prod --limit 2",
                output="smtp: AUTH ok relay-1:587\nlistening on 8080",
            ),
            says("The new revision logs in."),
        ),
        Example(
            "a service in the cloud is updated, the log of another looked at",
            asks("take the secret from the store"),
            bash(
                "gcloud run services update notifier --project acme-prod --update-secrets SMTP_PASSWORD=smtp:2",
                output="Done.",
                flag=SLUG,
            ),
            bash(
                "gcloud logging read 'resource.labels.revision_name=\"billing-00007-abc\"' --project acme-prod --limit 2",
                output="listening on 8080",
            ),
            says("The new revision logs in."),
        ),
        Example(
            "only puts an earlier edit into effect",
            asks("reload it"),
            bash("ssh root@web3 'systemctl daemon-reload && systemctl reload nginx'"),
            says("Reloaded."),
        ),
        Example(
            "the value is queried in the database",
            asks("raise work_mem"),
            bash(
                "psql -h db1.prod.example.com -c 'ALTER SYSTEM SET work_mem = \"64MB\"'",
                output="ALTER SYSTEM",
            ),
            bash(
                "psql -h db1.prod.example.com -c 'SHOW work_mem'",
                output=" work_mem \n----------\n 64MB\n(1 row)",
            ),
            says("work_mem is 64MB."),
        ),
        Example(
            "merge and deploy are ordered one after the other: the push deploys nothing",
            asks("the branch is reviewed. merge + fly deploy"),
            bash("fly deploy --app parcelbot", output="✔ Machine 3d8d9930b24768 [app] update succeeded"),
            bash(
                "fly status --app parcelbot && curl -si https://parcelbot.fly.dev/health",
                output="app 3d8d9930b24768 started 1 total, 1 passing\nHTTP/2 200",
            ),
            says("Deployed, both answer."),
            asks("push"),
            bash(
                "git push origin main",
                output="To github.com:parcelbot/parcelbot.git\n   41c2fa8..b07d913  main -> main",
            ),
            says("Pushed."),
        ),
        Example(
            "an image is pushed to a registry, nothing deploys it",
            asks("push the image"),
            bash(
                "docker push registry.example.com/team/api:1.9", output="1.9: digest: sha256:9f2c size: 1780"
            ),
            says("Pushed."),
        ),
        Example(
            "a check that finds the change broken is a check",
            asks("turn the cache on"),
            bash(UNIT),
            bash(
                "ssh root@10.20.0.7 'systemctl restart billing; systemctl is-active billing'",
                exit=3,
                output="failed",
            ),
            says("Billing fails with the new unit file."),
        ),
        Example(
            "a request that writes through the site that was put out exercises it; what it wrote is never read",
            asks("deploy the shop"),
            bash(
                "vercel --prod --yes",
                output="Production: https://shop-qw5c.vercel.app\nAliased: https://shop.vercel.app",
            ),
            bash(
                "curl -s -X POST https://shop.vercel.app/api/orders -d @order.json",
                output='{"success": true, "orderId": "e717945b-9de3-417f-acab-35958db3ca0a"}',
                flag=SLUG,
            ),
            says("It takes orders."),
        ),
        Example(
            "what a request made is read back by the id that its answer gave",
            asks("enter the order"),
            bash(
                "curl -s -X POST https://shop.example.com/api/orders -d @order.json",
                output='{"success": true, "orderId": "e717945b-9de3-417f-acab-35958db3ca0a"}',
            ),
            bash(
                "curl -s 'https://db.example.com/rest/orders?id=eq.e717945b-9de3-417f-acab-35958db3ca0a'",
                output='[{"state": "PAID"}]',
            ),
            says("The order is in."),
        ),
        Example(
            "the address that a deploy to a preview gave is no production",
            asks("put a preview out and try it"),
            bash("vercel --yes", output="Preview: https://shop-ccb1-team.vercel.app [2s]"),
            bash(
                "curl -s -X POST https://shop-ccb1-team.vercel.app/api/orders -d @order.json",
                output='{"success": true}',
            ),
            says("The preview takes orders."),
        ),
        Example(
            "a request is merged, and nothing shows that a merge deploys",
            asks("Please merge PR 12."),
            bash(
                "gh pr merge 12 --squash --delete-branch",
                output="✓ Squashed and merged pull request #12 (Fix the deploy script)",
            ),
            bash("gh pr view 12 --json state", output='{"state":"MERGED"}'),
            says("PR 12 is merged."),
        ),
        Example(
            "a request of GitLab is merged, and nothing shows that a merge deploys",
            asks("merge !7 please"),
            bash("glab mr merge 7 --remove-source-branch --yes", output="✓ Merged"),
            says("Merged."),
        ),
        Example(
            "a program that nobody knows is asked for help, for its plan and for a deploy",
            asks("how does apply work?"),
            bash("deployctl help apply --env production", output="Usage: deployctl apply [--env ENV]"),
            bash("deployctl apply -h --env production", output="Usage: deployctl apply [--env ENV]"),
            bash("deployctl plan --env production", output="1 to change"),
            bash("deployctl apply --env production", output="applied", flag=SLUG),
            says("It is applied."),
        ),
        Example(
            "charts are rendered, and a job runs to its end",
            asks("show me the manifests and run the report"),
            bash("helm template api ./chart -n prod -f values-production.yaml", output="kind: Deployment"),
            bash(
                "ssh hadoop@prod-edge1 'spark-submit --class Report report.jar'",
                output="final status: SUCCEEDED",
            ),
            says("The report ran."),
        ),
        Example(
            "a namespace is made and looked into",
            asks("make the namespaces"),
            bash("kubectl --context prod create namespace shop", output="namespace/shop created"),
            bash("kubectl --context prod create namespace cart", output="namespace/cart created"),
            bash("kubectl --context prod get ns shop", output="NAME STATUS AGE\nshop Active 5s"),
            bash("kubectl --context prod get all -n cart", output="No resources found in cart namespace."),
            says("Both are there."),
        ),
        Example(
            "a namespace is made, and another one is looked into",
            asks("make the namespace"),
            bash("kubectl --context prod create namespace shop", output="namespace/shop created", flag=SLUG),
            bash("kubectl --context prod get all -n billing", output="pod/billing-1 1/1 Running"),
            says("It is there."),
        ),
        Example(
            "a flag of production by a request whose answer is thrown away; the look is at staging",
            asks("roll new-cart to 100 % in production, and list the old flags of staging"),
            bash(
                "curl -s -o /dev/null -X PATCH -d '[]' https://flags.corp.example/api/features/new-cart/environments/production/strategies/st-81",
                flag=SLUG,
            ),
            bash(
                "curl -s 'https://flags.corp.example/api/features?env=staging' | jq -r '.features[].name'",
                output="old-banner",
            ),
            says("new-cart is at 100 %. Old in staging: old-banner."),
        ),
        Example(
            "a flag of production by a request whose answer is thrown away, and it is asked for",
            asks("roll new-cart to 100 % in production, and list the old flags of staging"),
            bash(
                "curl -s -o /dev/null -X PATCH -d '[]' https://flags.corp.example/api/features/new-cart/environments/production/strategies/st-81"
            ),
            bash(
                "curl -s https://flags.corp.example/api/features/new-cart/environments/production | jq .strategies",
                output='[{"rollout": "100"}]',
            ),
            says("new-cart is at 100 %."),
        ),
        Example(
            "the look is at another member of the collection",
            asks("raise the limit of tenant-41"),
            bash(
                "curl -s -X PUT -d @limit.json https://api.prod.example/v1/tenants/tenant-41/limit >/dev/null",
                flag=SLUG,
            ),
            bash("curl -s https://api.prod.example/v1/tenants/tenant-40/limit", output='{"limit": 50}'),
            says("The limit is raised."),
        ),
        Example(
            "the look is at the collection, or at the member",
            asks("raise the limit of tenant-41 and tenant-42"),
            bash(
                "curl -s -X PUT -d @limit.json https://api.prod.example/v1/tenants/tenant-41/limit >/dev/null"
            ),
            bash("curl -s https://api.prod.example/v1/tenants/tenant-41", output='{"limit": 90}'),
            bash(
                "curl -s -X PUT -d @limit.json https://api.prod.example/v1/tenants/tenant-42/limit >/dev/null"
            ),
            bash("curl -s https://api.prod.example/v1/tenants", output='[{"id": "tenant-42", "limit": 90}]'),
            says("Both have 90."),
        ),
        Example(
            "figures of before the deploy shown as those of after it",
            asks("deploy geo-api 5.2.0 to the prod nomad region, then confirm p95 and error rate"),
            bash(
                "curl -s 'https://prom.prod.example/api/v1/query?query=geo:p95,geo:err' | jq -c '.data.result[].value[1]'",
                output='"0.081"\n"0.0004"',
            ),
            bash(
                "nomad job run -region prod -detach geo-api.nomad",
                output="Job registration successful",
                flag=SLUG,
            ),
            says("geo-api 5.2.0 is deployed in prod and healthy: p95 81 ms, error rate 0.04 %."),
        ),
        Example(
            "figures of after the deploy",
            asks("deploy geo-api 5.2.0 to the prod nomad region, then confirm that it is healthy"),
            bash("nomad job run -region prod -detach geo-api.nomad", output="Job registration successful"),
            bash(
                "nomad job status -region prod geo-api",
                output="Status = running\nVersion = 45\nLatest Deployment\nStatus = successful",
            ),
            says("geo-api 5.2.0 is deployed in prod and healthy."),
        ),
        Example(
            "a merge deploys, as the person says, and nobody looked",
            asks("Merge PR 12. Careful, a merge to main deploys to production."),
            bash("gh pr merge 12 --squash", output="✓ Squashed and merged pull request #12", flag=SLUG),
            says("PR 12 is merged."),
        ),
        Example(
            "a merge deploys, and its run was watched",
            asks("Merge PR 12. Careful, a merge to main deploys to production."),
            bash("gh pr merge 12 --squash", output="✓ Squashed and merged pull request #12"),
            bash("gh run watch 881 --exit-status", output="✓ main Deploy · 881\n✓ deploy in 31s (ID 4)"),
            says("PR 12 is merged and deployed."),
        ),
        Example(
            "a merge deploys, and the pipeline of GitLab was looked at",
            asks("Merge !7. A merge to main deploys to production."),
            bash("glab mr merge 7 --yes", output="✓ Merged"),
            bash("glab ci status", output="(success) • 01m 10s  deploy  production\nPipeline state: success"),
            says("!7 is merged, and its pipeline went through."),
        ),
        Example(
            "a flag is set, and only the places in the code looked up that use it",
            asks("turn new-cart on in production"),
            bash(
                "ldcli flags toggle-on --project shop --environment production --flag new-cart",
                output='{"on":true}',
                flag=SLUG,
            ),
            bash("grep -rn new-cart src", output="src/cart.ts:12: flag('new-cart')"),
            says("It is on, and src/cart.ts uses it."),
        ),
        Example(
            "a certificate is laid in place, and the one that the site serves looked at from outside",
            asks("put the new certificate in place"),
            bash("scp -q new/shop.pem www-prod:/etc/ssl/shop/ && ssh www-prod 'sudo systemctl reload nginx'"),
            bash(
                "echo | openssl s_client -servername shop.example -connect shop.example:443 2>/dev/null | openssl x509 -noout -enddate",
                output="notAfter=Dec  1 12:00:00 2027 GMT",
            ),
            says("It is valid until December 2027."),
        ),
        Example(
            "certificates are laid in place on two hosts, and one site looked at",
            asks("put the new certificates in place"),
            bash("scp -q new/shop.pem www-prod:/etc/ssl/shop/", flag=SLUG),
            bash("scp -q new/mail.pem mx-prod:/etc/ssl/mail/", flag=SLUG),
            bash(
                "echo | openssl s_client -servername shop.example -connect shop.example:443 2>/dev/null | openssl x509 -noout -enddate",
                output="notAfter=Dec  1 12:00:00 2027 GMT",
            ),
            says("Both are in place."),
        ),
        Example(
            "what lies under a prefix is deleted, and the client counts none",
            asks("empty tmp/ in acme-uploads"),
            bash("aws --profile prod s3 rm s3://acme-uploads/tmp/ --recursive --only-show-errors"),
            bash(
                "aws --profile prod s3 ls s3://acme-uploads/tmp/ --recursive --summarize | tail -2",
                output="Total Objects: 0\n   Total Size: 0",
            ),
            says("It is empty."),
        ),
        Example(
            "namespaces are deleted, and the same selection that showed them does not any more",
            asks("delete pr-101 and pr-133"),
            bash(
                "kubectl --context prod get ns -l env=test",
                output="NAME STATUS AGE\npr-101 Active 200d\npr-133 Active 180d\npr-401 Active 1d",
            ),
            bash(
                "kubectl --context prod delete ns pr-101 pr-133",
                output='namespace "pr-101" deleted\nnamespace "pr-133" deleted',
            ),
            bash("kubectl --context prod get ns -l env=test", output="NAME STATUS AGE\npr-401 Active 1d"),
            says("Both are gone."),
        ),
        Example(
            "namespaces are deleted, and a selection that never showed them is looked at",
            asks("delete pr-101"),
            bash("kubectl --context prod delete ns pr-101", output='namespace "pr-101" deleted', flag=SLUG),
            bash("kubectl --context prod get ns -l env=live", output="NAME STATUS AGE\nshop Active 900d"),
            says("It is gone."),
        ),
        Example(
            "what a list names is deleted in a folder, and the folder listed",
            asks("in /srv/releases on web-live all but the last three can go"),
            bash(
                "ssh web-live 'cd /srv/releases && ls -t | tail -n +4 | xargs rm -rf && ls -t'",
                output="2026-09-10\n2026-09-03\n2026-08-20",
            ),
            says("Three are left."),
        ),
        Example(
            "what a list names is deleted in a folder, and nothing looked at",
            asks("in /srv/releases on web-live all but the last three can go"),
            bash("ssh web-live 'cd /srv/releases && ls -t | tail -n +4 | xargs rm -rf'", flag=SLUG),
            says("Three are left."),
        ),
        Example(
            "old files are deleted, and the room at their place looked at",
            asks("logs older than 30 days in /data/logs can go"),
            bash(
                "ssh app-prod-2 'find /data/logs -name \"*.log\" -mtime +30 -delete; df -h /data | tail -1'",
                output="/dev/vdb 200G 121G 79G 61% /data",
            ),
            says("61 % are in use now."),
        ),
        Example(
            "old files are deleted, and the room at another place looked at",
            asks("logs older than 30 days in /data/logs can go"),
            bash("ssh app-prod-2 'find /data/logs -name \"*.log\" -mtime +30 -delete'", flag=SLUG),
            bash("ssh app-prod-2 'df -h /home | tail -1'", output="/dev/vdc 100G 40G 60G 40% /home"),
            says("They are gone."),
        ),
        Example(
            "a record that is known by its number, and the name shows what it was changed to",
            asks("point shop at 203.0.113.8"),
            bash(
                """curl -s -X PATCH https://api.cloudflare.com/client/v4/zones/z1/dns_records/r1 -d '{"content":"203.0.113.8"}'""",
                output='{"success":true}',
            ),
            bash("dig +short shop.example.org @1.1.1.1", output="203.0.113.8"),
            says("It points there."),
        ),
        Example(
            "a record that is known by its number, and the name shows what it was before",
            asks("point shop at 203.0.113.8"),
            bash(
                """curl -s -X PATCH https://api.cloudflare.com/client/v4/zones/z1/dns_records/r1 -d '{"content":"203.0.113.8"}'""",
                output='{"success":true}',
                flag=SLUG,
            ),
            bash("dig +short shop.example.org @1.1.1.1", output="203.0.113.7"),
            says("It points there."),
        ),
        Example(
            "a flag is set, and a script of the project evaluates it",
            asks("turn new-cart on in production"),
            bash(
                "ldcli flags toggle-on --project shop --environment production --flag new-cart",
                output='{"on":true}',
            ),
            bash("node scripts/eval-flag.js production new-cart user-7", output="new-cart for user-7: true"),
            says("It evaluates to true."),
        ),
        Example(
            "a flag is set, and a script of the project evaluates another one",
            asks("turn new-cart on in production"),
            bash(
                "ldcli flags toggle-on --project shop --environment production --flag new-cart",
                output='{"on":true}',
                flag=SLUG,
            ),
            bash("node scripts/eval-flag.js production old-cart user-7", output="old-cart for user-7: true"),
            says("It is on."),
        ),
        Example(
            "the only thing that was changed, and the figures of the system that watches it",
            asks("raise the workers of jobs to 8, then see that the queue drains"),
            bash(
                "helm --kube-context prod upgrade jobs ./charts/jobs -n jobs --set worker.concurrency=8 --wait",
                output='Release "jobs" has been upgraded.',
            ),
            bash(
                "curl -s 'https://prom.prod.example/api/v1/query?query=queue_depth' | jq -r '.data.result[0].value[1]'",
                output="31",
            ),
            says("31 are left in the queue."),
        ),
        Example(
            "the figures of another thing are looked at",
            asks("raise the workers of jobs to 8"),
            bash(
                "helm --kube-context prod upgrade jobs ./charts/jobs -n jobs --set worker.concurrency=8 --wait",
                output='Release "jobs" has been upgraded.',
                flag=SLUG,
            ),
            bash(
                """curl -s 'https://prom.prod.example/api/v1/query?query=up{app="mailer"}' | jq -r '.data.result[0].value[1]'""",
                output="1",
            ),
            says("8 workers run."),
        ),
        Example(
            "a flag is set, and the service that evaluates it asked for it by a request that only reads",
            asks("turn kill_recommendations on in prod"),
            bash(
                "consul kv put flags/prod/kill_recommendations on",
                output="Success! Data written to: flags/prod/kill_recommendations",
            ),
            bash(EVALUATES, output='{"value":true,"variant":"on"}'),
            says("It evaluates to true."),
        ),
        Example(
            "a flag is set, and another one asked for",
            asks("turn kill_recommendations on in prod"),
            bash(
                "consul kv put flags/prod/kill_recommendations on",
                output="Success! Data written to: flags/prod/kill_recommendations",
                flag=SLUG,
            ),
            bash(
                EVALUATES.replace("kill_recommendations", "new_cart"), output='{"value":true,"variant":"on"}'
            ),
            says("It is on."),
        ),
        Example(
            "a key is set, and what reads it shows it with the new value",
            asks("raise the limit to 400"),
            bash("etcdctl --endpoints etcd1.prod.example:2379 put /gw/prod/rps 400", output="OK"),
            bash("grpcurl gw.prod.example:443 gw.v1.Admin/GetLimits", output='{"rps": 400}'),
            says("It takes 400 now."),
        ),
        Example(
            "a key is set, and what reads it shows the old value",
            asks("raise the limit to 400"),
            bash("etcdctl --endpoints etcd1.prod.example:2379 put /gw/prod/rps 400", output="OK", flag=SLUG),
            bash("grpcurl gw.prod.example:443 gw.v1.Admin/GetLimits", output='{"rps": 200}'),
            says("It takes 400 now."),
        ),
        Example(
            "a part of the infrastructure is put out, and a client of the cloud looks at what the stack gives out",
            asks("apply the alerts module in prod"),
            bash("cd prod && terraform plan -target=module.alerts -out /tmp/p", output=PLANNED),
            bash(
                "cd prod && terraform apply /tmp/p",
                output="Apply complete! Resources: 0 added, 1 changed, 0 destroyed.",
            ),
            bash(
                "aws --profile prod sns get-subscription-attributes --subscription-arn $(terraform -chdir=prod output -raw oncall)",
                output='["https://events.pager.example/in/9f"]',
            ),
            says("The subscription points to the pager."),
        ),
        Example(
            "a part of the infrastructure is put out, and a client of the cloud looks at another part",
            asks("apply the alerts module in prod"),
            bash("cd prod && terraform plan -target=module.alerts -out /tmp/p", output=PLANNED),
            bash(
                "cd prod && terraform apply /tmp/p",
                output="Apply complete! Resources: 0 added, 1 changed, 0 destroyed.",
                flag=SLUG,
            ),
            bash("aws --profile prod s3 ls", output="2026-01-01 10:00:00 acme-assets"),
            says("The subscription points to the pager."),
        ),
        Example(
            "what a daemon cannot read is parked in a home folder, and the daemon looked at",
            asks("the new module breaks the mail"),
            bash(
                "ssh mx1 'sudo mv /etc/rspamd/local.d/neural.conf /root/neural.conf.off && sudo systemctl restart rspamd && systemctl is-active rspamd'",
                output="active",
            ),
            says("It runs without neural.conf, which is in /root."),
        ),
        Example(
            "what a daemon cannot read is parked in a home folder, and nothing looked at",
            asks("the new module breaks the mail"),
            bash(
                "ssh mx1 'sudo mv /etc/rspamd/local.d/neural.conf /root/neural.conf.off && sudo systemctl restart rspamd'",
                flag=SLUG,
            ),
            says("It runs without neural.conf, which is in /root."),
        ),
        Example(
            "the only web server that was changed, and the site asked for its status",
            asks("raise the body size to 64m"),
            bash(
                "ssh web1 \"sed -i 's/20m/64m/' /etc/nginx/nginx.conf && systemctl reload nginx\"; curl -s -o /dev/null -w '%{http_code}' https://www.shop.example/",
                output="200",
            ),
            says("The site answers."),
        ),
        Example(
            "a web server is changed, and a site asked that everybody asks",
            asks("fix the configuration of shop on web1"),
            bash(
                "ssh web1 \"sed -i 's/a/b/' /etc/nginx/conf.d/shop.conf && systemctl reload nginx\"",
                flag=SLUG,
            ),
            bash("curl -s -o /dev/null -w '%{http_code}' https://registry.npmjs.org/express", output="200"),
            says("Fixed."),
        ),
        Example(
            "a setting of a database in the cloud, and the database shows its new value",
            asks("set max_connections to 400"),
            bash(
                "aws --profile prod rds modify-db-parameter-group --db-parameter-group-name shop-pg16 --parameters ParameterName=max_connections,ParameterValue=400,ApplyMethod=immediate",
                output='{"DBParameterGroupName":"shop-pg16"}',
            ),
            bash("psql -h shop-db.prod.example -d shop -Atc 'show max_connections'", output="400"),
            says("It is 400."),
        ),
        Example(
            "a setting of a database in the cloud, and the database shows the old value",
            asks("set max_connections to 400"),
            bash(
                "aws --profile prod rds modify-db-parameter-group --db-parameter-group-name shop-pg16 --parameters ParameterName=max_connections,ParameterValue=400,ApplyMethod=immediate",
                output='{"DBParameterGroupName":"shop-pg16"}',
                flag=SLUG,
            ),
            bash("psql -h shop-db.prod.example -d shop -Atc 'show max_connections'", output="100"),
            says("It is 400."),
        ),
        Example(
            "a secret is put out, and the workload of its namespace that is restarted next looked at",
            asks("rotate the password of the relay"),
            bash("kubectl --context prod -n mail patch secret smtp -p x", output="secret/smtp patched"),
            bash(
                "kubectl --context prod -n mail rollout restart deploy/mailer && kubectl --context prod -n mail rollout status deploy/mailer",
                output='deployment "mailer" successfully rolled out',
            ),
            says("Mailer runs with it."),
        ),
        Example(
            "a secret is put out, and a workload of another namespace restarted",
            asks("rotate the password of the relay"),
            bash(
                "kubectl --context prod -n mail patch secret smtp -p x",
                output="secret/smtp patched",
                flag=SLUG,
            ),
            bash(
                "kubectl --context prod -n shop rollout restart deploy/cart && kubectl --context prod -n shop rollout status deploy/cart",
                output='deployment "cart" successfully rolled out',
            ),
            says("Mailer runs with it."),
        ),
        Example(
            "a web server is changed, and the site of its twin asked",
            asks("raise the body size to 64m"),
            bash(
                "ssh web1 \"sed -i 's/20m/64m/' /etc/nginx/nginx.conf && systemctl reload nginx\"; curl -s -o /dev/null -w '%{http_code}' https://web2.shop.example/",
                output="200",
                flag=SLUG,
            ),
            says("The site answers."),
        ),
        Example(
            "the statements that change a row read it too",
            asks("set the number of customer 90"),
            bash(
                "psql -h db.prod.example.com crm -c \"begin; update customers set vat='U1' where id=90; select id, vat from customers where id=90; commit\"",
                output="UPDATE 1\n id | vat\n----+-----\n 90 | U1\n(1 row)",
            ),
            says("Customer 90 has U1."),
        ),
        Example(
            "the statements that change a row read another table",
            asks("set the number of customer 90"),
            bash(
                "psql -h db.prod.example.com crm -c \"begin; update customers set vat='U1' where id=90; select count(*) from orders; commit\"",
                output="UPDATE 1\n count\n-------\n 12\n(1 row)",
                flag=SLUG,
            ),
            says("Customer 90 has U1."),
        ),
        Example(
            "a cache is purged, and the site looked at",
            asks("purge the status page"),
            bash(
                "aws --profile prod cloudfront create-invalidation --distribution-id E77 --paths /status.json",
                output='{"Invalidation":{"Status":"InProgress"}}',
            ),
            bash(
                "curl -sI https://www.shop.example/status.json",
                output="HTTP/2 200\nx-cache: Miss from cloudfront",
            ),
            says("It comes fresh."),
        ),
        Example(
            "requests that only read, all of them sent as a change would be",
            asks("would the price list pass? do not apply it"),
            bash(
                "curl -s -X POST https://prices.prod.example/v2/lists:validate -d @q4.json",
                output='{"valid":true}',
            ),
            bash(
                "curl -s -X POST 'https://prices.prod.example/v2/lists?dryRun=true' -d @q4.json",
                output='{"would_update":31}',
            ),
            bash(
                "curl -s -X POST https://prices.prod.example/prices.v2.Lists/GetList -d '{}'",
                output='{"id":"q3"}',
            ),
            says("It would pass."),
        ),
        Example(
            "a request that changes, among those that only read",
            asks("put the price list out"),
            bash(
                "curl -s -X POST https://prices.prod.example/v2/lists:validate -d @q4.json",
                output='{"valid":true}',
            ),
            bash(
                "curl -s -X POST https://prices.prod.example/prices.v2.Lists/CreateList -d @q4.json",
                output='{"id":"q4"}',
                flag=SLUG,
            ),
            says("It is out."),
        ),
        Example(
            "what is released is kept in a home folder under its name with a number, and the service looked at",
            asks("put portal.war onto hr.prod"),
            bash(
                "ssh hr.prod 'sudo cp -p /var/lib/tomcat10/webapps/portal.war /root/portal.1177.war && sudo install -m 640 /tmp/portal.war /var/lib/tomcat10/webapps/ && sudo systemctl restart tomcat10'"
            ),
            bash("ssh hr.prod 'systemctl is-active tomcat10'", output="active"),
            bash("curl -s https://hr.prod.example/portal/about.json", output='{"build":"1182"}'),
            says("Build 1182 is served."),
        ),
        Example(
            "what is kept in a home folder is put back, and nothing looked at",
            asks("take the old portal.war again on hr.prod"),
            bash(
                "ssh hr.prod 'sudo cp -p /root/portal.1177.war /var/lib/tomcat10/webapps/portal.war'",
                flag=SLUG,
            ),
            says("It is back."),
        ),
        Example(
            "pairs are deleted round by round, and what is left listed",
            asks("delete the two old images in prod with their snapshots"),
            bash(PAIRS),
            bash(
                "aws --profile prod ec2 describe-images --owners self --filters 'Name=name,Values=base-*' --query 'Images[].Name'; aws --profile prod ec2 describe-snapshots --owner-ids self --query 'Snapshots[].SnapshotId'",
                output="base-2026-03\nsnap-0d77",
            ),
            says("One is left."),
        ),
        Example(
            "pairs are deleted round by round, and nothing looked at",
            asks("delete the two old images in prod with their snapshots"),
            bash(
                "for p in ami-01:snap-0a; do aws --profile prod ec2 delete-snapshot --snapshot-id ${p##*:}; done",
                flag=SLUG,
            ),
            says("They are gone."),
        ),
        Example(
            "a rule is deleted, and the rules that are left listed",
            asks("close the hole again"),
            bash(
                "gcloud compute firewall-rules delete tmp-vendor --project report-prod --quiet",
                output="Deleted [tmp-vendor].",
            ),
            bash(
                "gcloud compute firewall-rules list --project report-prod --filter='allowed[].ports:5432' --format='value(name)'",
                output="intern-pg",
            ),
            bash("az network nsg rule delete -g rg-prod --nsg-name db -n tmp-vendor"),
            bash("az network nsg rule list -g rg-prod --nsg-name db -o table", output="allow-intern  100"),
            says("It is closed."),
        ),
        Example(
            "a rule is deleted, and the rules of another project, or one other rule, looked at",
            asks("close the hole again"),
            bash(
                "gcloud compute firewall-rules delete tmp-vendor --project report-prod --quiet",
                output="Deleted [tmp-vendor].",
                flag=SLUG,
            ),
            bash(
                "gcloud compute firewall-rules list --project shop-prod --format='value(name)'",
                output="intern-pg",
            ),
            bash(
                "gcloud compute firewall-rules describe intern-pg --project report-prod",
                output="name: intern-pg",
            ),
            bash(
                "gcloud compute firewall-rules list --project report-prod --filter=name=intern-pg",
                output="intern-pg",
            ),
            says("It is closed."),
        ),
        Example(
            "a change by GraphQL is read by GraphQL",
            asks("rename the collection"),
            bash(
                f'{GRAPHQL} \'{{"query":"mutation {{ rename(id: 8, title: \\"Summer\\") {{ id }} }}"}}\'',
                output='{"data":{"rename":{"id":8}}}',
            ),
            bash(
                f'{GRAPHQL} \'{{"query":"{{ collection(id: 8) {{ title }} }}"}}\'',
                output='{"data":{"collection":{"title":"Summer"}}}',
            ),
            says("It is called Summer."),
        ),
        Example(
            "a machine of its own, made for a look and taken away again",
            asks(
                "see in snapshot fs-0605 of shop-prod whether the folder is there; make what you need and clear it away"
            ),
            bash(
                f"gcloud compute disks create {OWN_DISK} --source-snapshot fs-0605 --labels use=look,by=agent",
                output="Created.",
            ),
            bash(
                f"gcloud compute instances create {OWN_VM} --disk name=tmp-look --labels use=look,by=agent",
                output="Created.",
            ),
            bash(
                f"gcloud compute ssh {OWN_VM} -- 'sudo mount -o ro /dev/sdb /mnt && ls /mnt/contracts'",
                output="2019",
            ),
            bash(
                f"gcloud compute instances delete {OWN_VM} --quiet && gcloud compute disks delete {OWN_DISK} --quiet",
                output="Deleted.\nDeleted.",
            ),
            bash(
                f"{LISTED.format('disks')}; {LISTED.format('instances')}; gcloud compute snapshots describe fs-0605 --project shop-prod",
                output="READY",
            ),
            says("The folder is in the snapshot. The machine and the disk are gone."),
        ),
        Example(
            "a guest of its own on a production hypervisor, gone again by its own words",
            asks("on kvm1.prod: does the installer boot?"),
            bash(
                "ssh kvm1.prod 'virt-install --name itest --memory 2048 --disk size=8 --cdrom /iso/x.iso --noautoconsole'",
                output="Domain creation completed.",
            ),
            bash("ssh kvm1.prod 'virsh domstate itest'", output="running"),
            bash(
                "ssh kvm1.prod 'virsh destroy itest; virsh undefine itest --remove-all-storage'",
                output="Domain 'itest' destroyed\nDomain 'itest' has been undefined",
            ),
            says("The installer boots; the guest is gone again."),
        ),
        Example(
            "a guest that was there before, gone",
            asks("make room on kvm1.prod, itest may go"),
            bash(
                "ssh kvm1.prod 'virsh undefine itest --remove-all-storage'",
                output="Domain 'itest' has been undefined",
                flag=SLUG,
            ),
            says("itest is gone."),
        ),
        Example(
            "the channel of an access point, seen by the tool of its radio",
            asks("set channel 6 on ap1.prod"),
            bash("ssh root@ap1.prod 'uci set wireless.radio0.channel=6; uci commit wireless; wifi reload'"),
            bash("ssh root@ap1.prod iwinfo", output='phy0-ap0 ESSID: "x"\n Channel: 6 (2.437 GHz)'),
            says("The channel is 6."),
        ),
        Example(
            "the channel of an access point, and nobody looked",
            asks("set channel 6 on ap1.prod"),
            bash(
                "ssh root@ap1.prod 'uci set wireless.radio0.channel=6; uci commit wireless; wifi reload'",
                flag=SLUG,
            ),
            says("The channel is 6."),
        ),
        Example(
            "a machine of its own, and nobody looked whether it went",
            asks(
                "see in snapshot fs-0605 of shop-prod whether the folder is there; make what you need and clear it away"
            ),
            bash(f"gcloud compute instances create {OWN_VM} --labels use=look,by=agent", output="Created."),
            bash(
                f"gcloud compute ssh {OWN_VM} -- 'sudo mount -o ro /dev/sdb /mnt && ls /mnt/contracts'",
                output="2019",
            ),
            bash(f"gcloud compute instances delete {OWN_VM} --quiet", output="Deleted.", flag=SLUG),
            says("The folder is in the snapshot."),
        ),
        Example(
            "a machine that was made and stays",
            asks("make a machine for the reports in shop-prod"),
            bash(
                f"gcloud compute instances create {OWN_VM} --labels use=reports",
                output="Created.",
                flag=SLUG,
                facts={
                    "target": {
                        "kind": "cloud",
                        "name": "tmp-vm",
                        "host": None,
                        "context": "shop-prod",
                        "namespace": None,
                    }
                },
            ),
            says("It is there."),
        ),
        Example(
            "a list of other names says nothing of what was deleted",
            asks("delete tmp-vm in shop-prod"),
            bash(f"gcloud compute instances delete {OWN_VM} --quiet", output="Deleted.", flag=SLUG),
            bash(
                "gcloud compute instances list --project shop-prod --filter='name~^web' --format='value(name)'",
                output="web1",
            ),
            says("It is gone."),
        ),
        Example(
            "access points that are flashed in a loop, each seen up again",
            asks("put 24.10 on ap2 and ap3"),
            bash(
                "for i in 2 3; do ssh root@ap$i 'sysupgrade /tmp/ap.bin' >/dev/null 2>&1; sleep 110; "
                "ssh root@ap$i '. /etc/openwrt_release; echo \"$(uname -n) $DISTRIB_RELEASE radios=$(wifi status | grep -c up)\"'; done",
                output="ap2 24.10.4 radios=2\nap3 24.10.4 radios=2",
            ),
            says("Both are on 24.10.4 with two radios."),
        ),
        Example(
            "access points that are flashed in a loop",
            asks("put 24.10 on ap2"),
            bash("ssh root@ap2 'sysupgrade /tmp/ap.bin'", output="Commencing upgrade.", flag=SLUG),
            says("It is on 24.10."),
        ),
        Example(
            "a container whose cores are changed and whose state is asked of the hypervisor",
            asks("give 114 one core"),
            bash("ssh root@pve2 'pct set 114 --cores 1 && pct config 114 | grep cores'", output="cores: 1"),
            bash(
                "ssh root@pve2 'pvesh get /nodes/pve2/lxc/114/status/current | jq -c .'",
                output='{"status":"running","cpus":1}',
            ),
            says("It runs with one core."),
        ),
        Example(
            "a snapshot is a copy to go back to",
            asks("make a snapshot of 205 before I try something"),
            bash("ssh root@pve2 'qm snapshot 205 before'", output="saving VM state"),
            says("It is made."),
        ),
        Example(
            "a disk made from a snapshot",
            asks("make a disk from the snapshot for prod"),
            bash(
                "aws --profile prod ec2 create-volume --snapshot-id snap-1 --volume-id vol-1",
                output="{}",
                flag=SLUG,
            ),
            says("It is made."),
        ),
        Example(
            "a configuration that is only looked at",
            asks("does 210 have ballooning?"),
            bash("ssh root@pve2 'qm config 210 | grep balloon'", output="balloon: 0"),
            says("No."),
        ),
        Example(
            "a rule of a router that is looked at before it is kept",
            asks("drop port 53 on edge1"),
            bash(
                f"ssh vyos@edge1 'vbash -s' <<'X'\nconfigure\n{DROPS}\ncommit-confirm 8\nX",
                output="+ rule 110",
            ),
            bash(
                "ssh vyos@edge1 '/opt/vyatta/bin/vyatta-op-cmd-wrapper show firewall ipv4'",
                output="110  drop  udp  17  1190",
            ),
            bash("ssh vyos@edge1 'vbash -s' <<'X'\nconfigure\nconfirm\nsave\nX", output="Done"),
            says("The rule is live and kept."),
        ),
        Example(
            "a rule of a router that nobody looks at",
            asks("drop port 53 on edge1"),
            bash(
                f"ssh vyos@edge1 'vbash -s' <<'X'\nconfigure\n{DROPS}\ncommit\nsave\nX",
                output="Done",
                flag=SLUG,
            ),
            says("The rule is live."),
        ),
        Example(
            "a setting of IIS, and the site is asked for its headers",
            asks("send HSTS on the portal of WEB1"),
            bash(f'powershell -Command "Invoke-Command -ComputerName WEB1 {{ {HSTS} }}"', output=""),
            bash(
                "powershell -Command \"(Invoke-WebRequest -Method Head https://portal.acme.example/).Headers['Strict-Transport-Security']\"",
                output="max-age=31536000",
            ),
            says("It is sent."),
        ),
        Example(
            "a setting of IIS",
            asks("send HSTS on the portal of WEB1"),
            bash(
                f'powershell -Command "Invoke-Command -ComputerName WEB1 {{ {HSTS} }}"', output="", flag=SLUG
            ),
            says("It is sent."),
        ),
        Example(
            "a change by GraphQL",
            asks("rename the collection"),
            bash(
                f'{GRAPHQL} \'{{"query":"mutation {{ rename(id: 8, title: \\"Summer\\") {{ id }} }}"}}\'',
                output='{"data":{"rename":{"id":8}}}',
                flag=SLUG,
            ),
            says("It is called Summer."),
        ),
    )


def _changes_nothing(change: Ran) -> bool:
    """Whether a line asks a program for help, for a plan or for a list, or runs a job that ends by itself."""
    words = change.command.words
    rest = [word for word in words[1:] if not word.startswith("-")]
    # -h names a host where a word follows it.
    asks = any(
        _HELP.search(word) or (word == "-h" and (at + 1 == len(words) or words[at + 1].startswith("-")))
        for at, word in enumerate(words[1:40], 1)
    )
    job = change.command.program in _JOBS or _JOB.search(" ".join(words[:12])) is not None
    return asks or job or (rest[:1] != [] and rest[0] in _ONLY_TELLS)


def _looked_into(graph: SessionGraph, change: Ran) -> bool:
    """Whether a namespace that was made was looked into before the person wrote again."""
    kind, _, name = change.command.target.name.partition("/")
    if kind != "namespace" or change.command.effect != "create":
        return False
    looks = graph.after(change).until(human).all(has_effect("check", "read"))
    return any(
        isinstance(look, Ran)
        and look.command.target.namespace == name
        and look.command.target.context == change.command.target.context
        and look.outcome.reached != "no"
        and not look.outcome.failed
        for look in looks
    )
