"""The documentation is complete: every command, option, rule, fixture and file that users meet is in it."""

import importlib
import re
import tomllib
from pathlib import Path

import click
import pytest

from sessionlens import __version__, catalogue
from sessionlens.cli import COMMANDS, cli
from sessionlens.cli.rules import COMMANDS as RULES_COMMANDS

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text("utf-8")


def leaves() -> list[tuple[str, click.Command]]:
    found: list[tuple[str, click.Command]] = []
    stack: list[tuple[str, click.Command]] = [("", cli)]
    while stack:
        name, command = stack.pop()
        if isinstance(command, click.Group):
            context = click.Context(command)
            for inner in command.list_commands(context):
                made = command.get_command(context, inner)
                assert made is not None
                stack.append((f"{name} {inner}".strip(), made))
        else:
            found.append((name, command))
    return sorted(found, key=lambda pair: pair[0])


COMMAND_LINES = leaves()
each = pytest.mark.parametrize(("name", "command"), COMMAND_LINES, ids=[name for name, _ in COMMAND_LINES])


@each
def test_every_command_is_in_the_readme(name: str, command: click.Command):
    assert name in README, f"README.md does not name `{name}`"


@each
def test_every_option_has_a_help_text(name: str, command: click.Command):
    assert command.help
    for param in command.params:
        if isinstance(param, click.Option):
            assert param.help, f"{name} {param.opts[0]} has no help text"


def test_the_lines_of_the_help_are_those_of_the_commands():
    for entries in (COMMANDS, RULES_COMMANDS):
        for name, entry in entries.items():
            module, _, attribute = entry.place.partition(":")
            command = getattr(importlib.import_module(module), attribute)
            assert entry.help == (command.help or "").split("\n\n", maxsplit=1)[0].replace("\n", " "), name


def test_options_that_mean_the_same_everywhere_are_worded_the_same():
    seen: dict[str, str] = {}
    for name, command in COMMAND_LINES:
        for param in command.params:
            if isinstance(param, click.Option) and param.opts[-1] in (
                "--reader", "--session", "--redact", "--rules", "--select", "--ignore", "--config", "--quiet",
            ):  # fmt: skip
                text = seen.setdefault(param.opts[-1], param.help or "")
                assert param.help == text, f"{name} {param.opts[-1]}"


def test_every_rule_is_in_the_readme_and_the_changelog():
    changes = (ROOT / "CHANGELOG.md").read_text("utf-8")
    for slug in catalogue.shipped():
        assert f"`{slug}`" in README
        assert f"`{slug}`" in changes


def test_the_changelog_has_one_heading_a_release():
    headings = re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert headings[0].startswith(__version__)
    assert len(headings) == len(set(headings))
    assert tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"] == __version__


def test_exit_codes_and_configuration_are_told():
    for words in (
        "2 wrong usage",
        "3 a source could not be read",
        "4 a rule crashed",
        "sessionlens.toml",
        "--rules DIR",
    ):
        assert words in README
    # The example of the README is a configuration that loads.
    from sessionlens import config

    (example,) = re.findall(r"```toml\n(.*?)```", README, re.DOTALL)
    assert config.parse(example.encode()).environments.production.hosts == ("10.1.*", "db-main")


def test_local_links_lead_somewhere():
    for page in ("README.md", "CONTRIBUTING.md"):
        for target in re.findall(r"\]\(([^)#:]+)\)", (ROOT / page).read_text("utf-8")):
            assert (ROOT / target).exists(), f"{page}: {target}"


def test_paths_named_in_the_documentation_exist():
    for page in ("README.md", "CONTRIBUTING.md", "Makefile"):
        for target in re.findall(
            r"\b((?:fixtures|sessionlens|tests)/[\w./-]+\.\w+)", (ROOT / page).read_text("utf-8")
        ):
            assert (ROOT / target).exists(), f"{page}: {target}"


def test_targets_named_in_the_documentation_exist():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    for page in ("README.md", "CONTRIBUTING.md", ".ci/run"):
        named = set(re.findall(r"^\s*make ([a-z-]+)", (ROOT / page).read_text("utf-8"), re.MULTILINE))
        assert named <= targets, page


def test_every_fixture_is_registered():
    """Each file stands under the heading of its folder; an entry that ends with ``…`` stands for all below it."""
    register: dict[str, list[str]] = {}
    folder = ""
    for line in (ROOT / "fixtures" / "README.md").read_text("utf-8").splitlines():
        if line.startswith("## "):
            folder = line[3:].strip()
        elif line.startswith("- `"):
            register.setdefault(folder, []).append(line[3:].partition("`")[0])
    missing = []
    for file in sorted((ROOT / "fixtures").glob("*/**/*")):
        folder, _, name = file.relative_to(ROOT / "fixtures").as_posix().partition("/")
        known = register.get(folder, ())
        if file.is_file() and not any(
            name.startswith(entry[:-1]) if entry.endswith("…") else name == entry for entry in known
        ):
            missing.append(f"{folder}/{name}")
    assert not missing, f"{len(missing)} not in fixtures/README.md, such as {missing[:5]}"
    for folder, names in register.items():
        for name in names:
            assert (ROOT / "fixtures" / folder / name.removesuffix("…")).exists(), (
                f"{folder}/{name} is not there"
            )


def test_no_machine_is_named_in_what_is_committed():
    place = re.compile(r"/(?:work|farm)/|/opt/sl|pypi-more")
    for file in (*ROOT.glob("*.md"), ROOT / "Makefile", ROOT / "pyproject.toml", ROOT / ".ci" / "run",
                 *(ROOT / "sessionlens").rglob("*.py"), *(ROOT / "rules").glob("*")):  # fmt: skip
        if file.is_file():
            assert not place.search(file.read_text("utf-8")), file


def test_the_table_of_formats_is_fresh():
    assert catalogue.formats(README) == README, "run `make catalogue`"
