"""Takes secrets out of a session, once, before anything is computed from it.

:func:`redact` runs right after reading and before the graph is built, so whatever leaves the program is clean by
construction. Every secret gets a stable name, ``REDACTED-password-1``: the same secret has the same name wherever
it stands in the session and its children, numbered in the order of first appearance. The names hold nothing that
a shell, JSON, XML, a URL or Markdown could misread, so commands parse as before.

What is found by a label or a command (``mysql -p…``) is then replaced everywhere else it stands, without a label
too, when it cannot be mistaken for an ordinary word. A secret that is split over two fields is not found.
"""

from __future__ import annotations

import base64
import re
from bisect import bisect_right
from collections import Counter, deque
from collections.abc import Container, Iterable, Iterator
from concurrent.futures import Future
from functools import partial
from typing import Any, NamedTuple
from urllib.parse import quote

import msgspec
from msgspec.structs import replace

from sessionlens.model import (
    Call,
    Changed,
    File,
    Message,
    Part,
    Reasoning,
    Session,
    Subtask,
    Text,
    TextPart,
    Unread,
)
from sessionlens.redact.cut import LOG_ID, PSEUDONYM, Found, distinctive, hash_like
from sessionlens.redact.scanner import Field, aside, detect, merge
from sessionlens.scanners import warm

__all__ = ["PSEUDONYM", "Exposure", "RedactOptions", "Redactions", "redact", "rescan", "rescanning", "warm"]


class RedactOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What to take out."""

    secrets: bool = True
    """Passwords, tokens, keys."""
    homes: bool = False
    """The person's name in paths of home folders: ``/home/user-1/…``."""
    emails: bool = False
    """E-mail addresses: ``person-1@mail.invalid``."""
    addresses: bool = False
    """IP addresses, those of the machine itself kept: ``address-1``."""
    hosts: bool = False
    """Host names seen in remote commands, logins and URLs: ``host-1``, ``host-2-staging``. A word that tells the
    environment stays, and so do public services."""


class Exposure(msgspec.Struct, frozen=True, kw_only=True):
    """One place where something was taken out."""

    session: str
    """Id of the session."""
    message_index: int | None
    """Position of the message; ``None`` for the session's own fields (title, directory)."""
    part: int | None
    """Position of the part in the message; ``None`` for the message's own fields (error)."""
    call_id: str | None
    """Id of the call, where the part is one."""
    field: str
    """Which field: ``text``, ``input``, ``output``, ``error`` …"""
    kind: str
    """What was taken out, such as ``password``."""
    name: str
    """The name that stands for it."""


class Redactions(msgspec.Struct, frozen=True, kw_only=True):
    """What was taken out of a session and its children. Holds no secret."""

    total: int = 0
    """Places where something was replaced."""
    by_kind: dict[str, int] = {}
    """Places by kind, most first."""
    distinct: dict[str, int] = {}
    """Different secrets by kind, in the order of :attr:`by_kind`."""
    places: tuple[Exposure, ...] = ()
    """Every place, in reading order."""


class _Slot(NamedTuple):
    """Where a text stands: enough to name the place and to put the clean text back."""

    session: int
    message: int
    part: int
    field: str
    item: int
    value: Text | str
    escaped: bool
    command: bool


_WHOLE = -1
"""For the message or part of a slot: the session's, or the message's, own field."""


def _slots(sessions: list[Session]) -> Iterator[_Slot]:
    """Every text of the sessions but ids, in reading order."""
    for s, session in enumerate(sessions):
        for field in ("title", "directory", "client", "client_version"):
            yield from _own(s, _WHOLE, field, getattr(session, field))
        for i, gap in enumerate(session.gaps):
            yield _Slot(s, _WHOLE, _WHOLE, "gaps", i, gap.reason, False, False)
        for i, repair in enumerate(session.repairs):
            yield _Slot(s, _WHOLE, _WHOLE, "repairs", i, repair.kind, False, False)
        for m, message in enumerate(session.messages):
            for p, part in enumerate(message.parts):
                yield from _of_part(s, m, p, part)
            for field in ("model", "agent", "finish"):
                yield from _own(s, m, field, getattr(message, field))
            if message.error is not None:
                yield _Slot(s, m, _WHOLE, "error", 0, message.error.name, False, False)
                yield _Slot(s, m, _WHOLE, "error", 1, message.error.text, False, False)


def _own(s: int, m: int, field: str, value: str | None) -> Iterator[_Slot]:
    if value:
        yield _Slot(s, m, _WHOLE, field, 0, value, False, False)


def _of_part(s: int, m: int, p: int, part: Part) -> Iterator[_Slot]:
    if isinstance(part, Call):
        yield _Slot(s, m, p, "name", 0, part.name, False, False)
        yield _Slot(s, m, p, "input", 0, part.input, True, True)
        if part.output is not None:
            yield _Slot(s, m, p, "output", 0, part.output, False, False)
        if part.error is not None:
            yield _Slot(s, m, p, "error", 0, part.error, False, False)
        if part.spilled:
            yield _Slot(s, m, p, "spilled", 0, part.spilled, False, False)
    elif isinstance(part, (TextPart, Reasoning)):
        yield _Slot(s, m, p, "text", 0, part.text, False, False)
    elif isinstance(part, Subtask):
        yield _Slot(s, m, p, "prompt", 0, part.prompt, False, False)
        if part.agent:
            yield _Slot(s, m, p, "agent", 0, part.agent, False, False)
    elif isinstance(part, File):
        for field, value in (("name", part.name), ("mime", part.mime)):
            if value:
                yield _Slot(s, m, p, field, 0, value, False, False)
    elif isinstance(part, Changed):
        for i, name in enumerate(part.files):
            yield _Slot(s, m, p, "files", i, name, False, False)
    elif isinstance(part, Unread):
        yield _Slot(s, m, p, "reason", 0, part.reason, False, False)


class _Texts:
    """The whole texts of the slots. Long ones come from the log; the first megabytes of them are kept at hand.

    Slots are made anew each time they are gone through: a list of them would be larger than what they stand in.
    """

    MOST = 32_000_000

    def __init__(self, sessions: list[Session]) -> None:
        self._sessions = sessions
        self._kept: dict[int, str] = {}
        self._size = 0

    def all(self) -> Iterator[tuple[int, _Slot, str]]:
        """Number, slot and text, in reading order."""
        for number, slot in enumerate(_slots(self._sessions)):
            yield number, slot, self._whole(number, slot.value)

    def some(self, numbers: Container[int]) -> Iterator[tuple[int, _Slot, str]]:
        """Those of these numbers, in reading order."""
        for number, slot in enumerate(_slots(self._sessions)):
            if number in numbers:
                yield number, slot, self._whole(number, slot.value)

    def _whole(self, number: int, value: Text | str) -> str:
        if isinstance(value, str):
            return value
        if not value.long:
            return value.head
        kept = self._kept.get(number)
        if kept is None:
            kept = value.whole()
            if self._size + len(kept) <= self.MOST:
                self._kept[number] = kept
                self._size += len(kept)
        return kept


class _Names:
    """Gives every secret its name, in the order of first appearance."""

    def __init__(self) -> None:
        self._names: dict[str, tuple[str, str]] = {}
        self._numbers: Counter[str] = Counter()

    def of(self, found: Found) -> tuple[str, str]:
        """Kind and name of a finding; a secret keeps the kind it was first found as."""
        secret = _identity(found.value)
        known = self._names.get(secret)
        if known is None:
            self._numbers[found.kind] += 1
            number = self._numbers[found.kind]
            if found.kind in PERSONAL:
                from sessionlens.redact import personal

                name = personal.pseudonym(found.kind, found.value, number)
            else:
                name = f"REDACTED-{found.kind}-{number}"
            known = self._names[secret] = (found.kind, name)
        return known

    @property
    def distinct(self) -> Counter[str]:
        return self._numbers


def redact(session: Session, *, options: RedactOptions | None = None) -> tuple[Session, Redactions]:
    """The same session without secrets, and what was taken out of it.

    Texts without a finding are kept as they are. A long text stays a handle: it reads the log again and takes out
    the same places. The input of a call that was JSON stays JSON. Ids stay, unless an id holds a token itself.
    The same session and options give the same result, whatever else was redacted before.
    """
    options = options or RedactOptions()
    sessions = list(session.family())
    texts = _Texts(sessions)
    found = _look(texts, options)
    _spread(texts, found)
    names = _Names()
    places: list[Exposure] = []
    changes: Changes = {}
    for number, slot, text in texts.some(found):
        cleaned: list[tuple[int, int, str]] = []
        for one in found[number]:
            kind, name = names.of(one)
            cleaned.extend(_inside(text, one, name) if slot.escaped else [(one.start, one.end, name)])
            places.append(_exposure(sessions, slot, kind, name))
        fields = changes.setdefault((slot.session, slot.message, slot.part), {})
        fields.setdefault(slot.field, {})[slot.item] = _clean(slot.value, text, _apart(cleaned))
    ids = _ids(sessions, names, places) if options.secrets else {}
    clean = _rebuild(sessions, changes, ids) if changes or ids else session
    counts = Counter(place.kind for place in places)
    kinds = sorted(counts, key=lambda kind: (-counts[kind], kind))
    return clean, Redactions(
        total=len(places),
        by_kind={kind: counts[kind] for kind in kinds},
        distinct={kind: names.distinct[kind] for kind in kinds},
        places=tuple(places),
    )


PERSONAL = frozenset({"user", "email", "address", "host"})
"""Kinds of findings that :mod:`sessionlens.redact.personal` makes, which is only loaded where one is."""
_REPEATED = 200
"""Characters up to which a text that stands in many places (a tool's name, a model's) is looked at once."""
_LEAST = 6
"""Characters that a text needs to hold a secret together with what shows that it is one."""


def _look(texts: _Texts, options: RedactOptions) -> dict[int, list[Found]]:
    """What is found in each slot, by its number."""
    same: dict[tuple[str, bool, bool], list[int]] = {}
    asked: deque[list[int]] = deque()

    def fields() -> Iterator[Field]:
        for number, slot, text in texts.all():
            if len(text) < _LEAST:
                continue
            if len(text) <= _REPEATED:
                key = (text, slot.escaped, slot.command)
                if key in same:
                    same[key].append(number)
                    continue
                same[key] = numbers = [number]
            else:
                numbers = [number]
            asked.append(numbers)
            yield Field(text, slot.escaped, slot.command)

    told: list[tuple[list[int], list[Found]]] = []
    for here in detect(fields(), secrets=options.secrets, extra=_extra(options)):
        numbers = asked.popleft()
        if here:
            told.append((numbers, here))
    # Only now it is known which other slots hold the same.
    return {number: here for numbers, here in told for number in numbers}


def rescan(text: str) -> list[str]:
    """Kinds of the secrets that a finished output still holds, in order; the names that stand for secrets do not count.

    Only what its own form gives away is looked for (tokens of vendors, keys, credentials in URLs): a label beside
    a value means nothing once markup stands between them. Hand over what a reader sees, not packed or encoded data.
    """
    return [one.kind for found in detect([Field(text, False, False)], strict=True) for one in found]


def rescanning(text: str) -> Future[list[str]]:
    """:func:`rescan` in the background: the scanner needs no interpreter, so that it costs no time where there are
    two cores."""
    return aside(rescan, text)


def _extra(options: RedactOptions) -> Any:
    if not (options.homes or options.emails or options.addresses or options.hosts):
        return None

    from sessionlens.redact import personal

    def look(text: str, command: bool) -> Iterator[Found]:
        if options.homes:
            yield from personal.homes(text)
        if options.emails:
            yield from personal.emails(text, command)
        if options.addresses:
            yield from personal.addresses(text)
        if options.hosts:
            yield from personal.hosts(text, command)

    return look


# ----------------------------------------------------------------------------------------------------- spreading


def _identity(value: str) -> str:
    """What makes two findings the same secret: a key block however its lines are broken."""
    if "PRIVATE KEY" in value or "PuTTY" in value:
        return re.sub(r"\\+[rn]|\s", "", value)
    return value


def _spellings(value: str) -> Iterator[str]:
    """How a secret may stand elsewhere: in JSON, in a URL, in base64."""
    yield value
    spelled = msgspec.json.encode(value).decode()[1:-1] if _encodable(value) else value
    others = [spelled, spelled.replace("\\", "\\\\"), quote(value, safe="", errors="surrogatepass")]
    if len(value) >= 8:
        others.append(base64.b64encode(value.encode("utf-8", "surrogatepass")).decode().rstrip("="))
    yield from (other for other in dict.fromkeys(others) if other != value)


def _encodable(value: str) -> bool:
    return not any("\ud800" <= c <= "\udfff" for c in value)


def _spread(texts: _Texts, found: dict[int, list[Found]]) -> None:
    """Find the known secrets wherever else they stand, with no label beside them."""
    known: dict[str, Found] = {}
    for number in sorted(found):
        for one in found[number]:
            if one.kind in ("host", "user"):
                if one.kind == "host":
                    known.setdefault(one.value, one)
            elif distinctive(one.value):
                for spelling in _spellings(one.value):
                    known.setdefault(spelling, one)
    if not known:
        return
    hosts = [one.value for one in known.values() if one.kind == "host"]
    series: re.Pattern[str] | None = None
    if hosts:
        from sessionlens.redact import personal

        short, series = personal.also(hosts)
        for name in sorted(short):
            known.setdefault(name, Found(0, len(name), "host", name))
    needles = sorted(known.items())
    for number, _, text in texts.all():
        more = [
            Found(place, place + len(needle), one.kind, one.value)
            for needle, one in needles
            if needle in text
            for place in _places(text, needle)
        ]
        if series is not None:
            more += [Found(m.start(), m.end(), "host", m[0]) for m in series.finditer(text)]
        if more:
            here = found.get(number, [])
            found[number] = merge([*here, *_uncovered(more, here)])


def _uncovered(more: list[Found], here: list[Found]) -> Iterator[Found]:
    """Those that touch nothing of what stands in order and without overlap already."""
    ends = [one.end for one in here]
    for one in more:
        behind = bisect_right(ends, one.start)
        if behind == len(here) or here[behind].start >= one.end:
            yield one


def _places(text: str, needle: str) -> Iterator[int]:
    """Where a secret stands as a word of its own; an escape such as ``\\n`` before it is no letter of it."""
    at = text.find(needle)
    while at >= 0:
        behind = at + len(needle)
        before_fits = not _joins(text, at - 1, needle[0]) or (
            at >= 2 and text[at - 2] == "\\" and text[at - 1] in "nrtbf"
        )
        if before_fits and not _joins(text, behind, needle[-1]):
            yield at
        at = text.find(needle, behind)


def _joins(text: str, place: int, edge: str) -> bool:
    """Whether the character at a place continues the word that a secret's edge belongs to."""
    return 0 <= place < len(text) and edge.isalnum() and text[place].isalnum()


# ------------------------------------------------------------------------------------------------------ replacing

_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_SCALAR = re.compile(r"[^\s\"{}\[\],:]+")


def _inside(text: str, one: Found, name: str) -> list[tuple[int, int, str]]:
    """What to replace in JSON text so that it stays JSON: within strings only, a bare value as a string."""
    try:
        msgspec.json.decode(text.encode("utf-8", "surrogatepass"))
    except (msgspec.DecodeError, ValueError, RecursionError):
        return [(one.start, one.end, name)]
    parts: list[tuple[int, int, str]] = []
    done = 0
    for match in _STRING.finditer(text):
        if match.start() >= one.end:
            break
        first, last = max(one.start, match.start(1)), min(one.end, match.end(1))
        if first < last:
            parts.append((first, last, name))
        done = match.end()
    if not parts:
        bare = next((m for m in _SCALAR.finditer(text, min(done, one.start)) if m.end() > one.start), None)
        if bare is not None and bare.start() < one.end:
            parts.append((bare.start(), bare.end(), f'"{name}"'))
    return parts


def _apart(spans: list[tuple[int, int, str]]) -> tuple[tuple[int, int, str], ...]:
    """Replacements in order, none within another."""
    result: list[tuple[int, int, str]] = []
    for span in sorted(spans):
        if not result or span[0] >= result[-1][1]:
            result.append(span)
    return tuple(result)


def _cleaned(text: str, spans: tuple[tuple[int, int, str], ...]) -> str:
    pieces: list[str] = []
    done = 0
    for start, end, name in spans:
        pieces += (text[done:start], name)
        done = end
    pieces.append(text[done:])
    return "".join(pieces)


def _load(text: Text, spans: tuple[tuple[int, int, str], ...]) -> str:
    """Read a long text of the log again and take out the same places."""
    return _cleaned(text.whole(), spans)


def _clean(value: Text | str, text: str, spans: tuple[tuple[int, int, str], ...]) -> Any:
    if isinstance(value, str):
        return _cleaned(text, spans)
    load = partial(_load, value, spans) if value.long else None
    return Text(_cleaned(text, spans), load, packed=value.packed)


def _exposure(sessions: list[Session], slot: _Slot, kind: str, name: str) -> Exposure:
    session = sessions[slot.session]
    message = session.messages[slot.message] if slot.message != _WHOLE else None
    part = message.parts[slot.part] if message is not None and slot.part != _WHOLE else None
    return Exposure(
        session=session.id,
        message_index=message.index if message is not None else None,
        part=slot.part if part is not None else None,
        call_id=part.id if isinstance(part, Call) else None,
        field=slot.field,
        kind=kind,
        name=name,
    )


Changes = dict[tuple[int, int, int], dict[str, dict[int, Any]]]
"""New values by session, message and part, by field, by item of the field."""


def _rebuild(sessions: list[Session], changes: Changes, ids: dict[str, str]) -> Session:
    """The family with clean texts; what has nothing to clean is the same object."""
    clean: dict[int, Session] = {}
    # Children stand behind their parents: from the last to the first, each finds its children ready.
    for s in range(len(sessions) - 1, -1, -1):
        session = sessions[s]
        own = changes.get((s, _WHOLE, _WHOLE), {})
        new: dict[str, Any] = {f: v[0] for f, v in own.items() if f not in ("gaps", "repairs")}
        for field, name in (("gaps", "reason"), ("repairs", "kind")):
            if field in own:
                new[field] = _each(getattr(session, field), name, own[field])
        children = tuple(clean.get(id(child), child) for child in session.children)
        if any(a is not b for a, b in zip(children, session.children, strict=True)):
            new["children"] = children
        if ids:
            new["id"] = ids.get(session.id, session.id)
            new["parent"] = ids.get(session.parent, session.parent) if session.parent else None
        touched = {m for one, m, _ in changes if one == s and m != _WHOLE}
        if touched or ids:
            new["messages"] = tuple(
                _message(message, s, m, changes, ids) if ids or m in touched else message
                for m, message in enumerate(session.messages)
            )
        if new:
            clean[id(session)] = replace(session, **new)
    return clean.get(id(sessions[0]), sessions[0])


def _each(values: Iterable[Any], field: str, changes: dict[int, Any]) -> tuple[Any, ...]:
    return tuple(replace(v, **{field: changes[i]}) if i in changes else v for i, v in enumerate(values))


def _message(message: Message, s: int, m: int, changes: Changes, ids: dict[str, str]) -> Message:
    parts = list(message.parts)
    for p, part in enumerate(parts):
        fields = changes.get((s, m, p), {})
        new: dict[str, Any] = {f: v[0] for f, v in fields.items() if f != "files"}
        if "files" in fields and isinstance(part, Changed):
            new["files"] = tuple(fields["files"].get(i, name) for i, name in enumerate(part.files))
        if ids and isinstance(part, Call):
            for field in ("id", "continues", "child"):
                value = getattr(part, field)
                if value in ids:
                    new[field] = ids[value]
        if new:
            parts[p] = replace(part, **new)
    own = changes.get((s, m, _WHOLE), {})
    changed: dict[str, Any] = {f: v[0] for f, v in own.items() if f != "error"}
    if "error" in own and message.error is not None:
        names = {0: "name", 1: "text"}
        changed["error"] = replace(message.error, **{names[i]: v for i, v in own["error"].items()})
    if ids:
        changed["id"] = ids.get(message.id, message.id) if message.id else None
        changed["aliases"] = tuple(ids.get(alias, alias) for alias in message.aliases)
    return replace(message, parts=tuple(parts), **changed)


_GLUED = re.compile(
    r"(?<=[A-Za-z0-9_])(?:(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Z0-9])|gh[pousr]_[A-Za-z0-9]{30}|github_pat_\w{20}|glpat-[\w-]{20}|npm_[A-Za-z0-9]{30}|"
    r"sk-(?:ant|proj|or)-[\w-]{16}|[sr]k_(?:live|test)_\w{16}|xox[abeoprs]-[\w-]{10}|AIza[\w-]{35}|hf_[A-Za-z0-9]{30}|hvs\.\w{20}|"
    r"SG\.[\w-]{16,}\.|eyJ[\w-]{8,}\.eyJ)"
)
"""A token whose beginning is glued to the letters of an id, which hides it from rules that begin at a word."""


def _ids(sessions: list[Session], names: _Names, places: list[Exposure]) -> dict[str, str]:
    """Ids that hold a token, by what replaces them. Only the token's own form counts: an id looks random itself."""
    every: dict[str, None] = {}
    for session in sessions:
        every.update(dict.fromkeys(x for x in (session.id, session.parent) if x))
        for message in session.messages:
            every.update(dict.fromkeys(x for x in (message.id, *message.aliases) if x))
            for call in message.calls:
                every.update(dict.fromkeys(x for x in (call.id, call.continues, call.child) if x))
    ids: dict[str, str] = {}
    telling: list[tuple[str, int]] = []
    for name in every:
        if len(name) < 16 or hash_like(name):
            continue
        glued = _GLUED.search(name)
        if glued is not None:
            telling.append((name, glued.start()))
        elif not LOG_ID.fullmatch(name):
            telling.append((name, 0))
    fields = (Field(text[at:], False, False) for text, at in telling)
    for (text, at), here in zip(telling, detect(fields, strict=True), strict=True):
        found = [one._replace(start=one.start + at, end=one.end + at) for one in here]
        if found:
            spans = []
            for one in found:
                kind, name = names.of(one)
                spans.append((one.start, one.end, name))
                places.append(
                    Exposure(
                        session=sessions[0].id,
                        message_index=None,
                        part=None,
                        call_id=None,
                        field="id",
                        kind=kind,
                        name=name,
                    )
                )
            ids[text] = _cleaned(text, tuple(spans))
    return ids
