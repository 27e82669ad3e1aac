"""What people said of findings: review files joined in, verdicts counted, agreement measured."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from sessionlens.curate.rows import Review
from sessionlens.report import reviews

DISPUTED = "disputed"
"""The verdict where no verdict has most voices."""


class Strangers(msgspec.Struct, frozen=True, kw_only=True):
    """Reviews of what was not read."""

    sessions: tuple[str, ...] = ()
    """Sessions that were not read."""
    reviews: int = 0
    """Findings that were reviewed in them."""
    findings: tuple[str, ...] = ()
    """Fingerprints, in sessions that were read, of findings that are not there: of another version or log."""

    def told(self) -> list[str]:
        """What there is to say of them, a line each."""
        found = []
        if self.sessions:
            named = ", ".join(self.sessions[:3]) + (", …" if len(self.sessions) > 3 else "")
            found.append(
                f"{self.reviews:,} reviewed findings are of {len(self.sessions):,} sessions that were not read: {named}"
            )
        if self.findings:
            named = ", ".join(self.findings[:3]) + (", …" if len(self.findings) > 3 else "")
            found.append(f"{len(self.findings):,} reviewed findings are not in what was read: {named}")
        return found


class Labels:
    """Verdicts of reviewers by session and fingerprint."""

    def __init__(self, given: Mapping[tuple[str, str], Mapping[str, str]] | None = None) -> None:
        """``given``: verdict by reviewer, by session and fingerprint."""
        self._by_session: dict[str, dict[str, dict[str, str]]] = {}
        for (session, fingerprint), verdicts in (given or {}).items():
            self._by_session.setdefault(session, {})[fingerprint] = dict(sorted(verdicts.items()))

    def called(self, name: Callable[[str], str]) -> Labels:
        """The same with the names that sessions have in a data set."""
        return Labels(
            {
                (name(session), fingerprint): verdicts
                for session, rows in self._by_session.items()
                for fingerprint, verdicts in rows.items()
            }
        )

    def __len__(self) -> int:
        return sum(len(rows) for rows in self._by_session.values())

    def of(self, sessions: Iterable[str]) -> dict[str, tuple[Review, ...]]:
        """What was said of the findings of sessions, by fingerprint. A page reviews a session with its children."""
        return {
            fingerprint: tuple(Review(reviewer=who, verdict=verdict) for who, verdict in verdicts.items())
            for session in sessions
            for fingerprint, verdicts in self._by_session.get(session, {}).items()
        }

    def verdict(self, session: str, fingerprint: str | None) -> str | None:
        """The verdict of most reviewers of a finding."""
        if fingerprint is None or not self._by_session:
            return None
        verdicts = self._by_session.get(session, {}).get(fingerprint)
        if verdicts is None:
            # The page of a parent holds its children's findings; a fingerprint names one finding anyway.
            found = (rows[fingerprint] for rows in self._by_session.values() if fingerprint in rows)
            verdicts = next(found, None)
        return most(verdicts.values()) if verdicts else None

    def strangers(self, sessions: Container[str], fingerprints: Container[str]) -> Strangers:
        """Reviews that join nothing that was read."""
        absent = sorted(name for name in self._by_session if name not in sessions)
        gone = [
            fingerprint
            for name, rows in self._by_session.items()
            if name in sessions
            for fingerprint in rows
            if fingerprint not in fingerprints
        ]
        return Strangers(
            sessions=tuple(absent),
            reviews=sum(len(self._by_session[name]) for name in absent),
            findings=tuple(sorted(gone)),
        )

    def items(self) -> dict[str, dict[str, str]]:
        """Every finding that was reviewed: its verdicts by reviewer."""
        return {
            f"{session}\0{fingerprint}": verdicts
            for session, rows in self._by_session.items()
            for fingerprint, verdicts in rows.items()
        }


def most(verdicts: Iterable[str]) -> str | None:
    """The verdict with most voices; ``disputed`` where two have as many; ``None`` without any."""
    ranked = Counter(verdicts).most_common(2)
    if not ranked:
        return None
    if len(ranked) == 2 and ranked[0][1] == ranked[1][1]:
        return DISPUTED
    return ranked[0][0]


def read(given: Sequence[str]) -> Labels:
    """Review files as the command line names them: ``FILE``, ``NAME=FILE``, or a folder of one reviewer's files.

    A reviewer has one file, or one folder of files, and is called by the name before ``=``, else by the folder, else by the file's stem, or by its folder
    where the file is called ``review.json``. Of several verdicts of one reviewer on a finding the last one counts.

    :raises sessionlens.report.reviews.ReviewError: for a file that is none, and for two of one name.
    """
    found: dict[tuple[str, str], dict[str, str]] = {}
    named: set[str] = set()
    for text in given:
        name, path = _named(text)
        if name in named:
            raise reviews.ReviewError(
                f"{text}: a second one by {name}; give each reviewer a name (NAME=FILE), and several files of one "
                "reviewer as a folder"
            )
        named.add(name)
        files = sorted(path.glob("*.json")) if path.is_dir() else [path]
        if not files:
            raise reviews.ReviewError(f"{path.name}: no review files (*.json) lie in this folder")
        for file in files:
            one = reviews.read(file)
            for review in one.verdicts:
                found.setdefault((one.session, review.fingerprint), {})[name] = review.verdict
    return Labels(found)


def _named(text: str) -> tuple[str, Path]:
    name, equals, rest = text.partition("=")
    if equals and name and not Path(text).exists():
        return name, Path(rest)
    path = Path(text)
    if path.is_dir():
        return path.resolve().name, path
    return (path.stem if path.stem != "review" else path.resolve().parent.name), path


# ----------------------------------------------------------------------------------------------- agreement


class Pairwise(msgspec.Struct, frozen=True, kw_only=True):
    """How two reviewers agree."""

    one: str
    """A reviewer."""
    other: str
    """Another one."""
    findings: int
    """Findings that both judged."""
    agreed: int
    """Of these, with the same verdict."""
    kappa: float | None
    """Cohen's kappa: 1 full agreement, 0 what chance gives; ``None`` where both always said the same one thing."""


class Agreement(msgspec.Struct, frozen=True, kw_only=True):
    """How reviewers agree."""

    reviewers: tuple[str, ...]
    """Who."""
    findings: int
    """Findings that at least one judged."""
    shared: int
    """Of these, judged by two or more."""
    alpha: float | None
    """Krippendorff's alpha for verdicts as names, any number of reviewers, gaps allowed; ``None`` where it is not
    defined: fewer than two shared findings, or only one verdict at all."""
    pairs: tuple[Pairwise, ...]
    """Every two reviewers that share findings."""
    disputed: tuple[str, ...]
    """Fingerprints of findings on which reviewers differ."""


def agreement(labels: Labels) -> Agreement:
    """Agreement of all reviewers, and of every two."""
    items = labels.items()
    reviewers = sorted({who for verdicts in items.values() for who in verdicts})
    pairs = []
    for one, other in itertools.combinations(reviewers, 2):
        both = [(v[one], v[other]) for v in items.values() if one in v and other in v]
        if both:
            agreed = sum(a == b for a, b in both)
            pairs.append(Pairwise(one=one, other=other, findings=len(both), agreed=agreed, kappa=kappa(both)))
    units = [list(verdicts.values()) for verdicts in items.values()]
    return Agreement(
        reviewers=tuple(reviewers),
        findings=len(items),
        shared=sum(len(unit) > 1 for unit in units),
        alpha=alpha(units),
        pairs=tuple(pairs),
        disputed=tuple(
            key.partition("\0")[2]
            for key, verdicts in sorted(items.items())
            if len(set(verdicts.values())) > 1
        ),
    )


def kappa(both: Sequence[tuple[str, str]]) -> float | None:
    """Cohen's kappa of two reviewers' verdicts on the same findings (Cohen 1960)."""
    total = len(both)
    if not total:
        return None
    observed = sum(a == b for a, b in both) / total
    first, second = Counter(a for a, _ in both), Counter(b for _, b in both)
    expected = sum(first[name] * second[name] for name in first) / total**2
    return None if expected == 1 else (observed - expected) / (1 - expected)


def alpha(units: Iterable[Sequence[str]]) -> float | None:
    """Krippendorff's alpha for nominal values (Krippendorff 2011): one list of values a unit, of any length."""
    shared = [unit for unit in units if len(unit) > 1]
    totals: Counter[str] = Counter()
    disagreeing = 0.0
    for unit in shared:
        counts = Counter(unit)
        totals.update(counts)
        pairs = len(unit) ** 2 - sum(count**2 for count in counts.values())
        disagreeing += pairs / (len(unit) - 1)
    total = sum(totals.values())
    expected = total**2 - sum(count**2 for count in totals.values())
    if len(shared) < 2 or not expected:
        return None
    return 1 - (total - 1) * disagreeing / expected
