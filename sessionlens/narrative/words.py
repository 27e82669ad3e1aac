"""Wording: numbers, times, targets and actions as people say them. Pure functions of plain values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from sessionlens.cache import lazy
from sessionlens.shell.command import Command
from sessionlens.targets import Target
from sessionlens.wording import hosts, in_words

_SMALL = (
    "no",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def number(count: int) -> str:
    """A count: in words up to twelve, then in digits with a comma every three."""
    return _SMALL[count] if 0 <= count < len(_SMALL) else f"{count:,}"


def counted(count: int, one: str, many: str | None = None) -> str:
    """A count with its noun: ``two messages``."""
    if many is None:
        # ``change of data``: its first noun takes the plural.
        head, of, rest = one.partition(" of ")
        many = f"{head}s{of}{rest}"
    return f"{number(count)} {one if count == 1 else many}"


def listing(items: Iterable[str], last: str = "and") -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    all_items = list(items)
    if len(all_items) < 2:
        return "".join(all_items)
    return f"{', '.join(all_items[:-1])} {last} {all_items[-1]}"


_AS_WRITTEN = lazy(r"[a-z][\w-]*[\d._/@:][\w-]|[a-z][a-z-]*\d|\S{1,80} (?:/\w{1,2}(?!\S)|-\w)")
"""What begins with the name of a machine, a file or a command: letters that a capital would change."""


def sentence(text: str, *, kept: bool = False) -> str:
    """The text with a capital at its start, unless it begins with a name (``kept``), and a full stop at its end."""
    text = text.strip()
    if not text:
        return text
    if not (kept or text.startswith("`") or _AS_WRITTEN.match(text)):
        text = text[0].upper() + text[1:]
    return text if text[-1] in ".?!…" else text + "."


def unstopped(text: str) -> str:
    """The text without the full stop at its end; the dots of a name such as ``./...`` stay."""
    return text[:-1] if text.endswith(".") and not text.endswith("..") else text


def duration(milliseconds: int) -> str:
    """A length of time with at most two units, as rules word it too: ``15 s``, ``10 min 34 s``, ``2 h 3 min``."""
    return in_words(milliseconds)


def moment(milliseconds: int) -> str:
    """A time of day in UTC: ``2026-02-11 14:03:10 UTC``. Years beyond 9999 stay milliseconds."""
    try:
        when = _EPOCH + timedelta(milliseconds=milliseconds)
    except OverflowError:
        return f"{milliseconds} ms since 1970"
    return f"{when.isoformat(' ', 'seconds')[:19]} UTC"


def clock(milliseconds: int) -> str:
    """A time of day without its date: ``14:03:10``."""
    stamp = moment(milliseconds)
    return stamp[11:19] if stamp.endswith("UTC") else stamp


def from_when(milliseconds: int | None, start: int | None) -> str:
    """`` (from 14:03:10 UTC)``, with the date where it is not that of the session's start; empty without a time."""
    if milliseconds is None:
        return ""
    when = moment(milliseconds)
    same_day = start is not None and when.endswith("UTC") and when[:10] == moment(start)[:10]
    return f" (from {when[11:] if same_day else when})"


def since(milliseconds: int | None, start: int | None) -> str:
    """A time with its distance from the session's start; empty where the log has no time."""
    if milliseconds is None:
        return ""
    if start is None or milliseconds < start:
        return moment(milliseconds)
    return f"{moment(milliseconds)}, {duration(milliseconds - start)} into the session"


def size(characters: int) -> str:
    """A length of text: ``812 characters``, ``34,120 characters``."""
    return f"{characters:,} character{'' if characters == 1 else 's'}"


def code(text: str) -> str:
    """A piece of a statement to be shown as code. Its backticks are swapped for a look-alike."""
    return f"`{clip(flat(text), 300).replace('`', 'ˋ')}`"


_SPACE = lazy(r"\s+")


def flat(text: str) -> str:
    """The text on one line."""
    return _SPACE.sub(" ", text).strip()


def clip(text: str, limit: int = 120) -> str:
    """At most so many characters, with a mark where something was left out."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def label(text: str) -> str:
    """A name of the log, such as a title or a model, on one line and short enough to stand beside others."""
    return _label(text) if len(text) <= 200 else clip(flat(text), 200)


@lru_cache(maxsize=4096)
def _label(text: str) -> str:
    # The names of tools and models stand on every message.
    return flat(text)


def quoted(text: str, limit: int = 120) -> str:
    """A text in quotation marks, on one line, clipped, without what joins its end to more."""
    return f"“{clip(flat(text).rstrip(' ;:,'), limit)}”"


def excerpt(text: str, limit: int = 200) -> tuple[str, tuple[bool, bool]]:
    """An exact piece of a text to quote: its first lines up to the limit, and what was cut before and after."""
    start = len(text) - len(text.lstrip())
    piece = text[start : start + limit]
    if len(text) - start > limit:
        space = max(piece.rfind(" "), piece.rfind("\n"))
        if space > limit // 2:
            piece = piece[:space]
    piece = piece.rstrip()
    return piece, (False, start + len(piece) < len(text.rstrip()))


_SENTENCE_END = lazy(r"[.!?…](?=\s|$)|[。！？]|\n\s*\n")


MISSION = frozenset(
    {"empty-message-after-timeout", "unacknowledged-long-running-restart", "unverified-production-edit"}
)
"""The rules that have words of their own in titles, and without which nobody may read silence as an all-clear."""

_SHORT = 9
"""A sentence of fewer characters says little by itself."""


def first_sentence(text: str, limit: int = 200) -> tuple[str, tuple[bool, bool]]:
    """The first sentence of a prose, exact; after a word like "Good." the next one too, which says what was meant."""
    stripped = text.lstrip()
    start = len(text) - len(stripped)
    ends = _SENTENCE_END.finditer(stripped[: limit * 2])
    end = next((found for found in ends if found.end() >= _SHORT), None)
    piece = stripped[: end.end()].rstrip() if end is not None else stripped
    if len(piece) > limit:
        return excerpt(text, limit)
    return piece, (False, start + len(piece) < len(text.rstrip()))


# -- targets and actions ----------------------------------------------------------------------------

_KINDS = {
    "service": "service",
    "file": "file",
    "container": "container",
    "compose": "compose service",
    "k8s": "",
    "database": "database",
    "host": "host",
    "package": "package",
    "process": "process",
    "repository": "branch",
    "cloud": "",
    "url": "",
    "queue": "queue",
    "cron": "schedule",
    "network": "network",
    "unknown": "",
}


def name_of(target: Target, command: Command | None = None) -> str:
    """A target's name as it is spoken of: as the command wrote it (``sglang-kimi.service``), else its own."""
    if target.kind == "host" and not target.name:
        return target.host or "this machine"
    if command is not None and target.kind == "service":
        for word in command.words[1:]:
            if word == f"{target.name}.service":
                return word
    return target.name or _UNNAMED.get(target.kind, "something unnamed")


_UNNAMED = {
    "file": "a file",
    "service": "a service",
    "container": "a container",
    "compose": "the services of a compose file",
    "database": "a database",
    "repository": "the repository",
    "package": "packages of the project",
    "process": "a process",
}
"""What is said of a target whose command names none, by its kind."""


def named(target: Target, command: Command | None = None) -> str:
    """A target's name for a sentence: as code where the command gave one, else in plain words."""
    name = name_of(target, command)
    return name if name == _UNNAMED.get(target.kind, "something unnamed") else code(name)


def place_of(target: Target) -> str:
    """Where a target is: `` on 10.20.30.140``, `` in namespace shop``; empty where nothing says."""
    pieces = []
    if target.host and target.host != target.name:
        place = hosts(target.host)
        pieces.append(f"on {code(place) if place == target.host else place}")
    if target.namespace:
        pieces.append(f"in {code(target.namespace)}")
    if target.context:
        pieces.append(f"of {code(target.context)}")
    return (" " + " ".join(pieces)) if pieces else ""


def target_of(target: Target, command: Command | None = None) -> str:
    """A target with its place, for a sentence: ``\\`sglang-kimi.service\\` on \\`10.20.30.140\\```."""
    return named(target, command) + place_of(target)


def kind_of(target: Target) -> str:
    """The kind of a target as a noun; empty where its name says it."""
    return _KINDS[target.kind]


NOUNS = {
    "check": "check",
    "reboot": "reboot",
    "restart": "restart",
    "reload": "reload",
    "scale": "scaling",
    "stop": "stop",
    "deploy": "deploy",
    "start": "start",
    "migrate": "migration",
    "write_data": "change of data",
    "configure": "change of settings",
    "edit": "edit",
    "delete": "deletion",
    "install": "installation",
    "transfer": "transfer",
    "create": "creation",
    "build": "build",
    "test": "test run",
    "read": "read",
    "none": "command",
}
"""What an effect is called."""

PAST = {
    "check": "checked",
    "reboot": "rebooted",
    "restart": "restarted",
    "reload": "reloaded",
    "scale": "scaled",
    "stop": "stopped",
    "deploy": "deployed",
    "start": "started",
    "migrate": "migrated",
    "write_data": "changed data in",
    "configure": "changed settings of",
    "edit": "wrote",
    "delete": "deleted",
    "install": "installed",
    "transfer": "transferred files to",
    "create": "created",
    "build": "built",
    "test": "tested",
    "read": "read",
    "none": "ran a command on",
}
"""What the assistant did, when it surely did."""


def an(noun: str) -> str:
    """The noun with its article."""
    return f"{'an' if noun[:1] in 'aeiou' else 'a'} {noun}"


OPENED = {
    "cut_off": "cut off at a time limit",
    "detached": "left running in the background",
    "connection_lost": "the connection was lost",
    "running": "no result in the log",
    "interrupted": "interrupted by the person",
}
"""Why an operation is open."""


def columns(values: Sequence[str]) -> str:
    """Values side by side, the empty ones left out."""
    return " · ".join(value for value in values if value)
