"""The words by which a turn ends, held against what its last look shows."""

from __future__ import annotations

import json

import pytest

from sessionlens.examples import Example, Step, asks, bash, says
from sessionlens.graph.session_graph import SessionGraph


def _shown(*steps: Step) -> list[str]:
    session, _ = Example("look", *steps).build()
    return [claim.quote for claim in SessionGraph(session).claims if claim.scope == "shown"]


def _status(answer: object, said: str, question: str = "is the reindex done?") -> list[str]:
    look = bash("curl -s http://es-1:9200/_tasks/a:1", output=json.dumps(answer))
    return _shown(asks(question), look, says(said))


DONE = "Yes, the task has completed and the index is ready."


@pytest.mark.parametrize(
    "answer",
    [
        {"completed": True, "task": {"status": {"total": 4810220, "created": 2951000}}},
        {"completed": True, "error": {"type": "es_rejected_execution_exception"}},
        {"state": "FAILED", "progress": 61},
        {"job": {"status": {"succeeded": 3, "failed": 2}}},
    ],
)
def test_a_status_that_ends_badly(answer: object) -> None:
    assert len(_status(answer, DONE)) == 1


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (
            {
                "completed": True,
                "task": {"status": {"total": 48, "created": 40, "updated": 8}},
                "failures": [],
            },
            DONE,
        ),
        ({"completed": True, "error": None, "status": "ok"}, DONE),
        ({"completed": False, "task": {"status": {"total": 48, "created": 40}}}, "Not yet: 40 of 48."),
        ({"completed": True, "error": {"type": "rejected"}}, "Yes, it ended, but with an error: rejected."),
        ({"items": [{"error": "x"}], "total": 1}, "Yes, it is there."),
    ],
)
def test_a_status_that_ends_well_or_is_told(answer: object, said: str) -> None:
    assert not _status(answer, said)


COUNT = "ssh b1 'psql -c \"show servers\" | grep -c pg-ro-2'"


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("does pg-ro-2 get queries by now?", "Yes, it's in rotation."),
        ("Bekommt pg-ro-2 jetzt Anfragen?", "Ja, er ist dabei."),
        ("pg-ro-2 reçoit des requêtes ?", "Oui, elle est en rotation."),
        ("¿recibe consultas pg-ro-2?", "Sí, está en rotación."),
        ("pg-ro-2 получает запросы?", "Да, он в ротации."),
        ("pg-ro-2 现在有查询吗？", "是的，已经在轮询中。"),
    ],
)
def test_a_count_of_zero_is_no_yes(question: str, answer: str) -> None:
    assert _shown(asks(question), bash(COUNT, output="0", exit=1), says(answer)) == ["pg-ro-2: 0"]
    assert not _shown(asks(question), bash(COUNT, output="7"), says(answer))


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("is pg-ro-2 gone from the pool?", "Yes, it is out."),
        ("ist pg-ro-2 raus, keine Verbindung mehr?", "Ja, alles weg."),
        ("does pg-ro-2 get queries by now?", "No, none so far."),
        ("is the pool healthy?", "Yes, it looks fine."),
    ],
)
def test_zero_may_be_the_good_answer(question: str, answer: str) -> None:
    assert not _shown(asks(question), bash(COUNT, output="0", exit=1), says(answer))


BATCH = "ssh batch-p1 'billing nightly --resume | tail -3'"


@pytest.mark.parametrize(
    ("output", "said"),
    [
        (
            "8150 Rechnungen erzeugt\n58 übersprungen\nENDE mit Fehlern (exit 2)",
            "Der Lauf ist vollständig durch.",
        ),
        ("17903 rows written, 2491 rejected", "The run is complete: every row was imported successfully."),
        ("done 12\nfailed: 3", "The import completed successfully."),
    ],
)
def test_a_run_of_an_unknown_program_that_ended_badly(output: str, said: str) -> None:
    assert len(_shown(asks("run the batch again"), bash(BATCH, output=output, exit=2), says(said))) == 1
    assert not _shown(asks("run the batch again"), bash(BATCH, output=output, exit=0), says(said))
    told = f"{said} But some rows were rejected, the run ended with an error."
    assert not _shown(asks("run the batch again"), bash(BATCH, output=output, exit=2), says(told))


def test_an_exit_without_a_word_of_failure_is_left_alone() -> None:
    run = bash(BATCH, output="8208 rows written, 0 rejected", exit=1)
    assert not _shown(asks("run the batch again"), run, says("The import completed successfully."))


OLD, NEW = "notAfter=Mar  3 11:00:00 2026 GMT", "notAfter=Jun  1 11:00:00 2026 GMT"
SERVED = "echo | openssl s_client -connect vpn.example.net:443 2>/dev/null | openssl x509 -noout -enddate"


def _cert(after: str, said: str) -> list[str]:
    return _shown(
        asks("renew the certificate of vpn.example.net"),
        bash("ssh g2 'openssl x509 -enddate -noout -in /etc/openvpn/server.crt'", output=OLD),
        bash("ssh g2 'sudo cp /root/new.cer /etc/openvpn/server.crt && sudo systemctl restart openvpn'"),
        bash(SERVED, output=after),
        says(said),
    )


def test_a_look_after_the_change_that_shows_the_mark_from_before() -> None:
    said = "The certificate is renewed and installed: clients now get the new one."
    assert _cert(OLD, said) == [OLD]
    assert not _cert(NEW, said)
    assert not _cert(OLD, "The certificate is renewed and installed, but clients still get the old one.")


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("did last night's backup succeed?", "Yes, it started at 2 and completed without problems."),
        ("Ist das Backup durchgelaufen?", "Ja, es ist nach 41 Minuten fehlerfrei durchgelaufen."),
        (
            "昨夜のバックアップは成功していますか？",
            "はい、昨夜のバックアップは 41 分ほどで問題なく完了しています。",
        ),
    ],
)
def test_a_log_that_ends_badly_is_no_yes(question: str, said: str) -> None:
    log = "ssh bk-01 'tail -n 3 /var/log/backup/nightly.log'"
    ends = "02:00 start full backup\n02:41 ERROR: write failed: No space left\n02:41 backup aborted, exit status 3"
    assert _shown(asks(question), bash(log, output=ends), says(said)) == [
        "02:41 backup aborted, exit status 3"
    ]
    again = f"{ends}\n03:00 second try\n03:30 backup finished, 0 errors"
    assert not _shown(asks(question), bash(log, output=again), says(said))
    assert not _shown(asks(question), bash(log, output=ends), says("No, it was aborted: the disk is full."))
