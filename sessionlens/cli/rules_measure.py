"""``sessionlens rules measure``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sessionlens.cli.options import configured, quiet, rule_folders

if TYPE_CHECKING:
    from sessionlens.findings import Finding
    from sessionlens.measure import Label, Measured, Share
    from sessionlens.report.reviews import Reviews


@click.command("measure")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.argument("slugs", nargs=-1, metavar="[RULE]…")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option(
    "--unlabelled-are-clean",
    is_flag=True,
    help="Take a log without a label for a rule as one in which the rule must find nothing.",
)
@rule_folders
@configured
@quiet
def measure_rules(
    *,
    folder: Path,
    slugs: tuple[str, ...],
    as_json: bool,
    unlabelled_are_clean: bool,
    folders: tuple[Path, ...],
    config: Path | None,
    quiet: bool,
) -> int:
    """Measure rules on labelled logs.

    DIR holds logs and a labels.jsonl, one label a line: {"file", "rule", "message_index", "verdict": "yes" or "no",
    "why"}; a message_index of null speaks of the whole log. Or it holds logs and the verdicts that a page saved, as
    review.json or NAME.review.json: a confirmed finding is a "yes" at its rule and place, a dismissed one a "no", a
    corrected one is listed apart and counts neither way, and recall is only among what was confirmed. With both,
    each is measured by itself. Prints precision, recall, F1 and false alarms per clean session with their 95 %
    intervals, then every miss and every false alarm with its place.
    """
    from sessionlens import measure
    from sessionlens.cli.codes import OK, UNREAD, Misused, complain
    from sessionlens.cli.outputs import stdout
    from sessionlens.report.json import encode
    from sessionlens.safe import line

    labels, reviews = _said(folder)
    if not labels and not reviews:
        if (folder / measure.LABELS).exists():
            raise Misused(
                f"{folder.name}/{measure.LABELS}: holds no label; one is a line such as "
                '{"file": "a.xml", "rule": "step-loop", "message_index": 17, "verdict": "yes"}'
            )
        raise Misused(f"{folder.name}: holds neither {measure.LABELS} nor a review.json")
    labelled = {label.rule for label in labels} | {v.rule for one in reviews for v in one.verdicts if v.rule}
    # A verdict that does not name its rule may be on any.
    nameless = any(not v.rule for one in reviews for v in one.verdicts)
    names = {label.file for label in labels}
    findings, files, unread, rules, lengths = _found(
        folder,
        sorted(slugs) or ([] if nameless else sorted(labelled)),
        names,
        folders,
        config,
        everything=bool(reviews) or unlabelled_are_clean,
    )
    try:
        measure.check_places(labels, lengths)
    except measure.LabelError as error:
        raise Misused(str(error)) from None
    if slugs == () and (strangers := sorted(labelled - set(rules))) and not quiet:
        click.echo(f"no such rule here, left out: {', '.join(strangers)}", err=True)
    for reason in unread:
        complain(reason)
    measured = [
        measure.measure(rule, labels, findings, unlabelled="clean" if unlabelled_are_clean else "skip")
        for rule in rules
        if labels and (slugs or rule in labelled)
    ]
    strange = sorted({one.session for one in reviews if one.session not in files})
    if strange and not quiet:
        click.echo(
            line(f"no log of these reviewed sessions here, left out: {', '.join(strange)}", 240), err=True
        )
    judged = [
        measure.Judged(file=file, fingerprint=v.fingerprint, rule=v.rule, verdict=v.verdict, note=v.note)
        for one in reviews
        for file in files.get(one.session, ())
        for v in one.verdicts
    ]
    by_reviews = [measure.measure_reviews(rule, judged, findings) for rule in rules if judged]
    measured += [one for one in by_reviews if slugs or one.sessions or one.rule in labelled]
    if as_json:
        stdout().write(encode({"folder": folder.resolve().name, "rules": measured, "not_read": unread}))
    else:
        for one in measured:
            for row in _lines(one):
                click.echo(row)
    return UNREAD if unread else OK


def _said(folder: Path) -> tuple[list[Label], list[Reviews]]:
    """The labels and the reviews of a folder."""
    from sessionlens import measure
    from sessionlens.cli.codes import Misused
    from sessionlens.report import reviews

    labels = folder / measure.LABELS
    try:
        return (
            measure.read_labels(labels) if labels.exists() else [],
            [reviews.read(file) for file in sorted(folder.glob("*review.json"))],
        )
    except (measure.LabelError, reviews.ReviewError) as error:
        raise Misused(str(error)) from None


def _found(
    folder: Path,
    slugs: list[str],
    names: set[str],
    folders: tuple[Path, ...],
    config: Path | None,
    *,
    everything: bool,
) -> tuple[dict[str, list[Finding]], dict[str, list[str]], list[str], list[str], dict[str, dict[str, int]]]:
    """What the rules find in each log, the logs of each session, which could not be read and why, the rules, and how
    many messages each session of a log has.
    """
    from sessionlens import engine, readers
    from sessionlens.cli.options import configuration, selection
    from sessionlens.cli.rules import chosen, known

    there = known(folders)
    wanted = [slug for slug in slugs if slug in there] if slugs else sorted(there)
    if not wanted:
        chosen(there, tuple(slugs))
    settings = configuration(config)
    rules = selection(settings, folders, tuple(wanted), ()).rules
    files = set(names)
    if everything:
        files |= {file.relative_to(folder).as_posix() for file in folder.rglob("*") if _is_log(file)}
    findings: dict[str, list[Finding]] = {}
    logs: dict[str, list[str]] = {}
    lengths: dict[str, dict[str, int]] = {}
    problems = []
    for name in sorted(files):
        try:
            sessions = readers.read(_inside(folder, name))
        except readers.ReadError as error:
            problems.append(str(error))
            continue
        findings[name] = []
        lengths[name] = {}
        for session in sessions:
            for member in session.family():
                lengths[name][member.id] = max(len(member.messages), lengths[name].get(member.id, 0))
            if name not in logs.setdefault(session.id, []):
                logs[session.id].append(name)
            audit = engine.audit(session, rules=rules, settings=settings.environments, source=name)
            findings[name].extend(audit.findings)
            problems.extend(
                f"{name}: rule {row.rule} did not finish: {row.error}" for row in audit.rule_errors
            )
    return findings, logs, problems, wanted, lengths


def _is_log(file: Path) -> bool:
    """Whether a file of a labelled folder may be a log: no labels, no review, no note about the folder."""
    if not file.is_file() or file.name.startswith("."):
        return False
    return not (file.name.endswith(("labels.jsonl", "review.json")) or file.name.upper().startswith("README"))


def _inside(folder: Path, name: str) -> Path:
    """The log that a label names; one outside the folder is wrong usage."""
    from sessionlens.cli.codes import Misused

    file = (folder / name).resolve()
    if not file.is_relative_to(folder.resolve()):
        raise Misused(f"labels name {name}, which is outside the folder")
    return file


def _lines(one: Measured) -> Iterator[str]:
    """What there is to say of one rule, for a terminal."""
    from sessionlens.safe import line

    reviewed = one.by == "reviews"
    yield (
        f"{one.rule}{' (by reviews)' if reviewed else ''}: precision {_share(one.precision)}, recall {_share(one.recall)}, "
        f"F1 {'-' if one.f1 is None else format(one.f1, '.2f')}, "
        f"false alarms per clean session {_share(one.false_alarm_rate)}"
    )
    yield (
        f"  {one.sessions} sessions, {one.labels} {'confirmed' if reviewed else 'labels'}, {one.hits} found, {len(one.misses)} missed, "
        f"{len(one.false_alarms)} false alarms; {one.alarmed} of {one.clean} clean sessions with one"
    )
    nowhere = "no longer found" if reviewed else "whole session"
    headed = (("missed", one.misses), ("false alarm", one.false_alarms), ("corrected", one.corrected))
    for heading, spots in headed:
        for spot in spots:
            where = nowhere if spot.message_index is None else f"message {spot.message_index}"
            if spot.line is not None:
                where += f", line {spot.line}"
            why = f": {spot.why}" if spot.why else ""
            yield "  " + line(f"{heading}: {spot.file}, {where}{why}", 240)


def _share(share: Share) -> str:
    if share.value is None:
        return "-"
    return f"{share.value:.3f} [{share.low:.3f}, {share.high:.3f}]"
