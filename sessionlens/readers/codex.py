"""Reader ``codex``: rollouts of Codex, of both generations.

A rollout is ``~/.codex/sessions/YYYY/MM/DD/rollout-<time>-<id>.jsonl``; ``codex archive`` moves it to
``~/.codex/archived_sessions``. From 0.32 on each line is
``{"timestamp", "type", "payload"}``; before, the items of the model's responses stand there bare. The first client, in
TypeScript, wrote one document ``{"session": …, "items": […]}``. Where the format leaves a choice:

- A message is one step of the model: its items up to their results, their ``token_count`` or the end of the turn.
  Counting only items of type ``message`` would lose every step that says nothing and calls a tool.
- A step that was counted ended well: its ``finish`` is ``stop`` or ``tool-calls``. A count that grows while no item
  came is a step in which the model returned nothing.
- ``exec_command`` has no time limit: it gives the turn back while the process runs on (background), and
  ``write_stdin`` continues that call. The limit of the older shell tools is 10 seconds unless asked for.
- The header of a result (chunk, wall time, exit code, session) becomes fields of the call; its output is what the
  command printed.
- User items that the client wrote (instructions, environment) are synthetic: where events name what the person
  wrote, and by their form, such as ``<environment_context>``.
- Searches that the provider runs are calls, though they have no result of their own.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from sessionlens.cache import lazy
from sessionlens.model import Gap, Session
from sessionlens.readers.base import ReadError
from sessionlens.readers.codex_build import FORMAT, Rollout
from sessionlens.readers.family import nest
from sessionlens.readers.folders import LOG_SUFFIXES, NO_LOGS, Beside, entries, others, unread, with_gaps
from sessionlens.readers.jsonl import ANY, decode, first_lines, glance, last_seen, moment, string, within
from sessionlens.readers.opencode import Counts, Entry, counted
from sessionlens.readers.source import Source

_HEAD = 1 << 18
_SMALL_HEAD = 1 << 16
_LINES_LOOKED_AT = 40
_KINDS = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})
_OLDER_ITEMS = frozenset(
    {"message", "reasoning", "function_call", "function_call_output", "local_shell_call"}
)
_FILE = lazy(r"rollout-.*?(?P<id>[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})\.jsonl")
_DOCUMENT = lazy(rb'\s*\{\s*"session"\s*:\s*\{[^{}]{0,100000}\}\s*,\s*"items"\s*:\s*\[')
_SESSIONS, _ARCHIVED = "sessions", "archived_sessions"
"""Folders of the client's own for rollouts: by year, month and day, and flat for those it archived."""
_DAY = lazy(r"rollout-(\d{4})-(\d{2})-(\d{2})T")
_OWN_NAMES = lazy(r"\d{4}|\d{2}")
_FOLDERS_AT_MOST = 20_000
_SIGNS = frozenset({"config.toml", "history.jsonl", "auth.json", "version.json", "log"})
"""What tells the client's own folder from others that hold a folder of this name."""
_OWN_ENTRIES = frozenset(
    {
        "config.toml", "auth.json", "version.json", "models_cache.json", "internal_storage.json", "session_index.jsonl",
        "installation_id", "AGENTS.md", "instructions.md", "prompts", "rules", "skills", "plugins", "shell_snapshots",
        ".tmp", "tmp", "packages", "bin",
    }
)  # fmt: skip
"""What lies in the client's own folder beside its rollouts."""
_MAYBE_ITS_OWN = frozenset({"history.jsonl", "log", "logs", "cache", "memories", "worktrees", "sqlite"})
"""What lies there, too, under names that anybody may give: other logs may lie in it."""


class _Glance(msgspec.Struct):
    """What recognising and listing look at."""

    timestamp: Any = None
    type: Any = None
    id: Any = None
    record_type: Any = None
    call_id: Any = None
    role: Any = None
    git: msgspec.Raw = msgspec.Raw()
    instructions: msgspec.Raw = msgspec.Raw()
    payload: msgspec.Raw = msgspec.Raw()
    sessionId: Any = None
    parentUuid: msgspec.Raw = msgspec.Raw()


_GLANCE: msgspec.json.Decoder[_Glance] = msgspec.json.Decoder(_Glance)


class Codex:
    """Reads rollouts of Codex."""

    name = FORMAT

    def recognises(self, source: Source) -> str | None:
        """``None`` for a rollout, and for a folder of rollouts as the client keeps them."""
        if source.folder:
            return (
                None
                if _rollouts(source.path)
                else "no folder of Codex's sessions (`YYYY/MM/DD/rollout-….jsonl`)"
            )
        return _missed(source)

    def read(self, source: Source) -> Iterator[Session]:
        """The session of a file, or those of a folder, with the sessions of their agents inside.

        Rollouts of agents are looked for beside a single file too. Raises :class:`ReadError` when there is no
        message at all.
        """
        if not source.folder:
            yield from _file(source)
            return
        sessions: list[Session] = []
        lost: list[Gap] = []
        for path in _rollouts(source.path):
            file = path.relative_to(source.path).as_posix()
            try:
                rollout = _one(Source(path), file)
            except ReadError as error:
                lost.append(unread(error, file))
                continue
            found = rollout.session()
            if found is not None:
                sessions.append(found)
            elif rollout.gaps:
                lost.append(unread(ReadError(path.name, "no message could be read in it"), file))
        if not sessions:
            raise ReadError(source.name, "its rollouts hold no message")
        yield from with_gaps(nest(sessions), lost)

    def read_only(self, source: Source, sessions: Collection[str]) -> Iterator[Session]:
        """The sessions with these ids, each with its children. Of a folder only their own files are read."""
        wanted = dict.fromkeys(sessions)
        if source.folder:
            named = {_id_of(path): path for path in _rollouts(source.path)}
            if all(key in named for key in wanted):
                for key in wanted:
                    yield from _file(Source(named[key]))
                return
        found = {one.id: one for top in self.read(source) for one in top.family()}
        yield from (found[key] for key in wanted if key in found)

    def logs(self, source: Source) -> list[Path]:
        """The rollouts of a folder that it recognises."""
        return _rollouts(source.path)

    def beside(self, source: Source) -> Iterator[Beside]:
        """What lies in the client's own folder and is neither a rollout nor one of its other files."""
        if not _own(source.path):
            return
        places = [source.path / name for name in (_SESSIONS, _ARCHIVED)]
        yield from others(source.path, read=places, skipped=_OWN_ENTRIES, own=_MAYBE_ITS_OWN)
        for place in places:
            yield from map(Beside, _within(place)[1])


def _one(source: Source, file: str | None = None) -> Rollout:
    rollout = Rollout(_id_of(source.path) or Path(source.name).stem or source.name, file)
    if _DOCUMENT.match(source.head(_HEAD)):
        try:
            rollout.feed_document(source)
        except ValueError:
            line = source.line_at(max(0, source.size - 1))
            raise ReadError(source.name, "the rollout is not complete", line=line) from None
    else:
        rollout.feed(source)
    return rollout


def _file(source: Source) -> Iterator[Session]:
    first = _one(source)
    session = first.session()
    if session is None:
        raise ReadError(
            source.name, "it holds no message of a session", advice="The client has noted its start only"
        )
    sessions, seen, waiting = [session], {session.id}, list(first.children)
    while waiting and len(sessions) < 1000:
        child = waiting.pop(0)
        if child in seen:
            continue
        seen.add(child)
        for path in _beside(source.path, child):
            rollout = _one(Source(path), Path(os.path.relpath(path, source.path.parent)).as_posix())
            found = rollout.session()
            if found is not None and found.id == child:
                sessions.append(found)
                waiting += rollout.children
    yield from nest(sessions)


def _beside(path: Path, session: str) -> list[Path]:
    """The rollout of an agent: of the same day, in the same folder, or where the client puts archived ones."""
    if not _FILE.fullmatch(f"rollout-{session}.jsonl"):
        return []
    folders = [path.parent]
    day = _DAY.match(path.name)
    if path.parent.name == _ARCHIVED and day is not None:
        folders.append(path.parent.parent.joinpath(_SESSIONS, *day.groups()))
    elif len(path.parents) > 4 and path.parents[3].name == _SESSIONS:
        folders.append(path.parents[4] / _ARCHIVED)
    found = (one for folder in folders for one in sorted(folder.glob(f"rollout-*{session}.jsonl")))
    return [one for one in found if one != path and one.is_file()]


def _id_of(path: Path) -> str:
    found = _FILE.fullmatch(path.name)
    return found["id"] if found is not None else ""


# --- recognising -------------------------------------------------------------------------------------------


def _missed(source: Source) -> str | None:
    """What a file lacks to be a rollout."""
    if _DOCUMENT.match(source.head(_HEAD)):
        return None
    seen = 0
    for data in first_lines(source, _LINES_LOOKED_AT, _HEAD):
        if data.lstrip()[:1] != b"{":
            continue
        seen += 1
        seen_of: _Glance | None = glance(data, _GLANCE)
        if seen_of is None:
            # The first line holds the client's instructions and may be longer than what is looked at.
            if re.match(
                rb'\s*\{\s*"timestamp"\s*:\s*"[^"]{10,40}"\s*,\s*"type"\s*:\s*"(?:session_meta|response_item)"',
                data,
            ):
                return None
            continue
        if isinstance(seen_of.type, str) and seen_of.type in _KINDS and memoryview(seen_of.payload):
            return None
        if _is_older(seen_of):
            return None
    if not seen:
        return "no JSON object at the beginning of a line"
    return "no line of a rollout (`session_meta`, `response_item`, or bare items after a line with `instructions`)"


def _is_older(seen: _Glance) -> bool:
    if memoryview(seen.parentUuid) or seen.sessionId is not None:
        return False
    if seen.type is None:
        begins = bool(memoryview(seen.instructions)) or bool(memoryview(seen.git))
        return string(seen.id) is not None and string(seen.timestamp) is not None and begins
    return seen.type == "function_call" and string(seen.call_id) is not None


def _rollouts(folder: Path) -> list[Path]:
    """Rollouts of a folder that holds nothing else (a day's, the client's ``sessions``), or of the client's own folder."""
    if _own(folder):
        found = [path for name in (_SESSIONS, _ARCHIVED) for path in _within(folder / name)[0]]
    else:
        found, strange = _within(folder)
        if strange:
            return []
    try:
        # Names alone decide nothing: the first must be what it is called.
        return found if found and _missed(Source(found[0])) is None else []
    except ReadError:
        return []


def _own(folder: Path) -> bool:
    """Whether it is the client's own folder, by what lies there beside the rollouts."""
    names = {entry.name for entry in _entries(folder)}
    return bool(names & {_SESSIONS, _ARCHIVED}) and bool(names & _SIGNS)


def _within(folder: Path) -> tuple[list[Path], list[Path]]:
    """The rollouts of a folder and its folders of years, months and days, by path; and whatever else lies there."""
    found: list[Path] = []
    strange: list[Path] = []
    waiting, looked = [(folder, 0)], 0
    while waiting:
        here, depth = waiting.pop()
        looked += 1
        if looked > _FOLDERS_AT_MOST:
            strange.append(here)
            continue
        for entry in _entries(here):
            if entry.is_dir() and depth < 3 and _OWN_NAMES.fullmatch(entry.name):
                waiting.append((entry, depth + 1))
            elif entry.is_file() and _FILE.fullmatch(entry.name):
                found.append(entry)
            else:
                strange.append(entry)
    return sorted(found), sorted(strange)


def _entries(folder: Path) -> list[Path]:
    return [
        entry
        for entry in entries(folder)
        # Other clients hide their logs: what is hidden and could be one counts as something else that lies here.
        if not entry.name.startswith(".")
        or (entry.name not in NO_LOGS if entry.is_dir() else entry.suffix in LOG_SUFFIXES)
    ]


# --- the local store ---------------------------------------------------------------------------------------


def local_stores(environ: Mapping[str, str] | None = None, home: Path | None = None) -> list[Rollouts]:
    """The client's store on this machine, if it holds a session: ``$CODEX_HOME`` or ``~/.codex``, archived ones too."""
    environ = os.environ if environ is None else environ
    if home is None:
        home = Path(environ.get("HOME") or environ.get("USERPROFILE") or Path.home())
    folder = Path(environ["CODEX_HOME"]) if environ.get("CODEX_HOME") else home / ".codex"
    store = Rollouts(folder / _SESSIONS)
    return [store] if store.files() else []


def is_rollout(path: Path) -> bool:
    """Whether a file has the name of a rollout."""
    return _FILE.fullmatch(path.name) is not None


def is_store(folder: Path) -> bool:
    """Whether rollouts lie in a folder, or in its folders of years, months and days."""
    waiting, looked = [(folder, 0)], 0
    while waiting and looked < _FOLDERS_AT_MOST:
        here, depth = waiting.pop()
        looked += 1
        for entry in _entries(here):
            if is_rollout(entry) and entry.is_file():
                return True
            if depth < 3 and _OWN_NAMES.fullmatch(entry.name) and entry.is_dir():
                waiting.append((entry, depth + 1))
    return False


class Rollouts:
    """A store of the client: the folder ``sessions`` with one of its rollouts a session, and the archived ones beside it."""

    def __init__(self, path: Path) -> None:
        """Nothing is read yet."""
        self.path = path
        self._files: dict[str, Path] | None = None

    def files(self) -> dict[str, Path]:
        """Rollouts by the id in their names."""
        if self._files is None:
            places = [self.path]
            if self.path.name == _SESSIONS:
                places.append(self.path.parent / _ARCHIVED)
            self._files = {
                _id_of(path): path
                for place in places
                for path in sorted(place.rglob("rollout-*.jsonl"))
                if _id_of(path)
            }
        return self._files

    def file(self, session: str) -> Path | None:
        """The rollout of a session; ``None`` when it is not here."""
        return self.files().get(session)

    def index(self) -> dict[str, Entry]:
        """What the ends of each rollout tell of its session."""
        entries = ((key, _entry(key, path)) for key, path in self.files().items())
        return {key: entry for key, entry in entries if entry is not None}

    def counts(self, sessions: Collection[str]) -> dict[str, Counts]:
        """Messages, calls, cut-offs and bytes of sessions; reads their files. Unreadable ones are left out."""
        found = {}
        for key in sessions:
            try:
                source = Source(self.files()[key])
                session = _one(source).session()
            except (ReadError, KeyError):
                continue
            if session is not None:
                found[key] = counted([session], source.size)
        return found

    def read(self, sessions: Collection[str] | None = None) -> Iterator[Session]:
        """Sessions with their children inside: all, or those with these ids."""
        if sessions is None:
            found = []
            for path in self.files().values():
                session = _one(Source(path)).session()
                found += [session] if session is not None else []
            yield from nest(found)
            return
        for key in sessions:
            named = self.files().get(key)
            if named is not None:
                yield from _file(Source(named))


def _entry(key: str, path: Path) -> Entry | None:
    try:
        source = Source(path)
        glances = [*_glances(first_lines(source, _LINES_LOOKED_AT, _HEAD)), *last_seen(source, _GLANCE)]
    except ReadError:
        return None
    if not any(one.type in ("response_item", "message", "function_call") for one in glances):
        return None
    meta: Any = next((_payload(one) for one in glances if one.type == "session_meta"), {})
    times = [time for time in (moment(one.timestamp) for one in glances) if time is not None]
    spawned = within(meta, "source", "subagent", "thread_spawn", "parent_thread_id")
    spawned = spawned or within(meta, "source", "sub_agent", "thread_spawn", "parent_thread_id")
    parent = string(spawned) or string(within(meta, "parent_thread_id"))
    names = [
        string(within(_payload(one), "thread_name"))
        for one in glances
        if one.type == "event_msg" and b'"thread_name' in bytes(one.payload)
    ]
    return Entry(
        id=key,
        parent=parent,
        title=next((name for name in reversed(names) if name), None),
        version=string(within(meta, "cli_version")),
        directory=string(within(meta, "cwd")),
        created=min(times, default=None),
        updated=max(times, default=None),
        forked_from=string(within(meta, "forked_from_id")) if parent is None else None,
    )


def _glances(found: Collection[bytes] | Iterator[bytes]) -> Iterator[_Glance]:
    for data in found:
        one: _Glance | None = glance(data, _GLANCE) if data.strip() else None
        if one is not None:
            yield one


def _payload(one: _Glance) -> Any:
    try:
        return decode(one.payload, ANY) if memoryview(one.payload) else {}
    except ValueError:
        return {}
