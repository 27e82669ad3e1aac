"""``sessionlens.audit/1``: its keys as promised, its schema, its bytes."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest

from sessionlens import catalogue, loader
from sessionlens.engine import Audit, RuleError, audit
from sessionlens.examples import Example, asks, bash, child, nothing, says
from sessionlens.model import Gap, Origin, Session
from sessionlens.report import json as form

ROOT = Path(__file__).resolve().parent.parent.parent
RESTART = "ssh root@10.20.0.7 'systemctl restart billing.service'"


def judged(session: Session | None = None) -> Audit:
    if session is None:
        session, _ = Example(
            "a restart is cut off",
            asks("restart billing"),
            bash(RESTART, limit=15, times_out=True),
            nothing(),
            asks("and raise the pool"),
            child(bash("ls")),
            says("done"),
        ).build()
    chosen = loader.select(loader.classes())
    return audit(session, rules=chosen.rules, source="log.json")


AUDIT = judged()


def rendered(one: Audit = AUDIT) -> Any:
    return json.loads(form.render(one))


def test_keys_are_those_of_the_contract():
    document = rendered()
    assert list(document) == ["schema", "session", "findings", "ledger", "rule_errors", "stats"]
    assert document["schema"] == "sessionlens.audit/1"
    assert list(document["session"]) == [
        "id", "title", "source_format", "client_version", "messages", "human_messages", "calls", "cut_off", "started",
        "ended", "models", "gaps", "repairs", "parent", "children", "not_checkable",
    ]  # fmt: skip
    finding = document["findings"][0]
    assert list(finding) == [
        "rule", "kind", "severity", "confidence", "title", "note", "fingerprint", "at", "because", "facts",
    ]  # fmt: skip
    place = ["session", "message_id", "message_index", "call_id", "line"]
    assert list(finding["at"]) == place
    assert list(finding["because"][0]) == [*place, "note", "quote"]
    operation = document["ledger"][0]
    assert list(operation) == [
        "session", "call_id", "message_index", "target", "opened_by", "reached", "closed_at", "closed_by", "found",
        "acknowledged_at", "open_messages", "open_ms",
    ]  # fmt: skip
    assert list(operation["target"]) == ["kind", "name", "host", "context", "namespace"]


def test_it_says_what_happened():
    document = rendered()
    session = document["session"]
    assert (session["messages"], session["human_messages"], session["calls"], session["cut_off"]) == (
        6,
        2,
        2,
        1,
    )
    assert session["started"] == "2026-01-05T09:00:20.000Z"
    assert session["children"] == ["ses_example_child1"]
    assert {finding["rule"] for finding in document["findings"]} == {
        "empty-message-after-timeout",
        "unacknowledged-long-running-restart",
    }
    (operation,) = document["ledger"]
    assert operation["target"]["name"] == "billing"
    assert (operation["opened_by"], operation["closed_by"], operation["closed_at"]) == (
        "cut_off",
        "none",
        None,
    )
    assert document["stats"]["never_closed"] == 1
    assert document["stats"]["redacted"] is None


def test_gaps_in_messages_and_children_and_crashes_are_told():
    session = msgspec.structs.replace(
        AUDIT.session, gaps=(Gap(reason="half a record", origin=Origin(line=7)),)
    )
    broken = msgspec.structs.replace(
        judged(session), rule_errors=(RuleError(rule="r", error="KeyError: 'x'", where="r.py:3"),)
    )
    document = rendered(broken)
    assert document["session"]["gaps"] == [{"line": 7, "reason": "half a record"}]
    assert document["rule_errors"] == [{"rule": "r", "error": "KeyError: 'x'", "where": "r.py:3"}]


def test_valid_against_its_own_schema():
    schema = form.schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    validator.validate(rendered())
    spoilt = rendered()
    spoilt["findings"][0]["severity"] = "awful"
    assert not validator.is_valid(spoilt)
    del (lacking := rendered())["ledger"]
    assert not validator.is_valid(lacking)


def test_the_shipped_schema_is_the_one_of_the_types():
    shipped = ROOT / "sessionlens" / "report" / "audit.schema.json"
    assert shipped.read_bytes() == catalogue.schema(), "run `make catalogue`"


def test_same_input_same_bytes():
    assert form.render(judged()) == form.render(AUDIT)


def test_several_audits_make_one_document():
    one = form.render(AUDIT)
    several = json.loads(
        b"".join(form.render_many([one, one], [form.NotRead(source="x", reason="is empty")]))
    )
    assert several["schema"] == "sessionlens.audits/1"
    assert several["audits"] == [rendered(), rendered()]
    assert several["not_read"] == [{"source": "x", "reason": "is empty"}]
    assert json.loads(b"".join(form.render_many([]))) == {
        "schema": "sessionlens.audits/1", "audits": [], "not_read": [],
    }  # fmt: skip


@pytest.mark.parametrize("text", ["\x1b[2Jgone", "a\u202eb", "\x9b31m", "\U000e0041", "\x7f", "plain ü 漢"])
def test_text_that_moves_a_terminal_is_escaped_and_keeps_its_value(text: str):
    raw = form.encode({"a": text})
    assert json.loads(raw) == {"a": text}
    assert not any(
        (ord(c) < 32 and c != "\n") or 0x7F <= ord(c) < 0xA0 or c == "\u202e" for c in raw.decode()
    )


def test_half_characters_do_not_break_the_file():
    assert json.loads(form.encode({"a\ud800": ["b\udfff", ("c",)]})) == {"a\ufffd": ["b\ufffd", ["c"]]}


@pytest.mark.parametrize(
    ("ms", "shown"),
    [
        (None, None),
        (0, "1970-01-01T00:00:00.000Z"),
        (1_767_603_600_123, "2026-01-05T09:00:00.123Z"),
        (10**18, None),
        (-(10**18), None),
    ],
)
def test_times(ms: int | None, shown: str | None):
    assert form.moment(ms) == shown
