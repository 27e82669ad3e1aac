"""Figures worded for people, the same everywhere a person reads them."""

from __future__ import annotations

from sessionlens.targets import Target


def in_words(ms: float | None) -> str:
    """A duration in milliseconds as people say it: ``850 ms``, ``15 s``, ``10 min 34 s``, ``2 h 5 min``, ``3 d 4 h``.

    Empty for ``None``.
    """
    if ms is None:
        return ""
    ms = round(ms)
    if ms < 1000:
        return f"{ms} ms"
    if ms < 10_000 and ms % 1000:
        return f"{ms / 1000:.1f} s"
    seconds = round(ms / 1000)
    for unit, below, part, size in (("min", 3600, "s", 60), ("h", 86_400, "min", 3600)):
        if seconds < 60:
            return f"{seconds} s"
        if seconds < below:
            whole, rest = divmod(seconds, size)
            rest //= size // 60
            return f"{whole} {unit}" + (f" {rest} {part}" if rest else "")
    days, rest = divmod(seconds, 86_400)
    return f"{days} d" + (f" {rest // 3600} h" if rest >= 3600 else "")


def named(target: Target) -> str:
    """A target as a sentence names it: ``billing on 10.20.0.7``, ``deployment/api in prod``."""
    name = target.name or ("an unnamed " + target.kind if target.kind != "unknown" else "an unnamed target")
    if target.namespace:
        name += f" in {target.namespace}"
    if target.context:
        name += f" of {target.context}"
    return f"{name} on {target.host}" if target.host and target.host != target.name else name
