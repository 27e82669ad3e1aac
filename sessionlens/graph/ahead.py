"""What the results of calls show, judged before a session's graph is built, while something else is waited for.

It depends on the result of a call and on its commands alone, and these mostly on what the call itself says. So it can be
found out before it is known what is taken out of the session: of a call that stays as it was, and that stands for the
same commands where it stands, it is what the graph would find. Results never depend on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress

import sessionlens.shell.outcome as outcomes
from sessionlens.graph.build import result_of
from sessionlens.model import Call, Session
from sessionlens.shell import tools
from sessionlens.shell.command import Command, Outcome
from sessionlens.targets import EnvironmentSettings


class Ahead:
    """Judges calls in the order of the log, one at a time."""

    def __init__(self, sessions: Iterable[Session], settings: EnvironmentSettings) -> None:
        """Begin with nothing judged.

        :param settings: what commands are read by; the graph's own.
        """
        self._settings = settings
        self._steps = self._run(sessions)
        self._known: dict[int, tuple[Call, tuple[Command, ...], tuple[Outcome, ...]]] = {}
        """By the identity of the call, which stands here so that no other one can have it."""

    def step(self) -> bool:
        """Judge one more call; whether there was one."""
        return next(self._steps, False)

    def _run(self, sessions: Iterable[Session]) -> Iterator[bool]:
        for session in sessions:
            for member in session.family():
                for message in member.messages:
                    for call in message.calls:
                        # What goes wrong here goes wrong again where it is told.
                        with suppress(Exception):
                            self._judge(call, member.directory)
                        yield True

    def _judge(self, call: Call, directory: str | None) -> None:
        commands = tools.read_call(call.name, call.arguments(), settings=self._settings, directory=directory)
        self._known[id(call)] = call, commands, outcomes.judge(commands, **result_of(call))

    def judged(self, call: Call, commands: tuple[Command, ...]) -> tuple[Outcome, ...] | None:
        """What the result of a call shows of its commands; ``None`` where that was not found out for just these."""
        known = self._known.get(id(call))
        return known[2] if known is not None and known[1] == commands else None
