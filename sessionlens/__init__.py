"""sessionlens: judges the log of a coding agent's session, with evidence for every statement."""

from __future__ import annotations

from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from pathlib import Path

    from sessionlens.corpus import Corpus


def load(*paths: str | Path) -> Corpus:
    """The sessions of logs, or a data set that ``sessionlens curate`` wrote, as tables.

    ``load(path).frames()`` are pandas frames; in a notebook a corpus shows its rates. Secrets are replaced.
    See :func:`sessionlens.corpus.load` for more.

    :raises ValueError: when nothing can be read.
    """
    from sessionlens.corpus import load as read

    return read(*paths)
