"""Figures written down: a page, CSV, Parquet, JSON."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from html import escape
from typing import Any

import msgspec

from sessionlens.report import plots
from sessionlens.safe import cell, line
from sessionlens.stats.compare import Comparison, Difference
from sessionlens.stats.figures import Figures, Rate, Times
from sessionlens.wording import in_words, numbered

HEADINGS = {
    "rule": ("Sessions with a finding, by rule", "of the sessions whose log records what the rule rests on"),
    "handling": ("How open operations and changes were handled", ""),
    "model": (
        "Sessions with a fault, by model",
        "of a session with several models, the faults of each alone",
    ),
    "client": ("Sessions with a fault, by client and version", ""),
    "language": ("Sessions with a fault, by language", ""),
    "tool errors": ("Calls that ended with an error, by tool", ""),
    "tool limits": ("Calls that a time limit ended, by tool", ""),
    "model and rule": ("Sessions with a fault, by model and rule", ""),
}
"""Title and note of each table of rates, in their order."""
MOST = 25
"""Bars of one plot and rows of one table of a page; the files hold all."""


class Section(msgspec.Struct, frozen=True, kw_only=True):
    """One table of the page, with its plot."""

    title: str
    """Its heading."""
    note: str
    """What it is a share of."""
    plot: plots.Plot | None
    """Its picture."""
    head: tuple[str, ...]
    """Its columns."""
    rows: tuple[tuple[str, ...], ...]
    """Its rows, worded."""
    more: int
    """Rows that are left out."""


def percent(share: float | None) -> str:
    """A share as people read it."""
    if share is None:
        return "–"
    return f"{share * 100:.1f} %"


def sections(figures: Figures) -> list[Section]:
    """The tables of a page."""
    found = []
    for table, (title, note) in HEADINGS.items():
        rates = [row for row in figures.rates if row.table == table]
        if table in ("tool errors", "tool limits"):
            rates = [row for row in rates if row.hits]
        if table != "rule":
            rates.sort(key=lambda row: (-row.total, row.what))
        else:
            rates.sort(
                key=lambda row: ({"fault": 0, "signal": 1, "good": 2}.get(row.kind, 3), -row.share, row.what)
            )
        if rates:
            found.append(_rates(title, note, rates))
    found.append(_times(figures.times))
    return found


def _rates(title: str, note: str, rates: Sequence[Rate]) -> Section:
    values = [
        plots.Value(
            label=line(f"{row.what} ({row.kind})" if row.kind not in ("", "fault") else row.what, 80),
            value=row.share,
            shown=f"{percent(row.share)}  {row.hits:,}/{row.total:,}",
            low=row.low,
            high=row.high,
        )
        for row in rates[:MOST]
        if row.hits
    ]
    return Section(
        title=title,
        note=note,
        plot=plots.bars(title, values, note="lines: Wilson intervals, 95 %") if values else None,
        head=("", "kind", "with it", "of", "share", "95 % interval", "findings"),
        rows=tuple(
            (
                row.what,
                row.kind,
                f"{row.hits:,}",
                f"{row.total:,}",
                percent(row.share),
                f"{percent(row.low)} to {percent(row.high)}",
                f"{row.findings:,}" if row.findings else "",
            )
            for row in rates[:MOST]
        ),
        more=max(0, len(rates) - MOST),
    )


def _worded(value: float | None, unit: str) -> str:
    if value is None:
        return "–"
    return in_words(value) if unit == "ms" else f"{value:,.1f}".removesuffix(".0")


def _times(times: Sequence[Times]) -> Section:
    return Section(
        title="Times",
        note="of what came to an end within the log; what never did is counted apart",
        plot=None,
        head=(
            "",
            "in",
            "ended",
            "never",
            "without times",
            "quarter",
            "median",
            "three quarters",
            "nine tenths",
            "longest",
        ),
        rows=tuple(
            (
                row.what,
                "time" if row.unit == "ms" else "messages",
                f"{row.reached:,}",
                f"{row.never:,}",
                f"{row.untimed:,}",
                *(_worded(v, row.unit) for v in (row.lower, row.median, row.upper, row.ninth, row.most)),
            )
            for row in times
        ),
        more=0,
    )


def differences(rows: Sequence[Difference]) -> Section:
    """The table of a comparison, the least likely by chance first."""
    ranked = sorted(
        rows, key=lambda row: (row.p is None, row.corrected or 0.0, row.p or 0.0, row.table, row.what)
    )

    def shown(row: Difference, value: float | None) -> str:
        return _worded(value, "ms") if row.table == "time" else percent(value)

    def gap(row: Difference) -> str:
        if row.difference is None:
            return "–"
        sign = "+" if row.difference >= 0 else "−"
        if row.table == "time":
            return f"{sign}{_worded(abs(row.difference), 'ms')}"
        return f"{sign}{abs(row.difference) * 100:.1f} points"

    return Section(
        title="Differences, B against A",
        note="p: Fisher's exact test of shares, Mann-Whitney of times; corrected for their number by Holm. "
        "Effect: Cohen's h of shares, Cliff's delta of times.",
        plot=None,
        head=(
            "",
            "kind",
            "A",
            "of",
            "B",
            "of",
            "difference",
            "95 % interval",
            "p",
            "corrected",
            "effect",
            "size",
        ),
        rows=tuple(
            (
                f"{row.table}: {row.what}",
                row.kind,
                shown(row, row.a),
                f"{row.n_a:,}",
                shown(row, row.b),
                f"{row.n_b:,}",
                gap(row),
                ""
                if row.low is None or row.high is None
                else f"{row.low * 100:+.1f} to {row.high * 100:+.1f}",
                "" if row.p is None else f"{row.p:.3g}",
                "" if row.corrected is None else f"{row.corrected:.3g}",
                "" if row.effect is None else f"{row.effect:+.2f}",
                row.size,
            )
            for row in ranked
        ),
        more=0,
    )


def html(figures: Figures, comparison: Comparison | None = None, not_read: Sequence[str] = ()) -> str:
    """The page: tables and plots, nothing fetched, no script."""
    from sessionlens.report import markup
    from sessionlens.report.html import environment, policy

    style = markup.asset("style.css")
    parts = [("", figures)] if comparison is None else [("A: ", comparison.a), ("B: ", comparison.b)]
    return (
        environment()
        .get_template("stats.html")
        .render(
            title=f"{comparison.a.name} and {comparison.b.name}" if comparison is not None else figures.name,
            compared=differences(comparison.differences) if comparison is not None else None,
            parts=[(f"{prefix}{one.name}", one.counts, sections(one)) for prefix, one in parts],
            not_read=tuple(not_read),
            style=style,
            policy=policy(str(style), ""),
        )
    )


def rows(figures: Figures, comparison: Comparison | None = None) -> dict[str, list[dict[str, Any]]]:
    """Every table as plain rows, for files."""
    parts = [figures] if comparison is None else [comparison.a, comparison.b]
    found: dict[str, list[dict[str, Any]]] = {
        "rates": [{"corpus": one.name, **msgspec.to_builtins(row)} for one in parts for row in one.rates],
        "times": [{"corpus": one.name, **msgspec.to_builtins(row)} for one in parts for row in one.times],
    }
    if comparison is not None:
        found["differences"] = [msgspec.to_builtins(row) for row in comparison.differences]
    return found


def as_csv(table: Sequence[dict[str, Any]]) -> bytes:
    """A table as CSV that a spreadsheet opens: no cell of it is read as a formula."""
    out = io.StringIO(newline="")
    if table:
        writer = csv.writer(out, lineterminator="\r\n")
        writer.writerow(table[0].keys())
        for row in table:
            writer.writerow([cell(value) if isinstance(value, str) else value for value in row.values()])
    return out.getvalue().encode("utf-8", "replace")


def as_parquet(table: Sequence[dict[str, Any]], row: type[msgspec.Struct]) -> bytes:
    """A table as Parquet. Needs pyarrow."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from sessionlens.curate.render import arrow

    schema = arrow(row)
    if table and "corpus" in table[0]:
        schema = schema.insert(0, pa.field("corpus", pa.string()))
    out = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(list(table), schema=schema), out, compression="zstd", version="2.6")
    return out.getvalue()


def fragment(figures: Figures) -> str:
    """A short table for a notebook."""
    section = next(one for one in sections(figures) if one.head[0] == "")
    head = "".join(f"<th>{escape(name)}</th>" for name in section.head)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(line(value, 120))}</td>" for value in row) + "</tr>"
        for row in section.rows
    )
    counts = ", ".join(escape(numbered(number, name)) for name, number in figures.counts.items())
    return (
        f"<div><p><b>{escape(line(figures.name, 120))}</b>: {counts}</p>"
        f"<table><caption>{escape(section.title)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )
