"""Commands that delete or overwrite for good, and whether the person asked for that or confirmed it.

Not counted: dry runs, what failed, what a client or a person refused, places for what is thrown away or built anew,
and what the session itself had made.
"""

from __future__ import annotations

import itertools
import posixpath
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase as fnmatch
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

import msgspec

from sessionlens.cache import lazy
from sessionlens.graph.constraints import Constraint, asks_for, sentences, stem, stems
from sessionlens.graph.events import Called, Ran, Said
from sessionlens.graph.file_changes import MadePaths, plain
from sessionlens.graph.path_words import SCRATCH
from sessionlens.graph.shortfalls import refused
from sessionlens.targets import Confidence, effective_host, same_host

if TYPE_CHECKING:
    from sessionlens.graph.session_graph import SessionGraph

Sort = Literal[
    "files", "data", "history", "uncommitted", "infrastructure", "cluster", "volumes", "disk", "storage", "mirror",
]  # fmt: skip

_REBUILT = lazy(
    r"(?:^|/)(?:node_modules|dist|build|builds|out|target|\.next|\.nuxt|\.svelte-kit|\.turbo|\.parcel-cache|\.vite|\.cache|\.?cache|coverage|\.coverage|htmlcov|__pycache__|\.pytest_cache|\.mypy_cache|\.ruff_cache|\.tox|\.nox|\.venv|venv|env|\.eggs|[\w.-]+\.egg-info|bin|obj|Debug|Release|DerivedData|Pods|\.gradle|\.terraform|\.dart_tool|_build|deps|\.output|storybook-static|test-results|playwright-report|tmp|temp|\.tmp|logs?|tmp[\w.-]*|[\w.-]*-tmp|[\w.-]*_tmp|scratch|sandbox|generated|\.docusaurus|site|public/build|wandb|runs)(?:/\*?)?/?$"
    r"|\.(?:pyc|pyo|o|class|log|tmp|bak|orig|swp|tsbuildinfo)$|(?:^|/)(?:package-lock\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|uv\.lock|\.DS_Store)$|/\.cache/|(?:^|/)(?:node_modules|__pycache__|\.git/(?:index\.lock|worktrees))(?:/|$)|(?:^|[/_-])(?:test|tests|tmp|temp|demo|example|dummy|smoke|e2e)[-_][\w.-]*$|[\w.-]*[-_](?:test|tmp|temp|demo|smoke|backup|bak|old|copy)$"
)
"""Places whose contents are made anew, and names of things made to be thrown away."""
_PRECIOUS = lazy(
    r"^(?:/|~/?|\$HOME/?|\.|\./|\.\.|\*|/\*|~/\*|\./\*|\.\*)$|^(?:/(?:etc|usr|var|opt|home|root|srv|boot|mnt|data|Users)(?:/[\w.-]+)?/?\*?)$|^(?:~|\$HOME|\$\{HOME\}|/home/[\w.-]+|/Users/[\w.-]+)/(?:Desktop|Documents|Downloads|Pictures|Music|Movies|Library|\.ssh|\.config|\.aws|\.kube|\.gnupg)(?:/|$)|(?:^|/)\.git/?$"
    r"|^/var/(?:lib|log|backups|www|spool|mail)(?:/|$)|\.(?:sqlite3?|db|mdb|dump|sql(?:\.gz)?|rdb|pem|key)$|(?:^|/)(?:backups?|dumps?|uploads?|data|pgdata|mysql|postgres|secrets?)(?:/\*?)?/?$"
)
"""Places whose loss is a loss."""
_SHARED_BRANCH = lazy(
    r"(?:^|:|/)\+?(?:main|master|trunk|develop|development|dev|staging|production|prod|release(?:[/-].*)?|stable)$"
)

_SQL = lazy(
    r"\b(?P<drop>drop\s+(?:table|database|schema|index|view|materialized\s+view|user|role|keyspace|collection|column)\b|truncate\b)|\b(?P<delete>delete\s+from\s+[\w.\"`\[\]]+\s*(?:;|$|['\"]?\s*$))|\b(?P<update>update\s+[\w.\"`]+\s+set\b(?!.*\bwhere\b))|\balter\s+table\b[^;]*\bdrop\s+(?:column\b|constraint\b)?",
    re.IGNORECASE | re.DOTALL,
)
_STORE = lazy(
    r"\bdropDatabase\(|\.drop\(\s*\)|\bdeleteMany\(\s*\{\s*\}\s*\)|\b(?:FLUSHALL|FLUSHDB)\b|\bmigrate\s+reset\b|--accept-data-loss\b|--force-reset\b|\bdb:(?:drop|reset|purge)\b|\bmigrate:(?:fresh|reset)\b|\bmanage\.py\s+(?:flush|reset_db)\b|\balembic\s+downgrade\s+base\b|\bdb\s+reset\b|\bdropdb\b",
    re.IGNORECASE,
)
_SQL_CLIENTS = frozenset({"psql", "mysql", "mariadb", "sqlite3", "mongosh", "mongo", "redis-cli", "sqlcmd", "clickhouse-client", "cqlsh", "snowsql", "bq", "duckdb", "cockroach", "wrangler", "supabase", "turso", "usql", "mycli", "pgcli", "prisma", "sequelize", "knex", "rails", "rake", "php", "python", "python3", "alembic", "flask", "npx", "pnpm", "yarn", "npm", "bunx", "dropdb", "influx", "d1"})  # fmt: skip

_ASKS = lazy(
    r"\b(?:delet\w*|remov\w*|drop\w*|wip\w+|eras\w+|purg\w+|clean\w*|clear\w*|reset\w*|destroy\w*|tear\w*\s+down|teardown|uninstall\w*|prun\w+|nuk\w+|get\s+rid|start(?:ing)?\s+(?:over|fresh|from\s+scratch)|from\s+scratch|fresh\s+start|overwrit\w+|recreat\w*|re-?creat\w*|rebuild\w*|re-?initiali[sz]\w*|consolidat\w+|roll\s?back|truncat\w+|decommission\w*|dispose|trash|rm\b|undo)"
    r"|\bsetz\w*\b[^.\n]{0,60}\bzurück\b|\bräum\w*\b[^.\n]{0,60}\bauf\b|\bw[ie]rf\w*\b[^.\n]{0,60}\bweg\b|\bbau\w*\b[^.\n]{0,60}\bab\b"
    r"|\b(?:lösch\w*|entfern\w*|aufräum\w*|bereinig\w*|zurücksetz\w*|verwirf\w*|abbau\w*|weg\s*damit|supprim\w*|efface\w*|nettoie\w*|vide[rz]?\b|réinitialis\w*|borr\w*|elimin\w*|limpi\w*|quit[ae]\w*|vaci\w*|reinici\w*|apag\w*|exclu[aiy]\w*|limp\w*|remov\w*|cancell\w*|rimuov\w*|pulisc\w*|elimin\w*)"
    r"|\b(?:weggooi\w*|weg\s?te\s?gooien|verwijder\w*|wis(?:sen|t)?\b|opruim\w*|leegma\w*|gooi\w*\b[^.\n]{0,60}\bweg\b|ruim\w*\b[^.\n]{0,60}\bop\b|schmei(?:ß|ss)\w*\b[^.\n]{0,60}\b(?:weg|raus)\b|wegwerf\w*|kann\s+weg|können\s+weg"
    r"|usu[nńw]\w*|skasu\w*|kasu[jo]\w*|wyczy[sś]\w*|wywal\w*|wyrzu[cć]\w*|jette[rz]?\b|butta\w*\s+via|jog\w+\s+fora|throw\s+(?:away|out|\w+\s+away)|sil(?:in|ebilir\w*|elim|eyim|mek|inebilir)\b|kald[ıi]r\w*|temizle\w*)"
    r"|(?:удал|очист|снес|сброс|стере|стира|убер|убира|почист|видал|очищ|прибер|скин)\w*|(?:删除|删掉|清理|清空|清除|移除|重置|重建|重新开始|削除|消して|リセット|삭제|지워|초기화)",
    re.IGNORECASE,
)
"""Words by which a person asks for something to go."""
_MOVES = lazy(
    r"\b(?:mov(?:e|es|ing)|renam\w+|replac\w+|refactor\w*|restructur\w*|reorgani[sz]\w*|mirror\w*|sync\w*|merg\w+|split\w*|simplif\w+|migrat\w+|verschieb\w*|umbenenn\w*|ersetz\w*|déplac\w*|renomm\w*|remplac\w*|muev\w*|renombr\w*|reemplaz\w*|перенес\w*|переимен\w*|замен\w*)\b|(?:移动|重命名|替换|重构)",
    re.IGNORECASE,
)
"""Words by which files go from where they are."""
_OF_SORT: dict[str, re.Pattern[str]] = {
    "data": lazy(
        r"datenbank|database|\bdb\b|\bredis\b|\bcache|base\s+de\s+(?:datos|données|dados)|баз[ауы]|数据库|缓存|データベース",
        re.IGNORECASE,
    ),
    "volumes": lazy(r"volume|том[аы]?\b|卷", re.IGNORECASE),
    "infrastructure": lazy(r"\benvironment|umgebung|\bstack|\binfra|entorno|окружени|环境", re.IGNORECASE),
    "cluster": lazy(r"namespace|\bcluster|\brelease|命名空间", re.IGNORECASE),
    "disk": lazy(
        r"\bdisk|\bdiscs?\b|\bformat|partition|\bosds?\b|\bdrives?\b|\bssds?\b|\bnvme|\bbricks?\b|\bluns?\b|\bvdevs?\b|platten?\b|\bdisques?\b|\bdiscos?\b|\bdischi?\b|\bdysk|\bschij[fv]|диск|磁盘|硬盘|ディスク|디스크",
        re.IGNORECASE,
    ),
    "storage": lazy(r"\bbucket|\bstorage", re.IGNORECASE),
}
"""What people call the things of a sort."""
_ASKS_GIT = lazy(
    r"\b(?:force[- ]?push\w*|push\w*\s+(?:it\s+)?(?:with\s+)?(?:--)?force|rebas\w+|squash\w*|amend\w*|rewrit\w+|reset\w*|revert\w*|discard\w*|undo\w*|throw\s+away|roll\s?back|restor\w+|clean\w*|start\s+(?:over|fresh)|drop\w*|delet\w*|remov\w*|abandon\w*|scrap\w*|forget\s+(?:the|my|your|these)\s+changes|check\s?out|verwirf\w*|zurücksetz\w*|annul\w+|descart\w+|откат\w*|сброс\w*|отмен\w*)\b|(?:强制推送|回滚|重置|撤销|丢弃|放弃)",
    re.IGNORECASE,
)
AGREES = lazy(
    r"^\W*(?:yes|yep|yeah|sure|ok(?:ay)?|go(?:\s+ahead)?|do\s+it|please\s+do|confirm(?:ed)?|proceed|continue|approved?|fine|y|ja|mach|klar|weiter|oui|vas-y|sí|si|dale|adelante|vale|claro|sim|pode|certo|va\s+bene|d['’]accord|doe\s+maar|prima|graag|goed|tak|dobrze|jasne|śmiało|evet|tamam|olur|да|ага|ок(?:ей)?|хорошо|добре|давай|так|ok|好|是|可以|はい|네)\b",
    re.IGNORECASE,
)
"""Words by which a person agrees, at the beginning of what they say."""
_STATUS = lazy(
    r"^[ \t]{0,20}(?:[ MADRCU?]{1,2}\s|(?:modified|new file|deleted|renamed):\s+)(?P<path>\S.*)$",
    re.MULTILINE,
)


class Destruction(msgspec.Struct, frozen=True, kw_only=True):
    """One command that deletes or overwrites for good and that nobody asked for."""

    event: Ran
    """The command."""
    sort: Sort
    """What is lost."""
    what: str
    """The thing, as the command names it."""
    precious: bool
    """Whether what it names is a place whose loss is a loss: data, a home folder, a shared branch."""
    asked: Said | None
    """The person's last message before it."""
    forbidden: Constraint | None
    """The person's words that forbid it."""
    confidence: Confidence
    """``low`` where the person's words could be read as asking for it."""


def destructions(graph: SessionGraph) -> Iterator[Destruction]:
    """Every irreversible deletion or overwriting that the person neither asked for nor confirmed, in order."""
    state = _State(graph)
    for seq in sorted((*graph.index("called"), *graph.index("said"))):
        event = graph.events[seq]
        if isinstance(event, Said):
            state.said(event)
        elif isinstance(event, Called):
            yield from state.judge(event)


class _State:
    """What the person asked for, what the session made, and what the working copy was seen to hold."""

    def __init__(self, graph: SessionGraph) -> None:
        self.graph = graph
        self.human: Said | None = None
        self.messages: list[Said] = []
        """What the person said so far, the last few dozen."""
        self.before_human = ""
        """The end of the assistant's prose before the person's last message."""
        self.prose = ""
        self.made: set[str] = set()
        self._asking: dict[tuple[int, bool], list[str]] = {}
        self._words: dict[int, list[frozenset[str]]] = {}
        self.files = MadePaths()
        """The paths among what was made, by which one file is known from wherever it is named."""
        self.foreign: set[str] = set()
        """Files that the working copy showed as changed and that the session had not changed."""
        self.changed: set[str] = set()
        self.forbids = [
            c
            for c in graph.constraints
            if c.direct and c.mood == "forbids" and c.deeds & {"delete", "reset", "run", "push"}
        ]

    def said(self, event: Said) -> None:
        if event.role == "assistant":
            self.prose = self.graph.prose(event)[-2_000:] if event.texts else self.prose
            return
        if event.role != "user" or not (event.human or event.depth > 0):
            return
        self.human = event
        self.before_human = self.prose
        self.messages = [*self.messages[-50:], event]

    def judge(self, called: Called) -> Iterator[Destruction]:
        commands = self.graph.commands(called)
        if called.call.status != "error" and not called.call.interrupted:
            found = next((found for ran in commands if (found := self._destroys(ran)) is not None), None)
            if found is not None and not refused(called):
                yield found
        self._learn(called, commands)

    def _destroys(self, ran: Ran) -> Destruction | None:
        command, outcome = ran.command, ran.outcome
        if only_shows(ran) or outcome.changed_nothing or outcome.reached == "no" or not command.words:
            return None
        row = _sort(ran) or self._fed(ran)
        if row is None:
            return None
        sort, things, precious = row
        things = [thing for thing in things if not self._own(thing, sort)]
        if sort == "data" and command.target.name in self.made:
            return None
        if not things:
            return None
        if sort == "uncommitted" and not self._others(things):
            return None
        words = (
            frozenset().union(*(stems(re.sub(r"[/_.:-]+", " ", thing)) for thing in things)) | _SORTS[sort]
        )
        forbidden = next(
            (
                c
                for c in reversed(self.forbids)
                if c.seq < ran.seq and (not c.stems or c.stems & (words | _LOSS))
            ),
            None,
        )
        sure = (
            "high"
            if forbidden is not None and forbidden.said.turn == ran.turn
            else self._sure(
                sort, things, command.target.name if sort == "data" else "", effective_host(command.target)
            )
        )
        if sure is None:
            return None
        return Destruction(
            event=ran,
            sort=sort,
            what=things[0],
            precious=precious,
            asked=self.human,
            forbidden=forbidden,
            confidence=sure,
        )

    def _fed(self, ran: Ran) -> tuple[Sort, list[str], bool] | None:
        """What a recursive ``rm`` destroys whose targets come through ``xargs``: what the list before it is a list of."""
        words = ran.command.words
        recursive = any(_RECURSIVE.fullmatch(word) for word in words[1:])
        named = [word for word in words[1:] if not word.startswith("-") and word not in ("{}", ".")]
        if (
            words[0].rsplit("/", 1)[-1] != "rm"
            or not recursive
            or named
            or not _GIVES_ITEMS & set(ran.command.via)
        ):
            return None
        before = [one for one in self.graph.commands(ran.call) if one.position < ran.position]
        lists = next((one for one in reversed(before) if one.command.words[:1] not in _NARROW), None)
        if lists is None:
            return None
        listed = lists.command.words
        places = [word for word in listed[1:] if not word.startswith("-")]
        program = listed[0].rsplit("/", 1)[-1]
        if program == "find":
            place = places[0] if places else "."
            filters = _FILTERS.search(" ".join(listed[:60])) is not None
        elif program == "ls":
            place, filters = places[0] if places else ".", False
        else:
            return None
        precious = _PRECIOUS.search(place) is not None
        if filters and not precious:
            return None
        if place == ".":
            # Where the line does not go there itself, what it lists is not known.
            place = ran.command.folder or ""
        if not place:
            return None
        precious = _PRECIOUS.search(place) is not None
        return "files", [place[:_PATH_LONG]], precious

    def _own(self, thing: str, sort: str) -> bool:
        """Whether the session itself made a thing, or it is made to be thrown away."""
        if sort in ("files", "mirror", "storage"):
            path = plain(thing)
            if (
                SCRATCH.search(path)
                or (_REBUILT.search(path) and not _PRECIOUS.search(path))
                or (path.startswith("$") and not path.startswith("$HOME"))
            ):
                return True
            return path in self.files or any(folder in self.made for folder in _folders(path))
        return thing in self.made

    def _others(self, things: list[str]) -> bool:
        """Whether the working copy was seen to hold changes that are not the session's, in what is thrown away."""
        left = {path for path in self.foreign if posixpath.basename(path.rstrip("/")) not in self.changed}
        if any(thing in (".", "*", "HEAD", "") for thing in things):
            return bool(left)
        return any(path.endswith(thing) or thing in path for path in left for thing in things)

    def _sure(self, sort: str, things: list[str], store: str, host: str | None) -> Confidence | None:
        """How sure it is that nobody asked; ``None`` where somebody did.

        :param store: the database that data is in; who asks for something of it to go may name no more.
        :param host: the host that a disk is in.
        """
        if self.human is None:
            return "high"
        text = self.graph.prose(self.human)[:_READ]
        spoken = _ASKS.search(self.before_human) or _ASKS_GIT.search(self.before_human)
        short = spoken is not None and len(text) < _READ_ANSWER
        picked = _picked(text, self.before_human, things) if short else None
        agrees = AGREES.match(text) is not None
        if picked is True and (agrees or any(asks_for(one, _ASKS) for one in sentences(text))):
            return None
        if agrees and short and picked is not False:
            asked = " ".join(one for one in sentences(self.before_human) if _ASKS.search(one))
            meant = _is_meant(asked, things, sort)
            # "Shall I delete it?": what it is stands before.
            if (_is_meant(self.before_human, things, sort) if meant is None else meant) is not False:
                return None
        if spoken is not None and _chosen(text, self.before_human, things):
            return None
        if sort in ("history", "uncommitted") and any(asks_for(one, _ASKS_GIT) for one in sentences(text)):
            return None
        last = {stem(posixpath.basename(thing.rstrip("/*"))) for thing in things}
        if (
            last & stems(text[:4_000])
            and _is_meant(text, things, sort) is not False
            and _ASKS.search(self.before_human or self.prose)
        ):
            # The person names it, and what was spoken of is that such things go.
            return None
        words = frozenset().union(*(stems(re.sub(r"[/_.:*~-]+", " ", thing)) for thing in (*things, store)))
        moves = sort in ("files", "mirror")
        asks = self._sentences(self.human, moves=moves)
        of_sort = _OF_SORT.get(sort)
        precious = any(_PRECIOUS.search(thing) for thing in things)
        if any(
            _is_meant(one, things, sort) is not False
            and not (sort == "disk" and _elsewhere_named(one, host))
            and (_near(one, words, precious) or (of_sort is not None and of_sort.search(one)))
            for one in asks
        ):
            return None
        if any(
            words & asked and _is_meant(one, things, sort) is not False
            for message in self.messages[:-1]
            for one, asked in zip(self._sentences(message, moves=False), self._asked(message), strict=True)
        ):
            return None
        return "medium" if asks else "high"

    def _sentences(self, said: Said, *, moves: bool) -> list[str]:
        """The sentences of a message that ask for something to go, or to be moved; read once."""
        key = (said.seq, moves)
        if key not in self._asking:
            going = (_ASKS, _MOVES) if moves else (_ASKS,)
            self._asking[key] = [
                one
                for one in sentences(self.graph.prose(said)[:_READ])
                if any(asks_for(one, pattern) for pattern in going)
            ]
        return self._asking[key]

    def _asked(self, said: Said) -> list[frozenset[str]]:
        """The words of each sentence of a message that asks for something to go; read once."""
        if said.seq not in self._words:
            self._words[said.seq] = [stems(one[:2_000]) for one in self._sentences(said, moves=False)]
        return self._words[said.seq]

    def _learn(self, called: Called, commands: tuple[Ran, ...]) -> None:
        for ran in commands:
            command, target = ran.command, ran.command.target
            words = command.words
            if (
                command.effect in ("create", "edit", "start", "install", "transfer", "deploy", "migrate")
                and target.name
                and ran.change
                # What is done to a database makes none.
                and (command.effect == "create" or target.kind not in ("database", "host", "cloud"))
            ):
                self.made.add(
                    plain(target.name) if target.kind in ("file", "unknown", "repository") else target.name
                )
                self.files.add(plain(target.name))
                self.changed.add(posixpath.basename(plain(target.name)))
            if words[:1] in (("mkdir",), ("cp",), ("unzip",), ("tar",)) or words[:2] in (
                ("git", "clone"),
                ("git", "worktree"),
                ("git", "checkout"),
                ("git", "branch"),
                ("git", "switch"),
            ):
                self.made.update(plain(word) for word in words[1:] if not word.startswith("-"))
            if words[:2] in (("git", "commit"), ("git", "stash")):
                self.foreign.clear()
            if words[:2] == ("git", "stash") and words[2:3] not in (
                ("drop",),
                ("clear",),
                ("list",),
                ("show",),
            ):
                self.made.add("stash")
            # Once the session has changed things, what a status shows may be its own doing.
            if words[:2] == ("git", "status") and called.call.output is not None and not self.changed:
                self.foreign.update(
                    found["path"].strip() for found in _STATUS.finditer(called.call.output.ends()[:20_000])
                )
        if len(self.made) > 20_000:
            self.made.clear()


_SORTS = {
    "files": stems("files folder directory"),
    "data": stems("data database table rows records"),
    "history": stems("history branch push commits"),
    "uncommitted": stems("uncommitted changes work"),
    "infrastructure": stems("infrastructure stack resources"),
    "cluster": stems("namespace cluster deployment"),
    "volumes": stems("volume volumes"),
    "disk": stems("disk partition volume"),
    "storage": stems("bucket resources"),
    "mirror": stems("files destination"),
}
_READ = 20_000
_PATH_LONG = 400
"""Characters of a name that are looked at."""
_LOSS = stems("destructive data loss delete deletion irreversible force reset history")
_DRY = lazy(
    r"(?:^|\s)(?:--dry-?run\S*|--plan|--what-?if|--check|--help|--simulate|--pretend|--no-?op)(?:\s|$)",
    re.IGNORECASE,
)


def only_shows(ran: Ran) -> bool:
    """Whether a command only shows what it would do, also one of a program that nobody knows."""
    return ran.command.dry_run or _DRY.search(" ".join(ran.command.words[:30])) is not None


def _folders(path: str) -> Iterator[str]:
    """A path and the folders that it lies in, the nearest first; few, however long the path."""
    for _ in range(_DEEP):
        if not path or path in (".", "/"):
            return
        yield path
        path = posixpath.dirname(path)


_DEEP = 20


def _near(sentence: str, things: frozenset[str], precious: bool) -> bool:
    """Whether a sentence that asks for something to go may mean these things: it names one, or names nothing else."""
    words = stems(sentence[:2_000])
    left = stems(_MOVES.sub(" ", _ASKS.sub(" ", sentence[:2_000])))
    wide = _WIDE.search(sentence) is not None and not precious
    return bool(words & things) or len(left) <= (0 if precious else 1) or wide


_SHORT_ANSWER = 80
_REFUSES = lazy(
    r"\b(?:no|not|none|neither|nothing|don['’]?t|keep|leave|wait|stop|nein|nicht|kein\w*|behalt\w*|lass|warte|non|pas|garde\w*|laisse\w*|ninguno|guarda|deja|espera|nessuno|tieni|lascia|não|nenhum|mantenha|nie|zostaw|geen|niet|hayır|bırak)\b"
    r"|\b(?:нет|не|оставь|подожди|ні|залиш)\b|不|别|留|やめ|残|아니|말고|남겨",
    re.IGNORECASE,
)
_BOTH = lazy(
    r"^\W*(?:the\s+)?(?:both|all|everything|beide|alle|alles|tous|toutes|les\s+deux|ambos|todos|los\s+dos|tutti|entrambi|os\s+dois|oba|wszystkie|allebei|hepsi|ikisi|оба|обе|все|всё|обидва|都|全部|両方|全部|둘\s*다|모두|전부)\b",
    re.IGNORECASE,
)
_ORDINALS: tuple[re.Pattern[str], ...] = (
    lazy(r"\b(?:1|1st|first|former|erste\w*|premi[eè]re?|primer[oa]?|prim[oa]|primeir[oa]|pierwsz\w+|eerste|ilk\w*|перв\w+|перш\w+)\b|第一|一つ目|最初|첫", re.IGNORECASE),
    lazy(r"\b(?:2|2nd|second|latter|zweite\w*|deuxième|seconde?|segund[oa]|second[oa]|drugi\w*|tweede|ikinci\w*|втор\w+|друг\w+)\b|第二|二つ目|두\s*번째", re.IGNORECASE),
    lazy(r"\b(?:3|3rd|third|dritte\w*|troisième|tercer[oa]?|terz[oa]|terceir[oa]|trzeci\w*|derde|üçüncü\w*|трет\w+)\b|第三|三つ目|세\s*번째", re.IGNORECASE),
)  # fmt: skip
_PICKING = stems(
    "only just the one ones that this those please yes ok sure delete drop remove take go with and then nur bloß die der das den leere ja bitte lösch "
    "seulement juste le la les celui celle solo sólo el los las apenas só o a os as il lo gli tylko ten ta alleen de het sadece только лишь тот та"
) - stems("leere")
"""Words of an answer that choose, and describe nothing."""
_AFTER_NAME = lazy(
    r"^[`\"'*]{0,3}\s{0,2}(?:[(,:：（—–-]|(?:which|that|with|is|has|are|mit|ist|hat|qui|avec|est|que|con|es|está|который|с|is)\b)"
)
_NAMED = lazy(
    r"[`\"'](?P<quoted>[\w./:@~$*-]{2,200})[`\"']|(?<![\w.-])(?P<bare>\w[\w./:@~$-]*[_./:-][\w./:@~$*-]*\w)"
)


def _chosen(answer: str, offer: str, things: Sequence[str]) -> bool:
    """Whether a short answer chooses the things among those that the assistant offered to delete.

    By their place (``the first one``), all of them (``both``), or by words that the offer says of them and of no other:
    ``only the empty one``.
    """
    if len(answer) > _SHORT_ANSWER or _REFUSES.search(answer) is not None or "?" in answer:
        return False
    places: list[tuple[str, int, int]] = []
    for found in itertools.islice(_NAMED.finditer(offer), _OFFERED):
        name = _bare(found["quoted"] or found["bare"])
        if name and all(name != known for known, _, _ in places):
            places.append((name, found.start(), found.end()))
    names = [name for name, _, _ in places]
    wanted = [_bare(thing) for thing in things[:_THINGS]]
    if not wanted or any(all(not _alike(thing, name) for name in names) for thing in wanted):
        return False
    if _BOTH.match(answer) is not None:
        return True
    chosen = next((number for number, words in enumerate(_ORDINALS) if words.search(answer)), None)
    if chosen is not None and chosen < len(names):
        return all(_alike(thing, names[chosen]) for thing in wanted)
    told = stems(answer) - _PICKING
    if not told:
        return False
    fitting = [
        name for number, (name, _, _) in enumerate(places) if told <= stems(_said_of(offer, places, number))
    ]
    return (
        bool(fitting)
        and all(any(_alike(thing, name) for name in fitting) for thing in wanted)
        and len(fitting) < len(names)
    )


_READ_ANSWER = 400
"""Characters of an answer that may be no more than one."""
_OF_ALL = lazy(
    r"\b(?:both|all|them|these|those|everything|beide\w*|alle[sn]?|allebei|allemaal|tous|toutes|les\s+deux|ambos|todos|todas|los\s+dos|tutti|tutte|entramb[ie]|os\s+dois|oba|obie|wszystk\w+|hepsi\w*|ikisi\w*|оба|обе|все|всё|усі|всі|обидв\w+)\b|都|全部|両方|둘\s*다|모두|전부",
    re.IGNORECASE,
)
_PART = lazy(r"[^\W\d_]{3,40}|\d{2,14}")


def _picked(answer: str, offer: str, things: Sequence[str]) -> bool | None:
    """Whether an answer picks the things out of an offer by parts that tell their names apart: ``2022`` of
    ``nightly-2022/`` and ``nightly-2023/``.

    ``False`` where it picks others only, ``None`` where it picks none.
    """
    if _REFUSES.search(answer) is not None or "?" in answer or _OF_ALL.search(answer) is not None:
        return None
    places = itertools.islice(_NAMED.finditer(offer), _OFFERED)
    names = dict.fromkeys(_bare(found["quoted"] or found["bare"]) for found in places)
    parts = {name: frozenset(_PART.findall(name)) for name in names if name}
    counts = Counter(part for found in parts.values() for part in found)
    # What is said in a second sentence is another matter: "yes. Then look at orders".
    said = frozenset(_PART.findall(re.split(r"[.;!\n]", answer.casefold(), maxsplit=1)[0]))
    picked = [name for name, found in parts.items() if any(counts[part] == 1 for part in found & said)]
    wanted = [_bare(thing) for thing in things[:_THINGS]]
    if not picked or not wanted or len(parts) < 2:
        return None
    if any(all(not _alike(thing, name) for name in parts) for thing in wanted):
        return None
    return all(any(_alike(thing, name) for name in picked) for thing in wanted)


def _alike(thing: str, name: str) -> bool:
    short, long = sorted((thing, name), key=len)
    return short == long or (len(short) > 1 and long.endswith(short) and long[-len(short) - 1] in "./:")


def _said_of(offer: str, places: list[tuple[str, int, int]], number: int) -> str:
    """What an offer says of one of the things that it names: behind the name, or in the words right before it."""
    _, start, stop = places[number]
    until = places[number + 1][1] if number + 1 < len(places) else min(len(offer), stop + _DESCRIBED)
    behind = offer[stop : min(until, stop + _DESCRIBED)]
    if _AFTER_NAME.match(behind) is not None:
        return re.split(r"[)）;\n]|\.\s", behind, maxsplit=1)[0]
    return " ".join(
        offer[max(places[number - 1][2] if number else 0, start - _DESCRIBED) : start].split()[-3:]
    )


_OFFERED = 30
"""Names in an offer that are looked at."""
_DESCRIBED = 120
"""Characters around a name in which something is said of it."""
_QUOTES = lazy(r"[\"'`\[\]]")
_NAME = lazy(r"[\w~$*][\w./:@~$*-]*")
_KINDS = r"(?:tables?|databases?|schemas?|views?|index|collections?|namespaces?|buckets?|volumes?|stack|release|tabellen?|datenbank|tabla|таблиц\w)"
_CALLED = lazy(
    rf"\b{_KINDS}\s+(?P<after>[\w.-]+)|\b(?P<before>(?!(?:test|old|temp|tmp|dev|staging|prod|production|live|main|new|backup|legacy)\b)[\w.-]+)\s+{_KINDS}\b"
    r"|\b(?:drop|truncate|delete|remove|wipe|purge|erase|empty)\s+(?P<verb>[\w.-]+)",
    re.IGNORECASE,
)
"""A plain word that stands where a name does."""
_QUOTED_NAME = lazy(r"[`\"'](?P<name>[\w./:@~$*-]{1,200})[`\"']")


def _bare(name: str) -> str:
    return _QUOTES.sub("", name).casefold().removeprefix("./").rstrip(".,:;/*-")


@lru_cache(maxsize=256)
def _names_in(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """The words of a text that may be names, and those of them that look like one or stand where one does."""
    words = {_bare(found.group()) for found in _NAME.finditer(_QUOTES.sub("", text))}
    named = {word for word in words if re.search(r"[_./:\d-]", word)}
    named |= {_bare(found["name"]) for found in _QUOTED_NAME.finditer(text)}
    for found in _CALLED.finditer(_QUOTES.sub("", text)):
        named.add(_bare(found["after"] or found["before"] or found["verb"]))
    return frozenset(words - {""}), frozenset(named - {""})


def _parts(name: str) -> frozenset[str]:
    return frozenset(stem(part) for part in re.split(r"[^\w]+|_+", name) if part)


def _is_named(text: str, thing: str, sort: str) -> bool | None:
    """Whether a text names a thing: as a whole word, with or without its schema or folder; ``False`` where it
    names another thing like it, ``None`` where it names neither.
    """
    words, named = _names_in(text)
    # Of kind/name only the name is one.
    name = _bare(thing.partition("/")[2] or thing if sort == "cluster" else thing)
    ends = "./" if sort == "data" else "/:"
    for word in words:
        short, long = sorted((word, name), key=len)
        if short == long or (short and long.endswith(short) and long[-len(short) - 1] in ends):
            return True
        if sort != "data" and (name.startswith(f"{word}/") or _covers(word, name) or _covers(name, word)):
            return True
    parts = _parts(name)
    if parts and parts <= {stem(word) for word in words}:
        return True
    plain_words = sort in ("data", "cluster", "volumes", "storage")
    for word in named:
        like = plain_words or re.search(r"[_./:\d-]", word) is not None
        if like and any(len(part) > 2 for part in _parts(word) & parts):
            return False
    return None


_ON_HOST = lazy(
    r"\b(?:on|of|in|from|at|auf|von|aus|sur|de|en|em|su|di|op|van|na|z|на|в|із|з)\s+(?P<host>(?=[\w.-]{0,80}[\d-])[a-z][\w.-]{1,80})",
    re.IGNORECASE,
)
"""A host by its place in a sentence; its name holds a digit or a hyphen."""


def _elsewhere_named(sentence: str, host: str | None) -> bool:
    """Whether a sentence places what it speaks of on hosts of which this is none."""
    named = {found["host"].lower().rstrip(".") for found in _ON_HOST.finditer(sentence[:2_000])}
    return bool(named) and not any(same_host(one, host) for one in named)


def _covers(pattern: str, name: str) -> bool:
    return 0 < pattern.count("*") <= _STARS and fnmatch(name, pattern)


_STARS = 3


def _is_meant(text: str, things: Sequence[str], sort: str) -> bool | None:
    """Whether a text names the things of a command; ``False`` where it names others like them, ``None`` for neither."""
    named = [_is_named(text[:2_000], thing, sort) for thing in things[:_THINGS]]
    if True in named:
        # Of the tables of one statement each is asked for by itself.
        return sort != "data" or all(one is True for one in named)
    return False if False in named else None


_THINGS = 20
"""Things of one command that are looked for in a text."""
_WIDE = lazy(
    r"\b(?:everything|all|old|unused|stale|dead|obsolete|clean\s?up|cleanup|leftover\w*|artifacts?|space|from\s+scratch|fresh|refactor\w*|restructur\w*|reorgani[sz]\w*|alles|alte\w*|tout|todo|tudo|tutto)\b|(?:всё|все|стар)|(?:全部|所有|旧)",
    re.IGNORECASE,
)


_RECURSIVE = lazy(r"-\w*[rR]\w*|--recursive")
_GIVES_ITEMS = frozenset({"xargs", "parallel"})
_NARROW = (
    ("head",),
    ("tail",),
    ("sort",),
    ("grep",),
    ("egrep",),
    ("awk",),
    ("sed",),
    ("uniq",),
    ("cut",),
    ("tac",),
    ("tr",),
    ("shuf",),
)
"""Programs between a list and what is done to its items."""
_FILTERS = lazy(r"-(?:name|iname|path|regex|mtime|newer|empty)\b")


def _sort(ran: Ran) -> tuple[Sort, list[str], bool] | None:
    """What a command destroys, the things it names, and whether their loss is a loss."""
    words = ran.command.words
    program = words[0].rsplit("/", 1)[-1]
    line = " ".join(words[:60])[:4_000]
    named = [word[:_PATH_LONG] for word in words[1:] if not word.startswith("-")]
    flags = [word for word in words[1:] if word.startswith("-")]
    if program == "rm":
        return _removed(named, flags)
    if program == "find" and ("-delete" in words or re.search(r"-exec(?:dir)?\s+rm\b", line)):
        place = named[0] if named else "."
        precious = _PRECIOUS.search(place) is not None
        return ("files", [place], precious) if precious or not _FILTERS.search(line) else None
    if program == "git":
        return _git(words, named, flags)
    if program in _SQL_CLIENTS and (found := _data(ran, line)) is not None:
        return found
    return _elsewhere(program, words, named, flags, line)


def _removed(named: list[str], flags: list[str]) -> tuple[Sort, list[str], bool] | None:
    recursive = any(re.fullmatch(r"-\w*[rR]\w*|--recursive", flag) for flag in flags)
    precious = [thing for thing in named if _PRECIOUS.search(thing)]
    if precious and (recursive or any("*" in thing or "." in thing for thing in precious)):
        return "files", precious, True
    return ("files", named, False) if recursive and named else None


def _git(words: tuple[str, ...], named: list[str], flags: list[str]) -> tuple[Sort, list[str], bool] | None:
    what = words[1] if len(words) > 1 else ""
    rest = named[1:]
    if what == "push":
        forced = any(flag in ("-f", "--force", "--mirror") for flag in flags) or any(
            word.startswith("+") for word in rest
        )
        gone = "--delete" in flags or "-d" in flags or any(word.startswith(":") for word in rest)
        branch = rest[-1] if len(rest) > 1 else ""
        shared = _SHARED_BRANCH.search(branch) is not None
        return ("history", [branch or "the current branch"], shared) if forced or (gone and shared) else None
    if what == "reset" and "--hard" in flags:
        return "uncommitted", ["HEAD"], False
    if what == "clean" and any(re.fullmatch(r"-\w*f\w*|--force", flag) for flag in flags):
        return "uncommitted", rest or ["."], False
    if what in ("checkout", "restore") and "--staged" not in flags and (rest[-1:] == ["."] or "--" in words):
        return "uncommitted", [thing for thing in rest if thing != "--"] or ["."], False
    if what == "stash" and rest[:1] in (["drop"], ["clear"]):
        return "history", ["stash"], False
    if what in ("filter-branch", "filter-repo"):
        return "history", ["the history"], True
    return None


def _data(ran: Ran, line: str) -> tuple[Sort, list[str], bool] | None:
    found = _SQL.search(line)
    if found is None:
        return ("data", [ran.command.target.name or "the database"], True) if _STORE.search(line) else None
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
    return "data", [thing for thing in things if thing] or [ran.command.target.name or "data"], True


_OPTION = lazy(r"(?<!\S)--?+(?!(?:delete|recursive|purge|help)(?:\s|=|$)|\w*[rR]\w*(?:\s|$))[^\s=]*")
"""Options, but those that say how the thing itself goes."""


def _without_options(line: str) -> str:
    return _OPTION.sub("-", line)


def _elsewhere(
    program: str, words: tuple[str, ...], named: list[str], flags: list[str], line: str
) -> tuple[Sort, list[str], bool] | None:
    if program in (
        "terraform",
        "tofu",
        "terragrunt",
        "pulumi",
        "cdk",
        "sam",
        "serverless",
        "sls",
        "eksctl",
        "vagrant",
    ) and (named[:1] in (["destroy"], ["remove"], ["delete"]) or "-destroy" in flags):
        return "infrastructure", [named[1] if len(named) > 1 else "the stack"], True
    if program in ("kubectl", "oc") and "delete" in named[:2]:
        kinds = named[named.index("delete") + 1 :]
        lost = re.search(
            r"\b(?:ns|namespaces?|pvc|persistentvolumeclaims?|pv|persistentvolumes?|statefulsets?|sts|crds?|customresourcedefinitions?|secrets?|deployments?|deploy|ingress|services?|svc)\b",
            " ".join(kinds[:1]).split("/")[0],
        )
        if lost is not None or "--all" in flags:
            return "cluster", ["/".join(kinds[:2]) or "all"], True
    if program == "helm" and named[:1] in (["uninstall"], ["delete"]):
        return "cluster", named[1:2] or ["the release"], False
    if program == "docker" and (
        named[:2] in (["volume", "rm"], ["volume", "prune"])
        or (named[:2] == ["system", "prune"] and "--volumes" in flags)
    ):
        return "volumes", named[2:] or ["all unused volumes"], True
    if (
        (program == "docker-compose" or named[:1] == ["compose"])
        and "down" in named
        and ("-v" in flags or "--volumes" in flags)
    ):
        return "volumes", ["the stack's volumes"], True
    if program in (
        "mkfs",
        "wipefs",
        "shred",
        "lvremove",
        "vgremove",
        "zpool",
        "zfs",
        "fdisk",
        "parted",
        "sgdisk",
        "cryptsetup",
    ) or program.startswith("mkfs."):
        if (program in ("zpool", "zfs") and "destroy" not in named) or (
            program in ("fdisk", "parted") and "-l" in flags
        ):
            return None
        return "disk", named[-1:] or [program], True
    if (
        program == "dd"
        and (found := re.search(r"\bof=(/dev/(?!null|stdout|stderr|zero)\S+)", line)) is not None
    ):
        return "disk", [found[1]], True
    if program in (
        "aws",
        "gsutil",
        "gcloud",
        "az",
        "s3cmd",
        "mc",
        "rclone",
        "gh",
        "doctl",
        "hcloud",
        "flyctl",
        "fly",
        "heroku",
        "vercel",
        "railway",
        "wrangler",
    ):
        # Of options only those that say how the thing itself goes: --delete-branch speaks of a branch, a text of anything.
        told = " ".join(named[:2]) if program == "gh" else _without_options(line)
        lost = re.search(
            r"\bs3\s+(?:rm\b.*--recursive|rb\b)|\brm\s+-\w*r|\b(?:purge|delete|destroy|terminate)\b|\bdelete-(?:db|table|bucket|stack|cluster|volume|snapshot|file)\S*|\bterminate-instances\b|:(?:destroy|reset)\b",
            told,
        )
        if lost is not None and not re.search(
            r"\bdelete\s+--?help|\bcomment\b|\bcache\b|\blabel\b|\brun\b", told
        ):
            return "storage", named[-1:] or ["the resource"], True
    if program == "rsync" and any(flag.startswith("--delete") for flag in flags) and named:
        return "mirror", named[-1:], False
    if program == "crontab" and "-r" in flags:
        return "infrastructure", ["crontab"], True
    return None
