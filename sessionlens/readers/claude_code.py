"""Reader ``claude-code``: the session files of Claude Code, and what ``claude -p`` prints as JSON.

A file is ``~/.claude/projects/<folder>/<session>.jsonl``, one event a line; a folder of them is read as one source: sessions
that were resumed under another id go on in one session, lines that two files share count once, files of
subagents (``agent-*.jsonl``) become child sessions. ``--output-format stream-json`` and ``json`` of
``claude -p`` hold the same messages.

Where the format leaves a choice:

- ``No response requested.`` and ``(no content)`` are what the client writes where there is no answer: synthetic
  text, so that the message is empty.
- An API error that the client shows as assistant text is the message's error; its text is synthetic.
- A refused call has an error and was not interrupted: the log has the same words for a refusal and for a stop.
- Exit code 0 is what the client reports as a result and no error; it is taken from ``toolUseResult`` alone, so a
  stream without it has no exit codes but those of failures.
- Output tokens are recorded once ``stop_reason`` is; before, the figure is that of the stream's first event.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec

from sessionlens.cache import lazy
from sessionlens.model import Gap, Session
from sessionlens.readers.base import ReadError
from sessionlens.readers.claude_build import FORMAT, Reading
from sessionlens.readers.family import nest
from sessionlens.readers.folders import LOG_SUFFIXES, NO_LOGS, Beside, entries, others, unread, with_gaps
from sessionlens.readers.jsonl import decode, first_lines, glance, last_seen, members, moment, string, within
from sessionlens.readers.opencode import Counts, Entry, counted
from sessionlens.readers.source import Source

_HEAD = 1 << 18
_SMALL_HEAD = 1 << 16
_LINES_LOOKED_AT = 40
_TELLING = lazy(
    rb'"(?:parentUuid|isSidechain|leafUuid|isSnapshotUpdate|parent_tool_use_id|claude_code_version)"\s*:'
)
_FOREIGN = lazy(rb'"(?:payload|parts|\$set)"\s*:')
_OWN_ENTRIES = frozenset(
    {
        "projects", "todos", "shell-snapshots", "statsig", "settings.json", "settings.local.json", "plugins", "ide",
        "commands", "skills", "file-history", "debug", "session-env", "telemetry", "stats-cache.json", "paste-cache",
        "image-cache", "CLAUDE.md", "usage-data", "hooks", "teams", "output-styles", "keybindings.json", "chrome",
        ".credentials.json",
    }
)  # fmt: skip
"""What lies in the client's own folder beside its projects."""
_MAYBE_ITS_OWN = frozenset(
    {
        "history.jsonl", "agents", "plans", "tasks", "cache", "backups", "local", "downloads", "sessions", "logs",
    }
)  # fmt: skip
"""What lies there, too, under names that anybody may give: other logs may lie in it."""
_INNER_AGENT = lazy(
    r"agent-a(?:compact|prompt_suggestion|side_question|session_memory|way_summary)\b|agent-acompact"
)
"""Requests that the client makes for itself; their files repeat the conversation."""


class _Glance(msgspec.Struct):
    """What recognising and listing look at."""

    type: Any = None
    subtype: Any = None
    uuid: Any = None
    sessionId: Any = None
    session_id: Any = None
    timestamp: Any = None
    isSidechain: Any = None
    agentId: Any = None
    cwd: Any = None
    version: Any = None
    summary: Any = None
    customTitle: Any = None
    aiTitle: Any = None
    forkedFrom: Any = None
    leafUuid: Any = None
    messageId: Any = None
    message: msgspec.Raw = msgspec.Raw()
    snapshot: msgspec.Raw = msgspec.Raw()
    parentUuid: msgspec.Raw = msgspec.Raw()
    operation: Any = None
    duration_ms: Any = None


_GLANCE: msgspec.json.Decoder[_Glance] = msgspec.json.Decoder(_Glance)
_RAWS: msgspec.json.Decoder[list[msgspec.Raw]] = msgspec.json.Decoder(list[msgspec.Raw])


class ClaudeCode:
    """Reads sessions of Claude Code."""

    name = FORMAT

    def recognises(self, source: Source) -> str | None:
        """``None`` for a log of the client, and for a folder that holds nothing but such logs."""
        if source.folder:
            return (
                None if _logs(source.path) else "no folder of Claude Code's projects: other files lie in it"
            )
        return _missed(source, _HEAD)

    def read(self, source: Source) -> Iterator[Session]:
        """The sessions of a file or folder, subagents inside the sessions that started them.

        The files of subagents are looked for where the client puts them, beside a single file too. Raises
        :class:`ReadError` when there is no message at all.
        """
        if source.folder:
            yield from _folder(source)
        else:
            yield from _file(source)

    def read_only(self, source: Source, sessions: Collection[str]) -> Iterator[Session]:
        """The sessions with these ids, each with its children. Of a folder only their own files are read."""
        if not source.folder:
            found = {one.id: one for top in self.read(source) for one in top.family()}
            yield from (found[key] for key in dict.fromkeys(sessions) if key in found)
            return
        wanted = set(sessions)
        named = [path for path in _logs(source.path) if path.stem in wanted and not _is_agent(path)]
        if len(named) == len(wanted):
            for path in named:
                yield from _file(Source(path))
            return
        found = {one.id: one for top in self.read(source) for one in top.family()}
        yield from (found[key] for key in dict.fromkeys(sessions) if key in found)

    def logs(self, source: Source) -> list[Path]:
        """The logs of a folder that it recognises, those of subagents too."""
        return [path for path in _logs(source.path) if not _INNER_AGENT.match(path.name)]

    def beside(self, source: Source) -> Iterator[Beside]:
        """What lies in the client's own folder and is neither a session nor one of its other files."""
        if not _own(_entries(source.path)):
            return
        projects = source.path / "projects"
        yield from others(source.path, read=(projects,), skipped=_OWN_ENTRIES, own=_MAYBE_ITS_OWN)
        clean = _projects(projects)
        yield from others(projects, read=clean.keys(), skipped=())


# --- files and folders -------------------------------------------------------------------------------------


def _file(source: Source) -> Iterator[Session]:
    reading = Reading()
    if source.head(64).lstrip()[:1] == b"[":
        _listed(source, reading)
    else:
        reading.feed(source)
    lost: list[Gap] = []
    for _ in range(8):
        # A subagent may have started others; each round looks for the files of those that turned up.
        missing = [
            path for agent, session in reading.missing() for path in _beside(source.path, agent, session)
        ]
        if not missing:
            break
        before = len(reading.conversations)
        lost = [gap for path in missing for gap in _feed(reading, path, source.path.parent)]
        if len(reading.conversations) == before:
            break
    yield from with_gaps(_finished(reading, source), lost)


def _finished(reading: Reading, source: Source) -> list[Session]:
    sessions = reading.sessions(Path(source.name).stem or source.name)
    if not sessions:
        raise ReadError(
            source.name, "it holds no message of a session", advice="The client has written notes only"
        )
    return nest(sessions)


def _folder(source: Source) -> Iterator[Session]:
    paths = _logs(source.path)
    mains = sorted((path for path in paths if not _is_agent(path)), key=_rank)
    agents = [path for path in paths if _is_agent(path) and not _INNER_AGENT.match(path.name)]
    reading, lost = _fed((*mains, *agents), source.path)
    if reading.contrary:
        # Another log with the same ids is no part of the same session.
        apart = {source.path / file for file in reading.contrary}
        reading, lost = _fed((path for path in (*mains, *agents) if path not in apart), source.path)
        sessions = _finished(reading, source)
        for path in sorted(apart):
            alone, gaps = _fed((path,), source.path)
            sessions += _finished(alone, Source(path))
            lost += gaps
        yield from with_gaps(nest(sessions), lost)
        return
    yield from with_gaps(_finished(reading, source), lost)


def _fed(paths: Iterable[Path], base: Path) -> tuple[Reading, list[Gap]]:
    """What files hold together, and what of them could not be read at all."""
    reading = Reading()
    return reading, [gap for path in paths for gap in _feed(reading, path, base)]


def _feed(reading: Reading, path: Path, base: Path) -> list[Gap]:
    """Read one more file; tells what could not be read of it at all."""
    file = path.relative_to(base).as_posix()
    try:
        source = Source(path)
    except ReadError as error:
        return [unread(error, file)]
    reading.feed(source, file)
    return []


def _is_agent(path: Path) -> bool:
    return path.name.startswith("agent-")


def _rank(path: Path) -> tuple[int, int, str]:
    """A session before those that go on from it: they begin with its lines and end later."""
    try:
        source = Source(path)
        first = next(filter(None, (moment(one.timestamp) for one in _glances(source))), 0)
        last = max(filter(None, (moment(one.timestamp) for one in last_seen(source, _GLANCE))), default=first)
    except ReadError:
        return 0, 0, path.as_posix()
    return first, last, path.as_posix()


def _beside(path: Path, agent: str, session: str) -> Iterator[Path]:
    """Files of a subagent: in the folder of its session's file (to 2.0) or in one of its own (from 2.1)."""
    name = f"agent-{agent}.jsonl"
    folder = path.parent
    places = [folder / name, folder / path.stem / "subagents" / name]
    if re.fullmatch(r"[0-9A-Za-z-]{1,80}", session):
        places.append(folder / session / "subagents" / name)
    yield from (place for place in dict.fromkeys(places) if place.is_file() and not place.is_symlink())


def _listed(source: Source, reading: Reading) -> None:
    """``--output-format json --verbose`` prints its events as one list."""
    data = bytes(source.view())
    source.release()
    begin = data.index(b"[")
    try:
        raws = decode(data[begin:], _RAWS)
    except ValueError:
        raise ReadError(
            source.name, "the list of events is not complete", line=source.line_at(source.size)
        ) from None
    for line in members(data, begin + 1, raws):
        reading.take(line, source)


# --- recognising -------------------------------------------------------------------------------------------


def _missed(source: Source, length: int) -> str | None:
    """What a file lacks to be a log of the client."""
    head = source.head(length)
    if head.lstrip(b"\x00 \t\r\n")[:1] not in (b"{", b"[") and b"\n{" not in head:
        return "no JSON object at the beginning of a line"
    if head.lstrip()[:1] == b"[":
        listed = re.match(rb'\s*\[\s*\{\s*"type"\s*:\s*"system"\s*,\s*"subtype"\s*:\s*"init"', head)
        return None if listed else "a list of JSON values, not one event a line"
    seen = 0
    for data in first_lines(source, _LINES_LOOKED_AT, length):
        if data.lstrip()[:1] != b"{":
            continue
        seen += 1
        seen_of: _Glance | None = glance(data, _GLANCE)
        if seen_of is None:
            # A first line can be longer than what is looked at.
            if len(data) >= length // 2 and _TELLING.search(data) and not _FOREIGN.search(data[:300]):
                return None
        elif _is_event(seen_of, data):
            return None
    return f"no event of Claude Code (`type` with `uuid`, `sessionId`) in its first {seen or 'few'} lines"


def _is_event(seen: _Glance, data: bytes) -> bool:
    kind = seen.type
    if kind in ("user", "assistant"):
        session = string(seen.sessionId) or string(seen.session_id)
        chained = bool(memoryview(seen.parentUuid)) or b'"parent_tool_use_id"' in data
        return bool(memoryview(seen.message)) and (session is not None or chained)
    if kind == "system":
        return string(seen.sessionId) is not None or (
            seen.subtype == "init" and string(seen.session_id) is not None
        )
    if kind == "summary":
        return string(seen.leafUuid) is not None and string(seen.summary) is not None
    if kind == "file-history-snapshot":
        return bool(memoryview(seen.snapshot))
    if kind in ("progress", "queue-operation", "attachment", "custom-title", "ai-title", "last-prompt", "mode",
                "permission-mode", "agent-name"):  # fmt: skip
        return string(seen.sessionId) is not None
    return kind == "result" and string(seen.session_id) is not None and seen.duration_ms is not None


def _glances(source: Source, length: int = _SMALL_HEAD) -> Iterator[_Glance]:
    for data in first_lines(source, _LINES_LOOKED_AT, length):
        found: _Glance | None = glance(data, _GLANCE)
        if found is not None:
            yield found


def _logs(folder: Path) -> list[Path]:
    """The logs of a folder of the client (one project's, all projects', its own); none for any other folder.

    A folder that holds anything else is no such folder: what else lies there would not be read. Only the client's own
    folder is known by its other files.
    """
    entries = _entries(folder)
    if _own(entries):
        return [log for logs in _projects(folder / "projects").values() for log in logs]
    found = _project(folder, entries)
    if found or any(entry.is_file() for entry in entries):
        return found
    projects = _projects(folder)
    if any(entry not in projects and _entries(entry) for entry in entries):
        return []
    return [log for logs in projects.values() for log in logs]


def _own(entries: list[Path]) -> bool:
    """Whether these are the entries of the client's own folder."""
    names = {entry.name for entry in entries}
    others = names - {"projects"}
    return "projects" in names and (bool(others & _OWN_ENTRIES) or others <= _MAYBE_ITS_OWN)


def _projects(folder: Path) -> dict[Path, list[Path]]:
    """The folders in a folder that hold a project's logs and nothing else, each with its logs."""
    found = {entry: _project(entry, _entries(entry)) for entry in _entries(folder) if entry.is_dir()}
    return {entry: logs for entry, logs in found.items() if logs}


def _project(folder: Path, entries: list[Path]) -> list[Path]:
    files = [entry for entry in entries if entry.is_file()]
    logs = [entry for entry in files if entry.suffix == ".jsonl"]
    if not logs or any(file.suffix != ".jsonl" and file.name != "sessions-index.json" for file in files):
        return []
    read = 0
    for log in logs:
        try:
            source = Source(log)
            read += source.size > 0
            if (
                source.size
                and _missed(source, _SMALL_HEAD) is not None
                and _missed(source, _HEAD) is not None
            ):
                return []
        except ReadError:
            return []
    if not read:
        # Empty files alone are no sign of the client.
        return []
    inner = []
    for entry in entries:
        if entry.is_dir() and entry.name != "memory":
            agents = entry / "subagents"
            below = _entries(entry)
            if any(
                one.name not in ("subagents", "tool-results", "session-memory", "workflows") for one in below
            ):
                return []
            inner += [one for one in _entries(agents) if one.is_file() and one.suffix == ".jsonl"]
    return logs + inner


def _entries(folder: Path) -> list[Path]:
    return [
        entry
        for entry in entries(folder)
        # Other clients hide their logs: what is hidden and could be one counts as something else that lies here.
        if not entry.name.startswith(".")
        or (entry.name not in NO_LOGS if entry.is_dir() else entry.suffix in LOG_SUFFIXES)
    ]


# --- the local store ---------------------------------------------------------------------------------------


def local_stores(environ: Mapping[str, str] | None = None, home: Path | None = None) -> list[Projects]:
    """The folders of projects on this machine that hold a session; the one that the environment names first.

    ``CLAUDE_CONFIG_DIR`` moves the client's folder; else it is ``~/.claude``, or ``claude`` in the folder of
    configurations (1.0.30 and later on Linux).
    """
    environ = os.environ if environ is None else environ
    if home is None:
        home = Path(environ.get("HOME") or environ.get("USERPROFILE") or Path.home())
    configured = environ.get("XDG_CONFIG_HOME")
    folders = [home / ".claude", (Path(configured) if configured else home / ".config") / "claude"]
    if environ.get("CLAUDE_CONFIG_DIR"):
        folders.insert(0, Path(environ["CLAUDE_CONFIG_DIR"]))
    found, seen = [], set()
    for folder in folders:
        projects = folder / "projects"
        real = os.path.realpath(projects)
        if real not in seen and projects.is_dir():
            seen.add(real)
            store = Projects(projects)
            if store.files() or store.agents():
                found.append(store)
    return found


class Projects:
    """A store of the client: the folder that holds a folder for each project."""

    def __init__(self, path: Path) -> None:
        """Nothing is read yet. ``path`` is the folder ``projects``."""
        self.path = path
        self._files: dict[str, Path] | None = None
        self._agents: dict[str, Path] | None = None

    def files(self) -> dict[str, Path]:
        """Files of sessions by their id, which is the file's stem; those of subagents are left out.

        The folder of one project is a store, too.
        """
        if self._files is None:
            found = (entry for project in self._projects() for entry in _entries(project))
            self._files = {entry.stem: entry for entry in found if _is_log(entry) and not _is_agent(entry)}
        return self._files

    def agents(self) -> dict[str, Path]:
        """Files of subagents by their id: in the folder of their project (to 2.0) or their session's (from 2.1)."""
        if self._agents is None:
            found = (
                log
                for project in self._projects()
                for entry in _entries(project)
                for log in (_entries(entry / "subagents") if entry.is_dir() else (entry,))
            )
            self._agents = {
                log.stem: log
                for log in found
                if _is_log(log) and _is_agent(log) and not _INNER_AGENT.match(log.name)
            }
        return self._agents

    def _projects(self) -> list[Path]:
        return [self.path, *(entry for entry in _entries(self.path) if entry.is_dir())]

    def file(self, session: str) -> Path | None:
        """The file of a session or subagent; ``None`` when it is not here."""
        return self.files().get(session) or self.agents().get(session)

    def index(self) -> dict[str, Entry]:
        """What the ends of each file tell of its session; files without a message are left out.

        A session that was resumed (to 2.0) or forked begins with the lines of the one before, under their ids.
        """
        found: dict[str, Entry] = {}
        begun: dict[str, list[Entry]] = {}
        for key, path in self.files().items():
            entry, first = _entry(key, path)
            if entry is not None:
                found[key] = entry
                if first is not None:
                    begun.setdefault(first, []).append(entry)
        for same in begun.values():
            same.sort(key=lambda one: (one.updated or 0, one.id))
            for before, entry in pairwise(same):
                if entry.forked_from is None and before.forked_from != entry.id:
                    found[entry.id] = msgspec.structs.replace(entry, forked_from=before.id)
        for key, path in self.agents().items():
            entry, _ = _entry(key, path)
            if entry is not None:
                found.setdefault(key, entry)
        return found

    def counts(self, sessions: Collection[str]) -> dict[str, Counts]:
        """Messages, calls, cut-offs and bytes of sessions; reads their files. Unreadable ones are left out."""
        found = {}
        for key in sessions:
            try:
                path = self.file(key)
                if path is None:
                    continue
                source = Source(path)
                reading = Reading()
                reading.feed(source)
                own = reading.sessions(key)
            except ReadError:
                continue
            sizes = [one for one in own if (one.id == key if _is_agent(path) else one.parent is None)]
            found[key] = counted(sizes, source.size)
        return found

    def read(self, sessions: Collection[str] | None = None) -> Iterator[Session]:
        """Sessions with their children inside: all, or those with these ids, which may be subagents'."""
        for key in self.files() if sessions is None else sessions:
            path = self.files().get(key)
            if path is not None:
                yield from _file(Source(path))
            elif key in self.agents():
                yield from self._agent(key, self.agents()[key])

    def _agent(self, key: str, path: Path) -> Iterator[Session]:
        """A subagent as its session shows it, else as its file does."""
        entry, _ = _entry(key, path)
        above = self.files().get(entry.parent or "") if entry is not None else None
        if above is not None:
            found = [one for top in _file(Source(above)) for one in top.family() if one.id == key]
            if found:
                yield found[0]
                return
        yield from _file(Source(path))


def _is_log(path: Path) -> bool:
    return path.suffix == ".jsonl" and path.is_file()


def _entry(key: str, path: Path) -> tuple[Entry | None, str | None]:
    """What a file's ends tell, and the id of its first message; nothing where they hold no message."""
    try:
        source = Source(path)
        head = list(_glances(source))
        tail = last_seen(source, _GLANCE)
    except ReadError:
        return None, None
    told = [one for one in (*head, *tail) if one.type in ("user", "assistant")]
    if not told:
        return None, None
    times = [time for time in (moment(one.timestamp) for one in (*head, *tail)) if time is not None]
    known = {uuid for uuid in (string(one.uuid) for one in told) if uuid}
    # As when the session is read: a title that a person gave stands before those that the client made.
    titles = [
        *(string(one.summary) if string(one.leafUuid) in known else None for one in (*head, *tail)),
        *(string(one.aiTitle) for one in (*head, *tail)),
        *(string(one.customTitle) for one in (*head, *tail)),
    ]
    copied = (string(within(one.forkedFrom, "sessionId")) for one in head)
    first = next((string(one.uuid) for one in head if one.type in ("user", "assistant")), None)
    parent = next((found for found in (string(one.sessionId) for one in told) if found), None)
    entry = Entry(
        id=key,
        parent=parent if _is_agent(path) else None,
        title=next((title for title in reversed(titles) if title), None),
        version=next((found for found in (string(one.version) for one in told) if found), None),
        directory=next((found for found in (string(one.cwd) for one in told) if found), None),
        created=min(times, default=None),
        updated=max(times, default=None),
        forked_from=next((origin for origin in copied if origin and origin != key), None),
    )
    return entry, first
