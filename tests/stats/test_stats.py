"""Figures over a corpus, compared, written down, and as a corpus in memory."""

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import sessionlens
from sessionlens.corpus import load
from sessionlens.curate.extract import Order
from sessionlens.safe import cell
from sessionlens.stats.compare import compare
from sessionlens.stats.figures import figures
from tests.curate.conftest import bash, edited, say, session, silent, told

MISSION = ("empty-message-after-timeout", "unacknowledged-long-running-restart", "unverified-production-edit")


def test_rates_are_of_sessions_with_intervals(logs: Path):
    corpus = load(logs, order=Order(select=MISSION))
    found = figures(corpus)
    assert found.counts["sessions"] == 7 == len(corpus)
    rates = {(row.table, row.what, row.kind): row for row in found.rates}
    silence = rates["rule", "empty-message-after-timeout", "fault"]
    assert (silence.hits, silence.total) == (2, 7)
    assert silence.low < 2 / 7 < silence.high
    assert rates["model", "model-b", ""].hits == 0
    assert rates["model", "model-a", ""].hits == 3
    assert rates["model", "model-a", ""].total == 5
    assert rates["tool limits", "bash", ""].hits == 4
    assert rates["tool limits", "bash", ""].total == 5
    told_of = rates["handling", "open operations that the reader was told of", ""]
    assert (told_of.hits, told_of.total) == (2, 4)
    times = {(row.what, row.unit): row for row in found.times}
    acknowledged = times["time to acknowledge", "ms"]
    assert (acknowledged.reached, acknowledged.never) == (2, 2)
    assert acknowledged.median == 60_000


def test_a_rule_is_not_counted_where_the_log_cannot_show_it(put: Callable[..., Path]):
    import msgspec

    from sessionlens.curate.rows import SessionRow

    corpus = sessionlens.load(put(silent("ses_aaaaaa"), told("ses_bbbbbb")))
    rows: list[SessionRow] = corpus.tables["sessions"]
    corpus.tables["sessions"] = [
        msgspec.structs.replace(row, not_checkable=("empty-message-after-timeout",))
        if row.session == "ses_bbbbbb" else row
        for row in rows
    ]  # fmt: skip
    rate = next(row for row in figures(corpus).rates if row.what == "empty-message-after-timeout")
    assert (rate.hits, rate.total) == (1, 1)


def test_frames_are_pandas_with_ordered_words(logs: Path):
    frames = sessionlens.load(logs).frames()
    assert set(frames) == {
        "sessions", "steps", "findings", "operations", "changes", "tools", "episodes", "pairs",
    }  # fmt: skip
    assert (frames["findings"]["severity"] >= "high").sum() >= 2
    assert str(frames["sessions"]["started"].dtype).startswith("datetime64")
    assert frames["steps"]["messages"].iloc[0][0]["role"] == "user"
    shown = sessionlens.load(logs)._repr_html_()
    assert "empty-message-after-timeout" in shown
    assert "<script" not in shown


def test_a_data_set_loads_like_its_logs(logs: Path, run: Callable[..., Any], tmp_path: Path):
    assert run("curate", logs, "-o", tmp_path / "set").code == 0
    one, other = sessionlens.load(logs), sessionlens.load(tmp_path / "set")
    assert figures(one).rates == figures(other).rates
    assert "7 sessions" in repr(other)
    packed = tmp_path / "packed"
    if run("curate", logs, "-o", packed, "--format", "parquet").code == 0:
        assert figures(sessionlens.load(packed)).rates == figures(one).rates
    with pytest.raises(ValueError, match="no such file"):
        sessionlens.load(tmp_path / "absent")


def test_comparison_of_two_corpora(put: Callable[..., Path]):
    bad = put(*(silent(f"ses_bad{n:03d}", directory=f"/home/x/a{n}") for n in range(12)), folder="bad")
    good = put(*(told(f"ses_good{n:03d}", directory=f"/home/x/b{n}") for n in range(12)), folder="good")
    found = compare(sessionlens.load(bad), sessionlens.load(good))
    rows = {(row.table, row.what): row for row in found.differences}
    silence = rows["rule", "empty-message-after-timeout"]
    assert (silence.a, silence.b, silence.n_a, silence.n_b) == (1.0, 0.0, 12, 12)
    assert silence.p is not None
    assert silence.p < 1e-5
    assert silence.corrected is not None
    assert silence.corrected >= silence.p
    assert silence.size == "large"
    assert silence.difference == -1
    same = compare(sessionlens.load(bad), sessionlens.load(bad))
    assert all(row.p in (None, pytest.approx(1.0)) for row in same.differences)


def test_the_page_is_plain_and_hostile_names_stay_text(
    put: Callable[..., Path], run: Callable[..., Any], tmp_path: Path
):
    logs = put(
        session("ses_hostile1", [
            say("user", "Run it, and tell me in a word how that went on the machine under my desk please."),
            say("assistant", "I run it.", bash("make all", "ok")),
        ], model="<script>alert(1)</script>=cmd|' /C calc'!A0"),
        silent("ses_silent77"),
    )  # fmt: skip
    done = run("stats", logs, "-o", "page.html", "-o", "figures.json", "-o", "tables/")
    assert done.code == 0, done.err
    page = (tmp_path / "page.html").read_text("utf-8")
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert "Content-Security-Policy" in page
    assert page.count("<svg") >= 1
    for file in sorted((tmp_path / "tables").glob("*.csv")):
        for row in csv.reader(io.StringIO(file.read_text("utf-8"), newline="")):
            assert not any(value[:1] in "=+@" and value for value in row), row
    assert json.loads((tmp_path / "figures.json").read_text("utf-8"))["schema"] == "sessionlens.stats/1"


def test_cells_are_no_formulas():
    for text in ("=1+1", "+1", "-1", "@x", "\t=1", "\r=1", "＝1", "  =1"):
        assert cell(text).startswith("'"), text
    assert cell("plain = text") == "plain = text"
    assert "\x1b" not in cell("a\x1b[31m")
    assert "\n" not in cell("a\nb")


def test_the_command_prints_compares_and_filters(logs: Path, run: Callable[..., Any], tmp_path: Path):
    printed = run("stats", logs)
    assert printed.code == 0, printed.err
    assert "empty-message-after-timeout" in printed.out
    assert "time to acknowledge" in printed.out
    compared = run("stats", logs, "--compare", "model == 'model-a'", "model == 'model-b'")
    assert compared.code == 0, compared.err
    assert "Differences, B against A" in compared.out
    part = run("stats", logs, "--where", "model == 'model-b'")
    assert "2 sessions" in part.out
    one = run("stats", "--compare", logs, logs, "-o", tmp_path / "cmp.html")
    assert one.code == 0, one.err
    again = run("stats", "--compare", logs, logs, "-o", tmp_path / "cmp2.html")
    assert again.code == 0
    assert (tmp_path / "cmp.html").read_bytes() == (tmp_path / "cmp2.html").read_bytes()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((), "CORPUS"),
        (("x.pdf",), None),
        (("--compare", "nosuch", "other"), "a filter needs a CORPUS"),
    ],
)
def test_wrong_usage(run: Callable[..., Any], logs: Path, options: tuple[str, ...], words: str | None):
    done = run("stats", logs, "-o", options[0]) if words is None else run("stats", *options)
    assert done.code == 2
    assert words is None or words in done.err
    assert run("stats", logs, "--where", "episodes: kind == 'good'").code == 2
    assert run("stats", logs, "--where", "@x").code == 2


def test_what_cannot_be_read_is_told(run: Callable[..., Any], logs: Path, tmp_path: Path):
    (logs / "broken.json").write_text('{"messages": [', "utf-8")
    done = run("stats", logs, "-o", tmp_path / "p.html")
    assert done.code == 3
    assert "broken.json" in (tmp_path / "p.html").read_text("utf-8")
    assert run("stats", tmp_path / "absent").code == 3


def test_an_edit_that_was_never_checked_has_no_time(put: Callable[..., Path]):
    found = figures(sessionlens.load(put(edited("ses_edited99"))))
    verify = next(row for row in found.times if row.what == "time to verify")
    assert verify.never >= 1
    assert verify.median is None
