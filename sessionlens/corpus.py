"""Many sessions as tables in memory: for statistics, for pandas, for a notebook.

.. code-block:: python

    import sessionlens
    corpus = sessionlens.load("logs/")          # or a folder that `sessionlens curate` wrote
    corpus.frames()["findings"].groupby("rule").size()
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from sessionlens import temporary
from sessionlens.curate import run as runs
from sessionlens.curate import segments
from sessionlens.curate.extract import Order, Problem
from sessionlens.curate.place import Local
from sessionlens.curate.plan import Options
from sessionlens.curate.rows import TABLES
from sessionlens.curate.schedule import Here, Scheduler
from sessionlens.curate.sources import Origins

if TYPE_CHECKING:
    import pandas

FIGURES = ("sessions", "findings", "operations", "changes", "tools")
"""Tables without text: all that statistics need."""


class Corpus:
    """Rows of many sessions by table; the columns are those of ``sessionlens curate``."""

    def __init__(
        self,
        name: str,
        tables: dict[str, list[Any]],
        rules: Sequence[str] = (),
        problems: Sequence[Problem] = (),
    ) -> None:
        """``rules`` are those that ran; ``problems`` what could not be read or judged."""
        self.name = name
        self.tables = tables
        self.rules = tuple(rules)
        self.problems = tuple(problems)

    def __len__(self) -> int:
        return len(self.tables.get("sessions", ()))

    def frames(self) -> dict[str, pandas.DataFrame]:
        """Every table as a frame. Words with an order (severity, confidence) are ordered categories; what holds
        messages or lists stays a column of Python values.
        """
        import pandas

        from sessionlens.curate.where import ORDERED

        found = {}
        for name, rows in self.tables.items():
            columns = TABLES[name].__struct_fields__
            data = {column: [_plain(getattr(row, column)) for row in rows] for column in columns}
            frame = pandas.DataFrame(data, columns=list(columns))
            for column, words in ORDERED.items():
                if column in frame:
                    kind = pandas.CategoricalDtype(list(words), ordered=True)
                    frame[column] = frame[column].astype("object").astype(kind)
            for column in ("started", "ended", "time"):
                if column in frame:
                    frame[column] = pandas.to_datetime(frame[column], utc=True, errors="coerce")
            found[name] = frame
        return found

    def where(self, expression: str) -> Corpus:
        """The part of it whose sessions fulfil an expression of pandas' query language.

        :raises sessionlens.curate.where.WhereError: for one that is refused.
        """
        from sessionlens.curate import where

        parsed = where.parse(expression)
        if parsed.table != "sessions":
            raise where.WhereError("a corpus is filtered by its sessions")
        rows = self.tables.get("sessions", [])
        kept = {row.session for row, ok in zip(rows, where.holds(parsed, rows), strict=True) if ok}
        tables = {name: [r for r in table if r.session in kept] for name, table in self.tables.items()}
        return Corpus(expression, tables, self.rules, self.problems)

    def __repr__(self) -> str:
        counts = ", ".join(f"{len(rows):,} {name}" for name, rows in self.tables.items())
        return f"<sessionlens corpus {self.name}: {counts}>"

    def _repr_html_(self) -> str:
        """What a notebook shows: the rates by rule, with their intervals."""
        from sessionlens.stats import figures, page

        return page.fragment(figures.figures(self))


def load(
    *paths: str | Path,
    order: Order | None = None,
    scheduler: Scheduler | None = None,
    progress: runs.Progress | None = None,
) -> Corpus:
    """The sessions of logs, or a data set that ``curate`` wrote.

    :param paths: what ``curate`` takes as a source, or one folder with its ``manifest.json``.
    :param order: how logs are read; secrets are replaced unless it says otherwise.
    :param scheduler: who reads them; this process when not given.
    :raises FileNotFoundError: when a path is not there.
    :raises ValueError: when nothing can be read.
    """
    given = [str(path) for path in paths]
    if len(given) == 1 and (manifest := runs.read_manifest(Path(given[0]))) is not None:
        return _finished(Path(given[0]), manifest)
    if not given:
        raise ValueError("no path is given")
    order = order or Order()
    with temporary.folder() as made:
        folder = str(Path(made, "set"))
        request = runs.Request(corpora=tuple(given), output=folder, order=order, options=Options())
        found = runs.extracted(
            request, Local(Path(folder)), Origins(), scheduler or Here(), progress or runs.Progress()
        )
        tables: dict[str, list[Any]] = {name: [] for name in (TABLES if order.text else FIGURES)}
        rules: set[str] = set()
        for key in found.keys:
            for number, head in enumerate(found.store.heads(key)):
                rules.update(head.rules)
                for name in FIGURES:
                    tables[name] += getattr(head, name)
                if order.text:
                    body = segments.body(found.store.frames(key, number)[1])
                    tables["steps"] += body.steps
                    tables["episodes"] += body.episodes
                    tables["pairs"] += [one.row for one in body.pairs if one.row.chosen]
    unread = [one for one in found.problems if one.kind == "unread"]
    if not tables["sessions"] and unread:
        raise ValueError(unread[0].reason)
    name = Path(given[0]).name or given[0]
    return Corpus(
        name if len(given) == 1 else f"{name} and {len(given) - 1} more",
        tables,
        sorted(rules),
        found.problems,
    )


def _finished(folder: Path, manifest: dict[str, Any]) -> Corpus:
    """A finished data set, from its JSON Lines, else its Parquet."""
    tables: dict[str, list[Any]] = {}
    for name, kind in TABLES.items():
        files = sorted(file for file in manifest["files"] if file.startswith(f"data/{name}/"))
        lines = [file for file in files if file.endswith(".jsonl")]
        rows: list[Any] = []
        for file in lines or [file for file in files if file.endswith(".parquet")]:
            rows += _jsonl(folder / file, kind) if file.endswith(".jsonl") else _parquet(folder / file, kind)
        tables[name] = rows
    return Corpus(folder.name or folder.resolve().name, tables, manifest.get("rules", ()))


def _jsonl(file: Path, kind: type[msgspec.Struct]) -> Iterator[Any]:
    decoder = msgspec.json.Decoder(kind)
    with file.open("rb") as stream:
        for line in stream:
            yield decoder.decode(line)


def _parquet(file: Path, kind: type[msgspec.Struct]) -> Iterator[Any]:
    import pyarrow.parquet as pq

    for batch in pq.ParquetFile(file).iter_batches(batch_size=1_000):
        for row in batch.to_pylist():
            yield msgspec.convert(row, kind)


def _plain(value: Any) -> Any:
    return msgspec.to_builtins(value) if isinstance(value, (tuple, msgspec.Struct)) else value
