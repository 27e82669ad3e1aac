"""What the title of an unacknowledged restart says of who was told."""

from __future__ import annotations

import pytest

from sessionlens import loader
from sessionlens.engine import audit
from sessionlens.examples import Example, asks, bash, says

SLUG = "unacknowledged-long-running-restart"


@pytest.mark.parametrize(
    ("words", "end"),
    [
        ("The first restart of app was cut off.", "nobody was told before it was changed again"),
        ("app has the new port.", "nobody was told"),
    ],
)
def test_words_after_the_next_change_come_too_late(words: str, end: str) -> None:
    session, _ = Example(
        "x",
        asks("set the port of app on web1 and restart it"),
        bash("ssh root@web1 'systemctl restart app'", limit=120, times_out=True),
        bash("ssh root@web1 \"sed -i 's/80/81/' /etc/app/app.conf && systemctl restart app\"", exit=0),
        says(words),
    ).build()
    (found,) = audit(session, rules=[loader.classes()[SLUG]()]).findings
    assert found.title.endswith(f"left open, and {end}")
