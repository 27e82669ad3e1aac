"""Prose to speech acts (CONTRACT §6), in the languages that have a file in ``lexicon/``.

Nothing here knows of sessions, and importing it loads neither spaCy nor a lexicon.
"""

from __future__ import annotations

from typing import Literal

from sessionlens.language.acts import ACKNOWLEDGING, Act, AssistantAct, Reading, Sentence, UserAct

__all__ = [
    "ACKNOWLEDGING",
    "Act",
    "AssistantAct",
    "Reading",
    "Role",
    "Sentence",
    "UserAct",
    "may_act",
    "read",
]

Role = Literal["assistant", "user"]
"""Whose acts are looked for."""


def read(
    text: str,
    role: Role = "assistant",
    language: str | None = None,
    *,
    spacy_model: str | None = None,
) -> Reading:
    """The acts of a message, sentence by sentence.

    Args:
        text: a message as its author wrote it, Markdown included.
        role: whose acts are looked for.
        language: ISO 639-1 code when known; else it is recognised, for single sentences too where that is clear.
        spacy_model: name of an installed spaCy model that may judge what the patterns leave undecided.

    Returns:
        A reading; ``language`` is ``None`` when it is not known or has no lexicon, and then only marks such as
        ✅ and ❌ act. Fenced code, quoted lines and log lines are sentences without acts. Places are code points.

    Raises:
        sessionlens.language.undecided.ModelError: when ``spacy_model`` cannot be loaded.
    """
    from sessionlens.language import engine

    return engine.read(text, role, language, spacy_model)


def may_act(text: str) -> bool:
    """A cheap gate: whether :func:`read` could find an act in the text for either role. Blank text: ``False``."""
    from sessionlens.language import engine

    return engine.may_act(text)
