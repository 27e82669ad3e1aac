"""The rule ``edit-without-backup``."""

import re

from sessionlens.examples import Example, asks, bash, edit, says, write
from sessionlens.rule import (
    Called,
    Finding,
    Iterator,
    Ran,
    Rule,
    Session,
    SessionGraph,
    dataclass,
    lazy,
    named,
    not_recorded,
    weakest,
)

SLUG = "edit-without-backup"
SED = "ssh root@web1 \"sed -i 's/keepalive 10/keepalive 60/' /etc/nginx/nginx.conf\""

_SCRATCH = lazy(
    r"^/(?:tmp|var/tmp|dev|proc|run|var/log|var/cache)/|\.(?:log|tmp|pid|lock|out|swp)$|(?:^|[/._-])(?:bak|backup|backups|old|orig|save|copy|rej|rpmsave|dpkg-old)(?:[/._-]|\d|$)|~$",
    re.IGNORECASE,
)
"""Paths whose loss is none: scratch, logs, and copies themselves."""
_KNOWN = lazy(
    r"(?:^|/)(?:nginx\.conf|httpd\.conf|apache2\.conf|sshd_config|ssh_config|haproxy\.cfg|my\.cnf|mysqld\.cnf|postgresql\.conf|pg_hba\.conf|redis\.conf|mongod\.conf|sysctl\.conf|fstab|hosts|sudoers|passwd|resolv\.conf"
    r"|crontab|environment|profile|named\.conf|main\.cf|dovecot\.conf|php\.ini|www\.conf|prometheus\.yml|alertmanager\.yml|grafana\.ini|logrotate\.conf|security/limits\.conf|netplan/[\w.-]+\.ya?ml|interfaces|iptables(?:\.rules)?|nftables\.conf"
    r"|squid\.conf|smb\.conf|exports|grub|daemon\.json|config\.toml|docker-compose\.ya?ml|compose\.ya?ml|\.env|authorized_keys|Caddyfile|traefik\.ya?ml|rabbitmq\.conf|elasticsearch\.yml|kafka/server\.properties|zoo\.cfg)$",
    re.IGNORECASE,
)
"""Files that every host of their kind has: to write one is to overwrite it."""
_IN_PLACE = frozenset(
    {
        "truncate",
        "sed",
        "perl",
        "ruby",
        "awk",
        "gawk",
        "ed",
        "ex",
        "augtool",
        "crudini",
        "yq",
        "patch",
        "vim",
        "vi",
        "nano",
    }
)
"""Programs that edit a file where it stands: it was there."""
_KEEPS = lazy(
    r"(?:^|\s)(?:-i\S+|--in-place=\S+|-[a-zA-Z]*b[a-zA-Z]*(?=\s)|--backup(?:=\S+)?|--suffix=\S+|-V\s+numbered)(?=\s|$)",
    re.IGNORECASE,
)
"""Options by which an edit keeps the old version itself."""
_APPENDS = lazy(r">>|\btee\s+(?:-\w*a\w*|--append)\b")
_COPIERS = frozenset(
    {
        "cp",
        "rsync",
        "scp",
        "tar",
        "mv",
        "install",
        "zip",
        "dd",
        "cat",
        "git",
        "etckeeper",
        "rclone",
        "restic",
        "borg",
        "duplicity",
        "snapper",
        "sftp",
        "ditto",
        "xcopy",
        "copy-item",
    }
)
_SNAPSHOTS = lazy(
    r"\b(?:snapper\s+(?:\S+\s+)*create|lvcreate\s+(?:\S+\s+)*(?:-s|--snapshot)|zfs\s+snapshot|btrfs\s+subvolume\s+snapshot|virsh\s+snapshot-create|etckeeper\s+commit|velero\s+backup\s+create|create-(?:db-)?snapshot"
    r"|snapshots?\s+create|qm\s+snapshot|pct\s+snapshot|vzdump|restic\s+backup|borg\s+create|git\s+(?:-C\s+\S+\s+)?commit)\b",
    re.IGNORECASE,
)
_LOSES = lazy(
    r"\bDROP\s+(?:TABLE|DATABASE|SCHEMA|COLUMN|VIEW|INDEX|COLLECTION)\b|\bTRUNCATE\b|\bDELETE\s+FROM\b|\bUPDATE\s+\S+\s+SET\b|\bALTER\s+TABLE\b[^;]{0,400}\b(?:DROP|TYPE|MODIFY|CHANGE)\b"
    r"|\b(?:update(?:Many|One)?|delete(?:Many|One)|remove|drop|dropDatabase|replaceOne|findAndModify)\s*\(|\bFLUSH(?:ALL|DB)\b|^\S*redis-cli\b.{0,200}\b(?:DEL|UNLINK)\b|\bREPLACE\s+INTO\b",
    re.IGNORECASE | re.DOTALL,
)
"""Statements after which the old data is gone."""
_DUMPS = lazy(
    r"\b(?:pg_dump(?:all)?|mysqldump|mariadb-dump|mydumper|mongodump|mongoexport|pg_basebackup|xtrabackup|mariabackup|sqlite3\b.{0,200}\.(?:backup|dump)|redis-cli\b.{0,200}\b(?:BGSAVE|SAVE|--rdb)|wal-g|pgbackrest|barman|exp(?:dp)?|clickhouse-backup"
    r"|nodetool\s+snapshot|etcdctl\s+snapshot|create-(?:db-)?(?:cluster-)?snapshot|backups\s+create)\b"
    r"|\bCREATE\s+(?:TEMP\w*\s+)?TABLE\s+\S+\s+(?:AS\b|LIKE\b)|\bSELECT\b[^;]{0,400}\bINTO\s+(?:OUTFILE|TABLE|\w+\s+FROM)\b|\\copy\b|\bCOPY\b[^;]{0,400}\bTO\b|\bBACKUP\s+(?:DATABASE|TABLE|LOG)\b",
    re.IGNORECASE | re.DOTALL,
)
_TRANSACTION = lazy(
    r"\b(?:BEGIN|START\s+TRANSACTION|SAVEPOINT|ROLLBACK)\b|--single-transaction|(?:^|\s)-1(?=\s)|\bdry[-_ ]?run\b",
    re.IGNORECASE,
)
_OBJECTS = lazy(
    r"\b(?:configmap|secret|ingress|service|networkpolicy|cronjob|crd|customresource\w*|pvc|storageclass|role\w*|hpa|pdb|ingressroute|certificate|gateway|virtualservice)/",
    re.IGNORECASE,
)
"""Objects of which a cluster keeps no older version."""
_EXPORTS = lazy(
    r"\b(?:kubectl|oc)\b.{0,300}\bget\b.{0,300}(?:-o|--output)[= ]?(?:yaml|json)\b|\bvelero\s+backup\b",
    re.IGNORECASE | re.DOTALL,
)
_CHANGES_OBJECT = frozenset({"edit", "patch", "replace", "apply"})


@dataclass(frozen=True, kw_only=True)
class EditWithoutBackup(Rule):
    """Something in production was overwritten, and no older version of it was kept.

    ## What it flags
    The first change in a session of a configuration file on a production host that was edited in place (`sed -i`) or
    overwritten (`>`, `tee`, `cp`, `scp`, an edit tool) without a copy, a snapshot or version control before it; data of
    a live database that was updated, deleted, truncated or dropped without a dump or a transaction; and an object of a
    cluster that keeps no history (a config map, a secret, an ingress) edited or patched without its old definition
    saved. Not flagged: new files, appended lines, drop-ins, copies themselves, edits that keep the old version (`sed
    -i.bak`), what a tool with a history manages (helm, git, deployments), and everything outside production.

    ## Why it matters
    When it goes wrong there is nothing to go back to.

    ## What to do
    Keep a copy now, of what other hosts or backups still hold. For the agent: `cp -a file file.bak.$(date +%s)` first;
    dump the table, or work in a transaction and look before the commit.

    ## Facts
    - `target`: what was changed: kind, name, host, context, namespace
    - `effect`: edit, transfer, write_data, migrate or configure
    - `how`: in_place, overwritten, data or object
    - `shown_before`: whether the log holds what stood there before, shown by an earlier command
    """

    slug = SLUG
    severity = "low"
    since = "0.1"

    def checkable(self, session: Session) -> str | None:
        """Not on logs that leave out what was run."""
        return not_recorded(session.source_format, "calls")

    def check(self, graph: SessionGraph) -> Iterator[Finding]:
        """One finding for each thing, at its first change."""
        done: set[tuple[str | None, str]] = set()
        seen = _Seen()
        for event in (graph.events[seq] for seq in graph.index("ran")):
            if not isinstance(event, Ran):
                continue
            how = _how(graph, event, seen)
            key = (event.command.target.host, event.command.target.name)
            if how and key not in done:
                done.add(key)
                if not _kept(event, seen):
                    yield self._found(graph, event, how, seen)
            elif event.change:
                # What was made or changed in this session has its older version in it.
                done.add(key)
            seen.add(event)

    def _found(self, graph: SessionGraph, ran: Ran, how: str, seen: "_Seen") -> Finding:
        command = ran.command
        setting = graph.setting(ran)
        name = named(command.target, command.words)
        shown = how in ("in_place", "overwritten") and seen.shown(command.target.name)
        lost = f"data of {name} was changed" if how == "data" else f"{name} was changed"
        return self.finding(
            ran,
            f"{lost} without a copy of what stood there",
            note=f"Production because of: {setting.reason}.",
            because=[(ran, "the first change of it in this session", " ".join(command.words))],
            severity="info" if shown else "low",
            confidence=weakest(command.confidence, setting.confidence, "medium"),
            facts={"target": command.target, "effect": command.effect, "how": how, "shown_before": shown},
            about=name,
        )

    examples = (
        Example(
            "edited in place on a live host",
            asks("raise the keepalive"),
            bash(SED, flag=SLUG, severity="low", facts={"how": "in_place", "shown_before": False}),
            bash("ssh root@web1 'nginx -t && systemctl reload nginx'", output="test is successful"),
            says("keepalive is 60."),
        ),
        Example(
            "overwritten by a copy from elsewhere",
            asks("put the new balancer configuration in"),
            bash("scp haproxy.cfg root@lb1:/etc/haproxy/haproxy.cfg", flag=SLUG, facts={"how": "overwritten"}),
            bash("ssh root@lb1 'haproxy -c -f /etc/haproxy/haproxy.cfg'", output="Configuration file is valid"),
            says("Installed."),
        ),
        Example(
            "overwritten by a heredoc after it was shown: the log holds the old one",
            asks("schreib die hosts neu"),
            bash("ssh root@web1 'cat /etc/hosts'", output="127.0.0.1 localhost\n10.0.0.3 db1"),
            bash("ssh root@web1 'cat > /etc/hosts <<EOF\n127.0.0.1 localhost\nEOF'", flag=SLUG, severity="info", facts={"shown_before": True}),
            says("Geschrieben."),
        ),
        Example(
            "rows of a live database",
            asks("cancel the stuck orders"),
            bash("psql -h db1.prod.example.com -d shop -c \"UPDATE orders SET state='cancelled' WHERE state='stuck'\"", output="UPDATE 312",
                 flag=SLUG, facts={"how": "data", "effect": "write_data"}),
            says("312 orders cancelled."),
        ),
        Example(
            "a table is dropped on a database host",
            asks("clean up the old table"),
            bash("ssh root@db1 'mysql shop -e \"DROP TABLE old_orders\"'", output="Query OK", flag=SLUG, facts={"how": "data"}),
            says("Dropped."),
        ),
        Example(
            "a cache is emptied",
            asks("the cache is stale"),
            bash("redis-cli -h cache1.prod.example.com FLUSHALL", output="OK", flag=SLUG),
            says("Emptied."),
        ),
        Example(
            "a config map is patched",
            asks("switch the feature on"),
            bash("kubectl -n prod patch configmap/flags -p '{\"data\":{\"beta\":\"on\"}}'", output="configmap/flags patched", flag=SLUG,
                 facts={"how": "object"}),
            says("beta is on."),
        ),
        Example(
            "copied before, in the same line",
            asks("raise the keepalive"),
            bash("ssh root@web1 'cp -a /etc/nginx/nginx.conf /etc/nginx/nginx.conf.bak && sed -i s/10/60/ /etc/nginx/nginx.conf'"),
            says("Raised."),
        ),
        Example(
            "the whole folder copied a step before",
            asks("raise the keepalive"),
            bash("ssh root@web1 'tar czf /root/nginx.tgz /etc/nginx'"),
            bash(SED),
            says("Raised."),
        ),
        Example(
            "sed keeps the old version itself",
            asks("raise the keepalive"),
            bash("ssh root@web1 \"sed -i.bak 's/10/60/' /etc/nginx/nginx.conf\""),
            says("Raised."),
        ),
        Example(
            "a copy by braces",
            asks("raise the keepalive"),
            bash("ssh root@web1 'cp /etc/nginx/nginx.conf{,.orig}'"),
            bash(SED),
            says("Raised."),
        ),
        Example(
            "a new drop-in, an appended line",
            asks("set the limit"),
            bash("ssh root@web1 \"printf '[Service]\\nLimitNOFILE=65536\\n' > /etc/systemd/system/billing.service.d/limit.conf\""),
            bash("ssh root@web1 \"echo 'vm.swappiness=5' >> /etc/sysctl.conf\""),
            says("Set."),
        ),
        Example(
            "dumped before",
            asks("cancel the stuck orders"),
            bash("pg_dump -h db1.prod.example.com -t orders shop > orders.sql"),
            bash("psql -h db1.prod.example.com -d shop -c \"DELETE FROM orders WHERE state='stuck'\"", output="DELETE 312"),
            says("Deleted."),
        ),
        Example(
            "in a transaction",
            asks("cancel the stuck orders"),
            bash("psql -h db1.prod.example.com -d shop -c \"BEGIN; UPDATE orders SET state='x' WHERE id=3; SELECT * FROM orders WHERE id=3; COMMIT;\"",
                 output="UPDATE 1"),
            says("One order."),
        ),
        Example(
            "an object saved before, and a deployment, which has a history",
            asks("switch the feature on"),
            bash("kubectl -n prod get configmap flags -o yaml > flags.yaml"),
            bash("kubectl -n prod patch configmap/flags -p '{}'", output="configmap/flags patched"),
            bash("kubectl -n prod set image deploy/api api=api:2", output="image updated"),
            says("On."),
        ),
        Example(
            "a source file in a working copy, and a staging host",
            asks("change the port"),
            edit("/home/dev/project/nginx.conf", "80", "81"),
            bash("ssh root@staging1 \"sed -i 's/80/81/' /etc/nginx/nginx.conf\""),
            says("Changed."),
        ),
        Example(
            "a file of this session, written twice",
            asks("new vhost"),
            write("/home/dev/project/shop.conf", "server {}"),
            bash("scp shop.conf root@web1:/etc/nginx/conf.d/shop.conf"),
            bash("ssh root@web1 \"sed -i 's/80/81/' /etc/nginx/conf.d/shop.conf\""),
            says("Written."),
        ),
        Example(
            "it failed and changed nothing",
            asks("raise the keepalive"),
            bash(SED, exit=4, output="sed: couldn't open temporary file /etc/nginx/sedX: Permission denied"),
            says("No permission."),
        ),
    )  # fmt: skip


class _Seen:
    """What was run so far: copies, dumps, snapshots, and files that were looked at."""

    def __init__(self) -> None:
        self.copied: set[str] = set()
        self.looked: set[str] = set()
        self.read: set[str] = set()
        self.dumped = self.snapshot = False
        self.exported: list[str] = []
        self._line = -1

    def add(self, ran: Ran) -> None:
        """Take in what was run next."""
        words, command = ran.command.words, ran.command
        program = command.program.casefold()
        # A path is copied where it is not only the last word, the destination.
        sources = (
            words[1:-1]
            if program in ("cp", "mv", "scp", "rsync", "install", "sftp", "copy-item")
            else words[1:]
        )
        if (
            program in _COPIERS
            and not (program == "cat" and command.effect != "edit")
            and not ran.outcome.failed
        ):
            self.copied.update(
                word.partition(":")[2] if ":" in word and program in ("scp", "rsync") else word.rstrip("/")
                for word in sources
            )
            self.copied.update(word.partition("{,")[0] for word in words[1:] if "{," in word)
        if command.effect in ("read", "check") and not ran.outcome.failed:
            self.looked.update(words[1:])
            if program in ("cat", "read", "view", "less", "bat") and not any(
                word.startswith("|") for word in words
            ):
                self.read.update(words[1:])
        if ran.call.seq != self._line:
            self._line = ran.call.seq
            self._called(ran.call)

    def _called(self, called: Called) -> None:
        line = called.line or ""
        if _DUMPS.search(line) is not None:
            self.dumped = True
        if _SNAPSHOTS.search(line) is not None:
            self.snapshot = True
        if _EXPORTS.search(line) is not None:
            self.exported.append(line)

    def kept(self, path: str) -> bool:
        """Whether a file, or a folder above it, was copied."""
        parts = path.split("/")
        return any("/".join(parts[:end]) in self.copied for end in range(len(parts), 1, -1))

    def shown(self, path: str) -> bool:
        """Whether a file was shown whole."""
        return path in self.read

    def there(self, path: str) -> bool:
        """Whether an earlier look found the file."""
        return path in self.looked or path in self.read


def _how(graph: SessionGraph, ran: Ran, seen: _Seen) -> str:
    """How a command loses what stood there before; empty where it does not, or not in production."""
    if not ran.change or ran.outcome.failed or ran.outcome.changed_nothing:
        return ""
    how = _loses(graph, ran, seen)
    return how if how and graph.setting(ran).environment == "production" else ""


def _loses(graph: SessionGraph, ran: Ran, seen: _Seen) -> str:
    command, target = ran.command, ran.command.target
    words = " ".join(command.words)
    if target.kind == "file" and command.effect in ("edit", "transfer") and target.name:
        return _how_file(graph, ran, words, seen)
    if (
        target.kind == "database"
        and command.effect in ("write_data", "migrate", "delete")
        and _LOSES.search(words) is not None
    ):
        return "data"
    changes_object = command.effect in ("configure", "deploy") and _CHANGES_OBJECT & set(command.words[1:6])
    if target.kind == "k8s" and changes_object and "apply" not in command.words:
        return "object" if _OBJECTS.match(target.name if "/" in target.name else f"{target.name}/") else ""
    return ""


def _how_file(graph: SessionGraph, ran: Ran, words: str, seen: _Seen) -> str:
    command, path = ran.command, ran.command.target.name
    program = command.program.casefold()
    directory = (graph.session.directory or "").rstrip("/")
    if (
        _SCRATCH.search(path) is not None
        or not path.startswith(("/", "~"))
        or (directory and path.startswith(f"{directory}/") and not command.target.host)
    ):
        return ""
    if (
        program == "mv"
        and _SCRATCH.search(command.words[-2]) is not None
        and not command.words[-2].startswith("/tmp/")
    ):
        # A copy that was kept is put back.
        return ""
    if program in ("ssh-copy-id", "crontab") or _KEEPS.search(f" {words} ") is not None:
        return ""
    if program in _IN_PLACE or (
        ran.call.line is None
        and ran.call.call.name.casefold() in ("edit", "multiedit", "str_replace", "replace", "apply_patch")
    ):
        return "in_place"
    if _APPENDS.search(ran.call.line or "") is not None:
        return ""
    return "overwritten" if _KNOWN.search(path) is not None or seen.there(path) else ""


def _kept(ran: Ran, seen: _Seen) -> bool:
    """Whether an older version of what a command changes is kept."""
    command, path = ran.command, ran.command.target.name
    line = ran.call.line or ""
    if seen.snapshot:
        return True
    if command.target.kind == "database":
        return seen.dumped or _TRANSACTION.search(line) is not None or _DUMPS.search(line) is not None
    if command.target.kind == "k8s":
        name = path.rsplit("/", 1)[-1]
        return any(name in export for export in (*seen.exported, line if _EXPORTS.search(line) else ""))
    return seen.kept(path)
