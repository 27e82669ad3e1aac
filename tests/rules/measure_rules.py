"""``make measure-rules``: measures the shipped rules on labelled sessions and writes what the catalogue prints.

    SESSIONLENS_CORPUS=… python tests/rules/measure_rules.py sessionlens/measured.toml

On every folder of ``$SESSIONLENS_CORPUS/bench`` that has labels, and on faults of the mission rules planted into the
sessions of ``$SESSIONLENS_CORPUS/real`` (seed 0, one altered and one added a session, at most 300 KB a log). The file ends
with a checksum, so that figures written by hand do not pass the tests.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from sessionlens import engine, injecting, loader, measure, measured, readers
from sessionlens.report import transcript_xml

MISSION = ("empty-message-after-timeout", "unacknowledged-long-running-restart", "unverified-production-edit")
LARGEST = 300_000


def labelled(folder: Path) -> Iterator[measured.Row]:
    """One row a rule that the folder has labels for."""
    labels = measure.read_labels(folder / measure.LABELS)
    known = loader.classes()
    rules = [known[slug] for slug in sorted({label.rule for label in labels}) if slug in known]
    findings = {}
    for name in sorted({label.file for label in labels}):
        (session,) = readers.read(folder / name)
        selected = loader.select(known, only=[rule.slug for rule in rules])
        result = engine.audit(session, rules=selected.rules, unreported=selected.unreported, source=name)
        findings[name] = list(result.findings)
    for rule in rules:
        yield measured.row(f"labelled traces: {folder.name}", measure.measure(rule.slug, labels, findings))


def planted(folder: Path) -> Iterator[measured.Row]:
    """One row a mission rule: faults planted into real sessions, and the same sessions as they were."""
    known = loader.classes()
    rules = {slug: known[slug] for slug in MISSION}
    labels: list[measure.Label] = []
    findings = {}
    number = 0
    with tempfile.TemporaryDirectory() as scratch:
        for file in sorted(folder.rglob("*")):
            if not file.is_file() or file.suffix == ".tsv" or file.stat().st_size > LARGEST:
                continue
            try:
                sessions = readers.read(file)
            except (readers.ReadError, ValueError):
                continue
            for session in sessions:
                found = engine.audit(session, rules=[rule() for rule in rules.values()]).findings
                for fault in injecting.inject(session, rules):
                    if isinstance(fault, injecting.Skipped):
                        continue
                    number += 1
                    name = f"{number}.xml"
                    with (Path(scratch) / name).open("w", encoding="utf-8", errors="surrogatepass") as out:
                        transcript_xml.write([fault.session], out)
                    (back,) = readers.read(Path(scratch) / name)
                    findings[name] = list(engine.audit(back, rules=[rules[fault.rule]()]).findings)
                    for index in (fault.message_index, *fault.also):
                        labels.append(
                            measure.Label(file=name, rule=fault.rule, message_index=index, verdict="yes")
                        )
                    original = f"{number}.original"
                    findings[original] = [one for one in found if one.rule == fault.rule]
                    labels.append(measure.Label(file=original, rule=fault.rule, verdict="no"))
    for slug in MISSION:
        yield measured.row("planted into real sessions", measure.measure(slug, labels, findings))


def main() -> None:
    """Measure, and write the file."""
    corpus = os.environ.get("SESSIONLENS_CORPUS")
    if not corpus:
        sys.exit("SESSIONLENS_CORPUS is not set: where are the labelled sessions?")
    rows: list[measured.Row] = []
    for folder in sorted((Path(corpus) / "bench").iterdir()):
        if (folder / measure.LABELS).exists():
            rows += labelled(folder)
    rows += planted(Path(corpus) / "real")
    Path(sys.argv[1]).write_text(measured.write(rows), encoding="utf-8")
    for row in rows:
        print(
            f"{row.rule}: {row.on}: precision {row.precision}, recall {row.recall}, false alarms {row.false_alarms}"
        )


if __name__ == "__main__":
    main()
