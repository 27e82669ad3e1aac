"""Small corpora that tests of data sets and figures share."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from sessionlens.model import Call, Message, Session, Text, TextPart
from sessionlens.report.transcript_xml import write

RESTART = "ssh root@gpu7 'systemctl restart vllm'"
CUT = "bash tool terminated command after exceeding timeout 15000 ms"
EDIT = "ssh root@web1 \"sed -i 's/workers = 4/workers = 8/' /etc/billing/billing.conf\""


def say(role: str, text: str = "", *calls: Call) -> tuple[str, str, tuple[Call, ...]]:
    """One message."""
    return role, text, calls


def bash(line: str, output: str = "", *, limit: int | None = None, cut: bool = False, id: str = "c") -> Call:
    """One call of a shell tool."""
    import json

    return Call(
        id=id,
        name="bash",
        input=Text(json.dumps({"command": line})),
        output=Text(output),
        limit_ms=limit,
        timed_out=cut,
        start=0,
        end=limit or 100,
    )


def session(
    name: str,
    messages: Sequence[tuple[str, str, tuple[Call, ...]]],
    *,
    directory: str | None = "/home/anna/shop",
    parent: str | None = None,
    model: str = "model-a",
) -> Session:
    """A session of these messages, a minute apart."""
    made = []
    for index, (role, text, calls) in enumerate(messages):
        parts: list[TextPart | Call] = [TextPart(text=Text(text))] if text else []
        at = 1_770_000_000_000 + index * 60_000
        parts += [
            Call(
                id=f"{name}-{index}-{number}",
                name=call.name,
                input=call.input,
                output=call.output,
                limit_ms=call.limit_ms,
                timed_out=call.timed_out,
                start=at,
                end=at + (call.end or 0),
                exit=None if call.timed_out else 0,
            )
            for number, call in enumerate(calls)
        ]
        made.append(
            Message(
                id=f"m{index}",
                index=index,
                role=role,  # type: ignore[arg-type]
                parts=tuple(parts),
                time=at,
                ended=at + 1000,
                model=model if role == "assistant" else None,
                finish="stop" if role == "assistant" else None,
                tokens_in=10 if role == "assistant" else None,
                tokens_out=5 if role == "assistant" else None,
            )
        )
    return Session(
        id=name,
        source_format="transcript-xml",
        client="opencode",
        client_version="1.18.33",
        directory=directory,
        parent=parent,
        messages=tuple(made),
    )


def with_calls(session: Session, **changes: object) -> Session:
    """The same session with something else said of every call."""
    messages = (
        replace(
            message,
            parts=tuple(
                replace(part, **changes) if isinstance(part, Call) else part for part in message.parts
            ),
        )
        for message in session.messages
    )
    return replace(session, messages=tuple(messages))


def silent(name: str, what: str = "vllm", **more: str) -> Session:
    """A restart that is cut off, then silence; the person goes on."""
    line = RESTART.replace("vllm", what)
    return session(
        name,
        [
            say("user", f"Please restart {what} on gpu7, the new weights are in place and the old process holds them."),
            say("assistant", "I restart the service now so that it loads the new weights from disk.",
                bash(line, CUT, limit=15_000, cut=True)),
            say("assistant"),
            say("user", f"Great. Now that {what} is up, write the release notes for version {len(name)} please."),
            say("assistant", f"Here are the release notes for {name}: the weights were exchanged, nothing else."),
        ],
        **more,
    )  # fmt: skip


def told(name: str, what: str = "vllm", **more: str) -> Session:
    """The same, and the assistant says so at once."""
    line = RESTART.replace("vllm", what)
    return session(
        name,
        [
            say("user", f"Restart {what} on gpu7 once more, the configuration of the cache has changed meanwhile."),
            say("assistant", "Restarting it so that the new configuration of the cache takes effect.",
                bash(line, CUT, limit=15_000, cut=True)),
            say("assistant", f"The restart of {what} was cut off by the time limit, so I do not know yet whether {what} is up."),
            say("user", "Understood, have a look in a minute and tell me then what you see in the journal."),
            say("assistant", "I will look at the journal of the service in a minute and report what it shows."),
        ],
        **more,
    )  # fmt: skip


def edited(name: str, **more: str) -> Session:
    """A production edit that nothing checks, and a claim."""
    return session(
        name,
        [
            say("user", "Raise the number of workers of billing on web1 to eight, we have the memory for it now."),
            say("assistant", "I change the configuration file on web1 with sed, in place.", bash(EDIT)),
            say("assistant", "Done. billing now runs with eight workers on web1."),
            say("user", "Thanks. Then on to the invoices: rename the column in the export of last month."),
            say("assistant", "The column is renamed in the template of the export, as you asked."),
        ],
        **more,
    )  # fmt: skip


@pytest.fixture
def put(tmp_path: Path) -> Callable[..., Path]:
    """Write sessions into a folder of logs, one file each; returns the folder."""

    def make(*sessions: Session, folder: str = "logs") -> Path:
        place = tmp_path / folder
        place.mkdir(parents=True, exist_ok=True)
        for one in sessions:
            with (place / f"{one.id}.xml").open("w", encoding="utf-8") as stream:
                write([one], stream)
        return place

    return make


@pytest.fixture
def logs(put: Callable[..., Path]) -> Path:
    """Seven sessions of four projects."""
    return put(
        silent("ses_silent01", directory="/home/anna/shop"),
        told("ses_told01", directory="/home/anna/shop"),
        edited("ses_edited01", directory="/home/bert/billing"),
        silent("ses_silent02", "sglang", directory="/home/carl/models"),
        told("ses_told02", "sglang", directory="/home/carl/models"),
        session("ses_plain01", [
            say("user", "What does the function load do in this module, in one sentence please?"),
            say("assistant", "It reads the configuration, fills in what is missing and returns the settings."),
        ], directory="/home/dora/docs", model="model-b"),
        session("ses_plain02", [
            say("user", "Rename the helper to something that says what it returns, wherever it is used."),
            say("assistant", "I rename it to settings_of in all three modules that use it."),
        ], directory="/home/dora/docs", model="model-b"),
    )  # fmt: skip
