"""Names of files, folders and sessions without what is private in them.

A session is often called like its file, and names join tables and sources. So a stand-in rests on the name alone and
not on where it appears first: the same value has the same stand-in in every table and in every run.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from sessionlens.curate.extract import Order, Problem
    from sessionlens.model import Message, Part, Session
    from sessionlens.redact.cut import Found

_ROUNDS = 20_000
"""Rounds of PBKDF2 behind a number: a list of all addresses is not tried in an instant. Who guesses a name can still
check the guess."""
_HOME = re.compile(
    r"(?:(?:^|[/\\])(?:home|Users)[/\\]|-(?:home|Users)-|__(?:home|Users)__)(?P<value>(?:(?!__)[A-Za-z0-9_.]){1,64})"
)
_SHARED = frozenset({"shared", "public", "default", "all", "linuxbrew", "runneradmin"})
_MAIL = re.compile(
    r"[A-Za-z0-9.+%][A-Za-z0-9.+%-]{0,63}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![A-Za-z0-9])"
)
_OCTET = r"(?:25[0-5]|2[0-4]\d|1?\d?\d)"
_ADDRESS = re.compile(
    rf"(?<![\d.]){_OCTET}(?:\.{_OCTET}){{3}}(?!\d|\.\d)|(?<![a-z])ip(?:-{_OCTET}){{4}}(?!\d)|"
    r"(?<![0-9A-Fa-f:])(?:[0-9A-Fa-f]{1,4}:){2,7}:?[0-9A-Fa-f]{1,4}(?![0-9A-Fa-f:])"
)
_LOGIN = re.compile(r"(?<=@)(?P<value>[A-Za-z0-9][A-Za-z0-9.-]{2,253})$")
_HOST = re.compile(
    r"(?<![A-Za-z0-9.@-])(?:[A-Za-z0-9-]{1,63}\.){1,8}"
    r"(?:com|net|org|io|dev|cloud|app|eu|de|fr|uk|us|internal|intern|intranet|intra|local|lan|corp|home|private|example)"
    r"(?![A-Za-z0-9.-])",
    re.IGNORECASE,
)
_ENDING = re.compile(
    r"(?:\.(?:jsonl?|ndjson|xml|zip|tar|t?gz|bz2|xz|zst|log|txt|md|html?|db|sqlite3?|csv|tsv|ya?ml))+$",
    re.IGNORECASE,
)
STAND_IN = re.compile(r"(?:\b|_)(?:user|address|host|person|REDACTED-[a-z0-9-]+)-\d{6}(?!\d)")
"""What a name holds in which something was replaced."""


def named(name: str, order: Order) -> str:
    """A name without tokens, and without the private data that the order takes out of texts."""
    return _named(name, order.personal) if order.redact else name


def without_homes(address: str, order: Order) -> str:
    """An address of a source without the names of home folders in it; its host says where it is to be found, and stays."""
    return _replaced(address, _homes) if order.redact and "homes" in order.personal else address


@lru_cache(maxsize=100_000)
def _named(name: str, personal: Sequence[str]) -> str:
    from sessionlens.redact.cut import LOG_ID, hash_like

    if LOG_ID.fullmatch(name) or hash_like(name):
        return name
    clean = _replaced(name, _homes) if "homes" in personal else name
    parts = re.split(r"([/\\])", clean)
    for at in range(0, len(parts), 2):
        parts[at] = _component(parts[at], personal)
    return "".join(parts)


@lru_cache(maxsize=10_000)
def _component(name: str, personal: Sequence[str]) -> str:
    """The name of a folder or file on a path; the folders recur with each of their files."""
    ending = _ENDING.search(name)
    stem, rest = (name[: ending.start()], ending[0]) if ending is not None else (name, "")
    stem = _replaced(stem, _secrets)
    for kind, look in (("emails", _mails), ("addresses", _addresses), ("hosts", _hosts)):
        if kind in personal:
            stem = _replaced(stem, look)
    return stem + rest


def _replaced(text: str, look: Callable[[str], Iterator[Found]]) -> str:
    from sessionlens.redact import personal

    found = sorted(look(text), key=lambda one: one.start)
    pieces: list[str] = []
    done = 0
    for one in found:
        if one.start < done or STAND_IN.search(one.value) or one.value.endswith("@mail.invalid"):
            continue
        number = _number(one.value)
        if one.kind in personal.KINDS:
            stand_in = re.sub(r"-\d+", f"-{number}", personal.pseudonym(one.kind, one.value, 0), count=1)
        else:
            stand_in = f"REDACTED-{one.kind}-{number}"
        pieces += (text[done : one.start], stand_in)
        done = one.end
    return "".join((*pieces, text[done:]))


@lru_cache(maxsize=100_000)
def _number(value: str) -> str:
    data = value.casefold().encode("utf-8", "surrogatepass")
    digest = hashlib.pbkdf2_hmac("sha256", data, b"sessionlens names", _ROUNDS)
    return f"{int.from_bytes(digest[:8], 'big') % 1_000_000:06}"


def _matches(pattern: re.Pattern[str], text: str, kind: str) -> Iterator[Found]:
    from sessionlens.redact.cut import Found

    group = "value" if "value" in pattern.groupindex else 0
    for match in pattern.finditer(text):
        yield Found(match.start(group), match.end(group), kind, match[group])


def _homes(text: str) -> Iterator[Found]:
    for one in _matches(_HOME, text, "user"):
        # What ends the name is a file of the folder itself.
        last = one.end == len(text) and not text[: one.start].endswith("-")
        if not last and one.value.casefold() not in _SHARED:
            yield one


def _mails(text: str) -> Iterator[Found]:
    yield from _matches(_MAIL, text, "email")


def _addresses(text: str) -> Iterator[Found]:
    yield from _matches(_ADDRESS, text, "address")


def _hosts(text: str) -> Iterator[Found]:
    for pattern in (_LOGIN, _HOST):
        for one in _matches(pattern, text, "host"):
            if not one.value.endswith("mail.invalid") and not re.fullmatch(r"[\d.]+", one.value):
                yield one


def _secrets(text: str) -> Iterator[Found]:
    """Tokens by their own form, also where letters stand right before them or an underscore hides their beginning."""
    from sessionlens.redact.scanner import Field, detect

    if len(text) < 16:
        return
    starts = dict.fromkeys([0, *(match.end() for match in re.finditer(r"[_.\-@=+ ]", text))])
    # From each word on: the first place from which a token shows is where it begins.
    fields = [(at, Field(text[at:], False, False)) for at in starts if len(text) - at >= 16]
    for (at, _), found in zip(fields, detect((field for _, field in fields), strict=True), strict=True):
        for one in found:
            yield one._replace(start=one.start + at, end=one.end + at)


def renamed(session: Session, order: Order) -> Session:
    """A session with its children, their ids without what is private; the same object where nothing is."""
    children = tuple(renamed(child, order) for child in session.children)
    new: dict[str, object] = {}
    if any(a is not b for a, b in zip(children, session.children, strict=True)):
        new["children"] = children
    for field in ("id", "parent"):
        value = getattr(session, field)
        if value and named(value, order) != value:
            new[field] = named(value, order)
    messages = tuple(_message(message, session.id, order) for message in session.messages)
    if any(a is not b for a, b in zip(messages, session.messages, strict=True)):
        new["messages"] = messages
    return msgspec.structs.replace(session, **new) if new else session


def _message(message: Message, session: str, order: Order) -> Message:
    """A message whose ids, and those of its calls, do not hold the session's own name where that was replaced."""
    clean = named(session, order)
    if clean == session:
        parts = tuple(_part(part, order, "", "") for part in message.parts)
        same = all(a is b for a, b in zip(parts, message.parts, strict=True))
        return message if same else msgspec.structs.replace(message, parts=parts)
    return msgspec.structs.replace(
        message,
        id=message.id.replace(session, clean) if message.id else message.id,
        aliases=tuple(alias.replace(session, clean) for alias in message.aliases),
        parts=tuple(_part(part, order, session, clean) for part in message.parts),
    )


def _part(part: Part, order: Order, session: str, clean: str) -> Part:
    from sessionlens.model import Call

    if not isinstance(part, Call):
        return part
    new: dict[str, str] = {}
    for field in ("id", "continues"):
        value = getattr(part, field)
        if value and session and session in value:
            new[field] = value.replace(session, clean)
    if part.child and named(part.child, order) != part.child:
        new["child"] = named(part.child, order)
    return msgspec.structs.replace(part, **new) if new else part


def problem(one: Problem, order: Order, known: Sequence[str] = ()) -> Problem:
    """A problem as it may be kept: no name in it, nor in its words, with what is private.

    :param known: further names that the words may hold, such as ids.
    """
    reason = one.reason
    for name in sorted({one.source, one.source.rpartition("/")[2], *known}, key=len, reverse=True):
        if name and named(name, order) != name:
            reason = reason.replace(name, named(name, order))
    source = named(one.source, order)
    if (source, reason) == (one.source, one.reason):
        return one
    return msgspec.structs.replace(one, source=source, reason=reason)
