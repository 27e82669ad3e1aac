"""Answers to prefer: what they name stands in their prompt, and their calls are those of its session."""

import json

from sessionlens.curate.chat import of
from sessionlens.curate.fit import Asked, Donor, Known, Shape, call_of, fitted
from sessionlens.curate.rows import ChatMessage, Function, ToolCall
from sessionlens.model import Call, Message, Text
from tests.curate.conftest import RESTART, bash, say, session, silent

PROMPT = Known(
    m for one in silent("s").messages[:2] for m in of(one, one.role).messages
)  # A restart of vllm on gpu7 that was cut off.
ASKED = Asked(
    target="vllm",
    host="gpu7",
    line=RESTART,
    shape=Shape(tool="run_terminal", key="cmd", before=("bash", "-lc"), listed=True),
    handling=True,
)


def donor(text: str | None, check: str | None = None) -> Donor:
    call = ToolCall(
        id="x", function=Function(name="Bash", arguments=json.dumps({"command": check, "timeout": 5}))
    )
    return Donor(
        situation="cut_off restart service", language="en", session="other", step=4,
        message=ChatMessage(role="assistant", content=text, tool_calls=(call,) if check else None),
        check=check, target="sglang", host="c1", line="ssh root@c1 'systemctl restart sglang'",
    )  # fmt: skip


def test_an_answer_of_another_case_takes_its_names_and_tool():
    given = donor(
        "The restart of sglang was cut off, so I look at it.", "ssh root@c1 'systemctl status sglang'"
    )
    made = fitted(given, ASKED, PROMPT)
    assert made is not None
    message, adapted = made
    assert adapted
    assert message.content == "The restart of vllm was cut off, so I look at it."
    (call,) = message.tool_calls or ()
    assert call.function.name == "run_terminal"
    assert json.loads(call.function.arguments) == {
        "cmd": ["bash", "-lc", "ssh root@gpu7 'systemctl status vllm'"]
    }


def test_an_answer_that_names_what_the_prompt_does_not_is_not_taken():
    for text, check in (
        ("The restart of sglang was cut off while hicache was filled.", None),
        ("The restart of sglang was cut off after 90 s.", None),
        ("The restart of sglang was cut off; the log is in /var/log/sgl/serve.log.", None),
        ("Der Neustart von sglang wurde abgebrochen.", None),
        ("The restart of sglang was cut off.", "ssh root@c1 'tail /srv/sglang/out.log'"),
    ):
        assert fitted(donor(text, check), ASKED, PROMPT) is None, text


def test_a_call_without_a_known_shape_is_not_taken():
    import msgspec

    given = donor("The restart of sglang was cut off.", "systemctl status sglang")
    assert fitted(given, msgspec.structs.replace(ASKED, shape=None), PROMPT) is None
    odd = msgspec.structs.replace(given, check=None)
    assert fitted(odd, ASKED, PROMPT) is None
    assert call_of(Shape(tool="bash", key="command"), "ls").function.arguments == '{"command": "ls"}'


def test_what_a_prompt_tells():
    known = Known(
        [ChatMessage(role="user", content='Restart it; timed out after 15000 ms, see "/srv/x y/a.log"')]
    )
    assert known.duration(15_000)
    assert not known.duration(60_000)
    assert known.quoted("Look at `/srv/x y/a.log` now")
    assert not known.quoted("Look at `/srv/b.log` now")
    assert known.line("tail -n 50 '/srv/x y/a.log'")
    assert not known.line("ssh root@gpu7 uptime")


def rejected(messages: list[tuple[str, str, tuple[Call, ...]]]) -> dict[str, tuple[ChatMessage, ...]]:
    from sessionlens import engine, loader
    from sessionlens.curate.extract import Order, rows

    made = session("s", messages)
    _, body = rows(engine.audit(made, rules=loader.select(loader.classes()).rules), Order(), "s.xml")
    return {one.row.rule: one.row.rejected for one in body.pairs}


EDIT = "ssh root@web1 \"sed -i 's/a=4/a=8/' /etc/billing/billing.conf\""


def test_what_is_rejected_is_what_the_log_holds():
    asked = say("user", "Raise it on web1 to eight please.")
    goes_on = [
        asked,
        say("assistant", "I change it.", bash(EDIT)),
        say("assistant", "", bash("ssh root@web1 'ls /srv'", "a")),
        say("user", "And now?"),
    ]
    # Not silence: the call that it made instead of a look.
    assert rejected(goes_on)["unverified-production-edit"][0].tool_calls is not None
    silence = [asked, say("assistant", "I change it.", bash(EDIT)), say("user", "And now?")]
    assert rejected(silence)["unverified-production-edit"] == (ChatMessage(role="assistant", content=""),)
    # Where the log stops nobody knows what came.
    assert "unverified-production-edit" not in rejected(silence[:2])


def test_a_second_change_is_itself_what_is_rejected():
    start = "ssh root@web1 'systemctl restart billing'"
    pairs = rejected([
        say("user", "Restart billing on web1."),
        say("assistant", "I restart it.", bash(start, limit=15_000, cut=True)),
        say("assistant", "And I change the pool.", bash(EDIT)),
    ])  # fmt: skip
    assert pairs["change-on-unverified-change"][0].content == "And I change the pool."


def test_interrupted_messages_are_nobodys_answer():
    import msgspec

    from sessionlens.curate.windows import _own

    plain = Message(index=0, role="assistant")
    assert _own(plain)
    stopped = Call(name="bash", input=Text("{}"), interrupted=True)
    assert not _own(msgspec.structs.replace(plain, parts=(stopped,)))


def test_a_number_is_not_known_from_the_end_of_another_one():
    known = Known([ChatMessage(role="user", content="It took 5.34s, then 156 s, on localhost:8080.")])
    assert known.names("156s on port 8080, 5.34s before")
    assert not known.names("34s")
    assert not known.names("15s")
    assert not known.names("port 808")
