"""Calls of the clients' own tools."""

from __future__ import annotations

from typing import Any

import pytest

from sessionlens.shell import command_line, read_call

PATCH = "*** Begin Patch\n*** Update File: a/b.py\n@@\n-x\n+y\n*** Add File: c.txt\n+z\n*** Delete File: d.txt\n*** End Patch"


@pytest.mark.parametrize(
    ("tool", "arguments", "effect", "names"),
    [
        ("edit", {"filePath": "/etc/x", "oldString": "a", "newString": "b"}, "edit", ["/etc/x"]),
        ("Write", {"file_path": "a.py", "content": "b"}, "edit", ["a.py"]),
        ("MultiEdit", {"file_path": "a", "edits": [{"old_string": "a", "new_string": "b"}]}, "edit", ["a"]),
        ("NotebookEdit", {"notebook_path": "a.ipynb", "new_source": "b"}, "edit", ["a.ipynb"]),
        ("write_to_file", {"path": "a", "content": "b"}, "edit", ["a"]),
        ("replace_in_file", {"path": "a", "diff": "b"}, "edit", ["a"]),
        ("replace", {"file_path": "a", "old_string": "b", "new_string": "c"}, "edit", ["a"]),
        ("str_replace_editor", {"command": "create", "path": "a", "file_text": "b"}, "edit", ["a"]),
        ("str_replace_based_edit_tool", {"command": "view", "path": "a"}, "read", ["a"]),
        ("read", {"filePath": "a"}, "read", ["a"]),
        ("mcp__files__read_file", {"path": "a"}, "read", ["a"]),
        ("grep", {"pattern": "x", "path": "src"}, "read", ["src"]),
        ("patch", {"patchText": "--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\n"}, "edit", ["x.py"]),
        ("webfetch", {"url": "http://localhost:3000"}, "check", ["http://localhost:3000"]),
        ("write_stdin", {"session_id": 3, "chars": ""}, "check", ["3"]),
        ("KillShell", {"shell_id": "b1"}, "stop", ["b1"]),
        ("execute_sql", {"query": "TRUNCATE orders", "project_id": "shop"}, "write_data", ["shop"]),
        ("mcp__postgres__query", {"sql": "SELECT * FROM orders", "database": "shop"}, "check", ["shop"]),
        (
            "dbhub_execute_sql",
            {"sql": "UPDATE orders SET vat = 24", "source": "billing-prod"},
            "write_data",
            ["billing-prod"],
        ),
        ("run_query", {"query": "SELECT 1 FROM orders", "connection_name": "reports"}, "check", ["reports"]),
        ("mcp__db__execute", {"sql": "update users set a = 1", "db": "shop"}, "write_data", ["shop"]),
        ("mcp__warehouse__run", {"query": "delete from users", "database": "shop"}, "write_data", ["shop"]),
        ("apply_migration", {"query": "-- 7\nALTER TABLE a ADD b int", "db": "shop"}, "migrate", ["shop"]),
    ],
)
def test_tool(tool: str, arguments: dict[str, Any], effect: str, names: list[str]) -> None:
    commands = read_call(tool, arguments)
    assert [c.target.name for c in commands] == names
    assert {c.effect for c in commands} == {effect}


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("apply_patch", {"input": PATCH}),
        ("apply_patch", {"patchText": PATCH}),
        ("shell", {"command": ["apply_patch", PATCH]}),
        ("exec_command", {"cmd": f"apply_patch <<'EOF'\n{PATCH}\nEOF"}),
    ],
)
def test_patches_tell_their_files(tool: str, arguments: dict[str, Any]) -> None:
    assert [(c.effect, c.target.name) for c in read_call(tool, arguments)] == [
        ("edit", "a/b.py"),
        ("edit", "c.txt"),
        ("delete", "d.txt"),
    ]


@pytest.mark.parametrize(
    ("tool", "arguments", "line"),
    [
        ("bash", {"command": "ls -l"}, "ls -l"),
        ("shell", {"command": ["bash", "-lc", "ls | wc"]}, "ls | wc"),
        ("local_shell", {"action": {"command": ["git", "commit", "-m", "a b"]}}, "git commit -m 'a b'"),
        ("functions.exec_command", {"cmd": "ls"}, "ls"),
        ("run_shell_command", {"command": "ls"}, "ls"),
        ("execute_command", {"command": "ls"}, "ls"),
        ("edit", {"filePath": "a"}, None),
        ("todowrite", {"todos": []}, None),
    ],
)
def test_command_line(tool: str, arguments: dict[str, Any], line: str | None) -> None:
    assert command_line(tool, arguments) == line


def test_background_mode_of_the_client_detaches() -> None:
    assert all(c.detached for c in read_call("Bash", {"command": "npm start", "run_in_background": True}))


def test_unknown_tools_do_nothing() -> None:
    assert read_call("todowrite", {"todos": []}) == ()
    assert read_call("query_docs", {"query": "select a plan for the team"}) == ()
