"""Sessions that tests of the narrative and of the page share, and the audit of one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from sessionlens import loader
from sessionlens.engine import Audit, audit
from sessionlens.examples import Example, Step, asks, bash, edit, nothing, says, waits
from sessionlens.model import (
    Call,
    Changed,
    File,
    Gap,
    Message,
    Origin,
    Reasoning,
    Repair,
    Session,
    Text,
    TextPart,
    Trouble,
    Unread,
)
from sessionlens.narrative.views import Evidence, Narrative, Statement

HOST = "ssh root@10.20.0.7"
UNIT = "/etc/systemd/system/billing.service"


def write_unit(pool: int) -> Step:
    """The unit file written in place through ssh."""
    body = f"[Service]\nExecStart=/opt/billing/run --pool-size {pool} --port 8000"
    return bash(f"{HOST} 'cat > {UNIT}' << 'EOF'\n{body}\nEOF")


def restart(limit: float, *, times_out: bool = True, output: str = "") -> Step:
    """A restart through ssh."""
    return bash(
        f"{HOST} 'systemctl daemon-reload && systemctl restart billing.service'",
        limit=limit,
        times_out=times_out,
        output=output,
    )


def incident() -> Session:
    """Two restarts cut off, two silences, an edit in place, an earlier start that took ten minutes."""
    example = Example(
        "the pool of billing",
        asks("start billing, please"),
        restart(120, times_out=False),
        waits(300),
        bash(
            f"{HOST} 'systemctl status billing.service'",
            output="Active: activating (start)\nloading shards: 40%",
        ),
        waits(300),
        bash(f"{HOST} 'curl -fsS http://localhost:8000/health'", output='{"status":"ok"}'),
        says("Billing is up."),
        asks("What about a larger pool?"),
        write_unit(20),
        restart(15),
        nothing(),
        asks("can we do 40?"),
        write_unit(40),
        restart(20),
        nothing(),
        asks("is it up?"),
        bash(f"{HOST} 'systemctl status billing.service'", output="Active: active (running) since now"),
        says("It is active."),
    )
    return numbered(example.build()[0])


def quiet() -> Session:
    """A session in which everything is told and checked."""
    return numbered(
        Example(
            "a small fix",
            asks("fix the typo in the greeting"),
            edit("src/greet.py", old="helo", new="hello"),
            bash("pytest -q", output="3 passed"),
            says("The typo is fixed and the tests pass."),
        ).build()[0]
    )


def numbered(session: Session) -> Session:
    """The session with a line for every message and call, as a log would have."""
    messages = []
    line = 1
    for message in session.messages:
        line += 3
        parts = []
        here = line
        for part in message.parts:
            line += 2
            parts.append(msgspec.structs.replace(part, origin=Origin(line=line)))
        messages.append(msgspec.structs.replace(message, parts=tuple(parts), origin=Origin(line=here)))
    return msgspec.structs.replace(session, messages=tuple(messages))


HOSTILE = (
    "<script>document.title='owned'</script></script></style></title><img src=x onerror=\"document.title='owned'\">"
    "[click](javascript:alert(1)) ![pic](http://tracker.invalid/p.png) <a href='javascript:alert(1)'>x</a> "
    "\x00\x07\x1b[31mred\x1b[0m\x1b]0;title\x07 \u202eevil\u2066 \ud800 \ufffe --> ]]> {{ 7*7 }} `&amp;` \"' onload=x"
)
TAME = "plain words of nobody in particular"


def read_again() -> Session:
    """A session in which one long file is read twice, with another first line."""
    body = "\n".join(f"row {row} of a long file" for row in range(20_000))
    steps = [bash("cat big.txt", output=f"read {number}\n{body}") for number in range(2)]
    return numbered(Example("read again", asks("read it"), *steps, says("Read.")).build()[0])


BOMB = "\x1b[31m\x1b[2J" * 30_000 + "<b>" + "x" * 1_000_000 + "\x1b[0m</script>"


def many(count: int) -> Session:
    """A session with so many stories: each restarts another service, is cut off, and says nothing."""
    steps: list[Step] = []
    for number in range(count):
        unit = f"unit{number}"
        steps += [
            asks(f"restart {unit}, please"),
            bash(
                f"ssh root@10.30.0.{number + 1} 'systemctl restart {unit}.service'", limit=15, times_out=True
            ),
            nothing(),
        ]
    return numbered(Example("many", *steps, asks("and now?"), says("I shall look.")).build()[0])


def everywhere(text: str) -> Session:
    """A session that holds the text in every field that a log can fill."""
    prose = f"words {text}\n\n- item {text}\n\n| a | b |\n|---|---|\n| {text.replace('|', '')} | c |\n"
    call = Call(
        id=text,
        name="bash",
        input=Text(
            msgspec.json.encode(
                {"command": f"systemctl restart {printable(text)}", "note": printable(text)}
            ).decode()
        ),
        status="completed",
        start=1_770_818_000_000,
        end=1_770_818_015_000,
        limit_ms=15_000,
        timed_out=True,
        output=Text(f"{text}\n\nbash tool terminated command after exceeding timeout 15000 ms"),
        error=Text(text),
        spilled=text,
        truncated=True,
        origin=Origin(line=9),
    )
    messages = (
        Message(id=text, index=0, role="user", parts=(TextPart(text=Text(prose)), File(name=text, mime=text)),
                time=1_770_817_999_000),
        Message(
            id=text + "2", index=1, role="assistant", model=text, agent=text, finish=text,
            error=Trouble(name=text, text=text),
            parts=(Reasoning(text=Text(text)), TextPart(text=Text(prose)), call, Changed(files=(text,)),
                   Unread(reason=text), TextPart(text=Text(text), synthetic=True)),
        ),
        Message(id=text + "3", index=2, role="assistant", parts=()),
        Message(id=text + "4", index=3, role="user", parts=(TextPart(text=Text(prose)),)),
    )  # fmt: skip
    return Session(
        id=text,
        title=text,
        source_format="transcript-xml",
        client=text,
        client_version=text,
        directory=text,
        messages=messages,
        gaps=(Gap(reason=text, origin=Origin(line=3)),),
        repairs=(Repair(kind=text),),
    )


def printable(text: str) -> str:
    """The text without half characters, which JSON cannot carry."""
    return text.encode("utf-8", "replace").decode()


def long(count: int) -> Session:
    """A session of so many messages; the last but one holds the word ``needle``."""
    messages = []
    for index in range(count):
        role: Any = "user" if index % 20 == 0 else "assistant"
        body = "needle in here" if index == count - 2 else f"message number {index}, with a few words to read"
        messages.append(Message(id=f"msg_long_{index:06d}", index=index, role=role, time=1_770_818_000_000 + index * 1000,
                                parts=(TextPart(text=Text(body)),), origin=Origin(line=index * 4 + 1)))  # fmt: skip
    return Session(id="ses_long", source_format="opencode-export", messages=tuple(messages))


MISSION = (
    "empty-message-after-timeout",
    "unacknowledged-long-running-restart",
    "unverified-production-edit",
)


def judged(session: Session) -> Audit:
    """The audit by the three mission rules: what a page says must not change with every rule that is added."""
    known = loader.classes()
    return audit(session, rules=[known[name]() for name in MISSION])


def statements(narrative: Narrative) -> Iterator[Statement]:
    """Every statement of a narrative, wherever it stands."""
    for value in structs(narrative):
        if isinstance(value, Statement):
            yield value


def structs(value: Any) -> Iterator[msgspec.Struct]:
    """Every value of a narrative, inside out."""
    stack = [value]
    while stack:
        one = stack.pop()
        if isinstance(one, msgspec.Struct):
            yield one
            stack.extend(getattr(one, name) for name in one.__struct_fields__)
        elif isinstance(one, tuple):
            stack.extend(one)
        elif isinstance(one, dict):
            stack.extend(one.values())


def texts_at(session: Session, at: Evidence) -> str:
    """Everything the log holds at a place, inputs decoded too."""
    member = next(one for one in session.family() if one.id == at.session)
    assert at.message_index is not None
    message = member.messages[at.message_index]
    found = [message.model or ""]
    for part in message.parts:
        if isinstance(part, Call):
            found.append(part.input.whole())
            found += [str(value) for value in part.arguments().values()]
            found += [text.whole() for text in (part.output, part.error) if text is not None]
        elif hasattr(part, "text"):
            found.append(part.text.whole())
    return "\n\n".join(found)
