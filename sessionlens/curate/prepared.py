"""Rules and settings of a run, loaded once a process."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from sessionlens import config, loader


@cache
def prepared(
    file: str | None, folders: tuple[str, ...], only: tuple[str, ...], ignore: tuple[str, ...]
) -> tuple[config.Config, loader.Selection]:
    """The configuration and the chosen rules. Raises what :mod:`sessionlens.config` and the loader raise."""
    settings = config.load(Path(file)) if file is not None else config.Config()
    known = loader.classes(tuple(Path(folder) for folder in folders))
    selection = loader.select(
        known,
        only=only or settings.select,
        ignore=(*ignore, *settings.ignore),
        options=settings.rules,
    )
    return settings, selection
