"""The scene of the seed, read from its log: what the page must say from the log alone."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from sessionlens import readers
from sessionlens.narrative import tell
from sessionlens.narrative.views import Narrative


@pytest.fixture(scope="module", params=["hicache_restart.xml", "hicache_restart_loose.xml"])
def narrative(request: pytest.FixtureRequest, made: ModuleType, fixtures: Path) -> Narrative:
    place = fixtures / "transcript_xml" / request.param
    if not place.exists():
        pytest.skip(f"{place.name} is not there")
    (session,) = readers.read(place)
    return tell(made.judged(session))


def text_of(narrative: Narrative) -> str:
    chapter = narrative.chapters[0]
    return "\n".join(statement.text for section in chapter.sections for statement in section.statements)


@pytest.mark.parametrize(
    "piece",
    [
        "“What about hicache?”",
        "Message 5740 is empty: no text and no call.",
        "a restart of `sglang-kimi.service` on `10.20.30.140`",
        "ended it at its time limit of 15 s",
        "By that measure a limit of 15 s could not have sufficed.",
        "nothing told the person",
        "“can we do ratio 4?” in message 5741",
        "built on an unknown state of `sglang-kimi.service`",
        "was changed again before any check",
        "ended it at its time limit of 20 s",
        "no copy of the file, no configuration test and no staging step",
        "`sglang-kimi.service` was unknown from message 5739 to message 5747, for seven messages",
    ],
)
def test_the_chapter_says(narrative: Narrative, piece: str) -> None:
    assert piece in text_of(narrative)


def test_the_earlier_load_took_over_ten_minutes(narrative: Narrative) -> None:
    line = next(line for line in text_of(narrative).splitlines() if line.startswith("An earlier"))
    assert "first shown up after 11 min" in line


def test_commands_that_would_have_told(narrative: Narrative) -> None:
    lines = [command.line for command in narrative.chapters[0].next_commands]
    assert "ssh root@10.20.30.140 systemctl status sglang-kimi.service --no-pager" in lines
    assert "ssh root@10.20.30.140 journalctl -u sglang-kimi.service -n 50 --no-pager" in lines
    assert any("curl" in line and "8000/health" in line for line in lines)


def test_the_headline_names_the_service(narrative: Narrative) -> None:
    assert "`sglang-kimi.service` on `10.20.30.140`" in narrative.headline.text
