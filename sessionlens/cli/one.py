"""Reading for the commands that take one source."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sessionlens.cli.codes import Misused, Unreadable

if TYPE_CHECKING:
    from sessionlens.model import Session


def sessions(source: str, *, reader: str | None, session: str | None, redact: bool) -> list[Session]:
    """The sessions of a source, redacted unless that is off; what cannot be read ends the command."""
    from sessionlens import readers

    try:
        found = readers.read(source, reader=reader, session=session)
    except readers.ReadError as error:
        raise Unreadable(str(error)) from None
    if not redact:
        return found
    from sessionlens import redact as redacting

    return [redacting.redact(one)[0] for one in found]


def only(source: str, *, reader: str | None, session: str | None, redact: bool) -> Session:
    """The one session of a source; where there are more, the person must say which."""
    found = sessions(source, reader=reader, session=session, redact=redact)
    if len(found) > 1:
        ids = ", ".join(one.id for one in found[:8]) + (" …" if len(found) > 8 else "")
        raise Misused(f"{source} holds {len(found)} sessions; choose one with --session: {ids}")
    return found[0]
