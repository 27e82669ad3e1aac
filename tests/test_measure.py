"""Measuring a rule on labels: what counts as found, missed, false, and the intervals."""

import pytest

from sessionlens import measure
from sessionlens.findings import Finding, Place
from sessionlens.measure import Judged, Label


def finding(index: int, rule: str = "step-loop", session: str = "s", fingerprint: str = "") -> Finding:
    return Finding(
        rule=rule,
        kind="fault",
        severity="low",
        confidence="high",
        title=f"found at {index}",
        fingerprint=fingerprint,
        at=Place(session=session, message_id=None, message_index=index, line=index * 10),
    )


def label(file: str, index: int | None, verdict: str = "yes", **more: object) -> Label:
    return Label(file=file, rule="step-loop", message_index=index, verdict=verdict, **more)


def test_hits_misses_and_false_alarms():
    labels = [label("a", 3), label("a", 7, why="the same again"), label("b", None, "no")]
    found = {"a": [finding(3), finding(3), finding(9)], "b": [], "c": [finding(1)]}
    one = measure.measure("step-loop", labels, found)
    assert (one.sessions, one.labels, one.hits, one.clean, one.alarmed) == (2, 2, 1, 1, 0)
    assert [(spot.file, spot.message_index, spot.why) for spot in one.misses] == [("a", 7, "the same again")]
    assert [(spot.file, spot.message_index, spot.line) for spot in one.false_alarms] == [("a", 9, 90)]
    assert (one.precision.value, one.recall.value, one.f1) == (0.5, 0.5, 0.5)


def test_a_label_of_the_whole_session_is_met_anywhere():
    one = measure.measure("step-loop", [label("a", None)], {"a": [finding(4), finding(8)]})
    assert (one.hits, one.false_alarms) == (1, ())


def test_a_clean_session_with_a_finding():
    one = measure.measure("step-loop", [label("a", None, "no")], {"a": [finding(4), finding(5)]})
    assert (one.alarmed, one.false_alarm_rate.value, len(one.false_alarms)) == (1, 1.0, 2)
    assert one.recall.value is None


def test_sessions_without_a_label_are_left_out_or_clean():
    labels, found = [label("a", 3)], {"a": [finding(3)], "b": [finding(1)]}
    assert measure.measure("step-loop", labels, found).clean == 0
    strict = measure.measure("step-loop", labels, found, unlabelled="clean")
    assert (strict.clean, strict.alarmed, strict.precision.value) == (1, 1, 0.5)


def test_other_rules_other_sessions_and_logs_that_could_not_be_read_do_not_count():
    labels = [label("a", 3, session="child"), label("gone", 1)]
    one = measure.measure(
        "step-loop", labels, {"a": [finding(3), finding(3, "other-rule"), finding(3, session="child")]}
    )
    assert (one.labels, one.hits, len(one.false_alarms)) == (1, 1, 1)


@pytest.mark.parametrize(
    ("part", "whole", "low", "high"),
    # Checked against the published table of Wilson score intervals at 95 %.
    [(0, 10, 0.0, 0.2775), (5, 10, 0.2366, 0.7634), (10, 10, 0.7225, 1.0), (81, 263, 0.2553, 0.3662)],
)
def test_wilson(part: int, whole: int, low: float, high: float):
    share = measure.wilson(part, whole)
    assert share.value == part / whole
    assert share.low == pytest.approx(low, abs=5e-5)
    assert share.high == pytest.approx(high, abs=5e-5)


def test_a_share_of_nothing_may_be_anything():
    share = measure.wilson(0, 0)
    assert (share.value, share.low, share.high) == (None, 0.0, 1.0)


def judged(fingerprint: str, verdict: str, rule: str = "step-loop", **more: object) -> Judged:
    return Judged(file="a", fingerprint=fingerprint, rule=rule, verdict=verdict, **more)


def test_a_confirmed_finding_is_a_yes_and_a_dismissed_one_a_no():
    found = {
        "a": [finding(1, fingerprint="x"), finding(2, fingerprint="y"), finding(3, fingerprint="unseen")]
    }
    one = measure.measure_reviews(
        "step-loop", [judged("x", "confirm"), judged("y", "dismiss", note="wanted")], found
    )
    assert (one.by, one.sessions, one.labels, one.hits) == ("reviews", 1, 1, 1)
    assert (one.precision.value, one.recall.value) == (0.5, 1.0)
    assert one.f1 == pytest.approx(2 / 3)
    assert [(spot.message_index, spot.line, spot.why) for spot in one.false_alarms] == [(2, 20, "wanted")]


def test_what_was_confirmed_and_is_not_found_any_more_is_missed():
    one = measure.measure_reviews("step-loop", [judged("x", "confirm"), judged("y", "dismiss")], {"a": []})
    assert (one.labels, one.hits, one.recall.value, one.precision.value) == (1, 0, 0.0, None)
    assert [(spot.message_index, spot.why) for spot in one.misses] == [(None, "fingerprint x")]
    assert one.false_alarms == ()


def test_a_corrected_finding_stands_apart():
    found = {"a": [finding(1, fingerprint="x"), finding(2, fingerprint="y")]}
    one = measure.measure_reviews(
        "step-loop", [judged("x", "confirm"), judged("y", "correct", note="it was the other host")], found
    )
    assert (one.precision.value, one.recall.value, one.misses, one.false_alarms) == (1.0, 1.0, (), ())
    assert [(spot.message_index, spot.why) for spot in one.corrected] == [(2, "it was the other host")]


def test_of_reviews_only_the_rule_the_log_and_the_last_verdict_count():
    found = {"a": [finding(1, fingerprint="x")], "b": [finding(1, fingerprint="x")]}
    verdicts = [
        judged("x", "confirm"),
        judged("x", "dismiss", rule=""),
        judged("z", "confirm", rule="other-rule"),
        judged("z", "confirm", rule=""),
        Judged(file="gone", fingerprint="x", rule="step-loop", verdict="confirm"),
    ]
    one = measure.measure_reviews("step-loop", verdicts, found)
    assert (one.sessions, one.labels, one.hits, len(one.false_alarms)) == (1, 0, 0, 1)
    assert (one.clean, one.alarmed, one.false_alarm_rate.value) == (1, 1, 1.0)


def test_labels_are_read_and_a_broken_line_is_named(tmp_path):
    file = tmp_path / "labels.jsonl"
    file.write_text('{"file": "a", "rule": "r", "message_index": null, "verdict": "no"}\n\n', "utf-8")
    assert measure.read_labels(file) == [Label(file="a", rule="r", verdict="no", line=1)]
    file.write_text(
        '{"file": "a", "rule": "r", "verdict": "yes"}\n{"file": "a", "verdict": "perhaps"}\n', "utf-8"
    )
    with pytest.raises(measure.LabelError, match=r"labels\.jsonl:2: "):
        measure.read_labels(file)
    with pytest.raises(measure.LabelError, match=r"none\.jsonl: No such file"):
        measure.read_labels(tmp_path / "none.jsonl")
