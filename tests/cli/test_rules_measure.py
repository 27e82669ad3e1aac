"""``sessionlens rules measure``."""

import json
from pathlib import Path

import pytest

LOG = """<conversation_data format="sessionlens/1" session="{name}">
  <msg id="1" role="user"><text>where is it?</text></msg>
  <msg id="2" role="assistant"><tool name="bash" status="completed"><input>{{"command": "grep -rn limit src"}}</input><output>a</output></tool></msg>
  <msg id="3" role="assistant"><tool name="bash" status="completed"><input>{{"command": "{second}"}}</input><output>a</output></tool></msg>
  <msg id="4" role="assistant"><text>There.</text></msg>
</conversation_data>
"""


@pytest.fixture
def labelled(tmp_path: Path) -> Path:
    folder = tmp_path / "labelled"
    folder.mkdir()
    (folder / "loop.xml").write_text(LOG.format(name="loop", second="grep -rn limit src"), "utf-8")
    (folder / "clean.xml").write_text(LOG.format(name="clean", second="grep -rn limit lib"), "utf-8")
    rows = [
        {
            "file": "loop.xml",
            "rule": "step-loop",
            "message_index": 2,
            "verdict": "yes",
            "why": "the same search",
        },
        {"file": "loop.xml", "rule": "step-loop", "message_index": 3, "verdict": "yes", "why": "not really"},
        {"file": "clean.xml", "rule": "step-loop", "message_index": None, "verdict": "no", "why": ""},
    ]
    (folder / "labels.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return folder


def test_figures_and_every_miss_with_its_place(run, labelled: Path):
    done = run("rules", "measure", labelled)
    assert done.code == 0, done.err
    assert "step-loop: precision 1.000 [" in done.out
    assert "recall 0.500 [" in done.out
    assert (
        "2 sessions, 2 labels, 1 found, 1 missed, 0 false alarms; 0 of 1 clean sessions with one" in done.out
    )
    assert "missed: loop.xml, message 3: not really" in done.out


def test_json(run, labelled: Path):
    done = run("rules", "measure", labelled, "step-loop", "--json")
    document = json.loads(done.out)
    (row,) = document["rules"]
    assert (row["hits"], row["recall"]["value"], row["misses"][0]["message_index"]) == (1, 0.5, 3)
    assert document["not_read"] == []


def fingerprint(run, log: Path) -> str:
    audit = json.loads(run("audit", log, "--format", "json", "-o", "-", "-q").out)
    (finding,) = [row for row in audit["findings"] if row["rule"] == "step-loop"]
    return str(finding["fingerprint"])


def reviewed(file: Path, session: str, *verdicts: tuple[str, str]) -> None:
    rows = [{"fingerprint": f, "rule": "step-loop", "verdict": v, "note": "wanted"} for f, v in verdicts]
    file.write_text(
        json.dumps({"schema": "sessionlens.review/1", "session": session, "verdicts": rows}), "utf-8"
    )


def test_a_dismissed_finding_is_a_false_alarm_and_one_gone_is_missed(run, labelled: Path):
    (labelled / "labels.jsonl").unlink()
    reviewed(
        labelled / "loop.review.json",
        "loop",
        (fingerprint(run, labelled / "loop.xml"), "dismiss"),
        ("0123456789abcdef", "confirm"),
    )
    done = run("rules", "measure", labelled)
    assert done.code == 0, done.err
    assert "step-loop (by reviews): precision 0.000 [" in done.out
    assert "recall 0.000 [" in done.out
    assert "false alarm: loop.xml, message 2, line 4: wanted" in done.out
    assert "missed: loop.xml, no longer found: wanted" in done.out


def test_reviews_beside_labels_are_measured_by_themselves(run, labelled: Path):
    reviewed(labelled / "review.json", "loop", (fingerprint(run, labelled / "loop.xml"), "correct"))
    reviewed(labelled / "elsewhere.review.json", "elsewhere", ("0123456789abcdef", "confirm"))
    done = run("rules", "measure", labelled)
    assert (done.code, "left out: elsewhere" in done.err) == (0, True)
    assert "step-loop: precision 1.000 [" in done.out
    assert "step-loop (by reviews): precision -, recall -" in done.out
    assert "corrected: loop.xml, message 2, line 4: wanted" in done.out
    rows = json.loads(run("rules", "measure", labelled, "--json").out)["rules"]
    assert [(row["by"], len(row["corrected"])) for row in rows] == [("labels", 0), ("reviews", 1)]


def test_a_verdict_that_does_not_name_its_rule(run, labelled: Path):
    file = labelled / "review.json"
    reviewed(file, "loop", (fingerprint(run, labelled / "loop.xml"), "confirm"))
    file.write_text(file.read_text("utf-8").replace('"rule": "step-loop", ', ""), "utf-8")
    (labelled / "labels.jsonl").unlink()
    done = run("rules", "measure", labelled)
    assert done.code == 0, done.err
    assert [row.split(":")[0] for row in done.out.splitlines() if row[0] != " "] == ["step-loop (by reviews)"]


def test_what_is_missing_is_said(run, labelled: Path, tmp_path: Path):
    empty = tmp_path / "empty"
    empty.mkdir()
    assert (
        run("rules", "measure", empty).code,
        "holds neither labels.jsonl nor a review.json" in run("rules", "measure", empty).err,
    ) == (2, True)
    with (labelled / "labels.jsonl").open("a", encoding="utf-8") as labels:
        labels.write('{"file": "gone.xml", "rule": "step-loop", "message_index": 1, "verdict": "yes"}\n')
    done = run("rules", "measure", labelled)
    assert done.code == 3
    assert "gone.xml" in done.err
    assert "2 sessions, 2 labels" in done.out


@pytest.mark.parametrize(
    ("place", "says"),
    [
        ({"message_index": 4}, "labels.jsonl:5: message 4 is not in loop.xml, which has messages 0 to 3"),
        ({"message_index": -1}, "labels.jsonl:5: message -1 is not in loop.xml, which has messages 0 to 3"),
        ({"message_index": 1, "session": "x"}, "labels.jsonl:5: session x is not in loop.xml; there is loop"),
    ],
)
def test_a_place_that_is_not_in_the_log_is_told_with_file_and_line(
    run, labelled: Path, place: dict, says: str
):
    row = {"file": "loop.xml", "rule": "step-loop", "verdict": "yes", **place}
    with (labelled / "labels.jsonl").open("a", encoding="utf-8") as labels:
        labels.write(f"\n{json.dumps(row)}\n")
    done = run("rules", "measure", labelled)
    assert done.code == 2
    assert says in done.err


def test_a_file_without_a_label_is_not_called_missing(run, labelled: Path):
    (labelled / "labels.jsonl").write_text("\n  \n", "utf-8")
    done = run("rules", "measure", labelled)
    assert done.code == 2
    assert "labelled/labels.jsonl: holds no label; one is a line such as" in done.err
    assert "neither" not in done.err


def test_a_label_cannot_lead_out_of_the_folder(run, labelled: Path):
    (labelled / "labels.jsonl").write_text(
        '{"file": "../secret.xml", "rule": "step-loop", "message_index": 1, "verdict": "yes"}\n', "utf-8"
    )
    done = run("rules", "measure", labelled)
    assert (done.code, "outside the folder" in done.err) == (2, True)


def test_rules_that_are_not_there(run, labelled: Path):
    with (labelled / "labels.jsonl").open("a", encoding="utf-8") as labels:
        labels.write(
            '{"file": "clean.xml", "rule": "somebody-elses", "message_index": null, "verdict": "no"}\n'
        )
    done = run("rules", "measure", labelled)
    assert (done.code, "left out: somebody-elses" in done.err) == (0, True)
    assert run("rules", "measure", labelled, "nobody").code == 2


def test_bars_on_the_public_traces(run, corpus: Path):
    """The figures that the catalogue promises, on the part of the public traces that is at hand."""
    loops = json.loads(run("rules", "measure", corpus / "bench" / "loops", "--json").out)["rules"][0]
    assert loops["precision"]["value"] >= 0.95
    assert loops["recall"]["value"] >= 0.65
    rows = json.loads(
        run(
            "rules", "measure", corpus / "bench" / "stepshield", "claim-contradicted-by-evidence", "--json"
        ).out
    )
    (claims,) = rows["rules"]
    assert claims["false_alarm_rate"]["value"] <= 0.05
    assert claims["recall"]["value"] >= 0.38
