"""Assistant messages of real logs that follow a cut-off, a failure or a change, and how they are judged.

``SESSIONLENS_CORPUS=… python tests/language/sample.py`` prints a seeded sample as JSON lines: an id, the format,
the event before (kind, tool, the ends of its input and result) and the prose. Judge each by hand, before anything
is run on it, as ``{"id": …, "acknowledges": true, "claims": false}``: whether any sentence acknowledges
(:data:`measure.ACKNOWLEDGES`) and whether any claims (:data:`measure.CLAIMS`). Then ``--judged FILE`` prints the
confusion table of those judgements, ``--mistakes`` with the ids that differ. Secrets are redacted. Ids are stable
as long as the logs are: file, session and message, digested.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import measure  # beside this file
import msgspec

from sessionlens import language, readers
from sessionlens.graph.events import Called, Ran, Said
from sessionlens.graph.session_graph import SessionGraph
from sessionlens.redact import redact

Kind = Literal["cut_off", "failure", "change"]
KINDS: tuple[Kind, ...] = ("cut_off", "failure", "change")
LARGEST = 40_000_000
"""Bytes; larger files are left out to keep the run short."""


class Sampled(msgspec.Struct, frozen=True, kw_only=True):
    """One message of the sample."""

    id: str
    """Digest of file, session and place."""
    format: str
    """Folder of the corpus it comes from."""
    language: str | None
    """As recognised; it spreads the sample and is no judgement."""
    kind: Kind
    """What stands before: the first of a cut-off, a failure, a change since anybody last spoke."""
    tool: str
    """The call that was it."""
    input: str
    """The beginning of its input."""
    result: str
    """The end of its result."""
    text: str
    """The prose judged."""


def _kind(call: Called, commands: Iterable[Ran]) -> Kind | None:
    if call.cut_off is not None:
        return "cut_off"
    if call.call.status == "error" or call.call.exit not in (None, 0):
        return "failure"
    ran = list(commands)
    if any(one.outcome.failed for one in ran):
        return "failure"
    return "change" if any(one.change for one in ran) else None


def _events(graph: SessionGraph) -> Iterator[tuple[Said, Kind, Called]]:
    """Prose of the assistant with the gravest event since anybody last spoke."""
    before: list[tuple[Kind, Called]] = []
    for event in graph.events:
        if isinstance(event, Called):
            kind = _kind(event, graph.commands(event))
            before += [(kind, event)] if kind else []
        elif isinstance(event, Said):
            spoken = any(not part.text.blank() for part in event.texts)
            if event.role == "assistant" and spoken and before:
                kind, call = min(before, key=lambda one: KINDS.index(one[0]))
                yield event, kind, call
            if spoken or event.human:
                before = []


def candidates(top: Path) -> Iterator[Sampled]:
    """Every such message of every log that can be read, files in order of their names."""
    for path in sorted(top.rglob("*")):
        if not path.is_file() or path.name == "manifest.tsv" or path.stat().st_size > LARGEST:
            continue
        try:
            sessions = readers.read(path)
        except readers.ReadError:
            continue  # tables and notes that lie among the logs
        for session in sessions:
            graph = SessionGraph(redact(session)[0])
            for said, kind, call in _events(graph):
                text = graph.prose(said)
                output = call.call.error or call.call.output
                place = (path.relative_to(top), said.at.session, said.at.message_index, said.seq)
                yield Sampled(
                    id=hashlib.sha256("\0".join(map(str, place)).encode()).hexdigest()[:16],
                    format=path.relative_to(top).parts[0],
                    language=language.read(text).language,
                    kind=kind,
                    tool=call.call.name,
                    input=call.call.input.head[:300],
                    result=output.ends()[-400:] if output is not None else "",
                    text=text,
                )


def sample(found: Sequence[Sampled], size: int, seed: int) -> list[Sampled]:
    """A sample spread over kinds, and within a kind over formats and languages by turns."""
    chance = random.Random(seed)
    taken: dict[str, Sampled] = {}
    texts: set[str] = set()
    amounts = Counter(one.kind for one in found)
    for number, kind in enumerate(sorted(KINDS, key=lambda one: amounts[one])):  # what is rare leaves room
        groups: dict[tuple[str, str | None], list[Sampled]] = defaultdict(list)
        for one in found:
            if one.kind == kind:
                groups[one.format, one.language].append(one)
        for group in groups.values():
            chance.shuffle(group)
        wanted = len(taken) + (size - len(taken)) // (len(KINDS) - number)
        while len(taken) < wanted and any(groups.values()):
            for group in groups.values():
                if group and len(taken) < wanted and (one := group.pop()).text not in texts:
                    taken[one.id] = one
                    texts.add(one.text)
    return list(taken.values())


def confusion(found: Iterable[Sampled], judged: Mapping[str, Mapping[str, Any]]) -> dict[str, Counter[str]]:
    """By group: how often the tool and the hand agree (tp, tn) and differ (fp, fn), with the ids that differ."""
    table: dict[str, Counter[str]] = {"acknowledges": Counter(), "claims": Counter()}
    for one in found:
        if one.id not in judged:
            continue
        acts = {act.act for act in language.read(one.text).acts()}
        for group, members in (("acknowledges", measure.ACKNOWLEDGES), ("claims", measure.CLAIMS)):
            tool, hand = not acts.isdisjoint(members), bool(judged[one.id][group])
            outcome = ("t" if tool == hand else "f") + ("p" if tool else "n")
            table[group][outcome] += 1
            table[group][f"{outcome} {one.id}"] += tool != hand
    return table


def main(arguments: Sequence[str] | None = None) -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--size", type=int, default=200)
    options.add_argument("--seed", type=int, default=20)
    options.add_argument("--judged", type=Path, metavar="FILE", help="JSON lines of judgements, by id")
    options.add_argument("--mistakes", action="store_true", help="with --judged: the ids that differ")
    chosen = options.parse_args(arguments)
    corpus = os.environ.get("SESSIONLENS_CORPUS")
    if not corpus:
        sys.exit("SESSIONLENS_CORPUS is not set: the folder that holds real/")
    found = list(candidates(Path(corpus) / "real"))
    if chosen.judged is None:
        for one in sample(found, chosen.size, chosen.seed):
            print(msgspec.json.encode(one).decode())
        return
    rows = (
        json.loads(line) for line in chosen.judged.read_text(encoding="utf-8").splitlines() if line.strip()
    )
    judged = {row["id"]: row for row in rows}
    known = judged.keys() & {one.id for one in found}
    print(f"{len(known)} of {len(judged)} judged messages found")
    print("              tp  fp  fn  tn  precision recall")
    table = confusion(found, judged)
    for group, counts in table.items():
        score = measure.Score(counts["tp"], counts["fp"], counts["fn"])
        cells = "".join(f"{counts[cell]:4}" for cell in ("tp", "fp", "fn", "tn"))
        print(f"{group:12}{cells} {score.precision:9.2f} {score.recall:6.2f}")
    if chosen.mistakes:
        for group, counts in table.items():
            for key in sorted(key for key, count in counts.items() if " " in key and count):
                print(group, key)


if __name__ == "__main__":
    main()
