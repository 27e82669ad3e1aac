"""``sessionlens rules inject``."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

from sessionlens.cli.options import configured, quiet, reading, redacting, rule_folders


@click.command("inject")
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE…")
@click.option(
    "-o",
    "--output",
    "folder",
    required=True,
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Folder for the sessions and their labels.jsonl; must be new or empty.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Another seed plants at other places.")
@click.option(
    "--rule",
    "slugs",
    multiple=True,
    metavar="RULE",
    help="Plant faults of this rule; may be repeated. All faults where none is named.",
)
@rule_folders
@configured
@reading
@redacting
@quiet
def inject_faults(
    *,
    sources: tuple[str, ...],
    folder: Path,
    seed: int,
    slugs: tuple[str, ...],
    folders: tuple[Path, ...],
    config: Path | None,
    reader: str | None,
    session: str | None,
    redact: bool,
    quiet: bool,
) -> int:
    """Plant known faults into sessions, with labels.

    For each rule that finds nothing in a session, writes the session with one fault of that rule, as transcript XML, the
    session as it was, and labels.jsonl, which rules measure reads. A fault is made of what the session holds, such as a
    check taken away, or is a small scene put into it. The same sources and seed give the same bytes.

    \b
        sessionlens rules inject session.json -o planted
        sessionlens rules measure planted
    """
    from sessionlens import injecting
    from sessionlens.cli.codes import OK, UNREAD, Misused, Unreadable, advise, complain
    from sessionlens.cli.one import sessions
    from sessionlens.cli.options import configuration
    from sessionlens.cli.outputs import put_text
    from sessionlens.cli.rules import chosen, known
    from sessionlens.report import transcript_xml
    from sessionlens.safe import line

    there = known(folders)
    rules = {
        rule.slug: rule for rule in chosen(there, slugs) if slugs or (rule.kind == "fault" and not rule.after)
    }
    settings = configuration(config).environments
    if folder.exists() and any(folder.iterdir()):
        raise Misused(f"{folder.as_posix()} is not empty; rules inject writes into a new folder")
    labels: list[bytes] = []
    names: set[str] = set()
    code, planted_in, skipped = OK, 0, 0
    for source in sources:
        try:
            found = sessions(source, reader=reader, session=session, redact=redact)
        except Unreadable as error:
            complain(str(error))
            code = UNREAD
            continue
        for one in found:
            stem = _stem(one.id, names)
            original = f"{stem}.original.xml"
            written: set[str] = set()
            for fault in injecting.inject(one, rules, seed=seed, settings=settings):
                if isinstance(fault, injecting.Skipped):
                    skipped += 1
                    if not quiet:
                        advise(line(f"{stem}: {fault.rule}: not planted: {fault.reason}", 240))
                    continue
                file = f"{stem}.{fault.rule}.{fault.how}.xml"
                # Not before: a run that plants nothing leaves no folder behind.
                folder.mkdir(parents=True, exist_ok=True)
                put_text(partial(transcript_xml.write, [fault.session]), folder / file)
                labels.append(injecting.labels(fault, file))
                planted_in += 1
                if fault.rule not in written:
                    labels.append(injecting.clean_label(fault.rule, original))
                written.add(fault.rule)
            if written:
                put_text(partial(transcript_xml.write, [one]), folder / original)
    if labels:
        (folder / "labels.jsonl").write_bytes(b"".join(labels))
    if not quiet:
        how_many = "1 fault" if planted_in == 1 else f"{planted_in} faults"
        then = f"; measure with: sessionlens rules measure {folder}" if labels else "; nothing was written"
        advise(f"planted {how_many}, {skipped} not planted{then}")
    return code


def _stem(session: str, taken: set[str]) -> str:
    """A name for the files of a session that no other session of this run has."""
    import re

    plain = re.sub(r"[^A-Za-z0-9_-]+", "_", session)[:60] or "session"
    stem, number = plain, 1
    while stem in taken:
        number += 1
        stem = f"{plain}_{number}"
    taken.add(stem)
    return stem
