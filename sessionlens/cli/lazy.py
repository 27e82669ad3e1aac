"""A click group that imports a command when it is called, not when its name is listed."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any, NamedTuple

import click


class Entry(NamedTuple):
    """One command of a lazy group."""

    place: str
    """``module:attribute`` of the command."""
    help: str
    """Its line in the group's help; a test keeps it equal to the command's own."""


class LazyGroup(click.Group):
    """A group whose commands are named by place."""

    def __init__(self, *args: Any, entries: Mapping[str, Entry] | None = None, **rest: Any) -> None:
        """``entries`` are the commands by name, in the order of the help."""
        super().__init__(*args, **rest)
        self.entries = dict(entries or {})

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names in the order they were given."""
        return list(self.entries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command of this name."""
        entry = self.entries.get(cmd_name)
        if entry is None:
            return None
        module, _, attribute = entry.place.partition(":")
        command = getattr(importlib.import_module(module), attribute)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; an unknown name is answered with the ones there are."""
        if args and args[0] not in self.entries and not args[0].startswith("-"):
            import difflib

            near = difflib.get_close_matches(args[0], self.entries, n=1)
            hint = f"Did you mean '{near[0]}'?" if near else f"There are {', '.join(self.entries)}."
            raise click.UsageError(f"No such command '{args[0]}'. {hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.help) for name, entry in self.entries.items()])
