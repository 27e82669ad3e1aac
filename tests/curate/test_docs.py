"""The worked example of the documentation works as it stands."""

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sessionlens.curate.render import FORMS
from sessionlens.curate.rows import TABLES


def test_three_commands_from_logs_to_masked_rows(
    root: Path, logs: Path, run: Callable[..., Any], tmp_path: Path
):
    page = (root / "docs/curate.md").read_text("utf-8")
    block = re.search(r"```console\n(.*?)```", page, re.DOTALL)
    assert block is not None
    install, curate, load = block[1].strip().splitlines()
    assert install.startswith("pip install")
    # What the last command imports is in the first; the second needs no file besides the logs.
    assert "from datasets import" in load
    assert install.split()[-1] == "datasets"
    assert "--origins" not in curate
    parquet = pytest.importorskip("pyarrow.parquet")
    program, *arguments = shlex.split(curate)
    assert program == "sessionlens"
    done = run(*arguments)
    assert done.code == 0, done.err
    pattern = re.search(r"data_files='([^']+)'", load)
    assert pattern is not None
    files = sorted(tmp_path.glob(pattern[1]))
    assert files
    rows = [row for file in files for row in parquet.read_table(file).to_pylist()]
    assert rows
    for row in rows:
        assert any(message["loss"] for message in row["messages"])
        assert isinstance(json.loads(row["tools"]), list)


def test_every_table_and_form_is_named(root: Path):
    page = (root / "docs/curate.md").read_text("utf-8")
    for name in (*TABLES, *FORMS):
        assert name in page, name


def test_the_template_of_the_page_marks_all_that_the_assistant_wrote(root: Path):
    jinja2 = pytest.importorskip("jinja2")
    page = (root / "docs/curate.md").read_text("utf-8")
    block = re.search(r"```jinja\n(.*?)```", page, re.DOTALL)
    assert block is not None
    text = block[1].replace("{% generation %}", "[").replace("{% endgeneration %}", "]")
    call = {"function": {"name": "bash", "arguments": {"command": "ls"}}}
    messages = [
        {"role": "user", "content": "List it."},
        {"role": "assistant", "content": None, "tool_calls": [call], "loss": True},
        {"role": "tool", "content": "a.txt"},
        {"role": "assistant", "content": "One.", "tool_calls": None, "loss": False},
    ]
    made = jinja2.Environment().from_string(text).render(messages=messages)
    marked = re.findall(r"\[(.*?<\|end\|>)\]", made)
    assert len(marked) == 1
    assert '"command": "ls"' in marked[0]
    assert "a.txt" in made
    assert "One." in made
