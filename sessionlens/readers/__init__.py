"""From a log to sessions: :func:`read` finds the reader by content and lets it read.

Each format is one module with one class of the steps in :class:`sessionlens.readers.base.Reader`.
"""

from __future__ import annotations

import importlib
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import msgspec

from sessionlens.model import Gap, Session
from sessionlens.readers.archive import unpacked
from sessionlens.readers.base import Reader, ReadError, SelectiveReader
from sessionlens.readers.source import Source

__all__ = ["READERS", "ReadError", "Reader", "Source", "get", "open_source", "read", "recognise"]

READERS: tuple[tuple[str, str], ...] = (
    ("opencode-export", "sessionlens.readers.opencode_export:OpencodeExport"),
    ("opencode-db", "sessionlens.readers.opencode_db:OpencodeDb"),
    ("opencode-tree", "sessionlens.readers.opencode_tree:OpencodeTree"),
    ("transcript-xml", "sessionlens.readers.transcript_xml:TranscriptXml"),
    ("opencode-run-json", "sessionlens.readers.opencode_run_json:OpencodeRunJson"),
    ("opencode-events", "sessionlens.readers.opencode_events:OpencodeEvents"),
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
)
"""Names of the formats and where their readers are, in the order they are asked. Loaded when first asked."""

_SESSION_ID = re.compile(r"ses_[0-9A-Za-z]{6,64}")
_FILES_AT_MOST = 100_000


def get(name: str) -> Reader:
    """The reader of this name. Raises :class:`ReadError` that lists the names there are."""
    for known, place in READERS:
        if known == name:
            module, _, attribute = place.partition(":")
            return cast(Reader, getattr(importlib.import_module(module), attribute)())
    names = ", ".join(known for known, _ in READERS)
    raise ReadError(name, "no reader has this name", advice=f"Readers: {names}")


def open_source(spec: str | Path) -> Source:
    """The file, folder or standard input (``-``) that ``spec`` names.

    A session id or ``latest`` is no single file: :func:`read` looks them up in the local stores.
    """
    return Source.from_stdin() if spec == "-" else Source(spec)


def recognise(source: Source) -> Reader:
    """The reader whose format the content shows.

    Raises :class:`ReadError` that tells what each reader missed.
    """
    if not source.folder and not source.size:
        raise ReadError(source.name, "the file is empty")
    missed = []
    for name, _ in READERS:
        reader = get(name)
        reason = reader.recognises(source)
        if reason is None:
            return reader
        missed.append(f"{name}: {reason}")
    raise ReadError(source.name, "no reader recognises this", advice="Tried " + "; ".join(missed))


def read(spec: str | Path, *, reader: str | None = None, session: str | None = None) -> list[Session]:
    """Every session of a source, children inside their parents.

    ``spec`` is a file, a folder, ``-``, ``ses_…`` (an id looked up in the local opencode stores) or
    ``latest`` (the session there that was active last). An archive (zip, tar, gzip) is read like the folder or
    file in it. ``reader`` names the format instead of having it
    recognised; ``session`` keeps one session, which may be a child. A folder that is no store is read
    file by file, and what none of the readers recognises in it is passed over.

    Raises :class:`ReadError` when nothing can be read or the session is not there.
    """
    if isinstance(spec, str) and not Path(spec).exists():
        if spec == "latest" or _SESSION_ID.fullmatch(spec):
            from sessionlens.readers.stores import load

            return _chosen([load(spec)], session, spec)
    elif spec == "latest":
        raise ReadError(
            "latest",
            "there is a file of this name here, and `latest` means the latest session of the local stores",
            advice="Write `./latest` for the file, or call from another folder",
        )
    source = open_source(spec)
    sessions = _chosen(nest(list(_read(source, reader, session))), session, source.name)
    if not sessions:
        raise ReadError(source.name, "it holds no session")
    return sessions


def _chosen(sessions: list[Session], wanted: str | None, name: str) -> list[Session]:
    """All of them, or the wanted one, which may be a child."""
    if wanted is None:
        return sessions
    found = [kept for top in sessions for kept in top.family() if kept.id == wanted][:1]
    if not found:
        raise ReadError(name, f"it holds no session {wanted}")
    return found


def _read(source: Source, name: str | None, session: str | None) -> Iterator[Session]:
    source = unpacked(source)
    if name is not None:
        yield from _take(get(name), source, session)
        return
    try:
        reader = recognise(source)
    except ReadError as error:
        if not source.folder:
            raise
        yield from _files(source, error)
        return
    yield from _take(reader, source, session)


def _take(reader: Reader, source: Source, session: str | None) -> Iterator[Session]:
    if session is not None and isinstance(reader, SelectiveReader):
        return reader.read_only(source, (session,))
    return reader.read(source)


def _files(folder: Source, nothing: ReadError) -> Iterator[Session]:
    """The sessions of every log below a folder, in the order of their names.

    A file that is a log and cannot be read is told by a gap of the first session.
    """
    sessions: list[Session] = []
    failed: list[ReadError] = []
    passed: ReadError | None = None
    count = 0
    for source in _walk(folder.path):
        count += 1
        try:
            if isinstance(source, ReadError):
                raise source
            reader = recognise(source)
        except ReadError as error:
            passed = passed or error
            continue
        try:
            sessions += reader.read(source)
        except ReadError as error:
            failed.append(error)
    if sessions:
        gaps = tuple(Gap(reason=f"another log of this folder could not be read: {error}") for error in failed)
        sessions[0] = msgspec.structs.replace(sessions[0], gaps=sessions[0].gaps + gaps)
        yield from sessions
    elif failed or passed is not None:
        more = f"; none of its {count} files could be read" if count > 1 else ""
        reason = f"no log that can be read lies in this folder{more}"
        raise ReadError(folder.name, reason, advice=str(failed[0] if failed else passed))
    else:
        raise ReadError(folder.name, "there is nothing in this folder", advice=nothing.advice)


def _walk(top: Path) -> Iterator[Source | ReadError]:
    """Files below a folder, and folders that are stores, in the order of their names; hidden ones left out."""
    count = 0
    for base, folders, names in os.walk(top):
        inner = sorted(name for name in folders if not name.startswith("."))
        folders[:] = []
        for name in inner:
            store = _open(Path(base, name))
            if isinstance(store, Source) and _is_store(store):
                yield store
            else:
                folders.append(name)
        for name in sorted(names):
            if not name.startswith("."):
                count += 1
                if count > _FILES_AT_MOST:
                    yield ReadError(top.name, f"more than {_FILES_AT_MOST} files lie in this folder")
                    return
                yield _open(Path(base, name))


def _open(path: Path) -> Source | ReadError:
    try:
        return unpacked(Source(path))
    except ReadError as error:
        return error


def _is_store(folder: Source) -> bool:
    return any(get(name).recognises(folder) is None for name, _ in READERS)


def nest(sessions: list[Session]) -> list[Session]:
    """Put child sessions into their parents where both are there. See :mod:`sessionlens.readers.family`."""
    from sessionlens.readers.family import nest as nested

    return nested(sessions)
