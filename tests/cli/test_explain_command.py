"""``sessionlens explain``: one command or text, and many at once."""

import json
from pathlib import Path

KEYS = ["words", "via", "runs_if", "effect", "check_strength", "dry_run", "detached", "long_running", "target",
        "environment", "confidence", "partly_parsed"]  # fmt: skip


def test_one_command_line(run):
    done = run("explain", "command", 'ssh root@gpu7 "systemctl restart vllm"')
    assert (done.code, done.err) == (0, "")
    (command,) = json.loads(done.out)
    assert list(command) == KEYS
    assert (command["words"], command["via"]) == (["systemctl", "restart", "vllm"], ["ssh root@gpu7"])
    assert list(command["target"]) == ["kind", "name", "host", "context", "namespace"]


def test_one_text(run):
    done = run("explain", "text", "The restart timed out.")
    assert done.code == 0
    reading = json.loads(done.out)
    assert list(reading) == ["language", "sentences"]
    (sentence,) = reading["sentences"]
    assert list(sentence) == ["text", "acts"]
    assert "acknowledges_cut_off" in [act["act"] for act in sentence["acts"]]
    for act in sentence["acts"]:
        assert list(act) == ["act", "span", "about"]
        start, end = act["span"]
        assert 0 <= start < end <= len("The restart timed out.")


def test_an_empty_text_is_one_empty_sentence(run):
    done = run("explain", "text", "", "--role", "user")
    assert [sentence["text"] for sentence in json.loads(done.out)["sentences"]] == [""]


def test_a_batch_answers_line_by_line(run):
    lines = ["systemctl restart a", "ls", 'echo "ü\u202e"']
    Path("batch").write_text("\n".join(json.dumps(line) for line in lines) + "\n", "utf-8")
    done = run("explain", "command", "--batch", "batch")
    assert done.code == 0
    answers = [json.loads(row) for row in done.out.splitlines()]
    assert [answer[0]["words"][0] for answer in answers] == ["systemctl", "ls", "echo"]
    piped = run("explain", "command", "--batch", "-", input=Path("batch").read_bytes())
    assert piped.out == done.out


def test_a_bad_line_is_answered_in_its_place(run):
    done = run(
        "explain", "text", "--batch", "-", input='"one"\n\n{"no": "string"}\nnot json\n"\\ud800 two"\n'
    )
    assert done.code == 3
    answers = [json.loads(row) for row in done.out.splitlines()]
    assert ["error" in answer for answer in answers] == [False, True, True, False]
    assert "line 3: not a JSON string" in done.err


def test_configuration_applies(run):
    Path("sessionlens.toml").write_text('[environments.staging]\nhosts = ["gpu7"]\n', "utf-8")
    (command,) = json.loads(run("explain", "command", "ssh gpu7 systemctl restart vllm").out)
    assert command["environment"] == "staging"


def test_wrong_usage(run):
    for args in ((), ("one", "--batch", "-"), ("one", "two")):
        assert run("explain", "command", *args).code == 2
    assert run("explain", "text", "x", "--role", "robot").code == 2
    assert run("explain", "command", "--batch", "nowhere").code == 2
