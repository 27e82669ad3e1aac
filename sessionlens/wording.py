"""Figures worded for people, the same everywhere a person reads them."""

from __future__ import annotations

from collections.abc import Iterable

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


def named(target: Target) -> str:
    """A target as a sentence names it: ``billing on 10.20.0.7``, ``deployment/api in prod``."""
    name = target.name or ("an unnamed " + target.kind if target.kind != "unknown" else "an unnamed target")
    if target.namespace:
        name += f" in {target.namespace}"
    if target.context:
        name += f" of {target.context}"
    told = target.host == target.name or (target.kind == "url" and (target.host or "") in target.name)
    return f"{name} on {target.host}" if target.host and not told else name


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """``; did you mean restart?`` for a word that is close to a known one or is the beginning of it; else empty."""
    import difflib

    words = list(known)
    near = difflib.get_close_matches(word.lower(), words, n=1)
    if not near and len(word) >= 3:
        near = [one for one in words if one.startswith(word.lower())][:1]
    return f"; did you mean {near[0]}?" if near else ""
