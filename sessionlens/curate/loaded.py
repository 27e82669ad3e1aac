"""What extracting needs whatever the source is, loaded by importing this: the processes of a run are forked from one that
has done so, where each would take a second for it.
"""

from __future__ import annotations

import gc
import threading
from contextlib import suppress

from sessionlens import redact

# Read in a thread of its own, while the modules are loaded.
redact.warm()

from sessionlens import loader  # noqa: E402
from sessionlens.curate import extract  # noqa: E402

_REHEARSED = "asked-before-destructive"
"""A rule in whose examples people ask, commands run and are answered, and an agent speaks."""


def _rehearse() -> None:
    order = extract.Order()
    for example in loader.classes()[_REHEARSED].examples:
        extract.rows(extract.judge(example.build()[0], order, "log"), order, "log")


# What goes wrong here goes wrong again where it is told.
with suppress(Exception):
    _rehearse()
# Who forks must have no other thread: its copy would wait for that for ever.
for _thread in threading.enumerate():
    if _thread is not threading.main_thread():
        _thread.join()
# All of it stays: the collector need not look at it, and memory that nobody writes to is shared.
gc.collect()
gc.freeze()
