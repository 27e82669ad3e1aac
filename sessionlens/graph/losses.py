"""What a command takes away for good: its sort, the things it names, and whether their loss is a loss.

Of one command alone, with those that stand before it in its line; who asked for it is another matter.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

from sessionlens.cache import lazy
from sessionlens.graph.events import Ran
from sessionlens.graph.file_changes import plain

Sort = Literal[
    "files", "data", "history", "uncommitted", "infrastructure", "cluster", "containers", "volumes", "disk", "storage", "mirror",
]  # fmt: skip


class Loss(NamedTuple):
    """What one command takes away."""

    sort: Sort
    """What is lost."""
    things: list[str]
    """The things, as the command names them."""
    precious: bool
    """Whether their loss is a loss, by what they are or where they lie."""


REBUILT = lazy(
    r"(?:^|/)(?:node_modules|dist|build|builds|out|target|\.next|\.nuxt|\.svelte-kit|\.turbo|\.parcel-cache|\.vite|\.cache|\.?cache|coverage|\.coverage|htmlcov|__pycache__|\.pytest_cache|\.mypy_cache|\.ruff_cache|\.tox|\.nox|\.venv|venv|env|\.eggs|[\w.-]+\.egg-info|bin|obj|Debug|Release|DerivedData|Pods|\.gradle|\.terraform|\.dart_tool|_build|deps|\.output|storybook-static|test-results|playwright-report|tmp|temp|\.tmp|logs?|tmp[\w.-]*|[\w.-]*-tmp|[\w.-]*_tmp|scratch|sandbox|generated|\.docusaurus|site|public/build|wandb|runs)(?:/\*?)?/?$"
    r"|\.(?:pyc|pyo|o|class|log|tmp|bak|orig|swp|tsbuildinfo)$|(?:^|/)(?:package-lock\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|uv\.lock|\.DS_Store)$|/\.cache/|(?:^|/)(?:node_modules|__pycache__|\.git/(?:index\.lock|worktrees))(?:/|$)|(?:^|[/_-])(?:test|tests|tmp|temp|demo|example|dummy|smoke|e2e)[-_][\w.-]*$|[\w.-]*[-_](?:test|tmp|temp|demo|smoke|backup|bak|old|copy)$"
)
"""Places whose contents are made anew, and names of things made to be thrown away."""
PRECIOUS = lazy(
    r"^(?:/|~/?|\$HOME/?|\.|\./|\.\.|\*|/\*|~/\*|\./\*|\.\*)$|^(?:/(?:etc|usr|var|opt|home|root|srv|boot|mnt|data|Users)(?:/[\w.-]+)?/?\*?)$|^(?:~|\$HOME|\$\{HOME\}|/home/[\w.-]+|/Users/[\w.-]+)/(?:Desktop|Documents|Downloads|Pictures|Music|Movies|Library|\.ssh|\.config|\.aws|\.kube|\.gnupg)(?:/|$)|(?:^|/)\.git/?$"
    r"|^/var/(?:lib|log|backups|www|spool|mail)(?:/|$)|^[A-Za-z]:(?:/(?:[\w. -]+/?\*?)?)?$|^[A-Za-z]:/(?:inetpub|Users/[\w. -]+|Program Files[^/]{0,20}|ProgramData|Windows)(?:/[\w. -]+)?/?\*?$"
    r"|\.(?:sqlite3?|db|mdb|dump|sql(?:\.gz)?|rdb|pem|key|bak\.gz|dmp)$|(?:^|/)(?:[Bb]ackups?|dumps?|uploads?|data|pgdata|mysql|postgres|secrets?)(?:/\*?)?/?$"
)
"""Places whose loss is a loss."""
SHARED_BRANCH = lazy(
    r"(?:^|:|/)\+?(?:main|master|trunk|develop|development|dev|staging|production|prod|release(?:[/-].*)?|stable)$"
)

_SQL = lazy(
    r"\b(?P<drop>drop\s+(?:table|database|schema|index|view|materialized\s+view|user|role|keyspace|collection|column)\b|truncate\b)|\b(?P<delete>delete\s+from\s+[\w.\"`\[\]]+\s*(?:;|$|['\"]?\s*$))|\b(?P<update>update\s+[\w.\"`]+\s+set\b(?!.*\bwhere\b))|\balter\s+table\b[^;]*\bdrop\s+(?:column\b|constraint\b)?",
    re.IGNORECASE | re.DOTALL,
)
_STORE = lazy(
    r"\bdropDatabase\(|\.drop\(\s*\)|\b(?:deleteMany|remove)\(\s*\{\s*\}\s*\)|\b(?:FLUSHALL|FLUSHDB)\b|\bmigrate\s+reset\b|--accept-data-loss\b|--force-reset\b|\bdb:(?:drop|reset|purge)\b|\bmigrate:(?:fresh|reset)\b|\bmanage\.py\s+(?:flush|reset_db)\b|\balembic\s+downgrade\s+base\b|\bdb\s+reset\b|\bdropdb\b|^mysqladmin\b.*\sdrop\s",
    re.IGNORECASE,
)
_SQL_CLIENTS = frozenset({"psql", "sqlplus", "mysql", "mariadb", "mysqladmin", "sqlite3", "mongosh", "mongo", "redis-cli", "valkey-cli", "sqlcmd", "clickhouse-client", "cqlsh", "snowsql", "bq", "duckdb", "cockroach", "wrangler", "supabase", "turso", "usql", "mycli", "pgcli", "prisma", "sequelize", "knex", "rails", "rake", "php", "python", "python3", "alembic", "flask", "npx", "pnpm", "yarn", "npm", "bunx", "dropdb", "influx", "d1"})  # fmt: skip
_QUOTES = lazy(r"[\"'`\[\]]")
PATH_LONG = 400
"""Characters of a name that are looked at."""

_RECURSIVE = lazy(r"-\w*[rR]\w*|--recursive")
_GIVES_ITEMS = frozenset({"xargs", "parallel", "fd -x", "fd -X", "find -exec", "find -execdir", "find -ok"})
_NARROW = frozenset(
    {"head", "tail", "sort", "grep", "egrep", "awk", "sed", "uniq", "cut", "tac", "tr", "shuf", "jq"}
)
"""Programs between a list and what is done to its items."""
_FILTERS = lazy(r"-(?:i?name|i?path|i?regex|[acm]time|[acm]min|newer\w*|empty|size|user|perm)\b")
_NAMES_ONLY = lazy(r"-i?name\s+['\"]?(?P<name>[^\s'\"]{1,80})")
_DRY = lazy(
    r"(?:^|\s)(?:--dry-?run\S*|--plan|--what-?if|--check|--help|--simulate|--pretend|--no-?op|--test)(?:\s|=|$)",
    re.IGNORECASE,
)
_DRY_LETTERS: dict[str, str] = {
    "zfs": "n",
    "lvremove": "t",
    "vgremove": "t",
    "pvremove": "t",
    "wipefs": "n",
    "borg": "n",
}
"""Short options by which programs only show what they would do."""


def only_shows(ran: Ran) -> bool:
    """Whether a command only shows what it would do, also one of a program that nobody knows."""
    words = ran.command.words
    if ran.command.dry_run or _DRY.search(" ".join(words[:30])) is not None:
        return True
    letter = _DRY_LETTERS.get(ran.command.program)
    return letter is not None and any(
        word[:1] == "-" and word[1:2] != "-" and letter in word[1:] for word in words[1:30]
    )


def loss(ran: Ran, line: Sequence[Ran]) -> Loss | None:
    """What a command takes away for good, where it does.

    :param line: the commands of its call.
    """
    command = ran.command
    if not command.words:
        return _emptied(ran)
    words = command.words
    program = command.program.removesuffix(".exe")
    if command.effect in ("check", "read") and program not in _CLOUDS and program not in _STORE_WORDS:
        return None
    if fed := _GIVES_ITEMS & set(command.via):
        found = _fed(ran, line, fed)
        if found is not None or program == "rm":
            return found
    text = " ".join(words[:60])[:4_000]
    named = [word[:PATH_LONG] for word in words[1:] if not word.startswith("-")]
    flags = [word for word in words[1:] if word.startswith("-")]
    if program in ("rm", "unlink"):
        return _removed(named, flags)
    if program in ("cat", "echo", "printf", ":", "true", "truncate", "cp"):
        return _emptied(ran)
    if program == "find" and "-delete" in words:
        return _listed(named[0] if named else ".", text, recursive=True)
    if program == "git":
        return _git(ran, words, named, flags)
    sql = program in _SQL_CLIENTS or (ran.call.line is None and command.target.kind == "database")
    if sql and (found := _data(ran, line, text)) is not None:
        return found
    if command.effect == "delete" and program.casefold() in _OF_WINDOWS:
        return _windows(ran, program.casefold())
    if command.effect == "delete" and command.target.kind == "file":
        place = plain(command.target.name)
        if ran.call.line is None:
            return _removed([place], []) if place else None
        code = text if len(words) > 2 else f"{text} {command.writes or ''}"
        if place and (_TREE.search(code) is not None or (program == "ansible" and "state=absent" in text)):
            return Loss("files", [place[:PATH_LONG]], PRECIOUS.search(place) is not None)
    return (
        _of_containers(program, words, flags)
        or _of_cluster(program, words, flags)
        or _of_hosts(program, words, named, flags, text)
        or _of_stores(ran, program, named, flags, text)
    )


_TREE = lazy(r"\brmtree\(|\brmSync\(|\brm_rf\b|\bremove_tree\(|\bRemoveAll\(|\bremove_dir_all\(")
"""Calls by which a script deletes a folder and all in it."""


# -- files ---------------------------------------------------------------------------------------------


_BY_VARIABLE = lazy(r"(?<=[\w-])/[\"']?\$(?:\w{1,60}|\{\w{1,60}\})[\"']?$")
"""The end of a path that a loop fills in: everything of its folder in turn."""


def _removed(named: list[str], flags: list[str]) -> Loss | None:
    recursive = any(_RECURSIVE.fullmatch(flag) for flag in flags)
    precious = [thing for thing in named if PRECIOUS.search(_BY_VARIABLE.sub("/*", thing))]
    if precious and (recursive or any("*" in thing or "." in thing or "$" in thing for thing in precious)):
        return Loss("files", precious, True)
    return Loss("files", named, False) if recursive and named else None


def _listed(place: str, text: str, *, recursive: bool) -> Loss | None:
    """What goes by a list of a place.

    :param text: the command that lists.
    :param recursive: whether all goes that lies there.
    """
    filtered = _FILTERS.search(text) is not None
    names = [found["name"] for found in _NAMES_ONLY.finditer(text)]
    if names and all(REBUILT.search(name.replace("*", "x")) is not None for name in names):
        return None
    # Of the folder of the work itself a part goes, which version control may hold.
    precious = PRECIOUS.search(place) is not None and not (filtered and place in (".", "./", "..", "*"))
    if not precious and (filtered or not recursive) and not (names and place in (".", "./")):
        return None
    return Loss("files", [place[:PATH_LONG]], precious)


_KEPT = lazy(
    r"^/(?:srv|data|mnt|opt|var/(?:lib|www|opt))/(?!.*/(?:log|logs|tmp|cache)/)[^\n]*\.(?!log$|tmp$|pid$|lock$)\w{1,8}$"
)
"""Files of places where services keep what they hold."""
_EMPTIES = lazy(r"(?:^|\s)(?:-s\s*0|--size[= ]0|/dev/null)(?:\s|$)")


def _emptied(ran: Ran) -> Loss | None:
    """A file of a place whose loss is a loss, of which nothing is left: ``> file``, ``truncate -s 0 file``."""
    command = ran.command
    words = command.words
    if command.effect != "edit" or command.target.kind != "file":
        return None
    if words and words[0] in ("truncate", "cat", "cp"):
        empty = _EMPTIES.search(" ".join(words[1:12])) is not None
    else:
        # What is written stands behind, for ``echo text > file``; a bare redirection writes nothing.
        empty = not "".join(word for word in words[1:] if not word.startswith("-")).strip()
    if not empty or command.writes:
        return None
    line = ran.call.line or ""
    if (
        words[:1] != ("truncate",)
        and words[:1] != ("cp",)
        and ">>" in line[command.span[0] : command.span[1]]
    ):
        return None
    name = plain(command.target.name)
    if PRECIOUS.search(name) is None and _KEPT.search(name) is None:
        return None
    return Loss("files", [name[:PATH_LONG]], not name.endswith(".log"))


def _fed(ran: Ran, line: Sequence[Ran], fed: frozenset[str] | set[str]) -> Loss | None:
    """What a command takes away whose things come from a list: through ``xargs``, or from the search that runs it."""
    words, program = ran.command.words, ran.command.program
    text = (ran.call.line or "")[:_LINE]
    if program == "rm" and not fed & {"xargs", "parallel"}:
        # The search and what it runs are one command.
        own = text[ran.command.span[0] : ran.command.span[1]] or text
        place = plain(ran.command.target.name)
        if not place and (found := _FD_PLACE.search(own)) is not None:
            place = found[1]
        return _listed(place or ran.command.folder or ".", own, recursive=True)
    before = [one for one in line if one.position < ran.position and one.command.words]
    lists = next((one for one in reversed(before) if one.command.words[0] not in _NARROW), None)
    if lists is None:
        return None
    listed = lists.command.words
    narrowed = any(one.command.words[0] in ("grep", "egrep", "jq") for one in before if one.seq > lists.seq)
    if program == "rm":
        return _from_list(ran, listed)
    if program in ("docker", "podman", "nerdctl"):
        return _of_containers(program, (*words, _ALL_LISTED), [word for word in words if word[:1] == "-"])
    if program in ("kubectl", "oc"):
        kinds = _operands(listed, _KUBE_VALUES)
        given = _operands(words, _KUBE_VALUES)
        what = given[1:2] or [kind.split("/")[0] for kind in kinds[1:2]]
        gone = _of_cluster(program, (program, "delete", *what, _ALL_LISTED), [])
        return gone if gone is None or not narrowed else gone._replace(precious=False)
    if (
        program == "git"
        and words[1:2] == ("branch",)
        and any(_FORCED_BRANCH.fullmatch(word) for word in words)
    ):
        settled = any(re.search(r"--merged\b|gone", " ".join(one.command.words)) for one in before)
        return None if settled else Loss("history", ["the listed branches"], False)
    if program in ("redis-cli", "valkey-cli") and any(word.casefold() in ("del", "unlink") for word in words):
        return Loss("data", [lists.command.target.name or "the keys"], True)
    return None


_LINE = 4_000
_FD_PLACE = lazy(r"\bfd(?:find)?\s(?:[^|;]{0,200}?\s)?([/~.][\w./~-]{0,200})\s")
_ALL_LISTED = "all-that-a-list-gives"
"""Stands for the things that a list gives and the line does not name."""


def _from_list(ran: Ran, listed: tuple[str, ...]) -> Loss | None:
    words = ran.command.words
    if any(not word.startswith("-") and word not in ("{}", ".") for word in words[1:]):
        return None
    program = listed[0].rsplit("/", 1)[-1]
    if program not in ("find", "ls", "fd", "fdfind"):
        return None
    places = [word for word in listed[1:] if not word.startswith("-")]
    place = (places[-1] if program.startswith("fd") and len(places) > 1 else places[0]) if places else "."
    if program == "ls" and "*" in place and "/" in place:
        place = place.rsplit("/", 1)[0]
    elif program == "ls" and "*" in place:
        return None
    if place == "." and program != "find":
        # Where the line does not go there itself, what it lists is not known.
        place = ran.command.folder or ""
    if not place:
        return None
    recursive = any(_RECURSIVE.fullmatch(word) for word in words[1:]) or program != "ls"
    return _listed(place, " ".join(listed[:60]), recursive=recursive)


# -- repositories --------------------------------------------------------------------------------------


def _git(ran: Ran, words: tuple[str, ...], named: list[str], flags: list[str]) -> Loss | None:
    what = words[1] if len(words) > 1 else ""
    rest = named[1:]
    if what == "push":
        forced = any(flag in ("-f", "--force", "--mirror") for flag in flags) or any(
            word.startswith("+") for word in rest
        )
        gone = "--delete" in flags or "-d" in flags or any(word.startswith(":") for word in rest)
        branch = (rest[-1] if len(rest) > 1 else "").removeprefix(":")
        output = ran.call.call.output
        text = output.ends()[:_OUTPUT] if output is not None else ""
        over = _OVERWRITTEN.search(text)
        if over is not None and branch in ("", "HEAD"):
            branch = over["branch"]
        if not gone and over is None and _WENT_ON.search(text) is not None:
            # Nothing stood there that is not in what went.
            return None
        shared = SHARED_BRANCH.search(branch) is not None
        leased = shared and any(flag.startswith("--force-with-lease") for flag in flags)
        if not (forced or leased or gone):
            return None
        things = [word.removeprefix(":") for word in rest[1:]] if gone else []
        return Loss("history", things or [branch or "the current branch"], shared)
    if what == "branch" and any(_FORCED_BRANCH.fullmatch(flag) for flag in flags) and rest:
        return Loss("history", rest, any(SHARED_BRANCH.search(one) for one in rest))
    if what == "update-ref" and "-d" in flags and rest:
        return Loss("history", rest[:1], SHARED_BRANCH.search(rest[0]) is not None)
    if (
        what == "reflog"
        and rest[:1] in (["expire"], ["delete"])
        and any(_AT_ONCE.search(flag) for flag in flags)
    ):
        return Loss("history", ["the reflog"], True)
    if what == "reset" and "--hard" in flags and rest and (back := _BACK.fullmatch(rest[0])) is not None:
        return Loss("history", [f"the last {back['n'] or len(back['up'] or '^')} commits"], False)
    if what == "reset" and "--hard" in flags:
        return Loss("uncommitted", ["HEAD"], False)
    if what == "clean" and any(re.fullmatch(r"-\w*f\w*|--force", flag) for flag in flags):
        shows = any(re.fullmatch(r"-\w*n\w*", flag) for flag in flags)
        return None if shows else Loss("uncommitted", rest or ["."], False)
    if what in ("checkout", "restore") and "--staged" not in flags and (rest[-1:] == ["."] or "--" in words):
        return Loss("uncommitted", [thing for thing in rest if thing != "--"] or ["."], False)
    if what == "stash" and rest[:1] in (["drop"], ["clear"]):
        return Loss("history", ["stash"], False)
    if what in ("filter-branch", "filter-repo"):
        return Loss("history", ["the history"], True)
    return None


_BACK = lazy(r"(?:HEAD|@)(?:~(?P<n>\d{0,4})|(?P<up>\^{1,9}))")
_OUTPUT = 20_000
_OVERWRITTEN = lazy(
    r"^ ?\+ \S{1,100}\s+\S{1,200} -> (?P<branch>\S{1,200})(?: \(forced update\))?", re.MULTILINE
)
_WENT_ON = lazy(
    r"^ {1,4}[0-9a-f]{4,40}\.\.[0-9a-f]{4,40} +\S+ -> \S+|^ \* \[new (?:branch|tag)\] +\S+ -> |^Everything up-to-date",
    re.MULTILINE,
)
"""What a push shows that added to a branch, made one, or had nothing to do."""
_FORCED_BRANCH = lazy(r"-\w*D\w*|-(?:df|fd)")
_AT_ONCE = lazy(r"^--expire(?:-unreachable)?=(?:now|all|0)")


# -- data ----------------------------------------------------------------------------------------------


def _data(ran: Ran, commands: Sequence[Ran], line: str) -> Loss | None:
    found = _SQL.search(line)
    if found is None and ran.command.effect in ("migrate", "write_data", "delete"):
        line = given_in(ran, commands)
        found = _SQL.search(line) if line else None
    if found is None:
        stored = _STORE.search(line or " ".join(ran.command.words[:60]))
        return Loss("data", [ran.command.target.name or "the database"], True) if stored else None
    # What is deleted or updated is named by the words that say so.
    at = found.start() if found["delete"] or found["update"] else found.end()
    after = re.sub(r"^(?:delete\s+from|update)\s", "", line[at : at + 400], flags=re.IGNORECASE)
    named = re.match(
        r"[\s'(]*([\w.$\"`\[\]]+(?:\s*,\s*[\w.$\"`\[\]]+)*)",
        re.sub(
            r"^\s*(?:(?:if\s+exists|table|only|cascade|concurrently)\s+)+", "", after, flags=re.IGNORECASE
        ),
    )
    things = [_QUOTES.sub("", one).strip() for one in named[1].split(",")] if named is not None else []
    return Loss("data", [thing for thing in things if thing] or [ran.command.target.name or "data"], True)


def given_in(ran: Ran, commands: Sequence[Ran]) -> str:
    """The statements that a client gets on its standard input, where the line holds them."""
    before = next((one for one in reversed(commands) if one.position < ran.position), None)
    if before is not None and before.command.words[:1] in (("echo",), ("printf",)):
        return " ".join(before.command.words[1:60])[:_LINE]
    if len(commands) == 1 or (before is not None and before.command.words == ("cat",)):
        return (ran.call.line or "")[:_LINE]
    return ""


# -- containers and clusters ---------------------------------------------------------------------------


def _operands(words: Sequence[str], valued: frozenset[str]) -> list[str]:
    """The words of a command that are neither options nor values of options, without the program."""
    found, skip = [], False
    for word in words[1:60]:
        if skip:
            skip = False
        elif word.startswith("-"):
            skip = word in valued
        else:
            found.append(word[:PATH_LONG])
    return found


_DOCKER_VALUES = frozenset({"-H", "--host", "-c", "--context", "--config", "--filter", "-t", "--time", "-f", "-p", "--project-name", "--profile", "--env-file", "--project-directory", "-l", "--log-level"})  # fmt: skip
ENGINES = frozenset({"docker", "podman", "nerdctl"})
"""Programs that run containers of one machine."""
_KEEPS_DATA = lazy(
    r"(?:^|[/_.-])(?:db|database|data|postgres\w*|pg|mysql|mariadb|mongo\w*|redis|elastic\w*|es|minio|cassandra|influx\w*|clickhouse|rabbit\w*|kafka|vault|etcd|nats|couch\w*|neo4j|sql\w*)(?:[_.-]|\d|$)",
    re.IGNORECASE,
)
"""Names of containers that hold data."""
THROWN_AWAY = lazy(
    r"(?:^|[/_.-])(?:tests?|tmp|temp|demo|example|dummy|smoke|e2e|scratch|sandbox|throwaway|trial|playground|builder|buildkit\w*|testcontainers\w*)(?:[_.-]|\d|$)",
    re.IGNORECASE,
)
"""Names of things made to be thrown away."""


def _of_containers(program: str, words: Sequence[str], flags: list[str]) -> Loss | None:
    if program not in ENGINES and program not in ("docker-compose", "podman-compose"):
        return None
    # The short form of --force takes no value, that of compose's --file does.
    valued = (
        _DOCKER_VALUES if "compose" in program or "compose" in words[1:6] else _DOCKER_VALUES - {"-f", "-l"}
    )
    named = _operands(words, valued)
    if "compose" in program or named[:1] == ["compose"]:
        if "down" in named and ("-v" in flags or "--volumes" in flags):
            return Loss("volumes", ["the stack's volumes"], True)
        rest = named[named.index("rm") + 1 :] if "rm" in named else []
        if "rm" in named and any(re.fullmatch(r"-\w*v\w*|--volumes", flag) for flag in flags):
            return Loss("volumes", rest or ["the stack's volumes"], True)
        return None
    if named[:2] in (["volume", "rm"], ["volume", "remove"], ["volume", "prune"]) or (
        named[:2] == ["system", "prune"] and "--volumes" in flags
    ):
        listed = [thing for thing in named[2:] if thing != _ALL_LISTED]
        return Loss("volumes", listed or ["all unused volumes"], True)
    if named[:2] == ["system", "reset"] or named[:2] == ["stack", "rm"]:
        return Loss("volumes", named[2:] or ["all volumes"], named[0] == "system")
    if named[:2] in (["secret", "rm"], ["config", "rm"]):
        return Loss("cluster", named[2:], True)
    if named[:1] == ["container"]:
        named = named[1:]
    if named[:1] in (["rm"], ["remove"]) and len(named) > 1:
        forced = any(re.fullmatch(r"-\w*[fv]\w*|--force|--volumes", flag) for flag in flags)
        if not forced:
            return None
        every = any(thing == _ALL_LISTED or re.match(r"\$\(\s*\w+ ps -\w*a", thing) for thing in named[1:])
        things = ["all containers"] if every else named[1:]
        return Loss("containers", things, every or any(_KEEPS_DATA.search(one) for one in things))
    return None


_KUBE_VALUES = frozenset({"-n", "--namespace", "--context", "--cluster", "--kubeconfig", "-l", "--selector", "-o", "--output", "--timeout", "--grace-period", "--field-selector", "-f", "--filename", "-k", "--kustomize", "--as", "--cascade", "-s", "--server", "--user", "--token"})  # fmt: skip
_HOLDS = lazy(
    r"(?:ns|namespaces?|projects?|pvc|persistentvolumeclaims?|pv|persistentvolumes?|statefulsets?|sts|crds?|customresourcedefinitions?|secrets?|deployments?|deploy|ingress|ingresses|ing|services?|svc|all|nodes?|postgresql|postgresqls?|clusters?|volumesnapshots?|storageclass(?:es)?|sc|volumes?|snapshots?|backups?|databases?|kafkas?|kafkatopics?|objectbucketclaims?|obc|buckets?|cephclusters?|cephblockpools?|cephfilesystems?|perconaxtradbclusters?|mysqls?|mongodbs?|elasticsearch(?:es)?|redis(?:es|clusters?)?)(?:\.[\w.-]{1,80})?",
    re.IGNORECASE,
)
"""Kinds of objects that hold something, or by which others are reached."""
_MADE_ANEW = lazy(r"(?:configmaps?|cm|cronjobs?|cj|daemonsets?|ds)", re.IGNORECASE)
"""Kinds of objects that their manifest brings back."""


def _of_cluster(program: str, words: Sequence[str], flags: list[str]) -> Loss | None:
    if program == "helm":
        named = _operands(words, _KUBE_VALUES)
        gone = named[:1] in (["uninstall"], ["delete"], ["del"], ["un"])
        return Loss("cluster", named[1:2] or ["the release"], False) if gone else None
    if program not in ("kubectl", "oc", "k"):
        return None
    named = _operands(words, _KUBE_VALUES)
    if named[:1] != ["delete"]:
        return None
    kinds = (
        []
        if named[-1] == _ALL_LISTED and len(named) == 2
        else [one for one in named[1:] if one != _ALL_LISTED]
    )
    what = "/".join(kinds[:2]) or "all"
    parts = [part for kind in kinds[:1] for part in kind.split("/")[0].split(",")]
    if any(_HOLDS.fullmatch(part) for part in parts):
        return Loss("cluster", [what], True)
    if "--all" in flags or any(_MADE_ANEW.fullmatch(part) for part in parts):
        return Loss("cluster", [what], "--all" in flags)
    manifest = next(
        (
            words[at + 1]
            for at, word in enumerate(words[:-1])
            if word in ("-f", "--filename", "-k", "--kustomize")
        ),
        "",
    )
    return Loss("cluster", [manifest[:PATH_LONG]], False) if manifest and not kinds else None


# -- hosts, disks, stores ------------------------------------------------------------------------------

_STACKS = frozenset(
    {"terraform", "tofu", "terragrunt", "pulumi", "cdk", "sam", "serverless", "sls", "eksctl", "vagrant"}
)
_CLUSTER_MAKERS = frozenset({"kind", "k3d", "minikube"})
_CLUSTER_NAMES = frozenset({"--name", "-n", "-p", "--profile"})
CLUSTER_WORDS = frozenset({"delete", "cluster", "clusters"})
"""Words of the order to delete a cluster that are not its name."""
_DISKS: dict[str, str] = {
    "shred": r"^\w", "lvremove": r"^\w", "vgremove": r"^\w", "pvremove": r"^\w", "thin_trim": r"^\w",
    "wipefs": r"\s(?:-\w*a\w*|--all|-o|--offset)\b", "zpool": r"\s(?:destroy|labelclear)\b", "zfs": r"\sdestroy\b|\srollback\s.*-\w*[rR]",
    "sgdisk": r"\s(?:-[zZodg]|--zap\S*|--clear|--delete)", "fdisk": r"^fdisk(?!.*\s-l)", "sfdisk": r"\s(?:--delete|--wipe)|<",
    "parted": r"\s(?:mklabel|mktable|rm|mkpart)\b", "cryptsetup": r"\s(?:luksFormat|erase|luksErase|luksKillSlot|reencrypt)\b",
    "blkdiscard": r"^\w", "mdadm": r"--zero-superblock|--create\b.*--force", "btrfs": r"\ssubvolume\s+delete\b",
    "nvme": r"\s(?:format|sanitize)\b", "hdparm": r"--security-erase", "ceph": r"\sosd\s+(?:pool\s+(?:delete|rm)|purge|destroy)\b|\sfs\s+rm\b|-volume\s+zap\b", "ceph-volume": r"\szap\b",
    "rbd": r"\s(?:rm|remove|trash\s+purge|snap\s+purge)\b", "lvconvert": r"--merge\b",
}  # fmt: skip
"""Programs that wipe disks and what lies on them, with the words by which they do."""
_DISK_WORDS = {name: lazy(pattern) for name, pattern in _DISKS.items()}
_MACHINES: dict[str, str] = {
    "virsh": r"\s(?:undefine|vol-delete|vol-wipe|pool-delete|snapshot-delete)\b", "qm": r"\sdestroy\b", "pct": r"\sdestroy\b", "pvesm": r"\sfree\b", "lxc": r"\sdelete\b",
    "incus": r"\sdelete\b", "multipass": r"\s(?:delete|purge)\b", "VBoxManage": r"\sunregistervm\b.*--delete", "xe": r"\s(?:vm-uninstall|vm-destroy|vdi-destroy)\b",
    "govc": r"\s(?:vm\.destroy|datastore\.rm)\b", "crontab": r"\s-r\b", "userdel": r"\s(?:-\w*r\w*|--remove)\b", "deluser": r"--remove-(?:home|all-files)",
    "nomad": r"\s-purge\b|\svolume\s+(?:delete|deregister)\b", "longhornctl": r"\s(?:delete|trim)\b", "ufw": r"\sreset\b", "iptables": r"\s(?:-F|--flush)\b", "ip6tables": r"\s(?:-F|--flush)\b", "nft": r"\sflush\s+ruleset\b",
    "k3d": r"\scluster\s+delete\b", "kind": r"\sdelete\s+clusters?\b", "minikube": r"\sdelete\b", "istioctl": r"\suninstall\b", "argocd": r"\sapp\s+delete\b",
}  # fmt: skip
"""Programs that do away with machines, accounts and schedules, with the words by which they do."""
_MACHINE_WORDS = {name: lazy(pattern) for name, pattern in _MACHINES.items()}


def _of_hosts(
    program: str, words: Sequence[str], named: list[str], flags: list[str], line: str
) -> Loss | None:
    if program in _STACKS and (
        named[:1] in (["destroy"], ["remove"], ["delete"]) or "-destroy" in flags or "--destroy" in flags
    ):
        return Loss("infrastructure", [named[1] if len(named) > 1 else "the stack"], True)
    if program in _CLUSTER_MAKERS and "delete" in named[:2]:
        every = bool({"--all", "-a"} & set(flags))
        profile = next((after for word, after in pairwise(words) if word in _CLUSTER_NAMES), "")
        name = profile or next((word for word in named if word not in CLUSTER_WORDS), "")
        if name and THROWN_AWAY.search(name) is not None:
            return None
        return Loss("infrastructure", ["all clusters" if every else name or "the cluster"], every)
    if program == "mkfs" or program.startswith("mkfs."):
        return Loss("disk", named[-1:] or [program], True)
    wipes = _DISK_WORDS.get(program)
    if wipes is not None and wipes.search(line) is not None:
        return Loss("disk", named[-1:] or [program], True)
    if (
        program == "dd"
        and (found := re.search(r"\bof=(/dev/(?!null|stdout|stderr|zero)\S+)", line)) is not None
    ):
        return Loss("disk", [found[1]], True)
    gone = _MACHINE_WORDS.get(program)
    if gone is not None and gone.search(line) is not None:
        if program == "crontab":
            return Loss("infrastructure", ["crontab"], True)
        if program in ("ufw", "iptables", "ip6tables", "nft"):
            return Loss("infrastructure", ["the firewall's rules"], False)
        if program in ("k3d", "kind", "minikube", "istioctl", "argocd"):
            name = next(
                (after for word, after in itertools.pairwise(words) if word in ("--name", "-n", "-p")), ""
            )
            return Loss("infrastructure", [name or (named[-1] if len(named) > 2 else program)], False)
        things = (
            [word for word in named if not re.fullmatch(r"[a-z]+(?:[-.][a-z]+)?", word)] or named[1:] or named
        )
        return Loss("infrastructure", things[-1:] or [program], True)
    return None


_OPTION = lazy(r"(?<!\S)--?+(?!(?:delete|recursive|purge|help)(?:\s|=|$)|\w*[rR]\w*(?:\s|$))[^\s=]*")
"""Options, but those that say how the thing itself goes."""
_CLOUDS = frozenset(
    {
        "aws", "gsutil", "gcloud", "az", "s3cmd", "s5cmd", "mc", "rclone", "gh", "glab", "doctl", "hcloud", "flyctl", "fly", "heroku", "vercel",
        "railway", "wrangler", "openstack", "ibmcloud", "oci", "linode-cli", "scw", "aliyun", "exo", "vultr-cli", "b2", "azcopy", "civo", "upctl",
        "netlify", "neonctl", "firebase", "influx", "bq", "supabase", "skopeo", "crane", "turso", "pscale", "atlas", "confluent", "cf", "tccli", "yc", "ovhcloud",
    }
)  # fmt: skip
_CLOUD_LOSS = lazy(
    r"\bs3\s+(?:rm\b.*--recursive|rb\b)|\b(?:rm|del)\s+(?:-\w*r|.*--recursive\b)|^(?:mc|s3cmd|s5cmd|gsutil)\s.*\brb\b|^bq\s+rm\b.*\s-\w*r|^vercel\s+(?:remove|rm)\b|^railway\s+down\b|:(?:delete|remove)\b|\b(?:purge|delete|destroy|terminate|delete-batch)\b"
    r"|\bdelete-(?:db|table|bucket|stack|cluster|volume|snapshot|file|objects?\b|secret|log-group|hosted-zone|repository|function|queue|topic|user-pool|stream|backup|distribution|image|load-balancer|keyspace|domain|vault|delivery|rule)\S*"
    r"|\bterminate-instances\b|\bschedule-key-deletion\b|:(?:destroy|reset)\b"
)
_STORES: dict[str, str] = {
    "consul": r"\skv\s+delete\b.*-recurse", "etcdctl": r"\sdel\b.*(?:--prefix|--from-key)", "vault": r"\s(?:kv\s+(?:metadata\s+delete|destroy)|secrets\s+disable)\b",
    "rabbitmqctl": r"\s(?:purge_queue|delete_queue|delete_vhost|reset|force_reset)\b", "rabbitmqadmin": r"\s(?:delete|purge)\s+(?:queue|exchange|vhost)\b",
    "nats": r"\s(?:stream|str|kv|object)\s+(?:rm|del|purge)\b", "kafka-topics": r"--delete\b", "kafka-delete-records": r"^\w", "rpk": r"\stopic\s+(?:delete|trim)",
    "pulsar-admin": r"\s(?:topics|namespaces|tenants)\s+delete\b", "zkCli": r"\s(?:deleteall|rmr)\b", "nodetool": r"\sclearsnapshot\b", "ldapdelete": r"\s-r\b", "curator_cli": r"\sdelete-(?:indices|snapshots)\b",
    "pg_dropcluster": r"^\w", "snapper": r"\sdelete\b", "timeshift": r"--delete\b|--delete-all\b", "npm": r"\sunpublish\b",
    "borg": r"\s(?:delete|prune)\b", "restic": r"\sforget\b.*--prune|\sforget\b.*--keep|\sprune\b.*--unsafe", "duplicity": r"\sremove-\w+\b.*--force", "tarsnap": r"\s-d\b|--nuke\b",
    "wal-g": r"\sdelete\b.*--confirm", "pgbackrest": r"\s(?:expire|stanza-delete)\b", "velero": r"\sbackup\s+delete\b", "kopia": r"\ssnapshot\s+(?:delete|expire)\b.*--delete",
}  # fmt: skip
"""Programs of stores, queues and backups, with the words by which what they hold goes."""
_STORE_WORDS = {name: lazy(pattern) for name, pattern in _STORES.items()}
_ASKS_DELETE = lazy(r"\s-X\s*DELETE\b|--request[= ]DELETE\b|^(?:http|https|xh)\s+(?:\S+\s+)?DELETE\s")
_INDEX = lazy(
    r"^https?://[^/?#\s]+:92\d\d/(?P<index>[^/?#\s]+)/?(?:$|\?)|^https?://[^/?#\s]*(?:elastic|opensearch|es\d*)[\w.-]*(?::\d+)?/(?P<other>[^/?#\s]+)/?(?:$|\?)"
)
"""The address of a whole index of a search engine."""
_LOCAL = lazy(
    r"^(?:https?://)?(?:localhost|127\.|0\.0\.0\.0|\[::1\]|host\.docker\.internal|[\w-]+\.(?:local|test|localhost))(?=[:/.\d]|$)"
)
_HOLDER = lazy(
    r"/(?:projects?|databases?|dbs?|buckets?|clusters?|instances?|servers?|droplets?|machines?|vms?|linodes|volumes?|disks?|namespaces?|indexes|indices|repos?/[^/?#]+|repositories|zones?|domains?|organi[sz]ations?|orgs|tenants?|accounts?|workspaces?|environments?|apps?|applications?|services?|collections?|topics?|queues?|streams?|tables?|schemas?|backups?|snapshots?|stacks?|sites?|registries|vaults?)/[^/?#\s]+/?$|/_all/?$|/rest/v1/\w+/?$",
    re.IGNORECASE,
)
"""The address of something that holds other things, or of all there is; what is one of many is named as by a condition."""


def _of_stores(ran: Ran, program: str, named: list[str], flags: list[str], line: str) -> Loss | None:
    words, target = ran.command.words, ran.command.target.name
    if program in ("aws", "gsutil", "az", "azcopy", "s5cmd") and {"sync", "rsync"} & set(named):
        mirrors = any(flag in ("--delete", "-d") or flag.startswith("--delete-dest") for flag in flags)
        return Loss("mirror", named[-1:], False) if mirrors else None
    if program in _CLOUDS:
        # Of options only those that say how the thing itself goes: --delete-branch speaks of a branch, a text of anything.
        told = " ".join(named[:2]) if program in ("gh", "glab") else _OPTION.sub("-", line)
        if _CLOUD_LOSS.search(told) is not None and not re.search(
            r"\bdelete\s+--?help|\bcomment\b|\bcache\b|\blabel\b|\brun\b", told
        ):
            return Loss("storage", _behind(words, target) or named[-1:] or ["the resource"], True)
    if program == "rsync" and any(flag.startswith("--delete") for flag in flags) and named:
        return Loss("mirror", named[-1:], False)
    if program == "robocopy" and any(word.casefold() in ("/mir", "/purge") for word in words[1:]):
        return Loss("mirror", named[1:2], False)
    goes = _STORE_WORDS.get(program.removesuffix(".sh"))
    if goes is not None and goes.search(line) is not None:
        return Loss("data", named[-1:] or [program], True)
    if program in ("curl", "http", "https", "xh", "wget") and _ASKS_DELETE.search(line) is not None:
        return _at_address(named)
    return None


_GOES = frozenset({"delete", "rm", "rb", "remove", "destroy", "terminate", "purge", "del"})
"""Words of clients of clouds behind which stands what goes."""


def _behind(words: Sequence[str], target: str) -> list[str]:
    """What a client of a cloud takes away: what stands behind the word for it, else what the command acts on."""
    at = next((n for n, word in enumerate(words[:8]) if word in _GOES), len(words))
    things = list(
        itertools.takewhile(lambda word: not word.startswith("-"), words[at + 1 : at + 1 + _MOST_THINGS])
    )
    return things or ([target] if target in words[1:] else [])


_MOST_THINGS = 20
"""Things of one command that are told of."""


def _at_address(named: list[str]) -> Loss | None:
    """What a request to delete takes away; nothing where it goes to a service of the own machine."""
    address = next((word.strip("'\"") for word in named if "://" in word or word.startswith("localhost")), "")
    if (index := _INDEX.search(address)) is not None:
        name = index["index"] or index["other"]
        return None if THROWN_AWAY.search(name) else Loss("data", [name], _LOCAL.search(address) is None)
    if not address or _LOCAL.search(address) is not None or _HOLDER.search(address) is None:
        return None
    return Loss("storage", [address[:PATH_LONG]], False)


# -- Windows -------------------------------------------------------------------------------------------

_OF_WINDOWS = frozenset({"remove-item", "ri", "rmdir", "rd", "del", "erase", "format-volume", "clear-disk", "remove-partition", "remove-vm", "format"})  # fmt: skip


def _windows(ran: Ran, program: str) -> Loss | None:
    name = ran.command.target.name
    if program in ("format-volume", "clear-disk", "remove-partition", "format"):
        return Loss("disk", [name or program], True)
    if program == "remove-vm":
        return Loss("infrastructure", [name or program], True)
    things = [plain(one) for one in name.split(",") if one.strip()]
    told = {word.casefold() for word in ran.command.words[1:]}
    recursive = "/s" in told or any(word.startswith("-r") and "-recurse".startswith(word) for word in told)
    return _removed(things, ["-r"] if recursive else [])
