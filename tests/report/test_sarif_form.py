"""SARIF 2.1.0: valid by models generated from the official schema, and what viewers need is there."""

import json
from typing import Any

import msgspec
import pytest

from sessionlens import loader
from sessionlens.engine import NotCheckable, RuleError, audit
from sessionlens.examples import Example, asks, bash, nothing
from sessionlens.findings import Because, Finding, Place
from sessionlens.model import Gap, Origin
from sessionlens.report import sarif

SESSION, _ = Example(
    "t", asks("restart it"), bash("ssh a 'systemctl restart b'", limit=9, times_out=True), nothing()
).build()


def place(line: int | None) -> dict[str, Any]:
    return {
        "session": "ses_example",
        "message_id": "msg_001",
        "message_index": 1,
        "call_id": "call_001",
        "line": line,
    }


def finding(**about: Any) -> Finding:
    return Finding(
        **{
            "rule": "empty-message-after-timeout", "kind": "fault", "severity": "high", "confidence": "medium",
            "title": "Nothing was said", "note": "A note.", "fingerprint": "f00", "at": Place(**place(12)),
            "because": (Because(**place(None), note="cut off", quote="exceeding timeout"), Because(**place(3))),
            "facts": {"limit_ms": 9000}, **about,
        }
    )  # fmt: skip


def log(source: str = "a log/with ümlaut.json", **about: Any) -> Any:
    judged = audit(SESSION, rules=loader.select(loader.classes()).rules, source=source)
    about = {
        "findings": (finding(), finding(kind="good", at=Place(**place(None))), finding(kind="signal")),
        **about,
    }
    return json.loads(sarif.render(msgspec.structs.replace(judged, **about)))


def validate(document: Any) -> None:
    model = pytest.importorskip("pydantic_sarif.model", reason="pydantic-sarif is not installed")
    model.StaticAnalysisResultsFormatSarifVersion210JsonSchema.model_validate(document)


def test_valid():
    validate(log())
    validate(log(source=""))
    validate(
        log(
            rule_errors=(RuleError(rule="r", error="KeyError"),),
            not_checkable=(NotCheckable(rule="r", reason="no times"),),
            session=msgspec.structs.replace(
                SESSION, gaps=(Gap(reason="x", origin=Origin(line=2)), Gap(reason="y"))
            ),
        )
    )


def test_the_validation_sees_faults():
    spoilt = log()
    spoilt["runs"][0]["results"][0]["level"] = "awful"
    with pytest.raises(ValueError, match="level"):
        validate(spoilt)


def test_places_levels_and_kinds():
    run = log()["runs"][0]
    fault, good, signal = run["results"]
    assert (fault["kind"], fault["level"]) == ("fail", "error")
    assert (good["kind"], good["level"]) == ("pass", "none")
    assert (signal["kind"], signal["level"]) == ("review", "none")
    physical = fault["locations"][0]["physicalLocation"]
    assert physical["region"] == {"startLine": 12}
    assert physical["artifactLocation"]["uri"] == "a%20log/with%20%C3%BCmlaut.json"
    assert "region" not in good["locations"][0]["physicalLocation"]
    assert fault["locations"][0]["logicalLocations"][0]["fullyQualifiedName"] == (
        "session ses_example / message msg_001 / call call_001"
    )
    assert [row["message"]["text"] for row in fault["relatedLocations"]] == [
        "cut off: exceeding timeout",
        "message 1",
    ]
    assert fault["partialFingerprints"] == {"sessionlens/1": "f00"}
    assert fault["properties"] == {"severity": "high", "confidence": "medium", "facts": {"limit_ms": 9000}}


def test_rules_come_with_their_pages():
    run = log()["runs"][0]
    rules = run["tool"]["driver"]["rules"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    for rule in rules:
        assert rule["shortDescription"]["text"]
        assert "## What to do" in rule["help"]["markdown"]


def test_a_crash_says_that_the_run_is_incomplete():
    run = log(rule_errors=(RuleError(rule="r", error="KeyError"),))["runs"][0]
    assert run["invocations"][0]["executionSuccessful"] is False
    assert log()["runs"][0]["invocations"][0]["executionSuccessful"] is True


def test_several_runs_in_one_log():
    judged = audit(SESSION, rules=[], source="x")
    document = json.loads(sarif.join([sarif.render_run(judged), sarif.render_run(judged)]))
    assert len(document["runs"]) == 2
    validate(document)
