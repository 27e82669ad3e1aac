"""The command line. One command a module, loaded when it is called; no logic here, no heavy import."""

from __future__ import annotations

import atexit
import gc
import os
import sys
import threading

import click

from sessionlens import __version__
from sessionlens.cli.lazy import Entry, LazyGroup
from sessionlens.processes import COLLECT

COMMANDS = {
    "audit": Entry("sessionlens.cli.audit:audit", "Judge sessions and write the annotated page."),
    "sessions": Entry(
        "sessionlens.cli.sessions:sessions",
        "List the sessions in the local stores of opencode, Claude Code and Codex.",
    ),
    "show": Entry("sessionlens.cli.show:show", "Print a session as it was read, with its gaps."),
    "graph": Entry("sessionlens.cli.graph:graph", "Write the graph of a session."),
    "convert": Entry("sessionlens.cli.convert:convert", "Write a session as transcript XML."),
    "explain": Entry("sessionlens.cli.explain:explain", "What the tool makes of one command line or text."),
    "curate": Entry("sessionlens.cli.curate:curate", "Make a training data set of many sessions."),
    "stats": Entry(
        "sessionlens.cli.stats:stats", "Count over many sessions: rates with intervals, times, comparisons."
    ),
    "queue": Entry(
        "sessionlens.cli.queue:queue",
        "List the unlabelled findings that tell most when a person looks at them.",
    ),
    "agreement": Entry("sessionlens.cli.agreement:agreement", "Measure how far reviewers agree."),
    "readers": Entry("sessionlens.cli.readers:readers", "List the log formats and what each records."),
    "rules": Entry("sessionlens.cli.rules:rules", "List, show, test and start rules."),
}
"""Name, place and first line of every command, in the order of the help."""


@click.group(
    cls=LazyGroup,
    entries=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="sessionlens")
def cli() -> None:
    """Judge the log of a coding agent's session: what was changed, what stayed open, who was told.

    \b
        sessionlens audit session.json        writes session.audit.html
        sessionlens audit latest --fail-on high
        sessionlens explain command 'ssh gpu7 systemctl restart vllm'

    Exit codes: 0 read, nothing at or above --fail-on; 1 findings at or above it; 2 wrong usage; 3 a source could
    not be read; 4 a rule crashed, the others' results are still written. Several at once: 2, then 3, then 4, then 1.
    """


def main() -> None:
    """Entry point of the ``sessionlens`` script. Ends the process."""
    from sessionlens.cli.codes import guarded

    gc.set_threshold(*COLLECT)
    gc.enable()
    leave(guarded(cli))


def leave(code: int) -> None:
    """End the process and let the system take back its memory: taking apart the scanner's rules and a session piece by
    piece takes as long as judging a small one. What is to be done at the end is done, what was printed is written out.
    """
    if any(not one.daemon for one in threading.enumerate() if one is not threading.main_thread()):
        sys.exit(code)
    atexit._run_exitfuncs()
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
    except BrokenPipeError:
        # Whoever read it has seen enough.
        pass
    except (OSError, ValueError):
        # Python itself knows what to say of a stream that takes nothing any more.
        sys.exit(code)
    os._exit(code)
