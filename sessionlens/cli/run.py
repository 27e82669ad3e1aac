"""The run of ``audit`` from its options to its exit code."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import click
import msgspec

from sessionlens import gate, memory, scanners, temporary
from sessionlens.cli import codes, work
from sessionlens.cli.formats import file_name
from sessionlens.cli.outputs import (
    STDOUT,
    Destination,
    Names,
    destinations,
    print_file,
    put,
    put_pieces,
    stdout,
)
from sessionlens.findings import at_or_above
from sessionlens.report import json as json_form
from sessionlens.report import reviews
from sessionlens.safe import line

_PRINTED = ("txt", "md", "review", "github")
"""Forms of which those of several sessions can follow each other on standard output."""


def print_schema() -> int:
    """Print the JSON Schema of one audit."""
    stdout().write(json_form.encode(json_form.schema()))
    return codes.OK


def audit(
    order: work.Order,
    sources: Sequence[str],
    outputs: Sequence[str],
    form: str | None,
    *,
    fail_on: str | None,
    jobs: int,
    quiet: bool,
) -> int:
    """Judge every source, put the results in place, sum up, and return the exit code."""
    places = destinations(outputs, form, sources)
    order = msgspec.structs.replace(
        order,
        formats=tuple(dict.fromkeys(place.format for place in places)),
        one=all(_holds_one(place) for place in places),
    )
    if work.side_by_side(order, sources, jobs):
        memory.ensure(memory.LEAST_BESIDE)
    elif order.redact:
        # Loading the scanner takes as long as reading a log of 8 MB and needs no interpreter: the rules load meanwhile.
        scanners.warm()
    # Loaded here first, so that a broken rule or configuration ends the run before any source is read; and afresh,
    # where this process has had a run before.
    work.prepared.cache_clear()
    work.baseline.cache_clear()
    config, _ = work.prepared(order)
    try:
        work.baseline(order.baseline)
    except gate.BaselineError as error:
        raise codes.Misused(str(error)) from None
    bar = fail_on or gate.PROFILES[order.profile or config.profile].fail_on
    for path in order.reviews:
        try:
            reviews.read(path)
        except reviews.ReviewError as error:
            raise codes.Misused(str(error)) from None
    seen: list[int] = []
    judged: list[work.Judged] = []
    not_read: list[json_form.NotRead] = []
    missing: list[str] = []
    read = 0
    with temporary.folder() as staging:
        with (
            closing(work.answers(order, sources, Path(staging), jobs)) as results,
            _progress(results, len(sources), quiet) as answers,
        ):
            for answer in answers:
                judged += answer.judged
                read += len(answer.judged) + answer.unjudged
                if order.one and read > 1:
                    raise _too_many(places[0], read)
                if answer.stopped:
                    missing.append(Path(answer.source).name + (" in part" if answer.judged else ""))
                    why = "stopped from the keyboard before it was judged"
                    not_read.append(json_form.NotRead(source=Path(answer.source).name, reason=why))
                for reason in (answer.failed, *answer.rest):
                    if reason is not None:
                        codes.complain(reason)
                        seen.append(codes.UNREAD)
                        not_read.append(json_form.NotRead(source=Path(answer.source).name, reason=reason))
                for file in answer.unread:
                    codes.complain(file.reason)
                    seen.append(codes.UNREAD)
                    not_read.append(json_form.NotRead(source=file.source, reason=file.reason))
                for one in answer.judged:
                    _sum_up(one, quiet)
                if answer.hosts and not quiet:
                    hosts = ", ".join(Path(host).name for host in answer.hosts)
                    codes.advise(f"{Path(answer.source).name}: its sessions are judged with {hosts}")
                for copy, whole in () if quiet else answer.copies:
                    codes.advise(
                        f"{Path(answer.source).name or answer.source}: {copy} holds a session of {whole} and nothing else"
                    )
                if answer.passed and not quiet:
                    files = (
                        "1 file that is no log"
                        if answer.passed == 1
                        else f"{answer.passed} files that are no logs"
                    )
                    codes.advise(f"{Path(answer.source).name or answer.source}: passed over {files}")
        names = Names()
        named = [(names.free(one.name), one) for one in judged]
        several = len(sources) > 1 or len(judged) > 1 or bool(judged and not_read)
        # What an earlier run wrote is not given away for nothing.
        for place in places if judged or not missing else ():
            try:
                written = list(_place(place, named, not_read, several))
            except codes.Misused as error:
                error.show()
                seen.append(error.exit_code)
                continue
            if not quiet:
                for path in written:
                    codes.advise(f"wrote {path}")
    if missing:
        seen.append(codes.STOPPED)
        codes.complain(_stopped(missing, len(sources), bool(judged)))
    if not quiet and judged and not missing:
        for words in sorted(frozenset.intersection(*(one.unused for one in judged))):
            codes.advise(line(f"{config.file}: a suppression fits nothing in what was read: {words}", 240))
    seen += [codes.CRASHED for one in judged if one.crashed]
    if bar != "never" and any(at_or_above(s, bar) for one in judged for s in one.severities):
        seen.append(codes.FOUND)
    if judged and not missing and not any(one.told for one in judged):
        codes.complain(
            f"no message {order.message} in what was read; `sessionlens show SOURCE` lists the messages"
        )
        seen.append(codes.USAGE)
    return codes.combined(seen)


_NAMED = 12
"""Sources that are named as missing."""


def _stopped(missing: Sequence[str], sources: int, wrote: bool) -> str:
    """What to say of a run that was stopped from the keyboard."""
    if not wrote:
        return "stopped: nothing was judged and nothing was written"
    more = f" and {len(missing) - _NAMED} more" if len(missing) > _NAMED else ""
    return (
        f"stopped: what was finished is written; missing {len(missing)} of {sources} source{'s' * (sources > 1)}: "
        f"{', '.join(missing[:_NAMED])}{more}"
    )


def _sum_up(one: work.Judged, quiet: bool) -> None:
    for words in one.crashed:
        codes.complain(words)
    if not quiet:
        for words in one.summary:
            codes.advise(words)


@contextmanager
def _progress(results: Iterable[work.Answer], length: int, quiet: bool) -> Iterator[Iterable[work.Answer]]:
    """A bar on standard error when somebody watches many sources; otherwise just the results."""
    if quiet or length < 5 or not sys.stderr.isatty():
        yield results
        return
    with click.progressbar(results, length=length, file=sys.stderr, label="sources") as bar:
        yield bar


def _place(
    place: Destination,
    named: Sequence[tuple[str, work.Judged]],
    not_read: Sequence[json_form.NotRead],
    several: bool,
) -> Iterator[Path]:
    """Put the results in one place; yields the files written.

    :raises Misused: when they cannot be put there.
    """
    form = place.format
    if place.folder:
        if not named:
            return
        for name, one in named:
            path = place.path / file_name(name, form)
            put(one.files[form], path)
            yield path
        if form == "html" and several and place.path != Path():
            from sessionlens.report import index

            path = place.path / "index.html"
            rows = [(file_name(name, form), one.line) for name, one in named if one.line is not None]
            page = index.page(rows, [one.reason for one in not_read])
            put_pieces([page.encode("utf-8", "replace")], path)
            yield path
        return
    if several and form == "json":
        documents = (one.files["json"].read_bytes() for _, one in named)
        yield from _put_or_print(json_form.render_many(documents, not_read), place.path)
    elif several and form == "junit":
        from sessionlens.report import junit

        suites = (one.files["junit"].read_bytes() for _, one in named)
        yield from _put_or_print([junit.join(suites, whole=True)], place.path)
    elif several and form == "sarif":
        yield from _put_or_print([_joined(one for _, one in named)], place.path)
    elif place.path == STDOUT and form in _PRINTED:
        for _, one in named:
            print_file(one.files[form])
    elif len(named) > 1:
        raise _too_many(place, len(named))
    elif named:
        rendered = named[0][1].files[form]
        if place.path == STDOUT:
            print_file(rendered)
        else:
            put(rendered, place.path)
            yield place.path


def _holds_one(place: Destination) -> bool:
    """Whether the results of more than one session cannot be put in a place."""
    printed = place.path == STDOUT and place.format in _PRINTED
    return not (place.folder or place.format in ("json", "sarif", "junit") or printed)


def _too_many(place: Destination, count: int) -> codes.Misused:
    return codes.Misused(
        f"{place.path}: holds one session, and {count} were read; give a folder, or .json or .sarif"
    )


def _put_or_print(pieces: Iterable[bytes], path: Path) -> Iterator[Path]:
    if path == STDOUT:
        for piece in pieces:
            stdout().write(piece)
        return
    put_pieces(pieces, path)
    yield path


def _joined(judged: Iterable[work.Judged]) -> bytes:
    """One SARIF log with the runs of all."""
    from sessionlens.report import sarif

    return sarif.join(
        run for one in judged for run in msgspec.json.decode(one.files["sarif"].read_bytes())["runs"]
    )
