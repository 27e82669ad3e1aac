"""Figures worded for people, the same everywhere a person reads them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from sessionlens.cache import lazy
from sessionlens.safe import line
from sessionlens.targets import Target


def in_words(ms: float | None) -> str:
    """A duration in milliseconds as people say it, at most two units: ``850 ms``, ``1.5 s``, ``15 s``,
    ``10 min 34 s``, ``2 h 5 min``, ``3 days 4 h``. Empty for ``None``, ``0 s`` for what is negative.
    """
    if ms is None:
        return ""
    ms = round(ms)
    if ms < 0:
        return "0 s"
    if ms < 1000:
        return f"{ms} ms"
    if ms < 10_000 and ms % 1000:
        return f"{ms / 1000:.1f}".removesuffix(".0") + " s"
    seconds = round(ms / 1000)
    for size, one, many, part, below in (
        (86_400, "day", "days", 3600, "h"),
        (3600, "h", "h", 60, "min"),
        (60, "min", "min", 1, "s"),
    ):
        if seconds >= size:
            whole, rest = divmod(seconds, size)
            rest //= part
            return f"{whole} {one if whole == 1 else many}" + (f" {rest} {below}" if rest else "")
    return f"{seconds} s"


_ENDING = lazy(r"s(?=$| cut off$)")
"""What tells that there are several."""


def numbered(count: int, several: str) -> str:
    """A count in figures with its noun, which is given as one says it of several: ``1 call cut off``, ``3 good conduct``."""
    return f"{count:,} {_ENDING.sub('', several) if count == 1 else several}"


def named(target: Target, words: Sequence[str] = ()) -> str:
    """A target as a sentence names it: ``billing on 10.20.0.7``, ``deployment/api in prod``, ``the crontab of erp``.

    With the words of the command that acts on it, a target without a name of its own is told by that: ``the target of `aws ec2 …```.
    """
    if target.kind == "unknown" and target.host and target.name in _OF_THE_HOST:
        return hosts(target.host)
    if target.kind == "host" and target.host in target.name.split(","):
        return hosts(target.host or "")
    name = _called(target, words)
    if target.namespace:
        name += f" in {target.namespace}"
    if target.context:
        name += f" of {target.context}"
    told = target.host == target.name or (target.kind == "url" and (target.host or "") in target.name)
    return f"{name} on {hosts(target.host)}" if target.host and not told else name


def hosts(host: str) -> str:
    """Where a command ran, as a sentence names it: a host, several, all of a group, or one that the log does not name."""
    if host in ("all", "*"):
        return "all hosts"
    if _VARIABLE.fullmatch(host) is not None:
        return "a host that is not named"
    if " " in host:
        # It is worded already: one of several, and nobody knows which.
        return host
    several = [one for one in host.split(",") if one]
    return " and ".join((", ".join(several[:-1]), several[-1])) if len(several) > 1 else host


_OF_THE_HOST = frozenset({"reload", "reboot", "restart", "/system"})
"""What devices of a network are told where they start anew themselves."""
_UNNAMED = {
    "cloud": "something in the cloud",
    "k8s": "something in the cluster",
    "repository": "a repository",
    "url": "an address",
    "compose": "the services of a compose file",
    "cron": "a crontab",
    "unknown": "something unnamed",
}
"""What is said of a target without a name, by its kind; of others ``an unnamed`` and the kind."""
_VARIABLE = lazy(
    r"(?:\$\{[^}]{0,200}\}|\$(?:env:)?\w{1,60}|\$\([^)]{0,200}\)|%\w{1,60}%|\{\{?[^}]{0,60}\}?\})",
    re.IGNORECASE,
)
"""A name that is a variable and nothing else."""


def _called(target: Target, words: Sequence[str]) -> str:
    """What a target is called, without its place."""
    name, kind = target.name, target.kind
    if not name or _VARIABLE.fullmatch(name) is not None:
        if kind == "repository" and tuple(words[:2]) == ("git", "push"):
            return "the current branch"
        if words:
            return f"the target of `{leading(words)}`"
        return name or _UNNAMED.get(kind, f"an unnamed {kind}")
    if name == ".":
        return "the current folder"
    if kind == "cron" and re.fullmatch(r"[a-z_][\w-]{0,31}\$?", name) is not None:
        return "the crontab" if name == "crontab" else f"the crontab of {name}"
    if kind == "package" and name == "system":
        return "the software of the system"
    if kind == "database" and words and name == words[0].rsplit("/", 1)[-1]:
        return f"the database behind {name}"
    if kind == "database" and name == "default":
        return "the default database"
    if kind == "repository" and re.fullmatch(r"#\d{1,9}", name) is not None:
        return f"pull request {name}"
    if kind == "host":
        return hosts(name)
    if kind == "network" and re.fullmatch(r"[\w.*:-]{0,200}\d:[\w.-]{1,200}:\d{1,5}", name) is not None:
        return f"the tunnel {name}"
    if kind == "unknown" and " " in name:
        # Of the task that a tool runs the name alone does not tell: ``cap production deploy``.
        return as_code(f"{words[0]} {name}" if len(words) > 1 and name.startswith(words[1]) else name)
    return name


def clipped(text: str, limit: int = 80) -> str:
    """A piece of a log as a title holds it: its first line with words in it, cut between two words with a mark, and
    without a comma, a colon, or what else joins it to more, at its end.
    """
    first = next((one for one in text.split("\n") if one.strip()), "")
    shown = " ".join(line(first, 2 * limit + 2).removesuffix("…").split())
    if len(shown) > limit:
        space = shown.rfind(" ", limit // 2, limit)
        return f"{shown[: space if space > 0 else limit - 1].rstrip(_JOINS)}…"
    return shown.rstrip(_JOINS)


_JOINS = " ,;:–—\\("
"""What stands at the end of a piece that goes on."""


def as_code(text: str, limit: int = 80) -> str:
    """A command line as a sentence holds it."""
    return f"`{clipped(text, limit).replace('`', 'ˋ')}`"


_LEADING = 3
"""Words of a command by which it is told."""


def leading(words: Sequence[str]) -> str:
    """The words with which a command begins, up to its first option or variable: ``aws ec2 deregister-image``."""
    taken: list[str] = []
    for word in words[:_LEADING]:
        if taken and (word.startswith("-") or "$" in word or len(word) > 60):
            break
        taken.append(word[:60])
    return " ".join(taken)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """``; did you mean restart?`` for a word that is close to a known one or is the beginning of it; else empty."""
    import difflib

    words = list(known)
    near = difflib.get_close_matches(word.lower(), words, n=1)
    if not near and len(word) >= 3:
        near = [one for one in words if one.startswith(word.lower())][:1]
    return f"; did you mean {near[0]}?" if near else ""
