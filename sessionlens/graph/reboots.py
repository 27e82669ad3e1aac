"""What a look at a host tells of a reboot: how long it has been up, or no more than that something answers.

A host that has been up for longer than its reboot is ago was not rebooted, whatever it answers. A ping, or a port that
opens, may be answered before the machine went down, or by another.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal

from sessionlens.graph.events import Ran
from sessionlens.graph.queries import Window, any_command
from sessionlens.targets import Target

if TYPE_CHECKING:
    from sessionlens.graph.session_graph import SessionGraph

Boot = Literal["since", "before"]

_SLACK_S = 120
"""Seconds by which clocks may differ, and a reboot may have begun before its command is seen to start."""
_ZONES_S = 14 * 3600
"""Seconds by which a time without a zone may differ from UTC."""
_LONG_S = 86_400
"""Seconds up that are before any reboot of a session without times."""
_ANSWERS = frozenset({"ping", "ping6", "fping", "arping", "nc", "ncat", "netcat", "telnet", "nmap", "tcping", "nping",
                      "ssh-keyscan", "dig", "host", "nslookup", "arp", "traceroute", "mtr", "test-connection"})  # fmt: skip
"""Programs that tell that something answers under an address."""


def boot(graph: SessionGraph, look: Ran, reboot: Ran) -> Boot | None:
    """Whether what a look shows had come up since a (re)start or before it, by how long it says that it is up; ``None``
    where it does not say.
    """
    outcome = look.outcome
    begun, seen = graph.moment(reboot), graph.finished(look)
    if outcome.up_s is not None:
        if begun is None or seen is None:
            return "before" if outcome.up_s >= _LONG_S else None
        return "before" if outcome.up_s > (seen - begun) / 1000 + _SLACK_S else "since"
    if outcome.up_since and begun is not None:
        try:
            up = datetime.fromisoformat(outcome.up_since).replace(tzinfo=UTC).timestamp()
        except (ValueError, OverflowError):
            return None
        return "before" if up + _ZONES_S < begun / 1000 - _SLACK_S else "since"
    return None


def only_answers(look: Ran) -> bool:
    """Whether a look tells no more than that something answers under the host's address."""
    return not look.command.via and look.command.program.casefold() in _ANSWERS


def seen_up(graph: SessionGraph, window: Window, reboot: Ran) -> tuple[Boot, Ran] | None:
    """What the host itself showed after a reboot, by the last look that tells: for how long it is up, or that it lets in.

    That it lets in tells nothing where the reboot was only scheduled.
    """
    target = reboot.command.target
    found: tuple[Boot, Ran] | None = None
    for event in window.all(any_command):
        if not isinstance(event, Ran) or event.call.seq == reboot.call.seq or not _on(event, target):
            continue
        known = boot(graph, event, reboot)
        if known is None and not reboot.command.detached and lets_in(event):
            known = "since"
        if known is not None and not (found and found[0] == "before" and boot(graph, event, reboot) is None):
            # What lets in only does not outweigh what says that it was up all the time.
            found = (known, event)
    return found


def lets_in(event: Ran) -> bool:
    """Whether a command ran on another host and came back with an answer."""
    call = event.call
    answered = call.call.exit == 0 or (call.call.exit is None and call.call.status == "completed")
    return (
        bool(event.command.via)
        and answered
        and not (call.cut_off or call.connection_lost or event.outcome.failed)
    )


def _on(event: Ran, target: Target) -> bool:
    host = target.host or target.name
    return target.kind == "host" and bool(host) and event.command.target.host == host
