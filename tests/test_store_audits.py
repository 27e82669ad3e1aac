"""Real stores of opencode: every session is judged as from its export, and as from the transcript made of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from sessionlens import engine, readers
from sessionlens.loader import classes, select
from sessionlens.model import Session, content
from sessionlens.readers.family import nest
from sessionlens.report import json as json_form
from sessionlens.report import transcript_xml

STORES = {
    "v0.5.29": "opencode/v0.5.29",
    "v1.0.0": "opencode/v1.0.0",
    "v1.1.65": "opencode/v1.1.65",
    "v1.2.1": "opencode/v1.2.1/opencode.db",
    "v1.14.41": "opencode/v1.14.41",
    "v1.18.33": "opencode/v1.18.33",
    "migrated": "opencode/migrated-1.1.65-to-1.3.2-to-1.18.33",
    "real": "real/opencode-db",
}
"""Places within the reference data, by name."""

SESSIONS = {
    "v0.5.29": 10,
    "v1.0.0": 10,
    "v1.1.65": 10,
    "v1.2.1": 10,
    "v1.14.41": 10,
    "v1.18.33": 34,
}
"""Sessions that each store holds, children included; of 1.18.33 two more by sanitized exports, whose words are others."""


def _drop(value: Any) -> Any:
    """An audit without what names the source: its format, its lines, its repairs."""
    if isinstance(value, dict):
        left_out = ("line", "source_format", "repairs")
        return {key: _drop(item) for key, item in value.items() if key not in left_out}
    if isinstance(value, list):
        return [_drop(item) for item in value]
    return value


def judged(session: Session) -> Any:
    """The audit's JSON of one session with its children, comparable between sources."""
    audit = engine.audit(session, rules=select(classes()).rules)
    assert not audit.rule_errors
    return _drop(json.loads(json_form.render(audit)))


@cache
def _store(corpus: Path, name: str) -> tuple[Session, ...]:
    place = corpus / STORES[name]
    if not place.exists():
        pytest.skip(f"the corpus has no {STORES[name]}")
    # What else lies in the folder, dumps of rows among it, is told of the first session by `read`.
    return tuple(readers.scan(place).sessions)


@cache
def _audits(corpus: Path, name: str) -> dict[str, Any]:
    return {session.id: judged(session) for session in _store(corpus, name)}


def _exports(folder: Path) -> Iterator[Session]:
    """Sessions of the exports of a version, children inside their parents."""
    found: dict[str, Session] = {}
    for path in sorted(folder.glob("*/export-ses_*.json")):
        if path.read_bytes()[:1] == b"{":
            found.update((session.id, session) for session in readers.read(path))
    yield from nest(found.values())


@pytest.mark.parametrize("name", [name for name in STORES if name in SESSIONS])
def test_every_session_is_listed(corpus: Path, name: str) -> None:
    ids = [member.id for session in _store(corpus, name) for member in session.family()]
    assert len(ids) == len(set(ids)) == SESSIONS[name]


@pytest.mark.parametrize("name", ["v1.0.0", "v1.1.65", "v1.2.1", "v1.14.41", "v1.18.33"])
def test_the_audit_from_the_store_is_the_one_from_the_export(corpus: Path, name: str) -> None:
    audits = _audits(corpus, name)
    compared = 0
    for session in _exports(corpus / "opencode" / name):
        assert judged(session) == audits[session.id], session.id
        compared += 1
    assert compared >= 8


@pytest.mark.parametrize("name", list(STORES))
def test_the_transcript_is_the_same_session_with_the_same_audit(
    corpus: Path, name: str, tmp_path: Path
) -> None:
    path = tmp_path / "session.xml"
    for session in _store(corpus, name):
        with path.open("w", encoding="utf-8", newline="") as stream:
            transcript_xml.write([session], stream)
        (again,) = readers.read(path)
        assert [message.index for message in session.messages] == list(range(len(session.messages)))
        assert content(again) == content(session), session.id
        assert judged(again) == _audits(corpus, name)[session.id], session.id


def _scene(corpus: Path, name: str) -> Any:
    """The audit of the session in which a restart is cut off and the reply is empty."""
    (scene,) = (
        session
        for session in _store(corpus, name)
        if any("8081" in part.text.head for m in session.messages if m.human for part in m.texts())
    )
    return _audits(corpus, name)[scene.id]


def _found(audit: Any) -> list[Any]:
    """Findings without the ids that differ from run to run."""
    return [
        {
            **{key: row[key] for key in ("rule", "kind", "severity", "confidence", "title", "note", "facts")},
            "at": row["at"]["message_index"],
            "because": [(because["message_index"], because["note"]) for because in row["because"]],
        }
        for row in audit["findings"]
    ]


@pytest.mark.parametrize("name", ["v0.5.29", "v1.0.0", "v1.1.65", "v1.2.1", "v1.14.41"])
def test_the_empty_reply_after_a_time_out_is_judged_alike_in_every_version(corpus: Path, name: str) -> None:
    newest = _found(_scene(corpus, "v1.18.33"))
    assert "empty-message-after-timeout" in [row["rule"] for row in newest]
    found = _found(_scene(corpus, name))
    if name == "v0.5.29":
        # Its log has no words for a time-out: that link is derived from the duration.
        (row,) = [row for row in found if row["rule"] == "empty-message-after-timeout"]
        assert row["confidence"] == "medium"
        row["confidence"] = "high"
    assert found == newest


def test_a_migrated_history_is_counted_once(corpus: Path) -> None:
    both = _store(corpus, "migrated")
    ids = [member.id for session in both for member in session.family()]
    assert len(ids) == len(set(ids))
    from_database = readers.read(corpus / STORES["migrated"] / "opencode.db")
    from_tree = readers.read(corpus / STORES["migrated"] / "storage")
    assert [content(session) for session in both] == [content(session) for session in from_database]
    assert {session.id for session in from_tree} <= {session.id for session in both}
