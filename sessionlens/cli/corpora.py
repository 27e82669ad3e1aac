"""The runs of ``curate``, ``stats``, ``queue`` and ``agreement`` from their options to their exit codes."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sessionlens.cli import codes
from sessionlens.cli.outputs import stdout
from sessionlens.curate import run as runs
from sessionlens.curate import similar, sources, tokens, where
from sessionlens.curate.extract import PERSONAL, Order, Problem
from sessionlens.curate.labels import read as read_labels
from sessionlens.curate.plan import EARLY, Options
from sessionlens.curate.schedule import ClusterError, Scheduler, scheduler

if TYPE_CHECKING:
    from sessionlens.corpus import Corpus

_TOLD = 20
"""Problems that are told one by one; the manifest lists all."""


class Bar(runs.Progress):
    """A bar with the time that remains, on standard error, when somebody watches."""

    def __init__(self, quiet: bool) -> None:
        """Silent where nobody watches."""
        self._on = not quiet and sys.stderr.isatty()
        self._bar: Any = None

    def begin(self, what: str, total: int = 0) -> None:
        """Show a bar."""
        if self._on:
            self._bar = click.progressbar(length=total, label=what, file=sys.stderr, show_eta=True)
            self._bar.__enter__()

    def more(self, total: int) -> None:
        """Make it longer."""
        if self._bar is not None:
            self._bar.length += total

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
    formats = _formats(formats, quiet)
    dedup = _dedup(dedup, quiet)
    with _usable():
        entries = sources.opt_outs(opt_out)
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
            opt_out=tuple(entries),
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
        except runs.EmptyError as error:
            for problem in error.problems[:_TOLD]:
                codes.complain(problem.reason)
            codes.complain(f"{output}: nothing is written, because no source could be read")
            return codes.UNREAD
        except runs.LeakError as error:
            codes.complain(str(error))
            return codes.UNREAD
        except KeyboardInterrupt:
            codes.complain(_stopped(output))
            return codes.STOPPED
        except OSError as error:
            raise codes.Misused(f"{output}: cannot be written: {error.strerror or error}") from None
    for entry in runs.unused(order, result.problems):
        codes.advise(
            f"{opt_out.name if opt_out else ''}:{entries[entry]}: {entry}: names nothing that was read"
        )
    for told in result.strangers.told():
        codes.advise(told)
    _tell(result, output, quiet)
    return _code(result.problems)


@contextmanager
def _scheduled(jobs: int, address: str | None) -> Iterator[Scheduler]:
    who = scheduler(jobs, address)
    try:
        yield who
    finally:
        who.close()


def _stopped(output: str) -> str:
    """What to say of a run that was stopped: what is kept, and how to go on."""
    read, shards = runs.kept(output)
    if not read:
        return "stopped: no source was read to its end, and nothing is kept"
    what = f"{read:,} source{'s' * (read != 1)} read"
    if shards:
        what += f" and {shards:,} part{'s' * (shards != 1)} written"
    return (
        f"stopped: {what} so far, kept in {output}/{sources.WORK}. The set is not finished; the same command goes on from "
        "there"
    )


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


def _formats(formats: tuple[str, ...], quiet: bool) -> tuple[str, ...]:
    """The formats that can be written here."""
    import importlib.util

    there = importlib.util.find_spec("pyarrow") is not None
    if "parquet" in formats and not there:
        raise codes.Misused("Parquet needs pyarrow: pip install 'sessionlens[parquet]'; or --format jsonl")
    if formats:
        return tuple(name for name in ("jsonl", "parquet") if name in formats)
    if not there and not quiet:
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
    shared = False
    for piece in text.split(","):
        name, equals, share = piece.strip().partition("=")
        try:
            value = float(share) if equals else 1.0
            shared = shared or bool(equals)
        except ValueError:
            value = -1.0
        if not re.fullmatch(r"[a-z][a-z0-9_]{0,30}", name) or not 0 < value < 1e9 or name in found:
            raise codes.Misused(
                f"--split: {piece.strip()!r} is no NAME=SHARE with a small plain name, each once"
            )
        found[name] = value
    total = sum(found.values())
    if shared and not any(math.isclose(total, whole, rel_tol=0.001) for whole in (1, 100)):
        raise codes.Misused(f"--split: the shares add up to {total:g}; they must add up to 1, or to 100")
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
    from sessionlens.wording import numbered

    _complain(result.problems)
    if quiet:
        return
    manifest = result.manifest
    counts, rows, sources_ = manifest["counts"], manifest["rows"], manifest["sources"]
    no_logs = (
        "1 file that is no log"
        if sources_["passed"] == 1
        else f"{sources_['passed']:,} files that are no logs"
    )
    passed = f", {no_logs}" if sources_["passed"] else ""
    gone = f", {sources_['opted_out']:,} opted out" if sources_["opted_out"] else ""
    codes.advise(
        f"{numbered(sources_['units'], 'sources')} ({result.extracted:,} new or changed){passed}{gone}; "
        f"{numbered(counts.get('read', 0), 'sessions')}, {counts.get('kept', 0):,} kept"
    )
    copies = sum(number for name, number in counts.items() if name.startswith("duplicates_"))
    if copies:
        codes.advise(
            f"{'1 copy of another session' if copies == 1 else f'{copies:,} copies of other sessions'} left out"
        )
    codes.advise(
        ", ".join(numbered(rows.get(table, 0), table) for table in ("steps", "findings", "episodes", "pairs"))
    )
    uses = manifest["tallies"].get("steps by use", {})
    codes.advise("steps: " + ", ".join(f"{uses.get(use, 0):,} {use}" for use in ("keep", "mask", "drop")))
    shares = {
        split: manifest["rows_by_split"].get(split, {}).get("sessions", 0) for split in manifest["splits"]
    }
    codes.advise("sessions by split: " + ", ".join(f"{number:,} {split}" for split, number in shares.items()))
    empty = [split for split, number in shares.items() if not number]
    if empty and counts.get("kept"):
        codes.advise(
            f"nothing fell into {', '.join(empty)}: families and repositories are never divided, and of groups of them "
            f"there {'is' if counts.get('groups', 0) == 1 else 'are'} {counts.get('groups', 0):,}; another --seed or --split may help"
        )
    leaks = {name: number for name, number in manifest["checks"].items() if number}
    if leaks:
        codes.complain(f"leaks between splits: {leaks}")
    codes.advise(f"wrote {output}: read DATASET_CARD.md first")


def _code(problems: tuple[Problem, ...]) -> int:
    seen = [codes.UNREAD for one in problems if one.kind == "unread"]
    seen += [codes.CRASHED for one in problems if one.kind == "rule"]
    return codes.combined(seen)


# -------------------------------------------------------------------------------------- stats, queue, agreement


def _order(
    reader: str | None,
    rules: tuple[tuple[Path, ...], tuple[str, ...], tuple[str, ...], Path | None],
    redact: bool,
) -> Order:
    folders, select, ignore, config = rules
    return Order(
        **_rules(folders, select, ignore, config),
        reader=_reader(reader),
        redact=redact,
        personal=(),
        near=False,
        text=False,
    )


def _load(corpora: tuple[str, ...], order: Order, who: Scheduler, quiet: bool) -> Corpus:
    from sessionlens.corpus import load

    try:
        return load(*corpora, order=order, scheduler=who, progress=Bar(quiet))
    except (ValueError, FileNotFoundError) as error:
        raise codes.Unreadable(str(error)) from None


def _complain(problems: tuple[Problem, ...]) -> None:
    told = [one for one in problems if one.kind in ("unread", "rule")]
    for one in told[:_TOLD]:
        codes.complain(one.reason if one.source in one.reason else f"{one.source}: {one.reason}")
    if len(told) > _TOLD:
        codes.complain(f"and {len(told) - _TOLD} more")


def stats(
    *,
    corpora: tuple[str, ...],
    outputs: tuple[str, ...],
    compare: tuple[str, str] | None,
    filters: tuple[str, ...],
    reader: str | None,
    folders: tuple[Path, ...],
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    config: Path | None,
    redact: bool,
    jobs: int,
    quiet: bool,
) -> int:
    """Count, compare, write, and return the exit code."""
    from sessionlens.stats import compare as comparing
    from sessionlens.stats import figures, page

    if not corpora and not compare:
        raise click.UsageError("Missing argument 'CORPUS…'.")
    with _usable():
        order = _order(reader, (folders, select, ignore, config), redact)
        for text in filters:
            if where.parse(text).table != "sessions":
                raise codes.Misused("--where: figures are filtered by sessions")
        _outputs(outputs)
        with _scheduled(jobs, None) as who:
            whole = _load(corpora, order, who, quiet) if corpora else None
            for text in filters:
                whole = whole.where(text) if whole is not None else None
            comparison = None
            problems = list(whole.problems) if whole is not None else []
            if compare:
                sides = [_side(text, whole, order, who, quiet) for text in compare]
                if whole is None:
                    for text in filters:
                        sides = [side.where(text) for side in sides]
                problems += [one for side in sides for one in side.problems if one not in problems]
                comparison = comparing.compare(*sides)
                found = comparison.a
            else:
                assert whole is not None
                found = figures.figures(whole)
    _complain(tuple(problems))
    not_read = [one.reason for one in problems if one.kind == "unread"]
    for output in outputs:
        for path in _write_stats(output, page, found, comparison, not_read):
            if not quiet:
                codes.advise(f"wrote {path}")
    if not outputs:
        _print_stats(page, found, comparison)
    return _code(tuple(problems))


def _side(text: str, whole: Corpus | None, order: Order, who: Scheduler, quiet: bool) -> Corpus:
    """One side of a comparison: a corpus, or a part of the one that was given."""
    if sources.remote(text) or Path(text).exists():
        return _load((text,), order, who, quiet)
    if whole is None:
        raise codes.Misused(f"--compare: {text}: no such file or folder; a filter needs a CORPUS")
    return whole.where(text)


def _outputs(outputs: tuple[str, ...]) -> None:
    for output in outputs:
        path = Path(output)
        if path.suffix.lower() not in (".html", ".htm", ".json", "") and not path.is_dir():
            raise codes.Misused(
                f"{output}: give .html, .json, or a folder: the tables are written there as CSV and Parquet, one each"
            )
        if path.suffix and not path.is_dir() and not path.parent.is_dir():
            raise codes.Misused(f"{output}: there is no folder {path.parent}")


def _write_stats(output: str, page: Any, found: Any, comparison: Any, not_read: list[str]) -> Iterator[Path]:
    import importlib.util

    from sessionlens.cli.outputs import put_pieces
    from sessionlens.report.json import encode
    from sessionlens.stats import compare as comparing
    from sessionlens.stats import figures

    path = Path(output)
    if path.suffix.lower() in (".html", ".htm") and not path.is_dir():
        put_pieces([page.html(found, comparison, not_read).encode("utf-8", "replace")], path)
        yield path
        return
    tables = page.rows(found, comparison)
    if path.suffix.lower() == ".json" and not path.is_dir():
        counts = {
            one.name: one.counts for one in ([found] if comparison is None else [comparison.a, comparison.b])
        }
        document = {"schema": "sessionlens.stats/1", "counts": counts, **tables, "not_read": not_read}
        put_pieces([encode(document)], path)
        yield path
        return
    kinds = {"rates": figures.Rate, "times": figures.Times, "differences": comparing.Difference}
    for name, rows in tables.items():
        put_pieces([page.as_csv(rows)], path / f"{name}.csv")
        yield path / f"{name}.csv"
        if importlib.util.find_spec("pyarrow") is not None:
            put_pieces([page.as_parquet(rows, kinds[name])], path / f"{name}.parquet")
            yield path / f"{name}.parquet"


def _print_stats(page: Any, found: Any, comparison: Any) -> None:
    from sessionlens.safe import line
    from sessionlens.wording import numbered

    parts = [found] if comparison is None else [comparison.a, comparison.b]
    for one in parts:
        counts = ", ".join(numbered(number, name) for name, number in one.counts.items())
        click.echo(f"{line(one.name)}: {counts}")
    shown = (
        [page.differences(comparison.differences)]
        if comparison is not None
        else [section for section in page.sections(found) if section.rows]
    )
    for section in shown:
        click.echo(f"\n{section.title}" + (f" ({section.note})" if section.note else ""))
        rows = [section.head, *section.rows]
        rows = [[line(value, 60) for value in row] for row in rows]
        widths = [max(len(row[at]) for row in rows) for at in range(len(section.head))]
        for row in rows:
            click.echo(
                "  "
                + "  ".join(value.ljust(width) for value, width in zip(row, widths, strict=True)).rstrip()
            )
        if section.more:
            click.echo(f"  and {section.more} more: -o writes all")


def queue(
    *,
    corpora: tuple[str, ...],
    reviews: tuple[str, ...],
    most: int,
    disputed: bool,
    as_json: bool,
    reader: str | None,
    folders: tuple[Path, ...],
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    config: Path | None,
    redact: bool,
    jobs: int,
    quiet: bool,
) -> int:
    """Print the queue and return the exit code."""
    from sessionlens.curate import queue as queues
    from sessionlens.report.json import encode
    from sessionlens.safe import line

    if not corpora:
        raise click.UsageError("Missing argument 'CORPUS…'.")
    with _usable():
        labels = read_labels(reviews)
        order = _order(reader, (folders, select, ignore, config), redact)
        with _scheduled(jobs, None) as who:
            corpus = _load(corpora, order, who, quiet)
    _complain(corpus.problems)
    places = {row.session: row.source for row in corpus.tables["sessions"]}
    known = {row.fingerprint for row in corpus.tables["findings"]}
    for told in labels.strangers(places, known).told():
        codes.advise(told)
    rows = queues.queue(corpus.tables["findings"], places, labels, most=most, again=disputed)
    if as_json:
        stdout().write(encode(rows))
    else:
        for text in queues.shown(rows):
            click.echo(line(text, 300) if not text.startswith("  ") else f"     {line(text, 300)}")
    if not quiet:
        total = len(corpus.tables["findings"])
        codes.advise(f"{len(rows):,} of {total:,} findings; {len(labels):,} reviewed so far")
    return _code(corpus.problems)


def agreement(reviews: tuple[str, ...], as_json: bool) -> int:
    """Print how far reviewers agree."""
    from sessionlens.curate import labels as labelling
    from sessionlens.report.json import encode
    from sessionlens.safe import line

    if not reviews:
        raise click.UsageError("Missing argument '[NAME=]FILE…'.")
    with _usable():
        found = labelling.agreement(read_labels(reviews))
    if as_json:
        stdout().write(encode(found))
        return codes.OK

    def number(value: float | None) -> str:
        return "not defined" if value is None else f"{value:.3f}"

    click.echo(
        f"{len(found.reviewers)} reviewers, {found.findings} findings, {found.shared} judged by more than one"
    )
    click.echo(f"Krippendorff's alpha {number(found.alpha)}")
    for pair in found.pairs:
        names = f"{line(pair.one, 40)} and {line(pair.other, 40)}"
        click.echo(
            f"  {names}: {pair.agreed} of {pair.findings} the same, Cohen's kappa {number(pair.kappa)}"
        )
    for fingerprint in found.disputed:
        click.echo(f"  they differ on {line(fingerprint, 40)}")
    return codes.OK
