"""What a text does: speech acts by sentence (CONTRACT §6)."""

from __future__ import annotations

from typing import Literal

import msgspec

AssistantAct = Literal[
    "acknowledges_cut_off", "reports_in_progress", "reports_failure", "claims_success", "claims_check",
    "admits_unverified", "hedges", "promises_check", "proposes_waiting", "asks_person", "hands_over",
]  # fmt: skip
UserAct = Literal[
    "continuation", "asks_state", "new_direction", "complaint", "confirmation", "constrains", "authorises"
]

ACKNOWLEDGING: frozenset[str] = frozenset(
    {"acknowledges_cut_off", "reports_in_progress", "admits_unverified", "promises_check", "proposes_waiting",
     "reports_failure"}
)  # fmt: skip
"""Acts that tell a reader that an operation was cut off, goes on, failed or is not confirmed."""


class Act(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One act and the words that show it."""

    act: str
    """An :data:`AssistantAct` or :data:`UserAct`."""
    span: tuple[int, int]
    """Start and end of the showing words, in code points of the whole text."""
    about: str | None = None
    """What it speaks of, in the text's own words."""


class Sentence(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One sentence with its acts."""

    text: str
    """The sentence."""
    span: tuple[int, int]
    """Start and end in code points of the whole text."""
    acts: tuple[Act, ...] = ()
    """What it does; empty when it does none of the known."""


class Reading(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A text read for its acts."""

    language: str | None
    """ISO 639-1 code; ``None`` when unknown."""
    sentences: tuple[Sentence, ...]
    """In order; an empty text is one empty sentence."""

    def acts(self) -> tuple[Act, ...]:
        """All acts, in order."""
        return tuple(act for sentence in self.sentences for act in sentence.acts)
