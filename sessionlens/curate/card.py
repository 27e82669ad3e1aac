"""What goes beside the tables: the card for readers, its plots, and the schemas."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from sessionlens import __version__
from sessionlens.curate.render import FORMS
from sessionlens.curate.rows import REASONS, SCHEMA, TABLES, meanings, schema, spelled, types_of
from sessionlens.report import plots
from sessionlens.safe import line

_PLOTS = (
    ("sessions by format", "Sessions by format"),
    ("sessions by language", "Sessions by language"),
    ("sessions by worst fault", "Sessions by their worst fault"),
    ("steps by use", "Steps by use"),
    ("tokens by use", "Tokens by use"),
    ("steps by reason", "Why steps are masked or dropped"),
    ("episodes by label", "Episodes by label"),
    ("pairs by rule", "Pairs by rule"),
)
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
_MOST = 20
"""Bars of one plot."""
FORM_WORDS = {
    "openai": "`messages` with `tool_calls`, and `tools`",
    "anthropic": "`system` and `messages` of content blocks (in Parquet as JSON text)",
    "sharegpt": "`conversations` of `from` and `value`, and `tools`",
    "sft": "`messages` with `loss: true/false` for each message, and `tools`",
    "completion": "`prompt`, `completion` (one kept step a row) and `tools`: TRL's prompt-completion type",
}


def schemas() -> dict[str, bytes]:
    """The JSON Schema of every table, by file name."""
    return {
        f"schemas/{name}.schema.json": json.dumps(
            schema(row), indent=2, ensure_ascii=False, sort_keys=True
        ).encode()
        + b"\n"
        for name, row in TABLES.items()
    }


def pictures(tallies: Mapping[str, Mapping[str, int]]) -> dict[str, bytes]:
    """The plots, by file name."""
    found = {}
    for what, title in _PLOTS:
        counts = {key: number for key, number in tallies.get(what, {}).items() if number}
        if not counts:
            continue
        ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        values = [
            plots.Value(label=_told(key), value=float(number), shown=f"{number:,}")
            for key, number in ranked[:_MOST]
        ]
        left = len(ranked) - len(values)
        plot = plots.bars(title, values, note=f"{left} more are not shown" if left else "")
        found[f"plots/{what.replace(' ', '-')}.svg"] = plots.svg(plot).encode()
    return found


def _told(value: str) -> str:
    return line(value, 80) if value else "not known"


def card(manifest: Mapping[str, Any], plots_there: Sequence[str]) -> bytes:
    """``DATASET_CARD.md``, with the head that Hugging Face reads."""
    rows: Mapping[str, int] = manifest["rows"]
    tallies: Mapping[str, Mapping[str, int]] = manifest["tallies"]
    out = [
        *_front(manifest),
        "",
        "# Sessions of coding agents, labelled by what was done right and wrong",
        "",
    ]
    out += [
        f"Made by sessionlens {__version__} (`{SCHEMA}`) from the logs of {manifest['sources']['units']:,} sources. "
        "Every label is a finding of a rule with its evidence, or a span of good conduct that the log shows; "
        "nobody judged intent. Read the limits below before you train on it.",
        "",
        "## What is in it",
        "",
        *_table(["table", "rows", *manifest["splits"]], _counts(manifest)),
        "",
        *_empty(manifest),
        "Each table lies in `data/<table>/<split>-*.jsonl` and, where Parquet was asked for, `.parquet` beside it; "
        "chat forms in `chat/<form>/`. The columns are described at the end and in `schemas/`.",
        "",
    ]
    if manifest["forms"]:
        out += [
            *_table(
                ["chat form", "rows", "what a row holds"],
                [
                    [f"`chat/{form}`", f"{rows.get(f'chat/{form}', 0):,}", FORM_WORDS[form]]
                    for form in FORMS
                    if form in manifest["forms"]
                ],
            ),
            "",
        ]
    out += ["## Where it comes from", ""]
    for what in ("sessions by format", "sessions by client", "sessions by licence", "sessions by language"):
        found = tallies.get(what, {})
        ranked = sorted(found.items(), key=lambda item: (-item[1], item[0]))[:_MOST]
        out += _table(
            [what.removeprefix("sessions by "), "sessions"],
            [[_cell(_told(key)), f"{number:,}"] for key, number in ranked],
        )
        out.append("")
    counts = manifest["counts"]
    out += [
        "## What became of the sources",
        "",
        *_sources(manifest),
        *_table(
            ["", "number"],
            [[_cell(name.replace("_", " ")), f"{number:,}"] for name, number in counts.items()],
        ),
        "",
        "Counts of sessions are of those on top; child sessions go with their parents. "
        "Copies (resumed, forked, sliced) are kept once: the fullest. A near copy whose faults differ is kept, in "
        "the same split.",
        "",
        "## Labels",
        "",
        *_table(
            ["episodes", "number"],
            [
                [f"`{_cell(key)}`", f"{number:,}"]
                for key, number in sorted(
                    tallies.get("episodes by label", {}).items(), key=lambda item: (-item[1], item[0])
                )
            ],
        ),
        "",
        *_table(
            ["answer to prefer in pairs", "number"],
            [
                [f"`{_cell(key)}`", f"{number:,}"]
                for key, number in sorted(tallies.get("pairs by origin of the answer", {}).items())
            ],
        ),
        "",
        "`drafted` answers were put together from facts of the log by templates, in English; leave them out with "
        "`drafted == False` where only real words will do.",
        "",
        "## Use of steps",
        "",
        *_table(
            ["use", "steps", "tokens"],
            [
                [
                    use,
                    f"{tallies.get('steps by use', {}).get(use, 0):,}",
                    f"{tallies.get('tokens by use', {}).get(use, 0):,}",
                ]
                for use in ("keep", "mask", "drop")
            ],
        ),
        "",
        *_table(
            ["reason", "steps", "meaning"],
            [
                [f"`{code}`", f"{tallies.get('steps by reason', {}).get(code, 0):,}", words]
                for code, words in REASONS.items()
                if tallies.get("steps by reason", {}).get(code)
            ],
        ),
        "",
    ]
    for name in plots_there:
        out += [f"![{name.removeprefix('plots/').removesuffix('.svg').replace('-', ' ')}]({name})", ""]
    out += _safety(manifest)
    out += ["## Columns", ""]
    for table, row in TABLES.items():
        said = meanings(row)
        out += [
            f"### {table}",
            "",
            *_table(
                ["column", "type", "meaning"],
                [[f"`{name}`", spelled(hint), _cell(said[name])] for name, hint in types_of(row).items()],
            ),
            "",
        ]
    return "\n".join(out).encode()


_BECAME = {
    "read": "gave sessions",
    "passed": "are no logs",
    "unread": "cannot be read",
    "opted_out": "were opted out",
    "empty": "hold no session",
}
_NAMED = 50
"""Sources that the card names; the manifest names all."""


def _sources(manifest: Mapping[str, Any]) -> list[str]:
    """Every source by what became of it, and those by name that gave nothing."""
    became = manifest["sources"]["became"]
    rows = [[words, f"{became[name]:,}"] for name, words in _BECAME.items() if became[name]]
    out = _table(["sources that", "number"], [*rows, ["together", f"{sum(became.values()):,}"]])
    told = [one for one in manifest["sources"]["problems"] if one["kind"] in ("passed", "unread")]
    named = [
        [
            f"`{_cell(one['source'])}`",
            _cell(one["reason"]) + (f" ({one['count']})" if one["count"] > 1 else ""),
        ]
        for one in told[:_NAMED]
    ]
    if named:
        out += ["", *_table(["source", "why it gave nothing"], named)]
    if len(told) > _NAMED:
        out += ["", f"And {len(told) - _NAMED:,} more: `manifest.json` names them."]
    return [*out, ""]


def _front(manifest: Mapping[str, Any]) -> list[str]:
    rows = sum(manifest["rows"].get(table, 0) for table in TABLES)
    size = next((name for most, name in _SIZES if rows < most), "1M<n<10M")
    languages = [key for key in manifest["tallies"].get("sessions by language", {}) if key]
    suffix = "parquet" if "parquet" in manifest["formats"] else "jsonl"
    out = ["---", "pretty_name: Sessions of coding agents", "size_categories:", f"- {size}"]
    if languages:
        out += ["language:", *(f"- {json.dumps(one)}" for one in languages)]
    out += ["task_categories:", "- text-generation", "configs:"]
    folders = [(table, f"data/{table}") for table in TABLES]
    folders += [(f"chat_{form}", f"chat/{form}") for form in manifest["forms"]]
    for name, folder in folders:
        there = [
            split
            for split in manifest["splits"]
            if any(f.startswith(f"{folder}/{split}-") for f in manifest["files"])
        ]
        if not there:
            continue
        out += [f"- config_name: {name}", "  data_files:"]
        for split in there:
            out += [f"  - split: {split}", f'    path: "{folder}/{split}-*.{suffix}"']
    return [*out, "---"]


def _counts(manifest: Mapping[str, Any]) -> list[list[str]]:
    by_split = manifest["rows_by_split"]
    return [
        [f"`{table}`", f"{manifest['rows'].get(table, 0):,}"]
        + [f"{by_split.get(split, {}).get(table, 0):,}" for split in manifest["splits"]]
        for table in TABLES
    ]


def _empty(manifest: Mapping[str, Any]) -> list[str]:
    """Splits in which nothing is, and parts that lack a split: there is no file of them."""
    by_split = manifest["rows_by_split"]
    names = [*TABLES, *(f"chat/{form}" for form in manifest["forms"])]
    lacking = {
        split: [name for name in names if not by_split.get(split, {}).get(name)]
        for split in manifest["splits"]
    }
    out = []
    for split, gone in lacking.items():
        if len(gone) == len(names):
            out.append(f"- `{_cell(split)}` is empty.")
        elif gone:
            out.append(f"- `{_cell(split)}` has no rows of {', '.join(f'`{name}`' for name in gone)}.")
    return ["Where there are no rows there is no file:", "", *out, ""] if out else []


def _safety(manifest: Mapping[str, Any]) -> list[str]:
    options = manifest["options"]
    out = ["## Safety", ""]
    if options["redact"]:
        also = ", ".join(options["personal"]) or "nothing else"
        out.append(
            f"Secrets were replaced before anything was computed, and besides: {also}. Stand-ins such as "
            "`REDACTED-password-1` are numbered within each session. The finished files were searched for secrets "
            f"again: {manifest['scan']['secrets']} found in {manifest['scan']['rows']:,} rows."
        )
    else:
        out.append("**Nothing was redacted (`--no-redact`). Do not publish this.**")
    unknown = manifest["tallies"].get("sessions by licence", {}).get("", 0)
    if unknown:
        out += ["", f"Of {unknown:,} sessions the licence is not known; `licence` is null there."]
    out += [
        "",
        "## Limits",
        "",
        "- Labels are found by rules. Their confidence is a column; people's verdicts, where there are any, are another.",
        "- What a log does not record cannot be labelled: see `not_checkable` in an audit of it.",
        "- Redaction by pattern misses what has no pattern. Stand-ins hide names, not who a text is about.",
        f"- Tokens are counted by `{_cell(options['tokenizer'])}`.",
        "- Tools are listed by what the log shows of their calls; the schemas that the model was given are not in a log.",
        "",
    ]
    return out


def _cell(text: str) -> str:
    """A text in a cell of a table: on one line, nothing in it that Markdown would act on."""
    flat = line(str(text), 400)
    for sign in ("\\", "|", "<", "*", "[", "]"):
        flat = flat.replace(sign, f"\\{sign}")
    return flat


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    if not rows:
        return []
    return [
        f"| {' | '.join(head)} |",
        f"|{'|'.join('---' for _ in head)}|",
        *(f"| {' | '.join(row)} |" for row in rows),
    ]
