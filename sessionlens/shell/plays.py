"""What Ansible prints of a play, host by host: what was changed, what was there already, and where every task was skipped.

A skipped task is nothing by itself: most plays hold tasks for other systems. Where a host has no other task than the one
that gathers facts, nothing was done to it.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from sessionlens.cache import lazy
from sessionlens.shell.not_done import NotDone

PLAYS = frozenset({"ansible-playbook", "ansible-pull", "ansible-navigator"})
"""Programs that play."""
_READ = 40_000
"""Characters of a play that are read, from its end."""
_HOSTS = 200
_RECAP = lazy(
    r"^(?P<host>[\w.@:-]{1,100})\s+:\s+ok=(?P<ok>\d{1,6})\s+changed=(?P<changed>\d{1,6})\s+unreachable=(?P<lost>\d{1,6})\s+failed=(?P<failed>\d{1,6})(?:\s+skipped=(?P<skipped>\d{1,6}))?.{0,80}$"
)
_TASK = lazy(r"^(?:TASK|RUNNING HANDLER) \[(?P<name>[^\]\n]{0,200})\]")
_FACTS = lazy(r"(?:gathering facts|(?:ansible\.builtin\.)?(?:setup|gather_facts))$", re.IGNORECASE)
_DID = lazy(r"^(?:ok|changed): \[(?P<host>[\w.@:-]{1,100})")
_NO_HOSTS = lazy(
    r"^(?:skipping: no hosts matched|(?:\[(?:ERROR|WARNING)\]:|ERROR!) .{0,80}\bno hosts (?:matched|to target).{0,80})$",
    re.MULTILINE,
)


class Played(NamedTuple):
    """What a play did to one host."""

    line: str
    """Its line of the recap."""
    changed: int
    """Tasks that changed something."""
    skipped: int
    """Tasks that were skipped; 0 where the recap does not count them."""
    failed: bool
    """Whether a task failed or the host was not reached."""
    idle: bool
    """Whether no task ran but the one that gathers facts."""


def played(text: str) -> dict[str, Played]:
    """What a play did to each of its hosts; empty where its recap does not show."""
    if "PLAY RECAP" not in text:
        return {}
    tasks = gathering = False
    did: set[str] = set()
    found: dict[str, Played] = {}
    for line in text[-_READ:].splitlines():
        if (task := _TASK.match(line)) is not None:
            tasks, gathering = True, _FACTS.search(task["name"]) is not None
        elif not gathering and (done := _DID.match(line)) is not None:
            did.add(done["host"])
        elif (recap := _RECAP.match(line)) is not None and len(found) < _HOSTS:
            host, ok = recap["host"], int(recap["ok"])
            idle = ok <= 1 and host not in did if tasks else ok == 0
            found[host] = Played(
                line.strip(),
                int(recap["changed"]),
                int(recap["skipped"] or 0),
                recap["lost"] != "0" or recap["failed"] != "0",
                idle and recap["changed"] == "0",
            )
    return found


def nothing_played(text: str) -> NotDone | None:
    """How a play shows that nothing was done anywhere: no host matched, every task was skipped, no task was chosen."""
    hosts = played(text)
    if not hosts:
        found = _NO_HOSTS.search(text[-_READ:])
        return NotDone("nothing", found.group().strip()) if found is not None else None
    if any(one.failed or not one.idle for one in hosts.values()):
        return None
    first = next(iter(hosts.values()))
    return NotDone("skipped" if any(one.skipped for one in hosts.values()) else "nothing", first.line)


def left_alone(text: str) -> tuple[dict[str, str], tuple[str, ...]]:
    """The hosts of a play to which nothing was done while others were changed, each with its line; and those others."""
    hosts = played(text)
    changed = tuple(sorted(host for host, one in hosts.items() if one.changed and not one.failed))
    alone = {host: one.line for host, one in hosts.items() if one.idle and one.skipped and not one.failed}
    return (alone, changed) if changed else ({}, ())
