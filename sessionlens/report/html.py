"""The page: one file that holds everything, fetches nothing, and is complete without script.

This module holds the only template environment. Every printed value is made visible and escaped by it; trusted
markup comes from :mod:`sessionlens.report.markup` alone.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from importlib.resources import files
from itertools import islice
from typing import TYPE_CHECKING, Any, TextIO

import msgspec

from sessionlens import cache
from sessionlens.model import Session
from sessionlens.narrative import words
from sessionlens.narrative.views import Audited, Evidence, Narrative, Picture, Statement
from sessionlens.report import markup, svg, transcript
from sessionlens.report.reviews import DONE, Review
from sessionlens.report.transcript import CHUNK, PLAIN, Block, Piece, Row

if TYPE_CHECKING:
    from jinja2 import Environment

FEW = 8
"""With more chapters than this, a table leads to them …"""
OPENED = 4
"""… and only the worst ones stand open."""
EXCERPT_LIMIT = 8_000
"""Longer texts in the excerpt of a long session are shown by their ends; the list holds the whole."""


@functools.cache
def environment() -> Environment:
    """The template environment: escaping for every name, and a misspelt field is an error."""
    from jinja2 import BytecodeCache, Environment, FunctionLoader, StrictUndefined, __version__
    from jinja2.bccache import Bucket

    templates = files("sessionlens.report_templates")
    # A template's code holds what these made of its constants; its own text is checked by the library.
    makers: tuple[str | bytes, ...] = (
        __version__,
        sys.version,
        *(files(__package__).joinpath(f).read_bytes() for f in ("html.py", "markup.py")),
    )

    class Kept(BytecodeCache):
        """Compiling the templates takes longer than the page of a small session."""

        def get_cache_key(self, name: str, filename: str | None = None) -> str:
            return f"template-{name}"

        def load_bytecode(self, bucket: Bucket) -> None:
            kept = cache.code(bucket.key, makers)
            if kept is not None:
                bucket.bytecode_from_string(kept)

        def dump_bytecode(self, bucket: Bucket) -> None:
            cache.keep_code(bucket.key, makers, bucket.bytecode_to_string())

    made = Environment(
        loader=FunctionLoader(lambda name: templates.joinpath(name).read_text("utf-8")),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=markup.finalize,
        trim_blocks=True,
        lstrip_blocks=True,
        bytecode_cache=Kept(),
    )
    made.globals.update(
        sentence=markup.statement,
        heading=markup.heading,
        prose=markup.prose,
        output=markup.output,
        diff=markup.diff,
        counted=words.counted,
        label=words.label,
        shows_more=_shows_more,
        once=_once,
        any_interval=_any_interval,
    )
    return made


def load() -> None:
    """Get ready what every page needs; it is got ready at the first page anyway."""
    environment().get_template("page.html")
    environment().get_template("macros.html")
    markup.load()


def _shows_more(statement: Statement, at: Evidence) -> bool:
    """Whether a quote says more than the sentence above it, which may hold it already."""
    return words.clip(words.flat(at.quote), 60).rstrip("…") not in words.flat(statement.text)


def _once(evidence: Sequence[Evidence]) -> list[Evidence]:
    """Each place once, however many of its words are quoted."""
    found: dict[tuple[str, int | None, int | None], Evidence] = {}
    for at in evidence:
        found.setdefault((at.session, at.message_index, at.line), at)
    return list(found.values())


def _any_interval(picture: Picture) -> bool:
    return any(lane.intervals for lane in picture.lanes)


def policy(style: str, script: str) -> str:
    """The content security policy: our style and our script by their hashes, nothing else, nothing fetched."""
    return (
        "default-src 'none'; "
        f"style-src {_hash(style)}; script-src {_hash(script)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"


def render(
    narrative: Narrative,
    audit: Audited,
    stream: TextIO,
    *,
    static: bool = False,
    reviews: Mapping[str, Review] | None = None,
    seen: Callable[[str], object] | None = None,
    made: Callable[[int], Chunk | None] | None = None,
) -> None:
    """Write the page, piece by piece.

    :param static: write the whole transcript as plain HTML, however long it is.
    :param reviews: what a person said of findings, by fingerprint.
    :param seen: gets every text that goes into the page deflated, before it is: nobody can read it there later.
    :param made: chunks of the transcript by number, as :func:`chunks` makes them, where somebody has made them already.
    """
    session = audit.session
    total = sum(len(member.messages) for member in session.family())
    plain = static or total < PLAIN
    style, script = markup.asset("style.css"), markup.asset("page.js")
    long = _Chunks(session, narrative, seen, made)
    limit = None if static else transcript.fitting(session)
    template = environment().get_template("page.html")
    page = template.generate(
        story=narrative,
        policy=policy(str(style), str(script)),
        style=style,
        script=script,
        drawing=svg.draw(narrative.picture) if narrative.picture is not None else None,
        drawings=[svg.draw(c.picture) if c.picture is not None else None for c in narrative.chapters],
        gaps=[
            (words.label(gap.reason), gap.origin.line) for member in session.family() for gap in member.gaps
        ],
        total=total,
        plain=plain,
        opened=OPENED if len(narrative.chapters) > FEW else len(narrative.chapters),
        rows=transcript.rows(session, narrative, limit=limit, seen=seen, inside=True) if plain else (),
        reviews=reviews or {},
        done=DONE,
        excerpt=() if plain else _excerpt(session, narrative, seen),
        chunks=() if plain else long.packed(),
        index=long.index,
    )
    # Each piece as it is made: gathered, the chunks would be the whole page, twice.
    for piece in page:
        stream.write(piece)


def referenced(narrative: Narrative) -> frozenset[str]:
    """Anchors of every place that the narrative points to."""
    found: set[str] = set(narrative.notes) if len(narrative.notes) <= 200 else set()
    stack: list[Any] = [
        narrative.headline, narrative.lede, narrative.numbers, narrative.picture, narrative.ledger,
        narrative.chapters, narrative.conduct, narrative.aside, narrative.limits,
    ]  # fmt: skip
    while stack:
        value = stack.pop()
        if isinstance(value, Evidence):
            if value.anchor is not None:
                found.add(value.anchor)
        elif isinstance(value, msgspec.Struct):
            stack.extend(getattr(value, name) for name in value.__struct_fields__)
        elif isinstance(value, tuple):
            stack.extend(value)
    return frozenset(found)


def _excerpt(session: Session, narrative: Narrative, seen: Callable[[str], object] | None) -> Iterator[Row]:
    """The messages that a long page speaks of, written out so that it works without script."""
    wanted = referenced(narrative)
    made = transcript.rows(session, narrative, limit=EXCERPT_LIMIT, only=wanted, seen=seen)
    return (row for row in made if row.kind == "message")


class Chunk(msgspec.Struct, frozen=True, kw_only=True):
    """Some messages of a long transcript. It holds nothing that a finding or the narrative decides."""

    packed: str
    """Their rows, deflated."""
    rows: list[tuple[str, tuple[str, ...]]]
    """Anchor and filter tags of each, but for the tags that notes bring."""
    leaks: list[str] = []
    """Kinds of secrets found in it."""


def chunked(session: Session) -> int:
    """How many chunks the transcript of a session has."""
    total = sum(len(member.messages) for member in session.family())
    return -(-total // CHUNK)


def chunks(session: Session, *, leaks: Callable[[str], list[str]] | None) -> Iterator[Chunk]:
    """The transcript of a session in chunks.

    :param leaks: finds the kinds of secrets in a text; ``None`` where secrets may stand.
    """
    found: list[str] = []
    seen = (lambda text: found.extend(leaks(text))) if leaks is not None else None
    for text, rows in _texts(session, seen):
        yield Chunk(packed=transcript.pack(text), rows=rows, leaks=found.copy())
        found.clear()


class _Chunks:
    """A long transcript as deflated chunks, made one at a time, and the index that its script starts from."""

    def __init__(
        self,
        session: Session,
        narrative: Narrative,
        seen: Callable[[str], object] | None,
        made: Callable[[int], Chunk | None] | None,
    ) -> None:
        self._session, self._notes, self._seen, self._made = session, narrative.notes, seen, made
        self._rows: list[tuple[str, tuple[str, ...]]] = []

    def packed(self) -> Iterator[str]:
        """Chunk by chunk, deflated while the next ones are made: that needs no interpreter."""
        total, number = chunked(self._session), 0
        while number < total and self._made is not None and (chunk := self._made(number)) is not None:
            self._rows += chunk.rows
            number += 1
            yield chunk.packed
        if number == total:
            return
        with ThreadPoolExecutor(1) as aside:
            waiting: deque[Future[str]] = deque()
            for text, rows in islice(_texts(self._session, self._seen), number, None):
                self._rows += rows
                waiting.append(aside.submit(transcript.pack, text))
                if len(waiting) > _AT_ONCE:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()

    def index(self) -> str:
        """Anchor, filter tags and notes of every message; asked for after the last chunk."""
        rows = [self._indexed(anchor, tags) for anchor, tags in self._rows]
        if self._seen is not None:
            texts: list[str] = []
            _gather((row[2:] for row in rows), texts)
            self._seen(_APART.join(texts))
        return transcript.pack(msgspec.json.encode({"size": CHUNK, "rows": rows}).decode("utf-8"))

    def _indexed(self, anchor: str, tags: tuple[str, ...]) -> tuple[Any, ...]:
        notes = self._notes.get(anchor)
        if not notes:
            return anchor, tags
        told = [(note.kind, markup.visible(note.text.replace("`", "")), note.chapter) for note in notes]
        return anchor, transcript.with_notes(tags, notes), told


def _texts(
    session: Session, seen: Callable[[str], object] | None
) -> Iterator[tuple[str, list[tuple[str, tuple[str, ...]]]]]:
    """The rows of each chunk as JSON, with anchor and tags of each."""
    waiting: list[dict[str, Any]] = []
    places: list[tuple[str, tuple[str, ...]]] = []
    title = ""
    for row in transcript.rows(session, None, limit=None):
        if row.kind == "open":
            title = row.title
            continue
        if row.kind == "close":
            continue
        places.append((row.anchor, row.tags))
        waiting.append(_compact(row, title if row.depth else ""))
        if len(waiting) == CHUNK:
            yield _text(waiting, seen), places
            waiting, places = [], []
    if waiting:
        yield _text(waiting, seen), places


def _text(rows: list[dict[str, Any]], seen: Callable[[str], object] | None) -> str:
    if seen is not None:
        texts: list[str] = []
        _gather(rows, texts)
        seen(_APART.join(texts))
    return msgspec.json.encode(rows).decode("utf-8")


_AT_ONCE = 2
"""Chunks that wait to be deflated at most: they are held in memory."""
_APART = "\n\x1e\n"
"""Between texts that stand apart on the page."""


def _gather(values: Iterable[Any], texts: list[str]) -> None:
    """Every text within rows: what a reader sees of them, without the escapes of JSON."""
    for value in values:
        if isinstance(value, str):
            if value:
                texts.append(value)
        elif isinstance(value, dict):
            _gather(value.values(), texts)
        elif isinstance(value, (list, tuple)):
            _gather(value, texts)


def _compact(row: Row, child: str) -> dict[str, Any]:
    show = markup.visible
    return {
        "a": row.anchor,
        "l": show(row.label),
        "w": row.who,
        "r": row.role,
        "t": row.when,
        "n": row.line,
        "b": show(row.about),
        "s": show(child),
        "p": [_compact_block(block) for block in row.blocks],
    }


def _compact_block(block: Block) -> dict[str, Any]:
    return {
        "k": block.kind,
        "n": markup.visible(block.label),
        "o": block.tool,
        "s": markup.visible(block.status),
        "x": block.bad,
        "p": [_compact_piece(piece) for piece in block.pieces],
    }


def _compact_piece(piece: Piece) -> dict[str, Any]:
    show = markup.visible
    made: dict[str, Any] = {"m": "words" if piece.mode == "markdown" else piece.mode, "f": piece.folded}
    if piece.mode == "diff":
        made["l"] = [(sign, show(line)) for sign, line in piece.lines]
        return made
    if piece.mode == "output":
        runs = markup.coloured(piece.text).runs
        if any(run.css for run in runs):
            made["r"] = [(run.css, run.text) for run in runs]
            return made
        made["t"] = "".join(run.text for run in runs)
        return made
    made["t"] = show(piece.text)
    return made


def page(
    narrative: Narrative, audit: Audited, *, static: bool = False, reviews: Mapping[str, Review] | None = None
) -> str:
    """The page as one string."""
    from io import StringIO

    out = StringIO()
    render(narrative, audit, out, static=static, reviews=reviews)
    return out.getvalue()
