"""Precision and recall of the speech acts on the labelled sentences, per act and per language.

Run ``python tests/language/measure.py`` for the tables, with ``--misses`` for every sentence judged otherwise than
labelled (of the halves that nobody looks at only when one is named), with codes (``en uk``) or halves
(:data:`HALVES`) for a part. The language is always
recognised, never given: a wrong guess counts as a miss.
"""

from __future__ import annotations

import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from sessionlens import language

FOLDER = Path(__file__).parent / "sentences"
ACKNOWLEDGES = ("acknowledges_cut_off", "reports_in_progress", "admits_unverified", "promises_check",
                "proposes_waiting", "reports_failure")  # fmt: skip
MENDED = ("seen", "held", "last", "fresh", "round1", "round2", "round3", "round4", "round5", "round6")
"""Halves that were looked at, sentence by sentence, while patterns were written."""
DEV = ("dev7", "dev8", "dev9")
"""Halves that are looked at now, in wording families that the test halves do not share."""
TEST = ("test7", "test8", "test9", "test10")
"""Halves that nobody who writes patterns looks at: only their figures are read."""
HALVES = (*MENDED, *DEV, *TEST)
CLAIMS = ("claims_success", "claims_check")


class Labelled(NamedTuple):
    language: str
    half: str
    role: Literal["assistant", "user"]
    text: str
    acts: frozenset[str]


class Score(NamedTuple):
    right: int
    wrong: int
    missed: int

    @property
    def precision(self) -> float:
        return self.right / (self.right + self.wrong) if self.right + self.wrong else 1.0

    @property
    def recall(self) -> float:
        return self.right / (self.right + self.missed) if self.right + self.missed else 1.0


def score(want: Sequence[frozenset[str]], got: Sequence[frozenset[str]], group: Sequence[str]) -> Score:
    """Right, wrong and missed acts of a group, sentence by sentence."""
    members = frozenset(group)
    pairs = [(one & members, other & members) for one, other in zip(want, got, strict=True)]
    return Score(
        sum(len(one & other) for one, other in pairs),
        sum(len(other - one) for one, other in pairs),
        sum(len(one - other) for one, other in pairs),
    )


def load(languages: Sequence[str] = (), halves: Sequence[str] = ()) -> Iterator[Labelled]:
    for path in sorted(FOLDER.glob("*.toml")):
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        if (languages and data["language"] not in languages) or (halves and data["half"] not in halves):
            continue
        for role in ("assistant", "user"):
            for row in data.get(role, []):
                yield Labelled(data["language"], data["half"], role, row["text"], frozenset(row["acts"]))


def judged(one: Labelled) -> frozenset[str]:
    return frozenset(act.act for act in language.read(one.text, one.role).acts())


def scores(sentences: Sequence[Labelled]) -> dict[tuple[str, str], Score]:
    """By (language, act), by (language, "acknowledges") and (language, "claims"), and by ("all", …)."""
    counts: Counter[tuple[str, str, str]] = Counter()
    for one in sentences:
        got = judged(one)
        for act in got | one.acts:
            kind = "right" if act in got and act in one.acts else "wrong" if act in got else "missed"
            groups = [act]
            groups += ["acknowledges"] if act in ACKNOWLEDGES else []
            groups += ["claims"] if act in CLAIMS else []
            for group in groups:
                counts[one.language, group, kind] += 1
                counts["all", group, kind] += 1
    return {
        (code, act): Score(*(counts[code, act, kind] for kind in ("right", "wrong", "missed")))
        for code, act in {(code, act) for code, act, _ in counts}
    }


def main(arguments: Sequence[str]) -> None:
    halves = [word for word in arguments if word in HALVES]
    languages = [word for word in arguments if len(word) == 2]
    sentences = list(load(languages, halves))
    if "--misses" in arguments:
        for one in sentences:
            got = judged(one)
            if got != one.acts and (one.half not in TEST or halves):
                print(f"{one.language} {one.role:9} {one.text}")
                print(f"    missed {sorted(one.acts - got)} wrong {sorted(got - one.acts)}"
                      f" language {language.read(one.text, one.role).language}")  # fmt: skip
    table = scores(sentences)
    codes = [*sorted({code for code, _ in table} - {"all"}), "all"]
    print(f"{len(sentences)} sentences; precision/recall (right+wrong+missed)")
    for code in codes:
        print(f"\n{code}")
        for act in sorted(act for known, act in table if known == code):
            one = table[code, act]
            print(f"  {act:22} {one.precision:5.2f} {one.recall:5.2f}   {one.right}+{one.wrong}+{one.missed}")
    if halves:
        return
    for title, members in (("looked at", (*MENDED, *DEV)), ("never looked at", TEST)):
        table = scores([one for one in sentences if one.half in members])
        for group in ("acknowledges", "claims"):
            one = table.get(("all", group), Score(0, 0, 0))
            print(f"\nhalves {title}: {group} {one.precision:.2f} {one.recall:.2f}", end="")
    print()


if __name__ == "__main__":
    main(sys.argv[1:])
