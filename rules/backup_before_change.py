"""The rule ``backup-before-change``."""

from sessionlens.examples import Example, asks, bash, edit, says, write
from sessionlens.rule import (
    Finding,
    Iterator,
    Ran,
    Rule,
    Session,
    SessionGraph,
    changes,
    dataclass,
    has_effect,
    named,
    not_recorded,
)

SLUG = "backup-before-change"
CONF = "/etc/billing/billing.conf"

_DUMPS = frozenset(
    {"pg_dump", "pg_dumpall", "mysqldump", "mariadb-dump", "mongodump", "etckeeper", "sqlite3", "redis-cli", "restic", "borg",
     "velero", "snapper", "zfs", "lvcreate", "influxd", "pg_basebackup", "xtrabackup", "duplicity"}
)  # fmt: skip
"""Programs that copy a store or a whole system; the words after them name what."""
_DUMPING = frozenset(
    {".backup", ".dump", "save", "bgsave", "--rdb", "backup", "create", "snapshot", "-s", "commit"}
)
"""Words by which those of them that also do other things are known to copy."""
_BOTH = frozenset(
    {
        "sqlite3",
        "redis-cli",
        "restic",
        "borg",
        "velero",
        "snapper",
        "zfs",
        "lvcreate",
        "etckeeper",
        "duplicity",
    }
)
_COPIES = frozenset({"cp", "rsync", "scp", "mv", "install", "copy", "copy-item"})
"""Programs whose last word says where the copy goes."""
_PACKS = frozenset({"tar", "zip", "7z", "gzip", "zstd"})
_CHANGED = changes & has_effect("edit", "configure", "delete", "write_data", "migrate", "deploy", "transfer")
_MOST = 200
"""Copies that are kept in mind at once."""


@dataclass(frozen=True, kw_only=True)
class BackupBeforeChange(Rule):
    """What was to be changed was copied first.

    ## What it flags
    A copy, dump or archive of a file, folder or database that the session changed or deleted afterwards. One finding
    a copy. The copy must have worked, and must go elsewhere: writing over the thing itself is no copy of it.

    ## Why it matters
    There is a way back.

    ## What to do
    Nothing. It is how a change of what cannot be made anew should begin.

    ## Facts
    - `target`: what was copied and then changed
    - `copy`: the command that copied it
    - `changed_at`: index of the message with the first change after it
    """

    slug = SLUG
    kind = "good"
    severity = "info"
    since = "0.1"

    def checkable(self, session: Session) -> str | None:
        """Not on logs that leave out what was run and how it ended."""
        return not_recorded(session.source_format, "calls")

    def check(self, graph: SessionGraph) -> Iterator[Finding]:
        """One finding for each copy that a change followed."""
        copies: list[Ran] = []
        for seq in graph.index("ran"):
            ran = graph.events[seq]
            if not isinstance(ran, Ran):
                continue
            if _CHANGED.fulfilled(graph, ran):
                made = next((copy for copy in reversed(copies) if _copied(copy, ran)), None)
                if made is not None:
                    copies.remove(made)
                    yield self._found(made, ran)
            if _copies(ran):
                copies = [*copies[1 - _MOST :], ran]

    def _found(self, copy: Ran, change: Ran) -> Finding:
        target = change.command.target
        return self.finding(
            copy,
            f"Copied {named(target)} before changing it",
            because=[(change, "the change that came after it")],
            facts={
                "target": target,
                "copy": " ".join(copy.command.words)[:200],
                "changed_at": change.at.message_index,
            },
            about=named(target),
        )

    examples = (
        Example(
            "a configuration file is copied beside itself",
            asks("give billing 8 GB"),
            bash(f"ssh root@web1 'cp {CONF} {CONF}.bak'", flag=SLUG, facts={"changed_at": 2}),
            bash(f"ssh root@web1 \"sed -i 's/4g/8g/' {CONF}\""),
            says("Changed; the old file is beside it."),
        ),
        Example(
            "copied in the same command line",
            asks("give billing 8 GB"),
            bash(f"ssh root@web1 \"cp -a {CONF} /root/billing.conf.$(date +%F) && sed -i 's/4g/8g/' {CONF}\"", flag=SLUG),
            says("Changed, with a copy in /root."),
        ),
        Example(
            "a database is dumped before a migration",
            asks("add the column"),
            bash("pg_dump -h db.prod.internal shop > shop.sql", flag=SLUG),
            bash("psql -h db.prod.internal -d shop -c 'ALTER TABLE orders ADD COLUMN note text'", output="ALTER TABLE"),
            says("The column is there; the dump is shop.sql."),
        ),
        Example(
            "a folder is packed before it is deleted",
            asks("remove the old release"),
            bash("ssh root@web1 'tar czf /root/app-1.tgz /srv/app-1'", flag=SLUG),
            bash("ssh root@web1 'rm -rf /srv/app-1'"),
            says("Removed; a copy is in /root."),
        ),
        Example(
            "a local file is copied before it is written anew",
            asks("rewrite the settings"),
            bash("cp /home/dev/project/settings.json /tmp/settings.json", flag=SLUG),
            write("/home/dev/project/settings.json", "{}"),
            says("Rewritten."),
        ),
        Example(
            "fetched from the host first",
            asks("change the limits"),
            bash("scp root@web1:/etc/security/limits.conf /tmp/limits.conf.orig", flag=SLUG),
            bash("ssh root@web1 \"echo '* soft nofile 65536' >> /etc/security/limits.conf\""),
            says("Changed; the old one is in /tmp."),
        ),
        Example(
            "changed without a copy",
            asks("give billing 8 GB"),
            bash(f"ssh root@web1 \"sed -i 's/4g/8g/' {CONF}\""),
            says("Changed."),
        ),
        Example(
            "copied after the change",
            asks("give billing 8 GB"),
            bash(f"ssh root@web1 \"sed -i 's/4g/8g/' {CONF}\""),
            bash(f"ssh root@web1 'cp {CONF} {CONF}.new'"),
            says("Changed."),
        ),
        Example(
            "the copy failed",
            asks("give billing 8 GB"),
            bash(f"ssh root@web1 'cp {CONF} {CONF}.bak'", exit=1, output=f"cp: cannot stat '{CONF}': No such file or directory"),
            bash(f"ssh root@web1 \"sed -i 's/4g/8g/' {CONF}\""),
            says("Changed."),
        ),
        Example(
            "another file was copied",
            asks("give billing 8 GB"),
            bash("ssh root@web1 'cp /etc/hosts /etc/hosts.bak'"),
            bash(f"ssh root@web1 \"sed -i 's/4g/8g/' {CONF}\""),
            says("Changed."),
        ),
        Example(
            "putting a file in place is no copy of it",
            asks("install the new settings"),
            bash(f"ssh root@web1 'cp /tmp/billing.conf {CONF}'"),
            bash(f"ssh root@web1 \"sed -i 's/4g/8g/' {CONF}\""),
            says("Installed."),
        ),
        Example(
            "a copy that nothing was changed after",
            asks("make a copy of the settings"),
            bash("cp /home/dev/project/settings.json /tmp/settings.json"),
            edit("/home/dev/project/README.md"),
            says("Copied."),
        ),
    )  # fmt: skip


def _program(ran: Ran) -> str:
    return ran.command.program.lower()


def _copies(ran: Ran) -> bool:
    """Whether a command copies something and did not fail."""
    program, words = _program(ran), {word.lower() for word in ran.command.words[1:]}
    if ran.outcome.failed or ran.outcome.reached == "no" or ran.command.dry_run:
        return False
    if program in _DUMPS:
        return program not in _BOTH or any(part in _DUMPING for word in words for part in word.split())
    if program in _PACKS:
        return program != "tar" or not any(word.lstrip("-").startswith("x") for word in words)
    return program in _COPIES


def _copied(copy: Ran, change: Ran) -> bool:
    """Whether a copy holds what a change is about to change."""
    target = change.command.target
    name = target.name.rstrip("/")
    if len(name) < 2 or copy.seq == change.seq:
        return False
    words = list(copy.command.words[1:])
    if _program(copy) in _COPIES:
        # The last word is where it goes; a copy onto the thing itself is the change, not a way back.
        words = [word for word in words if not word.startswith("-")][:-1]
    if target.host is not None and copy.command.target.host != target.host:
        # Fetched from the host: the copy lies here, its source names the host. A dump names it as an option.
        fetched = [
            word.partition(":")[2]
            for word in words
            if ":" in word and word.partition(":")[0].endswith(target.host)
        ]
        words = words if _program(copy) in _DUMPS else fetched
    return any(_names(word, name) for word in words)


def _names(word: str, name: str) -> bool:
    """Whether a word of a command names a thing, or a folder that holds it."""
    bare = word.strip("'\"").rstrip("/")
    if bare == name or bare.endswith("=" + name):
        return True
    return name.startswith("/") and len(bare) > 4 and bare.startswith("/") and name.startswith(bare + "/")
