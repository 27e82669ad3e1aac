"""Verdicts of people: joined, counted, and how far they agree; which findings to look at first."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sessionlens.curate.labels import Labels, agreement, alpha, kappa, most, read
from sessionlens.curate.queue import queue
from sessionlens.curate.rows import FindingRow
from sessionlens.report.reviews import ReviewError

# Krippendorff (2011), four observers and twelve units: nominal alpha 0.743.
FOUR = [
    ["1", "2", "3", "3", "2", "1", "4", "1", "2", ".", ".", "."],
    ["1", "2", "3", "3", "2", "2", "4", "1", "2", "5", ".", "3"],
    [".", "3", "3", "3", "2", "3", "4", "2", "2", "5", "1", "."],
    ["1", "2", "3", "3", "2", "4", "4", "1", "2", "5", "1", "."],
]


def test_krippendorffs_alpha_of_his_own_example():
    units = [[value for value in column if value != "."] for column in zip(*FOUR, strict=True)]
    assert alpha(units) == pytest.approx(0.743, abs=0.0005)
    assert alpha([["a", "a"], ["b", "b"]]) == 1
    assert alpha([["a", "a"], ["a", "a"]]) is None
    assert alpha([["a"], ["b"]]) is None


def test_cohens_kappa_of_the_textbook_table():
    both = [("y", "y")] * 20 + [("y", "n")] * 5 + [("n", "y")] * 10 + [("n", "n")] * 15
    assert kappa(both) == pytest.approx(0.4)
    assert kappa([("y", "y")] * 3) is None
    assert kappa([]) is None
    assert kappa([("y", "n"), ("n", "y")]) == -1


def test_most_voices_and_disputes():
    assert most(["confirm", "confirm", "dismiss"]) == "confirm"
    assert most(["confirm", "dismiss"]) == "disputed"
    assert most([]) is None


def review(path: Path, session: str, **verdicts: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [{"fingerprint": name, "verdict": verdict} for name, verdict in verdicts.items()]
    path.write_text(
        json.dumps({"schema": "sessionlens.review/1", "session": session, "verdicts": rows}), "utf-8"
    )
    return path


def test_reviewers_are_named_by_name_folder_or_file(tmp_path: Path):
    one = review(tmp_path / "anna.json", "s", f1="confirm", f2="dismiss")
    two = review(tmp_path / "bert" / "review.json", "s", f1="confirm", f2="confirm")
    review(tmp_path / "carl" / "x.json", "s", f1="dismiss")
    review(tmp_path / "carl" / "y.json", "t", f3="correct")
    labels = read([str(one), str(two), str(tmp_path / "carl"), f"dora={one}"])
    assert [r.reviewer for r in labels.of(["s"])["f1"]] == ["anna", "bert", "carl", "dora"]
    assert labels.verdict("s", "f1") == "confirm"
    found = agreement(labels)
    assert found.reviewers == ("anna", "bert", "carl", "dora")
    assert (found.findings, found.shared) == (3, 2)
    assert set(found.disputed) == {"f1", "f2"}
    perfect = next(pair for pair in found.pairs if (pair.one, pair.other) == ("anna", "dora"))
    assert (perfect.findings, perfect.agreed, perfect.kappa) == (2, 2, 1.0)
    with pytest.raises(ReviewError):
        read([str(tmp_path / "nobody.json")])


def test_two_reviewers_of_one_name_are_an_error(run: Callable[..., Any], tmp_path: Path):
    one = review(tmp_path / "a" / "anna.json", "s", f1="confirm")
    two = review(tmp_path / "b" / "anna.json", "s", f1="dismiss")
    for given in ((one, two), (f"x={one}", f"x={two}")):
        done = run("agreement", *given)
        assert done.code == 2
        assert "a second one by" in done.err
    assert run("agreement", f"x={one}", f"y={two}").code == 0


def test_the_command_prints_agreement(run: Callable[..., Any], tmp_path: Path):
    one = review(tmp_path / "anna.json", "s", f1="confirm", f2="dismiss", f3="confirm")
    two = review(tmp_path / "bert.json", "s", f1="confirm", f2="confirm", f3="confirm")
    done = run("agreement", one, two)
    assert done.code == 0
    assert "anna and bert: 2 of 3 the same" in done.out
    assert "they differ on f2" in done.out
    assert json.loads(run("agreement", one, two, "--json").out)["shared"] == 3
    assert run("agreement").code == 2
    (tmp_path / "bad.json").write_text("{}", "utf-8")
    assert run("agreement", tmp_path / "bad.json").code == 2


def finding(name: str, rule: str = "a", **given: Any) -> FindingRow:
    plain: dict[str, Any] = {
        "fingerprint": name, "session": "s", "family": "s", "rule": rule, "kind": "fault", "severity": "high",
        "confidence": "high", "title": "t", "note": "", "step": 0, "last_step": 0, "masks": (), "call": None,
        "line": None, "model": None, "language": "en", "situation": "x", "environment": None, "because": "[]",
        "facts": "{}",
    }  # fmt: skip
    return FindingRow(**{**plain, **given})


def test_the_queue_begins_with_what_tells_most():
    rows = [
        finding("sure"),
        finding("unsure", confidence="low"),
        finding("border", facts='{"environment": "unknown"}', confidence="medium"),
        finding("new", rule="b", confidence="medium"),
        finding("done", confidence="low"),
        finding("fought", confidence="low"),
    ]
    labels = Labels({
        ("s", "done"): {"anna": "confirm"},
        ("s", "fought"): {"anna": "confirm", "bert": "dismiss"},
    })  # fmt: skip
    found = queue(rows, {"s": "logs/s.xml"}, labels, most=10)
    assert [one.fingerprint for one in found][:2] == ["new", "unsure"]
    assert {one.fingerprint for one in found} == {"sure", "unsure", "border", "new"}
    assert found[0].why[-1] == "no finding of this rule was reviewed yet"
    assert found[0].source == "logs/s.xml"
    assert queue(rows, {}, labels, most=10, again=True)[0].fingerprint == "fought"
    assert len(queue(rows, {}, labels, most=2)) == 2


def test_kinds_take_turns():
    rows = [finding(f"a{n}", confidence="low") for n in range(5)] + [finding("b", rule="b")]
    found = queue(rows, {}, Labels(), most=6)
    assert [one.rule for one in found][:3] == ["a", "b", "a"] or [one.rule for one in found][:2] == ["a", "b"]


def test_the_command_lists_findings_of_logs_and_of_a_data_set(
    logs: Path, run: Callable[..., Any], tmp_path: Path
):
    from_logs = run("queue", logs, "--json")
    assert from_logs.code == 0, from_logs.err
    assert run("curate", logs, "-o", tmp_path / "set").code == 0
    from_set = run("queue", tmp_path / "set", "--json")
    names = [[one["fingerprint"] for one in json.loads(done.out)] for done in (from_set, from_logs)]
    assert names[0] == names[1]
    listed = run("queue", logs, "-n", "2")
    assert listed.out.count("confidence") == 2
    first = json.loads(from_logs.out)[0]
    review(tmp_path / "anna.json", first["session"], **{first["fingerprint"]: "confirm"})
    after = json.loads(run("queue", logs, "--json", "--review", tmp_path / "anna.json").out)
    assert first["fingerprint"] not in [one["fingerprint"] for one in after]
