"""What the person forbade, limited and demanded, and what calls did to files: as the graph holds it."""

from __future__ import annotations

import pytest

from sessionlens.examples import Example, Step, asks, bash, edit, read, tool, write
from sessionlens.graph.constraints import Constraint
from sessionlens.graph.file_changes import difference
from sessionlens.graph.path_words import within
from sessionlens.graph.session_graph import SessionGraph

HOME = "/home/dev/project"


def _graph(*steps: Step) -> SessionGraph:
    session, _ = Example("words", *steps).build()
    return SessionGraph(session)


def _only(text: str) -> Constraint:
    (found,) = (one for one in _graph(asks(text)).constraints if one.direct)
    return found


@pytest.mark.parametrize(
    ("text", "mood", "deeds", "paths"),
    [
        ("Do not touch src/legacy/ or docs/.", "forbids", {"change"}, ("src/legacy/", "docs/")),
        ("don't commit or push anything", "forbids", {"commit", "push"}, ()),
        ("Fix it without deleting data/raw.csv", "forbids", {"delete"}, ("data/raw.csv",)),
        ("Only change src/pay.py and src/cart.py.", "limits", {"change"}, ("src/pay.py", "src/cart.py")),
        ("All changes in src/products/", "limits", {"change"}, ("src/products/",)),
        ("read-only please, this is production", "reads_only", set(), ()),
        ("You must run the tests before committing", "demands", {"run", "commit"}, ()),
        ("Bitte keine Tests löschen", "forbids", {"delete"}, ()),
        ("ne supprime pas le dossier data/", "forbids", {"delete"}, ("data/",)),
        ("no borres nada de data/", "forbids", {"delete"}, ("data/",)),
        ("não altere src/legacy/", "forbids", {"change"}, ("src/legacy/",)),
        ("не удаляй папку data/", "forbids", {"delete"}, ("data/",)),
        ("меняй только src/pay.py", "limits", {"change"}, ("src/pay.py",)),
        ("不要删除 data/ 目录", "forbids", {"delete"}, ("data/",)),
    ],
)  # fmt: skip
def test_instruction(text: str, mood: str, deeds: set[str], paths: tuple[str, ...]) -> None:
    found = _only(text)
    assert found.mood == mood
    assert found.deeds >= deeds
    assert found.paths == paths
    assert found.quote in text


@pytest.mark.parametrize(
    "text",
    [
        "The server does not start.",
        "It never finishes, and there are no logs.",
        "Don't you think that is slow?",
        "I don't know why it fails.",
        "```\nnever push to main\n```",
        "> do not edit",
        "The hook is only called once.",
        "That works without errors.",
    ],
)
def test_no_instruction(text: str) -> None:
    assert not [one for one in _graph(asks(text)).constraints if one.direct and one.mood != "demands"]


def test_a_condition_stands_apart() -> None:
    found = _only("Never overwrite destination files without verifying they match.")
    assert found.condition.startswith("without verifying")
    assert found.deeds == {"change"}


def test_asking_first_is_seen() -> None:
    assert _only("Ask me before you deploy anything.").ask_first


def test_an_edit_shows_both_texts() -> None:
    (change,) = _graph(asks("go"), edit(f"{HOME}/a.py", "x = 1", "x = 2")).file_changes
    assert (change.how, change.removed, change.added, change.shown) == ("edit", "x = 1", "x = 2", True)


def test_a_rewrite_is_held_against_what_was_read() -> None:
    graph = _graph(
        asks("go"),
        read(f"{HOME}/a.py", "x = 1\ny = 2"),
        write(f"{HOME}/a.py", "x = 1\ny = 3"),
    )
    (change,) = graph.file_changes
    assert (change.removed, change.added, change.new_file) == ("y = 2", "y = 3", False)


def test_what_the_session_wrote_is_its_own() -> None:
    graph = _graph(
        asks("go"), write(f"{HOME}/b.py", "x = 1"), edit(f"{HOME}/b.py", "1", "2"), bash("rm b.py")
    )
    assert [change.new_file for change in graph.file_changes] == [True, True, True]
    assert graph.file_changes[-1].how == "delete"


def test_shell_lines_change_files() -> None:
    graph = _graph(
        asks("go"),
        bash("sed -i 's/a == 1/a == 2/' tests/test_a.py"),
        bash("cat > b.txt <<'EOF'\none\ntwo\nEOF"),
        bash("echo three >> b.txt"),
        bash("mv c.py d.py"),
        bash("rm -rf old"),
    )
    rows = [(change.path, change.how, change.removed, change.added.strip()) for change in graph.file_changes]
    assert rows == [
        ("tests/test_a.py", "edit", "a == 1", "a == 2"),
        ("b.txt", "write", "", "one\ntwo"),
        ("b.txt", "append", "", "three"),
        ("c.py", "move", "", ""),
        ("d.py", "edit", "", ""),
        ("old", "delete", "", ""),
    ]


def test_patches_change_files() -> None:
    patch = "*** Begin Patch\n*** Update File: src/a.py\n@@\n-x = 1\n+x = 2\n*** End Patch"
    (change,) = _graph(asks("go"), tool("apply_patch", {"patchText": patch}, output="Done")).file_changes
    assert (change.path, change.removed, change.added) == ("src/a.py", "x = 1", "x = 2")


def test_patches_by_the_shell_change_files() -> None:
    patch = "*** Begin Patch\n*** Update File: src/a.py\n@@\n-x = 1\n+x = 2\n*** Delete File: src/b.py\n*** End Patch"
    graph = _graph(asks("go"), tool("shell", {"command": ["apply_patch", patch]}, output="Done"))
    rows = [(change.path, change.how, change.removed, change.added) for change in graph.file_changes]
    assert rows == [("src/a.py", "edit", "x = 1", "x = 2"), ("src/b.py", "delete", "", "")]
    line = f"apply_patch <<'EOF'\n{patch}\nEOF"
    graph = _graph(asks("go"), tool("exec_command", {"cmd": line}, output="Done"))
    assert [(change.path, change.removed) for change in graph.file_changes][:1] == [("src/a.py", "x = 1")]


def test_a_failed_edit_changed_nothing() -> None:
    assert not _graph(asks("go"), edit(f"{HOME}/a.py", error="oldString not found")).file_changes


def test_difference_counts_lines() -> None:
    assert difference("a\na\nb", "a\nb\nc") == ("a", "c")


@pytest.mark.parametrize(
    ("path", "named", "inside"),
    [
        ("src/auth/user.py", "src/auth/", True),
        ("/home/dev/project/src/auth/user.py", "src/auth", True),
        ("src/authors/user.py", "src/auth/", False),
        ("/etc/hosts", "/etc/", True),
        ("project/etc/hosts", "/etc/", True),
        ("/srv/etc/hosts", "/etc/", False),
        ("logs/app/a.log", "logs/*", True),
        ("src/a.py", "", False),
    ],
)
def test_within(path: str, named: str, inside: bool) -> None:
    assert within(path, named) is inside


def test_a_later_message_lifts_an_instruction() -> None:
    push = bash("git push origin main", output="main -> main")
    assert _graph(asks("don't push"), push).violations
    assert not _graph(asks("don't push"), asks("now push it"), push).violations


def test_a_limit_holds_for_its_turn() -> None:
    other = edit(f"{HOME}/src/b.py")
    assert _graph(asks("Only change src/a.py."), other).strays
    assert not _graph(asks("Only change src/a.py."), asks("thanks, next: fix the types"), other).strays


def test_the_work_is_linear_in_events(monkeypatch: pytest.MonkeyPatch) -> None:
    count = 0

    def counted(path: str, named: str) -> bool:
        nonlocal count
        count += 1
        return within(path, named)

    monkeypatch.setattr("sessionlens.graph.scope.within", counted)

    def cost(turns: int) -> int:
        nonlocal count
        steps = [asks("Do not touch src/legacy/. Never use --force. Only change src/a.py.")]
        for number in range(turns):
            steps += [edit(f"{HOME}/src/{number}.py"), bash(f"make part{number}", output="ok"), asks("go on")]
        graph, count = _graph(*steps), 0
        _ = graph.violations, graph.strays
        return count

    assert 0 < cost(80) <= 2.2 * cost(40)
