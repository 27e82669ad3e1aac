"""From a log to sessions: :func:`read` finds the reader by content and lets it read.

Each format is one module with one class of the steps in :class:`sessionlens.readers.base.Reader`.
"""

from __future__ import annotations

import importlib
import os
import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, cast

import msgspec

from sessionlens import plugins
from sessionlens.cache import lazy
from sessionlens.model import Gap, Session
from sessionlens.readers.archive import packed, unpacked
from sessionlens.readers.base import FolderReader, Reader, ReadError, SelectiveReader
from sessionlens.readers.folders import LOG_SUFFIXES, NO_LOGS, Beside, entries, of_a_database, secret
from sessionlens.readers.source import Source

__all__ = [
    "ENTRY_POINTS",
    "READERS",
    "ReadError",
    "Reader",
    "Scan",
    "Source",
    "beside",
    "get",
    "many",
    "open_source",
    "read",
    "recognise",
    "registered",
    "scan",
]

READERS: tuple[tuple[str, str], ...] = (
    ("opencode-export", "sessionlens.readers.opencode_export:OpencodeExport"),
    ("opencode-db", "sessionlens.readers.opencode_db:OpencodeDb"),
    ("opencode-tree", "sessionlens.readers.opencode_tree:OpencodeTree"),
    ("transcript-xml", "sessionlens.readers.transcript_xml:TranscriptXml"),
    ("opencode-run-json", "sessionlens.readers.opencode_run_json:OpencodeRunJson"),
    ("opencode-events", "sessionlens.readers.opencode_events:OpencodeEvents"),
    ("opencode-api", "sessionlens.readers.opencode_api:OpencodeApi"),
    ("opencode-share", "sessionlens.readers.opencode_share:OpencodeShare"),
    ("opencode-md", "sessionlens.readers.opencode_md:OpencodeMd"),
    ("opencode-run", "sessionlens.readers.opencode_run:OpencodeRun"),
    ("opencode-chat-md", "sessionlens.readers.opencode_chat_md:OpencodeChatMd"),
    ("claude-md", "sessionlens.readers.claude_md:ClaudeMd"),
    ("specstory", "sessionlens.readers.specstory:Specstory"),
    ("aider", "sessionlens.readers.aider:Aider"),
    ("claude-console", "sessionlens.readers.claude_console:ClaudeConsole"),
    ("claude-code", "sessionlens.readers.claude_code:ClaudeCode"),
    ("codex", "sessionlens.readers.codex:Codex"),
    ("codex-exec", "sessionlens.readers.codex_exec:CodexExec"),
    ("copilot-cli", "sessionlens.readers.copilot_cli:CopilotCli"),
    ("gemini-cli", "sessionlens.readers.gemini_cli:GeminiCli"),
    ("swe-agent", "sessionlens.readers.swe_agent:SweAgent"),
    ("openhands", "sessionlens.readers.openhands:OpenHands"),
    ("atif", "sessionlens.readers.atif:Atif"),
    ("otel-genai", "sessionlens.readers.otel_genai:OtelGenai"),
    ("inspect", "sessionlens.readers.inspect_log:InspectLog"),
    ("cline", "sessionlens.readers.cline:Cline"),
    ("chat", "sessionlens.readers.chat:Chat"),
)
"""Names of the formats and where their readers are, in the order they are asked. Loaded when first asked."""

ENTRY_POINTS = "sessionlens.readers"
"""Group of entry points under which another package offers readers: name of the format = ``module:Class``."""

_SESSION_ID = lazy(
    r"ses_[0-9A-Za-z]{6,64}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|agent-[0-9a-f]{6,64}"
)
"""Ids of sessions as opencode makes them, as Claude Code and Codex do, and of Claude Code's subagents."""
_UNKNOWN = "no reader recognises this"
_ITSELF = "the store of this folder"
"""What a folder that is a store is called beside the files in it."""
_FILES_AT_MOST = 100_000
_LOG_BEGINS = lazy(
    rb"(?:\xef\xbb\xbf)?\s*+(?:\{|\[\s*+[\[{]"
    rb"|<(?!!--|(?:a|b|br|center|details|div|h[1-6]|html|img|p|picture|span|table)\b))",
    re.IGNORECASE,
)
"""How JSON and XML begin, and no Markdown with its title in HTML or with a badge."""
_OWN_RESULT = lazy(rb'"(?:sessionlens\.[a-z]{2,20}/\d|https?:[^"\s]{0,200}sarif[^"\s]{0,200})"')
"""Tells of a file that this program wrote: results may lie beside the logs."""


class Scan(msgspec.Struct, frozen=True, kw_only=True):
    """What a source holds, and what of it could not be read."""

    sessions: list[Session]
    """Every session, children inside their parents; never empty."""
    unread: tuple[ReadError, ...] = ()
    """Files of a folder that are or look like logs and could not be read, named by their place in the folder."""
    passed: int = 0
    """Files of a folder that are plainly no logs."""
    files: dict[str, str] = {}
    """By session id, the file of a folder that holds it, relative to the folder."""
    copies: tuple[tuple[str, str], ...] = ()
    """Files of a folder that hold the same session as another one and nothing else, each with that one."""


@lru_cache(maxsize=1)
def registered() -> tuple[tuple[str, str], ...]:
    """Names and places of all readers in the order they are asked: those of other packages first, then our own.

    Who installs a reader knows its format better than our general ones. A name of ours cannot be taken.
    """
    own = {name for name, _ in READERS}
    offered = {point.name: point.value for point in plugins.points(ENTRY_POINTS) if point.name not in own}
    return (*sorted(offered.items()), *READERS)


def get(name: str) -> Reader:
    """The reader of this name. Raises :class:`ReadError` that lists the names there are, or tells why it fails."""
    for known, place in registered():
        if known == name:
            return _loaded(name, place)
    names = ", ".join(known for known, _ in registered())
    raise ReadError(name, "no reader has this name", advice=f"Readers: {names}")


def _loaded(name: str, place: str) -> Reader:
    module, _, attribute = place.partition(":")
    if (name, place) in READERS:
        return cast(Reader, getattr(importlib.import_module(module), attribute)())
    try:
        return cast(Reader, getattr(importlib.import_module(module), attribute)())
    except Exception as error:
        # Code of another package: whatever is wrong with it must not end the program.
        reason = f"the reader `{name}` of another package cannot be loaded ({error or type(error).__name__})"
        raise ReadError(name, reason, advice=f"It is offered as {place}") from None


def open_source(spec: str | Path) -> Source:
    """The file, folder or standard input (``-``) that ``spec`` names.

    A session id or ``latest`` is no single file: :func:`read` looks them up in the local stores.
    """
    return Source.from_stdin() if spec == "-" else Source(spec)


_DATABASE = b"SQLite format 3\0"


def many(spec: str) -> bool:
    """Whether a source may hold many sessions: a folder, an archive or a database, by its first bytes."""
    try:
        if spec == "-" or not Path(spec).exists():
            return False
        source = Source(spec)
        head = b"" if source.folder else source.read(0, 512)
    except ReadError:
        return False
    return source.folder or head.startswith(_DATABASE) or packed(head) is not None


def recognise(source: Source) -> Reader:
    """The reader whose format the content shows.

    Raises :class:`ReadError` that tells what each reader missed.
    """
    if not source.folder and not source.size:
        raise ReadError(source.name, "the file is empty")
    missed = []
    for name, place in registered():
        try:
            reader = _loaded(name, place)
            reason = reader.recognises(source)
        except Exception as error:
            if (name, place) in READERS:
                raise
            reason = str(error) or type(error).__name__
        else:
            if reason is None:
                return reader
        missed.append(f"{name}: {reason}")
    raise ReadError(source.name, _UNKNOWN, advice="Tried " + "; ".join(missed))


def read(spec: str | Path, *, reader: str | None = None, session: str | None = None) -> list[Session]:
    """Every session of a source, children inside their parents.

    ``spec`` is a file, a folder, ``-``, a session id (``ses_…`` or a UUID, looked up in the local stores of
    opencode, Claude Code and Codex) or ``latest`` (the session there that was active last). An archive (zip, tar, gzip, zstd) is read like the folder or
    file in it. ``reader`` names the format instead of having it
    recognised; ``session`` keeps one session, which may be a child. A folder that is no store is read
    file by file, and so is what lies beside a store; what none of the readers recognises there is passed over.

    What looks like a log there and could not be read is told by gaps of the first session; see :func:`scan`.

    Raises :class:`ReadError` when nothing can be read or the session is not there.
    """
    found = scan(spec, reader=reader, session=session)
    if not found.unread:
        return found.sessions
    first, *others = found.sessions
    gaps = (Gap(reason=f"another log of this folder could not be read: {error}") for error in found.unread)
    return [msgspec.structs.replace(first, gaps=(*first.gaps, *gaps)), *others]


def scan(spec: str | Path, *, reader: str | None = None, session: str | None = None) -> Scan:
    """What :func:`read` reads, with the files of a folder that could not be read told apart from the sessions.

    One bad file never stops the rest. Raises what :func:`read` raises.
    """
    if isinstance(spec, str) and not Path(spec).exists():
        if spec == "latest" or _SESSION_ID.fullmatch(spec):
            from sessionlens.readers.stores import load

            return Scan(sessions=_chosen([load(spec)], session, spec))
    elif spec == "latest":
        raise ReadError(
            "latest",
            "there is a file of this name here, and `latest` means the latest session of the local stores",
            advice="Write `./latest` for the file, or call from another folder",
        )
    source = open_source(spec)
    found = _read(source, reader, session)
    sessions = _chosen(nest(found.sessions), session, source.name)
    if not sessions:
        raise ReadError(source.name, "it holds no session")
    return msgspec.structs.replace(found, sessions=sessions)


def _chosen(sessions: list[Session], wanted: str | None, name: str) -> list[Session]:
    """All of them, or the wanted one, which may be a child."""
    if wanted is None:
        return sessions
    found = [kept for top in sessions for kept in top.family() if kept.id == wanted][:1]
    if not found:
        raise ReadError(name, f"it holds no session {wanted}")
    return found


def _read(source: Source, name: str | None, session: str | None) -> Scan:
    inner = unpacked(source)
    try:
        return _read_plain(inner, name, session)
    except ReadError as error:
        if inner is source or source.name in error.file:
            raise
        # A file of an archive is named together with the archive, which is what the person gave.
        shown = f"{source.name}/{error.file}"
        raise ReadError(shown, error.reason, line=error.line, advice=error.advice) from None


def _read_plain(source: Source, name: str | None, session: str | None) -> Scan:
    if name is not None:
        return Scan(sessions=list(_take(get(name), source, session)))
    try:
        reader = recognise(source)
    except ReadError as error:
        if not source.folder:
            raise
        return _files(source, None, error)
    rest = next(beside(reader, source), None) if source.folder else None
    if rest is None:
        return Scan(sessions=list(_take(reader, source, session)))
    if session is not None:
        try:
            found = list(_take(reader, source, session))
        except ReadError:
            found = []
        if any(one.id == session for top in found for one in top.family()):
            return Scan(sessions=found)
    return _files(source, reader)


def beside(reader: Reader, folder: Source) -> Iterator[Beside]:
    """What lies in a folder that a reader takes whole, and is not read with it."""
    return reader.beside(folder) if isinstance(reader, FolderReader) else iter(())


def _take(reader: Reader, source: Source, session: str | None) -> Iterator[Session]:
    if session is not None and isinstance(reader, SelectiveReader):
        return reader.read_only(source, (session,))
    return reader.read(source)


def _files(folder: Source, store: Reader | None, nothing: ReadError | None = None) -> Scan:
    """The sessions of every log below a folder, in the order of their names, and what could not be read.

    A folder that is itself a store comes first, then what lies beside it; ``nothing`` says why another is none.
    """
    from sessionlens.readers.family import Once

    once = Once()
    failed: list[ReadError] = []
    unknown: ReadError | None = None
    taken: set[str] = set()
    count = passed = 0
    for path, whole, own, broken in walk(folder, store, most=_FILES_AT_MOST):
        count += 1
        reader: Reader | None = None
        source = broken or (folder if whole is not None and path == folder.path else _open(path))
        try:
            if isinstance(source, ReadError):
                raise source
            try:
                reader = recognise(source)
            except ReadError as error:
                unknown = unknown or error
                if own or not _looks_like_a_log(source):
                    passed += 1
                    continue
                raise
            for session in reader.read(source):
                place = _ITSELF if path == folder.path else path.relative_to(folder.path).as_posix()
                once.take(_unlike(session, source, taken), place)
        except ReadError as error:
            known = reader is not None or source is error
            advice = error.advice if known else "Read alone, it shows what each reader missed in it"
            shown = (
                f"{folder.name}/{path.relative_to(folder.path).as_posix()}"
                if path != folder.path
                else folder.name
            )
            failed.append(ReadError(shown, error.reason, line=error.line, advice=advice))
    if once.sessions:
        files = {key: file for key, file in once.files.items() if file != _ITSELF}
        return Scan(
            sessions=list(once.sessions.values()),
            unread=tuple(failed),
            passed=passed,
            files=files,
            copies=tuple(once.copies),
        )
    if failed or unknown is not None:
        more = f"; none of its {count} files could be read" if count > 1 else ""
        reason = f"no log that can be read lies in this folder{more}"
        told = next((error for error in failed if error.reason != _UNKNOWN), unknown) or failed[0]
        raise ReadError(folder.name, reason, advice=str(told))
    raise ReadError(
        folder.name, "there is nothing in this folder", advice=nothing.advice if nothing is not None else None
    )


def _looks_like_a_log(source: Source) -> bool:
    """Whether a file that no reader recognises may be a log all the same, by its name and how it begins."""
    if source.folder or source.path.suffix.lower() not in LOG_SUFFIXES:
        return False
    head = source.head(1 << 12)
    return _LOG_BEGINS.match(head) is not None and _OWN_RESULT.search(head) is None


def _unlike(session: Session, source: Source, taken: set[str]) -> Session:
    """The session under a name of its own where it is named after its file and another file has that name.

    An id of the log's own stays: see :class:`sessionlens.readers.family.Once`.
    """
    stem = Path(source.name).stem or source.name
    named = session.id == stem or re.fullmatch(re.escape(stem) + r"-\d{1,9}", session.id) is not None
    if session.id in taken and named and not session.children:
        folder = source.path.parent.name
        names = (
            f"{folder}-{session.id}",
            *(f"{folder}-{session.id}-{number}" for number in range(2, 100_000)),
        )
        session = msgspec.structs.replace(session, id=next(name for name in names if name not in taken))
    taken.add(session.id)
    return session


class Met(NamedTuple):
    """A file below a folder, or a folder that is a store."""

    path: Path
    store: Reader | None = None
    """The reader that takes a folder whole; ``None`` for a file."""
    own: bool = False
    """Whether it lies where a client keeps files of its own: see :class:`sessionlens.readers.folders.Beside`."""
    failed: ReadError | None = None
    """Why it cannot be looked into."""


def walk(
    top: Source,
    store: Reader | None,
    *,
    passes: Callable[[Path], bool] = lambda _folder: False,
    alone: Callable[[Reader], bool] = lambda _reader: False,
    most: int | None = None,
) -> Iterator[Met]:
    """Files below a folder, and folders that are stores, in the order of their names. None of the files is opened.

    ``store`` is the reader that takes the folder itself. Behind a store follows what lies beside it. Hidden ones are
    looked into too, since clients hide theirs (``.aider.chat.history.md``, ``.specstory``), but for what tools of other
    trades keep there; files with credentials are passed over.

    :param passes: whether a folder is passed over with all in it.
    :param alone: whether whoever takes a store by this reader reads what lies beside it too: then it does not follow.
    :param most: files, at most.
    """
    waiting: list[tuple[Path, bool, Iterator[Beside] | None]] = []
    if store is not None:
        yield Met(top.path, store)
    if not passes(top.path) and not (store is not None and alone(store)):
        waiting.append((top.path, False, beside(store, top) if store is not None else None))
    count = 0
    met = {os.path.realpath(top.path)}
    while waiting:
        folder, within, listed = waiting.pop()
        later: list[tuple[Path, bool, Iterator[Beside] | None]] = []
        files: list[tuple[Path, bool]] = []
        for path, own in listed if listed is not None else map(Beside, entries(folder)):
            if not path.is_dir():
                files.append((path, own or within))
            elif path.name not in NO_LOGS and not passes(path):
                place = os.path.realpath(path)
                if place in met:
                    # A link leads back to a folder that is looked into anyway.
                    continue
                met.add(place)
                if not os.access(path, os.R_OK | os.X_OK):
                    yield Met(path, failed=ReadError(path.name, "this folder may not be looked into"))
                    continue
                source = _open(path)
                reader = _store(source) if isinstance(source, Source) else None
                if reader is not None and isinstance(source, Source):
                    yield Met(path, reader, own or within)
                    if not alone(reader):
                        later.append((path, own or within, beside(reader, source)))
                elif not path.is_symlink():
                    later.append((path, own or within, None))
        for path, own in files:
            count += 1
            if most is not None and count > most:
                yield Met(top.path, failed=ReadError(top.name, f"more than {most} files lie in this folder"))
                return
            if not secret(path) and not of_a_database(path):
                yield Met(path, own=own)
        waiting += reversed(later)


def _open(path: Path) -> Source | ReadError:
    try:
        return unpacked(Source(path))
    except ReadError as error:
        return error


def _store(folder: Source) -> Reader | None:
    """The reader that takes a folder whole."""
    try:
        return recognise(folder)
    except ReadError:
        return None


def nest(sessions: list[Session]) -> list[Session]:
    """Put child sessions into their parents where both are there. See :mod:`sessionlens.readers.family`."""
    from sessionlens.readers.family import nest as nested

    return nested(sessions)
