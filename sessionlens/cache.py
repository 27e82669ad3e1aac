"""What is computed from files of this package, kept on the machine so that the next run need not compute it again.

Reading a lexicon and compiling its patterns takes longer than judging a session of 8 MB. What comes out depends on
nothing but our own files, so it is kept in the user's cache folder under a digest of them: another version of a file
is another entry, and a damaged or unwritable cache only costs time. Results never depend on it. What is read back is
plain data, checked against its checksum and its types; nothing in it is run but expressions, which the interpreter
checks itself, and compiled templates, which are only taken from a folder that nobody else can write to.

``SESSIONLENS_CACHE`` names another folder; empty, nothing is kept.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import re
import sys
import tempfile
from array import array
from collections.abc import Callable, Iterable
from functools import cache
from hashlib import blake2b
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, AnyStr, Generic, TypeVar, cast
from zlib import crc32

import msgspec

from sessionlens import __version__, temporary

T = TypeVar("T")
_SIZE = 16
"""Bytes of the digest that an entry is named by."""
_SUM = 4
"""Bytes of the checksum that tells a damaged entry."""


@cache
def folder() -> Path | None:
    """Where entries lie; ``None`` when nothing is to be kept."""
    named = os.environ.get("SESSIONLENS_CACHE")
    if named is not None:
        return Path(named) if named else None
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA")
    elif sys.platform == "darwin":
        base = os.path.expanduser("~/Library/Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(base) / "sessionlens" if base and os.path.isabs(base) else None


def value(name: str, sources: Iterable[str | bytes], kind: type[T], make: Callable[[], T]) -> T:
    """What ``make`` makes of these sources, as kept or made now.

    ``sources`` are everything that the value depends on, the code that makes it included. ``kind`` is its type in
    msgspec's terms, whole: what is read back is built from it.
    """
    entry = _entry(name, sources)
    known = _read(entry, kind)
    if known is not None:
        return known
    made = make()
    _write(entry, made)
    return made


def code(name: str, sources: Iterable[str | bytes]) -> bytes | None:
    """Code that :func:`keep_code` kept, to be run: only from a folder and a file that nobody else can write to."""
    entry = _entry(name, sources)
    return _read(entry, bytes) if entry is not None and _own(entry.parent) and _own(entry) else None


def keep_code(name: str, sources: Iterable[str | bytes], made: bytes) -> None:
    """Keep code for :func:`code`."""
    _write(_entry(name, sources), made)


def _own(path: Path) -> bool:
    """Whether a path is this user's alone to write to."""
    try:
        about = path.stat()
    except OSError:
        return False
    return os.name != "posix" or (about.st_uid == os.geteuid() and not about.st_mode & 0o022)


def toml(file: Traversable) -> dict[str, Any]:
    """A TOML file of this package. Ours hold no dates, which would come back as text."""
    text = file.read_text(encoding="utf-8")

    def parsed() -> dict[str, Any]:
        import tomllib

        return tomllib.loads(text)

    return value(f"toml-{file.name}", (text,), dict[str, Any], parsed)


def _entry(name: str, sources: Iterable[str | bytes]) -> Path | None:
    place = folder()
    if place is None:
        return None
    temporary.cleared(place)
    digest = blake2b(digest_size=_SIZE)
    for source in sources:
        data = source.encode("utf-8") if isinstance(source, str) else source
        digest.update(b"%d " % len(data))
        digest.update(data)
    return place / f"{name}-{digest.hexdigest()}"


def _read(entry: Path | None, kind: type[T]) -> T | None:
    if entry is None:
        return None
    try:
        data = entry.read_bytes()
        packed = memoryview(data)[_SUM:]
        if data[:_SUM] != crc32(packed).to_bytes(_SUM, "big"):
            return None
        return msgspec.msgpack.decode(packed, type=kind)
    except (OSError, ValueError):
        return None


def _write(entry: Path | None, made: Any) -> None:
    """Keep a value, and no older one of this name. What goes wrong only costs time."""
    if entry is None:
        return
    data = msgspec.msgpack.encode(made)
    checksum = crc32(data).to_bytes(_SUM, "big")
    scratch = None
    try:
        entry.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, scratch = tempfile.mkstemp(dir=entry.parent, prefix=".", suffix=temporary.PART)
        with open(handle, "wb") as stream:
            if not temporary.hold(stream):
                return
            stream.write(checksum + data)
            stream.flush()
            os.replace(scratch, entry)
        scratch = None
        stem = entry.name.rpartition("-")[0]
        for other in entry.parent.glob(f"{stem}-{'?' * 2 * _SIZE}"):
            if other != entry:
                other.unlink(missing_ok=True)
    except OSError:
        pass
    finally:
        if scratch is not None:
            with contextlib.suppress(OSError):
                os.unlink(scratch)


# -- expressions --------------------------------------------------------------------------------------


class _Code(msgspec.Struct, array_like=True):
    """What the interpreter makes of an expression."""

    expression: str
    flags: int
    code: bytes
    groups: int
    names: dict[str, int]


class Kept(Generic[T]):
    """Small values of one type by name, of which each run needs some: all of them are one entry."""

    def __init__(self, name: str, kind: type[T], sources: Callable[[], Iterable[str | bytes]]) -> None:
        """``name`` tells apart what is kept; the rest as for :func:`value`, but that ``sources`` are only asked for
        when a value is."""
        self._name, self._kind, self._sources = name, kind, sources
        self.values: dict[str, T] | None = None
        """Those at hand; ``None`` until the first is asked for."""
        self._new = False

    def of(self, name: str, make: Callable[[], T]) -> T:
        """The value of this name, made by ``make`` where it is not kept. Only for names of our own files: each is kept for ever."""
        if self.values is None:
            self.values = _read(self._entry(), cast("type[dict[str, T]]", dict[str, self._kind])) or {}  # type: ignore[name-defined]
        found = self.values.get(name)
        if found is None:
            found = self.values[name] = make()
            if not self._new:
                self._new = True
                atexit.register(self.keep)
        return found

    def keep(self) -> None:
        """Keep what is at hand; at the latest done when the process ends."""
        _write(self._entry(), self.values)

    def _entry(self) -> Path | None:
        return _entry(self._name, self._sources())


class Expressions:
    """Compiles expressions and keeps their code, which takes twenty times as long to make as to load.

    The interpreter offers no public way to its code. Where its inner functions are not what they are in Python 3.11
    to 3.13, expressions are compiled as usual.
    """

    def __init__(self, name: str, sources: Iterable[str | bytes] = ()) -> None:
        """``name`` tells apart what is kept: one entry for each. ``sources`` are what :meth:`made` depends on."""
        whole = (__version__, sys.version, str(sys.maxsize), *sources)
        self.kept = Kept(name, _Code, lambda: whole)

    def compile(self, expression: str, flags: int = 0) -> re.Pattern[str]:
        """The same as :func:`re.compile`. Only for expressions of our own files: each is kept for ever."""
        return self.made(f"{int(flags)} {expression}", lambda: expression, flags)

    def made(self, name: str, expression: Callable[[], str], flags: int = 0) -> re.Pattern[str]:
        """The same for an expression that need not be put together when its code is kept under this name."""
        if folder() is None:
            return re.compile(expression(), flags)
        try:
            return _ready(self.kept.of(name, lambda: _coded(expression(), int(flags))))
        except (ImportError, AttributeError, TypeError, ValueError, RuntimeError, OverflowError):
            return re.compile(expression(), flags)


def _coded(expression: str, flags: int) -> _Code:
    from re import _compiler, _parser  # type: ignore[attr-defined]

    expression.encode("utf-8")  # what cannot be written cannot be kept: a ValueError
    parsed = _parser.parse(expression, flags)
    code = array("I", _compiler._code(parsed, flags))
    if code.itemsize != _compiler._sre.CODESIZE:
        raise ValueError("codes of another size")
    return _Code(
        expression,
        flags | parsed.state.flags,
        code.tobytes(),
        parsed.state.groups,
        dict(parsed.state.groupdict),
    )


def _ready(known: _Code) -> re.Pattern[str]:
    import _sre  # type: ignore[import-not-found]

    names: list[str | None] = [None] * known.groups
    for name, number in known.names.items():
        names[number] = name
    code = array("I", known.code).tolist()
    made: re.Pattern[str] = _sre.compile(
        known.expression, known.flags, code, known.groups - 1, known.names, tuple(names)
    )
    return made


OWN = Expressions("expressions")
"""Those of our modules and tables but the lexicons."""
_METHODS = ("search", "match", "fullmatch", "finditer", "findall", "split", "sub", "subn")


class Lazy:
    """Stands in for a compiled pattern; becomes one at the first call."""

    def __init__(self, pattern: Any, flags: int) -> None:
        """Keep what will be compiled."""
        self._pattern, self._flags = pattern, flags

    def __getattr__(self, name: str) -> Any:
        """What the compiled pattern has."""
        if isinstance(self._pattern, str):
            compiled: Any = OWN.compile(self._pattern, self._flags)
        else:
            compiled = re.compile(self._pattern, self._flags)
        for method in _METHODS:
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


def lazy(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """A pattern of our own as :func:`re.compile` gives it, compiled at the first use: most sessions need few of them,
    and compiling takes longer than searching. A faulty one is found only then. Functions of :mod:`re` do not take it.
    """
    return cast("re.Pattern[AnyStr]", Lazy(pattern, flags))
