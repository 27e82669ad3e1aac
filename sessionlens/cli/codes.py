"""Exit codes, and what becomes of errors."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

import click

from sessionlens import memory

OK = 0
FOUND = 1
"""Findings at or above ``--fail-on``."""
USAGE = 2
"""Wrong usage, of the command line or of a configuration or rule file."""
UNREAD = 3
"""A source could not be read."""
CRASHED = 4
"""A rule crashed; the others' results are written."""
STOPPED = 130
"""Stopped from the keyboard, as shells count it."""
ENDED = 143
"""Told to end by another program, as shells count it."""


def combined(codes: Iterable[int]) -> int:
    """The one code for several: 2, then 3, then 4, then 1. Before all of them, that it was stopped: what the others
    would say of a part of the run is not known of the whole.
    """
    seen = set(codes)
    return next((code for code in (STOPPED, USAGE, UNREAD, CRASHED, FOUND) if code in seen), OK)


def complain(message: str) -> None:
    """One error on standard error, safe for a terminal."""
    _say(f"error: {message}")


def advise(message: str) -> None:
    """Progress or advice on standard error, safe for a terminal."""
    _say(message)


def _say(message: str) -> None:
    """One line on standard error. When nobody can hear it, the results still have to be written."""
    from contextlib import suppress

    from sessionlens.safe import terminal

    with suppress(OSError, ValueError):
        click.echo(terminal(message), err=True)


class Unreadable(click.ClickException):
    """A source that could not be read, for commands that take one source."""

    exit_code = UNREAD

    def show(self, file: object = None) -> None:
        """Print the error like every other."""
        complain(self.message)


class Misused(click.ClickException):
    """Wrong usage that is found out only while running."""

    exit_code = USAGE

    def show(self, file: object = None) -> None:
        """Print the error like every other."""
        complain(self.message)


def guarded(command: click.Command, args: list[str] | None = None) -> int:
    """Run the command line and return its exit code, whatever happens."""
    told: list[int] = []
    _hear(told)
    out = sys.stdout
    try:
        code = command.main(args=args, prog_name="sessionlens", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("stopped", err=True)
        return ENDED if told else STOPPED
    except BrokenPipeError:
        return _unread()
    except SystemExit:
        # Of a broken pipe that click sees itself it makes the code that means faults, with another stream in its place.
        if sys.stdout is out:
            raise
        return _unread()
    except Exception as error:
        from sessionlens.temporary import no_room, out_of_room

        if out_of_room(error):
            complain(no_room(error))
            return USAGE
        if memory.lacking(error):
            complain(memory.told(error))
            return UNREAD
        raise
    if told and code == STOPPED:
        return ENDED
    return code if isinstance(code, int) else OK


def _hear(told: list[int]) -> None:
    """Whoever tells this process to end is heard as the keyboard is, so that nothing is left behind; ``told`` is filled then."""
    import signal
    import threading

    def end(number: int, _frame: object) -> None:
        told.append(number)
        raise KeyboardInterrupt

    ours = threading.current_thread() is threading.main_thread()
    if ours and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, end)


def _unread() -> int:
    """The reader of our output has gone, as ``head`` does. Python would complain again while closing."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return OK
