"""Turns that fall silent after a cut-off call, and silences of another making."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from sessionlens.examples import asks, bash, child, group, nothing, says, tool
from sessionlens.model import Session

R1 = "empty-message-after-timeout"
R2 = "unacknowledged-long-running-restart"


def timeless(session: Session) -> Session:
    """The same session as a log without times would give it."""
    messages = tuple(replace(message, time=None, ended=None) for message in session.messages)
    return replace(session, messages=messages)


def cases(case: Any, raw: Any) -> None:
    """Hand every case to the collector."""
    shapes(case)
    limits(case)
    clients(raw)


def shapes(case: Any) -> None:
    """What is empty, where a turn ends, who made it silent."""
    query = bash("ssh ops@q1 'rabbitmqctl list_queues'", limit=10, times_out=True)
    case("invisible-characters", asks("queues?"), query, nothing(text="\u200b\u2060", flag=R1))
    case("no-break-spaces", asks("queues?"), query, nothing(text="\u00a0\u3000\n", flag=R1))
    case("one-full-stop-is-visible", asks("queues?"), query, says("."))
    case(
        "empty-word-of-the-person-follows",
        asks("queues?"),
        query,
        nothing(flag=R1, facts={"cause": "model_returned_nothing", "next_human_index": 3}),
        asks(""),
        says("The query ran into its limit."),
    )
    case(
        "two-cut-offs-in-one-message",
        asks("queues?"),
        group(query, bash("ssh ops@q2 'rabbitmqctl list_queues'", limit=10, times_out=True)),
        nothing(flag=R1, severity="medium"),
    )
    case(
        "fetch-cut-off",
        asks("look at the page"),
        tool(
            "webfetch", {"url": "https://x.example.org"}, error="Request timed out", limit=30, times_out=True
        ),
        nothing(flag=R1, facts={"changed": False}),
    )
    case(
        "child-spoke-parent-silent",
        asks("have it looked at"),
        child(query, says("It was cut off."), prompt="list queues", result="It was cut off."),
        nothing(),
    )
    case(
        "cut-off-check-after-a-good-one",
        asks("queues?"),
        bash("ssh ops@q1 'rabbitmqctl status'", output="Status of node rabbit@q1 ... running"),
        query,
        nothing(reasoning="hm", flag=R1, severity="medium", facts={"cause": "reasoning_only"}),
    )
    case(
        "later-turn-is-silent-for-itself",
        asks("queues?"),
        query,
        says("Cut off."),
        asks("then list users"),
        bash("ssh ops@q1 'rabbitmqctl list_users'", output="guest []"),
        nothing(),
    )
    case(
        "interrupted-command-is-no-cut-off",
        asks("queues?"),
        bash("ssh ops@q1 'rabbitmqctl list_queues'", interrupted=True, took=4),
        nothing(finish=None, error="MessageAbortedError Aborted"),
    )
    case(
        "provider-error-after-a-read",
        asks("queues?"),
        query,
        nothing(
            finish=None,
            error="APIError 529 overloaded",
            flag=R1,
            severity="low",
            facts={"cause": "provider_error"},
        ),
    )
    case(
        "incomplete-after-a-local-build",
        asks("build"),
        bash("go build ./...", limit=60, times_out=True),
        nothing(
            finish=None,
            tokens_out=0,
            completed=False,
            flag=R1,
            severity="info",
            facts={"cause": "generation_incomplete"},
        ),
    )
    case("no-times", asks("queues?"), query, nothing(flag=R1, severity="medium"), change=timeless)
    case(
        "person-writes-over-it",
        asks("queues?"),
        bash(
            "ssh ops@q1 'rabbitmqctl list_queues'",
            limit=10,
            times_out=True,
            flag=R1,
            facts={"cause": "no_message"},
        ),
        asks("never mind"),
        says("Fine."),
    )
    case(
        "staging-restart-silent",
        asks("restart"),
        bash(
            "ssh root@staging-q1 'systemctl restart rabbitmq-server'",
            limit=10,
            times_out=True,
            flag=R2,
            severity="low",
        ),
        nothing(flag=R1, severity="low"),
    )


def limits(case: Any) -> None:
    """Limits within the command line."""
    case(
        "gtimeout-exit-124",
        asks("check"),
        bash("gtimeout 15 ssh ops@q1 'rabbitmqctl status'", exit=124),
        nothing(flag=R1, facts={"cut_off_by": "in_command", "limit_ms": 15000}),
    )
    case(
        "echoed-124-after-minutes",
        asks("check"),
        bash("timeout 2m ssh ops@q1 'rabbitmqctl status'; echo \"rc: $?\"", output="rc: 124"),
        nothing(flag=R1, facts={"limit_ms": 120000}),
    )
    case(
        "pipestatus-124",
        asks("check"),
        bash("timeout 5 curl -s https://q1.acme.io/api | head -n 3; echo ${PIPESTATUS[0]}", output="124"),
        nothing(flag=R1),
    )
    case(
        "exit-1-within-the-limit",
        asks("test"),
        bash("timeout 300 pytest -q", exit=1, output="2 failed, 30 passed in 12.3s"),
        nothing(),
    )
    case(
        "echoed-0",
        asks("test"),
        bash("timeout 300 pytest -q; echo exit=$?", output="32 passed in 12.3s\nexit=0"),
        nothing(),
    )
    case("count-of-124", asks("count"), bash("timeout 20 grep -c ERROR app.log", output="124"), nothing())
    case(
        "exit-124-without-a-limit",
        asks("run"),
        bash("./probe.sh", exit=124, output="probe: code 124"),
        nothing(),
    )
    case(
        "gateway-timeout-in-the-output",
        asks("probe"),
        bash("curl -si https://shop.acme.io/", output="HTTP/2 504\n\nupstream request timeout"),
        nothing(),
    )


def _log(
    result: str,
    tail: str = '<msg id="3" role="assistant" finish="stop" tokens_out="0"></msg>',
    tool_: str = "bash",
    head: str = "",
) -> str:
    return (
        f'<conversation_data{head}>\n<msg id="1" role="user"><text>is the queue drained?</text></msg>\n'
        f'<msg id="2" role="assistant"><tool name="{tool_}" call="c1" status="completed"><input>{{"command": "ssh ops@q1 \'rabbitmqctl list_queues\'"}}</input>'
        f"<output>{result}</output></tool></msg>\n{tail}\n</conversation_data>\n"
    )


WORDINGS = {
    "opencode-1.0": ("(Command timed out after 30000 ms)", 30000),
    "opencode-1.0.152": (
        "&lt;bash_metadata&gt;\nbash tool terminated commmand after exceeding timeout 30000 ms\n&lt;/bash_metadata&gt;",
        30000,
    ),
    "opencode-1.2": (
        "jobs 4\n\n&lt;bash_metadata&gt;\nbash tool terminated command after exceeding timeout 45000 ms\n&lt;/bash_metadata&gt;",
        45000,
    ),
    "opencode-1.18": (
        "&lt;shell_metadata&gt;\nshell tool terminated command after exceeding timeout 15000 ms. If this command is expected to take longer and is not waiting for interactive input, retry with a larger timeout value in milliseconds.\n&lt;/shell_metadata&gt;",
        15000,
    ),
    "opencode-v2": (
        "Command exceeded timeout of 20000 ms. Retry with a larger timeout if the command is expected to take longer.",
        20000,
    ),
    "claude-code": ("Command timed out after 2m 0.0s", 120000),
}


def clients(raw: Any) -> None:
    """What the clients write when their limit ends a command."""
    for name, (words, limit) in WORDINGS.items():
        raw(f"wording-{name}", _log(words), (R1, 2, {"severity": "medium", "facts": {"limit_ms": limit}}))
        raw(f"quoted-{name}", _log(f"from yesterday's log:\n{words}\nthen the queue recovered\njobs 0"))
    cut = WORDINGS["claude-code"][0]
    raw(
        "nothing-recorded-of-the-end",
        _log(cut, '<msg id="3" role="assistant"></msg>'),
        (R1, 2, {"facts": {"cause": "not_recorded"}}),
    )
    raw(
        "synthetic-text-is-no-person",
        _log(
            cut,
            '<msg id="3" role="user"><text synthetic="true">reminder</text></msg>\n<msg id="4" role="assistant"><text>It was cut off.</text></msg>',
        ),
    )
    raw(
        "person-between",
        _log(
            cut,
            '<msg id="3" role="user"><text>hm?</text></msg>\n<msg id="4" role="assistant"><text>It was cut off.</text></msg>',
        ),
        (R1, 1, {"facts": {"cause": "no_message"}}),
    )
    raw("role-missing", _log(cut, '<msg id="3"></msg>'), (R1, 2, {"confidence": "low"}))
    raw(
        "inline-calls-loose",
        "<msg id=1 role=user>restart the queue on q1</msg>\n<msg id=2 role=assistant>[bash] ssh root@q1 'systemctl restart rabbitmq-server && systemctl is-active rabbitmq-server'\n"
        "Command timed out after 30s</msg>\n<msg id=3 role=assistant></msg>\n<msg id=4 role=user>now raise the memory limit & restart</msg>\n<msg id=5 role=assistant>Which value?</msg>\n",
        (R2, 1, {"severity": "high"}),
        (R1, 2, {"severity": "high"}),
    )
