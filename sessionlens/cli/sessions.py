"""``sessionlens sessions``: what the local stores hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from sessionlens.cli.options import redacting

if TYPE_CHECKING:
    from sessionlens.readers.stores import Listed


@click.command()
@click.option(
    "--store",
    metavar="DIR",
    multiple=True,
    help="Look here instead: a client's folder (of opencode, Claude Code, Codex), or a database of opencode.",
)
@click.option(
    "--limit", type=click.IntRange(1), metavar="N", help="List the newest N sessions with their children."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@redacting
def sessions(store: tuple[str, ...], limit: int | None, as_json: bool, redact: bool) -> int:
    """List the sessions in the local stores of opencode, Claude Code and Codex.

    Newest first, children under their parents. Give an id as SOURCE to the other commands.
    """
    from sessionlens.cli.codes import OK, UNREAD, Unreadable, advise, complain
    from sessionlens.cli.outputs import stdout
    from sessionlens.readers import ReadError, stores
    from sessionlens.report import listing
    from sessionlens.report.json import encode
    from sessionlens.safe import terminal

    failed: list[ReadError] = []
    try:
        places = [stores.at(place) for place in store] if store else stores.local()
        found = stores.sessions(places, limit=limit, failed=failed)
    except ReadError as error:
        raise Unreadable(str(error)) from None
    for reason in failed:
        complain(str(reason))
    if redact:
        found = _clean(found)
    code = UNREAD if failed else OK
    if as_json:
        stdout().write(encode(listing.rows(found)))
        return code
    for row in listing.table(found):
        click.echo(terminal(row))
    if not places:
        advise("no store of opencode, Claude Code or Codex on this machine; --store DIR looks elsewhere")
    elif not found:
        advise("the stores hold no session")
    if limit is None and any(one.messages is None for one in found):
        advise(
            "? was not counted: older logs of a large store, or unreadable ones; --limit N counts the newest N"
        )
    return code


def _clean(listed: Sequence[Listed]) -> list[Listed]:
    """The list without secrets: what a person asked for, or the title made of it, may hold one."""
    import msgspec

    from sessionlens.model import Session
    from sessionlens.redact import redact

    texts = list(dict.fromkeys(text for one in listed for text in (one.title, one.asked) if text))
    if not texts:
        return list(listed)
    # Each a session of its own, so that what one text shows of a secret is known for the others.
    held = [Session(id=str(number), source_format="", title=text) for number, text in enumerate(texts)]
    cleaned, _ = redact(Session(id="list", source_format="", children=tuple(held)))
    shown = dict(zip(texts, (one.title for one in cleaned.children), strict=True))
    return [
        msgspec.structs.replace(one, title=shown.get(one.title or ""), asked=shown.get(one.asked or ""))
        for one in listed
    ]
