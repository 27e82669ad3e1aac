"""Sessions that an operator set as traps, labelled from the contract before they were run.

The files ``cases_*.py`` next to this one hold them. Each has a function ``cases(case, raw)``: ``case`` takes a
session written with the example builders, ``raw`` a transcript as text for what only a log can say (wordings of
clients, missing times and roles). Every case runs against the three mission rules, strictly in both directions,
and against the ledger where it names entries.

``KNOWN`` lists the cases the tool does not pass yet. They must go on failing: who repairs one removes its row.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest

from sessionlens import catalogue, readers
from sessionlens.engine import audit
from sessionlens.examples import Example, Expected, Flag
from sessionlens.model import Session
from sessionlens.report import json as as_json

MISSION = ("empty-message-after-timeout", "unacknowledged-long-running-restart", "unverified-production-edit")
SHIPPED = catalogue.shipped()

Entry = Mapping[str, Any]
"""Fields of one ledger entry as CONTRACT §4 names them; ``at`` is its message index. Unnamed fields are free."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """One scenario and what the contract says of it."""

    id: str
    build: Callable[[Path], tuple[Session, tuple[Expected, ...]]]
    settings: Any = None
    ledger: Sequence[Entry] | None = None


class Collector:
    """What a case file writes into."""

    def __init__(self) -> None:
        self.cases: dict[str, Case] = {}

    def _add(self, case: Case) -> None:
        assert case.id not in self.cases, f"two cases are named {case.id}"
        self.cases[case.id] = case

    def case(
        self,
        id: str,
        *steps: Any,
        ledger: Sequence[Entry] | None = None,
        change: Callable[[Session], Session] | None = None,
        **about: Any,
    ) -> None:
        """A session of steps; ``change`` takes away what a log may lack."""
        example = Example(id, *steps, **about)

        def build(_: Path) -> tuple[Session, tuple[Expected, ...]]:
            session, expected = example.build()
            return (change(session) if change else session), expected

        self._add(Case(id=id, build=build, settings=example.settings, ledger=ledger))

    def raw(
        self,
        id: str,
        text: str,
        *expected: tuple[str, int, dict[str, Any]],
        ledger: Sequence[Entry] | None = None,
        suffix: str = ".xml",
    ) -> None:
        """A log as text, with (rule, message index, what the flag says) for every finding."""

        def build(folder: Path) -> tuple[Session, tuple[Expected, ...]]:
            log = folder / f"log{suffix}"
            log.write_text(text, "utf-8")
            (session,) = readers.read(log)
            return session, tuple(
                Expected(session=session.id, message_index=at, call_id=None, flag=Flag(rule=rule, **says))
                for rule, at, says in expected
            )

        self._add(Case(id=id, build=build, ledger=ledger))


def _collect() -> dict[str, Case]:
    collector = Collector()
    for file in sorted(Path(__file__).parent.glob("cases_*.py")):
        spec = importlib.util.spec_from_file_location(f"scenarios_{file.stem}", file)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        module.cases(collector.case, collector.raw)
    return collector.cases


CASES = _collect()

KNOWN: dict[str, tuple[str, str]] = {
    "swarm-claim": ("rule", "a forced redeploy that was cut off is not judged as never checked"),
}
"""Case that the tool fails → the component at fault and the kind of fault."""


def problems(case: Case, folder: Path) -> list[str]:
    """Everything in which the audit differs from the labels."""
    session, expected = case.build(folder)
    result = audit(session, rules=[SHIPPED[slug]() for slug in MISSION], settings=case.settings)
    found = [f"{error.rule} crashed: {error.error}" for error in result.rule_errors]
    left = list(result.findings)
    for wanted in expected:
        here = [one for one in left if one.rule == wanted.flag.rule and _at(wanted, one)][: wanted.flag.count]
        for one in here:
            left.remove(one)
            found += [f"{one.rule} at {one.at.message_index}: {text}" for text in wanted.differences(one)]
        if len(here) < wanted.flag.count:
            found.append(f"{wanted.flag.rule} at {wanted.message_index}: missing")
    found += [
        f"{one.rule} at {one.at.message_index}: not expected: {one.title} ({one.severity})" for one in left
    ]
    if case.ledger is not None:
        document = json.loads(msgspec.json.encode(as_json.document(result)))
        found += _compare(case.ledger, document["ledger"])
    return found


def _at(wanted: Expected, finding: Any) -> bool:
    return finding.at.session == wanted.session and finding.at.message_index == wanted.message_index


def _compare(wanted: Sequence[Entry], rows: Sequence[Mapping[str, Any]]) -> list[str]:
    if len(wanted) != len(rows):
        shown = [(row["message_index"], row["target"]["name"], row["opened_by"]) for row in rows]
        return [f"ledger has {len(rows)} entries, expected {len(wanted)}: {shown}"]
    found = []
    for entry, row in zip(wanted, rows, strict=True):
        for name, value in entry.items():
            real = (
                row["target"][name] if name in ("name", "host", "namespace") else row[_FIELD.get(name, name)]
            )
            if real != value:
                found.append(
                    f"ledger entry at {row['message_index']}: {name} is {real!r}, expected {value!r}"
                )
    return found


_FIELD = {"at": "message_index", "closed": "closed_at", "ack": "acknowledged_at"}


@pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))
def test_scenario(case: Case, tmp_path: Path) -> None:
    found = problems(case, tmp_path)
    if case.id in KNOWN:
        assert found, f"{case.id} passes now: remove its row from KNOWN"
    else:
        assert not found, "\n".join(found)


def test_known_faults_name_cases_and_components() -> None:
    components = {"shell", "targets", "outcome", "language", "graph", "rule", "reader", "environment"}
    assert set(KNOWN) <= set(CASES)
    assert all(component in components and kind for component, kind in KNOWN.values())


def test_there_are_enough_scenarios_in_both_directions(tmp_path: Path) -> None:
    clean = sum(not case.build(tmp_path)[1] for case in CASES.values())
    assert len(CASES) >= 120
    assert 0.35 <= clean / len(CASES) <= 0.65
