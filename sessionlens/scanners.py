"""Loads the scanners that look for secrets.

The only module that imports kingfisher, and of it only ``Rules`` and ``Scanner``: they work in this process and
never use the network. Its validation and revocation are never touched.

Loading its 488 rules takes 0.25 to 0.35 s with its cache of compiled rules, 3 s once per machine without. It is
always loaded: a gate that decides from the text whether any of the rules *could* match would have to know a
literal that each of them requires, and several have none, so skipping it could miss a secret. Instead
:func:`warm` loads in the background (loading releases the interpreter) while everything else is loaded and a log is
being read. So that it can begin at once, this module needs nothing of the others.
"""

from __future__ import annotations

import os
import threading
from contextlib import ExitStack, suppress
from typing import Any

from sessionlens import memory

_CUES = {"own": ("rules.yaml", "forms.yaml"), "forms": ("forms.yaml",)}
"""Files of our own rules by scanner."""
_locks: dict[str, threading.Lock] = {}
_loaded: dict[str, Any] = {}


def scanner(name: str) -> Any:
    """One of the scanners, loaded once: ``own`` for our cues, ``forms`` for those of ``forms.yaml`` alone,
    ``vendors`` for its own rules."""
    with _locks[name]:
        if name not in _loaded:
            memory.ensure()
            from kingfisher_sdk import Rules, Scanner

            if name == "vendors":
                _loaded[name] = Scanner(Rules(), base64=True)
            else:
                from importlib.resources import as_file, files

                with ExitStack() as stack:
                    folder = files("sessionlens.redact")
                    paths = [stack.enter_context(as_file(folder.joinpath(file))) for file in _CUES[name]]
                    _loaded[name] = Scanner(Rules(paths, builtins=False), base64=False)
        return _loaded[name]


def _renew() -> None:
    """A process that was forked while another thread was loading would wait for that thread for ever."""
    _locks.update({name: threading.Lock() for name in ("vendors", *_CUES)})


_renew()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)


def warm() -> threading.Thread:
    """Begin to load the scanner in the background; harmless to call more than once."""
    with suppress(Exception):
        memory.ensure()
        # Here, not in the thread: two threads that import take turns, and what takes long would begin later.
        import kingfisher_sdk  # noqa: F401
    thread = threading.Thread(target=_warmed, name="sessionlens-scanner", daemon=True)
    thread.start()
    return thread


def _warmed() -> None:
    # What keeps it from loading is told by whoever needs it, once.
    with suppress(Exception):
        for name in ("vendors", *_CUES):
            scanner(name)
