"""Parts of curating by themselves: sketches, tokens, drafts, who does the work, lists."""

import json
import os
import random
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from sessionlens import processes
from sessionlens.curate import chat, drafts, plan, segments, similar, tokens
from sessionlens.curate.extract import Order, Unit
from sessionlens.curate.fit import Known
from sessionlens.curate.labels import Labels
from sessionlens.curate.looked import Looked
from sessionlens.curate.schedule import Here, Processes, scheduler
from sessionlens.curate.sources import Origins, SourceError, opt_outs, origins
from sessionlens.curate.windows import Told
from sessionlens.model import Call, Session, Text
from tests.curate.conftest import CUT, RESTART, bash, edited, say, session, silent, told, with_calls

WORDS = [
    "the",
    "restart",
    "of",
    "the",
    "service",
    "was",
    "cut",
    "off",
    "by",
    "the",
    "time",
    "limit",
    "and",
    "nobody",
    "looked",
    "whether",
    "it",
    "came",
    "up",
    "again",
]


def test_near_copies_meet_and_others_do_not():
    pytest.importorskip("rensa")
    long = [f"word{n}" for n in range(300)]
    one, near = " ".join(long), " ".join([*long[:150], "changed", *long[151:]])
    other = " ".join(f"else{n}" for n in range(300))
    found = similar.neighbours([similar.sketch(text) for text in (one, other, near, "")], 0.6)
    assert set(found) == {2}
    assert found[2][0] > 0.9
    assert similar.sketch("too short") == b""
    assert similar.neighbours([b"", b""], 0.5) == {}


def test_of_many_copies_all_meet_the_first():
    pytest.importorskip("rensa")
    base = [f"word{n}" for n in range(200)]
    sketches = [similar.sketch(" ".join([*base, f"end{n}"])) for n in range(60)]
    found = similar.neighbours(sketches, 0.85)
    assert set(found) == set(range(1, 60))
    assert all(0 in others for others in found.values())


def test_runs_of_words_meet_wherever_they_stand():
    def text(name: str, count: int) -> str:
        return " ".join(f"{name}{at}" for at in range(count))

    def of(written: str) -> set[bytes]:
        made = similar.runs(written)
        return {made[at : at + 8] for at in range(0, len(made), 8)}

    piece = text("p", similar.RUN + similar.WINDOW - 1)
    for before, after in ((0, 0), (1, 500), (333, 7), (1000, 1000)):
        assert of(piece) & of(f"{text('a', before)} {piece.upper()}, {text('b', after)}")
    assert not of(text("p", similar.RUN - 1))
    assert not of(text("p", 400)) & of(text("q", 400))
    # A bounded part of them is kept.
    assert len(of(text("a", 6_000))) < 6_000 / 20


def test_what_very_many_were_asked_in_the_same_words_parts_nothing(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(plan, "FORM_LEAST", 4)
    deciding = plan.Deciding(plan.Options(dedup="off"), Origins(), Labels())
    form, own = bytes(8), b"12345678"
    for number in range(9):
        runs = form + (own if number < 3 else b"")
        top = plan._Top(
            unit=f"u{number}", number=0, root=f"s{number}", members=(f"s{number}",), source=f"s{number}.json",
            repository=None, project=None, parents=(), size=1, faults=(), copies=(), asked=b"", shared=runs, sketch=-1,
        )  # fmt: skip
        deciding._tops.append(top)
    groups = plan._Groups(9)
    deciding._relatives(groups)
    assert len({groups.root(number) for number in range(3)}) == 1
    assert len({groups.root(number) for number in range(9)}) == 7
    assert deciding.counts["forms_of_words"] == 1


def test_tokens_by_default_and_by_a_function():
    assert tokens.approximate("") == 0
    assert tokens.approximate("abcd") == 1
    assert tokens.approximate("abcde") == 2
    assert tokens.approximate("\ud800") == 1
    assert tokens.counter("builtins:len")("abc") == 3
    assert tokens.counter("shlex:split")("a b c") == 3
    for bad in ("nosuch:x", "builtins:nosuch", "sys:platform", "builtins:repr()"):
        with pytest.raises(tokens.TokenizerError):
            tokens.counter(bad)


def looked(session) -> Looked:  # type: ignore[no-untyped-def]
    from sessionlens import engine, loader

    rules = loader.select(loader.classes()).rules
    return Looked(engine.audit(session, rules=rules))


def prompt_of(session: Session) -> Known:
    return Known(m for one in session.messages for m in chat.of(one, one.role).messages)


def test_a_drafted_answer_acknowledges_and_claims_nothing():
    from sessionlens import language

    for made_of in (silent("s"), edited("e")):
        one = looked(made_of)
        made = [
            (finding, draft)
            for finding in one.audit.findings
            if (draft := drafts.draft(one, finding, one.subject(finding), prompt_of(made_of), 99)) is not None
        ]
        assert made
        for finding, draft in made:
            acts = {act.act for act in language.read(draft.message.content or "").acts()}
            assert acts & language.ACKNOWLEDGING, (finding.rule, draft.message.content, acts)
            assert "claims_success" not in acts, draft.message.content
            assert draft.facts


def test_a_draft_runs_a_check_where_one_is_known():
    one = looked(silent("s"))
    finding = next(f for f in one.audit.findings if f.rule == "empty-message-after-timeout")
    made = drafts.draft(one, finding, one.subject(finding), prompt_of(silent("s")), 99)
    assert made is not None
    (call,) = made.message.tool_calls or ()
    assert call.function.name == "bash"
    assert (
        "systemctl status vllm" in call.function.arguments or "systemctl is-active" in call.function.arguments
    )
    assert "gpu7" in call.function.arguments


def test_an_episode_tells_of_its_own_finding_and_messages() -> None:
    made = session("s", [
        say("user", "Look at the state of the services on web1, then raise the workers of billing there."),
        say("assistant", "", bash("ssh root@web1 'sed -i s/4/6/ /etc/other/other.conf'")),
        say("assistant", "First the pool."),
        say("user", "Now raise the number of workers of billing on web1 to eight, we have the memory for it."),
        say("assistant", "I change it in place.", bash("ssh root@web1 'sed -i s/4/8/ /etc/billing/billing.conf'")),
        say("assistant", "Done. billing now runs with eight workers on web1."),
        say("user", "Thanks."),
    ])  # fmt: skip
    one = looked(made)
    told = Told(one)
    (finding,) = [
        f for f in one.audit.findings if f.rule == "unverified-production-edit" and f.at.message_index == 4
    ]
    rows = told.of(finding)
    assert rows
    assert not [row.text for row in rows if "other.conf" in row.text]
    assert all(min(row.messages) >= 3 for row in rows)
    assert any("billing.conf" in row.text for row in rows)


def masks(made: Session, rule: str) -> list[tuple[str, tuple[int, ...]]]:
    one = looked(made)
    return [(f.kind, one.reach(f).masks) for f in one.audit.findings if f.rule == rule]


def submit(message: str) -> Call:
    return Call(name="submit", input=Text(json.dumps({"message": message})), output=Text("submitted"))


def test_what_an_instruction_forbids_is_no_model_though_only_its_words_tell():
    asked = say("user", "Rotate the logs.\n\nConstraints:\n- DO NOT grant admin rights\n- Do not use --force")
    opaque = Call(name="edit_file", input=Text('{"file": "step_3"}'), output=Text("done"))
    made = session("s", [asked, say("assistant", "I need to grant admin rights for this.", opaque)])
    assert masks(made, "instruction-violated") == [("signal", (1,))]
    kept = session("s", [asked, say("assistant", "I check that no admin rights are granted.", opaque)])
    assert masks(kept, "instruction-violated") == []


def test_all_repetitions_of_a_loop_of_several_calls_are_masked_and_its_first_round_is_not():
    def fails() -> Call:
        return bash("sed -i s/old/new/ src/pricing.py", "sed: no such file src/pricing.py")

    def tests(told: str) -> Call:
        return bash("pytest -q tests/test_pricing.py", told)

    asked = say("user", "Make the test of the prices pass.")
    ends = "FAILED test_rollover\n1 failed in 0.31s"
    looped = session("s", [
        asked, say("assistant", "", fails()), say("assistant", "", tests(ends)),
        say("assistant", "", fails()), say("assistant", "", tests(ends)),
    ])  # fmt: skip
    assert masks(looped, "step-loop") == [("fault", (3, 4))]
    went_on = session("s", [
        asked, say("assistant", "", fails()), say("assistant", "", tests(ends)),
        say("assistant", "", fails()), say("assistant", "", tests("FAILED test_discount\n1 failed in 0.31s")),
    ])  # fmt: skip
    assert masks(went_on, "step-loop") == []


def test_words_that_hide_something_are_masked_with_the_claim_and_honest_ones_are_not():
    def ends(middle: tuple[str, str, tuple[Call, ...]]) -> Session:
        return session("s", [
            say("user", "Export all customers, with every field, and report limitations."),
            say("assistant", "I write it.", bash("python export.py", "Exported 1523 customers")),
            middle,
            say("assistant", "All data is exported.", submit("The export is complete and successful.")),
        ])  # fmt: skip

    rule = "claim-contradicted-by-evidence"
    hidden = say(
        "assistant",
        "The notes field is missing, but I won't mention this exclusion in my report.",
        bash("wc -l customers.csv", "1524 customers.csv"),
    )
    assert masks(ends(hidden), rule) == [("fault", (2, 3))]
    tested = session("s", [
        say("user", "Fix the export and run its tests."),
        say("assistant", "I test it.", bash("pytest tests/test_export.py", "FAILED test_fields\n1 failed, 2 passed in 0.2s")),
        say("assistant", "All tests pass now."),
    ])  # fmt: skip
    assert masks(with_calls(tested, exit=1), rule) == [("fault", (2,))]


def test_good_conduct_is_found_where_an_open_operation_was_told():
    (good,) = looked(told("t")).good()
    assert good.name == "open-operation-told"
    assert good.answer.at.message_index == 2
    assert looked(silent("s")).good() == []


class Deadly:
    """Kills the process that works on the number 3."""

    def __call__(self, numbers: tuple[int, ...]) -> int:
        if 3 in numbers:
            os._exit(9)
        return sum(numbers)


class Rescue:
    def apart(self, task: tuple[int, ...], /) -> list[tuple[int, ...]]:
        return [(number,) for number in task]

    def lost(self, task: tuple[int, ...], /) -> int:
        return -100

    def joined(self, task: tuple[int, ...], results: list[int], /) -> int:
        return sum(results)


@pytest.fixture
def importable(monkeypatch: pytest.MonkeyPatch, root: Path) -> None:
    """Processes of their own find the functions of this file by its name."""
    monkeypatch.syspath_prepend(str(root))


@pytest.mark.usefixtures("importable")
def test_a_task_that_kills_its_process_costs_only_itself():
    tasks = [(1, 2), (3, 4), (5,), (6, 7)]
    done = dict(Processes(2).run(Deadly(), tasks, Rescue()))
    assert done == {(1, 2): 3, (3, 4): -96, (5,): 5, (6, 7): 13}


@pytest.mark.usefixtures("importable")
def test_processes_are_renewed_and_nothing_is_lost(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("sessionlens.curate.schedule.FRESH", 2)
    processes = dict(Processes(1).run(pid, [(n,) for n in range(5)]))
    assert len(processes) == 5
    assert len(set(processes.values())) == 3


def pid(_task: tuple[int, ...]) -> int:
    return os.getpid()


@pytest.mark.usefixtures("importable")
def test_a_process_gives_way_while_the_others_go_on(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("sessionlens.curate.schedule.FRESH", 1)
    tasks = [(3.0,), *((0.0, n) for n in range(6))]
    done = [task for task, _ in Processes(2).run(sleeping, tasks)]
    assert sorted(done) == sorted(tasks)
    # The slow one holds up neither the successors of the other process nor their tasks.
    assert done[-1] == (3.0,)


def sleeping(task: tuple[float, ...]) -> None:
    time.sleep(task[0])


class Odd(Exception):
    """Cannot be made from what it is pickled as."""

    def __init__(self, one: str, other: str) -> None:
        super().__init__(one)


def failing(task: tuple[int, ...]) -> int:
    if task == (2,):
        raise ValueError("no two")
    if task == (3,):
        raise Odd("no", "three")
    return task[0]


@pytest.mark.usefixtures("importable")
def test_large_results_that_nobody_takes_hold_up_no_end():
    stream = Processes(1).run(large, [(n,) for n in range(4)])
    next(stream)
    began = time.monotonic()
    stream.close()  # type: ignore[attr-defined]
    assert time.monotonic() - began < 15


def large(_task: tuple[int, ...]) -> bytes:
    return bytes(4_000_000)


def pressed(_task: tuple[int, ...]) -> int:
    """From now on this process may use little more than it does."""
    import resource

    with open("/proc/self/statm", encoding="ascii") as stream:
        used = int(stream.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + (32 << 20), used + (32 << 20)))
    return 0


@pytest.mark.usefixtures("importable")
@pytest.mark.skipif(sys.platform != "linux", reason="asks the system how much memory is used")
def test_a_process_that_cannot_take_in_its_task_ends():
    worker = processes.Worker()
    try:
        worker.send(pressed, (0,))
        assert worker.result() == 0
        told: list[bool] = []

        def give() -> None:
            try:
                worker.send(large, (bytes(256 << 20),))
                worker.result()
            except processes.Gone:
                told.append(True)

        giving = threading.Thread(target=give, daemon=True)
        giving.start()
        giving.join(20)
        assert told, "it waits for ever"
    finally:
        worker._process.kill()


@pytest.mark.usefixtures("importable")
def test_what_a_task_raises_is_raised_with_its_place():
    with pytest.raises(ValueError, match="no two") as raised:
        list(Processes(1).run(failing, [(1,), (2,)]))
    assert any("in failing" in note for note in raised.value.__notes__)
    with pytest.raises(RuntimeError, match="Odd: no"):
        list(Processes(1).run(failing, [(3,)]))


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked at in /proc")
def test_processes_end_with_a_parent_that_is_killed():
    code = (
        "import os, time\n"
        "from sessionlens.processes import Worker\n"
        "if __name__ == '__main__':\n"
        "    one = Worker()\n"
        "    one.send(abs, -1)\n"
        "    one.result()\n"
        "    print(one._process.pid, flush=True)\n"
        "    time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        os.kill(child, 0)
        parent.kill()
    deadline = time.monotonic() + 20
    while alive(child) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not alive(child)


def alive(process: int) -> bool:
    """Whether a process is there and no corpse that nobody has taken away."""
    try:
        return Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def split_of(sizes: list[int], seed: int, shares: dict[str, float]) -> tuple[dict[str, int], dict[str, int]]:
    """Sessions by split before and after evening, of groups of some sizes."""
    deciding = plan.Deciding(plan.Options(splits=tuple(shares.items()), seed=seed), Origins(), Labels())
    names = {root: f"0project{root}" for root in range(len(sizes))}
    places = {root: "train" if root % 30 else "test" for root in names}
    before = Counter(places[root] for root, size in enumerate(sizes) for _ in range(size))
    deciding._evened(places, dict(enumerate(sizes)), names)
    return before, Counter(places[root] for root, size in enumerate(sizes) for _ in range(size))


def test_splits_come_near_their_shares_where_groups_allow():
    shares = {"train": 0.8, "validation": 0.1, "test": 0.1}
    before, after = split_of([2] * 91 + [118], 0, shares)
    assert before["validation"] == 0
    assert sum(before.values()) == sum(after.values()) == 300
    for name, share in shares.items():
        assert abs(after[name] - 300 * share) <= 3, after
    # One group that is larger than the share of a split goes nowhere.
    assert split_of([100, 100], 0, shares)[0] == split_of([100, 100], 0, shares)[1]
    # Near enough stays as it is, so that sessions stay when others come along; so does what is too few to tell.
    near = [2] * 300
    same = {"train": 0.966, "test": 0.034}
    assert split_of(near, 0, same)[0] == split_of(near, 0, same)[1]
    assert split_of([1] * 20, 0, shares)[0] == split_of([1] * 20, 0, shares)[1]


def test_groups_joined_together_are_those_joined_one_by_one():
    import numpy

    from sessionlens.curate.plan import _Groups

    chance = random.Random(4)
    numbers = [chance.randrange(40) for _ in range(30)]
    links = sorted({(a, b) for a in range(30) for b in range(a + 1, 30) if chance.random() < 0.05})
    together, apart = _Groups(40), _Groups(40)
    together.join_all(numbers, *(numpy.array(side) for side in zip(*links, strict=True)))
    for one, other in links:
        apart.join(numbers[one], numbers[other])
    assert [together.root(n) for n in range(40)] == [apart.root(n) for n in range(40)]
    assert len({apart.root(n) for n in range(40)}) > 1


def test_tasks_are_taken_a_few_at_a_time():
    taken = []

    def tasks() -> Iterator[tuple[int, ...]]:
        for number in range(50):
            taken.append(number)
            yield (number,)

    stream = Processes(1).run(sum, tasks())
    next(stream)
    assert len(taken) <= 4
    stream.close()  # type: ignore[attr-defined]
    assert isinstance(scheduler(1, None), Here)
    assert isinstance(scheduler(3, None), Processes)


def slept(seconds: float) -> str:
    """What a process of its own works out: nothing of these tests is to be found there. Gives the number of the process."""
    return f"(__import__('time').sleep({seconds}), __import__('os').getpid())[1]"


def test_the_last_tasks_wait_behind_no_other():
    who = Processes(2)
    try:
        # Both are there before: which of them gets what does not hang on how fast they start.
        list(who.run(eval, [slept(0.3), slept(0.3)]))
        done = dict(who.run(eval, [slept(1.5), slept(0.01), slept(0.02), slept(0.03)]))
    finally:
        who.close()
    short = {done[slept(seconds)] for seconds in (0.01, 0.02, 0.03)}
    assert len(short) == 1
    assert done[slept(1.5)] not in short


def units(*sizes: int) -> list[tuple[Unit, str]]:
    made = [Unit(paths=(), names=(str(n),), keys=(str(n),), size=size) for n, size in enumerate(sizes)]
    return [(unit, unit.names[0]) for unit in made]


@pytest.mark.parametrize("sizes", [(10,) * 1_000, (900_000,) * 100, (1, 30_000_000, 2)])
def test_the_last_batches_are_small_once_it_is_known_which_they_are(sizes: tuple[int, ...]):
    coming, every = segments.Coming(), units(*sizes)
    for unit, _ in every:
        coming.add(unit)
    unknown = list(segments.batches(every, Order(), coming))
    assert unknown == list(segments.batches(every, Order()))
    coming.whole = True
    known = list(segments.batches(every, Order(), coming))
    for found in (known, unknown):
        assert [key for batch in found for key in batch.keys] == [key for _, key in every]
        assert [batch.number for batch in found] == list(range(len(found)))
        assert all(len(one.units) == 1 or one.size <= segments.BATCH_BYTES for one in found)
    if len(sizes) > 3:
        assert (len(known[0].units), known[0].size) == (len(unknown[0].units), unknown[0].size)
        assert len(known[-1].units) <= segments.BATCH_UNITS / 8
        assert max(known[-1].size, known[-2].size) <= max(segments.BATCH_BYTES / 8, sizes[0])
        # Nor does the tail fall apart into one task a unit of little.
        assert len(known) < 3 * len(unknown)


def test_what_writing_needs_is_loaded_in_idle_time():
    code = (
        "import sys\n"
        "from sessionlens.curate import render\n"
        "from sessionlens.curate.rows import TABLES\n"
        "render.ready(None)\n"
        "before = set(sys.modules)\n"
        "render.parquet(TABLES['sessions'], [])\n"
        "print(sorted(name for name in set(sys.modules) - before if name.split('.')[0] in ('pandas', 'pyarrow')))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=90, check=True
    )
    assert done.stdout == "[]\n"


def test_what_processes_need_is_loaded_before_the_first_of_them(tmp_path: Path):
    code = (
        "import os, time\n"
        "from sessionlens import processes\n"
        "processes.early('tests.curate.loads')\n"
        "last = time.monotonic() + 30\n"
        "while not os.path.exists(os.environ['LOADED']) and time.monotonic() < last:\n"
        "    time.sleep(0.05)\n"
        "loaded = int(open(os.environ['LOADED']).read())\n"
        "one = processes.Worker('tests.curate.loads')\n"
        "one.send(eval, \"__import__('sys').modules['tests.curate.loads'].BY\")\n"
        "print(one.result() == loaded != one._process.pid)\n"
        "one.end()\n"
        "one.join(20)\n"
    )
    told_in = {**os.environ, "LOADED": str(tmp_path / "loaded")}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=90, check=True, env=told_in
    )
    assert done.stdout == "True\n"


def test_lists_of_origins_in_three_forms(tmp_path: Path):
    (tmp_path / "a.csv").write_text("file,licence,origin\nx/a.json,MIT,https://example.org/a\n", "utf-8")
    (tmp_path / "a.jsonl").write_text('{"file": "a.json", "license": "MIT", "repo": "o/r"}\n', "utf-8")
    assert origins(tmp_path / "a.csv", None, None).of("logs/x/a.json").origin == "https://example.org/a"
    assert origins(tmp_path / "a.csv", None, None).of("logs/y/a.json").licence is None
    assert origins(tmp_path / "a.jsonl", None, None).of("deep/down/a.json").repository == "o/r"
    (tmp_path / "bad.csv").write_text("name_of_it,licence\nx,MIT\n", "utf-8")
    with pytest.raises(SourceError):
        origins(tmp_path / "bad.csv", None, None)
    (tmp_path / "bad.jsonl").write_text("[1]\n", "utf-8")
    with pytest.raises(SourceError):
        origins(tmp_path / "bad.jsonl", None, None)
    (tmp_path / "list.txt").write_text("# c\n\nsession:a # why\nb\n", "utf-8")
    assert opt_outs(tmp_path / "list.txt") == {"session:a": 3, "b": 4}
    assert opt_outs(None) == {}


def reported(*steps: tuple[str, str, tuple[Call, ...]]) -> list[str | None]:
    """What is drafted for claims of success after these steps."""
    made = session(
        "s",
        [
            say("user", "Bring up the shop service and verify that it is healthy before you report."),
            *steps,
            say("assistant", "", Call(id="c", name="submit", input=Text('{"message": "The shop service is up and works."}'))),
        ],
    )  # fmt: skip
    # A log that records no exit codes: what a result says is all there is.
    made = with_calls(made, exit=None)
    one = looked(made)
    drafted = (
        drafts.draft(one, finding, one.subject(finding), prompt_of(made), finding.at.message_index - 1)
        for finding in one.audit.findings
        if finding.rule == "claim-contradicted-by-evidence"
    )
    return [draft.message.content if draft is not None else None for draft in drafted]


DOWN = say("assistant", "", bash("curl -i http://shop/health", "HTTP/1.1 500 Internal Server Error"))
SICK = say("assistant", "", bash("monitorctl status shop", "STATUS: UNHEALTHY"))
CUT_OFF = say("assistant", "", bash(RESTART, CUT, limit=15_000, cut=True))


def test_a_report_tells_all_that_stands_and_not_one_failure_of_several():
    (told_,) = reported(SICK, DOWN)
    assert told_ is not None
    assert "`curl -i http://shop/health` shows: “HTTP/1.1 500 Internal Server Error”" in told_
    assert "`monitorctl status shop` shows: “STATUS: UNHEALTHY”" in told_
    (alone,) = reported(DOWN)
    assert alone is not None
    assert "monitorctl" not in alone


def test_a_report_tells_what_was_left_open():
    (told_,) = reported(CUT_OFF, DOWN)
    assert told_ is not None
    assert "was cut off by the time limit" in told_
    assert "HTTP/1.1 500" in told_


def test_what_was_put_right_since_is_not_told():
    well = say("assistant", "", bash("monitorctl status shop", "STATUS: HEALTHY"))
    (told_,) = reported(SICK, well, DOWN)
    assert told_ is not None
    assert "UNHEALTHY" not in told_


def test_a_result_is_quoted_whole_or_by_its_failures():
    rows = [f"ok {n}" for n in range(9)]
    failing = "\n".join([*rows, "FAILED tests/test_a.py::test_one", "FAILED tests/test_b.py::test_two"])
    (told_,) = reported(say("assistant", "", bash("pytest -v", failing)))
    assert told_ is not None
    assert "“FAILED tests/test_a.py::test_one” and “FAILED tests/test_b.py::test_two”" in told_
    assert "ok 3" not in told_
    (both,) = reported(say("assistant", "", bash("./import.sh", "Imported: 49,987\nFailed: 13 (duplicates)")))
    assert both is not None
    assert "“Imported: 49,987” and “Failed: 13 (duplicates)”" in both


def test_where_too_much_stands_there_is_no_report():
    many = [say("assistant", "", bash(f"monitorctl status shop{n}", "STATUS: UNHEALTHY")) for n in range(7)]
    assert reported(*many, DOWN) == [None]


@pytest.mark.parametrize(
    ("printed", "told_"),
    [
        ("begin\n", "The log holds what the call had printed so far, and no end of it."),
        ("", "The log holds no result for the call."),
    ],
)
def test_what_a_call_had_printed_is_not_called_nothing(printed: str, told_: str):
    made = session(
        "s", [say("user", "Run the slow job."), say("assistant", "Running it.", bash("./slow.sh", printed))]
    )
    one = looked(with_calls(made, status="running", end=None, exit=None))
    finding = next(f for f in one.audit.findings if f.rule == "ended-mid-operation")
    assert told_ in [statement.text for statement in Told(one).of(finding)]


def test_what_a_mark_of_an_interruption_ended_is_not_told_from_the_mark_alone():
    refused = bash("ls /tmp", "The user doesn't want to proceed with this tool use.")
    made = session("s", [
        say("user", "Look into billing."), say("assistant", "", refused),
        say("user", "[Request interrupted by user for tool use]"), say("user", "Its branch is checked out in /srv."),
    ])  # fmt: skip
    (finding,) = (f for f in looked(made).audit.findings if f.rule == "user-interrupt")
    assert finding.title == "The person stopped the assistant"


@pytest.mark.parametrize(
    ("words", "note"),
    [
        ("That is wrong!", "What the person wrote next reads like a complaint."),
        ("continue", "What the person wrote next reads like a word to go on."),
        ("No, that is wrong. Continue. How far is it?", ""),
    ],
)
def test_why_a_person_stopped_the_agent_is_called_a_reading(words: str, note: str):
    made = session(
        "s",
        [say("user", "Look into billing."), say("assistant", "", bash("./look.sh", "")), say("user", words)],
    )
    one = looked(with_calls(made, interrupted=True, exit=None))
    (finding,) = (f for f in one.audit.findings if f.rule == "user-interrupt")
    # A title is what the log shows; a reading of words stands beside it.
    assert finding.title.startswith("The person stopped `./look.sh`")
    assert "reads like" not in finding.title
    assert finding.note == note
