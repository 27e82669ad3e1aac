"""Answers that say, without a word for an error, that nothing was done (``shell/not_done.py``)."""

import pytest

from sessionlens.shell.not_done import not_done


@pytest.mark.parametrize(
    ("answer", "how"),
    [
        ('{"ok": false, "reason": "channel is read-only"}', "refused"),
        ("channel is read-only", "refused"),
        ("This calendar is locked for edits.", "refused"),
        ("not permitted in maintenance window", "refused"),
        ("Blocked: change freeze until Monday", "refused"),
        ("rate limited, try later", "refused"),
        ("Nicht erlaubt für Gäste", "refused"),
        ("数据库只读", "refused"),
        ('{"applied": false}', "refused"),
        ('{"result": {"applied": false, "plan": {"count": 6}}}', "refused"),
        ('{"content": [{"type": "text", "text": "{\\"applied\\": false}"}]}', "refused"),
        ('{"dry_run": true, "changes": []}', "dry"),
        ('{"dryRun": true}', "dry"),
        ("(dry run)", "dry"),
        ("would delete 3 files", "dry"),
        ("DRY RUN\ndeleted a.tgz\ndeleted b.tgz", "dry"),
        ("What if: Performing the operation on target C:\\logs", "dry"),
        ("Would have been sent to 12 recipients", "dry"),
        ("queued for approval", "waiting"),
        ('{"status": "pending_approval"}', "waiting"),
        ("Request 7 is awaiting review by the owners", "waiting"),
        ("Wartet auf Freigabe", "waiting"),
        ("等待审批", "waiting"),
        ('{"result": "承認待ち"}', "waiting"),
        ('{"result": "skipped"}', "skipped"),
        ("deploy skipped: branch is not main", "skipped"),
        ("Пропущено: заморозка", "skipped"),
        ("No changes made.", "nothing"),
        ("nothing to apply", "nothing"),
        ("0 rows affected", "nothing"),
        ("UPDATE 0", "nothing"),
        ('{"status": "noop"}', "nothing"),
        ('{"matchedCount": 0, "modifiedCount": 0}', "nothing"),
        ('{"rowsAffected":0}', "nothing"),
        ('{"num_updated": 0}', "nothing"),
        ("Query OK, 0 rows affected\nRows matched: 0  Changed: 0  Warnings: 0", "nothing"),
        ("Rate limited, try again in 60 s", "refused"),
        ('{"message":"API rate limit exceeded","documentation_url":"x"}', "refused"),
        ("Too many requests. Please retry later.", "refused"),
        ("ThrottlingException: Rate exceeded", "refused"),
        ("Quota exceeded for quota metric 'Queries'", "refused"),
        ("You have exceeded your current quota.", "refused"),
        ("Daily limit reached for this sender.", "refused"),
        ('{"status":"throttled"}', "refused"),
        ('{"code":"RATE_LIMITED","retry_after":60}', "refused"),
        ('{"__type":"com.amazon#ThrottlingException"}', "refused"),
        ('{"retryAfter": 30}', "refused"),
        ("Zu viele Anfragen", "refused"),
        ("Trop de requêtes", "refused"),
        ("слишком много запросов", "refused"),
        ("请求过于频繁", "refused"),
        ("リクエストが多すぎます", "refused"),
    ],
)
def test_says_that_nothing_was_done(answer, how):
    found = not_done(answer)
    assert found is not None
    assert found.how == how


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "ok",
        '{"ok": true}',
        '{"status": "queued", "id": "m-1"}',
        '{"status": 200, "deleted": 1}',
        '{"id": 7, "title": "x", "deleted": false, "published": false, "status": "open"}',
        '{"dry_run": false, "applied": true}',
        "dry run passed\napplied 14 changes",
        "User mia is already disabled. No changes made.",
        '{"status": "noop", "message": "already in desired state"}',
        "No changes. Your infrastructure matches the configuration.",
        "Deleted 3 files, skipped 1",
        "12 passed, 3 skipped in 0.4s",
        '{"updated": 0, "created": 2}',
        "Sent to 3 recipients",
        "Query OK, 0 rows affected\nRows matched: 1  Changed: 0  Warnings: 0",
        '{"acknowledged": true, "matchedCount": 1, "modifiedCount": 0}',
        '{"id": "job-7", "status": "accepted", "retry_after": 5}',
        '{"id": 7, "rate_limit": {"remaining": 4999, "limit": 5000}}',
        "Created SHOP-12. Rate limit: 4999 of 5000 requests remaining.",
        "PLAY RECAP\napp1 : ok=2 changed=1 unreachable=0 failed=0 skipped=3",
    ],
)
def test_says_nothing_of_the_kind(answer):
    assert not_done(answer) is None


def test_what_was_to_be_shut_is_well_shut():
    assert not_done("User mia is disabled", ("ldap", "disable", "user")) is None
    assert not_done("User mia is disabled", ("ldap", "rename", "user")) is not None
    assert not_done('{"status": "rejected"}', ("reject", "request")) is None
    assert not_done("Issue 4 is closed", ("update", "issue"), ("closed",)) is None
    assert not_done("Issue 4 is closed", ("comment", "issue"), ("thanks",)) is not None
    assert not_done("Queue mail is paused", ("stop", "queue")) is None


def test_quotes_what_stands_there():
    answer = '{"applied":  false, "plan": 6}'
    found = not_done(answer)
    assert found is not None
    assert found.quote in answer


def test_a_long_answer_is_of_a_program_that_did_something():
    assert not_done("would delete 3 files\n" + "copied a file\n" * 400) is None


@pytest.mark.parametrize("answer", ["Test skipped.", "Validation disabled.", "Contract tests skipped on CI."])
def test_what_a_text_does_is_no_refusal_to_write_it(answer: str):
    assert not_done(answer) is not None
    assert not_done(answer, writes=True) is None


def test_a_text_that_was_not_written_is_none():
    assert not_done("The edit was not applied.", writes=True) is not None
