"""Changes of files that lie outside what the person named as the place of the work.

A scope is what a message of the person limits the work to, by paths (``only change src/auth/``), by what it is
(``only the app's own configuration``, ``stay within the project``) or by what it excludes (``no system files``). It
holds for its turn. A file counts as inside when the message names it, or a folder that it lies in, in any sentence.
Where nothing limits the work, only places of the machine, of the account or of another project are outside, and
pipelines and secrets where the person named the files to work on; each unless anybody's words speak of such things.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

import msgspec

from sessionlens.cache import lazy
from sessionlens.graph.announced import Announced, announced, intends
from sessionlens.graph.constraints import WRITES, Constraint, deeds_of, limiting, named_paths, stem_set, stems
from sessionlens.graph.events import Called, Ran, Said
from sessionlens.graph.file_changes import FileChange
from sessionlens.graph.path_words import (
    CI,
    LOCK,
    MANIFEST,
    SCRATCH,
    SECRET,
    SYSTEM,
    path_stems,
    resolved,
    within,
)
from sessionlens.shell.shapes import Gated
from sessionlens.targets import Confidence

if TYPE_CHECKING:
    from sessionlens.graph.session_graph import SessionGraph

Where = Literal["system", "elsewhere", "sensitive", "inside"]

_VAGUE = stem_set(
    """
    code application app source logic component components module handler feature project repository
    repo needed related relevant necessary implementation backend frontend
    """
)
_GENERIC = stem_set(
    """
    modify change create edit update fix work only file files delete add write touch keep limit
    restrict stay within directory old older days scope make need needed allow allowed all changes
    edits
    """
)
_OWN = lazy(
    r"\b(?:within|inside|in|to|under)\s+(?:the\s+|this\s+|our\s+)?(?:project|repo(?:sitory)?|workspace|working\s+(?:copy|directory|tree)|code\s?base)\b|\bproject\s+(?:scope|directory|structure|root|folder)\b|\b(?:im|innerhalb\s+des)\s+(?:projekt\w*|repo\w*)|\bdans\s+le\s+(?:projet|dépôt)|\b(?:en|dentro\s+de)l?\s+(?:proyecto|repositorio)|в\s+(?:проект|репозитори)\w+|(?:项目|仓库)(?:内|中|目录)",
    re.IGNORECASE,
)
_SYSTEM_WORDS = Gated(
    r"\bsystem(?:[- ]wide|[- ]level)?\b|\bglobal(?:ly)?\b|/etc\b|\broot\b|\bhome\b|\bhost(?:s|name)?\b|\bmachine\b|\bserver\b|\bsudo\b|\bdaemon\b|\bnginx\b|\bcron\b|\bsystemd\b|\bshell\b|\bprofile\b|\bdotfiles?\b|\b(?:bash|zsh)rc\b|\bssh\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=16)
def _names_system(text: str) -> bool:
    """Whether a message speaks of the system; asked for each change of its turn."""
    return _SYSTEM_WORDS.search(text) is not None


_EXCLUDES_SYSTEM = lazy(
    r"\b(?:system|global|outside|elsewhere|other\s+(?:projects?|director\w+|repos\w*))\b|/etc\b|/usr\b|/var\b|\bnode_modules\b|\bsystem(?:dateien|weit)|\bsystème|\bsistema|системн|系统",
    re.IGNORECASE,
)
_SIBLING = lazy(r"^(?:\.\./)+")
_HOME = lazy(r"^(?:~|\$HOME|\$\{HOME\}|/home/[^/]+|/Users/[^/]+|/root)(?=/)")
_BUILT = lazy(
    r"(?:^|/)(?:node_modules|dist|build|target|out|\.next|coverage|htmlcov|\.turbo|\.cache|\.venv|venv)/|(?:^|/)(?:generated|__generated__)/"
)
"""Places that a build or a test run fills."""
_VENDORED = lazy(r"(?:^|/)(?:node_modules|site-packages|vendor/bundle|\.venv|venv/lib)/")


class Stray(msgspec.Struct, frozen=True, kw_only=True):
    """One change outside the scope."""

    event: Ran | Called
    """The change."""
    path: str
    """The file as the call names it; of an announced one, the words for it."""
    where: Where
    """``system`` for places of the machine or the account, ``elsewhere`` for another project or folder,
    ``sensitive`` for pipelines, lock files and secrets, ``inside`` for another part of the same project.
    """
    limit: Constraint | None
    """The words that set the scope; ``None`` where none do and the file is outside by its place."""
    asked: Said
    """The message of the person that the work is for."""
    exact: bool = False
    """Whether the limit names single files, not folders."""
    deleted: bool = False
    """Whether the file was deleted or moved away."""
    announced: Announced | None = None
    """The assistant's words, where only they show it."""
    confidence: Confidence
    """``high`` for a place of the system against words that exclude it or name paths."""


class _Scope(msgspec.Struct, frozen=True, kw_only=True):
    """What one message of the person sets as the place of the work."""

    said: Said
    limit: Constraint | None
    paths: tuple[str, ...]
    """Folders and files that limits name."""
    named: tuple[str, ...]
    """Every path that the message names."""
    vague: bool
    """Whether a limit also names what no path can be held against."""
    nouns: tuple[frozenset[str], ...]
    excluded: Constraint | None
    text: str
    limits: tuple[Constraint, ...] = ()
    """Every limit of the message."""


def strays(graph: SessionGraph) -> Iterator[Stray]:
    """Every change outside the scope that held, in order of the log."""
    scopes = _scopes(graph)
    if not scopes:
        return
    fetched = _fetched(graph)
    changes: dict[int, list[FileChange]] = {}
    for change in graph.file_changes:
        changes.setdefault(change.event.call.seq, []).append(change)
    for seq in graph.index("called"):
        called = graph.events[seq]
        if not isinstance(called, Called):
            continue
        scope = scopes.get((called.at.session, called.turn if called.depth == 0 else -1))
        if scope is None or scope.said.seq > seq:
            continue
        mine = [one for one in changes.get(seq, []) if scope.limit is not None or one.path not in fetched]
        if not mine and scope.limit is None:
            continue
        found = next(_outside(graph, scope, mine), None) or _in_words(graph, scope, called, mine)
        if found is not None:
            yield found


def _fetched(graph: SessionGraph) -> frozenset[str]:
    """Local files that the session itself got from another machine or a container: copies to work on."""
    found: set[str] = set()
    for seq in graph.index("change"):
        ran = graph.events[seq]
        if isinstance(ran, Ran) and ran.command.effect in ("transfer", "edit") and ran.command.words:
            words = ran.command.words
            program = ran.command.program
            if program in ("scp", "rsync", "sftp", "cp") and (len(words) > 2):
                source, into = words[-2], words[-1]
                if ":" in source and ":" not in into:
                    found |= {into, f"{into.rstrip('/')}/{source.rsplit('/', 1)[-1]}"}
            elif program == "cat" and ran.command.via and ran.command.target.host is None:
                found.add(ran.command.target.name)
    return frozenset(found)


def _scopes(graph: SessionGraph) -> dict[tuple[str, int], _Scope]:
    """The scope of each turn, by session and turn."""
    rows: dict[int, list[Constraint]] = {}
    for constraint in graph.constraints:
        if constraint.direct and constraint.mood in ("limits", "forbids"):
            rows.setdefault(constraint.seq, []).append(constraint)
    scopes: dict[tuple[str, int], _Scope] = {}
    earlier: dict[str, list[str]] = {}
    for seq in graph.index("said"):
        said = graph.events[seq]
        if not isinstance(said, Said) or said.role != "user" or not (said.human or said.depth > 0):
            continue
        text = graph.prose(said)[:_READ]
        key = (said.at.session, said.turn if said.depth == 0 else -1)
        scope = _scope(graph, said, rows.get(seq, []), text)
        before = earlier.setdefault(said.at.session, [])
        if scope is not None:
            scopes[key] = scope
        else:
            # What was asked before may be what is still worked on.
            scopes[key] = _Scope(
                said=said,
                limit=None,
                paths=(),
                named=tuple(dict.fromkeys(named_paths(text))),
                vague=True,
                nouns=(),
                excluded=None,
                text="\n".join((*before[-_EARLIER:], text)),
            )
        before.append(text)
    return scopes


_READ = 20_000
_EARLIER = 3
"""Messages of the person before a turn whose words count for it too."""


def _scope(graph: SessionGraph, said: Said, mine: list[Constraint], text: str) -> _Scope | None:
    """The scope that a message sets; ``None`` where it sets none."""
    mine = [_with_folders(graph, one) for one in mine]
    limits = [
        one
        for one in mine
        if one.mood == "limits"
        and _of_files(one)
        and (one.paths or one.folders or _OWN.search(one.quote) or one.deeds & WRITES)
    ]
    excluded = next(
        (
            one
            for one in mine
            if one.mood == "forbids" and one.deeds & WRITES and _EXCLUDES_SYSTEM.search(one.clause)
        ),
        None,
    )
    limit = next((one for one in limits if one.paths), limits[0] if limits else excluded)
    if limit is None:
        return None
    nouns, vague = [], False
    folders = [path_stems(path) for one in limits for path in one.paths]
    strict = any(one.paths and _FILES_ALONE.search(one.clause) and not any(_nouns(one)) for one in limits)
    for one in limits:
        for row in _nouns(one):
            own = row - _VAGUE
            if (own and any(own <= folder for folder in folders)) or (strict and not one.paths):
                # "Only in src/products/ … within the products app": the folder once more, in words; and where files are
                # limited to a folder, what else is limited does not widen that.
                continue
            if row & _VAGUE:
                vague = True
            elif row:
                nouns.append(row)
    return _Scope(
        said=said,
        limit=limit,
        paths=tuple(dict.fromkeys(path for one in limits for path in one.paths)),
        named=tuple(dict.fromkeys(named_paths(text))),
        vague=vague,
        nouns=tuple(nouns),
        excluded=excluded,
        text=text,
        limits=tuple(limits),
    )


_FILES_ALONE = lazy(r"\bonly\b[^.;\n]{0,40}\bfiles\b|\bfiles\b[^.;\n]{0,40}\bonly\b", re.IGNORECASE)
"""Words by which all files are limited to a place, whatever is done to them."""


def _of_files(limit: Constraint) -> bool:
    """Whether a limit is on what is done to files, by the clause that limits: "run the tests only in tests/" is not."""
    deeds = deeds_of(limiting(limit.quote)) if limit.clause == limit.quote else limit.deeds
    return bool(limit.deeds & WRITES and deeds & WRITES) or not deeds


def _with_folders(graph: SessionGraph, limit: Constraint) -> Constraint:
    """A limit with the folders that it names by the word alone, where the session shows that they are called so."""
    if not limit.folders or not all(_is_folder(graph, name) for name in limit.folders):
        return limit
    return msgspec.structs.replace(limit, paths=tuple(f"{name}/" for name in limit.folders))


def _is_folder(graph: SessionGraph, name: str) -> bool:
    """Whether a file that the session changes lies in a folder of that name, or a call or its result names one."""
    wanted = name.casefold()
    if any(wanted in change.path.casefold().split("/")[:-1] for change in graph.file_changes[:_MOST]):
        return True
    called = re.compile(rf"(?<![\w-]){re.escape(wanted)}(?:/|\s*$)", re.MULTILINE)
    for seq in graph.index("called")[:_MOST]:
        event = graph.events[seq]
        if isinstance(event, Called):
            output = event.call.output
            shown = output.ends()[:_SHOWN] if output is not None else ""
            if called.search(f"{event.call.input.ends()[:_SHOWN]}\n{shown}".casefold()) is not None:
                return True
    return False


_MOST = 200
_SHOWN = 4_000
_PRODUCES = lazy(
    r"\b(?:writ(?:e|ing)|put(?:ting)?|stor(?:e|ing)|sav(?:e|ing)|plac(?:e|ing)|dump(?:ing)?|export(?:ing)?|creat(?:e|ing)|generat(?:e|ing)|schreib\w*|speicher\w*|leg(?:e|en)|écri\w*|enregistr\w*|escrib\w*|guard\w*)\b"
    r"\s+(?P<what>[^.;\n]{2,60}?)\s+(?:in|into|to|under|inside|within|at|nach|unter|dans|sous|en|bajo)\b",
    re.IGNORECASE,
)
"""Words by which something is made and put somewhere: the limit is on where that goes, not on other edits."""


def _concerns(limit: Constraint, change: FileChange) -> bool:
    """Whether a limit speaks of such a change: one on what may be deleted, or where copies go, leaves edits free."""
    deeds = limit.deeds & WRITES
    if deeds == {"delete"}:
        return change.how in ("delete", "move")
    made = _PRODUCES.search(limit.clause)
    sort = stems(made["what"]) - _GENERIC - _VAGUE if made is not None else frozenset()
    if sort:
        words = path_stems(change.path)
        return bool(sort & (words | _COPIES if words & _COPY_ENDS else words))
    return deeds != {"create"} or change.new_file or change.how != "edit"


_COPIES = stem_set("backup backups copy copies")
_COPY_ENDS = stem_set("bak orig old save copy backup")


def lies_in(path: str, named: str, directory: str | None) -> bool:
    """Whether a path, as seen from the session's folder, is a named file or lies in a named folder."""
    if within(path, named):
        return True
    inside = directory is not None and named.startswith("/") and not path.startswith(("/", "~", "$"))
    return inside and within(f"{directory}/{path}", named)


_PHRASE = 5
"""Words of a part of a sentence that may name a thing and no more."""
_TELLS_OF = lazy(
    r"\b(?:is|are|was|has|have|belongs?|ist|sind|war|hat|gehört|est|sont|appartient|es|son|pertenece|é|são|pertence|è|sono|appartiene|hoort|heeft|jest|są|należy|aittir|ait)\b|(?<!\w)(?:принадлежит|належить)(?!\w)",
    re.IGNORECASE,
)


def _nouns(limit: Constraint) -> Iterator[frozenset[str]]:
    """What a limit names besides paths, each alternative as stems."""
    for piece in re.split(
        r"\s+(?:or|and|oder|und|ou|et|o|y|e|или|и)\s+|,\s*", re.sub(r"\([^)]*\)", " ", limit.clause)
    ):
        told = _TELLS_OF.search(piece) is not None or len(piece.split()) > _PHRASE
        if told and piece not in limiting(limit.clause):
            # "…, the backend belongs to another team": the reason, no part of the scope.
            continue
        if not any(path in piece for path in (*limit.paths, *limit.folders)):
            yield stems(piece) - _GENERIC


def _outside(graph: SessionGraph, scope: _Scope, changes: list[FileChange] | tuple[()]) -> Iterator[Stray]:
    for change in changes:
        path = resolved(change.path, change.event.command.folder, graph.session.directory)
        if SCRATCH.search(path) or (change.event.command.target.host is not None and not change.path):
            continue
        if any(
            lies_in(path, named, graph.session.directory)
            for named in (*scope.named, *scope.paths)
            if named.strip("/.") and not _excluded(named, scope)
        ):
            continue
        where = _where(path, graph.session.directory)
        if scope.limit is None or (
            scope.limits
            and scope.excluded is None
            and not any(_concerns(limit, change) for limit in scope.limits)
        ):
            if change.event.command.target.host is not None or _FROM_AFAR & {
                via.split()[0] for via in change.event.command.via if via
            }:
                # Work on another machine is work on its system.
                continue
            if (kind := _unasked(path, where, scope, change)) is not None:
                yield _stray(scope, change, kind, "low")
            continue
        if where in ("system", "elsewhere"):
            if where == "system" and not scope.paths and scope.excluded is None and _names_system(scope.text):
                continue
            yield _stray(scope, change, where, "high")
        elif (
            _VENDORED.search(path) and scope.excluded is not None and "node_modules" in scope.excluded.clause
        ):
            yield _stray(scope, change, "elsewhere", "high")
        elif (
            scope.paths
            and not scope.vague
            and not path.startswith(("$", "-"))
            and ("/" in path or "." in path)
        ):
            if any(row <= path_stems(path) for row in scope.nouns) or _BUILT.search(path):
                continue
            sensitive = any(kind.search(path) for kind in (CI, LOCK, MANIFEST, SECRET))
            yield _stray(scope, change, "sensitive" if sensitive else "inside", "medium")


_FROM_AFAR = frozenset({"ssh", "pssh", "parallel-ssh", "pdsh", "clush", "dsh", "ansible", "salt", "salt-ssh"})
"""Programs through which a command runs on other machines."""


def _unasked(path: str, where: Where, scope: _Scope, change: FileChange) -> Where | None:
    """Where a change lies that nobody limited, when no word of the person speaks of such a place."""
    if where in ("system", "elsewhere"):
        if _CLIENTS.search(path) or (
            _HOME.match(path) is None and path.startswith("/") and where == "elsewhere"
        ):
            return None
        return None if _names_system(scope.text) or _speaks(path, scope.text) else where
    if (
        scope.named
        and not change.new_file
        and (CI.search(path) or SECRET.search(path))
        and not _SENSITIVE_WORDS.search(scope.text)
        and not _speaks(path, scope.text)
    ):
        return "sensitive"
    return None


def _speaks(path: str, text: str) -> bool:
    """Whether a text names a file, its folder or what it is called."""
    lowered = text.casefold()
    return any(len(part) > 2 and part.casefold().lstrip(".") in lowered for part in path.split("/")[-3:])


_CLIENTS = lazy(
    r"(?:^|/)\.(?:claude|codex|gemini|opencode|cursor|copilot|aider|continue|cline|roo|windsurf|local/(?:share|state))(?:/|$)|/\.config/(?:opencode|claude|codex)(?:/|$)|(?:^|/)(?:plans|memory|todos)/[\w.-]+\.(?:md|json)$|worktrees?\b"
)
"""Where agent clients keep their own things, and further working copies of the same project."""
_SENSITIVE_WORDS = lazy(
    r"\b(?:ci|cd|pipelines?|workflows?|actions?|hooks?|deploy\w*|releas\w*|publish\w*|env|environment|secrets?|credentials?|keys?|tokens?|config\w*|set\s*up|setup|install\w*|docker|build|everything|all|any)\b|(?:деплой|секрет|настро|环境|部署|配置)",
    re.IGNORECASE,
)


def _excluded(named: str, scope: _Scope) -> bool:
    """Whether a path is named only to be excluded."""
    return scope.excluded is not None and named in scope.excluded.paths and named not in scope.paths


def _where(path: str, directory: str | None) -> Where:
    if directory and (path == directory or path.startswith(f"{directory.rstrip('/')}/")):
        return "inside"
    if SYSTEM.search(path):
        return "system"
    if _SIBLING.match(path) or (_HOME.match(path) and (directory is not None or path.startswith(("~", "$")))):
        return "elsewhere"
    return "inside"


def _stray(scope: _Scope, change: FileChange, where: Where, confidence: Confidence) -> Stray:
    return Stray(
        event=change.event,
        path=change.path,
        where=where,
        limit=scope.excluded
        if where in ("system", "elsewhere") and scope.excluded is not None
        else scope.limit,
        asked=scope.said,
        exact=bool(scope.paths) and all("." in path.rstrip("/").rsplit("/", 1)[-1] for path in scope.paths),
        deleted=change.how in ("delete", "move"),
        confidence=confidence,
    )


_ANNOUNCED_PATH = lazy(
    r"(?<![\w/])(?:/(?:etc|usr|var|opt|boot|root)\b[\w./-]*|~/\.[\w./-]+|node_modules\b[\w./-]*)"
)
_ANNOUNCED_SYSTEM = lazy(
    r"\bsystem(?:[- ]wide|[- ]level)?\s+(?:\w+\s+){0,2}?(?:path|config\w*|files?|director\w+|settings?|hosts?|services?|profile|permissions?|temp\w*|tmp|packages?|python|crontab)\b"
    r"|\bglobal(?:ly)?\s+(?:\w+\s+){0,2}?(?:config\w*|settings?|install\w*|packages?|gitconfig|npmrc|path)\b"
    r"|\b(?:r?syslog(?:d|-ng)?|logrotate|crontab|cron\s+job|systemd|iptables|firewall|sudoers|sysctl|sshd?_config|hosts\s+file|resolv\.conf|(?:bash|zsh)rc|shell\s+profile|authorized_keys|kernel\s+param\w+)\b"
    r"|\b(?:other|another|sibling|neighbou?ring)\s+(?:projects?|repos(?:itor\w+)?|modules?|services?|apps?|teams?['’]?|director\w+|folders?|packages?)\b|\b(?:parent|home)\s+(?:director\w+|folder)\b|\boutside\s+(?:of\s+)?(?:the\s+)?(?:project|repo\w*|scope|director\w+|module|folder)\b",
    re.IGNORECASE,
)
"""Words for places of the machine, and for what belongs to others."""


def _in_words(graph: SessionGraph, scope: _Scope, called: Called, changes: list[FileChange]) -> Stray | None:
    """A change outside that the assistant says it makes, by a call that the log does not show."""
    if (scope.excluded is None and not scope.paths) or any(change.shown for change in changes):
        return None
    commands = graph.commands(called)
    if called.line is not None and not all(
        ran.command.effect == "none" and len(ran.command.words) == 1 for ran in commands
    ):
        return None
    if called.line is None and (not changes and commands):
        return None
    for one in announced(graph, called):
        if not intends(one.text) or not deeds_of(one.text) & WRITES:
            continue
        found = _ANNOUNCED_PATH.search(one.text) or _ANNOUNCED_SYSTEM.search(one.text)
        if found is not None and not any(within(found.group(), path) for path in scope.paths):
            return Stray(
                event=commands[0] if commands else called,
                path=found.group(),
                where="system",
                limit=scope.excluded or scope.limit,
                asked=scope.said,
                announced=one,
                confidence="low",
            )
    return None
