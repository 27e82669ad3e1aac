"""What a copy of this process does, and who does it when the copy cannot."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from sessionlens import meanwhile
from sessionlens.meanwhile import Meanwhile

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no copies of a process here")
OWN = os.getpid()


def meeting(flag: Path, number: int) -> bytes:
    """Says who did it. The copy stops at the twentieth until this process has come down to the thirtieth."""
    if os.getpid() == OWN and number == 30:
        flag.touch()
    while os.getpid() != OWN and number == 20 and not flag.exists():
        time.sleep(0.001)
    return b"%d by %d" % (number, os.getpid())


def begun(folder: Path, task: Callable[[int], bytes], shared: int = 40, more: int = 3) -> Meanwhile:
    return Meanwhile(
        [partial(task, number) for number in range(shared)],
        [partial(task, 1000 + number) for number in range(more)],
        folder,
    )


def test_both_work_until_they_meet(tmp_path: Path) -> None:
    made = begun(tmp_path, partial(meeting, tmp_path / "flag"))
    found = [made.shared(number).split() for number in (20, 39, *range(20), *range(21, 39))]
    assert sorted(int(number) for number, _, _ in found) == list(range(40))
    by = {int(who) for _, _, who in found}
    assert len(by) == 2
    assert os.getpid() in by
    assert [made.more(number).split()[0] for number in range(3)] == [b"1000", b"1001", b"1002"]
    assert made.more(3) is None
    made.close()
    assert [one.name for one in tmp_path.iterdir()] == ["flag"]


def dies_at_once(number: int) -> bytes:
    if os.getpid() != OWN:
        os._exit(9)
    return b"%d" % number


def fails_aside(number: int) -> bytes:
    if os.getpid() != OWN:
        raise MemoryError
    return b"%d" % number


@pytest.mark.parametrize("task", [dies_at_once, fails_aside])
def test_what_the_copy_does_not_give_is_made_here(tmp_path: Path, task: Callable[[int], bytes]) -> None:
    made = begun(tmp_path, task)
    assert [made.shared(number) for number in range(40)] == [b"%d" % number for number in range(40)]
    assert made.more(0) is None
    made.close()


def sleeps(number: int) -> bytes:
    if os.getpid() != OWN:
        time.sleep(60)
    return b"%d" % number


def test_closed_it_waits_for_nobody(tmp_path: Path) -> None:
    made = begun(tmp_path, sleeps)
    process = made._process
    began = time.monotonic()
    made.close()
    made.close()
    assert time.monotonic() - began < 20
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


def test_no_copy_while_there_are_threads() -> None:
    over = threading.Event()
    thread = threading.Thread(target=over.wait)
    thread.start()
    assert not meanwhile.possible()
    over.set()
    thread.join()
