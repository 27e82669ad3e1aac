"""Who may import whom (ARCHITECTURE), read from the syntax trees; and what ``--help`` may load."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

# What each layer may import of sessionlens, besides itself. "wording" and "safe" are figures and characters worded
# for people, "cache" keeps what is computed from our own files, "plugins" looks for packages, "processes" starts
# others, "meanwhile" copies of this one; they import nothing of sessionlens.
LEAVES = {"wording", "safe", "cache", "plugins", "processes", "meanwhile", "temporary", "memory", ""}
MAY = {
    "model": set(),
    "capabilities": set(),
    "wording": {"targets"},
    "safe": set(),
    "cache": {"temporary"},
    "plugins": set(),
    "processes": {"temporary"},
    "temporary": set(),
    "memory": set(),
    "meanwhile": set(),
    "environments": {"targets"},
    "places": {"targets"},
    "names": {"targets", "environments"},
    "clues": {"shell.command"},
    "targets": {"names", "clues", "environments", "shell.command"},
    "shell": {"targets", "environments"},
    "language": set(),
    "readers": {"model"},
    "scanners": set(),
    "redact": {"model", "scanners"},
    "findings": {"targets"},
    "graph": {"model", "shell", "targets", "environments", "places", "language", "findings"},
    "examples": {"model", "graph", "findings", "targets", "environments", "rule", "engine"},
    "rule": {
        "model",
        "capabilities",
        "graph",
        "findings",
        "targets",
        "environments",
        "shell.command",
        "examples",
    },
    "rules": {"rule", "examples"},
    "declared": {"model", "capabilities", "graph", "findings", "targets", "rule", "examples"},
    "loader": {"rule", "findings", "declared"},
    "explaining": {"engine", "rule", "declared", "graph", "findings", "model", "targets"},
    "injecting": {
        "engine",
        "rule",
        "graph",
        "findings",
        "model",
        "targets",
        "measure",
        "examples",
        "environments",
    },
    "config": {"findings", "targets", "environments"},
    "engine": {"rule", "graph", "findings", "model", "redact", "targets", "environments"},
    "catalogue": {"capabilities", "rule", "loader", "report.json", "measured", "model"},
    "measured": {"measure"},
    "gate": {"engine", "findings", "model", "targets"},
    "narrative": {
        "graph",
        "findings",
        "model",
        "shell",
        "targets",
        "environments",
        "language",
        "engine",
        "rule",
        "redact",
    },
    "report": {
        "narrative",
        "capabilities",
        "findings",
        "engine",
        "graph",
        "model",
        "targets",
        "environments",
        "redact",
        "rule",
        "shell",
    },
    "measure": {"findings"},
    "curate": {
        "shell",
        "model",
        "readers",
        "redact",
        "language",
        "graph",
        "findings",
        "targets",
        "environments",
        "engine",
        "rules",
        "loader",
        "config",
        "narrative",
        "report",
    },
    "corpus": {"curate", "stats"},
    "stats": {"curate", "report"},
    "report_templates": set(),
}


def modules() -> Iterator[tuple[str, Path]]:
    for folder, package in (("sessionlens", "sessionlens"), ("rules", "sessionlens.rules"),
                            ("report_templates", "sessionlens.report_templates")):  # fmt: skip
        for file in sorted((ROOT / folder).rglob("*.py")):
            parts = file.relative_to(ROOT / folder).with_suffix("").parts
            yield ".".join((package, *(part for part in parts if part != "__init__"))), file


def imports(name: str, file: Path) -> Iterator[str]:
    """Every module of sessionlens that a file imports, wherever in it, for types too."""
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.split(".")[0] == "sessionlens")
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name}: relative import"
            if (node.module or "").split(".")[0] == "sessionlens":
                # `from package import module` names a module of the package where there is one.
                yield from (f"{node.module}.{alias.name}" for alias in node.names)


def layer(name: str) -> str:
    return name.split(".")[1] if "." in name else ""


def allowed(importer: str, imported: str) -> bool:
    here, there = layer(importer), layer(imported)
    if here in ("cli", "__main__", "") or here == there:
        return True
    if there == "__version__" or there in LEAVES:
        return True
    return any(
        imported == f"sessionlens.{ok}" or imported.startswith(f"sessionlens.{ok}.")
        for ok in MAY.get(here, ())
    )


ALL = dict(modules())


@pytest.mark.parametrize("name", ALL)
def test_imports_go_one_way(name: str):
    strangers = sorted({one for one in imports(name, ALL[name]) if not allowed(name, one)})
    assert not strangers, f"{name} may not import {', '.join(strangers)}"


def test_every_layer_is_described():
    here = {layer(name) for name in ALL} - {"cli", "__main__", ""}
    assert here <= set(MAY), f"say in MAY what these may import: {sorted(here - set(MAY))}"


def test_nobody_imports_the_command_line():
    for name, file in ALL.items():
        if layer(name) not in ("cli", "__main__"):
            assert not any(layer(one) == "cli" for one in imports(name, file)), name


def test_a_rule_imports_no_other_rule_and_a_reader_no_other_format():
    for name, file in ALL.items():
        if layer(name) == "rules":
            assert all(layer(one) in ("rule", "examples") for one in imports(name, file)), name


def test_the_check_of_imports_sees_faults(tmp_path: Path):
    file = tmp_path / "bad.py"
    file.write_text("def f():\n    from sessionlens.readers import base\n", encoding="utf-8")
    assert list(imports("sessionlens.rules.bad", file)) == ["sessionlens.readers.base"]
    assert not allowed("sessionlens.rules.bad", "sessionlens.readers.base")
    assert not allowed("sessionlens.graph.build", "sessionlens.cli")


def test_no_module_gives_one_name_to_two_things():
    for path in sorted((*(ROOT / "sessionlens").rglob("*.py"), *(ROOT / "rules").glob("*.py"))):
        named: set[str] = set()
        for node in ast.parse(path.read_text("utf-8")).body:
            targets = node.targets if isinstance(node, ast.Assign) else [node]
            for one in targets:
                name = getattr(one, "id", None) or getattr(one, "name", None)
                assert name is None or name not in named, f"{path.relative_to(ROOT)}: {name} stands twice"
                named.add(name or "")


def test_only_one_module_makes_markup():
    for _, file in modules():
        text = file.read_text("utf-8")
        if file.name != "markup.py" or file.parent.name != "report":
            assert "Markup(" not in text, f"{file.name} makes trusted markup"
    for file in (ROOT / "report_templates").glob("*.html"):
        assert not re.search(r"\|\s*safe\b", file.read_text("utf-8")), f"{file.name} switches escaping off"


HEAVY = ("spacy", "pandas", "networkx", "lxml", "jinja2", "tree_sitter", "tree_sitter_bash", "kingfisher", "msgspec",
         "numpy", "sqlite3", "markdown_it", "sessionlens.rule", "sessionlens.readers", "sessionlens.graph")  # fmt: skip


def every_command() -> Iterator[tuple[str, ...]]:
    import click

    from sessionlens.cli import cli

    def walk(command: click.Command, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        yield path
        if isinstance(command, click.Group):
            context = click.Context(command)
            for name in command.list_commands(context):
                inner = command.get_command(context, name)
                assert inner is not None
                yield from walk(inner, (*path, name))

    return walk(cli, ())


def test_help_of_every_command_is_lazy():
    code = (
        "import sys\nfrom sessionlens.cli import cli\nfrom sessionlens.cli.codes import guarded\n"
        "for line in sys.stdin.read().splitlines():\n"
        "    assert guarded(cli, [*line.split(), '--help']) == 0, line\n"
        f"    loaded = [name for name in {HEAVY!r} if name in sys.modules]\n"
        "    assert not loaded, (line, loaded)\n"
    )
    lines = "\n".join(" ".join(path) for path in every_command())
    done = subprocess.run(
        [sys.executable, "-c", code], input=lines, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "Usage: sessionlens" in done.stdout


@pytest.mark.slow
def test_help_takes_at_most_six_times_as_long_as_python_alone():
    import statistics
    import time

    def seconds(*command: str) -> float:
        began = time.perf_counter()
        subprocess.run([sys.executable, *command], capture_output=True, check=True)
        return time.perf_counter() - began

    # In turns, so that a busy machine slows both down.
    pairs = [(seconds("-c", "pass"), seconds("-m", "sessionlens", "--help")) for _ in range(20)]
    alone, with_help = (statistics.median(column) for column in zip(*pairs, strict=True))
    assert with_help <= 6 * alone, f"{with_help / alone:.1f} times"
