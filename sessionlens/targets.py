"""What a command acts on, and which environment that is (CONTRACT §1 *target*, *neighbourhood*; §6)."""

from __future__ import annotations

from typing import Literal

import msgspec

Kind = Literal[
    "service", "file", "container", "compose", "k8s", "database", "host", "package", "process",
    "repository", "cloud", "url", "queue", "cron", "network", "unknown",
]  # fmt: skip
Environment = Literal["production", "staging", "development", "local", "unknown"]
Confidence = Literal["high", "medium", "low"]


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """What a command acts on, named as CONTRACT §6 says."""

    kind: Kind = "unknown"
    """What sort of thing it is."""
    name: str = ""
    """Its name: services without ``.service``, Kubernetes as ``kind/name``, files as written."""
    host: str | None = None
    """Host it is on, without the user; ``None`` on the agent's own machine."""
    context: str | None = None
    """Cluster context, cloud project or account, where the command names one."""
    namespace: str | None = None
    """Kubernetes namespace, compose project or the like."""


class Match(msgspec.Struct, frozen=True, kw_only=True):
    """Two targets are one neighbourhood."""

    kind: Literal["same", "neighbour", "only_open"]
    """Same name; another name of the thing; or the only open start on that host."""
    confidence: Confidence
    """``high`` for the same name, ``medium`` for a neighbour."""
    reason: str
    """In words: ``its unit file``, ``port 8000, named when it was started``."""
