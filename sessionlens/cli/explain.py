"""``sessionlens explain``: what the tool makes of one command line, one text."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import click

from sessionlens.cli.options import configured

_batch = click.option(
    "--batch",
    type=click.File("rb"),
    metavar="FILE",
    help="Read one JSON string a line from FILE, or - for standard input; print one document a line, in order.",
)


@click.group()
def explain() -> None:
    """What the tool makes of one command line or text.

    For rule authors, and for doubt: the output is what rules see, as JSON.
    """


@explain.command()
@click.argument("line", required=False)
@_batch
@click.option("--directory", metavar="DIR", help="Working directory that the line is run in.")
@configured
def command(line: str | None, batch: Any, directory: str | None, config: Path | None) -> int:
    """The commands that a command line would really run.

    \b
        sessionlens explain command 'ssh root@gpu7 "systemctl restart vllm"'
    """
    from sessionlens import shell
    from sessionlens.cli.options import configuration

    settings = configuration(config).environments

    def made(text: str) -> object:
        return [shell.explain(one) for one in shell.read(text, settings=settings, directory=directory)]

    return _answer(line, batch, made, "LINE")


@explain.command()
@click.argument("text", required=False)
@_batch
@click.option(
    "--role",
    type=click.Choice(["assistant", "user"]),
    default="assistant",
    show_default=True,
    help="Who wrote it.",
)
@click.option("--language", metavar="CODE", help="ISO 639-1 code, instead of having it recognised.")
@click.option(
    "--spacy-model", metavar="NAME", help="An installed spaCy model to help with undecided sentences."
)
def text(text: str | None, batch: Any, role: str, language: str | None, spacy_model: str | None) -> int:
    """The speech acts of a text, sentence by sentence.

    \b
        sessionlens explain text 'The restart timed out, I will check the log.'
        sessionlens explain text --role user 'go on'
    """
    from sessionlens import language as prose

    def made(words: str) -> object:
        reading = prose.read(words, role, language, spacy_model=spacy_model)  # type: ignore[arg-type]
        return {
            "language": reading.language,
            "sentences": [
                {
                    "text": sentence.text,
                    "acts": [
                        {"act": act.act, "span": list(act.span), "about": act.about} for act in sentence.acts
                    ],
                }
                for sentence in reading.sentences
            ],
        }

    return _answer(text, batch, made, "TEXT")


def _answer(one: str | None, batch: Iterable[bytes] | None, made: Callable[[str], object], name: str) -> int:
    from sessionlens.cli.codes import OK, UNREAD, Misused, complain
    from sessionlens.cli.outputs import stdout
    from sessionlens.report.json import encode

    if (one is None) == (batch is None):
        raise Misused(f"give either {name} or --batch FILE")
    out = stdout()
    if batch is None:
        out.write(encode(made(one or "")))
        return OK
    code = OK
    for number, raw in enumerate(batch, 1):
        if not raw.strip():
            continue
        try:
            answer = made(_string(raw))
        except ValueError as error:
            # An answer for every line, so that the reader of the output can count on the order.
            answer = {"error": str(error)}
            complain(f"line {number}: {error}")
            code = UNREAD
        out.write(encode(answer, indent=0))
    return code


def _string(raw: bytes) -> str:
    import json

    value = json.loads(raw.decode("utf-8", "replace"))
    if not isinstance(value, str):
        raise ValueError("not a JSON string")
    return value
