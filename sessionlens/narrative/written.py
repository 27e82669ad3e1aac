"""What an edit changed, against the text of the file that the log had shown or written before."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from sessionlens.cache import lazy
from sessionlens.graph.events import Called, Ran
from sessionlens.narrative import words
from sessionlens.narrative.stories import Context
from sessionlens.narrative.views import Statement

LONGEST = 60_000
"""Characters of a text that is compared."""
MOST_DIFFERENT = 300
"""Words between the first and the last difference; the work grows with their square."""
MOST_PIECES = 4
"""Pieces that are named."""

_HERE = lazy(r"<<-?\s*(['\"]?)(\w{1,40})\1[^\n]*\n")


def body_of(called: Called) -> str | None:
    """The text that a call writes: of its first here-document, or of an editing tool's input."""
    line = called.line
    if line is None:
        arguments = called.call.arguments()
        for name in ("content", "contents", "file_text"):
            if isinstance(arguments.get(name), str):
                return str(arguments[name])[:LONGEST]
        return None
    found = _HERE.search(line[:LONGEST])
    if found is None:
        return None
    lines = line[found.end() : LONGEST].split("\n")
    mark = found.group(2)
    for position, text in enumerate(lines):
        if text.strip().rstrip("'\"") == mark:
            return "\n".join(lines[:position])
    return "\n".join(lines)


def before(context: Context, edit: Ran) -> tuple[Ran, str, bool] | None:
    """The latest text of the same file before an edit, where it stands, and whether it is the file and no more."""
    target = edit.command.target
    for event in reversed(context.graph.events[: edit.call.seq]):
        if not isinstance(event, Ran) or event.command.target != target:
            continue
        if event.command.effect == "edit" and event.outcome.reached != "no":
            body = body_of(event.call)
            return (event, body, True) if body is not None else None
        reads = event.command.effect == "read" or event.command.check_strength == "read_back"
        if reads and event.call.call.output is not None and not event.outcome.failed:
            return event, event.call.call.output.ends()[:LONGEST], False
    return None


def difference(context: Context, edit: Ran) -> Iterator[Statement]:
    """What an edit adds and takes out, in its own words, where the log shows both texts."""
    new = body_of(edit.call)
    old = before(context, edit)
    if new is None or old is None:
        return
    event, text, whole = old
    a, b = _words(text), _words(new)
    found = _compared(a, b)
    if found is None:
        return
    added, removed = found
    if not added and not (removed and whole):
        return
    pieces = []
    if added:
        pieces.append(f"puts in {_named(added)}")
    if removed and whole:
        pieces.append(f"takes out {_named(removed)}")
    at = context.places.of(event)
    yield Statement(
        text=f"Against the text in message {at.label}, it {words.listing(pieces)}.",
        certainty="derived",
        evidence=(context.places.of(edit), at),
    )


def _compared(a: list[str], b: list[str]) -> tuple[list[str], list[str]] | None:
    """Pieces added and taken out; ``None`` when too much differs to say it, or to find it out quickly."""
    start = 0
    while start < min(len(a), len(b)) and a[start] == b[start]:
        start += 1
    end = 0
    while end < min(len(a), len(b)) - start and a[-1 - end] == b[-1 - end]:
        end += 1
    inner_a, inner_b = a[start : len(a) - end], b[start : len(b) - end]
    if max(len(inner_a), len(inner_b)) > MOST_DIFFERENT:
        return None
    added: list[str] = []
    removed: list[str] = []
    for operation, i, j, k, m in difflib.SequenceMatcher(a=inner_a, b=inner_b, autojunk=False).get_opcodes():
        if operation in ("insert", "replace"):
            added.append(_piece(b, start + k, start + m))
        if operation in ("delete", "replace"):
            removed.append(_piece(a, start + i, start + j))
    return added, removed


def _words(text: str) -> list[str]:
    """The words of a text, the signs that only continue a line left out."""
    return [word for word in text.split() if word != "\\"]


def _piece(all_words: list[str], begin: int, end: int) -> str:
    """Words with the flag or key that they are the value of."""
    if (begin and not all_words[begin].startswith("-") and all_words[begin - 1].startswith("-")) or (
        begin and all_words[begin - 1].endswith(("=", ":"))
    ):
        begin -= 1
    return " ".join(all_words[begin:end])


def _named(pieces: list[str]) -> str:
    shown = [words.code(words.clip(piece, 120)) for piece in pieces[:MOST_PIECES]]
    more = len(pieces) - len(shown)
    return words.listing([*shown, f"{words.counted(more, 'more piece')}"] if more else shown)
