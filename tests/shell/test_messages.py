"""What a command says to people, and which answers say that nobody got it."""

import pytest

from sessionlens.shell import read
from sessionlens.shell.messages import no_answer, refusal, words_of

SAID = "The restart of billing was cut off."

REFUSED = [
    "HTTP 401", "HTTP/1.1 403 Forbidden", "404", "503 Service Unavailable", "401: Unauthorized", "curl: (22) The requested URL returned error: 403",
    "channel_not_found", "not_in_channel", "is_archived", "invalid_token", "no_service", "ratelimited", "Error: channel #ops not found",
    '{"ok": false, "error": "x"}', '{"error": "missing scope"}', '{"errors": [{"code": 3}]}', '{"status": 403, "message": "x"}', '{"status": "failed"}',
    '{"message": "Unknown Webhook", "code": 10015}', '{"code": 19001, "data": {}, "msg": "param invalid: incoming webhook"}', '{"errorMessages": ["Issue does not exist"], "errors": {}}', '{"code":40301,"http":403,"error":"forbidden"}', '{"errcode": 93000, "errmsg": "x"}',
    '[{"type": "text", "text": "{\\"ok\\": false, \\"error\\": \\"not_in_channel\\"}"}]', '{"isError": true, "content": [{"type": "text", "text": "no"}]}',
    "550 5.1.1 <ops@example.com>: Recipient address rejected: User unknown", "554 Transaction failed", "mail: cannot send message: Process exited",
    "Message not sent", "The message was never delivered.", "Your message could not be delivered", "Delivery to ops@example.com failed", "undeliverable",
    "rejected by policy", "Posted: no", "delivered to 0 of 3 recipients", "Webhook message delivery failed with error: endpoint returned HTTP error 413",
    "Your session has expired. Please log in again.", "Die Nachricht wurde nicht gesendet", "Zustellung fehlgeschlagen", "unzustellbar", "Die Nachricht konnte nicht zugestellt werden.",
    "Le message n'a pas été envoyé", "Échec de l'envoi", "El mensaje no se pudo enviar", "mensaje rechazado", "A mensagem não foi enviada",
    "Il messaggio non è stato inviato", "niet verzonden", "nie wysłano", "сообщение не отправлено", "发送失败", "送信に失敗しました", "전송 실패",
]  # fmt: skip
TAKEN = [
    "", "ok", "200", "1", "250 2.0.0 Ok: queued as 5F2", '{"ok": true}', '{"ok": true, "error": null}', '{"errors": [], "id": 5}', '{"error": ""}',
    "Sent to 3 recipients, 0 failed", "1 delivered, 0 rejected", "no errors", "Message posted", "Nachricht gesendet", "已发送", "message 1523 created",
    "450 users notified", "ts=1700000.401", "C0123,1700000000.500,posted", "https://github.com/example/ops/issues/12#issuecomment-404",
    '{"status": "queued", "sid": "SM500"}', '{"errcode": 0, "errmsg": "ok"}', '{"code": 0, "msg": "success"}', '{"code": 200, "message": "done"}', '{"id": "17", "text": "the restart failed with HTTP 502"}', "none rejected",
]  # fmt: skip


@pytest.mark.parametrize("answer", REFUSED)
def test_an_answer_that_refuses(answer: str) -> None:
    assert refusal(answer, SAID)


@pytest.mark.parametrize("answer", TAKEN)
def test_an_answer_that_does_not_refuse(answer: str) -> None:
    assert refusal(answer, SAID) == ""


ERRORS = "The restart was cut off: HTTP 502, delivery failed, mail rejected, not sent"


@pytest.mark.parametrize(
    "answer",
    [
        f"Sent: {ERRORS}",
        f"ok\n{ERRORS}",
        f"Posted message '{ERRORS}' to #ops",
        f"#ops: {ERRORS}",
        "Posted: The restart was cut off: HTTP 502, deliv…",
        f'{{"ok": true, "message": {{"text": "{ERRORS}"}}}}',
        f'{{"id": 4, "message": "{ERRORS}"}}',
    ],
)
def test_what_an_answer_repeats_of_the_message_is_no_refusal(answer: str) -> None:
    assert refusal(answer, ERRORS) == ""


def test_an_answer_that_refuses_a_message_about_errors() -> None:
    assert refusal(f"channel_not_found\n{ERRORS}", ERRORS)
    assert refusal('{"ok": false, "error": "x"}', ERRORS)


def test_a_hostile_answer_is_read_in_bounded_time() -> None:
    for answer in ("[" * 50_000, '{"a":' * 20_000, "not " * 30_000, "5" * 100_000, "message " * 20_000):
        refusal(answer, SAID)
        words_of(answer)


@pytest.mark.parametrize(
    ("answer", "lost"),
    [
        ("MCP error -32001: Request timed out", True),
        ("curl: (28) Operation timed out after 5001 milliseconds with 0 bytes received", True),
        ("504 Gateway Time-out", True),
        ("Zeitüberschreitung beim Senden", True),
        ("ok", False),
        ('{"ok": true, "text": "the restart timed out"}', False),
        ("channel_not_found", False),
    ],
)
def test_an_answer_that_did_not_come_in_time(answer: str, lost: bool) -> None:
    assert no_answer(answer, SAID) is lost
    assert not no_answer("Sent: the restart timed out", "the restart timed out")


SAYS = {
    """curl -X POST -d '{"text":"cut off"}' https://hooks.slack.com/services/T/B/x""": "cut off",
    """curl -s $SLACK_WEBHOOK_URL -d '{"blocks":[{"type":"section","text":{"type":"mrkdwn","text":"cut off"}}]}'""": "cut off",
    """curl -d 'payload={"text":"cut off"}' https://mattermost.example.com/hooks/abc""": "cut off",
    """curl -H 'Content-Type: application/json' -d '{"content":"cut off"}' https://discord.com/api/webhooks/1/x""": "cut off",
    """curl -d '{"title":"billing","text":"cut off"}' https://example.webhook.office.com/webhookb2/x""": "billing\ncut off",
    "curl -d 'cut off' ntfy.sh/ops": "cut off",
    "curl -d @- https://ntfy.sh/ops <<'EOF'\ncut off\nEOF": "cut off",
    """jq -n --arg text "cut off" '{text: $text}' | curl -s -d @- "$SLACK_WEBHOOK\"""": "cut off",
    "curl -s https://api.telegram.org/bot1/sendMessage -d chat_id=5 -d text='cut off'": "cut off",
    "curl -s 'https://api.telegram.org/bot1/sendMessage?chat_id=1&text=cut%20off'": "cut off",
    "http POST https://discord.com/api/webhooks/1/x content='cut off'": "cut off",
    """wget --post-data='{"text":"cut off"}' https://hooks.slack.com/services/x""": "cut off",
    "curl -d @note.json https://hooks.slack.com/services/T/B/x": "",
    "gh issue comment 12 --body 'cut off'": "cut off",
    "gh pr comment 12 -b 'cut off'": "cut off",
    "gh issue create --title billing --body 'cut off'": "billing\ncut off",
    "glab mr note 3 -m 'cut off'": "cut off",
    "glab issue note 3 -m 'cut off'": "cut off",
    "jira issue comment add OPS-1 'cut off'": "cut off",
    "echo 'cut off' | mail -s billing ops@example.com": "billing\ncut off",
    "mutt -s 'cut off' ops@example.com < /dev/null": "cut off",
    "printf 'Subject: billing\\n\\ncut off' | sendmail ops@example.com": "Subject: billing\n\ncut off",
    "ssh web1 \"wall 'cut off'\"": "cut off",
    "notify-send billing 'cut off'": "billing cut off",
    "slack-cli -d '#ops' 'cut off'": "cut off",
    "echo 'cut off' | slackcat -c ops": "cut off",
    "ntfy publish ops 'cut off'": "ops cut off",
    "python3 notify.py --channel ops --text 'it was cut off'": "it was cut off",
    "./bin/notify-slack 'the restart was cut off'": "the restart was cut off",
    "bash scripts/send_alert.sh ops 'it was cut off'": "it was cut off",
    "gh api repos/a/b/issues/3/comments -f body='cut off'": "cut off",
}
NO_MESSAGES = [
    """curl -X POST https://api.example.com/v1/orders -d '{"text":"cut off"}'""",
    """curl -X POST https://deploy.example.com/hooks/redeploy -d '{"text":"cut off"}'""",
    "curl -X POST https://slack.com/api/conversations.archive -d channel=C1",
    """curl -X DELETE https://discord.com/api/webhooks/1/x""",
    "curl -fsS http://localhost:8080/health",
    "gh issue view 12",
    "mail",
    "sendmail -bp",
    "slackcat --list",
    "./slack-bot.sh restart",
    "python manage.py send_notifications",
    "python3 train.py --text 'it was cut off'",
]


@pytest.mark.parametrize("line", SAYS)
def test_what_a_command_says_to_people(line: str) -> None:
    command = read(line)[-1]
    assert command.says == SAYS[line]
    assert command.effect in ("none", "create")


@pytest.mark.parametrize("line", NO_MESSAGES)
def test_a_command_that_says_nothing_to_people(line: str) -> None:
    assert all(command.says is None for command in read(line))
