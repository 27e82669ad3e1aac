"""What an edit changed against what the log had shown of the file."""

from __future__ import annotations

import time
from types import ModuleType

import pytest

from sessionlens.examples import Example, Step, asks, bash, says
from sessionlens.narrative import tell


def differences(made: ModuleType, *steps: Step) -> list[str]:
    session, _ = Example("made for one test", asks("go"), *steps, says("Done."), asks("thanks")).build()
    narrative = tell(made.judged(session))
    return [
        statement.text
        for chapter in narrative.chapters
        for section in chapter.sections
        for statement in section.statements
        if statement.text.startswith("Against")
    ]


def writes(body: str, name: str = "/etc/shop/shop.conf") -> Step:
    return bash(f"ssh root@web1 'cat > {name}' <<'EOF'\n{body}\nEOF")


def test_against_what_was_read_before(made: ModuleType) -> None:
    found = differences(
        made,
        bash("ssh root@web1 cat /etc/shop/shop.conf", output="port: 80\nworkers: 2\n"),
        writes("port: 80\nworkers: 8\ncache: on"),
    )
    assert found == ["Against the text in message msg_001, it puts in `workers: 8 cache: on`."]


def test_against_what_was_written_before(made: ModuleType) -> None:
    found = differences(made, writes("run --ratio 2 \\\n --port 80"), writes("run --ratio 4 \\\n --port 80"))
    assert found == ["Against the text in message msg_001, it puts in `--ratio 4` and takes out `--ratio 2`."]


@pytest.mark.parametrize("name", ["/etc/shop/other.conf"])
def test_another_file_says_nothing(made: ModuleType, name: str) -> None:
    assert differences(made, writes("a b c"), writes("a b d", name)) == []


def test_the_same_text_says_nothing(made: ModuleType) -> None:
    assert differences(made, writes("a b c"), writes("a b c")) == []


def test_long_texts_end_soon(made: ModuleType) -> None:
    began = time.monotonic()
    differences(made, writes("x " * 20_000), writes("y x " * 20_000))
    assert time.monotonic() - began < 8
