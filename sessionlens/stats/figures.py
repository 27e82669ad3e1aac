"""Figures over a corpus: rates with Wilson intervals, and times.

The unit of a rate is a session on top with its children. A rule is counted over the sessions whose log records what
it rests on; where a log does not, silence of the rule says nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import msgspec

from sessionlens.curate.rows import FindingRow, SessionRow
from sessionlens.stats.formulas import Interval, quantile, wilson

UNKNOWN = "not known"
"""What stands for a null."""


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """What figures are made from: the tables without text."""

    name: str
    """What to call it."""
    sessions: tuple[SessionRow, ...]
    """Its sessions."""
    tables: dict[str, list[Any]]
    """Findings, operations, changes, tools."""
    rules: tuple[str, ...]
    """Rules that ran."""


class Rate(msgspec.Struct, frozen=True, kw_only=True):
    """A share of something that was counted."""

    table: str
    """Which table it belongs to: ``rule``, ``model``, ``client``, ``language``, ``tool errors``, ``tool limits``,
    ``handling``, ``model and rule``."""
    what: str
    """What was counted, such as the slug of a rule."""
    kind: str
    """``fault``, ``signal``, ``good``; empty where it is none."""
    hits: int
    """How many have it."""
    total: int
    """Of how many."""
    share: float
    """The one by the other; 0 where nothing was counted."""
    low: float
    """Lower end of the interval (Wilson, 95 %)."""
    high: float
    """Upper end."""
    findings: int
    """How often it occurs, where several may be in one session."""


class Times(msgspec.Struct, frozen=True, kw_only=True):
    """How long something took."""

    what: str
    """``time to acknowledge``, ``time to verify``, ``unknown state``."""
    unit: str
    """``ms`` or ``messages``."""
    reached: int
    """How often it came to an end."""
    never: int
    """How often it did not within the log: these have no time, and the times below are of the others."""
    untimed: int
    """How often it came to an end in a log without times."""
    least: float | None
    """The shortest."""
    lower: float | None
    """A quarter took no longer."""
    median: float | None
    """Half took no longer."""
    upper: float | None
    """Three quarters took no longer."""
    ninth: float | None
    """Nine tenths took no longer."""
    most: float | None
    """The longest."""


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """Everything there is to say of a corpus in numbers."""

    name: str
    """What to call it."""
    counts: dict[str, int]
    """Sessions, messages, calls and the like."""
    rates: tuple[Rate, ...]
    """Shares, by table."""
    times: tuple[Times, ...]
    """Times."""


def figures(corpus: Any) -> Figures:
    """The figures of a :class:`sessionlens.corpus.Corpus`."""
    source = Source(
        name=corpus.name,
        sessions=tuple(corpus.tables["sessions"]),
        tables=corpus.tables,
        rules=corpus.rules,
    )
    return Figures(
        name=source.name, counts=_counts(source), rates=tuple(_rates(source)), times=tuple(_times(source))
    )


def rate(table: str, what: str, hits: int, total: int, *, kind: str = "", findings: int = 0) -> Rate:
    """A share with its interval."""
    interval: Interval = wilson(hits, total)
    return Rate(
        table=table,
        what=what,
        kind=kind,
        hits=hits,
        total=total,
        share=hits / total if total else 0.0,
        low=interval.low,
        high=interval.high,
        findings=findings,
    )


def _counts(source: Source) -> dict[str, int]:
    sessions = source.sessions
    tops = [row for row in sessions if row.family == row.session]
    return {
        "sessions": len(tops),
        "child sessions": len(sessions) - len(tops),
        "messages": sum(row.messages for row in sessions),
        "human messages": sum(row.human_messages for row in sessions),
        "calls": sum(row.calls for row in sessions),
        "calls cut off": sum(row.cut_off for row in sessions),
        "faults": sum(row.faults for row in sessions),
        "signals": sum(row.signals for row in sessions),
        "good conduct": sum(row.good for row in sessions),
        "open operations": sum(row.open_operations for row in sessions),
        "never closed": sum(row.never_closed for row in sessions),
    }


def _rates(source: Source) -> Iterable[Rate]:
    findings: list[FindingRow] = [row for row in source.tables["findings"] if row.verdict != "dismiss"]
    families: dict[str, list[SessionRow]] = {}
    for row in source.sessions:
        families.setdefault(row.family, []).append(row)
    yield from _by_rule(source, findings, families)
    faulty = {row.family for row in findings if row.kind == "fault"}
    for table, value in _GROUPS:
        groups: dict[str, set[str]] = {}
        for family, rows in families.items():
            for one in {name for row in rows for name in value(row)} or {UNKNOWN}:
                groups.setdefault(one, set()).add(family)
        by_value: dict[str, set[str]] = groups
        for name, members in sorted(by_value.items(), key=lambda item: (-len(item[1]), item[0])):
            hit = faulty & members
            if table == "model":
                # Of a session with several models only the faults of this one count.
                hit = {
                    f.family for f in findings if f.kind == "fault" and (f.model or UNKNOWN) == name
                } & members
            count = sum(f.kind == "fault" and f.family in hit for f in findings)
            yield rate(table, name, len(hit), len(members), findings=count)
            if table == "model":
                yield from _of_model(name, members, findings)
    yield from _by_tool(source)
    yield from _handling(source)


def _models(row: SessionRow) -> list[str]:
    return [name for name in row.model.split(", ") if name]


_GROUPS: tuple[tuple[str, Callable[[SessionRow], list[str]]], ...] = (
    ("model", _models),
    ("client", lambda row: [" ".join(filter(None, (row.client or row.format, row.client_version)))]),
    ("language", lambda row: [row.language] if row.language else []),
)


def _by_rule(
    source: Source, findings: Sequence[FindingRow], families: dict[str, list[SessionRow]]
) -> Iterable[Rate]:
    hits: dict[tuple[str, str], set[str]] = {}
    counts: Counter[tuple[str, str]] = Counter()
    for row in findings:
        hits.setdefault((row.rule, row.kind), set()).add(row.family)
        counts[row.rule, row.kind] += 1
    blind: Counter[str] = Counter()
    for family, rows in families.items():
        root = next((row for row in rows if row.session == family), rows[0])
        blind.update(root.not_checkable)
    kinds = dict(sorted(hits))
    for rule in sorted({*source.rules, *(rule for rule, _ in hits)}):
        for kind in sorted({kind for name, kind in hits if name == rule}) or [kinds.get(rule, "")]:
            found = hits.get((rule, kind), set())
            total = max(len(families) - blind[rule], len(found))
            yield rate("rule", rule, len(found), total, kind=kind, findings=counts[rule, kind])


def _of_model(model: str, members: set[str], findings: Sequence[FindingRow]) -> Iterable[Rate]:
    own = [f for f in findings if (f.model or UNKNOWN) == model and f.kind == "fault"]
    for rule in sorted({f.rule for f in own}):
        hit = {f.family for f in own if f.rule == rule} & members
        yield rate(
            "model and rule",
            f"{model}: {rule}",
            len(hit),
            len(members),
            kind="fault",
            findings=sum(f.rule == rule for f in own),
        )


def _by_tool(source: Source) -> Iterable[Rate]:
    tools: dict[str, Counter[str]] = {}
    for row in source.tables["tools"]:
        tools.setdefault(row.tool, Counter()).update(calls=row.calls, errors=row.errors, cut=row.cut_off)
    ranked = sorted(tools.items(), key=lambda item: (-item[1]["calls"], item[0]))
    for name, counts in ranked:
        yield rate("tool errors", name, counts["errors"], counts["calls"])
    for name, counts in ranked:
        yield rate("tool limits", name, counts["cut"], counts["calls"])


def _handling(source: Source) -> Iterable[Rate]:
    operations, changes = source.tables["operations"], source.tables["changes"]
    told = sum(row.acknowledged_step is not None for row in operations)
    closed = sum(row.closed_by != "none" for row in operations)
    yield rate("handling", "open operations that the reader was told of", told, len(operations))
    yield rate("handling", "open operations that something closed", closed, len(operations))
    in_turn = sum(row.in_turn for row in changes)
    verified = sum(row.verified_step is not None for row in changes)
    yield rate("handling", "changes checked before the person wrote again", in_turn, len(changes))
    yield rate("handling", "changes ever checked", verified, len(changes))


def _times(source: Source) -> Iterable[Times]:
    for what, reached, values in durations(source.tables):
        timed = [value for value in values if value is not None]
        total = len(source.tables["changes" if what == "time to verify" else "operations"])
        yield times(what, "ms", timed, never=total - reached, untimed=reached - len(timed))
    operations = source.tables["operations"]
    closed = [float(row.unknown_messages) for row in operations if row.closed_by != "none"]
    yield times("unknown state", "messages", closed, never=len(operations) - len(closed), untimed=0)


def durations(tables: dict[str, list[Any]]) -> Iterable[tuple[str, int, list[float | None]]]:
    """Each time: what it is, how often it was reached, its values in milliseconds."""
    operations, changes = tables["operations"], tables["changes"]
    told = [row for row in operations if row.acknowledged_step is not None]
    checked = [row for row in changes if row.verified_step is not None]
    closed = [row for row in operations if row.closed_by != "none"]
    yield "time to acknowledge", len(told), [row.acknowledged_ms for row in told]
    yield "time to verify", len(checked), [row.verified_ms for row in checked]
    yield "unknown state", len(closed), [row.unknown_ms for row in closed]


def times(what: str, unit: str, values: Sequence[float], *, never: int, untimed: int) -> Times:
    """Times summed up."""
    ordered = sorted(values)

    def at(share: float) -> float | None:
        return quantile(ordered, share) if ordered else None

    return Times(
        what=what,
        unit=unit,
        reached=len(ordered) + untimed,
        never=never,
        untimed=untimed,
        least=at(0),
        lower=at(0.25),
        median=at(0.5),
        upper=at(0.75),
        ninth=at(0.9),
        most=at(1),
    )
