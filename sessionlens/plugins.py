"""What other installed packages offer, without reading about every one of them.

``importlib.metadata`` and the mail parser that it rests on take longer to import than a small session to judge, and
most machines have no package that offers anything. So the lists of installed packages are searched for our name first.
"""

from __future__ import annotations

import os
import sys
from functools import lru_cache
from importlib.machinery import PathFinder
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

_OURS = b"[sessionlens."
"""How the head of each of our groups begins."""


def points(group: str) -> list[EntryPoint]:
    """The entry points of a group.

    :param group: its name, which begins with ``sessionlens.``.
    """
    if not _offered(tuple(sys.path)):
        return []
    from importlib.metadata import entry_points

    return list(entry_points(group=group))


@lru_cache(maxsize=1)
def _offered(places: tuple[str, ...]) -> bool:
    """Whether an installed package may offer something of ours; true where that cannot be told from folders."""
    for finder in sys.meta_path:
        if finder is not PathFinder and hasattr(finder, "find_distributions"):
            return True
    return any(_names_us(place or ".") for place in places)


def _names_us(place: str) -> bool:
    """Whether a folder of packages holds one that names a group of ours."""
    try:
        with os.scandir(place) as found:
            names = [one.name for one in found if one.name.endswith((".dist-info", ".egg-info", ".egg"))]
    except FileNotFoundError:
        return False
    except OSError:
        return True  # an archive of packages
    for name in names:
        if name.endswith(".egg"):
            return True
        try:
            with open(os.path.join(place, name, "entry_points.txt"), "rb") as listed:
                if _OURS in listed.read():
                    return True
        except OSError:
            continue
    return False
