"""The runs of ``curate``, ``stats``, ``queue`` and ``agreement`` from their options to their exit codes."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from sessionlens.cli import codes
from sessionlens.cli.outputs import stdout
from sessionlens.curate import run as runs
from sessionlens.curate import similar, sources, tokens, where
from sessionlens.curate.extract import PERSONAL, Order, Problem
from sessionlens.curate.labels import read as read_labels
from sessionlens.curate.plan import EARLY, Options
from sessionlens.curate.schedule import ClusterError, Scheduler, scheduler

_TOLD = 20
"""Problems that are told one by one; the manifest lists all."""


class Bar(runs.Progress):
    """A bar with the time that remains, on standard error, when somebody watches."""

    def __init__(self, quiet: bool) -> None:
        """Silent where nobody watches."""
        self._on = not quiet and sys.stderr.isatty()
        self._bar: Any = None

    def begin(self, what: str, total: int) -> None:
        """Show a bar."""
        if self._on:
            self._bar = click.progressbar(length=total, label=what, file=sys.stderr, show_eta=True)
            self._bar.__enter__()

    def step(self, done: int) -> None:
        """Move it on."""
        if self._bar is not None:
            self._bar.update(done)

    def end(self) -> None:
        """Leave it as it stands."""
        if self._bar is not None:
            self._bar.__exit__(None, None, None)
            self._bar = None


@contextmanager
def _usable() -> Iterator[None]:
    """What the person gave and cannot be used is wrong usage."""
    from sessionlens.report.reviews import ReviewError

    try:
        yield
    except (sources.SourceError, where.WhereError, tokens.TokenizerError, ReviewError, ClusterError) as error:
        raise codes.Misused(str(error)) from None


def curate(
    *,
    corpora: tuple[str, ...],
    output: str | None,
    formats: tuple[str, ...],
    forms: tuple[str, ...],
    max_tokens: int | None,
    reasoning: bool,
    result_limit: int,
    tokenizer: str,
    splits: str,
    seed: int,
    dedup: str | None,
    filters: tuple[str, ...],
    sample: float | None,
    caps: tuple[str, ...],
    balance: str | None,
    mask_from: str,
    reviews: tuple[str, ...],
    origins: Path | None,
    licence: str | None,
    origin: str | None,
    opt_out: Path | None,
    leave: tuple[str, ...],
    reader: str | None,
    folders: tuple[Path, ...],
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    config: Path | None,
    redact: bool,
    jobs: int,
    scheduler: str | None,
    clean: bool,
    quiet: bool,
    schema: bool,
) -> int:
    """Make the data set, tell what became of the sources, and return the exit code."""
    if schema:
        return _print_schema()
    if not corpora:
        raise click.UsageError("Missing argument 'CORPUS…'.")
    if output is None:
        raise click.UsageError("Missing option '-o' / '--output'.")
    _folder(output)
    formats = _formats(formats)
    dedup = _dedup(dedup, quiet)
    with _usable():
        tokens.counter(tokenizer)
        order = Order(
            **_rules(folders, select, ignore, config),
            reader=_reader(reader),
            redact=redact,
            personal=tuple(kind for kind in PERSONAL if kind not in leave) if redact else (),
            result_limit=result_limit,
            reasoning=reasoning,
            tokenizer=tokenizer,
            near=dedup == "near",
            opt_out=sources.lines(opt_out),
        )
        request = runs.Request(
            corpora=corpora,
            output=output,
            order=order,
            options=Options(
                splits=_splits(splits),
                seed=seed,
                dedup=dedup,
                where=tuple(where.parse(text) for text in filters),
                sample=sample,
                caps=tuple(_cap(text) for text in caps),
                balance=_column(balance) if balance is not None else None,
                mask_from=mask_from,
            ),
            origins_name=origins.name if origins is not None else None,
            formats=formats,
            forms=tuple(form for form in forms or ("sft",) if form != "none"),
            max_tokens=max_tokens,
            clean=clean,
        )
        labels = read_labels(reviews)
        known = sources.origins(origins, licence, origin)
        try:
            with _scheduled(jobs, scheduler) as who:
                result = runs.run(request, origins=known, labels=labels, scheduler=who, progress=Bar(quiet))
        except runs.LeakError as error:
            codes.complain(str(error))
            return codes.UNREAD
        except OSError as error:
            raise codes.Misused(f"{output}: cannot be written: {error.strerror or error}") from None
    _tell(result, output, quiet)
    return _code(result.problems)


@contextmanager
def _scheduled(jobs: int, address: str | None) -> Iterator[Scheduler]:
    who = scheduler(jobs, address)
    try:
        yield who
    finally:
        close = getattr(who, "close", None)
        if close is not None:
            close()


def _print_schema() -> int:
    from sessionlens.curate.rows import SCHEMA, TABLES, schema
    from sessionlens.report.json import encode

    tables = {name: schema(row) for name, row in TABLES.items()}
    stdout().write(encode({"schema": SCHEMA, "tables": tables}))
    return codes.OK


def _folder(output: str) -> None:
    if sources.remote(output):
        return
    path = Path(output)
    if path.exists() and not path.is_dir():
        raise codes.Misused(f"{output}: a file of this name is in the way of the folder")
    strangers = path.is_dir() and any(path.iterdir()) and not (path / sources.WORK).is_dir()
    if strangers and runs.read_manifest(path) is None:
        raise codes.Misused(f"{output}: holds other files; give an empty or a new folder")


def _formats(formats: tuple[str, ...]) -> tuple[str, ...]:
    """The formats that can be written here."""
    import importlib.util

    there = importlib.util.find_spec("pyarrow") is not None
    if "parquet" in formats and not there:
        raise codes.Misused("Parquet needs pyarrow: pip install 'sessionlens[parquet]'; or --format jsonl")
    if formats:
        return tuple(name for name in ("jsonl", "parquet") if name in formats)
    if not there:
        codes.advise("no Parquet: pyarrow is not installed (pip install 'sessionlens[parquet]')")
    return ("jsonl", "parquet") if there else ("jsonl",)


def _dedup(dedup: str | None, quiet: bool) -> str:
    if similar.available():
        return dedup or "near"
    if dedup == "near":
        raise codes.Misused("near duplicates need rensa: pip install 'sessionlens[dedup]'; or --dedup exact")
    if dedup is None and not quiet:
        codes.advise(
            "only exact and contained copies are looked for: rensa is not installed (pip install 'sessionlens[dedup]')"
        )
    return dedup or "exact"


def _reader(name: str | None) -> str | None:
    from sessionlens.readers import registered

    names = [known for known, _ in registered()]
    if name is not None and name not in names:
        raise codes.Misused(f"no reader is called {name}. Readers: {', '.join(names)}.")
    return name


def _rules(
    folders: tuple[Path, ...], select: tuple[str, ...], ignore: tuple[str, ...], config: Path | None
) -> dict[str, Any]:
    """Rules and configuration, loaded here first so that what is broken ends the run before any source is read."""
    from sessionlens import config as configs
    from sessionlens.cli.options import configuration, selection

    settings = configuration(config)
    selection(settings, folders, select, ignore)
    file = config if config is not None else configs.find(Path.cwd())
    return {
        "folders": tuple(str(folder.resolve()) for folder in folders),
        "select": select,
        "ignore": ignore,
        "config": str(file.resolve()) if file is not None else None,
    }


def _splits(text: str) -> tuple[tuple[str, float], ...]:
    import re

    found: dict[str, float] = {}
    for piece in text.split(","):
        name, equals, share = piece.strip().partition("=")
        try:
            value = float(share) if equals else 1.0
        except ValueError:
            value = -1.0
        if not re.fullmatch(r"[a-z][a-z0-9_]{0,30}", name) or not 0 < value < 1e9 or name in found:
            raise codes.Misused(f"--split: {piece.strip()!r} is no NAME=SHARE with a small plain name, each once")
        found[name] = value
    return tuple(found.items())


_ALSO = ("repository", "family", "source")


def _column(name: str) -> str:
    if name not in (*EARLY, *_ALSO):
        raise codes.Misused(
            f"episodes cannot be counted by {name}; by {', '.join(sorted({*EARLY, *_ALSO}))} they can"
        )
    return name


def _cap(text: str) -> tuple[str, int]:
    column, _, number = text.partition("=")
    if not number.isdecimal() or int(number) < 1:
        raise codes.Misused(f"--cap: {text!r} is no COLUMN=N")
    return _column(column), int(number)


def _tell(result: runs.Result, output: str, quiet: bool) -> None:
    """What became of the sources, on standard error."""
    told = [one for one in result.problems if one.kind in ("unread", "rule")]
    for one in told[:_TOLD]:
        codes.complain(one.reason if one.source in one.reason else f"{one.source}: {one.reason}")
    if len(told) > _TOLD:
        codes.complain(f"and {len(told) - _TOLD} more, listed in manifest.json")
    if quiet:
        return
    manifest = result.manifest
    counts, rows, sources_ = manifest["counts"], manifest["rows"], manifest["sources"]
    passed = f", {sources_['passed']:,} files that are no logs" if sources_["passed"] else ""
    gone = f", {sources_['opted_out']:,} opted out" if sources_["opted_out"] else ""
    codes.advise(
        f"{sources_['units']:,} sources ({result.extracted:,} new or changed){passed}{gone}; "
        f"{counts.get('read', 0):,} sessions, {counts.get('kept', 0):,} kept"
    )
    copies = sum(number for name, number in counts.items() if name.startswith("duplicates_"))
    if copies:
        codes.advise(f"{copies:,} copies of other sessions left out")
    codes.advise(
        ", ".join(f"{rows.get(table, 0):,} {table}" for table in ("steps", "findings", "episodes", "pairs"))
    )
    uses = manifest["tallies"].get("steps by use", {})
    codes.advise("steps: " + ", ".join(f"{uses.get(use, 0):,} {use}" for use in ("keep", "mask", "drop")))
    shares = {split: manifest["rows_by_split"].get(split, {}).get("sessions", 0) for split in manifest["splits"]}
    codes.advise("sessions by split: " + ", ".join(f"{number:,} {split}" for split, number in shares.items()))
    empty = [split for split, number in shares.items() if not number]
    if empty and counts.get("kept"):
        codes.advise(
            f"nothing fell into {', '.join(empty)}: families and repositories are never divided, and there are "
            f"{counts.get('groups', 0):,} groups of them; another --seed or --split may help"
        )
    leaks = {name: number for name, number in manifest["checks"].items() if number}
    if leaks:
        codes.complain(f"leaks between splits: {leaks}")
    codes.advise(f"wrote {output}: read DATASET_CARD.md first")


def _code(problems: tuple[Problem, ...]) -> int:
    seen = [codes.UNREAD for one in problems if one.kind == "unread"]
    seen += [codes.CRASHED for one in problems if one.kind == "rule"]
    return codes.combined(seen)


