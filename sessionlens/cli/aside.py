"""What a copy of this process makes of a session while its rules run: prose read, and the chunks of its transcript."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Self

import msgspec

from sessionlens import language
from sessionlens.graph.build import proses
from sessionlens.language.acts import Reading
from sessionlens.meanwhile import Meanwhile, possible

if TYPE_CHECKING:
    from sessionlens.model import Session
    from sessionlens.report.html import Chunk

_LEAST = 150
"""Texts of a session below which a copy costs more than it saves."""
_MOST = 20_000
"""Messages of a large session, with which memory counts for more than time: the copy's grows by all that it looks at."""
_reading = msgspec.msgpack.Decoder(Reading)


def large(session: Session) -> bool:
    """Whether a session is so large that its memory has to be looked after."""
    return sum(len(member.messages) for member in session.family()) > _MOST


def _read(text: str, role: language.Role) -> bytes:
    """Whether a text may act, in the first byte, and its reading."""
    reading = msgspec.msgpack.encode(language.read(text, role))
    return (_MAY if language.may_act(text) else _MAY_NOT) + reading


_MAY, _MAY_NOT = b"\1", b"\0"


class Aside:
    """What is made of one session aside; nothing where that is not worth it or not possible."""

    def __init__(self, session: Session, folder: Path, *, page: bool, redacted: bool) -> None:
        """Begin with it.

        :param folder: where results lie meanwhile.
        :param page: whether a page will be written.
        :param redacted: whether what goes into it is looked through for secrets.
        """
        self._copy: Meanwhile | None = None
        self._numbers = {} if large(session) or not possible() else proses(session)
        if len(self._numbers) < _LEAST:
            return
        chunks: list[Callable[[], bytes]] = []
        if page:
            from sessionlens.report import html

            made = html.chunks(session, leaks=_leaks if redacted else None)
            chunks = [lambda: msgspec.msgpack.encode(next(made))] * html.chunked(session)
        with suppress(OSError):
            self._copy = Meanwhile([partial(_read, *one) for one in self._numbers], chunks, folder)

    def read(self, text: str, role: language.Role) -> Reading:
        """See :func:`sessionlens.language.read`."""
        found = self._shared(text, role)
        return language.read(text, role) if found is None else _reading.decode(memoryview(found)[1:])

    def may_act(self, text: str, role: language.Role) -> bool:
        """See :func:`sessionlens.language.may_act`."""
        found = self._shared(text, role)
        return language.may_act(text) if found is None else found.startswith(_MAY)

    def _shared(self, text: str, role: language.Role) -> bytes | None:
        """What :func:`_read` tells of a text; ``None`` where nobody reads it aside."""
        number = self._numbers.get((text, role)) if self._copy is not None else None
        return None if number is None or self._copy is None else self._copy.shared(number)

    def chunk(self, number: int) -> Chunk | None:
        """A chunk of the transcript."""
        from sessionlens.report.html import Chunk

        made = self._copy.more(number) if self._copy is not None else None
        return msgspec.msgpack.decode(made, type=Chunk) if made is not None else None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._copy is not None:
            self._copy.close()


def _leaks(text: str) -> list[str]:
    from sessionlens.redact import rescan

    return rescan(text)
