"""What Ansible prints of a play, host by host (``shell/plays.py``)."""

import pytest

from sessionlens.shell.plays import left_alone, nothing_played, played

FACTS = "TASK [Gathering Facts] ***\nok: [web1]\nok: [web2]\n"


def recap(host: str, ok: int, changed: int = 0, skipped: int = 0, failed: int = 0) -> str:
    return f"{host} : ok={ok} changed={changed} unreachable=0 failed={failed} skipped={skipped} rescued=0 ignored=0\n"


@pytest.mark.parametrize(
    ("text", "how"),
    [
        ("PLAY [all] ***\nskipping: no hosts matched\n\nPLAY RECAP ***\n", "nothing"),
        ("ERROR! Specified hosts and/or --limit does not match any hosts; no hosts matched", "nothing"),
        (f"{FACTS}TASK [restart] ***\nskipping: [web1]\nPLAY RECAP ***\n{recap('web1', 1, skipped=1)}", "skipped"),
        (f"{FACTS}PLAY RECAP ***\n{recap('web1', 1)}", "nothing"),
        (f"PLAY RECAP ***\n{recap('web1', 0, skipped=4)}", "skipped"),
        # it ran, or was there already
        (f"{FACTS}TASK [restart] ***\nchanged: [web1]\nPLAY RECAP ***\n{recap('web1', 2, 1, skipped=3)}", None),
        (f"{FACTS}TASK [copy] ***\nok: [web1]\nPLAY RECAP ***\n{recap('web1', 2, skipped=3)}", None),
        (f"TASK [copy] ***\nok: [web1]\nPLAY RECAP ***\n{recap('web1', 1)}", None),
        (f"PLAY RECAP ***\n{recap('web1', 1)}", None),
        (f"{FACTS}PLAY RECAP ***\n{recap('web1', 1, failed=1)}", None),
        ("skipping: [web1]", None),
        ("", None),
    ],
)  # fmt: skip
def test_whether_nothing_was_played(text: str, how: str | None) -> None:
    found = nothing_played(text)
    assert (found and found.how) == how


def test_hosts_that_were_left_alone() -> None:
    """Those whose tasks were skipped, where others were changed; one on which all was in place is none."""
    text = (
        f"{FACTS}TASK [restart] ***\nskipping: [web1]\nchanged: [web2]\nok: [web3]\nPLAY RECAP ***\n"
        + recap("web1", 1, skipped=1)
        + recap("web2", 2, 1)
        + recap("web3", 1)
    )
    alone, changed = left_alone(text)
    assert set(alone) == {"web1"}
    assert changed == ("web2",)
    assert played(text)["web3"].idle is False
