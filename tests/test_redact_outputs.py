"""Secrets planted into logs of every format: none in any output, and the log is still read as the same log."""

from __future__ import annotations

import importlib.util
import itertools
import json
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.sax.saxutils import escape

import pytest

HERE = Path(__file__).resolve().parent
FIXTURES = HERE.parent / "fixtures"
TEXTS = (".json", ".jsonl", ".xml", ".md", ".txt", ".traj", ".ndjson", ".sse")


def _kinds() -> dict[str, tuple[str, str]]:
    """The planted kinds of the tests of redaction itself, those of one line."""
    spec = importlib.util.spec_from_file_location("redact_kinds", HERE / "test_redact.py")
    assert spec is not None
    assert spec.loader is not None
    module: ModuleType = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return {kind: row for kind, row in module.PLANTED.items() if "\n" not in row[0]}


PLANTED = _kinds()


class Planter:
    """Adds a planted text to prose, another kind each time."""

    def __init__(self, first: int) -> None:
        self._kinds = itertools.islice(itertools.cycle(PLANTED.values()), first, None)
        self.secrets: set[str] = set()

    def add(self, prose: str) -> str:
        text, secret = next(self._kinds)
        self.secrets.add(secret)
        return f"{prose} {text} "


def _is_prose(text: str) -> bool:
    return (
        len(text) < 4000
        and len(re.findall(r"[A-Za-z]{3,} ", text)) >= 2
        and not text.lstrip().startswith(("{", "[", "<"))
    )


def planted_json(value: Any, planter: Planter) -> Any:
    if isinstance(value, dict):
        return {key: planted_json(item, planter) for key, item in value.items()}
    if isinstance(value, list):
        return [planted_json(item, planter) for item in value]
    return planter.add(value) if isinstance(value, str) and _is_prose(value) else value


def planted(text: str, suffix: str, planter: Planter) -> str:
    """The log with something planted behind each piece of prose."""
    if suffix not in (".xml", ".md", ".txt"):
        try:
            return json.dumps(planted_json(json.loads(text), planter), ensure_ascii=False)
        except ValueError:
            return "\n".join(planted_line(line, planter) for line in text.split("\n"))
    if suffix == ".xml":
        return re.sub(
            r">([^<>]{12,2000})<",
            lambda m: f">{m[1]}{escape(planter.add(''))}<" if _is_prose(m[1]) else m[0],
            text,
        )
    lines = text.split("\n")
    return "\n".join(
        planter.add(line).rstrip()
        if _is_prose(line) and line[0].isalpha() and not line.endswith(":") and "](" not in line
        else line
        for line in lines
    )


def planted_line(line: str, planter: Planter) -> str:
    head, brace, rest = line.partition("{")
    try:
        return head + json.dumps(planted_json(json.loads(brace + rest), planter), ensure_ascii=False)
    except ValueError:
        return line


def outputs(folder: Path) -> Iterator[tuple[str, str]]:
    for file in folder.rglob("*"):
        if file.is_file():
            yield file.name, file.read_text(encoding="utf-8")


def read(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="surrogateescape")


def has_prose(file: Path) -> bool:
    planter = Planter(0)
    planted(read(file), file.suffix, planter)
    return bool(planter.secrets)


LOGS = sorted(
    file.relative_to(FIXTURES).as_posix()
    for file in FIXTURES.rglob("*")
    if file.suffix in TEXTS
    and file.name != "README.md"
    and "hostile" not in file.parts
    and file.stat().st_size < 400_000
    and has_prose(file)
)


@pytest.mark.parametrize("log", LOGS)
def test_nothing_planted_leaves(log: str, run: Callable[..., Any], tmp_path: Path) -> None:
    source = tmp_path / "in" / Path(log).name
    shutil.copytree(FIXTURES / Path(log).parent, source.parent)
    plain = run("show", source)
    planter = Planter(LOGS.index(log) * 7)
    text = planted(read(source), source.suffix, planter)
    source.write_text(text, encoding="utf-8", errors="surrogateescape")
    out = tmp_path / "out"
    out.mkdir()
    pages, prose = out / "pages", out / "prose"
    pages.mkdir()
    prose.mkdir()
    audited = run("audit", source, "-o", out / "a.json", "-o", out / "a.sarif", "-o", pages)
    told = run("audit", source, "--format", "md", "-o", prose)
    assert audited.code == told.code == plain.code, audited.err
    shown = run("show", source, "--full")
    converted = run("convert", source, "-o", out / "c.xml")
    drawn = run("graph", source, "-o", out / "g.json")
    assert plain.out.splitlines()[1:2] == shown.out.splitlines()[1:2], "read as the same format"
    said = [
        (name, ran.out + ran.err)
        for name, ran in (
            ("audit", audited),
            ("audit md", told),
            ("show", shown),
            ("convert", converted),
            ("graph", drawn),
        )
    ]
    for name, text in (*said, *outputs(out)):
        left = [
            secret
            for secret in planter.secrets
            if secret in text or escape(secret) in text or json.dumps(secret)[1:-1] in text
        ]
        assert not left, f"{name} still holds {len(left)} of {len(planter.secrets)}"


def test_every_kind_was_planted_somewhere() -> None:
    assert len(PLANTED) >= 60
    assert len(LOGS) >= 60
