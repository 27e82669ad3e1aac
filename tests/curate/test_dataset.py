"""A data set from end to end: what is in it, that it adds up, that nothing leaks, that it is the same bytes again."""

import errno
import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest
import zstandard

from sessionlens.curate import extract, segments
from sessionlens.curate.place import Local
from sessionlens.curate.rows import REASONS, TABLES, meanings, schema
from sessionlens.model import Session, Text
from tests.curate.conftest import CUT, RESTART, bash, say, session, silent


def rows(folder: Path, table: str) -> list[dict[str, Any]]:
    return [
        json.loads(line)
        for file in sorted(folder.glob(f"data/{table}/*.jsonl"))
        for line in file.read_text("utf-8").splitlines()
    ]


def tree(folder: Path) -> dict[str, bytes]:
    return {
        file.relative_to(folder).as_posix(): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file() and ".work" not in file.relative_to(folder).parts
    }


def manifest(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "manifest.json").read_text("utf-8"))
    return found


@pytest.fixture
def made(logs: Path, run: Callable[..., Any], tmp_path: Path) -> Path:
    done = run("curate", logs, "-o", tmp_path / "set", "--form", "openai,anthropic,sharegpt,sft,completion")
    assert done.code == 0, done.err
    return tmp_path / "set"


def test_every_row_fits_its_schema_and_every_column_is_described(made: Path):
    for table, kind in TABLES.items():
        assert set(meanings(kind)) == set(kind.__struct_fields__), table
        described = json.loads((made / f"schemas/{table}.schema.json").read_text("utf-8"))
        assert described == json.loads(json.dumps(schema(kind)))
        found = rows(made, table)
        if table != "changes":
            assert found, table
        for row in found:
            jsonschema.validate(row, described)
    card = (made / "DATASET_CARD.md").read_text("utf-8")
    for table, kind in TABLES.items():
        assert f"### {table}" in card
        for column in kind.__struct_fields__:
            assert f"| `{column}` |" in card


def test_counts_add_up(made: Path):
    told = manifest(made)
    sessions, steps = rows(made, "sessions"), rows(made, "steps")
    assert told["rows"]["sessions"] == len(sessions) == 7 == told["counts"]["kept"] == told["counts"]["read"]
    assert told["counts"]["messages_read"] == sum(row["messages"] for row in sessions) == len(steps)
    for row in sessions:
        own = [step for step in steps if step["session"] == row["session"]]
        assert len(own) == row["messages"] == row["steps_kept"] + row["steps_masked"] + row["steps_dropped"]
        assert [step["step"] for step in own] == list(range(len(own)))
        assert row["tokens"] == sum(step["tokens"] for step in own)
    assert told["sources"]["units"] == 7
    assert set(told["files"]) == {name for name in tree(made) if name.startswith(("data/", "chat/"))}
    assert all(not number for number in told["checks"].values()), told["checks"]
    assert told["scan"]["secrets"] == 0


def test_steps_are_kept_masked_with_reasons(made: Path):
    steps = {(row["session"], row["step"]): row for row in rows(made, "steps")}
    silence = steps["ses_silent01", 2]
    assert silence["use"] == "mask"
    assert {"empty", "fault"} <= set(silence["reasons"])
    assert steps["ses_silent01", 1]["use"] == "mask"
    assert steps["ses_silent01", 4]["use"] == "keep"
    assert steps["ses_told01", 1]["use"] == steps["ses_told01", 2]["use"] == "keep"
    assert steps["ses_edited01", 2]["use"] == "mask"
    assert steps["ses_edited01", 4]["use"] == "keep"
    assert all(set(row["reasons"]) <= set(REASONS) for row in steps.values())
    assert all(row["reasons"] == ["context"] for row in steps.values() if row["role"] == "user")
    acts = {act["act"] for act in steps["ses_told01", 2]["acts"]}
    assert "acknowledges_cut_off" in acts


def test_episodes_show_context_event_and_consequence(made: Path):
    episodes = rows(made, "episodes")
    labels = {row["label"] for row in episodes}
    assert "fault:empty-message-after-timeout" in labels
    assert "fault:unverified-production-edit" in labels
    assert any(label.startswith("good:") for label in labels)
    silence = next(
        row for row in episodes
        if row["rule"] == "empty-message-after-timeout" and row["session"] == "ses_silent01"
    )  # fmt: skip
    assert silence["context"][0]["role"] == "user"
    assert "systemctl restart vllm" in json.dumps(silence["event"])
    assert silence["event"][-1] == {"role": "assistant", "content": ""}
    assert silence["consequence"][0]["content"].startswith("Great.")
    assert silence["statements"]
    assert all(s["certainty"] in ("observed", "derived", "inferred") for s in silence["statements"])
    assert silence["situation"] == "cut_off restart service"


def test_pairs_have_the_columns_of_trl_and_say_where_answers_come_from(made: Path):
    pairs = {(row["session"], row["rule"]): row for row in rows(made, "pairs")}
    # Two rules report the same silence; the question and its answer stand there once.
    (silence,) = (row for (name, _), row in pairs.items() if name == "ses_silent01")
    assert silence["rule"] in ("empty-message-after-timeout", "unacknowledged-long-running-restart")
    for column in ("prompt", "chosen", "rejected"):
        assert all({"role", "content"} <= set(message) for message in silence[column])
    assert silence["prompt"][-1]["role"] == "tool"
    assert silence["rejected"] == [{"role": "assistant", "content": ""}]
    # The corpus holds a real answer to the same restart, in the same project and so in the same split.
    assert silence["chosen_from"] in ("corpus", "adapted")
    assert silence["drafted"] is False
    assert silence["chosen_session"] == "ses_told01"
    assert "cut off by the time limit" in silence["chosen"][0]["content"]
    edit = pairs["ses_edited01", "unverified-production-edit"]
    assert edit["drafted"] is True
    assert edit["chosen_from"] == "drafted"
    assert edit["facts"]
    assert edit["rejected"][0]["content"].startswith("Done.")
    assert isinstance(json.loads(edit["tools"]), list)
    splits = {row["session"]: row["split"] for row in rows(made, "sessions")}
    for row in pairs.values():
        if row["chosen_session"] is not None:
            assert splits[row["chosen_session"]] == row["split"]


def test_families_and_repositories_are_in_one_split(made: Path):
    places: dict[str, set[str]] = {}
    for row in rows(made, "sessions"):
        places.setdefault(row["repository"], set()).add(row["split"])
    assert len(places) == 4
    assert all(len(splits) == 1 for splits in places.values())


def test_parquet_says_the_same_as_json_lines(made: Path):
    pq = pytest.importorskip("pyarrow.parquet")
    for file in sorted(made.glob("data/*/*.parquet")):
        lines = [json.loads(line) for line in file.with_suffix(".jsonl").read_text("utf-8").splitlines()]
        packed = pq.read_table(file).to_pylist()
        assert [_full(row) for row in packed] == [_full(row) for row in lines], file.name


def _full(value: Any) -> Any:
    """A value without its nulls: JSON leaves out what Parquet holds as null."""
    if isinstance(value, dict):
        return {key: _full(item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return [_full(item) for item in value]
    return value


def test_the_same_bytes_again_and_with_other_numbers_of_processes(
    logs: Path, made: Path, run: Callable[..., Any], tmp_path: Path
):
    forms = "openai,anthropic,sharegpt,sft,completion"
    again = run("curate", logs, "-o", tmp_path / "again", "--form", forms, "--jobs", "2")
    assert again.code == 0, again.err
    assert tree(tmp_path / "again") == tree(made)


def test_only_new_and_changed_sources_are_read_and_the_result_is_that_of_one_run(
    logs: Path, run: Callable[..., Any], tmp_path: Path
):
    late = logs / "ses_told02.xml"
    kept = late.read_bytes()
    late.unlink()
    out = tmp_path / "set"
    assert run("curate", logs, "-o", out).code == 0
    first = run("curate", logs, "-o", out)
    assert "6 sources (0 new or changed)" in first.err
    late.write_bytes(kept)
    second = run("curate", logs, "-o", out)
    assert "7 sources (1 new or changed)" in second.err
    assert run("curate", logs, "-o", tmp_path / "fresh").code == 0
    assert tree(out) == tree(tmp_path / "fresh")
    # A source that goes takes everything of it along.
    late.unlink()
    assert run("curate", logs, "-o", out).code == 0
    assert not any(b"ses_told02" in data for data in tree(out).values())
    work = [file.read_bytes() for file in sorted((out / ".work").rglob("*.index"))]
    assert not any(b"ses_told02" in data for data in work)


@pytest.mark.slow
def test_a_killed_run_goes_on_where_it_was(put: Callable[..., Path], run: Callable[..., Any], tmp_path: Path):

    folder = put(*(silent(f"ses_many{n:04d}", f"service{n}", directory=f"/home/a/p{n}") for n in range(200)))
    from sessionlens.curate import segments

    # Of now, not of when an earlier test of this process asked.
    segments.program.cache_clear()
    program = segments.program()
    out = tmp_path / "set"
    command = [sys.executable, "-m", "sessionlens", "curate", str(folder), "-o", str(out), "--jobs", "2"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, start_new_session=True)
    deadline = time.monotonic() + 120
    while not list(out.glob(".work/segments/*.index")) and time.monotonic() < deadline:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert not (out / "manifest.json").exists()
    segments.program.cache_clear()
    if segments.program() != program:
        pytest.skip("the program was changed while the test ran: nothing is kept from another one")
    done = run("curate", folder, "-o", out)
    assert done.code == 0
    assert "200 sources (200 new or changed)" not in done.err
    assert run("curate", folder, "-o", tmp_path / "whole").code == 0
    assert tree(out) == tree(tmp_path / "whole")


@pytest.mark.parametrize(("by", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_stopped_run_says_what_is_kept_and_leaves_nothing_elsewhere(
    put: Callable[..., Path], tmp_path: Path, jobs: str, by: signal.Signals, code: int
):
    folder = put(*(silent(f"ses_many{n:04d}", f"service{n}", directory=f"/home/a/p{n}") for n in range(200)))
    out, scratch = tmp_path / "set", tmp_path / "scratch"
    scratch.mkdir()
    command = [sys.executable, "-m", "sessionlens", "curate", str(folder), "-o", str(out), "--jobs", jobs]
    process = subprocess.Popen(
        command,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "TMPDIR": str(scratch)},
    )
    deadline = time.monotonic() + 120
    while not list(out.glob(".work/segments/*.index")) and time.monotonic() < deadline:
        time.sleep(0.02)
    os.killpg(process.pid, by)
    _, said = process.communicate(timeout=120)
    assert process.returncode == code, said
    assert "stopped:" in said
    assert f"so far, kept in {out}/.work" in said
    assert "the same command goes on from there" in said
    assert "Traceback" not in said
    assert not (out / "manifest.json").exists()
    assert [path.name for path in scratch.iterdir() if path.name.startswith("sessionlens-")] == []


def test_copies_are_kept_once_and_what_is_left_of_forks_is_masked(
    put: Callable[..., Path], run: Callable[..., Any], tmp_path: Path
):
    import msgspec

    from tests.curate.conftest import told

    whole = told("ses_whole001")
    sliced = msgspec.structs.replace(whole, id="ses_slice001", messages=whole.messages[:3])
    fork = session(
        "ses_fork0001",
        [],
        directory="/home/anna/other",
    )
    other_end = session("x", [
        *(say("user") for _ in range(3)),
        say("user", "Leave it as it is then, and look instead at why the nightly export takes three hours by now."),
        say("assistant", "The nightly export sorts the whole table first; an index on the date would spare it that."),
        say("user", "Add that index in the migration for the next release, with a comment that says why it is there."),
        say("assistant", "The migration adds the index, with a comment that names the nightly export as its reason."),
    ])  # fmt: skip
    fork = msgspec.structs.replace(fork, messages=(*whole.messages[:3], *other_end.messages[3:]))
    logs = put(whole, sliced, fork)
    done = run("curate", logs, "-o", tmp_path / "set")
    assert done.code == 0, done.err
    told_ = manifest(tmp_path / "set")
    assert told_["counts"]["duplicates_contained"] == 1
    found = {row["session"]: row for row in rows(tmp_path / "set", "sessions")}
    assert set(found) == {"ses_whole001", "ses_fork0001"}
    assert len({row["split"] for row in found.values()}) == 1
    steps = {(row["session"], row["step"]): row for row in rows(tmp_path / "set", "steps")}
    doubled = [key for key, row in steps.items() if "duplicate" in row["reasons"]]
    assert {key[1] for key in doubled} == {1, 2}
    assert len({key[0] for key in doubled}) == 1
    assert not any(told_["checks"].values())
    kept = run("curate", logs, "-o", tmp_path / "all", "--dedup", "off")
    assert kept.code == 0
    assert len(rows(tmp_path / "all", "sessions")) == 3


def test_secrets_and_private_names_are_replaced_and_what_is_written_is_searched_again(
    put: Callable[..., Path], run: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    from tests.curate.conftest import bash, say, session

    key = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    logs = put(session("ses_secret01", [
        say("user", "Deploy with my token and mail anna.schmidt@firma.example when it is through, from 203.0.113.9."),
        say("assistant", "I deploy it now with the token that you gave me, and then write the mail.",
            bash(f"curl -H 'Authorization: token {key}' https://deploy.firma.example/run", "ok from 203.0.113.9")),
        say("assistant", "The deploy was started from /home/anna/shop by anna.schmidt@firma.example."),
    ]))  # fmt: skip
    done = run("curate", logs, "-o", tmp_path / "set")
    assert done.code == 0, done.err
    everything = b"".join(tree(tmp_path / "set").values())
    for private in (key.encode(), b"anna.schmidt", b"/home/anna", b"203.0.113.9", b"deploy.firma.example"):
        assert private not in everything
    assert b"@mail.invalid" in everything
    left = run("curate", logs, "-o", tmp_path / "left", "--leave", "emails,homes")
    assert left.code == 0
    assert b"anna.schmidt@firma.example" in b"".join(tree(tmp_path / "left").values())
    # Redaction that misses something: the run fails and nothing is finished.
    from sessionlens import redact

    real = redact.rescan
    monkeypatch.setattr(
        redact, "rescan", lambda text: ["planted"] if "deploy was started" in text else real(text)
    )
    leaky = run("curate", logs, "-o", tmp_path / "leaky")
    assert leaky.code == 3
    assert "planted" in leaky.err
    assert not (tmp_path / "leaky/manifest.json").exists()
    assert not list((tmp_path / "leaky").glob("data/steps/*"))


TOKEN = "ghp_" + "a8Kd03LmQx7Zp2Vw9Rt4Yb6Nc1Hs5JgFeT2u"
"""Has the form of a token and opens nothing."""


def test_names_of_files_hold_nothing_private_and_joins_go_on(
    put: Callable[..., Path], run: Callable[..., Any], tmp_path: Path
):
    names = {
        "silent_anna.weber@firm-mail.com": "anna.weber",
        "run-10.20.30.41-b": "10.20.30.41",
        "web7.prod.firm.internal": "web7",
        f"s_{TOKEN}": TOKEN,
        f"t_{TOKEN}": TOKEN,
        "root@buildbox9": "buildbox9",
    }
    made = [msgspec.structs.replace(silent(f"s{at}", f"vllm{at}"), id=name) for at, name in enumerate(names)]
    logs = put(*made, folder="logs/home/gerda/x")
    child = session("child-10.20.30.41", [say("user", "Look at the log."), say("assistant", "It is empty.")],
                    parent="run-10.20.30.41-b")  # fmt: skip
    put(child, folder="logs/home/gerda/x")
    (logs / "bad-10.20.30.41.json").write_text('{"messages": [', "utf-8")
    origins = tmp_path / "o.tsv"
    origins.write_text("file\tlicence\nrun-10.20.30.41-b.xml\tMIT\n", "utf-8")
    out = tmp_path / "set"
    done = run(
        "curate", tmp_path / "logs", "-o", out, "--split", "all=1", "--dedup", "off", "--origins", origins
    )
    assert done.code == 3, done.err
    assert "bad-10.20.30.41.json" in done.err  # Whoever runs it finds the file.
    written = tree(out)
    store = segments.Store(Local(out))
    written[".work, unpacked"] = b"".join(
        zstandard.decompress(frame)
        for key, (_, kept) in store.kept.items()
        for at in range(len(kept.heads))
        for frame in store.frames(key, at)
    ) + msgspec.json.encode([kept for _, kept in store.kept.values()])
    for secret in (*names.values(), "gerda"):
        assert not [name for name, data in written.items() if secret.encode() in data], secret
    found = {row["session"]: row for row in rows(out, "sessions")}
    assert len(found) == 7
    joined = [row for row in found.values() if row["parent"]]
    assert len(joined) == 1
    assert found[joined[0]["parent"]]["licence"] == "MIT"
    assert found[joined[0]["parent"]]["session"].startswith("run-address-")
    for table in ("steps", "findings", "episodes"):
        assert {row["session"] for row in rows(out, table)} <= set(found)
    assert {row["source"] for row in rows(out, "episodes")} <= {row["source"] for row in found.values()}
    # An id that was replaced can still be opted out, and a review of its page still joins.
    listed = tmp_path / "out.txt"
    listed.write_text("session:root@build*\n", "utf-8")
    done = run(
        "curate", tmp_path / "logs", "-o", out, "--split", "all=1", "--dedup", "off", "--opt-out", listed
    )
    assert "names nothing" not in done.err
    assert len(rows(out, "sessions")) == 6


def test_fingerprints_of_renamed_sessions_are_those_of_the_audit(
    put: Callable[..., Path], run: Callable[..., Any], tmp_path: Path
):
    logs = put(silent("run-10.20.30.41"))
    assert run("curate", logs, "-o", tmp_path / "set", "--split", "all=1").code == 0
    done = run("audit", logs / "run-10.20.30.41.xml", "-o", tmp_path / "audit.json")
    assert done.code in (0, 1), done.err
    told = json.loads((tmp_path / "audit.json").read_bytes())
    audited = {one["fingerprint"] for one in told["findings"]}
    assert {row["fingerprint"] for row in rows(tmp_path / "set", "findings")} == audited
    assert audited


def test_ordinary_names_stay():
    from sessionlens.curate.extract import Order
    from sessionlens.curate.names import named

    for name in (
        "logs/2026-01-02T10-11-12.jsonl", "rollout-2026-01-02T10-11-12-0199f0e1-7a4c-7d31-9c1e-1f2b3c4d5e6f.jsonl",
        "ses_3f9ab17c2ffeXhQ2Lm0aB1cD2e", "logs/home/session.json", "v1.2.3/app.py.log", "a.b.tar.gz", "x/deploy-prod.xml",
    ):  # fmt: skip
        assert named(name, Order()) == name
    assert named("anna@x.com", Order(redact=False)) == "anna@x.com"


def test_who_opts_out_is_left_out_and_nothing_stays(logs: Path, run: Callable[..., Any], tmp_path: Path):
    out, names = tmp_path / "set", tmp_path / "out.txt"
    assert run("curate", logs, "-o", out).code == 0
    names.write_text("# asked on Monday\nsession:ses_silent01\nrepository:billing  # and this\n", "utf-8")
    done = run("curate", logs, "-o", out, "--opt-out", names)
    assert done.code == 0
    assert "2 opted out" in done.err
    for gone in (b"ses_silent01", b"ses_edited01"):
        assert gone not in b"".join(tree(out).values())
    # What was kept for the next run was written anew, too; who is taken off the list is back.
    indexes = b"".join(file.read_bytes() for file in sorted((out / ".work").rglob("*.index")))
    assert b"opted out" in indexes
    assert run("curate", logs, "-o", out).code == 0
    assert b"ses_silent01" in b"".join(tree(out).values())


def test_entries_of_the_opt_out_list_that_name_nothing_are_told(
    logs: Path, run: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    out, names = tmp_path / "set", tmp_path / "out.txt"
    monkeypatch.chdir(tmp_path)
    names.write_text(
        "# as given, relative, bare, from the root\nsource:./logs/ses_silent01.xml\nsource:ses_silent02.xml\n"
        f"ses_told0[12].xml\nsource:{logs}/ses_edited01.xml\nsession:ses_plain01\nsession:ses_gone\nabsent#1.xml # x\n",
        "utf-8",
    )
    for _ in range(2):  # What was kept of the run before tells the same.
        done = run("curate", "./logs", "-o", out, "--opt-out", names)
        assert done.code == 0
        assert [row["session"] for row in rows(out, "sessions")] == ["ses_plain02"]
        assert [line for line in done.err.splitlines() if "names nothing" in line] == [
            "out.txt:7: session:ses_gone: names nothing that was read",
            "out.txt:8: absent#1.xml: names nothing that was read",
        ]


@pytest.mark.parametrize("entry", ["foo:bar", "SESSION:ses_told01", "session: "])
def test_an_unknown_kind_of_opt_out_entry_is_wrong_usage(
    logs: Path, run: Callable[..., Any], tmp_path: Path, entry: str
):
    names = tmp_path / "out.txt"
    names.write_text(f"session:ses_told01\n{entry}\n", "utf-8")
    done = run("curate", logs, "-o", tmp_path / "set", "--opt-out", names)
    assert done.code == 2
    assert "out.txt:2: " in done.err
    assert not (tmp_path / "set").exists()


def test_licence_and_origin_come_from_the_list(logs: Path, run: Callable[..., Any], tmp_path: Path):
    listed = tmp_path / "origins.tsv"
    listed.write_text(
        "file\tlicence\trepo\tcommit\tpath\n"
        "ses_told01.xml\tMIT\tacme/shop\tabc123\tlogs/1.xml\n"
        "logs/ses_edited01.xml\tnone found\tacme/billing\t-\t\n",
        "utf-8",
    )
    done = run("curate", logs, "-o", tmp_path / "set", "--origins", listed, "--licence", "proprietary")
    assert done.code == 0, done.err
    found = {row["session"]: row for row in rows(tmp_path / "set", "sessions")}
    assert (found["ses_told01"]["licence"], found["ses_told01"]["repository"]) == ("MIT", "acme/shop")
    assert found["ses_told01"]["origin"] == "acme/shop@abc123 logs/1.xml"
    assert found["ses_edited01"]["licence"] == "proprietary"
    assert found["ses_edited01"]["repository"] == "acme/billing"
    assert found["ses_plain01"]["licence"] == "proprietary"


def test_filters_samples_caps_and_balance(logs: Path, run: Callable[..., Any], tmp_path: Path):
    done = run(
        "curate",
        logs,
        "-o",
        tmp_path / "a",
        "--where",
        "severity >= 'high' and model.str.contains('model-a')",
    )
    assert done.code == 0, done.err
    assert {row["session"] for row in rows(tmp_path / "a", "sessions")} == {
        "ses_silent01", "ses_silent02", "ses_edited01",
    }  # fmt: skip
    done = run("curate", logs, "-o", tmp_path / "b", "--where", "episodes: kind == 'good'", "--where",
               "steps: tokens < 15")  # fmt: skip
    assert done.code == 0, done.err
    assert {row["kind"] for row in rows(tmp_path / "b", "episodes")} == {"good"}
    assert not rows(tmp_path / "b", "pairs")
    assert any("filtered" in row["reasons"] for row in rows(tmp_path / "b", "steps"))
    assert run("curate", logs, "-o", tmp_path / "c", "--sample", "3").code == 0
    assert len(rows(tmp_path / "c", "sessions")) == 3
    assert run("curate", logs, "-o", tmp_path / "d", "--cap", "rule=1").code == 0
    counts: dict[str, int] = {}
    for row in rows(tmp_path / "d", "episodes"):
        counts[row["rule"]] = counts.get(row["rule"], 0) + 1
    assert set(counts.values()) == {1}
    assert run("curate", logs, "-o", tmp_path / "e", "--balance", "kind").code == 0
    kinds = [row["kind"] for row in rows(tmp_path / "e", "episodes")]
    assert len({kinds.count(kind) for kind in kinds}) == 1


def test_masked_rows_are_cut_between_turns(logs: Path, run: Callable[..., Any], tmp_path: Path):
    done = run("curate", logs, "-o", tmp_path / "set", "--max-tokens", "64")
    assert done.code == 0, done.err
    parts: dict[str, list[dict[str, Any]]] = {}
    for file in sorted((tmp_path / "set").glob("chat/sft/*.jsonl")):
        for line in file.read_text("utf-8").splitlines():
            row = json.loads(line)
            assert row["tokens"] <= 64
            assert any(message["loss"] for message in row["messages"])
            assert all(not message["loss"] or message["role"] == "assistant" for message in row["messages"])
            parts.setdefault(row["session"], []).append(row)
    assert len(parts["ses_told01"]) > 1


def test_reviews_join_in(logs: Path, run: Callable[..., Any], tmp_path: Path):
    assert run("curate", logs, "-o", tmp_path / "set").code == 0
    edit = next(
        row for row in rows(tmp_path / "set", "findings") if row["rule"] == "unverified-production-edit"
    )
    review = tmp_path / "anna.json"
    review.write_text(json.dumps({
        "schema": "sessionlens.review/1", "session": edit["session"],
        "verdicts": [{"fingerprint": edit["fingerprint"], "rule": edit["rule"], "verdict": "dismiss"}],
    }), "utf-8")  # fmt: skip
    others = {
        row["rule"] for row in rows(tmp_path / "set", "findings")
        if row["session"] == edit["session"] and row["rule"] != edit["rule"] and row["kind"] == "fault"
    }  # fmt: skip
    done = run(
        "curate",
        logs,
        "-o",
        tmp_path / "set",
        "--review",
        review,
        "--ignore",
        ",".join(others) or "step-loop",
    )
    assert done.code == 0, done.err
    found = next(
        row for row in rows(tmp_path / "set", "findings") if row["fingerprint"] == edit["fingerprint"]
    )
    assert found["verdict"] == "dismiss"
    assert found["reviews"] == [{"reviewer": "anna", "verdict": "dismiss"}]
    episode = next(
        row for row in rows(tmp_path / "set", "episodes") if row["fingerprint"] == edit["fingerprint"]
    )
    assert episode["label"] == "dismissed:unverified-production-edit"
    assert not [row for row in rows(tmp_path / "set", "pairs") if row["episode"] == episode["episode"]]
    steps = {(row["session"], row["step"]): row for row in rows(tmp_path / "set", "steps")}
    assert steps[edit["session"], edit["step"]]["use"] == "keep"


def test_children_in_other_files_are_joined_with_their_parents(
    put: Callable[..., Path], run: Callable[..., Any], tmp_path: Path
):
    from tests.curate.conftest import silent, told

    logs = put(
        told("ses_parent01", directory="/home/x/one"),
        silent("ses_child001", directory=None, parent="ses_parent01"),
    )
    done = run("curate", logs, "-o", tmp_path / "set")
    assert done.code == 0, done.err
    # Read together once more, they are not counted once more.
    assert "2 sources (2 new or changed)" in done.err
    found = {row["session"]: row for row in rows(tmp_path / "set", "sessions")}
    assert found["ses_child001"]["family"] == found["ses_parent01"]["family"] == "ses_parent01"
    again = run("curate", logs, "-o", tmp_path / "set")
    assert "(0 new or changed)" in again.err


def test_heads_are_read_once_where_families_are_looked_for(
    put: Callable[..., Path], run: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    read: Counter[str] = Counter()
    heads = segments.Store.heads

    def counted(self: segments.Store, key: str) -> Any:
        read[key] += 1
        return heads(self, key)

    monkeypatch.setattr(segments.Store, "heads", counted)
    # Its parent is nowhere: there is nothing to put together.
    logs = put(silent("ses_alone01"), silent("ses_child001", "sglang", parent="ses_parent01"))
    for sources in ("2 new", "0 new"):
        read.clear()
        done = run("curate", logs, "-o", tmp_path / "set")
        assert f"2 sources ({sources} or changed)" in done.err
        assert sorted(read.values()) == [1, 1]


def test_bad_sources_are_told_and_the_rest_goes_on(logs: Path, run: Callable[..., Any], tmp_path: Path):
    (logs / "broken.json").write_text('{"messages": [', "utf-8")
    (logs / "notes.txt").write_text("nothing", "utf-8")
    done = run("curate", logs, tmp_path / "absent.json", "-o", tmp_path / "set")
    assert done.code == 3
    assert "broken.json" in done.err
    assert "absent.json" in done.err
    assert "1 file that is no log" in done.err
    told = manifest(tmp_path / "set")
    assert told["sources"]["unread"] == 2
    assert told["sources"]["passed"] == 1
    assert told["counts"]["kept"] == 7
    # Every source is counted once, and those that gave nothing are named.
    assert told["sources"]["became"] == {"read": 7, "passed": 1, "unread": 2, "opted_out": 0, "empty": 0}
    assert told["sources"]["units"] == 10
    named = {one["source"]: one["kind"] for one in told["sources"]["problems"]}
    assert named == {"logs/broken.json": "unread", "logs/notes.txt": "passed", "absent.json": "unread"}
    assert "| `logs/notes.txt` | no log |" in (tmp_path / "set/DATASET_CARD.md").read_text("utf-8")


def test_a_full_disk_is_no_fault_of_the_program(
    logs: Path, run: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def full(*_given: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(extract, "rows", full)
    done = run("curate", logs, "-o", tmp_path / "set")
    assert done.code == 3
    assert "Make room where the results go" in done.err
    assert "please report it" not in done.err


def test_a_quiet_run_tells_nothing_of_what_could_be_installed(
    logs: Path, run: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    there = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "pyarrow" else there(name))
    assert "pyarrow is not installed" in run("curate", logs, "-o", tmp_path / "told").err
    assert run("curate", logs, "-o", tmp_path / "quiet", "-q").err == ""


def test_reviews_of_what_was_not_read_are_told(logs: Path, run: Callable[..., Any], tmp_path: Path):
    review = tmp_path / "anna.json"
    verdicts = [{"fingerprint": "f1", "rule": "step-loop", "verdict": "confirm"}]
    for name, words in (
        ("ses_gone", "of 1 sessions that were not read: ses_gone"),
        ("ses_told01", "not in what was read: f1"),
    ):
        review.write_text(
            json.dumps({"schema": "sessionlens.review/1", "session": name, "verdicts": verdicts}), "utf-8"
        )
        for command in (("curate", logs, "-o", tmp_path / "set"), ("queue", logs)):
            done = run(*command, "--review", review)
            assert done.code == 0
            assert f"1 reviewed findings are {words}" in done.err
    assert manifest(tmp_path / "set")["reviews"]["of_findings_not_there"] == 1


def test_pairs_that_resemble_each_other_stand_there_once(
    put: Callable[..., Path], run: Callable[..., Any], tmp_path: Path
):
    pytest.importorskip("rensa")
    more = (
        "so that the new weights are loaded from the disk, and tell me afterwards in one sentence how it went"
    )
    asked = [say("user", f"Please restart vllm on gpu{n}, release 1.{n}.0, {more}.") for n in (3, 4)]
    made = [silent(f"ses_twin000{n}", directory=f"/home/anna/p{n}") for n in (1, 2)]
    made = [
        msgspec.structs.replace(
            one, messages=(session("x", [first]).messages[0], *one.messages[1:3], *one.messages[3:])
        )
        for one, first in zip(made, asked, strict=True)
    ]
    kept = {}
    for dedup in ("near", "off"):
        out = tmp_path / dedup
        assert run("curate", put(*made), "-o", out, "--split", "all=1", "--dedup", dedup).code == 0
        kept[dedup] = len(rows(out, "pairs"))
    assert kept["near"] == 1
    assert kept["off"] > 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--where", "@x"), "is no expression"),
        (("--where", "nosuch == 1"), "no column nosuch"),
        (("--split", "train"), None),
        (("--split", "a=0"), "NAME=SHARE"),
        (("--split", "train=0.9,test=0.5"), "add up to 1.4"),
        (("--split", "train=90,test=10"), None),
        (("--split", "a,b"), None),
        (("--where", "(faults > 1"), "'(' was never closed at character 1"),
        (("--where", "faults > 'x'"), "faults is a number; it cannot be compared with 'x' at character 10"),
        (("--cap", "rule"), "COLUMN=N"),
        (("--balance", "facts"), "cannot be counted"),
        (("--tokenizer", "no_such_module:count"), "no_such_module"),
        (("--reader", "nope"), "no reader"),
        (("--form", "xml"), "known are"),
    ],
)
def test_wrong_usage(
    logs: Path, run: Callable[..., Any], tmp_path: Path, options: tuple[str, str], words: str | None
):
    done = run("curate", logs, "-o", tmp_path / "set", *options)
    if words is None:
        assert done.code == 0
    else:
        assert done.code == 2
        assert words in done.err
        assert not (tmp_path / "set/manifest.json").exists()


def test_a_folder_with_other_things_in_it_is_not_written_to(
    logs: Path, run: Callable[..., Any], tmp_path: Path
):
    (tmp_path / "full").mkdir()
    (tmp_path / "full/thesis.txt").write_text("my only copy", "utf-8")
    done = run("curate", logs, "-o", tmp_path / "full")
    assert done.code == 2
    assert "holds other files" in done.err


def test_schema_and_missing_arguments(run: Callable[..., Any], logs: Path):
    printed = run("curate", "--schema")
    assert printed.code == 0
    assert set(json.loads(printed.out)["tables"]) == set(TABLES)
    assert run("curate").code == 2
    assert run("curate", logs).code == 2


def test_tokens_are_counted_by_the_function_of_the_user(logs: Path, run: Callable[..., Any], tmp_path: Path):
    assert run("curate", logs, "-o", tmp_path / "set", "--tokenizer", "builtins:len").code == 0
    step = rows(tmp_path / "set", "steps")[0]
    assert step["tokens"] == len(step["messages"][0]["content"])


def test_addresses_of_fsspec_are_sources_and_places(logs: Path, run: Callable[..., Any], tmp_path: Path):
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")
    for file in logs.glob("*.xml"):
        memory.pipe_file(f"/bucket/logs/{file.name}", file.read_bytes())
    done = run("curate", "memory://bucket/logs", "-o", "memory://bucket/set")
    assert done.code == 0, done.err
    told = json.loads(memory.cat_file("/bucket/set/manifest.json"))
    assert told["counts"]["kept"] == 7
    assert run("curate", logs, "-o", tmp_path / "set").code == 0
    for name in manifest(tmp_path / "set")["files"]:
        assert memory.cat_file(f"/bucket/set/{name}") == (tmp_path / "set" / name).read_bytes()
    missing = run("curate", "memory://nowhere/at/all", "-o", tmp_path / "none")
    assert missing.code == 3


def test_a_split_without_rows_has_no_file_and_the_card_says_so(
    logs: Path, run: Callable[..., Any], tmp_path: Path
):
    out = tmp_path / "set"
    assert run("curate", logs, "-o", out, "--split", "train=0.999999,none=0.000001").code == 0
    told, text = manifest(out), (out / "DATASET_CARD.md").read_text("utf-8")
    assert not [name for name in told["files"] if "/none-" in name]
    assert "- `none` is empty." in text
    assert "split: none" not in text
    written = {
        path.relative_to(out).as_posix() for top in ("data", "chat") for path in (out / top).rglob("*.*")
    }
    assert written == set(told["files"])
    for name in written:
        if name.endswith(".jsonl"):
            assert (out / name).stat().st_size, name
    assert json.loads((out / "data/sessions/train-00000.jsonl").read_text("utf-8").splitlines()[0])
    # One table of a split that is not empty may be without rows.
    assert run("curate", logs, "-o", out, "--split", "all=1", "--where", "episodes: kind == 'none'").code == 0
    assert "- `all` has no rows of `episodes`" in (out / "DATASET_CARD.md").read_text("utf-8")
    assert not list((out / "data").glob("episodes/*"))
    done = run("stats", out)
    assert done.code == 0, done.err


def test_datasets_loads_everything(made: Path):
    datasets = pytest.importorskip("datasets")
    from sessionlens.curate.hub import features

    for kind, suffix in (("parquet", "parquet"), ("json", "jsonl")):
        for folder in [
            *(f"data/{table}" for table in TABLES),
            *(f"chat/{f.name}" for f in (made / "chat").iterdir()),
        ]:
            files = sorted(str(file) for file in (made / folder).glob(f"*.{suffix}"))
            loaded = datasets.load_dataset(
                kind,
                data_files=files,
                split="train",
                features=features(folder.split("/")[1]) if kind == "json" else None,
                cache_dir=str(made / ".cache"),
            )
            lines = sum(len(file.read_text("utf-8").splitlines()) for file in (made / folder).glob("*.jsonl"))
            assert len(loaded) == lines, folder
    pairs = datasets.load_dataset(
        "parquet",
        data_files=str(made / "data/pairs/*.parquet"),
        split="train",
        cache_dir=str(made / ".cache"),
    )
    assert {"prompt", "chosen", "rejected"} <= set(pairs.column_names)


def test_arguments_are_text_in_files_and_objects_for_a_trainer(made: Path):
    """TRL's documentation has an object under ``arguments``, OpenAI's interface JSON text."""
    datasets = pytest.importorskip("datasets")
    from sessionlens.curate.hub import features, with_objects

    if not hasattr(datasets, "Json"):
        pytest.skip("this datasets has no type for objects of any shape")
    kinds = (("parquet", "parquet"), ("json", "jsonl"))
    for folder, column in (("data/pairs", "prompt"), ("chat/sft", "messages"), ("chat/completion", "prompt")):
        for kind, suffix in kinds:
            files = sorted(str(file) for file in (made / folder).glob(f"*.{suffix}"))
            plain = datasets.load_dataset(
                kind,
                data_files={"train": files},
                features=features(folder.split("/")[1]) if kind == "json" else None,
                cache_dir=str(made / ".cache"),
            )
            calls = [call for row in plain["train"] for call in calls_of(row[column])]
            assert calls
            assert all(isinstance(json.loads(call["function"]["arguments"]), dict) for call in calls)
            ready = with_objects(plain)
            turned = [call for row in ready["train"] for call in calls_of(row[column])]
            assert [json.loads(call["function"]["arguments"]) for call in calls] == [
                call["function"]["arguments"] for call in turned
            ]


def calls_of(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [call for message in messages for call in message.get("tool_calls") or ()]


def test_datasets_loads_a_set_with_an_empty_split(logs: Path, run: Callable[..., Any], tmp_path: Path):
    datasets = pytest.importorskip("datasets")
    out = tmp_path / "set"
    # One split with nothing in it, and one that lacks some tables.
    splits = "train=0.5,none=0.000001,test=0.499999"
    assert run("curate", logs, "-o", out, "--split", splits).code == 0
    told = manifest(out)
    assert not told["rows_by_split"].get("none")
    configs = [line.split()[-1] for line in (out / "DATASET_CARD.md").read_text("utf-8").splitlines()
               if line.startswith("- config_name:")]  # fmt: skip
    assert "sessions" in configs
    # As a page of the hub has it: the card is its README.
    (out / "README.md").write_bytes((out / "DATASET_CARD.md").read_bytes())
    for name in configs:
        folder = f"chat/{name.removeprefix('chat_')}" if name.startswith("chat_") else f"data/{name}"
        loaded = datasets.load_dataset(str(out), name, cache_dir=str(tmp_path / "cache"))
        found = {split: one.num_rows for split, one in loaded.items()}
        assert found == {
            split: rows[folder.removeprefix("data/")]
            for split, rows in told["rows_by_split"].items()
            if rows.get(folder.removeprefix("data/"))
        }


def test_the_same_long_words_are_never_in_two_splits(
    put: Callable[..., Path], run: Callable[..., Any], tmp_path: Path
):
    task = say(
        "user",
        "Restart vllm on gpu7. " + "Tell me afterwards in a sentence how it went, and what you saw. " * 3,
    )
    made = []
    for number in range(8):
        one = silent(f"ses_same{number:04}", directory=f"/home/anna/p{number}")
        first = session("x", [task]).messages[0]
        made.append(msgspec.structs.replace(one, messages=(first, *one.messages[1:])))
    out = tmp_path / "set"
    shares = "train=0.4,validation=0.3,test=0.3"
    assert run("curate", put(*made), "-o", out, "--split", shares, "--dedup", "exact").code == 0
    assert len({row["split"] for row in rows(out, "sessions")}) == 1
    assert manifest(out)["checks"]["words_in_two_splits"] == 0


@pytest.mark.parametrize(("length", "splits"), [(130, 1), (25, 3)])
def test_a_long_piece_of_the_same_words_is_never_in_two_splits(
    put: Callable[..., Path], run: Callable[..., Any], tmp_path: Path, length: int, splits: int
):
    piece = " ".join(f"word{at * at % 997}of{at}" for at in range(length))
    made = []
    for number in range(12):
        own = " ".join(f"own{number}x{at}" for at in range(60))
        one = silent(f"ses_part{number:04}", directory=f"/home/anna/p{number}")
        first = session("x", [say("user", f"{own}. {piece}, {own[::-1]}")]).messages[0]
        made.append(msgspec.structs.replace(one, messages=(first, *one.messages[1:])))
    out = tmp_path / "set"
    shares = "train=0.4,validation=0.3,test=0.3"
    assert run("curate", put(*made), "-o", out, "--split", shares, "--dedup", "exact").code == 0
    assert len({row["split"] for row in rows(out, "sessions")}) == splits
    assert manifest(out)["checks"]["run_of_words_in_two_splits"] == 0


@pytest.mark.parametrize(
    ("heading", "splits"),
    [("Restart the stale workers of the queue\n\n", 1), ("Restart them\n\n", 3), ("Restart the stale workers of the queue ", 3)],
)  # fmt: skip
def test_one_task_reworded_under_its_heading_is_never_in_two_splits(
    put: Callable[..., Path], run: Callable[..., Any], tmp_path: Path, heading: str, splits: int
):
    made = []
    for number in range(12):
        own = " ".join(f"own{number}x{at}" for at in range(30))
        one = silent(f"ses_head{number:04}", directory=f"/home/anna/p{number}")
        first = session("x", [say("user", heading + own)]).messages[0]
        made.append(msgspec.structs.replace(one, messages=(first, *one.messages[1:])))
    out = tmp_path / "set"
    shares = "train=0.4,validation=0.3,test=0.3"
    assert run("curate", put(*made), "-o", out, "--split", shares, "--dedup", "exact").code == 0
    assert len({row["split"] for row in rows(out, "sessions")}) == splits
    assert manifest(out)["checks"]["run_of_words_in_two_splits"] == 0


def test_no_draft_where_the_words_of_a_cut_off_are_missing(
    put: Callable[..., Path], run: Callable[..., Any], tmp_path: Path
):
    def pairs(name: str, made: Session) -> int:
        out = tmp_path / name
        assert run("curate", put(made), "-o", out, "--split", "all=1").code == 0
        return len(rows(out, "pairs"))

    cut = silent("ses_cut00001")
    assert pairs("cut", cut) >= 1
    call = cut.messages[1].calls[0]
    bare = msgspec.structs.replace(call, output=Text(""))
    parts = tuple(bare if part is call else part for part in cut.messages[1].parts)
    unsaid = msgspec.structs.replace(cut.messages[1], parts=parts)
    assert (
        pairs("bare", msgspec.structs.replace(cut, messages=(cut.messages[0], unsaid, *cut.messages[2:])))
        == 0
    )


def test_one_wording_of_a_drafted_answer_stands_there_five_times(
    put: Callable[..., Path], run: Callable[..., Any], tmp_path: Path
):
    reasons = ("weights", "cache", "driver", "licence", "tokenizer", "certificate", "kernel")
    made = []
    for number, reason in enumerate(reasons):
        said = [
            say("user", f"Restart vllm on gpu7 for the new {reason}."),
            say(
                "assistant",
                f"I restart it because of the {reason}.",
                bash(RESTART, CUT, limit=15_000, cut=True),
            ),
            say("assistant"),
            say("user", f"Good. Then write down what the {reason} changes."),
            say("assistant", f"Here is what the {reason} changes."),
        ]
        made.append(session(f"ses_word{number:04}", said, directory=f"/home/anna/{reason}"))
    out = tmp_path / "set"
    assert run("curate", put(*made), "-o", out, "--split", "all=1", "--dedup", "exact").code == 0
    drafted = Counter(row["chosen"][0]["content"] for row in rows(out, "pairs") if row["drafted"])
    assert drafted
    assert max(drafted.values()) == 5
    assert manifest(out)["counts"]["pairs_same_words"] == 2
