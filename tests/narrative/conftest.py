"""The shared sessions of ``made.py``, which import mode importlib does not find by itself."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="session")
def made() -> ModuleType:
    """The module of shared sessions."""
    place = Path(__file__).with_name("made.py")
    spec = importlib.util.spec_from_file_location("narrative_made", place)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
